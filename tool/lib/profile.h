/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between the files that make profiles.
 */
#ifndef KS_LIB_PROFILE_H
#define KS_LIB_PROFILE_H

#include "ks/lex.h"
#include "ks/profile.h"

/* A new rule of R's content in front of those of its name. */
void	ks_profile_add_rule(struct ks_profile *p, const struct ks_rule *r);
/* Sorts the prefixes; after the last rule of a load. */
void	ks_profile_index(struct ks_profile *p);

/*
 * The file that NAME stands for: itself if it is a path (relative to
 * FOLDER unless that is NULL), else NAME.prof in FOLDER if that has one,
 * else in the profile folder.
 */
char	*ks_profile_path(struct ks_arena *a, const char *name,
	    const char *folder);
bool	ks_profile_is_path(const char *name);
/* realpath(3), or PATH itself where there is none. */
char	*ks_profile_real(struct ks_arena *a, const char *path);
/* "freebsd, linux" */
char	*ks_profile_known(struct ks_arena *a);

/* --- reading ------------------------------------------------------------- */

struct prof_parser {
	struct ks_profile *p;
	struct ks_lex	*lx;
	struct ks_error	*err;
	const char	*file, *real;
	struct ks_line	 line;
	size_t		 at;		/* the next word of the line */
	const struct prof_parser *outer; /* the file that includes this one */
	unsigned	 depth;		/* of includes */
	bool		 first;		/* no line was read before */
	unsigned	*name_depth;	/* of the file that gave p->name */
};

/*
 * Reads a line that starts with W and names no role; 1 if there is no such
 * directive.
 */
int	prof_fact_line(struct prof_parser *s, const struct ks_word *w);

/* The next word; NULL at the line's end. */
const struct ks_word *prof_peek(const struct prof_parser *s);
const struct ks_word *prof_take(struct prof_parser *s);
/* "expected WHAT" at the next word, or behind the last one. */
int	prof_expected(const struct prof_parser *s, const char *what);
bool	prof_is_word(const struct ks_word *w, const char *text);
bool	prof_take_word(struct prof_parser *s, const char *text);
int	prof_line_end(const struct prof_parser *s);
/* The word's text, which lives as long as the profile. */
const char *prof_keep(const struct prof_parser *s, const struct ks_word *w);

/*
 * WHAT is missing if the next word is no such thing.  prof_read_word gives
 * NULL then, with the error in *rc.
 */
const char *prof_read_word(struct prof_parser *s, const char *what, int *rc);
int	prof_read_num(struct prof_parser *s, uint64_t min, uint64_t max,
	    const char *what, uint64_t *out);
int	prof_read_mask(struct prof_parser *s, uint64_t *out);
int	prof_read_isa(struct prof_parser *s, ks_isaset *out);

#endif
