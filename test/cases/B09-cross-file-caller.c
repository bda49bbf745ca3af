/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B09: unguarded calls across files.  dml_calc() is in
 * B09-cross-file-simd.c and needs a region; only both files together show
 * the fault.
 *
 * bad_direct	calls it once inside and once after the region
 * bad_ops	reaches it through an ops table, no region: needs one
 * bad_tail	reaches it by a tail jump, no region: needs one
 * good		brackets the call
 *
 * Build: the kernel's flags, no SIMD ("base"); the other file "simd".
 */
#include "lnx.h"

int	dml_calc(const int *, int);

struct ops {
	int	(*validate)(const int *, int);
};

static const struct ops ops_v3 = { dml_calc };

int
bad_direct(const int *v)
{
	int r;

	kernel_fpu_begin();
	r = dml_calc(v, 4);
	kernel_fpu_end();
	return (r + dml_calc(v, 2));
}

int
bad_ops(const struct ops *o, const int *v)
{
	return (o->validate(v, 4));
}

int
bad_tail(const int *v)
{
	return (dml_calc(v, 1));
}

int
good(const int *v)
{
	int r;

	kernel_fpu_begin();
	r = dml_calc(v, 4);
	kernel_fpu_end();
	return (r);
}

const struct ops *
pick(void)
{
	return (&ops_v3);
}
