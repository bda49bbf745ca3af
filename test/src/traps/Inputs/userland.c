// SPDX-License-Identifier: BSD-2-Clause
float
twice(float x)
{
	return (x * 2);
}
