# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Code that symbols hide: typed as data, behind the size of its function, in a
# section without symbols.
# SPDX-License-Identifier: BSD-2-Clause
	.text
# CHECK-DAG: :.text+0x0+0xa: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
	.globl	typed
	.type	typed, @object
typed:	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	movaps	%xmm0, %xmm1
	ret
	.size	typed, . - typed

	.globl	good_caller
	.type	good_caller, @function
good_caller:
	call	typed
	ret
	.size	good_caller, . - good_caller

# CHECK-DAG: :bad_short+0xa: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm2' [simd-outside-region]
	.globl	bad_short
	.type	bad_short, @function
bad_short:
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	.size	bad_short, . - bad_short
	movaps	%xmm0, %xmm2
	ret

# CHECK-DAG: {{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm3' [simd-outside-region]
	.section .unnamed, "ax", @progbits
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	movaps	%xmm0, %xmm3
	ret
