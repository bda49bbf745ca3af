/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The commands that tell what ksimd knows: explain, list-checks, profiles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "ks/options.h"

/* Parses a command without own options; the status to exit with, or -1. */
static int
parse_plain(const struct ks_command *c, int argc, char **argv, int *first)
{
	struct ks_common common;
	struct ks_error err;
	int i = ks_options_parse(c, argc, argv, &common, NULL, &err);

	ks_common_free(&common);
	if (i == KS_OPTIONS_DONE)
		return ks_flush_stdout();
	if (i < 0)
		return ks_fail(&err, i);
	*first = i;
	return -1;
}

static int
too_many(const char *operand)
{
	struct ks_error err;

	ks_error(&err, KS_EUSAGE, "'%s': no operand is wanted", operand);
	return ks_fail(&err, KS_EUSAGE);
}

static int
explain_one(const char *id)
{
	enum ks_diag d = ks_diag_find(id);
	struct ks_error err;
	char *text;

	if (d == KS_D_MAX) {
		ks_error(&err, KS_EUSAGE,
		    "unknown id '%s' (ksimd list-checks lists them)", id);
		return ks_fail(&err, KS_EUSAGE);
	}
	text = ks_check_help(d);
	if (text == NULL) {
		ks_error(&err, KS_EINTERNAL, "no text for '%s'", id);
		return ks_fail(&err, KS_EINTERNAL);
	}
	printf("%s (%s%s)\n\n%s", id, ks_severity_name(ks_diags[d].severity),
	    ks_diags[d].advice ? ", with --advice only" : "", text);
	free(text);
	return KS_EXIT_CLEAN;
}

int
ks_cmd_explain(int argc, char **argv)
{
	static const struct ks_command c = {
		.name = "explain", .operands = "id ...",
		.summary = "Prints what checks mean and how to cure findings.",
	};
	struct ks_error err;
	int i, first, status;

	if ((status = parse_plain(&c, argc, argv, &first)) >= 0)
		return status;
	if (first == argc) {
		ks_error(&err, KS_EUSAGE,
		    "explain needs an id (ksimd list-checks lists them)");
		return ks_fail(&err, KS_EUSAGE);
	}
	for (i = first; i < argc; i++) {
		if (i > first)
			printf("\n");
		if ((status = explain_one(argv[i])) != KS_EXIT_CLEAN)
			return status;
	}
	return ks_flush_stdout();
}

int
ks_cmd_list_checks(int argc, char **argv)
{
	static const struct ks_command c = {
		.name = "list-checks", .operands = "",
		.summary = "Lists the checks: id, severity (advice: off unless "
		    "--advice) and meaning.",
	};
	int first, status;

	if ((status = parse_plain(&c, argc, argv, &first)) >= 0)
		return status;
	if (first < argc)
		return too_many(argv[first]);
	for (unsigned d = 0; d < KS_D_MAX; d++)
		printf("%-24s %-8s %s\n", ks_diags[d].id, ks_diags[d].advice ?
		    "advice" : ks_severity_name(ks_diags[d].severity),
		    ks_diags[d].summary);
	return ks_flush_stdout();
}

/* "amd64,i386" */
static void
print_archs(const struct ks_profile *p)
{
	char text[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < p->archs.n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
		    i > 0 ? "," : "", p->archs.v[i].name);
	printf("%-18s ", text);
}

/* ALL: where each fact comes from, one a line. */
static int
print_profile(const char *name, bool all, struct ks_error *err)
{
	struct ks_profile *p = ks_profile_new();
	int rc = ks_profile_load(p, name, err);

	if (rc == KS_OK) {
		printf("%-16s ", name);
		print_archs(p);
		printf("%zu files, %zu sources\n", p->loaded.n, p->sources.n);
	}
	for (size_t i = 0; rc == KS_OK && all && i < p->loaded.n; i++)
		printf("file    %s\n", p->loaded.v[i]);
	for (size_t i = 0; rc == KS_OK && all && i < p->sources.n; i++)
		printf("source  %s\n", p->sources.v[i]);
	ks_profile_free(p);
	return rc;
}

int
ks_cmd_profiles(int argc, char **argv)
{
	static const struct ks_command c = {
		.name = "profiles", .operands = "[name ...]",
		.summary = "Lists the kernels known; or the files of some, and "
		    "where their facts come from.",
	};
	struct ks_arena *a;
	struct ks_error err;
	const char **names;
	int first, status, rc = KS_OK;
	size_t n = 0;

	if ((status = parse_plain(&c, argc, argv, &first)) >= 0)
		return status;
	a = ks_arena_new();
	if (first == argc)
		rc = ks_profile_list(a, &names, &n, &err);
	for (size_t i = 0; rc == KS_OK && i < n; i++)
		rc = print_profile(names[i], false, &err);
	for (int i = first; rc == KS_OK && i < argc; i++)
		rc = print_profile(argv[i], true, &err);
	ks_arena_free(a);
	return rc == KS_OK ? ks_flush_stdout() : ks_fail(&err, rc);
}
