/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B22: 16-byte aligned vector access through a byte pointer that promises
 * nothing.  No check of the design covers it yet; the rows say which
 * functions need a region.  bad_load and bad_cast fault on an unaligned
 * pointer, good_load does not.
 *
 * Build: SSE2 and AES on ("simd-aes").
 */
#include <wmmintrin.h>

void
bad_load(unsigned char *blk, const unsigned char *key)
{
	__m128i k = _mm_load_si128((const __m128i *)key);

	_mm_store_si128((__m128i *)blk, _mm_aesenc_si128(k, k));
}

void
bad_cast(unsigned char *blk)
{
	*(__m128i *)blk = _mm_setzero_si128();
}

void
good_load(unsigned char *blk, const unsigned char *key)
{
	__m128i k = _mm_loadu_si128((const __m128i *)key);

	_mm_storeu_si128((__m128i *)blk, _mm_aesenc_si128(k, k));
}
