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
 * On arm64 the flag in the way is -mgeneral-regs-only, which is taken out;
 * vector registers need no flag, and the sets of AES and SHA come by
 * "+crypto" behind the -march that the kernel is built for.  There is no x87
 * and no mm_malloc.h.
 *
 * A module's makefile gets the same command as an explicit rule.  Kbuild
 * puts CFLAGS_x.o behind its own flags, and has -nostdinc outside of them:
 * the headers' folder is named instead.
 */
#include "generate.h"

#include <stdlib.h>
#include <string.h>

#include "drops.h"

#define COL_BACKSLASH	72
#define COL_WRAP	70	/* conditions are broken before it */

const char ks_gen_archs[] = "amd64, arm64, i386, x86";

bool
ks_gen_arch_known(const char *arch)
{
	return strcmp(arch, "amd64") == 0 || strcmp(arch, "arm64") == 0 ||
	    strcmp(arch, "i386") == 0 || strcmp(arch, "x86") == 0;
}

static bool
is_arm(const struct ks_gen *g)
{
	return strcmp(g->arch, "arm64") == 0;
}

/* What both have is in amd64's lines. */
static const char *
profile_arch(const struct ks_gen *g)
{
	return strcmp(g->arch, "x86") == 0 ? "amd64" : g->arch;
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
		    strcmp(c->arch, profile_arch(g)) == 0)
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

/* The sets that the source's intrinsics need. */
static int
infer(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, ks_isaset *set,
    struct ks_error *err)
{
	const struct ks_fword *w = it->value[KS_KW_SIMD];
	const char *dir = g->srcdir != NULL ? g->srcdir : ".";
	const char *path = ks_printf(a, "%s/%s", dir, ks_item_name(it)->text);
	struct ks_srcset *s = ks_srcset_new(g->profile);
	struct ks_source src;
	bool arm;

	ks_source_look(s, path, &dir, 1, &src);
	arm = src.found && src.header != NULL &&
	    strcmp(src.header, "arm_neon.h") == 0;
	*set = arm ? KS_ISA_BIT(NEON) : src.needs;
	ks_srcset_free(s);
	if (!src.found)
		return ks_list_error(l, w, err, "'simd auto' must read the "
		    "source, and %s is not there (--sysdir)", path);
	if (*set == 0)
		return ks_list_error(l, w, err, "no intrinsic was seen in "
		    "%s: name the instruction sets", path);
	return KS_OK;
}

static int
parse_sets(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, ks_isaset *set,
    struct ks_error *err)
{
	const struct ks_fword *w = it->value[KS_KW_SIMD];
	const char *bad = w->text;

	if (strcmp(w->text, "auto") == 0)
		return infer(l, it, g, a, set, err);
	if (!ks_isa_parse(w->text, set, &bad))
		return ks_list_error(l, w, err, "unknown instruction set "
		    "'%.*s'", (int)strcspn(bad, ","), bad);
	if (*set == 0)
		return ks_list_error(l, w, err, "'simd' names no instruction "
		    "set");
	return KS_OK;
}

/* arm64: what -march must have, in make's terms. */
static int
arm_flags(const struct ks_list *l, const struct ks_item *it, ks_isaset set,
    const char **flags, struct ks_error *err)
{
	const ks_isaset crypto = KS_ISA_BIT(AES) | KS_ISA_BIT(SHA) |
	    KS_ISA_BIT(PCLMUL);

	if ((set & ~(crypto | KS_ISA_BIT(NEON))) != 0)
		return ks_list_error(l, it->value[KS_KW_SIMD], err,
		    "arm64 has neon, aes, pclmul and sha only");
	*flags = (set & crypto) != 0 ?
	    "${CFLAGS:M-march=*:S/^$/-march=armv8-a/}+crypto" : "";
	return KS_OK;
}

static int
simd_flags(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, const char **flags,
    struct ks_error *err)
{
	enum ks_isa none = KS_ISA_OTHER;
	ks_isaset set;
	int rc = parse_sets(l, it, g, a, &set, err);

	if (rc != KS_OK)
		return rc;
	if (is_arm(g))
		return arm_flags(l, it, set, flags, err);
	*flags = ks_gen_isa_flags(a, g, set, &none);
	if (*flags == NULL)
		return ks_list_error(l, it->value[KS_KW_SIMD], err,
		    "no compiler flag for '%s' on %s", ks_isa_word(none),
		    g->arch);
	if ((set & KS_ISA_BIT(X87)) == 0 && !KS_DIALECT_LINUX(g->dialect))
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
    const struct ks_gen *g, struct ks_arena *a, struct ks_plan *p,
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
	p->source = ks_item_name(it)->text;
	p->flags = flags;
	p->mod = mod;
	p->rule = ks_printf(a, "${CC} -c ${CFLAGS%s:N-nostdinc%s}%s "
	    "${NO_WCAST_QUAL}%s%s%s%s %s%s", mod,
	    is_arm(g) ? ":N-mgeneral-regs-only" : "",
	    KS_ITEM_HAS(it, NOWERROR) ? "" : " ${WERROR}",
	    g->dialect == KS_FREEBSD_13 ? " ${PROF}" : "",
	    *flags != '\0' ? " " : "", flags,
	    is_arm(g) ? "" : " -D_MM_MALLOC_H_INCLUDED",
	    prefixed ? "-o ${.TARGET} " : "",
	    prefixed ? source : "${.IMPSRC}");
	return KS_OK;
}

static void
write_entry(const struct ks_item *it, const struct ks_plan *p,
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
    const struct ks_plan *p, const struct ks_gen *g, struct ks_error *err)
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

static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The rule of a module's makefile; a long command is broken once. */
static const char *
kmod_rule(struct ks_arena *a, const struct ks_plan *p)
{
	const char *cut = strstr(p->rule, " ${NO_WCAST_QUAL}");
	const char *rest = cut != NULL ? cut + 1 : "";
	const char *source = base_of(p->source);

	return ks_printf(a, "%s: %s\n\t%.*s \\\n\t    %s\n"
	    "\t${CTFCONVERT_CMD}\n", p->target, source,
	    (int)(cut != NULL ? cut - p->rule : 0), p->rule, rest);
}

int
ks_generate_plan(const struct ks_list *l, const struct ks_item *it,
    const struct ks_gen *g, struct ks_arena *a, struct ks_plan *p,
    struct ks_error *err)
{
	struct writer w = { NULL, 0 };
	char *text = NULL;
	size_t size;
	int rc;

	rc = check_item(l, it, err);
	if (rc == KS_OK)
		rc = check_entry(l, it, err);
	if (rc == KS_OK)
		rc = make_plan(l, it, g, a, p, err);
	if (rc == KS_OK)
		rc = check_length(l, it, p, g, err);
	if (rc != KS_OK)
		return rc;
	w.out = open_memstream(&text, &size);
	if (w.out == NULL)
		return ks_error(err, KS_EINTERNAL, "out of memory");
	write_entry(it, p, &w);
	fclose(w.out);
	p->entry = ks_strndup(a, text, size);
	free(text);
	p->kmod = kmod_rule(a, p);
	return KS_OK;
}

/* Calls PUT for each entry with a simd clause, and OTHER for the rest. */
static int
each_entry(const struct ks_list *l, const struct ks_gen *g, FILE *out,
    void (*put_one)(FILE *out, const struct ks_gen *g,
    const struct ks_item *it, const struct ks_plan *p), bool others,
    struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	int rc = KS_OK;

	for (size_t i = 0; i < l->items.n && rc == KS_OK; i++) {
		const struct ks_item *it = &l->items.v[i];
		struct ks_plan p;

		rc = check_item(l, it, err);
		if (rc != KS_OK || it->kind != KS_ITEM_ENTRY)
			continue;
		if (it->value[KS_KW_SIMD] != NULL) {
			rc = ks_generate_plan(l, it, g, a, &p, err);
			if (rc == KS_OK)
				put_one(out, g, it, &p);
		} else if (it->value[KS_KW_OPTIMIZE] != NULL) {
			rc = ks_list_error(l, it->value[KS_KW_OPTIMIZE],
			    err, "'optimize' needs 'simd'");
		} else if (others) {
			fwrite(l->text + it->begin, 1, it->end - it->begin,
			    out);
		}
	}
	ks_arena_free(a);
	return rc;
}

static void
put_files(FILE *out, const struct ks_gen *g, const struct ks_item *it,
    const struct ks_plan *p)
{
	(void)g;
	(void)it;
	fputs(p->entry, out);
}

int
ks_generate_files(const struct ks_list *l, const struct ks_gen *g,
    FILE *out, struct ks_error *err)
{
	return each_entry(l, g, out, put_files, true, err);
}

static void
put_kmod(FILE *out, const struct ks_gen *g, const struct ks_item *it,
    const struct ks_plan *p)
{
	(void)g;
	(void)it;
	fprintf(out, "OBJS+=\t%s\n\n%s", p->target, p->kmod);
}

int
ks_generate_kmod(const struct ks_list *l, const struct ks_gen *g, FILE *out,
    struct ks_error *err)
{
	return each_entry(l, g, out, put_kmod, false, err);
}

/* The first device or option that the entry asks for. */
static const char *
first_condition(const struct ks_item *it)
{
	for (size_t i = 2; i < it->n; i++)
		if (it->words[i].kind == KS_FW_COND &&
		    it->words[i - 1].kind != KS_FW_NOT)
			return it->words[i].text;
	return "obj";
}

static void
put_kbuild(FILE *out, const struct ks_gen *g, const struct ks_item *it,
    const struct ks_plan *p)
{
	bool fpu = g->dialect == KS_LINUX_6_10, arm = is_arm(g);
	const char *o = p->target, *s;
	char level = *p->mod != '\0' ? p->mod[strlen(p->mod) - 2] : '\0';

	fprintf(out, "%s-y += %s\n", first_condition(it), o);
	fprintf(out, "CFLAGS_%s += %s%s%s", o, fpu ? "$(CC_FLAGS_FPU)" :
	    arm ? "-ffreestanding" : "-msse -msse2", level != '\0' ?
	    " -O" : "", level != '\0' ? (char[]){ level, '\0' } : "");
	for (s = arm ? "" : p->flags; *s != '\0'; ) {
		size_t n = strcspn(s, " ");

		if ((n != 5 || memcmp(s, "-msse", 5) != 0) &&
		    (n != 6 || memcmp(s, "-msse2", 6) != 0))
			fprintf(out, " %.*s", (int)n, s);
		s += n;
		s += strspn(s, " ");
	}
	if (arm && *p->flags != '\0')
		fputs(" -march=armv8-a+crypto", out);
	putc('\n', out);
	if (!arm || !fpu)
		fprintf(out, "CFLAGS_%s += -isystem $(shell $(CC) "
		    "-print-file-name=include)\n", o);
	if (!arm)
		fprintf(out, "CFLAGS_%s += -D_MM_MALLOC_H_INCLUDED "
		    "-D__MM_MALLOC_H\n", o);
	if (fpu)
		fprintf(out, "CFLAGS_REMOVE_%s += $(CC_FLAGS_NO_FPU)\n", o);
	else if (arm)
		fprintf(out, "CFLAGS_REMOVE_%s += -mgeneral-regs-only\n", o);
}

int
ks_generate_kbuild(const struct ks_list *l, const struct ks_gen *g,
    FILE *out, struct ks_error *err)
{
	return each_entry(l, g, out, put_kbuild, false, err);
}
