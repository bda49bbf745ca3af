/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading ELF objects and archives: what is in them, what is refused and how
 * that is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "obj_build.h"

/* call f; lea v(%rip),%rax; mov $v,%edi; ret */
static const uint8_t text[] = {
	0xe8, 0, 0, 0, 0,
	0x48, 0x8d, 0x05, 0, 0, 0, 0,
	0xbf, 0, 0, 0, 0,
	0xc3,
};

static void
basic(struct eb *b, bool is64)
{
	unsigned t, d, v, u;

	eb_new(b, is64);
	t = eb_sect(b, ".text", EB_TEXT, text, sizeof(text));
	d = eb_sect(b, ".data", SHF_ALLOC | SHF_WRITE, text, 16);
	eb_sect(b, ".bss", SHF_ALLOC | SHF_WRITE, NULL, 64);
	eb_sect(b, ".comment", 0, "x", 2);
	eb_sym(b, "", STT_SECTION, STB_LOCAL, d, 0, 0);
	v = eb_sym(b, "v", STT_OBJECT, STB_LOCAL, d, 8, 8);
	eb_func(b, "f", t, 0, sizeof(text));
	u = eb_undef(b, "outside");
	eb_sym(b, "weak", STT_NOTYPE, STB_WEAK, SHN_UNDEF, 0, 0);
	eb_sym(b, "abs", STT_NOTYPE, STB_GLOBAL, SHN_ABS, 0x1234, 0);
	eb_sym(b, "common", STT_OBJECT, STB_GLOBAL, SHN_COMMON, 8, 8);
	/* Not in order: they are sorted. */
	eb_rel(b, t, 13, R_X86_64_32, v, 4);
	eb_rel(b, t, 1, R_X86_64_PLT32, u, -4);
	eb_rel(b, t, 8, R_X86_64_PC32, 1, 4);
}

static void
reads_sections_symbols_relocations(void **state)
{
	const struct ks_sect *s;
	struct ks_obj *o;
	struct eb b;

	(void)state;
	basic(&b, true);
	b.osabi = ELFOSABI_FREEBSD;
	o = eb_read(&b);
	assert_true(o->mode64);
	assert_false(o->linked);
	assert_false(o->module);
	assert_true(o->has_symbols);
	assert_string_equal(o->arch, "amd64");
	assert_string_equal(o->osabi, "freebsd");
	s = &o->sects[1];
	assert_string_equal(s->name, ".text");
	assert_true(s->alloc && s->exec && !s->write);
	assert_int_equal(s->size, sizeof(text));
	assert_int_equal(s->nrel, 3);
	assert_int_equal(s->rels[0].off, 1);
	assert_int_equal(s->rels[0].type, R_X86_64_PLT32);
	assert_int_equal(s->rels[0].addend, -4);
	assert_string_equal(o->syms[s->rels[0].sym].name, "outside");
	assert_int_equal(s->rels[1].off, 8);
	assert_int_equal(s->rels[2].off, 13);
	assert_true(o->sects[2].write);
	assert_null(o->sects[3].data);
	assert_int_equal(o->sects[3].size, 64);
	assert_false(o->sects[4].alloc);
	assert_false(o->syms[4].defined);
	assert_true(o->syms[5].weak);
	assert_true(o->syms[6].absolute);
	assert_int_equal(o->syms[6].off, 0x1234);
	assert_int_equal(o->syms[7].sect, KS_NOSECT);
	assert_true(o->syms[7].defined);
	assert_int_equal(o->nfunc, 1);
	assert_string_equal(o->funcs[0].name, "f");
	assert_ptr_equal(ks_obj_rel(s, 2), &s->rels[1]);
	assert_ptr_equal(ks_obj_rel(s, 8), &s->rels[1]);
	assert_null(ks_obj_rel(s, 14));
	ks_obj_free(o);
	eb_free(&b);
}

static void
follows_references(void **state)
{
	struct ks_obj *o;
	struct ks_oref r;
	struct eb b;

	(void)state;
	basic(&b, true);
	o = eb_read(&b);
	r = ks_obj_pcrel(o, 1, 1, 0, 5);
	assert_string_equal(o->syms[r.sym].name, "outside");
	assert_int_equal(r.sect, KS_NOSECT);
	assert_int_equal(r.off, 0);
	/* A section and an offset: the variable that is there. */
	r = ks_obj_pcrel(o, 1, 8, 0, 12);
	assert_string_equal(o->syms[r.sym].name, "v");
	assert_int_equal(r.sect, 2);
	assert_int_equal(r.off, 8);
	r = ks_obj_data_ref(o, 1, 13, 4);
	assert_string_equal(o->syms[r.sym].name, "v");
	assert_int_equal(r.off, 12);
	assert_int_equal(ks_obj_data_ref(o, 1, 13, 8).sect, KS_NOSECT);
	/* No relocation: the assembler knew. */
	r = ks_obj_pcrel(o, 1, 17, -5, 17);
	assert_int_equal(r.sect, 1);
	assert_int_equal(r.off, 12);
	assert_int_equal(ks_obj_data_ref(o, 2, 0, 8).sym, KS_NONE);
	assert_int_equal(ks_obj_func_at(o, 1, 17), 0);
	assert_int_equal(ks_obj_func_at(o, 2, 0), KS_NONE);
	ks_obj_free(o);
	eb_free(&b);
}

/* i386 with REL: the addend is in the code. */
static void
reads_addends_from_bytes(void **state)
{
	static const uint8_t code[] = { 0xe8, 0xfc, 0xff, 0xff, 0xff, 0xc3 };
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	eb_new(&b, false);
	b.rel = true;
	t = eb_sect(&b, ".text", EB_TEXT, code, sizeof(code));
	eb_func(&b, "f", t, 0, sizeof(code));
	eb_rel(&b, t, 1, R_386_PC32, eb_undef(&b, "g"), 99);
	o = eb_read(&b);
	assert_false(o->mode64);
	assert_string_equal(o->arch, "i386");
	assert_int_equal(o->sects[1].nrel, 1);
	assert_int_equal(o->sects[1].rels[0].addend, -4);
	ks_obj_free(o);
	eb_free(&b);
}

/* Places in a linked file are addresses less their section's. */
static void
reads_linked_files(void **state)
{
	static const uint8_t code[] = { 0xe8, 0x0b, 0, 0, 0, 0xc3, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0, 0xc3, 0xc3 };
	uint64_t table[2] = { 0xffffffff81000010, 0xffffffff81000011 };
	struct ks_obj *o;
	struct ks_oref r;
	struct eb b;
	unsigned t, d;

	(void)state;
	eb_new(&b, true);
	b.type = ET_EXEC;
	t = eb_sect(&b, ".text", EB_TEXT, code, sizeof(code));
	d = eb_sect(&b, ".data", SHF_ALLOC, table, sizeof(table));
	b.sect[t].h.sh_addr = 0xffffffff81000000;
	b.sect[d].h.sh_addr = 0xffffffff82000000;
	eb_func(&b, "f", t, 0xffffffff81000000, 6);
	eb_func(&b, "g", t, 0xffffffff81000010, 1);
	eb_sym(&b, "table", STT_OBJECT, STB_GLOBAL, d, 0xffffffff82000000,
	    16);
	o = eb_read(&b);
	assert_true(o->linked);
	/* g's neighbour has no symbol: data points at it. */
	assert_int_equal(o->nfunc, 3);
	assert_int_equal(o->funcs[1].off, 0x10);
	assert_string_equal(o->funcs[2].name, ".text+0x11");
	assert_true((o->funcs[2].flags & KS_OFUNC_GUESSED) != 0);
	r = ks_obj_pcrel(o, t, 1, 0x0b, 5);
	assert_string_equal(o->syms[r.sym].name, "g");
	r = ks_obj_data_ref(o, d, 0, 8);
	assert_string_equal(o->syms[r.sym].name, "g");
	assert_int_equal(ks_obj_sect_at(o, 0xffffffff81000011), t);
	assert_int_equal(ks_obj_sect_at(o, 0xffffffff81000012), KS_NOSECT);
	assert_int_equal(ks_obj_sect_at(o, 0), KS_NOSECT);
	ks_obj_free(o);
	eb_free(&b);
}

/* --- refused ---------------------------------------------------------------- */

static void
refuses_other_machines(void **state)
{
	static const struct { uint16_t m; bool is64; const char *words; } t[] = {
		{ EM_AARCH64, true, "AArch64" },
		{ EM_RISCV, true, "RISC-V" },
		{ EM_ARM, false, "ARM" },
		{ EM_X86_64, false, "x32" },
		{ EM_386, true, "machine 3" },
		{ 4711, true, "machine 4711" },
	};
	struct eb b;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		basic(&b, t[i].is64);
		b.machine = t[i].m;
		eb_finish(&b);
		eb_refused(b.out, b.size, KS_ENOTSUP, t[i].words);
		eb_free(&b);
	}
	basic(&b, true);
	eb_finish(&b);
	b.out[EI_DATA] = ELFDATA2MSB;
	eb_refused(b.out, b.size, KS_ENOTSUP, "big-endian");
	eb_free(&b);
	basic(&b, true);
	b.type = ET_CORE;
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_ENOTSUP, "core dump");
	eb_free(&b);
}

static void
refuses_what_is_no_object(void **state)
{
	static const struct { const char *data; size_t n; int rc;
	    const char *words; } t[] = {
		{ "", 0, KS_ENOTSUP, "empty file" },
		{ "int main;\n", 10, KS_ENOTSUP, "text file" },
		{ "BC\xc0\xde....", 8, KS_ENOTSUP, "LLVM bitcode" },
		{ "\xde\xc0\x17\x0b....", 8, KS_ENOTSUP, "LLVM bitcode" },
		{ "\xfd" "7zXZ\0..", 8, KS_ENOTSUP, "xz: unpack it first" },
		{ "\x1f\x8b......", 8, KS_ENOTSUP, "gzip: unpack it first" },
		{ "\x28\xb5\x2f\xfd....", 8, KS_ENOTSUP,
		    "zstd: unpack it first" },
		{ "MZ\x90\0....", 8, KS_ENOTSUP, "PE image" },
		{ "\xcf\xfa\xed\xfe....", 8, KS_ENOTSUP, "Mach-O" },
		{ "\177EL", 3, KS_ENOTSUP, "truncated" },
		{ "\177ELF\2\1", 6, KS_EPARSE, "truncated ELF header" },
		{ "\1\2\3\4\5\6\7\0", 8, KS_ENOTSUP, "neither" },
	};
	uint8_t boot[0x300] = { [0x1fe] = 0x55, [0x1ff] = 0xaa,
	    [0x202] = 'H', 'd', 'r', 'S' };

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		eb_refused(t[i].data, t[i].n, t[i].rc, t[i].words);
	eb_refused(boot, sizeof(boot), KS_ENOTSUP, "bzImage");
}

/* One thing broken in an object that was right. */
static void
refuses_broken_tables(void **state)
{
	struct eb b;
	Elf64_Ehdr eh;

	(void)state;
	basic(&b, true);
	eb_rel(&b, 1, 15, R_X86_64_32, 1, 0);	/* its last byte is outside */
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_EPARSE, "outside of its section");
	eb_free(&b);

	basic(&b, true);
	eb_rel(&b, 1, 1, R_X86_64_32, 60, 0);
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_EPARSE, "symbol that does not exist");
	eb_free(&b);

	basic(&b, true);
	b.sect[1].h.sh_size = 1 << 20;		/* behind the end of the file */
	b.sect[1].data = calloc(1, 1 << 20);
	eb_finish(&b);
	eb_refused(b.out, 1 << 19, KS_EPARSE, "truncated");
	free((void *)(uintptr_t)b.sect[1].data);
	eb_free(&b);

	basic(&b, true);
	eb_sect(&b, ".gnu.lto_x", 0, "x", 1);
	eb_sym(&b, "__gnu_lto_slim", STT_OBJECT, STB_GLOBAL, SHN_COMMON, 1,
	    1);
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_ENOTSUP, "LTO object");
	eb_free(&b);

	basic(&b, true);
	eb_finish(&b);
	memcpy(&eh, b.out, sizeof(eh));
	eh.e_shentsize = 63;
	memcpy(b.out, &eh, sizeof(eh));
	eb_refused(b.out, b.size, KS_EPARSE, "63 bytes each");
	eh.e_shentsize = 64;
	eh.e_shstrndx = 1;
	memcpy(b.out, &eh, sizeof(eh));
	eb_refused(b.out, b.size, KS_EPARSE, "no string table");
	eb_free(&b);
}

static void
refuses_unterminated_names(void **state)
{
	struct eb b;
	size_t at;

	(void)state;
	basic(&b, true);
	eb_finish(&b);
	at = b.size - b.nsect * sizeof(Elf64_Shdr);
	assert_int_equal(b.out[at - 1], 0);
	b.out[at - 1] = 'x';
	eb_refused(b.out, b.size, KS_EPARSE, "does not end with a NUL");
	eb_free(&b);
}

/* Sections that share bytes would make all that follows quadratic. */
static void
refuses_overlaps(void **state)
{
	struct eb b;
	Elf64_Shdr h;
	size_t at;

	(void)state;
	basic(&b, true);
	for (int i = 0; i < 20; i++)
		eb_sect(&b, ".text.more", EB_TEXT, text, 1);
	eb_finish(&b);
	for (unsigned i = 5; i < 25; i++) {
		at = b.size - (b.nsect - i) * sizeof(h);
		memcpy(&h, b.out + at, sizeof(h));
		h.sh_offset = 0;
		h.sh_size = b.size / 2;
		memcpy(b.out + at, &h, sizeof(h));
	}
	eb_refused(b.out, b.size, KS_EPARSE, "overlap");
	eb_free(&b);
}

/* --- archives --------------------------------------------------------------------- */

struct ar {
	uint8_t	 data[65536];
	size_t	 n;
};

static void
ar_member(struct ar *a, const char *name, const void *data, size_t size)
{
	a->n += snprintf((char *)a->data + a->n, 61, "%-16s%-12d%-6d%-6d%-8d"
	    "%-10zu`\n", name, 0, 0, 0, 644, size);
	memcpy(a->data + a->n, data, size);
	a->n += size;
	if (a->n % 2 != 0)
		a->data[a->n++] = '\n';
}

struct paths {
	char	text[1024];
	int	stop_at, n;
};

static int
note_path(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct paths *p = ctx;

	(void)err;
	strcat(p->text, o->path);
	strcat(p->text, " ");
	ks_obj_free(o);
	return ++p->n == p->stop_at ? 42 : 0;
}

static void
reads_archives(void **state)
{
	struct ar *a = calloc(1, sizeof(*a));
	struct paths p = { "", 0, 0 };
	struct ks_error err = { "" };
	struct eb b;
	char *bsd;

	(void)state;
	basic(&b, true);
	eb_finish(&b);
	a->n = 8;
	memcpy(a->data, "!<arch>\n", 8);
	ar_member(a, "/", "\0\0\0\0", 4);
	ar_member(a, "//", "a_very_long_name.o/\nb_long.o/\n", 30);
	ar_member(a, "x.o/", b.out, b.size);
	ar_member(a, "/20", b.out, b.size);
	bsd = malloc(b.size + 5);
	memcpy(bsd, "bsd.o", 5);
	memcpy(bsd + 5, b.out, b.size);
	ar_member(a, "#1/5", bsd, b.size + 5);
	free(bsd);
	assert_int_equal(ks_obj_open_memory("l.a", a->data, a->n, note_path,
	    &p, &err), 0);
	assert_string_equal(p.text, "l.a(x.o) l.a(b_long.o) l.a(bsd.o) ");
	p = (struct paths){ "", 2, 0 };
	assert_int_equal(ks_obj_open_memory("l.a", a->data, a->n, note_path,
	    &p, &err), 42);
	assert_int_equal(p.n, 2);
	/* Empty, as Linux' built-in.a may be. */
	p = (struct paths){ "", 0, 0 };
	assert_int_equal(ks_obj_open_memory("l.a", a->data, 8, note_path, &p,
	    &err), 0);
	assert_int_equal(p.n, 0);
	/* Each cut is an error, or an archive with fewer members. */
	for (size_t n = 8; n < a->n; n += 7) {
		uint8_t *cut = malloc(n);

		memcpy(cut, a->data, n);
		p = (struct paths){ "", 0, 0 };
		err.text[0] = '\0';
		if (ks_obj_open_memory("l.a", cut, n, note_path, &p,
		    &err) != 0)
			assert_non_null(strstr(err.text, "l.a: archive: "));
		free(cut);
	}
	/* What is no object in an archive is code that nobody checked. */
	ar_member(a, "notes.txt/", "hello\n", 6);
	p = (struct paths){ "", 0, 0 };
	assert_int_equal(ks_obj_open_memory("l.a", a->data, a->n, note_path,
	    &p, &err), KS_ENOTSUP);
	assert_non_null(strstr(err.text, "l.a(notes.txt): text file"));
	eb_free(&b);
	free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_sections_symbols_relocations),
		cmocka_unit_test(follows_references),
		cmocka_unit_test(reads_addends_from_bytes),
		cmocka_unit_test(reads_linked_files),
		cmocka_unit_test(refuses_other_machines),
		cmocka_unit_test(refuses_what_is_no_object),
		cmocka_unit_test(refuses_broken_tables),
		cmocka_unit_test(refuses_unterminated_names),
		cmocka_unit_test(refuses_overlaps),
		cmocka_unit_test(reads_archives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
