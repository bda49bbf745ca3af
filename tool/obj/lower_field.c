/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cells of function pointers that are known by type: member M of record T
 * has the key "field:T.M", wherever the record is.
 *
 *  1. A call whose pointer was loaded from a member has that member's key,
 *     and no other: what other records have at the same offset is nothing
 *     to it.
 *  2. A function's address that is stored to such a member is stored under
 *     its key.  What is stored there and not known is a store of something
 *     unknown; what was loaded from another cell is a copy of all that is
 *     stored in that one.
 *  3. Tables in data have no type of their own.  One whose address is
 *     stored to, passed or returned as a pointer to T, or that is copied to
 *     a T, is a T; what it points to has the types of its members.
 *
 * Limit: a table whose address goes only where no types are known (void *)
 * is not found by the members that calls name.
 */
#include <string.h>

#include "lower.h"
#include "obj_priv.h"

#define MAX_ROUNDS	16	/* of copies of copies */

/* What a typed reference says of ref. */
enum { ITSELF, ITS_POINTER, ALL_POINTERS };

static const uint8_t arg_regs[] = { KS_RDI, KS_RSI, KS_RDX, KS_RCX, KS_R8,
    KS_R9 };

/* --- keys ------------------------------------------------------------ */

static uint32_t
field_key(struct ks_lower *l, uint32_t owner, const char *member)
{
	const char *name = ks_btf_name(l->btf, owner);
	char text[512];

	if (name[0] != '\0')
		snprintf(text, sizeof(text), "field:%s.%s", name, member);
	else
		snprintf(text, sizeof(text), "field:#%u.%s", owner, member);
	return (ks_intern(l->u->str, text));
}

/* The key of a member that is a function pointer, else 0. */
static uint32_t
place_key(struct ks_lower *l, const struct ks_btf_place *at)
{
	uint32_t to = ks_btf_pointee(l->btf, at->type);

	return (ks_btf_kind(l->btf, to) == KS_BTF_FUNC_PROTO ?
	    field_key(l, at->owner, at->member) : 0);
}

static uint32_t
type_key(struct ks_lower *l, const struct ks_low_type *e)
{
	struct ks_btf_place at;

	return (e->kind == KS_TYPE_FUNC && ks_btf_at(l->btf, e->root, e->off,
	    0, &at) ? field_key(l, e->root, at.member) : 0);
}

/* See lower.h. */
bool
ks_low_field_call(struct ks_low_fn *fn, struct ks_call *c,
    const struct ks_opnd *o)
{
	struct ks_low_type e = ks_low_type_of(fn, o);
	uint32_t k = type_key(fn->l, &e);

	ks_low_key(fn, c, k);
	return (k != 0);
}

/* --- stores ---------------------------------------------------------- */

static void
store(struct ks_lower *l, uint32_t key, uint32_t sym)
{
	*ks_vec_push(&l->u->stores) = (struct ks_store){ key, sym };
}

static void
copy(struct ks_lower *l, uint32_t from, uint32_t to)
{
	if (from != to)
		*ks_vec_push(&l->data->copies) = (struct ks_low_copy){ from,
		    to };
}

/* The pointer with this origin points to TYPE. */
static void
points_to(struct ks_lower *l, const struct ks_low_origin *o, uint32_t type)
{
	struct ks_low_typed t = { .ref = o->ref, .type = type };

	if (type == 0)
		return;
	if (o->kind == KS_ORIGIN_ADDR && !ks_low_is_code(l, &o->ref))
		t.what = ITSELF;
	else if (o->kind == KS_ORIGIN_CELL)
		t.what = ITS_POINTER;
	else if (o->kind == KS_ORIGIN_TABLE)
		t.what = ALL_POINTERS;
	else
		return;
	*ks_vec_push(&l->data->typed) = t;
}

/* See lower.h. */
void
ks_low_field_value(struct ks_low_fn *fn, const struct ks_btf_place *at,
    const struct ks_low_origin *o, const struct ks_low_type *e)
{
	struct ks_lower *l = fn->l;
	uint32_t key = place_key(l, at), from = 0, sym = KS_NONE;

	if (key == 0) {
		points_to(l, o, ks_btf_pointee(l->btf, at->type));
		return;
	}
	if (o->kind == KS_ORIGIN_ADDR)
		sym = ks_low_code_sym(l, &o->ref, false);
	else if (o->kind == KS_ORIGIN_CELL || o->kind == KS_ORIGIN_TABLE)
		from = ks_low_cell_key(l, &o->ref,
		    o->kind == KS_ORIGIN_TABLE);
	else if (e->kind == KS_TYPE_FUNC)
		from = type_key(l, e);
	if (from != 0)
		copy(l, from, key);
	else if (e->kind != KS_TYPE_NULL)
		store(l, key, sym);
}

/* See lower.h. */
void
ks_low_field_stored(struct ks_low_fn *fn, const struct ks_opnd *d,
    const struct ks_opnd *s)
{
	struct ks_btf_place at;
	struct ks_low_type e;

	if (fn->ntyp == 0 || d->kind != KS_OPND_MEM || d->bits != 64 ||
	    !ks_low_type_at(fn, d, &at))
		return;
	e = ks_low_type_of(fn, s);
	ks_low_field_value(fn, &at, ks_low_origin_of(fn, s), &e);
}

/* The table that register FROM points to is copied to where TO points. */
static void
copied(struct ks_low_fn *fn, unsigned to, unsigned from)
{
	const struct ks_low_origin *o = ks_low_origin_reg(fn, from);
	struct ks_low_type e = ks_low_type_reg(fn, to);

	if (o->kind != KS_ORIGIN_ADDR || e.kind != KS_TYPE_PTR ||
	    ks_low_is_code(fn->l, &o->ref))
		return;
	*ks_vec_push(&fn->l->data->typed) = (struct ks_low_typed){
		.ref = o->ref, .type = e.type, .off = e.off,
		.stride = e.stride, .what = ITSELF };
}

/* See lower.h. */
void
ks_low_field_copied(struct ks_low_fn *fn)
{
	uint16_t both = 1u << KS_RDI | 1u << KS_RSI;

	if (fn->ntyp != 0 && fn->insn->in.rep &&
	    (fn->insn->in.gpr_write & both) == both)
		copied(fn, KS_RDI, KS_RSI);
}

/* A record of TYPE on the stack is passed: what its slots hold. */
static void
passed_slots(struct ks_low_fn *fn, struct ks_cfg_addr a, uint32_t type)
{
	uint64_t size = ks_btf_size(fn->l->btf, type);
	size_t lo, hi;

	if (size > 65536)
		return;
	ks_low_slot_range(fn, a, (unsigned)size, &lo, &hi);
	for (; lo < hi && KS_GPR_MAX + lo < fn->norg &&
	    KS_GPR_MAX + lo < fn->ntyp; lo++) {
		const struct ks_low_slot *s = &fn->slots.v[lo];
		struct ks_btf_place at;
		struct ks_low_type e;

		if (s->size != fn->word || !ks_btf_at(fn->l->btf, type,
		    s->off - a.off, 0, &at))
			continue;
		e = ks_low_type_reg(fn, (unsigned)(KS_GPR_MAX + lo));
		ks_low_field_value(fn, &at, ks_low_origin_reg(fn,
		    (unsigned)(KS_GPR_MAX + lo)), &e);
	}
}

/* See lower.h. */
void
ks_low_field_passed(struct ks_low_fn *fn, uint32_t proto, const char *callee)
{
	const struct ks_btf *b = fn->l->btf;

	if (fn->ntyp == 0)
		return;
	/* Compilers call these for assignments of records. */
	if (strcmp(callee, "memcpy") == 0 || strcmp(callee, "memmove") == 0 ||
	    strcmp(callee, "__memcpy") == 0)
		copied(fn, KS_RDI, KS_RSI);
	for (uint32_t i = 0; proto != 0 && i < 6; i++) {
		uint32_t to = ks_btf_pointee(b, ks_btf_param(b, proto, i));

		if (to == 0)
			continue;
		points_to(fn->l, ks_low_origin_reg(fn, arg_regs[i]), to);
		if (fn->fr.r[arg_regs[i]].base != KS_SP_UNKNOWN)
			passed_slots(fn, fn->fr.r[arg_regs[i]], to);
	}
}

/* See lower.h. */
void
ks_low_field_returned(struct ks_low_fn *fn)
{
	if (fn->ntyp != 0 && fn->proto != 0)
		points_to(fn->l, ks_low_origin_reg(fn, KS_RAX),
		    ks_btf_pointee(fn->l->btf, ks_btf_result(fn->l->btf,
		    fn->proto)));
}

/* --- tables ---------------------------------------------------------- */

struct todo {
	struct ks_lower *l;
	struct ks_strtab *seen;
};

static void
add(struct todo *w, const struct ks_low_typed *t)
{
	char text[128];
	uint32_t n = ks_strtab_count(w->seen);

	snprintf(text, sizeof(text), "%u %llx %u %u %llx %llx", t->ref.sect,
	    (unsigned long long)t->ref.off, t->type, t->what,
	    (unsigned long long)t->off, (unsigned long long)t->stride);
	if (t->type != 0 && t->ref.sect != KS_NOSECT &&
	    ks_intern(w->seen, text) == n)
		*ks_vec_push(&w->l->data->typed) = *t;
}

/* Pointer P lies at a member of a record of a known type. */
static void
pointer_at(struct todo *w, const struct ks_low_pointer *p,
    const struct ks_low_typed *t, uint64_t stride)
{
	struct ks_lower *l = w->l;
	struct ks_low_typed to = { .ref = p->to };
	struct ks_btf_place at;
	uint32_t key, sym;

	if (!ks_btf_at(l->btf, t->type, (int64_t)(p->off - t->ref.off) +
	    t->off, stride, &at))
		return;
	if (!ks_low_is_code(l, &p->to)) {
		to.type = ks_btf_pointee(l->btf, at.type);
		add(w, &to);
		return;
	}
	if ((key = place_key(l, &at)) == 0)
		return;
	sym = ks_low_code_sym(l, &p->to, false);
	if (sym != KS_NONE)
		store(l, key, sym);
}

static void
table(struct todo *w, const struct ks_low_typed *t)
{
	const struct ks_obj *o = w->l->o;
	const struct ks_low_data *d = w->l->data;
	uint64_t size = ks_btf_size(w->l->btf, t->type), stride = t->stride;
	uint64_t start = t->ref.off, end = start + size;
	uint32_t node = ks_low_data_node(w->l, t->ref.sect, t->ref.off);

	if (node < o->nsym) {
		start = o->syms[node].off;
		end = start + o->syms[node].size;
		/* An array of it. */
		if (t->off == 0 && size != 0 && end - start > size &&
		    (end - start) % size == 0 &&
		    (t->ref.off - start) % size == 0)
			stride = size;
	}
	for (size_t i = ks_low_first_pointer(w->l, node); i < d->ptrs.n &&
	    d->ptrs.v[i].from == node; i++) {
		struct ks_low_pointer p = d->ptrs.v[i];
		struct ks_low_typed to = { .ref = p.to, .type = t->type };

		if (t->what == ITSELF) {
			if (p.off >= start && p.off < end)
				pointer_at(w, &p, t, stride);
		} else if ((t->what == ALL_POINTERS ||
		    p.off == t->ref.off) && !ks_low_is_code(w->l, &p.to)) {
			add(w, &to);
		}
	}
}

/* Variables that BTF names. */
static void
variables(struct todo *w)
{
	struct ks_lower *l = w->l;
	const struct ks_obj *o = l->o;

	for (uint32_t i = 0; i < o->nsym; i++) {
		const struct ks_osym *s = &o->syms[i];
		struct ks_low_typed t = { .ref = { i, s->sect, s->off,
		    false } };

		if (s->type != KS_OSYM_OBJECT || s->sect == KS_NOSECT)
			continue;
		t.type = ks_btf_type_of(l->btf, ks_btf_find_own(l->btf,
		    KS_BTF_VAR, s->name));
		add(w, &t);
	}
}

/* --- copies ---------------------------------------------------------- */

static int
by_key(const void *a, const void *b, void *ctx)
{
	const struct ks_store *x = a, *y = b;

	(void)ctx;
	if (x->key != y->key)
		return (x->key < y->key ? -1 : 1);
	return (x->sym < y->sym ? -1 : x->sym > y->sym);
}

/* Sorted, and each once. */
static void
tidy(struct ks_unit *u)
{
	size_t n = 0;

	ks_sort(u->stores.v, u->stores.n, sizeof(u->stores.v[0]), by_key,
	    NULL);
	for (size_t i = 0; i < u->stores.n; i++)
		if (n == 0 || by_key(&u->stores.v[i], &u->stores.v[n - 1],
		    NULL) != 0)
			u->stores.v[n++] = u->stores.v[i];
	u->stores.n = n;
}

static void
copies(struct ks_lower *l)
{
	struct ks_unit *u = l->u;
	size_t before = SIZE_MAX;

	tidy(u);
	for (int round = 0; u->stores.n != before; round++) {
		size_t n = before = u->stores.n;

		for (size_t i = 0; i < l->data->copies.n; i++) {
			struct ks_low_copy c = l->data->copies.v[i];
			struct ks_store first = { c.from, 0 };
			size_t lo = 0, hi = n;

			if (round == MAX_ROUNDS)
				store(l, c.to, KS_NONE);
			while (lo < hi) {
				size_t mid = lo + (hi - lo) / 2;

				if (by_key(&u->stores.v[mid], &first,
				    NULL) < 0)
					lo = mid + 1;
				else
					hi = mid;
			}
			for (; lo < n && u->stores.v[lo].key == c.from; lo++)
				store(l, c.to, u->stores.v[lo].sym);
		}
		tidy(u);
		if (round == MAX_ROUNDS)
			break;
	}
}

/* See lower.h. */
void
ks_low_field_stores(struct ks_lower *l)
{
	struct todo w = { .l = l };
	KS_VEC(struct ks_low_typed) first = { 0 };

	if (l->btf == NULL)
		return;
	w.seen = ks_strtab_new();
	for (size_t i = 0; i < l->data->typed.n; i++)
		*ks_vec_push(&first) = l->data->typed.v[i];
	l->data->typed.n = 0;
	for (size_t i = 0; i < first.n; i++)
		add(&w, &first.v[i]);
	ks_vec_free(&first);
	variables(&w);
	for (size_t i = 0; i < l->data->typed.n; i++) {
		struct ks_low_typed t = l->data->typed.v[i];

		table(&w, &t);
	}
	ks_strtab_free(w.seen);
	copies(l);
}
