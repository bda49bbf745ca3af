/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which places' values are still asked for: facts about the others are
 * forgotten where ways meet, which makes room for those that count.
 *
 *  1. Backwards over each chain of nodes from leader to leader, until no set
 *     changes.  A place is asked for by a branch, a call's argument or target,
 *     an event's value, and by a SET of a place that is itself asked for.
 *  2. What one value tells of another outlives the places of both: only the
 *     name of what nobody reads any more is dropped, not the relation.
 *
 * The engine's own places, and vectors, which are judged where a region ends,
 * are always live; so is everything in a function with very many places.
 *
 * Reference: A. Aho, M. Lam, R. Sethi, J. Ullman, Compilers, section 9.2.5
 * (live variables).
 */
#include <string.h>

#include "analyse.h"

#define MAXWORDS	(1u << 22)	/* of all sets together */

/* SET, live behind node I, becomes what is live before it. */
static void
through(const struct ks_func *f, uint32_t i, uint64_t *set)
{
	const struct ks_node *n = &f->nodes.v[i];
	const struct ks_call *c;

	for (uint32_t k = 0; k < n->nsucc; k++)
		if (f->edges.v[n->succ + k].iv.bits != 0)
			ks_places_add(set, f->edges.v[n->succ + k].cond);
	switch (n->ev) {
	case KS_EV_SET:
		if (!ks_places_has(set, n->dst))
			return;
		/* FALLTHROUGH */
	case KS_EV_QUERY:
		ks_places_drop(set, n->dst);
		break;
	case KS_EV_CALL:
		c = &f->calls.v[n->call];
		ks_places_drop(set, c->result);
		if (c->sym == KS_NONE)
			ks_places_add_val(set, &c->target);
		for (uint32_t k = 0; k < c->narg; k++)
			ks_places_add_val(set, &f->args.v[c->arg + k]);
		break;
	default:
		break;
	}
	ks_places_add_val(set, &n->val);
}

/* The leaders, last in reverse postorder first. */
static uint32_t *
backwards(struct ks_an *an)
{
	uint32_t n = an->f->nodes.n, count = 0;
	uint32_t *at = KS_NEWN(an->arena, uint32_t, n + 1);
	uint32_t *order = KS_NEWN(an->arena, uint32_t, an->leaders.n + 1);

	for (uint32_t l = 0; l < an->leaders.n; l++)
		at[an->rpo[an->leaders.v[l].node]] = l + 1;
	for (uint32_t i = n + 1; i-- > 0;)
		if (at[i] != 0)
			order[count++] = at[i] - 1;
	return (order);
}

/* What is live at leader L, into CUR; CHAIN has room for all nodes. */
static void
at_leader(struct ks_an *an, uint32_t l, uint64_t *cur, uint32_t *chain)
{
	const struct ks_func *f = an->f;
	uint32_t n = 0, v = an->leaders.v[l].node;
	const struct ks_node *x = &f->nodes.v[v];

	memset(cur, 0, an->words * sizeof(*cur));
	chain[n++] = v;
	while (x->nsucc == 1 &&
	    an->leader_of[f->edges.v[x->succ].to] == KS_NONE) {
		v = f->edges.v[x->succ].to;
		x = &f->nodes.v[v];
		chain[n++] = v;
	}
	for (uint32_t k = 0; k < x->nsucc; k++) {
		uint32_t to = an->leader_of[f->edges.v[x->succ + k].to];

		for (uint32_t w = 0; w < an->words; w++)
			cur[w] |= an->live[(size_t)to * an->words + w];
	}
	while (n > 0)
		through(f, chain[--n], cur);
}

/* See analyse.h. */
void
ks_find_live(struct ks_an *an)
{
	const struct ks_func *f = an->f;
	uint32_t *order, *chain;
	uint64_t *cur;
	bool more = true;

	an->words = ((uint32_t)f->places.n + 63) / 64;
	if ((uint64_t)an->words * an->leaders.n > MAXWORDS)
		return;
	an->live = KS_NEWN(an->arena, uint64_t,
	    (size_t)an->words * an->leaders.n + 1);
	cur = KS_NEWN(an->arena, uint64_t, an->words + 1);
	chain = KS_NEWN(an->arena, uint32_t, f->nodes.n);
	order = backwards(an);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < an->leaders.n; i++) {
			uint64_t *set = an->live +
			    (size_t)order[i] * an->words;

			at_leader(an, order[i], cur, chain);
			if (memcmp(set, cur, an->words * sizeof(*cur)) == 0)
				continue;
			memcpy(set, cur, an->words * sizeof(*cur));
			more = true;
		}
	}
}

/* See analyse.h. */
void
ks_forget_dead(const struct ks_an *an, uint32_t l, struct ks_facts *f)
{
	const uint64_t *set = an->live + (size_t)l * an->words;
	uint32_t n = 0;

	if (an->live == NULL)
		return;
	for (uint32_t i = 0; i < f->nplace; i++) {
		uint32_t p = f->pv[i].place;

		if (p >= an->f->places.n || ks_places_has(set, p) ||
		    (an->f->places.v[p].flags & KS_PLACE_VECTOR) != 0)
			f->pv[n++] = f->pv[i];
	}
	f->nplace = n;
}
