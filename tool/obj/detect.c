/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which kernel an object is for.
 *
 * ks_profile_detect reads all profiles and asks what the object has.  With
 * thousands of modules that is slow, and the answers are nearly always the
 * same.  So the questions are remembered: an object that answers all of them
 * as an earlier one did, gets that one's profile.  A question not asked
 * before makes the remembered answers too short; they are forgotten then.
 */
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

struct question {
	enum ks_detect_kind kind;
	const char *word;
};

struct answer {
	char	*has;		/* osabi, then '0' or '1' for each question */
	const char *name;	/* NULL: does not tell */
	struct ks_error err;
};

struct ks_chooser {
	struct ks_arena *arena;
	KS_VEC(struct question) questions;
	KS_VEC(struct answer) answers;
	const struct ks_obj *obj;	/* the one being asked */
};

struct ks_chooser *
ks_chooser_new(void)
{
	struct ks_chooser *c = ks_xmalloc(sizeof(*c));

	memset(c, 0, sizeof(*c));
	c->arena = ks_arena_new();
	return c;
}

static void
forget(struct ks_chooser *c)
{
	for (size_t i = 0; i < c->answers.n; i++)
		free(c->answers.v[i].has);
	c->answers.n = 0;
}

void
ks_chooser_free(struct ks_chooser *c)
{
	if (c == NULL)
		return;
	forget(c);
	ks_vec_free(&c->answers);
	ks_vec_free(&c->questions);
	ks_arena_free(c->arena);
	free(c);
}

static bool
object_has(const struct ks_obj *o, enum ks_detect_kind kind, const char *word)
{
	if (kind == KS_DETECT_OSABI)
		return o->osabi != NULL && strcmp(o->osabi, word) == 0;
	if (kind == KS_DETECT_SECTION) {
		for (size_t i = 0; i < o->nsect; i++)
			if (o->sects[i].name != NULL &&
			    strcmp(o->sects[i].name, word) == 0)
				return true;
	} else if (kind == KS_DETECT_SYMBOL) {
		for (size_t i = 0; i < o->nsym; i++)
			if (strcmp(o->syms[i].name, word) == 0)
				return true;
	}
	return false;
}

static bool
ask(void *ctx, enum ks_detect_kind kind, const char *word)
{
	struct ks_chooser *c = ctx;
	size_t i;

	for (i = 0; i < c->questions.n; i++)
		if (c->questions.v[i].kind == kind &&
		    strcmp(c->questions.v[i].word, word) == 0)
			break;
	if (i == c->questions.n) {
		*ks_vec_push(&c->questions) = (struct question){
		    kind, ks_strdup(c->arena, word) };
		forget(c);
	}
	return object_has(c->obj, kind, word);
}

static char *
answers_of(const struct ks_chooser *c, const struct ks_obj *o)
{
	size_t n = o->osabi != NULL ? strlen(o->osabi) : 0;
	char *has = ks_xmalloc(n + c->questions.n + 1);

	if (n > 0)
		memcpy(has, o->osabi, n);
	for (size_t i = 0; i < c->questions.n; i++)
		has[n++] = object_has(o, c->questions.v[i].kind,
		    c->questions.v[i].word) ? '1' : '0';
	has[n] = '\0';
	return has;
}

const char *
ks_chooser_ask(struct ks_chooser *c, const struct ks_obj *o,
    struct ks_error *err)
{
	struct ks_detect_input in = { o->osabi, ask, c };
	struct answer new = { 0 };
	char *has = answers_of(c, o);

	for (size_t i = 0; i < c->answers.n; i++) {
		if (strcmp(c->answers.v[i].has, has) == 0) {
			free(has);
			*err = c->answers.v[i].err;
			return c->answers.v[i].name;
		}
	}
	free(has);
	c->obj = o;
	if (ks_profile_detect(c->arena, &in, &new.name, &new.err) != KS_OK)
		new.name = NULL;
	*err = new.err;
	new.has = answers_of(c, o);
	*ks_vec_push(&c->answers) = new;
	return new.name;
}
