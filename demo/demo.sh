#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The main job, from one line of files.simd to a linked kernel; then the same
# file with the build rule of 2012, and with that rule less -fpic.
#
#	demo.sh [FOLDER]
#
# Works in FOLDER (default: build/demo).  KSIMD is the program (default:
# build/bin/ksimd).  Every line that is printed as a result comes from a
# command that ran, and each result is compared with what it should be:
# status 1 if one differs, 2 if a tool is missing.
set -u
LC_ALL=C
export LC_ALL

top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
ksimd=${KSIMD:-$top/build/bin/ksimd}	# absolute
work=${1:-$top/build/demo}
failed=0
summary=

ld_bfd=ld.bfd
command -v ld.bfd >/dev/null || ld_bfd=ld

die() { printf 'demo: %s\n' "$*" >&2; exit 2; }

[ -x "$ksimd" ] || die "$ksimd is missing (./dev build)"
for tool in bmake clang-19 gcc "$ld_bfd" ld.lld-19 nm readelf; do
	command -v "$tool" >/dev/null || die "$tool is missing (./dev deps)"
done

# --- printing ----------------------------------------------------------------

bold= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
say() { printf '%s\n' "$*" | fold -s -w 78 | sed 's/ *$//'; }
# Output of a command, indented.  A long line goes on further to the right.
quote() {
	expand | awk '{
		match($0, /^ */)
		indent = sprintf("%" RLENGTH + 10 "s", "")
		for (s = "    " $0; length(s) > 78; s = indent rest) {
			for (at = 78; at > 40 && substr(s, at, 1) != " ";)
				at--
			if (at == 40)
				break
			rest = substr(s, at + 1)
			print substr(s, 1, at - 1)
		}
		print s
	}'
}

# Runs a command; its output goes to the file log, its status to $status.
run() {
	shown=
	for word in "$@"; do
		case $word in
		*' '*) word="'$word'" ;;
		esac
		shown="$shown $word"
	done
	printf '$%s\n' "$shown" | fold -s -w 70 |
	    sed 's/ *$//; $!s/$/ \\/; 2,$s/^/    /; s/^/  /'
	"$@" >log 2>&1
	status=$?
}

# Compares the last status with what it should be.
expect() {	# STATUS WHAT
	[ "$status" -eq "$1" ] && return
	failed=$((failed + 1))
	printf 'UNEXPECTED: status %s, not %s: %s\n' "$status" "$1" "$2"
	quote <log
}

# The last output must have a line that matches.
expect_line() {	# PATTERN WHAT
	grep -q -e "$1" log && return
	failed=$((failed + 1))
	printf 'UNEXPECTED: no line with "%s": %s\n' "$1" "$2"
	quote <log
}

expect_no_line() {
	grep -q -e "$1" log || return 0
	failed=$((failed + 1))
	printf 'UNEXPECTED: a line with "%s": %s\n' "$1" "$2"
}

# --- steps --------------------------------------------------------------------

# Compiles through the rules in MK, in a folder of its own.
build() {	# NAME CC MK [VARIABLE=VALUE]
	name=$1-$2
	mkdir -p "$name" && : >"$name/opt_global.h" || die "cannot write"
	run bmake -r -C "$name" -f ../demo/kernel.mk CC="$2" S=../sys \
	    RULES="../$3" ${4+"$4"}
	expect 0 "compiling through the rules of $3"
	say "compiles aesni_wrap2.c with:"
	grep 'aesni_wrap2\.c' log | quote
}

# The last prove in a few words: "proven", or findings by id.
verdict() {
	if grep -q ' proven (' verdict; then
		echo proven
	else
		sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' json | sort | uniq -c |
		    awk '{ printf "%s%d %s", n++ ? ", " : "", $1, $2 }'
	fi
}

# Judges objects together; shows findings and the verdict.
prove() {	# STATUS OBJECT...
	want=$1
	shift
	run ksimd obj --profile freebsd --contract demo/aesni.contract "$@"
	expect "$want" "ksimd obj $*"
	quote <log
	tail -n 1 log >verdict
	ksimd obj --profile freebsd --format json \
	    --contract demo/aesni.contract "$@" 2>/dev/null |
	    grep -v '"severity": *"note"' >json
}

# Links all objects of a build with both linkers.
link_all() {	# NAME STATUS
	for ld in "$ld_bfd" ld.lld-19; do
		run "$ld" -static -z noexecstack -T demo/kernel.ld \
		    -o "$1/kernel.$ld" "$1"/*.o
		expect "$2" "linking $1 with $ld"
		quote <log
		result=refuses
		if [ "$status" -eq 0 ]; then
			result=links
			nm "$1/kernel.$ld" | grep ' aesni_xts_encrypt$' >log
			expect_line '^ffffffff80[2-9]' "where the code is"
			sed 's/^\(.*\) . \(.*\)/links: \2 is at 0x\1/' log |
			    quote
		fi
		case $ld in
		ld.lld*) lld=$result ;;
		*) bfd=$result ;;
		esac
	done
}

summarise() {	# RULE CC VERDICT
	summary="$summary$(printf '%-10s %-9s %-8s %-8s %s' "$1" "$2" \
	    "$bfd" "$lld" "$3")
"
}

# Never clear a folder that something else is in.
if [ -e "$work" ] && [ ! -e "$work/.ksimd-demo" ] &&
    ! rmdir "$work" 2>/dev/null; then
	die "$work exists, and is no folder of a former run"
fi
rm -rf "$work"
mkdir -p "$work" && cd "$work" && : >.ksimd-demo || die "cannot make $work"
mkdir -p sys/conf sys/crypto sys/demo || die "cannot write in $work"
mkdir bin && ln -s "$ksimd" bin/ksimd || die "cannot write in $work"
PATH=$PWD/bin:$PATH
ln -s "$top/demo" "$top/sys-conf" .
ln -s "$top/examples/aesni" sys/crypto/aesni
ln -s "$top/demo/tables.c" "$top/demo/rest.c" sys/demo/
ln -s "$top/demo/sys/stddef.h" "$top/demo/sys/stdint.h" sys/
for list in files files.tables files.2012 files.nopic; do
	ln -s "$top/demo/sys/$list" sys/conf/
done

say "All of this happens in $work."

title "1. The rule"
say "One line of sys-conf/files.simd for each file says what it needs:"
grep '^crypto' sys-conf/files.simd | quote
run ksimd rules generate --arch amd64 --dialect freebsd-15 \
    sys-conf/files.simd
expect 0 "generating the entries"
cp log sys/conf/files.amd64
say "prints the entries of files.amd64, among them:"
sed -n '/^aesni_wrap2\.o/,/clean/p' log | quote
# For what follows: the rule of one file is changed, the others have theirs.
grep -v 'aesni_wrap2\.c' sys-conf/files.simd >others.simd
ksimd rules generate --arch amd64 --dialect freebsd-15 others.simd \
    >sys/conf/files.others 2>log
status=$?
expect 0 "generating the other files' entries"

title "2. The makefile that config(8) makes of it"
run ksimd rules make --device aesni sys/conf/files sys/conf/files.amd64 \
    sys/conf/files.tables
expect 0 "making the makefile text"
cp log generated.mk
say "prints, among the kernel's other rules:"
sed -n '/^aesni_wrap2.o:/,/^$/p' log | sed '/^$/d' | quote
for rule in 2012 nopic; do
	ksimd rules make --device aesni sys/conf/files sys/conf/files.others \
	    "sys/conf/files.$rule" >"$rule.mk" 2>log
	status=$?
	expect 0 "making the makefile text of files.$rule"
done

for cc in clang-19 gcc; do
	title "3. Compiled by bmake, proven and linked: $cc"
	build generated "$cc" generated.mk
	o=generated-$cc
	say "The SIMD files, their consumer, which enters and leaves regions," \
	    "and a second small file, judged together:"
	prove 0 --assumptions "$o/aesni_wrap.o" "$o/aesni_wrap2.o" \
	    "$o/aesni_vaes2.o" "$o/aesni_vaes512.o" "$o/aesni.o" \
	    "$o/aesni_dispatch.o" "$o/tables.o"
	expect_line ' proven (' "a proof"
	link_all "$o" 0
	summarise generated "$cc" "$(verdict)"
done

for cc in clang-19 gcc; do
	title "4. The rule of 2012: $cc"
	say 'It is: ${CC} -c -fpic ${COPTFLAGS:C/^-O2$/-O3/} ${DEBUG} ...'
	say "Today's compilers do not take the file without -msse2 -maes:"
	run "$cc" -c -fpic -O3 -g -o without.o sys/crypto/aesni/aesni_wrap2.c
	expect 1 "compiling without -msse2 -maes"
	grep -m 1 'error:' log | quote
	say "so they are added to it here."
	build 2012 "$cc" 2012.mk
	o=2012-$cc
	prove 1 "$o/aesni_wrap2.o" "$o/aesni.o" "$o/tables.o"
	expect_line 'demo_swap.*\[obj-red-zone\]' "the leaf function's locals"
	expect_line 'demo_sub.*\[obj-got-reloc\]' "the table of another file"
	link_all "$o" 0
	say "A module is linked with -r, which leaves the GOT load in:"
	run "$ld_bfd" -r -o "$o/tables.ko" "$o/tables.o"
	expect 0 "linking a module"
	run readelf -rW "$o/tables.ko"
	expect_line 'R_X86_64_REX_GOTPCRELX .*demo_sbox' "the GOT load"
	grep 'GOTPCREL' log | quote
	summarise 2012 "$cc" "$(verdict)"
done

title "5. The same with -fno-pic -fno-dwarf2-cfi-asm: gcc"
say "-fno-dwarf2-cfi-asm makes gcc write .eh_frame, not the assembler."
build nopic gcc nopic.mk
o=nopic-gcc
prove 1 "$o/aesni_wrap2.o" "$o/aesni.o" "$o/tables.o"
expect_line '\.eh_frame+0x20.*R_X86_64_32.*\[obj-reloc-range\]' \
    "the relocation that does not fit"
expect_line '-mcmodel=kernel' "the flag that cures it"
grep '\.eh_frame+0x20' log >found
summary_verdict=$(verdict)
link_all "$o" 1
"$ld_bfd" -static -T demo/kernel.ld -o kernel "$o"/*.o >log 2>&1
expect_line '(\.eh_frame+0x20): relocation truncated to fit: R_X86_64_32' \
    "the linker's error"
say "The linker's error of 2012, and what ksimd said of the object before:"
grep '(\.eh_frame+0x20)' log | head -n 1 | quote
head -n 1 found | quote
summarise "-fno-pic" gcc "$summary_verdict"

say "The same rule, with the flag that ksimd names:"
build cured gcc nopic.mk COPTFLAGS="-O2 -pipe -mcmodel=kernel"
o=cured-gcc
prove 1 "$o/aesni_wrap2.o" "$o/aesni.o" "$o/tables.o"
expect_no_line 'obj-reloc-range' "-mcmodel=kernel cures it"
link_all "$o" 0
summarise "...cured" gcc "$(verdict)"

title "6. Summary"
printf '%-10s %-9s %-8s %-8s %s\n' rule compiler "GNU ld" ld.lld "ksimd obj"
printf '%s' "$summary"
if [ "$failed" -ne 0 ]; then
	say "$failed result(s) are not as they should be, see UNEXPECTED above"
	exit 1
fi
say "All results are as they should be."
