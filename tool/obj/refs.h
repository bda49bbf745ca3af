/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Who refers to what in one object, see refs.c.
 */
#ifndef KS_OBJ_REFS_H
#define KS_OBJ_REFS_H

#include "scan.h"

enum ks_ref_kind {
	KS_REF_CALL,		/* a branch in code */
	KS_REF_ADDR,		/* code names it otherwise */
	KS_REF_DATA,		/* data points to it */
};

struct ks_ref {
	uint32_t from, to;	/* nodes */
	uint8_t	 kind;		/* enum ks_ref_kind */
};

enum {				/* ks_refs.bits, of functions */
	KS_RB_INDIRECT = 1 << 0,	/* has indirect calls or jumps */
	KS_RB_CALLED = 1 << 1,		/* by a call, not only by jumps */
	KS_RB_TAKEN = 1 << 2,		/* its address is */
	KS_RB_TABLE = 1 << 3,		/* the address of a place in it is */
};

#define KS_GAP_TABLE	8192

struct ks_refs {
	struct ks_scan *sc;
	uint32_t nfunc, nnode;
	KS_VEC(struct ks_ref) e;	/* sorted by from after ks_refs_make */
	uint32_t *first;		/* by node: its first edge; nnode + 1 */
	uint32_t *rev, *rfirst;		/* edges by `to' */
	uint8_t	 *bits;			/* KS_RB_* by function */
	uint16_t *frole;		/* KS_SR_* by function, of its names */
	KS_VEC(struct ks_oref) found;	/* places that start a function */

	/* places in gaps that the present look has seen, by hash */
	struct { uint64_t off; uint32_t sect, look; } seen[KS_GAP_TABLE];
	uint32_t look;
};

static inline uint32_t
ks_node_sym(const struct ks_refs *g, uint32_t sym)
{
	return (g->nfunc + sym);
}

static inline uint32_t
ks_node_sect(const struct ks_refs *g, uint32_t sect)
{
	return (g->nfunc + (uint32_t)g->sc->o->nsym + sect);
}

/*
 * Fills *G.  1: functions were added to the object, look at all of it again.
 * The caller frees G in any case.
 */
int	ks_refs_make(struct ks_refs *g, struct ks_scan *sc);
void	ks_refs_free(struct ks_refs *g);

#endif
