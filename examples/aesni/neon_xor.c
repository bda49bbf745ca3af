/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The XOR of two 16-byte blocks with NEON: a stub of the example for arm64,
 * to show its build rule.  Callers hold a region.
 */
#include <arm_neon.h>

#include "neon_xor.h"

/* See neon_xor.h. */
void
neon_xor(unsigned char *out, const unsigned char *a, const unsigned char *b)
{
	vst1q_u8(out, veorq_u8(vld1q_u8(a), vld1q_u8(b)));
}
