/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B01: a whole file is built with floating point on and nobody opens a
 * region.  bad_clk and bad_bw need one from their callers; good_int does
 * integer work only and must stay silent.
 *
 * Build: the kernel's flags with SSE2 switched on ("simd").
 */
static double
ceil_to(double v, double step)
{
	long n = (long)(v / step);

	return ((n + (n * step < v)) * step);
}

int
bad_clk(int px, int bpp)
{
	return ((int)ceil_to(px * 1.25 * bpp / 8.0, 0.5));
}

void
bad_bw(const float *in, float *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = in[i] * 0.97f;
}

int
good_int(int px, int bpp)
{
	return (px * 5 / 4 * bpp / 8);
}
