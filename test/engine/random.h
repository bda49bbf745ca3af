/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random programs for the engine, and the truth about them.
 *
 * A program here is a plain value of fixed size: it is made (random_gen.c),
 * explored path by path (random_ref.c), turned into an event graph for the
 * engine (random_build.c), and made smaller where the two disagree
 * (random_shrink.c).  Of the engine's headers only the vocabulary is used:
 * events, meanings and intervals.
 */
#ifndef KS_TEST_RANDOM_H
#define KS_TEST_RANDOM_H

#include "ks/engine.h"

#define MAXFUNC		5
#define MAXNODE		24	/* of a function */
#define MAXPLACE	8
#define MAXPARAM	3
#define MAXARG		3
#define MAXEDGE		4	/* of a node */
#define MAXSTORE	5
#define NKEY		2

#define NOPLACE		(-1)
#define NAME_REF	64

/* --- programs --------------------------------------------------------- */

struct val {
	uint8_t	 kind;		/* enum ks_val_kind */
	uint8_t	 ref;		/* place; SYM: function, NAME_REF + name */
	uint64_t num;		/* CONST; ZEXT: bits */
	struct ks_iv iv;	/* TEST */
};

struct edge {
	uint8_t	 to;
	int8_t	 cond;		/* place, if iv.bits != 0 */
	struct ks_iv iv;
};

enum callee { TO_FUNC, TO_NAME, TO_PLACE, TO_KEY };

struct node {
	uint8_t	 ev;		/* enum ks_event */
	uint8_t	 aux;		/* QUERY: means */
	int8_t	 dst;		/* SET, QUERY */
	struct val val;		/* SET, RETURN */
	uint8_t	 nedge;
	struct edge e[MAXEDGE];
	/* CALL */
	uint8_t	 callee;	/* enum callee */
	uint8_t	 id;		/* of a function, name, place or key */
	uint8_t	 narg;
	struct val arg[MAXARG];
	int8_t	 result;
	bool	 tail;
};

struct func {
	uint8_t	 nparam, nplace;	/* parameters are the first places */
	uint8_t	 pflags[MAXPLACE];	/* KS_PLACE_* */
	uint8_t	 flags;			/* KS_FUNC_NEEDS, KS_FUNC_HELD */
	bool	 noreturn;
	bool	 gone;			/* dropped by the shrinker */
	uint8_t	 nnode;
	struct node n[MAXNODE];
};

struct program {
	uint8_t	 profile;
	uint8_t	 nfunc, nstore;
	struct { uint8_t key; int8_t func; /* -1: unknown */ } store[MAXSTORE];
	struct func f[MAXFUNC];
};

/* --- profiles --------------------------------------------------------- */

enum role {
	R_ENTER, R_LEAVE, R_QUERY, R_THREAD, R_MARKER, R_SLEEP, R_SUSPEND,
	R_PANIC, R_IGNORE, R_UNKNOWN,
};

struct name {
	const char *name;
	uint8_t	 role;		/* enum role */
	uint8_t	 means;		/* QUERY */
	bool	 exact;		/* QUERY */
	bool	 atomic, counted;	/* ENTER */
	int8_t	 flags;		/* ENTER, SLEEP: argument, or -1 */
	uint64_t mask;		/* ENTER: atomic if any of it; SLEEP: sleeps */
	int8_t	 callback;	/* SUSPEND: argument */
};

/* Where unknown code may call from. */
enum from {
	FROM_OUT, FROM_REGION, FROM_ATOMIC, FROM_COUNTED, FROM_THREAD,
	FROM_THREAD_REGION, FROM_THREAD_ATOMIC, NFROM
};

struct profile {
	const char *what;
	const char *text;	/* as ksimd.prof(5) has it */
	const struct name *names;
	unsigned nnames;
	unsigned from;		/* bits 1 << enum from */
	bool	 atomic_only;	/* who has entered, was not inside before */
	bool	 inlined;	/* SAVE and RESTORE open and close regions */
	bool	 has_thread;
};

#define NPROFILE	5
extern const struct profile profiles[NPROFILE];

/* --- what the engine said --------------------------------------------- */

struct verdict {
	uint8_t	 nfound;
	struct found { uint8_t diag, func, node; } found[64];
	bool	 needs[MAXFUNC];	/* the note */
	/* Assumptions, by the node that they are about. */
	bool	 flags[MAXFUNC][MAXNODE], unknown[MAXFUNC][MAXNODE];
	bool	 callback_effect;
	bool	 failed;
	char	 why[560];
};

struct ks_unit *build_unit(const struct program *p);
void	solve(const struct program *p, struct verdict *v);
void	print_program(const struct program *p, FILE *out);

/* --- what is true ----------------------------------------------------- */

enum kind {
	K_NEED,			/* SIMD with no region held */
	K_HELD,			/* ... called: one that is declared to be */
	K_NESTED, K_SLEEPS, K_LEAVE, K_NOT_LEFT,
	K_DEEP,			/* no fault, but more regions than make sense */
	NKIND
};

#define MAXCHAIN	8

struct violation {
	uint8_t	 kind;
	uint8_t	 start;		/* function explored from */
	uint8_t	 nchain;	/* outermost first */
	uint8_t	 func[MAXCHAIN], node[MAXCHAIN];
	uint8_t	 visited;	/* functions the path went through */
	bool	 first;		/* nothing was wrong before on this path */
	bool	 callers;	/* it depends on what the caller holds */
	bool	 told;		/* ... and a query told which */
	bool	 entered;	/* a region was entered and left before */
	bool	 excused;	/* the path contradicts a counted assumption */
};

struct truth {
	bool	 root[MAXFUNC];
	bool	 called[MAXFUNC];	/* on some path */
	bool	 correlated;	/* a branch's outcome was known on some path */
	bool	 opens[MAXFUNC];	/* enters on some path, or a callee */
	bool	 cut;		/* not all paths were followed */
	unsigned states;
	unsigned nviol;
	struct violation viol[400];
};

struct ref;
struct ref *ref_new(void);
void	ref_free(struct ref *r);
/* All roots; V: the engine's assumptions, which paths may contradict. */
void	ref_roots(struct ref *r, const struct program *p,
	    const struct verdict *v, struct truth *t);
/* The paths that start at FUNC; adds to *t. */
void	ref_from(struct ref *r, uint8_t func, struct truth *t);
/*
 * Does FUNC return with different effects on the region, and the caller
 * cannot tell by what it passed, where it called from and what it got?
 */
bool	ref_mixed(struct ref *r, uint8_t func, struct truth *t);

/* --- making, comparing, shrinking ------------------------------------- */

struct rng { uint64_t s; };
uint32_t rnd(struct rng *r, uint32_t n);	/* below N */
bool	 chance(struct rng *r, unsigned percent);

void	generate(struct program *p, uint64_t seed);

struct result {
	bool	 bad;		/* silent where a path violates, or worse */
	char	 why[600];
	unsigned errors, confirmed;	/* findings */
	unsigned unconfirmed_diag, unconfirmed_func, unconfirmed_node;
	bool	 unconfirmed;
	bool	 violates, correlated, cut;
	unsigned violations;	/* first ones of paths, by kind and chain */
	unsigned other_kind;	/* ... reported at a mixed callee */
	unsigned excused;	/* beside them: against assumptions */
	unsigned states;
};

void	compare(struct ref *r, const struct program *p, struct result *res);
/* Makes P smaller while TEST holds; TEST holds for P. */
void	shrink(struct program *p, bool (*test)(void *, const struct program *),
	    void *ctx);

#endif
