/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B07: sleeping, allocating or faulting inside a region that must not.
 * The Linux half: bad_alloc, bad_lock, bad_copyin; good_order allocates
 * first.  The FreeBSD half (B07-sleep-in-region-fbsd.c) has the same with
 * and without a context.
 *
 * Build: the kernel's flags, no SIMD ("base").  simd_work() lives in
 * another file; cases.contract says that it needs a region.
 */
#include "lnx.h"

void	simd_work(void *);

void
bad_alloc(void)
{
	kernel_fpu_begin();
	simd_work(kmalloc(256, GFP_KERNEL));
	kernel_fpu_end();
}

void
bad_lock(struct mutex *m)
{
	kernel_fpu_begin();
	mutex_lock(m);
	simd_work(0);
	mutex_unlock(m);
	kernel_fpu_end();
}

void
bad_copyin(const void *u)
{
	char b[64];

	kernel_fpu_begin();
	if (copy_from_user(b, u, sizeof(b)) == 0)
		simd_work(b);
	kernel_fpu_end();
}

void
good_order(void)
{
	void *p = kmalloc(256, GFP_KERNEL);

	kernel_fpu_begin();
	simd_work(p);
	kernel_fpu_end();
}
