// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// A lookup of packets: macros that expand to assembly with 256-bit registers,
// helpers by group width, one region in the function that guards it.
#include "lnx.h"

#define LOAD(reg, at)	__asm__ volatile("vmovdqa %0, %%ymm" #reg : : "m" (at))
#define AND(d, a, b)	\
	__asm__ volatile("vpand %ymm" #a ", %ymm" #b ", %ymm" #d)
#define NOMATCH_GOTO(reg, label)					\
	__asm__ goto("vptest %%ymm" #reg ", %%ymm" #reg "; je %l[" #label "]" \
	    : : : : label)
#define STORE(at, reg)	__asm__ volatile("vmovdqa %%ymm" #reg ", %0" : "=m" (at))

struct field { unsigned long *table; int groups; };

// CHECK: note: 'match_2' must be called inside a region{{.*}}[needs-region]
static int
match_2(unsigned long *map, const struct field *f, const uint8_t *key)
{
	for (int i = 0; i < 4; i++) {
		LOAD(0, f->table[key[0] + i]);
		LOAD(1, f->table[key[1] + i]);
		AND(2, 0, 1);
		NOMATCH_GOTO(2, next);
		STORE(map[i], 2);
		return (i);
next:
		continue;
	}
	return (-1);
}

bool	lookup_scalar(const struct field *, const uint8_t *);
extern unsigned long *scratch(void);
void	local_bh_disable(void), local_bh_enable(void);

bool
good_lookup(const struct field *f, int n, const uint8_t *key)
{
	unsigned long *map;
	bool ret = false;

	local_bh_disable();
	if (!irq_fpu_usable()) {
		ret = lookup_scalar(f, key);
		local_bh_enable();
		return (ret);
	}
	kernel_fpu_begin();
	map = scratch();
	if (map == NULL) {
		kernel_fpu_end();
		local_bh_enable();
		return (false);
	}
	for (int i = 0; i < n; i++) {
		int at = -1;

		switch (f[i].groups) {
		case 2:
			at = match_2(map, &f[i], key);
			break;
		default:
			break;
		}
		if (at < 0)
			goto out;
		if (i == n - 1)
			ret = true;
	}
out:
	kernel_fpu_end();
	local_bh_enable();
	return (ret);
}

bool
bad_lookup(const struct field *f, const uint8_t *key)
{
	unsigned long *map;
	bool ret = false;

	kernel_fpu_begin();
	map = scratch();
	if (map == NULL)
		goto out;
	ret = match_2(map, f, key) >= 0;
	kernel_fpu_end();
out:
	// CHECK: [[#@LINE+1]]:2: error: returns with the region held [region-not-left]
	return (ret);
}
