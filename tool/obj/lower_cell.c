/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells of function pointers: what is stored where, and where the pointer of
 * an indirect call was loaded from.  Both are named by keys; what is stored
 * under a call's key may be its target.
 *
 *	static:NAME	the key of a static call
 *	ifunc:NAME	what the resolver of an ifunc may return: the
 *			functions whose address it takes
 *	cell:VAR+N	offset N of a variable
 *	tab:VAR		some entry of a table
 *	arg:F.I+N	offset N of the table that is passed as parameter I to
 *			function F, all of whose callers are seen
 *	at:VAR+M.N	offset N of the table whose address is in cell VAR+M
 *	path:M.N	offset N of the table whose address is at offset M of
 *			some record
 *	off:N		offset N of some record that is a parameter
 *	choice:S+N	one of the addresses that the call at N may get, or
 *			something unknown
 *
 *  1. A call gets the keys that its pointer's origin has (lower_origin.c),
 *     the most precise first.  Only a record that is a parameter gets an
 *     "off:" key: in a large object an offset alone is any record's.  A
 *     pointer without keys is an unknown target, which the engine counts.
 *  2. Pointers in data, and addresses that code stores, are stores.  The
 *     address of a table makes a store of every function in the table.
 *  3. If a variable is an array of records (its pointers repeat at a
 *     distance that divides its size, with gaps between), offsets count from
 *     the start of the record, too.
 *  4. "arg:" keys are solved over all calls of the object: a parameter that
 *     is handed on leads to the caller's own.
 *
 * Keys that are offsets alone are guesses (lower_guess.c).
 *
 * A closed unit's keys are nobody else's to ask for: only those that some
 * call has are stored.
 *
 * Known limits: memory is not followed.  A pointer that is copied from one
 * record to another, or a record that is found at another offset from its
 * container, is not found under its new key.  An array of records of
 * function pointers only is taken for one record.
 */
#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

/* static_call(NAME) keeps its key in a variable of this name. */
#define STATIC_KEY	"__SCK__"
#define MAX_WALK	256	/* parameters behind one "arg:" key */
#define MAX_TABLES	(1u << 22)	/* functions in stored tables */

static const uint8_t arg_regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX, KS_R8,
    KS_R9 };

/* --- keys -------------------------------------------------------------- */

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

/* "WHAT:VAR+N" and what follows. */
static uint32_t
var_key(struct ks_lower *l, const char *what, const struct ks_oref *r,
    const char *rest, bool new)
{
	char name[400], text[512];
	uint64_t start;

	if (!data_name(l, r, name, sizeof(name), &start))
		return (0);
	snprintf(text, sizeof(text), "%s:%s+%lld%s", what, name,
	    (long long)(r->off - start), rest);
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

static uint32_t
off_key(struct ks_lower *l, int64_t off, bool new)
{
	char text[64];

	snprintf(text, sizeof(text), "off:%lld", (long long)off);
	return (key(l, text, new));
}

static uint32_t
path_key(struct ks_lower *l, int64_t at, int64_t off, bool new)
{
	char text[96];

	snprintf(text, sizeof(text), "path:%lld.%lld", (long long)at,
	    (long long)off);
	return (key(l, text, new));
}

static uint32_t
at_key(struct ks_lower *l, const struct ks_oref *cell, int64_t off, bool new)
{
	char rest[48];

	snprintf(rest, sizeof(rest), ".%lld", (long long)off);
	return (var_key(l, "at", cell, rest, new));
}

/* See lower.h. */
uint32_t
ks_low_cell_key(struct ks_lower *l, const struct ks_oref *r, bool table)
{
	return (table ? table_key(l, r, true) :
	    var_key(l, "cell", r, "", true));
}

/* See lower.h. */
uint32_t
ks_low_static_key(struct ks_lower *l, const char *name)
{
	char text[320];

	snprintf(text, sizeof(text), "static:%s", name);
	return (ks_intern(l->u->str, text));
}

/* The static call that the variable at R is the key of, or NULL. */
static const char *
static_name(const struct ks_lower *l, const struct ks_oref *r)
{
	const char *name;

	if (r->sym == KS_NONE || (r->sect != KS_NOSECT &&
	    l->o->syms[r->sym].off != r->off))
		return (NULL);
	name = l->o->syms[r->sym].name;
	return (strncmp(name, STATIC_KEY, strlen(STATIC_KEY)) == 0 ?
	    name + strlen(STATIC_KEY) : NULL);
}

static void
store(struct ks_lower *l, uint32_t k, uint32_t sym)
{
	if (k != 0)
		*ks_vec_push(&l->u->stores) = (struct ks_store){ k, sym };
}

/* --- calls ------------------------------------------------------------- */

/* See lower.h. */
void
ks_low_key(struct ks_low_fn *fn, struct ks_call *c, uint32_t k)
{
	if (k == 0)
		return;
	if (c->nkey == 0)
		c->key = (uint32_t)fn->f->keys.n;
	*ks_vec_push(&fn->f->keys) = k;
	c->nkey++;
}

/* A call through a table that a parameter points to. */
static uint32_t
arg_key(struct ks_low_fn *fn, uint32_t num, int64_t off)
{
	struct ks_lower *l = fn->l;
	char text[512];
	uint32_t k;

	if (fn->exported)
		return (0);
	snprintf(text, sizeof(text), "arg:%s#%u.%u+%lld",
	    ks_str(l->u->str, l->u->syms.v[fn->sym].name), fn->sym, num,
	    (long long)off);
	k = ks_intern(l->u->str, text);
	*ks_vec_push(&l->data->argkeys) =
	    (struct ks_low_argkey){ fn->sym, num, k, off };
	return (k);
}

/* A call through one of several addresses, or something unknown. */
static void
choice(struct ks_low_fn *fn, struct ks_call *c,
    const struct ks_low_origin *o)
{
	struct ks_lower *l = fn->l;
	char text[320];
	uint32_t k;

	snprintf(text, sizeof(text), "choice:%u+%llu@%s", fn->insn->sect,
	    (unsigned long long)fn->insn->off,
	    ks_str(l->u->str, l->u->name));
	k = ks_intern(l->u->str, text);
	ks_low_key(fn, c, k);
	store(l, k, KS_NONE);
	for (; o != NULL; o = ks_low_origin_next(fn, o)) {
		uint32_t sym = ks_low_code_sym(l, &o->ref, true);

		if (sym != KS_NONE)
			store(l, k, sym);
	}
}

/* See lower.h. */
void
ks_low_keys(struct ks_low_fn *fn, struct ks_call *c,
    const struct ks_low_origin *o)
{
	const struct ks_low_origin *b = ks_low_origin_base(fn, o);
	struct ks_lower *l = fn->l;

	switch (o->kind) {
	case KS_ORIGIN_CELL:
		ks_low_key(fn, c, var_key(l, "cell", &o->ref, "", true));
		return;
	case KS_ORIGIN_TABLE:
		ks_low_key(fn, c, table_key(l, &o->ref, true));
		return;
	case KS_ORIGIN_CHOICE:
		choice(fn, c, o);
		return;
	case KS_ORIGIN_FIELD:
		break;
	default:
		return;
	}
	if (b->kind == KS_ORIGIN_FIELD) {
		if (l->btf == NULL)
			ks_low_key(fn, c, path_key(l, b->off, o->off,
			    true));
		return;
	}
	if (b->kind == KS_ORIGIN_CELL) {
		ks_low_key(fn, c, at_key(l, &b->ref, o->off, true));
		return;
	}
	if (b->kind != KS_ORIGIN_PARAM)
		return;
	ks_low_key(fn, c, arg_key(fn, b->num, o->off));
	if (l->btf == NULL)
		ks_low_key(fn, c, off_key(l, o->off, true));
}

/* See lower.h. */
uint32_t
ks_low_ifunc_key(struct ks_lower *l, const struct ks_oref *r)
{
	char text[320];

	if (r->sym == KS_NONE || l->o->syms[r->sym].type != KS_OSYM_IFUNC)
		return (0);
	snprintf(text, sizeof(text), "ifunc:%s", l->o->syms[r->sym].name);
	return (ks_intern(l->u->str, text));
}

/* See lower.h. */
void
ks_low_resolves(struct ks_low_fn *fn, uint32_t sym)
{
	char text[320];

	snprintf(text, sizeof(text), "ifunc:%s", fn->ifunc);
	store(fn->l, ks_intern(fn->l->u->str, text), sym);
}

/* The address V is stored to D. */
static void
store_address(struct ks_low_fn *fn, const struct ks_opnd *d,
    const struct ks_low_origin *v)
{
	const struct ks_low_origin *at;
	struct ks_low_table t = { .cell = { KS_NONE, KS_NOSECT, 0, false } };
	struct ks_lower *l = fn->l;
	uint32_t sym;

	ks_low_taken(l, &v->ref);
	at = ks_low_origin_mem(fn, d);
	sym = ks_low_code_sym(l, &v->ref, false);
	if (sym == KS_NONE) {
		t.table = v->ref;
		t.off = at->off;
		if (at->kind == KS_ORIGIN_CELL)
			t.cell = at->ref;
		if (at->kind == KS_ORIGIN_CELL || at->kind == KS_ORIGIN_FIELD)
			*ks_vec_push(&l->data->tables) = t;
		return;
	}
	if (at->kind == KS_ORIGIN_CELL)
		store(l, var_key(l, "cell", &at->ref, "", true), sym);
	else if (at->kind == KS_ORIGIN_TABLE)
		store(l, table_key(l, &at->ref, true), sym);
	if (d->reg < KS_GPR_MAX && d->index == KS_NOREG)
		ks_low_guess(l, off_key(l, d->val, true), sym, 0);
}

/* See lower.h. */
void
ks_low_stored(struct ks_low_fn *fn, const struct ks_opnd *d,
    const struct ks_opnd *s)
{
	const struct ks_low_origin *v;
	struct ks_cfg_addr a;

	if (d->kind != KS_OPND_MEM || d->bits != fn->word * 8 ||
	    ks_low_stack(fn, &fn->fr, d, &a))
		return;
	ks_low_field_stored(fn, d, s);
	v = ks_low_origin_first(ks_low_origin_of(fn, s));
	while (v != NULL) {
		struct ks_low_origin o = *v;	/* others may move it */

		store_address(fn, d, &o);
		v = ks_low_origin_next(fn, &o);
	}
}

/* See lower.h. */
void
ks_low_bind(struct ks_low_fn *fn, uint32_t sym)
{
	struct ks_low_data *d = fn->l->data;

	if (sym == KS_NONE)
		return;
	while (d->blind.n <= sym)
		*ks_vec_push(&d->blind) = 0;
	for (uint32_t i = 0; i < 6; i++) {
		const struct ks_low_origin *o =
		    ks_low_origin_reg(fn, arg_regs[i]);
		struct ks_low_bind b = { .sym = sym, .num = i,
		    .fromsym = KS_NONE };

		if (o->kind == KS_ORIGIN_ADDR &&
		    !ks_low_is_code(fn->l, &o->ref)) {
			b.table = o->ref;
		} else if (o->kind == KS_ORIGIN_PARAM) {
			b.fromsym = fn->sym;
			b.fromnum = o->num;
		} else {
			d->blind.v[sym] |= 1u << i;
			continue;
		}
		*ks_vec_push(&d->binds) = b;
	}
}

/* See lower.h. */
bool
ks_low_static_update(struct ks_low_fn *fn)
{
	const char *name = NULL;
	uint32_t key_arg = 0;

	for (uint32_t i = 0; i < 6 && name == NULL; i++) {
		const struct ks_low_origin *o =
		    ks_low_origin_reg(fn, arg_regs[i]);

		key_arg = i;
		if (o->kind == KS_ORIGIN_ADDR)
			name = static_name(fn->l, &o->ref);
	}
	for (uint32_t i = 0; i < 6 && name != NULL; i++) {
		const struct ks_low_origin *o =
		    ks_low_origin_reg(fn, arg_regs[i]);
		uint32_t sym;

		if (i == key_arg || o->kind != KS_ORIGIN_ADDR)
			continue;
		sym = ks_low_code_sym(fn->l, &o->ref, false);
		if (sym != KS_NONE)
			store(fn->l, ks_low_static_key(fn->l, name), sym);
	}
	return (name != NULL);
}

/* --- pointers in data -------------------------------------------------- */

/*
 * The distance at which the pointers to functions of one variable, FIRST to
 * END, repeat.  0: they do not.
 */
static uint64_t
period(const struct ks_lower *l, const struct ks_low_pointer *first,
    const struct ks_low_pointer *end, uint64_t size)
{
	uint64_t word = l->o->mode64 ? 8 : 4, n = (uint64_t)(end - first);

	if (n < 2 || n > 4096 || n * word >= size)
		return (0);
	for (const struct ks_low_pointer *q = first + 1; q < end; q++) {
		uint64_t d = q->off - first->off, hits = 0, tries = 0;
		const struct ks_low_pointer *x = first, *y = first;

		if (d <= word || d % word != 0 || size % d != 0 || size == d)
			continue;
		for (; x < end && x->off + d < first->off + size; x++) {
			tries++;
			while (y < end && y->off < x->off + d)
				y++;
			hits += y < end && y->off == x->off + d &&
			    ks_low_is_code(l, &y->to) ==
			    ks_low_is_code(l, &x->to);
		}
		if (tries != 0 && hits * 4 >= tries * 3)
			return (d);
	}
	return (0);
}

static void
store_function(struct ks_lower *l, const struct ks_low_pointer *p,
    uint64_t start, uint64_t size, uint64_t step)
{
	struct ks_oref at = { KS_NONE, p->sect, p->off, false };
	uint64_t off = p->off - start;
	bool new = !l->u->closed;
	uint32_t k[3], g[2] = { 0, 0 }, sym, n = 0, any = 0;
	const char *name;

	at.sym = ks_obj_sym_at(l->o, p->sect, p->off);
	k[n++] = var_key(l, "cell", &at, "", new);
	k[n++] = table_key(l, &at, new);
	if (at.sym != KS_NONE) {
		g[0] = off_key(l, (int64_t)off, new);
		if (step != 0 && off >= step)
			g[1] = off_key(l, (int64_t)(off % step), new);
		name = off == 0 ? static_name(l, &at) : NULL;
		if (name != NULL)
			k[n++] = ks_low_static_key(l, name);
	}
	for (uint32_t i = 0; i < n; i++)
		any |= k[i];
	if ((any | g[0] | g[1]) == 0 ||
	    (sym = ks_low_code_sym(l, &p->to, false)) == KS_NONE)
		return;
	for (uint32_t i = 0; i < n; i++)
		store(l, k[i], sym);
	for (uint32_t i = 0; i < 2; i++)
		ks_low_guess(l, g[i], sym, step != 0 ? step : size);
}

/* The address of a table in a variable. */
static void
note_table(struct ks_lower *l, const struct ks_low_pointer *p,
    uint64_t start, uint64_t step)
{
	struct ks_low_table t = { .table = p->to };

	t.cell = (struct ks_oref){ ks_obj_sym_at(l->o, p->sect, p->off),
	    p->sect, p->off, false };
	*ks_vec_push(&l->data->tables) = t;
	if (t.cell.sym == KS_NONE)
		return;
	t.cell = (struct ks_oref){ KS_NONE, KS_NOSECT, 0, false };
	t.off = (int64_t)(p->off - start);
	*ks_vec_push(&l->data->tables) = t;
	if (step != 0 && p->off - start >= step) {
		t.off = (int64_t)((p->off - start) % step);
		*ks_vec_push(&l->data->tables) = t;
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
			if (ks_low_is_code(l, &d->ptrs.v[k].to))
				store_function(l, &d->ptrs.v[k], start, size,
				    step);
			else
				note_table(l, &d->ptrs.v[k], start, step);
		}
	}
}

/* --- tables ------------------------------------------------------------ */

/* The pointers in the variable that holds R: first and one past the last. */
static void
pointers_of(const struct ks_lower *l, const struct ks_oref *r, size_t *first,
    size_t *end)
{
	uint32_t node;

	*first = *end = 0;
	if (r->sect == KS_NOSECT)
		return;
	node = ks_low_data_node(l, r->sect, r->off);
	*first = *end = ks_low_first_pointer(l, node);
	/* A whole section is not a table. */
	if (node >= l->o->nsym)
		return;
	while (*end < l->data->ptrs.n && l->data->ptrs.v[*end].from == node)
		++*end;
}

static void
table_stores(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;
	bool new = !l->u->closed;
	uint32_t budget = MAX_TABLES;

	for (size_t i = 0; i < d->tables.n; i++) {
		const struct ks_low_table *t = &d->tables.v[i];
		size_t k, end;

		pointers_of(l, &t->table, &k, &end);
		for (; k < end && budget > 0; k++, budget--) {
			const struct ks_low_pointer *p = &d->ptrs.v[k];
			int64_t off = (int64_t)(p->off - t->table.off);
			uint32_t key, sym;

			if (!ks_low_is_code(l, &p->to) || off < 0)
				continue;
			key = ks_oref_none(&t->cell) ?
			    path_key(l, t->off, off, new) :
			    at_key(l, &t->cell, off, new);
			if (key == 0)
				continue;
			sym = ks_low_code_sym(l, &p->to, false);
			if (sym == KS_NONE)
				continue;
			if (ks_oref_none(&t->cell))
				ks_low_guess(l, key, sym,
				    l->o->syms[p->from].size);
			else
				store(l, key, sym);
		}
	}
}

/* --- parameters -------------------------------------------------------- */

static int
by_param(const void *a, const void *b, void *ctx)
{
	const struct ks_low_bind *x = a, *y = b;

	(void)ctx;
	if (x->sym != y->sym)
		return (x->sym < y->sym ? -1 : 1);
	return (x->num < y->num ? -1 : x->num > y->num);
}

static size_t
first_bind(const struct ks_low_data *d, uint32_t sym, uint32_t num)
{
	struct ks_low_bind key = { .sym = sym, .num = num };
	size_t lo = 0, hi = d->binds.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (by_param(&d->binds.v[mid], &key, NULL) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (lo);
}

/* The function at offset OFF of table R is stored under KEY. */
static bool
store_entry(struct ks_lower *l, uint32_t key, const struct ks_oref *r,
    int64_t off)
{
	struct ks_low_data *d = l->data;
	uint64_t at = r->off + (uint64_t)off;
	size_t k, end;

	pointers_of(l, r, &k, &end);
	if (k == end)
		return (false);
	for (; k < end; k++) {
		uint32_t sym;

		if (d->ptrs.v[k].sect != r->sect || d->ptrs.v[k].off != at)
			continue;
		sym = ks_low_code_sym(l, &d->ptrs.v[k].to, false);
		if (sym != KS_NONE)
			store(l, key, sym);
		return (sym != KS_NONE);
	}
	return (true);		/* NULL there: the call does not happen */
}

struct param { uint32_t sym, num; };

/* Is it unknown who calls SYM? */
static bool
any_caller(const struct ks_lower *l, uint32_t sym, uint32_t num)
{
	const struct ks_low_data *d = l->data;
	uint32_t flags = l->u->syms.v[sym].flags;

	return ((flags & (KS_SYM_EXPORTED | KS_SYM_ADDR_TAKEN |
	    KS_SYM_ESCAPES)) != 0 ||
	    (sym < d->blind.n && (d->blind.v[sym] >> num & 1) != 0));
}

static void
solve_arg(struct ks_lower *l, const struct ks_low_argkey *a)
{
	struct ks_low_data *d = l->data;
	KS_VEC(struct param) todo = { 0 };
	bool unknown = false;

	*ks_vec_push(&todo) = (struct param){ a->sym, a->num };
	for (size_t i = 0; i < todo.n && !unknown; i++) {
		struct param p = todo.v[i];
		size_t k = first_bind(d, p.sym, p.num);

		unknown = any_caller(l, p.sym, p.num) || todo.n > MAX_WALK;
		for (; k < d->binds.n && !unknown && d->binds.v[k].sym ==
		    p.sym && d->binds.v[k].num == p.num; k++) {
			const struct ks_low_bind *b = &d->binds.v[k];
			bool seen = false;

			if (b->fromsym == KS_NONE) {
				unknown = !store_entry(l, a->key, &b->table,
				    a->off);
				continue;
			}
			for (size_t j = 0; j < todo.n && !seen; j++)
				seen = todo.v[j].sym == b->fromsym &&
				    todo.v[j].num == b->fromnum;
			if (!seen)
				*ks_vec_push(&todo) = (struct param){
				    b->fromsym, b->fromnum };
		}
	}
	if (unknown)
		store(l, a->key, KS_NONE);
	ks_vec_free(&todo);
}

static int
by_argkey(const void *a, const void *b, void *ctx)
{
	const struct ks_low_argkey *x = a, *y = b;

	(void)ctx;
	return (x->key < y->key ? -1 : x->key > y->key);
}

/* Functions that code which is not lowered calls: nothing is known of what. */
static void
blind_calls(struct ks_lower *l)
{
	const struct ks_obj *o = l->o;
	struct ks_low_data *d = l->data;

	while (d->blind.n < l->u->syms.n)
		*ks_vec_push(&d->blind) = 0;
	for (uint32_t i = 0; i < o->nfunc; i++) {
		const struct ks_ofunc *f = &o->funcs[i];
		const struct ks_sect *s = &o->sects[f->sect];
		uint64_t off = f->off, end = f->off + f->size;
		struct ks_dec in;

		for (; !l->wanted[i] && s->data != NULL && off < end;
		    off += in.len) {
			struct ks_oref r;
			const char *name;
			uint32_t t;

			if ((o->mode64 ? ks_decode64(s->data + off, end - off,
			    &in) : ks_decode32(s->data + off, end - off,
			    &in)) == 0) {
				in.len = 1;
				continue;
			}
			if (in.flow != KS_FLOW_CALL && in.flow != KS_FLOW_JMP &&
			    in.flow != KS_FLOW_JCC)
				continue;
			r = ks_obj_pcrel_place(o, f->sect, off + in.rel_off,
			    in.rel, off + in.len);
			if (r.sect == KS_NOSECT)
				continue;
			t = ks_cfg_callee(l->cfg, &r, &name);
			if (t != KS_NONE && t != i && l->fsym[t] != KS_NONE)
				d->blind.v[l->fsym[t]] = 0xff;
		}
	}
}

static void
solve_args(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;

	if (d->argkeys.n == 0)
		return;
	blind_calls(l);
	ks_sort(d->binds.v, d->binds.n, sizeof(d->binds.v[0]), by_param,
	    NULL);
	ks_sort(d->argkeys.v, d->argkeys.n, sizeof(d->argkeys.v[0]),
	    by_argkey, NULL);
	for (size_t i = 0; i < d->argkeys.n; i++)
		if (i == 0 || d->argkeys.v[i].key != d->argkeys.v[i - 1].key)
			solve_arg(l, &d->argkeys.v[i]);
}

/* --- all --------------------------------------------------------------- */

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
ks_low_stores(struct ks_lower *l)
{
	struct ks_unit *u = l->u;
	size_t n = 0;

	data_stores(l);
	table_stores(l);
	ks_low_guesses(l);
	solve_args(l);
	ks_low_field_stores(l);
	ks_sort(u->stores.v, u->stores.n, sizeof(u->stores.v[0]), by_key,
	    NULL);
	for (size_t i = 0; i < u->stores.n; i++)
		if (i == 0 || by_key(&u->stores.v[i], &u->stores.v[n - 1],
		    NULL) != 0)
			u->stores.v[n++] = u->stores.v[i];
	u->stores.n = n;
}
