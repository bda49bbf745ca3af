/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What only sources and IR tell: whether regions and their contexts belong
 * together, and where vector values go.
 *
 * 1. The context of each region entered here is kept in a place of the
 *    engine's own, so that equality with an argument is equality of values.
 * 2. A mismatch is reported where it is certain: the arguments are constants
 *    that differ, or two parameters that nothing made equal, or one was
 *    allocated since the region was entered, or a context in use is freed or
 *    entered with once more.  What is unknown is not.
 * 3. The result of an allocation that may fail is kept the same way; used as
 *    a context before it was found to be no null pointer, it is unchecked.
 * 4. A vector local is fresh where it is set, at the depth of regions there,
 *    and stale once a region of that depth was left; read when stale, it
 *    crossed.  A region inside, left since, gave back what it found.
 *
 * Limits: one allocation at a time is followed; contexts in memory that
 * several expressions name are not told apart.
 */
#include <string.h>

#include "analyse.h"

/* What is kept of a vector; in this order, so that joins tell the most. */
#define FRESH(depth)	(1 + (uint64_t)(depth))
#define STALE		FRESH(KS_DEPTH + 1)

static const struct ks_val *
arg(const struct ks_an *an, const struct ks_call *c, int i)
{
	return (i >= 0 && (uint32_t)i < c->narg ?
	    &an->f->args.v[c->arg + (uint32_t)i] : NULL);
}

static struct ks_iv
iv_of(const struct ks_state *s, const struct ks_val *v)
{
	if (v->kind == KS_VAL_CONST)
		return (ks_iv_const(v->num, 64));
	if (v->kind == KS_VAL_SYM)
		return (ks_iv_not(ks_iv_const(0, 64)));
	if (v->kind == KS_VAL_PLACE)
		return (ks_facts_iv(&s->f, v->ref));
	return ((struct ks_iv){ 0, 0, 0 });
}

static bool
is_null(const struct ks_state *s, const struct ks_val *v)
{
	uint64_t k;

	return (ks_iv_single(iv_of(s, v), &k) && k == 0);
}

static void
mismatch(struct ks_an *an, const struct ks_state *s, uint32_t node,
    uint32_t sym, enum ks_why why)
{
	ks_cand_add(an, KS_D_REGION_CONTEXT_MISMATCH, s, node, KS_NONE,
	    KS_NONE, sym);
	if (an->judging && an->cands.n > 0)
		an->cands.v[an->cands.n - 1].why = why;
}

/* Is VAL the context of a region that is held?  Its depth, or -1. */
static int
in_use(const struct ks_an *an, const struct ks_state *s,
    const struct ks_val *val)
{
	uint32_t v;

	if (val->kind != KS_VAL_PLACE ||
	    (v = ks_facts_find(&s->f, val->ref)) == KS_NONE)
		return (-1);
	for (int d = 0; d < s->prop.depth; d++)
		if (ks_facts_find(&s->f, KS_CONTEXT(an, d)) == v)
			return (d);
	return (-1);
}

/* Do the flags say that there must be no context?  -1: they are not known. */
static int
no_context(const struct ks_an *an, const struct ks_state *s,
    const struct ks_call *c, const struct ks_rule *r)
{
	const struct ks_profile *p = an->g->profile;
	const struct ks_val *a = arg(an, c, r->flags);
	uint64_t k;

	if (a == NULL || !ks_iv_single(iv_of(s, a), &k))
		return (-1);
	for (size_t i = 0; i < p->flags.n; i++)
		if (p->flags.v[i].no_ctx && (k & p->flags.v[i].value) != 0)
			return (1);
	return (0);
}

/* A region is entered at DEPTH, by a callee: with what is not known. */
void
ks_context_unknown(struct ks_an *an, struct ks_state *s, int depth)
{
	ks_facts_set(&s->f, KS_RECENT(an), KS_NONE);
	ks_facts_set(&s->f, KS_CONTEXT(an, depth), KS_NONE);
	ks_facts_set(&s->f, KS_CONTEXT(an, KS_DEPTH + depth), KS_NONE);
}

static void
entered(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, const struct ks_rule *r, uint32_t sym)
{
	const struct ks_val *a = arg(an, c, r->ctx);
	int none, depth = s->prop.depth;
	uint32_t v, at;

	if (depth == KS_DEPTH)
		return;
	at = KS_CONTEXT(an, depth);
	ks_context_unknown(an, s, depth);
	if (a == NULL)
		return;
	none = no_context(an, s, c, r);
	if (none == 0 && is_null(s, a))
		mismatch(an, s, node, sym, KS_WHY_NULL);
	else if (none == 1 && a->kind == KS_VAL_SYM)
		mismatch(an, s, node, sym, KS_WHY_NOT_NULL);
	else if (in_use(an, s, a) >= 0)
		mismatch(an, s, node, sym, KS_WHY_AGAIN);
	if (a->kind == KS_VAL_PLACE &&
	    (v = ks_facts_value(&s->f, a->ref)) != KS_NONE) {
		if (ks_facts_find(&s->f, KS_ALLOCATED(an)) == v &&
		    !is_null(s, a) &&
		    !ks_iv_disjoint(s->f.val[v].iv, ks_iv_const(0, 64)))
			ks_cand_add(an, KS_D_CONTEXT_UNCHECKED, s, node,
			    KS_NONE, KS_NONE, sym);
		ks_facts_set(&s->f, at, v);
	} else if (a->kind == KS_VAL_CONST || a->kind == KS_VAL_SYM) {
		struct ks_val k = *a;

		if (k.kind == KS_VAL_SYM)
			k.ref = an->map[k.ref];
		ks_facts_assign(&s->f, at, &k);
	}
	if (none == 0 && !is_null(s, a)) {
		struct ks_val one = { .kind = KS_VAL_CONST, .num = 1 };

		ks_facts_assign(&s->f, KS_CONTEXT(an, KS_DEPTH + depth), &one);
	}
}

static bool
is_param(const struct ks_an *an, const struct ks_state *s, uint32_t v)
{
	for (uint32_t i = 0; i < an->f->params.n && i < KS_PF; i++)
		if (ks_facts_find(&s->f, KS_SHADOW(an, i)) == v)
			return (true);
	return (false);
}

static void
left(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, const struct ks_rule *r, uint32_t sym)
{
	const struct ks_val *a = arg(an, c, r->ctx);
	uint32_t was, v;
	uint64_t one;
	int d = s->prop.depth - 1;

	if (a == NULL || d < 0)
		return;
	was = ks_facts_find(&s->f, KS_CONTEXT(an, d));
	if (is_null(s, a)) {
		if (ks_iv_single(ks_facts_iv(&s->f, KS_CONTEXT(an,
		    KS_DEPTH + d)), &one))
			mismatch(an, s, node, sym, KS_WHY_LEFT_NULL);
		return;
	}
	if (a->kind != KS_VAL_PLACE)
		return;
	v = ks_facts_find(&s->f, a->ref);
	if (v == KS_NONE || v == was)
		return;
	if (ks_facts_find(&s->f, KS_RECENT(an)) == v || (was != KS_NONE &&
	    (ks_iv_disjoint(s->f.val[v].iv, s->f.val[was].iv) ||
	    (is_param(an, s, v) && is_param(an, s, was)))))
		mismatch(an, s, node, sym, KS_WHY_OTHER);
}

void
ks_context_call(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, const struct ks_rule *r, uint32_t sym)
{
	const struct ks_val *a;

	if (an->u->front == KS_FRONT_OBJ)
		return;
	if (r->role == KS_ROLE_ENTER) {
		entered(an, s, node, c, r, sym);
	} else if (r->role == KS_ROLE_LEAVE) {
		left(an, s, node, c, r, sym);
	} else if (r->role == KS_ROLE_FREE) {
		a = arg(an, c, r->ctx);
		if (a != NULL && in_use(an, s, a) >= 0)
			mismatch(an, s, node, sym, KS_WHY_FREED);
	}
}

void
ks_context_result(struct ks_an *an, struct ks_state *s,
    const struct ks_call *c)
{
	const struct ks_rule *r;
	const struct ks_val *a;
	uint64_t k;
	uint32_t v;

	if (an->u->front == KS_FRONT_OBJ || c->sym == KS_NONE ||
	    c->result == KS_NONE || !an->relevant[c->result])
		return;
	r = ks_gsym_role(&an->g->syms.v[an->map[c->sym]], KS_ROLE_ALLOC);
	if (r == NULL)
		return;
	v = ks_facts_value(&s->f, c->result);
	ks_facts_set(&s->f, KS_RECENT(an), v);
	if (r->mask == 0 || (a = arg(an, c, r->flags)) == NULL ||
	    !ks_iv_single(iv_of(s, a), &k) || (k & r->mask) == 0)
		return;
	ks_facts_set(&s->f, KS_ALLOCATED(an), v);
}

/* --- vectors ------------------------------------------------------------------ */

static bool
is_vector(const struct ks_an *an, uint32_t place)
{
	return (place < an->f->places.n &&
	    (an->f->places.v[place].flags & KS_PLACE_VECTOR) != 0);
}

/* SIMD work at NODE, which a compiler may move: over the edges around it. */
static void
may_move(struct ks_an *an, struct ks_state *s, uint32_t node, uint32_t sym)
{
	if (s->prop.depth == 0) {
		if (an->gf->loose == 0)
			an->gf->loose = node + 1;
		return;
	}
	if (an->mode != KS_MODE_JUDGE || !an->judging || an->moves)
		return;
	an->moves = true;
	ks_cand_add(an, KS_D_SIMD_MAY_MOVE, s, node, KS_NONE, KS_NONE, sym);
}

/*
 * A compiler inlines what is in the same file, and only where the caller has
 * all instruction sets that the callee is compiled for.
 */
void
ks_vector_call(struct ks_an *an, struct ks_state *s, uint32_t node,
    uint32_t callee, uint32_t sym)
{
	const struct ks_gfunc *cf = &an->g->funcs.v[callee];

	if (an->u->front == KS_FRONT_SRC && cf->unit == an->gf->unit &&
	    (cf->f->flags & KS_FUNC_INLINE) && cf->loose != 0 &&
	    (cf->f->isa & ~an->f->isa & ~an->u->isa_on) == 0)
		may_move(an, s, node, sym);
}

void
ks_vector_event(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *n = &an->f->nodes.v[node];
	struct ks_val fresh = { .kind = KS_VAL_CONST,
	    .num = FRESH(s->prop.depth) };
	uint64_t k;

	if (an->u->front == KS_FRONT_SRC && !(n->aux & KS_SIMD_PINNED))
		may_move(an, s, node, KS_NONE);
	if (an->u->front == KS_FRONT_OBJ || !an->gf->opens)
		return;
	if (n->val.kind == KS_VAL_PLACE && is_vector(an, n->val.ref) &&
	    ks_iv_single(ks_facts_iv(&s->f, n->val.ref), &k) && k == STALE) {
		ks_cand_add(an, KS_D_SIMD_CROSSES_REGION, s, node, KS_NONE,
		    KS_NONE, KS_NONE);
		if (an->judging && an->cands.n > 0)
			an->cands.v[an->cands.n - 1].place = n->val.ref;
	}
	if (n->dst != KS_NONE && is_vector(an, n->dst))
		ks_facts_assign(&s->f, n->dst, &fresh);
}

void
ks_vector_left(struct ks_an *an, struct ks_state *s)
{
	struct ks_val stale = { .kind = KS_VAL_CONST, .num = STALE };
	uint32_t places[KS_MAXFACT], n = 0;

	if (an->u->front == KS_FRONT_OBJ)
		return;
	for (uint32_t i = 0; i < s->f.nplace; i++)
		if (is_vector(an, s->f.pv[i].place))
			places[n++] = s->f.pv[i].place;
	for (uint32_t i = 0; i < n; i++) {
		struct ks_iv iv = ks_facts_iv(&s->f, places[i]);

		if (iv.lo >= FRESH(s->prop.depth))
			ks_facts_assign(&s->f, places[i], &stale);
		else if (iv.hi >= FRESH(s->prop.depth))
			/* Joined, of this region or of one around it. */
			ks_facts_set(&s->f, places[i], KS_NONE);
	}
}

/* --- loops --------------------------------------------------------------------- */

#define LONG_LOOP	(1u << 20)	/* rounds that are many in any region */

void
ks_bound_event(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *n = &an->f->nodes.v[node];
	struct ks_iv iv;
	uint32_t i;

	if (an->mode != KS_MODE_JUDGE || !an->judging ||
	    s->prop.depth == 0 || ks_prop_atomic(&s->prop) != KS_YES ||
	    n->val.kind != KS_VAL_PLACE)
		return;
	for (i = 0; i < an->f->params.n && i < KS_PF; i++)
		if (an->f->params.v[i] == n->val.ref)
			break;
	if (i == an->f->params.n || i == KS_PF)
		return;
	iv = ks_facts_iv(&s->f, KS_SHADOW(an, i));
	if (iv.bits != 0 && iv.lo <= iv.hi && iv.hi <= LONG_LOOP)
		return;
	ks_cand_add(an, KS_D_REGION_UNBOUNDED, s, node, KS_NONE, KS_NONE,
	    KS_NONE);
	if (an->cands.n > 0)
		an->cands.v[an->cands.n - 1].place = n->val.ref;
}
