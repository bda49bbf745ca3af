/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd cc": a compiler's command line that gives an object only if the
 * object is proven.
 */
#ifndef KS_CC_CC_H
#define KS_CC_CC_H

/* Exit status: the compiler's, or enum ks_exit; or dies as the compiler. */
int	ks_cmd_cc(int argc, char **argv);

#endif
