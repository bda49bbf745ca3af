# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# obj-mmx-state: a path returns, or goes to another function, with MMX
# registers in use.  emms cleans, and so does leaving the region.
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

# CHECK-DAG: :bad_return+0x{{.*}}: warning: MMX registers are in use where the function returns; {{.*}}emms [obj-mmx-state]
# CHECK-DAG: :bad_return+0x3: note: 'movq %mm0, (%rdi)' is the last of them
	fn bad_return
	paddd	(%rdi), %mm0
	movq	%mm0, (%rdi)
	ret
	end bad_return

# CHECK-DAG: :bad_path+0x{{.*}}: warning: {{.*}} [obj-mmx-state]
	fn bad_path
	movq	(%rdi), %mm1
	test	%esi, %esi
	je	1f
	emms
1:	ret
	end bad_path

# CHECK-DAG: :bad_tail+0x{{.*}}: warning: {{.*}} [obj-mmx-state]
	fn bad_tail
	movq	(%rdi), %mm1
	jmp	elsewhere
	end bad_tail

	fn good_emms
	movq	(%rdi), %mm0
	movq	%mm0, (%rsi)
	emms
	ret
	end good_emms

	fn good_region
	push	%rbx
	call	kernel_fpu_begin
	movq	(%rbx), %mm0
	pop	%rbx
	jmp	kernel_fpu_end
	end good_region

	fn good_xmm
	movdqa	%xmm0, %xmm1
	ret
	end good_xmm
