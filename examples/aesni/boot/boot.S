/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From QEMU's direct boot to boot_main(), and the stubs of traps.
 *
 * 1. QEMU finds the 32-bit entry in an ELF note (PVH), and jumps there in
 *    protected mode without paging.
 * 2. Page tables are data: the first GB at 0 (for the moment of the switch)
 *    and at KERNBASE, in pages of 2 MB.
 * 3. PAE, long mode, paging; then a far jump, and a jump to KERNBASE.
 * 4. %gs points at the per-CPU area, whose first word is curthread.
 *
 * Traps use the stack of what they interrupt, as a kernel's do.  The CPU
 * aligns it, then the frame of 176 bytes covers all of the 128 that a red zone
 * would be, but for the 8 that aligning may skip.
 *
 * Reference: Xen's x86/HVM direct boot ABI; Intel SDM vol. 3A, 9.8.5.
 */
#define KERNBASE	0xffffffff80000000
#define LOW(x)		((x) - KERNBASE)

	.section .note.pvh, "a", @note
	.p2align 2
	.long	4, 4, 18	/* XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz	"Xen"
	.long	LOW(boot_start)

	.text
	.code32
	.globl	boot_start
boot_start:
	cli
	cld
	movl	$LOW(pml4), %eax
	movl	%eax, %cr3
	movl	$0x620, %eax		/* PAE, OSFXSR, OSXMMEXCPT */
	movl	%eax, %cr4
	movl	$0xc0000080, %ecx	/* EFER */
	rdmsr
	orl	$0x100, %eax		/* LME */
	wrmsr
	movl	$0x80010023, %eax	/* PG, WP, NE, MP, PE */
	movl	%eax, %cr0
	lgdt	LOW(gdt_low)
	ljmp	$8, $LOW(long_low)

	.code64
long_low:
	movq	$long_high, %rax
	jmp	*%rax
long_high:
	lgdt	gdt_high(%rip)
	movl	$16, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs
	movq	$boot_stack_end, %rsp
	movl	$0xc0000101, %ecx	/* GS.base */
	movq	$boot_pcpu, %rax
	movq	%rax, %rdx
	shrq	$32, %rdx
	wrmsr
	xorl	%ebp, %ebp
	call	boot_main
1:	hlt
	jmp	1b

/*
 * Stubs of the first 48 vectors, 16 bytes each: an error code where the CPU
 * pushes none, the vector, then what is common.
 */
	.p2align 4
	.globl	boot_stubs
boot_stubs:
	.set	vec, 0
	.rept	48
	.p2align 4
	.if	(vec == 8) || (vec >= 10 && vec <= 14) || (vec == 17) || (vec == 21)
	.else
	pushq	$0
	.endif
	pushq	$vec
	jmp	trap_common
	.set	vec, vec + 1
	.endr

	.p2align 4
trap_common:
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rbx
	pushq	%rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, %rdi
	cld
	call	boot_trap
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	popq	%rbx
	popq	%rdx
	popq	%rcx
	popq	%rax
	addq	$16, %rsp
	iretq

/*
 * uint64_t boot_call(fn, args[6], ended *): call fn; what faults in it comes
 * back through boot_abort().  *ended is 1 if it returned by itself.
 */
	.p2align 4
	.globl	boot_call
	.type	boot_call, @function
boot_call:
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rdx
	movq	%rsp, call_rsp(%rip)
	movq	%rdi, %rax
	movq	%rsi, %r10
	movq	(%r10), %rdi
	movq	8(%r10), %rsi
	movq	16(%r10), %rdx
	movq	24(%r10), %rcx
	movq	32(%r10), %r8
	movq	40(%r10), %r9
	movq	%rax, %r11
	xorl	%eax, %eax		/* variadic: no vector arguments */
	call	*%r11
	.globl	boot_call_return
boot_call_return:
	movl	$1, %ecx
1:	popq	%rdx
	movl	%ecx, (%rdx)
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.globl	boot_abort
boot_abort:
	movq	call_rsp(%rip), %rsp
	sti
	xorl	%eax, %eax
	xorl	%ecx, %ecx
	jmp	1b
	.size	boot_call, . - boot_call

	.data
	.p2align 3
call_rsp:
	.quad	0
gdt:
	.quad	0
	.quad	0x00af9b000000ffff	/* code, long mode */
	.quad	0x00cf93000000ffff	/* data */
gdt_low:
	.word	23
	.long	LOW(gdt)
	.p2align 3
	.globl	gdt_high
gdt_high:
	.word	23
	.quad	gdt
	.globl	boot_pcpu, curthread
	.p2align 3
boot_pcpu:
curthread:
	.quad	boot_thread
	.quad	0, 0, 0, 0
	.quad	0x5ca1ab1e0ddba11	/* %gs:40, the stack protector's */

	.p2align 12
pml4:
	.quad	LOW(pdpt_low) + 3
	.fill	510, 8, 0
	.quad	LOW(pdpt_high) + 3
pdpt_low:
	.quad	LOW(pd) + 3
	.fill	511, 8, 0
pdpt_high:
	.fill	510, 8, 0
	.quad	LOW(pd) + 3
	.quad	0
pd:
	.set	page, 0
	.rept	512
	.quad	page + 0x83		/* present, writable, 2 MB */
	.set	page, page + 0x200000
	.endr

	.bss
	.p2align 6
	.skip	65536
	.globl	boot_stack_end
boot_stack_end:
	.section .note.GNU-stack, "", @progbits
