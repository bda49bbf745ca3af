/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Contracts: every directive, every error, look-up and several files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ks/profile.h"
#include "manual.h"
#include "scratch.h"

static void
parse(struct ks_contract *c, const char *name, const char *text)
{
	struct ks_error e = { "" };

	ks_contract_parse(c, name, text, strlen(text), &e);
	assert_string_equal(e.text, "");
}

static void
every_kind(void **state)
{
	struct ks_contract *c = ks_contract_new();
	struct ks_contract_item *it;

	(void)state;
	parse(c, "c", "version 1\nneeds f g\nheld-by ops.fn\nfree h\n"
	    "gate f aes,sse4.1\nallow obj-red-zone f \"only CFI\"\n"
	    "allow simd-escapes f because\n");
	assert_int_equal(c->items.n, 7);
	assert_non_null(ks_contract_find(c, KS_CONTRACT_FREE, "h", NULL));
	it = ks_contract_find(c, KS_CONTRACT_NEEDS, "g", NULL);
	assert_ptr_equal(it, &c->items.v[1]);
	assert_string_equal(it->file, "c");
	assert_int_equal(it->line, 2);
	assert_int_equal(it->col, 9);
	assert_false(it->used);
	assert_non_null(ks_contract_find(c, KS_CONTRACT_HELD_BY, "ops.fn",
	    NULL));
	it = ks_contract_find(c, KS_CONTRACT_GATE, "f", NULL);
	assert_int_equal(it->isa, KS_ISA_BIT(AES) | KS_ISA_BIT(SSE41));
	it = ks_contract_find(c, KS_CONTRACT_ALLOW, "f", "obj-red-zone");
	assert_string_equal(it->reason, "only CFI");
	it = ks_contract_find(c, KS_CONTRACT_ALLOW, "f", "simd-escapes");
	assert_string_equal(it->reason, "because");
	assert_non_null(ks_contract_find(c, KS_CONTRACT_ALLOW, "f", NULL));
	assert_null(ks_contract_find(c, KS_CONTRACT_ALLOW, "f",
	    "region-sleeps"));
	assert_null(ks_contract_find(c, KS_CONTRACT_ALLOW, "g", NULL));
	assert_null(ks_contract_find(c, KS_CONTRACT_NEEDS, "none", NULL));
	ks_contract_free(c);
	ks_contract_free(NULL);
}

static void
the_manuals_example(void **state)
{
	char *text = manual_example("ksimd.prof.5", 1);
	struct ks_contract *c = ks_contract_new();

	(void)state;
	parse(c, "c", text);
	assert_int_equal(c->items.n, 4);
	ks_contract_free(c);
	free(text);
}

/* A later file may say the same again; nothing is there twice. */
static void
files_add_up(void **state)
{
	struct ks_contract *c = ks_contract_new();

	(void)state;
	parse(c, "one", "needs f\ngate f aes\n");
	parse(c, "two", "needs f g\ngate f sha\n");
	assert_int_equal(c->items.n, 3);
	assert_string_equal(ks_contract_find(c, KS_CONTRACT_NEEDS, "f",
	    NULL)->file, "one");
	assert_string_equal(ks_contract_find(c, KS_CONTRACT_NEEDS, "g",
	    NULL)->file, "two");
	assert_int_equal(ks_contract_find(c, KS_CONTRACT_GATE, "f",
	    NULL)->isa, KS_ISA_BIT(AES) | KS_ISA_BIT(SHA));
	ks_contract_free(c);
}

static void
errors(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "needs f\n need g", "2:2: unknown directive 'need'" },
		{ "\"needs\" f", "1:1: unknown directive 'needs'" },
		{ "needs", "1:1: expected a function behind 'needs'" },
		{ "held-by", "1:1: expected a function behind 'held-by'" },
		{ "needs \"\"", "1:7: expected a function, not ''" },
		{ "needs f f", "1:9: 'f' has this contract already, in line "
		    "1" },
		{ "needs a*", "1:7: a contract is about one function, not "
		    "'a*'" },
		{ "gate", "1:1: expected a function behind 'gate'" },
		{ "gate f", "1:6: expected instruction sets such as "
		    "aes,sse4.1 behind 'f'" },
		{ "gate f aes,x", "1:8: unknown instruction set 'x'" },
		{ "gate f aes x", "1:12: expected the end of the line, "
		    "not 'x'" },
		{ "gate f aes\ngate f sha", "2:6: 'f' has this contract "
		    "already, in line 1" },
		{ "allow", "1:1: expected the id of a check behind "
		    "'allow'" },
		{ "allow no-such f \"r\"", "1:7: no check 'no-such'" },
		{ "allow obj-red-zone", "1:7: expected a function behind "
		    "'obj-red-zone'" },
		{ "allow obj-red-zone f", "1:20: expected the reason, in "
		    "quotes behind 'f'" },
		{ "allow obj-red-zone f \"\"", "1:22: expected the reason, "
		    "in quotes, not ''" },
		{ "allow obj-red-zone f a b", "1:24: expected the end of "
		    "the line, not 'b'" },
		{ "version 2", "1:9: version 2 of the format is unknown, "
		    "only 1 is known" },
		{ "version x", "1:9: expected a version, not 'x'" },
		{ "version", "1:1: expected a version behind 'version'" },
		{ "needs f\nversion 1", "2:1: 'version' is for the first "
		    "line" },
		{ "needs \"f", "1:7: no closing quote on this line" },
	};
	char want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_contract *c = ks_contract_new();
		struct ks_error e = { "" };
		int rc = ks_contract_parse(c, "c", bad[i].text,
		    strlen(bad[i].text), &e);

		snprintf(want, sizeof(want), "c:%s", bad[i].want);
		assert_string_equal(e.text, want);
		assert_int_equal(rc, KS_EPARSE);
		ks_contract_free(c);
	}
}

static void
loads_files(void **state)
{
	struct ks_contract *c = ks_contract_new();
	const char *path = scratch_file("c.contract", "needs f\n");
	struct ks_error e;
	char want[600];

	(void)state;
	assert_int_equal(ks_contract_load(c, path, &e), KS_OK);
	assert_string_equal(c->items.v[0].file, path);
	path = scratch_path("none");
	assert_int_equal(ks_contract_load(c, path, &e), KS_EIO);
	snprintf(want, sizeof(want), "%s: No such file or directory", path);
	assert_string_equal(e.text, want);
	ks_contract_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(the_manuals_example),
		cmocka_unit_test(files_add_up),
		cmocka_unit_test(errors),
		cmocka_unit_test(loads_files),
	};
	int failed;

	scratch_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove();
	return failed;
}
