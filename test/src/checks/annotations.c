// RUN: %not %ksimd check --profile linux %s -- %base -I%cases -I%src/include 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// KSIMD_NEEDS on a declaration, KSIMD_HELD on a definition.
#include "lnx.h"
#include "ksimd.h"

KSIMD_NEEDS void	far_away(float *);

KSIMD_HELD void
good_callback(float *p)
{
	p[0] += 1;
	far_away(p);
}

void
good_call(float *p)
{
	kernel_fpu_begin();
	far_away(p);
	kernel_fpu_end();
}

void
bad_call(float *p)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: 'far_away' needs a region and is called outside one [simd-outside-region]
	far_away(p);
}
