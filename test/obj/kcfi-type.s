# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile freebsd %t.o 2>/dev/null \
# RUN:   | %FileCheck %s --implicit-check-not=__cfi_good
# RUN: %clang -c %s -Wa,-defsym,CALL=1 -o %t.o
# RUN: %not %ksimd obj --profile freebsd %t.o 2>/dev/null \
# RUN:   | %FileCheck %s --check-prefixes=CHECK,CALLED
# RUN: %clang %simd -O2 -fsanitize=kcfi -x c -c %S/simd-compiler-made.c -o %t.o
# RUN: echo "needs bad_clear bad_caller good_half" > %t.contract
# RUN: %ksimd obj --profile freebsd --contract %t.contract %t.o 2>&1 \
# RUN:   | %FileCheck %s --check-prefix=MADE
# MADE: 4 functions, 0 regions, proven
# SPDX-License-Identifier: BSD-2-Clause
# The word for a function's type that -fsanitize=kcfi puts in front of it is no
# function and does not fall into that one, unless code goes there.  What else
# has such a name is a function.
	.text
	.globl	__cfi_good
	.type	__cfi_good, @function
__cfi_good:
	.zero	11, 0x90
	movl	$0x12345678, %eax
	.size	__cfi_good, . - __cfi_good
	.zero	16, 0x90
	.globl	good
	.type	good, @function
good:
	pxor	%xmm0, %xmm0
	ret
	.size	good, . - good

	.globl	__cfi_bad
	.type	__cfi_bad, @function
__cfi_bad:
	.zero	10, 0x90
	movups	%xmm0, (%rdi)
	movl	$0x12345678, %eax
	.size	__cfi_bad, . - __cfi_bad
	ret
# CHECK-DAG: __cfi_bad+0xa: note: '__cfi_bad' must be called inside a region
# CHECK-DAG: good+0x0: note: 'good' must be called inside a region

	.ifdef CALL
	.globl	bad_call
	.type	bad_call, @function
# CALLED-DAG: bad_call+0x{{.*}}: error: '__cfi_good' needs a region and is called outside one
bad_call:
	call	fpu_kern_enter
	call	__cfi_good
	call	fpu_kern_leave
	jmp	__cfi_good
	.size	bad_call, . - bad_call
	.endif
