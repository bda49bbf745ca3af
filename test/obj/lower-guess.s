# RUN: %clang -c %s -o %t.ko
# RUN: %not %ksimd obj --profile linux --emit-graph=%t.ksg %t.ko 2>&1 | %FileCheck %s --check-prefix=OUT --implicit-check-not='{{(warning|error)}}:'
# RUN: %FileCheck %s < %t.ksg
# Offsets alone, in a module without types: where tables of one size meet, they
# name a member; where tables of several do, the target is unknown.
# SPDX-License-Identifier: BSD-2-Clause
# CHECK-DAG: store "path:8.16" vector
# CHECK-DAG: store "path:8.16" plain
# CHECK-DAG: store "path:8.0" ?
# CHECK-NOT: store "path:8.0" {{[a-z]}}
# OUT: :same_size+0x{{.*}}: error: 'vector' needs a region and is called outside one [simd-outside-region]
# OUT: 1 error ({{[0-9]+}} assumption{{s?}}, 1 unknown indirect call
	.macro	fn name
	.type	\name, @function
\name:
	.endm

	.text
	fn	vector
	movaps	%xmm0, %xmm1
	ret
	.size	vector, . - vector
	fn	plain
	ret
	.size	plain, . - plain

	.globl	setup, same_size, other_size
	fn	setup
	movq	$small, 8(%rdi)
	movq	$large1, 8(%rsi)
	movq	$large2, 8(%rdx)
	ret
	.size	setup, . - setup

# Only the large ones have something at 16.
	fn	same_size
	push	%rbx
	mov	%rdi, %rbx
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	mov	8(%rbx), %rax
	call	*16(%rax)
	pop	%rbx
	ret
	.size	same_size, . - same_size

	fn	other_size
	push	%rbx
	mov	%rdi, %rbx
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	mov	8(%rbx), %rax
	call	*(%rax)
	pop	%rbx
	ret
	.size	other_size, . - other_size

	.section .rodata
	.type	small, @object
small:	.quad	vector, plain
	.size	small, . - small
	.type	large1, @object
large1:	.quad	plain, plain, vector
	.size	large1, . - large1
	.type	large2, @object
large2:	.quad	plain, 0, plain
	.size	large2, . - large2

	.section ___ksymtab, "a", @progbits
	.quad	setup, same_size, other_size
	.section .gnu.linkonce.this_module, "aw", @progbits
	.type	__this_module, @object
__this_module:
	.quad	0
	.size	__this_module, . - __this_module
	.section .modinfo, "a", @progbits
	.asciz	"license=Dual BSD/GPL"
