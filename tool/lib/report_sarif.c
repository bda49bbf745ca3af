/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings as one SARIF 2.1.0 log.
 *
 *   1. rules[]: the checks that report something, in order of their ids, each
 *      with its section of docs/checks.md as help text.
 *   2. results[]: ksimd's fingerprint is partialFingerprints["ksimd/v1"].
 *      The trace is a code flow that ends at the finding.
 *   3. A place in an object is a logical location, its artifact the source
 *      file where lines are known, else the object; section and offset are
 *      in the property bag.
 *
 * Results are made one by one and written each as a line, as a run over a
 * kernel can have many.  The same findings give the same bytes: no time, no host, no absolute path
 * that was not given.
 *
 * Reference: OASIS, "Static Analysis Results Interchange Format (SARIF)
 * Version 2.1.0", sections 3.19 (rules), 3.27 (result), 3.28 (location).
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define SCHEMA	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/" \
		"os/schemas/sarif-schema-2.1.0.json"

static json_t *
text_message(const char *text)
{
	json_t *o = json_object();

	ks_json_set_str(o, "text", text);
	return o;
}

/* A path as a URI reference (RFC 3986): relative stays relative. */
static json_t *
uri(const char *path)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789-._~/";
	char *buf = ks_xmalloc(3 * strlen(path) + 8), *q = buf;
	json_t *j;

	if (path[0] == '/')
		q += sprintf(q, "file://");
	for (const char *p = path; *p != '\0'; p++) {
		if (strchr(plain, *p) != NULL)
			*q++ = *p;
		else
			q += sprintf(q, "%%%02X", (unsigned char)*p);
	}
	*q = '\0';
	j = json_string(buf);
	free(buf);
	return j;
}

static json_t *
physical(const struct ks_place_text *at)
{
	const char *path = at->file != NULL ? at->file : at->object;
	json_t *artifact, *region, *o;

	if (path == NULL)
		return NULL;
	artifact = json_object();
	json_object_set_new(artifact, "uri", uri(path));
	o = json_object();
	json_object_set_new(o, "artifactLocation", artifact);
	if (at->file != NULL && at->line != 0) {
		region = json_object();
		json_object_set_new(region, "startLine",
		    json_integer(at->line));
		if (at->col != 0)
			json_object_set_new(region, "startColumn",
			    json_integer(at->col));
		json_object_set_new(o, "region", region);
	}
	return o;
}

static json_t *
logical(const struct ks_place_text *at)
{
	struct ks_place_text plain = *at;
	json_t *o, *list;
	char *name;

	if (at->function == NULL)
		return NULL;
	o = json_object();
	ks_json_set_str(o, "name", at->function);
	plain.has_off = false;
	if (at->object != NULL) {
		name = ks_place_string(&plain);
		ks_json_set_str(o, "fullyQualifiedName", name);
		free(name);
	}
	json_object_set_new(o, "kind", json_string(
	    strncmp(at->function, "struct:", 7) == 0 ? "type" : "function"));
	list = json_array();
	json_array_append_new(list, o);
	return list;
}

static void
set_new(json_t *o, const char *key, json_t *value)
{
	if (value != NULL)
		json_object_set_new(o, key, value);
}

static json_t *
location(const struct ks_place_text *at, const char *message)
{
	json_t *o = json_object(), *bag;

	set_new(o, "physicalLocation", physical(at));
	set_new(o, "logicalLocations", logical(at));
	if (message != NULL)
		json_object_set_new(o, "message", text_message(message));
	if (at->object != NULL) {
		bag = json_object();
		ks_json_set_str(bag, "object", at->object);
		ks_json_set_str(bag, "section", at->section);
		if (at->has_off)
			json_object_set_new(bag, "offset",
			    json_integer((json_int_t)at->off));
		json_object_set_new(o, "properties", bag);
	}
	return o;
}

static void
set_trace(json_t *result, const struct ks_finding *one)
{
	json_t *steps = json_array(), *step, *flow, *list;

	for (size_t i = 0; i <= one->ntrace; i++) {
		bool end = i == one->ntrace;

		step = json_object();
		json_object_set_new(step, "location", end ?
		    location(&one->at, one->message) :
		    location(&one->trace[i].at, one->trace[i].message));
		json_array_append_new(steps, step);
	}
	/* codeFlows: [ { threadFlows: [ { locations: steps } ] } ] */
	for (unsigned level = 0; level < 2; level++) {
		flow = json_object();
		json_object_set_new(flow, level == 0 ? "locations" :
		    "threadFlows", steps);
		list = json_array();
		json_array_append_new(list, flow);
		steps = list;
	}
	json_object_set_new(result, "codeFlows", steps);
}

static json_t *
wrap(json_t *one)
{
	json_t *list = json_array();

	json_array_append_new(list, one);
	return list;
}

/* One change of one line, or none. */
static void
set_fixes(json_t *result, const struct ks_finding *one)
{
	json_t *fixes = json_array(), *place, *region, *change, *fix;

	for (size_t i = 0; i < one->ntrace; i++) {
		const struct ks_trace *t = &one->trace[i];

		if (t->fix == NULL || (place = physical(&t->at)) == NULL)
			continue;
		region = json_incref(json_object_get(place, "region"));
		json_object_set_new(region, "endLine",
		    json_integer(t->at.line));
		json_object_set_new(region, "endColumn",
		    json_integer(t->fix_end));
		change = json_object();
		json_object_set_new(change, "deletedRegion", region);
		if (*t->fix != '\0')
			json_object_set_new(change, "insertedContent",
			    text_message(t->fix));
		json_object_del(place, "region");
		json_object_set_new(place, "replacements", wrap(change));
		fix = json_object();
		json_object_set_new(fix, "description",
		    text_message(t->message));
		json_object_set_new(fix, "artifactChanges", wrap(place));
		json_array_append_new(fixes, fix);
	}
	if (json_array_size(fixes) > 0)
		json_object_set(result, "fixes", fixes);
	json_decref(fixes);
}

static json_t *
result(const struct ks_finding *one, int rule)
{
	json_t *o = json_object(), *list = json_array(), *prints;

	ks_json_set_str(o, "ruleId", ks_diags[one->diag].id);
	json_object_set_new(o, "ruleIndex", json_integer(rule));
	ks_json_set_str(o, "level", ks_severity_name(one->severity));
	json_object_set_new(o, "message", text_message(one->message));
	json_array_append_new(list, location(&one->at, NULL));
	json_object_set_new(o, "locations", list);
	prints = json_object();
	ks_json_set_str(prints, "ksimd/v1", one->fingerprint);
	json_object_set_new(o, "partialFingerprints", prints);
	if (one->ntrace > 0)
		set_trace(o, one);
	set_fixes(o, one);
	return o;
}

static json_t *
rule(enum ks_diag d)
{
	const struct ks_diag_info *info = &ks_diags[d];
	json_t *o = json_object(), *level = json_object(), *help;
	char *text = ks_check_help(d);

	ks_json_set_str(o, "id", info->id);
	json_object_set_new(o, "shortDescription",
	    text_message(info->summary));
	if (text != NULL) {
		help = json_object();
		json_object_set_new(help, "text", json_string(text));
		json_object_set_new(help, "markdown", json_string(text));
		json_object_set_new(o, "help", help);
		free(text);
	}
	ks_json_set_str(level, "level", ks_severity_name(info->severity));
	json_object_set_new(o, "defaultConfiguration", level);
	return o;
}

static void
put(struct ks_sink *s, const char *text)
{
	ks_sink_put(s, text, strlen(text));
}

static json_t *
driver(const bool used[KS_D_MAX])
{
	json_t *o = json_object(), *rules = json_array();

	ks_json_set_str(o, "name", "ksimd");
	ks_json_set_str(o, "version", ks_version());
	for (unsigned d = 0; d < KS_D_MAX; d++)
		if (used[d])
			json_array_append_new(rules, rule(d));
	json_object_set_new(o, "rules", rules);
	return o;
}

static void
put_tool(const struct ks_report_opts *opts, const bool used[KS_D_MAX],
    struct ks_sink *s)
{
	json_t *o = json_object(), *call;

	json_object_set_new(o, "driver", driver(used));
	put(s, "\"tool\": ");
	ks_json_put(s, o, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(o);
	if (opts->tool_args == NULL)
		return;
	call = json_object();
	ks_json_set_str(call, "commandLine", opts->tool_args);
	json_object_set_new(call, "executionSuccessful", json_true());
	put(s, ", \"invocations\": [\n");
	ks_json_put(s, call, JSON_COMPACT | JSON_ENSURE_ASCII);
	put(s, "]");
	json_decref(call);
}

void
ks_report_sarif(const struct ks_findings *f, const struct ks_report_opts *o,
    struct ks_sink *s)
{
	bool used[KS_D_MAX] = { false };
	int index[KS_D_MAX], n = 0;
	json_t *one;

	for (size_t i = 0; i < f->v.n; i++)
		used[f->v.v[i].diag] = true;
	for (unsigned d = 0; d < KS_D_MAX; d++) {
		index[d] = n;
		n += used[d];
	}
	put(s, "{\n\"$schema\": \"" SCHEMA "\",\n"
	    "\"version\": \"2.1.0\",\n\"runs\": [{\n");
	put_tool(o, used, s);
	put(s, ", \"results\": [\n");
	for (size_t i = 0; i < f->v.n; i++) {
		if (i > 0)
			put(s, ",");
		one = result(&f->v.v[i], index[f->v.v[i].diag]);
		ks_json_put(s, one, JSON_COMPACT | JSON_ENSURE_ASCII);
		json_decref(one);
	}
	put(s, "]\n}]\n}\n");
}
