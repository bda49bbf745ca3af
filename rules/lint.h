/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The linter of build rules: what its parts share.
 *
 * Each front end (lists, kmod makefiles, Kbuild, commands that ran) turns
 * its input into compile rules: a target, a source and the words of one
 * command, each word with its place.  What makes a rule unsafe is judged on
 * these (lint_flags.c), and between them (lint_cross.c); only what is a
 * matter of one format is judged where it is read.
 */
#ifndef KS_RULES_LINT_H
#define KS_RULES_LINT_H

#include "ks/finding.h"
#include "ks/profile.h"

#include "list.h"
#include "mkvar.h"
#include "source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {				/* machines a rule is for */
	KS_ARCH_AMD64 = 1 << 0,
	KS_ARCH_I386 = 1 << 1,
	KS_ARCH_ARM64 = 1 << 2,
	KS_ARCH_OTHER = 1 << 3,
	KS_ARCH_X86 = KS_ARCH_AMD64 | KS_ARCH_I386,
	KS_ARCH_ALL = 15,
};

/* A text that findings point into; lives as long as the linter. */
struct ks_ltext {
	const char *path;
	const char *text;
	size_t	 size;
	KS_VEC(uint32_t) lines;	/* where they begin; made on demand */
};

/* Bytes AT and on of a command's text are those from OFF on of the file. */
struct ks_seg {
	uint32_t at, off;
	bool	 fixed;		/* all of them are at OFF */
};

enum ks_crule_kind {
	KS_CR_LIST,		/* entry of a files.* list */
	KS_CR_KMOD,		/* of a kernel module's makefile */
	KS_CR_KBUILD,
	KS_CR_COMMAND,		/* a command that ran */
};

struct ks_crule {
	enum ks_crule_kind kind;
	struct ks_ltext *text;
	uint32_t off;		/* of the target's name */
	const char *name;	/* target: "aesni_wrap.o" */
	unsigned archs;		/* KS_ARCH_*; 0: unknown */
	bool	 guarded;	/* a condition on the machine is around it */
	const char *source;	/* "crypto/aesni/aesni_wrap.c"; NULL: unknown */
	const char *path;	/* where it may be read, or NULL */
	const char *const *dirs;	/* where its includes are */
	size_t	 ndirs;
	const char *command;	/* unexpanded */
	KS_VEC(struct ks_seg) segs;
	struct ks_expansion x;
	bool	 compiles;	/* the command runs the C compiler */
	bool	 plain;		/* the default rule: nothing is written out */
	bool	 kernel;	/* kernel code, as far as is known */
	bool	 nowerror;
	bool	 no_ctf;
	bool	 gcc_float;	/* -mhard-float is given to gcc only */
	/* What the flags come to: */
	ks_isaset asked;	/* by words of the rule itself */
	ks_isaset final;	/* in force at the end */
	const struct ks_item *item;	/* LIST */
	const struct ks_list *list;
	struct ks_source src;	/* looked at if the rule has flags */
	bool	 looked;
};

struct ks_lint {
	struct ks_arena *arena;
	struct ks_findings *f;
	const struct ks_profile *profile;
	enum ks_dialect dialect;
	const char *sysdir;	/* sources are relative to it */
	struct ks_srcset *sources;
	KS_VEC(struct ks_crule *) rules;
	KS_VEC(struct ks_ltext *) texts;
	KS_VEC(struct ks_list *) lists;
	struct ks_strtab *seen;	/* unresolved variables that were told */
	struct ks_mkenv env[3];	/* amd64, i386, arm64: the kernel's variables */
	size_t	 unread;	/* sources that were not found */
};

int	ks_lint_init(struct ks_lint *l, const struct ks_profile *p,
	    enum ks_dialect dialect, const char *sysdir);
void	ks_lint_free(struct ks_lint *l);
/* "NAME=VALUE" N times, into the kernel's variables.  KS_EUSAGE. */
int	ks_lint_set(struct ks_lint *l, const char *const *words, size_t n,
	    struct ks_error *err);

/* Front ends.  KS_EIO, KS_EPARSE with text. */
int	ks_lint_list(struct ks_lint *l, const char *path, unsigned archs,
	    struct ks_error *err);
int	ks_lint_kmod(struct ks_lint *l, const char *path, unsigned archs,
	    struct ks_error *err);
int	ks_lint_kbuild(struct ks_lint *l, const char *path, unsigned archs,
	    struct ks_error *err);
int	ks_lint_commands(struct ks_lint *l, const char *dir,
	    struct ks_error *err);
/* After all of them: what is between rules, and notes on what is unknown. */
void	ks_lint_finish(struct ks_lint *l);

/* --- shared by the parts: lint.c ---------------------------------------- */

struct ks_ltext *ks_lint_text(struct ks_lint *l, const char *path,
	    const char *text, size_t size);
/* The text of file PATH.  KS_EIO; KS_EPARSE for a NUL byte. */
int	ks_lint_read(struct ks_lint *l, const char *path, struct ks_ltext **t,
	    struct ks_error *err);
/* Machines of a list by its name: "files.x86"; KS_ARCH_ALL for "files". */
unsigned ks_lint_list_archs(const char *path);
unsigned ks_lint_arch_bit(const char *name);	/* 0: unknown; "x86" is two */
const char *ks_lint_arch_name(unsigned archs);	/* of the first */
const struct ks_mkenv *ks_lint_env(const struct ks_lint *l, unsigned archs);

/* A finding at byte OFF of T; NAME is its entry or target, or NULL. */
struct ks_finding *ks_lint_at(struct ks_lint *l, enum ks_diag d,
	    struct ks_ltext *t, uint32_t off, const char *name,
	    const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void	ks_lint_note(struct ks_lint *l, struct ks_finding *one,
	    struct ks_ltext *t, uint32_t off, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));

struct ks_crule *ks_crule_new(struct ks_lint *l, enum ks_crule_kind kind,
	    struct ks_ltext *t, uint32_t off, const char *name);
/* Where byte AT of the command's text is in the file. */
uint32_t ks_crule_off(const struct ks_crule *r, uint32_t at);
/* Expands r->command in ENV, and reckons its flags. */
void	ks_crule_expand(struct ks_crule *r, const struct ks_mkenv *env);
/* Last word with the prefix, or NULL. */
const struct ks_xword *ks_crule_word(const struct ks_crule *r,
	    const char *prefix);
bool	ks_crule_has(const struct ks_crule *r, const char *word);

/* --- flags: flags.c ----------------------------------------------------- */

/* What a compiler flag does to the sets of instructions in force. */
enum ks_flag_kind { KS_FLAG_NONE, KS_FLAG_ON, KS_FLAG_OFF };
enum ks_flag_kind ks_flag_isa(const char *word, ks_isaset *set);
/* SET after WORD. */
ks_isaset ks_flag_apply(ks_isaset set, const char *word);
/* Is the word a flag of x86 compilers only? */
bool	ks_flag_x86_only(const char *word);
/* Why a flag is there, in a few words; NULL if nothing is known of it. */
const char *ks_flag_reason(const char *word);

/* --- judges: lint_flags.c, lint_cross.c --------------------------------- */

void	ks_lint_rule(struct ks_lint *l, struct ks_crule *r);
void	ks_lint_cross(struct ks_lint *l);
/* The command that should stand there, for a note. */
const char *ks_lint_replacement(struct ks_lint *l, const struct ks_crule *r);

#ifdef __cplusplus
}
#endif

#endif
