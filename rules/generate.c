/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From
 *
 *   crypto/aesni/aesni_wrap2.c optional aesni simd aes,sse2 optimize 3
 *
 * to the entry of files.amd64 that compiles this one file with SIMD, and
 * changes nothing else about how the kernel is compiled:
 *
 *   aesni_wrap2.o	optional aesni				\
 *	dependency	"$S/crypto/aesni/aesni_wrap2.c"		\
 *	compile-with	"${CC} -c ${CFLAGS:...} ... ${.IMPSRC}"	\
 *	no-implicit-rule					\
 *	clean		"aesni_wrap2.o"
 *
 * The parts of the rule, in their order, and why each is there:
 *
 *   1. ${CC} -c ${CFLAGS:...}: the kernel's own flags, edited and never
 *      replaced.  They hold what a kernel object cannot do without:
 *      -mcmodel=kernel (else 32-bit zero-extended addresses, which the link
 *      at the top of the address space refuses), -mno-red-zone (else
 *      interrupts overwrite leaf functions' data), -D_KERNEL, warnings.
 *      -msoft-float stays, too: clang then makes no vector code of its own
 *      accord.  There is no -fpic: loaders refuse the GOT, and the kernel is
 *      linked at a fixed address.
 *   2. :C/^-O2$/-O3/ asks for another level only where the kernel has its
 *      usual -O2, so that -O0 or -Og of a debug kernel is honoured.
 *   3. :N-nostdinc takes one word out: the intrinsics' headers are in the
 *      compiler's own folder, which -nostdinc hides.
 *   4. ${WERROR} ${NO_WCAST_QUAL} (13: ${PROF}, too): ${CFLAGS} alone has
 *      not -Werror; the intrinsics' headers cast qualifiers away.
 *   5. The instruction sets, after ${CFLAGS}: the last -m or -mno- wins,
 *      and the kernel's flags say -mno-sse, with clang -mno-aes.
 *   6. -mno-80387: -mno-sse and -msoft-float do not keep clang from making
 *      x87 code of long double, without a word; with this flag it is an
 *      error, as it is with gcc.  (Not if the clause says x87.)
 *   7. -D_MM_MALLOC_H_INCLUDED: gcc's xmmintrin.h includes mm_malloc.h,
 *      that includes the host's stdlib.h; this is its include guard.  clang
 *      skips the header in a freestanding build, which the kernel's is.
 *   8. ${.IMPSRC}, as the other entries have it; make sets it only if a
 *      prerequisite has the target's base name.  Where it has not
 *      (obj-prefix), the source's path, and -o ${.TARGET}, because the
 *      compiler would name the object after the source.
 *
 * no-implicit-rule makes "x.o" the target and must follow compile-with;
 * without it config(8) would copy x.o from the source tree.  clean removes
 * the object, and lets make track its headers if it is not in OBJS.
 *
 * An entry's text is laid out as the lists' authors do: tabs, and the
 * backslash in column 72 where the text is shorter.
 *
 * Limit: amd64; other architectures need their own guards and modifiers.
 */
#include "generate.h"

#include <string.h>

#include "drops.h"

#define COL_BACKSLASH	72
#define COL_WRAP	70	/* conditions are broken before it */

const char ks_gen_archs[] = "amd64";

bool
ks_gen_arch_known(const char *arch)
{
	return strcmp(arch, ks_gen_archs) == 0;
}

/* --- flags ----------------------------------------- */

/* The profile's flags for exactly the set ISA, or NULL. */
static const char *
profile_flags(const struct ks_gen *g, enum ks_isa isa)
{
	const struct ks_profile *p = g->profile;

	for (size_t i = 0; i < p->cflags.n; i++) {
		const struct ks_cflags *c = &p->cflags.v[i];

		if (c->isa == (ks_isaset)1 << isa &&
		    strcmp(c->arch, g->arch) == 0)
			return g->house && c->house != NULL ? c->house :
			    c->flags;
	}
	return NULL;
}

/* Is the word at W (N bytes) one of the words of TEXT? */
static bool
has_word(const char *text, const char *w, size_t n)
{
	for (const char *p = text; *p != '\0'; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		if (len == n && memcmp(p, w, n) == 0)
			return true;
		p += len;
	}
	return false;
}

/* The instruction set that the compiler flag W (N bytes) is for, as a set. */
static ks_isaset
flag_isa(const char *w, size_t n)
{
	for (int i = 0; i < KS_ISA_MAX; i++) {
		const char *flag = ks_isa_flag((enum ks_isa)i);

		if (flag != NULL && strlen(flag) == n &&
		    memcmp(flag, w, n) == 0)
			return (ks_isaset)1 << i;
	}
	return 0;
}

/*
 * TEXT and those words of MORE that it lacks, and that no instruction set
 * in *HAVE implies; adds theirs to *HAVE.
 */
static const char *
add_words(struct ks_arena *a, const char *text, const char *more,
    ks_isaset *have)
{
	size_t n;

	for (more += strspn(more, " "); *more != '\0';
	    more += n, more += strspn(more, " ")) {
		ks_isaset isa;

		n = strcspn(more, " ");
		isa = flag_isa(more, n);
		if (has_word(text, more, n) ||
		    (isa & ks_isa_closure(*have)) != 0)
			continue;
		*have |= isa;
		text = ks_printf(a, "%s%s%.*s", text,
		    *text != '\0' ? " " : "", (int)n, more);
	}
	return text;
}

const char *
ks_gen_isa_flags(struct ks_arena *a, const struct ks_gen *g, ks_isaset set,
    enum ks_isa *bad)
{
	ks_isaset minimal = ks_isa_minimal(set), have = 0;
	const char *flags = "", *more;

	for (int i = 0; i < KS_ISA_MAX; i++) {
		if ((minimal >> i & 1) == 0)
			continue;
		more = profile_flags(g, (enum ks_isa)i);
		if (more == NULL)
			more = ks_isa_flag((enum ks_isa)i);
		if (more == NULL) {
			*bad = (enum ks_isa)i;
			return NULL;
		}
		flags = add_words(a, flags, more, &have);
	}
	return flags;
}

/* --- layout ----------------------------------------- */

struct writer {
	FILE	*out;
	size_t	 col;
};

static void
put(struct writer *w, const char *s)
{
	fputs(s, w->out);
	for (; *s != '\0'; s++)
		w->col = *s == '\t' ? w->col / 8 * 8 + 8 : w->col + 1;
}

static void
continue_line(struct writer *w)
{
	if (w->col >= COL_BACKSLASH)
		put(w, " ");
	while (w->col < COL_BACKSLASH)
		put(w, "\t");
	fputs("\\\n\t", w->out);
	w->col = 8;
}

static void
put_key(struct writer *w, enum ks_kw kw, const char *value)
{
	char quote[2] = { strchr(value, '"') != NULL ? '\'' : '"', '\0' };

	continue_line(w);
	put(w, ks_keywords[kw].word);
	put(w, "\t");
	if (w->col < 24)
		put(w, "\t");
	put(w, quote);
	put(w, value);
	put(w, quote);
}

static void
put_conditions(struct writer *w, const struct ks_item *it)
{
	const char *before = " ";

	for (size_t i = 2; i < it->n; i++) {
		const struct ks_fword *f = &it->words[i];

		if (f->kind != KS_FW_COND && f->kind != KS_FW_OR &&
		    f->kind != KS_FW_NOT)
			continue;
		if (w->col + strlen(before) + strlen(f->text) > COL_WRAP &&
		    *before != '\0') {
			continue_line(w);
			before = "";
		}
		put(w, before);
		put(w, f->text);
		before = f->kind == KS_FW_NOT ? "" : " ";
	}
}

/* --- entries ----------------------------------------- */

/* What an entry expands to. */
struct plan {
	const char *target;	/* "aesni_wrap2.o" */
	const char *dependency;
	const char *rule;
	const char *clean;
};

/* Can the text stand in quotes of one kind, and be read again as it is? */
static bool
quotable(const char *s)
{
	size_t n = strlen(s);

	return (strchr(s, '"') == NULL || strchr(s, '\'') == NULL) &&
	    (n == 0 || s[n - 1] != '\\');
}

/* Bytes that neither config(8), make(1) nor a shell takes for syntax. */
static bool
plain_name(const char *s)
{
	return s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789._+-/$@,")] == '\0';
}

static int
check_entry(const struct ks_list *l, const struct ks_item *it,
    struct ks_error *err)
{
	static const enum ks_kw refused[] = {
		KS_KW_COMPILE_WITH, KS_KW_NO_DEPEND, KS_KW_NO_IMPLICIT_RULE,
	};
	const struct ks_fword *prefix = it->value[KS_KW_OBJ_PREFIX];
	const struct ks_fword *name = ks_item_name(it);
	size_t n = strlen(name->text);

	if (n < 3 || strcmp(name->text + n - 2, ".c") != 0)
		return ks_list_error(l, name, err, "'%s' is no C file: "
		    "only C is compiled with flags for SIMD", name->text);
	if (!plain_name(name->text))
		return ks_list_error(l, name, err, "'%s' has a byte that "
		    "make(1) would not take as it is", name->text);
	if (prefix != NULL && !plain_name(prefix->text))
		return ks_list_error(l, prefix, err, "'%s' has a byte that "
		    "make(1) would not take as it is", prefix->text);
	for (size_t i = 0; i < it->n; i++) {
		const struct ks_fword *w = &it->words[i];

		for (size_t j = 0; j < sizeof(refused) / sizeof(*refused); j++)
			if (w->kw == refused[j] && w->kind != KS_FW_VALUE)
				return ks_list_error(l, w, err, "'%s' cannot "
				    "stand beside 'simd', which makes the "
				    "rule", w->text);
		if (!quotable(w->text))
			return ks_list_error(l, w, err, "this text cannot be "
			    "quoted in a list");
	}
	return KS_OK;
}

/* "3" to the modifier that asks for -O3, "" for the kernel's own level. */
static int
level_modifier(const struct ks_list *l, const struct ks_item *it,
    struct ks_arena *a, const char **mod, struct ks_error *err)
{
	const struct ks_fword *w = it->value[KS_KW_OPTIMIZE];

	*mod = "";
	if (w == NULL || strcmp(w->text, "2") == 0)
		return KS_OK;
	if (strlen(w->text) != 1 || strchr("013s", *w->text) == NULL)
		return ks_list_error(l, w, err, "unknown level '%s'; known "
		    "are 0, 1, 2, 3 and s", w->text);
	*mod = ks_printf(a, ":C/^-O2$/-O%s/", w->text);
	return KS_OK;
}

static int
simd_flags(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, const char **flags,
    struct ks_error *err)
{
	const struct ks_fword *w = it->value[KS_KW_SIMD];
	enum ks_isa none = KS_ISA_OTHER;
	const char *bad = w->text;
	ks_isaset set;

	if (!ks_isa_parse(w->text, &set, &bad))
		return ks_list_error(l, w, err, "unknown instruction set "
		    "'%.*s'", (int)strcspn(bad, ","), bad);
	if (set == 0)
		return ks_list_error(l, w, err, "'simd' names no instruction "
		    "set");
	*flags = ks_gen_isa_flags(a, g, set, &none);
	if (*flags == NULL)
		return ks_list_error(l, w, err, "no compiler flag for '%s' "
		    "on %s", ks_isa_word(none), g->arch);
	if ((set & KS_ISA_BIT(X87)) == 0)
		*flags = ks_printf(a, "%s -mno-80387", *flags);
	return KS_OK;
}

static const char *
join(struct ks_arena *a, const char *first, const struct ks_fword *more)
{
	return more == NULL ? first : ks_printf(a, "%s %s", first,
	    more->text);
}

static int
make_plan(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, struct plan *p,
    struct ks_error *err)
{
	const char *name = ks_item_name(it)->text, *mod, *flags, *source;
	const char *slash = strrchr(name, '/');
	bool prefixed = it->value[KS_KW_OBJ_PREFIX] != NULL;
	int rc;

	rc = level_modifier(l, it, a, &mod, err);
	if (rc == KS_OK)
		rc = simd_flags(l, it, g, a, &flags, err);
	if (rc != KS_OK)
		return rc;
	name = slash != NULL ? slash + 1 : name;
	p->target = ks_printf(a, "%s%.*so",
	    prefixed ? it->value[KS_KW_OBJ_PREFIX]->text : "",
	    (int)strlen(name) - 1, name);
	source = ks_printf(a, "%s%s",
	    it->file_type == KS_KW_LOCAL ? "" : "$S/",
	    ks_item_name(it)->text);
	p->dependency = join(a, source, it->value[KS_KW_DEPENDENCY]);
	p->clean = join(a, p->target, it->value[KS_KW_CLEAN]);
	p->rule = ks_printf(a, "${CC} -c ${CFLAGS%s:N-nostdinc}%s "
	    "${NO_WCAST_QUAL}%s %s -D_MM_MALLOC_H_INCLUDED %s%s", mod,
	    KS_ITEM_HAS(it, NOWERROR) ? "" : " ${WERROR}",
	    g->dialect == KS_FREEBSD_13 ? " ${PROF}" : "", flags,
	    prefixed ? "-o ${.TARGET} " : "",
	    prefixed ? source : "${.IMPSRC}");
	return KS_OK;
}

static void
write_entry(const struct ks_item *it, const struct plan *p,
    struct writer *w)
{
	static const enum ks_kw kept[] = {
		KS_KW_NO_OBJ, KS_KW_NO_CTFCONVERT, KS_KW_BEFORE_DEPEND,
	};

	put(w, p->target);
	put(w, "\t");
	if (w->col < 16)
		put(w, "\t");
	put(w, it->words[1].text);
	put_conditions(w, it);
	put_key(w, KS_KW_DEPENDENCY, p->dependency);
	put_key(w, KS_KW_COMPILE_WITH, p->rule);
	continue_line(w);
	put(w, ks_keywords[KS_KW_NO_IMPLICIT_RULE].word);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if ((it->flags >> kept[i] & 1) != 0) {
			put(w, " ");
			put(w, ks_keywords[kept[i]].word);
		}
	}
	put_key(w, KS_KW_CLEAN, p->clean);
	if (it->value[KS_KW_WARNING] != NULL)
		put_key(w, KS_KW_WARNING, it->value[KS_KW_WARNING]->text);
	fputs("\n", w->out);
	w->col = 0;
}

/* The first thing that would be lost in silence is an error here. */
struct first_drop {
	const struct ks_fword	*at;
	char			 text[256];
};

static void
keep_first(void *ctx, enum ks_drop what, const struct ks_list *l,
    const struct ks_fword *at, const char *text)
{
	struct first_drop *d = ctx;

	(void)what;
	(void)l;
	if (d->at != NULL)
		return;
	d->at = at;
	snprintf(d->text, sizeof(d->text), "%s", text);
}

static int
check_item(const struct ks_list *l, const struct ks_item *it,
    struct ks_error *err)
{
	struct first_drop drop = { 0 };
	struct ks_remarks r = { keep_first, &drop };

	if (it->stop != KS_STOP_NONE)
		return ks_list_error(l, it->stop_at, err, "%s",
		    ks_stop_reason(it->stop));
	if (it->kind == KS_ITEM_INCLUDE)
		return ks_list_error(l, &it->words[0], err, "no 'include' in "
		    "a files.simd");
	ks_item_drops(l, it, NULL, NULL, &r);
	if (drop.at != NULL)
		return ks_list_error(l, drop.at, err, "%s", drop.text);
	return KS_OK;
}

/* config(8) of 13 and older overruns its buffers. */
static int
check_length(const struct ks_list *l, const struct ks_item *it,
    const struct plan *p, const struct ks_gen *g, struct ks_error *err)
{
	if (g->dialect != KS_FREEBSD_13)
		return KS_OK;
	if (strlen(p->rule) > 255 || strlen(p->dependency) > 255 ||
	    strlen(p->clean) > 255 || strlen(p->target) > 79)
		return ks_list_error(l, ks_item_name(it), err, "the entry "
		    "overflows the buffers of config(8) up to FreeBSD 13: "
		    "79 bytes for a name, 255 for a text");
	return KS_OK;
}

static int
generate_item(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, FILE *out,
    struct ks_error *err)
{
	struct writer w = { out, 0 };
	struct plan p;
	int rc = check_item(l, it, err);

	if (rc != KS_OK || it->kind != KS_ITEM_ENTRY)
		return rc;
	if (it->value[KS_KW_SIMD] == NULL) {
		if (it->value[KS_KW_OPTIMIZE] != NULL)
			return ks_list_error(l, it->value[KS_KW_OPTIMIZE],
			    err, "'optimize' needs 'simd'");
		fwrite(l->text + it->begin, 1, it->end - it->begin, out);
		return KS_OK;
	}
	rc = check_entry(l, it, err);
	if (rc == KS_OK)
		rc = make_plan(l, it, g, a, &p, err);
	if (rc == KS_OK)
		rc = check_length(l, it, &p, g, err);
	if (rc == KS_OK)
		write_entry(it, &p, &w);
	return rc;
}

int
ks_generate_files(const struct ks_list *l, const struct ks_gen *g,
    FILE *out, struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	int rc = KS_OK;

	for (size_t i = 0; i < l->items.n && rc == KS_OK; i++)
		rc = generate_item(l, &l->items.v[i], g, a, out, err);
	ks_arena_free(a);
	return rc;
}
