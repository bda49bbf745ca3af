/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The word lexer: words, places, errors, numbers, and writing words back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ks/lex.h"

/*
 * What the lexer makes of TEXT: words as LINE:COL=TEXT ('=' is '~' for a
 * quoted one), "; " between lines, an error as it is.
 */
static const char *
lex(const char *text, size_t size)
{
	static char out[1024];
	struct ks_lex *lx;
	struct ks_line line;
	struct ks_error e;
	char *copy = malloc(size + 1);	/* its end is watched by sanitizers */
	size_t n = 0;
	int rc;

	memcpy(copy, text, size);
	out[0] = '\0';
	copy = realloc(copy, size > 0 ? size : 1);
	lx = ks_lex_new("in", copy, size);
	free(copy);
	while ((rc = ks_lex_line(lx, &line, &e)) > 0) {
		assert_true(line.n > 0);
		for (size_t i = 0; i < line.n; i++)
			n += (size_t)snprintf(out + n, sizeof(out) - n,
			    "%u:%u%c%s ", line.words[i].line,
			    line.words[i].col, line.words[i].quoted ? '~' : '=',
			    line.words[i].text);
		n += (size_t)snprintf(out + n, sizeof(out) - n, "; ");
	}
	if (rc < 0) {
		assert_int_equal(rc, KS_EPARSE);
		snprintf(out + n, sizeof(out) - n, "%s", e.text);
	}
	ks_lex_free(lx);
	return out;
}

#define assert_lex(text, want)						\
	assert_string_equal(lex((text), sizeof(text) - 1), (want))

static void
words_have_places(void **state)
{
	(void)state;
	assert_lex("", "");
	assert_lex("\n \n\t\n", "");
	assert_lex("a bc\n  d", "1:1=a 1:3=bc ; 2:3=d ; ");
	assert_lex("a\r\nb\r\n", "1:1=a ; 2:1=b ; ");
	assert_lex("\ta", "1:2=a ; ");
	/* A word ends at a quote and at '#'. */
	assert_lex("a\"b\"c", "1:1=a 1:2~b 1:5=c ; ");
	assert_lex("a#b\nc", "1:1=a ; 2:1=c ; ");
	assert_lex("\"a\"#b", "1:1~a ; ");
	assert_lex("# a \"b\n c # d", "2:2=c ; ");
}

static void
lines_are_joined(void **state)
{
	(void)state;
	assert_lex("a \\\n b\\\nc\nd", "1:1=a 2:2=b 3:1=c ; 4:1=d ; ");
	assert_lex("a \\\r\n b", "1:1=a 2:2=b ; ");
	/* A comment ends at its line, joined or not. */
	assert_lex("a # b \\\nc", "1:1=a ; 2:1=c ; ");
	assert_lex("a \\\n# b\nc", "1:1=a ; 3:1=c ; ");
	/* Elsewhere a backslash is a character. */
	assert_lex("a\\b \\ \\\\ c\n", "1:1=a\\b 1:5=\\ 1:7=\\\\ 1:10=c ; ");
	assert_lex("a \\", "1:1=a 1:3=\\ ; ");
}

static void
quoted_text_has_escapes(void **state)
{
	(void)state;
	assert_lex("\"\" \"a b\" \"#\"", "1:1~ 1:4~a b 1:10~# ; ");
	assert_lex("\"a\\\"b\\\\c\\nd\\te\" f", "1:1~a\"b\\c\nd\te 1:17=f ; ");
}

static void
errors_name_the_place(void **state)
{
	(void)state;
	assert_lex("a\n b \"cd", "1:1=a ; in:2:4: no closing quote on this "
	    "line");
	assert_lex("\"a\nb\"", "in:1:1: no closing quote on this line");
	assert_lex("\"a\\\nb\"", "in:1:3: unknown escape in quoted text; "
	    "known are \\\" \\\\ \\n \\t");
	assert_lex("\"a\\x\"", "in:1:3: unknown escape in quoted text; "
	    "known are \\\" \\\\ \\n \\t");
	assert_lex("ab\0c", "in:1:3: NUL byte in a text file");
	assert_lex("a \0", "in:1:3: NUL byte in a text file");
	assert_lex("\"a\0\"", "in:1:3: NUL byte in a text file");
	assert_lex("\"a\\", "in:1:3: unknown escape in quoted text; "
	    "known are \\\" \\\\ \\n \\t");
}

static void
numbers_are_whole_words(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t v;
	} cases[] = {
		{ "0", true, 0 },
		{ "42", true, 42 },
		{ "0x1F", true, 31 },
		{ "0Xff", true, 255 },
		{ "18446744073709551615", true, UINT64_MAX },
		{ "18446744073709551616", false, 0 },
		{ "0xffffffffffffffff", true, UINT64_MAX },
		{ "0x10000000000000000", false, 0 },
		{ "-1", true, UINT64_MAX },
		{ "-0x10", true, (uint64_t)-16 },
		{ "-9223372036854775808", true, (uint64_t)1 << 63 },
		{ "-9223372036854775809", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "0x", false, 0 },
		{ "1a", false, 0 },
		{ "0x1g", false, 0 },
		{ "+1", false, 0 },
		{ "a", false, 0 },
	};
	struct ks_word quoted = { .text = "1", .quoted = true };
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ks_word w = { .text = cases[i].text };

		assert_int_equal(ks_word_u64(&w, &v), cases[i].ok);
		if (cases[i].ok)
			assert_true(v == cases[i].v);
	}
	assert_false(ks_word_u64(&quoted, &v));
}

static void
written_words_read_back(void **state)
{
	static const char *const texts[] = {
		"a", "", "a b", "\"", "\\", "a\\", "\n\t\r", "#a", "a#",
		"-24(x)",
		"\x01\xff", "%rax",
	};
	size_t n = sizeof(texts) / sizeof(texts[0]), size;
	struct ks_line line;
	struct ks_lex *lx;
	char *buf;
	FILE *f = open_memstream(&buf, &size);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		ks_lex_write(f, texts[i]);
		putc(' ', f);
	}
	fclose(f);
	lx = ks_lex_new("in", buf, size);
	assert_int_equal(ks_lex_line(lx, &line, NULL), 1);
	assert_int_equal(line.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(line.words[i].text, texts[i]);
	assert_false(line.words[0].quoted);
	assert_int_equal(ks_lex_line(lx, &line, NULL), 0);
	ks_lex_free(lx);
	ks_lex_free(NULL);
	free(buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_places),
		cmocka_unit_test(lines_are_joined),
		cmocka_unit_test(quoted_text_has_escapes),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(numbers_are_whole_words),
		cmocka_unit_test(written_words_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
