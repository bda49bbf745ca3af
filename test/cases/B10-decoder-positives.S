/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B10, positives: every function uses FPU or vector registers and needs a
 * region.  pos_state and pos_restore load state over the user's: a use, as
 * no profile calls them machinery.  pos_via names no register, but VIA's
 * crypto unit wants the FPU enabled; both instructions are spelt in bytes.
 *
 * Build: assembled as is ("asm").
 */
	.text

	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	end name
	ret
	.size	\name, . - \name
	.endm

	fn	pos_sse
	movd	%eax, %xmm0
	cvtsi2sd %eax, %xmm1
	aesenc	%xmm1, %xmm0
	pextrq	$1, %xmm0, %rax
	movmskps %xmm0, %eax
	end	pos_sse

	fn	pos_vex
	vzeroupper
	vpclmulqdq $0, %xmm0, %xmm1, %xmm2
	vmovdqu	%ymm3, (%rdi)
	end	pos_vex

	fn	pos_evex
	vpxorq	%zmm16, %zmm16, %zmm16
	vmovdqu64 (%rsi), %zmm31
	end	pos_evex

	/* mask registers are extended state, too */
	fn	pos_mask
	kmovb	%eax, %k1
	kortestw %k1, %k1
	end	pos_mask

	fn	pos_x87
	fld1
	fistpl	(%rdi)
	fnstsw	%ax
	end	pos_x87

	fn	pos_mmx
	movq	%rax, %mm0
	maskmovq %mm0, %mm1
	emms
	end	pos_mmx

	fn	pos_one_vzeroupper
	vzeroupper
	end	pos_one_vzeroupper

	fn	pos_state
	ldmxcsr	(%rdi)
	fninit
	end	pos_state

	fn	pos_restore
	fxrstor	(%rdi)
	xrstor	(%rdi)
	fldcw	(%rsi)
	end	pos_restore

	fn	pos_via
	.byte	0x0f, 0xa7, 0xc0		/* xstore */
	.byte	0xf3, 0x0f, 0xa7, 0xc8		/* rep xcrypt-ecb */
	end	pos_via

	.section .note.GNU-stack, "", @progbits
