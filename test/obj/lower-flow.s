# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Where a function's code goes: tail calls and conditional ones, falling into
# the next function, calls that do not come back (by the profile, by the code of
# a local function, by nothing but padding behind them), traps, cold parts in
# another section, loop and jrcxz, transactions, endless loops.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func other section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
	fn	other
	movaps	%xmm0, %xmm1
	ret
	.size	other, . - other

# CHECK-LABEL: func tails section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm2"
# CHECK-NEXT: node 2 nop off 14
# CHECK-NEXT: node 3 call other (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 5
# CHECK-NEXT: node 4 call other (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 16
# CHECK-NEXT: node 5 call *%rsi (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 21
# CHECK-NEXT: node 6 return %rax off 5
# CHECK-NEXT: node 7 return %rax off 16
# CHECK-NEXT: node 8 return %rax off 21
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0/32
# CHECK-NEXT: edge 2 4 if %rdi in 0..5/32
# CHECK-NEXT: edge 2 5 if %rdi in 6..0xffffffff/32
# CHECK-NEXT: edge 3 6
# CHECK-NEXT: edge 4 7
# CHECK-NEXT: edge 5 8
	fn	tails
	movaps	%xmm0, %xmm2
	test	%edi, %edi
	je	other
	cmp	$5, %edi
	ja	1f
	jmp	other
1:	jmp	*%rsi
	.size	tails, . - tails

# CHECK-LABEL: func falls section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm3"
# CHECK-NEXT: node 2 call next (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail
# CHECK-NEXT: node 3 return %rax
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	falls
	movaps	%xmm0, %xmm3
	.size	falls, . - falls
# CHECK-LABEL: func next section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm4"
# CHECK-NEXT: node 2 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
	fn	next
	movaps	%xmm0, %xmm4
	ret
	.size	next, . - next

# CHECK-LABEL: func stops section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm5"
# CHECK-NEXT: node 2 call unknown (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 7
# CHECK-NEXT: node 3 call unknown_end (%rdi, %rsi, %rdx, %rcx, %r8, %r9) noreturn off 13
# CHECK-NEXT: node 4 return %rax off 12
# CHECK-NEXT: node 5 end off 13
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 0/32
# CHECK-NEXT: edge 1 3 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	fn	stops
	movaps	%xmm0, %xmm5
	test	%edi, %edi
	jne	1f
	call	unknown
	ret
1:	call	unknown_end
	.size	stops, . - stops
	.p2align 4
# CHECK-LABEL: func traps section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm6"
# CHECK-NEXT: node 2 end off 7
# CHECK-NEXT: node 3 nop off 11
# CHECK-NEXT: node 4 end off 13
# CHECK-NEXT: node 5 call local_end (%rdi, %rsi, %rdx, %rcx, %r8, %r9) noreturn off 14
# CHECK-NEXT: node 6 end off 14
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 0/32
# CHECK-NEXT: edge 1 3 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 3 4 if %rsi in 0/32
# CHECK-NEXT: edge 3 5 if %rsi in 1..0xffffffff/32
# CHECK-NEXT: edge 5 6
	fn	traps
	movaps	%xmm0, %xmm6
	test	%edi, %edi
	jne	1f
	ud2
1:	test	%esi, %esi
	jne	2f
	int3
2:	call	local_end
	movaps	%xmm0, %xmm7
	ret
	.size	traps, . - traps

	.type	local_end, @function
local_end:
	test	%edi, %edi
	jne	1f
	ud2
1:	call	panic
	ret
	.size	local_end, . - local_end

# CHECK-LABEL: func parent section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm8"
# CHECK-NEXT: node 2 return %rax off 12
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm9" in "parent.cold@.text.unlikely"
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 0/32
# CHECK-NEXT: edge 1 3 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 3 2
	fn	parent
	movaps	%xmm0, %xmm8
	test	%edi, %edi
	jne	parent.cold
.Lback:	ret
	.size	parent, . - parent

# CHECK-LABEL: func loops section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm10" off 2
# CHECK-NEXT: node 2 nop off 6
# CHECK-NEXT: node 3 nop off 8
# CHECK-NEXT: node 4 set %rax = ? off 10
# CHECK-NEXT: node 5 return %rax off 19
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 1
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 5
	fn	loops
	mov	%esi, %ecx
1:	movaps	%xmm0, %xmm10
	loop	1b
	jrcxz	2f
	xbegin	2f
	xend
2:	ret
	.size	loops, . - loops

# CHECK-LABEL: func spins section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm11"
# CHECK-NEXT: node 2 nop off 4
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 2
	fn	spins
	movaps	%xmm0, %xmm11
1:	jmp	1b
	.size	spins, . - spins

	.section .text.unlikely, "ax", @progbits
	.type	parent.cold, @function
parent.cold:
	movaps	%xmm0, %xmm9
	jmp	.Lback
	.size	parent.cold, . - parent.cold
