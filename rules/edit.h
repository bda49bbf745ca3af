/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Edits of whole lines in text files: collected, shown as a unified diff,
 * and written in one step a file.
 */
#ifndef KS_RULES_EDIT_H
#define KS_RULES_EDIT_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_edit {
	size_t	 off, len;	/* whole lines of the old text */
	const char *text;	/* whole lines, or "" */
	size_t	 nr;		/* order of adding: kept at one place */
};

struct ks_efile {
	const char *path;
	const char *text;
	size_t	 size;
	KS_VEC(struct ks_edit) edits;
};

/* Edits of one file must not overlap. */
void	ks_edit_add(struct ks_efile *f, size_t off, size_t len,
	    const char *text);
/* Three lines of context, as diff -u has them. */
void	ks_edit_diff(struct ks_efile *f, FILE *out);
/* The old file stays whole unless all of the new one is in place. */
int	ks_edit_write(struct ks_efile *f, bool *changed,
	    struct ks_error *err);

#ifdef __cplusplus
}
#endif

#endif
