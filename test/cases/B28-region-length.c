/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B28: the region is too short, too long, or dropped at a bad moment.
 *
 * bad_perblock	 pays one enter and leave per 16 bytes
 * bad_unbounded keeps preemption off for a length the caller controls
 * unclear_relax drops the region while the state is in a form only the
 *		 SIMD code understands (no check covers it)
 * good_chunks	 bounds each region at 4 KiB
 *
 * Build: the kernel's flags, no SIMD ("base").  aes16() and blocks_simd()
 * live in another file; cases.contract says that they need a region.
 */
#include "lnx.h"

struct acc {
	unsigned long	h[5];
	int		radix26;
};

void	aes16(unsigned char *);
void	blocks_simd(struct acc *, const void *, size_t);
void	blocks_scalar(struct acc *, const void *, size_t);

void
bad_perblock(unsigned char *p, size_t n)
{
	for (; n >= 16; n -= 16, p += 16) {
		kernel_fpu_begin();
		aes16(p);
		kernel_fpu_end();
	}
}

void
bad_unbounded(unsigned char *p, size_t n)
{
	kernel_fpu_begin();
	for (; n >= 16; n -= 16, p += 16)
		aes16(p);
	kernel_fpu_end();
}

void
unclear_relax(struct acc *a, const unsigned char *p, size_t n)
{
	kernel_fpu_begin();
	blocks_simd(a, p, 64);		/* leaves a->h in base 2^26 */
	kernel_fpu_end();
	cond_resched();
	blocks_scalar(a, p + 64, n - 64);	/* expects base 2^64 */
}

void
good_chunks(unsigned char *p, size_t n)
{
	while (n >= 16) {
		size_t c = n > 4096 ? 4096 : n & ~(size_t)15;

		kernel_fpu_begin();
		for (size_t i = 0; i < c; i += 16)
			aes16(p + i);
		kernel_fpu_end();
		p += c;
		n -= c;
	}
}
