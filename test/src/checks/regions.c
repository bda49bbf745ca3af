// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// The checks that sources and objects share, once each.
#include "lnx.h"

void
bad_before(float *p)
{
	// CHECK: [[#@LINE+1]]:7: error: SIMD state is used outside a region{{.*}}[simd-outside-region]
	p[0] += 1;
	kernel_fpu_begin();
	kernel_fpu_end();
}

int
bad_early(int n)
{
	kernel_fpu_begin();
	if (n > 3)
		// CHECK: [[#@LINE+3]]:3: error: returns with the region held [region-not-left]
		// CHECK: [[#@LINE-2]]:{{[0-9]+}}: note: on the path where 'n'
		// CHECK: [[#@LINE-4]]:2: note: region entered here
		return (n);
	kernel_fpu_end();
	return (0);
}

void
bad_nested(void)
{
	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: error: a region is entered inside one that must not nest [region-nested]
	kernel_fpu_begin();
	kernel_fpu_end();
	kernel_fpu_end();
}

void
bad_leave(void)
{
	// CHECK: [[#@LINE+1]]:2: error: a region is left where none is held [leave-outside-region]
	kernel_fpu_end();
}

void
bad_sleep(struct mutex *m)
{
	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: error: 'mutex_lock' is called inside an atomic region, which forbids it [region-sleeps]
	mutex_lock(m);
	kernel_fpu_end();
}

void
bad_join(int n)
{
	if (n)
		kernel_fpu_begin();
	n = may_use_simd();
	if (n)
		// CHECK: [[#@LINE+1]]:3: error: {{.*}}[{{leave-outside-region|region-differs-on-join}}]
		kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}
