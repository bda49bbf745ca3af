// RUN: %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// A kernel thread that took the FPU for good needs no brackets.
#include "fbsd.h"

int	next(void);
void	done(int);

void
good_worker(void *arg)
{
	float *p = arg;

	fpu_kern_thread(FPU_KERN_NORMAL);
	while (next() != 0)
		p[0] += p[1];
	done((int)p[0]);
}
