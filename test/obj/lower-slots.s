# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Stack slots: what is put into a slot is found again through push and pop, %rsp,
# %rbp and a realigned frame; it is lost where the slot is written in part, by an
# index, by a string instruction, by a call that is given its address, or by any
# store once the address is out.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func pushed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-24(cfa)" = %rdi off 4
# CHECK-NEXT: node 3 set %rax = "-24(cfa)" off 5
# CHECK-NEXT: node 4 return %rax off 7
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	pushed
	movaps	%xmm0, %xmm1
	push	%rbx
	push	%rdi
	pop	%rax
	pop	%rbx
	ret
	.size	pushed, . - pushed

# CHECK-LABEL: func framed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-24(cfa)" = %rdi off 11
# CHECK-NEXT: node 3 set "-32(cfa).4" = 7 off 15
# CHECK-NEXT: node 4 set %rax = "-24(cfa)" off 23
# CHECK-NEXT: node 5 nop off 31
# CHECK-NEXT: node 6 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 37
# CHECK-NEXT: node 7 return %rax off 40
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6 if "-32(cfa).4" in 7/32
# CHECK-NEXT: edge 5 7 if "-32(cfa).4" in 8..6/32
# CHECK-NEXT: edge 6 7
	fn	framed
	movaps	%xmm0, %xmm1
	push	%rbp
	mov	%rsp, %rbp
	sub	$32, %rsp
	mov	%rdi, -8(%rbp)
	movl	$7, 16(%rsp)
	mov	24(%rsp), %rax
	mov	-16(%rbp), %ecx
	leave
	cmp	$7, %ecx
	jne	1f
	movaps	%xmm0, %xmm2
1:	ret
	.size	framed, . - framed

# CHECK-LABEL: func realigned section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-56(sp2)" = %rdi off 16
# CHECK-NEXT: node 3 set %rax = "-56(sp2)" off 25
# CHECK-NEXT: node 4 return %rax off 36
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	realigned
	movaps	%xmm0, %xmm1
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	and	$-32, %rsp
	sub	$64, %rsp
	mov	%rdi, 8(%rsp)
	mov	%rsi, -8(%rbp)
	mov	8(%rsp), %rax
	lea	-8(%rbp), %rsp
	pop	%rbx
	pop	%rbp
	ret
	.size	realigned, . - realigned

# CHECK-LABEL: func parts section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-16(cfa)" = ? off 8
# CHECK-NEXT: node 3 set %rax = "-16(cfa)" off 13
# CHECK-NEXT: node 4 set "-24(cfa).1" = %rsi off 18
# CHECK-NEXT: node 5 nop off 22
# CHECK-NEXT: node 6 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 32
# CHECK-NEXT: node 7 return %rax off 35
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6 if "-24(cfa).1" in 2..0/8
# CHECK-NEXT: edge 5 7 if "-24(cfa).1" in 1/8
# CHECK-NEXT: edge 6 7
	fn	parts
	movaps	%xmm0, %xmm1
	mov	%rdi, -8(%rsp)
	movb	$0, -5(%rsp)
	mov	-8(%rsp), %rax
	mov	%esi, -16(%rsp)
	movzbl	-16(%rsp), %ecx
	cmp	$1, %ecx
	je	1f
	movaps	%xmm0, %xmm2
1:	ret
	.size	parts, . - parts

# CHECK-LABEL: func indexed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-72(cfa)" = %rdi off 8
# CHECK-NEXT: node 3 nop off 22
# CHECK-NEXT: node 4 set %rax = "-72(cfa)" off 32
# CHECK-NEXT: node 5 return %rax off 37
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 5
	fn	indexed
	movaps	%xmm0, %xmm1
	mov	%rdi, -8(%rsp)
	mov	%rdi, -64(%rsp)
	movq	$0, -32(%rsp,%rsi,8)
	mov	-8(%rsp), %rcx
	test	%rcx, %rcx
	jz	1f
	mov	-64(%rsp), %rax
1:	ret
	.size	indexed, . - indexed

# CHECK-LABEL: func strings section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-48(cfa)" = %rsi off 12
# CHECK-NEXT: node 3 set %rax = 0 off 21
# CHECK-NEXT: node 4 nop off 31
# CHECK-NEXT: node 5 set %rax = "-48(cfa)" off 41
# CHECK-NEXT: node 6 return %rax off 49
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 4 6
# CHECK-NEXT: edge 5 6
	fn	strings
	movaps	%xmm0, %xmm1
	sub	$40, %rsp
	mov	%rsi, 32(%rsp)
	mov	%rsi, (%rsp)
	lea	8(%rsp), %rdi
	xor	%eax, %eax
	mov	$2, %ecx
	rep stosq
	mov	32(%rsp), %rdx
	test	%rdx, %rdx
	jz	1f
	mov	(%rsp), %rax
1:	add	$40, %rsp
	ret
	.size	strings, . - strings

# CHECK-LABEL: func passed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-48(cfa)" = %rsi off 8
# CHECK-NEXT: node 3 set %rbx = %rsi off 17
# CHECK-NEXT: node 4 call first (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 20
# CHECK-NEXT: node 5 set %rdi = ? off 25
# CHECK-NEXT: node 6 call second (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 30
# CHECK-NEXT: node 7 set "-32(cfa)" = ? off 30
# CHECK-NEXT: node 8 set "-24(cfa)" = %rbx off 35
# CHECK-NEXT: node 9 call third (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 40
# CHECK-NEXT: node 10 set %rdi = "-48(cfa)" off 45
# CHECK-NEXT: node 11 set %rsi = "-32(cfa)" off 49
# CHECK-NEXT: node 12 set %rdx = "-24(cfa)" off 54
# CHECK-NEXT: node 13 call fourth (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 59
# CHECK-NEXT: node 14 set "-24(cfa)" = ? off 69
# CHECK-NEXT: node 15 set %rax = "-24(cfa)" off 75
# CHECK-NEXT: node 16 return %rax off 85
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
# CHECK-NEXT: edge 7 8
# CHECK-NEXT: edge 8 9
# CHECK-NEXT: edge 9 10
# CHECK-NEXT: edge 10 11
# CHECK-NEXT: edge 11 12
# CHECK-NEXT: edge 12 13
# CHECK-NEXT: edge 13 14
# CHECK-NEXT: edge 14 15
# CHECK-NEXT: edge 15 16
	fn	passed
	movaps	%xmm0, %xmm1
	push	%rbx
	sub	$32, %rsp
	mov	%rsi, (%rsp)
	mov	%rsi, 16(%rsp)
	mov	%rsi, %rbx
	call	first
	lea	8(%rsp), %rdi
	call	second
	mov	%rbx, 24(%rsp)
	call	third
	mov	(%rsp), %rdi
	mov	16(%rsp), %rsi
	mov	24(%rsp), %rdx
	call	fourth
	mov	%rbx, 24(%rsp)
	movl	$1, (%rax)
	mov	24(%rsp), %rax
	add	$32, %rsp
	pop	%rbx
	ret
	.size	passed, . - passed

# CHECK-LABEL: func kept section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-32(cfa)" = %rsi off 7
# CHECK-NEXT: node 3 set %rax = "-32(cfa)" off 24
# CHECK-NEXT: node 4 nop off 28
# CHECK-NEXT: node 5 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 38
# CHECK-NEXT: node 6 return %rax off 45
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 4 6
# CHECK-NEXT: edge 5 6
	fn	kept
	movaps	%xmm0, %xmm1
	sub	$24, %rsp
	mov	%rsi, (%rsp)
	mov	%rsi, 16(%rsp)
	lea	8(%rsp), %rax
	mov	%rax, (%rdi)
	mov	(%rsp), %rax
	mov	16(%rsp), %rcx
	test	%rcx, %rcx
	jz	1f
	movaps	%xmm0, %xmm2
1:	add	$24, %rsp
	ret
	.size	kept, . - kept

# CHECK-LABEL: func joined section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 8
# CHECK-NEXT: node 3 set %rax = ? off 29
# CHECK-NEXT: node 4 return %rax off 34
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	joined
	movaps	%xmm0, %xmm1
	mov	%rsi, -8(%rsp)
	lea	-16(%rsp), %rax
	test	%edi, %edi
	je	1f
	lea	-24(%rsp), %rax
1:	movq	$0, (%rax)
	mov	-8(%rsp), %rax
	ret
	.size	joined, . - joined

# CHECK-LABEL: func unbalanced section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call pops_one (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 8
# CHECK-NEXT: node 3 set %rax = ? off 17
# CHECK-NEXT: node 4 return %rax off 22
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	unbalanced
	movaps	%xmm0, %xmm1
	mov	%rsi, -8(%rsp)
	call	pops_one
	sub	$8, %rsp
	mov	-8(%rsp), %rax
	ret
	.size	unbalanced, . - unbalanced

# CHECK-LABEL: func variable section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-24(cfa)" = %rsi off 7
# CHECK-NEXT: node 3 set "0(sp2)" = ? off 11
# CHECK-NEXT: node 4 set %rcx = "0(sp2)" off 14
# CHECK-NEXT: node 5 nop off 18
# CHECK-NEXT: node 6 set %rax = "-24(cfa)" off 27
# CHECK-NEXT: node 7 return %rax off 32
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6 if %rcx in 0/64
# CHECK-NEXT: edge 5 3 if %rcx in 1..0xffffffffffffffff/64
# CHECK-NEXT: edge 6 7
	fn	variable
	movaps	%xmm0, %xmm1
	push	%rbp
	mov	%rsp, %rbp
	mov	%rsi, -8(%rbp)
1:	sub	%rdi, %rsp
	mov	(%rsp), %rcx
	mov	%rsi, (%rsp)
	test	%rcx, %rcx
	jnz	1b
	mov	-8(%rbp), %rax
	leave
	ret
	.size	variable, . - variable
