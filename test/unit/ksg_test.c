/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Event graphs: building, the structural check, and the text form.  A graph
 * written and read back is the same field by field; random graphs use every
 * field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ks/graph.h"
#include "manual.h"

#define ROUNDS	2000

/* --- comparison: strings by text, side tables by what is in them --------- */

static const struct ks_unit *ua, *ub;
static const struct ks_func *fa, *fb;

static void
same_str(uint32_t a, uint32_t b)
{
	assert_string_equal(ks_str(ua->str, a), ks_str(ub->str, b));
}

static void
same_loc(const struct ks_loc *a, const struct ks_loc *b)
{
	same_str(a->file, b->file);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->col, b->col);
	assert_int_equal(a->off, b->off);
}

static void
same_iv(const struct ks_iv *a, const struct ks_iv *b)
{
	assert_int_equal(a->bits, b->bits);
	assert_true(a->lo == b->lo && a->hi == b->hi);
}

static void
same_val(const struct ks_val *a, const struct ks_val *b)
{
	assert_int_equal(a->kind, b->kind);
	if (a->kind == KS_VAL_CONST || a->kind >= KS_VAL_ZEXT)
		assert_true(a->num == b->num);
	if (a->kind > KS_VAL_CONST)
		assert_int_equal(a->ref, b->ref);
	if (a->kind == KS_VAL_TEST)
		same_iv(&a->iv, &b->iv);
}

static void
same_call(const struct ks_call *a, const struct ks_call *b)
{
	assert_int_equal(a->sym, b->sym);
	same_val(&a->target, &b->target);
	assert_int_equal(a->nkey, b->nkey);
	for (uint32_t i = 0; i < a->nkey; i++)
		same_str(fa->keys.v[a->key + i], fb->keys.v[b->key + i]);
	assert_int_equal(a->narg, b->narg);
	for (uint32_t i = 0; i < a->narg; i++)
		same_val(&fa->args.v[a->arg + i], &fb->args.v[b->arg + i]);
	assert_int_equal(a->result, b->result);
	assert_int_equal(a->clobber, b->clobber);
	assert_int_equal(a->tail, b->tail);
	assert_int_equal(a->noreturn, b->noreturn);
	assert_int_equal(a->abi, b->abi);
}

static void
same_node(const struct ks_node *a, const struct ks_node *b)
{
	assert_int_equal(a->ev, b->ev);
	assert_int_equal(a->aux, b->aux);
	assert_int_equal(a->classes, b->classes);
	assert_int_equal(a->nsucc, b->nsucc);
	if (a->nsucc > 0)
		assert_int_equal(a->succ, b->succ);
	assert_int_equal(a->dst, b->dst);
	assert_true(a->isa == b->isa);
	same_str(a->text, b->text);
	same_val(&a->val, &b->val);
	same_loc(&a->loc, &b->loc);
	if (a->ev == KS_EV_CALL)
		same_call(&fa->calls.v[a->call], &fb->calls.v[b->call]);
	else
		assert_int_equal(b->call, KS_NONE);
}

static void
same_edge(const struct ks_edge *a, const struct ks_edge *b)
{
	const struct ks_gate *ga, *gb;

	assert_int_equal(a->to, b->to);
	assert_int_equal(a->iv.bits, b->iv.bits);
	if (a->iv.bits != 0) {
		assert_int_equal(a->cond, b->cond);
		same_iv(&a->iv, &b->iv);
	}
	assert_int_equal(a->gate != 0, b->gate != 0);
	if (a->gate == 0)
		return;
	ga = &fa->gates.v[a->gate - 1];
	gb = &fb->gates.v[b->gate - 1];
	assert_int_equal(ga->kind, gb->kind);
	assert_int_equal(ga->reg, gb->reg);
	assert_int_equal(ga->leaf, gb->leaf);
	assert_int_equal(ga->subleaf, gb->subleaf);
	same_str(ga->var, gb->var);
	assert_int_equal(ga->off, gb->off);
	assert_true(ga->mask == gb->mask);
}

static void
same_func(void)
{
	assert_int_equal(fa->sym, fb->sym);
	same_str(fa->section, fb->section);
	assert_true(fa->addr == fb->addr);
	assert_int_equal(fa->flags, fb->flags);
	assert_true(fa->isa == fb->isa);
	same_loc(&fa->loc, &fb->loc);
	assert_int_equal(fa->places.n, fb->places.n);
	for (size_t i = 0; i < fa->places.n; i++) {
		same_str(fa->places.v[i].name, fb->places.v[i].name);
		assert_int_equal(fa->places.v[i].flags,
		    fb->places.v[i].flags);
	}
	assert_int_equal(fa->params.n, fb->params.n);
	for (size_t i = 0; i < fa->params.n; i++)
		assert_int_equal(fa->params.v[i], fb->params.v[i]);
	assert_int_equal(fa->nodes.n, fb->nodes.n);
	for (size_t i = 0; i < fa->nodes.n; i++)
		same_node(&fa->nodes.v[i], &fb->nodes.v[i]);
	assert_int_equal(fa->edges.n, fb->edges.n);
	for (size_t i = 0; i < fa->edges.n; i++)
		same_edge(&fa->edges.v[i], &fb->edges.v[i]);
}

static void
same_unit(const struct ks_unit *a, const struct ks_unit *b)
{
	ua = a;
	ub = b;
	same_str(a->name, b->name);
	assert_int_equal(a->front, b->front);
	same_str(a->arch, b->arch);
	assert_true(a->nfuncs_seen == b->nfuncs_seen);
	assert_int_equal(a->closed, b->closed);
	assert_int_equal(a->syms.n, b->syms.n);
	for (size_t i = 0; i < a->syms.n; i++) {
		const struct ks_sym *x = &a->syms.v[i], *y = &b->syms.v[i];

		same_str(x->name, y->name);
		assert_int_equal(x->flags, y->flags);
		assert_int_equal(x->func, y->func);
		same_loc(&x->escape, &y->escape);
		same_str(x->escape_text, y->escape_text);
	}
	assert_int_equal(a->stores.n, b->stores.n);
	for (size_t i = 0; i < a->stores.n; i++) {
		same_str(a->stores.v[i].key, b->stores.v[i].key);
		assert_int_equal(a->stores.v[i].sym, b->stores.v[i].sym);
	}
	assert_true(a->isa_on == b->isa_on);
	assert_int_equal(a->allows.n, b->allows.n);
	for (size_t i = 0; i < a->allows.n; i++) {
		same_str(a->allows.v[i].id, b->allows.v[i].id);
		same_str(a->allows.v[i].reason, b->allows.v[i].reason);
		assert_int_equal(a->allows.v[i].src, b->allows.v[i].src);
		same_loc(&a->allows.v[i].loc, &b->allows.v[i].loc);
	}
	assert_int_equal(a->srcs.n, b->srcs.n);
	for (size_t i = 0; i < a->srcs.n; i++) {
		same_str(a->srcs.v[i].text, b->srcs.v[i].text);
		same_loc(&a->srcs.v[i].loc, &b->srcs.v[i].loc);
		assert_int_equal(a->srcs.v[i].end, b->srcs.v[i].end);
	}
	assert_int_equal(a->macros.n, b->macros.n);
	for (size_t i = 0; i < a->macros.n; i++) {
		same_str(a->macros.v[i].name, b->macros.v[i].name);
		same_loc(&a->macros.v[i].loc, &b->macros.v[i].loc);
	}
	assert_int_equal(a->byvalues.n, b->byvalues.n);
	for (size_t i = 0; i < a->byvalues.n; i++) {
		const struct ks_byvalue *x = &a->byvalues.v[i];
		const struct ks_byvalue *y = &b->byvalues.v[i];

		same_str(x->type, y->type);
		same_str(x->owner, y->owner);
		same_str(x->text, y->text);
		same_loc(&x->loc, &y->loc);
	}
	assert_int_equal(a->funcs.n, b->funcs.n);
	for (size_t i = 0; i < a->funcs.n; i++) {
		fa = &a->funcs.v[i];
		fb = &b->funcs.v[i];
		same_func();
	}
}

/* --- text in and out ----------------------------------------------------- */

static char *
write_units(struct ks_unit *const *units, size_t n)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(ks_ksg_write(units[i], f), KS_OK);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void
free_units(struct ks_unit **units, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ks_unit_free(units[i]);
	free(units);
}

/* Reads TEXT, which must be right. */
static struct ks_unit **
read_units(const char *text, size_t *n)
{
	struct ks_error e = { "" };
	struct ks_unit **units;
	int rc = ks_ksg_read("g.ksg", text, strlen(text), &units, n, &e);

	assert_string_equal(e.text, "");
	assert_int_equal(rc, KS_OK);
	for (size_t i = 0; i < *n; i++)
		assert_int_equal(ks_unit_check(units[i], NULL), KS_OK);
	return units;
}

static void
round_trip(struct ks_unit *u)
{
	struct ks_error e = { "" };
	struct ks_unit **back;
	char *text, *again;
	size_t n;

	ks_unit_check(u, &e);
	assert_string_equal(e.text, "");
	text = write_units(&u, 1);
	back = read_units(text, &n);
	assert_int_equal(n, 1);
	same_unit(u, back[0]);
	again = write_units(back, 1);
	assert_string_equal(text, again);
	free_units(back, n);
	free(text);
	free(again);
}

static void
assert_refused(const char *text, const char *want)
{
	struct ks_error e = { "" };
	struct ks_unit **units = (struct ks_unit **)1;
	size_t n = 1;
	int rc = ks_ksg_read("g", text, strlen(text), &units, &n, &e);

	assert_string_equal(e.text, want);
	assert_int_equal(rc, KS_EPARSE);
	assert_null(units);
	assert_int_equal(n, 0);
}

/* --- random graphs ------------------------------------------------------- */

static uint64_t seed;

static uint32_t
rnd(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static uint64_t
rnd64(void)
{
	uint64_t v = (uint64_t)rnd(1u << 31) << 33 ^
	    (uint64_t)rnd(1u << 31) << 11 ^ rnd(4096);

	return v >> rnd(64);
}

/* Plain names, keywords, numbers, what the reader splits, and repetitions. */
static const char *
rnd_name(void)
{
	static const char *const names[] = {
		"f", "g", "%rax", "-24(cfa)", "test", "zext", "at", "in",
		"key", "[0]", "12", "?", "-", "a b", "x\"y\\", "&z", "*", "#",
		"a,b",
		"f.cold", "", "\t\n", "none", "end", "node", "a=b", "->",
	};

	return names[rnd(sizeof(names) / sizeof(names[0]))];
}

static uint32_t
rnd_str(struct ks_unit *u)
{
	const char *s = rnd_name();

	return *s == '\0' || rnd(3) == 0 ? 0 : ks_intern(u->str, s);
}

static struct ks_loc
rnd_loc(struct ks_unit *u)
{
	return (struct ks_loc){
		.file = rnd(2) ? rnd_str(u) : u->name,
		.line = rnd(2) * rnd(1000),
		.col = rnd(2) * rnd(1000),
		.off = rnd(3) == 0 ? UINT32_MAX - rnd(10) : rnd(2) * rnd(99),
	};
}

static ks_isaset
rnd_isa(void)
{
	return rnd(2) ? rnd64() & (((ks_isaset)1 << KS_ISA_MAX) - 1) : 0;
}

static struct ks_iv
rnd_iv(void)
{
	unsigned bits = 1 + rnd(64);
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	struct ks_iv iv = { rnd64() & mask, rnd64() & mask, (uint8_t)bits };

	return iv;
}

static struct ks_val
rnd_val(struct ks_unit *u, struct ks_func *f)
{
	struct ks_val v = { .kind = (uint8_t)rnd(7) };

	if (f->places.n == 0 && ks_val_of_place(&v))
		v.kind = KS_VAL_UNKNOWN;
	if (v.kind == KS_VAL_CONST)
		v.num = rnd64();
	if (v.kind == KS_VAL_SYM)
		v.ref = rnd((uint32_t)u->syms.n);
	else if (v.kind > KS_VAL_CONST)
		v.ref = rnd((uint32_t)f->places.n);
	if (v.kind >= KS_VAL_ZEXT)
		v.num = (uint64_t)8 << rnd(3);
	if (v.kind == KS_VAL_TEST)
		v.iv = rnd_iv();
	return v;
}

static uint32_t
rnd_place(struct ks_func *f)
{
	return f->places.n == 0 || rnd(3) == 0 ? KS_NONE :
	    rnd((uint32_t)f->places.n);
}

static void
rnd_call(struct ks_unit *u, struct ks_func *f, struct ks_node *n)
{
	struct ks_call k = {
		.sym = rnd(2) ? rnd((uint32_t)u->syms.n) : KS_NONE,
		.target = rnd_val(u, f),
		.key = (uint32_t)f->keys.n, .nkey = rnd(3),
		.arg = (uint32_t)f->args.n, .narg = rnd(4),
		.result = rnd_place(f),
		.clobber = (uint16_t)(rnd(2) * rnd(65536)),
		.tail = rnd(2), .noreturn = rnd(2), .abi = rnd(2),
	};

	for (uint32_t i = 0; i < k.nkey; i++)
		*ks_vec_push(&f->keys) = rnd_str(u);
	for (uint32_t i = 0; i < k.narg; i++)
		*ks_vec_push(&f->args) = rnd_val(u, f);
	n->call = (uint32_t)f->calls.n;
	*ks_vec_push(&f->calls) = k;
}

static void
rnd_node(struct ks_unit *u, struct ks_func *f)
{
	enum ks_event ev = (enum ks_event)rnd(KS_EV_BOUND + 1);
	struct ks_node *n;
	uint32_t i;

	if (f->places.n == 0 && (ev == KS_EV_SET || ev == KS_EV_QUERY))
		ev = KS_EV_NOP;
	i = ks_func_node(f, ev);
	n = &f->nodes.v[i];
	n->aux = (uint8_t)(rnd(2) * rnd(256));
	n->classes = (uint16_t)(rnd(2) * rnd(512));
	n->isa = rnd_isa();
	n->dst = rnd_place(f);
	if (n->dst == KS_NONE && (ev == KS_EV_SET || ev == KS_EV_QUERY))
		n->dst = 0;
	n->text = rnd_str(u);
	if (rnd(2))
		n->val = rnd_val(u, f);
	n->loc = rnd_loc(u);
	if (ev == KS_EV_CALL)
		rnd_call(u, f, n);
}

static void
rnd_gate(struct ks_unit *u, struct ks_func *f)
{
	struct ks_gate *g = ks_vec_push(&f->gates);

	memset(g, 0, sizeof(*g));
	g->kind = (uint8_t)rnd(4);
	g->mask = rnd64();
	switch (g->kind) {
	case KS_GATE_CPUID:
		g->reg = (uint8_t)('a' + rnd(4));
		g->leaf = (uint32_t)rnd64();
		g->subleaf = rnd(2) * rnd(9);
		break;
	case KS_GATE_VAR:
		g->var = rnd_str(u);
		g->off = (uint32_t)rnd64();
		break;
	case KS_GATE_FEATURE:
		g->mask &= ((ks_isaset)1 << KS_ISA_MAX) - 1;
		break;
	}
}

/* The nodes get their edges in any order. */
static void
rnd_edges(struct ks_unit *u, struct ks_func *f)
{
	uint32_t n = (uint32_t)f->nodes.n, first = rnd(n);

	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = (first + k) % n;

		if (f->nodes.v[i].ev == KS_EV_RETURN ||
		    f->nodes.v[i].ev == KS_EV_END)
			continue;
		for (uint32_t m = rnd(4); m > 0; m--) {
			struct ks_edge *e = ks_func_edge(f, i, rnd(n));

			if (f->places.n > 0 && rnd(2)) {
				e->cond = rnd((uint32_t)f->places.n);
				e->iv = rnd_iv();
			}
			if (rnd(3) == 0) {
				rnd_gate(u, f);
				e->gate = (uint32_t)f->gates.n;
			}
		}
	}
}

static void
rnd_func(struct ks_unit *u, uint32_t sym)
{
	struct ks_func *f = ks_unit_func(u, sym);

	f->section = rnd_str(u);
	f->addr = rnd(2) * rnd64();
	f->flags = rnd(32);
	f->isa = rnd_isa();
	f->loc = rnd_loc(u);
	for (uint32_t n = rnd(6); n > 0; n--)
		ks_func_place(u, f, rnd_name(), (uint8_t)rnd(16));
	for (uint32_t n = rnd(4); n > 0; n--)
		*ks_vec_push(&f->params) = rnd_place(f);
	for (uint32_t n = 1 + rnd(8); n > 0; n--)
		rnd_node(u, f);
	rnd_edges(u, f);
}

static struct ks_unit *
rnd_unit(void)
{
	struct ks_unit *u = ks_unit_new(rnd_name(), (enum ks_front)rnd(3));
	uint32_t nsym = 1 + rnd(6);

	u->arch = rnd_str(u);
	u->closed = rnd(2);
	u->nfuncs_seen = rnd(2) * rnd64();
	u->isa_on = rnd_isa();
	for (uint32_t n = rnd(3); n > 0; n--) {
		struct ks_src s = { rnd_str(u), rnd_loc(u), 0 };

		s.end = s.loc.col + rnd(3);
		*ks_vec_push(&u->srcs) = s;
	}
	for (uint32_t n = rnd(3); n > 0; n--) {
		struct ks_macro m = { rnd_str(u), rnd_loc(u) };

		m.loc.off = rnd(u->macros.n + 1);
		*ks_vec_push(&u->macros) = m;
	}
	for (uint32_t n = rnd(3); n > 0; n--)
		*ks_vec_push(&u->allows) = (struct ks_allow){
			rnd_str(u), rnd_str(u), rnd_loc(u), u->srcs.n
		};
	for (uint32_t n = rnd(3); n > 0; n--)
		*ks_vec_push(&u->byvalues) = (struct ks_byvalue){
			rnd_str(u), rnd_str(u), rnd_str(u), rnd_loc(u)
		};
	for (uint32_t i = 0; i < nsym; i++) {
		uint32_t s = ks_unit_sym(u, rnd_name(), rnd(128));

		u->syms.v[s].escape = rnd_loc(u);
		u->syms.v[s].escape_text = rnd_str(u);
	}
	for (uint32_t i = nsym; i-- > 0;)
		if (rnd(2))
			rnd_func(u, i);
	for (uint32_t n = rnd(4); n > 0; n--)
		*ks_vec_push(&u->stores) = (struct ks_store){
			rnd_str(u), rnd(2) ? rnd(nsym) : KS_NONE
		};
	return u;
}

static void
random_graphs_round_trip(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct ks_unit *u;

		seed = i * UINT64_C(0x9e3779b97f4a7c15) + 1;
		u = rnd_unit();
		round_trip(u);
		ks_unit_free(u);
	}
}

/* --- by hand ------------------------------------------------------------- */

static void
complements(void **state)
{
	struct ks_iv iv;

	(void)state;
	iv = ks_iv_not((struct ks_iv){ 0, 0, 32 });
	assert_int_equal(iv.lo, 1);
	assert_int_equal(iv.hi, UINT32_MAX);
	assert_int_equal(iv.bits, 32);
	iv = ks_iv_not(iv);
	assert_int_equal(iv.lo, 0);
	assert_int_equal(iv.hi, 0);
	iv = ks_iv_not((struct ks_iv){ 5, 9, 64 });
	assert_true(iv.lo == 10 && iv.hi == 4);
	iv = ks_iv_not((struct ks_iv){ 0, 0, 1 });
	assert_true(iv.lo == 1 && iv.hi == 1);
	/* The full interval stays what it is: nothing is lost. */
	iv = ks_iv_not((struct ks_iv){ 3, 2, 8 });
	assert_true(iv.lo == 3 && iv.hi == 2);
}

/* What a person writes: defaults, symbols and parameters undeclared. */
static void
by_hand(void **state)
{
	static const char text[] =
	    "ksg 1\n"
	    "unit t.c\n"
	    "func f exported needs at 3\n"
	    "  params td, kt -\n"
	    "  place r volatile\n"
	    "  node 0 call is_fpu_kern_thread(0) -> kt\n"
	    "  edge 0 1 if kt == 0\n"
	    "  edge 0 2 if kt != 0/8\n"
	    "  node 1 call fpu_kern_enter (td, &ctx 4) at 5:2\n"
	    "  edge 1 2\n"
	    "  node 2 simd classes xmm,mxcsr isa aes,sse2 text \"a b\"\n"
	    "  edge 2 3 if r in -1..1/16\n"
	    "  edge 2 3 gate cpuid 7 ebx 0x20\n"
	    "  node 3 return\n"
	    "end\n"
	    "store ops.fn f   # a comment\n"
	    "end\n"
	    "ksg 1\n"
	    "unit second obj arch amd64 closed seen 7\n"
	    "end\n";
	struct ks_unit **u, *t;
	const struct ks_func *f;
	size_t n;

	(void)state;
	u = read_units(text, &n);
	assert_int_equal(n, 2);
	t = u[0];
	assert_int_equal(t->front, KS_FRONT_SRC);
	assert_int_equal(t->syms.n, 4);
	assert_string_equal(ks_str(t->str, t->syms.v[0].name), "f");
	assert_int_equal(t->syms.v[0].flags, KS_SYM_FUNC | KS_SYM_EXPORTED);
	assert_int_equal(t->stores.v[0].sym, 0);
	f = &t->funcs.v[0];
	assert_int_equal(f->flags, KS_FUNC_NEEDS);
	assert_int_equal(f->loc.line, 3);
	assert_int_equal(f->loc.col, 0);
	assert_string_equal(ks_str(t->str, f->loc.file), "t.c");
	assert_int_equal(f->params.n, 3);
	assert_int_equal(f->params.v[1], 1);
	assert_int_equal(f->params.v[2], KS_NONE);
	assert_int_equal(f->places.v[2].flags, KS_PLACE_VOLATILE);
	assert_int_equal(f->nodes.n, 4);
	assert_int_equal(f->calls.v[0].result, 1);
	assert_int_equal(f->args.v[f->calls.v[1].arg].kind, KS_VAL_PLACE);
	assert_int_equal(f->args.v[f->calls.v[1].arg + 1].kind, KS_VAL_SYM);
	assert_int_equal(f->args.v[f->calls.v[1].arg + 2].num, 4);
	assert_string_equal(ks_str(t->str, f->nodes.v[1].loc.file), "t.c");
	assert_int_equal(f->nodes.v[0].loc.file, 0);
	assert_int_equal(f->edges.v[0].iv.hi, 0);
	assert_int_equal(f->edges.v[1].iv.lo, 1);
	assert_int_equal(f->edges.v[1].iv.hi, 255);
	assert_int_equal(f->edges.v[3].iv.lo, 0xffff);
	assert_int_equal(f->edges.v[3].iv.bits, 16);
	assert_int_equal(f->gates.v[0].mask, 0x20);
	assert_int_equal(f->nodes.v[2].classes, KS_RC_XMM | KS_RC_MXCSR);
	assert_int_equal(u[1]->front, KS_FRONT_OBJ);
	assert_int_equal(u[1]->nfuncs_seen, 7);
	assert_true(u[1]->closed);
	free_units(u, n);
}

static void
the_manuals_example(void **state)
{
	char *text = manual_example("ksg.5", 0);
	struct ks_unit **u;
	size_t n;

	(void)state;
	u = read_units(text, &n);
	assert_int_equal(n, 1);
	assert_int_equal(u[0]->funcs.n, 1);
	assert_int_equal(u[0]->funcs.v[0].nodes.n, 5);
	free_units(u, n);
	free(text);
}

/* A name that stands for two symbols is that of the first. */
static void
equal_names(void **state)
{
	struct ks_unit **u;
	char *text;
	size_t n;

	(void)state;
	u = read_units("ksg 1\nunit t\nsym f local\nsym f local\n"
	    "func [1]\nplace a\nplace a\nnode 0 set a = [1]\nedge 0 1\n"
	    "node 1 call f\nend\nfunc f\nnode 0 end\nend\nend\n", &n);
	assert_int_equal(u[0]->syms.v[0].func, 1);
	assert_int_equal(u[0]->syms.v[1].func, 0);
	assert_int_equal(u[0]->funcs.v[0].nodes.v[0].dst, 0);
	assert_int_equal(u[0]->funcs.v[0].nodes.v[0].val.ref, 1);
	assert_int_equal(u[0]->funcs.v[0].calls.v[0].sym, 0);
	text = write_units(u, 1);
	assert_non_null(strstr(text, "\nfunc [1]\n"));
	assert_non_null(strstr(text, " set a = [1]\n"));
	free(text);
	free_units(u, n);
}

#define U	"ksg 1\nunit u\n"
#define F	U "func f\n"
#define N	F "place p\nnode 0 nop\n"

static void
errors_in_units(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "", "1:1: no event graph: the file is empty" },
		{ "# nothing\n", "1:1: no event graph: the file is empty" },
		{ "unit u\n", "1:1: expected 'ksg 1', the first line of an "
		    "event graph, not 'unit'" },
		{ "ksg 2\n", "1:5: version 2 of the format is unknown, only "
		    "1 is known" },
		{ "ksg\n", "1:1: expected a version behind 'ksg'" },
		{ "ksg 1 2\n", "1:7: expected the end of the line, not '2'" },
		{ "ksg 1\nfunc f\n", "2:1: expected 'unit' or 'ksg', "
		    "not 'func'" },
		{ "ksg 1\nunit\n", "2:1: expected the unit's name behind "
		    "'unit'" },
		{ U, "2:6: no 'end' of this unit" },
		{ "ksg 1\nunit u x\n", "2:8: expected an attribute of the "
		    "unit, not 'x'" },
		{ "ksg 1\nunit u seen -1x\n", "2:13: expected a number, "
		    "not '-1x'" },
		{ U "node\n", "3:1: expected 'sym', 'store', 'allow', "
		    "'byvalue', 'func' or 'end', not 'node'" },
		{ U "sym\n", "3:1: expected a name behind 'sym'" },
		{ U "sym f x\n", "3:7: expected an attribute of the symbol, "
		    "not 'x'" },
		{ U "sym f text\n", "3:7: expected a text behind 'text'" },
		{ U "store\n", "3:1: expected a key behind 'store'" },
		{ U "store k\n", "3:7: expected a symbol behind 'k'" },
		{ U "store k [0]\n", "3:9: no symbol [0] before this line" },
		{ U "store k f g\n", "3:11: expected the end of the line, "
		    "not 'g'" },
		{ U "allow\n", "3:1: expected an id behind 'allow'" },
		{ U "allow i\n", "3:7: expected a reason behind 'i'" },
		{ U "allow i r x\n", "3:11: expected the end of the line, "
		    "not 'x'" },
		{ U "byvalue t\n", "3:9: expected a function or a type "
		    "behind 't'" },
		{ U "func f isa x\n", "3:12: expected an instruction set, "
		    "not 'x'" },
		{ "ksg 1\nunit u isa\n", "2:8: expected an instruction set "
		    "behind 'isa'" },
		{ U "func\n", "3:1: expected a symbol behind 'func'" },
		{ U "func f x\n", "3:8: expected an attribute of the "
		    "function, not 'x'" },
		{ U "func f at 3:\n", "3:11: expected LINE or LINE:COLUMN, "
		    "not '3:'" },
		{ U "func f at 4294967296\n", "3:11: expected LINE or "
		    "LINE:COLUMN, not '4294967296'" },
		{ U "func f off 4294967296\n", "3:12: 4294967296 is too "
		    "large for an offset" },
		{ U "end x\n", "3:5: expected the end of the line, not 'x'" },
		{ F, "3:6: no 'end' of this function" },
		{ F "end\n", "3:6: this function has no node" },
		{ N "end\nfunc f\n", "7:6: 'f' is defined twice" },
	};
	char want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "g:%s", bad[i].want);
		assert_refused(bad[i].text, want);
	}
}

static void
errors_in_functions(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ F "sym f\n", "4:1: expected 'place', 'params', 'node', "
		    "'edge' or 'end', not 'sym'" },
		{ F "place\n", "4:1: expected a name behind 'place'" },
		{ F "place p x\n", "4:9: expected 'volatile', 'escaped', "
		    "'memory' or 'vector', not 'x'" },
		{ F "params [0]\n", "4:8: no place '[0]' in this function" },
		{ F "params (\n", "4:8: expected a place or '-', not '('" },
		{ F "node\n", "4:1: expected the node's number behind "
		    "'node'" },
		{ F "node 1 nop\n", "4:6: the next node's number is 0" },
		{ F "node 0\n", "4:6: expected an event behind '0'" },
		{ F "node 0 nap\n", "4:8: expected an event, not 'nap'" },
		{ F "node 0 nop x\n", "4:12: expected an attribute of the "
		    "node, not 'x'" },
		{ F "node 0 set\n", "4:8: expected a place behind 'set'" },
		{ F "node 0 set q = 1\n", "4:12: no place 'q' in this "
		    "function" },
		{ N "node 1 set p 1\n", "6:14: expected '=', not '1'" },
		{ N "node 1 set p =\n", "6:14: expected a value behind "
		    "'='" },
		{ N "node 1 set p = zext 9 p\n", "6:21: a part is of 8, 16 "
		    "or 32 bits" },
		{ N "node 1 set p = low 64 p\n", "6:20: 64 is too large for "
		    "8, 16 or 32" },
		{ N "node 1 set p = zext 64 p\n", "6:21: 64 is too large "
		    "for 8, 16 or 32" },
		{ N "node 1 set p = test p\n", "6:21: expected 'in', '==' "
		    "or '!=' behind 'p'" },
		{ N "node 1 query p means x\n", "6:22: expected 'thread', "
		    "'region', 'atomic' or 'may-enter', not 'x'" },
		{ N "node 1 call\n", "6:8: expected a symbol behind "
		    "'call'" },
		{ N "node 1 call f (1\n", "6:16: expected ')' behind '1'" },
		{ N "node 1 call f (1,\n", "6:17: expected a value behind "
		    "','" },
		{ N "node 1 call f -> q\n", "6:18: no place 'q' in this "
		    "function" },
		{ N "node 1 call f clobber 65536\n", "6:23: 65536 is too "
		    "large for a 16-bit number" },
		{ N "node 1 call f key\n", "6:15: expected a key behind "
		    "'key'" },
		{ F "node 0 simd classes\n", "4:13: expected a register "
		    "class behind 'classes'" },
		{ F "node 0 simd classes xmm,\n", "4:24: expected a register "
		    "class behind ','" },
		{ F "node 0 simd isa sse9\n", "4:17: expected an instruction "
		    "set, not 'sse9'" },
		{ F "node 0 nop aux 256\n", "4:16: 256 is too large for an "
		    "8-bit number" },
		{ N "edge 1 0\n", "6:6: no node 1 before this line" },
		{ N "edge 0 1\nend\n", "6:8: no node 1 in this function" },
		{ N "edge 0\n", "6:6: expected a node behind '0'" },
		{ F "node 0 return\nedge 0 0\n", "5:6: node 0 is a return "
		    "and has no successor" },
		{ N "node 1 nop\nedge 0 0\nedge 1 0\nedge 0 0\n", "9:6: the "
		    "edges of node 0 are not side by side" },
		{ N "edge 0 0 if p\n", "6:13: expected 'in', '==' or '!=' "
		    "behind 'p'" },
		{ N "edge 0 0 if p in 1..\n", "6:18: expected an interval "
		    "such as 1..0/32, not '1..'" },
		{ N "edge 0 0 if p in 256/8\n", "6:18: expected an interval "
		    "such as 1..0/32, not '256/8'" },
		{ N "edge 0 0 if p in 1/65\n", "6:18: expected an interval "
		    "such as 1..0/32, not '1/65'" },
		{ N "edge 0 0 if p in 1/0\n", "6:18: expected an interval "
		    "such as 1..0/32, not '1/0'" },
		{ N "edge 0 0 gate x\n", "6:15: expected 'cpuid', 'xcr0', "
		    "'var' or 'feature', not 'x'" },
		{ N "edge 0 0 gate cpuid 1.x\n", "6:21: expected LEAF or "
		    "LEAF.SUBLEAF, not '1.x'" },
		{ N "edge 0 0 gate cpuid 1 eex\n", "6:23: expected eax, ebx, "
		    "ecx or edx, not 'eex'" },
		{ N "edge 0 0 gate var v\n", "6:19: expected an offset "
		    "behind 'v'" },
		{ N "edge 0 0 x\n", "6:10: expected the end of the line, "
		    "not 'x'" },
		{ N "edge 0 0 \"x\n", "6:10: no closing quote on this "
		    "line" },
	};
	char want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(want, sizeof(want), "g:%s", bad[i].want);
		assert_refused(bad[i].text, want);
	}
}

/* --- the structural check ------------------------------------------------ */

static struct ks_unit *
small(void)
{
	struct ks_unit *u = ks_unit_new("u", KS_FRONT_SRC);
	struct ks_func *f;
	struct ks_edge *e;

	ks_unit_sym(u, "f", 0);
	ks_unit_sym(u, "g", 0);
	*ks_vec_push(&u->stores) = (struct ks_store){ 1, 1 };
	f = ks_unit_func(u, 0);
	ks_func_place(u, f, "p", 0);
	*ks_vec_push(&f->params) = 0;
	*ks_vec_push(&f->args) = (struct ks_val){ .kind = KS_VAL_PLACE };
	*ks_vec_push(&f->keys) = 1;
	*ks_vec_push(&f->gates) = (struct ks_gate){ .reg = 'a' };
	*ks_vec_push(&f->calls) = (struct ks_call){ .sym = 1, .nkey = 1,
	    .narg = 1, .result = 0 };
	ks_func_node(f, KS_EV_CALL);
	f->nodes.v[0].call = 0;
	ks_func_node(f, KS_EV_SET);
	f->nodes.v[1].dst = 0;
	ks_func_node(f, KS_EV_RETURN);
	e = ks_func_edge(f, 0, 1);
	e->cond = 0;
	e->iv = (struct ks_iv){ 1, 0, 8 };
	e->gate = 1;
	ks_func_edge(f, 1, 2);
	return u;
}

/* Breaks one thing of a good unit and sees it found. */
#define BREAK(what, want) do {						\
	struct ks_unit *u = small();					\
	struct ks_func *f __attribute__((unused)) = &u->funcs.v[0];	\
	struct ks_error e_ = { "" };					\
									\
	assert_int_equal(ks_unit_check(u, &e_), KS_OK);			\
	what;								\
	assert_int_equal(ks_unit_check(u, &e_), KS_EPARSE);		\
	assert_string_equal(e_.text, (want));				\
	ks_unit_free(u);						\
} while (0)

static void
the_check_finds_each_fault(void **state)
{
	(void)state;
	BREAK(u->arch = 99, "u: the unit's name, kind or architecture is "
	    "invalid");
	BREAK(u->syms.v[1].name = 99, "u: symbol 1: no such string");
	BREAK(u->syms.v[1].escape_text = 99, "u: symbol 1: no such string");
	BREAK(u->syms.v[1].flags = 1u << 31, "u: symbol 1: unknown flags "
	    "0x80000000");
	BREAK(u->syms.v[1].flags = KS_SYM_FUNC, "u: symbol 1: defined "
	    "without function");
	BREAK((u->syms.v[1].flags = KS_SYM_FUNC, u->syms.v[1].func = 0),
	    "u: symbol 1: its function is another's");
	BREAK(u->stores.v[0].sym = 2, "u: store 0 is invalid");
	BREAK(u->isa_on = UINT64_MAX, "u: unknown instruction set");
	BREAK(*ks_vec_push(&u->allows) = (struct ks_allow){ .id = 99 },
	    "u: allow 0 is invalid");
	BREAK(*ks_vec_push(&u->byvalues) = (struct ks_byvalue){ .type = 99 },
	    "u: byvalue 0 is invalid");
	BREAK(f->section = 99, "u: function 'f': no such string");
	BREAK(f->flags = 1u << 31, "u: function 'f': unknown flags "
	    "0x80000000");
	BREAK(f->nodes.n = 0, "u: function 'f': has no node");
	BREAK(f->places.v[0].flags = 128, "u: function 'f': place 0 is "
	    "invalid");
	BREAK(f->params.v[0] = 1, "u: function 'f': parameter 0: no place 1");
	BREAK(f->args.v[0].ref = 1, "u: function 'f': argument 0 is "
	    "invalid");
	BREAK(f->args.v[0].kind = 6, "u: function 'f': argument 0 is "
	    "invalid");
	BREAK(f->keys.v[0] = 99, "u: function 'f': key 0: no string 99");
	BREAK(f->gates.v[0].kind = 4, "u: function 'f': gate 0: unknown kind "
	    "4");
	BREAK(f->gates.v[0].reg = 'e', "u: function 'f': gate 0: unknown "
	    "register");
	BREAK(f->gates.v[0].var = 99, "u: function 'f': gate 0: no string "
	    "99");
	BREAK((f->gates.v[0].kind = KS_GATE_FEATURE,
	    f->gates.v[0].mask = UINT64_MAX),
	    "u: function 'f': gate 0: unknown instruction set");
	BREAK(f->calls.v[0].sym = 2, "u: function 'f': call 0: no symbol 2");
	BREAK(f->calls.v[0].nkey = UINT32_MAX, "u: function 'f': call 0: no "
	    "key 0");
	BREAK(f->calls.v[0].arg = 1, "u: function 'f': call 0: no argument "
	    "1");
	BREAK(f->calls.v[0].result = 1, "u: function 'f': call 0: no place "
	    "1");
	BREAK(f->calls.v[0].target.kind = 99, "u: function 'f': call 0: "
	    "invalid target");
	BREAK(f->nodes.v[0].ev = 15, "u: function 'f': node 0: unknown event "
	    "15");
	BREAK(f->nodes.v[0].call = 1, "u: function 'f': node 0: no call 1");
	BREAK(f->nodes.v[2].call = 0, "u: function 'f': node 2: no call 0");
	BREAK(f->nodes.v[1].dst = KS_NONE, "u: function 'f': node 1: no "
	    "place 4294967295");
	BREAK(f->nodes.v[2].dst = 1, "u: function 'f': node 2: no place 1");
	BREAK(f->nodes.v[2].classes = 512, "u: function 'f': node 2: unknown "
	    "register class or instruction set");
	BREAK(f->nodes.v[2].val.kind = 9, "u: function 'f': node 2: invalid "
	    "value");
	BREAK(f->nodes.v[2].text = 99, "u: function 'f': node 2: no such "
	    "string");
	BREAK(f->nodes.v[1].ev = KS_EV_END, "u: function 'f': node 1: goes "
	    "on behind its end");
	BREAK(f->nodes.v[1].succ = 2, "u: function 'f': node 1: no edge 2");
	BREAK(f->nodes.v[1].succ = 0, "u: function 'f': edge 0 belongs to "
	    "two nodes");
	BREAK(f->nodes.v[1].nsucc = 0, "u: function 'f': 1 edges belong to "
	    "no node");
	BREAK(f->edges.v[1].to = 3, "u: function 'f': edge 1: no node 3");
	BREAK(f->edges.v[0].cond = 1, "u: function 'f': edge 0: invalid "
	    "condition");
	BREAK(f->edges.v[0].iv.bits = 65, "u: function 'f': edge 0: invalid "
	    "condition");
	BREAK(f->edges.v[0].iv.lo = 256, "u: function 'f': edge 0: invalid "
	    "condition");
	BREAK(f->edges.v[0].gate = 2, "u: function 'f': edge 0: no gate 2");
	BREAK(f->sym = 1, "u: symbol 0: its function is another's");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complements),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(the_manuals_example),
		cmocka_unit_test(equal_names),
		cmocka_unit_test(errors_in_units),
		cmocka_unit_test(errors_in_functions),
		cmocka_unit_test(the_check_finds_each_fault),
		cmocka_unit_test(random_graphs_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
