/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Profiles: a kernel's interface as data (ksimd.prof(5)), and contracts:
 * what one file cannot know.  Both use ks/lex.h.  Every fact in a profile
 * names its source (manual page or header).
 */
#ifndef KS_PROFILE_H
#define KS_PROFILE_H

#include "ks/base.h"
#include "ks/graph.h"
#include "ks/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ks_role {
	KS_ROLE_ENTER,		/* enter F [ctx N] [flags N] [atomic] [counted] */
	KS_ROLE_LEAVE,		/* leave F [ctx N] */
	KS_ROLE_QUERY,		/* query F means M [exact] */
	KS_ROLE_QUERY_MASK,	/* query-mask FIELD MASK means M [exact] */
	KS_ROLE_THREAD,		/* thread F */
	KS_ROLE_MARKER,		/* needs-marker F */
	KS_ROLE_SUSPENDS,	/* suspends F callback N */
	KS_ROLE_ALLOC,		/* alloc F flags N [may-fail-if MASK] */
	KS_ROLE_FREE,		/* free F ctx N: of a context */
	KS_ROLE_SLEEPS,		/* sleeps F... [flags N if-mask M] */
	KS_ROLE_FORBID_ATOMIC,	/* forbid-atomic F... : also if it cannot sleep */
	KS_ROLE_MACHINERY,	/* machinery F... */
	KS_ROLE_ENTER_INLINE,	/* enter-inline F...: opens a region by SAVE events */
	KS_ROLE_LEAVE_INLINE,
	KS_ROLE_NORETURN,	/* noreturn F... */
	KS_ROLE_IGNORE_CALL,	/* ignore-call F...: never touches a region */
	KS_ROLE_RETURN_THUNK,	/* return-thunk F... */
	KS_ROLE_INDIRECT_THUNK,	/* indirect-thunk PREFIX: + register name */
	KS_ROLE_REGISTRATION,	/* registration F... */
	KS_ROLE_LIBCALL,	/* libcall F...: soft-float helper (obj-libcall) */
	KS_ROLE_MAX
};

struct ks_rule {
	enum ks_role role;
	const char *name;	/* function or field; may end in '*' (prefix) */
	int	 ctx, flags, callback;	/* argument positions from 0, -1: none */
	unsigned means;		/* enum ks_means */
	bool	 exact;		/* false result means the opposite */
	bool	 atomic;	/* must not sleep or nest, whatever the flags */
	bool	 counted;	/* a depth is counted: may nest */
	uint64_t mask;		/* query-mask; sleeps if-mask; alloc may-fail-if */
	const char *file;	/* place in the profile */
	uint32_t line, col;
	struct ks_rule *next;	/* of the same name */
};

struct ks_flagdef {		/* flag NAME VALUE [atomic] [no-ctx] */
	const char *name;
	uint64_t value;
	bool	 atomic;
	bool	 no_ctx;	/* the context must be null, and may be */
};

struct ks_feature {		/* feature ISAWORD cpuid LEAF[.SUB] REG BIT [xcr0 MASK]
				   feature ISAWORD var NAME OFFSET MASK [xcr0 MASK] */
	ks_isaset isa;		/* what it makes known, closure not applied */
	struct ks_gate gate;	/* var: string is var_name, not gate.var */
	const char *var_name;
	uint64_t xcr0;
};

struct ks_archdef {		/* arch NAME [kernbase A] [stack-align N]
				   [baseline ISA,...] */
	const char *name;
	uint64_t kernbase;	/* 0: not said */
	unsigned stack_align;	/* bytes, of %rsp + 8 (4) at a function's entry;
				   a power of two, 0: not said */
	ks_isaset baseline;	/* what every supported CPU has */
};

struct ks_cflags {		/* cflags ARCH [base "..."] [simd ISA,... "..." [house "..."]] */
	const char *arch;
	ks_isaset isa;		/* 0: base */
	const char *flags, *house;
};

enum ks_detect_kind {
	KS_DETECT_OSABI,	/* detect elf-osabi freebsd */
	KS_DETECT_SECTION,	/* detect section NAME */
	KS_DETECT_MACRO,	/* detect macro A B...: all defined */
	KS_DETECT_SYMBOL,	/* detect symbol NAME: defined or wanted */
};

struct ks_detect {
	enum ks_detect_kind kind;
	const char *words[8];	/* all of them hold; NULL-terminated */
};

/*
 * unit-unless WORD...: macros, and compiler options (they start with '-')
 * as the command line has them; NULL-terminated.
 */
struct ks_unless { const char *words[8]; };

struct ks_profile {
	struct ks_arena *arena;
	const char *name;	/* kernel NAME, of the last loaded file */
	struct ks_strtab *names;	/* of rules */
	KS_VEC(struct ks_rule *) byname;	/* by id in names; may be short */
	KS_VEC(struct ks_rule *) rules;
	KS_VEC(struct ks_rule *) prefixes;	/* first rule of each name that
						   ends in '*', by first byte,
						   longest first */
	uint32_t prefix_first[257];	/* index in prefixes, by first byte */
#define KS_PROFILE_STARTS	8192	/* bits */
	uint8_t	 starts[KS_PROFILE_STARTS / 8];	/* of names of rules */
	KS_VEC(struct ks_flagdef) flags;
	KS_VEC(struct ks_feature) features;
	KS_VEC(struct ks_archdef) archs;
	KS_VEC(struct ks_cflags) cflags;
	KS_VEC(struct ks_detect) detects;	/* not those of included files */
	KS_VEC(const char *) opaque;	/* "struct fpu_kern_ctx" */
	KS_VEC(const char *) unit_if;	/* macros: no kernel code without them */
	KS_VEC(struct ks_unless) unit_unless;	/* none with all words of one */
	bool	 fpu_enabled;	/* fpu-enabled: outside regions, too */
	KS_VEC(const char *) sources;
	KS_VEC(const char *) loaded;	/* files read, for messages */
	KS_VEC(const char *) real;	/* the same, as realpath(3) has them */
};

struct ks_profile *ks_profile_new(void);
void	ks_profile_free(struct ks_profile *p);
/*
 * Loads NAME on top: a path if it has a '/' or ends in .prof, else
 * NAME.prof in the profile folder (ks_profile_dir).  A file that is loaded
 * already, also by an include, is not read again.  Unknown words, wrong
 * numbers and missing arguments: KS_EPARSE with file:line:col.  No such
 * profile: KS_EUSAGE, the text lists those known.  After an error the
 * profile may hold a part of the file and is good for ks_profile_free only.
 */
int	ks_profile_load(struct ks_profile *p, const char *name,
	    struct ks_error *err);
/*
 * The same from memory; NAME is used in messages, and includes are relative
 * to its folder.
 */
int	ks_profile_parse(struct ks_profile *p, const char *name,
	    const char *data, size_t size, struct ks_error *err);
/*
 * Where profiles are: $KSIMD_PROFILES, else ../share/ksimd/profiles beside
 * the program's bin folder, else the source tree's (compiled in).
 */
const char *ks_profile_dir(void);
/* Names in that folder, sorted; n strings owned by the arena. */
int	ks_profile_list(struct ks_arena *a, const char ***names, size_t *n,
	    struct ks_error *err);

/*
 * First rule for NAME (walk ->next; what was loaded last comes first), or
 * NULL.  Those of the exact name, else those of the longest prefix that has
 * any.  NAME may itself be a prefix as the profile has it ("foo*").
 */
const struct ks_rule *ks_profile_find(const struct ks_profile *p,
	    const char *name);
/* The same for one role only: a shorter prefix may have it. */
const struct ks_rule *ks_profile_role(const struct ks_profile *p,
	    const char *name, enum ks_role role);
const struct ks_archdef *ks_profile_arch(const struct ks_profile *p,
	    const char *arch);

/* What a front end tells of its input, for the automatic choice. */
struct ks_detect_input {
	const char *osabi;	/* "freebsd", "none", ... or NULL */
	bool	(*has)(void *ctx, enum ks_detect_kind kind, const char *word);
	void	*ctx;
};
/*
 * Name of the one profile whose detect lines match.  KS_EUSAGE with text
 * that lists the known profiles if none or several do (a profile that
 * includes another beats it).
 */
int	ks_profile_detect(struct ks_arena *a, const struct ks_detect_input *in,
	    const char **name, struct ks_error *err);

/* --- contracts -------------------------------------------------------------- */

enum ks_contract_kind {
	KS_CONTRACT_NEEDS,	/* needs F */
	KS_CONTRACT_HELD_BY,	/* held-by F: F (or field) is always called inside */
	KS_CONTRACT_FREE,	/* free F: its source needs no region */
	KS_CONTRACT_GATE,	/* gate F aes,sse4.1 */
	KS_CONTRACT_ALLOW,	/* allow ID F "reason" */
};

struct ks_contract_item {
	enum ks_contract_kind kind;
	const char *func;
	ks_isaset isa;		/* GATE */
	const char *id, *reason;	/* ALLOW */
	const char *file;
	uint32_t line, col;
	bool	 used;		/* set by the engine */
};

struct ks_contract {
	struct ks_arena *arena;
	KS_VEC(struct ks_contract_item) items;
	struct ks_strtab *names;	/* of functions */
	KS_VEC(uint32_t) first, next;	/* item + 1: by name; by item */
};

/*
 * Where a module says what the pass knows of its functions: contracts, each
 * with a NUL behind it.  "ksimd cc" reads it in what such modules are linked
 * into.  Linux's linker scripts drop what has such a name in the end, and
 * do not complain of it.
 */
#define KS_FACTS_SECTION	".discard.ksimd"

struct ks_contract *ks_contract_new(void);
void	ks_contract_free(struct ks_contract *c);
int	ks_contract_load(struct ks_contract *c, const char *path,
	    struct ks_error *err);
/* The same from memory; NAME is used in messages. */
int	ks_contract_parse(struct ks_contract *c, const char *name,
	    const char *data, size_t size, struct ks_error *err);
/* First item of KIND for FUNC (and ID, for ALLOW; NULL: any), or NULL. */
struct ks_contract_item *ks_contract_find(struct ks_contract *c,
	    enum ks_contract_kind kind, const char *func, const char *id);

#ifdef __cplusplus
}
#endif

#endif
