/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions younger than Zydis 4.0, which insn.c asks for when Zydis
 * refuses the bytes.  Private to insn.c.
 */
#ifndef KS_OBJ_INSN_NEW_H
#define KS_OBJ_INSN_NEW_H

#include "insn.h"

/* As ks_insn_decode(); *out is zeroed by the caller. */
int	ks_insn_new_decode(const uint8_t *p, size_t avail, bool mode64,
	    struct ks_insn *out);

/* As ks_insn_text(), but the mnemonic only; "(bad)" for other bytes. */
char	*ks_insn_new_text(const uint8_t *p, size_t avail, bool mode64,
	    char *buf, size_t size);

#endif
