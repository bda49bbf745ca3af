/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stack addresses that get out of sight, and those that calls are given.
 *
 *  1. An address leaks where it is stored, put into arithmetic, or lost where
 *     ways join while a register that held it is still used.
 *  2. One stored in a word of the frame, as arguments on the stack are, leaks
 *     only if somebody may read that word: a load of this function, or code
 *     that has the address of an object that the word may be part of.
 *  3. A call is given the addresses in the registers for arguments, and those
 *     in words from %rsp up.  What it does with them is lower_reach.c's to
 *     say, or nobody's: then it may write all from there up, and so may every
 *     store through an unknown pointer.  A callee that keeps the address
 *     leaks it; so does one that returns it, if the result is used.
 *  4. What a call may write is kept by call (fn->kills).
 *
 * Callees are looked at where that pays: in functions that enter or leave
 * regions.  Elsewhere they are code that is not known.
 *
 * Which words are arguments of a call is known of callees of this object; code
 * that is not known is taken to be given all from %rsp up, or none: arguments
 * start there, and belong to the callee, so the word at %rsp is stored between
 * two calls.  What the same block stored last is in a word, else what any other
 * block may have.
 *
 * x86-64 only, but for 1: on i386 a stored address leaks, and no callee is
 * known.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define MAX_HERE	64	/* words of one block */
#define MAX_PAIRS	(1u << 18)	/* calls times stored addresses */

#define BIT(r)	(1u << (r))
#define ARGS64	(BIT(KS_RDI) | BIT(KS_RSI) | BIT(KS_RDX) | BIT(KS_RCX) | \
		    BIT(KS_R8) | BIT(KS_R9) | BIT(KS_RAX) | BIT(KS_R10))
#define ARGS32	(BIT(KS_RAX) | BIT(KS_RDX) | BIT(KS_RCX))
#define VOLATILE64 (ARGS64 | BIT(KS_R11))

const uint8_t ks_low_arg_regs[KS_REACH_REGS] = { KS_RDI, KS_RSI, KS_RDX,
    KS_RCX, KS_R8, KS_R9, KS_RAX, KS_R10 };

/* --- what gets out of sight -------------------------------------------- */

static void
leak(struct ks_low_fn *fn, struct ks_cfg_addr a)
{
	if (a.base != KS_SP_UNKNOWN && a.off < fn->hidden[ks_low_area(a)])
		fn->hidden[ks_low_area(a)] = a.off;
}

/* The word at AT now holds A, or something else. */
static void
spill(struct ks_low_fn *fn, struct ks_cfg_addr at, struct ks_cfg_addr a)
{
	struct ks_low_leaks *k = &fn->leaks;

	if (at.base == KS_SP_UNKNOWN) {
		leak(fn, a);
		return;
	}
	if (a.base == KS_SP_UNKNOWN && k->here.n >= MAX_HERE)
		return;
	*ks_vec_push(&k->here) = (struct ks_low_spill){ at, a };
	if (a.base != KS_SP_UNKNOWN)
		*ks_vec_push(&k->all) = (struct ks_low_spill){ at, a };
}

/* A store of a whole register to the frame, or a push; true: no leak. */
static bool
spills(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr)
{
	static const struct ks_cfg_addr none = { KS_SP_UNKNOWN, 0 };
	const struct ks_opnd *o = i->in.opnd;
	struct ks_cfg_addr at = fr->r[KS_RSP];

	if (!fn->mode64)
		return (false);
	if (i->in.op == KS_OP_PUSH) {
		at.off -= 8;
		if (i->in.nopnd == 0 || o[0].kind != KS_OPND_REG ||
		    o[0].bits != 64) {
			spill(fn, at, none);
			return (false);
		}
		spill(fn, at, fr->r[o[0].reg]);
		return (true);
	}
	if (i->in.op != KS_OP_MOV || o[0].kind != KS_OPND_MEM ||
	    o[0].index != KS_NOREG || !ks_low_stack(fn, fr, &o[0], &at))
		return (false);
	if (o[1].kind != KS_OPND_REG || o[0].bits != 64) {
		spill(fn, at, none);
		return (false);
	}
	spill(fn, at, fr->r[o[1].reg]);
	return (true);
}

static void
give(struct ks_low_fn *fn, uint32_t insn, uint32_t arg, struct ks_cfg_addr a)
{
	*ks_vec_push(&fn->leaks.given) =
	    (struct ks_low_given){ insn, arg, a, fn->leaks.stacked };
}

/* Which word of the stack arguments of a call AT is. */
static uint32_t
word_of(struct ks_cfg_addr at, struct ks_cfg_addr sp)
{
	int64_t d = (int64_t)at.off - sp.off;

	return (d % 8 != 0 || d / 8 >= KS_REACH_STACK ? KS_REACH_ARGS :
	    KS_REACH_REGS + (uint32_t)(d / 8));
}

/* What a call or tail call is given. */
static void
pass(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr)
{
	uint32_t insn = (uint32_t)(i - fn->g->insns.v);
	struct ks_cfg_addr sp = fr->r[KS_RSP];
	const struct ks_low_spill *v = fn->leaks.here.v;

	for (uint32_t k = 0; k < KS_REACH_REGS; k++) {
		unsigned r = ks_low_arg_regs[k];

		if (((fn->mode64 ? ARGS64 : ARGS32) >> r & 1) != 0 &&
		    fr->r[r].base != KS_SP_UNKNOWN)
			give(fn, insn, k, fr->r[r]);
	}
	if (!fn->mode64)
		return;
	for (size_t n = fn->leaks.here.n, j; n-- > 0;) {
		if (v[n].at.base != sp.base || v[n].at.off < sp.off)
			continue;
		for (j = n + 1; j < fn->leaks.here.n; j++)
			if (v[j].at.base == v[n].at.base &&
			    v[j].at.off == v[n].at.off)
				break;
		if (j == fn->leaks.here.n)
			give(fn, insn, word_of(v[n].at, sp), v[n].a);
	}
	give(fn, insn, KS_NONE, sp);
}

static void
leak_mask(struct ks_low_fn *fn, const struct ks_cfg_frame *fr, unsigned mask)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if ((mask >> r & 1) != 0 && r != KS_RSP)
			leak(fn, fr->r[r]);
}

/* Registers that operands read as values, not as addresses. */
static unsigned
read_values(const struct ks_insn *in)
{
	unsigned mask = in->gpr_read, addr = 0, val = 0;

	for (unsigned k = 0; k < in->nopnd; k++) {
		const struct ks_opnd *o = &in->opnd[k];

		if (o->kind == KS_OPND_MEM) {
			if (o->reg < KS_GPR_MAX)
				addr |= BIT(o->reg);
			if (o->index < KS_GPR_MAX)
				addr |= BIT(o->index);
		} else if (o->kind == KS_OPND_REG && o->read) {
			val |= BIT(o->reg);
		}
	}
	/* String instructions name their pointers implicitly. */
	if (in->op == KS_OP_OTHER &&
	    (in->gpr_write & (BIT(KS_RSI) | BIT(KS_RDI))) != 0)
		addr |= in->gpr_write & (BIT(KS_RSI) | BIT(KS_RDI));
	return ((mask & ~addr) | val);
}

static void
stored(struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size,
    struct ks_cfg_addr sp)
{
	struct ks_low_leaks *k = &fn->leaks;

	if (a.base == KS_SP_UNKNOWN)
		return;
	if (k->lowest.base != a.base || a.off < k->lowest.off)
		k->lowest = a;
	if (a.base != sp.base || (a.off < (int64_t)sp.off + 8 &&
	    (size == 0 || (int64_t)a.off + size > sp.off)))
		k->stacked = KS_STACKED_YES;
}

/* Follows whether the word at %rsp is stored. */
static void
stack_word(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *before, const struct ks_cfg_frame *after)
{
	struct ks_low_leaks *k = &fn->leaks;
	struct ks_cfg_addr sp = after->r[KS_RSP], was = before->r[KS_RSP], a;

	if (i->in.op == KS_OP_CALL && i->how != KS_HOW_PUSH &&
	    i->how != KS_HOW_IGNORED) {
		k->stacked = KS_STACKED_NO;
		k->lowest.base = KS_SP_UNKNOWN;
		return;
	}
	if (i->in.op == KS_OP_PUSH || i->how == KS_HOW_PUSH) {
		stored(fn, sp, 8, sp);
		k->stacked = KS_STACKED_YES;
		return;
	}
	if (sp.base != was.base || sp.off != was.off) {
		/* Room is made: what is there was not stored yet. */
		k->stacked = i->block == 0 && sp.base == was.base &&
		    sp.off < was.off && (k->lowest.base != sp.base ||
		    k->lowest.off >= (int64_t)sp.off + 8) ? KS_STACKED_NO :
		    KS_STACKED_YES;
		return;
	}
	for (unsigned n = 0; n < i->in.nopnd; n++) {
		const struct ks_opnd *m = &i->in.opnd[n];

		if (m->write && ks_low_stack(fn, before, m, &a))
			stored(fn, a, m->index == KS_NOREG ? m->bits / 8 : 0,
			    sp);
	}
	if (i->in.op == KS_OP_OTHER && (i->in.gpr_read >> KS_RDI & 1) != 0)
		stored(fn, before->r[KS_RDI], 0, sp);
}

/* See lower.h. */
void
ks_low_leak_insn(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *before, const struct ks_cfg_frame *after)
{
	const struct ks_opnd *o = i->in.opnd;

	if (i->in.op != KS_OP_CALL)
		stack_word(fn, i, before, after);
	if (spills(fn, i, before))
		return;
	switch (i->in.op) {
	case KS_OP_CMP:
	case KS_OP_TEST:
	case KS_OP_BT:
	case KS_OP_NOP:
	case KS_OP_POP:
	case KS_OP_LEAVE:
	case KS_OP_RET:
	case KS_OP_JCC:
		return;
	case KS_OP_CALL:
	case KS_OP_JMP:
		if (i->how != KS_HOW_NONE && i->how != KS_HOW_PUSH &&
		    i->how != KS_HOW_IGNORED)
			pass(fn, i, before);
		stack_word(fn, i, before, after);
		return;
	case KS_OP_LEA:
		if (o[1].reg < KS_GPR_MAX &&
		    before->r[o[1].reg].base != KS_SP_UNKNOWN &&
		    after->r[o[0].reg].base == KS_SP_UNKNOWN) {
			struct ks_cfg_addr a = before->r[o[1].reg];

			a.off += (int32_t)o[1].val;
			leak(fn, a);
		}
		if (o[1].index < KS_GPR_MAX)
			leak(fn, before->r[o[1].index]);
		return;
	case KS_OP_XCHG:
		if (o[0].kind == KS_OPND_REG && o[1].kind == KS_OPND_REG)
			return;
		break;
	case KS_OP_XOR:
		if (o[0].kind == KS_OPND_REG && o[1].kind == KS_OPND_REG &&
		    o[0].reg == o[1].reg)
			return;
		break;
	case KS_OP_MOV:
	case KS_OP_ADD:
	case KS_OP_SUB:
	case KS_OP_INC:
	case KS_OP_DEC:
	case KS_OP_AND:
		/* Still known afterwards, or moved the stack. */
		if (o[0].kind == KS_OPND_REG &&
		    (after->r[o[0].reg].base != KS_SP_UNKNOWN ||
		    o[0].reg == KS_RSP))
			return;
		break;
	default:
		break;
	}
	leak_mask(fn, before, read_values(&i->in));
}

/* --- liveness of registers --------------------------------------------- */

static unsigned
kills(const struct ks_cfg_insn *i, bool mode64)
{
	if (i->in.op == KS_OP_CALL)
		return (i->how == KS_HOW_PUSH || i->how == KS_HOW_IGNORED ? 0 :
		    mode64 ? VOLATILE64 : ARGS32);
	if (i->in.op == KS_OP_CMOVCC || (i->in.nopnd != 0 &&
	    i->in.opnd[0].kind == KS_OPND_REG && i->in.opnd[0].bits < 32))
		return (0);
	return (i->in.gpr_write);
}

static unsigned
uses(const struct ks_cfg_insn *i, bool mode64)
{
	unsigned m = i->in.gpr_read;

	if (i->in.op == KS_OP_XOR && i->in.nopnd == 2 &&
	    i->in.opnd[0].kind == KS_OPND_REG &&
	    i->in.opnd[1].kind == KS_OPND_REG &&
	    i->in.opnd[0].reg == i->in.opnd[1].reg)
		return (0);
	if (i->how != KS_HOW_NONE && i->how != KS_HOW_PUSH &&
	    i->how != KS_HOW_IGNORED)
		m |= mode64 ? ARGS64 : ARGS32;
	if (i->in.op == KS_OP_RET || i->in.flow == KS_FLOW_RET)
		m |= BIT(KS_RAX) | BIT(KS_RDX);
	return (m);
}

/* Registers live at the start of each block. */
static uint16_t *
liveness(const struct ks_cfg *g, bool mode64)
{
	uint16_t *live = ks_xmalloc((g->blocks.n + 1) * sizeof(*live));
	bool changed = true;

	memset(live, 0, (g->blocks.n + 1) * sizeof(*live));
	while (changed) {
		changed = false;
		for (size_t n = g->blocks.n; n > 0; n--) {
			const struct ks_cfg_block *k = &g->blocks.v[n - 1];
			unsigned m = 0;

			for (uint32_t e = 0; e < k->nedge; e++)
				m |= live[g->edges.v[k->edge + e].to];
			if (k->end == KS_CFG_TAIL || k->end == KS_CFG_ITAIL)
				m |= mode64 ? ARGS64 : ARGS32;
			if (k->end == KS_CFG_RET)
				m |= BIT(KS_RAX) | BIT(KS_RDX);
			for (uint32_t i = k->ninsn; i > 0; i--) {
				const struct ks_cfg_insn *x =
				    &g->insns.v[k->insn + i - 1];

				m &= ~kills(x, mode64);
				m |= uses(x, mode64);
			}
			if (live[n - 1] != (uint16_t)m) {
				live[n - 1] = (uint16_t)m;
				changed = true;
			}
		}
	}
	return (live);
}

/* See lower.h. */
void
ks_low_leak_begin(struct ks_low_fn *fn)
{
	fn->leaks.live = liveness(fn->g, fn->mode64);
	fn->leaks.stacked = KS_STACKED_NO;
	fn->leaks.lowest.base = KS_SP_UNKNOWN;
}

/* See lower.h. */
void
ks_low_leak_block(struct ks_low_fn *fn, const struct ks_cfg_block *k,
    const struct ks_cfg_frame *fr)
{
	const struct ks_cfg *g = fn->g;

	fn->leaks.here.n = 0;
	*ks_vec_push(&fn->leaks.after) = fn->leaks.stacked;
	fn->leaks.stacked = KS_STACKED_AS_BEFORE;
	fn->leaks.lowest.base = KS_SP_UNKNOWN;
	for (uint32_t e = 0; e < k->nedge; e++) {
		uint32_t to = g->edges.v[k->edge + e].to;

		for (unsigned r = 0; r < KS_GPR_MAX; r++)
			if ((fn->leaks.live[to] >> r & 1) != 0 &&
			    g->frames.v[to].r[r].base == KS_SP_UNKNOWN &&
			    r != KS_RSP)
				leak(fn, fr->r[r]);
	}
}

/* --- what calls do with it ---------------------------------------------- */

static int32_t
plus(int32_t off, int32_t d)
{
	int64_t v = (int64_t)off + d;

	return (d == INT32_MAX || v > INT32_MAX ? INT32_MAX :
	    v < INT32_MIN ? INT32_MIN : (int32_t)v);
}

enum use { USED, GONE, OPEN };

/*
 * What becomes of the result of a call in block K, from instruction I on.
 * What is left in %rax is no argument of another call, as %rdx may be; a
 * result that is returned on is out of use, as the frame is.
 */
static enum use
use_of_result(const struct ks_low_fn *fn, const struct ks_cfg_block *k,
    uint32_t i, unsigned *regs)
{
	for (; i < k->ninsn; i++) {
		const struct ks_cfg_insn *x = &fn->g->insns.v[k->insn + i];
		unsigned m = x->in.gpr_read;

		if (x->in.op == KS_OP_RET)
			return (GONE);
		if (x->how != KS_HOW_NONE && x->how != KS_HOW_PUSH &&
		    x->how != KS_HOW_IGNORED)
			m |= BIT(KS_RDX);
		if (x->in.op == KS_OP_XOR && uses(x, true) == 0)
			m = 0;
		if ((m & *regs) != 0)
			return (USED);
		*regs &= ~kills(x, true);
		if (*regs == 0)
			return (GONE);
	}
	return (k->nedge == 0 && k->end != KS_CFG_TAIL ? GONE :
	    k->end == KS_CFG_TAIL && (*regs & BIT(KS_RDX)) != 0 ? USED : OPEN);
}

/* May the caller use an address that a call returns? */
static bool
returns_used(const struct ks_low_fn *fn, uint32_t insn, uint8_t flags)
{
	const struct ks_cfg *g = fn->g;
	uint32_t b = g->insns.v[insn].block, work[MAX_HERE], n = 0;
	unsigned regs = ((flags & KS_REACH_RAX) != 0 ? BIT(KS_RAX) : 0) |
	    ((flags & KS_REACH_RDX) != 0 ? BIT(KS_RDX) : 0);
	uint8_t *seen;		/* registers, by block */
	enum use u;

	if (regs == 0)
		return (false);
	u = use_of_result(fn, &g->blocks.v[b],
	    insn - g->blocks.v[b].insn + 1, &regs);
	seen = ks_xmalloc(g->blocks.n);
	memset(seen, 0, g->blocks.n);
	while (u == OPEN || (u == GONE && n > 0)) {
		const struct ks_cfg_block *k = &g->blocks.v[b];

		for (uint32_t e = 0; u == OPEN && e < k->nedge; e++) {
			uint32_t to = g->edges.v[k->edge + e].to;

			if ((regs & ~seen[to]) == 0)
				continue;
			seen[to] |= (uint8_t)regs;
			if (n == MAX_HERE) {
				u = USED;
				break;
			}
			work[n++] = to;
		}
		if (u == USED || n == 0)
			break;
		b = work[--n];
		regs = seen[b];
		u = use_of_result(fn, &g->blocks.v[b], 0, &regs);
	}
	free(seen);
	return (u == USED);
}

/* The call is given A as its argument ARG; R is its callee, or NULL. */
static void
apply(struct ks_low_fn *fn, uint32_t insn, const struct ks_low_reach *r,
    uint32_t arg, struct ks_cfg_addr a)
{
	static const struct ks_low_effect unknown = { KS_REACH_GIVEN, 0,
	    INT32_MAX, 0, INT32_MAX };
	const struct ks_low_effect *e = &unknown;
	struct ks_cfg_addr from = a;

	if (a.base == KS_SP_UNKNOWN)
		return;
	if (r != NULL && arg >= KS_REACH_REGS) {
		if (arg - KS_REACH_REGS >= r->nstack)
			return;
		if (arg >= KS_REACH_ARGS) {
			leak(fn, a);
			return;
		}
	}
	if (r != NULL)
		e = &r->e[arg];
	if ((e->flags & KS_REACH_KEPT) != 0 ||
	    returns_used(fn, insn, e->flags)) {
		from.off = plus(a.off, e->wlo < e->rlo ? e->wlo : e->rlo);
		leak(fn, from.off < a.off ? from : a);
	}
	from.off = plus(a.off, e->wlo);
	if ((e->flags & KS_REACH_GIVEN) != 0 &&
	    from.off < fn->exposed[ks_low_area(a)])
		fn->exposed[ks_low_area(a)] = from.off;
	if (e->wlo < e->whi)
		*ks_vec_push(&fn->kills) = (struct ks_low_kill){ insn, a.base,
		    from.off, plus(a.off, e->whi) };
	if (e->rlo < e->rhi)
		*ks_vec_push(&fn->leaks.reads) = (struct ks_low_kill){ insn,
		    a.base, plus(a.off, e->rlo), plus(a.off, e->rhi) };
}

/*
 * Words that another block stored an address in, from SP up; V[0 .. N) are
 * the words that this block knows of.
 */
static void
apply_others(struct ks_low_fn *fn, const struct ks_low_given *v, size_t n,
    const struct ks_low_reach *r, struct ks_cfg_addr sp)
{
	for (size_t j = 0; j < fn->leaks.all.n; j++) {
		const struct ks_low_spill *p = &fn->leaks.all.v[j];
		uint32_t arg;
		size_t k;

		if (p->at.base != sp.base || p->at.off < sp.off)
			continue;
		arg = word_of(p->at, sp);
		for (k = 0; k < n; k++)
			if (v[k].arg == arg && arg < KS_REACH_ARGS)
				break;
		if (k == n)
			apply(fn, v->insn, r, arg, p->a);
	}
}

/*
 * Is it worth to know what callees do?  Only where regions are entered and
 * left is what the frame holds followed far; and for callees of such.
 */
static bool
asks(const struct ks_low_fn *fn)
{
	return (fn->mode64 && (fn->f == NULL || fn->g->func == KS_NONE ||
	    (fn->l->o->funcs[fn->g->func].flags & KS_OFUNC_BRACKET) != 0));
}

/* Whether the word at %rsp may be stored at the start of each block. */
static uint8_t *
find_stacked(const struct ks_low_fn *fn)
{
	const struct ks_cfg *g = fn->g;
	uint8_t *in = ks_xmalloc(g->blocks.n + 1);
	bool changed = true;

	memset(in, KS_STACKED_NO, g->blocks.n + 1);
	while (changed) {
		changed = false;
		for (size_t b = 0; b < g->blocks.n; b++) {
			const struct ks_cfg_block *k = &g->blocks.v[b];
			uint8_t out = fn->leaks.after.v[b];

			if (out == KS_STACKED_AS_BEFORE)
				out = in[b];
			for (uint32_t e = 0; e < k->nedge; e++) {
				const struct ks_cfg_edge *x =
				    &g->edges.v[k->edge + e];

				/* A fault may come anywhere in the block. */
				if (in[x->to] == KS_STACKED_YES ||
				    (out != KS_STACKED_YES &&
				    x->kind != KS_EDGE_FAULT))
					continue;
				in[x->to] = KS_STACKED_YES;
				changed = true;
			}
		}
	}
	return (in);
}

static void
apply_calls(struct ks_low_fn *fn)
{
	const struct ks_low_given *v = fn->leaks.given.v;
	size_t n = fn->leaks.given.n, end;
	bool ask = asks(fn);
	uint8_t *stacked = fn->leaks.all.n == 0 ? NULL : find_stacked(fn);

	for (size_t i = 0; i < n; i = end) {
		const struct ks_low_reach *r = NULL;
		bool asked = !ask;

		for (end = i; end < n && v[end].insn == v[i].insn; end++)
			;
		for (size_t k = i; k < end; k++) {
			if (v[k].arg == KS_NONE ? fn->leaks.all.n == 0 :
			    v[k].a.base == KS_SP_UNKNOWN)
				continue;
			if (!asked)
				r = ks_low_reach(fn->l,
				    &fn->g->insns.v[v[i].insn], fn->f == NULL);
			asked = true;
			if (r == NULL && v[k].arg >= KS_REACH_REGS &&
			    (v[k].stacked == KS_STACKED_NO ||
			    (v[k].stacked == KS_STACKED_AS_BEFORE &&
			    stacked != NULL && stacked[fn->g->insns.v[
			    v[k].insn].block] == KS_STACKED_NO)))
				continue;
			if (v[k].arg == KS_NONE)
				apply_others(fn, v + i, end - i, r, v[k].a);
			else
				apply(fn, v[i].insn, r, v[k].arg, v[k].a);
		}
	}
	free(stacked);
}

/* May anybody who is not to see it read the word at AT? */
static bool
is_read(const struct ks_low_fn *fn, struct ks_cfg_addr at)
{
	if (fn->hidden[ks_low_area(at)] < (int64_t)at.off + 8 ||
	    fn->exposed[ks_low_area(at)] < (int64_t)at.off + 8)
		return (true);
	for (size_t i = 0; i < fn->leaks.reads.n; i++)
		if (ks_low_overlap(&fn->leaks.reads.v[i], at, 8))
			return (true);
	for (size_t i = 0; i < fn->slots.n; i++) {
		const struct ks_low_slot *s = &fn->slots.v[i];

		if (s->base == at.base && s->off < at.off + 8 &&
		    s->off + s->size > at.off)
			return (true);
	}
	return (false);
}

/* See lower.h. */
void
ks_low_leak_end(struct ks_low_fn *fn)
{
	struct ks_low_leaks *k = &fn->leaks;
	size_t left = k->all.n + 1;

	if (k->all.n * k->given.n > MAX_PAIRS ||
	    k->all.n * (fn->slots.n + k->reads.n) > MAX_PAIRS) {
		for (size_t i = 0; i < k->all.n; i++)
			leak(fn, k->all.v[i].a);
		k->all.n = 0;
	}
	apply_calls(fn);
	/* What is read hides more, where more may be read. */
	while (k->all.n < left) {
		left = k->all.n;
		for (size_t i = 0; i < k->all.n;) {
			if (!is_read(fn, k->all.v[i].at)) {
				i++;
				continue;
			}
			leak(fn, k->all.v[i].a);
			k->all.v[i] = k->all.v[--k->all.n];
		}
	}
	k->live_in = k->live[0];
	free(k->live);
	k->live = NULL;
	ks_vec_free(&k->here);
	ks_vec_free(&k->all);
	ks_vec_free(&k->given);
	ks_vec_free(&k->after);
}
