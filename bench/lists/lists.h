/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mailing lists' numbers again: what the files of bench/lists share.
 */
#ifndef BENCH_LISTS_H
#define BENCH_LISTS_H

#include "aes_xts.h"

/* XSAVE components (XCR0 bits) that brackets save and load; thread-safe. */
extern uint32_t	state_mask;
/* Puts all of them into use in the calling thread. */
void	state_dirty(void);

#endif /* BENCH_LISTS_H */
