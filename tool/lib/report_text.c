/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings as compilers print them:
 *
 *	place: severity: text [id]
 *	place: note: text			one per step of the trace
 *
 * An object's place is file.o:function+0x12; where a source line is known it
 * follows in a note of its own, so that editors find it.  Of one id, two
 * findings a function are shown, then a line says how many were not (--all
 * shows them).
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN	2	/* per function and id */

static const char *
color(const struct ks_report_opts *o, const char *code)
{
	return o->color ? code : "";
}

static void
put_line(FILE *f, const struct ks_report_opts *o, const char *place,
    enum ks_severity severity, const char *message)
{
	static const char *const colors[] = {
		[KS_SEV_NOTE] = "\033[1;36m",
		[KS_SEV_WARNING] = "\033[1;35m",
		[KS_SEV_ERROR] = "\033[1;31m",
	};
	char *clean = ks_printable(message);

	fprintf(f, "%s%s:%s %s%s:%s %s", color(o, "\033[1m"), place,
	    color(o, "\033[0m"), color(o, colors[severity]),
	    ks_severity_name(severity), color(o, "\033[0m"), clean);
	free(clean);
}

static void
put_note(FILE *f, const struct ks_report_opts *o, struct ks_sources *s,
    const struct ks_trace *t)
{
	char *place = ks_place_string(&t->at);
	char *source = t->at.object != NULL ? ks_source_string(&t->at) : NULL;

	put_line(f, o, source != NULL ? source : place, KS_SEV_NOTE,
	    t->message);
	if (source != NULL)
		fprintf(f, " (%s)", place);
	fputc('\n', f);
	ks_sources_put(s, f, &t->at, color(o, "\033[1;32m"),
	    color(o, "\033[0m"));
	if (t->fix != NULL)
		ks_sources_fix(s, f, &t->at, t->fix, t->fix_end);
	free(source);
	free(place);
}

static void
put_finding(FILE *f, const struct ks_report_opts *o, struct ks_sources *s,
    const struct ks_finding *one)
{
	char *place = ks_place_string(&one->at);
	char *source = one->at.object != NULL ?
	    ks_source_string(&one->at) : NULL;

	put_line(f, o, place, one->severity, one->message);
	fprintf(f, " [%s]\n", ks_diags[one->diag].id);
	if (source != NULL) {
		put_line(f, o, source, KS_SEV_NOTE, "the code's source line");
		fputc('\n', f);
	}
	ks_sources_put(s, f, &one->at, color(o, "\033[1;32m"),
	    color(o, "\033[0m"));
	for (size_t i = 0; i < one->ntrace; i++)
		put_note(f, o, s, &one->trace[i]);
	free(source);
	free(place);
}

static bool
same(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Findings whose cap is shared. */
static bool
same_group(const struct ks_place_text *a, const struct ks_place_text *b)
{
	if (!same(a->object, b->object) || !same(a->function, b->function))
		return false;
	if (a->object == NULL)
		return a->function != NULL && same(a->file, b->file);
	return same(a->section, b->section);
}

static void
put_skipped(FILE *f, const struct ks_report_opts *o,
    const struct ks_place_text *last, const size_t count[KS_D_MAX])
{
	struct ks_place_text at = *last;
	char *place;

	at.has_off = false;
	at.line = 0;
	place = ks_place_string(&at);
	for (unsigned d = 0; d < KS_D_MAX; d++) {
		char text[128];

		if (count[d] <= SHOWN)
			continue;
		snprintf(text, sizeof(text), "skipping %zu more (--all)",
		    count[d] - SHOWN);
		put_line(f, o, place, KS_SEV_NOTE, text);
		fprintf(f, " [%s]\n", ks_diags[d].id);
	}
	free(place);
}

void
ks_report_text(const struct ks_findings *f, const struct ks_report_opts *o,
    struct ks_sink *s)
{
	struct ks_sources *sources = ks_sources_new();
	size_t count[KS_D_MAX] = { 0 };

	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *one = &f->v.v[i];
		bool last = i + 1 == f->v.n ||
		    !same_group(&one->at, &f->v.v[i + 1].at);
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		if (out == NULL)
			abort();
		if (++count[one->diag] <= SHOWN || o->all)
			put_finding(out, o, sources, one);
		if (last && !o->all)
			put_skipped(out, o, &one->at, count);
		if (last)
			memset(count, 0, sizeof(count));
		fclose(out);
		ks_sink_put(s, text, size);
		free(text);
	}
	ks_sources_free(sources);
}
