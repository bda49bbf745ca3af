/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Is this unit a part of the kernel, and of which?
 *
 *   1. The profile is the one that was named; else the one whose "detect
 *      macro" line the command line fulfils.  A macro is there if -D defines
 *      it, or if it is the one that compilers define for the target's
 *      system: __NAME__, NAME being a part of the triple.
 *   2. No profile fits: a unit that defines no profile's unit-if macro is no
 *      kernel code; with one, the user has to choose.
 *   3. The profile's unit-if and unit-unless lines.
 *
 * The preprocessor is not run: macros that files define are not seen.
 */
#include "unit.h"

#include <sys/utsname.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct target {
	const struct cc_args *a;
	const char *triple;	/* or the system's name */
};

/* "__FreeBSD__" in "x86_64-unknown-freebsd14.0". */
static bool
is_system_macro(const char *macro, const char *triple)
{
	size_t n;

	if (strncmp(macro, "__", 2) != 0)
		return false;
	macro += 2;
	n = strlen(macro);
	while (n > 0 && macro[n - 1] == '_')
		n--;
	for (const char *part = triple; n > 0 && part != NULL;
	    part = strchr(part, '-')) {
		part += *part == '-';
		if (strncasecmp(part, macro, n) == 0 &&
		    !isalpha((unsigned char)part[n]))
			return true;
	}
	return false;
}

static bool
has(void *ctx, enum ks_detect_kind kind, const char *word)
{
	const struct target *t = ctx;

	return kind == KS_DETECT_MACRO && (cc_args_defines(t->a, word) ||
	    is_system_macro(word, t->triple));
}

/* Whether -D names the unit-if macros of any profile. */
static bool
is_any_kernel(const struct cc_args *a)
{
	const char **names;
	size_t n;
	bool found = false;

	if (ks_profile_list(a->arena, &names, &n, NULL) != KS_OK)
		return false;
	for (size_t i = 0; i < n && !found; i++) {
		struct ks_profile *p = ks_profile_new();

		if (ks_profile_load(p, names[i], NULL) == KS_OK &&
		    p->unit_if.n > 0) {
			found = true;
			for (size_t k = 0; k < p->unit_if.n; k++)
				found &= cc_args_defines(a, p->unit_if.v[k]);
		}
		ks_profile_free(p);
	}
	return found;
}

int
cc_unit_profile(const struct cc_args *a, const struct cc_compiler *c,
    const char **name, struct ks_error *err)
{
	struct utsname u;
	struct target t = { a, a->triple };
	struct ks_detect_input in = { NULL, has, &t };
	const char *slash = strrchr(c->name, '/');
	int rc;

	/*
	 * x86_64-linux-gnu-gcc names its target; a compiler that does not is
	 * for the system that it is on.
	 */
	if (t.triple == NULL && uname(&u) == 0)
		t.triple = ks_printf(a->arena, "%s-%s", slash != NULL ?
		    slash + 1 : c->name, u.sysname);
	rc = ks_profile_detect(a->arena, &in, name, err);
	if (rc == KS_EUSAGE && !is_any_kernel(a)) {
		*name = NULL;
		return KS_OK;
	}
	return rc;
}

static const char *
why_unless(struct ks_arena *a, const char *const *words)
{
	const char *text = "no code of the running kernel, by";

	for (size_t i = 0; words[i] != NULL; i++)
		text = ks_printf(a, "%s %s", text, words[i]);
	return text;
}

const char *
cc_unit_exempt(const struct cc_args *a, const struct ks_profile *p)
{
	for (size_t i = 0; i < p->unit_if.n; i++)
		if (!cc_args_defines(a, p->unit_if.v[i]))
			return ks_printf(a->arena, "no kernel code, as -D%s "
			    "is not given", p->unit_if.v[i]);
	for (size_t i = 0; i < p->unit_unless.n; i++) {
		const char *const *w = p->unit_unless.v[i].words;
		size_t n = 0;

		while (w[n] != NULL && (w[n][0] == '-' ?
		    cc_args_have(a, w[n]) : cc_args_defines(a, w[n])))
			n++;
		if (w[n] == NULL)
			return why_unless(a->arena, w);
	}
	return NULL;
}
