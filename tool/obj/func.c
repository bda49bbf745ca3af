/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the functions of an object.
 *
 * 1. Symbols with a function type start a function; st_size, where given,
 *    is its size.  Several names of one place are one function; the best
 *    name is kept (ks_sym_rank).
 * 2. Symbols of data in executable sections end a function and are none.
 *    So does the word for a function's type that -fsanitize=kcfi puts in
 *    front of it, as an instruction with a symbol of type function: nothing
 *    runs it, and it does not fall into the function.
 * 3. Labels without type (assembly): global ones start a function, also in
 *    the middle of a sized one, which then falls into them.  Local ones do
 *    where data points at them.
 * 4. Pointers in data to code that no function holds start a function
 *    without a name ("guessed"); tables that name code without anybody ever
 *    calling through them (unwind tables, lists of patch sites) do not.
 * 5. An executable section without any start is one guessed function.
 * 6. Linked files without symbols: a sweep over the code adds the targets
 *    of its calls, and the entry points in data are found by value.
 *
 * What code alone refers to is found later, by the first-level scan, and
 * added with ks_obj_add_functions.
 *
 * Invariants: functions are sorted by section and offset, do not overlap,
 * are not empty and lie in sections that have bytes.
 *
 * Limits: an unsized function ends where the next symbol starts; constants
 * behind its code belong to it (nothing jumps there).
 */
#include <elf.h>
#include <string.h>

#include "ks/decode.h"
#include "obj_priv.h"

/* A place where a function or data in executable sections starts. */
struct start {
	uint32_t sect, sym;	/* sym: KS_NONE: guessed */
	uint64_t off, size;
	bool	 data;
};

struct finder {
	struct ks_obj *o;
	KS_VEC(struct start) v;
	size_t	 sorted;	/* of v; what follows was added since */
};

static bool
is_code(const struct ks_obj *o, uint32_t sect)
{
	return (sect != KS_NOSECT && o->sects[sect].exec &&
	    o->sects[sect].data != NULL);
}

static void
add_start(struct finder *fi, uint32_t sect, uint64_t off, uint64_t size,
    uint32_t sym, bool data)
{
	if (off >= fi->o->sects[sect].size)
		return;
	*ks_vec_push(&fi->v) = (struct start){ sect, sym, off, size, data };
}

static int
by_start(const void *a, const void *b, void *ctx)
{
	const struct ks_obj *o = ctx;
	const struct start *x = a, *y = b;

	if (x->sect != y->sect)
		return (x->sect < y->sect ? -1 : 1);
	if (x->off != y->off)
		return (x->off < y->off ? -1 : 1);
	if (x->data != y->data)
		return (x->data - y->data);
	if ((x->sym == KS_NONE) != (y->sym == KS_NONE))
		return (x->sym == KS_NONE ? 1 : -1);
	if (x->sym == KS_NONE)
		return (0);
	return (ks_sym_rank(&o->syms[x->sym], &o->syms[y->sym]));
}

/* Sorted, and one start a place: the best name, the largest size. */
static void
sort_starts(struct finder *fi)
{
	size_t n = 0;

	ks_sort(fi->v.v, fi->v.n, sizeof(fi->v.v[0]), by_start, fi->o);
	for (size_t i = 0; i < fi->v.n; i++) {
		struct start *s = &fi->v.v[i];
		struct start *last = n == 0 ? NULL : &fi->v.v[n - 1];

		if (last != NULL && last->sect == s->sect &&
		    last->off == s->off) {
			if (s->size > last->size && s->data == last->data)
				last->size = s->size;
			continue;
		}
		fi->v.v[n++] = *s;
	}
	fi->v.n = fi->sorted = n;
}

/* --- symbols -------------------------------------------------------------- */

/* "__cfi_f": nops, and "mov $TYPE, %eax" at the end (LLVM, X86AsmPrinter). */
static bool
is_kcfi_type(const struct ks_obj *o, const struct ks_osym *s)
{
	const struct ks_sect *sect = &o->sects[s->sect];
	const uint8_t *p;

	if (strncmp(s->name, "__cfi_", 6) != 0 || s->size < 5 ||
	    s->off > sect->size || s->size > sect->size - s->off)
		return (false);
	p = sect->data + s->off;
	for (uint64_t i = 0; i < s->size - 5; i++)
		if (p[i] != 0x90)
			return (false);
	return (p[s->size - 5] == 0xb8);
}

static void
from_symbols(struct finder *fi)
{
	struct ks_obj *o = fi->o;

	for (size_t i = 0; i < o->nsym; i++) {
		const struct ks_osym *s = &o->syms[i];

		if (!is_code(o, s->sect) || s->name[0] == '\0')
			continue;
		switch (s->type) {
		case KS_OSYM_FUNC:
		case KS_OSYM_IFUNC:
			add_start(fi, s->sect, s->off, s->size, i,
			    is_kcfi_type(o, s));
			break;
		case KS_OSYM_OBJECT:
			add_start(fi, s->sect, s->off, s->size, i, true);
			break;
		case KS_OSYM_NONE:
			if (!s->local)
				add_start(fi, s->sect, s->off, s->size, i,
				    false);
			break;
		}
	}
}

/* --- gaps: code in no function -------------------------------------------- */

/* The last start at or before a place, or NULL. */
static const struct start *
start_before(const struct finder *fi, uint32_t sect, uint64_t off)
{
	size_t lo = 0, hi = fi->sorted;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct start *s = &fi->v.v[mid];

		if (s->sect < sect || (s->sect == sect && s->off <= off))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || fi->v.v[lo - 1].sect != sect)
		return (NULL);
	return (&fi->v.v[lo - 1]);
}

/*
 * Does a sized function or data hold this place?  An unsized function
 * reaches up to the next start, but a place that is pointed at from data
 * starts a function of its own in it.
 */
static bool
is_covered(const struct finder *fi, uint32_t sect, uint64_t off)
{
	const struct start *s = start_before(fi, sect, off);

	return (s != NULL && (s->off == off || off - s->off < s->size ||
	    (s->data && s->size == 0)));
}

/* Best local label at a place, for its name. */
static uint32_t
label_at(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	uint32_t sym = ks_obj_sym_at(o, sect, off);

	if (sym == KS_NONE || o->syms[sym].off != off ||
	    o->syms[sym].type == KS_OSYM_OBJECT)
		return (KS_NONE);
	return (sym);
}

/* The place a data relocation points at, if it is code in no function. */
static bool
gap_target(const struct finder *fi, const struct ks_rel *r, uint32_t *sect,
    uint64_t *off)
{
	const struct ks_obj *o = fi->o;
	const struct ks_osym *s = &o->syms[r->sym];

	if (!is_code(o, s->sect) || ks_rel_len(o->mode64, r->type) < 4)
		return (false);
	*sect = s->sect;
	*off = s->off + r->addend;
	return (*off < o->sects[*sect].size && !is_covered(fi, *sect, *off));
}

static void
from_data_relocs(struct finder *fi)
{
	struct ks_obj *o = fi->o;
	size_t n = fi->v.n;
	uint32_t sect;
	uint64_t off;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (s->exec || s->nrel == 0 || ks_obj_is_metadata(s->name))
			continue;
		for (size_t j = 0; j < s->nrel; j++)
			if (gap_target(fi, &s->rels[j], &sect, &off))
				add_start(fi, sect, off, 0,
				    label_at(o, sect, off), false);
	}
	if (fi->v.n != n)
		sort_starts(fi);
}

/*
 * Executable sections that nothing has started in; without symbols, also
 * what stands before the first start that was found.
 */
static void
from_sections(struct finder *fi)
{
	struct ks_obj *o = fi->o;
	bool stripped = o->linked && !o->has_symbols;
	size_t n = fi->v.n;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct start *s;

		if (!is_code(o, i) || o->sects[i].size == 0 ||
		    ks_obj_is_metadata(o->sects[i].name))
			continue;
		s = start_before(fi, i, stripped ? 0 : UINT64_MAX);
		if (s == NULL)
			add_start(fi, i, 0, 0, label_at(o, i, 0), false);
	}
	if (fi->v.n != n)
		sort_starts(fi);
}

/* --- linked files --------------------------------------------------------- */

static void
gap_addr(struct finder *fi, uint64_t addr)
{
	struct ks_obj *o = fi->o;
	uint32_t sect = ks_obj_sect_at(o, addr);
	uint64_t off;

	if (!is_code(o, sect))
		return;
	off = addr - o->sects[sect].addr;
	if (!is_covered(fi, sect, off))
		add_start(fi, sect, off, 0, label_at(o, sect, off), false);
}

/* Words in data that are addresses of code in no function. */
static void
from_data_words(struct finder *fi)
{
	struct ks_obj *o = fi->o;
	unsigned len = o->mode64 ? 8 : 4;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (!s->alloc || s->exec || s->data == NULL ||
		    ks_obj_is_metadata(s->name))
			continue;
		for (uint64_t off = 0; off + len <= s->size; off += len) {
			uint64_t v = len == 8 ? ks_le64(s->data + off) :
			    ks_le32(s->data + off);

			if (v != 0)
				gap_addr(fi, v);
		}
	}
	sort_starts(fi);
}

/* Targets of direct calls, by a sweep over code that has no symbols. */
static void
from_calls(struct finder *fi)
{
	struct ks_obj *o = fi->o;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];
		uint64_t off = 0;

		while (is_code(o, i) && off < s->size) {
			struct ks_dec d;
			unsigned n = o->mode64 ?
			    ks_decode64(s->data + off, s->size - off, &d) :
			    ks_decode32(s->data + off, s->size - off, &d);

			if (n == 0) {
				off++;
				continue;
			}
			off += n;
			if (d.flow == KS_FLOW_CALL)
				gap_addr(fi, s->addr + off + d.rel);
		}
	}
	sort_starts(fi);
}

/* --- the table ------------------------------------------------------------ */

static const char *
guessed_name(struct ks_obj *o, uint32_t sect, uint64_t off)
{
	return (ks_printf(o->arena, "%s+0x%llx", o->sects[sect].name,
	    (unsigned long long)off));
}

/* gcc and LLVM: "f.cold", "f.cold.3" */
static bool
is_cold_name(const char *name)
{
	const char *s = strstr(name, ".cold");

	return (s != NULL && s != name && (s[5] == '\0' || s[5] == '.'));
}

static void
fill(struct ks_obj *o, const struct start *s, uint64_t end,
    struct ks_ofunc *f)
{
	const struct ks_osym *sym;

	f->sym = s->sym;
	f->sect = s->sect;
	f->off = s->off;
	f->size = s->size != 0 && s->size < end - s->off ? s->size :
	    end - s->off;
	f->parent = KS_NONE;
	if (s->sym == KS_NONE) {
		f->name = guessed_name(o, s->sect, s->off);
		f->flags = KS_OFUNC_GUESSED;
		return;
	}
	sym = &o->syms[s->sym];
	f->name = sym->name;
	f->flags = sym->type == KS_OSYM_NONE ? KS_OFUNC_NOTYPE : 0;
	if (sym->local && is_cold_name(sym->name))
		f->flags |= KS_OFUNC_PARTIAL;
}

static void
make_table(struct finder *fi)
{
	struct ks_obj *o = fi->o;
	size_t n = 0;

	o->funcs = KS_NEWN(o->arena, struct ks_ofunc, fi->v.n + 1);
	for (size_t i = 0; i < fi->v.n; i++) {
		const struct start *s = &fi->v.v[i];
		uint64_t end = o->sects[s->sect].size;

		if (s->data)
			continue;
		if (i + 1 < fi->v.n && fi->v.v[i + 1].sect == s->sect)
			end = fi->v.v[i + 1].off;
		fill(o, s, end, &o->funcs[n++]);
	}
	o->nfunc = n;
}

/* See obj.h. */
int
ks_obj_functions(struct ks_obj *o, struct ks_error *err)
{
	struct finder fi = { .o = o };

	(void)err;
	from_symbols(&fi);
	sort_starts(&fi);
	from_data_relocs(&fi);
	if (o->linked) {
		from_data_words(&fi);
		if (!o->has_symbols)
			from_calls(&fi);
	}
	from_sections(&fi);
	make_table(&fi);
	ks_vec_free(&fi.v);
	return (0);
}

/* See obj_priv.h. */
bool
ks_obj_add_functions(struct ks_obj *o, const struct ks_oref *at, size_t n)
{
	struct finder fi = { .o = o };
	size_t old;

	from_symbols(&fi);
	for (size_t i = 0; i < o->nfunc; i++)
		add_start(&fi, o->funcs[i].sect, o->funcs[i].off, 0,
		    o->funcs[i].sym, false);
	sort_starts(&fi);
	old = fi.v.n;
	for (size_t i = 0; i < n; i++) {
		const struct start *s;

		if (!is_code(o, at[i].sect))
			continue;
		/* What is called is code, whatever its symbol says. */
		s = start_before(&fi, at[i].sect, at[i].off);
		if (is_covered(&fi, at[i].sect, at[i].off) &&
		    (s == NULL || !s->data))
			continue;
		add_start(&fi, at[i].sect, at[i].off, 0,
		    label_at(o, at[i].sect, at[i].off), false);
	}
	n = fi.v.n;
	if (n != old) {
		sort_starts(&fi);
		make_table(&fi);
	}
	ks_vec_free(&fi.v);
	return (n != old);
}
