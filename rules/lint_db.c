/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lints the compile commands that a build really ran: what DIR holds of
 * compile_commands.json, .*.cmd files (Kbuild) and *.meta files (bmake's
 * meta mode).
 *
 * A command is judged if it compiles a C file of the kernel, known by the
 * kernel's macro (-D_KERNEL, -D__KERNEL__): flags lost, order, machine and
 * what the source needs.  Findings are placed at the source, as a command's
 * place in a log is of no use.
 */
#include "lint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

struct db {
	struct ks_lint	*l;
	struct ks_mkenv	 env;
	size_t		 commands;
	struct ks_strtab *seen;		/* objects */
	bool		 json;
};

static bool
ends(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

static const char *
join(struct ks_lint *l, const char *dir, const char *path)
{
	return *path == '/' || dir == NULL ? path :
	    ks_printf(l->arena, "%s/%s", dir, path);
}

static unsigned
command_archs(const struct ks_crule *r)
{
	if (ks_crule_has(r, "-mgeneral-regs-only") &&
	    !ks_crule_has(r, "-mno-red-zone"))
		return KS_ARCH_ARM64;
	if (ks_crule_has(r, "-m32"))
		return KS_ARCH_I386;
	return KS_ARCH_AMD64;
}

/* The kernel's code, as its macro says. */
static bool
is_kernel(const struct db *d, const struct ks_crule *r)
{
	const struct ks_profile *p = d->l->profile;

	for (size_t i = 0; i < p->unit_if.n; i++)
		if (ks_crule_has(r, ks_printf(d->l->arena, "-D%s",
		    p->unit_if.v[i])))
			return true;
	return p->unit_if.n == 0;
}

/* Base flags that a SIMD file's command lacks. */
static void
check_base(struct db *d, struct ks_crule *r)
{
	static const char *const must[] = {
		"-mcmodel=kernel", "-mno-red-zone",
	};

	if (r->archs != KS_ARCH_AMD64 || r->final == 0)
		return;
	for (size_t i = 0; i < 2; i++)
		if (!ks_crule_has(r, must[i]))
			ks_lint_at(d->l, KS_D_RULES_BASE_FLAG_LOST, r->text, 0,
			    r->name, "the command lacks %s: %s", must[i],
			    ks_flag_reason(must[i]));
}

static void
add_command(struct db *d, const char *dir, const char *command)
{
	const char *source = NULL, *object = NULL;
	struct ks_ltext *t;
	struct ks_crule *r;

	r = KS_NEW(d->l->arena, struct ks_crule);
	r->kind = KS_CR_COMMAND;
	r->command = command;
	r->kernel = true;
	ks_crule_expand(r, &d->env);
	for (size_t i = 1; i < r->x.words.n; i++) {
		const char *w = r->x.words.v[i].text;

		if (strcmp(r->x.words.v[i - 1].text, "-o") == 0)
			object = w;
		else if (*w != '-' && ends(w, ".c"))
			source = w;
	}
	if (!r->compiles || source == NULL || !is_kernel(d, r) ||
	    ks_intern_find(d->seen, object != NULL ? object : source) != 0) {
		ks_expansion_free(&r->x);
		return;
	}
	ks_intern(d->seen, object != NULL ? object : source);
	d->commands++;
	t = ks_lint_text(d->l, source, NULL, 0);
	r->text = t;
	r->name = object != NULL ? object : source;
	r->source = source;
	r->path = join(d->l, dir, source);
	r->archs = command_archs(r);
	r->plain = false;
	*ks_vec_push(&d->l->rules) = r;
	check_base(d, r);
	ks_lint_rule(d->l, r);
}

/* A word as a shell would need it. */
static const char *
quote(struct ks_lint *l, const char *w)
{
	char *s = ks_alloc(l->arena, 2 * strlen(w) + 1), *p = s;

	for (; *w != '\0'; w++) {
		if (strchr(" \t\n\"'\\", *w) != NULL)
			*p++ = '\\';
		*p++ = *w;
	}
	return s;
}

static const char *
hide_dollars(struct ks_lint *l, const char *s)
{
	char *t = ks_alloc(l->arena, 2 * strlen(s) + 1), *p = t;

	for (; *s != '\0'; s++) {
		if (*s == '$')
			*p++ = '$';
		*p++ = *s;
	}
	return t;
}

static int
read_json(struct db *d, const char *path, struct ks_error *err)
{
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why), *one, *args, *word;
	size_t i, j;

	if (!json_is_array(root)) {
		json_decref(root);
		return ks_error(err, KS_EPARSE, "%s:%d:%d: %s", path,
		    why.line, why.column, root == NULL ? why.text :
		    "no list of commands");
	}
	json_array_foreach(root, i, one) {
		const char *dir = json_string_value(json_object_get(one,
		    "directory"));
		const char *text = json_string_value(json_object_get(one,
		    "command"));

		args = json_object_get(one, "arguments");
		if (text == NULL && json_is_array(args)) {
			text = "";
			json_array_foreach(args, j, word)
				text = ks_printf(d->l->arena, "%s %s", text,
				    quote(d->l, json_string_value(word) !=
				    NULL ? json_string_value(word) : ""));
		}
		if (text != NULL)
			add_command(d, dir != NULL ? ks_strdup(d->l->arena,
			    dir) : NULL, hide_dollars(d->l, text));
	}
	json_decref(root);
	d->json = true;
	return KS_OK;
}

/* "savedcmd_x.o := gcc ..." of Kbuild; "CMD cc ..." of bmake. */
static void
read_log(struct db *d, const char *top, const char *path)
{
	bool meta = ends(path, ".meta");
	char *text, *line, *next;
	const char *cwd = top;
	size_t size;

	if (ks_read_file(path, &text, &size, NULL) != KS_OK)
		return;
	for (line = text; line != NULL && *line != '\0'; line = next) {
		char *p = NULL;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		if (meta && strncmp(line, "CWD ", 4) == 0)
			cwd = ks_strdup(d->l->arena, line + 4);
		else if (meta && strncmp(line, "CMD ", 4) == 0)
			p = line + 4;
		else if (!meta && (strncmp(line, "cmd_", 4) == 0 ||
		    strncmp(line, "savedcmd_", 9) == 0))
			p = strstr(line, ":= ");
		if (p == NULL)
			continue;
		p += meta ? 0 : 3;
		/* Kbuild may run more behind the compiler. */
		p[strcspn(p, ";&|")] = '\0';
		add_command(d, cwd, hide_dollars(d->l, ks_strdup(d->l->arena,
		    p)));
	}
	free(text);
}

static int
cmp_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
walk(struct db *d, const char *top, const char *dir, unsigned depth,
    struct ks_error *err)
{
	KS_VEC(const char *) names = { 0 };
	struct dirent *e;
	struct stat st;
	DIR *handle = opendir(dir);

	if (handle == NULL)
		return depth > 0 ? KS_OK : ks_error(err, KS_EIO,
		    "%s: cannot read the folder", dir);
	while ((e = readdir(handle)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			*ks_vec_push(&names) = ks_printf(d->l->arena, "%s/%s",
			    dir, e->d_name);
	closedir(handle);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof(*names.v), cmp_name);
	for (size_t i = 0; i < names.n; i++) {
		if (lstat(names.v[i], &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < 64)
			walk(d, top, names.v[i], depth + 1, err);
		else if (S_ISREG(st.st_mode) && (ends(names.v[i], ".cmd") ||
		    ends(names.v[i], ".meta")))
			read_log(d, top, names.v[i]);
	}
	ks_vec_free(&names);
	return KS_OK;
}

int
ks_lint_commands(struct ks_lint *l, const char *dir, struct ks_error *err)
{
	const char *json = ks_printf(l->arena, "%s/compile_commands.json",
	    dir);
	struct db d = { .l = l, .env = { .arena = l->arena } };
	struct stat st;
	int rc = KS_OK;

	d.seen = ks_strtab_new();
	if (stat(json, &st) == 0)
		rc = read_json(&d, json, err);
	if (rc == KS_OK && !d.json)
		rc = walk(&d, dir, dir, 0, err);
	ks_strtab_free(d.seen);
	ks_vec_free(&d.env.v);
	if (rc == KS_OK && d.commands == 0)
		rc = ks_error(err, KS_ENOTSUP, "%s: no compile command of a "
		    "kernel (compile_commands.json, .cmd, .meta)", dir);
	return rc;
}
