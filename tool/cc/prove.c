/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The proof, as "ksimd obj" makes it, and what to say if there is none.
 *
 * An object is rejected for
 *   1. errors;
 *   2. code that cannot be decoded: nobody looked at it;
 *   3. functions that need a region, that unknown code may call, and of
 *      which no contract says that their source needs one: the compiler may
 *      have made that need.  The pass writes such a contract, beside an
 *      object or into a module (facts.c); without it, "ksimd check
 *      --emit-contract" does.
 * Warnings are printed as a compiler's are.
 */
#include "../obj/run.h"
#include "cc_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char gcc_cures[] =
    "ksimd: note: cures where the compiler moved SIMD code out of a region, "
    "or made some:\n"
    "  - the SIMD code in a function in a file of its own, the only one "
    "with the SIMD flags\n"
    "  - a function for it with __attribute__((noipa)), called in the "
    "region\n"
    "  - asm volatile(\"\" : \"+r\"(x)) on each input after enter, and on "
    "each result before leave;\n"
    "    a \"memory\" barrier does not help\n";

static const char clang_cures[] =
    "ksimd: note: cure where the compiler moved SIMD code out of a region, "
    "or made some: the pass\n"
    "  makes each region a function of its own and compiles the rest "
    "without SIMD; %s\n";

static const char contract_cure[] =
    "ksimd: note: functions whose source needs a region are declared with "
    "--contract FILE;\n"
    "  ksimd check --emit-contract=FILE writes it\n";

static bool
is_rejected(const struct ks_findings *f, const struct ks_counts *c)
{
	if (c->errors > 0 || c->open > 0)
		return true;
	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].diag == KS_D_OBJ_UNDECODABLE)
			return true;
	return false;
}

static bool
has_moved(const struct ks_findings *f)
{
	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].diag == KS_D_SIMD_OUTSIDE_REGION ||
		    f->v.v[i].diag == KS_D_SIMD_COMPILER_MADE ||
		    f->v.v[i].diag == KS_D_REGION_DIFFERS_ON_JOIN)
			return true;
	return false;
}

static void
put_reason(const struct cc_proof *p, const struct ks_counts *c)
{
	fprintf(stderr, "ksimd: error: %s: not proven, no object: ", p->name);
	if (c->errors > 0)
		fprintf(stderr, "%zu error%s\n", c->errors,
		    c->errors == 1 ? "" : "s");
	else if (c->open > 0)
		fprintf(stderr, "%zu function%s a region, and no contract "
		    "says that %s source does\n", c->open,
		    c->open == 1 ? " needs" : "s need",
		    c->open == 1 ? "its" : "their");
	else
		fputs("code that cannot be decoded\n", stderr);
}

static void
put_cures(const struct cc_proof *p, const struct ks_findings *f,
    const struct ks_counts *c)
{
	char *plugin;

	if ((has_moved(f) || c->open > 0) && !p->pass) {
		if (p->kind == CC_CLANG) {
			plugin = cc_plugin_path();
			fprintf(stderr, clang_cures, p->o->no_pass ?
			    "leave out --no-pass" : plugin == NULL ?
			    "this ksimd was built without it" :
			    "the objects were compiled without it");
			free(plugin);
		} else {
			fputs(gcc_cures, stderr);
		}
	}
	if (c->open > 0)
		fputs(contract_cure, stderr);
	if (c->errors > 0)
		fputs("ksimd: note: ksimd explain ID tells more of a "
		    "finding\n", stderr);
}

/* Notes are for those who ask, and where there is no error to look at first. */
static void
drop_notes(struct ks_findings *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].severity != KS_SEV_NOTE)
			f->v.v[n++] = f->v.v[i];
	f->v.n = n;
}

static int
judge(const struct cc_proof *p, struct ks_obj_run *r)
{
	struct ks_report_opts o = { .fail_on = KS_SEV_ERROR, .all = true,
	    .format = KS_FMT_TEXT, .to_stderr = true };
	const char *no_color = getenv("NO_COLOR");
	struct ks_counts c;
	struct ks_error err;
	bool rejected;
	int rc;

	o.color = isatty(STDERR_FILENO) &&
	    (no_color == NULL || no_color[0] == '\0');
	if ((rc = ks_findings_finish(r->f, &o, &err)) != KS_OK)
		return ks_fail(&err, rc);
	c = ks_common_count(r->f, r->units.v, r->units.n, r->contract);
	rejected = is_rejected(r->f, &c);
	if (!p->o->verbose && (!rejected || (c.errors > 0 && c.open == 0)))
		drop_notes(r->f);
	if ((rc = ks_report(r->f, &o, &err)) != KS_OK)
		return ks_fail(&err, rc);
	if (rejected) {
		put_reason(p, &c);
		put_cures(p, r->f, &c);
		return KS_EXIT_FINDINGS;
	}
	if (p->o->verbose)
		fprintf(stderr, "ksimd: %s: proven: %llu function%s, %llu "
		    "region%s, %zu assumption%s\n", p->name,
		    (unsigned long long)r->verdict.functions,
		    r->verdict.functions == 1 ? "" : "s",
		    (unsigned long long)r->verdict.regions,
		    r->verdict.regions == 1 ? "" : "s",
		    r->verdict.assumptions.n,
		    r->verdict.assumptions.n == 1 ? "" : "s");
	return KS_EXIT_CLEAN;
}

static int
run(struct cc_proof *p, struct ks_obj_run *r, struct ks_error *err)
{
	bool found;
	struct ks_common common = { .profiles = p->o->profiles,
	    .contracts = p->o->contracts };
	int rc = ks_common_load(&common, &r->jobs.profile, &r->contract, err);

	if (rc == KS_OK && p->contract != NULL)
		rc = ks_contract_load(r->contract, p->contract, err);
	if (rc == KS_OK && p->linked) {
		rc = cc_facts_read(r->contract, p->file, p->name, &found, err);
		p->pass = found;
	}
	if (rc != KS_OK)
		return rc;
	ks_obj_run_inputs(r, 1, 1);
	r->jobs.v[0].path = p->name;
	r->jobs.v[0].file = p->file;
	r->jobs.kernbase = KS_KERNBASE_AUTO;
	rc = ks_obj_run(r, err);
	if (rc != KS_OK && err->text[0] == '\0')
		*err = r->jobs.v[0].err;
	return rc;
}

int
cc_prove(struct cc_proof *p)
{
	struct ks_obj_run r = { 0 };
	struct ks_error err;
	int rc = run(p, &r, &err);

	rc = rc == KS_OK ? judge(p, &r) : ks_fail(&err, rc);
	ks_obj_run_free(&r);
	return rc;
}
