/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files that make random programs: the program being made, and
 * the pieces it is made of.
 */
#ifndef KS_TEST_RANDOM_GEN_H
#define KS_TEST_RANDOM_GEN_H

#include "random.h"

enum part { P_BRACKET, P_BEGIN, P_END, P_HELPER, P_VALUE, P_APPLY, P_NORETURN,
	P_ANY, P_RANDOM };

struct gen {
	struct program *p;
	const struct profile *pr;
	struct rng r;
	struct func *f;
	uint8_t	 fi, part[MAXFUNC];
	int	 favourite;	/* place that is tested most */
	uint8_t	 queried;	/* places that hold a query's result */
	bool	 careful;	/* mostly right programs */
	enum { OUT, IN, MAYBE } held;	/* here, if all is right */
	unsigned room;		/* nodes this function may have */
	unsigned bits[2];
	uint64_t num[3];
	struct ks_iv iv[3];	/* of this function */
	int	 last;		/* node that the next one follows, or -1 */
	struct { uint8_t node, edge; } open[96];
	unsigned nopen;
};

#define RND(n)		rnd(&g->r, (n))
#define CHANCE(n)	chance(&g->r, (n))

struct ks_iv gen_make_iv(unsigned bits, uint64_t lo, uint64_t hi);
uint64_t gen_mask_of(unsigned bits);
struct ks_iv gen_other(struct ks_iv iv);
struct ks_iv gen_any_iv(struct gen *g);
struct ks_iv gen_random_iv(struct gen *g);
bool	gen_room(const struct gen *g, unsigned n);
void	gen_link_open(struct gen *g, unsigned to);
void	gen_add_open(struct gen *g, unsigned node, unsigned edge);
struct node *gen_emit(struct gen *g, enum ks_event ev);
unsigned gen_branch(struct gen *g, unsigned n);
unsigned gen_branch_if(struct gen *g, int place, struct ks_iv iv);
int	gen_place(struct gen *g);
int	gen_new_place(struct gen *g);
struct val gen_constant(uint64_t k);
struct val gen_place_val(int p);
struct val gen_test_val(int p, struct ks_iv iv);
struct val gen_random_val(struct gen *g);
void	gen_set(struct gen *g, int dst, struct val v);
int	gen_find_name(struct gen *g, enum role role);
struct node *gen_call_name(struct gen *g, int name);
void	gen_enter(struct gen *g);
void	gen_leave(struct gen *g);
void	gen_query(struct gen *g, int dst);
int	gen_pick_func(struct gen *g, int part);
struct node *gen_call_func(struct gen *g, int func, int result);
void	gen_call_other(struct gen *g);

#endif
