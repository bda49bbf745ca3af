/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions that inline assembly spells by bytes.  Internal to asm.c.
 */
#ifndef KS_LIB_ASM_BYTES_H
#define KS_LIB_ASM_BYTES_H

#include "ks/asm.h"

#define KS_ASM_SECTIONS	8	/* .pushsection in .pushsection */

/* A template as it is read, line by line.  Starts as zeroes. */
struct ks_bytes {
	uint8_t	 *v;		/* of a run of data directives; malloc'd */
	uint8_t	 *open;		/* by byte: 1 if its value is not known */
	size_t	 n, cap;
	bool	 data[KS_ASM_SECTIONS];	/* sections: not executed */
	bool	 before;	/* ... of the one that .previous returns to */
	unsigned depth;
};

/*
 * S, a line without its label, in lower case.  True if it is a directive.
 * What ends a run of bytes has them decoded into A.
 */
bool	ks_bytes_line(struct ks_bytes *b, struct ks_asm *a, const char *s);
void	ks_bytes_end(struct ks_bytes *b, struct ks_asm *a);	/* frees B's */

/* SIMD state of CLASSES (KS_RC_*) is used, as ISA brought it. */
static inline void
ks_asm_use(struct ks_asm *a, unsigned classes, ks_isaset isa)
{
	a->uses = true;
	a->classes |= classes;
	a->isa |= isa;
}

#endif
