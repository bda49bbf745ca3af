/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A closer look at an object in which something matters: who refers to what.
 *
 * 1. Walk each function again, with the relocations inside of each
 *    instruction.  An edge goes to every function, data object and
 *    undefined symbol that it branches to or names.
 * 2. A branch into a function, but not to the start of an instruction of its
 *    linear walk: both functions are odd, the walk is not to be trusted.
 * 3. A jump to code in no function (.fixup, .altinstr_aux, the tail of an
 *    assembly function behind its .size): that code is followed, and counts
 *    for the function that jumps.  A call to such code starts a function;
 *    then everything is done again.
 * 4. A jump from f to its cold part, or back, makes f the part's parent;
 *    so does its name if only a jump table leads there, and one function
 *    alone has it.
 * 5. Data objects refer to what their relocations name; in linked files
 *    without relocations, words that are addresses of functions count.
 *
 * Nodes: functions, then symbols, then sections (for data without symbol).
 */
#include <string.h>

#include "refs.h"

#define MAX_GAP_INSNS	4096	/* then the jumping function is odd */

/* --- nodes and edges ------------------------------------------------------ */

static void
edge(struct ks_refs *g, uint32_t from, uint32_t to, uint8_t kind)
{
	struct ks_ref *last = g->e.n != 0 ? &g->e.v[g->e.n - 1] : NULL;

	if (from == to || (last != NULL && last->from == from &&
	    last->to == to && last->kind == kind))
		return;
	*ks_vec_push(&g->e) = (struct ks_ref){ from, to, kind };
}

/* The node of a place in data. */
static uint32_t
data_node(const struct ks_refs *g, uint32_t sect, uint64_t off)
{
	uint32_t sym = ks_obj_sym_at(g->sc->o, sect, off);

	return (sym != KS_NONE ? ks_node_sym(g, sym) : ks_node_sect(g, sect));
}

static uint32_t
place_node(const struct ks_refs *g, uint32_t sect, uint64_t off)
{
	uint32_t f;

	if (g->sc->o->sects[sect].exec) {
		f = ks_obj_func_at(g->sc->o, sect, off);
		if (f != KS_NONE)
			return (f);
	}
	return (data_node(g, sect, off));
}

/* Is the node a function, and the place its start? */
static bool
is_entry(const struct ks_refs *g, uint32_t node, uint32_t sect, uint64_t off)
{
	const struct ks_ofunc *f;

	if (node >= g->nfunc)
		return (false);
	f = &g->sc->o->funcs[node];
	return (f->sect == sect && f->off == off);
}

/* FROM names a place; if it is a function's entry, its address is taken. */
static void
takes(struct ks_refs *g, uint32_t from, uint32_t sect, uint64_t off,
    uint8_t kind)
{
	uint32_t to = place_node(g, sect, off);

	if (is_entry(g, to, sect, off)) {
		g->bits[to] |= KS_RB_TAKEN;
		g->sc->o->funcs[to].flags |= KS_OFUNC_ADDR_TAKEN;
	}
	if (to < g->nfunc) {
		g->bits[to] |= KS_RB_TABLE;
		/* A place in it may be jumped to. */
		if (kind == KS_REF_ADDR && from != to)
			g->sc->o->funcs[to].flags |= KS_OFUNC_UNSEEN;
	}
	edge(g, from, to, kind);
}

/* The node that R, standing in an instruction that ends at END, names. */
static void
names(struct ks_refs *g, uint32_t from, const struct ks_rel *r, uint64_t end)
{
	const struct ks_obj *o = g->sc->o;
	const struct ks_osym *s = &o->syms[r->sym];
	uint64_t off;

	if (s->sect == KS_NOSECT || ks_rel_is_got(o->mode64, r->type)) {
		edge(g, from, ks_node_sym(g, r->sym), KS_REF_ADDR);
		if (s->sect == KS_NOSECT)
			return;
	}
	off = s->off + r->addend;
	if (ks_rel_is_got(o->mode64, r->type))
		off = s->off;
	else if (ks_rel_is_pc(o->mode64, r->type))
		off += end - r->off;
	takes(g, from, s->sect, off, KS_REF_ADDR);
}

/* --- walking -------------------------------------------------------------- */

/* Code that is being looked at on behalf of a function. */
struct look {
	struct ks_refs *g;
	uint32_t func;
	const struct ks_rel *r;	/* next relocation of the section */
	unsigned gap;		/* instructions followed outside of functions */
};

static void	follow_gap(struct look *l, uint32_t sect, uint64_t off);

/* "f" and "f.cold", "f.cold.1", "f.isra.0.cold" */
static bool
is_part_of(const char *part, const char *whole)
{
	size_t n = strlen(whole);

	return (strncmp(part, whole, n) == 0 &&
	    strncmp(part + n, ".cold", 5) == 0);
}

static void
belongs(struct ks_obj *o, uint32_t p, uint32_t f)
{
	struct ks_ofunc *part = &o->funcs[p];

	if ((part->flags & KS_OFUNC_PARTIAL) != 0 && part->parent == KS_NONE &&
	    is_part_of(part->name, o->funcs[f].name))
		part->parent = f;
}

/* A jump of function L->func to the part P, or of a part to function P. */
static void
enters_part(struct look *l, uint32_t p)
{
	belongs(l->g->sc->o, p, l->func);
	belongs(l->g->sc->o, l->func, p);
}

static void
new_start(struct ks_refs *g, uint32_t sect, uint64_t off)
{
	*ks_vec_push(&g->found) = (struct ks_oref){ .sym = KS_NONE,
	    .sect = sect, .off = off };
}

/* L->func branches to a place. */
static void
go(struct look *l, uint32_t sect, uint64_t off, unsigned flow)
{
	struct ks_scan *sc = l->g->sc;
	struct ks_obj *o = sc->o;
	uint32_t f;

	if (sc->starts[sect] == NULL || off >= o->sects[sect].size) {
		o->funcs[l->func].flags |= KS_OFUNC_ODD;
		return;
	}
	f = ks_obj_func_at(o, sect, off);
	if (f == KS_NONE) {
		if (flow == KS_FLOW_CALL && sc->may_add)
			new_start(l->g, sect, off);
		else
			follow_gap(l, sect, off);
		return;
	}
	if (!ks_bit(sc->starts[sect], off)) {
		o->funcs[l->func].flags |= KS_OFUNC_ODD;
		o->funcs[f].flags |= KS_OFUNC_ODD;
	}
	if (f == l->func)
		return;
	/*
	 * What runs from there on is code of both.  A part is entered in
	 * many places.
	 */
	if (off != o->funcs[f].off && ((o->funcs[l->func].flags |
	    o->funcs[f].flags) & KS_OFUNC_PARTIAL) == 0)
		o->funcs[l->func].flags |= KS_OFUNC_ODD;
	edge(l->g, l->func, f, KS_REF_CALL);
	if ((l->g->frole[f] & KS_SR_THUNK) != 0)
		l->g->bits[l->func] |= KS_RB_INDIRECT;
	if (flow == KS_FLOW_CALL)
		l->g->bits[f] |= KS_RB_CALLED;
	else
		enters_part(l, f);
}

/*
 * Linked files have few relocations or none: the last four bytes of an
 * instruction may be an address, or a distance from its end (lea, mov $sym,
 * tables).  What is none costs a needless edge.
 */
static void
looks_like(struct look *l, uint32_t sect, uint64_t off,
    const struct ks_dec *d)
{
	const struct ks_obj *o = l->g->sc->o;
	const struct ks_sect *s = &o->sects[sect];
	uint64_t end = off + d->len, addr[2];
	int32_t v;

	if (d->len < 5 || d->rel_off != 0)
		return;
	v = (int32_t)ks_le32(s->data + end - 4);
	addr[0] = o->mode64 ? (uint64_t)(int64_t)v : (uint32_t)v;
	addr[1] = s->addr + end + (int64_t)v;
	for (unsigned i = 0; i < (o->mode64 ? 2 : 1); i++) {
		uint32_t t = ks_obj_sect_at(o, addr[i]);

		if (t != KS_NOSECT)
			takes(l->g, l->func, t, addr[i] - o->sects[t].addr,
			    KS_REF_ADDR);
	}
}

/*
 * Assemblers resolve a distance within a section themselves: lea of code
 * (8d, then a register and %rip) has no relocation then.
 */
static void
own_section(struct look *l, uint32_t sect, uint64_t off,
    const struct ks_dec *d)
{
	const struct ks_sect *s = &l->g->sc->o->sects[sect];
	uint64_t end = off + d->len;
	const uint8_t *p = s->data + end;

	if (!l->g->sc->o->mode64 || d->len < 6 || p[-6] != 0x8d ||
	    (p[-5] & 0xc7) != 0x05)
		return;
	end += (uint64_t)ks_sle(p - 4, 4);
	if (end < s->size)
		takes(l->g, l->func, sect, end, KS_REF_ADDR);
}

/* L->func branches by R to a symbol that is defined elsewhere. */
static void
leaves(struct look *l, const struct ks_rel *r)
{
	edge(l->g, l->func, ks_node_sym(l->g, r->sym), KS_REF_CALL);
	if ((ks_scan_role(l->g->sc, r->sym) & KS_SR_THUNK) != 0)
		l->g->bits[l->func] |= KS_RB_INDIRECT;
}

/* One instruction at OFF: its target and its relocations. */
static void
look_at(struct look *l, uint32_t sect, uint64_t off, const struct ks_dec *d)
{
	struct ks_scan *sc = l->g->sc;
	const struct ks_sect *s = &sc->o->sects[sect];
	const struct ks_rel *last = s->rels + s->nrel, *field = NULL;
	uint64_t end = off + d->len, toff;
	uint32_t tsect;

	if (d->flow == KS_FLOW_ICALL || d->flow == KS_FLOW_IJMP)
		l->g->bits[l->func] |= KS_RB_INDIRECT;
	while (l->r < last && l->r->off < off)
		l->r++;
	for (const struct ks_rel *r = l->r; r < last && r->off < end; r++) {
		if (d->rel_off == 0 || r->off != off + d->rel_off)
			names(l->g, l->func, r, end);
		else if (sc->o->syms[(field = r)->sym].sect == KS_NOSECT)
			leaves(l, r);
	}
	if (sc->o->linked)
		looks_like(l, sect, off, d);
	else if (l->r == last || l->r->off >= end)
		own_section(l, sect, off, d);
	if (d->rel_off != 0 && ks_scan_target(sc->o, sect, off, d, field,
	    &tsect, &toff))
		go(l, tsect, toff, d->flow);
}

/* What kernels may make of the code at OFF. */
static void
look_at_patches(struct look *l, uint32_t sect, uint64_t off)
{
	static const uint8_t kinds[] = { KS_PATCH_JUMP_LABEL,
	    KS_PATCH_EXTABLE };
	const struct ks_obj *o = l->g->sc->o;

	for (size_t i = 0; i < sizeof(kinds); i++) {
		const struct ks_patch *p = ks_obj_patch(o, kinds[i], sect,
		    off);

		for (; p != NULL && p < o->patches + o->npatch &&
		    p->kind == kinds[i] && p->sect == sect && p->off == off;
		    p++)
			go(l, p->tsect, p->toff, KS_FLOW_JMP);
	}
}

static bool
ends_walk(unsigned flow)
{
	return (flow == KS_FLOW_JMP || flow == KS_FLOW_IJMP ||
	    flow == KS_FLOW_RET || flow == KS_FLOW_TRAP ||
	    flow == KS_FLOW_BREAK || flow == KS_FLOW_HLT);
}

static void
code_flags(struct look *l, const struct ks_dec *d)
{
	struct ks_ofunc *f = &l->g->sc->o->funcs[l->func];

	if ((d->flags & KS_DEC_SIMD) != 0)
		f->flags |= KS_OFUNC_SIMD;
	if ((d->flags & KS_DEC_BELOW_SP) != 0)
		f->flags |= KS_OFUNC_RED_ZONE;
}

/* Has this look been at a place in a gap?  Notes it. */
static bool
seen(struct ks_refs *g, uint32_t sect, uint64_t off)
{
	uint64_t h = (off * 0x9e3779b97f4a7c15u + sect) >> 51;

	for (;; h++) {
		h %= KS_GAP_TABLE;
		if (g->seen[h].look != g->look) {
			g->seen[h].look = g->look;
			g->seen[h].sect = sect;
			g->seen[h].off = off;
			return (false);
		}
		if (g->seen[h].sect == sect && g->seen[h].off == off)
			return (true);
	}
}

static bool
is_warning(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	const struct ks_patch *p = ks_obj_patch(o, KS_PATCH_WARN, sect, off);

	return (p != NULL && p->off == off);
}

/*
 * Code in no function, up to where it ends or enters a function.  Branches
 * inside of it recurse; the count of instructions bounds that.
 */
static void
follow_gap(struct look *l, uint32_t sect, uint64_t off)
{
	struct ks_scan *sc = l->g->sc;
	struct ks_obj *o = sc->o;
	const struct ks_sect *s = &o->sects[sect];
	const struct ks_rel *saved = l->r;
	struct ks_dec d;

	l->r = ks_obj_rel(s, off);
	if (l->r == NULL)
		l->r = s->rels + s->nrel;
	for (;;) {
		if (off < s->size && seen(l->g, sect, off))
			break;
		if (l->gap == 0 || off >= s->size ||
		    ks_scan_decode(o, s, off, &d) == 0) {
			o->funcs[l->func].flags |= KS_OFUNC_ODD;
			break;
		}
		l->gap--;
		code_flags(l, &d);
		look_at(l, sect, off, &d);
		look_at_patches(l, sect, off);
		if (ends_walk(d.flow) && (d.flow != KS_FLOW_TRAP ||
		    !is_warning(o, sect, off)))
			break;
		off += d.len;
		if (ks_obj_func_at(o, sect, off) != KS_NONE) {
			go(l, sect, off, KS_FLOW_JMP);
			break;
		}
	}
	l->r = saved;
}

static void
look_function(struct ks_refs *g, uint32_t i)
{
	struct ks_obj *o = g->sc->o;
	const struct ks_ofunc *f = &o->funcs[i];
	const struct ks_sect *s = &o->sects[f->sect];
	uint64_t off = f->off, end = f->off + f->size;
	struct look l = { .g = g, .func = i, .gap = MAX_GAP_INSNS };
	struct ks_dec d = { .flow = KS_FLOW_RET };

	g->look++;
	l.r = ks_obj_rel(s, off);
	if (l.r == NULL)
		l.r = s->rels + s->nrel;
	while (off < end && ks_scan_decode(o, s, off, &d) != 0) {
		look_at(&l, f->sect, off, &d);
		off += d.len;
	}
	if (off != end)
		return;
	/* A call at the end returns into what follows, or does not return. */
	if (d.flow == KS_FLOW_NEXT || d.flow == KS_FLOW_JCC ||
	    d.flow == KS_FLOW_XBEGIN ||
	    (d.flow == KS_FLOW_CALL &&
	    ks_obj_func_at(o, f->sect, off) != KS_NONE))
		go(&l, f->sect, off, KS_FLOW_JMP);
}

/*
 * Does the branch at OFF of P's replacement, which is in S, lead into it or
 * to its end?  One that has a relocation does not.
 */
static bool
stays(const struct ks_sect *s, const struct ks_dec *d, uint64_t off,
    const struct ks_patch *p)
{
	uint64_t to = off + d->len + (int64_t)d->rel;
	const struct ks_rel *r = ks_obj_rel(s, off);

	while (r != NULL && r < s->rels + s->nrel && r->off < off + d->rel_off)
		r++;
	if (r != NULL && r < s->rels + s->nrel && r->off == off + d->rel_off)
		return (false);
	return (to >= p->toff && to <= p->toff + p->tlen);
}

/* Versions of the code that patching makes, for the function of the site. */
static void
look_patch(struct ks_refs *g, const struct ks_patch *p)
{
	struct ks_obj *o = g->sc->o;
	struct look l = { .g = g, .gap = MAX_GAP_INSNS };
	const struct ks_sect *s;
	uint64_t off = p->toff, end = p->toff + p->tlen;
	struct ks_dec d;

	l.func = ks_obj_func_at(o, p->sect, p->off);
	if (l.func == KS_NONE || p->tsect == KS_NOSECT)
		return;
	g->look++;
	s = &o->sects[p->tsect];
	l.r = ks_obj_rel(s, off);
	if (l.r == NULL)
		l.r = s->rels + s->nrel;
	if (p->kind != KS_PATCH_ALT) {
		go(&l, p->tsect, p->toff, KS_FLOW_JMP);
		return;
	}
	while (off < end && ks_scan_decode(o, s, off, &d) != 0) {
		/* Jumps inside of a replacement stay inside. */
		if (d.rel_off == 0 || !stays(s, &d, off, p))
			look_at(&l, p->tsect, off, &d);
		off += d.len;
	}
}

/* --- data ----------------------------------------------------------------- */

static void
data_relocs(struct ks_refs *g, uint32_t sect)
{
	const struct ks_obj *o = g->sc->o;
	const struct ks_sect *s = &o->sects[sect];
	bool exports = strncmp(s->name, "__ksymtab", 9) == 0;

	for (size_t i = 0; i < s->nrel; i++) {
		const struct ks_rel *r = &s->rels[i];
		struct ks_oref ref = ks_obj_data_place(o, sect, r->off,
		    ks_rel_len(o->mode64, r->type));
		uint32_t f;

		if (exports) {
			if (ref.sect == KS_NOSECT)
				continue;
			f = ks_obj_func_at(o, ref.sect, ref.off);
			if (f != KS_NONE)
				o->funcs[f].flags |= KS_OFUNC_EXPORTED;
		} else if (ref.sect != KS_NOSECT) {
			takes(g, data_node(g, sect, r->off), ref.sect,
			    ref.off, KS_REF_DATA);
		} else if (ref.sym != KS_NONE) {
			edge(g, data_node(g, sect, r->off),
			    ks_node_sym(g, ref.sym), KS_REF_DATA);
		}
	}
}

/* Words of a linked file's data that are addresses of functions. */
static void
data_words(struct ks_refs *g, uint32_t sect)
{
	const struct ks_obj *o = g->sc->o;
	const struct ks_sect *s = &o->sects[sect];
	unsigned len = o->mode64 ? 8 : 4;

	for (uint64_t off = 0; off + len <= s->size; off += len) {
		uint64_t v = len == 8 ? ks_le64(s->data + off) :
		    ks_le32(s->data + off);
		uint32_t t;

		if (v == 0 || (t = ks_obj_sect_at(o, v)) == KS_NOSECT)
			continue;
		takes(g, data_node(g, sect, off), t, v - o->sects[t].addr,
		    KS_REF_DATA);
	}
}

static void
look_data(struct ks_refs *g)
{
	const struct ks_obj *o = g->sc->o;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];
		bool exports = strncmp(s->name, "__ksymtab", 9) == 0;

		if (!s->alloc || s->exec ||
		    (ks_obj_is_metadata(s->name) && !exports))
			continue;
		if (s->nrel != 0)
			data_relocs(g, i);
		if (o->linked && s->data != NULL && !exports)
			data_words(g, i);
	}
}

/* --- whole object --------------------------------------------------------- */

/* Roles of functions, by all of their names. */
static void
function_roles(struct ks_refs *g)
{
	const struct ks_obj *o = g->sc->o;

	for (size_t i = 0; i < o->nsym; i++) {
		uint32_t f;

		if ((g->sc->symrole[i] & ~KS_SR_KNOWN) == 0 ||
		    o->syms[i].sect == KS_NOSECT)
			continue;
		f = ks_obj_func_at(o, o->syms[i].sect, o->syms[i].off);
		if (is_entry(g, f, o->syms[i].sect, o->syms[i].off))
			g->frole[f] |= g->sc->symrole[i];
	}
}

static int
by_from(const void *a, const void *b, void *ctx)
{
	const struct ks_ref *x = a, *y = b;

	(void)ctx;
	if (x->from != y->from)
		return (x->from < y->from ? -1 : 1);
	if (x->to != y->to)
		return (x->to < y->to ? -1 : 1);
	return (x->kind - y->kind);
}

/* Sorts the edges, drops equal ones, and indexes them both ways. */
static void
index_edges(struct ks_refs *g)
{
	struct ks_arena *a = g->sc->o->arena;
	size_t n = 0;
	uint32_t *fill;

	ks_sort(g->e.v, g->e.n, sizeof(g->e.v[0]), by_from, NULL);
	for (size_t i = 0; i < g->e.n; i++)
		if (n == 0 || by_from(&g->e.v[n - 1], &g->e.v[i], NULL) != 0)
			g->e.v[n++] = g->e.v[i];
	g->e.n = n;
	g->first = KS_NEWN(a, uint32_t, g->nnode + 1);
	g->rfirst = KS_NEWN(a, uint32_t, g->nnode + 1);
	g->rev = KS_NEWN(a, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		g->first[g->e.v[i].from + 1]++;
		g->rfirst[g->e.v[i].to + 1]++;
	}
	for (size_t i = 0; i < g->nnode; i++) {
		g->first[i + 1] += g->first[i];
		g->rfirst[i + 1] += g->rfirst[i];
	}
	fill = ks_xmalloc((g->nnode + 1) * sizeof(*fill));
	memcpy(fill, g->rfirst, (g->nnode + 1) * sizeof(*fill));
	for (size_t i = 0; i < n; i++)
		g->rev[fill[g->e.v[i].to]++] = i;
	ks_vec_release(fill);
}

/* The one function that P is a part of by its name, or KS_NONE. */
static uint32_t
by_name(const struct ks_obj *o, uint32_t p)
{
	uint32_t found = KS_NONE;

	for (uint32_t i = 0; i < o->nfunc; i++) {
		if (i == p || (o->funcs[i].flags & KS_OFUNC_PARTIAL) != 0 ||
		    !is_part_of(o->funcs[p].name, o->funcs[i].name))
			continue;
		if (found != KS_NONE)
			return (KS_NONE);
		found = i;
	}
	return (found);
}

/* Parts that nobody jumps to from a function of their name are functions. */
static void
settle_parts(struct ks_refs *g)
{
	struct ks_obj *o = g->sc->o;

	for (size_t i = 0; i < o->nfunc; i++) {
		struct ks_ofunc *f = &o->funcs[i];

		if ((f->flags & KS_OFUNC_PARTIAL) != 0 &&
		    f->parent == KS_NONE && (g->bits[i] & KS_RB_TABLE) != 0)
			f->parent = by_name(o, (uint32_t)i);
		if ((f->flags & KS_OFUNC_PARTIAL) != 0 &&
		    (f->parent == KS_NONE ||
		    (g->bits[i] & KS_RB_CALLED) != 0)) {
			f->flags &= ~KS_OFUNC_PARTIAL;
			f->parent = KS_NONE;
		}
	}
}

/* See refs.h. */
int
ks_refs_make(struct ks_refs *g, struct ks_scan *sc)
{
	struct ks_obj *o = sc->o;

	memset(g, 0, sizeof(*g));
	g->sc = sc;
	g->nfunc = o->nfunc;
	g->nnode = g->nfunc + o->nsym + o->nsect;
	g->bits = KS_NEWN(o->arena, uint8_t, g->nfunc + 1);
	g->frole = KS_NEWN(o->arena, uint16_t, g->nfunc + 1);
	function_roles(g);
	for (uint32_t i = 0; i < g->nfunc; i++)
		look_function(g, i);
	for (size_t i = 0; i < o->npatch; i++)
		look_patch(g, &o->patches[i]);
	if (g->found.n != 0 && ks_obj_add_functions(o, g->found.v,
	    g->found.n))
		return (1);
	look_data(g);
	settle_parts(g);
	index_edges(g);
	return (0);
}

/* See refs.h. */
void
ks_refs_free(struct ks_refs *g)
{
	ks_vec_free(&g->e);
	ks_vec_free(&g->found);
}
