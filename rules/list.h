/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * files.* lists, token for token as FreeBSD's config(8) reads them, with the
 * place of every word and the layout around it kept.
 *
 * config(8) never names a line, and drops much without a word.  So nothing
 * is decided here: parsing always yields every item of the file, each with
 * its byte range, its words and, at most, the one message that would stop
 * config(8) there.  drops.h finds what is dropped in silence, select.h what
 * is selected.
 *
 *   file    := { blank | comment | include | entry }
 *   comment := '#'... : '#' as the first byte of the first word only
 *   include := "include" value {word}         (the other words are ignored)
 *   entry   := name ("standard" | "optional") {cond | '|' | '!' | flag |
 *              key value}
 *
 * Source of the facts: files.* as shipped and config(8) of FreeBSD 12.1, 13
 * and 15.1, as observed.
 */
#ifndef KS_RULES_LIST_H
#define KS_RULES_LIST_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whose config(8), or whose build system, a list is for. */
enum ks_dialect {
	KS_FREEBSD_13,		/* 13 and older: see ks_keyword.dialects */
	KS_FREEBSD_14,
	KS_FREEBSD_15,
	KS_LINUX_6_1,		/* Kbuild: no files.* lists */
	KS_LINUX_6_10,
	KS_DIALECT_MAX
};
#define KS_DIALECT_LINUX(d)	((d) >= KS_LINUX_6_1)

const char *ks_dialect_name(enum ks_dialect d);		/* "freebsd-15" */
/* false for an unknown name. */
bool	ks_dialect_find(const char *name, enum ks_dialect *out);

/*
 * Words with a meaning inside an entry.  SIMD and OPTIMIZE are ksimd's own
 * and known in files.simd only.
 */
enum ks_kw {
	KS_KW_NONE = -1,
	KS_KW_BEFORE_DEPEND,
	KS_KW_CLEAN,
	KS_KW_COMPILE_WITH,
	KS_KW_DEPENDENCY,
	KS_KW_LOCAL,
	KS_KW_NO_CTFCONVERT,
	KS_KW_NO_DEPEND,
	KS_KW_NO_IMPLICIT_RULE,
	KS_KW_NO_OBJ,
	KS_KW_NOWERROR,
	KS_KW_OBJ_PREFIX,
	KS_KW_OPTIMIZE,
	KS_KW_PROFILING_ROUTINE,
	KS_KW_SIMD,
	KS_KW_WARNING,
	KS_KW_MAX
};

struct ks_keyword {
	const char *word;
	const char *missing;	/* takes a value: config(8)'s text without it */
	unsigned dialects;	/* bit 1 << enum ks_dialect */
	bool	 simd;		/* files.simd only */
};
extern const struct ks_keyword ks_keywords[KS_KW_MAX];	/* sorted by word */

enum ks_fword_kind {
	KS_FW_NAME,		/* first word of an entry */
	KS_FW_TYPE,		/* standard, optional or what stands there */
	KS_FW_COND,		/* device or option name */
	KS_FW_OR,
	KS_FW_NOT,
	KS_FW_FLAG,		/* keyword without a value */
	KS_FW_KEY,		/* keyword with one */
	KS_FW_VALUE,		/* of the key (or include) before it */
	KS_FW_INCLUDE,
	KS_FW_IGNORED,		/* in a comment, or behind an include's name */
	KS_FW_CUT,		/* read when the file ended: config(8) drops it */
};

struct ks_fword {
	enum ks_fword_kind kind;
	enum ks_kw kw;		/* FLAG, KEY and VALUE */
	const char *text;	/* as config(8) keeps it, NUL-terminated */
	size_t	 off, len;	/* in the list's text, quotes included */
	uint32_t line, col;	/* from 1; columns in bytes */
	char	 quote;		/* '"', '\'' or 0 */
};

enum ks_item_kind {
	KS_ITEM_BLANK,
	KS_ITEM_COMMENT,
	KS_ITEM_INCLUDE,
	KS_ITEM_ENTRY,
	KS_ITEM_LOST,		/* cut off by the end of the file: no effect */
};

/* What stops config(8) at an item. */
enum ks_stop {
	KS_STOP_NONE,
	KS_STOP_NO_TYPE,
	KS_STOP_BAD_TYPE,
	KS_STOP_STANDARD_COND,	/* standard entry with a name */
	KS_STOP_EMPTY_ARM,	/* '|' without a name before it */
	KS_STOP_NO_RULE,	/* no-implicit-rule before compile-with */
	KS_STOP_MISSING_VALUE,
	KS_STOP_MISSING_INCLUDE,
	KS_STOP_CUT,		/* a value that the end of the file cuts off */
	KS_STOP_MISSING_QUOTE,
};

struct ks_item {
	enum ks_item_kind kind;
	size_t	 begin, end;	/* bytes; each item begins where one ended */
	struct ks_fword *words;
	size_t	 n;
	/* entries: */
	bool	 standard;
	unsigned flags;		/* bit 1 << enum ks_kw of FLAG words */
	enum ks_kw file_type;	/* the last of LOCAL, NO_DEPEND and
				   PROFILING_ROUTINE, or NONE */
	const struct ks_fword *value[KS_KW_MAX];	/* the last of its key */
	/* entries and includes: */
	enum ks_stop stop;
	const struct ks_fword *stop_at;	/* the word it is about; not NULL */
	const char *stop_text;	/* what config(8) prints, word for word */
};

#define KS_ITEM_HAS(item, name)						\
	(((item)->flags >> KS_KW_##name & 1) != 0)

struct ks_list {
	struct ks_arena *arena;
	const char *path;	/* for our messages */
	const char *config_path;	/* for config(8)'s */
	const char *text;	/* owned copy, NUL behind it */
	size_t	 size;
	enum ks_dialect dialect;
	bool	 simd;
	KS_VEC(struct ks_item) items;
};

/*
 * Parses SIZE bytes into *out; TEXT may be freed afterwards.  SIMD says
 * that the file is a files.simd.  The only errors are a NUL byte (KS_EPARSE,
 * with its place) and a file of 4 GiB or more.
 */
int	ks_list_parse(const char *path, const char *config_path,
	    const char *text, size_t size, enum ks_dialect dialect, bool simd,
	    struct ks_list **out, struct ks_error *err);
/* Reads PATH and parses it; KS_EIO too. */
int	ks_list_read(const char *path, const char *config_path,
	    enum ks_dialect dialect, bool simd, struct ks_list **out,
	    struct ks_error *err);
void	ks_list_free(struct ks_list *l);

/* The name of an entry; include: the file's. */
const struct ks_fword *ks_item_name(const struct ks_item *it);
/* Why config(8) stops here, in our words; "" for KS_STOP_NONE. */
const char *ks_stop_reason(enum ks_stop stop);

/* "PATH:LINE:COL: " + text; returns KS_EPARSE. */
int	ks_list_error(const struct ks_list *l, const struct ks_fword *at,
	    struct ks_error *err, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));

/* --- tokens: scan.c ----------------------------------------------------- */

enum ks_scan_end {
	KS_SCAN_WORD,
	KS_SCAN_EOL,		/* the newline is consumed */
	KS_SCAN_EOF,		/* w->len bytes were read and are lost */
	KS_SCAN_QUOTE,		/* newline in quotes; it is consumed */
};

struct ks_scan {
	struct ks_arena *arena;	/* of the words' texts */
	const char *text;
	size_t	 size, pos, line_start;
	uint32_t line;		/* of pos */
};

/* The next word; with QUOTED it may be a quoted text. */
enum ks_scan_end ks_scan_word(struct ks_scan *s, bool quoted,
	    struct ks_fword *w);

#ifdef __cplusplus
}
#endif

#endif
