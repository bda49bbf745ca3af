/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests need of a kernel with fpu_kern(9).
 */
#ifndef PASSES_FPU_H
#define PASSES_FPU_H

#include <emmintrin.h>

struct thread;
struct fpu_kern_ctx;
void	fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int	fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);
void	use(void *);
void	panic(const char *, ...) __attribute__((noreturn));

#define ENTER()	fpu_kern_enter((void *)1, (void *)1, 0)
#define LEAVE()	fpu_kern_leave((void *)1, (void *)1)
#define FILL(p, n)	_mm_storeu_si128((void *)(p), _mm_set1_epi32(n))

#endif
