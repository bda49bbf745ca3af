/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Userland stand-in for the kernel side of kern/kernel.h: brackets that save
 * nothing, but count and check.  For tests and benchmarks only.
 */
#ifndef AESNI_KERN_USER_H
#define AESNI_KERN_USER_H

/*
 * One process, one thread: plain counters.  A test may set the last two and
 * clear the others.
 */
struct user_fpu {
	unsigned int	enters;
	unsigned int	leaves;
	unsigned int	faults;		/* calls fpu_kern(9) forbids */
	int		held;		/* a region is open now */
	int		contexts;	/* allocated and not yet freed */
	int		kern_thread;	/* what is_fpu_kern_thread() answers */
	int		no_memory;	/* fpu_kern_alloc_ctx() returns NULL */
};

extern struct user_fpu user_fpu;

#endif /* AESNI_KERN_USER_H */
