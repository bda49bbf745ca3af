/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makefile text from selected files, as config(8) writes it for the
 * %OBJS, %FILES.c, %FILES.s, %FILES.m, %CLEAN, %BEFORE_DEPEND and %RULES
 * lines of its template.  ("+=" for "=": the text is meant to be included.)
 *
 * With F the file's name, T its last component with the last byte changed
 * to 'o', P its obj-prefix, c its last byte, and S "$S/" ("" for a local
 * file), a rule is
 *
 *   F ends in 'o'         PT:                  -cp SF .
 *   no-implicit-rule      PF: dependency       the rule
 *   else                  PT: SF [dependency]  the rule, or ${NORMAL_C}
 *
 * and " SF" is appended to the rule if there is a prefix.  All but the
 * first form end in ${NORMAL_CTFCONVERT} unless no-obj or no-ctfconvert
 * says otherwise.  Local and no-depend files have no rule of their own:
 * config(8) writes ${(null)_C} and goes on.
 *
 * Lists of names are broken near column 72, as config(8) does.
 */
#include "make.h"

#include <ctype.h>
#include <string.h>

#define LINE_MAX_COLS	72

static const char *
value(const struct ks_item *it, enum ks_kw kw)
{
	return it->value[kw] != NULL ? it->value[kw]->text : NULL;
}

static const char *
prefix(const struct ks_item *it)
{
	const char *p = value(it, KS_KW_OBJ_PREFIX);

	return p != NULL ? p : "";
}

static const char *
source_prefix(const struct ks_item *it)
{
	return it->file_type == KS_KW_LOCAL ? "" : "$S/";
}

/* One variable's line. */
struct line {
	FILE	*out;
	size_t	 col;
	const char *blank;	/* what is due before the next word */
};

static void
start(struct line *ln, FILE *out, const char *name)
{
	ln->out = out;
	ln->col = (strlen(name) + 2) / 8 * 8 + 8;
	ln->blank = "\t";
	fprintf(out, "%s+=", name);
}

static void
word(struct line *ln, const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b);

	if (*ln->blank == ' ' && ln->col + n > LINE_MAX_COLS) {
		ln->blank = " \\\n\t";
		ln->col = 8;
	}
	fprintf(ln->out, "%s%s%s", ln->blank, a, b);
	ln->col += n + 1;
	ln->blank = " ";
}

static void
write_objs(const struct ks_selection *s, FILE *out)
{
	struct line ln;

	start(&ln, out, "OBJS");
	for (size_t i = 0; i < s->files.n; i++) {
		const struct ks_item *it = s->files.v[i].item;

		if (!KS_ITEM_HAS(it, NO_OBJ))
			word(&ln, ks_item_object(s->arena, it), "");
	}
	putc('\n', out);
}

/* Is NAME's suffix a dot and C, in either case? */
static bool
has_suffix(const char *name, char c)
{
	size_t n = strlen(name);

	return n >= 2 && name[n - 2] == '.' &&
	    tolower((unsigned char)name[n - 1]) == c;
}

static void
write_files(const struct ks_selection *s, FILE *out, const char *var,
    char suffix, bool even_empty)
{
	struct line ln;
	bool any = even_empty;

	if (any)
		start(&ln, out, var);
	for (size_t i = 0; i < s->files.n; i++) {
		const struct ks_item *it = s->files.v[i].item;
		const char *name = ks_item_name(it)->text;

		if (it->file_type == KS_KW_NO_DEPEND ||
		    !has_suffix(name, suffix))
			continue;
		if (!any)
			start(&ln, out, var);
		any = true;
		word(&ln, source_prefix(it), name);
	}
	if (any)
		putc('\n', out);
}

static void
write_clean(const struct ks_selection *s, FILE *out)
{
	struct line ln;

	start(&ln, out, "CLEAN");
	for (size_t i = 0; i < s->files.n; i++) {
		const char *clean = value(s->files.v[i].item, KS_KW_CLEAN);

		if (clean != NULL)
			word(&ln, clean, "");
	}
	putc('\n', out);
}

static void
write_before_depend(const struct ks_selection *s, FILE *out)
{
	struct line ln;

	start(&ln, out, "BEFORE_DEPEND");
	for (size_t i = 0; i < s->files.n; i++) {
		const struct ks_item *it = s->files.v[i].item;

		if (KS_ITEM_HAS(it, BEFORE_DEPEND))
			word(&ln, KS_ITEM_HAS(it, NO_IMPLICIT_RULE) ? "" :
			    source_prefix(it), ks_item_name(it)->text);
	}
	putc('\n', out);
}

/* The rule of an entry that has none: ${NORMAL_C}. */
static void
default_rule(const struct ks_item *it, FILE *out, FILE *msg)
{
	const char *name = ks_item_name(it)->text;
	size_t n = strlen(name);
	const char *kind = "NORMAL";

	if (it->file_type != KS_KW_NONE) {
		kind = "(null)";
		fprintf(msg, "config: don't know rules for %.*s\n",
		    (int)n - 1, name);
	}
	fprintf(out, "${%s_%c%s}", kind,
	    toupper((unsigned char)name[n - 1]),
	    KS_ITEM_HAS(it, NOWERROR) ? "_NOWERROR" : "");
}

/* "x.o" of "dir/x.c": as ks_item_object, but for a name that ends in '/'. */
static void
write_target(const struct ks_item *it, FILE *out)
{
	const char *name = ks_item_name(it)->text, *tail = name;
	size_t n = strlen(name) - 1;

	for (const char *p = name; p < name + n; p++)
		if (*p == '/')
			tail = p + 1;
	fprintf(out, "%s%.*so:", prefix(it), (int)(name + n - tail), tail);
}

static void
write_rule(const struct ks_item *it, FILE *out, FILE *msg)
{
	const char *name = ks_item_name(it)->text;
	const char *rule = value(it, KS_KW_COMPILE_WITH);
	const char *depend = value(it, KS_KW_DEPENDENCY);

	if (KS_ITEM_HAS(it, NO_IMPLICIT_RULE)) {
		fprintf(out, "%s%s: %s\n", prefix(it), name,
		    depend != NULL ? depend : "");
	} else if (name[strlen(name) - 1] == 'o') {
		write_target(it, out);
		fprintf(out, "\n\t-cp %s%s .\n", source_prefix(it), name);
		return;
	} else {
		write_target(it, out);
		fprintf(out, " %s%s%s%s\n", source_prefix(it), name,
		    depend != NULL ? " " : "", depend != NULL ? depend : "");
	}
	putc('\t', out);
	if (rule != NULL)
		fputs(rule, out);
	else
		default_rule(it, out, msg);
	if (*prefix(it) != '\0')
		fprintf(out, " %s%s", source_prefix(it), name);
	putc('\n', out);
	if (!KS_ITEM_HAS(it, NO_OBJ) && !KS_ITEM_HAS(it, NO_CTFCONVERT))
		fputs("\t${NORMAL_CTFCONVERT}\n", out);
}

void
ks_make_write(const struct ks_selection *s, FILE *out, FILE *msg)
{
	write_objs(s, out);
	write_files(s, out, "CFILES", 'c', true);
	write_files(s, out, "SFILES", 's', true);
	write_files(s, out, "MFILES", 'm', false);
	write_clean(s, out);
	write_before_depend(s, out);
	for (size_t i = 0; i < s->files.n; i++) {
		const struct ks_item *it = s->files.v[i].item;
		const char *warning = value(it, KS_KW_WARNING);

		if (warning != NULL)
			fprintf(msg, "WARNING: %s\n", warning);
		putc('\n', out);
		write_rule(it, out, msg);
	}
}
