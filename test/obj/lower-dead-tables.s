# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# A function that is called on a way that is never taken, and whose distance is
# in a table between functions: the assembler resolved that.
# SPDX-License-Identifier: BSD-2-Clause
	.text
# CHECK: :opens+{{.*}}: error: {{.*}} [region-not-left]
	.type	opens, @function
opens:	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	ret
	.size	opens, . - opens
	.globl	never
	.type	never, @function
never:	mov	%rdi, %rsi
	test	%edi, %edi
	jne	1f
	test	%esi, %esi
	je	1f
	call	opens
1:	ret
	.size	never, . - never
	.globl	goes
	.type	goes, @function
goes:	lea	table(%rip), %rdx
	movslq	(%rdx, %rdi, 4), %rax
	add	%rdx, %rax
	jmp	*%rax
	.size	goes, . - goes
	.type	table, @object
table:	.long	opens - table
	.size	table, . - table
