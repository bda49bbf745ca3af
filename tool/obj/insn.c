/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Second level of x86 decoding: registers, operands and SIMD state of one
 * instruction.  See insn.h.
 *
 *  1. Zydis decodes the instruction with all its operands, hidden ones too.
 *  2. Operands become ks_opnd; registers become the read and write masks.
 *  3. SIMD classes come from the operands' registers; from Zydis' FPU and
 *     XMM state attributes (fxsave, xsave, emms and vzeroupper have no
 *     vector operand); and from the ISA extension for what has neither
 *     (fwait, tilerelease, PadLock, cvttsd2si from memory).  The extension
 *     alone would not do: it counts crc32, popcnt, movnti and fences as SSE.
 *  4. What Zydis 4.0 cannot decode is looked up in insn_new.c's families,
 *     with the length from the first level.  Anything else is KS_EPARSE.
 *
 * Known limits: MXCSR is reported only where it is loaded or stored, not for
 * the arithmetic it controls.  A VEX instruction on xmm registers is
 * reported as xmm though it clears the upper part of the ymm register.
 *
 * Reference: Intel SDM vol. 2; AMD APM vol. 3 to 5; Zydis 4.0 headers.
 */
#include "insn.h"
#include "insn_new.h"

#include <string.h>

#include <Zydis/Zydis.h>

#define RC_FXSAVE	(KS_RC_X87 | KS_RC_MMX | KS_RC_XMM | KS_RC_MXCSR)
#define RC_XSAVE	(RC_FXSAVE | KS_RC_YMM | KS_RC_ZMM | KS_RC_MASK | \
			    KS_RC_TILE)

/* The index of a general register, or KS_NOREG. */
static uint8_t
gpr_of(ZydisRegister r, bool *high8)
{
	*high8 = false;
	if (r >= ZYDIS_REGISTER_AL && r <= ZYDIS_REGISTER_BL)
		return (uint8_t)(r - ZYDIS_REGISTER_AL);
	if (r >= ZYDIS_REGISTER_AH && r <= ZYDIS_REGISTER_BH) {
		*high8 = true;
		return (uint8_t)(r - ZYDIS_REGISTER_AH);
	}
	if (r >= ZYDIS_REGISTER_SPL && r <= ZYDIS_REGISTER_R15B)
		return (uint8_t)(r - ZYDIS_REGISTER_SPL + KS_RSP);
	if (r >= ZYDIS_REGISTER_AX && r <= ZYDIS_REGISTER_R15W)
		return (uint8_t)(r - ZYDIS_REGISTER_AX);
	if (r >= ZYDIS_REGISTER_EAX && r <= ZYDIS_REGISTER_R15D)
		return (uint8_t)(r - ZYDIS_REGISTER_EAX);
	if (r >= ZYDIS_REGISTER_RAX && r <= ZYDIS_REGISTER_R15)
		return (uint8_t)(r - ZYDIS_REGISTER_RAX);
	if (r == ZYDIS_REGISTER_EIP || r == ZYDIS_REGISTER_RIP)
		return KS_RIP;
	return KS_NOREG;
}

static unsigned
gpr_bit(ZydisRegister r)
{
	bool high8;
	uint8_t g = gpr_of(r, &high8);

	return g < KS_GPR_MAX ? 1u << g : 0;
}

static unsigned
reg_classes(ZydisRegister r)
{
	switch (ZydisRegisterGetClass(r)) {
	case ZYDIS_REGCLASS_X87:
		return KS_RC_X87;
	case ZYDIS_REGCLASS_MMX:
		return KS_RC_MMX;
	case ZYDIS_REGCLASS_XMM:
		return KS_RC_XMM;
	case ZYDIS_REGCLASS_YMM:
		return KS_RC_YMM;
	case ZYDIS_REGCLASS_ZMM:
		return KS_RC_ZMM;
	case ZYDIS_REGCLASS_MASK:
		return KS_RC_MASK;
	case ZYDIS_REGCLASS_TMM:
		return KS_RC_TILE;
	default:
		break;
	}
	switch (r) {
	case ZYDIS_REGISTER_X87CONTROL:
	case ZYDIS_REGISTER_X87STATUS:
	case ZYDIS_REGISTER_X87TAG:
		return KS_RC_X87;
	case ZYDIS_REGISTER_MXCSR:
		return KS_RC_MXCSR;
	default:
		return 0;
	}
}

/* --- what each mnemonic is to the lowering ------------------------------- */

static const uint8_t op_table[ZYDIS_MNEMONIC_MAX_VALUE + 1] = {
#define OP(m, o)	[ZYDIS_MNEMONIC_##m] = KS_OP_##o
	OP(ADD, ADD), OP(AND, AND), OP(BT, BT), OP(CALL, CALL),
	OP(CBW, MOVSX), OP(CDQE, MOVSX), OP(CLDEMOTE, NOP), OP(CMP, CMP),
	OP(CMOVB, CMOVCC), OP(CMOVBE, CMOVCC), OP(CMOVL, CMOVCC),
	OP(CMOVLE, CMOVCC), OP(CMOVNB, CMOVCC), OP(CMOVNBE, CMOVCC),
	OP(CMOVNL, CMOVCC), OP(CMOVNLE, CMOVCC), OP(CMOVNO, CMOVCC),
	OP(CMOVNP, CMOVCC), OP(CMOVNS, CMOVCC), OP(CMOVNZ, CMOVCC),
	OP(CMOVO, CMOVCC), OP(CMOVP, CMOVCC), OP(CMOVS, CMOVCC),
	OP(CMOVZ, CMOVCC), OP(CPUID, CPUID), OP(CWDE, MOVSX), OP(DEC, DEC),
	OP(ENDBR32, NOP), OP(ENDBR64, NOP), OP(HLT, HLT), OP(INC, INC),
	OP(INT3, INT3),
	OP(JB, JCC), OP(JBE, JCC), OP(JCXZ, JCC), OP(JECXZ, JCC), OP(JL, JCC),
	OP(JLE, JCC), OP(JMP, JMP), OP(JNB, JCC), OP(JNBE, JCC), OP(JNL, JCC),
	OP(JNLE, JCC), OP(JNO, JCC), OP(JNP, JCC), OP(JNS, JCC), OP(JNZ, JCC),
	OP(JO, JCC), OP(JP, JCC), OP(JRCXZ, JCC), OP(JS, JCC), OP(JZ, JCC),
	OP(LEA, LEA), OP(LEAVE, LEAVE), OP(LOOP, JCC), OP(LOOPE, JCC),
	OP(LOOPNE, JCC), OP(MOV, MOV), OP(MOVSX, MOVSX), OP(MOVSXD, MOVSX),
	OP(MOVZX, MOVZX), OP(NEG, NEG), OP(NOP, NOP), OP(NOT, NOT),
	OP(OR, OR), OP(PAUSE, NOP), OP(POP, POP), OP(PREFETCH, NOP),
	OP(PREFETCHNTA, NOP), OP(PREFETCHT0, NOP), OP(PREFETCHT1, NOP),
	OP(PREFETCHT2, NOP), OP(PREFETCHW, NOP), OP(PREFETCHWT1, NOP),
	OP(PUSH, PUSH), OP(RET, RET), OP(SAR, SAR),
	OP(SETB, SETCC), OP(SETBE, SETCC), OP(SETL, SETCC), OP(SETLE, SETCC),
	OP(SETNB, SETCC), OP(SETNBE, SETCC), OP(SETNL, SETCC),
	OP(SETNLE, SETCC), OP(SETNO, SETCC), OP(SETNP, SETCC),
	OP(SETNS, SETCC), OP(SETNZ, SETCC), OP(SETO, SETCC), OP(SETP, SETCC),
	OP(SETS, SETCC), OP(SETZ, SETCC), OP(SHL, SHL), OP(SHR, SHR),
	OP(SUB, SUB), OP(TEST, TEST), OP(UD0, UD), OP(UD1, UD), OP(UD2, UD),
	OP(XCHG, XCHG), OP(XGETBV, XGETBV), OP(XOR, XOR),
#undef OP
};

static uint8_t
simd_kind_of(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XSAVES:
	case ZYDIS_MNEMONIC_XSAVES64:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSTCW:
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
		return KS_SIMD_SAVE;
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_XRSTORS:
	case ZYDIS_MNEMONIC_XRSTORS64:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FNINIT:
	case ZYDIS_MNEMONIC_EMMS:
	case ZYDIS_MNEMONIC_FEMMS:
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
		return KS_SIMD_RESTORE;
	default:
		return KS_SIMD_USE;
	}
}

/*
 * Classes of instructions whose operands do not show them.  Everything else
 * that touches SIMD state names a register of it.
 */
static unsigned
hidden_classes(const ZydisDecodedInstruction *zi)
{
	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
		return RC_FXSAVE;
	case ZYDIS_MNEMONIC_VZEROUPPER:
		return KS_RC_YMM | KS_RC_ZMM;
	case ZYDIS_MNEMONIC_VZEROALL:
		return KS_RC_XMM | KS_RC_YMM | KS_RC_ZMM;
	case ZYDIS_MNEMONIC_EMMS:
	case ZYDIS_MNEMONIC_FEMMS:
		return KS_RC_MMX | KS_RC_X87;
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
		return KS_RC_MXCSR;
	case ZYDIS_MNEMONIC_CVTSD2SI:
	case ZYDIS_MNEMONIC_CVTSS2SI:
	case ZYDIS_MNEMONIC_CVTTSD2SI:
	case ZYDIS_MNEMONIC_CVTTSS2SI:
	case ZYDIS_MNEMONIC_VCVTSD2SI:
	case ZYDIS_MNEMONIC_VCVTSD2USI:
	case ZYDIS_MNEMONIC_VCVTSS2SI:
	case ZYDIS_MNEMONIC_VCVTSS2USI:
	case ZYDIS_MNEMONIC_VCVTSH2SI:
	case ZYDIS_MNEMONIC_VCVTSH2USI:
	case ZYDIS_MNEMONIC_VCVTTSD2SI:
	case ZYDIS_MNEMONIC_VCVTTSD2USI:
	case ZYDIS_MNEMONIC_VCVTTSS2SI:
	case ZYDIS_MNEMONIC_VCVTTSS2USI:
	case ZYDIS_MNEMONIC_VCVTTSH2SI:
	case ZYDIS_MNEMONIC_VCVTTSH2USI:
		/* From memory: no register, but SSE arithmetic with MXCSR. */
		return KS_RC_XMM;
	default:
		break;
	}
	switch (zi->meta.isa_ext) {
	case ZYDIS_ISA_EXT_X87:
		return KS_RC_X87;
	case ZYDIS_ISA_EXT_AMX_TILE:
	case ZYDIS_ISA_EXT_AMX_INT8:
	case ZYDIS_ISA_EXT_AMX_BF16:
		return KS_RC_TILE;
	case ZYDIS_ISA_EXT_PADLOCK:
		return KS_RC_UNIT;
	default:
		break;
	}
	if (zi->attributes & (ZYDIS_ATTRIB_FPU_STATE_CR |
	    ZYDIS_ATTRIB_FPU_STATE_CW | ZYDIS_ATTRIB_XMM_STATE_CR |
	    ZYDIS_ATTRIB_XMM_STATE_CW))
		return RC_XSAVE;
	return 0;
}

/* --- instruction sets ---------------------------------------------------- */

#define B1(a)		KS_ISA_BIT(a)
#define B2(a, b)	(KS_ISA_BIT(a) | KS_ISA_BIT(b))

/*
 * Zydis names the sets of XED: AVX512 sets by vector length (_128 and _256
 * need AVX512VL, _128N and _SCALAR do not).  A set that is not here is
 * general-purpose and means 0, or OTHER if the instruction touches SIMD.
 */
static const ks_isaset isa_table[ZYDIS_ISA_SET_MAX_VALUE + 1] = {
#define Z(s)		[ZYDIS_ISA_SET_##s]
#define Z3(s, bits)							\
	Z(s##_128) = (bits) | KS_ISA_BIT(AVX512VL),			\
	Z(s##_256) = (bits) | KS_ISA_BIT(AVX512VL),			\
	Z(s##_512) = (bits)
	Z(X87) = B1(X87), Z(FCMOV) = B1(X87), Z(SSE3X87) = B2(SSE3, X87),
	Z(PENTIUMMMX) = B1(MMX), Z(AMD3DNOW) = B1(3DNOW),
	Z(SSE) = B1(SSE), Z(SSEMXCSR) = B1(SSE), Z(SSE2) = B1(SSE2),
	Z(SSE2MMX) = B2(SSE2, MMX), Z(SSE3) = B1(SSE3),
	Z(SSSE3) = B1(SSSE3), Z(SSSE3MMX) = B2(SSSE3, MMX),
	Z(SSE4) = B1(SSE41), Z(SSE42) = B1(SSE42), Z(SSE4A) = B1(SSE4A),
	Z(AES) = B1(AES), Z(PCLMULQDQ) = B1(PCLMUL), Z(SHA) = B1(SHA),
	Z(GFNI) = B1(GFNI), Z(AVX) = B1(AVX), Z(AVX2) = B1(AVX2),
	Z(AVX2GATHER) = B1(AVX2), Z(AVXAES) = B2(AVX, AES),
	Z(AVX_GFNI) = B2(AVX, GFNI), Z(AVX_VNNI) = B1(AVXVNNI),
	Z(F16C) = B1(F16C), Z(FMA) = B1(FMA), Z(FMA4) = B1(FMA4),
	Z(XOP) = B1(XOP), Z(VAES) = B2(AVX, VAES),
	Z(VPCLMULQDQ) = B2(AVX, VPCLMUL),
	Z3(AVX512F, B1(AVX512F)), Z(AVX512F_128N) = B1(AVX512F),
	Z(AVX512F_KOP) = B1(AVX512F), Z(AVX512F_SCALAR) = B1(AVX512F),
	Z3(AVX512BW, B1(AVX512BW)), Z(AVX512BW_128N) = B1(AVX512BW),
	Z(AVX512BW_KOP) = B1(AVX512BW),
	Z3(AVX512DQ, B1(AVX512DQ)), Z(AVX512DQ_128N) = B1(AVX512DQ),
	Z(AVX512DQ_KOP) = B1(AVX512DQ), Z(AVX512DQ_SCALAR) = B1(AVX512DQ),
	Z3(AVX512CD, B1(AVX512CD)),
	Z(AVX512ER_512) = B1(AVX512ER), Z(AVX512ER_SCALAR) = B1(AVX512ER),
	Z(AVX512PF_512) = B1(AVX512PF),
	Z(AVX512_4FMAPS_512) = B1(AVX5124),
	Z(AVX512_4FMAPS_SCALAR) = B1(AVX5124),
	Z(AVX512_4VNNIW_512) = B1(AVX5124),
	Z3(AVX512_BF16, B1(AVX512BF16)),
	Z3(AVX512_BITALG, B1(AVX512BITALG)),
	Z3(AVX512_FP16, B1(AVX512FP16)),
	Z(AVX512_FP16_128N) = B1(AVX512FP16),
	Z(AVX512_FP16_SCALAR) = B1(AVX512FP16),
	Z3(AVX512_GFNI, B2(AVX512F, GFNI)),
	Z3(AVX512_IFMA, B1(AVX512IFMA)),
	Z3(AVX512_VAES, B2(AVX512F, VAES)),
	Z3(AVX512_VBMI2, B1(AVX512VBMI2)),
	Z3(AVX512_VBMI, B1(AVX512VBMI)),
	Z3(AVX512_VNNI, B1(AVX512VNNI)),
	Z3(AVX512_VP2INTERSECT, B1(AVX512VP2I)),
	Z3(AVX512_VPCLMULQDQ, B2(AVX512F, VPCLMUL)),
	Z3(AVX512_VPOPCNTDQ, B1(AVX512VPOPCNT)),
	Z(AMX_TILE) = B1(AMX), Z(AMX_INT8) = B1(AMX), Z(AMX_BF16) = B1(AMX),
	Z(KEYLOCKER) = B1(KEYLOCKER), Z(KEYLOCKER_WIDE) = B1(KEYLOCKER),
	Z(PADLOCK_ACE) = B1(PADLOCK), Z(PADLOCK_PHE) = B1(PADLOCK),
	Z(PADLOCK_PMM) = B1(PADLOCK), Z(PADLOCK_RNG) = B1(PADLOCK),
#undef Z3
#undef Z
};

/* What SSE added to MMX (SDM vol. 1, 10.4.4), filed there by Zydis. */
static bool
is_mmx_of_sse(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MOVNTQ:
	case ZYDIS_MNEMONIC_PAVGB:
	case ZYDIS_MNEMONIC_PAVGW:
	case ZYDIS_MNEMONIC_PEXTRW:
	case ZYDIS_MNEMONIC_PINSRW:
	case ZYDIS_MNEMONIC_PMAXSW:
	case ZYDIS_MNEMONIC_PMAXUB:
	case ZYDIS_MNEMONIC_PMINSW:
	case ZYDIS_MNEMONIC_PMINUB:
	case ZYDIS_MNEMONIC_PMOVMSKB:
	case ZYDIS_MNEMONIC_PMULHUW:
	case ZYDIS_MNEMONIC_PSADBW:
	case ZYDIS_MNEMONIC_PSHUFW:
		return true;
	default:
		return false;
	}
}

static ks_isaset
isa_of(const ZydisDecodedInstruction *zi, unsigned classes)
{
	ks_isaset set = isa_table[zi->meta.isa_set];

	if (set == 0)			/* fcomi is filed under i686 */
		return classes == KS_RC_X87 ? B1(X87) : B1(OTHER);
	if (classes & KS_RC_MMX) {
		set |= B1(MMX);
		if (set == B1(MMX) && is_mmx_of_sse(zi->mnemonic))
			set |= B1(SSE);
	}
	if (set == B1(AVX) && zi->mnemonic == ZYDIS_MNEMONIC_VPCLMULQDQ)
		set |= B1(PCLMUL);
	return set;
}

/* --- operands ------------------------------------------------------------ */

static void
set_reg(struct ks_opnd *o, ZydisRegister r)
{
	uint8_t g = gpr_of(r, &o->high8);

	if (g < KS_GPR_MAX) {
		o->kind = KS_OPND_REG;
		o->reg = g;
	} else {
		o->kind = KS_OPND_OTHER;
		o->reg = KS_NOREG;
		if (r >= ZYDIS_REGISTER_XMM0 && r <= ZYDIS_REGISTER_XMM15)
			o->vec = (uint8_t)(r - ZYDIS_REGISTER_XMM0);
		else if (r >= ZYDIS_REGISTER_YMM0 &&
		    r <= ZYDIS_REGISTER_YMM15)
			o->vec = (uint8_t)(r - ZYDIS_REGISTER_YMM0);
	}
}

static void
set_mem(struct ks_opnd *o, const ZydisDecodedInstruction *zi,
    const ZydisDecodedOperandMem *mem)
{
	bool high8;

	o->kind = KS_OPND_MEM;
	o->reg = gpr_of(mem->base, &high8);
	o->index = gpr_of(mem->index, &high8);
	o->scale = mem->scale != 0 ? mem->scale : 1;
	if (mem->segment == ZYDIS_REGISTER_FS)
		o->seg = 'f';
	else if (mem->segment == ZYDIS_REGISTER_GS)
		o->seg = 'g';
	if (mem->disp.has_displacement) {
		o->val = mem->disp.value;
		o->val_off = zi->raw.disp.offset;
		o->val_len = zi->raw.disp.size / 8;
	}
}

/* Immediates count as signed numbers of the width they are stored in. */
static void
set_imm(struct ks_opnd *o, const ZydisDecodedInstruction *zi,
    const ZydisDecodedOperand *zo, unsigned nth)
{
	o->kind = KS_OPND_IMM;
	o->val = zo->imm.value.s;
	if (nth > 1 || zi->raw.imm[nth].size == 0 ||
	    zo->encoding == ZYDIS_OPERAND_ENCODING_NONE)
		return;				/* the 1 of "shl $1" */
	o->val_off = zi->raw.imm[nth].offset;
	o->val_len = zi->raw.imm[nth].size / 8;
	if (o->val_len == 1)
		o->val = (int8_t)o->val;
	else if (o->val_len == 2)
		o->val = (int16_t)o->val;
	else if (o->val_len == 4)
		o->val = (int32_t)o->val;
}

static void
set_operands(struct ks_insn *out, const ZydisDecodedInstruction *zi,
    const ZydisDecodedOperand *zo)
{
	unsigned nth_imm = 0;

	for (unsigned i = 0; i < zi->operand_count_visible &&
	    out->nopnd < 4; i++) {
		struct ks_opnd *o = &out->opnd[out->nopnd];

		/* The mask of an EVEX instruction is in classes only. */
		if (zo[i].encoding == ZYDIS_OPERAND_ENCODING_MASK)
			continue;
		o->reg = o->index = o->vec = KS_NOREG;
		o->bits = zo[i].size;
		o->read = (zo[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
		o->write =
		    (zo[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
		switch (zo[i].type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			set_reg(o, zo[i].reg.value);
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			set_mem(o, zi, &zo[i].mem);
			break;
		case ZYDIS_OPERAND_TYPE_IMMEDIATE:
			set_imm(o, zi, &zo[i], nth_imm++);
			break;
		default:
			o->kind = KS_OPND_OTHER;
			break;
		}
		out->nopnd++;
	}
}

static enum ks_vmove
vmove_of(const struct ks_insn *out, ZydisMnemonic m)
{
	const struct ks_opnd *d = &out->opnd[0], *l;

	if (out->nopnd == 0)
		return KS_VMOVE_NONE;
	l = &out->opnd[out->nopnd - 1];
	switch (m) {
	case ZYDIS_MNEMONIC_MOVDQA: case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_MOVAPS: case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVAPD: case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_VMOVDQA: case ZYDIS_MNEMONIC_VMOVDQU:
	case ZYDIS_MNEMONIC_VMOVAPS: case ZYDIS_MNEMONIC_VMOVUPS:
		if (d->bits == 128)
			return KS_VMOVE_ALL;
		break;
	case ZYDIS_MNEMONIC_MOVQ: case ZYDIS_MNEMONIC_VMOVQ:
		return KS_VMOVE_LOW;
	case ZYDIS_MNEMONIC_MOVSD: case ZYDIS_MNEMONIC_VMOVSD:
		if (d->kind == KS_OPND_MEM || l->kind == KS_OPND_MEM)
			return KS_VMOVE_LOW;
		break;
	case ZYDIS_MNEMONIC_MOVLPS: case ZYDIS_MNEMONIC_MOVLPD:
		return KS_VMOVE_LOW_KEEP;
	case ZYDIS_MNEMONIC_MOVHPS: case ZYDIS_MNEMONIC_MOVHPD:
	case ZYDIS_MNEMONIC_VMOVHPS: case ZYDIS_MNEMONIC_VMOVHPD:
		return KS_VMOVE_HIGH;
	case ZYDIS_MNEMONIC_PUNPCKLQDQ: case ZYDIS_MNEMONIC_VPUNPCKLQDQ:
	case ZYDIS_MNEMONIC_MOVLHPS: case ZYDIS_MNEMONIC_VMOVLHPS:
		return KS_VMOVE_PAIR;
	case ZYDIS_MNEMONIC_PINSRQ: case ZYDIS_MNEMONIC_VPINSRQ:
		if (l->kind == KS_OPND_IMM && (l->val & 1) != 0)
			return KS_VMOVE_HIGH;
		break;
	case ZYDIS_MNEMONIC_PXOR: case ZYDIS_MNEMONIC_VPXOR:
	case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_VXORPS:
	case ZYDIS_MNEMONIC_XORPD: case ZYDIS_MNEMONIC_VXORPD:
		if (l->vec != KS_NOREG && l->vec == out->opnd[out->nopnd -
		    2].vec)
			return KS_VMOVE_ZERO;
		break;
	default:
		break;
	}
	return d->kind == KS_OPND_OTHER && d->vec != KS_NOREG && d->write ?
	    KS_VMOVE_CLOBBER : KS_VMOVE_NONE;
}

/*
 * cbw, cwde, cdqe have hidden operands only: show them as what they are, a
 * movsx of the accumulator.
 */
static void
set_accumulator(struct ks_insn *out, unsigned bits)
{
	for (unsigned i = 0; i < 2; i++) {
		struct ks_opnd *o = &out->opnd[i];

		o->kind = KS_OPND_REG;
		o->reg = KS_RAX;
		o->index = KS_NOREG;
		o->bits = (uint16_t)(i == 0 ? bits : bits / 2);
		o->write = i == 0;
		o->read = i == 1;
	}
	out->nopnd = 2;
}

/* Register masks and classes, from every operand. */
static void
scan_operands(struct ks_insn *out, const ZydisDecodedInstruction *zi,
    const ZydisDecodedOperand *zo)
{
	unsigned read = 0, write = 0, classes = 0;

	for (unsigned i = 0; i < zi->operand_count; i++) {
		if (zo[i].type == ZYDIS_OPERAND_TYPE_REGISTER) {
			ZydisRegister r = zo[i].reg.value;

			if (zo[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
				read |= gpr_bit(r);
			if (zo[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
				write |= gpr_bit(r);
			/* k0 as an EVEX mask means "no mask". */
			if (zo[i].encoding != ZYDIS_OPERAND_ENCODING_MASK ||
			    r != ZYDIS_REGISTER_K0)
				classes |= reg_classes(r);
		} else if (zo[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			read |= gpr_bit(zo[i].mem.base);
			read |= gpr_bit(zo[i].mem.index);
			classes |= reg_classes(zo[i].mem.index);
		}
	}
	out->gpr_read = (uint16_t)read;
	out->gpr_write = (uint16_t)write;
	out->classes = (uint16_t)classes;
}

/*
 * Whether the vector operand in memory must be aligned to its size.  Legacy
 * SSE: any 128-bit one, but for the loads and stores named unaligned and
 * the string compares (SDM vol. 2, table 2-21).  VEX and EVEX: only the
 * moves named aligned and the non-temporal ones.
 */
static bool
is_aligned(const ZydisDecodedInstruction *zi, const struct ks_insn *in)
{
	bool mem128 = false;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_MOVUPS:
	case ZYDIS_MNEMONIC_MOVUPD:
	case ZYDIS_MNEMONIC_MOVDQU:
	case ZYDIS_MNEMONIC_LDDQU:
	case ZYDIS_MNEMONIC_PCMPESTRI:
	case ZYDIS_MNEMONIC_PCMPESTRM:
	case ZYDIS_MNEMONIC_PCMPISTRI:
	case ZYDIS_MNEMONIC_PCMPISTRM:
		return false;
	default:
		break;
	}
	for (unsigned i = 0; i < in->nopnd; i++)
		if (in->opnd[i].kind == KS_OPND_MEM)
			mem128 = mem128 || in->opnd[i].bits >= 128;
	if (!mem128)
		return false;
	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_VMOVAPS:
	case ZYDIS_MNEMONIC_VMOVAPD:
	case ZYDIS_MNEMONIC_VMOVDQA:
	case ZYDIS_MNEMONIC_VMOVDQA32:
	case ZYDIS_MNEMONIC_VMOVDQA64:
	case ZYDIS_MNEMONIC_VMOVNTDQ:
	case ZYDIS_MNEMONIC_VMOVNTDQA:
	case ZYDIS_MNEMONIC_VMOVNTPD:
	case ZYDIS_MNEMONIC_VMOVNTPS:
		return true;
	default:
		return zi->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		    in->simd == KS_SIMD_USE && (in->classes & KS_RC_XMM) &&
		    zi->meta.isa_ext != ZYDIS_ISA_EXT_KEYLOCKER &&
		    zi->meta.isa_ext != ZYDIS_ISA_EXT_KEYLOCKER_WIDE;
	}
}

/* --- control flow -------------------------------------------------------- */

static uint8_t
flow_of(const ZydisDecodedInstruction *zi)
{
	bool direct = zi->raw.imm[0].is_relative;

	switch (zi->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		return direct ? KS_FLOW_CALL : KS_FLOW_ICALL;
	case ZYDIS_MNEMONIC_JMP:
		return direct ? KS_FLOW_JMP : KS_FLOW_IJMP;
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_RSM:
		return KS_FLOW_RET;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return KS_FLOW_TRAP;
	case ZYDIS_MNEMONIC_INT3:
		return KS_FLOW_BREAK;
	case ZYDIS_MNEMONIC_HLT:
		return KS_FLOW_HLT;
	case ZYDIS_MNEMONIC_XBEGIN:
		return KS_FLOW_XBEGIN;
	default:
		return op_table[zi->mnemonic] == KS_OP_JCC ? KS_FLOW_JCC :
		    KS_FLOW_NEXT;
	}
}

static bool
writes_flags(const ZydisDecodedInstruction *zi)
{
	const ZydisAccessedFlags *f = zi->cpu_flags;

	return f != NULL && ((f->modified | f->set_0 | f->set_1 |
	    f->undefined) & (ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
	    ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_OF)) != 0;
}

static uint8_t
cc_of(const ZydisDecodedInstruction *zi, uint8_t op)
{
	if (op == KS_OP_SETCC || op == KS_OP_CMOVCC)
		return zi->opcode & 0xf;
	if (op != KS_OP_JCC)
		return KS_CC_NONE;
	if (zi->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    zi->opcode >> 4 != 7)
		return KS_CC_NONE;		/* loop, jrcxz */
	return zi->opcode & 0xf;
}

static void
set_decoder(ZydisDecoder *d, bool mode64)
{
	if (mode64)
		ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LONG_64,
		    ZYDIS_STACK_WIDTH_64);
	else
		ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LEGACY_32,
		    ZYDIS_STACK_WIDTH_32);
}

/*
 * Zydis accepts, in every mode, VEX encodings that only Knights Corner had
 * (jkzd, VEX popcnt ...).  They are undefined on every CPU since.
 */
static bool
is_knc(const ZydisDecodedInstruction *zi)
{
	return zi->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	    zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
	    zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

/*
 * bt, bts, btr, btc on memory, with the bit's number in a register: that
 * reaches bytes far from the address (SDM vol. 2, BTS).
 */
static void
set_bit_index(struct ks_insn *out, ZydisMnemonic m)
{
	struct ks_opnd *o = out->opnd;

	if ((m == ZYDIS_MNEMONIC_BT || m == ZYDIS_MNEMONIC_BTS ||
	    m == ZYDIS_MNEMONIC_BTR || m == ZYDIS_MNEMONIC_BTC) &&
	    o[0].kind == KS_OPND_MEM && o[1].kind == KS_OPND_REG &&
	    o[0].index == KS_NOREG)
		o[0].index = o[1].reg;
}

/* See insn.h. */
int
ks_insn_decode(const uint8_t *p, size_t avail, bool mode64,
    struct ks_insn *out)
{
	ZydisDecoder d;
	ZydisDecodedInstruction zi;
	ZydisDecodedOperand zo[ZYDIS_MAX_OPERAND_COUNT];
	unsigned classes;

	memset(out, 0, sizeof(*out));
	set_decoder(&d, mode64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, p, avail, &zi, zo)) ||
	    is_knc(&zi))
		return ks_insn_new_decode(p, avail, mode64, out);

	out->len = zi.length;
	out->op = op_table[zi.mnemonic];
	out->cc = cc_of(&zi, out->op);
	out->flow = flow_of(&zi);
	if (zi.raw.imm[0].is_relative) {
		out->rel = zi.raw.imm[0].value.s;
		out->rel_off = zi.raw.imm[0].offset;
		out->rel_len = zi.raw.imm[0].size / 8;
	}
	out->rep = (zi.attributes & (ZYDIS_ATTRIB_HAS_REP |
	    ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0 &&
	    (zi.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    zi.meta.category == ZYDIS_CATEGORY_IOSTRINGOP);
	out->writes_flags = writes_flags(&zi);
	out->down = zi.mnemonic == ZYDIS_MNEMONIC_STD;
	set_operands(out, &zi, zo);
	set_bit_index(out, zi.mnemonic);
	out->vmove = vmove_of(out, zi.mnemonic);
	scan_operands(out, &zi, zo);
	if (out->op == KS_OP_MOVSX && out->nopnd == 0)
		set_accumulator(out, zi.operand_width);

	classes = out->classes | hidden_classes(&zi);
	out->classes = (uint16_t)classes;
	if (classes != 0) {
		out->simd = simd_kind_of(zi.mnemonic);
		out->isa = isa_of(&zi, classes);
		out->emms = zi.mnemonic == ZYDIS_MNEMONIC_EMMS ||
		    zi.mnemonic == ZYDIS_MNEMONIC_FEMMS;
		out->aligned = is_aligned(&zi, out);
	}
	return KS_OK;
}

/*
 * Zydis appends the size of the memory operand to every mnemonic, which
 * AT&T syntax does to integer and x87 instructions, and to conversions, only:
 * "movssl (%rax), %xmm0".
 */
static void
drop_suffix(char *text, const ZydisDecodedInstruction *zi)
{
	const char *name = ZydisMnemonicGetString(zi->mnemonic);
	char *at = strstr(text, name);

	if (at == NULL || isa_table[zi->meta.isa_set] == 0 ||
	    zi->meta.isa_ext == ZYDIS_ISA_EXT_X87 ||
	    zi->meta.category == ZYDIS_CATEGORY_CONVERT)
		return;
	at += strlen(name);
	if (at[0] != '\0' && at[0] != ' ' && at[1] == ' ')
		memmove(at, at + 1, strlen(at));
}

/* See insn.h. */
char *
ks_insn_text(const uint8_t *p, size_t avail, bool mode64, char *buf,
    size_t size)
{
	ZydisDecoder d;
	ZydisFormatter f;
	ZydisDecodedInstruction zi;
	ZydisDecodedOperand zo[ZYDIS_MAX_OPERAND_COUNT];
	char text[256];

	if (size == 0)
		return buf;
	set_decoder(&d, mode64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, p, avail, &zi, zo)) ||
	    is_knc(&zi))
		return ks_insn_new_text(p, avail, mode64, buf, size);
	if (!ZYAN_SUCCESS(ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_ATT)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&f, &zi, zo,
	    zi.operand_count_visible, text, sizeof(text),
	    ZYDIS_RUNTIME_ADDRESS_NONE, NULL)))
		snprintf(text, sizeof(text), "%s",
		    ZydisMnemonicGetString(zi.mnemonic));
	drop_suffix(text, &zi);
	snprintf(buf, size, "%s", text);
	return buf;
}
