/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes what ksimd obj, which sees one file's code, must know of the others
 * and of the source: the functions that need a region by their source, and
 * those that do not, in which SIMD code is the compiler's.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/engine.h"

struct lines { char **v; size_t n, cap; };

static void
line(struct ks_arena *a, struct lines *l, const char *word, const char *func)
{
	*ks_vec_push(l) = ks_printf(a, "%s %s", word, func);
}

static int
by_text(const void *a, const void *b)
{
	return (strcmp(*(char *const *)a, *(char *const *)b));
}

int
ks_contract_write(struct ks_unit *const *units, size_t n,
    const struct ks_findings *f, const char *const *parts, size_t nparts,
    const char *path, const char *by, struct ks_error *err)
{
	struct ks_arena *a = ks_arena_new();
	struct ks_strtab *needs = ks_strtab_new();
	struct lines l = { 0 };
	char *data = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);
	int rc;

	if (out == NULL)
		abort();	/* out of memory */
	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].diag == KS_D_NEEDS_REGION &&
		    f->v.v[i].at.function != NULL) {
			line(a, &l, "needs", f->v.v[i].at.function);
			ks_intern(needs, f->v.v[i].at.function);
		}
	for (size_t i = 0; i < nparts; i++) {
		line(a, &l, "needs", parts[i]);
		ks_intern(needs, parts[i]);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < units[i]->funcs.n; j++) {
			const struct ks_unit *u = units[i];
			const char *name = ks_str(u->str,
			    u->syms.v[u->funcs.v[j].sym].name);

			if (ks_intern_find(needs, name) == 0)
				line(a, &l, "free", name);
		}
	if (l.n != 0)
		qsort(l.v, l.n, sizeof(l.v[0]), by_text);
	fprintf(out, "# Written by %s.\n", by);
	for (size_t i = 0; i < l.n; i++)
		if (i == 0 || strcmp(l.v[i], l.v[i - 1]) != 0)
			fprintf(out, "%s\n", l.v[i]);
	fclose(out);
	rc = ks_write_file(path, data, size, NULL, err);
	free(data);
	ks_vec_free(&l);
	ks_strtab_free(needs);
	ks_arena_free(a);
	return (rc);
}
