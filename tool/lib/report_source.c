/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Source lines under findings, with a caret, as compilers show them:
 *
 *	   12 |		return (EINVAL);
 *	      |		^
 *
 * Files are read once and kept for as long as the report is made; one that
 * cannot be read, or has no such line, is left out without a word: the place
 * is said already.
 */
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MAX_FILE	(16 << 20)	/* bytes; larger ones are generated */
#define MAX_SHOWN	200		/* bytes of a line */

struct source {
	char	*path;
	char	*data;		/* NULL: cannot be read */
	size_t	 size;
	KS_VEC(size_t) lines;	/* where each begins */
};

struct ks_sources { KS_VEC(struct source *) v; };

struct ks_sources *
ks_sources_new(void)
{
	struct ks_sources *s = ks_xmalloc(sizeof(*s));

	memset(s, 0, sizeof(*s));
	return s;
}

void
ks_sources_free(struct ks_sources *s)
{
	for (size_t i = 0; i < s->v.n; i++) {
		free(s->v.v[i]->path);
		free(s->v.v[i]->data);
		ks_vec_free(&s->v.v[i]->lines);
		free(s->v.v[i]);
	}
	ks_vec_free(&s->v);
	free(s);
}

static const struct source *
open_source(struct ks_sources *s, const char *path)
{
	struct source *f;
	struct stat st;
	size_t n = strlen(path) + 1;

	for (size_t i = s->v.n; i-- > 0;)
		if (strcmp(s->v.v[i]->path, path) == 0)
			return s->v.v[i];
	f = ks_xmalloc(sizeof(*f));
	memset(f, 0, sizeof(*f));
	f->path = memcpy(ks_xmalloc(n), path, n);
	*ks_vec_push(&s->v) = f;
	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode) || st.st_size > MAX_FILE ||
	    ks_read_file(path, &f->data, &f->size, NULL) != KS_OK)
		return f;
	*ks_vec_push(&f->lines) = 0;
	for (size_t i = 0; i < f->size; i++)
		if (f->data[i] == '\n')
			*ks_vec_push(&f->lines) = i + 1;
	return f;
}

/* The bytes of AT's line, N of them; NULL if there is none to show. */
static const char *
line_of(struct ks_sources *s, const struct ks_place_text *at, size_t *n)
{
	const struct source *f;
	const char *line;

	if (at->object != NULL || at->file == NULL || at->line == 0)
		return NULL;
	f = open_source(s, at->file);
	if (f->data == NULL || at->line > f->lines.n)
		return NULL;
	line = f->data + f->lines.v[at->line - 1];
	*n = strcspn(line, "\r\n");
	return *n == 0 || *n > MAX_SHOWN ? NULL : line;
}

static void
margin(FILE *out, const char *line, uint32_t col)
{
	fputs("      | ", out);
	for (size_t i = 0; i + 1 < col; i++)
		fputc(line[i] == '\t' ? '\t' : ' ', out);
}

void
ks_sources_fix(struct ks_sources *s, FILE *out, const struct ks_place_text *at,
    const char *text, uint32_t end)
{
	size_t n;
	const char *line = line_of(s, at, &n);
	char *clean;

	if (line == NULL || at->col == 0 || at->col > n || end > n + 1)
		return;
	margin(out, line, at->col);
	if (*text != '\0') {
		clean = ks_printable(text);
		fputs(clean, out);
		free(clean);
	}
	for (uint32_t i = at->col; *text == '\0' && i < end; i++)
		fputc('~', out);
	fputc('\n', out);
}

void
ks_sources_put(struct ks_sources *s, FILE *out, const struct ks_place_text *at,
    const char *on, const char *off)
{
	char *copy, *clean;
	size_t n;
	const char *line = line_of(s, at, &n);

	if (line == NULL)
		return;
	/* Tabs stay, so that the caret's line has the same ones. */
	copy = memcpy(ks_xmalloc(n + 1), line, n);
	copy[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if (copy[i] == '\t')
			copy[i] = 1;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)copy[i] < ' ' && copy[i] != 1)
			copy[i] = '?';
	for (size_t i = 0; i < n; i++)
		if (copy[i] == 1)
			copy[i] = ' ';
	clean = ks_printable(copy);
	if (strlen(clean) == n)
		for (size_t i = 0; i < n; i++)
			if (line[i] == '\t')
				clean[i] = '\t';
	fprintf(out, "%5u | %s\n", at->line, clean);
	if (at->col != 0 && at->col <= n) {
		margin(out, line, at->col);
		fprintf(out, "%s^%s\n", on, off);
	}
	free(clean);
	free(copy);
}
