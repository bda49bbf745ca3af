/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with AES-NI, eight blocks at a time.  See aes_xts.h.
 *
 * A SIMD file: compiled with -msse2 -maes, which the rest of a kernel is not.
 * With those flags a compiler may use %xmm registers anywhere
 * (gcc does, for copies and loops), so everything here, key setup included,
 * MUST run inside the FPU region.  That is why nothing here enters or leaves
 * one: the brackets are in aesni.c, which is compiled without SIMD.  Calls
 * nothing, touches only its arguments and the stack.
 *
 * 1. Keys: AESKEYGENASSIST gives the S-box words of FIPS 197 section 5.2; a
 *    prefix XOR over the four words of a round key does the rest.  AESIMC
 *    makes the keys of the equivalent inverse cipher.
 * 2. AESENC has a latency of 3 to 8 cycles and starts once or twice a cycle,
 *    so one block leaves the unit idle: eight independent blocks fill it.
 *    8 blocks, a round key and the tweak arithmetic use the 16 registers.
 * 3. The next eight tweaks are made between the rounds of these eight blocks,
 *    where the other vector ports are free.  Port pressure is what limits the
 *    loop, so operations count: each tweak is multiplied by x^8, which is a
 *    shift by a whole byte (one PSLLDQ), not by x eight times.  See below.
 * 4. The last XOR with the tweak is folded into AESENCLAST, whose key operand
 *    becomes (last round key ^ tweak).
 *
 * Multiplying by x^8.  Tweaks are polynomials over GF(2) modulo
 * x^128 + x^7 + x^2 + x + 1, bit i of the little-endian number being x^i.
 * T x^8 shifts out c, the top byte of T, which comes back at the low end as
 * c (x^7 + x^2 + x + 1), 15 bits long.  The eight tweaks are T, T x ... T x^7;
 * reductions on the way from T to T x^7 change low bits only, so the top byte
 * of T x^j is (w >> (8 - j)) & 255, w being the top 16 bits of T.  All eight c
 * are made at once in the eight words of one register, reduced there, widened
 * to 32 bits and stored; MOVD then loads each with zeros above it, which costs
 * a load port but no vector port.  That is 14 vector operations for all eight
 * tweaks and two for each, against five for each when doubling one by one.
 *
 * Invariants: no secret-dependent branch or address.  Loads and stores of data
 * and tweak are unaligned; keys are 16-aligned by their type.
 *
 * Limits: registers and stack slots are not cleared on return.
 *
 * Reference: IEEE 1619-2007; FIPS 197; S. Gueron, "Intel Advanced Encryption
 * Standard (AES) New Instructions Set", white paper 323641.
 */

#include "aesni_inline.h"

/*
 * Round key from the one 'nk' words before and the S-box words in 'assist':
 * word i becomes assist ^ w0 ^ ... ^ wi.
 */
INLINE __m128i
next_round_key(__m128i key, __m128i assist)
{
	key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
	key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
	return (_mm_xor_si128(key, assist));
}

/* SubWord(RotWord(last word of x)) ^ rcon in every word. */
#define ASSIST(x, rcon)							\
	_mm_shuffle_epi32(_mm_aeskeygenassist_si128((x), (rcon)), 0xff)
/* SubWord(last word of x) in every word. */
#define ASSIST_SUB(x)							\
	_mm_shuffle_epi32(_mm_aeskeygenassist_si128((x), 0), 0xaa)

INLINE void
expand_128(aes_round_keys rk, const uint8_t *key)
{
	__m128i x = loadu(key);

	store(rk[0], x);
#define STEP(i, rcon)							\
	x = next_round_key(x, ASSIST(x, rcon));				\
	store(rk[i], x);
	STEP(1, 0x01) STEP(2, 0x02) STEP(3, 0x04) STEP(4, 0x08)
	STEP(5, 0x10) STEP(6, 0x20) STEP(7, 0x40) STEP(8, 0x80)
	STEP(9, 0x1b) STEP(10, 0x36)
#undef STEP
	x = _mm_setzero_si128();
	store(rk[11], x);
	store(rk[12], x);
	store(rk[13], x);
	store(rk[14], x);
}

INLINE void
expand_256(aes_round_keys rk, const uint8_t *key)
{
	__m128i x = loadu(key), y = loadu(key + 16);

	store(rk[0], x);
	store(rk[1], y);
#define EVEN(i, rcon)							\
	x = next_round_key(x, ASSIST(y, rcon));				\
	store(rk[i], x);
#define ODD(i)								\
	y = next_round_key(y, ASSIST_SUB(x));				\
	store(rk[i], y);
	EVEN(2, 0x01) ODD(3) EVEN(4, 0x02) ODD(5) EVEN(6, 0x04) ODD(7)
	EVEN(8, 0x08) ODD(9) EVEN(10, 0x10) ODD(11) EVEN(12, 0x20) ODD(13)
	EVEN(14, 0x40)
#undef EVEN
#undef ODD
}

INLINE void
invert(aes_round_keys dec, const aes_round_keys enc, int rounds)
{
	store(dec[0], load(enc[rounds]));
	for (int r = 1; r < rounds; r++)
		store(dec[r], _mm_aesimc_si128(load(enc[rounds - r])));
	store(dec[rounds], load(enc[0]));
	for (int r = rounds + 1; r < AES_ROUND_KEYS; r++)
		store(dec[r], _mm_setzero_si128());
}

/* See aes_xts.h. */
int
aesni_xts_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
{
	if (keylen == AES_XTS_KEY_LEN_128) {
		k->rounds = AES_ROUNDS_128;
		expand_128(k->enc, key);
		expand_128(k->twk, key + 16);
		invert(k->dec, k->enc, AES_ROUNDS_128);
	} else if (keylen == AES_XTS_KEY_LEN_256) {
		k->rounds = AES_ROUNDS_256;
		expand_256(k->enc, key);
		expand_256(k->twk, key + 32);
		invert(k->dec, k->enc, AES_ROUNDS_256);
	} else
		return (-1);
	return (0);
}

/*
 * red[j] = what comes back when T x^j is multiplied by x^8, j = 0..7; see the
 * top of this file.  The empty asm makes the compiler forget what it stored:
 * it would take the words from the register with three shuffles each.
 */
INLINE void
reductions(uint32_t red[8], __m128i t)
{
	const __m128i pow = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
	const __m128i zero = _mm_setzero_si128();
	__m128i c, d;

	c = _mm_shufflehi_epi16(t, 0xff);
	c = _mm_unpackhi_epi64(c, c);
	c = _mm_srli_epi16(_mm_mullo_epi16(c, pow), 8);
	d = _mm_add_epi16(c, c);
	c = _mm_xor_si128(c, d);			/* c (1 + x) */
	d = _mm_add_epi16(d, d);
	c = _mm_xor_si128(c, d);			/* + x^2 */
	c = _mm_xor_si128(c, _mm_slli_epi16(d, 5));	/* + x^7 */
	_mm_store_si128((__m128i *)(void *)red, _mm_unpacklo_epi16(c, zero));
	_mm_store_si128((__m128i *)(void *)(red + 4),
	    _mm_unpackhi_epi16(c, zero));
	__asm__("" : "+m" (*(uint32_t (*)[8])red));
}

/*
 * 'n' >= 1 groups of eight blocks; t is the first tweak.  Returns the tweak of
 * the block after them.
 */
INLINE __m128i
xts_groups(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t *in, uint8_t *out, size_t n)
{
	__m128i tw[8], last[8], key, x0, x1, x2, x3, x4, x5, x6, x7;
	_Alignas(16) uint32_t red[8];

#define FIRST(j)							\
	tw[j] = t;							\
	t = times_x(t);
#define LOAD(j)								\
	x##j = _mm_xor_si128(_mm_xor_si128(tw[j], load(rk[0])),		\
	    loadu(in + 16 * (j)));					\
	last[j] = _mm_xor_si128(tw[j], load(rk[rounds]));
#define ONE(j)		x##j = round_one(x##j, key, dec);
#define ROUND(r)							\
	key = load(rk[r]);						\
	EACH8(ONE)
#define TWEAK(j)							\
	tw[j] = _mm_xor_si128(_mm_slli_si128(tw[j], 1),			\
	    _mm_cvtsi32_si128((int)red[j]));
#define LAST(j)								\
	storeu(out + 16 * (j), round_last(x##j, last[j], dec));

	EACH8(FIRST)
	do {
		reductions(red, tw[0]);
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
		in += 8 * AES_BLOCK_LEN;
		out += 8 * AES_BLOCK_LEN;
	} while (--n != 0);
	return (tw[0]);

#undef FIRST
#undef LOAD
#undef ONE
#undef ROUND
#undef TWEAK
#undef LAST
}

INLINE __m128i
bulk(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t **in, uint8_t **out, size_t *blocks)
{
	size_t n = *blocks / 8;

	if (n == 0)
		return (t);
	t = xts_groups(rk, rounds, dec, t, *in, *out, n);
	*in += n * 8 * AES_BLOCK_LEN;
	*out += n * 8 * AES_BLOCK_LEN;
	*blocks -= n * 8;
	return (t);
}

/* See aes_xts.h. */
XTS_FUNCTION(aesni_xts_encrypt, 0, bulk)
XTS_FUNCTION(aesni_xts_decrypt, 1, bulk)
