/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which functions an object has: aliases, labels without type, data among
 * code, code without symbols.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "obj_build.h"

static const uint8_t nops[64] = { [0 ... 63] = 0x90 };

static void
is(const struct ks_ofunc *f, const char *name, uint64_t off, uint64_t size,
    uint32_t flags)
{
	assert_string_equal(f->name, name);
	assert_int_equal(f->off, off);
	assert_int_equal(f->size, size);
	assert_int_equal(f->flags, flags);
}

/* One place, several names: the same best one, whatever their order. */
static void
aliases(void **state)
{
	static const char *const names[] = { "__f", "f", "local_f", "_f" };
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	for (int turn = 0; turn < 4; turn++) {
		eb_new(&b, true);
		t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
		for (int i = 0; i < 4; i++) {
			const char *n = names[(i + turn) % 4];

			eb_sym(&b, n, STT_FUNC, n[0] == 'l' ? STB_LOCAL :
			    STB_GLOBAL, t, 0, n[0] == 'l' ? 32 : 0);
		}
		eb_sym(&b, "a", STT_FUNC, STB_WEAK, t, 32, 8);
		eb_sym(&b, "z", STT_FUNC, STB_GLOBAL, t, 32, 8);
		o = eb_read(&b);
		assert_int_equal(o->nfunc, 2);
		is(&o->funcs[0], "f", 0, 32, 0);
		is(&o->funcs[1], "z", 32, 8, 0);
		assert_int_equal(ks_obj_func_at(o, t, 39), 1);
		assert_int_equal(ks_obj_func_at(o, t, 40), KS_NONE);
		ks_obj_free(o);
		eb_free(&b);
	}
}

/* Labels of assembly: global ones are functions, local ones are not. */
static void
labels(void **state)
{
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	eb_new(&b, true);
	t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
	eb_sym(&b, "loop", STT_NOTYPE, STB_LOCAL, t, 4, 0);
	eb_sym(&b, "whole", STT_FUNC, STB_GLOBAL, t, 0, 16);
	eb_sym(&b, "inner", STT_NOTYPE, STB_GLOBAL, t, 8, 0);
	eb_sym(&b, "start", STT_NOTYPE, STB_GLOBAL, t, 20, 0);
	eb_sym(&b, "again", STT_NOTYPE, STB_LOCAL, t, 24, 0);
	eb_sym(&b, "next", STT_NOTYPE, STB_GLOBAL, t, 40, 0);
	eb_sym(&b, "end", STT_NOTYPE, STB_GLOBAL, t, 64, 0);
	o = eb_read(&b);
	assert_int_equal(o->nfunc, 4);
	is(&o->funcs[0], "whole", 0, 8, 0);
	is(&o->funcs[1], "inner", 8, 12, KS_OFUNC_NOTYPE);
	is(&o->funcs[2], "start", 20, 20, KS_OFUNC_NOTYPE);
	is(&o->funcs[3], "next", 40, 24, KS_OFUNC_NOTYPE);
	ks_obj_free(o);
	eb_free(&b);
}

/* Data in .text is no code, and ends the function before it. */
static void
data_in_text(void **state)
{
	struct ks_obj *o;
	struct eb b;
	unsigned t, d;

	(void)state;
	eb_new(&b, true);
	t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
	d = eb_sect(&b, ".data", SHF_ALLOC | SHF_WRITE, nops, 32);
	eb_sym(&b, "", STT_SECTION, STB_LOCAL, t, 0, 0);
	eb_sym(&b, "f", STT_FUNC, STB_GLOBAL, t, 0, 0);
	eb_sym(&b, "mask", STT_OBJECT, STB_LOCAL, t, 16, 16);
	eb_sym(&b, "g", STT_FUNC, STB_GLOBAL, t, 32, 8);
	/* A pointer to the mask, and one into g: neither is a function. */
	eb_rel(&b, d, 0, R_X86_64_64, 1, 24);
	eb_rel(&b, d, 8, R_X86_64_64, 1, 36);
	o = eb_read(&b);
	assert_int_equal(o->nfunc, 2);
	is(&o->funcs[0], "f", 0, 16, 0);
	is(&o->funcs[1], "g", 32, 8, 0);
	ks_obj_free(o);
	eb_free(&b);
}

/* strip -x leaves ".text+0x10" for what a table points at. */
static void
code_without_symbols(void **state)
{
	struct ks_obj *o;
	struct eb b;
	unsigned t, d, m, x, aux;

	(void)state;
	eb_new(&b, true);
	t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
	d = eb_sect(&b, ".data", SHF_ALLOC | SHF_WRITE, nops, 32);
	m = eb_sect(&b, "__mcount_loc", SHF_ALLOC, nops, 8);
	x = eb_sect(&b, ".init.text", EB_TEXT, nops, 8);
	aux = eb_sect(&b, ".altinstr_aux", EB_TEXT, nops, 8);
	eb_sym(&b, "", STT_SECTION, STB_LOCAL, t, 0, 0);
	eb_sym(&b, "", STT_SECTION, STB_LOCAL, aux, 0, 0);
	eb_sym(&b, "named", STT_NOTYPE, STB_LOCAL, t, 48, 0);
	eb_sym(&b, "f", STT_FUNC, STB_GLOBAL, t, 0, 16);
	eb_rel(&b, d, 0, R_X86_64_64, 1, 16);
	eb_rel(&b, d, 8, R_X86_64_64, 1, 48);
	eb_rel(&b, d, 16, R_X86_64_64, 2, 0);
	eb_rel(&b, m, 0, R_X86_64_64, 1, 32);
	o = eb_read(&b);
	assert_int_equal(o->nfunc, 5);
	is(&o->funcs[0], "f", 0, 16, 0);
	is(&o->funcs[1], ".text+0x10", 16, 32, KS_OFUNC_GUESSED);
	is(&o->funcs[2], "named", 48, 16, KS_OFUNC_NOTYPE);
	is(&o->funcs[3], ".init.text+0x0", 0, 8, KS_OFUNC_GUESSED);
	assert_int_equal(o->funcs[3].sect, x);
	is(&o->funcs[4], ".altinstr_aux+0x0", 0, 8, KS_OFUNC_GUESSED);
	ks_obj_free(o);
	eb_free(&b);
}

/* Stripped and linked: the targets of calls. */
static void
code_without_any_symbol(void **state)
{
	static const uint8_t code[32] = { 0xe8, 0x0b, 0, 0, 0, 0xc3,
	    [6 ... 31] = 0x90 };
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	eb_new(&b, true);
	b.type = ET_EXEC;
	t = eb_sect(&b, ".text", EB_TEXT, code, sizeof(code));
	b.sect[t].h.sh_addr = 0xffffffff81000000;
	o = eb_read(&b);
	assert_false(o->has_symbols);
	assert_int_equal(o->nfunc, 2);
	is(&o->funcs[0], ".text+0x0", 0, 16, KS_OFUNC_GUESSED);
	is(&o->funcs[1], ".text+0x10", 16, 16, KS_OFUNC_GUESSED);
	ks_obj_free(o);
	eb_free(&b);
}

/*
 * More functions, found by calls; never inside of others, but also where a
 * symbol says data: what is called is code.
 */
static void
added_later(void **state)
{
	struct ks_oref at[5] = { { .sect = 1, .off = 8 },
	    { .sect = 1, .off = 20 }, { .sect = 1, .off = 36 },
	    { .sect = 1, .off = 50 }, { .sect = 2, .off = 0 } };
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	eb_new(&b, true);
	t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
	eb_sect(&b, ".data", SHF_ALLOC, nops, 8);
	eb_sym(&b, "f", STT_FUNC, STB_GLOBAL, t, 0, 16);
	eb_sym(&b, "mask", STT_OBJECT, STB_LOCAL, t, 32, 16);
	o = eb_read(&b);
	assert_int_equal(o->nfunc, 1);
	assert_true(ks_obj_add_functions(o, at, 5));
	assert_int_equal(o->nfunc, 4);
	is(&o->funcs[0], "f", 0, 16, 0);
	is(&o->funcs[1], ".text+0x14", 20, 12, KS_OFUNC_GUESSED);
	is(&o->funcs[2], ".text+0x24", 36, 14, KS_OFUNC_GUESSED);
	is(&o->funcs[3], ".text+0x32", 50, 14, KS_OFUNC_GUESSED);
	assert_false(ks_obj_add_functions(o, at, 5));
	ks_obj_free(o);
	eb_free(&b);
}

static void
cold_parts(void **state)
{
	struct ks_obj *o;
	struct eb b;
	unsigned t;

	(void)state;
	eb_new(&b, true);
	t = eb_sect(&b, ".text", EB_TEXT, nops, 64);
	eb_sym(&b, "f.cold", STT_FUNC, STB_LOCAL, t, 0, 8);
	eb_sym(&b, "g.isra.0.cold", STT_FUNC, STB_LOCAL, t, 8, 8);
	eb_sym(&b, "h.part.0", STT_FUNC, STB_LOCAL, t, 16, 8);
	eb_sym(&b, "i.colder", STT_FUNC, STB_LOCAL, t, 24, 8);
	eb_sym(&b, "j.cold.3", STT_FUNC, STB_LOCAL, t, 32, 8);
	o = eb_read(&b);
	is(&o->funcs[0], "f.cold", 0, 8, KS_OFUNC_PARTIAL);
	is(&o->funcs[1], "g.isra.0.cold", 8, 8, KS_OFUNC_PARTIAL);
	is(&o->funcs[2], "h.part.0", 16, 8, 0);
	is(&o->funcs[3], "i.colder", 24, 8, 0);
	is(&o->funcs[4], "j.cold.3", 32, 8, KS_OFUNC_PARTIAL);
	ks_obj_free(o);
	eb_free(&b);
}

static int
by_key(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	assert_null(ctx);
	return x < y ? -1 : x > y;
}

static void
sorting_is_stable(void **state)
{
	struct { uint32_t key, at; } v[1000];
	uint32_t x = 12345;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		x = x * 1664525 + 1013904223;
		v[i].key = x >> 28;
		v[i].at = i;
	}
	for (size_t n = 0; n <= 1000; n = n * 2 + 1) {
		ks_sort(v, n, sizeof(v[0]), by_key, NULL);
		for (size_t i = 1; i < n; i++)
			assert_true(v[i - 1].key < v[i].key ||
			    (v[i - 1].key == v[i].key &&
			    v[i - 1].at < v[i].at));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aliases),
		cmocka_unit_test(labels),
		cmocka_unit_test(data_in_text),
		cmocka_unit_test(code_without_symbols),
		cmocka_unit_test(code_without_any_symbol),
		cmocka_unit_test(added_later),
		cmocka_unit_test(cold_parts),
		cmocka_unit_test(sorting_is_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
