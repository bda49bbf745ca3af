/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Build rules for C files that use SIMD, from a files.simd.
 */
#ifndef KS_RULES_GENERATE_H
#define KS_RULES_GENERATE_H

#include "ks/profile.h"

#include "list.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_gen {
	enum ks_dialect dialect;
	const char *arch;	/* of the profile's cflags lines */
	bool	 house;		/* the kernel's own spelling of ISA flags */
	const char *srcdir;	/* for "simd auto": sources are relative to it */
	const struct ks_profile *profile;
};

/* Architectures that rules can be generated for, as a list for messages. */
extern const char ks_gen_archs[];
bool	ks_gen_arch_known(const char *arch);

/*
 * Writes the entries of L (a files.simd) as a files.* list to OUT: those
 * with a simd clause expanded, the others as they are; comments, blank
 * lines and layout stay behind.  KS_EPARSE, with its place, for what cannot
 * be a good rule; OUT may then hold a part.
 */
int	ks_generate_files(const struct ks_list *l, const struct ks_gen *g,
	    FILE *out, struct ks_error *err);

/* The same as lines of a kernel module's makefile, and of a Kbuild. */
int	ks_generate_kmod(const struct ks_list *l, const struct ks_gen *g,
	    FILE *out, struct ks_error *err);
int	ks_generate_kbuild(const struct ks_list *l, const struct ks_gen *g,
	    FILE *out, struct ks_error *err);

/* What an entry with a simd clause expands to; strings are A's. */
struct ks_plan {
	const char *target;	/* "aesni_wrap2.o" */
	const char *source;	/* "crypto/aesni/aesni_wrap2.c" */
	const char *dependency;
	const char *rule;
	const char *flags;	/* of the instruction sets, a part of rule */
	const char *mod;	/* of the level, "" or ":C/^-O2$/-O3/" */
	const char *clean;
	const char *entry;	/* the whole entry's text */
	const char *kmod;	/* "x.o: x.c" and its recipe */
};
/* KS_EPARSE with a place. */
int	ks_generate_plan(const struct ks_list *l, const struct ks_item *it,
	    const struct ks_gen *g, struct ks_arena *a, struct ks_plan *p,
	    struct ks_error *err);

/*
 * Compiler flags for the instruction sets SET: words with a blank between,
 * from A.  NULL if one of them has none; *BAD is that one.
 */
const char *ks_gen_isa_flags(struct ks_arena *a, const struct ks_gen *g,
	    ks_isaset set, enum ks_isa *bad);

#ifdef __cplusplus
}
#endif

#endif
