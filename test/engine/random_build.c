/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random programs as event graphs, and what the engine says of them.  The
 * line of a node is its number plus 1.
 */
#include <stdlib.h>
#include <string.h>

#include "random.h"

static uint32_t func_sym[MAXFUNC], name_sym[32];

static struct ks_val
build_val(const struct val *v)
{
	struct ks_val k = {
		.kind = v->kind, .ref = v->ref, .num = v->num, .iv = v->iv
	};

	if (v->kind == KS_VAL_SYM)
		k.ref = v->ref >= NAME_REF ? name_sym[v->ref - NAME_REF] :
					     func_sym[v->ref];
	if (v->kind == KS_VAL_CONST || v->kind == KS_VAL_UNKNOWN)
		k.ref = 0;
	return k;
}

static uint32_t
build_key(struct ks_unit *u, unsigned key)
{
	char name[16];

	snprintf(name, sizeof(name), "key%u", key);
	return ks_intern(u->str, name);
}

static uint32_t
build_call(struct ks_unit *u, struct ks_func *f, const struct node *n)
{
	struct ks_call c = { .sym = KS_NONE,
		.arg = (uint32_t)f->args.n,
		.narg = n->narg,
		.key = (uint32_t)f->keys.n,
		.tail = n->tail };

	c.result = n->result == NOPLACE ? KS_NONE : (uint32_t)n->result;
	for (unsigned i = 0; i < n->narg; i++)
		*ks_vec_push(&f->args) = build_val(&n->arg[i]);
	switch (n->callee) {
	case TO_FUNC:
		c.sym = func_sym[n->id];
		break;
	case TO_NAME:
		c.sym = name_sym[n->id];
		break;
	case TO_PLACE:
		c.target =
		    (struct ks_val){ .kind = KS_VAL_PLACE, .ref = n->id };
		break;
	default:
		for (int k = n->id; k >= 0; k--) {
			*ks_vec_push(&f->keys) = build_key(u, (unsigned)k);
			c.nkey++;
		}
		break;
	}
	*ks_vec_push(&f->calls) = c;
	return (uint32_t)(f->calls.n - 1);
}

static void
build_func(struct ks_unit *u, const struct func *fn, unsigned fi)
{
	struct ks_func *f = ks_unit_func(u, func_sym[fi]);
	char name[16];

	f->flags = fn->flags;
	for (unsigned i = 0; i < fn->nplace; i++) {
		snprintf(name, sizeof(name), "v%u", i);
		ks_func_place(u, f, name, fn->pflags[i]);
		if (i < fn->nparam)
			*ks_vec_push(&f->params) = i;
	}
	for (unsigned i = 0; i < fn->nnode; i++) {
		const struct node *n = &fn->n[i];
		uint32_t k = ks_func_node(f, (enum ks_event)n->ev);
		struct ks_node *x = &f->nodes.v[k];

		x->aux = n->aux;
		x->loc.file = u->name;
		x->loc.line = i + 1;
		x->loc.col = 1;
		if (n->ev == KS_EV_SET || n->ev == KS_EV_QUERY)
			x->dst = (uint32_t)n->dst;
		if (n->ev == KS_EV_SET || n->ev == KS_EV_RETURN)
			x->val = build_val(&n->val);
		if (n->ev == KS_EV_SIMD)
			x->classes = KS_RC_XMM;
		if (n->ev == KS_EV_CALL)
			x->call = build_call(u, f, n);
	}
	for (unsigned i = 0; i < fn->nnode; i++)
		for (unsigned k = 0; k < fn->n[i].nedge; k++) {
			const struct edge *e = &fn->n[i].e[k];
			struct ks_edge *x = ks_func_edge(f, i, e->to);

			if (e->iv.bits != 0) {
				x->cond = (uint32_t)e->cond;
				x->iv = e->iv;
			}
		}
}

struct ks_unit *
build_unit(const struct program *p)
{
	struct ks_unit *u = ks_unit_new("random.c", KS_FRONT_SRC);
	const struct profile *pr = &profiles[p->profile];
	char name[16];

	for (unsigned i = 0; i < p->nfunc; i++) {
		if (p->f[i].gone)
			continue;
		snprintf(name, sizeof(name), "f%u", i);
		func_sym[i] = ks_unit_sym(
		    u, name, p->f[i].noreturn ? KS_SYM_NORETURN : 0);
	}
	for (unsigned i = 0; i < pr->nnames; i++)
		name_sym[i] = ks_unit_sym(u, pr->names[i].name, 0);
	for (unsigned i = 0; i < p->nfunc; i++)
		if (!p->f[i].gone)
			build_func(u, &p->f[i], i);
	for (unsigned i = 0; i < p->nstore; i++)
		*ks_vec_push(&u->stores) =
		    (struct ks_store){ .key = build_key(u, p->store[i].key),
			    .sym = p->store[i].func < 0 ?
				       KS_NONE :
				       func_sym[p->store[i].func] };
	return u;
}

void
print_program(const struct program *p, FILE *out)
{
	struct ks_unit *u = build_unit(p);

	fprintf(out, "# profile '%s':\n", profiles[p->profile].what);
	for (const char *s = profiles[p->profile].text; *s != '\0';) {
		int n = (int)strcspn(s, "\n");

		fprintf(out, "#   %.*s\n", n, s);
		s += n + (s[n] != '\0');
	}
	ks_ksg_write(u, out);
	ks_unit_free(u);
}

/* --- solving ---------------------------------------------------------- */

static const struct ks_profile *
profile(unsigned i)
{
	static struct ks_profile *p[NPROFILE];
	struct ks_error err;

	if (p[i] != NULL)
		return p[i];
	p[i] = ks_profile_new();
	if (ks_profile_parse(p[i], profiles[i].what, profiles[i].text,
		strlen(profiles[i].text), &err) != KS_OK) {
		fprintf(stderr, "random: %s\n", err.text);
		exit(2);
	}
	return p[i];
}

static bool
place_of(const struct ks_place_text *at, uint8_t *func, uint8_t *node)
{
	if (at->function == NULL || at->function[0] != 'f' ||
	    at->function[1] < '0' || at->function[1] >= '0' + MAXFUNC ||
	    at->line < 1 || at->line > MAXNODE)
		return false;
	*func = (uint8_t)(at->function[1] - '0');
	*node = (uint8_t)(at->line - 1);
	return true;
}

static void
fail(struct verdict *v, const char *what, const char *text)
{
	v->failed = true;
	snprintf(v->why, sizeof(v->why), "%s: %s", what, text);
}

void
solve(const struct program *p, struct verdict *v)
{
	struct ks_solve_opts o = { 0 };
	struct ks_verdict kv = { 0 };
	struct ks_unit *u = build_unit(p);
	struct ks_findings *f = ks_findings_new();
	struct ks_error err;
	uint8_t func, node;

	memset(v, 0, sizeof(*v));
	if (ks_unit_check(u, &err) != KS_OK)
		fail(v, "not a graph", err.text);
	else if (ks_solve(&u, 1, profile(p->profile), &o, f, &kv, &err) !=
		 KS_OK)
		fail(v, "not solved", err.text);
	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *x = &f->v.v[i];

		if (x->diag != KS_D_NEEDS_REGION && x->severity != KS_SEV_ERROR)
			continue;
		if (!place_of(&x->at, &func, &node))
			fail(v, "a finding without a place", x->message);
		else if (x->diag == KS_D_NEEDS_REGION)
			v->needs[func] = true;
		else if (v->nfound < sizeof(v->found) / sizeof(v->found[0]))
			v->found[v->nfound++] =
			    (struct found){ (uint8_t)x->diag, func, node };
	}
	for (size_t i = 0; i < kv.assumptions.n; i++) {
		const struct ks_assumption *a = &kv.assumptions.v[i];

		if (strcmp(a->kind, "callback-effect") == 0)
			v->callback_effect = true;
		else if (strcmp(a->kind, "unknown-call") == 0 &&
		    place_of(&a->at, &func, &node))
			v->unknown[func][node] = true;
		else if (strcmp(a->kind, "enter-flags") != 0 &&
			 strcmp(a->kind, "sleep-flags") != 0)
			continue;
		else if (place_of(&a->at, &func, &node))
			v->flags[func][node] = true;
	}
	ks_vec_free(&kv.assumptions);
	ks_findings_free(f);
	ks_unit_free(u);
}
