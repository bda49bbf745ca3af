# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# obj-red-zone: memory below %rsp is used, straight, through %rbp, or with an
# index where the function has no locals that an array could be.
# SPDX-License-Identifier: BSD-2-Clause
	.text
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

# CHECK-DAG: :bad_plain+0x0: error: 'mov %edi, -0x04(%rsp)' (and 1 more) reaches 4 bytes below %rsp, {{.*}}-mno-red-zone [obj-red-zone]
	fn bad_plain
	movl	%edi, -4(%rsp)
	movl	-4(%rsp), %eax
	ret
	end bad_plain

# CHECK-DAG: :bad_frame+0x4: error: {{.*}} reaches 4 bytes below %rsp, {{.*}} [obj-red-zone]
	fn bad_frame
	push	%rbp
	mov	%rsp, %rbp
	movl	%edi, -4(%rbp)
	pop	%rbp
	ret
	end bad_frame

# CHECK-DAG: :bad_deep+0x8: error: {{.*}} reaches 16 bytes below %rsp, {{.*}} [obj-red-zone]
	fn bad_deep
	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	movl	%edi, -32(%rbp)
	leave
	ret
	end bad_deep

# CHECK-DAG: :bad_copy+0x3: error: {{.*}} reaches 8 bytes below %rsp, {{.*}} [obj-red-zone]
	fn bad_copy
	mov	%rsp, %rbp
	mov	%rdi, -8(%rbp)
	ret
	end bad_copy

# CHECK-DAG: :bad_index+0x0: error: {{.*}} reaches 8 bytes below %rsp, {{.*}} [obj-red-zone]
	fn bad_index
	movb	%sil, -8(%rsp,%rdi)
	ret
	end bad_index

# CHECK-DAG: :bad_part.cold+0x0: error: {{.*}} [obj-red-zone]
	fn bad_part
	test	%edi, %edi
	je	bad_part.cold
	ret
	end bad_part
	.section .text.unlikely, "ax", @progbits
	.type	bad_part.cold, @function
bad_part.cold:
	movl	%edi, -4(%rsp)
	ret
	end bad_part.cold
	.text

	fn good_frame
	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	movl	%edi, -4(%rbp)
	leave
	ret
	end good_frame

	fn good_pushes
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	mov	%rbx, -8(%rbp)
	pop	%rbx
	pop	%rbp
	ret
	end good_pushes

# An address is no access, and a barrier adds nothing.
	fn good_address
	lea	-8(%rsp), %rax
	prefetchw -8(%rsp)
	lock addl $0, -4(%rsp)
	ret
	end good_address

# An array of the frame that is counted from one.
	fn good_from_one
	sub	$64, %rsp
	movb	%sil, -1(%rsp,%rdi)
	add	$64, %rsp
	ret
	end good_from_one

# %rbp is a pointer like any other.
	fn good_pointer
	push	%rbp
	mov	%rdi, %rbp
	movl	%esi, -8(%rbp)
	pop	%rbp
	ret
	end good_pointer
# CHECK: {{^}}{{.*}} functions, 0 regions, 6 errors (
