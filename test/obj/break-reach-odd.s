# RUN: %clang -I%S/Inputs -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Callees that write past the 8 bytes they are given the address of, in ways that
# do not show as a plain store through an argument: a flag above must not count.
# SPDX-License-Identifier: BSD-2-Clause
	.include "guarded.inc"

	.macro	bad what
	guarded	bad_\what, "lea 8(%rsp), %rdi; mov $1, %esi; call \what"
	.endm
	.macro	good what
	guarded	good_\what, "lea 24(%rsp), %rdi; mov $1, %esi; call \what"
	.endm

	.text
	.macro	callee name
	.type	\name, @function
\name:
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm

# A bit by number, which may be any.
	callee	bits
	bts	%rsi, (%rdi)
	ret
	ends	bits
	callee	fills
	mov	$16, %ecx
	xor	%eax, %eax
	rep	stosb
	ret
	ends	fills
	callee	copies
	mov	$16, %ecx
	lea	there(%rip), %rsi
	rep	movsb
	ret
	ends	copies
	callee	conditional_tail
	test	%esi, %esi
	jne	somewhere_else
	ret
	ends	conditional_tail
	callee	swaps
	lock cmpxchg16b (%rdi)
	ret
	ends	swaps
# A part of the function in another section, with the address in a register
# that is saved, or on the stack.
	callee	cold
	push	%rbx
	mov	%rdi, %rbx
	test	%esi, %esi
	jne	cold.cold
	pop	%rbx
	ret
	ends	cold
	callee	spilled
	sub	$24, %rsp
	mov	%rdi, 8(%rsp)
	test	%esi, %esi
	jne	spilled.cold
	add	$24, %rsp
	ret
	ends	spilled
	callee	vector
	movq	%rdi, %xmm0
	movq	%xmm0, %rdx
	movl	$1, 8(%rdx)
	ret
	ends	vector
# Downwards, with no end.
	callee	downwards
1:	movl	$1, (%rdi)
	sub	$4, %rdi
	dec	%esi
	jnz	1b
	ret
	ends	downwards
# By a convention of its own.
	callee	scratch
	mov	%rdi, %r11
	call	through_r11
	ret
	ends	scratch
	callee	through_r11
	call	uses_r11
	ret
	ends	through_r11
	callee	uses_r11
	movl	$1, 8(%r11)
	ret
	ends	uses_r11
# What is left in %r11 when a function is called that does not look at it is
# given to nobody.
	callee	left
	mov	%rdi, %r11
	movl	$1, (%r11)
	call	nothing
	ret
	ends	left
	callee	nothing
	xor	%r11d, %r11d
	ret
	ends	nothing

# CHECK-DAG: :bad_bits{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_bits{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_bits{{.*}}: error: {{.*}} [region-not-left]
	bad	bits
	good	bits
# CHECK-DAG: :bad_fills{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_fills{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_fills{{.*}}: error: {{.*}} [region-not-left]
	bad	fills
	good	fills
# CHECK-DAG: :bad_copies{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_copies{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_copies{{.*}}: error: {{.*}} [region-not-left]
	bad	copies
# CHECK-DAG: :bad_conditional_tail{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_conditional_tail{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_conditional_tail{{.*}}: error: {{.*}} [region-not-left]
	bad	conditional_tail
# CHECK-DAG: :bad_swaps{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_swaps{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_swaps{{.*}}: error: {{.*}} [region-not-left]
	bad	swaps
	good	swaps
# CHECK-DAG: :bad_cold{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_cold{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_cold{{.*}}: error: {{.*}} [region-not-left]
	bad	cold
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [region-not-left]
	bad	spilled
# CHECK-DAG: :bad_vector{{.*}}: error: 'vector' needs a region{{.*}} [simd-outside-region]
# CHECK-DAG: :bad_vector{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_vector{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_vector{{.*}}: error: {{.*}} [region-not-left]
	bad	vector
# CHECK-DAG: :bad_downwards{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_downwards{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_downwards{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_downwards, "lea 24(%rsp), %rdi; mov $3, %esi; call downwards"
# CHECK-DAG: :bad_scratch{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_scratch{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_scratch{{.*}}: error: {{.*}} [region-not-left]
	bad	scratch
	guarded	good_left, "lea 8(%rsp), %rdi; call left"

	.section .text.unlikely, "ax", @progbits
	callee	cold.cold
	movl	$1, 8(%rbx)
	pop	%rbx
	ret
	ends	cold.cold
	callee	spilled.cold
	mov	8(%rsp), %rax
	movl	$1, 8(%rax)
	add	$24, %rsp
	ret
	ends	spilled.cold

	.bss
there:	.zero	16
