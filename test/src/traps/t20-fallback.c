// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// The scalar way where a region may not be entered.
#include "lnx.h"

int	scalar(const float *);

int
good_guard(float *p)
{
	if (!irq_fpu_usable())
		return (scalar(p));
	kernel_fpu_begin();
	p[0] += 1;
	kernel_fpu_end();
	return (0);
}

int
good_simd(float *p)
{
	if (__builtin_expect(!!(may_use_simd() && p != NULL), 1)) {
		kernel_fpu_begin();
		p[0] += 1;
		kernel_fpu_end();
		return (0);
	}
	return (scalar(p));
}

int
bad_guard(float *p)
{
	// CHECK: [[#@LINE+2]]:{{[0-9]+}}: error: SIMD state is used outside a region{{.*}}[simd-outside-region]
	if (!irq_fpu_usable())
		return ((int)p[0]);
	kernel_fpu_begin();
	p[0] += 1;
	kernel_fpu_end();
	return (0);
}
