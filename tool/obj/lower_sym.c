/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Symbols of the unit, the cells that function pointers are stored in, and
 * where addresses of functions go.
 *
 *  1. A function is known by its section and offset, not by its name: a
 *     module repeats local names.  Undefined symbols are known by name.
 *  2. Pointers in data make cells: "cell:NAME+OFF" for the place itself,
 *     "off:N" for the place in a record, "tab:NAME" for the whole variable,
 *     "static:NAME" for the key of a static call.  If a variable is an array
 *     of records (its pointers repeat at a distance that divides its size),
 *     N is also counted from the start of the record.
 *  3. An address escapes if it is passed to a function that is not defined
 *     here, returned by an exported one, or lies in data that escapes:
 *     exported variables, sections that the kernel walks, variables whose
 *     own address escapes.  Addresses that are only stored in memory are
 *     taken, but found again by the cells.
 *  4. Functions that hand out the address of what matters are lowered, too,
 *     or their stores and calls would not be seen.
 *
 * Data is a node of a graph: a variable, or a whole section where no symbol
 * tells variables apart.
 *
 * Known limits: memory is not followed; a pointer that is copied from one
 * record to another at another offset is not found under its new key.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

/* static_call(NAME) keeps its key in a variable of this name. */
#define STATIC_KEY	"__SCK__"

struct pointer {		/* in data */
	uint32_t from;		/* data node */
	uint32_t sect;
	uint64_t off;
	struct ks_oref to;
};

struct escape {
	struct ks_oref at;
	const char *what;
};

struct ks_low_data {
	KS_VEC(struct pointer) ptrs;	/* sorted by from, off */
	uint8_t	*marks;			/* by data node: HOLDS, ESCAPES */
	uint32_t nnode;
	KS_VEC(struct escape) escapes;
	KS_VEC(struct ks_oref) taken;
	const char **why;		/* by data node */
};

enum { HOLDS = 1, ESCAPES = 2 };

/* --- data ------------------------------------------------------------------------- */

/* The variable that holds a place, or its section. */
static uint32_t
data_node(const struct ks_lower *l, uint32_t sect, uint64_t off)
{
	uint32_t s = ks_obj_sym_at(l->o, sect, off);

	return (s != KS_NONE ? s : (uint32_t)l->o->nsym + sect);
}

static bool
is_data(const struct ks_lower *l, const struct ks_oref *r)
{
	return (r->sect != KS_NOSECT && !l->o->sects[r->sect].exec);
}

static int
by_node(const void *a, const void *b, void *ctx)
{
	const struct pointer *x = a, *y = b;

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
	*ks_vec_push(&l->data->ptrs) = (struct pointer){
		data_node(l, sect, off), sect, off, *to };
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

static uint32_t
first_pointer(const struct ks_lower *l, uint32_t node)
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

/* --- who hands out addresses ---------------------------------------------------------- */

static bool
matters(const struct ks_lower *l, const struct ks_oref *r)
{
	uint32_t f;

	if (r->sect == KS_NOSECT)
		return (l->p != NULL && r->sym != KS_NONE &&
		    ks_profile_find(l->p, l->o->syms[r->sym].name) != NULL);
	if (!l->o->sects[r->sect].exec)
		return ((l->data->marks[data_node(l, r->sect, r->off)] &
		    HOLDS) != 0);
	f = ks_obj_func_at(l->o, r->sect, r->off);
	return (f != KS_NONE &&
	    (l->o->funcs[f].flags & KS_OFUNC_MATTERS) != 0);
}

/* Data from which a function that matters can be reached. */
static void
mark_holders(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < d->ptrs.n; i++) {
			const struct pointer *p = &d->ptrs.v[i];

			if ((d->marks[p->from] & HOLDS) != 0 ||
			    !matters(l, &p->to))
				continue;
			d->marks[p->from] |= HOLDS;
			changed = true;
		}
	}
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
	free(l->data->marks);
	free(l->data->why);
	free(l->data);
}

/* --- symbols --------------------------------------------------------------------------- */

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

/* --- keys ------------------------------------------------------------------------------- */

/*
 * The variable at R, in words that are the same wherever it is named; its
 * place is R minus *start.
 */
static bool
data_name(const struct ks_lower *l, const struct ks_oref *r, char *buf,
    size_t size, uint64_t *start)
{
	const struct ks_obj *o = l->o;
	const char *unit = ks_str(l->u->str, l->u->name);
	uint32_t s = r->sym;

	*start = 0;
	if (r->sect == KS_NOSECT) {
		if (s == KS_NONE || o->syms[s].name[0] == '\0')
			return (false);
		snprintf(buf, size, "%s", o->syms[s].name);
		return (true);
	}
	if (o->sects[r->sect].exec)
		return (false);
	s = ks_obj_sym_at(o, r->sect, r->off);
	if (s == KS_NONE) {
		snprintf(buf, size, "%s#%u@%s", o->sects[r->sect].name,
		    r->sect, unit);
		return (true);
	}
	*start = o->syms[s].off;
	if (o->syms[s].local)
		snprintf(buf, size, "%s#%u:%llu@%s", o->syms[s].name, r->sect,
		    (unsigned long long)o->syms[s].off, unit);
	else
		snprintf(buf, size, "%s", o->syms[s].name);
	return (true);
}

/* NEW: intern it; else 0 unless somebody did. */
static uint32_t
key(struct ks_lower *l, const char *text, bool new)
{
	return (new ? ks_intern(l->u->str, text) :
	    ks_intern_find(l->u->str, text));
}

static uint32_t
cell_key(struct ks_lower *l, const struct ks_oref *r, bool new)
{
	char name[400], text[480];
	uint64_t start;

	if (!data_name(l, r, name, sizeof(name), &start))
		return (0);
	snprintf(text, sizeof(text), "cell:%s+%lld", name,
	    (long long)(r->off - start));
	return (key(l, text, new));
}

static uint32_t
off_key(struct ks_lower *l, int64_t off, bool new)
{
	char text[64];

	snprintf(text, sizeof(text), "off:%lld", (long long)off);
	return (key(l, text, new));
}

static uint32_t
table_key(struct ks_lower *l, const struct ks_oref *r, bool new)
{
	char name[400], text[480];
	uint64_t start;

	if (!data_name(l, r, name, sizeof(name), &start))
		return (0);
	snprintf(text, sizeof(text), "tab:%s", name);
	return (key(l, text, new));
}

/* See lower.h. */
uint32_t
ks_low_cell_key(struct ks_lower *l, const struct ks_oref *r)
{
	return (cell_key(l, r, true));
}

/* See lower.h. */
uint32_t
ks_low_off_key(struct ks_lower *l, int64_t off)
{
	return (off_key(l, off, true));
}

/* See lower.h. */
uint32_t
ks_low_table_key(struct ks_lower *l, const struct ks_oref *r)
{
	return (table_key(l, r, true));
}

/* See lower.h. */
uint32_t
ks_low_static_key(struct ks_lower *l, const char *name)
{
	char text[320];

	snprintf(text, sizeof(text), "static:%s", name);
	return (ks_intern(l->u->str, text));
}

/* See lower.h. */
const char *
ks_low_static_name(const struct ks_lower *l, const struct ks_oref *r)
{
	const char *name;

	if (r->sym == KS_NONE || (r->sect != KS_NOSECT &&
	    l->o->syms[r->sym].off != r->off))
		return (NULL);
	name = l->o->syms[r->sym].name;
	return (strncmp(name, STATIC_KEY, strlen(STATIC_KEY)) == 0 ?
	    name + strlen(STATIC_KEY) : NULL);
}

/* See lower.h. */
void
ks_low_store(struct ks_lower *l, uint32_t k, uint32_t sym)
{
	if (k != 0)
		*ks_vec_push(&l->u->stores) = (struct ks_store){ k, sym };
}

/* --- escapes ------------------------------------------------------------------------------- */

/* See lower.h. */
void
ks_low_escape(struct ks_lower *l, const struct ks_oref *r, const char *what)
{
	*ks_vec_push(&l->data->escapes) = (struct escape){ *r,
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
		const struct pointer *p = &d->ptrs.v[i];

		if (o->linked)
			escape_data(l, p->from, "stored in data");
		else if (is_walked(o->sects[p->sect].name))
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
				escape_data(l, data_node(l, r.sect, r.off),
				    "in exported data");
		}
	}
	for (size_t i = 0; i < d->escapes.n; i++) {
		const struct escape *e = &d->escapes.v[i];

		if (is_data(l, &e->at))
			escape_data(l, data_node(l, e->at.sect, e->at.off),
			    e->what);
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

		for (uint32_t i = first_pointer(l, n); i < d->ptrs.n &&
		    d->ptrs.v[i].from == n; i++) {
			const struct ks_oref *r = &d->ptrs.v[i].to;
			uint32_t to;

			if (!is_data(l, r))
				continue;
			to = data_node(l, r->sect, r->off);
			if ((d->marks[to] & ESCAPES) != 0)
				continue;
			escape_data(l, to, d->why[n]);
			*ks_vec_push(&work) = to;
		}
	}
	ks_vec_free(&work);
}

/* --- stores ------------------------------------------------------------------------------------ */

static bool
is_code(const struct ks_lower *l, const struct ks_oref *r)
{
	return (r->sect == KS_NOSECT || l->o->sects[r->sect].exec);
}

/*
 * The distance at which the pointers to functions of one variable, FIRST to
 * END, repeat: it divides the variable's size, and a pointer with another
 * one at that distance behind it is the rule.  0: they do not.
 */
static uint64_t
period(const struct ks_lower *l, const struct pointer *first,
    const struct pointer *end, uint64_t size)
{
	uint64_t word = l->o->mode64 ? 8 : 4;

	if (end - first < 2 || end - first > 4096)
		return (0);
	for (const struct pointer *q = first + 1; q < end; q++) {
		uint64_t d = q->off - first->off, hits = 0, tries = 0;
		const struct pointer *x = first, *y = first;

		if (d == 0 || d % word != 0 || size % d != 0 || size == d)
			continue;
		for (; x < end; x++) {
			if (x->off + d >= first->off + size)
				break;
			tries++;
			while (y < end && y->off < x->off + d)
				y++;
			hits += y < end && y->off == x->off + d;
		}
		if (tries != 0 && hits * 4 >= tries * 3)
			return (d);
	}
	return (0);
}

static void
store_pointer(struct ks_lower *l, const struct pointer *p, uint64_t start,
    uint64_t step)
{
	struct ks_oref at = { KS_NONE, p->sect, p->off, false };
	uint64_t off = p->off - start;
	/* Keys of a closed unit are nobody else's to ask for. */
	bool new = !l->u->closed;
	uint32_t k[5], sym = KS_NONE, n = 0;
	const char *name;

	at.sym = ks_obj_sym_at(l->o, p->sect, p->off);
	k[n++] = cell_key(l, &at, new);
	k[n++] = table_key(l, &at, new);
	if (at.sym != KS_NONE) {
		k[n++] = off_key(l, (int64_t)off, new);
		if (step != 0 && off >= step)
			k[n++] = off_key(l, (int64_t)(off % step), new);
		name = off == 0 ? ks_low_static_name(l, &at) : NULL;
		if (name != NULL)
			k[n++] = ks_low_static_key(l, name);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (k[i] == 0)
			continue;
		if (sym == KS_NONE)
			sym = ks_low_code_sym(l, &p->to, false);
		if (sym != KS_NONE)
			ks_low_store(l, k[i], sym);
	}
}

static void
data_stores(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	struct ks_low_data *d = l->data;

	for (size_t i = 0, j; i < d->ptrs.n; i = j) {
		uint32_t node = d->ptrs.v[i].from;
		uint64_t start = 0, size = 0, step = 0;

		for (j = i; j < d->ptrs.n && d->ptrs.v[j].from == node; j++)
			;
		if (node < o->nsym) {
			start = o->syms[node].off;
			size = o->syms[node].size;
			step = period(l, &d->ptrs.v[i], d->ptrs.v + j, size);
		}
		for (size_t k = i; k < j; k++) {
			const struct pointer *p = &d->ptrs.v[k];
			bool escapes = (d->marks[node] & ESCAPES) != 0;

			if (!is_code(l, &p->to))
				continue;
			store_pointer(l, p, start, step);
			/* Functions that are not lowered do not matter. */
			if (!matters(l, &p->to))
				continue;
			flag_sym(l, &p->to, escapes ? KS_SYM_ESCAPES : 0,
			    d->why[node]);
		}
	}
}

static int
by_key(const void *a, const void *b, void *ctx)
{
	const struct ks_store *x = a, *y = b;

	(void)ctx;
	if (x->key != y->key)
		return (x->key < y->key ? -1 : 1);
	return (x->sym < y->sym ? -1 : x->sym > y->sym);
}

/* See lower.h. */
void
ks_low_finish(struct ks_lower *l)
{
	struct ks_unit *u = l->u;
	size_t n = 0;

	roots(l);
	spread(l);
	data_stores(l);
	for (size_t i = 0; i < l->data->taken.n; i++)
		if (is_code(l, &l->data->taken.v[i]))
			flag_sym(l, &l->data->taken.v[i], 0, NULL);
	ks_sort(u->stores.v, u->stores.n, sizeof(u->stores.v[0]), by_key,
	    NULL);
	for (size_t i = 0; i < u->stores.n; i++)
		if (i == 0 || by_key(&u->stores.v[i], &u->stores.v[n - 1],
		    NULL) != 0)
			u->stores.v[n++] = u->stores.v[i];
	u->stores.n = n;
}
