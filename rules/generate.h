/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Build rules for C files that use SIMD, from a files.simd.
 */
#ifndef KS_RULES_GENERATE_H
#define KS_RULES_GENERATE_H

#include "ks/profile.h"

#include "list.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_gen {
	enum ks_dialect dialect;
	const char *arch;	/* of the profile's cflags lines */
	bool	 house;		/* the kernel's own spelling of ISA flags */
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
