/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the two VAES files share: XTS on 'vec', a register of LANES blocks,
 * eight of them in flight.  Include it once, after these, which are inline
 * functions but for the last three:
 *
 *	vload, vstore		LANES blocks, unaligned
 *	vlanes(t), vfirst(v)	a block in all lanes, the first lane
 *	vkey(p)			a round key in all lanes
 *	vxor, vxor3		of two, of three
 *	vround, vlast		a round, the last one; 'dec' is a constant
 *	vpoly()			0x87 in the low half of each lane
 *	vset(n), vramp(n)	n in each half of each lane; n in those of the
 *				first lane, n + 1 in those of the second...
 *	vsub64, vsllv, vsrlv	of 64-bit halves
 *	VSHL(t, n), VSHR(t, n)	lanes shifted by n bytes
 *	VCLMUL(a, b, imm)	carry-less products, one for each lane
 *
 * 1. VAESENC does a round on the blocks of a register.  Eight registers in
 *    flight cover its latency.
 * 2. A register's next tweak is its own times x^(8 LANES), as there are 8
 *    LANES blocks between: nothing waits for a neighbour.
 * 3. For each register of data there are 6 or 7 operations beside the rounds:
 *    XOR of data, tweak and first key; one for the last key and the tweak,
 *    which VAESENCLAST then adds at once; four for the next tweak.
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
#ifndef AESNI_VAES_H
#define AESNI_VAES_H

#define VLEN	(LANES * AES_BLOCK_LEN)
#define GROUP	(8 * LANES)		/* blocks in flight */

/* Each lane times x^n, n from 0 to 7, given in both halves of a lane. */
INLINE vec
times_bits(vec t, vec n)
{
	vec carry = vsrlv(t, vsub64(vset(64), n));

	return (vxor3(vsllv(t, n), VSHL(carry, 8),
	    VCLMUL(carry, vpoly(), 0x01)));
}

/* Each lane times x^(8 m), m from 1 to 7: a macro, shifts want constants. */
#define TIMES_BYTES(t, m)						\
	vxor(VSHL(t, m), VCLMUL(VSHR(t, 16 - (m)), vpoly(), 0x00))

/* The first tweaks: register j has T x^(LANES j) and those after it. */
INLINE void
first_tweaks(vec tw[8], vec t)
{
	/* Those below x^8 by bits, the others by bytes from them. */
	for (int j = 0; j < 8 / LANES; j++)
		tw[j] = times_bits(t, vramp(j * LANES));
	for (int j = 8 / LANES; j < 8; j++)
		tw[j] = j < 16 / LANES ? TIMES_BYTES(tw[j - 8 / LANES], 1) :
		    TIMES_BYTES(tw[j - 16 / LANES], 2);
}

/* One register, where there is no whole group. */
INLINE vec
single(const aes_round_keys rk, int rounds, int dec, vec t, vec x)
{
	x = vxor3(t, vkey(rk[0]), x);
	for (int r = 1; r < rounds; r++)
		x = vround(x, vkey(rk[r]), dec);
	return (vlast(x, vxor(t, vkey(rk[rounds])), dec));
}

/* As many groups as there are, then registers; the rest is the caller's. */
INLINE __m128i
bulk(const aes_round_keys rk, int rounds, int dec, __m128i t,
    const uint8_t **inp, uint8_t **outp, size_t *blocks)
{
	const uint8_t *in = *inp;
	uint8_t *out = *outp;
	size_t n = *blocks;
	vec tw[8], key, x0, x1, x2, x3, x4, x5, x6, x7;

	if (n < LANES)
		return (t);
	first_tweaks(tw, vlanes(t));
#define LOAD(j)								\
	x##j = vxor3(tw[j], vkey(rk[0]), vload(in + VLEN * (j)));
#define ONE(j)		x##j = vround(x##j, key, dec);
#define LAST(j)								\
	vstore(out + VLEN * (j), vlast(x##j,				\
	    vxor(tw[j], vkey(rk[rounds])), dec));			\
	tw[j] = TIMES_BYTES(tw[j], LANES);
#define ROUND(r)							\
	key = vkey(rk[r]);						\
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
		vstore(out, single(rk, rounds, dec, tw[0], vload(in)));
		tw[0] = times_bits(tw[0], vset(LANES));
		in += VLEN;
		out += VLEN;
	}
	*inp = in;
	*outp = out;
	*blocks = n;
	return (vfirst(tw[0]));
}

#endif /* AESNI_VAES_H */
