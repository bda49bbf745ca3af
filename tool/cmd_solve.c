/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd solve": runs the engine on event graphs, ksg(5), alone.
 *
 * The kernel cannot be told from a file format here; symbols may tell it.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "ks/options.h"

static const struct ks_command command = {
	.name = "solve", .operands = "graph.ksg ...",
	.summary = "Checks event graphs, all of them together.",
	.groups = KS_OPTS_PROFILE | KS_OPTS_SOLVE | KS_OPTS_REPORT,
};

struct run {
	struct ks_common common;
	struct ks_profile *profile;
	struct ks_contract *contract;
	struct ks_findings *f;
	KS_VEC(struct ks_unit *) units;
	struct ks_verdict verdict;
	char	*args;
};

static int
read_graphs(struct run *r, const char *path, struct ks_error *err)
{
	struct ks_unit **units;
	char *data;
	size_t size, n;
	int rc;

	if ((rc = ks_read_file(path, &data, &size, err)) != KS_OK)
		return rc;
	rc = ks_ksg_read(path, data, size, &units, &n, err);
	free(data);
	if (rc != KS_OK)
		return rc;
	for (size_t i = 0; i < n; i++)
		*ks_vec_push(&r->units) = units[i];
	free(units);
	return KS_OK;
}

static bool
units_have(void *ctx, enum ks_detect_kind kind, const char *word)
{
	const struct run *r = ctx;

	if (kind != KS_DETECT_SYMBOL)
		return false;
	for (size_t i = 0; i < r->units.n; i++) {
		const struct ks_unit *u = r->units.v[i];

		for (size_t j = 0; j < u->syms.n; j++)
			if (strcmp(ks_str(u->str, u->syms.v[j].name),
			    word) == 0)
				return true;
	}
	return false;
}

static int
choose_profile(struct run *r, const char *path, struct ks_error *err)
{
	struct ks_detect_input in = { NULL, units_have, r };
	struct ks_arena *a = ks_arena_new();
	struct ks_error why;
	const char *name;
	int rc = ks_profile_detect(a, &in, &name, &why);

	if (rc != KS_OK) {
		ks_error(err, rc, "%s: %s", path, why.text);
	} else {
		r->profile = ks_profile_new();
		rc = ks_profile_load(r->profile, name, err);
		if (rc == KS_OK)
			ks_common_chosen(name, path);
	}
	ks_arena_free(a);
	return rc;
}

static int
judge(struct run *r, int argc, char **argv, int first, struct ks_error *err)
{
	struct ks_solve_opts so = { .closed = r->common.closed };
	int rc;

	if ((rc = ks_common_load(&r->common, &r->profile, &r->contract,
	    err)) != KS_OK)
		return rc;
	for (int i = first; i < argc; i++)
		if ((rc = read_graphs(r, argv[i], err)) != KS_OK)
			return rc;
	if (r->profile == NULL &&
	    (rc = choose_profile(r, argv[first], err)) != KS_OK)
		return rc;
	so.contract = r->contract;
	r->f = ks_findings_new();
	return ks_solve(r->units.v, r->units.n, r->profile, &so, r->f,
	    &r->verdict, err);
}

static int
start(struct run *r, int argc, char **argv)
{
	struct ks_error err;
	int first, rc;

	first = ks_options_parse(&command, argc, argv, &r->common, NULL,
	    &err);
	if (first == KS_OPTIONS_DONE)
		return ks_flush_stdout();
	if (first < 0)
		return ks_fail(&err, first);
	r->common.report.tool_args = r->args;
	if (first == argc) {
		ks_error(&err, KS_EUSAGE,
		    "solve needs a graph (ksimd solve --help)");
		return ks_fail(&err, KS_EUSAGE);
	}
	if ((rc = judge(r, argc, argv, first, &err)) != KS_OK)
		return ks_fail(&err, rc);
	return ks_common_finish(&r->common, r->f, r->units.v, r->units.n,
	    r->contract, &r->verdict);
}

int
ks_cmd_solve(int argc, char **argv)
{
	struct run r = { 0 };
	int status;

	r.args = ks_command_line(argc, argv);
	status = start(&r, argc, argv);
	for (size_t i = 0; i < r.units.n; i++)
		ks_unit_free(r.units.v[i]);
	ks_vec_free(&r.units);
	ks_vec_free(&r.verdict.assumptions);
	ks_findings_free(r.f);
	ks_profile_free(r.profile);
	ks_contract_free(r.contract);
	ks_common_free(&r.common);
	free(r.args);
	return status;
}
