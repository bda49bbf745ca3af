/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fpu_kern(9) for the harness, with real XSAVE and XRSTOR.
 *
 * 1. Outside regions the registers hold a pattern, the canary, as they would
 *    hold a process's state, and CR0.TS is set as a tripwire (a real kernel
 *    may have it clear there, and then nothing traps).
 * 2. Enter with a context saves what is there, the canary or the state of the
 *    region around it, and loads nothing: the first use traps and finds the
 *    initial state, as FreeBSD's does.  Leave brings the canary back.
 * 3. Enter without a context (NOCTX) is a critical section and loads the
 *    initial state at once.
 * 4. A thread in FPU mode has a state of its own, and no tripwire.
 * 5. The tick preempts a region that is no critical section: it saves its
 *    state, overwrites the registers and sets CR0.TS; the next use loads.
 * 6. At the end the registers are saved once more and compared.
 *
 * What fpu_kern(9)'s assertions forbid is reported, and then done as well as
 * it can be.
 *
 * Limits: AMX tile state is not saved; what AVX-512 adds to AVX is saved but
 * not compared.  One CPU.
 *
 * Reference: fpu_kern(9); Intel SDM vol. 1, chapter 13.
 */
#include "boot.h"
#include "kernel.h"

#define XCR0_X87	0x01u
#define XCR0_SSE	0x02u
#define XCR0_AVX	0x04u
#define XCR0_AVX512	0xe0u
#define CR0_TS		0x08ul
#define AREA		4096		/* AVX-512 needs 2688 */
#define CONTEXTS	16

struct fpu_kern_ctx {
	_Alignas(64) uint8_t	area[AREA];
	struct fpu_kern_ctx	*prev;
	int	allocated;
	int	in_use;
	int	dummy;			/* KTHR in an FPU thread: no region */
	int	loaded;			/* area holds a state */
};

struct thread {
	int	fpu_mode;
};

struct fpu_stats	fpu_stats;
struct thread		boot_thread;

static uint32_t		mask;		/* components of XCR0 */
static struct fpu_kern_ctx contexts[CONTEXTS], thread_ctx;
static struct fpu_kern_ctx *top;	/* innermost region with a context */
static int		nosave;		/* in a NOCTX region */
static int		live;		/* registers hold the current state */
static _Alignas(64) uint8_t canary[AREA], initial[AREA], other[AREA],
    user[AREA], after[AREA];

/* --- registers ----------------------------------------------------------- */

static inline void
set_ts(int on)
{
	uint64_t cr0;

	__asm__ volatile("movq %%cr0, %0" : "=r" (cr0));
	cr0 = on ? cr0 | CR0_TS : cr0 & ~CR0_TS;
	__asm__ volatile("movq %0, %%cr0" : : "r" (cr0) : "memory");
}

static inline void
xsave(uint8_t *area)
{
	__asm__ volatile("xsave64 (%0)" : : "r" (area), "a" (mask), "d" (0)
	    : "memory");
}

static inline void
xrstor(const uint8_t *area)
{
	__asm__ volatile("xrstor64 (%0)" : : "r" (area), "a" (mask), "d" (0)
	    : "memory");
}

static inline uint64_t
intr_off(void)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0; cli" : "=r" (flags) : : "memory");
	return (flags);
}

static inline void
intr_restore(uint64_t flags)
{
	__asm__ volatile("pushq %0; popfq" : : "r" (flags) : "memory", "cc");
}

/*
 * A state that differs from any other seed's in every register.  Legacy area:
 * control words, ST0 to ST7 with an exponent that is a number's, XMM; the
 * header; then whatever the other components are.
 */
static void
pattern(uint8_t *a, uint8_t seed)
{
	memset(a, 0, AREA);
	a[0] = 0x7f;			/* FCW: all masked, ... */
	a[1] = seed & 1 ? 0x0f : 0x03;	/* ... rounding differs */
	a[4] = 0xff;			/* FTW: all in use */
	a[24] = 0x80;			/* MXCSR: all masked, ... */
	a[25] = seed & 1 ? 0x7f : 0x1f;	/* ... rounding differs */
	for (int r = 0; r < 8; r++)
		for (int i = 0; i < 10; i++)
			a[32 + 16 * r + i] = i == 9 ? 0x40 :
			    i == 7 ? 0x80 | seed : (uint8_t)(seed + 16 * r + i);
	for (int i = 0; i < 256; i++)
		a[160 + i] = (uint8_t)(seed ^ (i * 7));
	a[512] = (uint8_t)mask;
	for (int i = 576; i < AREA; i++)
		a[i] = (uint8_t)(seed ^ (i * 5));
}

/* Control words, stack, registers; not the last instruction's address. */
static int
same_state(const uint8_t *a, const uint8_t *b)
{
	int same = memcmp(a, b, 5) == 0 && memcmp(a + 24, b + 24, 4) == 0 &&
	    memcmp(a + 160, b + 160, 256) == 0;

	for (int r = 0; r < 8; r++)
		same &= memcmp(a + 32 + 16 * r, b + 32 + 16 * r, 10) == 0;
	if (mask & XCR0_AVX)
		same &= memcmp(a + 576, b + 576, 256) == 0;
	return (same);
}

const char *
fpu_init(void)
{
	unsigned int r[4];
	uint64_t cr4;

	do_cpuid(1, r);
	if ((r[2] & 1u << 26) == 0) {
		boot_printf("this CPU has no XSAVE\n");
		boot_exit(96);
	}
	__asm__ volatile("movq %%cr4, %0" : "=r" (cr4));
	__asm__ volatile("movq %0, %%cr4" : : "r" (cr4 | 1ul << 18));
	do_cpuid(0xd, r);
	mask = r[0] & (XCR0_X87 | XCR0_SSE | XCR0_AVX);
	if ((r[0] & XCR0_AVX512) == XCR0_AVX512)
		mask |= XCR0_AVX512;
	__asm__ volatile("xsetbv" : : "a" (mask), "d" (0), "c" (0));
	pattern(canary, 0x35);
	pattern(other, 0x62);
	initial[0] = 0x7f;
	initial[1] = 0x03;
	initial[24] = 0x80;
	initial[25] = 0x1f;
	return (mask & XCR0_AVX512 ? "x87, SSE, AVX, AVX-512" :
	    mask & XCR0_AVX ? "x87, SSE, AVX" : "x87, SSE");
}

/* --- one program --------------------------------------------------------- */

static struct fpu_kern_ctx *
current(void)
{
	return (top != NULL ? top :
	    boot_thread.fpu_mode ? &thread_ctx : NULL);
}

static void
user_restore(void)
{
	set_ts(0);
	xrstor(user);
	set_ts(1);
}

void
fpu_begin(int thread)
{
	uint64_t flags = intr_off();

	memset(contexts, 0, sizeof(contexts));
	thread_ctx.loaded = 0;
	top = NULL;
	nosave = live = 0;
	boot_thread.fpu_mode = thread;
	set_ts(0);
	xrstor(canary);
	set_ts(1);
	intr_restore(flags);
}

void
fpu_end(void)
{
	static const uint64_t none[BOOT_CHAIN];
	uint64_t flags = intr_off();

	set_ts(0);
	if (top != NULL || nosave)
		boot_event(BOOT_OPEN, 0, none);
	else if (!boot_thread.fpu_mode) {
		xsave(after);
		if (!same_state(canary, after))
			boot_event(BOOT_CANARY, 0, none);
	}
	top = NULL;
	nosave = live = 0;
	boot_thread.fpu_mode = 0;
	xrstor(canary);
	set_ts(1);
	intr_restore(flags);
}

/* --- handlers ------------------------------------------------------------ */

int
fpu_nm(void)
{
	struct fpu_kern_ctx *ctx = current();

	if (ctx == NULL || nosave)
		return (0);
	set_ts(0);
	xrstor(ctx->loaded ? ctx->area : initial);
	ctx->loaded = live = 1;
	fpu_stats.lazy++;
	return (1);
}

void
fpu_stray_begin(void)
{
	set_ts(0);
}

void
fpu_stray_end(void)
{
	set_ts(1);
}

void
fpu_tick(void)
{
	struct fpu_kern_ctx *ctx = current();

	if (ctx == NULL || nosave || !live)
		return;
	xsave(ctx->area);
	xrstor(other);
	live = 0;
	set_ts(1);
	fpu_stats.switched++;
}

int
fpu_atomic(void)
{
	return (nosave);
}

/* --- fpu_kern(9) --------------------------------------------------------- */

static void
complain(enum boot_event event, void *rip)
{
	static const uint64_t none[BOOT_CHAIN];

	boot_event(event, (uintptr_t)rip, none);
}

struct fpu_kern_ctx *
fpu_kern_alloc_ctx(unsigned int flags)
{
	(void)flags;
	if (nosave)
		complain(BOOT_SLEEP, __builtin_return_address(0));
	for (int i = 0; i < CONTEXTS; i++)
		if (!contexts[i].allocated) {
			contexts[i].allocated = 1;
			return (&contexts[i]);
		}
	return (NULL);
}

void
fpu_kern_free_ctx(struct fpu_kern_ctx *ctx)
{
	if (ctx == NULL)
		return;
	if (ctx->in_use)
		complain(BOOT_CONTEXT, __builtin_return_address(0));
	ctx->allocated = 0;
}

/* The state of what is around the new region goes to memory. */
static void
save_current(void)
{
	struct fpu_kern_ctx *ctx = current();

	if (nosave)
		return;
	set_ts(0);
	if (ctx == NULL)
		xsave(user);
	else if (live)
		xsave(ctx->area);
	live = 0;
}

static void
back_to_current(void)
{
	live = 0;
	if (current() == NULL)
		user_restore();
	else
		set_ts(1);
}

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
    unsigned int flags)
{
	void *rip = __builtin_return_address(0);
	uint64_t rflags = intr_off();

	fpu_stats.regions++;
	if ((uintptr_t)__builtin_frame_address(0) % 16 != 0)
		complain(BOOT_ALIGN, rip);
	if (td != &boot_thread ||
	    (ctx == NULL) != ((flags & FPU_KERN_NOCTX) != 0) ||
	    (ctx != NULL && ctx->in_use))
		complain(BOOT_CONTEXT, rip);
	else if (nosave)
		complain(BOOT_NEST, rip);
	else if ((flags & FPU_KERN_KTHR) != 0 && boot_thread.fpu_mode) {
		if (ctx != NULL)
			ctx->in_use = ctx->dummy = 1;
	} else {
		save_current();
		if (ctx == NULL) {
			nosave = 1;
			xrstor(initial);
		} else {
			ctx->in_use = 1;
			ctx->dummy = ctx->loaded = 0;
			ctx->prev = top;
			top = ctx;
			set_ts(1);
		}
	}
	intr_restore(rflags);
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	void *rip = __builtin_return_address(0);
	uint64_t rflags = intr_off();

	(void)td;
	if (ctx != NULL && ctx->dummy)
		ctx->in_use = ctx->dummy = 0;
	else if (ctx == NULL && nosave) {
		nosave = 0;
		back_to_current();
	} else if (top == NULL && !nosave)
		complain(BOOT_LEAVE, rip);
	else {
		if (ctx == NULL || ctx != top)
			complain(BOOT_CONTEXT, rip);
		if (nosave)
			nosave = 0;
		else {
			top->in_use = 0;
			top = top->prev;
		}
		back_to_current();
	}
	intr_restore(rflags);
	return (0);
}

int
is_fpu_kern_thread(unsigned int flags)
{
	(void)flags;
	return (boot_thread.fpu_mode);
}

int
fpu_kern_thread(unsigned int flags)
{
	uint64_t rflags = intr_off();

	(void)flags;
	if (boot_thread.fpu_mode || top != NULL || nosave)
		complain(BOOT_NEST, __builtin_return_address(0));
	else {
		boot_thread.fpu_mode = 1;
		thread_ctx.loaded = 0;
	}
	intr_restore(rflags);
	return (0);
}
