# RUN: %clang -c %s -o %t.o
# RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
# obj-undecodable: bytes that no instruction has, where the CPU may come by, are
# reported and nothing is proven; the same bytes behind a jump are data.
# SPDX-License-Identifier: BSD-2-Clause
# CHECK: .o:bad_bytes+0x{{.*}}: warning: {{.*}} [obj-undecodable]
# CHECK: 2 functions, 0 regions, 1 warning (
	.text
	.globl bad_bytes
	.type bad_bytes, @function
bad_bytes:
	movaps	%xmm0, %xmm1
	test	%edi, %edi
	je	1f
	.byte	0x0f, 0x04, 0x0f, 0x04
1:	ret
	.size bad_bytes, . - bad_bytes

	.globl good_bytes
	.type good_bytes, @function
good_bytes:
	movaps	%xmm0, %xmm1
	jmp	1f
	.byte	0x0f, 0x04, 0x0f, 0x04
1:	ret
	.size good_bytes, . - good_bytes
