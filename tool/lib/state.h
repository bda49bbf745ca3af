/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the engine knows at one point of a function, for one property state:
 * the property (is a region held, which, since when) and facts about places.
 * Internal to the engine.
 */
#ifndef KS_LIB_STATE_H
#define KS_LIB_STATE_H

#include "ks/graph.h"

/* --- intervals (ks/graph.h has the definition) ---------------------------- */

static inline uint64_t
ks_iv_mask(unsigned bits)
{
	return (bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}

bool	ks_iv_has(struct ks_iv iv, uint64_t k);		/* bits not 0 */
/* The low BITS bits of IV's values: an interval of that width, or bits 0. */
struct ks_iv ks_iv_project(struct ks_iv iv, unsigned bits);
bool	ks_iv_disjoint(struct ks_iv a, struct ks_iv b);
bool	ks_iv_inside(struct ks_iv a, struct ks_iv b);	/* a within b */
/* Smallest interval with both; bits 0 if that is everything. */
struct ks_iv ks_iv_hull(struct ks_iv a, struct ks_iv b);
/* An interval with everything in both (which may be more). */
struct ks_iv ks_iv_meet(struct ks_iv a, struct ks_iv b);
struct ks_iv ks_iv_const(uint64_t k, unsigned bits);
bool	ks_iv_single(struct ks_iv iv, uint64_t *k);

/* --- property --------------------------------------------------------------- */

enum ks_base {
	KS_BASE_ENTRY,		/* as the caller left it: unknown */
	KS_BASE_OUT,		/* no region is held */
	KS_BASE_THREAD,		/* thread mode: held for good */
	KS_BASE_HELD,		/* held by the caller: annotated, or a query said so */
};

#define KS_DEPTH	4	/* regions inside regions that are told apart */
enum { KS_REG_ATOMIC = 1, KS_REG_COUNTED = 2 };

struct ks_prop {
	uint8_t	base;		/* enum ks_base: below the regions entered here */
	uint8_t	depth;		/* regions entered here and not left */
	uint8_t	popped;		/* the caller's regions left here */
	uint8_t	yes, no;	/* ks_means assumed of the function's entry */
	uint8_t	reg[KS_DEPTH];	/* KS_REG_*, innermost last */
};

enum ks_tri { KS_NO, KS_YES, KS_MAYBE };

enum ks_tri ks_prop_held(const struct ks_prop *p);	/* MAYBE: caller's matter */
enum ks_tri ks_prop_atomic(const struct ks_prop *p);
enum ks_tri ks_prop_means(const struct ks_prop *p, unsigned means);
/* Assumes the MEANS bits true (or false) of P; false if that cannot be. */
bool	ks_prop_assume(struct ks_prop *p, unsigned means, bool truth);
bool	ks_prop_equal(const struct ks_prop *a, const struct ks_prop *b);

/* --- sets of functions --------------------------------------------------------- */

/*
 * What a pointer may hold besides null: 0, nothing is known; 1 + a program
 * symbol; or KS_SYMSET + the index of a set of them.
 */
#define KS_SYMSET	0x80000000u
#define KS_MAXSYM	8	/* in a set; more are as good as unknown */

struct ks_symset { uint32_t n, sym[KS_MAXSYM]; };	/* 1 + symbol, sorted */
struct ks_symsets { KS_VEC(struct ks_symset) v; };

/* The symbols of SYM, that is what ks_value.sym holds; their number. */
uint32_t ks_syms(const struct ks_symsets *sets, uint32_t sym,
	    uint32_t out[KS_MAXSYM]);
/* A value that is one of A's (symbols SA) or of B's (SB); 0: unknown. */
uint32_t ks_sym_either(struct ks_symsets *sets, struct ks_iv a, uint32_t sa,
	    struct ks_iv b, uint32_t sb);

/* --- facts -------------------------------------------------------------------- */

#define KS_MAXFACT	64	/* places and values kept; more are forgotten */

/*
 * How a value was made from another one: 1 if that is in reliv, else 0; or it
 * has the low reliv.bits bits of it (an extension: the others are known as 0).
 */
enum { KS_REL_NONE, KS_REL_TEST, KS_REL_LOW };

struct ks_value {
	struct ks_iv iv;	/* bits 0: unknown */
	uint64_t known, ones;	/* bits that are known, and those of them set */
	uint32_t sym;		/* functions one of which it is, if not null */
	uint32_t rel;		/* value this one is made from */
	uint8_t	 relkind;	/* KS_REL_* */
	struct ks_iv reliv;	/* TEST: interval; LOW: reliv.bits */
};

struct ks_facts {
	uint32_t nplace, nval;
	uint64_t gates;		/* ks_isaset known present by CPUID bits */
	uint64_t xcr0;		/* bits known set */
	struct ks_pv { uint32_t place, val; } pv[KS_MAXFACT];	/* by place */
	struct ks_value val[KS_MAXFACT];
};

struct ks_state {
	struct ks_prop prop;
	uint32_t where[KS_DEPTH];	/* node that entered each region */
	uint32_t left;		/* last node that left one, or KS_NONE */
	struct ks_facts f;
};

void	ks_state_copy(struct ks_state *dst, const struct ks_state *src);

void	ks_facts_init(struct ks_facts *f);
void	ks_facts_copy(struct ks_facts *dst, const struct ks_facts *src);
/* Index of PLACE's value, made if there is none; KS_NONE if full. */
uint32_t ks_facts_value(struct ks_facts *f, uint32_t place);
/* The same without making one. */
uint32_t ks_facts_find(const struct ks_facts *f, uint32_t place);
/* Gives PLACE value VAL; KS_NONE: forgets PLACE. */
void	ks_facts_set(struct ks_facts *f, uint32_t place, uint32_t val);
uint32_t ks_facts_new(struct ks_facts *f);	/* unknown value, or KS_NONE */
/* Narrows value V to IV and what follows; false if that cannot be. */
bool	ks_facts_refine(struct ks_facts *f, uint32_t v, struct ks_iv iv);
/* PLACE = VAL (ref: program symbol for SYM). */
void	ks_facts_assign(struct ks_facts *f, uint32_t place,
	    const struct ks_val *val);
/* Interval of PLACE's value, bits 0 if nothing is known. */
struct ks_iv ks_facts_iv(const struct ks_facts *f, uint32_t place);
/* Drops what tells nothing and renumbers: equal knowledge, equal bytes. */
void	ks_facts_normalize(struct ks_facts *f);
/* DST = what both know.  True if DST changed.  Both normalized. */
bool	ks_facts_join(struct ks_facts *dst, const struct ks_facts *src,
	    struct ks_symsets *sets);

#endif
