// RUN: %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Code that this configuration does not have.
#include "fbsd.h"

#define HAVE_SIMD	0

enum { simd_possible = 0 };

int
good_config(float *p, int n)
{
	if (HAVE_SIMD && n > 4)
		p[0] += 1;
	if (simd_possible)
		p[1] += 1;
	if (sizeof(long) == 4)
		return ((int)p[2]);
#ifdef __AVX__
	p[3] += 1;
#endif
	return (n);
}
