/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Command lines: one sorted table that parses and that prints --help.
 *
 *   1. A command's own options and the shared ones it asks for become one
 *      table, sorted by name.
 *   2. getopt_long(3) gets an entry for each; its value is 256 + the index in
 *      that table, or the letter.
 *   3. Values go where the entry says, by its kind.
 */
#include "ks/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_VALUE	256	/* above every letter */

static const struct ks_opt shared[] = {
	{ "advice", 0, KS_OPT_FLAG, NULL, "report advice, too, as warnings",
	    offsetof(struct ks_common, report.advice), KS_OPTS_REPORT },
	{ "all", 0, KS_OPT_FLAG, NULL,
	    "text: print more than 2 findings per function and id",
	    offsetof(struct ks_common, report.all), KS_OPTS_REPORT },
	{ "assumptions", 0, KS_OPT_FLAG, NULL,
	    "list the assumptions of the verdict",
	    offsetof(struct ks_common, assumptions), KS_OPTS_SOLVE },
	{ "baseline", 0, KS_OPT_STR, "FILE",
	    "hide findings whose fingerprint FILE lists",
	    offsetof(struct ks_common, report.baseline), KS_OPTS_REPORT },
	{ "closed", 0, KS_OPT_FLAG, NULL,
	    "the inputs are the whole program",
	    offsetof(struct ks_common, closed), KS_OPTS_SOLVE },
	{ "contract", 0, KS_OPT_LIST, "FILE",
	    "read a contract (may be repeated)",
	    offsetof(struct ks_common, contracts), KS_OPTS_SOLVE },
	{ "fail-on", 0, KS_OPT_SEVERITY, "SEVERITY",
	    "exit 1 from error, warning (default) or note on",
	    offsetof(struct ks_common, report.fail_on), KS_OPTS_REPORT },
	{ "format", 0, KS_OPT_FORMAT, "FORMAT",
	    "text (default), json, sarif or html",
	    offsetof(struct ks_common, report.format), KS_OPTS_REPORT },
	{ "output", 'o', KS_OPT_STR, "FILE",
	    "write findings to FILE (-: standard output)",
	    offsetof(struct ks_common, report.output), KS_OPTS_REPORT },
	{ "profile", 0, KS_OPT_LIST, "NAME",
	    "the kernel, or a .prof file (may be repeated)",
	    offsetof(struct ks_common, profiles), KS_OPTS_PROFILE },
	{ "write-baseline", 0, KS_OPT_STR, "FILE",
	    "write a baseline of all findings, and hide them",
	    offsetof(struct ks_common, write_baseline), KS_OPTS_REPORT },
};

static const struct ks_opt help_opt =
	{ "help", 'h', KS_OPT_FLAG, NULL, "print this text", 0, 0 };

struct entry {
	const struct ks_opt *opt;
	void	*base;		/* what opt->off is in */
};

struct table {
	KS_VEC(struct entry) v;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->opt->name,
	    ((const struct entry *)b)->opt->name);
}

static void
table_make(struct table *t, const struct ks_command *c,
    struct ks_common *common, void *own)
{
	const struct ks_opt *o;

	for (o = c->opts; o != NULL && o->name != NULL; o++)
		*ks_vec_push(&t->v) = (struct entry){ o, own };
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if ((shared[i].group & c->groups) != 0)
			*ks_vec_push(&t->v) =
			    (struct entry){ &shared[i], common };
	*ks_vec_push(&t->v) = (struct entry){ &help_opt, NULL };
	qsort(t->v.v, t->v.n, sizeof(t->v.v[0]), by_name);
}

/* "-o, --output FILE" */
static void
option_label(const struct ks_opt *o, char *buf, size_t size)
{
	char letter[8] = "    ";

	if (o->letter != 0)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(buf, size, "%s--%s%s%s", letter, o->name,
	    o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
}

static void
print_help(const struct table *t, const struct ks_command *c)
{
	char label[64];

	printf("usage: ksimd %s [option ...]%s%s\n%s\n", c->name,
	    c->operands[0] != '\0' ? " " : "", c->operands, c->summary);
	if (c->text != NULL)
		printf("\n%s", c->text);
	printf("\n");
	for (size_t i = 0; i < t->v.n; i++) {
		option_label(t->v.v[i].opt, label, sizeof(label));
		printf("  %-28s %s\n", label, t->v.v[i].opt->help);
	}
}

/* --- values ------------------------------------------------------------- */

static int
find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(word, words[i]) == 0)
			return i;
	return -1;
}

static bool
parse_num(const char *s, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *digits = hex ? s + 2 : s;
	uint64_t v = 0, base = hex ? 16 : 10;

	if (*digits == '\0')
		return false;
	for (; *digits != '\0'; digits++) {
		unsigned char c = (unsigned char)*digits;
		uint64_t d;

		if (hex ? !isxdigit(c) : !isdigit(c))
			return false;
		d = isdigit(c) ? c - (uint64_t)'0' :
		    (uint64_t)tolower(c) - 'a' + 10;
		if (v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*out = v;
	return true;
}

static int
set_value(const struct entry *e, const char *arg, struct ks_error *err)
{
	static const char *const severities[] = {
		"note", "warning", "error", NULL };
	static const char *const formats[] = {
		"text", "json", "sarif", "html", NULL };
	const struct ks_opt *o = e->opt;
	void *field = (char *)e->base + o->off;
	int i;

	switch (o->kind) {
	case KS_OPT_FLAG:
		*(bool *)field = true;
		return KS_OK;
	case KS_OPT_STR:
		*(const char **)field = arg;
		return KS_OK;
	case KS_OPT_LIST:
		*ks_vec_push((struct ks_words *)field) = arg;
		return KS_OK;
	case KS_OPT_NUM:
		if (!parse_num(arg, field))
			return ks_error(err, KS_EUSAGE,
			    "--%s: '%s' is no number", o->name, arg);
		return KS_OK;
	case KS_OPT_SEVERITY:
		if ((i = find_word(arg, severities)) < 0)
			return ks_error(err, KS_EUSAGE, "--%s: '%s' is none of "
			    "error, warning, note", o->name, arg);
		*(enum ks_severity *)field = (enum ks_severity)i;
		return KS_OK;
	case KS_OPT_FORMAT:
		if ((i = find_word(arg, formats)) < 0)
			return ks_error(err, KS_EUSAGE, "--%s: '%s' is none of "
			    "text, json, sarif, html", o->name, arg);
		*(enum ks_format *)field = (enum ks_format)i;
		return KS_OK;
	}
	return ks_error(err, KS_EINTERNAL, "--%s: unknown kind", o->name);
}

/* --- parsing ------------------------------------------------------------ */

struct getopt_form {
	struct option *longs;
	char	*shorts;
};

static void
getopt_make(const struct table *t, bool operand_ends, struct getopt_form *g)
{
	char *p;

	g->longs = ks_xmalloc((t->v.n + 1) * sizeof(*g->longs));
	memset(g->longs, 0, (t->v.n + 1) * sizeof(*g->longs));
	p = g->shorts = ks_xmalloc(2 * t->v.n + 3);
	if (operand_ends)
		*p++ = '+';
	*p++ = ':';		/* tells a missing argument apart */
	for (size_t i = 0; i < t->v.n; i++) {
		const struct ks_opt *o = t->v.v[i].opt;

		g->longs[i].name = o->name;
		g->longs[i].has_arg = o->arg != NULL ?
		    required_argument : no_argument;
		g->longs[i].val = LONG_VALUE + (int)i;
		if (o->letter != 0) {
			*p++ = o->letter;
			if (o->arg != NULL)
				*p++ = ':';
		}
	}
	*p = '\0';
}

static const struct entry *
find_entry(const struct table *t, int value)
{
	if (value >= LONG_VALUE)
		return &t->v.v[value - LONG_VALUE];
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i].opt->letter == value)
			return &t->v.v[i];
	return NULL;
}

static int
parse_all(const struct table *t, const struct getopt_form *g,
    const struct ks_command *c, int argc, char **argv, struct ks_error *err)
{
	const struct entry *e;
	int value, rc;

	opterr = 0;
	optind = 1;
	while ((value = getopt_long(argc, argv, g->shorts, g->longs,
	    NULL)) != -1) {
		if (value == ':')
			return ks_error(err, KS_EUSAGE,
			    "option '%s' needs an argument",
			    argv[optind - 1]);
		e = value == '?' ? NULL : find_entry(t, value);
		if (e == NULL && optopt > 0 && optopt < LONG_VALUE)
			return ks_error(err, KS_EUSAGE, "unknown option '-%c' "
			    "(ksimd %s --help lists them)", optopt, c->name);
		if (e == NULL)
			return ks_error(err, KS_EUSAGE, "wrong option '%s' "
			    "(ksimd %s --help lists them)", argv[optind - 1],
			    c->name);
		if (e->opt == &help_opt) {
			print_help(t, c);
			return KS_OPTIONS_DONE;
		}
		if ((rc = set_value(e, optarg, err)) != KS_OK)
			return rc;
	}
	return optind;
}

static void
common_defaults(struct ks_common *c)
{
	const char *profile = getenv("KSIMD_PROFILE");
	const char *no_color = getenv("NO_COLOR");

	memset(c, 0, sizeof(*c));
	c->report.fail_on = KS_SEV_WARNING;
	c->report.color = isatty(STDOUT_FILENO) &&
	    (no_color == NULL || no_color[0] == '\0');
	c->default_profile = profile != NULL && profile[0] != '\0' ?
	    profile : NULL;
}

int
ks_options_parse(const struct ks_command *c, int argc, char **argv,
    struct ks_common *common, void *own, struct ks_error *err)
{
	struct table t = { 0 };
	struct getopt_form g;
	int rc;

	common_defaults(common);
	table_make(&t, c, common, own);
	getopt_make(&t, c->operand_ends, &g);
	rc = parse_all(&t, &g, c, argc, argv, err);
	free(g.longs);
	free(g.shorts);
	ks_vec_free(&t.v);
	if (rc > 0 && common->report.output != NULL &&
	    strcmp(common->report.output, "-") != 0)
		common->report.color = false;
	if (rc > 0 && common->profiles.n == 0 &&
	    common->default_profile != NULL)
		*ks_vec_push(&common->profiles) = common->default_profile;
	return rc;
}

void
ks_common_free(struct ks_common *c)
{
	ks_vec_free(&c->profiles);
	ks_vec_free(&c->contracts);
}

char *
ks_command_line(int argc, char **argv)
{
	size_t n = sizeof("ksimd");
	char *line, *p;

	for (int i = 0; i < argc; i++)
		n += 1 + strlen(argv[i]);
	p = line = ks_xmalloc(n);
	p = stpcpy(p, "ksimd");
	for (int i = 0; i < argc; i++) {
		*p++ = ' ';
		p = stpcpy(p, argv[i]);
	}
	return line;
}
