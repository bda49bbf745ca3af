/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions that LLVM 19 assembles and Zydis 4.0 does not know: AMX-FP16,
 * AMX-COMPLEX, AVX-VNNI-INT8 and -INT16, AVX-IFMA, AVX-NE-CONVERT, SHA512,
 * SM3, SM4, CMPccXADD, RAO-INT, FRED, MSRLIST, USER_MSR and APX.
 *
 *  1. The first level gives length, flow and displacement.
 *  2. Prefix, map, opcode and ModRM are looked up in one table of families;
 *     what no row matches is KS_EPARSE.
 *  3. The row says what state is touched; the registers come from ModRM,
 *     SIB and VEX.vvvv.
 *
 * Known limits: APX instructions (REX2, EVEX map 4, EVEX with registers
 * above r15) have registers that enum ks_gpr cannot name.  They count as
 * reading and writing every general register, %rsp too: all that was known
 * is forgotten, nothing wrong is concluded.
 *
 * Reference: Intel SDM vol. 2; Intel ISA extensions reference (319433);
 * Intel APX specification, chapter 3; AMD APM vol. 3 (rmpquery).
 */
#include "insn_new.h"

#include <string.h>

enum enc { LEGACY, VEX };
enum pp { NP, P66, PF3, PF2, PP_ANY };	/* as VEX.pp numbers them */
enum mod { MOD_ANY, MOD_REG, MOD_MEM };
enum use {
	USE_VEC,		/* xmm or ymm by VEX.L */
	USE_VEC2,		/* the same, without VEX.vvvv */
	USE_TILE,
	USE_CMPCCXADD,		/* reg read and written, vvvv read */
	USE_READ_REG,		/* aadd (mem), reg */
	USE_READ_RM,		/* lkgs rm */
	USE_READ_REG_RM,	/* uwrmsr */
	USE_RDMSR,		/* urdmsr: rm written, reg read */
	USE_RDMSR_IMM,		/* rm written */
	USE_RCX_RAX_RDX,	/* wrmsrns: read only */
	USE_MSRLIST,		/* rsi, rdi read, rcx changed */
	USE_RMPQUERY,		/* rax read and written, rcx, rdx written */
	USE_PBNDKB,		/* rbx, rcx read, rax written */
	USE_NOTHING,
};

struct row {
	uint8_t		 enc, map, pp;
	uint8_t		 op, op_last;
	uint8_t		 mod;
	int8_t		 w, l;		/* -1: any */
	int16_t		 modrm, mask;	/* modrm & mask == modrm */
	uint8_t		 use;
	ks_isaset	 isa;
	const char	*name;
};

#define OTHER		KS_ISA_BIT(OTHER)
#define AVX2_PLUS	(KS_ISA_BIT(AVX2) | OTHER)
#define AVX_PLUS	(KS_ISA_BIT(AVX) | OTHER)
#define AMX		KS_ISA_BIT(AMX)

#define V(map, pp, op, mod, w, l, use, isa, name)			\
	{ VEX, map, pp, op, op, mod, w, l, 0, 0, use, isa, name }
#define L(map, pp, op, modrm, mask, use, name)				\
	{ LEGACY, map, pp, op, op, MOD_ANY, -1, -1, modrm, mask, use, 0, name }

static const struct row rows[] = {
	/* AVX-VNNI-INT8, AVX-VNNI-INT16 */
	V(2, NP, 0x50, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbuud"),
	V(2, PF3, 0x50, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbsud"),
	V(2, PF2, 0x50, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbssd"),
	V(2, NP, 0x51, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbuuds"),
	V(2, PF3, 0x51, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbsuds"),
	V(2, PF2, 0x51, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpbssds"),
	V(2, NP, 0xd2, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwuud"),
	V(2, P66, 0xd2, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwusd"),
	V(2, PF3, 0xd2, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwsud"),
	V(2, NP, 0xd3, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwuuds"),
	V(2, P66, 0xd3, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwusds"),
	V(2, PF3, 0xd3, MOD_ANY, 0, -1, USE_VEC, AVX2_PLUS, "vpdpwsuds"),
	/* AVX-IFMA */
	V(2, P66, 0xb4, MOD_ANY, 1, -1, USE_VEC, AVX2_PLUS, "vpmadd52luq"),
	V(2, P66, 0xb5, MOD_ANY, 1, -1, USE_VEC, AVX2_PLUS, "vpmadd52huq"),
	/* AVX-NE-CONVERT */
	V(2, PF3, 0x72, MOD_ANY, 0, -1, USE_VEC2, AVX2_PLUS, "vcvtneps2bf16"),
	V(2, NP, 0xb0, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vcvtneoph2ps"),
	V(2, P66, 0xb0, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vcvtneeph2ps"),
	V(2, PF3, 0xb0, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vcvtneebf162ps"),
	V(2, PF2, 0xb0, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vcvtneobf162ps"),
	V(2, P66, 0xb1, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vbcstnesh2ps"),
	V(2, PF3, 0xb1, MOD_MEM, 0, -1, USE_VEC2, AVX2_PLUS, "vbcstnebf162ps"),
	/* SHA512, SM3, SM4 */
	V(2, PF2, 0xcb, MOD_REG, 0, 1, USE_VEC, AVX2_PLUS, "vsha512rnds2"),
	V(2, PF2, 0xcc, MOD_REG, 0, 1, USE_VEC2, AVX2_PLUS, "vsha512msg1"),
	V(2, PF2, 0xcd, MOD_REG, 0, 1, USE_VEC2, AVX2_PLUS, "vsha512msg2"),
	V(2, NP, 0xda, MOD_ANY, 0, 0, USE_VEC, AVX_PLUS, "vsm3msg1"),
	V(2, P66, 0xda, MOD_ANY, 0, 0, USE_VEC, AVX_PLUS, "vsm3msg2"),
	V(3, P66, 0xde, MOD_ANY, 0, 0, USE_VEC, AVX_PLUS, "vsm3rnds2"),
	V(2, PF3, 0xda, MOD_ANY, 0, -1, USE_VEC, AVX_PLUS, "vsm4key4"),
	V(2, PF2, 0xda, MOD_ANY, 0, -1, USE_VEC, AVX_PLUS, "vsm4rnds4"),
	/* AMX-FP16, AMX-COMPLEX */
	V(2, PF2, 0x5c, MOD_REG, 0, 0, USE_TILE, AMX, "tdpfp16ps"),
	V(2, NP, 0x6c, MOD_REG, 0, 0, USE_TILE, AMX, "tcmmrlfp16ps"),
	V(2, P66, 0x6c, MOD_REG, 0, 0, USE_TILE, AMX, "tcmmimfp16ps"),
	/* CMPccXADD */
	{ VEX, 2, P66, 0xe0, 0xef, MOD_MEM, -1, 0, 0, 0, USE_CMPCCXADD, 0,
	    "cmpccxadd" },
	/* USER_MSR with the number as an immediate */
	{ VEX, 7, PF2, 0xf8, 0xf8, MOD_REG, 0, 0, 0xc0, 0xf8, USE_RDMSR_IMM, 0,
	    "urdmsr" },
	{ VEX, 7, PF3, 0xf8, 0xf8, MOD_REG, 0, 0, 0xc0, 0xf8, USE_READ_RM, 0,
	    "uwrmsr" },
	{ LEGACY, 2, PF2, 0xf8, 0xf8, MOD_REG, -1, -1, 0, 0, USE_RDMSR, 0,
	    "urdmsr" },
	{ LEGACY, 2, PF3, 0xf8, 0xf8, MOD_REG, -1, -1, 0, 0, USE_READ_REG_RM,
	    0, "uwrmsr" },
	/* RAO-INT */
	{ LEGACY, 2, NP, 0xfc, 0xfc, MOD_MEM, -1, -1, 0, 0, USE_READ_REG, 0,
	    "aadd" },
	{ LEGACY, 2, P66, 0xfc, 0xfc, MOD_MEM, -1, -1, 0, 0, USE_READ_REG, 0,
	    "aand" },
	{ LEGACY, 2, PF2, 0xfc, 0xfc, MOD_MEM, -1, -1, 0, 0, USE_READ_REG, 0,
	    "aor" },
	{ LEGACY, 2, PF3, 0xfc, 0xfc, MOD_MEM, -1, -1, 0, 0, USE_READ_REG, 0,
	    "axor" },
	/* MSR access, FRED, PBNDKB, SEV-SNP */
	L(1, NP, 0x01, 0xc6, 0xff, USE_RCX_RAX_RDX, "wrmsrns"),
	L(1, PF2, 0x01, 0xc6, 0xff, USE_MSRLIST, "rdmsrlist"),
	L(1, PF3, 0x01, 0xc6, 0xff, USE_MSRLIST, "wrmsrlist"),
	L(1, NP, 0x01, 0xc7, 0xff, USE_PBNDKB, "pbndkb"),
	L(1, PF2, 0x01, 0xca, 0xff, USE_NOTHING, "erets"),
	L(1, PF3, 0x01, 0xca, 0xff, USE_NOTHING, "eretu"),
	L(1, PF2, 0x00, 0x30, 0x38, USE_READ_RM, "lkgs"),
	L(1, PF3, 0x01, 0xfd, 0xff, USE_RMPQUERY, "rmpquery"),
};

/* What the prefixes and the opcode say. */
struct fields {
	uint8_t	enc, map, pp, op, modrm;
	uint8_t	w, l, r, x, b, vvvv;	/* r, x, b: 8 or 0 */
	uint8_t	seg;
	bool	addr_override;
	unsigned at;			/* where ModRM is */
};

static void
vex_fields(const uint8_t *q, bool mode64, struct fields *f)
{
	bool three = q[0] == 0xc4;
	uint8_t last = three ? q[2] : q[1];

	f->enc = VEX;
	f->map = three ? q[1] & 0x1f : 1;
	f->w = three ? last >> 7 : 0;
	f->l = last >> 2 & 1;
	f->pp = last & 3;
	f->vvvv = ~(last >> 3) & 0xf;
	f->r = q[1] & 0x80 ? 0 : 8;
	f->x = !three || (q[1] & 0x40) ? 0 : 8;
	f->b = !three || (q[1] & 0x20) ? 0 : 8;
	if (!mode64) {
		f->r = f->x = f->b = 0;
		f->vvvv &= 7;
	}
	f->at += three ? 4 : 3;
	f->op = q[three ? 3 : 2];
}

/*
 * Splits an instruction of LEN bytes, which the first level has accepted.
 * False if it is of no kind that the rows above could describe.
 */
static bool
split(const uint8_t *p, unsigned len, bool mode64, struct fields *f)
{
	bool p66 = false;
	uint8_t rep = NP, rex = 0;
	unsigned i;

	memset(f, 0, sizeof(*f));
	for (i = 0; i < len; i++) {
		if (p[i] == 0x66)
			p66 = true;
		else if (p[i] == 0xf2)
			rep = PF2;
		else if (p[i] == 0xf3)
			rep = PF3;
		else if (p[i] == 0x67)
			f->addr_override = true;
		else if (p[i] == 0x64 || p[i] == 0x65)
			f->seg = p[i] == 0x64 ? 'f' : 'g';
		else if (mode64 && p[i] >> 4 == 4) {
			rex = p[i];
			continue;
		} else if (p[i] != 0x26 && p[i] != 0x2e && p[i] != 0x36 &&
		    p[i] != 0x3e)
			break;
		rex = 0;
	}
	f->at = i;
	if (i + 1 >= len)
		return false;
	if (p[i] == 0xc4 || p[i] == 0xc5) {
		vex_fields(p + i, mode64, f);
	} else if (p[i] == 0x0f) {
		f->enc = LEGACY;
		f->map = p[i + 1] == 0x38 ? 2 : 1;
		f->pp = rep != NP ? rep : p66 ? P66 : NP;
		f->w = rex >> 3 & 1;
		f->r = (rex & 4) << 1;
		f->x = (rex & 2) << 2;
		f->b = (rex & 1) << 3;
		f->at += f->map + 1;
		f->op = p[f->at - 1];
	} else {
		return false;
	}
	if (f->at >= len)
		return false;
	f->modrm = p[f->at];
	return true;
}

/* What the register fields and the mode must be, by the kind of row. */
static bool
fields_fit(const struct row *r, const struct fields *f, bool mode64)
{
	switch (r->use) {
	case USE_VEC2:
		return f->vvvv == 0;		/* 1111, as stored */
	case USE_TILE:
		return mode64 && (f->r | f->b) == 0 && f->vvvv < 8;
	case USE_VEC:
	case USE_READ_REG:
	case USE_RCX_RAX_RDX:
		return true;
	default:
		return mode64;
	}
}

static const struct row *
find_row(const struct fields *f, bool mode64)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		bool reg = f->modrm >= 0xc0;

		if (r->enc == f->enc && r->map == f->map && r->pp == f->pp &&
		    f->op >= r->op && f->op <= r->op_last &&
		    (r->mod == MOD_ANY || (r->mod == MOD_REG) == reg) &&
		    (r->w < 0 || r->w == f->w) && (r->l < 0 || r->l == f->l) &&
		    (f->modrm & r->mask) == r->modrm &&
		    fields_fit(r, f, mode64))
			return r;
	}
	return NULL;
}

/* The memory operand, in 32- or 64-bit addressing. */
static void
set_mem(const uint8_t *p, const struct fields *f, bool mode64,
    struct ks_opnd *o)
{
	unsigned at = f->at + 1, mod = f->modrm >> 6, rm = f->modrm & 7;
	int32_t d;

	o->reg = o->index = KS_NOREG;
	if (!mode64 && f->addr_override) {
		o->kind = KS_OPND_OTHER;	/* 16-bit addressing */
		return;
	}
	o->kind = KS_OPND_MEM;
	o->scale = 1;
	o->seg = f->seg;
	if (rm == 4) {
		uint8_t sib = p[at++];

		if ((sib >> 3 & 7) + f->x != 4) {
			o->index = (uint8_t)((sib >> 3 & 7) + f->x);
			o->scale = (uint8_t)(1 << (sib >> 6));
		}
		if (mod != 0 || (sib & 7) != 5)
			o->reg = (uint8_t)((sib & 7) + f->b);
		else
			o->val_len = 4;
	} else if (mod == 0 && rm == 5) {
		o->reg = mode64 ? KS_RIP : KS_NOREG;
		o->val_len = 4;
	} else {
		o->reg = (uint8_t)(rm + f->b);
	}
	if (mod == 1) {
		o->val_len = 1;
		o->val = (int8_t)p[at];
	} else if (mod == 2 || o->val_len == 4) {
		o->val_len = 4;
		memcpy(&d, p + at, sizeof(d));
		o->val = d;
	}
	if (o->val_len != 0)
		o->val_off = (uint8_t)at;
}

static unsigned
bit(unsigned reg)
{
	return reg < KS_GPR_MAX ? 1u << reg : 0;
}

/* Registers and classes of one row. */
static void
apply(const struct row *r, const struct fields *f, struct ks_insn *out)
{
	unsigned reg = bit((f->modrm >> 3 & 7) + f->r);
	unsigned rm = f->modrm >= 0xc0 ? bit((f->modrm & 7) + f->b) : 0;
	unsigned rd = 0, wr = 0;

	switch (r->use) {
	case USE_VEC:
	case USE_VEC2:
		out->classes = f->l ? KS_RC_YMM : KS_RC_XMM;
		break;
	case USE_TILE:
		out->classes = KS_RC_TILE;
		break;
	case USE_CMPCCXADD:
		rd = reg | bit(f->vvvv);
		wr = reg;
		out->writes_flags = true;
		break;
	case USE_READ_REG:
		rd = reg;
		break;
	case USE_READ_RM:
		rd = rm;
		break;
	case USE_READ_REG_RM:
		rd = reg | rm;
		break;
	case USE_RDMSR:
		rd = reg;
		wr = rm;
		break;
	case USE_RDMSR_IMM:
		wr = rm;
		break;
	case USE_RCX_RAX_RDX:
		rd = bit(KS_RCX) | bit(KS_RAX) | bit(KS_RDX);
		break;
	case USE_MSRLIST:
		rd = bit(KS_RSI) | bit(KS_RDI) | bit(KS_RCX);
		wr = bit(KS_RCX);
		break;
	case USE_RMPQUERY:
		rd = bit(KS_RAX);
		wr = bit(KS_RAX) | bit(KS_RCX) | bit(KS_RDX);
		out->writes_flags = true;
		break;
	case USE_PBNDKB:
		rd = bit(KS_RBX) | bit(KS_RCX);
		wr = bit(KS_RAX);
		out->writes_flags = true;
		break;
	}
	out->gpr_read = (uint16_t)rd;
	out->gpr_write = (uint16_t)wr;
	out->isa = r->isa;
	if (out->classes != 0)
		out->simd = KS_SIMD_USE;
}

static void
apply_mem(const uint8_t *p, const struct row *r, const struct fields *f,
    bool mode64, struct ks_insn *out)
{
	struct ks_opnd *o = &out->opnd[0];

	if (f->modrm >= 0xc0)
		return;
	set_mem(p, f, mode64, o);
	o->read = true;
	if (r->use == USE_VEC || r->use == USE_VEC2)
		o->bits = f->l ? 256 : 128;
	else
		o->bits = f->w ? 64 : 32;
	o->write = r->use == USE_CMPCCXADD || r->use == USE_READ_REG;
	out->nopnd = 1;
	out->gpr_read |= (uint16_t)(bit(o->reg) | bit(o->index));
}

static uint8_t
op_of_flow(uint8_t flow)
{
	switch (flow) {
	case KS_FLOW_CALL:
	case KS_FLOW_ICALL:
		return KS_OP_CALL;
	case KS_FLOW_JMP:
	case KS_FLOW_IJMP:
		return KS_OP_JMP;
	default:
		return KS_OP_OTHER;
	}
}

/* --- APX ------------------------------------------------------------------ */

/* Registers that enum ks_gpr cannot name: nothing is known any more. */
static void
forget(struct ks_insn *out)
{
	out->op = op_of_flow(out->flow);
	out->nopnd = 0;
	memset(out->opnd, 0, sizeof(out->opnd));
	out->aligned = false;
	out->writes_flags = true;
	out->gpr_read = out->gpr_write = 0xffff;
	if (out->simd != KS_SIMD_NONE)
		out->isa |= OTHER;
}

/*
 * REX2 at p[at]: the instruction is the one with a REX prefix of the same
 * low four bits, and 0F if M0 is set; R4, X4 and B4 choose r16-r31.
 */
static int
decode_rex2(const uint8_t *p, unsigned len, unsigned at, struct ks_insn *out)
{
	uint8_t buf[16], payload = p[at + 1];
	unsigned n = at, m0 = payload >> 7;
	int rc;

	if (!m0 && p[at + 2] == 0xa1) {		/* jmpabs */
		out->op = KS_OP_JMP;
		out->cc = KS_CC_NONE;
		return KS_OK;
	}
	memcpy(buf, p, at);
	buf[n++] = 0x40 | (payload & 0xf);
	if (m0)
		buf[n++] = 0x0f;
	memcpy(buf + n, p + at + 2, len - at - 2);
	n += len - at - 2;
	rc = ks_insn_decode(buf, n, true, out);
	if (rc != KS_OK || out->len != n)
		return KS_EPARSE;
	if (payload & 0x70) {
		forget(out);
	} else if (!m0) {
		for (unsigned i = 0; i < out->nopnd; i++)
			out->opnd[i].val_off += out->opnd[i].val_off != 0;
		out->rel_off += out->rel_off != 0;
	}
	return KS_OK;
}

/*
 * EVEX at p[0] with what APX adds: map 4 and the forms of VEX instructions
 * on general registers, AMX tile and mask moves (all of them only because of
 * the registers); or AVX-512 with a base or index above r15, which is the
 * same instruction with bit 3 of the first payload byte cleared and bit 2 of
 * the second set.
 */
static int
decode_evex_apx(const uint8_t *p, unsigned len, struct ks_insn *out)
{
	unsigned map = p[1] & 7;
	uint8_t op = p[4], buf[16];

	if (map == 4) {
		/* D4, D8-DF: SHA and Key Locker, taken back by Intel */
		if ((p[3] & 0xe0) || op == 0xd4 || op >> 3 == 0xd8 >> 3)
			return KS_EPARSE;
	} else if (map == 2 && (op == 0x49 || op == 0x4b)) {
		out->simd = KS_SIMD_USE;
		out->classes = KS_RC_TILE;
		out->isa = AMX;
	} else if (map == 1 && op >= 0x90 && op <= 0x93) {
		out->simd = KS_SIMD_USE;
		out->classes = KS_RC_MASK;
		out->isa = KS_ISA_BIT(AVX512F);
	} else if (!(map == 2 && (op >> 4 == 0xe || (op >= 0xf2 &&
	    op <= 0xf7 && op != 0xf4))) && !(map == 3 && op == 0xf0) &&
	    map != 7) {
		if (!(p[1] & 8) && (p[2] & 4))
			return KS_EPARSE;
		memcpy(buf, p, len);
		buf[1] &= (uint8_t)~8;
		buf[2] |= 4;
		if (ks_insn_decode(buf, len, true, out) != KS_OK ||
		    out->len != len)
			return KS_EPARSE;
	}
	forget(out);
	return KS_OK;
}

/* The index of the first byte that is no prefix, REX included. */
static unsigned
skip_prefixes(const uint8_t *p, unsigned len)
{
	unsigned i = 0;

	while (i < len && (p[i] == 0x66 || p[i] == 0x67 || p[i] == 0xf0 ||
	    p[i] == 0xf2 || p[i] == 0xf3 || p[i] >> 1 == 0x64 >> 1 ||
	    (p[i] & 0xe7) == 0x26 || p[i] >> 4 == 4))
		i++;
	return i;
}

/* KS_ENOTSUP: no APX. */
static int
decode_apx(const uint8_t *p, unsigned len, struct ks_insn *out)
{
	unsigned at = skip_prefixes(p, len);

	if (at + 3 <= len && p[at] == 0xd5)
		return decode_rex2(p, len, at, out);
	if (at + 6 <= len && p[at] == 0x62)
		return decode_evex_apx(p + at, len - at, out);
	return KS_ENOTSUP;
}

/* See insn_new.h. */
int
ks_insn_new_decode(const uint8_t *p, size_t avail, bool mode64,
    struct ks_insn *out)
{
	struct ks_dec d;
	struct fields f;
	const struct row *r;
	unsigned len;
	int rc = KS_ENOTSUP;

	memset(out, 0, sizeof(*out));
	len = mode64 ? ks_decode64(p, avail, &d) : ks_decode32(p, avail, &d);
	if (len == 0)
		return KS_EPARSE;
	out->flow = d.flow;
	out->cc = KS_CC_NONE;
	if (mode64)
		rc = decode_apx(p, len, out);
	if (rc == KS_ENOTSUP) {
		if (!split(p, len, mode64, &f))
			return KS_EPARSE;
		r = find_row(&f, mode64);
		if (r == NULL)
			return KS_EPARSE;
		apply(r, &f, out);
		apply_mem(p, r, &f, mode64, out);
	} else if (rc != KS_OK) {
		return KS_EPARSE;
	}
	out->len = (uint8_t)len;
	return KS_OK;
}

/* See insn_new.h. */
char *
ks_insn_new_text(const uint8_t *p, size_t avail, bool mode64, char *buf,
    size_t size)
{
	struct ks_insn in;
	struct fields f;
	const struct row *r = NULL;
	const char *name = "(bad)";

	if (ks_insn_new_decode(p, avail, mode64, &in) == KS_OK) {
		if (split(p, in.len, mode64, &f))
			r = find_row(&f, mode64);
		name = r != NULL ? r->name : "(apx)";
	}
	snprintf(buf, size, "%s", name);
	return buf;
}
