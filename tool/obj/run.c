/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Judges objects, all of them together.
 *
 *   1. Each input: open, scan, lower, check what is no matter of regions
 *      (jobs.c).
 *   2. All units: solve.
 *   3. Source lines, for the objects that findings are in; these are opened
 *      a second time, as few are.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS	256

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- lines ------------------------------------------------------------ */

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
	struct ks_obj_run *r;
	struct ks_strtab *want;
};

static int
lines_of(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct lines *l = ctx;

	(void)err;
	if (ks_intern_find(l->want, o->path) != 0)
		ks_obj_add_lines(o, l->r->debug_dir, l->r->f);
	ks_obj_free(o);
	return KS_OK;
}

/* What came from a pipe cannot be read again; it gets no lines. */
static void
add_lines(struct ks_obj_run *r)
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
			(void)ks_obj_open_as(r->jobs.v[i].file != NULL ?
			    r->jobs.v[i].file : r->jobs.v[i].path,
			    r->jobs.v[i].path, lines_of, &l, NULL);
	ks_strtab_free(l.want);
}

/* --- the run ---------------------------------------------------------- */

static void
collect(struct ks_obj_run *r)
{
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct ks_job *job = &r->jobs.v[i];

		ks_findings_merge(r->f, job->f);
		for (size_t j = 0; j < job->units.n; j++)
			*ks_vec_push(&r->units) = job->units.v[j];
	}
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

void
ks_obj_run_inputs(struct ks_obj_run *r, size_t n, uint64_t threads)
{
	struct ks_jobs *jobs = &r->jobs;

	jobs->n = n;
	jobs->v = ks_xmalloc(n * sizeof(*jobs->v));
	memset(jobs->v, 0, n * sizeof(*jobs->v));
	jobs->threads = thread_count(threads, n);
	jobs->known = ks_interest_new();
	for (size_t i = 0; r->contract != NULL && i < r->contract->items.n;
	    i++)
		if (r->contract->items.v[i].kind == KS_CONTRACT_NEEDS)
			ks_interest_add(jobs->known,
			    r->contract->items.v[i].func, KS_INT_NEEDS);
}

int
ks_obj_run(struct ks_obj_run *r, struct ks_error *err)
{
	struct ks_solve_opts so = { .closed = r->closed,
	    .contract = r->contract };
	double start = now();
	int rc;

	r->f = ks_findings_new();
	if ((rc = ks_jobs_run(&r->jobs, err)) != KS_OK)
		return rc;
	r->read_s = now() - start;
	collect(r);
	start = now();
	rc = ks_solve(r->units.v, r->units.n, r->jobs.profile, &so, r->f,
	    &r->verdict, err);
	r->solve_s = now() - start;
	if (rc == KS_OK)
		add_lines(r);
	return rc;
}

void
ks_obj_run_free(struct ks_obj_run *r)
{
	ks_findings_free(r->f);
	ks_vec_free(&r->units);
	ks_vec_free(&r->verdict.assumptions);
	ks_jobs_free(&r->jobs);
	ks_contract_free(r->contract);
}
