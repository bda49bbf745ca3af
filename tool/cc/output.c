/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The object's way from the compiler to its name.
 *
 *   1. The compiler writes into a folder made for it beside the target,
 *      under the target's last name: what else it names after the object
 *      lands there, too.
 *   2. A proven object is renamed onto the target, and then its company.
 *   3. A target that is no regular file gets the bytes instead; the folder
 *      is in TMPDIR then.  So it is where the target's folder allows no new
 *      files.
 *   4. An object that is not proven is removed with its folder, and so is
 *      an older one under the target's name, as compilers do when the
 *      assembler fails.
 *   5. What the compiler did to the empty file it was given when it failed,
 *      is done to the target: clang removes an older object, gcc keeps one
 *      if it did not get as far as the assembler.
 *
 * A link to a regular file is replaced, as gcc (by way of the assembler)
 * and clang do; one that leads nowhere is written through.
 *
 * Invariant: `present' names the folder and the files in it whenever
 * signals are not held, but for those that the running compiler makes.
 */
#include "cc_priv.h"

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTRACT	".ksimd-contract"
#define RESPONSE	".ksimd-args"

/* What a signal handler has to remove. */
static struct {
	char	*dir;
	KS_VEC(char *) files;
} present;

static char *
path_in(const char *dir, const char *name)
{
	char *path = ks_xmalloc(strlen(dir) + strlen(name) + 2);

	sprintf(path, "%s/%s", dir, name);
	return path;
}

static const char *
last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* "dir/" of "dir/name", "" of "name"; malloc'd. */
static char *
folder_of(const char *path)
{
	size_t n = (size_t)(last_name(path) - path);
	char *dir = ks_xmalloc(n + 1);

	memcpy(dir, path, n);
	dir[n] = '\0';
	return dir;
}

static void
forget_files(void)
{
	for (size_t i = 0; i < present.files.n; i++)
		free(present.files.v[i]);
	ks_vec_free(&present.files);
}

/* Notes the files that are in the folder now.  Signals are held. */
static void
note_files(void)
{
	DIR *d = opendir(present.dir);
	struct dirent *e;

	forget_files();
	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 &&
		    strcmp(e->d_name, "..") != 0)
			*ks_vec_push(&present.files) = path_in(present.dir,
			    e->d_name);
	closedir(d);
}

void
cc_output_emergency(void)
{
	if (present.dir == NULL)
		return;
	for (size_t i = 0; i < present.files.n; i++)
		unlink(present.files.v[i]);
	rmdir(present.dir);
}

/* --- opening ---------------------------------------------------------- */

static bool
make_dir(struct cc_output *o, const char *where)
{
	o->dir = ks_xmalloc(strlen(where) + sizeof(".ksimd-XXXXXX"));
	sprintf(o->dir, "%s.ksimd-XXXXXX", where);
	if (mkdtemp(o->dir) != NULL)
		return true;
	free(o->dir);
	o->dir = NULL;
	return false;
}

static bool
make_dir_elsewhere(struct cc_output *o)
{
	const char *tmp = getenv("TMPDIR");
	char *where = path_in(tmp != NULL && *tmp != '\0' ? tmp : "/tmp", "");
	bool made = make_dir(o, where);

	free(where);
	return made;
}

/* Whether a new file may take the target's place. */
static bool
may_rename(const char *target)
{
	struct stat st;

	if (strcmp(target, "-") == 0)
		return false;
	if (lstat(target, &st) != 0)
		return errno == ENOENT;
	if (S_ISLNK(st.st_mode))
		return stat(target, &st) == 0 && S_ISREG(st.st_mode);
	return S_ISREG(st.st_mode);
}

int
cc_output_open(struct cc_output *o, const char *target, bool premade,
    struct ks_error *err)
{
	char *where = folder_of(target);
	int fd;

	memset(o, 0, sizeof(*o));
	o->target = target;
	o->rename = may_rename(target);
	cc_signals_hold();
	if (!o->rename || !make_dir(o, where)) {
		o->rename = false;
		make_dir_elsewhere(o);
	}
	free(where);
	if (o->dir == NULL) {
		cc_signals_release();
		return ks_error(err, KS_EIO, "%s: no folder for temporary "
		    "files can be made: %s", target, strerror(errno));
	}
	o->object = path_in(o->dir, strcmp(target, "-") == 0 ? "stdout.o" :
	    last_name(target));
	o->contract = path_in(o->dir, CONTRACT);
	o->response = path_in(o->dir, RESPONSE);
	if (premade) {
		fd = open(o->object, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		    0666);
		o->premade = fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	present.dir = o->dir;
	note_files();
	cc_signals_release();
	return KS_OK;
}

off_t
cc_output_size(const struct cc_output *o)
{
	struct stat st;

	cc_signals_hold();
	note_files();
	cc_signals_release();
	return stat(o->object, &st) == 0 ? st.st_size : -1;
}

/* --- placing ---------------------------------------------------------- */

static int
write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int
copy_to(const char *from, const char *target, struct ks_error *err)
{
	bool out = strcmp(target, "-") == 0;
	struct stat st;
	char *data;
	size_t size;
	int fd, e, rc = ks_read_file(from, &data, &size, err);

	if (rc != KS_OK)
		return rc;
	fd = out ? STDOUT_FILENO :
	    open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	e = fd < 0 ? errno : write_all(fd, data, size);
	/* A linker's output is to be run. */
	if (e == 0 && !out && stat(from, &st) == 0 &&
	    (st.st_mode & 0111) != 0 && fstat(fd, &st) == 0 &&
	    S_ISREG(st.st_mode))
		fchmod(fd, (st.st_mode | 0111) & 0777);
	if (fd >= 0 && !out && close(fd) != 0 && e == 0)
		e = errno;
	free(data);
	return e == 0 ? KS_OK :
	    ks_error(err, KS_EIO, "%s: %s", target, strerror(e));
}

/* FROM becomes TARGET, across file systems if need be. */
static int
place(const struct cc_output *o, const char *from, const char *target,
    struct ks_error *err)
{
	if (o->rename && rename(from, target) == 0)
		return KS_OK;
	if (o->rename && errno != EXDEV)
		return ks_error(err, KS_EIO, "%s: %s", target,
		    strerror(errno));
	return copy_to(from, target, err);
}

/* What was made beside the object goes beside the target. */
static int
place_company(struct cc_output *o, struct ks_error *err)
{
	char *where, *to;
	int rc = KS_OK;

	/* Beside a device or in a folder that takes no files: nowhere. */
	if (!o->rename)
		return KS_OK;
	where = folder_of(o->target);
	for (size_t i = 0; i < present.files.n && rc == KS_OK; i++) {
		const char *from = present.files.v[i];

		if (strcmp(from, o->object) == 0 ||
		    strcmp(from, o->contract) == 0 ||
		    strcmp(from, o->response) == 0 || access(from, F_OK) != 0)
			continue;
		to = ks_xmalloc(strlen(where) + strlen(from) + 1);
		sprintf(to, "%s%s", where, last_name(from));
		rc = place(o, from, to, err);
		free(to);
	}
	free(where);
	return rc;
}

int
cc_output_commit(struct cc_output *o, struct ks_error *err)
{
	int rc = place(o, o->object, o->target, err);

	return rc == KS_OK ? place_company(o, err) : rc;
}

int
cc_output_drop(struct cc_output *o, bool remove, bool keep, bool side,
    struct ks_error *err)
{
	size_t n = strlen(o->target) + sizeof(".rejected");
	char *kept;
	int rc = KS_OK;

	if (remove && may_rename(o->target))
		unlink(o->target);
	if (keep && o->rename) {
		kept = ks_xmalloc(n);
		sprintf(kept, "%s.rejected", o->target);
		if (may_rename(kept))
			rc = place(o, o->object, kept, err);
		else
			rc = ks_error(err, KS_EIO, "%s: is no regular file",
			    kept);
		if (rc == KS_OK)
			fprintf(stderr, "ksimd: note: %s holds the rejected "
			    "object\n", kept);
		free(kept);
	}
	if (side && rc == KS_OK)
		rc = place_company(o, err);
	return rc;
}

void
cc_output_close(struct cc_output *o)
{
	if (o->dir == NULL)
		return;
	cc_signals_hold();
	/* A part of a compiler that died may have been about to write. */
	for (int i = 0; i < 3; i++) {
		note_files();
		for (size_t k = 0; k < present.files.n; k++)
			unlink(present.files.v[k]);
		if (rmdir(o->dir) == 0 || errno == ENOENT)
			break;
	}
	forget_files();
	present.dir = NULL;
	cc_signals_release();
	free(o->dir);
	free(o->object);
	free(o->contract);
	free(o->response);
	o->dir = NULL;
}
