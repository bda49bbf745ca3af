/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A leaf function whose locals lie below %rsp unless -mno-red-zone is given.
 * Compiled with the generated rule's flags and with those of 2012.
 *
 * An interrupt aligns the stack before it writes, so it may spare the first 8
 * bytes below %rsp; there are more here.  The loop is what QEMU can interrupt:
 * it does so between basic blocks only.
 */
#include <stdint.h>

uint64_t	red_zone_sum(uint64_t v, unsigned int n);

/* v + (v + 1) + ... + (v + 7), n times; volatile keeps the words in memory. */
uint64_t
red_zone_sum(uint64_t v, unsigned int n)
{
	volatile uint64_t w[8];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < 8; i++)
		w[i] = v + i;
	for (unsigned int i = 0; i < 8 * n; i++)
		sum += w[i % 8];
	return (sum);
}
