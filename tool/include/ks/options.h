/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Command line options.  A command has one table of its own options; the
 * options that several commands share are in one table in options.c.  The
 * same tables parse and print --help.
 */
#ifndef KS_OPTIONS_H
#define KS_OPTIONS_H

#include "ks/engine.h"
#include "ks/finding.h"
#include "ks/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ks_opt_kind {		/* what the field at `off' is */
	KS_OPT_FLAG,		/* bool: set to true */
	KS_OPT_STR,		/* const char * */
	KS_OPT_LIST,		/* struct ks_words: appended */
	KS_OPT_NUM,		/* uint64_t, decimal or 0x hex */
	KS_OPT_SEVERITY,	/* enum ks_severity */
	KS_OPT_FORMAT,		/* enum ks_format */
};

struct ks_words { const char **v; size_t n, cap; };	/* a KS_VEC */

/* A table ends with an entry whose name is NULL; it is sorted by name. */
struct ks_opt {
	const char *name;	/* long option, without "--" */
	char	 letter;	/* short option, or 0 */
	uint8_t	 kind;		/* enum ks_opt_kind */
	const char *arg;	/* name of the argument in --help; FLAG: NULL */
	const char *help;	/* lower case, no period */
	size_t	 off;		/* offsetof the field in the options' struct */
	unsigned group;		/* shared options: one of KS_OPTS_* */
};

enum {				/* shared options a command has */
	KS_OPTS_PROFILE = 1 << 0,	/* --profile */
	KS_OPTS_SOLVE = 1 << 1,		/* --assumptions --closed --contract */
	KS_OPTS_REPORT = 1 << 2,	/* --advice --all --baseline ... -o */
};

struct ks_command {
	const char *name;	/* "obj" */
	const char *operands;	/* "object ..." for the synopsis */
	const char *summary;	/* one line, for "ksimd --help" */
	const char *text;	/* lines for the command's --help, or NULL */
	unsigned groups;	/* KS_OPTS_* */
	bool	 operand_ends;	/* what follows the first operand is no option */
	const struct ks_opt *opts;	/* own options, or NULL */
	int	(*run)(int argc, char **argv);	/* argv[0]: the command's name */
};

struct ks_common {
	struct ks_words profiles;	/* empty: automatic */
	struct ks_words contracts;
	bool	 closed;
	bool	 assumptions;
	const char *write_baseline;
	const char *default_profile;	/* $KSIMD_PROFILE, or NULL */
	struct ks_report_opts report;
};

/* What ks_options_parse returns instead of an index. */
#define KS_OPTIONS_DONE		(-100)	/* --help was printed: exit 0 */

/*
 * Parses; returns the index of the first operand in argv (operands may stand
 * between options), KS_OPTIONS_DONE, or KS_EUSAGE with text.  COMMON is set
 * to the defaults first; OWN is not.  Strings point into argv.
 */
int	ks_options_parse(const struct ks_command *c, int argc, char **argv,
	    struct ks_common *common, void *own, struct ks_error *err);
void	ks_common_free(struct ks_common *c);
/*
 * The command line as one string, for SARIF; malloc'd.  Call it before
 * ks_options_parse, which may sort argv.
 */
char	*ks_command_line(int argc, char **argv);

/* Prints "ksimd: error: " and the text; returns the exit status for CODE. */
int	ks_fail(const struct ks_error *err, int code);
/* KS_EXIT_CLEAN; if standard output could not be written, says so. */
int	ks_flush_stdout(void);

/* --- what all commands that solve have in common: command.c --------------- */

/*
 * Loads the profiles and contracts that were named.  *p stays NULL if no
 * profile was; both are the caller's.
 */
int	ks_common_load(const struct ks_common *c, struct ks_profile **p,
	    struct ks_contract **k, struct ks_error *err);

/*
 * Says on standard error which profile was chosen and why.
 */
void	ks_common_chosen(const char *profile, const char *by);

/*
 * What finished findings come to.  Proven: nothing hidden, no error, no
 * warning and, unless the inputs are the whole program, no open need.
 */
struct ks_counts {
	size_t	errors, warnings, advice;
	size_t	hidden;		/* by the baseline */
	size_t	open;		/* functions that need a region, that unknown
				   code may call, and that no contract declares */
};
struct ks_counts ks_common_count(const struct ks_findings *f,
	    struct ks_unit *const *units, size_t n,
	    const struct ks_contract *k);

/*
 * After solving: baseline, report, assumptions and, unless V is NULL, the
 * verdict line (UNITS and K are for it alone).  Returns an exit status;
 * errors are printed.
 */
int	ks_common_finish(const struct ks_common *c, struct ks_findings *f,
	    struct ks_unit *const *units, size_t n,
	    const struct ks_contract *k, const struct ks_verdict *v);

/* A line on standard error that is rewritten; silent if it is no terminal. */
struct ks_progress { bool on; bool shown; uint64_t next; };
void	ks_progress_start(struct ks_progress *p);
void	ks_progress_step(struct ks_progress *p, const char *what, size_t done,
	    size_t all);
void	ks_progress_end(struct ks_progress *p);

#ifdef __cplusplus
}
#endif

#endif
