/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The part of "ksimd obj" that is done for each input by itself: open, scan,
 * lower, check relocations and the stack.  Inputs are shared out to threads;
 * results are in the order of the inputs, whatever the number of threads.
 */
#ifndef KS_OBJ_JOBS_H
#define KS_OBJ_JOBS_H

#include "obj.h"

struct ks_job {			/* one operand */
	const char *path;	/* as places have it */
	const char *file;	/* where its bytes are; NULL: path */
	int	 rc;		/* of the whole job; err has the text */
	struct ks_error err;
	struct ks_findings *f;
	KS_VEC(struct ks_unit *) units;	/* one an object */
	struct ks_scan_stats stats;
	const struct ks_profile *p;	/* judged by this one; NULL: by none,
					   or by several */
	struct ks_interest *tell;	/* its objects tell the others */
	KS_VEC(uint64_t) wants, has;	/* hashes of names */
	size_t	 btf[4];	/* objects by enum ks_btf_use */
	const char *tells;	/* profile that an object of it told, or NULL */
};

struct ks_jobs {
	struct ks_job *v;
	size_t	 n;
	struct ks_interest *known;	/* what objects and contracts tell */
	const struct ks_btf *btf_base;	/* of the kernel; NULL: not known */
	unsigned threads;	/* at least 1 */
	bool	 paranoid;
	uint64_t kernbase;	/* KS_KERNBASE_AUTO: the profile's */
	/* NULL: chosen by what the objects tell; then set by ks_jobs_run. */
	struct ks_profile *profile;
	const char *chosen_by;	/* path of the object that told, or NULL */
};

#define KS_KERNBASE_AUTO	UINT64_MAX

/*
 * Runs all jobs.  KS_OK; the first failed job's code: *err is empty and the
 * jobs have the texts; or a code with text in *err, if no profile could be
 * chosen.
 */
int	ks_jobs_run(struct ks_jobs *jobs, struct ks_error *err);
void	ks_jobs_free(struct ks_jobs *jobs);

/* --- detect.c ----------------------------------------------------------- */

/*
 * Chooses a profile by what objects tell.  Objects that would get the same
 * answer do not read the profiles again.  Not thread-safe.
 */
struct ks_chooser;

struct ks_chooser *ks_chooser_new(void);
void	ks_chooser_free(struct ks_chooser *c);
/*
 * Name of the profile for O, owned by the chooser; NULL if its detect lines
 * do not tell, with the text of ks_profile_detect in *err.
 */
const char *ks_chooser_ask(struct ks_chooser *c, const struct ks_obj *o,
	    struct ks_error *err);

#endif
