/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files that explore the paths of random programs.
 */
#ifndef KS_TEST_RANDOM_REF_H
#define KS_TEST_RANDOM_REF_H

#include "random.h"

#define NDOMAIN		64
#define NTABLE		250
#define MAXVAR		56
#define MAXREG		9
#define MAXFRAME	MAXCHAIN
#define MAXSAME		3	/* frames of one function */
#define MAXSTATE	3000	/* per start and way to be called */
#define NSEEN		(1 << 14)
#define MAXOUT		256

#define NOVAR		255
#define FUNC_ADDR(i)	(0xf0f0000000000010 + (uint64_t)(i) * 0x100)
#define NSYM		(NAME_REF + 32)

enum { REG_ATOMIC = 1, REG_COUNTED = 2, REG_CALLERS = 4 };

/* A variable's, through a table; of NOVAR: the same for each. */
struct value { uint8_t var, tab; };

struct frame {
	uint8_t	 fn, node;
	uint8_t	 nreg;		/* when it was called */
	bool	 thread, entered, popped;
	bool	 callback;	/* called through a place */
	bool	 suspended;	/* ... outside; then go back to: */
	uint8_t	 snreg, sreg[MAXREG];
	bool	 sthread;
	struct value v[MAXPLACE];
};

struct state {
	uint8_t	 nframe, nreg, reg[MAXREG], nvar;
	bool	 after;		/* the node's event is done */
	bool	 thread;
	bool	 bad;		/* something was wrong already */
	bool	 told;		/* a query told what the caller holds */
	bool	 entered;	/* a region that may not nest */
	bool	 popped;	/* a region of the caller's was left */
	bool	 excused;	/* what the engine assumes is not so */
	uint8_t	 visited;	/* functions */
	uint64_t mask[MAXVAR];	/* what each variable may be */
	struct frame fr[MAXFRAME];
};

struct outcome {		/* of a whole function: see ref_mixed */
	uint8_t	 nreg, ncallers;
	bool	 thread;
	uint64_t mask[MAXPARAM + 1];
	struct value ret;
	uint64_t retmask;
};

struct ref {
	const struct program *p;
	const struct profile *pr;
	const struct verdict *v;
	struct truth *t;
	unsigned n;		/* values of the domain */
	uint64_t tab[NTABLE][NDOMAIN];	/* the first is the domain */
	unsigned ntab;
	/* Live places, by node. */
	uint8_t	 in[MAXFUNC][MAXNODE], out[MAXFUNC][MAXNODE];
	bool	 join[MAXFUNC][MAXNODE];
	uint64_t *seen;		/* hashes of states; of this start: */
	uint32_t *stamp, now;
	uint8_t	 start, from;
	bool	 atomic_only;	/* entering tells that none was held */
	unsigned pinned;	/* variables kept: the start's parameters */
	unsigned count;
	KS_VEC(struct state) todo;
	unsigned nout;
	struct outcome outcome[MAXOUT];
};

/* random_value.c */
uint64_t ref_mask_of(unsigned bits);
bool	ref_in_iv(uint64_t v, const struct ks_iv *iv);
struct value ref_constant(struct ref *r, uint64_t k);
struct value ref_fresh(struct ref *r, struct state *s);
struct value ref_eval(struct ref *r, struct state *s, const struct frame *f,
    const struct val *v);
uint64_t ref_where(const struct ref *r, const struct state *s,
    struct value x, const struct ks_iv *iv);
int	ref_function_of(const struct ref *r, struct value x);
void	ref_domain(struct ref *r);
void	ref_liveness(struct ref *r, unsigned fi);
void	ref_joins(struct ref *r, unsigned fi);
void	ref_find_roots(const struct program *p, bool root[MAXFUNC]);

/* random_ref.c */
bool	ref_seen(struct ref *r, struct state *s);
void	ref_violate(struct ref *r, struct state *s, enum kind kind,
    bool callers);
bool	ref_held(const struct state *s);
void	ref_need(struct ref *r, struct state *s, enum kind kind);
void	ref_sleep(struct ref *r, struct state *s);
bool	ref_enter(struct ref *r, struct state *s, bool atomic, bool counted);
void	ref_thread(struct ref *r, struct state *s);
void	ref_leave(struct ref *r, struct state *s);

/* random_path.c */
void	ref_explore(struct ref *r, unsigned fn, enum from from);

#endif
