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

#include "random.h"

enum part { P_BRACKET, P_BEGIN, P_END, P_HELPER, P_APPLY, P_NORETURN, P_ANY,
	P_RANDOM };

struct gen {
	struct program *p;
	const struct profile *pr;
	struct rng r;
	struct func *f;
	uint8_t	 fi, part[MAXFUNC];
	int	 favourite;	/* place that is tested most */
	uint8_t	 queried;	/* places that hold a query's result */
	bool	 careful;	/* mostly right programs */
	enum { OUT, IN, MAYBE } held;	/* here, if all is right */
	unsigned room;		/* nodes this function may have */
	unsigned bits[2];
	uint64_t num[3];
	struct ks_iv iv[3];	/* of this function */
	int	 last;		/* node that the next one follows, or -1 */
	struct { uint8_t node, edge; } open[96];
	unsigned nopen;
};

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

#define RND(n)		rnd(&g->r, (n))
#define CHANCE(n)	chance(&g->r, (n))

/* --- intervals ------------------------------------------------------------------ */

static uint64_t
mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static struct ks_iv
make_iv(unsigned bits, uint64_t lo, uint64_t hi)
{
	return (struct ks_iv){ .lo = lo & mask_of(bits),
	    .hi = hi & mask_of(bits), .bits = (uint8_t)bits };
}

static struct ks_iv
other(struct ks_iv iv)
{
	return make_iv(iv.bits, iv.hi + 1, iv.lo - 1);
}

static struct ks_iv
random_iv(struct gen *g)
{
	unsigned b = g->bits[CHANCE(75) ? 0 : 1];
	uint64_t k = CHANCE(50) ? 0 : g->num[RND(3)], l = g->num[RND(3)];
	struct ks_iv iv;

	switch (RND(6)) {
	case 0: case 1: case 2:
		iv = make_iv(b, k, k);
		break;
	case 3:				/* less, without sign */
		iv = make_iv(b, 0, k == 0 ? 0 : k - 1);
		break;
	case 4:				/* less, with sign */
		iv = make_iv(b, (uint64_t)1 << (b - 1), k - 1);
		break;
	default:
		iv = k < l ? make_iv(b, k, l) : make_iv(b, l, k);
		break;
	}
	if (((iv.hi - iv.lo) & mask_of(b)) == mask_of(b))
		iv = make_iv(b, 0, 0);
	return CHANCE(40) ? other(iv) : iv;
}

static struct ks_iv
any_iv(struct gen *g)
{
	return CHANCE(80) ? g->iv[RND(3)] : random_iv(g);
}

/* --- nodes and edges -------------------------------------------------------------- */

static bool
room(const struct gen *g, unsigned n)
{
	return g->f->nnode + n < g->room && g->nopen > 0;
}

static void
link_open(struct gen *g, unsigned to)
{
	for (unsigned i = 0; i < g->nopen; i++)
		g->f->n[g->open[i].node].e[g->open[i].edge].to = (uint8_t)to;
	g->nopen = 0;
}

static void
add_open(struct gen *g, unsigned node, unsigned edge)
{
	g->open[g->nopen].node = (uint8_t)node;
	g->open[g->nopen++].edge = (uint8_t)edge;
}

/* A node behind all open edges; goes on by one edge, unless it ends. */
static struct node *
emit(struct gen *g, enum ks_event ev)
{
	unsigned k = g->f->nnode++;
	struct node *n = &g->f->n[k];

	memset(n, 0, sizeof(*n));
	n->ev = (uint8_t)ev;
	n->dst = n->result = NOPLACE;
	link_open(g, k);
	g->last = (int)k;
	if (ev != KS_EV_RETURN && ev != KS_EV_END) {
		n->nedge = 1;
		n->e[0].cond = NOPLACE;
		add_open(g, k, 0);
	}
	return n;
}

/*
 * A node with N edges, all of them closed: the one before, if nothing but
 * it comes here, else a new one.
 */
static unsigned
branch(struct gen *g, unsigned n)
{
	unsigned k;

	if (g->nopen != 1 || g->last < 0 || g->open[0].node != g->last ||
	    g->f->n[g->last].nedge != 1 || CHANCE(50))
		emit(g, KS_EV_NOP);
	k = (unsigned)g->last;
	g->nopen = 0;
	g->f->n[k].nedge = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		g->f->n[k].e[i] = (struct edge){ .cond = NOPLACE };
	g->last = -1;
	return k;
}

static unsigned
branch_if(struct gen *g, int place, struct ks_iv iv)
{
	unsigned k = branch(g, 2);

	if (place == NOPLACE)
		return k;
	g->f->n[k].e[0].cond = g->f->n[k].e[1].cond = (int8_t)place;
	g->f->n[k].e[0].iv = iv;
	g->f->n[k].e[1].iv = other(iv);
	return k;
}

/* --- values -------------------------------------------------------------------------- */

static int
place(struct gen *g)
{
	return (int)RND(g->f->nplace);
}

static int
new_place(struct gen *g)
{
	int p = g->f->nplace;

	if (p == MAXPLACE)
		p = g->f->nparam + (int)RND(MAXPLACE - g->f->nparam);
	else
		g->f->nplace++;
	g->queried &= (uint8_t)~(1 << p);
	return p;
}

static struct val
constant(uint64_t k)
{
	return (struct val){ .kind = KS_VAL_CONST, .num = k };
}

static struct val
place_val(int p)
{
	return (struct val){ .kind = KS_VAL_PLACE, .ref = (uint8_t)p };
}

static struct val
test_val(int p, struct ks_iv iv)
{
	return (struct val){ .kind = KS_VAL_TEST, .ref = (uint8_t)p,
	    .iv = iv };
}

static struct val
random_val(struct gen *g)
{
	switch (RND(8)) {
	case 0: case 1:
		return constant(CHANCE(60) ? RND(2) : g->num[RND(3)]);
	case 2: case 3: case 4:
		return place_val(place(g));
	case 5:
		return test_val(place(g), any_iv(g));
	case 6:
		return (struct val){ .kind = KS_VAL_ZEXT,
		    .ref = (uint8_t)place(g),
		    .num = g->bits[1] <= 32 && g->bits[1] >= 8 ? g->bits[1] :
		    (uint64_t)8 << RND(3) };
	default:
		return (struct val){ .kind = KS_VAL_UNKNOWN };
	}
}

static void
set(struct gen *g, int dst, struct val v)
{
	struct node *n;

	if (!room(g, 1))
		return;
	n = emit(g, KS_EV_SET);
	n->dst = (int8_t)dst;
	n->val = v;
}

/* --- calls ------------------------------------------------------------------------------ */

static int
find_name(struct gen *g, enum role role)
{
	int best = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < g->pr->nnames; i++)
		if (g->pr->names[i].role == role && RND(++n) == 0)
			best = (int)i;
	return best;
}

static struct node *
call_name(struct gen *g, int name)
{
	const struct name *d = &g->pr->names[name];
	struct node *n = emit(g, KS_EV_CALL);

	n->callee = TO_NAME;
	n->id = (uint8_t)name;
	n->narg = (uint8_t)RND(2);
	for (unsigned i = 0; i < MAXARG; i++)
		n->arg[i] = random_val(g);
	if (d->flags >= 0) {
		n->narg = (uint8_t)(d->flags + 1);
		n->arg[d->flags] = CHANCE(92) ?
		    constant(CHANCE(50) ? d->mask : CHANCE(50) ? 0 : 9) :
		    CHANCE(50) ? place_val(place(g)) :
		    (struct val){ .kind = KS_VAL_UNKNOWN };
	}
	return n;
}

static void
enter(struct gen *g)
{
	int name = find_name(g, R_ENTER);

	if (!room(g, 1))
		return;
	if (g->pr->inlined)
		emit(g, KS_EV_SAVE);
	else if (CHANCE(10))
		emit(g, KS_EV_ENTER);
	else
		call_name(g, name);
}

static void
leave(struct gen *g)
{
	int name = find_name(g, R_LEAVE);

	if (!room(g, 1))
		return;
	if (g->pr->inlined)
		emit(g, KS_EV_RESTORE);
	else if (CHANCE(10))
		emit(g, KS_EV_LEAVE);
	else
		call_name(g, name);
}

/* Into PLACE, or nowhere. */
static void
query(struct gen *g, int dst)
{
	int name = find_name(g, R_QUERY);
	struct node *n;

	if (!room(g, 1))
		return;
	if (dst != NOPLACE)
		g->queried |= (uint8_t)(1 << dst);
	if (CHANCE(15)) {
		n = emit(g, KS_EV_QUERY);
		n->dst = (int8_t)(dst == NOPLACE ? new_place(g) : dst);
		n->aux = g->pr->names[name].means;
		if (g->pr->names[name].exact)
			n->aux |= KS_MEANS_EXACT;
		return;
	}
	n = call_name(g, name);
	n->result = (int8_t)dst;
}

static int
pick_func(struct gen *g, int part)
{
	int best = -1;
	unsigned n = 0;
	static const bool fits[][3] = {
		[P_BRACKET] = { true, false, false },
		[P_BEGIN] = { false, false, false },
		[P_END] = { false, false, false },
		[P_HELPER] = { false, true, false },
		[P_APPLY] = { true, true, false },
		[P_NORETURN] = { false, false, false },
		[P_ANY] = { true, false, false },
		[P_RANDOM] = { true, false, false },
	};

	for (int i = 0; i < g->p->nfunc; i++) {
		if (part >= 0 && g->part[i] != part)
			continue;
		if (i <= g->fi && !CHANCE(12))
			continue;
		if (g->careful && part < 0 && !CHANCE(4) &&
		    !fits[g->part[i]][g->held])
			continue;
		if (RND(++n) == 0)
			best = i;
	}
	return best;
}

static struct node *
call_func(struct gen *g, int func, int result)
{
	struct node *n;

	if (func < 0 || !room(g, 1))
		return NULL;
	n = emit(g, KS_EV_CALL);
	n->callee = TO_FUNC;
	n->id = (uint8_t)func;
	n->result = (int8_t)result;
	n->narg = (uint8_t)RND(MAXARG + 1);
	for (unsigned i = 0; i < MAXARG; i++) {
		n->arg[i] = random_val(g);
		if (g->part[func] == P_APPLY && CHANCE(70)) {
			int cb = pick_func(g, -1);

			if (CHANCE(8))
				cb = NAME_REF + (int)RND(g->pr->nnames);
			if (cb >= 0)
				n->arg[i] = (struct val){ .kind = KS_VAL_SYM,
				    .ref = (uint8_t)cb };
			if (i == 0 && n->narg == 0)
				n->narg = 1;
		}
	}
	return n;
}

static void
call_other(struct gen *g)
{
	struct node *n;
	int cb, name = find_name(g, R_SUSPEND);

	if (!room(g, 1))
		return;
	switch (RND(4)) {
	case 0:
		if (g->f->nparam > 0 || CHANCE(30)) {
			n = emit(g, KS_EV_CALL);
			n->callee = TO_PLACE;
			n->id = (uint8_t)(g->f->nparam > 0 && CHANCE(85) ?
			    (int)RND(g->f->nparam) : place(g));
			n->narg = (uint8_t)RND(2);
			n->arg[0] = random_val(g);
			n->result = CHANCE(30) ? (int8_t)place(g) : NOPLACE;
		}
		return;
	case 1:
		n = emit(g, KS_EV_CALL);
		n->callee = TO_KEY;
		n->id = (uint8_t)RND(NKEY);
		n->narg = (uint8_t)RND(2);
		n->arg[0] = random_val(g);
		n->result = CHANCE(50) ? (int8_t)place(g) : NOPLACE;
		return;
	case 2:
		cb = pick_func(g, -1);
		if (CHANCE(8))
			cb = NAME_REF + (int)RND(g->pr->nnames);
		if (name < 0 || cb < 0)
			return;
		n = call_name(g, name);
		n->narg = (uint8_t)(g->pr->names[name].callback + 1);
		n->arg[n->narg - 1] = CHANCE(60) || g->f->nparam == 0 ?
		    (struct val){ .kind = KS_VAL_SYM, .ref = (uint8_t)cb } :
		    place_val((int)RND(g->f->nparam));
		return;
	default:
		cb = CHANCE(10) ? NAME_REF + (int)RND(g->pr->nnames) :
		    pick_func(g, -1);
		if (cb >= 0 && CHANCE(40))
			set(g, new_place(g), (struct val){ .kind = KS_VAL_SYM,
			    .ref = (uint8_t)cb });
		return;
	}
}

/* --- statements --------------------------------------------------------------------------- */

static void
simd(struct gen *g)
{
	int marker = find_name(g, R_MARKER);

	if (!room(g, 1) || (g->careful && g->held != IN && !CHANCE(2)))
		return;
	if (marker >= 0 && CHANCE(8))
		call_name(g, marker);
	else if (CHANCE(5))
		emit(g, KS_EV_ASSERT);
	else if (!g->pr->inlined && CHANCE(10))
		emit(g, CHANCE(50) ? KS_EV_RESTORE : KS_EV_SAVE);
	else
		emit(g, KS_EV_SIMD);
}

static void
event(struct gen *g)
{
	if (!room(g, 1))
		return;
	switch (RND(10)) {
	case 0: case 1:
		simd(g);
		break;
	case 2:
		if (g->careful && g->held != OUT && !CHANCE(4))
			break;
		if (CHANCE(30))
			emit(g, KS_EV_SLEEP);
		else
			call_name(g, find_name(g, R_SLEEP));
		break;
	case 3:
		call_name(g, find_name(g, CHANCE(5) ? R_PANIC : CHANCE(60) ?
		    R_UNKNOWN : R_IGNORE))->result =
		    (int8_t)(CHANCE(60) ? new_place(g) : NOPLACE);
		break;
	case 4:
		query(g, new_place(g));
		break;
	case 5:
		if (g->careful && !CHANCE(10))
			break;
		if (find_name(g, R_THREAD) >= 0 && CHANCE(25))
			call_name(g, find_name(g, R_THREAD));
		else if (CHANCE(10))
			emit(g, KS_EV_THREAD);
		break;
	case 6:
		call_other(g);
		break;
	case 7:
		call_func(g, pick_func(g, -1),
		    CHANCE(60) ? new_place(g) : NOPLACE);
		break;
	default:
		set(g, CHANCE(60) ? new_place(g) : place(g), random_val(g));
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
	case 0: case 1:
		if (g->f->nparam > 0)
			return (int)RND(g->f->nparam);
		break;
	case 2: case 3:
		p = new_place(g);
		query(g, p);
		return p;
	case 4:
		p = new_place(g);
		if (room(g, 1))
			call_name(g, find_name(g, R_UNKNOWN))->result =
			    (int8_t)p;
		return p;
	default:
		break;
	}
	return place(g);
}

/* What it is tested for.  A query's result has no more to say than yes. */
static struct ks_iv
condition(struct gen *g, int p)
{
	struct ks_iv zero = make_iv(CHANCE(80) ? 32 : 8, 0, 0);

	if (p != NOPLACE && (g->queried >> p & 1) && !CHANCE(5))
		return CHANCE(50) ? zero : other(zero);
	return any_iv(g);
}

/* The same condition in another form; changes *P and *IV. */
static void
disguise(struct gen *g, int *p, struct ks_iv *iv)
{
	int q;

	if (!CHANCE(50) || !room(g, 2))
		return;
	q = new_place(g);
	if (q == *p)
		return;
	switch (RND(4)) {
	case 0:
		set(g, q, place_val(*p));
		break;
	case 3:
		/* As wide as the condition: it says the same. */
		set(g, q, iv->bits == 8 || iv->bits == 16 || iv->bits == 32 ?
		    (struct val){ .kind = KS_VAL_ZEXT, .ref = (uint8_t)*p,
		    .num = iv->bits } : place_val(*p));
		if (iv->lo <= iv->hi && CHANCE(50))
			iv->bits = 64;
		break;
	case 1:
		set(g, q, test_val(*p, *iv));
		*iv = CHANCE(50) ? other(make_iv(32, 0, 0)) :
		    make_iv(g->bits[0], 1, 1);
		break;
	default:
		set(g, q, test_val(*p, other(*iv)));
		*iv = make_iv(32, 0, 0);
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
	add_open(g, k, other_way ? 1 : 0);
	what(g);
	g->last = -1;
	add_open(g, k, other_way ? 0 : 1);
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
	if (room(g, 3)) {
		g->held = IN;
		then(g, branch_if(g, place, iv), simd, way);
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
	bool mode = CHANCE(40);		/* if (!held) enter; ... */
	int p = mode ? new_place(g) : subject(g), q;
	struct ks_iv iv, again;
	bool way = CHANCE(50);

	if (!room(g, 7))
		return;
	iv = condition(g, p);
	if (mode) {
		query(g, p);
		iv = make_iv(g->bits[0] == 64 ? 32 : g->bits[0], 0, 0);
		way = false;
	}
	q = p;
	again = iv;
	if (CHANCE(50))
		disguise(g, &q, &again);
	else
		disguise(g, &p, &iv);
	then(g, branch_if(g, p, iv), enter, way);
	if (mode)
		body_in(g, budget / 2, depth + 1);
	else
		body_if(g, budget / 2, depth + 1, q, again, way);
	if (!room(g, 3))
		return;
	if (CHANCE(30))
		disguise(g, &q, &again);
	then(g, branch_if(g, q, again), leave, way);
}

/* f = 0; if (c) { enter; f = 1; } ...; if (f) leave */
static void
flagged(struct gen *g, unsigned budget, unsigned depth)
{
	int f = new_place(g), p;
	unsigned k;

	if (!room(g, 7))
		return;
	set(g, f, constant(0));
	p = subject(g);
	if (p == f || !room(g, 6))
		return;
	k = branch_if(g, p, condition(g, p));
	add_open(g, k, 0);
	enter(g);
	set(g, f, constant(CHANCE(80) ? 1 : g->num[RND(3)]));
	g->last = -1;
	add_open(g, k, 1);
	body_if(g, budget / 2, depth + 1, f, make_iv(32, 0, 0), true);
	if (room(g, 3))
		then(g, branch_if(g, f, make_iv(CHANCE(80) ? 32 : 8, 0, 0)),
		    leave, true);
}

/* x = begin(); ...; end(x) */
static void
wrapped(struct gen *g, unsigned budget, unsigned depth)
{
	int x = new_place(g);
	struct node *n;

	if (!room(g, 4) || call_func(g, pick_func(g, P_BEGIN), x) == NULL)
		return;
	body_if(g, budget / 2, depth + 1, x, make_iv(32, 0, 0), true);
	if (!room(g, 2))
		return;
	n = call_func(g, pick_func(g, P_END), NOPLACE);
	if (n != NULL) {
		n->narg = 1;
		n->arg[0] = place_val(x);
	} else {
		then(g, branch_if(g, x, make_iv(32, 0, 0)), leave, true);
	}
}

static void
bracket(struct gen *g, unsigned budget, unsigned depth)
{
	enter(g);
	body_in(g, budget, depth + 1);
	leave(g);
}

static void
returns(struct gen *g)
{
	struct node *n;

	if (g->nopen == 0)
		return;
	n = emit(g, g->f->noreturn || CHANCE(4) ? KS_EV_END : KS_EV_RETURN);
	if (n->ev == KS_EV_RETURN)
		n->val = random_val(g);
}

static void
if_else(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned k, nthen, from;
	struct { uint8_t node, edge; } keep[96];
	int p = CHANCE(85) ? subject(g) : NOPLACE;

	if (!room(g, 3))
		return;
	k = branch_if(g, p, condition(g, p));
	add_open(g, k, 0);
	block(g, budget / 2, depth + 1);
	if (CHANCE(15) && room(g, 2))
		returns(g);
	nthen = g->nopen;
	memcpy(keep, g->open, sizeof(keep[0]) * nthen);
	g->nopen = 0;
	g->last = -1;
	add_open(g, k, 1);
	if (CHANCE(50))
		block(g, budget / 2, depth + 1);
	from = g->nopen;
	for (unsigned i = 0; i < nthen && from + i < 90; i++)
		add_open(g, keep[i].node, keep[i].edge);
	g->last = -1;
}

static void
loop(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned k, head;
	int p;

	if (!room(g, 4))
		return;
	emit(g, KS_EV_NOP);
	head = (unsigned)g->last;
	p = CHANCE(60) ? subject(g) : NOPLACE;
	if (!room(g, 3))
		return;
	k = branch_if(g, p, condition(g, p));
	add_open(g, k, 0);
	if (CHANCE(30) && (g->held == OUT || !g->careful))
		bracket(g, budget / 2, depth + 1);
	else
		block(g, budget / 2, depth + 1);
	link_open(g, head);
	g->last = -1;
	add_open(g, k, 1);
}

static void
switches(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned b = g->bits[0], n = 3, k, ends = 0;
	uint64_t cut[3] = { g->num[0] & mask_of(b), g->num[1] & mask_of(b),
	    (g->num[2] + 2) & mask_of(b) };
	struct { uint8_t node, edge; } keep[96];
	int p = subject(g);

	for (unsigned i = 0; i < 3; i++)
		for (unsigned j = i + 1; j < 3; j++)
			if (cut[j] < cut[i]) {
				uint64_t x = cut[i];

				cut[i] = cut[j];
				cut[j] = x;
			}
	if (cut[0] == cut[1] || cut[1] == cut[2] || !room(g, 5))
		return;
	k = branch(g, n);
	for (unsigned i = 0; i < n; i++) {
		g->f->n[k].e[i].cond = (int8_t)p;
		g->f->n[k].e[i].iv = make_iv(b, cut[i], cut[(i + 1) % n] - 1);
	}
	for (unsigned i = 0; i < n; i++) {
		g->nopen = 0;
		g->last = -1;
		add_open(g, k, i);
		block(g, budget / 3, depth + 1);
		for (unsigned j = 0; j < g->nopen && ends < 30; j++) {
			keep[ends].node = g->open[j].node;
			keep[ends++].edge = g->open[j].edge;
		}
	}
	g->nopen = 0;
	g->last = -1;
	for (unsigned i = 0; i < ends; i++)
		add_open(g, keep[i].node, keep[i].edge);
}

static void
block(struct gen *g, unsigned budget, unsigned depth)
{
	unsigned n = 1 + RND(3);

	for (unsigned i = 0; i < n && room(g, 1); i++) {
		if (depth > 3 || budget < 2 || (g->careful &&
		    g->held != OUT && !CHANCE(4) && CHANCE(60))) {
			event(g);
			continue;
		}
		/* Only conditions and loops where a region is held. */
		switch (g->careful && g->held != OUT && !CHANCE(4) ?
		    8 + RND(8) : RND(16)) {
		case 0: case 1: case 2:
			guarded(g, budget, depth);
			break;
		case 3: case 4:
			flagged(g, budget, depth);
			break;
		case 5: case 6:
			wrapped(g, budget, depth);
			break;
		case 7:
			bracket(g, budget, depth);
			break;
		case 8: case 9:
			if_else(g, budget, depth);
			break;
		case 10:
			loop(g, budget, depth);
			break;
		case 11:
			switches(g, budget, depth);
			break;
		default:
			event(g);
		}
	}
}

/* --- functions ------------------------------------------------------------------------------ */

static void
finish(struct gen *g, struct val ret)
{
	struct node *n;

	if (g->nopen == 0)
		return;
	if (!g->f->noreturn && g->last >= 0 && g->nopen == 1 && g->open[0].node == g->last &&
	    g->f->n[g->last].ev == KS_EV_CALL &&
	    g->f->n[g->last].nedge == 1 && CHANCE(50)) {
		g->f->n[g->last].nedge = 0;
		g->f->n[g->last].tail = true;
		g->nopen = 0;
		return;
	}
	n = emit(g, g->f->noreturn ? KS_EV_END : KS_EV_RETURN);
	n->val = ret;
}

/* Enters, or not, and says so. */
static void
begin(struct gen *g)
{
	int p = CHANCE(g->careful ? 3 : 30) ? NOPLACE : subject(g),
	    f = new_place(g);
	unsigned k;
	struct node *n;

	if (!room(g, 4))
		return;
	if (CHANCE(30)) {		/* one return */
		set(g, f, constant(0));
		k = branch_if(g, p, condition(g, p));
		add_open(g, k, CHANCE(50));
		enter(g);
		set(g, f, constant(1));
		g->last = -1;
		add_open(g, k, g->f->n[k].e[0].to != 0 ? 1 : 0);
		finish(g, place_val(f));
		return;
	}
	k = branch_if(g, p, condition(g, p));
	add_open(g, k, 0);
	enter(g);
	n = emit(g, KS_EV_RETURN);
	n->val = constant(CHANCE(g->careful ? 97 : 90) ? 1 :
	    g->num[RND(3)]);
	g->last = -1;
	add_open(g, k, 1);
	finish(g, constant(CHANCE(97) ? 0 : 1));
}

static void
end(struct gen *g)
{
	struct ks_iv iv = CHANCE(g->careful ? 98 : 80) ? make_iv(32, 0, 0) :
	    any_iv(g);

	if (g->f->nparam == 0) {
		g->f->nparam = 1;
		g->f->nplace++;
	}
	then(g, branch_if(g, 0, iv), leave, true);
	finish(g, random_val(g));
}

static void
random_graph(struct gen *g)
{
	unsigned n = 3 + RND(g->room > 12 ? 10 : g->room - 3);

	while (g->f->nnode < n) {
		g->nopen = 1;		/* keep event() going */
		g->open[0].node = g->open[0].edge = 0;
		if (g->f->nnode == 0 || CHANCE(40))
			emit(g, KS_EV_NOP);
		else if (CHANCE(25))
			(CHANCE(50) ? enter : leave)(g);
		else if (CHANCE(12))
			returns(g);
		else
			event(g);
	}
	g->nopen = 0;
	n = g->f->nnode;
	for (unsigned i = 0; i < n; i++) {
		struct node *x = &g->f->n[i];
		int p = place(g);
		struct ks_iv iv = any_iv(g);

		if (x->nedge == 0)
			continue;
		x->e[0].to = (uint8_t)(CHANCE(60) && i + 1U < n ? i + 1 :
		    RND(n));
		if (!CHANCE(40))
			continue;
		x->nedge = 2;
		x->e[1] = (struct edge){ .cond = NOPLACE,
		    .to = (uint8_t)RND(n) };
		if (CHANCE(80)) {
			x->e[0].cond = x->e[1].cond = (int8_t)p;
			x->e[0].iv = iv;
			x->e[1].iv = CHANCE(85) ? other(iv) : any_iv(g);
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
		g->iv[i] = random_iv(g);
	g->f->nparam = (uint8_t)RND(MAXPARAM + 1);
	if (g->part[fi] == P_APPLY && g->f->nparam == 0)
		g->f->nparam = 1;
	g->f->nplace = (uint8_t)(g->f->nparam + 1);
	g->f->noreturn = g->part[fi] == P_NORETURN;
	emit(g, KS_EV_NOP);
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
		simd(g);
		block(g, 3, 2);
		break;
	case P_APPLY:
		cb_in = CHANCE(50);
		if (cb_in)
			enter(g);
		for (int i = CHANCE(30) ? 0 : 1; i < 2 && room(g, 2); i++) {
			struct node *n = emit(g, KS_EV_CALL);

			n->callee = TO_PLACE;
			n->id = (uint8_t)RND(g->f->nparam);
			n->narg = (uint8_t)RND(2);
			n->arg[0] = random_val(g);
			g->held = cb_in ? IN : MAYBE;
			block(g, 2, 2);
		}
		if (cb_in || (!g->careful && CHANCE(30)))
			leave(g);
		break;
	case P_RANDOM:
		g->f->nnode = 0;
		random_graph(g);
		break;
	default:
		block(g, budget, 0);
		if (room(g, 4))
			block(g, budget, 0);
		break;
	}
	g->room = MAXNODE;
	finish(g, random_val(g));
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
			n->e[RND(n->nedge)].iv = random_iv(g);
		break;
	case 4:
		if (n->ev == KS_EV_CALL)
			n->arg[RND(MAXARG)] = random_val(g);
		break;
	default:
		if (n->ev == KS_EV_SET || n->ev == KS_EV_RETURN)
			n->val = random_val(g);
		break;
	}
}

void
generate(struct program *p, uint64_t seed)
{
	static const uint64_t nums[] = { 1, 2, 3, 4, 5, 8, 0x7f, 0x80, 0xff,
	    0x100, UINT64_MAX };
	static const uint8_t parts[] = { P_BRACKET, P_BRACKET, P_BEGIN, P_BEGIN,
	    P_END, P_END, P_HELPER, P_HELPER, P_HELPER, P_APPLY, P_NORETURN,
	    P_ANY, P_ANY, P_ANY, P_RANDOM, P_RANDOM };
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
		g->num[i] = nums[CHANCE(70) ? RND(4) :
		    RND(sizeof(nums) / sizeof(nums[0]))];
	for (unsigned i = 0; i < p->nfunc; i++)
		g->part[i] = i == 0 && CHANCE(70) ? (CHANCE(60) ? P_ANY :
		    P_BRACKET) : parts[RND(sizeof(parts) -
		    (g->careful ? 2 : 0))];
	for (unsigned i = 0; i < p->nfunc; i++)
		function(g, (uint8_t)i);
	p->nstore = (uint8_t)RND(MAXSTORE);
	for (unsigned i = 0; i < p->nstore; i++) {
		p->store[i].key = (uint8_t)RND(NKEY);
		p->store[i].func = CHANCE(15) ? -1 : (int8_t)RND(p->nfunc);
	}
	for (unsigned i = CHANCE(g->careful ? 80 : 50) ? 0 : 1 + RND(2);
	    i > 0; i--)
		damage(g);
}
