// RUN: %not %ksimd check --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// A vector that outlives the region it was made in.
#include <emmintrin.h>
#include "fbsd.h"

void
bad_next(int *d, const int *s)
{
	__m128i v;

	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	v = _mm_loadu_si128((const __m128i *)s);
	fpu_kern_leave(curthread, NULL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: warning: 'v' was made in a region that has been left since [simd-crosses-region]
	_mm_storeu_si128((__m128i *)d, v);
	fpu_kern_leave(curthread, NULL);
}

int
bad_loop(const float *p, int n)
{
	float sum = 0;

	for (int i = 0; i < n; i++) {
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
		sum += p[i];
		fpu_kern_leave(curthread, NULL);
	}
	return (0);
}
// CHECK: [[#@LINE-9]]:8: error: SIMD state is used outside a region{{.*}}[simd-outside-region]

void
good_memory(int *d, const int *s, int *tmp)
{
	__m128i v;

	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	v = _mm_loadu_si128((const __m128i *)s);
	_mm_storeu_si128((__m128i *)tmp, v);
	fpu_kern_leave(curthread, NULL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	v = _mm_loadu_si128((const __m128i *)tmp);
	_mm_storeu_si128((__m128i *)d, v);
	fpu_kern_leave(curthread, NULL);
}

// Leaving a region inside of another gives back what that one had.
void
good_around(int *d, const int *s, struct fpu_kern_ctx *inner)
{
	__m128i v, w;

	fpu_kern_enter(curthread, inner, FPU_KERN_NORMAL);
	v = _mm_loadu_si128((const __m128i *)s);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	w = _mm_loadu_si128((const __m128i *)s + 1);
	_mm_storeu_si128((__m128i *)d + 1, w);
	fpu_kern_leave(curthread, NULL);
	_mm_storeu_si128((__m128i *)d, v);
	fpu_kern_leave(curthread, inner);
}

void
bad_inside(int *d, const int *s, struct fpu_kern_ctx *inner)
{
	__m128i v;

	fpu_kern_enter(curthread, inner, FPU_KERN_NORMAL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	v = _mm_loadu_si128((const __m128i *)s);
	fpu_kern_leave(curthread, NULL);
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: warning: 'v' was made in a region that has been left since [simd-crosses-region]
	_mm_storeu_si128((__m128i *)d, v);
	fpu_kern_leave(curthread, inner);
}
