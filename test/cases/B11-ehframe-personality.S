/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B11, second shape: a hand-written CIE codes its personality and LSDA
 * pointers as udata4 (0x03), so .eh_frame holds R_X86_64_32.  0x1b
 * (pc-relative, sdata4) would fit.
 *
 * Build: assembled as is ("asm"); link with B11-high-half.txt.
 */
	.text
	.globl	entry, pers
	.type	entry, @function
	.type	pers, @function
entry:
	.cfi_startproc
	.cfi_personality 0x03, pers
	.cfi_lsda 0x03, tbl
	ret
	.cfi_endproc
	.size	entry, . - entry

pers:
	ret
	.size	pers, . - pers

	.section .rodata
tbl:	.long	0
	.section .note.GNU-stack, "", @progbits
