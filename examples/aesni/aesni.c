/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: puts FPU regions around the SIMD code of the other files.
 *
 * 1. This file is compiled with the kernel's own flags (no SSE, no MMX), so
 *    that no compiler can move a vector instruction across a bracket: there is
 *    none on this side of the call.
 * 2. Two brackets, for the two habits seen in kernels:
 *    NOCTX    enter with FPU_KERN_NOCTX, one call, leave.  A critical section:
 *             nothing inside may sleep or allocate, and its length is bounded
 *             by AESNI_ATOMIC_MAX.
 *    CTX      a save area, and no enter or leave in a thread that is in FPU
 *             mode for good (fpu_kern_thread).  The same flag decides at both
 *             ends; the region is preemptible.
 *    They are macros, not functions with a pointer: the raw functions are
 *    called by name and their addresses are not taken.  What the tables hold
 *    are bracketed functions, safe to call anywhere.
 * 3. Each tests aesni_ready first, whatever a getter has said before: on a CPU
 *    without the instructions, and before anybody has looked, it does nothing.
 *
 * Invariant: on every path each enter meets one leave with the same context,
 * and every call of a raw function lies between them or in an FPU thread.
 *
 * Limits: a save area is allocated for each call of CTX functions; a driver
 * would keep one per CPU under a lock.
 *
 * Reference: fpu_kern(9).
 */

#include "aesni_cpu.h"
#include "kernel.h"

/* CALL is the raw function's; 'error' is what it says. */
#define NOCTX(ready, len_ok, CALL)					\
{									\
	int error = 0;							\
									\
	if ((aesni_ready & (ready)) == 0)				\
		return (ENXIO);						\
	if (!(len_ok))							\
		return (EINVAL);					\
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);		\
	CALL;								\
	fpu_kern_leave(curthread, NULL);				\
	return (error != 0 ? EINVAL : 0);				\
}

#define CTX(ready, len_ok, CALL)					\
{									\
	struct fpu_kern_ctx *ctx = NULL;				\
	int error = 0, kt;						\
									\
	if ((aesni_ready & (ready)) == 0)				\
		return (ENXIO);						\
	if (!(len_ok))							\
		return (EINVAL);					\
	kt = is_fpu_kern_thread(0);					\
	if (!kt) {							\
		ctx = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);		\
		if (ctx == NULL)					\
			return (ENOMEM);				\
		fpu_kern_enter(curthread, ctx,				\
		    FPU_KERN_NORMAL | FPU_KERN_KTHR);			\
	}								\
	CALL;								\
	if (!kt) {							\
		fpu_kern_leave(curthread, ctx);				\
		fpu_kern_free_ctx(ctx);					\
	}								\
	return (error != 0 ? EINVAL : 0);				\
}

static int
noctx_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
NOCTX(AESNI_READY_AES, 1, error = aesni_xts_setkey(k, key, keylen))

static int
ctx_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
CTX(AESNI_READY_AES, 1, error = aesni_xts_setkey(k, key, keylen))

/* One direction of one variant, in both brackets. */
#define CIPHER(name, ready, raw)					\
static int								\
noctx_##name(const struct aes_xts_key *k, const uint8_t *tweak,		\
    const uint8_t *in, uint8_t *out, size_t len)			\
NOCTX(ready, len >= AES_XTS_LEN_MIN && len <= AESNI_ATOMIC_MAX,		\
    raw(k, tweak, in, out, len))					\
									\
static int								\
ctx_##name(const struct aes_xts_key *k, const uint8_t *tweak,		\
    const uint8_t *in, uint8_t *out, size_t len)			\
CTX(ready, len >= AES_XTS_LEN_MIN && len <= AES_XTS_LEN_MAX,		\
    raw(k, tweak, in, out, len))

CIPHER(block_encrypt, AESNI_READY_AES, aesni_block_xts_encrypt)
CIPHER(block_decrypt, AESNI_READY_AES, aesni_block_xts_decrypt)
CIPHER(encrypt, AESNI_READY_AES, aesni_xts_encrypt)
CIPHER(decrypt, AESNI_READY_AES, aesni_xts_decrypt)
CIPHER(vaes2_encrypt, AESNI_READY_VAES2, aesni_vaes2_xts_encrypt)
CIPHER(vaes2_decrypt, AESNI_READY_VAES2, aesni_vaes2_xts_decrypt)
CIPHER(vaes512_encrypt, AESNI_READY_VAES512, aesni_vaes512_xts_encrypt)
CIPHER(vaes512_decrypt, AESNI_READY_VAES512, aesni_vaes512_xts_decrypt)

static int
soft_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
{
	return (aes_soft_xts_setkey(k, key, keylen) != 0 ? EINVAL : 0);
}

static int
soft_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	if (len < AES_XTS_LEN_MIN || len > AES_XTS_LEN_MAX)
		return (EINVAL);
	aes_soft_xts_encrypt(k, tweak, in, out, len);
	return (0);
}

static int
soft_decrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	if (len < AES_XTS_LEN_MIN || len > AES_XTS_LEN_MAX)
		return (EINVAL);
	aes_soft_xts_decrypt(k, tweak, in, out, len);
	return (0);
}

static const struct aes_xts_impl soft_impl = {
	"soft", AES_XTS_LEN_MAX, soft_setkey, soft_encrypt, soft_decrypt
};

#define IMPL(text, name) {						\
	{ text "-noctx", AESNI_ATOMIC_MAX, noctx_setkey,		\
	    noctx_##name##encrypt, noctx_##name##decrypt },		\
	{ text "-ctx", AES_XTS_LEN_MAX, ctx_setkey,			\
	    ctx_##name##encrypt, ctx_##name##decrypt }			\
}

/* See aesni_cpu.h. */
const struct aes_xts_impl aesni_impl[AESNI_VARIANTS][AESNI_BRACKETS] = {
	[AESNI_BLOCK] = IMPL("block", block_),
	[AESNI_WRAP2] = IMPL("aesni", ),
	[AESNI_VAES2] = IMPL("vaes2", vaes2_),
	[AESNI_VAES512] = IMPL("vaes512", vaes512_)
};

/* See aesni.h. */
const struct aes_xts_impl *
aes_soft_xts_get(void)
{
	return (&soft_impl);
}
