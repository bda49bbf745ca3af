/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Relocations of an object that no kernel can resolve, and calls that none
 * can answer: obj-reloc-range, obj-got-reloc, obj-libcall.
 *
 * 1. For each relocation of a section that is loaded, compute what the
 *    linker would store: S + A, less P where the type says so, with every
 *    section at the kernel's base (and a little above, so that a negative
 *    addend does not leave the kernel).
 * 2. What does not fit is grouped by section, function, type and cause: one
 *    finding a group, at its first place, with their number.
 * 3. Types that go through the GOT are findings of their own: module loaders
 *    refuse them.
 * 4. Branches to soft-float helpers, which the scan found by the profile,
 *    are collected by function.
 *
 * In code, a group is a function's; in data, it is the section's.
 *
 * Limits: undefined symbols are taken to be somewhere in the kernel; a weak
 * one that nobody defines is 0, which fits everywhere.  i386 addresses fit
 * everywhere; 16-bit relocations occur in real-mode code only, whose base is
 * not the kernel's.
 *
 * Reference: x86-64 psABI, table 4.9; DWARF 5, 6.4.1 (CIE, FDE); LSB core,
 * 10.6 (.eh_frame).
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "scan.h"

#define ABOVE	0x1000000	/* bytes above the base, see step 1 */
#define MAX_NAMES	8	/* soft-float helpers that a message lists */

enum cause {
	FITS,
	SMALL_CODE,	/* an absolute 32-bit address in an instruction */
	SMALL_DATA,	/* the same in data */
	EH_START,	/* .eh_frame: where a function starts */
	EH_PERSONALITY,
	EH_LSDA,
	LOW_BASE,	/* 32S: the base is not in the top 2 GiB */
	TOO_FAR,	/* pc-relative to something that does not move along */
	NARROW,		/* 8 or 16 bits */
	UNKNOWN_TYPE,
	GOT,
};

struct group {
	uint32_t sect, func;	/* func: KS_NONE in data */
	uint32_t type, sym;	/* sym, value: of the first */
	uint8_t	 cause;
	uint64_t off, value;
	uint64_t count;
};

struct check {
	const struct ks_obj *o;
	struct ks_findings *f;
	uint64_t base;
	bool	 high;		/* base is in the top 2 GiB, less a little */
	uint32_t sect;
	const struct ks_sect *s;
	KS_VEC(struct group) groups;	/* of the present section */
};

/* --- .eh_frame ------------------------------------------------------------ */

/*
 * What the field at OFF of an .eh_frame section is.  Records have a length
 * of 4 bytes, then 4 bytes that are 0 in a CIE and lead back to the CIE in
 * an FDE; the start of the function follows these in an FDE.
 */
static enum cause
eh_field(const struct ks_sect *s, uint64_t off)
{
	uint64_t pos = 0, len;

	while (s->data != NULL && s->size - pos >= 8) {
		len = ks_le32(s->data + pos);
		if (len < 4 || len > s->size - pos - 4)
			break;
		if (off < pos + 4 + len) {
			if (ks_le32(s->data + pos + 4) == 0)
				return (EH_PERSONALITY);
			return (off == pos + 8 ? EH_START : EH_LSDA);
		}
		pos += 4 + len;
	}
	return (SMALL_DATA);
}

/* --- one relocation ------------------------------------------------------- */

static bool
fits_signed(uint64_t v, unsigned bits)
{
	int64_t s = (int64_t)v, lim = (int64_t)1 << (bits - 1);

	return (s >= -lim && s < lim);
}

/* As linkers do it, signed or unsigned. */
static bool
fits_either(uint64_t v, unsigned bits)
{
	return (fits_signed(v, bits) || v >> bits == 0);
}

/* S + A */
static uint64_t
value_of(const struct check *c, const struct ks_rel *r)
{
	const struct ks_osym *y = &c->o->syms[r->sym];
	uint64_t s = y->absolute ? y->off : y->sect == KS_NOSECT ? c->base :
	    c->base + y->off;

	return (s + (uint64_t)r->addend);
}

static enum cause
abs32_cause(const struct check *c, const struct ks_rel *r)
{
	if (c->s->exec)
		return (SMALL_CODE);
	if (strncmp(c->s->name, ".eh_frame", 9) == 0)
		return (eh_field(c->s, r->off));
	return (SMALL_DATA);
}

/* PC8, PC16: exact within a section, else out of reach. */
static enum cause
near_cause(const struct check *c, const struct ks_rel *r, unsigned bits)
{
	const struct ks_osym *y = &c->o->syms[r->sym];

	if (y->sect == c->sect && fits_signed(y->off + (uint64_t)r->addend -
	    r->off, bits))
		return (FITS);
	return (NARROW);
}

/* Does R fit?  For types other than those that always do. */
static enum cause
judge(const struct check *c, const struct ks_rel *r, uint64_t *value)
{
	const struct ks_osym *y = &c->o->syms[r->sym];
	uint64_t v = value_of(c, r);

	*value = v;
	if (ks_rel_is_got(true, r->type))
		return (GOT);
	if (y->weak && !y->defined)
		return (FITS);
	switch (r->type) {
	case R_X86_64_32:
		return (v >> 32 == 0 ? FITS : abs32_cause(c, r));
	case R_X86_64_32S:
		return (fits_signed(v, 32) ? FITS : LOW_BASE);
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		*value = v - (c->base + r->off);
		return (fits_signed(*value, 32) ? FITS : TOO_FAR);
	case R_X86_64_16:
		return (fits_either(v, 16) ? FITS : NARROW);
	case R_X86_64_8:
		return (fits_either(v, 8) ? FITS : NARROW);
	case R_X86_64_PC16:
		return (near_cause(c, r, 16));
	case R_X86_64_PC8:
		return (near_cause(c, r, 8));
	}
	return (ks_rel_name(true, r->type) != NULL ? FITS : UNKNOWN_TYPE);
}

/* Types and symbols that need no arithmetic: nearly all. */
static inline bool
always_fits(const struct check *c, const struct ks_rel *r)
{
	return (r->type == R_X86_64_64 || ((r->type == R_X86_64_PC32 ||
	    r->type == R_X86_64_PLT32 || (r->type == R_X86_64_32S &&
	    c->high)) && !c->o->syms[r->sym].absolute &&
	    r->addend >= -4096 && r->addend < ABOVE));
}

/* --- groups --------------------------------------------------------------- */

static void
group(struct check *c, const struct ks_rel *r, enum cause cause,
    uint64_t value)
{
	uint32_t func = c->s->exec ? ks_obj_func_at(c->o, c->sect, r->off) :
	    KS_NONE;

	for (size_t i = c->groups.n; i-- > 0; ) {
		struct group *g = &c->groups.v[i];

		/* Offsets are sorted, so functions come one by one. */
		if (g->func != func)
			break;
		if (g->type == r->type && g->cause == cause) {
			g->count++;
			return;
		}
	}
	*ks_vec_push(&c->groups) = (struct group){ .sect = c->sect,
	    .func = func, .type = r->type, .sym = r->sym, .cause = cause,
	    .off = r->off, .value = value, .count = 1 };
}

static const char *
cure(enum cause cause)
{
	switch (cause) {
	case SMALL_CODE:
		return ("code for addresses below 2 GiB; compile with "
		    "-mcmodel=kernel (assembly: lea sym(%rip))");
	case SMALL_DATA:
		return ("a word for addresses below 4 GiB; compile with "
		    "-mcmodel=kernel (assembly: .quad sym, or .long sym - .)");
	case EH_START:
		return ("the unwind table was written for the small code "
		    "model (-fno-dwarf2-cfi-asm); compile with "
		    "-mcmodel=kernel or -fno-asynchronous-unwind-tables");
	case EH_PERSONALITY:
		return ("the personality is coded as udata4; code it "
		    "pc-relative (.cfi_personality 0x1b), or compile with "
		    "-mcmodel=kernel");
	case EH_LSDA:
		return ("the LSDA is coded as udata4; code it pc-relative "
		    "(.cfi_lsda 0x1b), or compile with -mcmodel=kernel");
	case LOW_BASE:
		return ("-mcmodel=kernel reaches the top 2 GiB only; link "
		    "there (--kernbase), or compile with -mcmodel=large");
	case TOO_FAR:
		return ("an absolute address is out of reach of pc-relative "
		    "code; use an absolute operand");
	case NARROW:
		return ("the field is too narrow for an address of the "
		    "kernel");
	default:
		return ("no kernel's loader knows this type");
	}
}

/* What the relocation is against: a name, a section's, or an address. */
static const char *
against(const struct check *c, uint32_t sym)
{
	const struct ks_osym *y = &c->o->syms[sym];

	if (y->name[0] != '\0')
		return (y->name);
	if (y->sect != KS_NOSECT)
		return (c->o->sects[y->sect].name);
	return ("no symbol");
}

static struct ks_place_text
place(const struct check *c, uint32_t sect, uint32_t func, uint64_t off)
{
	struct ks_place_text at = { .object = c->o->path, .off = off,
	    .section = c->o->sects[sect].name, .has_off = true };

	if (func != KS_NONE) {
		at.function = c->o->funcs[func].name;
		at.off = off - c->o->funcs[func].off;
	}
	return (at);
}

static void
report(struct check *c, const struct group *g)
{
	struct ks_place_text at = place(c, g->sect, g->func, g->off);
	const char *name = ks_rel_name(c->o->mode64, g->type);
	const char *sym = against(c, g->sym);
	struct ks_finding *one;
	char more[48] = "", type[24];

	if (name == NULL) {
		snprintf(type, sizeof(type), "relocation type %" PRIu32,
		    g->type);
		name = type;
	}
	if (g->count > 1)
		snprintf(more, sizeof(more), " (the first of %" PRIu64 ")",
		    g->count);
	if (g->cause == GOT)
		one = ks_finding_add(c->f, KS_D_OBJ_GOT_RELOC, &at,
		    "'%s' is reached through the GOT by %s%s; compile "
		    "without -fpic and -fPIC (-fno-pic)", sym, name, more);
	else if (g->cause == UNKNOWN_TYPE || g->cause == NARROW)
		one = ks_finding_add(c->f, KS_D_OBJ_RELOC_RANGE, &at,
		    "%s against '%s'%s: %s", name, sym, more, cure(g->cause));
	else
		one = ks_finding_add(c->f, KS_D_OBJ_RELOC_RANGE, &at,
		    "%s against '%s' cannot hold 0x%" PRIx64 "%s: %s", name,
		    sym, g->value, more, cure(g->cause));
	ks_finding_event(c->f, one, name);
}

static void
check_section(struct check *c)
{
	const struct ks_obj *o = c->o;
	enum cause cause;
	uint64_t value;

	for (size_t i = 0; i < c->s->nrel; i++) {
		const struct ks_rel *r = &c->s->rels[i];

		if (o->mode64) {
			if (always_fits(c, r))
				continue;
			cause = judge(c, r, &value);
		} else {
			value = 0;
			cause = ks_rel_is_got(false, r->type) ? GOT :
			    ks_rel_name(false, r->type) == NULL ?
			    UNKNOWN_TYPE : FITS;
		}
		if (cause != FITS)
			group(c, r, cause, value);
	}
	for (size_t i = 0; i < c->groups.n; i++)
		report(c, &c->groups.v[i]);
	c->groups.n = 0;
}

/* --- soft float ----------------------------------------------------------- */

static bool
is_libcall(const struct check *c, const struct ks_rel *r)
{
	const struct ks_osym *y = &c->o->syms[r->sym];

	return ((ks_priv(c->o)->libcalls[r->sym] & KS_SR_LIBCALL) != 0 &&
	    y->sect == KS_NOSECT && !y->absolute);
}

/* The helpers that relocations FROM.. of one function name, and where. */
static void
report_libcalls(struct check *c, uint32_t func, const struct ks_rel *from,
    const struct ks_rel *to)
{
	struct ks_place_text at = place(c, c->sect, func, from->off);
	uint32_t names[MAX_NAMES];
	struct ks_finding *one;
	char list[512] = "";
	size_t n = 0, used = 0;

	for (const struct ks_rel *r = from; r < to && n < MAX_NAMES; r++) {
		size_t i = 0;

		while (i < n && names[i] != r->sym)
			i++;
		if (i < n || !is_libcall(c, r))
			continue;
		names[n++] = r->sym;
		used += snprintf(list + used, sizeof(list) - used, "%s'%s'",
		    n > 1 ? ", " : "", c->o->syms[r->sym].name);
		if (used >= sizeof(list))
			break;
	}
	one = ks_finding_add(c->f, KS_D_OBJ_LIBCALL, &at, "floating point in "
	    "code that must not use the FPU calls %s, which no kernel has; "
	    "move it to a file for SIMD, or use integers", list);
	ks_finding_event(c->f, one, c->o->syms[names[0]].name);
}

static void
check_libcalls(struct check *c)
{
	const struct ks_rel *r = c->s->rels, *last = r + c->s->nrel;

	while (r < last) {
		const struct ks_rel *to = r + 1;
		uint64_t end;
		uint32_t f;

		if (!is_libcall(c, r)) {
			r++;
			continue;
		}
		f = ks_obj_func_at(c->o, c->sect, r->off);
		end = f == KS_NONE ? c->s->size :
		    c->o->funcs[f].off + c->o->funcs[f].size;
		while (to < last && to->off < end)
			to++;
		report_libcalls(c, f, r, to);
		r = to;
	}
}

/* See obj.h. */
void
ks_obj_check_relocs(const struct ks_obj *o, const struct ks_profile *p,
    uint64_t kernbase, struct ks_findings *f)
{
	struct check c = { .o = o, .f = f };

	(void)p;
	if (o->linked)
		return;
	c.base = kernbase > UINT64_MAX - 2 * ABOVE ? kernbase :
	    kernbase + ABOVE;
	c.high = c.base - 4096 >= 0xffffffff80000000 &&
	    c.base < 0xfffffffff0000000;
	for (size_t i = 1; i < o->nsect; i++) {
		c.sect = i;
		c.s = &o->sects[i];
		if (!c.s->alloc || c.s->nrel == 0)
			continue;
		check_section(&c);
		if (ks_priv(o)->libcalls != NULL && c.s->exec)
			check_libcalls(&c);
	}
	ks_vec_free(&c.groups);
}
