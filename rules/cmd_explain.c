/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd rules explain: the compile command that an entry leads to, word by
 * word, with where each comes from and why it is there.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "cmd_rules.h"
#include "lint.h"
#include "select.h"

struct explain_opts {
	const char	*arch;
	const char	*dialect;
	struct ks_words	 set;
	const char	*sysdir;
};

static int	run_explain(int argc, char **argv);

static const struct ks_opt explain_table[] = {
	{ "arch", 0, KS_OPT_STR, "NAME",
	    "machine (default: from the list's name)",
	    offsetof(struct explain_opts, arch), 0 },
	{ "dialect", 0, KS_OPT_STR, "NAME",
	    "freebsd-13, freebsd-14 or freebsd-15 (default)",
	    offsetof(struct explain_opts, dialect), 0 },
	{ "set", 0, KS_OPT_LIST, "VAR=VALUE",
	    "give a make variable a value (may be repeated)",
	    offsetof(struct explain_opts, set), 0 },
	{ "sysdir", 0, KS_OPT_STR, "DIR",
	    "folder that sources and includes are relative to",
	    offsetof(struct explain_opts, sysdir), 0 },
	{ NULL, 0, 0, NULL, NULL, 0, 0 }
};

const struct ks_command ks_rules_explain = {
	.name = "rules explain", .operands = "list entry",
	.summary = "Explains the compile command of an entry, flag by flag.",
	.text = "The entry is named by its target, its object or its source."
	    "\n",
	.groups = KS_OPTS_PROFILE,
	.opts = explain_table, .run = run_explain,
};

static bool
is_named(struct ks_lint *l, const struct ks_crule *r, const char *name)
{
	return strcmp(r->name, name) == 0 || (r->source != NULL &&
	    strcmp(r->source, name) == 0) || (r->item != NULL &&
	    strcmp(ks_item_object(l->arena, r->item), name) == 0);
}

/* Words with an argument of their own: "-include file". */
static bool
takes_word(const char *w)
{
	return strcmp(w, "-include") == 0 || strcmp(w, "-isystem") == 0 ||
	    strcmp(w, "-o") == 0 || strcmp(w, "-x") == 0;
}

static const char *
reason_of(const struct ks_crule *r, size_t i)
{
	const char *w = r->x.words.v[i].text, *why = ks_flag_reason(w);

	if (i == 0)
		return "the compiler";
	if (why != NULL)
		return why;
	if (strcmp(w, "${.IMPSRC}") == 0)
		return "the source: the prerequisite with the target's base "
		    "name";
	if (strcmp(w, "-x") == 0)
		return "language of the source";
	return *w == '-' ? "" : "the source";
}

/* Is word I switched off again by a later one? */
static bool
undone(const struct ks_crule *r, size_t i)
{
	ks_isaset set;

	return ks_flag_isa(r->x.words.v[i].text, &set) == KS_FLAG_ON &&
	    (r->final & set) == 0;
}

static void
print_words(const struct ks_crule *r, FILE *out)
{
	for (size_t i = 0; i < r->x.words.n; i++) {
		const struct ks_xword *w = &r->x.words.v[i];
		const char *arg = takes_word(w->text) &&
		    i + 1 < r->x.words.n ? r->x.words.v[i + 1].text : "";
		int col;

		col = fprintf(out, "  %s%s%s", w->text, *arg != '\0' ? " " :
		    "", arg);
		fprintf(out, "%*s  %s", col < 34 ? 34 - col : 0, "",
		    reason_of(r, i));
		if (w->var != NULL)
			fprintf(out, " (${%s})", w->var);
		if (undone(r, i))
			fputs("; undone by a later flag", out);
		putc('\n', out);
		i += *arg != '\0';
	}
}

static void
print_modifiers(const struct ks_crule *r, FILE *out)
{
	for (size_t i = 0; i < r->x.mods.n; i++) {
		const struct ks_xmod *m = &r->x.mods.v[i];
		bool pattern = m->op == 'N' || m->op == 'M';

		if (i == 0)
			fputs("modifiers:\n", out);
		fprintf(out, "  ${%s:%s%s}", m->var, pattern ?
		    (char[]){ m->op, '\0' } : "", m->arg);
		fprintf(out, "  %s%s\n", m->op == 'N' ? "words that match are "
		    "left out" : m->op == 'M' ? "only words that match" :
		    "words are edited", m->changed ? "" : "; changes nothing");
	}
}

static void
print_rule(struct ks_lint *l, struct ks_crule *r, FILE *out)
{
	char buf[512];
	uint32_t line = 1;

	for (uint32_t i = 0; i < r->off; i++)
		line += r->text->text[i] == '\n';
	fprintf(out, "%s:%u: '%s'", r->text->path, line, r->name);
	if (r->source != NULL)
		fprintf(out, " from %s", r->source);
	fprintf(out, ", on %s\n", r->archs == KS_ARCH_ALL ?
	    "all machines (flags are amd64's)" : r->archs == KS_ARCH_X86 ?
	    "amd64 and i386 (flags are amd64's)" :
	    ks_lint_arch_name(r->archs));
	if (r->command == NULL) {
		const char *s = r->source != NULL ? r->source : "";
		size_t n = strlen(s);

		r->command = n > 2 && (s[n - 1] == 'S' || s[n - 1] == 's') ?
		    "${NORMAL_S}" : r->nowerror ? "${NORMAL_C_NOWERROR}" :
		    "${NORMAL_C}";
		ks_crule_expand(r, ks_lint_env(l, r->archs));
	}
	fprintf(out, "rule: %s\n", r->command);
	print_words(r, out);
	print_modifiers(r, out);
	for (size_t i = 0; i < r->x.unresolved.n; i++)
		fprintf(out, "not known here: %s\n",
		    r->x.unresolved.v[i].name);
	ks_isa_print(ks_isa_minimal(r->final), buf, sizeof(buf));
	fprintf(out, "instruction sets in force: %s\n",
	    *buf != '\0' ? buf : "none");
}

static int
explain(struct ks_lint *l, const char *list, unsigned archs,
    const char *name, struct ks_error *err)
{
	struct ks_mem out;
	bool found = false;
	int rc;

	rc = ks_lint_list(l, list, archs != 0 ? archs :
	    ks_lint_list_archs(list), err);
	if (rc == KS_OK)
		rc = ks_mem_open(&out, err);
	if (rc != KS_OK)
		return rc;
	for (size_t i = 0; i < l->rules.n; i++) {
		if (!is_named(l, l->rules.v[i], name))
			continue;
		print_rule(l, l->rules.v[i], out.f);
		found = true;
	}
	rc = ks_mem_close(&out, found);
	return found ? rc : ks_error(err, KS_EUSAGE, "%s: no entry '%s'", list,
	    name);
}

static int
explain_with(const struct explain_opts *o, const struct ks_common *c,
    char **operands, struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	struct ks_profile *p = ks_profile_new();
	enum ks_dialect dialect;
	unsigned archs = 0;
	struct ks_lint l;
	int rc;

	if (o->arch != NULL && (archs = ks_lint_arch_bit(o->arch)) == 0)
		rc = ks_error(err, KS_EUSAGE, "--arch: '%s' is none of amd64, "
		    "arm64, i386, x86", o->arch);
	else
		rc = ks_rules_dialect(o->dialect, &dialect, err);
	if (rc == KS_OK)
		rc = ks_rules_profile(c, dialect, p, err);
	if (rc == KS_OK) {
		ks_lint_init(&l, p, dialect, o->sysdir != NULL ? o->sysdir :
		    ks_sysdir_of(a, operands[0]));
		rc = ks_lint_set(&l, o->set.v, o->set.n, err);
		if (rc == KS_OK)
			rc = explain(&l, operands[0], archs, operands[1],
			    err);
		ks_lint_free(&l);
	}
	ks_profile_free(p);
	ks_arena_free(a);
	return rc < 0 ? ks_fail(err, rc) : rc;
}

static int
run_explain(int argc, char **argv)
{
	struct explain_opts o = { 0 };
	struct ks_common common;
	struct ks_error err;
	int first, status;

	first = ks_options_parse(&ks_rules_explain, argc, argv, &common, &o,
	    &err);
	if (first == KS_OPTIONS_DONE)
		status = ks_flush_stdout();
	else if (first < 0)
		status = ks_fail(&err, first);
	else if (argc - first != 2)
		status = ks_fail(&err, ks_error(&err, KS_EUSAGE, "name a list "
		    "and an entry (ksimd rules explain --help)"));
	else
		status = explain_with(&o, &common, argv + first, &err);
	ks_vec_free(&o.set);
	ks_common_free(&common);
	return status;
}
