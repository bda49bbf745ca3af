// RUN: %ksimd check --profile freebsd %s -- %base -I%cases -mno-80387 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
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
