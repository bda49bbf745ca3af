/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * hoist: the source is right and the compiler breaks it.  `z' does not
 * depend on memory, so it is computed in a vector register before the
 * loop, before the first enter, and spilled.  Only the object shows it; the
 * source layer can advise that it may (simd-may-move).
 *
 * Build: the kernel's flags with SSE2 switched on ("simd"), -O1 to -O3.
 */
#include <emmintrin.h>
#include "fbsd.h"

void
bad_hoist(float *p, int n, struct thread *td, struct fpu_kern_ctx *ctx)
{
	for (int i = 0; i < n; i++) {
		fpu_kern_enter(td, ctx, FPU_KERN_NORMAL);
		__m128i z = _mm_set1_epi32(n * 3 + 1);
		_mm_storeu_si128((__m128i *)p + i, z);
		fpu_kern_leave(td, ctx);
	}
}
