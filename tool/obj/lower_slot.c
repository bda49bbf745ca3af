/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stack slots of a function that can be followed.
 *
 *  1. A slot is (base, offset, size) of an access whose address is known;
 *     only those that are read are worth a place.
 *  2. A stack address that gets out of sight (lower_leak.c) hides the slot it
 *     points to and all above it up to the CFA: the object that starts there
 *     has an unknown size.  What lies below is no part of it.
 *  3. A stack address passed to a call of code that is not known exposes the
 *     same slots: that call may write them, and so may every store through a
 *     pointer that is not known.  One passed to a function of this object:
 *     that call writes what the function does (lower_reach.c).
 *  4. Slots of a frame whose depth is odd, or of an old base accessed below
 *     the point where a new one was made, or of a function with std, are not
 *     followed at all.
 *
 * A call of unknown code that is not given the address of a local does not
 * write it: what such code kept of it earlier does not count, nor that it may
 * have returned the address.
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

static bool
is_hidden(const struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size)
{
	return (fn->noslots || a.base == KS_SP_UNKNOWN ||
	    fn->hidden[ks_low_area(a)] < (int64_t)a.off + size);
}

/* See lower.h. */
bool
ks_low_exposed(const struct ks_low_fn *fn, const struct ks_low_slot *s)
{
	struct ks_cfg_addr a = { s->base, s->off };

	return (fn->exposed[ks_low_area(a)] < (int64_t)s->off + s->size);
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

/* See lower.h. */
bool
ks_low_overlap(const struct ks_low_kill *k, struct ks_cfg_addr a,
    unsigned size)
{
	/* An object of the frame ends where the incoming arguments begin. */
	return (k->base == a.base && k->lo < (int64_t)a.off + size &&
	    (k->hi == INT32_MAX || k->hi > a.off) &&
	    !(a.base == KS_SP_CFA && k->lo < 0 && a.off >= 0));
}

/* See lower.h. */
const struct ks_low_kill *
ks_low_kills(const struct ks_low_fn *fn, const struct ks_cfg_insn *insn,
    size_t *n)
{
	uint32_t want = (uint32_t)(insn - fn->g->insns.v);
	size_t lo = 0, hi = fn->kills.n, first;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (fn->kills.v[mid].insn < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (first = lo; lo < fn->kills.n && fn->kills.v[lo].insn == want;
	    lo++)
		;
	*n = lo - first;
	return (fn->kills.v + first);
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

/* Reads that want() does not know; SIZE 0: of unknown length. */
static void
read_odd(struct ks_low_fn *fn, struct ks_cfg_addr a, unsigned size)
{
	if (a.base == KS_SP_UNKNOWN || size == 1 || size == 2 || size == 4 ||
	    size == 8)
		return;
	*ks_vec_push(&fn->leaks.reads) = (struct ks_low_kill){ KS_NONE, a.base,
	    a.off, size == 0 ? INT32_MAX : a.off + (int32_t)size };
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
			val |= 1u << m->reg;
		if (m->kind == KS_OPND_MEM && m->write && m->seg == 0 &&
		    m->reg < KS_GPR_MAX && !ks_low_stack(fn, fr, m, &a))
			return (true);
	}
	/* String instructions store through %rdi without saying so. */
	return (i->in.op == KS_OP_OTHER &&
	    (i->in.gpr_write & ~val & 1u << KS_RDI) != 0 &&
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
		if (m->read)
			read_odd(fn, a, m->index == KS_NOREG ? m->bits / 8 :
			    0);
	}
	if (i->in.op == KS_OP_LEAVE)
		read_odd(fn, fr->r[KS_RBP], 16);
	if (i->in.op == KS_OP_OTHER && (i->in.gpr_write >> KS_RSI & 1) != 0)
		read_odd(fn, fr->r[KS_RSI], 0);
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

/* See lower.h. */
void
ks_low_find_leaks(struct ks_low_fn *fn)
{
	const struct ks_cfg *g = fn->g;

	for (unsigned i = 0; i < KS_SP_MAX; i++)
		fn->hidden[i] = fn->exposed[i] = INT32_MAX;
	fn->noslots = g->frame_odd;
	if (fn->noslots)
		return;
	ks_low_leak_begin(fn);
	for (size_t n = 0; n < g->blocks.n; n++) {
		const struct ks_cfg_block *k = &g->blocks.v[n];
		struct ks_cfg_frame fr = g->frames.v[n], before;

		for (uint32_t i = 0; i < k->ninsn; i++) {
			const struct ks_cfg_insn *x = &g->insns.v[k->insn + i];

			fn->noslots = fn->noslots || x->in.down;
			collect_insn(fn, x, &fr);
			before = fr;
			ks_cfg_frame_step(x, fn->mode64, &fr);
			ks_low_leak_insn(fn, x, &before, &fr);
		}
		ks_low_leak_block(fn, k, &fr);
	}
	ks_low_leak_end(fn);
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

	for (unsigned i = 0; !fn->mode64 && i < 6; i++)
		want(fn, (struct ks_cfg_addr){ KS_SP_CFA, (int32_t)i * 4 }, 4);
	ks_low_find_leaks(fn);
	if (fn->g->frame_odd) {
		fn->slots.n = 0;
		return;
	}
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
