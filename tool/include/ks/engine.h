/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine: reads event graphs, a profile and contracts, and yields
 * findings with witness paths.  It knows no kernel, compiler or file format.
 */
#ifndef KS_ENGINE_H
#define KS_ENGINE_H

#include "ks/finding.h"
#include "ks/graph.h"
#include "ks/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_assumption {
	const char *kind;	/* "indirect-targets", "sleep-flags", ... */
	struct ks_place_text at;
	const char *text;
};

struct ks_verdict {
	uint64_t functions;	/* seen, lowered or not */
	uint64_t simd_functions;
	uint64_t regions;	/* enters */
	uint64_t needs;		/* functions that need a region */
	uint64_t unknown_calls;	/* indirect calls without known targets; each
				   is in assumptions, too */
	KS_VEC(struct ks_assumption) assumptions;
};

/*
 * What is held right before a node, over all paths that reach it: a set of
 * these.  Empty: no path does.
 */
enum {
	KS_HELD_IN = 1 << 0,	/* a region, or thread mode */
	KS_HELD_OUT = 1 << 1,	/* nothing */
	KS_HELD_CALLER = 1 << 2, /* as the caller has it */
};

struct ks_held_func {
	bool	 needs;		/* its callers must hold a region, or do so by
				   annotation or contract */
	bool	 machinery;	/* manages SIMD state: not judged, no `at' */
	uint8_t	*at;		/* by node; NULL if not judged */
};

/* By unit and function, for front ends that change what they lowered. */
struct ks_held {
	struct ks_arena *arena;
	struct ks_held_func **unit;
};

struct ks_solve_opts {
	bool	 closed;	/* these units are the whole program */
	bool	 no_advice;	/* findings that are advice are not made */
	struct ks_contract *contract;	/* or NULL */
	struct ks_held **held;	/* filled on success if not NULL; the caller's */
};

/*
 * Solves UNITS together.  The units are read only; findings are added to F
 * with object places still without source lines (the front end adds them).
 */
int	ks_solve(struct ks_unit *const *units, size_t n,
	    const struct ks_profile *p, const struct ks_solve_opts *o,
	    struct ks_findings *f, struct ks_verdict *v, struct ks_error *err);
void	ks_held_free(struct ks_held *h);

/*
 * Writes a contract of UNITS, which are sources, from what ks_solve found: a
 * line for each function that needs a region, and for each that does not.
 * PARTS: names of functions that were made of those and need one, too.  BY is
 * who wrote it, for the reader.
 */
int	ks_contract_write(struct ks_unit *const *units, size_t n,
	    const struct ks_findings *f, const char *const *parts, size_t nparts,
	    const char *path, const char *by, struct ks_error *err);

#ifdef __cplusplus
}
#endif

#endif
