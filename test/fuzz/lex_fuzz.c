/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes through the word lexer.  What it accepts, written back word by
 * word, is read as the same words.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/lex.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next line of both; they must not differ. */
static int
same_line(struct ks_lex *a, struct ks_lex *b)
{
	struct ks_line x, y;
	struct ks_error e;
	int rc = ks_lex_line(a, &x, &e);

	if (rc != ks_lex_line(b, &y, &e))
		abort();
	if (rc <= 0)
		return rc;
	if (x.n != y.n)
		abort();
	for (size_t i = 0; i < x.n; i++) {
		uint64_t v;

		if (strcmp(x.words[i].text, y.words[i].text) != 0)
			abort();
		ks_word_u64(&x.words[i], &v);
		if (x.words[i].line == 0 || x.words[i].col == 0)
			abort();
	}
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_lex *lx = ks_lex_new("in", (const char *)data, size), *back;
	struct ks_line line;
	struct ks_error e;
	size_t n;
	char *text;
	FILE *f = open_memstream(&text, &n);
	int rc;

	while ((rc = ks_lex_line(lx, &line, &e)) > 0) {
		for (size_t i = 0; i < line.n; i++) {
			ks_lex_write(f, line.words[i].text);
			putc(' ', f);
		}
		putc('\n', f);
	}
	ks_lex_free(lx);
	fclose(f);
	if (rc < 0 && strncmp(e.text, "in:", 3) != 0)
		abort();
	if (rc == 0) {
		lx = ks_lex_new("in", (const char *)data, size);
		back = ks_lex_new("in", text, n);
		while (same_line(lx, back) > 0)
			;
		ks_lex_free(lx);
		ks_lex_free(back);
	}
	free(text);
	return 0;
}
