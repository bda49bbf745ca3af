/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of pointers: for each register and slot, at each instruction, what
 * it points to, as far as BTF tells.
 *
 *  1. At the entry, parameters have the types of the function's prototype.
 *  2. A load through a typed pointer has the type of the member there; a sum
 *     of a pointer and a constant points further into the same record; a
 *     call's result has the type of the prototype of what is called, which
 *     is known by name, or by the member that the pointer was loaded from.
 *  3. A pointer plus a multiple of N points to that place or any multiple of
 *     N further: arrays are indexed like that, and walked (where two ways
 *     meet, the distance of their pointers is such an N).
 *  4. A pointer of unknown type (void *, an allocation) is known by where it
 *     was made, its root.  If it is passed, stored or returned as a pointer
 *     to T, its root points to T, and all is done once more.
 *  5. A constant 0 is compatible with everything.
 *
 * A function is known to BTF by its name only: one whose name several
 * functions of the object have is not looked up, nor is a compiler's clone.
 *
 * Limits: a pointer that was cast to what it is not (container_of aside) is
 * taken at its word.  32-bit objects have no types here.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

#define MAX_STATE	(1u << 22)	/* words for all blocks */
#define MAX_ROUNDS	4		/* of step 4 */
#define UNSEEN		UINT32_MAX

static const uint8_t arg_regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX, KS_R8,
    KS_R9 };

/* --- elements -------------------------------------------------------- */

static uint32_t
intern(struct ks_low_fn *fn, const struct ks_low_type *e)
{
	struct ks_low_types *t = &fn->l->types;
	uint64_t h = e->kind;

	if (e->kind == KS_TYPE_NONE ||
	    (e->kind == KS_TYPE_MULTIPLE && e->stride <= 1))
		return (0);
	h = (h ^ e->type) * 0x9e3779b97f4a7c15u;
	h = (h ^ e->root) * 0x9e3779b97f4a7c15u;
	h = (h ^ (uint64_t)e->off) * 0x9e3779b97f4a7c15u;
	h = (h ^ e->stride) * 0x9e3779b97f4a7c15u;
	for (h >>= 32;; h++) {
		const struct ks_low_type *x;
		uint32_t i = t->hash[h %= KS_LOW_TYPE_HASH];

		if (i == 0)
			break;
		x = &t->v.v[i];
		if (x->kind == e->kind && x->type == e->type &&
		    x->root == e->root && x->off == e->off &&
		    x->stride == e->stride)
			return (i);
	}
	if (t->v.n >= KS_LOW_TYPE_HASH / 2)
		return (0);
	t->hash[h] = (uint32_t)t->v.n;
	*ks_vec_push(&t->v) = *e;
	return (t->hash[h]);
}

static struct ks_low_type
get(const struct ks_low_fn *fn, uint32_t i)
{
	return (fn->l->types.v.v[i == UNSEEN ? 0 : i]);
}

static uint32_t
pointer_to(struct ks_low_fn *fn, uint32_t type)
{
	struct ks_low_type e = { .kind = KS_TYPE_PTR, .type = type };

	return (type == 0 ? 0 : intern(fn, &e));
}

/* A pointer that is made here and has no type: place NUM is its root. */
static uint32_t
root(struct ks_low_fn *fn, size_t num)
{
	struct ks_low_type e = { .kind = KS_TYPE_ROOT, .root = (uint32_t)num };
	const struct ks_low_root *r = &fn->roots.v[num];

	if (r->type == 0)
		return (intern(fn, &e));
	e = (struct ks_low_type){ .kind = KS_TYPE_PTR, .type = r->type,
	    .off = r->off };
	return (intern(fn, &e));
}

/* The value of a pointer variable of type TYPE, or else of root NUM. */
static uint32_t
of_pointer(struct ks_low_fn *fn, uint32_t type, size_t num)
{
	uint32_t to = ks_btf_pointee(fn->l->btf, type);

	if (to != 0)
		return (pointer_to(fn, to));
	return (ks_btf_kind(fn->l->btf, type) == KS_BTF_PTR ?
	    root(fn, num) : 0);
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return (a);
}

static bool
is_pointer(const struct ks_low_type *e)
{
	return (e->kind == KS_TYPE_PTR || e->kind == KS_TYPE_ROOT);
}

/* A plus B times SCALE. */
static struct ks_low_type
sum(struct ks_low_type a, struct ks_low_type b, uint64_t scale)
{
	uint64_t m = (b.kind == KS_TYPE_MULTIPLE ? b.stride : 1) * scale;
	struct ks_low_type none = { .kind = KS_TYPE_NONE };

	if (is_pointer(&b) && !is_pointer(&a) && scale == 1)
		return (sum(b, a, 1));
	if (is_pointer(&b) || b.kind == KS_TYPE_FUNC || m > UINT32_MAX)
		return (none);
	if (b.kind == KS_TYPE_NULL)
		return (a);
	if (a.kind == KS_TYPE_NULL)
		return ((struct ks_low_type){ .kind = KS_TYPE_MULTIPLE,
		    .stride = m });
	if (is_pointer(&a) || a.kind == KS_TYPE_MULTIPLE) {
		a.stride = gcd(a.stride, m);
		return (a);
	}
	return (none);
}

static struct ks_low_type
plus(struct ks_low_type a, int64_t n)
{
	if (n == 0)
		return (a);
	/* Far away is nowhere. */
	if (!is_pointer(&a) || n > INT32_MAX || n < INT32_MIN ||
	    a.off > INT32_MAX || a.off < INT32_MIN)
		a.kind = KS_TYPE_NONE;
	else
		a.off += n;
	return (a);
}

/* --- operands -------------------------------------------------------- */

static struct ks_low_type
of_reg(const struct ks_low_fn *fn, const uint32_t *st, unsigned reg)
{
	struct ks_low_type none = { .kind = KS_TYPE_NULL };

	return (reg < KS_GPR_MAX ? get(fn, st[reg]) : none);
}

/* The address of a memory operand, as a pointer. */
static struct ks_low_type
address(const struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_insn *i, const struct ks_opnd *m)
{
	struct ks_low_type none = { .kind = KS_TYPE_NONE }, e;

	if (m->seg != 0 || !ks_oref_none(&i->mem) || m->reg == KS_RIP)
		return (none);
	e = of_reg(fn, st, m->reg);
	if (m->index < KS_GPR_MAX && m->index == m->reg &&
	    e.kind != KS_TYPE_NULL && !is_pointer(&e)) {
		e.stride = (e.kind == KS_TYPE_MULTIPLE ? e.stride : 1) *
		    (1 + m->scale);
		e.kind = e.kind == KS_TYPE_FUNC || e.stride > UINT32_MAX ?
		    KS_TYPE_NONE : KS_TYPE_MULTIPLE;
	} else if (m->index < KS_GPR_MAX) {
		e = sum(e, of_reg(fn, st, m->index), m->scale);
	}
	return (plus(e, m->val));
}

/* What is loaded from memory that is no slot. */
static uint32_t
loaded(struct ks_low_fn *fn, const uint32_t *st, const struct ks_cfg_insn *i,
    const struct ks_opnd *m)
{
	struct ks_low_type e = address(fn, st, i, m);
	size_t num = (size_t)(i - fn->g->insns.v);
	struct ks_btf_place at;
	uint32_t to;

	if (e.kind != KS_TYPE_PTR || !ks_btf_at(fn->l->btf, e.type, e.off,
	    e.stride, &at))
		return (root(fn, num));
	to = ks_btf_pointee(fn->l->btf, at.type);
	if (ks_btf_kind(fn->l->btf, to) != KS_BTF_FUNC_PROTO)
		return (of_pointer(fn, at.type, num));
	e = (struct ks_low_type){ .kind = KS_TYPE_FUNC, .type = to,
	    .root = at.owner, .off = (int64_t)at.off };
	return (intern(fn, &e));
}

static uint32_t
read(struct ks_low_fn *fn, const uint32_t *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, const struct ks_opnd *o)
{
	struct ks_low_type null = { .kind = KS_TYPE_NULL };
	struct ks_cfg_addr a;
	uint32_t k;

	if (o->kind == KS_OPND_IMM)
		return (o->val == 0 && ks_oref_none(&i->imm) ?
		    intern(fn, &null) : 0);
	if (o->kind == KS_OPND_REG && o->bits >= 32) {
		struct ks_low_type e = get(fn, st[o->reg]);

		return (o->bits == 64 || e.kind == KS_TYPE_MULTIPLE ||
		    e.kind == KS_TYPE_NULL ? st[o->reg] : 0);
	}
	if (o->kind != KS_OPND_MEM || o->bits != 64)
		return (0);
	if (!ks_low_stack(fn, fr, o, &a))
		return (loaded(fn, st, i, o));
	k = o->index == KS_NOREG ? ks_low_slot_index(fn, a) : UNSEEN;
	return (k < fn->ntyp ? st[k] : 0);
}

/* --- one instruction ------------------------------------------------- */

/* See lower.h. */
uint32_t
ks_low_proto(const struct ks_lower *l, const struct ks_oref *r)
{
	const char *name;
	uint32_t f;

	if (l->btf == NULL)
		return (0);
	f = ks_cfg_callee(l->cfg, r, &name);
	if (f != KS_NONE)
		return (l->same_name[f] ? 0 : ks_btf_type_of(l->btf,
		    ks_btf_find_own(l->btf, KS_BTF_FUNC,
		    l->o->funcs[f].name)));
	return (name == NULL || name[0] == '\0' ? 0 : ks_btf_type_of(l->btf,
	    ks_btf_find(l->btf, KS_BTF_FUNC, name)));
}

/* Prototype of what the call or jump I calls. */
static uint32_t
proto_of(struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_frame *fr, const struct ks_cfg_insn *i)
{
	struct ks_low_type e = { .kind = KS_TYPE_NONE };

	if (i->how == KS_HOW_DIRECT)
		return (ks_low_proto(fn->l, &i->imm));
	if (i->how != KS_HOW_INDIRECT)
		return (0);
	if (i->reg != KS_NOREG)
		e = get(fn, st[i->reg]);
	else if (i->in.nopnd != 0)
		e = get(fn, read(fn, st, fr, i, &i->in.opnd[0]));
	return (e.kind == KS_TYPE_FUNC ? e.type : 0);
}

static void
call(struct ks_low_fn *fn, uint32_t *st, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i)
{
	static const uint8_t regs[] = { KS_RAX, KS_RCX, KS_RDX, KS_RSI,
	    KS_RDI, KS_R8, KS_R9, KS_R10, KS_R11 };
	uint32_t proto = proto_of(fn, st, fr, i);

	if (i->how == KS_HOW_PUSH) {
		struct ks_cfg_addr a = fr->r[KS_RSP];

		a.off -= (int32_t)fn->word;
		if (a.base != KS_SP_UNKNOWN)
			ks_low_slot_state(fn, st, fn->ntyp, a, fn->word, 0);
		return;
	}
	if (i->how == KS_HOW_IGNORED)
		return;
	for (size_t k = 0; k < sizeof(regs); k++)
		st[regs[k]] = 0;
	ks_low_kill_call(fn, st, fn->ntyp, i);
	st[KS_RAX] = proto != 0 ? of_pointer(fn, ks_btf_result(fn->l->btf,
	    proto), (size_t)(i - fn->g->insns.v)) :
	    root(fn, (size_t)(i - fn->g->insns.v));
}

/* imul $N: what it multiplies by, or 0. */
static uint64_t
factor(const struct ks_low_fn *fn, const struct ks_cfg_insn *i)
{
	const uint8_t *p = fn->l->o->sects[i->sect].data + i->off;

	if (i->in.op != KS_OP_OTHER || i->in.nopnd != 3 ||
	    i->in.opnd[2].kind != KS_OPND_IMM || i->in.opnd[2].val <= 0)
		return (0);
	if ((*p & 0xf0) == 0x40)	/* REX */
		p++;
	return (*p == 0x69 || *p == 0x6b ? (uint64_t)i->in.opnd[2].val : 0);
}

static uint32_t
join_two(struct ks_low_fn *fn, uint32_t a, uint32_t b)
{
	struct ks_low_type x, y;

	if (a == UNSEEN || a == b)
		return (b);
	if (b == UNSEEN)
		return (a);
	x = get(fn, a);
	y = get(fn, b);
	if (x.kind == KS_TYPE_NULL)
		return (b);
	if (y.kind == KS_TYPE_NULL)
		return (a);
	if (x.kind == KS_TYPE_MULTIPLE && y.kind == KS_TYPE_MULTIPLE) {
		x.stride = gcd(x.stride, y.stride);
		return (intern(fn, &x));
	}
	if (!is_pointer(&x) || x.kind != y.kind || x.type != y.type ||
	    x.root != y.root)
		return (0);
	x.stride = gcd(gcd(x.stride, y.stride), (uint64_t)(x.off > y.off ?
	    x.off - y.off : y.off - x.off));
	return (intern(fn, &x));
}

/* The value that the instruction gives its first operand. */
static uint32_t
result(struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_frame *fr, const struct ks_cfg_insn *i)
{
	const struct ks_opnd *d = &i->in.opnd[0], *s = &i->in.opnd[1];
	struct ks_low_type null = { .kind = KS_TYPE_NULL }, e, x;
	uint64_t n = factor(fn, i);

	if (n != 0) {
		e = get(fn, read(fn, st, fr, i, s));
		n *= e.kind == KS_TYPE_MULTIPLE ? e.stride : 1;
		e = (struct ks_low_type){ .kind = KS_TYPE_MULTIPLE,
		    .stride = n };
		return (n > UINT32_MAX ? 0 : intern(fn, &e));
	}
	switch (i->in.op) {
	case KS_OP_MOV:
	case KS_OP_MOVSX:
		return (read(fn, st, fr, i, s));
	case KS_OP_CMOVCC:
		return (d->kind == KS_OPND_REG ? join_two(fn, st[d->reg],
		    read(fn, st, fr, i, s)) : 0);
	case KS_OP_XOR:
		return (d->kind == KS_OPND_REG && s->kind == KS_OPND_REG &&
		    d->reg == s->reg ? intern(fn, &null) : 0);
	case KS_OP_LEA:
		e = address(fn, st, i, s);
		return (intern(fn, &e));
	case KS_OP_ADD:
	case KS_OP_SUB:
		if (d->kind != KS_OPND_REG)
			return (0);
		e = get(fn, st[d->reg]);
		if (s->kind == KS_OPND_IMM) {
			e = plus(e, i->in.op == KS_OP_ADD ? s->val : -s->val);
		} else {
			x = get(fn, read(fn, st, fr, i, s));
			if (i->in.op == KS_OP_SUB && is_pointer(&x))
				return (0);
			if (s->kind == KS_OPND_REG && s->reg == d->reg)
				x.kind = KS_TYPE_NONE;
			e = sum(e, x, 1);
		}
		return (intern(fn, &e));
	case KS_OP_SHL:
		if (d->kind != KS_OPND_REG || s->kind != KS_OPND_IMM ||
		    s->val < 0 || s->val > 24)
			return (0);
		e = get(fn, st[d->reg]);
		e = (struct ks_low_type){ .kind = KS_TYPE_MULTIPLE,
		    .stride = (e.kind == KS_TYPE_MULTIPLE ? e.stride : 1) <<
		    s->val };
		return (e.stride > UINT32_MAX ? 0 : intern(fn, &e));
	default:
		return (0);
	}
}

/* See lower.h. */
void
ks_low_type_step(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
    const struct ks_cfg_frame *fr, uint32_t *st)
{
	const struct ks_opnd *d = &i->in.opnd[0];
	uint32_t v;

	if (fn->ntyp == 0)
		return;
	if (i->in.op == KS_OP_CALL) {
		call(fn, st, fr, i);
		return;
	}
	if (i->in.op == KS_OP_PUSH) {
		v = i->in.nopnd != 0 ? read(fn, st, fr, i, d) : 0;
		ks_low_state_push(fn, fr, st, fn->ntyp, v);
		return;
	}
	if (i->in.op == KS_OP_POP) {
		ks_low_state_pop(fn, i, fr, st, fn->ntyp);
		return;
	}
	v = i->in.nopnd != 0 && d->write ? result(fn, st, fr, i) : 0;
	ks_low_state_write(fn, i, fr, st, fn->ntyp, v);
}

/* --- step 4 ---------------------------------------------------------- */

/* The pointer V is used as a pointer to TYPE. */
static bool
infer(struct ks_low_fn *fn, uint32_t v, uint32_t type)
{
	struct ks_low_type e = get(fn, v);
	enum ks_btf_kind kind = ks_btf_kind(fn->l->btf, type);
	struct ks_low_root *r;

	if (e.kind != KS_TYPE_ROOT || e.stride != 0 ||
	    (kind != KS_BTF_STRUCT && kind != KS_BTF_UNION))
		return (false);
	r = &fn->roots.v[e.root];
	/* Of several, the one that starts first, or else the larger one. */
	if (r->guess != 0 && (r->guess_off > -e.off ||
	    (r->guess_off == -e.off && ks_btf_size(fn->l->btf, r->guess) >=
	    ks_btf_size(fn->l->btf, type))))
		return (false);
	r->guess = type;
	r->guess_off = -e.off;
	return (true);
}

static bool
infer_call(struct ks_low_fn *fn, const uint32_t *st, uint32_t proto)
{
	const struct ks_btf *b = fn->l->btf;
	bool new = false;

	for (uint32_t i = 0; proto != 0 && i < 6; i++)
		new |= infer(fn, st[arg_regs[i]],
		    ks_btf_pointee(b, ks_btf_param(b, proto, i)));
	return (new);
}

static bool
infer_insn(struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_frame *fr, const struct ks_cfg_insn *i)
{
	const struct ks_opnd *d = &i->in.opnd[0];
	struct ks_btf_place at;
	struct ks_cfg_addr a;
	struct ks_low_type e;

	if (i->in.op == KS_OP_CALL || i->in.op == KS_OP_JMP)
		return (infer_call(fn, st, proto_of(fn, st, fr, i)));
	if (i->in.op != KS_OP_MOV || d->kind != KS_OPND_MEM ||
	    i->in.opnd[1].kind != KS_OPND_REG || d->bits != 64 ||
	    ks_low_stack(fn, fr, d, &a))
		return (false);
	e = address(fn, st, i, d);
	return (e.kind == KS_TYPE_PTR && ks_btf_at(fn->l->btf, e.type, e.off,
	    e.stride, &at) && infer(fn, st[i->in.opnd[1].reg],
	    ks_btf_pointee(fn->l->btf, at.type)));
}

static bool
infer_end(struct ks_low_fn *fn, const uint32_t *st,
    const struct ks_cfg_block *k)
{
	const struct ks_btf *b = fn->l->btf;

	if (k->end == KS_CFG_RET)
		return (infer(fn, st[KS_RAX], ks_btf_pointee(b,
		    ks_btf_result(b, fn->proto))));
	return (k->end == KS_CFG_TAIL &&
	    infer_call(fn, st, ks_low_proto(fn->l, &k->target)));
}

/* --- fixpoint -------------------------------------------------------- */

static bool
join(struct ks_low_fn *fn, uint32_t *to, const uint32_t *from)
{
	bool changed = false;

	for (uint32_t k = 0; k < fn->ntyp; k++) {
		uint32_t v = join_two(fn, to[k], from[k]);

		changed = changed || v != to[k];
		to[k] = v;
	}
	return (changed);
}

static void
enter(struct ks_low_fn *fn, uint32_t *st)
{
	memset(st, 0, fn->ntyp * sizeof(*st));
	for (uint32_t i = 0; i < 6; i++) {
		size_t num = fn->g->insns.n + i;

		st[arg_regs[i]] = fn->proto == 0 ? root(fn, num) :
		    of_pointer(fn, ks_btf_param(fn->l->btf, fn->proto, i),
		    num);
	}
}

/* One round; INFER: collects types of roots.  True: there are new ones. */
static bool
sweep(struct ks_low_fn *fn, uint32_t b, bool infer_too)
{
	const struct ks_cfg_block *k = &fn->g->blocks.v[b];
	struct ks_cfg_frame fr = fn->g->frames.v[b];
	bool new = false;

	memcpy(fn->typ, fn->typ_in + (size_t)b * fn->ntyp,
	    fn->ntyp * sizeof(fn->typ[0]));
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const struct ks_cfg_insn *x = &fn->g->insns.v[k->insn + i];

		if (infer_too)
			new |= infer_insn(fn, fn->typ, &fr, x);
		ks_low_type_step(fn, x, &fr, fn->typ);
		ks_cfg_frame_step(x, fn->mode64, &fr);
	}
	if (infer_too)
		new |= infer_end(fn, fn->typ, k);
	return (new);
}

static void
fixpoint(struct ks_low_fn *fn, uint8_t *queued)
{
	const struct ks_cfg *g = fn->g;
	bool changed = true;

	memset(queued, 0, g->blocks.n);
	memset(fn->typ_in, 0xff, g->blocks.n * fn->ntyp *
	    sizeof(fn->typ_in[0]));
	fn->l->types.v.n = 1;
	memset(fn->l->types.hash, 0, sizeof(fn->l->types.hash));
	enter(fn, fn->typ);
	(void)join(fn, fn->typ_in, fn->typ);
	queued[0] = 1;
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < g->blocks.n; b++) {
			const struct ks_cfg_block *k = &g->blocks.v[b];

			if (!queued[b])
				continue;
			queued[b] = 0;
			(void)sweep(fn, b, false);
			for (uint32_t e = 0; e < k->nedge; e++) {
				uint32_t to = g->edges.v[k->edge + e].to;

				if (!join(fn, fn->typ_in + (size_t)to *
				    fn->ntyp, fn->typ))
					continue;
				queued[to] = 1;
				changed = true;
			}
		}
	}
}

/* See lower.h. */
void
ks_low_find_types(struct ks_low_fn *fn)
{
	const struct ks_cfg *g = fn->g;
	struct ks_oref self = { KS_NONE, g->sect, g->off, false };
	uint8_t *queued;
	bool new = true;

	fn->ntyp = 0;
	if (fn->l->btf == NULL || !fn->mode64)
		return;
	fn->ntyp = (uint32_t)(KS_GPR_MAX + fn->slots.n);
	if ((uint64_t)fn->ntyp * g->blocks.n > MAX_STATE)
		fn->ntyp = KS_GPR_MAX;
	if (fn->l->types.v.n == 0)
		*ks_vec_push(&fn->l->types.v) = (struct ks_low_type){ 0 };
	for (size_t i = 0; i < g->insns.n + 6; i++)
		*ks_vec_push(&fn->roots) = (struct ks_low_root){ 0 };
	fn->typ_in = ks_xmalloc(g->blocks.n * fn->ntyp *
	    sizeof(fn->typ_in[0]));
	fn->typ = ks_xmalloc(fn->ntyp * sizeof(fn->typ[0]));
	queued = ks_xmalloc(g->blocks.n);
	fn->proto = ks_low_proto(fn->l, &self);
	for (int round = 0; new; round++) {
		fixpoint(fn, queued);
		new = false;
		for (uint32_t b = 0; round < MAX_ROUNDS && b < g->blocks.n;
		    b++)
			if (fn->typ_in[(size_t)b * fn->ntyp] != UNSEEN)
				new |= sweep(fn, b, true);
		for (size_t i = 0; i < fn->roots.n; i++) {
			fn->roots.v[i].type = fn->roots.v[i].guess;
			fn->roots.v[i].off = fn->roots.v[i].guess_off;
		}
	}
	free(queued);
}

/* --- for the lowering ------------------------------------------------ */

/* See lower.h. */
struct ks_low_type
ks_low_type_of(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	struct ks_low_type none = { .kind = KS_TYPE_NONE };

	return (fn->ntyp == 0 ? none : get(fn, read(fn, fn->typ, &fn->fr,
	    fn->insn, o)));
}

/* See lower.h. */
struct ks_low_type
ks_low_type_reg(const struct ks_low_fn *fn, unsigned reg)
{
	struct ks_low_type none = { .kind = KS_TYPE_NONE };

	return (fn->ntyp == 0 ? none : get(fn, fn->typ[reg]));
}

/* See lower.h. */
uint32_t
ks_low_type_proto(struct ks_low_fn *fn)
{
	return (fn->ntyp == 0 ? 0 : proto_of(fn, fn->typ, &fn->fr, fn->insn));
}

/* See lower.h. */
bool
ks_low_type_at(struct ks_low_fn *fn, const struct ks_opnd *m,
    struct ks_btf_place *at)
{
	struct ks_low_type e;

	if (fn->ntyp == 0)
		return (false);
	e = address(fn, fn->typ, fn->insn, m);
	return (e.kind == KS_TYPE_PTR && ks_btf_at(fn->l->btf, e.type, e.off,
	    e.stride, at));
}
