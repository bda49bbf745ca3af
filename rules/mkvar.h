/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Make variables: ${NAME:modifiers} expanded as bmake does it, with the
 * place in the text that each word of the result comes from.
 *
 * Only what build rules for C files use is evaluated: :N :M :S :C :R :T :H
 * :E :U :D :tl :tu, and the suffix form :old=new.  What is not known here, a
 * variable as well as a modifier, is recorded as unresolved and expands to
 * nothing; who draws conclusions from a missing word must look at that.
 */
#ifndef KS_RULES_MKVAR_H
#define KS_RULES_MKVAR_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_mkvar {
	const char *name;
	const char *value;
	bool	 base;		/* the kernel's own, not the rule's */
};

/* Variables; a name given later replaces one before. */
struct ks_mkenv {
	struct ks_arena *arena;
	const struct ks_mkenv *outer;	/* looked into last, or NULL */
	KS_VEC(struct ks_mkvar) v;
	bool	 gnu;		/* $(call cc-option,...), $(shell ...) */
};

/* NAME and VALUE must live as long as the environment. */
void	ks_mkenv_set(struct ks_mkenv *e, const char *name, const char *value,
	    bool base);
/* NULL: unknown. */
const struct ks_mkvar *ks_mkenv_get(const struct ks_mkenv *e,
	    const char *name);

struct ks_xword {
	const char *text;
	uint32_t off;		/* in the text that was expanded: of its first
				   byte, or of the '$' it comes from */
	const char *var;	/* NULL: written out; else the variable */
	bool	 base;		/* from a variable of the kernel */
};

/* A modifier, where it stands and what it did. */
struct ks_xmod {
	const char *var;
	char	 op;		/* 'N', 'M', 'S', 'C', ... */
	const char *arg;	/* pattern of N and M, else the whole text */
	uint32_t off;
	bool	 changed;	/* the words behind differ from those before */
	bool	 glued;		/* no ':' before the modifier that follows */
	bool	 base;
};

struct ks_unresolved {
	const char *name;	/* "ZFS_CFLAGS" or ":Q" */
	uint32_t off;
};

struct ks_expansion {
	KS_VEC(struct ks_xword) words;
	KS_VEC(struct ks_xmod) mods;	/* of the text itself, not of values */
	KS_VEC(struct ks_unresolved) unresolved;
};

/*
 * Expands SIZE bytes of TEXT and cuts the result into words as a shell
 * does, quotes taken off.  Memory is E's arena but for the vectors.
 */
void	ks_expand(const struct ks_mkenv *e, const char *text, size_t size,
	    struct ks_expansion *x);
void	ks_expansion_free(struct ks_expansion *x);
/* The expanded text alone, from A. */
const char *ks_expand_text(struct ks_arena *a, const struct ks_mkenv *e,
	    const char *text);

#ifdef __cplusplus
}
#endif

#endif
