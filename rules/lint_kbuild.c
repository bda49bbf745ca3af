/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lints a Makefile of Linux (Kbuild).
 *
 *   1. Objects are the words ending in .o of all lists: obj-y, foo-y,
 *      foo-objs, lib-$(CONFIG_X), ...
 *   2. CFLAGS_x.o comes behind the kernel's flags; then every word of
 *      CFLAGS_REMOVE_x.o is filtered out of all of it, those of CFLAGS_x.o
 *      included.
 *   3. A CFLAGS_ variable whose name is no object of this makefile is
 *      silently unused.
 *
 * Names of objects are relative to the makefile and may have folders.
 * x86 flags need a condition on the machine, unless the path (arch/x86),
 * the CONFIG_ symbol of the object or a Kconfig beside says which it is.
 * Objects that no obj- or lib- list leads to, and makefiles that set
 * KBUILD_CFLAGS anew, are no code of the kernel (boot code, a vdso).
 */
#include "lint.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "mkfile.h"

struct object { const char *name; const char *list; };

struct kbuild {
	struct ks_lint	*l;
	struct ks_ltext	*t;
	struct ks_mkfile m;
	struct ks_mkenv	 env;
	unsigned	 archs;
	const char	*dir;
	KS_VEC(struct object) objects;
	bool		 open;	/* some list is not known */
	bool		 own_flags;	/* not the kernel's: boot code, a vdso */
	struct ks_strtab *done;
};

static void
set(struct kbuild *k, const char *name, const char *value, bool base)
{
	ks_mkenv_set(&k->env, name, value, base);
}

static bool
starts(const char *s, const char *head)
{
	return strncmp(s, head, strlen(head)) == 0;
}

static bool
ends(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

/* Is the variable a list of objects: obj-y, foo-$(CONFIG_X), foo-objs? */
static bool
is_list(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash != NULL && !starts(name, "ccflags") &&
	    !starts(name, "asflags") && (strcmp(dash, "-y") == 0 ||
	    strcmp(dash, "-m") == 0 || strcmp(dash, "-objs") == 0 ||
	    starts(dash, "-$(") || strstr(name, "-$(") != NULL);
}

static void
add_objects(struct kbuild *k, const struct ks_mkline *line)
{
	struct ks_expansion x;

	ks_expand(&k->env, line->value, strlen(line->value), &x);
	for (size_t i = 0; i < x.words.n; i++)
		*ks_vec_push(&k->objects) = (struct object){
		    x.words.v[i].text, line->name };
	k->open |= x.unresolved.n > 0;
	ks_expansion_free(&x);
}

static void
assign(struct kbuild *k, const struct ks_mkline *line)
{
	const struct ks_mkvar *old;

	if (is_list(line->name)) {
		add_objects(k, line);
		return;
	}
	if (strcmp(line->name, "KBUILD_CFLAGS") == 0 && line->op != '+') {
		k->own_flags = true;
		return;
	}
	old = ks_mkenv_get(&k->env, line->name);
	if (line->op == '?' && old != NULL)
		return;
	/* Both branches of a condition count. */
	if (old != NULL && (line->op == '+' || *line->guard != '\0'))
		set(k, line->name, ks_printf(k->l->arena, "%s %s", old->value,
		    line->value), old->base);
	else
		set(k, line->name, line->value, false);
}

static const struct object *
find_object(const struct kbuild *k, const char *name)
{
	for (size_t i = 0; i < k->objects.n; i++)
		if (strcmp(k->objects.v[i].name, name) == 0)
			return &k->objects.v[i];
	return NULL;
}

/* Does the symbol that chooses the object say x86? */
static bool
x86_symbol(const struct object *o)
{
	static const char *const words[] = { "X86", "SSE", "AVX", "AESNI",
	    "SHA_NI", "PCLMUL" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(o->list, words[i]) != NULL)
			return true;
	return false;
}

/* Words of CFLAGS_x.o that CFLAGS_REMOVE_x.o takes out again. */
static void
drop_removed(struct kbuild *k, struct ks_crule *r, const char *object)
{
	const char *name = ks_printf(k->l->arena, "CFLAGS_REMOVE_%s", object);
	const struct ks_mkvar *v = ks_mkenv_get(&k->env, name);
	struct ks_expansion x;

	if (v == NULL)
		return;
	ks_expand(&k->env, v->value, strlen(v->value), &x);
	for (size_t i = 0; i < r->x.words.n; i++) {
		struct ks_xword *w = &r->x.words.v[i];

		for (size_t j = 0; j < x.words.n; j++) {
			if (strcmp(w->text, x.words.v[j].text) != 0)
				continue;
			if (!w->base)
				ks_lint_at(k->l, KS_D_RULES_REMOVED_FLAG,
				    r->text, ks_crule_off(r, w->off), r->name,
				    "'%s' is in %s, too, which takes it out "
				    "again", w->text, name);
			w->text = "";
			break;
		}
	}
	ks_expansion_free(&x);
	r->asked = r->final = 0;
	for (size_t i = 0; i < r->x.words.n; i++) {
		const struct ks_xword *w = &r->x.words.v[i];

		r->final = ks_flag_apply(r->final, w->text);
		if (!w->base)
			r->asked = ks_flag_apply(r->asked, w->text);
	}
}

static void
find_source(struct kbuild *k, struct ks_crule *r, const char *object)
{
	char *text;
	size_t size;

	r->source = ks_printf(k->l->arena, "%.*s.c",
	    (int)strlen(object) - 2, object);
	r->path = ks_printf(k->l->arena, "%s/%s", k->dir, r->source);
	if (ks_read_file(r->path, &text, &size, NULL) == KS_OK)
		free(text);
	else
		r->path = NULL;
}

/* All assignments of CFLAGS_x.o, each with its place. */
static void
build_command(struct kbuild *k, struct ks_crule *r, const char *name)
{
	const char *s = "${CC} -c ${KBUILD_CFLAGS}";
	unsigned archs = 0;
	bool guarded = true;

	*ks_vec_push(&r->segs) = (struct ks_seg){ 0, r->off, true };
	for (size_t i = 0; i < k->m.lines.n; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];
		bool here;

		if (line->kind != KS_MK_ASSIGN ||
		    strcmp(line->name, name) != 0)
			continue;
		archs |= ks_mk_guard_archs(line->guard, &here);
		guarded &= here;
		*ks_vec_push(&r->segs) = (struct ks_seg){
		    (uint32_t)strlen(s) + 1, line->value_off, false };
		s = ks_printf(k->l->arena, "%s %s", s, line->value);
	}
	r->command = s;
	r->archs = archs != 0 ? archs : k->archs;
	r->guarded = guarded;
}

/* Does a pattern rule ("$(obj)/%-o32.o") make the object? */
static bool
by_pattern(const struct kbuild *k, const char *object)
{
	for (size_t i = 0; i < k->m.lines.n; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];
		const char *p;
		size_t n;

		if (line->kind != KS_MK_RULE ||
		    ((p = strchr(line->name, '%')) == NULL &&
		    (p = strchr(line->value, '%')) == NULL))
			continue;
		n = strcspn(p + 1, " \t:");
		if (n > 2 && strlen(object) > n && strncmp(object +
		    strlen(object) - n, p + 1, n) == 0)
			return true;
	}
	return false;
}

/* Is STEM named anywhere but in names of flags? */
static bool
is_mentioned(const struct kbuild *k, const char *stem)
{
	const char *text = k->t->text, *p = text;
	size_t n = strlen(stem);

	for (; (p = strstr(p, stem)) != NULL; p++)
		if ((p == text || (!isalnum((unsigned char)p[-1]) &&
		    p[-1] != '_')) && !isalnum((unsigned char)p[n]) &&
		    p[n] != '_')
			return true;
	return false;
}

/* In a list that the kernel or a module is linked from? */
static bool
is_linked(const struct kbuild *k, const char *list, unsigned depth)
{
	const char *dash = strrchr(list, '-');
	const struct object *o;
	const char *at;

	at = strstr(list, "-$(");
	if (at != NULL)
		dash = at;
	if (starts(list, "obj-") || starts(list, "lib-") || dash == NULL)
		return true;
	o = find_object(k, ks_printf(k->l->arena, "%.*s.o",
	    (int)(dash - list), list));
	return o != NULL && (depth > 4 || is_linked(k, o->list, depth + 1));
}

/* Does the text of a Kconfig say that SYMBOL is for x86 only? */
static bool
x86_in_kconfig(const char *text, const char *symbol)
{
	const char *p = text, *end, *dep;
	size_t n = strlen(symbol);

	for (; (p = strstr(p, "config ")) != NULL; p++) {
		if (strncmp(p + 7, symbol, n) != 0 || p[7 + n] != '\n')
			continue;
		end = strstr(p + 7, "\nconfig ");
		for (dep = p; (dep = strstr(dep, "depends on")) != NULL &&
		    (end == NULL || dep < end); dep++) {
			const char *x = strstr(dep, "X86");

			if (x != NULL && x < dep + strcspn(dep, "\n"))
				return true;
		}
	}
	return false;
}

/* The symbol of "obj-$(CONFIG_X)" is for x86 only, a Kconfig here says. */
static bool
x86_by_kconfig(struct kbuild *k, const struct object *o)
{
	const char *at = strstr(o->list, "$(CONFIG_"), *symbol;
	bool found = false;
	struct dirent *e;
	DIR *d;

	if (at == NULL || (d = opendir(k->dir)) == NULL)
		return false;
	symbol = ks_strndup(k->l->arena, at + 9, strcspn(at + 9, ")"));
	while (!found && (e = readdir(d)) != NULL) {
		char *text;
		size_t size;

		if (!starts(e->d_name, "Kconfig") ||
		    ks_read_file(ks_printf(k->l->arena, "%s/%s", k->dir,
		    e->d_name), &text, &size, NULL) != KS_OK)
			continue;
		found = x86_in_kconfig(text, symbol);
		free(text);
	}
	closedir(d);
	return found;
}

/* Is -mhard-float given under a condition on the compiler only? */
static bool
hard_float_for_gcc(const struct kbuild *k)
{
	bool any = false;

	for (size_t i = 0; i < k->m.lines.n; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];

		if (line->kind != KS_MK_ASSIGN ||
		    strstr(line->value, "-mhard-float") == NULL)
			continue;
		if (strstr(line->guard, "GCC") == NULL)
			return false;
		any = true;
	}
	return any;
}

static void
lint_object(struct kbuild *k, const struct ks_mkline *line)
{
	const char *name = line->name, *object = name + strlen("CFLAGS_");
	const struct object *o = find_object(k, object);
	struct ks_crule *r;

	if (ks_intern_find(k->done, name) != 0)
		return;
	ks_intern(k->done, name);
	if (strchr(object, '.') == NULL)
		return;			/* a variable like any other */
	if (!ends(object, ".o")) {
		ks_lint_at(k->l, KS_D_RULES_UNUSED_FLAGS, k->t,
		    line->name_off, name, "'%s' is no object's name: kbuild "
		    "never looks at it; write CFLAGS_%.*s.o", name,
		    (int)strcspn(object, "."), object);
		return;
	}
	if (o == NULL && k->objects.n > 0 && !by_pattern(k, object) &&
	    !is_mentioned(k, ks_strndup(
	    k->l->arena, object, strlen(object) - 2)))
		ks_lint_at(k->l, KS_D_RULES_UNUSED_FLAGS, k->t,
		    line->name_off, name, "'%s' is in no list of objects of "
		    "this makefile: kbuild never looks at it", object);
	r = ks_crule_new(k->l, KS_CR_KBUILD, k->t, line->name_off, name);
	build_command(k, r, name);
	if (r->archs == 0 && !r->guarded && (o == NULL ||
	    (!x86_symbol(o) && !x86_by_kconfig(k, o))))
		r->archs = KS_ARCH_ALL;
	r->kernel = !k->own_flags && (o == NULL ? k->open :
	    is_linked(k, o->list, 0));
	r->gcc_float = hard_float_for_gcc(k);
	find_source(k, r, object);
	ks_crule_expand(r, &k->env);
	drop_removed(k, r, object);
	ks_lint_rule(k->l, r);
}

static void
lint_plain(struct kbuild *k, const char *object)
{
	const char *name = ks_printf(k->l->arena, "CFLAGS_%s", object);
	struct ks_crule *r;

	if (!ends(object, ".o") || ks_mkenv_get(&k->env, name) != NULL ||
	    ks_intern_find(k->done, name) != 0)
		return;
	ks_intern(k->done, name);
	r = ks_crule_new(k->l, KS_CR_KBUILD, k->t, 0, object);
	find_source(k, r, object);
	r->plain = true;
	ks_lint_rule(k->l, r);
}

static void
kernel_variables(struct kbuild *k)
{
	bool fpu = k->l->dialect == KS_LINUX_6_10;
	const char *base = "";
	const char *arch = k->archs == KS_ARCH_ARM64 ? "arm64" : "amd64";

	for (size_t i = 0; i < k->l->profile->cflags.n; i++)
		if (k->l->profile->cflags.v[i].isa == 0 &&
		    strcmp(k->l->profile->cflags.v[i].arch, arch) == 0)
			base = k->l->profile->cflags.v[i].flags;
	set(k, "CC", "gcc", true);
	set(k, "KBUILD_CFLAGS", ks_printf(k->l->arena, "-O2 -D__KERNEL__ %s",
	    base), true);
	if (fpu && k->archs == KS_ARCH_ARM64) {
		set(k, "CC_FLAGS_FPU", "-ffreestanding -isystem $(shell)",
		    false);
		set(k, "CC_FLAGS_NO_FPU", "-mgeneral-regs-only", false);
	} else if (fpu) {
		set(k, "CC_FLAGS_FPU", "-msse -msse2", false);
		set(k, "CC_FLAGS_NO_FPU", "", false);
	}
	set(k, "src", k->dir, true);
	set(k, "obj", k->dir, true);
	set(k, "srctree", "$$(srctree)", true);
}

static void
run(struct kbuild *k)
{
	kernel_variables(k);
	for (size_t i = 0; i < k->m.lines.n; i++)
		if (k->m.lines.v[i].kind == KS_MK_ASSIGN)
			assign(k, &k->m.lines.v[i]);
	for (size_t i = 0; i < k->m.lines.n; i++) {
		const struct ks_mkline *line = &k->m.lines.v[i];

		if (line->kind == KS_MK_ASSIGN &&
		    starts(line->name, "CFLAGS_") &&
		    !starts(line->name, "CFLAGS_REMOVE_") &&
		    strchr(line->name, '$') == NULL)
			lint_object(k, line);
	}
	for (size_t i = 0; i < k->objects.n; i++)
		lint_plain(k, k->objects.v[i].name);
}

int
ks_lint_kbuild(struct ks_lint *l, const char *path, unsigned archs,
    struct ks_error *err)
{
	const char *slash = strrchr(path, '/');
	struct kbuild k = { .l = l };
	int rc;

	rc = ks_lint_read(l, path, &k.t, err);
	if (rc != KS_OK)
		return rc;
	k.dir = slash != NULL ? ks_strndup(l->arena, path,
	    (size_t)(slash - path)) : ".";
	k.env.arena = l->arena;
	k.env.gnu = true;
	k.done = ks_strtab_new();
	k.archs = archs != 0 ? archs : strstr(path, "arch/x86/") != NULL ?
	    KS_ARCH_X86 : strstr(path, "arch/arm64/") != NULL ?
	    KS_ARCH_ARM64 : strncmp(path, "arch/", 5) == 0 ||
	    strstr(path, "/arch/") != NULL ? KS_ARCH_OTHER : 0;
	ks_mkfile_parse(l->arena, k.t->text, k.t->size, true, &k.m);
	run(&k);
	ks_strtab_free(k.done);
	ks_mkfile_free(&k.m);
	ks_vec_free(&k.env.v);
	ks_vec_free(&k.objects);
	return KS_OK;
}
