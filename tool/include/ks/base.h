/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What every part of ksimd shares: status codes, error text with a place,
 * an arena, interned strings and growing arrays.
 *
 * ksimd is a short-lived tool.  Memory comes from an arena that is freed
 * once; running out of it ends the process with status 3, so no allocation
 * here returns NULL.  Everything else is reported by status code: 0, or a
 * negative enum ks_err with the text in a struct ks_error.
 */
#ifndef KS_BASE_H
#define KS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ks_err {
	KS_OK = 0,
	KS_EIO = -1,		/* cannot read or write a file */
	KS_EPARSE = -2,		/* text or object file is malformed */
	KS_ENOTSUP = -3,	/* well-formed, but no input for ksimd */
	KS_EUSAGE = -4,		/* a caller's argument is wrong */
	KS_EINTERNAL = -5,
};

/* Exit status of every ksimd command. */
enum ks_exit {
	KS_EXIT_CLEAN = 0,
	KS_EXIT_FINDINGS = 1,
	KS_EXIT_USAGE = 2,
	KS_EXIT_INTERNAL = 3,
};

/*
 * One line of text, without "error:" and without newline, starting with the
 * place ("file:line:col: " or "file: ") where there is one.
 */
struct ks_error {
	char	text[512];
};

/*
 * Formats into *err (which may be NULL) and returns CODE.  Control characters
 * become '?', what is too long ends in "...".
 */
int	ks_error(struct ks_error *err, int code, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* --- arena ------------------------------------------------------------- */

struct ks_arena;		/* not thread-safe: one per thread */

struct ks_arena *ks_arena_new(void);
void	ks_arena_free(struct ks_arena *a);

/* SIZE zeroed bytes, aligned for any type. */
void	*ks_alloc(struct ks_arena *a, size_t size);
#define KS_NEW(a, type)		((type *)ks_alloc((a), sizeof(type)))
#define KS_NEWN(a, type, n)	((type *)ks_alloc((a), sizeof(type) * (n)))
char	*ks_strdup(struct ks_arena *a, const char *s);
char	*ks_strndup(struct ks_arena *a, const char *s, size_t n);
char	*ks_printf(struct ks_arena *a, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* malloc and realloc that end the process with status 3 on failure. */
void	*ks_xrealloc(void *p, size_t size);
#define ks_xmalloc(size)	ks_xrealloc(NULL, (size))

/*
 * Growing array:  KS_VEC(struct x) v = { 0 };  *ks_vec_push(&v) = e;
 * v.v[i], v.n; freed by ks_vec_free.
 */
#define KS_VEC(type)	struct { type *v; size_t n, cap; }
#define ks_vec_push(vec)						\
	((vec)->n == (vec)->cap ? ((vec)->v = ks_vec_grow((vec)->v,	\
	    &(vec)->cap, sizeof(*(vec)->v))) : 0, &(vec)->v[(vec)->n++])
#define ks_vec_free(vec)						\
	(ks_vec_release((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)
void	*ks_vec_grow(void *v, size_t *cap, size_t elem);
void	ks_vec_release(void *v);

/* --- interned strings --------------------------------------------------- */

/*
 * Dense ids for strings: the first string added is 1, 0 means "none".
 * The table owns copies.  Not thread-safe.
 */
struct ks_strtab;

struct ks_strtab *ks_strtab_new(void);
void	ks_strtab_free(struct ks_strtab *t);
uint32_t ks_intern(struct ks_strtab *t, const char *s);
uint32_t ks_intern_n(struct ks_strtab *t, const char *s, size_t n);
/* 0 when S was never interned. */
uint32_t ks_intern_find(const struct ks_strtab *t, const char *s);
uint32_t ks_intern_find_n(const struct ks_strtab *t, const char *s, size_t n);
/* "" for 0 and ids never given; lives as long as the table. */
const char *ks_str(const struct ks_strtab *t, uint32_t id);
/* Number of ids in use, 0 included. */
uint32_t ks_strtab_count(const struct ks_strtab *t);

/* --- files --------------------------------------------------------------- */

/*
 * PREFIX/PATH, if the running program is PREFIX/bin/NAME; malloc'd.  NULL:
 * the system does not tell where the program is.
 */
char	*ks_beside_program(const char *path);

/*
 * Reads a whole regular file into malloc'd memory with a NUL behind it
 * (not counted in *size).  "-" is standard input.  KS_EIO with text.
 */
int	ks_read_file(const char *path, char **data, size_t *size,
	    struct ks_error *err);

/*
 * Writes SIZE bytes through a temporary file in the same folder and a
 * rename, only if the content differs; *changed (may be NULL) says whether.
 * Writes straight into anything that exists and is not a regular file.
 * "-" is standard output.
 */
int	ks_write_file(const char *path, const char *data, size_t size,
	    bool *changed, struct ks_error *err);

#ifdef __cplusplus
}
#endif

#endif
