// A constant that a float or vector starts with is no event in IR: nothing is
// in a register there.  What is made of it is in order, and proven.
// RUN: %clang %confine %simd -O0 -c %s -o %t.0.o && %ksimd obj --profile freebsd %t.0.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -O1 -c %s -o %t.1.o && %ksimd obj --profile freebsd %t.1.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -O3 -c %s -o %t.3.o && %ksimd obj --profile freebsd %t.3.o 2>&1 | %FileCheck %s
// CHECK: 3 regions, proven
// RUN: %clang -DMAIN -O0 -msse2 %s -o %t.plain && %t.plain >%t.plain.out
// RUN: %clang -DMAIN %confine -O3 -msse2 %s -o %t.run && %t.run >%t.run.out
// RUN: cmp %t.plain.out %t.run.out
// SPDX-License-Identifier: BSD-2-Clause
struct thread;
struct fpu_kern_ctx;
void	fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int	fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);

#define ENTER()	fpu_kern_enter((void *)1, (void *)1, 0)
#define LEAVE()	fpu_kern_leave((void *)1, (void *)1)

typedef int v4 __attribute__((vector_size(16)));

__attribute__((noinline)) void
sum(const float *data, int n, float *out)
{
	float sum = 0;

	ENTER();
	for (int i = 0; i < n; i++)
		sum += data[i];
	*out = sum;
	LEAVE();
}

// Two ways bring different constants.
__attribute__((noinline)) void
choice(int n, float *out)
{
	float start;

	if (n > 3)
		start = 2;
	else
		start = 5;
	ENTER();
	*out = start * n;
	LEAVE();
}

__attribute__((noinline)) void
vector(const v4 *data, int n, v4 *out)
{
	v4 all = { 1, 2, 3, 4 };

	ENTER();
	for (int i = 0; i < n; i++)
		all ^= data[i];
	*out = all;
	LEAVE();
}

#ifdef MAIN
#include <stdio.h>

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx, unsigned flags)
{
	(void)td, (void)ctx, (void)flags;
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	(void)td, (void)ctx;
	return (0);
}

int
main(void)
{
	static const float f[5] = { 1, 2.5, 3, -7, 11 };
	static const v4 v[3] = { { 7, 8, 9, 10 }, { 1, 1, 1, 1 }, { 5, 6, 7, 8 } };
	union { float f; unsigned u; } x;
	union { v4 v; unsigned u[4]; } y;

	for (int n = 0; n < 6; n++) {
		sum(f, n, &x.f);
		printf("%x ", x.u);
		choice(n, &x.f);
		printf("%x\n", x.u);
	}
	for (int n = 0; n < 4; n++) {
		vector(v, n, &y.v);
		printf("%x %x %x %x\n", y.u[0], y.u[1], y.u[2], y.u[3]);
	}
	return (0);
}
#endif
