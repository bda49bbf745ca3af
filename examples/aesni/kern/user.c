/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See kern/user.h.  User space owns its vector registers, so there is nothing
 * to save; what is checked is what the kernel's assertions check: a context is
 * there unless NOCTX is given, it is the one entered with, it is not in use
 * when freed, regions pair up and NOCTX does not nest.
 *
 * Limit: one region at a time; the kernel allows nesting with contexts, the
 * example never does.
 */

#include <stdlib.h>

#include "kernel.h"
#include "user.h"

struct fpu_kern_ctx {
	int	in_use;
};

struct user_fpu user_fpu;
struct thread *curthread;

static struct fpu_kern_ctx *entered;	/* context of the open region */

struct fpu_kern_ctx *
fpu_kern_alloc_ctx(unsigned int flags)
{
	struct fpu_kern_ctx *ctx;

	if (user_fpu.no_memory && (flags & FPU_KERN_NOWAIT) != 0)
		return (NULL);
	ctx = calloc(1, sizeof(*ctx));
	if (ctx != NULL)
		user_fpu.contexts++;
	return (ctx);
}

void
fpu_kern_free_ctx(struct fpu_kern_ctx *ctx)
{
	if (ctx == NULL)
		return;
	if (ctx->in_use)
		user_fpu.faults++;
	user_fpu.contexts--;
	free(ctx);
}

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
    unsigned int flags)
{
	user_fpu.enters++;
	if (td != curthread || user_fpu.held ||
	    (ctx == NULL) != ((flags & FPU_KERN_NOCTX) != 0))
		user_fpu.faults++;
	if (ctx != NULL)
		ctx->in_use = 1;
	entered = ctx;
	user_fpu.held = 1;
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	user_fpu.leaves++;
	if (td != curthread || !user_fpu.held || ctx != entered)
		user_fpu.faults++;
	if (ctx != NULL)
		ctx->in_use = 0;
	user_fpu.held = 0;
	return (0);
}

int
is_fpu_kern_thread(unsigned int flags)
{
	(void)flags;
	return (user_fpu.kern_thread);
}
