/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * i386: arguments are on the stack, the query's result is in %eax and, in
 * good_cond, in a saved register or a slot by the time of the leave.
 *
 * sum4		is the vector work
 * bad_late	calls it after the leave
 * bad_open	returns without a leave where n is negative
 * good_cond	enters and leaves unless the thread owns the FPU
 * good_int	uses integers only
 *
 * Build: the kernel's flags for i386, no SIMD ("base32").
 */
#include <emmintrin.h>
#include "fbsd.h"

__attribute__((target("sse2"), noinline))
static void
sum4(int *d, const int *s)
{
	__m128i v = _mm_loadu_si128((const __m128i *)s);

	v = _mm_add_epi32(v, _mm_loadu_si128((const __m128i *)d));
	_mm_storeu_si128((__m128i *)d, v);
}

void
bad_late(int *d, const int *s, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	sum4(d, s);
	fpu_kern_leave(curthread, c);
	sum4(d + 4, s + 4);
}

int
bad_open(int *d, const int *s, int n, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	if (n < 0)
		return (EINVAL);
	sum4(d, s);
	fpu_kern_leave(curthread, c);
	return (0);
}

void
good_cond(int *d, const int *s, int n, struct fpu_kern_ctx *c)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	for (int i = 0; i < n; i++)
		sum4(d + 4 * i, s + 4 * i);
	if (!kt)
		fpu_kern_leave(curthread, c);
}

int
good_int(const int *s, int n)
{
	int r = 0;

	for (int i = 0; i < n; i++)
		r += s[i];
	return (r);
}
