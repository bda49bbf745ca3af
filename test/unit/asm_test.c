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
		cmocka_unit_test(constraints),
		cmocka_unit_test(clobbers),
	};

	return (cmocka_run_group_tests(tests, NULL, NULL));
}
