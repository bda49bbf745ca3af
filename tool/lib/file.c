/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whole files in and out of memory.
 *
 * Writing:
 *   1. What is no regular file (a device, a pipe, a dangling link) is
 *      written straight into: build systems probe with /dev/null.
 *   2. A link is followed first, so that the link survives.
 *   3. The same content is left alone: no rebuild for nothing.
 *   4. Else a new file in the same folder takes the old one's place, and
 *      its mode.  A reader sees the old or the new content, never a part.
 */
#include "ks/base.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_STEP	((size_t)65536)

static int
read_fd(int fd, const char *path, size_t hint, char **data, size_t *size,
    struct ks_error *err)
{
	size_t n = 0, cap = hint + 1;
	char *buf = ks_xmalloc(cap);

	for (;;) {
		ssize_t got;

		/* One byte is kept for the NUL. */
		if (n + 1 >= cap) {
			cap += cap / 2 + READ_STEP;
			buf = ks_xrealloc(buf, cap);
		}
		got = read(fd, buf + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(buf);
			return ks_error(err, KS_EIO, "%s: %s", path,
			    strerror(errno));
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	buf[n] = '\0';
	*data = buf;
	*size = n;
	return KS_OK;
}

int
ks_read_file(const char *path, char **data, size_t *size,
    struct ks_error *err)
{
	struct stat st;
	int fd, rc;

	*data = NULL;
	*size = 0;
	if (strcmp(path, "-") == 0)
		return read_fd(STDIN_FILENO, "standard input", READ_STEP,
		    data, size, err);
	/* Opening a pipe without a writer would wait for one. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = ks_error(err, KS_EIO, "%s: %s", path, strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		rc = ks_error(err, KS_EIO, "%s: is a directory", path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = ks_error(err, KS_EIO, "%s: is not a regular file", path);
	} else {
		/* One more than the size: the end is seen in one step. */
		rc = read_fd(fd, path, (size_t)st.st_size + 1, data, size,
		    err);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int
write_fd(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

static int
write_straight(const char *path, const char *data, size_t size,
    struct ks_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int e;

	if (fd < 0)
		return ks_error(err, KS_EIO, "%s: %s", path, strerror(errno));
	e = write_fd(fd, data, size);
	if (close(fd) != 0 && e == 0)
		e = errno;
	return e == 0 ? KS_OK :
	    ks_error(err, KS_EIO, "%s: %s", path, strerror(e));
}

static bool
same_content(const char *path, const char *data, size_t size)
{
	char *old;
	size_t n;
	bool same;

	if (ks_read_file(path, &old, &n, NULL) != KS_OK)
		return false;
	same = n == size && memcmp(old, data, n) == 0;
	free(old);
	return same;
}

/* A new file beside PATH; its name into NAME. */
static int
open_beside(const char *path, char *name, size_t name_size)
{
	for (unsigned i = 0; i < 100; i++) {
		int fd;

		snprintf(name, name_size, "%s.%ld.%u.new", path,
		    (long)getpid(), i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* OLD is what is there now, NULL if nothing. */
static int
replace(const char *path, const struct stat *old, const char *data,
    size_t size, struct ks_error *err)
{
	size_t name_size = strlen(path) + 64;
	char *name = ks_xmalloc(name_size);
	int fd = open_beside(path, name, name_size);
	int e = 0;

	if (fd < 0) {
		e = errno;
	} else {
		e = write_fd(fd, data, size);
		if (e == 0 && old != NULL &&
		    fchmod(fd, old->st_mode & 07777) != 0)
			e = errno;
		if (close(fd) != 0 && e == 0)
			e = errno;
		if (e == 0 && rename(name, path) != 0)
			e = errno;
		if (e != 0)
			unlink(name);
	}
	free(name);
	return e == 0 ? KS_OK :
	    ks_error(err, KS_EIO, "%s: %s", path, strerror(e));
}

int
ks_write_file(const char *path, const char *data, size_t size,
    bool *changed, struct ks_error *err)
{
	struct stat link_st, st;
	char *real;
	int rc, e;

	if (changed != NULL)
		*changed = true;
	if (strcmp(path, "-") == 0) {
		e = fflush(stdout) == 0 ?
		    write_fd(STDOUT_FILENO, data, size) : errno;
		return e == 0 ? KS_OK : ks_error(err, KS_EIO,
		    "standard output: %s", strerror(e));
	}
	if (lstat(path, &link_st) != 0)
		return replace(path, NULL, data, size, err);
	real = realpath(path, NULL);
	if (real == NULL || stat(real, &st) != 0 || !S_ISREG(st.st_mode)) {
		rc = write_straight(path, data, size, err);
	} else if (same_content(real, data, size)) {
		if (changed != NULL)
			*changed = false;
		rc = KS_OK;
	} else {
		rc = replace(real, &st, data, size, err);
	}
	free(real);
	return rc;
}
