/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What generated programs (gen.c) are written against: fpu_kern(9), vector
 * types of the compiler's own, no other header.  The kernel or the test that
 * runs them supplies the functions.
 *
 * A program is
 *	uint64_t trap_N(uint8_t *a, uint8_t *b, uint32_t n, uint32_t sel,
 *	    struct fpu_kern_ctx *c, struct fpu_kern_ctx *d);
 * a and b are TRAP_BUF bytes each, 64-aligned, and do not overlap; a is only
 * read.  n is 0..9, sel any bits, c and d contexts that are not in use.  The
 * result, and b after it, depend on these arguments only: not on the compiler,
 * its level or its flags.
 */
#ifndef TRAP_H
#define TRAP_H

typedef __UINT8_TYPE__ uint8_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

#define TRAP_BUF	4096

typedef uint32_t trap_v4 __attribute__((__vector_size__(16), __aligned__(16)));

/* Copied and cleared with plain C; the test is what compilers make of it. */
struct trap_s {
	uint64_t	w[6];
} __attribute__((__may_alias__));

struct thread;
struct fpu_kern_ctx;

extern struct thread	*curthread;

#define FPU_KERN_NORMAL	0x0000
#define FPU_KERN_KTHR	0x0002
#define FPU_KERN_NOCTX	0x0004

void	fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
	    unsigned int flags);
int	fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx);
int	is_fpu_kern_thread(unsigned int flags);

#endif /* TRAP_H */
