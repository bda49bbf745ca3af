/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One ELF image (ELF64 x86-64, ELF32 i386; relocatable or linked) into the
 * tables of struct ks_obj.
 *
 * 1. Check the file header: class, byte order, machine, type.
 * 2. Sections, with the same indexes as in the file.  A linked file without
 *    section headers gets one section for each loaded segment.
 * 3. Symbols of .symtab, then those of .dynsym, values turned into section
 *    offsets.
 * 4. Relocations (elf_rel.c).
 *
 * Invariants when 0 is returned: every section's data lies in the image,
 * every relocation's field in its section (or its type writes nothing) and
 * its symbol in the table; every name ends inside its string table; a
 * defined symbol's offset is at most its section's size.
 *
 * The tables are read by hand, not through libelf: the input is hostile, so
 * every offset must be checked here anyway, under sanitizers, and libelf
 * knows no thin archives.  Speed is no reason: libelf walks the 5.7 million
 * relocations of a kernel's modules in about the same time.
 *
 * Limits: a file that shrinks while it is mapped ends the process.
 * References: System V gABI chapters 4 and 5; x86-64 psABI 4.4; i386 psABI.
 */
#include <stdarg.h>
#include <string.h>

#include "elf_priv.h"

/* --- small readers -------------------------------------------------------- */

/* See elf_priv.h. */
int
ks_elf_bad(struct ks_elf *r, int code, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return (ks_error(r->err, code, "%s: %s", r->o->path, text));
}

static bool
in_image(const struct ks_elf *r, uint64_t off, uint64_t len)
{
	return (off <= r->size && len <= r->size - off);
}

static void
shdr_load(const struct ks_elf *r, size_t off, Elf64_Shdr *out)
{
	Elf32_Shdr s;

	if (r->is64) {
		memcpy(out, r->p + off, sizeof(*out));
		return;
	}
	memcpy(&s, r->p + off, sizeof(s));
	*out = (Elf64_Shdr){
		.sh_name = s.sh_name, .sh_type = s.sh_type,
		.sh_flags = s.sh_flags, .sh_addr = s.sh_addr,
		.sh_offset = s.sh_offset, .sh_size = s.sh_size,
		.sh_link = s.sh_link, .sh_info = s.sh_info,
		.sh_addralign = s.sh_addralign, .sh_entsize = s.sh_entsize,
	};
}

static void
sym_load(const struct ks_elf *r, const uint8_t *p, Elf64_Sym *out)
{
	Elf32_Sym s;

	if (r->is64) {
		memcpy(out, p, sizeof(*out));
		return;
	}
	memcpy(&s, p, sizeof(s));
	*out = (Elf64_Sym){
		.st_name = s.st_name, .st_info = s.st_info,
		.st_other = s.st_other, .st_shndx = s.st_shndx,
		.st_value = s.st_value, .st_size = s.st_size,
	};
}

/* --- file header ---------------------------------------------------------- */

static const char *
machine_name(unsigned m)
{
	static const struct { unsigned m; const char *name; } names[] = {
		{ EM_SPARC, "SPARC" }, { EM_68K, "m68k" },
		{ EM_MIPS, "MIPS" }, { EM_PARISC, "PA-RISC" },
		{ EM_SPARC32PLUS, "SPARC" }, { EM_PPC, "PowerPC" },
		{ EM_PPC64, "PowerPC64" }, { EM_S390, "S/390" },
		{ EM_ARM, "ARM" }, { EM_SH, "SuperH" },
		{ EM_SPARCV9, "SPARC V9" }, { EM_IA_64, "IA-64" },
		{ EM_AARCH64, "AArch64" }, { EM_RISCV, "RISC-V" },
		{ EM_BPF, "BPF" }, { 0x9026, "Alpha" },
		{ 258, "LoongArch" }, { EM_VAX, "VAX" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].m == m)
			return (names[i].name);
	return (NULL);
}

static const char *
osabi_name(unsigned abi)
{
	switch (abi) {
	case ELFOSABI_NONE:
		return ("none");
	case ELFOSABI_LINUX:
		return ("linux");
	case ELFOSABI_FREEBSD:
		return ("freebsd");
	case ELFOSABI_NETBSD:
		return ("netbsd");
	case ELFOSABI_OPENBSD:
		return ("openbsd");
	case ELFOSABI_SOLARIS:
		return ("solaris");
	}
	return ("other");
}

static int
check_machine(struct ks_elf *r)
{
	unsigned m = r->eh.e_machine;
	const char *name;

	if (r->is64 && m == EM_X86_64)
		return (0);
	if (!r->is64 && m == EM_386)
		return (0);
	if (m == EM_X86_64)
		return (bad(r, KS_ENOTSUP, "x32 object (32-bit ELF for "
		    "x86-64): no kernel code"));
	if ((name = machine_name(m)) != NULL)
		return (bad(r, KS_ENOTSUP, "ELF object for %s: only x86-64 "
		    "and i386 are supported", name));
	return (bad(r, KS_ENOTSUP, "ELF object for machine %u: only x86-64 "
	    "and i386 are supported", m));
}

static void
ehdr32_load(struct ks_elf *r)
{
	Elf32_Ehdr e;

	memcpy(&e, r->p, sizeof(e));
	memcpy(r->eh.e_ident, e.e_ident, sizeof(e.e_ident));
	r->eh.e_type = e.e_type;
	r->eh.e_machine = e.e_machine;
	r->eh.e_phoff = e.e_phoff;
	r->eh.e_shoff = e.e_shoff;
	r->eh.e_phentsize = e.e_phentsize;
	r->eh.e_phnum = e.e_phnum;
	r->eh.e_shentsize = e.e_shentsize;
	r->eh.e_shnum = e.e_shnum;
	r->eh.e_shstrndx = e.e_shstrndx;
}

static int
read_header(struct ks_elf *r)
{
	struct ks_obj *o = r->o;
	const uint8_t *id = r->p;

	if (r->size < EI_NIDENT)
		return (bad(r, KS_EPARSE, "truncated ELF header"));
	if (id[EI_CLASS] != ELFCLASS32 && id[EI_CLASS] != ELFCLASS64)
		return (bad(r, KS_EPARSE, "ELF class %u is unknown",
		    id[EI_CLASS]));
	if (id[EI_DATA] == ELFDATA2MSB)
		return (bad(r, KS_ENOTSUP, "big-endian ELF object: only "
		    "x86-64 and i386 are supported"));
	if (id[EI_DATA] != ELFDATA2LSB)
		return (bad(r, KS_EPARSE, "ELF byte order %u is unknown",
		    id[EI_DATA]));
	r->is64 = id[EI_CLASS] == ELFCLASS64;
	if (r->size < (r->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return (bad(r, KS_EPARSE, "truncated ELF header"));
	if (r->is64)
		memcpy(&r->eh, r->p, sizeof(r->eh));
	else
		ehdr32_load(r);
	if (check_machine(r) != 0)
		return (KS_ENOTSUP);
	switch (r->eh.e_type) {
	case ET_REL:
		break;
	case ET_EXEC:
	case ET_DYN:
		o->linked = true;
		break;
	case ET_CORE:
		return (bad(r, KS_ENOTSUP, "core dump, not an object"));
	default:
		return (bad(r, KS_EPARSE, "ELF type %u is unknown",
		    r->eh.e_type));
	}
	o->mode64 = r->is64;
	o->arch = r->is64 ? "amd64" : "i386";
	o->osabi = osabi_name(id[EI_OSABI]);
	return (0);
}

/* --- sections ------------------------------------------------------------- */

/* String OFF of string table section S; NULL if it is not in there. */
static const char *
string(const struct ks_elf *r, uint32_t s, uint64_t off)
{
	const Elf64_Shdr *h = &r->sh[s];

	if (off >= h->sh_size)
		return (NULL);
	return ((const char *)r->p + h->sh_offset + off);
}

/* A string table that string() may be used on. */
static int
check_strtab(struct ks_elf *r, uint64_t s)
{
	const Elf64_Shdr *h;

	if (s == 0 || s >= r->nsh || r->sh[s].sh_type != SHT_STRTAB)
		return (bad(r, KS_EPARSE, "section %llu is no string table",
		    (unsigned long long)s));
	h = &r->sh[s];
	if (h->sh_size == 0 || r->p[h->sh_offset + h->sh_size - 1] != '\0')
		return (bad(r, KS_EPARSE, "the string table in section %llu "
		    "does not end with a NUL", (unsigned long long)s));
	return (0);
}

/*
 * Reads the section headers into r->sh.  *SHSTR is the string table of their
 * names.
 */
static int
read_shdrs(struct ks_elf *r, uint32_t *shstr)
{
	size_t ent = r->is64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t n = r->eh.e_shnum, off = r->eh.e_shoff;
	Elf64_Shdr first;

	if (r->eh.e_shentsize != ent)
		return (bad(r, KS_EPARSE, "section headers have %u bytes "
		    "each, not %zu", r->eh.e_shentsize, ent));
	if (!in_image(r, off, ent))
		return (bad(r, KS_EPARSE, "truncated: the section headers "
		    "are at 0x%llx, the file has 0x%zx bytes",
		    (unsigned long long)off, r->size));
	/* gABI: more than 0xff00 sections are counted in the first header. */
	shdr_load(r, off, &first);
	if (n == 0)
		n = first.sh_size;
	if (n == 0 || n > (r->size - off) / ent)
		return (bad(r, KS_EPARSE, "truncated: %llu section headers at "
		    "0x%llx, the file has 0x%zx bytes", (unsigned long long)n,
		    (unsigned long long)off, r->size));
	r->nsh = n;
	r->sh = KS_NEWN(r->o->arena, Elf64_Shdr, n);
	for (size_t i = 1; i < n; i++)
		shdr_load(r, off + i * ent, &r->sh[i]);
	*shstr = r->eh.e_shstrndx == SHN_XINDEX ? first.sh_link :
	    r->eh.e_shstrndx;
	return (0);
}

/* Every section lies in the file and has a name. */
static int
check_shdrs(struct ks_elf *r, uint32_t shstr)
{
	for (size_t i = 1; i < r->nsh; i++) {
		const Elf64_Shdr *h = &r->sh[i];

		if (h->sh_type == SHT_NOBITS || h->sh_type == SHT_NULL)
			continue;
		if (!in_image(r, h->sh_offset, h->sh_size))
			return (bad(r, KS_EPARSE, "truncated: section %zu "
			    "(0x%llx bytes at 0x%llx) ends outside of the "
			    "file (0x%zx bytes)", i,
			    (unsigned long long)h->sh_size,
			    (unsigned long long)h->sh_offset, r->size));
	}
	if (check_strtab(r, shstr) != 0)
		return (KS_EPARSE);
	for (size_t i = 0; i < r->nsh; i++)
		if (string(r, shstr, r->sh[i].sh_name) == NULL)
			return (bad(r, KS_EPARSE, "the name of section %zu "
			    "is outside of the string table", i));
	return (0);
}

static int
add_section(struct ks_elf *r, size_t i, const char *name)
{
	const Elf64_Shdr *h = &r->sh[i];
	struct ks_sect *s = &r->o->sects[i];

	s->name = name;
	s->addr = r->o->linked ? h->sh_addr : 0;
	s->size = h->sh_size;
	s->alloc = (h->sh_flags & SHF_ALLOC) != 0;
	s->exec = s->alloc && (h->sh_flags & SHF_EXECINSTR) != 0;
	s->write = (h->sh_flags & SHF_WRITE) != 0;
	if (h->sh_type != SHT_NOBITS && h->sh_type != SHT_NULL)
		s->data = r->p + h->sh_offset;
	if (s->alloc && (h->sh_flags & SHF_COMPRESSED) != 0)
		return (bad(r, KS_EPARSE, "section '%s' is loaded, but "
		    "compressed", name));
	if (s->alloc && s->addr > UINT64_MAX - s->size)
		return (bad(r, KS_EPARSE, "section '%s' wraps around the "
		    "address space", name));
	/* gcc's IR instead of code: a verdict on it would be blind. */
	if (name[0] == '.' && name[1] == 'g' &&
	    strncmp(name, ".gnu.lto_", 9) == 0)
		r->lto = true;
	if (h->sh_type == SHT_SYMTAB && r->symtab == 0)
		r->symtab = i;
	if (h->sh_type == SHT_DYNSYM && r->dynsym == 0)
		r->dynsym = i;
	return (0);
}

/*
 * Hostile files let many sections share the same bytes, and make any reader
 * that is linear in the sections' sizes quadratic in the file's.
 */
static int
check_overlap(struct ks_elf *r)
{
	uint64_t code = 0, tables = 0;

	for (size_t i = 0; i < r->nsh; i++) {
		const struct ks_sect *s = &r->o->sects[i];

		if (s->exec && s->data != NULL)
			code += s->size;
		if (r->sh[i].sh_type == SHT_RELA || r->sh[i].sh_type == SHT_REL)
			tables += r->sh[i].sh_size;
	}
	if (code > r->size || tables > r->size)
		return (bad(r, KS_EPARSE, "sections overlap in the file"));
	return (0);
}

static int
read_sections(struct ks_elf *r)
{
	struct ks_obj *o = r->o;
	uint32_t shstr = 0;
	int rc;

	if ((rc = read_shdrs(r, &shstr)) != 0 ||
	    (rc = check_shdrs(r, shstr)) != 0)
		return (rc);
	o->nsect = r->nsh;
	o->sects = KS_NEWN(o->arena, struct ks_sect, r->nsh);
	for (size_t i = 0; i < r->nsh; i++) {
		rc = add_section(r, i, string(r, shstr, r->sh[i].sh_name));
		if (rc != 0)
			return (rc);
	}
	return (check_overlap(r));
}

static void
phdr_load(const struct ks_elf *r, size_t off, Elf64_Phdr *out)
{
	Elf32_Phdr s;

	if (r->is64) {
		memcpy(out, r->p + off, sizeof(*out));
		return;
	}
	memcpy(&s, r->p + off, sizeof(s));
	*out = (Elf64_Phdr){
		.p_type = s.p_type, .p_flags = s.p_flags,
		.p_offset = s.p_offset, .p_vaddr = s.p_vaddr,
		.p_filesz = s.p_filesz, .p_memsz = s.p_memsz,
	};
}

/* A linked file whose section headers were stripped: its loaded segments. */
static int
read_segments(struct ks_elf *r)
{
	size_t ent = r->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t n = r->eh.e_phnum, nsect = 1;
	struct ks_obj *o = r->o;
	uint64_t total = 0;

	if (!o->linked || n == 0 || r->eh.e_phentsize != ent)
		return (bad(r, KS_EPARSE, "no section headers"));
	if (!in_image(r, r->eh.e_phoff, (uint64_t)n * ent))
		return (bad(r, KS_EPARSE, "truncated: program headers"));
	o->sects = KS_NEWN(o->arena, struct ks_sect, n + 1);
	o->sects[0].name = "";
	for (size_t i = 0; i < n; i++) {
		struct ks_sect *s = &o->sects[nsect];
		Elf64_Phdr ph;

		phdr_load(r, r->eh.e_phoff + i * ent, &ph);
		if (ph.p_type != PT_LOAD || ph.p_filesz == 0)
			continue;
		if (!in_image(r, ph.p_offset, ph.p_filesz) ||
		    ph.p_vaddr > UINT64_MAX - ph.p_filesz)
			return (bad(r, KS_EPARSE, "truncated: segment %zu", i));
		s->name = ks_printf(o->arena, "segment%zu", i);
		s->addr = ph.p_vaddr;
		s->size = ph.p_filesz;
		s->data = r->p + ph.p_offset;
		s->alloc = true;
		s->exec = (ph.p_flags & PF_X) != 0;
		s->write = (ph.p_flags & PF_W) != 0;
		total += s->size;
		nsect++;
	}
	if (total > r->size)
		return (bad(r, KS_EPARSE, "segments overlap in the file"));
	o->nsect = nsect;
	return (0);
}

/* Allocated sections of a linked file, by address. */
static int
by_addr(const void *a, const void *b, void *ctx)
{
	const struct ks_obj *o = ctx;
	const struct ks_sect *x = &o->sects[*(const uint32_t *)a];
	const struct ks_sect *y = &o->sects[*(const uint32_t *)b];

	if (x->addr != y->addr)
		return (x->addr < y->addr ? -1 : 1);
	return (x < y ? -1 : x > y);
}

static void
index_addresses(struct ks_elf *r)
{
	struct ks_obj *o = r->o;
	struct ks_obj_priv *pr = r->pr;

	if (!o->linked)
		return;
	pr->byaddr = KS_NEWN(o->arena, uint32_t, o->nsect);
	for (size_t i = 1; i < o->nsect; i++)
		if (o->sects[i].alloc && o->sects[i].size != 0)
			pr->byaddr[pr->nbyaddr++] = i;
	ks_sort(pr->byaddr, pr->nbyaddr, sizeof(uint32_t), by_addr, o);
}

/* --- symbols -------------------------------------------------------------- */

static uint8_t
sym_type(unsigned type)
{
	switch (type) {
	case STT_NOTYPE:
		return (KS_OSYM_NONE);
	case STT_FUNC:
		return (KS_OSYM_FUNC);
	case STT_OBJECT:
	case STT_COMMON:
		return (KS_OSYM_OBJECT);
	case STT_SECTION:
		return (KS_OSYM_SECTION);
	case STT_GNU_IFUNC:
		return (KS_OSYM_IFUNC);
	}
	return (KS_OSYM_OTHER);
}

/* Fills in where a symbol is; SHNDX is its section, extended if need be. */
static void
place_symbol(struct ks_elf *r, const Elf64_Sym *s, uint32_t shndx,
    struct ks_osym *out)
{
	const struct ks_sect *sect;

	out->sect = KS_NOSECT;
	out->off = s->st_value;
	out->defined = shndx != SHN_UNDEF;
	if (s->st_shndx == SHN_COMMON || shndx == SHN_UNDEF)
		return;
	out->absolute = true;
	if ((s->st_shndx >= SHN_LORESERVE && s->st_shndx != SHN_XINDEX) ||
	    shndx >= r->nsh)
		return;
	sect = &r->o->sects[shndx];
	/*
	 * A linker may leave a symbol in the wrong section when it deletes
	 * an empty one.  Its address is what counts.
	 */
	if (out->off - sect->addr > sect->size)
		return;
	out->absolute = false;
	out->sect = shndx;
	out->off -= sect->addr;
}

/* SHT_SYMTAB_SHNDX of symbol table TAB, or 0. */
static uint32_t
find_xindex(const struct ks_elf *r, uint32_t tab)
{
	for (size_t i = 1; i < r->nsh; i++)
		if (r->sh[i].sh_type == SHT_SYMTAB_SHNDX &&
		    r->sh[i].sh_link == tab)
			return (i);
	return (0);
}

static int
read_symbols(struct ks_elf *r, uint32_t tab, struct ks_osym *out, size_t n)
{
	const Elf64_Shdr *h = &r->sh[tab];
	size_t ent = r->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint32_t x = find_xindex(r, tab), shndx;

	for (size_t i = 0; i < n; i++, out++) {
		unsigned vis;
		Elf64_Sym s;

		sym_load(r, r->p + h->sh_offset + i * ent, &s);
		out->name = string(r, h->sh_link, s.st_name);
		if (out->name == NULL)
			return (bad(r, KS_EPARSE, "the name of symbol %zu is "
			    "outside of the string table", i));
		shndx = s.st_shndx;
		if (shndx == SHN_XINDEX && x != 0 &&
		    (i + 1) * 4 <= r->sh[x].sh_size)
			shndx = ks_le32(r->p + r->sh[x].sh_offset + i * 4);
		out->size = s.st_size;
		out->type = sym_type(ELF64_ST_TYPE(s.st_info));
		out->local = ELF64_ST_BIND(s.st_info) == STB_LOCAL;
		out->weak = ELF64_ST_BIND(s.st_info) == STB_WEAK;
		vis = ELF64_ST_VISIBILITY(s.st_other);
		out->hidden = vis == STV_HIDDEN || vis == STV_INTERNAL;
		place_symbol(r, &s, shndx, out);
		if (r->lto && strcmp(out->name, "__gnu_lto_slim") == 0)
			return (bad(r, KS_ENOTSUP, "gcc LTO object without "
			    "machine code: check what the linker makes of it"));
	}
	return (0);
}

/* Number of symbols in section TAB, or -1. */
static int64_t
count_symbols(struct ks_elf *r, uint32_t tab)
{
	size_t ent = r->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	const Elf64_Shdr *h = &r->sh[tab];

	if (tab == 0)
		return (0);
	if (h->sh_entsize != ent || h->sh_size % ent != 0 ||
	    h->sh_size / ent >= KS_NONE / 2)
		return (bad(r, KS_EPARSE, "section %u is no symbol table",
		    tab));
	if (check_strtab(r, h->sh_link) != 0)
		return (KS_EPARSE);
	return (h->sh_size / ent);
}

static int
read_symtabs(struct ks_elf *r)
{
	struct ks_obj *o = r->o;
	int64_t n, nd;
	int rc;

	if ((n = count_symbols(r, r->symtab)) < 0 ||
	    (nd = count_symbols(r, r->dynsym)) < 0)
		return (KS_EPARSE);
	/* Static PIEs have dynamic relocations, but no .dynsym. */
	o->nsym = n + (nd == 0 ? 1 : nd);
	o->syms = KS_NEWN(o->arena, struct ks_osym, o->nsym);
	o->syms[n].name = "";
	o->syms[n].sect = KS_NOSECT;
	r->pr->dynsym0 = n;
	o->has_symbols = n > 1 || nd > 1;
	if ((rc = read_symbols(r, r->symtab, o->syms, n)) != 0)
		return (rc);
	return (read_symbols(r, r->dynsym, o->syms + n, nd));
}

/* --- whole image ---------------------------------------------------------- */

/* Linux: the section is in finished modules only.  Else: by file name. */
static bool
is_module(const struct ks_obj *o)
{
	size_t n = strlen(o->path);

	if (ks_obj_find_sect(o, ".gnu.linkonce.this_module", 1) != KS_NOSECT)
		return (true);
	return (n > 3 && strcmp(o->path + n - 3, ".ko") == 0);
}

static int
parse(struct ks_elf *r)
{
	int rc;

	if ((rc = read_header(r)) != 0)
		return (rc);
	rc = r->eh.e_shoff != 0 ? read_sections(r) : read_segments(r);
	if (rc != 0)
		return (rc);
	index_addresses(r);
	if ((rc = read_symtabs(r)) != 0 || (rc = ks_elf_relocations(r)) != 0)
		return (rc);
	r->o->module = is_module(r->o);
	return (0);
}

/* See obj_priv.h. */
int
ks_elf_parse(const char *path, struct ks_input *in, const uint8_t *image,
    size_t size, struct ks_obj **out, struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	struct ks_obj *o = KS_NEW(a, struct ks_obj);
	struct ks_elf r = { .o = o, .p = image, .size = size, .err = err };
	int rc;

	o->arena = a;
	o->path = ks_strdup(a, path);
	o->priv = r.pr = KS_NEW(a, struct ks_obj_priv);
	r.pr->image = image;
	r.pr->size = size;
	r.pr->in = in;
	if (in != NULL)
		in->refs++;
	if ((rc = parse(&r)) != 0) {
		ks_obj_free(o);
		return (rc);
	}
	*out = o;
	return (0);
}
