/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registers and stack slots as places: reading and writing them.
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
	struct ks_val whole = ks_low_of_place(full);

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

/* See lower.h. */
struct ks_val
ks_low_spare(struct ks_low_fn *fn, const struct ks_val *v)
{
	if (fn->spare == KS_NONE)
		fn->spare = ks_func_place(fn->l->u, fn->f, "spare", 0);
	ks_low_set(fn, fn->spare, v);
	return (ks_low_of_place(fn->spare));
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
		return (of_low(ks_low_spare(fn, v).ref, bits));
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

/* See lower.h. */
struct ks_val
ks_low_of_address(struct ks_low_fn *fn, const struct ks_oref *r)
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
			return (ks_low_of_address(fn, &fn->insn->imm));
		return (ks_low_of_const((uint64_t)o->val));
	}
	if (o->kind == KS_OPND_MEM && fn->insn->mem.got) {
		struct ks_oref r = fn->insn->mem;

		r.got = false;
		return (ks_low_of_address(fn, &r));
	}
	return (ks_low_of_place(place_of(fn, o)));
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
