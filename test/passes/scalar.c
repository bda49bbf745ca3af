// Instructions that came with SSE and touch no SIMD state stay outside.
// RUN: %clang %confine %simd -msse3 -I%S/Inputs -O0 -c %s -o %t-0.o
// RUN: %clang %confine %simd -msse3 -I%S/Inputs -O2 -c %s -o %t-2.o
// RUN: %ksimd obj --profile freebsd %t-0.o %t-2.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: llvm-objdump -d --no-show-raw-insn %t-2.o | %FileCheck %s
// PROVEN: 2 regions, proven
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"
#include <pmmintrin.h>

// CHECK-LABEL: <f>:
// CHECK: lfence
// CHECK-NEXT: mov{{.*}}, (%r
// CHECK-NEXT: sfence
// CHECK-NEXT: mfence
// CHECK-DAG: mov{{.*}}, %rax
// CHECK-DAG: mov{{.*}} $0x1, %ecx
// CHECK-DAG: mov{{.*}} $0x2, %edx
// CHECK: monitor
// CHECK-DAG: mov{{.*}} $0x3, %ecx
// CHECK-DAG: mov{{.*}} $0x4, %eax
// CHECK: mwait
// CHECK: call
void
f(char *p, int n)
{
	_mm_lfence();
	*p = 5;
	_mm_sfence();
	_mm_mfence();
	_mm_monitor(p, 1, 2);
	_mm_mwait(3, 4);
	ENTER();
	FILL(p, n);
	LEAVE();
}
