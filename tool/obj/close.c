/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which functions are to be lowered: all that can change the verdict.
 *
 * 1. Functions with SIMD, with a role, or odd ones matter.
 * 2. A function that enters but does not leave, or leaves but does not
 *    enter, passes that on to its callers: for them, calling it is to enter
 *    or to leave.
 * 3. A function that uses SIMD and does not enter may need a region, and so
 *    may whoever calls it, up to functions that enter.  If the address of
 *    one is taken, whoever calls through pointers may call it.
 * 4. Below a function that enters or leaves, everything may run inside the
 *    region (and may sleep there): what it calls matters, down to names that
 *    the profile knows.
 *
 * 5. What this means for other objects is told to them by name (interest.h),
 *    and what they told stands beside the profile's roles.
 * 6. A function that one that does not matter calls is marked: its graphs
 *    alone do not tell that it is called.
 *
 * Limit: a function that enters or leaves depending on its argument, and
 * does both, is not seen as such a wrapper in step 2; its direct callers
 * matter nevertheless if they use SIMD themselves.
 */
#include <string.h>

#include "refs.h"

struct closing {
	struct ks_refs g;
	uint16_t *roles;	/* KS_SR_* by function: of what it calls */
	uint8_t	 *mark;		/* by node: UP, DOWN */
	KS_VEC(uint32_t) work;
	bool	 indirect;	/* indirect callers were added */
};

enum { UP = 1, DOWN = 2 };

static bool
enters(const struct closing *c, uint32_t f)
{
	return ((c->roles[f] & (KS_SR_ENTER | KS_SR_THREAD)) != 0);
}

/* Roles of a node as something that is called. */
static unsigned
node_role(const struct closing *c, uint32_t n)
{
	const struct ks_refs *g = &c->g;

	if (n < g->nfunc)
		return (g->frole[n]);
	if (n < ks_node_sect(g, 0) &&
	    g->sc->o->syms[n - g->nfunc].sect == KS_NOSECT)
		return (ks_scan_role(g->sc, n - g->nfunc));
	return (0);
}

/* Step 1, and the roles that functions have by what they name. */
static void
seeds(struct closing *c)
{
	struct ks_refs *g = &c->g;
	struct ks_obj *o = g->sc->o;

	for (size_t i = 0; i < g->e.n; i++)
		if (g->e.v[i].from < g->nfunc)
			c->roles[g->e.v[i].from] |=
			    node_role(c, g->e.v[i].to) & KS_SR_ROLE;
	for (uint32_t i = 0; i < g->nfunc; i++) {
		struct ks_ofunc *f = &o->funcs[i];

		if (c->roles[i] != 0)
			f->flags |= KS_OFUNC_ROLE;
		if ((f->flags & (KS_OFUNC_SIMD | KS_OFUNC_ROLE |
		    KS_OFUNC_ODD)) != 0)
			f->flags |= KS_OFUNC_MATTERS;
	}
}

static void
push(struct closing *c, uint32_t n, uint8_t mark)
{
	if ((c->mark[n] & mark) != 0)
		return;
	c->mark[n] |= mark;
	*ks_vec_push(&c->work) = n;
	if (n < c->g.nfunc)
		c->g.sc->o->funcs[n].flags |= KS_OFUNC_MATTERS;
}

/* Step 2. */
static bool
is_half(unsigned roles)
{
	return (((roles & KS_SR_ENTER) != 0) != ((roles & KS_SR_LEAVE) != 0));
}

/* Passes what N does on to its callers; those that it changes go to NEXT. */
static void
pass_on(struct closing *c, uint32_t n, uint32_t **next, size_t *nnext,
    size_t *cap)
{
	const struct ks_refs *g = &c->g;
	unsigned pass = c->roles[n] & (KS_SR_ENTER | KS_SR_LEAVE);

	for (uint32_t i = g->rfirst[n]; i < g->rfirst[n + 1]; i++) {
		uint32_t from = g->e.v[g->rev[i]].from;

		if (from >= g->nfunc || (c->roles[from] & pass) == pass)
			continue;
		c->roles[from] |= pass;
		g->sc->o->funcs[from].flags |= KS_OFUNC_MATTERS;
		if (*nnext == *cap)
			*next = ks_vec_grow(*next, cap, sizeof(**next));
		(*next)[(*nnext)++] = from;
	}
}

/*
 * In rounds, so that a caller of both halves is no half itself because one
 * of them came first.
 */
static void
halves(struct closing *c)
{
	uint32_t *next = NULL;
	size_t n = 0, cap = 0;

	for (uint32_t i = 0; i < c->g.nfunc; i++)
		if (is_half(c->roles[i]))
			*ks_vec_push(&c->work) = i;
	while (c->work.n != 0) {
		n = 0;
		while (c->work.n != 0)
			pass_on(c, c->work.v[--c->work.n], &next, &n, &cap);
		for (size_t i = 0; i < n; i++)
			if (is_half(c->roles[next[i]]))
				*ks_vec_push(&c->work) = next[i];
	}
	ks_vec_release(next);
}

/* Step 3. */
static void
indirect_callers(struct closing *c)
{
	if (c->indirect)
		return;
	c->indirect = true;
	for (uint32_t i = 0; i < c->g.nfunc; i++)
		if ((c->g.bits[i] & KS_RB_INDIRECT) != 0)
			push(c, i, UP);
}

static void
upwards(struct closing *c)
{
	const struct ks_refs *g = &c->g;
	const struct ks_obj *o = g->sc->o;

	for (uint32_t i = 0; i < g->nfunc; i++) {
		bool needs = (o->funcs[i].flags & (KS_OFUNC_SIMD |
		    KS_OFUNC_ODD)) != 0 || (c->roles[i] & KS_SR_NEEDS) != 0;

		if (needs && (g->frole[i] & KS_SR_MACHINERY) == 0)
			push(c, i, UP);
	}
	for (size_t i = 0; i < g->e.n; i++)
		if (g->e.v[i].kind != KS_REF_CALL && g->e.v[i].to >= g->nfunc &&
		    (node_role(c, g->e.v[i].to) & KS_SR_NEEDS) != 0)
			indirect_callers(c);
	while (c->work.n != 0) {
		uint32_t n = c->work.v[--c->work.n];

		if (n < g->nfunc) {
			if (enters(c, n) ||
			    (g->frole[n] & KS_SR_MACHINERY) != 0)
				continue;
			if ((g->bits[n] & KS_RB_TAKEN) != 0)
				indirect_callers(c);
		}
		for (uint32_t i = g->rfirst[n]; i < g->rfirst[n + 1]; i++)
			push(c, g->e.v[g->rev[i]].from, UP);
	}
}

/* Step 4. */
static void
downwards(struct closing *c)
{
	const struct ks_refs *g = &c->g;

	for (uint32_t i = 0; i < g->nfunc; i++)
		if ((c->roles[i] & (KS_SR_ENTER | KS_SR_LEAVE)) != 0) {
			g->sc->o->funcs[i].flags |= KS_OFUNC_BRACKET;
			push(c, i, DOWN);
		}
	for (size_t i = 0; i < g->sc->o->nsym; i++) {
		const struct ks_osym *y = &g->sc->o->syms[i];
		uint32_t f;

		if (ks_scan_called_below(g->sc->o, y) &&
		    (f = ks_obj_func_at(g->sc->o, y->sect, y->off)) != KS_NONE)
			push(c, f, DOWN);
	}
	while (c->work.n != 0) {
		uint32_t n = c->work.v[--c->work.n];

		for (uint32_t i = g->first[n]; i < g->first[n + 1]; i++)
			if ((node_role(c, g->e.v[i].to) & (KS_SR_STOP |
			    KS_SR_ROLE)) == 0)
				push(c, g->e.v[i].to, DOWN);
	}
}

/* Step 5. */
static void
tell(struct closing *c)
{
	const struct ks_refs *g = &c->g;
	const struct ks_obj *o = g->sc->o;
	/* Linux: the only globals of a module that others see are in it. */
	bool table = o->module &&
	    ks_obj_find_sect(o, ".modinfo", 1) != KS_NOSECT;

	for (uint32_t i = 0; o->tell != NULL && i < o->nsym; i++) {
		const struct ks_osym *y = &o->syms[i];
		unsigned bits = 0;
		uint32_t f;

		if (y->local || y->name[0] == '\0')
			continue;
		if (y->sect == KS_NOSECT) {
			if ((c->mark[ks_node_sym(g, i)] & DOWN) != 0)
				ks_interest_add(o->tell, y->name, KS_INT_BELOW);
			continue;
		}
		if (!o->sects[y->sect].exec ||
		    (f = ks_obj_func_at(o, y->sect, y->off)) == KS_NONE ||
		    (g->frole[f] & (KS_SR_MACHINERY | KS_SR_ROLE)) != 0 ||
		    (table && !(o->funcs[f].flags & KS_OFUNC_EXPORTED)))
			continue;
		if ((c->mark[f] & UP) != 0 && !enters(c, f))
			bits |= KS_INT_NEEDS;
		if (is_half(c->roles[f]))
			bits |= ((c->roles[f] & KS_SR_ENTER) != 0 ?
			    KS_INT_ENTER : KS_INT_LEAVE);
		if (bits != 0)
			ks_interest_add(o->tell, y->name, bits);
	}
}

/* A part and its parent are one function. */
static void
with_parts(struct ks_obj *o)
{
	for (size_t i = 0; i < o->nfunc; i++) {
		struct ks_ofunc *f = &o->funcs[i];

		if (f->parent != KS_NONE)
			o->funcs[f->parent].flags |= f->flags &
			    (KS_OFUNC_MATTERS | KS_OFUNC_BRACKET);
	}
}

/* Step 6. */
static void
unseen_calls(struct closing *c)
{
	struct ks_ofunc *funcs = c->g.sc->o->funcs;

	for (size_t i = 0; i < c->g.e.n; i++) {
		const struct ks_ref *e = &c->g.e.v[i];
		uint32_t from = e->from;

		if (e->kind != KS_REF_CALL || e->to >= c->g.nfunc)
			continue;
		if (funcs[from].parent != KS_NONE)
			from = funcs[from].parent;
		if ((funcs[from].flags & KS_OFUNC_MATTERS) == 0)
			funcs[e->to].flags |= KS_OFUNC_UNSEEN;
	}
}

/* See scan.h. */
int
ks_scan_close(struct ks_scan *sc)
{
	struct closing *c = KS_NEW(sc->o->arena, struct closing);
	int rc;

	rc = ks_refs_make(&c->g, sc);
	if (rc == 0) {
		c->roles = KS_NEWN(sc->o->arena, uint16_t, c->g.nfunc + 1);
		c->mark = KS_NEWN(sc->o->arena, uint8_t, c->g.nnode + 1);
		seeds(c);
		halves(c);
		upwards(c);
		downwards(c);
		with_parts(sc->o);
		unseen_calls(c);
		tell(c);
	}
	ks_vec_free(&c->work);
	ks_refs_free(&c->g);
	return (rc);
}
