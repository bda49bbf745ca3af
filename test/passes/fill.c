// What -ftrivial-auto-var-init writes into locals is not the source's SIMD.
// RUN: %clang %confine %simd -I%S/Inputs -ftrivial-auto-var-init=pattern -O2 -c %s -o %t-p.o
// RUN: %clang %confine %simd -I%S/Inputs -ftrivial-auto-var-init=zero -O2 -c %s -o %t-z.o
// RUN: %ksimd obj --profile freebsd %t-p.o %t-z.o 2>&1 | %FileCheck %s
// RUN: llvm-objdump -d --no-show-raw-insn %t-p.o | %FileCheck %s --check-prefix=FILLED
// CHECK: 2 regions, proven
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"

union both {
	__m128i	v;
	long	l[2];
};

struct mixed {
	float	a;
	int	b;
};

// FILLED-LABEL: <f>:
// FILLED: $-0x5555555555555556
// FILLED-NOT: mm{{[0-9]}}
// FILLED-LABEL: <f.region>:
int
f(int *p, int n)
{
	union both u;
	struct mixed s;

	use(&u);
	ENTER();
	s.a = n;
	s.b = n;
	use(&s);
	_mm_storeu_si128((void *)p, u.v);
	LEAVE();
	return (s.b);
}
