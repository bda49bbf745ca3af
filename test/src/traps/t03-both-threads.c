// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// One function for both kinds of thread: entered only where it is not held.
#include "fbsd.h"

void
good_int(float *p, struct fpu_kern_ctx *c)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	p[0] += p[1];
	if (!kt)
		fpu_kern_leave(curthread, c);
}

int
good_bool(float *p, int n, struct fpu_kern_ctx *c)
{
	bool fpu_entered = false;
	int error = 0;

	if (n == 0)
		return (EINVAL);
	if (!is_fpu_kern_thread(0)) {
		fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
		fpu_entered = true;
	}
	if (n < 0)
		error = EINVAL;
	else
		p[0] += p[1];
	if (fpu_entered)
		fpu_kern_leave(curthread, c);
	return (error);
}

// Without the second test a region is left that may not be there.
void
bad_leave(float *p, struct fpu_kern_ctx *c)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	p[0] += p[1];
	// CHECK: [[#@LINE+1]]:2: error: {{.*}}[{{leave-outside-region|region-differs-on-join}}]
	fpu_kern_leave(curthread, c);
}
