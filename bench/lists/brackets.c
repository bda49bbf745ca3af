/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fpu_kern(9) in user space, with real XSAVE and XRSTOR: enter saves what is
 * there and loads the initial state, leave loads what was saved.  A kernel
 * that restores lazily does the last once for many regions.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "lists.h"

#define AREA	4096

struct fpu_kern_ctx {
	_Alignas(64) uint8_t area[AREA];
};

uint32_t	state_mask = 3;
struct thread	*curthread;

static _Thread_local struct fpu_kern_ctx own;
static const _Alignas(64) uint8_t initial[AREA] = {
	[0] = 0x7f, [1] = 0x03, [24] = 0x80, [25] = 0x1f
};

static void
xrstor(const uint8_t *area)
{
	__asm__ volatile("xrstor64 (%0)" : : "r" (area), "a" (state_mask),
	    "d" (0) : "memory");
}

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
    unsigned int flags)
{
	(void)td;
	(void)flags;
	__asm__ volatile("xsave64 (%0)" : : "r" ((ctx ? ctx : &own)->area),
	    "a" (state_mask), "d" (0) : "memory");
	xrstor(initial);
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	(void)td;
	xrstor((ctx ? ctx : &own)->area);
	return (0);
}

struct fpu_kern_ctx *
fpu_kern_alloc_ctx(unsigned int flags)
{
	struct fpu_kern_ctx *ctx;

	(void)flags;
	ctx = aligned_alloc(64, sizeof(*ctx));
	if (ctx != NULL)
		memset(ctx, 0, sizeof(*ctx));
	return (ctx);
}

void
fpu_kern_free_ctx(struct fpu_kern_ctx *ctx)
{
	free(ctx);
}

int
is_fpu_kern_thread(unsigned int flags)
{
	(void)flags;
	return (0);
}

void
state_dirty(void)
{
	__asm__ volatile("fld1; fstp %%st(0); pcmpeqd %%xmm5, %%xmm5"
	    : : : "xmm5", "st");
	if (state_mask & 4)
		__asm__ volatile(".byte 0xc5, 0xfc, 0x10, 0x27"
		    /* vmovups (%rdi), %ymm4 */
		    : : "D" (initial) : "xmm4");
	if ((state_mask & 0xe0) == 0xe0)
		__asm__ volatile(
		    ".byte 0x62, 0xf1, 0x7c, 0x48, 0x10, 0x27\n\t"
		    /* vmovups (%rdi), %zmm4 */
		    ".byte 0x62, 0xe1, 0x7c, 0x48, 0x10, 0x27\n\t"
		    /* vmovups (%rdi), %zmm20 */
		    ".byte 0xc5, 0xf8, 0x92, 0xcf"
		    /* kmovw %edi, %k1 */
		    : : "D" (initial) : "xmm4");
}

uint32_t
state_all(void)
{
	unsigned int r[4];
	uint32_t a, d;

	do_cpuid(1, r);
	if ((r[2] & 1u << 27) == 0)	/* OSXSAVE */
		return (0);
	__asm__ volatile("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
	return ((a & 0xe6) == 0xe6 ? 0xe7 : a & 7);
}
