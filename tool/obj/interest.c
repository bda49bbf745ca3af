/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A set of names with bits.  See interest.h.
 */
#include "interest.h"

#include <string.h>

struct ks_interest {
	struct ks_strtab *names;
	KS_VEC(uint8_t) bits;	/* by name */
};

struct ks_interest *
ks_interest_new(void)
{
	struct ks_interest *in = ks_xmalloc(sizeof(*in));

	memset(in, 0, sizeof(*in));
	in->names = ks_strtab_new();
	*ks_vec_push(&in->bits) = 0;
	return in;
}

void
ks_interest_free(struct ks_interest *in)
{
	if (in == NULL)
		return;
	ks_strtab_free(in->names);
	ks_vec_free(&in->bits);
	ks_vec_release(in);
}

bool
ks_interest_add(struct ks_interest *in, const char *name, unsigned bits)
{
	uint32_t id = ks_intern(in->names, name);
	uint8_t old;

	if (id == in->bits.n)
		*ks_vec_push(&in->bits) = 0;
	old = in->bits.v[id];
	in->bits.v[id] = (uint8_t)(old | bits);
	return in->bits.v[id] != old;
}

unsigned
ks_interest_get(const struct ks_interest *in, const char *name)
{
	return in->bits.v[ks_intern_find(in->names, name)];
}

void
ks_interest_each(const struct ks_interest *in,
    void (*fn)(const char *name, unsigned bits, void *ctx), void *ctx)
{
	for (uint32_t i = 1; i < in->bits.n; i++)
		fn(ks_str(in->names, i), in->bits.v[i], ctx);
}
