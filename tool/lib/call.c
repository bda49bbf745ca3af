/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a call does: the profile's meaning of the callee's name, or the
 * callee's summary, or nothing that is known.
 *
 * Targets, in this order: the symbol; the symbols that the facts say the
 * pointer holds; what is stored where the pointer was loaded from.  A
 * parameter that is called is left to the callers, who know what they passed.
 */
#include <string.h>

#include "analyse.h"

/* Places for arguments that are computed, while a call is done. */
#define KS_ARGUMENT	(UINT32_MAX - KS_PF)

#define MAXCALLBACK	3	/* callbacks that are called by callbacks */

struct target {			/* of the call being done */
	const struct ks_call *c;
	uint32_t node;
	uint32_t sym;		/* program symbol */
};

static const struct ks_val *
arg(const struct ks_an *an, const struct ks_call *c, uint32_t i)
{
	return (i < c->narg ? &an->f->args.v[c->arg + i] : NULL);
}

/* What S knows of VAL; .bits 0: nothing.  *sym: the functions it may be. */
static struct ks_iv
value(const struct ks_an *an, const struct ks_state *s,
    const struct ks_val *val, uint32_t *sym)
{
	struct ks_iv none = { 0, 0, 0 };
	uint32_t v;

	*sym = 0;
	if (val == NULL)
		return (none);
	switch (val->kind) {
	case KS_VAL_CONST:
		return (ks_iv_const(val->num, 64));
	case KS_VAL_SYM:
		*sym = an->map[val->ref] + 1;
		return (ks_iv_not(ks_iv_const(0, 64)));
	case KS_VAL_PLACE:
		v = ks_facts_find(&s->f, val->ref);
		if (v == KS_NONE)
			return (none);
		*sym = s->f.val[v].sym;
		return (s->f.val[v].iv);
	default:
		return (none);
	}
}

/*
 * Argument I of C as a value of S, or KS_NONE.  What is computed is kept in a
 * place of its own until the call is done.
 */
static uint32_t
arg_value(struct ks_an *an, struct ks_state *s, const struct ks_call *c,
    uint32_t i)
{
	const struct ks_val *a = arg(an, c, i);

	if (a == NULL)
		return (KS_NONE);
	if (a->kind == KS_VAL_PLACE)
		return (ks_facts_value(&s->f, a->ref));
	if (!ks_val_of_place(a))
		return (KS_NONE);
	ks_facts_assign(&s->f, KS_ARGUMENT + i, a);
	return (ks_facts_find(&s->f, KS_ARGUMENT + i));
}

static bool
narrow(struct ks_an *an, struct ks_state *s, const struct ks_call *c,
    const struct ks_iv pf[KS_PF])
{
	for (uint32_t i = 0; i < KS_PF; i++) {
		const struct ks_val *a = arg(an, c, i);
		uint32_t sym, v;

		if (pf[i].bits == 0 || a == NULL)
			continue;
		if ((v = arg_value(an, s, c, i)) != KS_NONE) {
			if (!ks_facts_refine(&s->f, v, pf[i]))
				return (false);
		} else if (ks_iv_disjoint(value(an, s, a, &sym), pf[i])) {
			return (false);
		}
	}
	return (true);
}

static bool
narrows(const struct ks_iv pf[KS_PF])
{
	for (uint32_t i = 0; i < KS_PF; i++)
		if (pf[i].bits != 0)
			return (true);
	return (false);
}

/* Enters, leaves and queries do not write to the caller's memory. */
static bool
harmless(const struct ks_an *an, const struct ks_call *c)
{
	const struct ks_rule *r;

	if (c->sym == KS_NONE)
		return (false);
	for (r = an->g->syms.v[an->map[c->sym]].rule; r != NULL; r = r->next)
		if (r->role == KS_ROLE_ENTER || r->role == KS_ROLE_LEAVE ||
		    r->role == KS_ROLE_QUERY || r->role == KS_ROLE_THREAD ||
		    r->role == KS_ROLE_MARKER)
			return (true);
	return (false);
}

/* Forgets what a call may change and takes the result in. */
static void
finish(struct ks_an *an, struct ks_state *s, const struct ks_call *c,
    struct ks_iv ret, uint32_t ret_sym, uint32_t ret_val)
{
	uint32_t n = 0, drop = KS_PLACE_VOLATILE;

	if (!harmless(an, c))
		drop |= KS_PLACE_ESCAPED | KS_PLACE_MEMORY;
	for (uint32_t i = 0; i < s->f.nplace; i++) {
		uint32_t p = s->f.pv[i].place;

		if (p >= KS_ARGUMENT)
			continue;
		if (p < an->f->places.n && (an->f->places.v[p].flags & drop))
			continue;
		s->f.pv[n++] = s->f.pv[i];
	}
	s->f.nplace = n;
	if (c->result == KS_NONE || !an->relevant[c->result]) {
		if (c->result != KS_NONE)
			ks_facts_set(&s->f, c->result, KS_NONE);
		return;
	}
	/* A value known before the call keeps its number: nothing above
	   normalizes. */
	if (ret_val == KS_NONE && (ret.bits != 0 || ret_sym != 0) &&
	    s->f.nval < KS_MAXFACT) {
		ret_val = ks_facts_new(&s->f);
		s->f.val[ret_val].iv = ret;
		s->f.val[ret_val].sym = ret_sym;
	}
	ks_facts_set(&s->f, c->result, ret_val);
}

void
ks_go_on(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *n = &an->f->nodes.v[node];
	struct ks_val ret = { .kind = KS_VAL_UNKNOWN };
	const struct ks_call *c;

	if (n->nsucc != 0) {
		ks_advance(an, s, node);
		return;
	}
	if (n->ev != KS_EV_CALL || !an->f->calls.v[n->call].tail)
		return;
	c = &an->f->calls.v[n->call];
	if (c->result != KS_NONE)
		ret = (struct ks_val){ .kind = KS_VAL_PLACE, .ref = c->result };
	if (s->prop.depth > 0 && an->judging)
		ks_cand_add(an, an->mode == KS_MODE_ROOT ?
		    KS_D_REGION_NOT_LEFT : KS_D_MAX, s, node, KS_NONE, KS_NONE,
		    KS_NONE);
	ks_case_add(an, s, node, &ret);
}

static void
unknown_effect(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c)
{
	finish(an, s, c, (struct ks_iv){ 0, 0, 0 }, 0, KS_NONE);
	ks_context_result(an, s, c);
	ks_go_on(an, s, node);
}

/* --- the profile's meaning ------------------------------------------------------ */

static bool
flag_bits(const struct ks_an *an, const struct ks_state *s,
    const struct ks_call *c, int pos, uint64_t *k)
{
	uint32_t sym;

	return (pos >= 0 && ks_iv_single(value(an, s, arg(an, c, pos), &sym),
	    k));
}

static void
enter(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r)
{
	const struct ks_profile *p = an->g->profile;
	bool atomic = r->atomic;
	uint64_t k;

	if (r->flags >= 0 && !flag_bits(an, s, t->c, r->flags, &k)) {
		if (KS_COUNTING(an))
			ks_assume(an->g, "enter-flags", an->fi, t->node,
			    "the flags of this enter are not known; the region "
			    "is taken to be one that may sleep");
	} else if (r->flags >= 0) {
		for (size_t i = 0; i < p->flags.n; i++)
			if (p->flags.v[i].atomic &&
			    (k & p->flags.v[i].value) != 0)
				atomic = true;
	}
	ks_do_nest(an, s, t->node, r->counted, KS_NONE, KS_NONE, t->sym);
	ks_do_enter(an, s, t->node, atomic, r->counted);
}

static void
sleeps(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r)
{
	uint64_t k;

	if (r->role == KS_ROLE_SLEEPS && r->mask != 0) {
		if (!flag_bits(an, s, t->c, r->flags, &k)) {
			ks_do_may_sleep(an, s, t->node, KS_NONE, KS_NONE,
			    t->sym);
			return;
		}
		if ((k & r->mask) == 0)
			return;
	}
	ks_do_sleep(an, s, t->node, KS_NONE, KS_NONE, t->sym);
}

/* --- a summary -------------------------------------------------------------------- */

static bool
fits(const struct ks_prop *p, uint8_t yes, uint8_t no)
{
	for (unsigned m = 1; m <= KS_MEANS_MAY_ENTER; m <<= 1)
		if (((yes & m) && ks_prop_means(p, m) == KS_NO) ||
		    ((no & m) && ks_prop_means(p, m) == KS_YES))
			return (false);
	return (true);
}

static void
demand(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee, uint32_t i, unsigned depth);

static enum ks_at
where_at(const struct ks_prop *p)
{
	if (p->depth > 0)
		return (KS_AT_IN + p->reg[p->depth - 1]);
	if (ks_prop_held(p) == KS_NO && p->popped == 0)
		return (KS_AT_OUT);
	if (p->base == KS_BASE_THREAD && !(p->yes & KS_MEANS_THREAD))
		return (KS_AT_THREAD);
	return (KS_AT_ENTRY);
}

/* A call that leads where nobody knows, once a node. */
static void
count_unknown(struct ks_an *an, uint32_t node)
{
	if (!KS_COUNTING(an) || (an->seen[node] & KS_SEEN_COUNTED))
		return;
	an->seen[node] |= KS_SEEN_COUNTED;
	ks_assume_unknown(an->g, an->fi, node);
}

/* S when the callee has left a region; what is wrong with that, it has told. */
static void
pop(struct ks_state *s)
{
	struct ks_prop *p = &s->prop;

	if (p->depth > 0) {
		p->reg[--p->depth] = 0;
		s->where[p->depth] = KS_NONE;
	} else if (p->base == KS_BASE_ENTRY || p->base == KS_BASE_HELD) {
		p->popped++;
		p->base = KS_BASE_OUT;
	}
}

/* A callee that is declared to be called inside only. */
static void
demand_held(struct ks_an *an, struct ks_state *s, const struct target *t)
{
	if (ks_prop_held(&s->prop) == KS_NO)
		ks_cand_add(an, KS_D_CONTRACT_VIOLATED, s, t->node, KS_NONE,
		    KS_NONE, t->sym);
	else
		ks_do_need(an, s, t->node, NULL, t->sym);
}

/* S at the point of the callee where it calls its parameter. */
static void
move_to(struct ks_an *an, struct ks_state *s, enum ks_at at, uint32_t node)
{
	struct ks_prop *p = &s->prop;

	if (at == KS_AT_ENTRY)
		return;
	if (at >= KS_AT_IN) {
		if (p->depth == KS_DEPTH)
			p->depth--;
		p->reg[p->depth] = at - KS_AT_IN;
		s->where[p->depth++] = node;
		if (an->g->atomic_only && p->base == KS_BASE_ENTRY &&
		    p->depth == 1 && !(p->reg[0] & KS_REG_COUNTED))
			p->base = KS_BASE_OUT;
		return;
	}
	p->base = at == KS_AT_OUT ? KS_BASE_OUT : KS_BASE_THREAD;
	p->depth = 0;
	memset(p->reg, 0, sizeof(p->reg));
	memset(s->where, 0xff, sizeof(s->where));
}

static bool
has_meaning(const struct ks_gsym *sym)
{
	for (const struct ks_rule *r = sym->rule; r != NULL; r = r->next)
		switch (r->role) {
		case KS_ROLE_ENTER: case KS_ROLE_LEAVE: case KS_ROLE_THREAD:
		case KS_ROLE_MARKER: case KS_ROLE_SUSPENDS:
		case KS_ROLE_SLEEPS: case KS_ROLE_FORBID_ATOMIC:
		case KS_ROLE_IGNORE_CALL: case KS_ROLE_MACHINERY:
		case KS_ROLE_ALLOC: case KS_ROLE_FREE:
			return (true);
		default:
			break;
		}
	return (false);
}

/* What a function of the profile asks when it is called back. */
static void
call_back_rule(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r, bool *effect)
{
	struct ks_req need = { .via = KS_NONE, .viareq = KS_NONE };

	switch (r->role) {
	case KS_ROLE_ENTER:
		ks_do_nest(an, s, t->node, r->counted, KS_NONE, KS_NONE,
		    t->sym);
		*effect = true;
		break;
	case KS_ROLE_THREAD:
		ks_do_nest(an, s, t->node, false, KS_NONE, KS_NONE, t->sym);
		*effect = true;
		break;
	case KS_ROLE_LEAVE:
		*effect = true;
		break;
	case KS_ROLE_MARKER:
		ks_do_need(an, s, t->node, &need, t->sym);
		break;
	case KS_ROLE_SLEEPS:
	case KS_ROLE_FORBID_ATOMIC:
		if (r->mask == 0)
			ks_do_sleep(an, s, t->node, KS_NONE, KS_NONE, t->sym);
		else
			ks_do_may_sleep(an, s, t->node, KS_NONE, KS_NONE,
			    t->sym);
		break;
	default:
		break;
	}
}

/* Symbol SYM is called back where S is, with arguments nobody knows. */
static void
call_back(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t sym, unsigned depth)
{
	static const struct ks_call no_args = { .sym = KS_NONE };
	struct target sub = { .c = &no_args, .node = t->node, .sym = sym };
	const struct ks_gsym *gs = &an->g->syms.v[sym];
	struct ks_req need = { .via = KS_NONE, .viareq = KS_NONE };
	struct ks_gfunc *gf;
	bool effect = false;

	for (const struct ks_rule *r = gs->rule; r != NULL; r = r->next)
		call_back_rule(an, s, &sub, r, &effect);
	if (gs->needs)
		ks_do_need(an, s, t->node, &need, sym);
	if (gs->func != KS_NONE && !has_meaning(gs) &&
	    !an->g->funcs.v[gs->func].machinery) {
		gf = &an->g->funcs.v[gs->func];
		if (gf->scc != an->gf->scc)
			gf->applied = true;
		if (gf->held)
			demand_held(an, s, &sub);
		for (uint32_t i = 0; i < gf->sum.reqs.n; i++)
			demand(an, s, &sub, gs->func, i, depth + 1);
		for (size_t i = 0; i < gf->sum.cases.n; i++) {
			const struct ks_prop *p = &gf->sum.cases.v[i].prop;

			effect |= p->depth > 0 || p->popped > 0 ||
			    (p->base == KS_BASE_THREAD &&
			    !(p->yes & KS_MEANS_THREAD));
		}
	}
	if (effect && KS_COUNTING(an) &&
	    !(an->seen[t->node] & KS_SEEN_EFFECT)) {
		an->seen[t->node] |= KS_SEEN_EFFECT;
		ks_assume(an->g, "callback-effect", an->fi, t->node,
		    "'%s' enters or leaves a region where it is called back",
		    ks_str(an->g->str, gs->name));
	}
}

/* Callee parameter R->param is called: what did we pass? */
static void
demand_param(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_req *r, unsigned depth)
{
	const struct ks_val *a = arg(an, t->c, r->param);
	struct ks_req up = { .kind = KS_REQ_PARAM, .node = t->node,
	    .via = KS_NONE, .viareq = KS_NONE, .at = r->at };
	uint32_t sym, v = KS_NONE, n, syms[KS_MAXSYM];

	value(an, s, a, &sym);
	if (sym != 0 && depth <= MAXCALLBACK) {
		n = ks_syms(&an->g->sets, sym, syms);
		if (n > 1)
			an->either = t->node + 1;
		for (uint32_t i = 0; i < n; i++) {
			struct ks_state at;

			ks_state_copy(&at, s);
			move_to(an, &at, r->at, t->node);
			call_back(an, &at, t, syms[i] - 1, depth);
		}
		return;
	}
	if (sym == 0 && a != NULL && a->kind == KS_VAL_PLACE)
		v = ks_facts_find(&s->f, a->ref);
	for (uint32_t i = 0; v != KS_NONE && i < an->f->params.n &&
	    i < KS_PF; i++)
		if (ks_facts_find(&s->f, KS_SHADOW(an, i)) == v) {
			up.param = i;
			if (r->at == KS_AT_ENTRY)
				up.at = where_at(&s->prop);
			ks_req_add(an, s, &up);
			return;
		}
	count_unknown(an, t->node);
}

static void
demand(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee, uint32_t i, unsigned depth)
{
	struct ks_req r = an->g->funcs.v[callee].sum.reqs.v[i];
	struct ks_state tmp, *use = s;

	if (narrows(r.pf) || r.yes != 0 || r.no != 0 || r.popped != 0) {
		ks_state_copy(&tmp, s);
		if (!ks_prop_assume(&tmp.prop, r.yes, true) ||
		    !ks_prop_assume(&tmp.prop, r.no, false) ||
		    !narrow(an, &tmp, t->c, r.pf))
			return;
		for (unsigned k = 0; k < r.popped; k++)
			pop(&tmp);
		use = &tmp;
	}
	switch (r.kind) {
	case KS_REQ_NEED:
		r.via = callee;
		r.viareq = i;
		ks_do_need(an, use, t->node, &r, t->sym);
		break;
	case KS_REQ_NO_NEST:
	case KS_REQ_NO_NEST_COUNTED:
		ks_do_nest(an, use, t->node, r.kind == KS_REQ_NO_NEST_COUNTED,
		    callee, i, t->sym);
		break;
	case KS_REQ_NO_SLEEP:
		ks_do_sleep(an, use, t->node, callee, i, t->sym);
		break;
	case KS_REQ_MAY_SLEEP:
		ks_do_may_sleep(an, use, t->node, callee, i, t->sym);
		break;
	case KS_REQ_LEAVES:
		ks_do_leave_held(an, use, t->node, callee, i, t->sym);
		break;
	case KS_REQ_ISA:
		ks_do_isa(an, use, t->node, r.isa, callee, i, t->sym);
		break;
	case KS_REQ_PARAM:
		demand_param(an, use, t, &r, depth);
		break;
	}
}

/* False: it cannot return so here. */
static bool
return_by(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_case *k)
{
	const struct ks_val *a;
	uint32_t ret_val = KS_NONE, sym;
	struct ks_iv ret = k->ret;

	if (!fits(&s->prop, k->prop.yes, k->prop.no) ||
	    !narrow(an, s, t->c, k->pf))
		return (false);
	if (!ks_prop_assume(&s->prop, k->prop.yes, true) ||
	    !ks_prop_assume(&s->prop, k->prop.no, false))
		return (false);
	for (unsigned i = 0; i < k->prop.popped; i++)
		ks_do_leave(an, s, t->node, t->sym);
	if (k->prop.base == KS_BASE_THREAD)
		s->prop.base = KS_BASE_THREAD;
	/* Having entered a region tells that none was held before. */
	if (k->prop.base == KS_BASE_OUT && k->prop.popped == 0 &&
	    s->prop.depth == 0 && s->prop.base == KS_BASE_ENTRY)
		s->prop.base = KS_BASE_OUT;
	for (unsigned i = 0; i < k->prop.depth; i++) {
		if (s->prop.depth == KS_DEPTH) {
			an->deep = t->node + 1;
			break;
		}
		ks_context_unknown(an, s, s->prop.depth);
		s->prop.reg[s->prop.depth] = k->prop.reg[i];
		s->where[s->prop.depth++] = t->node;
	}
	if (k->ret_param != 0)
		ret_val = arg_value(an, s, t->c, k->ret_param - 1);
	if (ret_val != KS_NONE) {
		if (!ks_facts_refine(&s->f, ret_val, k->ret))
			return (false);
	} else if (k->ret_param != 0) {
		a = arg(an, t->c, k->ret_param - 1);
		if (a != NULL)
			ret = value(an, s, a, &sym);
	}
	finish(an, s, t->c, ret, k->ret_sym, ret_val);
	ks_go_on(an, s, t->node);
	return (true);
}

/* By those ways that are HIDDEN, or are not; false if it can be none. */
static bool
return_from(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee, bool hidden)
{
	bool any = false;

	for (uint32_t i = 0; i < an->g->funcs.v[callee].sum.cases.n; i++) {
		struct ks_case k = an->g->funcs.v[callee].sum.cases.v[i];
		struct ks_state tmp;

		if (k.hidden != hidden)
			continue;
		ks_state_copy(&tmp, s);
		any |= return_by(an, &tmp, t, &k);
	}
	return (any);
}

static void
apply(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee, bool returns)
{
	struct ks_gfunc *cf = &an->g->funcs.v[callee];

	if (cf->scc != an->gf->scc)
		cf->applied = true;
	if (cf->held)
		demand_held(an, s, t);
	if (t->c->sym != KS_NONE)
		ks_vector_call(an, s, t->node, callee, t->sym);
	for (uint32_t i = 0; i < cf->sum.reqs.n; i++)
		demand(an, s, t, callee, i, 0);
	if (returns && !return_from(an, s, t, callee, false))
		return_from(an, s, t, callee, true);
}

/* --- dispatch ---------------------------------------------------------------------- */

/* A callback that runs outside the region, which then goes on. */
static void
suspend(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r)
{
	struct ks_req cb = { .kind = KS_REQ_PARAM, .param = r->callback,
	    .at = KS_AT_OUT };

	demand_param(an, s, t, &cb, 0);
}

/* Does what T's name means; true if S went on already. */
static bool
by_role(struct ks_an *an, struct ks_state *s, const struct target *t)
{
	const struct ks_gsym *sym = &an->g->syms.v[t->sym];

	for (const struct ks_rule *r = sym->rule; r != NULL; r = r->next) {
		ks_context_call(an, s, t->node, t->c, r, t->sym);
		switch (r->role) {
		case KS_ROLE_ENTER:
			enter(an, s, t, r);
			break;
		case KS_ROLE_LEAVE:
			ks_do_leave(an, s, t->node, t->sym);
			break;
		case KS_ROLE_THREAD:
			ks_do_thread(an, s, t->node, t->sym);
			break;
		case KS_ROLE_MARKER:
			ks_do_need(an, s, t->node, NULL, t->sym);
			if (s->prop.base == KS_BASE_ENTRY && s->prop.depth == 0)
				s->prop.base = KS_BASE_HELD;
			break;
		case KS_ROLE_SUSPENDS:
			suspend(an, s, t, r);
			break;
		case KS_ROLE_SLEEPS:
		case KS_ROLE_FORBID_ATOMIC:
			sleeps(an, s, t, r);
			break;
		default:
			break;
		}
	}
	for (const struct ks_rule *r = sym->rule; r != NULL; r = r->next)
		if (r->role == KS_ROLE_QUERY) {
			finish(an, s, t->c, (struct ks_iv){ 0, 0, 0 }, 0,
			    KS_NONE);
			ks_do_query(an, s, t->node, t->c->result, r->means,
			    r->exact);
			return (true);
		}
	return (false);
}

static bool
needs(const struct ks_program *g, uint32_t sym)
{
	uint32_t f = g->syms.v[sym].func;

	if (g->syms.v[sym].needs)
		return (true);
	for (size_t i = 0; f != KS_NONE && i < g->funcs.v[f].sum.reqs.n; i++)
		if (g->funcs.v[f].sum.reqs.v[i].kind == KS_REQ_NEED)
			return (true);
	return (false);
}

/*
 * Function SYM, which needs a region, is argument I of C and goes to unknown
 * code, NAME or an unknown one.  In a region it is taken to be called in it,
 * and only there; outside, anybody may call it.
 */
static void
give(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t sym, const char *name)
{
	struct ks_gfunc *gf;

	if (ks_prop_held(&s->prop) == KS_YES) {
		struct ks_state at;

		ks_state_copy(&at, s);
		call_back(an, &at, t, sym, 0);
		if (KS_COUNTING(an))
			ks_assume(an->g, "callback-inside", an->fi, t->node,
			    "'%s', which is given to %s%s%s, is taken to be "
			    "called in this region only",
			    ks_str(an->g->str, an->g->syms.v[sym].name),
			    name != NULL ? "'" : "",
			    name != NULL ? name : "an unknown function",
			    name != NULL ? "'" : "");
		return;
	}
	if (an->g->syms.v[sym].func == KS_NONE)
		return;
	gf = &an->g->funcs.v[an->g->syms.v[sym].func];
	if (gf->passed == NULL)
		gf->passed = name != NULL ? ks_printf(an->g->arena,
		    "passed to '%s'", name) : "passed to an unknown function";
}

static void
give_away(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, const char *name)
{
	struct target t = { .c = c, .node = node };
	uint32_t sym, n, syms[KS_MAXSYM];

	for (uint32_t i = 0; i < c->narg && i < KS_PF; i++) {
		value(an, s, arg(an, c, i), &sym);
		n = ks_syms(&an->g->sets, sym, syms);
		for (uint32_t k = 0; k < n; k++)
			if (needs(an->g, syms[k] - 1))
				give(an, s, &t, syms[k] - 1, name);
	}
}

static void
call_sym(struct ks_an *an, struct ks_state *s, const struct target *t)
{
	struct ks_gsym *sym = &an->g->syms.v[t->sym];
	struct ks_req need = { .via = KS_NONE, .viareq = KS_NONE };
	bool meaning = has_meaning(sym);

	if (by_role(an, s, t))
		return;
	if (sym->needs)
		ks_do_need(an, s, t->node, &need, t->sym);
	if (sym->func != KS_NONE && !meaning &&
	    !an->g->funcs.v[sym->func].machinery) {
		apply(an, s, t, sym->func, !sym->noreturn && !t->c->noreturn);
		return;
	}
	if (sym->noreturn || t->c->noreturn)
		return;
	if (sym->func == KS_NONE && !meaning && !sym->needs && !sym->assumed &&
	    KS_COUNTING(an)) {
		sym->assumed = true;
		ks_assume(an->g, "external-callee", an->fi, t->node,
		    "'%s' is not in the set: taken to need no region and to "
		    "leave it as it is", ks_str(an->g->str, sym->name));
	}
	if (sym->func == KS_NONE &&
	    ks_gsym_role(sym, KS_ROLE_SUSPENDS) == NULL)
		give_away(an, s, t->node, t->c, ks_str(an->g->str, sym->name));
	unknown_effect(an, s, t->node, t->c);
}

static void
call_unknown(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, bool param)
{
	if (!param) {
		count_unknown(an, node);
		give_away(an, s, node, c, NULL);
	}
	unknown_effect(an, s, node, c);
}

void
ks_do_call(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *at = &an->f->nodes.v[node];
	const struct ks_call *c = &an->f->calls.v[at->call];
	const struct ks_targets *ts = &an->targets[at->call];
	struct target t = { .c = c, .node = node };
	struct ks_req r = { .kind = KS_REQ_PARAM, .node = node,
	    .via = KS_NONE, .viareq = KS_NONE };
	uint32_t sym = 0, v, n, syms[KS_MAXSYM];

	if (c->abi)
		ks_cand_add(an, KS_D_SIMD_ABI, s, node, KS_NONE, KS_NONE,
		    c->sym != KS_NONE ? an->map[c->sym] : KS_NONE);
	if (c->sym != KS_NONE)
		sym = an->map[c->sym] + 1;
	else
		value(an, s, &c->target, &sym);
	n = ks_syms(&an->g->sets, sym, syms);
	for (uint32_t i = 0; i < n; i++) {
		struct ks_state tmp;

		ks_state_copy(&tmp, s);
		t.sym = syms[i] - 1;
		an->either = n > 1 ? node + 1 : 0;
		call_sym(an, &tmp, &t);
	}
	if (n != 0)
		return;
	if (c->target.kind == KS_VAL_PLACE && ts->n == 0 &&
	    (v = ks_facts_find(&s->f, c->target.ref)) != KS_NONE)
		for (uint32_t i = 0; i < an->f->params.n && i < KS_PF; i++)
			if (ks_facts_find(&s->f, KS_SHADOW(an, i)) == v) {
				r.param = i;
				r.at = where_at(&s->prop);
				ks_req_add(an, s, &r);
				call_unknown(an, s, node, c, true);
				return;
			}
	if (ts->n == 0) {
		call_unknown(an, s, node, c, false);
		return;
	}
	if (KS_COUNTING(an) && !(an->seen[node] & KS_SEEN_COUNTED)) {
		an->seen[node] |= KS_SEEN_COUNTED;
		ks_assume(an->g, "indirect-targets", an->fi, node,
		    "the %u function%s stored where this pointer is loaded "
		    "from %s its only targets", ts->n, ts->n == 1 ? "" : "s",
		    ts->n == 1 ? "is" : "are");
	}
	for (uint32_t i = 0; i < ts->n; i++) {
		struct ks_state tmp;

		ks_state_copy(&tmp, s);
		t.sym = ts->sym[i];
		call_sym(an, &tmp, &t);
	}
	if (ts->unknown)
		call_unknown(an, s, node, c, false);
}
