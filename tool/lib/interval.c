/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Wrapped intervals of the low bits of a value.  An interval is an arc of the
 * circle of all values of its width: it may run over the largest one to 0.
 * What is no arc, as two arcs that overlap at one end each, is taken as one
 * that holds it.
 *
 * Reference: J. Navas et al., Signedness-agnostic program analysis, APLAS 2012.
 */
#include "state.h"

static uint64_t
width(struct ks_iv a)		/* number of values, minus 1 */
{
	return ((a.hi - a.lo) & ks_iv_mask(a.bits));
}

bool
ks_iv_has(struct ks_iv a, uint64_t v)
{
	return (((v - a.lo) & ks_iv_mask(a.bits)) <= width(a));
}

static bool
full(struct ks_iv a)
{
	return (a.bits == 0 || width(a) == ks_iv_mask(a.bits));
}

struct ks_iv
ks_iv_const(uint64_t k, unsigned bits)
{
	k &= ks_iv_mask(bits);
	return ((struct ks_iv){ k, k, bits });
}

bool
ks_iv_single(struct ks_iv iv, uint64_t *k)
{
	if (iv.bits == 0 || iv.lo != iv.hi)
		return (false);
	*k = iv.lo;
	return (true);
}

struct ks_iv
ks_iv_project(struct ks_iv iv, unsigned bits)
{
	if (iv.bits <= bits)
		return (iv);
	if (full(iv) || width(iv) > ks_iv_mask(bits) - 1)
		return ((struct ks_iv){ 0, 0, 0 });
	return ((struct ks_iv){ iv.lo & ks_iv_mask(bits),
	    iv.hi & ks_iv_mask(bits), bits });
}

bool
ks_iv_disjoint(struct ks_iv a, struct ks_iv b)
{
	unsigned bits = a.bits < b.bits ? a.bits : b.bits;

	if (bits == 0)
		return (false);
	a = ks_iv_project(a, bits);
	b = ks_iv_project(b, bits);
	if (a.bits == 0 || b.bits == 0)
		return (false);
	return (!ks_iv_has(a, b.lo) && !ks_iv_has(b, a.lo));
}

bool
ks_iv_inside(struct ks_iv a, struct ks_iv b)
{
	if (b.bits == 0)
		return (true);
	if (a.bits < b.bits)
		return (false);
	a = ks_iv_project(a, b.bits);
	if (a.bits == 0)
		return (false);
	return (ks_iv_has(b, a.lo) && ks_iv_has(b, a.hi) &&
	    ((a.lo - b.lo) & ks_iv_mask(b.bits)) <=
	    ((a.hi - b.lo) & ks_iv_mask(b.bits)));
}

struct ks_iv
ks_iv_hull(struct ks_iv a, struct ks_iv b)
{
	unsigned bits = a.bits < b.bits ? a.bits : b.bits;
	struct ks_iv c, d, none = { 0, 0, 0 };

	if (bits == 0)
		return (none);
	a = ks_iv_project(a, bits);
	b = ks_iv_project(b, bits);
	if (a.bits == 0 || b.bits == 0)
		return (none);
	if (ks_iv_inside(a, b))
		return (b);
	if (ks_iv_inside(b, a))
		return (a);
	c = (struct ks_iv){ a.lo, b.hi, bits };
	d = (struct ks_iv){ b.lo, a.hi, bits };
	/* Two arcs that overlap at both ends cover everything. */
	if (!(ks_iv_inside(a, c) && ks_iv_inside(b, c)))
		c = none;
	if (!(ks_iv_inside(a, d) && ks_iv_inside(b, d)))
		d = none;
	if (c.bits != 0 && (d.bits == 0 || width(c) <= width(d)))
		return (full(c) ? none : c);
	return (full(d) ? none : d);
}

/*
 * Of two facts on different numbers of bits, that do not combine, the one
 * that is more likely asked for again: tests of a few bits seldom are.  That
 * the rest is 0 is the least that can be known.
 */
static struct ks_iv
keep_one(struct ks_iv wide, struct ks_iv narrow)
{
	return (wide.lo <= 1 && wide.hi == ks_iv_mask(narrow.bits) ? narrow :
	    wide);
}

/*
 * A meets B, which is of fewer bits.  If A has at most one value for each of
 * its low bits, they meet there and go back; else they do not combine.
 */
static struct ks_iv
meet_low(struct ks_iv a, struct ks_iv b)
{
	uint64_t m = ks_iv_mask(b.bits), lo, hi;
	struct ks_iv low = ks_iv_project(a, b.bits);

	if (width(a) > m)
		return (keep_one(a, b));
	if (low.bits != 0)
		b = ks_iv_meet(low, b);
	lo = (b.lo - a.lo) & m;
	hi = (b.hi - a.lo) & m;
	if (lo > hi)				/* two pieces */
		return (a);
	return ((struct ks_iv){ (a.lo + lo) & ks_iv_mask(a.bits),
	    (a.lo + hi) & ks_iv_mask(a.bits), a.bits });
}

struct ks_iv
ks_iv_meet(struct ks_iv a, struct ks_iv b)
{
	struct ks_iv c;

	if (full(a))
		return (b);
	if (full(b))
		return (a);
	if (ks_iv_inside(a, b))
		return (a);
	if (ks_iv_inside(b, a))
		return (b);
	if (a.bits < b.bits)
		return (ks_iv_meet(b, a));
	if (a.bits > b.bits)
		return (meet_low(a, b));
	c = (struct ks_iv){ ks_iv_has(a, b.lo) ? b.lo : a.lo,
	    ks_iv_has(a, b.hi) ? b.hi : a.hi, a.bits };
	/* Two pieces are left: no interval, keep one of the two. */
	if (ks_iv_has(a, b.lo) && ks_iv_has(a, b.hi) && ks_iv_has(b, a.lo) &&
	    ks_iv_has(b, a.hi))
		return (width(a) <= width(b) ? a : b);
	return (c);
}
