/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Source lines of places in objects, from DWARF, with libdw.
 *
 * 1. Turn a place (section, function, offset) back into section and offset.
 *    Modules repeat the names of static functions; a place in one of several
 *    gets no line, rather than a wrong one.
 * 2. Give the object's bytes to libdwfl, which lays out the sections of
 *    relocatable files and relocates their DWARF.  Members of archives and
 *    pipes have no file of their own and go through a temporary one.
 * 3. If the object has no DWARF, look for a separate file: by build-id, then
 *    by .gnu_debuglink and its checksum, in --debug-dir and beside the
 *    object.  Nothing is fetched from the network.
 *
 * Without HAVE_LIBDW this does nothing.
 *
 * Reference: GDB manual, "Separate Debug Files".
 */
#include <string.h>

#include "obj_priv.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* --- separate debug files ------------------------------------------------- */

static _Thread_local const char *debug_folder;	/* --debug-dir, or NULL */

static int
open_file(const char *dir, const char *sub, const char *name)
{
	char path[4096];
	int n;

	n = snprintf(path, sizeof(path), "%s%s%s%s%s", dir,
	    dir[0] != '\0' ? "/" : "", sub, sub[0] != '\0' ? "/" : "", name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return (-1);
	return (open(path, O_RDONLY | O_CLOEXEC));
}

/* CRC-32 as .gnu_debuglink has it (polynomial 0xedb88320, reflected). */
static uint32_t
crc32(uint32_t crc, const uint8_t *p, size_t n)
{
	crc = ~crc;
	while (n-- > 0) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return (~crc);
}

static bool
crc_matches(int fd, uint32_t want)
{
	uint8_t buf[16384];
	uint32_t crc = 0;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		crc = crc32(crc, buf, n);
	return (n == 0 && crc == want && lseek(fd, 0, SEEK_SET) == 0);
}

static int
by_build_id(Dwfl_Module *mod)
{
	const unsigned char *id;
	GElf_Addr where;
	char name[256] = ".build-id/";
	size_t at = strlen(name);
	int n = dwfl_module_build_id(mod, &id, &where);

	if (debug_folder == NULL || n < 2 || n > 64)
		return (-1);
	for (int i = 0; i < n; i++)
		at += snprintf(name + at, sizeof(name) - at, "%s%02x",
		    i == 1 ? "/" : "", id[i]);
	snprintf(name + at, sizeof(name) - at, ".debug");
	return (open_file(debug_folder, "", name));
}

static int
by_debuglink(const char *object, const char *link, uint32_t crc)
{
	const char *slash = object == NULL ? NULL : strrchr(object, '/');
	char dir[4096] = "";

	if (slash != NULL && (size_t)(slash - object) < sizeof(dir))
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - object),
		    object);
	for (int i = 0; i < 4; i++) {
		int fd = -1;

		if (i < 2 && debug_folder != NULL)
			fd = open_file(debug_folder, i == 0 ? "" :
			    dir + (dir[0] == '/'), link);
		else if (i >= 2)
			fd = open_file(dir, i == 2 ? ".debug" : "", link);
		if (fd >= 0 && crc_matches(fd, crc))
			return (fd);
		if (fd >= 0)
			close(fd);
	}
	return (-1);
}

/* libdwfl's callback: descriptor of the debug file, or -1. */
static int
find_debug_file(Dwfl_Module *mod, void **userdata, const char *modname,
    Dwarf_Addr base, const char *object, const char *link, GElf_Word crc,
    char **name)
{
	int fd = by_build_id(mod);

	(void)userdata;
	(void)modname;
	(void)base;
	(void)name;
	if (fd < 0 && link != NULL && strchr(link, '/') == NULL)
		fd = by_debuglink(object, link, crc);
	return (fd);
}

/* --- the object's DWARF --------------------------------------------------- */

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

struct lines {
	struct ks_obj *o;
	struct ks_findings *f;
	Dwfl	*dwfl;
	Dwfl_Module *mod;
	Elf	*elf;
	GElf_Addr bias;
	char	*cwd;
	uint32_t *byname;	/* obj->funcs by name; o->nfunc of them */
};

/* A descriptor of the image: the file itself, or a copy of a part of it. */
static int
image_fd(const struct ks_obj *o)
{
	const struct ks_obj_priv *pr = ks_priv(o);
	FILE *tmp;
	int fd = -1;

	if (pr->in != NULL && pr->in->mapped && pr->size == pr->in->size &&
	    pr->image == pr->in->data)
		fd = open(pr->in->file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 || (tmp = tmpfile()) == NULL)
		return (fd);
	if (fwrite(pr->image, 1, pr->size, tmp) == pr->size &&
	    fflush(tmp) == 0)
		fd = dup(fileno(tmp));
	fclose(tmp);
	return (fd);
}

static bool
open_dwarf(struct lines *l)
{
	int fd = image_fd(l->o);

	if (fd < 0)
		return (false);
	l->dwfl = dwfl_begin(&callbacks);
	if (l->dwfl == NULL) {
		close(fd);
		return (false);
	}
	l->mod = dwfl_report_offline(l->dwfl, l->o->path, l->o->path, fd);
	if (l->mod == NULL) {
		close(fd);
		return (false);
	}
	dwfl_report_end(l->dwfl, NULL, NULL);
	l->elf = dwfl_module_getelf(l->mod, &l->bias);
	l->cwd = getcwd(NULL, 0);
	return (l->elf != NULL);
}

/* --- places --------------------------------------------------------------- */

static int
by_name(const void *a, const void *b, void *ctx)
{
	const struct ks_obj *o = ctx;

	return (strcmp(o->funcs[*(const uint32_t *)a].name,
	    o->funcs[*(const uint32_t *)b].name));
}

static void
index_names(struct lines *l)
{
	l->byname = KS_NEWN(l->o->arena, uint32_t, l->o->nfunc + 1);
	for (uint32_t i = 0; i < l->o->nfunc; i++)
		l->byname[i] = i;
	ks_sort(l->byname, l->o->nfunc, sizeof(l->byname[0]), by_name, l->o);
}

/* The only function NAME (in SECTION, if not NULL), or NULL. */
static const struct ks_ofunc *
find_function(const struct lines *l, const char *name, const char *section)
{
	const struct ks_obj *o = l->o;
	const struct ks_ofunc *found = NULL;
	size_t lo = 0, hi = o->nfunc;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(o->funcs[l->byname[mid]].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < o->nfunc; lo++) {
		const struct ks_ofunc *f = &o->funcs[l->byname[lo]];

		if (strcmp(f->name, name) != 0)
			break;
		if (section != NULL &&
		    strcmp(o->sects[f->sect].name, section) != 0)
			continue;
		if (found != NULL)
			return (NULL);
		found = f;
	}
	return (found);
}

/* Section and offset of a place; false: not one place of this object. */
static bool
resolve(const struct lines *l, const struct ks_place_text *at,
    uint32_t *sect, uint64_t *off)
{
	const struct ks_ofunc *f;

	*off = at->off;
	if (at->function == NULL) {
		*sect = at->section == NULL ? KS_NOSECT :
		    ks_obj_find_sect(l->o, at->section, 1);
		return (*sect != KS_NOSECT);
	}
	f = find_function(l, at->function, at->section);
	if (f == NULL)
		return (false);
	*sect = f->sect;
	*off += f->off;
	return (true);
}

static const char *
relative(const struct lines *l, const char *file)
{
	size_t n = l->cwd == NULL ? 0 : strlen(l->cwd);

	if (n > 1 && strncmp(file, l->cwd, n) == 0 && file[n] == '/')
		return (file + n + 1);
	return (file);
}

/* The folders of intrinsics: whoever calls them is meant. */
static bool
is_compilers(const char *file)
{
	return ((strstr(file, "/lib/gcc/") != NULL ||
	    strstr(file, "/lib/clang/") != NULL ||
	    strstr(file, "/lib64/clang/") != NULL) &&
	    strstr(file, "/include/") != NULL);
}

static int
number(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (dwarf_attr(die, attr, &a) == NULL ||
	    dwarf_formudata(&a, &v) != 0 || v > INT32_MAX)
		return (0);
	return (v);
}

/* A line, and where in DWARF it was found. */
struct line {
	Dwarf_Die *cu;
	Dwarf_Addr pc;		/* as the CU counts */
	const char *file;
	int	 no, col;
};

/*
 * An inlined function of a compiler's header: the place that it is inlined
 * to, as far out as is needed to leave those headers.
 */
static void
leave_headers(struct line *at)
{
	Dwarf_Die *inner, *scopes = NULL;
	Dwarf_Files *files;
	size_t nfiles;
	int n, k;

	if (dwarf_getsrcfiles(at->cu, &files, &nfiles) != 0 ||
	    (n = dwarf_getscopes(at->cu, at->pc, &inner)) <= 0)
		return;
	/* Not those of the abstract function: those it is inlined to. */
	n = dwarf_getscopes_die(&inner[0], &scopes);
	for (int i = 0; i < n && is_compilers(at->file); i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		k = number(&scopes[i], DW_AT_call_file);
		if (k < 0 || (size_t)k >= nfiles ||
		    dwarf_filesrc(files, k, NULL, NULL) == NULL)
			break;
		at->file = dwarf_filesrc(files, k, NULL, NULL);
		at->no = number(&scopes[i], DW_AT_call_line);
		at->col = number(&scopes[i], DW_AT_call_column);
	}
	free(scopes);
	free(inner);
}

/* The unit that holds ADDR; clang writes no table of them. */
static Dwarf_Die *
find_unit(const struct lines *l, GElf_Addr addr, Dwarf_Addr *bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(l->mod, addr, bias);

	if (cu != NULL)
		return (cu);
	while ((cu = dwfl_module_nextcu(l->mod, cu, bias)) != NULL)
		if (dwarf_haspc(cu, addr - *bias) > 0)
			break;
	return (cu);
}

static bool
find_line(const struct lines *l, GElf_Addr addr, struct line *at)
{
	Dwarf_Addr bias;
	Dwarf_Line *line;

	at->cu = find_unit(l, addr, &bias);
	if (at->cu == NULL)
		return (false);
	at->pc = addr - bias;
	at->no = at->col = 0;
	line = dwarf_getsrc_die(at->cu, at->pc);
	if (line == NULL)
		return (false);
	at->file = dwarf_linesrc(line, NULL, NULL);
	if (at->file == NULL)
		return (false);
	dwarf_lineno(line, &at->no);
	dwarf_linecol(line, &at->col);
	if (is_compilers(at->file))
		leave_headers(at);
	return (true);
}

static void
add_line(struct lines *l, struct ks_place_text *at)
{
	uint32_t sect;
	uint64_t off;
	Elf_Scn *scn;
	GElf_Shdr sh;
	struct line line;

	if (at->object == NULL || at->file != NULL || !at->has_off ||
	    strcmp(at->object, l->o->path) != 0 ||
	    !resolve(l, at, &sect, &off))
		return;
	scn = elf_getscn(l->elf, sect);
	if (scn == NULL || gelf_getshdr(scn, &sh) == NULL ||
	    !find_line(l, sh.sh_addr + l->bias + off, &line))
		return;
	at->file = ks_strdup(l->f->arena, relative(l, line.file));
	at->line = line.no > 0 ? line.no : 0;
	at->col = line.col > 0 ? line.col : 0;
}

/* See obj.h. */
void
ks_obj_add_lines(struct ks_obj *o, const char *debug_dir,
    struct ks_findings *f)
{
	struct lines l = { .o = o, .f = f };

	if (f->v.n == 0)
		return;
	debug_folder = debug_dir;
	if (open_dwarf(&l)) {
		index_names(&l);
		for (size_t i = 0; i < f->v.n; i++) {
			struct ks_finding *one = &f->v.v[i];

			add_line(&l, &one->at);
			for (size_t j = 0; j < one->ntrace; j++)
				add_line(&l, &one->trace[j].at);
		}
	}
	if (l.dwfl != NULL)
		dwfl_end(l.dwfl);
	free(l.cwd);
	debug_folder = NULL;
}

#else

/* See obj.h. */
void
ks_obj_add_lines(struct ks_obj *o, const char *debug_dir,
    struct ks_findings *f)
{
	(void)o;
	(void)debug_dir;
	(void)f;
}

#endif
