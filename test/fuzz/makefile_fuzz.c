/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libFuzzer target for makefiles and the expansion of make variables.  The
 * first byte chooses BSD or GNU, the rest is a makefile; its assignments
 * are made, and every value is expanded.
 *
 * Beside memory errors it looks for lines that do not follow each other, and
 * words whose place is outside the text.
 */
#include <stdlib.h>
#include <string.h>

#include "mkfile.h"
#include "mkvar.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(c)	((c) ? (void)0 : abort())

static void
expand(const struct ks_mkenv *e, const char *text)
{
	struct ks_expansion x;

	ks_expand(e, text, strlen(text), &x);
	for (size_t i = 0; i < x.words.n; i++)
		PROMISE(x.words.v[i].off < strlen(text));
	for (size_t i = 0; i < x.mods.n; i++)
		PROMISE(x.mods.v[i].off <= strlen(text));
	ks_expansion_free(&x);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_mkenv e = { 0 };
	struct ks_mkfile m;
	uint32_t at = 0;

	/* Variables that name each other double with each line. */
	if (size < 2 || size > 512)
		return 0;
	e.arena = ks_arena_new();
	e.gnu = data[0] & 1;
	ks_mkfile_parse(e.arena, ks_strndup(e.arena, (const char *)data + 1,
	    size - 1), size - 1, e.gnu, &m);
	for (size_t i = 0; i < m.lines.n; i++) {
		const struct ks_mkline *l = &m.lines.v[i];

		PROMISE(l->begin == at && l->end > at);
		at = l->end;
		expand(&e, l->value);
		if (l->kind == KS_MK_ASSIGN)
			ks_mkenv_set(&e, l->name, l->value, false);
	}
	PROMISE(at == size - 1);
	ks_mkfile_free(&m);
	ks_vec_free(&e.v);
	ks_arena_free(e.arena);
	return 0;
}
