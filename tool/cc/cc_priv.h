/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files of "ksimd cc" share.
 */
#ifndef KS_CC_PRIV_H
#define KS_CC_PRIV_H

#include <sys/types.h>

#include "ks/base.h"
#include "ks/options.h"
#include "ks/profile.h"

/* --- args.c: what a compiler's command line asks for ------------------ */

enum cc_lang {
	CC_LANG_NONE,		/* for the linker */
	CC_LANG_C,		/* C, preprocessed or not */
	CC_LANG_OTHER,		/* anything else that is compiled */
};

struct cc_input {
	const char *name;
	enum cc_lang lang;
	size_t	 word;		/* index in cc_args.words */
};

enum cc_step {
	CC_LINK,
	CC_COMPILE,		/* -c */
	CC_ELSE,		/* makes no object: -E, -S, --version, ... */
};

struct cc_macro {
	const char *name;	/* up to '=' */
	bool	 defined;	/* -D, not -U; the last one counts */
};

struct cc_origin {		/* of a word */
	int	 arg;		/* index in argv; -1: of a response file */
	bool	 output;	/* -o or its argument */
};

struct cc_args {
	struct ks_arena *arena;
	KS_VEC(const char *) words;	/* without the compiler; response
					   files are expanded */
	KS_VEC(struct cc_origin) origins;	/* of each */
	KS_VEC(struct cc_input) inputs;
	KS_VEC(struct cc_macro) macros;
	enum cc_step step;
	const char *why_else;	/* CC_ELSE: the option */
	const char *output;	/* -o, or NULL */
	const char *triple;	/* --target, or NULL */
	size_t	 end;		/* index in words of "--", or their number */
	bool	 fixed;		/* "--" or -o is in a response file */
	bool	 deps;		/* -MD, -MMD */
	bool	 deps_wp;	/* -Wp,-MD,FILE, or -MMD */
	bool	 deps_wp_odd;	/* -Wp, with -MD and more */
	bool	 dep_file;	/* -MF */
	bool	 dep_target;	/* -MT, -MQ */
	bool	 debug;		/* -g and its like */
	bool	 lto, fat_lto;
	bool	 real_mode;	/* -m16 */
	bool	 relocatable;	/* -r */
	bool	 nostdlib;
	bool	 split_dwarf;
	bool	 coverage;
	bool	 dump_names;	/* -dumpbase, -dumpdir */
};

/*
 * ARGC, ARGV: what is behind the compiler.  KS_EUSAGE with text: response
 * files that contain each other.
 */
int	cc_args_parse(struct cc_args *a, int argc, char **argv,
	    struct ks_error *err);
void	cc_args_free(struct cc_args *a);
bool	cc_args_defines(const struct cc_args *a, const char *macro);
/* Is WORD there, as it is? */
bool	cc_args_have(const struct cc_args *a, const char *word);

/* --- response.c ------------------------------------------------------- */

struct cc_words { const char **v; size_t n, cap; };	/* a KS_VEC */

/* The words of response file text DATA, appended; they live in A. */
void	cc_response_words(struct ks_arena *a, const char *data, size_t size,
	    struct cc_words *out);
/* WORDS as the text of a response file; malloc'd. */
char	*cc_response_text(const char *const *words, size_t n);

/* --- compiler.c ------------------------------------------------------- */

enum cc_kind { CC_CLANG, CC_GCC, CC_UNKNOWN };

#define CC_LLVM_MAJOR	19	/* what the pass plugin is built for */

struct cc_compiler {
	const char *name;	/* as given */
	const char *path;	/* in PATH, real; NULL: not found */
	enum cc_kind kind;
};

/*
 * ARGV[0] is a compiler, or a launcher (ccache) with one behind it.  How
 * many words it is.
 */
int	cc_compiler_find(struct ks_arena *a, int argc, char **argv,
	    struct cc_compiler *c);
/* Major version of a clang; 0: cannot be told.  Runs it only if it must. */
unsigned cc_compiler_major(const struct cc_compiler *c);
/* The pass plugin; NULL: this ksimd has none.  malloc'd. */
char	*cc_plugin_path(void);

/* --- child.c ---------------------------------------------------------- */

/* Prints a command on standard error. */
void	cc_print_command(char *const *argv);
/* Becomes the command; returns an exit status if that fails. */
int	cc_exec(char *const *argv);
/*
 * From here on INT, TERM, HUP and PIPE end the process only when the
 * temporary files are gone.
 */
void	cc_signals_catch(void);
/*
 * Runs a command and waits.  Its exit status, or -1 with *sig set to the
 * signal that killed it or that this process got meanwhile (cc_die does
 * the same to this process), or KS_EIO with text: could not be run.
 */
#define CC_SIGNALLED	(-1)
#define CC_NOT_RUN	(-2)
int	cc_run(char *const *argv, int *sig, struct ks_error *err);
/* Removes the temporary files and dies of SIG. */
void	cc_die(int sig) __attribute__((noreturn));
/* For cc_run's caller: signals are held back between these. */
void	cc_signals_hold(void);
void	cc_signals_release(void);

/* --- output.c: the object's way from a folder of its own to its name --- */

struct cc_output {
	const char *target;	/* the name wanted; "-": standard output */
	bool	 rename;	/* else the bytes are copied */
	bool	 premade;	/* an empty file was made for the compiler */
	char	*dir;		/* temporary folder */
	char	*object;	/* the compiler's -o: in dir, same last name */
	char	*contract;	/* in dir */
	char	*response;	/* in dir */
};

/* KS_EIO with text. */
int	cc_output_open(struct cc_output *o, const char *target, bool premade,
	    struct ks_error *err);
/* Size of the object; -1: there is none. */
off_t	cc_output_size(const struct cc_output *o);
/* Puts the object where it belongs, and then what was made beside it. */
int	cc_output_commit(struct cc_output *o, struct ks_error *err);
/*
 * No object.  REMOVE: an older one goes, too.  KEEP: the temporary one
 * stays as TARGET.rejected.  SIDE: what was made beside it is put in place.
 */
int	cc_output_drop(struct cc_output *o, bool remove, bool keep, bool side,
	    struct ks_error *err);
/* Removes the temporary folder. */
void	cc_output_close(struct cc_output *o);
/* The same from a signal handler. */
void	cc_output_emergency(void);

/* --- facts.c ---------------------------------------------------------- */

/*
 * Adds to C what the modules that FILE was linked from say of their
 * functions.  *FOUND: some say something.  KS_EIO, KS_EPARSE with text.
 */
int	cc_facts_read(struct ks_contract *c, const char *file,
	    const char *name, bool *found, struct ks_error *err);

/* --- prove.c ---------------------------------------------------------- */

struct cc_opts {
	struct ks_words profiles, contracts;
	bool	 keep, no_pass, verbose;
};

struct cc_proof {
	const struct cc_opts *o;
	enum cc_kind kind;
	bool	 pass;		/* the object was made with the pass */
	bool	 linked;	/* of modules, which may say so themselves */
	const char *file;	/* the object */
	const char *name;	/* how to call it */
	const char *contract;	/* what the pass wrote, or NULL */
};

/*
 * Proves an object and prints what was found.  KS_EXIT_CLEAN: proven;
 * KS_EXIT_FINDINGS: not; else an input error, printed.  Sets pass for what
 * was linked.
 */
int	cc_prove(struct cc_proof *p);

#endif
