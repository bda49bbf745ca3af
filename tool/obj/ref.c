/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Look-ups in an object: what a relocation writes, what a field refers to,
 * which section, symbol or function holds a place.
 *
 * Relocatable files: a field that has a relocation refers to S + A; one
 * without was resolved by the assembler and refers into its own section.
 * Linked files: the field's value counts, unless the loader writes it
 * (dynamic relocations).  An address is looked up among the sections.
 *
 * References: x86-64 psABI 4.4.1 (relocation types), i386 psABI.
 */
#include <elf.h>
#include <string.h>

#include "obj_priv.h"

#ifndef R_X86_64_CODE_4_GOTPCRELX
#define R_X86_64_CODE_4_GOTPCRELX	43	/* psABI 1.0, 2024: APX */
#endif

/* --- relocation types ----------------------------------------------------- */

enum { PC = 1, GOT = 2 };

struct rel_type {
	uint8_t	 type, len, flags;
	const char *name;
};

static const struct rel_type amd64_types[] = {
	{ R_X86_64_64, 8, 0, "R_X86_64_64" },
	{ R_X86_64_PC32, 4, PC, "R_X86_64_PC32" },
	{ R_X86_64_GOT32, 4, GOT, "R_X86_64_GOT32" },
	{ R_X86_64_PLT32, 4, PC, "R_X86_64_PLT32" },
	{ R_X86_64_COPY, 0, 0, "R_X86_64_COPY" },
	{ R_X86_64_GLOB_DAT, 8, 0, "R_X86_64_GLOB_DAT" },
	{ R_X86_64_JUMP_SLOT, 8, 0, "R_X86_64_JUMP_SLOT" },
	{ R_X86_64_RELATIVE, 8, 0, "R_X86_64_RELATIVE" },
	{ R_X86_64_GOTPCREL, 4, PC | GOT, "R_X86_64_GOTPCREL" },
	{ R_X86_64_32, 4, 0, "R_X86_64_32" },
	{ R_X86_64_32S, 4, 0, "R_X86_64_32S" },
	{ R_X86_64_16, 2, 0, "R_X86_64_16" },
	{ R_X86_64_PC16, 2, PC, "R_X86_64_PC16" },
	{ R_X86_64_8, 1, 0, "R_X86_64_8" },
	{ R_X86_64_PC8, 1, PC, "R_X86_64_PC8" },
	{ R_X86_64_DTPMOD64, 8, 0, "R_X86_64_DTPMOD64" },
	{ R_X86_64_DTPOFF64, 8, 0, "R_X86_64_DTPOFF64" },
	{ R_X86_64_TPOFF64, 8, 0, "R_X86_64_TPOFF64" },
	{ R_X86_64_TLSGD, 4, PC | GOT, "R_X86_64_TLSGD" },
	{ R_X86_64_TLSLD, 4, PC | GOT, "R_X86_64_TLSLD" },
	{ R_X86_64_DTPOFF32, 4, 0, "R_X86_64_DTPOFF32" },
	{ R_X86_64_GOTTPOFF, 4, PC | GOT, "R_X86_64_GOTTPOFF" },
	{ R_X86_64_TPOFF32, 4, 0, "R_X86_64_TPOFF32" },
	{ R_X86_64_PC64, 8, PC, "R_X86_64_PC64" },
	{ R_X86_64_GOTOFF64, 8, GOT, "R_X86_64_GOTOFF64" },
	{ R_X86_64_GOTPC32, 4, PC | GOT, "R_X86_64_GOTPC32" },
	{ R_X86_64_GOT64, 8, GOT, "R_X86_64_GOT64" },
	{ R_X86_64_GOTPCREL64, 8, PC | GOT, "R_X86_64_GOTPCREL64" },
	{ R_X86_64_GOTPC64, 8, PC | GOT, "R_X86_64_GOTPC64" },
	{ R_X86_64_GOTPLT64, 8, GOT, "R_X86_64_GOTPLT64" },
	{ R_X86_64_PLTOFF64, 8, GOT, "R_X86_64_PLTOFF64" },
	{ R_X86_64_SIZE32, 4, 0, "R_X86_64_SIZE32" },
	{ R_X86_64_SIZE64, 8, 0, "R_X86_64_SIZE64" },
	{ R_X86_64_IRELATIVE, 8, 0, "R_X86_64_IRELATIVE" },
	{ R_X86_64_GOTPCRELX, 4, PC | GOT, "R_X86_64_GOTPCRELX" },
	{ R_X86_64_REX_GOTPCRELX, 4, PC | GOT, "R_X86_64_REX_GOTPCRELX" },
	{ R_X86_64_CODE_4_GOTPCRELX, 4, PC | GOT,
	    "R_X86_64_CODE_4_GOTPCRELX" },
};

static const struct rel_type i386_types[] = {
	{ R_386_32, 4, 0, "R_386_32" },
	{ R_386_PC32, 4, PC, "R_386_PC32" },
	{ R_386_GOT32, 4, GOT, "R_386_GOT32" },
	{ R_386_PLT32, 4, PC, "R_386_PLT32" },
	{ R_386_COPY, 0, 0, "R_386_COPY" },
	{ R_386_GLOB_DAT, 4, 0, "R_386_GLOB_DAT" },
	{ R_386_JMP_SLOT, 4, 0, "R_386_JMP_SLOT" },
	{ R_386_RELATIVE, 4, 0, "R_386_RELATIVE" },
	{ R_386_GOTOFF, 4, GOT, "R_386_GOTOFF" },
	{ R_386_GOTPC, 4, PC | GOT, "R_386_GOTPC" },
	{ R_386_TLS_IE, 4, GOT, "R_386_TLS_IE" },
	{ R_386_TLS_GOTIE, 4, GOT, "R_386_TLS_GOTIE" },
	{ R_386_TLS_LE, 4, 0, "R_386_TLS_LE" },
	{ R_386_TLS_GD, 4, GOT, "R_386_TLS_GD" },
	{ R_386_TLS_LDM, 4, GOT, "R_386_TLS_LDM" },
	{ R_386_16, 2, 0, "R_386_16" },
	{ R_386_PC16, 2, PC, "R_386_PC16" },
	{ R_386_8, 1, 0, "R_386_8" },
	{ R_386_PC8, 1, PC, "R_386_PC8" },
	{ R_386_TLS_LDO_32, 4, 0, "R_386_TLS_LDO_32" },
	{ R_386_SIZE32, 4, 0, "R_386_SIZE32" },
	{ R_386_IRELATIVE, 4, 0, "R_386_IRELATIVE" },
	{ R_386_GOT32X, 4, GOT, "R_386_GOT32X" },
};

static const struct rel_type *
find_type(bool mode64, uint32_t type)
{
	const struct rel_type *t = mode64 ? amd64_types : i386_types;
	size_t n = mode64 ? sizeof(amd64_types) / sizeof(*t) :
	    sizeof(i386_types) / sizeof(*t);

	for (size_t i = 0; i < n; i++)
		if (t[i].type == type)
			return (&t[i]);
	return (NULL);
}

/* See obj_priv.h.  The first line is for speed: it covers nearly all. */
unsigned
ks_rel_len(bool mode64, uint32_t type)
{
	const struct rel_type *t;

	if (type == R_X86_64_PC32 || type == R_X86_64_PLT32)
		return (4);
	t = find_type(mode64, type);
	return (t == NULL ? 0 : t->len);
}

/* See obj_priv.h. */
bool
ks_rel_is_pc(bool mode64, uint32_t type)
{
	const struct rel_type *t = find_type(mode64, type);

	return (t != NULL && (t->flags & PC) != 0);
}

/* See obj_priv.h. */
bool
ks_rel_is_got(bool mode64, uint32_t type)
{
	const struct rel_type *t = find_type(mode64, type);

	return (t != NULL && (t->flags & GOT) != 0);
}

/* See obj_priv.h. */
bool
ks_rel_is_relative(bool mode64, uint32_t type)
{
	return (type == (mode64 ? R_X86_64_RELATIVE : R_386_RELATIVE));
}

/* See obj_priv.h. */
bool
ks_rel_is_irelative(bool mode64, uint32_t type)
{
	return (type == (mode64 ? R_X86_64_IRELATIVE : R_386_IRELATIVE));
}

/* See obj_priv.h. */
const char *
ks_rel_name(bool mode64, uint32_t type)
{
	const struct rel_type *t = find_type(mode64, type);

	return (t == NULL ? NULL : t->name);
}

#define RUN	8	/* elements that are sorted by insertion */

/* --- sorting and searching ------------------------------------------------ */

static void
sort_runs(char *base, size_t n, size_t elem,
    int (*cmp)(const void *, const void *, void *), void *ctx, char *tmp)
{
	for (size_t lo = 0; lo < n; lo += RUN) {
		size_t hi = n - lo < RUN ? n : lo + RUN;

		for (size_t i = lo + 1; i < hi; i++) {
			size_t j = i;

			while (j > lo && cmp(base + (j - 1) * elem,
			    base + i * elem, ctx) > 0)
				j--;
			if (j == i)
				continue;
			memcpy(tmp, base + i * elem, elem);
			memmove(base + (j + 1) * elem, base + j * elem,
			    (i - j) * elem);
			memcpy(base + j * elem, tmp, elem);
		}
	}
}

/* Merges [LO, MID) and [MID, HI) of FROM into TO. */
static void
merge(char *to, const char *from, size_t lo, size_t mid, size_t hi,
    size_t elem, int (*cmp)(const void *, const void *, void *), void *ctx)
{
	size_t i = lo, j = mid;

	/* In order already, as tables of symbols often are. */
	if (mid >= hi || cmp(from + (mid - 1) * elem, from + mid * elem,
	    ctx) <= 0) {
		memcpy(to + lo * elem, from + lo * elem, (hi - lo) * elem);
		return;
	}
	for (size_t k = lo; k < hi; k++) {
		bool left = j >= hi || (i < mid && cmp(from + i * elem,
		    from + j * elem, ctx) <= 0);

		memcpy(to + k * elem, from + (left ? i++ : j++) * elem, elem);
	}
}

/* See obj_priv.h.  Bottom-up, from short runs sorted by insertion. */
void
ks_sort(void *base, size_t n, size_t elem,
    int (*cmp)(const void *, const void *, void *), const void *cctx)
{
	void *ctx = (void *)(uintptr_t)cctx;
	char *from = base, *to, *buf;

	if (n < 2)
		return;
	to = buf = ks_xmalloc(n * elem);
	sort_runs(base, n, elem, cmp, ctx, buf);
	for (size_t w = RUN; w < n; w *= 2) {
		char *swap = from;

		for (size_t lo = 0; lo < n; lo += 2 * w)
			merge(to, from, lo, n - lo < w ? n : lo + w,
			    n - lo < 2 * w ? n : lo + 2 * w, elem, cmp, ctx);
		from = to;
		to = swap;
	}
	if (from != base)
		memcpy(base, from, n * elem);
	ks_vec_release(buf);
}

/* See obj.h. */
const struct ks_rel *
ks_obj_rel(const struct ks_sect *s, uint64_t off)
{
	size_t lo = 0, hi = s->nrel;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->rels[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (lo == s->nrel ? NULL : &s->rels[lo]);
}

/* See obj.h. */
const struct ks_patch *
ks_obj_patch(const struct ks_obj *o, enum ks_patch_kind kind, uint32_t sect,
    uint64_t off)
{
	size_t lo = 0, hi = o->npatch;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct ks_patch *p = &o->patches[mid];

		if (p->kind < kind || (p->kind == kind && (p->sect < sect ||
		    (p->sect == sect && p->off < off))))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == o->npatch || o->patches[lo].kind != kind ||
	    o->patches[lo].sect != sect)
		return (NULL);
	return (&o->patches[lo]);
}

/* See obj.h. */
uint32_t
ks_obj_func_at(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	size_t lo = 0, hi = o->nfunc;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct ks_ofunc *f = &o->funcs[mid];

		if (f->sect < sect || (f->sect == sect && f->off <= off))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return (KS_NONE);
	lo--;
	if (o->funcs[lo].sect != sect ||
	    off - o->funcs[lo].off >= o->funcs[lo].size)
		return (KS_NONE);
	return (lo);
}

/* See obj_priv.h. */
uint32_t
ks_obj_sect_at(const struct ks_obj *o, uint64_t addr)
{
	const struct ks_obj_priv *pr = ks_priv(o);
	size_t lo = 0, hi = pr->nbyaddr;
	const struct ks_sect *s;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->sects[pr->byaddr[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return (KS_NOSECT);
	s = &o->sects[pr->byaddr[lo - 1]];
	return (addr - s->addr < s->size ? pr->byaddr[lo - 1] : KS_NOSECT);
}

/* See obj_priv.h. */
uint32_t
ks_obj_find_sect(const struct ks_obj *o, const char *name, uint32_t from)
{
	for (size_t i = from; i < o->nsect; i++)
		if (strcmp(o->sects[i].name, name) == 0)
			return (i);
	return (KS_NOSECT);
}

/* --- symbols by place ----------------------------------------------------- */

/*
 * Better names first: global before local, functions and objects before
 * labels, fewer leading '_' and '.', then the alphabet.
 */
int
ks_sym_rank(const struct ks_osym *x, const struct ks_osym *y)
{
	bool lx = x->type == KS_OSYM_NONE, ly = y->type == KS_OSYM_NONE;
	size_t ux = strspn(x->name, "_."), uy = strspn(y->name, "_.");

	if (lx != ly)
		return (lx - ly);
	if (x->local != y->local)
		return (x->local - y->local);
	if (x->weak != y->weak)
		return (x->weak - y->weak);
	if (ux != uy)
		return (ux < uy ? -1 : 1);
	return (strcmp(x->name, y->name));
}

static int
by_place(const void *a, const void *b, void *ctx)
{
	const struct ks_osym *syms = ctx;
	const struct ks_osym *x = &syms[*(const uint32_t *)a];
	const struct ks_osym *y = &syms[*(const uint32_t *)b];

	if (x->sect != y->sect)
		return (x->sect < y->sect ? -1 : 1);
	if (x->off != y->off)
		return (x->off < y->off ? -1 : 1);
	return (ks_sym_rank(x, y));
}

static void
index_symbols(const struct ks_obj *o)
{
	struct ks_obj_priv *pr = ks_priv(o);
	uint32_t *v;
	size_t n = 0;

	v = KS_NEWN(o->arena, uint32_t, o->nsym + 1);
	for (size_t i = 0; i < o->nsym; i++) {
		const struct ks_osym *s = &o->syms[i];

		if (s->sect != KS_NOSECT && s->name[0] != '\0' &&
		    s->type != KS_OSYM_SECTION)
			v[n++] = i;
	}
	ks_sort(v, n, sizeof(v[0]), by_place, o->syms);
	pr->bysym = v;
	pr->nbysym = n;
}

/* See obj_priv.h. */
uint32_t
ks_obj_sym_at(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	struct ks_obj_priv *pr = ks_priv(o);
	size_t lo = 0, hi;
	const struct ks_osym *s;

	if (pr->bysym == NULL)
		index_symbols(o);
	hi = pr->nbysym;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		s = &o->syms[pr->bysym[mid]];
		if (s->sect < sect || (s->sect == sect && s->off <= off))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return (KS_NONE);
	s = &o->syms[pr->bysym[lo - 1]];
	if (s->sect != sect || (s->off != off && off - s->off >= s->size))
		return (KS_NONE);
	/* The first of its place is the best. */
	for (lo--; lo > 0; lo--) {
		const struct ks_osym *t = &o->syms[pr->bysym[lo - 1]];

		if (t->sect != sect || t->off != s->off ||
		    (t->off != off && off - t->off >= t->size))
			break;
	}
	return (pr->bysym[lo]);
}

/* --- what a field refers to ----------------------------------------------- */

static const struct ks_oref nowhere = { KS_NONE, KS_NOSECT, 0, false };

static struct ks_oref
at_place(uint32_t sect, uint64_t off)
{
	return ((struct ks_oref){ KS_NONE, sect, off, false });
}

static struct ks_oref
at_addr(const struct ks_obj *o, uint64_t addr)
{
	uint32_t sect;

	if (!o->mode64)
		addr = (uint32_t)addr;
	sect = ks_obj_sect_at(o, addr);
	if (sect == KS_NOSECT)
		return (nowhere);
	return (at_place(sect, addr - o->sects[sect].addr));
}

/* Symbol SYM plus ADDEND. */
static struct ks_oref
at_sym(const struct ks_obj *o, uint32_t sym, int64_t addend)
{
	const struct ks_osym *s = &o->syms[sym];
	struct ks_oref r = { sym, s->sect, s->off + (uint64_t)addend, false };

	if (s->sect == KS_NOSECT && s->absolute && o->linked)
		return (at_addr(o, r.off));
	if (s->sect == KS_NOSECT && !s->absolute)
		r.off = addend;
	if (s->name[0] == '\0')
		r.sym = KS_NONE;
	return (r);
}

/*
 * gcc and clang name a section and an offset where they could have named a
 * static function or variable.
 */
static struct ks_oref
with_symbol(const struct ks_obj *o, struct ks_oref r)
{
	if (r.sym == KS_NONE && r.sect != KS_NOSECT)
		r.sym = ks_obj_sym_at(o, r.sect, r.off);
	return (r);
}

/* The relocation of a field at OFF, or NULL. */
static const struct ks_rel *
field_rel(const struct ks_obj *o, const struct ks_sect *s, uint64_t off)
{
	const struct ks_rel *r = ks_obj_rel(s, off);

	for (; r != NULL && r < s->rels + s->nrel && r->off == off; r++)
		if (ks_rel_len(o->mode64, r->type) != 0)
			return (r);
	return (NULL);
}

/* Is the field written by the loader, not (or not finally) by the linker? */
static bool
is_dynamic(const struct ks_obj *o, const struct ks_rel *r)
{
	return (r != NULL && o->linked && r->sym >= ks_priv(o)->dynsym0);
}

/* See obj_priv.h. */
struct ks_oref
ks_obj_pcrel_place(const struct ks_obj *o, uint32_t sect, uint64_t off,
    int64_t value, uint64_t end)
{
	const struct ks_sect *s = &o->sects[sect];
	const struct ks_rel *r = field_rel(o, s, off);
	struct ks_oref ref;

	if (r == NULL || (o->linked && !is_dynamic(o, r))) {
		if (o->linked)
			return (at_addr(o, s->addr + end + value));
		return (at_place(sect, end + value));
	}
	if (!ks_rel_is_pc(o->mode64, r->type))
		return (nowhere);
	if (ks_rel_is_got(o->mode64, r->type)) {
		ref = nowhere;
		ref.sym = r->sym;
		ref.got = true;
		return (ref);
	}
	return (at_sym(o, r->sym, (int64_t)((uint64_t)r->addend + end - off)));
}

/* The field of LEN bytes at OFF in a linked file, as it is stored. */
static struct ks_oref
stored_ref(const struct ks_obj *o, const struct ks_sect *s, uint64_t off,
    unsigned len)
{
	int64_t v;

	if (s->data == NULL || off > s->size || len > s->size - off)
		return (nowhere);
	v = ks_sle(s->data + off, len);
	if (v == 0)
		return (nowhere);
	if (len == 4 && o->mode64)
		return (at_addr(o, s->addr + off + v));
	return (at_addr(o, v));
}

/* See obj_priv.h. */
struct ks_oref
ks_obj_data_place(const struct ks_obj *o, uint32_t sect, uint64_t off,
    unsigned len)
{
	const struct ks_sect *s = &o->sects[sect];
	const struct ks_rel *r = field_rel(o, s, off);
	struct ks_oref ref;

	if (r != NULL && ks_rel_len(o->mode64, r->type) != len)
		return (nowhere);
	if (o->linked && !is_dynamic(o, r))
		return (stored_ref(o, s, off, len));
	if (r == NULL || ks_rel_is_irelative(o->mode64, r->type))
		return (nowhere);
	if (ks_rel_is_relative(o->mode64, r->type))
		return (at_addr(o, r->addend));
	if (ks_rel_is_got(o->mode64, r->type)) {
		ref = nowhere;
		ref.sym = r->sym;
		ref.got = true;
		return (ref);
	}
	return (at_sym(o, r->sym, r->addend));
}

/* See obj.h. */
struct ks_oref
ks_obj_pcrel(const struct ks_obj *o, uint32_t sect, uint64_t off,
    int64_t value, uint64_t end)
{
	return (with_symbol(o, ks_obj_pcrel_place(o, sect, off, value, end)));
}

/* See obj.h. */
struct ks_oref
ks_obj_data_ref(const struct ks_obj *o, uint32_t sect, uint64_t off,
    unsigned len)
{
	return (with_symbol(o, ks_obj_data_place(o, sect, off, len)));
}
