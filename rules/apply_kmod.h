/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of apply that edits makefiles of kernel modules.
 */
#ifndef KS_RULES_APPLY_KMOD_H
#define KS_RULES_APPLY_KMOD_H

#include "apply.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Plans the edits for P in the makefile of each module that takes its
 * sources from P's folder.  What cannot be edited is said.
 */
int	ks_apply_kmod(struct ks_apply *a, const struct ks_plan *p,
	    struct ks_error *err);

/* Of apply.c: are two commands the same, or of one shape? */
bool	ks_apply_same_rule(struct ks_apply *a, const char *x, const char *y);
bool	ks_apply_same_shape(struct ks_apply *a, const char *x, const char *y);
/* Something that is left to be done by hand. */
void	ks_apply_say(struct ks_apply *a, const char *path, uint32_t line,
	    const char *text);

#ifdef __cplusplus
}
#endif

#endif
