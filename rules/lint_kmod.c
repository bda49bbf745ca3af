/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lints the makefile of a FreeBSD kernel module.
 *
 *   1. Assignments are evaluated from top to bottom, as make does; those
 *      under a condition are all taken, with the condition remembered.
 *      .for loops are run.
 *   2. A source of SRCS without a rule of its own is compiled with
 *      ${CFLAGS} ${CFLAGS.<source>}; CFLAGS of the makefile come behind the
 *      kernel's.
 *   3. A rule whose recipe runs ${CC} is judged as it stands.
 *   4. CFLAGS.<source> of a source that is not built is told.
 *
 * Which machines a module is for, in this order: --arch; a condition around
 * the line; the list of modules beside the folder, if that names the module
 * without a condition; the flags themselves.
 */
#include "lint.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "mkfile.h"

struct kmod {
	struct ks_lint	*l;
	struct ks_ltext	*t;
	struct ks_mkfile m;
	struct ks_mkenv	 env;
	unsigned	 archs;		/* asked for, or found; 0: unknown */
	bool		 everywhere;	/* built on all machines */
	const char	*dir;		/* of the makefile */
	KS_VEC(const char *) dirs;	/* .PATH */
	KS_VEC(const char *) built;	/* sources and objects */
	KS_VEC(const struct ks_mkline *) flags;	/* CFLAGS.x of all x */
};

static void
set(struct kmod *k, const char *name, const char *value, bool base)
{
	ks_mkenv_set(&k->env, name, value, base);
}

static void
assign(struct kmod *k, const struct ks_mkline *line)
{
	const char *name = ks_expand_text(k->l->arena, &k->env, line->name);
	const struct ks_mkvar *old = ks_mkenv_get(&k->env, name);
	const char *value = line->value;
	bool base = strcmp(name, "CFLAGS") == 0;

	if (line->op == '?' && old != NULL)
		return;
	if (line->op == '!')
		value = "";
	if (line->op == ':')
		value = ks_expand_text(k->l->arena, &k->env, value);
	/* Of several branches all count. */
	if (old != NULL && (line->op == '+' || (*line->guard != '\0' &&
	    strncmp(name, "CFLAGS", 6) == 0)))
		value = ks_printf(k->l->arena, "%s %s", old->value, value);
	set(k, name, value, base);
	if (strncmp(name, "CFLAGS.", 7) == 0 ||
	    strncmp(name, "CWARNFLAGS.", 11) == 0)
		*ks_vec_push(&k->flags) = line;
}

static void
add_words(struct kmod *k, const char *text, const char *suffix,
    unsigned what)
{
	struct ks_expansion x;

	ks_expand(&k->env, text, strlen(text), &x);
	for (size_t i = 0; i < x.words.n; i++) {
		const char *w = x.words.v[i].text;
		size_t n = strlen(w), len = strlen(suffix);

		if (n < len || strcmp(w + n - len, suffix) != 0)
			continue;
		if (what == 0)
			*ks_vec_push(&k->built) = w;
		else
			*ks_vec_push(&k->dirs) = w;
	}
	ks_expansion_free(&x);
}

static const char *
tail(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
is_built(const struct kmod *k, const char *name)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < k->built.n; i++) {
		const char *b = tail(k->built.v[i]);

		/* x.c, or x.o of an explicit rule */
		if (strcmp(b, name) == 0 || (strncmp(b, name, n) == 0 &&
		    strcmp(b + n, ".o") == 0))
			return true;
	}
	return false;
}

/* Where the source is, or NULL. */
static const char *
find_path(struct kmod *k, const char *source)
{
	char *text;
	size_t size;

	for (size_t i = 0; i <= k->dirs.n; i++) {
		const char *p = ks_printf(k->l->arena, "%s/%s",
		    i < k->dirs.n ? k->dirs.v[i] : k->dir, source);

		if (ks_read_file(p, &text, &size, NULL) == KS_OK) {
			free(text);
			return p;
		}
	}
	return NULL;
}

static struct ks_crule *
new_rule(struct kmod *k, uint32_t off, const char *name, const char *source,
    const char *guard)
{
	struct ks_crule *r = ks_crule_new(k->l, KS_CR_KMOD, k->t, off, name);
	unsigned archs;

	archs = ks_mk_guard_archs(guard, &r->guarded);
	r->archs = archs != 0 ? archs : k->everywhere && !r->guarded ?
	    KS_ARCH_ALL : k->archs;
	r->source = source;
	r->path = source != NULL ? find_path(k, source) : NULL;
	r->dirs = k->dirs.v;
	r->ndirs = k->dirs.n;
	return r;
}

static const char *
object_of(struct kmod *k, const char *source)
{
	size_t n = strlen(source);

	return ks_printf(k->l->arena, "%.*so", (int)n - 1, source);
}

/* Where a list of sources names SOURCE. */
static uint32_t
place_of(struct kmod *k, const char *source)
{
	for (size_t i = 0; i < k->m.lines.n; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];
		const char *v = line->value, *p = v;
		size_t n = strlen(source);

		if (line->kind != KS_MK_ASSIGN ||
		    strncmp(line->name, "SRCS", 4) != 0)
			continue;
		for (; (p = strstr(p, source)) != NULL; p++)
			if ((p == v || p[-1] == ' ' || p[-1] == '\t') &&
			    strchr(" \t", p[n]) != NULL)
				return line->value_off + (uint32_t)(p - v);
	}
	return 0;
}

/* The command of a source without a rule, from its last CFLAGS.x line. */
static void
default_rule(struct kmod *k, const char *source)
{
	const char *name = ks_printf(k->l->arena, "CFLAGS.%s", tail(source));
	const struct ks_mkline *line = NULL;
	const struct ks_mkvar *own = ks_mkenv_get(&k->env, name);
	static const char head[] = "${CC} -c ${CFLAGS} ${WERROR} ";
	struct ks_expansion x;
	struct ks_crule *r;
	ks_isaset all = 0;

	for (size_t i = 0; i < k->flags.n; i++)
		if (strcmp(ks_expand_text(k->l->arena, &k->env,
		    k->flags.v[i]->name), name) == 0)
			line = k->flags.v[i];
	ks_expand(&k->env, "${CFLAGS}", 9, &x);
	for (size_t i = 0; i < x.words.n; i++)
		all = ks_flag_apply(all, x.words.v[i].text);
	ks_expansion_free(&x);
	if (line == NULL && all != 0)
		return;			/* flags for all: judged as CFLAGS */
	r = new_rule(k, line != NULL ? line->name_off :
	    place_of(k, source), line != NULL ?
	    name : object_of(k, tail(source)), source,
	    line != NULL ? line->guard : "");
	if (line == NULL) {
		r->plain = true;
	} else {
		r->command = ks_printf(k->l->arena, "%s%s", head,
		    line->op == '=' ? line->value : own->value);
		*ks_vec_push(&r->segs) = (struct ks_seg){ 0, line->value_off,
		    true };
		/* Of a value in pieces only the last has places. */
		*ks_vec_push(&r->segs) = (struct ks_seg){ sizeof(head) - 1,
		    line->value_off, strcmp(own->value, line->value) != 0 };
		ks_crule_expand(r, &k->env);
	}
	ks_lint_rule(k->l, r);
}

/* CFLAGS of the makefile, for all its files. */
static void
lint_cflags(struct kmod *k, const struct ks_mkline *line)
{
	static const char head[] = "${CC} -c ${.BASE.CFLAGS} ${WERROR} ";
	struct ks_crule *r = new_rule(k, line->name_off, "CFLAGS", NULL,
	    line->guard);

	r->command = ks_printf(k->l->arena, "%s%s", head, line->value);
	*ks_vec_push(&r->segs) = (struct ks_seg){ 0, line->value_off, true };
	*ks_vec_push(&r->segs) = (struct ks_seg){ sizeof(head) - 1,
	    line->value_off, false };
	ks_crule_expand(r, &k->env);
	/* Judged when all is read would be too late for later CFLAGS. */
	ks_lint_rule(k->l, r);
}

/* A rule: the recipe lines from I on; the first that compiles is judged. */
static void
explicit_rule(struct kmod *k, size_t at)
{
	const struct ks_mkline *rule = &k->m.lines.v[at];
	const char *target = ks_expand_text(k->l->arena, &k->env, rule->name);
	const char *source = NULL;
	struct ks_crule *r = NULL;
	struct ks_expansion x;
	bool ctf = false;

	if (strcmp(target, ".PATH") == 0) {
		add_words(k, rule->value, "", 1);
		return;
	}
	ks_expand(&k->env, rule->value, strlen(rule->value), &x);
	for (size_t i = 0; i < x.words.n && source == NULL; i++) {
		const char *w = x.words.v[i].text;
		size_t n = strlen(w);

		if (n > 2 && (strcmp(w + n - 2, ".c") == 0 ||
		    strcmp(w + n - 2, ".S") == 0))
			source = w;
	}
	ks_expansion_free(&x);
	for (size_t i = at + 1; i < k->m.lines.n &&
	    k->m.lines.v[i].kind == KS_MK_RECIPE; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];

		ctf |= strstr(line->value, "CTFCONVERT") != NULL;
		if (r != NULL || strstr(line->value, "${CC}") == NULL)
			continue;
		r = new_rule(k, rule->name_off, target, source, line->guard);
		r->command = line->value;
		*ks_vec_push(&r->segs) = (struct ks_seg){ 0, line->value_off,
		    false };
		ks_crule_expand(r, &k->env);
		ks_lint_rule(k->l, r);
		*ks_vec_push(&k->built) = target;
		if (source != NULL)
			*ks_vec_push(&k->built) = source;
	}
	if (r != NULL && r->compiles && !ctf)
		ks_lint_at(k->l, KS_D_RULES_CTF, k->t, rule->name_off, target,
		    "the rule has not ${CTFCONVERT_CMD}: the module has no "
		    "type information of this object");
}

/* Lines I to J, with .for loops run. */
static void
walk(struct kmod *k, size_t i, size_t j, unsigned depth)
{
	for (; i < j; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];
		struct ks_expansion x;
		size_t end = i + 1;
		unsigned nest = 1;

		if (line->kind == KS_MK_ASSIGN) {
			assign(k, line);
			if (strcmp(line->name, "CFLAGS") == 0)
				lint_cflags(k, line);
		} else if (line->kind == KS_MK_RULE) {
			explicit_rule(k, i);
		}
		if (line->kind == KS_MK_BAD)
			ks_lint_at(k->l, KS_D_RULES_SYNTAX, k->t,
			    line->name_off, NULL,
			    "this is neither an assignment nor a rule");
		if (line->kind != KS_MK_FOR || depth > 8)
			continue;
		while (end < j && nest > 0) {
			nest += k->m.lines.v[end].kind == KS_MK_FOR;
			nest -= k->m.lines.v[end].kind == KS_MK_ENDFOR;
			end++;
		}
		ks_expand(&k->env, line->value, strlen(line->value), &x);
		for (size_t w = 0; w < x.words.n; w++) {
			set(k, line->name, x.words.v[w].text, false);
			walk(k, i + 1, end - 1, depth + 1);
		}
		ks_expansion_free(&x);
		i = end - 1;
	}
}

static void
check_unused(struct kmod *k, bool known)
{
	for (size_t i = 0; i < k->flags.n && known; i++) {
		const struct ks_mkline *line = k->flags.v[i];
		const char *name = ks_expand_text(k->l->arena, &k->env,
		    line->name);
		const char *file = strchr(name, '.') + 1;

		if (is_built(k, file) || strchr(file, '.') == NULL)
			continue;
		ks_lint_at(k->l, KS_D_RULES_UNUSED_FLAGS, k->t,
		    line->name_off, name, "flags for '%s', which this "
		    "makefile does not build%s", file,
		    find_path(k, file) == NULL ? ", and which is not there" :
		    "");
	}
}

static void
lint_sources(struct kmod *k)
{
	static const char *const lists[] = { "SRCS", "OBJS" };
	size_t explicit = k->built.n;
	bool known = false;

	for (size_t i = 0; i < 2; i++) {
		const char *ref = ks_printf(k->l->arena, "${%s}", lists[i]);

		if (ks_mkenv_get(&k->env, lists[i]) == NULL)
			continue;
		known |= i == 0;
		add_words(k, ref, "", 0);
	}
	for (size_t i = explicit; i < k->built.n; i++) {
		const char *s = k->built.v[i];
		size_t n = strlen(s);
		bool has_rule = false;

		for (size_t j = 0; j < explicit; j++)
			has_rule |= strcmp(tail(k->built.v[j]), tail(s)) == 0
			    || strcmp(object_of(k, tail(s)),
			    tail(k->built.v[j])) == 0;
		if (!has_rule && n > 2 && strcmp(s + n - 2, ".c") == 0)
			default_rule(k, s);
	}
	check_unused(k, known);
}

/* Is the module in the list of modules beside its folder, always? */
static bool
listed_always(struct kmod *k)
{
	const char *path = ks_printf(k->l->arena, "%s/../Makefile", k->dir);
	const char *name = tail(k->dir), *p;
	struct ks_mkfile m;
	bool always = false;
	char *text;
	size_t size, n = strlen(name);

	if (strcmp(name, ".") == 0 ||
	    ks_read_file(path, &text, &size, NULL) != KS_OK)
		return false;
	ks_mkfile_parse(k->l->arena, text, size, false, &m);
	for (size_t i = 0; i < m.lines.n; i++) {
		const struct ks_mkline *line = &m.lines.v[i];

		if (line->kind != KS_MK_ASSIGN || *line->guard != '\0' ||
		    strcmp(line->name, "SUBDIR") != 0)
			continue;
		for (p = line->value; (p = strstr(p, name)) != NULL; p++)
			always |= (p == line->value ||
			    strchr(" \t", p[-1]) != NULL) &&
			    strchr(" \t", p[n]) != NULL;
	}
	ks_mkfile_free(&m);
	free(text);
	return always;
}

static void
find_archs(struct kmod *k, unsigned archs)
{
	k->archs = archs;
	if (archs != 0)
		return;
	k->everywhere = listed_always(k);
	for (size_t i = 0; i < k->m.lines.n && !k->everywhere; i++) {
		bool guarded;

		ks_mk_guard_archs(k->m.lines.v[i].guard, &guarded);
		k->everywhere = guarded;
	}
	if (strstr(k->t->text, "-march=armv8") != NULL ||
	    strstr(k->t->text, "general-regs-only") != NULL)
		k->archs = KS_ARCH_ARM64;
	else
		k->archs = KS_ARCH_X86;
}

/* "sys/modules/x" and its kin: where the tree is. */
static void
set_places(struct kmod *k)
{
	const char *at = strstr(k->dir, "/modules/"), *sys = k->dir;

	if (at != NULL)
		sys = ks_strndup(k->l->arena, k->dir, (size_t)(at - k->dir));
	else if (strncmp(k->dir, "modules/", 8) == 0)
		sys = ".";
	set(k, "SYSDIR", sys, true);
	set(k, "SRCTOP", ks_printf(k->l->arena, "%s/..", sys), true);
	set(k, ".CURDIR", k->dir, true);
	*ks_vec_push(&k->dirs) = k->dir;
	*ks_vec_push(&k->dirs) = sys;
}

int
ks_lint_kmod(struct ks_lint *l, const char *path, unsigned archs,
    struct ks_error *err)
{
	const char *slash = strrchr(path, '/');
	struct kmod k = { .l = l };
	int rc;

	rc = ks_lint_read(l, path, &k.t, err);
	if (rc != KS_OK)
		return rc;
	k.dir = slash != NULL ? ks_strndup(l->arena, path,
	    (size_t)(slash - path)) : ".";
	k.env.arena = l->arena;
	ks_mkfile_parse(l->arena, k.t->text, k.t->size, false, &k.m);
	find_archs(&k, archs);
	k.env.outer = ks_lint_env(l, k.archs);
	set_places(&k);
	/* kmod.mk puts ${WERROR} into ${CFLAGS}. */
	set(&k, ".BASE.CFLAGS", ks_printf(l->arena, "%s ${WERROR}",
	    ks_mkenv_get(k.env.outer, "CFLAGS")->value), true);
	set(&k, "CFLAGS", "${.BASE.CFLAGS}", true);
	walk(&k, 0, k.m.lines.n, 0);
	lint_sources(&k);
	ks_mkfile_free(&k.m);
	ks_vec_free(&k.env.v);
	ks_vec_free(&k.built);
	ks_vec_free(&k.flags);
	/* k.dirs is the rules'. */
	return KS_OK;
}
