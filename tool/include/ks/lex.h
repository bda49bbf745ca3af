/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Word lexer for ksimd's own line-oriented data: profiles, contracts,
 * event graphs (.ksg).  It keeps the place of every word, so that an error
 * can name file:line:col.
 *
 *   line   := { word | quoted } newline
 *   word   := run of bytes other than blank, newline, '"' and '#'
 *   quoted := '"' text '"', with \" \\ \n \t as escapes; no bare newline
 *
 * Blanks are space, tab and carriage return.  '#' where a word could start,
 * begins a comment up to the end of the line.  A backslash as the last thing
 * on a line joins the next line, and ends a word as a blank does.  A missing
 * newline at the end of the file is no error here.  (files.* lists have
 * other, config(8)-exact rules: see rules/.)
 */
#ifndef KS_LEX_H
#define KS_LEX_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_word {
	const char	*text;	/* NUL-terminated, owned by the lexer */
	uint32_t	 line;	/* from 1 */
	uint32_t	 col;	/* from 1, in bytes */
	bool		 quoted;
};

struct ks_line {
	struct ks_word	*words;
	size_t		 n;	/* at least 1 */
};

struct ks_lex;

/*
 * Reads from memory; NAME is used in messages only.  DATA need not be
 * NUL-terminated and may be freed after ks_lex_free.
 */
struct ks_lex *ks_lex_new(const char *name, const char *data, size_t size);
void	ks_lex_free(struct ks_lex *lx);

/*
 * The next line that has a word: 1, 0 at the end, KS_EPARSE with text
 * (unterminated quote, unknown escape, NUL byte).  The words are valid until
 * the next call, their texts until ks_lex_free.
 */
int	ks_lex_line(struct ks_lex *lx, struct ks_line *out,
	    struct ks_error *err);

/* "NAME:LINE:COL: " + text at word W; returns KS_EPARSE. */
int	ks_lex_error(const struct ks_lex *lx, const struct ks_word *w,
	    struct ks_error *err, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));

/*
 * Whole word as a number: decimal, 0x hex, optional minus sign; 64 bits.
 * False if it is quoted, is none or does not fit.
 */
bool	ks_word_u64(const struct ks_word *w, uint64_t *out);

/* Writes S as a word, quoted and escaped where needed. */
void	ks_lex_write(FILE *f, const char *s);

#ifdef __cplusplus
}
#endif

#endif
