/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module's makefile, and the rule of one SIMD file.
 *
 *   1. A module is concerned if a .PATH of its makefile ends in the folder
 *      of the source; without any such, the module that is named as that
 *      folder is.
 *   2. A rule for the object is there: the same command is left alone, one
 *      of the generated shape is replaced, another needs --force.
 *   3. Else "OBJS+= x.o" goes behind the last line of OBJS (or of SRCS), and
 *      the rule behind the last explicit rule, or before the include of
 *      bsd.kmod.mk.
 *   4. A makefile whose SRCS has the source compiles it without flags: that
 *      line is left to a person.
 */
#include "apply_kmod.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "mkfile.h"

static bool
has_word(const char *text, const char *word)
{
	size_t n, len = strlen(word);

	for (text += strspn(text, " \t"); *text != '\0';
	    text += n, text += strspn(text, " \t")) {
		n = strcspn(text, " \t");
		if (n == len && memcmp(text, word, n) == 0)
			return true;
	}
	return false;
}

static const char *
tail(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Index of the makefile in a->files, read if it is there. */
static bool
open_makefile(struct ks_apply *a, const char *path, size_t *at)
{
	char *text;
	size_t size;

	for (*at = 0; *at < a->files.n; ++*at)
		if (strcmp(a->files.v[*at].path, path) == 0)
			return true;
	if (ks_read_file(path, &text, &size, NULL) != KS_OK)
		return false;
	*ks_vec_push(&a->files) = (struct ks_efile){ .path = path,
	    .text = ks_strndup(a->arena, text, size), .size = size };
	*ks_vec_push(&a->lists) = NULL;
	free(text);
	return true;
}

/* Does a .PATH of the makefile end in FOLDER? */
static bool
takes_from(const struct ks_mkfile *m, const char *folder)
{
	size_t len = strlen(folder);

	for (size_t i = 0; i < m->lines.n; i++) {
		const char *v = m->lines.v[i].value;
		size_t n;

		if (m->lines.v[i].kind != KS_MK_RULE ||
		    strcmp(m->lines.v[i].name, ".PATH") != 0)
			continue;
		for (v += strspn(v, " \t"); *v != '\0';
		    v += n, v += strspn(v, " \t")) {
			n = strcspn(v, " \t");
			if (n > len && memcmp(v + n - len, folder, len) == 0
			    && v[n - len - 1] == '/')
				return true;
		}
	}
	return false;
}

/* The recipe's compile command of the rule at I; its lines' end in *END. */
static const char *
recipe(struct ks_apply *a, const struct ks_mkfile *m, size_t i, size_t *end)
{
	const char *rule = "";

	*end = m->lines.v[i].end;
	for (i++; i < m->lines.n && m->lines.v[i].kind == KS_MK_RECIPE; i++) {
		*end = m->lines.v[i].end;
		if (*rule == '\0' &&
		    strstr(m->lines.v[i].value, "${CC}") != NULL)
			rule = ks_strdup(a->arena, m->lines.v[i].value);
	}
	return rule;
}

static void
update_rule(struct ks_apply *a, size_t at, const struct ks_mkfile *m,
    size_t i, const struct ks_plan *p)
{
	const struct ks_mkline *line = &m->lines.v[i];
	size_t end;
	const char *old = recipe(a, m, i, &end);
	struct ks_efile *f = &a->files.v[at];
	uint32_t nr = 1;

	if (ks_apply_same_rule(a, old, p->rule))
		return;
	for (size_t k = 0; k < line->begin; k++)
		nr += f->text[k] == '\n';
	if (!a->force && !ks_apply_same_shape(a, old, p->rule)) {
		ks_apply_say(a, f->path, nr, ks_printf(a->arena, "the rule "
		    "of '%s' was written by hand and differs; --force "
		    "replaces it by: %s", p->target, p->rule));
		return;
	}
	ks_edit_add(f, line->begin, end - line->begin, p->kmod);
}

static void
add_rule(struct ks_apply *a, size_t at, const struct ks_mkfile *m,
    const struct ks_plan *p)
{
	struct ks_efile *f = &a->files.v[at];
	size_t objs = 0, rule = 0, end = f->size;
	bool had_objs = false;

	for (size_t i = 0; i < m->lines.n; i++) {
		const struct ks_mkline *line = &m->lines.v[i];

		if (line->kind == KS_MK_ASSIGN && *line->guard == '\0' &&
		    (strcmp(line->name, "OBJS") == 0 ||
		    (!had_objs && strcmp(line->name, "SRCS") == 0))) {
			had_objs |= *line->name == 'O';
			objs = line->end;
		} else if (line->kind == KS_MK_RULE && *line->name != '.' &&
		    *line->guard == '\0') {
			recipe(a, m, i, &rule);
		} else if (line->kind == KS_MK_INCLUDE && strstr(f->text +
		    line->begin, "bsd.kmod.mk") != NULL) {
			end = line->begin;
		}
	}
	ks_edit_add(f, objs, 0, ks_printf(a->arena, "%sOBJS+=\t%s\n",
	    had_objs || objs == 0 ? "" : "\n", p->target));
	if (rule > 0)
		ks_edit_add(f, rule, 0, ks_printf(a->arena, "\n%s",
		    p->kmod));
	else
		ks_edit_add(f, end, 0, ks_printf(a->arena, "%s\n", p->kmod));
}

static void
edit_makefile(struct ks_apply *a, size_t at, const struct ks_mkfile *m,
    const struct ks_plan *p)
{
	struct ks_efile *f = &a->files.v[at];
	bool has_rule = false;
	uint32_t nr = 1, from = 0;

	for (size_t i = 0; i < m->lines.n; i++) {
		const struct ks_mkline *line = &m->lines.v[i];

		for (; from < line->begin; from++)
			nr += f->text[from] == '\n';
		if (line->kind == KS_MK_ASSIGN &&
		    strcmp(line->name, "SRCS") == 0 &&
		    has_word(line->value, tail(p->source)))
			ks_apply_say(a, f->path, nr, ks_printf(a->arena,
			    "SRCS has '%s': make compiles it without flags "
			    "for SIMD; take it out of this line",
			    tail(p->source)));
		if (line->kind != KS_MK_RULE ||
		    !has_word(line->name, p->target))
			continue;
		has_rule = true;
		update_rule(a, at, m, i, p);
	}
	if (!has_rule)
		add_rule(a, at, m, p);
}

/* One module; BY_NAME: whatever its .PATH is. */
static bool
try_module(struct ks_apply *a, const char *path, const char *folder,
    bool by_name, const struct ks_plan *p)
{
	struct ks_mkfile m;
	size_t at;
	bool takes;

	if (!open_makefile(a, path, &at))
		return false;
	ks_mkfile_parse(a->arena, a->files.v[at].text, a->files.v[at].size,
	    false, &m);
	takes = by_name || takes_from(&m, folder);
	if (takes)
		edit_makefile(a, at, &m, p);
	ks_mkfile_free(&m);
	return takes;
}

static int
cmp_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int
ks_apply_kmod(struct ks_apply *a, const struct ks_plan *p,
    struct ks_error *err)
{
	const char *modules = ks_printf(a->arena, "%s/modules", a->sysdir);
	size_t n = strlen(p->source) - strlen(tail(p->source));
	const char *folder;
	KS_VEC(const char *) names = { 0 };
	struct dirent *e;
	bool any = false;
	DIR *d;

	(void)err;
	if (n == 0 || (d = opendir(modules)) == NULL)
		return KS_OK;
	folder = ks_strndup(a->arena, p->source, n - 1);
	while ((e = readdir(d)) != NULL)
		if (*e->d_name != '.')
			*ks_vec_push(&names) = ks_printf(a->arena,
			    "%s/%s/Makefile", modules, e->d_name);
	closedir(d);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof(*names.v), cmp_name);
	for (size_t i = 0; i < names.n; i++)
		any |= try_module(a, names.v[i], folder, false, p);
	if (!any)
		try_module(a, ks_printf(a->arena, "%s/%s/Makefile", modules,
		    tail(folder)), folder, true, p);
	ks_vec_free(&names);
	return KS_OK;
}
