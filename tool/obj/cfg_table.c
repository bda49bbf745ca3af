/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Jump tables: where an indirect jump goes inside its function.
 *
 *  1. Walk back from the jump to the load that an index register scales:
 *	jmp *T(,%rax,8)					absolute entries
 *	mov T(,%rax,8),%rax; jmp *%rax			the same
 *	lea T(%rip),%rdx; mov (%rdx,%rax,8),%rax; jmp *%rax
 *	lea T(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
 *							distances from T
 *  2. Read entries of T as long as they lie inside the function: by their
 *     relocations, or by value in linked files.
 *  3. A comparison of the index with a constant, then ja, above the load
 *     bounds the number of entries.  It only cuts short what step 2 would
 *     read; without it neighbouring tables of one function run together,
 *     which adds paths and hides none.
 *     Distances may also be from a label in the code (&&a - &&b).  An
 *     entry in a function's cold part is one of its own.
 *  4. Jumps for which this fails may go to any place inside the function
 *     whose address an instruction makes, or that data other than the tables
 *     of step 2 holds (computed goto).  Where there is none, the jump leaves
 *     the function.
 *  5. iret and far returns may go to places whose address an instruction
 *     makes, if nothing else leads there.  A place that still nothing leads
 *     to is reported: some jump to it was not understood.
 *
 * Known limit: distances from a table that is not found by step 1 are not
 * recognised as code addresses in step 4.
 */
#include <stdlib.h>
#include <string.h>

#include "cfg_priv.h"
#include "obj_priv.h"

#define MAX_BACK	24	/* instructions to walk back */
#define MAX_ENTRIES	4096

struct table {
	struct ks_oref at;
	struct ks_oref base;	/* code that entries are relative to, or sect
				   KS_NOSECT: to the table's start */
	unsigned size;		/* bytes of an entry */
	bool	 relative;
	uint8_t	 index;		/* register */
	uint32_t node;		/* the load */
	uint64_t bound;		/* entries at most */
};

/* The node before N on the way that first led to it, or KS_NONE. */
static uint32_t
before(const struct ks_cfg_builder *b, uint32_t n)
{
	const struct ks_cfg_node *d = &b->nodes.v[n];

	if (d->pred == KS_NONE || (d->pred_kind != KS_EDGE_FALL &&
	    d->pred_kind != KS_EDGE_JUMP && d->pred_kind != KS_EDGE_TAKEN))
		return (KS_NONE);
	return (d->pred);
}

static const struct ks_cfg_insn *
insn_of(const struct ks_cfg_builder *b, uint32_t n)
{
	uint32_t i = b->nodes.v[n].insn;

	return (i == KS_NONE ? NULL : &b->pool.v[i]);
}

static bool
writes(const struct ks_cfg_insn *i, uint8_t reg)
{
	return ((i->in.gpr_write >> reg & 1) != 0);
}

/* Where register REG was last set to a known address before node N. */
static struct ks_oref
base_of(const struct ks_cfg_builder *b, uint32_t n, uint8_t reg)
{
	struct ks_oref none = { KS_NONE, KS_NOSECT, 0, false };

	for (unsigned k = 0; k < MAX_BACK; k++) {
		const struct ks_cfg_insn *i;

		n = before(b, n);
		if (n == KS_NONE)
			return (none);
		i = insn_of(b, n);
		if (i == NULL || !writes(i, reg))
			continue;
		if (i->in.op == KS_OP_LEA && i->in.opnd[1].index == KS_NOREG)
			return (i->mem);
		if (i->in.op == KS_OP_MOV &&
		    i->in.opnd[1].kind == KS_OPND_IMM)
			return (i->imm);
		return (none);
	}
	return (none);
}

static bool
scaled(const struct ks_cfg_builder *b, uint32_t n, const struct ks_opnd *m,
    struct table *t)
{
	const struct ks_cfg_insn *i = insn_of(b, n);

	if (m->kind != KS_OPND_MEM || m->index >= KS_GPR_MAX)
		return (false);
	t->index = m->index;
	t->node = n;
	if (m->reg == KS_NOREG) {
		t->at = i->mem;
	} else {
		t->at = base_of(b, n, m->reg);
		t->at.off += (uint64_t)m->val;
	}
	return (t->at.sect != KS_NOSECT);
}

/* add: one operand is what entries are relative to; REG: the other one. */
static bool
added(const struct ks_cfg_builder *b, uint32_t n, uint8_t *reg,
    struct table *t)
{
	const struct ks_cfg_insn *i = insn_of(b, n);
	const struct ks_opnd *o = &i->in.opnd[1];
	struct ks_oref a;

	if (o->kind == KS_OPND_IMM) {
		a = i->imm;
	} else if (o->kind == KS_OPND_REG) {
		a = base_of(b, n, o->reg);
		if (a.sect == KS_NOSECT) {
			a = base_of(b, n, *reg);
			*reg = o->reg;
		}
	} else {
		return (false);
	}
	t->relative = true;
	t->size = 4;
	if (a.sect != KS_NOSECT && b->o->sects[a.sect].exec)
		t->base = a;
	return (o->kind != KS_OPND_IMM || t->base.sect != KS_NOSECT);
}

/* lea label(%reg): entries are relative to a label in the code. */
static bool
leads(const struct ks_cfg_builder *b, const struct ks_cfg_insn *i,
    uint8_t *reg, struct table *t)
{
	const struct ks_opnd *o = &i->in.opnd[1];

	if ((o->reg < KS_GPR_MAX) == (o->index < KS_GPR_MAX) ||
	    (o->index < KS_GPR_MAX && o->scale > 1) ||
	    i->mem.sect == KS_NOSECT || !b->o->sects[i->mem.sect].exec)
		return (false);
	*reg = o->reg < KS_GPR_MAX ? o->reg : o->index;
	t->relative = true;
	t->size = 4;
	t->base = i->mem;
	return (true);
}

/* Step 1.  False: the jump is no use of a table that we know. */
static bool
find(const struct ks_cfg_builder *b, uint32_t n, struct table *t)
{
	const struct ks_cfg_insn *i = insn_of(b, n);
	unsigned word = b->o->mode64 ? 8 : 4;
	uint8_t reg = i->reg;

	t->size = word;
	if (i->reg == KS_NOREG && i->in.opnd[0].kind == KS_OPND_MEM)
		return (scaled(b, n, &i->in.opnd[0], t));
	if (reg == KS_NOREG && i->in.opnd[0].kind == KS_OPND_REG)
		reg = i->in.opnd[0].reg;
	for (unsigned k = 0; k < MAX_BACK && reg < KS_GPR_MAX; k++) {
		n = before(b, n);
		if (n == KS_NONE || (i = insn_of(b, n)) == NULL)
			return (false);
		if (!writes(i, reg))
			continue;
		if (i->in.op == KS_OP_ADD && i->in.nopnd == 2 &&
		    !t->relative) {
			if (!added(b, n, &reg, t))
				return (false);
			continue;
		}
		if (i->in.op == KS_OP_LEA && !t->relative &&
		    leads(b, i, &reg, t))
			continue;
		if (i->in.op != KS_OP_MOV && i->in.op != KS_OP_MOVSX)
			return (false);
		if (i->in.opnd[1].kind == KS_OPND_REG) {
			reg = i->in.opnd[1].reg;
			continue;
		}
		if (t->base.sect != KS_NOSECT && i->in.opnd[1].bits == 64)
			t->size = 8;
		return (i->in.opnd[1].bits == t->size * 8 &&
		    scaled(b, n, &i->in.opnd[1], t));
	}
	return (false);
}

/* Step 3. */
static uint64_t
bound_of(const struct ks_cfg_builder *b, const struct table *t)
{
	uint8_t reg = t->index;
	uint32_t n = t->node;
	bool ja = false;

	for (unsigned k = 0; k < MAX_BACK; k++) {
		const struct ks_cfg_insn *i;
		uint8_t kind = b->nodes.v[n].pred_kind;

		n = before(b, n);
		if (n == KS_NONE || (i = insn_of(b, n)) == NULL)
			break;
		if (i->in.op == KS_OP_JCC) {
			ja = (i->in.cc == KS_CC_A && kind == KS_EDGE_FALL) ||
			    (i->in.cc == KS_CC_BE && kind == KS_EDGE_TAKEN);
			continue;
		}
		if (i->in.op == KS_OP_CMP && ja) {
			const struct ks_opnd *p = i->in.opnd;

			if (p[0].kind == KS_OPND_REG && p[0].reg == reg &&
			    !p[0].high8 && p[1].kind == KS_OPND_IMM &&
			    p[1].val >= 0 && p[1].val < MAX_ENTRIES)
				return ((uint64_t)p[1].val + 1);
			break;
		}
		if (i->in.writes_flags && ja)
			break;
		if (!writes(i, reg))
			continue;
		if ((i->in.op != KS_OP_MOV && i->in.op != KS_OP_MOVZX) ||
		    i->in.opnd[1].kind != KS_OPND_REG ||
		    i->in.opnd[1].high8)
			break;
		reg = i->in.opnd[1].reg;
	}
	return (MAX_ENTRIES);
}

/* The code address in entry K, or sect KS_NOSECT. */
static struct ks_oref
entry(const struct ks_cfg_builder *b, const struct table *t, uint64_t k)
{
	const struct ks_obj *o = b->o;
	const struct ks_sect *s = &o->sects[t->at.sect];
	struct ks_oref r = { KS_NONE, KS_NOSECT, 0, false };
	uint64_t at = t->at.off + k * t->size;
	const struct ks_rel *rel;

	if (s->data == NULL || at > s->size || t->size > s->size - at)
		return (r);
	if (!t->relative && (o->mode64 || !o->linked))
		return (ks_obj_data_ref(o, t->at.sect, at, t->size));
	if (!t->relative) {
		r.sect = ks_obj_sect_at(o, ks_le32(s->data + at));
		if (r.sect != KS_NOSECT)
			r.off = ks_le32(s->data + at) - o->sects[r.sect].addr;
		return (r);
	}
	rel = o->linked ? NULL : ks_obj_rel(s, at);
	if (t->base.sect != KS_NOSECT) {
		if (rel != NULL && rel->off == at)
			return (r);
		r.sect = t->base.sect;
		r.off = t->base.off + (t->size == 8 ? ks_le64(s->data + at) :
		    (uint64_t)(int64_t)(int32_t)ks_le32(s->data + at));
		return (r);
	}
	if (rel != NULL && rel->off == at) {
		if (!ks_rel_is_pc(o->mode64, rel->type))
			return (r);
		r = ks_obj_data_ref(o, t->at.sect, at, 4);
		r.off -= k * t->size;
		return (r);
	}
	if (o->linked) {
		uint64_t addr = s->addr + t->at.off +
		    (uint64_t)(int64_t)(int32_t)ks_le32(s->data + at);

		r.sect = ks_obj_sect_at(o, addr);
		if (r.sect != KS_NOSECT)
			r.off = addr - o->sects[r.sect].addr;
	} else if (s->exec) {
		r.sect = t->at.sect;
		r.off = t->at.off +
		    (uint64_t)(int64_t)(int32_t)ks_le32(s->data + at);
	}
	return (r);
}

/* Hostile tables must not make graphs quadratic in the code. */
static bool
pay(struct ks_cfg_builder *b, uint32_t node)
{
	if (b->budget > 0) {
		b->budget--;
		return (true);
	}
	ks_cfg_lost(b, node, "too many jump table entries");
	return (false);
}

/* See cfg_priv.h. */
void
ks_cfg_table(struct ks_cfg_builder *b, uint32_t node)
{
	struct table t = { .index = KS_NOREG, .bound = MAX_ENTRIES,
	    .base.sect = KS_NOSECT };
	bool any = false;
	uint64_t k;

	if (!find(b, node, &t)) {
		*ks_vec_push(&b->jumps) = node;
		return;
	}
	t.bound = bound_of(b, &t);
	for (k = 0; k < t.bound; k++) {
		struct ks_oref r = entry(b, &t, k);

		if (r.sect == KS_NOSECT || !b->o->sects[r.sect].exec ||
		    !ks_cfg_inside(b, r.sect, r.off) || !pay(b, node))
			break;
		ks_cfg_link(b, node, ks_cfg_at(b, r.sect, r.off, 0, false,
		    node, KS_EDGE_TABLE), KS_EDGE_TABLE);
		any = true;
	}
	if (b->nodes.v[node].end == KS_CFG_LOST)
		return;
	if (!any) {
		*ks_vec_push(&b->jumps) = node;
		return;
	}
	b->nodes.v[node].end = KS_CFG_GOES;
	*ks_vec_push(&b->tables) = (struct ks_cfg_span){ t.at.sect, t.at.off,
	    t.at.off + k * t.size };
}

/* --- computed goto ----------------------------------------------------- */

static int
by_place(const void *a, const void *b, void *ctx)
{
	const struct ks_cfg_coderef *x = a, *y = b;

	(void)ctx;
	if (x->sect != y->sect)
		return (x->sect < y->sect ? -1 : 1);
	return (x->off < y->off ? -1 : x->off > y->off);
}

/* Code addresses that read-only and other plain data hold. */
static void
collect(struct ks_cfg_builder *b)
{
	const struct ks_obj *o = b->o;
	KS_VEC(struct ks_cfg_coderef) v = { 0 };
	unsigned word = o->mode64 ? 8 : 4;

	b->have_coderefs = true;
	for (uint32_t i = 0; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (!s->alloc || (strncmp(s->name, ".rodata", 7) != 0 &&
		    strncmp(s->name, ".data", 5) != 0))
			continue;
		for (size_t k = 0; k < s->nrel; k++) {
			struct ks_oref r = ks_obj_data_ref(o, i,
			    s->rels[k].off, word);

			if (r.sect == KS_NOSECT || !o->sects[r.sect].exec ||
			    ks_rel_is_pc(o->mode64, s->rels[k].type))
				continue;
			*ks_vec_push(&v) = (struct ks_cfg_coderef){ r.sect,
			    r.off, i, s->rels[k].off };
		}
	}
	ks_sort(v.v, v.n, sizeof(v.v[0]), by_place, NULL);
	b->coderefs = v.v;
	b->ncoderef = v.n;
}

static void
add_label(struct ks_cfg_builder *b, uint32_t sect, uint64_t off, uint32_t node)
{
	for (size_t i = 0; i < b->labels.n; i++)
		if (b->labels.v[i].off == off && b->labels.v[i].sect == sect)
			return;
	*ks_vec_push(&b->labels) = (struct ks_cfg_label){ sect, off, node };
}

/* Places inside the function whose address a new instruction makes. */
static void
code_labels(struct ks_cfg_builder *b)
{
	for (; b->nnode < b->nodes.n; b->nnode++) {
		const struct ks_cfg_insn *i = insn_of(b, b->nnode);
		const struct ks_oref *r;

		if (i == NULL || i->in.rel_len != 0 || i->how != KS_HOW_NONE)
			continue;
		r = i->in.op == KS_OP_LEA ? &i->mem : &i->imm;
		if (!ks_oref_none(r) && !r->got && r->sect < b->o->nsect &&
		    b->o->sects[r->sect].exec &&
		    ks_cfg_inside(b, r->sect, r->off) &&
		    !(r->sect == b->sect && r->off == b->off))
			add_label(b, r->sect, r->off, (uint32_t)b->nnode);
	}
}

static bool
in_table(const struct ks_cfg_builder *b, const struct ks_cfg_coderef *c)
{
	for (size_t i = 0; i < b->tables.n; i++)
		if (c->from == b->tables.v[i].sect &&
		    c->at >= b->tables.v[i].off && c->at < b->tables.v[i].end)
			return (true);
	return (false);
}

/* Places inside the function whose address data holds. */
static void
data_labels(struct ks_cfg_builder *b)
{
	size_t lo = 0, hi;

	if (!b->have_coderefs)
		collect(b);
	hi = b->ncoderef;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct ks_cfg_coderef *c = &b->coderefs[mid];

		if (c->sect < b->sect ||
		    (c->sect == b->sect && c->off <= b->off))
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < b->ncoderef; lo++) {
		const struct ks_cfg_coderef *c = &b->coderefs[lo];

		if (c->sect != b->sect || c->off >= b->end)
			break;
		if (!in_table(b, c))
			add_label(b, c->sect, c->off, KS_NONE);
	}
}

static void
link_label(struct ks_cfg_builder *b, uint32_t from,
    const struct ks_cfg_label *l)
{
	if (pay(b, from))
		ks_cfg_link(b, from, ks_cfg_at(b, l->sect, l->off, 0, false,
		    from, KS_EDGE_TABLE), KS_EDGE_TABLE);
}

static bool
unreached(const struct ks_cfg_builder *b, const struct ks_cfg_label *l)
{
	return (l->node != KS_NONE &&
	    ks_cfg_find(b, l->sect, l->off, 0, false) == KS_NONE);
}

/*
 * Steps 4 and 5.  Called when there is nothing left to decode; true if that
 * gave more.
 */
bool
ks_cfg_resolve_rest(struct ks_cfg_builder *b)
{
	size_t n = b->nodes.n;

	code_labels(b);
	if (b->jumps.n != 0)
		data_labels(b);
	for (size_t j = 0; j < b->jumps.n; j++)
		for (size_t i = j < b->njump ? b->nlabel : 0;
		    i < b->labels.n; i++)
			link_label(b, b->jumps.v[j], &b->labels.v[i]);
	b->njump = b->jumps.n;
	b->nlabel = b->labels.n;
	for (size_t i = 0; i < b->labels.n; i++) {
		struct ks_cfg_label l = b->labels.v[i];

		if (!unreached(b, &l))
			continue;
		for (size_t j = 0; j < b->irets.n; j++)
			link_label(b, b->irets.v[j], &l);
	}
	b->g.unknown_jumps = b->jumps.n;
	return (b->nodes.n > n);
}

/* Step 5, the end of it. */
void
ks_cfg_check_labels(struct ks_cfg_builder *b)
{
	for (size_t i = 0; i < b->labels.n; i++)
		if (unreached(b, &b->labels.v[i]))
			*ks_vec_push(&b->g.bad) = (struct ks_cfg_bad){
			    b->labels.v[i].sect, b->labels.v[i].off,
			    "code whose address is taken, but that no known "
			    "jump leads to" };
}
