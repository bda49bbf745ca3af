/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Pointers that go through vector registers.  Where vector code is allowed,
 * compilers copy two members of a table at once: they load both, or make a
 * pair of two addresses, and store 16 bytes.
 *
 * Each half of a register has an origin and a type, as general registers
 * have; they are followed within one block.
 */
#include <string.h>

#include "lower.h"

static struct ks_low_vec *
vec(struct ks_low_fn *fn, const struct ks_opnd *o)
{
	return (o->kind == KS_OPND_OTHER && o->vec < 16 ? &fn->vec[o->vec] :
	    NULL);
}

/* See lower.h. */
void
ks_low_vec_forget(struct ks_low_fn *fn)
{
	if (fn->ntyp != 0)
		memset(fn->vec, 0, sizeof(fn->vec));
}

/* HALF of operand O, which is a vector register, a general one or memory. */
static void
get(struct ks_low_fn *fn, const struct ks_opnd *o, unsigned half,
    struct ks_low_origin *org, struct ks_low_type *typ)
{
	struct ks_opnd q = *o;

	memset(org, 0, sizeof(*org));
	memset(typ, 0, sizeof(*typ));
	if (vec(fn, o) != NULL) {
		*org = vec(fn, o)->org[half];
		*typ = vec(fn, o)->typ[half];
		return;
	}
	if (o->kind != KS_OPND_MEM && o->kind != KS_OPND_REG)
		return;
	q.bits = 64;
	/* A high half behind a relocation: the place is 8 further. */
	if (half != 0 && !ks_oref_none(&fn->insn->mem)) {
		struct ks_cfg_insn i = *fn->insn;
		const struct ks_cfg_insn *keep = fn->insn;

		i.mem.off += 8;
		fn->insn = &i;
		*org = *ks_low_origin_of(fn, &q);
		fn->insn = keep;
		return;
	}
	q.val += half * 8;
	*org = *ks_low_origin_of(fn, &q);
	*typ = ks_low_type_of(fn, &q);
}

static void
put(struct ks_low_fn *fn, const struct ks_opnd *d, unsigned half,
    const struct ks_low_origin *org, const struct ks_low_type *typ)
{
	struct ks_opnd q = *d;
	struct ks_btf_place at;

	if (vec(fn, d) != NULL) {
		vec(fn, d)->org[half] = *org;
		vec(fn, d)->typ[half] = *typ;
		return;
	}
	if (d->kind != KS_OPND_MEM)
		return;
	q.bits = 64;
	q.val += half * 8;
	if (ks_low_type_at(fn, &q, &at))
		ks_low_field_value(fn, &at, org, typ);
}

/* DHALF of the destination becomes SHALF of operand S. */
static void
move(struct ks_low_fn *fn, unsigned dhalf, const struct ks_opnd *s,
    unsigned shalf)
{
	const struct ks_opnd *d = &fn->insn->in.opnd[0];
	struct ks_low_origin org;
	struct ks_low_type typ;

	/* The half in memory that is meant is the only one. */
	get(fn, s, s->kind == KS_OPND_OTHER || s->bits == 128 ? shalf : 0,
	    &org, &typ);
	put(fn, d, d->kind == KS_OPND_OTHER || d->bits == 128 ? dhalf : 0,
	    &org, &typ);
}

/* See lower.h. */
void
ks_low_vec_step(struct ks_low_fn *fn)
{
	const struct ks_insn *in = &fn->insn->in;
	const struct ks_opnd *d = &in->opnd[0];
	const struct ks_opnd *s = &in->opnd[in->nopnd == 4 ? 2 :
	    in->nopnd > 1 ? in->nopnd - 1 : 0];
	const struct ks_low_origin none = { .kind = KS_ORIGIN_NONE };
	const struct ks_low_type null = { .kind = KS_TYPE_NULL };
	struct ks_low_vec was;

	if (fn->ntyp == 0 || in->vmove == KS_VMOVE_NONE)
		return;
	/* pinsrq has its index last. */
	if (s->kind == KS_OPND_IMM)
		s--;
	switch (in->vmove) {
	case KS_VMOVE_ALL:
		move(fn, 0, s, 0);
		move(fn, 1, s, 1);
		break;
	case KS_VMOVE_LOW:
		move(fn, 0, s, 0);
		if (vec(fn, d) != NULL)
			put(fn, d, 1, &none, &null);
		break;
	case KS_VMOVE_LOW_KEEP:
		move(fn, 0, s, 0);
		break;
	case KS_VMOVE_HIGH:
		if (s - in->opnd == 2 && vec(fn, d) != NULL)
			move(fn, 0, &in->opnd[1], 0);
		move(fn, 1, s, s->kind == KS_OPND_OTHER);
		break;
	case KS_VMOVE_PAIR:
		memset(&was, 0, sizeof(was));
		if (vec(fn, s) != NULL)
			was = *vec(fn, s);
		if (s - in->opnd == 2)
			move(fn, 0, &in->opnd[1], 0);
		put(fn, d, 1, &was.org[0], &was.typ[0]);
		break;
	case KS_VMOVE_ZERO:
		put(fn, d, 0, &none, &null);
		put(fn, d, 1, &none, &null);
		break;
	default:
		if (vec(fn, d) != NULL)
			memset(vec(fn, d), 0, sizeof(*vec(fn, d)));
		break;
	}
}
