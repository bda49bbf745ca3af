/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * B19, second file: the context by value.  The structure was public in
 * FreeBSD 8; it is opaque and sized at run time since XSAVE.  With the old
 * definition in reach, the compiler accepts it.
 *
 * Build: the kernel's flags, no SIMD ("base").
 */
#include "fbsd.h"

struct fpu_kern_ctx {			/* as an old header had it */
	unsigned char	area[512];
	void		*prev;
};

struct softc {
	int			 unit;
	struct fpu_kern_ctx	 ctx;	/* bad: too small since XSAVE */
};

struct softc_ptr {
	int			 unit;
	struct fpu_kern_ctx	*ctx;
};

void	simd_work(void *);

size_t
bad_size(void)
{
	return (sizeof(struct fpu_kern_ctx));
}

void
bad_local(void *p)
{
	struct fpu_kern_ctx c;		/* by value, on the stack */

	fpu_kern_enter(curthread, &c, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, &c);
}

void
good_member(struct softc_ptr *sc, void *p)
{
	fpu_kern_enter(curthread, sc->ctx, FPU_KERN_NORMAL);
	simd_work(p);
	fpu_kern_leave(curthread, sc->ctx);
}
