/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consumer: finds out whether the CPU has AES-NI, chooses an
 * implementation, and puts FPU regions around the SIMD code of aesni_wrap2.c.
 *
 * 1. This file is compiled with the kernel's own flags (no SSE, no MMX), so
 *    that no compiler can move a vector instruction across a bracket: there is
 *    none on this side of the call.
 * 2. Two brackets, for the two habits seen in kernels:
 *    noctx_*  enter with FPU_KERN_NOCTX, one call, leave.  A critical section:
 *             nothing inside may sleep or allocate, and its length is bounded
 *             by AESNI_ATOMIC_MAX.
 *    ctx_*    a save area, and no enter or leave in a thread that is in FPU
 *             mode for good (fpu_kern_thread).  The same flag decides at both
 *             ends; the region is preemptible.
 * 3. The raw functions are called by name and their addresses are not taken.
 *    What the tables hold are bracketed functions, safe to call anywhere.
 *
 * Invariant: on every path each enter meets one leave with the same context,
 * and every call of aesni_xts_* lies between them or in an FPU thread.
 *
 * Limits: a save area is allocated for each call of ctx_*; a driver would keep
 * one per CPU under a lock.
 *
 * Reference: fpu_kern(9); Intel SDM vol. 2A, CPUID.
 */

#include "aesni.h"
#include "kernel.h"

#define CPUID1_ECX_AES	(1u << 25)	/* leaf 1, ecx: AESENC and so on */
#define CPUID1_EDX_SSE2	(1u << 26)	/* leaf 1, edx */

/*
 * XCR0 does not matter here: the code is legacy-encoded SSE, which is enabled
 * by CR4.OSFXSR and CR0.EM, both set up by every amd64 kernel before it starts
 * a process.  VEX code (AVX, VAES) would need OSXSAVE (leaf 1 ecx bit 27) and
 * bits 1 and 2 of XCR0 as well.
 */
static int
have_aesni(void)
{
	unsigned int r[4];

	do_cpuid(0, r);
	if (r[0] < 1)
		return (0);
	do_cpuid(1, r);
	return ((r[2] & CPUID1_ECX_AES) != 0 && (r[3] & CPUID1_EDX_SSE2) != 0);
}

static int
noctx_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
{
	int error;

	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	error = aesni_xts_setkey(k, key, keylen);
	fpu_kern_leave(curthread, NULL);
	return (error != 0 ? EINVAL : 0);
}

static int
noctx_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	if (len < AES_XTS_LEN_MIN || len > AESNI_ATOMIC_MAX)
		return (EINVAL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aesni_xts_encrypt(k, tweak, in, out, len);
	fpu_kern_leave(curthread, NULL);
	return (0);
}

static int
noctx_decrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	if (len < AES_XTS_LEN_MIN || len > AESNI_ATOMIC_MAX)
		return (EINVAL);
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aesni_xts_decrypt(k, tweak, in, out, len);
	fpu_kern_leave(curthread, NULL);
	return (0);
}

enum op {
	OP_ENCRYPT,
	OP_DECRYPT
};

/*
 * Needs the caller's region.  Returning early is right here: who entered
 * leaves.
 */
static int
ctx_cipher(enum op op, const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	if (len < AES_XTS_LEN_MIN || len > AES_XTS_LEN_MAX)
		return (EINVAL);
	if (op == OP_ENCRYPT)
		aesni_xts_encrypt(k, tweak, in, out, len);
	else
		aesni_xts_decrypt(k, tweak, in, out, len);
	return (0);
}

static int
ctx_process(enum op op, const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	struct fpu_kern_ctx *ctx = NULL;
	int error, kt;

	kt = is_fpu_kern_thread(0);
	if (!kt) {
		ctx = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);
		if (ctx == NULL)
			return (ENOMEM);
		fpu_kern_enter(curthread, ctx,
		    FPU_KERN_NORMAL | FPU_KERN_KTHR);
	}
	error = ctx_cipher(op, k, tweak, in, out, len);
	if (!kt) {
		fpu_kern_leave(curthread, ctx);
		fpu_kern_free_ctx(ctx);
	}
	return (error);
}

static int
ctx_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	return (ctx_process(OP_ENCRYPT, k, tweak, in, out, len));
}

static int
ctx_decrypt(const struct aes_xts_key *k, const uint8_t *tweak,
    const uint8_t *in, uint8_t *out, size_t len)
{
	return (ctx_process(OP_DECRYPT, k, tweak, in, out, len));
}

static int
ctx_setkey(struct aes_xts_key *k, const uint8_t *key, size_t keylen)
{
	struct fpu_kern_ctx *ctx = NULL;
	int error, kt;

	kt = is_fpu_kern_thread(0);
	if (!kt) {
		ctx = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);
		if (ctx == NULL)
			return (ENOMEM);
		fpu_kern_enter(curthread, ctx,
		    FPU_KERN_NORMAL | FPU_KERN_KTHR);
	}
	error = aesni_xts_setkey(k, key, keylen);
	if (!kt) {
		fpu_kern_leave(curthread, ctx);
		fpu_kern_free_ctx(ctx);
	}
	return (error != 0 ? EINVAL : 0);
}

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

static const struct aes_xts_impl noctx_impl = {
	"aesni-noctx", AESNI_ATOMIC_MAX,
	noctx_setkey, noctx_encrypt, noctx_decrypt
};

static const struct aes_xts_impl ctx_impl = {
	"aesni-ctx", AES_XTS_LEN_MAX, ctx_setkey, ctx_encrypt, ctx_decrypt
};

static const struct aes_xts_impl soft_impl = {
	"soft", AES_XTS_LEN_MAX, soft_setkey, soft_encrypt, soft_decrypt
};

/* See aesni.h. */
const struct aes_xts_impl *
aesni_xts_get(void)
{
	return (have_aesni() ? &noctx_impl : NULL);
}

/* See aesni.h. */
const struct aes_xts_impl *
aesni_xts_ctx_get(void)
{
	return (have_aesni() ? &ctx_impl : NULL);
}

/* See aesni.h. */
const struct aes_xts_impl *
aes_soft_xts_get(void)
{
	return (&soft_impl);
}

/* See aesni.h. */
int
aesni_session_init(struct aesni_session *ses, const uint8_t *key,
    size_t keylen, size_t max_len)
{
	if (max_len > AES_XTS_LEN_MAX)
		return (EINVAL);
	if (max_len <= AESNI_ATOMIC_MAX)
		ses->impl = aesni_xts_get();
	else
		ses->impl = aesni_xts_ctx_get();
	if (ses->impl == NULL)
		ses->impl = aes_soft_xts_get();
	return (ses->impl->setkey(&ses->key, key, keylen));
}

static void
unit_tweak(uint8_t tweak[AES_BLOCK_LEN], uint64_t unit)
{
	for (int i = 0; i < AES_BLOCK_LEN; i++)
		tweak[i] = i < 8 ? (uint8_t)(unit >> (8 * i)) : 0;
}

/* See aesni.h. */
int
aesni_session_encrypt(const struct aesni_session *ses, uint64_t unit,
    const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t tweak[AES_BLOCK_LEN];

	unit_tweak(tweak, unit);
	return (ses->impl->encrypt(&ses->key, tweak, in, out, len));
}

/* See aesni.h. */
int
aesni_session_decrypt(const struct aesni_session *ses, uint64_t unit,
    const uint8_t *in, uint8_t *out, size_t len)
{
	uint8_t tweak[AES_BLOCK_LEN];

	unit_tweak(tweak, unit);
	return (ses->impl->decrypt(&ses->key, tweak, in, out, len));
}

/* See aesni.h. */
void
aesni_session_fini(struct aesni_session *ses)
{
	explicit_bzero(ses, sizeof(*ses));
}
