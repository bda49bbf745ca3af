/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as an object or archive, through all that "ksimd obj" does with
 * one: reading, scanning, lowering, solving, checking.  There is a verdict,
 * or an error with one line of text.
 */
#include <stdlib.h>
#include <string.h>

#include "obj_priv.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ks_profile *profile;

static int
judge(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct ks_findings *f = ks_findings_new();
	struct ks_solve_opts so = { .closed = false };
	struct ks_verdict v = { 0 };
	struct ks_unit *u = NULL;
	int rc;

	(void)ctx;
	rc = ks_obj_scan(o, profile, true, NULL, err);
	if (rc == 0)
		rc = ks_obj_lower(o, profile, f, &u, err);
	if (rc == 0)
		rc = ks_solve(&u, 1, profile, &so, f, &v, err);
	if (rc == 0) {
		ks_obj_check_relocs(o, profile, 0xffffffff80000000, f);
		ks_obj_check_stack(o, profile, f);
	}
	ks_vec_free(&v.assumptions);
	ks_unit_free(u);
	ks_findings_free(f);
	ks_obj_free(o);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_error err = { "" };
	int rc;

	if (profile == NULL) {
		profile = ks_profile_new();
		if (ks_profile_load(profile, "linux", &err) != 0)
			abort();
	}
	/* A thin archive names files; what is in them is no input of ours. */
	if (size >= 8 && memcmp(data, "!<thin>\n", 8) == 0)
		return 0;
	rc = ks_obj_open_memory("fuzz.o", data, size, judge, NULL, &err);
	if (rc == KS_EINTERNAL || (rc != 0 && (err.text[0] == '\0' ||
	    strchr(err.text, '\n') != NULL)))
		abort();
	return 0;
}
