/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words, items and places of files.* lists (rules/scan.c, rules/list.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"

static struct ks_list *
parse(const char *text, enum ks_dialect d, bool simd)
{
	struct ks_error err = { "" };
	struct ks_list *l;

	assert_int_equal(ks_list_parse("f", "../../f", text, strlen(text), d,
	    simd, &l, &err), KS_OK);
	return l;
}

static struct ks_list *
parse15(const char *text)
{
	return parse(text, KS_FREEBSD_15, false);
}

static void
expect_word(const struct ks_item *it, size_t i, enum ks_fword_kind kind,
    const char *text, unsigned line, unsigned col)
{
	assert_true(i < it->n);
	assert_string_equal(it->words[i].text, text);
	assert_int_equal(it->words[i].kind, kind);
	assert_int_equal(it->words[i].line, line);
	assert_int_equal(it->words[i].col, col);
}

/* Each word's kind and place, across a continuation and a tab. */
static void
test_places(void **state)
{
	struct ks_list *l = parse15("# c\n\n"
	    "a.c\toptional x ! y \\ \n"
	    "\t| z no-obj clean \"p  q\"\n"
	    "include 'conf/g' rest\n");
	const struct ks_item *it = &l->items.v[2];

	(void)state;
	assert_int_equal(l->items.n, 4);
	assert_int_equal(l->items.v[0].kind, KS_ITEM_COMMENT);
	assert_int_equal(l->items.v[1].kind, KS_ITEM_BLANK);
	assert_int_equal(it->kind, KS_ITEM_ENTRY);
	assert_int_equal(it->n, 10);
	expect_word(it, 0, KS_FW_NAME, "a.c", 3, 1);
	expect_word(it, 1, KS_FW_TYPE, "optional", 3, 5);
	expect_word(it, 2, KS_FW_COND, "x", 3, 14);
	expect_word(it, 3, KS_FW_NOT, "!", 3, 16);
	expect_word(it, 4, KS_FW_COND, "y", 3, 18);
	expect_word(it, 5, KS_FW_OR, "|", 4, 2);
	expect_word(it, 6, KS_FW_COND, "z", 4, 4);
	expect_word(it, 7, KS_FW_FLAG, "no-obj", 4, 6);
	expect_word(it, 8, KS_FW_KEY, "clean", 4, 13);
	expect_word(it, 9, KS_FW_VALUE, "p  q", 4, 19);
	assert_int_equal(it->words[9].len, 6);
	assert_memory_equal(l->text + it->words[9].off, "\"p  q\"", 6);
	assert_true(KS_ITEM_HAS(it, NO_OBJ));
	assert_ptr_equal(it->value[KS_KW_CLEAN], &it->words[9]);
	assert_int_equal(it->stop, KS_STOP_NONE);
	it = &l->items.v[3];
	assert_int_equal(it->kind, KS_ITEM_INCLUDE);
	assert_string_equal(ks_item_name(it)->text, "conf/g");
	expect_word(it, 2, KS_FW_IGNORED, "rest", 5, 18);
	ks_list_free(l);
}

/* Escapes in quotes: only the quote loses its backslash. */
static void
test_quotes(void **state)
{
	static const struct {
		const char *raw, *text;
	} rows[] = {
		{ "\"a\\\"b\"", "a\"b" },
		{ "\"a'b\"", "a'b" },
		{ "'a\\'b'", "a'b" },
		{ "'a\\\"b'", "a\\\"b" },
		{ "\"a\\\\\"", "a\\\\" },
		{ "\"a\\b\\\\\\\"\"", "a\\b\\\\\"" },
		{ "\"a\\\nb\"", "a\\\nb" },
		{ "\"\"", "" },
		{ "plain", "plain" },
		{ "!x", "!x" },
		{ "a\"b\"", "a\"b\"" },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_list *l;

		snprintf(text, sizeof(text), "a.c standard clean %s no-obj\n",
		    rows[i].raw);
		l = parse15(text);
		assert_int_equal(l->items.n, 1);
		assert_string_equal(l->items.v[0].words[3].text,
		    rows[i].text);
		assert_true(KS_ITEM_HAS(&l->items.v[0], NO_OBJ));
		ks_list_free(l);
	}
}

/* What stops config(8), its text, and the word it is about. */
static void
test_stops(void **state)
{
	static const struct {
		const char *text;
		enum ks_stop stop;
		unsigned line, col;
		const char *message;
	} rows[] = {
		{ "a.c\n", KS_STOP_NO_TYPE, 1, 1,
		    "../../f: No type for a.c." },
		{ "a.c maybe x\n", KS_STOP_BAD_TYPE, 1, 5,
		    "../../f: \"maybe\" a.c must be optional or standard" },
		{ "a.c standard \\\n x\n", KS_STOP_STANDARD_COND, 2, 2,
		    "standard entry a.c has optional inclusion specifier x!" },
		{ "a.c optional x | | y\n", KS_STOP_EMPTY_ARM, 1, 18,
		    "../../f: syntax error describing a.c" },
		{ "a.o optional x no-implicit-rule\n", KS_STOP_NO_RULE, 1, 16,
		    "../../f: alternate rule required when "
		    "\"no-implicit-rule\" is specified for a.o." },
		{ "a.c optional x clean\n", KS_STOP_MISSING_VALUE, 1, 16,
		    "../../f: a.c missing clean file list." },
		{ "a.c optional x dependency", KS_STOP_NONE, 0, 0, NULL },
		{ "a.c optional x clean y", KS_STOP_CUT, 1, 16,
		    "../../f: a.c missing clean file list." },
		{ "a.c optional x clean \"y", KS_STOP_CUT, 1, 16,
		    "../../f: a.c missing clean file list." },
		{ "a.c optional x clean \"y\nz\"\n", KS_STOP_MISSING_QUOTE,
		    1, 22, "config: missing quote reading `y'" },
		{ "include \n", KS_STOP_MISSING_INCLUDE, 1, 1,
		    "../../f: missing include filename." },
		{ "include f", KS_STOP_CUT, 1, 1,
		    "../../f: missing include filename." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_list *l = parse15(rows[i].text);
		const struct ks_item *it = &l->items.v[0];

		assert_int_equal(it->stop, rows[i].stop);
		if (it->stop != KS_STOP_NONE) {
			assert_string_equal(it->stop_text, rows[i].message);
			assert_int_equal(it->stop_at->line, rows[i].line);
			assert_int_equal(it->stop_at->col, rows[i].col);
			assert_true(*ks_stop_reason(it->stop) != '\0');
		}
		ks_list_free(l);
	}
}

/* Reading goes on behind what stops config(8). */
static void
test_goes_on(void **state)
{
	struct ks_list *l = parse15("a.c maybe \"x\ny.c standard\n"
	    "b.c optional | x \\\n no-obj\nc.c standard clean \"\nd.c\n"
	    "e.c optional e\n");

	(void)state;
	assert_int_equal(l->items.n, 6);
	assert_int_equal(l->items.v[0].stop, KS_STOP_BAD_TYPE);
	assert_string_equal(ks_item_name(&l->items.v[1])->text, "y.c");
	assert_int_equal(l->items.v[1].stop, KS_STOP_NONE);
	assert_int_equal(l->items.v[2].stop, KS_STOP_EMPTY_ARM);
	assert_int_equal(l->items.v[3].stop, KS_STOP_MISSING_QUOTE);
	assert_int_equal(l->items.v[4].stop, KS_STOP_NO_TYPE);
	assert_string_equal(ks_item_name(&l->items.v[5])->text, "e.c");
	ks_list_free(l);
}

static enum ks_item_kind
last_kind(const char *text)
{
	struct ks_list *l = parse15(text);
	enum ks_item_kind kind = l->items.v[l->items.n - 1].kind;

	ks_list_free(l);
	return kind;
}

/* The end of the file is no end of line. */
static void
test_lost(void **state)
{
	(void)state;
	assert_int_equal(last_kind("a.c optional x"), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c optional x "), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c optional x !"), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c"), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c "), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c standard clean \"x\""), KS_ITEM_LOST);
	assert_int_equal(last_kind("include"), KS_ITEM_LOST);
	assert_int_equal(last_kind("a.c standard \\\n"), KS_ITEM_LOST);
	assert_int_equal(last_kind("include \"x\""), KS_ITEM_INCLUDE);
	assert_int_equal(last_kind("a.c standard\n"), KS_ITEM_ENTRY);
	assert_int_equal(last_kind("#x"), KS_ITEM_COMMENT);
	assert_int_equal(last_kind(" \t"), KS_ITEM_BLANK);
}

/* A keyword of one dialect is a device's name in another. */
static void
test_dialects(void **state)
{
	static const struct {
		const char *word;
		enum ks_dialect d;
		bool simd;
		enum ks_fword_kind kind;
	} rows[] = {
		{ "no-ctfconvert", KS_FREEBSD_13, false, KS_FW_COND },
		{ "no-ctfconvert", KS_FREEBSD_14, false, KS_FW_FLAG },
		{ "no-ctfconvert", KS_FREEBSD_15, false, KS_FW_FLAG },
		{ "profiling-routine", KS_FREEBSD_13, false, KS_FW_FLAG },
		{ "profiling-routine", KS_FREEBSD_14, false, KS_FW_COND },
		{ "profiling-routine", KS_FREEBSD_15, false, KS_FW_COND },
		{ "simd", KS_FREEBSD_15, false, KS_FW_COND },
		{ "simd", KS_FREEBSD_15, true, KS_FW_KEY },
		{ "optimize", KS_FREEBSD_13, true, KS_FW_KEY },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_list *l;

		snprintf(text, sizeof(text), "a.c optional %s x\n",
		    rows[i].word);
		l = parse(text, rows[i].d, rows[i].simd);
		assert_int_equal(l->items.v[0].words[2].kind, rows[i].kind);
		ks_list_free(l);
	}
}

static void
test_dialect_names(void **state)
{
	enum ks_dialect d;

	(void)state;
	assert_true(ks_dialect_find("freebsd-13", &d));
	assert_int_equal(d, KS_FREEBSD_13);
	assert_string_equal(ks_dialect_name(KS_FREEBSD_15), "freebsd-15");
	assert_false(ks_dialect_find("freebsd", &d));
}

/* Keywords are found by their number and must be in order of their words. */
static void
test_keyword_order(void **state)
{
	(void)state;
	for (int i = 1; i < KS_KW_MAX; i++)
		assert_true(strcmp(ks_keywords[i - 1].word,
		    ks_keywords[i].word) < 0);
}

/* The items' byte ranges cover the text, whatever it is. */
static void
test_round_trip(void **state)
{
	static const char bytes[] = "a.c !|#\"'\\\n\t\r optional include clean";
	unsigned seed = 1;
	char text[200];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)round % sizeof(text), at = 0;
		struct ks_list *l;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = bytes[(seed >> 16) % (sizeof(bytes) - 1)];
		}
		assert_int_equal(ks_list_parse("f", "f", text, n,
		    KS_FREEBSD_15, round & 1, &l, NULL), KS_OK);
		for (size_t i = 0; i < l->items.n; i++) {
			assert_int_equal(l->items.v[i].begin, at);
			assert_true(l->items.v[i].end > at);
			at = l->items.v[i].end;
		}
		assert_int_equal(at, n);
		ks_list_free(l);
	}
}

static void
test_nul(void **state)
{
	static const char text[] = "a.c standard\nb\0c standard\n";
	struct ks_error err = { "" };
	struct ks_list *l;

	(void)state;
	assert_int_equal(ks_list_parse("f", "f", text, sizeof(text) - 1,
	    KS_FREEBSD_15, false, &l, &err), KS_EPARSE);
	assert_string_equal(err.text, "f:2:2: NUL byte in a text file");
	assert_null(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_goes_on),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_dialects),
		cmocka_unit_test(test_dialect_names),
		cmocka_unit_test(test_keyword_order),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
