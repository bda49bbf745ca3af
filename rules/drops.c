/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What config(8) loses in silence.  A word it does not know is the name of
 * a device that nobody configured, so a slip makes the condition false and
 * the entry vanishes; there is no message, and the kernel links without the
 * file until something needs it.
 *
 *   1. A last line without a newline, and what a comment's backslash joins
 *      to it.
 *   2. Names that no device has: '|', '!', '#', quotes or control bytes in
 *      them; words that once were keywords, or are another system's; words
 *      that are nearly keywords.
 *   3. '!' that negates nothing, or not what it stands before.
 *   4. Keywords without effect: a second one of its kind, 'nowerror' beside
 *      'compile-with', and every rule of a '.o' that lacks
 *      'no-implicit-rule'.
 *   5. Words behind the name of an include.
 *   6. 13 and older: words and texts too long for config(8)'s buffers.
 *
 * Limit: a name that is well spelt and configured nowhere is not told from
 * one that another kernel configuration has.
 */
#include "drops.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX_13	79	/* bytes config(8) of 13 and older can hold */
#define QUOTED_MAX_13	255

void
ks_remark(const struct ks_remarks *r, enum ks_drop what,
    const struct ks_list *l, const struct ks_fword *at, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	r->emit(r->ctx, what, l, at, text);
}

/* Keywords of other times and systems, and what to say of them. */
static const struct {
	const char	*word;
	const char	*whose;
} foreign[] = {
	{ "config-dependent", "was a keyword before FreeBSD 5" },
	{ "device-driver", "was a keyword before FreeBSD 5" },
	{ "lint-with", "is OpenBSD's" },
	{ "mandatory", "was a keyword before FreeBSD 5" },
	{ "needs-count", "is NetBSD's and OpenBSD's" },
	{ "needs-flag", "is NetBSD's and OpenBSD's" },
	{ "no-ctfconvert", "is a keyword from FreeBSD 14 on" },
	{ "nonoptional", "is DragonFly's" },
	{ "optional", "belongs behind the file's name" },
	{ "optimize", "is ksimd's, known in files.simd only" },
	{ "profiling-routine", "was a keyword up to FreeBSD 13" },
	{ "simd", "is ksimd's, known in files.simd only" },
	{ "standard", "belongs behind the file's name" },
};

/*
 * Edits (insert, delete, change, swap of neighbours) from A to B, at most
 * MAX + 1.
 */
static unsigned
edits(const char *a, const char *b, unsigned max)
{
	unsigned row[3][32], *prev2 = row[0], *prev = row[1], *cur = row[2];
	size_t na = strlen(a), nb = strlen(b);

	if (nb >= 32 || na > nb + max || nb > na + max)
		return max + 1;
	for (size_t j = 0; j <= nb; j++)
		prev[j] = (unsigned)j;
	memset(prev2, 0, sizeof(row[0]));
	for (size_t i = 1; i <= na; i++) {
		unsigned *t;

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned d = prev[j - 1] + (a[i - 1] != b[j - 1]);

			if (prev[j] + 1 < d)
				d = prev[j] + 1;
			if (cur[j - 1] + 1 < d)
				d = cur[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && prev2[j - 2] + 1 < d)
				d = prev2[j - 2] + 1;
			cur[j] = d;
		}
		t = prev2;
		prev2 = prev;
		prev = cur;
		cur = t;
	}
	return prev[nb] > max ? max + 1 : prev[nb];
}

/* The keyword that WORD nearly is, or NULL. */
static const char *
near_keyword(const struct ks_list *l, const char *word)
{
	for (int i = 0; i < KS_KW_MAX; i++) {
		const struct ks_keyword *k = &ks_keywords[i];
		size_t n = strlen(k->word);
		unsigned max = n >= 8 ? 2 : n >= 6 ? 1 : 0;

		if ((k->dialects >> l->dialect & 1) != 0 &&
		    (!k->simd || l->simd) && max > 0 &&
		    edits(word, k->word, max) <= max)
			return k->word;
	}
	return NULL;
}

static bool
has_control(const char *s)
{
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return true;
	return false;
}

/* A condition that no device can meet. */
static void
drop_cond(const struct ks_list *l, const struct ks_fword *w,
    const struct ks_remarks *r)
{
	const char *s = w->text, *near;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (strcmp(foreign[i].word, s) == 0) {
			ks_remark(r, KS_DROP_KEYWORD, l, w, "'%s' %s; here it is the name of "
			    "a device", s, foreign[i].whose);
			return;
		}
	}
	if (*s == '#')
		ks_remark(r, KS_DROP_COMMENT, l, w, "'#' begins a comment only as the first "
		    "word of a line; here it is the name of a device");
	else if (has_control(s))
		ks_remark(r, KS_DROP_LINE, l, w, "%s is the name of a device here",
		    *s == '\r' ? "a carriage return" : "a control byte");
	else if (*s == '"' || *s == '\'')
		ks_remark(r, KS_DROP_OPERATOR, l, w, "quoted text without a keyword before it "
		    "is the name of a device");
	else if (strchr(s, '|') != NULL)
		ks_remark(r, KS_DROP_OPERATOR, l, w, "'%s' is one name: '|' needs blanks on "
		    "both sides", s);
	else if (strchr(s, '!') != NULL)
		ks_remark(r, KS_DROP_OPERATOR, l, w, "'%s' is one name: '!' needs a blank "
		    "before it", s);
	else if ((near = near_keyword(l, s)) != NULL)
		ks_remark(r, KS_DROP_KEYWORD, l, w, "'%s' is the name of a device; did you "
		    "mean '%s'?", s, near);
}

/* I is the index of a '!'. */
static void
drop_not(const struct ks_list *l, const struct ks_item *it, size_t i,
    const struct ks_remarks *r)
{
	size_t j = i + 1;

	while (j < it->n && it->words[j].kind != KS_FW_COND)
		j++;
	if (j == it->n)
		ks_remark(r, KS_DROP_OTHER, l, &it->words[i], "'!' negates nothing: no name "
		    "follows");
	else if (it->words[i + 1].kind == KS_FW_NOT)
		ks_remark(r, KS_DROP_OTHER, l, &it->words[i], "'!!' is the same as '!'");
	else if (j > i + 1)
		ks_remark(r, KS_DROP_OTHER, l, &it->words[i], "'!' does not negate '%s': it "
		    "negates the next name, '%s'", it->words[i + 1].text,
		    it->words[j].text);
}

static void
drop_key(const struct ks_list *l, const struct ks_item *it,
    const struct ks_fword *w, const struct ks_remarks *r)
{
	const char *name = ks_item_name(it)->text;
	size_t n = strlen(name);
	bool copied = n > 0 && name[n - 1] == 'o' &&
	    !KS_ITEM_HAS(it, NO_IMPLICIT_RULE);

	/* The value is the word behind its key. */
	if (w->kind == KS_FW_KEY && it->value[w->kw] != w + 1)
		ks_remark(r, KS_DROP_OTHER, l, w, "a later '%s' replaces this one", w->text);
	else if (copied && (w->kw == KS_KW_COMPILE_WITH ||
	    w->kw == KS_KW_DEPENDENCY))
		ks_remark(r, KS_DROP_COPIED, l, w, "'%s' has no effect: without "
		    "'no-implicit-rule' config(8) copies '%s' from the "
		    "source tree", w->text, name);
	else if (w->kw == KS_KW_NOWERROR &&
	    it->value[KS_KW_COMPILE_WITH] != NULL)
		ks_remark(r, KS_DROP_OTHER, l, w, "'nowerror' has no effect beside "
		    "'compile-with'");
}

static void
drop_long(const struct ks_list *l, const struct ks_fword *w,
    const struct ks_remarks *r)
{
	size_t n = strlen(w->text);
	size_t max = w->kind == KS_FW_VALUE ? QUOTED_MAX_13 : WORD_MAX_13;

	if (l->dialect == KS_FREEBSD_13 && n > max)
		ks_remark(r, KS_DROP_LONG, l, w, "%zu bytes overflow the buffer of "
		    "config(8), which holds %zu", n, max);
}

static void
drop_word(const struct ks_list *l, const struct ks_item *it, size_t i,
    bool known, const struct ks_remarks *r)
{
	const struct ks_fword *w = &it->words[i];

	switch (w->kind) {
	case KS_FW_NAME:
		if (has_control(w->text))
			ks_remark(r, KS_DROP_LINE, l, w, "a control byte is part of the "
			    "file's name");
		else if (*w->text == '"' || *w->text == '\'')
			ks_remark(r, KS_DROP_OTHER, l, w, "the quote is part of the file's "
			    "name");
		break;
	case KS_FW_COND:
		if (!known)
			drop_cond(l, w, r);
		break;
	case KS_FW_NOT:
		drop_not(l, it, i, r);
		break;
	case KS_FW_KEY:
	case KS_FW_FLAG:
		drop_key(l, it, w, r);
		break;
	default:
		break;
	}
	drop_long(l, w, r);
}

static void
drop_comment(const struct ks_list *l, const struct ks_item *it,
    const struct ks_remarks *r)
{
	for (size_t i = 1; i < it->n; i++) {
		const struct ks_fword *w = &it->words[i];

		if (w->line == w[-1].line)
			continue;
		ks_remark(r, KS_DROP_COMMENT, l, w, "this line is part of the comment above, "
		    "which ends in a backslash");
	}
}

void
ks_item_drops(const struct ks_list *l, const struct ks_item *it,
    bool (*known)(void *ctx, const char *name), void *known_ctx,
    const struct ks_remarks *r)
{
	switch (it->kind) {
	case KS_ITEM_BLANK:
		break;
	case KS_ITEM_COMMENT:
		drop_comment(l, it, r);
		break;
	case KS_ITEM_INCLUDE:
		if (it->stop == KS_STOP_NONE && it->n > 2)
			ks_remark(r, KS_DROP_OTHER, l, &it->words[2],
			    "what follows the name of an include is ignored");
		break;
	case KS_ITEM_LOST:
		ks_remark(r, KS_DROP_LINE, l, ks_item_name(it), "'%s' is dropped: no "
		    "newline at the end of the file", ks_item_name(it)->text);
		break;
	case KS_ITEM_ENTRY:
		for (size_t i = 0; i < it->n; i++)
			drop_word(l, it, i, known != NULL &&
			    known(known_ctx, it->words[i].text), r);
		break;
	}
}
