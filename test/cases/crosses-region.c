/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A vector value outlives its region: it lies in a register, or in a spill
 * slot that a vector move reads back, wherever the compiler likes.
 *
 * bad_next	makes it in one region and uses it in the next
 * good_next	hands it over in memory
 *
 * Build: the kernel's flags with SSE2 switched on ("simd").
 */
#include <emmintrin.h>
#include "fbsd.h"

void
bad_next(int *d, const int *s, struct fpu_kern_ctx *c)
{
	__m128i v;

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	v = _mm_loadu_si128((const __m128i *)s);
	fpu_kern_leave(curthread, c);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	_mm_storeu_si128((__m128i *)d, _mm_add_epi32(v,
	    _mm_loadu_si128((const __m128i *)d)));
	fpu_kern_leave(curthread, c);
}

void
good_next(int *d, const int *s, int *tmp, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	_mm_storeu_si128((__m128i *)tmp,
	    _mm_loadu_si128((const __m128i *)s));
	fpu_kern_leave(curthread, c);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	_mm_storeu_si128((__m128i *)d,
	    _mm_add_epi32(_mm_loadu_si128((const __m128i *)tmp),
	    _mm_loadu_si128((const __m128i *)d)));
	fpu_kern_leave(curthread, c);
}
