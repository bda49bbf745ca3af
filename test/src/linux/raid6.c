// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Assembly in statements of their own between enter and leave, behind a table
// from which the fastest is chosen at run time.
#include "lnx.h"

struct parity_ops {
	void	(*gen)(int, size_t, void **);
	void	(*xor_part)(int, int, int, size_t, void **);
	int	(*valid)(void);
	const char *name;
};
extern unsigned long jiffies;
int	have_sse2(void);

static void
gen_sse2(int disks, size_t bytes, void **ptrs)
{
	uint8_t **d = (uint8_t **)ptrs;
	uint8_t *p = d[disks - 2];

	kernel_fpu_begin();
	__asm__ volatile("pxor %xmm4,%xmm4");
	for (size_t i = 0; i < bytes; i += 16) {
		__asm__ volatile("movdqa %0,%%xmm2" : : "m" (d[0][i]));
		for (int z = 1; z < disks - 2; z++)
			__asm__ volatile("pxor %0,%%xmm2" : : "m" (d[z][i]));
		__asm__ volatile("movntdq %%xmm2,%0" : "=m" (p[i]));
	}
	__asm__ volatile("sfence" : : : "memory");
	kernel_fpu_end();
}

static const struct parity_ops sse2 = { gen_sse2, NULL, have_sse2, "sse2" };
static const struct parity_ops *const all[] = { &sse2, NULL };
struct parity_ops parity_call;

int
select_best(size_t bytes, void **ptrs)
{
	const struct parity_ops *best = NULL;

	for (const struct parity_ops *const *a = all; *a != NULL; a++) {
		unsigned long start, end, n = 0;

		if ((*a)->valid != NULL && !(*a)->valid())
			continue;
		start = jiffies;
		for (end = start + 8; jiffies - end > 8; n++)
			(*a)->gen(8, bytes, ptrs);
		if (best == NULL || n > 10)
			best = *a;
	}
	if (best == NULL)
		return (-EINVAL);
	parity_call = *best;
	return (0);
}

void
bad_hurry(int disks, size_t bytes, void **ptrs)
{
	kernel_fpu_begin();
	if (bytes == 0)
		// CHECK: [[#@LINE+1]]:3: error: {{.*}}[region-not-left]
		return;
	__asm__ volatile("movdqa %0,%%xmm2" : : "m" (*(char *)ptrs[disks]));
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: SIMD state is used outside a region{{.*}}[simd-outside-region]
	__asm__ volatile("pxor %xmm2,%xmm2");
}
