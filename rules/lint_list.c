/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lints files.* lists: what is a matter of config(8)'s, and each entry's
 * rule as a compile rule.
 *
 *   1. What config(8) drops in silence (drops.h) and what stops it.
 *   2. Of an entry: where ${.IMPSRC} is empty, prerequisites are missing,
 *      the source stands twice, no rule is known, a product is not cleaned.
 *   3. The command it leads to, judged as any other: lint_flags.c.
 *
 * A list that is included is read where its include stands, once a run.
 */
#include "lint.h"

#include <stdlib.h>
#include <string.h>

#include "drops.h"
#include "select.h"

/* --- what is dropped, and what stops ------------------------------------ */

struct remark_ctx {
	struct ks_lint	*l;
	struct ks_ltext	*t;
	const struct ks_item *it;
};

static const char *
item_name(const struct ks_item *it)
{
	return it->n > 0 ? ks_item_name(it)->text : NULL;
}

static void
remark(void *vctx, enum ks_drop what, const struct ks_list *list,
    const struct ks_fword *at, const char *text)
{
	static const enum ks_diag diag[] = {
		[KS_DROP_KEYWORD] = KS_D_RULES_UNKNOWN_KEYWORD,
		[KS_DROP_OPERATOR] = KS_D_RULES_GLUED_OPERATOR,
		[KS_DROP_COMMENT] = KS_D_RULES_STRAY_COMMENT,
		[KS_DROP_LINE] = KS_D_RULES_LOST_LINE,
		[KS_DROP_COPIED] = KS_D_RULES_COPIED_OBJECT,
		[KS_DROP_LONG] = KS_D_RULES_TOO_LONG,
		[KS_DROP_OTHER] = KS_D_RULES_NO_EFFECT,
		[KS_DROP_SELECTION] = KS_D_RULES_NO_EFFECT,
	};
	struct remark_ctx *ctx = vctx;

	(void)list;
	ks_lint_at(ctx->l, diag[what], ctx->t, (uint32_t)at->off,
	    ctx->it->kind == KS_ITEM_ENTRY ? item_name(ctx->it) : NULL, "%s",
	    text);
}

static void
check_stop(struct ks_lint *l, struct ks_ltext *t, const struct ks_item *it)
{
	struct ks_finding *one;

	if (it->stop == KS_STOP_NONE)
		return;
	one = ks_lint_at(l, it->stop == KS_STOP_NO_RULE ?
	    KS_D_RULES_KEYWORD_ORDER : it->stop == KS_STOP_CUT ?
	    KS_D_RULES_LOST_LINE : KS_D_RULES_SYNTAX, t,
	    (uint32_t)it->stop_at->off, item_name(it), "%s",
	    ks_stop_reason(it->stop));
	ks_lint_note(l, one, t, (uint32_t)it->stop_at->off,
	    "config(8) says: %s", it->stop_text);
}

/* --- entries ------------------------------------------------------------ */

static bool
ends_in(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

static bool
is_source(const char *s)
{
	return ends_in(s, ".c") || ends_in(s, ".S") || ends_in(s, ".s");
}

/* The N bytes at *S without folders and the last suffix. */
static size_t
base_of(const char **s, size_t n)
{
	size_t from = n, dot;

	while (from > 0 && (*s)[from - 1] != '/')
		from--;
	*s += from;
	n -= from;
	for (dot = n; dot > 0; dot--)
		if ((*s)[dot - 1] == '.')
			return dot - 1;
	return n;
}

/* Do the two names have one base, as make(1) looks for a source? */
static bool
same_base(const char *a, size_t na, const char *b, size_t nb)
{
	na = base_of(&a, na);
	nb = base_of(&b, nb);
	return na == nb && memcmp(a, b, na) == 0;
}

/* A word of TEXT whose base is NAME's. */
static bool
has_base(const char *text, const char *name)
{
	size_t n;

	for (text += strspn(text, " \t\n\\"); *text != '\0';
	    text += n, text += strspn(text, " \t\n\\")) {
		n = strcspn(text, " \t\n");
		if (same_base(text, n, name, strlen(name)))
			return true;
	}
	return false;
}

static bool
has_word(const char *text, const char *word)
{
	size_t n, len = strlen(word);

	for (text += strspn(text, " \t\n"); *text != '\0';
	    text += n, text += strspn(text, " \t\n")) {
		n = strcspn(text, " \t\n");
		if (n == len && memcmp(text, word, n) == 0)
			return true;
	}
	return false;
}

/* The variable in the text that is the source's name, or NULL. */
static const char *
uses_source(const char *rule)
{
	const char *p = strstr(rule, "${.IMPSRC");

	if (p == NULL)
		p = strstr(rule, "${NORMAL_C");
	if (p != NULL && strncmp(p, "${NORMAL_CTF", 12) == 0)
		p = NULL;
	return p != NULL ? p : strstr(rule, "${NORMAL_S");
}

static uint32_t
value_off(const struct ks_crule *r, const char *rule, const char *at)
{
	return ks_crule_off(r, (uint32_t)(at - rule));
}

static void
check_prerequisites(struct ks_lint *l, struct ks_crule *r, const char *rule)
{
	const struct ks_item *it = r->item;
	const struct ks_fword *dep = it->value[KS_KW_DEPENDENCY];
	const struct ks_fword *prefix = it->value[KS_KW_OBJ_PREFIX];
	const char *use = uses_source(rule), *all = strstr(rule, "${.ALLSRC");
	bool implicit = !KS_ITEM_HAS(it, NO_IMPLICIT_RULE);
	struct ks_finding *one;

	if (!implicit && dep == NULL && (use != NULL || all != NULL)) {
		ks_lint_at(l, KS_D_RULES_NO_DEPENDENCY, r->text,
		    value_off(r, rule, use != NULL ? use : all), r->name,
		    "the rule uses its prerequisites, and has none: add "
		    "dependency \"$S/...\"");
		return;
	}
	if (prefix != NULL && *prefix->text != '\0' && use != NULL) {
		ks_lint_at(l, KS_D_RULES_SOURCE_TWICE, r->text,
		    value_off(r, rule, use), r->name, "with obj-prefix "
		    "config(8) puts the source behind the command, which has "
		    "it already; write '${CC} -c ... -o ${.TARGET}' without "
		    "it");
		return;
	}
	if (use == NULL || implicit || has_base(dep->text, r->name))
		return;
	one = ks_lint_at(l, KS_D_RULES_IMPSRC_EMPTY, r->text,
	    value_off(r, rule, use), r->name, "%s is empty here: no "
	    "prerequisite has the base name of '%s'", strncmp(use,
	    "${NORMAL", 8) == 0 ? "${.IMPSRC} in this variable" :
	    "${.IMPSRC}", r->name);
	ks_lint_note(l, one, r->text, (uint32_t)dep->off,
	    "write '-o ${.TARGET}', and the source's path as it is here");
}

static void
check_clean(struct ks_lint *l, struct ks_crule *r)
{
	const struct ks_item *it = r->item;
	const struct ks_fword *clean = it->value[KS_KW_CLEAN];
	bool object = ends_in(r->name, ".o");

	if (!KS_ITEM_HAS(it, NO_IMPLICIT_RULE))
		return;
	if (clean != NULL && has_word(clean->text, r->name))
		return;
	if (clean != NULL)
		ks_lint_at(l, KS_D_RULES_NOT_CLEANED, r->text,
		    (uint32_t)clean->off, r->name, "'clean' does not list "
		    "the target '%s'", r->name);
	else if (!object || KS_ITEM_HAS(it, NO_OBJ))
		ks_lint_at(l, KS_D_RULES_NOT_CLEANED, r->text, r->off,
		    r->name, "without clean \"%s\" the file stays behind%s",
		    r->name, object ? ", and make does not track its headers" :
		    "");
}

/* The entry's source: its name, or the C file it depends on. */
static void
find_source(struct ks_lint *l, struct ks_crule *r)
{
	const struct ks_fword *dep = r->item->value[KS_KW_DEPENDENCY];
	const char *name = ks_item_name(r->item)->text, *p;
	size_t n;

	if (is_source(name)) {
		r->source = name;
	} else if (dep != NULL) {
		for (p = dep->text + strspn(dep->text, " \t\n\\");
		    *p != '\0' && r->source == NULL;
		    p += n, p += strspn(p, " \t\n\\")) {
			const char *w;

			n = strcspn(p, " \t\n");
			w = ks_strndup(l->arena, p, n);
			if (is_source(w))
				r->source = strncmp(w, "$S/", 3) == 0 ?
				    w + 3 : w;
		}
	}
	if (r->source != NULL && r->item->file_type != KS_KW_LOCAL)
		r->path = strcmp(l->sysdir, ".") == 0 ? r->source :
		    ks_printf(l->arena, "%s/%s", l->sysdir, r->source);
}

/* Where the bytes of a quoted value are. */
static void
map_value(struct ks_crule *r, const struct ks_list *list,
    const struct ks_fword *v)
{
	uint32_t off = (uint32_t)v->off + (v->quote != '\0'), at = 0;

	*ks_vec_push(&r->segs) = (struct ks_seg){ 0, off, false };
	for (; v->quote != '\0' && off + 1 < v->off + v->len; off++, at++) {
		if (list->text[off] != '\\')
			continue;
		if (list->text[off + 1] == v->quote)
			*ks_vec_push(&r->segs) = (struct ks_seg){ at,
			    off + 1, false };
		else
			at++;
		off++;
	}
}

static void
lint_entry(struct ks_lint *l, struct ks_ltext *t, const struct ks_list *list,
    const struct ks_item *it, unsigned archs)
{
	const struct ks_fword *name = ks_item_name(it);
	const struct ks_fword *rule = it->value[KS_KW_COMPILE_WITH];
	struct ks_crule *r;
	size_t n = strlen(name->text);

	r = ks_crule_new(l, KS_CR_LIST, t, (uint32_t)name->off, name->text);
	r->archs = archs;
	r->item = it;
	r->list = list;
	r->nowerror = KS_ITEM_HAS(it, NOWERROR);
	r->no_ctf = KS_ITEM_HAS(it, NO_CTFCONVERT);
	find_source(l, r);
	if ((it->file_type == KS_KW_LOCAL || it->file_type == KS_KW_NO_DEPEND)
	    && rule == NULL && name->text[n - 1] != 'o')
		ks_lint_at(l, KS_D_RULES_NO_DEFAULT_RULE, t, r->off, r->name,
		    "a %s file has no rule of its own: config(8) writes "
		    "${(null)_C}; add compile-with \"${NORMAL_C}\"",
		    ks_keywords[it->file_type].word);
	if (name->text[n - 1] == 'o' && !KS_ITEM_HAS(it, NO_IMPLICIT_RULE))
		return;
	if (rule == NULL && archs == KS_ARCH_ARM64 && r->source != NULL &&
	    ends_in(r->source, ".S")) {
		r->command = "${NORMAL_S}";
		*ks_vec_push(&r->segs) = (struct ks_seg){ 0, r->off, true };
	} else if (rule == NULL) {
		r->plain = true;
		ks_lint_rule(l, r);
		return;
	} else {
		r->command = rule->text;
		map_value(r, list, rule);
		check_prerequisites(l, r, rule->text);
		check_clean(l, r);
	}
	ks_crule_expand(r, ks_lint_env(l, archs));
	ks_lint_rule(l, r);
}

/* --- lists -------------------------------------------------------------- */

/* A makefile was given where a list belongs? */
static bool
is_makefile(const struct ks_list *list)
{
	for (size_t i = 0; i < list->items.n; i++) {
		const struct ks_item *it = &list->items.v[i];
		const char *name = item_name(it);
		size_t n;

		if (it->kind == KS_ITEM_BLANK || it->kind == KS_ITEM_COMMENT)
			continue;
		if (it->kind != KS_ITEM_ENTRY || name == NULL)
			return false;
		n = strlen(name);
		return it->stop == KS_STOP_BAD_TYPE && (name[n - 1] == '=' ||
		    name[n - 1] == ':' || *it->words[1].text == '=' ||
		    *name == '.');
	}
	return false;
}

static int
lint_include(struct ks_lint *l, struct ks_ltext *t, const struct ks_item *it,
    unsigned archs, struct ks_error *err)
{
	const struct ks_fword *name = ks_item_name(it);
	const char *path = strcmp(l->sysdir, ".") == 0 ? name->text :
	    ks_printf(l->arena, "%s/%s", l->sysdir, name->text);
	unsigned own = ks_lint_list_archs(path);
	int rc;

	rc = ks_lint_list(l, path, own != KS_ARCH_OTHER && own !=
	    KS_ARCH_ALL ? own : archs, err);
	if (rc != KS_EIO)
		return rc;
	ks_lint_at(l, KS_D_RULES_SYNTAX, t, (uint32_t)name->off, NULL,
	    "%s; includes are relative to the folder above conf", err->text);
	return KS_OK;
}

int
ks_lint_list(struct ks_lint *l, const char *path, unsigned archs,
    struct ks_error *err)
{
	struct ks_list *list;
	struct ks_ltext *t;
	int rc = KS_OK;

	for (size_t i = 0; i < l->lists.n; i++)
		if (strcmp(l->lists.v[i]->path, path) == 0)
			return KS_OK;
	rc = ks_list_read(path, path, l->dialect, false, &list, err);
	if (rc != KS_OK)
		return rc;
	*ks_vec_push(&l->lists) = list;
	t = ks_lint_text(l, path, list->text, list->size);
	if (is_makefile(list)) {
		ks_lint_at(l, KS_D_RULES_SYNTAX, t, 0, NULL,
		    "this is a makefile, no files.* list");
		return KS_OK;
	}
	for (size_t i = 0; i < list->items.n && rc == KS_OK; i++) {
		const struct ks_item *it = &list->items.v[i];
		struct remark_ctx ctx = { l, t, it };
		struct ks_remarks r = { remark, &ctx };

		ks_item_drops(list, it, NULL, NULL, &r);
		check_stop(l, t, it);
		if (it->stop != KS_STOP_NONE)
			continue;
		if (it->kind == KS_ITEM_ENTRY)
			lint_entry(l, t, list, it, archs);
		else if (it->kind == KS_ITEM_INCLUDE)
			rc = lint_include(l, t, it, archs, err);
	}
	return rc;
}
