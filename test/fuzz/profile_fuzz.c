/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a profile.  What is accepted can be looked up: each rule by
 * its name, and a name with more behind it by its prefix.  Files that might
 * be included are left out of it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "ks/profile.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look_up(const struct ks_profile *p, const struct ks_rule *r)
{
	size_t n = strlen(r->name);
	char *longer = malloc(n + 2);

	if (ks_profile_role(p, r->name, r->role) == NULL)
		abort();
	strcpy(longer, r->name);
	if (r->name[n - 1] == '*') {
		strcpy(longer + n - 1, "x");
		if (ks_profile_find(p, longer) == NULL)
			abort();
	} else {
		strcat(longer, "x");
		ks_profile_find(p, longer);
	}
	free(longer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_profile *p;
	struct ks_error e;
	size_t n;
	int rc;

	if (memmem(data, size, "include", 7) != NULL &&
	    memchr(data, '/', size) != NULL)
		return 0;
	setenv("KSIMD_PROFILES", "/nonexistent", 1);
	p = ks_profile_new();
	rc = ks_profile_parse(p, "/nonexistent/in.prof", (const char *)data,
	    size, &e);
	if (rc != KS_OK && strncmp(e.text, "/nonexistent/in.prof:", 21) != 0)
		abort();
	/* Enough of them: each look-up may be as long as the input. */
	n = rc == KS_OK ? p->rules.n : 0;
	for (size_t i = 0; i < n && i < 100; i++)
		look_up(p, p->rules.v[i]);
	ks_profile_free(p);
	return 0;
}
