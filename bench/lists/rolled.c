/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * aesni_wrap2.c as its loops would be written without thought for the
 * compiler: eight blocks in an array, a loop over them for each step, tweaks
 * doubled one by one.  Compiled at -O2 and -O3 by bench/lists.sh, to see what
 * the level does where there is something left to unroll.  Encrypts whole
 * groups of eight blocks with a 128-bit key only.
 */
#include "aesni_inline.h"
#include "lists.h"

void
rolled_xts_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	__m128i t = block(k->twk, AES_ROUNDS_128, 0, loadu(tweak));
	__m128i x[8], tw[8];

	for (; len >= 8 * AES_BLOCK_LEN; len -= 8 * AES_BLOCK_LEN) {
		for (int i = 0; i < 8; i++) {
			tw[i] = t;
			t = times_x(t);
		}
		for (int i = 0; i < 8; i++)
			x[i] = _mm_xor_si128(_mm_xor_si128(tw[i],
			    load(k->enc[0])), loadu(in + 16 * i));
		for (int r = 1; r < AES_ROUNDS_128; r++)
			for (int i = 0; i < 8; i++)
				x[i] = _mm_aesenc_si128(x[i], load(k->enc[r]));
		for (int i = 0; i < 8; i++)
			storeu(out + 16 * i, _mm_xor_si128(tw[i],
			    _mm_aesenclast_si128(x[i],
			    load(k->enc[AES_ROUNDS_128]))));
		in += 8 * AES_BLOCK_LEN;
		out += 8 * AES_BLOCK_LEN;
	}
}
