/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mailing lists' numbers again: what the files of bench/lists share.
 */
#ifndef BENCH_LISTS_H
#define BENCH_LISTS_H

#include "aes_xts.h"

typedef void raw_fn(const struct aes_xts_key *k, const uint8_t *tweak,
		    const uint8_t *in, uint8_t *out, size_t len);

/*
 * aesni_wrap2.c and rolled.c by each compiler and level: the names are given
 * on the command line (-Daesni_xts_encrypt=wrap2_gcc_O2).
 */
raw_fn	wrap2_gcc_O2, wrap2_gcc_O3, wrap2_clang_O2, wrap2_clang_O3;
raw_fn	rolled_gcc_O2, rolled_gcc_O3, rolled_clang_O2, rolled_clang_O3;

/* XSAVE components (XCR0 bits) that brackets save and load; thread-safe. */
extern uint32_t	state_mask;
/* Puts all of them into use in the calling thread. */
void	state_dirty(void);
/* Those of x87, SSE, AVX and AVX-512 that the system has enabled. */
uint32_t	state_all(void);

#endif /* BENCH_LISTS_H */
