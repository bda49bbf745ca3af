/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What calls and jumps are, by the names of their targets and by patches:
 * return and indirect thunks, tracers, static calls, and calls that only
 * push an address.
 *
 * A place may have several names (weak aliases): a profile's rule counts if
 * it names any of them.
 *
 * Forms of code that use a call as a push, as compilers and kernels write
 * them inline:
 *	call 1f; 2: pause; lfence; jmp 2b; 1: mov %reg,(%rsp); ret
 *		an indirect jump through reg (a retpoline)
 *	call 1f; int3; 1: add $8,%rsp
 *		fills the return stack buffer
 *	call 1f; 1: pop %ebx
 *		finds its own address
 *
 * Reference: Intel, "Retpoline: a branch target injection mitigation".
 */
#include <string.h>

#include "cfg_priv.h"
#include "obj_priv.h"

/* First of the symbols that lie at or behind a place. */
static size_t
first_symbol(const struct ks_obj *o, uint32_t sect, uint64_t off)
{
	const struct ks_obj_priv *pr = ks_priv(o);
	size_t lo = 0, hi = pr->nbysym;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct ks_osym *s = &o->syms[pr->bysym[mid]];

		if (s->sect < sect || (s->sect == sect && s->off < off))
			lo = mid + 1;
		else
			hi = mid;
	}
	return (lo);
}

/* See cfg.h. */
uint32_t
ks_cfg_callee(struct ks_cfg_builder *b, const struct ks_oref *r,
    const char **name)
{
	const struct ks_obj *o = b->o;
	uint32_t f = KS_NONE;

	*name = "";
	if (r->sect == KS_NOSECT) {
		if (r->sym != KS_NONE && r->off == 0)
			*name = o->syms[r->sym].name;
		return (KS_NONE);
	}
	if (r->sym != KS_NONE && o->syms[r->sym].off == r->off &&
	    o->syms[r->sym].sect == r->sect)
		*name = o->syms[r->sym].name;
	f = ks_obj_func_at(o, r->sect, r->off);
	if (f == KS_NONE || o->funcs[f].off != r->off)
		return (KS_NONE);
	if (**name == '\0')
		*name = o->funcs[f].name;
	return (f);
}

/* See cfg.h. */
const struct ks_rule *
ks_cfg_role(struct ks_cfg_builder *b, const struct ks_oref *r,
    enum ks_role role)
{
	const struct ks_obj *o = b->o;
	const struct ks_obj_priv *pr = ks_priv(o);
	const struct ks_rule *rule;
	const char *name;

	if (b->p == NULL)
		return (NULL);
	ks_cfg_callee(b, r, &name);
	if (*name != '\0') {
		rule = ks_profile_role(b->p, name, role);
		if (rule != NULL)
			return (rule);
	}
	if (r->sect == KS_NOSECT)
		return (NULL);
	if (pr->bysym == NULL)
		(void)ks_obj_sym_at(o, r->sect, r->off);
	for (size_t i = first_symbol(o, r->sect, r->off);
	    i < pr->nbysym; i++) {
		const struct ks_osym *s = &o->syms[pr->bysym[i]];

		if (s->sect != r->sect || s->off != r->off)
			break;
		rule = ks_profile_role(b->p, s->name, role);
		if (rule != NULL)
			return (rule);
	}
	return (NULL);
}

/* The register whose name NAME ends in, behind the rule's prefix. */
static uint8_t
thunk_reg(const struct ks_rule *rule, const char *name)
{
	static const char *const regs[] = { "ax", "cx", "dx", "bx", "sp",
	    "bp", "si", "di" };
	size_t n = strlen(rule->name);
	const char *s;
	unsigned k = 0;

	if (n > 0 && rule->name[n - 1] == '*')
		n--;
	if (strncmp(name, rule->name, n) != 0)
		return (KS_NOREG);
	s = name + n;
	if ((s[0] == 'r' || s[0] == 'e')) {
		for (size_t i = 0; i < 8; i++)
			if (strcmp(s + 1, regs[i]) == 0)
				return (i);
	}
	if (s[0] != 'r')
		return (KS_NOREG);
	for (s++; *s >= '0' && *s <= '9' && k < 100; s++)
		k = k * 10 + (unsigned)(*s - '0');
	return (*s == '\0' && k >= 8 && k <= 15 ? k : KS_NOREG);
}

/* Sets reg if the target is an indirect thunk. */
static bool
is_thunk(struct ks_cfg_builder *b, struct ks_cfg_insn *i)
{
	const struct ks_rule *rule;
	const char *name;

	rule = ks_cfg_role(b, &i->imm, KS_ROLE_INDIRECT_THUNK);
	if (rule == NULL)
		return (false);
	ks_cfg_callee(b, &i->imm, &name);
	i->reg = thunk_reg(rule, name);
	i->how = KS_HOW_INDIRECT;
	return (true);
}

/*
 * The bytes at a place take the return address of a call off the stack.
 * *reg: the register they then jump through, or KS_NOREG; *nested: they call
 * once more before that.
 */
static bool
pops(const struct ks_cfg_builder *b, uint32_t sect, uint64_t off,
    uint8_t *reg, bool *nested)
{
	const struct ks_sect *s = &b->o->sects[sect];
	struct ks_insn in;

	*reg = KS_NOREG;
	*nested = false;
	/* A fill of the return stack buffer may call several times. */
	for (unsigned i = 0; i < 4; i++) {
		if (off >= s->size || s->data == NULL ||
		    ks_insn_decode(s->data + off, s->size - off, b->o->mode64,
		    &in) != 0)
			return (false);
		if (in.flow != KS_FLOW_CALL || in.rel < 0 || in.rel > 8)
			break;
		off += in.len + (uint64_t)in.rel;
		*nested = true;
	}
	if (in.op == KS_OP_POP)
		return (in.opnd[0].kind == KS_OPND_REG);
	if ((in.op == KS_OP_ADD || in.op == KS_OP_LEA) &&
	    in.opnd[0].kind == KS_OPND_REG && in.opnd[0].reg == KS_RSP)
		return (true);
	if (in.op == KS_OP_MOV && in.opnd[0].kind == KS_OPND_MEM &&
	    in.opnd[0].reg == KS_RSP && in.opnd[0].val == 0 &&
	    in.opnd[0].index == KS_NOREG && in.opnd[1].kind == KS_OPND_REG) {
		*reg = in.opnd[1].reg;
		off += in.len;
		return (off < s->size && ks_insn_decode(s->data + off,
		    s->size - off, b->o->mode64, &in) == 0 &&
		    in.flow == KS_FLOW_RET);
	}
	return (false);
}

static void
classify_call(struct ks_cfg_builder *b, struct ks_cfg_insn *i, bool at_entry)
{
	const char *name;
	uint8_t reg;
	bool nested;

	if (is_thunk(b, i))
		return;
	if (at_entry && ks_cfg_role(b, &i->imm, KS_ROLE_IGNORE_CALL) != NULL) {
		i->how = KS_HOW_IGNORED;
		return;
	}
	if (i->imm.sect != KS_NOSECT &&
	    ks_cfg_callee(b, &i->imm, &name) == KS_NONE &&
	    i->imm.sect == i->sect &&
	    pops(b, i->imm.sect, i->imm.off, &reg, &nested)) {
		i->how = reg == KS_NOREG ? KS_HOW_PUSH : KS_HOW_INDIRECT;
		i->reg = reg;
		if (reg != KS_NOREG && !nested) {
			i->in.flow = KS_FLOW_IJMP;
			i->in.op = KS_OP_JMP;
		}
		return;
	}
	if (ks_cfg_role(b, &i->imm, KS_ROLE_NORETURN) != NULL)
		i->noreturn = true;
}

/* See cfg_priv.h. */
void
ks_cfg_classify(struct ks_cfg_builder *b, struct ks_cfg_insn *i,
    bool at_entry)
{
	const struct ks_patch *p;

	i->reg = KS_NOREG;
	i->how = KS_HOW_NONE;
	if (i->in.flow == KS_FLOW_ICALL || i->in.flow == KS_FLOW_IJMP) {
		i->how = KS_HOW_INDIRECT;
		/* A load from the GOT is a detour to a known place. */
		if (i->mem.got) {
			i->how = KS_HOW_DIRECT;
			i->imm = i->mem;
			i->imm.got = false;
			i->imm.sect = b->o->syms[i->mem.sym].sect;
			i->imm.off = i->imm.sect == KS_NOSECT ? 0 :
			    b->o->syms[i->mem.sym].off;
		}
		return;
	}
	if (i->in.flow != KS_FLOW_CALL && i->in.flow != KS_FLOW_JMP)
		return;
	i->how = KS_HOW_DIRECT;
	if (ks_cfg_is_site(b, i->sect, i->off)) {
		p = ks_obj_patch(b->o, KS_PATCH_STATIC_CALL, i->sect, i->off);
		if (p != NULL && p->off == i->off) {
			i->how = KS_HOW_STATIC;
			i->key = p->name;
			return;
		}
	}
	if (i->in.flow == KS_FLOW_CALL)
		classify_call(b, i, at_entry);
	else
		(void)is_thunk(b, i);
}
