/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stack slots of a function that can be followed.
 *
 *  1. A slot is (base, offset, size) of an access whose address is known;
 *     only those that are read are worth a place.
 *  2. A stack address that gets out of sight (stored, put into arithmetic, or
 *     lost where ways join) hides the slot it points to and all above it up
 *     to the CFA: the object that starts there has an unknown size.  What
 *     lies below is no part of it.
 *  3. A stack address passed in a register to a call exposes the same slots:
 *     that call may write them, and so may every store through a pointer
 *     that is not known.
 *  4. Slots of a frame whose depth is odd, or of an old base accessed below
 *     the point where a new one was made, or of a function with std, are not
 *     followed at all.
 *
 * A call that is not given the address of a local does not write it: what an
 * earlier callee kept of it does not count.
 *
 * Known limits: an address computed from a local that points below it (a
 * negative index) is not foreseen.  Arguments on the stack belong to the
 * callee; compilers do not read them again after the call.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

#define MAX_SLOTS	2048
#define MAX_WILD	(1u << 18)	/* slots times stores */

#define BIT(r)	(1u << (r))
#define ARGS64	(BIT(KS_RDI) | BIT(KS_RSI) | BIT(KS_RDX) | BIT(KS_RCX) | \
		    BIT(KS_R8) | BIT(KS_R9) | BIT(KS_RAX) | BIT(KS_R10))
#define ARGS32	(BIT(KS_RAX) | BIT(KS_RDX) | BIT(KS_RCX))
#define VOLATILE64 (ARGS64 | BIT(KS_R11))

/* See lower.h. */
bool
ks_low_stack(const struct ks_low_fn *fn, const struct ks_cfg_frame *fr,
    const struct ks_opnd *m, struct ks_cfg_addr *a)
{
	(void)fn;
	if (m->kind != KS_OPND_MEM || m->reg >= KS_GPR_MAX || m->seg != 0 ||
	    fr->r[m->reg].base == KS_SP_UNKNOWN ||
	    m->val > INT32_MAX / 2 || m->val < INT32_MIN / 2)
		return (false);
	*a = fr->r[m->reg];
	a->off += (int32_t)m->val;
	return (true);
}

static int
compare(const struct ks_low_slot *x, uint8_t base, int32_t off, unsigned size)
{
	if (x->base != base)
		return (x->base < base ? -1 : 1);
	if (x->off != off)
		return (x->off < off ? -1 : 1);
	return ((int)x->size - (int)size);
}

/*
 * Incoming arguments are no part of an object in the frame: they have an
 * entry of their own in hidden and exposed, that of no base.
 */
static unsigned
area(struct ks_cfg_addr a)
{
	return (a.base == KS_SP_CFA && a.off >= 0 ? 0 : a.base);
}

static bool
is_hidden(const struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size)
{
	return (fn->noslots || a.base == KS_SP_UNKNOWN ||
	    fn->hidden[area(a)] < (int64_t)a.off + size);
}

/* See lower.h. */
bool
ks_low_exposed(const struct ks_low_fn *fn, const struct ks_low_slot *s)
{
	struct ks_cfg_addr a = { s->base, s->off };

	return (fn->exposed[area(a)] < (int64_t)s->off + s->size);
}

/* See lower.h. */
uint32_t
ks_low_slot(const struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size)
{
	size_t lo = 0, hi = fn->slots.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = compare(&fn->slots.v[mid], a.base, a.off, size);

		if (c == 0)
			return (fn->slots.v[mid].place);
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (KS_NONE);
}

/* See lower.h. */
void
ks_low_slot_range(const struct ks_low_fn *fn, struct ks_cfg_addr a,
    unsigned size, size_t *first, size_t *end)
{
	size_t lo = 0, hi = fn->slots.n;

	/* No slot is larger than 8 bytes. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct ks_low_slot *s = &fn->slots.v[mid];

		if (s->base < a.base ||
		    (s->base == a.base && s->off <= a.off - 8))
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo < fn->slots.n && fn->slots.v[lo].base == a.base &&
	    fn->slots.v[lo].off + fn->slots.v[lo].size <= a.off)
		lo++;
	for (hi = lo; hi < fn->slots.n && fn->slots.v[hi].base == a.base &&
	    fn->slots.v[hi].off < (int64_t)a.off + size; hi++)
		;
	*first = lo;
	*end = hi;
}

/* --- what gets out of sight -------------------------------------------- */

static void
leak(struct ks_low_fn *fn, struct ks_cfg_addr a)
{
	if (a.base != KS_SP_UNKNOWN && a.off < fn->hidden[area(a)])
		fn->hidden[area(a)] = a.off;
}

/* Passed in registers to a call. */
static void
pass_mask(struct ks_low_fn *fn, const struct ks_cfg_frame *fr, unsigned mask)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		struct ks_cfg_addr a = fr->r[r];

		if ((mask >> r & 1) != 0 && a.base != KS_SP_UNKNOWN &&
		    a.off < fn->exposed[area(a)])
			fn->exposed[area(a)] = a.off;
	}
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
leak_insn(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *before, const struct ks_cfg_frame *after)
{
	const struct ks_opnd *o = i->in.opnd;

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
			pass_mask(fn, before, fn->mode64 ? ARGS64 : ARGS32);
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

/* --- collecting -------------------------------------------------------- */

/* A base that was left must not be used below where it was left. */
static void
check_base(struct ks_low_fn *fn, struct ks_cfg_addr a)
{
	for (unsigned b = KS_SP_REALIGNED; b < KS_SP_MAX; b++)
		if (fn->g->from[b].base == a.base &&
		    a.off < fn->g->from[b].off)
			fn->noslots = true;
}

static void
want(struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	if (a.base == KS_SP_UNKNOWN)
		return;
	*ks_vec_push(&fn->slots) = (struct ks_low_slot){ a.base,
	    (uint8_t)size, a.off, KS_NONE };
}

/* A store that may hit any slot whose address is out. */
bool
ks_low_wild(const struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr)
{
	struct ks_cfg_addr a;
	unsigned val = 0;

	for (unsigned k = 0; k < i->in.nopnd; k++) {
		const struct ks_opnd *m = &i->in.opnd[k];

		if (m->kind == KS_OPND_REG && m->write)
			val |= BIT(m->reg);
		if (m->kind == KS_OPND_MEM && m->write && m->seg == 0 &&
		    m->reg < KS_GPR_MAX && !ks_low_stack(fn, fr, m, &a))
			return (true);
	}
	/* String instructions store through %rdi without saying so. */
	return (i->in.op == KS_OP_OTHER &&
	    (i->in.gpr_write & ~val & BIT(KS_RDI)) != 0 &&
	    fr->r[KS_RDI].base == KS_SP_UNKNOWN);
}

static void
collect_insn(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr)
{
	for (unsigned k = 0; k < i->in.nopnd; k++) {
		const struct ks_opnd *m = &i->in.opnd[k];
		struct ks_cfg_addr a;

		if (!ks_low_stack(fn, fr, m, &a) || i->in.op == KS_OP_LEA)
			continue;
		check_base(fn, a);
		if (m->read && m->index == KS_NOREG)
			want(fn, a, m->bits / 8);
	}
	fn->nwild += ks_low_wild(fn, i, fr);
	if (i->in.op == KS_OP_POP)
		want(fn, fr->r[KS_RSP], fn->word);
	if (!fn->mode64 && i->how != KS_HOW_NONE) {
		struct ks_cfg_addr a = fr->r[KS_RSP];

		if (i->in.op == KS_OP_JMP)
			a.off += 4;
		for (unsigned k = 0; k < 4; k++, a.off += 4)
			want(fn, a, 4);
	}
}

static void
collect(struct ks_low_fn *fn)
{
	const struct ks_cfg *g = fn->g;
	uint16_t *live = liveness(g, fn->mode64);

	for (size_t n = 0; n < g->blocks.n; n++) {
		const struct ks_cfg_block *k = &g->blocks.v[n];
		struct ks_cfg_frame fr = g->frames.v[n], before;

		for (uint32_t i = 0; i < k->ninsn; i++) {
			const struct ks_cfg_insn *x = &g->insns.v[k->insn + i];

			fn->noslots = fn->noslots || x->in.down;
			collect_insn(fn, x, &fr);
			before = fr;
			ks_cfg_frame_step(x, fn->mode64, &fr);
			leak_insn(fn, x, &before, &fr);
		}
		for (uint32_t e = 0; e < k->nedge; e++) {
			uint32_t to = g->edges.v[k->edge + e].to;

			for (unsigned r = 0; r < KS_GPR_MAX; r++)
				if ((live[to] >> r & 1) != 0 &&
				    g->frames.v[to].r[r].base ==
				    KS_SP_UNKNOWN && r != KS_RSP)
					leak(fn, fr.r[r]);
		}
	}
	free(live);
}

static int
by_place(const void *a, const void *b, void *ctx)
{
	const struct ks_low_slot *x = a, *y = b;

	(void)ctx;
	return (compare(x, y->base, y->off, y->size));
}

static uint32_t
slot_place(struct ks_low_fn *fn, const struct ks_low_slot *s)
{
	char name[48];
	char base[8] = "cfa";

	if (s->base != KS_SP_CFA)
		snprintf(base, sizeof(base), "sp%u", (unsigned)s->base);
	if (s->size == fn->word)
		snprintf(name, sizeof(name), "%d(%s)", s->off, base);
	else
		snprintf(name, sizeof(name), "%d(%s).%u", s->off, base,
		    (unsigned)s->size);
	return (ks_func_place(fn->l->u, fn->f, name, 0));
}

/* Slots that are exposed; too many for the stores there are: none at all. */
static void
find_exposed(struct ks_low_fn *fn)
{
	size_t n = 0;

	for (size_t i = 0; i < fn->slots.n; i++)
		n += ks_low_exposed(fn, &fn->slots.v[i]);
	if (n * fn->nwild > MAX_WILD)
		for (unsigned i = 0; i < KS_SP_MAX; i++)
			if (fn->exposed[i] < fn->hidden[i])
				fn->hidden[i] = fn->exposed[i];
}

/* See lower.h. */
void
ks_low_slots(struct ks_low_fn *fn)
{
	size_t n = 0;

	fn->noslots = fn->g->frame_odd;
	for (unsigned i = 0; i < KS_SP_MAX; i++)
		fn->hidden[i] = fn->exposed[i] = INT32_MAX;
	if (fn->noslots)
		return;
	for (unsigned i = 0; !fn->mode64 && i < 6; i++)
		want(fn, (struct ks_cfg_addr){ KS_SP_CFA, (int32_t)i * 4 }, 4);
	collect(fn);
	find_exposed(fn);
	ks_sort(fn->slots.v, fn->slots.n, sizeof(fn->slots.v[0]), by_place,
	    NULL);
	for (size_t i = 0; i < fn->slots.n; i++) {
		struct ks_low_slot s = fn->slots.v[i];

		if ((n > 0 && by_place(&s, &fn->slots.v[n - 1], NULL) == 0) ||
		    n >= MAX_SLOTS || is_hidden(fn,
		    (struct ks_cfg_addr){ s.base, s.off }, s.size))
			continue;
		s.place = slot_place(fn, &s);
		fn->slots.v[n++] = s;
	}
	fn->slots.n = n;
}
