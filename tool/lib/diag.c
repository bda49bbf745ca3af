/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of checks, made from diags.def.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/finding.h"

#define NOTE	KS_SEV_NOTE
#define WARNING	KS_SEV_WARNING
#define ERROR	KS_SEV_ERROR

const struct ks_diag_info ks_diags[KS_D_MAX] = {
#define DIAG(name, id, sev, where, advice, summary)			\
	{ id, sev, where, advice, summary },
#include "ks/diags.def"
#undef DIAG
};

static int
by_id(const void *key, const void *row)
{
	return (strcmp(key, ((const struct ks_diag_info *)row)->id));
}

/* The rows are sorted; test/docs checks it. */
enum ks_diag
ks_diag_find(const char *id)
{
	const struct ks_diag_info *row;

	row = bsearch(id, ks_diags, KS_D_MAX, sizeof(ks_diags[0]), by_id);
	return (row != NULL ? (enum ks_diag)(row - ks_diags) : KS_D_MAX);
}

const char *
ks_severity_name(enum ks_severity s)
{
	static const char *const names[] = { "note", "warning", "error" };

	return (names[s]);
}
