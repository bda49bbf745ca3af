/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the subcommands of "ksimd rules" share.
 */
#ifndef KS_RULES_CMD_RULES_H
#define KS_RULES_CMD_RULES_H

#include "ks/options.h"

#include "list.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct ks_command ks_rules_apply;
extern const struct ks_command ks_rules_explain;
extern const struct ks_command ks_rules_generate;
extern const struct ks_command ks_rules_lint;

/* --dialect; freebsd-15 for NULL.  KS_EUSAGE lists those known. */
int	ks_rules_dialect(const char *name, enum ks_dialect *out,
	    struct ks_error *err);
/* The profiles named, or the dialect's kernel. */
int	ks_rules_profile(const struct ks_common *c, enum ks_dialect dialect,
	    struct ks_profile *p, struct ks_error *err);

/* Output in memory: nothing is printed unless all of it can be. */
struct ks_mem {
	FILE	*f;
	char	*text;
	size_t	 size;
};
int	ks_mem_open(struct ks_mem *m, struct ks_error *err);
/* Closes it; writes it to standard output if PRINT.  An exit status. */
int	ks_mem_close(struct ks_mem *m, bool print);

#ifdef __cplusplus
}
#endif

#endif
