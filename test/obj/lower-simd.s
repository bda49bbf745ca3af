# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# SIMD instructions of a block share a node, also over what registers get between
# them; calls, branches and another kind of event part them.  Saving and loading
# state are events of their own; look-alikes are none.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func shared section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm,ymm isa sse,aes,avx2 text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 15
# CHECK-NEXT: node 3 simd classes xmm isa sse2 text "movd %eax, %xmm3" off 20
# CHECK-NEXT: node 4 simd classes x87 isa x87 text "fld1" off 28
# CHECK-NEXT: node 5 return %rax off 32
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 3 5 if %rdi in 0/32
# CHECK-NEXT: edge 4 5
	fn	shared
	movaps	%xmm0, %xmm1
	mov	%rdi, %rax
	vpaddd	%ymm1, %ymm2, %ymm3
	aesenc	%xmm1, %xmm2
	call	sink
	movd	%eax, %xmm3
	test	%edi, %edi
	je	1f
	fld1
	fstp	%st(0)
1:	ret
	.size	shared, . - shared

# CHECK-LABEL: func states section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 save classes x87,mmx,xmm,ymm,zmm,mask,tile,mxcsr text "fxsave (%rdi)" off 3
# CHECK-NEXT: node 3 restore classes x87,mmx,xmm,mxcsr text "fxrstor (%rdi)" off 9
# CHECK-NEXT: node 4 simd classes xmm isa sse text "movaps %xmm0, %xmm1" off 14
# CHECK-NEXT: node 5 save classes mxcsr text "stmxcsr -0x04(%rsp)" off 17
# CHECK-NEXT: node 6 return %rax off 22
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	states
	movaps	%xmm0, %xmm1
	fxsave	(%rdi)
	xsave	(%rdi)
	fxrstor	(%rdi)
	emms
	movaps	%xmm0, %xmm1
	stmxcsr	-4(%rsp)
	ret
	.size	states, . - states

# CHECK-LABEL: func alike section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 3
# CHECK-NEXT: node 3 set %rdx = ? off 23
# CHECK-NEXT: node 4 set %rsi = ? off 29
# CHECK-NEXT: node 5 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 43
# CHECK-NEXT: node 6 simd classes xmm isa sse2 text "cvttsd2si (%rdi), %rax" off 48
# CHECK-NEXT: node 7 set %rax = ? off 48
# CHECK-NEXT: node 8 return %rax off 53
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
# CHECK-NEXT: edge 7 8
	fn	alike
	movaps	%xmm0, %xmm1
	call	sink
	crc32	%edi, %eax
	popcnt	%edi, %eax
	movnti	%eax, (%rdi)
	prefetcht0 (%rdi)
	xgetbv
	sete	%al
	andn	%rax, %rdi, %rsi
	rorx	$3, %rax, %rax
	lfence
	call	sink
	cvttsd2si (%rdi), %rax
	ret
	.size	alike, . - alike

# CHECK-LABEL: func written section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse,sse2 text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-32(cfa)" = %rdi off 8
# CHECK-NEXT: node 3 set "-24(cfa)" = ? off 13
# CHECK-NEXT: node 4 set %rsi = ? off 18
# CHECK-NEXT: node 5 set %rdi = "-24(cfa)" off 22
# CHECK-NEXT: node 6 set %rdx = "-32(cfa)" off 27
# CHECK-NEXT: node 7 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 32
# CHECK-NEXT: node 8 return %rax off 32
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
# CHECK-NEXT: edge 7 8
	fn	written
	movaps	%xmm0, %xmm1
	mov	%rdi, -16(%rsp)
	mov	%rdi, -24(%rsp)
	movups	%xmm0, -16(%rsp)
	movd	%xmm0, %esi
	mov	-16(%rsp), %rdi
	mov	-24(%rsp), %rdx
	jmp	sink
	.size	written, . - written
