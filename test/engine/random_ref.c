/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The truth about a random program: all of its paths.
 *
 * 1. A domain of concrete values is drawn from the program: every bound of
 *    every interval, its neighbours, every constant, and each of them with
 *    garbage in the bits above where conditions of several widths occur.
 * 2. What nothing tells (parameters of the first function, locals not yet
 *    set, results of unknown calls, places that a call may change) is a
 *    variable: the set of domain values that it may still have.  A place is
 *    a variable and a table with the place's value for each of the
 *    variable's; copies, comparison results and extensions are tables.  A
 *    branch splits the set.  So one path here stands for all concrete runs
 *    that decide alike, and for no others.
 * 3. The regions are a stack, as in a kernel; what the caller held lies at
 *    its bottom, and each way to be called is explored on its own.
 * 4. Loops are followed until a state comes again; functions are on the path
 *    at most 3 times (a recursion depth of 2); states that differ only in
 *    what is never read again are one.
 * 5. A violation is recorded with the chain of calls that leads to it; the
 *    path then goes on, marked.
 *
 * Nothing of the engine is used: this is the other opinion.
 */
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define NDOMAIN		64
#define NTABLE		250
#define MAXVAR		56
#define MAXREG		9
#define MAXFRAME	MAXCHAIN
#define MAXSAME		3	/* frames of one function */
#define MAXSTATE	3000	/* per start and way to be called */
#define NSEEN		(1 << 14)
#define MAXOUT		256

#define NOVAR		255
#define FUNC_ADDR(i)	(0xf0f0000000000010 + (uint64_t)(i) * 0x100)
#define NSYM		(NAME_REF + 32)

enum { REG_ATOMIC = 1, REG_COUNTED = 2, REG_CALLERS = 4 };

struct value { uint8_t var, tab; };

struct frame {
	uint8_t	 fn, node;
	uint8_t	 nreg;		/* when it was called */
	bool	 thread, entered, popped;
	bool	 callback;	/* called through a place */
	bool	 suspended;	/* ... outside; then go back to: */
	uint8_t	 snreg, sreg[MAXREG];
	bool	 sthread;
	struct value v[MAXPLACE];
};

struct state {
	uint8_t	 nframe, nreg, reg[MAXREG], nvar;
	bool	 after;		/* the node's event is done */
	bool	 thread, bad, told, entered, popped, excused;
	uint8_t	 visited;
	uint64_t mask[MAXVAR];
	struct frame fr[MAXFRAME];
};

struct outcome {		/* of a whole function: see ref_mixed */
	uint8_t	 nreg, ncallers;
	bool	 thread;
	uint64_t mask[MAXPARAM + 1];
	struct value ret;
	uint64_t retmask;
};

struct ref {
	const struct program *p;
	const struct profile *pr;
	const struct verdict *v;
	struct truth *t;
	unsigned n;		/* values of the domain */
	uint64_t tab[NTABLE][NDOMAIN];
	unsigned ntab;
	uint8_t	 in[MAXFUNC][MAXNODE], out[MAXFUNC][MAXNODE];	/* live places */
	bool	 join[MAXFUNC][MAXNODE];
	uint64_t *seen;
	uint32_t *stamp, now;
	uint8_t	 start, from;
	unsigned pinned;	/* variables kept: the start's parameters */
	unsigned count;
	KS_VEC(struct state) todo;
	unsigned nout;
	struct outcome outcome[MAXOUT];
};

/* --- values ------------------------------------------------------------------ */

static uint64_t
mask_of(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool
in_iv(uint64_t v, const struct ks_iv *iv)
{
	uint64_t m = mask_of(iv->bits);

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

static struct value
constant(struct ref *r, uint64_t k)
{
	uint64_t row[NDOMAIN];

	for (unsigned i = 0; i < r->n; i++)
		row[i] = k;
	return (struct value){ NOVAR, intern(r, row) };
}

static struct value
fresh(struct ref *r, struct state *s)
{
	if (s->nvar == MAXVAR) {
		r->t->cut = true;
		return constant(r, 0);
	}
	s->mask[s->nvar] = mask_of(r->n);
	return (struct value){ s->nvar++, 0 };	/* table 0 is the domain */
}

static struct value
apply(struct ref *r, struct value x, const struct val *v)
{
	uint64_t row[NDOMAIN];

	for (unsigned i = 0; i < r->n; i++)
		row[i] = v->kind == KS_VAL_TEST ?
		    in_iv(r->tab[x.tab][i], &v->iv) :
		    r->tab[x.tab][i] & mask_of((unsigned)v->num);
	return (struct value){ x.var, intern(r, row) };
}

static struct value
eval(struct ref *r, struct state *s, const struct frame *f,
    const struct val *v)
{
	switch (v->kind) {
	case KS_VAL_CONST:
		return constant(r, v->num);
	case KS_VAL_SYM:
		return constant(r, FUNC_ADDR(v->ref));
	case KS_VAL_PLACE:
		return f->v[v->ref];
	case KS_VAL_TEST:
	case KS_VAL_ZEXT:
		return apply(r, f->v[v->ref], v);
	default:
		return fresh(r, s);
	}
}

/* The domain values of X's variable for which X is in IV. */
static uint64_t
where(const struct ref *r, const struct state *s, struct value x,
    const struct ks_iv *iv)
{
	uint64_t m = 0, have = x.var == NOVAR ? 1 : s->mask[x.var];

	for (unsigned i = 0; i < r->n; i++)
		if ((have >> i & 1) && in_iv(r->tab[x.tab][i], iv))
			m |= (uint64_t)1 << i;
	return m;
}

/* What X is the address of, as in a SYM value, or -1. */
static int
function_of(const struct ref *r, struct value x)
{
	for (int i = 0; x.var == NOVAR && i < NSYM; i++)
		if (r->tab[x.tab][0] == FUNC_ADDR(i))
			return i;
	return -1;
}

/* --- before the paths ---------------------------------------------------------- */

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
	uint64_t m = mask_of(iv->bits);
	uint64_t x[4] = { iv->lo, iv->hi, (iv->lo - 1) & m, (iv->hi + 1) & m };

	for (unsigned i = 0; i < 4 && iv->bits != 0 && *n < max; i++)
		v[(*n)++] = x[i];
}

static void
domain(struct ref *r)
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
					widths |= (uint64_t)1 <<
					    (x->e[k].iv.bits - 1);
			}
			if (x->val.kind == KS_VAL_TEST) {
				bounds(v, &n, 1000, &x->val.iv);
				widths |= (uint64_t)1 << (x->val.iv.bits - 1);
			}
			if (x->ev == KS_EV_QUERY || (x->ev == KS_EV_CALL &&
			    x->callee == TO_NAME &&
			    r->pr->names[x->id].role == R_QUERY))
				widths |= (uint64_t)1 << 31;
			if (x->val.kind == KS_VAL_ZEXT)
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
				add_value(r, (r->tab[0][i % n] & mask_of(b)) |
				    (r->tab[0][i / n] & ~mask_of(b)));
}

static uint8_t
place_bit(const struct val *v)
{
	return v->kind == KS_VAL_PLACE || v->kind == KS_VAL_TEST ||
	    v->kind == KS_VAL_ZEXT ? (uint8_t)(1 << v->ref) : 0;
}

static void
liveness(struct ref *r, unsigned fi)
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
			for (unsigned k = 0; n->ev == KS_EV_CALL &&
			    k < n->narg; k++)
				in |= place_bit(&n->arg[k]);
			if (n->ev == KS_EV_CALL && n->callee == TO_PLACE)
				in |= (uint8_t)(1 << n->id);
			more |= in != r->in[fi][i];
			r->in[fi][i] = in;
			r->out[fi][i] = out;
		}
	}
}

static void
joins(struct ref *r, unsigned fi)
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

		if (n->val.kind == KS_VAL_SYM && n->val.ref == b)
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
static void
roots(const struct program *p, bool root[MAXFUNC])
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

/* --- states ---------------------------------------------------------------------- */

/* Forgets what nobody reads again, and numbers variables by their use. */
static void
canonical(struct ref *r, struct state *s)
{
	uint8_t map[MAXVAR];
	uint64_t mask[MAXVAR];
	unsigned n = r->pinned;

	memset(map, NOVAR, sizeof(map));
	for (unsigned i = 0; i < n; i++) {
		map[i] = (uint8_t)i;
		mask[i] = s->mask[i];
	}
	for (unsigned i = 0; i < s->nframe; i++) {
		struct frame *f = &s->fr[i];
		uint8_t live = i + 1 == s->nframe ? r->in[f->fn][f->node] :
		    r->out[f->fn][f->node];

		for (unsigned k = 0; k < MAXPLACE; k++) {
			struct value *x = &f->v[k];

			if (!(live >> k & 1)) {
				*x = (struct value){ NOVAR, 0 };
				continue;
			}
			if (x->var == NOVAR)
				continue;
			if (map[x->var] == NOVAR) {
				mask[n] = s->mask[x->var];
				map[x->var] = (uint8_t)n++;
			}
			x->var = map[x->var];
		}
	}
	memcpy(s->mask, mask, n * sizeof(mask[0]));
	s->nvar = (uint8_t)n;
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9fb21c651e98df25;
	return h ^ h >> 32;
}

static uint64_t
hash_state(const struct state *s)
{
	uint64_t h = 0x243f6a8885a308d3, w;
	const unsigned char *b;
	size_t n;

	h = mix(h, (uint64_t)s->nframe << 56 | (uint64_t)s->nreg << 48 |
	    (uint64_t)s->thread << 6 | (uint64_t)s->bad << 5 |
	    (uint64_t)s->told << 4 | (uint64_t)s->entered << 3 |
	    (uint64_t)s->popped << 2 | (uint64_t)s->excused << 1 |
	    (uint64_t)s->visited << 8 | (uint64_t)s->nvar << 16);
	for (unsigned i = 0; i < s->nreg; i++)
		h = mix(h, s->reg[i]);
	for (unsigned i = 0; i < s->nvar; i++)
		h = mix(h, s->mask[i]);
	b = (const unsigned char *)s->fr;
	n = s->nframe * sizeof(s->fr[0]);
	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&w, b, 8);
		h = mix(h, w);
	}
	for (; n > 0; n--, b++)
		h = mix(h, *b);
	return h | 1;
}

static bool
seen(struct ref *r, struct state *s)
{
	uint64_t h;
	unsigned i;

	canonical(r, s);
	h = hash_state(s);
	for (i = (unsigned)(h >> 40) % NSEEN; r->stamp[i] == r->now;
	    i = (i + 1) % NSEEN)
		if (r->seen[i] == h)
			return true;
	r->stamp[i] = r->now;
	r->seen[i] = h;
	if (++r->count > MAXSTATE) {
		r->t->cut = true;
		return true;
	}
	return false;
}

/* --- violations --------------------------------------------------------------------- */

static void
violate(struct ref *r, struct state *s, enum kind kind, bool callers)
{
	struct violation v;
	struct truth *t = r->t;

	memset(&v, 0, sizeof(v));
	v.kind = (uint8_t)kind;
	v.start = r->start;
	v.first = !s->bad;
	v.callers = callers;
	v.told = s->told;
	v.entered = s->entered;
	v.excused = s->excused;
	v.visited = s->visited;
	v.nchain = s->nframe;
	for (unsigned i = 0; i < s->nframe; i++) {
		v.func[i] = s->fr[i].fn;
		v.node[i] = s->fr[i].node;
	}
	s->bad = true;
	for (unsigned i = 0; i < t->nviol; i++)
		if (memcmp(&t->viol[i], &v, sizeof(v)) == 0)
			return;
	if (t->nviol == sizeof(t->viol) / sizeof(t->viol[0]))
		t->cut = true;
	else
		t->viol[t->nviol++] = v;
}

static bool
held(const struct state *s)
{
	return s->nreg > 0 || s->thread;
}

/* Is nothing held, whatever the caller held? */
static bool
surely_out(const struct ref *r, const struct state *s)
{
	for (unsigned i = 0; i < s->nframe; i++)
		if (s->fr[i].suspended)
			return true;
	return s->popped || (s->entered && r->pr->atomic_only);
}

static void
need(struct ref *r, struct state *s, enum kind kind)
{
	if (!held(s))
		violate(r, s, kind, !surely_out(r, s));
}

static void
sleep(struct ref *r, struct state *s)
{
	if (s->nreg > 0 && (s->reg[s->nreg - 1] & REG_ATOMIC))
		violate(r, s, K_SLEEPS,
		    (s->reg[s->nreg - 1] & REG_CALLERS) != 0);
}

/* False: too deep. */
static bool
enter(struct ref *r, struct state *s, bool atomic, bool counted)
{
	uint8_t top = s->nreg > 0 ? s->reg[s->nreg - 1] : 0;

	if (!s->bad)
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if ((top & REG_ATOMIC) && !(counted && (top & REG_COUNTED)))
		violate(r, s, K_NESTED, (top & REG_CALLERS) != 0);
	if (s->nreg == MAXREG) {
		violate(r, s, K_DEEP, false);
		return false;
	}
	s->reg[s->nreg++] = (uint8_t)((atomic ? REG_ATOMIC : 0) |
	    (counted ? REG_COUNTED : 0));
	if (!counted)
		s->entered = true;
	return true;
}

/* From here on the thread holds a region; it must be in no atomic one. */
static void
thread(struct ref *r, struct state *s)
{
	uint8_t top = s->nreg > 0 ? s->reg[s->nreg - 1] : 0;

	if (!s->bad)
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if (top & REG_ATOMIC)
		violate(r, s, K_NESTED, (top & REG_CALLERS) != 0);
	s->thread = true;
}

static void
leave(struct ref *r, struct state *s)
{
	/* A callback that leaves what it did not enter. */
	for (unsigned i = s->nframe; i-- > 0;)
		if (s->fr[i].callback && s->nreg <= s->fr[i].nreg)
			s->excused |= r->v->callback_effect;
	if (s->nreg == 0) {
		violate(r, s, K_LEAVE, !r->t->root[r->start] && !s->thread &&
		    !surely_out(r, s));
		s->popped = true;
		return;
	}
	if (s->reg[s->nreg - 1] & REG_CALLERS) {
		/* A query that said that it is held allows that. */
		if (!s->told || s->popped)
			violate(r, s, K_LEAVE, !r->t->root[r->start]);
		s->popped = true;
	}
	s->reg[--s->nreg] = 0;
}

/* --- paths ------------------------------------------------------------------------------ */

static void
later(struct ref *r, const struct state *s)
{
	*ks_vec_push(&r->todo) = *s;
}

/* Pushes a call of FN by the node that is under way; false: too deep. */
static bool
push_frame(struct ref *r, struct state *s, unsigned fn, const struct node *n)
{
	const struct frame *up = s->nframe > 0 ? &s->fr[s->nframe - 1] : NULL;
	struct frame *f;
	unsigned same = 0;

	for (unsigned i = 0; i < s->nframe; i++)
		same += s->fr[i].fn == fn;
	if (s->nframe == MAXFRAME || same == MAXSAME)
		return false;
	f = &s->fr[s->nframe];
	memset(f, 0, sizeof(*f));
	f->fn = (uint8_t)fn;
	f->nreg = s->nreg;
	f->thread = s->thread;
	f->entered = s->entered;
	f->popped = s->popped;
	for (unsigned i = 0; i < MAXPLACE; i++)
		if (i < r->p->f[fn].nparam && n != NULL && i < n->narg)
			f->v[i] = eval(r, s, up, &n->arg[i]);
		else if (i < r->p->f[fn].nplace)
			f->v[i] = fresh(r, s);
		else
			f->v[i] = (struct value){ NOVAR, 0 };
	if (s->nframe++ > 0)
		r->t->called[fn] = true;
	s->after = false;
	s->visited |= (uint8_t)(1 << fn);
	return true;
}

/* The call that the top frame makes is done. */
static void
after_call(struct ref *r, struct state *s, struct value result)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct func *fn = &r->p->f[f->fn];
	const struct node *n = &fn->n[f->node];
	unsigned changed = KS_PLACE_VOLATILE;

	/* What opens and closes regions writes to registers only. */
	if (n->callee != TO_NAME || !(1 << r->pr->names[n->id].role &
	    (1 << R_ENTER | 1 << R_LEAVE | 1 << R_QUERY | 1 << R_THREAD |
	    1 << R_MARKER)))
		changed |= KS_PLACE_ESCAPED | KS_PLACE_MEMORY;
	for (unsigned i = 0; i < fn->nplace; i++)
		if (fn->pflags[i] & changed)
			f->v[i] = fresh(r, s);
	if (n->result != NOPLACE)
		f->v[n->result] = result;
	s->after = true;
}

static void
outcome(struct ref *r, const struct state *s, struct value ret)
{
	struct outcome *o;

	if (r->nout == MAXOUT) {
		r->t->cut = true;
		return;
	}
	o = &r->outcome[r->nout++];
	memset(o, 0, sizeof(*o));
	o->nreg = s->nreg;
	for (unsigned i = 0; i < s->nreg; i++)
		o->ncallers += (s->reg[i] & REG_CALLERS) != 0;
	o->thread = s->thread;
	for (unsigned i = 0; i < r->pinned; i++)
		o->mask[i] = s->mask[i];
	o->ret = ret;
	o->retmask = ret.var == NOVAR ? 1 : s->mask[ret.var];
}

/* The top frame returns RET; false: the path is at its end. */
static bool
do_return(struct ref *r, struct state *s, struct value ret)
{
	struct frame f = s->fr[s->nframe - 1];

	if (s->nframe == 1) {
		for (unsigned i = 0; i < s->nreg; i++)
			if (!(s->reg[i] & REG_CALLERS)) {
				violate(r, s, K_NOT_LEFT, false);
				break;
			}
		if (r->pinned != 0)
			outcome(r, s, ret);
		return false;
	}
	memset(&s->fr[--s->nframe], 0, sizeof(f));
	if (!f.callback && !s->bad && !s->excused &&
	    (s->nreg > f.nreg || (s->thread && !f.thread)))
		r->t->opens[s->fr[s->nframe - 1].fn] = true;
	if (f.callback && (s->nreg != f.nreg || s->thread != f.thread))
		s->excused |= r->v->callback_effect;
	if (f.callback) {
		/* Nobody follows what a callback tells of its caller. */
		s->entered = f.entered;
		s->popped = f.popped;
	}
	if (f.suspended) {
		s->nreg = f.snreg;
		memcpy(s->reg, f.sreg, sizeof(s->reg));
		s->thread = f.sthread;
	}
	after_call(r, s, ret);
	return true;
}

/* Calls FN by node N, which is the event under way; false: too deep. */
static bool
do_call(struct ref *r, struct state *s, unsigned fn, const struct node *n)
{
	if (r->p->f[fn].flags & KS_FUNC_NEEDS)
		need(r, s, K_NEED);
	if (r->p->f[fn].flags & KS_FUNC_HELD)
		need(r, s, K_HELD);
	return push_frame(r, s, fn, n);
}

static bool do_name(struct ref *r, struct state *s, const struct node *n);

/* A function of the profile is called back. */
static bool
name_callback(struct ref *r, struct state *s, unsigned id, bool suspend)
{
	struct state keep = *s;
	struct node n = { .ev = KS_EV_CALL, .callee = TO_NAME, .id = id,
	    .result = NOPLACE };
	uint8_t role = r->pr->names[id].role;

	if (suspend) {
		s->nreg = 0;
		s->thread = false;
	}
	if (role == R_QUERY || role == R_SUSPEND ||
	    (role == R_SLEEP && suspend)) {
		*s = keep;
		after_call(r, s, fresh(r, s));
		return true;
	}
	if (role == R_ENTER || role == R_LEAVE || role == R_THREAD) {
		s->excused |= r->v->callback_effect;
		if (suspend)
			return false;
	}
	if (!do_name(r, s, &n))
		return false;
	if (suspend) {
		s->nreg = keep.nreg;
		memcpy(s->reg, keep.reg, sizeof(s->reg));
		s->thread = keep.thread;
	}
	return true;
}

static bool
do_callback(struct ref *r, struct state *s, struct value x, bool suspend,
    const struct node *n)
{
	int fn = function_of(r, x);
	struct state keep;
	struct frame *f;

	if (fn >= NAME_REF)
		return name_callback(r, s, (unsigned)fn - NAME_REF, suspend);
	if (fn < 0) {			/* unknown code */
		after_call(r, s, fresh(r, s));
		return true;
	}
	s->excused |= r->v->unknown_calls > 0;
	keep = *s;
	if (suspend) {
		memset(s->reg, 0, sizeof(s->reg));
		s->nreg = 0;
		s->thread = false;
	}
	if (!do_call(r, s, (unsigned)fn, n))
		return false;
	f = &s->fr[s->nframe - 1];
	f->callback = true;
	if (suspend) {
		f->suspended = true;
		f->snreg = keep.nreg;
		memcpy(f->sreg, keep.reg, sizeof(f->sreg));
		f->sthread = keep.thread;
	}
	return true;
}

/* The query's answers; S goes on with one of them. */
static bool
do_query(struct ref *r, struct state *s, unsigned means, bool exact, int dst,
    bool call)
{
	static const struct ks_iv yes = { 1, 255, 32 }, no = { 0, 0, 32 };
	bool all = true;
	struct state t;

	if ((means & KS_MEANS_THREAD) && !s->thread)
		all = false;
	if ((means & KS_MEANS_REGION) && !held(s))
		all = false;
	if ((means & KS_MEANS_ATOMIC) &&
	    (s->nreg == 0 || !(s->reg[s->nreg - 1] & REG_ATOMIC)))
		all = false;
	if ((means & KS_MEANS_MAY_ENTER) && held(s))
		all = false;
	exact |= means == KS_MEANS_THREAD;
	for (int truth = 0; truth < 2; truth++) {
		struct value x;

		if (truth ? !all : all && exact)
			continue;
		t = *s;
		x = fresh(r, &t);
		t.mask[x.var] = where(r, &t, x, truth ? &yes : &no);
		if (truth && (means & KS_MEANS_ATOMIC) && t.nreg > 0 &&
		    (t.reg[t.nreg - 1] & REG_CALLERS))
			t.told = true;
		if (call)
			after_call(r, &t, x);
		else
			t.fr[t.nframe - 1].v[dst] = x;
		t.after = true;
		later(r, &t);
	}
	return false;
}

/* What a flag argument may be: bit 0: no flag of MASK is set, bit 1: one is. */
static unsigned
flag_ways(struct ref *r, struct state *s, const struct node *n, int arg,
    uint64_t mask)
{
	struct frame *f = &s->fr[s->nframe - 1];
	struct value x;
	unsigned ways = 0;

	if (arg >= n->narg)
		return 3;
	x = eval(r, s, f, &n->arg[arg]);
	for (unsigned i = 0; i < r->n; i++)
		if (x.var == NOVAR ? i == 0 : s->mask[x.var] >> i & 1)
			ways |= r->tab[x.tab][i] & mask ? 2 : 1;
	return ways;
}

/* An enter or a sleep that depends on its flags. */
static bool
do_flags(struct ref *r, struct state *s, const struct node *n,
    const struct name *d)
{
	unsigned ways = flag_ways(r, s, n, d->flags, d->mask);

	for (unsigned set = 0; set < 2; set++) {
		struct state t = *s;

		if (!(ways >> set & 1))
			continue;
		for (unsigned i = 0; set && i < t.nframe; i++)
			t.excused |= r->v->flags[t.fr[i].fn][t.fr[i].node];
		if (d->role == R_ENTER) {
			if (!enter(r, &t, set, d->counted))
				continue;
		} else if (set) {
			sleep(r, &t);
		}
		after_call(r, &t, fresh(r, &t));
		later(r, &t);
	}
	return false;
}

static bool
do_name(struct ref *r, struct state *s, const struct node *n)
{
	const struct name *d = &r->pr->names[n->id];
	struct frame *f = &s->fr[s->nframe - 1];

	if (d->flags >= 0)
		return do_flags(r, s, n, d);
	switch (d->role) {
	case R_ENTER:
		if (!enter(r, s, d->atomic, d->counted))
			return false;
		break;
	case R_LEAVE:
		leave(r, s);
		break;
	case R_THREAD:
		thread(r, s);
		break;
	case R_MARKER:
		need(r, s, K_NEED);
		break;
	case R_SLEEP:
		sleep(r, s);
		break;
	case R_QUERY:
		return do_query(r, s, d->means, d->exact, n->result, true);
	case R_PANIC:
		return false;
	case R_SUSPEND:
		if (d->callback < n->narg) {
			static const struct node none;

			return do_callback(r, s, eval(r, s, f,
			    &n->arg[d->callback]), true, &none);
		}
		break;
	default:
		break;
	}
	after_call(r, s, fresh(r, s));
	return true;
}

/*
 * Any of the functions stored under the first key that has any; or what is
 * unknown there.
 */
static bool
do_key(struct ref *r, struct state *s, const struct node *n)
{
	bool any = false, unknown = false;

	for (int key = n->id; key >= 0 && !any; key--)
		for (unsigned i = 0; i < r->p->nstore; i++) {
			struct state t = *s;

			if (r->p->store[i].key != key)
				continue;
			any |= r->p->store[i].func >= 0;
			unknown |= r->p->store[i].func < 0;
			if (r->p->store[i].func < 0) {
				after_call(r, &t, fresh(r, &t));
				later(r, &t);
			} else if (do_call(r, &t,
			    (unsigned)r->p->store[i].func, n)) {
				later(r, &t);
			}
		}
	if (any || unknown)
		return false;
	after_call(r, s, fresh(r, s));
	return true;
}

/* The event of the top frame's node; false: S is used up. */
static bool
event(struct ref *r, struct state *s)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct node *n = &r->p->f[f->fn].n[f->node];

	s->after = true;
	switch (n->ev) {
	case KS_EV_SET:
		f->v[n->dst] = eval(r, s, f, &n->val);
		break;
	case KS_EV_SAVE:
		return !r->pr->inlined || enter(r, s, true, false);
	case KS_EV_RESTORE:
		if (r->pr->inlined)
			leave(r, s);
		else
			need(r, s, K_NEED);
		break;
	case KS_EV_SIMD:
	case KS_EV_ASSERT:
		need(r, s, K_NEED);
		break;
	case KS_EV_ENTER:
		return enter(r, s, true, false);
	case KS_EV_LEAVE:
		leave(r, s);
		break;
	case KS_EV_SLEEP:
		sleep(r, s);
		break;
	case KS_EV_THREAD:
		thread(r, s);
		break;
	case KS_EV_QUERY:
		return do_query(r, s, n->aux & ~(unsigned)KS_MEANS_EXACT,
		    (n->aux & KS_MEANS_EXACT) != 0, n->dst, false);
	case KS_EV_RETURN:
		return do_return(r, s, eval(r, s, f, &n->val));
	case KS_EV_END:
		return false;
	case KS_EV_CALL:
		s->after = false;
		switch (n->callee) {
		case TO_FUNC:
			return do_call(r, s, n->id, n);
		case TO_NAME:
			return do_name(r, s, n);
		case TO_PLACE:
			return do_callback(r, s, f->v[n->id], false, n);
		default:
			return do_key(r, s, n);
		}
	default:
		break;
	}
	return true;
}

/* Takes the edges of the top frame's node; false: S is used up. */
static bool
go_on(struct ref *r, struct state *s)
{
	struct frame *f = &s->fr[s->nframe - 1];
	const struct node *n = &r->p->f[f->fn].n[f->node];

	if (n->nedge == 0)
		return n->tail && do_return(r, s, n->result != NOPLACE ?
		    f->v[n->result] : fresh(r, s));
	s->after = false;
	for (unsigned i = 0; i < n->nedge; i++) {
		const struct edge *e = &n->e[i];
		struct state t;
		struct value x;
		uint64_t m;

		if (e->iv.bits != 0) {
			x = f->v[e->cond];
			m = where(r, s, x, &e->iv);
			if (n->nedge > 1 && m == 0 && (x.var == NOVAR ||
			    s->mask[x.var] != mask_of(r->n)))
				r->t->correlated = true;
			if (m == 0)
				continue;
		}
		if (n->nedge == 1) {
			if (e->iv.bits != 0 && x.var != NOVAR)
				s->mask[x.var] = m;
			f->node = e->to;
			return true;
		}
		t = *s;
		if (e->iv.bits != 0 && x.var != NOVAR)
			t.mask[x.var] = m;
		t.fr[t.nframe - 1].node = e->to;
		later(r, &t);
	}
	return false;
}

static void
run(struct ref *r, struct state *s)
{
	for (;;) {
		const struct frame *f = &s->fr[s->nframe - 1];

		if (!s->after) {
			if (r->join[f->fn][f->node] && seen(r, s))
				return;
			if (!event(r, s))
				return;
		}
		/* A call leaves off at the callee's first node. */
		if (s->after && !go_on(r, s))
			return;
	}
}

static void
explore(struct ref *r, unsigned fn, enum from from)
{
	static const struct { bool thread; uint8_t n, reg; } how[NFROM] = {
		[FROM_REGION] = { false, 1, REG_CALLERS },
		[FROM_ATOMIC] = { false, 1, REG_CALLERS | REG_ATOMIC },
		[FROM_COUNTED] = { false, 1, REG_CALLERS | REG_ATOMIC |
		    REG_COUNTED },
		[FROM_THREAD] = { true, 0, 0 },
		[FROM_THREAD_REGION] = { true, 1, REG_CALLERS },
		[FROM_THREAD_ATOMIC] = { true, 1, REG_CALLERS | REG_ATOMIC },
	};
	struct state s;

	if (++r->now == 0)
		memset(r->stamp, 0, NSEEN * sizeof(*r->stamp)), r->now = 1;
	r->count = 0;
	r->start = (uint8_t)fn;
	r->from = (uint8_t)from;
	memset(&s, 0, sizeof(s));
	s.thread = how[from].thread;
	s.nreg = how[from].n;
	s.reg[0] = how[from].reg;
	push_frame(r, &s, fn, NULL);
	r->todo.n = 0;
	later(r, &s);
	while (r->todo.n > 0) {
		s = r->todo.v[--r->todo.n];
		run(r, &s);
	}
	r->t->states += r->count;
}

/* --- all of it --------------------------------------------------------------------------- */

struct ref *
ref_new(void)
{
	struct ref *r = ks_xmalloc(sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->seen = ks_xmalloc(NSEEN * sizeof(*r->seen));
	r->stamp = ks_xmalloc(NSEEN * sizeof(*r->stamp));
	memset(r->stamp, 0, NSEEN * sizeof(*r->stamp));
	return r;
}

void
ref_free(struct ref *r)
{
	ks_vec_free(&r->todo);
	free(r->seen);
	free(r->stamp);
	free(r);
}

static bool
can_come(const struct ref *r, unsigned fn, unsigned from)
{
	if (from == FROM_OUT && (r->p->f[fn].flags & KS_FUNC_HELD))
		return false;
	return r->pr->from >> from & 1;
}

void
ref_roots(struct ref *r, const struct program *p, const struct verdict *v,
    struct truth *t)
{
	r->p = p;
	r->pr = &profiles[p->profile];
	r->v = v;
	r->t = t;
	r->pinned = 0;
	memset(t, 0, sizeof(*t));
	domain(r);
	roots(p, t->root);
	for (unsigned i = 0; i < p->nfunc; i++) {
		liveness(r, i);
		joins(r, i);
	}
	for (unsigned i = 0; i < p->nfunc; i++)
		for (unsigned k = 0; t->root[i] && k < NFROM; k++)
			if (can_come(r, i, k))
				explore(r, i, (enum from)k);
}

void
ref_from(struct ref *r, uint8_t func, struct truth *t)
{
	r->t = t;
	r->pinned = 0;
	for (unsigned k = 0; k < NFROM; k++)
		if (can_come(r, func, k))
			explore(r, func, (enum from)k);
}

/* Can A and B be the same call with the same result? */
static bool
alike(const struct ref *r, const struct outcome *a, const struct outcome *b)
{
	for (unsigned i = 0; i < r->pinned; i++)
		if ((a->mask[i] & b->mask[i]) == 0)
			return false;
	for (unsigned i = 0; i < r->n; i++) {
		if (!(a->retmask >> i & 1))
			continue;
		for (unsigned k = 0; k < r->n; k++) {
			bool par = a->ret.var < r->pinned,
			    parb = b->ret.var < r->pinned;

			if (!(b->retmask >> k & 1) ||
			    r->tab[a->ret.tab][i] != r->tab[b->ret.tab][k])
				continue;
			/* A result made of a parameter is of that call's. */
			if (par && !(b->mask[a->ret.var] >> i & 1))
				continue;
			if (parb && !(a->mask[b->ret.var] >> k & 1))
				continue;
			if (par && parb && a->ret.var == b->ret.var && i != k)
				continue;
			return true;
		}
	}
	return false;
}

bool
ref_mixed(struct ref *r, uint8_t func, struct truth *t)
{
	bool mixed = false;

	r->t = t;
	for (unsigned k = 0; k < NFROM && !mixed; k++) {
		if (!can_come(r, func, k))
			continue;
		/* Keeping one more than there are does no harm. */
		r->pinned = r->p->f[func].nparam + 1U;
		r->nout = 0;
		explore(r, func, (enum from)k);
		r->pinned = r->p->f[func].nparam;
		for (unsigned i = 0; i < r->nout && !mixed; i++)
			for (unsigned j = 0; j < i && !mixed; j++)
				mixed = (r->outcome[i].nreg !=
				    r->outcome[j].nreg ||
				    r->outcome[i].ncallers !=
				    r->outcome[j].ncallers) &&
				    alike(r, &r->outcome[i], &r->outcome[j]);
	}
	r->pinned = 0;
	return mixed;
}
