/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Selection: lists and a kernel configuration to files.
 *
 *   1. Lists are read in the order given, an included one where its include
 *      stands.
 *   2. An entry is selected if one of its arms is true: each name of the
 *      arm is a device (case matters) or an option without a value (case
 *      does not), or is neither and negated.
 *   3. The first selected entry of a name wins; later ones change nothing.
 *   4. An optional entry that is selected needs a name in its last arm.
 *   5. A device that no entry asks for makes config(8) fail in the end.
 *
 * Invariant: names holds the selected names only, so that an id minus one
 * is an index in files.
 *
 * Limit: config(8) is taken to run without -p (profiling).
 */
#include "select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void
ks_kconf_init(struct ks_kconf *k, const char *sysdir,
    enum ks_dialect dialect)
{
	memset(k, 0, sizeof(*k));
	k->sysdir = sysdir;
	k->dialect = dialect;
	k->devices = ks_strtab_new();
	k->options = ks_strtab_new();
	*ks_vec_push(&k->named) = true;		/* id 0 is no device */
}

void
ks_kconf_free(struct ks_kconf *k)
{
	ks_strtab_free(k->devices);
	ks_strtab_free(k->options);
	ks_vec_free(&k->named);
}

void
ks_kconf_device(struct ks_kconf *k, const char *name)
{
	if (ks_intern(k->devices, name) == k->named.n)
		*ks_vec_push(&k->named) = false;
}

static char *
lower(const char *s)
{
	char *t = ks_xmalloc(strlen(s) + 1), *p = t;

	do
		*p++ = (char)tolower((unsigned char)*s);
	while (*s++ != '\0');
	return t;
}

void
ks_kconf_option(struct ks_kconf *k, const char *option)
{
	char *name;

	if (strchr(option, '=') != NULL)
		return;
	name = lower(option);
	ks_intern(k->options, name);
	free(name);
}

static bool
has_option(const struct ks_kconf *k, const char *name)
{
	char *s = lower(name);
	bool found = ks_intern_find(k->options, s) != 0;

	free(s);
	return found;
}

static bool
known_name(void *ctx, const char *name)
{
	const struct ks_kconf *k = ctx;

	return ks_intern_find(k->devices, name) != 0 || has_option(k, name);
}

/* Is the name configured?  Marks a device that is asked for. */
static bool
configured(struct ks_kconf *k, const char *name, bool negated)
{
	uint32_t id = ks_intern_find(k->devices, name);

	if (id == 0)
		return has_option(k, name);
	if (!negated)
		k->named.v[id] = true;
	return true;
}

/* *reqs: number of names in the last arm. */
static bool
selects(struct ks_kconf *k, const struct ks_item *it, size_t *reqs)
{
	bool any = false, arm = true, negated = false;

	*reqs = 0;
	for (size_t i = 2; i < it->n; i++) {
		const struct ks_fword *w = &it->words[i];

		switch (w->kind) {
		case KS_FW_NOT:
			negated = true;
			break;
		case KS_FW_OR:
			any |= arm;
			arm = true;
			*reqs = 0;
			break;
		case KS_FW_COND:
			if (configured(k, w->text, negated) == negated)
				arm = false;
			negated = false;
			++*reqs;
			break;
		case KS_FW_FLAG:
			*reqs += w->kw == KS_KW_PROFILING_ROUTINE;
			break;
		default:
			break;
		}
	}
	return any || arm;
}

static bool
same_text(const struct ks_fword *a, const struct ks_fword *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a->text, b->text) == 0;
}

/* Do both entries lead to the same lines of the makefile? */
static bool
same_effect(const struct ks_item *a, const struct ks_item *b)
{
	for (int i = 0; i < KS_KW_MAX; i++)
		if (!same_text(a->value[i], b->value[i]))
			return false;
	return a->flags == b->flags && a->file_type == b->file_type;
}

const char *
ks_item_object(struct ks_arena *a, const struct ks_item *it)
{
	const struct ks_fword *prefix = it->value[KS_KW_OBJ_PREFIX];
	const char *name = ks_item_name(it)->text;
	const char *slash = strrchr(name, '/');
	size_t n;

	if (slash != NULL)
		name = slash + 1;
	n = strlen(name);
	return ks_printf(a, "%s%.*s%s", prefix != NULL ? prefix->text : "",
	    n > 0 ? (int)n - 1 : 0, name, n > 0 ? "o" : "");
}

static int
stopped(struct ks_selection *s, const struct ks_list *l,
    const struct ks_fword *at, const char *text, const char *reason)
{
	s->stop_text = text;
	s->stop_reason = reason;
	s->stop_list = l;
	s->stop_at = at;
	return 1;
}

static void
add_file(struct ks_selection *s, const struct ks_list *l,
    const struct ks_item *it, const struct ks_remarks *r)
{
	const struct ks_fword *name = ks_item_name(it);
	const char *object;

	ks_intern(s->names, name->text);
	*ks_vec_push(&s->files) = (struct ks_selected){ l, it };
	if (KS_ITEM_HAS(it, NO_OBJ))
		return;
	object = ks_item_object(s->arena, it);
	if (ks_intern_find(s->objects, object) != 0)
		ks_remark(r, KS_DROP_SELECTION, l, name, "'%s' is made by an earlier entry, too: "
		    "make uses only the first rule", object);
	ks_intern(s->objects, object);
}

static int
take_entry(struct ks_kconf *k, struct ks_selection *s,
    const struct ks_list *l, const struct ks_item *it,
    const struct ks_remarks *r)
{
	const struct ks_fword *name = ks_item_name(it);
	const struct ks_selected *first;
	size_t reqs;
	uint32_t id;

	if (it->stop != KS_STOP_NONE)
		return stopped(s, l, it->stop_at, it->stop_text,
		    ks_stop_reason(it->stop));
	if (!selects(k, it, &reqs))
		return KS_OK;
	id = ks_intern_find(s->names, name->text);
	if (id != 0) {
		first = &s->files.v[id - 1];
		if (!same_effect(it, first->item))
			ks_remark(r, KS_DROP_SELECTION, l, name, "'%s' is selected already at "
			    "%s:%u; what this entry says otherwise is ignored",
			    name->text, first->list->path,
			    ks_item_name(first->item)->line);
		return KS_OK;
	}
	if (!it->standard && reqs == 0)
		return stopped(s, l, name, ks_printf(s->arena,
		    "%s: what is %s optional on?", l->config_path,
		    name->text), "no device or option at the end of the "
		    "entry");
	if (it->file_type != KS_KW_PROFILING_ROUTINE)
		add_file(s, l, it, r);
	return KS_OK;
}

const char *
ks_config_path(struct ks_arena *a, const char *sysdir, const char *path)
{
	size_t n = strlen(sysdir);

	if (strcmp(sysdir, ".") == 0 && *path != '/')
		return ks_printf(a, "../../%s", path);
	if (n > 0 && strncmp(path, sysdir, n) == 0 && path[n] == '/')
		return ks_printf(a, "../../%s", path + n + 1);
	return path;
}

const char *
ks_sysdir_of(struct ks_arena *a, const char *list)
{
	const char *slash = strrchr(list, '/'), *conf;

	if (slash == NULL)
		return ".";
	conf = slash;
	while (conf > list && conf[-1] != '/')
		conf--;
	if (slash - conf != 4 || memcmp(conf, "conf", 4) != 0 || conf == list)
		return ".";
	return ks_strndup(a, list, (size_t)(conf - list) - (conf - list > 1));
}

/* The lists that are being read, innermost first. */
struct reading {
	const char		*path;
	const struct reading	*outer;
};

static int	read_items(struct ks_kconf *k, struct ks_selection *s,
		    const struct ks_list *l, const struct reading *where,
		    const struct ks_remarks *r, struct ks_error *err);

static int
take_include(struct ks_kconf *k, struct ks_selection *s,
    const struct ks_list *l, const struct ks_item *it,
    const struct reading *where, const struct ks_remarks *r,
    struct ks_error *err)
{
	const struct ks_fword *name = ks_item_name(it);
	const char *config_path, *path;
	struct reading inner = { NULL, where };
	struct ks_list *sub;
	int rc;

	if (it->stop != KS_STOP_NONE)
		return stopped(s, l, it->stop_at, it->stop_text,
		    ks_stop_reason(it->stop));
	config_path = ks_printf(s->arena, "../../%s", name->text);
	path = strcmp(k->sysdir, ".") == 0 ? name->text :
	    ks_printf(s->arena, "%s/%s", k->sysdir, name->text);
	inner.path = path;
	for (; where != NULL; where = where->outer)
		if (strcmp(where->path, path) == 0)
			return stopped(s, l, name, ks_printf(s->arena,
			    "config: %s: Too many open files", config_path),
			    "the list includes itself");
	rc = ks_list_read(path, config_path, k->dialect, false, &sub, err);
	if (rc == KS_EIO) {
		const char *why = strrchr(err->text, ':');

		return stopped(s, l, name, ks_printf(s->arena, "config: %s%s",
		    config_path, why != NULL ? why : ""),
		    ks_strdup(s->arena, err->text));
	}
	if (rc != KS_OK)
		return rc;
	*ks_vec_push(&s->lists) = sub;
	return read_items(k, s, sub, &inner, r, err);
}

static int
read_items(struct ks_kconf *k, struct ks_selection *s,
    const struct ks_list *l, const struct reading *where,
    const struct ks_remarks *r, struct ks_error *err)
{
	int rc = KS_OK;

	for (size_t i = 0; i < l->items.n && rc == KS_OK; i++) {
		const struct ks_item *it = &l->items.v[i];

		ks_item_drops(l, it, known_name, k, r);
		if (it->kind == KS_ITEM_ENTRY)
			rc = take_entry(k, s, l, it, r);
		else if (it->kind == KS_ITEM_INCLUDE)
			rc = take_include(k, s, l, it, where, r, err);
	}
	return rc;
}

/* config(8) looks for them after it has written the makefile. */
static int
check_devices(const struct ks_kconf *k, struct ks_selection *s)
{
	const char *text = "";
	unsigned errors = 0;

	for (size_t id = 1; id < k->named.n; id++) {
		if (k->named.v[id])
			continue;
		text = ks_printf(s->arena,
		    "%sconfig: Error: device \"%s\" is unknown\n", text,
		    ks_str(k->devices, (uint32_t)id));
		errors++;
	}
	if (errors == 0)
		return KS_OK;
	return stopped(s, NULL, NULL, ks_printf(s->arena,
	    "%sconfig: %u errors", text, errors), "");
}

int
ks_select(struct ks_kconf *k, const char *const *lists, size_t n,
    const struct ks_remarks *r, struct ks_selection *s,
    struct ks_error *err)
{
	int rc = KS_OK;

	memset(s, 0, sizeof(*s));
	s->arena = ks_arena_new();
	s->names = ks_strtab_new();
	s->objects = ks_strtab_new();
	for (size_t i = 0; i < n && rc == KS_OK; i++) {
		struct reading where = { lists[i], NULL };
		struct ks_list *l;

		rc = ks_list_read(lists[i],
		    ks_config_path(s->arena, k->sysdir, lists[i]),
		    k->dialect, false, &l, err);
		if (rc != KS_OK)
			break;
		*ks_vec_push(&s->lists) = l;
		rc = read_items(k, s, l, &where, r, err);
	}
	return rc == KS_OK ? check_devices(k, s) : rc;
}

void
ks_selection_free(struct ks_selection *s)
{
	for (size_t i = 0; i < s->lists.n; i++)
		ks_list_free(s->lists.v[i]);
	ks_vec_free(&s->lists);
	ks_vec_free(&s->files);
	ks_strtab_free(s->names);
	ks_strtab_free(s->objects);
	ks_arena_free(s->arena);
}
