/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings as one HTML page: no script, no font, no picture, nothing loaded.
 * A table of counts, then a block a finding with its trace, then for each id
 * that was reported its section of docs/checks.md.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>ksimd findings</title>\n<style>\n"
    "body{font:16px/1.4 sans-serif;margin:1em auto;max-width:60em;"
    "padding:0 .7em;color:#222;background:#fff}\n"
    "code,pre{font:.85em monospace;overflow-wrap:anywhere;"
    "white-space:pre-wrap}\n"
    "section{border-left:.3em solid #999;padding:0 .7em;margin:1em 0}\n"
    ".error{border-color:#c22}.warning{border-color:#b60}"
    ".note{border-color:#27a}\n"
    "td,th{text-align:left;padding:.1em .9em .1em 0}\n"
    "p{margin:.3em 0}ol{padding-left:1.5em}a{color:#27a}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}"
    "a{color:#8bd}}\n"
    "</style></head><body>\n<h1>ksimd findings</h1>\n";

static void
put_escaped(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		default:
			fputc(*text, f);
		}
	}
}

static void
put_text(FILE *f, const char *text)
{
	char *clean = ks_printable(text);

	put_escaped(f, clean);
	free(clean);
}

static void
put_place(FILE *f, const struct ks_place_text *at)
{
	char *place = ks_place_string(at);
	char *source = at->object != NULL ? ks_source_string(at) : NULL;

	fputs("<code>", f);
	put_escaped(f, place);
	if (source != NULL) {
		fputs(" (", f);
		put_escaped(f, source);
		fputc(')', f);
	}
	fputs("</code>", f);
	free(source);
	free(place);
}

static void
put_finding(FILE *f, const struct ks_finding *one)
{
	const char *severity = ks_severity_name(one->severity);

	fprintf(f, "<section class=\"%s\"><p>", severity);
	put_place(f, &one->at);
	fprintf(f, "</p>\n<p><b>%s</b> [<a href=\"#%s\">%s</a>]: ", severity,
	    ks_diags[one->diag].id, ks_diags[one->diag].id);
	put_text(f, one->message);
	fputs("</p>\n", f);
	if (one->ntrace > 0)
		fputs("<ol>", f);
	for (size_t i = 0; i < one->ntrace; i++) {
		fputs("<li>", f);
		put_text(f, one->trace[i].message);
		fputs("<br>", f);
		put_place(f, &one->trace[i].at);
		fputs("</li>\n", f);
	}
	if (one->ntrace > 0)
		fputs("</ol>\n", f);
	fputs("</section>\n", f);
}

static void
put_help(FILE *f, enum ks_diag d)
{
	char *help = ks_check_help(d);

	fprintf(f, "<h2 id=\"%s\">%s</h2><pre>", ks_diags[d].id,
	    ks_diags[d].id);
	if (help != NULL)
		put_escaped(f, help);
	fputs("</pre>\n", f);
	free(help);
}

static void
put_counts(FILE *f, const struct ks_findings *findings,
    const size_t count[KS_D_MAX])
{
	if (findings->v.n == 0) {
		fputs("<p>None.</p>\n", f);
		return;
	}
	fputs("<table>\n", f);
	for (unsigned d = 0; d < KS_D_MAX; d++) {
		if (count[d] == 0)
			continue;
		fprintf(f, "<tr><th>%s<td>%zu<td>", ks_diags[d].id, count[d]);
		put_escaped(f, ks_diags[d].summary);
		fputc('\n', f);
	}
	fputs("</table>\n", f);
}

void
ks_report_html(const struct ks_findings *findings,
    const struct ks_report_opts *o, struct ks_sink *s)
{
	size_t count[KS_D_MAX] = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		abort();
	for (size_t i = 0; i < findings->v.n; i++)
		count[findings->v.v[i].diag]++;
	fputs(head, f);
	if (o->tool_args != NULL) {
		fputs("<p><code>", f);
		put_text(f, o->tool_args);
		fputs("</code></p>\n", f);
	}
	put_counts(f, findings, count);
	for (size_t i = 0; i < findings->v.n; i++)
		put_finding(f, &findings->v.v[i]);
	for (unsigned d = 0; d < KS_D_MAX; d++)
		if (count[d] > 0)
			put_help(f, (enum ks_diag)d);
	fprintf(f, "<p>ksimd %s</p>\n</body></html>\n", ks_version());
	fclose(f);
	ks_sink_put(s, text, size);
	free(text);
}
