/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From what an analysis met to findings with witnesses.
 *
 * Candidates come in the order of a breadth-first walk, so the first of a
 * kind at a node has a shortest path.  A witness is the decisions on that
 * path, the places where a region was entered and left, and for a call the
 * chain of callees down to the event.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse.h"

#define MAXSTEP	6		/* decisions shown, the last ones */

void
ks_cand_add(struct ks_an *an, enum ks_diag diag, const struct ks_state *s,
    uint32_t node, uint32_t via, uint32_t viareq, uint32_t sym)
{
	struct ks_cand c = { .diag = diag, .node = node, .leader = an->cur,
	    .state = an->curstate, .via = via, .viareq = viareq, .sym = sym,
	    .either = an->either == node + 1 };

	if (!an->judging)
		return;
	c.where = s->prop.depth > 0 ? s->where[s->prop.depth - 1] : KS_NONE;
	c.left = s->left;
	*ks_vec_push(&an->cands) = c;
}

static bool
reported(struct ks_gfunc *gf, uint32_t node, enum ks_diag diag)
{
	uint64_t key = (uint64_t)node << 8 | diag;

	for (size_t i = 0; i < gf->reported.n; i++)
		if (gf->reported.v[i] == key)
			return (true);
	*ks_vec_push(&gf->reported) = key;
	return (false);
}

/* --- text ------------------------------------------------------------------------ */

static const char *
condition(const struct ks_an *an, const struct ks_edge *e)
{
	struct ks_arena *a = an->arena;
	const char *name = ks_str(an->u->str,
	    an->f->places.v[e->cond].name);
	struct ks_iv no;
	uint64_t k;

	if (ks_iv_single(e->iv, &k))
		return (ks_printf(a, "'%s' is %lld", name, (long long)k));
	no = ks_iv_not(e->iv);
	if (ks_iv_single(no, &k))
		return (ks_printf(a, "'%s' is not %lld", name, (long long)k));
	return (ks_printf(a, "'%s' is from 0x%llx to 0x%llx", name,
	    (unsigned long long)e->iv.lo, (unsigned long long)e->iv.hi));
}

static void
path_notes(struct ks_an *an, struct ks_finding *fd, const struct ks_cand *c)
{
	struct { uint32_t node, edge; } step[MAXSTEP];
	uint32_t n = 0, l = c->leader, st = c->state;

	while (n < MAXSTEP) {
		const struct ks_kept *k = &an->leaders.v[l].states.v[st];

		if (k->pred == KS_NONE)
			break;
		if (an->f->nodes.v[k->from].nsucc > 1) {
			step[n].node = k->from;
			step[n++].edge = k->edge;
		}
		l = k->pred;
		st = k->predstate;
	}
	while (n-- > 0) {
		const struct ks_node *x = &an->f->nodes.v[step[n].node];
		const struct ks_edge *e = &an->f->edges.v[x->succ +
		    step[n].edge];
		struct ks_place_text at = ks_place_of(an->g, an->fi,
		    step[n].node);

		if (e->iv.bits != 0)
			ks_finding_note(an->g->findings, fd, &at,
			    "on the path where %s", condition(an, e));
	}
}

/* Down the callees to what needs the region, sleeps or enters. */
static void
callee_notes(struct ks_an *an, struct ks_finding *fd, uint32_t via,
    uint32_t req)
{
	for (int depth = 0; via != KS_NONE && depth < 6; depth++) {
		const struct ks_gfunc *gf = &an->g->funcs.v[via];
		struct ks_place_text at;
		const struct ks_req *r;
		const struct ks_node *n;
		const char *text;

		if (req >= gf->sum.reqs.n)
			break;
		r = &gf->sum.reqs.v[req];
		n = &gf->f->nodes.v[r->node];
		at = ks_place_of(an->g, via, r->node);
		text = ks_str(an->g->units[gf->unit]->str, n->text);
		if (*text != '\0')
			ks_finding_note(an->g->findings, fd, &at,
			    "in '%s': '%s'", ks_func_name(an->g, via), text);
		else
			ks_finding_note(an->g->findings, fd, &at, "in '%s'%s",
			    ks_func_name(an->g, via),
			    r->via == KS_NONE ? "" : ", by this call");
		via = r->via;
		req = r->viareq;
	}
}

static const char *
event_text(struct ks_an *an, const struct ks_cand *c)
{
	const struct ks_node *n = &an->f->nodes.v[c->node];
	char buf[64];

	if (c->sym != KS_NONE)
		return (ks_printf(an->arena, "%s",
		    ks_str(an->g->str, an->g->syms.v[c->sym].name)));
	if (n->text != 0)
		return (ks_str(an->u->str, n->text));
	if (n->ev == KS_EV_SIMD || n->ev == KS_EV_RESTORE)
		return (ks_printf(an->arena, "%s",
		    ks_regclass_print(n->classes, buf, sizeof(buf))));
	return ("");
}

static const char *const whys[] = {
	[KS_WHY_NULL] = "enters without a context, and the flags want one",
	[KS_WHY_NOT_NULL] = "enters with a context, and the flags want none",
	[KS_WHY_AGAIN] = "enters with the context of a region that is held",
	[KS_WHY_LEFT_NULL] =
	    "leaves without a context a region that was entered with one",
	[KS_WHY_OTHER] = "leaves with another context than was entered with",
	[KS_WHY_FREED] = "frees the context of a region that is held",
};

static const char *
place_name(const struct ks_an *an, uint32_t place)
{
	return (ks_str(an->u->str, an->f->places.v[place].name));
}

static struct ks_finding *
message(struct ks_an *an, const struct ks_cand *c)
{
	struct ks_findings *f = an->g->findings;
	struct ks_place_text at = ks_place_of(an->g, an->fi, c->node);
	const struct ks_node *n = &an->f->nodes.v[c->node];
	const char *what = event_text(an, c);
	char isa[128];

	switch (c->diag) {
	case KS_D_SIMD_OUTSIDE_REGION:
		if (c->sym != KS_NONE)
			return (ks_finding_add(f, c->diag, &at,
			    "'%s' needs a region and is called outside one",
			    what));
		return (ks_finding_add(f, c->diag, &at, *what != '\0' ?
		    "SIMD state is used outside a region: '%s'" :
		    "SIMD state is used outside a region%s", what));
	case KS_D_REGION_NESTED:
		if (c->via != KS_NONE)
			return (ks_finding_add(f, c->diag, &at,
			    "'%s' enters a region and is called inside one "
			    "that must not nest", what));
		return (ks_finding_add(f, c->diag, &at,
		    "a region is entered inside one that must not nest"));
	case KS_D_REGION_SLEEPS:
		return (ks_finding_add(f, c->diag, &at, c->via != KS_NONE ?
		    "'%s' may sleep and is called inside an atomic region" :
		    "'%s' is called inside an atomic region, which forbids it",
		    what));
	case KS_D_REGION_NOT_LEFT:
		return (ks_finding_add(f, c->diag, &at,
		    "returns with the region held"));
	case KS_D_LEAVE_OUTSIDE_REGION:
		return (ks_finding_add(f, c->diag, &at,
		    "a region is left where none is held"));
	case KS_D_REGION_DIFFERS_ON_JOIN:
		if (c->why == KS_WHY_DEEP || c->why == KS_WHY_STATES)
			return (ks_finding_add(f, c->diag, &at,
			    c->why == KS_WHY_DEEP ?
			    "more regions in regions than can be told apart" :
			    "more states of the region than can be told "
			    "apart"));
		return (ks_finding_add(f, c->diag, &at,
		    n->ev == KS_EV_RETURN ?
		    "returns with the region held on some paths only, and "
		    "nothing tells the caller which" :
		    "a region is left here that is held on some paths only"));
	case KS_D_ISA_UNGUARDED:
		return (ks_finding_add(f, c->diag, &at,
		    "uses %s without a check that the CPU has it",
		    ks_isa_print(ks_isa_minimal(c->isa), isa, sizeof(isa))));
	case KS_D_REGION_CONTEXT_MISMATCH:
		return (ks_finding_add(f, c->diag, &at, "%s",
		    whys[c->why]));
	case KS_D_CONTEXT_UNCHECKED:
		return (ks_finding_add(f, c->diag, &at,
		    "the allocation of this context may have failed, and "
		    "nothing tested it"));
	case KS_D_SIMD_CROSSES_REGION:
		return (ks_finding_add(f, c->diag, &at,
		    "'%s' was made in a region that has been left since",
		    place_name(an, c->place)));
	case KS_D_REGION_UNBOUNDED:
		return (ks_finding_add(f, c->diag, &at,
		    "the caller's '%s' says how long this loop keeps the "
		    "region, in which nothing else may run",
		    place_name(an, c->place)));
	case KS_D_SIMD_ABI:
		if (n->ev == KS_EV_CALL)
			return (ks_finding_add(f, c->diag, &at,
			    "a float or vector is passed to or returned by "
			    "'%s', and this file has no registers for it",
			    what));
		return (ks_finding_add(f, c->diag, &at,
		    "'%s' takes or returns a float or vector, and this file "
		    "has no registers for it", ks_func_name(an->g, an->fi)));
	case KS_D_CONTRACT_VIOLATED:
		return (ks_finding_add(f, c->diag, &at,
		    "'%s' is declared to be called inside a region only",
		    what));
	default:
		return (ks_finding_add(f, c->diag, &at, "%s",
		    ks_diags[c->diag].summary));
	}
}

/* For simd-may-move: down to the SIMD work of functions that may be inlined. */
static void
inlined(struct ks_an *an, struct ks_finding *fd, const struct ks_cand *c)
{
	uint32_t sym = c->sym;

	for (int depth = 0; sym != KS_NONE && depth < 6; depth++) {
		uint32_t fi = an->g->syms.v[sym].func;
		const struct ks_gfunc *gf = &an->g->funcs.v[fi];
		const struct ks_node *n = &gf->f->nodes.v[gf->loose - 1];
		struct ks_place_text at = ks_place_of(an->g, fi,
		    gf->loose - 1);

		ks_finding_note(an->g->findings, fd, &at,
		    "in '%s', which may be inlined", ks_func_name(an->g, fi));
		sym = n->ev == KS_EV_CALL ? an->g->symmap[gf->unit]
		    [gf->f->calls.v[n->call].sym] : KS_NONE;
	}
}

static void
cures(struct ks_an *an, struct ks_finding *fd, uint32_t node)
{
	struct ks_place_text at = ks_place_of(an->g, an->fi, node);
	struct ks_findings *f = an->g->findings;

	ks_finding_note(f, fd, &at, "cure: the SIMD code in a function of a "
	    "file of its own, called between enter and leave");
	ks_finding_note(f, fd, &at, "cure: compile with 'ksimd cc', which "
	    "confines it");
	ks_finding_note(f, fd, &at, "cure: asm volatile(\"\" : \"+r\"(x)) on "
	    "the inputs behind enter and on the results before leave");
}

/* Left with another context than entered with: the other is the right one. */
static void
context_fix(struct ks_an *an, struct ks_finding *fd, const struct ks_cand *c)
{
	const struct ks_func *f = an->f;
	const struct ks_src *is, *must;
	struct ks_place_text at;
	uint32_t in, out;

	if (c->diag != KS_D_REGION_CONTEXT_MISMATCH || c->where == KS_NONE ||
	    (c->why != KS_WHY_OTHER && c->why != KS_WHY_LEFT_NULL) ||
	    f->nodes.v[c->where].ev != KS_EV_CALL ||
	    f->nodes.v[c->node].ev != KS_EV_CALL)
		return;
	in = f->calls.v[f->nodes.v[c->where].call].src;
	out = f->calls.v[f->nodes.v[c->node].call].src;
	if (in == 0 || out == 0)
		return;
	must = &an->u->srcs.v[in - 1];
	is = &an->u->srcs.v[out - 1];
	if (must->text == is->text)
		return;
	at = ks_place_of(an->g, an->fi, c->node);
	at.file = ks_str(an->u->str, is->loc.file);
	at.line = is->loc.line;
	at.col = is->loc.col;
	at.in = NULL;
	ks_finding_fix(an->g->findings, fd, &at, is->end,
	    ks_str(an->u->str, must->text));
}

static void
report(struct ks_an *an, const struct ks_cand *c)
{
	struct ks_findings *f = an->g->findings;
	struct ks_finding *fd;
	struct ks_place_text at;

	if (an->g->opts->no_advice && ks_diags[c->diag].advice)
		return;
	if (reported(an->gf, c->node, c->diag))
		return;
	fd = message(an, c);
	ks_finding_event(f, fd, event_text(an, c));
	if (!c->either)
		path_notes(an, fd, c);
	if (c->where != KS_NONE && c->where != c->node) {
		at = ks_place_of(an->g, an->fi, c->where);
		ks_finding_note(f, fd, &at, "region entered here");
	}
	if (c->left != KS_NONE && c->left != c->node && c->where == KS_NONE) {
		at = ks_place_of(an->g, an->fi, c->left);
		ks_finding_note(f, fd, &at, "region left here");
	}
	callee_notes(an, fd, c->via, c->viareq);
	context_fix(an, fd, c);
	if (c->diag == KS_D_SIMD_MAY_MOVE) {
		inlined(an, fd, c);
		cures(an, fd, c->node);
	}
}

/* --- returns that a caller cannot tell apart ------------------------------------- */

static bool
told_apart(const struct ks_case *a, const struct ks_case *b)
{
	if ((a->prop.yes & b->prop.no) || (a->prop.no & b->prop.yes) ||
	    ks_iv_disjoint(a->ret, b->ret))
		return (true);
	/* A mode that was found is as good as one that was entered. */
	if ((a->prop.base == KS_BASE_THREAD && b->prop.popped == 0) ||
	    (b->prop.base == KS_BASE_THREAD && a->prop.popped == 0))
		return (true);
	for (uint32_t i = 0; i < KS_PF; i++)
		if (ks_iv_disjoint(a->pf[i], b->pf[i]))
			return (true);
	/* What is passed may never be the other's constant: callers know. */
	return ((a->ret_param != 0 && b->ret.bits != 0) ||
	    (b->ret_param != 0 && a->ret.bits != 0));
}

static bool
has_leave(const struct ks_an *an)
{
	for (size_t i = 0; i < an->f->nodes.n; i++)
		if (an->seen[i] & (KS_SEEN_HELD | KS_SEEN_NOT))
			return (true);
	return (false);
}

/*
 * A called function with returns that differ in what they hold, and nothing
 * to tell them apart by, is reported itself; its callers then see the return
 * that was meant, where it can be: a function that also leaves meant to hold
 * nothing.
 */
static void
mixed(struct ks_an *an)
{
	struct ks_summary *sum = &an->gf->sum;
	bool bad = false, leaves = has_leave(an);
	size_t n = 0;

	for (size_t i = 0; i < sum->cases.n && !bad; i++)
		for (size_t j = 0; j < i; j++) {
			const struct ks_case *a = &sum->cases.v[i];
			const struct ks_case *b = &sum->cases.v[j];

			if ((a->prop.depth != b->prop.depth ||
			    a->prop.popped != b->prop.popped) &&
			    !told_apart(a, b)) {
				bad = true;
				break;
			}
		}
	if (!bad)
		return;
	for (size_t i = 0; i < an->cands.n; i++) {
		struct ks_cand c = an->cands.v[i];

		if (c.diag != KS_D_MAX)
			continue;
		c.diag = leaves ? KS_D_REGION_NOT_LEFT :
		    KS_D_REGION_DIFFERS_ON_JOIN;
		report(an, &c);
		n++;
	}
	if (n == 0) {
		/* Left on some paths only: at the return of one of them. */
		for (size_t i = 0; i < sum->cases.n; i++)
			if (sum->cases.v[i].prop.popped > 0) {
				struct ks_cand c = {
				    .diag = KS_D_REGION_DIFFERS_ON_JOIN,
				    .node = sum->cases.v[i].node,
				    .leader = an->leader_of[0], .state = 0,
				    .where = KS_NONE,
				    .left = sum->cases.v[i].left,
				    .via = KS_NONE, .sym = KS_NONE };

				report(an, &c);
				n++;
				break;
			}
	}
	/* What is not reported is not hidden. */
	for (size_t i = 0; i < sum->cases.n && n > 0; i++) {
		const struct ks_prop *p = &sum->cases.v[i].prop;
		bool effect = p->depth > 0 || p->popped > 0;

		sum->cases.v[i].hidden = p->popped == 0 && effect == leaves;
	}
}

void
ks_judge(struct ks_an *an)
{
	/* Regions too deep to tell apart are no news where none may nest. */
	for (size_t i = 0; i < an->cands.n; i++)
		if (an->cands.v[i].diag == KS_D_REGION_NESTED)
			an->deep = 0;
	if (an->overflow || an->deep != 0) {
		struct ks_cand c = { .diag = KS_D_REGION_DIFFERS_ON_JOIN,
		    .node = an->overflow ? 0 : an->deep - 1,
		    .leader = an->leader_of[0], .where = KS_NONE,
		    .left = KS_NONE, .via = KS_NONE, .sym = KS_NONE,
		    .why = an->overflow ? KS_WHY_STATES : KS_WHY_DEEP };

		report(an, &c);
	}
	if ((an->f->flags & KS_FUNC_ABI) && an->mode == KS_MODE_JUDGE) {
		struct ks_cand c = { .diag = KS_D_SIMD_ABI,
		    .leader = an->leader_of[0], .where = KS_NONE,
		    .left = KS_NONE, .via = KS_NONE, .sym = KS_NONE };

		report(an, &c);
	}
	for (size_t i = 0; i < an->cands.n; i++) {
		struct ks_cand *c = &an->cands.v[i];

		if (c->diag == KS_D_MAX)
			continue;
		if (c->diag == KS_D_LEAVE_OUTSIDE_REGION &&
		    (an->seen[c->node] & KS_SEEN_HELD))
			c->diag = KS_D_REGION_DIFFERS_ON_JOIN;
		report(an, c);
	}
	if (an->mode == KS_MODE_JUDGE && an->gf->called)
		mixed(an);
}
