/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a C or assembly file needs of its build rule, seen from its text: a
 * quick look without a compiler, for linting lists of thousands of files.
 *
 * It is a lower bound.  What a macro from elsewhere makes, and what an
 * include hides that was not found, is not seen; "ksimd check --isa" sees
 * it.  All branches of #if count.
 */
#ifndef KS_RULES_SOURCE_H
#define KS_RULES_SOURCE_H

#include "ks/isa.h"
#include "ks/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_source {
	bool	 found;		/* the file itself */
	bool	 complete;	/* and all that it includes with quotes */
	ks_isaset needs;	/* of the intrinsics that are named */
	const char *intrinsic;	/* one of them, or NULL */
	const char *header;	/* compiler's header: "wmmintrin.h", or NULL */
	uint32_t line;		/* of that include or intrinsic in the file */
	const char *header_in;	/* file that includes it */
	bool	 gcc_guard;	/* mm_malloc.h is kept out for gcc, clang */
	bool	 clang_guard;
	bool	 targets;	/* functions choose sets by an attribute */
	const char *enter;	/* a region's enter or leave that the file itself
				   calls, or NULL; */
	uint32_t enter_line;
	bool	 enters;	/* the file or what it includes calls one */
	bool	 fp_asm;	/* .S: NEON or SVE registers are named */
	bool	 fp;		/* float or double is named */
	bool	 opaque;	/* inline assembly, builtins, vector types */
};

struct ks_srcset;

/* Names of regions' functions are P's. */
struct ks_srcset *ks_srcset_new(const struct ks_profile *p);
void	ks_srcset_free(struct ks_srcset *s);

/*
 * Looks at PATH and what it includes, in its folder and in DIRS (N of
 * them).
 */
void	ks_source_look(struct ks_srcset *s, const char *path,
	    const char *const *dirs, size_t n, struct ks_source *out);
/* Quick: does the text of PATH include a header of intrinsics itself? */
bool	ks_source_has_header(struct ks_srcset *s, const char *path);
/* The instruction sets that NAME, an intrinsic, needs; 0 if unknown. */
ks_isaset ks_intrinsic_isa(const char *name);
/* Does a file in DIR call a region's function? */
bool	ks_source_dir_enters(struct ks_srcset *s, const char *dir);

#ifdef __cplusplus
}
#endif

#endif
