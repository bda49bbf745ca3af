/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Edits of whole lines.
 *
 * The diff follows from the edits, not from a comparison: each edit is a
 * hunk with three lines around it, and hunks whose contexts touch are one.
 * The lines that an edit's old and new text begin or end with alike are
 * shown as context.
 */
#include "edit.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT	3

void
ks_edit_add(struct ks_efile *f, size_t off, size_t len, const char *text)
{
	*ks_vec_push(&f->edits) = (struct ks_edit){ off, len, text,
	    f->edits.n };
}

static int
cmp(const void *va, const void *vb)
{
	const struct ks_edit *a = va, *b = vb;

	if (a->off != b->off)
		return a->off < b->off ? -1 : 1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static void
sort(struct ks_efile *f)
{
	if (f->edits.n > 1)
		qsort(f->edits.v, f->edits.n, sizeof(*f->edits.v), cmp);
}

static size_t
count_lines(const char *s, size_t n)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += s[i] == '\n';
	return lines;
}

static size_t
back(const struct ks_efile *f, size_t off, size_t lines, size_t limit)
{
	while (lines-- > 0 && off > limit)
		for (off--; off > limit && f->text[off - 1] != '\n'; )
			off--;
	return off;
}

static size_t
forth(const struct ks_efile *f, size_t off, size_t lines, size_t limit)
{
	while (lines-- > 0 && off < limit)
		while (off < limit && f->text[off++] != '\n')
			;
	return off;
}

static void
put_lines(FILE *out, char mark, const char *s, size_t n)
{
	bool fresh = true;

	for (size_t i = 0; i < n; i++) {
		if (fresh)
			putc(mark, out);
		putc(s[i], out);
		fresh = s[i] == '\n';
	}
	if (!fresh)
		fputs("\n\\ No newline at end of file\n", out);
}

/* Lines that both texts begin (end) with; bytes. */
static size_t
same_head(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0, keep = 0;

	while (n < na && n < nb && a[n] == b[n])
		if (a[n++] == '\n')
			keep = n;
	return keep;
}

static size_t
same_tail(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = 0, keep = 0;

	while (n < na && n < nb && a[na - 1 - n] == b[nb - 1 - n]) {
		n++;
		if (n == na || n == nb ? (n == na || a[na - 1 - n] == '\n') &&
		    (n == nb || b[nb - 1 - n] == '\n') :
		    a[na - 1 - n] == '\n' && b[nb - 1 - n] == '\n')
			keep = n;
	}
	return keep;
}

static void
put_edit(FILE *out, const struct ks_efile *f, const struct ks_edit *e)
{
	const char *old = f->text + e->off;
	size_t n = strlen(e->text);
	size_t head = same_head(old, e->len, e->text, n);
	size_t tail = same_tail(old + head, e->len - head, e->text + head,
	    n - head);

	put_lines(out, ' ', old, head);
	put_lines(out, '-', old + head, e->len - head - tail);
	put_lines(out, '+', e->text + head, n - head - tail);
	put_lines(out, ' ', old + e->len - tail, tail);
}

void
ks_edit_diff(struct ks_efile *f, FILE *out)
{
	size_t delta = 0, i = 0, j;

	if (f->edits.n == 0)
		return;
	sort(f);
	fprintf(out, "--- %s\n+++ %s\n", f->path, f->path);
	while (i < f->edits.n) {
		size_t begin, end, olds, news, at;

		begin = back(f, f->edits.v[i].off, CONTEXT,
		    i > 0 ? f->edits.v[i - 1].off + f->edits.v[i - 1].len : 0);
		for (j = i;; j++) {
			end = f->edits.v[j].off + f->edits.v[j].len;
			if (j + 1 == f->edits.n || forth(f, end, 2 * CONTEXT,
			    f->size) < f->edits.v[j + 1].off)
				break;
		}
		end = forth(f, end, CONTEXT, f->size);
		olds = news = count_lines(f->text + begin, end - begin);
		for (size_t k = i; k <= j; k++) {
			const struct ks_edit *e = &f->edits.v[k];

			news += count_lines(e->text, strlen(e->text));
			news -= count_lines(f->text + e->off, e->len);
		}
		at = count_lines(f->text, begin) + 1;
		fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", olds > 0 ? at :
		    at - 1, olds, at + delta, news);
		delta += news - olds;
		for (at = begin; i <= j; i++) {
			put_lines(out, ' ', f->text + at,
			    f->edits.v[i].off - at);
			put_edit(out, f, &f->edits.v[i]);
			at = f->edits.v[i].off + f->edits.v[i].len;
		}
		put_lines(out, ' ', f->text + at, end - at);
	}
}

int
ks_edit_write(struct ks_efile *f, bool *changed, struct ks_error *err)
{
	char *text = NULL;
	size_t size = 0, at = 0;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (out == NULL)
		return ks_error(err, KS_EINTERNAL, "out of memory");
	sort(f);
	for (size_t i = 0; i < f->edits.n; i++) {
		const struct ks_edit *e = &f->edits.v[i];

		fwrite(f->text + at, 1, e->off - at, out);
		fputs(e->text, out);
		at = e->off + e->len;
	}
	fwrite(f->text + at, 1, f->size - at, out);
	fclose(out);
	rc = ks_write_file(f->path, text, size, changed, err);
	free(text);
	return rc;
}
