# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Assembly: constants among the code are no code, with and without a type; a
# local label is no function; one function may fall into the next, and jump to
# code that no symbol names.
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
	.macro	region
	push	%rbx
	call	fpu_kern_enter
	.endm

	fn good_table
	lea	mask(%rip), %rax
	lea	.Lhidden(%rip), %rdx
	lea	local_bytes(%rip), %rcx
	ret
	end good_table
	.type	mask, @object
mask:	.byte	0x66, 0x0f, 0x6f, 0xc1, 0x0f, 0x28, 0xc1, 0xc3
	.size	mask, . - mask
.Lhidden:
	.byte	0x66, 0x0f, 0x6f, 0xc1, 0x0f, 0x28, 0xc1, 0xc3
local_bytes:
	.byte	0x66, 0x0f, 0x6f, 0xc1, 0x0f, 0x28, 0xc1, 0xc3

	fn good_loop
loop:	dec	%edi
	jne	loop
	ret
	end good_loop

# CHECK-DAG: :into+0x0: error: {{.*}} [simd-outside-region]
# CHECK-DAG: :into+0x0: note: 'into' must be called inside a region: {{.*}} [needs-region]
	fn bad_falls
	region
	call	fpu_kern_leave
	end bad_falls
	.globl	into
into:	movaps	%xmm0, %xmm1
	pop	%rbx
	ret

# CHECK-DAG: :bad_jumps+0xe: error: {{.*}} [simd-outside-region]
	fn bad_jumps
	region
	call	fpu_kern_leave
	jmp	.Ltail
	end bad_jumps
	ret
.Ltail:	movaps	%xmm0, %xmm1
	pop	%rbx
	ret
# CHECK: 2 errors (
