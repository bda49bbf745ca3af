/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makefiles, BSD and GNU, read as far as build rules need it: assignments,
 * rules with their recipes, and the conditions around each.
 */
#ifndef KS_RULES_MKFILE_H
#define KS_RULES_MKFILE_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ks_mkline_kind {
	KS_MK_OTHER,		/* blank, comment, a directive that is no condition */
	KS_MK_ASSIGN,
	KS_MK_RULE,		/* "targets: prerequisites" */
	KS_MK_RECIPE,
	KS_MK_FOR,		/* name: the variable, value: its words */
	KS_MK_ENDFOR,
	KS_MK_INCLUDE,
	KS_MK_BAD,		/* nothing of these */
};

struct ks_mkline {
	enum ks_mkline_kind kind;
	uint32_t begin, end;	/* bytes of the file, newline included */
	const char *name;	/* variable or targets */
	uint32_t name_off;
	char	 op;		/* '=', '+', '?', ':', '!' */
	const char *value;	/* rest; a continued line's backslash and
				   newline are blanks, so places are kept */
	uint32_t value_off;
	const char *guard;	/* conditions around it, "" for none */
};

struct ks_mkfile { KS_VEC(struct ks_mkline) lines; };

/* Never fails: what is not understood is KS_MK_BAD. */
void	ks_mkfile_parse(struct ks_arena *a, const char *text, size_t size,
	    bool gnu, struct ks_mkfile *m);
void	ks_mkfile_free(struct ks_mkfile *m);

/*
 * Machines that the conditions name (KS_ARCH_* of lint.h), 0 if none;
 * *GUARDED says whether they speak of the machine at all.
 */
unsigned ks_mk_guard_archs(const char *guard, bool *guarded);

#ifdef __cplusplus
}
#endif

#endif
