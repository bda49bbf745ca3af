/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Property and facts: the domain of the property simulation.
 *
 * Facts are keyed by place.  A state numbers the values it knows; places
 * that hold the same value share a number, which is copy equality.  Joining
 * two states gives each place the pair of its values and numbers the pairs
 * anew: what is equal in both stays equal, whatever the values were called.
 * A value carries a wrapped interval of its low bits (interval.c), the bits
 * that are known one by one (tests of several flags in one value make no
 * interval), a few symbols whose addresses it may hold, or how it was made from
 * another one (a comparison's result, a zero extension, low bits); narrowing
 * one narrows the other.
 *
 * Invariant: facts only ever allow more than what is true.  Forgetting is
 * always sound; it can only add reports.
 *
 * Reference: M. Das, S. Lerner, M. Seigle, ESP: path-sensitive program
 * verification in polynomial time, PLDI 2002 (property simulation).
 */
#include <string.h>

#include "state.h"

/* --- property --------------------------------------------------------------- */

enum ks_tri
ks_prop_held(const struct ks_prop *p)
{
	if (p->depth > 0)
		return (KS_YES);
	switch (p->base) {
	case KS_BASE_OUT:
		return (KS_NO);
	case KS_BASE_ENTRY:
		return (p->no & KS_MEANS_REGION ? KS_NO : KS_MAYBE);
	default:
		return (KS_YES);
	}
}

enum ks_tri
ks_prop_atomic(const struct ks_prop *p)
{
	if (p->depth > 0)
		return (p->reg[p->depth - 1] & KS_REG_ATOMIC ? KS_YES : KS_NO);
	if (p->popped > 0)
		return (KS_MAYBE);	/* what lay under the one that was left */
	switch (p->base) {
	case KS_BASE_OUT:
		return (KS_NO);
	case KS_BASE_THREAD:
		/* The caller may hold a region on top of the mode. */
		if (!(p->yes & KS_MEANS_THREAD))
			return (KS_NO);
		/* FALLTHROUGH */
	default:
		if (p->yes & KS_MEANS_ATOMIC)
			return (KS_YES);
		return (p->no & (KS_MEANS_ATOMIC | KS_MEANS_REGION) ?
		    KS_NO : KS_MAYBE);
	}
}

enum ks_tri
ks_prop_means(const struct ks_prop *p, unsigned means)
{
	enum ks_tri t;

	/* A region of the caller's was left; there may be more of them. */
	bool left = p->depth == 0 && p->base == KS_BASE_OUT && p->popped > 0;

	switch (means) {
	case KS_MEANS_THREAD:
		if (p->base == KS_BASE_THREAD)
			return (KS_YES);
		if ((p->base == KS_BASE_OUT && p->popped == 0) ||
		    (p->no & (KS_MEANS_THREAD | KS_MEANS_REGION)))
			return (KS_NO);
		return (KS_MAYBE);
	case KS_MEANS_REGION:
		return (left ? KS_MAYBE : ks_prop_held(p));
	case KS_MEANS_ATOMIC:
		return (ks_prop_atomic(p));
	case KS_MEANS_MAY_ENTER:
		t = ks_prop_means(p, KS_MEANS_REGION);
		return (t == KS_YES ? KS_NO : t == KS_NO ? KS_YES : KS_MAYBE);
	default:
		return (KS_MAYBE);
	}
}

bool
ks_prop_assume(struct ks_prop *p, unsigned means, bool truth)
{
	/* That entering is allowed says the reverse: nothing is held. */
	if (means & KS_MEANS_MAY_ENTER) {
		if (!ks_prop_assume(p, KS_MEANS_REGION, !truth))
			return (false);
		means &= ~KS_MEANS_MAY_ENTER;
	}
	for (unsigned m = 1; m < KS_MEANS_MAY_ENTER; m <<= 1) {
		enum ks_tri t;

		if (!(means & m))
			continue;
		t = ks_prop_means(p, m);
		if (t == (truth ? KS_NO : KS_YES))
			return (false);
		if (t != KS_MAYBE)
			continue;
		/* What is so now was so at the entry, but for regions that
		   were left since. */
		if (!truth) {
			if (p->popped == 0 || m == KS_MEANS_THREAD)
				p->no |= m;
			continue;
		}
		if (p->popped == 0 || m != KS_MEANS_ATOMIC)
			p->yes |= m;
		if (p->base == KS_BASE_ENTRY || p->base == KS_BASE_OUT)
			p->base = m == KS_MEANS_THREAD ? KS_BASE_THREAD :
			    KS_BASE_HELD;
	}
	return (true);
}

bool
ks_prop_equal(const struct ks_prop *a, const struct ks_prop *b)
{
	return (memcmp(a, b, sizeof(*a)) == 0);
}

/* --- sets of functions --------------------------------------------------------- */

#define MAXSETS		1024	/* of one run */

uint32_t
ks_syms(const struct ks_symsets *sets, uint32_t sym, uint32_t out[KS_MAXSYM])
{
	const struct ks_symset *s;

	if (sym == 0)
		return (0);
	if (!(sym & KS_SYMSET)) {
		out[0] = sym;
		return (1);
	}
	s = &sets->v.v[sym & ~KS_SYMSET];
	memcpy(out, s->sym, s->n * sizeof(s->sym[0]));
	return (s->n);
}

static bool
null(struct ks_iv iv)
{
	return (iv.bits == 64 && iv.lo == 0 && iv.hi == 0);
}

uint32_t
ks_sym_either(struct ks_symsets *sets, struct ks_iv a, uint32_t sa,
    struct ks_iv b, uint32_t sb)
{
	uint32_t x[KS_MAXSYM], y[KS_MAXSYM], nx, ny, i = 0, j = 0;
	struct ks_symset s = { 0 };

	if (sa == sb || (sb == 0 && null(b)))
		return (sa);
	if (sa == 0 && null(a))
		return (sb);
	if (sa == 0 || sb == 0)
		return (0);
	nx = ks_syms(sets, sa, x);
	ny = ks_syms(sets, sb, y);
	while (i < nx || j < ny) {
		uint32_t v = j == ny || (i < nx && x[i] < y[j]) ? x[i] : y[j];

		if (s.n == KS_MAXSYM)
			return (0);
		s.sym[s.n++] = v;
		i += i < nx && x[i] == v;
		j += j < ny && y[j] == v;
	}
	for (uint32_t k = 0; k < sets->v.n; k++)
		if (memcmp(&sets->v.v[k], &s, sizeof(s)) == 0)
			return (KS_SYMSET + k);
	if (sets->v.n == MAXSETS)
		return (0);
	*ks_vec_push(&sets->v) = s;
	return (KS_SYMSET + (uint32_t)sets->v.n - 1);
}

/* --- facts -------------------------------------------------------------------- */

void
ks_facts_init(struct ks_facts *f)
{
	f->nplace = f->nval = 0;
	f->gates = f->xcr0 = 0;
}

void
ks_facts_copy(struct ks_facts *dst, const struct ks_facts *src)
{
	dst->nplace = src->nplace;
	dst->nval = src->nval;
	dst->gates = src->gates;
	dst->xcr0 = src->xcr0;
	memcpy(dst->pv, src->pv, src->nplace * sizeof(src->pv[0]));
	memcpy(dst->val, src->val, src->nval * sizeof(src->val[0]));
}

/* First entry at or behind PLACE. */
static uint32_t
slot(const struct ks_facts *f, uint32_t place)
{
	uint32_t lo = 0, hi = f->nplace;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (f->pv[mid].place < place)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (lo);
}

uint32_t
ks_facts_find(const struct ks_facts *f, uint32_t place)
{
	uint32_t i = slot(f, place);

	return (i < f->nplace && f->pv[i].place == place ? f->pv[i].val :
	    KS_NONE);
}

uint32_t
ks_facts_new(struct ks_facts *f)
{
	if (f->nval == KS_MAXFACT) {
		ks_facts_normalize(f);
		if (f->nval == KS_MAXFACT)
			return (KS_NONE);
	}
	memset(&f->val[f->nval], 0, sizeof(f->val[0]));
	return (f->nval++);
}

void
ks_facts_set(struct ks_facts *f, uint32_t place, uint32_t val)
{
	uint32_t i = slot(f, place);
	bool there = i < f->nplace && f->pv[i].place == place;

	if (val == KS_NONE) {
		if (there) {
			memmove(&f->pv[i], &f->pv[i + 1],
			    (f->nplace - i - 1) * sizeof(f->pv[0]));
			f->nplace--;
		}
		return;
	}
	if (there) {
		f->pv[i].val = val;
		return;
	}
	if (f->nplace == KS_MAXFACT)
		return;			/* forgotten */
	memmove(&f->pv[i + 1], &f->pv[i],
	    (f->nplace - i) * sizeof(f->pv[0]));
	f->nplace++;
	f->pv[i] = (struct ks_pv){ place, val };
}

uint32_t
ks_facts_value(struct ks_facts *f, uint32_t place)
{
	uint32_t v = ks_facts_find(f, place);

	if (v == KS_NONE && (v = ks_facts_new(f)) != KS_NONE) {
		ks_facts_set(f, place, v);
		if (ks_facts_find(f, place) != v)
			return (KS_NONE);
	}
	return (v);
}

struct ks_iv
ks_facts_iv(const struct ks_facts *f, uint32_t place)
{
	uint32_t v = ks_facts_find(f, place);

	return (v == KS_NONE ? (struct ks_iv){ 0, 0, 0 } : f->val[v].iv);
}

/* What is learnt of a value at once. */
struct told {
	struct ks_iv iv;
	uint64_t known, ones;
};

/* The bits that all values of IV share: those above the highest that differs. */
static struct told
told(struct ks_iv iv)
{
	struct told t = { .iv = iv };
	uint64_t differ = iv.lo ^ iv.hi;

	if (iv.bits == 0 || iv.lo > iv.hi)
		return (t);
	for (unsigned i = 1; i < 64; i *= 2)
		differ |= differ >> i;
	t.known = ks_iv_mask(iv.bits) & ~differ;
	t.ones = iv.lo & t.known;
	return (t);
}

static bool
conflict(uint64_t known, uint64_t ones, struct told t)
{
	return ((known & t.known & (ones ^ t.ones)) != 0);
}

/* No value that X can have is in IV. */
static bool
never_in(const struct ks_value *x, struct ks_iv iv)
{
	uint64_t m = ks_iv_mask(iv.bits);

	if (iv.bits == 0)
		return (false);
	if (ks_iv_disjoint(x->iv, iv) || conflict(x->known, x->ones, told(iv)))
		return (true);
	return ((m & ~x->known) == 0 && !ks_iv_has(iv, x->ones & m));
}

/* Every value that X can have is in IV. */
static bool
always_in(const struct ks_value *x, struct ks_iv iv)
{
	return (iv.bits != 0 && ((x->iv.bits != 0 && ks_iv_inside(x->iv, iv)) ||
	    never_in(x, ks_iv_not(iv))));
}

/* Is X, which has its low bits from another value, 0 above them? */
static bool
extended(const struct ks_value *x)
{
	return ((~ks_iv_mask(x->reliv.bits) & (~x->known | x->ones)) == 0);
}

/* What X's interval says of the low bits it has from another value. */
static struct ks_iv
small(const struct ks_value *x)
{
	struct ks_iv low = { 0, ks_iv_mask(x->reliv.bits), x->iv.bits };
	struct ks_iv m = x->iv;

	if (low.bits <= x->reliv.bits || !extended(x))
		return (m);
	m = ks_iv_meet(m, low);
	/* Only an interval within the low range says anything of the low bits
	   alone. */
	if (!ks_iv_inside(m, low))
		m.bits = 0;
	return (m);
}

/* What value V tells about the one it was made from, and the reverse. */
static bool
refine(struct ks_facts *f, uint32_t v, struct told t, int deep)
{
	struct ks_value *x = &f->val[v];
	struct told of = told(t.iv);
	uint64_t m;

	if (conflict(t.known, t.ones, of))
		return (false);
	t.known |= of.known;
	t.ones |= of.ones;
	if (t.iv.bits == 0 && t.known == 0)
		return (true);
	if (never_in(x, t.iv) || conflict(x->known, x->ones, t))
		return (false);
	if (t.iv.bits != 0)
		x->iv = ks_iv_meet(x->iv, t.iv);
	of = told(x->iv);
	x->known |= t.known;
	x->ones |= t.ones;
	if (conflict(x->known, x->ones, of))
		return (false);
	x->known |= of.known;
	x->ones |= of.ones;
	if (x->iv.bits != 0 && never_in(x, x->iv))
		return (false);
	if (deep == 0)
		return (true);
	if (x->relkind == KS_REL_TEST) {
		if (never_in(x, ks_iv_const(0, 64))) {
			if (!refine(f, x->rel, told(x->reliv), deep - 1))
				return (false);
		} else if (never_in(x, ks_iv_const(1, 64))) {
			if (!refine(f, x->rel, told(ks_iv_not(x->reliv)),
			    deep - 1))
				return (false);
		}
	} else if (x->relkind == KS_REL_LOW) {
		struct told n = { .iv = small(x) };

		if (n.iv.bits != 0)
			n.iv = ks_iv_project(n.iv, x->reliv.bits);
		n.known = x->known & ks_iv_mask(x->reliv.bits);
		n.ones = x->ones & n.known;
		if (!refine(f, x->rel, n, deep - 1))
			return (false);
		/* What is new may not combine with what was known. */
		if (t.iv.bits <= x->reliv.bits &&
		    !refine(f, x->rel, told(t.iv), deep - 1))
			return (false);
	}
	for (uint32_t i = 0; i < f->nval; i++) {
		struct ks_value *y = &f->val[i];
		struct told n = { 0 };

		if (i == v || y->relkind == KS_REL_NONE || y->rel != v)
			continue;
		x = &f->val[v];
		if (y->relkind == KS_REL_TEST) {
			if (never_in(x, y->reliv))
				n = told(ks_iv_const(0, 64));
			else if (always_in(x, y->reliv))
				n = told(ks_iv_const(1, 64));
			if (!refine(f, i, n, deep - 1))
				return (false);
			continue;
		}
		m = ks_iv_mask(y->reliv.bits);
		n.iv = ks_iv_project(x->iv, y->reliv.bits);
		/* As the full value: the same range, unless it wraps. */
		if (n.iv.bits == y->reliv.bits && n.iv.lo <= n.iv.hi &&
		    extended(y))
			n.iv.bits = 64;
		n.known = x->known & m;
		n.ones = x->ones & m;
		if (!refine(f, i, n, deep - 1) || !refine(f, i,
		    told(ks_iv_project(t.iv, y->reliv.bits)), deep - 1))
			return (false);
	}
	return (true);
}

bool
ks_facts_refine(struct ks_facts *f, uint32_t v, struct ks_iv iv)
{
	if (v == KS_NONE)
		return (true);
	return (refine(f, v, told(iv), 4));
}

/* V, which is new, is in IV. */
static void
is(struct ks_facts *f, uint32_t v, struct ks_iv iv)
{
	struct told t = told(iv);

	f->val[v].iv = iv;
	f->val[v].known = t.known;
	f->val[v].ones = t.ones;
}

/* A value that is made from SRC as is asked for, or KS_NONE. */
static uint32_t
made(const struct ks_facts *f, uint32_t src, unsigned kind, struct ks_iv iv)
{
	for (uint32_t i = 0; i < f->nval; i++) {
		const struct ks_value *x = &f->val[i];

		if (x->relkind == kind && x->rel == src &&
		    x->reliv.bits == iv.bits && x->reliv.lo == iv.lo &&
		    x->reliv.hi == iv.hi &&
		    (kind != KS_REL_LOW || extended(x)))
			return (i);
	}
	return (KS_NONE);
}

/* Where V has its low BITS bits from in the end: relations make no chains. */
static uint32_t
origin(const struct ks_facts *f, uint32_t v, uint64_t bits)
{
	while (f->val[v].relkind == KS_REL_LOW && f->val[v].reliv.bits >= bits)
		v = f->val[v].rel;
	return (v);
}

/* The low BITS bits of V, which is new, are SRC's. */
static void
part_of(struct ks_facts *f, uint32_t v, uint32_t src, uint64_t bits)
{
	f->val[v].relkind = KS_REL_LOW;
	f->val[v].rel = origin(f, src, bits);
	f->val[v].reliv = (struct ks_iv){ .bits = (uint8_t)bits };
	f->val[v].known |= f->val[src].known & ks_iv_mask(bits);
	f->val[v].ones |= f->val[src].ones & ks_iv_mask(bits);
}

void
ks_facts_assign(struct ks_facts *f, uint32_t place, const struct ks_val *val)
{
	uint32_t v = KS_NONE, src;
	struct ks_iv low, as;

	switch (val->kind) {
	case KS_VAL_CONST:
		if ((v = ks_facts_new(f)) != KS_NONE)
			is(f, v, ks_iv_const(val->num, 64));
		break;
	case KS_VAL_SYM:
		if ((v = ks_facts_new(f)) != KS_NONE) {
			f->val[v].sym = val->ref + 1;
			f->val[v].iv = ks_iv_not(ks_iv_const(0, 64));
		}
		break;
	case KS_VAL_PLACE:
		v = ks_facts_value(f, val->ref);
		break;
	case KS_VAL_TEST:
		src = ks_facts_value(f, val->ref);
		if (src == KS_NONE ||
		    (v = made(f, src, KS_REL_TEST, val->iv)) != KS_NONE ||
		    (v = ks_facts_new(f)) == KS_NONE)
			break;
		/* Making room may have renumbered. */
		if ((src = ks_facts_find(f, val->ref)) == KS_NONE) {
			v = KS_NONE;
		} else if (never_in(&f->val[src], val->iv)) {
			is(f, v, ks_iv_const(0, 64));
		} else if (always_in(&f->val[src], val->iv)) {
			is(f, v, ks_iv_const(1, 64));
		} else {
			is(f, v, (struct ks_iv){ 0, 1, 64 });
			f->val[v].relkind = KS_REL_TEST;
			f->val[v].rel = src;
			f->val[v].reliv = val->iv;
		}
		break;
	case KS_VAL_ZEXT:
		low = (struct ks_iv){ 0, ks_iv_mask(val->num), 64 };
		as = (struct ks_iv){ .bits = (uint8_t)val->num };
		src = ks_facts_value(f, val->ref);
		if (src == KS_NONE)
			break;
		/* It may be that already, or one like it may be there. */
		v = always_in(&f->val[src], low) ? src : made(f,
		    origin(f, src, val->num), KS_REL_LOW, as);
		if (v != KS_NONE || (v = ks_facts_new(f)) == KS_NONE)
			break;
		is(f, v, low);
		if ((src = ks_facts_find(f, val->ref)) == KS_NONE)
			break;
		part_of(f, v, src, val->num);
		if (f->val[src].iv.bits != 0) {
			struct ks_iv m = ks_iv_project(f->val[src].iv,
			    val->num);

			if (m.bits == val->num && m.lo <= m.hi) {
				m.bits = 64;
				f->val[v].iv = m;
			}
		}
		break;
	case KS_VAL_LOW:
		if (ks_facts_value(f, val->ref) == KS_NONE ||
		    (v = ks_facts_new(f)) == KS_NONE ||
		    (src = ks_facts_find(f, val->ref)) == KS_NONE)
			break;
		is(f, v, ks_iv_project(f->val[src].iv, val->num));
		part_of(f, v, src, val->num);
		break;
	default:
		break;
	}
	ks_facts_set(f, place, v);
}

/* Numbers values in the order places and then relations meet them. */
static void
number(const struct ks_facts *f, uint32_t v, uint32_t *map, uint32_t *order,
    uint32_t *n)
{
	while (map[v] == KS_NONE) {
		map[v] = *n;
		order[(*n)++] = v;
		if (f->val[v].relkind == KS_REL_NONE)
			break;
		v = f->val[v].rel;
	}
}

/*
 * Places that hold the same constant are equal, wherever it came from; but
 * for values made from others, or relations might go in a circle.
 */
static void
share(struct ks_facts *f)
{
	uint32_t k[KS_MAXFACT], as[KS_MAXFACT], n = 0;
	bool any = false;

	for (uint32_t i = 0; i < f->nval; i++) {
		const struct ks_value *x = &f->val[i];
		uint32_t j = 0;

		as[i] = i;
		if (x->iv.bits != 64 || x->iv.lo != x->iv.hi || x->sym != 0 ||
		    x->relkind != KS_REL_NONE)
			continue;
		while (j < n && f->val[k[j]].iv.lo != x->iv.lo)
			j++;
		if (j == n)
			k[n++] = i;
		as[i] = k[j];
		any |= as[i] != i;
	}
	for (uint32_t i = 0; i < f->nplace && any; i++)
		f->pv[i].val = as[f->pv[i].val];
	for (uint32_t i = 0; i < f->nval && any; i++)
		f->val[i].rel = as[f->val[i].rel];
}

void
ks_facts_normalize(struct ks_facts *f)
{
	uint32_t map[KS_MAXFACT], order[KS_MAXFACT], uses[KS_MAXFACT] = { 0 };
	struct ks_value val[KS_MAXFACT];
	uint32_t n = 0, np = 0;

	share(f);
	for (uint32_t i = 0; i < f->nplace; i++)
		uses[f->pv[i].val]++;
	for (uint32_t i = 0; i < f->nval; i++)
		if (f->val[i].relkind != KS_REL_NONE)
			uses[f->val[i].rel]++;
	for (uint32_t i = 0; i < f->nplace; i++) {
		const struct ks_value *x = &f->val[f->pv[i].val];

		if (uses[f->pv[i].val] == 1 && x->iv.bits == 0 &&
		    x->known == 0 && x->sym == 0 && x->relkind == KS_REL_NONE)
			continue;	/* says nothing */
		f->pv[np++] = f->pv[i];
	}
	f->nplace = np;
	for (uint32_t i = 0; i < f->nval; i++)
		map[i] = KS_NONE;
	for (uint32_t i = 0; i < f->nplace; i++)
		number(f, f->pv[i].val, map, order, &n);
	memset(val, 0, n * sizeof(val[0]));
	for (uint32_t i = 0; i < n; i++) {
		const struct ks_value *x = &f->val[order[i]];

		val[i].iv.bits = x->iv.bits;
		val[i].iv.lo = x->iv.bits ? x->iv.lo : 0;
		val[i].iv.hi = x->iv.bits ? x->iv.hi : 0;
		val[i].known = x->known;
		val[i].ones = x->ones;
		val[i].sym = x->sym;
		val[i].relkind = x->relkind;
		if (x->relkind == KS_REL_NONE)
			continue;
		val[i].rel = map[x->rel];
		val[i].reliv.bits = x->reliv.bits;
		if (x->relkind == KS_REL_TEST) {
			val[i].reliv.lo = x->reliv.lo;
			val[i].reliv.hi = x->reliv.hi;
		}
	}
	memcpy(f->val, val, n * sizeof(val[0]));
	f->nval = n;
	for (uint32_t i = 0; i < f->nplace; i++)
		f->pv[i].val = map[f->pv[i].val];
}

/* Does some place have A's value VA and B's value VB? */
static bool
together(const struct ks_facts *a, const struct ks_facts *b, uint32_t va,
    uint32_t vb)
{
	for (uint32_t i = 0, j = 0; i < a->nplace && j < b->nplace;) {
		if (a->pv[i].place == b->pv[j].place &&
		    a->pv[i].val == va && b->pv[j].val == vb)
			return (true);
		if (a->pv[i].place <= b->pv[j].place)
			i++;
		else
			j++;
	}
	return (false);
}

/* Value of the pair (A's value va, B's value vb) in the joined state. */
static uint32_t
pair(struct ks_facts *out, const struct ks_facts *a, const struct ks_facts *b,
    uint32_t va, uint32_t vb, uint32_t (*pairs)[2], struct ks_symsets *sets)
{
	const struct ks_value *x = &a->val[va], *y = &b->val[vb];
	uint32_t v, r = KS_NONE;
	struct ks_iv reliv;

	for (v = 0; v < out->nval; v++)
		if (pairs[v][0] == va && pairs[v][1] == vb)
			return (v);
	if (out->nval == KS_MAXFACT)
		return (KS_NONE);
	v = out->nval++;
	memset(&out->val[v], 0, sizeof(out->val[v]));
	pairs[v][0] = va;
	pairs[v][1] = vb;
	out->val[v].iv = ks_iv_hull(x->iv, y->iv);
	out->val[v].known = x->known & y->known & ~(x->ones ^ y->ones);
	out->val[v].ones = x->ones & out->val[v].known;
	out->val[v].sym = ks_sym_either(sets, x->iv, x->sym, y->iv, y->sym);
	reliv = x->reliv;
	if (x->relkind == KS_REL_TEST && y->relkind == KS_REL_TEST &&
	    reliv.bits == y->reliv.bits && reliv.lo == y->reliv.lo &&
	    reliv.hi == y->reliv.hi) {
		r = pair(out, a, b, x->rel, y->rel, pairs, sets);
	} else if (x->relkind == KS_REL_LOW && y->relkind == KS_REL_LOW) {
		/* The low bits that both have from there. */
		if (y->reliv.bits < reliv.bits)
			reliv = y->reliv;
		r = pair(out, a, b, x->rel, y->rel, pairs, sets);
	/* A value has its low bits from itself, too. */
	} else if (y->relkind == KS_REL_LOW && together(a, b, va, y->rel)) {
		r = pair(out, a, b, va, y->rel, pairs, sets);
		x = y;
		reliv = y->reliv;
	} else if (x->relkind == KS_REL_LOW && together(a, b, x->rel, vb)) {
		r = pair(out, a, b, x->rel, vb, pairs, sets);
	}
	if (r != KS_NONE) {
		out->val[v].relkind = x->relkind;
		out->val[v].reliv = reliv;
		out->val[v].rel = x->relkind == KS_REL_LOW ?
		    origin(out, r, reliv.bits) : r;
	}
	return (v);
}

static bool
same(const struct ks_facts *a, const struct ks_facts *b)
{
	return (a->nplace == b->nplace && a->nval == b->nval &&
	    a->gates == b->gates && a->xcr0 == b->xcr0 &&
	    memcmp(a->pv, b->pv, a->nplace * sizeof(a->pv[0])) == 0 &&
	    memcmp(a->val, b->val, a->nval * sizeof(a->val[0])) == 0);
}

bool
ks_facts_join(struct ks_facts *dst, const struct ks_facts *src,
    struct ks_symsets *sets)
{
	struct ks_facts out;
	uint32_t pairs[KS_MAXFACT][2];

	if (same(dst, src))
		return (false);
	ks_facts_init(&out);
	out.gates = dst->gates & src->gates;
	out.xcr0 = dst->xcr0 & src->xcr0;
	for (uint32_t i = 0, j = 0; i < dst->nplace && j < src->nplace;) {
		if (dst->pv[i].place < src->pv[j].place) {
			i++;
		} else if (dst->pv[i].place > src->pv[j].place) {
			j++;
		} else {
			uint32_t v = pair(&out, dst, src, dst->pv[i].val,
			    src->pv[j].val, pairs, sets);

			if (v != KS_NONE)
				out.pv[out.nplace++] = (struct ks_pv){
				    dst->pv[i].place, v };
			i++;
			j++;
		}
	}
	ks_facts_normalize(&out);
	if (same(dst, &out))
		return (false);
	ks_facts_copy(dst, &out);
	return (true);
}

void
ks_state_copy(struct ks_state *dst, const struct ks_state *src)
{
	dst->prop = src->prop;
	memcpy(dst->where, src->where, sizeof(dst->where));
	dst->left = src->left;
	ks_facts_copy(&dst->f, &src->f);
}
