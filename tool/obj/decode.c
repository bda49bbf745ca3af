/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * First level of x86 decoding: length, control flow and "may touch SIMD
 * state" of one instruction.  See decode.h.
 *
 *  1. Prefixes are gathered up to the first byte that is none; a REX prefix
 *     counts only right before the opcode.
 *  2. The opcode map (one-byte, 0F, 0F38, 0F3A, VEX, EVEX, XOP) gives one
 *     table entry: does a ModRM byte follow, which immediate, SIMD, flow,
 *     and for the few opcodes that need more, which special case.
 *  3. ModRM and SIB give the length of the displacement, and whether the
 *     operand lies below the stack or frame pointer.
 *  4. The immediate's length depends on the prefixes 66, 67 and REX.W.
 *
 * Invariants: nothing is read beyond avail; no byte after the 15th matters.
 * The SIMD flag is set unless the opcode is known to be a general-purpose
 * one: a new VEX or EVEX instruction counts as SIMD until it is listed here.
 *
 * Known limits: operands are not checked (lock prefixes on loads, segment
 * registers that do not exist, reserved VEX fields, most undefined opcodes
 * of the 0F38 and 0F3A maps and of VEX and EVEX are accepted).  A near branch with a 66 prefix in
 * 64-bit mode has a 32-bit displacement, as on Intel CPUs; AMD's take 16
 * bits, and no compiler or assembler makes one.
 *
 * Reference: Intel SDM vol. 2, chapter 2 (formats) and appendix A (opcode
 * maps ); AMD APM vol. 3, appendix A (XOP, 3DNow!); VIA PadLock
 * programming guide; Intel APX specification, chapter 3 (REX2, EVEX map 4).
 */
#include "decode.h"

#include <string.h>

/*
 * A table entry:
 *   bits 0-3   enum imm
 *   bit 4      M: ModRM follows
 *   bit 5      S: may touch SIMD state
 *   bits 8-11  enum ks_flow
 *   bits 16-   enum special
 */
enum imm {
	IMM_NONE,
	IMM_B,			/* 1 byte */
	IMM_W,			/* 2 bytes */
	IMM_WB,			/* enter: 3 bytes */
	IMM_Z,			/* 4 bytes, or 2 with 66 */
	IMM_V,			/* mov: as Z, or 8 with REX.W */
	IMM_O,			/* an address: as wide as addresses are */
	IMM_P,			/* far pointer: Z and 2 more */
	IMM_BB,			/* extrq, insertq: 2 bytes */
	IMM_D,			/* 4 bytes, whatever the prefixes */
	IMM_Q,			/* 8 bytes: REX2 jmpabs */
	IMM_REL_B,		/* the kinds from here on are displacements */
	IMM_REL_Z,
	IMM_REL_X,		/* xbegin: as Z in every mode */
	IMM_MAX
};

enum special {
	SP_NONE,
	SP_BAD,
	/* Prefixes. */
	SP_66, SP_67, SP_F2, SP_F3, SP_LOCK, SP_SEG, SP_REX,
	/* Other maps. */
	SP_0F, SP_0F38, SP_0F3A, SP_REX2, SP_VEX2, SP_VEX3, SP_EVEX, SP_XOP,
	/* The opcode's ModRM or prefix says more. */
	SP_LEA, SP_GRP3B, SP_GRP3Z, SP_GRP4, SP_GRP5, SP_GRP11, SP_GRP7,
	SP_MOVCR, SP_78, SP_79, SP_B8, SP_AE, SP_C7,
};

#define M		0x10u
#define S		0x20u
#define FLOW(f)		((unsigned)KS_FLOW_##f << 8)
#define SP(s)		((unsigned)SP_##s << 16)

#define E_FLOW(e)	((e) >> 8 & 0xf)
#define E_SPECIAL(e)	((e) >> 16)

/* One word for each kind of table entry. */
#define __	SP(BAD)
#define N	0u
#define MB	(M | IMM_B)
#define MZ	(M | IMM_Z)
#define B	IMM_B
#define W	IMM_W
#define Z	IMM_Z
#define V	IMM_V
#define O	IMM_O
#define SM	(S | M)
#define SB	(S | M | IMM_B)
#define JC	(FLOW(JCC) | IMM_REL_B)
#define JZ	(FLOW(JCC) | IMM_REL_Z)
#define RT	FLOW(RET)

#define X4(x)	x, x, x, x
#define X8(x)	X4(x), X4(x)
#define X16(x)	X8(x), X8(x)

/* Rows of the one-byte map that both modes share (SDM table A-2). */
#define ROW_ALU(last0, last1)						\
	M, M, M, M, B, Z, last0, last1
#define ROW_8								\
	MB, MZ, MB, MB, M, M, M, M,					\
	M, M, M, M, M, SP(LEA) | M, M, SP(XOP)
#define ROW_C(c4, c5, ce)						\
	MB, MB, RT | W, RT, c4, c5,					\
	SP(GRP11) | MB, SP(GRP11) | MZ,					\
	IMM_WB, N, RT | W, RT, FLOW(BREAK), B, ce, RT
#define ROW_F								\
	SP(LOCK), N, SP(F2), SP(F3), FLOW(HLT), N,			\
	SP(GRP3B) | M, SP(GRP3Z) | M,					\
	N, N, N, N, N, N, SP(GRP4) | M, SP(GRP5) | M

static const uint32_t map1_64[256] = {
	ROW_ALU(__, __), ROW_ALU(__, SP(0F)),
	ROW_ALU(__, __), ROW_ALU(__, __),
	ROW_ALU(SP(SEG), __), ROW_ALU(SP(SEG), __),
	ROW_ALU(SP(SEG), __), ROW_ALU(SP(SEG), __),
	X16(SP(REX)),
	X16(N),
	__, __, SP(EVEX), M, SP(SEG), SP(SEG), SP(66), SP(67),
	Z, MZ, B, MB, N, N, N, N,
	X16(JC),
	MB, MZ, __, MB, M, M, M, M,
	M, M, M, M, M, SP(LEA) | M, M, SP(XOP),
	X8(N), N, N, __, S, N, N, N, N,
	O, O, O, O, N, N, N, N, B, Z, N, N, N, N, N, N,
	X8(B), X8(V),
	ROW_C(SP(VEX3), SP(VEX2), __),
	M, M, M, M, __, SP(REX2), __, N, X8(SM),
	JC, JC, JC, JC, B, B, B, B,
	FLOW(CALL) | IMM_REL_Z, FLOW(JMP) | IMM_REL_Z,
	__, FLOW(JMP) | IMM_REL_B, N, N, N, N,
	ROW_F,
};

static const uint32_t map1_32[256] = {
	ROW_ALU(N, N), ROW_ALU(N, SP(0F)),
	ROW_ALU(N, N), ROW_ALU(N, N),
	ROW_ALU(SP(SEG), N), ROW_ALU(SP(SEG), N),
	ROW_ALU(SP(SEG), N), ROW_ALU(SP(SEG), N),
	X16(N),
	X16(N),
	N, N, SP(EVEX), M, SP(SEG), SP(SEG), SP(66), SP(67),
	Z, MZ, B, MB, N, N, N, N,
	X16(JC),
	ROW_8,
	X8(N), N, N, FLOW(ICALL) | IMM_P, S, N, N, N, N,
	O, O, O, O, N, N, N, N, B, Z, N, N, N, N, N, N,
	X8(B), X8(V),
	ROW_C(SP(VEX3), SP(VEX2), N),
	M, M, M, M, B, B, N, N, X8(SM),
	JC, JC, JC, JC, B, B, B, B,
	FLOW(CALL) | IMM_REL_Z, FLOW(JMP) | IMM_REL_Z,
	FLOW(IJMP) | IMM_P, FLOW(JMP) | IMM_REL_B, N, N, N, N,
	ROW_F,
};

/* The 0F map (SDM table A-3; 0E, 0F, A6 and A7: AMD and VIA). */
static const uint32_t map_0f[256] = {
	M, SP(GRP7) | M, M, M, __, N, N, RT,			/* 00 */
	N, N, __, FLOW(TRAP), __, M, S, SB,
	X8(SM),							/* 10 */
	X8(M),
	SP(MOVCR), SP(MOVCR), SP(MOVCR), SP(MOVCR), __, __, __, __, /* 20 */
	X8(SM),
	N, N, N, N, N, RT, __, N,				/* 30 */
	SP(0F38), __, SP(0F3A), __, __, __, __, __,
	X16(M),							/* 40 */
	X16(SM),						/* 50 */
	X16(SM),						/* 60 */
	SB, SB, SB, SB, SM, SM, SM, S,				/* 70 */
	SP(78) | M, SP(79) | M, __, __, SM, SM, SM, SM,
	X16(JZ),						/* 80 */
	X16(M),							/* 90 */
	N, N, N, M, MB, M, SM, SM,				/* a0 */
	N, N, RT, M, MB, M, SP(AE) | M, M,
	X8(M),							/* b0 */
	SP(B8) | M, FLOW(TRAP) | M, MB, M, M, M, M, M,
	M, M, SB, M, SB, SB, SB, SP(C7) | M,			/* c0 */
	X8(N),
	X16(SM),						/* d0 */
	X16(SM),						/* e0 */
	X8(SM),							/* f0 */
	SM, SM, SM, SM, SM, SM, SM, FLOW(TRAP) | M,
};

/*
 * The 0F38 map (SDM table A-4).  General-purpose: 80-82 invept, invvpid,
 * invpcid; F0, F1 movbe, crc32; F5, F6 wruss, wrss, adcx, adox; F8, F9
 * movdir64b, enqcmd, movdiri, urdmsr; FC aadd and its like.
 */
static const uint32_t map_0f38[256] = {
	X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(__), X16(__),
	X16(__),
	M, M, M, __, X4(__), X8(SM),				/* 80 */
	X16(__), X16(__), X16(__),
	X16(SM), X16(SM),					/* c0, d0 */
	X16(__),
	M, M, __, __, __, M, M, __,				/* f0 */
	M, M, SM, SM, M, __, __, __,
};

/* The 0F3A map (SDM table A-5): all with an immediate; F0 is hreset. */
static const uint32_t map_0f3a[256] = {
	X16(SB), X16(SB), X16(SB), X16(__), X16(SB), X16(__), X16(SB),
	X16(__), X16(__), X16(__), X16(__), X16(__),
	X16(SB), X16(SB), X16(__),
	MB, __, __, __, X4(__), X8(__),
};

/* VEX and EVEX map 1 (SDM table A-3); 41-4B, 90-99 are mask instructions. */
static const uint32_t map_vex1[256] = {
	X16(__), X8(SM), X8(__),				/* 00, 10 */
	X8(__), X8(SM), X16(__),				/* 20, 30 */
	X16(SM), X16(SM), X16(SM),				/* 40-60 */
	SB, SB, SB, SB, SM, SM, SM, S,				/* 70 */
	X8(SM),
	X16(__),						/* 80 */
	X16(SM),						/* 90 */
	X8(__), __, __, __, __, __, __, SM, __,			/* a0 */
	X16(__),						/* b0 */
	__, __, SB, __, SB, SB, SB, __, X8(__),			/* c0 */
	X16(SM), X16(SM), X16(SM),				/* d0-f0 */
};

/*
 * VEX and EVEX map 2.  General-purpose: BMI (F2, F3, F5-F7) and cmpccxadd
 * (E0-EF).
 */
static const uint32_t map_vex2[256] = {
	X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM),
	X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM),
	X16(M),
	SM, SM, M, M, SM, M, M, M, X8(SM),
};

/* VEX and EVEX map 3, all with an immediate.  General-purpose: F0 rorx. */
static const uint32_t map_vex3[256] = {
	X16(SB), X16(SB), X16(SB), X16(SB), X16(SB), X16(SB), X16(SB),
	X16(SB), X16(SB), X16(SB), X16(SB), X16(SB), X16(SB), X16(SB),
	X16(SB),
	MB, SB, SB, SB, SB, SB, SB, SB, X8(SB),
};

/*
 * EVEX map 4: the general-purpose instructions that APX promotes, with the
 * opcodes of the one-byte map; D4 and D8-DF are SHA and Key Locker.
 */
static const uint32_t map_evex4[256] = {
	X16(M), X16(M),						/* 00, 10 */
	X4(M), MB, M, M, M, X4(M), MB, M, M, M,			/* 20 */
	X16(M), X16(M), X16(__),				/* 30-50 */
	M, M, __, __, __, M, M, __, __, MZ, __, MB, X4(__),	/* 60 */
	X16(__),						/* 70 */
	MB, MZ, __, MB, M, M, __, __, M, __, __, __, __, __, __, M, /* 80 */
	X16(__),						/* 90 */
	__, __, __, __, __, M, __, __, X4(__), __, M, __, M,	/* a0 */
	X16(__),						/* b0 */
	MB, MB, __, __, X4(__), X8(__),				/* c0 */
	M, M, M, M, SB, __, __, __, X8(SM),			/* d0 */
	X16(__),						/* e0 */
	M, M, M, __, M, M, SP(GRP3B) | M, SP(GRP3Z) | M,	/* f0 */
	M, M, __, __, M, __, M, M,
};

/* Prefix state.  The first three bits index imm_len. */
enum {
	P_66 = 1 << 0,
	P_67 = 1 << 1,
	P_W = 1 << 2,
	P_F2 = 1 << 3,
	P_F3 = 1 << 4,
	P_B = 1 << 5,		/* extends the base register */
	P_REX = 1 << 6,
	P_LOCK = 1 << 7,
	P_REXBITS = P_W | P_B | P_REX,
	P_NOVEX = P_66 | P_F2 | P_F3 | P_REX | P_LOCK,
};

/* Bytes of an immediate, by kind and by P_66, P_67, P_W. */
static const uint8_t imm_len_64[IMM_MAX][8] = {
	[IMM_B] = { 1, 1, 1, 1, 1, 1, 1, 1 },
	[IMM_W] = { 2, 2, 2, 2, 2, 2, 2, 2 },
	[IMM_WB] = { 3, 3, 3, 3, 3, 3, 3, 3 },
	[IMM_Z] = { 4, 2, 4, 2, 4, 4, 4, 4 },
	[IMM_V] = { 4, 2, 4, 2, 8, 8, 8, 8 },
	[IMM_O] = { 8, 8, 4, 4, 8, 8, 4, 4 },
	[IMM_BB] = { 2, 2, 2, 2, 2, 2, 2, 2 },
	[IMM_D] = { 4, 4, 4, 4, 4, 4, 4, 4 },
	[IMM_Q] = { 8, 8, 8, 8, 8, 8, 8, 8 },
	[IMM_REL_B] = { 1, 1, 1, 1, 1, 1, 1, 1 },
	[IMM_REL_Z] = { 4, 4, 4, 4, 4, 4, 4, 4 },
	[IMM_REL_X] = { 4, 2, 4, 2, 4, 4, 4, 4 },
};

static const uint8_t imm_len_32[IMM_MAX][8] = {
	[IMM_B] = { 1, 1, 1, 1 },
	[IMM_W] = { 2, 2, 2, 2 },
	[IMM_WB] = { 3, 3, 3, 3 },
	[IMM_Z] = { 4, 2, 4, 2 },
	[IMM_V] = { 4, 2, 4, 2 },
	[IMM_O] = { 4, 4, 2, 2 },
	[IMM_P] = { 6, 4, 6, 4 },
	[IMM_BB] = { 2, 2, 2, 2 },
	[IMM_D] = { 4, 4, 4, 4 },
	[IMM_REL_B] = { 1, 1, 1, 1 },
	[IMM_REL_Z] = { 4, 2, 4, 2 },
	[IMM_REL_X] = { 4, 2, 4, 2 },
};

/*
 * Bytes behind ModRM (SIB and displacement, SDM tables 2-1 to 2-3), by mod
 * and rm.  SIB_BASE: look at the SIB byte, base 5 has 4 more bytes.  STACK:
 * there is a displacement, and the base may be the stack or frame pointer.
 */
#define SIB_BASE	0x08
#define STACK		0x10
#define RM_ROW0		0, 0, 0, 0, 1 | SIB_BASE, 4, 0, 0
#define RM_ROW1		1, 1, 1, 1, 2 | STACK, 1 | STACK, 1, 1
#define RM_ROW2		4, 4, 4, 4, 5 | STACK, 4 | STACK, 4, 4
static const uint8_t modrm_len[256] = {
	RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0,
	RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1,
	RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2,
};

#define ALWAYS_INLINE	inline __attribute__((always_inline))

/* The map an escape, VEX, EVEX or XOP prefix chooses; NULL: there is none. */
static const uint32_t *
vex_map(unsigned map, bool m64, bool evex)
{
	/* Maps without immediates, all SIMD: EVEX maps 5 and 6 (FP16). */
	static const uint32_t all_simd[256] = {
		X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM),
		X16(SM), X16(SM), X16(SM), X16(SM), X16(SM), X16(SM),
		X16(SM), X16(SM), X16(SM), X16(SM),
	};
	/* Map 7: urdmsr and uwrmsr with the number as an immediate. */
	static const uint32_t map7[256] = {
		X16(__), X16(__), X16(__), X16(__), X16(__), X16(__),
		X16(__), X16(__), X16(__), X16(__), X16(__), X16(__),
		X16(__), X16(__), X16(__),
		X8(__), M | IMM_D, X4(__), __, __, __,
	};

	switch (map) {
	case 1:
		return map_vex1;
	case 2:
		return map_vex2;
	case 3:
		return map_vex3;
	case 4:
		return m64 && evex ? map_evex4 : NULL;
	case 5:
	case 6:
		return evex ? all_simd : NULL;
	case 7:
		return m64 ? map7 : NULL;
	default:
		return NULL;
	}
}

/*
 * AMD XOP (APM vol. 3, appendix A, tables ): map 8 has 8-bit
 * immediates, map 10 32-bit ones.  General-purpose: TBM (map 9: 01, 02; map
 * 10: 10) and lightweight profiling (map 9: 12; map 10: 12).
 */
static uint32_t
xop_entry(unsigned map, uint8_t op)
{
	switch (map) {
	case 8:
		return SB;
	case 9:
		return op == 0x01 || op == 0x02 || op == 0x12 ? M : SM;
	case 10:
		return op == 0x10 || op == 0x12 ? M | IMM_D : __;
	default:
		return __;
	}
}

/*
 * 16-bit addressing (SDM table 2-1), for 32-bit code with a 67 prefix.
 */
static unsigned
modrm_len_16(uint8_t modrm)
{
	switch (modrm >> 6) {
	case 0:
		return (modrm & 7) == 6 ? 2 : 0;
	case 1:
		return 1;
	case 2:
		return 2;
	default:
		return 0;
	}
}

/* Whether fxsave, xsave and their like, not a fence or rdfsbase (0F AE). */
static bool
group15_simd(uint8_t modrm, unsigned pfx)
{
	unsigned reg = modrm >> 3 & 7;

	if (modrm >= 0xc0 || reg == 7)
		return false;
	if (reg == 4)
		return !(pfx & P_F3);		/* ptwrite */
	if (reg == 6)
		return !(pfx & (P_F3 | P_66));	/* clrssbsy, clwb */
	return true;
}

/*
 * The opcodes of the one-byte and 0F maps whose table entry is not enough.
 * MODRM is the byte after the opcode.  Returns the entry to go on with.
 */
static uint32_t
special_entry(uint32_t e, uint8_t modrm, unsigned pfx)
{
	unsigned reg = modrm >> 3 & 7;

	switch (E_SPECIAL(e)) {
	case SP_GRP3B:
		return reg < 2 ? MB : M;
	case SP_GRP3Z:
		return reg < 2 ? MZ : M;
	case SP_GRP4:
		return reg < 2 ? M : __;
	case SP_GRP5:
		switch (reg) {
		case 2:
		case 3:
			return FLOW(ICALL) | M;
		case 4:
		case 5:
			return FLOW(IJMP) | M;
		case 7:
			return __;
		}
		return M;
	case SP_GRP11:
		if (modrm == 0xf8)
			return (e & 0xf) == IMM_B ? MB :
			    FLOW(XBEGIN) | M | IMM_REL_X;
		return reg == 0 ? e & 0xffff : __;
	case SP_GRP7:
		/* uiret; erets, eretu */
		if ((modrm == 0xec && (pfx & P_F3)) ||
		    (modrm == 0xca && (pfx & (P_F2 | P_F3))))
			return RT | M;
		return M;
	case SP_MOVCR:
		/* ModRM names two registers, whatever its mod field says. */
		return IMM_B;
	case SP_78:
		/* vmread; extrq and insertq */
		return pfx & (P_66 | P_F2) ? SM | IMM_BB : M;
	case SP_79:
		return pfx & (P_66 | P_F2) ? SM : M;
	case SP_B8:
		return pfx & P_F3 ? M : __;
	case SP_AE:
		return group15_simd(modrm, pfx) ? SM : M;
	case SP_C7:
		/* xrstors, xsavec, xsaves */
		return modrm < 0xc0 && reg >= 3 && reg <= 5 ? SM : M;
	default:
		return __;
	}
}

/*
 * VEX, EVEX, XOP and REX2: *pp is just behind the prefix's first byte, and
 * behind the opcode on return.  In 32-bit mode the same bytes may be les,
 * lds, bound or pop instead.  Returns the entry to go on with.
 */
static uint32_t
wide_prefix(unsigned special, const uint8_t **pp, unsigned *pfx, bool m64)
{
	const uint8_t *q = *pp;
	const uint32_t *map;
	uint32_t e;

	if (special == SP_XOP ? (q[0] & 0x1f) < 8 : !m64 && q[0] < 0xc0) {
		if (special != SP_XOP)
			return M;			/* les, lds, bound */
		return q[0] & 0x38 ? __ : M;		/* pop */
	}
	if (*pfx & P_NOVEX)
		return __;
	switch (special) {
	case SP_VEX2:
		*pp = q + 2;
		return map_vex1[q[1]];
	case SP_VEX3:
		*pp = q + 3;
		if (m64 && !(q[0] & 0x20))
			*pfx |= P_B;
		map = vex_map(q[0] & 0x1f, m64, false);
		return map != NULL ? map[q[2]] : __;
	case SP_EVEX:
		*pp = q + 4;
		/* Bit 3 extends the base to r16-r31 (APX). */
		if (m64 && (q[0] & 0x28) != 0x20)
			*pfx |= P_B;
		map = vex_map(q[0] & 7, m64, true);
		if (map == NULL)
			return __;
		if (map == map_evex4 && (q[1] & 3) == 1)
			*pfx |= P_66;
		if (map == map_evex4 && (q[1] & 0x80))
			*pfx |= P_W;
		e = map[q[3]];
		return E_SPECIAL(e) > SP_BAD ? special_entry(e, q[4], *pfx) : e;
	default:
		*pp = q + 3;
		if (m64 && !(q[0] & 0x20))
			*pfx |= P_B;
		return xop_entry(q[0] & 0x1f, q[2]);
	}
}

/*
 * REX2 (APX): one payload byte M0 R4 X4 B4 W R3 X3 B3, then an opcode of the
 * one-byte (M0 = 0) or 0F map.  Rows 4, 7, A and E of the first and rows 3
 * and 8 of the second are not allowed, but for jmpabs (A1).
 */
static uint32_t
rex2_entry(const uint8_t **pp, unsigned *pfx)
{
	const uint8_t *q = *pp;
	uint8_t op = q[1];
	uint32_t e;

	if (*pfx & P_REX)
		return __;
	*pp = q + 2;
	*pfx |= P_REX | (q[0] & 0x08 ? P_W : 0) | (q[0] & 0x11 ? P_B : 0);
	if (q[0] & 0x80)
		return op >> 4 == 3 || op >> 4 == 8 ? __ : map_0f[op];
	if (op == 0xa1)
		return FLOW(IJMP) | IMM_Q;
	if (op >> 4 == 4 || op >> 4 == 7 || op >> 4 == 0xa || op >> 4 == 0xe)
		return __;
	e = map1_64[op];
	if (E_SPECIAL(e) > SP_BAD && E_SPECIAL(e) < SP_LEA)
		return __;
	return e;
}

static int32_t
load_rel(const uint8_t *q, unsigned n)
{
	int32_t d;
	int16_t w;

	if (n == 1)
		return (int8_t)*q;
	if (n == 2) {
		memcpy(&w, q, sizeof(w));
		return w;
	}
	memcpy(&d, q, sizeof(d));
	return d;
}

/* The longest run of bytes one call of decode() looks at. */
#define WINDOW	32

/* At least WINDOW bytes can be read at P. */
static ALWAYS_INLINE unsigned
decode(const uint8_t *p, bool m64, struct ks_dec *out)
{
	const uint32_t *map1 = m64 ? map1_64 : map1_32;
	const uint8_t (*imm_len)[8] = m64 ? imm_len_64 : imm_len_32;
	const uint8_t *q = p;
	unsigned pfx = 0, flags = 0, n, len;
	bool lea = false;
	uint32_t e;

	e = map1[*q++];
	while (E_SPECIAL(e) != SP_NONE) {
		unsigned special = E_SPECIAL(e);

		switch (special) {
		case SP_66:
			pfx = (pfx & ~P_REXBITS) | P_66;
			goto prefix;
		case SP_67:
			pfx = (pfx & ~P_REXBITS) | P_67;
			goto prefix;
		case SP_F2:
			pfx = (pfx & ~P_REXBITS) | P_F2;
			goto prefix;
		case SP_F3:
			pfx = (pfx & ~P_REXBITS) | P_F3;
			goto prefix;
		case SP_LOCK:
			pfx = (pfx & ~P_REXBITS) | P_LOCK;
			goto prefix;
		case SP_SEG:
			pfx &= ~P_REXBITS;
			goto prefix;
		case SP_REX:
			pfx = (pfx & ~P_REXBITS) | P_REX |
			    (q[-1] & 8 ? P_W : 0) | (q[-1] & 1 ? P_B : 0);
		prefix:
			if (q - p >= 15)
				return 0;
			e = map1[*q++];
			continue;
		case SP_0F:
			e = map_0f[*q++];
			continue;
		case SP_0F38:
			e = map_0f38[*q++];
			continue;
		case SP_0F3A:
			e = map_0f3a[*q++];
			continue;
		case SP_REX2:
			e = rex2_entry(&q, &pfx);
			continue;
		case SP_VEX2:
		case SP_VEX3:
		case SP_EVEX:
		case SP_XOP:
			e = wide_prefix(special, &q, &pfx, m64);
			continue;
		case SP_LEA:
			lea = true;
			e = M;
			break;
		case SP_BAD:
			return 0;
		default:
			e = special_entry(e, *q, pfx);
			continue;
		}
	}

	if (e & M) {
		uint8_t modrm = *q++;
		unsigned t = modrm_len[modrm];

		if (!m64 && (pfx & P_67))
			t = modrm_len_16(modrm);
		n = t & 7;
		if (t & SIB_BASE) {
			if ((*q & 7) == 5)
				n += 4;
		} else if (t & STACK) {
			unsigned base = (modrm & 7) == 4 ? *q & 7 : 5;

			/* The last byte of a displacement has its sign. */
			if ((base == 4 || base == 5) && !(pfx & P_B) &&
			    (q[n - 1] & 0x80) && !lea)
				flags = base == 5 ?
				    KS_DEC_BELOW_SP | KS_DEC_BELOW_BP :
				    KS_DEC_BELOW_SP;
		}
		q += n;
	}
	if (e & S)
		flags |= KS_DEC_SIMD;

	n = imm_len[e & 0xf][pfx & 7];
	len = (unsigned)(q - p) + n;
	if (len > 15)
		return 0;
	out->len = (uint8_t)len;
	out->flow = (uint8_t)E_FLOW(e);
	out->flags = (uint8_t)flags;
	if ((e & 0xf) >= IMM_REL_B) {
		out->rel_off = (uint8_t)(q - p);
		out->rel = load_rel(q, n);
	} else {
		out->rel_off = 0;
		out->rel = 0;
	}
	return len;
}

/* Near the end of the text: decode a copy with zeros behind it. */
static __attribute__((noinline)) unsigned
decode_tail(const uint8_t *p, size_t avail, bool m64, struct ks_dec *out)
{
	uint8_t buf[WINDOW] = { 0 };
	unsigned len;

	memcpy(buf, p, avail);
	len = m64 ? decode(buf, true, out) : decode(buf, false, out);
	return len <= avail ? len : 0;
}

/* See decode.h. */
unsigned
ks_decode64(const uint8_t *p, size_t avail, struct ks_dec *out)
{
	if (avail < WINDOW)
		return decode_tail(p, avail, true, out);
	return decode(p, true, out);
}

/* See decode.h. */
unsigned
ks_decode32(const uint8_t *p, size_t avail, struct ks_dec *out)
{
	if (avail < WINDOW)
		return decode_tail(p, avail, false, out);
	return decode(p, false, out);
}
