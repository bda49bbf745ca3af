/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with VAES on 512-bit registers, 32 blocks at a time.  See aes_xts.h.
 *
 * A SIMD file: compiled with -maes -mvaes -mvpclmulqdq -mavx512bw, and called
 * inside the FPU region only, where XCR0 has the state of ZMM registers
 * enabled.  Calls nothing, touches only its arguments and the stack.
 *
 * 1. VAESENC does a round on the four blocks of a register.  Eight registers
 *    in flight cover its latency; 15 round keys, broadcast to all lanes, and
 *    eight registers of tweaks fit beside them in the 32 there are.
 * 2. 512-bit VAES issues on one port, other vector work on a second one as
 *    well.  For each register of data there are 6 other operations (10 rounds,
 *    or 14), so that this second port is never what limits: one ternary XOR of
 *    data, tweak and first key; one for the last key and the tweak, which
 *    VAESENCLAST then adds at once; four for the next tweak.
 * 3. A register's next tweak is its own times x^32, as there are 32 blocks
 *    between: nothing waits for a neighbour.
 *
 * Multiplying by x^n, n = 8 m.  Tweaks are polynomials over GF(2) modulo
 * x^128 + x^7 + x^2 + x + 1, bit i of the little-endian number being x^i.
 * T x^n shifts out the top m bytes c of each lane, which come back as
 * c (x^7 + x^2 + x + 1), at most 7 bits longer than c: one carry-less
 * multiplication by 0x87.  For n < 8 the same with shifts of the 64-bit
 * halves, whose own carries move to the other half.
 *
 * Invariants: no secret-dependent branch or address.  Data and tweak need no
 * alignment; keys are 16-aligned by their type.
 *
 * Limits: registers and stack slots are not cleared on return.
 *
 * Reference: IEEE 1619-2007; FIPS 197; Intel SDM vol. 2, VAESENC, VPCLMULQDQ.
 */

#include <immintrin.h>

#include "aesni_inline.h"

#define LANES	4			/* blocks of a register */
#define GROUP	(8 * LANES)		/* blocks in flight */

INLINE __m512i
load4(const uint8_t *p)
{
	return (_mm512_loadu_si512((const void *)p));
}

INLINE void
store4(uint8_t *p, __m512i x)
{
	_mm512_storeu_si512((void *)p, x);
}

/* A round key in all lanes. */
INLINE __m512i
key4(const uint8_t *p)
{
	return (_mm512_broadcast_i32x4(load(p)));
}

INLINE __m512i
xor3(__m512i a, __m512i b, __m512i c)
{
	return (_mm512_ternarylogic_epi64(a, b, c, 0x96));
}

INLINE __m512i
round4(__m512i x, __m512i key, int dec)
{
	return (dec ? _mm512_aesdec_epi128(x, key) :
	    _mm512_aesenc_epi128(x, key));
}

INLINE __m512i
last4(__m512i x, __m512i key, int dec)
{
	return (dec ? _mm512_aesdeclast_epi128(x, key) :
	    _mm512_aesenclast_epi128(x, key));
}

/* x^7 + x^2 + x + 1, in the low half of each lane. */
INLINE __m512i
poly(void)
{
	return (_mm512_set4_epi32(0, 0, 0, 0x87));
}

/* Each lane times x^n, n from 0 to 7, given in both halves of a lane. */
INLINE __m512i
times_bits(__m512i t, __m512i n)
{
	__m512i carry = _mm512_srlv_epi64(t,
	    _mm512_sub_epi64(_mm512_set1_epi64(64), n));

	return (xor3(_mm512_sllv_epi64(t, n), _mm512_bslli_epi128(carry, 8),
	    _mm512_clmulepi64_epi128(carry, poly(), 0x01)));
}

/* Each lane times x^(8 m), m from 1 to 7: a macro, shifts want constants. */
#define TIMES_BYTES(t, m)						\
	_mm512_xor_si512(_mm512_bslli_epi128((t), (m)),			\
	    _mm512_clmulepi64_epi128(_mm512_bsrli_epi128((t), 16 - (m)), \
	    poly(), 0x00))

/* The first tweaks: register j has T x^(4 j) to T x^(4 j + 3). */
INLINE void
first_tweaks(__m512i tw[8], __m128i t)
{
	__m512i all = _mm512_broadcast_i32x4(t);

	tw[0] = times_bits(all, _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3));
	tw[1] = times_bits(all, _mm512_setr_epi64(4, 4, 5, 5, 6, 6, 7, 7));
	tw[2] = TIMES_BYTES(tw[0], 1);
	tw[3] = TIMES_BYTES(tw[1], 1);
	tw[4] = TIMES_BYTES(tw[0], 2);
	tw[5] = TIMES_BYTES(tw[1], 2);
	tw[6] = TIMES_BYTES(tw[2], 2);
	tw[7] = TIMES_BYTES(tw[3], 2);
}

/* As many groups as there are, then registers; the rest is the caller's. */
INLINE __m128i
bulk(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t **inp, uint8_t **outp, size_t *blocks)
{
	const uint8_t *in = *inp;
	uint8_t *out = *outp;
	size_t n = *blocks;
	__m512i tw[8], key, x0, x1, x2, x3, x4, x5, x6, x7;

	if (n < LANES)
		return (t);
	first_tweaks(tw, t);
#define LOAD(j)								\
	x##j = xor3(tw[j], key4(rk[0]),					\
	    load4(in + LANES * AES_BLOCK_LEN * (j)));
#define ONE(j)		x##j = round4(x##j, key, dec);
#define LAST(j)								\
	store4(out + LANES * AES_BLOCK_LEN * (j), last4(x##j,		\
	    _mm512_xor_si512(tw[j], key4(rk[rounds])), dec));		\
	tw[j] = TIMES_BYTES(tw[j], 4);
#define ROUND(r)							\
	key = key4(rk[r]);						\
	EACH8(ONE)
	for (; n >= GROUP; n -= GROUP) {
		EACH8(LOAD)
		ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5) ROUND(6)
		ROUND(7) ROUND(8) ROUND(9)
		if (rounds == AES_ROUNDS_256) {
			ROUND(10) ROUND(11) ROUND(12) ROUND(13)
		}
		EACH8(LAST)
		in += GROUP * AES_BLOCK_LEN;
		out += GROUP * AES_BLOCK_LEN;
	}
#undef LOAD
#undef ONE
#undef LAST
#undef ROUND
	for (; n >= LANES; n -= LANES) {
		x0 = xor3(tw[0], key4(rk[0]), load4(in));
		for (int r = 1; r < rounds; r++)
			x0 = round4(x0, key4(rk[r]), dec);
		store4(out, last4(x0, _mm512_xor_si512(tw[0],
		    key4(rk[rounds])), dec));
		tw[0] = times_bits(tw[0], _mm512_set1_epi64(LANES));
		in += LANES * AES_BLOCK_LEN;
		out += LANES * AES_BLOCK_LEN;
	}
	*inp = in;
	*outp = out;
	*blocks = n;
	return (_mm512_castsi512_si128(tw[0]));
}

/* See aes_xts.h. */
XTS_FUNCTION(aesni_vaes512_xts_encrypt, 0, bulk)
XTS_FUNCTION(aesni_vaes512_xts_decrypt, 1, bulk)
