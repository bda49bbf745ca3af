/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B08: every file is built without SSE and no rule mentions it, but one
 * function turns it back on with an attribute.  A checker that reads
 * flags sees nothing.  round2 needs a region; so does bad_mac, which
 * reaches it by a tail jump.  bad_path calls it after its own region.
 *
 * Build: the kernel's flags, no SIMD ("base").
 */
#include "fbsd.h"

typedef long long v2di __attribute__((vector_size(16)));

__attribute__((target("sse2,aes"), noinline))
static void
round2(unsigned char *b, const unsigned char *k)
{
	v2di x, y;

	__builtin_memcpy(&x, b, 16);
	__builtin_memcpy(&y, k, 16);
	x = __builtin_ia32_aesenc128(x ^ y, y);
	__builtin_memcpy(b, &x, 16);
}

void
bad_mac(unsigned char *b, const unsigned char *k)
{
	round2(b, k);			/* system call path, no region */
}

void
bad_path(struct fpu_kern_ctx *c, unsigned char *b, const unsigned char *k)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	round2(b, k);
	fpu_kern_leave(curthread, c);
	round2(b + 16, k);
}

void
good_path(struct fpu_kern_ctx *c, unsigned char *b, const unsigned char *k)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	round2(b, k);
	fpu_kern_leave(curthread, c);
}
