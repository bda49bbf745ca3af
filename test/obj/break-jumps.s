# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# Jumps that are easily taken for something else: each bad function uses SIMD
# outside its region, or keeps it, on a way that only they show.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# A jump behind the enter of another function.
	fn	good_whole
	sub	$8, %rsp
	call	kernel_fpu_begin_mask
.Lmiddle:
	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	add	$8, %rsp
	ret
	.size	good_whole, . - good_whole

# CHECK-DAG: :good_whole+0xc: error: a region is left where none is held [leave-outside-region]
	fn	bad_middle
	sub	$8, %rsp
	jmp	.Lmiddle
	.size	bad_middle, . - bad_middle

# A call of enter is the last instruction, and does not end the function.
# CHECK-DAG: :bad_falls{{.*}}: error: returns with the region held [region-not-left]
	fn	bad_falls
	sub	$8, %rsp
	call	kernel_fpu_begin_mask
	.size	bad_falls, . - bad_falls
	fn	fallen
	movaps	%xmm0, %xmm1
	add	$8, %rsp
	ret
	.size	fallen, . - fallen

# Targets whose addresses only instructions make.
# CHECK-DAG: :bad_chosen{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
# CHECK-DAG: :bad_chosen{{.*}}: error: {{.*}} [region-differs-on-join]
	fn	bad_chosen
	push	%rbx
	lea	1f(%rip), %rax
	lea	2f(%rip), %rcx
	test	%edi, %edi
	cmove	%rcx, %rax
	jmp	*%rax
1:	call	kernel_fpu_begin_mask
	nop
2:	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	pop	%rbx
	ret
	.size	bad_chosen, . - bad_chosen

	fn	good_chosen
	push	%rbx
	call	kernel_fpu_begin_mask
	lea	1f(%rip), %rax
	lea	2f(%rip), %rcx
	test	%ebx, %ebx
	cmove	%rcx, %rax
	jmp	*%rax
1:	movaps	%xmm0, %xmm2
2:	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	pop	%rbx
	ret
	.size	good_chosen, . - good_chosen

# A place that a direct jump reaches as well.
# CHECK-DAG: :bad_also{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
# CHECK-DAG: :bad_also{{.*}}: error: {{.*}} [region-differs-on-join]
	fn	bad_also
	push	%rbx
	mov	labels(,%rdi,8), %rax
	cmp	$7, %esi
	je	1f
	jmp	*(%rsp,%rsi)
1:	call	kernel_fpu_begin_mask
2:	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	pop	%rbx
	ret
	.section .rodata
labels:	.quad	1b, 2b
	.text
	.size	bad_also, . - bad_also

# Distances from a label in the code.
# CHECK-DAG: :bad_distance{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
# CHECK-DAG: :bad_distance{{.*}}: error: {{.*}} [region-differs-on-join]
	fn	bad_distance
	push	%rbx
	movslq	distances(,%rdi,4), %rax
	lea	1f(%rax), %rax
	jmp	*%rax
1:	call	kernel_fpu_begin_mask
2:	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	pop	%rbx
	ret
	.section .rodata
distances: .long 0, 2b - 1b
	.text
	.size	bad_distance, . - bad_distance

# CHECK-DAG: :bad_distance_add{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
# CHECK-DAG: :bad_distance_add{{.*}}: error: {{.*}} [region-differs-on-join]
	fn	bad_distance_add
	push	%rbx
	movslq	distances2(,%rdi,4), %rax
	add	$1f, %rax
	jmp	*%rax
1:	call	kernel_fpu_begin_mask
2:	movaps	%xmm0, %xmm1
	call	kernel_fpu_end
	pop	%rbx
	ret
	.section .rodata
distances2: .long 0, 2b - 1b
	.text
	.size	bad_distance_add, . - bad_distance_add

# The frame is still there: no tail call, and nothing tells where it goes.
# CHECK-DAG: :bad_computed{{.*}}: warning: {{.*}}: a jump inside the function whose targets are not known [obj-undecodable]
	fn	bad_computed
	push	%rbx
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	lea	(%rbx,%rbx,4), %rax
	jmp	*%rax
	movaps	%xmm0, %xmm1
	pop	%rbx
	ret
	.size	bad_computed, . - bad_computed

# A return to a place that was pushed.
# CHECK-DAG: :bad_iret{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm2' [simd-outside-region]
	fn	bad_iret
	sub	$8, %rsp
	call	kernel_fpu_begin_mask
	call	kernel_fpu_end
	mov	%rsp, %rax
	push	$0
	push	%rax
	pushfq
	push	$16
	push	$1f
	iretq
1:	movaps	%xmm0, %xmm2
	add	$8, %rsp
	ret
	.size	bad_iret, . - bad_iret

# CHECK-DAG: :bad_pushed{{.*}}: warning: {{.*}}: code whose address is taken, but that no known jump leads to [obj-undecodable]
	fn	bad_pushed
	call	kernel_fpu_begin_mask
	push	$1f
	jmp	kernel_fpu_end
1:	movaps	%xmm0, %xmm1
	ret
	.size	bad_pushed, . - bad_pushed
