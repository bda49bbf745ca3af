/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes random programs.
 *
 * 1. A profile, a few constants, intervals and widths are drawn first and
 *    used all over, so that conditions meet each other.
 * 2. Each function has a part to play: a bracket, the begin or end of one, a
 *    helper, one that calls what it is given, one that does not return, any
 *    code, or a graph of random edges.  Calls go mostly to later functions;
 *    some go back.
 * 3. Statements fill it: brackets under conditions that are tested again in
 *    another form (a copy, a comparison's result, a zero extension, a flag
 *    that was set), loops, switches, plain events.
 * 4. Most programs are made with care: SIMD mostly where a region is held,
 *    enters and sleeps mostly where none is.  Some of them, and half of the
 *    careless ones, are then damaged in a place or two.
 */
#include <string.h>

#include "random_gen.h"

static void block(struct gen *g, unsigned budget, unsigned depth);

uint32_t
rnd(struct rng *r, uint32_t n)
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((z ^ z >> 31) >> 32) * n >> 32;
}

bool
chance(struct rng *r, unsigned percent)
{
	return rnd(r, 100) < percent;
}

/* --- statements ------------------------------------------------------- */

static void
simd(struct gen *g)
{
	int marker = gen_find_name(g, R_MARKER);

	if (!gen_room(g, 1) || (g->careful && g->held != IN && !CHANCE(2)))
		return;
	if (marker >= 0 && CHANCE(8))
		gen_call_name(g, marker);
	else if (CHANCE(5))
		gen_emit(g, KS_EV_ASSERT);
	else if (!g->pr->inlined && CHANCE(10))
		gen_emit(g, CHANCE(50) ? KS_EV_RESTORE : KS_EV_SAVE);
	else
		gen_emit(g, KS_EV_SIMD);
}

static void
event(struct gen *g)
{
	if (!gen_room(g, 1))
		return;
	switch (RND(10)) {
	case 0:
	case 1:
		simd(g);
		break;
	case 2:
		if (g->careful && g->held != OUT && !CHANCE(4))
			break;
		if (CHANCE(30))
			gen_emit(g, KS_EV_SLEEP);
		else
			gen_call_name(g, gen_find_name(g, R_SLEEP));
		break;
	case 3:
		gen_call_name(g, gen_find_name(g, CHANCE(5)  ? R_PANIC :
						  CHANCE(60) ? R_UNKNOWN :
							       R_IGNORE))
		    ->result =
		    (int8_t)(CHANCE(60) ? gen_new_place(g) : NOPLACE);
		break;
	case 4:
		gen_query(g, gen_new_place(g));
		break;
	case 5:
		if (g->careful && !CHANCE(10))
			break;
		if (gen_find_name(g, R_THREAD) >= 0 && CHANCE(25))
			gen_call_name(g, gen_find_name(g, R_THREAD));
		else if (CHANCE(10))
			gen_emit(g, KS_EV_THREAD);
		break;
	case 6:
		gen_call_other(g);
		break;
	case 7:
		gen_call_func(g, gen_pick_func(g, -1),
		    CHANCE(60) ? gen_new_place(g) : NOPLACE);
		break;
	default:
		gen_set(g, CHANCE(60) ? gen_new_place(g) : gen_place(g),
		    gen_random_val(g));
		break;
	}
}

/* What is tested: parameter, query, call's result, local. */
static int
subject(struct gen *g)
{
	int p;

	/* Tests of one place meet each other. */
	if (g->favourite < g->f->nplace && CHANCE(35))
		return g->favourite;
	switch (RND(6)) {
	case 0:
	case 1:
		if (g->f->nparam > 0)
			return (int)RND(g->f->nparam);
		break;
	case 2:
	case 3:
		p = gen_new_place(g);
		gen_query(g, p);
		return p;
	case 4:
		p = gen_new_place(g);
		if (CHANCE(50))
			gen_call_func(g, gen_pick_func(g, P_VALUE), p);
		else if (gen_room(g, 1))
			gen_call_name(g, gen_find_name(g, R_UNKNOWN))->result =
			    (int8_t)p;
		return p;
	default:
		break;
	}
	return gen_place(g);
}

/* What it is tested for.  A query's result has no more to say than yes. */
static struct ks_iv
condition(struct gen *g, int p)
{
	struct ks_iv zero = gen_make_iv(CHANCE(80) ? 32 : 8, 0, 0);

	if (p != NOPLACE && (g->queried >> p & 1) && !CHANCE(5))
		return CHANCE(50) ? zero : gen_other(zero);
	return gen_any_iv(g);
}

/* The same condition in another form; changes *P and *IV. */
static void
disguise(struct gen *g, int *p, struct ks_iv *iv)
{
	bool low;
	int q;

	if (!CHANCE(50) || !gen_room(g, 2))
		return;
	q = gen_new_place(g);
	if (q == *p)
		return;
	switch (RND(4)) {
	case 0:
		gen_set(g, q, gen_place_val(*p));
		break;
	case 3:
		/* As wide as the condition: it says the same. */
		low = CHANCE(30);
		gen_set(g, q,
		    iv->bits == 8 || iv->bits == 16 || iv->bits == 32 ?
			(struct val){ .kind = low ? KS_VAL_LOW : KS_VAL_ZEXT,
			    .ref = (uint8_t)*p,
			    .num = iv->bits } :
			gen_place_val(*p));
		if (!low && iv->lo <= iv->hi && CHANCE(50))
			iv->bits = 64;
		break;
	case 1:
		gen_set(g, q, gen_test_val(*p, *iv));
		*iv = CHANCE(50) ? gen_other(gen_make_iv(32, 0, 0)) :
				   gen_make_iv(g->bits[0], 1, 1);
		break;
	default:
		gen_set(g, q, gen_test_val(*p, gen_other(*iv)));
		*iv = gen_make_iv(32, 0, 0);
		break;
	}
	*p = q;
}

/* Both ways of the branch at K meet again. */
static void
then(struct gen *g, unsigned k, void (*what)(struct gen *), bool other_way)
{
	g->last = -1;
	g->nopen = 0;
	gen_add_open(g, k, other_way ? 1 : 0);
	what(g);
	g->last = -1;
	gen_add_open(g, k, other_way ? 0 : 1);
}

static void
body(struct gen *g, unsigned budget, unsigned depth)
{
	if (CHANCE(80))
		simd(g);
	if (CHANCE(50))
		block(g, budget, depth);
}

/* The same where the region is held only if PLACE is in IV, or not in it. */
static void
body_if(struct gen *g, unsigned budget, unsigned depth, int place,
    struct ks_iv iv, bool way)
{
	int held = g->held;

	if (!g->careful) {
		body(g, budget, depth);
		return;
	}
	g->held = MAYBE;
	if (CHANCE(30))
		block(g, budget / 2, depth);
	if (gen_room(g, 3)) {
		g->held = IN;
		then(g, gen_branch_if(g, place, iv), simd, way);
		g->held = MAYBE;
	}
	if (CHANCE(20))
		block(g, budget / 2, depth);
	g->held = held;
}

/* The same where it is held. */
static void
body_in(struct gen *g, unsigned budget, unsigned depth)
{
	int held = g->held;

	g->held = IN;
	body(g, budget, depth);
	g->held = held;
}

/* if (c) enter; ...; if (c) leave */
static void
guarded(struct gen *g, unsigned budget, unsigned depth)
{
	bool mode = CHANCE(40); /* if (!held) enter; ... */
	int p = mode ? gen_new_place(g) : subject(g), q;
	struct ks_iv iv, again;
	bool way = CHANCE(50);

	if (!gen_room(g, 7))
		return;
	iv = condition(g, p);
	if (mode) {
		gen_query(g, p);
		iv = gen_make_iv(g->bits[0] == 64 ? 32 : g->bits[0], 0, 0);
		way = false;
	}
	q = p;
	again = iv;
	if (CHANCE(50))
		disguise(g, &q, &again);
	else
		disguise(g, &p, &iv);
	then(g, gen_branch_if(g, p, iv), gen_enter, way);
	if (mode)
		body_in(g, budget / 2, depth + 1);
	else
		body_if(g, budget / 2, depth + 1, q, again, way);
	if (!gen_room(g, 3))
		return;
	if (CHANCE(30))
		disguise(g, &q, &again);
	then(g, gen_branch_if(g, q, again), gen_leave, way);
}

/* f = 0; if (c) { enter; f = 1; } ...; if (f) leave */
static void
flagged(struct gen *g, unsigned budget, unsigned depth)
{
	int f = gen_new_place(g), p;
	unsigned k;

	if (!gen_room(g, 7))
		return;
	gen_set(g, f, gen_constant(0));
	p = subject(g);
	if (p == f || !gen_room(g, 6))
		return;
	k = gen_branch_if(g, p, condition(g, p));
	gen_add_open(g, k, 0);
	gen_enter(g);
	gen_set(g, f, gen_constant(CHANCE(80) ? 1 : g->num[RND(3)]));
	g->last = -1;
	gen_add_open(g, k, 1);
	body_if(g, budget / 2, depth + 1, f, gen_make_iv(32, 0, 0), true);
	if (gen_room(g, 3))
		then(g,
		    gen_branch_if(g, f, gen_make_iv(CHANCE(80) ? 32 : 8, 0, 0)),
		    gen_leave, true);
}

/* x = begin(); ...; end(x) */
static void
wrapped(struct gen *g, unsigned budget, unsigned depth)
{
	int x = gen_new_place(g);
	struct node *n;

	if (!gen_room(g, 4) ||
	    gen_call_func(g, gen_pick_func(g, P_BEGIN), x) == NULL)
		return;
	body_if(g, budget / 2, depth + 1, x, gen_make_iv(32, 0, 0), true);
	if (!gen_room(g, 2))
		return;
	n = gen_call_func(g, gen_pick_func(g, P_END), NOPLACE);
	if (n != NULL) {
		n->narg = 1;
		n->arg[0] = gen_place_val(x);
	} else {
		then(g, gen_branch_if(g, x, gen_make_iv(32, 0, 0)), gen_leave,
		    true);
	}
}

static void
bracket(struct gen *g, unsigned budget, unsigned depth)
{
	gen_enter(g);
	body_in(g, budget, depth + 1);
	gen_leave(g);
}

/* A region in a region, where that may be right. */
static void
nested(struct gen *g, unsigned budget, unsigned depth)
{
	struct node *n;

	bool may = g->pr->names[0].counted || g->pr->names[0].flags >= 0;

	if (!gen_room(g, 4) || g->pr->inlined || (g->careful && !may))
		return;
	if (g->held != IN)
		gen_enter(g);
	n = gen_call_name(g, 0);
	n->arg[1] = gen_constant(0);
	body_in(g, budget, depth + 1);
	n = CHANCE(60) ? gen_call_func(g, gen_pick_func(g, P_END), NOPLACE) :
			 NULL;
	if (n != NULL) {
		n->narg = 1;
		n->arg[0] = gen_constant(1);
	} else {
		gen_leave(g);
	}
	body_in(g, 2, 3);
	if (g->held != IN)
		gen_leave(g);
}

static void
returns(struct gen *g)
{
	struct node *n;

	if (g->nopen == 0)
		return;
	n = gen_emit(g, g->f->noreturn || CHANCE(4) ? KS_EV_END : KS_EV_RETURN);
	if (n->ev == KS_EV_RETURN)
		n->val = gen_random_val(g);
}

static void
if_else(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned k, nthen, from;
	struct {
		uint8_t node, edge;
	} keep[96];
	int p = CHANCE(85) ? subject(g) : NOPLACE;

	if (!gen_room(g, 3))
		return;
	k = gen_branch_if(g, p, condition(g, p));
	gen_add_open(g, k, 0);
	block(g, budget / 2, depth + 1);
	if (CHANCE(15) && gen_room(g, 2))
		returns(g);
	nthen = g->nopen;
	memcpy(keep, g->open, sizeof(keep[0]) * nthen);
	g->nopen = 0;
	g->last = -1;
	gen_add_open(g, k, 1);
	if (CHANCE(50))
		block(g, budget / 2, depth + 1);
	from = g->nopen;
	for (unsigned i = 0; i < nthen && from + i < 90; i++)
		gen_add_open(g, keep[i].node, keep[i].edge);
	g->last = -1;
}

static void
loop(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned k, head;
	int p;

	if (!gen_room(g, 4))
		return;
	gen_emit(g, KS_EV_NOP);
	head = (unsigned)g->last;
	p = CHANCE(60) ? subject(g) : NOPLACE;
	if (!gen_room(g, 3))
		return;
	k = gen_branch_if(g, p, condition(g, p));
	gen_add_open(g, k, 0);
	if (CHANCE(30) && (g->held == OUT || !g->careful))
		bracket(g, budget / 2, depth + 1);
	else
		block(g, budget / 2, depth + 1);
	gen_link_open(g, head);
	g->last = -1;
	gen_add_open(g, k, 1);
}

static void
switches(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned b = g->bits[0], n = 3, k, ends = 0;
	uint64_t cut[3] = { g->num[0] & gen_mask_of(b),
		g->num[1] & gen_mask_of(b), (g->num[2] + 2) & gen_mask_of(b) };
	struct {
		uint8_t node, edge;
	} keep[96];
	int p = subject(g);

	for (unsigned i = 0; i < 3; i++)
		for (unsigned j = i + 1; j < 3; j++)
			if (cut[j] < cut[i]) {
				uint64_t x = cut[i];

				cut[i] = cut[j];
				cut[j] = x;
			}
	if (cut[0] == cut[1] || cut[1] == cut[2] || !gen_room(g, 5))
		return;
	k = gen_branch(g, n);
	for (unsigned i = 0; i < n; i++) {
		g->f->n[k].e[i].cond = (int8_t)p;
		g->f->n[k].e[i].iv =
		    gen_make_iv(b, cut[i], cut[(i + 1) % n] - 1);
	}
	for (unsigned i = 0; i < n; i++) {
		g->nopen = 0;
		g->last = -1;
		gen_add_open(g, k, i);
		block(g, budget / 3, depth + 1);
		for (unsigned j = 0; j < g->nopen && ends < 30; j++) {
			keep[ends].node = g->open[j].node;
			keep[ends++].edge = g->open[j].edge;
		}
	}
	g->nopen = 0;
	g->last = -1;
	for (unsigned i = 0; i < ends; i++)
		gen_add_open(g, keep[i].node, keep[i].edge);
}

static void
block(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned n = 1 + RND(3);

	for (unsigned i = 0; i < n && gen_room(g, 1); i++) {
		if (depth > 3 || budget < 2 ||
		    (g->careful && g->held != OUT && !CHANCE(4) &&
			CHANCE(60))) {
			event(g);
			continue;
		}
		/* Only conditions and loops where a region is held. */
		switch (g->careful && g->held != OUT && !CHANCE(4) ?
			    8 + RND(8) :
			    RND(16)) {
		case 0:
		case 1:
		case 2:
			guarded(g, budget, depth);
			break;
		case 3:
		case 4:
			flagged(g, budget, depth);
			break;
		case 5:
		case 6:
			wrapped(g, budget, depth);
			break;
		case 7:
			bracket(g, budget, depth);
			break;
		case 8:
		case 9:
			if_else(g, budget, depth);
			break;
		case 10:
			loop(g, budget, depth);
			break;
		case 11:
			switches(g, budget, depth);
			break;
		case 12:
			nested(g, budget, depth);
			break;
		default:
			event(g);
		}
	}
}

/* --- functions -------------------------------------------------------- */

static void
finish(struct gen *g, struct val ret)
{
	struct node *n;

	if (g->nopen == 0)
		return;
	if (!g->f->noreturn && g->last >= 0 && g->nopen == 1 &&
	    g->open[0].node == g->last && g->f->n[g->last].ev == KS_EV_CALL &&
	    g->f->n[g->last].nedge == 1 && CHANCE(50)) {
		g->f->n[g->last].nedge = 0;
		g->f->n[g->last].tail = true;
		g->nopen = 0;
		return;
	}
	n = gen_emit(g, g->f->noreturn ? KS_EV_END : KS_EV_RETURN);
	n->val = ret;
}

/* Enters, or not, and says so. */
static void
begin(struct gen *g)
{
	int p = CHANCE(g->careful ? 3 : 30) ? NOPLACE : subject(g),
	    f = gen_new_place(g);
	unsigned k;
	struct node *n;

	if (!gen_room(g, 4))
		return;
	if (CHANCE(30)) {  /* one return */
		gen_set(g, f, gen_constant(0));
		k = gen_branch_if(g, p, condition(g, p));
		gen_add_open(g, k, CHANCE(50));
		gen_enter(g);
		gen_set(g, f, gen_constant(1));
		g->last = -1;
		gen_add_open(g, k, g->f->n[k].e[0].to != 0 ? 1 : 0);
		finish(g, gen_place_val(f));
		return;
	}
	k = gen_branch_if(g, p, condition(g, p));
	gen_add_open(g, k, 0);
	gen_enter(g);
	n = gen_emit(g, KS_EV_RETURN);
	n->val =
	    gen_constant(CHANCE(g->careful ? 97 : 90) ? 1 : g->num[RND(3)]);
	g->last = -1;
	gen_add_open(g, k, 1);
	finish(g, gen_constant(CHANCE(97) ? 0 : 1));
}

static void
end(struct gen *g)
{
	struct ks_iv iv = CHANCE(g->careful ? 98 : 80) ? gen_make_iv(32, 0, 0) :
							 gen_any_iv(g);

	if (g->f->nparam == 0) {
		g->f->nparam = 1;
		g->f->nplace++;
	}
	then(g, gen_branch_if(g, 0, iv), gen_leave, true);
	if (CHANCE(25))
		event(g);
	finish(g, gen_random_val(g));
}

/* Calls a parameter, or has function OTHER do it. */
static void
call_param(struct gen *g, int other)
{
	struct node *n = gen_emit(g, KS_EV_CALL);
	uint8_t param = (uint8_t)RND(g->f->nparam);

	n->callee = other < 0 ? TO_PLACE : TO_FUNC;
	n->id = other < 0 ? param : (uint8_t)other;
	n->narg = other < 0 ? (uint8_t)RND(2) : 1;
	n->arg[0] = other < 0 ? gen_random_val(g) : gen_place_val(param);
}

/* SIMD for some arguments, and for others. */
static void
choices(struct gen *g)
{
	if (g->f->nparam == 0) {
		g->f->nparam = 1;
		g->f->nplace++;
	}
	for (int i = 0; i < 2 && gen_room(g, 4); i++)
		then(g, gen_branch_if(g, (int)RND(g->f->nparam), gen_any_iv(g)),
		    simd, CHANCE(50));
}

/* Returns something that changes on the way, or what it was given. */
static void
value(struct gen *g)
{
	int v = gen_new_place(g);
	unsigned head, k;

	gen_set(g, v, CHANCE(40) && g->f->nparam > 0 ? gen_place_val(0) :
	    gen_constant(RND(2)));
	if (gen_room(g, 4) && CHANCE(70)) {
		gen_emit(g, KS_EV_NOP);
		head = (unsigned)g->last;
		k = gen_branch_if(g, CHANCE(50) ? NOPLACE : gen_place(g),
		    gen_any_iv(g));
		gen_add_open(g, k, 0);
		if (CHANCE(40))
			returns(g);
		else
			gen_set(g, v, gen_random_val(g));
		gen_link_open(g, head);
		g->last = -1;
		gen_add_open(g, k, 1);
	}
	g->room = MAXNODE;
	finish(g, gen_place_val(v));
}

static void
random_graph(struct gen *g)
{
	unsigned n = 3 + RND(g->room > 12 ? 10 : g->room - 3);

	while (g->f->nnode < n) {
		g->nopen = 1;  /* keep event() going */
		g->open[0].node = g->open[0].edge = 0;
		if (g->f->nnode == 0 || CHANCE(40))
			gen_emit(g, KS_EV_NOP);
		else if (CHANCE(25))
			(CHANCE(50) ? gen_enter : gen_leave)(g);
		else if (CHANCE(12))
			returns(g);
		else
			event(g);
	}
	g->nopen = 0;
	n = g->f->nnode;
	for (unsigned i = 0; i < n; i++) {
		struct node *x = &g->f->n[i];
		int p = gen_place(g);
		struct ks_iv iv = gen_any_iv(g);

		if (x->nedge == 0)
			continue;
		x->e[0].to =
		    (uint8_t)(CHANCE(60) && i + 1U < n ? i + 1 : RND(n));
		if (!CHANCE(40))
			continue;
		x->nedge = 2;
		x->e[1] =
		    (struct edge){ .cond = NOPLACE, .to = (uint8_t)RND(n) };
		if (CHANCE(80)) {
			x->e[0].cond = x->e[1].cond = (int8_t)p;
			x->e[0].iv = iv;
			x->e[1].iv = CHANCE(85) ? gen_other(iv) : gen_any_iv(g);
		}
	}
}

static void
function(struct gen *g, uint8_t fi)
{
	unsigned budget;
	bool cb_in;

	g->fi = fi;
	g->queried = 0;
	g->favourite = (int)RND(3);
	g->held = g->part[fi] == P_HELPER ? IN : OUT;
	g->f = &g->p->f[fi];
	g->nopen = 0;
	g->last = -1;
	g->room = CHANCE(70) ? 8 + RND(8) : MAXNODE;
	for (unsigned i = 0; i < 3; i++)
		g->iv[i] = gen_random_iv(g);
	g->f->nparam = (uint8_t)RND(MAXPARAM + 1);
	if (g->part[fi] == P_APPLY && g->f->nparam == 0)
		g->f->nparam = 1;
	g->f->nplace = (uint8_t)(g->f->nparam + 1);
	g->f->noreturn = g->part[fi] == P_NORETURN;
	gen_emit(g, KS_EV_NOP);
	budget = 4 + RND(8);
	switch (g->part[fi]) {
	case P_BRACKET:
		if (CHANCE(50))
			block(g, 2, 2);
		if (CHANCE(50))
			bracket(g, budget, 1);
		else
			guarded(g, budget, 1);
		break;
	case P_BEGIN:
		begin(g);
		break;
	case P_END:
		end(g);
		break;
	case P_HELPER:
		if (CHANCE(60))
			simd(g);
		else
			choices(g);
		block(g, 3, 2);
		break;
	case P_VALUE:
		value(g);
		break;
	case P_APPLY:
		cb_in = CHANCE(50);
		if (cb_in)
			gen_enter(g);
		for (int i = CHANCE(30) ? 0 : 1; i < 2 && gen_room(g, 2); i++) {
			int other = CHANCE(35) ? gen_pick_func(g, P_APPLY) : -1;

			call_param(g, other);
			g->held = cb_in ? IN : MAYBE;
			block(g, 2, 2);
		}
		if (cb_in || (!g->careful && CHANCE(30)))
			gen_leave(g);
		break;
	case P_RANDOM:
		g->f->nnode = 0;
		random_graph(g);
		break;
	default:
		block(g, budget, 0);
		if (gen_room(g, 4))
			block(g, budget, 0);
		break;
	}
	g->room = MAXNODE;
	finish(g, gen_random_val(g));
	if (CHANCE(g->part[fi] == P_HELPER ? 10 : g->careful ? 1 : 5))
		g->f->flags = CHANCE(50) ? KS_FUNC_NEEDS : KS_FUNC_HELD;
	for (unsigned i = 0; i < g->f->nplace; i++)
		if (CHANCE(10))
			g->f->pflags[i] = (uint8_t)(1 << RND(3));
}

/* One fault: an event, an edge, a condition, an argument. */
static void
damage(struct gen *g)
{
	struct func *f = g->f = &g->p->f[RND(g->p->nfunc)];
	struct node *n = &f->n[RND(f->nnode)];

	switch (RND(6)) {
	case 0:
		if (n->nedge > 0 && n->ev != KS_EV_CALL)
			n->ev = KS_EV_NOP;
		break;
	case 1:
		if (n->nedge > 0 && n->ev != KS_EV_CALL)
			n->ev = KS_EV_SIMD;
		break;
	case 2:
		if (n->nedge > 0)
			n->e[RND(n->nedge)].to = (uint8_t)RND(f->nnode);
		break;
	case 3:
		if (n->nedge > 1 && n->e[0].iv.bits != 0)
			n->e[RND(n->nedge)].iv = gen_random_iv(g);
		break;
	case 4:
		if (n->ev == KS_EV_CALL)
			n->arg[RND(MAXARG)] = gen_random_val(g);
		break;
	default:
		if (n->ev == KS_EV_SET || n->ev == KS_EV_RETURN)
			n->val = gen_random_val(g);
		break;
	}
}

void
generate(struct program *p, uint64_t seed)
{
	static const uint64_t nums[] = { 1, 2, 3, 4, 5, 8, 0x7f, 0x80, 0xff,
		0x100, UINT64_MAX };
	static const uint8_t parts[] = { P_BRACKET, P_BRACKET, P_BEGIN, P_BEGIN,
		P_END, P_END, P_HELPER, P_HELPER, P_HELPER, P_VALUE, P_VALUE,
		P_APPLY, P_NORETURN, P_ANY, P_ANY, P_ANY, P_RANDOM, P_RANDOM };
	struct gen gen = { .p = p }, *g = &gen;

	g->r.s = seed * 0xd1342543de82ef95 + 0x2545f4914f6cdd1d;
	RND(2);
	memset(p, 0, sizeof(*p));
	p->profile = (uint8_t)RND(NPROFILE);
	g->pr = &profiles[p->profile];
	p->nfunc = (uint8_t)(1 + RND(MAXFUNC));
	g->careful = CHANCE(75);
	g->bits[0] = CHANCE(80) ? 32 : CHANCE(50) ? 8 : 64;
	g->bits[1] = CHANCE(75) ? g->bits[0] : CHANCE(50) ? 8 : 64;
	for (unsigned i = 0; i < 3; i++)
		g->num[i] =
		    nums[CHANCE(70) ? RND(4) :
				      RND(sizeof(nums) / sizeof(nums[0]))];
	for (unsigned i = 0; i < p->nfunc; i++)
		g->part[i] =
		    i == 0 && CHANCE(70) ?
			(CHANCE(60) ? P_ANY : P_BRACKET) :
			parts[RND(sizeof(parts) - (g->careful ? 2 : 0))];
	for (unsigned i = 0; i < p->nfunc; i++)
		function(g, (uint8_t)i);
	p->nstore = (uint8_t)RND(MAXSTORE);
	for (unsigned i = 0; i < p->nstore; i++) {
		p->store[i].key = (uint8_t)RND(NKEY);
		p->store[i].func = CHANCE(15) ? -1 : (int8_t)RND(p->nfunc);
	}
	for (unsigned i = CHANCE(g->careful ? 80 : 50) ? 0 : 1 + RND(2); i > 0;
	    i--)
		damage(g);
}
