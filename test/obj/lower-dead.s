# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Functions of the object's own that return with a region held.  All have a
# call on a way that is never taken; some have another way in.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	opens name
	.type	\name, @function
\name:
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	ret
	.size	\name, . - \name
	.globl	never_\name
	.type	never_\name, @function
never_\name:
	mov	%rdi, %rsi
	test	%edi, %edi
	jne	1f
	test	%esi, %esi
	je	1f
	call	\name
1:	ret
	.size	never_\name, . - never_\name
	.endm
	.macro	func name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
	opens	good_dead

# Its address, without a relocation: stored where nobody looks, returned,
# jumped to.
# CHECK-DAG: :bad_stored+{{.*}}: error: {{.*}} [region-not-left]
	opens	bad_stored
	func	stores
	lea	bad_stored(%rip), %rax
	mov	%rax, (%rdi)
	ret
	.size	stores, . - stores
# CHECK-DAG: :bad_handed+{{.*}}: error: {{.*}} [region-not-left]
	opens	bad_handed
	func	hands
	lea	bad_handed(%rip), %r9
	mov	%r9, %rax
	ret
	.size	hands, . - hands
# CHECK-DAG: :bad_pushed+{{.*}}: error: {{.*}} [region-not-left]
	opens	bad_pushed
	func	pushes
	push	$bad_pushed
	ret
	.size	pushes, . - pushes
# CHECK-DAG: :bad_loads+{{.*}}: error: {{.*}} [region-not-left]
	opens	good_near
	func	bad_loads
	lea	good_near(%rip), %rax
	jmp	*%rax
	.size	bad_loads, . - bad_loads
# The address of a place in it.
# CHECK-DAG: :bad_inside+{{.*}}: error: {{.*}} [region-not-left]
	.type	bad_inside, @function
bad_inside:
	nop
inside:	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	ret
	.size	bad_inside, . - bad_inside
	func	never_inside
	mov	%rdi, %rsi
	test	%edi, %edi
	jne	1f
	test	%esi, %esi
	je	1f
	call	bad_inside
1:	ret
	.size	never_inside, . - never_inside
	func	stores_inside
	lea	inside(%rip), %rax
	mov	%rax, (%rdi)
	ret
	.size	stores_inside, . - stores_inside
# A distance in data.
# CHECK-DAG: :bad_initcall+{{.*}}: error: {{.*}} [region-not-left]
	opens	bad_initcall
	.section .initcall6.init, "a", @progbits
	.long	bad_initcall - .
	.text

# A call in code that the kernel patches in.
# CHECK-DAG: :bad_patched+{{.*}}: error: {{.*}} [region-not-left]
	opens	good_patched
	func	bad_patched
1:	nopl	0(%rax, %rax)
2:	ret
	.size	bad_patched, . - bad_patched
	.section .altinstr_replacement, "ax", @progbits
3:	call	good_patched
4:
	.section .altinstructions, "a", @progbits
	.long	1b - ., 3b - .
	.word	100
	.byte	2b - 1b, 4b - 3b
	.text

# Called by a function in which nothing else matters: this one enters and
# leaves, if its argument says so.
# CHECK-DAG: :bad_whole+{{.*}}: error: {{.*}} [region-not-left]
	.type	bad_whole, @function
bad_whole:
	push	%rbx
	mov	%edi, %ebx
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	test	%ebx, %ebx
	je	1f
	call	kernel_fpu_end
1:	pop	%rbx
	ret
	.size	bad_whole, . - bad_whole
	func	never_bad_whole
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	mov	%rax, %rbx
	test	%eax, %eax
	jne	1f
	test	%ebx, %ebx
	je	1f
	call	bad_whole
1:	ret
	.size	never_bad_whole, . - never_bad_whole
	func	calls
	jmp	bad_whole
	.size	calls, . - calls
