/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libFuzzer target for files.* lists: parser, remarks, selection's rule
 * text and the generator, in each dialect.  The first byte of the input
 * chooses dialect and kind of list, the rest is the list.
 *
 * Beside memory errors it looks for broken promises: items that do not
 * cover the text, and a generated entry that does not read back as one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "make.h"

int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(c)	((c) ? (void)0 : abort())

static void
ignore(void *ctx, enum ks_drop what, const struct ks_list *l,
    const struct ks_fword *at, const char *text)
{
	(void)what;
	(void)ctx;
	PROMISE(at->off + at->len <= l->size && *text != '\0');
}

static void
check_items(const struct ks_list *l)
{
	const struct ks_remarks r = { ignore, NULL };
	size_t at = 0;

	for (size_t i = 0; i < l->items.n; i++) {
		const struct ks_item *it = &l->items.v[i];

		PROMISE(it->begin == at && it->end > at);
		at = it->end;
		PROMISE((it->stop == KS_STOP_NONE) == (it->stop_at == NULL));
		ks_item_drops(l, it, NULL, NULL, &r);
	}
	PROMISE(at == l->size);
}

/* All entries that config(8) accepts, as if each were selected. */
static void
write_rules(const struct ks_list *l, FILE *null)
{
	struct ks_selection s = { .arena = ks_arena_new() };

	for (size_t i = 0; i < l->items.n; i++)
		if (l->items.v[i].kind == KS_ITEM_ENTRY &&
		    l->items.v[i].stop == KS_STOP_NONE)
			*ks_vec_push(&s.files) =
			    (struct ks_selected){ l, &l->items.v[i] };
	ks_make_write(&s, null, null);
	ks_vec_free(&s.files);
	ks_arena_free(s.arena);
}

static void
generate(const struct ks_list *l)
{
	struct ks_profile none = { 0 };
	struct ks_gen g = { .dialect = l->dialect, .arch = "amd64",
	    .profile = &none };
	struct ks_list *again;
	struct ks_error err;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		abort();
	if (ks_generate_files(l, &g, f, &err) == KS_OK) {
		fflush(f);
		PROMISE(ks_list_parse("g", "g", text, size, l->dialect, false,
		    &again, &err) == KS_OK);
		for (size_t i = 0; i < again->items.n; i++) {
			PROMISE(again->items.v[i].kind == KS_ITEM_ENTRY);
			PROMISE(again->items.v[i].stop == KS_STOP_NONE);
		}
		ks_list_free(again);
	}
	fclose(f);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	struct ks_error err;
	struct ks_list *l;

	if (null == NULL && (null = fopen("/dev/null", "w")) == NULL)
		abort();
	if (size == 0)
		return 0;
	if (ks_list_parse("f", "f", (const char *)data + 1, size - 1,
	    (enum ks_dialect)(data[0] % KS_DIALECT_MAX), data[0] & 0x80, &l,
	    &err) != KS_OK)
		return 0;
	check_items(l);
	write_rules(l, null);
	if (l->simd)
		generate(l);
	ks_list_free(l);
	return 0;
}
