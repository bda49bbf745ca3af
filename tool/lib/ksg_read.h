/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the reader of event graphs keeps while it reads, and the parts its
 * lines are made of.  The functions that read a part return KS_OK or
 * KS_EPARSE with file:line:col; those that take one do so only if it is
 * there.
 */
#ifndef KS_LIB_KSG_READ_H
#define KS_LIB_KSG_READ_H

#include "ks/lex.h"
#include "ksg.h"

struct ksg_tok {
	struct ks_word	w;
	char		punct;	/* one of ( ) , & *, or 0 */
};

/* What a string names here; by the unit's string id. */
struct ksg_meaning {
	uint32_t sym;		/* first symbol of this name, or KS_NONE */
	uint32_t stamp;		/* the function that `place' is of */
	uint32_t place;
};

struct ksg_at {
	uint32_t line, col;
};

struct ksg_reader {
	struct ks_lex	*lx;
	struct ks_arena	*arena;		/* tokens that were cut */
	struct ks_error	*err;
	KS_VEC(struct ksg_tok) toks;	/* of the line, at least one */
	size_t		 at;		/* the next token */
	struct ks_unit	*u;		/* NULL between units */
	struct ks_func	*f;		/* NULL between functions */
	struct ks_word	 unit_at, func_at;
	KS_VEC(struct ksg_meaning) names;
	uint32_t	 stamp;		/* of the function; never 0 */
	KS_VEC(struct ksg_at) edges;	/* where each edge's target is */
	KS_VEC(struct ks_unit *) units;
};

/* 1, 0 at the end of the file, or an error. */
int	ksg_read_line(struct ksg_reader *r);
/* The next token of the line, NULL at its end. */
struct ksg_tok *ksg_peek(struct ksg_reader *r);
/* "expected WHAT, not ..." at the next token, or behind the last one. */
int	ksg_expected(struct ksg_reader *r, const char *what);
int	ksg_line_end(struct ksg_reader *r);

bool	ksg_is_word(const struct ksg_tok *t, const char *word);
bool	ksg_take_word(struct ksg_reader *r, const char *word);
bool	ksg_take_punct(struct ksg_reader *r, char c);
/* A name, quoted or not; NULL if the next token is none. */
const struct ks_word *ksg_take_name(struct ksg_reader *r);
/* A word of TABLE: sets its bit. */
bool	ksg_take_flag(struct ksg_reader *r, const struct ksg_words *table,
	    uint32_t *flags);

int	ksg_read_num(struct ksg_reader *r, uint64_t max, uint64_t *out,
	    const char *what);
int	ksg_read_u32(struct ksg_reader *r, uint32_t *out, const char *what);
/* Into the unit's strings; "" is 0. */
int	ksg_read_string(struct ksg_reader *r, uint32_t *out,
	    const char *what);
/* WORD,WORD... or "none" */
int	ksg_read_bits(struct ksg_reader *r, const struct ksg_words *table,
	    uint32_t *out, const char *what);
int	ksg_read_isa(struct ksg_reader *r, ks_isaset *out);

struct ksg_meaning *ksg_meaning_of(struct ksg_reader *r, uint32_t id);
/* Is it "[N]"?  *out is UINT64_MAX if N is no number. */
bool	ksg_is_index(const struct ks_word *w, uint64_t *out);
uint32_t ksg_declare_sym(struct ksg_reader *r, const char *name,
	    uint32_t flags);
uint32_t ksg_declare_place(struct ksg_reader *r, const char *name,
	    uint8_t flags);
int	ksg_read_sym(struct ksg_reader *r, uint32_t *out);
int	ksg_read_place(struct ksg_reader *r, uint32_t *out);

/* "in IV", "== K", "!= K" */
int	ksg_read_cond(struct ksg_reader *r, struct ks_iv *iv);
int	ksg_read_val(struct ksg_reader *r, struct ks_val *v);

/*
 * "at LINE:COL", "in FILE" or "off N": 1, 0 if it is none of them, or an
 * error.  *has_file: the file was given.
 */
int	ksg_read_loc(struct ksg_reader *r, struct ks_loc *loc,
	    bool *has_file);
/* A place with a line, but without a file, is in DEF. */
void	ksg_default_file(struct ks_loc *loc, bool has_file, uint32_t def);

#endif
