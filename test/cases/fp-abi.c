/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A floating-point value crosses a function boundary in code compiled
 * without SIMD.  The two sides would use different registers.
 *
 * bad_call	takes a double from another file
 * bad_param	has a float parameter
 * good_fixed	uses fixed point
 *
 * Build: the kernel's flags, no SIMD ("base"), source layer only: both
 * compilers refuse to generate code.
 */
double	clock_of(int);

int
bad_call(int id)
{
	return ((int)clock_of(id));
}

int
bad_param(float f)
{
	return ((int)f);
}

int
good_fixed(int q8)
{
	return (q8 >> 8);
}
