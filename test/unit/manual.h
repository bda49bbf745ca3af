/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Examples out of the project's manuals, so that tests can run them.
 */
#ifndef KS_TEST_MANUAL_H
#define KS_TEST_MANUAL_H

#include <stdlib.h>
#include <string.h>

#include "ks/base.h"

/* Literal block N (from 0) of docs/man/PAGE, as a reader sees it; malloc'd. */
static char *
manual_example(const char *page, unsigned n)
{
	char path[512], *text, *block, *end, *out;
	size_t size;

	snprintf(path, sizeof(path), "%s/../docs/man/%s", KS_TEST_DIR, page);
	assert_int_equal(ks_read_file(path, &text, &size, NULL), KS_OK);
	block = text;
	for (unsigned i = 0; i <= n; i++) {
		block = strstr(block, "\n.Bd -literal");
		assert_non_null(block);
		block = strchr(block + 1, '\n') + 1;
	}
	end = strstr(block, "\n.Ed");
	assert_non_null(end);
	end[1] = '\0';
	/* "\e" is a backslash. */
	for (char *p = out = block; (*out = *p) != '\0'; p++, out++)
		if (p[0] == '\\' && p[1] == 'e')
			p++;
	out = strdup(block);
	free(text);
	return out;
}

#endif
