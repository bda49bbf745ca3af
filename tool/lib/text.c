/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places and names for people; assumptions.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static const char *
text(const struct ks_unit *u, uint32_t id)
{
	return (id == 0 ? NULL : ks_str(u->str, id));
}

const char *
ks_func_name(const struct ks_program *g, uint32_t func)
{
	return (ks_str(g->str, g->syms.v[g->funcs.v[func].sym].name));
}

/*
 * The place is in a part of the function that lies elsewhere: "f.cold@.text",
 * where the offset counts from the part, or from the section if there is no
 * name (and the function is still the one that it runs in).
 */
static void
in_part(const struct ks_program *g, struct ks_place_text *t)
{
	const char *at = strrchr(t->file, '@');

	if (at == NULL)
		return;
	t->section = at + 1;
	if (at != t->file)
		t->function = ks_strndup(g->arena, t->file, at - t->file);
	t->file = NULL;
}

/* The macro with index OFF - 1, and those in its body. */
static const struct ks_in_macro *
expansion(const struct ks_program *g, const struct ks_unit *u, uint32_t off)
{
	struct ks_in_macro *e;
	const struct ks_macro *m;

	if (off == 0 || off > u->macros.n)
		return (NULL);
	m = &u->macros.v[off - 1];
	e = KS_NEW(g->arena, struct ks_in_macro);
	e->macro = text(u, m->name);
	e->file = text(u, m->loc.file);
	e->line = m->loc.line;
	e->col = m->loc.col;
	/* A smaller index, so this ends. */
	e->next = expansion(g, u, m->loc.off);
	return (e);
}

struct ks_place_text
ks_place_of(const struct ks_program *g, uint32_t func, uint32_t node)
{
	const struct ks_gfunc *gf = &g->funcs.v[func];
	const struct ks_unit *u = g->units[gf->unit];
	const struct ks_loc *loc = node == KS_NONE ? &gf->f->loc :
	    &gf->f->nodes.v[node].loc;
	struct ks_place_text t = { .function = ks_func_name(g, func) };

	t.file = text(u, loc->file);
	t.line = loc->line;
	t.col = loc->col;
	if (u->front == KS_FRONT_OBJ) {
		t.object = text(u, u->name);
		t.section = text(u, gf->f->section);
		t.off = loc->off;
		t.has_off = true;
		if (t.file != NULL)
			in_part(g, &t);
	} else if (u->macros.n != 0) {
		t.in = expansion(g, u, loc->off);
	}
	return (t);
}

void
ks_assume_unknown(struct ks_program *g, uint32_t func, uint32_t node)
{
	g->verdict->unknown_calls++;
	ks_assume(g, "unknown-call", func, node, "nobody knows what this "
	    "calls: it is taken to need no region and to leave it as it is");
}

void
ks_assume(struct ks_program *g, const char *kind, uint32_t func,
    uint32_t node, const char *fmt, ...)
{
	struct ks_assumption *a;
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	a = ks_vec_push(&g->verdict->assumptions);
	a->kind = kind;
	a->at = ks_place_of(g, func, node);
	a->text = ks_strdup(g->findings->arena, buf);
	/* Outlives the units' strings. */
	if (a->at.file != NULL)
		a->at.file = ks_strdup(g->findings->arena, a->at.file);
	if (a->at.object != NULL)
		a->at.object = ks_strdup(g->findings->arena, a->at.object);
	if (a->at.section != NULL)
		a->at.section = ks_strdup(g->findings->arena, a->at.section);
	a->at.function = ks_strdup(g->findings->arena, a->at.function);
}
