/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * First level of x86 decoding: boundaries, control flow, and "may touch
 * SIMD state", from tables, as fast as the text can be read.  Source:
 * Intel SDM vol. 2, chapter 2 and appendix A; AMD APM vol. 3, appendix A.
 *
 * It is never trusted alone: test/obj/decode-zydis.c compares it with Zydis.
 * Where the two may differ, this one errs towards "may touch SIMD".
 */
#ifndef KS_DECODE_H
#define KS_DECODE_H

#include "ks/base.h"

enum ks_flow {
	KS_FLOW_NEXT,		/* falls through */
	KS_FLOW_JCC,		/* conditional jump (also jrcxz, loop*): rel */
	KS_FLOW_JMP,		/* direct jump: rel */
	KS_FLOW_CALL,		/* direct call: rel */
	KS_FLOW_IJMP,		/* jump through register or memory, far jump,
				   jmpabs */
	KS_FLOW_ICALL,		/* the same for calls, and far direct calls */
	KS_FLOW_RET,		/* ret, retf, iret, sysret, sysexit, uiret,
				   erets, eretu, rsm: does not go on here */
	KS_FLOW_TRAP,		/* ud0, ud1, ud2 */
	KS_FLOW_BREAK,		/* int3 */
	KS_FLOW_HLT,
	KS_FLOW_XBEGIN,		/* xbegin: falls through, or goes to rel */
};

enum {
	KS_DEC_SIMD = 1 << 0,	/* may touch x87/MMX/vector/mask/tile state, or
				   load or save it, or need the FPU on */
	KS_DEC_BELOW_SP = 1 << 1, /* memory operand at a negative displacement
				   from %rsp, or from %rbp (lea excluded) */
	KS_DEC_BELOW_BP = 1 << 2, /* ... it was %rbp */
};

struct ks_dec {
	uint8_t	len;		/* bytes, 1 to 15 */
	uint8_t	flow;		/* enum ks_flow */
	uint8_t	flags;		/* KS_DEC_* */
	uint8_t	rel_off;	/* where in the instruction rel is, or 0 */
	int32_t	rel;		/* from the end of the instruction; 0 without */
};

/*
 * Decodes one instruction at P, of which AVAIL bytes may be read.  Returns
 * its length (also in out->len), or 0 if the bytes are no instruction or
 * end too early.  It may accept bytes that a full decoder refuses.
 */
unsigned ks_decode64(const uint8_t *p, size_t avail, struct ks_dec *out);
unsigned ks_decode32(const uint8_t *p, size_t avail, struct ks_dec *out);

#endif
