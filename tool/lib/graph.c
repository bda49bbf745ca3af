/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Event graphs: building them, and the check that every index in one is in
 * range.
 *
 * Invariant kept by the building functions: the edges of a node lie side by
 * side in func->edges.  What is not given has the value that says so:
 * KS_NONE for places, calls and symbols, 0 for strings.
 *
 * The check (ks_unit_check) is what makes a graph from a file as safe to
 * walk as one from a front end:
 *   1. every string, symbol, function, place, call, gate and node that is
 *      named exists; symbols and functions name each other;
 *   2. intervals have 1 to 64 bits and bounds of that many;
 *   3. each edge belongs to exactly one node, none to RETURN and END;
 *   4. enumerations and flags hold known values only.
 * It takes time linear in the size of the unit.
 */
#include "ks/graph.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

struct ks_iv
ks_iv_not(struct ks_iv iv)
{
	uint64_t mask = mask_of(iv.bits);

	return (struct ks_iv){
		.lo = (iv.hi + 1) & mask,
		.hi = (iv.lo - 1) & mask,
		.bits = iv.bits,
	};
}

/* --- building ------------------------------------------------------------ */

struct ks_unit *
ks_unit_new(const char *name, enum ks_front front)
{
	struct ks_unit *u = ks_xmalloc(sizeof(*u));

	memset(u, 0, sizeof(*u));
	u->str = ks_strtab_new();
	u->name = ks_intern(u->str, name);
	u->front = front;
	return u;
}

static void
free_func(struct ks_func *f)
{
	ks_vec_free(&f->nodes);
	ks_vec_free(&f->edges);
	ks_vec_free(&f->places);
	ks_vec_free(&f->params);
	ks_vec_free(&f->calls);
	ks_vec_free(&f->args);
	ks_vec_free(&f->keys);
	ks_vec_free(&f->gates);
}

void
ks_unit_free(struct ks_unit *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->funcs.n; i++)
		free_func(&u->funcs.v[i]);
	ks_vec_free(&u->funcs);
	ks_vec_free(&u->syms);
	ks_vec_free(&u->stores);
	ks_vec_free(&u->allows);
	ks_vec_free(&u->byvalues);
	ks_vec_free(&u->macros);
	ks_vec_free(&u->srcs);
	ks_strtab_free(u->str);
	free(u);
}

uint32_t
ks_unit_sym(struct ks_unit *u, const char *name, uint32_t flags)
{
	*ks_vec_push(&u->syms) = (struct ks_sym){
		.name = ks_intern(u->str, name),
		.flags = flags & ~(uint32_t)KS_SYM_FUNC,
		.func = KS_NONE,
	};
	return (uint32_t)(u->syms.n - 1);
}

struct ks_func *
ks_unit_func(struct ks_unit *u, uint32_t sym)
{
	struct ks_sym *s = &u->syms.v[sym];
	struct ks_func *f;

	assert(sym < u->syms.n && s->func == KS_NONE);
	s->func = (uint32_t)u->funcs.n;
	s->flags |= KS_SYM_FUNC;
	f = ks_vec_push(&u->funcs);
	memset(f, 0, sizeof(*f));
	f->sym = sym;
	return f;
}

uint32_t
ks_func_place(struct ks_unit *u, struct ks_func *f, const char *name,
    uint8_t flags)
{
	*ks_vec_push(&f->places) = (struct ks_place){
		.name = *name != '\0' ? ks_intern(u->str, name) : 0,
		.flags = flags,
	};
	return (uint32_t)(f->places.n - 1);
}

uint32_t
ks_func_node(struct ks_func *f, enum ks_event ev)
{
	*ks_vec_push(&f->nodes) = (struct ks_node){
		.ev = (uint8_t)ev,
		.dst = KS_NONE,
		.call = KS_NONE,
	};
	return (uint32_t)(f->nodes.n - 1);
}

struct ks_edge *
ks_func_edge(struct ks_func *f, uint32_t from, uint32_t to)
{
	struct ks_node *n = &f->nodes.v[from];
	struct ks_edge *e;

	assert(from < f->nodes.n);
	if (n->nsucc == 0)
		n->succ = (uint32_t)f->edges.n;
	assert(n->succ + n->nsucc == f->edges.n);
	n->nsucc++;
	e = ks_vec_push(&f->edges);
	*e = (struct ks_edge){ .to = to, .cond = KS_NONE };
	return e;
}

/* --- check --------------------------------------------------------------- */

struct checker {
	const struct ks_unit *u;
	const struct ks_func *f;	/* or NULL */
	uint32_t	 nstr;
	struct ks_error	*err;
};

static int bad(const struct checker *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static int
bad(const struct checker *c, const char *fmt, ...)
{
	const struct ks_unit *u = c->u;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	if (c->f == NULL)
		return ks_error(c->err, KS_EPARSE, "%s: %s",
		    ks_str(u->str, u->name), text);
	return ks_error(c->err, KS_EPARSE, "%s: function '%s': %s",
	    ks_str(u->str, u->name), c->f->sym < u->syms.n ?
	    ks_str(u->str, u->syms.v[c->f->sym].name) : "?", text);
}

static bool
range_ok(uint32_t first, uint32_t n, size_t all)
{
	return first <= all && n <= all - first;
}

static bool
iv_ok(const struct ks_iv *iv)
{
	return iv->bits >= 1 && iv->bits <= 64 &&
	    iv->lo <= mask_of(iv->bits) && iv->hi <= mask_of(iv->bits);
}

static bool
val_ok(const struct checker *c, const struct ks_val *v)
{
	switch (v->kind) {
	case KS_VAL_UNKNOWN:
	case KS_VAL_CONST:
		return true;
	case KS_VAL_PLACE:
		return v->ref < c->f->places.n;
	case KS_VAL_SYM:
		return v->ref < c->u->syms.n;
	case KS_VAL_TEST:
		return v->ref < c->f->places.n && iv_ok(&v->iv);
	case KS_VAL_ZEXT:
	case KS_VAL_LOW:
		return v->ref < c->f->places.n &&
		    (v->num == 8 || v->num == 16 || v->num == 32);
	}
	return false;
}

static int
check_call(const struct checker *c, size_t i)
{
	const struct ks_func *f = c->f;
	const struct ks_call *k = &f->calls.v[i];

	if (k->sym != KS_NONE && k->sym >= c->u->syms.n)
		return bad(c, "call %zu: no symbol %u", i, k->sym);
	if (!val_ok(c, &k->target))
		return bad(c, "call %zu: invalid target", i);
	if (!range_ok(k->key, k->nkey, f->keys.n))
		return bad(c, "call %zu: no key %u", i, k->key);
	if (!range_ok(k->arg, k->narg, f->args.n))
		return bad(c, "call %zu: no argument %u", i, k->arg);
	if (k->result != KS_NONE && k->result >= f->places.n)
		return bad(c, "call %zu: no place %u", i, k->result);
	return KS_OK;
}

static int
check_gate(const struct checker *c, size_t i)
{
	const struct ks_gate *g = &c->f->gates.v[i];

	if (g->kind > KS_GATE_FEATURE)
		return bad(c, "gate %zu: unknown kind %u", i, g->kind);
	if (g->kind == KS_GATE_CPUID && (g->reg < 'a' || g->reg > 'd'))
		return bad(c, "gate %zu: unknown register", i);
	if (g->var >= c->nstr)
		return bad(c, "gate %zu: no string %u", i, g->var);
	if (g->kind == KS_GATE_FEATURE && g->mask >> KS_ISA_MAX != 0)
		return bad(c, "gate %zu: unknown instruction set", i);
	return KS_OK;
}

static int
check_node(const struct checker *c, size_t i)
{
	const struct ks_node *n = &c->f->nodes.v[i];
	bool wants_dst = n->ev == KS_EV_SET || n->ev == KS_EV_QUERY;

	if (n->ev > KS_EV_BOUND)
		return bad(c, "node %zu: unknown event %u", i, n->ev);
	if (n->dst == KS_NONE ? wants_dst : n->dst >= c->f->places.n)
		return bad(c, "node %zu: no place %u", i, n->dst);
	if (n->ev == KS_EV_CALL ? n->call >= c->f->calls.n :
	    n->call != KS_NONE)
		return bad(c, "node %zu: no call %u", i, n->call);
	if (n->classes >> 9 != 0 || n->isa >> KS_ISA_MAX != 0)
		return bad(c, "node %zu: unknown register class or "
		    "instruction set", i);
	if (!val_ok(c, &n->val))
		return bad(c, "node %zu: invalid value", i);
	if (n->text >= c->nstr || n->loc.file >= c->nstr)
		return bad(c, "node %zu: no such string", i);
	if (n->nsucc > 0 && (n->ev == KS_EV_RETURN || n->ev == KS_EV_END))
		return bad(c, "node %zu: goes on behind its end", i);
	return KS_OK;
}

/* Each edge belongs to one node, and leads to one. */
static int
check_edges(const struct checker *c)
{
	const struct ks_func *f = c->f;
	bool *owned = ks_xmalloc(f->edges.n);
	size_t total = 0;
	int rc = KS_OK;

	memset(owned, 0, f->edges.n);
	for (size_t i = 0; i < f->nodes.n && rc == KS_OK; i++) {
		const struct ks_node *n = &f->nodes.v[i];

		if (n->nsucc == 0)
			continue;
		if (!range_ok(n->succ, n->nsucc, f->edges.n)) {
			rc = bad(c, "node %zu: no edge %u", i, n->succ);
			break;
		}
		total += n->nsucc;
		for (uint32_t k = 0; k < n->nsucc && rc == KS_OK; k++) {
			if (owned[n->succ + k])
				rc = bad(c, "edge %u belongs to two nodes",
				    n->succ + k);
			owned[n->succ + k] = true;
		}
	}
	free(owned);
	if (rc == KS_OK && total != f->edges.n)
		rc = bad(c, "%zu edges belong to no node",
		    f->edges.n - total);
	for (size_t i = 0; i < f->edges.n && rc == KS_OK; i++) {
		const struct ks_edge *e = &f->edges.v[i];

		if (e->to >= f->nodes.n)
			rc = bad(c, "edge %zu: no node %u", i, e->to);
		else if (e->iv.bits != 0 && (e->cond >= f->places.n ||
		    !iv_ok(&e->iv)))
			rc = bad(c, "edge %zu: invalid condition", i);
		else if (e->gate > f->gates.n)
			rc = bad(c, "edge %zu: no gate %u", i, e->gate);
	}
	return rc;
}

/* The tables of a function that its nodes and edges name. */
static int
check_tables(const struct checker *c)
{
	const struct ks_func *f = c->f;
	int rc = KS_OK;

	for (size_t i = 0; i < f->places.n; i++)
		if (f->places.v[i].name >= c->nstr ||
		    f->places.v[i].flags >> 4 != 0)
			return bad(c, "place %zu is invalid", i);
	for (size_t i = 0; i < f->params.n; i++)
		if (f->params.v[i] != KS_NONE &&
		    f->params.v[i] >= f->places.n)
			return bad(c, "parameter %zu: no place %u", i,
			    f->params.v[i]);
	for (size_t i = 0; i < f->args.n; i++)
		if (!val_ok(c, &f->args.v[i]))
			return bad(c, "argument %zu is invalid", i);
	for (size_t i = 0; i < f->keys.n; i++)
		if (f->keys.v[i] >= c->nstr)
			return bad(c, "key %zu: no string %u", i,
			    f->keys.v[i]);
	for (size_t i = 0; i < f->gates.n && rc == KS_OK; i++)
		rc = check_gate(c, i);
	for (size_t i = 0; i < f->calls.n && rc == KS_OK; i++)
		rc = check_call(c, i);
	return rc;
}

static int
check_func(struct checker *c, size_t i)
{
	const struct ks_func *f = &c->u->funcs.v[i];
	int rc;

	c->f = f;
	if (f->sym >= c->u->syms.n || c->u->syms.v[f->sym].func != i)
		return bad(c, "its symbol is another's");
	if (f->section >= c->nstr || f->loc.file >= c->nstr)
		return bad(c, "no such string");
	if (f->flags >> 6 != 0 || f->isa >> KS_ISA_MAX != 0)
		return bad(c, "unknown flags 0x%x", f->flags);
	if (f->nodes.n == 0)
		return bad(c, "has no node");
	if (f->nodes.n >= KS_NONE || f->edges.n >= KS_NONE)
		return bad(c, "is too large");
	rc = check_tables(c);
	for (size_t k = 0; k < f->nodes.n && rc == KS_OK; k++)
		rc = check_node(c, k);
	if (rc == KS_OK)
		rc = check_edges(c);
	c->f = NULL;
	return rc;
}

static int
check_sym(const struct checker *c, size_t i)
{
	const struct ks_unit *u = c->u;
	const struct ks_sym *s = &u->syms.v[i];
	bool defined = (s->flags & KS_SYM_FUNC) != 0;

	if (s->name >= c->nstr || s->escape.file >= c->nstr ||
	    s->escape_text >= c->nstr)
		return bad(c, "symbol %zu: no such string", i);
	if (s->flags >> 9 != 0)
		return bad(c, "symbol %zu: unknown flags 0x%x", i, s->flags);
	if (defined != (s->func != KS_NONE))
		return bad(c, "symbol %zu: defined without function", i);
	if (defined && (s->func >= u->funcs.n ||
	    u->funcs.v[s->func].sym != i))
		return bad(c, "symbol %zu: its function is another's", i);
	return KS_OK;
}

static int
check_remarks(const struct checker *c)
{
	const struct ks_unit *u = c->u;

	for (size_t i = 0; i < u->allows.n; i++)
		if (u->allows.v[i].id >= c->nstr ||
		    u->allows.v[i].reason >= c->nstr ||
		    u->allows.v[i].loc.file >= c->nstr ||
		    u->allows.v[i].src > u->srcs.n)
			return bad(c, "allow %zu is invalid", i);
	for (size_t i = 0; i < u->byvalues.n; i++)
		if (u->byvalues.v[i].type >= c->nstr ||
		    u->byvalues.v[i].owner >= c->nstr ||
		    u->byvalues.v[i].text >= c->nstr ||
		    u->byvalues.v[i].loc.file >= c->nstr)
			return bad(c, "byvalue %zu is invalid", i);
	for (size_t i = 0; i < u->srcs.n; i++)
		if (u->srcs.v[i].text >= c->nstr ||
		    u->srcs.v[i].loc.file >= c->nstr ||
		    u->srcs.v[i].end < u->srcs.v[i].loc.col)
			return bad(c, "source %zu is invalid", i);
	for (size_t i = 0; i < u->macros.n; i++)
		if (u->macros.v[i].name >= c->nstr ||
		    u->macros.v[i].loc.file >= c->nstr ||
		    u->macros.v[i].loc.off > i)
			return bad(c, "macro %zu is invalid", i);
	if (u->isa_on >> KS_ISA_MAX != 0)
		return bad(c, "unknown instruction set");
	return KS_OK;
}

int
ks_unit_check(const struct ks_unit *u, struct ks_error *err)
{
	struct checker c = {
		.u = u,
		.nstr = ks_strtab_count(u->str),
		.err = err,
	};
	int rc = KS_OK;

	if (u->name >= c.nstr || u->arch >= c.nstr ||
	    u->front > KS_FRONT_OBJ)
		return bad(&c, "the unit's name, kind or architecture is "
		    "invalid");
	for (size_t i = 0; i < u->syms.n && rc == KS_OK; i++)
		rc = check_sym(&c, i);
	for (size_t i = 0; i < u->stores.n && rc == KS_OK; i++)
		if (u->stores.v[i].key >= c.nstr ||
		    (u->stores.v[i].sym != KS_NONE &&
		    u->stores.v[i].sym >= u->syms.n))
			rc = bad(&c, "store %zu is invalid", i);
	if (rc == KS_OK)
		rc = check_remarks(&c);
	for (size_t i = 0; i < u->funcs.n && rc == KS_OK; i++)
		rc = check_func(&c, i);
	return rc;
}
