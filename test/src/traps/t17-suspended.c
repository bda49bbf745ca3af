// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Left for a while: the callback runs outside, then the region goes on; a
// chunk point leaves and enters.
#include "fbsd.h"

void	kernel_fpu_begin(void);
void	kernel_fpu_end(void);
void	lkpi_fpu_safe_exec(void (*)(void *), void *);

static void
allocate(void *arg)
{
	*(void **)arg = malloc(64, M_DRV, M_WAITOK);
}

static void
scale(void *arg)
{
	*(float *)arg *= 2;
}

void
good_exec(float *p)
{
	void *q;

	kernel_fpu_begin();
	p[0] += 1;
	lkpi_fpu_safe_exec(allocate, &q);
	p[1] += 1;
	kernel_fpu_end();
}

void
good_chunks(float *p, int n)
{
	kernel_fpu_begin();
	for (int i = 0; i < n; i++) {
		p[i] += 1;
		if (i % 64 == 63) {
			kernel_fpu_end();
			kernel_fpu_begin();
		}
	}
	kernel_fpu_end();
}

void
bad_exec(float *p)
{
	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: error: 'scale' needs a region and is called outside one [simd-outside-region]
	lkpi_fpu_safe_exec(scale, p);
	kernel_fpu_end();
}
