/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes a random program smaller while a test holds: each simplification is
 * tried, kept if the test still holds, and undone if not, until none helps.
 */
#include <stdlib.h>
#include <string.h>

#include "random.h"

struct shrinker {
	struct program *p;
	bool (*test)(void *ctx, const struct program *p);
	void *ctx;
	bool more;
	struct program old;
};

static void
begin(struct shrinker *s)
{
	s->old = *s->p;
}

static bool
keep(struct shrinker *s)
{
	if (memcmp(&s->old, s->p, sizeof(s->old)) == 0)
		return false;
	if (s->test(s->ctx, s->p)) {
		s->more = true;
		return true;
	}
	*s->p = s->old;
	return false;
}

static void
forget(struct val *v, int func)
{
	if (v->kind == KS_VAL_SYM && v->ref == func)
		memset(v, 0, sizeof(*v));
}

static void
make_nop(struct node *n)
{
	if (n->nedge == 0 && n->ev != KS_EV_END) {
		bool tail = n->tail;

		memset(&n->val, 0, sizeof(n->val));
		if (tail) {
			memset(n, 0, sizeof(*n));
			n->dst = n->result = NOPLACE;
			n->ev = KS_EV_RETURN;
		}
		return;
	}
	if (n->ev == KS_EV_END)
		return;
	n->ev = KS_EV_NOP;
	n->tail = false;
	n->narg = 0;
	n->dst = n->result = NOPLACE;
	memset(&n->val, 0, sizeof(n->val));
}

static void
drop_func(struct program *p, int func)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nfunc; i++)
		for (unsigned j = 0; j < p->f[i].nnode; j++) {
			struct node *x = &p->f[i].n[j];

			if (x->ev == KS_EV_CALL && x->callee == TO_FUNC &&
			    x->id == func)
				make_nop(x);
			forget(&x->val, func);
			for (unsigned k = 0; k < MAXARG; k++)
				forget(&x->arg[k], func);
		}
	for (unsigned i = 0; i < p->nstore; i++)
		if (p->store[i].func != func)
			p->store[n++] = p->store[i];
	p->nstore = (uint8_t)n;
	p->f[func].gone = true;
	p->f[func].nnode = 0;
}

/* Takes out nodes that cannot be reached, and NOPs that lead on. */
static void
compact(struct func *f)
{
	bool reach[MAXNODE] = { true };
	uint8_t map[MAXNODE];
	bool more = true;
	unsigned n = 0;

	for (unsigned i = 0; i < f->nnode; i++)
		for (unsigned k = 0; k < f->n[i].nedge; k++)
			for (unsigned hop = 0; hop < MAXNODE; hop++) {
				struct edge *e = &f->n[i].e[k];
				const struct node *to = &f->n[e->to];

				if (to->ev != KS_EV_NOP || to->nedge != 1 ||
				    to->e[0].iv.bits != 0)
					break;
				e->to = to->e[0].to;
			}
	while (more) {
		more = false;
		for (unsigned i = 0; i < f->nnode; i++)
			for (unsigned k = 0; reach[i] && k < f->n[i].nedge; k++)
				if (!reach[f->n[i].e[k].to])
					more = reach[f->n[i].e[k].to] = true;
	}
	for (unsigned i = 0; i < f->nnode; i++)
		if (reach[i]) {
			map[i] = (uint8_t)n;
			f->n[n++] = f->n[i];
		}
	memset(&f->n[n], 0, (f->nnode - n) * sizeof(f->n[0]));
	f->nnode = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < f->n[i].nedge; k++)
			f->n[i].e[k].to = map[f->n[i].e[k].to];
}

static void
shrink_val(struct shrinker *s, struct val *v)
{
	begin(s);
	memset(v, 0, sizeof(*v));
	if (keep(s))
		return;
	begin(s);
	if (v->kind != KS_VAL_SYM && v->kind != KS_VAL_CONST &&
	    v->kind != KS_VAL_UNKNOWN) {
		memset(v, 0, sizeof(*v));
		v->kind = KS_VAL_CONST;
	}
	keep(s);
}

static void
shrink_node(struct shrinker *s, struct node *n)
{
	begin(s);
	make_nop(n);
	if (keep(s))
		return;
	begin(s);
	n->result = n->ev == KS_EV_CALL ? NOPLACE : n->result;
	keep(s);
	while (n->narg > 0) {
		begin(s);
		n->narg--;
		if (!keep(s))
			break;
	}
	for (unsigned i = 0; i < n->narg; i++)
		shrink_val(s, &n->arg[i]);
	if (n->ev == KS_EV_SET || n->ev == KS_EV_RETURN)
		shrink_val(s, &n->val);
}

static void
shrink_edges(struct shrinker *s, struct node *n)
{
	for (unsigned i = 0; n->nedge > 1 && i < n->nedge; i++) {
		begin(s);
		n->e[0] = n->e[i];
		n->nedge = 1;
		n->e[0].iv.bits = 0;
		n->e[0].cond = NOPLACE;
		if (keep(s))
			return;
	}
	for (unsigned i = 0; n->nedge > 1 && i < n->nedge; i++) {
		begin(s);
		for (unsigned k = i; k + 1U < n->nedge; k++)
			n->e[k] = n->e[k + 1];
		n->nedge--;
		if (keep(s))
			i--;
	}
	for (unsigned i = 0; i < n->nedge; i++) {
		begin(s);
		n->e[i].iv.bits = 0;
		n->e[i].cond = NOPLACE;
		keep(s);
	}
}

static void
shrink_func(struct shrinker *s, unsigned fi)
{
	struct func *f = &s->p->f[fi];

	if (f->gone)
		return;
	begin(s);
	drop_func(s->p, (int)fi);
	if (keep(s))
		return;
	for (unsigned i = 0; i < f->nnode; i++) {
		shrink_edges(s, &f->n[i]);
		shrink_node(s, &f->n[i]);
	}
	begin(s);
	compact(f);
	keep(s);
	begin(s);
	f->flags = 0;
	keep(s);
	for (unsigned i = 0; i < f->nplace; i++) {
		begin(s);
		f->pflags[i] = 0;
		keep(s);
	}
}

void
shrink(
    struct program *p, bool (*test)(void *, const struct program *), void *ctx)
{
	struct shrinker *s = ks_xmalloc(sizeof(*s));

	s->p = p;
	s->test = test;
	s->ctx = ctx;
	do {
		s->more = false;
		for (unsigned i = 0; i < p->nfunc; i++)
			shrink_func(s, i);
		for (unsigned i = 0; i < p->nstore; i++) {
			begin(s);
			p->store[i] = p->store[--p->nstore];
			if (keep(s))
				i--;
		}
	} while (s->more);
	free(s);
}
