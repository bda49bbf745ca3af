#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compiles the example the way a kernel does, with each compiler at hand, and
# looks at the objects:
#   - the SIMD objects and the portable one call nothing (no memcpy either);
#   - the consumer's and the portable object touch no vector register;
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
simd="aesni_wrap aesni_wrap2 aesni_vaes2 aesni_vaes512"
plain="aes_soft aesni aesni_dispatch"

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

simd_flags() { # FILE
	case $1 in
	aesni_vaes2)	echo -maes -mavx2 -mvaes -mvpclmulqdq ;;
	aesni_vaes512)	echo -maes -mavx512bw -mvaes -mvpclmulqdq ;;
	*)		echo -msse2 -maes ;;
	esac
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
	for file in $simd; do
		# shellcheck disable=SC2046
		kernel_cc "$cc" "$file.c" "$file.o" $(simd_flags "$file")
		check $? "$cc: $file.c compiles"
		calls_nothing "$file.o"
		check $? "$cc: $file.o calls nothing"
	done
	for file in $plain; do
		kernel_cc "$cc" "$file.c" "$file.o"
		check $? "$cc: $file.c compiles"
		no_vector "$file.o"
		check $? "$cc: $file.o uses no vector register"
	done
	calls_nothing aes_soft.o
	check $? "$cc: the portable object calls nothing"
	objects=
	for file in $simd aes_soft; do
		objects="$objects $work/$file.o"
	done
	# shellcheck disable=SC2086
	"$cc" -std=gnu11 -O2 -no-pie -I"$src" -I"$src/kern" \
	    "$src/test_xts.c" "$src/aesni.c" "$src/aesni_dispatch.c" \
	    "$src/kern/user.c" $objects -lcrypto -o "$work/test"
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
