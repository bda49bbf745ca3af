/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * First level: looks at every executable byte once, with a decoder that
 * knows boundaries, control flow and "may touch SIMD state", and finds the
 * functions that may matter.
 *
 * 1. Walk each function linearly.  Note where instructions start, and which
 *    places are branched to.  SIMD, and accesses below the stack pointer,
 *    flag the function.
 * 2. A relocation against a name that the profile gives a role flags the
 *    function that it stands in.
 * 3. Replacement code of alternatives flags the function of its site.
 *    Targets and sites of patch tables, and pointers to code in data, are
 *    places branched to, as well.
 * 4. If each place branched to is the start of an instruction, the walk saw
 *    what the CPU will run.  If one is not, the object is looked at closer
 *    (refs.c).
 * 5. If anything was flagged, close over callers and callees (close.c).
 *
 * Most objects of a kernel end at step 4 without a flag: nothing here may
 * cost more than a few instructions per instruction of theirs.
 *
 * Invariants: a function that has SIMD in code that it can reach is flagged
 * SIMD or ODD, if the decoder's promise holds (decode.h).
 *
 * Limits: entries of relative jump tables are not checked against the walk
 * here; the graph that is built of flagged functions follows them.
 */
#include <elf.h>
#include <string.h>

#include "insn.h"
#include "scan.h"

#define OWN_FLAGS	(KS_OFUNC_MATTERS | KS_OFUNC_SIMD |		\
			 KS_OFUNC_RED_ZONE | KS_OFUNC_ODD |		\
			 KS_OFUNC_EXPORTED | KS_OFUNC_ADDR_TAKEN |	\
			 KS_OFUNC_ROLE | KS_OFUNC_UNSEEN)

#define MAX_ROUNDS	32	/* each may find calls to code without symbol */

/* --- roles ---------------------------------------------------------------- */

static unsigned
role_bits(enum ks_role role)
{
	switch (role) {
	case KS_ROLE_ENTER:
	case KS_ROLE_ENTER_INLINE:
		return (KS_SR_ENTER);
	case KS_ROLE_LEAVE:
	case KS_ROLE_LEAVE_INLINE:
		return (KS_SR_LEAVE);
	case KS_ROLE_THREAD:
		return (KS_SR_THREAD);
	case KS_ROLE_MARKER:
		return (KS_SR_NEEDS);
	case KS_ROLE_QUERY:
	case KS_ROLE_SUSPENDS:
		return (KS_SR_OTHER);
	case KS_ROLE_SLEEPS:
	case KS_ROLE_FORBID_ATOMIC:
	case KS_ROLE_NORETURN:
	case KS_ROLE_IGNORE_CALL:
	case KS_ROLE_RETURN_THUNK:
		return (KS_SR_STOP);
	case KS_ROLE_LIBCALL:
		return (KS_SR_LIBCALL);
	case KS_ROLE_MACHINERY:
		return (KS_SR_STOP | KS_SR_MACHINERY);
	case KS_ROLE_INDIRECT_THUNK:
		return (KS_SR_STOP | KS_SR_THUNK);
	default:
		return (0);
	}
}

/* What other objects tell of a name that this one wants. */
static unsigned
told_bits(const struct ks_obj *o, const struct ks_osym *y)
{
	unsigned in, bits = 0;

	if (o->known == NULL || y->sect != KS_NOSECT || y->local)
		return (0);
	in = ks_interest_get(o->known, y->name);
	if ((in & KS_INT_NEEDS) != 0)
		bits |= KS_SR_NEEDS;
	if ((in & KS_INT_ENTER) != 0)
		bits |= KS_SR_ENTER;
	if ((in & KS_INT_LEAVE) != 0)
		bits |= KS_SR_LEAVE;
	return (bits);
}

/* See scan.h. */
bool
ks_scan_called_below(const struct ks_obj *o, const struct ks_osym *y)
{
	return (o->known != NULL && y->sect != KS_NOSECT && !y->local &&
	    o->sects[y->sect].exec &&
	    (ks_interest_get(o->known, y->name) & KS_INT_BELOW) != 0);
}

/* See scan.h. */
unsigned
ks_scan_role(struct ks_scan *sc, uint32_t sym)
{
	const struct ks_rule *r;
	unsigned bits = sc->symrole[sym];
	const char *name;

	if (bits != 0)
		return (bits);
	bits = KS_SR_KNOWN;
	name = sc->o->syms[sym].name;
	if (name[0] != '\0')
		for (r = ks_profile_find(sc->p, name); r != NULL; r = r->next)
			bits |= role_bits(r->role);
	bits |= told_bits(sc->o, &sc->o->syms[sym]);
	sc->symrole[sym] = bits;
	if ((bits & KS_SR_LIBCALL) != 0)
		ks_priv(sc->o)->libcalls = sc->symrole;
	return (bits);
}

/* --- one function --------------------------------------------------------- */

/* What the walk of one function saw. */
struct walk {
	uint32_t flags;		/* KS_OFUNC_* */
	uint64_t insns;
	uint32_t below;		/* bytes below %rbp that are accessed */
};

/* See scan.h. */
bool
ks_scan_target(const struct ks_obj *o, uint32_t sect, uint64_t off,
    const struct ks_dec *d, const struct ks_rel *rel, uint32_t *tsect,
    uint64_t *toff)
{
	uint64_t end = off + d->len;
	const struct ks_osym *y;
	struct ks_oref ref;

	if (rel != NULL && !o->linked) {
		y = &o->syms[rel->sym];
		if (y->sect == KS_NOSECT || ((rel->type != R_X86_64_PC32 &&
		    rel->type != R_X86_64_PLT32) &&
		    (!ks_rel_is_pc(o->mode64, rel->type) ||
		    ks_rel_is_got(o->mode64, rel->type))))
			return (false);
		*tsect = y->sect;
		*toff = y->off + (uint64_t)rel->addend + end - rel->off;
	} else if (!o->linked) {
		*tsect = sect;
		*toff = end + (int64_t)d->rel;
	} else if (rel == NULL || (o->linked &&
	    rel->sym < ks_priv(o)->dynsym0)) {
		*toff = o->sects[sect].addr + end + (int64_t)d->rel;
		if (!o->mode64)
			*toff = (uint32_t)*toff;
		if (*toff - o->sects[sect].addr < o->sects[sect].size)
			*tsect = sect;
		else if ((*tsect = ks_obj_sect_at(o, *toff)) == KS_NOSECT)
			return (false);
		*toff -= o->sects[*tsect].addr;
	} else {
		ref = ks_obj_pcrel_place(o, sect, off + d->rel_off, d->rel,
		    end);
		if (ref.got || ref.sect == KS_NOSECT)
			return (false);
		*tsect = ref.sect;
		*toff = ref.off;
	}
	return (true);
}

/* Something refers to this place as code. */
static void
want(struct ks_scan *sc, uint32_t sect, uint64_t off)
{
	if (sc->wanted[sect] == NULL)
		return;
	if (off < sc->o->sects[sect].size)
		ks_bit_set(sc->wanted[sect], off);
	else
		sc->odd = true;
}

/*
 * How far below %rbp the instruction at P reaches; its memory operand is
 * known to be relative to %rbp with a negative displacement.
 */
static uint32_t
below_rbp(const uint8_t *p, unsigned len, bool mode64)
{
	unsigned i = 0, scale = 1, modrm;
	int32_t disp;

	while (i < len && (p[i] == 0x66 || p[i] == 0x67 || p[i] == 0xf0 ||
	    p[i] == 0xf2 || p[i] == 0xf3 || p[i] == 0x2e || p[i] == 0x36 ||
	    p[i] == 0x3e || p[i] == 0x26 || p[i] == 0x64 || p[i] == 0x65 ||
	    (mode64 && (p[i] & 0xf0) == 0x40)))
		i++;
	if (i + 2 >= len)
		return (UINT32_MAX);
	if (p[i] == 0x0f) {
		i += p[i + 1] == 0x38 || p[i + 1] == 0x3a ? 3 : 2;
	} else if (p[i] == 0x62 && (mode64 || p[i + 1] >= 0xc0)) {
		i += 5;
		scale = 64;	/* EVEX: at most so much (disp8*N) */
	} else if (p[i] == 0xc5 && (mode64 || p[i + 1] >= 0xc0)) {
		i += 3;
	} else if ((p[i] == 0xc4 && (mode64 || p[i + 1] >= 0xc0)) ||
	    (p[i] == 0x8f && (p[i + 1] & 0x1f) >= 8)) {
		i += 4;
	} else if (mode64 && p[i] == 0xd5) {
		i += 3;		/* REX2 */
	} else {
		i += 1;
	}
	if (i >= len)
		return (UINT32_MAX);
	modrm = p[i++];
	if ((modrm & 7) == 4)
		i++;
	if (modrm >> 6 == 1 && i < len)
		disp = (int8_t)p[i] * (int)scale;
	else if (modrm >> 6 == 2 && i + 4 <= len)
		disp = (int32_t)ks_le32(p + i);
	else
		return (UINT32_MAX);
	return (disp < 0 ? (uint32_t)-disp : UINT32_MAX);
}

/*
 * mov %rsp,%rbp; lea n(%rsp),%rbp; enter: bytes from %rsp up to %rbp.  -1:
 * %rbp is not set from %rsp.
 */
static int64_t
sets_rbp(const uint8_t *p, unsigned n, bool mode64)
{
	int64_t room;

	if (p[0] == 0xc8)
		return (0);
	if (mode64 && n > 2 && p[0] == 0x48)
		p++, n--;
	if (n == 2 && ((p[0] == 0x89 && p[1] == 0xe5) ||
	    (p[0] == 0x8b && p[1] == 0xec)))
		return (0);
	if (n <= 3 || p[0] != 0x8d || (p[1] & 0x3f) != 0x2c || p[2] != 0x24)
		return (-1);
	room = n == 4 ? (int8_t)p[3] : n == 7 ? (int32_t)ks_le32(p + 3) : 0;
	return (room < 0 ? 0 : room);
}

/* Bytes that push and sub (up to 127, or more) make room for; 0: none. */
static uint32_t
makes_room(const uint8_t *p, unsigned n, bool mode64)
{
	uint32_t word = mode64 ? 8 : 4;

	if (mode64 && n > 2 && p[0] == 0x48)
		p++, n--;
	if ((n == 1 && (p[0] & 0xf8) == 0x50) ||
	    (mode64 && n == 2 && p[0] == 0x41 && (p[1] & 0xf8) == 0x50))
		return (word);
	if (n == 3 && p[0] == 0x83 && p[1] == 0xec && p[2] < 0x80)
		return (p[2]);
	if (n == 6 && p[0] == 0x81 && p[1] == 0xec)
		return (ks_le32(p + 2));
	return (0);
}

/*
 * A second look at a function that reaches BELOW bytes under %rbp: is that
 * a frame pointer, and did the code right behind its setting make less room
 * than that?  The graph decides for sure (stack.c).
 */
static bool
below_frame(const struct ks_obj *o, const struct ks_ofunc *f, uint32_t below)
{
	const struct ks_sect *s = &o->sects[f->sect];
	uint64_t off = f->off, end = f->off + f->size;
	bool framed = false, open = false;
	int64_t room = 0, set;
	struct ks_dec d;
	unsigned n;

	for (; off < end && (n = ks_scan_decode(o, s, off, &d)) != 0;
	    off += n) {
		const uint8_t *p = s->data + off;

		if ((set = sets_rbp(p, n, o->mode64)) >= 0) {
			/* A second frame: not a plain prologue. */
			if (open)
				return (true);
			room = set;
			framed = true;
			open = room < below;
			continue;
		}
		if (!open)
			continue;
		room += makes_room(p, n, o->mode64);
		if (room >= below)
			open = false;
		else if (d.flow != KS_FLOW_NEXT)
			return (true);
	}
	return (framed && (open || below == UINT32_MAX));
}

/*
 * "lock addl $0,-4(%rsp)" orders memory and changes none (Linux' smp_mb).
 * The opcode is 83 /0 ib, or /1 for or.
 */
static bool
is_fence(const uint8_t *p, unsigned n)
{
	return (n >= 6 && p[0] == 0xf0 && p[n - 1] == 0 &&
	    ((p[1] == 0x83 && (p[2] & 0x30) == 0) ||
	    ((p[1] & 0xf8) == 0x48 && p[2] == 0x83 && (p[3] & 0x30) == 0)));
}

/* Roles of what the relocations in [OFF, END) name; *R: the first of them. */
static uint32_t
walk_roles(struct ks_scan *sc, const struct ks_sect *s, uint64_t off,
    uint64_t end, const struct ks_rel **r)
{
	const struct ks_rel *last = s->rels + s->nrel;
	unsigned bits = 0;

	while (*r < last && (*r)->off < off)
		(*r)++;
	for (const struct ks_rel *i = *r; i < last && i->off < end; i++) {
		unsigned known = sc->symrole[i->sym];

		bits |= known != 0 ? known : ks_scan_role(sc, i->sym);
	}
	return ((bits & KS_SR_ROLE) != 0 ? KS_OFUNC_ROLE : 0);
}

/* A direct branch: mark its target. */
static void
walk_branch(struct ks_scan *sc, uint32_t sect, uint64_t off,
    const struct ks_dec *d, const struct ks_rel **r)
{
	const struct ks_sect *s = &sc->o->sects[sect];
	const struct ks_rel *last = s->rels + s->nrel, *rel = *r;
	uint64_t field = off + d->rel_off, toff;
	uint32_t tsect;

	while (rel < last && rel->off < field)
		rel++;
	*r = rel;
	if (rel == last || rel->off != field) {
		rel = NULL;
	} else if (!sc->o->linked &&
	    sc->o->syms[rel->sym].sect == KS_NOSECT) {
		return;
	}
	if (ks_scan_target(sc->o, sect, off, d, rel, &tsect, &toff))
		want(sc, tsect, toff);
	else if (rel == NULL)
		sc->odd = true;
}

static bool
falls_through(unsigned flow)
{
	return (flow == KS_FLOW_NEXT || flow == KS_FLOW_JCC ||
	    flow == KS_FLOW_XBEGIN);
}

/* The instruction at P reaches below %rsp, or below %rbp. */
static void
walk_below(const uint8_t *p, unsigned n, const struct ks_dec *d, bool mode64,
    struct walk *w)
{
	uint32_t below;

	if ((d->flags & KS_DEC_BELOW_BP) == 0) {
		if (!is_fence(p, n))
			w->flags |= KS_OFUNC_RED_ZONE;
		return;
	}
	below = below_rbp(p, n, mode64);
	if (below > w->below)
		w->below = below;
}

/* Linear walk over one function; *R moves over the section's relocations. */
static void
walk(struct ks_scan *sc, const struct ks_ofunc *f, const struct ks_rel **r,
    struct walk *w)
{
	const struct ks_obj *o = sc->o;
	const struct ks_sect *s = &o->sects[f->sect];
	uint64_t off = f->off, end = f->off + f->size, insns = 0;
	uint8_t *starts = sc->starts[f->sect];
	unsigned flags = 0, n;
	struct ks_dec d = { .flow = KS_FLOW_NEXT };

	while (off < end) {
		if ((n = ks_scan_decode(o, s, off, &d)) == 0) {
			w->flags |= KS_OFUNC_ODD;
			break;
		}
		insns++;
		ks_bit_set(starts, off);
		flags |= d.flags;
		if ((d.flags & KS_DEC_BELOW_SP) != 0)
			walk_below(s->data + off, n, &d, o->mode64, w);
		if (d.rel_off != 0)
			walk_branch(sc, f->sect, off, &d, r);
		off += n;
	}
	if (off > end)
		w->flags |= KS_OFUNC_ODD;
	else if (off == end && falls_through(d.flow))
		want(sc, f->sect, end);
	if ((flags & KS_DEC_SIMD) != 0)
		w->flags |= KS_OFUNC_SIMD;
	w->insns = insns;
	sc->st.bytes += off - f->off;
}

/* --- second decoder ------------------------------------------------------- */

/* --paranoid: compares both decoders on one function. */
static int
compare(struct ks_scan *sc, const struct ks_ofunc *f)
{
	const struct ks_obj *o = sc->o;
	const struct ks_sect *s = &o->sects[f->sect];
	uint64_t off = f->off, end = f->off + f->size;
	struct ks_insn in;
	struct ks_dec d;
	unsigned n;

	while (off < end && (n = ks_scan_decode(o, s, off, &d)) != 0) {
		/* What only the first level accepts is for the graph. */
		if (ks_insn_decode(s->data + off, s->size - off, o->mode64,
		    &in) != 0)
			break;
		if (in.len != n || in.flow != d.flow ||
		    (in.simd != KS_SIMD_NONE &&
		    (d.flags & KS_DEC_SIMD) == 0))
			return (ks_error(sc->err, KS_EINTERNAL, "%s:%s+0x%llx: "
			    "the decoders differ: length %u and %u, flow %u "
			    "and %u, SIMD %u and %u", o->path, f->name,
			    (unsigned long long)(off - f->off), n, in.len,
			    d.flow, in.flow,
			    (unsigned)(d.flags & KS_DEC_SIMD),
			    (unsigned)(in.simd != KS_SIMD_NONE)));
		off += n;
	}
	return (0);
}

/* --- the object ----------------------------------------------------------- */

static int
walk_functions(struct ks_scan *sc)
{
	struct ks_obj *o = sc->o;
	const struct ks_rel *r = NULL;
	uint32_t sect = KS_NOSECT;
	int rc;

	for (size_t i = 0; i < o->nfunc; i++) {
		struct ks_ofunc *f = &o->funcs[i];
		struct walk w = { 0 };

		if (f->sect != sect) {
			sect = f->sect;
			r = o->sects[sect].rels;
		}
		w.flags = walk_roles(sc, &o->sects[sect], f->off,
		    f->off + f->size, &r);
		walk(sc, f, &r, &w);
		if (w.below != 0 && below_frame(o, f, w.below))
			w.flags |= KS_OFUNC_RED_ZONE;
		f->flags |= w.flags;
		sc->st.insns += w.insns;
		if (sc->paranoid && (rc = compare(sc, f)) != 0)
			return (rc);
	}
	return (0);
}

/* Code that runs in place of a site's belongs to the site's function. */
static void
replacement(struct ks_scan *sc, const struct ks_patch *p)
{
	struct ks_obj *o = sc->o;
	const struct ks_sect *s = &o->sects[p->tsect];
	uint64_t off = p->toff, end = p->toff + p->tlen;
	uint32_t f = ks_obj_func_at(o, p->sect, p->off), flags;
	const struct ks_rel *r = ks_obj_rel(s, off);
	struct ks_dec d;
	unsigned n;

	if (f == KS_NONE)
		return;
	flags = r == NULL ? 0 : walk_roles(sc, s, off, end, &r);
	while (off < end) {
		if ((n = ks_scan_decode(o, s, off, &d)) == 0) {
			flags |= KS_OFUNC_ODD;
			break;
		}
		if ((d.flags & KS_DEC_SIMD) != 0)
			flags |= KS_OFUNC_SIMD;
		if ((d.flags & KS_DEC_BELOW_SP) != 0)
			flags |= KS_OFUNC_RED_ZONE;
		off += n;
	}
	o->funcs[f].flags |= flags;
}

static void
walk_patches(struct ks_scan *sc)
{
	for (size_t i = 0; i < sc->o->npatch; i++) {
		const struct ks_patch *p = &sc->o->patches[i];

		want(sc, p->sect, p->off);
		if (p->kind == KS_PATCH_ALT) {
			if (p->tlen != 0)
				replacement(sc, p);
		} else if (p->tsect != KS_NOSECT) {
			want(sc, p->tsect, p->toff);
		}
	}
}

/* Pointers in data: to code, and to names with a role. */
static void
walk_data(struct ks_scan *sc)
{
	const struct ks_obj *o = sc->o;

	for (size_t i = 1; i < o->nsect; i++) {
		const struct ks_sect *s = &o->sects[i];

		if (s->exec || s->nrel == 0 || ks_obj_is_metadata(s->name))
			continue;
		for (size_t j = 0; j < s->nrel; j++) {
			const struct ks_rel *r = &s->rels[j];
			const struct ks_osym *y = &o->syms[r->sym];

			if (y->sect == KS_NOSECT) {
				if ((ks_scan_role(sc, r->sym) & KS_SR_ROLE) !=
				    0)
					sc->roles = true;
			} else if (o->sects[y->sect].exec &&
			    !ks_rel_is_pc(o->mode64, r->type)) {
				want(sc, y->sect, y->off + r->addend);
			}
		}
	}
}

/* Functions of this object that the profile names. */
static void
own_roles(struct ks_scan *sc)
{
	const struct ks_obj *o = sc->o;

	for (size_t i = 0; i < o->nsym; i++)
		if ((o->syms[i].type == KS_OSYM_FUNC ||
		    o->syms[i].type == KS_OSYM_IFUNC ||
		    o->syms[i].type == KS_OSYM_NONE) &&
		    o->syms[i].sect != KS_NOSECT &&
		    ((ks_scan_role(sc, i) & KS_SR_ROLE) != 0 ||
		    ks_scan_called_below(o, &o->syms[i])))
			sc->roles = true;
}

/* Bytes of one bit for each of N, a multiple of 8. */
static size_t
bitmap_size(uint64_t n)
{
	return ((n / 64 + 1) * 8);
}

/* Is any place wanted that no instruction starts at? */
static bool
any_odd(const struct ks_scan *sc)
{
	for (size_t i = 1; i < sc->o->nsect; i++) {
		size_t n = bitmap_size(sc->o->sects[i].size);

		if (sc->wanted[i] == NULL)
			continue;
		for (size_t j = 0; j < n; j += 8)
			if ((ks_le64(&sc->wanted[i][j]) &
			    ~ks_le64(&sc->starts[i][j])) != 0)
				return (true);
	}
	return (false);
}

static int
first_look(struct ks_scan *sc)
{
	struct ks_obj *o = sc->o;
	int rc;

	ks_priv(o)->libcalls = NULL;
	ks_priv(o)->have_stack = false;
	sc->starts = KS_NEWN(o->arena, uint8_t *, o->nsect + 1);
	sc->wanted = KS_NEWN(o->arena, uint8_t *, o->nsect + 1);
	sc->symrole = KS_NEWN(o->arena, uint16_t, o->nsym + 1);
	for (size_t i = 1; i < o->nsect; i++) {
		size_t n = bitmap_size(o->sects[i].size);

		if (!o->sects[i].exec || o->sects[i].data == NULL)
			continue;
		sc->starts[i] = KS_NEWN(o->arena, uint8_t, n);
		sc->wanted[i] = KS_NEWN(o->arena, uint8_t, n);
	}
	for (size_t i = 0; i < o->nfunc; i++)
		o->funcs[i].flags &= ~OWN_FLAGS;
	if ((rc = walk_functions(sc)) != 0)
		return (rc);
	walk_patches(sc);
	walk_data(sc);
	own_roles(sc);
	sc->odd |= any_odd(sc);
	return (0);
}

/* Accesses below the stack of a part alone need to know whose it is. */
static bool
any_matters(const struct ks_scan *sc)
{
	for (size_t i = 0; i < sc->o->nfunc; i++) {
		uint32_t flags = sc->o->funcs[i].flags;

		if ((flags & (KS_OFUNC_SIMD | KS_OFUNC_ROLE |
		    KS_OFUNC_ODD)) != 0 ||
		    ((flags & KS_OFUNC_RED_ZONE) != 0 &&
		    (flags & KS_OFUNC_PARTIAL) != 0))
			return (true);
	}
	return (sc->odd || sc->roles);
}

/* See obj.h. */
int
ks_obj_scan(struct ks_obj *o, const struct ks_profile *p, bool paranoid,
    struct ks_scan_stats *st, struct ks_error *err)
{
	struct ks_scan sc = { .o = o, .p = p, .paranoid = paranoid,
	    .err = err };
	int rc;

	for (unsigned round = 0; ; round++) {
		sc.odd = sc.roles = false;
		sc.may_add = round < MAX_ROUNDS;
		memset(&sc.st, 0, sizeof(sc.st));
		if ((rc = first_look(&sc)) != 0)
			return (rc);
		ks_priv(o)->quiet = !any_matters(&sc);
		if (ks_priv(o)->quiet || (rc = ks_scan_close(&sc)) == 0)
			break;
		if (rc < 0)
			return (rc);
	}
	sc.st.funcs = o->nfunc;
	for (size_t i = 0; i < o->nfunc; i++) {
		sc.st.simd_funcs += (o->funcs[i].flags & KS_OFUNC_SIMD) != 0;
		sc.st.matter += (o->funcs[i].flags & KS_OFUNC_MATTERS) != 0;
	}
	if (st != NULL)
		*st = sc.st;
	return (0);
}
