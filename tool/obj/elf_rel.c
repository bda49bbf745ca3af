/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Relocations of one ELF image, for the sections that are loaded.
 *
 * 1. Check every entry: its symbol exists, and its field lies in its
 *    section.  A table that needs no more is used in place.
 * 2. Copy the others.  An addend that is not in the table (REL) is read from
 *    the section.
 * 3. The loader's tables of a linked file go to the sections that hold their
 *    addresses.
 * 4. Sort by offset what is not.
 *
 * Limit: whoever writes to a file while it is read, may end the process.
 *
 * References: System V gABI, chapter 4; x86-64 psABI 4.4; i386 psABI.
 */
#include <stddef.h>
#include <string.h>

#include "elf_priv.h"

#define MAX_TABLES	8	/* relocation tables for one section */

/* Relocations are sorted in nearly every file: one look, else a merge sort. */
static int
by_off(const void *a, const void *b, void *ctx)
{
	const struct ks_rel *x = a, *y = b;

	(void)ctx;
	return (x->off < y->off ? -1 : x->off > y->off);
}

static void
sort_rels(struct ks_rel *rels, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (rels[i - 1].off > rels[i].off) {
			ks_sort(rels, n, sizeof(rels[0]), by_off, NULL);
			return;
		}
}

struct raw_rel {
	uint64_t off;
	uint32_t type, sym;
	int64_t	 addend;
};

static inline void
rel_load(const struct ks_elf *r, const uint8_t *p, bool rela,
    struct raw_rel *out)
{
	if (r->is64) {
		out->off = ks_le64(p);
		out->type = ks_le32(p + 8);
		out->sym = ks_le32(p + 12);
		out->addend = rela ? (int64_t)ks_le64(p + 16) : 0;
	} else {
		out->off = ks_le32(p);
		out->type = p[4];
		out->sym = ks_le32(p + 4) >> 8;
		out->addend = rela ? (int32_t)ks_le32(p + 8) : 0;
	}
}

/*
 * A relocation table under reading.  Each entry belongs to the section
 * TARGET, or, in the loader's tables, to the one that holds its address.
 */
struct reltab {
	uint32_t index;		/* its own section */
	const uint8_t *p;
	size_t	 n, ent;
	bool	 rela;
	uint32_t target;	/* KS_NOSECT: by address */
	uint32_t sym0, nsym;
};

static int
open_reltab(struct ks_elf *r, uint32_t i, struct reltab *t)
{
	const Elf64_Shdr *h = &r->sh[i];
	uint32_t n = r->pr->dynsym0;

	t->index = i;
	t->rela = h->sh_type == SHT_RELA;
	t->ent = r->is64 ? (t->rela ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel)) :
	    (t->rela ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
	if (h->sh_entsize != t->ent || h->sh_size % t->ent != 0)
		return (bad(r, KS_EPARSE, "section %u is no relocation table",
		    i));
	t->p = r->p + h->sh_offset;
	t->n = h->sh_size / t->ent;
	t->target = h->sh_info;
	if (r->o->linked && (h->sh_flags & SHF_ALLOC) != 0)
		t->target = KS_NOSECT;
	else if (t->target == 0 || t->target >= r->nsh)
		return (bad(r, KS_EPARSE, "section %u relocates section %u, "
		    "which does not exist", i, h->sh_info));
	if (r->symtab != 0 && h->sh_link == r->symtab) {
		t->sym0 = 0;
		t->nsym = n;
	} else if (h->sh_link == r->dynsym) {
		t->sym0 = n;
		t->nsym = r->o->nsym - n;
	} else {
		return (bad(r, KS_EPARSE, "section %u uses symbol table %u, "
		    "which is none", i, h->sh_link));
	}
	return (0);
}

static int
bad_rel(struct ks_elf *r, const struct reltab *t, size_t i, const char *why)
{
	return (bad(r, KS_EPARSE, "relocation %zu of section %u %s", i,
	    t->index, why));
}

/* Turns entry I into *OUT and *SECT; 1: it writes nothing. */
static inline int
one_rel(struct ks_elf *r, const struct reltab *t, size_t i,
    struct ks_rel *out, uint32_t *sect)
{
	const struct ks_sect *s;
	struct raw_rel raw;
	unsigned len;

	rel_load(r, t->p + i * t->ent, t->rela, &raw);
	if (raw.type == R_X86_64_NONE)
		return (1);
	if (raw.sym >= t->nsym)
		return (bad_rel(r, t, i, "names a symbol that does not exist"));
	*sect = t->target;
	if (*sect == KS_NOSECT &&
	    (*sect = ks_obj_sect_at(r->o, raw.off)) == KS_NOSECT)
		return (bad_rel(r, t, i, "lies in no section"));
	s = &r->o->sects[*sect];
	out->off = r->o->linked ? raw.off - s->addr : raw.off;
	out->type = raw.type;
	out->sym = t->sym0 + raw.sym;
	out->addend = raw.addend;
	len = raw.type == R_X86_64_PC32 || raw.type == R_X86_64_PLT32 ? 4 :
	    ks_rel_len(r->is64, raw.type);
	if (out->off > s->size || len > s->size - out->off)
		return (bad_rel(r, t, i, "lies outside of its section"));
	if (!t->rela && s->data != NULL)
		out->addend = ks_sle(s->data + out->off, len);
	return (0);
}

/* struct ks_rel is laid out as Elf64_Rela is on little-endian machines. */
_Static_assert(sizeof(struct ks_rel) == sizeof(Elf64_Rela) &&
    offsetof(struct ks_rel, type) == offsetof(Elf64_Rela, r_info) &&
    offsetof(struct ks_rel, sym) == offsetof(Elf64_Rela, r_info) + 4 &&
    offsetof(struct ks_rel, addend) == offsetof(Elf64_Rela, r_addend),
    "relocations cannot be used in place");

/*
 * The usual case: a table of a relocatable x86-64 file, sorted, with types of
 * known length, is used where it is.  A kernel's modules have millions of
 * entries, and most are never looked at again.
 */
static bool
use_in_place(const struct ks_elf *r, const struct reltab *t,
    struct ks_sect *s)
{
	static const uint8_t lens[16] = { [R_X86_64_64] = 8,
	    [R_X86_64_PC32] = 4, [R_X86_64_PLT32] = 4, [R_X86_64_32] = 4,
	    [R_X86_64_32S] = 4 };
	const struct ks_rel *rels = (const void *)t->p;
	uint64_t last = 0;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !r->is64 ||
	    !t->rela || r->o->linked || s->nrel != 0 || t->sym0 != 0 ||
	    s->size < 8 || (uintptr_t)t->p % _Alignof(struct ks_rel) != 0)
		return (false);
	for (size_t i = 0; i < t->n; i++) {
		const struct ks_rel *e = &rels[i];

		if (e->type >= 16 || lens[e->type] == 0 || e->sym >= t->nsym ||
		    e->off > s->size - lens[e->type] || e->off < last)
			return (false);
		last = e->off;
	}
	s->rels = rels;
	s->nrel = t->n;
	return (true);
}

/* A table for one section, as all are in relocatable files. */
static int
read_rels(struct ks_elf *r, const struct reltab *t)
{
	struct ks_sect *s = &r->o->sects[t->target];
	struct ks_rel *rels;
	uint32_t sect;
	size_t n = s->nrel;
	int rc;

	if (use_in_place(r, t, s))
		return (0);
	rels = KS_NEWN(r->o->arena, struct ks_rel, n + t->n);
	if (n != 0)
		memcpy(rels, s->rels, n * sizeof(rels[0]));
	for (size_t i = 0; i < t->n; i++) {
		if ((rc = one_rel(r, t, i, &rels[n], &sect)) < 0)
			return (rc);
		n += rc == 0;
	}
	sort_rels(rels, n);
	s->rels = rels;
	s->nrel = n;
	return (0);
}

/* A table whose entries go to the sections that hold them: count, fill. */
static int
read_rels_by_addr(struct ks_elf *r, const struct reltab *t)
{
	struct ks_obj *o = r->o;
	struct ks_rel **fill = KS_NEWN(o->arena, struct ks_rel *, o->nsect);
	size_t *count = KS_NEWN(o->arena, size_t, o->nsect);
	struct ks_rel rel;
	uint32_t sect;
	int rc;

	for (size_t i = 0; i < t->n; i++) {
		if ((rc = one_rel(r, t, i, &rel, &sect)) < 0)
			return (rc);
		if (rc == 0)
			count[sect]++;
	}
	for (size_t i = 0; i < o->nsect; i++) {
		struct ks_sect *s = &o->sects[i];

		if (count[i] == 0)
			continue;
		fill[i] = KS_NEWN(o->arena, struct ks_rel, s->nrel + count[i]);
		if (s->nrel != 0)
			memcpy(fill[i], s->rels, s->nrel * sizeof(rel));
		s->rels = fill[i];
	}
	for (size_t i = 0; i < t->n; i++)
		if (one_rel(r, t, i, &rel, &sect) == 0)
			fill[sect][o->sects[sect].nrel++] = rel;
	for (size_t i = 0; i < o->nsect; i++)
		if (count[i] != 0)
			sort_rels(fill[i], o->sects[i].nrel);
	return (0);
}

/* Is section I a relocation table of a section that is loaded? */
static bool
is_reltab(const struct ks_elf *r, size_t i)
{
	const Elf64_Shdr *h = &r->sh[i];

	if (h->sh_type != SHT_RELA && h->sh_type != SHT_REL)
		return (false);
	/* Debug sections hold most relocations: not looked at. */
	return (h->sh_info == 0 || h->sh_info >= r->nsh ||
	    r->o->sects[h->sh_info].alloc);
}

/*
 * Tables for one section are copied together, and the loader's are shared
 * out to all sections; a hostile file could have thousands.
 */
static int
check_count(struct ks_elf *r)
{
	uint8_t *tables = KS_NEWN(r->o->arena, uint8_t, r->nsh + 1);

	for (size_t i = 1; i < r->nsh; i++) {
		const Elf64_Shdr *h = &r->sh[i];
		uint32_t to = h->sh_info;

		if (!is_reltab(r, i))
			continue;
		if (to >= r->nsh || (r->o->linked &&
		    (h->sh_flags & SHF_ALLOC) != 0))
			to = 0;
		if (++tables[to] > MAX_TABLES)
			return (bad(r, KS_EPARSE, "more than %d relocation "
			    "tables for section %u", MAX_TABLES, to));
	}
	return (0);
}

/* See elf_priv.h. */
int
ks_elf_relocations(struct ks_elf *r)
{
	struct reltab t;
	int rc;

	if ((rc = check_count(r)) != 0)
		return (rc);
	for (size_t i = 1; i < r->nsh; i++) {
		if (!is_reltab(r, i))
			continue;
		if ((rc = open_reltab(r, i, &t)) != 0)
			return (rc);
		if (t.target == KS_NOSECT)
			rc = read_rels_by_addr(r, &t);
		else
			rc = read_rels(r, &t);
		if (rc != 0)
			return (rc);
	}
	return (0);
}
