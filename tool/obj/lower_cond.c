/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions: what the flags say of a place, as intervals, and what a branch
 * on them says of the CPU.
 *
 *  1. cmp, test, bt and instructions whose result is tested leave a record
 *     of what they compared (struct ks_low_flags).  If that place is written
 *     before the flags are used, it is copied first.
 *  2. A condition code turns the record into a wrapped interval of the
 *     place: v <u k is [0, k-1], v <s k is [minimum, k-1], v - k negative is
 *     [k+minimum, k-1].
 *  3. Tests of bits: with a view ((place >> shift) & mask) the bits asked for
 *     are a mask of the place; if they are contiguous, all of them being 0
 *     is an interval of the place's low bits, and so is a single bit.
 *  4. Where the view comes from CPUID, XCR0 or a variable, the edge on which
 *     its bits are known to be set gets a gate: all bits of an equality, or
 *     a single bit that is not 0.
 *
 *  5. Where the view is of another place than the one compared (and, then
 *     test), the condition holds of that one, too: it may be what is left of
 *     both later.
 *
 * A condition that holds always or never has no interval; it is left out,
 * which keeps both ways.
 */
#include <string.h>

#include "lower.h"

static const struct ks_low_cond no_cond = { .place = KS_NONE };

/* --- recording --------------------------------------------------------- */

/* The register whose place this is, or KS_NOREG. */
static unsigned
reg_of(const struct ks_low_fn *fn, uint32_t place)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if (fn->reg[r] == place || fn->low[r] == place ||
		    fn->tmp[r] == place)
			return (r);
	return (KS_NOREG);
}

/* May the instruction write the place? */
static bool
may_write(const struct ks_low_fn *fn, const struct ks_insn *in,
    uint32_t place)
{
	unsigned r = reg_of(fn, place);

	if (r != KS_NOREG)
		return ((in->gpr_write >> r & 1) != 0);
	if (in->op == KS_OP_PUSH)
		return (true);
	for (unsigned k = 0; k < in->nopnd; k++)
		if (in->opnd[k].kind == KS_OPND_MEM && in->opnd[k].write)
			return (true);
	return (false);
}

/* Is the place written between here and the last use of the flags? */
static bool
overwritten(const struct ks_low_fn *fn, uint32_t place)
{
	const struct ks_cfg_block *k =
	    &fn->g->blocks.v[fn->insn->block];
	const struct ks_cfg_insn *i = fn->insn + 1;
	const struct ks_cfg_insn *end = &fn->g->insns.v[k->insn] + k->ninsn;
	bool written = false;

	for (; i < end; i++) {
		bool use = i->in.op == KS_OP_JCC || i->in.op == KS_OP_SETCC ||
		    i->in.op == KS_OP_CMOVCC;

		if (use && written)
			return (true);
		if (i->in.writes_flags || i->in.op == KS_OP_CALL)
			return (false);
		written = written || may_write(fn, &i->in, place);
	}
	return (false);
}

static bool
plain(const struct ks_low_view *v, unsigned bits)
{
	return (v->src == KS_SRC_PLACE && v->shift == 0 && v->flip == 0 &&
	    (v->mask & ks_low_mask(bits)) == ks_low_mask(bits));
}

/* PLACE, or a copy of it that lasts as long as the flags; I: which copy. */
static uint32_t
lasting(struct ks_low_fn *fn, unsigned i, uint32_t place)
{
	static const char *const name[] = { "compared", "result" };
	struct ks_val v = { .kind = KS_VAL_PLACE, .ref = place };

	if (!overwritten(fn, place))
		return (place);
	if (fn->cmp[i] == KS_NONE)
		fn->cmp[i] = ks_func_place(fn->l->u, fn->f, name[i], 0);
	ks_low_set(fn, fn->cmp[i], &v);
	return (fn->cmp[i]);
}

static void
record(struct ks_low_fn *fn, enum ks_low_flags_kind kind,
    const struct ks_opnd *o, uint64_t num)
{
	struct ks_low_flags f = { .kind = kind, .bits = (uint8_t)o->bits,
	    .num = num, .own = KS_NONE };
	struct ks_val self = ks_low_read(fn, o);

	f.v = ks_low_view(fn, o);
	if (o->bits > 64 || f.v.src == KS_SRC_NONE) {
		f.kind = KS_FLAGS_NONE;
	} else {
		if (self.kind == KS_VAL_PLACE && !plain(&f.v, f.bits) &&
		    (f.v.src != KS_SRC_PLACE || f.v.num != self.ref))
			f.own = lasting(fn, 1, self.ref);
		if (f.v.src == KS_SRC_PLACE)
			f.v.num = lasting(fn, 0, (uint32_t)f.v.num);
	}
	fn->s.flags = f;
}

/* The flags as the current instruction, already done, leaves them. */
void
ks_low_set_flags(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0], *s = &in->opnd[1];
	uint64_t all;
	struct ks_low_view k;

	if (!in->writes_flags)
		return;
	fn->s.flags.kind = KS_FLAGS_NONE;
	if (in->nopnd == 0)
		return;
	all = ks_low_mask(d->bits);
	memset(&k, 0, sizeof(k));
	if (in->nopnd >= 2)
		k = ks_low_view(fn, s);
	switch (in->op) {
	case KS_OP_CMP:
		if (k.src == KS_SRC_CONST)
			record(fn, KS_FLAGS_CMP, d, k.num & all);
		break;
	case KS_OP_TEST:
		if (k.src == KS_SRC_CONST)
			record(fn, KS_FLAGS_TEST, d, k.num & all);
		else if (d->kind == KS_OPND_REG && s->kind == KS_OPND_REG &&
		    d->reg == s->reg && d->high8 == s->high8)
			record(fn, KS_FLAGS_TEST, d, all);
		break;
	case KS_OP_BT:
		/* A register as bit number in memory reaches anywhere. */
		if (k.src == KS_SRC_CONST && (d->kind == KS_OPND_REG ||
		    s->kind == KS_OPND_IMM))
			record(fn, KS_FLAGS_BIT, d, k.num % d->bits);
		break;
	case KS_OP_AND:
	case KS_OP_OR:
	case KS_OP_XOR:
		record(fn, KS_FLAGS_TEST, d, all);
		break;
	case KS_OP_SHL:
	case KS_OP_SHR:
	case KS_OP_SAR:
		/* By 0, the flags stay as they were. */
		if (s->kind != KS_OPND_IMM || s->val == 0)
			break;
		record(fn, KS_FLAGS_RESULT, d, 0);
		break;
	case KS_OP_ADD:
	case KS_OP_SUB:
	case KS_OP_INC:
	case KS_OP_DEC:
	case KS_OP_NEG:
		record(fn, KS_FLAGS_RESULT, d, 0);
		break;
	default:
		break;
	}
}

/* --- intervals --------------------------------------------------------- */

/* See lower.h. */
bool
ks_low_zero_iv(uint64_t mask, struct ks_iv *iv)
{
	unsigned lo, hi;

	if (mask == 0)
		return (false);
	lo = (unsigned)__builtin_ctzll(mask);
	hi = 63 - (unsigned)__builtin_clzll(mask);
	if ((mask >> lo & ((mask >> lo) + 1)) != 0)
		return (false);
	*iv = (struct ks_iv){ 0, ((uint64_t)1 << lo) - 1,
	    (uint8_t)(hi + 1) };
	return (true);
}

/* [lo, hi] of BITS bits; nothing if that is empty or everything. */
static struct ks_low_cond
interval(uint32_t place, uint64_t lo, uint64_t hi, unsigned bits)
{
	struct ks_low_cond c = { .place = place };
	uint64_t m = ks_low_mask(bits);

	lo &= m;
	hi &= m;
	if (lo == ((hi + 1) & m))
		return (no_cond);
	c.iv = (struct ks_iv){ lo, hi, (uint8_t)bits };
	return (c);
}

static struct ks_low_cond
negate(struct ks_low_cond c)
{
	uint32_t g = c.gate;

	c.gate = c.ngate;
	c.ngate = g;
	if (c.place != KS_NONE)
		c.iv = ks_iv_not(c.iv);
	return (c);
}

/* A place compared with K, unsigned and signed predicates. */
static struct ks_low_cond
compare(uint32_t p, unsigned bits, uint64_t k, uint8_t cc)
{
	uint64_t min = (uint64_t)1 << (bits - 1), max = ks_low_mask(bits);

	switch (cc & ~1u) {
	case KS_CC_B:
		if (k == 0)
			return (no_cond);
		return (interval(p, 0, k - 1, bits));
	case KS_CC_E:
		return (interval(p, k, k, bits));
	case KS_CC_BE:
		if (k == max)
			return (no_cond);
		return (interval(p, 0, k, bits));
	case KS_CC_S:
		return (interval(p, k + min, k - 1, bits));
	case KS_CC_L:
		if (k == min)
			return (no_cond);
		return (interval(p, min, k - 1, bits));
	case KS_CC_LE:
		if (k == min - 1)
			return (no_cond);
		return (interval(p, min, k, bits));
	default:
		return (no_cond);
	}
}

/* --- gates ------------------------------------------------------------- */

static uint32_t
add_gate(struct ks_low_fn *fn, const struct ks_gate *g)
{
	for (size_t i = 0; i < fn->f->gates.n; i++)
		if (memcmp(&fn->f->gates.v[i], g, sizeof(*g)) == 0)
			return ((uint32_t)i + 1);
	*ks_vec_push(&fn->f->gates) = *g;
	return ((uint32_t)fn->f->gates.n);
}

/* The gate that bits MASK of the view's source are set, or 0. */
static uint32_t
gate(struct ks_low_fn *fn, const struct ks_low_view *v, uint64_t mask)
{
	const struct ks_obj *o = fn->l->o;
	struct ks_gate g;

	memset(&g, 0, sizeof(g));
	g.mask = mask;
	if (v->src == KS_SRC_CPUID) {
		g.kind = KS_GATE_CPUID;
		g.leaf = (uint32_t)v->num;
		g.subleaf = v->sub;
		g.reg = (uint8_t)v->reg;
	} else if (v->src == KS_SRC_XCR0) {
		g.kind = KS_GATE_XCR0;
	} else if (v->src == KS_SRC_CELL && v->ref.sym != KS_NONE &&
	    o->syms[v->ref.sym].name[0] != '\0') {
		const struct ks_osym *s = &o->syms[v->ref.sym];
		uint64_t off = v->ref.sect == KS_NOSECT ? v->ref.off :
		    v->ref.off - s->off;

		if (off > UINT32_MAX)
			return (0);
		g.kind = KS_GATE_VAR;
		g.var = ks_intern(fn->l->u->str, s->name);
		g.off = (uint32_t)off;
	} else {
		return (0);
	}
	return (mask == 0 ? 0 : add_gate(fn, &g));
}

static bool
single(uint64_t m)
{
	return (m != 0 && (m & (m - 1)) == 0);
}

/*
 * "The bits MASK of the view's value are 0": as a condition on its source.
 */
static struct ks_low_cond
zero(struct ks_low_fn *fn, const struct ks_low_view *v, uint64_t mask)
{
	struct ks_low_cond c = no_cond;
	uint64_t e = v->mask & mask, flip = v->flip & mask, m;

	if (v->shift >= 64 || (flip & ~e) != 0 || e == 0)
		return (c);		/* never, or always */
	m = e << v->shift;
	if (m >> v->shift != e)
		return (c);
	if (flip != 0 && flip != e)
		return (c);
	if (v->src == KS_SRC_PLACE && (flip == 0 || single(e)) &&
	    ks_low_zero_iv(m, &c.iv))
		c.place = (uint32_t)v->num;
	if (flip == 0) {
		if (single(m))
			c.ngate = gate(fn, v, m);
		return (c);
	}
	/* Zero means that all of them are set in the source. */
	c.gate = gate(fn, v, m);
	if (c.place != KS_NONE)
		c.iv = ks_iv_not(c.iv);
	return (c);
}

/* "The view's value is K", for a view that is no plain place. */
static struct ks_low_cond
equal(struct ks_low_fn *fn, const struct ks_low_view *v, unsigned bits,
    uint64_t k)
{
	struct ks_low_cond c = no_cond;
	struct ks_low_view w = *v;
	uint64_t m;

	w.flip ^= k;
	w.flip &= ks_low_mask(bits);
	if (w.flip == 0 || (w.flip & ~w.mask) != 0 || w.shift >= 64 ||
	    w.flip == (w.mask & ks_low_mask(bits)))
		return (zero(fn, &w, ks_low_mask(bits)));
	/* Some bits are set, some are not. */
	m = w.flip << w.shift;
	if (m >> w.shift == w.flip)
		c.gate = gate(fn, v, m);
	return (c);
}

/* --- condition codes --------------------------------------------------- */

/* Bits of a place that the view is, with zeros above them; or 0. */
static unsigned
low_bits(const struct ks_low_view *v)
{
	if (v->src != KS_SRC_PLACE || v->shift != 0 || v->flip != 0 ||
	    v->mask == 0 || (v->mask & (v->mask + 1)) != 0)
		return (0);
	return ((unsigned)__builtin_popcountll(v->mask));
}

/* A zero-extended place is compared: it is never negative. */
static struct ks_low_cond
compare_low(const struct ks_low_flags *f, unsigned bits, uint8_t cc)
{
	uint8_t yes = cc & ~1u;

	if (f->num > f->v.mask)
		return (no_cond);
	if (yes == KS_CC_L || yes == KS_CC_S)
		yes = KS_CC_B;
	else if (yes == KS_CC_LE)
		yes = KS_CC_BE;
	return (compare((uint32_t)f->v.num, bits, f->num, yes));
}

static struct ks_low_cond
after_cmp(struct ks_low_fn *fn, const struct ks_low_flags *f, uint8_t cc)
{
	unsigned n = low_bits(&f->v);

	if (plain(&f->v, f->bits))
		return (compare((uint32_t)f->v.num, f->bits, f->num, cc));
	if (n != 0 && n < f->bits)
		return (compare_low(f, n, cc));
	if ((cc & ~1u) == KS_CC_E)
		return (equal(fn, &f->v, f->bits, f->num));
	if ((cc & ~1u) == KS_CC_B && f->num == 1)
		return (zero(fn, &f->v, ks_low_mask(f->bits)));
	if ((cc & ~1u) == KS_CC_BE && f->num == 0)
		return (zero(fn, &f->v, ks_low_mask(f->bits)));
	return (no_cond);
}

static struct ks_low_cond
after_test(struct ks_low_fn *fn, const struct ks_low_flags *f, uint8_t cc)
{
	uint64_t min = (uint64_t)1 << (f->bits - 1);

	if (f->num == ks_low_mask(f->bits) && plain(&f->v, f->bits))
		return (compare((uint32_t)f->v.num, f->bits, 0,
		    (cc & ~1u) == KS_CC_BE ? KS_CC_E : cc));
	switch (cc & ~1u) {
	case KS_CC_E:
	case KS_CC_BE:
		return (zero(fn, &f->v, f->num));
	case KS_CC_S:
	case KS_CC_L:
		return (negate(zero(fn, &f->v, f->num & min)));
	default:
		return (no_cond);
	}
}

static struct ks_low_cond
after_result(struct ks_low_fn *fn, const struct ks_low_flags *f, uint8_t cc)
{
	uint64_t min = (uint64_t)1 << (f->bits - 1);

	if ((cc & ~1u) == KS_CC_E)
		return (zero(fn, &f->v, ks_low_mask(f->bits)));
	if ((cc & ~1u) == KS_CC_S)
		return (negate(zero(fn, &f->v, min)));
	return (no_cond);
}

static struct ks_low_cond
condition(struct ks_low_fn *fn, const struct ks_low_flags *f, uint8_t cc)
{
	struct ks_low_cond c = no_cond;

	if (cc == KS_CC_NONE)
		return (c);
	switch (f->kind) {
	case KS_FLAGS_CMP:
		c = after_cmp(fn, f, cc);
		break;
	case KS_FLAGS_TEST:
		c = after_test(fn, f, cc);
		break;
	case KS_FLAGS_RESULT:
		c = after_result(fn, f, cc);
		break;
	case KS_FLAGS_BIT:
		if ((cc & ~1u) == KS_CC_B)
			c = negate(zero(fn, &f->v, (uint64_t)1 << f->num));
		break;
	default:
		break;
	}
	return ((cc & 1) != 0 ? negate(c) : c);
}

/* What it means for what was compared that condition code CC holds. */
struct ks_low_cond
ks_low_cc(struct ks_low_fn *fn, uint8_t cc)
{
	return (condition(fn, &fn->s.flags, cc));
}

/* See lower.h. */
struct ks_low_cond
ks_low_cc_own(struct ks_low_fn *fn, uint8_t cc)
{
	struct ks_low_flags f = fn->s.flags;

	if (f.kind == KS_FLAGS_NONE || f.own == KS_NONE)
		return (no_cond);
	f.v = (struct ks_low_view){ .src = KS_SRC_PLACE, .num = f.own,
	    .mask = ks_low_mask(f.bits) };
	return (condition(fn, &f, cc));
}

/* See lower.h. */
struct ks_val
ks_low_setcc(struct ks_low_fn *fn, uint8_t cc, struct ks_low_view *v)
{
	const struct ks_low_flags *f = &fn->s.flags;
	struct ks_low_cond c = ks_low_cc(fn, cc);
	struct ks_val val = { .kind = KS_VAL_UNKNOWN };
	uint64_t m;

	memset(v, 0, sizeof(*v));
	if (c.place != KS_NONE) {
		val.kind = KS_VAL_TEST;
		val.ref = c.place;
		val.iv = c.iv;
	}
	/* A bit of the CPU stays one. */
	if (c.gate == 0 && c.ngate == 0)
		return (val);
	m = fn->f->gates.v[(c.gate != 0 ? c.gate : c.ngate) - 1].mask;
	if (!single(m) || (c.gate != 0 && c.ngate != 0))
		return (val);
	*v = f->v;
	v->shift = (uint8_t)__builtin_ctzll(m);
	v->mask = 1;
	v->flip = c.gate == 0;
	return (val);
}
