/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The grammar of files.* lists: words to items.
 *
 * For each logical line:
 *   1. No word: blank.  A first word that begins with '#': a comment up to
 *      the end of the logical line (a comment whose last word is a lone
 *      backslash takes the next line with it).
 *   2. "include": its name may be quoted; what follows is ignored.
 *   3. Else an entry: name, type, then keywords, with or without a value,
 *      and names.
 *   4. The end of the file inside an entry makes it KS_ITEM_LOST, unless a
 *      value was due: that is an error of config(8)'s.
 *   5. At the first thing that stops config(8) the item records its message;
 *      parsing goes on behind the logical line, so that one run can tell of
 *      all faults.  What config(8) would make of the rest is unknown.
 *
 * Whether an optional entry has a name in its last arm is checked by
 * config(8) only if it selects the entry: see select.c.
 *
 * Invariant: the items' byte ranges follow each other without gap or
 * overlap from 0 to the size, so printing a list is writing its text.
 */
#include "list.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define D13		(1U << KS_FREEBSD_13)
#define D14		(1U << KS_FREEBSD_14)
#define D15		(1U << KS_FREEBSD_15)
#define ALL		(~0U)

const struct ks_keyword ks_keywords[KS_KW_MAX] = {
	[KS_KW_BEFORE_DEPEND] = { "before-depend", NULL, ALL, false },
	[KS_KW_CLEAN] = { "clean", "clean file list", ALL, false },
	[KS_KW_COMPILE_WITH] =
	    { "compile-with", "compile command string", ALL, false },
	[KS_KW_DEPENDENCY] =
	    { "dependency", "dependency string", ALL, false },
	[KS_KW_LOCAL] = { "local", NULL, ALL, false },
	[KS_KW_NO_CTFCONVERT] = { "no-ctfconvert", NULL, D14 | D15, false },
	[KS_KW_NO_DEPEND] = { "no-depend", NULL, ALL, false },
	[KS_KW_NO_IMPLICIT_RULE] = { "no-implicit-rule", NULL, ALL, false },
	[KS_KW_NO_OBJ] = { "no-obj", NULL, ALL, false },
	[KS_KW_NOWERROR] = { "nowerror", NULL, ALL, false },
	[KS_KW_OBJ_PREFIX] =
	    { "obj-prefix", "object prefix string", ALL, false },
	[KS_KW_OPTIMIZE] = { "optimize", "optimisation level", ALL, true },
	[KS_KW_PROFILING_ROUTINE] =
	    { "profiling-routine", NULL, D13, false },
	[KS_KW_SIMD] = { "simd", "list of instruction sets", ALL, true },
	[KS_KW_WARNING] = { "warning", "warning text string", ALL, false },
};

static const char *const dialects[KS_DIALECT_MAX] = {
	[KS_FREEBSD_13] = "freebsd-13",
	[KS_FREEBSD_14] = "freebsd-14",
	[KS_FREEBSD_15] = "freebsd-15",
	[KS_LINUX_6_1] = "linux-6.1",
	[KS_LINUX_6_10] = "linux-6.10",
};

const char *
ks_dialect_name(enum ks_dialect d)
{
	return (unsigned)d < KS_DIALECT_MAX ? dialects[d] : "?";
}

bool
ks_dialect_find(const char *name, enum ks_dialect *out)
{
	for (int d = 0; d < KS_DIALECT_MAX; d++) {
		if (strcmp(dialects[d], name) == 0) {
			*out = (enum ks_dialect)d;
			return true;
		}
	}
	return false;
}

struct parser {
	struct ks_list	*l;
	struct ks_scan	 scan;
	struct ks_item	 item;		/* the one being read */
	KS_VEC(struct ks_fword) words;	/* of it */
	size_t		 stop_word;	/* index of stop_at */
	bool		 eof;		/* the last word met the end */
};

/* Reads the next word of the item; false at the end of line or file. */
static bool
next(struct parser *p, bool quoted, enum ks_fword_kind kind)
{
	struct ks_fword w;

	switch (ks_scan_word(&p->scan, quoted, &w)) {
	case KS_SCAN_EOL:
		return false;
	case KS_SCAN_EOF:
		p->eof = true;
		if (w.len > 0) {
			w.kind = KS_FW_CUT;
			*ks_vec_push(&p->words) = w;
		}
		return false;
	case KS_SCAN_QUOTE:
		w.kind = kind;
		*ks_vec_push(&p->words) = w;
		p->item.stop = KS_STOP_MISSING_QUOTE;
		p->item.stop_text = ks_printf(p->l->arena,
		    "config: missing quote reading `%s'", w.text);
		p->stop_word = p->words.n - 1;
		return false;
	case KS_SCAN_WORD:
		break;
	}
	w.kind = kind;
	*ks_vec_push(&p->words) = w;
	return true;
}

static struct ks_fword *
last(struct parser *p)
{
	return &p->words.v[p->words.n - 1];
}

/* Records a stop at word AT, and skips the rest of the logical line. */
static void
stop(struct parser *p, enum ks_stop stop, size_t at, const char *text)
{
	p->item.stop = stop;
	p->item.stop_text = text;
	p->stop_word = at;
}

static void
skip_line(struct parser *p)
{
	while (next(p, false, KS_FW_IGNORED))
		;
}

static enum ks_kw
find_keyword(const struct ks_list *l, const char *word)
{
	for (int i = 0; i < KS_KW_MAX; i++) {
		const struct ks_keyword *k = &ks_keywords[i];

		if ((k->dialects >> l->dialect & 1) != 0 &&
		    (!k->simd || l->simd) && strcmp(k->word, word) == 0)
			return (enum ks_kw)i;
	}
	return KS_KW_NONE;
}

/* What is known of an entry's conditions while it is read. */
struct arm {
	size_t	nreqs;		/* names since the last '|' */
	bool	has_rule;	/* compile-with was seen */
};

static void
read_keyword(struct parser *p, struct arm *arm, enum ks_kw kw)
{
	const struct ks_keyword *k = &ks_keywords[kw];
	const char *name = p->words.v[0].text;
	size_t at = p->words.n - 1;

	last(p)->kw = kw;
	if (k->missing == NULL) {
		last(p)->kind = KS_FW_FLAG;
		p->item.flags |= 1U << kw;
		if (kw == KS_KW_NO_IMPLICIT_RULE && !arm->has_rule)
			stop(p, KS_STOP_NO_RULE, at, ks_printf(p->l->arena,
			    "%s: alternate rule required when "
			    "\"no-implicit-rule\" is specified for %s.",
			    p->l->config_path, name));
		/* Counted as a name, though it is none. */
		if (kw == KS_KW_PROFILING_ROUTINE)
			arm->nreqs++;
		if (kw == KS_KW_PROFILING_ROUTINE || kw == KS_KW_LOCAL ||
		    kw == KS_KW_NO_DEPEND)
			p->item.file_type = kw;
		return;
	}
	last(p)->kind = KS_FW_KEY;
	if (next(p, true, KS_FW_VALUE)) {
		last(p)->kw = kw;
		arm->has_rule |= kw == KS_KW_COMPILE_WITH;
	} else if (p->item.stop == KS_STOP_NONE) {
		stop(p, p->eof ? KS_STOP_CUT : KS_STOP_MISSING_VALUE, at,
		    ks_printf(p->l->arena, "%s: %s missing %s.",
		    p->l->config_path, name, k->missing));
	}
}

static void
read_cond(struct parser *p, struct arm *arm)
{
	arm->nreqs++;
	if (p->item.standard)
		stop(p, KS_STOP_STANDARD_COND, p->words.n - 1,
		    ks_printf(p->l->arena, "standard entry %s has optional "
		    "inclusion specifier %s!", p->words.v[0].text,
		    last(p)->text));
}

/* The words behind the type. */
static void
read_conditions(struct parser *p)
{
	struct arm arm = { 0 };
	enum ks_kw kw;

	while (p->item.stop == KS_STOP_NONE &&
	    next(p, false, KS_FW_COND)) {
		const char *word = last(p)->text;

		if (strcmp(word, "!") == 0) {
			last(p)->kind = KS_FW_NOT;
		} else if (strcmp(word, "|") == 0) {
			last(p)->kind = KS_FW_OR;
			if (arm.nreqs == 0)
				stop(p, KS_STOP_EMPTY_ARM, p->words.n - 1,
				    ks_printf(p->l->arena,
				    "%s: syntax error describing %s",
				    p->l->config_path, p->words.v[0].text));
			arm.nreqs = 0;
		} else if ((kw = find_keyword(p->l, word)) != KS_KW_NONE) {
			read_keyword(p, &arm, kw);
		} else {
			read_cond(p, &arm);
		}
	}
}

static void
read_entry(struct parser *p)
{
	const char *type;

	p->item.kind = KS_ITEM_ENTRY;
	last(p)->kind = KS_FW_NAME;
	if (!next(p, false, KS_FW_TYPE)) {
		if (!p->eof)
			stop(p, KS_STOP_NO_TYPE, 0, ks_printf(p->l->arena,
			    "%s: No type for %s.", p->l->config_path,
			    p->words.v[0].text));
		return;
	}
	type = last(p)->text;
	p->item.standard = strcmp(type, "standard") == 0;
	if (!p->item.standard && strcmp(type, "optional") != 0)
		stop(p, KS_STOP_BAD_TYPE, 1, ks_printf(p->l->arena,
		    "%s: \"%s\" %s must be optional or standard",
		    p->l->config_path, type, p->words.v[0].text));
	read_conditions(p);
}

static void
read_include(struct parser *p)
{
	p->item.kind = KS_ITEM_INCLUDE;
	last(p)->kind = KS_FW_INCLUDE;
	if (next(p, true, KS_FW_VALUE))
		skip_line(p);
	else if (p->item.stop == KS_STOP_NONE)
		stop(p, p->eof ? KS_STOP_CUT : KS_STOP_MISSING_INCLUDE, 0,
		    ks_printf(p->l->arena, "%s: missing include filename.",
		    p->l->config_path));
}

/* Moves the words of the item that was read into the list. */
static void
finish_item(struct parser *p)
{
	struct ks_item *it = &p->item;
	size_t n = p->words.n;

	it->end = p->scan.pos;
	it->n = n;
	it->words = KS_NEWN(p->l->arena, struct ks_fword, n);
	if (n > 0)
		memcpy(it->words, p->words.v, n * sizeof(*it->words));
	if (it->stop != KS_STOP_NONE)
		it->stop_at = &it->words[p->stop_word];
	for (size_t i = 0; i < n; i++)
		if (it->words[i].kind == KS_FW_VALUE &&
		    it->words[i].kw != KS_KW_NONE)
			it->value[it->words[i].kw] = &it->words[i];
	*ks_vec_push(&p->l->items) = *it;
}

/* Does it show at the end of the line only? */
static bool
at_line_end(enum ks_stop stop)
{
	return stop == KS_STOP_NO_TYPE || stop == KS_STOP_MISSING_VALUE ||
	    stop == KS_STOP_MISSING_INCLUDE ||
	    stop == KS_STOP_MISSING_QUOTE || stop == KS_STOP_CUT;
}

static void
read_item(struct parser *p)
{
	memset(&p->item, 0, sizeof(p->item));
	p->item.begin = p->scan.pos;
	p->item.file_type = KS_KW_NONE;
	p->words.n = 0;
	p->eof = false;
	if (!next(p, false, KS_FW_IGNORED)) {
		if (p->words.n > 0)
			p->item.kind = *last(p)->text == '#' ?
			    KS_ITEM_COMMENT : KS_ITEM_LOST;
	} else if (*last(p)->text == '#') {
		p->item.kind = KS_ITEM_COMMENT;
		skip_line(p);
	} else if (strcmp(last(p)->text, "include") == 0) {
		read_include(p);
	} else {
		read_entry(p);
		if (p->eof && p->item.stop == KS_STOP_NONE)
			p->item.kind = KS_ITEM_LOST;
	}
	if (p->item.stop != KS_STOP_NONE && !at_line_end(p->item.stop))
		skip_line(p);
	finish_item(p);
}

/* A NUL ends a word's text early in config(8), which is nobody's intent. */
static int
check_text(const char *path, const char *text, size_t size,
    struct ks_error *err)
{
	const char *nul, *nl, *start = text;
	unsigned line = 1;

	if (size >= UINT32_MAX)
		return ks_error(err, KS_ENOTSUP, "%s: is too large", path);
	nul = size > 0 ? memchr(text, '\0', size) : NULL;
	if (nul == NULL)
		return KS_OK;
	while ((nl = memchr(start, '\n', (size_t)(nul - start))) != NULL) {
		start = nl + 1;
		line++;
	}
	return ks_error(err, KS_EPARSE, "%s:%u:%zu: NUL byte in a text file",
	    path, line, (size_t)(nul - start) + 1);
}

int
ks_list_parse(const char *path, const char *config_path, const char *text,
    size_t size, enum ks_dialect dialect, bool simd, struct ks_list **out,
    struct ks_error *err)
{
	struct parser p = { 0 };
	struct ks_list *l;
	int rc;

	*out = NULL;
	rc = check_text(path, text, size, err);
	if (rc != KS_OK)
		return rc;
	l = ks_xmalloc(sizeof(*l));
	memset(l, 0, sizeof(*l));
	l->arena = ks_arena_new();
	l->path = ks_strdup(l->arena, path);
	l->config_path = ks_strdup(l->arena, config_path);
	l->text = ks_strndup(l->arena, text, size);
	l->size = size;
	l->dialect = dialect;
	l->simd = simd;
	p.l = l;
	p.scan = (struct ks_scan){
		.arena = l->arena, .text = l->text, .size = size, .line = 1,
	};
	while (p.scan.pos < size)
		read_item(&p);
	ks_vec_free(&p.words);
	*out = l;
	return KS_OK;
}

int
ks_list_read(const char *path, const char *config_path,
    enum ks_dialect dialect, bool simd, struct ks_list **out,
    struct ks_error *err)
{
	char *text;
	size_t size;
	int rc;

	*out = NULL;
	rc = ks_read_file(path, &text, &size, err);
	if (rc != KS_OK)
		return rc;
	rc = ks_list_parse(path, config_path, text, size, dialect, simd, out,
	    err);
	free(text);
	return rc;
}

void
ks_list_free(struct ks_list *l)
{
	if (l == NULL)
		return;
	ks_vec_free(&l->items);
	ks_arena_free(l->arena);
	free(l);
}

const struct ks_fword *
ks_item_name(const struct ks_item *it)
{
	return &it->words[it->kind == KS_ITEM_INCLUDE && it->n > 1];
}

const char *
ks_stop_reason(enum ks_stop stop)
{
	switch (stop) {
	case KS_STOP_NONE:
		break;
	case KS_STOP_NO_TYPE:
		return "the name stands alone; 'standard' or 'optional' must "
		    "follow it on the same logical line";
	case KS_STOP_BAD_TYPE:
		return "the second word must be 'standard' or 'optional'";
	case KS_STOP_STANDARD_COND:
		return "a standard entry takes keywords only; this is no "
		    "keyword";
	case KS_STOP_EMPTY_ARM:
		return "no device or option before '|'";
	case KS_STOP_NO_RULE:
		return "'no-implicit-rule' must come after 'compile-with'";
	case KS_STOP_MISSING_VALUE:
		return "this keyword takes a word or a quoted text";
	case KS_STOP_MISSING_INCLUDE:
		return "'include' takes the name of a list, relative to sys";
	case KS_STOP_CUT:
		return "the file ends inside the value: a newline or a "
		    "closing quote is missing";
	case KS_STOP_MISSING_QUOTE:
		return "the text has no closing quote on its line";
	}
	return "";
}

int
ks_list_error(const struct ks_list *l, const struct ks_fword *at,
    struct ks_error *err, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return ks_error(err, KS_EPARSE, "%s:%u:%u: %s", l->path, at->line,
	    at->col, text);
}
