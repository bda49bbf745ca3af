/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What lower_reach.c finds out of functions, kept by function.
 *
 * A function is analysed when it is first asked for, from a graph of its own.
 * If it needs others that are not there yet, these come first, and it is then
 * done again.  Where functions call each other in a circle, or too deep, the
 * worst is said of the one that is still in the works.
 *
 * Not looked at: weak functions, which another may stand in for, resolvers of
 * ifuncs, and code in the middle of a function.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define MAX_DEPTH	16

/* In the works: whoever asks must take everything for kept. */
static const struct ks_low_reach in_progress = {
	.nstack = UINT32_MAX,
	.r11 = true,
	.e = { [0 ... KS_REACH_ARGS - 1] = { KS_REACH_KEPT | KS_REACH_GIVEN,
	    0, INT32_MAX, 0, INT32_MAX } },
};

static void
make(struct ks_lower *l, uint32_t func)
{
	struct ks_low_reaches *t = &l->reaches;
	struct ks_low_reach *r;
	KS_VEC(uint32_t) need = { 0 };

	t->of[func] = &in_progress;
	if (t->depth >= MAX_DEPTH)
		return;
	t->depth++;
	t->missing.n = 0;
	r = ks_low_find_reach(l, ks_cfg_build(t->cfg, func));
	if (t->missing.n != 0) {
		free(r);
		for (size_t i = 0; i < t->missing.n; i++)
			*ks_vec_push(&need) = t->missing.v[i];
		for (size_t i = 0; i < need.n; i++)
			if (t->of[need.v[i]] == NULL)
				make(l, need.v[i]);
		r = ks_low_find_reach(l, ks_cfg_build(t->cfg, func));
		ks_vec_free(&need);
	}
	t->of[func] = r;
	t->depth--;
}

/* See lower.h. */
const struct ks_low_reach *
ks_low_reach(struct ks_lower *l, const struct ks_cfg_insn *i, bool callee)
{
	struct ks_low_reaches *t = &l->reaches;
	const char *name;
	uint32_t f;

	if (i->how != KS_HOW_DIRECT || i->imm.sect == KS_NOSECT ||
	    !l->o->mode64 || (i->imm.sym != KS_NONE && !l->o->linked &&
	    l->o->syms[i->imm.sym].weak))
		return (NULL);
	f = ks_cfg_callee(l->cfg, &i->imm, &name);
	if (f == KS_NONE || (l->o->funcs[f].sym != KS_NONE &&
	    l->o->syms[l->o->funcs[f].sym].type == KS_OSYM_IFUNC))
		return (NULL);
	if (t->of == NULL) {
		t->of = ks_xmalloc((l->o->nfunc + 1) * sizeof(t->of[0]));
		memset(t->of, 0, (l->o->nfunc + 1) * sizeof(t->of[0]));
		t->cfg = ks_cfg_new(l->o, l->p);
	}
	if (t->of[f] == NULL && callee) {
		*ks_vec_push(&t->missing) = f;
		return (&in_progress);
	}
	if (t->of[f] == NULL)
		make(l, f);
	return (t->of[f]);
}

/* See lower.h. */
void
ks_low_free_reaches(struct ks_lower *l)
{
	struct ks_low_reaches *t = &l->reaches;

	for (size_t i = 0; t->of != NULL && i < l->o->nfunc; i++)
		if (t->of[i] != &in_progress)
			free((void *)t->of[i]);
	free(t->of);
	ks_vec_free(&t->missing);
	ks_cfg_free(t->cfg);
}
