/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A region inside a region, FreeBSD half: FPU_KERN_NOCTX must not nest.
 *
 * bad_noctx	enters twice
 * good_pairs	enters again after it left
 *
 * Build: the kernel's flags, no SIMD ("base").  simd_work() lives in
 * another file; cases.contract says that it needs a region.
 */
#include "fbsd.h"

void	simd_work(void *);

void
bad_noctx(void *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	simd_work(p);
	fpu_kern_leave(curthread, NULL);
	fpu_kern_leave(curthread, NULL);
}

void
good_pairs(void *p, void *q)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	simd_work(p);
	fpu_kern_leave(curthread, NULL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	simd_work(q);
	fpu_kern_leave(curthread, NULL);
}
