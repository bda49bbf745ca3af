// Both sides of a call have the same registers for what it passes, or there is
// no object.  What is not on is not cleared before a return either.
// RUN: %not %steps %base -O0 -DPASSED -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=PASSED
// RUN: %not %steps %base -O2 -DPASSED -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=PASSED
// RUN: %steps %base -O2 -DPASSED %without=passing -c %s -o %t.o
// RUN: %not %steps %base -O2 -DGIVEN -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GIVEN
// RUN: %steps %base -O2 -DSAME -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: %steps %simd -O2 -DCLEAR -fzero-call-used-regs=all -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: %steps %simd -O2 -DCLEAR -fzero-call-used-regs=used-arg -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"

typedef int v4si __attribute__((vector_size(16)));
#define SSE2 __attribute__((target("sse2")))

// PROVEN: 1 region, proven

#ifdef PASSED
static __attribute__((noinline)) v4si
dbl(v4si x)
{
	return (x + x);
}

SSE2 void
f(v4si *p)
{
	ENTER();
	*p = dbl(*p); // PASSED: [[#@LINE]]:{{.*}}error: {{.*}}passed to or from 'dbl
	LEAVE();
}
#elif defined GIVEN
v4si dbl(v4si x);

SSE2 void
f(v4si *p)
{
	ENTER();
	*p = dbl(*p); // GIVEN: [[#@LINE]]:{{.*}}error: {{.*}}passed to or from 'dbl'
	LEAVE();
}
#elif defined SAME
static SSE2 __attribute__((noinline)) v4si
dbl(v4si x)
{
	return (x + x);
}

SSE2 void
f(v4si *p)
{
	ENTER();
	*p = dbl(*p);
	LEAVE();
}
#elif defined CLEAR
int
outside(int a)
{
	return (a + 1);
}

void
f(v4si *p)
{
	ENTER();
	*p += *p;
	LEAVE();
}
#endif
