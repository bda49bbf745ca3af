/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline assembly: what its text, constraints and clobbers touch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "ks/asm.h"
#include "ks/graph.h"

static struct ks_asm
text(const char *s, const char *mark)
{
	struct ks_asm a = { .x86 = true };

	ks_asm_text(&a, s, strlen(s), mark);
	return (a);
}

static struct ks_asm
constraint(const char *s, bool x86)
{
	struct ks_asm a = { .x86 = x86 };

	ks_asm_constraint(&a, s, strlen(s));
	return (a);
}

static struct ks_asm
clobber(const char *s, bool x86)
{
	struct ks_asm a = { .x86 = x86 };

	ks_asm_clobber(&a, s, strlen(s));
	return (a);
}

/* inc %eax, where a 64-bit CPU has a prefix. */
static void
bits(void **state)
{
	static const char inc[] = ".byte 0x40; movl %eax, %ecx",
	    lone[] = ".byte 0x40,0x62,0x01,0x90";	/* inc; bound */
	struct ks_asm a = { .x86 = true, .i386 = true };

	(void)state;
	ks_asm_text(&a, inc, strlen(inc), "%");
	assert_int_equal(ks_asm_event(&a), KS_EV_NOP);
	ks_asm_text(&a, lone, strlen(lone), "%");
	assert_int_equal(ks_asm_event(&a), KS_EV_NOP);
	a.i386 = false;
	ks_asm_text(&a, lone, strlen(lone), "%");
	assert_int_equal(ks_asm_event(&a), KS_EV_SIMD);
}

static void
texts(void **state)
{
	static const struct {
		const char *text, *mark;
		int	 event;
		unsigned classes;
	} rows[] = {
		{ "pause", "%", KS_EV_NOP, 0 },
		{ "movdqa (%rax), %xmm1", "%", KS_EV_SIMD, KS_RC_XMM },
		{ "MOVDQA %0, %%XMM1", "%%", KS_EV_SIMD, KS_RC_XMM },
		/* Operand 1 by its 32-bit name. */
		{ "mov %k1, %0", "%%", KS_EV_NOP, 0 },
		{ "kmovq %k1, %rax", "%", KS_EV_SIMD, KS_RC_MASK },
		{ "fadd %st(1)", "%", KS_EV_SIMD, KS_RC_X87 },
		{ "mov %gs:0, %0 /* %xmm0 */; nop", "%", KS_EV_NOP, 0 },
		{ "1: fxsave (%0)", "%%", KS_EV_SAVE, KS_RC_XMM },
		{ "fxsave (%0)\n\tfninit", "%%", KS_EV_RESTORE,
		    KS_RC_XMM | KS_RC_X87 },
		{ "fnstcw %0; fld1", "%%", KS_EV_SIMD, KS_RC_X87 },
		{ "vstmxcsr %0", "%%", KS_EV_SAVE, KS_RC_MXCSR },
		{ "rep xstorerng", "%", KS_EV_SIMD, KS_RC_UNIT },
		{ ".byte 0xf3,0x0F,0xA7,0xc8", "%", KS_EV_SIMD, KS_RC_UNIT },
		/* stac; monitor; pconfig; a long nop; rdpid; ud1 with a string */
		{ ".byte 0x0f,0x01,0xcb", "%", KS_EV_NOP, 0 },
		{ "sti; .byte 0x0f, 0x01, 0xc9;", "%", KS_EV_NOP, 0 },
		{ "1: .byte 0x0f,0x1f,0x44,0,0", "%", KS_EV_NOP, 0 },
		{ ".byte 0xf3,0x0f,0xc7,0xf8 # xmm", "%", KS_EV_NOP, 0 },
		{ ".byte 0x66, 0x0f, 0xae, 0xf1\t\n", "%", KS_EV_NOP, 0 },
		/* pxor %xmm0,%xmm0; movaps; aesenc; vpxor; EVEX */
		{ ".byte 0x66,0x0f,0xef,0xc0", "%", KS_EV_SIMD, KS_RC_XMM },
		{ "nop; .byte 15; .byte 40, 0301", "%", KS_EV_SIMD,
		    KS_RC_XMM },
		{ ".byte 0x66,0xf,0x38,0xdc,0xc1", "%", KS_EV_SIMD,
		    KS_RC_XMM },
		{ ".long 0xc0eff9c5", "%", KS_EV_SIMD, KS_RC_YMM },
		{ ".byte 0x62; .byte 0xf1,0x7d,0x48,0xef,0xc0", "%",
		    KS_EV_SIMD, KS_RC_ZMM },
		{ ".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0", "%", KS_EV_SIMD,
		    KS_RC_TILE },	/* tilerelease */
		{ ".byte 0x9b", "%", KS_EV_SIMD, KS_RC_X87 },
		/* Behind an instruction of the run that is none. */
		{ ".byte 0x90, 0x66, 0x0f, 0xef, 0xc0", "%", KS_EV_SIMD,
		    KS_RC_XMM },
		/* xsave64 (%rdi), xrstor64, fxsave, ldmxcsr, xsaves, emms */
		{ ".byte 0x48,0x0f,0xae,0x27", "%", KS_EV_SAVE, KS_RC_XMM },
		{ ".byte 0x48,0x0f,0xae,0x2f", "%", KS_EV_RESTORE, KS_RC_XMM },
		{ ".byte 0x0f,0xae,0x07", "%", KS_EV_SAVE, KS_RC_XMM },
		{ ".byte 0x0f,0xae,0x17", "%", KS_EV_RESTORE, KS_RC_MXCSR },
		{ ".byte 0x48,0x0f,0xc7,0x2f", "%", KS_EV_SAVE, KS_RC_XMM },
		{ ".byte 0x0f,0x77", "%", KS_EV_RESTORE, KS_RC_MMX },
		{ ".byte 0xdb,0xe3", "%", KS_EV_RESTORE, KS_RC_X87 },
		{ ".byte 0xd9,0x3f", "%", KS_EV_SAVE, KS_RC_X87 },
		{ ".byte 0xd9,0xe8", "%", KS_EV_SIMD, KS_RC_X87 },
		/* A prefix of the next line's instruction. */
		{ ".byte 0x3e; clflush (%0)", "%%", KS_EV_NOP, 0 },
		{ ".byte 0x66; fxsave (%0)", "%%", KS_EV_SAVE, KS_RC_XMM },
		/* Where it goes is not known, what it is, is. */
		{ ".byte 0xe9; .long f - (. + 4)", "%", KS_EV_NOP, 0 },
		{ ".byte 0x48, 0x8d, 0x3d; .long f - .", "%", KS_EV_NOP, 0 },
		/* Nothing says what these are. */
		{ ".byte %c0", "%%", KS_EV_SIMD, KS_RC_XMM },
		{ ".byte 0x0f, f - 1, 0xc0", "%", KS_EV_SIMD, KS_RC_XMM },
		{ ".byte 0x0f, 0x04", "%", KS_EV_SIMD, KS_RC_XMM },
		{ ".byte 0x66, 0x0f", "%", KS_EV_SIMD, KS_RC_XMM },
		{ ".string \"f\"", "%", KS_EV_SIMD, KS_RC_XMM },
		/* Data, and code, beside the code. */
		{ ".pushsection __ex_table,\"a\"\n.byte 0x66,0x0f,0xef,0xc0\n"
		    ".string \"f\"\n.popsection\n.byte 0x90", "%",
		    KS_EV_NOP, 0 },
		{ ".pushsection __ex_table,\"a\"; .byte 1; .popsection; "
		    ".byte 0x66,0x0f,0xef,0xc0", "%", KS_EV_SIMD, KS_RC_XMM },
		{ ".pushsection .altinstr_replacement,\"ax\"\n"
		    ".byte 0x66,0x0f,0xef,0xc0\n.popsection", "%",
		    KS_EV_SIMD, KS_RC_XMM },
		{ ".section .parainstructions,\"a\"; .byte 15,40; .previous; "
		    ".byte 0x90", "%", KS_EV_NOP, 0 },
		{ "fence", "%", KS_EV_NOP, 0 },
		{ "start: jmp start", "%", KS_EV_NOP, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_asm a = text(rows[i].text, rows[i].mark);

		if (ks_asm_event(&a) != rows[i].event ||
		    a.classes != rows[i].classes)
			fail_msg("%s: event %d, classes %#x", rows[i].text,
			    ks_asm_event(&a), a.classes);
	}
}

static void
constraints(void **state)
{
	(void)state;
	assert_true(constraint("=x", true).uses);
	assert_true(constraint("+&v", true).uses);
	assert_true(constraint("=f", true).uses);
	assert_true(constraint("={xmm3}", true).uses);
	assert_true(constraint("={st(1)}", true).uses);
	assert_true(constraint("^Yz", true).uses);
	assert_int_equal(constraint("Yk", true).classes, KS_RC_MASK);
	assert_int_equal(constraint("y", true).classes, KS_RC_MMX);
	assert_false(constraint("=r", true).uses);
	assert_false(constraint("=*m", true).uses);
	assert_false(constraint("[fix]", true).uses);
	assert_false(constraint("={ax}", true).uses);
	assert_true(constraint("=w", false).uses);
	assert_true(constraint("=&x", false).uses);
	assert_true(constraint("={v7}", false).uses);
	assert_false(constraint("={x7}", false).uses);
	assert_false(constraint("=r", false).uses);
}

static void
clobbers(void **state)
{
	static const char *const none[] = { "memory", "cc", "dirflag",
	    "fpsr", "flags", "rax", "k", "stack" };

	(void)state;
	assert_true(clobber("xmm0", true).uses);
	assert_true(clobber("%ymm15", true).uses);
	assert_true(clobber("st", true).uses);
	assert_true(clobber("st(7)", true).uses);
	assert_true(clobber("mm3", true).uses);
	assert_true(clobber("k1", true).uses);
	assert_true(clobber("tmm1", true).uses);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(clobber(none[i], true).uses);
	assert_true(clobber("v0", false).uses);
	assert_true(clobber("q31", false).uses);
	assert_false(clobber("x0", false).uses);
	assert_false(clobber("memory", false).uses);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(bits),
		cmocka_unit_test(constraints),
		cmocka_unit_test(clobbers),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
