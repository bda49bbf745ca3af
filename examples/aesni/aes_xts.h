/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS (IEEE 1619-2007) for 128- and 256-bit AES keys: the interface that
 * every implementation in this folder has, and the two raw ones.
 *
 * No vector type appears in a prototype, so that code compiled without SIMD
 * registers (a kernel) can include this file.  It needs no other header than
 * the two freestanding ones below.
 *
 * Words in capitals are meant as in RFC 2119.
 */
#ifndef AES_XTS_H
#define AES_XTS_H

#include <stddef.h>
#include <stdint.h>

#define AES_BLOCK_LEN		16	/* bytes, FIPS 197 section 3.4 */
#define AES_ROUNDS_128		10	/* FIPS 197 figure 4 */
#define AES_ROUNDS_256		14
#define AES_ROUND_KEYS		(AES_ROUNDS_256 + 1)

#define AES_XTS_KEY_LEN_128	32	/* bytes, data key then tweak key */
#define AES_XTS_KEY_LEN_256	64

/* Bytes of one data unit: one block to 2^20 blocks, IEEE 1619 section 5.1. */
#define AES_XTS_LEN_MIN		((size_t)AES_BLOCK_LEN)
#define AES_XTS_LEN_MAX		((size_t)AES_BLOCK_LEN << 20)

/* Round keys in the byte order of FIPS 197, round 0 first. */
typedef uint8_t aes_round_keys[AES_ROUND_KEYS][AES_BLOCK_LEN];

/*
 * The expanded keys of one XTS key.  Both key setups write the same
 * bytes, so that keys expanded by one MAY be used by the other.  The caller
 * owns the memory; it MUST be 16-aligned (the type is), and SHOULD be cleared
 * after use.  Rows past 'rounds' are zero.
 */
struct aes_xts_key {
	_Alignas(16) aes_round_keys	enc;	/* data key */
	_Alignas(16) aes_round_keys	dec;	/* data key, inverse cipher: */
						/* FIPS 197 section 5.3.5, */
						/* first round used first */
	_Alignas(16) aes_round_keys	twk;	/* tweak key */
	uint32_t			rounds;	/* 10 or 14 */
};

/*
 * setkey: expand key[0..keylen).  keylen MUST be 32 or 64.
 *	Returns 0, or -1 for any other length, with *k unchanged.
 *	Equal halves are accepted (vector 1 of IEEE 1619 has them); who needs
 *	FIPS 140 SHALL refuse them before.
 *
 * encrypt, decrypt: one data unit of len bytes from in to out.
 *	tweak is the 16-byte data unit number, little-endian.
 *	len MUST be within AES_XTS_LEN_MIN..AES_XTS_LEN_MAX; it need not be a
 *	multiple of 16 (ciphertext stealing).  Below the minimum nothing is
 *	written; above the maximum the result has no standing in the standard.
 *	in and out need no alignment.  They MUST be the same address or not
 *	overlap at all.
 */

/* Portable; may be called anywhere.  NOT constant-time: it indexes tables by
 * secret bytes. */
int	aes_soft_xts_setkey(struct aes_xts_key *k, const uint8_t *key,
	    size_t keylen);
void	aes_soft_xts_encrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);
void	aes_soft_xts_decrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);

/* One block with round keys of aes_xts_key; for tests of FIPS 197. */
void	aes_soft_encrypt_block(const aes_round_keys rk, uint32_t rounds,
	    const uint8_t in[AES_BLOCK_LEN], uint8_t out[AES_BLOCK_LEN]);
void	aes_soft_decrypt_block(const aes_round_keys rk, uint32_t rounds,
	    const uint8_t in[AES_BLOCK_LEN], uint8_t out[AES_BLOCK_LEN]);

/*
 * With AES instructions, constant-time.  Each of these, setkey included, MUST
 * be called with the FPU region held, and only on a CPU and a system that have
 * what is written beside it; aesni_dispatch.c finds that out.  All use keys
 * that any setkey here made.
 */
int	aesni_xts_setkey(struct aes_xts_key *k, const uint8_t *key,
	    size_t keylen);					/* AES */

/* One block at a time: AES. */
void	aesni_block_xts_encrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);
void	aesni_block_xts_decrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);

/* Eight blocks at a time: AES. */
void	aesni_xts_encrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);
void	aesni_xts_decrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);

/* 16 blocks: AES, VAES, VPCLMULQDQ, AVX2; XCR0 bits 1 and 2. */
void	aesni_vaes2_xts_encrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);
void	aesni_vaes2_xts_decrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);

/* 32 blocks: AES, VAES, VPCLMULQDQ, AVX-512 F, BW; XCR0 bits 1, 2, 5 to 7. */
void	aesni_vaes512_xts_encrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);
void	aesni_vaes512_xts_decrypt(const struct aes_xts_key *k,
	    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
	    uint8_t *out, size_t len);

#endif /* AES_XTS_H */
