/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with AES-NI, one block at a time.  See aes_xts.h.
 *
 * How a first module does it, and what aesni_wrap2.c is measured against:
 *
 * 1. One call for each block, which waits for the latency of every round.
 * 2. XOR byte by byte, through a temporary block that is cleared each time.
 * 3. The tweak is doubled byte by byte.
 *
 * A SIMD file: compiled with -msse2 -maes, called inside the FPU region only.
 * Key setup is that of aesni_wrap2.c.
 *
 * Invariant: bytes are bytes.  The accesses are volatile, because today's
 * compilers make vector code of such loops, and nothing would be left to
 * compare with.
 *
 * Limits: slow by intent.
 *
 * Reference: IEEE 1619-2007; the commits of 2012 and 2013 to FreeBSD's aesni(4),
 * by their description.
 */

#include "aesni_inline.h"

static void __attribute__((__noinline__))
one_block(const aes_round_keys rk, uint32_t rounds, int dec,
    const uint8_t in[AES_BLOCK_LEN], uint8_t out[AES_BLOCK_LEN])
{
	__m128i x = _mm_xor_si128(loadu(in), load(rk[0]));

	for (uint32_t r = 1; r < rounds; r++)
		x = round_one(x, load(rk[r]), dec);
	storeu(out, round_last(x, load(rk[rounds]), dec));
}

static void
xor_bytes(volatile uint8_t *out, const volatile uint8_t *a,
    const volatile uint8_t *b)
{
	for (int i = 0; i < AES_BLOCK_LEN; i++)
		out[i] = a[i] ^ b[i];
}

static void
copy_bytes(volatile uint8_t *out, const volatile uint8_t *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i];
}

static void
clear_bytes(volatile uint8_t *p)
{
	for (int i = 0; i < AES_BLOCK_LEN; i++)
		p[i] = 0;
}

/* 'in' may be 'out'. */
static void
crypt_block(const struct aes_xts_key *k, int dec, const uint8_t *t,
    const uint8_t *in, uint8_t *out)
{
	uint8_t tmp[AES_BLOCK_LEN];

	xor_bytes(tmp, in, t);
	one_block(dec ? k->dec : k->enc, k->rounds, dec, tmp, out);
	xor_bytes(out, out, t);
	clear_bytes(tmp);
}

/* T times x modulo x^128 + x^7 + x^2 + x + 1. */
static void
next_tweak(volatile uint8_t *t)
{
	unsigned int carry = 0;

	for (int i = 0; i < AES_BLOCK_LEN; i++) {
		unsigned int b = t[i];

		t[i] = (uint8_t)(b << 1 | carry);
		carry = b >> 7;
	}
	t[0] ^= (uint8_t)(carry * 0x87);
}

static void
unit(const struct aes_xts_key *k, int dec, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t t[AES_BLOCK_LEN], t2[AES_BLOCK_LEN];
	uint8_t last[AES_BLOCK_LEN], stolen[AES_BLOCK_LEN];
	size_t part = len % AES_BLOCK_LEN;

	if (len < AES_XTS_LEN_MIN)
		return;
	one_block(k->twk, k->rounds, 0, tweak, t);
	for (len -= part; len > (part != 0 ? AES_BLOCK_LEN : 0);
	    len -= AES_BLOCK_LEN) {
		crypt_block(k, dec, t, in, out);
		next_tweak(t);
		in += AES_BLOCK_LEN;
		out += AES_BLOCK_LEN;
	}
	if (part == 0)
		return;
	copy_bytes(t2, t, AES_BLOCK_LEN);
	next_tweak(t2);
	crypt_block(k, dec, dec ? t2 : t, in, last);
	copy_bytes(stolen, last, AES_BLOCK_LEN);
	copy_bytes(stolen, in + AES_BLOCK_LEN, part);
	copy_bytes(out + AES_BLOCK_LEN, last, part);
	crypt_block(k, dec, dec ? t : t2, stolen, out);
}

/* See aes_xts.h. */
void
aesni_block_xts_encrypt(const struct aes_xts_key *k,
    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in, uint8_t *out,
    size_t len)
{
	unit(k, 0, tweak, in, out, len);
}

/* See aes_xts.h. */
void
aesni_block_xts_decrypt(const struct aes_xts_key *k,
    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in, uint8_t *out,
    size_t len)
{
	unit(k, 1, tweak, in, out, len);
}
