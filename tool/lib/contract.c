/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Contracts: what one file cannot know of its functions; ksimd.prof(5).
 *
 *   needs F...		F must be called inside a region
 *   held-by F...	F, or the function called through F, always is
 *   free F...		F needs no region by its source
 *   gate F ISA		CPUs without ISA never get to F
 *   allow ID F "why"	this finding in F is no fault
 *
 * Items are kept in order.  Those of one function form a list, which is
 * found by the function's id in a string table.
 */
#include "ks/finding.h"
#include "ks/lex.h"
#include "ks/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONTRACT_VERSION	1

struct parser {
	struct ks_contract *c;
	struct ks_lex	*lx;
	struct ks_error	*err;
	const char	*file;
	struct ks_line	 line;
	bool		 first;
};

struct ks_contract *
ks_contract_new(void)
{
	struct ks_contract *c = ks_xmalloc(sizeof(*c));

	memset(c, 0, sizeof(*c));
	c->arena = ks_arena_new();
	c->names = ks_strtab_new();
	return c;
}

void
ks_contract_free(struct ks_contract *c)
{
	if (c == NULL)
		return;
	ks_vec_free(&c->items);
	ks_vec_free(&c->first);
	ks_vec_free(&c->next);
	ks_strtab_free(c->names);
	ks_arena_free(c->arena);
	free(c);
}

/* The word at I, or an error that names what is missing. */
static const struct ks_word *
word(const struct parser *s, size_t i, const char *what, int *rc)
{
	const struct ks_word *w;

	if (i < s->line.n && s->line.words[i].text[0] != '\0')
		return &s->line.words[i];
	w = &s->line.words[i < s->line.n ? i : s->line.n - 1];
	*rc = ks_lex_error(s->lx, w, s->err, i < s->line.n ?
	    "expected %s, not '%.80s'" : "expected %s behind '%.80s'", what,
	    w->text);
	return NULL;
}

static int
line_end(const struct parser *s, size_t n)
{
	if (s->line.n <= n)
		return KS_OK;
	return ks_lex_error(s->lx, &s->line.words[n], s->err,
	    "expected the end of the line, not '%.80s'",
	    s->line.words[n].text);
}

/*
 * Adds IT for the function at word I.  A file must not say the same twice;
 * what another file has said is not added again.
 */
static int
add(struct parser *s, struct ks_contract_item *it, size_t i)
{
	struct ks_contract *c = s->c;
	struct ks_contract_item *old;
	const struct ks_word *w;
	uint32_t id;
	int rc = KS_OK;

	w = word(s, i, "a function", &rc);
	if (w == NULL)
		return rc;
	if (strchr(w->text, '*') != NULL)
		return ks_lex_error(s->lx, w, s->err,
		    "a contract is about one function, not '%.80s'", w->text);
	old = ks_contract_find(c, it->kind, w->text, it->id);
	if (old != NULL && old->file == s->file)
		return ks_lex_error(s->lx, w, s->err,
		    "'%.80s' has this contract already, in line %u", w->text,
		    old->line);
	if (old != NULL) {
		old->isa |= it->isa;
		return KS_OK;
	}
	it->func = ks_strdup(c->arena, w->text);
	it->file = s->file;
	it->line = w->line;
	it->col = w->col;
	id = ks_intern(c->names, it->func);
	while (c->first.n <= id)
		*ks_vec_push(&c->first) = 0;
	*ks_vec_push(&c->next) = c->first.v[id];
	*ks_vec_push(&c->items) = *it;
	c->first.v[id] = (uint32_t)c->items.n;
	return KS_OK;
}

static int
gate_line(struct parser *s)
{
	struct ks_contract_item it = { .kind = KS_CONTRACT_GATE };
	const struct ks_word *w;
	const char *bad;
	int rc = KS_OK, n;

	if (word(s, 1, "a function", &rc) == NULL)
		return rc;
	w = word(s, 2, "instruction sets such as aes,sse4.1", &rc);
	if (w == NULL)
		return rc;
	if (!ks_isa_parse(w->text, &it.isa, &bad)) {
		n = (int)strcspn(bad, ",");
		return ks_lex_error(s->lx, w, s->err,
		    "unknown instruction set '%.*s'", n > 80 ? 80 : n, bad);
	}
	rc = line_end(s, 3);
	return rc == KS_OK ? add(s, &it, 1) : rc;
}

static int
allow_line(struct parser *s)
{
	struct ks_contract_item it = { .kind = KS_CONTRACT_ALLOW };
	const struct ks_word *id, *reason;
	int rc = KS_OK;

	id = word(s, 1, "the id of a check", &rc);
	if (id == NULL || word(s, 2, "a function", &rc) == NULL)
		return rc;
	if (ks_diag_find(id->text) == KS_D_MAX)
		return ks_lex_error(s->lx, id, s->err, "no check '%.80s'",
		    id->text);
	reason = word(s, 3, "the reason, in quotes", &rc);
	if (reason == NULL)
		return rc;
	it.id = ks_strdup(s->c->arena, id->text);
	it.reason = ks_strdup(s->c->arena, reason->text);
	rc = line_end(s, 4);
	return rc == KS_OK ? add(s, &it, 2) : rc;
}

static int
version_line(const struct parser *s)
{
	const struct ks_word *w;
	uint64_t v;
	int rc = KS_OK;

	if (!s->first)
		return ks_lex_error(s->lx, &s->line.words[0], s->err,
		    "'version' is for the first line");
	w = word(s, 1, "a version", &rc);
	if (w == NULL)
		return rc;
	if (!ks_word_u64(w, &v))
		return ks_lex_error(s->lx, w, s->err,
		    "expected a version, not '%.80s'", w->text);
	if (v != CONTRACT_VERSION)
		return ks_lex_error(s->lx, w, s->err,
		    "version %" PRIu64 " of the format is unknown, "
		    "only %d is known", v, CONTRACT_VERSION);
	return line_end(s, 2);
}

static int
any_line(struct parser *s)
{
	const struct ks_word *w = &s->line.words[0];
	struct ks_contract_item it = { .kind = KS_CONTRACT_NEEDS };
	int rc = KS_OK;

	if (w->quoted)
		goto unknown;
	if (strcmp(w->text, "version") == 0)
		return version_line(s);
	if (strcmp(w->text, "gate") == 0)
		return gate_line(s);
	if (strcmp(w->text, "allow") == 0)
		return allow_line(s);
	if (strcmp(w->text, "held-by") == 0)
		it.kind = KS_CONTRACT_HELD_BY;
	else if (strcmp(w->text, "free") == 0)
		it.kind = KS_CONTRACT_FREE;
	else if (strcmp(w->text, "needs") != 0)
		goto unknown;
	for (size_t i = 1; (i == 1 || i < s->line.n) && rc == KS_OK; i++)
		rc = add(s, &it, i);
	return rc;
unknown:
	return ks_lex_error(s->lx, w, s->err, "unknown directive '%.80s'",
	    w->text);
}

int
ks_contract_parse(struct ks_contract *c, const char *name, const char *data,
    size_t size, struct ks_error *err)
{
	struct parser s = { .c = c, .err = err, .first = true };
	int rc;

	s.file = ks_strdup(c->arena, name);
	s.lx = ks_lex_new(name, data, size);
	while ((rc = ks_lex_line(s.lx, &s.line, err)) > 0) {
		rc = any_line(&s);
		if (rc != KS_OK)
			break;
		s.first = false;
	}
	ks_lex_free(s.lx);
	return rc;
}

int
ks_contract_load(struct ks_contract *c, const char *path,
    struct ks_error *err)
{
	size_t size;
	char *data;
	int rc = ks_read_file(path, &data, &size, err);

	if (rc != KS_OK)
		return rc;
	rc = ks_contract_parse(c, path, data, size, err);
	free(data);
	return rc;
}

struct ks_contract_item *
ks_contract_find(struct ks_contract *c, enum ks_contract_kind kind,
    const char *func, const char *id)
{
	uint32_t name = ks_intern_find(c->names, func);
	uint32_t i = name != 0 && name < c->first.n ? c->first.v[name] : 0;

	for (; i != 0; i = c->next.v[i - 1]) {
		struct ks_contract_item *it = &c->items.v[i - 1];

		if (it->kind == kind && (kind != KS_CONTRACT_ALLOW ||
		    id == NULL || strcmp(it->id, id) == 0))
			return it;
	}
	return NULL;
}
