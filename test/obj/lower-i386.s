# RUN: %clang -m32 -c %s -o %t.o
# RUN: %ksimd obj --profile freebsd --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# i386: parameters and arguments on the stack, by push and by mov; results in
# %eax; 32-bit registers and slots; a PC-relative thunk by call and pop.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func pushes section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 3
# CHECK-NEXT: node 2 set "-20(cfa)" = 4 off 9
# CHECK-NEXT: node 3 set "-24(cfa)" = "4(cfa)" off 11
# CHECK-NEXT: node 4 set "-28(cfa)" = ? off 14
# CHECK-NEXT: node 5 call fpu_kern_enter ("-28(cfa)", "-24(cfa)", "-20(cfa)", "-16(cfa)") -> %eax off 20
# CHECK-NEXT: node 6 return %eax off 29
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	pushes
	push	%ebp
	mov	%esp, %ebp
	movaps	%xmm0, %xmm1
	sub	$8, %esp
	push	$4
	push	12(%ebp)
	push	table
	call	fpu_kern_enter
	add	$20, %esp
	pop	%ebp
	ret
	.size	pushes, . - pushes

# CHECK-LABEL: func stores section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 3
# CHECK-NEXT: node 2 set %eax = "0(cfa)" off 6
# CHECK-NEXT: node 3 set "-32(cfa)" = %eax off 10
# CHECK-NEXT: node 4 set "-28(cfa)" = 0 off 13
# CHECK-NEXT: node 5 call fpu_kern_leave ("-32(cfa)", "-28(cfa)", "-24(cfa)", "-20(cfa)") -> %eax off 21
# CHECK-NEXT: node 6 return %eax off 29
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	stores
	sub	$28, %esp
	movaps	%xmm0, %xmm1
	mov	32(%esp), %eax
	mov	%eax, (%esp)
	movl	$0, 4(%esp)
	call	fpu_kern_leave
	add	$28, %esp
	ret
	.size	stores, . - stores

# CHECK-LABEL: func kept section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set "-8(cfa)" = %ebx
# CHECK-NEXT: node 2 call is_fpu_kern_thread ("-16(cfa)", "-12(cfa)", "-8(cfa)", "-4(cfa)") -> %eax off 4
# CHECK-NEXT: node 3 set "-12(cfa)" = %eax off 9
# CHECK-NEXT: node 4 set %ebx = %eax off 13
# CHECK-NEXT: node 5 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 19
# CHECK-NEXT: node 6 nop off 27
# CHECK-NEXT: node 7 set %eax = %ebx off 29
# CHECK-NEXT: node 8 return %eax off 35
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5 if %eax in 0/32
# CHECK-NEXT: edge 4 6 if %eax in 1..0xffffffff/32
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7 if "-12(cfa)" in 1..0xffffffff/32
# CHECK-NEXT: edge 6 8 if "-12(cfa)" in 0/32
# CHECK-NEXT: edge 7 8
	fn	kept
	push	%ebx
	sub	$8, %esp
	call	is_fpu_kern_thread
	mov	%eax, 4(%esp)
	mov	%eax, %ebx
	test	%eax, %eax
	jne	1f
	movaps	%xmm0, %xmm1
1:	cmpl	$0, 4(%esp)
	je	2f
	mov	%ebx, %eax
2:	add	$8, %esp
	pop	%ebx
	ret
	.size	kept, . - kept

# CHECK-LABEL: func small section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 set "0(cfa).1" = "0(cfa)"
# CHECK-NEXT: node 2 set "4(cfa).2" = "4(cfa)"
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 4 set %eax = zext 16 "4(cfa).2" off 10
# CHECK-NEXT: node 5 set %eax = "4(cfa)" off 16
# CHECK-NEXT: node 6 return %eax off 15
# CHECK-NEXT: node 7 return %eax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4 if "0(cfa).1" in 1..255/8
# CHECK-NEXT: edge 3 5 if "0(cfa).1" in 0/8
# CHECK-NEXT: edge 4 6
# CHECK-NEXT: edge 5 7
	fn	small
	movaps	%xmm0, %xmm1
	cmpb	$0, 4(%esp)
	je	1f
	movzwl	8(%esp), %eax
	ret
1:	mov	8(%esp), %eax
	ret
	.size	small, . - small

# CHECK-LABEL: func leaves section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %eax = ? off 3
# CHECK-NEXT: node 3 set "0(cfa)" = %eax off 8
# CHECK-NEXT: node 4 call *? ("0(cfa)", "4(cfa)", "8(cfa)", "12(cfa)") -> %eax key "at:table+0.8" tail off 12
# CHECK-NEXT: node 5 return %eax off 12
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	leaves
	movaps	%xmm0, %xmm1
	mov	table, %eax
	mov	%eax, 4(%esp)
	jmp	*8(%eax)
	.size	leaves, . - leaves

# CHECK-LABEL: func own section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-8(cfa)" = ? off 3
# CHECK-NEXT: node 3 set %ecx = "-8(cfa)" off 8
# CHECK-NEXT: node 4 set %eax = %ecx off 9
# CHECK-NEXT: node 5 return %eax off 11
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	own
	movaps	%xmm0, %xmm1
	call	1f
1:	pop	%ecx
	mov	%ecx, %eax
	ret
	.size	own, . - own

	.data
	.globl	table
table:	.long	0
