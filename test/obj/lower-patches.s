# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Code that the kernel patches: every version is a path.  Jump labels as nop and
# as jump, alternatives with and without replacement, fixups of faults, ud2 of a
# warning and of a bug, static calls.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func label_nop section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 return %rax off 8
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 9
# CHECK-NEXT: node 4 return %rax off 12
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 3 4
	fn	label_nop
	movaps	%xmm0, %xmm1
1:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	ret
2:	movaps	%xmm0, %xmm2
	ret
	.size	label_nop, . - label_nop
	.section __jump_table, "aw", @progbits
	.long	1b - ., 2b - .
	.quad	key - .
	.text

# CHECK-LABEL: func label_jmp section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 5
# CHECK-NEXT: node 3 return %rax off 9
# CHECK-NEXT: node 4 return %rax off 8
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
	fn	label_jmp
	movaps	%xmm0, %xmm1
1:	jmp	2f
	movaps	%xmm0, %xmm2
	ret
2:	ret
	.size	label_jmp, . - label_jmp
	.section __jump_table, "aw", @progbits
	.long	1b - ., 2b - .
	.quad	key - .
	.text

# CHECK-LABEL: func alternative section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 3
# CHECK-NEXT: node 3 call new (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 3
# CHECK-NEXT: node 4 call old (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax off 3
# CHECK-NEXT: node 5 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 8
# CHECK-NEXT: node 6 return %rax off 11
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 5
# CHECK-NEXT: edge 5 6
	fn	alternative
	movaps	%xmm0, %xmm1
1:	call	old
2:	movaps	%xmm0, %xmm2
	ret
	.size	alternative, . - alternative
	.section .altinstr_replacement, "ax", @progbits
3:	call	new
4:
	.section .altinstructions, "a", @progbits
	.long	1b - ., 3b - .
	.word	100
	.byte	2b - 1b, 4b - 3b
	.text

# CHECK-LABEL: func removed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 nop off 3
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 6
# CHECK-NEXT: node 4 end off 3
# CHECK-NEXT: node 5 return %rax off 9
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	fn	removed
	movaps	%xmm0, %xmm1
1:	ud2
	nop
2:	movaps	%xmm0, %xmm2
	ret
	.size	removed, . - removed
	.section .altinstructions, "a", @progbits
	.long	1b - ., 3b - .
	.word	100
	.byte	2b - 1b, 0
	.text

# CHECK-LABEL: func faults section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = 0 off 3
# CHECK-NEXT: node 3 nop off 5
# CHECK-NEXT: node 4 return %rax off 8
# CHECK-NEXT: node 5 set %rbx = ? off 5
# CHECK-NEXT: node 6 set %rax = zext 32 %rbx off 9
# CHECK-NEXT: node 7 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 11
# CHECK-NEXT: node 8 return %rax off 14
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 5 6
# CHECK-NEXT: edge 6 7
# CHECK-NEXT: edge 7 8
	fn	faults
	movaps	%xmm0, %xmm1
	xor	%eax, %eax
1:	mov	(%rdi), %rcx
	ret
2:	mov	%ebx, %eax
	movaps	%xmm0, %xmm2
	ret
	.size	faults, . - faults
	.section __ex_table, "a", @progbits
	.long	1b - ., 2b - ., 3
	.text

# CHECK-LABEL: func warns section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call old (%rdi, %rsi, %rdx, %rcx, %r8, %r9) off 5
# CHECK-NEXT: node 3 end off 10
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	warns
	movaps	%xmm0, %xmm1
1:	ud2
	call	old
2:	ud2
	call	new
	ret
	.size	warns, . - warns
	.section __bug_table, "aw", @progbits
	.long	1b - ., 0
	.word	10, 1
	.long	2b - ., 0
	.word	20, 0
	.text

# CHECK-LABEL: func static section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "static:hook" off 3
# CHECK-NEXT: node 3 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax key "static:hook" tail off 8
# CHECK-NEXT: node 4 return %rax off 8
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	static
	movaps	%xmm0, %xmm1
1:	call	__SCT__hook
2:	jmp	__SCT__hook
	.size	static, . - static
	.section .static_call_sites, "aw", @progbits
	.long	1b - ., __SCK__hook - .
	.long	2b - ., __SCK__hook - .
	.text

	.type	bugs, @function
bugs:
	call	message
1:	ud2
	.size	bugs, . - bugs
	.section __bug_table, "aw", @progbits
	.long	1b - ., 0
	.word	30, 0
	.text

# CHECK-LABEL: func meets_bug section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call bugs (%rdi, %rsi, %rdx, %rcx, %r8, %r9) noreturn off 7
# CHECK-NEXT: node 3 return %rax off 12
# CHECK-NEXT: node 4 end off 7
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 1..0xffffffff/32
# CHECK-NEXT: edge 1 3 if %rdi in 0/32
# CHECK-NEXT: edge 2 4
	fn	meets_bug
	movaps	%xmm0, %xmm1
	test	%edi, %edi
	je	1f
	call	bugs
1:	ret
	.size	meets_bug, . - meets_bug
