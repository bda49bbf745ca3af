/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads profiles, ksimd.prof(5).
 *
 *   1. The first word of a line is a directive.  Most name functions and the
 *      one role these have; they share a reader that is driven by a table:
 *      which options the directive has, and which of them it needs.
 *   2. A file that is included is read where its line stands, once; a file
 *      that includes itself, directly or not, is refused.
 *   3. What a file says twice is refused.  What two files say: the later.
 *
 * Nothing is skipped: an unknown word, a missing argument or a number out of
 * range is an error with its place.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#define MAX_POSITION	63	/* of an argument */
#define MAX_INCLUDES	32	/* files that wait for an included one */

enum {
	O_CTX = 1 << 0,
	O_FLAGS = 1 << 1,
	O_CALLBACK = 1 << 2,
	O_MEANS = 1 << 3,
	O_EXACT = 1 << 4,
	O_ATOMIC = 1 << 5,
	O_COUNTED = 1 << 6,
	O_IF_MASK = 1 << 7,
	O_MAY_FAIL = 1 << 8,
	O_ALL = 1 << 9,		/* "*" alone is a name */
};

static const struct option {
	const char	*word;
	unsigned	 bit, wants;	/* options it cannot be without */
} options[] = {
	{ "ctx", O_CTX, 0 },
	{ "flags", O_FLAGS, 0 },
	{ "callback", O_CALLBACK, 0 },
	{ "means", O_MEANS, 0 },
	{ "exact", O_EXACT, 0 },
	{ "atomic", O_ATOMIC, 0 },
	{ "counted", O_COUNTED, 0 },
	{ "if-mask", O_IF_MASK, O_FLAGS },
	{ "may-fail-if", O_MAY_FAIL, O_FLAGS },
};

#define NOPTIONS	(sizeof(options) / sizeof(options[0]))

static const struct role {
	const char	*word;
	enum ks_role	 role;
	unsigned	 may, must;
} roles[] = {
	{ "alloc", KS_ROLE_ALLOC, O_FLAGS | O_MAY_FAIL, O_FLAGS },
	{ "enter", KS_ROLE_ENTER, O_CTX | O_FLAGS | O_ATOMIC | O_COUNTED, 0 },
	{ "enter-inline", KS_ROLE_ENTER_INLINE, O_ALL, 0 },
	{ "forbid-atomic", KS_ROLE_FORBID_ATOMIC, 0, 0 },
	{ "free", KS_ROLE_FREE, O_CTX, O_CTX },
	{ "ignore-call", KS_ROLE_IGNORE_CALL, 0, 0 },
	{ "indirect-thunk", KS_ROLE_INDIRECT_THUNK, 0, 0 },
	{ "leave", KS_ROLE_LEAVE, O_CTX, 0 },
	{ "leave-inline", KS_ROLE_LEAVE_INLINE, O_ALL, 0 },
	{ "libcall", KS_ROLE_LIBCALL, 0, 0 },
	{ "machinery", KS_ROLE_MACHINERY, 0, 0 },
	{ "needs-marker", KS_ROLE_MARKER, 0, 0 },
	{ "noreturn", KS_ROLE_NORETURN, 0, 0 },
	{ "query", KS_ROLE_QUERY, O_MEANS | O_EXACT, O_MEANS },
	{ "query-mask", KS_ROLE_QUERY_MASK, O_MEANS | O_EXACT, O_MEANS },
	{ "registration", KS_ROLE_REGISTRATION, 0, 0 },
	{ "return-thunk", KS_ROLE_RETURN_THUNK, 0, 0 },
	{ "sleeps", KS_ROLE_SLEEPS, O_FLAGS | O_IF_MASK, 0 },
	{ "suspends", KS_ROLE_SUSPENDS, O_CALLBACK, O_CALLBACK },
	{ "thread", KS_ROLE_THREAD, 0, 0 },
};

#define NROLES		(sizeof(roles) / sizeof(roles[0]))

/* --- rules --------------------------------------------------------------- */

static int
read_position(struct prof_parser *s, int *out)
{
	uint64_t v;
	int rc = prof_read_num(s, 0, MAX_POSITION,
	    "an argument's position", &v);

	if (rc == KS_OK)
		*out = (int)v;
	return rc;
}

/* A name of a function or field; only its last character may be '*'. */
static int
check_name(const struct prof_parser *s, const struct ks_word *w, bool all)
{
	const char *star = strchr(w->text, '*');

	if (w->text[0] == '\0')
		return ks_lex_error(s->lx, w, s->err, "empty name");
	if (star != NULL && star[1] != '\0')
		return ks_lex_error(s->lx, w, s->err,
		    "'*' is for the end of a name");
	if (star == w->text && !all)
		return ks_lex_error(s->lx, w, s->err,
		    "'*' alone names every function");
	return KS_OK;
}

static const struct option *
find_option(const struct ks_word *w, unsigned may)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if ((options[i].bit & may) && prof_is_word(w, options[i].word))
			return &options[i];
	return NULL;
}

static int
read_means(struct prof_parser *s, unsigned *out)
{
	static const char *const words[] = {
		"thread", "region", "atomic", "may-enter",
	};
	const struct ks_word *w = prof_take(s);
	const char *t = w != NULL ? w->text : "";

	*out = 0;
	for (;;) {
		size_t n = strcspn(t, ","), i;

		for (i = 0; i < 4; i++)
			if (strlen(words[i]) == n &&
			    memcmp(words[i], t, n) == 0)
				break;
		if (i == 4) {
			s->at -= w != NULL;
			return prof_expected(s, "what it means: thread, "
			    "region, atomic or may-enter");
		}
		*out |= 1u << i;
		if (t[n] == '\0')
			return KS_OK;
		t += n + 1;
	}
}

static int
read_option(struct prof_parser *s, unsigned bit, struct ks_rule *r)
{
	switch (bit) {
	case O_CTX:
		return read_position(s, &r->ctx);
	case O_FLAGS:
		return read_position(s, &r->flags);
	case O_CALLBACK:
		return read_position(s, &r->callback);
	case O_MEANS:
		return read_means(s, &r->means);
	case O_EXACT:
		r->exact = true;
		return KS_OK;
	case O_ATOMIC:
		r->atomic = true;
		return KS_OK;
	case O_COUNTED:
		r->counted = true;
		return KS_OK;
	default:
		return prof_read_mask(s, &r->mask);
	}
}

/* "expected one of these options" */
static int
bad_option(const struct prof_parser *s, unsigned may)
{
	char what[128];
	size_t n = 0;

	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].bit & may)
			n += (size_t)snprintf(what + n, sizeof(what) - n,
			    "%s'%s'", n > 0 ? ", " : "", options[i].word);
	return prof_expected(s, what);
}

/* The options of a line, up to its end. */
static int
read_options(struct prof_parser *s, const struct role *d, struct ks_rule *r)
{
	unsigned have = 0, missing = d->must;
	const struct option *o;
	int rc;

	while (prof_peek(s) != NULL) {
		o = find_option(prof_peek(s), d->may);
		if (o == NULL)
			return bad_option(s, d->may);
		if (have & o->bit)
			return ks_lex_error(s->lx, prof_peek(s), s->err,
			    "'%s' is given twice", o->word);
		s->at++;
		have |= o->bit;
		missing |= o->wants;
		rc = read_option(s, o->bit, r);
		if (rc != KS_OK)
			return rc;
	}
	/* The argument that a mask is for says nothing alone. */
	if (d->role == KS_ROLE_SLEEPS && (have & O_FLAGS))
		missing |= O_IF_MASK;
	for (size_t i = 0; i < NOPTIONS; i++)
		if (missing & ~have & options[i].bit)
			return bad_option(s, options[i].bit);
	return KS_OK;
}

static int
add_rule(struct prof_parser *s, struct ks_rule *r, const struct ks_word *w)
{
	const struct ks_rule *old;
	uint32_t id = ks_intern_find(s->p->names, w->text);

	/* Fields are tested for several bits. */
	old = r->role != KS_ROLE_QUERY_MASK && id != 0 &&
	    id < s->p->byname.n ? s->p->byname.v[id] : NULL;
	for (; old != NULL; old = old->next)
		if (old->role == r->role && old->file == s->file)
			return ks_lex_error(s->lx, w, s->err,
			    "'%.80s' has this role already, in line %u",
			    w->text, old->line);
	r->name = prof_keep(s, w);
	r->file = s->file;
	r->line = w->line;
	r->col = w->col;
	ks_profile_add_rule(s->p, r);
	return KS_OK;
}

static int
role_line(struct prof_parser *s, const struct role *d)
{
	struct ks_rule r = {
		.role = d->role, .ctx = -1, .flags = -1, .callback = -1,
	};
	size_t first = s->at, end;
	int rc = KS_OK;

	while (prof_peek(s) != NULL &&
	    find_option(prof_peek(s), d->may) == NULL) {
		rc = check_name(s, prof_peek(s), (d->may & O_ALL) != 0);
		if (rc != KS_OK)
			return rc;
		s->at++;
		if (d->role == KS_ROLE_QUERY_MASK)
			break;
	}
	end = s->at;
	if (end == first)
		return prof_expected(s, d->role == KS_ROLE_QUERY_MASK ?
		    "a field" : "a function");
	if (d->role == KS_ROLE_QUERY_MASK)
		rc = prof_read_mask(s, &r.mask);
	if (rc == KS_OK)
		rc = read_options(s, d, &r);
	for (size_t i = first; i < end && rc == KS_OK; i++)
		rc = add_rule(s, &r, &s->line.words[i]);
	return rc;
}

/* --- files --------------------------------------------------------------- */

static int read_data(struct prof_parser *s, const char *data, size_t size);

static const char *
folder_of(struct ks_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? "." :
	    ks_strndup(a, path, (size_t)(slash - path) + (slash == path));
}

static bool
is_loaded(const struct ks_profile *p, const char *real)
{
	for (size_t i = 0; i < p->real.n; i++)
		if (strcmp(p->real.v[i], real) == 0)
			return true;
	return false;
}

static int
include_line(struct prof_parser *s)
{
	struct prof_parser inner = {
		.p = s->p, .err = s->err, .outer = s, .depth = s->depth + 1,
		.name_depth = s->name_depth,
	};
	const struct ks_word *w = prof_peek(s);
	int rc = KS_OK;
	const char *name = prof_read_word(s, "a profile", &rc);
	struct ks_error why;
	size_t size;
	char *data;

	if (rc == KS_OK)
		rc = prof_line_end(s);
	if (rc != KS_OK)
		return rc;
	inner.file = ks_profile_path(s->p->arena, name,
	    folder_of(s->p->arena, s->file));
	inner.real = ks_profile_real(s->p->arena, inner.file);
	for (const struct prof_parser *o = s; o != NULL; o = o->outer)
		if (strcmp(o->real, inner.real) == 0)
			return ks_lex_error(s->lx, w, s->err,
			    "'%.80s' includes itself", inner.file);
	if (is_loaded(s->p, inner.real))
		return KS_OK;
	if (inner.depth > MAX_INCLUDES)
		return ks_lex_error(s->lx, w, s->err,
		    "includes are nested too deeply");
	if (ks_read_file(inner.file, &data, &size, &why) != KS_OK)
		return ks_lex_error(s->lx, w, s->err, "%s", why.text);
	rc = read_data(&inner, data, size);
	free(data);
	return rc;
}

/* --- lines --------------------------------------------------------------- */

static int
any_line(struct prof_parser *s)
{
	const struct ks_word *w = prof_take(s);
	int rc;

	for (size_t i = 0; i < NROLES; i++)
		if (prof_is_word(w, roles[i].word))
			return role_line(s, &roles[i]);
	if (prof_is_word(w, "include"))
		return include_line(s);
	rc = prof_fact_line(s, w);
	return rc <= 0 ? rc : ks_lex_error(s->lx, w, s->err,
	    "unknown directive '%.80s'", w->text);
}

static int
read_data(struct prof_parser *s, const char *data, size_t size)
{
	int rc;

	*ks_vec_push(&s->p->loaded) = s->file;
	*ks_vec_push(&s->p->real) = s->real;
	s->lx = ks_lex_new(s->file, data, size);
	s->first = true;
	while ((rc = ks_lex_line(s->lx, &s->line, s->err)) > 0) {
		s->at = 0;
		rc = any_line(s);
		if (rc != KS_OK)
			break;
		s->first = false;
	}
	ks_lex_free(s->lx);
	return rc;
}

int
ks_profile_parse(struct ks_profile *p, const char *name, const char *data,
    size_t size, struct ks_error *err)
{
	unsigned name_depth = UINT32_MAX;
	struct prof_parser s = {
		.p = p, .err = err, .name_depth = &name_depth
	};
	int rc;

	s.file = ks_strdup(p->arena, name);
	s.real = ks_profile_real(p->arena, name);
	rc = read_data(&s, data, size);
	ks_profile_index(p);
	return rc;
}

int
ks_profile_load(struct ks_profile *p, const char *name, struct ks_error *err)
{
	unsigned name_depth = UINT32_MAX;
	struct prof_parser s = {
		.p = p, .err = err, .name_depth = &name_depth
	};
	struct ks_error why;
	size_t size;
	char *data;
	int rc;

	s.file = ks_profile_path(p->arena, name, NULL);
	s.real = ks_profile_real(p->arena, s.file);
	if (is_loaded(p, s.real))
		return KS_OK;
	rc = ks_read_file(s.file, &data, &size, &why);
	if (rc != KS_OK && !ks_profile_is_path(name))
		return ks_error(err, KS_EUSAGE,
		    "no profile '%.80s' in %s; known: %s", name,
		    ks_profile_dir(), ks_profile_known(p->arena));
	if (rc != KS_OK)
		return ks_error(err, rc, "%s", why.text);
	rc = read_data(&s, data, size);
	free(data);
	ks_profile_index(p);
	return rc;
}
