/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The truth about a random program: all of its paths.
 *
 * 1. A domain of concrete values is drawn from the program: every bound of
 *    every interval, its neighbours, every constant, and each of them with
 *    garbage in the bits above where conditions of several widths occur.
 * 2. What nothing tells (parameters of the first function, locals not yet
 *    set, results of unknown calls, places that a call may change) is a
 *    variable: the set of domain values that it may still have.  A place is
 *    a variable and a table with the place's value for each of the
 *    variable's; copies, comparison results and extensions are tables.  A
 *    branch splits the set.  So one path here stands for all concrete runs
 *    that decide alike, and for no others.
 * 3. The regions are a stack, as in a kernel; what the caller held lies at
 *    its bottom, and each way to be called is explored on its own.
 * 4. Loops are followed until a state comes again; functions are on the path
 *    at most 3 times (a recursion depth of 2); states that differ only in
 *    what is never read again are one.
 * 5. A violation is recorded with the chain of calls that leads to it; the
 *    path then goes on, marked.
 *
 * Nothing of the engine is used: this is the other opinion.
 */
#include <stdlib.h>
#include <string.h>

#include "random_ref.h"

/* --- states ----------------------------------------------------------- */

/* Forgets what nobody reads again, and numbers variables by their use. */
static void
canonical(struct ref *r, struct state *s)
{
	uint8_t map[MAXVAR];
	uint64_t mask[MAXVAR];
	unsigned n = r->pinned;

	memset(map, NOVAR, sizeof(map));
	for (unsigned i = 0; i < n; i++) {
		map[i] = (uint8_t)i;
		mask[i] = s->mask[i];
	}
	for (unsigned i = 0; i < s->nframe; i++) {
		struct frame *f = &s->fr[i];
		uint8_t live = i + 1 == s->nframe ? r->in[f->fn][f->node] :
						    r->out[f->fn][f->node];

		for (unsigned k = 0; k < MAXPLACE; k++) {
			struct value *x = &f->v[k];

			if (!(live >> k & 1)) {
				*x = (struct value){ NOVAR, 0 };
				continue;
			}
			if (x->var == NOVAR)
				continue;
			if (map[x->var] == NOVAR) {
				mask[n] = s->mask[x->var];
				map[x->var] = (uint8_t)n++;
			}
			x->var = map[x->var];
		}
	}
	memcpy(s->mask, mask, n * sizeof(mask[0]));
	s->nvar = (uint8_t)n;
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25;
	return h ^ h >> 32;
}

static uint64_t
hash_state(const struct state *s)
{
	uint64_t h = 0x243f6a8885a308d3, w;
	const unsigned char *b;
	size_t n;

	h = mix(h, (uint64_t)s->nframe << 56 | (uint64_t)s->nreg << 48 |
		       (uint64_t)s->thread << 6 | (uint64_t)s->bad << 5 |
		       (uint64_t)s->told << 4 | (uint64_t)s->entered << 3 |
		       (uint64_t)s->popped << 2 | (uint64_t)s->excused << 1 |
		       (uint64_t)s->visited << 8 | (uint64_t)s->nvar << 16);
	for (unsigned i = 0; i < s->nreg; i++)
		h = mix(h, s->reg[i]);
	for (unsigned i = 0; i < s->nvar; i++)
		h = mix(h, s->mask[i]);
	b = (const unsigned char *)s->fr;
	n = s->nframe * sizeof(s->fr[0]);
	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&w, b, 8);
		h = mix(h, w);
	}
	for (; n > 0; n--, b++)
		h = mix(h, *b);
	return h | 1;
}

bool
ref_seen(struct ref *r, struct state *s)
{
	uint64_t h;
	unsigned i;

	canonical(r, s);
	h = hash_state(s);
	for (i = (unsigned)(h >> 40) % NSEEN; r->stamp[i] == r->now;
	    i = (i + 1) % NSEEN)
		if (r->seen[i] == h)
			return true;
	r->stamp[i] = r->now;
	r->seen[i] = h;
	if (++r->count > MAXSTATE) {
		r->t->cut = true;
		return true;
	}
	return false;
}

/* --- violations ------------------------------------------------------- */

void
ref_violate(struct ref *r, struct state *s, enum kind kind, bool callers)
{
	struct violation v;
	struct truth *t = r->t;

	memset(&v, 0, sizeof(v));
	v.kind = (uint8_t)kind;
	v.start = r->start;
	v.first = !s->bad;
	v.callers = callers;
	v.told = s->told;
	v.entered = s->entered;
	v.excused = s->excused;
	v.visited = s->visited;
	v.nchain = s->nframe;
	for (unsigned i = 0; i < s->nframe; i++) {
		v.func[i] = s->fr[i].fn;
		v.node[i] = s->fr[i].node;
	}
	s->bad = true;
	for (unsigned i = 0; i < t->nviol; i++)
		if (memcmp(&t->viol[i], &v, sizeof(v)) == 0)
			return;
	if (t->nviol == sizeof(t->viol) / sizeof(t->viol[0]))
		t->cut = true;
	else
		t->viol[t->nviol++] = v;
}

bool
ref_held(const struct state *s)
{
	return s->nreg > 0 || s->thread;
}

/* Is nothing held, whatever the caller held? */
static bool
surely_out(const struct ref *r, const struct state *s)
{
	for (unsigned i = 0; i < s->nframe; i++)
		if (s->fr[i].suspended)
			return true;
	return s->popped || (s->entered && r->atomic_only);
}

void
ref_need(struct ref *r, struct state *s, enum kind kind)
{
	if (!ref_held(s))
		ref_violate(r, s, kind, !surely_out(r, s));
}

void
ref_sleep(struct ref *r, struct state *s)
{
	if (s->nreg > 0 && (s->reg[s->nreg - 1] & REG_ATOMIC))
		ref_violate(
		    r, s, K_SLEEPS, (s->reg[s->nreg - 1] & REG_CALLERS) != 0);
}

/* False: too deep. */
bool
ref_enter(struct ref *r, struct state *s, bool atomic, bool counted)
{
	uint8_t top = s->nreg > 0 ? s->reg[s->nreg - 1] : 0;

	if (!s->bad)
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if ((top & REG_ATOMIC) && !(counted && (top & REG_COUNTED)))
		ref_violate(r, s, K_NESTED, (top & REG_CALLERS) != 0);
	if (s->nreg == MAXREG) {
		ref_violate(r, s, K_DEEP, false);
		return false;
	}
	s->reg[s->nreg++] =
	    (uint8_t)((atomic ? REG_ATOMIC : 0) | (counted ? REG_COUNTED : 0));
	if (!counted)
		s->entered = true;
	return true;
}

/* From here on the thread holds a region; it must be in no atomic one. */
void
ref_thread(struct ref *r, struct state *s)
{
	uint8_t top = s->nreg > 0 ? s->reg[s->nreg - 1] : 0;

	if (!s->bad)
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if (top & REG_ATOMIC)
		ref_violate(r, s, K_NESTED, (top & REG_CALLERS) != 0);
	s->thread = true;
}

void
ref_leave(struct ref *r, struct state *s)
{
	/* A callback that leaves what it did not enter. */
	for (unsigned i = s->nframe; i-- > 0;)
		if (s->fr[i].callback && s->nreg <= s->fr[i].nreg)
			s->excused |= r->v->callback_effect;
	if (s->nreg == 0) {
		ref_violate(r, s, K_LEAVE,
		    !r->t->root[r->start] && !s->thread && !surely_out(r, s));
		s->popped = true;
		return;
	}
	if (s->reg[s->nreg - 1] & REG_CALLERS) {
		/* A query that said that it is held allows that. */
		if (!s->told || s->popped)
			ref_violate(r, s, K_LEAVE, !r->t->root[r->start]);
		s->popped = true;
	}
	s->reg[--s->nreg] = 0;
}

/* --- all of it -------------------------------------------------------- */

struct ref *
ref_new(void)
{
	struct ref *r = ks_xmalloc(sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->seen = ks_xmalloc(NSEEN * sizeof(*r->seen));
	r->stamp = ks_xmalloc(NSEEN * sizeof(*r->stamp));
	memset(r->stamp, 0, NSEEN * sizeof(*r->stamp));
	return r;
}

void
ref_free(struct ref *r)
{
	ks_vec_free(&r->todo);
	free(r->seen);
	free(r->stamp);
	free(r);
}

static bool
can_come(const struct ref *r, unsigned fn, unsigned from)
{
	if (from == FROM_OUT && (r->p->f[fn].flags & KS_FUNC_HELD))
		return false;
	return r->pr->from >> from & 1;
}

/* Can there be threads that hold a region for good? */
static bool
has_thread(const struct program *p)
{
	for (unsigned i = 0; i < p->nfunc; i++)
		for (unsigned k = 0; k < p->f[i].nnode; k++)
			if (p->f[i].n[k].ev == KS_EV_THREAD)
				return true;
	return false;
}

void
ref_roots(struct ref *r, const struct program *p, const struct verdict *v,
    struct truth *t)
{
	r->p = p;
	r->pr = &profiles[p->profile];
	r->v = v;
	r->t = t;
	r->pinned = 0;
	memset(t, 0, sizeof(*t));
	ref_domain(r);
	ref_find_roots(p, t->root);
	r->atomic_only = r->pr->atomic_only && !has_thread(p);
	for (unsigned i = 0; i < p->nfunc; i++) {
		ref_liveness(r, i);
		ref_joins(r, i);
	}
	for (unsigned i = 0; i < p->nfunc; i++)
		for (unsigned k = 0; t->root[i] && k < NFROM; k++)
			if (can_come(r, i, k))
				ref_explore(r, i, (enum from)k);
}

void
ref_from(struct ref *r, uint8_t func, struct truth *t)
{
	r->t = t;
	r->pinned = 0;
	for (unsigned k = 0; k < NFROM; k++)
		if (can_come(r, func, k))
			ref_explore(r, func, (enum from)k);
}

/* Can A and B be the same call with the same result? */
static bool
alike(const struct ref *r, const struct outcome *a, const struct outcome *b)
{
	for (unsigned i = 0; i < r->pinned; i++)
		if ((a->mask[i] & b->mask[i]) == 0)
			return false;
	for (unsigned i = 0; i < r->n; i++) {
		if (!(a->retmask >> i & 1))
			continue;
		for (unsigned k = 0; k < r->n; k++) {
			bool par = a->ret.var < r->pinned,
			     parb = b->ret.var < r->pinned;

			if (!(b->retmask >> k & 1) ||
			    r->tab[a->ret.tab][i] != r->tab[b->ret.tab][k])
				continue;
			/* A result made of a parameter is of that call's. */
			if (par && !(b->mask[a->ret.var] >> i & 1))
				continue;
			if (parb && !(a->mask[b->ret.var] >> k & 1))
				continue;
			if (par && parb && a->ret.var == b->ret.var && i != k)
				continue;
			return true;
		}
	}
	return false;
}

bool
ref_mixed(struct ref *r, uint8_t func, struct truth *t)
{
	bool mixed = false;

	r->t = t;
	for (unsigned k = 0; k < NFROM && !mixed; k++) {
		if (!can_come(r, func, k))
			continue;
		/* Keeping one more than there are does no harm. */
		r->pinned = r->p->f[func].nparam + 1U;
		r->nout = 0;
		ref_explore(r, func, (enum from)k);
		r->pinned = r->p->f[func].nparam;
		for (unsigned i = 0; i < r->nout && !mixed; i++)
			for (unsigned j = 0; j < i && !mixed; j++)
				mixed =
				    (r->outcome[i].nreg != r->outcome[j].nreg ||
					r->outcome[i].ncallers !=
					    r->outcome[j].ncallers) &&
				    alike(r, &r->outcome[i], &r->outcome[j]);
	}
	r->pinned = 0;
	return mixed;
}
