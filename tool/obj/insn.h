/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Second level of x86 decoding: everything the lowering needs to know of one
 * instruction.  Made with Zydis, and with own tables for what Zydis 4.0
 * cannot decode.  Only for functions that matter (ks/obj: two levels).
 */
#ifndef KS_OBJ_INSN_H
#define KS_OBJ_INSN_H

#include "ks/base.h"
#include "ks/decode.h"
#include "ks/isa.h"

/* General registers in encoding order; EAX..EDI and AL..DIL use the same. */
enum ks_gpr {
	KS_RAX, KS_RCX, KS_RDX, KS_RBX, KS_RSP, KS_RBP, KS_RSI, KS_RDI,
	KS_R8, KS_R9, KS_R10, KS_R11, KS_R12, KS_R13, KS_R14, KS_R15,
	KS_GPR_MAX,
	KS_RIP = KS_GPR_MAX,	/* memory base only */
	KS_NOREG = 0xff,
};

enum ks_opnd_kind {
	KS_OPND_NONE,
	KS_OPND_REG,		/* general register */
	KS_OPND_IMM,
	KS_OPND_MEM,
	KS_OPND_OTHER,		/* vector, segment, control register, ... */
};

struct ks_opnd {
	uint8_t	 kind;		/* enum ks_opnd_kind */
	uint8_t	 reg;		/* REG: enum ks_gpr; MEM: base, KS_RIP or
				   KS_NOREG */
	uint8_t	 index;		/* MEM: index register or KS_NOREG; that with the
				   number of the bit in bts and its like */
	uint8_t	 scale;		/* MEM: 1, 2, 4, 8 */
	uint16_t bits;		/* access size: 8 to 512 and more */
	bool	 high8;		/* REG: ah, ch, dh, bh */
	uint8_t	 seg;		/* MEM: 0, or 'f' / 'g' for %fs / %gs */
	int64_t	 val;		/* IMM: sign-extended from val_len bytes, also
				   where the CPU would not (mov $imm32 to a
				   32-bit register: compare bits of it); MEM:
				   displacement, scaled for EVEX disp8 */
	uint8_t	 val_off;	/* where in the instruction the immediate or
				   displacement is (for relocations), 0: not */
	uint8_t	 val_len;	/* its bytes */
	bool	 read, write;
	uint8_t	 vec;		/* OTHER: number of an xmm or ymm register; valid
				   if the instruction has a vmove */
};

/* Moves of pointers through vector registers. */
enum ks_vmove {
	KS_VMOVE_NONE,
	KS_VMOVE_ALL,		/* 16 bytes, to or from memory too */
	KS_VMOVE_LOW,		/* the low 8; the high ones become 0 */
	KS_VMOVE_LOW_KEEP,	/* the low 8; or to memory */
	KS_VMOVE_HIGH,		/* to the high 8, or from there to memory */
	KS_VMOVE_PAIR,		/* the low 8 of both sources */
	KS_VMOVE_ZERO,
	KS_VMOVE_CLOBBER,	/* something else is written to it */
};

/*
 * The operations a lowering follows; everything else is KS_OP_OTHER and is
 * known by the registers it writes.
 */
enum ks_op {
	KS_OP_OTHER,
	KS_OP_NOP,		/* nop, endbr, prefetch, pause */
	KS_OP_MOV,		/* mov, movabs */
	KS_OP_MOVZX,
	KS_OP_MOVSX,		/* movsx, movsxd; cbw, cwde, cdqe as if they had
				   their two operands */
	KS_OP_LEA,
	KS_OP_PUSH, KS_OP_POP, KS_OP_LEAVE,
	KS_OP_ADD, KS_OP_SUB, KS_OP_AND, KS_OP_OR, KS_OP_XOR,
	KS_OP_INC, KS_OP_DEC, KS_OP_NEG, KS_OP_NOT,
	KS_OP_SHL, KS_OP_SHR, KS_OP_SAR,
	KS_OP_CMP, KS_OP_TEST, KS_OP_BT,
	KS_OP_SETCC, KS_OP_CMOVCC, /* cc */
	KS_OP_JCC,		/* cc; loop and jrcxz have KS_CC_NONE */
	KS_OP_XCHG,
	KS_OP_CPUID, KS_OP_XGETBV,
	KS_OP_CALL, KS_OP_JMP, KS_OP_RET,
	KS_OP_UD, KS_OP_INT3, KS_OP_HLT,
};

/* Condition codes in encoding order (SDM vol. 1, appendix B). */
enum ks_cc {
	KS_CC_O, KS_CC_NO, KS_CC_B, KS_CC_AE, KS_CC_E, KS_CC_NE, KS_CC_BE,
	KS_CC_A, KS_CC_S, KS_CC_NS, KS_CC_P, KS_CC_NP, KS_CC_L, KS_CC_GE,
	KS_CC_LE, KS_CC_G,
	KS_CC_NONE = 0xff,
};

enum ks_simd_kind {
	KS_SIMD_NONE,
	KS_SIMD_USE,		/* also fwait, fnclex, and fnstsw: it reads the
				   user's status */
	KS_SIMD_SAVE,		/* fxsave, xsave*, stmxcsr, fnstcw, fnstenv, and
				   fnsave, though it also initialises */
	KS_SIMD_RESTORE,	/* fxrstor, xrstor*, ldmxcsr, fldcw, fldenv,
				   frstor, fninit, emms, femms */
};

struct ks_insn {
	uint8_t	 len;
	uint8_t	 flow;		/* enum ks_flow */
	uint8_t	 op;		/* enum ks_op */
	uint8_t	 cc;		/* enum ks_cc */
	uint8_t	 simd;		/* enum ks_simd_kind */
	bool	 rep;		/* f2/f3 prefix on a string instruction */
	bool	 down;		/* std: string instructions run backwards */
	bool	 writes_flags;	/* any of ZF, SF, CF, OF */
	bool	 aligned;	/* vector memory operand that faults if not
				   aligned to its size (movdqa, movaps, legacy
				   SSE memory operands, vmovdqa, movntdq ...):
				   opnd[] has it */
	bool	 emms;		/* emms or femms */
	uint16_t gpr_read;	/* bit 1 << enum ks_gpr, implicit ones and
				   addresses too; APX: all 16 */
	uint16_t gpr_write;	/* whole or in part, or perhaps (cmovcc) */
	uint16_t classes;	/* KS_RC_*: what SIMD state it names; VEX on xmm
				   is xmm; arithmetic is without mxcsr */
	ks_isaset isa;		/* SIMD: what it needs of the CPU, not closed;
				   otherwise 0 */
	uint8_t	 nopnd;		/* operands as an assembler shows them, the
				   destination first; without EVEX masks; a
				   fifth one (vpermil2ps) is left out */
	struct ks_opnd opnd[4];
	uint8_t	 vmove;		/* enum ks_vmove */
	int64_t	 rel;		/* direct jump or call: from the end */
	uint8_t	 rel_off;	/* where rel is stored */
	uint8_t	 rel_len;
};

/*
 * Decodes one instruction at P.  KS_EPARSE if the bytes are no instruction
 * known to us or end too early.  MODE64 false is 32-bit protected mode.
 */
int	ks_insn_decode(const uint8_t *p, size_t avail, bool mode64,
	    struct ks_insn *out);

/* Disassembly in AT&T syntax, for witness text ("movdqa %xmm0, (%rsp)"). */
char	*ks_insn_text(const uint8_t *p, size_t avail, bool mode64,
	    char *buf, size_t size);

#endif
