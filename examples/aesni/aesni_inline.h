/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the SIMD files of this folder share: loads and stores, one block, the
 * last two blocks of a data unit whose length is no multiple of 16, and the
 * frame around the part that each does in its own way.  Inline functions only,
 * so that each file compiles them with its own flags; 'rounds' and 'dec'
 * (decrypt) are constants at every call.
 *
 * Include it from a file that is compiled with SIMD, and from no other.
 *
 * Reference: IEEE 1619-2007; FIPS 197.
 */
#ifndef AESNI_INLINE_H
#define AESNI_INLINE_H

#include <emmintrin.h>
#include <wmmintrin.h>

#include "aes_xts.h"

#define INLINE	static inline __attribute__((__always_inline__))

/* Written out, because gcc keeps an indexed array in memory. */
#define EACH8(F)	F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)

INLINE __m128i
load(const uint8_t *p)
{
	return (_mm_load_si128((const __m128i *)(const void *)p));
}

INLINE __m128i
loadu(const uint8_t *p)
{
	return (_mm_loadu_si128((const __m128i *)(const void *)p));
}

INLINE void
store(uint8_t *p, __m128i x)
{
	_mm_store_si128((__m128i *)(void *)p, x);
}

INLINE void
storeu(uint8_t *p, __m128i x)
{
	_mm_storeu_si128((__m128i *)(void *)p, x);
}

INLINE __m128i
round_one(__m128i x, __m128i key, int dec)
{
	return (dec ? _mm_aesdec_si128(x, key) : _mm_aesenc_si128(x, key));
}

INLINE __m128i
round_last(__m128i x, __m128i key, int dec)
{
	return (dec ? _mm_aesdeclast_si128(x, key) :
	    _mm_aesenclast_si128(x, key));
}

INLINE __m128i
block(const aes_round_keys rk, int rounds, int dec, __m128i x)
{
	x = _mm_xor_si128(x, load(rk[0]));
	for (int r = 1; r < rounds; r++)
		x = round_one(x, load(rk[r]), dec);
	return (round_last(x, load(rk[rounds]), dec));
}

/* One block with its tweak, from memory to a register. */
INLINE __m128i
xts_block(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t *in)
{
	return (_mm_xor_si128(t,
	    block(rk, rounds, dec, _mm_xor_si128(t, loadu(in)))));
}

/* T times x: the sign of each half, moved to the half it carries into. */
INLINE __m128i
times_x(__m128i t)
{
	const __m128i poly = _mm_setr_epi32(0x87, 0, 1, 0);
	__m128i carry;

	carry = _mm_srai_epi32(_mm_shuffle_epi32(t, 0x13), 31);
	return (_mm_xor_si128(_mm_add_epi64(t, t),
	    _mm_and_si128(carry, poly)));
}

/*
 * The last full block and 'part' bytes after it, IEEE 1619 section 5.3.2.
 * The part is read before anything is written, for in == out.  The empty asm
 * keeps the loop from becoming a call to memcpy.
 */
INLINE void
xts_steal(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t *in, uint8_t *out, size_t part)
{
	_Alignas(16) uint8_t buf[AES_BLOCK_LEN];
	__m128i t2 = times_x(t);

	store(buf, xts_block(rk, rounds, dec, dec ? t2 : t, in));
	for (size_t i = 0; i < part; i++) {
		unsigned int b = in[AES_BLOCK_LEN + i];

		__asm__("" : "+r" (b));
		out[AES_BLOCK_LEN + i] = buf[i];
		buf[i] = (uint8_t)b;
	}
	storeu(out, xts_block(rk, rounds, dec, dec ? t : t2, buf));
}

/*
 * One data unit.  'bulk' does as many of the first blocks as it likes and
 * moves *in, *out and *blocks; it returns the tweak of the block after them.
 */
typedef __m128i xts_bulk(const aes_round_keys rk, int rounds, int dec,
		    __m128i t, const uint8_t **in, uint8_t **out,
		    size_t *blocks);

INLINE void
xts_unit(const struct aes_xts_key *k, int rounds, int dec, xts_bulk *bulk,
    const uint8_t *tweak, const uint8_t *in, uint8_t *out, size_t len)
{
	const uint8_t (*rk)[AES_BLOCK_LEN] = dec ? k->dec : k->enc;
	size_t part = len % AES_BLOCK_LEN, blocks = len / AES_BLOCK_LEN;
	__m128i t;

	if (len < AES_XTS_LEN_MIN)
		return;
	if (part != 0)
		blocks--;
	t = block(k->twk, rounds, 0, loadu(tweak));
	t = bulk(rk, rounds, dec, t, &in, &out, &blocks);
	for (; blocks != 0; blocks--) {
		storeu(out, xts_block(rk, rounds, dec, t, in));
		t = times_x(t);
		in += AES_BLOCK_LEN;
		out += AES_BLOCK_LEN;
	}
	if (part != 0)
		xts_steal(rk, rounds, dec, t, in, out, part);
}

/* The two external functions of a file, around its 'bulk'. */
#define XTS_FUNCTION(name, dec, bulk)					\
void									\
name(const struct aes_xts_key *k, const uint8_t tweak[AES_BLOCK_LEN],	\
    const uint8_t *in, uint8_t *out, size_t len)			\
{									\
	if (k->rounds == AES_ROUNDS_128)				\
		xts_unit(k, AES_ROUNDS_128, dec, bulk, tweak, in, out, len); \
	else								\
		xts_unit(k, AES_ROUNDS_256, dec, bulk, tweak, in, out, len); \
}

#endif /* AESNI_INLINE_H */
