/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * hoist, fixed: the vector work is a function of its own that the compiler
 * may neither inline nor look through.  The caller passes integers and
 * pointers only, so it has nothing to keep in a vector register.
 *
 * Build: the kernel's flags with SSE2 switched on ("simd"), -O1 to -O3.
 */
#include <emmintrin.h>
#include "fbsd.h"

#ifdef __clang__
#define KEEP_OUT	__attribute__((noinline))
#else
#define KEEP_OUT	__attribute__((noinline, noipa))
#endif

static void KEEP_OUT
fill16(float *p, int v)
{
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(v));
}

void
good_hoist(float *p, int n, struct thread *td, struct fpu_kern_ctx *ctx)
{
	for (int i = 0; i < n; i++) {
		fpu_kern_enter(td, ctx, FPU_KERN_NORMAL);
		fill16(p + 4 * i, n * 3 + 1);
		fpu_kern_leave(td, ctx);
	}
}
