/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with VAES on 256-bit registers, 16 blocks at a time.  See aes_xts.h.
 *
 * A SIMD file: compiled with -maes -mvaes -mvpclmulqdq -mavx2, for CPUs and
 * systems without AVX-512, and called inside the FPU region only, where XCR0
 * has the state of YMM registers enabled.  Calls nothing, touches only its
 * arguments and the stack.
 *
 * 1. VAESENC does a round on the two blocks of a register; eight registers in
 *    flight cover its latency.  The other eight registers hold a round key and
 *    the tweak arithmetic; tweaks and last keys wait on the stack.
 * 2. Of the three vector ports two do VAESENC, so that 7 other operations for
 *    each register of data (10 rounds, or 14) limit the loop: XOR of data,
 *    first key and tweak (2), of last key and tweak (1), the next tweak (4).
 *    They are spread over the rounds.
 * 3. A register's next tweak is its own times x^16, as there are 16 blocks
 *    between; how, see aesni_vaes512.c.
 *
 * Invariants and limits: as in aesni_vaes512.c.
 *
 * Reference: IEEE 1619-2007; FIPS 197; Intel SDM vol. 2, VAESENC, VPCLMULQDQ.
 */

#include <immintrin.h>

#include "aesni_inline.h"

#define LANES	2			/* blocks of a register */
#define GROUP	(8 * LANES)		/* blocks in flight */

INLINE __m256i
load2(const uint8_t *p)
{
	return (_mm256_loadu_si256((const __m256i *)(const void *)p));
}

INLINE void
store2(uint8_t *p, __m256i x)
{
	_mm256_storeu_si256((__m256i *)(void *)p, x);
}

/* A round key in both lanes. */
INLINE __m256i
key2(const uint8_t *p)
{
	return (_mm256_broadcastsi128_si256(load(p)));
}

INLINE __m256i
round2(__m256i x, __m256i key, int dec)
{
	return (dec ? _mm256_aesdec_epi128(x, key) :
	    _mm256_aesenc_epi128(x, key));
}

INLINE __m256i
last2(__m256i x, __m256i key, int dec)
{
	return (dec ? _mm256_aesdeclast_epi128(x, key) :
	    _mm256_aesenclast_epi128(x, key));
}

/* x^7 + x^2 + x + 1, in the low half of each lane. */
INLINE __m256i
poly(void)
{
	return (_mm256_setr_epi32(0x87, 0, 0, 0, 0x87, 0, 0, 0));
}

/* Each lane times x^n, n from 0 to 7, given in both halves of a lane. */
INLINE __m256i
times_bits(__m256i t, __m256i n)
{
	__m256i carry = _mm256_srlv_epi64(t,
	    _mm256_sub_epi64(_mm256_set1_epi64x(64), n));

	return (_mm256_xor_si256(_mm256_sllv_epi64(t, n),
	    _mm256_xor_si256(_mm256_bslli_epi128(carry, 8),
	    _mm256_clmulepi64_epi128(carry, poly(), 0x01))));
}

/* Each lane times x^(8 m), m from 1 to 7: a macro, shifts want constants. */
#define TIMES_BYTES(t, m)						\
	_mm256_xor_si256(_mm256_bslli_epi128((t), (m)),			\
	    _mm256_clmulepi64_epi128(_mm256_bsrli_epi128((t), 16 - (m)), \
	    poly(), 0x00))

/* The first tweaks: register j has T x^(2 j) and T x^(2 j + 1). */
INLINE void
first_tweaks(__m256i tw[8], __m128i t)
{
	__m256i all = _mm256_broadcastsi128_si256(t);

	tw[0] = times_bits(all, _mm256_setr_epi64x(0, 0, 1, 1));
	tw[1] = times_bits(all, _mm256_setr_epi64x(2, 2, 3, 3));
	tw[2] = times_bits(all, _mm256_setr_epi64x(4, 4, 5, 5));
	tw[3] = times_bits(all, _mm256_setr_epi64x(6, 6, 7, 7));
	tw[4] = TIMES_BYTES(tw[0], 1);
	tw[5] = TIMES_BYTES(tw[1], 1);
	tw[6] = TIMES_BYTES(tw[2], 1);
	tw[7] = TIMES_BYTES(tw[3], 1);
}

/* As many groups as there are, then registers; the rest is the caller's. */
INLINE __m128i
bulk(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t **inp, uint8_t **outp, size_t *blocks)
{
	const uint8_t *in = *inp;
	uint8_t *out = *outp;
	size_t n = *blocks;
	__m256i tw[8], last[8], key, x0, x1, x2, x3, x4, x5, x6, x7;

	if (n < LANES)
		return (t);
	first_tweaks(tw, t);
#define LOAD(j)								\
	x##j = _mm256_xor_si256(_mm256_xor_si256(tw[j], key2(rk[0])),	\
	    load2(in + LANES * AES_BLOCK_LEN * (j)));			\
	last[j] = _mm256_xor_si256(tw[j], key2(rk[rounds]));
#define ONE(j)		x##j = round2(x##j, key, dec);
#define TWEAK(j)	tw[j] = TIMES_BYTES(tw[j], 2);
#define LAST(j)								\
	store2(out + LANES * AES_BLOCK_LEN * (j),			\
	    last2(x##j, last[j], dec));
#define ROUND(r)							\
	key = key2(rk[r]);						\
	EACH8(ONE)
	for (; n >= GROUP; n -= GROUP) {
		EACH8(LOAD)
		ROUND(1) TWEAK(0) ROUND(2) TWEAK(1)
		ROUND(3) TWEAK(2) ROUND(4) TWEAK(3)
		ROUND(5) TWEAK(4) ROUND(6) TWEAK(5)
		ROUND(7) TWEAK(6) ROUND(8) TWEAK(7)
		ROUND(9)
		if (rounds == AES_ROUNDS_256) {
			ROUND(10) ROUND(11) ROUND(12) ROUND(13)
		}
		EACH8(LAST)
		in += GROUP * AES_BLOCK_LEN;
		out += GROUP * AES_BLOCK_LEN;
	}
#undef LOAD
#undef ONE
#undef TWEAK
#undef LAST
#undef ROUND
	for (; n >= LANES; n -= LANES) {
		x0 = _mm256_xor_si256(_mm256_xor_si256(tw[0], key2(rk[0])),
		    load2(in));
		for (int r = 1; r < rounds; r++)
			x0 = round2(x0, key2(rk[r]), dec);
		store2(out, last2(x0, _mm256_xor_si256(tw[0],
		    key2(rk[rounds])), dec));
		tw[0] = times_bits(tw[0], _mm256_set1_epi64x(LANES));
		in += LANES * AES_BLOCK_LEN;
		out += LANES * AES_BLOCK_LEN;
	}
	*inp = in;
	*outp = out;
	*blocks = n;
	return (_mm256_castsi256_si128(tw[0]));
}

/* See aes_xts.h. */
XTS_FUNCTION(aesni_vaes2_xts_encrypt, 0, bulk)
XTS_FUNCTION(aesni_vaes2_xts_decrypt, 1, bulk)
