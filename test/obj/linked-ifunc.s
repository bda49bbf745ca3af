# RUN: %clang -c %s -o %t.o
# RUN: echo 'int x;' > %t.c && %gcc -shared -fPIC -nostdlib %t.c -o %t.so
# RUN: ld.lld -z notext -z ifunc-noplt --image-base=0xffffffff80200000 -e start --export-dynamic %t.o %t.so -o %t.kernel
# RUN: %ksimd obj --profile freebsd --fail-on error %t.kernel 2>&1 | %FileCheck %s --implicit-check-not='{{(bad|good)_[a-z]*.*needs-region}}'
# A kernel linked as FreeBSD does it: calls of an ifunc have no PLT, the loader
# writes them (.rela.dyn), and they go to what the resolver returns.
# SPDX-License-Identifier: BSD-2-Clause
	.text
	.globl	plain, simd, resolver, pick, start, needs_it, good_bracket
	.type	plain, @function
plain:	ret
	.size plain, . - plain
	.type	simd, @function
simd:	movaps %xmm0, %xmm1
	ret
	.size simd, . - simd
	.type	pick, @gnu_indirect_function
pick:	test	%edi, %edi
	lea	plain(%rip), %rax
	lea	simd(%rip), %rcx
	cmovne	%rcx, %rax
	ret
	.size pick, . - pick
	.type	needs_it, @function
needs_it:	push	%rbx
	call	pick
	pop	%rbx
	ret
	.size needs_it, . - needs_it
	.type	good_bracket, @function
good_bracket:	push	%rbx
	call	fpu_kern_enter
	call	pick
	call	fpu_kern_leave
	pop	%rbx
	ret
	.size good_bracket, . - good_bracket
	.globl fpu_kern_enter, fpu_kern_leave
	.type fpu_kern_enter, @function
	.type fpu_kern_leave, @function
fpu_kern_enter: ret
	.size fpu_kern_enter, . - fpu_kern_enter
fpu_kern_leave: ret
	.size fpu_kern_leave, . - fpu_kern_leave
# CHECK-DAG: :needs_it+0x1: note: 'needs_it' must be called inside a region: it calls 'simd' [needs-region]
# CHECK-DAG: :simd+0x0: note: {{.*}} [needs-region]
	.type	start, @function
start:	ret
	.size start, . - start
# CHECK: 8 functions, 1 region
