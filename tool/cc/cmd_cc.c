/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd cc": compiles, proves, and only then puts the object in place.
 *
 *   1. Read the compiler's command line (args.c).  What makes no object from
 *      C, and what is no kernel code (unit.c), becomes the compiler itself:
 *      same status, same signals.
 *   2. Else, for each input: compile into a folder of its own (output.c),
 *      with the pass if the compiler is the clang it is built for.  Names
 *      that the compiler makes from -o are given it as they would have been.
 *   3. Prove the object (prove.c), and put it in place or drop it.
 *   4. -flto: -c gives bitcode, which passes on.  The link of a kernel (-r or
 *      -nostdlib) is proven instead.
 *
 * Words are added behind the given ones, or in front of "--".  The given -o
 * goes: gcc makes dependencies for each of two.
 */
#include "cc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc_priv.h"
#include "unit.h"

#define MAX_WORDS	((size_t)100000)	/* bytes on a command line */

#define OPT(name, letter, kind, arg, help, field)			\
	{ name, letter, kind, arg, help, offsetof(struct cc_opts, field), 0 }

static const struct ks_opt options[] = {
	OPT("contract", 0, KS_OPT_LIST, "FILE",
	    "read a contract (may be repeated)", contracts),
	OPT("keep", 0, KS_OPT_FLAG, NULL,
	    "keep a rejected object as TARGET.rejected", keep),
	OPT("no-pass", 0, KS_OPT_FLAG, NULL,
	    "compile without the pass, and prove what comes", no_pass),
	OPT("verbose", 'v', KS_OPT_FLAG, NULL,
	    "print what is run, and what is proven", verbose),
	{ .name = NULL },
};

static const struct ks_command command = {
	.name = "cc", .operands = "[--] compiler [argument ...]",
	.summary = "Compiles C, and gives an object only if it is proven.",
	.groups = KS_OPTS_PROFILE,
	.operand_ends = true,
	.opts = options,
};

struct job {
	struct cc_opts o;
	char	**argv;		/* compiler and arguments, as given */
	int	 argc;
	int	 ncompiler;	/* words of argv that are the compiler */
	struct cc_compiler compiler;
	struct ks_arena *arena;	/* compiler's */
	struct cc_args a;
	char	*plugin;	/* NULL: not used */
};

struct words { const char **v; size_t n, cap; };

static void
add(struct words *w, const char *text)
{
	*ks_vec_push(w) = text;
}

static void
add_all(struct words *w, const struct words *more)
{
	for (size_t i = 0; i < more->n; i++)
		add(w, more->v[i]);
}

static void
add_xclang(struct words *w, const char *option, const char *value)
{
	add(w, "-Xclang");
	add(w, option);
	if (value == NULL)
		return;
	add(w, "-Xclang");
	add(w, value);
}

/* --- names ----------------------------------------------------------------- */

static const char *
last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* PATH up to the dot of its last suffix. */
static const char *
stem(const struct job *j, const char *path)
{
	const char *dot = strrchr(last_name(path), '.');

	return dot == NULL ? path :
	    ks_strndup(j->a.arena, path, (size_t)(dot - path));
}

static const char *
target_of(const struct job *j, const struct cc_input *in)
{
	if (j->a.output != NULL)
		return j->a.output;
	if (in == NULL)
		return "a.out";
	return ks_printf(j->a.arena, "%s.o", stem(j, last_name(in->name)));
}

/* --- words for the compiler -------------------------------------------------- */

/* What comes from -o but the object: as if -o were the target. */
static void
add_names(const struct job *j, struct words *w, const char *target)
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
add_mllvm(const struct job *j, struct words *w, const char *option,
    const char *value)
{
	add(w, "-mllvm");
	add(w, ks_printf(j->a.arena, "-ksimd-%s=%s", option, value));
}

static void
add_pass(const struct job *j, struct words *w, const struct cc_output *out)
{
	add(w, ks_printf(j->a.arena, "-fplugin=%s", j->plugin));
	add(w, ks_printf(j->a.arena, "-fpass-plugin=%s", j->plugin));
	for (size_t i = 0; i < j->o.profiles.n; i++)
		add_mllvm(j, w, "profile", j->o.profiles.v[i]);
	for (size_t i = 0; i < j->o.contracts.n; i++)
		add_mllvm(j, w, "contract", j->o.contracts.v[i]);
	add_mllvm(j, w, "emit-contract", out->contract);
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
add_expanded(const struct job *j, struct words *w, const struct cc_input *in,
    const struct words *extra, const struct cc_output *out,
    struct ks_error *err)
{
	struct words all = { 0 };
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
add_given(const struct job *j, struct words *w, const struct words *extra)
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

static size_t
compiled_inputs(const struct cc_args *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->inputs.n; i++)
		n += a->inputs.v[i].lang != CC_LANG_NONE;
	return n;
}

/* IN: NULL for a link.  OUT: NULL for what is not checked. */
static int
make_command(const struct job *j, const struct cc_input *in,
    const struct cc_output *out, struct words *w, struct ks_error *err)
{
	struct words extra = { 0 };
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
	if (in != NULL && compiled_inputs(&j->a) > 1)
		rc = add_expanded(j, w, in, &extra, out, err);
	else if (j->a.fixed)
		rc = add_expanded(j, w, NULL, &extra, out, err);
	else
		add_given(j, w, &extra);
	*ks_vec_push(w) = NULL;
	ks_vec_free(&extra);
	return rc;
}

/* --- one object ---------------------------------------------------------------- */

static bool
is_bitcode(const char *path)
{
	unsigned char magic[4] = { 0 };
	FILE *f = fopen(path, "r");
	size_t n = f != NULL ? fread(magic, 1, 4, f) : 0;

	if (f != NULL)
		fclose(f);
	return n == 4 && (memcmp(magic, "BC\xc0\xde", 4) == 0 ||
	    memcmp(magic, "\xde\xc0\x17\x0b", 4) == 0);
}

static int
prove(const struct job *j, const struct cc_input *in,
    const struct cc_output *out)
{
	struct cc_proof p = { .o = &j->o, .kind = j->compiler.kind,
	    .pass = j->plugin != NULL && in != NULL, .file = out->object,
	    .name = strcmp(out->target, "-") == 0 ? "<stdout>" : out->target };
	const char *later = in == NULL ? NULL :
	    is_bitcode(out->object) ? "bitcode" : j->a.lto &&
	    !j->a.fat_lto && j->compiler.kind == CC_GCC ?
	    "no machine code" : NULL;

	/* gcc's fat objects have code, and what they are linked into other. */
	if (later != NULL) {
		if (j->o.verbose)
			fprintf(stderr, "ksimd: %s: %s, to be proven when it "
			    "is linked\n", out->target, later);
		return KS_EXIT_CLEAN;
	}
	if (access(out->contract, R_OK) == 0)
		p.contract = out->contract;
	return cc_prove(&p);
}

/* The compiler has made something, or nothing. */
static int
finish(const struct job *j, const struct cc_input *in, struct cc_output *out)
{
	struct ks_error err;
	int status, rc;

	/* Some option that is not known here leaves no object. */
	if (cc_output_size(out) <= 0)
		return KS_EXIT_CLEAN;
	status = prove(j, in, out);
	rc = status == KS_EXIT_CLEAN ? cc_output_commit(out, &err) :
	    cc_output_drop(out, true, j->o.keep, false, &err);
	return rc == KS_OK ? status : ks_fail(&err, rc);
}

/* OUT: NULL for what is not checked. */
static int
run_compiler(const struct job *j, const struct words *w,
    struct cc_output *out, int *sig)
{
	struct ks_error err;
	int status, rc;

	if (j->o.verbose)
		cc_print_command((char *const *)w->v);
	status = cc_run((char *const *)w->v, sig, &err);
	if (status == CC_SIGNALLED)
		return status;
	if (status == CC_NOT_RUN)
		return ks_fail(&err, KS_EIO);
	if (status != 0 && out != NULL) {
		rc = cc_output_drop(out, out->premade &&
		    cc_output_size(out) < 0, false, true, &err);
		if (rc != KS_OK)
			ks_fail(&err, rc);
	}
	return status;
}

static int
make_one(const struct job *j, const struct cc_input *in)
{
	struct cc_output out;
	struct words w = { 0 };
	struct ks_error err;
	int status, sig = 0, rc;

	if ((rc = cc_output_open(&out, target_of(j, in), in != NULL, &err)) !=
	    KS_OK)
		return ks_fail(&err, rc);
	if ((rc = make_command(j, in, &out, &w, &err)) != KS_OK)
		status = ks_fail(&err, rc);
	else if ((status = run_compiler(j, &w, &out, &sig)) == 0)
		status = finish(j, in, &out);
	ks_vec_free(&w);
	cc_output_close(&out);
	if (status == CC_SIGNALLED)
		cc_die(sig);
	return status;
}

/* Assembler and the like among C sources. */
static int
make_unchecked(const struct job *j, const struct cc_input *in)
{
	struct words w = { 0 };
	struct ks_error err;
	int status, sig = 0;

	if (j->o.verbose)
		fprintf(stderr, "ksimd: not checked: %s is no C source\n",
		    in->name);
	status = make_command(j, in, NULL, &w, &err);
	if (status == KS_OK)
		status = run_compiler(j, &w, NULL, &sig);
	ks_vec_free(&w);
	if (status == CC_SIGNALLED)
		cc_die(sig);
	return status;
}

/* Goes on behind an input that failed, as the compilers do. */
static int
make_all(const struct job *j)
{
	int status = 0, one;

	cc_signals_catch();
	if (j->a.step == CC_LINK)
		return make_one(j, NULL);
	for (size_t i = 0; i < j->a.inputs.n; i++) {
		const struct cc_input *in = &j->a.inputs.v[i];

		if (in->lang == CC_LANG_NONE)
			continue;
		one = in->lang == CC_LANG_C ? make_one(j, in) :
		    make_unchecked(j, in);
		if (status == 0)
			status = one;
	}
	return status;
}

/* --- what is not checked --------------------------------------------------------- */

static bool
is_folder(struct ks_arena *a, const char *path)
{
	return access(ks_printf(a, "%s/.", path), F_OK) == 0;
}

/* The compiler has a better word for it. */
static bool
cannot_be_made(struct ks_arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');

	return is_folder(a, path) || (slash != NULL && slash != path &&
	    !is_folder(a, ks_strndup(a, path, (size_t)(slash - path))));
}

/* By the command line alone; NULL: it is to be checked. */
static const char *
why_pass(const struct cc_args *a)
{
	size_t c = 0;

	if (a->step == CC_ELSE)
		return ks_printf(a->arena, "%s makes no object", a->why_else);
	if (a->output != NULL && cannot_be_made(a->arena, a->output))
		return "the output cannot be made";
	if (a->step == CC_LINK)
		return a->lto && (a->relocatable || a->nostdlib) &&
		    a->inputs.n > 0 ? NULL :
		    "no link of a kernel with -flto";
	for (size_t i = 0; i < a->inputs.n; i++) {
		c += a->inputs.v[i].lang == CC_LANG_C;
		if (strcmp(a->inputs.v[i].name, "-") == 0)
			return "the source is standard input";
		if (access(a->inputs.v[i].name, F_OK) != 0)
			return "an input is not there";
	}
	if (c == 0)
		return "no C source";
	if (a->output != NULL && compiled_inputs(a) > 1)
		return "one output for several sources";
	if (a->real_mode)
		return "-m16 code runs before the kernel";
	return NULL;
}

/* The same by the kernel.  *RC: error with text. */
static const char *
why_no_kernel(struct job *j, int *rc, struct ks_error *err)
{
	struct ks_profile *p;
	const char *name, *why = NULL;

	*rc = KS_OK;
	/* The proof asks the object; no macro tells of a link. */
	if (j->a.step == CC_LINK)
		return NULL;
	if (j->o.profiles.n == 0) {
		*rc = cc_unit_profile(&j->a, &j->compiler, &name, err);
		if (*rc != KS_OK)
			return NULL;
		if (name == NULL)
			return "no kernel's macro is defined";
		*ks_vec_push(&j->o.profiles) = ks_strdup(j->a.arena, name);
	}
	p = ks_profile_new();
	for (size_t i = 0; i < j->o.profiles.n && *rc == KS_OK; i++)
		*rc = ks_profile_load(p, j->o.profiles.v[i], err);
	if (*rc == KS_OK)
		why = cc_unit_exempt(&j->a, p);
	ks_profile_free(p);
	return why;
}

/* Before anything is compiled. */
static int
try_contracts(const struct job *j, struct ks_error *err)
{
	struct ks_contract *k = ks_contract_new();
	int rc = KS_OK;

	for (size_t i = 0; i < j->o.contracts.n && rc == KS_OK; i++)
		rc = ks_contract_load(k, j->o.contracts.v[i], err);
	ks_contract_free(k);
	return rc;
}

static int
choose_pass(struct job *j, struct ks_error *err)
{
	unsigned major;

	if (j->compiler.kind != CC_CLANG || j->o.no_pass ||
	    j->a.step == CC_LINK)
		return KS_OK;
	j->plugin = cc_plugin_path();
	if (j->plugin == NULL)
		return KS_OK;
	major = cc_compiler_major(&j->compiler);
	if (major == CC_LLVM_MAJOR)
		return KS_OK;
	return ks_error(err, KS_EUSAGE, "%s is clang %u, and the pass is for "
	    "clang %d: use that, or --no-pass to prove what this one makes",
	    j->compiler.name, major, CC_LLVM_MAJOR);
}

static int
run(struct job *j)
{
	struct ks_error err;
	const char *why;
	int rc;

	j->ncompiler = cc_compiler_find(j->arena, j->argc, j->argv,
	    &j->compiler);
	if ((rc = cc_args_parse(&j->a, j->argc - j->ncompiler,
	    j->argv + j->ncompiler, &err)) != KS_OK)
		return ks_fail(&err, rc);
	why = why_pass(&j->a);
	if (why == NULL)
		why = why_no_kernel(j, &rc, &err);
	if (why != NULL) {
		if (j->o.verbose) {
			fprintf(stderr, "ksimd: not checked: %s\n", why);
			cc_print_command(j->argv);
		}
		return cc_exec(j->argv);
	}
	if (rc != KS_OK || (rc = try_contracts(j, &err)) != KS_OK ||
	    (rc = choose_pass(j, &err)) != KS_OK)
		return ks_fail(&err, rc);
	return make_all(j);
}

int
ks_cmd_cc(int argc, char **argv)
{
	struct ks_common common;
	struct job j = { 0 };
	struct ks_error err;
	int first = ks_options_parse(&command, argc, argv, &common, &j.o,
	    &err);
	int status;

	if (first == KS_OPTIONS_DONE)
		return ks_flush_stdout();
	if (first < 0)
		return ks_fail(&err, first);
	if (first == argc) {
		ks_error(&err, KS_EUSAGE,
		    "cc needs a compiler (ksimd cc --help)");
		return ks_fail(&err, KS_EUSAGE);
	}
	j.argv = argv + first;
	j.argc = argc - first;
	j.o.profiles = common.profiles;
	common.profiles = (struct ks_words){ 0 };
	j.arena = ks_arena_new();
	status = run(&j);
	ks_arena_free(j.arena);
	free(j.plugin);
	ks_vec_free(&j.o.profiles);
	ks_vec_free(&j.o.contracts);
	cc_args_free(&j.a);
	ks_common_free(&common);
	return status;
}
