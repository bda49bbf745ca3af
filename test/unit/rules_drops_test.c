/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What config(8) drops in silence is remarked on, once and at its place
 * (rules/drops.c); what is right is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "drops.h"

struct seen {
	char	text[1024];
};

static void
note(void *ctx, enum ks_drop what, const struct ks_list *l,
    const struct ks_fword *at, const char *text)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	(void)what;
	(void)l;
	snprintf(s->text + n, sizeof(s->text) - n, "%u:%u %s\n", at->line,
	    at->col, text);
}

static bool
is_known(void *ctx, const char *name)
{
	return strcmp(ctx, name) == 0;
}

/* All remarks on TEXT, one a line; KNOWN is a configured device. */
static const char *
remarks(const char *text, enum ks_dialect d, const char *known)
{
	static struct seen seen;
	struct ks_remarks r = { note, &seen };
	struct ks_list *l;

	seen.text[0] = '\0';
	assert_int_equal(ks_list_parse("f", "f", text, strlen(text), d,
	    false, &l, NULL), KS_OK);
	for (size_t i = 0; i < l->items.n; i++)
		ks_item_drops(l, &l->items.v[i],
		    known != NULL ? is_known : NULL, (void *)known, &r);
	ks_list_free(l);
	return seen.text;
}

static void
test_lost(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a.c optional x",
		    "1:1 'a.c' is dropped: no newline at the end of the "
		    "file\n" },
		{ "a.c optional x|y\n",
		    "1:14 'x|y' is one name: '|' needs blanks on both "
		    "sides\n" },
		{ "a.c optional x!y\n",
		    "1:14 'x!y' is one name: '!' needs a blank before it\n" },
		{ "a.c optional x # y\n",
		    "1:16 '#' begins a comment only as the first word of a "
		    "line; here it is the name of a device\n" },
		{ "a.c optional x\r\n",
		    "1:15 a carriage return is the name of a device here\n" },
		{ "a.c optional x \"y\"\n",
		    "1:16 quoted text without a keyword before it is the "
		    "name of a device\n" },
		{ "a.c optional x profiling-routine\n",
		    "1:16 'profiling-routine' was a keyword up to FreeBSD 13; "
		    "here it is the name of a device\n" },
		{ "a.c optional x needs-flag\n",
		    "1:16 'needs-flag' is NetBSD's and OpenBSD's; here it is "
		    "the name of a device\n" },
		{ "a.c optional x simd\n",
		    "1:16 'simd' is ksimd's, known in files.simd only; here "
		    "it is the name of a device\n" },
		{ "a.c optional x compile_with \"y\"\n",
		    "1:16 'compile_with' is the name of a device; did you "
		    "mean 'compile-with'?\n"
		    "1:29 quoted text without a keyword before it is the "
		    "name of a device\n" },
		{ "a.c optional x no-implict-rule\n",
		    "1:16 'no-implict-rule' is the name of a device; did you "
		    "mean 'no-implicit-rule'?\n" },
		{ "a.c optional x nowerorr\n",
		    "1:16 'nowerorr' is the name of a device; did you mean "
		    "'nowerror'?\n" },
		{ "a.c optional x !\n",
		    "1:16 '!' negates nothing: no name follows\n" },
		{ "a.c optional ! no-obj x\n",
		    "1:14 '!' does not negate 'no-obj': it negates the next "
		    "name, 'x'\n" },
		{ "a.c optional !!x\n", "1:14 '!!' is the same as '!'\n" },
		{ "a.c optional x clean y clean z\n",
		    "1:16 a later 'clean' replaces this one\n" },
		{ "a.o optional x compile-with y\n",
		    "1:16 'compile-with' has no effect: without "
		    "'no-implicit-rule' config(8) copies 'a.o' from the "
		    "source tree\n" },
		{ "a.c optional x nowerror compile-with y\n",
		    "1:16 'nowerror' has no effect beside 'compile-with'\n" },
		{ "include \"f\" optional x\n",
		    "1:13 what follows the name of an include is ignored\n" },
		{ "# c \\\na.c standard\n",
		    "2:1 this line is part of the comment above, which ends "
		    "in a backslash\n" },
		{ "\fa.c standard\n",
		    "1:1 a control byte is part of the file's name\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(remarks(rows[i].text, KS_FREEBSD_15,
		    NULL), rows[i].want);
}

static void
test_nothing_lost(void **state)
{
	static const char *const rows[] = {
		"a.c optional x | y !z | w\n",
		"a.c optional !x ! y\n",
		"a.o optional x dependency a compile-with b no-implicit-rule "
		    "clean c\n",
		"# comment\\\na.c standard\n",
		"a.c standard nowerror\n",
		"# comment",
		"\n \t\n",
		"a.o optional x\n",
		"a.c optional no-obj x local no-depend before-depend "
		    "no-ctfconvert warning w obj-prefix p\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(remarks(rows[i], KS_FREEBSD_15, NULL),
		    "");
}

/* A configured device may have any name. */
static void
test_known(void **state)
{
	(void)state;
	assert_string_equal(remarks("a.c optional no_obj\n", KS_FREEBSD_15,
	    "no_obj"), "");
	assert_string_not_equal(remarks("a.c optional no_obj\n",
	    KS_FREEBSD_15, "other"), "");
}

/* Lengths matter to FreeBSD 13's buffers only, and to the byte. */
static void
test_long(void **state)
{
	char text[512], a[300];

	(void)state;
	memset(a, 'a', sizeof(a));
	snprintf(text, sizeof(text), "a.c standard clean \"%.255s\"\n%.79s "
	    "standard\n", a, a);
	assert_string_equal(remarks(text, KS_FREEBSD_13, NULL), "");
	snprintf(text, sizeof(text), "a.c standard clean \"%.256s\"\n%.80s "
	    "standard\n", a, a);
	assert_string_equal(remarks(text, KS_FREEBSD_13, NULL),
	    "1:20 256 bytes overflow the buffer of config(8), which holds "
	    "255\n"
	    "2:1 80 bytes overflow the buffer of config(8), which holds "
	    "79\n");
	assert_string_equal(remarks(text, KS_FREEBSD_14, NULL), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_nothing_lost),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
