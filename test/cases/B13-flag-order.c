/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B13: the same three functions under eleven flag lines; which of them
 * hold SIMD, x87, red-zone accesses or GOT loads depends on the order of
 * the flags only.
 *
 * Build: "flags-1" .. "flags-11": the line of B13-flag-order.txt with that
 * number, plus -ffreestanding and (unless the line says -fPIC) -fno-pic.
 */
unsigned	sum(const unsigned *, int);
void		clear(long *);
int		ratio(int, int);

unsigned
sum(const unsigned *p, int n)
{
	unsigned s = 0;

	for (int i = 0; i < n; i++)
		s += p[i];
	return (s);
}

void
clear(long *p)
{
	for (int i = 0; i < 8; i++)
		p[i] = 0;
}

int
ratio(int n, int d)
{
	return ((int)((double)n / d * 3));
}
