/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B07, FreeBSD half: a region without a context (FPU_KERN_NOCTX) is a
 * critical section.  It must not sleep, and it must not allocate or free,
 * whatever the flags; a region with a context may do both.
 *
 * bad_noctx	allocates and may sleep
 * bad_nowait	allocates with M_NOWAIT: forbidden all the same
 * good_nowait	allocates before the enter
 * good_ctx	has a context
 *
 * Build: the kernel's flags, no SIMD ("base").  simd_work() lives in
 * another file; cases.contract says that it needs a region.
 */
#include "fbsd.h"

void	simd_work(void *);

void
bad_noctx(void)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	simd_work(malloc(64, M_DRV, M_WAITOK));
	fpu_kern_leave(curthread, NULL);
}

void
bad_nowait(void)
{
	void *p;

	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	p = malloc(64, M_DRV, M_NOWAIT);
	if (p != NULL)
		simd_work(p);
	fpu_kern_leave(curthread, NULL);
}

void
good_nowait(void)
{
	void *p = malloc(64, M_DRV, M_NOWAIT);

	if (p == NULL)
		return;
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	simd_work(p);
	fpu_kern_leave(curthread, NULL);
}

void
good_ctx(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(malloc(64, M_DRV, M_WAITOK));
	fpu_kern_leave(curthread, c);
}
