/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The units of one run, linked: symbols of all units resolved, what the
 * profile and the contracts say of each, targets of indirect calls, and the
 * order of solving.  Internal to the engine.
 */
#ifndef KS_LIB_PROGRAM_H
#define KS_LIB_PROGRAM_H

#include "ks/engine.h"
#include "state.h"

#define KS_PF	8		/* parameters whose facts summaries carry */

/* What a function asks of its caller. */
enum ks_req_kind {
	KS_REQ_NEED,		/* a region is held */
	KS_REQ_NO_NEST,		/* no atomic region is held: it enters one */
	KS_REQ_NO_NEST_COUNTED,	/* ... other than a counted one */
	KS_REQ_NO_SLEEP,	/* no atomic region is held: it may sleep */
	KS_REQ_MAY_SLEEP,	/* the same, if flags that nobody knows say so */
	KS_REQ_LEAVES,		/* a region is held: it leaves it */
	KS_REQ_ISA,		/* the CPU is known to have ISA */
	KS_REQ_PARAM,		/* parameter N is called, at the entry's property */
};

/*
 * Where a parameter is called: as at the entry, outside, in a thread's mode,
 * or in a region that was entered, AT_IN + KS_REG_*.
 */
enum ks_at { KS_AT_ENTRY, KS_AT_OUT, KS_AT_THREAD, KS_AT_IN };

struct ks_req {
	uint8_t	 kind;
	uint8_t	 yes, no;	/* only if these means hold, or not, at entry */
	uint8_t	 popped;	/* when so many of the caller's regions are left */
	uint8_t	 param;		/* PARAM */
	bool	 own;		/* NEED of a function that opens a region itself */
	bool	 inner;		/* NEED of a function whose regions nest: it is
				   reported there, if that may be entered outside */
	uint8_t	 at;		/* PARAM: enum ks_at */
	ks_isaset isa;		/* ISA */
	struct ks_iv pf[KS_PF];	/* only if the parameters are in these */
	uint32_t node;		/* event in the function */
	uint32_t via, viareq;	/* callee function and its req, or KS_NONE */
};

/* One way to return. */
struct ks_case {
	struct ks_prop prop;	/* relative to the entry */
	struct ks_iv pf[KS_PF];
	struct ks_iv ret;
	uint32_t ret_param;	/* 1 + parameter it equals */
	uint32_t ret_sym;	/* functions one of which it is, if not null */
	uint32_t where;		/* node of the innermost enter, or KS_NONE */
	uint32_t left;
	uint32_t node;		/* the RETURN */
	bool	 hidden;	/* reported: callers see those that were meant */
};

struct ks_summary {
	KS_VEC(struct ks_req) reqs;
	KS_VEC(struct ks_case) cases;
};

struct ks_gsym {
	uint32_t name;		/* program string */
	uint32_t func;		/* function, or KS_NONE: not in the set */
	const struct ks_rule *rule;	/* chain of rules for the name, or NULL */
	bool	 needs;		/* contract: callers must hold a region */
	bool	 noreturn;
	bool	 assumed;	/* counted as an external callee already */
};

struct ks_gfunc {
	uint32_t unit;
	const struct ks_func *f;
	uint32_t sym;		/* program symbol */
	uint32_t scc;		/* index; callees have lower ones */
	bool	 recursive;	/* in a cycle of calls */
	bool	 machinery;	/* not judged */
	bool	 held;		/* annotated or by contract: entered inside */
	bool	 called;	/* some call in the set may reach it */
	bool	 unjudged;	/* ... in a function that is not judged */
	bool	 applied;	/* its summary was used outside its cycle */
	bool	 opens;		/* enters a region itself or through a wrapper */
	bool	 nests;		/* ... and all of these are counted */
	bool	 out;		/* somebody may call it where none is held */
	bool	 judged_out;
	bool	 simd;		/* touches SIMD state itself */
	uint32_t loose;		/* 1 + node of SIMD work that a compiler may
				   move if it inlines this function, or 0 */
	uint8_t	*at;		/* by node: KS_HELD_*, if asked for */
	ks_isaset gates;	/* contract: known present whenever it runs */
	bool	 indirect_target, escapes, addr_taken, exported;
	const char *escape;	/* how its address escapes, or NULL */
	const char *passed;	/* where a call gives its address away, outside a
				   region; or NULL */
	struct ks_summary sum;
	KS_VEC(uint64_t) reported;	/* node << 8 | diagnostic */
};

struct ks_targets {		/* of one indirect call */
	uint32_t *sym;		/* program symbols */
	uint32_t n;
	bool	 unknown;	/* something unknown may be stored, too */
};

struct ks_program {
	struct ks_arena *arena;
	struct ks_strtab *str;
	struct ks_unit *const *units;
	size_t	 nunit;
	const struct ks_profile *profile;
	const struct ks_solve_opts *opts;
	uint32_t **symmap;	/* unit, symbol -> program symbol */
	struct ks_targets **targets;	/* function -> per call */
	uint32_t **succ;	/* function -> functions it may call */
	uint32_t *nsucc;
	uint32_t *order;	/* functions, callees first */
	KS_VEC(struct ks_gsym) syms;
	KS_VEC(struct ks_gfunc) funcs;
	struct ks_symsets sets;
	bool	 inline_enter;	/* the profile has regions opened by SAVE */
	bool	 atomic_only;	/* ... and none that may nest in another's */
	struct ks_arena *held;	/* `at' of functions is wanted, from here */
	struct ks_findings *findings;
	struct ks_verdict *verdict;
};

/* link.c: fills all of it but findings and summaries. */
int	ks_program_link(struct ks_program *g, struct ks_error *err);

/* Meaning of a call of program symbol S by ROLE, or NULL. */
const struct ks_rule *ks_gsym_role(const struct ks_gsym *s,
	    enum ks_role role);

/*
 * analyse.c: summary of function F, callees being done; true if it changed.
 * MODE_JUDGE also adds findings; MODE_ROOT adds those that hold only because
 * nobody in the set calls F; MODE_OUT those that hold because F is called
 * where no region is held.
 */
enum ks_mode { KS_MODE_SUM, KS_MODE_JUDGE, KS_MODE_ROOT, KS_MODE_OUT };
bool	ks_analyse(struct ks_program *g, uint32_t f, enum ks_mode mode);

/* text.c: places and names for people. */
struct ks_place_text ks_place_of(const struct ks_program *g, uint32_t func,
	    uint32_t node);
const char *ks_func_name(const struct ks_program *g, uint32_t func);
void	ks_assume(struct ks_program *g, const char *kind, uint32_t func,
	    uint32_t node, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));
/* NODE calls what nobody knows. */
void	ks_assume_unknown(struct ks_program *g, uint32_t func, uint32_t node);

/* remarks.c: what source units say beside their functions. */
void	ks_remarks_judge(struct ks_program *g);
void	ks_remarks_allow(struct ks_program *g);

/* loops.c: advice on regions in loops. */
void	ks_judge_loops(struct ks_program *g, uint32_t f);

#endif
