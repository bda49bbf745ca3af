/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From an object to a unit of event graphs.  See obj.h, and lower.h for the
 * parts.
 *
 *  1. Functions that matter, and those that hand out addresses of such, are
 *     lowered one by one: control-flow graph, slots, nodes and edges,
 *     clean-up.  Parts (f.cold) are lowered with the functions that reach
 *     them.
 *  2. Code that is called in the middle of a function becomes a function of
 *     its own.
 *  3. Stores and escapes of the whole object come last.
 *
 * Bytes that are reached and cannot be decoded are findings
 * (obj-undecodable); the path ends there.
 *
 * Limit: weak symbols and aliases that are not the best name of their place
 * are functions that jump to it.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

static void
report(struct ks_lower *l, const struct ks_cfg *g, const char *name)
{
	for (size_t i = 0; i < g->bad.n; i++) {
		const struct ks_cfg_bad *b = &g->bad.v[i];
		uint32_t f = ks_obj_func_at(l->o, b->sect, b->off);
		struct ks_place_text at = { .object = l->o->path,
		    .section = l->o->sects[b->sect].name, .off = b->off,
		    .has_off = true };
		struct ks_finding *one;

		if (f != KS_NONE) {
			at.function = l->o->funcs[f].name;
			at.off -= l->o->funcs[f].off;
		}
		one = ks_finding_add(l->f, KS_D_OBJ_UNDECODABLE, &at,
		    "cannot follow '%s': %s", name, b->why);
		ks_finding_event(l->f, one, b->why);
	}
}

static void
lower_graph(struct ks_lower *l, const struct ks_cfg *g, uint32_t sym)
{
	struct ks_low_fn fn;

	memset(&fn, 0, sizeof(fn));
	fn.l = l;
	fn.g = g;
	fn.sym = sym;
	fn.mode64 = l->o->mode64;
	fn.word = fn.mode64 ? 8 : 4;
	fn.spare = fn.cmp[0] = fn.cmp[1] = fn.simd = fn.args = KS_NONE;
	memset(fn.reg, 0xff, sizeof(fn.reg));
	memset(fn.low, 0xff, sizeof(fn.low));
	memset(fn.tmp, 0xff, sizeof(fn.tmp));
	fn.exported = (l->u->syms.v[sym].flags & KS_SYM_EXPORTED) != 0;
	if (g->func != KS_NONE && l->o->funcs[g->func].sym != KS_NONE &&
	    l->o->syms[l->o->funcs[g->func].sym].type == KS_OSYM_IFUNC)
		fn.ifunc = l->o->funcs[g->func].name;
	report(l, g, ks_str(l->u->str, l->u->syms.v[sym].name));
	/* No function is added to the unit while this one is made. */
	fn.f = ks_unit_func(l->u, sym);
	fn.f->section = ks_intern(l->u->str, l->o->sects[g->sect].name);
	fn.f->addr = g->off;
	ks_low_blocks(&fn);
	ks_low_write(&fn);
	ks_vec_free(&fn.slots);
	ks_vec_free(&fn.kills);
	ks_vec_free(&fn.leaks.reads);
	ks_vec_free(&fn.nodes);
	ks_vec_free(&fn.edges);
	ks_vec_free(&fn.first);
}

/* Global names of a function beside its best one: they jump to it. */
static void
aliases(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;

	for (uint32_t i = 0; i < o->nsym && !o->linked; i++) {
		const struct ks_osym *s = &o->syms[i];
		struct ks_call c = { .result = KS_NONE, .tail = true };
		struct ks_val v = { .kind = KS_VAL_PLACE, .ref = 0 };
		uint32_t f, sym, n, rax;
		struct ks_func *fn;

		if (s->sect == KS_NOSECT || s->local || s->name[0] == '\0' ||
		    !o->sects[s->sect].exec || s->type == KS_OSYM_SECTION)
			continue;
		f = ks_obj_func_at(o, s->sect, s->off);
		if (f == KS_NONE || o->funcs[f].off != s->off ||
		    !l->wanted[f] || l->fsym[f] == KS_NONE ||
		    strcmp(o->funcs[f].name, s->name) == 0)
			continue;
		c.sym = l->fsym[f];
		sym = ks_unit_sym(l->u, s->name, (s->weak ? KS_SYM_WEAK : 0) |
		    (l->u->syms.v[c.sym].flags & KS_SYM_EXPORTED));
		fn = ks_unit_func(l->u, sym);
		fn->section = ks_intern(l->u->str, o->sects[s->sect].name);
		fn->addr = s->off;
		rax = ks_func_place(l->u, fn, o->mode64 ? "%rax" : "%eax",
		    KS_PLACE_VOLATILE);
		c.result = v.ref = rax;
		n = ks_func_node(fn, KS_EV_CALL);
		fn->nodes.v[n].call = 0;
		*ks_vec_push(&fn->calls) = c;
		(void)ks_func_node(fn, KS_EV_RETURN);
		fn->nodes.v[1].val = v;
		ks_func_edge(fn, 0, 1);
	}
}

static void
lower_all(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	const struct ks_cfg *g;

	for (uint32_t i = 0; i < o->nfunc; i++) {
		if (!l->wanted[i] ||
		    ((o->funcs[i].flags & KS_OFUNC_PARTIAL) != 0 &&
		    o->funcs[i].parent != KS_NONE))
			continue;
		g = ks_cfg_build(l->cfg, i);
		ks_stack_graph(o, l->p, l->f, l->cfg, g);
		lower_graph(l, g, ks_low_func_sym(l, i));
	}
	for (size_t i = 0; i < l->extra.n; i++) {
		struct ks_low_extra x = l->extra.v[i];

		lower_graph(l, ks_cfg_build_at(l->cfg, x.sect, x.off),
		    x.sym);
	}
	aliases(l);
}

/* The object's types, if they can be used. */
static struct ks_btf *
open_btf(struct ks_obj *o)
{
	uint32_t k = ks_obj_find_sect(o, ".BTF", 0);
	const struct ks_sect *s = &o->sects[k];
	struct ks_btf *b = NULL;
	bool split;

	if (k == KS_NOSECT || s->data == NULL || s->size == 0 || !o->mode64)
		return (NULL);
	split = ks_btf_is_split(s->data, s->size);
	if (split && o->btf_base == NULL)
		o->btf_use = KS_BTF_NO_BASE;
	else if (ks_btf_open(o->path, s->data, s->size, split ? o->btf_base :
	    NULL, &b, NULL) != KS_OK)
		o->btf_use = KS_BTF_BAD;
	else
		o->btf_use = KS_BTF_USED;
	return (b);
}

/* Which functions share their name with others. */
static void
same_names(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	struct ks_strtab *t = ks_strtab_new();
	KS_VEC(uint32_t) first = { 0 };

	l->same_name = ks_xmalloc((o->nfunc + 1) * sizeof(*l->same_name));
	*ks_vec_push(&first) = 0;
	for (uint32_t i = 0; i < o->nfunc; i++) {
		uint32_t id = ks_intern(t, o->funcs[i].name);

		l->same_name[i] = id < first.n;
		if (id < first.n)
			l->same_name[first.v[id]] = true;
		else
			*ks_vec_push(&first) = i;
	}
	ks_vec_free(&first);
	ks_strtab_free(t);
}

static void
lower_object(struct ks_obj *o, const struct ks_profile *p,
    struct ks_findings *f, struct ks_unit *u)
{
	struct ks_btf *btf;
	struct ks_lower l;

	memset(&l, 0, sizeof(l));
	l.o = o;
	l.p = p;
	l.f = f;
	l.u = u;
	l.cfg = ks_cfg_new(o, p);
	l.wanted = ks_xmalloc((o->nfunc + 1) * sizeof(*l.wanted));
	l.fsym = ks_xmalloc((o->nfunc + 1) * sizeof(*l.fsym));
	l.osym = ks_xmalloc((o->nsym + 1) * sizeof(*l.osym));
	memset(l.fsym, 0xff, (o->nfunc + 1) * sizeof(*l.fsym));
	memset(l.osym, 0xff, (o->nsym + 1) * sizeof(*l.osym));
	l.btf = btf = open_btf(o);
	if (btf != NULL)
		same_names(&l);
	ks_low_wanted(&l);
	lower_all(&l);
	ks_low_flag_data(&l);
	ks_low_stores(&l);
	ks_low_free_data(&l);
	ks_cfg_free(l.cfg);
	ks_low_free_reaches(&l);
	ks_vec_free(&l.extra);
	ks_vec_free(&l.origins.v);
	ks_vec_free(&l.types.v);
	ks_btf_free(btf);
	free(l.same_name);
	free(l.wanted);
	free(l.fsym);
	free(l.osym);
}

/* See obj.h. */
int
ks_obj_lower(struct ks_obj *o, const struct ks_profile *p,
    struct ks_findings *f, struct ks_unit **out, struct ks_error *err)
{
	struct ks_unit *u = ks_unit_new(o->path, KS_FRONT_OBJ);

	u->arch = ks_intern(u->str, o->arch);
	u->nfuncs_seen = o->nfunc;
	u->closed = o->module || o->linked;
	*out = u;
	if (ks_priv(o)->quiet)
		return (0);
	lower_object(o, p, f, u);
	return (ks_unit_check(u, err));
}
