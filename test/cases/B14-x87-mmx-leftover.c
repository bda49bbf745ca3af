/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B14: -mno-sse is not "no FPU".  With the FreeBSD amd64 flags (-mno-mmx
 * -mno-sse -msoft-float) clang compiles double arithmetic to x87 and says
 * nothing; gcc refuses the same line.  -mno-80387 turns it into library
 * calls.  bad_mm shows the MMX alias of the same registers, left dirty
 * (no emms).
 *
 * Build: the kernel's flags ("base", clang only); "base-no87" adds
 * -mno-80387; "no-sse" has only -mno-sse, so MMX is on and, with gcc,
 * GCC_NO_DOUBLE must be defined.
 */
#ifndef GCC_NO_DOUBLE
int
bad_ratio(int num, int den)
{
	return ((int)((double)num / den * 3));
}
#endif

long
bad_long_double(long n)
{
	long double f = n;

	return ((long)(f / 3));
}

#ifdef __MMX__
void
bad_mm(void *d, const void *s)
{
	__asm__ volatile(
	    "movq (%1), %%mm0\n\t"
	    "paddd (%0), %%mm0\n\t"
	    "movq %%mm0, (%0)"
	    : : "r" (d), "r" (s) : "memory", "mm0");
}
#endif

int
good_ratio(int num, int den)
{
	return (num * 3 / den);
}
