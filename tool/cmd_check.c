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
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "ks/options.h"

static bool
helper_path(char *buf, size_t size)
{
	static const char *const links[] = {
		"/proc/self/exe",	/* Linux */
		"/proc/curproc/file",	/* FreeBSD, DragonFly */
		"/proc/curproc/exe",	/* NetBSD */
	};
	static const char rest[] = "/libexec/ksimd/ksimd-check";
	ssize_t n = -1;

	for (size_t i = 0; i < 3 && n <= 0; i++)
		n = readlink(links[i], buf, size - sizeof(rest));
	if (n <= 0)
		return false;
	buf[n] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(buf, '/');

		if (slash == NULL)
			return false;
		*slash = '\0';
	}
	strcat(buf, rest);
	return true;
}

int
ks_cmd_check(int argc, char **argv)
{
	char path[PATH_MAX + 64];
	struct ks_error err;
	int why;

	(void)argc;
	if (!helper_path(path, sizeof(path))) {
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
	return ks_fail(&err, KS_EIO);
}
