/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The FreeBSD-side interfaces the cases use.  Prototypes only.
 */
#ifndef CASES_FBSD_H
#define CASES_FBSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;
struct fpu_kern_ctx;
struct mtx;
struct sx;

struct malloc_type {
	const char	*name;
};

extern struct thread *curthread;
extern struct malloc_type M_DRV[];

#define FPU_KERN_NORMAL	0x0000
#define FPU_KERN_NOWAIT	0x0001
#define FPU_KERN_KTHR	0x0002
#define FPU_KERN_NOCTX	0x0004

struct fpu_kern_ctx *fpu_kern_alloc_ctx(unsigned int flags);
void	fpu_kern_free_ctx(struct fpu_kern_ctx *ctx);
void	fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
	    unsigned int flags);
int	fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx);
int	fpu_kern_thread(unsigned int flags);
int	is_fpu_kern_thread(unsigned int flags);

#define M_NOWAIT	0x0001
#define M_WAITOK	0x0002
#define M_ZERO		0x0100

void	*malloc(size_t size, struct malloc_type *type, int flags);
void	free(void *p, struct malloc_type *type);
void	*memcpy(void *dst, const void *src, size_t len);
void	*memset(void *dst, int c, size_t len);
void	mtx_lock(struct mtx *m);
void	mtx_unlock(struct mtx *m);
void	sx_xlock(struct sx *sx);
void	sx_xunlock(struct sx *sx);
int	copyin(const void *uaddr, void *kaddr, size_t len);
int	printf(const char *fmt, ...);
void	panic(const char *fmt, ...) __attribute__((noreturn));

#define EINVAL	22
#define ENOMEM	12
#define EBADMSG	89

#endif
