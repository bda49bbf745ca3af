/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The tables by which kernels patch their code: each layout that is known,
 * with relocations and linked, and layouts that are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "obj_build.h"

/* jmp +3; 5-byte nop; ud2; nops */
static const uint8_t text[64] = { 0xeb, 0x03, 0x0f, 0x1f, 0x44, 0, 0,
    0x0f, 0x0b, [9 ... 63] = 0x90 };
static const uint8_t more[32] = { [0 ... 31] = 0x90 };

struct pointer { uint64_t off; unsigned sym; int64_t place; };

/*
 * One table NAME of SIZE bytes; each pointer has LEN bytes and leads to a
 * PLACE of section symbol SYM: 1 is .text, 2 is the replacements.
 */
static void
table(struct eb *b, bool is64, const char *name, const void *data,
    size_t size, unsigned len, bool pc, const struct pointer *p, size_t n)
{
	unsigned t, r, s, type;

	eb_new(b, is64);
	t = eb_sect(b, ".text", EB_TEXT, text, sizeof(text));
	r = eb_sect(b, ".altinstr_replacement", EB_TEXT, more, sizeof(more));
	s = eb_sect(b, name, SHF_ALLOC, data, size);
	eb_sym(b, "", STT_SECTION, STB_LOCAL, t, 0, 0);
	eb_sym(b, "", STT_SECTION, STB_LOCAL, r, 0, 0);
	eb_func(b, "f", t, 0, sizeof(text));
	eb_undef(b, "__SCK__some_call");
	type = !is64 ? (pc ? R_386_PC32 : R_386_32) :
	    len == 8 ? R_X86_64_64 : R_X86_64_PC32;
	for (size_t i = 0; i < n; i++)
		eb_rel(b, s, p[i].off, type, p[i].sym, p[i].place);
}

static void
check(struct eb *b, const struct ks_patch *want, size_t n)
{
	struct ks_obj *o = eb_read(b);

	assert_int_equal(o->npatch, n);
	for (size_t i = 0; i < n; i++) {
		const struct ks_patch *p = &o->patches[i];

		assert_int_equal(p->kind, want[i].kind);
		assert_int_equal(p->sect, 1);
		assert_int_equal(p->off, want[i].off);
		assert_int_equal(p->len, want[i].len);
		assert_int_equal(p->tsect, want[i].tsect);
		assert_int_equal(p->toff, want[i].toff);
		assert_int_equal(p->tlen, want[i].tlen);
		if (want[i].name != NULL)
			assert_string_equal(p->name, want[i].name);
		assert_ptr_equal(ks_obj_patch(o, p->kind, 1, p->off), p);
	}
	ks_obj_free(o);
	eb_free(b);
}

#define NOWHERE	KS_NOSECT

static void
jump_labels(void **state)
{
	static const struct pointer rel[] = { { 0, 1, 0 }, { 4, 1, 20 },
	    { 16, 1, 2 }, { 20, 1, 30 } };
	static const struct pointer abs[] = { { 0, 1, 0 }, { 8, 1, 20 } };
	static const struct pointer old[] = { { 0, 1, 2 }, { 4, 1, 30 } };
	static const uint8_t zero[64];
	struct eb b;

	(void)state;
	table(&b, true, "__jump_table", zero, 32, 4, true, rel, 4);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_JUMP_LABEL, 1, 0, 2, 1, 20, 0, NULL },
	    { KS_PATCH_JUMP_LABEL, 1, 2, 5, 1, 30, 0, NULL } }, 2);
	table(&b, true, "__jump_table", zero, 24, 8, false, abs, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_JUMP_LABEL, 1, 0, 2, 1, 20, 0, NULL } }, 1);
	table(&b, false, "__jump_table", zero, 12, 4, true, old, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_JUMP_LABEL, 1, 2, 5, 1, 30, 0, NULL } }, 1);
}

/* The size of an entry grew: 13 up to 5.12, 12, 14 since 6.3. */
static void
alternatives(void **state)
{
	static const unsigned lens[] = { 10, 10, 12 };
	static const unsigned sizes[] = { 12, 13, 14 };
	uint8_t data[64];
	struct eb b;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		unsigned n = sizes[i];
		struct pointer p[] = { { 0, 1, 2 }, { 4, 2, 0 },
		    { n, 1, 20 }, { n + 4, 2, 5 }, { 2 * n, 1, 30 },
		    { 2 * n + 4, 2, 8 } };

		memset(data, 0, sizeof(data));
		data[lens[i]] = 5;
		data[lens[i] + 1] = 5;
		data[n + lens[i]] = 3;
		data[n + lens[i] + 1] = 3;
		data[2 * n + lens[i]] = 6;	/* becomes nops */
		table(&b, true, ".altinstructions", data, 3 * n, 4, true, p,
		    6);
		check(&b, (struct ks_patch[]){
		    { KS_PATCH_ALT, 1, 2, 5, 2, 0, 5, NULL },
		    { KS_PATCH_ALT, 1, 20, 3, 2, 5, 3, NULL },
		    { KS_PATCH_ALT, 1, 30, 6, NOWHERE, 0, 0, NULL } }, 3);
	}
}

static void
static_calls(void **state)
{
	static const struct pointer p[] = { { 0, 1, 2 }, { 4, 4, 1 } };
	static const uint8_t zero[8];
	struct eb b;

	(void)state;
	table(&b, true, ".static_call_sites", zero, 8, 4, true, p, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_STATIC_CALL, 1, 2, 5, NOWHERE, 0, 0, "some_call" } },
	    1);
}

static void
exceptions(void **state)
{
	static const struct pointer p12[] = { { 0, 1, 2 }, { 4, 1, 40 },
	    { 12, 1, 9 }, { 16, 1, 41 } };
	static const struct pointer p8[] = { { 0, 1, 2 }, { 4, 1, 40 },
	    { 8, 1, 9 }, { 12, 1, 41 }, { 16, 1, 10 }, { 20, 1, 42 } };
	static const uint8_t data[24] = { [8] = 3, [20] = 3 };
	static const uint8_t zero[24];
	struct eb b;

	(void)state;
	table(&b, true, "__ex_table", data, 24, 4, true, p12, 4);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_EXTABLE, 1, 2, 5, 1, 40, 0, NULL },
	    { KS_PATCH_EXTABLE, 1, 9, 1, 1, 41, 0, NULL } }, 2);
	table(&b, true, "__ex_table", zero, 24, 4, true, p8, 6);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_EXTABLE, 1, 2, 5, 1, 40, 0, NULL },
	    { KS_PATCH_EXTABLE, 1, 9, 1, 1, 41, 0, NULL },
	    { KS_PATCH_EXTABLE, 1, 10, 1, 1, 42, 0, NULL } }, 3);
}

static void
bugs(void **state)
{
	static const struct pointer p12[] = { { 0, 1, 7 }, { 12, 1, 20 } };
	static const struct pointer p8[] = { { 0, 1, 7 } };
	static const struct pointer p24[] = { { 0, 1, 7 } };
	static const uint8_t warn12[24] = { [8] = 0x11, [10] = 0x01,
	    [22] = 0x08 };
	static const uint8_t warn8[8] = { [4] = 0x03 };
	static const uint8_t warn24[24] = { [18] = 0x01 };
	static const uint8_t bug16[16] = { [12] = 0x01, [14] = 0x02 };
	struct eb b;

	(void)state;
	table(&b, true, "__bug_table", warn12, 24, 4, true, p12, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_WARN, 1, 7, 2, NOWHERE, 0, 0, NULL },
	    { KS_PATCH_BUG, 1, 20, 1, NOWHERE, 0, 0, NULL } }, 2);
	table(&b, true, "__bug_table", warn8, 8, 4, true, p8, 1);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_WARN, 1, 7, 2, NOWHERE, 0, 0, NULL } }, 1);
	table(&b, true, "__bug_table", warn24, 24, 8, false, p24, 1);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_WARN, 1, 7, 2, NOWHERE, 0, 0, NULL } }, 1);
	table(&b, true, "__bug_table", bug16, 16, 4, true, p8, 1);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_BUG, 1, 7, 2, NOWHERE, 0, 0, NULL } }, 1);
	table(&b, false, "__bug_table", warn12, 24, 4, false, p12, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_WARN, 1, 7, 2, NOWHERE, 0, 0, NULL },
	    { KS_PATCH_BUG, 1, 20, 1, NOWHERE, 0, 0, NULL } }, 2);
}

/* The linker dropped what an entry was for. */
static void
dead_entries(void **state)
{
	static const struct pointer p[] = { { 16, 1, 0 }, { 20, 1, 20 } };
	static const uint8_t zero[48];
	struct eb b;

	(void)state;
	table(&b, true, "__jump_table", zero, 48, 4, true, p, 2);
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_JUMP_LABEL, 1, 0, 2, 1, 20, 0, NULL } }, 1);
}

static void
unknown_layouts(void **state)
{
	static const struct pointer odd[] = { { 0, 1, 0 }, { 9, 1, 20 } };
	static const struct pointer data[] = { { 0, 1, 0 }, { 4, 3, 4096 } };
	static const struct pointer one[] = { { 0, 1, 0 }, { 4, 2, 30 } };
	static const uint8_t zero[64];
	uint8_t alt[12] = { [10] = 5, [11] = 5 };
	struct eb b;

	(void)state;
	/* No layout has a pointer there. */
	table(&b, true, "__jump_table", zero, 18, 4, true, odd, 2);
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_ENOTSUP,
	    "'__jump_table' has an unknown layout");
	eb_free(&b);
	/* A target that is outside of the code. */
	table(&b, true, "__ex_table", zero, 12, 4, true, data, 2);
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_ENOTSUP, "unknown layout");
	eb_free(&b);
	/* A replacement that ends behind its section. */
	table(&b, true, ".altinstructions", alt, 12, 4, true, one, 2);
	eb_finish(&b);
	eb_refused(b.out, b.size, KS_ENOTSUP, "unknown layout");
	eb_free(&b);
}

/* A linked kernel has no relocations left: distances in the table. */
static void
linked(void **state)
{
	uint64_t base = 0xffffffff81000000, at = base + 0x10000;
	int32_t data[8] = { 0 };
	struct eb b;
	unsigned s;

	(void)state;
	data[0] = (int32_t)(base - at);
	data[1] = (int32_t)(base + 20 - (at + 4));
	data[4] = (int32_t)(base + 2 - (at + 16));
	data[5] = (int32_t)(base + 30 - (at + 20));
	table(&b, true, "__jump_table", data, 32, 4, true, NULL, 0);
	b.type = ET_EXEC;
	b.sect[1].h.sh_addr = base;
	b.sect[2].h.sh_addr = base + 0x1000;
	s = 3;
	b.sect[s].h.sh_addr = at;
	for (unsigned i = 1; i < b.nsym; i++)
		if (b.sym[i].st_shndx != SHN_UNDEF)
			b.sym[i].st_value +=
			    b.sect[b.sym[i].st_shndx].h.sh_addr;
	check(&b, (struct ks_patch[]){
	    { KS_PATCH_JUMP_LABEL, 1, 0, 2, 1, 20, 0, NULL },
	    { KS_PATCH_JUMP_LABEL, 1, 2, 5, 1, 30, 0, NULL } }, 2);
}

/* ... or inside of another section, between two symbols. */
static void
linked_between_symbols(void **state)
{
	uint64_t base = 0xffffffff81000000, at = base + 0x10000;
	int32_t data[16] = { [0 ... 3] = 0x11111111,
	    [12 ... 15] = 0x22222222 };
	struct eb b;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		data[4] = (int32_t)(base - (at + 16));
		data[5] = (int32_t)(base + 20 - (at + 20));
		data[6] = data[7] = 0;
		data[8] = (int32_t)(base + 2 - (at + 32));
		data[9] = (int32_t)(base + 30 - (at + 36));
		table(&b, true, ".data", data, 64, 4, true, NULL, 0);
		b.type = ET_EXEC;
		b.sect[1].h.sh_addr = base;
		b.sect[2].h.sh_addr = base + 0x1000;
		b.sect[3].h.sh_addr = at;
		eb_sym(&b, "__start___jump_table", STT_NOTYPE, STB_GLOBAL, 3,
		    16, 0);
		eb_sym(&b, "__stop___jump_table", STT_NOTYPE, STB_GLOBAL, 3,
		    turn == 0 ? 48 : 50, 0);
		for (unsigned i = 1; i < b.nsym; i++)
			if (b.sym[i].st_shndx != SHN_UNDEF)
				b.sym[i].st_value +=
				    b.sect[b.sym[i].st_shndx].h.sh_addr;
		if (turn == 0) {
			check(&b, (struct ks_patch[]){
			    { KS_PATCH_JUMP_LABEL, 1, 0, 2, 1, 20, 0, NULL },
			    { KS_PATCH_JUMP_LABEL, 1, 2, 5, 1, 30, 0, NULL } },
			    2);
		} else {
			eb_finish(&b);
			eb_refused(b.out, b.size, KS_ENOTSUP,
			    "unknown layout");
			eb_free(&b);
		}
	}
}

static void
sections_that_describe(void **state)
{
	(void)state;
	assert_true(ks_obj_is_metadata("__mcount_loc"));
	assert_true(ks_obj_is_metadata(".orc_unwind_ip"));
	assert_true(ks_obj_is_metadata(".eh_frame"));
	assert_true(ks_obj_is_metadata("__ksymtab_gpl"));
	assert_false(ks_obj_is_metadata(".rodata"));
	assert_false(ks_obj_is_metadata(".data..read_mostly"));
	assert_false(ks_obj_is_metadata("set_sysinit_set"));
	assert_false(ks_obj_is_metadata(".init_array"));
	assert_false(ks_obj_is_metadata("."));
	assert_false(ks_obj_is_metadata(""));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jump_labels),
		cmocka_unit_test(alternatives),
		cmocka_unit_test(static_calls),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(bugs),
		cmocka_unit_test(dead_entries),
		cmocka_unit_test(unknown_layouts),
		cmocka_unit_test(linked),
		cmocka_unit_test(linked_between_symbols),
		cmocka_unit_test(sections_that_describe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
