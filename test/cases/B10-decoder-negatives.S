/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B10, negatives: nothing here touches FPU or vector registers.  Opcode
 * ranges and "VEX means AVX" are wrong guesses; every function is clean.
 * The savers in neg_state read state and leave it alone.  The bytes at
 * mask_in_text are data in .text that would decode as SSE.
 *
 * Build: assembled as is ("asm").
 */
	.text

	.globl	neg_int
	.type	neg_int, @function
neg_int:
	setb	%bl
	popcnt	%rax, %rax
	crc32q	%rax, %rdx
	movnti	%eax, (%rdi)
	movbe	(%rdi), %eax
	prefetchnta (%rdi)
	ret
	.size	neg_int, . - neg_int

	.globl	neg_vex_gpr
	.type	neg_vex_gpr, @function
neg_vex_gpr:
	andn	%rax, %rbx, %rcx
	bextr	%rax, %rbx, %rcx
	rorx	$3, %rax, %rbx
	mulx	%rax, %rbx, %rcx
	shlx	%rax, %rbx, %rcx
	pdep	%rax, %rbx, %rcx
	ret
	.size	neg_vex_gpr, . - neg_vex_gpr

	.globl	neg_vmx
	.type	neg_vmx, @function
neg_vmx:
	vmread	%rax, %rbx
	vmwrite	%rax, %rbx
	ret
	.size	neg_vmx, . - neg_vmx

	.globl	neg_state
	.type	neg_state, @function
neg_state:
	fxsave	(%rdi)
	xsave	(%rdi)
	stmxcsr	(%rsi)
	fnstcw	(%rsi)
	xgetbv
	clts
	ret
	.size	neg_state, . - neg_state

	.globl	neg_table_user
	.type	neg_table_user, @function
neg_table_user:
	lea	mask_in_text(%rip), %rax
	ret
	.size	neg_table_user, . - neg_table_user

	.p2align 4
	.type	mask_in_text, @object
mask_in_text:
	.byte	0x66, 0x0f, 0x6f, 0xc1, 0xf3, 0x0f, 0x10, 0x00
	.byte	0xd9, 0xe8, 0xd9, 0xe8, 0x0f, 0x77, 0x0f, 0x77
	.size	mask_in_text, . - mask_in_text

	.section .note.GNU-stack, "", @progbits
