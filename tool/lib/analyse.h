/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One function under analysis: shared by analyse.c (fixpoint), event.c (what
 * each event does to a state), call.c (what a call does) and judge.c (what
 * is reported).  Internal to the engine.
 */
#ifndef KS_LIB_ANALYSE_H
#define KS_LIB_ANALYSE_H

#include "program.h"

/* A state as kept at a leader. */
struct ks_kept {
	struct ks_prop prop;
	uint32_t where[KS_DEPTH], left;
	uint32_t npv, nval;
	uint64_t gates, xcr0;
	struct ks_pv *pv;
	struct ks_value *val;
	bool	 dirty;
	/* judging: shortest way here */
	bool	 reached;
	uint32_t pred, predstate;	/* leader and state it came from */
	uint32_t from, edge;		/* last node before, and its edge */
};

struct ks_leader {
	uint32_t node;
	KS_VEC(struct ks_kept) states;
	bool	 queued;
};

/* Something to report, found on the way (judging). */
struct ks_cand {
	enum ks_diag diag;
	uint32_t node;
	uint32_t leader, state;		/* where the path to it starts its last step */
	uint32_t where, left;		/* node of the enter, of the last leave */
	uint32_t via, viareq;		/* called function and its req, or KS_NONE */
	uint32_t sym;			/* called program symbol, or KS_NONE */
	ks_isaset isa;
	uint32_t place;			/* of SIMD_CROSSES_REGION, REGION_UNBOUNDED */
	uint8_t	 why;			/* enum ks_why */
	bool	 either;		/* one of several functions: other paths than
					   the one here may be the way to it */
};

enum ks_why {				/* a context is wrong because */
	KS_WHY_NULL,			/* it is null, and the flags want one */
	KS_WHY_NOT_NULL,		/* the flags want none */
	KS_WHY_AGAIN,			/* it is in use */
	KS_WHY_LEFT_NULL,		/* the leave has none, the enter had one */
	KS_WHY_OTHER,			/* the leave has another than the enter */
	KS_WHY_FREED,			/* it is freed while in use */
	/* of REGION_DIFFERS_ON_JOIN: there is more than is told apart */
	KS_WHY_DEEP, KS_WHY_STATES,
};

struct ks_an {
	struct ks_program *g;
	uint32_t fi;
	struct ks_gfunc *gf;
	const struct ks_func *f;
	const struct ks_unit *u;
	const uint32_t *map;		/* unit symbol -> program symbol */
	const struct ks_targets *targets;
	enum ks_mode mode;
	bool	 judging;		/* the pass after the fixpoint */
	struct ks_arena *arena;		/* freed with the analysis */
	bool	*relevant;		/* places whose values can matter */
	uint64_t *live;			/* sets of places, by leader, or NULL */
	uint32_t words;			/* of each set */
	uint32_t *leader_of;		/* node -> leader, KS_NONE */
	uint32_t *rpo;			/* node -> reverse postorder number */
	KS_VEC(struct ks_leader) leaders;
	KS_VEC(uint32_t) heap;		/* leaders to do, by rpo */
	KS_VEC(struct ks_cand) cands;
	uint8_t	*seen;			/* node: bits of SEEN_* (leaves) */
	uint32_t cur, curstate;		/* leader and state being walked */
	KS_VEC(uint32_t) bfs;		/* pairs: leader, state */
	ks_isaset baseline;		/* what every CPU has */
	bool	 changed;
	bool	 moves;			/* simd-may-move was added */
	uint32_t either;		/* 1 + node that calls one of several */
	bool	 overflow;		/* too many property states somewhere */
	uint32_t deep;			/* 1 + node that enters too many regions */
};

enum { KS_SEEN_HELD = 1, KS_SEEN_NOT = 2, KS_SEEN_COUNTED = 4,
	KS_SEEN_FLAGS = 8, KS_SEEN_EFFECT = 16 };

/* The one pass over a function in which things are counted. */
#define KS_COUNTING(an)	((an)->judging && (an)->mode == KS_MODE_JUDGE)

#define KS_SHADOW(an, i)	((uint32_t)(an)->f->places.n + (i))

/*
 * More places of the engine's own: the context of the region at depth D;
 * from KS_DEPTH on, 1 if that region has one; an allocated context that may
 * be none; one that was allocated since the last enter.
 */
#define KS_CONTEXT(an, d)						\
	(KS_SHADOW(an, (uint32_t)(an)->f->params.n) + (uint32_t)(d))
#define KS_ALLOCATED(an)	KS_CONTEXT(an, 2 * KS_DEPTH)
#define KS_RECENT(an)		KS_CONTEXT(an, 2 * KS_DEPTH + 1)

/* live.c */
void	ks_find_live(struct ks_an *an);	/* fills in live; leaders are known */
/* Drops places from F that nothing reads from leader L on. */
void	ks_forget_dead(const struct ks_an *an, uint32_t l, struct ks_facts *f);

/* analyse.c */
void	ks_advance(struct ks_an *an, struct ks_state *s, uint32_t node);
/* S is right before NODE: notes what is held there, if that is wanted. */
void	ks_note_held(struct ks_an *an, const struct ks_state *s, uint32_t node);
void	ks_case_add(struct ks_an *an, const struct ks_state *s, uint32_t node,
	    const struct ks_val *ret);
bool	ks_req_add(struct ks_an *an, const struct ks_state *s,
	    const struct ks_req *req);

/* event.c: applies NODE's event to S and goes on; S is used up. */
void	ks_event(struct ks_an *an, struct ks_state *s, uint32_t node);
void	ks_do_enter(struct ks_an *an, struct ks_state *s, uint32_t node,
	    bool atomic, bool counted);
void	ks_do_leave_held(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_do_leave(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t sym);
void	ks_do_need(struct ks_an *an, struct ks_state *s, uint32_t node,
	    const struct ks_req *from, uint32_t sym);
void	ks_do_sleep(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_do_may_sleep(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_do_thread(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t sym);
void	ks_do_nest(struct ks_an *an, struct ks_state *s, uint32_t node,
	    bool counted, uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_do_isa(struct ks_an *an, struct ks_state *s, uint32_t node,
	    ks_isaset isa, uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_do_query(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t dst, unsigned means, bool exact);

/* call.c */
/* NODE is done: on to its successors, or return where it is a tail call. */
void	ks_go_on(struct ks_an *an, struct ks_state *s, uint32_t node);
void	ks_do_call(struct ks_an *an, struct ks_state *s, uint32_t node);

/* context.c: sources only. */
void	ks_context_unknown(struct ks_an *an, struct ks_state *s, int depth);
void	ks_context_call(struct ks_an *an, struct ks_state *s, uint32_t node,
	    const struct ks_call *c, const struct ks_rule *r, uint32_t sym);
void	ks_context_result(struct ks_an *an, struct ks_state *s,
	    const struct ks_call *c);
void	ks_vector_event(struct ks_an *an, struct ks_state *s, uint32_t node);
/* NODE calls CALLEE by its name, symbol SYM. */
void	ks_vector_call(struct ks_an *an, struct ks_state *s, uint32_t node,
	    uint32_t callee, uint32_t sym);
void	ks_vector_left(struct ks_an *an, struct ks_state *s);
void	ks_bound_event(struct ks_an *an, struct ks_state *s, uint32_t node);

/* judge.c */
void	ks_cand_add(struct ks_an *an, enum ks_diag diag, const struct ks_state *s,
	    uint32_t node, uint32_t via, uint32_t viareq, uint32_t sym);
void	ks_judge(struct ks_an *an);

#endif
