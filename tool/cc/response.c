/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Response files, as gcc and clang read them: words between white space;
 * quotes of both kinds hold blanks; a backslash takes the next byte as it
 * is, in quotes as well.
 *
 * Reference: GCC manual, "Overall Options", @file; clang reads the same.
 */
#include "cc_priv.h"

#include <stdlib.h>
#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

void
cc_response_words(struct ks_arena *a, const char *data, size_t size,
    struct cc_words *out)
{
	char *word = ks_xmalloc(size + 1);
	size_t i = 0;

	for (;;) {
		size_t n = 0;
		char quote = '\0';

		while (i < size && is_blank(data[i]))
			i++;
		if (i == size)
			break;
		for (; i < size && (quote != '\0' || !is_blank(data[i]));
		    i++) {
			char c = data[i];

			if (c == '\\' && i + 1 < size)
				word[n++] = data[++i];
			else if (quote != '\0' ? c == quote :
			    c == '\'' || c == '"')
				quote = quote != '\0' ? '\0' : c;
			else
				word[n++] = c;
		}
		*ks_vec_push(out) = ks_strndup(a, word, n);
	}
	free(word);
}

char *
cc_response_text(const char *const *words, size_t n)
{
	size_t size = 1;
	char *text, *p;

	for (size_t i = 0; i < n; i++)
		size += 2 * strlen(words[i]) + 3;
	p = text = ks_xmalloc(size);
	for (size_t i = 0; i < n; i++) {
		if (words[i][0] == '\0')
			p = stpcpy(p, "\"\"");
		for (const char *s = words[i]; *s != '\0'; s++) {
			if (is_blank(*s) || strchr("\\'\"", *s) != NULL)
				*p++ = '\\';
			*p++ = *s;
		}
		*p++ = '\n';
	}
	*p = '\0';
	return text;
}
