/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of lower_reach.c: numbers, and addresses made from arguments.
 */
#ifndef KS_OBJ_LOWER_VAL_H
#define KS_OBJ_LOWER_VAL_H

#include <stdint.h>

#define NEG	(-(1 << 30))	/* no bound */
#define POS	(1 << 30)

struct val {
	uint32_t args;		/* 0: a number in [lo, hi] */
	int32_t	 lo, hi;	/* NEG, POS: unknown */
};

static const struct val any = { 0, NEG, POS };

static inline int32_t
clip(int64_t v)
{
	return (v <= NEG ? NEG : v >= POS ? POS : (int32_t)v);
}

static inline int32_t
plus(int32_t a, int64_t d)
{
	return (a == NEG || a == POS ? a : clip(a + d));
}

static inline struct val
join(struct val a, struct val b)
{
	struct val v = { a.args | b.args, a.lo, a.hi };

	/* A number beside addresses is 0, or none of their bytes. */
	if (b.args == 0 && a.args != 0)
		return (a);
	if (a.args == 0 && b.args != 0)
		return (b);
	if (b.lo < v.lo)
		v.lo = b.lo;
	if (b.hi > v.hi)
		v.hi = b.hi;
	return (v);
}

static inline struct val
number(int64_t lo, int64_t hi)
{
	return ((struct val){ 0, clip(lo), clip(hi) });
}

/* Made from V, in a way that is not followed. */
static inline struct val
wide(struct val v)
{
	v.lo = NEG;
	v.hi = POS;
	return (v);
}

static inline struct val
add(struct val a, struct val b)
{
	struct val v = { a.args | b.args, NEG, POS };

	if (a.args != 0 && b.args != 0)
		return (v);
	if (a.lo != NEG && b.lo != NEG)
		v.lo = clip((int64_t)a.lo + b.lo);
	if (a.hi != POS && b.hi != POS)
		v.hi = clip((int64_t)a.hi + b.hi);
	return (v);
}

/* A result of BITS: the upper half of a register becomes 0. */
static inline struct val
cut(struct val v, unsigned bits)
{
	if (bits >= 64)
		return (v);
	if (v.args != 0)
		return (wide(v));
	if (bits < 32)
		return (number(0, ((int64_t)1 << bits) - 1));
	return (v.lo < 0 ? number(0, POS) : v);
}

#endif
