# RUN: %clang -c %s -o %t.ko
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.ko || true
# RUN: %FileCheck %s --implicit-check-not='sym {{.*}}exported' --implicit-check-not='{{^}}store' < %t.ksg
# A module is closed: unknown code calls what its export table lists and what its
# own sections hand to the kernel; a global function is neither for that.  Only
# keys that some call has are stored, and arguments of foreign functions that the
# profile does not know are left out.
# SPDX-License-Identifier: BSD-2-Clause
# CHECK: unit {{.*}} closed{{$}}
# CHECK-DAG: sym listed exported{{$}}
# CHECK-DAG: sym unlisted addr-taken{{$}}
# CHECK-DAG: sym start addr-taken escapes text "in a section of the kernel"
# CHECK-DAG: sym stored local addr-taken{{$}}
# CHECK-DAG: sym shown local addr-taken escapes text "in exported data"
# CHECK: store "cell:ops#{{.*}}+8" stored{{$}}
# CHECK: func listed section .text
# CHECK: call foreign ()
# CHECK: call kernel_fpu_begin (%rdi, %rsi, %rdx, %rcx, %r8, %r9)
# CHECK: call *? ({{.*}}) -> %rax key "cell:ops#{{.*}}+8" tail
	.macro	fn name
	.type	\name, @function
\name:
	.endm

	.text
	.globl	listed, unlisted, start
	fn	listed
	movaps	%xmm0, %xmm1
	call	foreign
	call	kernel_fpu_begin
	jmp	*ops+8(%rip)
	.size	listed, . - listed

	fn	unlisted
	movaps	%xmm0, %xmm1
	ret
	.size	unlisted, . - unlisted

	fn	start
	movaps	%xmm0, %xmm1
	ret
	.size	start, . - start

	fn	stored
	movaps	%xmm0, %xmm1
	ret
	.size	stored, . - stored

	fn	shown
	movaps	%xmm0, %xmm1
	ret
	.size	shown, . - shown

	.data
	.type	ops, @object
ops:	.quad	0, stored, unlisted
	.size	ops, . - ops
	.type	public, @object
	.globl	public
public:	.quad	shown
	.size	public, . - public

	.section .gnu.linkonce.this_module, "aw", @progbits
	.type	__this_module, @object
__this_module:
	.quad	0, start
	.size	__this_module, . - __this_module
	.section .modinfo, "a", @progbits
	.asciz	"license=GPL"
	.section __ksymtab, "a", @progbits
	.long	listed - ., 0, 0
	.long	public - ., 0, 0
