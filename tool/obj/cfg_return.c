/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which functions never return, by a quick walk with the first level of
 * decoding.  A walk that reaches a return, an indirect jump, a jump it
 * cannot follow or code the kernel may replace says "returns"; so does
 * recursion, and nesting beyond a depth.  The answer "never returns" is thus
 * certain, given the profile's noreturn names.
 *
 *  1. From the entry, follow both ways of conditional jumps.
 *  2. A call goes on behind it, unless its target never returns: a name in
 *     the profile, or a function of this object by the same walk.
 *  3. A jump to another function returns if that one does.
 *
 * The result is kept per function; each function is walked once.
 */
#include <stdlib.h>
#include <string.h>

#include "cfg_priv.h"

enum { UNSEEN, BUSY, RETURNS, NEVER };

#define MAX_DEPTH	32	/* of calls */
#define MAX_INSNS	20000	/* a function */

struct walk {
	struct ks_cfg_builder *b;
	const struct ks_ofunc *f;
	uint8_t	*seen;		/* a bit a byte of the function */
	KS_VEC(uint64_t) work;
	unsigned depth, insns;
};

static bool returns(struct ks_cfg_builder *b, uint32_t func, unsigned depth);

static struct ks_oref
target(const struct walk *w, uint64_t off, const struct ks_dec *d)
{
	return (ks_obj_pcrel(w->b->o, w->f->sect, off + d->rel_off, d->rel,
	    off + d->len));
}

/* What is behind a call or a jump to R: does it come back? */
static bool
comes_back(struct walk *w, const struct ks_oref *r)
{
	const char *name;
	uint32_t f;

	if (ks_cfg_role(w->b, r, KS_ROLE_NORETURN) != NULL)
		return (false);
	f = ks_cfg_callee(w->b, r, &name);
	return (f == KS_NONE || returns(w->b, f, w->depth + 1));
}

static void
add(struct walk *w, uint64_t off)
{
	*ks_vec_push(&w->work) = off;
}

/* Adds what follows the instruction at OFF; true if it returns. */
static bool
step(struct walk *w, uint64_t off, const struct ks_dec *d)
{
	struct ks_oref r;

	switch (d->flow) {
	case KS_FLOW_TRAP:
	case KS_FLOW_BREAK:
		return (false);
	case KS_FLOW_CALL:
		r = target(w, off, d);
		if (comes_back(w, &r))
			add(w, off + d->len);
		return (false);
	case KS_FLOW_JMP:
	case KS_FLOW_JCC:
		r = target(w, off, d);
		if (d->flow == KS_FLOW_JCC)
			add(w, off + d->len);
		if (r.sect == w->f->sect && r.off >= w->f->off &&
		    r.off - w->f->off < w->f->size) {
			add(w, r.off);
			return (false);
		}
		return (comes_back(w, &r));
	case KS_FLOW_NEXT:
	case KS_FLOW_ICALL:
	case KS_FLOW_HLT:
		add(w, off + d->len);
		return (false);
	default:
		return (true);
	}
}

/*
 * Where the kernel patches: adds what follows if that is known; true if the
 * walk must give up.
 */
static bool
patched(struct walk *w, uint64_t off, const struct ks_dec *d)
{
	static const uint8_t kinds[] = { KS_PATCH_JUMP_LABEL, KS_PATCH_ALT,
	    KS_PATCH_STATIC_CALL, KS_PATCH_EXTABLE };
	const struct ks_patch *p;
	uint32_t sect = w->f->sect;

	for (size_t i = 0; i < sizeof(kinds); i++) {
		p = ks_obj_patch(w->b->o, kinds[i], sect, off);
		if (p != NULL && p->off == off)
			return (true);
	}
	/* A warning goes on, a bug ends like any other trap. */
	p = ks_obj_patch(w->b->o, KS_PATCH_WARN, sect, off);
	if (p != NULL && p->off == off) {
		add(w, off + d->len);
		return (false);
	}
	return (step(w, off, d));
}

static bool
walk(struct walk *w)
{
	const struct ks_obj *o = w->b->o;
	const struct ks_sect *s = &o->sects[w->f->sect];

	add(w, w->f->off);
	while (w->work.n > 0) {
		uint64_t off = w->work.v[--w->work.n];
		uint64_t k = off - w->f->off;
		struct ks_dec d;

		if (k >= w->f->size || off >= s->size ||
		    ++w->insns > MAX_INSNS)
			return (true);
		if (w->seen[k / 8] >> k % 8 & 1)
			continue;
		w->seen[k / 8] |= 1u << k % 8;
		if ((o->mode64 ? ks_decode64(s->data + off, s->size - off,
		    &d) : ks_decode32(s->data + off, s->size - off, &d)) == 0)
			return (true);
		if (ks_cfg_is_site(w->b, w->f->sect, off) ?
		    patched(w, off, &d) : step(w, off, &d))
			return (true);
	}
	return (false);
}

static bool
returns(struct ks_cfg_builder *b, uint32_t func, unsigned depth)
{
	const struct ks_ofunc *f = &b->o->funcs[func];
	struct walk w = { .b = b, .f = f, .depth = depth };
	bool r;

	if (b->noreturn[func] != UNSEEN)
		return (b->noreturn[func] != NEVER);
	if (depth > MAX_DEPTH || f->size == 0 ||
	    b->o->sects[f->sect].data == NULL)
		return (true);
	b->noreturn[func] = BUSY;
	w.seen = ks_xmalloc(f->size / 8 + 1);
	memset(w.seen, 0, f->size / 8 + 1);
	r = walk(&w);
	free(w.seen);
	ks_vec_free(&w.work);
	b->noreturn[func] = r ? RETURNS : NEVER;
	return (r);
}

/* See cfg.h. */
bool
ks_cfg_noreturn(struct ks_cfg_builder *b, uint32_t func)
{
	return (!returns(b, func, 0));
}
