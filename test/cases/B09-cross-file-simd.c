/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B09, second file: needs an open region in every caller.
 *
 * Build: the kernel's flags with SSE2 switched on ("simd").
 */
int	dml_calc(const int *, int);

int
dml_calc(const int *v, int n)
{
	double acc = 0;

	for (int i = 0; i < n; i++)
		acc += v[i] * 0.125;
	return ((int)acc);
}
