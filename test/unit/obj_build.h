/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes ELF files in memory, for tests of the object reader: sections,
 * symbols and relocations as told, right or wrong.  Little-endian hosts.
 */
#ifndef KS_TEST_OBJ_BUILD_H
#define KS_TEST_OBJ_BUILD_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "obj_priv.h"

#define EB_SECTS	40
#define EB_SYMS		64
#define EB_RELS		64

struct eb_sect {
	const char *name;
	Elf64_Shdr h;
	const void *data;
};

struct eb_rel {
	unsigned sect;
	Elf64_Rela r;
};

struct eb {
	bool	 is64, linked, rel;	/* rel: SHT_REL, not SHT_RELA */
	uint16_t machine, type;
	uint8_t	 osabi;
	struct eb_sect sect[EB_SECTS];
	unsigned nsect;			/* from 1 */
	Elf64_Sym sym[EB_SYMS];
	const char *symname[EB_SYMS];
	unsigned nsym;			/* from 1 */
	struct eb_rel rels[EB_RELS];
	unsigned nrel;
	uint8_t	*out;
	size_t	 size, cap;
	char	 names[2048];		/* both string tables */
	size_t	 nnames;
	char	 relname[EB_SECTS][64];
};

static void
eb_new(struct eb *b, bool is64)
{
	memset(b, 0, sizeof(*b));
	b->is64 = is64;
	b->machine = is64 ? EM_X86_64 : EM_386;
	b->type = ET_REL;
	b->nsect = 1;
	b->nsym = 1;
	b->nnames = 1;
}

static unsigned
eb_sect(struct eb *b, const char *name, uint64_t flags, const void *data,
    size_t size)
{
	struct eb_sect *s = &b->sect[b->nsect];

	assert_true(b->nsect < EB_SECTS);
	s->name = name;
	s->data = data;
	s->h.sh_type = data == NULL ? SHT_NOBITS : SHT_PROGBITS;
	s->h.sh_flags = flags;
	s->h.sh_size = size;
	return b->nsect++;
}

#define EB_TEXT	(SHF_ALLOC | SHF_EXECINSTR)

static unsigned
eb_sym(struct eb *b, const char *name, unsigned type, unsigned bind,
    unsigned sect, uint64_t value, uint64_t size)
{
	Elf64_Sym *s = &b->sym[b->nsym];

	assert_true(b->nsym < EB_SYMS);
	b->symname[b->nsym] = name;
	s->st_info = ELF64_ST_INFO(bind, type);
	s->st_shndx = sect;
	s->st_value = value;
	s->st_size = size;
	return b->nsym++;
}

static inline unsigned
eb_func(struct eb *b, const char *name, unsigned sect, uint64_t value,
    uint64_t size)
{
	return eb_sym(b, name, STT_FUNC, STB_GLOBAL, sect, value, size);
}

static inline unsigned
eb_undef(struct eb *b, const char *name)
{
	return eb_sym(b, name, STT_NOTYPE, STB_GLOBAL, SHN_UNDEF, 0, 0);
}

static inline void
eb_rel(struct eb *b, unsigned sect, uint64_t off, unsigned type, unsigned sym,
    int64_t addend)
{
	struct eb_rel *r = &b->rels[b->nrel++];

	assert_true(b->nrel <= EB_RELS);
	r->sect = sect;
	r->r.r_offset = off;
	r->r.r_info = ELF64_R_INFO(sym, type);
	r->r.r_addend = addend;
}

/* --- writing --------------------------------------------------------------- */

static size_t
eb_put(struct eb *b, const void *p, size_t n)
{
	size_t at = b->size;

	if (b->size + n > b->cap) {
		b->cap = (b->size + n) * 2;
		b->out = realloc(b->out, b->cap);
		assert_non_null(b->out);
	}
	if (n > 0 && p != NULL)
		memcpy(b->out + at, p, n);
	else if (n > 0)
		memset(b->out + at, 0, n);
	b->size += n;
	return at;
}

static uint32_t
eb_name(struct eb *b, const char *name)
{
	size_t at = b->nnames, n = strlen(name) + 1;

	if (n == 1)
		return 0;
	assert_true(at + n <= sizeof(b->names));
	memcpy(b->names + at, name, n);
	b->nnames += n;
	return (uint32_t)at;
}

static void
eb_put_sym(struct eb *b, const Elf64_Sym *s)
{
	Elf32_Sym t = { s->st_name, (Elf32_Addr)s->st_value,
	    (Elf32_Word)s->st_size, s->st_info, s->st_other, s->st_shndx };

	eb_put(b, b->is64 ? (const void *)s : &t,
	    b->is64 ? sizeof(*s) : sizeof(t));
}

static void
eb_put_rel(struct eb *b, const Elf64_Rela *r)
{
	Elf32_Rela t = { (Elf32_Addr)r->r_offset,
	    ELF32_R_INFO(ELF64_R_SYM(r->r_info), ELF64_R_TYPE(r->r_info)),
	    (Elf32_Sword)r->r_addend };

	if (b->is64)
		eb_put(b, r, b->rel ? sizeof(Elf64_Rel) : sizeof(*r));
	else
		eb_put(b, &t, b->rel ? sizeof(Elf32_Rel) : sizeof(t));
}

static void
eb_put_shdr(struct eb *b, const Elf64_Shdr *h)
{
	Elf32_Shdr t = { h->sh_name, h->sh_type, (Elf32_Word)h->sh_flags,
	    (Elf32_Addr)h->sh_addr, (Elf32_Off)h->sh_offset,
	    (Elf32_Word)h->sh_size, h->sh_link, h->sh_info,
	    (Elf32_Word)h->sh_addralign, (Elf32_Word)h->sh_entsize };

	eb_put(b, b->is64 ? (const void *)h : &t,
	    b->is64 ? sizeof(*h) : sizeof(t));
}

/* Relocation sections, behind all others. */
static void
eb_rel_sections(struct eb *b, unsigned symtab)
{
	unsigned last = b->nsect;

	for (unsigned i = 1; i < last; i++) {
		struct eb_sect *s = &b->sect[b->nsect];
		size_t at = b->size, n = 0;

		for (unsigned j = 0; j < b->nrel; j++)
			if (b->rels[j].sect == i && ++n > 0)
				eb_put_rel(b, &b->rels[j].r);
		if (n == 0)
			continue;
		snprintf(b->relname[b->nsect], sizeof(b->relname[0]), "%s%s",
		    b->rel ? ".rel" : ".rela", b->sect[i].name);
		s->name = b->relname[b->nsect];
		s->h.sh_type = b->rel ? SHT_REL : SHT_RELA;
		s->h.sh_offset = at;
		s->h.sh_size = b->size - at;
		s->h.sh_entsize = s->h.sh_size / n;
		s->h.sh_link = symtab;
		s->h.sh_info = i;
		b->nsect++;
		assert_true(b->nsect < EB_SECTS);
	}
}

static void
eb_header(struct eb *b, uint64_t shoff, unsigned shstr)
{
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
	    b->is64 ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB, EV_CURRENT,
	    b->osabi }, .e_type = b->type, .e_machine = b->machine,
	    .e_version = EV_CURRENT, .e_shoff = shoff,
	    .e_shentsize = sizeof(Elf64_Shdr),
	    .e_ehsize = sizeof(Elf64_Ehdr), .e_shnum = b->nsect,
	    .e_shstrndx = shstr };
	Elf32_Ehdr t = { .e_type = h.e_type, .e_machine = h.e_machine,
	    .e_version = h.e_version, .e_shoff = (Elf32_Off)shoff,
	    .e_shentsize = sizeof(Elf32_Shdr),
	    .e_ehsize = sizeof(Elf32_Ehdr), .e_shnum = h.e_shnum,
	    .e_shstrndx = h.e_shstrndx };

	memcpy(t.e_ident, h.e_ident, sizeof(t.e_ident));
	if (b->is64)
		memcpy(b->out, &h, sizeof(h));
	else
		memcpy(b->out, &t, sizeof(t));
}

/* The file's bytes, in b->out and b->size; eb_free() frees them. */
static void
eb_finish(struct eb *b)
{
	unsigned symtab, str;
	uint64_t shoff;

	eb_put(b, NULL, b->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	for (unsigned i = 1; i < b->nsect; i++)
		if (b->sect[i].data != NULL)
			b->sect[i].h.sh_offset = eb_put(b, b->sect[i].data,
			    b->sect[i].h.sh_size);
	symtab = eb_sect(b, ".symtab", 0, "", 0);
	str = eb_sect(b, ".strtab", 0, "", 0);
	b->sect[symtab].h.sh_type = SHT_SYMTAB;
	b->sect[symtab].h.sh_link = str;
	b->sect[symtab].h.sh_entsize = b->is64 ? sizeof(Elf64_Sym) :
	    sizeof(Elf32_Sym);
	b->sect[symtab].h.sh_offset = b->size;
	for (unsigned i = 0; i < b->nsym; i++) {
		if (i > 0)
			b->sym[i].st_name = eb_name(b, b->symname[i]);
		eb_put_sym(b, &b->sym[i]);
	}
	b->sect[symtab].h.sh_size = b->size - b->sect[symtab].h.sh_offset;
	eb_rel_sections(b, symtab);
	for (unsigned i = 1; i < b->nsect; i++)
		b->sect[i].h.sh_name = eb_name(b, b->sect[i].name);
	b->sect[str].h.sh_type = SHT_STRTAB;
	b->sect[str].h.sh_size = b->nnames;
	b->sect[str].h.sh_offset = eb_put(b, b->names, b->nnames);
	shoff = b->size;
	for (unsigned i = 0; i < b->nsect; i++)
		eb_put_shdr(b, &b->sect[i].h);
	eb_header(b, shoff, str);
}

static void
eb_free(struct eb *b)
{
	free(b->out);
	b->out = NULL;
}

/* --- reading ----------------------------------------------------------------- */

static struct ks_obj *eb_got;

static int
eb_take(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	(void)ctx;
	(void)err;
	assert_null(eb_got);
	eb_got = o;
	return 0;
}

/* Finishes B and reads it back; the caller frees the object, then B. */
static inline struct ks_obj *
eb_read(struct eb *b)
{
	struct ks_error err = { "" };

	eb_finish(b);
	eb_got = NULL;
	if (ks_obj_open_memory("t.o", b->out, b->size, eb_take, NULL,
	    &err) != 0)
		fail_msg("%s", err.text);
	assert_non_null(eb_got);
	return eb_got;
}

/* Reads bytes that must be refused with CODE and a text that has WORDS. */
static inline void
eb_refused(const void *data, size_t size, int code, const char *words)
{
	struct ks_error err = { "" };
	int rc;

	eb_got = NULL;
	rc = ks_obj_open_memory("t.o", data, size, eb_take, NULL, &err);
	assert_null(eb_got);
	if (strstr(err.text, words) == NULL)
		fail_msg("'%s' lacks '%s'", err.text, words);
	assert_int_equal(rc, code);
	assert_null(strchr(err.text, '\n'));
}

static inline const struct ks_ofunc *
eb_function(const struct ks_obj *o, const char *name)
{
	for (size_t i = 0; i < o->nfunc; i++)
		if (strcmp(o->funcs[i].name, name) == 0)
			return &o->funcs[i];
	return NULL;
}

#endif
