/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control-flow graphs of object code.  See cfg.h.
 *
 *  1. From the entry, every reachable instruction is decoded once and
 *     becomes a node; its successors are decoded in turn (a linear sweep
 *     would swallow code after data).
 *  2. A place that the kernel patches becomes a node of its own, from which
 *     the versions part: the original code, each replacement (which runs to
 *     its end and continues behind the site), the fixup of a fault.  A jump
 *     label has both successors whether it is a nop or a jump.
 *  3. A jump to where another function starts is a tail call.  A jump
 *     anywhere else continues this graph, also in a cold part or in the
 *     middle of another function: code is code, whoever's it is.
 *  4. Calls of what never returns end the path: names in the profile,
 *     functions of this object all of whose paths end (cfg_return.c), and
 *     calls with nothing but padding between them and the next function.
 *  5. Jump tables are read (cfg_table.c); then nodes become basic blocks
 *     (cfg_block.c) with
 *     stack depths (cfg_frame.c).
 *
 * Invariants: an instruction is decoded at most once per graph and version,
 * so the work is bounded by the bytes of code; code outside the function
 * counts against a budget of the whole object.
 *
 * Known limits: an undefined function that never returns, and that neither
 * the profile names nor padding gives away, seems to return.
 */
#include <stdlib.h>
#include <string.h>

#include "cfg_priv.h"
#include "obj_priv.h"

/* One graph may follow this much code that is not its function's own. */
#define KS_CFG_FOREIGN	(1u << 16)

static const struct ks_oref no_ref = { KS_NONE, KS_NOSECT, 0, false };

/* --- the builder ------------------------------------------------------- */

static void
mark_sites(struct ks_cfg_builder *b)
{
	const struct ks_obj *o = b->o;

	b->sites = ks_xmalloc((o->nsect + 1) * sizeof(b->sites[0]));
	memset(b->sites, 0, (o->nsect + 1) * sizeof(b->sites[0]));
	for (size_t i = 0; i < o->npatch; i++) {
		const struct ks_patch *p = &o->patches[i];
		size_t bytes;

		if (p->sect >= o->nsect || p->off >= o->sects[p->sect].size)
			continue;
		bytes = o->sects[p->sect].size / 8 + 1;
		if (b->sites[p->sect] == NULL) {
			b->sites[p->sect] = ks_xmalloc(bytes);
			memset(b->sites[p->sect], 0, bytes);
		}
		b->sites[p->sect][p->off / 8] |= 1u << p->off % 8;
	}
}

static void
find_parts(struct ks_cfg_builder *b)
{
	const struct ks_obj *o = b->o;

	b->kids = ks_xmalloc((o->nfunc + 1) * sizeof(b->kids[0]));
	memset(b->kids, 0, (o->nfunc + 1) * sizeof(b->kids[0]));
	for (uint32_t i = 0; i < o->nfunc; i++) {
		uint32_t p = o->funcs[i].parent, n = 0, *v;

		if (!(o->funcs[i].flags & KS_OFUNC_PARTIAL) || p >= o->nfunc)
			continue;
		v = b->kids[p];
		while (v != NULL && v[n] != KS_NONE)
			n++;
		b->kids[p] = v = ks_xrealloc(v, (n + 2) * sizeof(*v));
		v[n] = i;
		v[n + 1] = KS_NONE;
	}
}

/* See cfg.h. */
struct ks_cfg_builder *
ks_cfg_new(const struct ks_obj *o, const struct ks_profile *p)
{
	struct ks_cfg_builder *b = ks_xmalloc(sizeof(*b));
	uint64_t bytes = 0;

	memset(b, 0, sizeof(*b));
	b->o = o;
	b->p = p;
	mark_sites(b);
	find_parts(b);
	b->noreturn = ks_xmalloc(o->nfunc + 1);
	memset(b->noreturn, 0, o->nfunc + 1);
	for (size_t i = 0; i < o->nsect; i++)
		if (o->sects[i].exec)
			bytes += o->sects[i].size;
	b->budget = bytes + KS_CFG_FOREIGN;
	b->hash_size = 1024;
	b->hash = ks_xmalloc(b->hash_size * sizeof(b->hash[0]));
	memset(b->hash, 0, b->hash_size * sizeof(b->hash[0]));
	return (b);
}

/* See cfg.h. */
void
ks_cfg_free(struct ks_cfg_builder *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->o->nsect; i++)
		free(b->sites[i]);
	for (size_t i = 0; i < b->o->nfunc; i++)
		free(b->kids[i]);
	free(b->sites);
	free(b->kids);
	free(b->noreturn);
	free(b->coderefs);
	free(b->hash);
	ks_vec_free(&b->nodes);
	ks_vec_free(&b->links);
	ks_vec_free(&b->pool);
	ks_vec_free(&b->work);
	ks_vec_free(&b->jumps);
	ks_vec_free(&b->irets);
	ks_vec_free(&b->tables);
	ks_vec_free(&b->labels);
	ks_vec_free(&b->g.insns);
	ks_vec_free(&b->g.blocks);
	ks_vec_free(&b->g.edges);
	ks_vec_free(&b->g.bad);
	ks_vec_free(&b->g.frames);
	free(b);
}

/* --- places ------------------------------------------------------------ */

/* See cfg_priv.h. */
bool
ks_cfg_is_site(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off)
{
	return (b->sites[sect] != NULL && off < b->o->sects[sect].size &&
	    (b->sites[sect][off / 8] >> off % 8 & 1) != 0);
}

/* See cfg_priv.h. */
bool
ks_cfg_inside(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off)
{
	const struct ks_obj *o = b->o;
	const uint32_t *v;

	if (sect == b->sect && off >= b->off && off < b->end)
		return (true);
	if (b->func == KS_NONE)
		return (false);
	v = b->kids[b->func];
	for (; v != NULL && *v != KS_NONE; v++)
		if (o->funcs[*v].sect == sect && off >= o->funcs[*v].off &&
		    off - o->funcs[*v].off < o->funcs[*v].size)
			return (true);
	return (false);
}

/* See cfg_priv.h. */
bool
ks_cfg_leaves(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off)
{
	const struct ks_obj *o = b->o;
	uint32_t f;

	if (ks_cfg_inside(b, sect, off))
		return (false);
	f = ks_obj_func_at(o, sect, off);
	return (f != KS_NONE && o->funcs[f].off == off &&
	    !(o->funcs[f].flags & (KS_OFUNC_PARTIAL | KS_OFUNC_NOTYPE)));
}

/* --- nodes ------------------------------------------------------------- */

static size_t
hash_place(uint32_t sect, uint64_t off, uint32_t alt, bool raw)
{
	uint64_t h = off * 0x9e3779b97f4a7c15u ^ (uint64_t)sect << 32 ^
	    (uint64_t)alt << 1 ^ raw;

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	return (h ^ h >> 32);
}

static void
grow_hash(struct ks_cfg_builder *b)
{
	struct ks_cfg_slot *old = b->hash;
	size_t n = b->hash_size;

	b->hash_size *= 2;
	b->hash = ks_xmalloc(b->hash_size * sizeof(b->hash[0]));
	memset(b->hash, 0, b->hash_size * sizeof(b->hash[0]));
	for (size_t i = 0; i < n; i++) {
		const struct ks_cfg_node *d;
		size_t h;

		if (old[i].gen != b->gen)
			continue;
		d = &b->nodes.v[old[i].node];
		h = hash_place(d->sect, d->off, d->alt, d->raw);
		while (b->hash[h &= b->hash_size - 1].gen == b->gen)
			h++;
		b->hash[h] = old[i];
	}
	free(old);
}

/* Where a node's place is in the hash table, or a free slot for it. */
static size_t
seek(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off,
    uint32_t alt, bool raw)
{
	size_t h = hash_place(sect, off, alt, raw);

	for (; b->hash[h &= b->hash_size - 1].gen == b->gen; h++) {
		const struct ks_cfg_node *d = &b->nodes.v[b->hash[h].node];

		if (d->off == off && d->sect == sect && d->alt == alt &&
		    d->raw == raw)
			break;
	}
	return (h);
}

/* See cfg_priv.h. */
uint32_t
ks_cfg_find(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off,
    uint32_t alt, bool raw)
{
	size_t h = seek(b, sect, off, alt, raw);

	return (b->hash[h].gen == b->gen ? b->hash[h].node : KS_NONE);
}

static uint32_t
new_node(struct ks_cfg_builder *b, uint32_t sect, uint64_t off, uint32_t alt,
    bool raw)
{
	*ks_vec_push(&b->nodes) = (struct ks_cfg_node){
		.off = off, .sect = sect, .alt = alt, .raw = raw,
		.insn = KS_NONE, .link = KS_NONE, .last = KS_NONE,
		.pred = KS_NONE, .block = KS_NONE, .target = no_ref,
	};
	return (b->nodes.n - 1);
}

/* See cfg_priv.h. */
uint32_t
ks_cfg_at(struct ks_cfg_builder *b, uint32_t sect, uint64_t off,
    uint32_t alt, bool raw, uint32_t pred, uint8_t kind)
{
	size_t h = seek(b, sect, off, alt, raw);
	uint32_t n;

	if (b->hash[h].gen == b->gen)
		return (b->hash[h].node);
	n = new_node(b, sect, off, alt, raw);
	b->nodes.v[n].pred = pred;
	b->nodes.v[n].pred_kind = kind;
	b->hash[h] = (struct ks_cfg_slot){ b->gen, n };
	if (++b->hash_used * 2 > b->hash_size)
		grow_hash(b);
	*ks_vec_push(&b->work) = n;
	return (n);
}

/* See cfg_priv.h. */
void
ks_cfg_link(struct ks_cfg_builder *b, uint32_t from, uint32_t to,
    uint8_t kind)
{
	struct ks_cfg_node *d = &b->nodes.v[from];
	uint32_t l = b->links.n;

	*ks_vec_push(&b->links) = (struct ks_cfg_link){ to, KS_NONE, kind };
	if (d->link == KS_NONE)
		d->link = l;
	else
		b->links.v[d->last].next = l;
	d->last = l;
	b->nodes.v[to].indeg++;
}

/* See cfg_priv.h. */
void
ks_cfg_lost(struct ks_cfg_builder *b, uint32_t n, const char *why)
{
	struct ks_cfg_node *d = &b->nodes.v[n];

	d->end = KS_CFG_LOST;
	*ks_vec_push(&b->g.bad) = (struct ks_cfg_bad){ d->sect, d->off, why };
}

/* --- successors -------------------------------------------------------- */

/* Where control is after node D went on to OFF in its section. */
static void
next_place(const struct ks_cfg_builder *b, const struct ks_cfg_node *d,
    uint64_t off, uint32_t *sect, uint64_t *to, uint32_t *alt)
{
	*sect = d->sect;
	*to = off;
	*alt = 0;
	if (d->alt != 0) {
		const struct ks_patch *p = &b->o->patches[d->alt - 1];

		if (d->sect == p->tsect && off >= p->toff &&
		    off < p->toff + p->tlen) {
			*alt = d->alt;
		} else if (d->sect == p->tsect && off == p->toff + p->tlen) {
			*sect = p->sect;
			*to = p->off + p->len;
		}
	}
}

/*
 * Does nothing but padding separate node N from a call before it?  Then the
 * call is the one that ends the function.
 */
static uint32_t
call_before(const struct ks_cfg_builder *b, uint32_t n)
{
	for (;;) {
		const struct ks_cfg_node *d = &b->nodes.v[n];
		const struct ks_cfg_insn *i;

		if (d->insn == KS_NONE)
			return (KS_NONE);
		i = &b->pool.v[d->insn];
		if ((i->in.flow == KS_FLOW_CALL ||
		    i->in.flow == KS_FLOW_ICALL) && i->how != KS_HOW_PUSH &&
		    i->how != KS_HOW_IGNORED)
			return (n);
		if (i->in.op != KS_OP_NOP || d->pred == KS_NONE ||
		    d->pred_kind != KS_EDGE_FALL || d->indeg > 1)
			return (KS_NONE);
		n = d->pred;
	}
}

/* A call of what the profile knows to come back. */
static bool
comes_back(struct ks_cfg_builder *b, const struct ks_cfg_insn *i)
{
	static const uint8_t roles[] = { KS_ROLE_ENTER, KS_ROLE_LEAVE,
	    KS_ROLE_THREAD, KS_ROLE_QUERY, KS_ROLE_MARKER };

	for (size_t k = 0; k < sizeof(roles); k++)
		if (i->how == KS_HOW_DIRECT &&
		    ks_cfg_role(b, &i->imm, (enum ks_role)roles[k]) != NULL)
			return (true);
	return (false);
}

/* Node N falls through to the end of the function's code. */
static bool
fall_off(struct ks_cfg_builder *b, uint32_t n)
{
	uint32_t c = call_before(b, n);

	if (c == KS_NONE || comes_back(b, &b->pool.v[b->nodes.v[c].insn]))
		return (false);
	b->pool.v[b->nodes.v[c].insn].noreturn = true;
	b->nodes.v[c].end = KS_CFG_STOP;
	b->nodes.v[c].link = b->nodes.v[c].last = KS_NONE;
	return (true);
}

static void
go(struct ks_cfg_builder *b, uint32_t n, uint32_t sect, uint64_t off,
    uint32_t alt, uint8_t kind)
{
	ks_cfg_link(b, n, ks_cfg_at(b, sect, off, alt, false, n, kind), kind);
}

/* Node N leaves the function as END says, on one of several ways if SPLIT. */
static void
leave(struct ks_cfg_builder *b, uint32_t n, uint8_t end,
    const struct ks_oref *r, uint8_t kind, bool split)
{
	struct ks_cfg_node *d = &b->nodes.v[n];
	uint32_t to = n;

	if (split) {
		to = new_node(b, d->sect, d->off, d->alt, true);
		b->nodes.v[to].pred = n;
		b->nodes.v[to].pred_kind = kind;
		ks_cfg_link(b, n, to, kind);
	}
	b->nodes.v[to].end = end;
	b->nodes.v[to].target = *r;
}

/* Another function, or a part of one, starts at a place behind node D. */
static bool
other_part(const struct ks_cfg_builder *b, const struct ks_cfg_node *d,
    uint32_t sect, uint64_t off)
{
	const struct ks_obj *o = b->o;
	uint32_t f = ks_obj_func_at(o, sect, off);

	return (f != KS_NONE && o->funcs[f].off == off &&
	    (o->funcs[f].flags & KS_OFUNC_PARTIAL) != 0 &&
	    ks_obj_func_at(o, d->sect, d->off) != f);
}

/* Falls through to OFF in the node's own section. */
static void
fall(struct ks_cfg_builder *b, uint32_t n, uint64_t off, bool split)
{
	uint32_t sect, alt;
	uint64_t to;

	next_place(b, &b->nodes.v[n], off, &sect, &to, &alt);
	if (alt == 0 && to >= b->o->sects[sect].size) {
		if (!fall_off(b, n))
			ks_cfg_lost(b, n, "code runs past its section");
	} else if (alt == 0 && other_part(b, &b->nodes.v[n], sect, to) &&
	    fall_off(b, n)) {
		return;
	} else if (alt == 0 && ks_cfg_leaves(b, sect, to)) {
		struct ks_oref r = { KS_NONE, sect, to, false };

		if (!fall_off(b, n))
			leave(b, n, KS_CFG_TAIL, &r, KS_EDGE_FALL, split);
	} else {
		go(b, n, sect, to, alt, KS_EDGE_FALL);
	}
}

/* A jump to R: continues this graph, or leaves the function. */
static void
jump(struct ks_cfg_builder *b, uint32_t n, const struct ks_oref *r,
    uint8_t kind, bool split)
{
	const struct ks_obj *o = b->o;
	uint32_t sect, alt;
	uint64_t off;

	if (ks_oref_none(r)) {
		ks_cfg_lost(b, n, "a jump whose target is unknown");
		return;
	}
	if (ks_cfg_role(b, r, KS_ROLE_RETURN_THUNK) != NULL) {
		leave(b, n, KS_CFG_RET, r, kind, split);
		return;
	}
	if (r->sect >= o->nsect || !o->sects[r->sect].exec ||
	    r->off >= o->sects[r->sect].size ||
	    ks_cfg_leaves(b, r->sect, r->off)) {
		leave(b, n, KS_CFG_TAIL, r, kind, split);
		return;
	}
	sect = r->sect;
	off = r->off;
	alt = 0;
	if (sect == b->nodes.v[n].sect)
		next_place(b, &b->nodes.v[n], off, &sect, &off, &alt);
	go(b, n, sect, off, alt, kind);
}

/* --- patched places ---------------------------------------------------- */

/* Makes N the node where versions part; false if there is but one. */
static bool
choices(struct ks_cfg_builder *b, uint32_t n)
{
	const struct ks_obj *o = b->o;
	const struct ks_patch *p, *end = o->patches + o->npatch;
	struct ks_cfg_node d = b->nodes.v[n];
	bool any = false;

	p = ks_obj_patch(o, KS_PATCH_ALT, d.sect, d.off);
	for (; p != NULL && p < end && p->kind == KS_PATCH_ALT &&
	    p->sect == d.sect && p->off == d.off; p++) {
		if (p->tlen == 0)
			go(b, n, p->sect, p->off + p->len, 0, KS_EDGE_ALT);
		else if (p->tsect < o->nsect)
			ks_cfg_link(b, n, ks_cfg_at(b, p->tsect, p->toff,
			    p - o->patches + 1, false, n, KS_EDGE_ALT),
			    KS_EDGE_ALT);
		any = true;
	}
	p = ks_obj_patch(o, KS_PATCH_EXTABLE, d.sect, d.off);
	for (; p != NULL && p < end && p->kind == KS_PATCH_EXTABLE &&
	    p->sect == d.sect && p->off == d.off; p++) {
		if (p->tsect < o->nsect)
			go(b, n, p->tsect, p->toff, 0, KS_EDGE_FAULT);
		any = true;
	}
	if (any)
		ks_cfg_link(b, n, ks_cfg_at(b, d.sect, d.off, d.alt, true,
		    b->nodes.v[n].pred, b->nodes.v[n].pred_kind),
		    KS_EDGE_FALL);
	return (any);
}

static const struct ks_patch *
patch_at(const struct ks_cfg_builder *b, enum ks_patch_kind kind,
    const struct ks_cfg_insn *i)
{
	const struct ks_patch *p;

	if (!ks_cfg_is_site(b, i->sect, i->off))
		return (NULL);
	p = ks_obj_patch(b->o, kind, i->sect, i->off);
	return (p != NULL && p->off == i->off ? p : NULL);
}

/* --- one instruction --------------------------------------------------- */

/* What an absolute address of LEN bytes, stored at OFF, refers to. */
static struct ks_oref
absolute_ref(const struct ks_obj *o, uint32_t sect, uint64_t off,
    unsigned len, int64_t val)
{
	struct ks_oref r;
	uint64_t addr = o->mode64 ? (uint64_t)val : (uint32_t)val;

	if (!o->linked)
		return (ks_obj_data_ref(o, sect, off, len));
	r = no_ref;
	r.sect = ks_obj_sect_at(o, addr);
	if (r.sect == KS_NOSECT)
		return (no_ref);
	r.off = addr - o->sects[r.sect].addr;
	r.sym = ks_obj_sym_at(o, r.sect, r.off);
	return (r);
}

static void
set_refs(const struct ks_cfg_builder *b, struct ks_cfg_insn *i)
{
	const struct ks_obj *o = b->o;

	i->mem = i->imm = no_ref;
	if (i->in.rel_len != 0)
		i->imm = ks_obj_pcrel(o, i->sect, i->off + i->in.rel_off,
		    i->in.rel, i->off + i->in.len);
	for (unsigned k = 0; k < i->in.nopnd; k++) {
		const struct ks_opnd *p = &i->in.opnd[k];
		uint64_t at = i->off + p->val_off;

		if (p->val_len < 4)
			continue;
		if (p->kind == KS_OPND_MEM && p->reg == KS_RIP)
			i->mem = ks_obj_pcrel(o, i->sect, at, p->val,
			    i->off + i->in.len);
		else if (p->kind == KS_OPND_MEM && p->seg == 0)
			i->mem = absolute_ref(o, i->sect, at, p->val_len,
			    p->val);
		else if (p->kind == KS_OPND_IMM && i->in.rel_len == 0)
			i->imm = absolute_ref(o, i->sect, at, p->val_len,
			    p->val);
	}
}

static void
call_flow(struct ks_cfg_builder *b, uint32_t n, struct ks_cfg_insn *i)
{
	const char *name;
	uint32_t f;

	if (i->how == KS_HOW_PUSH) {
		jump(b, n, &i->imm, KS_EDGE_JUMP, false);
		return;
	}
	if (i->how == KS_HOW_DIRECT && !i->noreturn) {
		f = ks_cfg_callee(b, &i->imm, &name);
		if (f != KS_NONE && f != b->func && ks_cfg_noreturn(b, f))
			b->pool.v[b->nodes.v[n].insn].noreturn = true;
	}
	if (b->pool.v[b->nodes.v[n].insn].noreturn)
		b->nodes.v[n].end = KS_CFG_STOP;
	else
		fall(b, n, b->nodes.v[n].off + i->in.len, false);
}

static void
jmp_flow(struct ks_cfg_builder *b, uint32_t n, const struct ks_cfg_insn *i)
{
	if (i->how == KS_HOW_STATIC) {
		b->nodes.v[n].end = KS_CFG_ITAIL;
	} else if (i->how == KS_HOW_INDIRECT) {
		b->nodes.v[n].end = KS_CFG_ITAIL;
		ks_cfg_table(b, n);
	} else {
		jump(b, n, &i->imm, KS_EDGE_JUMP, false);
	}
}

static void
flow(struct ks_cfg_builder *b, uint32_t n, struct ks_cfg_insn i)
{
	uint64_t next = i.off + i.in.len;
	const struct ks_patch *p;

	p = patch_at(b, KS_PATCH_JUMP_LABEL, &i);
	if (p != NULL) {
		struct ks_oref r = { KS_NONE, p->tsect, p->toff, false };

		fall(b, n, next, true);
		jump(b, n, &r, KS_EDGE_LABEL, true);
		return;
	}
	switch (i.in.flow) {
	case KS_FLOW_JCC:
		fall(b, n, next, true);
		jump(b, n, &i.imm, KS_EDGE_TAKEN, true);
		break;
	case KS_FLOW_XBEGIN:
		fall(b, n, next, true);
		jump(b, n, &i.imm, KS_EDGE_ABORT, true);
		break;
	case KS_FLOW_JMP:
	case KS_FLOW_IJMP:
		jmp_flow(b, n, &i);
		break;
	case KS_FLOW_CALL:
	case KS_FLOW_ICALL:
		call_flow(b, n, &i);
		break;
	case KS_FLOW_RET:
		b->nodes.v[n].end = KS_CFG_RET;
		if (i.in.op != KS_OP_RET)
			*ks_vec_push(&b->irets) = n;
		break;
	case KS_FLOW_TRAP:
		if (patch_at(b, KS_PATCH_WARN, &i) != NULL)
			fall(b, n, next, false);
		else
			b->nodes.v[n].end = KS_CFG_STOP;
		break;
	case KS_FLOW_BREAK:
		b->nodes.v[n].end = KS_CFG_STOP;
		break;
	default:
		fall(b, n, next, false);
		break;
	}
}

/* Counts code outside the function; false when there is too much of it. */
static bool
pay(struct ks_cfg_builder *b, const struct ks_cfg_node *d)
{
	if (d->alt != 0 || ks_cfg_inside(b, d->sect, d->off))
		return (true);
	if (b->budget == 0 || b->foreign >= KS_CFG_FOREIGN)
		return (false);
	b->budget--;
	b->foreign++;
	return (true);
}

static void
decode(struct ks_cfg_builder *b, uint32_t n)
{
	struct ks_cfg_node *d = &b->nodes.v[n];
	const struct ks_sect *s = &b->o->sects[d->sect];
	struct ks_cfg_insn i;
	bool entry = d->sect == b->sect && d->off - b->off <= 8;

	if (!d->raw && ks_cfg_is_site(b, d->sect, d->off) && choices(b, n))
		return;
	d = &b->nodes.v[n];
	if (!pay(b, d)) {
		ks_cfg_lost(b, n, "too much code outside the function");
		return;
	}
	memset(&i, 0, sizeof(i));
	i.sect = d->sect;
	i.off = d->off;
	i.alt = d->alt;
	if (!s->exec || s->data == NULL || d->off >= s->size) {
		ks_cfg_lost(b, n, "control goes where there is no code");
		return;
	}
	if (ks_insn_decode(s->data + d->off, s->size - d->off, b->o->mode64,
	    &i.in) != 0) {
		ks_cfg_lost(b, n, "no known instruction");
		return;
	}
	set_refs(b, &i);
	ks_cfg_classify(b, &i, entry);
	d->insn = b->pool.n;
	*ks_vec_push(&b->pool) = i;
	flow(b, n, i);
}

/* --- a graph ----------------------------------------------------------- */

static const struct ks_cfg *
build(struct ks_cfg_builder *b)
{
	b->nodes.n = b->links.n = b->pool.n = b->work.n = b->jumps.n = 0;
	b->irets.n = b->tables.n = b->labels.n = 0;
	b->njump = b->nlabel = b->nnode = 0;
	b->g.bad.n = 0;
	b->g.func = b->func;
	b->g.sect = b->sect;
	b->g.off = b->off;
	b->g.unknown_jumps = 0;
	b->g.frame_odd = false;
	b->foreign = 0;
	b->hash_used = 0;
	if (++b->gen == 0) {
		memset(b->hash, 0, b->hash_size * sizeof(b->hash[0]));
		b->gen = 1;
	}
	ks_cfg_at(b, b->sect, b->off, 0, false, KS_NONE, KS_EDGE_FALL);
	do {
		while (b->work.n > 0)
			decode(b, b->work.v[--b->work.n]);
	} while (ks_cfg_resolve_rest(b));
	ks_cfg_check_labels(b);
	ks_cfg_blocks(b);
	ks_cfg_frames(b);
	return (&b->g);
}

/* See cfg.h. */
const struct ks_cfg *
ks_cfg_build(struct ks_cfg_builder *b, uint32_t func)
{
	const struct ks_ofunc *f = &b->o->funcs[func];

	b->func = func;
	b->sect = f->sect;
	b->off = f->off;
	b->end = f->off + f->size;
	return (build(b));
}

/* See cfg.h. */
const struct ks_cfg *
ks_cfg_build_at(struct ks_cfg_builder *b, uint32_t sect, uint64_t off)
{
	uint32_t f = ks_obj_func_at(b->o, sect, off);

	b->func = KS_NONE;
	b->sect = sect;
	b->off = off;
	b->end = f == KS_NONE ? off + 1 :
	    b->o->funcs[f].off + b->o->funcs[f].size;
	return (build(b));
}
