/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control flow of one function, from its bytes: decoded instructions in
 * basic blocks, every version of the code that a kernel may patch in, and
 * the stack depth before each instruction.
 *
 * A graph is made by ks_cfg_build and lives in the builder until the next
 * ks_cfg_build or ks_cfg_free.  Places are (section index, offset in the
 * section), as in obj.h; a function's cold part and the replacement code of
 * an alternative lie elsewhere than the function.
 */
#ifndef KS_OBJ_CFG_H
#define KS_OBJ_CFG_H

#include "insn.h"
#include "obj.h"

/* What a call or jump instruction is, once names and patches are known. */
enum ks_cfg_how {
	KS_HOW_NONE,		/* neither call nor jump, or a jump inside */
	KS_HOW_DIRECT,		/* to `imm' */
	KS_HOW_INDIRECT,	/* through the operand, or through register reg
				   (not KS_NOREG) if a thunk is between */
	KS_HOW_STATIC,		/* patched: to what is stored under `key' */
	KS_HOW_PUSH,		/* call of the code behind it: only pushes */
	KS_HOW_IGNORED,		/* tracer's call at the entry: no effect */
};

struct ks_cfg_insn {
	uint32_t sect;
	uint32_t block;
	uint64_t off;
	uint32_t alt;		/* 1 + index in obj->patches of the alternative
				   that it is replacement code of, or 0 */
	struct ks_oref mem;	/* what a memory operand's displacement names */
	struct ks_oref imm;	/* what an immediate names; direct calls and
				   jumps: the target */
	const char *key;	/* STATIC */
	uint8_t	 how;		/* enum ks_cfg_how */
	uint8_t	 reg;		/* INDIRECT through a thunk, else KS_NOREG */
	bool	 noreturn;	/* a call that does not come back */
	uint8_t	 spbase;	/* KS_SP_*: %rsp before it is base + sp */
	uint8_t	 spnew;		/* base that it makes, or 0 */
	int32_t	 sp;		/* bytes; the CFA is the entry's %rsp + 8 (4) */
	struct ks_insn in;
};

/*
 * Bases of stack addresses: the CFA, or what %rsp was behind the N-th
 * instruction that moved it by an unknown amount (and $-32,%rsp).
 */
enum { KS_SP_UNKNOWN, KS_SP_CFA, KS_SP_REALIGNED };
#define KS_SP_MAX	8

/* A stack address: base + off, or nothing that is known. */
struct ks_cfg_addr {
	uint8_t	 base;		/* KS_SP_* */
	int32_t	 off;
};

/* Stack addresses that the general registers hold. */
struct ks_cfg_frame {
	struct ks_cfg_addr r[KS_GPR_MAX];
};

/* References that name nothing have sym KS_NONE and sect KS_NOSECT. */
static inline bool
ks_oref_none(const struct ks_oref *r)
{
	return (r->sym == KS_NONE && r->sect == KS_NOSECT);
}

enum ks_cfg_edge_kind {
	KS_EDGE_FALL,		/* next instruction */
	KS_EDGE_JUMP,		/* jmp, or the call of KS_HOW_PUSH */
	KS_EDGE_TAKEN,		/* jcc, loop, jrcxz; the other one is FALL */
	KS_EDGE_TABLE,		/* a jump table's */
	KS_EDGE_LABEL,		/* a jump label that is switched on */
	KS_EDGE_ALT,		/* into replacement code, or past it */
	KS_EDGE_FAULT,		/* the fixup of a fault at the next instruction:
				   what registers hold is unknown */
	KS_EDGE_ABORT,		/* xbegin's: as before the transaction */
};

struct ks_cfg_edge {
	uint32_t to;		/* block */
	uint8_t	 kind;		/* enum ks_cfg_edge_kind */
};

enum ks_cfg_end {
	KS_CFG_GOES,		/* to its edges */
	KS_CFG_RET,
	KS_CFG_TAIL,		/* to function `target': a call and a return */
	KS_CFG_ITAIL,		/* the last instruction is an indirect or STATIC
				   tail jump; its edges are where it may go
				   inside the function instead */
	KS_CFG_STOP,		/* ends: noreturn call, ud2, int3 */
	KS_CFG_LOST,		/* what follows cannot be decoded (its edges, if
				   any, count all the same) */
};

struct ks_cfg_block {
	uint32_t insn, ninsn;	/* may be none: a place where versions part, or
				   the far end of a conditional tail jump */
	uint32_t edge, nedge;
	uint32_t npred;
	uint8_t	 end;		/* enum ks_cfg_end */
	struct ks_oref target;	/* TAIL */
	uint32_t sect;		/* where the block is, also without insns */
	uint64_t off;
};

/* Reachable bytes that are no instruction. */
struct ks_cfg_bad {
	uint32_t sect;
	uint64_t off;
	const char *why;
};

struct ks_cfg {
	uint32_t func;		/* of obj->funcs, or KS_NONE */
	uint32_t sect;		/* entry; block 0 starts here */
	uint64_t off;
	KS_VEC(struct ks_cfg_insn) insns;
	KS_VEC(struct ks_cfg_block) blocks;	/* reverse postorder */
	KS_VEC(struct ks_cfg_edge) edges;
	KS_VEC(struct ks_cfg_bad) bad;
	KS_VEC(struct ks_cfg_frame) frames;	/* at the start of each block */
	struct ks_cfg_addr from[KS_SP_MAX];	/* what %rsp was when it became
				   the base, as far as known */
	uint32_t unknown_jumps;	/* indirect jumps taken as tail calls */
	bool	 frame_odd;	/* the stack does not balance: depths are not
				   to be trusted */
};

/* FR behind INSN, which FR is the state before. */
void	ks_cfg_frame_step(const struct ks_cfg_insn *insn, bool mode64,
	    struct ks_cfg_frame *fr);

struct ks_cfg_builder;

struct ks_cfg_builder *ks_cfg_new(const struct ks_obj *o,
	    const struct ks_profile *p);
void	ks_cfg_free(struct ks_cfg_builder *b);

/* The graph of obj->funcs[FUNC] with its cold parts. */
const struct ks_cfg *ks_cfg_build(struct ks_cfg_builder *b, uint32_t func);
/* The same for code at a place that no function starts at. */
const struct ks_cfg *ks_cfg_build_at(struct ks_cfg_builder *b, uint32_t sect,
	    uint64_t off);

/* No path of obj->funcs[FUNC] returns.  When in doubt, false. */
bool	ks_cfg_noreturn(struct ks_cfg_builder *b, uint32_t func);

/*
 * Function whose entry R is, or KS_NONE.  *name: the name to look up in
 * profiles, "" if there is none (R may be undefined).
 */
uint32_t ks_cfg_callee(struct ks_cfg_builder *b, const struct ks_oref *r,
	    const char **name);
/* First rule of ROLE for any name of R, or NULL. */
const struct ks_rule *ks_cfg_role(struct ks_cfg_builder *b,
	    const struct ks_oref *r, enum ks_role role);

#endif
