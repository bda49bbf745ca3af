/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stores under keys that are offsets alone ("off:N", "path:M.N"): a guess at
 * which record is meant.
 *
 * Tables of one type have one size.  What lies at one offset of tables of
 * several sizes is not one member, and a call may have any of them for a
 * target, or none.  In a closed unit, which may be large, such a key holds
 * only if all that is stored under it comes from records of one size; else
 * the target is unknown.  Other units are one file of source: there, all is
 * stored.
 *
 * Where types are known (lower_field.c) no call has such a key.
 */
#include "lower.h"
#include "obj_priv.h"

/* See lower.h. */
void
ks_low_guess(struct ks_lower *l, uint32_t key, uint32_t sym, uint64_t shape)
{
	if (key == 0)
		return;
	if (l->u->closed)
		*ks_vec_push(&l->data->guesses) = (struct ks_low_guess){ key,
		    sym, shape };
	else
		*ks_vec_push(&l->u->stores) = (struct ks_store){ key, sym };
}

static int
by_key(const void *a, const void *b, void *ctx)
{
	const struct ks_low_guess *x = a, *y = b;

	(void)ctx;
	return (x->key < y->key ? -1 : x->key > y->key);
}

/* See lower.h. */
void
ks_low_guesses(struct ks_lower *l)
{
	struct ks_low_data *d = l->data;

	ks_sort(d->guesses.v, d->guesses.n, sizeof(d->guesses.v[0]), by_key,
	    NULL);
	for (size_t i = 0, j; i < d->guesses.n; i = j) {
		const struct ks_low_guess *first = &d->guesses.v[i];
		bool one = true;

		for (j = i; j < d->guesses.n &&
		    d->guesses.v[j].key == first->key; j++)
			one &= d->guesses.v[j].shape == first->shape;
		if (!one)
			*ks_vec_push(&l->u->stores) = (struct ks_store){
				first->key, KS_NONE };
		for (size_t k = i; one && k < j; k++)
			*ks_vec_push(&l->u->stores) = (struct ks_store){
				first->key, d->guesses.v[k].sym };
	}
}
