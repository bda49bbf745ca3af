/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings: the table of checks, fingerprints, order, merging, status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ks/finding.h"

static const struct ks_report_opts plain = { .fail_on = KS_SEV_WARNING };

static void
add(struct ks_findings *f, enum ks_diag d, const char *function, uint32_t line,
    const char *event)
{
	struct ks_place_text at = { .file = "a.c", .line = line,
	    .function = function };
	struct ks_finding *one = ks_finding_add(f, d, &at, "text %u", line);

	ks_finding_event(f, one, event);
}

static void
finish(struct ks_findings *f)
{
	struct ks_error err;

	assert_int_equal(ks_findings_finish(f, &plain, &err), KS_OK);
}

/* Every id is found, the rows are sorted, and no two rows have one id. */
static void
diags_are_a_sorted_table(void **state)
{
	(void)state;
	for (unsigned d = 0; d < KS_D_MAX; d++) {
		assert_int_equal(ks_diag_find(ks_diags[d].id), d);
		assert_true(ks_diags[d].where != 0);
		assert_true(strlen(ks_diags[d].summary) > 0);
		if (d > 0)
			assert_true(strcmp(ks_diags[d - 1].id,
			    ks_diags[d].id) < 0);
		if (ks_diags[d].advice)
			assert_int_equal(ks_diags[d].severity,
			    KS_SEV_WARNING);
	}
	assert_int_equal(ks_diag_find("simd"), KS_D_MAX);
	assert_int_equal(ks_diag_find(""), KS_D_MAX);
}

static void
every_check_has_help(void **state)
{
	(void)state;
	for (unsigned d = 0; d < KS_D_MAX; d++) {
		char *text = ks_check_help(d);

		assert_non_null(text);
		assert_true(strlen(text) > 100);
		assert_null(strstr(text, "\n## "));
		free(text);
	}
}

/* Lines and the order of adding are not in a fingerprint. */
static void
fingerprints_survive_moves(void **state)
{
	struct ks_findings *a = ks_findings_new(), *b = ks_findings_new();

	(void)state;
	add(a, KS_D_SIMD_OUTSIDE_REGION, "f", 10, "movdqa");
	add(a, KS_D_SIMD_OUTSIDE_REGION, "f", 20, "movdqa");
	add(a, KS_D_REGION_NOT_LEFT, "f", 30, "return");
	add(b, KS_D_REGION_NOT_LEFT, "f", 1130, "return");
	add(b, KS_D_SIMD_OUTSIDE_REGION, "f", 1120, "movdqa");
	add(b, KS_D_SIMD_OUTSIDE_REGION, "f", 1110, "movdqa");
	finish(a);
	finish(b);
	assert_int_equal(a->v.n, 3);
	assert_int_equal(b->v.n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(a->v.v[i].fingerprint,
		    b->v.v[i].fingerprint);
		assert_int_equal(strlen(a->v.v[i].fingerprint), 32);
	}
	assert_string_not_equal(a->v.v[0].fingerprint,
	    a->v.v[1].fingerprint);
	ks_findings_free(a);
	ks_findings_free(b);
}

/* Id, function and event are, and where one ends and the next begins. */
static void
fingerprints_tell_apart(void **state)
{
	struct ks_findings *f = ks_findings_new();

	(void)state;
	add(f, KS_D_SIMD_OUTSIDE_REGION, "f", 1, "ab");
	add(f, KS_D_REGION_NOT_LEFT, "f", 2, "ab");
	add(f, KS_D_SIMD_OUTSIDE_REGION, "fa", 3, "b");
	add(f, KS_D_SIMD_OUTSIDE_REGION, "g", 4, "ab");
	add(f, KS_D_SIMD_OUTSIDE_REGION, NULL, 5, "ab");
	finish(f);
	for (size_t i = 0; i < f->v.n; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(f->v.v[i].fingerprint,
			    f->v.v[j].fingerprint);
	ks_findings_free(f);
}

static void
sorted_by_place(void **state)
{
	struct ks_findings *f = ks_findings_new();
	struct ks_place_text at = { .object = "o", .section = ".text",
	    .function = "f", .has_off = true };

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		at.off = i * 7 % 20;
		ks_finding_add(f, KS_D_OBJ_RED_ZONE, &at, "x");
		add(f, KS_D_REGION_NOT_LEFT, "f", 1 + i * 7 % 20, NULL);
	}
	finish(f);
	assert_int_equal(f->v.n, 40);
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(f->v.v[i].at.line, i + 1);
		assert_int_equal(f->v.v[20 + i].at.off, i);
	}
	ks_findings_free(f);
}

static void
merging_copies_all(void **state)
{
	struct ks_findings *a = ks_findings_new(), *b = ks_findings_new();
	struct ks_place_text at = { .file = "n.c", .line = 3 };
	struct ks_finding *one;

	(void)state;
	one = ks_finding_add(b, KS_D_REGION_NOT_LEFT, &at, "%s", "main text");
	ks_finding_event(b, one, "ev");
	for (unsigned i = 0; i < 9; i++) {
		at.line = 100 + i;
		ks_finding_note(b, one, &at, "step %u", i);
	}
	ks_findings_merge(a, b);
	ks_findings_free(b);
	assert_int_equal(a->v.n, 1);
	one = &a->v.v[0];
	assert_string_equal(one->message, "main text");
	assert_string_equal(one->event, "ev");
	assert_string_equal(one->at.file, "n.c");
	assert_int_equal(one->ntrace, 9);
	for (unsigned i = 0; i < 9; i++) {
		char text[16];

		snprintf(text, sizeof(text), "step %u", i);
		assert_string_equal(one->trace[i].message, text);
		assert_int_equal(one->trace[i].at.line, 100 + i);
	}
	ks_findings_free(a);
}

static void
advice_only_on_request(void **state)
{
	struct ks_report_opts o = plain;
	struct ks_findings *f = ks_findings_new();
	struct ks_error err;

	(void)state;
	add(f, KS_D_REGION_IN_LOOP, "f", 1, NULL);
	o.advice = true;
	assert_int_equal(ks_findings_finish(f, &o, &err), KS_OK);
	assert_int_equal(f->v.n, 1);
	assert_int_equal(ks_findings_status(f, &o), KS_EXIT_FINDINGS);
	finish(f);
	assert_int_equal(f->v.n, 0);
	assert_int_equal(ks_findings_status(f, &plain), KS_EXIT_CLEAN);
	ks_findings_free(f);
}

static void
status_from_fail_on(void **state)
{
	static const enum ks_diag diags[] = { KS_D_NEEDS_REGION,
	    KS_D_OBJ_LIBCALL, KS_D_REGION_NOT_LEFT };

	(void)state;
	for (int s = KS_SEV_NOTE; s <= KS_SEV_ERROR; s++) {
		struct ks_findings *f = ks_findings_new();
		size_t count[3];

		add(f, diags[s], "f", 1, NULL);
		finish(f);
		ks_findings_count(f, count);
		for (int i = KS_SEV_NOTE; i <= KS_SEV_ERROR; i++) {
			struct ks_report_opts o = {
			    .fail_on = (enum ks_severity)i };

			assert_int_equal(count[i], i == s);
			assert_int_equal(ks_findings_status(f, &o),
			    s >= i ? KS_EXIT_FINDINGS : KS_EXIT_CLEAN);
		}
		ks_findings_free(f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(diags_are_a_sorted_table),
		cmocka_unit_test(every_check_has_help),
		cmocka_unit_test(fingerprints_survive_moves),
		cmocka_unit_test(fingerprints_tell_apart),
		cmocka_unit_test(sorted_by_place),
		cmocka_unit_test(merging_copies_all),
		cmocka_unit_test(advice_only_on_request),
		cmocka_unit_test(status_from_fail_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
