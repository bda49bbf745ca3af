/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * AES instructions and what the CPU was asked first.  All brackets pair;
 * the kernel's baseline has SSE2, but not AES.
 *
 * good_gate	asks CPUID leaf 1, %ecx bit 25
 * good_exit	gives up early if the bit is not set
 * bad_none	asks nothing
 * bad_bit	asks for bit 1, another feature
 *
 * Build: the kernel's flags, no SIMD ("base").
 */
#include <wmmintrin.h>
#include "fbsd.h"

static inline uint32_t
cpuid1_ecx(void)
{
	uint32_t a = 1, b, c = 0, d;

	__asm__("cpuid" : "+a" (a), "=b" (b), "+c" (c), "=d" (d));
	return (c);
}

__attribute__((target("sse2,aes"), noinline))
static void
aes_one(uint8_t *p, const uint8_t *k)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);

	v = _mm_aesenc_si128(v, _mm_loadu_si128((const __m128i *)k));
	_mm_storeu_si128((__m128i *)p, v);
}

int
good_gate(uint8_t *p, const uint8_t *k, struct fpu_kern_ctx *c)
{
	if ((cpuid1_ecx() & 1u << 25) != 0) {
		fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
		aes_one(p, k);
		fpu_kern_leave(curthread, c);
		return (0);
	}
	return (EINVAL);
}

int
good_exit(uint8_t *p, const uint8_t *k, struct fpu_kern_ctx *c)
{
	if ((cpuid1_ecx() >> 25 & 1) == 0)
		return (EINVAL);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	aes_one(p, k);
	fpu_kern_leave(curthread, c);
	return (0);
}

int
bad_none(uint8_t *p, const uint8_t *k, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	aes_one(p, k);
	fpu_kern_leave(curthread, c);
	return (0);
}

int
bad_bit(uint8_t *p, const uint8_t *k, struct fpu_kern_ctx *c)
{
	if ((cpuid1_ecx() & 1u << 1) == 0)
		return (EINVAL);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	aes_one(p, k);
	fpu_kern_leave(curthread, c);
	return (0);
}
