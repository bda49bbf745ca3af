/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words of the text form of event graphs, shared by its reader and writer.
 */
#ifndef KS_LIB_KSG_H
#define KS_LIB_KSG_H

#include "ks/graph.h"

#define KSG_VERSION	1

/* A table of words; the index or bit is what it stands for. */
struct ksg_words {
	const char *const *words;
	unsigned n;
};

extern const struct ksg_words ksg_events;	/* enum ks_event */
extern const struct ksg_words ksg_fronts;	/* enum ks_front */
extern const struct ksg_words ksg_means;	/* bits: enum ks_means */
extern const struct ksg_words ksg_func_flags;	/* bits: KS_FUNC_* */
extern const struct ksg_words ksg_sym_flags;	/* bits: KS_SYM_*; FUNC is "" */
extern const struct ksg_words ksg_place_flags;	/* bits: KS_PLACE_* */
extern const struct ksg_words ksg_classes;	/* bits: enum ks_regclass */

/* Index of the word of LEN bytes, or -1. */
int	ksg_find(const struct ksg_words *t, const char *word, size_t len);

/*
 * Can NAME stand bare where a name or a value may stand: no number, no
 * keyword, nothing that the reader splits?
 */
bool	ksg_bare(const char *name);
/* Is WORD, unquoted, the start of an attribute? */
bool	ksg_is_attr(const char *word);

#endif
