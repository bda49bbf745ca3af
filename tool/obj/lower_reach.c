/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a function of this object does with the memory that its arguments
 * point to: which bytes it may write and read, counted from the address that
 * it is given, whether it hands the address to code that is not known, and
 * whether it keeps it.  Callers that give it the address of a local ask.
 *
 *  1. A value is a number, or an address made from arguments: which ones (a
 *     bit each), and from where to where it may be away from what they point
 *     to.  Registers have one at each instruction, by a fixpoint over blocks;
 *     words of the frame have one for the whole function, of all that is ever
 *     stored there.
 *  2. Loads and stores through an address widen the range of its arguments.
 *     An address that is stored elsewhere than in a word of the frame, or
 *     put into a vector register, is kept.  So is one in a word of the
 *     frame that somebody else may read (lower_leak.c, for this function).
 *  3. A call of a function of this object adds what that function does.  Where
 *     functions call each other in a circle, all arguments are kept.  Other
 *     code is given the address, and may write and read from there up.
 *  4. Bounds that move at each visit of a block are given up after a few.
 *
 * Where an address plus something unknown is used, bytes from the argument on
 * are taken to be meant, or from the lowest one that the function names: what
 * is at an argument is an object, and an index stays within it.
 *
 * Limits: x86-64 only, KS_REACH_STACK words of arguments on the stack.  Of the
 * registers that are not for arguments only %r11 is seen to bring an address
 * to a callee, as hand-written code may do.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "lower_val.h"
#include "obj_priv.h"

#define MAX_WORDS	128
#define MAX_INSNS	20000
#define PATIENCE	4	/* visits until bounds are given up */

struct word {
	struct ks_cfg_addr at;
	struct val v;
};

struct range {
	int32_t	 lo, hi;
	bool	 any, some;	/* its start is not known; it is not empty */
};

struct state {
	struct val r[KS_GPR_MAX];
};

struct reach {
	struct ks_lower *l;
	const struct ks_cfg *g;
	struct ks_low_fn *leaks;	/* hidden and exposed, of the callee */
	struct range w[KS_REACH_ARGS], r[KS_REACH_ARGS];
	uint8_t	 flags[KS_REACH_ARGS];
	int32_t	 least[KS_REACH_ARGS];	/* lowest known distance */
	uint32_t nstack;
	KS_VEC(struct word) words;
	struct state *in;
	uint8_t	*visits;
	bool	 changed;	/* words */
	bool	 r11;		/* a callee uses it */
	struct val back[2];	/* what the call in hand may return */
};

/* --- what is found ------------------------------------------------------ */

static void
flag(struct reach *s, uint32_t args, uint8_t f)
{
	for (unsigned k = 0; k < KS_REACH_ARGS; k++)
		if ((args >> k & 1) != 0)
			s->flags[k] |= f;
}

static void
extend(struct range *x, int32_t lo, int32_t hi)
{
	if (lo == NEG)
		x->any = true;
	else if (!x->some || lo < x->lo)
		x->lo = lo;
	if (!x->some || hi > x->hi)
		x->hi = hi;
	x->some = true;
	if (x->any && x->lo > 0)
		x->lo = 0;
}

/* V is an address that the function makes. */
static void
note(struct reach *s, const struct val *v)
{
	for (unsigned k = 0; k < KS_REACH_ARGS && v->args != 0; k++)
		if ((v->args >> k & 1) != 0 && v->lo != NEG &&
		    v->lo < s->least[k])
			s->least[k] = v->lo;
}

/* SIZE bytes (0: no end is known) from V on are written or read. */
static void
touch(struct reach *s, const struct val *v, unsigned size, bool write,
    bool read)
{
	int32_t hi = size == 0 || v->hi == POS ? POS : plus(v->hi, size);

	note(s, v);
	for (unsigned k = 0; k < KS_REACH_ARGS && v->args != 0; k++) {
		if ((v->args >> k & 1) == 0)
			continue;
		if (write)
			extend(&s->w[k], v->lo, hi);
		if (read)
			extend(&s->r[k], v->lo, hi);
	}
}

/* --- memory ------------------------------------------------------------- */

/* The word at AT, made with nothing in it; NULL: there are too many. */
static struct val *
word(struct reach *s, struct ks_cfg_addr at)
{
	for (size_t i = 0; i < s->words.n; i++)
		if (s->words.v[i].at.base == at.base &&
		    s->words.v[i].at.off == at.off)
			return (&s->words.v[i].v);
	if (s->words.n >= MAX_WORDS)
		return (NULL);
	*ks_vec_push(&s->words) = (struct word){ at, any };
	return (&s->words.v[s->words.n - 1].v);
}

static void
store_word(struct reach *s, struct ks_cfg_addr at, struct val v)
{
	struct val *w, old;

	if (v.args == 0)
		return;
	w = word(s, at);
	if (w == NULL) {
		flag(s, v.args, KS_REACH_KEPT);
		return;
	}
	old = *w;
	*w = join(old, v);
	/* Bounds that grow are given up at once. */
	if (old.args != 0 && (w->lo < old.lo || w->hi > old.hi))
		*w = wide(*w);
	s->changed = s->changed || memcmp(&old, w, sizeof(old)) != 0;
}

/* SIZE bytes (0: all) from AT in the own frame, not as a word. */
static void
load_part(struct reach *s, struct ks_cfg_addr at, unsigned size)
{
	int64_t end;

	for (size_t i = 0; i < s->words.n; i++) {
		const struct word *w = &s->words.v[i];

		if (w->at.base == at.base && w->at.off + 8 > at.off &&
		    (size == 0 || w->at.off < (int64_t)at.off + size))
			flag(s, w->v.args, KS_REACH_KEPT);
	}
	/* An object of the frame ends where the arguments begin. */
	if (at.base != KS_SP_CFA || (at.off < 0 && (size == 0 ||
	    (int64_t)at.off + size <= 0)))
		return;
	end = size == 0 ? INT64_MAX : ((int64_t)at.off + size + 7) / 8;
	if (end > KS_REACH_STACK) {
		s->nstack = UINT32_MAX;
		return;
	}
	/* A part of an argument that is a number, most likely. */
	for (int64_t k = at.off < 0 ? 0 : at.off / 8; k < end; k++)
		flag(s, 1u << (KS_REACH_REGS + k), KS_REACH_KEPT);
	if (s->nstack < (uint64_t)end)
		s->nstack = (uint32_t)end;
}

static struct val
load_word(struct reach *s, struct ks_cfg_addr at)
{
	struct val v = any;
	uint32_t k = (uint32_t)at.off / 8;

	for (size_t i = 0; i < s->words.n; i++) {
		const struct word *w = &s->words.v[i];

		if (w->at.base != at.base || w->at.off + 8 <= at.off ||
		    w->at.off >= at.off + 8)
			continue;
		v = join(v, w->at.off == at.off ? w->v : wide(w->v));
	}
	if (at.base != KS_SP_CFA || at.off < 0)
		return (v);
	if (at.off % 8 != 0 || k >= KS_REACH_STACK) {
		s->nstack = UINT32_MAX;
		return (v);
	}
	if (s->nstack <= k)
		s->nstack = k + 1;
	return (join(v, (struct val){ 1u << (KS_REACH_REGS + k), 0, 0 }));
}

/* --- instructions ------------------------------------------------------- */

/* The address that a memory operand names, if not in the own frame. */
static struct val
address(struct reach *s, const struct ks_opnd *m, const struct state *st)
{
	struct val v = number(m->val, m->val), x;

	if (m->seg != 0 || m->reg == KS_RIP)
		return (any);
	if (m->reg < KS_GPR_MAX)
		v = add(st->r[m->reg], v);
	note(s, &v);
	if (m->index == KS_NOREG)
		return (v);
	x = m->index < KS_GPR_MAX ? st->r[m->index] : any;
	if (x.args == 0 && x.lo != NEG)
		x.lo = clip((int64_t)x.lo * m->scale);
	if (x.args == 0 && x.hi != POS)
		x.hi = clip((int64_t)x.hi * m->scale);
	return (add(v, x));
}

/* What is read from memory operand M into a register of the same size. */
static struct val
load(struct reach *s, const struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_opnd *m, bool whole)
{
	struct ks_cfg_addr a;
	struct val v;

	if (ks_low_stack(NULL, fr, m, &a)) {
		if (whole && m->bits == 64 && m->index == KS_NOREG)
			return (load_word(s, a));
		load_part(s, a, m->index == KS_NOREG ? m->bits / 8 : 0);
	} else {
		v = address(s, m, st);
		touch(s, &v, m->bits / 8, false, true);
	}
	return (m->bits < 32 ? number(0, ((int64_t)1 << m->bits) - 1) :
	    m->bits == 32 ? number(0, POS) : any);
}

static struct val
read(struct reach *s, const struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_opnd *o, bool whole)
{
	switch (o->kind) {
	case KS_OPND_REG:
		return (o->high8 ? any : cut(st->r[o->reg], o->bits));
	case KS_OPND_IMM:
		return (number(o->val, o->val));
	case KS_OPND_MEM:
		return (load(s, st, fr, o, whole));
	default:
		return (any);
	}
}

/* V is written to memory operand M. */
static void
store(struct reach *s, const struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, const struct ks_opnd *m, struct val v)
{
	struct ks_cfg_addr a;
	struct val to;

	if (ks_low_stack(NULL, fr, m, &a)) {
		if (v.args == 0)
			return;
		if (m->bits == 64 && m->index == KS_NOREG)
			store_word(s, a, v);
		else
			flag(s, v.args, KS_REACH_KEPT);
		return;
	}
	to = address(s, m, st);
	touch(s, &to, i->in.simd == KS_SIMD_SAVE ? 0 : m->bits / 8, true,
	    false);
	flag(s, v.args, KS_REACH_KEPT);
}

static void
write(struct reach *s, struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, const struct ks_opnd *d, struct val v)
{
	note(s, &v);
	if (d->kind == KS_OPND_MEM)
		store(s, st, fr, i, d, v);
	else if (d->kind != KS_OPND_REG)
		flag(s, v.args, KS_REACH_KEPT);
	else if (d->bits >= 32)
		st->r[d->reg] = cut(v, d->bits);
	else
		st->r[d->reg] = wide(join(st->r[d->reg], v));
}

/* A call gives argument K of R (NULL: of unknown code) the value V. */
static void
give(struct reach *s, const struct ks_low_reach *r, uint32_t k, struct val v)
{
	static const struct ks_low_effect unknown = { KS_REACH_GIVEN, 0,
	    INT32_MAX, 0, INT32_MAX };
	static const struct ks_low_effect kept = { KS_REACH_GIVEN |
	    KS_REACH_KEPT, 0, INT32_MAX, 0, INT32_MAX };
	const struct ks_low_effect *e = &unknown;
	struct val from = v;

	if (v.args == 0)
		return;
	if (r != NULL)
		e = k < KS_REACH_ARGS ? &r->e[k] : &kept;
	flag(s, v.args, e->flags & (KS_REACH_GIVEN | KS_REACH_KEPT));
	if ((e->flags & KS_REACH_RAX) != 0)
		s->back[0] = join(s->back[0], wide(v));
	if ((e->flags & KS_REACH_RDX) != 0)
		s->back[1] = join(s->back[1], wide(v));
	if (e->wlo < e->whi) {
		from.lo = plus(v.lo, e->wlo);
		from.hi = e->whi == INT32_MAX ? POS : plus(v.hi, e->whi - 1);
		touch(s, &from, 1, true, false);
	}
	if (e->rlo < e->rhi) {
		from.lo = plus(v.lo, e->rlo);
		from.hi = e->rhi == INT32_MAX ? POS : plus(v.hi, e->rhi - 1);
		touch(s, &from, 1, false, true);
	}
}

/* Arguments on the stack: words from SP up. */
static void
give_stack(struct reach *s, const struct ks_low_reach *r,
    struct ks_cfg_addr sp, bool tail)
{
	for (uint32_t k = 0; tail && k < KS_REACH_STACK &&
	    (r == NULL || k < r->nstack); k++)
		give(s, r, KS_REACH_REGS + k, load_word(s,
		    (struct ks_cfg_addr){ KS_SP_CFA, (int32_t)k * 8 }));
	if (tail) {
		if (r != NULL && r->nstack > KS_REACH_STACK)
			s->nstack = UINT32_MAX;
		return;
	}
	for (size_t i = 0; i < s->words.n; i++) {
		const struct word *w = &s->words.v[i];
		int64_t d = (int64_t)w->at.off - sp.off;
		uint32_t k = d < 0 || d % 8 != 0 || d / 8 >= KS_REACH_STACK ?
		    KS_REACH_STACK : (uint32_t)(d / 8);

		if (sp.base != KS_SP_UNKNOWN && (w->at.base != sp.base ||
		    d < 0 || (sp.base == KS_SP_CFA && w->at.off >= 0)))
			continue;
		if (r == NULL || k < r->nstack)
			give(s, r, KS_REACH_REGS + k, w->v);
	}
}

static void
call(struct reach *s, struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, bool tail)
{
	static const uint8_t changed[] = { KS_RAX, KS_RCX, KS_RDX, KS_RSI,
	    KS_RDI, KS_R8, KS_R9, KS_R10, KS_R11 };
	const struct ks_low_reach *r = ks_low_reach(s->l, i, true);

	if (r != NULL && r->r11) {
		s->r11 = true;
		flag(s, st->r[KS_R11].args, KS_REACH_KEPT);
	}
	s->back[0] = s->back[1] = any;
	for (uint32_t k = 0; k < KS_REACH_REGS; k++)
		give(s, r, k, st->r[ks_low_arg_regs[k]]);
	give_stack(s, r, fr->r[KS_RSP], tail);
	for (size_t k = 0; k < sizeof(changed); k++)
		st->r[changed[k]] = any;
	st->r[KS_RAX] = s->back[0];
	st->r[KS_RDX] = s->back[1];
}

static void
push_pop(struct reach *s, struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i)
{
	const struct ks_opnd *o = &i->in.opnd[0];
	struct ks_cfg_addr sp = fr->r[KS_RSP];
	struct val v = any;

	if (i->in.op == KS_OP_PUSH) {
		sp.off -= 8;
		if (i->in.nopnd != 0)
			v = read(s, st, fr, o, true);
		if (sp.base == KS_SP_UNKNOWN || (i->in.nopnd != 0 &&
		    o->bits != 64))
			flag(s, v.args, KS_REACH_KEPT);
		else
			store_word(s, sp, v);
		return;
	}
	if (i->in.op == KS_OP_LEAVE)
		sp = fr->r[KS_RBP];
	if (sp.base != KS_SP_UNKNOWN)
		v = load_word(s, sp);
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if ((i->in.gpr_write >> r & 1) != 0 && r != KS_RSP)
			st->r[r] = any;
	if (i->in.op == KS_OP_LEAVE)
		st->r[KS_RBP] = v;
	else if (i->in.nopnd != 0)
		write(s, st, fr, i, o, v);
}

/* String instructions, and all that is not followed. */
static void
other(struct reach *s, struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i)
{
	struct val all = any;
	unsigned shown = 0;

	for (unsigned k = 0; k < i->in.nopnd; k++) {
		const struct ks_opnd *o = &i->in.opnd[k];

		if (o->kind == KS_OPND_MEM) {
			shown |= (o->reg < KS_GPR_MAX ? 1u << o->reg : 0) |
			    (o->index < KS_GPR_MAX ? 1u << o->index : 0);
			if (o->read)
				all = join(all, load(s, st, fr, o, false));
			if (o->write)
				store(s, st, fr, i, o, any);
		} else if (o->kind == KS_OPND_REG) {
			shown |= 1u << o->reg;
			if (o->read)
				all = join(all, st->r[o->reg]);
		}
	}
	/* Pointers that no operand shows. */
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		struct val v = wide(st->r[r]);
		struct ks_cfg_addr a = fr->r[r];

		if ((i->in.gpr_read >> r & 1) == 0 || (r != KS_RSI &&
		    r != KS_RDI && r != KS_RAX) || (shown >> r & 1) != 0 ||
		    r == KS_RSP)
			continue;
		if (r != KS_RAX || i->in.nopnd == 0) {
			touch(s, &v, 0, true, true);
			if (a.base != KS_SP_UNKNOWN)
				load_part(s, a, 0);
		}
	}
	all = wide(all);
	for (unsigned k = 0; k < i->in.nopnd; k++)
		if (i->in.opnd[k].write || i->in.opnd[k].kind ==
		    KS_OPND_OTHER)
			if (i->in.opnd[k].kind != KS_OPND_REG)
				flag(s, all.args, KS_REACH_KEPT);
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if ((i->in.gpr_write >> r & 1) != 0)
			st->r[r] = join(all, (i->in.gpr_read >> r & 1) != 0 ?
			    wide(st->r[r]) : any);
}

/* The result of arithmetic whose operands are X and Y; false: not followed. */
static bool
arithmetic(const struct ks_insn *in, struct val x, struct val y,
    struct val *v)
{
	const struct ks_opnd *o = in->opnd;

	switch (in->op) {
	case KS_OP_ADD:
		*v = add(x, y);
		return (true);
	case KS_OP_INC:
		*v = add(x, number(1, 1));
		return (true);
	case KS_OP_DEC:
		*v = add(x, number(-1, -1));
		return (true);
	case KS_OP_SUB:
		if (o[1].kind == KS_OPND_REG && o[0].kind == KS_OPND_REG &&
		    o[0].reg == o[1].reg)
			*v = number(0, 0);
		else if (y.args != 0)
			*v = wide(join(x, y));
		else
			*v = add(x, (struct val){ 0, y.hi == POS ? NEG :
			    -y.hi, y.lo == NEG ? POS : -y.lo });
		return (true);
	case KS_OP_XOR:
		if (o[1].kind != KS_OPND_REG || o[0].kind != KS_OPND_REG ||
		    o[0].reg != o[1].reg)
			return (false);
		*v = number(0, 0);
		return (true);
	case KS_OP_AND:
		if (o[1].kind != KS_OPND_IMM)
			return (false);
		/* Bits below a page's are no address. */
		if (o[1].val >= 0 && o[1].val < 4096)
			*v = number(0, o[1].val);
		/* Aligned down. */
		else if (o[1].val < 0 && o[1].val >= -4096 && o[0].bits == 64)
			*v = add(x, number(o[1].val + 1, 0));
		else
			return (false);
		return (true);
	default:
		return (false);
	}
}

static void
step(struct reach *s, struct state *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i)
{
	const struct ks_opnd *d = &i->in.opnd[0], *o = &i->in.opnd[1];
	struct val x, y, v;

	switch (i->in.op) {
	case KS_OP_NOP:
	case KS_OP_JMP:
	case KS_OP_RET:
		return;
	case KS_OP_CMP:
	case KS_OP_TEST:
	case KS_OP_BT:
		for (unsigned k = 0; k < i->in.nopnd; k++)
			(void)read(s, st, fr, &i->in.opnd[k], true);
		return;
	case KS_OP_CALL:
		if (i->how != KS_HOW_IGNORED && i->how != KS_HOW_PUSH)
			call(s, st, fr, i, false);
		return;
	case KS_OP_PUSH:
	case KS_OP_POP:
	case KS_OP_LEAVE:
		push_pop(s, st, fr, i);
		return;
	case KS_OP_MOV:
	case KS_OP_MOVZX:
		write(s, st, fr, i, d, read(s, st, fr, o,
		    i->in.op == KS_OP_MOV && d->kind == KS_OPND_REG));
		return;
	case KS_OP_LEA:
		/* Of the own frame: known by the frames. */
		x = fr->r[o->reg < KS_GPR_MAX ? o->reg : KS_RAX].base !=
		    KS_SP_UNKNOWN && o->reg < KS_GPR_MAX &&
		    o->index >= KS_GPR_MAX ? any : address(s, o, st);
		write(s, st, fr, i, d, x);
		return;
	case KS_OP_CMOVCC:
		x = read(s, st, fr, o, d->bits == 64);
		y = d->kind == KS_OPND_REG ? st->r[d->reg] : any;
		write(s, st, fr, i, d, join(x, y));
		return;
	case KS_OP_ADD:
	case KS_OP_SUB:
	case KS_OP_INC:
	case KS_OP_DEC:
	case KS_OP_AND:
	case KS_OP_XOR:
		x = read(s, st, fr, d, d->bits == 64 &&
		    d->kind == KS_OPND_REG);
		y = i->in.nopnd > 1 ? read(s, st, fr, o, d->bits == 64) : any;
		if (d->kind != KS_OPND_REG)
			v = join(wide(x), wide(y));
		else if (!arithmetic(&i->in, x, y, &v))
			v = wide(join(x, y));
		write(s, st, fr, i, d, v);
		return;
	default:
		other(s, st, fr, i);
		return;
	}
}

/* --- the function ------------------------------------------------------- */

static bool
merge(struct reach *s, uint32_t to, const struct state *from)
{
	struct state *t = &s->in[to];
	bool changed = false;

	if (s->visits[to] == 0) {
		*t = *from;
		s->visits[to] = 1;
		return (true);
	}
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		struct val old = t->r[r], v = join(old, from->r[r]);

		if (v.args == old.args && v.lo == old.lo && v.hi == old.hi)
			continue;
		if (s->visits[to] > PATIENCE && v.lo < old.lo)
			v.lo = NEG;
		if (s->visits[to] > PATIENCE && v.hi > old.hi)
			v.hi = POS;
		t->r[r] = v;
		changed = true;
	}
	if (changed && s->visits[to] < UINT8_MAX)
		s->visits[to]++;
	return (changed);
}

/* Ways out of block K, whose state at the end is ST. */
static bool
leave_block(struct reach *s, const struct ks_cfg_block *k,
    const struct ks_cfg_frame *fr, struct state *st)
{
	bool changed = false;

	for (uint32_t e = 0; e < k->nedge; e++)
		changed |= merge(s, s->g->edges.v[k->edge + e].to, st);
	if (k->end == KS_CFG_TAIL || k->end == KS_CFG_ITAIL) {
		struct ks_cfg_insn t = { .how = KS_HOW_DIRECT,
		    .imm = k->target };

		if (k->end == KS_CFG_ITAIL)
			t.how = KS_HOW_INDIRECT;
		call(s, st, fr, &t, true);
	}
	if (k->end != KS_CFG_GOES) {
		flag(s, st->r[KS_RAX].args, KS_REACH_RAX);
		flag(s, st->r[KS_RDX].args, KS_REACH_RDX);
	}
	return (changed);
}

static bool
sweep(struct reach *s)
{
	bool changed = false;

	for (size_t n = 0; n < s->g->blocks.n; n++) {
		const struct ks_cfg_block *k = &s->g->blocks.v[n];
		struct ks_cfg_frame fr = s->g->frames.v[n];
		struct state st;
		bool faults = false;

		if (s->visits[n] == 0)
			continue;
		st = s->in[n];
		for (uint32_t e = 0; e < k->nedge; e++)
			faults |= s->g->edges.v[k->edge + e].kind ==
			    KS_EDGE_FAULT;
		for (uint32_t i = 0; i < k->ninsn; i++) {
			const struct ks_cfg_insn *x =
			    &s->g->insns.v[k->insn + i];

			for (uint32_t e = 0; faults && e < k->nedge; e++)
				changed |= merge(s,
				    s->g->edges.v[k->edge + e].to, &st);
			step(s, &st, &fr, x);
			ks_cfg_frame_step(x, true, &fr);
		}
		changed |= leave_block(s, k, &fr, &st);
	}
	return (changed);
}

/* Words of the frame that somebody else may read. */
static void
find_kept(struct reach *s)
{
	const struct ks_low_fn *fn = s->leaks;

	for (size_t i = 0; i < s->words.n; i++) {
		struct ks_cfg_addr at = s->words.v[i].at;
		bool seen = fn->noslots ||
		    fn->hidden[ks_low_area(at)] < (int64_t)at.off + 8 ||
		    fn->exposed[ks_low_area(at)] < (int64_t)at.off + 8;

		for (size_t k = 0; k < fn->leaks.reads.n && !seen; k++)
			seen = fn->leaks.reads.v[k].insn != KS_NONE &&
			    ks_low_overlap(&fn->leaks.reads.v[k], at, 8);
		if (seen)
			flag(s, s->words.v[i].v.args, KS_REACH_KEPT);
	}
	if (fn->noslots || fn->hidden[0] != INT32_MAX ||
	    fn->exposed[0] != INT32_MAX)
		s->nstack = UINT32_MAX;
}

static struct ks_low_reach *
finish(const struct reach *s, bool strict)
{
	struct ks_low_reach *r = ks_xmalloc(sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->nstack = strict ? UINT32_MAX : s->nstack;
	r->r11 = strict || s->r11 ||
	    (s->leaks->leaks.live_in >> KS_R11 & 1) != 0;
	for (unsigned k = 0; k < KS_REACH_ARGS; k++) {
		struct ks_low_effect *e = &r->e[k];
		const struct range *x = &s->w[k];
		bool out = strict || (k >= KS_REACH_REGS &&
		    s->nstack == UINT32_MAX);

		e->flags = s->flags[k];
		e->flags |= out ? KS_REACH_KEPT | KS_REACH_GIVEN : 0;
		if (e->flags != 0) {
			e->wlo = e->rlo = s->least[k];
		}
		if (out || (e->flags & KS_REACH_GIVEN) != 0) {
			e->whi = e->rhi = INT32_MAX;
			continue;
		}
		if (x->some) {
			e->wlo = x->any && s->least[k] < x->lo ? s->least[k] :
			    x->lo;
			e->whi = x->hi == POS ? INT32_MAX : x->hi;
		}
		x = &s->r[k];
		if (x->some) {
			e->rlo = x->any && s->least[k] < x->lo ? s->least[k] :
			    x->lo;
			e->rhi = x->hi == POS ? INT32_MAX : x->hi;
		}
	}
	return (r);
}

/* See lower.h. */
struct ks_low_reach *
ks_low_find_reach(struct ks_lower *l, const struct ks_cfg *g)
{
	struct ks_low_fn fn;
	struct reach s;
	struct ks_low_reach *r;
	bool strict = g->frame_odd || g->bad.n != 0 || g->insns.n > MAX_INSNS;

	memset(&fn, 0, sizeof(fn));
	memset(&s, 0, sizeof(s));
	fn.l = s.l = l;
	fn.g = s.g = g;
	fn.mode64 = true;
	fn.word = 8;
	s.leaks = &fn;
	if (!strict) {
		ks_low_find_leaks(&fn);
		s.in = ks_xmalloc((g->blocks.n + 1) * sizeof(*s.in));
		s.visits = ks_xmalloc(g->blocks.n + 1);
		memset(s.visits, 0, g->blocks.n + 1);
		for (unsigned k = 0; k < KS_GPR_MAX; k++)
			s.in[0].r[k] = any;
		for (uint32_t k = 0; k < KS_REACH_REGS; k++)
			s.in[0].r[ks_low_arg_regs[k]] =
			    (struct val){ 1u << k, 0, 0 };
		s.visits[0] = 1;
		while (sweep(&s) || s.changed)
			s.changed = false;
		find_kept(&s);
		strict = fn.noslots;
	}
	r = finish(&s, strict);
	free(s.in);
	free(s.visits);
	ks_vec_free(&s.words);
	ks_vec_free(&fn.slots);
	ks_vec_free(&fn.kills);
	ks_vec_free(&fn.leaks.reads);
	return (r);
}
