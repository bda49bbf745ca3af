/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The Linux-side interfaces the cases use.  Prototypes only.
 */
#ifndef CASES_LNX_H
#define CASES_LNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned int gfp_t;
#define GFP_ATOMIC	0xa20u
#define GFP_KERNEL	0xcc0u

struct mutex;

void	kernel_fpu_begin(void);
void	kernel_fpu_end(void);
bool	irq_fpu_usable(void);
bool	may_use_simd(void);

void	*kmalloc(size_t size, gfp_t flags);
void	kfree(const void *p);
void	*memcpy(void *dst, const void *src, size_t len);
void	*memset(void *dst, int c, size_t len);
void	mutex_lock(struct mutex *m);
void	mutex_unlock(struct mutex *m);
unsigned long copy_from_user(void *to, const void *from, unsigned long n);
void	cond_resched(void);

#define EINVAL	22
#define ENOMEM	12
#define EBADMSG	74

#endif
