/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs the per-input part of "ksimd obj" on several threads.
 *
 *   1. Threads take the next input until none is left.  An object's memory
 *      is freed once it is lowered, so that a run over all modules of a
 *      kernel needs the memory of their graphs only.
 *   2. If no profile was given, each object is asked which kernel it is for.
 *      The first that tells sets the profile of the run.  One that tells a
 *      profile which includes the present one (a driver with brackets of its
 *      own) replaces it; one that tells another kernel is an error.
 *   3. Inputs that were judged by no profile, or by one that was replaced,
 *      are run again with the final one.  So the result does not depend on
 *      the order in which the threads came by.
 *
 *   4. Objects tell each other the names of functions that matter
 *      (interest.h); inputs that want or have a name that is news run again,
 *      until there are no news.
 *
 * Limit: an object that tells nothing is taken to be for the kernel that the
 * others tell.
 */
#include "jobs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ks/options.h"

struct state {
	struct ks_jobs *jobs;
	pthread_mutex_t lock;	/* of everything below */
	size_t	 next, done, todo;
	bool	 automatic;
	struct ks_chooser *chooser;
	const char *chosen;	/* name of the profile */
	struct ks_error untold;	/* why an object did not tell */
	int	 rc;		/* no profile for the run: why */
	struct ks_error err;
	KS_VEC(struct ks_profile *) replaced;	/* still used by threads */
	struct ks_progress progress;
};

struct context {
	struct state *s;
	struct ks_job *job;
};

/* Whether profile P was loaded with NAME's file below it. */
static bool
includes(const struct ks_profile *p, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < p->loaded.n; i++) {
		const char *slash = strrchr(p->loaded.v[i], '/');
		const char *file = slash != NULL ? slash + 1 : p->loaded.v[i];

		if (strncmp(file, name, n) == 0 &&
		    (file[n] == '\0' || strcmp(file + n, ".prof") == 0))
			return true;
	}
	return false;
}

/* See step 2.  The lock is held. */
static int
told(struct state *s, const char *name)
{
	struct ks_profile *p;

	if (s->chosen != NULL && (strcmp(s->chosen, name) == 0 ||
	    includes(s->jobs->profile, name)))
		return KS_OK;
	p = ks_profile_new();
	if ((s->rc = ks_profile_load(p, name, &s->err)) != KS_OK) {
		ks_profile_free(p);
		return s->rc;
	}
	if (s->chosen != NULL && !includes(p, s->chosen)) {
		ks_profile_free(p);
		return s->rc = ks_error(&s->err, KS_EUSAGE, "these inputs are for several "
		    "kernels, %s and %s: check them apart, or choose with "
		    "--profile", strcmp(name, s->chosen) < 0 ? name :
		    s->chosen, strcmp(name, s->chosen) < 0 ? s->chosen : name);
	}
	if (s->jobs->profile != NULL)
		*ks_vec_push(&s->replaced) = s->jobs->profile;
	s->jobs->profile = p;
	s->chosen = name;
	return KS_OK;
}

/* The profile to judge O by; NULL with KS_OK: not known yet. */
static int
profile_for(struct context *c, const struct ks_obj *o,
    const struct ks_profile **p)
{
	struct state *s = c->s;
	struct ks_error why;
	const char *name;
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = s->rc;
	if (rc == KS_OK && s->automatic && c->job->tells == NULL) {
		name = ks_chooser_ask(s->chooser, o, &why);
		if (name != NULL) {
			c->job->tells = name;
			rc = told(s, name);
		} else {
			s->untold = why;
		}
	}
	*p = s->jobs->profile;
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static void
add_stats(struct ks_scan_stats *sum, const struct ks_scan_stats *one)
{
	sum->bytes += one->bytes;
	sum->insns += one->insns;
	sum->funcs += one->funcs;
	sum->simd_funcs += one->simd_funcs;
	sum->matter += one->matter;
}

static bool
has_code(const struct ks_obj *o)
{
	for (size_t i = 0; i < o->nsect; i++)
		if (o->sects[i].exec && o->sects[i].size > 0)
			return true;
	return false;
}

/* --- what objects tell each other --------------------------------------------- */

static uint64_t
hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;	/* FNV-1a */

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3;
	return h;
}

static void
names_of(struct ks_job *job, const struct ks_obj *o)
{
	for (size_t i = 0; i < o->nsym; i++) {
		const struct ks_osym *y = &o->syms[i];

		if (y->local || y->name[0] == '\0')
			continue;
		if (y->sect == KS_NOSECT)
			*ks_vec_push(&job->wants) = hash(y->name);
		else if (o->sects[y->sect].exec)
			*ks_vec_push(&job->has) = hash(y->name);
	}
}

/* A name that is new to the run. */
struct news {
	uint64_t hash;
	unsigned bits;		/* KS_INT_* */
};

#define NEWS_FILTER	4096	/* bits */

struct exchange {
	struct ks_jobs *jobs;
	KS_VEC(struct news) v;	/* sorted by hash when complete */
	uint8_t	 filter[NEWS_FILTER / 8];	/* of their hashes */
};

static int
by_hash(const void *a, const void *b)
{
	uint64_t x = ((const struct news *)a)->hash;
	uint64_t y = ((const struct news *)b)->hash;

	return x < y ? -1 : x > y;
}

static void
spread(const char *name, unsigned bits, void *ctx)
{
	struct exchange *x = ctx;
	uint64_t h;

	if (!ks_interest_add(x->jobs->known, name, bits))
		return;
	h = hash(name);
	*ks_vec_push(&x->v) = (struct news){ h, bits };
	x->filter[h % NEWS_FILTER / 8] |= (uint8_t)(1u << h % 8);
}

/*
 * Is any of these names news with any of BITS?  There are many names and
 * few news: the filter answers for nearly all.
 */
static bool
is_news(const struct exchange *x, const uint64_t *names, size_t n,
    unsigned bits)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t h = names[i];
		size_t lo = 0, hi = x->v.n;

		if ((x->filter[h % NEWS_FILTER / 8] >> h % 8 & 1) == 0)
			continue;
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (x->v.v[mid].hash < h)
				lo = mid + 1;
			else
				hi = mid;
		}
		for (; lo < x->v.n && x->v.v[lo].hash == h; lo++)
			if ((x->v.v[lo].bits & bits) != 0)
				return true;
	}
	return false;
}

/* True: some inputs are to be run again, with what others told. */
static bool
exchange(struct ks_jobs *jobs)
{
	struct exchange x = { .jobs = jobs };
	bool any = false;

	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->v[i].tell != NULL)
			ks_interest_each(jobs->v[i].tell, spread, &x);
	if (x.v.n > 1)
		qsort(x.v.v, x.v.n, sizeof(x.v.v[0]), by_hash);
	for (size_t i = 0; x.v.n > 0 && i < jobs->n; i++) {
		struct ks_job *job = &jobs->v[i];

		if (is_news(&x, job->wants.v, job->wants.n,
		    ~(unsigned)KS_INT_BELOW) ||
		    is_news(&x, job->has.v, job->has.n, KS_INT_BELOW)) {
			job->p = NULL;
			any = true;
		}
	}
	ks_vec_free(&x.v);
	return any;
}

static int
judge(struct context *c, struct ks_obj *o, const struct ks_profile *p,
    struct ks_error *err)
{
	const struct ks_archdef *arch = ks_profile_arch(p, o->arch);
	struct ks_scan_stats stats = { 0 };
	struct ks_unit *unit;
	uint64_t base = c->s->jobs->kernbase;
	int rc;

	if (!o->has_symbols && has_code(o))
		return ks_error(err, KS_ENOTSUP, "%s: has no symbols: what it "
		    "calls cannot be told", o->path);
	if (arch == NULL)
		return ks_error(err, KS_ENOTSUP, "%s: profile %s has no arch "
		    "%s", o->path, p->name, o->arch);
	if (base == KS_KERNBASE_AUTO)
		base = arch->kernbase;
	o->known = c->s->jobs->known;
	o->tell = c->job->tell;
	o->btf_base = c->s->jobs->btf_base;
	names_of(c->job, o);
	if ((rc = ks_obj_scan(o, p, c->s->jobs->paranoid, &stats, err)) !=
	    KS_OK ||
	    (rc = ks_obj_lower(o, p, c->job->f, &unit, err)) != KS_OK)
		return rc;
	*ks_vec_push(&c->job->units) = unit;
	c->job->btf[o->btf_use]++;
	ks_obj_check_relocs(o, p, base, c->job->f);
	ks_obj_check_stack(o, p, c->job->f);
	add_stats(&c->job->stats, &stats);
	return KS_OK;
}

static int
one_object(struct ks_obj *o, void *ctx, struct ks_error *err)
{
	struct context *c = ctx;
	const struct ks_profile *p;
	int rc = profile_for(c, o, &p);

	/* Members judged by different profiles: the job runs again. */
	if (rc == KS_OK && p != NULL) {
		if (c->job->units.n == 0)
			c->job->p = p;
		else if (c->job->p != p)
			c->job->p = NULL;
		rc = judge(c, o, p, err);
	} else if (c->job->units.n > 0) {
		c->job->p = NULL;
	}
	ks_obj_free(o);
	return rc;
}

static void
job_reset(struct ks_job *job)
{
	for (size_t i = 0; i < job->units.n; i++)
		ks_unit_free(job->units.v[i]);
	job->units.n = 0;
	ks_findings_free(job->f);
	ks_interest_free(job->tell);
	ks_vec_free(&job->wants);
	ks_vec_free(&job->has);
	job->f = NULL;
	job->tell = NULL;
	job->p = NULL;
	memset(&job->stats, 0, sizeof(job->stats));
	memset(job->btf, 0, sizeof(job->btf));
}

static void *
worker(void *arg)
{
	struct state *s = arg;
	struct context c = { s, NULL };

	for (;;) {
		pthread_mutex_lock(&s->lock);
		if (s->rc != KS_OK)
			s->next = s->jobs->n;
		while (s->next < s->jobs->n &&
		    s->jobs->v[s->next].p != NULL)
			s->next++;
		c.job = s->next < s->jobs->n ? &s->jobs->v[s->next++] : NULL;
		ks_progress_step(&s->progress, "inputs", s->done, s->todo);
		pthread_mutex_unlock(&s->lock);
		if (c.job == NULL)
			return NULL;
		job_reset(c.job);
		c.job->f = ks_findings_new();
		c.job->tell = ks_interest_new();
		c.job->rc = ks_obj_open_as(c.job->file != NULL ?
		    c.job->file : c.job->path, c.job->path, one_object, &c,
		    &c.job->err);
		pthread_mutex_lock(&s->lock);
		s->done++;
		pthread_mutex_unlock(&s->lock);
	}
}

static void
run_threads(struct state *s)
{
	unsigned n = s->jobs->threads, started = 0;
	pthread_t *threads = ks_xmalloc(n * sizeof(*threads));

	/* This thread is one of them, and the only one if none can start. */
	while (started + 1 < n &&
	    pthread_create(&threads[started], NULL, worker, s) == 0)
		started++;
	worker(s);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	free(threads);
}

/* Runs what is not judged by the present profile; how many inputs that is. */
static size_t
run_pass(struct state *s)
{
	struct ks_jobs *jobs = s->jobs;
	size_t todo = 0;

	for (size_t i = 0; i < jobs->n; i++) {
		if (jobs->v[i].p != jobs->profile)
			jobs->v[i].p = NULL;
		todo += jobs->v[i].p == NULL;
	}
	s->next = s->done = 0;
	s->todo = todo;
	if (todo > 0) {
		ks_progress_start(&s->progress);
		run_threads(s);
		ks_progress_end(&s->progress);
	}
	return todo;
}

static int
first_failure(const struct ks_jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++)
		if (jobs->v[i].rc != KS_OK)
			return jobs->v[i].rc;
	return KS_OK;
}

static int
run_all(struct state *s, struct ks_error *err)
{
	struct ks_jobs *jobs = s->jobs;
	int rc;

	run_pass(s);
	if (s->rc != KS_OK) {
		*err = s->err;
		return s->rc;
	}
	if ((rc = first_failure(jobs)) != KS_OK)
		return rc;
	if (jobs->profile == NULL)
		return ks_error(err, KS_EUSAGE, "%s: %s", jobs->v[0].path,
		    s->untold.text);
	if (s->automatic && run_pass(s) > 0 &&
	    (rc = first_failure(jobs)) != KS_OK)
		return rc;
	while (exchange(jobs)) {
		run_pass(s);
		if ((rc = first_failure(jobs)) != KS_OK)
			return rc;
	}
	for (size_t i = 0; s->automatic && i < jobs->n; i++) {
		if (jobs->v[i].tells != NULL &&
		    strcmp(jobs->v[i].tells, s->chosen) == 0) {
			jobs->chosen_by = jobs->v[i].path;
			break;
		}
	}
	return KS_OK;
}

int
ks_jobs_run(struct ks_jobs *jobs, struct ks_error *err)
{
	struct state s = { .jobs = jobs, .automatic = jobs->profile == NULL };
	int rc;

	pthread_mutex_init(&s.lock, NULL);
	s.chooser = ks_chooser_new();
	err->text[0] = '\0';
	rc = run_all(&s, err);
	/* The names that jobs tell are the chooser's. */
	for (size_t i = 0; i < jobs->n; i++)
		jobs->v[i].tells = NULL;
	for (size_t i = 0; i < s.replaced.n; i++)
		ks_profile_free(s.replaced.v[i]);
	ks_vec_free(&s.replaced);
	ks_chooser_free(s.chooser);
	pthread_mutex_destroy(&s.lock);
	return rc;
}

void
ks_jobs_free(struct ks_jobs *jobs)
{
	for (size_t i = 0; i < jobs->n; i++) {
		job_reset(&jobs->v[i]);
		ks_vec_free(&jobs->v[i].units);
	}
	free(jobs->v);
	ks_profile_free(jobs->profile);
	ks_interest_free(jobs->known);
}
