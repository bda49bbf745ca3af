/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Is this unit a part of the kernel, and of which?
 */
#ifndef KS_CC_UNIT_H
#define KS_CC_UNIT_H

#include "cc_priv.h"

/*
 * The profile that the command line tells, into *NAME; NULL: no kernel's.
 * KS_EUSAGE with text: a kernel's, but which is not told.
 */
int	cc_unit_profile(const struct cc_args *a, const struct cc_compiler *c,
	    const char **name, struct ks_error *err);
/* Why the profile lets this unit pass unchecked, or NULL. */
const char *cc_unit_exempt(const struct cc_args *a,
	    const struct ks_profile *p);

#endif
