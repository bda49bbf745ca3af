/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd rules": build rules for files that use SIMD.
 */
#ifndef KS_RULES_RULES_H
#define KS_RULES_RULES_H

#ifdef __cplusplus
extern "C" {
#endif

/* argv[0] is "rules", argv[1] the subcommand.  Returns an exit status. */
int	ks_cmd_rules(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
