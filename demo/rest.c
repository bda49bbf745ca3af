/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stand-ins for the rest of a kernel, so that the example links: what the
 * consumer, the compiler and tables.c call or read.  They do nothing, and
 * nothing here runs.
 */
#include <stddef.h>
#include <stdint.h>

#include "crypto/aesni/kern/kernel.h"

const uint8_t	demo_sbox[256] = { 0x63, 0x7c, 0x77, 0x7b };

uintptr_t	__stack_chk_guard;
void	__stack_chk_fail(void);
void	btext(void);
void	*memcpy(void *dst, const void *src, size_t n);
void	*memset(void *dst, int c, size_t n);

void
__stack_chk_fail(void)
{
	for (;;)
		;
}

void
btext(void)
{
}

struct fpu_kern_ctx *
fpu_kern_alloc_ctx(unsigned int flags)
{
	(void)flags;
	return (NULL);
}

void
fpu_kern_free_ctx(struct fpu_kern_ctx *ctx)
{
	(void)ctx;
}

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
    unsigned int flags)
{
	(void)td;
	(void)ctx;
	(void)flags;
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	(void)td;
	(void)ctx;
	return (0);
}

int
is_fpu_kern_thread(unsigned int flags)
{
	(void)flags;
	return (0);
}

void
explicit_bzero(void *p, size_t n)
{
	for (volatile uint8_t *q = p; n > 0; n--)
		*q++ = 0;
}

/* volatile: a compiler makes a call of memcpy of a plain loop. */
void *
memcpy(void *dst, const void *src, size_t n)
{
	const uint8_t *s = src;

	for (volatile uint8_t *d = dst; n > 0; n--)
		*d++ = *s++;
	return (dst);
}

void *
memset(void *dst, int c, size_t n)
{
	for (volatile uint8_t *d = dst; n > 0; n--)
		*d++ = (uint8_t)c;
	return (dst);
}
