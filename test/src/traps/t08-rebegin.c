// RUN: %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// A loop that leaves and enters again if there is more: the calls in the text
// do not pair, the paths do.
#include "lnx.h"

size_t	walk_done(size_t *);

void
good_walk(float *p, size_t n)
{
	size_t left = n;

	if (left == 0)
		return;
	kernel_fpu_begin();
	while (left != 0) {
		p[0] += p[1];
		kernel_fpu_end();
		left = walk_done(&n);
		if (left != 0)
			kernel_fpu_begin();
	}
}
