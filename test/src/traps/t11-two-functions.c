// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Enter in one function, leave in another: judged where both are called.
// Cleanup attributes leave where the scope ends.
#include "lnx.h"

static void
efi_enter(void)
{
	kernel_fpu_begin();
}

static void
efi_leave(void)
{
	kernel_fpu_end();
}

static inline void
guard_end(int *g)
{
	(void)g;
	kernel_fpu_end();
}

#define scoped_fpu() int guard __attribute__((cleanup(guard_end))) =	\
	(kernel_fpu_begin(), 0)

void
good_call(float *p)
{
	efi_enter();
	p[0] += 1;
	efi_leave();
}

int
good_scope(float *p, int n)
{
	scoped_fpu();

	if (n == 0)
		return (EINVAL);
	p[n] += 1;
	return (0);
}

void
good_inner(float *p)
{
	{
		scoped_fpu();
		p[0] += 1;
	}
	p++;
}

float *
bad_after(float *p)
{
	{
		scoped_fpu();
		p[0] += 1;
	}
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: SIMD state is used outside a region{{.*}}[simd-outside-region]
	p[0] += 1;
	return (p);
}

// CHECK: [[#@LINE+4]]:2: error: a region is left where none is held [leave-outside-region]
void
bad_leave(void)
{
	efi_leave();
}
