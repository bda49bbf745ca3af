/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS as a first module would do it: a block at a time, one call for each,
 * XOR byte by byte, the temporary block cleared for each block.  What the
 * rework of 2012 was measured against; written from its description, for
 * bench/lists.sh only.  Whole blocks only.
 *
 * Reference: IEEE 1619-2007, 5.3.
 */
#include <wmmintrin.h>

#include "lists.h"

static void __attribute__((__noinline__))
one_block(const aes_round_keys rk, uint32_t rounds, const uint8_t *in,
    uint8_t *out)
{
	const __m128i *k = (const __m128i *)(const void *)rk;
	__m128i x;

	x = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)in),
	    k[0]);
	for (uint32_t r = 1; r < rounds; r++)
		x = _mm_aesenc_si128(x, k[r]);
	_mm_storeu_si128((__m128i *)(void *)out,
	    _mm_aesenclast_si128(x, k[rounds]));
}

/* volatile: compilers of 2012 left byte loops as they are. */
static void
xor_bytes(volatile uint8_t *out, const volatile uint8_t *a,
    const volatile uint8_t *b)
{
	for (int i = 0; i < AES_BLOCK_LEN; i++)
		out[i] = a[i] ^ b[i];
}

void
old_xts_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t t[AES_BLOCK_LEN], tmp[AES_BLOCK_LEN];

	one_block(k->twk, k->rounds, tweak, t);
	for (; len >= AES_BLOCK_LEN; len -= AES_BLOCK_LEN) {
		unsigned int carry = 0;

		xor_bytes(tmp, in, t);
		one_block(k->enc, k->rounds, tmp, out);
		xor_bytes(out, out, t);
		for (volatile uint8_t *p = tmp; p < tmp + AES_BLOCK_LEN; p++)
			*p = 0;
		for (int i = 0; i < AES_BLOCK_LEN; i++) {
			unsigned int b = t[i];

			t[i] = (uint8_t)(b << 1 | carry);
			carry = b >> 7;
		}
		if (carry)
			t[0] ^= 0x87;
		in += AES_BLOCK_LEN;
		out += AES_BLOCK_LEN;
	}
}
