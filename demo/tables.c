/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two things that are harmless where programs run, and not in a kernel, if
 * the kernel's flags are lost: a table of another file, which
 * position-independent code reaches through the global offset table, and
 * locals of a leaf function, which may lie below the stack pointer.
 *
 * Compiled with the kernel's flags, both are right.
 */
#include <stdint.h>

extern const uint8_t	demo_sbox[256];		/* rest.c */

uint8_t		demo_sub(uint8_t v);
uint32_t	demo_swap(uint32_t v);

uint8_t
demo_sub(uint8_t v)
{
	return (demo_sbox[v]);
}

/* volatile keeps the bytes in memory. */
uint32_t
demo_swap(uint32_t v)
{
	volatile uint8_t b[4];

	for (int i = 0; i < 4; i++)
		b[i] = (uint8_t)(v >> 8 * i);
	return ((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
	    (uint32_t)b[2] << 8 | b[3]);
}
