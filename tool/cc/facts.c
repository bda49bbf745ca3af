/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the pass said of the modules of a link with -flto.
 *
 * A module is bitcode, so there is no object yet beside which the pass could
 * put a contract.  It puts it into the module: a section that nothing loads,
 * with the names of the functions that need a region.  The linker puts those
 * of all modules behind each other.
 *
 *   1. Each contract, up to its NUL, is read as one of its own: two modules
 *      may each have a static function of the same name.
 *   2. The thin linker renames static functions that another module gets to
 *      call: f is f.llvm.NUMBER then, and what is said of f is said of it.
 */
#include "../obj/obj_priv.h"
#include "cc_priv.h"

#include <stdlib.h>
#include <string.h>

static int
read_section(struct ks_contract *c, const struct ks_sect *s, const char *name,
    struct ks_error *err)
{
	const char *at = (const char *)s->data, *end = at + s->size;
	int rc = KS_OK;

	while (rc == KS_OK && at < end) {
		size_t n = strnlen(at, (size_t)(end - at));

		if (n > 0)
			rc = ks_contract_parse(c, name, at, n, err);
		at += n + 1;
	}
	return rc;
}

static bool
is_renamed(const char *name, size_t *base)
{
	const char *dot = strrchr(name, '.');

	if (dot == NULL || dot[1] == '\0' ||
	    strspn(dot + 1, "0123456789") != strlen(dot + 1) ||
	    dot - name < 6 || memcmp(dot - 5, ".llvm", 5) != 0)
		return false;
	*base = (size_t)(dot - 5 - name);
	return true;
}

static int
add_renamed(struct ks_contract *c, const struct ks_obj *o, const char *file,
    struct ks_error *err)
{
	int rc = KS_OK;

	for (size_t i = 0; rc == KS_OK && i < o->nsym; i++) {
		const char *name = o->syms[i].name;
		char *line;
		size_t n;

		if (!is_renamed(name, &n) || ks_contract_find(c,
		    KS_CONTRACT_NEEDS, ks_strndup(o->arena, name, n),
		    NULL) == NULL)
			continue;
		line = ks_printf(o->arena, "needs %s\n", name);
		rc = ks_contract_parse(c, file, line, strlen(line), err);
	}
	return rc;
}

int
cc_facts_read(struct ks_contract *c, const char *file, const char *name,
    bool *found, struct ks_error *err)
{
	struct ks_obj *o = NULL;
	const char *where;
	size_t size;
	char *data;
	int rc = ks_read_file(file, &data, &size, err);

	*found = false;
	if (rc != KS_OK)
		return rc;
	rc = ks_elf_parse(name, NULL, (const uint8_t *)data, size, &o, err);
	if (rc == KS_OK) {
		where = ks_printf(o->arena, "%s:" KS_FACTS_SECTION, name);
		for (size_t i = 0; rc == KS_OK && i < o->nsect; i++) {
			const struct ks_sect *s = &o->sects[i];

			if (s->data == NULL ||
			    strcmp(s->name, KS_FACTS_SECTION) != 0)
				continue;
			*found = true;
			rc = read_section(c, s, where, err);
		}
		if (rc == KS_OK && *found)
			rc = add_renamed(c, o, where, err);
		ks_obj_free(o);
	}
	free(data);
	return rc;
}
