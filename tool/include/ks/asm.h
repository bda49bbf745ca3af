/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a compiler's inline assembly does to SIMD state, by its text,
 * constraints and clobbers, for the front ends that see these as strings.
 */
#ifndef KS_ASM_H
#define KS_ASM_H

#include "ks/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ks_asm {
	bool	 x86;		/* else arm64; the caller's */
	bool	 i386;		/* x86 without its 64-bit mode; the caller's */
	bool	 uses;		/* a SIMD register or instruction */
	bool	 saves;		/* fxsave, stmxcsr, ... */
	bool	 restores;	/* fxrstor, ldmxcsr, ... */
	uint16_t classes;	/* KS_RC_* */
	ks_isaset isa;
};

/*
 * The template; Intel's syntax is told by its directive.  MARK stands before a
 * register's name: "%", or "%%" where a single one begins an operand.
 */
void	ks_asm_text(struct ks_asm *a, const char *text, size_t size,
	    const char *mark);
/*
 * One operand's constraint, as gcc writes it ("=&x", "Yz", "[name]") or LLVM
 * ("={xmm0}", "^Yz").
 */
void	ks_asm_constraint(struct ks_asm *a, const char *text, size_t size);
/* A clobber, without "~{}". */
void	ks_asm_clobber(struct ks_asm *a, const char *text, size_t size);
/* KS_EV_NOP, SIMD, SAVE or RESTORE: saving before a use is a use. */
int	ks_asm_event(const struct ks_asm *a);

#ifdef __cplusplus
}
#endif

#endif
