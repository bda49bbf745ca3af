/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B05: the kernel keeps its stack 8-byte aligned, one file assumes 16.
 * bad_fold then stores vectors to its frame with an aligned move and no
 * realignment of %rsp; it faults on half of all call paths.
 *
 * Build: SSE2 on; stack assumption 16 ("simd-sa16": gcc
 * -mpreferred-stack-boundary=4, an exponent; clang -mstack-alignment=16,
 * bytes) or 8 ("simd-sa8", exponent 3 or 8 bytes), where the compiler
 * realigns and the code is right.
 */
#include <emmintrin.h>

void	use(void *);

void
bad_fold(const __m128i *p)
{
	__m128i t[3];

	t[0] = _mm_xor_si128(_mm_loadu_si128(p), _mm_loadu_si128(p + 1));
	t[1] = _mm_add_epi32(t[0], t[0]);
	t[2] = _mm_sub_epi32(t[1], t[0]);
	use(t);
}
