/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "ksimd obj": judges objects, all of them together.
 *
 *   1. Each input: open, scan, lower, check what is no matter of regions
 *      (jobs.c).
 *   2. All units: solve.
 *   3. Source lines, for the objects that findings are in; these are opened
 *      a second time, as few are.
 *   4. Report and verdict (lib/command.c).
 *
 * Nothing is written if an input is bad.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jobs.h"
#include "ks/options.h"

#define MAX_THREADS	256

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
	struct ks_jobs jobs;
	char	*btf_data;	/* the bytes of --btf */
	struct ks_btf *btf;
	struct ks_contract *contract;
	struct ks_findings *f;
	KS_VEC(struct ks_unit *) units;	/* the jobs' */
	struct ks_verdict verdict;
	char	*args;			/* the command line */
	double	 read_s, solve_s;	/* seconds */
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

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
	for (size_t i = 0; rc == KS_OK && i < r->units.n; i++)
		rc = ks_ksg_write(r->units.v[i], f);
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
		r->jobs.btf_base = r->btf;
	return rc;
}

static void
note_btf(const struct run *r, enum ks_btf_use use, const char *text)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->jobs.n; i++) {
		if (r->jobs.v[i].btf[use] != 0 && first == NULL)
			first = r->jobs.v[i].path;
		n += r->jobs.v[i].btf[use];
	}
	if (n == 1)
		fprintf(stderr, "ksimd: note: %s: %s\n", first, text);
	else if (n > 1)
		fprintf(stderr, "ksimd: note: %s and %zu others: %s\n", first,
		    n - 1, text);
}

/* --- lines ----------------------------------------------------------------- */

static void
want_place(struct ks_strtab *want, const struct ks_place_text *at)
{
	const char *member;

	if (at->object == NULL)
		return;
	ks_intern(want, at->object);
	/* "lib.a(member.o)", "outer.a(lib.a)(member.o)" */
	for (member = strchr(at->object, '('); member != NULL;
	    member = strchr(member + 1, '('))
		ks_intern_n(want, at->object, (size_t)(member - at->object));
}

struct lines {
	struct run *r;
	struct ks_strtab *want;
};

static int
lines_of(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct lines *l = ctx;

	(void)err;
	if (ks_intern_find(l->want, o->path) != 0)
		ks_obj_add_lines(o, l->r->opts.debug_dir, l->r->f);
	ks_obj_free(o);
	return KS_OK;
}

/* What came from a pipe cannot be read again; it gets no lines. */
static void
add_lines(struct run *r)
{
	struct lines l = { r, ks_strtab_new() };

	for (size_t i = 0; i < r->f->v.n; i++) {
		const struct ks_finding *one = &r->f->v.v[i];

		want_place(l.want, &one->at);
		for (size_t j = 0; j < one->ntrace; j++)
			want_place(l.want, &one->trace[j].at);
	}
	for (size_t i = 0; i < r->jobs.n; i++)
		if (ks_intern_find(l.want, r->jobs.v[i].path) != 0)
			(void)ks_obj_open(r->jobs.v[i].path, lines_of, &l,
			    NULL);
	ks_strtab_free(l.want);
}

/* --- the run ------------------------------------------------------------------ */

static void
print_stats(const struct run *r)
{
	struct ks_scan_stats sum = { 0 };

	for (size_t i = 0; i < r->jobs.n; i++) {
		const struct ks_scan_stats *one = &r->jobs.v[i].stats;

		sum.bytes += one->bytes;
		sum.insns += one->insns;
		sum.funcs += one->funcs;
		sum.simd_funcs += one->simd_funcs;
		sum.matter += one->matter;
	}
	fprintf(stderr, "%zu objects, %llu bytes of code, %llu instructions, "
	    "%llu functions, %llu with SIMD, %llu lowered; read %.3f s, "
	    "solve %.3f s\n", r->units.n, (unsigned long long)sum.bytes,
	    (unsigned long long)sum.insns, (unsigned long long)sum.funcs,
	    (unsigned long long)sum.simd_funcs,
	    (unsigned long long)sum.matter, r->read_s, r->solve_s);
}

static void
collect(struct run *r)
{
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct ks_job *job = &r->jobs.v[i];

		ks_findings_merge(r->f, job->f);
		for (size_t j = 0; j < job->units.n; j++)
			*ks_vec_push(&r->units) = job->units.v[j];
	}
}

static int
judge(struct run *r)
{
	struct ks_solve_opts so = { .closed = r->common.closed,
	    .contract = r->contract };
	struct ks_error err;
	double start = now();
	int rc = ks_jobs_run(&r->jobs, &err);

	if (rc != KS_OK)
		return err.text[0] != '\0' ? ks_fail(&err, rc) :
		    fail_jobs(&r->jobs);
	r->read_s = now() - start;
	collect(r);
	start = now();
	rc = ks_solve(r->units.v, r->units.n, r->jobs.profile, &so, r->f,
	    &r->verdict, &err);
	r->solve_s = now() - start;
	if (rc != KS_OK)
		return ks_fail(&err, rc);
	add_lines(r);
	if (r->opts.emit_graph != NULL &&
	    (rc = emit_graphs(r, &err)) != KS_OK)
		return ks_fail(&err, rc);
	if (r->jobs.chosen_by != NULL)
		ks_common_chosen(r->jobs.profile->name, r->jobs.chosen_by);
	note_btf(r, KS_BTF_NO_BASE, "types are not used: they need those of "
	    "the kernel (--btf)");
	note_btf(r, KS_BTF_BAD, "types are not used: malformed, or of another "
	    "kernel than --btf");
	if (r->opts.stats)
		print_stats(r);
	return ks_common_finish(&r->common, r->f, r->units.v, r->units.n,
	    r->contract, &r->verdict);
}

static unsigned
thread_count(uint64_t wanted, size_t inputs)
{
	long cpus;

	if (wanted == 0) {
		cpus = sysconf(_SC_NPROCESSORS_ONLN);
		wanted = cpus > 0 ? (uint64_t)cpus : 1;
	}
	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	return wanted > inputs ? (unsigned)inputs : (unsigned)wanted;
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
	if ((rc = ks_common_load(&r->common, &r->jobs.profile, &r->contract,
	    &err)) != KS_OK || (rc = load_btf(r, &err)) != KS_OK)
		return ks_fail(&err, rc);
	r->jobs.n = (size_t)(argc - first);
	r->jobs.v = ks_xmalloc(r->jobs.n * sizeof(*r->jobs.v));
	memset(r->jobs.v, 0, r->jobs.n * sizeof(*r->jobs.v));
	for (size_t i = 0; i < r->jobs.n; i++)
		r->jobs.v[i].path = argv[first + (int)i];
	r->jobs.known = ks_interest_new();
	for (size_t i = 0; r->contract != NULL && i < r->contract->items.n;
	    i++)
		if (r->contract->items.v[i].kind == KS_CONTRACT_NEEDS)
			ks_interest_add(r->jobs.known,
			    r->contract->items.v[i].func, KS_INT_NEEDS);
	r->jobs.threads = thread_count(r->opts.jobs, r->jobs.n);
	r->jobs.paranoid = r->opts.paranoid;
	r->jobs.kernbase = r->opts.kernbase;
	r->f = ks_findings_new();
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
	ks_findings_free(r.f);
	ks_vec_free(&r.units);
	ks_vec_free(&r.verdict.assumptions);
	ks_jobs_free(&r.jobs);
	ks_btf_free(r.btf);
	free(r.btf_data);
	ks_contract_free(r.contract);
	ks_common_free(&r.common);
	free(r.args);
	return status;
}
