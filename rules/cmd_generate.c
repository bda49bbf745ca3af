/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd rules generate: the command line.
 */
#include "rules.h"

#include <string.h>

#include "cmd_rules.h"
#include "generate.h"

struct generate_opts {
	const char	*arch;
	const char	*dialect;
	bool		 house;
	const char	*sysdir;
	const char	*target;
};

static int	run_generate(int argc, char **argv);

static const struct ks_opt generate_table[] = {
	{ "arch", 0, KS_OPT_STR, "NAME",
	    "machine: amd64 (default), arm64, i386, or x86 for two of them",
	    offsetof(struct generate_opts, arch), 0 },
	{ "dialect", 0, KS_OPT_STR, "NAME",
	    "freebsd-13, -14, -15 (default), linux-6.1 or linux-6.10",
	    offsetof(struct generate_opts, dialect), 0 },
	{ "house", 0, KS_OPT_FLAG, NULL,
	    "spell instruction sets as the kernel's own lists do",
	    offsetof(struct generate_opts, house), 0 },
	{ "sysdir", 0, KS_OPT_STR, "DIR",
	    "folder that sources are relative to, for 'simd auto'",
	    offsetof(struct generate_opts, sysdir), 0 },
	{ "target", 0, KS_OPT_STR, "KIND",
	    "what to write: files (default), kmod or kbuild",
	    offsetof(struct generate_opts, target), 0 },
	{ NULL, 0, 0, NULL, NULL, 0, 0 }
};

const struct ks_command ks_rules_generate = {
	.name = "rules generate", .operands = "files.simd ...",
	.summary = "Prints the build rules that compile C files with SIMD.",
	.text = "files.simd(5) describes the input.\n",
	.groups = KS_OPTS_PROFILE,
	.opts = generate_table, .run = run_generate,
};

typedef int generator(const struct ks_list *l, const struct ks_gen *g,
    FILE *out, struct ks_error *err);

static int
find_generator(const struct generate_opts *o, generator **fn,
    struct ks_error *err)
{
	const char *t = o->target != NULL ? o->target : "files";

	*fn = strcmp(t, "files") == 0 ? ks_generate_files :
	    strcmp(t, "kmod") == 0 ? ks_generate_kmod :
	    strcmp(t, "kbuild") == 0 ? ks_generate_kbuild : NULL;
	if (*fn == NULL)
		return ks_error(err, KS_EUSAGE, "--target: '%s' is none of "
		    "files, kbuild, kmod", t);
	return KS_OK;
}

static int
check_generate(const struct generate_opts *o, struct ks_gen *g,
    generator **fn, struct ks_error *err)
{
	int rc;

	g->arch = o->arch != NULL ? o->arch : "amd64";
	g->house = o->house;
	g->srcdir = o->sysdir;
	if (!ks_gen_arch_known(g->arch))
		return ks_error(err, KS_EUSAGE, "--arch: '%s' is none of %s",
		    g->arch, ks_gen_archs);
	rc = find_generator(o, fn, err);
	if (rc == KS_OK)
		rc = ks_rules_dialect(o->dialect, &g->dialect, err);
	if (rc == KS_OK && o->dialect == NULL && *fn == ks_generate_kbuild)
		g->dialect = KS_LINUX_6_10;
	if (rc == KS_OK && KS_DIALECT_LINUX(g->dialect) !=
	    (*fn == ks_generate_kbuild))
		rc = ks_error(err, KS_EUSAGE, "--dialect %s has not --target "
		    "%s", ks_dialect_name(g->dialect),
		    o->target != NULL ? o->target : "files");
	return rc;
}

static int
generate_file(const struct ks_gen *g, generator *fn, const char *path,
    FILE *out, struct ks_error *err)
{
	struct ks_list *l;
	int rc = ks_list_read(path, path, g->dialect, true, &l, err);

	if (rc != KS_OK)
		return rc;
	rc = fn(l, g, out, err);
	ks_list_free(l);
	return rc;
}

static int
generate_all(const struct generate_opts *o, const struct ks_common *common,
    int n, char **paths, struct ks_error *err)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_gen g = { .profile = p };
	generator *fn = NULL;	/* set by check_generate, but gcc cannot tell */
	struct ks_mem out;
	int rc, status = KS_EXIT_CLEAN;

	rc = check_generate(o, &g, &fn, err);
	if (rc == KS_OK && n == 0)
		rc = ks_error(err, KS_EUSAGE, "no files.simd is named "
		    "(ksimd rules generate --help)");
	if (rc == KS_OK)
		rc = ks_rules_profile(common, g.dialect, p, err);
	if (rc == KS_OK && (rc = ks_mem_open(&out, err)) == KS_OK) {
		for (int i = 0; i < n && rc == KS_OK; i++)
			rc = generate_file(&g, fn, paths[i], out.f, err);
		status = ks_mem_close(&out, rc == KS_OK);
	}
	ks_profile_free(p);
	return rc == KS_OK ? status : ks_fail(err, rc);
}

static int
run_generate(int argc, char **argv)
{
	struct generate_opts o = { 0 };
	struct ks_common common;
	struct ks_error err;
	int first, status;

	first = ks_options_parse(&ks_rules_generate, argc, argv, &common, &o,
	    &err);
	if (first == KS_OPTIONS_DONE)
		status = ks_flush_stdout();
	else if (first < 0)
		status = ks_fail(&err, first);
	else
		status = generate_all(&o, &common, argc - first,
		    argv + first, &err);
	ks_common_free(&common);
	return status;
}
