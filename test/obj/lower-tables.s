# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile linux --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# Jump tables: absolute entries by index, through a register and through a base
# register; distances from the table; entries that a comparison bounds; entries
# that a linker would take for another function's; computed goto.
# SPDX-License-Identifier: BSD-2-Clause
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func direct section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = zext 32 %rdi off 8
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm4" off 25
# CHECK-NEXT: node 4 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 17
# CHECK-NEXT: node 5 simd classes xmm isa sse text "movaps %xmm0, %xmm3" off 21
# CHECK-NEXT: node 6 return %rax off 28
# CHECK-NEXT: node 7 return %rax off 20
# CHECK-NEXT: node 8 return %rax off 24
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2 if %rdi in 0..1/32
# CHECK-NEXT: edge 1 3 if %rdi in 2..0xffffffff/32
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 2 5
# CHECK-NEXT: edge 3 6
# CHECK-NEXT: edge 4 7
# CHECK-NEXT: edge 5 8
	fn	direct
	movaps	%xmm0, %xmm1
	cmp	$1, %edi
	ja	3f
	mov	%edi, %eax
	jmp	*.Ldirect(,%rax,8)
1:	movaps	%xmm0, %xmm2
	ret
2:	movaps	%xmm0, %xmm3
	ret
3:	movaps	%xmm0, %xmm4
	ret
	.size	direct, . - direct
	.section .rodata
	.p2align 3
.Ldirect:
	.quad	1b, 2b
	.quad	3b		# beyond the bound: another table's
	.text

# CHECK-LABEL: func loaded section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = ? off 5
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 15
# CHECK-NEXT: node 4 simd classes xmm isa sse text "movaps %xmm0, %xmm3" off 19
# CHECK-NEXT: node 5 return %rax off 18
# CHECK-NEXT: node 6 return %rax off 22
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	fn	loaded
	movaps	%xmm0, %xmm1
	mov	%edi, %eax
	mov	.Lloaded(,%rax,8), %rax
	jmp	*%rax
1:	movaps	%xmm0, %xmm2
	ret
2:	movaps	%xmm0, %xmm3
	ret
	.size	loaded, . - loaded
	.section .rodata
.Lloaded:
	.quad	1b, 2b, 1b
	.quad	direct		# not inside: the table ends
	.text

# CHECK-LABEL: func relative section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 set %rax = ? off 16
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 21
# CHECK-NEXT: node 4 simd classes xmm isa sse text "movaps %xmm0, %xmm3" off 25
# CHECK-NEXT: node 5 return %rax off 24
# CHECK-NEXT: node 6 return %rax off 28
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
# CHECK-NEXT: edge 4 6
	fn	relative
	movaps	%xmm0, %xmm1
	mov	%edi, %eax
	lea	.Lrelative(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	movaps	%xmm0, %xmm2
	ret
2:	movaps	%xmm0, %xmm3
	ret
	.size	relative, . - relative
	.section .rodata
.Lrelative:
	.long	1b - .Lrelative, 2b - .Lrelative
	.long	0
	.text

# CHECK-LABEL: func based section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 13
# CHECK-NEXT: node 3 return %rax off 16
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	based
	movaps	%xmm0, %xmm1
	lea	.Lbased(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
1:	movaps	%xmm0, %xmm2
	ret
	.size	based, . - based
	.section .rodata
	.p2align 3
.Lbased:
	.quad	1b
	.text

# CHECK-LABEL: func computed section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *%rdi (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax tail off 3
# CHECK-NEXT: node 3 simd classes xmm isa sse text "movaps %xmm0, %xmm2" off 5
# CHECK-NEXT: node 4 return %rax off 3
# CHECK-NEXT: node 5 return %rax off 8
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 1 3
# CHECK-NEXT: edge 2 4
# CHECK-NEXT: edge 3 5
	fn	computed
	movaps	%xmm0, %xmm1
	jmp	*%rdi
1:	movaps	%xmm0, %xmm2
	ret
	.size	computed, . - computed
	.data
	.quad	1b
	.text

# CHECK-LABEL: func pointers section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax key "tab:.rodata#4@{{.*}}" tail off 3
# CHECK-NEXT: node 3 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
	fn	pointers
	movaps	%xmm0, %xmm1
	jmp	*.Lpointers(,%rdi,8)
	.size	pointers, . - pointers
	.section .rodata
	.p2align 3
.Lpointers:
	.quad	direct, loaded
