/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Advice on regions in loops (region-in-loop): a region that is entered and
 * left in every iteration, where one around the loop would do.
 *
 * 1. Cycles are the strongly connected components of the function's nodes.
 * 2. A region in a cycle is what is reached from its enter without passing a
 *    leave.  A region with a loop of its own is a chunk: bounded on purpose.
 * 3. One region would do only if the rest of the cycle calls nothing: who
 *    knows whether it may run inside.
 * 4. What it costs is data (ks/cost.def), the same on every machine: measured
 *    once, and measured again by the benchmark.
 */
#include <string.h>

#include "program.h"

static const struct region_cost {
	const char *state;
	unsigned cycles, kib;
} costs[] = {
#define KS_REGION_COST(state, cycles, kib) { state, cycles, kib },
#include "ks/cost.def"
#undef KS_REGION_COST
};

struct cycles {
	uint32_t *comp;		/* node -> component, from 1 */
	uint32_t *size;		/* of the component */
};

/* Tarjan without recursion. */
static void
components(const struct ks_func *f, struct ks_arena *a, struct cycles *c,
    const bool *cut)
{
	uint32_t n = f->nodes.n, count = 0, sp = 0, pp, comps = 0;
	uint32_t *num = KS_NEWN(a, uint32_t, n);
	uint32_t *low = KS_NEWN(a, uint32_t, n);
	uint32_t *next = KS_NEWN(a, uint32_t, n);
	uint32_t *stack = KS_NEWN(a, uint32_t, n);
	uint32_t *path = KS_NEWN(a, uint32_t, n + 1);

	c->comp = KS_NEWN(a, uint32_t, n);
	c->size = KS_NEWN(a, uint32_t, n + 1);
	for (uint32_t r = 0; r < n; r++) {
		if (num[r] != 0 || (cut != NULL && !cut[r]))
			continue;
		pp = 0;
		path[pp++] = r;
		while (pp > 0) {
			uint32_t v = path[pp - 1], w;
			const struct ks_node *x = &f->nodes.v[v];

			if (num[v] == 0) {
				num[v] = low[v] = ++count;
				stack[sp++] = v;
			}
			if (next[v] < x->nsucc) {
				w = f->edges.v[x->succ + next[v]++].to;
				if (cut != NULL && !cut[w])
					continue;
				if (num[w] == 0)
					path[pp++] = w;
				else if (c->comp[w] == 0 && num[w] < low[v])
					low[v] = num[w];
				continue;
			}
			pp--;
			if (pp > 0 && low[v] < low[path[pp - 1]])
				low[path[pp - 1]] = low[v];
			if (low[v] != num[v])
				continue;
			comps++;
			do {
				w = stack[--sp];
				c->comp[w] = comps;
				c->size[comps]++;
			} while (w != v);
		}
	}
}

static const struct ks_gsym *
callee(const struct ks_program *g, const struct ks_gfunc *gf, uint32_t node)
{
	const struct ks_node *n = &gf->f->nodes.v[node];
	uint32_t sym;

	if (n->ev != KS_EV_CALL)
		return (NULL);
	sym = gf->f->calls.v[n->call].sym;
	return (sym == KS_NONE ? NULL :
	    &g->syms.v[g->symmap[gf->unit][sym]]);
}

static bool
is(const struct ks_program *g, const struct ks_gfunc *gf, uint32_t node,
    enum ks_role role)
{
	const struct ks_gsym *s = callee(g, gf, node);

	return (s != NULL && ks_gsym_role(s, role) != NULL);
}

/* Marks what is reached from ENTER inside its cycle, up to the leaves. */
static bool
region_of(const struct ks_program *g, const struct ks_gfunc *gf,
    const struct cycles *c, uint32_t enter, bool *in, struct ks_arena *a)
{
	const struct ks_func *f = gf->f;
	uint32_t *stack = KS_NEWN(a, uint32_t, f->nodes.n + 1), sp = 0;
	bool left = false;

	stack[sp++] = enter;
	in[enter] = true;
	while (sp > 0) {
		const struct ks_node *n = &f->nodes.v[stack[--sp]];

		for (uint32_t i = 0; i < n->nsucc; i++) {
			uint32_t w = f->edges.v[n->succ + i].to;

			if (in[w] || c->comp[w] != c->comp[enter])
				continue;
			if (is(g, gf, w, KS_ROLE_LEAVE)) {
				left = true;
				continue;
			}
			in[w] = true;
			stack[sp++] = w;
		}
	}
	return (left);
}

static bool
advise(const struct ks_program *g, const struct ks_gfunc *gf,
    const struct cycles *c, uint32_t enter)
{
	const struct ks_func *f = gf->f;
	struct ks_arena *a = ks_arena_new();
	bool *in = KS_NEWN(a, bool, f->nodes.n);
	bool yes = region_of(g, gf, c, enter, in, a);
	struct cycles inner;

	if (yes) {
		components(f, a, &inner, in);
		for (uint32_t i = 0; i < f->nodes.n && yes; i++)
			if (in[i] && inner.size[inner.comp[i]] > 1)
				yes = false;
	}
	for (uint32_t i = 0; i < f->nodes.n && yes; i++)
		if (c->comp[i] == c->comp[enter] && !in[i] &&
		    f->nodes.v[i].ev == KS_EV_CALL &&
		    !is(g, gf, i, KS_ROLE_LEAVE) &&
		    !is(g, gf, i, KS_ROLE_QUERY) &&
		    !is(g, gf, i, KS_ROLE_IGNORE_CALL))
			yes = false;
	ks_arena_free(a);
	return (yes);
}

void
ks_judge_loops(struct ks_program *g, uint32_t fi)
{
	const struct ks_gfunc *gf = &g->funcs.v[fi];
	const struct region_cost *low = &costs[0];
	const struct region_cost *high =
	    &costs[sizeof(costs) / sizeof(costs[0]) - 1];
	struct ks_arena *a = NULL;
	struct cycles c;

	for (uint32_t i = 0; i < gf->f->nodes.n; i++) {
		struct ks_place_text at;
		struct ks_finding *fd;

		if (!is(g, gf, i, KS_ROLE_ENTER))
			continue;
		if (a == NULL) {
			a = ks_arena_new();
			components(gf->f, a, &c, NULL);
		}
		if (c.size[c.comp[i]] < 2 || !advise(g, gf, &c, i))
			continue;
		at = ks_place_of(g, fi, i);
		fd = ks_finding_add(g->findings, KS_D_REGION_IN_LOOP, &at,
		    "a region is entered and left in each iteration: that "
		    "costs some %u (%s) to %u (%s) cycles each time, and "
		    "less than 5 %% only from %u to %u KiB of AES on",
		    low->cycles, low->state, high->cycles, high->state,
		    low->kib, high->kib);
		ks_finding_event(g->findings, fd, "");
	}
	if (a != NULL)
		ks_arena_free(a);
}
