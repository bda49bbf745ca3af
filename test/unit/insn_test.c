/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * x86 decoding, both levels: a table of encodings with what SIMD state they
 * touch, and the fields that the lowering follows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "insn.h"

/* "0f 77" into BUF; returns the number of bytes. */
static size_t
parse_hex(const char *hex, uint8_t *buf, size_t size)
{
	size_t n = 0;
	char *end;

	while (*hex != '\0') {
		assert_true(n < size);
		buf[n++] = (uint8_t)strtoul(hex, &end, 16);
		assert_ptr_equal(end, hex + 2);
		hex = end + (*end == ' ');
	}
	return n;
}

/* Decodes HEX with both levels, which must take all of it. */
static struct ks_insn
decode(const char *hex, bool mode64, struct ks_dec *d)
{
	uint8_t buf[16];
	size_t n = parse_hex(hex, buf, sizeof(buf));
	struct ks_insn in;

	assert_int_equal(mode64 ? ks_decode64(buf, n, d) :
	    ks_decode32(buf, n, d), n);
	assert_int_equal(d->len, n);
	assert_int_equal(ks_insn_decode(buf, n, mode64, &in), KS_OK);
	assert_int_equal(in.len, n);
	assert_int_equal(in.flow, d->flow);
	return in;
}

static struct ks_insn
decode64(const char *hex)
{
	struct ks_dec d;

	return decode(hex, true, &d);
}

/* --- the table ------------------------------------------------------------ */

struct row {
	const char	*text, *hex, *kind, *classes, *isa;
	bool		 aligned, mode64;
};

static const struct row simd_rows[] = {
#define SIMD64(t, h, k, c, i, a)	{ t, h, k, c, i, a, true },
#define SIMD32(t, h, k, c, i, a)	{ t, h, k, c, i, a, false },
#define NONE64(t, h)
#define NONE32(t, h)
#include "insn_table.def"
#undef SIMD64
#undef SIMD32
#undef NONE64
#undef NONE32
};

static const struct row none_rows[] = {
#define SIMD64(t, h, k, c, i, a)
#define SIMD32(t, h, k, c, i, a)
#define NONE64(t, h)	{ t, h, "none", "", "", false, true },
#define NONE32(t, h)	{ t, h, "none", "", "", false, false },
#include "insn_table.def"
};

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static void
check_row(const struct row *r)
{
	static const char *const kinds[] = {
		[KS_SIMD_NONE] = "none", [KS_SIMD_USE] = "use",
		[KS_SIMD_SAVE] = "save", [KS_SIMD_RESTORE] = "restore",
	};
	char classes[128], isa[512], got[1024], want[1024];
	struct ks_dec d;
	struct ks_insn in = decode(r->hex, r->mode64, &d);

	snprintf(got, sizeof(got), "%s: %s %s [%s] [%s]%s%s", r->text,
	    d.flags & KS_DEC_SIMD ? "simd" : "none", kinds[in.simd],
	    ks_regclass_print(in.classes, classes, sizeof(classes)),
	    ks_isa_print(in.isa, isa, sizeof(isa)),
	    in.aligned ? " aligned" : "", in.emms ? " emms" : "");
	snprintf(want, sizeof(want), "%s: %s %s [%s] [%s]%s%s", r->text,
	    strcmp(r->kind, "none") == 0 ? "none" : "simd", r->kind,
	    r->classes, r->isa, r->aligned ? " aligned" : "",
	    strstr(r->text, "emms") != NULL ? " emms" : "");
	assert_string_equal(got, want);
}

static void
simd_state_by_encoding(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(simd_rows); i++)
		check_row(&simd_rows[i]);
}

static void
no_simd_state_by_encoding(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(none_rows); i++)
		check_row(&none_rows[i]);
}

/* --- bytes that are no instruction --------------------------------------- */

static void
check_bad(const char *hex, bool mode64, unsigned first_level)
{
	uint8_t buf[32];
	size_t n = parse_hex(hex, buf, sizeof(buf));
	struct ks_dec d;
	struct ks_insn in;
	char text[64];

	assert_int_equal(ks_insn_decode(buf, n, mode64, &in), KS_EPARSE);
	assert_int_equal(mode64 ? ks_decode64(buf, n, &d) :
	    ks_decode32(buf, n, &d), first_level);
	assert_string_equal(ks_insn_text(buf, n, mode64, text, sizeof(text)),
	    "(bad)");
}

static void
undecodable_bytes(void **state)
{
	(void)state;
	check_bad("", true, 0);
	check_bad("06", true, 0);			/* push %es */
	check_bad("82 c0 01", true, 0);
	check_bad("d6", true, 0);
	check_bad("ff ff", true, 0);			/* group 5, /7 */
	check_bad("fe d0", true, 0);
	check_bad("8f c8", true, 0);			/* cut XOP */
	check_bad("0f 0a", true, 0);
	check_bad("0f 04", false, 0);
	check_bad("48 8b", true, 0);			/* cut */
	check_bad("e8 00 00 00", true, 0);
	check_bad("c7 f9 00 00 00 00", true, 0);	/* near xbegin */
	check_bad("0f b8 c0", true, 0);			/* popcnt less F3 */
	check_bad("66 c5 f8 58 c0", true, 0);		/* 66 before VEX */
	check_bad("48 c5 f8 58 c0", true, 0);		/* REX before VEX */
	/* Fifteen bytes are the limit. */
	check_bad("66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", true, 0);
	check_bad("2e 2e 2e 2e 2e 2e 2e 2e 2e 2e 2e 81 c0 00 00 00 00", true,
	    0);
	check_bad("2e 2e 2e 2e 2e 2e 2e 2e 2e 2e 81 c0 00 00 00 00", true, 0);
	/* Knights Corner: popcnt, jkzd, vprefetch with VEX. */
	check_bad("c5 fa b8 fc", true, 0);
	check_bad("c5 f8 84 00 00 00 00", true, 0);
	check_bad("c4 e1 78 18 47 9e", true, 0);
	/* VEX that nobody has defined: SIMD to the first level, no more. */
	check_bad("c4 e2 7b 77 c1", true, 5);
	check_bad("62 f2 7b 08 77 c1", true, 6);
	/* Of registers only; of memory only. */
	check_bad("c4 e2 7f cc 07", true, 5);
	check_bad("c4 e2 7e b0 c1", true, 5);
	/* sha512 with a field that must be all ones; 64-bit only. */
	check_bad("c4 e2 77 cc c1", true, 5);
	check_bad("f2 0f 01 ca", false, 4);
}

static void
fifteen_bytes_are_allowed(void **state)
{
	struct ks_insn in;

	(void)state;
	in = decode64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 90");
	assert_int_equal(in.op, KS_OP_NOP);
	in = decode64("2e 2e 2e 2e 2e 2e 2e 2e 2e 81 c0 01 00 00 00");
	assert_int_equal(in.op, KS_OP_ADD);
}

/* --- first level: flow and stack ----------------------------------------- */

static void
check_flow(const char *hex, bool mode64, unsigned flow, int32_t rel,
    unsigned rel_off, unsigned rel_len)
{
	struct ks_dec d;
	struct ks_insn in = decode(hex, mode64, &d);

	assert_int_equal(d.flow, flow);
	assert_int_equal(d.rel, rel);
	assert_int_equal(d.rel_off, rel_off);
	assert_int_equal(in.rel, rel);
	assert_int_equal(in.rel_off, rel_off);
	assert_int_equal(in.rel_len, rel_len);
}

static void
control_flow(void **state)
{
	(void)state;
	check_flow("90", true, KS_FLOW_NEXT, 0, 0, 0);
	check_flow("74 fe", true, KS_FLOW_JCC, -2, 1, 1);
	check_flow("0f 84 00 01 00 00", true, KS_FLOW_JCC, 256, 2, 4);
	check_flow("2e 0f 84 00 01 00 00", true, KS_FLOW_JCC, 256, 3, 4);
	check_flow("66 0f 84 00 01", false, KS_FLOW_JCC, 256, 3, 2);
	check_flow("e3 10", true, KS_FLOW_JCC, 16, 1, 1);
	check_flow("e2 80", true, KS_FLOW_JCC, -128, 1, 1);
	check_flow("eb 7f", true, KS_FLOW_JMP, 127, 1, 1);
	check_flow("e9 fb ff ff ff", true, KS_FLOW_JMP, -5, 1, 4);
	check_flow("e9 fb ff ff ff", false, KS_FLOW_JMP, -5, 1, 4);
	check_flow("e8 00 00 00 80", true, KS_FLOW_CALL, INT32_MIN, 1, 4);
	check_flow("66 66 48 e8 04 03 02 01", true, KS_FLOW_CALL, 0x01020304,
	    4, 4);
	check_flow("ff e0", true, KS_FLOW_IJMP, 0, 0, 0);
	check_flow("ff 24 c5 00 00 00 00", true, KS_FLOW_IJMP, 0, 0, 0);
	check_flow("3e ff e0", true, KS_FLOW_IJMP, 0, 0, 0);
	check_flow("41 ff d3", true, KS_FLOW_ICALL, 0, 0, 0);
	check_flow("ff 15 00 00 00 00", true, KS_FLOW_ICALL, 0, 0, 0);
	check_flow("9a 78 56 34 12 10 00", false, KS_FLOW_ICALL, 0, 0, 0);
	check_flow("ea 78 56 34 12 10 00", false, KS_FLOW_IJMP, 0, 0, 0);
	check_flow("c3", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("f3 c3", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("c2 08 00", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("cb", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("48 cf", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("48 0f 07", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("48 0f 35", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("f3 0f 01 ec", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("f2 0f 01 ca", true, KS_FLOW_RET, 0, 0, 0);
	check_flow("0f 0b", true, KS_FLOW_TRAP, 0, 0, 0);
	check_flow("0f b9 c8", true, KS_FLOW_TRAP, 0, 0, 0);
	check_flow("0f ff c8", true, KS_FLOW_TRAP, 0, 0, 0);
	check_flow("cc", true, KS_FLOW_BREAK, 0, 0, 0);
	check_flow("cd 80", true, KS_FLOW_NEXT, 0, 0, 0);
	check_flow("f4", true, KS_FLOW_HLT, 0, 0, 0);
	check_flow("c7 f8 fa ff ff ff", true, KS_FLOW_XBEGIN, -6, 2, 4);
	check_flow("0f 05", true, KS_FLOW_NEXT, 0, 0, 0);
	/* push through memory and inc are group 5, too */
	check_flow("ff 75 f8", true, KS_FLOW_NEXT, 0, 0, 0);
	check_flow("d5 00 a1 08 07 06 05 04 03 02 01", true, KS_FLOW_IJMP, 0,
	    0, 0);
	check_flow("d5 10 ff d0", true, KS_FLOW_ICALL, 0, 0, 0);
}

static void
check_stack(const char *hex, bool mode64, unsigned flags)
{
	struct ks_dec d;

	decode(hex, mode64, &d);
	assert_int_equal(d.flags & (KS_DEC_BELOW_SP | KS_DEC_BELOW_BP), flags);
}

static void
below_the_stack_pointer(void **state)
{
	const unsigned sp = KS_DEC_BELOW_SP;
	const unsigned bp = KS_DEC_BELOW_SP | KS_DEC_BELOW_BP;

	(void)state;
	check_stack("48 89 44 24 f8", true, sp);	/* mov %rax,-8(%rsp) */
	check_stack("89 44 24 f8", false, sp);
	check_stack("48 89 44 24 08", true, 0);
	check_stack("48 89 04 24", true, 0);
	check_stack("48 83 8c 24 00 f0 ff ff 00", true, sp);	/* or */
	check_stack("48 89 84 24 00 10 00 00", true, 0);
	check_stack("48 89 45 f8", true, bp);		/* -8(%rbp) */
	check_stack("48 8b 85 00 ff ff ff", true, bp);
	check_stack("48 89 45 08", true, 0);
	check_stack("48 8d 44 24 f8", true, 0);		/* lea */
	check_stack("48 8d 45 f8", true, 0);
	check_stack("49 89 45 f8", true, 0);		/* -8(%r13) */
	check_stack("49 89 44 24 f8", true, 0);		/* -8(%r12) */
	check_stack("48 89 44 18 f8", true, 0);		/* -8(%rax,%rbx) */
	check_stack("48 89 44 c4 f8", true, sp);	/* -8(%rsp,%rax,8) */
	check_stack("48 89 44 c5 f8", true, bp);	/* -8(%rbp,%rax,8) */
	check_stack("4a 89 44 c5 f8", true, bp);	/* index r8 */
	check_stack("48 89 43 f8", true, 0);		/* -8(%rbx) */
	check_stack("66 0f 7f 44 24 f0", true, sp);	/* movdqa */
	check_stack("f3 44 0f 7f 45 f0", true, bp);	/* movdqu %xmm8 */
	check_stack("c5 fe 7f 44 24 e0", true, sp);	/* vmovdqu */
	check_stack("c4 c1 7e 7f 44 24 e0", true, 0);	/* -32(%r12) */
	check_stack("62 f1 fe 48 7f 44 24 ff", true, sp);
	check_stack("62 d1 fe 48 7f 44 24 ff", true, 0);
	check_stack("64 48 8b 44 24 f8", true, sp);
	check_stack("48 83 45 f8 01", true, bp);	/* addq $1 */
	check_stack("c7 44 24 fc 01 00 00 00", true, sp);
	check_stack("f7 44 24 fc 01 00 00 00", true, sp);	/* test */
	check_stack("67 89 46 f8", false, 0);		/* -8(%bp) */
	check_stack("48 c7 c0 f8 ff ff ff", true, 0);
}

/* --- second level: operations and operands ------------------------------- */

#define BIT(r)	(1u << KS_##r)

static void
check_masks(const struct ks_insn *in, unsigned read, unsigned write)
{
	assert_int_equal(in->gpr_read, read);
	assert_int_equal(in->gpr_write, write);
}

static void
check_reg(const struct ks_opnd *o, unsigned reg, unsigned bits, bool read,
    bool write)
{
	assert_int_equal(o->kind, KS_OPND_REG);
	assert_int_equal(o->reg, reg);
	assert_int_equal(o->bits, bits);
	assert_int_equal(o->read, read);
	assert_int_equal(o->write, write);
}

static void
check_imm(const struct ks_opnd *o, int64_t val, unsigned off, unsigned len)
{
	assert_int_equal(o->kind, KS_OPND_IMM);
	assert_true(o->val == val);
	assert_int_equal(o->val_off, off);
	assert_int_equal(o->val_len, len);
}

static void
check_mem(const struct ks_opnd *o, unsigned base, unsigned index,
    unsigned scale, int64_t disp, unsigned bits)
{
	assert_int_equal(o->kind, KS_OPND_MEM);
	assert_int_equal(o->reg, base);
	assert_int_equal(o->index, index);
	assert_int_equal(o->scale, scale);
	assert_true(o->val == disp);
	assert_int_equal(o->bits, bits);
}

static void
moves(void **state)
{
	struct ks_insn in;

	(void)state;
	in = decode64("48 89 d8");			/* mov %rbx,%rax */
	assert_int_equal(in.op, KS_OP_MOV);
	assert_int_equal(in.nopnd, 2);
	check_reg(&in.opnd[0], KS_RAX, 64, false, true);
	check_reg(&in.opnd[1], KS_RBX, 64, true, false);
	check_masks(&in, BIT(RBX), BIT(RAX));
	assert_false(in.writes_flags);

	in = decode64("4c 8b 6c cb f0");	/* mov -16(%rbx,%rcx,8),%r13 */
	assert_int_equal(in.op, KS_OP_MOV);
	check_reg(&in.opnd[0], KS_R13, 64, false, true);
	check_mem(&in.opnd[1], KS_RBX, KS_RCX, 8, -16, 64);
	assert_int_equal(in.opnd[1].val_off, 4);
	assert_int_equal(in.opnd[1].val_len, 1);
	assert_true(in.opnd[1].read && !in.opnd[1].write);
	check_masks(&in, BIT(RBX) | BIT(RCX), BIT(R13));

	in = decode64("88 25 04 03 02 01");	/* mov %ah,0x1020304(%rip) */
	check_mem(&in.opnd[0], KS_RIP, KS_NOREG, 1, 0x01020304, 8);
	assert_int_equal(in.opnd[0].val_off, 2);
	assert_int_equal(in.opnd[0].val_len, 4);
	assert_true(in.opnd[0].write && !in.opnd[0].read);
	check_reg(&in.opnd[1], KS_RAX, 8, true, false);
	assert_true(in.opnd[1].high8);
	check_masks(&in, BIT(RAX), 0);

	in = decode64("40 88 e7");			/* mov %spl,%dil */
	check_reg(&in.opnd[0], KS_RDI, 8, false, true);
	check_reg(&in.opnd[1], KS_RSP, 8, true, false);
	assert_false(in.opnd[1].high8);

	in = decode64("b8 ff ff ff ff");		/* mov $-1,%eax */
	check_reg(&in.opnd[0], KS_RAX, 32, false, true);
	check_imm(&in.opnd[1], -1, 1, 4);

	in = decode64("48 b9 08 07 06 05 04 03 02 01");
	assert_int_equal(in.op, KS_OP_MOV);
	check_reg(&in.opnd[0], KS_RCX, 64, false, true);
	check_imm(&in.opnd[1], 0x0102030405060708, 2, 8);

	in = decode64("c7 44 24 08 78 56 34 12");	/* movl $,8(%rsp) */
	check_mem(&in.opnd[0], KS_RSP, KS_NOREG, 1, 8, 32);
	assert_int_equal(in.opnd[0].val_off, 3);
	check_imm(&in.opnd[1], 0x12345678, 4, 4);

	in = decode64("65 48 8b 04 25 28 00 00 00");	/* mov %gs:0x28,%rax */
	check_mem(&in.opnd[1], KS_NOREG, KS_NOREG, 1, 0x28, 64);
	assert_int_equal(in.opnd[1].seg, 'g');
	in = decode64("64 8b 00");
	assert_int_equal(in.opnd[1].seg, 'f');
	in = decode64("8b 00");
	assert_int_equal(in.opnd[1].seg, 0);

	in = decode64("48 a1 08 07 06 05 04 03 02 01");	/* movabs mem,%rax */
	assert_int_equal(in.op, KS_OP_MOV);
	check_reg(&in.opnd[0], KS_RAX, 64, false, true);
	check_mem(&in.opnd[1], KS_NOREG, KS_NOREG, 1, 0x0102030405060708, 64);
	assert_int_equal(in.opnd[1].val_off, 2);
	assert_int_equal(in.opnd[1].val_len, 8);

	in = decode64("8e d8");				/* mov %eax,%ds */
	assert_int_equal(in.op, KS_OP_MOV);
	assert_int_equal(in.opnd[0].kind, KS_OPND_OTHER);
	check_masks(&in, BIT(RAX), 0);
}

static void
extensions(void **state)
{
	struct ks_insn in;

	(void)state;
	in = decode64("0f b6 c1");			/* movzbl %cl,%eax */
	assert_int_equal(in.op, KS_OP_MOVZX);
	check_reg(&in.opnd[0], KS_RAX, 32, false, true);
	check_reg(&in.opnd[1], KS_RCX, 8, true, false);
	in = decode64("48 63 d0");			/* movslq %eax,%rdx */
	assert_int_equal(in.op, KS_OP_MOVSX);
	check_reg(&in.opnd[0], KS_RDX, 64, false, true);
	check_reg(&in.opnd[1], KS_RAX, 32, true, false);
	in = decode64("0f bf 07");			/* movswl (%rdi),%eax */
	assert_int_equal(in.op, KS_OP_MOVSX);
	check_mem(&in.opnd[1], KS_RDI, KS_NOREG, 1, 0, 16);

	in = decode64("48 98");				/* cdqe */
	assert_int_equal(in.op, KS_OP_MOVSX);
	assert_int_equal(in.nopnd, 2);
	check_reg(&in.opnd[0], KS_RAX, 64, false, true);
	check_reg(&in.opnd[1], KS_RAX, 32, true, false);
	check_masks(&in, BIT(RAX), BIT(RAX));
	in = decode64("98");				/* cwde */
	check_reg(&in.opnd[0], KS_RAX, 32, false, true);
	check_reg(&in.opnd[1], KS_RAX, 16, true, false);
	in = decode64("66 98");				/* cbw */
	check_reg(&in.opnd[0], KS_RAX, 16, false, true);
	check_reg(&in.opnd[1], KS_RAX, 8, true, false);
	in = decode64("48 99");				/* cqo */
	assert_int_equal(in.op, KS_OP_OTHER);
	check_masks(&in, BIT(RAX), BIT(RDX));
}

static void
arithmetic(void **state)
{
	static const struct {
		const char	*hex;
		uint8_t		 op;
	} rows[] = {
		{ "01 d8", KS_OP_ADD }, { "29 d8", KS_OP_SUB },
		{ "21 d8", KS_OP_AND }, { "09 d8", KS_OP_OR },
		{ "31 d8", KS_OP_XOR }, { "ff c0", KS_OP_INC },
		{ "ff c8", KS_OP_DEC }, { "f7 d8", KS_OP_NEG },
		{ "f7 d0", KS_OP_NOT }, { "c1 e0 03", KS_OP_SHL },
		{ "c1 e8 03", KS_OP_SHR }, { "c1 f8 03", KS_OP_SAR },
		{ "39 d8", KS_OP_CMP }, { "85 db", KS_OP_TEST },
		{ "0f ba e0 03", KS_OP_BT }, { "93", KS_OP_XCHG },
		{ "11 d8", KS_OP_OTHER }, { "f7 e3", KS_OP_OTHER },
		{ "0f ba e8 03", KS_OP_OTHER }, { "0f c1 d8", KS_OP_OTHER },
	};
	struct ks_insn in;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		in = decode64(rows[i].hex);
		assert_int_equal(in.op, rows[i].op);
		assert_int_equal(in.writes_flags, in.op != KS_OP_NOT &&
		    in.op != KS_OP_XCHG);
	}
	in = decode64("48 83 e4 f0");			/* and $-16,%rsp */
	check_reg(&in.opnd[0], KS_RSP, 64, true, true);
	check_imm(&in.opnd[1], -16, 3, 1);
	check_masks(&in, BIT(RSP), BIT(RSP));
	in = decode64("48 81 ec 00 10 00 00");		/* sub $4096,%rsp */
	assert_int_equal(in.op, KS_OP_SUB);
	check_imm(&in.opnd[1], 4096, 3, 4);
	in = decode64("d1 e8");				/* shr $1,%eax */
	assert_int_equal(in.op, KS_OP_SHR);
	check_imm(&in.opnd[1], 1, 0, 0);
	in = decode64("f6 45 08 80");		/* testb $0x80,8(%rbp) */
	assert_int_equal(in.op, KS_OP_TEST);
	check_mem(&in.opnd[0], KS_RBP, KS_NOREG, 1, 8, 8);
	check_imm(&in.opnd[1], -128, 3, 1);
	assert_true(in.opnd[0].read && !in.opnd[0].write);
	in = decode64("66 3d 34 12");			/* cmp $0x1234,%ax */
	check_reg(&in.opnd[0], KS_RAX, 16, true, false);
	check_imm(&in.opnd[1], 0x1234, 2, 2);
	in = decode64("f7 e3");				/* mul %ebx */
	check_masks(&in, BIT(RAX) | BIT(RBX), BIT(RAX) | BIT(RDX));
	in = decode64("f0 0f b1 0f");		/* lock cmpxchg %ecx,(%rdi) */
	check_masks(&in, BIT(RAX) | BIT(RCX) | BIT(RDI), BIT(RAX));
	in = decode64("48 8d 44 24 10");		/* lea 16(%rsp),%rax */
	assert_int_equal(in.op, KS_OP_LEA);
	check_mem(&in.opnd[1], KS_RSP, KS_NOREG, 1, 16, 64);
	assert_false(in.opnd[1].read || in.opnd[1].write);
	assert_false(in.writes_flags);
	check_masks(&in, BIT(RSP), BIT(RAX));
}

static void
conditions(void **state)
{
	struct ks_insn in;
	char hex[16];

	(void)state;
	for (unsigned cc = 0; cc < 16; cc++) {
		snprintf(hex, sizeof(hex), "%02x 10", 0x70 + cc);
		in = decode64(hex);
		assert_int_equal(in.op, KS_OP_JCC);
		assert_int_equal(in.cc, cc);
		snprintf(hex, sizeof(hex), "0f %02x c1", 0x90 + cc);
		in = decode64(hex);
		assert_int_equal(in.op, KS_OP_SETCC);
		assert_int_equal(in.cc, cc);
		check_reg(&in.opnd[0], KS_RCX, 8, false, true);
		snprintf(hex, sizeof(hex), "0f %02x c1", 0x40 + cc);
		in = decode64(hex);
		assert_int_equal(in.op, KS_OP_CMOVCC);
		assert_int_equal(in.cc, cc);
		assert_true(in.gpr_write & BIT(RAX));
	}
	in = decode64("0f 85 00 00 00 00");
	assert_int_equal(in.cc, KS_CC_NE);
	in = decode64("e3 10");				/* jrcxz */
	assert_int_equal(in.op, KS_OP_JCC);
	assert_int_equal(in.cc, KS_CC_NONE);
	check_masks(&in, BIT(RCX), 0);
	in = decode64("e2 10");				/* loop */
	assert_int_equal(in.op, KS_OP_JCC);
	assert_int_equal(in.cc, KS_CC_NONE);
	check_masks(&in, BIT(RCX), BIT(RCX));
	in = decode64("01 d8");
	assert_int_equal(in.cc, KS_CC_NONE);
}

static void
stack_and_calls(void **state)
{
	struct ks_insn in;

	(void)state;
	in = decode64("41 54");				/* push %r12 */
	assert_int_equal(in.op, KS_OP_PUSH);
	assert_int_equal(in.opnd[0].reg, KS_R12);
	check_masks(&in, BIT(R12) | BIT(RSP), BIT(RSP));
	in = decode64("6a ff");				/* push $-1 */
	assert_int_equal(in.op, KS_OP_PUSH);
	check_imm(&in.opnd[0], -1, 1, 1);
	in = decode64("5b");				/* pop %rbx */
	assert_int_equal(in.op, KS_OP_POP);
	check_masks(&in, BIT(RSP), BIT(RBX) | BIT(RSP));
	in = decode64("c9");				/* leave */
	assert_int_equal(in.op, KS_OP_LEAVE);
	assert_true(in.gpr_write & BIT(RBP));
	assert_true(in.gpr_write & BIT(RSP));
	assert_true(in.gpr_read & BIT(RBP));
	in = decode64("e8 10 00 00 00");
	assert_int_equal(in.op, KS_OP_CALL);
	check_masks(&in, BIT(RSP), BIT(RSP));
	in = decode64("ff 50 08");			/* call *8(%rax) */
	assert_int_equal(in.op, KS_OP_CALL);
	check_mem(&in.opnd[0], KS_RAX, KS_NOREG, 1, 8, 64);
	assert_true(in.gpr_read & BIT(RAX));
	in = decode64("ff e2");				/* jmp *%rdx */
	assert_int_equal(in.op, KS_OP_JMP);
	assert_int_equal(in.opnd[0].reg, KS_RDX);
	in = decode64("c3");
	assert_int_equal(in.op, KS_OP_RET);
	check_masks(&in, BIT(RSP), BIT(RSP));
}

static void
other_operations(void **state)
{
	static const struct {
		const char	*hex;
		uint8_t		 op;
	} rows[] = {
		{ "90", KS_OP_NOP }, { "f3 90", KS_OP_NOP },
		{ "f3 0f 1e fa", KS_OP_NOP }, { "0f 18 07", KS_OP_NOP },
		{ "66 2e 0f 1f 84 00 00 00 00 00", KS_OP_NOP },
		{ "0f 0d 0f", KS_OP_NOP }, { "0f a2", KS_OP_CPUID },
		{ "0f 01 d0", KS_OP_XGETBV }, { "0f 0b", KS_OP_UD },
		{ "0f b9 c8", KS_OP_UD }, { "cc", KS_OP_INT3 },
		{ "f4", KS_OP_HLT }, { "fa", KS_OP_OTHER },
		{ "66 0f 6f c1", KS_OP_OTHER },
	};
	struct ks_insn in;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		in = decode64(rows[i].hex);
		assert_int_equal(in.op, rows[i].op);
	}
	in = decode64("0f a2");
	check_masks(&in, BIT(RAX) | BIT(RCX),
	    BIT(RAX) | BIT(RBX) | BIT(RCX) | BIT(RDX));
	in = decode64("0f 01 d0");
	check_masks(&in, BIT(RCX), BIT(RAX) | BIT(RDX));
	in = decode64("0f 05");				/* syscall */
	assert_true((in.gpr_write & (BIT(RCX) | BIT(R11))) ==
	    (BIT(RCX) | BIT(R11)));
	in = decode64("f3 48 ab");			/* rep stosq */
	assert_true(in.rep);
	check_masks(&in, BIT(RAX) | BIT(RCX) | BIT(RDI),
	    BIT(RCX) | BIT(RDI));
	in = decode64("48 ab");				/* stosq */
	assert_false(in.rep);
	check_masks(&in, BIT(RAX) | BIT(RDI), BIT(RDI));
	in = decode64("f3 0f b8 c1");			/* popcnt */
	assert_false(in.rep);
	in = decode64("66 48 0f 7e c1");		/* movq %xmm0,%rcx */
	check_reg(&in.opnd[0], KS_RCX, 64, false, true);
	assert_int_equal(in.opnd[1].kind, KS_OPND_OTHER);
	check_masks(&in, 0, BIT(RCX));
	in = decode64("62 f1 fd 4b 6f 47 02");	/* vmovdqa64 128(%rdi),.. */
	assert_int_equal(in.nopnd, 2);
	check_mem(&in.opnd[1], KS_RDI, KS_NOREG, 1, 128, 512);
	assert_int_equal(in.opnd[1].val_off, 6);
	assert_int_equal(in.opnd[1].val_len, 1);
}

/* What Zydis 4.0 cannot decode has its operands from own tables. */
static void
young_instructions(void **state)
{
	struct ks_insn in;

	(void)state;
	/* vpdpbssds 64(%rsp,%rcx,8), %ymm9, %ymm8 */
	in = decode64("c4 62 37 51 44 cc 40");
	assert_int_equal(in.nopnd, 1);
	check_mem(&in.opnd[0], KS_RSP, KS_RCX, 8, 64, 256);
	assert_int_equal(in.opnd[0].val_off, 6);
	check_masks(&in, BIT(RSP) | BIT(RCX), 0);
	/* vpmadd52huq 16(%rip), %xmm1, %xmm0 */
	in = decode64("c4 e2 f1 b5 05 10 00 00 00");
	check_mem(&in.opnd[0], KS_RIP, KS_NOREG, 1, 16, 128);
	assert_int_equal(in.opnd[0].val_off, 5);
	/* cmpoxadd %rax, %r9, (%r12) */
	in = decode64("c4 42 f9 e0 0c 24");
	assert_int_equal(in.op, KS_OP_OTHER);
	check_masks(&in, BIT(RAX) | BIT(R9) | BIT(R12), BIT(R9));
	assert_true(in.writes_flags);
	assert_true(in.opnd[0].read && in.opnd[0].write);
	/* aaddq %rcx, %fs:-8(%rbp) */
	in = decode64("64 48 0f 38 fc 4d f8");
	check_mem(&in.opnd[0], KS_RBP, KS_NOREG, 1, -8, 64);
	assert_int_equal(in.opnd[0].seg, 'f');
	check_masks(&in, BIT(RCX) | BIT(RBP), 0);
	/* urdmsr %rax, %rcx; urdmsr $0x1234, %rax; wrmsrns */
	in = decode64("f2 0f 38 f8 c8");
	assert_int_equal(in.simd, KS_SIMD_NONE);
	assert_int_equal(in.gpr_read | in.gpr_write, BIT(RAX) | BIT(RCX));
	in = decode64("c4 e7 7b f8 c0 34 12 00 00");
	check_masks(&in, 0, BIT(RAX));
	in = decode64("0f 01 c6");
	check_masks(&in, BIT(RAX) | BIT(RCX) | BIT(RDX), 0);
	/* APX: add %rax,%rcx with REX2 but no high register */
	in = decode64("d5 08 01 c1");
	assert_int_equal(in.op, KS_OP_ADD);
	check_masks(&in, BIT(RAX) | BIT(RCX), BIT(RCX));
	in = decode64("d5 08 8b 43 10");
	check_mem(&in.opnd[1], KS_RBX, KS_NOREG, 1, 16, 64);
	assert_int_equal(in.opnd[1].val_off, 4);
	/* with one: anything may have been read and written */
	in = decode64("d5 18 01 c1");
	assert_int_equal(in.op, KS_OP_OTHER);
	check_masks(&in, 0xffff, 0xffff);
}

static void
text(void **state)
{
	static const struct {
		const char	*hex, *text;
	} rows[] = {
		{ "66 0f 7f 04 24", "movdqa %xmm0, (%rsp)" },
		{ "f3 0f 10 00", "movss (%rax), %xmm0" },
		{ "62 61 fe 48 6f 3e", "vmovdqu64 (%rsi), %zmm31" },
		{ "83 07 01", "addl $0x01, (%rdi)" },
		{ "c5 f8 77", "vzeroupper" },
		{ "c4 e2 74 50 c2", "vpdpbuud" },
		{ "d5 18 01 c1", "(apx)" },
		{ "06", "(bad)" },
	};
	char buf[64];
	uint8_t b[16];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t n = parse_hex(rows[i].hex, b, sizeof(b));

		assert_string_equal(ks_insn_text(b, n, true, buf,
		    sizeof(buf)), rows[i].text);
	}
	parse_hex(rows[0].hex, b, sizeof(b));
	assert_string_equal(ks_insn_text(b, 5, true, buf, 7), "movdqa");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simd_state_by_encoding),
		cmocka_unit_test(no_simd_state_by_encoding),
		cmocka_unit_test(undecodable_bytes),
		cmocka_unit_test(fifteen_bytes_are_allowed),
		cmocka_unit_test(control_flow),
		cmocka_unit_test(below_the_stack_pointer),
		cmocka_unit_test(moves),
		cmocka_unit_test(extensions),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(conditions),
		cmocka_unit_test(stack_and_calls),
		cmocka_unit_test(other_operations),
		cmocka_unit_test(young_instructions),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
