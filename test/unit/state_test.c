/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine's domain (tool/lib/state.h) against brute force:
 *
 * 1. Intervals of a few bits are sets; each operation is compared with the
 *    same one on sets.
 * 2. Facts allow every concrete environment they were made from: random
 *    programs of assignments, tests and joins run on facts and on concrete
 *    environments side by side.
 * 3. A property says yes or no only where each concrete situation does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../tool/lib/state.h"

static uint64_t seed = 20121018;

static uint32_t
rnd(uint32_t n)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

static uint64_t
mask(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* By the definition in ks/graph.h. */
static bool
in(uint64_t v, struct ks_iv iv)
{
	return iv.bits == 0 || ((v - iv.lo) & mask(iv.bits)) <=
				   ((iv.hi - iv.lo) & mask(iv.bits));
}

/* --- 1. intervals ----------------------------------------------------- */

#define MAXBITS 8

struct set {
	bool has[1 << MAXBITS];
};

/* The values of W bits in IV. */
static struct set
set_of(struct ks_iv iv, unsigned w)
{
	struct set s;

	for (unsigned v = 0; v < 1u << w; v++)
		s.has[v] = in(v, iv);
	return s;
}

static bool
is_full(struct ks_iv iv)
{
	return ((iv.hi - iv.lo) & mask(iv.bits)) == mask(iv.bits);
}

static unsigned
size_of(const struct set *s, unsigned w)
{
	unsigned n = 0;

	for (unsigned v = 0; v < 1u << w; v++)
		n += s->has[v];
	return n;
}

static bool
subset(const struct set *a, const struct set *b, unsigned w)
{
	for (unsigned v = 0; v < 1u << w; v++)
		if (a->has[v] && !b->has[v])
			return false;
	return true;
}

static bool
same(const struct set *a, const struct set *b, unsigned w)
{
	return subset(a, b, w) && subset(b, a, w);
}

/* Is S, not empty, one interval of W bits? */
static bool
is_arc(const struct set *s, unsigned w)
{
	unsigned starts = 0, n = 1u << w;

	for (unsigned v = 0; v < n; v++)
		starts += s->has[v] && !s->has[(v + n - 1) % n];
	return starts <= 1;
}

/* Size of the smallest interval of W bits that holds S. */
static unsigned
smallest(const struct set *s, unsigned w)
{
	unsigned n = 1u << w, gap, best = 0;

	for (unsigned v = 0; v < n; v++) {
		for (gap = 0; gap < n && !s->has[(v + gap) % n]; gap++)
			;
		if (gap > best)
			best = gap;
	}
	return n - best;
}

static void
check_one(struct ks_iv a)
{
	struct set s = set_of(a, a.bits), t;
	uint64_t k;

	if (!is_full(a)) {
		t = set_of(ks_iv_not(a), a.bits);
		for (unsigned v = 0; v < 1u << a.bits; v++)
			assert_int_equal(s.has[v], !t.has[v]);
	}
	assert_int_equal(ks_iv_single(a, &k), size_of(&s, a.bits) == 1);
	if (ks_iv_single(a, &k))
		assert_true(s.has[k]);
	for (unsigned w = 1; w <= a.bits; w++) {
		struct ks_iv p = ks_iv_project(a, w);
		struct set image = { 0 };

		for (unsigned v = 0; v < 1u << a.bits; v++)
			if (s.has[v])
				image.has[v & mask(w)] = true;
		t = set_of(p, w);
		assert_true(p.bits == 0 || p.bits == w);
		assert_true(same(&t, &image, w));
	}
}

/* A meets B; what is left must hold all of it, and be it where it can. */
static void
check_meet(struct ks_iv a, struct ks_iv b, unsigned w, const struct set *sa,
    const struct set *sb)
{
	struct set both, t;
	struct ks_iv m = ks_iv_meet(a, b);
	const struct ks_iv *wide = a.bits >= b.bits ? &a : &b;
	unsigned low = a.bits < b.bits ? a.bits : b.bits;

	for (unsigned v = 0; v < 1u << w; v++)
		both.has[v] = sa->has[v] && sb->has[v];
	t = set_of(m, w);
	assert_true(subset(&both, &t, w));
	assert_true(subset(&t, sa, w) || subset(&t, sb, w));
	/* One value for each of the low bits: exact, if it is an interval. */
	if (((wide->hi - wide->lo) & mask(wide->bits)) <= mask(low) &&
	    is_arc(&both, w))
		assert_true(same(&both, &t, w));
}

static void
check_two(struct ks_iv a, struct ks_iv b)
{
	unsigned w = a.bits > b.bits ? a.bits : b.bits;
	unsigned low = a.bits < b.bits ? a.bits : b.bits;
	struct set sa = set_of(a, w), sb = set_of(b, w), t;
	struct set la = { 0 };
	bool disjoint = true;
	struct ks_iv h;

	for (unsigned v = 0; v < 1u << w; v++) {
		disjoint &= !(sa.has[v] && sb.has[v]);
		la.has[v & mask(low)] |= sa.has[v] || sb.has[v];
	}
	assert_int_equal(ks_iv_disjoint(a, b), disjoint);
	if (ks_iv_inside(a, b))
		assert_true(subset(&sa, &sb, w));
	else if (!is_full(b) && a.bits >= b.bits)
		assert_false(subset(&sa, &sb, w));
	h = ks_iv_hull(a, b);
	t = set_of(h, w);
	assert_true(subset(&sa, &t, w) && subset(&sb, &t, w));
	t = set_of(h, low);
	assert_int_equal(size_of(&t, low), smallest(&la, low));
	if (!disjoint)
		check_meet(a, b, w, &sa, &sb);
}

static struct ks_iv
random_arc(unsigned bits)
{
	return (
	    struct ks_iv){ rnd(1u << bits), rnd(1u << bits), (uint8_t)bits };
}

static void
intervals(void **state)
{
	struct ks_iv a, b;

	(void)state;
	for (unsigned w = 1; w <= 6; w++)
		for (unsigned x = 0; x < 1u << 2 * w; x++)
			check_one(
			    (struct ks_iv){ x >> w, x & mask(w), (uint8_t)w });
	/* All of 4 bits with all of 3, 4 and 5. */
	for (unsigned w = 3; w <= 5; w++)
		for (unsigned x = 0; x < 1u << 8; x++)
			for (unsigned y = 0; y < 1u << 2 * w; y++) {
				a = (struct ks_iv){ x >> 4, x & 15, 4 };
				b = (struct ks_iv){ y >> w, y & mask(w),
					(uint8_t)w };
				check_two(a, b);
				check_two(b, a);
			}
	for (unsigned i = 0; i < 30000; i++) {
		a = random_arc(4 + rnd(5));
		b = random_arc(4 + rnd(5));
		check_one(a);
		check_two(a, b);
	}
}

static void
wide_intervals(void **state)
{
	struct ks_iv bit = { 0, 1, 64 }, ne1 = { 2, 0, 32 }, m;
	struct ks_iv neg = { (uint64_t)1 << 63, UINT64_MAX, 64 };
	uint64_t k;

	(void)state;
	/* The low 32 bits of 0 or 1 are not 1. */
	m = ks_iv_meet(bit, ne1);
	assert_true(ks_iv_single(m, &k) && k == 0 && m.bits == 64);
	m = ks_iv_meet(ne1, bit);
	assert_true(ks_iv_single(m, &k) && k == 0 && m.bits == 64);
	assert_true(ks_iv_inside(ks_iv_const(UINT64_MAX, 64), neg));
	assert_true(ks_iv_disjoint(neg, bit));
	m = ks_iv_not(ks_iv_const(0, 64));
	assert_true(m.lo == 1 && m.hi == UINT64_MAX);
	assert_true(ks_iv_disjoint(m, ks_iv_const(0, 64)));
	assert_false(ks_iv_disjoint(m, ks_iv_const(0, 32)));
}

/* --- 2. facts --------------------------------------------------------- */

#define NENV   40
#define NSYM 10 /* more than a set holds */
#define SYM(i) (0xffffffff81000000 + (uint64_t)(i) * 16)

static const uint64_t pool[] = { 0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0xff, 0x100,
	0x101, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	0x100000001, 0x1000000ff, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1,
	SYM(0), SYM(1), SYM(2), SYM(3), SYM(4), SYM(5), SYM(6), SYM(7), SYM(8),
	SYM(9) };
#define NPOOL (sizeof(pool) / sizeof(pool[0]))

struct world {   /* what is known, and what may be */
	struct ks_facts f;
	unsigned nenv;
	uint64_t (*env)[128]; /* values of places */
};

static struct ks_iv
random_iv(void)
{
	static const uint8_t widths[] = { 8, 16, 32, 32, 32, 64, 64 };
	struct ks_iv iv = { .bits = widths[rnd(sizeof(widths))] };

	if (rnd(3) == 0) { /* one bit, as flags are tested */
		unsigned b = rnd(33);

		iv = (struct ks_iv){ (uint64_t)1 << b, mask(b + 1), b + 1 };
		return rnd(2) ? ks_iv_not(iv) : iv;
	}
	iv.lo = pool[rnd(NPOOL)] & mask(iv.bits);
	iv.hi = rnd(2) ? iv.lo : pool[rnd(NPOOL)] & mask(iv.bits);
	if (is_full(iv))
		iv.hi = iv.lo;
	return rnd(2) ? ks_iv_not(iv) : iv;
}

/* What the joins of all worlds share. */
static struct ks_symsets sets;

static bool
one_of(uint32_t sym, uint64_t k)
{
	uint32_t syms[KS_MAXSYM], n = ks_syms(&sets, sym, syms);

	for (uint32_t i = 0; i < n; i++)
		if (k == SYM(syms[i] - 1))
			return true;
	return false;
}

/* Can value V of F be K, as far as V and what is made from it tell? */
static bool
fits(const struct ks_facts *f, uint32_t v, uint64_t k)
{
	const struct ks_value *x = &f->val[v];

	return in(k, x->iv) && (k & x->known) == x->ones &&
	       (x->sym == 0 || k == 0 || one_of(x->sym, k));
}

static bool
made_from(const struct ks_value *x, uint64_t k, uint64_t from)
{
	if (x->relkind == KS_REL_TEST)
		return k == in(from, x->reliv);
	return ((k ^ from) & mask(x->reliv.bits)) == 0;
}

struct search {
	const struct ks_facts *f;
	uint64_t k[KS_MAXFACT];	/* the value of each number */
	bool known[KS_MAXFACT];
	uint32_t group[KS_MAXFACT];
};

/* Does value V agree with those it is made of, and that are made of it? */
static bool
agrees(const struct search *s, uint32_t v)
{
	const struct ks_facts *f = s->f;
	const struct ks_value *x = &f->val[v];

	if (!fits(f, v, s->k[v]))
		return false;
	if (x->relkind != KS_REL_NONE && s->known[x->rel] &&
	    !made_from(x, s->k[v], s->k[x->rel]))
		return false;
	for (uint32_t w = 0; w < f->nval; w++)
		if (f->val[w].relkind != KS_REL_NONE && f->val[w].rel == v &&
		    s->known[w] && !made_from(&f->val[w], s->k[w], s->k[v]))
			return false;
	return true;
}

/* Is V made from W, or the reverse? */
static bool
related(const struct ks_facts *f, uint32_t v, uint32_t w)
{
	return (f->val[v].relkind != KS_REL_NONE && f->val[v].rel == w) ||
	       (f->val[w].relkind != KS_REL_NONE && f->val[w].rel == v);
}

/* Numbers what is unknown by the groups in which it is related. */
static void
find_groups(struct search *s)
{
	const struct ks_facts *f = s->f;
	bool more = true;

	for (uint32_t v = 0; v < f->nval; v++)
		s->group[v] = v;
	while (more) {
		more = false;
		for (uint32_t v = 0; v < f->nval; v++)
			for (uint32_t w = 0; w < f->nval; w++)
				if (!s->known[v] && !s->known[w] &&
				    s->group[w] > s->group[v] &&
				    related(f, v, w)) {
					s->group[w] = s->group[v];
					more = true;
				}
	}
}

/*
 * Finds values for those of a group that no place holds any more.  What has
 * known relatives goes first.
 */
static bool
search(struct search *s, uint32_t group)
{
	static const uint64_t cut[] = { UINT64_MAX, 0xffffffff, 0xffff, 0xff };
	uint32_t v = KS_NONE;

	for (uint32_t u = 0; u < s->f->nval; u++) {
		if (s->known[u] || s->group[u] != group)
			continue;
		v = u;
		for (uint32_t w = 0; w < s->f->nval; w++)
			if (s->known[w] && related(s->f, u, w))
				goto found;
	}
	if (v == KS_NONE)
		return true;
found:
	s->known[v] = true;
	for (size_t i = 0; i < NPOOL; i++)
		for (size_t j = 0; j < 4; j++) {
			s->k[v] = pool[i] & cut[j];
			if ((j == 0 || s->k[v] != pool[i]) && agrees(s, v) &&
			    search(s, group))
				return true;
		}
	s->known[v] = false;
	return false;
}

/* Does ENV fit F? */
static bool
allows(const struct ks_facts *f, const uint64_t *env)
{
	struct search s = { .f = f };

	for (uint32_t i = 0; i < f->nplace; i++) {
		uint32_t v = f->pv[i].val;

		if (s.known[v] && s.k[v] != env[f->pv[i].place])
			return false;
		s.k[v] = env[f->pv[i].place];
		s.known[v] = true;
	}
	for (uint32_t v = 0; v < f->nval; v++)
		if (s.known[v] && !agrees(&s, v))
			return false;
	find_groups(&s);
	for (uint32_t v = 0; v < f->nval; v++)
		if (!s.known[v] && s.group[v] == v && !search(&s, v))
			return false;
	return true;
}

static void
check_world(const struct world *w)
{
	static struct ks_facts f;

	/* Values that nothing needs are no part of what is known. */
	ks_facts_copy(&f, &w->f);
	ks_facts_normalize(&f);
	for (unsigned i = 0; i < w->nenv; i++)
		assert_true(allows(&f, w->env[i]));
}

static struct ks_val
random_val(uint32_t nplace)
{
	struct ks_val v = { 0 };

	switch (rnd(10)) {
	case 0:
	case 1:
		v.kind = KS_VAL_CONST;
		v.num = pool[rnd(NPOOL)];
		break;
	case 2:
	case 3:
	case 4:
		v.kind = KS_VAL_PLACE;
		v.ref = rnd(nplace);
		break;
	case 5:
	case 6:
		v.kind = KS_VAL_TEST;
		v.ref = rnd(nplace);
		v.iv = random_iv();
		break;
	case 7:
	case 8:
		v.kind = rnd(2) ? KS_VAL_ZEXT : KS_VAL_LOW;
		v.ref = rnd(nplace);
		v.num = (uint64_t)8 << rnd(3);
		break;
	default:
		v.kind = rnd(2) ? KS_VAL_UNKNOWN : KS_VAL_SYM;
		v.ref = v.kind == KS_VAL_SYM ? rnd(NSYM) : 0;
	}
	return v;
}

/* What has the low bits of K, and others above; one that search() tries. */
static uint64_t
above(uint64_t k, uint64_t low)
{
	for (unsigned i = rnd(NPOOL), n = 0; n < NPOOL; n++)
		if (((pool[(i + n) % NPOOL] ^ k) & low) == 0)
			return pool[(i + n) % NPOOL];
	return k;
}

static uint64_t
eval(const struct ks_val *v, const uint64_t *env)
{
	switch (v->kind) {
	case KS_VAL_CONST:
		return v->num;
	case KS_VAL_PLACE:
		return env[v->ref];
	case KS_VAL_TEST:
		return in(env[v->ref], v->iv);
	case KS_VAL_ZEXT:
		return env[v->ref] & mask((unsigned)v->num);
	case KS_VAL_LOW:
		return above(env[v->ref], mask((unsigned)v->num));
	case KS_VAL_SYM:
		return SYM(v->ref);
	default:
		return pool[rnd(NPOOL)];
	}
}

static void
assign(struct world *w, uint32_t place, const struct ks_val *v)
{
	for (unsigned i = 0; i < w->nenv; i++)
		w->env[i][place] = eval(v, w->env[i]);
	ks_facts_assign(&w->f, place, v);
}

/* False: no environment is left. */
static bool
test(struct world *w, uint32_t place, struct ks_iv iv)
{
	uint32_t v = ks_facts_value(&w->f, place);
	bool can = ks_facts_refine(&w->f, v, iv);
	unsigned n = 0;

	for (unsigned i = 0; i < w->nenv; i++)
		if (in(w->env[i][place], iv))
			memcpy(w->env[n++], w->env[i], sizeof(w->env[0]));
	w->nenv = n;
	if (!can)
		assert_int_equal(n, 0);
	return can && n > 0;
}

static void
step(struct world *w, uint32_t nplace, bool *alive)
{
	uint32_t place = rnd(nplace);
	struct ks_iv iv = random_iv();
	struct ks_val v;

	if (!*alive)
		return;
	if (rnd(nplace > 20 ? 20 : 3) == 0) {
		/* Mostly one that some environment passes. */
		if (rnd(8) != 0 && !in(w->env[rnd(w->nenv)][place], iv))
			iv = ks_iv_not(iv);
		*alive = test(w, place, iv);
	} else {
		v = random_val(nplace);
		assign(w, place, &v);
	}
	if (rnd(4) == 0)
		ks_facts_normalize(&w->f);
}

static void
copy_world(struct world *dst, const struct world *src)
{
	ks_facts_copy(&dst->f, &src->f);
	dst->nenv = src->nenv;
	memcpy(dst->env, src->env, src->nenv * sizeof(src->env[0]));
}

/* A becomes what is known where A and B meet. */
static void
join(struct world *a, struct world *b)
{
	struct ks_facts before;
	uint64_t gates = a->f.gates & b->f.gates;

	ks_facts_normalize(&a->f);
	ks_facts_normalize(&b->f);
	ks_facts_copy(&before, &a->f);
	for (unsigned i = 0; i < b->nenv && a->nenv < 2 * NENV; i++)
		memcpy(a->env[a->nenv++], b->env[i], sizeof(b->env[0]));
	if (!ks_facts_join(&a->f, &b->f, &sets)) {
		/* Nothing new: the same bytes. */
		assert_int_equal(before.nval, a->f.nval);
		assert_memory_equal(
		    before.val, a->f.val, before.nval * sizeof(before.val[0]));
	}
	assert_int_equal(a->f.gates, gates);
	/* What was joined has nothing more to tell. */
	ks_facts_copy(&before, &a->f);
	assert_false(ks_facts_join(&before, &a->f, &sets));
}

static void
walk(uint32_t nplace, unsigned rounds, unsigned steps)
{
	static uint64_t enva[2 * NENV][128], envb[2 * NENV][128];
	struct world a = { .env = enva }, b = { .env = envb };
	unsigned joined = 0;

	for (unsigned round = 0; round < rounds; round++) {
		bool alive = true, other = true;

		ks_facts_init(&a.f);
		a.nenv = NENV;
		for (unsigned i = 0; i < NENV; i++)
			for (uint32_t p = 0; p < nplace; p++)
				enva[i][p] = pool[rnd(NPOOL)];
		for (unsigned i = 0; i < steps; i++)
			step(&a, nplace, &alive);
		if (!alive)
			continue;
		check_world(&a);
		copy_world(&b, &a);
		for (unsigned i = 0; i < steps; i++) {
			step(&a, nplace, &alive);
			step(&b, nplace, &other);
		}
		a.f.gates = rnd(16);
		b.f.gates = rnd(16);
		if (!alive || !other)
			continue;
		check_world(&a);
		check_world(&b);
		join(&a, &b);
		check_world(&a);
		joined++;
		for (unsigned i = 0; i < steps && alive; i++)
			step(&a, nplace, &alive);
		if (alive)
			check_world(&a);
	}
	assert_true(joined > rounds / 5);
}

static void
facts(void **state)
{
	(void)state;
	walk(4, 6000, 6);
	walk(7, 2000, 12);
}

/* More places and values than are kept: forgetting is all that happens. */
static void
many_facts(void **state)
{
	(void)state;
	walk(120, 100, 150);
}

static void
set_test(struct ks_facts *f, uint32_t place, uint32_t of, struct ks_iv iv)
{
	struct ks_val v = { .kind = KS_VAL_TEST, .ref = of, .iv = iv };

	ks_facts_assign(f, place, &v);
}

static bool
refine(struct ks_facts *f, uint32_t place, struct ks_iv iv)
{
	return ks_facts_refine(f, ks_facts_value(f, place), iv);
}

/* What the engine lives on: one form of a condition tells of the others. */
static void
precise_facts(void **state)
{
	struct ks_iv zero = ks_iv_const(0, 32), some = ks_iv_not(zero);
	struct ks_iv byte = ks_iv_not(ks_iv_const(0, 8));
	struct ks_val copy = { .kind = KS_VAL_PLACE, .ref = 0 };
	struct ks_val ext = { .kind = KS_VAL_ZEXT, .ref = 0, .num = 32 };
	struct ks_facts f, g;

	(void)state;
	/* 1 = 0; 2 = (1 == 0); 3 = (2 == 0): tested in a byte. */
	ks_facts_init(&f);
	ks_facts_assign(&f, 1, &copy);
	set_test(&f, 2, 1, zero);
	set_test(&f, 3, 2, zero);
	ks_facts_copy(&g, &f);
	assert_true(refine(&f, 3, byte));
	assert_false(refine(&f, 0, zero));
	assert_true(refine(&g, 3, ks_iv_const(0, 8)));
	assert_false(refine(&g, 1, some));
	/* The reverse: the operand decides the comparison. */
	ks_facts_init(&f);
	set_test(&f, 2, 0, zero);
	assert_true(refine(&f, 0, zero));
	assert_false(refine(&f, 2, zero));
	/* Through an extension, each way. */
	ks_facts_init(&f);
	ks_facts_assign(&f, 1, &ext);
	ks_facts_copy(&g, &f);
	assert_true(refine(&f, 1, ks_iv_const(5, 64)));
	assert_false(refine(&f, 0, ks_iv_not(ks_iv_const(5, 32))));
	assert_true(refine(&g, 0, ks_iv_not(ks_iv_const(5, 32))));
	assert_false(refine(&g, 1, ks_iv_const(5, 64)));
	/* Flags of one value, whatever is asked of the others in between. */
	ks_facts_init(&f);
	assert_true(refine(&f, 0, (struct ks_iv){ 2, 3, 2 }));
	assert_true(refine(&f, 0, (struct ks_iv){ 0, 63, 7 }));
	assert_true(refine(&f, 0, some));
	ks_facts_assign(&f, 1, &ext);
	assert_false(refine(&f, 1, (struct ks_iv){ 64, 127, 7 }));
	ks_facts_copy(&g, &f);
	assert_false(refine(&f, 0, (struct ks_iv){ 0, 1, 2 }));
	assert_false(refine(&g, 1, zero));
	/* Extended twice, or from what has no more bits, it is the same. */
	ks_facts_init(&f);
	ks_facts_assign(&f, 1, &ext);
	ks_facts_assign(&f, 2, &ext);
	ext.ref = 1;
	ks_facts_assign(&f, 3, &ext);
	assert_int_equal(ks_facts_find(&f, 1), ks_facts_find(&f, 2));
	assert_int_equal(ks_facts_find(&f, 1), ks_facts_find(&f, 3));
	/* What is extended here and the same there has the low bits of both. */
	ks_facts_init(&f);
	ks_facts_init(&g);
	ks_facts_assign(&f, 1, &copy);
	ext.ref = 0;
	ks_facts_assign(&g, 1, &ext);
	ks_facts_normalize(&f);
	ks_facts_normalize(&g);
	assert_true(ks_facts_join(&f, &g, &sets));
	ks_facts_copy(&g, &f);
	assert_true(refine(&f, 1, zero));
	assert_false(refine(&f, 0, some));
	assert_true(refine(&g, 0, (struct ks_iv){ 2, 3, 2 }));
	assert_false(refine(&g, 1, (struct ks_iv){ 0, 1, 2 }));
	/* Extended from 32 bits on one way, from 8 on the other: 8 agree. */
	ks_facts_init(&f);
	ks_facts_init(&g);
	ks_facts_assign(&f, 1, &ext);
	ext.num = 8;
	ks_facts_assign(&g, 1, &ext);
	ks_facts_normalize(&f);
	ks_facts_normalize(&g);
	assert_true(ks_facts_join(&f, &g, &sets));
	assert_true(refine(&f, 1, byte));
	assert_false(refine(&f, 0, ks_iv_const(0, 8)));
	assert_true(refine(&f, 0, (struct ks_iv){ 256, 511, 9 }));
	assert_true(refine(&f, 1, (struct ks_iv){ 0, 255, 9 }));
	/* A loop that extends what it had extended before: no chain grows. */
	ext.num = 32;
	ks_facts_init(&f);
	ks_facts_assign(&f, 1, &copy);
	for (unsigned i = 0; i < 8; i++) {
		ks_facts_copy(&g, &f);
		ext.ref = 1;
		ks_facts_assign(&g, 2, &ext);
		ks_facts_assign(&g, 1,
		    &(struct ks_val){ .kind = KS_VAL_PLACE, .ref = 2 });
		ks_facts_set(&g, 2, KS_NONE);
		ks_facts_normalize(&f);
		ks_facts_normalize(&g);
		ks_facts_join(&f, &g, &sets);
		assert_int_equal(f.nval, 2);
	}
	ext.ref = 0;
	/* A part says nothing of what is above it. */
	ks_facts_init(&f);
	ks_facts_assign(&f, 1, &(struct ks_val){ .kind = KS_VAL_LOW,
	    .ref = 0, .num = 8 });
	assert_true(refine(&f, 0, zero));
	assert_true(refine(&f, 1, some));
	assert_false(refine(&f, 1, byte));
	/* Constants that are the same are equal, wherever they came from. */
	ks_facts_init(&f);
	ks_facts_init(&g);
	for (uint32_t i = 0; i < 2; i++) {
		ks_facts_assign(&f, i,
		    &(struct ks_val){ .kind = KS_VAL_CONST, .num = 1 });
		ks_facts_assign(&g, i,
		    &(struct ks_val){ .kind = KS_VAL_CONST });
	}
	ks_facts_normalize(&f);
	ks_facts_normalize(&g);
	assert_true(ks_facts_join(&f, &g, &sets));
	assert_true(refine(&f, 0, zero));
	assert_false(refine(&f, 1, some));
	/* Equality outlives a join of different values. */
	ks_facts_init(&f);
	ks_facts_init(&g);
	ks_facts_assign(&f, 0, &(struct ks_val){ .kind = KS_VAL_CONST });
	ks_facts_assign(&f, 1, &copy);
	ks_facts_assign(
	    &g, 0, &(struct ks_val){ .kind = KS_VAL_CONST, .num = 7 });
	ks_facts_assign(&g, 1, &copy);
	ks_facts_normalize(&f);
	ks_facts_normalize(&g);
	assert_true(ks_facts_join(&f, &g, &sets));
	assert_true(refine(&f, 0, zero));
	assert_false(refine(&f, 1, some));
}

/* Functions that a pointer may hold, after ways that meet. */
static void
symbols(void **state)
{
	struct ks_val null = { .kind = KS_VAL_CONST };
	uint32_t got[KS_MAXSYM], n;
	struct ks_facts f, g;

	(void)state;
	for (uint32_t i = 0; i <= KS_MAXSYM; i++) {
		struct ks_val sym = { .kind = KS_VAL_SYM, .ref = 7 - i };

		ks_facts_init(&g);
		ks_facts_assign(&g, 0, &sym);
		if (i == 0) {
			ks_facts_copy(&f, &g);
			continue;
		}
		sym.ref = i == KS_MAXSYM ? 20 : sym.ref;
		ks_facts_assign(&g, 0, &sym);
		assert_true(ks_facts_join(&f, &g, &sets));
		n = ks_syms(&sets, i == KS_MAXSYM ? 0 :
		    f.val[ks_facts_find(&f, 0)].sym, got);
		assert_int_equal(n, i == KS_MAXSYM ? 0 : i + 1);
		for (uint32_t k = 0; k < n; k++)
			assert_int_equal(got[k], 8 - i + k);
		if (i == 3) {
			/* A null pointer is none of them, and loses none. */
			ks_facts_init(&g);
			ks_facts_assign(&g, 0, &null);
			assert_true(ks_facts_join(&f, &g, &sets));
			assert_int_equal(ks_syms(&sets,
			    f.val[ks_facts_find(&f, 0)].sym, got), 4);
			assert_true(refine(&f, 0, ks_iv_not(
			    ks_iv_const(0, 64))));
		}
	}
	/* One too many: unknown, but no null pointer. */
	assert_int_equal(f.val[ks_facts_find(&f, 0)].sym, 0);
	/* What is unknown on one way is unknown. */
	ks_facts_init(&f);
	ks_facts_init(&g);
	ks_facts_assign(&f, 0, &(struct ks_val){ .kind = KS_VAL_SYM });
	assert_true(refine(&g, 0, ks_iv_not(ks_iv_const(0, 64))));
	assert_true(ks_facts_join(&f, &g, &sets));
	assert_int_equal(f.val[ks_facts_find(&f, 0)].sym, 0);
}

/* --- 3. properties ---------------------------------------------------- */

struct situation {
	bool thread, region, atomic;
}; /* of the caller */

static const struct situation situations[] = {
	{ false, false, false },
	{ false, true, false },
	{ false, true, true },
	{ true, false, false },
	{ true, true, false },
	{ true, true, true },
};
#define NSITUATION (sizeof(situations) / sizeof(situations[0]))

/* MEANS in situation S with the regions that P entered on top. */
static bool
holds(const struct situation *s, const struct ks_prop *p, unsigned means)
{
	bool own = p->depth > 0;

	switch (means) {
	case KS_MEANS_THREAD:
		return s->thread;
	case KS_MEANS_REGION:
		return own || s->region || s->thread;
	case KS_MEANS_ATOMIC:
		return own ? (p->reg[p->depth - 1] & KS_REG_ATOMIC) != 0 :
			     s->atomic;
	default:
		return !own && !s->region && !s->thread;
	}
}

static void
properties(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		struct ks_prop p = { .base = KS_BASE_ENTRY };
		bool may[NSITUATION], any = true;

		memset(may, true, sizeof(may));
		for (unsigned i = 0; i < 6 && any; i++) {
			unsigned m = 1u << rnd(4);
			bool truth = rnd(2), can;

			if (rnd(4) == 0 && p.depth < KS_DEPTH) {
				p.reg[p.depth++] = rnd(2) ? KS_REG_ATOMIC : 0;
			} else if (rnd(4) == 0 && p.depth > 0) {
				p.reg[--p.depth] = 0;
			} else {
				can = ks_prop_assume(&p, m, truth);
				any = false;
				for (size_t k = 0; k < NSITUATION; k++) {
					may[k] &= holds(&situations[k], &p,
						      m) == truth;
					any |= may[k];
				}
				if (any)
					assert_true(can);
				any &= can;
			}
			for (unsigned x = 1; any && x <= 8; x <<= 1)
				for (size_t k = 0; k < NSITUATION; k++) {
					enum ks_tri t = ks_prop_means(&p, x);

					if (may[k] && t != KS_MAYBE)
						assert_int_equal(t == KS_YES,
						    holds(
							&situations[k], &p, x));
				}
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals),
		cmocka_unit_test(wide_intervals),
		cmocka_unit_test(facts),
		cmocka_unit_test(many_facts),
		cmocka_unit_test(precise_facts),
		cmocka_unit_test(symbols),
		cmocka_unit_test(properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
