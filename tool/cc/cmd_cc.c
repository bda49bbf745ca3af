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
 */
#include "cc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "unit.h"

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

/* --- one object ------------------------------------------------------- */

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
prove(const struct cc_job *j, const struct cc_input *in,
    const struct cc_output *out)
{
	struct cc_proof p = { .o = &j->o, .kind = j->compiler.kind,
	    .pass = j->plugin != NULL && in != NULL, .linked = in == NULL,
	    .file = out->object,
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
finish(const struct cc_job *j, const struct cc_input *in, struct cc_output *out)
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
run_compiler(const struct cc_job *j, const struct cc_words *w,
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
make_one(const struct cc_job *j, const struct cc_input *in)
{
	struct cc_output out;
	struct cc_words w = { 0 };
	struct ks_error err;
	int status, sig = 0, rc;

	if ((rc = cc_output_open(&out, cc_target(j, in), in != NULL, &err)) !=
	    KS_OK)
		return ks_fail(&err, rc);
	if ((rc = cc_command(j, in, &out, &w, &err)) != KS_OK)
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
make_unchecked(const struct cc_job *j, const struct cc_input *in)
{
	struct cc_words w = { 0 };
	struct ks_error err;
	int status, sig = 0;

	if (j->o.verbose)
		fprintf(stderr, "ksimd: not checked: %s is no C source\n",
		    in->name);
	status = cc_command(j, in, NULL, &w, &err);
	if (status == KS_OK)
		status = run_compiler(j, &w, NULL, &sig);
	ks_vec_free(&w);
	if (status == CC_SIGNALLED)
		cc_die(sig);
	return status;
}

/* Goes on behind an input that failed, as the compilers do. */
static int
make_all(const struct cc_job *j)
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

/* --- what is not checked ---------------------------------------------- */

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
	if (a->output != NULL && cc_compiled_inputs(a) > 1)
		return "one output for several sources";
	if (a->real_mode)
		return "-m16 code runs before the kernel";
	return NULL;
}

/* The same by the kernel.  *RC: error with text. */
static const char *
why_no_kernel(struct cc_job *j, int *rc, struct ks_error *err)
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
try_contracts(const struct cc_job *j, struct ks_error *err)
{
	struct ks_contract *k = ks_contract_new();
	int rc = KS_OK;

	for (size_t i = 0; i < j->o.contracts.n && rc == KS_OK; i++)
		rc = ks_contract_load(k, j->o.contracts.v[i], err);
	ks_contract_free(k);
	return rc;
}

static int
choose_pass(struct cc_job *j, struct ks_error *err)
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
run(struct cc_job *j)
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
	struct cc_job j = { 0 };
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
