// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Functions behind tables: what a call through a field may reach is what is
// stored there. The table is this file's own.
#include "lnx.h"

struct calls {
	void	(*gen)(float *, int);
	bool	(*valid)(void);
};

static void
gen_sse(float *p, int n)
{
	kernel_fpu_begin();
	for (int i = 0; i < n; i++)
		p[i] += 1;
	kernel_fpu_end();
}

static void
gen_raw(float *p, int n)
{
	p[n] += 1;
}

static bool
valid(void)
{
	return (true);
}

static const struct calls sse = { gen_sse, valid };
static const struct calls *const all[] = { &sse, NULL };

struct raw { void (*raw)(float *, int); };
static const struct raw raw_ops = { gen_raw };

void
good_best(float *p)
{
	const struct calls *best = NULL;

	for (int i = 0; all[i] != NULL; i++)
		if (all[i]->valid())
			best = all[i];
	if (best != NULL)
		best->gen(p, 4);
}

void
good_raw(float *p)
{
	kernel_fpu_begin();
	raw_ops.raw(p, 1);
	kernel_fpu_end();
}

void
bad_raw(float *p)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: 'gen_raw' needs a region and is called outside one [simd-outside-region]
	raw_ops.raw(p, 2);
}
