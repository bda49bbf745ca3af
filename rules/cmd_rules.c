/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ksimd rules and ksimd rules make: the command lines.
 *
 * Output is made in memory first: nothing is written to standard output
 * unless all of it can be.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "cmd_rules.h"
#include "make.h"

int
ks_mem_open(struct ks_mem *m, struct ks_error *err)
{
	m->text = NULL;
	m->size = 0;
	m->f = open_memstream(&m->text, &m->size);
	if (m->f == NULL)
		return ks_error(err, KS_EINTERNAL, "out of memory");
	return KS_OK;
}

int
ks_mem_close(struct ks_mem *m, bool print)
{
	int status = KS_EXIT_CLEAN;

	fclose(m->f);
	if (print) {
		fwrite(m->text, 1, m->size, stdout);
		status = ks_flush_stdout();
	}
	free(m->text);
	return status;
}

int
ks_rules_dialect(const char *name, enum ks_dialect *out, struct ks_error *err)
{
	char known[128] = "";
	size_t n = 0;

	*out = KS_FREEBSD_15;
	if (name == NULL || ks_dialect_find(name, out))
		return KS_OK;
	for (int d = 0; d < KS_DIALECT_MAX; d++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s",
		    n > 0 ? ", " : "", ks_dialect_name((enum ks_dialect)d));
	return ks_error(err, KS_EUSAGE, "--dialect: '%s' is none of %s",
	    name, known);
}

int
ks_rules_profile(const struct ks_common *c, enum ks_dialect dialect,
    struct ks_profile *p, struct ks_error *err)
{
	int rc = KS_OK;

	if (c->profiles.n == 0)
		return ks_profile_load(p, KS_DIALECT_LINUX(dialect) ?
		    "linux" : "freebsd", err);
	for (size_t i = 0; rc == KS_OK && i < c->profiles.n; i++)
		rc = ks_profile_load(p, c->profiles.v[i], err);
	return rc;
}

/* --- make ----------------------------------------- */

struct make_opts {
	const char	*dialect;
	const char	*machine;
	const char	*sysdir;
	struct ks_words	 devices;
	struct ks_words	 options;
};

static int	run_make(int argc, char **argv);

static const struct ks_opt make_table[] = {
	{ "device", 'd', KS_OPT_LIST, "NAME",
	    "configure a device (may be repeated)",
	    offsetof(struct make_opts, devices), 0 },
	{ "dialect", 0, KS_OPT_STR, "NAME",
	    "read as freebsd-13, freebsd-14 or freebsd-15 (default) does",
	    offsetof(struct make_opts, dialect), 0 },
	{ "machine", 0, KS_OPT_STR, "NAME",
	    "without lists: read conf/files.NAME (default amd64)",
	    offsetof(struct make_opts, machine), 0 },
	{ "option", 0, KS_OPT_LIST, "NAME[=V]",
	    "configure an option or a cpu type (may be repeated)",
	    offsetof(struct make_opts, options), 0 },
	{ "sysdir", 0, KS_OPT_STR, "DIR",
	    "folder that includes are relative to (default: from the list)",
	    offsetof(struct make_opts, sysdir), 0 },
	{ NULL, 0, 0, NULL, NULL, 0, 0 }
};

static const struct ks_command make_command = {
	.name = "rules make", .operands = "[list ...]",
	.summary = "Prints the makefile lines that config(8) makes of files.* "
	    "lists.",
	.text = "What config(8) drops in silence is a warning on standard "
	    "error.\nExit status 1 where config(8) fails.\n",
	.opts = make_table, .run = run_make,
};

static void
print_remark(void *ctx, enum ks_drop what, const struct ks_list *l,
    const struct ks_fword *at, const char *text)
{
	struct ks_error line;

	(void)what;
	(void)ctx;
	ks_list_error(l, at, &line, "warning: %s", text);
	fprintf(stderr, "%s\n", line.text);
}

/* Word for word, but for bytes that a terminal would obey. */
static void
print_verbatim(const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < ' ' && strchr("\t\n\r", c) == NULL) || c == 0x7f)
			c = '?';
		putc(c, stderr);
	}
	putc('\n', stderr);
}

static int
print_stop(const struct ks_selection *s)
{
	struct ks_error line;

	print_verbatim(s->stop_text);
	if (s->stop_list != NULL) {
		ks_list_error(s->stop_list, s->stop_at, &line, "error: %s",
		    s->stop_reason);
		fprintf(stderr, "%s\n", line.text);
	}
	return KS_EXIT_FINDINGS;
}

static int
make_lists(struct ks_kconf *k, const char *const *lists, size_t n)
{
	const struct ks_remarks r = { print_remark, NULL };
	struct ks_selection s;
	struct ks_error err;
	struct ks_mem out;
	int rc, status;

	rc = ks_select(k, lists, n, &r, &s, &err);
	if (rc == 1)
		status = print_stop(&s);
	else if (rc != KS_OK || (rc = ks_mem_open(&out, &err)) != KS_OK)
		status = ks_fail(&err, rc);
	else {
		ks_make_write(&s, out.f, stderr);
		status = ks_mem_close(&out, true);
	}
	ks_selection_free(&s);
	return status;
}

static int
make_with(const struct make_opts *o, enum ks_dialect dialect, int n,
    char **operands)
{
	struct ks_arena *a = ks_arena_new();
	const char *both[2], *const *lists = (const char *const *)operands;
	const char *sysdir = o->sysdir;
	struct ks_kconf k;
	int status;

	if (sysdir == NULL)
		sysdir = n > 0 ? ks_sysdir_of(a, operands[0]) : ".";
	if (n == 0) {
		const char *dir = strcmp(sysdir, ".") == 0 ? "" :
		    ks_printf(a, "%s/", sysdir);

		both[0] = ks_printf(a, "%sconf/files", dir);
		both[1] = ks_printf(a, "%sconf/files.%s", dir,
		    o->machine != NULL ? o->machine : "amd64");
		lists = both;
		n = 2;
	}
	ks_kconf_init(&k, sysdir, dialect);
	for (size_t i = 0; i < o->devices.n; i++)
		ks_kconf_device(&k, o->devices.v[i]);
	for (size_t i = 0; i < o->options.n; i++)
		ks_kconf_option(&k, o->options.v[i]);
	status = make_lists(&k, lists, (size_t)n);
	ks_kconf_free(&k);
	ks_arena_free(a);
	return status;
}

static int
run_make(int argc, char **argv)
{
	struct make_opts o = { 0 };
	struct ks_common common;
	enum ks_dialect dialect;
	struct ks_error err;
	int first, status, rc;

	first = ks_options_parse(&make_command, argc, argv, &common, &o,
	    &err);
	if (first == KS_OPTIONS_DONE)
		status = ks_flush_stdout();
	else if (first < 0)
		status = ks_fail(&err, first);
	else if ((rc = ks_rules_dialect(o.dialect, &dialect, &err)) != KS_OK)
		status = ks_fail(&err, rc);
	else if (o.machine != NULL && first < argc)
		status = ks_fail(&err, ks_error(&err, KS_EUSAGE,
		    "--machine chooses lists; give it, or lists"));
	else
		status = make_with(&o, dialect, argc - first, argv + first);
	ks_vec_free(&o.devices);
	ks_vec_free(&o.options);
	ks_common_free(&common);
	return status;
}

/* --- the command ----------------------------------------- */

static const struct ks_command *const subcommands[] = {	/* by name */
	&ks_rules_apply, &ks_rules_explain, &ks_rules_generate,
	&ks_rules_lint, &make_command,
};
#define NSUB	(sizeof(subcommands) / sizeof(subcommands[0]))

/* "make" of "rules make" */
static const char *
sub_name(const struct ks_command *c)
{
	return strchr(c->name, ' ') + 1;
}

static void
print_help(FILE *f)
{
	fputs("usage: ksimd rules command [option ...] [operand ...]\n"
	    "Build rules for files that use SIMD.\n\n", f);
	for (size_t i = 0; i < NSUB; i++)
		fprintf(f, "  %-12s %s\n", sub_name(subcommands[i]),
		    subcommands[i]->summary);
	fputs("\n  --help       print this text\n\n"
	    "ksimd rules command --help lists a command's options.\n", f);
}

int
ks_cmd_rules(int argc, char **argv)
{
	struct ks_error err;

	if (argc < 2) {
		print_help(stderr);
		return KS_EXIT_USAGE;
	}
	for (size_t i = 0; i < NSUB; i++)
		if (strcmp(argv[1], sub_name(subcommands[i])) == 0)
			return subcommands[i]->run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return ks_flush_stdout();
	}
	ks_error(&err, KS_EUSAGE, "unknown command 'rules %s' (ksimd rules "
	    "--help lists them)", argv[1]);
	return ks_fail(&err, KS_EUSAGE);
}
