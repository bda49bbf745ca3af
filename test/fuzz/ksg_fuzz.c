/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as event graphs.  What is accepted passes the structural check,
 * is written as text that is accepted, and that text is written again as
 * the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/graph.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The units of TEXT as text again; NULL if they are refused. */
static char *
rewrite(const char *text, size_t size, size_t *out_size)
{
	struct ks_unit **units;
	struct ks_error e;
	size_t n;
	char *out;
	FILE *f;

	if (ks_ksg_read("in", text, size, &units, &n, &e) != KS_OK) {
		if (units != NULL || n != 0 || strncmp(e.text, "in:", 3) != 0)
			abort();
		return NULL;
	}
	f = open_memstream(&out, out_size);
	for (size_t i = 0; i < n; i++) {
		if (ks_unit_check(units[i], &e) != KS_OK ||
		    ks_ksg_write(units[i], f) != KS_OK)
			abort();
		ks_unit_free(units[i]);
	}
	free(units);
	fclose(f);
	return out;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n1, n2;
	char *one = rewrite((const char *)data, size, &n1), *two;

	if (one == NULL)
		return 0;
	if (n1 > 0) {
		two = rewrite(one, n1, &n2);
		if (two == NULL || n1 != n2 || memcmp(one, two, n1) != 0)
			abort();
		free(two);
	}
	free(one);
	return 0;
}
