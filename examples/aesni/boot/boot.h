/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bare-metal harness: what a small kernel for QEMU gives the programs it
 * runs, and what it reports of them.  One CPU, one thread, no user space.
 *
 * boot.c	console, traps, timer, exit
 * fpu.c	the regions, with CR0.TS as a tripwire outside them
 * boot.S	entry, trap stubs, guarded calls
 *
 * A program of the harness supplies boot_run() and boot_event().
 */
#ifndef AESNI_BOOT_H
#define AESNI_BOOT_H

#include <stddef.h>
#include <stdint.h>

/* As the stubs of boot.S lay it out. */
struct boot_frame {
	uint64_t	r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t	rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t	vector, error;
	uint64_t	rip, cs, rflags, rsp, ss;
};

/* What can happen to a program. */
enum boot_event {
	BOOT_SIMD,		/* SIMD state was used outside a region */
	BOOT_LEAVE,		/* a region left that was not entered */
	BOOT_NEST,		/* entered where it must not be */
	BOOT_CONTEXT,		/* another context than fpu_kern(9) allows */
	BOOT_OPEN,		/* a region was open at the end */
	BOOT_SLEEP,		/* slept or allocated in an atomic region */
	BOOT_ALIGN,		/* stack not 16-aligned at a call of enter */
	BOOT_CANARY,		/* registers changed outside regions */
	BOOT_FAULT		/* an exception ended the program */
};

#define BOOT_CHAIN	8

/* Of the program; see above.  rip is 0 where there is none. */
int	boot_run(void);		/* result: exit status, 0..127 */
void	boot_event(enum boot_event event, uint64_t rip,
	    const uint64_t chain[BOOT_CHAIN]);

/* --- boot.c -------------------------------------------------------------- */

extern volatile uint64_t	boot_ticks;	/* timer interrupts so far */
extern volatile uint64_t	boot_misaligned; /* traps on an odd stack */

/* %s %d %u %x (64 bits each) and %c only. */
void	boot_printf(const char *fmt, ...)
	    __attribute__((format(printf, 1, 2)));
void	boot_exit(int status) __attribute__((noreturn));
int	memcmp(const void *a, const void *b, size_t n);
void	*memcpy(void *dst, const void *src, size_t n);
void	*memmove(void *dst, const void *src, size_t n);
void	*memset(void *dst, int c, size_t n);

/* --- boot.S -------------------------------------------------------------- */

uint64_t	boot_call(uint64_t (*fn)(), const uint64_t args[6], int *ended);
void		boot_abort(void);	/* an address to return to, not to call */
extern char	boot_call_return[], boot_stubs[];

/* --- fpu.c --------------------------------------------------------------- */

struct fpu_kern_ctx;
struct thread;

/* Counters of the whole run. */
struct fpu_stats {
	uint64_t	regions;	/* entered */
	uint64_t	lazy;		/* states loaded on first use */
	uint64_t	switched;	/* times preempted inside a region */
	uint64_t	traps;		/* uses outside regions */
};

extern struct fpu_stats	fpu_stats;
extern struct thread	boot_thread;

const char	*fpu_init(void);	/* what is saved, for the log */
/* Fills the registers, sets the tripwire; thread: in FPU mode for good. */
void	fpu_begin(int thread);
/* Reports open regions and the canary; the registers are not used after. */
void	fpu_end(void);
/* Handlers.  fpu_nm: 1 if the state was loaded, 0 if the use is stray. */
int	fpu_nm(void);
void	fpu_stray_begin(void);
void	fpu_stray_end(void);
void	fpu_tick(void);
int	fpu_atomic(void);		/* in a critical section */
int	fpu_kern_thread(unsigned int flags);

#endif /* AESNI_BOOT_H */
