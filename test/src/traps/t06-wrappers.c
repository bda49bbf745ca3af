// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Brackets in macros: a pair of macros that open and close a block, a
// statement expression, a local alias, a wrapper that takes the body.
#include "lnx.h"

#define WALK_START(n)	do { int left = (n); kernel_fpu_begin();	\
			    while (left-- > 0) {
#define WALK_END()	} kernel_fpu_end(); } while (0)

#define GUARDED(call) ({ int r_; kernel_fpu_begin(); r_ = (call);		\
			    kernel_fpu_end(); r_; })

#define my_begin	kernel_fpu_begin

int	sum(const int *, int);

static __attribute__((noinline)) int
half(float *p)
{
	return ((int)(p[0] * 0.5f));
}

void
good_pair(float *p, int n)
{
	WALK_START(n)
		p[left] += 1;
	WALK_END();
}

int
good_expression(float *p)
{
	return (GUARDED(half(p)) + 1);
}

void
good_alias(float *p)
{
	my_begin();
	p[0] += 1;
	kernel_fpu_end();
}

int
bad_expression(float *p)
{
	// CHECK: [[#@LINE+1]]:29: error: 'half' needs a region and is called outside one [simd-outside-region]
	return (GUARDED(half(p)) + half(p));
}
