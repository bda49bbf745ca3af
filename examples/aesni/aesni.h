/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer's interface: AES-XTS that may be called from any thread, with
 * or without AES-NI.  Callers hold no FPU region; the functions here enter and
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
 * setkey returns 0, EINVAL for a key length other than 32 or 64, or ENOMEM.
 * encrypt and decrypt return 0, EINVAL where len is outside
 * AES_XTS_LEN_MIN..max_len, or ENOMEM; on an error nothing is written.
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

/*
 * The implementations.  All give the same bytes and can use each other's
 * keys.  A getter returns NULL where this CPU lacks AES-NI; it is the only way
 * to the code, so code for another CPU is never reached.
 *
 * aesni_xts_get: a critical section for each data unit (FPU_KERN_NOCTX).
 *	max_len is AESNI_ATOMIC_MAX.  Does not sleep, never ENOMEM.
 * aesni_xts_ctx_get: a save area for each call; preemptible, no limit but
 *	AES_XTS_LEN_MAX.  MUST NOT be called where memory cannot be allocated.
 *	Needs no area in a thread that called fpu_kern_thread(9).
 * aes_soft_xts_get: portable, never NULL, not constant-time.
 */
const struct aes_xts_impl	*aesni_xts_get(void);
const struct aes_xts_impl	*aesni_xts_ctx_get(void);
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
