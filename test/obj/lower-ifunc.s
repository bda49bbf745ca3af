# RUN: %clang -c %s -o %t.o
# RUN: %ksimd obj --profile freebsd --emit-graph=%t.ksg %t.o || true
# RUN: %FileCheck --match-full-lines %s < %t.ksg
# RUN: %FileCheck %s --check-prefix=STORE < %t.ksg
# A call of an ifunc goes to what its resolver may return, not to the resolver.
# SPDX-License-Identifier: BSD-2-Clause
# STORE-DAG: store "ifunc:chosen" fast
# STORE-DAG: store "ifunc:chosen" slow
	.macro	fn name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.text
# CHECK-LABEL: func fast section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 return %rax off 3
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
	fn	fast
	movaps	%xmm0, %xmm1
	ret
	.size	fast, . - fast

	fn	slow
	ret
	.size	slow, . - slow

	.globl	chosen
	.type	chosen, @gnu_indirect_function
chosen:
	lea	fast(%rip), %rax
	lea	slow(%rip), %rdx
	testb	$1, features(%rip)
	cmove	%rdx, %rax
	ret
	.size	chosen, . - chosen

# CHECK-LABEL: func calls section{{.*}}
# CHECK: node 0 nop
# CHECK-NEXT: node 1 simd classes xmm isa sse text "movaps %xmm0, %xmm1"
# CHECK-NEXT: node 2 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) key "ifunc:chosen" off 3
# CHECK-NEXT: node 3 call *? (%rdi, %rsi, %rdx, %rcx, %r8, %r9) -> %rax key "ifunc:chosen" tail off 8
# CHECK-NEXT: node 4 return %rax off 8
# CHECK-NEXT: edge 0 1
# CHECK-NEXT: edge 1 2
# CHECK-NEXT: edge 2 3
# CHECK-NEXT: edge 3 4
	fn	calls
	movaps	%xmm0, %xmm1
	call	chosen
	jmp	chosen
	.size	calls, . - calls
