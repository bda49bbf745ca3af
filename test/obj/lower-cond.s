# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Conditions: every predicate behind a comparison with a constant, a test of a
# register with itself and of bits, and arithmetic; comparisons that always or
# never hold say nothing; a place that is written before the branch is copied
# first; flags that another instruction spoils say nothing.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

# One function a predicate: taken, it returns 1.
	.macro	predicate name, jump, test:vararg
	fn	\name
	movaps	%xmm0, %xmm1
	\test
	\jump	1f
	xor	%eax, %eax
	ret
1:	mov	$1, %eax
	ret
	.size	\name, . - \name
	.endm

	.text
# CHECK-LABEL: func cmp_je section{{.*}}
# CHECK: edge 1 2 if %rdi in 6..4/32
# CHECK-NEXT: edge 1 3 if %rdi in 5/32
	predicate cmp_je, je, cmp $5, %edi
# CHECK-LABEL: func cmp_jne section{{.*}}
# CHECK: edge 1 2 if %rdi in 5/32
# CHECK-NEXT: edge 1 3 if %rdi in 6..4/32
	predicate cmp_jne, jne, cmp $5, %edi
# CHECK-LABEL: func cmp_jb section{{.*}}
# CHECK: edge 1 2 if %rdi in 5..0xffffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0..4/32
	predicate cmp_jb, jb, cmp $5, %edi
# CHECK-LABEL: func cmp_jae section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..4/32
# CHECK-NEXT: edge 1 3 if %rdi in 5..0xffffffff/32
	predicate cmp_jae, jae, cmp $5, %edi
# CHECK-LABEL: func cmp_jbe section{{.*}}
# CHECK: edge 1 2 if %rdi in 6..0xffffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0..5/32
	predicate cmp_jbe, jbe, cmp $5, %edi
# CHECK-LABEL: func cmp_ja section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..5/32
# CHECK-NEXT: edge 1 3 if %rdi in 6..0xffffffff/32
	predicate cmp_ja, ja, cmp $5, %edi
# CHECK-LABEL: func cmp_jl section{{.*}}
# CHECK: edge 1 2 if %rdi in 5..0x7fffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0x80000000..4/32
	predicate cmp_jl, jl, cmp $5, %edi
# CHECK-LABEL: func cmp_jge section{{.*}}
# CHECK: edge 1 2 if %rdi in 0x80000000..4/32
# CHECK-NEXT: edge 1 3 if %rdi in 5..0x7fffffff/32
	predicate cmp_jge, jge, cmp $5, %edi
# CHECK-LABEL: func cmp_jle section{{.*}}
# CHECK: edge 1 2 if %rdi in 6..0x7fffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0x80000000..5/32
	predicate cmp_jle, jle, cmp $5, %edi
# CHECK-LABEL: func cmp_jg section{{.*}}
# CHECK: edge 1 2 if %rdi in 0x80000000..5/32
# CHECK-NEXT: edge 1 3 if %rdi in 6..0x7fffffff/32
	predicate cmp_jg, jg, cmp $5, %edi
# CHECK-LABEL: func cmp_js section{{.*}}
# CHECK: edge 1 2 if %rdi in 5..0x80000004/32
# CHECK-NEXT: edge 1 3 if %rdi in 0x80000005..4/32
	predicate cmp_js, js, cmp $5, %edi
# CHECK-LABEL: func cmp_jns section{{.*}}
# CHECK: edge 1 2 if %rdi in 0x80000005..4/32
# CHECK-NEXT: edge 1 3 if %rdi in 5..0x80000004/32
	predicate cmp_jns, jns, cmp $5, %edi
# CHECK-LABEL: func cmp_jo section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate cmp_jo, jo, cmp $5, %edi
# CHECK-LABEL: func test_je section{{.*}}
# CHECK: edge 1 2 if %rdi in 1..0xffffffffffffffff/64
# CHECK-NEXT: edge 1 3 if %rdi in 0/64
	predicate test_je, je, test %rdi, %rdi
# CHECK-LABEL: func test_jne section{{.*}}
# CHECK: edge 1 2 if %rdi in 0/64
# CHECK-NEXT: edge 1 3 if %rdi in 1..0xffffffffffffffff/64
	predicate test_jne, jne, test %rdi, %rdi
# CHECK-LABEL: func test_js section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..0x7fffffffffffffff/64
# CHECK-NEXT: edge 1 3 if %rdi in 0x8000000000000000..0xffffffffffffffff/64
	predicate test_js, js, test %rdi, %rdi
# CHECK-LABEL: func test_jns section{{.*}}
# CHECK: edge 1 2 if %rdi in 0x8000000000000000..0xffffffffffffffff/64
# CHECK-NEXT: edge 1 3 if %rdi in 0..0x7fffffffffffffff/64
	predicate test_jns, jns, test %rdi, %rdi
# CHECK-LABEL: func test_jle section{{.*}}
# CHECK: edge 1 2 if %rdi in 1..0x7fffffffffffffff/64
# CHECK-NEXT: edge 1 3 if %rdi in 0x8000000000000000..0/64
	predicate test_jle, jle, test %rdi, %rdi
# CHECK-LABEL: func test_jg section{{.*}}
# CHECK: edge 1 2 if %rdi in 0x8000000000000000..0/64
# CHECK-NEXT: edge 1 3 if %rdi in 1..0x7fffffffffffffff/64
	predicate test_jg, jg, test %rdi, %rdi
# CHECK-LABEL: func test_ja section{{.*}}
# CHECK: edge 1 2 if %rdi in 0/64
# CHECK-NEXT: edge 1 3 if %rdi in 1..0xffffffffffffffff/64
	predicate test_ja, ja, test %rdi, %rdi
# CHECK-LABEL: func test_jb section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate test_jb, jb, test %rdi, %rdi
# CHECK-LABEL: func bits_low section{{.*}}
# CHECK: edge 1 2 if %rdi in 0/3
# CHECK-NEXT: edge 1 3 if %rdi in 1..7/3
	predicate bits_low, jne, test $7, %dil
# CHECK-LABEL: func bits_mid section{{.*}}
# CHECK: edge 1 2 if %rdi in 16..63/6
# CHECK-NEXT: edge 1 3 if %rdi in 0..15/6
	predicate bits_mid, je, test $0x30, %edi
# CHECK-LABEL: func bits_one section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..0x7fff/16
# CHECK-NEXT: edge 1 3 if %rdi in 0x8000..0xffff/16
	predicate bits_one, jne, testw $0x8000, %di
# CHECK-LABEL: func bits_gap section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate bits_gap, jne, test $0x11, %edi
# CHECK-LABEL: func bits_sign section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..0x7fffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0x80000000..0xffffffff/32
	predicate bits_sign, js, test $0x80000000, %edi
# CHECK-LABEL: func bit section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..511/10
# CHECK-NEXT: edge 1 3 if %rdi in 512..1023/10
	predicate bit, jb, bt $9, %edi
# CHECK-LABEL: func bit_reg section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate bit_reg, jb, bt %esi, %edi
# CHECK-LABEL: func never section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate never, jb, cmp $0, %edi
# CHECK-LABEL: func always section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate always, jbe, cmp $-1, %edi
# CHECK-LABEL: func minus section{{.*}}
# CHECK: edge 1 2 if %rdi in 0..0xfffffffe/32
# CHECK-NEXT: edge 1 3 if %rdi in 0xffffffff/32
	predicate minus, je, cmp $-1, %edi
# CHECK-LABEL: func minus_long section{{.*}}
# CHECK: edge 1 2 if %rdi in 0xfffffffffffffffe..0x7fffffffffffffff/64
# CHECK-NEXT: edge 1 3 if %rdi in 0x8000000000000000..0xfffffffffffffffd/64
	predicate minus_long, jl, cmp $-2, %rdi
# CHECK-LABEL: func never_less section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate never_less, jl, cmpb $-128, %dil
# CHECK-LABEL: func high section{{.*}}
# CHECK: edge 1 2 if %rax in 0..511/10
# CHECK-NEXT: edge 1 3 if %rax in 512..1023/10
	predicate high, jne, test $2, %ah
# CHECK-LABEL: func both section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	predicate both, je, cmp %esi, %edi

# CHECK-LABEL: func overwritten section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set compared = %rdi off 3
# CHECK-NEXT: node 3 set %rdi = 0 off 5
# CHECK-NEXT: node 4 set %rax = %rdi off 12
# CHECK-NEXT: node 5 set %rax = 1 off 16
# CHECK-NEXT: node 6 return %rax off 15
# CHECK-NEXT: node 7 return %rax off 21
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4 if compared in 0/32
# CHECK-NEXT: edge 3 5 if compared in 1..0xffffffff/32
# CHECK-NEXT: edge 4 6
# CHECK-NEXT: edge 5 7
	fn	overwritten
	movaps	%xmm0, %xmm1
	test	%edi, %edi
	mov	$0, %edi
	jne	1f
	mov	%rdi, %rax
	ret
1:	mov	$1, %eax
	ret
	.size	overwritten, . - overwritten

# CHECK-LABEL: func spoiled section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 5
# CHECK-NEXT: node 3 set %rax = 0 off 12
# CHECK-NEXT: node 4 set %rax = 1 off 15
# CHECK-NEXT: node 5 return %rax off 14
# CHECK-NEXT: node 6 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	fn	spoiled
	movaps	%xmm0, %xmm1
	test	%edi, %edi
	call	sink
	jne	1f
	xor	%eax, %eax
	ret
1:	mov	$1, %eax
	ret
	.size	spoiled, . - spoiled

# CHECK-LABEL: func twice section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 8
# CHECK-NEXT: node 3 set %rax = 1 off 13
# CHECK-NEXT: node 4 set %rax = 0 off 10
# CHECK-NEXT: node 5 set %rax = 2 off 19
# CHECK-NEXT: node 6 return %rax off 18
# CHECK-NEXT: node 7 return %rax off 12
# CHECK-NEXT: node 8 return %rax off 24
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 0..5/32
# CHECK-NEXT: edge 1 3 if %rdi in 6..0xffffffff/32
# CHECK-NEXT: edge 2 4 if %rdi in 6..4/32
# CHECK-NEXT: edge 2 5 if %rdi in 5/32
# CHECK-NEXT: edge 3 6
# CHECK-NEXT: edge 4 7
# CHECK-NEXT: edge 5 8
	fn	twice
	movaps	%xmm0, %xmm1
	cmp	$5, %edi
	ja	1f
	je	2f
	xor	%eax, %eax
	ret
1:	mov	$1, %eax
	ret
2:	mov	$2, %eax
	ret
	.size	twice, . - twice

# CHECK-LABEL: func constant section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 3
# CHECK-NEXT: node 3 set %rax = 0 off 12
# CHECK-NEXT: node 4 set %rax = 1 off 15
# CHECK-NEXT: node 5 return %rax off 14
# CHECK-NEXT: node 6 return %rax off 20
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3 if %rdi in 4..2/32
# CHECK-NEXT: edge 2 4 if %rdi in 3/32
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	fn	constant
	movaps	%xmm0, %xmm1
	mov	$3, %ecx
	cmp	%ecx, %edi
	je	1f
	xor	%eax, %eax
	ret
1:	mov	$1, %eax
	ret
	.size	constant, . - constant

# Behind arithmetic: what the flags say of the result.
	.macro	result name, jump, test:vararg
	fn	\name
	movaps	%xmm0, %xmm1
	\test
	\jump	1f
	xor	%eax, %eax
	ret
1:	mov	%rdi, %rax
	ret
	.size	\name, . - \name
	.endm

# CHECK-LABEL: func subtracted section{{.*}}
# CHECK: edge 2 3 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 2 4 if %rdi in 0/32
	result subtracted, je, sub $4, %edi
# CHECK-LABEL: func counted section{{.*}}
# CHECK: edge 2 3 if %rdi in 0x80000000..0xffffffff/32
# CHECK-NEXT: edge 2 4 if %rdi in 0..0x7fffffff/32
	result counted, jns, dec %edi
# CHECK-LABEL: func added section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	result added, jb, add $4, %edi
# CHECK-LABEL: func or_ed section{{.*}}
# CHECK: edge 2 3 if %rdi in 0x80000000..0/32
# CHECK-NEXT: edge 2 4 if %rdi in 1..0x7fffffff/32
	result or_ed, jg, or %esi, %edi
# CHECK-LABEL: func shifted section{{.*}}
# CHECK: edge 2 3 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 2 4 if %rdi in 0/32
	result shifted, je, shl $4, %edi
# CHECK-LABEL: func shifted_cl section{{.*}}
# CHECK: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	result shifted_cl, je, shl %cl, %edi
