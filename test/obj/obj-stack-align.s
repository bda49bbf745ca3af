# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --check-prefixes=CHECK,LINUX --implicit-check-not='{{(warning|error)}}:'
# RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# obj-stack-align: an access that faults unless it is aligned, to a frame that
# the kernel keeps aligned to less (Linux: 8 bytes, FreeBSD: 16).
# SPDX-License-Identifier: BSD-2-Clause
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

# LINUX-DAG: :bad_on_linux+0x4: error: 'movdqa %xmm0, (%rsp)' (and 1 more) needs an address that is a multiple of 16, but the kernel keeps the stack aligned to 8 {{.*}} [obj-stack-align]
	fn bad_on_linux
	sub	$24, %rsp
	movdqa	%xmm0, (%rsp)
	paddd	(%rsp), %xmm0
	add	$24, %rsp
	end bad_on_linux

# CHECK-DAG: :bad_offset+0x4: error: {{.*}} needs an address that is a multiple of 16{{.*}} [obj-stack-align]
	fn bad_offset
	sub	$32, %rsp
	movaps	%xmm0, (%rsp)
	add	$32, %rsp
	end bad_offset

# CHECK-DAG: :bad_ymm+{{.*}}: error: {{.*}} needs an address that is a multiple of 32{{.*}} [obj-stack-align]
	fn bad_ymm
	push	%rbp
	mov	%rsp, %rbp
	and	$-16, %rsp
	sub	$32, %rsp
	vmovdqa	%ymm0, (%rsp)
	leave
	end bad_ymm

	fn good_realigned
	push	%rbp
	mov	%rsp, %rbp
	and	$-32, %rsp
	sub	$64, %rsp
	vmovdqa	%ymm0, 32(%rsp)
	movdqa	%xmm1, 16(%rsp)
	leave
	end good_realigned

	fn good_unaligned
	sub	$32, %rsp
	movdqu	%xmm0, (%rsp)
	vpaddd	8(%rsp), %xmm0, %xmm1
	add	$32, %rsp
	end good_unaligned

	fn good_elsewhere
	movdqa	%xmm0, (%rdi)
	end good_elsewhere
