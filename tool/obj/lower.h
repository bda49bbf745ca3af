/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that lower control-flow graphs to event graphs share.
 *
 *	lower.c		drives: which functions, in which order, one unit
 *	lower_sym.c	symbols: exported, address taken, escaping
 *	lower_cell.c	cells of function pointers: keys and stores
 *	lower_slot.c	stack slots of a function, and which are hidden
 *	lower_leak.c	stack addresses that get out of sight or to calls
 *	lower_callee.c	what lower_reach.c says, by function
 *	lower_reach.c	what functions do where their arguments point
 *	lower_block.c	walks the blocks: instructions to nodes and edges
 *	lower_origin.c	where pointers come from
 *	lower_type.c	what pointers point to, as BTF tells
 *	lower_field.c	cells that are named by type and member
 *	lower_guess.c	cells that are named by offsets alone
 *	lower_vec.c	pointers in vector registers
 *	lower_place.c	registers and slots as places
 *	lower_value.c	what instructions do to them
 *	lower_cond.c	flags to conditions on edges, and CPU gates
 *	lower_call.c	calls, arguments, keys of indirect calls
 *	lower_graph.c	drops what cannot matter, writes the ks_func
 */
#ifndef KS_OBJ_LOWER_H
#define KS_OBJ_LOWER_H

#include "btf.h"
#include "cfg.h"

/* --- pointers ---------------------------------------------------------- */

/* Where a pointer comes from. */
enum ks_low_origin_kind {
	KS_ORIGIN_NONE,
	KS_ORIGIN_PARAM,	/* parameter num */
	KS_ORIGIN_ADDR,		/* it is the address ref */
	KS_ORIGIN_CELL,		/* loaded from ref */
	KS_ORIGIN_TABLE,	/* loaded from an entry of the table at ref */
	KS_ORIGIN_FIELD,	/* loaded from offset off of what origin number
				   num (0: unknown) points to */
	KS_ORIGIN_CHOICE,	/* the address ref, or what origin num is if that
				   is not 0, or something unknown */
};

struct ks_low_origin {
	uint8_t	 kind;		/* enum ks_low_origin_kind */
	uint32_t num;
	int64_t	 off;
	struct ks_oref ref;
};

#define KS_LOW_ORIGIN_HASH	16384
struct ks_low_origins {
	KS_VEC(struct ks_low_origin) v;		/* 0: none */
	uint32_t hash[KS_LOW_ORIGIN_HASH];
};

/* What a register or slot holds, by its type. */
enum ks_low_type_kind {
	KS_TYPE_NONE,
	KS_TYPE_NULL,		/* 0, which is anything */
	KS_TYPE_PTR,		/* points at offset off of type, or any multiple
				   of stride away from there */
	KS_TYPE_FUNC,		/* pointer to a function of type, from offset off
				   of the record root */
	KS_TYPE_ROOT,		/* points off (and stride) from what was made at
				   instruction root; behind these, parameters */
	KS_TYPE_MULTIPLE,	/* a multiple of stride */
};

struct ks_low_type {
	uint8_t	 kind;		/* enum ks_low_type_kind */
	uint32_t type, root;
	int64_t	 off;
	uint64_t stride;
};

#define KS_LOW_TYPE_HASH	16384
struct ks_low_types {
	KS_VEC(struct ks_low_type) v;		/* 0: none */
	uint32_t hash[KS_LOW_TYPE_HASH];
};

/* What the uses of an untyped pointer say: it points at off of type. */
struct ks_low_root {
	uint32_t type, guess;
	int64_t	 off, guess_off;
};

/* --- one object -------------------------------------------------------- */

/* Code that is called but starts no function: one is made for it. */
struct ks_low_extra {
	uint32_t sect, sym;
	uint64_t off;
};

/* A pointer in data. */
struct ks_low_pointer {
	uint32_t from;		/* data node */
	uint32_t sect;
	uint64_t off;
	struct ks_oref to;
};

struct ks_low_escape {
	struct ks_oref at;
	const char *what;
};

/* The address of a table is stored where others find it. */
struct ks_low_table {
	struct ks_oref cell;	/* a known place; nothing: at offset off of */
	int64_t	 off;		/* some record */
	struct ks_oref table;
};

/* What a call passes to parameter num of a function that is defined here. */
struct ks_low_bind {
	uint32_t sym, num;
	uint32_t fromsym, fromnum;	/* its own caller's, or KS_NONE */
	struct ks_oref table;
};

/* A call through a table that parameter num of sym points to. */
struct ks_low_argkey {
	uint32_t sym, num, key;
	int64_t	 off;
};

/* The data at ref is a TYPE, from its byte off on. */
struct ks_low_typed {
	struct ks_oref ref;
	uint32_t type;
	int64_t	 off;
	uint64_t stride;	/* ... or any multiple of it further */
	uint8_t	 what;		/* lower_field.c's: not ref itself, but what the
				   pointer there points to, or all pointers in
				   the variable do */
};

/* A store under a key that is an offset of some record of this size. */
struct ks_low_guess {
	uint32_t key, sym;
	uint64_t shape;
};

/* What is stored under one key may be stored under the other, too. */
struct ks_low_copy {
	uint32_t from, to;
};

struct ks_low_data {
	KS_VEC(struct ks_low_typed) typed;
	KS_VEC(struct ks_low_copy) copies;
	KS_VEC(struct ks_low_guess) guesses;
	KS_VEC(struct ks_low_pointer) ptrs;	/* sorted by from, off */
	uint8_t	*marks;			/* by data node */
	const char **why;
	uint32_t nnode;
	KS_VEC(struct ks_low_escape) escapes;
	KS_VEC(struct ks_oref) taken;
	KS_VEC(struct ks_low_table) tables;
	KS_VEC(struct ks_low_bind) binds;
	KS_VEC(struct ks_low_argkey) argkeys;
	KS_VEC(uint8_t) blind;	/* by unit symbol: parameters that are given
				   something unknown, a bit each */
};


/* What a function may do with the memory that one argument points to. */
#define KS_REACH_GIVEN	0x01	/* hand it to code that is not known */
#define KS_REACH_KEPT	0x02	/* store the pointer */
#define KS_REACH_RAX	0x04	/* leave it in that register */
#define KS_REACH_RDX	0x08
struct ks_low_effect {
	uint8_t	 flags;
	int32_t	 wlo, whi;	/* bytes [wlo, whi) from there: written */
	int32_t	 rlo, rhi;	/* read; INT32_MAX: no end is known */
};

/*
 * Arguments: ks_low_arg_regs, then the words of the stack.  Words from nstack
 * on it does not see; UINT32_MAX: it may see all of them, and where word
 * KS_REACH_STACK and those behind it point, anything happens.
 */
#define KS_REACH_REGS	8
#define KS_REACH_STACK	16
#define KS_REACH_ARGS	(KS_REACH_REGS + KS_REACH_STACK)
struct ks_low_reach {
	uint32_t nstack;
	bool	 r11;		/* it may use what the caller left in %r11 */
	struct ks_low_effect e[KS_REACH_ARGS];
};

struct ks_low_reaches {
	struct ks_cfg_builder *cfg;	/* of its own, for callees */
	const struct ks_low_reach **of;	/* per function, or NULL */
	KS_VEC(uint32_t) missing;	/* asked for, and not there yet */
	unsigned depth;
};

struct ks_lower {
	const struct ks_obj *o;
	const struct ks_profile *p;
	struct ks_findings *f;
	struct ks_unit *u;
	struct ks_cfg_builder *cfg;
	bool	*wanted;	/* per function: is lowered */
	uint32_t *fsym;		/* unit symbol per function, or KS_NONE */
	uint32_t *osym;		/* per object symbol, or KS_NONE */
	KS_VEC(struct ks_low_extra) extra;
	struct ks_low_data *data; /* lower_sym.c, lower_cell.c */
	struct ks_low_origins origins; /* of the function being lowered */
	struct ks_low_types types;
	struct ks_low_reaches reaches;
	struct ks_btf *btf;	/* NULL: nothing is known of types */
	bool	*same_name;	/* per function: others have its name; with btf
				   only */
};

/* lower_sym.c */

/* Sets up l->wanted beyond KS_OFUNC_MATTERS: who hands out addresses. */
void	ks_low_wanted(struct ks_lower *l);
/* Unit symbol of obj->funcs[FUNC]. */
uint32_t ks_low_func_sym(struct ks_lower *l, uint32_t func);
/*
 * Unit symbol for what a call or an address names; KS_NONE for data and for
 * what is not known.  Code that is called without starting a function gets
 * one (l->extra).
 */
uint32_t ks_low_code_sym(struct ks_lower *l, const struct ks_oref *r,
	    bool called);
/* The address R becomes known to unknown code; WHAT says how. */
void	ks_low_escape(struct ks_lower *l, const struct ks_oref *r,
	    const char *what);
/* The address R is used in some other way than a call. */
void	ks_low_taken(struct ks_lower *l, const struct ks_oref *r);
/* After all functions: flags of symbols. */
void	ks_low_flag_data(struct ks_lower *l);
/* The variable that holds a place, or its section. */
uint32_t ks_low_data_node(const struct ks_lower *l, uint32_t sect,
	    uint64_t off);
/* Where the pointers in a variable start in l->data->ptrs. */
uint32_t ks_low_first_pointer(const struct ks_lower *l, uint32_t node);
bool	ks_low_is_code(const struct ks_lower *l, const struct ks_oref *r);
void	ks_low_free_data(struct ks_lower *l);

/* lower_cell.c, after all functions: the stores of the unit. */
void	ks_low_stores(struct ks_lower *l);
/* The variable's "cell:" or "tab:" key, made if it is new; 0: none. */
uint32_t ks_low_cell_key(struct ks_lower *l, const struct ks_oref *r,
	    bool table);
/* "static:NAME" */
uint32_t ks_low_static_key(struct ks_lower *l, const char *name);

/* --- one function ------------------------------------------------------ */

/*
 * What a register's value was made from: ((source >> shift) & mask) ^ flip.
 */
enum ks_low_src {
	KS_SRC_NONE,
	KS_SRC_PLACE,		/* place `num' of the function */
	KS_SRC_CPUID,		/* leaf num, subleaf, register reg */
	KS_SRC_XCR0,
	KS_SRC_CELL,		/* memory at ref */
	KS_SRC_CONST,		/* num */
};

struct ks_low_view {
	uint8_t	 src;		/* enum ks_low_src */
	uint8_t	 shift;
	char	 reg;
	uint32_t sub;
	uint64_t num;
	uint64_t mask, flip;
	struct ks_oref ref;
};

/* What the last instruction that set the flags compared. */
enum ks_low_flags_kind {
	KS_FLAGS_NONE,
	KS_FLAGS_CMP,		/* value with num */
	KS_FLAGS_TEST,		/* value & num with 0, CF and OF clear */
	KS_FLAGS_RESULT,	/* ZF and SF of value */
	KS_FLAGS_BIT,		/* CF is bit num of value */
};

struct ks_low_flags {
	uint8_t	 kind;
	uint8_t	 bits;
	uint64_t num;
	struct ks_low_view v;
	uint32_t own;		/* place that was compared, where the view is of
				   another one; or KS_NONE */
};

struct ks_low_state {
	struct ks_low_view reg[KS_GPR_MAX];
	struct ks_low_flags flags;
	uint16_t small;		/* registers whose value is below 256 */
	uint16_t partial;	/* ... of which only the low byte was written */
};

struct ks_low_slot {
	uint8_t	 base, size;
	int32_t	 off;
	uint32_t place;
};

/* Bytes of the frame that a call may write. */
struct ks_low_kill {
	uint32_t insn;		/* the call, in g->insns */
	uint8_t	 base;
	int32_t	 lo, hi;	/* [lo, hi); INT32_MAX: all from lo up */
};

/* A frame address stored in the frame, where it may be an argument. */
struct ks_low_spill {
	struct ks_cfg_addr at, a;	/* a may be unknown: something else */
};

/* An argument of a call that is a frame address. */
struct ks_low_given {
	uint32_t insn;
	uint32_t arg;		/* as in struct ks_low_reach; KS_NONE: all
				   words of the stack from `a', %rsp, up */
	struct ks_cfg_addr a;
	uint8_t	 stacked;	/* enum ks_low_stacked */
};

/* Has the word at %rsp been stored since the last call? */
enum ks_low_stacked { KS_STACKED_NO, KS_STACKED_YES, KS_STACKED_AS_BEFORE };

/* What lower_leak.c collects over a function. */
struct ks_low_leaks {
	uint16_t *live;		/* registers at the start of blocks */
	uint16_t live_in;	/* at the entry */
	KS_VEC(struct ks_low_spill) here, all;	/* in this block, in all */
	KS_VEC(struct ks_low_given) given;
	KS_VEC(struct ks_low_kill) reads;	/* of the frame */
	uint8_t	 stacked;	/* enum ks_low_stacked: here; AS_BEFORE: as at
				   the start of the block */
	struct ks_cfg_addr lowest;	/* store in this block */
	KS_VEC(uint8_t) after;	/* at the end of blocks */
};

/* Pointers in the low and the high half of a vector register. */
struct ks_low_vec {
	struct ks_low_origin org[2];
	struct ks_low_type typ[2];
};

/* Node in the making; targets are blocks until ks_low_write. */
#define KS_LOW_BLOCK	0x80000000u
struct ks_low_node {
	struct ks_node n;
	uint32_t edge, nedge;	/* in fn->edges */
};

struct ks_low_fn {
	struct ks_lower *l;
	const struct ks_cfg *g;
	struct ks_func *f;	/* places, calls, args, keys, gates go there */
	uint32_t sym;
	bool	 mode64;
	unsigned word;		/* 8 or 4 */
	bool	 exported;
	const char *ifunc;	/* it resolves this name, or NULL */
	uint32_t reg[KS_GPR_MAX];	/* place, or KS_NONE */
	uint32_t low[KS_GPR_MAX];	/* of the low byte, where it is written
					   alone */
	uint32_t tmp[KS_GPR_MAX];	/* the value before the last and, shr */
	uint32_t spare, cmp[2];	/* for xchg and parts; for compared values */
	uint16_t partial;	/* registers whose low byte is written alone */
	bool	 noslots;
	KS_VEC(struct ks_low_slot) slots;	/* sorted by base, off, size */
	/*
	 * From here up, by base (0: incoming arguments), slots are not
	 * tracked; are written by calls that are given their address and by
	 * stores through unknown pointers.
	 */
	int32_t	 hidden[KS_SP_MAX], exposed[KS_SP_MAX];
	size_t	 nwild;		/* such stores */
	struct ks_low_leaks leaks;
	KS_VEC(struct ks_low_kill) kills;	/* by insn */
	KS_VEC(struct ks_low_node) nodes;
	KS_VEC(struct ks_edge) edges;
	KS_VEC(uint32_t) first;	/* node of each block */
	struct ks_low_state s;	/* before the current instruction */
	struct ks_cfg_frame fr;
	const struct ks_cfg_insn *insn;
	uint32_t simd;		/* node that SIMD instructions still join, or
				   KS_NONE */
	uint32_t ntext;
	struct ks_low_origins *origins;
	uint32_t norg;		/* registers and slots with an origin */
	uint32_t *org_in;	/* at the start of blocks */
	uint32_t *org;		/* before the current instruction */
	uint32_t args;		/* first of the shared arguments, or KS_NONE */
	uint32_t ntyp;		/* registers and slots with a type, or 0 */
	uint32_t *typ_in, *typ;	/* as org_in, org */
	uint32_t proto;		/* its own prototype, or 0 */
	KS_VEC(struct ks_low_root) roots; /* by instruction, then parameter */
	struct ks_low_vec vec[16];	/* what vector registers hold */
};

/* lower_slot.c */
void	ks_low_slots(struct ks_low_fn *fn);
/* The part of it that says what is hidden and what calls may write. */
void	ks_low_find_leaks(struct ks_low_fn *fn);
/* Where a is among fn->hidden and fn->exposed. */
static inline unsigned
ks_low_area(struct ks_cfg_addr a)
{
	return (a.base == KS_SP_CFA && a.off >= 0 ? 0 : a.base);
}
/* SIZE bytes at A, or of them and all above, overlap [lo, hi) of K. */
bool	ks_low_overlap(const struct ks_low_kill *k, struct ks_cfg_addr a,
	    unsigned size);
/* What INSN, a call, may write: the first of K[0 .. *N). */
const struct ks_low_kill *ks_low_kills(const struct ks_low_fn *fn,
	    const struct ks_cfg_insn *insn, size_t *n);
/* Where a memory operand lies in the frame; false: elsewhere or unknown. */
bool	ks_low_stack(const struct ks_low_fn *fn, const struct ks_cfg_frame *fr,
	    const struct ks_opnd *m, struct ks_cfg_addr *a);
/* Its address was passed to a call. */
bool	ks_low_exposed(const struct ks_low_fn *fn,
	    const struct ks_low_slot *s);
/* INSN stores through a pointer that is not known. */
bool	ks_low_wild(const struct ks_low_fn *fn, const struct ks_cfg_insn *insn,
	    const struct ks_cfg_frame *fr);
/* Place of the slot, KS_NONE if it is not tracked. */
uint32_t ks_low_slot(const struct ks_low_fn *fn, struct ks_cfg_addr a,
	    unsigned size);

/* The slots that overlap SIZE bytes at A. */
void	ks_low_slot_range(const struct ks_low_fn *fn, struct ks_cfg_addr a,
	    unsigned size, size_t *lo, size_t *hi);

/* lower_leak.c */

/* Before all, at each instruction, at the end of each block, after all. */
void	ks_low_leak_begin(struct ks_low_fn *fn);
void	ks_low_leak_insn(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
	    const struct ks_cfg_frame *before,
	    const struct ks_cfg_frame *after);
void	ks_low_leak_block(struct ks_low_fn *fn, const struct ks_cfg_block *k,
	    const struct ks_cfg_frame *fr);
void	ks_low_leak_end(struct ks_low_fn *fn);

/* lower_callee.c */

extern const uint8_t ks_low_arg_regs[KS_REACH_REGS];
/*
 * What the callee of I does with its arguments; NULL: it is not known.  CALLEE:
 * I is in a function that is being analysed itself; it then gets the worst if
 * the answer has to be found first (reaches.missing).
 */
const struct ks_low_reach *ks_low_reach(struct ks_lower *l,
	    const struct ks_cfg_insn *i, bool callee);
void	ks_low_free_reaches(struct ks_lower *l);

/* lower_reach.c: of graph G; what it would have to know is in missing. */
struct ks_low_reach *ks_low_find_reach(struct ks_lower *l,
	    const struct ks_cfg *g);

/* lower_origin.c */

/* Fills fn->org_in; the caller frees it and fn->org.  T is reused. */
void	ks_low_find_origins(struct ks_low_fn *fn, struct ks_low_origins *t);
void	ks_low_origin_step(struct ks_low_fn *fn,
	    const struct ks_cfg_insn *insn, const struct ks_cfg_frame *fr,
	    uint32_t *st);
/* Of an operand of the current instruction, of a register before it. */
const struct ks_low_origin *ks_low_origin_of(struct ks_low_fn *fn,
	    const struct ks_opnd *o);
const struct ks_low_origin *ks_low_origin_reg(const struct ks_low_fn *fn,
	    unsigned reg);
/* Of what a load from a memory operand that is no slot would give. */
const struct ks_low_origin *ks_low_origin_mem(struct ks_low_fn *fn,
	    const struct ks_opnd *o);
/* What the pointer points to that O was loaded through. */
/* i386: registers that are arguments 4 to 6 of local functions. */
static const uint8_t ks_low_regs32[3] = { KS_RAX, KS_RDX, KS_RCX };

/*
 * The addresses that a value may be, of which O is the first (NULL if there
 * is none): the one behind O, or NULL.
 */
const struct ks_low_origin *ks_low_origin_next(const struct ks_low_fn *fn,
	    const struct ks_low_origin *o);
static inline const struct ks_low_origin *
ks_low_origin_first(const struct ks_low_origin *o)
{
	return (o->kind == KS_ORIGIN_ADDR || o->kind == KS_ORIGIN_CHOICE ? o :
	    NULL);
}
const struct ks_low_origin *ks_low_origin_base(const struct ks_low_fn *fn,
	    const struct ks_low_origin *o);

/*
 * State of N registers and slots, for lower_type.c too: where a slot is in
 * it (UINT32_MAX: nowhere); a slot is written; slots are lost, from an
 * address up, or all that calls may write; what I writes, V being its
 * result; V is pushed; I pops.
 */
uint32_t ks_low_slot_index(const struct ks_low_fn *fn, struct ks_cfg_addr a);
void	ks_low_slot_state(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
	    struct ks_cfg_addr a, unsigned size, uint32_t v);
void	ks_low_kill_slots(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
	    const struct ks_cfg_addr *from);
void	ks_low_kill_call(const struct ks_low_fn *fn, uint32_t *st, uint32_t n,
	    const struct ks_cfg_insn *call);
void	ks_low_state_write(const struct ks_low_fn *fn,
	    const struct ks_cfg_insn *i, const struct ks_cfg_frame *fr,
	    uint32_t *st, uint32_t n, uint32_t v);
void	ks_low_state_push(const struct ks_low_fn *fn,
	    const struct ks_cfg_frame *fr, uint32_t *st, uint32_t n,
	    uint32_t v);
void	ks_low_state_pop(const struct ks_low_fn *fn,
	    const struct ks_cfg_insn *i, const struct ks_cfg_frame *fr,
	    uint32_t *st, uint32_t n);

/* lower_type.c */

/* Fills fn->typ_in; nothing if there is no BTF. */
void	ks_low_find_types(struct ks_low_fn *fn);
void	ks_low_type_step(struct ks_low_fn *fn, const struct ks_cfg_insn *i,
	    const struct ks_cfg_frame *fr, uint32_t *st);
/* Of an operand of the current instruction, of a register before it. */
struct ks_low_type ks_low_type_of(struct ks_low_fn *fn,
	    const struct ks_opnd *o);
struct ks_low_type ks_low_type_reg(const struct ks_low_fn *fn, unsigned reg);
/* The member that a memory operand names. */
bool	ks_low_type_at(struct ks_low_fn *fn, const struct ks_opnd *m,
	    struct ks_btf_place *at);
/* Of the function at R; of what the current instruction calls; or 0. */
uint32_t ks_low_proto(const struct ks_lower *l, const struct ks_oref *r);
uint32_t ks_low_type_proto(struct ks_low_fn *fn);

/* lower_guess.c */

/* SYM is stored under KEY, an offset of a record of SHAPE (its size, or 0). */
void	ks_low_guess(struct ks_lower *l, uint32_t key, uint32_t sym,
	    uint64_t shape);
/* After all functions: those that hold become stores. */
void	ks_low_guesses(struct ks_lower *l);

/* lower_field.c */

/* Adds the key of a typed pointer to a call; false: it has no type. */
bool	ks_low_field_call(struct ks_low_fn *fn, struct ks_call *c,
	    const struct ks_opnd *o);
/* S is stored to D. */
void	ks_low_field_stored(struct ks_low_fn *fn, const struct ks_opnd *d,
	    const struct ks_opnd *s);
/* A value with this origin and type is stored where AT is. */
void	ks_low_field_value(struct ks_low_fn *fn,
	    const struct ks_btf_place *at, const struct ks_low_origin *o,
	    const struct ks_low_type *e);
/* The current instruction may copy a table. */
void	ks_low_field_copied(struct ks_low_fn *fn);
/* What the current call or jump gives CALLEE, which has this PROTO or 0. */
void	ks_low_field_passed(struct ks_low_fn *fn, uint32_t proto,
	    const char *callee);
/* The function returns. */
void	ks_low_field_returned(struct ks_low_fn *fn);
/* After all functions, and all other stores: those by type. */
void	ks_low_field_stores(struct ks_lower *l);

/* lower_vec.c: pointers that go through vector registers, in one block */
void	ks_low_vec_forget(struct ks_low_fn *fn);
void	ks_low_vec_step(struct ks_low_fn *fn);

/* lower_place.c */
static inline struct ks_val
ks_low_of_place(uint32_t place)
{
	return ((struct ks_val){ .kind = place == KS_NONE ? KS_VAL_UNKNOWN :
	    KS_VAL_PLACE, .ref = place });
}

static inline struct ks_val
ks_low_of_const(uint64_t num)
{
	return ((struct ks_val){ .kind = KS_VAL_CONST, .num = num });
}

uint32_t ks_low_reg(struct ks_low_fn *fn, unsigned reg);
uint32_t ks_low_node(struct ks_low_fn *fn, enum ks_event ev);
void	ks_low_set(struct ks_low_fn *fn, uint32_t place,
	    const struct ks_val *v);
/* Forgets what was derived from the value of a place that changes. */
void	ks_low_forget(struct ks_low_fn *fn, uint32_t place);
void	ks_low_write_reg(struct ks_low_fn *fn, unsigned reg,
	    const struct ks_val *v);
void	ks_low_write_low(struct ks_low_fn *fn, unsigned reg,
	    const struct ks_val *v, bool small);
void	ks_low_write_slot(struct ks_low_fn *fn, struct ks_cfg_addr a,
	    unsigned size, const struct ks_val *v);
/* All slots from A up lose their value; those that the call may write do. */
void	ks_low_write_above(struct ks_low_fn *fn, struct ks_cfg_addr a);
void	ks_low_write_call(struct ks_low_fn *fn);
/* All whose address was passed to a call do. */
void	ks_low_write_exposed(struct ks_low_fn *fn);
/* The value of an operand, at its own width. */
struct ks_val ks_low_read(struct ks_low_fn *fn, const struct ks_opnd *o);
struct ks_low_view ks_low_view(struct ks_low_fn *fn, const struct ks_opnd *o);
/* The function at R, as a value. */
struct ks_val ks_low_of_address(struct ks_low_fn *fn,
	    const struct ks_oref *r);
/* V in a place of its own, which nothing reads behind this instruction. */
struct ks_val ks_low_spare(struct ks_low_fn *fn, const struct ks_val *v);

/* lower_value.c */
/* Does the instruction's effect on registers and slots. */
void	ks_low_insn(struct ks_low_fn *fn);

/* lower_cond.c */
struct ks_low_cond {
	uint32_t place;		/* KS_NONE: nothing is known */
	struct ks_iv iv;
	uint32_t gate, ngate;	/* where the condition holds, does not hold */
};
void	ks_low_set_flags(struct ks_low_fn *fn);
struct ks_low_cond ks_low_cc(struct ks_low_fn *fn, uint8_t cc);
/* The same for the place itself, if the other is about what it was made from. */
struct ks_low_cond ks_low_cc_own(struct ks_low_fn *fn, uint8_t cc);
/* From CONTIGUOUS bits MASK of a value: the values where they are all 0. */
bool	ks_low_zero_iv(uint64_t mask, struct ks_iv *iv);
/* setcc: the value, and what is known of it. */
struct ks_val ks_low_setcc(struct ks_low_fn *fn, uint8_t cc,
	    struct ks_low_view *v);

/* lower_cell.c */

/* Adds the keys of a pointer that came from O to a call. */
void	ks_low_keys(struct ks_low_fn *fn, struct ks_call *c,
	    const struct ks_low_origin *o);
void	ks_low_key(struct ks_low_fn *fn, struct ks_call *c, uint32_t key);
/* An address that operand S holds is stored to operand D. */
void	ks_low_stored(struct ks_low_fn *fn, const struct ks_opnd *d,
	    const struct ks_opnd *s);
/* What the current instruction passes to function SYM of this object. */
void	ks_low_bind(struct ks_low_fn *fn, uint32_t sym);
/*
 * The key of the functions that an ifunc's resolver returns, if R is an
 * ifunc; else 0.
 */
uint32_t ks_low_ifunc_key(struct ks_lower *l, const struct ks_oref *r);
/* The address SYM is taken in the resolver that is being lowered. */
void	ks_low_resolves(struct ks_low_fn *fn, uint32_t sym);
/* The call updates a static call: true, and its target is stored. */
bool	ks_low_static_update(struct ks_low_fn *fn);

/* lower_call.c */
void	ks_low_call(struct ks_low_fn *fn, bool tail);
void	ks_low_direct_tail(struct ks_low_fn *fn, const struct ks_oref *to);

/* lower_block.c */
void	ks_low_blocks(struct ks_low_fn *fn);

/* lower_graph.c */
void	ks_low_write(struct ks_low_fn *fn);

static inline uint64_t
ks_low_mask(unsigned bits)
{
	return (bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1);
}

#endif
