/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What all commands that solve do alike: load what was named, report, and
 * say the verdict.
 *
 * The verdict, one line on standard error, is the first that holds of
 *   1. the counts of errors and warnings, if there are any (what the
 *      baseline hides is counted beside them);
 *   2. "not proven", if a function needs a region that unknown code may call,
 *      and no contract declares it: whether its callers hold one, and
 *      whether its source uses SIMD at all, these inputs do not say;
 *   3. "proven".
 * Advice is counted, and forbids nothing.
 */
#include "ks/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

int
ks_fail(const struct ks_error *err, int code)
{
	fprintf(stderr, "ksimd: error: %s\n", err->text);
	return code == KS_EINTERNAL ? KS_EXIT_INTERNAL : KS_EXIT_USAGE;
}

int
ks_flush_stdout(void)
{
	struct ks_error err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return KS_EXIT_CLEAN;
	ks_error(&err, KS_EIO, "standard output: %s", strerror(errno));
	return ks_fail(&err, KS_EIO);
}

int
ks_common_load(const struct ks_common *c, struct ks_profile **p,
    struct ks_contract **k, struct ks_error *err)
{
	int rc;

	*p = NULL;
	*k = ks_contract_new();
	for (size_t i = 0; i < c->contracts.n; i++)
		if ((rc = ks_contract_load(*k, c->contracts.v[i], err)) !=
		    KS_OK)
			return rc;
	if (c->profiles.n == 0)
		return KS_OK;
	*p = ks_profile_new();
	for (size_t i = 0; i < c->profiles.n; i++)
		if ((rc = ks_profile_load(*p, c->profiles.v[i], err)) != KS_OK)
			return rc;
	return KS_OK;
}

void
ks_common_chosen(const char *profile, const char *by)
{
	char *clean = ks_printable(by);

	fprintf(stderr, "profile %s (chosen by %s)\n", profile, clean);
	free(clean);
}

/* --- the verdict ---------------------------------------------------------- */

/*
 * Whether unknown code may call the function that a need was reported for;
 * *SEEN is set if the unit has one of that name.  Names of static functions
 * may repeat: one open one is enough.
 */
static bool
open_to_callers(const struct ks_unit *u, const char *function, bool *seen)
{
	for (size_t i = 0; i < u->syms.n; i++) {
		const struct ks_sym *s = &u->syms.v[i];

		if ((s->flags & KS_SYM_FUNC) == 0 ||
		    strcmp(ks_str(u->str, s->name), function) != 0)
			continue;
		*seen = true;
		if ((s->flags & (KS_SYM_EXPORTED | KS_SYM_ESCAPES)) != 0 ||
		    ((s->flags & KS_SYM_LOCAL) == 0 && !u->closed))
			return true;
	}
	return false;
}

static bool
open_need(const struct ks_finding *one, struct ks_unit *const *units, size_t n,
    const struct ks_contract *k)
{
	const char *name = one->at.function;
	bool seen = false;

	if (one->diag != KS_D_NEEDS_REGION || one->severity != KS_SEV_NOTE)
		return false;
	if (name == NULL)
		return true;
	if (k != NULL && ks_contract_find((struct ks_contract *)k,
	    KS_CONTRACT_NEEDS, name, NULL) != NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((one->at.object == NULL || strcmp(one->at.object,
		    ks_str(units[i]->str, units[i]->name)) == 0) &&
		    open_to_callers(units[i], name, &seen))
			return true;
	return !seen;
}

struct ks_counts
ks_common_count(const struct ks_findings *f, struct ks_unit *const *units,
    size_t n, const struct ks_contract *k)
{
	struct ks_counts c = { 0 };

	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *one = &f->v.v[i];

		if (one->severity == KS_SEV_ERROR)
			c.errors++;
		else if (ks_diags[one->diag].advice)
			c.advice++;
		else if (one->severity == KS_SEV_WARNING)
			c.warnings++;
		else if (open_need(one, units, n, k))
			c.open++;
	}
	c.hidden = f->hidden[KS_SEV_ERROR] + f->hidden[KS_SEV_WARNING];
	return c;
}

static void
put_count(FILE *f, uint64_t n, const char *what)
{
	fprintf(f, "%llu %s%s", (unsigned long long)n, what,
	    n == 1 ? "" : "s");
}

static void
put_result(FILE *f, const struct ks_counts *c, bool closed)
{
	if (c->errors > 0 || c->warnings > 0 || c->hidden > 0) {
		if (c->errors > 0 || c->warnings == 0)
			put_count(f, c->errors, "error");
		if (c->errors > 0 && c->warnings > 0)
			fputs(", ", f);
		if (c->warnings > 0)
			put_count(f, c->warnings, "warning");
		if (c->hidden > 0)
			fprintf(f, ", %zu hidden by the baseline", c->hidden);
	} else if (c->open > 0 && !closed) {
		fputs("not proven: ", f);
		put_count(f, c->open, "function");
		fprintf(f, " need%s a region of unknown callers",
		    c->open == 1 ? "s" : "");
	} else {
		fputs("proven", f);
	}
	if (c->advice > 0)
		fprintf(f, ", %zu advice", c->advice);
}

static void
put_verdict(FILE *f, const struct ks_common *c, const struct ks_counts *n,
    const struct ks_verdict *v)
{
	put_count(f, v->functions, "function");
	fputs(", ", f);
	put_count(f, v->regions, "region");
	fputs(", ", f);
	put_result(f, n, c->closed);
	fputs(" (", f);
	/* Unknown calls are listed among them, and counted apart. */
	put_count(f, v->assumptions.n - v->unknown_calls, "assumption");
	fputs(", ", f);
	put_count(f, v->unknown_calls, "unknown indirect call");
	fputs(c->assumptions ? ")\n" : "; --assumptions lists them)\n", f);
}

static int
cmp_assumption(const void *va, const void *vb)
{
	const struct ks_assumption *a = va, *b = vb;
	int c;

	if ((c = ks_place_cmp(&a->at, &b->at)) != 0 ||
	    (c = strcmp(a->kind, b->kind)) != 0)
		return c;
	return strcmp(a->text, b->text);
}

static void
put_assumptions(FILE *f, const struct ks_verdict *v)
{
	struct ks_assumption *list;
	size_t n = v->assumptions.n;

	if (n == 0)
		return;
	list = ks_xmalloc(n * sizeof(*list));
	memcpy(list, v->assumptions.v, n * sizeof(*list));
	qsort(list, n, sizeof(*list), cmp_assumption);
	for (size_t i = 0; i < n; i++) {
		char *place = ks_place_string(&list[i].at);
		char *text = ks_printable(list[i].text);

		fprintf(f, "%s: assumption: %s [%s]\n", place, text,
		    list[i].kind);
		free(text);
		free(place);
	}
	free(list);
}

static int
write_baseline(const struct ks_common *c, struct ks_findings *f,
    struct ks_error *err)
{
	int rc = ks_baseline_write(f, c->write_baseline, err);

	if (rc != KS_OK)
		return rc;
	fprintf(stderr, "%s: %zu finding%s written\n", c->write_baseline,
	    f->v.n, f->v.n == 1 ? "" : "s");
	return KS_OK;
}

int
ks_common_finish(const struct ks_common *c, struct ks_findings *f,
    struct ks_unit *const *units, size_t n, const struct ks_contract *k,
    const struct ks_verdict *v)
{
	struct ks_report_opts o = c->report;
	struct ks_error err;
	struct ks_counts counts;
	int rc;

	if (c->write_baseline != NULL) {
		o.baseline = NULL;
		if ((rc = ks_findings_finish(f, &o, &err)) != KS_OK ||
		    (rc = write_baseline(c, f, &err)) != KS_OK)
			return ks_fail(&err, rc);
		o.baseline = c->write_baseline;
	}
	if ((rc = ks_findings_finish(f, &o, &err)) != KS_OK ||
	    (rc = ks_report(f, &o, &err)) != KS_OK)
		return ks_fail(&err, rc);
	if (f->stale > 0)
		fprintf(stderr, "%s: %zu line%s of the baseline match%s "
		    "nothing now\n", o.baseline, f->stale,
		    f->stale == 1 ? "" : "s", f->stale == 1 ? "es" : "");
	if (v != NULL) {
		counts = ks_common_count(f, units, n, k);
		if (c->assumptions)
			put_assumptions(stderr, v);
		put_verdict(stderr, c, &counts, v);
	}
	return ks_findings_status(f, &o);
}

/* --- progress ---------------------------------------------------------------- */

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* The first line comes after a second, then ten times a second. */
void
ks_progress_start(struct ks_progress *p)
{
	p->on = isatty(STDERR_FILENO);
	p->shown = false;
	p->next = p->on ? now_ms() + 1000 : 0;
}

void
ks_progress_step(struct ks_progress *p, const char *what, size_t done,
    size_t all)
{
	uint64_t now;

	if (!p->on || (now = now_ms()) < p->next)
		return;
	p->next = now + 100;
	p->shown = true;
	fprintf(stderr, "\r\033[K%zu/%zu %s", done, all, what);
}

void
ks_progress_end(struct ks_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
