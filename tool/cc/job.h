/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One run of "ksimd cc", and the commands that come of it.
 */
#ifndef KS_CC_JOB_H
#define KS_CC_JOB_H

#include "cc_priv.h"

struct cc_job {
	struct cc_opts o;
	char	**argv;		/* compiler and arguments, as given */
	int	 argc;
	int	 ncompiler;	/* words of argv that are the compiler */
	struct cc_compiler compiler;
	struct ks_arena *arena;	/* compiler's */
	struct cc_args a;
	char	*plugin;	/* NULL: not used */
};

/* Where the object of IN is to go; NULL: what a link makes. */
const char *cc_target(const struct cc_job *j, const struct cc_input *in);
/* Inputs that are no linker's. */
size_t	cc_compiled_inputs(const struct cc_args *a);
/*
 * The command that makes OUT of IN, NULL-terminated, appended to W.  IN is
 * NULL for a link, OUT for what is not checked.  KS_EIO with text.
 */
int	cc_command(const struct cc_job *j, const struct cc_input *in,
	    const struct cc_output *out, struct cc_words *w,
	    struct ks_error *err);

#endif
