/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings and the reporters that print them.  One row of diags.def per
 * check; ids are permanent.
 */
#ifndef KS_FINDING_H
#define KS_FINDING_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ks_severity { KS_SEV_NOTE, KS_SEV_WARNING, KS_SEV_ERROR };

enum {			/* where a check can report */
	KS_AT_SRC = 1 << 0, KS_AT_IR = 1 << 1, KS_AT_OBJ = 1 << 2,
	KS_AT_RULES = 1 << 3,
	KS_AT_ALL = 15,
};

/*
 * diags.def rows, in alphabetical order of the id:
 * DIAG(NAME, "id", SEVERITY, where, ADVICE or 0, "one-line summary")
 * SEVERITY: NOTE, WARNING, ERROR.  Advice is off unless asked for, then a
 * warning.
 */
enum ks_diag {
#define DIAG(name, id, sev, where, advice, summary)	KS_D_##name,
#include "ks/diags.def"
#undef DIAG
	KS_D_MAX
};

struct ks_diag_info {
	const char *id;
	enum ks_severity severity;
	unsigned where;
	bool	 advice;
	const char *summary;
};
extern const struct ks_diag_info ks_diags[KS_D_MAX];
/* KS_D_MAX if there is no such id. */
enum ks_diag ks_diag_find(const char *id);
/* The check's section of docs/checks.md without its heading; malloc'd. */
char	*ks_check_help(enum ks_diag d);
const char *ks_version(void);	/* "0.1.0" */

/* A macro, and where in its body something is; NEXT: in a macro used there. */
struct ks_in_macro {
	const char *macro;
	const char *file;
	uint32_t line, col;
	const struct ks_in_macro *next;
};

/* A place; NULL and 0 for what is unknown. */
struct ks_place_text {
	const char *file;	/* source, as given */
	uint32_t line, col;
	const char *object;	/* object as given */
	const char *section;
	const char *function;	/* "struct:NAME" for a type */
	uint64_t off;		/* bytes from the function's start, or from the
				   section's without a function */
	bool	 has_off;
	const struct ks_in_macro *in;	/* the place uses this macro, or NULL */
};

struct ks_trace {
	struct ks_place_text at;
	const char *message;
	const char *fix;	/* what to put from `at' to the column before
				   fix_end of its line; "": take that out;
				   NULL: this is no fix */
	uint32_t fix_end;
};

struct ks_finding {
	enum ks_diag diag;
	enum ks_severity severity;
	struct ks_place_text at;
	const char *message;
	const char *event;	/* event text for the fingerprint, or NULL */
	struct ks_trace *trace;
	size_t	 ntrace;
	char	 fingerprint[33];	/* set by ks_findings_finish */
};

struct ks_findings {
	struct ks_arena *arena;
	KS_VEC(struct ks_finding) v;
	size_t	 hidden[3];	/* per severity: known to the baseline */
	size_t	 stale;		/* baseline lines that match no finding */
};

struct ks_findings *ks_findings_new(void);
void	ks_findings_free(struct ks_findings *f);
/*
 * Adds one; strings are copied.  Severity comes from the table.  The
 * pointer is good until the next call.  Here and with notes, a place in
 * macros gets a note for each.
 */
struct ks_finding *ks_finding_add(struct ks_findings *f, enum ks_diag diag,
	    const struct ks_place_text *at, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
void	ks_finding_note(struct ks_findings *f, struct ks_finding *one,
	    const struct ks_place_text *at, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));
/*
 * A note with the one right change of the source: see ks_trace.  Only where
 * nothing else can be meant.
 */
void	ks_finding_fix(struct ks_findings *f, struct ks_finding *one,
	    const struct ks_place_text *at, uint32_t end, const char *text);
void	ks_finding_event(struct ks_findings *f, struct ks_finding *one,
	    const char *text);
/* Adds copies of all findings of FROM, in their order. */
void	ks_findings_merge(struct ks_findings *f, const struct ks_findings *from);
/*
 * Total order of places.  Source: file, line, column, function.  Objects:
 * object, section, function, offset, then as source.
 */
int	ks_place_cmp(const struct ks_place_text *a,
	    const struct ks_place_text *b);

struct ks_report_opts {
	bool	 advice;	/* show advice */
	bool	 all;		/* no cap of 2 per function and id */
	const char *baseline;	/* file of fingerprints, or NULL */
	enum ks_severity fail_on;
	enum ks_format { KS_FMT_TEXT, KS_FMT_JSON, KS_FMT_SARIF, KS_FMT_HTML } format;
	const char *output;	/* path, NULL or "-": standard output */
	bool	 to_stderr;	/* output is NULL: standard error instead */
	bool	 color;		/* text on a terminal */
	const char *tool_args;	/* for SARIF, HTML: the command line, or NULL */
};

/*
 * Computes fingerprints (id + function + event text + a counter among
 * equals; no line numbers), drops advice that was not asked for, sorts by
 * place, applies the baseline.  A baseline is a text file, one finding a
 * line, whose first word is its fingerprint; '#' begins a comment.
 */
int	ks_findings_finish(struct ks_findings *f,
	    const struct ks_report_opts *o, struct ks_error *err);
/*
 * Writes a baseline of all of F, hidden ones excluded: call it with a F that
 * was finished without a baseline.
 */
int	ks_baseline_write(const struct ks_findings *f, const char *path,
	    struct ks_error *err);
/* Prints; nothing is written to o->output on failure. */
int	ks_report(const struct ks_findings *f, const struct ks_report_opts *o,
	    struct ks_error *err);
/* KS_EXIT_CLEAN or KS_EXIT_FINDINGS. */
int	ks_findings_status(const struct ks_findings *f,
	    const struct ks_report_opts *o);
/* Counts per enum ks_severity; hidden ones excluded. */
void	ks_findings_count(const struct ks_findings *f, size_t count[3]);
const char *ks_severity_name(enum ks_severity s);

#ifdef __cplusplus
}
#endif

#endif
