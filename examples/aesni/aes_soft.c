/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS in portable C: the reference that the SIMD code is compared with,
 * and what runs on a CPU without AES instructions.  See aes_xts.h.
 *
 * 1. Key expansion (FIPS 197 section 5.2) gives round keys as bytes.  The
 *    inverse cipher's keys are the same in reverse order, with InvMixColumns
 *    applied to all but the first and last (section 5.3.5): what AESDEC
 *    wants, so that one schedule serves both implementations.
 * 2. A block is 16 bytes; byte r + 4c is row r, column c of the State
 *    (section 3.4).  Each step of a round is a function of its own.
 * 3. XTS (IEEE 1619-2007 section 5.3): T = E(tweak key, data unit number);
 *    each block is C = E(P ^ T) ^ T, and T is multiplied by x in GF(2^128)
 *    from block to block.
 * 4. A last part of b < 16 bytes steals the last 16 - b bytes of the block
 *    before it.
 *
 * Limits: plain and slow by intent.  NOT constant-time: the S-box is looked up
 * with secret indices, so cache timing shows key bits to a neighbour.
 *
 * Reference: FIPS 197, IEEE 1619-2007.
 */

#include "aes_xts.h"

/* FIPS 197 figures 7 and 14. */
static const uint8_t sbox[256] = {
	0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b,
	0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0,
	0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26,
	0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
	0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
	0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0,
	0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed,
	0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
	0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f,
	0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
	0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec,
	0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
	0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14,
	0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c,
	0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
	0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
	0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f,
	0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e,
	0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
	0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
	0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f,
	0xb0, 0x54, 0xbb, 0x16,
};

static const uint8_t inv_sbox[256] = {
	0x52, 0x09, 0x6a, 0xd5, 0x30, 0x36, 0xa5, 0x38, 0xbf, 0x40, 0xa3, 0x9e,
	0x81, 0xf3, 0xd7, 0xfb, 0x7c, 0xe3, 0x39, 0x82, 0x9b, 0x2f, 0xff, 0x87,
	0x34, 0x8e, 0x43, 0x44, 0xc4, 0xde, 0xe9, 0xcb, 0x54, 0x7b, 0x94, 0x32,
	0xa6, 0xc2, 0x23, 0x3d, 0xee, 0x4c, 0x95, 0x0b, 0x42, 0xfa, 0xc3, 0x4e,
	0x08, 0x2e, 0xa1, 0x66, 0x28, 0xd9, 0x24, 0xb2, 0x76, 0x5b, 0xa2, 0x49,
	0x6d, 0x8b, 0xd1, 0x25, 0x72, 0xf8, 0xf6, 0x64, 0x86, 0x68, 0x98, 0x16,
	0xd4, 0xa4, 0x5c, 0xcc, 0x5d, 0x65, 0xb6, 0x92, 0x6c, 0x70, 0x48, 0x50,
	0xfd, 0xed, 0xb9, 0xda, 0x5e, 0x15, 0x46, 0x57, 0xa7, 0x8d, 0x9d, 0x84,
	0x90, 0xd8, 0xab, 0x00, 0x8c, 0xbc, 0xd3, 0x0a, 0xf7, 0xe4, 0x58, 0x05,
	0xb8, 0xb3, 0x45, 0x06, 0xd0, 0x2c, 0x1e, 0x8f, 0xca, 0x3f, 0x0f, 0x02,
	0xc1, 0xaf, 0xbd, 0x03, 0x01, 0x13, 0x8a, 0x6b, 0x3a, 0x91, 0x11, 0x41,
	0x4f, 0x67, 0xdc, 0xea, 0x97, 0xf2, 0xcf, 0xce, 0xf0, 0xb4, 0xe6, 0x73,
	0x96, 0xac, 0x74, 0x22, 0xe7, 0xad, 0x35, 0x85, 0xe2, 0xf9, 0x37, 0xe8,
	0x1c, 0x75, 0xdf, 0x6e, 0x47, 0xf1, 0x1a, 0x71, 0x1d, 0x29, 0xc5, 0x89,
	0x6f, 0xb7, 0x62, 0x0e, 0xaa, 0x18, 0xbe, 0x1b, 0xfc, 0x56, 0x3e, 0x4b,
	0xc6, 0xd2, 0x79, 0x20, 0x9a, 0xdb, 0xc0, 0xfe, 0x78, 0xcd, 0x5a, 0xf4,
	0x1f, 0xdd, 0xa8, 0x33, 0x88, 0x07, 0xc7, 0x31, 0xb1, 0x12, 0x10, 0x59,
	0x27, 0x80, 0xec, 0x5f, 0x60, 0x51, 0x7f, 0xa9, 0x19, 0xb5, 0x4a, 0x0d,
	0x2d, 0xe5, 0x7a, 0x9f, 0x93, 0xc9, 0x9c, 0xef, 0xa0, 0xe0, 0x3b, 0x4d,
	0xae, 0x2a, 0xf5, 0xb0, 0xc8, 0xeb, 0xbb, 0x3c, 0x83, 0x53, 0x99, 0x61,
	0x17, 0x2b, 0x04, 0x7e, 0xba, 0x77, 0xd6, 0x26, 0xe1, 0x69, 0x14, 0x63,
	0x55, 0x21, 0x0c, 0x7d,
};

/* Multiply by x in GF(2^8), FIPS 197 section 4.2.1. */
static uint8_t
xtime(uint8_t a)
{
	return ((uint8_t)((a << 1) ^ ((a >> 7) * 0x1b)));
}

static void
xor_block(uint8_t *x, const uint8_t *y)
{
	for (int i = 0; i < AES_BLOCK_LEN; i++)
		x[i] ^= y[i];
}

static void
copy(uint8_t *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

/* SubBytes and ShiftRows: row r of the State moves left by r columns. */
static void
sub_shift(uint8_t s[AES_BLOCK_LEN])
{
	uint8_t t[AES_BLOCK_LEN];

	for (int c = 0; c < 4; c++)
		for (int r = 0; r < 4; r++)
			t[4 * c + r] = sbox[s[4 * ((c + r) % 4) + r]];
	copy(s, t, AES_BLOCK_LEN);
}

static void
inv_sub_shift(uint8_t s[AES_BLOCK_LEN])
{
	uint8_t t[AES_BLOCK_LEN];

	for (int c = 0; c < 4; c++)
		for (int r = 0; r < 4; r++)
			t[4 * ((c + r) % 4) + r] = inv_sbox[s[4 * c + r]];
	copy(s, t, AES_BLOCK_LEN);
}

/* Each column times {03}x^3 + {01}x^2 + {01}x + {02}, section 5.1.3. */
static void
mix_columns(uint8_t s[AES_BLOCK_LEN])
{
	for (uint8_t *a = s; a < s + AES_BLOCK_LEN; a += 4) {
		uint8_t a0 = a[0], all = a[0] ^ a[1] ^ a[2] ^ a[3];

		a[0] ^= all ^ xtime(a[0] ^ a[1]);
		a[1] ^= all ^ xtime(a[1] ^ a[2]);
		a[2] ^= all ^ xtime(a[2] ^ a[3]);
		a[3] ^= all ^ xtime(a[3] ^ a0);
	}
}

/*
 * The inverse matrix is the forward one times {04}x^2 + {05}: first add
 * {04}(a0 + a2) to a0 and a2, {04}(a1 + a3) to a1 and a3, then go forward.
 */
static void
inv_mix_columns(uint8_t s[AES_BLOCK_LEN])
{
	for (uint8_t *a = s; a < s + AES_BLOCK_LEN; a += 4) {
		uint8_t u = xtime(xtime(a[0] ^ a[2]));
		uint8_t v = xtime(xtime(a[1] ^ a[3]));

		a[0] ^= u;
		a[2] ^= u;
		a[1] ^= v;
		a[3] ^= v;
	}
	mix_columns(s);
}

/* See aes_xts.h. */
void
aes_soft_encrypt_block(const aes_round_keys rk, uint32_t rounds,
    const uint8_t in[AES_BLOCK_LEN], uint8_t out[AES_BLOCK_LEN])
{
	uint8_t s[AES_BLOCK_LEN];

	copy(s, in, AES_BLOCK_LEN);
	xor_block(s, rk[0]);
	for (uint32_t r = 1; r < rounds; r++) {
		sub_shift(s);
		mix_columns(s);
		xor_block(s, rk[r]);
	}
	sub_shift(s);
	xor_block(s, rk[rounds]);
	copy(out, s, AES_BLOCK_LEN);
}

/* See aes_xts.h. */
void
aes_soft_decrypt_block(const aes_round_keys rk, uint32_t rounds,
    const uint8_t in[AES_BLOCK_LEN], uint8_t out[AES_BLOCK_LEN])
{
	uint8_t s[AES_BLOCK_LEN];

	copy(s, in, AES_BLOCK_LEN);
	xor_block(s, rk[0]);
	for (uint32_t r = 1; r < rounds; r++) {
		inv_sub_shift(s);
		inv_mix_columns(s);
		xor_block(s, rk[r]);
	}
	inv_sub_shift(s);
	xor_block(s, rk[rounds]);
	copy(out, s, AES_BLOCK_LEN);
}

/* FIPS 197 figure 11, with bytes for words; nk is the key's length in words. */
static void
expand(aes_round_keys rk, const uint8_t *key, uint32_t nk, uint32_t rounds)
{
	uint8_t *w = rk[0], rcon = 1;

	copy(w, key, 4 * nk);
	for (uint32_t i = nk; i < 4 * (rounds + 1); i++) {
		const uint8_t *prev = w + 4 * (i - 1);
		uint8_t t[4] = { prev[0], prev[1], prev[2], prev[3] };

		if (i % nk == 0) {
			t[0] = sbox[prev[1]] ^ rcon;
			t[1] = sbox[prev[2]];
			t[2] = sbox[prev[3]];
			t[3] = sbox[prev[0]];
			rcon = xtime(rcon);
		} else if (nk > 6 && i % nk == 4) {
			for (int j = 0; j < 4; j++)
				t[j] = sbox[prev[j]];
		}
		for (int j = 0; j < 4; j++)
			w[4 * i + j] = w[4 * (i - nk) + j] ^ t[j];
	}
}

/* See aes_xts.h. */
int
aes_soft_xts_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
{
	uint32_t rounds;
	size_t half = keylen / 2;
	uint8_t *p = (uint8_t *)k;

	if (keylen == AES_XTS_KEY_LEN_128)
		rounds = AES_ROUNDS_128;
	else if (keylen == AES_XTS_KEY_LEN_256)
		rounds = AES_ROUNDS_256;
	else
		return (-1);
	for (size_t i = 0; i < sizeof(*k); i++)
		p[i] = 0;
	k->rounds = rounds;
	expand(k->enc, key, (uint32_t)half / 4, rounds);
	expand(k->twk, key + half, (uint32_t)half / 4, rounds);
	for (uint32_t r = 0; r <= rounds; r++) {
		copy(k->dec[r], k->enc[rounds - r], AES_BLOCK_LEN);
		if (r != 0 && r != rounds)
			inv_mix_columns(k->dec[r]);
	}
	return (0);
}

/* T times x modulo x^128 + x^7 + x^2 + x + 1, bit 0 of byte 0 lowest. */
static void
next_tweak(uint8_t t[AES_BLOCK_LEN])
{
	uint8_t carry = 0, out = 0;

	for (int i = 0; i < AES_BLOCK_LEN; i++) {
		out = t[i] >> 7;
		t[i] = (uint8_t)((t[i] << 1) | carry);
		carry = out;
	}
	t[0] ^= (uint8_t)(out * 0x87);
}

static void
xts_block(int decrypt, const aes_round_keys rk, uint32_t rounds,
    const uint8_t t[AES_BLOCK_LEN], const uint8_t *in, uint8_t *out)
{
	uint8_t x[AES_BLOCK_LEN];

	copy(x, in, AES_BLOCK_LEN);
	xor_block(x, t);
	if (decrypt)
		aes_soft_decrypt_block(rk, rounds, x, x);
	else
		aes_soft_encrypt_block(rk, rounds, x, x);
	xor_block(x, t);
	copy(out, x, AES_BLOCK_LEN);
}

/*
 * Steps 3 and 4.  With a part block, decryption uses the last two tweaks in
 * the other order: the stolen block was made with the later one.
 */
static void
xts(const struct aes_xts_key *k, int decrypt, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	const uint8_t (*rk)[AES_BLOCK_LEN] = decrypt ? k->dec : k->enc;
	size_t part = len % AES_BLOCK_LEN;
	uint8_t t[AES_BLOCK_LEN], t2[AES_BLOCK_LEN];
	uint8_t x[AES_BLOCK_LEN], last[AES_BLOCK_LEN];

	if (len < AES_XTS_LEN_MIN)
		return;
	aes_soft_encrypt_block(k->twk, k->rounds, tweak, t);
	while (len >= AES_BLOCK_LEN + (part != 0 ? AES_BLOCK_LEN : 0)) {
		xts_block(decrypt, rk, k->rounds, t, in, out);
		next_tweak(t);
		in += AES_BLOCK_LEN;
		out += AES_BLOCK_LEN;
		len -= AES_BLOCK_LEN;
	}
	if (part == 0)
		return;

	copy(t2, t, AES_BLOCK_LEN);
	next_tweak(t2);
	xts_block(decrypt, rk, k->rounds, decrypt ? t2 : t, in, x);
	copy(last, in + AES_BLOCK_LEN, part);
	copy(last + part, x + part, AES_BLOCK_LEN - part);
	copy(out + AES_BLOCK_LEN, x, part);
	xts_block(decrypt, rk, k->rounds, decrypt ? t : t2, last, out);
}

/* See aes_xts.h. */
void
aes_soft_xts_encrypt(const struct aes_xts_key *k,
    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in, uint8_t *out,
    size_t len)
{
	xts(k, 0, tweak, in, out, len);
}

/* See aes_xts.h. */
void
aes_soft_xts_decrypt(const struct aes_xts_key *k,
    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in, uint8_t *out,
    size_t len)
{
	xts(k, 1, tweak, in, out, len);
}
