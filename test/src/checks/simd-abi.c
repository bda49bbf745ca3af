// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Floats in the interface of code without their registers.
#include "lnx.h"

double	clock_of(int);
void	set_scale(int, float);

int
bad_result(int id)
{
	int r;

	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: warning: a float or vector is passed to or returned by 'clock_of', and this file has no registers for it [simd-abi]
	r = (int)clock_of(id);
	// CHECK: [[#@LINE+1]]:2: warning: {{.*}} 'set_scale', {{.*}}[simd-abi]
	set_scale(id, 2.0f);
	kernel_fpu_end();
	return (r);
}

// CHECK: [[#@LINE+2]]:1: warning: 'bad_param' takes or returns a float or vector, and this file has no registers for it [simd-abi]
int
bad_param(float f)
{
	return ((int)f);
}

int
good_pointer(const float *f, int n)
{
	return (n + (f != NULL));
}
