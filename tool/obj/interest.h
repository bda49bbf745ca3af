/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What objects of one run tell each other before they are lowered: names of
 * functions that may need a region, that enter or leave one for their
 * caller, or that are called inside one.  An object in which nothing matters
 * by itself may hold such a function, or call one.
 */
#ifndef KS_OBJ_INTEREST_H
#define KS_OBJ_INTEREST_H

#include "ks/base.h"

enum {
	KS_INT_NEEDS = 1 << 0,	/* whoever calls it may need a region */
	KS_INT_ENTER = 1 << 1,	/* enters for its caller */
	KS_INT_LEAVE = 1 << 2,
	KS_INT_BELOW = 1 << 3,	/* is called where a region may be held */
};

struct ks_interest;		/* not thread-safe; reading only is */

struct ks_interest *ks_interest_new(void);
void	ks_interest_free(struct ks_interest *in);
/* True if any of BITS was new for NAME. */
bool	ks_interest_add(struct ks_interest *in, const char *name,
	    unsigned bits);
unsigned ks_interest_get(const struct ks_interest *in, const char *name);
/* Calls FN for every name. */
void	ks_interest_each(const struct ks_interest *in,
	    void (*fn)(const char *name, unsigned bits, void *ctx), void *ctx);

#endif
