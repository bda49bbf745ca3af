/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer's interface: AES-XTS that may be called from any thread, with
 * or without AES instructions.  Callers hold no FPU region; the functions here enter and
 * leave as needed.
 */
#ifndef AESNI_H
#define AESNI_H

#include "aes_xts.h"

/*
 * Longest data unit done inside one critical section.  128 KiB take about
 * 20 us at 6 GB/s; a preempted high-priority thread waits that long.
 */
#define AESNI_ATOMIC_MAX	((size_t)128 * 1024)

/*
 * One implementation.  Arguments, alignment and overlap as in aes_xts.h.
 *
 * setkey returns 0, EINVAL for a key length other than 32 or 64, ENOMEM or
 * ENXIO.  encrypt and decrypt return 0, EINVAL where len is outside
 * AES_XTS_LEN_MIN..max_len, ENOMEM or ENXIO; on an error nothing is written.
 */
struct aes_xts_impl {
	const char	*name;
	size_t		max_len;	/* bytes of one data unit */
	int	(*setkey)(struct aes_xts_key *k, const uint8_t *key,
		    size_t keylen);
	int	(*encrypt)(const struct aes_xts_key *k,
		    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
		    uint8_t *out, size_t len);
	int	(*decrypt)(const struct aes_xts_key *k,
		    const uint8_t tweak[AES_BLOCK_LEN], const uint8_t *in,
		    uint8_t *out, size_t len);
};

/* How the code is done; the later the faster. */
enum aesni_variant {
	AESNI_BLOCK,		/* AES-NI, one block at a time */
	AESNI_WRAP2,		/* AES-NI, eight blocks */
	AESNI_VAES2,		/* VAES and AVX2, 16 blocks */
	AESNI_VAES512,		/* VAES and AVX-512, 32 blocks */
	AESNI_VARIANTS
};

/*
 * How a region is put around it.
 * AESNI_NOCTX: a critical section for each data unit (FPU_KERN_NOCTX).
 *	max_len is AESNI_ATOMIC_MAX.  Does not sleep, never ENOMEM.
 * AESNI_CTX: a save area for each call; preemptible, no limit but
 *	AES_XTS_LEN_MAX.  MUST NOT be called where memory cannot be allocated.
 *	Needs no area in a thread that called fpu_kern_thread(9).
 */
enum aesni_bracket {
	AESNI_NOCTX,
	AESNI_CTX,
	AESNI_BRACKETS
};

/*
 * The implementations.  All give the same bytes and can use each other's
 * keys.  aesni_xts_get() returns NULL where the CPU lacks the instructions or
 * the system has not enabled the registers; then aesni_xts_lacks() says which,
 * and else returns NULL.  Each function of an implementation looks again, and
 * returns ENXIO before any region where it must not run.
 *
 * aesni_xts_best: the fastest one there is, or NULL.
 * aes_soft_xts_get: portable, never NULL, not constant-time.
 */
const struct aes_xts_impl	*aesni_xts_get(enum aesni_variant v,
				    enum aesni_bracket b);
const char			*aesni_xts_lacks(enum aesni_variant v);
const struct aes_xts_impl	*aesni_xts_best(enum aesni_bracket b);
const struct aes_xts_impl	*aes_soft_xts_get(void);

/* A key in use and how it is used.  The caller owns the memory. */
struct aesni_session {
	struct aes_xts_key		key;
	const struct aes_xts_impl	*impl;
};

/*
 * Set up a session for data units of at most max_len bytes, with the fastest
 * implementation that this CPU has and that takes this length.
 * Returns 0 or EINVAL (key length, or max_len above AES_XTS_LEN_MAX) or
 * ENOMEM; *ses MUST NOT be used then.
 */
int	aesni_session_init(struct aesni_session *ses, const uint8_t *key,
	    size_t keylen, size_t max_len);

/*
 * One data unit, numbered 'unit' (tweak: 'unit' as 16 little-endian bytes,
 * IEEE 1619 section 5.1).  Returns as encrypt and decrypt above do.
 * Several threads MAY use one session at once.
 */
int	aesni_session_encrypt(const struct aesni_session *ses, uint64_t unit,
	    const uint8_t *in, uint8_t *out, size_t len);
int	aesni_session_decrypt(const struct aesni_session *ses, uint64_t unit,
	    const uint8_t *in, uint8_t *out, size_t len);

/* Clear the keys. */
void	aesni_session_fini(struct aesni_session *ses);

#endif /* AESNI_H */
