/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Walks the blocks of a control-flow graph and makes the nodes and edges of
 * an event graph.
 *
 *  1. Blocks come in reverse postorder.  What is known at a block's start
 *     (views, flags) is what all its predecessors agree on, if all of them
 *     were walked before; the head of a loop starts with nothing.
 *  2. Each instruction becomes nodes for its SIMD state, for the places it
 *     writes, and for a call.  SIMD instructions of one block with nothing
 *     but such writes between them share one node.
 *  3. The block's end becomes edges: with a condition where the flags say
 *     something of a place, with a gate where they say something of the CPU.
 *
 * An indirect jump that may also stay inside the function has the edges of
 * both.  At a fixup of a fault all registers are unknown: the handler may
 * have changed one.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define MAX_TEXT	64	/* nodes of one function with text */

/* --- state between blocks ---------------------------------------------- */

struct incoming {
	struct ks_low_state s;
	uint32_t n;		/* predecessors that were joined */
};

static void
join(struct ks_low_state *a, const struct ks_low_state *b)
{
	for (unsigned r = 0; r < KS_GPR_MAX; r++)
		if (memcmp(&a->reg[r], &b->reg[r], sizeof(a->reg[r])) != 0)
			memset(&a->reg[r], 0, sizeof(a->reg[r]));
	a->flags.kind = KS_FLAGS_NONE;
	a->small &= b->small;
	a->partial |= b->partial;
}

static void
send(struct ks_low_fn *fn, struct incoming **in, uint32_t to,
    const struct ks_low_state *s)
{
	if (fn->g->blocks.v[to].npred == 1 || in[to] == NULL) {
		if (in[to] == NULL)
			in[to] = ks_xmalloc(sizeof(*in[to]));
		in[to]->s = *s;
		in[to]->n = 1;
		if (fn->g->blocks.v[to].npred != 1)
			in[to]->s.flags.kind = KS_FLAGS_NONE;
		return;
	}
	join(&in[to]->s, s);
	in[to]->n++;
}

static void
receive(struct ks_low_fn *fn, struct incoming **in, uint32_t b)
{
	memset(&fn->s, 0, sizeof(fn->s));
	/* Block 0 has the function's entry as one more way in. */
	if (b != 0 && in[b] != NULL && in[b]->n == fn->g->blocks.v[b].npred)
		fn->s = in[b]->s;
	else if (b != 0)
		fn->s.partial = fn->partial;
	free(in[b]);
	in[b] = NULL;
}

/* --- SIMD -------------------------------------------------------------- */

static void
simd(struct ks_low_fn *fn)
{
	const struct ks_cfg_insn *i = fn->insn;
	const struct ks_sect *s = &fn->l->o->sects[i->sect];
	enum ks_event ev = i->in.simd == KS_SIMD_SAVE ? KS_EV_SAVE :
	    i->in.simd == KS_SIMD_RESTORE ? KS_EV_RESTORE : KS_EV_SIMD;
	struct ks_node *n;
	char text[128];

	if (i->in.simd == KS_SIMD_NONE)
		return;
	if (fn->simd == KS_NONE || fn->nodes.v[fn->simd].n.ev != ev) {
		fn->simd = ks_low_node(fn, ev);
		if (fn->ntext++ < MAX_TEXT)
			fn->nodes.v[fn->simd].n.text = ks_intern(
			    fn->l->u->str, ks_insn_text(s->data + i->off,
			    s->size - i->off, fn->mode64, text,
			    sizeof(text)));
	}
	n = &fn->nodes.v[fn->simd].n;
	n->classes |= i->in.classes;
	if (ev == KS_EV_SIMD)
		n->isa |= i->in.isa;
}

/* --- edges ------------------------------------------------------------- */

static struct ks_edge *
edge(struct ks_low_fn *fn, uint32_t node, uint32_t to)
{
	struct ks_low_node *n = &fn->nodes.v[node];
	struct ks_edge *e;

	if (n->nedge++ == 0)
		n->edge = (uint32_t)fn->edges.n;
	e = ks_vec_push(&fn->edges);
	*e = (struct ks_edge){ .to = to, .cond = KS_NONE };
	return (e);
}

/* A node to hang the block's edges on. */
static uint32_t
last_node(struct ks_low_fn *fn, uint32_t first)
{
	if (fn->nodes.n == first || fn->nodes.v[fn->nodes.n - 1].nedge != 0 ||
	    fn->nodes.v[fn->nodes.n - 1].n.ev == KS_EV_RETURN ||
	    fn->nodes.v[fn->nodes.n - 1].n.ev == KS_EV_END)
		return (ks_low_node(fn, KS_EV_NOP));
	return ((uint32_t)fn->nodes.n - 1);
}

/*
 * Is what %rax holds here meant to be returned?  It is set in this block, and
 * nothing read it since: else it may be what a function without result left
 * there.
 */
static bool
is_result(const struct ks_low_fn *fn)
{
	const struct ks_cfg_block *k = &fn->g->blocks.v[fn->insn->block];

	for (uint32_t i = k->ninsn; i > 0; i--) {
		const struct ks_insn *in =
		    &fn->g->insns.v[k->insn + i - 1].in;

		if ((in->gpr_write & 1u << KS_RAX) != 0)
			return (true);
		if ((in->gpr_read & 1u << KS_RAX) != 0)
			return (false);
	}
	return (false);
}

static void
ret(struct ks_low_fn *fn)
{
	struct ks_val v = { .kind = KS_VAL_PLACE };
	const struct ks_low_origin *o;
	uint32_t n;

	v.ref = ks_low_reg(fn, KS_RAX);
	n = ks_low_node(fn, KS_EV_RETURN);
	fn->nodes.v[n].n.val = v;
	o = ks_low_origin_first(ks_low_origin_reg(fn, KS_RAX));
	if (!fn->exported || !is_result(fn))
		return;
	for (; o != NULL; o = ks_low_origin_next(fn, o))
		ks_low_escape(fn->l, &o->ref, "returned");
}

/* Ways to the fixups of a fault: nothing is known of registers there. */
static void
faults(struct ks_low_fn *fn, const struct ks_cfg_block *k,
    struct incoming **in)
{
	static const struct ks_val unknown = { .kind = KS_VAL_UNKNOWN };
	struct ks_low_state none;
	uint32_t last;

	memset(&none, 0, sizeof(none));
	none.partial = fn->partial;
	(void)ks_low_node(fn, KS_EV_NOP);
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		if (ks_low_reg(fn, r) != KS_NONE)
			ks_low_write_reg(fn, r, &unknown);
	}
	last = ks_low_node(fn, KS_EV_NOP);
	for (uint32_t i = 0; i < k->nedge; i++) {
		const struct ks_cfg_edge *e = &fn->g->edges.v[k->edge + i];

		if (e->kind != KS_EDGE_FAULT)
			continue;
		edge(fn, last, e->to | KS_LOW_BLOCK);
		send(fn, in, e->to, &none);
	}
}

/* Edge number X also has condition C: a node between has that. */
static void
condition_too(struct ks_low_fn *fn, uint32_t x, uint32_t place,
    struct ks_iv iv)
{
	uint32_t n = ks_low_node(fn, KS_EV_NOP);
	struct ks_edge *e = edge(fn, n, fn->edges.v[x].to);

	e->cond = place;
	e->iv = iv;
	fn->edges.v[x].to = n;
}

/* The edges of a block, behind its last instruction. */
static void
edges(struct ks_low_fn *fn, const struct ks_cfg_block *k, uint32_t first,
    struct incoming **in)
{
	struct ks_low_cond c = { .place = KS_NONE }, own = c;
	uint32_t taken = KS_NONE, fall = KS_NONE, node;
	bool fault = false;

	if (k->ninsn != 0 && fn->insn->in.op == KS_OP_JCC) {
		c = ks_low_cc(fn, fn->insn->in.cc);
		own = ks_low_cc_own(fn, fn->insn->in.cc);
		if (c.place == KS_NONE) {
			c.place = own.place;
			c.iv = own.iv;
			own.place = KS_NONE;
		}
	}
	node = last_node(fn, first);
	for (uint32_t i = 0; i < k->nedge; i++) {
		const struct ks_cfg_edge *e = &fn->g->edges.v[k->edge + i];
		struct ks_edge *x;

		if (e->kind == KS_EDGE_FAULT) {
			fault = true;
			continue;
		}
		send(fn, in, e->to, &fn->s);
		x = edge(fn, node, e->to | KS_LOW_BLOCK);
		if (e->kind == KS_EDGE_TAKEN) {
			taken = (uint32_t)fn->edges.n - 1;
			x->cond = c.place;
			x->iv = c.iv;
			x->gate = c.gate;
		} else if (e->kind == KS_EDGE_FALL) {
			fall = (uint32_t)fn->edges.n - 1;
			x->cond = c.place;
			x->iv = c.place == KS_NONE ? c.iv : ks_iv_not(c.iv);
			x->gate = c.ngate;
		}
	}
	if (fault) {
		edge(fn, node, node + 1);
		faults(fn, k, in);
	}
	if (own.place != KS_NONE && taken != KS_NONE)
		condition_too(fn, taken, own.place, own.iv);
	if (own.place != KS_NONE && fall != KS_NONE)
		condition_too(fn, fall, own.place, ks_iv_not(own.iv));
}

/* A block that may go to its edges, or on to the node behind. */
static void
ways(struct ks_low_fn *fn, const struct ks_cfg_block *k, uint32_t first,
    struct incoming **in)
{
	uint32_t at = last_node(fn, first);

	edge(fn, at, at + 1);
	for (uint32_t i = 0; i < k->nedge; i++) {
		uint32_t to = fn->g->edges.v[k->edge + i].to;

		edge(fn, at, to | KS_LOW_BLOCK);
		send(fn, in, to, &fn->s);
	}
}

/* How a block ends that does not just go on. */
static void
ending(struct ks_low_fn *fn, const struct ks_cfg_block *k, uint32_t first,
    struct incoming **in)
{
	switch (k->end) {
	case KS_CFG_RET:
		/* iret, to a place of this function */
		if (k->nedge != 0)
			ways(fn, k, first, in);
		ks_low_field_returned(fn);
		ret(fn);
		break;
	case KS_CFG_TAIL:
		ks_low_direct_tail(fn, &k->target);
		ret(fn);
		break;
	case KS_CFG_ITAIL:
		if (k->nedge != 0)
			ways(fn, k, first, in);
		ks_low_call(fn, true);
		ret(fn);
		break;
	case KS_CFG_STOP:
	case KS_CFG_LOST:
		if (k->nedge != 0) {
			edges(fn, k, first, in);
			break;
		}
		(void)ks_low_node(fn, KS_EV_END);
		break;
	default:
		edges(fn, k, first, in);
		break;
	}
}

/* --- blocks ------------------------------------------------------------ */

static void
block(struct ks_low_fn *fn, uint32_t b, struct incoming **in)
{
	const struct ks_cfg *g = fn->g;
	const struct ks_cfg_block *k = &g->blocks.v[b];
	uint32_t first = (uint32_t)fn->nodes.n;
	struct ks_cfg_insn at = { .sect = k->sect, .off = k->off,
	    .block = b };

	receive(fn, in, b);
	fn->fr = g->frames.v[b];
	memcpy(fn->org, fn->org_in + (size_t)b * fn->norg,
	    fn->norg * sizeof(fn->org[0]));
	ks_low_vec_forget(fn);
	if (fn->ntyp != 0)
		memcpy(fn->typ, fn->typ_in + (size_t)b * fn->ntyp,
		    fn->ntyp * sizeof(fn->typ[0]));
	fn->simd = KS_NONE;
	fn->insn = &at;
	*ks_vec_push(&fn->first) = first;
	for (uint32_t i = 0; i < k->ninsn; i++) {
		fn->insn = &g->insns.v[k->insn + i];
		simd(fn);
		if (fn->insn->in.op == KS_OP_CALL) {
			ks_low_call(fn, false);
			ks_low_vec_forget(fn);
		} else if (fn->insn->in.op != KS_OP_JMP &&
		    fn->insn->in.op != KS_OP_JCC) {
			ks_low_insn(fn);
			ks_low_field_copied(fn);
			ks_low_vec_step(fn);
			ks_low_set_flags(fn);
		} else if (fn->insn->in.gpr_write != 0) {
			ks_low_insn(fn);	/* loop counts %rcx */
		}
		/* A tail call still needs what it is given. */
		if (fn->insn->in.op == KS_OP_JMP)
			continue;
		ks_low_origin_step(fn, fn->insn, &fn->fr, fn->org);
		ks_low_type_step(fn, fn->insn, &fn->fr, fn->typ);
		ks_cfg_frame_step(fn->insn, fn->mode64, &fn->fr);
	}
	ending(fn, k, first, in);
	if (fn->nodes.n == first)
		(void)ks_low_node(fn, KS_EV_END);
	fn->insn = NULL;
}

/* Which registers have their low byte written alone. */
static void
find_partial(struct ks_low_fn *fn)
{
	for (size_t i = 0; i < fn->g->insns.n; i++) {
		const struct ks_insn *in = &fn->g->insns.v[i].in;

		for (unsigned k = 0; k < in->nopnd; k++) {
			const struct ks_opnd *o = &in->opnd[k];

			if (o->kind == KS_OPND_REG && o->write &&
			    o->bits <= 16 && o->reg != KS_RSP)
				fn->partial |= 1u << o->reg;
		}
	}
}

/* Parameters, and the parts of registers and slots that they fill. */
static void
entry(struct ks_low_fn *fn)
{
	static const uint8_t regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX,
	    KS_R8, KS_R9 };
	bool local32 = !fn->mode64 && (fn->l->u->syms.v[fn->sym].flags &
	    KS_SYM_LOCAL) != 0;
	uint32_t n;

	(void)ks_low_node(fn, KS_EV_NOP);
	for (unsigned r = 0; r < KS_GPR_MAX; r++) {
		struct ks_val v = { .kind = KS_VAL_PLACE };

		if (!(fn->partial >> r & 1))
			continue;
		v.ref = ks_low_reg(fn, r);
		if (v.ref != KS_NONE)
			ks_low_write_reg(fn, r, &v);
	}
	for (unsigned i = 0; i < (local32 ? 4 : 6); i++) {
		struct ks_cfg_addr a = { KS_SP_CFA, (int32_t)i * 4 };
		struct ks_val v = { .kind = KS_VAL_PLACE };

		v.ref = fn->mode64 ? ks_low_reg(fn, regs[i]) :
		    ks_low_slot(fn, a, 4);
		*ks_vec_push(&fn->f->params) = v.ref;
		if (!fn->mode64 && v.ref != KS_NONE)
			ks_low_write_slot(fn, a, 4, &v);
	}
	for (unsigned i = 0; local32 && i < 3; i++)
		*ks_vec_push(&fn->f->params) = ks_low_reg(fn,
		    ks_low_regs32[i]);
	n = ks_low_node(fn, KS_EV_NOP);
	edge(fn, n, 0 | KS_LOW_BLOCK);
}

/* See lower.h. */
void
ks_low_blocks(struct ks_low_fn *fn)
{
	size_t n = fn->g->blocks.n;
	struct incoming **in = ks_xmalloc(n * sizeof(*in));

	memset(in, 0, n * sizeof(*in));
	find_partial(fn);
	ks_low_slots(fn);
	ks_low_find_origins(fn, &fn->l->origins);
	ks_low_find_types(fn);
	entry(fn);
	for (uint32_t b = 0; b < n; b++)
		block(fn, b, in);
	for (size_t b = 0; b < n; b++)
		free(in[b]);
	free(in);
	free(fn->org_in);
	free(fn->org);
	free(fn->typ_in);
	free(fn->typ);
	ks_vec_free(&fn->roots);
}
