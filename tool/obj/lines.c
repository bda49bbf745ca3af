/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Source lines of places in objects, from DWARF.
 */
#include "obj_priv.h"

/* See obj_priv.h. */
void
ks_lines_free(struct ks_obj *o)
{
	(void)o;
}

/* See obj.h. */
void
ks_obj_add_lines(struct ks_obj *o, const char *debug_dir,
    struct ks_findings *f)
{
	(void)o;
	(void)debug_dir;
	(void)f;
}
