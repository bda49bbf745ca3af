/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makefiles to lines.
 *
 *   1. A backslash at the end of a line joins the next one to it.
 *   2. A line that begins with a tab, behind a rule, is a recipe's.
 *   3. ".if" and its kin (GNU: ifeq, ifdef, ...) are kept on a stack; the
 *      text of all that are open is each line's guard.  "else" negates.
 *   4. Else the first of '=' and ':' outside references tells assignment
 *      from rule; '#' ends it.
 *
 * Nothing is evaluated here.
 */
#include "mkfile.h"

#include <ctype.h>
#include <string.h>

#include "lint.h"

struct reader {
	struct ks_arena	*a;
	const char	*text;
	bool		 gnu;
	struct ks_mkfile *m;
	KS_VEC(const char *) conds;
	bool		 in_rule;
};

/* The bytes I to J, continuations as blanks, without blanks around. */
static const char *
piece(struct reader *r, size_t i, size_t j, uint32_t *off)
{
	char *s;

	while (i < j && isspace((unsigned char)r->text[i]))
		i++;
	while (j > i && isspace((unsigned char)r->text[j - 1]))
		j--;
	*off = (uint32_t)i;
	s = ks_strndup(r->a, r->text + i, j - i);
	for (char *p = s; *p != '\0'; p++)
		if (p[0] == '\\' && p[1] == '\n')
			p[0] = p[1] = ' ';
	return s;
}

/* First byte of SET in I to J outside references. */
static size_t
find(const struct reader *r, size_t i, size_t j, const char *set)
{
	unsigned nest = 0;

	for (; i < j; i++) {
		char c = r->text[i];

		if (c == '$' && i + 1 < j &&
		    (r->text[i + 1] == '{' || r->text[i + 1] == '(')) {
			nest++;
			i++;
		} else if (nest > 0) {
			nest -= c == '}' || c == ')';
		} else if (strchr(set, c) != NULL) {
			return i;
		}
	}
	return j;
}

static bool
word_at(const struct reader *r, size_t i, size_t j, const char *word)
{
	size_t n = strlen(word);

	return j - i >= n && memcmp(r->text + i, word, n) == 0 &&
	    (j - i == n || !isalnum((unsigned char)r->text[i + n]));
}

static const char *
guard(struct reader *r)
{
	const char *s = "";

	for (size_t i = 0; i < r->conds.n; i++)
		s = ks_printf(r->a, "%s%s%s", s, *s != '\0' ? " && " : "",
		    r->conds.v[i]);
	return s;
}

/* A directive at I (behind '.'): true if it is one. */
static bool
directive(struct reader *r, size_t i, size_t j, struct ks_mkline *l)
{
	static const char *const opens[] = {
		"if", "ifdef", "ifndef", "ifmake", "ifnmake", "ifeq", "ifneq",
	};
	uint32_t off;

	for (size_t k = 0; k < sizeof(opens) / sizeof(opens[0]); k++) {
		if (word_at(r, i, j, opens[k])) {
			const char *neg = strstr(opens[k], "ifn") != NULL ?
			    "!" : "";

			*ks_vec_push(&r->conds) = ks_printf(r->a, "%s%s", neg,
			    piece(r, i + strlen(opens[k]), j, &off));
			return true;
		}
	}
	if (word_at(r, i, j, "elif") || word_at(r, i, j, "else")) {
		if (r->conds.n > 0)
			r->conds.v[r->conds.n - 1] = ks_printf(r->a, "!%s %s",
			    r->conds.v[r->conds.n - 1],
			    piece(r, i + 4, j, &off));
		return true;
	}
	if (word_at(r, i, j, "endif")) {
		r->conds.n -= r->conds.n > 0;
		return true;
	}
	if (word_at(r, i, j, "for")) {
		size_t k = i + 3;

		while (k < j && isspace((unsigned char)r->text[k]))
			k++;
		for (i = k; k < j && !isspace((unsigned char)r->text[k]); )
			k++;
		l->kind = KS_MK_FOR;
		l->name = piece(r, i, k, &l->name_off);
		while (k < j && isspace((unsigned char)r->text[k]))
			k++;
		l->value = piece(r, word_at(r, k, j, "in") ? k + 2 : k, j,
		    &l->value_off);
		return true;
	}
	if (word_at(r, i, j, "endfor")) {
		l->kind = KS_MK_ENDFOR;
		return true;
	}
	if (word_at(r, i, j, "include") || word_at(r, i, j, "sinclude") ||
	    word_at(r, i, j, "-include")) {
		l->kind = KS_MK_INCLUDE;
		return true;
	}
	return false;
}

static void
assign_or_rule(struct reader *r, size_t i, size_t j, struct ks_mkline *l)
{
	size_t eq = find(r, i, j, "="), colon = find(r, i, j, ":");

	/* NAME:=value, and NAME != value, NAME += value */
	if (eq < j && (colon > eq || colon + 1 == eq)) {
		size_t end = eq;

		l->kind = KS_MK_ASSIGN;
		l->op = '=';
		if (end > i && strchr("+?:!", r->text[end - 1]) != NULL)
			l->op = r->text[--end];
		l->name = piece(r, i, end, &l->name_off);
		l->value = piece(r, eq + 1, j, &l->value_off);
		r->in_rule = false;
		return;
	}
	if (colon < j) {
		l->kind = KS_MK_RULE;
		l->name = piece(r, i, colon, &l->name_off);
		colon += colon + 1 < j && r->text[colon + 1] == ':';
		l->value = piece(r, colon + 1, j, &l->value_off);
		r->in_rule = true;
		return;
	}
	l->kind = KS_MK_BAD;
	l->name = piece(r, i, j, &l->name_off);
}

static void
read_line(struct reader *r, size_t i, size_t end, struct ks_mkline *l)
{
	size_t j = end, k;
	bool recipe = i < end && r->text[i] == '\t' && r->in_rule;

	if (recipe) {
		for (i++; i < end && strchr("@-+ \t", r->text[i]) != NULL; )
			i++;
		l->kind = KS_MK_RECIPE;
		l->value = piece(r, i, j, &l->value_off);
		return;
	}
	for (k = i; k < end; k++)
		if (r->text[k] == '#' && (k == i || r->text[k - 1] != '\\')) {
			j = k;
			break;
		}
	while (i < j && isspace((unsigned char)r->text[i]))
		i++;
	if (i == j)
		return;
	if (r->text[i] == '.' && !r->gnu) {
		for (k = i + 1; k < j && (r->text[k] == ' ' ||
		    r->text[k] == '\t'); )
			k++;
		if (directive(r, k, j, l))
			return;
	} else if ((r->gnu || word_at(r, i, j, "include")) &&
	    directive(r, i, j, l)) {
		return;
	}
	if (r->gnu && (word_at(r, i, j, "define") ||
	    word_at(r, i, j, "endef") || word_at(r, i, j, "export") ||
	    (r->text[i] == '$' && find(r, i, j, ":=") == j)))
		return;
	if (word_at(r, i, j, "override"))
		i += 8;
	assign_or_rule(r, i, j, l);
}

void
ks_mkfile_parse(struct ks_arena *a, const char *text, size_t size, bool gnu,
    struct ks_mkfile *m)
{
	struct reader r = { .a = a, .text = text, .gnu = gnu, .m = m };
	size_t i = 0, j;

	memset(m, 0, sizeof(*m));
	while (i < size) {
		struct ks_mkline l = { 0 };

		for (j = i; j < size && (text[j] != '\n' ||
		    (j > i && text[j - 1] == '\\')); )
			j++;
		l.begin = (uint32_t)i;
		l.end = (uint32_t)(j < size ? j + 1 : j);
		l.name = l.value = "";
		l.guard = guard(&r);
		read_line(&r, i, j, &l);
		*ks_vec_push(&m->lines) = l;
		i = l.end;
	}
	ks_vec_free(&r.conds);
}

void
ks_mkfile_free(struct ks_mkfile *m)
{
	ks_vec_free(&m->lines);
}

unsigned
ks_mk_guard_archs(const char *guard, bool *guarded)
{
	static const struct { const char *word; unsigned archs; } words[] = {
		{ "amd64", KS_ARCH_AMD64 }, { "x86_64", KS_ARCH_AMD64 },
		{ "X86_64", KS_ARCH_AMD64 }, { "i386", KS_ARCH_I386 },
		{ "aarch64", KS_ARCH_ARM64 }, { "arm64", KS_ARCH_ARM64 },
		{ "ARM64", KS_ARCH_ARM64 }, { "X86", KS_ARCH_X86 },
		{ "x86", KS_ARCH_X86 },
	};
	unsigned archs = 0;

	*guarded = false;
	if (strstr(guard, "MACHINE") == NULL && strstr(guard, "ARCH") == NULL
	    && strstr(guard, "X86") == NULL && strstr(guard, "ARM64") == NULL)
		return 0;
	*guarded = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(guard, words[i].word) != NULL)
			archs |= words[i].archs;
	return strchr(guard, '!') != NULL ? 0 : archs;
}
