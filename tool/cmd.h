/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The subcommands that are in this folder.  Each gets its own name as
 * argv[0] and returns an exit status.
 */
#ifndef KS_CMD_H
#define KS_CMD_H

int	ks_cmd_check(int argc, char **argv);
int	ks_cmd_explain(int argc, char **argv);
int	ks_cmd_list_checks(int argc, char **argv);
int	ks_cmd_profiles(int argc, char **argv);
int	ks_cmd_solve(int argc, char **argv);

#endif
