/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mailing lists' numbers again: what the files of bench/lists share.
 */
#ifndef BENCH_LISTS_H
#define BENCH_LISTS_H

#include "aes_xts.h"

/* Needs a region, as aesni_xts_encrypt(); len is a multiple of 16. */
void	old_xts_encrypt(const struct aes_xts_key *k, const uint8_t *tweak,
	    const uint8_t *in, uint8_t *out, size_t len);

/* XSAVE components (XCR0 bits) that brackets save and load; thread-safe. */
extern uint32_t	state_mask;
/* Puts all of them into use in the calling thread. */
void	state_dirty(void);

#endif /* BENCH_LISTS_H */
