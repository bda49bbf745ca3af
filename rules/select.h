/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which entries of files.* lists a kernel configuration selects, as
 * config(8) selects them.
 */
#ifndef KS_RULES_SELECT_H
#define KS_RULES_SELECT_H

#include "drops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a kernel configuration that lists depend on. */
struct ks_kconf {
	const char *sysdir;	/* includes are relative to it */
	enum ks_dialect dialect;
	struct ks_strtab *devices;	/* case matters */
	struct ks_strtab *options;	/* without a value, in lower case */
	KS_VEC(bool) named;	/* by device id: an entry asks for it */
};

void	ks_kconf_init(struct ks_kconf *k, const char *sysdir,
	    enum ks_dialect dialect);
void	ks_kconf_free(struct ks_kconf *k);
void	ks_kconf_device(struct ks_kconf *k, const char *name);
/*
 * "NAME" or "NAME=VALUE"; one with a value never matches.  A cpu type is an
 * option to config(8), too.
 */
void	ks_kconf_option(struct ks_kconf *k, const char *option);

struct ks_selected {
	const struct ks_list *list;
	const struct ks_item *item;	/* KS_ITEM_ENTRY */
};

struct ks_selection {
	struct ks_arena *arena;
	KS_VEC(struct ks_list *) lists;	/* owned, in the order of reading */
	KS_VEC(struct ks_selected) files;	/* in config(8)'s order */
	struct ks_strtab *names;	/* of files; id - 1 is the index */
	struct ks_strtab *objects;	/* that are made */
	/* Where config(8) stops, if ks_select says so: */
	const char *stop_text;	/* what it prints */
	const char *stop_reason;	/* in our words; "" if that says all */
	const struct ks_list *stop_list;	/* NULL: no place */
	const struct ks_fword *stop_at;
};

/*
 * Reads the N lists in order, and what they include.  Returns 0; 1 if
 * config(8) would stop (then s->stop_* is set); KS_EIO for a list of LISTS
 * that cannot be read, KS_EPARSE for one that is no text.  What is lost in
 * silence goes to R.  ks_selection_free in each case.
 */
int	ks_select(struct ks_kconf *k, const char *const *lists, size_t n,
	    const struct ks_remarks *r, struct ks_selection *s,
	    struct ks_error *err);
void	ks_selection_free(struct ks_selection *s);

/*
 * How config(8) names the list PATH in its messages: it runs two folders
 * below sysdir.
 */
const char *ks_config_path(struct ks_arena *a, const char *sysdir,
	    const char *path);

/* "sys" of "sys/conf/files.amd64"; "." if there is no conf. */
const char *ks_sysdir_of(struct ks_arena *a, const char *list);

/* Object that the entry makes, with its obj-prefix: "aesni_wrap2.o". */
const char *ks_item_object(struct ks_arena *a, const struct ks_item *it);

#ifdef __cplusplus
}
#endif

#endif
