/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Property simulation of one function.
 *
 * 1. Leaders are the entry, joins, targets of branches and what follows a
 *    node that may split a state.  Only they keep states: one for each
 *    property, with the join of the facts under which it was reached, but
 *    for those about what nobody asks for any more (live.c).
 * 2. A worklist in reverse postorder walks from each changed state along
 *    its chain of nodes to the next leaders, until nothing changes.
 * 3. What is asked of the caller, and the ways to return, accumulate into
 *    the function's summary, under the facts on parameters that lead there.
 * 4. Judging walks the finished states once more, breadth first, so that the
 *    first way to a finding is a shortest one (judge.c).
 *
 * Facts about parameters at the entry live in shadow places that nothing
 * assigns: whatever the code does with a parameter, its shadow keeps telling
 * what the caller passed.
 *
 * Terminates: properties are finite, facts only weaken, and a summary only
 * grows; after many rounds facts on parameters are dropped from it.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse.h"

#define MAXPROP		48	/* property states kept at one leader */
#define MAXCASE		24
#define MAXROUND	400	/* joins at one state before its facts are dropped */

/* --- kept states ------------------------------------------------------------- */

static void
unpack(struct ks_state *s, const struct ks_kept *k)
{
	s->prop = k->prop;
	memcpy(s->where, k->where, sizeof(s->where));
	s->left = k->left;
	s->f.nplace = k->npv;
	s->f.nval = k->nval;
	s->f.gates = k->gates;
	s->f.xcr0 = k->xcr0;
	if (k->npv != 0)
		memcpy(s->f.pv, k->pv, k->npv * sizeof(k->pv[0]));
	if (k->nval != 0)
		memcpy(s->f.val, k->val, k->nval * sizeof(k->val[0]));
}

static void
pack_facts(struct ks_an *an, struct ks_kept *k, const struct ks_facts *f)
{
	if (f->nplace > k->npv || k->pv == NULL)
		k->pv = KS_NEWN(an->arena, struct ks_pv, f->nplace + 1);
	if (f->nval > k->nval || k->val == NULL)
		k->val = KS_NEWN(an->arena, struct ks_value, f->nval + 1);
	k->npv = f->nplace;
	k->nval = f->nval;
	k->gates = f->gates;
	k->xcr0 = f->xcr0;
	memcpy(k->pv, f->pv, f->nplace * sizeof(f->pv[0]));
	memcpy(k->val, f->val, f->nval * sizeof(f->val[0]));
}

static void
push_heap(struct ks_an *an, uint32_t l)
{
	uint32_t i;

	if (an->leaders.v[l].queued)
		return;
	an->leaders.v[l].queued = true;
	*ks_vec_push(&an->heap) = l;
	for (i = an->heap.n - 1; i > 0;) {
		uint32_t up = (i - 1) / 2, a = an->heap.v[i], b = an->heap.v[up];

		if (an->rpo[an->leaders.v[b].node] <=
		    an->rpo[an->leaders.v[a].node])
			break;
		an->heap.v[i] = b;
		an->heap.v[up] = a;
		i = up;
	}
}

static uint32_t
pop_heap(struct ks_an *an)
{
	uint32_t top = an->heap.v[0], last = an->heap.v[--an->heap.n], i = 0;

	for (;;) {
		uint32_t c = 2 * i + 1;

		if (c >= an->heap.n)
			break;
		if (c + 1 < an->heap.n &&
		    an->rpo[an->leaders.v[an->heap.v[c + 1]].node] <
		    an->rpo[an->leaders.v[an->heap.v[c]].node])
			c++;
		if (an->rpo[an->leaders.v[last].node] <=
		    an->rpo[an->leaders.v[an->heap.v[c]].node])
			break;
		an->heap.v[i] = an->heap.v[c];
		i = c;
	}
	if (an->heap.n > 0)
		an->heap.v[i] = last;
	an->leaders.v[top].queued = false;
	return (top);
}

/* S arrives at leader L from node FROM by edge EDGE. */
static void
arrive(struct ks_an *an, uint32_t l, struct ks_state *s, uint32_t from,
    uint32_t edge)
{
	struct ks_leader *ld = &an->leaders.v[l];
	struct ks_kept *k;
	struct ks_facts f;
	size_t i;

	ks_forget_dead(an, l, &s->f);
	ks_facts_normalize(&s->f);
	for (i = 0; i < ld->states.n; i++)
		if (ks_prop_equal(&ld->states.v[i].prop, &s->prop))
			break;
	if (an->judging) {
		if (i == ld->states.n || ld->states.v[i].reached)
			return;
		k = &ld->states.v[i];
		k->reached = true;
		k->pred = an->cur;
		k->predstate = an->curstate;
		k->from = from;
		k->edge = edge;
		*ks_vec_push(&an->bfs) = l;
		*ks_vec_push(&an->bfs) = i;
		return;
	}
	if (i == ld->states.n) {
		if (i == MAXPROP) {
			an->overflow = true;
			return;
		}
		k = ks_vec_push(&ld->states);
		memset(k, 0, sizeof(*k));
		k->prop = s->prop;
		memcpy(k->where, s->where, sizeof(k->where));
		k->left = s->left;
		pack_facts(an, k, &s->f);
	} else {
		k = &ld->states.v[i];
		f.nplace = k->npv;
		f.nval = k->nval;
		f.gates = k->gates;
		f.xcr0 = k->xcr0;
		memcpy(f.pv, k->pv, k->npv * sizeof(f.pv[0]));
		memcpy(f.val, k->val, k->nval * sizeof(f.val[0]));
		if (!ks_facts_join(&f, &s->f, &an->g->sets))
			return;
		if (++k->from > MAXROUND)
			f.nplace = f.nval = 0;
		pack_facts(an, k, &f);
	}
	k->dirty = true;
	push_heap(an, l);
}

/* --- walking ------------------------------------------------------------------- */

/* The state that XCR0 must have enabled for ISA and all that it implies. */
static uint64_t
xcr0_of(const struct ks_profile *p, ks_isaset isa)
{
	uint64_t xcr0 = 0;

	isa = ks_isa_closure(isa);
	for (size_t i = 0; i < p->features.n; i++)
		if ((p->features.v[i].isa & isa) != 0)
			xcr0 |= p->features.v[i].xcr0;
	return (xcr0);
}

/* A variable of which the profile asks for no XCR0 speaks for that, too. */
static void
gate(struct ks_an *an, struct ks_state *s, const struct ks_gate *gt)
{
	const struct ks_profile *p = an->g->profile;

	if (gt->kind == KS_GATE_FEATURE) {
		s->f.gates |= gt->mask;
		s->f.xcr0 = UINT64_MAX;
	} else if (gt->kind == KS_GATE_XCR0)
		s->f.xcr0 |= gt->mask;
	else {
		for (size_t i = 0; i < p->features.n; i++) {
			const struct ks_feature *x = &p->features.v[i];

			if (x->gate.kind != gt->kind ||
			    (x->gate.mask & ~gt->mask) != 0)
				continue;
			if (gt->kind == KS_GATE_CPUID ?
			    x->gate.leaf == gt->leaf && x->gate.reg == gt->reg &&
			    x->gate.subleaf == gt->subleaf :
			    x->gate.off == gt->off && strcmp(x->var_name,
			    ks_str(an->u->str, gt->var)) == 0) {
				s->f.gates |= x->isa;
				if (gt->kind == KS_GATE_VAR && x->xcr0 == 0)
					s->f.xcr0 |= xcr0_of(p, x->isa);
			}
		}
	}
}

static bool
take(struct ks_an *an, struct ks_state *s, const struct ks_edge *e)
{
	if (e->iv.bits != 0 && an->relevant[e->cond]) {
		uint32_t v = ks_facts_value(&s->f, e->cond);

		if (!ks_facts_refine(&s->f, v, e->iv))
			return (false);
	}
	if (e->gate != 0)
		gate(an, s, &an->f->gates.v[e->gate - 1]);
	return (true);
}

void
ks_note_held(struct ks_an *an, const struct ks_state *s, uint32_t node)
{
	static const uint8_t bit[] = { [KS_YES] = KS_HELD_IN,
	    [KS_NO] = KS_HELD_OUT, [KS_MAYBE] = KS_HELD_CALLER };

	if (an->gf->at != NULL && an->judging)
		an->gf->at[node] |= bit[ks_prop_held(&s->prop)];
}

/* See analyse.h: S has NODE's event behind it. */
void
ks_advance(struct ks_an *an, struct ks_state *s, uint32_t node)
{
	for (;;) {
		const struct ks_node *n = &an->f->nodes.v[node];
		const struct ks_edge *e = &an->f->edges.v[n->succ];

		for (uint32_t i = 1; i < n->nsucc; i++) {
			struct ks_state t;

			ks_state_copy(&t, s);
			if (take(an, &t, &e[i]))
				arrive(an, an->leader_of[e[i].to], &t, node, i);
		}
		if (n->nsucc == 0 || !take(an, s, e))
			return;
		if (an->leader_of[e->to] != KS_NONE) {
			arrive(an, an->leader_of[e->to], s, node, 0);
			return;
		}
		node = e->to;
		n = &an->f->nodes.v[node];
		/* What may split is done by ks_event, which comes back here. */
		if (n->ev != KS_EV_NOP && n->ev != KS_EV_SET) {
			ks_event(an, s, node);
			return;
		}
		ks_note_held(an, s, node);
		if (n->ev == KS_EV_SET && an->relevant[n->dst]) {
			struct ks_val v = n->val;

			if (v.kind == KS_VAL_SYM)
				v.ref = an->map[v.ref];
			ks_facts_assign(&s->f, n->dst, &v);
		}
	}
}

/* --- summaries ------------------------------------------------------------------ */

static void
param_facts(const struct ks_an *an, const struct ks_state *s,
    struct ks_iv pf[KS_PF])
{
	for (uint32_t i = 0; i < KS_PF; i++)
		pf[i] = i < an->f->params.n ?
		    ks_facts_iv(&s->f, KS_SHADOW(an, i)) :
		    (struct ks_iv){ 0, 0, 0 };
}

static bool
same_iv(struct ks_iv a, struct ks_iv b)
{
	return (a.bits == b.bits && (a.bits == 0 ||
	    (a.lo == b.lo && a.hi == b.hi)));
}

static bool
widen_iv(struct ks_iv *a, struct ks_iv b)
{
	struct ks_iv h = ks_iv_hull(*a, b);

	if (same_iv(h, *a))
		return (false);
	*a = h;
	return (true);
}

bool
ks_req_add(struct ks_an *an, const struct ks_state *s, const struct ks_req *req)
{
	struct ks_summary *sum = &an->gf->sum;
	struct ks_req r = *req;
	bool changed = false;

	if (an->judging)
		return (false);
	r.yes = s->prop.yes;
	r.no = s->prop.no;
	r.popped = s->prop.popped;
	param_facts(an, s, r.pf);
	for (size_t i = 0; i < sum->reqs.n; i++) {
		struct ks_req *o = &sum->reqs.v[i];

		if (o->kind != r.kind || o->yes != r.yes || o->no != r.no ||
		    o->popped != r.popped ||
		    o->param != r.param || o->own != r.own ||
		    o->inner != r.inner || o->at != r.at)
			continue;
		changed |= (r.isa & ~o->isa) != 0;
		o->isa |= r.isa;
		for (uint32_t k = 0; k < KS_PF; k++)
			changed |= widen_iv(&o->pf[k], r.pf[k]);
		an->changed |= changed;
		return (changed);
	}
	*ks_vec_push(&sum->reqs) = r;
	an->changed = true;
	return (true);
}

/* Which parameter VAL is, as passed: 1 + index, or 0. */
static uint32_t
param_of(const struct ks_an *an, const struct ks_state *s, uint32_t place)
{
	uint32_t v = ks_facts_find(&s->f, place);

	for (uint32_t i = 0; v != KS_NONE && i < an->f->params.n; i++)
		if (ks_facts_find(&s->f, KS_SHADOW(an, i)) == v)
			return (i + 1);
	return (0);
}

void
ks_case_add(struct ks_an *an, const struct ks_state *s, uint32_t node,
    const struct ks_val *ret)
{
	struct ks_summary *sum = &an->gf->sum;
	struct ks_case c = { .prop = s->prop, .node = node };
	uint32_t v;

	if (an->judging)
		return;
	param_facts(an, s, c.pf);
	c.where = s->prop.depth > 0 ? s->where[s->prop.depth - 1] : KS_NONE;
	c.left = s->left;
	if (ret->kind == KS_VAL_CONST) {
		c.ret = ks_iv_const(ret->num, 64);
	} else if (ret->kind == KS_VAL_SYM) {
		c.ret_sym = an->map[ret->ref] + 1;
	} else if (ret->kind >= KS_VAL_TEST) {
		struct ks_facts f;

		ks_facts_copy(&f, &s->f);
		ks_facts_assign(&f, UINT32_MAX - 1, ret);
		c.ret = ks_facts_iv(&f, UINT32_MAX - 1);
	} else if (ret->kind == KS_VAL_PLACE) {
		v = ks_facts_find(&s->f, ret->ref);
		if (v != KS_NONE) {
			c.ret = s->f.val[v].iv;
			c.ret_sym = s->f.val[v].sym;
			c.ret_param = param_of(an, s, ret->ref);
		}
	}
	for (size_t i = 0; i < sum->cases.n; i++) {
		struct ks_case *o = &sum->cases.v[i];
		bool changed = false;
		uint32_t sym;

		if (!ks_prop_equal(&o->prop, &c.prop) ||
		    (o->node != c.node && sum->cases.n < MAXCASE))
			continue;
		for (uint32_t k = 0; k < KS_PF; k++)
			changed |= widen_iv(&o->pf[k], c.pf[k]);
		sym = ks_sym_either(&an->g->sets, o->ret, o->ret_sym, c.ret,
		    c.ret_sym);
		changed |= widen_iv(&o->ret, c.ret);
		if (o->ret_param != c.ret_param && o->ret_param != 0) {
			o->ret_param = 0;
			changed = true;
		}
		changed |= o->ret_sym != sym;
		o->ret_sym = sym;
		an->changed |= changed;
		return;
	}
	*ks_vec_push(&sum->cases) = c;
	an->changed = true;
}

/* --- set-up ---------------------------------------------------------------------- */

/*
 * Places whose values can reach a branch, a call's argument or target, or
 * the result.
 */
static void
find_relevant(struct ks_an *an)
{
	const struct ks_func *f = an->f;
	uint32_t n = f->places.n + f->params.n;
	bool more = true;

	an->relevant = KS_NEWN(an->arena, bool, n + 1);
	for (size_t i = 0; i < f->edges.n; i++)
		if (f->edges.v[i].iv.bits != 0)
			an->relevant[f->edges.v[i].cond] = true;
	for (size_t i = 0; i < f->args.n; i++)
		if (f->args.v[i].kind >= KS_VAL_PLACE &&
		    f->args.v[i].kind != KS_VAL_SYM)
			an->relevant[f->args.v[i].ref] = true;
	for (size_t i = 0; i < f->calls.n; i++) {
		if (f->calls.v[i].target.kind == KS_VAL_PLACE)
			an->relevant[f->calls.v[i].target.ref] = true;
		if (f->calls.v[i].result != KS_NONE)
			an->relevant[f->calls.v[i].result] |=
			    f->calls.v[i].tail;
	}
	for (size_t i = 0; i < f->nodes.n; i++)
		if (f->nodes.v[i].ev == KS_EV_RETURN &&
		    f->nodes.v[i].val.kind >= KS_VAL_PLACE &&
		    f->nodes.v[i].val.kind != KS_VAL_SYM)
			an->relevant[f->nodes.v[i].val.ref] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < f->nodes.n; i++) {
			const struct ks_node *x = &f->nodes.v[i];

			if (x->ev == KS_EV_SET && an->relevant[x->dst] &&
			    ks_val_of_place(&x->val) &&
			    !an->relevant[x->val.ref])
				more = an->relevant[x->val.ref] = true;
		}
	}
}

/* A node behind which there may be several states for one. */
static bool
splits(const struct ks_node *n)
{
	return (n->ev == KS_EV_QUERY || n->ev == KS_EV_CALL || n->nsucc > 1);
}

static void
find_leaders(struct ks_an *an)
{
	const struct ks_func *f = an->f;
	uint32_t n = f->nodes.n, count = 0, sp = 0;
	uint32_t *preds = KS_NEWN(an->arena, uint32_t, n);
	uint32_t *next = KS_NEWN(an->arena, uint32_t, n);
	uint32_t *stack = KS_NEWN(an->arena, uint32_t, n + 1);
	bool *lead = KS_NEWN(an->arena, bool, n);

	an->rpo = KS_NEWN(an->arena, uint32_t, n);
	an->leader_of = KS_NEWN(an->arena, uint32_t, n);
	lead[0] = true;
	preds[0] = 1;
	stack[sp++] = 0;
	while (sp > 0) {
		uint32_t v = stack[sp - 1];
		const struct ks_node *x = &f->nodes.v[v];

		if (next[v] < x->nsucc) {
			uint32_t w = f->edges.v[x->succ + next[v]++].to;

			if (splits(x))
				lead[w] = true;
			if (++preds[w] == 1)
				stack[sp++] = w;
			else
				lead[w] = true;
			continue;
		}
		sp--;
		an->rpo[v] = n - count++;
	}
	for (uint32_t i = 0; i < n; i++) {
		an->leader_of[i] = KS_NONE;
		if (!lead[i])
			continue;
		an->leader_of[i] = an->leaders.n;
		*ks_vec_push(&an->leaders) = (struct ks_leader){ .node = i };
	}
}

enum opens { OPENS_NONE, OPENS_COUNTED, OPENS };

/* What a call of SYM opens. */
static enum opens
call_opens(const struct ks_program *g, uint32_t sym)
{
	const struct ks_gsym *s = &g->syms.v[sym];
	const struct ks_rule *r = ks_gsym_role(s, KS_ROLE_ENTER);
	enum opens most = OPENS_NONE;

	if (r != NULL)
		return (r->counted ? OPENS_COUNTED : OPENS);
	if (ks_gsym_role(s, KS_ROLE_THREAD) != NULL)
		return (OPENS);
	if (s->func == KS_NONE)
		return (OPENS_NONE);
	for (size_t j = 0; j < g->funcs.v[s->func].sum.cases.n; j++) {
		const struct ks_prop *p =
		    &g->funcs.v[s->func].sum.cases.v[j].prop;

		if (g->funcs.v[s->func].sum.cases.v[j].hidden)
			continue;
		if (p->depth == 0 && p->base == KS_BASE_THREAD &&
		    !(p->yes & KS_MEANS_THREAD))
			return (OPENS);
		for (unsigned k = 0; k < p->depth; k++)
			if ((p->reg[k] & KS_REG_COUNTED) == 0)
				return (OPENS);
		if (p->depth > 0)
			most = OPENS_COUNTED;
	}
	return (most);
}

/* Does the function enter a region, itself or through a wrapper? */
static enum opens
opens(const struct ks_an *an)
{
	const struct ks_program *g = an->g;
	enum opens most = OPENS_NONE;

	for (size_t i = 0; i < an->f->nodes.n && most != OPENS; i++) {
		const struct ks_node *n = &an->f->nodes.v[i];
		const struct ks_call *c;

		if (n->ev == KS_EV_ENTER || n->ev == KS_EV_THREAD ||
		    (n->ev == KS_EV_SAVE && g->inline_enter))
			return (OPENS);
		if (n->ev != KS_EV_CALL)
			continue;
		c = &an->f->calls.v[n->call];
		for (uint32_t k = 0; k <= an->targets[n->call].n; k++) {
			uint32_t sym = k == an->targets[n->call].n ?
			    (c->sym == KS_NONE ? KS_NONE : an->map[c->sym]) :
			    an->targets[n->call].sym[k];
			enum opens how = sym == KS_NONE ? OPENS_NONE :
			    call_opens(g, sym);

			if (how > most)
				most = how;
		}
	}
	return (most);
}

static void
start_state(struct ks_an *an, struct ks_state *s)
{
	memset(&s->prop, 0, sizeof(s->prop));
	s->prop.base = an->gf->held ? KS_BASE_HELD : KS_BASE_ENTRY;
	memset(s->where, 0xff, sizeof(s->where));
	s->left = KS_NONE;
	ks_facts_init(&s->f);
	s->f.gates = an->gf->gates;
	if (an->gf->gates != 0)
		s->f.xcr0 = UINT64_MAX;
	for (uint32_t i = 0; i < an->f->params.n && i < KS_PF; i++) {
		uint32_t p = an->f->params.v[i];

		if (p != KS_NONE && an->relevant[p])
			ks_facts_set(&s->f, KS_SHADOW(an, i),
			    ks_facts_value(&s->f, p));
	}
}

static void
walk(struct ks_an *an, uint32_t l, uint32_t state)
{
	struct ks_state s;

	an->cur = l;
	an->curstate = state;
	unpack(&s, &an->leaders.v[l].states.v[state]);
	ks_event(an, &s, an->leaders.v[l].node);
}

static void
fixpoint(struct ks_an *an)
{
	struct ks_state s;

	start_state(an, &s);
	arrive(an, an->leader_of[0], &s, KS_NONE, 0);
	while (an->heap.n > 0) {
		uint32_t l = pop_heap(an);

		for (uint32_t i = 0; i < an->leaders.v[l].states.n; i++)
			if (an->leaders.v[l].states.v[i].dirty) {
				an->leaders.v[l].states.v[i].dirty = false;
				walk(an, l, i);
			}
	}
}

static void
judge(struct ks_an *an)
{
	an->judging = true;
	an->seen = KS_NEWN(an->arena, uint8_t, an->f->nodes.n);
	for (size_t i = 0; i < an->leaders.n; i++)
		for (size_t j = 0; j < an->leaders.v[i].states.n; j++)
			an->leaders.v[i].states.v[j].reached = false;
	an->leaders.v[an->leader_of[0]].states.v[0].reached = true;
	an->leaders.v[an->leader_of[0]].states.v[0].pred = KS_NONE;
	*ks_vec_push(&an->bfs) = an->leader_of[0];
	*ks_vec_push(&an->bfs) = 0;
	for (size_t i = 0; i < an->bfs.n; i += 2)
		walk(an, an->bfs.v[i], an->bfs.v[i + 1]);
	ks_judge(an);
}

bool
ks_analyse(struct ks_program *g, uint32_t fi, enum ks_mode mode)
{
	struct ks_an an = { .g = g, .fi = fi, .gf = &g->funcs.v[fi] };
	const struct ks_archdef *arch;
	enum opens how;

	an.f = an.gf->f;
	an.u = g->units[an.gf->unit];
	an.map = g->symmap[an.gf->unit];
	an.targets = g->targets[fi];
	an.mode = mode;
	an.arena = ks_arena_new();
	arch = ks_profile_arch(g->profile, ks_str(an.u->str, an.u->arch));
	an.baseline = arch != NULL ? ks_isa_closure(arch->baseline) : 0;
	how = opens(&an);
	an.gf->opens = how != OPENS_NONE;
	an.gf->nests = how == OPENS_COUNTED;
	find_relevant(&an);
	find_leaders(&an);
	ks_find_live(&an);
	fixpoint(&an);
	if (mode != KS_MODE_SUM)
		judge(&an);
	for (size_t i = 0; i < an.leaders.n; i++)
		ks_vec_free(&an.leaders.v[i].states);
	ks_vec_free(&an.leaders);
	ks_vec_free(&an.heap);
	ks_vec_free(&an.cands);
	ks_vec_free(&an.bfs);
	ks_arena_free(an.arena);
	return (an.changed);
}
