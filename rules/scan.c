/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of a files.* list, as config(8) cuts them.
 *
 *   1. Only blanks and tabs are skipped before a word.  Carriage return,
 *      form feed and vertical tab end a word, but are not skipped: they are
 *      the first byte of the next one.
 *   2. A backslash before a word sets a mark; the newline that meets the
 *      mark is skipped and clears it.  So a continuation may have blanks
 *      behind its backslash, and a backslash in mid-line means nothing.
 *   3. '!' is a word of its own if a word begins with it.
 *   4. A word that the end of the file cuts off is no word: config(8) sees
 *      the end, and forgets what it had read.
 *   5. In quotes, backslash and the quote give the quote; backslash and any
 *      other byte, newline included, are both kept.
 *
 * Invariant: pos never passes size, line counts the newlines before pos.
 */
#include "list.h"

#include <string.h>

static bool
ends_word(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void
newline(struct ks_scan *s)
{
	s->pos++;
	s->line++;
	s->line_start = s->pos;
}

/* Up to the first byte of a word; KS_SCAN_WORD if there is one. */
static enum ks_scan_end
skip(struct ks_scan *s)
{
	bool joined = false;

	for (; s->pos < s->size; ) {
		switch (s->text[s->pos]) {
		case ' ':
		case '\t':
			s->pos++;
			break;
		case '\\':
			joined = true;
			s->pos++;
			break;
		case '\n':
			newline(s);
			if (!joined)
				return KS_SCAN_EOL;
			joined = false;
			break;
		default:
			return KS_SCAN_WORD;
		}
	}
	return KS_SCAN_EOF;
}

static void
finish(const struct ks_scan *s, struct ks_fword *w, const char *text,
    size_t n)
{
	w->len = s->pos - w->off;
	w->text = ks_strndup(s->arena, text, n);
}

/* At an opening quote. */
static enum ks_scan_end
scan_quoted(struct ks_scan *s, struct ks_fword *w)
{
	enum ks_scan_end end = KS_SCAN_EOF;
	bool escaped = false;
	size_t n = 0, from;
	char *text;

	w->quote = s->text[s->pos++];
	for (from = s->pos; s->pos < s->size; ) {
		char c = s->text[s->pos];

		if (!escaped && (c == w->quote || c == '\n')) {
			end = c == '\n' ? KS_SCAN_QUOTE : KS_SCAN_WORD;
			break;
		}
		if (c == '\n')
			newline(s);
		else
			s->pos++;
		escaped = !escaped && c == '\\';
	}
	text = ks_alloc(s->arena, s->pos - from + 1);
	for (size_t i = from; i < s->pos; i++) {
		char c = s->text[i];

		if (c == '\\' && i + 1 < s->pos) {
			if (s->text[i + 1] != w->quote)
				text[n++] = c;
			c = s->text[++i];
		} else if (c == '\\') {
			break;		/* an escape that the end cut off */
		}
		text[n++] = c;
	}
	if (end == KS_SCAN_WORD)
		s->pos++;
	w->len = s->pos - w->off;
	w->text = text;
	if (end == KS_SCAN_QUOTE)
		newline(s);
	return end;
}

enum ks_scan_end
ks_scan_word(struct ks_scan *s, bool quoted, struct ks_fword *w)
{
	enum ks_scan_end end = skip(s);
	char c;

	memset(w, 0, sizeof(*w));
	w->kw = KS_KW_NONE;
	w->text = "";
	w->off = s->pos;
	w->line = s->line;
	w->col = (uint32_t)(s->pos - s->line_start) + 1;
	if (end != KS_SCAN_WORD)
		return end;
	c = s->text[s->pos];
	if (quoted && (c == '"' || c == '\''))
		return scan_quoted(s, w);
	s->pos++;
	if (c != '!' || quoted)
		while (s->pos < s->size && !ends_word(s->text[s->pos]))
			s->pos++;
	finish(s, w, s->text + w->off, s->pos - w->off);
	if (s->pos == s->size && (c != '!' || quoted))
		return KS_SCAN_EOF;
	return KS_SCAN_WORD;
}
