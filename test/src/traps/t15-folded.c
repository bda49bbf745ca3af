// RUN: %ksimd check --profile freebsd %s -- %base -I%cases -D_KERNEL 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Floating point that the compiler folds, measures or never sees.
#include "fbsd.h"

#define HZ	100
#define TICKS(s)	((int)((s) * 1.5 * HZ))

static const int table[] = { (int)(0.5 * 8), TICKS(2), sizeof(double) };

int
good_folded(int i)
{
	switch (i) {
	case TICKS(1):
		return (TICKS(3));
	}
	return (table[i & 1] + (int)sizeof(double) + (int)sizeof(1.0 * i) +
	    (2.5 > 1.0 ? 1 : 0));
}

#ifndef _KERNEL
int
user(double x)
{
	return ((int)x);
}
#endif
