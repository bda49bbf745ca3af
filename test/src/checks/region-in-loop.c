// RUN: %not %ksimd check --profile linux --advice %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// One region around the loop would do.
#include "lnx.h"

void	one(float *p);

void
bad_each(float *p, int n)
{
	for (int i = 0; i < n; i++) {
		// CHECK: [[#@LINE+1]]:3: warning: a region is entered and left in each iteration{{.*}}[region-in-loop]
		kernel_fpu_begin();
		one(p + i);
		kernel_fpu_end();
	}
}

void
good_relax(float *p, int n)
{
	for (int i = 0; i < n; i++) {
		kernel_fpu_begin();
		one(p + i);
		kernel_fpu_end();
		cond_resched();
	}
}
