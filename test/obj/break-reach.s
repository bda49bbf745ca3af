# RUN: %clang -I%S/Inputs -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Locals whose addresses are passed to functions of the same object, with a flag
# above or below them that says whether to leave: what counts is what the callee
# does with the address.
# SPDX-License-Identifier: BSD-2-Clause
	.include "guarded.inc"

	.text
	.macro	callee name
	.type	\name, @function
\name:
	.endm

# Writes 4 bytes.
	callee	four
	movl	$1, (%rdi)
	ret
	callee	sixteen
	movl	$1, (%rdi)
	movq	$0, 8(%rdi)
	ret
# As container_of() does.
	callee	before
	lea	-8(%rdi), %rax
	movl	$1, 4(%rax)
	movb	$1, (%rax)
	ret
# No end is known.
	callee	counts
	xor	%eax, %eax
1:	movb	$0, (%rdi,%rax)
	inc	%rax
	cmp	%rsi, %rax
	jne	1b
	ret
	callee	keeps
	mov	%rdi, where(%rip)
	ret
	callee	writes_kept
	mov where(%rip), %rax
	movl	$1, 8(%rax)
	ret
	callee	returns
	mov	%rdi, %rax
	ret
	callee	outside
	jmp	somewhere_else
# Through two more functions, and a spill at every step.
	callee	second
	push	%rdi
	mov	%rdi, %rax
	mov	(%rsp), %rdi
	lea	4(%rdi), %rdi
	call	four
	pop	%rdi
	ret
	callee	through
	sub	$24, %rsp
	mov	%rdi, 8(%rsp)
	mov	8(%rsp), %rdi
	call	second
	add	$24, %rsp
	ret
# What its argument points to holds a pointer: written through.
	callee	pair
	mov	(%rdi), %rax
	movl	$1, (%rax)
	ret
# Its second argument on the stack.
	callee	on_stack
	mov	16(%rsp), %rax
	movl	$1, (%rax)
	ret
# Its first as a number, its second as a pointer.
	callee	half
	mov	8(%rsp), %eax
	mov	16(%rsp), %rcx
	mov	%eax, (%rcx)
	ret
# Reads an array: one of its own, which ends where its arguments begin, or
# these.
	callee	indexed
	sub	$24, %rsp
	movl	%esi, (%rsp)
	mov	(%rsp,%rsi,8), %rax
	add	$24, %rsp
	ret
	callee	any_of
	mov	8(%rsp,%rsi,8), %rax
	movl	$1, (%rax)
	ret
# Functions that call each other.
	callee	around
	test	%esi, %esi
	jz	1f
	dec	%esi
	call	copies
1:	ret
	callee	copies
	movl	$1, (%rdi)
	jmp	around

	guarded	good_four, "lea 8(%rsp), %rdi; call four"
	guarded	good_sixteen, "lea (%rsp), %rdi; call sixteen"
# CHECK-DAG: :bad_sixteen{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_sixteen{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_sixteen{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_sixteen, "lea 8(%rsp), %rdi; call sixteen"
# CHECK-DAG: :bad_before{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_before{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_before{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_before, "lea 20(%rsp), %rdi; call before"
	guarded	good_before, "lea 32(%rsp), %rdi; call before"
# CHECK-DAG: :bad_counts{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_counts{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_counts{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_counts, "lea 8(%rsp), %rdi; call counts"
	guarded	good_counts, "lea 24(%rsp), %rdi; call counts"
# Kept by one, written by another that is given nothing.
# CHECK-DAG: :bad_kept{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_kept{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_kept{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_kept, "lea 8(%rsp), %rdi; call keeps; call writes_kept"
# CHECK-DAG: :bad_returned{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_returned{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_returned{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_returned, "lea 8(%rsp), %rdi; call returns; movl $1, 8(%rax)"
# CHECK-DAG: :bad_outside{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_outside{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_outside{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_outside, "lea 8(%rsp), %rdi; call outside"
	guarded	good_through, "lea 8(%rsp), %rdi; call through"
# CHECK-DAG: :bad_through{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_through{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_through{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_through, "lea 12(%rsp), %rdi; call through"
# CHECK-DAG: :bad_pair{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_pair{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_pair{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_pair, "lea 16(%rsp), %rax; mov %rax, 32(%rsp); lea 32(%rsp), %rdi; call pair"
# CHECK-DAG: :bad_stack{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_stack{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_stack{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_stack, "lea 16(%rsp), %rax; push %rax; push %rsi; call on_stack; add $16, %rsp"
	guarded	good_stack, "lea 8(%rsp), %rax; push %rax; push %rsi; call on_stack; add $16, %rsp"
# The first argument on the stack is not looked at.
	guarded	good_unread, "lea 16(%rsp), %rax; push %rsi; push %rax; call on_stack; add $16, %rsp"
# CHECK-DAG: :bad_around{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_around{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_around{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_around, "lea 8(%rsp), %rdi; call around"
# The address is spilled; code that is not known is given it only if it is given
# arguments on the stack, which start at %rsp.
	guarded	good_spilled, "lea 8(%rsp), %r11; mov %r11, 48(%rsp); call somewhere_else"
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_spilled{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_spilled, "lea 8(%rsp), %r11; push %r11; push %rsi; call somewhere_else; add $16, %rsp"
# A read in part of an argument on the stack: nothing is known of that one only.
	guarded	good_half, "lea 8(%rsp), %rax; push %rax; push %rsi; call half; add $16, %rsp"
# CHECK-DAG: :bad_half{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_half{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_half{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_half, "lea 8(%rsp), %rax; push %rsi; push %rax; call half; add $16, %rsp"
	guarded	good_indexed, "lea 16(%rsp), %rax; push %rsi; push %rax; call indexed; add $16, %rsp"
# CHECK-DAG: :bad_any{{.*}}: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :bad_any{{.*}}: error: {{.*}} [region-differs-on-join]
# CHECK-DAG: :bad_any{{.*}}: error: {{.*}} [region-not-left]
	guarded	bad_any, "lea 16(%rsp), %rax; push %rsi; push %rax; call any_of; add $16, %rsp"

	.bss
where:	.quad	0
