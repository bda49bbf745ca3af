/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The words that the compiler is given.
 *
 * Those of the user stay as they are, response files too; what is added
 * goes behind them, or in front of "--".  The user's -o goes: gcc makes
 * dependencies for each of two.  One input of several is compiled with the
 * words of response files themselves, without the other inputs.
 */
#include "job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORDS	((size_t)100000)	/* bytes on a command line */

static void
add(struct cc_words *w, const char *text)
{
	*ks_vec_push(w) = text;
}

static void
add_all(struct cc_words *w, const struct cc_words *more)
{
	for (size_t i = 0; i < more->n; i++)
		add(w, more->v[i]);
}

static void
add_xclang(struct cc_words *w, const char *option, const char *value)
{
	add(w, "-Xclang");
	add(w, option);
	if (value == NULL)
		return;
	add(w, "-Xclang");
	add(w, value);
}

/* --- names ------------------------------------------------------------ */

static const char *
last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* PATH up to the dot of its last suffix. */
static const char *
stem(const struct cc_job *j, const char *path)
{
	const char *dot = strrchr(last_name(path), '.');

	return dot == NULL ? path :
	    ks_strndup(j->a.arena, path, (size_t)(dot - path));
}

const char *
cc_target(const struct cc_job *j, const struct cc_input *in)
{
	if (j->a.output != NULL)
		return j->a.output;
	if (in == NULL)
		return "a.out";
	return ks_printf(j->a.arena, "%s.o", stem(j, last_name(in->name)));
}

/* --- words for the compiler ------------------------------------------- */

/* What comes from -o but the object: as if -o were the target. */
static void
add_names(const struct cc_job *j, struct cc_words *w, const char *target)
{
	struct ks_arena *a = j->a.arena;
	const char *base = stem(j, target), *slash = strrchr(base, '/');
	char cwd[PATH_MAX];
	bool clang = j->compiler.kind == CC_CLANG;
	/*
	 * -Wp, goes past gcc's driver: its preprocessor names the target after
	 * the source.  To clang, "-Wp,-MD,FILE" is -MD -MF FILE, and with more
	 * words -MD alone.
	 */
	bool deps = j->a.deps || (clang && j->a.deps_wp_odd);

	if (deps && !j->a.dep_file && !j->a.deps_wp) {
		add(w, "-MF");
		add(w, ks_printf(a, "%s.d", base));
	}
	if ((deps || (clang && j->a.deps_wp)) && !j->a.dep_target) {
		add(w, "-MQ");
		add(w, target);
	}
	if (clang && j->a.split_dwarf)
		add_xclang(w, "-split-dwarf-file",
		    ks_printf(a, "%s.dwo", base));
	if (clang && j->a.coverage && (base[0] == '/' ||
	    getcwd(cwd, sizeof(cwd)) != NULL))
		add_xclang(w, base[0] == '/' ?
		    ks_printf(a, "-coverage-data-file=%s.gcda", base) :
		    ks_printf(a, "-coverage-data-file=%s/%s.gcda", cwd, base),
		    NULL);
	if (!clang && (j->a.split_dwarf || j->a.coverage) &&
	    !j->a.dump_names) {
		add(w, "-dumpdir");
		add(w, slash == NULL ? "" : ks_strndup(a, base,
		    (size_t)(slash + 1 - base)));
		add(w, "-dumpbase");
		add(w, last_name(base));
		add(w, "-dumpbase-ext");
		add(w, "");
	}
}

static void
add_mllvm(const struct cc_job *j, struct cc_words *w, const char *option,
    const char *value)
{
	add(w, "-mllvm");
	add(w, ks_printf(j->a.arena, "-ksimd-%s=%s", option, value));
}

static void
add_pass(const struct cc_job *j, struct cc_words *w,
    const struct cc_output *out)
{
	add(w, ks_printf(j->a.arena, "-fplugin=%s", j->plugin));
	add(w, ks_printf(j->a.arena, "-fpass-plugin=%s", j->plugin));
	for (size_t i = 0; i < j->o.profiles.n; i++)
		add_mllvm(j, w, "profile", j->o.profiles.v[i]);
	for (size_t i = 0; i < j->o.contracts.n; i++)
		add_mllvm(j, w, "contract", j->o.contracts.v[i]);
	add_mllvm(j, w, "emit-contract", out->contract);
	if (j->a.lto) {
		add(w, "-mllvm");
		add(w, "-ksimd-embed-facts");
	}
	/* A remark, even one that never comes, makes clang keep lines. */
	if (!j->a.debug)
		add(w, "-Rpass-missed=ksimd-none");
}

static bool
is_other_input(const struct cc_args *a, size_t word, const struct cc_input *in)
{
	for (size_t i = 0; i < a->inputs.n; i++)
		if (a->inputs.v[i].word == word)
			return a->inputs.v[i].word != in->word &&
			    a->inputs.v[i].lang != CC_LANG_NONE;
	return false;
}

/*
 * The words of response files themselves, without the other inputs; in a
 * response file again if they are too many for a command line.
 */
static int
add_expanded(const struct cc_job *j, struct cc_words *w,
    const struct cc_input *in, const struct cc_words *extra,
    const struct cc_output *out,
    struct ks_error *err)
{
	struct cc_words all = { 0 };
	size_t size = 0;
	char *text;
	int rc = KS_OK;

	for (size_t i = 0; i <= j->a.words.n; i++) {
		if (i == j->a.end)
			add_all(&all, extra);
		if (i < j->a.words.n && !j->a.origins.v[i].output &&
		    (in == NULL || !is_other_input(&j->a, i, in)))
			add(&all, j->a.words.v[i]);
	}
	for (size_t i = 0; i < all.n; i++)
		size += strlen(all.v[i]) + 1;
	if (size <= MAX_WORDS || out == NULL) {
		add_all(w, &all);
	} else {
		text = cc_response_text(all.v, all.n);
		rc = ks_write_file(out->response, text, strlen(text), NULL,
		    err);
		free(text);
		add(w, ks_printf(j->a.arena, "@%s", out->response));
	}
	ks_vec_free(&all);
	return rc;
}

/* The words as they were given, but for -o. */
static void
add_given(const struct cc_job *j, struct cc_words *w,
    const struct cc_words *extra)
{
	const struct cc_args *a = &j->a;
	size_t at = 0;

	for (int i = 0; j->ncompiler + i < j->argc; i++) {
		/* The word of this argument, if it is no response file. */
		while (at < a->words.n && a->origins.v[at].arg < i)
			at++;
		if (at < a->words.n && at == a->end &&
		    a->origins.v[at].arg == i)
			add_all(w, extra);
		if (at == a->words.n || a->origins.v[at].arg != i ||
		    !a->origins.v[at].output)
			add(w, j->argv[j->ncompiler + i]);
	}
	if (a->end == a->words.n)
		add_all(w, extra);
}

size_t
cc_compiled_inputs(const struct cc_args *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->inputs.n; i++)
		n += a->inputs.v[i].lang != CC_LANG_NONE;
	return n;
}

int
cc_command(const struct cc_job *j, const struct cc_input *in,
    const struct cc_output *out, struct cc_words *w, struct ks_error *err)
{
	struct cc_words extra = { 0 };
	int rc = KS_OK;

	for (int i = 0; i < j->ncompiler; i++)
		add(w, j->argv[i]);
	if (out != NULL) {
		add(&extra, "-o");
		add(&extra, out->object);
	} else if (j->compiler.kind == CC_CLANG) {
		/* The others use what this one does not. */
		add(&extra, "-Qunused-arguments");
	}
	if (out != NULL && in != NULL)
		add_names(j, &extra, out->target);
	if (out != NULL && in != NULL && j->plugin != NULL)
		add_pass(j, &extra, out);
	if (in != NULL && cc_compiled_inputs(&j->a) > 1)
		rc = add_expanded(j, w, in, &extra, out, err);
	else if (j->a.fixed)
		rc = add_expanded(j, w, NULL, &extra, out, err);
	else
		add_given(j, w, &extra);
	*ks_vec_push(w) = NULL;
	ks_vec_free(&extra);
	return rc;
}
