/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols of the unit, and where addresses of functions go.
 *
 *  1. A function is known by its section and offset, not by its name: a
 *     module repeats local names.  Undefined symbols are known by name.
 *  2. An address escapes if it is passed to a function that is not defined
 *     here, returned by an exported one, or lies in data that escapes:
 *     exported variables, sections that the kernel walks, variables whose
 *     own address escapes.  Addresses that are only stored in memory are
 *     taken, but found again by the cells (lower_cell.c).
 *  3. Functions that hand out the address of what matters are lowered, too,
 *     or their stores and calls would not be seen.
 *
 * Data is a node of a graph: a variable, or a whole section where no symbol
 * tells variables apart.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

enum { HOLDS = 1, ESCAPES = 2 };

/* --- data -------------------------------------------------------------- */

/* See lower.h. */
uint32_t
ks_low_data_node(const struct ks_lower *l, uint32_t sect, uint64_t off)
{
	uint32_t s = ks_obj_sym_at(l->o, sect, off);

	return (s != KS_NONE ? s : (uint32_t)l->o->nsym + sect);
}

static bool
is_data(const struct ks_lower *l, const struct ks_oref *r)
{
	return (r->sect != KS_NOSECT && !l->o->sects[r->sect].exec);
}

/* See lower.h. */
bool
ks_low_is_code(const struct ks_lower *l, const struct ks_oref *r)
{
	return (r->sect == KS_NOSECT || l->o->sects[r->sect].exec);
}

static int
by_node(const void *a, const void *b, void *ctx)
{
	const struct ks_low_pointer *x = a, *y = b;

	(void)ctx;
	if (x->from != y->from)
		return (x->from < y->from ? -1 : 1);
	if (x->sect != y->sect)
		return (x->sect < y->sect ? -1 : 1);
	return (x->off < y->off ? -1 : x->off > y->off);
}

static void
add_pointer(struct ks_lower *l, uint32_t sect, uint64_t off,
    const struct ks_oref *to)
{
	*ks_vec_push(&l->data->ptrs) = (struct ks_low_pointer){
		ks_low_data_node(l, sect, off), sect, off, *to };
}

static void
read_pointers(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	unsigned word = o->mode64 ? 8 : 4;

	for (uint32_t i = 0; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];
		struct ks_oref r;

		if (!s->alloc || s->exec || ks_obj_is_metadata(s->name))
			continue;
		for (size_t k = 0; k < s->nrel; k++) {
			if (ks_rel_len(o->mode64, s->rels[k].type) != word ||
			    ks_rel_is_pc(o->mode64, s->rels[k].type))
				continue;
			r = ks_obj_data_ref(o, i, s->rels[k].off, word);
			if (!ks_oref_none(&r))
				add_pointer(l, i, s->rels[k].off, &r);
		}
		/* No relocations: every word that is a function's address. */
		if (!o->linked || s->nrel != 0 || s->data == NULL)
			continue;
		for (uint64_t off = 0; off + word <= s->size; off += word) {
			uint32_t f;

			r = ks_obj_data_ref(o, i, off, word);
			if (r.sect == KS_NOSECT || !o->sects[r.sect].exec)
				continue;
			f = ks_obj_func_at(o, r.sect, r.off);
			if (f != KS_NONE && o->funcs[f].off == r.off)
				add_pointer(l, i, off, &r);
		}
	}
	ks_sort(l->data->ptrs.v, l->data->ptrs.n,
	    sizeof(l->data->ptrs.v[0]), by_node, NULL);
}

/* See lower.h. */
uint32_t
ks_low_first_pointer(const struct ks_lower *l, uint32_t node)
{
	size_t lo = 0, hi = l->data->ptrs.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->data->ptrs.v[mid].from < node)
			lo = mid + 1;
		else
			hi = mid;
	}
	return ((uint32_t)lo);
}

/* --- who hands out addresses ------------------------------------------- */

static bool
matters(const struct ks_lower *l, const struct ks_oref *r)
{
	uint32_t f;

	if (r->sect == KS_NOSECT)
		return (l->p != NULL && r->sym != KS_NONE &&
		    ks_profile_find(l->p, l->o->syms[r->sym].name) != NULL);
	if (!l->o->sects[r->sect].exec)
		return ((l->data->marks[ks_low_data_node(l, r->sect, r->off)] &
		    HOLDS) != 0);
	f = ks_obj_func_at(l->o, r->sect, r->off);
	return (f != KS_NONE &&
	    (l->o->funcs[f].flags & KS_OFUNC_MATTERS) != 0);
}

static int
by_target(const void *a, const void *b, void *ctx)
{
	const uint32_t *x = a, *y = b;

	(void)ctx;
	return (x[0] < y[0] ? -1 : x[0] > y[0]);
}

/* Data from which a function that matters can be reached. */
static void
mark_holders(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;
	struct rev { uint32_t to, from; };
	KS_VEC(struct rev) rev = { 0 };		/* from data to data */
	KS_VEC(uint32_t) work = { 0 };

	for (size_t i = 0; i < d->ptrs.n; i++) {
		const struct ks_low_pointer *p = &d->ptrs.v[i];

		if (is_data(l, &p->to)) {
			*ks_vec_push(&rev) = (struct rev){ ks_low_data_node(l,
			    p->to.sect, p->to.off), p->from };
		} else if (!(d->marks[p->from] & HOLDS) &&
		    matters(l, &p->to)) {
			d->marks[p->from] |= HOLDS;
			*ks_vec_push(&work) = p->from;
		}
	}
	ks_sort(rev.v, rev.n, sizeof(rev.v[0]), by_target, NULL);
	while (work.n > 0) {
		uint32_t n = work.v[--work.n];
		size_t lo = 0, hi = rev.n;

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (rev.v[mid].to < n)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < rev.n && rev.v[lo].to == n; lo++) {
			uint32_t from = rev.v[lo].from;

			if ((d->marks[from] & HOLDS) != 0)
				continue;
			d->marks[from] |= HOLDS;
			*ks_vec_push(&work) = from;
		}
	}
	ks_vec_free(&rev);
	ks_vec_free(&work);
}

/* A field in code that is the target of a call or a jump. */
static bool
is_branch(const struct ks_sect *s, const struct ks_rel *r)
{
	const uint8_t *p = s->data + r->off;

	if (r->off >= 1 && (p[-1] == 0xe8 || p[-1] == 0xe9))
		return (true);
	return (r->off >= 2 && p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80);
}

static void
scan_code(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;

	for (uint32_t i = 0; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (!s->exec || s->data == NULL)
			continue;
		for (size_t k = 0; k < s->nrel; k++) {
			const struct ks_rel *r = &s->rels[k];
			const struct ks_osym *sym = &o->syms[r->sym];
			struct ks_oref to = { r->sym, sym->sect,
			    sym->off + (uint64_t)r->addend, false };
			uint32_t f;

			if (ks_rel_is_pc(o->mode64, r->type)) {
				if (r->off >= s->size || is_branch(s, r))
					continue;
				to.off += 4;
			}
			if (to.sect != KS_NOSECT && sym->name[0] == '\0')
				to.sym = KS_NONE;
			if (!matters(l, &to))
				continue;
			f = ks_obj_func_at(o, i, r->off);
			if (f != KS_NONE)
				l->wanted[f] = true;
		}
	}
}

/* See lower.h. */
void
ks_low_wanted(struct ks_lower *l)
{
	struct ks_low_data *d = ks_xmalloc(sizeof(*d));
	uint32_t n = (uint32_t)(l->o->nsym + l->o->nsect);

	memset(d, 0, sizeof(*d));
	l->data = d;
	d->nnode = n;
	d->marks = ks_xmalloc(n + 1);
	memset(d->marks, 0, n + 1);
	d->why = ks_xmalloc((n + 1) * sizeof(d->why[0]));
	memset(d->why, 0, (n + 1) * sizeof(d->why[0]));
	for (size_t i = 0; i < l->o->nfunc; i++)
		l->wanted[i] = (l->o->funcs[i].flags & KS_OFUNC_MATTERS) != 0;
	read_pointers(l);
	mark_holders(l);
	scan_code(l);
}

/* See lower.h. */
void
ks_low_free_data(struct ks_lower *l)
{
	if (l->data == NULL)
		return;
	ks_vec_free(&l->data->ptrs);
	ks_vec_free(&l->data->escapes);
	ks_vec_free(&l->data->taken);
	ks_vec_free(&l->data->tables);
	ks_vec_free(&l->data->binds);
	ks_vec_free(&l->data->argkeys);
	ks_vec_free(&l->data->blind);
	ks_vec_free(&l->data->typed);
	ks_vec_free(&l->data->copies);
	ks_vec_free(&l->data->guesses);
	free(l->data->marks);
	free(l->data->why);
	free(l->data);
}

/* --- symbols ----------------------------------------------------------- */

/* Linux: the only globals of a module that others see are in its table. */
static bool
has_export_table(const struct ks_obj *o)
{
	return (ks_obj_find_sect(o, ".modinfo", 0) != KS_NOSECT);
}

static bool
is_exported(const struct ks_lower *l, const struct ks_ofunc *f)
{
	const struct ks_obj *o = l->o;

	if ((f->flags & KS_OFUNC_EXPORTED) != 0)
		return (true);
	if (o->linked || (o->module && has_export_table(o)))
		return (false);
	return (f->sym != KS_NONE && !o->syms[f->sym].local);
}

/* See lower.h. */
uint32_t
ks_low_func_sym(struct ks_lower *l, uint32_t func)
{
	const struct ks_ofunc *f = &l->o->funcs[func];
	uint32_t flags = 0;

	if (l->fsym[func] != KS_NONE)
		return (l->fsym[func]);
	if (f->sym == KS_NONE || l->o->syms[f->sym].local)
		flags |= KS_SYM_LOCAL;
	else if (l->o->syms[f->sym].weak)
		flags |= KS_SYM_WEAK;
	if (is_exported(l, f))
		flags |= KS_SYM_EXPORTED;
	l->fsym[func] = ks_unit_sym(l->u, f->name, flags);
	return (l->fsym[func]);
}

static uint32_t
extra_sym(struct ks_lower *l, uint32_t sect, uint64_t off, uint32_t func)
{
	char name[256];

	for (size_t i = 0; i < l->extra.n; i++)
		if (l->extra.v[i].sect == sect && l->extra.v[i].off == off)
			return (l->extra.v[i].sym);
	if (l->extra.n >= 4096)
		return (KS_NONE);
	snprintf(name, sizeof(name), "%s+0x%llx",
	    func == KS_NONE ? l->o->sects[sect].name :
	    l->o->funcs[func].name, (unsigned long long)(off -
	    (func == KS_NONE ? 0 : l->o->funcs[func].off)));
	*ks_vec_push(&l->extra) = (struct ks_low_extra){ sect,
	    ks_unit_sym(l->u, name, KS_SYM_LOCAL), off };
	return (l->extra.v[l->extra.n - 1].sym);
}

/* See lower.h. */
uint32_t
ks_low_code_sym(struct ks_lower *l, const struct ks_oref *r, bool called)
{
	const struct ks_obj *o = l->o;
	uint32_t f;

	if (r->sect == KS_NOSECT) {
		if (r->sym == KS_NONE || (r->off != 0 &&
		    !o->syms[r->sym].absolute) ||
		    o->syms[r->sym].name[0] == '\0')
			return (KS_NONE);
		if (l->osym[r->sym] == KS_NONE)
			l->osym[r->sym] = ks_unit_sym(l->u,
			    o->syms[r->sym].name,
			    o->syms[r->sym].weak ? KS_SYM_WEAK : 0);
		return (l->osym[r->sym]);
	}
	if (r->sect >= o->nsect || !o->sects[r->sect].exec ||
	    r->off >= o->sects[r->sect].size)
		return (KS_NONE);
	f = ks_obj_func_at(o, r->sect, r->off);
	if (f != KS_NONE && o->funcs[f].off == r->off) {
		/* A part that is called is a function after all. */
		if (called && (o->funcs[f].flags & KS_OFUNC_PARTIAL) != 0)
			return (extra_sym(l, r->sect, r->off, f));
		return (ks_low_func_sym(l, f));
	}
	return (called ? extra_sym(l, r->sect, r->off, f) : KS_NONE);
}

/* --- escapes ----------------------------------------------------------- */

/* See lower.h. */
void
ks_low_escape(struct ks_lower *l, const struct ks_oref *r, const char *what)
{
	*ks_vec_push(&l->data->escapes) = (struct ks_low_escape){ *r,
	    ks_str(l->u->str, ks_intern(l->u->str, what)) };
}

/* See lower.h. */
void
ks_low_taken(struct ks_lower *l, const struct ks_oref *r)
{
	*ks_vec_push(&l->data->taken) = *r;
}

static void
flag_sym(struct ks_lower *l, const struct ks_oref *r, uint32_t flag,
    const char *what)
{
	uint32_t sym = ks_low_code_sym(l, r, false);
	struct ks_sym *s;

	if (sym == KS_NONE)
		return;
	s = &l->u->syms.v[sym];
	s->flags |= KS_SYM_ADDR_TAKEN | flag;
	if (flag != 0 && s->escape_text == 0 && what != NULL)
		s->escape_text = ks_intern(l->u->str, what);
}

static void
escape_data(struct ks_lower *l, uint32_t node, const char *why)
{
	if ((l->data->marks[node] & ESCAPES) != 0)
		return;
	l->data->marks[node] |= ESCAPES;
	l->data->why[node] = why;
}

/*
 * Sections that the kernel finds without a symbol: C identifiers, which the
 * linker gives a start and an end, and what module loaders read.
 */
static bool
is_walked(const char *name)
{
	static const char *const plain[] = { ".rodata", ".data", ".bss",
	    ".init.data", ".init.rodata", ".exit.data", ".ref.data",
	    ".tbss", ".tdata", ".lrodata", ".ldata", ".lbss" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strncmp(name, plain[i], strlen(plain[i])) == 0)
			return (false);
	return (true);
}

static void
roots(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	struct ks_low_data *d = l->data;
	bool table = o->module && has_export_table(o);

	for (size_t i = 0; i < d->ptrs.n; i++) {
		const struct ks_low_pointer *p = &d->ptrs.v[i];

		/* A linked kernel is all there is to walk them. */
		if (o->linked)
			break;
		if (is_walked(o->sects[p->sect].name))
			escape_data(l, p->from, "in a section of the kernel");
		else if (p->from < o->nsym && !o->syms[p->from].local &&
		    !table)
			escape_data(l, p->from, "in exported data");
	}
	for (uint32_t i = 0; i < o->nsect && table; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (strncmp(s->name, "__ksymtab", 9) != 0)
			continue;
		for (size_t k = 0; k < s->nrel; k++) {
			struct ks_oref r = ks_obj_data_ref(o, i,
			    s->rels[k].off, ks_rel_len(o->mode64,
			    s->rels[k].type));

			if (is_data(l, &r))
				escape_data(l, ks_low_data_node(l, r.sect,
				    r.off), "in exported data");
		}
	}
	for (size_t i = 0; i < d->escapes.n; i++) {
		const struct ks_low_escape *e = &d->escapes.v[i];

		if (is_data(l, &e->at))
			escape_data(l, ks_low_data_node(l, e->at.sect,
			    e->at.off), e->what);
		else
			flag_sym(l, &e->at, KS_SYM_ESCAPES, e->what);
	}
}

/* Through data that data points to. */
static void
spread(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;
	KS_VEC(uint32_t) work = { 0 };

	for (uint32_t n = 0; n < d->nnode; n++)
		if ((d->marks[n] & ESCAPES) != 0)
			*ks_vec_push(&work) = n;
	while (work.n > 0) {
		uint32_t n = work.v[--work.n];

		for (uint32_t i = ks_low_first_pointer(l, n); i < d->ptrs.n &&
		    d->ptrs.v[i].from == n; i++) {
			const struct ks_oref *r = &d->ptrs.v[i].to;
			uint32_t to;

			if (!is_data(l, r))
				continue;
			to = ks_low_data_node(l, r->sect, r->off);
			if ((d->marks[to] & ESCAPES) != 0)
				continue;
			escape_data(l, to, d->why[n]);
			*ks_vec_push(&work) = to;
		}
	}
	ks_vec_free(&work);
}

/* Is P, of LEN bytes, lea 0(%esi), %esi? */
static bool
is_lea_nop(const uint8_t *p, unsigned len)
{
	unsigned i = p[1] == 0x74 || p[1] == 0xb4 ? 3 : 2;	/* with a SIB */

	if (p[0] != 0x8d || (p[1] & 0x3d) != 0x34 || p[1] < 0x40 ||
	    p[1] >= 0xc0 || i >= len || (i == 3 && p[2] != 0x26))
		return (false);
	for (; i < len; i++)
		if (p[i] != 0)
			return (false);
	return (true);
}

/* Bytes of what assemblers and compilers fill gaps with, at P; or 0. */
static unsigned
padding(const uint8_t *p, uint64_t n, bool mode64)
{
	struct ks_dec d;
	unsigned len, i = 0;

	if (p[0] == 0 || p[0] == 0xcc)
		return (1);
	len = mode64 ? ks_decode64(p, n, &d) : ks_decode32(p, n, &d);
	while (i < len && (p[i] == 0x66 || p[i] == 0x2e || p[i] == 0x3e))
		i++;
	if ((i + 1 == len && p[i] == 0x90) ||
	    (i + 2 < len && p[i] == 0x0f && p[i + 1] == 0x1f) ||
	    (!mode64 && i == 0 && len >= 3 && is_lea_nop(p, len)))
		return (len);
	return (0);
}

/* Are there bytes of S from FROM to TO that are no padding? */
static bool
is_filled(const struct ks_obj *o, const struct ks_sect *s, uint64_t from,
    uint64_t to)
{
	const struct ks_rel *r = from < to ? ks_obj_rel(s, from) : NULL;
	unsigned len;

	if (r != NULL && r->off < to)
		return (true);
	for (; from < to; from += len)
		if ((len = padding(s->data + from, to - from,
		    o->mode64)) == 0)
			return (true);
	return (false);
}

/* Is there data between functions, which may be tables of any kind? */
static bool
data_in_text(const struct ks_obj *o)
{
	size_t k = 0;			/* functions are sorted by place */

	for (uint32_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];
		uint64_t at = 0;

		if (!s->exec || s->data == NULL || ks_obj_is_metadata(s->name))
			continue;
		while (k < o->nfunc && o->funcs[k].sect < i)
			k++;
		for (; k < o->nfunc && o->funcs[k].sect == i; k++) {
			const struct ks_ofunc *f = &o->funcs[k];

			if (is_filled(o, s, at, f->off))
				return (true);
			if (f->off + f->size > at)
				at = f->off + f->size;
		}
		if (is_filled(o, s, at, s->size))
			return (true);
	}
	return (false);
}

/*
 * Own functions that are entered in ways that no graph tells.  In linked
 * files, and where data lies between functions, any may be: distances have no
 * relocation there.
 */
static void
flag_named(struct ks_lower *l)
{
	bool all = l->o->linked || data_in_text(l->o);

	for (size_t i = 0; i < l->o->nfunc; i++) {
		uint32_t flags = l->o->funcs[i].flags;
		struct ks_sym *s;

		if (l->fsym[i] == KS_NONE || (!all && (flags &
		    (KS_OFUNC_ADDR_TAKEN | KS_OFUNC_UNSEEN)) == 0))
			continue;
		s = &l->u->syms.v[l->fsym[i]];
		if ((s->flags & (KS_SYM_LOCAL | KS_SYM_ADDR_TAKEN)) ==
		    KS_SYM_LOCAL)
			s->flags |= KS_SYM_NAMED;
	}
}

/* See lower.h. */
void
ks_low_flag_data(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;

	roots(l);
	spread(l);
	for (size_t i = 0; i < d->ptrs.n; i++) {
		const struct ks_low_pointer *p = &d->ptrs.v[i];

		/* Functions that are not lowered do not matter. */
		if (ks_low_is_code(l, &p->to) && matters(l, &p->to))
			flag_sym(l, &p->to,
			    (d->marks[p->from] & ESCAPES) != 0 ?
			    KS_SYM_ESCAPES : 0, d->why[p->from]);
	}
	for (size_t i = 0; i < d->taken.n; i++)
		if (ks_low_is_code(l, &d->taken.v[i]))
			flag_sym(l, &d->taken.v[i], 0, NULL);
	flag_named(l);
}
