/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The red zone left on: a leaf function keeps data below %rsp, where the
 * next interrupt writes.
 *
 * bad_swap	keeps a small array there
 * good_parity	keeps everything in registers
 *
 * Build: "redzone": the kernel's flags without -mno-red-zone (wrong); under
 * "base" both are clean.
 */
#include <stdint.h>

uint32_t	bad_swap(uint32_t v);
uint32_t	good_parity(uint32_t v);

uint32_t
bad_swap(uint32_t v)
{
	volatile uint8_t b[4];

	for (int i = 0; i < 4; i++)
		b[i] = (uint8_t)(v >> 8 * i);
	return ((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
	    (uint32_t)b[2] << 8 | b[3]);
}

uint32_t
good_parity(uint32_t v)
{
	v ^= v >> 16;
	v ^= v >> 8;
	v ^= v >> 4;
	return (0x6996u >> (v & 15) & 1);
}
