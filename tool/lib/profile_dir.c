/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where profiles are, which there are, and which of them fits an input.
 *
 * Choice of a profile: each known one is loaded and its own detect lines
 * (not those of files it includes) are tried.  Of those that fit, one that
 * another includes is dropped: the other knows more of the input.  If that
 * does not leave exactly one, the user must choose.
 */
#include "profile.h"

#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KS_SOURCE_PROFILES
#define KS_SOURCE_PROFILES	"sys-conf/profiles"
#endif

static const char suffix[] = ".prof";

static bool
has_suffix(const char *name)
{
	size_t n = strlen(name);

	return n > strlen(suffix) &&
	    strcmp(name + n - strlen(suffix), suffix) == 0;
}

bool
ks_profile_is_path(const char *name)
{
	return strchr(name, '/') != NULL || has_suffix(name);
}

static bool
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *
ks_profile_dir(void)
{
	static char buf[PATH_MAX];
	const char *env = getenv("KSIMD_PROFILES");
	char *dir;
	bool found;

	if (env != NULL && *env != '\0')
		return env;
	dir = ks_beside_program("share/ksimd/profiles");
	found = dir != NULL && strlen(dir) < sizeof(buf) && is_folder(dir);
	if (found)
		strcpy(buf, dir);
	free(dir);
	if (found)
		return buf;
	return KS_SOURCE_PROFILES;
}

char *
ks_profile_path(struct ks_arena *a, const char *name, const char *folder)
{
	if (ks_profile_is_path(name))
		return folder == NULL || name[0] == '/' ?
		    ks_strdup(a, name) : ks_printf(a, "%s/%s", folder, name);
	if (folder != NULL) {
		char *path = ks_printf(a, "%s/%s%s", folder, name, suffix);

		if (access(path, F_OK) == 0)
			return path;
	}
	return ks_printf(a, "%s/%s%s", ks_profile_dir(), name, suffix);
}

char *
ks_profile_real(struct ks_arena *a, const char *path)
{
	char *real = realpath(path, NULL);
	char *copy = ks_strdup(a, real != NULL ? real : path);

	free(real);
	return copy;
}

static int
cmp_strings(const void *va, const void *vb)
{
	return strcmp(*(const char *const *)va, *(const char *const *)vb);
}

int
ks_profile_list(struct ks_arena *a, const char ***names, size_t *n,
    struct ks_error *err)
{
	const char *dir = ks_profile_dir();
	KS_VEC(const char *) found = { 0 };
	struct dirent *e;
	DIR *d = opendir(dir);

	*names = NULL;
	*n = 0;
	if (d == NULL)
		return ks_error(err, KS_EIO, "%s: %s", dir, strerror(errno));
	while ((e = readdir(d)) != NULL)
		if (has_suffix(e->d_name) && e->d_name[0] != '.')
			*ks_vec_push(&found) = ks_strndup(a, e->d_name,
			    strlen(e->d_name) - strlen(suffix));
	closedir(d);
	if (found.n > 0) {
		qsort(found.v, found.n, sizeof(*found.v), cmp_strings);
		*names = KS_NEWN(a, const char *, found.n);
		memcpy(*names, found.v, found.n * sizeof(*found.v));
		*n = found.n;
	}
	ks_vec_free(&found);
	return KS_OK;
}

static char *
join(struct ks_arena *a, const char *const *names, size_t n)
{
	char *text = ks_strdup(a, n == 0 ? "none" : names[0]);

	for (size_t i = 1; i < n; i++)
		text = ks_printf(a, "%s, %s", text, names[i]);
	return text;
}

char *
ks_profile_known(struct ks_arena *a)
{
	const char **names;
	size_t n;

	ks_profile_list(a, &names, &n, NULL);
	return join(a, names, n);
}

/* --- choice -------------------------------------------------------------- */

static bool
fits_line(const struct ks_detect *d, const struct ks_detect_input *in)
{
	for (size_t i = 0; d->words[i] != NULL; i++) {
		const char *w = d->words[i];

		if (d->kind == KS_DETECT_OSABI ?
		    in->osabi == NULL || strcmp(in->osabi, w) != 0 :
		    in->has == NULL || !in->has(in->ctx, d->kind, w))
			return false;
	}
	return true;
}

static bool
fits(const struct ks_profile *p, const struct ks_detect_input *in)
{
	for (size_t i = 0; i < p->detects.n; i++)
		if (fits_line(&p->detects.v[i], in))
			return true;
	return false;
}

/* Does A include B?  The first file of each is its own. */
static bool
includes(const struct ks_profile *a, const struct ks_profile *b)
{
	for (size_t i = 1; i < a->real.n; i++)
		if (strcmp(a->real.v[i], b->real.v[0]) == 0)
			return true;
	return false;
}

int
ks_profile_detect(struct ks_arena *a, const struct ks_detect_input *in,
    const char **name, struct ks_error *err)
{
	KS_VEC(struct ks_profile *) fit = { 0 };
	KS_VEC(const char *) fit_names = { 0 }, best = { 0 };
	const char **names;
	size_t n;
	int rc = ks_profile_list(a, &names, &n, err);

	*name = NULL;
	for (size_t i = 0; i < n && rc == KS_OK; i++) {
		struct ks_profile *p = ks_profile_new();

		rc = ks_profile_load(p, names[i], err);
		if (rc == KS_OK && fits(p, in)) {
			*ks_vec_push(&fit) = p;
			*ks_vec_push(&fit_names) = names[i];
		} else {
			ks_profile_free(p);
		}
	}
	for (size_t i = 0; i < fit.n && rc == KS_OK; i++) {
		bool beaten = false;

		for (size_t k = 0; k < fit.n; k++)
			beaten |= includes(fit.v[k], fit.v[i]);
		if (!beaten)
			*ks_vec_push(&best) = fit_names.v[i];
	}
	if (rc == KS_OK && best.n == 1)
		*name = best.v[0];
	else if (rc == KS_OK && best.n == 0)
		rc = ks_error(err, KS_EUSAGE,
		    "cannot tell the kernel; choose a profile: %s",
		    join(a, names, n));
	else if (rc == KS_OK)
		rc = ks_error(err, KS_EUSAGE,
		    "several profiles fit (%s); choose one of: %s",
		    join(a, best.v, best.n), join(a, names, n));
	for (size_t i = 0; i < fit.n; i++)
		ks_profile_free(fit.v[i]);
	ks_vec_free(&fit);
	ks_vec_free(&fit_names);
	ks_vec_free(&best);
	return rc;
}
