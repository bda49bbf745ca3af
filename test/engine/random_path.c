/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the nodes of a path do, and the paths themselves: see random_ref.c.
 */
#include <string.h>

#include "random_ref.h"

/* --- paths ------------------------------------------------------------ */

static void
later(struct ref *r, const struct state *s)
{
	*ks_vec_push(&r->todo) = *s;
}

/* Pushes a call of FN by the node that is under way; false: too deep. */
static bool
push_frame(struct ref *r, struct state *s, unsigned fn, const struct node *n)
{
	const struct frame *up = s->nframe > 0 ? &s->fr[s->nframe - 1] : NULL;
	struct frame *f;
	unsigned same = 0;

	for (unsigned i = 0; i < s->nframe; i++)
		same += s->fr[i].fn == fn;
	if (s->nframe == MAXFRAME || same == MAXSAME)
		return false;
	f = &s->fr[s->nframe];
	memset(f, 0, sizeof(*f));
	f->fn = (uint8_t)fn;
	f->nreg = s->nreg;
	f->thread = s->thread;
	f->entered = s->entered;
	f->popped = s->popped;
	for (unsigned i = 0; i < MAXPLACE; i++)
		if (i < r->p->f[fn].nparam && n != NULL && i < n->narg)
			f->v[i] = ref_eval(r, s, up, &n->arg[i]);
		else if (i < r->p->f[fn].nplace)
			f->v[i] = ref_fresh(r, s);
		else
			f->v[i] = (struct value){ NOVAR, 0 };
	if (s->nframe++ > 0)
		r->t->called[fn] = true;
	s->after = false;
	s->visited |= (uint8_t)(1 << fn);
	return true;
}

/* The call that the top frame makes is done. */
static void
after_call(struct ref *r, struct state *s, struct value result)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct func *fn = &r->p->f[f->fn];
	const struct node *n = &fn->n[f->node];
	unsigned changed = KS_PLACE_VOLATILE;

	/* What opens and closes regions writes to registers only. */
	if (n->callee != TO_NAME ||
	    !(1 << r->pr->names[n->id].role &
		(1 << R_ENTER | 1 << R_LEAVE | 1 << R_QUERY | 1 << R_THREAD |
		    1 << R_MARKER)))
		changed |= KS_PLACE_ESCAPED | KS_PLACE_MEMORY;
	for (unsigned i = 0; i < fn->nplace; i++)
		if (fn->pflags[i] & changed)
			f->v[i] = ref_fresh(r, s);
	if (n->result != NOPLACE)
		f->v[n->result] = result;
	s->after = true;
}

static void
outcome(struct ref *r, const struct state *s, struct value ret)
{
	struct outcome *o;

	if (r->nout == MAXOUT) {
		r->t->cut = true;
		return;
	}
	o = &r->outcome[r->nout++];
	memset(o, 0, sizeof(*o));
	o->nreg = s->nreg;
	for (unsigned i = 0; i < s->nreg; i++)
		o->ncallers += (s->reg[i] & REG_CALLERS) != 0;
	o->thread = s->thread;
	for (unsigned i = 0; i < r->pinned; i++)
		o->mask[i] = s->mask[i];
	o->ret = ret;
	o->retmask = ret.var == NOVAR ? 1 : s->mask[ret.var];
}

/* The top frame returns RET; false: the path is at its end. */
static bool
do_return(struct ref *r, struct state *s, struct value ret)
{
	struct frame f = s->fr[s->nframe - 1];

	if (s->nframe == 1) {
		for (unsigned i = 0; i < s->nreg; i++)
			if (!(s->reg[i] & REG_CALLERS)) {
				ref_violate(r, s, K_NOT_LEFT, false);
				break;
			}
		if (r->pinned != 0)
			outcome(r, s, ret);
		return false;
	}
	memset(&s->fr[--s->nframe], 0, sizeof(f));
	if (!f.callback && !s->bad && !s->excused &&
	    (s->nreg > f.nreg || (s->thread && !f.thread)))
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if (f.callback && (s->nreg != f.nreg || s->thread != f.thread))
		s->excused |= r->v->callback_effect;
	if (f.callback) {
		/* Nobody follows what a callback tells of its caller. */
		s->entered = f.entered;
		s->popped = f.popped;
	}
	if (f.suspended) {
		s->nreg = f.snreg;
		memcpy(s->reg, f.sreg, sizeof(s->reg));
		s->thread = f.sthread;
	}
	after_call(r, s, ret);
	return true;
}

/* Calls FN by node N, which is the event under way; false: too deep. */
static bool
do_call(struct ref *r, struct state *s, unsigned fn, const struct node *n)
{
	if (r->p->f[fn].flags & KS_FUNC_NEEDS)
		ref_need(r, s, K_NEED);
	if (r->p->f[fn].flags & KS_FUNC_HELD)
		ref_need(r, s, K_HELD);
	return push_frame(r, s, fn, n);
}

static bool do_name(struct ref *r, struct state *s, const struct node *n);

/* A function of the profile is called back. */
static bool
name_callback(struct ref *r, struct state *s, unsigned id, bool suspend)
{
	struct state keep = *s;
	struct node n = {
		.ev = KS_EV_CALL, .callee = TO_NAME, .id = id, .result = NOPLACE
	};
	uint8_t role = r->pr->names[id].role, fn = s->fr[s->nframe - 1].fn;
	bool opens, can;

	if (suspend) {
		s->nreg = 0;
		s->thread = false;
	}
	if (role == R_QUERY || role == R_SUSPEND ||
	    (role == R_SLEEP && suspend)) {
		*s = keep;
		after_call(r, s, ref_fresh(r, s));
		return true;
	}
	if (role == R_ENTER || role == R_LEAVE || role == R_THREAD) {
		s->excused |= r->v->callback_effect;
		if (suspend)
			return false;
	}
	/* A function that is given an enter does not open a region by that. */
	opens = r->t->opens[fn];
	can = do_name(r, s, &n);
	r->t->opens[fn] = opens;
	if (!can)
		return false;
	if (suspend) {
		s->nreg = keep.nreg;
		memcpy(s->reg, keep.reg, sizeof(s->reg));
		s->thread = keep.thread;
	}
	return true;
}

static bool
do_callback(struct ref *r, struct state *s, struct value x, bool suspend,
    const struct node *n)
{
	int fn = ref_function_of(r, x);
	struct state keep;
	struct frame *f;

	if (fn < 0) {   /* unknown code */
		after_call(r, s, ref_fresh(r, s));
		return true;
	}
	for (unsigned i = 0; i < s->nframe; i++)
		s->excused |= r->v->unknown[s->fr[i].fn][s->fr[i].node];
	if (fn >= NAME_REF)
		return name_callback(r, s, (unsigned)fn - NAME_REF, suspend);
	keep = *s;
	if (suspend) {
		memset(s->reg, 0, sizeof(s->reg));
		s->nreg = 0;
		s->thread = false;
	}
	if (!do_call(r, s, (unsigned)fn, n))
		return false;
	f = &s->fr[s->nframe - 1];
	f->callback = true;
	if (suspend) {
		f->suspended = true;
		f->snreg = keep.nreg;
		memcpy(f->sreg, keep.reg, sizeof(f->sreg));
		f->sthread = keep.thread;
	}
	return true;
}

/* The query's answers; S goes on with one of them. */
static bool
do_query(struct ref *r, struct state *s, unsigned means, bool exact, int dst,
    bool call)
{
	static const struct ks_iv yes = { 1, 255, 32 }, no = { 0, 0, 32 };
	bool all = true;
	struct state t;

	if ((means & KS_MEANS_THREAD) && !s->thread)
		all = false;
	if ((means & KS_MEANS_REGION) && !ref_held(s))
		all = false;
	if ((means & KS_MEANS_ATOMIC) &&
	    (s->nreg == 0 || !(s->reg[s->nreg - 1] & REG_ATOMIC)))
		all = false;
	if ((means & KS_MEANS_MAY_ENTER) && ref_held(s))
		all = false;
	exact |= means == KS_MEANS_THREAD;
	for (int truth = 0; truth < 2; truth++) {
		struct value x;

		if (truth ? !all : all && exact)
			continue;
		t = *s;
		x = ref_fresh(r, &t);
		t.mask[x.var] = ref_where(r, &t, x, truth ? &yes : &no);
		if (truth && (means & KS_MEANS_ATOMIC) && t.nreg > 0 &&
		    (t.reg[t.nreg - 1] & REG_CALLERS))
			t.told = true;
		if (call)
			after_call(r, &t, x);
		else
			t.fr[t.nframe - 1].v[dst] = x;
		t.after = true;
		later(r, &t);
	}
	return false;
}

/* What a flag argument may be: bit 0: no flag of MASK is set, bit 1: one is. */
static unsigned
flag_ways(struct ref *r, struct state *s, const struct node *n, int arg,
    uint64_t mask)
{
	struct frame *f = &s->fr[s->nframe - 1];
	struct value x;
	unsigned ways = 0;

	if (arg >= n->narg)
		return 3;
	x = ref_eval(r, s, f, &n->arg[arg]);
	for (unsigned i = 0; i < r->n; i++)
		if (x.var == NOVAR ? i == 0 : s->mask[x.var] >> i & 1)
			ways |= r->tab[x.tab][i] & mask ? 2 : 1;
	return ways;
}

/* An enter or a sleep that depends on its flags. */
static bool
do_flags(
    struct ref *r, struct state *s, const struct node *n, const struct name *d)
{
	unsigned ways = flag_ways(r, s, n, d->flags, d->mask);

	for (unsigned set = 0; set < 2; set++) {
		struct state t = *s;

		if (!(ways >> set & 1))
			continue;
		for (unsigned i = 0; set && i < t.nframe; i++)
			t.excused |= r->v->flags[t.fr[i].fn][t.fr[i].node];
		if (d->role == R_ENTER) {
			if (!ref_enter(r, &t, set, d->counted))
				continue;
		} else if (set) {
			ref_sleep(r, &t);
		}
		after_call(r, &t, ref_fresh(r, &t));
		later(r, &t);
	}
	return false;
}

static bool
do_name(struct ref *r, struct state *s, const struct node *n)
{
	const struct name *d = &r->pr->names[n->id];
	struct frame *f = &s->fr[s->nframe - 1];

	if (d->flags >= 0)
		return do_flags(r, s, n, d);
	switch (d->role) {
	case R_ENTER:
		if (!ref_enter(r, s, d->atomic, d->counted))
			return false;
		break;
	case R_LEAVE:
		ref_leave(r, s);
		break;
	case R_THREAD:
		ref_thread(r, s);
		break;
	case R_MARKER:
		ref_need(r, s, K_NEED);
		break;
	case R_SLEEP:
		ref_sleep(r, s);
		break;
	case R_QUERY:
		return do_query(r, s, d->means, d->exact, n->result, true);
	case R_PANIC:
		return false;
	case R_SUSPEND:
		if (d->callback < n->narg) {
			static const struct node none;

			return do_callback(r, s,
			    ref_eval(r, s, f, &n->arg[d->callback]), true,
			    &none);
		}
		break;
	default:
		break;
	}
	after_call(r, s, ref_fresh(r, s));
	return true;
}

/*
 * Any of the functions stored under the first key that has any; or what is
 * unknown there.
 */
static bool
do_key(struct ref *r, struct state *s, const struct node *n)
{
	bool any = false, unknown = false;

	for (int key = n->id; key >= 0 && !any; key--)
		for (unsigned i = 0; i < r->p->nstore; i++) {
			struct state t = *s;

			if (r->p->store[i].key != key)
				continue;
			any |= r->p->store[i].func >= 0;
			unknown |= r->p->store[i].func < 0;
			if (r->p->store[i].func < 0) {
				after_call(r, &t, ref_fresh(r, &t));
				later(r, &t);
			} else if (do_call(r, &t, (unsigned)r->p->store[i].func,
				       n)) {
				later(r, &t);
			}
		}
	if (any || unknown)
		return false;
	after_call(r, s, ref_fresh(r, s));
	return true;
}

/* The event of the top frame's node; false: S is used up. */
static bool
event(struct ref *r, struct state *s)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct node *n = &r->p->f[f->fn].n[f->node];

	s->after = true;
	switch (n->ev) {
	case KS_EV_SET:
		f->v[n->dst] = ref_eval(r, s, f, &n->val);
		break;
	case KS_EV_SAVE:
		return !r->pr->inlined || ref_enter(r, s, true, false);
	case KS_EV_RESTORE:
		if (r->pr->inlined)
			ref_leave(r, s);
		else
			ref_need(r, s, K_NEED);
		break;
	case KS_EV_SIMD:
	case KS_EV_ASSERT:
		ref_need(r, s, K_NEED);
		break;
	case KS_EV_ENTER:
		return ref_enter(r, s, true, false);
	case KS_EV_LEAVE:
		ref_leave(r, s);
		break;
	case KS_EV_SLEEP:
		ref_sleep(r, s);
		break;
	case KS_EV_THREAD:
		ref_thread(r, s);
		break;
	case KS_EV_QUERY:
		return do_query(r, s, n->aux & ~(unsigned)KS_MEANS_EXACT,
		    (n->aux & KS_MEANS_EXACT) != 0, n->dst, false);
	case KS_EV_RETURN:
		return do_return(r, s, ref_eval(r, s, f, &n->val));
	case KS_EV_END:
		return false;
	case KS_EV_CALL:
		s->after = false;
		switch (n->callee) {
		case TO_FUNC:
			return do_call(r, s, n->id, n);
		case TO_NAME:
			return do_name(r, s, n);
		case TO_PLACE:
			return do_callback(r, s, f->v[n->id], false, n);
		default:
			return do_key(r, s, n);
		}
	default:
		break;
	}
	return true;
}

/* Takes the edges of the top frame's node; false: S is used up. */
static bool
go_on(struct ref *r, struct state *s)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct node *n = &r->p->f[f->fn].n[f->node];

	if (n->nedge == 0)
		return n->tail && do_return(r, s,
				      n->result != NOPLACE ? f->v[n->result] :
							     ref_fresh(r, s));
	s->after = false;
	for (unsigned i = 0; i < n->nedge; i++) {
		const struct edge *e = &n->e[i];
		struct state t;
		struct value x;
		uint64_t m = 0;

		if (e->iv.bits != 0) {
			x = f->v[e->cond];
			m = ref_where(r, s, x, &e->iv);
			if (n->nedge > 1 && m == 0 &&
			    (x.var == NOVAR ||
				s->mask[x.var] != ref_mask_of(r->n)))
				r->t->correlated = true;
			if (m == 0)
				continue;
		}
		if (n->nedge == 1) {
			if (e->iv.bits != 0 && x.var != NOVAR)
				s->mask[x.var] = m;
			f->node = e->to;
			return true;
		}
		t = *s;
		if (e->iv.bits != 0 && x.var != NOVAR)
			t.mask[x.var] = m;
		t.fr[t.nframe - 1].node = e->to;
		later(r, &t);
	}
	return false;
}

static void
run(struct ref *r, struct state *s)
{
	for (;;) {
		const struct frame *f = &s->fr[s->nframe - 1];

		if (!s->after) {
			if (r->join[f->fn][f->node] && ref_seen(r, s))
				return;
			if (!event(r, s))
				return;
		}
		/* A call leaves off at the callee's first node. */
		if (s->after && !go_on(r, s))
			return;
	}
}

void
ref_explore(struct ref *r, unsigned fn, enum from from)
{
	static const struct {
		bool thread;
		uint8_t n, reg;
	} how[NFROM] = {
		[FROM_REGION] = { false, 1, REG_CALLERS },
		[FROM_ATOMIC] = { false, 1, REG_CALLERS | REG_ATOMIC },
		[FROM_COUNTED] = { false, 1,
		    REG_CALLERS | REG_ATOMIC | REG_COUNTED },
		[FROM_THREAD] = { true, 0, 0 },
		[FROM_THREAD_REGION] = { true, 1, REG_CALLERS },
		[FROM_THREAD_ATOMIC] = { true, 1, REG_CALLERS | REG_ATOMIC },
	};
	struct state s;

	if (++r->now == 0)
		memset(r->stamp, 0, NSEEN * sizeof(*r->stamp)), r->now = 1;
	r->count = 0;
	r->start = (uint8_t)fn;
	r->from = (uint8_t)from;
	memset(&s, 0, sizeof(s));
	s.thread = how[from].thread;
	s.nreg = how[from].n;
	s.reg[0] = how[from].reg;
	push_frame(r, &s, fn, NULL);
	r->todo.n = 0;
	later(r, &s);
	while (r->todo.n > 0) {
		s = r->todo.v[--r->todo.n];
		run(r, &s);
	}
	r->t->states += r->count;
}
