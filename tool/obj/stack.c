/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What functions do to the stack and to the MMX registers: obj-red-zone,
 * obj-stack-align, obj-mmx-state.
 *
 * 1. Only functions that the first level flagged are looked at: those that
 *    may reach below %rsp, and those with SIMD.  Of the latter, a linear look
 *    at the bytes drops those that name neither MMX registers nor memory
 *    that could be the frame.  A part (f.cold) is looked at with its parent.
 * 2. The control-flow graph knows, before each instruction, which registers
 *    point into the frame and how far %rsp is from its start.  Functions
 *    that are lowered are looked at then, as their graph is there.
 * 3. Red zone: a memory operand whose address is known to lie below %rsp.
 *    Interrupts use the same stack in a kernel, so what is there may be
 *    overwritten after any instruction.
 * 4. Alignment: a memory operand that faults if it is not aligned, relative
 *    to the frame.  Its address is a multiple of what it needs if the base
 *    is one (the profile's stack-align, or what an "and $-N,%rsp" made) and
 *    the distance is.
 * 5. MMX: forward data flow, dirty or clean.  An MMX instruction makes it
 *    dirty; emms, loading another state, and leaving a region make it clean.
 *    Dirty at a return, or at a jump to another function, is the finding.
 *
 * Limits: with an index register, only the part of the address without it is
 * judged; below %rsp, that alone decides nothing if the function has locals
 * there (arrays that are counted from 1).  If the stack does not balance,
 * distances are not trusted and nothing is said of them, but a negative
 * displacement from %rsp itself always is below it.
 *
 * Reference: x86-64 psABI 3.2.2 (the red zone); Intel SDM vol. 1, 9.6.3
 * (emms).
 */
#include <inttypes.h>
#include <string.h>

#include "cfg.h"
#include "scan.h"

struct stack {
	const struct ks_obj *o;
	const struct ks_profile *p;
	struct ks_findings *f;
	struct ks_cfg_builder *b;
	const struct ks_cfg *g;
	uint32_t func;
	bool	 locals;	/* see has_locals */
	unsigned align[KS_SP_MAX];	/* of the stack's bases; 1: unknown */
};

/* What one check saw in one function. */
struct seen {
	const struct ks_cfg_insn *first;
	int64_t	 dist;		/* of the first, check's own meaning */
	unsigned need;
	uint64_t count;
};

/* --- reporting ------------------------------------------------------------ */

static struct ks_place_text
place(const struct stack *s, const struct ks_cfg_insn *i)
{
	uint32_t f = ks_obj_func_at(s->o, i->sect, i->off);
	struct ks_place_text at = { .object = s->o->path,
	    .section = s->o->sects[i->sect].name, .off = i->off,
	    .has_off = true };

	/* Code in no function counts for the function that runs it. */
	if (f == KS_NONE) {
		at.function = s->o->funcs[s->func].name;
		at.off = 0;
		at.has_off = false;
	} else {
		at.function = s->o->funcs[f].name;
		at.off = i->off - s->o->funcs[f].off;
	}
	return (at);
}

/* The instruction's text, as the finding's event. */
static const char *
text(const struct stack *s, const struct ks_cfg_insn *i, char *buf,
    size_t size)
{
	const struct ks_sect *sect = &s->o->sects[i->sect];

	return (ks_insn_text(sect->data + i->off, sect->size - i->off,
	    s->o->mode64, buf, size));
}

static const char *
others(const struct seen *w, char *buf, size_t size)
{
	buf[0] = '\0';
	if (w->count > 1)
		snprintf(buf, size, " (and %" PRIu64 " more)", w->count - 1);
	return (buf);
}

/* --- red zone ------------------------------------------------------------- */

/* "lock addl $0,-4(%rsp)": a memory barrier that changes nothing. */
static bool
is_fence(const struct stack *s, const struct ks_cfg_insn *i)
{
	const struct ks_insn *in = &i->in;

	return ((in->op == KS_OP_ADD || in->op == KS_OP_OR) &&
	    s->o->sects[i->sect].data[i->off] == 0xf0 &&
	    in->opnd[1].kind == KS_OPND_IMM && in->opnd[1].val == 0);
}

static bool
is_access(const struct stack *s, const struct ks_cfg_insn *i)
{
	return (i->in.op != KS_OP_LEA && i->in.op != KS_OP_NOP &&
	    !is_fence(s, i));
}

/*
 * Are there locals between %rsp and what the function pushed at its start,
 * so that an array may start there?
 */
static bool
has_locals(const struct ks_cfg *g)
{
	for (size_t n = 0; n < g->insns.n; n++) {
		const struct ks_insn *in = &g->insns.v[n].in;
		const struct ks_opnd *d = &in->opnd[0];

		if ((in->op == KS_OP_SUB || in->op == KS_OP_AND ||
		    in->op == KS_OP_ADD || in->op == KS_OP_LEA) &&
		    d->kind == KS_OPND_REG && d->reg == KS_RSP)
			return (true);
	}
	return (false);
}

/* Bytes that operand M reaches below %rsp; 0: it does not. */
static int64_t
below_sp(const struct stack *s, const struct ks_cfg_frame *fr,
    const struct ks_opnd *m)
{
	const struct ks_cfg_addr *sp = &fr->r[KS_RSP], *base;
	int64_t d;

	if (m->kind != KS_OPND_MEM || m->reg >= KS_GPR_MAX || m->seg != 0)
		return (0);
	if (m->index != KS_NOREG && s->locals)
		return (0);
	if (m->reg == KS_RSP)
		return (m->val < 0 ? -m->val : 0);
	base = &fr->r[m->reg];
	if (s->g->frame_odd || base->base == KS_SP_UNKNOWN ||
	    base->base != sp->base)
		return (0);
	d = (int64_t)base->off + m->val - sp->off;
	return (d < 0 ? -d : 0);
}

static void
red_zone(const struct stack *s, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, struct seen *w)
{
	if (!is_access(s, i))
		return;
	for (unsigned n = 0; n < i->in.nopnd; n++) {
		int64_t d = below_sp(s, fr, &i->in.opnd[n]);

		if (d == 0)
			continue;
		if (w->count++ == 0) {
			w->first = i;
			w->dist = d;
		}
		return;
	}
}

static void
report_red_zone(const struct stack *s, const struct seen *w)
{
	struct ks_place_text at = place(s, w->first);
	char insn[128], more[48];
	struct ks_finding *one;

	text(s, w->first, insn, sizeof(insn));
	one = ks_finding_add(s->f, KS_D_OBJ_RED_ZONE, &at, "'%s'%s reaches %"
	    PRId64 " bytes below %%%s, where the next interrupt writes; "
	    "compile with -mno-red-zone", insn,
	    others(w, more, sizeof(more)), w->dist,
	    s->o->mode64 ? "rsp" : "esp");
	ks_finding_event(s->f, one, insn);
}

/* --- alignment ------------------------------------------------------------ */

/* What "and $-N,%rsp" makes of %rsp. */
static unsigned
realigns(const struct ks_cfg_insn *i)
{
	uint64_t k;

	if (i->in.op != KS_OP_AND)
		return (1);
	k = -(uint64_t)i->in.opnd[1].val;
	return (k != 0 && (k & (k - 1)) == 0 && k <= 4096 ? (unsigned)k : 1);
}

static void
find_aligns(struct stack *s, unsigned cfa)
{
	for (size_t n = 0; n < KS_SP_MAX; n++)
		s->align[n] = 1;
	s->align[KS_SP_CFA] = cfa;
	for (size_t n = 0; n < s->g->insns.n; n++) {
		const struct ks_cfg_insn *i = &s->g->insns.v[n];

		if (i->spnew != 0)
			s->align[i->spnew] = realigns(i);
	}
}

static void
alignment(const struct stack *s, const struct ks_cfg_frame *fr,
    const struct ks_cfg_insn *i, struct seen *w)
{
	if (!i->in.aligned || s->g->frame_odd)
		return;
	for (unsigned n = 0; n < i->in.nopnd; n++) {
		const struct ks_opnd *m = &i->in.opnd[n];
		unsigned need = m->bits / 8;
		int64_t dist;

		if (m->kind != KS_OPND_MEM || m->reg >= KS_GPR_MAX ||
		    m->seg != 0 || need == 0 || (need & (need - 1)) != 0 ||
		    fr->r[m->reg].base == KS_SP_UNKNOWN)
			continue;
		dist = (int64_t)fr->r[m->reg].off + m->val;
		if (s->align[fr->r[m->reg].base] % need == 0 &&
		    (dist & (int64_t)(need - 1)) == 0)
			continue;
		if (w->count++ == 0) {
			w->first = i;
			w->need = need;
			w->dist = dist;
		}
		return;
	}
}

static void
report_alignment(const struct stack *s, const struct seen *w)
{
	struct ks_place_text at = place(s, w->first);
	char insn[128], more[48];
	struct ks_finding *one;

	text(s, w->first, insn, sizeof(insn));
	one = ks_finding_add(s->f, KS_D_OBJ_STACK_ALIGN, &at, "'%s'%s needs "
	    "an address that is a multiple of %u, but the kernel keeps the "
	    "stack aligned to %u and nothing here realigns it; compile with "
	    "the kernel's stack alignment", insn,
	    others(w, more, sizeof(more)), w->need, s->align[KS_SP_CFA]);
	ks_finding_event(s->f, one, insn);
}

/* --- MMX ------------------------------------------------------------------ */

enum { CLEAN = 1, DIRTY = 2 };		/* sets of states */

struct mmx {
	uint8_t	*in;		/* by block */
	uint32_t *dirt;		/* by block: instruction that made it dirty */
	KS_VEC(uint32_t) work;
	const struct ks_cfg_insn *at;	/* where it is dirty at the end */
	uint32_t made;
};

static bool
cleans(const struct stack *s, const struct ks_cfg_insn *i)
{
	if (i->in.emms || i->in.simd == KS_SIMD_RESTORE)
		return (true);
	return (i->how == KS_HOW_DIRECT &&
	    ks_cfg_role(s->b, &i->imm, KS_ROLE_LEAVE) != NULL);
}

/* State behind block N; *DIRT: what made it dirty. */
static uint8_t
through(const struct stack *s, const struct mmx *m, uint32_t n,
    uint32_t *dirt)
{
	const struct ks_cfg_block *k = &s->g->blocks.v[n];
	uint8_t st = m->in[n];

	*dirt = m->dirt[n];
	for (uint32_t i = k->insn; i < k->insn + k->ninsn; i++) {
		const struct ks_cfg_insn *x = &s->g->insns.v[i];

		if (cleans(s, x)) {
			st = CLEAN;
		} else if (x->in.simd == KS_SIMD_USE &&
		    (x->in.classes & KS_RC_MMX) != 0) {
			st = DIRTY;
			*dirt = i;
		}
	}
	return (st);
}

static bool
uses_mmx(const struct ks_cfg *g)
{
	for (size_t i = 0; i < g->insns.n; i++)
		if (g->insns.v[i].in.simd == KS_SIMD_USE &&
		    (g->insns.v[i].in.classes & KS_RC_MMX) != 0)
			return (true);
	return (false);
}

/* Does block N leave the function, other than to a leave of the region? */
static bool
goes_out(const struct stack *s, const struct ks_cfg_block *k)
{
	if (k->end == KS_CFG_TAIL)
		return (ks_cfg_role(s->b, &k->target, KS_ROLE_LEAVE) == NULL);
	return (k->end == KS_CFG_RET || k->end == KS_CFG_ITAIL);
}

static void
flow_mmx(const struct stack *s, struct mmx *m)
{
	const struct ks_cfg *g = s->g;

	m->in[0] = CLEAN;
	*ks_vec_push(&m->work) = 0;
	while (m->work.n != 0) {
		uint32_t n = m->work.v[--m->work.n], dirt;
		const struct ks_cfg_block *k = &g->blocks.v[n];
		uint8_t st = through(s, m, n, &dirt);

		if ((st & DIRTY) != 0 && m->at == NULL && goes_out(s, k)) {
			m->at = &g->insns.v[k->ninsn != 0 ?
			    k->insn + k->ninsn - 1 : dirt];
			m->made = dirt;
		}
		for (uint32_t e = k->edge; e < k->edge + k->nedge; e++) {
			uint32_t to = g->edges.v[e].to;

			if ((m->in[to] | st) == m->in[to])
				continue;
			if ((st & DIRTY) != 0 && (m->in[to] & DIRTY) == 0)
				m->dirt[to] = dirt;
			m->in[to] |= st;
			*ks_vec_push(&m->work) = to;
		}
	}
}

/*
 * State management reads and writes registers of somebody else.  Compilers
 * add a suffix to the names of a function's copies.
 */
static bool
is_machinery(const struct stack *s)
{
	const char *name = s->o->funcs[s->func].name;
	char base[256];
	size_t n = strcspn(name, ".");

	if (n == 0 || n >= sizeof(base))
		return (false);
	memcpy(base, name, n);
	base[n] = '\0';
	return (ks_profile_role(s->p, base, KS_ROLE_MACHINERY) != NULL);
}

static void
check_mmx(const struct stack *s)
{
	struct ks_place_text at, made;
	struct mmx m = { 0 };
	struct ks_finding *one;
	char insn[128];
	size_t n = s->g->blocks.n;

	if (n == 0 || !uses_mmx(s->g) || is_machinery(s))
		return;
	m.in = ks_xmalloc(n);
	m.dirt = ks_xmalloc(n * sizeof(m.dirt[0]));
	memset(m.in, 0, n);
	memset(m.dirt, 0, n * sizeof(m.dirt[0]));
	flow_mmx(s, &m);
	if (m.at != NULL) {
		at = place(s, m.at);
		one = ks_finding_add(s->f, KS_D_OBJ_MMX_STATE, &at, "MMX "
		    "registers are in use where the function returns; x87 "
		    "code that follows finds a full register stack, so end "
		    "with emms");
		made = place(s, &s->g->insns.v[m.made]);
		text(s, &s->g->insns.v[m.made], insn, sizeof(insn));
		ks_finding_event(s->f, one, insn);
		ks_finding_note(s->f, one, &made, "'%s' is the last of them",
		    insn);
	}
	ks_vec_free(&m.work);
	ks_vec_release(m.in);
	ks_vec_release(m.dirt);
}

/* --- functions ------------------------------------------------------------ */

/* What is to be looked for in a function. */
enum { RED_ZONE = 1, ALIGN = 2, MMX = 4 };

static void
check_function(struct stack *s, unsigned what)
{
	struct seen rz = { 0 }, al = { 0 };

	for (size_t n = 0; n < s->g->blocks.n; n++) {
		const struct ks_cfg_block *k = &s->g->blocks.v[n];
		struct ks_cfg_frame fr = s->g->frames.v[n];

		for (uint32_t i = k->insn; i < k->insn + k->ninsn; i++) {
			const struct ks_cfg_insn *x = &s->g->insns.v[i];

			if ((what & RED_ZONE) != 0)
				red_zone(s, &fr, x, &rz);
			if ((what & ALIGN) != 0)
				alignment(s, &fr, x, &al);
			ks_cfg_frame_step(x, s->o->mode64, &fr);
		}
	}
	if (rz.count != 0)
		report_red_zone(s, &rz);
	if (al.count != 0)
		report_alignment(s, &al);
	if ((what & MMX) != 0)
		check_mmx(s);
}

/*
 * Opcodes of the 0F map that name MMX registers: without F2 and F3 2A 2C 2D;
 * without 66, too, 60-6B 6E-77 7E 7F C4 C5 D1-D5 D7-E5 E7-EF F1-FF, 38, 3A
 * and 3DNow!; with F2 or F3 D6 (SDM vol. 2, table A-3).
 */
static bool
is_mmx_opcode(unsigned op, bool rep, bool size)
{
	if (op == 0xd6)
		return (rep);
	if (op == 0x2a || op == 0x2c || op == 0x2d)
		return (!rep);
	return (!rep && !size && (op == 0x0f || (op >= 0x60 && op <= 0x7f &&
	    op != 0x78 && op != 0x79) || op == 0xc4 || op == 0xc5 ||
	    op >= 0xd1 || op == 0x38 || op == 0x3a));
}

/* vmovaps, vmovapd, vmovntps, vmovdqa, vmovntdq, vmovntdqa, or others. */
static bool
is_aligned_vex(unsigned op)
{
	return (op == 0x28 || op == 0x29 || op == 0x2b || op == 0x6f ||
	    op == 0x7f || op == 0xe7 || op == 0x2a);
}

/* Is %rsp or %rbp (or r12, r13) the base of the operand with ModRM at P? */
static bool
is_frame_base(const uint8_t *p, unsigned n)
{
	unsigned mod = p[0] >> 6, base = p[0] & 7;

	if (mod == 3)
		return (false);
	if (base == 4) {
		if (n < 2)
			return (true);
		base = p[1] & 7;
	}
	return (base == 4 || (base == 5 && mod != 0));
}

/*
 * Does the SIMD instruction of N bytes at P name MMX registers (as far as
 * its opcode tells), or use memory through %rsp or %rbp?  Says yes when in
 * doubt.
 */
static unsigned
simd_hint(const uint8_t *p, unsigned n, bool mode64)
{
	bool rep = false, size = false, vex = false;
	unsigned i = 0, hint = 0;

	for (; i + 2 < n; i++) {
		if (p[i] == 0xf2 || p[i] == 0xf3)
			rep = true;
		else if (p[i] == 0x66)
			size = true;
		else if (!(mode64 && (p[i] & 0xf0) == 0x40) && p[i] != 0x2e &&
		    p[i] != 0x36 && p[i] != 0x3e && p[i] != 0x26 &&
		    p[i] != 0x64 && p[i] != 0x65 && p[i] != 0x67)
			break;
	}
	if (p[i] == 0x0f) {
		if (i + 1 < n && is_mmx_opcode(p[i + 1], rep, size))
			hint |= MMX;
		i += i + 1 < n && (p[i + 1] == 0x38 || p[i + 1] == 0x3a) ?
		    3 : 2;
	} else if (p[i] == 0xc5 || p[i] == 0xc4 || p[i] == 0x8f ||
	    p[i] == 0x62) {
		i += p[i] == 0xc5 ? 3 : p[i] == 0x62 ? 5 : 4;
		vex = true;
	} else {
		/* x87 is never aligned; REX2 may be anything. */
		return (mode64 && p[i] == 0xd5 ? ALIGN | MMX : 0);
	}
	if (i >= n || (vex && !is_aligned_vex(p[i - 1])))
		return (hint);
	if (is_frame_base(p + i, n - i))
		hint |= ALIGN;
	return (hint);
}

/* mov %rsp,%reg; lea n(%rsp),%reg; lea n(%rbp),%reg */
static bool
copies_sp(const uint8_t *p, unsigned n, bool mode64)
{
	if (mode64 && n > 2 && (p[0] & 0xf8) == 0x48)
		p++, n--;
	if (n == 2)
		return ((p[0] == 0x89 && (p[1] & 0xf8) == 0xe0) ||
		    (p[0] == 0x8b && (p[1] & 0xc7) == 0xc4));
	return (n > 2 && p[0] == 0x8d && is_frame_base(p + 1, n - 1));
}

/* May the function be patched, or run code that is in no function? */
static bool
goes_elsewhere(const struct ks_obj *o, const struct ks_ofunc *f,
    uint64_t off, const struct ks_dec *d)
{
	const struct ks_sect *s = &o->sects[f->sect];
	const struct ks_rel *r = ks_obj_rel(s, off + d->rel_off);
	uint64_t toff;
	uint32_t tsect;

	if (r != NULL && r->off != off + d->rel_off)
		r = NULL;
	return (ks_scan_target(o, f->sect, off, d, r, &tsect, &toff) &&
	    ks_obj_func_at(o, tsect, toff) == KS_NONE);
}

/*
 * A linear look at a function with SIMD: are its registers MMX, can its
 * accesses be to the frame?  Most assembly has neither, and is spared the
 * graph.
 */
static unsigned
hints(const struct ks_obj *o, const struct ks_ofunc *f)
{
	const struct ks_sect *s = &o->sects[f->sect];
	const struct ks_patch *alt = ks_obj_patch(o, KS_PATCH_ALT, f->sect,
	    f->off);
	uint64_t off = f->off, end = f->off + f->size;
	unsigned hint = 0, n;
	bool simd = false;
	struct ks_dec d;

	if ((f->flags & KS_OFUNC_ODD) != 0 || (alt != NULL && alt->off < end))
		return (ALIGN | MMX);
	for (; off < end && (n = ks_scan_decode(o, s, off, &d)) != 0;
	    off += n) {
		const uint8_t *p = s->data + off;

		if ((d.flags & KS_DEC_SIMD) != 0) {
			simd = true;
			hint |= simd_hint(p, n, o->mode64);
		} else if (copies_sp(p, n, o->mode64)) {
			hint |= ALIGN;
		}
		if (hint == (ALIGN | MMX) || (d.rel_off != 0 &&
		    goes_elsewhere(o, f, off, &d)))
			return (ALIGN | MMX);
	}
	return (simd ? hint : ALIGN | MMX);
}

/* What to look for, by function; parts count for their parents. */
static uint8_t *
wanted(const struct ks_obj *o)
{
	uint8_t *w = NULL;

	for (size_t i = 0; i < o->nfunc; i++) {
		const struct ks_ofunc *f = &o->funcs[i];
		size_t to = (f->flags & KS_OFUNC_PARTIAL) != 0 &&
		    f->parent < o->nfunc ? f->parent : i;
		unsigned what = 0;

		if ((f->flags & (KS_OFUNC_RED_ZONE | KS_OFUNC_ODD)) != 0)
			what |= RED_ZONE;
		if ((f->flags & (KS_OFUNC_SIMD | KS_OFUNC_ODD)) != 0)
			what |= hints(o, f);
		if (what == 0)
			continue;
		if (w == NULL)
			w = KS_NEWN(o->arena, uint8_t, o->nfunc);
		w[to] |= what;
	}
	return (w);
}

/* The same, made on first use: what is still to be looked for. */
static uint8_t *
left(const struct ks_obj *o)
{
	struct ks_obj_priv *pr = ks_priv(o);

	if (!pr->have_stack) {
		pr->stack = wanted(o);
		pr->have_stack = true;
	}
	return (pr->stack);
}

static void
check_graph(const struct ks_obj *o, const struct ks_profile *p,
    struct ks_findings *f, struct ks_cfg_builder *b, const struct ks_cfg *g,
    uint8_t *what)
{
	const struct ks_archdef *arch = ks_profile_arch(p, o->arch);
	struct stack s = { .o = o, .p = p, .f = f, .b = b, .g = g,
	    .func = g->func, .locals = has_locals(g) };

	find_aligns(&s, arch != NULL && arch->stack_align != 0 ?
	    arch->stack_align : 1);
	check_function(&s, *what);
	*what = 0;
}

/* See obj_priv.h. */
void
ks_stack_graph(const struct ks_obj *o, const struct ks_profile *p,
    struct ks_findings *f, struct ks_cfg_builder *b, const struct ks_cfg *g)
{
	uint8_t *w = left(o);

	if (w != NULL && w[g->func] != 0)
		check_graph(o, p, f, b, g, &w[g->func]);
}

/* See obj.h. */
void
ks_obj_check_stack(const struct ks_obj *o, const struct ks_profile *p,
    struct ks_findings *f)
{
	struct ks_cfg_builder *b = NULL;
	uint8_t *w = left(o);

	for (uint32_t i = 0; w != NULL && i < o->nfunc; i++) {
		if (w[i] == 0)
			continue;
		if (b == NULL)
			b = ks_cfg_new(o, p);
		check_graph(o, p, f, b, ks_cfg_build(b, i), &w[i]);
	}
	if (b != NULL)
		ks_cfg_free(b);
}
