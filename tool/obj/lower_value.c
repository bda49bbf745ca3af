/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What instructions do to registers and slots (lower_place.c): moves,
 * extensions, masks and shifts, which keep a view, pushes and pops, setcc and
 * cmov, CPUID.  What any other instruction writes is unknown.
 */
#include <string.h>

#include "lower.h"

static const struct ks_val unknown = { .kind = KS_VAL_UNKNOWN };
static const struct ks_low_view no_view = { .src = KS_SRC_NONE };

/* Gives the value V of view W to a destination operand. */
static void
assign(struct ks_low_fn *fn, const struct ks_opnd *d, struct ks_val v,
    const struct ks_low_view *w)
{
	struct ks_cfg_addr a;
	bool wide = d->bits == fn->word * 8;

	if (v.kind == KS_VAL_CONST)
		v.num &= ks_low_mask(d->bits);
	if (d->kind == KS_OPND_MEM) {
		if (!ks_low_stack(fn, &fn->fr, d, &a))
			return;
		/* What xsave writes is as long as the CPU says. */
		if (d->index == KS_NOREG &&
		    fn->insn->in.simd != KS_SIMD_SAVE)
			ks_low_write_slot(fn, a, d->bits / 8, &v);
		else
			ks_low_write_above(fn, a);
		return;
	}
	if (d->kind != KS_OPND_REG)
		return;
	if (d->high8) {
		ks_low_set(fn, ks_low_reg(fn, d->reg), &unknown);
		fn->s.reg[d->reg] = no_view;
		fn->s.small &= ~(1u << d->reg);
		return;
	}
	if (d->bits == 8) {
		ks_low_write_low(fn, d->reg, &v,
		    (fn->s.small >> d->reg & 1) != 0);
		if (w->src != KS_SRC_NONE && w->src != KS_SRC_PLACE &&
		    (fn->s.small >> d->reg & 1) != 0)
			fn->s.reg[d->reg] = *w;
		return;
	}
	if (d->bits == 16) {
		ks_low_write_low(fn, d->reg, &unknown, false);
		return;
	}
	if (!wide && v.kind == KS_VAL_PLACE)
		v = (struct ks_val){ .kind = KS_VAL_ZEXT, .ref = v.ref,
		    .num = 32 };
	ks_low_write_reg(fn, d->reg, &v);
	if (v.kind == KS_VAL_CONST && v.num < 256)
		fn->s.small |= 1u << d->reg;
	/* A view of the register itself died with the old value. */
	if (w->src != KS_SRC_NONE && d->reg != KS_RSP &&
	    !(w->src == KS_SRC_PLACE && (w->num == fn->reg[d->reg] ||
	    w->num == fn->low[d->reg])))
		fn->s.reg[d->reg] = *w;
}

static void
forget_dest(struct ks_low_fn *fn, const struct ks_opnd *d)
{
	assign(fn, d, unknown, &no_view);
}

static void
mov(struct ks_low_fn *fn)
{
	const struct ks_opnd *d = &fn->insn->in.opnd[0];
	const struct ks_opnd *s = &fn->insn->in.opnd[1];
	struct ks_low_view w = ks_low_view(fn, s);
	struct ks_val v = ks_low_read(fn, s);

	ks_low_stored(fn, d, s);
	if (w.src == KS_SRC_CONST)
		w.num &= ks_low_mask(d->bits);
	assign(fn, d, v, &w);
}

static void
movzx(struct ks_low_fn *fn)
{
	const struct ks_opnd *d = &fn->insn->in.opnd[0];
	const struct ks_opnd *s = &fn->insn->in.opnd[1];
	struct ks_low_view w = ks_low_view(fn, s);
	struct ks_val v = ks_low_read(fn, s);

	if (v.kind == KS_VAL_PLACE)
		v = (struct ks_val){ .kind = KS_VAL_ZEXT, .ref = v.ref,
		    .num = s->bits };
	assign(fn, d, v, &w);
	if (d->kind == KS_OPND_REG && d->bits >= 32 && s->bits == 8)
		fn->s.small |= 1u << d->reg;
}

static void
lea(struct ks_low_fn *fn)
{
	const struct ks_opnd *d = &fn->insn->in.opnd[0];
	const struct ks_opnd *s = &fn->insn->in.opnd[1];
	struct ks_val v = unknown;

	if (s->index == KS_NOREG && s->seg == 0) {
		if (s->reg >= KS_GPR_MAX)
			v = ks_low_of_address(fn, &fn->insn->mem);
		else if (s->val == 0 && ks_oref_none(&fn->insn->mem))
			v = ks_low_of_place(ks_low_reg(fn, s->reg));
	}
	assign(fn, d, v, &no_view);
}

/* Of a view whose value is one bit: that bit as 0 or 1. */
static struct ks_val
of_bit(const struct ks_low_view *w)
{
	struct ks_val v = { .kind = KS_VAL_TEST };

	if (w->src != KS_SRC_PLACE || w->mask != 1 || w->flip > 1 ||
	    w->shift >= 64)
		return (unknown);
	v.ref = (uint32_t)w->num;
	v.iv.bits = w->shift + 1;
	v.iv.lo = (uint64_t)1 << w->shift;
	v.iv.hi = ks_low_mask(w->shift + 1);
	if (w->flip != 0)
		v.iv = (struct ks_iv){ 0, v.iv.lo - 1, v.iv.bits };
	return (v);
}

/*
 * The view of a register that is about to be changed in place: if it is the
 * register itself, its old value is kept in a place of its own.
 */
static struct ks_low_view
kept_view(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	struct ks_low_view w = ks_low_view(fn, o);
	struct ks_val v;

	if (w.src != KS_SRC_PLACE || o->kind != KS_OPND_REG ||
	    (w.num != fn->reg[o->reg] && w.num != fn->low[o->reg]))
		return (w);
	if (fn->tmp[o->reg] == KS_NONE) {
		char name[32];

		snprintf(name, sizeof(name), "old %s", ks_str(fn->l->u->str,
		    fn->f->places.v[fn->reg[o->reg]].name));
		fn->tmp[o->reg] = ks_func_place(fn->l->u, fn->f, name, 0);
	}
	v = ks_low_of_place((uint32_t)w.num);
	ks_low_set(fn, fn->tmp[o->reg], &v);
	w.num = fn->tmp[o->reg];
	return (w);
}

/* and, xor, not, shr with a constant: the view follows. */
static void
mask(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0];
	uint64_t all = ks_low_mask(d->bits);
	uint64_t k = in->op == KS_OP_NOT ? all :
	    (uint64_t)in->opnd[1].val & all;
	struct ks_low_view w = kept_view(fn, d);
	struct ks_val v = unknown;

	if (in->op == KS_OP_AND) {
		w.mask &= k;
		w.flip &= k;
	} else if (in->op == KS_OP_SHR) {
		k &= d->bits == 64 ? 63 : 31;
		w.shift += (uint8_t)k;
		w.mask >>= k;
		w.flip >>= k;
	} else {
		w.flip ^= k;
	}
	if (w.src == KS_SRC_NONE || w.src == KS_SRC_CONST || w.shift >= 64)
		w = no_view;
	v = of_bit(&w);
	if (in->op == KS_OP_AND && v.kind == KS_VAL_UNKNOWN &&
	    (k == 0xff || k == 0xffff) && d->kind == KS_OPND_REG &&
	    ks_low_reg(fn, d->reg) != KS_NONE)
		v = (struct ks_val){ .kind = KS_VAL_ZEXT,
		    .ref = ks_low_reg(fn, d->reg), .num = k == 0xff ? 8 : 16 };
	assign(fn, d, v, &w);
	if (in->op == KS_OP_AND && k < 256 && d->kind == KS_OPND_REG &&
	    d->bits >= 32)
		fn->s.small |= 1u << d->reg;
	if (d->kind == KS_OPND_REG && d->bits == 8 && !d->high8 &&
	    w.src != KS_SRC_NONE && d->reg != KS_RSP)
		fn->s.reg[d->reg] = w;
}

static bool
same_reg(const struct ks_insn *in)
{
	return (in->nopnd >= 2 && in->opnd[0].kind == KS_OPND_REG &&
	    in->opnd[1].kind == KS_OPND_REG &&
	    in->opnd[0].reg == in->opnd[1].reg &&
	    in->opnd[0].high8 == in->opnd[1].high8);
}

/* Adds or subtracts a constant.  IMM: the second operand is one. */
static bool
counts(const struct ks_insn *in, bool imm)
{
	return (in->op == KS_OP_INC || in->op == KS_OP_DEC ||
	    (imm && (in->op == KS_OP_ADD || in->op == KS_OP_SUB)));
}

static uint64_t
step_of(const struct ks_insn *in)
{
	uint64_t k = in->nopnd >= 2 ? (uint64_t)in->opnd[1].val : 1;

	return (in->op == KS_OP_ADD || in->op == KS_OP_INC ? k : 0 - k);
}

static void
arithmetic(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0];
	bool imm = in->nopnd >= 2 && in->opnd[1].kind == KS_OPND_IMM &&
	    ks_oref_none(&fn->insn->imm);
	struct ks_low_view w = no_view;

	if ((in->op == KS_OP_XOR || in->op == KS_OP_SUB) && same_reg(in)) {
		w.src = KS_SRC_CONST;
		w.mask = UINT64_MAX;
		assign(fn, d, ks_low_of_const(0), &w);
		return;
	}
	if (counts(in, imm) && d->kind == KS_OPND_REG && d->bits >= 32) {
		w = ks_low_view(fn, d);
		if (w.src == KS_SRC_CONST) {
			w.num += step_of(in);
			w.num &= ks_low_mask(d->bits);
			assign(fn, d, ks_low_of_const(w.num), &w);
			return;
		}
		w = no_view;
	}
	if (in->op == KS_OP_OR && imm && in->opnd[1].val == -1) {
		assign(fn, d, ks_low_of_const(UINT64_MAX), &w);
		return;
	}
	if ((imm && (in->op == KS_OP_AND || in->op == KS_OP_XOR ||
	    in->op == KS_OP_SHR)) || in->op == KS_OP_NOT) {
		mask(fn);
		return;
	}
	if ((in->op == KS_OP_AND || in->op == KS_OP_OR) && same_reg(in)) {
		/* In 64-bit mode this clears the upper half. */
		if (d->bits == 32 && fn->mode64) {
			w = ks_low_view(fn, d);
			assign(fn, d, ks_low_read(fn, d), &w);
		}
		return;
	}
	assign(fn, d, unknown, &w);
}

static void
push_pop(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *o = &in->opnd[0];
	struct ks_cfg_addr a = fn->fr.r[KS_RSP];
	unsigned size = in->nopnd != 0 && o->bits == 16 ? 2 : fn->word;
	struct ks_val v = unknown;

	if (in->op == KS_OP_PUSH) {
		a.off -= (int32_t)size;
		if (in->nopnd != 0)
			v = ks_low_read(fn, o);
		if (v.kind == KS_VAL_CONST)
			v.num &= ks_low_mask(size * 8);
		if (a.base != KS_SP_UNKNOWN)
			ks_low_write_slot(fn, a, size, &v);
		return;
	}
	if (in->nopnd == 0 || o->kind != KS_OPND_REG || size != fn->word) {
		for (unsigned r = 0; r < KS_GPR_MAX; r++)
			if ((in->gpr_write >> r & 1) != 0)
				ks_low_write_reg(fn, r, &unknown);
		if (in->nopnd != 0 && o->kind == KS_OPND_MEM) {
			/* Addressed when %rsp has moved (SDM vol. 2, POP). */
			struct ks_opnd to = *o;

			if (to.reg == KS_RSP)
				to.val += size;
			forget_dest(fn, &to);
		}
		return;
	}
	v = ks_low_of_place(ks_low_slot(fn, a, size));
	ks_low_write_reg(fn, o->reg, &v);
}

static void
xchg(struct ks_low_fn *fn)
{
	const struct ks_opnd *a = &fn->insn->in.opnd[0];
	const struct ks_opnd *b = &fn->insn->in.opnd[1];
	struct ks_val va = ks_low_read(fn, a), vb = ks_low_read(fn, b);

	if (va.kind == KS_VAL_PLACE)
		va = ks_low_spare(fn, &va);
	assign(fn, a, vb, &no_view);
	assign(fn, b, va, &no_view);
}

static void
cmov(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0], *s = &in->opnd[1];
	struct ks_low_cond c = ks_low_cc(fn, in->cc);
	struct ks_val v = ks_low_read(fn, s), old;
	struct ks_low_flags flags = fn->s.flags;
	uint32_t split, join, edge;
	struct ks_edge e = { .cond = KS_NONE };

	if (d->kind != KS_OPND_REG || d->bits < 32) {
		forget_dest(fn, d);
		return;
	}
	/* In 64-bit mode both ways clear the upper half. */
	if (d->bits == 32 && fn->mode64) {
		old = ks_low_of_place(ks_low_reg(fn, d->reg));
		assign(fn, d, old, &no_view);
		if (c.place == fn->reg[d->reg] && c.iv.bits > 32) {
			c.place = KS_NONE;
			c.iv = (struct ks_iv){ 0, 0, 0 };
		}
	}
	split = ks_low_node(fn, KS_EV_NOP);
	assign(fn, d, v, &no_view);
	join = ks_low_node(fn, KS_EV_NOP);
	edge = (uint32_t)fn->edges.n;
	e.cond = c.place;
	e.iv = c.iv;
	e.to = split + 1;
	e.gate = c.gate;
	*ks_vec_push(&fn->edges) = e;
	if (c.place != KS_NONE)
		e.iv = ks_iv_not(c.iv);
	e.to = join;
	e.gate = c.ngate;
	*ks_vec_push(&fn->edges) = e;
	fn->nodes.v[split].edge = edge;
	fn->nodes.v[split].nedge = 2;
	fn->s.small &= ~(1u << d->reg);
	fn->s.reg[d->reg] = no_view;
	/* The flags outlive a cmov, unless it wrote what they are about. */
	if (flags.v.src != KS_SRC_PLACE || (flags.v.num != fn->reg[d->reg] &&
	    flags.v.num != fn->low[d->reg])) {
		if (flags.own == fn->reg[d->reg] ||
		    flags.own == fn->low[d->reg])
			flags.own = KS_NONE;
		fn->s.flags = flags;
	}
}

static void
setcc(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0];
	struct ks_low_view w;
	struct ks_val v = ks_low_setcc(fn, in->cc, &w);

	assign(fn, d, v, &w);
	/* The byte alone is what the view is about. */
	if (d->kind == KS_OPND_REG && !d->high8 && w.src != KS_SRC_NONE &&
	    w.src != KS_SRC_PLACE)
		fn->s.reg[d->reg] = w;
}

static void
cpuid(struct ks_low_fn *fn)
{
	static const uint8_t regs[] = { KS_RAX, KS_RBX, KS_RCX, KS_RDX };
	struct ks_low_view a = fn->s.reg[KS_RAX], c = fn->s.reg[KS_RCX];
	struct ks_low_view w = no_view;
	bool known = a.src == KS_SRC_CONST;

	/* Only some leaves have subleaves (SDM vol. 2, CPUID). */
	if (known && (a.num == 7 || a.num == 0xd || a.num == 0x14 ||
	    a.num == 0x1d || a.num == 0x1e || a.num == 0x24)) {
		known = c.src == KS_SRC_CONST;
		w.sub = (uint32_t)c.num;
	}
	w.src = known ? KS_SRC_CPUID : KS_SRC_NONE;
	w.num = (uint32_t)a.num;
	w.mask = UINT32_MAX;
	for (unsigned i = 0; i < 4; i++) {
		ks_low_write_reg(fn, regs[i], &unknown);
		w.reg = "abcd"[i];
		fn->s.reg[regs[i]] = w;
	}
}

static void
xgetbv(struct ks_low_fn *fn)
{
	struct ks_low_view c = fn->s.reg[KS_RCX], w = no_view;

	ks_low_write_reg(fn, KS_RAX, &unknown);
	ks_low_write_reg(fn, KS_RDX, &unknown);
	if (c.src == KS_SRC_CONST && c.num == 0) {
		w.src = KS_SRC_XCR0;
		w.mask = UINT32_MAX;
		fn->s.reg[KS_RAX] = w;
	}
}

/* Everything else: what it writes is unknown. */
static void
other(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	unsigned done = 0;

	for (unsigned k = 0; k < in->nopnd; k++) {
		const struct ks_opnd *o = &in->opnd[k];

		if (!o->write)
			continue;
		forget_dest(fn, o);
		if (o->kind == KS_OPND_REG)
			done |= 1u << o->reg;
	}
	/* String instructions store through %rdi without saying so. */
	if ((in->gpr_write & ~done & 1u << KS_RDI) != 0 &&
	    fn->fr.r[KS_RDI].base != KS_SP_UNKNOWN)
		ks_low_write_above(fn, fn->fr.r[KS_RDI]);
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if ((in->gpr_write & ~done) >> r & 1)
			ks_low_write_reg(fn, r, &unknown);
}

/* See lower.h. */
void
ks_low_insn(struct ks_low_fn *fn)
{
	switch (fn->insn->in.op) {
	case KS_OP_NOP:
	case KS_OP_CMP:
	case KS_OP_TEST:
	case KS_OP_BT:
		break;
	case KS_OP_MOV:
		mov(fn);
		break;
	case KS_OP_MOVZX:
		movzx(fn);
		break;
	case KS_OP_LEA:
		lea(fn);
		break;
	case KS_OP_PUSH:
	case KS_OP_POP:
		push_pop(fn);
		break;
	case KS_OP_ADD:
	case KS_OP_SUB:
	case KS_OP_INC:
	case KS_OP_DEC:
	case KS_OP_AND:
	case KS_OP_OR:
	case KS_OP_XOR:
	case KS_OP_NOT:
	case KS_OP_SHR:
		arithmetic(fn);
		break;
	case KS_OP_XCHG:
		xchg(fn);
		break;
	case KS_OP_CMOVCC:
		cmov(fn);
		break;
	case KS_OP_SETCC:
		setcc(fn);
		break;
	case KS_OP_CPUID:
		cpuid(fn);
		break;
	case KS_OP_XGETBV:
		xgetbv(fn);
		break;
	default:
		other(fn);
		break;
	}
	if (ks_low_wild(fn, fn->insn, &fn->fr))
		ks_low_write_exposed(fn);
	/* The same memory every time a loop makes the base anew it is not. */
	if (fn->insn->spnew != 0)
		ks_low_write_above(fn, (struct ks_cfg_addr){
		    fn->insn->spnew, INT32_MIN / 2 });
}
