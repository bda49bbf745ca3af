// RUN: %not %ksimd check --profile linux --advice %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// A loop inside an atomic region that is as long as the caller likes.
#include "lnx.h"

void	step(unsigned char *);

void
bad_all(unsigned char *p, size_t n)
{
	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: warning: the caller's 'n' says how long this loop keeps the region, in which nothing else may run [region-unbounded]
	for (size_t i = 0; i < n; i++)
		step(p + i);
	kernel_fpu_end();
}

int
good_limit(unsigned char *p, size_t n)
{
	if (n > 4096)
		return (EINVAL);
	kernel_fpu_begin();
	for (size_t i = 0; i < n; i++)
		step(p + i);
	kernel_fpu_end();
	return (0);
}

void
good_constant(unsigned char *p)
{
	kernel_fpu_begin();
	for (int i = 0; i < 16; i++)
		step(p + i);
	kernel_fpu_end();
}
