/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of the exploration, and what is known of a program before its paths
 * are followed: see random_ref.c.
 */
#include <string.h>

#include "random_ref.h"

/* --- values ----------------------------------------------------------- */

uint64_t
ref_mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

bool
ref_in_iv(uint64_t v, const struct ks_iv *iv)
{
	uint64_t m = ref_mask_of(iv->bits);

	return ((v - iv->lo) & m) <= ((iv->hi - iv->lo) & m);
}

static uint8_t
intern(struct ref *r, const uint64_t *row)
{
	for (unsigned i = 0; i < r->ntab; i++)
		if (memcmp(r->tab[i], row, r->n * sizeof(*row)) == 0)
			return (uint8_t)i;
	if (r->ntab == NTABLE) {
		r->t->cut = true;
		return 0;
	}
	memcpy(r->tab[r->ntab], row, r->n * sizeof(*row));
	return (uint8_t)r->ntab++;
}

struct value
ref_constant(struct ref *r, uint64_t k)
{
	uint64_t row[NDOMAIN];

	for (unsigned i = 0; i < r->n; i++)
		row[i] = k;
	return (struct value){ NOVAR, intern(r, row) };
}

struct value
ref_fresh(struct ref *r, struct state *s)
{
	if (s->nvar == MAXVAR) {
		r->t->cut = true;
		return ref_constant(r, 0);
	}
	s->mask[s->nvar] = ref_mask_of(r->n);
	return (struct value){ s->nvar++, 0 }; /* table 0 is the domain */
}

/* One of the many values that bits above a LOW may have. */
#define ABOVE 0x5a5a5a5a5a5a5a5au

static struct value
apply(struct ref *r, struct value x, const struct val *v)
{
	uint64_t row[NDOMAIN];

	for (unsigned i = 0; i < r->n; i++)
		row[i] = v->kind == KS_VAL_TEST ?
			     ref_in_iv(r->tab[x.tab][i], &v->iv) :
			     (r->tab[x.tab][i] &
				 ref_mask_of((unsigned)v->num)) |
				 ((v->kind == KS_VAL_LOW ? ABOVE : 0) &
				     ~ref_mask_of((unsigned)v->num));
	return (struct value){ x.var, intern(r, row) };
}

struct value
ref_eval(
    struct ref *r, struct state *s, const struct frame *f, const struct val *v)
{
	switch (v->kind) {
	case KS_VAL_CONST:
		return ref_constant(r, v->num);
	case KS_VAL_SYM:
		return ref_constant(r, FUNC_ADDR(v->ref));
	case KS_VAL_PLACE:
		return f->v[v->ref];
	case KS_VAL_TEST:
	case KS_VAL_ZEXT:
	case KS_VAL_LOW:
		return apply(r, f->v[v->ref], v);
	default:
		return ref_fresh(r, s);
	}
}

/* The domain values of X's variable for which X is in IV. */
uint64_t
ref_where(const struct ref *r, const struct state *s, struct value x,
    const struct ks_iv *iv)
{
	uint64_t m = 0, have = x.var == NOVAR ? 1 : s->mask[x.var];

	for (unsigned i = 0; i < r->n; i++)
		if ((have >> i & 1) && ref_in_iv(r->tab[x.tab][i], iv))
			m |= (uint64_t)1 << i;
	return m;
}

/* What X is the address of, as in a SYM value, or -1. */
int
ref_function_of(const struct ref *r, struct value x)
{
	for (int i = 0; x.var == NOVAR && i < NSYM; i++)
		if (r->tab[x.tab][0] == FUNC_ADDR(i))
			return i;
	return -1;
}

/* --- before the paths ------------------------------------------------- */

static void
add_value(struct ref *r, uint64_t v)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->tab[0][i] == v)
			return;
	if (r->n < NDOMAIN)
		r->tab[0][r->n++] = v;
}

static void
bounds(uint64_t *v, unsigned *n, unsigned max, const struct ks_iv *iv)
{
	uint64_t m = ref_mask_of(iv->bits);
	uint64_t x[4] = { iv->lo, iv->hi, (iv->lo - 1) & m, (iv->hi + 1) & m };

	for (unsigned i = 0; i < 4 && iv->bits != 0 && *n < max; i++)
		v[(*n)++] = x[i];
}

void
ref_domain(struct ref *r)
{
	uint64_t v[1024];
	unsigned n = 0, widest = 1;
	uint64_t widths = 0;

	r->n = 0;
	r->ntab = 1;
	add_value(r, 0);
	add_value(r, 1);
	for (unsigned i = 0; i < r->p->nfunc; i++)
		for (unsigned j = 0; j < r->p->f[i].nnode; j++) {
			const struct node *x = &r->p->f[i].n[j];

			for (unsigned k = 0; k < x->nedge; k++) {
				bounds(v, &n, 1000, &x->e[k].iv);
				if (x->e[k].iv.bits != 0)
					widths |= (uint64_t)1
						  << (x->e[k].iv.bits - 1);
			}
			if (x->val.kind == KS_VAL_TEST) {
				bounds(v, &n, 1000, &x->val.iv);
				widths |= (uint64_t)1 << (x->val.iv.bits - 1);
			}
			if (x->ev == KS_EV_QUERY ||
			    (x->ev == KS_EV_CALL && x->callee == TO_NAME &&
				r->pr->names[x->id].role == R_QUERY))
				widths |= (uint64_t)1 << 31;
			if (x->val.kind >= KS_VAL_ZEXT)
				widths |= (uint64_t)1 << (x->val.num - 1);
		}
	for (unsigned i = 0; i < n; i++)
		add_value(r, v[i]);
	/* Flags of enters and sleeps that are not constant. */
	add_value(r, 4);
	add_value(r, 2);
	for (unsigned b = 1; b <= 64; b++)
		if (widths >> (b - 1) & 1)
			widest = b;
	n = r->n;
	for (unsigned b = 1; b < widest; b++)
		if (widths >> (b - 1) & 1)
			for (unsigned i = 0; i < n; i++)
				add_value(r, r->tab[0][i] ^ (uint64_t)1 << b);
	for (unsigned b = 1; b < widest; b++)
		if (widths >> (b - 1) & 1)
			for (unsigned i = 0; i < n * n; i++)
				add_value(r,
				    (r->tab[0][i % n] & ref_mask_of(b)) |
					(r->tab[0][i / n] & ~ref_mask_of(b)));
}

static uint8_t
place_bit(const struct val *v)
{
	return v->kind == KS_VAL_PLACE || v->kind >= KS_VAL_TEST ?
		   (uint8_t)(1 << v->ref) :
		   0;
}

void
ref_liveness(struct ref *r, unsigned fi)
{
	const struct func *f = &r->p->f[fi];
	bool more = true;

	memset(r->in[fi], 0, sizeof(r->in[fi]));
	while (more) {
		more = false;
		for (unsigned i = f->nnode; i-- > 0;) {
			const struct node *n = &f->n[i];
			uint8_t in, out = 0;

			for (unsigned k = 0; k < n->nedge; k++) {
				out |= r->in[fi][n->e[k].to];
				if (n->e[k].iv.bits != 0)
					out |= (uint8_t)(1 << n->e[k].cond);
			}
			in = out;
			if (n->ev == KS_EV_SET || n->ev == KS_EV_QUERY)
				in &= (uint8_t)~(1 << n->dst);
			if (n->ev == KS_EV_CALL && n->result != NOPLACE)
				in &= (uint8_t)~(1 << n->result);
			if (n->ev == KS_EV_SET || n->ev == KS_EV_RETURN)
				in |= place_bit(&n->val);
			for (unsigned k = 0; n->ev == KS_EV_CALL && k < n->narg;
			    k++)
				in |= place_bit(&n->arg[k]);
			if (n->ev == KS_EV_CALL && n->callee == TO_PLACE)
				in |= (uint8_t)(1 << n->id);
			more |= in != r->in[fi][i];
			r->in[fi][i] = in;
			r->out[fi][i] = out;
		}
	}
}

void
ref_joins(struct ref *r, unsigned fi)
{
	const struct func *f = &r->p->f[fi];
	unsigned preds[MAXNODE] = { 1 };

	for (unsigned i = 0; i < f->nnode; i++)
		for (unsigned k = 0; k < f->n[i].nedge; k++)
			preds[f->n[i].e[k].to]++;
	for (unsigned i = 0; i < f->nnode; i++)
		r->join[fi][i] = preds[i] > 1 || i == 0;
}

/* Is FUNC stored under the first key, from KEY down, that has a function? */
static bool
stored(const struct program *p, int key, unsigned func)
{
	bool any = false, found = false;

	for (; key >= 0 && !any; key--)
		for (unsigned k = 0; k < p->nstore; k++)
			if (p->store[k].key == key) {
				any |= p->store[k].func >= 0;
				found |= p->store[k].func == (int)func;
			}
	return found;
}

/* Does a call lead from A to B, or does A know B's address? */
static bool
leads(const struct program *p, unsigned a, unsigned b)
{
	const struct func *f = &p->f[a];

	for (unsigned i = 0; i < f->nnode; i++) {
		const struct node *n = &f->n[i];

		if ((n->ev == KS_EV_SET || n->ev == KS_EV_RETURN) &&
		    n->val.kind == KS_VAL_SYM && n->val.ref == b)
			return true;
		if (n->ev != KS_EV_CALL)
			continue;
		if (n->callee == TO_FUNC && n->id == b)
			return true;
		for (unsigned k = 0; k < n->narg; k++)
			if (n->arg[k].kind == KS_VAL_SYM && n->arg[k].ref == b)
				return true;
		if (n->callee == TO_KEY && stored(p, n->id, b))
			return true;
	}
	return false;
}

/*
 * Functions that nobody calls or passes on, except those that they call
 * themselves.
 */
void
ref_find_roots(const struct program *p, bool root[MAXFUNC])
{
	bool reach[MAXFUNC][MAXFUNC];

	for (unsigned a = 0; a < p->nfunc; a++)
		for (unsigned b = 0; b < p->nfunc; b++)
			reach[a][b] = leads(p, a, b);
	for (unsigned k = 0; k < p->nfunc; k++)
		for (unsigned a = 0; a < p->nfunc; a++)
			for (unsigned b = 0; b < p->nfunc; b++)
				reach[a][b] |= reach[a][k] && reach[k][b];
	for (unsigned b = 0; b < p->nfunc; b++) {
		root[b] = !p->f[b].gone;
		for (unsigned a = 0; a < p->nfunc; a++)
			if (a != b && leads(p, a, b) && !reach[b][a])
				root[b] = false;
	}
}
