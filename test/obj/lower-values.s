# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Values: moves of each width, constants, zero-extension, the low byte of a
# register beside the whole of it, setcc, bits picked out with and and shr, cmov,
# xchg; what else writes a register makes it unknown.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func moves section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rbx = %rdi off 3
# CHECK-NEXT: node 3 set %rbp = zext 32 %rsi off 6
# CHECK-NEXT: node 4 set %rdx = 0xffffffffffffffff off 8
# CHECK-NEXT: node 5 set %rcx = 0xffffffff off 15
# CHECK-NEXT: node 6 set %r8 = 0 off 20
# CHECK-NEXT: node 7 set %r9 = 0xffffffff off 23
# CHECK-NEXT: node 8 set %rdi = %rbx off 27
# CHECK-NEXT: node 9 set %rsi = %rbp off 30
# CHECK-NEXT: node 10 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 33
# CHECK-NEXT: node 11 set %rdi = zext 16 %rbx off 38
# CHECK-NEXT: node 12 set %rsi = zext 8 %rbp off 41
# CHECK-NEXT: node 13 set %rdx = ? off 45
# CHECK-NEXT: node 14 set %rcx = %rbx off 48
# CHECK-NEXT: node 15 set %r8 = ? off 51
# CHECK-NEXT: node 16 set %r9 = ? off 55
# CHECK-NEXT: node 17 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 59
# CHECK-NEXT: node 18 return %rax off 64
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
# CHECK-NEXT: edge 16 17
# CHECK-NEXT: edge 17 18
	fn	moves
	movaps	%xmm0, %xmm1
	mov	%rdi, %rbx
	mov	%esi, %ebp
	mov	$-1, %rdx
	mov	$-1, %ecx
	xor	%r8d, %r8d
	or	$-1, %r9d
	mov	%rbx, %rdi
	mov	%rbp, %rsi
	call	sink
	movzwl	%bx, %edi
	movzbl	%bpl, %esi
	movslq	%ebp, %rdx
	lea	(%rbx), %rcx
	lea	8(%rbx), %r8
	imul	%rbx, %r9
	call	sink
	ret
	.size	moves, . - moves

# CHECK-LABEL: func bytes section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rbx.1 = %rdi off 8
# CHECK-NEXT: node 3 set %rbx = ? off 18
# CHECK-NEXT: node 4 set %rax = zext 8 %rbx.1 off 11
# CHECK-NEXT: node 5 set %rax = %rbx off 20
# CHECK-NEXT: node 6 return %rax off 14
# CHECK-NEXT: node 7 return %rax off 23
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 1..255/8
# CHECK-NEXT: edge 1 3 if %rdi in 0/8
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
# CHECK-NEXT: edge 5 7
	fn	bytes
	movaps	%xmm0, %xmm1
	test	%dil, %dil
	je	1f
	mov	%dil, %bl
	movzbl	%bl, %eax
	ret
1:	mov	%rdi, %rbx
	mov	$1, %bh
	mov	%rbx, %rax
	ret
	.size	bytes, . - bytes

# CHECK-LABEL: func flags section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = test %rdi in 0..2/32 off 8
# CHECK-NEXT: node 3 return %rax off 11
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	flags
	movaps	%xmm0, %xmm1
	xor	%eax, %eax
	cmp	$3, %edi
	setb	%al
	ret
	.size	flags, . - flags

# CHECK-LABEL: func flags_byte section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax.1 = test %rdi in 4..0x7fffffff/32 off 6
# CHECK-NEXT: node 3 set %rax = low 8 %rax.1 off 6
# CHECK-NEXT: node 4 return %rax off 9
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	flags_byte
	movaps	%xmm0, %xmm1
	cmp	$3, %edi
	setg	%al
	ret
	.size	flags_byte, . - flags_byte

# CHECK-LABEL: func flags_slot section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "-9(cfa).1" = test %rdi in 0/64 off 6
# CHECK-NEXT: node 3 set %rax = zext 8 "-9(cfa).1" off 11
# CHECK-NEXT: node 4 return %rax off 16
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	flags_slot
	movaps	%xmm0, %xmm1
	test	%rdi, %rdi
	sete	-1(%rsp)
	movzbl	-1(%rsp), %eax
	ret
	.size	flags_slot, . - flags_slot

# CHECK-LABEL: func bits section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = test %rdi in 32..63/6 off 8
# CHECK-NEXT: node 3 return %rax off 11
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	bits
	movaps	%xmm0, %xmm1
	mov	%edi, %eax
	shr	$5, %eax
	and	$1, %eax
	ret
	.size	bits, . - bits

# CHECK-LABEL: func bit_not section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set "old %rdi" = %rdi off 3
# CHECK-NEXT: node 3 set %rdi = test "old %rdi" in 0/1 off 6
# CHECK-NEXT: node 4 set %rax = zext 32 %rdi off 9
# CHECK-NEXT: node 5 return %rax off 11
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
	fn	bit_not
	movaps	%xmm0, %xmm1
	and	$1, %edi
	xor	$1, %edi
	mov	%edi, %eax
	ret
	.size	bit_not, . - bit_not

# CHECK-LABEL: func masks section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rdi = zext 8 %rdi off 3
# CHECK-NEXT: node 3 set %rax = %rdi off 9
# CHECK-NEXT: node 4 set "old %rsi" = %rsi off 12
# CHECK-NEXT: node 5 set %rsi = ? off 12
# CHECK-NEXT: node 6 nop off 15
# CHECK-NEXT: node 7 return %rax off 20
# CHECK-NEXT: node 8 set %rax = %rsi off 17
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6 if "old %rsi" in 0..1/3
# CHECK-NEXT: edge 5 7 if "old %rsi" in 2..7/3
# CHECK-NEXT: edge 6 8 if %rsi in 0/32
# CHECK-NEXT: edge 8 7
	fn	masks
	movaps	%xmm0, %xmm1
	and	$0xff, %edi
	mov	%rdi, %rax
	and	$6, %esi
	jne	1f
	mov	%rsi, %rax
1:	ret
	.size	masks, . - masks

# CHECK-LABEL: func moves_if section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = %rdi off 3
# CHECK-NEXT: node 3 nop off 8
# CHECK-NEXT: node 4 set %rax = %rdx off 8
# CHECK-NEXT: node 5 set %rax = zext 32 %rax off 12
# CHECK-NEXT: node 6 nop off 12
# CHECK-NEXT: node 7 set %rax = zext 32 %rcx off 12
# CHECK-NEXT: node 8 return %rax off 15
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4 if %rsi in 0x80000000..0xffffffff/32
# CHECK-NEXT: edge 3 5 if %rsi in 0..0x7fffffff/32
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7 if %rsi in 0/32
# CHECK-NEXT: edge 6 8 if %rsi in 1..0xffffffff/32
# CHECK-NEXT: edge 7 8
	fn	moves_if
	movaps	%xmm0, %xmm1
	mov	%rdi, %rax
	test	%esi, %esi
	cmovs	%rdx, %rax
	cmove	%ecx, %eax
	ret
	.size	moves_if, . - moves_if

# CHECK-LABEL: func halves section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = %rdi off 3
# CHECK-NEXT: node 3 set %rax = zext 32 %rax off 9
# CHECK-NEXT: node 4 nop off 9
# CHECK-NEXT: node 5 set %rax = zext 32 %rcx off 9
# CHECK-NEXT: node 6 return %rax off 12
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5 if %rdi in 0/64
# CHECK-NEXT: edge 4 6 if %rdi in 1..0xffffffffffffffff/64
# CHECK-NEXT: edge 5 6
	fn	halves
	movaps	%xmm0, %xmm1
	mov	%rdi, %rax
	test	%rax, %rax
	cmove	%ecx, %eax
	ret
	.size	halves, . - halves

# CHECK-LABEL: func swaps section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set spare = %rdi off 3
# CHECK-NEXT: node 3 set %rdi = %rsi off 3
# CHECK-NEXT: node 4 set %rsi = spare off 3
# CHECK-NEXT: node 5 set %rax = %rsi off 11
# CHECK-NEXT: node 6 set %rax = 0 off 15
# CHECK-NEXT: node 7 return %rax off 14
# CHECK-NEXT: node 8 return %rax off 17
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5 if %rdi in 1..0xffffffffffffffff/64
# CHECK-NEXT: edge 4 6 if %rdi in 0/64
# CHECK-NEXT: edge 5 7
# CHECK-NEXT: edge 6 8
	fn	swaps
	movaps	%xmm0, %xmm1
	xchg	%rdi, %rsi
	test	%rdi, %rdi
	je	1f
	mov	%rsi, %rax
	ret
1:	xor	%eax, %eax
	ret
	.size	swaps, . - swaps

# CHECK-LABEL: func address section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rdi = &swaps off 3
# CHECK-NEXT: node 3 set %rsi = &moves off 10
# CHECK-NEXT: node 4 set %rdx = &sink off 15
# CHECK-NEXT: node 5 set %rcx = ? off 22
# CHECK-NEXT: node 6 call sink (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 29
# CHECK-NEXT: node 7 return %rax off 34
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
	fn	address
	movaps	%xmm0, %xmm1
	lea	swaps(%rip), %rdi
	mov	$moves, %esi
	mov	sink@GOTPCREL(%rip), %rdx
	lea	object(%rip), %rcx
	call	sink
	ret
	.size	address, . - address
	.data
object:	.quad	0
