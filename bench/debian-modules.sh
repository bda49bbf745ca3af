#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Checks all modules of Debian's kernel, one by one, and prints a table of
# those in which there is anything to say; the whole table goes to
# build/bench/debian-modules.tsv.
#
# usage: bench/debian-modules.sh [MODULE_DIR]
#
# Without a folder, the package that linux-image-amd64 depends on is fetched
# once with apt-get download and unpacked (not installed) below build/cache.
# With the package's boot folder in MODULE_DIR, types are used (--btf).
# Each module's profile is the one that ksimd chooses; KSIMD_ARGS are more
# arguments for it.
#
# Columns: functions, those with SIMD, regions, functions that need one,
# assumptions, unknown indirect calls, seconds, then findings by id.
set -eu
cd "$(dirname "$0")/.."
ksimd=${KSIMD:-build/bin/ksimd}
cache=build/cache/debian-modules
out=build/bench
mkdir -p "$out"

# Prints the folder of the unpacked package's modules.
fetch() {
	package=$(apt-cache depends linux-image-amd64 |
	    sed -n 's/.*Depends: *\(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
	[ -n "$package" ] || {
		echo "no linux-image-amd64 known to apt: apt-get update" >&2
		return 1
	}
	if [ ! -d "$cache/$package" ]; then
		mkdir -p "$cache/tmp"
		(cd "$cache/tmp" && apt-get download "$package" >&2)
		dpkg -x "$cache"/tmp/"$package"_*.deb "$cache/$package.new"
		rm -r "$cache/tmp"
		mv "$cache/$package.new" "$cache/$package"
	fi
	echo "$cache/$package"
}

dir=${1:-$(fetch)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The types of the kernel that the modules are for, from its boot image.
for image in "$dir"/boot/vmlinuz-*; do
	if [ -f "$image" ] && bench/vmlinux.py --btf "$image" "$tmp/btf"; then
		KSIMD_ARGS="--btf $tmp/btf ${KSIMD_ARGS:-}"
		break
	fi
done

# One module: a row of tab-separated columns.
row() {
	status=0
	# shellcheck disable=SC2086
	"$ksimd" obj --format json --stats ${KSIMD_ARGS:-} -o "$tmp/out" "$1" \
	    2> "$tmp/err" || status=$?
	[ "$status" -le 1 ] || : > "$tmp/out"
	awk -v name="$(basename "$1")" -v status="$status" '
	FILENAME == ARGV[1] && match($0, /"id":"[^"]*"/) {
		id = substr($0, RSTART + 6, RLENGTH - 7)
		if (id == "needs-region")
			needs++
		else if (!(id in count))
			ids[++n] = id
		count[id]++
	}
	FILENAME == ARGV[2] && /functions?, .* regions?, / {
		functions = $1
		regions = $3
		for (i = 1; i < NF; i++) {
			gsub(/[(,]/, "", $i)
			if ($(i + 1) ~ /^assumption/)
				assumptions = $i
			if ($(i + 1) == "unknown")
				unknown = $i
		}
	}
	FILENAME == ARGV[2] && /with SIMD,/ {
		for (i = 2; i <= NF; i++) {
			if ($i == "with")
				simd = $(i - 1)
			if ($i == "s," || $i == "s")
				seconds += $(i - 1)
		}
	}
	FILENAME == ARGV[2] && status > 1 { text = text " " $0 }
	END {
		printf "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\t", name, functions,
		    simd, regions, needs, assumptions, unknown, seconds
		if (status > 1)
			printf "failed (%d):%s", status, text
		for (i = 1; i <= n; i++)
			printf "%s%s:%d", (i > 1 ? " " : ""), ids[i],
			    count[ids[i]]
		print ""
	}' "$tmp/out" "$tmp/err"
}

find "$dir" -name '*.ko' | LC_ALL=C sort > "$tmp/modules"
[ -s "$tmp/modules" ] || { echo "$dir: no modules" >&2; exit 1; }
printf 'module\tfunctions\tsimd\tregions\tneeds\tassumptions\tunknown\tseconds\tfindings\n' > "$tmp/table"
while read -r module; do
	row "$module" >> "$tmp/table"
done < "$tmp/modules"
mv "$tmp/table" "$out/debian-modules.tsv"

awk -F '\t' '
NR == 1 {
	printf "%-28s %9s %5s %7s %5s %6s %7s %8s  %s\n", $1, $2, $3, $4, $5,
	    "assum.", $7, $8, $9
	next
}
{
	modules++
	for (i = 2; i <= 8; i++)
		sum[i] += $i
	if ($3 + $4 + $5 > 0 || $9 != "")
		printf "%-28s %9d %5d %7d %5d %6d %7d %8.3f  %s\n", $1, $2,
		    $3, $4, $5, $6, $7, $8, $9
	else
		clean++
	failed += $9 ~ /^failed/
}
END {
	printf "%-28s %9d %5d %7d %5d %6d %7d %8.3f\n", modules " modules",
	    sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8]
	printf "%d of them have neither SIMD nor regions; %d failed\n", clean,
	    failed
	exit failed > 0
}' "$out/debian-modules.tsv"
