/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Applies a files.simd to a tree, as a committer would edit it.
 *
 * For each entry with a simd clause:
 *   1. It is looked for by its target, and by its source's path, in the list
 *      and in all that the list includes.
 *   2. Found, and the same in effect: nothing is touched, whatever its
 *      layout.  Found and different: it is replaced where it stands, unless
 *      its command has another shape than generated ones have.  Such a
 *      command was written by hand, and needs --force.
 *   3. Not found: it goes to files.x86 if the entry is for both machines and
 *      that list is included, else to the list named.  There it stands in
 *      the order of paths among the entries of its source's folder; without
 *      any, in the order of paths of all.
 *   4. Makefiles of modules that take sources from the same folder get the
 *      same rule: apply_kmod.c.
 *
 * Comments directly above an entry belong to it: nothing is put between.
 *
 * Two commands have one shape if they differ in instruction sets and in the
 * level only.
 */
#include "apply.h"

#include <stdlib.h>
#include <string.h>

#include "apply_kmod.h"
#include "lint.h"
#include "select.h"

void
ks_apply_init(struct ks_apply *a)
{
	memset(a, 0, sizeof(*a));
	a->arena = ks_arena_new();
}

void
ks_apply_free(struct ks_apply *a)
{
	for (size_t i = 0; i < a->lists.n; i++)
		ks_list_free(a->lists.v[i]);
	for (size_t i = 0; i < a->files.n; i++)
		ks_vec_free(&a->files.v[i].edits);
	ks_vec_free(&a->lists);
	ks_vec_free(&a->files);
	ks_arena_free(a->arena);
}

static int
read_list(struct ks_apply *a, const char *path, unsigned depth,
    struct ks_error *err)
{
	struct ks_list *l;
	int rc;

	for (size_t i = 0; i < a->files.n; i++)
		if (strcmp(a->files.v[i].path, path) == 0)
			return KS_OK;
	rc = ks_list_read(path, path, a->gen.dialect, false, &l, err);
	if (rc != KS_OK)
		return rc;
	*ks_vec_push(&a->lists) = l;
	*ks_vec_push(&a->files) = (struct ks_efile){ .path = l->path,
	    .text = l->text, .size = l->size };
	for (size_t i = 0; i < l->items.n && rc == KS_OK; i++) {
		const struct ks_item *it = &l->items.v[i];

		if (it->kind == KS_ITEM_LOST)
			return ks_list_error(l, ks_item_name(it), err,
			    "no newline at the end of the file");
		if (it->stop != KS_STOP_NONE)
			return ks_list_error(l, it->stop_at, err, "%s",
			    ks_stop_reason(it->stop));
		if (it->kind == KS_ITEM_INCLUDE && depth < 16)
			rc = read_list(a, strcmp(a->sysdir, ".") == 0 ?
			    ks_item_name(it)->text : ks_printf(a->arena,
			    "%s/%s", a->sysdir, ks_item_name(it)->text),
			    depth + 1, err);
	}
	return rc;
}

int
ks_apply_list(struct ks_apply *a, const char *path, struct ks_error *err)
{
	a->root = a->files.n;
	return read_list(a, path, 0, err);
}

/* --- comparing ---------------------------------------------------------- */

static bool
is_level(const char *w, size_t n)
{
	return (n == 3 && w[0] == '-' && w[1] == 'O');
}

/* The command without instruction sets and level. */
static const char *
shape(struct ks_arena *a, const char *rule)
{
	const char *s = "", *mod;
	size_t n;

	for (rule += strspn(rule, " \t\n\\"); *rule != '\0';
	    rule += n, rule += strspn(rule, " \t\n\\")) {
		ks_isaset set;
		const char *w;

		n = strcspn(rule, " \t\n");
		w = ks_strndup(a, rule, n);
		if (is_level(rule, n) || ks_flag_isa(w, &set) == KS_FLAG_ON ||
		    strcmp(w, "-mno-80387") == 0 ||
		    strcmp(w, "-D_MM_MALLOC_H_INCLUDED") == 0)
			continue;
		mod = strstr(w, ":C/^-O2$/-O");
		if (mod != NULL && strlen(mod) > 13 && mod[12] == '/')
			w = ks_printf(a, "%.*s%s", (int)(mod - w), w,
			    mod + 13);
		s = ks_printf(a, "%s %s", s, w);
	}
	return s;
}

static const char *
value(const struct ks_item *it, enum ks_kw kw)
{
	return it->value[kw] != NULL ? it->value[kw]->text : "";
}

/* Words alike, whatever is between them. */
static bool
same_words(struct ks_arena *a, const char *x, const char *y)
{
	const char *t[2] = { x, y }, *s[2];

	for (int i = 0; i < 2; i++) {
		const char *p = t[i];
		size_t n;

		s[i] = "";
		for (p += strspn(p, " \t\n\\"); *p != '\0';
		    p += n, p += strspn(p, " \t\n\\")) {
			n = strcspn(p, " \t\n");
			s[i] = ks_printf(a, "%s %.*s", s[i], (int)n, p);
		}
	}
	return strcmp(s[0], s[1]) == 0;
}

bool
ks_apply_same_rule(struct ks_apply *a, const char *x, const char *y)
{
	return same_words(a->arena, x, y);
}

bool
ks_apply_same_shape(struct ks_apply *a, const char *x, const char *y)
{
	return strcmp(shape(a->arena, x), shape(a->arena, y)) == 0;
}

static bool
same_conditions(const struct ks_item *a, const struct ks_item *b)
{
	size_t i = 1, j = 1;

	for (;; i++, j++) {
		while (i < a->n && a->words[i].kind > KS_FW_NOT)
			i++;
		while (j < b->n && b->words[j].kind > KS_FW_NOT)
			j++;
		if (i >= a->n || j >= b->n)
			return i >= a->n && j >= b->n;
		if (strcmp(a->words[i].text, b->words[j].text) != 0)
			return false;
	}
}

static bool
same_entry(struct ks_apply *a, const struct ks_item *x,
    const struct ks_item *y)
{
	static const enum ks_kw keys[] = { KS_KW_CLEAN, KS_KW_COMPILE_WITH,
	    KS_KW_DEPENDENCY, KS_KW_OBJ_PREFIX, KS_KW_WARNING };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!same_words(a->arena, value(x, keys[i]),
		    value(y, keys[i])))
			return false;
	return x->flags == y->flags && x->file_type == y->file_type &&
	    strcmp(ks_item_name(x)->text, ks_item_name(y)->text) == 0 &&
	    same_conditions(x, y);
}

/* --- places ------------------------------------------------------------- */

/* The path that an entry is sorted by: its first dependency, or its name. */
static const char *
sort_path(struct ks_arena *a, const struct ks_item *it)
{
	const char *dep = value(it, KS_KW_DEPENDENCY);

	dep += strspn(dep, " \t");
	if (strncmp(dep, "$S/", 3) == 0)
		return ks_strndup(a, dep + 3, strcspn(dep + 3, " \t\n"));
	return ks_item_name(it)->text;
}

static size_t
folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? (size_t)(slash - path) : 0;
}

static bool
same_folder(const char *a, const char *b)
{
	size_t n = folder_len(a);

	return n > 0 && n == folder_len(b) && memcmp(a, b, n) == 0;
}

/* Where item I begins, with the comments above it. */
static size_t
begin_of(const struct ks_list *l, size_t i)
{
	while (i > 0 && l->items.v[i - 1].kind == KS_ITEM_COMMENT)
		i--;
	return l->items.v[i].begin;
}

/* Behind the last of PATH's folder that is before it, or before the first. */
static bool
place_in_folder(struct ks_arena *a, const struct ks_list *l,
    const char *path, size_t *off)
{
	bool any = false, behind = false;

	for (size_t i = 0; i < l->items.n; i++) {
		const struct ks_item *it = &l->items.v[i];
		const char *key;

		if (it->kind != KS_ITEM_ENTRY)
			continue;
		key = sort_path(a, it);
		if (!same_folder(key, path))
			continue;
		if (strcmp(key, path) < 0) {
			*off = it->end;
			behind = true;
		} else if (!any && !behind) {
			*off = begin_of(l, i);
		}
		any = true;
	}
	return any;
}

static size_t
find_place(struct ks_arena *a, const struct ks_list *l, const char *path)
{
	const char *before = NULL;
	size_t off = l->size;

	if (place_in_folder(a, l, path, &off))
		return off;
	for (size_t i = 0; i < l->items.n; i++) {
		const struct ks_item *it = &l->items.v[i];
		const char *key;

		if (it->kind != KS_ITEM_ENTRY)
			continue;
		key = sort_path(a, it);
		/* Only where the list is in order is its order followed. */
		if (strcmp(key, path) > 0 &&
		    (before == NULL || strcmp(before, path) < 0) &&
		    strchr(key, '/') != NULL)
			return begin_of(l, i);
		if (strchr(key, '/') != NULL)
			before = key;
	}
	return l->size;
}

/* Index of the list that a new entry goes to. */
static size_t
home_of(const struct ks_apply *a)
{
	if (strcmp(a->gen.arch, "x86") != 0)
		return a->root;
	for (size_t i = 0; i < a->files.n; i++)
		if (ks_lint_list_archs(a->files.v[i].path) == KS_ARCH_X86)
			return i;
	return a->root;
}

bool
ks_apply_has_x86(const struct ks_apply *a)
{
	for (size_t i = 0; i < a->files.n; i++)
		if (ks_lint_list_archs(a->files.v[i].path) == KS_ARCH_X86)
			return true;
	return false;
}

/* --- entries ------------------------------------------------------------ */

void
ks_apply_say(struct ks_apply *a, const char *path, uint32_t line,
    const char *text)
{
	fprintf(a->say, "%s:%u: %s\n", path, line, text);
	a->undone++;
}

/* Replaces item IT of list I if it must be, and may be. */
static int
update(struct ks_apply *a, size_t i, const struct ks_item *it,
    const struct ks_plan *p, struct ks_error *err)
{
	const struct ks_list *l = a->lists.v[i];
	struct ks_list *fresh;
	bool same, by_hand;
	int rc;

	rc = ks_list_parse("entry", "entry", p->entry, strlen(p->entry),
	    a->gen.dialect, false, &fresh, err);
	if (rc != KS_OK)
		return rc;
	same = same_entry(a, it, &fresh->items.v[0]);
	/* A default rule has no flags of its own that could be lost. */
	by_hand = it->value[KS_KW_COMPILE_WITH] != NULL &&
	    !ks_apply_same_rule(a, value(it, KS_KW_COMPILE_WITH),
	    p->rule) && !ks_apply_same_shape(a,
	    value(it, KS_KW_COMPILE_WITH), p->rule);
	ks_list_free(fresh);
	if (same)
		return KS_OK;
	if (by_hand && !a->force) {
		ks_apply_say(a, l->path, ks_item_name(it)->line,
		    ks_printf(a->arena, "the rule of '%s' was written by "
		    "hand and differs; --force replaces it by: %s",
		    p->target, p->rule));
		return KS_OK;
	}
	ks_edit_add(&a->files.v[i], it->begin, it->end - it->begin,
	    p->entry);
	return KS_OK;
}

static bool
is_entry_of(const struct ks_item *it, const struct ks_plan *p)
{
	const char *name;

	if (it->kind != KS_ITEM_ENTRY)
		return false;
	name = ks_item_name(it)->text;
	return strcmp(name, p->target) == 0 || strcmp(name, p->source) == 0;
}

static int
apply_entry(struct ks_apply *a, const struct ks_list *simd,
    const struct ks_item *item, struct ks_error *err)
{
	struct ks_plan *p = KS_NEW(a->arena, struct ks_plan);
	bool found = false;
	size_t home;
	int rc;

	rc = ks_generate_plan(simd, item, &a->gen, a->arena, p, err);
	for (size_t i = a->root; i < a->lists.n && rc == KS_OK; i++) {
		const struct ks_list *l = a->lists.v[i];

		for (size_t j = 0; l != NULL && j < l->items.n &&
		    rc == KS_OK; j++) {
			if (!is_entry_of(&l->items.v[j], p))
				continue;
			found = true;
			rc = update(a, i, &l->items.v[j], p, err);
		}
	}
	if (rc == KS_OK && !found) {
		home = home_of(a);
		ks_edit_add(&a->files.v[home], find_place(a->arena,
		    a->lists.v[home], p->source), 0, p->entry);
	}
	return rc == KS_OK && !a->modules_done ? ks_apply_kmod(a, p, err) :
	    rc;
}

int
ks_apply_plan(struct ks_apply *a, const struct ks_list *simd,
    struct ks_error *err)
{
	int rc = KS_OK;

	for (size_t i = 0; i < simd->items.n && rc == KS_OK; i++) {
		const struct ks_item *it = &simd->items.v[i];

		if (it->stop != KS_STOP_NONE)
			return ks_list_error(simd, it->stop_at, err, "%s",
			    ks_stop_reason(it->stop));
		if (it->kind == KS_ITEM_LOST)
			return ks_list_error(simd, ks_item_name(it), err,
			    "no newline at the end of the file");
		if (it->kind == KS_ITEM_ENTRY &&
		    it->value[KS_KW_SIMD] != NULL)
			rc = apply_entry(a, simd, it, err);
		else if (it->kind == KS_ITEM_ENTRY)
			ks_apply_say(a, simd->path, ks_item_name(it)->line,
			    ks_printf(a->arena, "'%s' has no simd clause: "
			    "write its entry by hand",
			    ks_item_name(it)->text));
	}
	return rc;
}
