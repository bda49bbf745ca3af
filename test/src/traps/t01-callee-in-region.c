// RUN: %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// A callee that only runs inside its callers' regions is right, also when it
// returns early. That it needs a region is a note, no fault.
// CHECK: [[#@LINE+11]]:{{[0-9]+}}: note: 'cipher' must be called inside a region{{.*}}[needs-region]
#include "fbsd.h"

static __attribute__((target("sse2"), noinline)) int
cipher(float *p, int n)
{
	if (n < 0)
		return (EINVAL);
	for (int i = 0; i < n; i++) {
		if (p == NULL)
			return (EBADMSG);
		p[i] *= 2;
	}
	return (0);
}

int
good_process(float *p, int n, struct fpu_kern_ctx *c)
{
	int error;

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	error = cipher(p, n);
	fpu_kern_leave(curthread, c);
	return (error);
}
