/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What lies beside the running program: the build and the installation have
 * the same folders below one prefix, PREFIX/bin being the program's.
 */
#include "ks/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The running program's file into BUF. */
static bool
program_path(char *buf, size_t size)
{
	static const char *const links[] = {
		"/proc/self/exe",	/* Linux */
		"/proc/curproc/file",	/* FreeBSD, DragonFly */
		"/proc/curproc/exe",	/* NetBSD */
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		ssize_t n = readlink(links[i], buf, size - 1);

		if (n > 0 && (size_t)n < size - 1 && buf[0] == '/') {
			buf[n] = '\0';
			return true;
		}
	}
	return false;
}

char *
ks_beside_program(const char *path)
{
	char buf[PATH_MAX], *out;

	if (!program_path(buf, sizeof(buf)))
		return NULL;
	/* Off with the program's name and its bin folder. */
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(buf, '/');

		if (slash == NULL)
			return NULL;
		*slash = '\0';
	}
	out = ks_xmalloc(strlen(buf) + strlen(path) + 2);
	sprintf(out, "%s/%s", buf, path);
	return out;
}
