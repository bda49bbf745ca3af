/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Solves linked units.
 *
 * 1. Functions in order, callees first; a cycle of calls is repeated until
 *    no summary in it changes.  Then each of its functions is judged.
 * 2. A function whose summary nobody outside its cycle used is judged once
 *    more as a root: it returns to unknown code.  So is one whose regions
 *    nest and that is called where none is held: whether it needs more than
 *    its own regions is told by its callers, but it is the place to mend.
 * 3. What needs a region is noted; where its address reaches unknown callers,
 *    that is a finding of its own.
 * 4. Contracts: `allow' lines take findings away (counted), unused lines are
 *    noted in a closed set.
 */
#include <string.h>

#include "program.h"

#define MAXROUNDS	40	/* over a cycle of calls */

static void
forget_params(struct ks_program *g, uint32_t fi)
{
	struct ks_summary *sum = &g->funcs.v[fi].sum;

	for (size_t i = 0; i < sum->reqs.n; i++)
		memset(sum->reqs.v[i].pf, 0, sizeof(sum->reqs.v[i].pf));
	for (size_t i = 0; i < sum->cases.n; i++) {
		memset(sum->cases.v[i].pf, 0, sizeof(sum->cases.v[i].pf));
		memset(&sum->cases.v[i].ret, 0, sizeof(sum->cases.v[i].ret));
	}
}

/* Functions order[from] to order[to - 1] call each other. */
static void
solve_cycle(struct ks_program *g, uint32_t from, uint32_t to)
{
	bool cycle = to - from > 1 || g->funcs.v[g->order[from]].recursive;
	bool more = cycle;

	for (int round = 0; more; round++) {
		more = false;
		for (uint32_t i = from; i < to; i++) {
			if (g->funcs.v[g->order[i]].machinery)
				continue;
			more |= ks_analyse(g, g->order[i], KS_MODE_SUM);
			if (round > MAXROUNDS)
				forget_params(g, g->order[i]);
		}
	}
	for (uint32_t i = from; i < to; i++)
		if (!g->funcs.v[g->order[i]].machinery) {
			ks_analyse(g, g->order[i], KS_MODE_JUDGE);
			ks_judge_loops(g, g->order[i]);
		}
}

/* What was reported in a function below is nothing that callers owe. */
static bool
needs(const struct ks_gfunc *gf, size_t *which)
{
	for (size_t i = 0; i < gf->sum.reqs.n; i++)
		if (gf->sum.reqs.v[i].kind == KS_REQ_NEED &&
		    !(gf->sum.reqs.v[i].inner && gf->judged_out)) {
			*which = i;
			return (true);
		}
	return (false);
}

/* Parameters that are called, where unknown code passes them. */
static void
passed_by_unknown(struct ks_program *g, uint32_t fi)
{
	const struct ks_summary *sum = &g->funcs.v[fi].sum;

	for (size_t i = 0; i < sum->reqs.n; i++) {
		bool first = sum->reqs.v[i].kind == KS_REQ_PARAM;

		for (size_t j = 0; j < i && first; j++)
			first = sum->reqs.v[j].kind != KS_REQ_PARAM ||
			    sum->reqs.v[j].node != sum->reqs.v[i].node;
		if (first)
			ks_assume_unknown(g, fi, sum->reqs.v[i].node);
	}
}

static bool
matters_to_root(const struct ks_gfunc *gf)
{
	for (size_t i = 0; i < gf->sum.cases.n; i++)
		if (gf->sum.cases.v[i].prop.depth > 0)
			return (true);
	for (size_t i = 0; i < gf->sum.reqs.n; i++)
		if (gf->sum.reqs.v[i].own || gf->sum.reqs.v[i].inner ||
		    gf->sum.reqs.v[i].kind == KS_REQ_LEAVES ||
		    gf->sum.reqs.v[i].kind == KS_REQ_ISA)
			return (true);
	return (false);
}

/*
 * Can unknown callers call it where no region is held?  One that needs what
 * a function below has forgotten is an entry from outside if its address
 * escapes.
 */
static bool
entered_outside(const struct ks_gfunc *gf)
{
	if (!gf->applied || gf->out)
		return (true);
	if (gf->nests || (!gf->escapes && gf->passed == NULL))
		return (false);
	for (size_t i = 0; i < gf->sum.reqs.n; i++)
		if (gf->sum.reqs.v[i].inner)
			return (true);
	return (false);
}

/* BY[F]: a function that is not on a cycle of calls with F calls it. */
static bool *
called_by_others(struct ks_program *g)
{
	bool *by = KS_NEWN(g->arena, bool, g->funcs.n + 1);

	for (size_t i = 0; i < g->funcs.n; i++)
		for (uint32_t k = 0; k < g->nsucc[i]; k++)
			by[g->succ[i][k]] |= g->funcs.v[i].scc !=
			    g->funcs.v[g->succ[i][k]].scc;
	return (by);
}

/*
 * A unit's own function that nobody in it calls, on any path that can be
 * taken, or takes the address of: a source's is left out by compilers, an
 * object's is dead if calls of it are seen (CALLED), and nothing else that
 * names it.
 */
static bool
unused(const struct ks_program *g, const struct ks_gfunc *gf, bool called)
{
	const struct ks_unit *u = g->units[gf->unit];
	uint32_t flags = u->syms.v[gf->f->sym].flags;

	return ((u->front != KS_FRONT_OBJ ||
	    (called && !(flags & KS_SYM_NAMED))) &&
	    (flags & KS_SYM_LOCAL) && !(flags & KS_SYM_EXPORTED) &&
	    !gf->applied && !gf->unjudged && !gf->addr_taken &&
	    !gf->escapes && gf->passed == NULL);
}

/*
 * What depends on where functions are called from: callers first, and again
 * for those that only a function behind them turned out to call outside.
 */
static void
judge_entries(struct ks_program *g)
{
	const bool *called = called_by_others(g);
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t i = (uint32_t)g->funcs.n; i-- > 0;) {
			uint32_t fi = g->order[i];
			struct ks_gfunc *gf = &g->funcs.v[fi];

			if (gf->machinery || gf->judged_out ||
			    unused(g, gf, called[fi]) ||
			    !entered_outside(gf) || !matters_to_root(gf))
				continue;
			gf->judged_out = true;
			ks_analyse(g, fi, gf->applied ? KS_MODE_OUT :
			    KS_MODE_ROOT);
			again = true;
		}
	}
}

static void
note_need(struct ks_program *g, uint32_t fi, size_t which)
{
	struct ks_gfunc *gf = &g->funcs.v[fi];
	const struct ks_req *r = &gf->sum.reqs.v[which];
	const struct ks_node *n = &gf->f->nodes.v[r->node];
	const struct ks_unit *u = g->units[gf->unit];
	struct ks_place_text at = ks_place_of(g, fi, r->node);
	struct ks_finding *fd;
	char classes[64];

	if (r->via != KS_NONE)
		fd = ks_finding_add(g->findings, KS_D_NEEDS_REGION, &at,
		    "'%s' must be called inside a region: it calls '%s'",
		    ks_func_name(g, fi), ks_func_name(g, r->via));
	else if (n->ev == KS_EV_CALL)
		fd = ks_finding_add(g->findings, KS_D_NEEDS_REGION, &at,
		    "'%s' must be called inside a region: so must what it "
		    "calls here", ks_func_name(g, fi));
	else
		fd = ks_finding_add(g->findings, KS_D_NEEDS_REGION, &at,
		    "'%s' must be called inside a region: it uses %s",
		    ks_func_name(g, fi), n->text != 0 ? ks_str(u->str, n->text) :
		    ks_regclass_print(n->classes, classes, sizeof(classes)));
	ks_finding_event(g->findings, fd, "");
	g->verdict->needs++;
}

static void
note_escape(struct ks_program *g, uint32_t fi)
{
	struct ks_gfunc *gf = &g->funcs.v[fi];
	struct ks_place_text at = ks_place_of(g, fi, 0);
	const char *how = gf->escape != NULL ? gf->escape :
	    gf->passed != NULL ? gf->passed : "";
	struct ks_finding *fd;

	if (!gf->escapes && gf->passed == NULL && !(gf->addr_taken &&
	    !gf->indirect_target && !gf->applied))
		return;
	fd = ks_finding_add(g->findings, KS_D_SIMD_ESCAPES, &at,
	    "'%s' needs a region, and its address reaches unknown callers%s%s",
	    ks_func_name(g, fi), how[0] != '\0' ? ": " : "", how);
	ks_finding_event(g->findings, fd, "");
	if (g->opts->closed)
		fd->severity = KS_SEV_ERROR;
}

/* --- what only the object needs ------------------------------------------------ */

/*
 * What the sources say of a function: by their graphs, or by a contract made
 * from them.  Names are those before a compiler's suffix.
 */
enum { SOURCE_SEEN = 1, SOURCE_NEEDS = 2 };

static uint32_t
base_name(struct ks_strtab *t, const char *name, bool add)
{
	size_t n = strcspn(name, ".");

	if (n == 0)
		n = strlen(name);
	return (add ? ks_intern_n(t, name, n) :
	    ks_intern_find_n(t, name, n));
}

static uint8_t *
source_says(struct ks_program *g, struct ks_strtab *t)
{
	struct ks_contract *c = g->opts->contract;
	uint8_t *says;
	uint32_t id;
	size_t which;

	for (size_t i = 0; i < g->funcs.n; i++)
		if (g->units[g->funcs.v[i].unit]->front == KS_FRONT_SRC)
			base_name(t, ks_func_name(g, i), true);
	for (size_t i = 0; c != NULL && i < c->items.n; i++)
		if (c->items.v[i].kind == KS_CONTRACT_FREE)
			base_name(t, c->items.v[i].func, true);
	says = KS_NEWN(g->arena, uint8_t, ks_strtab_count(t) + 1);
	for (size_t i = 0; i < g->funcs.n; i++) {
		if (g->units[g->funcs.v[i].unit]->front != KS_FRONT_SRC)
			continue;
		id = base_name(t, ks_func_name(g, i), true);
		says[id] |= SOURCE_SEEN;
		if (needs(&g->funcs.v[i], &which))
			says[id] |= SOURCE_NEEDS;
	}
	for (size_t i = 0; c != NULL && i < c->items.n; i++) {
		struct ks_contract_item *it = &c->items.v[i];

		if (it->kind == KS_CONTRACT_FREE)
			says[base_name(t, it->func, true)] |= SOURCE_SEEN;
		/* With a dot, it is of that one alone. */
		else if (it->kind == KS_CONTRACT_NEEDS &&
		    strchr(it->func, '.') == NULL &&
		    (id = base_name(t, it->func, false)) != 0)
			says[id] |= SOURCE_NEEDS;
	}
	return (says);
}

/* Does a contract name this function itself, with what a compiler added? */
static bool
declared(const struct ks_program *g, size_t i)
{
	return (g->opts->contract != NULL &&
	    ks_contract_find(g->opts->contract, KS_CONTRACT_NEEDS,
	    ks_func_name(g, i), NULL) != NULL);
}

static void
compiler_made(struct ks_program *g)
{
	struct ks_strtab *t = ks_strtab_new();
	const uint8_t *says = source_says(g, t);

	for (size_t i = 0; ks_strtab_count(t) > 1 && i < g->funcs.n; i++) {
		const struct ks_gfunc *gf = &g->funcs.v[i];
		struct ks_contract_item *it = NULL;
		struct ks_place_text at;
		struct ks_finding *fd;
		size_t which;
		uint32_t id;

		if (g->units[gf->unit]->front != KS_FRONT_OBJ)
			continue;
		id = base_name(t, ks_func_name(g, i), false);
		if (g->opts->contract != NULL)
			it = ks_contract_find(g->opts->contract,
			    KS_CONTRACT_FREE, ks_str(t, id), NULL);
		if (it != NULL)
			it->used = true;
		if (says[id] != SOURCE_SEEN || gf->machinery ||
		    declared(g, i) || !needs(gf, &which))
			continue;
		at = ks_place_of(g, i, gf->sum.reqs.v[which].node);
		fd = ks_finding_add(g->findings, KS_D_SIMD_COMPILER_MADE, &at,
		    "'%s' needs a region in the object, but not by its "
		    "source: the compiler made the SIMD code",
		    ks_func_name(g, i));
		ks_finding_event(g->findings, fd, "");
	}
	ks_strtab_free(t);
}

static void
after_contracts(struct ks_program *g)
{
	struct ks_contract *c = g->opts->contract;
	struct ks_findings *f = g->findings;
	size_t n = 0;

	if (c == NULL)
		return;
	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *x = &f->v.v[i];
		const char *fn = x->at.function != NULL ? x->at.function :
		    x->at.section != NULL ? x->at.section : "";
		struct ks_contract_item *it = ks_contract_find(c,
		    KS_CONTRACT_ALLOW, fn, ks_diags[x->diag].id);

		if (it == NULL) {
			f->v.v[n++] = *x;
			continue;
		}
		it->used = true;
		*ks_vec_push(&g->verdict->assumptions) =
		    (struct ks_assumption){ .kind = "allowed", .at = x->at,
		    .text = ks_printf(f->arena, "%s is allowed: %s", it->id,
		    it->reason) };
	}
	f->v.n = n;
	for (size_t i = 0; g->opts->closed && i < c->items.n; i++) {
		const struct ks_contract_item *it = &c->items.v[i];
		struct ks_place_text at = { .file = it->file, .line = it->line,
		    .col = it->col };

		if (!it->used)
			ks_finding_add(f, KS_D_CONTRACT_UNUSED, &at,
			    "nothing matches this line for '%s'", it->func);
	}
}

/* Hands out what the functions' `at' have gathered. */
static struct ks_held *
held(struct ks_program *g)
{
	struct ks_arena *a = g->held;
	struct ks_held *h = KS_NEWN(a, struct ks_held, 1);
	size_t which;

	h->arena = a;
	h->unit = KS_NEWN(a, struct ks_held_func *, g->nunit);
	for (size_t i = 0; i < g->nunit; i++)
		h->unit[i] = KS_NEWN(a, struct ks_held_func,
		    g->units[i]->funcs.n + 1);
	for (size_t i = 0; i < g->funcs.n; i++) {
		const struct ks_gfunc *gf = &g->funcs.v[i];
		struct ks_held_func *f = &h->unit[gf->unit]
		    [gf->f - g->units[gf->unit]->funcs.v];

		f->at = gf->machinery ? NULL : gf->at;
		f->machinery = gf->machinery;
		f->needs = gf->held ||
		    (!gf->machinery && needs(gf, &which));
	}
	return (h);
}

void
ks_held_free(struct ks_held *h)
{
	if (h != NULL)
		ks_arena_free(h->arena);
}

int
ks_solve(struct ks_unit *const *units, size_t n, const struct ks_profile *p,
    const struct ks_solve_opts *o, struct ks_findings *f, struct ks_verdict *v,
    struct ks_error *err)
{
	struct ks_program g = { .units = units, .nunit = n, .profile = p,
	    .opts = o, .findings = f, .verdict = v };
	size_t which;
	int rc;

	g.arena = ks_arena_new();
	g.str = ks_strtab_new();
	if ((rc = ks_program_link(&g, err)) != KS_OK)
		goto out;
	if (o->held != NULL) {
		g.held = ks_arena_new();
		for (size_t i = 0; i < g.funcs.n; i++)
			g.funcs.v[i].at = KS_NEWN(g.held, uint8_t,
			    g.funcs.v[i].f->nodes.n);
	}
	for (uint32_t i = 0, j; i < g.funcs.n; i = j) {
		for (j = i + 1; j < g.funcs.n &&
		    g.funcs.v[g.order[j]].scc == g.funcs.v[g.order[i]].scc;)
			j++;
		solve_cycle(&g, i, j);
	}
	judge_entries(&g);
	for (uint32_t i = 0; i < g.funcs.n; i++) {
		uint32_t fi = g.order[i];

		v->simd_functions += g.funcs.v[fi].simd;
		if (!g.funcs.v[fi].machinery && !g.funcs.v[fi].applied)
			passed_by_unknown(&g, fi);
		if (g.funcs.v[fi].machinery) {
			ks_assume(&g, "machinery", fi, 0,
			    "'%s' manages SIMD state itself: not judged",
			    ks_func_name(&g, fi));
		} else if (needs(&g.funcs.v[fi], &which)) {
			note_need(&g, fi, which);
			note_escape(&g, fi);
		}
	}
	ks_remarks_judge(&g);
	ks_remarks_allow(&g);
	compiler_made(&g);
	after_contracts(&g);
	for (size_t i = 0; i < n; i++)
		v->functions += units[i]->nfuncs_seen > units[i]->funcs.n ?
		    units[i]->nfuncs_seen : units[i]->funcs.n;
	if (o->held != NULL)
		*o->held = held(&g);
out:
	for (size_t i = 0; i < g.funcs.n; i++) {
		ks_vec_free(&g.funcs.v[i].sum.reqs);
		ks_vec_free(&g.funcs.v[i].sum.cases);
		ks_vec_free(&g.funcs.v[i].reported);
	}
	ks_vec_free(&g.funcs);
	ks_vec_free(&g.syms);
	ks_vec_free(&g.sets.v);
	ks_strtab_free(g.str);
	ks_arena_free(g.arena);
	return (rc);
}
