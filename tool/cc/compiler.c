/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which compiler it is, without running it.
 *
 *   1. By its name ("clang-19", "x86_64-linux-gnu-gcc-12").
 *   2. By the name of the file that it is a link to (/usr/bin/cc).
 *   3. By a "clang" in its folder that is the same file (FreeBSD's cc).
 * The version of a clang: by its folder of headers, ../lib/clang/VERSION;
 * by its name; only then by asking it.
 *
 * A launcher (ccache) is stepped over.
 */
#include "cc_priv.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KS_LIBDIR
#define KS_LIBDIR	"lib"
#endif
#define PLUGIN		"/libksimd-pass.so"

static const char *
last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static enum cc_kind
kind_of_name(const char *path)
{
	const char *name = last_name(path);

	if (strstr(name, "clang") != NULL)
		return CC_CLANG;
	if (strstr(name, "gcc") != NULL)
		return CC_GCC;
	return CC_UNKNOWN;
}

/* The file that execvp(3) would take; NULL: none. */
static const char *
find_in_path(struct ks_arena *a, const char *name)
{
	const char *path = getenv("PATH"), *end;

	if (strchr(name, '/') != NULL || path == NULL)
		return access(name, X_OK) == 0 ? name : NULL;
	for (;; path = end + 1) {
		const char *file;

		end = path + strcspn(path, ":");
		file = end == path ? ks_printf(a, "./%s", name) :
		    ks_printf(a, "%.*s/%s", (int)(end - path), path, name);
		if (access(file, X_OK) == 0)
			return file;
		if (*end == '\0')
			return NULL;
	}
}

static bool
same_as_clang(struct ks_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat x, y;

	return slash != NULL && stat(path, &x) == 0 &&
	    stat(ks_printf(a, "%.*s/clang", (int)(slash - path), path), &y) ==
	    0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void
look_at(struct ks_arena *a, const char *name, struct cc_compiler *c)
{
	const char *file = find_in_path(a, name);
	char *real = file != NULL ? realpath(file, NULL) : NULL;

	c->name = name;
	c->path = real != NULL ? ks_strdup(a, real) : NULL;
	free(real);
	c->kind = kind_of_name(name);
	if (c->kind == CC_UNKNOWN && c->path != NULL) {
		c->kind = kind_of_name(c->path);
		if (c->kind == CC_UNKNOWN && same_as_clang(a, c->path))
			c->kind = CC_CLANG;
	}
}

int
cc_compiler_find(struct ks_arena *a, int argc, char **argv,
    struct cc_compiler *c)
{
	static const char *const launchers[] = {
		"ccache", "distcc", "icecc", "sccache",
	};
	int n = 0;

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(last_name(argv[n]), launchers[i]) == 0 &&
		    n + 1 < argc && argv[n + 1][0] != '-') {
			n++;
			i = (size_t)-1;
		}
	look_at(a, argv[n], c);
	return n + 1;
}

/* --- version ---------------------------------------------------------- */

/* All folders there have to agree: 14 and 14.0.6 do. */
static unsigned
major_of_headers(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];
	unsigned major = 0;
	struct dirent *e;
	DIR *d;

	if (slash == NULL || snprintf(dir, sizeof(dir), "%.*s/../lib/clang",
	    (int)(slash - path), path) >= (int)sizeof(dir) ||
	    (d = opendir(dir)) == NULL)
		return 0;
	while ((e = readdir(d)) != NULL) {
		unsigned one = (unsigned)strtoul(e->d_name, NULL, 10);

		if (one == 0)
			continue;
		if (major != 0 && one != major) {
			major = 0;
			break;
		}
		major = one;
	}
	closedir(d);
	return major;
}

static unsigned
major_of_name(const char *path)
{
	const char *dash = strrchr(last_name(path), '-');

	return dash != NULL ? (unsigned)strtoul(dash + 1, NULL, 10) : 0;
}

static unsigned
major_by_asking(const char *name)
{
	char *argv[] = { (char *)name, "-dumpversion", NULL };
	char text[64];
	int fds[2], status;
	unsigned major = 0;
	FILE *f;
	pid_t pid;

	if (pipe(fds) != 0)
		return 0;
	if ((pid = fork()) == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fds[1]);
	f = fdopen(fds[0], "r");
	if (f != NULL && fgets(text, sizeof(text), f) != NULL)
		major = (unsigned)strtoul(text, NULL, 10);
	if (f != NULL)
		fclose(f);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		return 0;
	return major;
}

unsigned
cc_compiler_major(const struct cc_compiler *c)
{
	unsigned major = c->path != NULL ? major_of_headers(c->path) : 0;

	if (major == 0)
		major = major_of_name(c->name);
	if (major == 0 && c->path != NULL)
		major = major_of_name(c->path);
	return major != 0 ? major : major_by_asking(c->name);
}

char *
cc_plugin_path(void)
{
	static const char *const places[] = { "lib" PLUGIN,
		KS_LIBDIR PLUGIN };

	for (size_t i = 0; i < 2; i++) {
		char *path = ks_beside_program(places[i]);

		if (path != NULL && access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}
