/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a path to the objects in it.
 *
 * 1. Map the file (read it if it is a pipe).
 * 2. Look at its first bytes: an ELF image, an archive, or something else,
 *    which is named in the error.
 * 3. Archives: one object after the other.  A thin archive holds paths of
 *    its members, relative to its own folder, instead of their bytes.
 *
 * Everything in an archive must be an object: a member that is skipped is
 * code that nobody checked.  An archive may be empty (Linux' built-in.a).
 *
 * Reference: ar(5); GNU ar's documentation of thin archives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "obj_priv.h"

#define AR_MAGIC	"!<arch>\n"
#define THIN_MAGIC	"!<thin>\n"
#define MAGIC_LEN	8
#define MAX_DEPTH	8	/* archives in archives */

/* Who gets the objects. */
struct sink {
	int	(*fn)(struct ks_obj *o, void *ctx, struct ks_error *err);
	void	*ctx;
	struct ks_error *err;
	unsigned depth;
};

static int	open_bytes(const char *path, struct ks_input *in,
		    const uint8_t *p, size_t size, struct sink *k);

/* --- bytes of a file ------------------------------------------------------ */

void
ks_input_drop(struct ks_input *in)
{
	if (in == NULL || --in->refs > 0)
		return;
	if (in->mapped)
		munmap(in->data, in->size);
	else
		free(in->data);
	free(in->file);
	free(in);
}

/* Pipes have no size: read until the end. */
static int
read_all(int fd, struct ks_input *in)
{
	size_t cap = 0;
	ssize_t n;

	for (;;) {
		if (in->size == cap) {
			cap = cap == 0 ? 65536 : cap * 2;
			in->data = ks_xrealloc(in->data, cap);
		}
		n = read(fd, in->data + in->size, cap - in->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (n == 0 ? 0 : -1);
		in->size += n;
	}
}

static int
load_fd(int fd, const char *path, struct ks_input *in, struct ks_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return (ks_error(err, KS_EIO, "%s: %s", path,
		    strerror(errno)));
	if (S_ISDIR(st.st_mode))
		return (ks_error(err, KS_EIO, "%s: is a directory", path));
	if (S_ISREG(st.st_mode) && st.st_size > 0) {
		in->data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd,
		    0);
		if (in->data != MAP_FAILED) {
			in->size = st.st_size;
			in->mapped = true;
			return (0);
		}
		in->data = NULL;
	}
	if (read_all(fd, in) != 0)
		return (ks_error(err, KS_EIO, "%s: %s", path,
		    strerror(errno)));
	return (0);
}

static int
load(const char *path, struct ks_input **out, struct ks_error *err)
{
	struct ks_input *in = ks_xmalloc(sizeof(*in));
	int fd, rc;

	memset(in, 0, sizeof(*in));
	in->refs = 1;
	in->file = ks_xmalloc(strlen(path) + 1);
	strcpy(in->file, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		rc = ks_error(err, KS_EIO, "%s: %s", path, strerror(errno));
	else
		rc = load_fd(fd, path, in, err);
	if (fd >= 0)
		close(fd);
	if (rc != 0) {
		ks_input_drop(in);
		return (rc);
	}
	*out = in;
	return (0);
}

/* --- what it is if it is no object ---------------------------------------- */

static bool
starts(const uint8_t *p, size_t size, const char *magic, size_t len)
{
	return (size >= len && memcmp(p, magic, len) == 0);
}

static bool
is_text(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size && i < 512; i++)
		if ((p[i] < ' ' && (p[i] < '\t' || p[i] > '\r')) ||
		    p[i] == 0x7f)
			return (false);
	return (true);
}

/*
 * Linux' boot protocol (Documentation/x86/boot.rst): 0xaa55 at 0x1fe and
 * "HdrS" at 0x202.
 */
static bool
is_bzimage(const uint8_t *p, size_t size)
{
	return (size > 0x206 && p[0x1fe] == 0x55 && p[0x1ff] == 0xaa &&
	    memcmp(p + 0x202, "HdrS", 4) == 0);
}

static const char *
what_else(const uint8_t *p, size_t size)
{
	static const struct { const char *magic; size_t len; const char *what; }
	kinds[] = {
		{ "BC\xc0\xde", 4, "LLVM bitcode, not machine code (-flto?): "
		    "check what the linker makes of it" },
		{ "\xde\xc0\x17\x0b", 4, "LLVM bitcode, not machine code "
		    "(-flto?): check what the linker makes of it" },
		{ "\xfd" "7zXZ", 6, "compressed with xz: unpack it first" },
		{ "\x1f\x8b", 2, "compressed with gzip: unpack it first" },
		{ "\x28\xb5\x2f\xfd", 4,
		    "compressed with zstd: unpack it first" },
		{ "BZh", 3, "compressed with bzip2: unpack it first" },
		{ "\x04\x22\x4d\x18", 4,
		    "compressed with lz4: unpack it first" },
		{ "\x02\x21\x4c\x18", 4,
		    "compressed with lz4: unpack it first" },
		{ "\xcf\xfa\xed\xfe", 4, "Mach-O object, not ELF" },
		{ "\xce\xfa\xed\xfe", 4, "Mach-O object, not ELF" },
		{ "\xca\xfe\xba\xbe", 4, "Mach-O or Java file, not ELF" },
		{ "MZ", 2, "PE image, not ELF" },
		{ "\x64\x86", 2, "COFF object, not ELF" },
		{ "\x4c\x01", 2, "COFF object, not ELF" },
		{ "\0asm", 4, "WebAssembly, not ELF" },
	};

	if (size == 0)
		return ("empty file");
	if (is_bzimage(p, size))
		return ("Linux boot image (bzImage), the kernel is packed in "
		    "it: take vmlinux");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (starts(p, size, kinds[i].magic, kinds[i].len))
			return (kinds[i].what);
	if (size < 8 && (starts((const uint8_t *)"\177ELF", 4,
	    (const char *)p, size < 4 ? size : 4) ||
	    starts((const uint8_t *)AR_MAGIC, MAGIC_LEN, (const char *)p,
	    size)))
		return ("truncated ELF header or archive");
	if (is_text(p, size))
		return ("text file, not an object");
	return ("neither an ELF object nor an archive");
}

/* --- archives ------------------------------------------------------------- */

struct ar_hdr {			/* ar(5); all fields are ASCII */
	char	name[16], date[12], uid[6], gid[6], mode[8], size[10], fmag[2];
};

struct archive {
	const char *path;
	const uint8_t *p;
	size_t	 size;
	bool	 thin;
	const char *longnames;	/* GNU's "//" member */
	size_t	 nlong;
	struct ks_arena *arena;
};

/* One member, as its header tells. */
struct member {
	size_t	 at;		/* of the header */
	const char *name;
	const uint8_t *p;	/* contents; NULL: a file of its own (thin) */
	size_t	 size;
	size_t	 origin;	/* thin: header's offset in the archive that
				   name is; 0: name is an object */
	bool	 skip;		/* ar's own tables */
};

/* Decimal number of at most N digits, padded with blanks; -1: none. */
static int64_t
decimal(const char *s, size_t n)
{
	int64_t v = 0;
	size_t i;

	for (i = 0; i < n && s[i] >= '0' && s[i] <= '9'; i++)
		v = v * 10 + (s[i] - '0');
	if (i == 0 || i > 18)
		return (-1);
	for (; i < n; i++)
		if (s[i] != ' ')
			return (-1);
	return (v);
}

static int
bad_ar(const struct archive *a, size_t off, const char *why, struct sink *k)
{
	return (ks_error(k->err, KS_EPARSE, "%s: archive: %s at 0x%zx",
	    a->path, why, off));
}

/* GNU: "/123", or "/123:456" with an origin, into the long names. */
static bool
gnu_name(const struct archive *a, const char *field, size_t n,
    struct member *m)
{
	const char *colon = memchr(field, ':', n), *s, *end;
	int64_t v;

	if (colon != NULL) {
		v = decimal(colon + 1, field + n - colon - 1);
		if (v < MAGIC_LEN)
			return (false);
		m->origin = v;
		n = colon - field;
	}
	v = decimal(field + 1, n - 1);
	if (v < 0 || (uint64_t)v >= a->nlong)
		return (false);
	s = a->longnames + v;
	end = memchr(s, '\n', a->nlong - v);
	if (end == NULL)
		end = a->longnames + a->nlong;
	if (end > s && end[-1] == '/')
		end--;
	m->name = ks_strndup(a->arena, s, end - s);
	return (true);
}

/* BSD: "#1/12", the name is the first 12 bytes of the contents. */
static bool
bsd_name(const struct archive *a, const char *field, size_t n,
    struct member *m)
{
	int64_t v = decimal(field + 3, n - 3);

	if (v < 0 || (uint64_t)v > m->size)
		return (false);
	m->name = ks_strndup(a->arena, (const char *)m->p,
	    strnlen((const char *)m->p, v));
	m->p += v;
	m->size -= v;
	return (true);
}

static bool
member_name(const struct archive *a, const struct ar_hdr *h, struct member *m)
{
	size_t n = sizeof(h->name);
	const char *slash;

	if (h->name[0] == '/' && h->name[1] >= '0' && h->name[1] <= '9')
		return (gnu_name(a, h->name, n, m));
	if (memcmp(h->name, "#1/", 3) == 0) {
		if (!bsd_name(a, h->name, n, m))
			return (false);
	} else {
		slash = memchr(h->name, '/', n);
		while (slash == NULL && n > 0 && h->name[n - 1] == ' ')
			n--;
		m->name = ks_strndup(a->arena, h->name,
		    slash != NULL ? (size_t)(slash - h->name) : n);
	}
	m->skip = strncmp(m->name, "__.SYMDEF", 9) == 0;
	return (true);
}

/* Reads the member at *POS and moves *POS behind it.  1, 0 at the end. */
static int
next_member(struct archive *a, size_t *pos, struct member *m, struct sink *k)
{
	struct ar_hdr h;
	size_t off = *pos;
	bool table;
	int64_t v;

	if (off >= a->size)
		return (0);
	memset(m, 0, sizeof(*m));
	m->at = off;
	if (a->size - off < sizeof(h))
		return (bad_ar(a, off, "truncated member header", k));
	memcpy(&h, a->p + off, sizeof(h));
	v = decimal(h.size, sizeof(h.size));
	if (memcmp(h.fmag, "`\n", 2) != 0 || v < 0)
		return (bad_ar(a, off, "malformed member header", k));
	off += sizeof(h);
	table = memcmp(h.name, "/ ", 2) == 0 || memcmp(h.name, "//", 2) == 0 ||
	    memcmp(h.name, "/SYM64/", 7) == 0;
	m->size = v;
	if (!a->thin || table) {
		if (m->size > a->size - off)
			return (bad_ar(a, m->at, "truncated member", k));
		m->p = a->p + off;
		off += m->size + (m->size & 1);
	}
	*pos = off;
	if (table) {
		m->skip = true;
		if (h.name[1] == '/') {
			a->longnames = (const char *)m->p;
			a->nlong = m->size;
		}
		return (1);
	}
	if ((a->thin && h.name[0] == '#') || !member_name(a, &h, m))
		return (bad_ar(a, m->at, "malformed member name", k));
	return (1);
}

static int	open_archive(const char *path, struct ks_input *in,
		    const uint8_t *p, size_t size, size_t only,
		    struct sink *k);

/*
 * A member that is a file of its own, named relative to the archive.  It is
 * called as a member of the archive all the same.
 */
static int
open_beside(struct archive *a, const struct member *m, struct sink *k)
{
	const char *slash = strrchr(a->path, '/'), *path = m->name, *name;
	struct ks_input *in;
	int rc;

	name = ks_printf(a->arena, "%s(%s)", a->path, m->name);
	if (path[0] != '/' && slash != NULL)
		path = ks_printf(a->arena, "%.*s/%s", (int)(slash - a->path),
		    a->path, path);
	if ((rc = load(path, &in, k->err)) != 0)
		return (rc);
	if (m->origin != 0)
		rc = open_archive(path, in, in->data, in->size, m->origin, k);
	else
		rc = open_bytes(name, in, in->data, in->size, k);
	ks_input_drop(in);
	return (rc);
}

/* ONLY: offset of the one member wanted, or 0. */
static int
open_archive(const char *path, struct ks_input *in, const uint8_t *p,
    size_t size, size_t only, struct sink *k)
{
	struct archive a = { .path = path, .p = p, .size = size };
	size_t pos = MAGIC_LEN;
	struct member m;
	bool found = false;
	int rc;

	a.thin = starts(p, size, THIN_MAGIC, MAGIC_LEN);
	if (!a.thin && !starts(p, size, AR_MAGIC, MAGIC_LEN))
		return (ks_error(k->err, KS_EPARSE, "%s: is no archive",
		    path));
	if (++k->depth > MAX_DEPTH)
		return (ks_error(k->err, KS_EPARSE, "%s: archives nested too "
		    "deeply", path));
	a.arena = ks_arena_new();
	while ((rc = next_member(&a, &pos, &m, k)) > 0) {
		if (m.skip || (only != 0 && m.at != only))
			continue;
		found = true;
		if (m.p == NULL)
			rc = open_beside(&a, &m, k);
		else
			rc = open_bytes(ks_printf(a.arena, "%s(%s)", path,
			    m.name), in, m.p, m.size, k);
		if (rc != 0)
			break;
	}
	if (rc == 0 && only != 0 && !found)
		rc = bad_ar(&a, only, "no member", k);
	ks_arena_free(a.arena);
	k->depth--;
	return (rc);
}

/* --- objects -------------------------------------------------------------- */

static int
open_elf(const char *path, struct ks_input *in, const uint8_t *p,
    size_t size, struct sink *k)
{
	struct ks_obj *o;
	int rc;

	if ((rc = ks_elf_parse(path, in, p, size, &o, k->err)) != 0)
		return (rc);
	if ((rc = ks_obj_special(o, k->err)) != 0 ||
	    (rc = ks_obj_functions(o, k->err)) != 0) {
		ks_obj_free(o);
		return (rc);
	}
	return (k->fn(o, k->ctx, k->err));
}

static int
open_bytes(const char *path, struct ks_input *in, const uint8_t *p,
    size_t size, struct sink *k)
{
	if (starts(p, size, "\177ELF", 4))
		return (open_elf(path, in, p, size, k));
	if (starts(p, size, AR_MAGIC, MAGIC_LEN) ||
	    starts(p, size, THIN_MAGIC, MAGIC_LEN))
		return (open_archive(path, in, p, size, 0, k));
	return (ks_error(k->err, KS_ENOTSUP, "%s: %s", path,
	    what_else(p, size)));
}

/* See obj.h. */
int
ks_obj_open_as(const char *path, const char *name,
    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
    void *ctx, struct ks_error *err)
{
	struct sink k = { .fn = fn, .ctx = ctx, .err = err };
	struct ks_input *in;
	int rc;

	if ((rc = load(path, &in, err)) != 0)
		return (rc);
	rc = open_bytes(name, in, in->data, in->size, &k);
	ks_input_drop(in);
	return (rc);
}

/* See obj.h. */
int
ks_obj_open(const char *path,
    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
    void *ctx, struct ks_error *err)
{
	return (ks_obj_open_as(path, path, fn, ctx, err));
}

/* See obj_priv.h. */
int
ks_obj_open_memory(const char *path, const uint8_t *data, size_t size,
    int (*fn)(struct ks_obj *o, void *ctx, struct ks_error *err),
    void *ctx, struct ks_error *err)
{
	struct sink k = { .fn = fn, .ctx = ctx, .err = err };

	return (open_bytes(path, NULL, data, size, &k));
}

/* See obj.h. */
void
ks_obj_free(struct ks_obj *o)
{
	struct ks_input *in;

	if (o == NULL)
		return;
	in = ks_priv(o)->in;
	ks_arena_free(o->arena);
	ks_input_drop(in);
}
