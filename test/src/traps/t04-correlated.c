// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Enter and leave under conditions that agree: a parameter, a field of a
// constant record, bits of a word, two conditions at once.
#include "fbsd.h"

struct ops {
	bool	uses_fpu;
	void	(*run)(float *);
};

static void
one(float *p)
{
	p[0] = 0;
}

void
good_param(float *p, bool simd)
{
	if (simd)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	if (simd)
		p[0] += p[1];
	if (simd)
		fpu_kern_leave(curthread, NULL);
}

void
good_field(const struct ops *o, float *p)
{
	if (o->uses_fpu)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	o->run(p);
	if (o->uses_fpu)
		fpu_kern_leave(curthread, NULL);
}

void
good_bits(unsigned flags, float *p)
{
	if ((flags & 4) != 0)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	if (flags & 4)
		one(p);
	if (!(flags & 4))
		return;
	fpu_kern_leave(curthread, NULL);
}

int
good_two(int n, int m, float *p)
{
	bool use = n > 4 && m != 0;

	if (use)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	if (use) {
		one(p);
		fpu_kern_leave(curthread, NULL);
	}
	return (0);
}

// The word changes in between.
void
bad_bits(unsigned flags, float *p)
{
	if (flags & 4)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	flags >>= 1;
	// CHECK: [[#@LINE+2]]:3: error: {{.*}}[{{leave-outside-region|region-differs-on-join}}]
	if (flags & 4)
		fpu_kern_leave(curthread, NULL);
	// CHECK: [[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}
