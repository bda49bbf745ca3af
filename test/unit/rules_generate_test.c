/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * files.simd entries to files.* entries (rules/generate.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "generate.h"

static struct ks_cflags rows_of_profile[] = {
	{ .arch = "amd64", .isa = 0, .flags = "-mno-sse" },
	{ .arch = "i386", .isa = KS_ISA_BIT(AES), .flags = "-wrong" },
	{ .arch = "amd64", .isa = KS_ISA_BIT(AES), .flags = "-msse2 -maes",
	    .house = "-mmmx -msse -msse4 -maes" },
};

static struct ks_profile profile = {
	.cflags = { rows_of_profile, 3, 3 },
};

/* Output, or the error's text. */
static char *
generate(const char *text, enum ks_dialect d, bool house)
{
	struct ks_gen g = { .dialect = d, .arch = "amd64", .house = house,
	    .profile = &profile };
	struct ks_error err = { "" };
	struct ks_list *l;
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);
	int rc;

	assert_int_equal(ks_list_parse("f", "f", text, strlen(text), d, true,
	    &l, &err), KS_OK);
	rc = ks_generate_files(l, &g, f, &err);
	fclose(f);
	ks_list_free(l);
	if (rc != KS_OK) {
		free(out);
		out = strdup(err.text);
	}
	return out;
}

static void
expect(const char *text, enum ks_dialect d, bool house, const char *want)
{
	char *out = generate(text, d, house);

	assert_string_equal(out, want);
	free(out);
}

static const char example[] =
    "# c\n\ncrypto/aesni/aesni_wrap2.c optional aesni simd aes,sse2 "
    "optimize 3\n";

#define HEAD								\
	"aesni_wrap2.o\toptional aesni\t\t\t\t\t\t\\\n"			\
	"\tdependency\t\"$S/crypto/aesni/aesni_wrap2.c\"\t\t\t\\\n"	\
	"\tcompile-with\t\"${CC} -c ${CFLAGS:C/^-O2$/-O3/:N-nostdinc} "
#define TAIL								\
	" -mno-80387 -D_MM_MALLOC_H_INCLUDED ${.IMPSRC}\" \\\n"		\
	"\tno-implicit-rule\t\t\t\t\t\t\\\n"				\
	"\tclean\t\t\"aesni_wrap2.o\"\n"

static void
test_entry(void **state)
{
	(void)state;
	expect(example, KS_FREEBSD_15, false,
	    HEAD "${WERROR} ${NO_WCAST_QUAL} -msse2 -maes" TAIL);
	expect(example, KS_FREEBSD_14, false,
	    HEAD "${WERROR} ${NO_WCAST_QUAL} -msse2 -maes" TAIL);
	expect(example, KS_FREEBSD_13, false,
	    HEAD "${WERROR} ${NO_WCAST_QUAL} ${PROF} -msse2 -maes" TAIL);
	expect(example, KS_FREEBSD_15, true,
	    HEAD "${WERROR} ${NO_WCAST_QUAL} -mmmx -msse -msse4 -maes" TAIL);
}

/* The rule that an entry's clauses lead to. */
static void
expect_rule(const char *clauses, const char *want)
{
	char text[256], *out, *rule, *end;

	snprintf(text, sizeof(text), "d/x.c optional y %s\n", clauses);
	out = generate(text, KS_FREEBSD_15, false);
	rule = strstr(out, "compile-with\t\"");
	assert_non_null(rule);
	rule += strlen("compile-with\t\"");
	end = strchr(rule, '"');
	assert_non_null(end);
	*end = '\0';
	assert_string_equal(rule, want);
	free(out);
}

static void
test_rules(void **state)
{
	(void)state;
	/* aes implies sse2, so the profile's row for aes serves both. */
	expect_rule("simd aes", "${CC} -c ${CFLAGS:N-nostdinc} ${WERROR} "
	    "${NO_WCAST_QUAL} -msse2 -maes -mno-80387 "
	    "-D_MM_MALLOC_H_INCLUDED ${.IMPSRC}");
	/* No row: the compiler's own flag. */
	expect_rule("simd sse2,pclmul,aes optimize 2",
	    "${CC} -c ${CFLAGS:N-nostdinc} ${WERROR} ${NO_WCAST_QUAL} "
	    "-msse2 -maes -mpclmul -mno-80387 -D_MM_MALLOC_H_INCLUDED "
	    "${.IMPSRC}");
	/* The row's -msse2 is implied by what stands before it. */
	expect_rule("simd sse4.1,aes", "${CC} -c ${CFLAGS:N-nostdinc} "
	    "${WERROR} ${NO_WCAST_QUAL} -msse4.1 -maes -mno-80387 "
	    "-D_MM_MALLOC_H_INCLUDED ${.IMPSRC}");
	expect_rule("optimize s simd avx2", "${CC} -c "
	    "${CFLAGS:C/^-O2$/-Os/:N-nostdinc} ${WERROR} "
	    "${NO_WCAST_QUAL} -mavx2 -mno-80387 -D_MM_MALLOC_H_INCLUDED "
	    "${.IMPSRC}");
	/* x87 that is wanted is not forbidden. */
	expect_rule("simd x87,sse2", "${CC} -c ${CFLAGS:N-nostdinc} "
	    "${WERROR} ${NO_WCAST_QUAL} -m80387 -msse2 "
	    "-D_MM_MALLOC_H_INCLUDED ${.IMPSRC}");
	expect_rule("simd sse2 nowerror", "${CC} -c ${CFLAGS:N-nostdinc} "
	    "${NO_WCAST_QUAL} -msse2 -mno-80387 -D_MM_MALLOC_H_INCLUDED "
	    "${.IMPSRC}");
	/* Another name for the object: make does not set .IMPSRC then. */
	expect_rule("simd sse2 obj-prefix p_", "${CC} -c "
	    "${CFLAGS:N-nostdinc} ${WERROR} ${NO_WCAST_QUAL} -msse2 "
	    "-mno-80387 -D_MM_MALLOC_H_INCLUDED -o ${.TARGET} $S/d/x.c");
	expect_rule("simd sse2 obj-prefix p_ local", "${CC} -c "
	    "${CFLAGS:N-nostdinc} ${WERROR} ${NO_WCAST_QUAL} -msse2 "
	    "-mno-80387 -D_MM_MALLOC_H_INCLUDED -o ${.TARGET} d/x.c");
}

/* Everything else an entry may say is kept. */
static void
test_kept(void **state)
{
	(void)state;
	expect("d/x.c optional y !z | w simd sse2 dependency \"a.h b.h\" "
	    "no-obj clean 'c.tmp' before-depend no-ctfconvert "
	    "warning 'say \"no\"' obj-prefix p_\n"
	    "plain.c\tstandard   no-obj\n", KS_FREEBSD_15, false,
	    "p_x.o\t\toptional y !z | w\t\t\t\t\t\\\n"
	    "\tdependency\t\"$S/d/x.c a.h b.h\"\t\t\t\t\\\n"
	    "\tcompile-with\t\"${CC} -c ${CFLAGS:N-nostdinc} ${WERROR} "
	    "${NO_WCAST_QUAL} -msse2 -mno-80387 -D_MM_MALLOC_H_INCLUDED "
	    "-o ${.TARGET} $S/d/x.c\" \\\n"
	    "\tno-implicit-rule no-obj no-ctfconvert before-depend\t\t\\\n"
	    "\tclean\t\t\"p_x.o c.tmp\"\t\t\t\t\t\\\n"
	    "\twarning\t\t'say \"no\"'\n"
	    "plain.c\tstandard   no-obj\n");
	expect("d/x.c standard simd sse2\n", KS_FREEBSD_15, false,
	    "x.o\t\tstandard\t\t\t\t\t\t\\\n"
	    "\tdependency\t\"$S/d/x.c\"\t\t\t\t\t\\\n"
	    "\tcompile-with\t\"${CC} -c ${CFLAGS:N-nostdinc} ${WERROR} "
	    "${NO_WCAST_QUAL} -msse2 -mno-80387 -D_MM_MALLOC_H_INCLUDED "
	    "${.IMPSRC}\" \\\n"
	    "\tno-implicit-rule\t\t\t\t\t\t\\\n"
	    "\tclean\t\t\"x.o\"\n");
}

/* Long conditions are broken before column 72, between arms and names. */
static void
test_wrap(void **state)
{
	static const char want[] =
	    "a_rather_long_file_name_of_a_driver.o\t"
	    "optional first_device\t\t\\\n"
	    "\tsecond_device | !third_device fourth_device\t\t\t\\\n"
	    "\tdependency\t";
	char *out = generate("a_rather_long_file_name_of_a_driver.c optional "
	    "first_device second_device | !third_device fourth_device "
	    "simd sse2\n", KS_FREEBSD_15, false);

	(void)state;
	out[sizeof(want) - 1] = '\0';
	assert_string_equal(out, want);
	free(out);
}

static void
test_errors(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "x.c optional y simd ssse2\n",
		    "f:1:21: unknown instruction set 'ssse2'" },
		{ "x.c optional y simd aes,,sse2\n",
		    "f:1:21: unknown instruction set ''" },
		{ "x.c optional y simd \"\"\n",
		    "f:1:21: 'simd' names no instruction set" },
		{ "x.c optional y simd padlock\n",
		    "f:1:21: no compiler flag for 'padlock' on amd64" },
		{ "x.c optional y simd\n",
		    "f:1:16: this keyword takes a word or a quoted text" },
		{ "x.c optional y simd sse2 optimize 4\n",
		    "f:1:35: unknown level '4'; known are 0, 1, 2, 3 and s" },
		{ "x.c optional y optimize 3\n",
		    "f:1:25: 'optimize' needs 'simd'" },
		{ "d/!x.c optional y simd sse2\n",
		    "f:1:1: 'd/!x.c' has a byte that make(1) would not take "
		    "as it is" },
		{ "x.c optional y simd sse2 obj-prefix \"a b\"\n",
		    "f:1:37: 'a b' has a byte that make(1) would not take "
		    "as it is" },
		{ "x.S optional y simd sse2\n",
		    "f:1:1: 'x.S' is no C file: only C is compiled with "
		    "flags for SIMD" },
		{ "x.c optional y simd sse2 compile-with \"z\"\n",
		    "f:1:26: 'compile-with' cannot stand beside 'simd', "
		    "which makes the rule" },
		{ "x.c optional y no-depend simd sse2\n",
		    "f:1:16: 'no-depend' cannot stand beside 'simd', which "
		    "makes the rule" },
		{ "x.c optional y simd sse2 clean \"a'\\\"b\"\n",
		    "f:1:32: this text cannot be quoted in a list" },
		{ "x.c optional y simd sse2 clean a\\\n",
		    "f:1:32: this text cannot be quoted in a list" },
		{ "include \"g\"\n", "f:1:1: no 'include' in a files.simd" },
		{ "x.c optional y simd sse2",
		    "f:1:16: the file ends inside the value: a newline or a "
		    "closing quote is missing" },
		{ "x.c optional simd sse2 y",
		    "f:1:1: 'x.c' is dropped: no newline at the end of the "
		    "file" },
		{ "x.c optional y|z simd sse2\n",
		    "f:1:14: 'y|z' is one name: '|' needs blanks on both "
		    "sides" },
		{ "x.c simd sse2\n", "f:1:5: the second word must be "
		    "'standard' or 'optional'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].text, KS_FREEBSD_15, false, rows[i].want);
}

/* FreeBSD 13's config(8) has room for 255 bytes. */
static void
test_long(void **state)
{
	char text[512], *out;

	(void)state;
	snprintf(text, sizeof(text), "x.c optional y simd sse2 clean \"%0*d\""
	    "\n", 255 - 4, 0);
	out = generate(text, KS_FREEBSD_13, false);
	assert_memory_equal(out, "x.o\t\toptional y", 15);
	free(out);
	snprintf(text, sizeof(text), "x.c optional y simd sse2 clean \"%0*d\""
	    "\n", 255 - 3, 0);
	expect(text, KS_FREEBSD_13, false, "f:1:1: the entry overflows the "
	    "buffers of config(8) up to FreeBSD 13: 79 bytes for a name, 255 "
	    "for a text");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
