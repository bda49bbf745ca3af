/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From nodes in the making to a function of the unit: drops what cannot
 * matter, so that graphs stay small.
 *
 *  1. Liveness of places, backwards to a fixpoint: conditions, arguments,
 *     call targets and returned values read places; a SET reads what its
 *     value is made from only if its own place is live.  A call writes its
 *     result and all volatile places.
 *  2. A condition on a place that was just made unknown, that nothing was
 *     copied from and that is dead behind the branch tells nothing: both
 *     ways are open, and nobody asks which was taken.
 *     One that a node with a single way on has, beside that of the branch
 *     before, tells nothing where the place is dead behind it.
 *  3. SETs of dead places go.  So do NOPs with one way on, nodes that cannot
 *     be reached, and places that nothing mentions.
 *
 * Sets of live places are kept where edges lead; between, one set is carried
 * along.  Memory: bits of places times such nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

struct writer {
	struct ks_low_fn *fn;
	size_t	 n, words;	/* nodes; of a set of places */
	uint32_t *leader;	/* node -> number of its set, or KS_NONE */
	uint64_t *sets;		/* live at the start of leaders */
	uint64_t *cur, *vol;	/* live here; places that a call changes */
	uint8_t	*dead;		/* SETs to drop; calls without result */
	uint32_t *skip;		/* node -> node that stands for it */
	KS_VEC(uint32_t) path;
	size_t	 nset;
};

static bool
ends(const struct ks_low_node *n)
{
	return (n->n.ev == KS_EV_RETURN || n->n.ev == KS_EV_END);
}

/* --- liveness ---------------------------------------------------------- */

static void
find_leaders(struct writer *w)
{
	struct ks_low_fn *fn = w->fn;
	uint32_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		w->leader[i] = KS_NONE;
	for (size_t i = 0; i < fn->edges.n; i++) {
		uint32_t to = fn->edges.v[i].to;

		if (w->leader[to] == KS_NONE)
			w->leader[to] = n++;
	}
	if (w->leader[0] == KS_NONE)
		w->leader[0] = n++;
	w->nset = n;
	w->sets = ks_xmalloc(n * w->words * sizeof(uint64_t));
}

static const uint64_t *
set_of(const struct writer *w, uint32_t node)
{
	return (w->sets + (size_t)w->leader[node] * w->words);
}

/* What is live behind node I, into cur (which holds it for I + 1). */
static void
out_of(struct writer *w, const struct ks_low_node *n)
{
	if (ends(n) || n->nedge != 0)
		memset(w->cur, 0, w->words * sizeof(uint64_t));
	for (uint32_t e = 0; e < n->nedge; e++) {
		const struct ks_edge *x = &w->fn->edges.v[n->edge + e];
		const uint64_t *s = set_of(w, x->to);

		for (size_t k = 0; k < w->words; k++)
			w->cur[k] |= s[k];
		if (x->iv.bits != 0)
			ks_places_add(w->cur, x->cond);
	}
}

static void
through(struct writer *w, size_t i)
{
	const struct ks_node *n = &w->fn->nodes.v[i].n;
	const struct ks_call *c;

	switch (n->ev) {
	case KS_EV_SET:
		w->dead[i] = !ks_places_has(w->cur, n->dst);
		if (w->dead[i])
			break;
		ks_places_drop(w->cur, n->dst);
		ks_places_add_val(w->cur, &n->val);
		break;
	case KS_EV_CALL:
		c = &w->fn->f->calls.v[n->call];
		w->dead[i] = c->result == KS_NONE ||
		    !ks_places_has(w->cur, c->result);
		for (size_t k = 0; k < w->words; k++)
			w->cur[k] &= ~w->vol[k];
		for (uint32_t k = 0; k < c->narg; k++)
			ks_places_add_val(w->cur,
			    &w->fn->f->args.v[c->arg + k]);
		ks_places_add_val(w->cur, &c->target);
		break;
	case KS_EV_RETURN:
		ks_places_add_val(w->cur, &n->val);
		break;
	default:
		break;
	}
}

static void
liveness(struct writer *w)
{
	bool changed = true;

	memset(w->sets, 0, w->nset * w->words * sizeof(uint64_t));
	while (changed) {
		changed = false;
		for (size_t i = w->n; i-- > 0;) {
			uint64_t *s;

			out_of(w, &w->fn->nodes.v[i]);
			through(w, i);
			if (w->leader[i] == KS_NONE)
				continue;
			s = w->sets + (size_t)w->leader[i] * w->words;
			if (memcmp(s, w->cur, w->words * sizeof(*s)) != 0) {
				memcpy(s, w->cur, w->words * sizeof(*s));
				changed = true;
			}
		}
	}
}

/* --- conditions that tell nothing -------------------------------------- */

static bool
refers(const struct ks_val *v, uint32_t place)
{
	return (ks_val_of_place(v) && v->ref == place);
}

/*
 * Was PLACE made unknown on the only way to node I, with nothing made from
 * it since?  TOO: I is behind a branch on what it was made from, which tells
 * as much of it if it is no copy.
 */
static bool
fresh(const struct writer *w, size_t i, uint32_t place, bool too)
{
	while (too && w->fn->nodes.v[i].nedge == 1 && i > 0)
		i--;
	for (unsigned k = 0; k < 64; k++) {
		const struct ks_low_node *n = &w->fn->nodes.v[i];

		if (n->n.ev == KS_EV_SET && !w->dead[i]) {
			if (n->n.dst == place)
				return (n->n.val.kind == KS_VAL_UNKNOWN ||
				    (too && n->n.val.kind >= KS_VAL_TEST));
			if (refers(&n->n.val, place))
				return (false);
		} else if (n->n.ev == KS_EV_CALL) {
			return (false);
		}
		if (w->leader[i] != KS_NONE || i == 0 ||
		    w->fn->nodes.v[i - 1].nedge != 0)
			return (false);
		i--;
	}
	return (false);
}

static bool
drop_conditions(struct writer *w, bool single)
{
	bool any = false;

	for (size_t i = 0; i < w->n; i++) {
		struct ks_low_node *n = &w->fn->nodes.v[i];
		struct ks_edge *e = &w->fn->edges.v[n->edge];
		uint32_t p;
		bool live = false;

		if (n->nedge == 0 || e->iv.bits == 0 ||
		    single != (n->nedge == 1))
			continue;
		p = e->cond;
		for (uint32_t k = 0; k < n->nedge; k++)
			live = live || ks_places_has(set_of(w, e[k].to), p);
		if (live || !fresh(w, i, p, single))
			continue;
		for (uint32_t k = 0; k < n->nedge; k++) {
			e[k].cond = KS_NONE;
			e[k].iv = (struct ks_iv){ 0, 0, 0 };
		}
		any = true;
	}
	return (any);
}

/* --- writing ----------------------------------------------------------- */

/* All edges lead to one node, and say nothing of the CPU. */
static bool
one_way(const struct writer *w, const struct ks_low_node *n)
{
	const struct ks_edge *e = &w->fn->edges.v[n->edge];

	if (n->nedge == 1 && e->iv.bits != 0)
		return (false);
	for (uint32_t k = 0; k < n->nedge; k++)
		if (e[k].to != e->to || e[k].gate != 0)
			return (false);
	return (true);
}

/* Only way on from a node that does nothing, or KS_NONE. */
static uint32_t
passes(const struct writer *w, uint32_t i)
{
	const struct ks_low_node *n = &w->fn->nodes.v[i];

	if (n->n.ev != KS_EV_NOP && !(n->n.ev == KS_EV_SET && w->dead[i]))
		return (KS_NONE);
	if (n->nedge == 0)
		return (i + 1 < w->n ? i + 1 : KS_NONE);
	return (one_way(w, n) ? w->fn->edges.v[n->edge].to : KS_NONE);
}

/*
 * The node that stands for I: the first behind it that does something, or
 * one of a loop of nodes that do nothing.
 */
static uint32_t
stand_in(struct writer *w, uint32_t i)
{
	uint32_t at = i, to;

	w->path.n = 0;
	while (w->skip[at] == KS_NONE) {
		w->skip[at] = at;
		to = passes(w, at);
		if (to == KS_NONE)
			break;
		*ks_vec_push(&w->path) = at;
		at = to;
	}
	at = w->skip[at];
	while (w->path.n > 0)
		w->skip[w->path.v[--w->path.n]] = at;
	return (at);
}

static void
number(uint32_t i, uint32_t *id, uint32_t *order, uint32_t *n)
{
	if (id[i] == KS_NONE) {
		id[i] = *n;
		order[(*n)++] = i;
	}
}

static void
write_edges(struct writer *w, uint32_t i, uint32_t at, const uint32_t *id)
{
	const struct ks_low_node *n = &w->fn->nodes.v[i];
	struct ks_edge *x;
	bool one = n->nedge > 1;

	if (ends(n))
		return;
	if (n->nedge == 0) {
		if (i + 1 < w->n)
			ks_func_edge(w->fn->f, at,
			    id[stand_in(w, i + 1)]);
		return;
	}
	for (uint32_t k = 0; k < n->nedge; k++) {
		const struct ks_edge *e = &w->fn->edges.v[n->edge + k];
		uint32_t to = id[stand_in(w, e->to)];

		one = one && e->gate == 0 &&
		    to == id[stand_in(w, w->fn->edges.v[n->edge].to)];
	}
	for (uint32_t k = 0; k < n->nedge; k++) {
		const struct ks_edge *e = &w->fn->edges.v[n->edge + k];

		x = ks_func_edge(w->fn->f, at, id[stand_in(w, e->to)]);
		/* Whichever way is taken, it is this one. */
		if (one)
			break;
		x->cond = e->iv.bits != 0 ? e->cond : KS_NONE;
		x->iv = e->iv;
		x->gate = e->gate;
	}
}

static void
write_nodes(struct writer *w)
{
	struct ks_low_fn *fn = w->fn;
	uint32_t *id = ks_xmalloc(w->n * sizeof(*id));
	uint32_t *order = ks_xmalloc(w->n * sizeof(*order));
	uint32_t n = 0;

	memset(id, 0xff, w->n * sizeof(*id));
	/* Node 0 stays the entry, whatever it does. */
	number(0, id, order, &n);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = order[k];
		const struct ks_low_node *x = &fn->nodes.v[i];

		if (ends(x))
			continue;
		if (x->nedge == 0 && i + 1 < w->n)
			number(stand_in(w, i + 1), id, order, &n);
		for (uint32_t e = 0; e < x->nedge; e++)
			number(stand_in(w, fn->edges.v[x->edge + e].to), id,
			    order, &n);
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = order[k];
		struct ks_node *x;

		(void)ks_func_node(fn->f, fn->nodes.v[i].n.ev);
		x = &fn->f->nodes.v[k];
		*x = fn->nodes.v[i].n;
		if (x->ev == KS_EV_SET && w->dead[i]) {
			x->ev = KS_EV_NOP;
			x->dst = KS_NONE;
			memset(&x->val, 0, sizeof(x->val));
		}
		if (x->ev == KS_EV_CALL && w->dead[i])
			fn->f->calls.v[x->call].result = KS_NONE;
		x->succ = x->nsucc = 0;
	}
	for (uint32_t k = 0; k < n; k++)
		write_edges(w, order[k], k, id);
	free(id);
	free(order);
}

/* --- places ------------------------------------------------------------ */

static void
map_place(uint32_t *map, uint32_t *place, bool mark)
{
	if (*place == KS_NONE)
		return;
	if (mark)
		map[*place] = 0;
	else
		*place = map[*place];
}

static void
map_val(uint32_t *map, struct ks_val *v, bool mark)
{
	if (ks_val_of_place(v))
		map_place(map, &v->ref, mark);
}

/* MARK: what is used gets 0 in the map; else it is replaced. */
static void
map_all(struct ks_func *f, uint32_t *map, bool mark)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		map_place(map, &f->nodes.v[i].dst, mark);
		map_val(map, &f->nodes.v[i].val, mark);
	}
	for (size_t i = 0; i < f->edges.n; i++)
		if (f->edges.v[i].iv.bits != 0)
			map_place(map, &f->edges.v[i].cond, mark);
	for (size_t i = 0; i < f->args.n; i++)
		map_val(map, &f->args.v[i], mark);
	for (size_t i = 0; i < f->calls.n; i++) {
		map_val(map, &f->calls.v[i].target, mark);
		map_place(map, &f->calls.v[i].result, mark);
	}
	for (size_t i = 0; i < f->params.n; i++)
		map_place(map, &f->params.v[i], mark);
}

static void
pack_places(struct ks_func *f)
{
	uint32_t *map = ks_xmalloc((f->places.n + 1) * sizeof(*map)), n = 0;

	memset(map, 0xff, (f->places.n + 1) * sizeof(*map));
	map_all(f, map, true);
	for (size_t i = 0; i < f->places.n; i++) {
		if (map[i] == KS_NONE)
			continue;
		map[i] = n;
		f->places.v[n++] = f->places.v[i];
	}
	f->places.n = n;
	map_all(f, map, false);
	free(map);
}

/* See lower.h. */
void
ks_low_write(struct ks_low_fn *fn)
{
	struct writer w = { .fn = fn, .n = fn->nodes.n };
	struct ks_func *f = fn->f;

	for (size_t i = 0; i < fn->edges.n; i++)
		if ((fn->edges.v[i].to & KS_LOW_BLOCK) != 0)
			fn->edges.v[i].to = fn->first.v[fn->edges.v[i].to &
			    ~KS_LOW_BLOCK];
	w.words = f->places.n / 64 + 1;
	w.leader = ks_xmalloc(w.n * sizeof(*w.leader));
	w.cur = ks_xmalloc(w.words * sizeof(uint64_t) * 2);
	memset(w.cur, 0, w.words * sizeof(uint64_t) * 2);
	w.vol = w.cur + w.words;
	for (uint32_t i = 0; i < f->places.n; i++)
		if ((f->places.v[i].flags & KS_PLACE_VOLATILE) != 0)
			ks_places_add(w.vol, i);
	w.dead = ks_xmalloc(w.n);
	memset(w.dead, 0, w.n);
	w.skip = ks_xmalloc(w.n * sizeof(*w.skip));
	memset(w.skip, 0xff, w.n * sizeof(*w.skip));
	find_leaders(&w);
	liveness(&w);
	if (drop_conditions(&w, true))
		liveness(&w);
	if (drop_conditions(&w, false))
		liveness(&w);
	for (size_t i = 0; i < f->params.n; i++)
		if (f->params.v[i] != KS_NONE &&
		    !ks_places_has(set_of(&w, 0), f->params.v[i]))
			f->params.v[i] = KS_NONE;
	write_nodes(&w);
	pack_places(f);
	free(w.leader);
	free(w.sets);
	free(w.cur);
	free(w.dead);
	free(w.skip);
	ks_vec_free(&w.path);
}
