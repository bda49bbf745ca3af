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
 * of the 0F38 and 0F3A maps and of VEX and EVEX are accepted).  A near
 * branch with a 66 prefix in 64-bit mode has a 32-bit displacement, as on
 * Intel CPUs; AMD's take 16 bits, and no compiler makes one.
 *
 * Reference: Intel SDM vol. 2, chapter 2 (formats) and appendix A (opcode
 * maps ); AMD APM vol. 3, appendix A (XOP, 3DNow!); VIA PadLock
 * programming guide; Intel APX specification, chapter 3 (REX2, EVEX map 4).
 */
#include "ks/decode.h"

#include <string.h>

/*
 * A table entry:
 *   bits 0-4    all ones: ModRM follows (a mask for modrm_len)
 *   bits 5-10   enum imm, a shift count for imm_len_64 and imm_len_32
 *   bits 11-14  enum ks_flow
 *   bit 15      S: may touch SIMD state
 *   bit 16      L: the memory operand is not accessed (lea)
 *   bit 17      R: the immediate is a displacement from the next instruction
 *   bits 18-22  enum special
 *   bit 26      IMM_V
 *   bits 28-31  bytes of the immediate without prefixes
 */
enum imm {
	IMM_NONE = 0,
	IMM_B = 4,		/* 1 byte */
	IMM_W = 8,		/* 2 bytes */
	IMM_WB = 12,		/* enter: 3 bytes */
	IMM_Z = 16,		/* 4 bytes, or 2 with 66 */
	IMM_V = 20,		/* mov: as Z, or 8 with REX.W */
	IMM_O = 24,		/* an address: as wide as addresses are */
	IMM_P = 28,		/* far pointer: Z and 2 more */
	IMM_D = 32,		/* 4 bytes, whatever the prefixes */
	IMM_Q = 36,		/* 8 bytes: REX2 jmpabs */
	IMM_RELZ = 40,		/* near branch: as Z, but 4 in 64-bit mode */
};

enum special {
	SP_NONE,
	SP_BAD,
	/* Prefixes. */
	SP_66, SP_67, SP_F2, SP_F3, SP_LOCK, SP_SEG, SP_REX,
	/* Other maps. */
	SP_0F, SP_0F38, SP_0F3A, SP_REX2, SP_VEX2, SP_VEX3, SP_EVEX, SP_XOP,
	/* The opcode's prefix or ModRM says more. */
	SP_GRP7, SP_XBEGIN, SP_XABORT, SP_MOVCR, SP_78, SP_79, SP_B8, SP_AE,
	SP_C7,
	/* The reg field of ModRM chooses the entry: see groups. */
	SP_GRP3B, SP_GRP3Z, SP_GRP4, SP_GRP5, SP_GRP11B, SP_GRP11Z,
};

#define M		0x1fu
#define S		(1u << 15)
#define L		(1u << 16)
#define R		(1u << 17)
#define V8		(1u << 23)	/* times REX.W is bit 26 */
#define IMM(kind, len)	((unsigned)IMM_##kind << 5 | (unsigned)(len) << 28)
#define FLOW(f)		((unsigned)KS_FLOW_##f << 11)
#define SP(s)		((unsigned)SP_##s << 18)

#define E_IMM(e)	((e) >> 5 & 0x3f)
#define E_FLOW(e)	((e) >> 11 & 0xf)
#define E_SPECIAL(e)	((e) >> 18 & 0x1f)
#define E_LEN(e)	((e) >> 28)

/* One word for each kind of table entry. */
#define __	SP(BAD)
#define N	0u
#define B	IMM(B, 1)
#define W	IMM(W, 2)
#define WB	IMM(WB, 3)
#define Z	IMM(Z, 4)
#define V	(V8 * 8 | IMM(V, 4))
#define O4	IMM(O, 4)
#define O8	IMM(O, 8)
#define P	IMM(P, 6)
#define D	IMM(D, 4)
#define Q	IMM(Q, 8)
#define MB	(M | B)
#define MZ	(M | Z)
#define SM	(S | M)
#define SB	(S | M | B)
#define RELB	(R | B)
#define RELZ	(R | IMM(RELZ, 4))
#define JC	(FLOW(JCC) | RELB)
#define JZ	(FLOW(JCC) | RELZ)
#define RT	FLOW(RET)

#define X4(x)	x, x, x, x
#define X8(x)	X4(x), X4(x)
#define X16(x)	X8(x), X8(x)

/* Rows of the one-byte map that both modes share (SDM table A-2). */
#define ROW_ALU(last0, last1)						\
	M, M, M, M, B, Z, last0, last1
#define ROW_8								\
	MB, MZ, MB, MB, M, M, M, M,					\
	M, M, M, M, M, L | M, M, SP(XOP)
#define ROW_C(c4, c5, ce)						\
	MB, MB, RT | W, RT, c4, c5,					\
	SP(GRP11B), SP(GRP11Z),					\
	WB, N, RT | W, RT, FLOW(BREAK), B, ce, RT
#define ROW_F								\
	SP(LOCK), N, SP(F2), SP(F3), FLOW(HLT), N,			\
	SP(GRP3B), SP(GRP3Z),					\
	N, N, N, N, N, N, SP(GRP4), SP(GRP5)

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
	M, M, M, M, M, L | M, M, SP(XOP),
	X8(N), N, N, __, S, N, N, N, N,
	O8, O8, O8, O8, N, N, N, N, B, Z, N, N, N, N, N, N,
	X8(B), X8(V),
	ROW_C(SP(VEX3), SP(VEX2), __),
	M, M, M, M, __, SP(REX2), __, N, X8(SM),
	JC, JC, JC, JC, B, B, B, B,
	FLOW(CALL) | RELZ, FLOW(JMP) | RELZ,
	__, FLOW(JMP) | RELB, N, N, N, N,
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
	X8(N), N, N, FLOW(ICALL) | P, S, N, N, N, N,
	O4, O4, O4, O4, N, N, N, N, B, Z, N, N, N, N, N, N,
	X8(B), X8(V),
	ROW_C(SP(VEX3), SP(VEX2), N),
	M, M, M, M, B, B, N, N, X8(SM),
	JC, JC, JC, JC, B, B, B, B,
	FLOW(CALL) | RELZ, FLOW(JMP) | RELZ,
	FLOW(IJMP) | P, FLOW(JMP) | RELB, N, N, N, N,
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
 * opcodes of the one-byte map.  D4 and D8-DF were SHA and Key Locker in
 * early revisions.
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
	M, M, M, __, M, M, SP(GRP3B), SP(GRP3Z),	/* f0 */
	M, M, __, __, M, __, M, M,
};

/* Groups 3, 4, 5 and 11 (SDM table A-6), by the reg field. */
static const uint32_t groups[][8] = {
	[SP_GRP3B - SP_GRP3B] = { MB, MB, M, M, M, M, M, M },
	[SP_GRP3Z - SP_GRP3B] = { MZ, MZ, M, M, M, M, M, M },
	[SP_GRP4 - SP_GRP3B] = { M, M, __, __, __, __, __, __ },
	[SP_GRP5 - SP_GRP3B] = {
		M, M, FLOW(ICALL) | M, FLOW(ICALL) | M,
		FLOW(IJMP) | M, FLOW(IJMP) | M, M, __,
	},
	[SP_GRP11B - SP_GRP3B] = { MB, __, __, __, __, __, __, SP(XABORT) },
	[SP_GRP11Z - SP_GRP3B] = { MZ, __, __, __, __, __, __, SP(XBEGIN) },
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

/*
 * Bytes of immediates, by P_66, P_67 and P_W: four bits for each kind, the
 * first in the lowest bits.
 */
#define LENS(z, v, o, p, relz)						\
	((uint64_t)1 << IMM_B | (uint64_t)2 << IMM_W |			\
	(uint64_t)3 << IMM_WB | (uint64_t)(z) << IMM_Z |		\
	(uint64_t)(v) << IMM_V | (uint64_t)(o) << IMM_O |		\
	(uint64_t)(p) << IMM_P | (uint64_t)4 << IMM_D |			\
	(uint64_t)8 << IMM_Q | (uint64_t)(relz) << IMM_RELZ)

static const uint64_t imm_len_64[8] = {
	LENS(4, 4, 8, 0, 4), LENS(2, 2, 8, 0, 4),
	LENS(4, 4, 4, 0, 4), LENS(2, 2, 4, 0, 4),
	LENS(4, 8, 8, 0, 4), LENS(4, 8, 8, 0, 4),
	LENS(4, 8, 4, 0, 4), LENS(4, 8, 4, 0, 4),
};

static const uint64_t imm_len_32[8] = {
	LENS(4, 4, 4, 6, 4), LENS(2, 2, 4, 4, 2),
	LENS(4, 4, 2, 6, 4), LENS(2, 2, 2, 4, 2),
};

/*
 * Bytes of ModRM, SIB and displacement (SDM tables 2-1 to 2-3), by mod and
 * rm.  SIB_BASE: look at the SIB byte, base 5 has 4 more bytes.  STACK: there
 * is a displacement, and the base may be the stack or frame pointer.
 */
#define SIB_BASE	0x08
#define STACK		0x10
#define RM_ROW0		1, 1, 1, 1, 2 | SIB_BASE, 5, 1, 1
#define RM_ROW1		2, 2, 2, 2, 3 | STACK, 2 | STACK, 2, 2
#define RM_ROW2		5, 5, 5, 5, 6 | STACK, 5 | STACK, 5, 5
#define RM_ROW3		1, 1, 1, 1, 1, 1, 1, 1
static const uint8_t modrm_len[256] = {
	RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0, RM_ROW0,
	RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1, RM_ROW1,
	RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2, RM_ROW2,
	RM_ROW3, RM_ROW3, RM_ROW3, RM_ROW3, RM_ROW3, RM_ROW3, RM_ROW3, RM_ROW3,
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
		X8(__), M | D, X4(__), __, __, __,
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
		return op == 0x10 || op == 0x12 ? M | D : __;
	default:
		return __;
	}
}

/*
 * The same for 16-bit addressing (SDM table 2-1): 32-bit code with a 67
 * prefix.
 */
static unsigned
modrm_len_16(uint8_t modrm)
{
	switch (modrm >> 6) {
	case 0:
		return (modrm & 7) == 6 ? 3 : 1;
	case 1:
		return 2;
	case 2:
		return 3;
	default:
		return 1;
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

	if (E_SPECIAL(e) >= SP_GRP3B)
		e = groups[E_SPECIAL(e) - SP_GRP3B][reg];
	switch (E_SPECIAL(e)) {
	case SP_NONE:
		return e;
	case SP_GRP7:
		/* uiret; erets, eretu */
		if ((modrm == 0xec && (pfx & P_F3)) ||
		    (modrm == 0xca && (pfx & (P_F2 | P_F3))))
			return RT | M;
		return M;
	case SP_XBEGIN:
		return modrm == 0xf8 ? FLOW(XBEGIN) | R | MZ : __;
	case SP_XABORT:
		return modrm == 0xf8 ? MB : __;
	case SP_MOVCR:
		/* ModRM names two registers, whatever its mod field says. */
		return B;
	case SP_78:
		/* vmread; extrq and insertq, of registers only */
		if (!(pfx & (P_66 | P_F2)))
			return M;
		return modrm >= 0xc0 ? SM | W : __;
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
		return FLOW(IJMP) | Q;
	if (op >> 4 == 4 || op >> 4 == 7 || op >> 4 == 0xa || op >> 4 == 0xe)
		return __;
	e = map1_64[op];
	if (E_SPECIAL(e) > SP_BAD && E_SPECIAL(e) < SP_GRP7)
		return __;
	return e;
}

/* The longest run of bytes that decoding one instruction looks at. */
#define WINDOW	32

static ALWAYS_INLINE uint64_t
load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Fills *OUT for an instruction at P with table entry E, whose immediate of
 * N bytes is at p[at].
 */
static ALWAYS_INLINE unsigned
finish(const uint8_t *p, uint32_t e, unsigned flags, unsigned at, unsigned n,
    struct ks_dec *out)
{
	unsigned shift = (64 - 8 * n) & 63;
	int64_t imm = (int64_t)(load64(p + at) << shift) >> shift;
	uint32_t rel = -(e / R & 1);

	out->len = (uint8_t)(at + n);
	out->flow = (uint8_t)E_FLOW(e);
	out->flags = (uint8_t)(flags | (e / S & 1) * KS_DEC_SIMD);
	out->rel_off = (uint8_t)(at & rel);
	out->rel = (int32_t)((uint32_t)imm & rel);
	return at + n;
}

/* Flags for a negative displacement from register BASE (low three bits). */
static ALWAYS_INLINE unsigned
stack_flags(unsigned base)
{
	if (base == 4)
		return KS_DEC_BELOW_SP;
	return base == 5 ? KS_DEC_BELOW_SP | KS_DEC_BELOW_BP : 0;
}

/* Any instruction.  At least WINDOW bytes can be read at P. */
static ALWAYS_INLINE unsigned
decode(const uint8_t *p, bool m64, struct ks_dec *out)
{
	const uint32_t *map1 = m64 ? map1_64 : map1_32;
	const uint8_t *q = p;
	unsigned pfx = 0, flags = 0, n;
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
		case SP_BAD:
			return 0;
		default:
			e = special_entry(e, *q, pfx);
			continue;
		}
	}

	if (e & M) {
		uint8_t modrm = q[0], sib = q[1];
		unsigned t = modrm_len[modrm];

		if (!m64 && (pfx & P_67))
			t = modrm_len_16(modrm);
		q += t & 7;
		if ((t & SIB_BASE) && (sib & 7) == 5)
			q += 4;
		/* The last byte of a displacement has its sign. */
		if ((t & STACK) && (q[-1] & 0x80) && !(e & L) && !(pfx & P_B))
			flags = stack_flags((modrm & 7) == 4 ? sib & 7 : 5);
	}
	n = (m64 ? imm_len_64 : imm_len_32)[pfx & 7] >> E_IMM(e) & 0xf;
	if ((unsigned)(q - p) + n > 15)
		return 0;
	return finish(p, e, flags, (unsigned)(q - p), n, out);
}

static __attribute__((noinline)) unsigned
decode_any64(const uint8_t *p, struct ks_dec *out)
{
	return decode(p, true, out);
}

static __attribute__((noinline)) unsigned
decode_any32(const uint8_t *p, struct ks_dec *out)
{
	return decode(p, false, out);
}

/*
 * The common shape, [REX] opcode [ModRM [SIB] [disp]] [imm] with an opcode
 * of the one-byte or 0F map that is no special case: the same as decode(),
 * but what is hard to predict is computed rather than branched on, and the
 * length, which the next instruction waits for, comes out of few steps: both
 * the byte behind a REX prefix and the first one are looked up.  The rest
 * goes to decode().
 */
static ALWAYS_INLINE unsigned
decode_common(const uint8_t *p, bool m64, struct ks_dec *out)
{
	const uint32_t *map1 = m64 ? map1_64 : map1_32;
	uint64_t v = load64(p);
	uint32_t e = map1[v & 0xff];
	unsigned t = modrm_len[v >> 8 & 0xff], rex = 0, at = 1, flags = 0;

	if (m64) {
		uint32_t is_rex = -(uint32_t)((v & 0xf0) == 0x40);

		e ^= (e ^ map1[v >> 8 & 0xff]) & is_rex;
		t ^= (t ^ modrm_len[v >> 16 & 0xff]) & is_rex;
		rex = (unsigned)v & is_rex;
		at -= is_rex;
		v >>= is_rex & 8;
	}
	if (E_SPECIAL(e) != SP_NONE) {
		if (E_SPECIAL(e) == SP_0F) {
			v >>= 8;
			at++;
			e = map_0f[v & 0xff];
			t = modrm_len[v >> 8 & 0xff];
		} else if (E_SPECIAL(e) >= SP_GRP3B) {
			e = groups[E_SPECIAL(e) - SP_GRP3B][v >> 11 & 7];
		}
		if (E_SPECIAL(e) != SP_NONE)
			return m64 ? decode_any64(p, out) :
			    decode_any32(p, out);
	}
	t &= e;
	at += t & 7;
	if (t / SIB_BASE & ((v >> 16 & 7) == 5))
		at += 4;
	if ((t / STACK & p[at - 1] >> 7 & 1) && !(e & L) && !(rex & 1))
		flags = stack_flags((v >> 8 & 7) == 4 ? v >> 16 & 7 : 5);
	if (rex & e / V8 & 8)
		return finish(p, e, flags, at, 8, out);
	return finish(p, e, flags, at, E_LEN(e), out);
}

/* Near the end of the text: decode a copy with zeros behind it. */
static __attribute__((noinline)) unsigned
decode_tail(const uint8_t *p, size_t avail, bool m64, struct ks_dec *out)
{
	uint8_t buf[WINDOW] = { 0 };
	unsigned len;

	memcpy(buf, p, avail);
	len = m64 ? decode_any64(buf, out) : decode_any32(buf, out);
	return len <= avail ? len : 0;
}

/* See decode.h. */
unsigned
ks_decode64(const uint8_t *p, size_t avail, struct ks_dec *out)
{
	if (avail < WINDOW)
		return decode_tail(p, avail, true, out);
	return decode_common(p, true, out);
}

/* See decode.h. */
unsigned
ks_decode32(const uint8_t *p, size_t avail, struct ks_dec *out)
{
	if (avail < WINDOW)
		return decode_tail(p, avail, false, out);
	return decode_common(p, false, out);
}
