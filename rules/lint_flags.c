/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Judges one compile rule by the command it comes to.
 *
 *   1. Whose words: those that the rule wrote, and those of the kernel's
 *      variables, in the command's order.  What cannot be resolved is told
 *      once a variable, and no conclusion is drawn from a word's absence.
 *   2. The command alone: flags lost, position-independent code, order,
 *      fixed levels, alignment, machine, dead modifiers.
 *   3. With the source, if it is found: headers, guards, instruction sets,
 *      regions.  It is looked at only for rules that have SIMD flags, or
 *      that name an intrinsics' header.
 *
 * Rules that link, and those for code outside the kernel, are not judged.
 */
#include "lint.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Sets whose use is seen in the source by name. */
#define VISIBLE	(KS_ISA_BIT(AES) | KS_ISA_BIT(PCLMUL) | KS_ISA_BIT(SHA) | \
	KS_ISA_BIT(AVX) | KS_ISA_BIT(AVX2) | KS_ISA_BIT(AVX512F) |	    \
	KS_ISA_BIT(AVX512BW) | KS_ISA_BIT(AVX512VL) | KS_ISA_BIT(VAES) |   \
	KS_ISA_BIT(SSE41) | KS_ISA_BIT(SSE42) | KS_ISA_BIT(VPCLMUL))
#define ANY_SSE	(KS_ISA_BIT(SSE) | KS_ISA_BIT(SSE2) | KS_ISA_BIT(AVX))

static bool
ends_in(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && strcmp(s + n - k, tail) == 0;
}

static bool
is_asm(const struct ks_crule *r)
{
	return r->source != NULL && (ends_in(r->source, ".S") ||
	    ends_in(r->source, ".s"));
}

static bool
resolved(const struct ks_crule *r)
{
	return r->x.unresolved.n == 0;
}

static uint32_t
word_off(const struct ks_crule *r, const struct ks_xword *w)
{
	return w != NULL ? ks_crule_off(r, w->off) : r->off;
}

/* A finding at word W, or at the rule's name without one. */
#define at_word(l, r, d, w, ...)					\
	ks_lint_at((l), (d), (r)->text, word_off((r), (w)), (r)->name,	\
	    __VA_ARGS__)

/* The variable that the command's flags come from, or NULL. */
static bool
from_cflags(const struct ks_crule *r)
{
	for (size_t i = 0; i < r->x.words.n; i++) {
		const char *v = r->x.words.v[i].var;

		if (v != NULL && (strstr(v, "CFLAGS") != NULL ||
		    strncmp(v, "NORMAL_", 7) == 0))
			return true;
	}
	/* A modifier may have left nothing. */
	for (size_t i = 0; i < r->x.mods.n; i++)
		if (strstr(r->x.mods.v[i].var, "CFLAGS") != NULL)
			return true;
	return false;
}

/* Words of the kernel's flags for the rule's machine, by expansion. */
static void
kernel_words(struct ks_lint *l, const struct ks_crule *r,
    struct ks_expansion *x)
{
	ks_expand(ks_lint_env(l, r->archs), "${CFLAGS}", 9, x);
}

/* --- replacement -------------------------------------------------------- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
same_stem(const char *a, const char *b)
{
	size_t n, m;

	a = base_name(a);
	b = base_name(b);
	n = strcspn(a, ".");
	m = strcspn(b, ".");
	return n == m && memcmp(a, b, n) == 0;
}

/* The flags of the sets, as the generator spells them, or what was there. */
static const char *
isa_text(struct ks_lint *l, const struct ks_crule *r)
{
	ks_isaset set = r->asked;
	const char *text = "";

	if (r->looked && r->src.found && r->src.needs != 0)
		set |= r->src.needs;
	set = ks_isa_minimal(set & ~KS_ISA_BIT(X87));
	for (int i = 0; i < KS_ISA_MAX; i++)
		if ((set >> i & 1) != 0 && ks_isa_flag((enum ks_isa)i) != NULL)
			text = ks_printf(l->arena, "%s %s", text,
			    ks_isa_flag((enum ks_isa)i));
	if ((set & KS_ISA_BIT(SSE2)) == 0 && set != 0 &&
	    (set & ~(KS_ISA_BIT(AES) | KS_ISA_BIT(PCLMUL) |
	    KS_ISA_BIT(SHA))) == 0)
		text = ks_printf(l->arena, " -msse2%s", text);
	return text;
}

const char *
ks_lint_replacement(struct ks_lint *l, const struct ks_crule *r)
{
	const struct ks_xword *level = ks_crule_word(r, "-O");
	const char *mod = "", *keep = "", *isa = isa_text(l, r);

	if (level != NULL && strcmp(level->text, "-O2") != 0 &&
	    strlen(level->text) == 3)
		mod = ks_printf(l->arena, ":C/^-O2$/%s/", level->text);
	for (size_t i = 0; i < r->x.words.n; i++) {
		const struct ks_xword *w = &r->x.words.v[i];

		if (w->var == NULL && (strncmp(w->text, "-D", 2) == 0 ||
		    strncmp(w->text, "-I", 2) == 0 ||
		    strncmp(w->text, "-U", 2) == 0))
			keep = ks_printf(l->arena, "%s %s", keep, w->text);
	}
	return ks_printf(l->arena, "${CC} -c ${CFLAGS%s%s} ${WERROR}%s%s%s%s",
	    mod, *isa != '\0' || mod[0] != '\0' ? ":N-nostdinc" : "",
	    *isa != '\0' || mod[0] != '\0' ? " ${NO_WCAST_QUAL}" : "", isa,
	    keep, r->source == NULL || same_stem(r->name, r->source) ?
	    " ${.IMPSRC}" : ks_printf(l->arena, " -o ${.TARGET} $S/%s",
	    r->source));
}

static void
note_replacement(struct ks_lint *l, struct ks_crule *r,
    struct ks_finding *one)
{
	ks_lint_note(l, one, r->text, ks_crule_off(r, 0), "write: %s",
	    ks_lint_replacement(l, r));
}

/* --- the command alone -------------------------------------------------- */

/* Base flags that may be taken out, or that another check is for. */
static bool
may_go(const char *word)
{
	static const char *const ok[] = {
		"-O*", "-g*", "-pipe", "-nostdinc", "-I*", "-D*", "-include",
		"opt_global.h", "-std=*", "-mno-*", "-msoft-float", "-f*pic",
		"-mgeneral-regs-only", "-ffreestanding", "-mregparm=*",
		"-fno-asynchronous-unwind-tables", "-fno-pic",
	};

	if (strcmp(word, "-mno-red-zone") == 0)
		return false;
	for (size_t i = 0; i < sizeof(ok) / sizeof(ok[0]); i++)
		if (fnmatch(ok[i], word, 0) == 0)
			return true;
	return false;
}

/* The modifier that took WORD out, or NULL. */
static const struct ks_xmod *
taker(const struct ks_crule *r, const char *word)
{
	for (size_t i = 0; i < r->x.mods.n; i++) {
		const struct ks_xmod *m = &r->x.mods.v[i];

		if ((m->op == 'N' && fnmatch(m->arg, word, 0) == 0) ||
		    (m->op == 'M' && fnmatch(m->arg, word, 0) != 0) ||
		    ((m->op == 'S' || m->op == 'C') && m->changed))
			return m;
	}
	return NULL;
}

/* An -O modifier on ${COPTFLAGS}, which is a part of ${CFLAGS}. */
static void
note_coptflags(struct ks_lint *l, struct ks_crule *r,
    struct ks_finding *one)
{
	for (size_t i = 0; i < r->x.mods.n; i++) {
		const struct ks_xmod *m = &r->x.mods.v[i];

		if (strcmp(m->var, "COPTFLAGS") == 0)
			ks_lint_note(l, one, r->text, ks_crule_off(r, m->off),
			    "the modifier ':%s' belongs to ${CFLAGS}, which "
			    "holds ${COPTFLAGS}", m->arg);
	}
}

static void
check_lost(struct ks_lint *l, struct ks_crule *r)
{
	struct ks_expansion k;
	const char *lost = "";
	struct ks_finding *one;

	if (!resolved(r))
		return;
	kernel_words(l, r, &k);
	if (!from_cflags(r)) {
		for (size_t i = 0; i < k.words.n; i++) {
			const char *w = k.words.v[i].text;

			if ((!may_go(w) || strncmp(w, "-D_", 3) == 0) &&
			    !ks_crule_has(r, w) && strlen(lost) < 160)
				lost = ks_printf(l->arena, "%s%s%s", lost,
				    *lost != '\0' ? ", " : "", w);
		}
		one = at_word(l, r, KS_D_RULES_CFLAGS_LOST, &r->x.words.v[0],
		    "the command has not the kernel's ${CFLAGS}: lost are "
		    "%s%s", lost, ks_crule_has(r, "-Werror") ? "" :
		    " and -Werror");
		note_replacement(l, r, one);
		note_coptflags(l, r, one);
		ks_expansion_free(&k);
		return;
	}
	for (size_t i = 0; i < k.words.n; i++) {
		const char *w = k.words.v[i].text;
		const struct ks_xmod *m = taker(r, w);

		/* Offsets are got from an object with -fcommon. */
		if (may_go(w) || strcmp(w, "-fno-common") == 0 ||
		    ks_crule_has(r, w) || m == NULL)
			continue;
		one = ks_lint_at(l, KS_D_RULES_BASE_FLAG_LOST, r->text,
		    ks_crule_off(r, m->off), r->name,
		    "this modifier takes %s out: %s", w,
		    ks_flag_reason(w) != NULL ? ks_flag_reason(w) :
		    "the kernel needs it");
		note_replacement(l, r, one);
	}
	ks_expansion_free(&k);
}

/* Words that undo a base flag. */
static void
check_undone(struct ks_lint *l, struct ks_crule *r, const struct ks_xword *w)
{
	static const char *const undo[][2] = {
		{ "-mred-zone", "-mno-red-zone" },
		{ "-mcmodel=small", "-mcmodel=kernel" },
		{ "-mcmodel=medium", "-mcmodel=kernel" },
		{ "-mcmodel=large", "-mcmodel=kernel" },
		{ "-fno-wrapv", "-fwrapv" },
		{ "-fstrict-aliasing", "-fno-strict-aliasing" },
	};

	for (size_t i = 0; i < sizeof(undo) / sizeof(undo[0]); i++) {
		if (strcmp(w->text, undo[i][0]) != 0)
			continue;
		/* The last counts. */
		if (ks_crule_word(r, undo[i][0]) < ks_crule_word(r,
		    undo[i][1]))
			continue;
		at_word(l, r, KS_D_RULES_BASE_FLAG_LOST, w,
		    "'%s' undoes the kernel's %s", w->text, undo[i][1]);
	}
}

/* The last word that switches off a set of ASKED that W switched on. */
static const struct ks_xword *
undoer(const struct ks_crule *r, const struct ks_xword *w)
{
	ks_isaset set, off;

	if (ks_flag_isa(w->text, &set) != KS_FLAG_ON)
		return NULL;
	for (size_t i = r->x.words.n; i-- > 0; ) {
		const struct ks_xword *o = &r->x.words.v[i];

		if (o <= w)
			return NULL;
		if (ks_flag_isa(o->text, &off) == KS_FLAG_OFF &&
		    (ks_flag_apply(set, o->text) & set) != set &&
		    (set & r->final) != set)
			return o;
	}
	return NULL;
}

static void
check_order(struct ks_lint *l, struct ks_crule *r, const struct ks_xword *w)
{
	const struct ks_xword *o = undoer(r, w);
	struct ks_finding *one;

	if (o == NULL)
		return;
	one = at_word(l, r, KS_D_RULES_FLAG_ORDER, w, "'%s' has no effect: "
	    "'%s' comes behind it, and the last counts", w->text, o->text);
	if (o->var != NULL)
		ks_lint_note(l, one, r->text, ks_crule_off(r, o->off),
		    "it is one of ${%s}; write the instruction sets behind",
		    o->var);
}

static void
check_pic(struct ks_lint *l, struct ks_crule *r, const struct ks_xword *w)
{
	static const char *const pic[] = { "-fpic", "-fPIC", "-fpie", "-fPIE" };

	if ((r->archs & KS_ARCH_AMD64) == 0 &&
	    (r->archs != 0 || r->kind == KS_CR_KBUILD))
		return;
	for (size_t i = 0; i < 4; i++) {
		if (strcmp(w->text, pic[i]) != 0)
			continue;
		at_word(l, r, KS_D_RULES_PIC, w, "'%s' in an amd64 kernel: "
		    "gcc refuses it beside -mcmodel=kernel, clang makes loads "
		    "through a GOT that kernel loaders refuse; take it out, "
		    "${CFLAGS} has what the link needs", w->text);
	}
}

static void
check_align(struct ks_lint *l, struct ks_crule *r, const struct ks_xword *w)
{
	static const char bytes[] = "-mstack-alignment=";
	static const char log2[] = "-mpreferred-stack-boundary=";
	bool amd64 = r->archs != KS_ARCH_I386;
	unsigned long n;
	char *end;

	if (strncmp(w->text, bytes, sizeof(bytes) - 1) == 0) {
		n = strtoul(w->text + sizeof(bytes) - 1, &end, 10);
		if ((n & (n - 1)) != 0 || n < (amd64 ? 8 : 4))
			at_word(l, r, KS_D_RULES_STACK_ALIGN, w,
			    "'%s' is in bytes, for clang: %s", w->text,
			    "gcc's -mpreferred-stack-boundary is the "
			    "exponent (3 there is 8 here, 4 is 16)");
	} else if (strncmp(w->text, log2, sizeof(log2) - 1) == 0) {
		n = strtoul(w->text + sizeof(log2) - 1, &end, 10);
		if (n > 6 || n < 2)
			at_word(l, r, KS_D_RULES_STACK_ALIGN, w,
			    "'%s' is an exponent, for gcc: %s", w->text,
			    "clang's -mstack-alignment is in bytes (8 there "
			    "is 3 here, 16 is 4)");
	}
}

static void
check_machine(struct ks_lint *l, struct ks_crule *r, const struct ks_xword *w)
{
	bool march = strncmp(w->text, "-march=", 7) == 0 ||
	    strncmp(w->text, "-mcpu=", 6) == 0;

	if (ks_flag_x86_only(w->text) && r->archs != 0 && !r->guarded &&
	    (r->archs & ~(unsigned)KS_ARCH_X86) != 0)
		at_word(l, r, KS_D_RULES_WRONG_ARCH, w, "'%s' is x86's, and "
		    "this rule is used on other machines, too%s", w->text,
		    r->archs == KS_ARCH_ALL ? "" :
		    ": no condition on the machine is around it");
	if (!march)
		return;
	if ((r->archs & KS_ARCH_ARM64) != 0 &&
	    (r->archs & KS_ARCH_X86) == 0) {
		if (w->var == NULL)
			at_word(l, r, KS_D_RULES_FIXED_MARCH, w,
			    "'%s' overrides the CPUTYPE that the kernel is "
			    "built for; write %s", w->text,
			    "${CFLAGS:M-march=*:S/^$/-march=armv8-a/}+crypto");
	} else if (w->var == NULL) {
		at_word(l, r, KS_D_RULES_MARCH, w, "'%s' sets more than the "
		    "instruction sets: BMI and AES macros stay defined behind "
		    "-mno-sse, and code keyed on them uses vectors; name the "
		    "sets", w->text);
	}
}

static void
check_soft_float(struct ks_lint *l, struct ks_crule *r)
{
	const struct ks_xmod *m = taker(r, "-msoft-float");

	if (m == NULL || ks_crule_has(r, "-msoft-float") ||
	    (r->archs & KS_ARCH_X86) == 0 || m->op == 'S' || m->op == 'C' ||
	    (r->asked & KS_ISA_BIT(X87)) != 0)
		return;
	ks_lint_at(l, KS_D_RULES_SOFT_FLOAT_LOST, r->text,
	    ks_crule_off(r, m->off), r->name, "this modifier takes "
	    "-msoft-float out: clang then makes vector code of loops and "
	    "copies anywhere in the file; intrinsics work with it");
}

/* Does pattern P take only -mno-SET words, which later words undo anyway? */
static bool
leftover(const char *p)
{
	return strncmp(p, "-mno-", 5) == 0 && p[5] != '\0' &&
	    (strncmp(p + 5, "sse", 3) == 0 || strncmp(p + 5, "aes", 3) == 0 ||
	    strncmp(p + 5, "avx", 3) == 0 || strncmp(p + 5, "mmx", 3) == 0);
}

static void
check_mods(struct ks_lint *l, struct ks_crule *r)
{
	struct ks_expansion k;

	kernel_words(l, r, &k);
	for (size_t i = 0; i < r->x.mods.n; i++) {
		const struct ks_xmod *m = &r->x.mods.v[i];
		uint32_t off = ks_crule_off(r, m->off);
		bool near = false;

		if (m->glued)
			ks_lint_at(l, KS_D_RULES_DEAD_MODIFIER, r->text, off,
			    r->name, "no ':' between this modifier and the "
			    "next: some versions of make refuse it");
		if (m->op != 'N')
			continue;
		for (size_t j = 0; j < k.words.n && !m->changed; j++)
			near |= *m->arg != '-' && fnmatch(ks_printf(l->arena,
			    "-%s", m->arg), k.words.v[j].text, 0) == 0;
		if (near)
			ks_lint_at(l, KS_D_RULES_DEAD_MODIFIER, r->text, off,
			    r->name, "':N%s' takes nothing out; did you mean "
			    "':N-%s'?", m->arg, m->arg);
		else if (leftover(m->arg))
			ks_lint_at(l, KS_D_RULES_DEAD_MODIFIER, r->text, off,
			    r->name, "':N%s' is not needed: the sets come "
			    "behind, and the last counts", m->arg);
	}
	ks_expansion_free(&k);
}

static void
check_general_regs(struct ks_lint *l, struct ks_crule *r)
{
	const struct ks_xword *g = ks_crule_word(r, "-mgeneral-regs-only");
	const struct ks_xword *m = ks_crule_word(r, "-march=");
	bool vector = m != NULL &&
	    (strstr(m->text, "+crypto") != NULL ||
	    strstr(m->text, "+aes") != NULL || strstr(m->text, "+sha") != NULL ||
	    strstr(m->text, "+simd") != NULL);

	if (g == NULL || r->archs != KS_ARCH_ARM64)
		return;
	if (r->looked && r->src.found)
		vector |= r->src.fp_asm || (r->src.header != NULL &&
		    strcmp(r->src.header, "arm_neon.h") == 0);
	if (vector)
		at_word(l, r, KS_D_RULES_GENERAL_REGS, g,
		    "vector code is compiled with -mgeneral-regs-only: clang "
		    "refuses it, in assembly, too; write "
		    "${CFLAGS:N-mgeneral-regs-only}");
}

static void
check_words(struct ks_lint *l, struct ks_crule *r)
{
	const struct ks_xword *soft = NULL;

	for (size_t i = 0; i < r->x.words.n; i++) {
		const struct ks_xword *w = &r->x.words.v[i];

		if (w->base)
			continue;
		check_order(l, r, w);
		check_pic(l, r, w);
		check_align(l, r, w);
		check_machine(l, r, w);
		if (is_asm(r))
			continue;
		check_undone(l, r, w);
		if (strcmp(w->text, "-mhard-float") == 0 &&
		    (r->archs == 0 || (r->archs & KS_ARCH_X86) != 0))
			soft = w;
		if (w->var == NULL && strncmp(w->text, "-O", 2) == 0 &&
		    r->kind != KS_CR_COMMAND && r->kind != KS_CR_KBUILD)
			at_word(l, r, KS_D_RULES_FIXED_LEVEL, w, "'%s' is "
			    "fixed: a kernel built for debugging gets it, "
			    "too; write ${CFLAGS:C/^-O2$/%s/}", w->text,
			    w->text);
	}
	if (soft != NULL && !r->gcc_float)
		at_word(l, r, KS_D_RULES_HARD_FLOAT, soft,
		    "clang refuses -mhard-float on x86: give it to gcc only");
}

/* --- with the source ---------------------------------------------------- */

static void
look(struct ks_lint *l, struct ks_crule *r)
{
	KS_VEC(const char *) dirs = { 0 };

	if (r->looked || r->path == NULL)
		return;
	r->looked = true;
	for (size_t i = 0; i < r->ndirs; i++)
		*ks_vec_push(&dirs) = r->dirs[i];
	for (size_t i = 0; i < r->x.words.n; i++) {
		const char *w = r->x.words.v[i].text;

		if (strncmp(w, "-I$S/", 5) == 0)
			*ks_vec_push(&dirs) = ks_printf(l->arena, "%s/%s",
			    l->sysdir, w + 5);
		else if (strncmp(w, "-I", 2) == 0 && w[2] != '\0' &&
		    strchr(w, '$') == NULL)
			*ks_vec_push(&dirs) = w + 2;
	}
	*ks_vec_push(&dirs) = l->sysdir;
	ks_source_look(l->sources, r->path, dirs.v, dirs.n, &r->src);
	ks_vec_free(&dirs);
}

static const char *
dir_of(struct ks_lint *l, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? "." : ks_printf(l->arena, "%.*s",
	    (int)(slash - path), path);
}

static bool
arm_header(const struct ks_source *s)
{
	return s->header != NULL && strncmp(s->header, "arm_", 4) == 0;
}

static void
check_headers(struct ks_lint *l, struct ks_crule *r)
{
	bool own = ks_crule_word(r, "-isystem") != NULL;
	bool hidden = ks_crule_has(r, "-nostdinc");
	const struct ks_xword *n = ks_crule_word(r, "-nostdinc");

	if (r->src.header == NULL || !resolved(r))
		return;
	if (hidden && !own) {
		at_word(l, r, KS_D_RULES_NO_HEADERS, n, "-nostdinc hides "
		    "<%s>, which %s includes; write ${CFLAGS:N-nostdinc}",
		    r->src.header, r->src.header_in);
		return;
	}
	if (arm_header(&r->src))
		return;
	if (!r->src.gcc_guard && ks_crule_word(r,
	    "-D_MM_MALLOC_H_INCLUDED") == NULL)
		at_word(l, r, KS_D_RULES_MM_MALLOC, n, "gcc's <%s> includes "
		    "mm_malloc.h, and that the host's stdlib.h; add "
		    "-D_MM_MALLOC_H_INCLUDED", r->src.header);
	else if (!r->src.clang_guard && !ks_crule_has(r, "-ffreestanding") &&
	    ks_crule_word(r, "-D__MM_MALLOC_H") == NULL)
		at_word(l, r, KS_D_RULES_MM_MALLOC, n, "clang's <%s> includes "
		    "mm_malloc.h unless the build is freestanding; add "
		    "-ffreestanding or -D__MM_MALLOC_H", r->src.header);
}

static void
check_isa(struct ks_lint *l, struct ks_crule *r)
{
	ks_isaset have = ks_isa_closure(r->final), need, excess;
	char buf[512];

	need = ks_isa_closure(r->src.needs);
	if (r->src.targets || !resolved(r))
		return;
	if ((need & ~have) != 0 && r->asked != 0)
		at_word(l, r, KS_D_RULES_ISA_MISSING, NULL,
		    "the source needs '%s' (%s), which no flag of the rule "
		    "switches on", ks_isa_print(ks_isa_minimal(r->src.needs) &
		    ~have, buf, sizeof(buf)), r->src.intrinsic);
	if (!r->src.complete || r->src.opaque || arm_header(&r->src))
		return;
	excess = ks_isa_closure(r->asked) & ~need & VISIBLE;
	if (r->src.needs == 0 && !r->src.fp && r->src.header == NULL)
		excess = r->asked;
	excess &= r->final;
	if (excess != 0) {
		excess = r->src.needs == 0 ? ks_isa_minimal(excess) : excess;
		at_word(l, r, KS_D_RULES_ISA_UNNEEDED, NULL, "the rule "
		    "switches on '%s', which the source does not use: the "
		    "compiler may use it anywhere in the file%s",
		    ks_isa_print(ks_isa_minimal(excess), buf, sizeof(buf)),
		    r->src.needs == 0 && !r->src.fp ?
		    "; it has no SIMD and no floating point left" : "");
	}
}

static void
check_regions(struct ks_lint *l, struct ks_crule *r)
{
	struct ks_finding *one;

	if (r->src.enter != NULL && (r->asked & ~KS_ISA_BIT(X87)) != 0) {
		one = at_word(l, r, KS_D_RULES_GUARD_IN_SIMD_FILE, NULL,
		    "'%s' is called in a file compiled with SIMD: the compiler "
		    "may use vector registers before it; keep regions and "
		    "SIMD in two files", r->src.enter);
		ks_lint_note(l, one, r->text, r->off, "the call is at %s:%u",
		    r->path, r->src.enter_line);
	}
	if (r->kind != KS_CR_COMMAND && r->src.complete && !r->src.enters &&
	    (r->src.intrinsic != NULL || r->src.header != NULL) &&
	    !ks_source_dir_enters(l->sources, dir_of(l, r->path)))
		at_word(l, r, KS_D_RULES_NO_REGION, NULL, "%s uses "
		    "intrinsics, and neither it nor a file beside it saves "
		    "the FPU's state (%s)", r->source,
		    l->profile->name != NULL &&
		    strcmp(l->profile->name, "linux") == 0 ?
		    "kernel_fpu_begin" : "fpu_kern_enter");
}

static void
check_source(struct ks_lint *l, struct ks_crule *r)
{
	look(l, r);
	if (!r->looked || !r->src.found) {
		l->unread += r->asked != 0 && !is_asm(r);
		return;
	}
	if (is_asm(r))
		return;
	if (r->asked == 0 && (r->final & ANY_SSE) == 0 && resolved(r) &&
	    !r->src.targets && !arm_header(&r->src) &&
	    (r->src.header != NULL || r->src.needs != 0)) {
		at_word(l, r, KS_D_RULES_SIMD_WITHOUT_FLAGS, NULL,
		    "%s uses %s, and its rule switches no instruction set on",
		    r->source, r->src.intrinsic != NULL ? r->src.intrinsic :
		    r->src.header);
		return;
	}
	check_headers(l, r);
	check_isa(l, r);
	check_regions(l, r);
}

/* --- all ---------------------------------------------------------------- */

static void
tell_unresolved(struct ks_lint *l, struct ks_crule *r)
{
	for (size_t i = 0; i < r->x.unresolved.n; i++) {
		const struct ks_unresolved *u = &r->x.unresolved.v[i];

		if (ks_intern_find(l->seen, u->name) != 0)
			continue;
		ks_intern(l->seen, u->name);
		ks_lint_at(l, KS_D_RULES_UNRESOLVED, r->text,
		    ks_crule_off(r, u->off), r->name, "'%s' is not known "
		    "here: what it may hold is not checked", u->name);
	}
}

/* Code that is linked by the same command, or runs elsewhere. */
static bool
outside_kernel(const struct ks_crule *r)
{
	return ks_crule_has(r, "-shared") || ks_crule_has(r, "-nostdlib") ||
	    ks_crule_word(r, "-Wl,") != NULL || ks_crule_has(r, "-E") ||
	    ks_crule_has(r, "-fsyntax-only") || !r->kernel;
}

static void
check_plain(struct ks_lint *l, struct ks_crule *r)
{
	if (r->path == NULL || is_asm(r) ||
	    !ks_source_has_header(l->sources, r->path))
		return;
	look(l, r);
	if (r->src.targets || arm_header(&r->src))
		return;
	at_word(l, r, KS_D_RULES_SIMD_WITHOUT_FLAGS, NULL,
	    "%s uses %s, and its rule switches no instruction set on",
	    r->source, r->src.intrinsic != NULL ? r->src.intrinsic :
	    r->src.header);
}

void
ks_lint_rule(struct ks_lint *l, struct ks_crule *r)
{
	const char *prof;

	if (r->plain) {
		check_plain(l, r);
		return;
	}
	if (!r->compiles || outside_kernel(r))
		return;
	tell_unresolved(l, r);
	if (r->archs == KS_ARCH_ARM64 && is_asm(r))
		look(l, r);
	check_words(l, r);
	check_mods(l, r);
	check_general_regs(l, r);
	if (is_asm(r)) {
		if (ks_crule_has(r, "-g0") && !r->no_ctf &&
		    r->kind == KS_CR_LIST)
			at_word(l, r, KS_D_RULES_CTF, ks_crule_word(r, "-g0"),
			    "-g0 leaves no debug information for ctfconvert; "
			    "add no-ctfconvert");
		return;
	}
	if (r->kind != KS_CR_KBUILD && r->kind != KS_CR_COMMAND) {
		look(l, r);
		check_lost(l, r);
		check_soft_float(l, r);
		if (!r->nowerror && resolved(r) && from_cflags(r) &&
		    !ks_crule_has(r, "-Werror"))
			note_replacement(l, r, at_word(l, r,
			    KS_D_RULES_WERROR_LOST, &r->x.words.v[0],
			    "the command has not ${WERROR}: warnings pass here "
			    "that stop the rest of the kernel"));
		prof = strstr(r->command, "${PROF}");
		if (prof != NULL && l->dialect >= KS_FREEBSD_14)
			ks_lint_at(l, KS_D_RULES_PROF, r->text, ks_crule_off(
			    r, (uint32_t)(prof - r->command)), r->name,
			    "${PROF} is nothing since FreeBSD 14");
		if ((r->asked & ANY_SSE) != 0 && (r->archs & KS_ARCH_X86) != 0
		    && (r->asked & KS_ISA_BIT(X87)) == 0 &&
		    !ks_crule_has(r, "-mno-80387"))
			at_word(l, r, KS_D_RULES_X87_HOLE, NULL,
			    "clang makes x87 code of long double in this file "
			    "without a word; add -mno-80387");
	}
	check_source(l, r);
}
