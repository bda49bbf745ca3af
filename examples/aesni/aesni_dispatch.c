/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which implementations may run here, and sessions, which take the fastest.
 *
 * 1. Instruction sets are bits of CPUID, leaves 1 and 7; leaf 7 is asked only
 *    if leaf 0 says that it is there, for the answer is another leaf's
 *    otherwise.
 * 2. A bit of CPUID says that the CPU has the instructions, not that they can
 *    be used: those with a VEX or EVEX prefix raise #UD unless the system has
 *    switched on XSAVE (CR4.OSXSAVE, seen in leaf 1) and the registers (XCR0,
 *    read by XGETBV, itself #UD without OSXSAVE): bits 1 and 2 for XMM and
 *    YMM, 5 to 7 for mask registers, ZMM and its upper 16.  Legacy SSE code
 *    needs none of that; every amd64 kernel sets CR4.OSFXSR.
 * 3. The result is kept in aesni_ready, which every function of aesni.c tests
 *    before it enters a region.
 *
 * Invariant: aesni_ready is 0, or final.  Two threads that come first at once
 * write the same.
 *
 * Limits: a machine whose CPUs differ is not looked at.
 *
 * Reference: Intel SDM vol. 1, 13.2, 14.3 and 15.2; vol. 2A, CPUID.
 */

#include "aesni_cpu.h"
#include "kernel.h"

/* Leaf 1. */
#define ECX1_AES	(1u << 25)
#define ECX1_OSXSAVE	(1u << 27)
#define ECX1_AVX	(1u << 28)
#define EDX1_SSE2	(1u << 26)
/* Leaf 7. */
#define EBX7_AVX2	(1u << 5)
#define EBX7_AVX512F	(1u << 16)
#define EBX7_AVX512BW	(1u << 30)
#define ECX7_VAES	(1u << 9)
#define ECX7_VPCLMULQDQ	(1u << 10)

#define XCR0_YMM	0x06u		/* XMM, YMM */
#define XCR0_ZMM	0xe6u		/* and masks, ZMM, ZMM 16 to 31 */

unsigned int aesni_ready;

static uint64_t
xgetbv0(void)
{
	uint32_t a, d;

	__asm__ volatile("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
	return ((uint64_t)d << 32 | a);
}

static void
cpu_look(struct aesni_cpu *c)
{
	unsigned int r[4], leaves;

	c->ebx7 = c->ecx7 = 0;
	c->xcr0 = 0;
	do_cpuid(0, r);
	leaves = r[0];
	do_cpuid(1, r);
	c->ecx1 = r[2];
	c->edx1 = r[3];
	if (leaves >= 7) {
		do_cpuid(7, r);
		c->ebx7 = r[1];
		c->ecx7 = r[2];
	}
	if ((c->ecx1 & ECX1_OSXSAVE) != 0)
		c->xcr0 = xgetbv0();
}

static int
all(uint64_t bits, uint64_t wanted)
{
	return ((bits & wanted) == wanted);
}

/* See aesni_cpu.h. */
const char *
aesni_cpu_lacks(const struct aesni_cpu *c, enum aesni_variant v)
{
	if (!all(c->ecx1, ECX1_AES) || !all(c->edx1, EDX1_SSE2))
		return ("this CPU lacks AES-NI");
	if (v == AESNI_BLOCK || v == AESNI_WRAP2)
		return (NULL);
	if (!all(c->ecx7, ECX7_VAES | ECX7_VPCLMULQDQ))
		return ("this CPU lacks VAES or VPCLMULQDQ");
	if (!all(c->ecx1, ECX1_AVX) || !all(c->ebx7, EBX7_AVX2))
		return ("this CPU lacks AVX2");
	if (v == AESNI_VAES512 &&
	    !all(c->ebx7, EBX7_AVX512F | EBX7_AVX512BW))
		return ("this CPU lacks AVX-512 F or BW");
	if (!all(c->ecx1, ECX1_OSXSAVE) || !all(c->xcr0, XCR0_YMM))
		return ("the system has not enabled YMM registers");
	if (v == AESNI_VAES512 && !all(c->xcr0, XCR0_ZMM))
		return ("the system has not enabled ZMM registers");
	return (NULL);
}

static unsigned int
ready(void)
{
	struct aesni_cpu c;
	unsigned int bits = AESNI_READY_KNOWN;

	if (aesni_ready != 0)
		return (aesni_ready);
	cpu_look(&c);
	if (aesni_cpu_lacks(&c, AESNI_WRAP2) == NULL)
		bits |= AESNI_READY_AES;
	if (aesni_cpu_lacks(&c, AESNI_VAES2) == NULL)
		bits |= AESNI_READY_VAES2;
	if (aesni_cpu_lacks(&c, AESNI_VAES512) == NULL)
		bits |= AESNI_READY_VAES512;
	aesni_ready = bits;
	return (bits);
}

/* See aesni.h. */
const char *
aesni_xts_lacks(enum aesni_variant v)
{
	struct aesni_cpu c;

	cpu_look(&c);
	return (aesni_cpu_lacks(&c, v));
}

/* See aesni.h. */
const struct aes_xts_impl *
aesni_xts_get(enum aesni_variant v, enum aesni_bracket b)
{
	static const unsigned int wanted[AESNI_VARIANTS] = {
		AESNI_READY_AES, AESNI_READY_AES, AESNI_READY_VAES2,
		AESNI_READY_VAES512
	};

	return ((ready() & wanted[v]) != 0 ? &aesni_impl[v][b] : NULL);
}

/* See aesni.h. */
const struct aes_xts_impl *
aesni_xts_best(enum aesni_bracket b)
{
	const struct aes_xts_impl *impl = NULL;

	for (int v = AESNI_VARIANTS - 1; v > AESNI_BLOCK && impl == NULL; v--)
		impl = aesni_xts_get((enum aesni_variant)v, b);
	return (impl);
}

/* See aesni.h. */
int
aesni_session_init(struct aesni_session *ses, const uint8_t *key,
    size_t keylen, size_t max_len)
{
	if (max_len > AES_XTS_LEN_MAX)
		return (EINVAL);
	ses->impl = aesni_xts_best(max_len <= AESNI_ATOMIC_MAX ?
	    AESNI_NOCTX : AESNI_CTX);
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
