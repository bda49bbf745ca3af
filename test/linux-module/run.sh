#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Builds an external module through Debian's linux-headers, with the Kbuild
# lines that "ksimd rules generate" writes; proves the module's object, and
# lints the commands that really ran.  Apart from the tests: it fetches
# packages of 14 MB (not installed, kept below build/cache).
#
# usage: test/linux-module/run.sh		KSIMD: the program
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
ksimd=${KSIMD:-$top/build/bin/ksimd}
cache=$top/build/cache/linux-headers
work=$top/build/linux-module
KSIMD_PROFILES=$top/sys-conf/profiles
export KSIMD_PROFILES

die() { printf 'linux-module: %s\n' "$*" >&2; exit 2; }

[ -x "$ksimd" ] || die "$ksimd is missing (./dev build)"
headers=$(apt-cache depends linux-headers-amd64 |
    sed -n 's/.*Depends: *\(linux-headers-[0-9][^ ]*\)$/\1/p' | head -n 1)
[ -n "$headers" ] || die "no linux-headers-amd64 known to apt: apt-get update"
tree=$cache/$headers
if [ ! -d "$tree" ]; then
	mkdir -p "$cache/tmp"
	version=$(echo "$headers" | sed 's/.*-\([0-9]*\.[0-9]*\)\..*/\1/')
	(cd "$cache/tmp" && apt-get download "$headers" \
	    "${headers%-amd64}-common" "linux-kbuild-$version" >&2)
	for deb in "$cache"/tmp/*.deb; do
		dpkg -x "$deb" "$tree.new"
	done
	# Its makefile names the place where it would be installed.
	sed -i "s|/usr/src|$tree/usr/src|" "$tree.new/usr/src/$headers/Makefile"
	rm -r "$cache/tmp"
	mv "$tree.new" "$tree"
fi

rm -rf "$work"
mkdir -p "$work"
cp test/linux-module/glue.c test/linux-module/simd.c "$work"
{
	echo "obj-m += demo.o"
	echo "demo-y := glue.o"
	"$ksimd" rules generate --target kbuild --dialect linux-6.1 \
	    test/linux-module/files.simd
} >"$work/Kbuild"
"$ksimd" rules lint -W --target kbuild --dialect linux-6.1 --arch x86 \
    "$work/Kbuild"

make -C "$tree/usr/src/$headers" M="$work" KBUILD_MODPOST_WARN=1 \
    modules >"$work/log" 2>&1 || { cat "$work/log"; die "make failed"; }
[ -f "$work/demo.ko" ] || die "no demo.ko"
objdump -d "$work/simd.o" | grep -q 'aesenc' || die "no AES in simd.o"
"$ksimd" obj --profile linux "$work/demo.ko" || die "demo.ko is not proven"
"$ksimd" rules lint -W --dialect linux-6.1 -p "$work" ||
    die "the commands are not clean"
echo "linux-module: demo.ko built through $headers and proven"
