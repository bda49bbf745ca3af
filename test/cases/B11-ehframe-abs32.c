/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B11: unwind tables that cannot reach the kernel half.  When gcc writes
 * the DWARF itself and the code model is small, the FDE's start address
 * is an R_X86_64_32; at 0xffffffff80000000 it is truncated.
 *
 * Build: "ehframe-small": -O2 -ffreestanding -fno-pic -mcmodel=small
 * -fasynchronous-unwind-tables -fno-dwarf2-cfi-asm (gcc only).
 * "ehframe-kernel": the same with -mcmodel=kernel, R_X86_64_64, fits.
 * Link with B11-high-half.txt to see the linker's message.
 */
int	counter;
int	entry(int);

int
entry(int x)
{
	counter += x;
	return (counter);
}
