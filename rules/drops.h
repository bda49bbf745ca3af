/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What config(8) drops from a files.* list without a word: found from the
 * list alone.  (Dropped for what else is selected: select.h.)
 */
#ifndef KS_RULES_DROPS_H
#define KS_RULES_DROPS_H

#include "list.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ks_drop {
	KS_DROP_KEYWORD,	/* nearly, or elsewhere, a keyword */
	KS_DROP_OPERATOR,	/* '|' or '!' without blanks */
	KS_DROP_COMMENT,	/* '#' in mid-line; a comment takes a line in */
	KS_DROP_LINE,		/* no newline at the end; control bytes */
	KS_DROP_COPIED,		/* the rule of a '.o' that is copied */
	KS_DROP_LONG,		/* overflows a buffer */
	KS_DROP_OTHER,		/* has no effect */
	KS_DROP_SELECTION,	/* depends on what else is selected */
};

/* Where remarks go: TEXT is about the word AT of list L. */
struct ks_remarks {
	void	(*emit)(void *ctx, enum ks_drop what, const struct ks_list *l,
		    const struct ks_fword *at, const char *text);
	void	*ctx;
};

/*
 * Calls R->emit for each thing that is lost in IT, in the order of the
 * words.  KNOWN (may be NULL) says that a name is a configured device or
 * option: such a name is never taken for a misspelt keyword.
 */
void	ks_item_drops(const struct ks_list *l, const struct ks_item *it,
	    bool (*known)(void *ctx, const char *name), void *known_ctx,
	    const struct ks_remarks *r);

/* Formats and emits one remark. */
void	ks_remark(const struct ks_remarks *r, enum ks_drop what,
	    const struct ks_list *l, const struct ks_fword *at,
	    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#ifdef __cplusplus
}
#endif

#endif
