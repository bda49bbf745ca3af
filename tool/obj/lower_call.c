/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls: callee, arguments by the ABI, and for indirect ones the value of
 * the pointer and the keys of the cells it may have been loaded from.
 *
 * The keys of cells are lower_cell.c's.
 *
 * Arguments: x86-64 passes six in registers; i386 on the stack (cdecl), of
 * which the first four words are followed; calls of local functions also
 * have %eax, %edx and %ecx as arguments 4 to 6, for compilers use them there.
 * Limit: i386 code built with -mregparm passes the first three of all
 * functions in registers, and those of global ones are not followed.
 *
 * Reference: System V ABI, AMD64 supplement 3.2.3; i386 supplement 2.2.3.
 */
#include <string.h>

#include "lower.h"

static const uint8_t arg_regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX, KS_R8,
    KS_R9 };

static struct ks_val
of_place(uint32_t place)
{
	struct ks_val v = { .kind = KS_VAL_UNKNOWN };

	if (place != KS_NONE) {
		v.kind = KS_VAL_PLACE;
		v.ref = place;
	}
	return (v);
}

/* The argument registers are the same for every call of a function. */
static void
register_args(struct ks_low_fn *fn, struct ks_call *c)
{
	if (fn->args == KS_NONE) {
		fn->args = (uint32_t)fn->f->args.n;
		for (unsigned i = 0; i < 6; i++) {
			struct ks_val v = of_place(ks_low_reg(fn,
			    arg_regs[i]));

			*ks_vec_push(&fn->f->args) = v;
		}
	}
	c->arg = fn->args;
	c->narg = 6;
}

static void
stack_args(struct ks_low_fn *fn, struct ks_call *c, bool tail)
{
	struct ks_cfg_addr a = fn->fr.r[KS_RSP];

	if (a.base == KS_SP_UNKNOWN)
		return;
	/* A jump leaves the own return address where a call puts one. */
	if (tail)
		a.off += 4;
	c->arg = (uint32_t)fn->f->args.n;
	c->narg = 4;
	for (unsigned i = 0; i < 4; i++, a.off += 4) {
		struct ks_val v = of_place(ks_low_slot(fn, a, 4));

		*ks_vec_push(&fn->f->args) = v;
	}
	/* Compilers give local functions arguments in registers, too. */
	if (c->sym == KS_NONE || (fn->l->u->syms.v[c->sym].flags &
	    KS_SYM_LOCAL) == 0)
		return;
	c->narg += 3;
	for (unsigned i = 0; i < 3; i++)
		*ks_vec_push(&fn->f->args) = of_place(ks_low_reg(fn,
		    ks_low_regs32[i]));
}

/*
 * Functions and tables whose address this call gives away.  True: what
 * becomes of them is known, and nobody else has to look at the arguments.
 */
static bool
give_away(struct ks_low_fn *fn, const struct ks_call *c, const char *callee,
    bool unknown)
{
	char what[256];

	if (!fn->mode64)
		return (false);
	if (!unknown)
		ks_low_bind(fn, c->sym);
	if (ks_low_static_update(fn))
		return (true);
	snprintf(what, sizeof(what), "passed to '%s'", callee);
	for (unsigned i = 0; i < 6; i++) {
		const struct ks_low_origin *o = ks_low_origin_first(
		    ks_low_origin_reg(fn, arg_regs[i]));

		for (; o != NULL; o = ks_low_origin_next(fn, o)) {
			ks_low_taken(fn->l, &o->ref);
			/* What becomes of functions is the engine's to say. */
			if (unknown && !ks_low_is_code(fn->l, &o->ref))
				ks_low_escape(fn->l, &o->ref, what);
		}
	}
	return (false);
}

static void
indirect(struct ks_low_fn *fn, struct ks_call *c)
{
	const struct ks_cfg_insn *i = fn->insn;
	struct ks_opnd o = i->in.opnd[0];
	const struct ks_low_origin *from;

	if (i->reg != KS_NOREG) {
		memset(&o, 0, sizeof(o));
		o.kind = KS_OPND_REG;
		o.reg = i->reg;
		o.index = KS_NOREG;
		o.bits = (uint16_t)(fn->word * 8);
	} else if (i->in.flow == KS_FLOW_CALL || i->in.flow == KS_FLOW_JMP) {
		return;			/* a thunk of an unknown register */
	}
	from = ks_low_origin_of(fn, &o);
	c->target = ks_low_read(fn, &o);
	if (from->kind == KS_ORIGIN_ADDR)
		c->sym = ks_low_code_sym(fn->l, &from->ref, true);
	else if (!ks_low_field_call(fn, c, &o))
		ks_low_keys(fn, c, from);
	if (c->target.kind == KS_VAL_SYM && c->sym == KS_NONE)
		c->sym = c->target.ref;
	if (c->sym != KS_NONE)
		c->target = (struct ks_val){ .kind = KS_VAL_UNKNOWN };
}

static const char *
sym_name(const struct ks_low_fn *fn, uint32_t sym)
{
	const struct ks_unit *u = fn->l->u;

	return (sym == KS_NONE ? "an unknown function" :
	    ks_str(u->str, u->syms.v[sym].name));
}

/* Is what a call does to arguments somebody's to know? */
static bool
knows_args(const struct ks_low_fn *fn, const struct ks_call *c)
{
	const struct ks_lower *l = fn->l;

	if (c->sym == KS_NONE || !l->o->module)
		return (true);
	/* Functions are given to it. */
	for (unsigned i = 0; fn->mode64 && i < 6; i++) {
		const struct ks_low_origin *o =
		    ks_low_origin_reg(fn, arg_regs[i]);

		if (o->kind == KS_ORIGIN_ADDR && ks_low_is_code(l, &o->ref))
			return (true);
	}
	if ((l->u->syms.v[c->sym].flags & KS_SYM_LOCAL) != 0 ||
	    l->u->syms.v[c->sym].func != KS_NONE)
		return (true);
	return (l->p == NULL || ks_profile_find(l->p,
	    sym_name(fn, c->sym)) != NULL);
}

/* Adds the node of a call; what it leaves behind in the state. */
static void
finish(struct ks_low_fn *fn, struct ks_call *c, bool defined, uint32_t proto)
{
	uint32_t n;

	if (!give_away(fn, c, sym_name(fn, c->sym), !defined) &&
	    c->narg == 0 && knows_args(fn, c)) {
		if (fn->mode64)
			register_args(fn, c);
		else
			stack_args(fn, c, c->tail);
	}
	ks_low_field_passed(fn, proto, sym_name(fn, c->sym));
	c->result = ks_low_reg(fn, KS_RAX);
	n = ks_low_node(fn, KS_EV_CALL);
	fn->nodes.v[n].n.call = (uint32_t)fn->f->calls.n;
	*ks_vec_push(&fn->f->calls) = *c;
	fn->simd = KS_NONE;
}

static void
after_call(struct ks_low_fn *fn)
{
	struct ks_val v = of_place(ks_low_reg(fn, KS_RAX));

	ks_low_write_call(fn);
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		uint32_t p = fn->reg[r];

		if (p == KS_NONE ||
		    !(fn->f->places.v[p].flags & KS_PLACE_VOLATILE))
			continue;
		ks_low_forget(fn, p);
		if (fn->low[r] != KS_NONE)
			ks_low_forget(fn, fn->low[r]);
		memset(&fn->s.reg[r], 0, sizeof(fn->s.reg[r]));
		fn->s.small &= ~(1u << r);
		fn->s.partial &= ~(1u << r);
	}
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if (r == KS_RAX || r == KS_RCX || r == KS_RDX ||
		    (fn->mode64 && (r == KS_RSI || r == KS_RDI ||
		    (r >= KS_R8 && r <= KS_R11))))
			memset(&fn->s.reg[r], 0, sizeof(fn->s.reg[r]));
	fn->s.flags.kind = KS_FLAGS_NONE;
	/* The result is in the whole register and its low byte. */
	if ((fn->partial & 1u << KS_RAX) != 0)
		ks_low_write_reg(fn, KS_RAX, &v);
}

/* The callee R; a call of an ifunc goes to what its resolver returned. */
static void
direct(struct ks_low_fn *fn, struct ks_call *c, const struct ks_oref *r)
{
	uint32_t k = ks_low_ifunc_key(fn->l, r);

	if (k != 0)
		ks_low_key(fn, c, k);
	else
		c->sym = ks_low_code_sym(fn->l, r, true);
}

/* A call that only pushes the address behind it. */
static void
push_address(struct ks_low_fn *fn)
{
	static const struct ks_val unknown = { .kind = KS_VAL_UNKNOWN };
	struct ks_cfg_addr a = fn->fr.r[KS_RSP];

	a.off -= (int32_t)fn->word;
	if (a.base != KS_SP_UNKNOWN)
		ks_low_write_slot(fn, a, fn->word, &unknown);
}

/* The call or indirect tail jump at the current instruction. */
void
ks_low_call(struct ks_low_fn *fn, bool tail)
{
	const struct ks_cfg_insn *i = fn->insn;
	struct ks_call c = { .sym = KS_NONE, .result = KS_NONE,
	    .tail = tail, .noreturn = i->noreturn };
	bool defined = false;

	switch (i->how) {
	case KS_HOW_DIRECT:
		direct(fn, &c, &i->imm);
		defined = i->imm.sect != KS_NOSECT;
		break;
	case KS_HOW_STATIC:
		if (i->key != NULL)
			ks_low_key(fn, &c, ks_low_static_key(fn->l, i->key));
		break;
	case KS_HOW_INDIRECT:
		indirect(fn, &c);
		if (c.sym != KS_NONE)
			defined = fn->l->u->syms.v[c.sym].func != KS_NONE ||
			    (fn->l->u->syms.v[c.sym].flags & KS_SYM_LOCAL);
		break;
	case KS_HOW_PUSH:
		push_address(fn);
		return;
	default:
		return;
	}
	finish(fn, &c, defined, ks_low_type_proto(fn));
	if (!tail)
		after_call(fn);
}

/* A jump to another function. */
void
ks_low_direct_tail(struct ks_low_fn *fn, const struct ks_oref *to)
{
	struct ks_call c = { .sym = KS_NONE, .result = KS_NONE,
	    .tail = true };

	direct(fn, &c, to);
	finish(fn, &c, to->sect != KS_NOSECT, ks_low_proto(fn->l, to));
}
