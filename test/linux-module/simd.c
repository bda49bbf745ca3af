// SPDX-License-Identifier: BSD-2-Clause
/* One round of AES on one block.  Callers hold a region. */
#include <wmmintrin.h>

void demo_round(unsigned char *block, const unsigned char *key);

void
demo_round(unsigned char *block, const unsigned char *key)
{
	__m128i b = _mm_loadu_si128((const __m128i *)block);
	__m128i k = _mm_loadu_si128((const __m128i *)key);

	_mm_storeu_si128((__m128i *)block, _mm_aesenc_si128(b, k));
}
