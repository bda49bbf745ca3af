/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables by which kernels patch their own code, into obj->patches.  A
 * control-flow graph that ignores one of them misses code that runs.
 *
 * For each section that has the name of such a table, or, in linked files,
 * each pair of symbols that enclose one:
 * 1. Try the layouts known for it, newest first: the right one divides the
 *    section, and the code pointers of all its entries point into code.
 * 2. Turn every entry into a patch.
 *
 * Invariants: a patch's site, and its target if it has one, lie with their
 * lengths in executable sections that have bytes.
 *
 * A table whose layout is not known is an error: code that it adds would be
 * missed silently.
 *
 * Layouts are those of Linux 6.1, and of older and newer releases as far as
 * they differ.  FreeBSD has no such tables: its ifuncs are symbols
 * (KS_OSYM_IFUNC), its linker sets are pointers in data.
 */
#include <string.h>

#include "ks/decode.h"
#include "obj_priv.h"

#define NO	0xff

/*
 * Where the fields of an entry are.  Pointers to code of 4 bytes are
 * distances from their own place on x86-64, of 8 bytes they are addresses.
 */
struct layout {
	const char *section;
	uint8_t	 kind;		/* enum ks_patch_kind; WARN: or BUG */
	uint8_t	 size;		/* of an entry */
	uint8_t	 word;		/* of a pointer */
	uint8_t	 site, target;	/* pointers to code */
	uint8_t	 len, tlen;	/* bytes: lengths at both places */
	uint8_t	 extra;		/* key of 4 bytes, or flags of 2 */
	bool	 mode32, mode64;
};

static const struct layout layouts[] = {
	/* struct jump_entry (linux/jump_label.h): code, target, long key */
	{ "__jump_table", KS_PATCH_JUMP_LABEL, 16, 4, 0, 4, NO, NO, NO,
	    false, true },
	{ "__jump_table", KS_PATCH_JUMP_LABEL, 12, 4, 0, 4, NO, NO, NO,
	    true, false },
	/* before 4.20: three addresses */
	{ "__jump_table", KS_PATCH_JUMP_LABEL, 24, 8, 0, 8, NO, NO, NO,
	    false, true },

	/*
	 * struct alt_instr (asm/alternative.h): instr, replacement, cpuid
	 * (2 bytes in 6.1, 4 since 6.3), instrlen, replacementlen; up to
	 * 5.12 a padlen more.
	 */
	{ ".altinstructions", KS_PATCH_ALT, 12, 4, 0, 4, 10, 11, NO,
	    true, true },
	{ ".altinstructions", KS_PATCH_ALT, 14, 4, 0, 4, 12, 13, NO,
	    true, true },
	{ ".altinstructions", KS_PATCH_ALT, 13, 4, 0, 4, 10, 11, NO,
	    true, true },

	/* struct static_call_site (linux/static_call_types.h): addr, key */
	{ ".static_call_sites", KS_PATCH_STATIC_CALL, 8, 4, 0, NO, NO, NO, 4,
	    true, true },

	/*
	 * struct exception_table_entry (asm/extable.h): insn, fixup, data;
	 * up to 4.5 without the third word.
	 */
	{ "__ex_table", KS_PATCH_EXTABLE, 12, 4, 0, 4, NO, NO, NO,
	    true, true },
	{ "__ex_table", KS_PATCH_EXTABLE, 8, 4, 0, 4, NO, NO, NO,
	    true, true },

	/*
	 * struct bug_entry (asm-generic/bug.h): address, file, line, flags;
	 * without CONFIG_DEBUG_BUGVERBOSE address, flags.  Since 6.18 with
	 * a format string.  Up to 4.x with addresses.
	 */
	{ "__bug_table", KS_PATCH_WARN, 12, 4, 0, NO, NO, NO, 10, true, true },
	{ "__bug_table", KS_PATCH_WARN, 8, 4, 0, NO, NO, NO, 4, true, true },
	{ "__bug_table", KS_PATCH_WARN, 16, 4, 0, NO, NO, NO, 14,
	    false, true },
	{ "__bug_table", KS_PATCH_WARN, 24, 8, 0, NO, NO, NO, 18,
	    false, true },
	{ "__bug_table", KS_PATCH_WARN, 16, 8, 0, NO, NO, NO, 8, false, true },
};
#define NLAYOUT	(sizeof(layouts) / sizeof(layouts[0]))

#define BUGFLAG_WARNING	1	/* asm-generic/bug.h */

/* One table under reading. */
struct table {
	struct ks_obj *o;
	uint32_t sect;
	const struct ks_sect *s;
	uint64_t base, end;	/* where it is in the section */
	const char *name;
	const struct layout *lay;
	const struct ks_rel *r;	/* relocatable: first of the entry */
};

struct patches {
	size_t	 n, cap;
	struct ks_patch *v;
};

/* --- one entry ------------------------------------------------------------ */

/* What the pointer at OFF refers to, by the relocations of its entry. */
static struct ks_oref
relocated(const struct table *t, uint64_t off)
{
	const struct ks_rel *r = t->r, *last = t->s->rels + t->s->nrel;
	struct ks_oref ref = { KS_NONE, KS_NOSECT, 0, false };
	const struct ks_osym *y;

	while (r < last && r->off < off)
		r++;
	if (r == last || r->off != off ||
	    ks_rel_len(t->o->mode64, r->type) != t->lay->word)
		return (ref);
	y = &t->o->syms[r->sym];
	ref.sect = y->sect;
	ref.off = y->off + (uint64_t)r->addend;
	return (ref);
}

/* The code that the pointer at OFF of the table leads to, LEN bytes there. */
static bool
pointer(const struct table *t, uint64_t off, uint32_t len, uint32_t *sect,
    uint64_t *place)
{
	const struct ks_obj *o = t->o;
	const struct ks_sect *s;
	struct ks_oref r;

	r = o->linked ? ks_obj_data_place(o, t->sect, off, t->lay->word) :
	    relocated(t, off);
	/* i386: distances in __ex_table, addresses in others. */
	if (o->linked && !o->mode64 && r.sect == KS_NOSECT)
		r = ks_obj_pcrel_place(o, t->sect, off,
		    ks_sle(t->s->data + off, 4), off);
	if (r.sect == KS_NOSECT || r.got)
		return (false);
	s = &o->sects[r.sect];
	if (!s->exec || s->data == NULL || r.off > s->size ||
	    len > s->size - r.off)
		return (false);
	*sect = r.sect;
	*place = r.off;
	return (true);
}

/* Bytes of the instruction at a place, at most MAX; 0 if there is none. */
static unsigned
insn_len(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	const struct ks_sect *s = &o->sects[sect];
	struct ks_dec d;

	if (off >= s->size)
		return (0);
	return (o->mode64 ? ks_decode64(s->data + off, s->size - off, &d) :
	    ks_decode32(s->data + off, s->size - off, &d));
}

/* Name of a static call: its key or its trampoline, without the prefix. */
static const char *
key_name(const struct table *t, uint64_t off)
{
	struct ks_oref r = ks_obj_data_ref(t->o, t->sect, off, 4);
	const char *name;

	/* Flags are added to the key's address. */
	if (r.sym == KS_NONE && r.sect != KS_NOSECT)
		r.sym = ks_obj_sym_at(t->o, r.sect, r.off & ~(uint64_t)3);
	if (r.sym == KS_NONE)
		return (NULL);
	name = t->o->syms[r.sym].name;
	/* STATIC_CALL_KEY_PREFIX, STATIC_CALL_TRAMP_PREFIX */
	if (strncmp(name, "__SCK__", 7) == 0 ||
	    strncmp(name, "__SCT__", 7) == 0)
		name += 7;
	return (name);
}

/*
 * A relocatable file's entry without any relocation belongs to code that the
 * linker dropped.
 */
static bool
is_dead(const struct table *t, uint64_t off)
{
	return (!t->o->linked && (t->r == t->s->rels + t->s->nrel ||
	    t->r->off >= off + t->lay->size));
}

/*
 * Does the entry at OFF point to code of this object in a field where the
 * layout has no pointer to code?  Then it is another one.
 */
static bool
has_other_code(const struct table *t, uint64_t off)
{
	const struct ks_rel *r = t->o->linked ? ks_obj_rel(t->s, off) : t->r;
	uint32_t sect;
	uint64_t place;

	for (; r != NULL && r < t->s->rels + t->s->nrel &&
	    r->off < off + t->lay->size; r++)
		if (r->off != off + t->lay->site && (t->lay->target == NO ||
		    r->off != off + t->lay->target) &&
		    pointer(t, r->off, 0, &sect, &place))
			return (true);
	return (false);
}

/* The entry at OFF; false: this cannot be its layout. */
static bool
entry(const struct table *t, uint64_t off, struct ks_patch *p)
{
	const struct layout *l = t->lay;
	const uint8_t *d = t->s->data + off;

	memset(p, 0, sizeof(*p));
	p->kind = l->kind;
	p->tsect = KS_NOSECT;
	if (l->len != NO)
		p->len = d[l->len];
	if (l->tlen != NO)
		p->tlen = d[l->tlen];
	if (!pointer(t, off + l->site, p->len, &p->sect, &p->off) ||
	    has_other_code(t, off))
		return (false);
	if (l->target != NO && (p->tlen != 0 || l->tlen == NO) &&
	    !pointer(t, off + l->target, p->tlen, &p->tsect, &p->toff))
		return (false);
	if (l->len == NO)
		p->len = insn_len(t->o, p->sect, p->off);
	if (l->kind == KS_PATCH_STATIC_CALL)
		p->name = key_name(t, off + l->extra);
	if (l->kind == KS_PATCH_WARN &&
	    (ks_le16(d + l->extra) & BUGFLAG_WARNING) == 0)
		p->kind = KS_PATCH_BUG;
	return (true);
}

/* --- one table ------------------------------------------------------------ */

/* All entries by one layout, or nothing. */
static bool
try_layout(struct table *t, struct patches *out)
{
	const struct ks_rel *last = t->s->rels + t->s->nrel;
	size_t n = out->n;
	struct ks_patch p;

	if ((t->end - t->base) % t->lay->size != 0)
		return (false);
	t->r = t->s->rels;
	for (uint64_t off = t->base; off < t->end; off += t->lay->size) {
		while (t->r < last && t->r->off < off)
			t->r++;
		if (is_dead(t, off))
			continue;
		if (!entry(t, off, &p)) {
			out->n = n;
			return (false);
		}
		*ks_vec_push(out) = p;
	}
	return (true);
}

static int
read_table(struct table *t, struct patches *out, struct ks_error *err)
{
	bool known = false;

	if (!t->s->alloc || t->s->data == NULL || t->base == t->end)
		return (0);
	for (size_t i = 0; i < NLAYOUT; i++) {
		t->lay = &layouts[i];
		if (t->lay->section[2] != t->name[2] ||
		    strcmp(t->lay->section, t->name) != 0 ||
		    !(t->o->mode64 ? t->lay->mode64 : t->lay->mode32))
			continue;
		known = true;
		if (try_layout(t, out))
			return (0);
	}
	if (!known)
		return (0);
	return (ks_error(err, KS_ENOTSUP, "%s: section '%s' has an unknown "
	    "layout", t->o->path, t->name));
}

static int
section_tables(struct ks_obj *o, struct patches *out, struct ks_error *err)
{
	int rc = 0;

	for (size_t i = 1; rc == 0 && i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];
		struct table t = { .o = o, .sect = i, .s = s, .end = s->size,
		    .name = s->name };

		/* All have names of at least three letters. */
		if ((s->name[0] == '.' || s->name[0] == '_') &&
		    s->name[1] != '\0')
			rc = read_table(&t, out, err);
	}
	return (rc);
}

/* --- tables of linked kernels ---------------------------------------------- */

/*
 * The linker puts some of the tables into larger sections, between symbols
 * (Linux 6.1: asm-generic/vmlinux.lds.h).
 */
static const struct bounds {
	const char *section, *start, *stop;
} bounds[] = {
	{ "__jump_table", "__start___jump_table", "__stop___jump_table" },
	{ ".static_call_sites", "__start_static_call_sites",
	    "__stop_static_call_sites" },
	{ "__ex_table", "__start___ex_table", "__stop___ex_table" },
	{ "__bug_table", "__start___bug_table", "__stop___bug_table" },
	{ ".altinstructions", "__alt_instructions",
	    "__alt_instructions_end" },
};

static int
bounded_table(struct ks_obj *o, const struct bounds *b,
    const struct ks_osym *start, const struct ks_osym *stop,
    struct patches *out, struct ks_error *err)
{
	struct table t = { .o = o, .name = b->section };

	if (start == NULL || stop == NULL || start->sect == KS_NOSECT ||
	    ks_obj_find_sect(o, b->section, 1) != KS_NOSECT)
		return (0);
	if (stop->sect != start->sect || stop->off < start->off)
		return (ks_error(err, KS_EPARSE, "%s: '%s' and '%s' are no "
		    "bounds of a table", o->path, b->start, b->stop));
	t.sect = start->sect;
	t.s = &o->sects[t.sect];
	t.base = start->off;
	t.end = stop->off;
	return (read_table(&t, out, err));
}

static int
linked_tables(struct ks_obj *o, struct patches *out, struct ks_error *err)
{
	enum { N = sizeof(bounds) / sizeof(bounds[0]) };
	const struct ks_osym *start[N] = { NULL }, *stop[N] = { NULL };
	int rc = 0;

	for (size_t i = 0; i < o->nsym; i++) {
		const char *name = o->syms[i].name;

		if (name[0] != '_' || name[1] != '_' || !o->syms[i].defined)
			continue;
		for (size_t k = 0; k < N; k++) {
			if (strcmp(name, bounds[k].start) == 0)
				start[k] = &o->syms[i];
			else if (strcmp(name, bounds[k].stop) == 0)
				stop[k] = &o->syms[i];
		}
	}
	for (size_t k = 0; rc == 0 && k < N; k++)
		rc = bounded_table(o, &bounds[k], start[k], stop[k], out, err);
	return (rc);
}

static int
by_site(const void *a, const void *b, void *ctx)
{
	const struct ks_patch *x = a, *y = b;

	(void)ctx;
	if (x->kind != y->kind)
		return (x->kind < y->kind ? -1 : 1);
	if (x->sect != y->sect)
		return (x->sect < y->sect ? -1 : 1);
	return (x->off < y->off ? -1 : x->off > y->off);
}

/* See obj.h. */
int
ks_obj_special(struct ks_obj *o, struct ks_error *err)
{
	struct patches v = { 0 };
	int rc = section_tables(o, &v, err);

	if (rc == 0 && o->linked)
		rc = linked_tables(o, &v, err);
	if (rc == 0 && v.n != 0) {
		ks_sort(v.v, v.n, sizeof(v.v[0]), by_site, NULL);
		o->patches = KS_NEWN(o->arena, struct ks_patch, v.n);
		memcpy(o->patches, v.v, v.n * sizeof(v.v[0]));
		o->npatch = v.n;
	}
	ks_vec_free(&v);
	return (rc);
}

/* --- sections that only describe code ------------------------------------- */

/*
 * A pointer in one of these leads to code, but nobody calls through it; and
 * the executable ones among them hold code that runs as a part of others.
 * The NUL counts where nothing may follow.
 */
static const struct { const char *name; uint8_t len; } metadata[] = {
#define IS(s)		{ s, sizeof(s) }
#define STARTS(s)	{ s, sizeof(s) - 1 }
	/* gABI, psABI, compilers */
	STARTS(".eh_frame"),
	STARTS(".gcc_except_table"),
	STARTS(".note"),
	IS(".stack_sizes"),
	STARTS(".llvm_bb_addr_map"),
	IS(".sframe"),
	IS("__patchable_function_entries"),
	STARTS("__sancov_"),
	/* Linux 6.1: asm-generic/vmlinux.lds.h, objtool's sections */
	IS("__jump_table"),
	IS(".altinstructions"),
	IS(".altinstr_replacement"),
	IS(".altinstr_aux"),
	IS(".fixup"),
	IS("__ex_table"),
	IS("__bug_table"),
	IS(".static_call_sites"),
	IS(".static_call_tramp_key"),
	IS(".parainstructions"),
	IS(".smp_locks"),
	STARTS(".orc_"),
	IS("__mcount_loc"),
	IS(".return_sites"),
	IS(".retpoline_sites"),
	IS(".ibt_endbr_seal"),
	IS(".call_sites"),
	IS(".cfi_sites"),
	IS(".kcfi_traps"),
	STARTS(".discard"),
	IS("_kprobe_blacklist"),
	IS("_error_injection_whitelist"),
	STARTS("__ksymtab"),
	STARTS("__kcrctab"),
	/* OpenBSD amd64: asm/codepatch.h */
	IS(".codepatch"),
#undef IS
#undef STARTS
};

/* See obj_priv.h. */
bool
ks_obj_is_metadata(const char *name)
{
	if (name[0] != '.' && name[0] != '_')
		return (false);
	for (size_t i = 0; i < sizeof(metadata) / sizeof(metadata[0]); i++)
		if (metadata[i].name[1] == name[1] && strncmp(name,
		    metadata[i].name, metadata[i].len) == 0)
			return (true);
	return (false);
}
