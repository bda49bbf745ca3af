/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd obj": judges objects, all of them together (run.c), and reports
 * (lib/command.c).
 *
 * Nothing is written if an input is bad.
 */
#include <stdlib.h>
#include <string.h>

#include "ks/options.h"
#include "run.h"

struct obj_opts {
	const char *btf;
	const char *debug_dir;
	const char *emit_graph;
	uint64_t jobs;
	uint64_t kernbase;
	bool	 paranoid;
	bool	 stats;
};

static const struct ks_opt options[] = {
	{ "btf", 0, KS_OPT_STR, "FILE",
	    "types of the kernel that the modules are for: its vmlinux, or "
	    "BTF alone",
	    offsetof(struct obj_opts, btf), 0 },
	{ "debug-dir", 0, KS_OPT_STR, "DIR",
	    "where separate debug files are",
	    offsetof(struct obj_opts, debug_dir), 0 },
	{ "emit-graph", 0, KS_OPT_STR, "FILE",
	    "write the event graphs to FILE, too (ksg(5))",
	    offsetof(struct obj_opts, emit_graph), 0 },
	{ "jobs", 'j', KS_OPT_NUM, "N",
	    "use N threads; 0: one per processor",
	    offsetof(struct obj_opts, jobs), 0 },
	{ "kernbase", 0, KS_OPT_NUM, "ADDRESS",
	    "where the kernel is linked; the profile's if not given",
	    offsetof(struct obj_opts, kernbase), 0 },
	{ "paranoid", 0, KS_OPT_FLAG, NULL,
	    "decode everything twice, and fail on any difference",
	    offsetof(struct obj_opts, paranoid), 0 },
	{ "stats", 0, KS_OPT_FLAG, NULL,
	    "print what was decoded, and the time it took",
	    offsetof(struct obj_opts, stats), 0 },
	{ .name = NULL },
};

static const struct ks_command command = {
	.name = "obj", .operands = "object ...",
	.summary = "Checks object files, archives, kernel modules and linked "
	    "kernels, all together.",
	.groups = KS_OPTS_PROFILE | KS_OPTS_SOLVE | KS_OPTS_REPORT,
	.opts = options,
};

struct run {
	struct ks_common common;
	struct obj_opts opts;
	struct ks_obj_run of;
	char	*btf_data;	/* the bytes of --btf */
	struct ks_btf *btf;
	char	*args;			/* the command line */
};

/* All inputs that failed, in their order. */
static int
fail_jobs(const struct ks_jobs *jobs)
{
	int status = KS_EXIT_CLEAN, one;

	for (size_t i = 0; i < jobs->n; i++) {
		if (jobs->v[i].rc == KS_OK)
			continue;
		one = ks_fail(&jobs->v[i].err, jobs->v[i].rc);
		if (one > status)
			status = one;
	}
	return status;
}

static int
emit_graphs(const struct run *r, struct ks_error *err)
{
	char *data = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&data, &size);
	int rc = KS_OK;

	if (f == NULL)
		return ks_error(err, KS_EINTERNAL, "out of memory");
	for (size_t i = 0; rc == KS_OK && i < r->of.units.n; i++)
		rc = ks_ksg_write(r->of.units.v[i], f);
	fclose(f);
	if (rc == KS_OK)
		rc = ks_write_file(r->opts.emit_graph, data, size, NULL, err);
	else
		ks_error(err, rc, "%s: cannot be written",
		    r->opts.emit_graph);
	free(data);
	return rc;
}

/* --- types ----------------------------------------------------------------- */

struct btf_bytes {
	char	*data;
	size_t	 size;
};

static int
take_btf(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct btf_bytes *d = ctx;
	int rc = KS_OK;

	for (size_t i = 0; i < o->nsect && d->data == NULL; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (strcmp(s->name, ".BTF") != 0 || s->data == NULL ||
		    s->size == 0)
			continue;
		d->data = ks_xmalloc(s->size);
		memcpy(d->data, s->data, s->size);
		d->size = s->size;
	}
	if (d->data == NULL)
		rc = ks_error(err, KS_ENOTSUP, "%s: has no .BTF section",
		    o->path);
	ks_obj_free(o);
	return rc;
}

/* --btf: BTF alone, or an object that holds it. */
static int
load_btf(struct run *r, struct ks_error *err)
{
	const char *path = r->opts.btf;
	struct btf_bytes d = { NULL, 0 };
	int rc;

	if (path == NULL)
		return KS_OK;
	if ((rc = ks_read_file(path, &d.data, &d.size, err)) != KS_OK)
		return rc;
	if (!ks_btf_is((const uint8_t *)d.data, d.size)) {
		free(d.data);
		d.data = NULL;
		if ((rc = ks_obj_open(path, take_btf, &d, err)) != KS_OK)
			return rc;
	}
	r->btf_data = d.data;
	if (ks_btf_is_split((const uint8_t *)d.data, d.size))
		return ks_error(err, KS_ENOTSUP, "%s: is the BTF of a module: "
		    "its kernel's is needed", path);
	if ((rc = ks_btf_open(path, (const uint8_t *)d.data, d.size, NULL,
	    &r->btf, err)) == KS_OK)
		r->of.jobs.btf_base = r->btf;
	return rc;
}

static void
note_btf(const struct run *r, enum ks_btf_use use, const char *text)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->of.jobs.n; i++) {
		if (r->of.jobs.v[i].btf[use] != 0 && first == NULL)
			first = r->of.jobs.v[i].path;
		n += r->of.jobs.v[i].btf[use];
	}
	if (n == 1)
		fprintf(stderr, "ksimd: note: %s: %s\n", first, text);
	else if (n > 1)
		fprintf(stderr, "ksimd: note: %s and %zu others: %s\n", first,
		    n - 1, text);
}

/* --- the run ------------------------------------------------------------------ */

static void
print_stats(const struct run *r)
{
	struct ks_scan_stats sum = { 0 };

	for (size_t i = 0; i < r->of.jobs.n; i++) {
		const struct ks_scan_stats *one = &r->of.jobs.v[i].stats;

		sum.bytes += one->bytes;
		sum.insns += one->insns;
		sum.funcs += one->funcs;
		sum.simd_funcs += one->simd_funcs;
		sum.matter += one->matter;
	}
	fprintf(stderr, "%zu objects, %llu bytes of code, %llu instructions, "
	    "%llu functions, %llu with SIMD, %llu lowered; read %.3f s, "
	    "solve %.3f s\n", r->of.units.n, (unsigned long long)sum.bytes,
	    (unsigned long long)sum.insns, (unsigned long long)sum.funcs,
	    (unsigned long long)sum.simd_funcs,
	    (unsigned long long)sum.matter, r->of.read_s, r->of.solve_s);
}

static int
judge(struct run *r)
{
	struct ks_error err;
	int rc = ks_obj_run(&r->of, &err);

	if (rc != KS_OK)
		return err.text[0] != '\0' ? ks_fail(&err, rc) :
		    fail_jobs(&r->of.jobs);
	if (r->opts.emit_graph != NULL &&
	    (rc = emit_graphs(r, &err)) != KS_OK)
		return ks_fail(&err, rc);
	if (r->of.jobs.chosen_by != NULL)
		ks_common_chosen(r->of.jobs.profile->name, r->of.jobs.chosen_by);
	note_btf(r, KS_BTF_NO_BASE, "types are not used: they need those of "
	    "the kernel (--btf)");
	note_btf(r, KS_BTF_BAD, "types are not used: malformed, or of another "
	    "kernel than --btf");
	if (r->opts.stats)
		print_stats(r);
	return ks_common_finish(&r->common, r->of.f, r->of.units.v,
	    r->of.units.n, r->of.contract, &r->of.verdict);
}

static int
start(struct run *r, int argc, char **argv)
{
	struct ks_error err;
	int first, rc;

	r->opts.jobs = 1;
	r->opts.kernbase = KS_KERNBASE_AUTO;
	first = ks_options_parse(&command, argc, argv, &r->common, &r->opts,
	    &err);
	if (first == KS_OPTIONS_DONE)
		return ks_flush_stdout();
	if (first < 0)
		return ks_fail(&err, first);
	r->common.report.tool_args = r->args;
	if (first == argc) {
		ks_error(&err, KS_EUSAGE,
		    "obj needs an object (ksimd obj --help)");
		return ks_fail(&err, KS_EUSAGE);
	}
	if ((rc = ks_common_load(&r->common, &r->of.jobs.profile, &r->of.contract,
	    &err)) != KS_OK || (rc = load_btf(r, &err)) != KS_OK)
		return ks_fail(&err, rc);
	ks_obj_run_inputs(&r->of, (size_t)(argc - first), r->opts.jobs);
	for (size_t i = 0; i < r->of.jobs.n; i++)
		r->of.jobs.v[i].path = argv[first + (int)i];
	r->of.jobs.paranoid = r->opts.paranoid;
	r->of.jobs.kernbase = r->opts.kernbase;
	r->of.closed = r->common.closed;
	r->of.debug_dir = r->opts.debug_dir;
	return judge(r);
}

int
ks_cmd_obj(int argc, char **argv)
{
	struct run r = { 0 };
	int status;

	/* Before parsing: getopt sorts argv. */
	r.args = ks_command_line(argc, argv);
	status = start(&r, argc, argv);
	ks_obj_run_free(&r.of);
	ks_btf_free(r.btf);
	free(r.btf_data);
	ks_common_free(&r.common);
	free(r.args);
	return status;
}
