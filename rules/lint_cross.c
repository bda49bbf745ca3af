/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is wrong between rules:
 *
 *   1. Two list entries that one kernel may select, with one object's name:
 *      an error if one's condition implies the other's, or both ask for one
 *      device; else a warning, as a configuration may have both.  Arms that
 *      contradict each other (x, !x) cannot meet.
 *   2. A SIMD rule that is in files.amd64 and in files.i386 otherwise, or in
 *      one of them only while its neighbours are in both.
 *   3. Of the SIMD rules of a folder, one with other conditions.
 *   4. A file that a list and a kernel module compile in two ways.
 *
 * Rules are sorted by object (or source), so that it takes n log n steps.
 */
#include "lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "select.h"

struct one {
	struct ks_crule	*r;
	const char	*key;
	size_t		 nr;	/* order of reading */
};

struct ones { struct one *v; size_t n, cap; };

static int
cmp_one(const void *va, const void *vb)
{
	const struct one *a = va, *b = vb;
	int c = strcmp(a->key, b->key);

	return c != 0 ? c : a->nr < b->nr ? -1 : a->nr > b->nr;
}

static void
sort(struct ones *o)
{
	if (o->n > 1)
		qsort(o->v, o->n, sizeof(*o->v), cmp_one);
}

/* --- conditions --------------------------------------------------------- */

/* The arm that begins at word I; its end into *END. */
static size_t
arm_end(const struct ks_item *it, size_t i)
{
	while (i < it->n && it->words[i].kind != KS_FW_OR)
		i++;
	return i;
}

/* Is NAME in words I to J, negated as NEG says? */
static bool
in_arm(const struct ks_item *it, size_t i, size_t j, const char *name,
    bool neg)
{
	bool negated = false;

	for (; i < j; i++) {
		if (it->words[i].kind == KS_FW_NOT) {
			negated = true;
		} else if (it->words[i].kind == KS_FW_COND) {
			if (negated == neg &&
			    strcasecmp(it->words[i].text, name) == 0)
				return true;
			negated = false;
		}
	}
	return false;
}

enum meet { MEET_NEVER, MEET_MAY, MEET_MUST };

/* Can both arms hold; must one where the other does? */
static enum meet
arms_meet(const struct ks_item *a, size_t i, size_t j,
    const struct ks_item *b, size_t k, size_t m)
{
	bool negated = false, shared = false, a_in_b = true;

	for (size_t w = i; w < j; w++) {
		const char *s = a->words[w].text;

		if (a->words[w].kind == KS_FW_NOT) {
			negated = true;
			continue;
		}
		if (a->words[w].kind != KS_FW_COND)
			continue;
		if (in_arm(b, k, m, s, !negated))
			return MEET_NEVER;
		if (in_arm(b, k, m, s, negated))
			shared |= !negated;
		else
			a_in_b = false;

		negated = false;
	}
	return shared || a_in_b ? MEET_MUST : MEET_MAY;
}

static enum meet
items_meet(const struct ks_item *a, const struct ks_item *b)
{
	enum meet best = MEET_NEVER, now;

	for (size_t i = 2, j; i <= a->n; i = j + 1) {
		j = arm_end(a, i);
		for (size_t k = 2, m; k <= b->n; k = m + 1) {
			m = arm_end(b, k);
			now = arms_meet(a, i, j, b, k, m);
			if (now != MEET_NEVER &&
			    arms_meet(b, k, m, a, i, j) == MEET_MUST)
				now = MEET_MUST;
			if (now > best)
				best = now;
		}
	}
	return best;
}

static const char *
conditions(struct ks_arena *a, const struct ks_item *it)
{
	const char *s = it->standard ? "standard" : "";

	for (size_t i = 2; i < it->n; i++)
		if (it->words[i].kind == KS_FW_COND ||
		    it->words[i].kind == KS_FW_NOT ||
		    it->words[i].kind == KS_FW_OR)
			s = ks_printf(a, "%s%s%s", s, *s != '\0' ? " " : "",
			    it->words[i].text);
	return s;
}

/* --- one object twice --------------------------------------------------- */

static void
tell_same_object(struct ks_lint *l, const struct one *a, const struct one *b,
    enum meet meet)
{
	struct ks_finding *f;

	f = ks_lint_at(l, KS_D_RULES_SAME_OBJECT, b->r->text, b->r->off,
	    b->r->name, "'%s' is made by another entry, too%s: make uses "
	    "only the first rule, and links the object twice", b->key,
	    meet == MEET_MUST ? "" : " where both are configured");
	if (meet != MEET_MUST)
		f->severity = KS_SEV_WARNING;
	ks_lint_note(l, f, a->r->text, a->r->off, "the other entry; give one "
	    "an obj-prefix, or conditions that exclude each other");
}

static void
check_objects(struct ks_lint *l)
{
	struct ones o = { 0 };

	for (size_t i = 0; i < l->rules.n; i++) {
		struct ks_crule *r = l->rules.v[i];

		if (r->kind != KS_CR_LIST || KS_ITEM_HAS(r->item, NO_OBJ))
			continue;
		*ks_vec_push(&o) = (struct one){ r,
		    ks_item_object(l->arena, r->item), i };
	}
	sort(&o);
	for (size_t i = 0; i < o.n; i++) {
		for (size_t j = i + 1; j < o.n &&
		    strcmp(o.v[i].key, o.v[j].key) == 0; j++) {
			const struct ks_crule *a = o.v[i].r, *b = o.v[j].r;
			enum meet meet;

			/* Of one name the first that is selected counts. */
			if ((a->archs & b->archs) == 0 ||
			    strcmp(a->name, b->name) == 0)
				continue;
			meet = items_meet(a->item, b->item);
			if (meet != MEET_NEVER)
				tell_same_object(l, &o.v[i], &o.v[j], meet);
		}
	}
	ks_vec_free(&o);
}

/* --- rules with SIMD ---------------------------------------------------- */

static const char *
stem(struct ks_lint *l, const char *path)
{
	const char *slash = strrchr(path, '/');

	path = slash != NULL ? slash + 1 : path;
	return ks_strndup(l->arena, path, strcspn(path, "."));
}

static const char *
folder(struct ks_lint *l, const struct ks_crule *r)
{
	const char *slash = r->source != NULL ? strrchr(r->source, '/') : NULL;

	return slash == NULL ? "" : ks_strndup(l->arena, r->source,
	    (size_t)(slash - r->source));
}

static bool
is_simd(const struct ks_crule *r)
{
	return r->compiles && r->asked != 0;
}

/* Words that the rule wrote itself, but for the source. */
static const char *
own_words(struct ks_lint *l, const struct ks_crule *r)
{
	const char *s = "";

	for (size_t i = 0; i < r->x.words.n; i++)
		if (r->x.words.v[i].var == NULL &&
		    r->x.words.v[i].text[0] == '-' &&
		    strcmp(r->x.words.v[i].text, "-c") != 0)
			s = ks_printf(l->arena, "%s%s%s", s,
			    *s != '\0' ? " " : "", r->x.words.v[i].text);
	return s;
}

/* A rule of another machine's list of KEY's name. */
static struct ks_crule *
twin(const struct ones *o, size_t i, unsigned archs)
{
	for (size_t j = 0; j < o->n; j++)
		if (j != i && strcmp(o->v[j].key, o->v[i].key) == 0 &&
		    (o->v[j].r->archs & archs) == archs)
			return o->v[j].r;
	return NULL;
}

/* Was a list of the machine read that is not for both? */
static bool
has_list(const struct ks_lint *l, unsigned archs)
{
	for (size_t i = 0; i < l->lists.n; i++)
		if (ks_lint_list_archs(l->lists.v[i]->path) == archs)
			return true;
	return false;
}

static bool
folder_in(struct ks_lint *l, const struct ones *o, const char *dir,
    unsigned archs)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].r->archs == archs &&
		    strcmp(folder(l, o->v[i].r), dir) == 0)
			return true;
	return false;
}

static void
check_one_arch(struct ks_lint *l, const struct ones *o, size_t i)
{
	struct ks_crule *r = o->v[i].r, *t;
	unsigned other;
	struct ks_finding *f;

	if (r->archs != KS_ARCH_AMD64 && r->archs != KS_ARCH_I386)
		return;
	other = r->archs ^ KS_ARCH_X86;
	if (!has_list(l, other))
		return;
	t = twin(o, i, other);
	if (t != NULL && r->archs == KS_ARCH_AMD64 && t->archs == other &&
	    strcmp(own_words(l, r), own_words(l, t)) != 0) {
		f = ks_lint_at(l, KS_D_RULES_ONE_ARCH, r->text, r->off,
		    r->name, "'%s' has other flags on %s: '%s' here, '%s' "
		    "there", r->name, ks_lint_arch_name(other),
		    own_words(l, r), own_words(l, t));
		ks_lint_note(l, f, t->text, t->off, "the other rule");
	} else if (t == NULL && folder_in(l, o, folder(l, r), other)) {
		ks_lint_at(l, KS_D_RULES_ONE_ARCH, r->text, r->off, r->name,
		    "'%s' is not built on %s, where files beside it are: an "
		    "entry in files.x86 is for both", r->name,
		    ks_lint_arch_name(other));
	}
}

/* Most of the folder's rules have the condition of its first one. */
static void
check_condition(struct ks_lint *l, const struct ones *o, size_t i)
{
	struct ks_crule *r = o->v[i].r;
	const char *own = conditions(l->arena, r->item), *other = NULL;
	const struct ks_crule *example = NULL;
	size_t same = 0, differ = 0;
	struct ks_finding *f;

	for (size_t j = 0; j < o->n; j++) {
		const struct ks_crule *q = o->v[j].r;

		if (j == i || q->text != r->text ||
		    strcmp(folder(l, q), folder(l, r)) != 0)
			continue;
		if (strcmp(conditions(l->arena, q->item), own) == 0) {
			same++;
		} else {
			differ++;
			other = conditions(l->arena, q->item);
			example = q;
		}
	}
	if (example == NULL || differ < 2 || same > 0)
		return;
	f = ks_lint_at(l, KS_D_RULES_ODD_CONDITION, r->text, r->off, r->name,
	    "this entry is optional on '%s', the others of its folder on "
	    "'%s'", own, other);
	ks_lint_note(l, f, example->text, example->off, "one of the others");
}

static void
check_modules(struct ks_lint *l, const struct ones *lists)
{
	for (size_t i = 0; i < l->rules.n; i++) {
		struct ks_crule *m = l->rules.v[i], *r = NULL;
		struct ks_finding *f;
		bool flags, werror, cast;
		char a[512], b[512];

		if (m->kind != KS_CR_KMOD || !m->compiles || m->source == NULL)
			continue;
		for (size_t j = 0; j < lists->n && r == NULL; j++)
			if (strcmp(lists->v[j].key, stem(l, m->name)) == 0)
				r = lists->v[j].r;
		if (r == NULL)
			continue;
		flags = ks_isa_closure(r->asked) != ks_isa_closure(m->asked);
		werror = ks_crule_has(r, "-Werror") !=
		    ks_crule_has(m, "-Werror");
		cast = (ks_crule_word(r, "-Wno-error=cast-qual") == NULL) !=
		    (ks_crule_word(m, "-Wno-error=cast-qual") == NULL);
		if (!flags && !werror && !cast)
			continue;
		f = ks_lint_at(l, KS_D_RULES_LIST_MODULE_DIFFER, m->text,
		    m->off, m->name, "the module compiles '%s' with '%s', the "
		    "kernel with '%s'%s%s", m->name, ks_isa_print(
		    ks_isa_minimal(m->asked), a, sizeof(a)), ks_isa_print(
		    ks_isa_minimal(r->asked), b, sizeof(b)),
		    werror ? "; only one of them has ${WERROR}" : "",
		    cast ? "; only one of them has ${NO_WCAST_QUAL}" : "");
		ks_lint_note(l, f, r->text, r->off, "the kernel's entry");
	}
}

void
ks_lint_cross(struct ks_lint *l)
{
	struct ones o = { 0 };

	check_objects(l);
	for (size_t i = 0; i < l->rules.n; i++) {
		struct ks_crule *r = l->rules.v[i];

		if (r->kind == KS_CR_LIST && is_simd(r))
			*ks_vec_push(&o) = (struct one){ r, stem(l, r->name),
			    i };
	}
	sort(&o);
	for (size_t i = 0; i < o.n; i++) {
		check_one_arch(l, &o, i);
		check_condition(l, &o, i);
	}
	check_modules(l, &o);
	ks_vec_free(&o);
}
