# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# A flag that is some bits of another value, or was loaded from a variable: the
# branch tells of what it was made from, and of the register that holds it, which
# may be all that is left later.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	guarded name, flag, again
	.globl	\name
	.type	\name, @function
\name:	push	%rbx
	push	%r12
	sub	$8, %rsp
	\flag
	test	%ebx, %ebx
	jz	1f
	call	kernel_fpu_begin_mask
	jmp	2f
# On this way only, what the flag was made from is gone.
1:	mov	$6, %r12d
2:	\again
	test	%ebx, %ebx
	jz	3f
	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
3:	add	$8, %rsp
	pop	%r12
	pop	%rbx
	ret
	.size	\name, . - \name
	.endm

	.text
	guarded	good_bits, "mov %edi, %r12d; mov %r12d, %ebx; and $6, %ebx"
	guarded	good_one, "mov %edi, %r12d; mov %r12d, %ebx; and $2, %ebx"
	guarded	good_load, "mov switch(%rip), %ebx"
# CHECK-DAG: :bad_bits{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_bits{{.*}}: error: {{.*}} [region-differs-on-join]
	guarded	bad_bits, "mov %edi, %r12d; mov %r12d, %ebx; and $6, %ebx", "mov %r12d, %ebx"
# CHECK-DAG: :bad_load{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_load{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_load{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_load, "mov switch(%rip), %ebx", "mov switch(%rip), %ebx"

	.bss
switch:	.long	0
