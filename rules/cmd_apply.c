/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd rules apply: the command line.
 *
 * All edits are planned before the first file is written.  Status 1: with
 * --check something would change; or something is left to a person.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "cmd_rules.h"
#include "lint.h"
#include "select.h"

struct apply_opts {
	const char	*arch;
	bool		 check;
	const char	*dialect;
	bool		 force;
	bool		 house;
	const char	*sysdir;
};

static int	run_apply(int argc, char **argv);

static const struct ks_opt apply_table[] = {
	{ "arch", 0, KS_OPT_STR, "NAME",
	    "machine of the entries (default: from the list's name)",
	    offsetof(struct apply_opts, arch), 0 },
	{ "check", 0, KS_OPT_FLAG, NULL,
	    "print the difference, change nothing; status 1 if there is one",
	    offsetof(struct apply_opts, check), 0 },
	{ "dialect", 0, KS_OPT_STR, "NAME",
	    "freebsd-13, freebsd-14 or freebsd-15 (default)",
	    offsetof(struct apply_opts, dialect), 0 },
	{ "force", 0, KS_OPT_FLAG, NULL,
	    "replace commands that were written by hand",
	    offsetof(struct apply_opts, force), 0 },
	{ "house", 0, KS_OPT_FLAG, NULL,
	    "spell instruction sets as the kernel's own lists do",
	    offsetof(struct apply_opts, house), 0 },
	{ "sysdir", 0, KS_OPT_STR, "DIR",
	    "folder that sources and includes are relative to",
	    offsetof(struct apply_opts, sysdir), 0 },
	{ NULL, 0, 0, NULL, NULL, 0, 0 }
};

const struct ks_command ks_rules_apply = {
	.name = "rules apply", .operands = "files.simd list",
	.summary = "Puts the entries of a files.simd where they belong in a "
	    "tree.",
	.text = "Edits the list, what it includes, and the makefiles of "
	    "modules.\n",
	.groups = KS_OPTS_PROFILE,
	.opts = apply_table, .run = run_apply,
};

/* "x86" for a list of one of its machines, unless --arch says otherwise. */
static int
choose_arch(const struct apply_opts *o, struct ks_gen *g, const char *list,
    struct ks_error *err)
{
	unsigned archs = ks_lint_list_archs(list);

	g->arch = o->arch;
	if (o->arch != NULL && !ks_gen_arch_known(o->arch))
		return ks_error(err, KS_EUSAGE, "--arch: '%s' is none of %s",
		    o->arch, ks_gen_archs);
	if (o->arch != NULL)
		return KS_OK;
	if (archs == KS_ARCH_ARM64)
		g->arch = "arm64";
	else if (archs != 0 && (archs & ~(unsigned)KS_ARCH_X86) == 0)
		g->arch = "x86";
	else
		return ks_error(err, KS_EUSAGE, "%s: which machine is it for? "
		    "(--arch)", list);
	return KS_OK;
}

/* Prints or writes what was planned. */
static int
finish(struct ks_apply *a, bool check, struct ks_error *err)
{
	size_t changes = 0;
	bool changed;
	int rc;

	for (size_t i = 0; i < a->files.n; i++) {
		struct ks_efile *f = &a->files.v[i];

		changes += f->edits.n > 0;
		if (f->edits.n == 0)
			continue;
		if (check) {
			ks_edit_diff(f, stdout);
			continue;
		}
		rc = ks_edit_write(f, &changed, err);
		if (rc != KS_OK)
			return rc;
		if (changed)
			printf("%s\n", f->path);
	}
	rc = ks_flush_stdout();
	if (rc != KS_EXIT_CLEAN)
		return rc;
	return a->undone > 0 || (check && changes > 0) ? KS_EXIT_FINDINGS :
	    KS_EXIT_CLEAN;
}

/*
 * Without a files.x86 both machines have a list of their own, and an entry
 * for both is in each: the other one is edited as well, if it is there.
 */
static int
apply_other(struct ks_apply *a, const struct apply_opts *o,
    const char *list, const struct ks_list *simd, struct ks_error *err)
{
	const char *dot = strrchr(list, '.'), *other;
	char *text;
	size_t size;
	int rc;

	if (o->arch != NULL || strcmp(a->gen.arch, "x86") != 0 ||
	    ks_apply_has_x86(a))
		return KS_OK;
	other = ks_printf(a->arena, "%.*s%s", (int)(dot + 1 - list), list,
	    strcmp(dot, ".amd64") == 0 ? "i386" : "amd64");
	if (ks_read_file(other, &text, &size, NULL) != KS_OK)
		return KS_OK;
	free(text);
	a->modules_done = true;
	rc = ks_apply_list(a, other, err);
	return rc == KS_OK ? ks_apply_plan(a, simd, err) : rc;
}

static int
apply_all(const struct apply_opts *o, const struct ks_common *c,
    char **operands, struct ks_error *err)
{
	struct ks_profile *p = ks_profile_new();
	struct ks_list *simd = NULL;
	struct ks_apply a;
	int rc, status = KS_EXIT_CLEAN;

	ks_apply_init(&a);
	a.gen.profile = p;
	a.gen.house = o->house;
	a.force = o->force;
	a.say = stderr;
	a.sysdir = o->sysdir != NULL ? o->sysdir :
	    ks_sysdir_of(a.arena, operands[1]);
	a.gen.srcdir = a.sysdir;
	rc = ks_rules_dialect(o->dialect, &a.gen.dialect, err);
	if (rc == KS_OK && KS_DIALECT_LINUX(a.gen.dialect))
		rc = ks_error(err, KS_EUSAGE, "--dialect %s has no lists",
		    ks_dialect_name(a.gen.dialect));
	if (rc == KS_OK)
		rc = choose_arch(o, &a.gen, operands[1], err);
	if (rc == KS_OK)
		rc = ks_rules_profile(c, a.gen.dialect, p, err);
	if (rc == KS_OK)
		rc = ks_list_read(operands[0], operands[0], a.gen.dialect,
		    true, &simd, err);
	if (rc == KS_OK)
		rc = ks_apply_list(&a, operands[1], err);
	if (rc == KS_OK)
		rc = ks_apply_plan(&a, simd, err);
	if (rc == KS_OK)
		rc = apply_other(&a, o, operands[1], simd, err);
	if (rc == KS_OK) {
		status = finish(&a, o->check, err);
		rc = status < 0 ? status : KS_OK;
	}
	ks_list_free(simd);
	ks_apply_free(&a);
	ks_profile_free(p);
	return rc == KS_OK ? status : ks_fail(err, rc);
}

static int
run_apply(int argc, char **argv)
{
	struct apply_opts o = { 0 };
	struct ks_common common;
	struct ks_error err;
	int first, status;

	first = ks_options_parse(&ks_rules_apply, argc, argv, &common, &o,
	    &err);
	if (first == KS_OPTIONS_DONE)
		status = ks_flush_stdout();
	else if (first < 0)
		status = ks_fail(&err, first);
	else if (argc - first != 2)
		status = ks_fail(&err, ks_error(&err, KS_EUSAGE, "name a "
		    "files.simd and a list (ksimd rules apply --help)"));
	else
		status = apply_all(&o, &common, argv + first, &err);
	ks_common_free(&common);
	return status;
}
