/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The pieces that random programs are made of: intervals, nodes and edges,
 * values, calls.
 */
#include <string.h>

#include "random_gen.h"

/* --- intervals -------------------------------------------------------- */

uint64_t
gen_mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

struct ks_iv
gen_make_iv(unsigned bits, uint64_t lo, uint64_t hi)
{
	return (struct ks_iv){ .lo = lo & gen_mask_of(bits),
		.hi = hi & gen_mask_of(bits),
		.bits = (uint8_t)bits };
}

struct ks_iv
gen_other(struct ks_iv iv)
{
	return gen_make_iv(iv.bits, iv.hi + 1, iv.lo - 1);
}

struct ks_iv
gen_random_iv(struct gen *g)
{
	unsigned b = g->bits[CHANCE(75) ? 0 : 1];
	uint64_t k = CHANCE(50) ? 0 : g->num[RND(3)], l = g->num[RND(3)];
	struct ks_iv iv;

	switch (RND(6)) {
	case 0:
	case 1:
	case 2:
		iv = gen_make_iv(b, k, k);
		break;
	case 3: /* less, without sign */
		iv = gen_make_iv(b, 0, k == 0 ? 0 : k - 1);
		break;
	case 4: /* less, with sign */
		iv = gen_make_iv(b, (uint64_t)1 << (b - 1), k - 1);
		break;
	default:
		iv = k < l ? gen_make_iv(b, k, l) : gen_make_iv(b, l, k);
		break;
	}
	if (((iv.hi - iv.lo) & gen_mask_of(b)) == gen_mask_of(b))
		iv = gen_make_iv(b, 0, 0);
	return CHANCE(40) ? gen_other(iv) : iv;
}

struct ks_iv
gen_any_iv(struct gen *g)
{
	return CHANCE(80) ? g->iv[RND(3)] : gen_random_iv(g);
}

/* --- nodes and edges -------------------------------------------------- */

bool
gen_room(const struct gen *g, unsigned n)
{
	return g->f->nnode + n < g->room && g->nopen > 0;
}

void
gen_link_open(struct gen *g, unsigned to)
{
	for (unsigned i = 0; i < g->nopen; i++)
		g->f->n[g->open[i].node].e[g->open[i].edge].to = (uint8_t)to;
	g->nopen = 0;
}

void
gen_add_open(struct gen *g, unsigned node, unsigned edge)
{
	g->open[g->nopen].node = (uint8_t)node;
	g->open[g->nopen++].edge = (uint8_t)edge;
}

/* A node behind all open edges; goes on by one edge, unless it ends. */
struct node *
gen_emit(struct gen *g, enum ks_event ev)
{
	unsigned k = g->f->nnode++;
	struct node *n = &g->f->n[k];

	memset(n, 0, sizeof(*n));
	n->ev = (uint8_t)ev;
	n->dst = n->result = NOPLACE;
	gen_link_open(g, k);
	g->last = (int)k;
	if (ev != KS_EV_RETURN && ev != KS_EV_END) {
		n->nedge = 1;
		n->e[0].cond = NOPLACE;
		gen_add_open(g, k, 0);
	}
	return n;
}

/*
 * A node with N edges, all of them closed: the one before, if nothing but
 * it comes here, else a new one.
 */
unsigned
gen_branch(struct gen *g, unsigned n)
{
	unsigned k;

	if (g->nopen != 1 || g->last < 0 || g->open[0].node != g->last ||
	    g->f->n[g->last].nedge != 1 || CHANCE(50))
		gen_emit(g, KS_EV_NOP);
	k = (unsigned)g->last;
	g->nopen = 0;
	g->f->n[k].nedge = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		g->f->n[k].e[i] = (struct edge){ .cond = NOPLACE };
	g->last = -1;
	return k;
}

unsigned
gen_branch_if(struct gen *g, int place, struct ks_iv iv)
{
	unsigned k = gen_branch(g, 2);

	if (place == NOPLACE)
		return k;
	g->f->n[k].e[0].cond = g->f->n[k].e[1].cond = (int8_t)place;
	g->f->n[k].e[0].iv = iv;
	g->f->n[k].e[1].iv = gen_other(iv);
	return k;
}

/* --- values ----------------------------------------------------------- */

int
gen_place(struct gen *g)
{
	return (int)RND(g->f->nplace);
}

int
gen_new_place(struct gen *g)
{
	int p = g->f->nplace;

	if (p == MAXPLACE)
		p = g->f->nparam + (int)RND(MAXPLACE - g->f->nparam);
	else
		g->f->nplace++;
	g->queried &= (uint8_t)~(1 << p);
	return p;
}

struct val
gen_constant(uint64_t k)
{
	return (struct val){ .kind = KS_VAL_CONST, .num = k };
}

struct val
gen_place_val(int p)
{
	return (struct val){ .kind = KS_VAL_PLACE, .ref = (uint8_t)p };
}

struct val
gen_test_val(int p, struct ks_iv iv)
{
	return (struct val){ .kind = KS_VAL_TEST, .ref = (uint8_t)p, .iv = iv };
}

struct val
gen_random_val(struct gen *g)
{
	switch (RND(8)) {
	case 0:
	case 1:
		return gen_constant(CHANCE(60) ? RND(2) : g->num[RND(3)]);
	case 2:
	case 3:
	case 4:
		return gen_place_val(gen_place(g));
	case 5:
		return gen_test_val(gen_place(g), gen_any_iv(g));
	case 6:
		return (struct val){ .kind = CHANCE(70) ? KS_VAL_ZEXT : KS_VAL_LOW,
			.ref = (uint8_t)gen_place(g),
			.num = g->bits[1] <= 32 && g->bits[1] >= 8 ?
				   g->bits[1] :
				   (uint64_t)8 << RND(3) };
	default:
		return (struct val){ .kind = KS_VAL_UNKNOWN };
	}
}

void
gen_set(struct gen *g, int dst, struct val v)
{
	struct node *n;

	if (!gen_room(g, 1))
		return;
	n = gen_emit(g, KS_EV_SET);
	n->dst = (int8_t)dst;
	n->val = v;
}

/* --- calls ------------------------------------------------------------ */

int
gen_find_name(struct gen *g, enum role role)
{
	int best = -1;
	unsigned n = 0;

	for (unsigned i = 0; i < g->pr->nnames; i++)
		if (g->pr->names[i].role == role && RND(++n) == 0)
			best = (int)i;
	return best;
}

struct node *
gen_call_name(struct gen *g, int name)
{
	const struct name *d = &g->pr->names[name];
	struct node *n = gen_emit(g, KS_EV_CALL);

	n->callee = TO_NAME;
	n->id = (uint8_t)name;
	n->narg = (uint8_t)RND(2);
	for (unsigned i = 0; i < MAXARG; i++)
		n->arg[i] = gen_random_val(g);
	if (d->flags >= 0) {
		n->narg = (uint8_t)(d->flags + 1);
		n->arg[d->flags] =
		    CHANCE(92) ? gen_constant(CHANCE(50) ? d->mask :
					      CHANCE(50) ? 0 :
							   9) :
		    CHANCE(50) ? gen_place_val(gen_place(g)) :
				 (struct val){ .kind = KS_VAL_UNKNOWN };
	}
	return n;
}

void
gen_enter(struct gen *g)
{
	int name = gen_find_name(g, R_ENTER);

	if (!gen_room(g, 1))
		return;
	if (g->pr->inlined)
		gen_emit(g, KS_EV_SAVE);
	else if (CHANCE(10))
		gen_emit(g, KS_EV_ENTER);
	else
		gen_call_name(g, name);
}

void
gen_leave(struct gen *g)
{
	int name = gen_find_name(g, R_LEAVE);

	if (!gen_room(g, 1))
		return;
	if (g->pr->inlined)
		gen_emit(g, KS_EV_RESTORE);
	else if (CHANCE(10))
		gen_emit(g, KS_EV_LEAVE);
	else
		gen_call_name(g, name);
}

/* Into PLACE, or nowhere. */
void
gen_query(struct gen *g, int dst)
{
	int name = gen_find_name(g, R_QUERY);
	struct node *n;

	if (!gen_room(g, 1))
		return;
	if (dst != NOPLACE)
		g->queried |= (uint8_t)(1 << dst);
	if (CHANCE(15)) {
		n = gen_emit(g, KS_EV_QUERY);
		n->dst = (int8_t)(dst == NOPLACE ? gen_new_place(g) : dst);
		n->aux = g->pr->names[name].means;
		if (g->pr->names[name].exact)
			n->aux |= KS_MEANS_EXACT;
		return;
	}
	n = gen_call_name(g, name);
	n->result = (int8_t)dst;
}

int
gen_pick_func(struct gen *g, int part)
{
	int best = -1;
	unsigned n = 0;
	static const bool fits[][3] = {
		[P_BRACKET] = { true, false, false },
		[P_BEGIN] = { false, false, false },
		[P_END] = { false, false, false },
		[P_HELPER] = { false, true, false },
		[P_VALUE] = { true, true, true },
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

struct node *
gen_call_func(struct gen *g, int func, int result)
{
	struct node *n;

	if (func < 0 || !gen_room(g, 1))
		return NULL;
	n = gen_emit(g, KS_EV_CALL);
	n->callee = TO_FUNC;
	n->id = (uint8_t)func;
	n->result = (int8_t)result;
	n->narg = (uint8_t)RND(MAXARG + 1);
	for (unsigned i = 0; i < MAXARG; i++) {
		n->arg[i] = gen_random_val(g);
		if (g->part[func] == P_APPLY && CHANCE(70)) {
			int cb = gen_pick_func(g, -1);

			if (CHANCE(8))
				cb = NAME_REF + (int)RND(g->pr->nnames);
			if (g->f->nparam > 0 && CHANCE(30))
				n->arg[i] = gen_place_val(
				    (int)RND(g->f->nparam));
			else if (cb >= 0)
				n->arg[i] = (struct val){ .kind = KS_VAL_SYM,
					.ref = (uint8_t)cb };
			if (i == 0 && n->narg == 0)
				n->narg = 1;
		}
	}
	return n;
}

void
gen_call_other(struct gen *g)
{
	struct node *n;
	int cb, name = gen_find_name(g, R_SUSPEND);

	if (!gen_room(g, 1))
		return;
	switch (RND(4)) {
	case 0:
		if (g->f->nparam > 0 || CHANCE(30)) {
			n = gen_emit(g, KS_EV_CALL);
			n->callee = TO_PLACE;
			n->id = (uint8_t)(g->f->nparam > 0 && CHANCE(85) ?
					      (int)RND(g->f->nparam) :
					      gen_place(g));
			n->narg = (uint8_t)RND(2);
			n->arg[0] = gen_random_val(g);
			n->result = CHANCE(30) ? (int8_t)gen_place(g) : NOPLACE;
		}
		return;
	case 1:
		n = gen_emit(g, KS_EV_CALL);
		n->callee = TO_KEY;
		n->id = (uint8_t)RND(NKEY);
		n->narg = (uint8_t)RND(2);
		n->arg[0] = gen_random_val(g);
		n->result = CHANCE(50) ? (int8_t)gen_place(g) : NOPLACE;
		return;
	case 2:
		cb = gen_pick_func(g, -1);
		if (CHANCE(8))
			cb = NAME_REF + (int)RND(g->pr->nnames);
		if (name < 0 || cb < 0)
			return;
		n = gen_call_name(g, name);
		n->narg = (uint8_t)(g->pr->names[name].callback + 1);
		n->arg[n->narg - 1] =
		    CHANCE(60) || g->f->nparam == 0 ?
			(struct val){ .kind = KS_VAL_SYM, .ref = (uint8_t)cb } :
			gen_place_val((int)RND(g->f->nparam));
		return;
	default:
		cb = CHANCE(10) ? NAME_REF + (int)RND(g->pr->nnames) :
				  gen_pick_func(g, -1);
		if (cb >= 0 && CHANCE(40))
			gen_set(g, gen_new_place(g),
			    (struct val){
				.kind = KS_VAL_SYM, .ref = (uint8_t)cb });
		return;
	}
}
