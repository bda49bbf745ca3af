/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A folder of its own for a test program, removed at the end.
 */
#ifndef KS_TEST_SCRATCH_H
#define KS_TEST_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char scratch[256];

static void
scratch_new(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(scratch, sizeof(scratch), "%s/ksimd-test.XXXXXX",
	    tmp != NULL ? tmp : "/tmp");
	assert_non_null(mkdtemp(scratch));
}

static void
scratch_remove(void)
{
	char cmd[300];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", scratch);
	assert_int_equal(system(cmd), 0);
}

/* Path of NAME in the folder; good until the fourth next call. */
static inline const char *
scratch_path(const char *name)
{
	static char path[4][512];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", scratch, name);
	return p;
}

static inline const char *
scratch_file(const char *name, const char *text)
{
	const char *path = scratch_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return path;
}

#endif
