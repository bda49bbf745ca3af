/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What each event does to the property, and what it asks of the caller where
 * the property is still the caller's matter (KS_MAYBE).
 *
 * A function that opens a region itself is expected to do its SIMD work
 * inside it: what it touches outside is a fault of its own, not a need.  One
 * exception: a path that a parameter chooses, in a function with callers in
 * the set, is judged at the callers (a helper that is told whether the
 * region is held already).
 */
#include <string.h>

#include "analyse.h"

static bool
param_chosen(const struct ks_an *an, const struct ks_state *s)
{
	for (uint32_t i = 0; i < an->f->params.n && i < KS_PF; i++)
		if (ks_facts_iv(&s->f, KS_SHADOW(an, i)).bits != 0)
			return (true);
	return (false);
}

/* What R says is needed is not there. */
static void
outside(struct ks_an *an, const struct ks_state *s, const struct ks_req *r,
    uint32_t sym)
{
	if (!r->inner)
		ks_cand_add(an, KS_D_SIMD_OUTSIDE_REGION, s, r->node, r->via,
		    r->viareq, sym);
	else if (an->judging)
		an->g->funcs.v[r->via].out = true;
}

/*
 * NODE needs a region.  FROM: the callee's requirement, or NULL for an event
 * of the function itself.
 */
void
ks_do_need(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_req *from, uint32_t sym)
{
	struct ks_req r = { .kind = KS_REQ_NEED, .node = node,
	    .via = KS_NONE, .viareq = KS_NONE };

	if (from != NULL) {
		r.via = from->via;
		r.viareq = from->viareq;
	}
	r.inner = from != NULL && from->inner;
	switch (ks_prop_held(&s->prop)) {
	case KS_YES:
		return;
	case KS_NO:
		outside(an, s, &r, sym);
		return;
	default:
		break;
	}
	if ((r.inner || an->gf->nests) &&
	    (an->mode == KS_MODE_ROOT || an->mode == KS_MODE_OUT)) {
		outside(an, s, &r, sym);
		return;
	}
	r.own = an->gf->opens;
	if (an->gf->nests)
		r.inner = true;
	else if (r.own && (an->mode == KS_MODE_ROOT || !an->gf->called ||
	    !param_chosen(an, s))) {
		outside(an, s, &r, sym);
		return;
	}
	ks_req_add(an, s, &r);
}

/* NODE must not be in an atomic region: it sleeps. */
void
ks_do_sleep(struct ks_an *an, struct ks_state *s, uint32_t node, uint32_t via,
    uint32_t viareq, uint32_t sym)
{
	struct ks_req r = { .kind = KS_REQ_NO_SLEEP, .node = node, .via = via,
	    .viareq = viareq };

	switch (ks_prop_atomic(&s->prop)) {
	case KS_YES:
		ks_cand_add(an, KS_D_REGION_SLEEPS, s, node, via, viareq, sym);
		break;
	case KS_MAYBE:
		ks_req_add(an, s, &r);
		break;
	default:
		break;
	}
}

/*
 * NODE sleeps if its flags, or those of what it calls, say so: nobody knows.
 * SYM is what is called at NODE.
 */
void
ks_do_may_sleep(struct ks_an *an, struct ks_state *s, uint32_t node,
    uint32_t via, uint32_t viareq, uint32_t sym)
{
	struct ks_req r = { .kind = KS_REQ_MAY_SLEEP, .node = node,
	    .via = via, .viareq = viareq };

	switch (ks_prop_atomic(&s->prop)) {
	case KS_YES:
		if (KS_COUNTING(an) && !(an->seen[node] & KS_SEEN_FLAGS)) {
			an->seen[node] |= KS_SEEN_FLAGS;
			ks_assume(an->g, "sleep-flags", an->fi, node,
			    "'%s' is taken not to sleep here: its flags are "
			    "not known", ks_str(an->g->str,
			    an->g->syms.v[sym].name));
		}
		break;
	case KS_MAYBE:
		ks_req_add(an, s, &r);
		break;
	default:
		break;
	}
}

/* NODE enters a region: it must not be in an atomic one. */
void
ks_do_nest(struct ks_an *an, struct ks_state *s, uint32_t node, bool counted,
    uint32_t via, uint32_t viareq, uint32_t sym)
{
	struct ks_req r = { .node = node, .via = via, .viareq = viareq,
	    .kind = counted ? KS_REQ_NO_NEST_COUNTED : KS_REQ_NO_NEST };
	const struct ks_prop *p = &s->prop;

	if (counted && p->depth > 0 &&
	    (p->reg[p->depth - 1] & KS_REG_COUNTED))
		return;
	switch (ks_prop_atomic(p)) {
	case KS_YES:
		ks_cand_add(an, KS_D_REGION_NESTED, s, node, via, viareq, sym);
		break;
	case KS_MAYBE:
		ks_req_add(an, s, &r);
		break;
	default:
		break;
	}
}

/* Instruction sets that the CPU is known to have at S. */
static ks_isaset
known(const struct ks_an *an, const struct ks_state *s)
{
	const struct ks_profile *p = an->g->profile;
	ks_isaset off = 0;

	if (s->f.gates == 0)
		return (an->baseline);
	/* A CPUID bit is not enough where XCR0 must have the state enabled. */
	for (size_t i = 0; i < p->features.n; i++)
		if ((p->features.v[i].xcr0 & ~s->f.xcr0) != 0)
			off |= p->features.v[i].isa;
	return (ks_isa_closure(s->f.gates & ~off) | an->baseline);
}

void
ks_do_isa(struct ks_an *an, struct ks_state *s, uint32_t node, ks_isaset isa,
    uint32_t via, uint32_t viareq, uint32_t sym)
{
	struct ks_req r = { .kind = KS_REQ_ISA, .node = node, .via = via,
	    .viareq = viareq };

	r.isa = isa & ~known(an, s);
	if (r.isa == 0)
		return;
	if (an->mode == KS_MODE_ROOT) {
		ks_cand_add(an, KS_D_ISA_UNGUARDED, s, node, via, viareq, sym);
		if (an->judging && an->cands.n > 0)
			an->cands.v[an->cands.n - 1].isa |= r.isa;
	}
	ks_req_add(an, s, &r);
}

/*
 * Where every region of the kernel is atomic, having entered one means that
 * the caller held none.
 */
void
ks_do_enter(struct ks_an *an, struct ks_state *s, uint32_t node, bool atomic,
    bool counted)
{
	struct ks_prop *p = &s->prop;

	if (KS_COUNTING(an) && !(an->seen[node] & KS_SEEN_COUNTED)) {
		an->seen[node] |= KS_SEEN_COUNTED;
		an->g->verdict->regions++;
	}
	if (p->depth == 0 && p->base == KS_BASE_ENTRY &&
	    an->g->atomic_only && !counted)
		p->base = KS_BASE_OUT;
	if (p->depth == KS_DEPTH) {
		an->deep = node + 1;
		return;
	}
	p->reg[p->depth] = (atomic ? KS_REG_ATOMIC : 0) |
	    (counted ? KS_REG_COUNTED : 0);
	s->where[p->depth++] = node;
}

/* The mode is for a thread that is in no atomic region. */
void
ks_do_thread(struct ks_an *an, struct ks_state *s, uint32_t node, uint32_t sym)
{
	ks_do_nest(an, s, node, false, KS_NONE, KS_NONE, sym);
	s->prop.base = KS_BASE_THREAD;
}

/* A region is left at NODE: one must be held. */
void
ks_do_leave_held(struct ks_an *an, struct ks_state *s, uint32_t node,
    uint32_t via, uint32_t viareq, uint32_t sym)
{
	struct ks_req r = { .kind = KS_REQ_LEAVES, .node = node, .via = via,
	    .viareq = viareq };
	const struct ks_prop *p = &s->prop;

	if (p->depth > 0)
		return;
	if (p->base == KS_BASE_OUT || p->base == KS_BASE_THREAD ||
	    an->mode == KS_MODE_ROOT)
		ks_cand_add(an, KS_D_LEAVE_OUTSIDE_REGION, s, node, via,
		    viareq, sym);
	if (p->base == KS_BASE_ENTRY || p->base == KS_BASE_HELD)
		ks_req_add(an, s, &r);
}

void
ks_do_leave(struct ks_an *an, struct ks_state *s, uint32_t node, uint32_t sym)
{
	struct ks_prop *p = &s->prop;
	bool said;

	ks_vector_left(an, s);
	if (p->depth > 0) {
		if (an->judging)
			an->seen[node] |= KS_SEEN_HELD;
		p->reg[--p->depth] = 0;
		s->where[p->depth] = KS_NONE;
		s->left = node;
		return;
	}
	/* A query said that the caller's region is held. */
	said = (p->yes & KS_MEANS_ATOMIC) != 0 && p->popped == 0;
	if (an->judging)
		an->seen[node] |= said ? KS_SEEN_HELD : KS_SEEN_NOT;
	if (!said)
		ks_do_leave_held(an, s, node, KS_NONE, KS_NONE, sym);
	if (said && p->base == KS_BASE_THREAD) {
		p->popped++;
	} else if (p->base == KS_BASE_ENTRY || p->base == KS_BASE_HELD) {
		p->popped++;
		p->base = KS_BASE_OUT;
	}
	s->left = node;
}

/* What a query answers is in IV. */
static void
answer(const struct ks_an *an, struct ks_state *s, uint32_t dst,
    struct ks_iv iv)
{
	uint32_t v;

	if (dst == KS_NONE || !an->relevant[dst])
		return;
	if ((v = ks_facts_new(&s->f)) != KS_NONE)
		s->f.val[v].iv = iv;
	ks_facts_set(&s->f, dst, v);
}

void
ks_do_query(struct ks_an *an, struct ks_state *s, uint32_t node, uint32_t dst,
    unsigned means, bool exact)
{
	bool can_be_true = true, can_be_false = true;
	struct ks_state t;

	/* A thread's mode is never hidden from its own query.  That not all of
	   several is true says nothing of each. */
	exact |= means == KS_MEANS_THREAD;
	exact &= (means & (means - 1)) == 0;
	ks_state_copy(&t, s);
	can_be_true = ks_prop_assume(&t.prop, means, true);
	if (exact)
		can_be_false = ks_prop_assume(&s->prop, means, false);
	if (can_be_true) {
		answer(an, &t, dst, (struct ks_iv){ 1, 255, 32 });
		ks_go_on(an, &t, node);
	}
	if (can_be_false) {
		answer(an, s, dst, ks_iv_const(0, 32));
		ks_go_on(an, s, node);
	}
}

static void
simd(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	if (an->gf->machinery)
		return;
	/* Where the FPU is always enabled, what has no register is free. */
	if (!an->g->profile->fpu_enabled ||
	    an->f->nodes.v[node].classes != KS_RC_UNIT) {
		an->gf->simd = true;
		ks_do_need(an, s, node, NULL, KS_NONE);
	}
	ks_vector_event(an, s, node);
	if (an->f->nodes.v[node].isa != 0)
		ks_do_isa(an, s, node, an->f->nodes.v[node].isa, KS_NONE,
		    KS_NONE, KS_NONE);
}

void
ks_event(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *n = &an->f->nodes.v[node];
	struct ks_val v = n->val;

	ks_note_held(an, s, node);
	switch (n->ev) {
	case KS_EV_SET:
		if (an->relevant[n->dst]) {
			if (v.kind == KS_VAL_SYM)
				v.ref = an->map[v.ref];
			ks_facts_assign(&s->f, n->dst, &v);
		}
		break;
	case KS_EV_SAVE:
		if (an->g->inline_enter && !an->gf->machinery) {
			ks_do_nest(an, s, node, false, KS_NONE, KS_NONE,
			    KS_NONE);
			ks_do_enter(an, s, node, true, false);
		}
		break;
	case KS_EV_RESTORE:
		if (an->g->inline_enter && !an->gf->machinery) {
			ks_do_leave(an, s, node, KS_NONE);
			break;
		}
		/* FALLTHROUGH */
	case KS_EV_SIMD:
		simd(an, s, node);
		break;
	case KS_EV_CALL:
		ks_do_call(an, s, node);
		return;
	case KS_EV_ENTER:
		ks_do_nest(an, s, node, false, KS_NONE, KS_NONE, KS_NONE);
		ks_do_enter(an, s, node, true, false);
		break;
	case KS_EV_LEAVE:
		ks_do_leave(an, s, node, KS_NONE);
		break;
	case KS_EV_QUERY:
		ks_do_query(an, s, node, n->dst, n->aux & ~KS_MEANS_EXACT,
		    (n->aux & KS_MEANS_EXACT) != 0);
		return;
	case KS_EV_THREAD:
		ks_do_thread(an, s, node, KS_NONE);
		break;
	case KS_EV_ASSERT:
		ks_do_need(an, s, node, NULL, KS_NONE);
		if (s->prop.base == KS_BASE_ENTRY && s->prop.depth == 0)
			s->prop.base = KS_BASE_HELD;
		break;
	case KS_EV_BOUND:
		ks_bound_event(an, s, node);
		break;
	case KS_EV_SLEEP:
		ks_do_sleep(an, s, node, KS_NONE, KS_NONE, KS_NONE);
		break;
	case KS_EV_RETURN:
		if (s->prop.depth > 0 && an->mode == KS_MODE_ROOT)
			ks_cand_add(an, KS_D_REGION_NOT_LEFT, s, node, KS_NONE,
			    KS_NONE, KS_NONE);
		else if (s->prop.depth > 0 && an->judging)
			ks_cand_add(an, KS_D_MAX, s, node, KS_NONE, KS_NONE,
			    KS_NONE);
		ks_case_add(an, s, node, &n->val);
		return;
	case KS_EV_END:
		return;
	default:
		break;
	}
	ks_advance(an, s, node);
}
