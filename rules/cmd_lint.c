/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd rules lint: the command line.
 *
 * What a file is, its name says: Makefile, Kbuild and *.mk are makefiles (of
 * a kernel module; with --target kbuild, of Linux), all else is a files.*
 * list.  Errors are shown; -W adds warnings and -I advice.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "cmd_rules.h"
#include "lint.h"
#include "select.h"

struct lint_opts {
	const char	*arch;
	const char	*dialect;
	bool		 advice;
	const char	*commands;
	struct ks_words	 set;
	const char	*sysdir;
	const char	*target;
	bool		 warnings;
};

static int	run_lint(int argc, char **argv);

static const struct ks_opt lint_table[] = {
	{ "arch", 0, KS_OPT_STR, "NAME",
	    "machine of what is read (default: from the file's name)",
	    offsetof(struct lint_opts, arch), 0 },
	{ "commands", 'p', KS_OPT_STR, "DIR",
	    "check the compile commands that a build in DIR ran",
	    offsetof(struct lint_opts, commands), 0 },
	{ "dialect", 0, KS_OPT_STR, "NAME",
	    "freebsd-13, -14, -15 (default), linux-6.1 or linux-6.10",
	    offsetof(struct lint_opts, dialect), 0 },
	{ "hints", 'I', KS_OPT_FLAG, NULL, "show advice, too (as --advice)",
	    offsetof(struct lint_opts, advice), 0 },
	{ "set", 0, KS_OPT_LIST, "VAR=VALUE",
	    "give a make variable a value (may be repeated)",
	    offsetof(struct lint_opts, set), 0 },
	{ "sysdir", 0, KS_OPT_STR, "DIR",
	    "folder that sources and includes are relative to",
	    offsetof(struct lint_opts, sysdir), 0 },
	{ "target", 0, KS_OPT_STR, "KIND",
	    "read as files, kmod or kbuild (default: from the file's name)",
	    offsetof(struct lint_opts, target), 0 },
	{ "warnings", 'W', KS_OPT_FLAG, NULL, "show warnings, too",
	    offsetof(struct lint_opts, warnings), 0 },
	{ NULL, 0, 0, NULL, NULL, 0, 0 }
};

const struct ks_command ks_rules_lint = {
	.name = "rules lint", .operands = "file ...",
	.summary = "Reports what makes build rules for SIMD files unsafe.",
	.text = "Reads files.* lists, makefiles of kernel modules, and Kbuild "
	    "files.\n",
	.groups = KS_OPTS_PROFILE | KS_OPTS_REPORT,
	.opts = lint_table, .run = run_lint,
};

enum kind { AS_LIST, AS_KMOD, AS_KBUILD };

static int
find_target(const struct lint_opts *o, const char *path, enum kind *out,
    struct ks_error *err)
{
	const char *slash = strrchr(path, '/'), *name, *dot;

	name = slash != NULL ? slash + 1 : path;
	dot = strrchr(name, '.');
	*out = strncmp(name, "Makefile", 8) == 0 ||
	    strcmp(name, "makefile") == 0 ||
	    (dot != NULL && strcmp(dot, ".mk") == 0) ? AS_KMOD : AS_LIST;
	if (strcmp(name, "Kbuild") == 0)
		*out = AS_KBUILD;
	if (o->target == NULL)
		return KS_OK;
	if (strcmp(o->target, "files") == 0)
		*out = AS_LIST;
	else if (strcmp(o->target, "kmod") == 0)
		*out = AS_KMOD;
	else if (strcmp(o->target, "kbuild") == 0)
		*out = AS_KBUILD;
	else
		return ks_error(err, KS_EUSAGE, "--target: '%s' is none of "
		    "files, kmod, kbuild", o->target);
	return KS_OK;
}

static int
lint_file(struct ks_lint *l, const struct lint_opts *o, const char *path,
    unsigned archs, struct ks_error *err)
{
	enum kind kind;
	int rc = find_target(o, path, &kind, err);

	if (rc != KS_OK)
		return rc;
	switch (kind) {
	case AS_LIST:
		return ks_lint_list(l, path, archs != 0 ? archs :
		    ks_lint_list_archs(path), err);
	case AS_KMOD:
		return ks_lint_kmod(l, path, archs, err);
	case AS_KBUILD:
		return ks_lint_kbuild(l, path, archs, err);
	}
	return KS_EINTERNAL;
}

/* Findings below what is asked for are dropped; notes stay. */
static void
select_findings(struct ks_findings *f, const struct lint_opts *o,
    bool advice)
{
	size_t n = 0;

	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *one = &f->v.v[i];

		if (one->severity != KS_SEV_WARNING ||
		    (ks_diags[one->diag].advice ? advice : o->warnings))
			f->v.v[n++] = f->v.v[i];
	}
	f->v.n = n;
}

static int
lint_all(const struct lint_opts *o, const struct ks_common *c,
    const struct ks_profile *p, enum ks_dialect dialect, int n, char **paths,
    struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	struct ks_common common = *c;
	struct ks_lint l;
	unsigned archs = 0;
	int rc, status;

	common.report.advice |= o->advice;
	if (o->arch != NULL && (archs = ks_lint_arch_bit(o->arch)) == 0) {
		ks_arena_free(a);
		return ks_error(err, KS_EUSAGE, "--arch: '%s' is none of "
		    "amd64, arm64, i386, x86", o->arch);
	}
	rc = ks_lint_init(&l, p, dialect, o->sysdir != NULL ? o->sysdir :
	    n > 0 ? ks_sysdir_of(a, paths[0]) : ".");
	if (rc == KS_OK)
		rc = ks_lint_set(&l, o->set.v, o->set.n, err);
	if (rc == KS_OK && o->commands != NULL)
		rc = ks_lint_commands(&l, o->commands, err);
	for (int i = 0; i < n && rc == KS_OK; i++)
		rc = lint_file(&l, o, paths[i], archs, err);
	status = rc;
	if (rc == KS_OK) {
		ks_lint_finish(&l);
		select_findings(l.f, o, common.report.advice);
		status = ks_common_finish(&common, l.f, NULL, 0, NULL, NULL);
	}
	ks_lint_free(&l);
	ks_arena_free(a);
	return status;
}

static int
lint_with(const struct lint_opts *o, const struct ks_common *c, int n,
    char **paths, struct ks_error *err)
{
	struct ks_profile *p = ks_profile_new();
	enum kind kind = AS_LIST;
	enum ks_dialect dialect;
	int rc, status = KS_EXIT_CLEAN;

	rc = ks_rules_dialect(o->dialect, &dialect, err);
	if (rc == KS_OK && n > 0)
		rc = find_target(o, paths[0], &kind, err);
	if (rc == KS_OK && o->dialect == NULL && (kind == AS_KBUILD ||
	    (o->target != NULL && strcmp(o->target, "kbuild") == 0)))
		dialect = KS_LINUX_6_10;
	if (rc == KS_OK && n == 0 && o->commands == NULL)
		rc = ks_error(err, KS_EUSAGE, "no file is named (ksimd rules "
		    "lint --help)");
	if (rc == KS_OK)
		rc = ks_rules_profile(c, dialect, p, err);
	if (rc == KS_OK) {
		status = lint_all(o, c, p, dialect, n, paths, err);
		rc = status < 0 ? status : KS_OK;
	}
	ks_profile_free(p);
	return rc == KS_OK ? status : ks_fail(err, rc);
}

static int
run_lint(int argc, char **argv)
{
	struct lint_opts o = { 0 };
	struct ks_common common;
	struct ks_error err;
	char *line = ks_command_line(argc, argv);
	int first, status;

	first = ks_options_parse(&ks_rules_lint, argc, argv, &common, &o,
	    &err);
	common.report.tool_args = line;
	if (first == KS_OPTIONS_DONE)
		status = ks_flush_stdout();
	else if (first < 0)
		status = ks_fail(&err, first);
	else
		status = lint_with(&o, &common, argc - first, argv + first,
		    &err);
	ks_vec_free(&o.set);
	ks_common_free(&common);
	free(line);
	return status;
}
