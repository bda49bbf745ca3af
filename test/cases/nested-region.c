/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A region inside a region, Linux half: kernel_fpu_begin() must not nest.
 * The inner end closes the outer region, so what follows is outside.
 *
 * bad_direct	begins twice
 * bad_helper	calls, inside, a helper that begins
 * good_after	calls the helper after its own region
 *
 * Build: the kernel's flags, no SIMD ("base").  simd_work() lives in
 * another file; cases.contract says that it needs a region.
 */
#include "lnx.h"

void	simd_work(void *);

static __attribute__((noinline)) void
step(void *p)
{
	kernel_fpu_begin();
	simd_work(p);
	kernel_fpu_end();
}

void
bad_direct(void *p)
{
	kernel_fpu_begin();
	kernel_fpu_begin();
	simd_work(p);
	kernel_fpu_end();
	kernel_fpu_end();
}

void
bad_helper(void *p, void *q)
{
	kernel_fpu_begin();
	step(p);
	simd_work(q);
	kernel_fpu_end();
}

void
good_after(void *p, void *q)
{
	kernel_fpu_begin();
	simd_work(p);
	kernel_fpu_end();
	step(q);
}
