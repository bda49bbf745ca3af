/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which relocations cannot hold an address of the kernel, and how that is
 * told: one finding a section (in code: a function), type and cause.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "obj_build.h"

#define BASE	0xffffffff80000000ull

static const uint8_t bytes[256];

enum { TEXT = 1, DATA, SYM_DATA = 1, SYM_OUT, SYM_WEAK, SYM_LOW, SYM_HIGH,
	SYM_MINUS, SYM_SECT };

static void
object(struct eb *b, bool is64)
{
	unsigned t, d;

	eb_new(b, is64);
	t = eb_sect(b, ".text", EB_TEXT, bytes, 64);
	d = eb_sect(b, ".data", SHF_ALLOC | SHF_WRITE, bytes, 64);
	eb_sym(b, "v", STT_OBJECT, STB_GLOBAL, d, 8, 8);
	eb_undef(b, "outside");
	eb_sym(b, "maybe", STT_NOTYPE, STB_WEAK, SHN_UNDEF, 0, 0);
	eb_sym(b, "low", STT_NOTYPE, STB_GLOBAL, SHN_ABS, 0x1000, 0);
	eb_sym(b, "high", STT_NOTYPE, STB_GLOBAL, SHN_ABS, BASE + 0x1000, 0);
	eb_sym(b, "minus", STT_NOTYPE, STB_GLOBAL, SHN_ABS, (uint64_t)-8, 0);
	eb_sym(b, "", STT_SECTION, STB_LOCAL, d, 0, 0);
	eb_func(b, "f", t, 0, 32);
	eb_func(b, "g", t, 32, 32);
}

static struct ks_findings *
judge(struct eb *b, uint64_t base)
{
	struct ks_findings *f = ks_findings_new();
	struct ks_obj *o = eb_read(b);

	ks_obj_check_relocs(o, NULL, base, f);
	ks_obj_free(o);
	eb_free(b);
	return f;
}

/* One relocation: NULL if it fits, else words of the message. */
static void
one(unsigned sect, unsigned type, unsigned sym, int64_t addend,
    uint64_t base, const char *words)
{
	struct ks_findings *f;
	struct eb b;

	object(&b, true);
	eb_rel(&b, sect, 4, type, sym, addend);
	f = judge(&b, base);
	if (words == NULL && f->v.n != 0)
		fail_msg("type %u: %s", type, f->v.v[0].message);
	if (words != NULL) {
		assert_int_equal(f->v.n, 1);
		assert_int_equal(f->v.v[0].diag, KS_D_OBJ_RELOC_RANGE);
		if (strstr(f->v.v[0].message, words) == NULL)
			fail_msg("'%s' lacks '%s'", f->v.v[0].message,
			    words);
	}
	ks_findings_free(f);
}

static void
ranges(void **state)
{
	(void)state;
	one(DATA, R_X86_64_64, SYM_OUT, 0, BASE, NULL);
	one(TEXT, R_X86_64_PC32, SYM_OUT, -4, BASE, NULL);
	one(TEXT, R_X86_64_PLT32, SYM_OUT, -4, BASE, NULL);
	one(TEXT, R_X86_64_32S, SYM_DATA, 0, BASE, NULL);
	/* a negative addend does not leave the kernel */
	one(TEXT, R_X86_64_32S, SYM_DATA, -64, BASE, NULL);
	one(TEXT, R_X86_64_32, SYM_OUT, 0, BASE, "-mcmodel=kernel");
	one(TEXT, R_X86_64_32, SYM_OUT, 0, BASE,
	    "against 'outside' cannot hold 0xffffffff81000000");
	one(DATA, R_X86_64_32, SYM_SECT, 8, BASE, "against '.data'");
	/* the physical address of something in the kernel */
	one(TEXT, R_X86_64_32, SYM_DATA, (int64_t)-BASE, BASE, NULL);
	one(TEXT, R_X86_64_32, SYM_LOW, 0, BASE, NULL);
	one(TEXT, R_X86_64_32, SYM_HIGH, 0, BASE, "0xffffffff80001000");
	one(TEXT, R_X86_64_32S, SYM_HIGH, 0, BASE, NULL);
	one(TEXT, R_X86_64_32S, SYM_MINUS, 0, BASE, NULL);
	one(TEXT, R_X86_64_32, SYM_MINUS, 0, BASE, "cannot hold");
	/* nobody defines it: 0 */
	one(TEXT, R_X86_64_32, SYM_WEAK, 0, BASE, NULL);
	one(TEXT, R_X86_64_PC32, SYM_WEAK, -4, BASE, NULL);
	one(TEXT, R_X86_64_PC32, SYM_LOW, -4, BASE - (1ull << 40),
	    "out of reach");
	/* a base elsewhere */
	one(TEXT, R_X86_64_32S, SYM_DATA, 0, 0xffff800000000000ull,
	    "the top 2 GiB only");
	one(TEXT, R_X86_64_32, SYM_DATA, 0, 0x400000, NULL);
	one(TEXT, R_X86_64_PC64, SYM_DATA, 0, BASE, NULL);
	one(DATA, R_X86_64_16, SYM_LOW, 0, BASE, NULL);
	one(DATA, R_X86_64_16, SYM_OUT, 0, BASE, "too narrow");
	one(DATA, R_X86_64_8, SYM_LOW, 0, BASE, "too narrow");
	one(DATA, R_X86_64_8, SYM_MINUS, 0, BASE, NULL);
	one(DATA, R_X86_64_PC8, SYM_DATA, 100, BASE, NULL);
	one(DATA, R_X86_64_PC8, SYM_DATA, 200, BASE, "too narrow");
	one(TEXT, R_X86_64_PC16, SYM_DATA, 0, BASE, "too narrow");
	one(TEXT, 200, SYM_DATA, 0, BASE, "relocation type 200");
}

static void
groups(void **state)
{
	struct ks_findings *f;
	struct eb b;

	(void)state;
	object(&b, true);
	for (int i = 0; i < 3; i++) {
		eb_rel(&b, TEXT, 4 + i * 4, R_X86_64_32, SYM_DATA, 0);
		eb_rel(&b, TEXT, 40 + i * 4, R_X86_64_32, SYM_OUT, 0);
		eb_rel(&b, DATA, i * 8, R_X86_64_32, SYM_OUT, 0);
		eb_rel(&b, DATA, i * 8 + 4, R_X86_64_16, SYM_OUT, 0);
	}
	f = judge(&b, BASE);
	assert_int_equal(f->v.n, 4);
	assert_string_equal(f->v.v[0].at.function, "f");
	assert_int_equal(f->v.v[0].at.off, 4);
	assert_string_equal(f->v.v[0].at.object, "t.o");
	assert_non_null(strstr(f->v.v[0].message, "(the first of 3)"));
	assert_string_equal(f->v.v[1].at.function, "g");
	assert_int_equal(f->v.v[1].at.off, 8);
	assert_null(f->v.v[2].at.function);
	assert_string_equal(f->v.v[2].at.section, ".data");
	assert_int_equal(f->v.v[2].at.off, 0);
	assert_non_null(strstr(f->v.v[3].message, "R_X86_64_16"));
	ks_findings_free(f);
}

static void
through_the_got(void **state)
{
	static const unsigned types[] = { R_X86_64_GOTPCREL,
	    R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX, R_X86_64_GOT32,
	    R_X86_64_GOTPC32 };
	static const unsigned types32[] = { R_386_GOT32, R_386_GOT32X,
	    R_386_GOTOFF, R_386_GOTPC };
	struct ks_findings *f;
	struct eb b;

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		object(&b, i < 5);
		eb_rel(&b, TEXT, 36, i < 5 ? types[i] : types32[i - 5],
		    SYM_OUT, -4);
		f = judge(&b, i < 5 ? BASE : 0xc0000000);
		assert_int_equal(f->v.n, 1);
		assert_int_equal(f->v.v[0].diag, KS_D_OBJ_GOT_RELOC);
		assert_string_equal(f->v.v[0].at.function, "g");
		assert_non_null(strstr(f->v.v[0].message, "'outside'"));
		ks_findings_free(f);
	}
}

/* Every address fits in 32 bits. */
static void
i386(void **state)
{
	static const unsigned types[] = { R_386_32, R_386_PC32, R_386_PLT32,
	    R_386_16, R_386_8 };
	struct ks_findings *f;
	struct eb b;

	(void)state;
	object(&b, false);
	for (unsigned i = 0; i < 5; i++)
		eb_rel(&b, TEXT, i * 4, types[i], SYM_OUT, 0);
	f = judge(&b, 0xc0000000);
	assert_int_equal(f->v.n, 0);
	ks_findings_free(f);
}

/* A CIE of 16 bytes and FDEs: each field has its own cure. */
static void
unwind_tables(void **state)
{
	static const struct { uint64_t off; const char *words; } t[] = {
		{ 12, ".cfi_personality 0x1b" },
		{ 24, "-fno-asynchronous-unwind-tables" },
		{ 36, ".cfi_lsda 0x1b" },
		{ 48, "a word for addresses below 4 GiB" },
	};
	uint32_t eh[16] = { 12, 0, 1, 0, 20, 20, 0, 0, 0, 0, 0 };
	struct ks_findings *f;
	struct eb b;
	unsigned s;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		object(&b, true);
		s = eb_sect(&b, ".eh_frame", SHF_ALLOC, eh, sizeof(eh));
		eb_rel(&b, s, t[i].off, R_X86_64_32, SYM_SECT, 0);
		f = judge(&b, BASE);
		assert_int_equal(f->v.n, 1);
		assert_string_equal(f->v.v[0].at.section, ".eh_frame");
		if (strstr(f->v.v[0].message, t[i].words) == NULL)
			fail_msg("%s", f->v.v[0].message);
		ks_findings_free(f);
	}
}

/* What is not loaded, and what is linked already, is not judged. */
static void
not_judged(void **state)
{
	struct ks_findings *f;
	struct eb b;
	unsigned s;

	(void)state;
	object(&b, true);
	s = eb_sect(&b, ".debug_info", 0, bytes, 64);
	eb_rel(&b, s, 4, R_X86_64_32, SYM_DATA, 0);
	f = judge(&b, BASE);
	assert_int_equal(f->v.n, 0);
	ks_findings_free(f);
	object(&b, true);
	b.type = ET_EXEC;
	eb_rel(&b, TEXT, 4, R_X86_64_32, SYM_DATA, 0);
	f = judge(&b, BASE);
	assert_int_equal(f->v.n, 0);
	ks_findings_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(groups),
		cmocka_unit_test(through_the_got),
		cmocka_unit_test(i386),
		cmocka_unit_test(unwind_tables),
		cmocka_unit_test(not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
