/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the parts of the first level: scan.c looks at every byte once,
 * refs.c looks closer at objects in which something matters, close.c decides
 * what is to be lowered.
 */
#ifndef KS_OBJ_SCAN_H
#define KS_OBJ_SCAN_H

#include "ks/decode.h"
#include "obj_priv.h"

/* What the profile says of a name, as far as it matters here. */
enum {
	KS_SR_KNOWN = 1 << 0,	/* it was looked up */
	KS_SR_ENTER = 1 << 1,
	KS_SR_LEAVE = 1 << 2,
	KS_SR_THREAD = 1 << 3,
	KS_SR_NEEDS = 1 << 4,	/* a marker: whoever calls it needs a region */
	KS_SR_OTHER = 1 << 5,	/* query, suspends */
	KS_SR_STOP = 1 << 6,	/* what is below it does not count: the name
				   says all, or it never touches a region */
	KS_SR_THUNK = 1 << 7,	/* an indirect call */
	KS_SR_MACHINERY = 1 << 8, /* its SIMD is no need of its callers */
	KS_SR_LIBCALL = 1 << 9,	/* soft-float helper */
};
#define KS_SR_ROLE	(KS_SR_ENTER | KS_SR_LEAVE | KS_SR_THREAD |	\
			 KS_SR_NEEDS | KS_SR_OTHER)

struct ks_scan {
	struct ks_obj *o;
	const struct ks_profile *p;
	bool	 paranoid;
	bool	 may_add;	/* functions, in this round */
	struct ks_scan_stats st;
	struct ks_error *err;

	/*
	 * One bit a byte of an executable section: an instruction of a
	 * function starts here; something refers to this place as code.
	 */
	uint8_t	**starts, **wanted;	/* by section; NULL: no code */
	uint16_t *symrole;		/* KS_SR_* by symbol */
	bool	 odd;			/* some place is wanted, but no start */
	bool	 roles;			/* a function or pointer has a role */
};

static inline unsigned
ks_scan_decode(const struct ks_obj *o, const struct ks_sect *s, uint64_t off,
    struct ks_dec *d)
{
	return (o->mode64 ? ks_decode64(s->data + off, s->size - off, d) :
	    ks_decode32(s->data + off, s->size - off, d));
}

static inline bool
ks_bit(const uint8_t *v, uint64_t i)
{
	return (v[i >> 3] >> (i & 7) & 1);
}

static inline void
ks_bit_set(uint8_t *v, uint64_t i)
{
	v[i >> 3] |= 1u << (i & 7);
}

/* Roles of symbol SYM, looked up once. */
unsigned ks_scan_role(struct ks_scan *sc, uint32_t sym);

/* Do other objects call Y, defined here, where a region may be held? */
bool	ks_scan_called_below(const struct ks_obj *o,
	    const struct ks_osym *y);

/*
 * What the branch at OFF, decoded as D, refers to, by its relocation REL
 * (or NULL).  False: to nothing that is defined here.
 */
bool	ks_scan_target(const struct ks_obj *o, uint32_t sect, uint64_t off,
	    const struct ks_dec *d, const struct ks_rel *rel, uint32_t *tsect,
	    uint64_t *toff);

/*
 * close.c: decides what is to be lowered.  1: functions were added to the
 * object, which must be scanned again.
 */
int	ks_scan_close(struct ks_scan *sc);

#endif
