/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles: the rules by name.  profile_parse.c reads them, profile_dir.c
 * finds their files.
 *
 * Rules of one name form a list, the youngest first, so that a profile
 * loaded on top of another wins.  Exact names are found by their id in a
 * string table.  Prefixes ("foo*") are sorted by first byte, longest first,
 * so that a symbol is compared with the few that share its first byte.
 * Most names that are asked for have no rule: their first four letters tell
 * it without a look-up.
 *
 * Invariant: byname holds the head of each name's list, prefixes the heads
 * of names that end in '*'.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

struct ks_profile *
ks_profile_new(void)
{
	struct ks_profile *p = ks_xmalloc(sizeof(*p));

	memset(p, 0, sizeof(*p));
	p->arena = ks_arena_new();
	p->names = ks_strtab_new();
	p->name = "";
	return p;
}

void
ks_profile_free(struct ks_profile *p)
{
	if (p == NULL)
		return;
	ks_vec_free(&p->byname);
	ks_vec_free(&p->rules);
	ks_vec_free(&p->prefixes);
	ks_vec_free(&p->flags);
	ks_vec_free(&p->features);
	ks_vec_free(&p->archs);
	ks_vec_free(&p->cflags);
	ks_vec_free(&p->detects);
	ks_vec_free(&p->opaque);
	ks_vec_free(&p->unit_if);
	ks_vec_free(&p->unit_unless);
	ks_vec_free(&p->sources);
	ks_vec_free(&p->loaded);
	ks_vec_free(&p->real);
	ks_strtab_free(p->names);
	ks_arena_free(p->arena);
	free(p);
}

static size_t
prefix_len(const struct ks_rule *r)
{
	return strlen(r->name) - 1;
}

static bool
is_prefix(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && name[n - 1] == '*';
}

void
ks_profile_add_rule(struct ks_profile *p, const struct ks_rule *r)
{
	uint32_t id = ks_intern(p->names, r->name);
	struct ks_rule *copy = KS_NEW(p->arena, struct ks_rule);

	while (p->byname.n <= id)
		*ks_vec_push(&p->byname) = NULL;
	*copy = *r;
	copy->next = p->byname.v[id];
	p->byname.v[id] = copy;
	*ks_vec_push(&p->rules) = copy;
}

static int
cmp_prefixes(const void *va, const void *vb)
{
	const struct ks_rule *a = *(const struct ks_rule *const *)va;
	const struct ks_rule *b = *(const struct ks_rule *const *)vb;
	unsigned char ca = (unsigned char)a->name[0];
	unsigned char cb = (unsigned char)b->name[0];
	size_t na = prefix_len(a), nb = prefix_len(b);

	/* "*" itself, which any name begins with, comes behind all. */
	if ((na == 0) != (nb == 0))
		return na == 0 ? 1 : -1;
	if (ca != cb)
		return ca < cb ? -1 : 1;
	if (na != nb)
		return na > nb ? -1 : 1;
	return strcmp(a->name, b->name);
}

static unsigned
start_bit(const char *name)
{
	const unsigned char *s = (const unsigned char *)name;

	return (s[0] * 29791u + s[1] * 961u + s[2] * 31u + s[3]) %
	    KS_PROFILE_STARTS;
}

static void
add_start(struct ks_profile *p, const char *name)
{
	size_t n = strlen(name);
	unsigned bit;

	if (n >= 4 && !(n == 4 && name[3] == '*')) {
		bit = start_bit(name);
		p->starts[bit / 8] |= (uint8_t)(1u << bit % 8);
	} else if (is_prefix(name)) {
		memset(p->starts, 0xff, sizeof(p->starts));
	}
}

static bool
may_have_rules(const struct ks_profile *p, const char *name)
{
	unsigned bit;

	if (strnlen(name, 4) < 4)
		return true;
	bit = start_bit(name);
	return (p->starts[bit / 8] >> bit % 8 & 1) != 0;
}

void
ks_profile_index(struct ks_profile *p)
{
	size_t at = 0;

	for (size_t i = 0; i < p->rules.n; i++)
		add_start(p, p->rules.v[i]->name);
	p->prefixes.n = 0;
	for (size_t i = 1; i < p->byname.n; i++)
		if (p->byname.v[i] != NULL && is_prefix(p->byname.v[i]->name))
			*ks_vec_push(&p->prefixes) = p->byname.v[i];
	if (p->prefixes.n > 0)
		qsort(p->prefixes.v, p->prefixes.n, sizeof(*p->prefixes.v),
		    cmp_prefixes);
	for (unsigned c = 0; c < 256; c++) {
		p->prefix_first[c] = (uint32_t)at;
		while (at < p->prefixes.n && prefix_len(p->prefixes.v[at]) > 0
		    && (unsigned char)p->prefixes.v[at]->name[0] == c)
			at++;
	}
	p->prefix_first[256] = (uint32_t)at;
}

/* The rules of the next prefix of NAME from *AT on, or NULL. */
static const struct ks_rule *
next_prefix(const struct ks_profile *p, const char *name, size_t *at)
{
	size_t end = p->prefix_first[(unsigned char)name[0] + 1];
	const struct ks_rule *r;

	for (; *at < end; (*at)++) {
		r = p->prefixes.v[*at];
		if (strncmp(name, r->name, prefix_len(r)) == 0) {
			(*at)++;
			return r;
		}
	}
	if (*at < p->prefix_first[256])
		*at = p->prefix_first[256];
	return *at < p->prefixes.n ? p->prefixes.v[(*at)++] : NULL;
}

const struct ks_rule *
ks_profile_find(const struct ks_profile *p, const char *name)
{
	size_t at = p->prefix_first[(unsigned char)name[0]];
	uint32_t id;

	if (!may_have_rules(p, name))
		return NULL;
	id = ks_intern_find(p->names, name);
	if (id != 0 && id < p->byname.n && p->byname.v[id] != NULL)
		return p->byname.v[id];
	return next_prefix(p, name, &at);
}

static const struct ks_rule *
of_role(const struct ks_rule *r, enum ks_role role)
{
	while (r != NULL && r->role != role)
		r = r->next;
	return r;
}

const struct ks_rule *
ks_profile_role(const struct ks_profile *p, const char *name,
    enum ks_role role)
{
	const struct ks_rule *r = ks_profile_find(p, name), *found;
	size_t at = p->prefix_first[(unsigned char)name[0]];

	if (r == NULL)
		return NULL;
	found = of_role(r, role);
	while (found == NULL && (r = next_prefix(p, name, &at)) != NULL)
		found = of_role(r, role);
	return found;
}

const struct ks_archdef *
ks_profile_arch(const struct ks_profile *p, const char *arch)
{
	for (size_t i = p->archs.n; i-- > 0;)
		if (strcmp(p->archs.v[i].name, arch) == 0)
			return &p->archs.v[i];
	return NULL;
}
