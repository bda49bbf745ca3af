/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of trap-test: runs each entry of a table in the harness of
 * examples/aesni/boot, and prints what happened, for run.py to compare.
 *
 *	= RUN RESULT			returned; RESULT covers buffer b
 *	- RUN				ended by an exception
 *	! RUN EVENT RIP CALLER...	once per event and address in a run
 *
 * Numbers but RUN are hexadecimal.  Arguments are letters, see argument().
 *
 * Below are the functions that the cases of test/cases call.  They do little;
 * what a kernel forbids in a critical section is reported.
 */
#include "boot.h"
#include "kernel.h"

#define BUF	4096
#define SEEN	1024

struct trap_run {
	uint64_t	(*fn)();
	const char	*args;		/* "k..." in a thread in FPU mode */
	uint64_t	callee;		/* for 'o' */
};

extern const struct trap_run	trap_runs[];	/* ends with fn NULL */

static _Alignas(64) uint8_t a[BUF], b[BUF], misc[BUF];
static unsigned int		run_no;
static unsigned int		seen;
static struct {
	uint64_t	rip;
	enum boot_event	event;
} seen_events[SEEN];

static const char *const	names[] = {
	[BOOT_SIMD] = "simd", [BOOT_LEAVE] = "leave", [BOOT_NEST] = "nest",
	[BOOT_CONTEXT] = "context", [BOOT_OPEN] = "open",
	[BOOT_SLEEP] = "sleep", [BOOT_ALIGN] = "align",
	[BOOT_CANARY] = "canary", [BOOT_FAULT] = "fault"
};

void
boot_event(enum boot_event event, uint64_t rip,
    const uint64_t chain[BOOT_CHAIN])
{
	for (unsigned int i = 0; i < seen; i++)
		if (seen_events[i].rip == rip && seen_events[i].event == event)
			return;
	if (seen == SEEN) {
		boot_printf("run %d: too many events\n", run_no);
		boot_exit(94);
	}
	seen_events[seen].rip = rip;
	seen_events[seen++].event = event;
	boot_printf("! %d %s %lx", run_no, names[event], rip);
	for (int i = 0; i < BOOT_CHAIN && chain[i] != 0; i++)
		boot_printf(" %lx", chain[i]);
	boot_printf("\n");
}

static uint64_t
argument(char c, struct fpu_kern_ctx *ctx[2], uint64_t callee)
{
	switch (c) {
	case 'a':				/* bytes to read */
		return ((uintptr_t)a);
	case 'b':				/* bytes to write */
		return ((uintptr_t)b);
	case 'm':				/* zeroes to write */
		return ((uintptr_t)misc);
	case 'c':				/* a context */
	case 'd':				/* another */
		return ((uintptr_t)ctx[c - 'c']);
	case 'p':				/* at the address of one */
		memcpy(misc, &ctx[0], sizeof(ctx[0]));
		return ((uintptr_t)misc);
	case 'q':				/* one after an int */
		memcpy(misc + 8, &ctx[0], sizeof(ctx[0]));
		return ((uintptr_t)misc);
	case 'o':				/* at the address of a function */
		memcpy(misc, &callee, sizeof(callee));
		return ((uintptr_t)misc);
	case 'n':				/* a number of bytes */
		return (64);
	case 't':
		return ((uintptr_t)&boot_thread);
	case 's':
		return ((uintptr_t)"%d\n");
	default:				/* a digit */
		return ((uint64_t)(c - '0'));
	}
}

static void
run_one(const struct trap_run *r)
{
	struct fpu_kern_ctx *ctx[2];
	uint64_t args[6] = { 0 }, result;
	const char *p = r->args;
	int ended = 0, thread = *p == 'k';

	for (int i = 0; i < BUF; i++)
		a[i] = (uint8_t)(i * 167 >> 3);
	memset(b, 0, BUF);
	memset(misc, 0, BUF);
	seen = 0;
	fpu_begin(thread);
	ctx[0] = fpu_kern_alloc_ctx(0);
	ctx[1] = fpu_kern_alloc_ctx(0);
	p += thread;
	for (int i = 0; i < 6 && p[i] != '\0'; i++)
		args[i] = argument(p[i], ctx, r->callee);
	result = boot_call(r->fn, args, &ended);
	fpu_end();
	if (!ended) {
		boot_printf("- %d\n", run_no);
		return;
	}
	for (int i = 0; i < BUF; i++)
		result = (result ^ b[i]) * 0x100000001b3;
	boot_printf("= %d %lx\n", run_no, result);
}

int
boot_run(void)
{
	for (; trap_runs[run_no].fn != NULL; run_no++)
		run_one(&trap_runs[run_no]);
	boot_printf("runs %d traps %lx regions %lx preempted %lx ticks %lx "
	    "misaligned %lx\n", run_no, fpu_stats.traps, fpu_stats.regions,
	    fpu_stats.switched, boot_ticks, boot_misaligned);
	return (0);
}

/* --- what the cases call ------------------------------------------------- */

static _Alignas(16) uint8_t heap[1024];

/* Sleeps, locks or allocates: not in a critical section. */
static void *
may_sleep(void *rip)
{
	static const uint64_t none[BOOT_CHAIN];

	if (fpu_atomic())
		boot_event(BOOT_SLEEP, (uintptr_t)rip, none);
	return (heap);
}

#define SLEEPS(f)							\
	void *f(void);							\
	void *f(void) { return (may_sleep(__builtin_return_address(0))); }
#define ZERO(f)								\
	uint64_t f(void);						\
	uint64_t f(void) { return (0); }

SLEEPS(kmalloc) SLEEPS(kfree) SLEEPS(malloc) SLEEPS(free)
SLEEPS(mtx_lock) SLEEPS(sx_xlock) SLEEPS(mutex_lock) SLEEPS(cond_resched)
ZERO(mtx_unlock) ZERO(sx_xunlock) ZERO(mutex_unlock)
/* Soft-float helpers: no case's control flow depends on their results. */
ZERO(__floatsidf) ZERO(__divdf3) ZERO(__muldf3) ZERO(__fixdfsi)
ZERO(emit) ZERO(vemit) ZERO(use) ZERO(blocks_scalar) ZERO(printf)

uint64_t	copyin(void), copy_from_user(void);
int		prep(int n), run(int n);
void		panic(void) __attribute__((noreturn));

int		hw_limit, hw_count;
uint8_t		M_DRV[8];

uint64_t
copyin(void)
{
	may_sleep(__builtin_return_address(0));
	return (0);
}

uint64_t
copy_from_user(void)
{
	may_sleep(__builtin_return_address(0));
	return (0);
}

int
run(int n)
{
	return (n + 1);
}

int
prep(int n)
{
	return (n - 1);
}

void
panic(void)
{
	boot_printf("panic\n");
	boot_exit(93);
}

/*
 * Linux's brackets are FreeBSD's without a context here; the caller is who
 * called.  The stubs of SIMD work are what cases.contract says they are.
 */
__asm__(
"	.globl	kernel_fpu_begin, kernel_fpu_end, irq_fpu_usable\n"
"	.globl	may_use_simd, simd_work, aes16, blocks_simd\n"
"kernel_fpu_begin:\n"
"	movq	curthread(%rip), %rdi\n"
"	xorl	%esi, %esi\n"
"	movl	$4, %edx\n"
"	jmp	fpu_kern_enter\n"
"kernel_fpu_end:\n"
"	movq	curthread(%rip), %rdi\n"
"	xorl	%esi, %esi\n"
"	jmp	fpu_kern_leave\n"
"irq_fpu_usable:\n"
"may_use_simd:\n"
"	movl	$1, %eax\n"
"	ret\n"
"simd_work:\n"
"aes16:\n"
"blocks_simd:\n"
"	pxor	%xmm0, %xmm0\n"
"	ret\n");
