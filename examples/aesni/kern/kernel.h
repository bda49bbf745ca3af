/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What aesni.c needs from a FreeBSD/amd64 kernel, as plain declarations, so
 * that the example compiles on a machine without that kernel's sources.
 * Names, values and rules are facts of the interface: fpu_kern(9), and the
 * header named at each.  In a real kernel include those headers instead.
 *
 * With _KERNEL nothing but freestanding headers is used.  Without it the same
 * prototypes are met by kern/user.c, which only counts.
 */
#ifndef AESNI_KERN_KERNEL_H
#define AESNI_KERN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

struct thread;			/* sys/proc.h */
struct fpu_kern_ctx;		/* machine/fpu.h; opaque, sized at run time */

/* machine/fpu.h */
#define FPU_KERN_NORMAL	0x0000
#define FPU_KERN_NOWAIT	0x0001	/* alloc only: may return NULL */
#define FPU_KERN_KTHR	0x0002	/* nothing to save in an fpu_kern_thread */
#define FPU_KERN_NOCTX	0x0004	/* ctx is NULL; a critical section */

struct fpu_kern_ctx	*fpu_kern_alloc_ctx(unsigned int flags);
void	fpu_kern_free_ctx(struct fpu_kern_ctx *ctx);
void	fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
	    unsigned int flags);
int	fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx);
int	is_fpu_kern_thread(unsigned int flags);

/* sys/systm.h: a clearing the compiler may not drop. */
void	explicit_bzero(void *p, size_t n);

#ifdef _KERNEL

/* sys/errno.h */
#define ENXIO		6
#define ENOMEM		12
#define EINVAL		22

/* machine/pcpu.h: pc_curthread is the first word of the per-CPU area. */
static inline struct thread *
aesni_curthread(void)
{
	struct thread *td;

	__asm__("movq %%gs:0, %0" : "=r" (td));
	return (td);
}
#define curthread	aesni_curthread()

#else

#include <errno.h>

extern struct thread *curthread;

#endif /* _KERNEL */

/* machine/cpufunc.h: p[0..3] = eax, ebx, ecx, edx of a CPUID leaf. */
static inline void
do_cpuid(unsigned int leaf, unsigned int p[4])
{
	__asm__ volatile("cpuid"
	    : "=a" (p[0]), "=b" (p[1]), "=c" (p[2]), "=d" (p[3])
	    : "0" (leaf), "2" (0));
}

#endif /* AESNI_KERN_KERNEL_H */
