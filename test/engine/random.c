/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The engine against truth, on random programs.
 *
 * 1. Each program is solved by the engine, and explored path by path
 *    (random_ref.c).
 * 2. Soundness: where a path violates, the engine reports it, at an event of
 *    that kind on the chain of calls that leads to it; or notes that the
 *    outermost function needs a region, where that is all that is wrong.
 *    A path that contradicts an assumption which the engine counted is
 *    excused.  Anything else is a failure: the program is made smaller and
 *    printed.
 * 3. Precision: findings that no path confirms are counted.
 *
 * A program is made from the seed and its number alone, so each can be run
 * again by itself (--only).  KSIMD_SOAK=N: 200,000 N programs and a new seed.
 */
#include <sys/wait.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "random.h"

#define SHARE_CORRELATED  40 /* percent, at least */
#define SHARE_UNCONFIRMED 2 /* percent of findings, at most */

static const char *const kinds[NKIND] = {
	[K_NEED] = "SIMD outside a region",
	[K_HELD] = "call of a function that is declared to be held, outside",
	[K_NESTED] = "nested enter",
	[K_SLEEPS] = "sleep in an atomic region",
	[K_LEAVE] = "leave outside",
	[K_NOT_LEFT] = "return with a region held",
	[K_DEEP] = "regions without end",
};

/* --- comparing -------------------------------------------------------- */

static bool
says(unsigned kind, unsigned diag)
{
	switch (kind) {
	case K_NEED:
	case K_HELD:
		return diag == KS_D_SIMD_OUTSIDE_REGION ||
		       diag == KS_D_CONTRACT_VIOLATED;
	case K_NESTED:
		return diag == KS_D_REGION_NESTED;
	case K_SLEEPS:
		return diag == KS_D_REGION_SLEEPS;
	case K_DEEP:
		return diag == KS_D_REGION_DIFFERS_ON_JOIN;
	case K_LEAVE:
		return diag == KS_D_LEAVE_OUTSIDE_REGION ||
		       diag == KS_D_REGION_DIFFERS_ON_JOIN;
	default:
		return diag == KS_D_REGION_NOT_LEFT ||
		       diag == KS_D_REGION_DIFFERS_ON_JOIN;
	}
}

static bool
on_chain(const struct violation *x, const struct found *f)
{
	for (unsigned i = 0; i < x->nchain; i++)
		if (x->func[i] == f->func && x->node[i] == f->node)
			return true;
	return false;
}

/*
 * A function with returns that nobody can tell apart hides its effect, and
 * so does one that leaves where it must not: it is the one to be mended.
 */
static bool
mixed_before(const struct verdict *v, const struct violation *x)
{
	for (unsigned i = 0; i < v->nfound; i++) {
		unsigned d = v->found[i].diag;

		if ((d == KS_D_REGION_NOT_LEFT ||
			d == KS_D_REGION_DIFFERS_ON_JOIN ||
			d == KS_D_LEAVE_OUTSIDE_REGION) &&
		    (x->visited >> v->found[i].func & 1))
			return true;
	}
	return false;
}

static bool
any_mixed(const struct verdict *v)
{
	struct violation all = { .visited = 255 };

	return mixed_before(v, &all);
}

static bool
reported(const struct verdict *v, const struct truth *t,
    const struct violation *x, unsigned *other_kind)
{
	for (unsigned i = 0; i < v->nfound; i++)
		if (says(x->kind, v->found[i].diag) &&
		    on_chain(x, &v->found[i]))
			return true;
	if ((x->kind == K_NEED || x->kind == K_HELD) && x->callers &&
	    v->needs[x->start] && (!t->opens[x->start] || any_mixed(v)))
		return true;
	if (mixed_before(v, x)) {
		++*other_kind;
		return true;
	}
	return false;
}

static void
describe(char *buf, size_t size, const struct violation *x)
{
	size_t n = (size_t)snprintf(
	    buf, size, "no finding for: %s, by", kinds[x->kind]);

	for (unsigned i = 0; i < x->nchain && n < size; i++)
		n += (size_t)snprintf(
		    buf + n, size - n, " f%u:%u", x->func[i], x->node[i]);
}

static bool
missed(const struct verdict *v, const struct truth *t, struct result *res)
{
	for (unsigned i = 0; i < t->nviol; i++) {
		const struct violation *x = &t->viol[i];

		if (!x->first || x->kind == K_DEEP)
			continue;
		if (x->excused) {
			res->excused++;
			continue;
		}
		/* What the caller holds already is the caller's choice. */
		if (x->callers && x->kind != K_NEED && x->kind != K_HELD)
			continue;
		res->violates = true;
		res->violations++;
		if (!reported(v, t, x, &res->other_kind)) {
			describe(res->why, sizeof(res->why), x);
			return true;
		}
	}
	return false;
}

/* An assumption about flags that are there to see. */
static bool
needless(const struct program *p, const struct verdict *v)
{
	for (unsigned i = 0; i < p->nfunc; i++)
		for (unsigned j = 0; j < p->f[i].nnode; j++) {
			const struct node *n = &p->f[i].n[j];
			int arg = n->callee == TO_NAME ?
				      profiles[p->profile].names[n->id].flags :
				      -1;

			if (v->flags[i][j] && arg >= 0 && arg < n->narg &&
			    n->arg[arg].kind == KS_VAL_CONST)
				return true;
		}
	return false;
}

static bool
confirms(const struct violation *x, const struct found *f)
{
	if (x->callers && !x->told && x->kind != K_NEED && x->kind != K_HELD)
		return false;
	return says(x->kind, f->diag) && on_chain(x, f);
}

static bool
confirmed(struct ref *r, const struct truth *roots, const struct found *f,
    struct truth *t)
{
	for (unsigned i = 0; i < roots->nviol; i++)
		if (confirms(&roots->viol[i], f))
			return true;
	*t = (struct truth){ 0 };
	for (unsigned i = 0; i < MAXFUNC; i++)
		t->root[i] = roots->root[i] || !roots->called[i];
	if (!roots->root[f->func]) {
		ref_from(r, f->func, t);
		for (unsigned i = 0; i < t->nviol; i++) {
			const struct violation *x = &t->viol[i];

			/* What a called function returns with is judged by
			   whether its caller can tell. */
			if (confirms(x, f) &&
			    (t->root[f->func] || x->kind != K_NOT_LEFT))
				return true;
		}
		if ((f->diag == KS_D_REGION_NOT_LEFT ||
			f->diag == KS_D_REGION_DIFFERS_ON_JOIN) &&
		    ref_mixed(r, f->func, t))
			return true;
	}
	return t->cut;
}

void
compare(struct ref *r, const struct program *p, struct result *res)
{
	static struct truth roots, t;
	struct verdict v;

	memset(res, 0, sizeof(*res));
	solve(p, &v);
	if (v.failed) {
		res->bad = true;
		snprintf(res->why, sizeof(res->why), "%s", v.why);
		return;
	}
	ref_roots(r, p, &v, &roots);
	res->correlated = roots.correlated;
	res->cut = roots.cut;
	res->states = roots.states;
	res->bad = missed(&v, &roots, res);
	if (!res->bad && needless(p, &v)) {
		res->bad = true;
		snprintf(res->why, sizeof(res->why),
		    "constant flags are assumed to be unknown");
	}
	for (unsigned i = 0; i < v.nfound && !roots.cut; i++) {
		res->errors++;
		if (confirmed(r, &roots, &v.found[i], &t)) {
			res->confirmed++;
		} else if (!res->unconfirmed) {
			res->unconfirmed = true;
			res->unconfirmed_diag = v.found[i].diag;
			res->unconfirmed_func = v.found[i].func;
			res->unconfirmed_node = v.found[i].node;
		}
		res->states += t.states;
	}
}

/* --- shrinking -------------------------------------------------------- */

struct goal {
	struct ref *r;
	bool bad;  /* else: a finding of this kind, unconfirmed */
	unsigned diag;
};

static bool
still(void *ctx, const struct program *p)
{
	struct goal *g = ctx;
	struct result res;

	compare(g->r, p, &res);
	if (g->bad)
		return res.bad;
	return !res.cut && res.unconfirmed && res.unconfirmed_diag == g->diag;
}

static void
show(struct ref *r, const struct program *p, uint64_t number,
    const struct result *res)
{
	struct program small = *p;
	struct goal g = { r, res->bad, res->unconfirmed_diag };
	struct result why;

	shrink(&small, still, &g);
	compare(r, &small, &why);
	if (res->bad)
		printf("program %" PRIu64 ": %s\n", number, why.why);
	else
		printf("program %" PRIu64 ": no path confirms %s at f%u:%u\n",
		    number, ks_diags[why.unconfirmed_diag].id,
		    why.unconfirmed_func, why.unconfirmed_node);
	print_program(&small, stdout);
	putchar('\n');
	fflush(stdout);
}

/* --- running ---------------------------------------------------------- */

struct total {
	uint64_t programs, correlated, violate, cut, bad, nodes, funcs;
	uint64_t errors, confirmed, unconfirmed, clean, states;
	uint64_t violations, excused, other_kind;
};

struct job {
	uint64_t seed, first, count, step;
	unsigned max_bad, max_shown; /* printed */
};

static void
work(const struct job *j, struct total *sum)
{
	struct ref *r = ref_new();
	struct program *p = ks_xmalloc(sizeof(*p));
	unsigned shown = 0;

	for (uint64_t i = j->first; i < j->count; i += j->step) {
		struct result res;

		generate(p, j->seed * 1000000007 + i);
		compare(r, p, &res);
		sum->programs++;
		sum->correlated += res.correlated;
		sum->violate += res.violates;
		sum->cut += res.cut;
		sum->bad += res.bad;
		sum->errors += res.errors;
		sum->confirmed += res.confirmed;
		sum->unconfirmed += res.unconfirmed;
		sum->clean += res.errors == 0 && !res.bad && !res.cut;
		sum->states += res.states;
		sum->violations += res.violations;
		sum->excused += res.excused;
		sum->other_kind += res.other_kind;
		sum->funcs += p->nfunc;
		for (unsigned k = 0; k < p->nfunc; k++)
			sum->nodes += p->f[k].nnode;
		if (res.bad && sum->bad <= j->max_bad) {
			show(r, p, i, &res);
		} else if (!res.bad && res.unconfirmed &&
			   shown < j->max_shown) {
			shown++;
			show(r, p, i, &res);
		}
	}
	free(p);
	ref_free(r);
}

static void
add(struct total *sum, const struct total *t)
{
	uint64_t *a = (uint64_t *)sum;
	const uint64_t *b = (const uint64_t *)t;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*a); i++)
		a[i] += b[i];
}

/* One process a job; false if one did not come to its end. */
static bool
run_jobs(struct job *j, unsigned jobs, struct total *sum)
{
	bool ok = true;
	int fd[16];

	for (unsigned i = 0; i < jobs; i++) {
		int p[2];

		if (pipe(p) != 0)
			return false;
		fflush(stdout);
		switch (fork()) {
		case -1:
			return false;
		case 0: {
			struct total t = { 0 };
			ssize_t n;

			close(p[0]);
			j->first += i;
			j->step = jobs;
			work(j, &t);
			n = write(p[1], &t, sizeof(t));
			exit(n == (ssize_t)sizeof(t) ? 0 : 1);
		}
		default:
			close(p[1]);
			fd[i] = p[0];
		}
	}
	for (unsigned i = 0; i < jobs; i++) {
		struct total t;
		int status;

		if (read(fd[i], &t, sizeof(t)) == (ssize_t)sizeof(t))
			add(sum, &t);
		else
			ok = false;
		close(fd[i]);
		if (wait(&status) < 0 || status != 0)
			ok = false;
	}
	return ok;
}

static double
percent(uint64_t a, uint64_t b)
{
	return b == 0 ? 0 : 100.0 * (double)a / (double)b;
}

static int
report(const struct job *j, const struct total *t, double seconds)
{
	bool few = percent(t->correlated, t->programs) < SHARE_CORRELATED;
	bool many =
	    percent(t->errors - t->confirmed, t->errors) > SHARE_UNCONFIRMED;

	printf("seed %" PRIu64 ": %" PRIu64 " programs, %.1f functions and "
	       "%.1f nodes each, %.0f states each, %.1f s\n",
	    j->seed, t->programs, (double)t->funcs / (double)t->programs,
	    (double)t->nodes / (double)t->programs,
	    (double)t->states / (double)t->programs, seconds);
	printf("at most %d nodes a function, recursion depth 2, loops until "
	       "no state is new; %" PRIu64 " programs cut short\n",
	    MAXNODE, t->cut);
	printf("correlated conditions: %.1f %% (at least %d %%)\n",
	    percent(t->correlated, t->programs), SHARE_CORRELATED);
	printf("a path violates: %.1f %%; clean: %.1f %%\n",
	    percent(t->violate, t->programs), percent(t->clean, t->programs));
	printf("violations: %" PRIu64 ", of them reported at a callee whose "
	       "returns nobody can tell apart: %.2f %%; besides, against a "
	       "counted assumption: %.2f %%\n",
	    t->violations, percent(t->other_kind, t->violations),
	    percent(t->excused, t->violations));
	printf("silent where a path violates: %" PRIu64 "\n", t->bad);
	printf("findings: %" PRIu64 ", no path confirms: %.2f %% (at most "
	       "%d %%)\n",
	    t->errors, percent(t->errors - t->confirmed, t->errors),
	    SHARE_UNCONFIRMED);
	if (t->bad != 0 || t->programs == 0)
		return 1;
	/* Shares of a few programs say nothing. */
	return t->programs >= 10000 && (few || many);
}

static uint64_t
number(const char *s)
{
	char *end;
	uint64_t v = strtoull(s, &end, 0);

	if (*s == '\0' || *end != '\0') {
		fprintf(stderr, "engine-random: '%s' is no number\n", s);
		exit(2);
	}
	return v;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument,
						     NULL, 'c' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "only", required_argument, NULL, 'o' },
		{ "seed", required_argument, NULL, 's' },
		{ "verbose", no_argument, NULL, 'v' }, { 0 } };
	struct job j = { .seed = 1, .count = 100000, .max_bad = 3 };
	const char *soak = getenv("KSIMD_SOAK");
	struct timespec from, to;
	struct total sum = { 0 };
	unsigned jobs = 1;
	bool ok;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'c':
			j.count = number(optarg);
			break;
		case 'j':
			jobs = (unsigned)number(optarg);
			break;
		case 'o':
			j.first = number(optarg);
			j.count = j.first + 1;
			j.max_shown = 1;
			break;
		case 's':
			j.seed = number(optarg);
			break;
		case 'v':
			j.max_shown = 10;
			break;
		default:
			fprintf(stderr,
			    "usage: engine-random [--count N] "
			    "[--jobs N] [--only N] [--seed N] [--verbose]\n");
			return 2;
		}
	if (soak != NULL && *soak != '\0') {
		j.count = 200000 * number(soak);
		j.seed = (uint64_t)time(NULL);
		printf("seed %" PRIu64 "\n", j.seed);
	}
	if (jobs < 1 || jobs > 16)
		jobs = 1;
	clock_gettime(CLOCK_MONOTONIC, &from);
	ok = run_jobs(&j, jobs, &sum);
	clock_gettime(CLOCK_MONOTONIC, &to);
	if (!ok) {
		fprintf(stderr, "engine-random: a process failed\n");
		return 1;
	}
	return report(&j, &sum,
	    (double)(to.tv_sec - from.tv_sec) +
		(double)(to.tv_nsec - from.tv_nsec) / 1e9);
}
