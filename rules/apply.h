/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts the entries of a files.simd where they belong in a source tree.
 */
#ifndef KS_RULES_APPLY_H
#define KS_RULES_APPLY_H

#include "edit.h"
#include "generate.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_apply {
	struct ks_arena *arena;
	struct ks_gen gen;
	const char *sysdir;
	bool	 force;		/* rewrite rules written by hand */
	bool	 modules_done;	/* makefiles are planned already */
	FILE	*say;		/* what must be done by hand, one a line */
	size_t	 undone;	/* number of these */
	KS_VEC(struct ks_efile) files;
	KS_VEC(struct ks_list *) lists;	/* of files, by index; NULL: makefile */
	size_t	 root;		/* index of the list named */
};

void	ks_apply_init(struct ks_apply *a);
void	ks_apply_free(struct ks_apply *a);
/* Reads the list and what it includes. */
int	ks_apply_list(struct ks_apply *a, const char *path,
	    struct ks_error *err);
/* Has an entry for both x86 machines a list of its own? */
bool	ks_apply_has_x86(const struct ks_apply *a);
/* Plans the edits for all entries of SIMD. */
int	ks_apply_plan(struct ks_apply *a, const struct ks_list *simd,
	    struct ks_error *err);

#ifdef __cplusplus
}
#endif

#endif
