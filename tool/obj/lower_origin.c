/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where pointers come from: for each register and slot, at each instruction,
 * a parameter, a known address, a known cell of memory, or a field of a
 * record that some other pointer leads to.
 *
 *  1. An origin is a small description, interned per function; a field's
 *     base is kept one step deep ("what offset 24 of some record leads to").
 *  2. A fixpoint over blocks; where two ways (or cmov) bring different
 *     origins there is none, but for the addresses among them: those are
 *     kept as a choice, up to MAX_CHOICE.  Each register and slot changes at
 *     most so often.
 *  3. The keys of indirect calls, escapes and stores are made from origins.
 *
 * Memory: registers and slots times blocks; functions where that is too much
 * have their slots left out.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define MAX_CHOICE	8	/* addresses of one value */
#define MAX_STATE	(1u << 22)	/* words for all blocks */
#define UNSEEN		UINT32_MAX

/* --- origins ----------------------------------------------------------- */

static size_t
hash_of(const struct ks_low_origin *o)
{
	uint64_t h = o->kind;

	h = h * 0x9e3779b97f4a7c15u + o->num;
	h = h * 0x9e3779b97f4a7c15u + (uint64_t)o->off;
	h = h * 0x9e3779b97f4a7c15u + o->ref.off;
	h = h * 0x9e3779b97f4a7c15u + o->ref.sect;
	h = h * 0x9e3779b97f4a7c15u + o->ref.sym;
	h ^= h >> 29;
	return (h * 0xbf58476d1ce4e5b9u >> 20);
}

static bool
same(const struct ks_low_origin *a, const struct ks_low_origin *b)
{
	return (a->kind == b->kind && a->num == b->num && a->off == b->off &&
	    a->ref.off == b->ref.off && a->ref.sect == b->ref.sect &&
	    a->ref.sym == b->ref.sym);
}

/* The number of an origin; 0: none. */
static uint32_t
intern(struct ks_low_fn *fn, const struct ks_low_origin *o)
{
	struct ks_low_origins *t = fn->origins;
	size_t h = hash_of(o);

	if (o->kind == KS_ORIGIN_NONE)
		return (0);
	for (;; h++) {
		uint32_t i = t->hash[h %= KS_LOW_ORIGIN_HASH];

		if (i == 0)
			break;
		if (same(&t->v.v[i], o))
			return (i);
	}
	if (t->v.n >= KS_LOW_ORIGIN_HASH / 2)
		return (0);
	t->hash[h] = (uint32_t)t->v.n;
	*ks_vec_push(&t->v) = *o;
	return (t->hash[h]);
}

static uint32_t
address(struct ks_low_fn *fn, const struct ks_oref *r, int64_t plus)
{
	struct ks_low_origin o = { .kind = KS_ORIGIN_ADDR, .ref = *r };

	if (ks_oref_none(r))
		return (0);
	o.ref.got = false;
	/* A variable is known by its place, whatever named it. */
	if (o.ref.sect == KS_NOSECT && r->got) {
		o.ref.sect = fn->l->o->syms[r->sym].sect;
		o.ref.off = o.ref.sect == KS_NOSECT ? 0 :
		    fn->l->o->syms[r->sym].off;
	}
	o.ref.off += (uint64_t)plus;
	return (intern(fn, &o));
}

static const struct ks_low_origin *
origin(const struct ks_low_fn *fn, uint32_t i)
{
	return (&fn->origins->v.v[i]);
}

/* Adds the addresses of origin I to the sorted V; the new number of them. */
static unsigned
addresses(const struct ks_low_fn *fn, uint32_t i, uint32_t *v, unsigned n)
{
	const struct ks_low_origin *o = ks_low_origin_first(origin(fn, i));

	for (; o != NULL && n < MAX_CHOICE; o = ks_low_origin_next(fn, o)) {
		struct ks_low_origin a = { .kind = KS_ORIGIN_ADDR,
		    .ref = o->ref };
		uint32_t x = intern((struct ks_low_fn *)fn, &a);
		unsigned k = n;

		for (unsigned j = 0; j < n && x != 0; j++)
			if (v[j] == x)
				x = 0;
		if (x == 0)
			continue;
		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
		n++;
	}
	return (n);
}

/*
 * Either X or Y, which differ.  What X was among addresses stays, so that
 * nothing changes to and fro.
 */
static uint32_t
either(struct ks_low_fn *fn, uint32_t x, uint32_t y)
{
	uint32_t v[MAX_CHOICE], r = 0;
	unsigned n = addresses(fn, y, v, addresses(fn, x, v, 0));

	while (n > 0) {
		struct ks_low_origin c = { .kind = KS_ORIGIN_CHOICE, .num = r,
		    .ref = origin(fn, v[--n])->ref };

		r = intern(fn, &c);
		if (r == 0)
			return (origin(fn, x)->kind == KS_ORIGIN_CHOICE ? x :
			    0);
	}
	return (r);
}

/* What is loaded from a memory operand that is no slot. */
static uint32_t
loaded(struct ks_low_fn *fn, const uint32_t *st, const struct ks_cfg_insn *i,
    const struct ks_opnd *m)
{
	struct ks_low_origin o = { .kind = KS_ORIGIN_NONE };
	const struct ks_low_origin *b;

	if (m->seg != 0 || m->bits != fn->word * 8)
		return (0);
	if (i->mem.got)
		return (address(fn, &i->mem, 0));
	if (!ks_oref_none(&i->mem)) {
		o.kind = m->index < KS_GPR_MAX || m->reg < KS_GPR_MAX ?
		    KS_ORIGIN_TABLE : KS_ORIGIN_CELL;
		o.ref = i->mem;
		return (intern(fn, &o));
	}
	if (m->reg >= KS_GPR_MAX)
		return (0);
	b = origin(fn, st[m->reg]);
	if (b->kind == KS_ORIGIN_ADDR) {
		o.kind = m->index == KS_NOREG ? KS_ORIGIN_CELL :
		    KS_ORIGIN_TABLE;
		o.ref = b->ref;
		o.ref.off += (uint64_t)m->val;
	} else if (m->index == KS_NOREG) {
		o.kind = KS_ORIGIN_FIELD;
		o.off = m->val;
		/* One step back is enough. */
		if (b->kind == KS_ORIGIN_FIELD) {
			struct ks_low_origin c = { .kind = KS_ORIGIN_FIELD,
			    .off = b->off };

			o.num = intern(fn, &c);
		} else {
			o.num = st[m->reg];
		}
	}
	return (intern(fn, &o));
}

/* --- one instruction --------------------------------------------------- */

/* See lower.h. */
uint32_t
ks_low_slot_index(const struct ks_low_fn *fn, struct ks_cfg_addr a)
{
	size_t lo, hi;

	ks_low_slot_range(fn, a, fn->word, &lo, &hi);
	for (; lo < hi; lo++)
		if (fn->slots.v[lo].off == a.off &&
		    fn->slots.v[lo].size == fn->word)
			return ((uint32_t)(KS_GPR_MAX + lo));
	return (UNSEEN);
}

/* The origin of an operand of the machine's word size. */
static uint32_t
read(struct ks_low_fn *fn, const uint32_t *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, const struct ks_opnd *o)
{
	struct ks_cfg_addr a;
	uint32_t k;

	if (o->kind == KS_OPND_IMM)
		return (o->bits >= 32 ? address(fn, &i->imm, 0) : 0);
	if (o->bits != fn->word * 8)
		return (0);
	if (o->kind == KS_OPND_REG)
		return (st[o->reg]);
	if (o->kind != KS_OPND_MEM)
		return (0);
	if (!ks_low_stack(fn, fr, o, &a))
		return (loaded(fn, st, i, o));
	k = o->index == KS_NOREG ? ks_low_slot_index(fn, a) : UNSEEN;
	return (k < fn->norg ? st[k] : 0);
}

/* See lower.h. */
void
ks_low_slot_state(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
    struct ks_cfg_addr a, unsigned size, uint32_t v)
{
	size_t lo, hi;
	uint32_t k = size == fn->word ? ks_low_slot_index(fn, a) : UNSEEN;

	ks_low_slot_range(fn, a, size, &lo, &hi);
	for (; lo < hi && KS_GPR_MAX + lo < n; lo++)
		st[KS_GPR_MAX + lo] = 0;
	if (k < n)
		st[k] = v;
}

/* See lower.h. */
void
ks_low_kill_slots(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
    const struct ks_cfg_addr *from)
{
	for (size_t k = 0; k < fn->slots.n && KS_GPR_MAX + k < n; k++) {
		const struct ks_low_slot *s = &fn->slots.v[k];

		if (from == NULL ? ks_low_exposed(fn, s) :
		    s->base == from->base && s->off + s->size > from->off)
			st[KS_GPR_MAX + k] = 0;
	}
}

/* See lower.h. */
void
ks_low_kill_call(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
    const struct ks_cfg_insn *call)
{
	size_t nk;
	const struct ks_low_kill *v = ks_low_kills(fn, call, &nk);

	for (; nk > 0; nk--, v++)
		for (size_t k = 0; k < fn->slots.n && KS_GPR_MAX + k < n; k++) {
			const struct ks_low_slot *s = &fn->slots.v[k];

			if (ks_low_overlap(v, (struct ks_cfg_addr){ s->base,
			    s->off }, s->size))
				st[KS_GPR_MAX + k] = 0;
		}
}

static void
forget_written(uint32_t *st, const struct ks_cfg_insn *i)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if ((i->in.gpr_write >> r & 1) != 0)
			st[r] = 0;
}

/* See lower.h. */
void
ks_low_state_write(const struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr, uint32_t *st, uint32_t n, uint32_t v)
{
	const struct ks_opnd *d = &i->in.opnd[0];
	struct ks_cfg_addr a;

	forget_written(st, i);
	for (unsigned k = 0; k < i->in.nopnd; k++) {
		const struct ks_opnd *m = &i->in.opnd[k];

		if (!m->write || !ks_low_stack(fn, fr, m, &a) ||
		    i->in.op == KS_OP_LEA)
			continue;
		if (m->index == KS_NOREG)
			ks_low_slot_state(fn, st, n, a, m->bits / 8,
			    k == 0 ? v : 0);
		else
			ks_low_kill_slots(fn, st, n, &a);
	}
	if ((i->in.op == KS_OP_OTHER || i->in.rep) &&
	    (i->in.gpr_write >> KS_RDI & 1) != 0 &&
	    fr->r[KS_RDI].base != KS_SP_UNKNOWN)
		ks_low_kill_slots(fn, st, n, &fr->r[KS_RDI]);
	if (ks_low_wild(fn, i, fr))
		ks_low_kill_slots(fn, st, n, NULL);
	if (i->spnew != 0) {
		a = (struct ks_cfg_addr){ i->spnew, INT32_MIN / 2 };
		ks_low_kill_slots(fn, st, n, &a);
	}
	if (i->in.nopnd != 0 && d->kind == KS_OPND_REG && d->write &&
	    d->bits >= 32 && d->reg != KS_RSP)
		st[d->reg] = v;
}

/* See lower.h. */
void
ks_low_state_push(const struct ks_low_fn *fn, const struct ks_cfg_frame *fr,
    uint32_t *st, uint32_t n, uint32_t v)
{
	struct ks_cfg_addr a = fr->r[KS_RSP];

	a.off -= (int32_t)fn->word;
	if (a.base != KS_SP_UNKNOWN)
		ks_low_slot_state(fn, st, n, a, fn->word, v);
}

/* See lower.h. */
void
ks_low_state_pop(const struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr, uint32_t *st, uint32_t n)
{
	uint32_t k = ks_low_slot_index(fn, fr->r[KS_RSP]), v = 0;
	const struct ks_opnd *d = &i->in.opnd[0];
	struct ks_cfg_addr a;

	if (k < n && i->in.nopnd != 0 && d->bits == fn->word * 8)
		v = st[k];
	forget_written(st, i);
	if (i->in.nopnd == 0)
		return;
	if (d->kind == KS_OPND_REG)
		st[d->reg] = v;
	/* A destination relative to %rsp lies a word above this address. */
	else if (d->kind == KS_OPND_MEM && ks_low_stack(fn, fr, d, &a))
		ks_low_kill_slots(fn, st, n, &a);
}

static void
call(struct ks_low_fn *fn, uint32_t *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i)
{
	static const uint8_t regs[] = { KS_RAX, KS_RCX, KS_RDX, KS_RSI,
	    KS_RDI, KS_R8, KS_R9, KS_R10, KS_R11 };
	size_t n = fn->mode64 ? sizeof(regs) : 3;

	if (i->how == KS_HOW_PUSH) {
		struct ks_cfg_addr a = fr->r[KS_RSP];

		a.off -= (int32_t)fn->word;
		if (a.base != KS_SP_UNKNOWN)
			ks_low_slot_state(fn, st, fn->norg, a, fn->word, 0);
		return;
	}
	if (i->how == KS_HOW_IGNORED)
		return;
	for (size_t k = 0; k < n; k++)
		st[regs[k]] = 0;
	ks_low_kill_call(fn, st, fn->norg, i);
}

/* The value that the instruction gives its first operand. */
static uint32_t
result(struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_frame *fr, const struct ks_cfg_insn *i)
{
	const struct ks_opnd *d = &i->in.opnd[0], *s = &i->in.opnd[1];
	const struct ks_low_origin *b;
	uint32_t v;

	switch (i->in.op) {
	case KS_OP_MOV:
		return (read(fn, st, fr, i, s));
	case KS_OP_CMOVCC:
		v = read(fn, st, fr, i, s);
		if (d->kind != KS_OPND_REG)
			return (0);
		return (st[d->reg] == v ? v : either(fn, st[d->reg], v));
	case KS_OP_LEA:
		if (s->index != KS_NOREG || s->seg != 0)
			return (0);
		if (s->reg >= KS_GPR_MAX)
			return (address(fn, &i->mem, 0));
		b = origin(fn, st[s->reg]);
		if (!ks_oref_none(&i->mem))
			return (0);
		if (b->kind == KS_ORIGIN_ADDR)
			return (address(fn, &b->ref, s->val));
		return (s->val == 0 ? st[s->reg] : 0);
	case KS_OP_ADD:
	case KS_OP_SUB:
		if (d->kind != KS_OPND_REG || s->kind != KS_OPND_IMM ||
		    origin(fn, st[d->reg])->kind != KS_ORIGIN_ADDR)
			return (0);
		b = origin(fn, st[d->reg]);
		return (address(fn, &b->ref, i->in.op == KS_OP_ADD ?
		    s->val : -s->val));
	default:
		return (0);
	}
}

/* See lower.h. */
void
ks_low_origin_step(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr, uint32_t *st)
{
	const struct ks_opnd *d = &i->in.opnd[0];
	uint32_t v;

	if (i->in.op == KS_OP_CALL) {
		call(fn, st, fr, i);
		return;
	}
	if (i->in.op == KS_OP_PUSH) {
		v = i->in.nopnd != 0 ? read(fn, st, fr, i, d) : 0;
		ks_low_state_push(fn, fr, st, fn->norg, v);
		return;
	}
	if (i->in.op == KS_OP_POP) {
		ks_low_state_pop(fn, i, fr, st, fn->norg);
		return;
	}
	v = i->in.nopnd != 0 && d->write ? result(fn, st, fr, i) : 0;
	ks_low_state_write(fn, i, fr, st, fn->norg, v);
}

/* --- fixpoint ---------------------------------------------------------- */

static bool
join(struct ks_low_fn *fn, uint32_t *to, const uint32_t *from, uint32_t n)
{
	bool changed = false;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = to[k] == UNSEEN || to[k] == from[k] ? from[k] :
		    from[k] == 0 && origin(fn, to[k])->kind ==
		    KS_ORIGIN_CHOICE ? to[k] : either(fn, to[k], from[k]);

		changed = changed || v != to[k];
		to[k] = v;
	}
	return (changed);
}

static void
enter(struct ks_low_fn *fn, uint32_t *st)
{
	static const uint8_t regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX,
	    KS_R8, KS_R9 };

	memset(st, 0, fn->norg * sizeof(*st));
	for (uint32_t i = 0; i < 6; i++) {
		struct ks_low_origin o = { .kind = KS_ORIGIN_PARAM, .num = i };
		struct ks_cfg_addr a = { KS_SP_CFA, (int32_t)i * 4 };
		uint32_t k = fn->mode64 ? regs[i] :
		    ks_low_slot_index(fn, a);

		if (k < fn->norg)
			st[k] = intern(fn, &o);
	}
}

/* See lower.h. */
void
ks_low_find_origins(struct ks_low_fn *fn, struct ks_low_origins *t)
{
	const struct ks_cfg *g = fn->g;
	size_t blocks = g->blocks.n;
	uint32_t *st;
	uint8_t *queued;
	bool changed = true;

	fn->origins = t;
	t->v.n = t->v.n != 0;
	memset(t->hash, 0, sizeof(t->hash));
	if (t->v.n == 0)
		*ks_vec_push(&t->v) = (struct ks_low_origin){ 0 };
	fn->norg = (uint32_t)(KS_GPR_MAX + fn->slots.n);
	if ((uint64_t)fn->norg * blocks > MAX_STATE)
		fn->norg = KS_GPR_MAX;
	fn->org_in = ks_xmalloc(blocks * fn->norg * sizeof(*st));
	memset(fn->org_in, 0xff, blocks * fn->norg * sizeof(*st));
	fn->org = st = ks_xmalloc(fn->norg * sizeof(*st));
	queued = ks_xmalloc(blocks);
	memset(queued, 0, blocks);
	enter(fn, st);
	(void)join(fn, fn->org_in, st, fn->norg);
	queued[0] = 1;
	/* Blocks are in reverse postorder: sweeps converge fast. */
	while (changed) {
		changed = false;
		for (size_t b = 0; b < blocks; b++) {
			const struct ks_cfg_block *k = &g->blocks.v[b];
			struct ks_cfg_frame fr = g->frames.v[b];

			if (!queued[b])
				continue;
			queued[b] = 0;
			memcpy(st, fn->org_in + b * fn->norg,
			    fn->norg * sizeof(*st));
			for (uint32_t i = 0; i < k->ninsn; i++) {
				const struct ks_cfg_insn *x =
				    &g->insns.v[k->insn + i];

				ks_low_origin_step(fn, x, &fr, st);
				ks_cfg_frame_step(x, fn->mode64, &fr);
			}
			for (uint32_t e = 0; e < k->nedge; e++) {
				uint32_t to = g->edges.v[k->edge + e].to;

				if (!join(fn, fn->org_in + (size_t)to * fn->norg,
				    st, fn->norg))
					continue;
				queued[to] = 1;
				changed = true;
			}
		}
	}
	free(queued);
}

/* See lower.h. */
const struct ks_low_origin *
ks_low_origin_of(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	return (origin(fn, read(fn, fn->org, &fn->fr, fn->insn, o)));
}

/* See lower.h. */
const struct ks_low_origin *
ks_low_origin_reg(const struct ks_low_fn *fn, unsigned reg)
{
	return (origin(fn, fn->org[reg]));
}

/* See lower.h. */
const struct ks_low_origin *
ks_low_origin_mem(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	return (origin(fn, loaded(fn, fn->org, fn->insn, o)));
}

/* See lower.h. */
const struct ks_low_origin *
ks_low_origin_next(const struct ks_low_fn *fn, const struct ks_low_origin *o)
{
	return (o->kind == KS_ORIGIN_CHOICE && o->num != 0 ?
	    origin(fn, o->num) : NULL);
}

/* See lower.h. */
const struct ks_low_origin *
ks_low_origin_base(const struct ks_low_fn *fn, const struct ks_low_origin *o)
{
	return (origin(fn, o->kind == KS_ORIGIN_FIELD ? o->num : 0));
}
