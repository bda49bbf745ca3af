# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Calls that are something else: return thunks (also conditional), indirect
# thunks, a tracer's call at the entry, and calls that only push: a retpoline
# inline, a fill of the return stack buffer, a function that finds its own
# address.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func returns section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 11
# CHECK-NEXT: node 3 return %rax off 5
# CHECK-NEXT: node 4 return %rax off 14
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0/32
# CHECK-NEXT: edge 2 4
	fn	returns
	movaps	%xmm0, %xmm1
	test	%edi, %edi
	je	__x86_return_thunk
	movaps	%xmm0, %xmm2
	jmp	__x86_return_thunk
	.size	returns, . - returns

# CHECK-LABEL: func traced section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 8
# CHECK-NEXT: node 2 call __fentry__ (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 11
# CHECK-NEXT: node 3 return %rax off 16
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	traced
	call	__fentry__
	mov	%rdi, %rax
	movaps	%xmm0, %xmm1
	call	__fentry__
	jmp	__x86_return_thunk
	.size	traced, . - traced

# CHECK-LABEL: func indirect section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *%r11 (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 3
# CHECK-NEXT: node 3 call *%rax (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 8
# CHECK-NEXT: node 4 call *%rdi (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 13
# CHECK-NEXT: node 5 return %rax off 13
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	indirect
	movaps	%xmm0, %xmm1
	call	__x86_indirect_thunk_r11
	call	__x86_indirect_thunk_rax
	jmp	__x86_indirect_thunk_rdi
	.size	indirect, . - indirect

# CHECK-LABEL: func retpoline_jump section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *%rdx (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 3
# CHECK-NEXT: node 3 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	retpoline_jump
	movaps	%xmm0, %xmm1
	call	1f
2:	pause
	lfence
	jmp	2b
1:	mov	%rdx, (%rsp)
	ret
	.size	retpoline_jump, . - retpoline_jump

# CHECK-LABEL: func retpoline_call section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *%rsi (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 22
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 27
# CHECK-NEXT: node 4 return %rax off 30
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	retpoline_call
	movaps	%xmm0, %xmm1
	jmp	2f
1:	call	3f
4:	pause
	lfence
	jmp	4b
3:	mov	%rsi, (%rsp)
	ret
2:	call	1b
	movaps	%xmm0, %xmm2
	ret
	.size	retpoline_call, . - retpoline_call

# CHECK-LABEL: func fills section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 24
# CHECK-NEXT: node 3 set "-16(cfa)" = %rdi off 28
# CHECK-NEXT: node 4 set %rax = "-16(cfa)" off 29
# CHECK-NEXT: node 5 return %rax off 30
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 2
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	fills
	movaps	%xmm0, %xmm1
	mov	$8, %ecx
1:	call	2f
	int3
2:	call	3f
	int3
3:	add	$16, %rsp
	dec	%ecx
	jnz	1b
	push	%rdi
	pop	%rax
	ret
	.size	fills, . - fills

# CHECK-LABEL: func self section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-16(cfa)" = ? off 3
# CHECK-NEXT: node 3 set %rax = "-16(cfa)" off 8
# CHECK-NEXT: node 4 return %rax off 9
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	self
	movaps	%xmm0, %xmm1
	call	1f
1:	pop	%rax
	ret
	.size	self, . - self

# CHECK-LABEL: func helper_user section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call "helper_user+0x12" (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 3
# CHECK-NEXT: node 3 return %rax off 8
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	helper_user
	movaps	%xmm0, %xmm1
	call	helper_user + 18
	ret
	.p2align 2, 0x90
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	nop
	movaps	%xmm0, %xmm2
	ret
	.size	helper_user, . - helper_user
# CHECK-LABEL: func "helper_user+0x12" section{{.*}}
# CHECK: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm2"{{.*}}
