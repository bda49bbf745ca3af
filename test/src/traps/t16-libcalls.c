// RUN: %ksimd check --profile freebsd %s -- %base -I%cases -mno-80387 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not=good_moves --implicit-check-not=good_half
// SPDX-License-Identifier: BSD-2-Clause
// Without any FPU the same source becomes calls of a library; the source
// check says what the source needs.
// CHECK: note: 'ratio' must be called inside a region{{.*}}[needs-region]
#include "fbsd.h"

int
ratio(int a, int b)
{
	return ((int)((double)a / b));
}

// Nor does it take one to move a float, or to store a constant.
struct limits { float low, high; double step; };

void
good_moves(struct limits *to, const struct limits *from, int n)
{
	to->low = 23;
	to->high = n < 3 ? 41.6f : 19.2f;
	to->step = from->step;
}

// Folded by the optimiser, or it would not link.
unsigned
good_half(int n)
{
	unsigned value = 0x3ff;

	if (n > 0)
		return (value * 0.5);
	return (value);
}

// CHECK: note: 'half_of' must be called inside a region{{.*}}[needs-region]
unsigned
half_of(int n)
{
	unsigned value = 0x3ff;

	if (n > 3)
		value = n;
	return (value * 0.5);
}

// CHECK: note: 'scale' must be called inside a region{{.*}}[needs-region]
void
scale(struct limits *to, int n)
{
	to->low = n;
	to->step *= 2;
}
