#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles the example the way a kernel does, with each compiler at hand, and
# looks at the objects:
#   - the SIMD object and the portable one call nothing (no memcpy either);
#   - the consumer and the portable object touch no vector register;
#   - linked into the test, the kernel's SIMD and portable objects pass it.
#
# usage: test_kernel_build.sh SOURCE_DIR
# Ends in "N passed, N failed".  Status: 1 after a failure; else 77 where a
# compiler is missing or the test says 77; else 0.
set -u

src=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 unavailable=0

check() { # STATUS WHAT
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: $2"
	fi
}

kernel_cc() { # COMPILER FILE OBJECT [FLAG...]
	case $1 in
	clang*)	inc=$("$1" -print-resource-dir)/include ;;
	*)	inc=$("$1" -print-file-name=include) ;;
	esac
	cc=$1 in=$2 obj=$3
	shift 3
	"$cc" -std=gnu17 -nostdinc -isystem "$inc" -D_MM_MALLOC_H_INCLUDED \
	    -D__MM_MALLOC_H -ffreestanding -O3 -fno-pic -mcmodel=kernel \
	    -mno-red-zone -mno-mmx -mno-sse -msoft-float \
	    -fno-asynchronous-unwind-tables -D_KERNEL -Wall -Werror \
	    -I"$src/kern" "$@" -c "$src/$in" -o "$work/$obj"
}

calls_nothing() { # OBJECT
	undefined=$(nm -u "$work/$1") && [ -z "$undefined" ]
}

no_vector() { # OBJECT
	objdump -d "$work/$1" >"$work/dis" && grep -q ret "$work/dis" &&
	    ! grep -Eq '%([xyz]?mm|st)[0-9(]' "$work/dis"
}

for cc in gcc clang-19; do
	if ! command -v "$cc" >/dev/null; then
		echo "UNAVAILABLE: $cc"
		unavailable=1
		continue
	fi
	kernel_cc "$cc" aesni_wrap2.c simd.o -msse2 -maes
	check $? "$cc: aesni_wrap2.c compiles"
	kernel_cc "$cc" aes_soft.c soft.o
	check $? "$cc: aes_soft.c compiles"
	kernel_cc "$cc" aesni.c consumer.o
	check $? "$cc: aesni.c compiles"
	calls_nothing simd.o
	check $? "$cc: the SIMD object calls nothing"
	calls_nothing soft.o
	check $? "$cc: the portable object calls nothing"
	no_vector soft.o
	check $? "$cc: the portable object uses no vector register"
	no_vector consumer.o
	check $? "$cc: the consumer uses no vector register"
	"$cc" -std=gnu11 -O2 -no-pie -I"$src" -I"$src/kern" \
	    "$src/test_xts.c" "$src/aesni.c" "$src/kern/user.c" \
	    "$work/simd.o" "$work/soft.o" -lcrypto -o "$work/test"
	check $? "$cc: the kernel's objects link into the test"
	"$work/test" >"$work/log"
	status=$?
	tail -n 1 "$work/log"
	if [ $status -eq 77 ]; then
		unavailable=1
		grep UNAVAILABLE "$work/log"
	else
		check $status "$cc: the kernel's objects pass the test"
	fi
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] || exit 1
[ $unavailable -eq 0 ] || exit 77
