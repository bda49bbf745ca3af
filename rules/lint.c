/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What all parts of the linter use: texts with their lines, findings at a
 * byte of a text, compile rules, and the kernel's own make variables.
 *
 * The kernel's variables are a model of sys/conf/kern.pre.mk and kern.mk:
 * the flags that matter are those of the profile's "cflags ARCH base" line,
 * in the kernel's order; warnings of style are left out.  Values are the
 * kernel's ("base"), so that a word tells whether the rule itself wrote it.
 */
#include "lint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; unsigned bit; } archs[] = {
	{ "amd64", KS_ARCH_AMD64 },
	{ "i386", KS_ARCH_I386 },
	{ "arm64", KS_ARCH_ARM64 },
	{ "x86", KS_ARCH_X86 },
};

unsigned
ks_lint_arch_bit(const char *name)
{
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		if (strcmp(archs[i].name, name) == 0)
			return archs[i].bit;
	return 0;
}

const char *
ks_lint_arch_name(unsigned bits)
{
	for (size_t i = 0; i < 3; i++)
		if ((bits & archs[i].bit) != 0)
			return archs[i].name;
	return "amd64";
}

unsigned
ks_lint_list_archs(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot;
	unsigned bit;

	dot = strchr(slash != NULL ? slash : path, '.');
	if (dot == NULL)
		return KS_ARCH_ALL;
	bit = ks_lint_arch_bit(dot + 1);
	return bit != 0 ? bit : KS_ARCH_OTHER;
}

/* --- the kernel's variables --------------------------------------------- */

static const char *
base_flags(const struct ks_profile *p, const char *arch)
{
	for (size_t i = 0; p != NULL && i < p->cflags.n; i++)
		if (p->cflags.v[i].isa == 0 &&
		    strcmp(p->cflags.v[i].arch, arch) == 0)
			return p->cflags.v[i].flags;
	return "";
}

static void
set_freebsd(struct ks_mkenv *e, const struct ks_profile *p, unsigned bit)
{
	static const char *const fixed[][2] = {
		{ "CC", "cc" },
		{ "COPTFLAGS", "-O2 -pipe" },
		{ "DEBUG", "-g" },
		{ "WERROR", "-Werror" },
		{ "NO_WCAST_QUAL", "-Wno-error=cast-qual" },
		{ "PROF", "" },
		{ "ASM_CFLAGS", "-x assembler-with-cpp -DLOCORE ${CFLAGS}" },
		{ "NORMAL_C", "${CC} -c ${CFLAGS} ${WERROR} ${.IMPSRC}" },
		{ "NORMAL_C_NOWERROR", "${CC} -c ${CFLAGS} ${.IMPSRC}" },
		{ "NORMAL_S", "${CC} -c ${ASM_CFLAGS} ${WERROR} ${.IMPSRC}" },
		{ "NORMAL_CTFCONVERT", "" },
		{ "CTFCONVERT_CMD", "ctfconvert ${.TARGET}" },
	};
	/* These stand for themselves. */
	static const char *const self[] = {
		".IMPSRC", ".TARGET", ".ALLSRC", ".PREFIX", ".CURDIR",
		".OBJDIR", "SRCTOP", "SYSDIR", "MACHINE", "MACHINE_ARCH",
		"MACHINE_CPUARCH", "S", "INCLUDES", "SYSROOT",
		"COMPILER_RESOURCE_DIR",
	};
	const char *macro = p->unit_if.n > 0 ? p->unit_if.v[0] : "_KERNEL";

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		ks_mkenv_set(e, fixed[i][0], fixed[i][1], true);
	for (size_t i = 0; i < sizeof(self) / sizeof(self[0]); i++)
		ks_mkenv_set(e, self[i], ks_printf(e->arena,
		    strlen(self[i]) == 1 ? "$$%s" : "$${%s}", self[i]), true);
	ks_mkenv_set(e, "CFLAGS", ks_printf(e->arena, "${COPTFLAGS} ${DEBUG} "
	    "-I. -I$S -D%s -include opt_global.h %s%s -std=gnu17", macro,
	    base_flags(p, ks_lint_arch_name(bit)),
	    (bit & KS_ARCH_X86) != 0 ? " -mno-aes -mno-avx" : ""), true);
}

const struct ks_mkenv *
ks_lint_env(const struct ks_lint *l, unsigned bits)
{
	for (size_t i = 0; i < 3; i++)
		if ((bits & archs[i].bit) != 0)
			return &l->env[i];
	return &l->env[0];
}

int
ks_lint_init(struct ks_lint *l, const struct ks_profile *p,
    enum ks_dialect dialect, const char *sysdir)
{
	memset(l, 0, sizeof(*l));
	l->arena = ks_arena_new();
	l->f = ks_findings_new();
	l->profile = p;
	l->dialect = dialect;
	l->sysdir = sysdir;
	l->sources = ks_srcset_new(p);
	l->seen = ks_strtab_new();
	for (size_t i = 0; i < 3; i++) {
		l->env[i].arena = l->arena;
		set_freebsd(&l->env[i], p, archs[i].bit);
	}
	return KS_OK;
}

int
ks_lint_set(struct ks_lint *l, const char *const *words, size_t n,
    struct ks_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const char *eq = strchr(words[i], '=');

		if (eq == NULL || eq == words[i])
			return ks_error(err, KS_EUSAGE, "--set: '%s' is not "
			    "VAR=VALUE", words[i]);
		for (size_t k = 0; k < 3; k++)
			ks_mkenv_set(&l->env[k], ks_strndup(l->arena,
			    words[i], (size_t)(eq - words[i])),
			    ks_strdup(l->arena, eq + 1), true);
	}
	return KS_OK;
}

void
ks_lint_free(struct ks_lint *l)
{
	for (size_t i = 0; i < l->rules.n; i++) {
		ks_expansion_free(&l->rules.v[i]->x);
		ks_vec_free(&l->rules.v[i]->segs);
	}
	for (size_t i = 0; i < l->texts.n; i++)
		ks_vec_free(&l->texts.v[i]->lines);
	for (size_t i = 0; i < l->lists.n; i++)
		ks_list_free(l->lists.v[i]);
	for (size_t i = 0; i < 3; i++)
		ks_vec_free(&l->env[i].v);
	ks_vec_free(&l->rules);
	ks_vec_free(&l->texts);
	ks_vec_free(&l->lists);
	ks_strtab_free(l->seen);
	ks_srcset_free(l->sources);
	ks_findings_free(l->f);
	ks_arena_free(l->arena);
}

/* --- places ------------------------------------------------------------- */

struct ks_ltext *
ks_lint_text(struct ks_lint *l, const char *path, const char *text,
    size_t size)
{
	struct ks_ltext *t = KS_NEW(l->arena, struct ks_ltext);

	t->path = ks_strdup(l->arena, path);
	t->text = text;
	t->size = size;
	*ks_vec_push(&l->texts) = t;
	return t;
}

int
ks_lint_read(struct ks_lint *l, const char *path, struct ks_ltext **t,
    struct ks_error *err)
{
	char *text;
	size_t size;
	int rc = ks_read_file(path, &text, &size, err);

	if (rc != KS_OK)
		return rc;
	if (strlen(text) == size)
		*t = ks_lint_text(l, path,
		    ks_strndup(l->arena, text, size), size);
	else
		rc = ks_error(err, KS_EPARSE, "%s: NUL byte in a text file",
		    path);
	free(text);
	return rc;
}

static size_t
line_of(struct ks_ltext *t, uint32_t off)
{
	size_t lo = 0, hi;

	if (t->lines.n == 0) {
		*ks_vec_push(&t->lines) = 0;
		for (size_t i = 0; i < t->size; i++)
			if (t->text[i] == '\n')
				*ks_vec_push(&t->lines) = (uint32_t)i + 1;
	}
	for (hi = t->lines.n; hi - lo > 1; ) {
		size_t mid = (lo + hi) / 2;

		if (t->lines.v[mid] <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static struct ks_place_text
place_of(struct ks_ltext *t, uint32_t off)
{
	struct ks_place_text at = { .file = t->path };
	size_t line;

	if (t->text == NULL)
		return at;
	line = line_of(t, off);
	at.line = (uint32_t)line + 1;
	at.col = off - t->lines.v[line] + 1;
	return at;
}

struct ks_finding *
ks_lint_at(struct ks_lint *l, enum ks_diag d, struct ks_ltext *t,
    uint32_t off, const char *name, const char *fmt, ...)
{
	struct ks_place_text at = place_of(t, off);
	struct ks_finding *one;
	va_list ap;
	char *s = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&s, &size);

	if (f == NULL)
		abort();
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
	at.function = name;
	one = ks_finding_add(l->f, d, &at, "%s", s);
	ks_finding_event(l->f, one, s);
	free(s);
	return one;
}

void
ks_lint_note(struct ks_lint *l, struct ks_finding *one, struct ks_ltext *t,
    uint32_t off, const char *fmt, ...)
{
	struct ks_place_text at = place_of(t, off);
	va_list ap;
	char *s = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&s, &size);

	if (f == NULL)
		abort();
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
	ks_finding_note(l->f, one, &at, "%s", s);
	free(s);
}

/* --- compile rules ------------------------------------------------------ */

struct ks_crule *
ks_crule_new(struct ks_lint *l, enum ks_crule_kind kind, struct ks_ltext *t,
    uint32_t off, const char *name)
{
	struct ks_crule *r = KS_NEW(l->arena, struct ks_crule);

	r->kind = kind;
	r->text = t;
	r->off = off;
	r->name = name;
	r->kernel = true;
	*ks_vec_push(&l->rules) = r;
	return r;
}

uint32_t
ks_crule_off(const struct ks_crule *r, uint32_t at)
{
	const struct ks_seg *s = NULL;

	for (size_t i = 0; i < r->segs.n && r->segs.v[i].at <= at; i++)
		s = &r->segs.v[i];
	if (s == NULL)
		return r->off;
	return s->fixed ? s->off : s->off + (at - s->at);
}

static bool
compiler_word(const struct ks_xword *w)
{
	const char *s = strrchr(w->text, '/');

	s = s != NULL ? s + 1 : w->text;
	return strcmp(s, "cc") == 0 || strncmp(s, "gcc", 3) == 0 ||
	    strncmp(s, "clang", 5) == 0 || (strlen(s) > 4 &&
	    (strcmp(s + strlen(s) - 4, "-gcc") == 0 ||
	    strcmp(s + strlen(s) - 3, "-cc") == 0));
}

void
ks_crule_expand(struct ks_crule *r, const struct ks_mkenv *env)
{
	ks_isaset asked = 0;

	ks_expand(env, r->command, strlen(r->command), &r->x);
	for (size_t i = 0; i < r->x.words.n; i++) {
		const struct ks_xword *w = &r->x.words.v[i];

		if (!w->base)
			asked = ks_flag_apply(asked, w->text);
		r->final = ks_flag_apply(r->final, w->text);
	}
	r->asked = asked;
	r->compiles = r->x.words.n > 0 && compiler_word(&r->x.words.v[0]) &&
	    (ks_crule_has(r, "-c") || ks_crule_has(r, "-S"));
}

const struct ks_xword *
ks_crule_word(const struct ks_crule *r, const char *prefix)
{
	for (size_t i = r->x.words.n; i-- > 0; )
		if (strncmp(r->x.words.v[i].text, prefix,
		    strlen(prefix)) == 0)
			return &r->x.words.v[i];
	return NULL;
}

bool
ks_crule_has(const struct ks_crule *r, const char *word)
{
	for (size_t i = 0; i < r->x.words.n; i++)
		if (strcmp(r->x.words.v[i].text, word) == 0)
			return true;
	return false;
}

void
ks_lint_finish(struct ks_lint *l)
{
	ks_lint_cross(l);
	if (l->unread > 0) {
		struct ks_place_text at = { .file = l->sysdir };

		ks_finding_add(l->f, KS_D_RULES_UNRESOLVED, &at,
		    "%zu rule%s with SIMD flags: the source was not found "
		    "below this folder, and what it needs is not checked",
		    l->unread, l->unread == 1 ? "" : "s");
	}
}
