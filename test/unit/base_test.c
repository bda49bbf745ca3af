/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Errors, arena, arrays, interned strings and whole files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include <dirent.h>
#include <unistd.h>

#include "ks/base.h"
#include "scratch.h"

static void
error_is_one_line(void **state)
{
	struct ks_error e;
	char big[600];

	(void)state;
	assert_int_equal(ks_error(&e, KS_EPARSE, "%s:%d: no", "f", 3),
	    KS_EPARSE);
	assert_string_equal(e.text, "f:3: no");
	assert_int_equal(ks_error(NULL, KS_EIO, "x"), KS_EIO);
	ks_error(&e, KS_EIO, "a\nb\033[31m\x7f\t");
	assert_string_equal(e.text, "a?b?[31m??");
	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	ks_error(&e, KS_EIO, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(e.text + sizeof(e.text) - 6, "yy...");
}

static void
arena_is_zeroed_and_aligned(void **state)
{
	struct ks_arena *a = ks_arena_new();
	static const size_t sizes[] = { 0, 1, 15, 17, 4096, 100000, 3000000 };
	char *p[7];

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		p[i] = ks_alloc(a, sizes[i]);
		assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(p[i][k], 0);
		memset(p[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < 7; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(p[i][k], (int)i + 1);
	for (int i = 0; i < 100000; i++)
		*KS_NEW(a, int) = i;
	assert_string_equal(ks_strdup(a, "abc"), "abc");
	assert_string_equal(ks_strndup(a, "abc", 2), "ab");
	assert_string_equal(ks_printf(a, "%s-%d", "n", 42), "n-42");
	assert_string_equal(ks_printf(a, "%s", ""), "");
	ks_arena_free(a);
	ks_arena_free(NULL);
}

static void
vec_grows(void **state)
{
	KS_VEC(int) v = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		*ks_vec_push(&v) = i;
	assert_int_equal(v.n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.v[i], i);
	ks_vec_free(&v);
	assert_null(v.v);
	assert_int_equal(v.n, 0);
}

static void
strings_get_dense_ids(void **state)
{
	struct ks_strtab *t = ks_strtab_new();
	const char *first;
	char buf[32];

	(void)state;
	assert_string_equal(ks_str(t, 0), "");
	assert_string_equal(ks_str(t, 77), "");
	assert_int_equal(ks_strtab_count(t), 1);
	assert_int_equal(ks_intern_find(t, "n0"), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(buf, sizeof(buf), "n%u", i);
		assert_int_equal(ks_intern(t, buf), i + 1);
	}
	first = ks_str(t, 1);
	assert_int_equal(ks_strtab_count(t), 20001);
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(buf, sizeof(buf), "n%u", i);
		assert_int_equal(ks_intern(t, buf), i + 1);
		assert_int_equal(ks_intern_find(t, buf), i + 1);
		assert_string_equal(ks_str(t, i + 1), buf);
	}
	assert_ptr_equal(first, ks_str(t, 1));
	assert_int_equal(ks_intern_n(t, "n12xyz", 3), 13);
	assert_int_equal(ks_intern(t, ""), 20001);
	ks_strtab_free(t);
	ks_strtab_free(NULL);
}

static void
assert_read_fails(const char *path, const char *text)
{
	struct ks_error e;
	size_t n = 1;
	char *data = (char *)1, want[600];

	assert_int_equal(ks_read_file(path, &data, &n, &e), KS_EIO);
	assert_null(data);
	assert_int_equal(n, 0);
	snprintf(want, sizeof(want), "%s: %s", path, text);
	assert_string_equal(e.text, want);
}

static void
reading_wants_a_regular_file(void **state)
{
	const char *pipe = scratch_path("pipe");
	size_t n;
	char *data;

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_read_fails(pipe, "is not a regular file");
	assert_read_fails(scratch, "is a directory");
	assert_read_fails(scratch_path("none"), "No such file or directory");
	assert_int_equal(ks_read_file(scratch_file("empty", ""), &data, &n,
	    NULL), KS_OK);
	assert_int_equal(n, 0);
	assert_string_equal(data, "");
	free(data);
	assert_int_equal(ks_read_file(scratch_file("text", "a\nb"), &data, &n,
	    NULL), KS_OK);
	assert_int_equal(n, 3);
	assert_string_equal(data, "a\nb");
	free(data);
}

static size_t
files_in_scratch(void)
{
	DIR *d = opendir(scratch);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static void
assert_content(const char *path, const char *want)
{
	size_t n;
	char *data;

	assert_int_equal(ks_read_file(path, &data, &n, NULL), KS_OK);
	assert_string_equal(data, want);
	free(data);
}

static void
writing_keeps_what_is_the_same(void **state)
{
	const char *path = scratch_path("out");
	struct stat a, b;
	bool changed;
	size_t files;

	(void)state;
	assert_int_equal(ks_write_file(path, "one", 3, &changed, NULL), KS_OK);
	assert_true(changed);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(stat(path, &a), 0);
	files = files_in_scratch();
	assert_int_equal(ks_write_file(path, "one", 3, &changed, NULL), KS_OK);
	assert_false(changed);
	assert_int_equal(stat(path, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(ks_write_file(path, "two", 3, &changed, NULL), KS_OK);
	assert_true(changed);
	assert_content(path, "two");
	assert_int_equal(stat(path, &b), 0);
	assert_int_equal(b.st_mode & 07777, 0640);
	assert_int_equal(files_in_scratch(), files);
}

static void
writing_follows_links_and_devices(void **state)
{
	const char *link = scratch_path("link"), *gone = scratch_path("gone");
	const char *target = scratch_file("target", "old");
	struct ks_error e;
	struct stat st;
	char want[600];
	size_t files;

	(void)state;
	assert_int_equal(symlink("target", link), 0);
	assert_int_equal(ks_write_file(link, "new", 3, NULL, NULL), KS_OK);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_content(target, "new");
	files = files_in_scratch();
	assert_int_equal(ks_write_file("/dev/null", "x", 1, NULL, NULL),
	    KS_OK);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	gone = scratch_path("gone/out");
	assert_int_equal(ks_write_file(gone, "x", 1, NULL, &e), KS_EIO);
	snprintf(want, sizeof(want), "%s: No such file or directory", gone);
	assert_string_equal(e.text, want);
	assert_int_equal(ks_write_file(scratch, "x", 1, NULL, &e), KS_EIO);
	assert_int_equal(files_in_scratch(), files);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_is_one_line),
		cmocka_unit_test(arena_is_zeroed_and_aligned),
		cmocka_unit_test(vec_grows),
		cmocka_unit_test(strings_get_dense_ids),
		cmocka_unit_test(reading_wants_a_regular_file),
		cmocka_unit_test(writing_keeps_what_is_the_same),
		cmocka_unit_test(writing_follows_links_and_devices),
	};
	int failed;

	scratch_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove();
	return failed;
}
