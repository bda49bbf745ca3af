/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where reports go, and what all formats share.
 *
 * Text and JSON Lines to standard output are written finding by finding,
 * each with one write, so that lines of parallel runs do not mix.  A file is
 * written only after the whole report was made.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
put_direct(struct ks_sink *s, const char *data, size_t size)
{
	while (size > 0 && s->error == 0) {
		ssize_t n = write(s->fd, data, size);

		if (n < 0 && errno != EINTR) {
			s->error = errno;
		} else if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
}

void
ks_sink_put(struct ks_sink *s, const char *data, size_t size)
{
	if (s->direct) {
		put_direct(s, data, size);
		return;
	}
	if (s->size - s->n < size) {
		s->size = 2 * s->size + size;
		s->buf = ks_xrealloc(s->buf, s->size);
	}
	memcpy(s->buf + s->n, data, size);
	s->n += size;
}

/*
 * Length of the printable UTF-8 character at P; 0 if it is none.
 * Reference: RFC 3629, section 4; C1 controls are taken out, too.
 */
static unsigned
utf8_len(const unsigned char *p)
{
	unsigned n;

	if (p[0] < 0x80)
		return p[0] >= ' ' && p[0] != 0x7f;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if ((p[0] & 0xf0) == 0xe0)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	for (unsigned i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xc2 && p[1] < 0xa0) ||	/* C1 controls */
	    (p[0] == 0xe0 && p[1] < 0xa0) ||	/* overlong */
	    (p[0] == 0xed && p[1] > 0x9f) ||	/* surrogates */
	    (p[0] == 0xf0 && p[1] < 0x90) ||	/* overlong */
	    (p[0] == 0xf4 && p[1] > 0x8f))	/* above U+10FFFF */
		return 0;
	return n;
}

char *
ks_printable(const char *s)
{
	char *out = ks_xmalloc(4 * strlen(s) + 1), *q = out;

	while (*s != '\0') {
		unsigned n = utf8_len((const unsigned char *)s);

		if (n == 0)
			q += sprintf(q, "\\x%02x", (unsigned char)*s++);
		for (; n > 0; n--)
			*q++ = *s++;
	}
	*q = '\0';
	return out;
}

static char *
finish_string(FILE *f, char **raw)
{
	char *s;

	fclose(f);
	s = ks_printable(*raw);
	free(*raw);
	return s;
}

char *
ks_source_string(const struct ks_place_text *at)
{
	char *raw = NULL;
	size_t size;
	FILE *f;

	if (at->file == NULL)
		return NULL;
	if ((f = open_memstream(&raw, &size)) == NULL)
		abort();
	fputs(at->file, f);
	if (at->line != 0)
		fprintf(f, ":%u", at->line);
	if (at->line != 0 && at->col != 0)
		fprintf(f, ":%u", at->col);
	return finish_string(f, &raw);
}

char *
ks_place_string(const struct ks_place_text *at)
{
	const char *name = at->function != NULL ? at->function : at->section;
	char *raw = NULL;
	size_t size;
	FILE *f;

	if (at->object == NULL && at->file != NULL)
		return ks_source_string(at);
	if ((f = open_memstream(&raw, &size)) == NULL)
		abort();
	if (at->object != NULL)
		fputs(at->object, f);
	if (at->object != NULL && name != NULL)
		fputc(':', f);
	if (name != NULL)
		fputs(name, f);
	if (name != NULL && at->has_off)
		fprintf(f, "+0x%llx", (unsigned long long)at->off);
	if (at->object == NULL && name == NULL)
		fputs("ksimd", f);
	return finish_string(f, &raw);
}

json_t *
ks_json_str(const char *s)
{
	char *clean = ks_printable(s);
	json_t *j = json_string(clean);

	free(clean);
	return j;
}

void
ks_json_set_str(json_t *o, const char *key, const char *s)
{
	if (s != NULL)
		json_object_set_new(o, key, ks_json_str(s));
}

void
ks_json_put(struct ks_sink *s, json_t *o, size_t flags)
{
	char *text = json_dumps(o, flags);
	size_t n;

	if (text == NULL)
		abort();	/* out of memory: all strings are UTF-8 */
	n = strlen(text);
	text[n] = '\n';		/* in place of the NUL */
	ks_sink_put(s, text, n + 1);
	free(text);
}

int
ks_report(const struct ks_findings *f, const struct ks_report_opts *o,
    struct ks_error *err)
{
	bool to_stdout = o->output == NULL || strcmp(o->output, "-") == 0;
	struct ks_sink s = { .direct = to_stdout,
	    .fd = o->to_stderr ? STDERR_FILENO : STDOUT_FILENO };
	int rc = KS_OK;

	if (to_stdout)
		fflush(stdout);
	switch (o->format) {
	case KS_FMT_TEXT:
		ks_report_text(f, o, &s);
		break;
	case KS_FMT_JSON:
		ks_report_json(f, o, &s);
		break;
	case KS_FMT_SARIF:
		ks_report_sarif(f, o, &s);
		break;
	case KS_FMT_HTML:
		ks_report_html(f, o, &s);
		break;
	}
	if (s.error != 0)
		rc = ks_error(err, KS_EIO, "standard %s: %s",
		    o->to_stderr ? "error" : "output", strerror(s.error));
	else if (!to_stdout)
		rc = ks_write_file(o->output, s.n > 0 ? s.buf : "", s.n, NULL,
		    err);
	free(s.buf);
	return rc;
}
