/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd check": the work is done by ksimd-check, a program of its own, so
 * that the other commands do not load Clang's libraries.
 *
 * It is looked for in ../libexec/ksimd from the folder of the running
 * program, which is where both the build and the installation have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "ks/options.h"

int
ks_cmd_check(int argc, char **argv)
{
	char *path = ks_beside_program("libexec/ksimd/ksimd-check");
	struct ks_error err;
	int why;

	(void)argc;
	if (path == NULL) {
		ks_error(&err, KS_EIO,
		    "cannot tell where this program is: run ksimd-check");
		return ks_fail(&err, KS_EIO);
	}
	execv(path, argv);
	why = errno;
	if (why == ENOENT)
		ks_error(&err, KS_EIO, "%s is not there: this ksimd was "
		    "built without the source front end", path);
	else
		ks_error(&err, KS_EIO, "%s: %s", path, strerror(why));
	free(path);
	return ks_fail(&err, KS_EIO);
}
