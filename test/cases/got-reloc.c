/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Position-independent code: an extern variable is reached through the
 * GOT, which module loaders refuse.  A hidden one is not.
 *
 * bad_limit	reads an extern variable
 * good_count	reads and writes a hidden one
 *
 * Build: "pic": the kernel's flags with -fPIC (wrong); under "base" both
 * are clean.
 */
extern int	hw_limit;
extern int	hw_count __attribute__((visibility("hidden")));

int	bad_limit(int);
int	good_count(int);

int
bad_limit(int n)
{
	return (n > hw_limit);
}

int
good_count(int n)
{
	hw_count += n;
	return (hw_count);
}
