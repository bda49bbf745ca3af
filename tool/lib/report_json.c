/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings as JSON Lines, one object a finding.  Keys, in this order, those
 * without a value left out: id severity function file line column object
 * section offset message fingerprint trace.  trace is a list of objects with
 * the place keys and message; a change of the source has endColumn, behind
 * what goes, and fix, what comes.  ksimd(1) describes them.
 */
#include "report.h"

static void
set_place(json_t *o, const struct ks_place_text *at)
{
	ks_json_set_str(o, "function", at->function);
	ks_json_set_str(o, "file", at->file);
	if (at->line != 0)
		json_object_set_new(o, "line", json_integer(at->line));
	if (at->line != 0 && at->col != 0)
		json_object_set_new(o, "column", json_integer(at->col));
	ks_json_set_str(o, "object", at->object);
	ks_json_set_str(o, "section", at->section);
	if (at->has_off)
		json_object_set_new(o, "offset",
		    json_integer((json_int_t)at->off));
}

void
ks_report_json(const struct ks_findings *f, const struct ks_report_opts *opts,
    struct ks_sink *s)
{
	(void)opts;
	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *one = &f->v.v[i];
		json_t *o = json_object(), *trace = json_array();

		ks_json_set_str(o, "id", ks_diags[one->diag].id);
		ks_json_set_str(o, "severity",
		    ks_severity_name(one->severity));
		set_place(o, &one->at);
		ks_json_set_str(o, "message", one->message);
		ks_json_set_str(o, "fingerprint", one->fingerprint);
		for (size_t j = 0; j < one->ntrace; j++) {
			json_t *step = json_object();

			set_place(step, &one->trace[j].at);
			ks_json_set_str(step, "message",
			    one->trace[j].message);
			if (one->trace[j].fix != NULL) {
				json_object_set_new(step, "endColumn",
				    json_integer(one->trace[j].fix_end));
				ks_json_set_str(step, "fix",
				    one->trace[j].fix);
			}
			json_array_append_new(trace, step);
		}
		json_object_set_new(o, "trace", trace);
		ks_json_put(s, o, JSON_COMPACT | JSON_ENSURE_ASCII);
		json_decref(o);
	}
}
