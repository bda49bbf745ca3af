/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a call does: the profile's meaning of the callee's name, or the
 * callee's summary, or nothing that is known.
 *
 * Targets, in this order: the symbol; the symbol that the facts say the
 * pointer holds; what is stored where the pointer was loaded from.  A
 * parameter that is called is left to the callers, who know what they passed.
 */
#include <string.h>

#include "analyse.h"

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

/* What S knows of VAL; .bits 0: nothing.  *sym: 1 + program symbol, or 0. */
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

static bool
narrow(struct ks_an *an, struct ks_state *s, const struct ks_call *c,
    const struct ks_iv pf[KS_PF])
{
	for (uint32_t i = 0; i < KS_PF; i++) {
		const struct ks_val *a = arg(an, c, i);
		uint32_t sym;

		if (pf[i].bits == 0 || a == NULL)
			continue;
		if (a->kind == KS_VAL_PLACE) {
			if (!ks_facts_refine(&s->f, ks_facts_value(&s->f,
			    a->ref), pf[i]))
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

/* Forgets what a call may change and takes the result in. */
static void
finish(struct ks_an *an, struct ks_state *s, const struct ks_call *c,
    struct ks_iv ret, uint32_t ret_sym, uint32_t ret_val)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->f.nplace; i++) {
		uint32_t p = s->f.pv[i].place;

		if (p < an->f->places.n && (an->f->places.v[p].flags &
		    (KS_PLACE_VOLATILE | KS_PLACE_ESCAPED)))
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

/* After the callee came back: go on, or return with it. */
static void
go_on(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c)
{
	struct ks_val ret = { .kind = KS_VAL_UNKNOWN };

	if (an->f->nodes.v[node].nsucc != 0) {
		ks_advance(an, s, node);
		return;
	}
	if (!c->tail)
		return;
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
	go_on(an, s, node, c);
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
	ks_do_enter(an, s, t->node, atomic, r->counted, r->atomic);
}

static void
sleeps(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r)
{
	uint64_t k;

	if (r->role == KS_ROLE_SLEEPS && r->mask != 0) {
		if (!flag_bits(an, s, t->c, r->flags, &k)) {
			if (KS_COUNTING(an) &&
			    ks_prop_atomic(&s->prop) == KS_YES)
				ks_assume(an->g, "sleep-flags", an->fi,
				    t->node, "'%s' is taken not to sleep here: "
				    "its flags are not known", r->name);
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
	switch (ks_prop_held(p)) {
	case KS_MAYBE:
		return (KS_AT_ENTRY);
	case KS_NO:
		return (KS_AT_OUT);
	default:
		return (ks_prop_atomic(p) == KS_YES ? KS_AT_ATOMIC : KS_AT_IN);
	}
}

/* Callee parameter R->param is called: what did we pass? */
static void
demand_param(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_req *r, unsigned depth)
{
	const struct ks_val *a = arg(an, t->c, r->param);
	struct ks_req up = { .kind = KS_REQ_PARAM, .node = t->node,
	    .via = KS_NONE, .viareq = KS_NONE };
	uint32_t sym, v, func;

	value(an, s, a, &sym);
	if (sym != 0) {
		struct target sub = { .c = t->c, .node = t->node,
		    .sym = sym - 1 };
		struct ks_state at;
		struct ks_req need = { .via = KS_NONE, .viareq = KS_NONE };

		if (r->at != KS_AT_ENTRY) {
			ks_state_copy(&at, s);
			at.prop.base = KS_BASE_OUT;
			at.prop.depth = r->at == KS_AT_OUT ? 0 : 1;
			memset(at.prop.reg, 0, sizeof(at.prop.reg));
			at.prop.reg[0] = r->at == KS_AT_ATOMIC ?
			    KS_REG_ATOMIC : 0;
			at.where[0] = t->node;
			s = &at;
		}
		func = an->g->syms.v[sym - 1].func;
		if (func != KS_NONE)
			an->g->funcs.v[func].applied = true;
		if (an->g->syms.v[sym - 1].needs)
			ks_do_need(an, s, t->node, &need, sym - 1);
		if (func == KS_NONE || an->g->funcs.v[func].machinery ||
		    depth > 3)
			return;
		for (size_t i = 0; KS_COUNTING(an) &&
		    i < an->g->funcs.v[func].sum.cases.n; i++) {
			const struct ks_prop *p = &an->g->funcs.v[func].sum.
			    cases.v[i].prop;

			if (p->depth > 0 || p->popped > 0)
				ks_assume(an->g, "callback-effect", an->fi,
				    t->node, "'%s' enters or leaves a region "
				    "where it is called back",
				    ks_func_name(an->g, func));
		}
		for (uint32_t i = 0; i < an->g->funcs.v[func].sum.reqs.n; i++)
			if (!narrows(an->g->funcs.v[func].sum.reqs.v[i].pf))
				demand(an, s, &sub, func, i, depth + 1);
		return;
	}
	if (a == NULL || a->kind != KS_VAL_PLACE)
		return;
	v = ks_facts_find(&s->f, a->ref);
	for (uint32_t i = 0; v != KS_NONE && i < an->f->params.n &&
	    i < KS_PF; i++)
		if (ks_facts_find(&s->f, KS_SHADOW(an, i)) == v) {
			up.param = i;
			up.at = r->at != KS_AT_ENTRY ? r->at :
			    where_at(&s->prop);
			ks_req_add(an, s, &up);
			return;
		}
}

static void
demand(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee, uint32_t i, unsigned depth)
{
	struct ks_req r = an->g->funcs.v[callee].sum.reqs.v[i];
	struct ks_state tmp, *use = s;

	if (!fits(&s->prop, r.yes, r.no))
		return;
	if (narrows(r.pf)) {
		ks_state_copy(&tmp, s);
		if (!narrow(an, &tmp, t->c, r.pf))
			return;
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
	case KS_REQ_ISA:
		ks_do_isa(an, use, t->node, r.isa, callee, i, t->sym);
		break;
	case KS_REQ_PARAM:
		demand_param(an, use, t, &r, depth);
		break;
	}
}

static void
return_by(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_case *k)
{
	const struct ks_val *a;
	uint32_t ret_val = KS_NONE, sym;
	struct ks_iv ret = k->ret;

	if (!fits(&s->prop, k->prop.yes, k->prop.no) ||
	    !narrow(an, s, t->c, k->pf))
		return;
	if (!ks_prop_assume(&s->prop, k->prop.yes, true) ||
	    !ks_prop_assume(&s->prop, k->prop.no, false))
		return;
	for (unsigned i = 0; i < k->prop.popped; i++)
		ks_do_leave(an, s, t->node, t->sym);
	if (k->prop.base == KS_BASE_THREAD && s->prop.depth == 0)
		s->prop.base = KS_BASE_THREAD;
	for (unsigned i = 0; i < k->prop.depth; i++) {
		if (s->prop.depth == KS_DEPTH)
			break;
		s->prop.reg[s->prop.depth] = k->prop.reg[i];
		s->where[s->prop.depth++] = t->node;
	}
	a = k->ret_param != 0 ? arg(an, t->c, k->ret_param - 1) : NULL;
	if (a != NULL && a->kind == KS_VAL_PLACE) {
		ret_val = ks_facts_value(&s->f, a->ref);
		if (ret_val != KS_NONE && k->ret.bits != 0 &&
		    !ks_facts_refine(&s->f, ret_val, k->ret))
			return;
	} else if (a != NULL) {
		ret = value(an, s, a, &sym);
	}
	finish(an, s, t->c, ret, k->ret_sym, ret_val);
	go_on(an, s, t->node, t->c);
}

static void
apply(struct ks_an *an, struct ks_state *s, const struct target *t,
    uint32_t callee)
{
	struct ks_gfunc *cf = &an->g->funcs.v[callee];

	if (cf->scc != an->gf->scc)
		cf->applied = true;
	if (cf->held) {
		if (ks_prop_held(&s->prop) == KS_NO)
			ks_cand_add(an, KS_D_CONTRACT_VIOLATED, s, t->node,
			    KS_NONE, KS_NONE, t->sym);
		else
			ks_do_need(an, s, t->node, NULL, t->sym);
	}
	for (uint32_t i = 0; i < cf->sum.reqs.n; i++)
		demand(an, s, t, callee, i, 0);
	for (uint32_t i = 0; i < cf->sum.cases.n; i++) {
		struct ks_case k = cf->sum.cases.v[i];
		struct ks_state tmp;

		ks_state_copy(&tmp, s);
		return_by(an, &tmp, t, &k);
	}
}

/* --- dispatch ---------------------------------------------------------------------- */

/* A callback that runs outside the region, which then goes on. */
static void
suspend(struct ks_an *an, struct ks_state *s, const struct target *t,
    const struct ks_rule *r)
{
	struct ks_req cb = { .kind = KS_REQ_PARAM, .param = r->callback };
	struct ks_state out;

	memset(&out.prop, 0, sizeof(out.prop));
	out.prop.base = KS_BASE_OUT;
	memset(out.where, 0xff, sizeof(out.where));
	out.left = t->node;
	ks_facts_copy(&out.f, &s->f);
	demand_param(an, &out, t, &cb, 0);
}

/* Does what T's name means; true if S went on already. */
static bool
by_role(struct ks_an *an, struct ks_state *s, const struct target *t)
{
	const struct ks_gsym *sym = &an->g->syms.v[t->sym];

	for (const struct ks_rule *r = sym->rule; r != NULL; r = r->next)
		switch (r->role) {
		case KS_ROLE_ENTER:
			enter(an, s, t, r);
			break;
		case KS_ROLE_LEAVE:
			ks_do_leave(an, s, t->node, t->sym);
			break;
		case KS_ROLE_THREAD:
			s->prop.base = KS_BASE_THREAD;
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
	if (sym->noreturn || t->c->noreturn)
		return;
	if (sym->func != KS_NONE && !meaning &&
	    !an->g->funcs.v[sym->func].machinery) {
		apply(an, s, t, sym->func);
		return;
	}
	if (sym->func == KS_NONE && !meaning && !sym->needs && !sym->assumed &&
	    KS_COUNTING(an)) {
		sym->assumed = true;
		ks_assume(an->g, "external-callee", an->fi, t->node,
		    "'%s' is not in the set: taken to need no region and to "
		    "leave it as it is", ks_str(an->g->str, sym->name));
	}
	unknown_effect(an, s, t->node, t->c);
}

static void
call_unknown(struct ks_an *an, struct ks_state *s, uint32_t node,
    const struct ks_call *c, bool param)
{
	if (KS_COUNTING(an) && !param &&
	    !(an->seen[node] & KS_SEEN_COUNTED)) {
		an->seen[node] |= KS_SEEN_COUNTED;
		an->g->verdict->unknown_calls++;
	}
	unknown_effect(an, s, node, c);
}

void
ks_do_call(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	const struct ks_node *n = &an->f->nodes.v[node];
	const struct ks_call *c = &an->f->calls.v[n->call];
	const struct ks_targets *ts = &an->targets[n->call];
	struct target t = { .c = c, .node = node };
	struct ks_req r = { .kind = KS_REQ_PARAM, .node = node,
	    .via = KS_NONE, .viareq = KS_NONE };
	uint32_t sym = 0, v;

	if (c->sym != KS_NONE)
		sym = an->map[c->sym] + 1;
	else
		value(an, s, &c->target, &sym);
	if (sym != 0) {
		t.sym = sym - 1;
		call_sym(an, s, &t);
		return;
	}
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
