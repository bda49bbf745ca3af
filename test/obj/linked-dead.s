# RUN: %clang -c %s -o %t.o
# RUN: ld.lld --image-base=0xffffffff80200000 -e start %t.o -o %t.kernel
# RUN: %not %ksimd obj --profile linux %t.kernel 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# A linked file's own function that is called where nothing ever comes, and
# that a table of distances names: no relocation tells that.
# SPDX-License-Identifier: BSD-2-Clause
	.text
	.globl	start, kernel_fpu_begin, kernel_fpu_end
	.type	kernel_fpu_begin, @function
kernel_fpu_begin:
	ret
	.size	kernel_fpu_begin, . - kernel_fpu_begin
	.type	kernel_fpu_end, @function
kernel_fpu_end:
	ret
	.size	kernel_fpu_end, . - kernel_fpu_end
# CHECK: :opens+{{.*}}: error: {{.*}} [region-not-left]
	.type	opens, @function
opens:	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	ret
	.size	opens, . - opens
	.type	start, @function
start:	mov	%rdi, %rsi
	test	%edi, %edi
	jne	1f
	test	%esi, %esi
	je	1f
	call	opens
1:	ret
	.size	start, . - start
	.section .rodata
calls:	.long	opens - .
