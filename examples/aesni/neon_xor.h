/*
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef NEON_XOR_H
#define NEON_XOR_H

/*
 * out = a ^ b, 16 bytes each; they may be the same.  MUST be called inside a
 * region (fpu_kern_enter).
 */
void	neon_xor(unsigned char *out, const unsigned char *a,
	    const unsigned char *b);

#endif
