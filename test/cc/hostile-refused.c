// Floats that would be passed or kept outside, at the line where they are.
// RUN: rm -f %t.o && %not %ksimd cc --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -O2 -c %s -o %t.o 2>&1 | %FileCheck %s && %not ls %t.o
// RUN: rm -f %t.o && %not %ksimd cc --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -O0 -g -DVARIADIC -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VARIADIC && %not ls %t.o
// RUN: rm -f %t.o && %not %ksimd cc --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -O2 -g -DVARIADIC -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VARIADIC && %not ls %t.o
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"

#ifndef VARIADIC
void	other(double);

void
across(double *p, int n)
{
	double d;

	ENTER();
	d = *p * n;
	LEAVE();
	other(d); // CHECK-DAG: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region: 'call of double'
}

static __attribute__((noinline)) void
helper(double d, int *p)
{
	*p = (int)d;
}

void
param(int *p, int n)
{
	double d;

	ENTER();
	d = n * .5;
	LEAVE();
	helper(d, p); // CHECK-DAG: [[#@LINE]]:{{.*}}error: 'helper' needs a region and is called outside one
}

void
wide(long double *p, int n)
{
	ENTER();
	FILL(p + 1, n);
	LEAVE();
	p[0] = p[2]; // CHECK-DAG: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region: 'store of x86_fp80'
}

void
clobber(int *p, int n)
{
	ENTER();
	FILL(p, n);
	LEAVE();
	asm volatile("paddd %%xmm1,%%xmm0" ::: "xmm0"); // CHECK-DAG: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region: 'assembly'
}

void
operand(float *p, int n)
{
	ENTER();
	FILL(p, n);
	LEAVE();
	asm volatile("nop" :: "x"(*p)); // CHECK-DAG: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region: 'assembly'
}
#else
// The bracket function saves no vector registers at its entry: what it read
// there would be anything.
void
read_double(double *p, int n, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, n);
	ENTER();
	*p = __builtin_va_arg(ap, double); // VARIADIC-DAG: [[#@LINE]]:{{.*}}error: float or vector among the variable arguments of a function that enters or leaves a region in 'read_double'
	LEAVE();
	__builtin_va_end(ap);
}

void
read_vector(int *p, int n, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, n);
	ENTER();
	_mm_storeu_si128((void *)p, __builtin_va_arg(ap, __m128i)); // VARIADIC-DAG: [[#@LINE]]:{{.*}}error: float or vector among the variable arguments of a function that enters or leaves a region in 'read_vector'
	LEAVE();
	__builtin_va_end(ap);
}

static __attribute__((noinline)) double
sum(__builtin_va_list ap)
{
	return (__builtin_va_arg(ap, double) + __builtin_va_arg(ap, double));
}

void
pass_on(double *p, int n, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, n);
	ENTER();
	*p = sum(ap); // VARIADIC-DAG: [[#@LINE]]:{{.*}}error: variable arguments of a function that enters or leaves a region are passed to one that needs it in 'pass_on'
	LEAVE();
	__builtin_va_end(ap);
}
#endif
