/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B19: misuse of the FreeBSD context object.
 *
 * bad_mix	enters with a context and leaves without one
 * bad_swap	leaves with another context than it entered with
 * bad_nowait	uses a context that may be NULL unchecked
 * bad_null	enters with NULL without NOCTX
 * bad_freed	frees the context while it is in use
 * unclear_shared	one context for all threads: no check covers it
 * good_*	are right
 *
 * Build: the kernel's flags, no SIMD ("base").  simd_work() lives in
 * another file; cases.contract says that it needs a region.
 */
#include "fbsd.h"

void	simd_work(void *);

struct session {
	struct fpu_kern_ctx	*ctx;	/* shared by all its threads */
};

void
bad_mix(struct fpu_kern_ctx *c, void *p)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, NULL);
}

void
bad_swap(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b, void *p)
{
	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, b);
}

void
bad_nowait(void *p)
{
	struct fpu_kern_ctx *c;

	c = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, c);
	fpu_kern_free_ctx(c);
}

void
bad_null(void *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, NULL);
}

void
unclear_shared(struct session *s, void *p)
{
	fpu_kern_enter(curthread, s->ctx, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, s->ctx);
}

void
bad_freed(struct fpu_kern_ctx *c, void *p)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_free_ctx(c);
	fpu_kern_leave(curthread, c);
}

void
good_percall(void *p)
{
	struct fpu_kern_ctx *c;

	c = fpu_kern_alloc_ctx(FPU_KERN_NORMAL);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, c);
	fpu_kern_free_ctx(c);
}

int
good_checked(void *p)
{
	struct fpu_kern_ctx *c;

	c = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);
	if (c == NULL)
		return (ENOMEM);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, c);
	fpu_kern_free_ctx(c);
	return (0);
}
