/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What source units say beside their functions.
 *
 * 1. An opaque type by value (context-embedded), but not in the kernel's own
 *    functions that allocate and manage it.
 * 2. Instruction sets that the command line switches on and nothing in the
 *    file uses (isa-flags).  x87 and MMX are on by default, a function's own
 *    target attribute needs no flag, and what clang switches on with a set
 *    that is used was not asked for.
 * 3. Suppressions in comments take away the findings of their id on their
 *    line, and count as assumptions.  One without a reason, or that matches
 *    nothing, is reported itself.
 */
#include <string.h>

#include "program.h"

static struct ks_place_text
place(const struct ks_unit *u, const struct ks_loc *loc, const char *function)
{
	return ((struct ks_place_text){
	    .file = loc->file != 0 ? ks_str(u->str, loc->file) : NULL,
	    .line = loc->line, .col = loc->col,
	    .function = function != NULL && *function != '\0' ? function :
	    NULL });
}

static bool
manages(const struct ks_profile *p, const char *func)
{
	return (ks_profile_role(p, func, KS_ROLE_ALLOC) != NULL ||
	    ks_profile_role(p, func, KS_ROLE_FREE) != NULL ||
	    ks_profile_role(p, func, KS_ROLE_ENTER) != NULL ||
	    ks_profile_role(p, func, KS_ROLE_LEAVE) != NULL ||
	    ks_profile_role(p, func, KS_ROLE_MACHINERY) != NULL);
}

static void
byvalues(struct ks_program *g, const struct ks_unit *u)
{
	for (size_t i = 0; i < u->byvalues.n; i++) {
		const struct ks_byvalue *b = &u->byvalues.v[i];
		const char *owner = ks_str(u->str, b->owner);
		const char *text = ks_str(u->str, b->text);
		struct ks_place_text at = place(u, &b->loc, owner);
		struct ks_finding *fd;

		if (manages(g->profile, owner))
			continue;
		fd = ks_finding_add(g->findings, KS_D_CONTEXT_EMBEDDED, &at,
		    "'%s' has a size that only the running kernel knows%s%s",
		    ks_str(u->str, b->type), *text != '\0' ? ": " : "", text);
		ks_finding_event(g->findings, fd, text);
	}
}

/*
 * What clang 19's flags for USED bring with them ("-mX -dM -E"), beside what
 * ks_isa_closure knows of any compiler.
 */
static ks_isaset
brought(ks_isaset used)
{
	ks_isaset more = 0;

	used = ks_isa_closure(used);
	if (used & KS_ISA_BIT(AVX512F))
		more |= KS_ISA_BIT(F16C) | KS_ISA_BIT(FMA);
	if (used & KS_ISA_BIT(VPCLMUL))
		more |= KS_ISA_BIT(PCLMUL) | KS_ISA_BIT(AVX);
	if (used & KS_ISA_BIT(VAES))
		more |= KS_ISA_BIT(AES) | KS_ISA_BIT(AVX2);
	return (ks_isa_closure(more));
}

static void
flags(struct ks_program *g, const struct ks_unit *u)
{
	ks_isaset used = 0, extra;
	struct ks_place_text at = { .file = ks_str(u->str, u->name) };
	struct ks_finding *fd;
	char buf[512], need[512];

	for (size_t i = 0; i < u->funcs.n; i++)
		for (size_t k = 0; k < u->funcs.v[i].nodes.n; k++)
			used |= u->funcs.v[i].isa == 0 ?
			    u->funcs.v[i].nodes.v[k].isa : 0;
	extra = ks_isa_minimal(u->isa_on) & ~ks_isa_closure(used) &
	    ~brought(used) & ~(KS_ISA_BIT(X87) | KS_ISA_BIT(MMX));
	if (extra == 0)
		return;
	used &= ~KS_ISA_BIT(X87);
	fd = ks_finding_add(g->findings, KS_D_ISA_FLAGS, &at,
	    "is compiled with %s, which nothing in it needs; it needs %s",
	    ks_isa_print(extra, buf, sizeof(buf)), used == 0 ? "none" :
	    ks_isa_print(ks_isa_minimal(used), need, sizeof(need)));
	ks_finding_event(g->findings, fd, "");
}

void
ks_remarks_judge(struct ks_program *g)
{
	for (size_t i = 0; i < g->nunit; i++) {
		const struct ks_unit *u = g->units[i];

		if (u->front != KS_FRONT_SRC)
			continue;
		byvalues(g, u);
		flags(g, u);
	}
}

/* --- suppressions --------------------------------------------------------------- */

static bool
covers(const struct ks_unit *u, const struct ks_allow *a,
    const struct ks_finding *x)
{
	return (x->at.line == a->loc.line && x->at.file != NULL &&
	    a->loc.line != 0 &&
	    strcmp(x->at.file, ks_str(u->str, a->loc.file)) == 0 &&
	    strcmp(ks_diags[x->diag].id, ks_str(u->str, a->id)) == 0);
}

static void
apply(struct ks_program *g, const struct ks_unit *u, const struct ks_allow *a)
{
	struct ks_findings *f = g->findings;
	const char *id = ks_str(u->str, a->id);
	const char *reason = ks_str(u->str, a->reason);
	struct ks_place_text at = place(u, &a->loc, NULL);
	enum ks_diag diag = ks_diag_find(id);
	size_t n = 0, before = f->v.n;
	struct ks_finding *fd;

	if (*reason == '\0') {
		ks_finding_add(f, KS_D_CONTRACT_UNUSED, &at,
		    "a suppression needs a reason: 'ksimd: allow %s: why'", id);
		return;
	}
	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *x = &f->v.v[i];

		if (!covers(u, a, x)) {
			f->v.v[n++] = *x;
			continue;
		}
		*ks_vec_push(&g->verdict->assumptions) =
		    (struct ks_assumption){ .kind = "allowed", .at = x->at,
		    .text = ks_printf(f->arena, "%s is allowed: %s", id,
		    reason) };
	}
	f->v.n = n;
	/* Nor is it known of what was not looked for. */
	if (n != before ||
	    (g->opts->no_advice && diag != KS_D_MAX && ks_diags[diag].advice))
		return;
	fd = ks_finding_add(f, KS_D_CONTRACT_UNUSED, &at,
	    diag == KS_D_MAX ?
	    "this suppression names no check: '%s'" :
	    "this suppression hides nothing: no '%s' on its line", id);
	if (a->src != 0) {
		const struct ks_src *src = &u->srcs.v[a->src - 1];

		at = place(u, &src->loc, NULL);
		ks_finding_fix(f, fd, &at, src->end, "");
	}
}

void
ks_remarks_allow(struct ks_program *g)
{
	for (size_t i = 0; i < g->nunit; i++)
		for (size_t k = 0; k < g->units[i]->allows.n; k++)
			apply(g, g->units[i], &g->units[i]->allows.v[k]);
}
