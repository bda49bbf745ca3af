/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B03: begin and end do not pair on every path.
 *
 * bad_early	returns with the region open when `fast' is true
 * bad_end_only	ends a region nobody began
 * bad_goto	reaches the end call on a path without a begin
 * good_pair	is balanced on both paths
 *
 * Build: the kernel's flags, no SIMD ("base").
 */
#include "lnx.h"

int	run(int);
int	prep(int);

int
bad_early(int fast)
{
	int r;

	kernel_fpu_begin();
	r = run(fast);
	if (fast)
		return (r);		/* still open */
	r += run(0);
	kernel_fpu_end();
	return (r);
}

int
bad_end_only(int n)
{
	int r = run(n);

	kernel_fpu_end();
	return (r);
}

int
bad_goto(int n)
{
	int r = prep(n);

	if (r < 0)
		goto out;		/* not begun yet */
	kernel_fpu_begin();
	r = run(n);
out:
	kernel_fpu_end();
	return (r);
}

int
good_pair(int fast)
{
	int r;

	kernel_fpu_begin();
	r = run(fast);
	if (!fast)
		r += run(0);
	kernel_fpu_end();
	return (r);
}
