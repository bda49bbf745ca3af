/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The makefile lines that config(8) writes for selected files.
 */
#ifndef KS_RULES_MAKE_H
#define KS_RULES_MAKE_H

#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes OBJS+=, CFILES+=, SFILES+=, CLEAN+= and BEFORE_DEPEND+= lines
 * (MFILES+= only if there are .m files), then a rule for each file, in the
 * text config(8) gives it.  What config(8) prints at this point goes to MSG,
 * word for word.
 */
void	ks_make_write(const struct ks_selection *s, FILE *out, FILE *msg);

#ifdef __cplusplus
}
#endif

#endif
