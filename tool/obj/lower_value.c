/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What instructions do to registers and slots.
 *
 * A place is a whole register or a slot of a certain size; the values it is
 * given say nothing of bits above its size.  Two kinds of parts:
 *  - the low byte of a register that is written alone somewhere (setcc,
 *    movb) has a place of its own, which writes of the whole register set,
 *    too; a write of the byte leaves no more than that of the whole;
 *  - slots of several sizes at one offset share their low bits: a write sets
 *    those of the same offset, of larger ones the low bits, and makes
 *    everything else that it overlaps unknown.
 *
 * Beside places, each register has a "view": what its value was made from,
 * by shifts and masks, from a place, a CPUID leaf or a cell of memory.  It
 * serves conditions on bits and feature gates, and dies when the place it
 * was made from is written.
 */
#include <string.h>

#include "lower.h"

static const struct ks_val unknown = { .kind = KS_VAL_UNKNOWN };
static const struct ks_low_view no_view = { .src = KS_SRC_NONE };

static struct ks_val
of_place(uint32_t place)
{
	struct ks_val v = { .kind = KS_VAL_PLACE, .ref = place };

	return (place == KS_NONE ? unknown : v);
}

static struct ks_val
of_const(uint64_t num)
{
	return ((struct ks_val){ .kind = KS_VAL_CONST, .num = num });
}

static struct ks_val
of_low(uint32_t place, unsigned bits)
{
	return ((struct ks_val){ .kind = KS_VAL_LOW, .ref = place,
	    .num = bits });
}

/* --- places ------------------------------------------------------------ */

/* Place of a register; KS_NONE for the stack pointer. */
uint32_t
ks_low_reg(struct ks_low_fn *fn, unsigned reg)
{
	static const char *const name64[] = { "%rax", "%rcx", "%rdx", "%rbx",
	    "%rsp", "%rbp", "%rsi", "%rdi", "%r8", "%r9", "%r10", "%r11",
	    "%r12", "%r13", "%r14", "%r15" };
	static const char *const name32[] = { "%eax", "%ecx", "%edx", "%ebx",
	    "%esp", "%ebp", "%esi", "%edi" };
	bool keeps;

	if (reg >= KS_GPR_MAX || reg == KS_RSP || (!fn->mode64 && reg > 7))
		return (KS_NONE);
	if (fn->reg[reg] != KS_NONE)
		return (fn->reg[reg]);
	keeps = reg == KS_RBX || reg == KS_RBP || reg >= KS_R12 ||
	    (!fn->mode64 && (reg == KS_RSI || reg == KS_RDI));
	fn->reg[reg] = ks_func_place(fn->l->u, fn->f, fn->mode64 ?
	    name64[reg] : name32[reg], keeps ? 0 : KS_PLACE_VOLATILE);
	return (fn->reg[reg]);
}

/* Place of the low byte: the register's own if it is never written alone. */
static uint32_t
low_place(struct ks_low_fn *fn, unsigned reg)
{
	uint32_t full = ks_low_reg(fn, reg);
	char name[32];

	if (full == KS_NONE || !(fn->partial >> reg & 1))
		return (full);
	if (fn->low[reg] == KS_NONE) {
		snprintf(name, sizeof(name), "%s.1", ks_str(fn->l->u->str,
		    fn->f->places.v[full].name));
		fn->low[reg] = ks_func_place(fn->l->u, fn->f, name,
		    fn->f->places.v[full].flags);
	}
	return (fn->low[reg]);
}

/* --- nodes ------------------------------------------------------------- */

/* Where the current instruction is; see struct ks_loc. */
static void
set_place(struct ks_low_fn *fn, struct ks_loc *loc)
{
	const struct ks_cfg_insn *i = fn->insn;
	const struct ks_obj *o = fn->l->o;
	uint32_t sect = i->sect, f;
	uint64_t off = i->off;
	char part[512];

	/* Replacement code runs at its site. */
	if (i->alt != 0) {
		sect = o->patches[i->alt - 1].sect;
		off = o->patches[i->alt - 1].off;
	}
	f = ks_obj_func_at(o, sect, off);
	if ((f != KS_NONE && f == fn->g->func) || (f == KS_NONE &&
	    sect == fn->g->sect && off >= fn->g->off)) {
		loc->off = (uint32_t)(off - fn->g->off);
		return;
	}
	snprintf(part, sizeof(part), "%s@%s",
	    f == KS_NONE ? "" : o->funcs[f].name, o->sects[sect].name);
	loc->off = (uint32_t)(f == KS_NONE ? off : off - o->funcs[f].off);
	loc->file = ks_intern(fn->l->u->str, part);
}

/* A node at the current instruction. */
uint32_t
ks_low_node(struct ks_low_fn *fn, enum ks_event ev)
{
	struct ks_low_node *n = ks_vec_push(&fn->nodes);

	memset(n, 0, sizeof(*n));
	n->n.ev = (uint8_t)ev;
	n->n.dst = n->n.call = KS_NONE;
	if (fn->insn != NULL)
		set_place(fn, &n->n.loc);
	return ((uint32_t)(fn->nodes.n - 1));
}

/* Forgets what was derived from the value of a place that changes. */
void
ks_low_forget(struct ks_low_fn *fn, uint32_t place)
{
	struct ks_low_state *s = &fn->s;

	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if (s->reg[r].src == KS_SRC_PLACE && s->reg[r].num == place)
			s->reg[r] = no_view;
	if (s->flags.kind == KS_FLAGS_NONE)
		return;
	if (s->flags.own == place)
		s->flags.own = KS_NONE;
	if (s->flags.v.src != KS_SRC_PLACE || s->flags.v.num != place)
		return;
	if (s->flags.own == KS_NONE) {
		s->flags.kind = KS_FLAGS_NONE;
		return;
	}
	s->flags.v = (struct ks_low_view){ .src = KS_SRC_PLACE,
	    .num = s->flags.own, .mask = ks_low_mask(s->flags.bits) };
	s->flags.own = KS_NONE;
}

/* A SET, and the end of what was known of the place. */
void
ks_low_set(struct ks_low_fn *fn, uint32_t place, const struct ks_val *v)
{
	uint32_t n;

	if (place == KS_NONE)
		return;
	ks_low_forget(fn, place);
	if (v->kind == KS_VAL_PLACE && v->ref == place)
		return;
	n = ks_low_node(fn, KS_EV_SET);
	fn->nodes.v[n].n.dst = place;
	fn->nodes.v[n].n.val = *v;
}

/* --- writes ------------------------------------------------------------ */

/* The whole register; its view and its marks are the caller's to set. */
void
ks_low_write_reg(struct ks_low_fn *fn, unsigned reg, const struct ks_val *v)
{
	uint32_t full = ks_low_reg(fn, reg), low = low_place(fn, reg);
	struct ks_val whole = of_place(full);

	if (full == KS_NONE)
		return;
	fn->s.small &= ~(1u << reg);
	fn->s.partial &= ~(1u << reg);
	fn->s.reg[reg] = no_view;
	ks_low_set(fn, full, v);
	if (low != full)
		ks_low_set(fn, low, &whole);
}

/* The low byte alone.  SMALL: the rest of the register is 0. */
void
ks_low_write_low(struct ks_low_fn *fn, unsigned reg, const struct ks_val *v,
    bool small)
{
	uint32_t full = ks_low_reg(fn, reg), low = low_place(fn, reg);
	struct ks_val z = *v;

	if (full == KS_NONE)
		return;
	if (z.kind == KS_VAL_PLACE)
		z = (struct ks_val){ .kind = KS_VAL_ZEXT, .ref = v->ref,
		    .num = 8 };
	else if (z.kind != KS_VAL_CONST && z.kind != KS_VAL_TEST &&
	    !(z.kind == KS_VAL_ZEXT && z.num == 8))
		z = unknown;
	fn->s.reg[reg] = no_view;
	if (small) {
		ks_low_write_reg(fn, reg, &z);
		fn->s.small |= 1u << reg;
		return;
	}
	fn->s.partial |= 1u << reg;
	z = unknown;
	if (low != full) {
		ks_low_set(fn, low, v);
		z = of_low(low, 8);
	}
	ks_low_set(fn, full, &z);
}

/* V in a place of its own, which nothing reads behind this instruction. */
static struct ks_val
spare(struct ks_low_fn *fn, const struct ks_val *v)
{
	if (fn->spare == KS_NONE)
		fn->spare = ks_func_place(fn->l->u, fn->f, "spare", 0);
	ks_low_set(fn, fn->spare, v);
	return (of_place(fn->spare));
}

/* What has V in its low BITS bits, and unknown ones above. */
static struct ks_val
low_part(struct ks_low_fn *fn, const struct ks_val *v, unsigned bits)
{
	if (v->kind == KS_VAL_PLACE)
		return (of_low(v->ref, bits));
	if ((v->kind == KS_VAL_ZEXT || v->kind == KS_VAL_LOW) &&
	    v->num <= bits)
		return (of_low(v->ref, (unsigned)v->num));
	if (v->kind == KS_VAL_TEST || v->kind == KS_VAL_CONST)
		return (of_low(spare(fn, v).ref, bits));
	return (unknown);
}

/* See lower.h. */
void
ks_low_write_slot(struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size,
    const struct ks_val *v)
{
	size_t lo, hi;
	uint32_t self = ks_val_of_place(v) ? v->ref : KS_NONE;
	struct ks_low_slot last = { .place = KS_NONE };
	struct ks_val wide = unknown;

	ks_low_slot_range(fn, a, size, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (fn->slots.v[i].off == a.off &&
		    fn->slots.v[i].size > size &&
		    wide.kind == KS_VAL_UNKNOWN)
			wide = low_part(fn, v, size * 8);
	for (; lo < hi; lo++) {
		const struct ks_low_slot *s = &fn->slots.v[lo];

		if (s->off + s->size <= a.off)
			continue;
		/* What the value is made from is written last. */
		if (s->place == self)
			last = *s;
		else
			ks_low_set(fn, s->place, s->off != a.off ? &unknown :
			    s->size <= size ? v : &wide);
	}
	if (last.place != KS_NONE)
		ks_low_set(fn, last.place, last.off != a.off ? &unknown :
		    last.size <= size ? v : &wide);
}

/* See lower.h. */
void
ks_low_write_above(struct ks_low_fn *fn, struct ks_cfg_addr a)
{
	for (size_t i = 0; i < fn->slots.n; i++) {
		const struct ks_low_slot *s = &fn->slots.v[i];

		if (s->base == a.base && s->off + s->size > a.off &&
		    !(a.base == KS_SP_CFA && a.off < 0 && s->off >= 0))
			ks_low_set(fn, s->place, &unknown);
	}
}

/* See lower.h. */
void
ks_low_write_call(struct ks_low_fn *fn)
{
	size_t n;
	const struct ks_low_kill *k = ks_low_kills(fn, fn->insn, &n);

	for (; n > 0; n--, k++)
		for (size_t i = 0; i < fn->slots.n; i++) {
			const struct ks_low_slot *s = &fn->slots.v[i];

			if (ks_low_overlap(k, (struct ks_cfg_addr){ s->base,
			    s->off }, s->size))
				ks_low_set(fn, s->place, &unknown);
		}
}

/* See lower.h. */
void
ks_low_write_exposed(struct ks_low_fn *fn)
{
	for (size_t i = 0; i < fn->slots.n; i++)
		if (ks_low_exposed(fn, &fn->slots.v[i]))
			ks_low_set(fn, fn->slots.v[i].place, &unknown);
}

/* --- reads ------------------------------------------------------------- */

/* The operand's place, or KS_NONE. */
static uint32_t
place_of(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	struct ks_cfg_addr a;

	if (o->kind == KS_OPND_REG) {
		if (o->high8)
			return (KS_NONE);
		return (o->bits == 8 ? low_place(fn, o->reg) :
		    ks_low_reg(fn, o->reg));
	}
	if (o->kind == KS_OPND_MEM && o->index == KS_NOREG &&
	    ks_low_stack(fn, &fn->fr, o, &a))
		return (ks_low_slot(fn, a, o->bits / 8));
	return (KS_NONE);
}

/* The function at R, as a value. */
static struct ks_val
of_address(struct ks_low_fn *fn, const struct ks_oref *r)
{
	uint32_t sym = ks_low_code_sym(fn->l, r, false);

	if (sym == KS_NONE)
		return (unknown);
	if (fn->ifunc != NULL)
		ks_low_resolves(fn, sym);
	return ((struct ks_val){ .kind = KS_VAL_SYM, .ref = sym });
}

/* See lower.h. */
struct ks_val
ks_low_read(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	if (o->kind == KS_OPND_IMM) {
		if (!ks_oref_none(&fn->insn->imm))
			return (of_address(fn, &fn->insn->imm));
		return (of_const((uint64_t)o->val));
	}
	if (o->kind == KS_OPND_MEM && fn->insn->mem.got) {
		struct ks_oref r = fn->insn->mem;

		r.got = false;
		return (of_address(fn, &r));
	}
	return (of_place(place_of(fn, o)));
}

/* What is read from memory that is no slot: a variable, if it is known. */
static struct ks_low_view
memory_view(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	const struct ks_low_origin *b;
	struct ks_low_view v = no_view;

	v.mask = ks_low_mask(o->bits);
	if (o->seg != 0 || o->index < KS_GPR_MAX || fn->insn->mem.got)
		return (no_view);
	if (o->reg >= KS_GPR_MAX) {
		v.src = KS_SRC_CELL;
		v.ref = fn->insn->mem;
	} else {
		b = ks_low_origin_reg(fn, o->reg);
		if (b->kind != KS_ORIGIN_ADDR || !ks_oref_none(&fn->insn->mem))
			return (no_view);
		v.src = KS_SRC_CELL;
		v.ref = b->ref;
		v.ref.off += (uint64_t)o->val;
	}
	return (ks_oref_none(&v.ref) ? no_view : v);
}

/* See lower.h. */
struct ks_low_view
ks_low_view(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	struct ks_low_view v = no_view;
	uint32_t place;

	if (o->kind == KS_OPND_IMM) {
		if (!ks_oref_none(&fn->insn->imm))
			return (no_view);
		v.src = KS_SRC_CONST;
		v.num = (uint64_t)o->val;	/* for whoever uses it to cut */
		v.mask = UINT64_MAX;
		return (v);
	}
	if (o->kind == KS_OPND_REG) {
		v = fn->s.reg[o->reg];
		if (o->high8) {
			if (v.src == KS_SRC_NONE) {
				v.src = KS_SRC_PLACE;
				v.num = ks_low_reg(fn, o->reg);
				v.mask = UINT64_MAX;
			}
			v.shift += 8;
			v.mask = v.mask >> 8 & 0xff;
			v.flip = v.flip >> 8 & 0xff;
			if (v.num == KS_NONE || v.shift >= 64)
				v = no_view;
			return (v);
		}
		/* A view of the low byte says nothing of the rest. */
		if (v.src != KS_SRC_NONE && (o->bits == 8 ||
		    !(fn->s.partial >> o->reg & 1))) {
			v.mask &= ks_low_mask(o->bits);
			v.flip &= ks_low_mask(o->bits);
			return (v);
		}
	}
	v = no_view;
	place = place_of(fn, o);
	if (place != KS_NONE) {
		v.src = KS_SRC_PLACE;
		v.num = place;
		v.mask = ks_low_mask(o->bits);
		return (v);
	}
	return (o->kind == KS_OPND_MEM ? memory_view(fn, o) : no_view);
}

/* --- instructions ------------------------------------------------------ */

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
			v = of_address(fn, &fn->insn->mem);
		else if (s->val == 0 && ks_oref_none(&fn->insn->mem))
			v = of_place(ks_low_reg(fn, s->reg));
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
	v = of_place((uint32_t)w.num);
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
		assign(fn, d, of_const(0), &w);
		return;
	}
	if (in->op == KS_OP_OR && imm && in->opnd[1].val == -1) {
		assign(fn, d, of_const(UINT64_MAX), &w);
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
	v = of_place(ks_low_slot(fn, a, size));
	ks_low_write_reg(fn, o->reg, &v);
}

static void
xchg(struct ks_low_fn *fn)
{
	const struct ks_opnd *a = &fn->insn->in.opnd[0];
	const struct ks_opnd *b = &fn->insn->in.opnd[1];
	struct ks_val va = ks_low_read(fn, a), vb = ks_low_read(fn, b);

	if (va.kind == KS_VAL_PLACE)
		va = spare(fn, &va);
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
		old = of_place(ks_low_reg(fn, d->reg));
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
