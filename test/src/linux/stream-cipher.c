// RUN: echo "needs xor_ssse3" > %t.contract
// RUN: echo "needs xor_avx2" >> %t.contract
// RUN: echo "needs mac_avx" >> %t.contract
// RUN: %not %ksimd check --profile linux --contract %t.contract %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Library code for a tunnel: patched branches choose the instruction set, a
// page a region so that others may run, and a fallback on top.
#include "lnx.h"

struct key { int enabled; };
static struct key use_simd, use_avx2;
// A jump label: a nop or a jump, patched at run time.
static inline __attribute__((always_inline)) bool
branch_on(struct key *const key)
{
	__asm__ goto("1: .byte 0x0f,0x1f,0x44,0,0\n\t"
	    ".pushsection __jump_table, \"aw\"\n\t"
	    ".long 1b - ., %l[yes] - .\n\t.quad %c0 - .\n\t.popsection"
	    : : "i" (key) : : yes);
	return (false);
yes:
	return (true);
}
#define min(a, b)	((a) < (b) ? (a) : (b))

void	xor_generic(uint32_t *, uint8_t *, const uint8_t *, unsigned int);
void	xor_ssse3(uint32_t *, uint8_t *, const uint8_t *, unsigned int);
void	xor_avx2(uint32_t *, uint8_t *, const uint8_t *, unsigned int);
void	mac_avx(void *, const uint8_t *, size_t);
void	mac_scalar(void *, const uint8_t *, size_t);
bool	crypto_simd_usable(void);

// CHECK: note: 'xor_simd' must be called inside a region{{.*}}[needs-region]
static void
xor_simd(uint32_t *s, uint8_t *dst, const uint8_t *src, unsigned int n)
{
	if (branch_on(&use_avx2)) {
		for (; n >= 512; n -= 512, src += 512, dst += 512)
			xor_avx2(s, dst, src, 512);
		if (n == 0)
			return;
	}
	xor_ssse3(s, dst, src, n);
}

void
xor_arch(uint32_t *s, uint8_t *dst, const uint8_t *src, unsigned int n)
{
	if (!branch_on(&use_simd) || n <= 64 || !crypto_simd_usable())
		return (xor_generic(s, dst, src, n));
	do {
		unsigned int todo = min(n, 4096u);

		kernel_fpu_begin();
		xor_simd(s, dst, src, todo);
		kernel_fpu_end();
		n -= todo;
		src += todo;
		dst += todo;
	} while (n != 0);
}

void
mac_arch(void *ctx, const uint8_t *p, size_t n)
{
	if (!branch_on(&use_simd) || n < 288 || !crypto_simd_usable()) {
		mac_scalar(ctx, p, n);
		return;
	}
	do {
		const size_t bytes = min(n, (size_t)4096);

		kernel_fpu_begin();
		mac_avx(ctx, p, bytes);
		kernel_fpu_end();
		n -= bytes;
		p += bytes;
	} while (n != 0);
}

// Reschedules inside its region.
void
bad_relax(uint32_t *s, uint8_t *dst, const uint8_t *src, unsigned int n)
{
	kernel_fpu_begin();
	for (; n >= 4096; n -= 4096) {
		xor_simd(s, dst, src, 4096);
		// CHECK: [[#@LINE+1]]:3: error: 'cond_resched' {{.*}}[region-sleeps]
		cond_resched();
	}
	kernel_fpu_end();
}

// The test is of the wrong branch.
void
bad_branch(uint32_t *s, uint8_t *dst, const uint8_t *src, unsigned int n)
{
	if (branch_on(&use_simd))
		kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: error: 'xor_simd' needs a region and is called outside one [simd-outside-region]
	xor_simd(s, dst, src, n);
	// CHECK: [[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}
