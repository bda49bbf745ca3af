// RUN: %clang -c %s -o %t.o && %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s
// RUN: %clang -m32 -c %s -o %t.32.o && %ksimd obj --profile linux %t.32.o 2>&1 | %FileCheck %s
// RUN: %clang -DDATA -c %s -o %t.o && %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --check-prefix=DATA
// RUN: %clang -m32 -DDATA -c %s -o %t.32.o && %not %ksimd obj --profile linux %t.32.o 2>&1 | %FileCheck %s --check-prefix=DATA
// What fills the gaps between functions is no table that could name one that
// only dead code calls.
// SPDX-License-Identifier: BSD-2-Clause
// CHECK-NOT: {{(warning|error)}}:
// CHECK: proven
// DATA: :good_dead+{{.*}}: error: {{.*}} [region-not-left]
	.text
	.type	good_dead, @function
good_dead:
	call	kernel_fpu_begin
	movaps	%xmm0, %xmm1
	ret
	.size	good_dead, . - good_dead
// nop by length; in 32-bit code lea 0(%esi,%eiz), %esi, too.
	.byte	0x90
	.byte	0x66, 0x90
	.byte	0x0f, 0x1f, 0x00
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	.byte	0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x02, 0x00, 0x00
	.byte	0xcc, 0xcc, 0
#ifdef __i386__
	.byte	0x8d, 0x76, 0x00
	.byte	0x8d, 0x74, 0x26, 0x00
	.byte	0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00
#endif
#ifdef DATA
	.byte	0x12
#endif
	.globl	never
	.type	never, @function
never:
	mov	%edi, %esi
	test	%edi, %edi
	jne	1f
	test	%esi, %esi
	je	1f
	call	good_dead
1:	ret
	.size	never, . - never
	.p2align 6
