/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the CPU has and the system has enabled, for the files of the consumer
 * and for tests.
 */
#ifndef AESNI_CPU_H
#define AESNI_CPU_H

#include "aesni.h"

/* Words of CPUID (0 for a leaf that the CPU does not have), and XCR0. */
struct aesni_cpu {
	unsigned int	edx1, ecx1;	/* leaf 1 */
	unsigned int	ebx7, ecx7;	/* leaf 7, subleaf 0 */
	uint64_t	xcr0;		/* 0 without OSXSAVE in ecx1 */
};

/*
 * Bits of aesni_ready: all that the variant needs is there.  aesni.prof tells
 * ksimd which instruction sets that are.
 */
#define AESNI_READY_AES		0x1u	/* AESNI_BLOCK, AESNI_WRAP2 */
#define AESNI_READY_VAES2	0x2u
#define AESNI_READY_VAES512	0x4u
#define AESNI_READY_KNOWN	0x80u	/* looked; without it the others are 0 */

/* Set by the first call of a getter. */
extern unsigned int	aesni_ready;

/* What 'cpu' lacks for this variant, or NULL. */
const char	*aesni_cpu_lacks(const struct aesni_cpu *cpu,
		    enum aesni_variant v);

/* The tables, of aesni.c. */
extern const struct aes_xts_impl
	aesni_impl[AESNI_VARIANTS][AESNI_BRACKETS];

#endif /* AESNI_CPU_H */
