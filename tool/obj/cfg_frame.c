/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stack addresses: for each instruction, how far %rsp is from the CFA, and
 * which registers point into the frame.
 *
 *  1. The CFA is what %rsp was before the call that led here.  A register
 *     holds base + offset or something unknown.
 *  2. What moves %rsp by an unknown amount (and $-32,%rsp; sub %rax,%rsp)
 *     starts a base of its own: memory addressed from it does not overlap
 *     memory addressed from the old one, as long as frames are well formed
 *     (lowering checks the part that it can see).
 *  3. A fixpoint over blocks; where two ways disagree the value is unknown.
 *  4. Returns must find %rsp where the entry had it.  If not, something
 *     moved it in a way not seen here (a callee that pops its arguments),
 *     and the depths of the whole function are not to be trusted.
 *
 * A register changes at most twice, so the fixpoint ends after a number of
 * visits that is linear in blocks and registers.
 */
#include <stdlib.h>
#include <string.h>

#include "cfg_priv.h"

static const struct ks_cfg_addr unknown = { KS_SP_UNKNOWN, 0 };

/* Registers that a call changes. */
#define VOLATILE64	((1u << KS_RAX) | (1u << KS_RCX) | (1u << KS_RDX) | \
			    (1u << KS_RSI) | (1u << KS_RDI) |		\
			    (1u << KS_R8) | (1u << KS_R9) |		\
			    (1u << KS_R10) | (1u << KS_R11))
#define VOLATILE32	((1u << KS_RAX) | (1u << KS_RCX) | (1u << KS_RDX))

static struct ks_cfg_addr
plus(struct ks_cfg_addr a, int64_t d)
{
	int64_t v = (int64_t)a.off + d;

	if (a.base == KS_SP_UNKNOWN || v > INT32_MAX / 2 || v < INT32_MIN / 2)
		return (unknown);
	a.off = (int32_t)v;
	return (a);
}

/* What the instruction writes to its first operand, a whole register. */
static struct ks_cfg_addr
result(const struct ks_cfg_insn *i, unsigned word, struct ks_cfg_frame *fr)
{
	const struct ks_opnd *d = &i->in.opnd[0], *s = &i->in.opnd[1];
	struct ks_cfg_addr old = fr->r[d->reg];

	if (d->bits != word * 8 || i->spnew != 0)
		return (unknown);
	switch (i->in.op) {
	case KS_OP_MOV:
		return (s->kind == KS_OPND_REG ? fr->r[s->reg] : unknown);
	case KS_OP_LEA:
		if (s->kind != KS_OPND_MEM || s->reg >= KS_GPR_MAX ||
		    s->index != KS_NOREG || s->seg != 0)
			return (unknown);
		return (plus(fr->r[s->reg], s->val));
	case KS_OP_ADD:
		return (s->kind == KS_OPND_IMM ? plus(old, s->val) : unknown);
	case KS_OP_SUB:
		return (s->kind == KS_OPND_IMM ? plus(old, -s->val) : unknown);
	case KS_OP_INC:
		return (plus(old, 1));
	case KS_OP_DEC:
		return (plus(old, -1));
	default:
		return (unknown);
	}
}

static void
clobber(struct ks_cfg_frame *fr, unsigned mask)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if (mask >> r & 1)
			fr->r[r] = unknown;
}

/* See cfg.h. */
void
ks_cfg_frame_step(const struct ks_cfg_insn *i, bool mode64,
    struct ks_cfg_frame *fr)
{
	unsigned word = mode64 ? 8 : 4;
	const struct ks_opnd *d = &i->in.opnd[0];
	struct ks_cfg_addr sp = fr->r[KS_RSP], v;

	switch (i->in.op) {
	case KS_OP_PUSH:
		fr->r[KS_RSP] = plus(sp, -(int64_t)(i->in.nopnd != 0 &&
		    d->bits == 16 ? 2 : word));
		return;
	case KS_OP_POP:
		clobber(fr, i->in.gpr_write);
		if (d->kind != KS_OPND_REG || d->reg != KS_RSP)
			fr->r[KS_RSP] = plus(sp, i->in.nopnd != 0 &&
			    d->bits == 16 ? 2 : word);
		return;
	case KS_OP_LEAVE:
		fr->r[KS_RSP] = plus(fr->r[KS_RBP], word);
		fr->r[KS_RBP] = unknown;
		return;
	case KS_OP_XCHG:
		v = unknown;
		if (d->kind == KS_OPND_REG && d->bits == word * 8 &&
		    i->in.opnd[1].kind == KS_OPND_REG) {
			v = fr->r[d->reg];
			fr->r[d->reg] = fr->r[i->in.opnd[1].reg];
			fr->r[i->in.opnd[1].reg] = v;
			return;
		}
		break;
	case KS_OP_CALL:
		if (i->how == KS_HOW_PUSH)
			fr->r[KS_RSP] = plus(sp, -(int64_t)word);
		else if (i->how != KS_HOW_IGNORED)
			clobber(fr, mode64 ? VOLATILE64 : VOLATILE32);
		return;
	case KS_OP_JMP:
	case KS_OP_RET:
		return;
	default:
		break;
	}
	v = unknown;
	if (i->in.nopnd != 0 && d->kind == KS_OPND_REG && d->write)
		v = result(i, word, fr);
	clobber(fr, i->in.gpr_write);
	if (v.base != KS_SP_UNKNOWN)
		fr->r[d->reg] = v;
	if (i->spnew != 0)
		fr->r[KS_RSP] = (struct ks_cfg_addr){ i->spnew, 0 };
}

/* Step 2: gives bases to what moves %rsp by an unknown amount. */
static void
make_bases(struct ks_cfg *g)
{
	uint8_t next = KS_SP_REALIGNED;

	for (size_t i = 0; i < g->insns.n; i++) {
		struct ks_cfg_insn *x = &g->insns.v[i];
		const struct ks_opnd *o = x->in.opnd;

		x->spnew = 0;
		if (x->in.nopnd != 2 || o[0].kind != KS_OPND_REG ||
		    o[0].reg != KS_RSP || next == KS_SP_MAX)
			continue;
		if ((x->in.op == KS_OP_AND && o[1].kind == KS_OPND_IMM) ||
		    (x->in.op == KS_OP_SUB && o[1].kind == KS_OPND_REG))
			x->spnew = next++;
	}
}

/* Joins FR into the state of block TO; true if that changed it. */
static bool
join(struct ks_cfg *g, uint32_t to, uint8_t *seen,
    const struct ks_cfg_frame *fr)
{
	struct ks_cfg_frame *t = &g->frames.v[to];
	bool changed = false;

	if (!seen[to]) {
		*t = *fr;
		seen[to] = 1;
		return (true);
	}
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		if (t->r[r].base == KS_SP_UNKNOWN ||
		    (t->r[r].base == fr->r[r].base &&
		    t->r[r].off == fr->r[r].off))
			continue;
		t->r[r] = unknown;
		changed = true;
	}
	return (changed);
}

static void
fixpoint(struct ks_cfg *g, bool mode64)
{
	uint8_t *seen = ks_xmalloc(g->blocks.n * 2), *queued;
	KS_VEC(uint32_t) work = { 0 };
	struct ks_cfg_frame fr;

	memset(seen, 0, g->blocks.n * 2);
	queued = seen + g->blocks.n;
	memset(&fr, 0, sizeof(fr));
	fr.r[KS_RSP] = (struct ks_cfg_addr){ KS_SP_CFA, mode64 ? -8 : -4 };
	(void)join(g, 0, seen, &fr);
	*ks_vec_push(&work) = 0;
	while (work.n > 0) {
		uint32_t n = work.v[--work.n];
		const struct ks_cfg_block *k = &g->blocks.v[n];

		queued[n] = 0;
		fr = g->frames.v[n];
		for (uint32_t i = 0; i < k->ninsn; i++)
			ks_cfg_frame_step(&g->insns.v[k->insn + i], mode64,
			    &fr);
		/* Last edge first: the stack then takes the first one next. */
		for (uint32_t i = k->nedge; i > 0; i--) {
			const struct ks_cfg_edge *e =
			    &g->edges.v[k->edge + i - 1];

			if (join(g, e->to, seen, &fr) && !queued[e->to]) {
				queued[e->to] = 1;
				*ks_vec_push(&work) = e->to;
			}
		}
	}
	ks_vec_free(&work);
	free(seen);
}

static void
check_end(struct ks_cfg *g, const struct ks_cfg_block *k, unsigned word,
    const struct ks_cfg_addr *sp)
{
	if (k->end != KS_CFG_RET && k->end != KS_CFG_TAIL)
		return;
	/* iret and its like find another frame than a call makes. */
	if (k->ninsn != 0) {
		const struct ks_insn *in =
		    &g->insns.v[k->insn + k->ninsn - 1].in;

		if (in->flow == KS_FLOW_RET && in->op != KS_OP_RET)
			return;
	}
	if (sp->base != KS_SP_UNKNOWN && (sp->base != KS_SP_CFA ||
	    sp->off != -(int32_t)word))
		g->frame_odd = true;
}

/*
 * An indirect jump that is taken for a tail call, from a frame that is still
 * there, is none.
 */
static void
check_jump(struct ks_cfg *g, struct ks_cfg_block *k, unsigned word)
{
	const struct ks_cfg_insn *x;

	if (k->end != KS_CFG_ITAIL || k->ninsn == 0 || g->frame_odd)
		return;
	x = &g->insns.v[k->insn + k->ninsn - 1];
	if (x->how != KS_HOW_INDIRECT || x->spbase == KS_SP_UNKNOWN ||
	    (x->spbase == KS_SP_CFA && x->sp == -(int32_t)word))
		return;
	k->end = KS_CFG_GOES;
	if (k->nedge != 0)
		return;
	k->end = KS_CFG_LOST;
	*ks_vec_push(&g->bad) = (struct ks_cfg_bad){ x->sect, x->off,
	    "a jump inside the function whose targets are not known" };
}

/* See cfg_priv.h. */
void
ks_cfg_frames(struct ks_cfg_builder *b)
{
	struct ks_cfg *g = &b->g;
	bool mode64 = b->o->mode64;

	g->frames.n = 0;
	for (size_t i = 0; i < g->blocks.n; i++)
		memset(ks_vec_push(&g->frames), 0, sizeof(g->frames.v[0]));
	memset(g->from, 0, sizeof(g->from));
	make_bases(g);
	fixpoint(g, mode64);
	for (size_t n = 0; n < g->blocks.n; n++) {
		const struct ks_cfg_block *k = &g->blocks.v[n];
		struct ks_cfg_frame fr = g->frames.v[n];

		for (uint32_t i = 0; i < k->ninsn; i++) {
			struct ks_cfg_insn *x = &g->insns.v[k->insn + i];

			x->spbase = fr.r[KS_RSP].base;
			x->sp = fr.r[KS_RSP].off;
			if (x->spnew != 0)
				g->from[x->spnew] = fr.r[KS_RSP];
			ks_cfg_frame_step(x, mode64, &fr);
		}
		check_end(g, k, mode64 ? 8 : 4, &fr.r[KS_RSP]);
	}
	for (size_t n = 0; n < g->blocks.n; n++)
		check_jump(g, &g->blocks.v[n], mode64 ? 8 : 4);
}
