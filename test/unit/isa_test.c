/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instruction sets and register classes: names, implications, text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ks/isa.h"

#define BIT(e)	KS_ISA_BIT(e)

static void
words_are_unique_and_found(void **state)
{
	(void)state;
	for (int i = 0; i < KS_ISA_MAX; i++) {
		const char *w = ks_isa_word(i);

		assert_true(strlen(w) > 0);
		assert_null(strchr(w, ','));
		assert_int_equal(ks_isa_find(w, strlen(w)), i);
		assert_int_equal(ks_isa_find(w, strlen(w) - 1) == i, 0);
	}
	assert_int_equal(ks_isa_find("avx2,aes", 4), KS_ISA_AVX2);
	assert_int_equal(ks_isa_find("avx2", 3), KS_ISA_AVX);
	assert_int_equal(ks_isa_find("AVX2", 4), -1);
	assert_int_equal(ks_isa_find("", 0), -1);
	assert_int_equal(ks_isa_find("sse5", 4), -1);
}

static void
flags(void **state)
{
	(void)state;
	assert_string_equal(ks_isa_flag(KS_ISA_SSE41), "-msse4.1");
	assert_string_equal(ks_isa_flag(KS_ISA_PCLMUL), "-mpclmul");
	assert_string_equal(ks_isa_flag(KS_ISA_X87), "-m80387");
	assert_null(ks_isa_flag(KS_ISA_OTHER));
	assert_null(ks_isa_flag(KS_ISA_NEON));
	assert_null(ks_isa_flag(KS_ISA_MAX));
	assert_string_equal(ks_isa_word(KS_ISA_MAX), "?");
}

/* gcc(1), "x86 Options": which option enables which other. */
static void
implications(void **state)
{
	static const struct {
		ks_isaset	set, implies, not;
	} rows[] = {
		{ BIT(SSE), BIT(MMX), BIT(SSE2) | BIT(X87) },
		{ BIT(SSE2), BIT(SSE), BIT(SSE3) },
		{ BIT(SSE42), BIT(SSE41) | BIT(SSSE3) | BIT(SSE3) | BIT(SSE2),
		    BIT(SSE4A) | BIT(AVX) },
		{ BIT(AES), BIT(SSE2), BIT(SSE3) | BIT(PCLMUL) },
		{ BIT(PCLMUL), BIT(SSE2), BIT(AES) },
		{ BIT(SHA), BIT(SSE2), BIT(SSSE3) },
		{ BIT(AVX), BIT(SSE42), BIT(AES) | BIT(AVX2) },
		{ BIT(AVX2), BIT(AVX) | BIT(SSE42), BIT(FMA) | BIT(F16C) },
		{ BIT(FMA), BIT(AVX), BIT(AVX2) },
		{ BIT(F16C), BIT(AVX), BIT(AVX2) },
		{ BIT(XOP), BIT(FMA4) | BIT(AVX) | BIT(SSE4A), BIT(AVX2) },
		{ BIT(AVXVNNI), BIT(AVX2), BIT(AVX512F) },
		{ BIT(AVX512F), BIT(AVX2) | BIT(AVX), BIT(AVX512VL) },
		{ BIT(AVX512VL), BIT(AVX512F), BIT(AVX512BW) },
		{ BIT(AVX512VBMI), BIT(AVX512BW) | BIT(AVX512F),
		    BIT(AVX512VL) },
		{ BIT(AVX512FP16), BIT(AVX512BW), 0 },
		{ BIT(KEYLOCKER), BIT(SSE2), BIT(AES) },
		{ BIT(3DNOW), BIT(MMX), BIT(SSE) },
		/* gcc 12 takes these alone */
		{ BIT(VAES), 0, BIT(AES) | BIT(AVX) },
		{ BIT(GFNI), 0, BIT(SSE2) },
		{ BIT(AMX), 0, BIT(AVX512F) },
		{ BIT(X87), 0, BIT(MMX) },
		{ BIT(OTHER), 0, BIT(SSE) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ks_isaset c = ks_isa_closure(rows[i].set);

		assert_true((c & rows[i].set) == rows[i].set);
		assert_true((c & rows[i].implies) == rows[i].implies);
		assert_true((c & rows[i].not) == 0);
	}
}

/* Laws that hold for any set: tried on every one of up to two members. */
static void
closure_and_minimal_are_inverse(void **state)
{
	(void)state;
	assert_true(ks_isa_closure(0) == 0);
	assert_true(ks_isa_minimal(0) == 0);
	for (int i = 0; i < KS_ISA_MAX; i++)
		for (int j = i; j < KS_ISA_MAX; j++) {
			ks_isaset set = (ks_isaset)1 << i | (ks_isaset)1 << j;
			ks_isaset c = ks_isa_closure(set);
			ks_isaset m = ks_isa_minimal(set);

			assert_true((c & set) == set && (m & ~set) == 0);
			assert_true(ks_isa_closure(c) == c);
			assert_true(ks_isa_minimal(m) == m);
			assert_true(ks_isa_closure(m) == c);
			assert_true(ks_isa_minimal(c) == m);
			assert_true(m != 0);
		}
	assert_true(ks_isa_minimal(BIT(AVX2) | BIT(AVX) | BIT(SSE) |
	    BIT(AES)) == (BIT(AVX2) | BIT(AES)));
}

static void
text(void **state)
{
	char buf[512], small[8];
	const char *bad = NULL;
	ks_isaset set;

	(void)state;
	assert_string_equal(ks_isa_print(0, buf, sizeof(buf)), "");
	assert_string_equal(ks_isa_print(BIT(SSE2) | BIT(AES) | BIT(SSE41),
	    buf, sizeof(buf)), "sse2,sse4.1,aes");
	assert_true(ks_isa_parse("aes,sse4.1,sse2", &set, &bad));
	assert_true(set == (BIT(SSE2) | BIT(AES) | BIT(SSE41)));
	assert_null(bad);
	assert_true(ks_isa_parse("", &set, NULL));
	assert_true(set == 0);

	/* All of them fit, and come back. */
	ks_isa_print(((ks_isaset)1 << KS_ISA_MAX) - 1, buf, sizeof(buf));
	assert_true(ks_isa_parse(buf, &set, &bad));
	assert_true(set == ((ks_isaset)1 << KS_ISA_MAX) - 1);

	/* What does not fit is left out as a whole. */
	assert_string_equal(ks_isa_print(BIT(SSE2) | BIT(AES) | BIT(AVX),
	    small, sizeof(small)), "sse2");
	assert_string_equal(ks_isa_print(BIT(AES) | BIT(AVX), small,
	    sizeof(small)), "aes,avx");
	assert_string_equal(ks_isa_print(BIT(SSE2), small, 1), "");
}

static void
bad_text(void **state)
{
	static const struct {
		const char	*words;
		size_t		 at;
	} rows[] = {
		{ "sse2,sse9,aes", 5 }, { "sse2, aes", 5 }, { ",aes", 0 },
		{ "aes,", 4 }, { "aes,,sse", 4 }, { "AES", 0 },
		{ "sse 2", 0 },
	};
	const char *bad;
	ks_isaset set;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bad = NULL;
		set = 1;
		assert_false(ks_isa_parse(rows[i].words, &set, &bad));
		assert_ptr_equal(bad, rows[i].words + rows[i].at);
		assert_true(set == 0);
		assert_false(ks_isa_parse(rows[i].words, &set, NULL));
	}
}

static void
register_classes(void **state)
{
	char buf[128];

	(void)state;
	assert_string_equal(ks_regclass_print(0, buf, sizeof(buf)), "");
	assert_string_equal(ks_regclass_print(KS_RC_MXCSR | KS_RC_XMM, buf,
	    sizeof(buf)), "xmm,mxcsr");
	assert_string_equal(ks_regclass_print(0x1ff, buf, sizeof(buf)),
	    "x87,mmx,xmm,ymm,zmm,mask,tile,mxcsr,unit");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_unique_and_found),
		cmocka_unit_test(flags),
		cmocka_unit_test(implications),
		cmocka_unit_test(closure_and_minimal_are_inverse),
		cmocka_unit_test(text),
		cmocka_unit_test(bad_text),
		cmocka_unit_test(register_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
