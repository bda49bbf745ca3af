/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Word lexer for profiles, contracts and event graphs; ks/lex.h has the
 * grammar.
 *
 * The text is copied once and cut into words where it lies: a word's NUL
 * takes the place of the byte behind it, and an escape only makes a text
 * shorter.  The byte that a NUL replaced is held until it has been read.
 *
 * Invariants: `pos' is the next byte to read; `line_start' is where its line
 * starts; `hole' is the last byte replaced, so that peek() never sees a NUL
 * that was not in the file.
 */
#include "ks/lex.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NO_HOLE		SIZE_MAX

struct ks_lex {
	char	*name;
	char	*buf;		/* size bytes and one more */
	size_t	 size, pos, line_start, hole;
	char	 held;		/* byte of the file at hole */
	uint32_t line;
	KS_VEC(struct ks_word) words;	/* of the current line */
};

struct ks_lex *
ks_lex_new(const char *name, const char *data, size_t size)
{
	struct ks_lex *lx = ks_xmalloc(sizeof(*lx));

	memset(lx, 0, sizeof(*lx));
	lx->name = ks_xmalloc(strlen(name) + 1);
	strcpy(lx->name, name);
	lx->buf = ks_xmalloc(size + 1);
	if (size > 0)
		memcpy(lx->buf, data, size);
	lx->buf[size] = '\0';
	lx->size = size;
	lx->hole = NO_HOLE;
	lx->line = 1;
	return lx;
}

void
ks_lex_free(struct ks_lex *lx)
{
	if (lx == NULL)
		return;
	ks_vec_free(&lx->words);
	free(lx->buf);
	free(lx->name);
	free(lx);
}

/* The byte at AT of the file as it was; -1 behind its end. */
static int
peek(const struct ks_lex *lx, size_t at)
{
	if (at >= lx->size)
		return -1;
	return (unsigned char)(at == lx->hole ? lx->held : lx->buf[at]);
}

/* Ends a text at AT, which is at or before pos. */
static void
cut(struct ks_lex *lx, size_t at)
{
	if (at < lx->size) {
		lx->held = lx->buf[at];
		lx->hole = at;
	}
	lx->buf[at] = '\0';
}

/* Length of a backslash-newline at AT, 0 if there is none. */
static size_t
joint(const struct ks_lex *lx, size_t at)
{
	if (peek(lx, at) != '\\')
		return 0;
	if (peek(lx, at + 1) == '\n')
		return 2;
	if (peek(lx, at + 1) == '\r' && peek(lx, at + 2) == '\n')
		return 3;
	return 0;
}

static void
next_line(struct ks_lex *lx, size_t start)
{
	lx->pos = start;
	lx->line_start = start;
	lx->line++;
}

static struct ks_word
here(const struct ks_lex *lx)
{
	return (struct ks_word){
		.text = lx->buf + lx->pos,
		.line = lx->line,
		.col = (uint32_t)(lx->pos - lx->line_start + 1),
	};
}

static bool
is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int
read_word(struct ks_lex *lx, struct ks_error *err)
{
	struct ks_word w = here(lx);
	int c;

	for (;;) {
		c = peek(lx, lx->pos);
		if (c < 0 || is_blank(c) || c == '\n' || c == '"' ||
		    c == '#' || joint(lx, lx->pos) > 0)
			break;
		if (c == '\0') {
			struct ks_word at = here(lx);

			return ks_lex_error(lx, &at, err,
			    "NUL byte in a text file");
		}
		lx->pos++;
	}
	cut(lx, lx->pos);
	*ks_vec_push(&lx->words) = w;
	return KS_OK;
}

/* Reads the escape at pos into *out. */
static int
read_escape(struct ks_lex *lx, char *out, struct ks_error *err)
{
	struct ks_word at = here(lx);

	switch (peek(lx, lx->pos + 1)) {
	case '"':
		*out = '"';
		break;
	case '\\':
		*out = '\\';
		break;
	case 'n':
		*out = '\n';
		break;
	case 't':
		*out = '\t';
		break;
	default:
		return ks_lex_error(lx, &at, err,
		    "unknown escape in quoted text; known are "
		    "\\\" \\\\ \\n \\t");
	}
	lx->pos += 2;
	return KS_OK;
}

static int
read_quoted(struct ks_lex *lx, struct ks_error *err)
{
	struct ks_word w = here(lx);
	size_t out;
	int rc;

	lx->pos++;
	w.text++;
	w.quoted = true;
	out = lx->pos;
	for (;;) {
		int c = peek(lx, lx->pos);
		struct ks_word at = here(lx);

		if (c < 0 || c == '\n')
			return ks_lex_error(lx, &w, err,
			    "no closing quote on this line");
		if (c == '\0')
			return ks_lex_error(lx, &at, err,
			    "NUL byte in a text file");
		if (c == '"')
			break;
		if (c == '\\') {
			rc = read_escape(lx, &lx->buf[out++], err);
			if (rc != KS_OK)
				return rc;
			continue;
		}
		lx->buf[out++] = (char)c;
		lx->pos++;
	}
	lx->pos++;
	lx->buf[out] = '\0';
	*ks_vec_push(&lx->words) = w;
	return KS_OK;
}

int
ks_lex_line(struct ks_lex *lx, struct ks_line *out, struct ks_error *err)
{
	int c, rc = KS_OK;
	size_t n;

	lx->words.n = 0;
	while (rc == KS_OK) {
		c = peek(lx, lx->pos);
		if (c == '#')
			while (c >= 0 && c != '\n')
				c = peek(lx, ++lx->pos);
		if (c < 0)
			break;
		n = joint(lx, lx->pos);
		if (n > 0) {
			next_line(lx, lx->pos + n);
		} else if (c == '\n') {
			next_line(lx, lx->pos + 1);
			if (lx->words.n > 0)
				break;
		} else if (is_blank(c)) {
			lx->pos++;
		} else if (c == '"') {
			rc = read_quoted(lx, err);
		} else {
			rc = read_word(lx, err);
		}
	}
	if (rc != KS_OK)
		return rc;
	out->words = lx->words.v;
	out->n = lx->words.n;
	return out->n > 0;
}

int
ks_lex_error(const struct ks_lex *lx, const struct ks_word *w,
    struct ks_error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return ks_error(err, KS_EPARSE, "%s:%u:%u: %s", lx->name, w->line,
	    w->col, text);
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool
ks_word_u64(const struct ks_word *w, uint64_t *out)
{
	const char *s = w->text;
	unsigned base = 10;
	uint64_t v = 0;
	bool minus = *s == '-';

	if (w->quoted)
		return false;
	s += minus;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++) {
		unsigned d = (unsigned)digit_value(*s);

		if (d >= base || v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	if (minus && v > (uint64_t)1 << 63)
		return false;
	*out = minus ? 0 - v : v;
	return true;
}

void
ks_lex_write(FILE *f, const char *s)
{
	if (*s != '\0' && strpbrk(s, " \t\r\n\"#\\") == NULL) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s != '\0'; s++) {
		switch (*s) {
		case '"':
		case '\\':
			putc('\\', f);
			putc(*s, f);
			break;
		case '\n':
			fputs("\\n", f);
			break;
		case '\t':
			fputs("\\t", f);
			break;
		default:
			putc(*s, f);
		}
	}
	putc('"', f);
}
