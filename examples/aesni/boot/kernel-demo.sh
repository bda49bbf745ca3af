#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles the example through the generated rule, links it with the harness
# where a kernel is, and boots it in QEMU (no KVM): every XTS vector inside
# regions, CR0.TS as a tripwire outside them, and the red zone of 2012.
#
#	kernel-demo.sh [FOLDER [CC...]]
#
# Works in FOLDER (default: build/kernel-demo), with each CC (default: gcc and
# clang-19).  Where clang-19 is among them it runs a second time, the objects of
# the generated rule made by "ksimd cc", confined and proven.  KSIMD is the
# program (default: build/bin/ksimd).  Status 1 if a result is not as it should
# be, 77 if QEMU is missing, 2 for other tools.
set -u
LC_ALL=C
export LC_ALL

boot=$(cd "$(dirname "$0")" && pwd) || exit 2
top=$(cd "$boot/../../.." && pwd) || exit 2
ksimd=${KSIMD:-$top/build/bin/ksimd}
work=${1:-$top/build/kernel-demo}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- gcc clang-19
. "$boot/harness.sh"

die() { printf 'kernel-demo: %s\n' "$*" >&2; exit 2; }

if ! command -v qemu-system-x86_64 >/dev/null; then
	echo "UNAVAILABLE: qemu-system-x86_64 is missing (./dev deps)"
	exit 77
fi
[ -x "$ksimd" ] || die "$ksimd is missing (./dev build)"
for tool in bmake ld.lld-19 objcopy timeout "$@"; do
	command -v "$tool" >/dev/null || die "$tool is missing (./dev deps)"
done

# Runs a command; its output is shown only if it fails.
quiet() {
	"$@" >"$work/log" 2>&1 && return
	cat "$work/log" >&2
	die "failed: $*"
}

rm -rf "$work/obj" "$work/sys" "$work/rules"
mkdir -p "$work/obj" "$work/sys/crypto" "$work/sys/demo" "$work/sys/conf" \
    "$work/rules" || die "cannot write in $work"
ln -s "$top/examples/aesni" "$work/sys/crypto/aesni"
ln -s "$boot/redzone.c" "$work/sys/demo/"
ln -s "$top/demo/sys/stddef.h" "$top/demo/sys/stdint.h" "$work/sys/"
cd "$work" || exit 2

"$ksimd" rules generate --arch amd64 --dialect freebsd-15 \
    "$top/sys-conf/files.simd" >sys/conf/files.amd64 || die "no entry"
grep -v '^demo/rest' "$top/demo/sys/files" >sys/conf/files
# The demo's second file, by either rule, with the leaf function in its place.
sed 's/tables/redzone/g' "$top/demo/sys/files.2012" >sys/conf/files.2012
sed 's/tables/redzone/g' "$top/demo/sys/files.tables" >sys/conf/files.redzone
"$ksimd" rules make --device aesni sys/conf/files sys/conf/files.amd64 \
    sys/conf/files.redzone >rules/generated.mk || die "no rules"
"$ksimd" rules make --device aesni sys/conf/files.2012 \
    >rules/2012.mk || die "no rules"

failed=0
for cc in "$@"; do
	[ "$cc" != clang-19 ] || set -- "$@" confined
done
for cc in "$@"; do
	o=$work/obj/$(basename "$cc")
	made=$cc
	if [ "$cc" = confined ]; then
		cc=clang-19
		made="$ksimd cc --profile freebsd -- $cc"
		if [ ! -e "${ksimd%/*}/../lib/libksimd-pass.so" ]; then
			echo "== ksimd cc: UNAVAILABLE: there is no pass"
			continue
		fi
		printf '== ksimd cc -- %s\n' "$cc"
	else
		printf '== %s\n' "$cc"
	fi
	for rule in generated 2012; do
		mkdir -p "$o/$rule" && : >"$o/$rule/opt_global.h" ||
		    die "cannot write"
		# What the rule of 2012 makes is not proven, by no compiler.
		[ "$rule" = generated ] || made=$cc
		quiet bmake -r -C "$o/$rule" -f "$top/demo/kernel.mk" \
		    CC="$made" S="$work/sys" RULES="$work/rules/$rule.mk"
	done
	quiet objcopy --prefix-symbols=demo2012_ "$o/2012/redzone.o" \
	    "$o/2012.o"
	harness_build "$o" "$cc" || die "the harness does not compile"
	"$cc" $harness_flags -I "$boot" -I "$boot/.." -I "$boot/../kern" \
	    -c "$boot/demo.c" -o "$o/demo.o" || die "demo.c"
	quiet ld.lld-19 -static -z noexecstack -T "$boot/boot.ld" \
	    -o "$o/kernel" "$o/start.o" "$o/boot.o" "$o/fpu.o" "$o/demo.o" \
	    "$o/2012.o" "$o"/generated/*.o
	harness_boot "$o/kernel" "${KSIMD_BOOT_SECONDS:-120}"
	status=$?
	if [ "$status" -ne 0 ]; then
		failed=1
		printf 'UNEXPECTED: %s: status %s\n' "$cc" "$status"
	fi
done
exit "$failed"
