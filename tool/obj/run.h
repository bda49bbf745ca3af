/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One run over some inputs: lowered one by one, solved together, findings
 * with source lines.  "ksimd obj" and "ksimd cc" are this and a report.
 */
#ifndef KS_OBJ_RUN_H
#define KS_OBJ_RUN_H

#include "jobs.h"

struct ks_obj_run {
	/* The caller's, before; jobs.known and jobs.threads are set. */
	struct ks_jobs jobs;
	struct ks_contract *contract;	/* or NULL */
	bool	 closed;		/* the inputs are the whole program */
	const char *debug_dir;		/* or NULL */

	/* What came of it. */
	struct ks_findings *f;
	KS_VEC(struct ks_unit *) units;	/* the jobs' */
	struct ks_verdict verdict;
	double	 read_s, solve_s;	/* seconds */
};

/*
 * Takes N inputs; the caller sets jobs.v[i].path.  THREADS: 0 is one per
 * processor.
 */
void	ks_obj_run_inputs(struct ks_obj_run *r, size_t n, uint64_t threads);
/*
 * As ks_jobs_run; KS_OK: f, units and verdict are complete.  Findings are
 * not finished (ks_findings_finish).
 */
int	ks_obj_run(struct ks_obj_run *r, struct ks_error *err);
/* Also jobs, the profile and the contract. */
void	ks_obj_run_free(struct ks_obj_run *r);

#endif
