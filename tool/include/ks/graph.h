/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Event graphs: what the front ends make and the engine reads (ksg(5) is
 * the text form).  A unit is one translation unit or one object.  It holds
 * functions; a function is a graph of nodes; a node holds at most one event.
 *
 * Front ends lower without judging: a call of a kernel's enter function is a
 * CALL here, and the engine gives it its meaning from the profile.  The
 * events ENTER, LEAVE, ... appear directly only where the front end sees
 * something that is no call (an inlined enter).
 *
 * Places are the few things whose values are worth following: parameters
 * and locals of a source function; registers and stack slots of an object's.
 * Facts about places are intervals of their low bits.
 */
#ifndef KS_GRAPH_H
#define KS_GRAPH_H

#include "ks/base.h"
#include "ks/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KS_NONE		UINT32_MAX	/* no node, place, symbol or function */

/*
 * A wrapped interval: the values v with (v - lo) mod 2^bits <= (hi - lo) mod
 * 2^bits, v being the low BITS bits of the place.  v == k is [k, k]; v != k
 * is [k+1, k-1]; v <u k is [0, k-1]; v <s k is [minimum, k-1].  Closed under
 * complement.
 */
struct ks_iv {
	uint64_t lo, hi;	/* < 2^bits */
	uint8_t	 bits;		/* 1 to 64; 0: no condition */
};

/* The complement; IV must not be the full interval. */
struct ks_iv ks_iv_not(struct ks_iv iv);

enum ks_front { KS_FRONT_SRC, KS_FRONT_IR, KS_FRONT_OBJ };

/*
 * In objects, code of a function may lie elsewhere (f.cold): then file is
 * "PART@SECTION", and off counts from the part ("@SECTION": from there).
 * In sources, off is 1 + index into unit->macros of the macro that is used at
 * the place and has the event in its body, 0: none.
 */
struct ks_loc {
	uint32_t file;		/* unit string, 0: unknown */
	uint32_t line, col;	/* from 1, 0: unknown */
	uint32_t off;		/* bytes from the function's start; or macro */
};

/* --- values -------------------------------------------------------------- */

enum ks_val_kind {
	KS_VAL_UNKNOWN,
	KS_VAL_CONST,		/* num */
	KS_VAL_PLACE,		/* ref: place of this function */
	KS_VAL_SYM,		/* ref: symbol of this unit: its address */
	KS_VAL_TEST,		/* 1 if place ref is in iv, else 0 */
	KS_VAL_ZEXT,		/* low bits (num: 8, 16, 32) of place ref, zero-extended */
	KS_VAL_LOW,		/* the same bits, and unknown ones above */
};

struct ks_val {
	uint8_t	 kind;		/* enum ks_val_kind */
	uint32_t ref;
	uint64_t num;
	struct ks_iv iv;	/* TEST only */
};

/* Is V a place's value, or made from it? */
static inline bool
ks_val_of_place(const struct ks_val *v)
{
	return (v->kind == KS_VAL_PLACE || v->kind >= KS_VAL_TEST);
}

/* --- sets of places: 64 to a word ------------------------------------------ */

static inline bool
ks_places_has(const uint64_t *set, uint32_t place)
{
	return ((set[place / 64] >> place % 64 & 1) != 0);
}

static inline void
ks_places_add(uint64_t *set, uint32_t place)	/* KS_NONE: none */
{
	if (place != KS_NONE)
		set[place / 64] |= (uint64_t)1 << place % 64;
}

static inline void
ks_places_drop(uint64_t *set, uint32_t place)	/* KS_NONE: none */
{
	if (place != KS_NONE)
		set[place / 64] &= ~((uint64_t)1 << place % 64);
}

static inline void
ks_places_add_val(uint64_t *set, const struct ks_val *v)
{
	if (ks_val_of_place(v))
		ks_places_add(set, v->ref);
}

/* --- nodes --------------------------------------------------------------- */

enum ks_event {
	KS_EV_NOP,
	KS_EV_SET,		/* place dst = val */
	KS_EV_SIMD,		/* touches SIMD state: classes, isa */
	KS_EV_SAVE,		/* stores SIMD state: neutral */
	KS_EV_RESTORE,		/* loads SIMD state: a use but in machinery */
	KS_EV_CALL,		/* u.call */
	KS_EV_ENTER,		/* the front end saw an enter that is no call */
	KS_EV_LEAVE,
	KS_EV_QUERY,		/* place dst = query; aux: enum ks_means */
	KS_EV_THREAD,
	KS_EV_ASSERT,		/* the region is asserted to be held */
	KS_EV_SLEEP,
	KS_EV_RETURN,		/* val: returned value */
	KS_EV_END,		/* never returns */
	KS_EV_BOUND,		/* a loop goes round until `val' is reached */
};

/* `aux' of SIMD. */
enum {
	KS_SIMD_PINNED = 1 << 0, /* volatile: no compiler moves it over a call */
};

/* What a query's true result implies. */
enum ks_means {
	KS_MEANS_THREAD = 1 << 0,	/* thread mode: held; a region may lie on top */
	KS_MEANS_REGION = 1 << 1,	/* some region is held */
	KS_MEANS_ATOMIC = 1 << 2,	/* an atomic region is held */
	KS_MEANS_MAY_ENTER = 1 << 3,	/* entering is allowed: nothing is held */
	KS_MEANS_EXACT = 1 << 4,	/* QUERY nodes: false means the opposite */
};

struct ks_node {
	uint8_t	 ev;		/* enum ks_event */
	uint8_t	 aux;
	uint16_t classes;	/* SIMD, SAVE, RESTORE: KS_RC_* */
	uint32_t succ;		/* first of nsucc edges in func->edges */
	uint32_t nsucc;		/* 0: RETURN, END; any other: falls off the end */
	uint32_t dst;		/* SET, QUERY: place; SIMD: VECTOR place written */
	uint32_t call;		/* CALL: index into func->calls */
	uint32_t text;		/* unit string: the event as written, 0: none */
	ks_isaset isa;		/* SIMD */
	struct ks_val val;	/* SET, RETURN; ENTER/LEAVE: context; SIMD:
				   VECTOR place read; BOUND */
	struct ks_loc loc;
};

/*
 * Taken only if `cond' is a place whose value is in `iv' (iv.bits 0: always).
 * gate: 1 + index into func->gates of what is known of the CPU on this edge.
 */
struct ks_edge {
	uint32_t to;
	uint32_t cond;		/* place, if iv.bits != 0 */
	struct ks_iv iv;
	uint32_t gate;		/* 0: none */
};

/* A CPU feature test: a bit of CPUID or XCR0, or bits of a variable. */
enum ks_gate_kind { KS_GATE_CPUID, KS_GATE_XCR0, KS_GATE_VAR, KS_GATE_FEATURE };

struct ks_gate {
	uint8_t	 kind;		/* enum ks_gate_kind */
	uint8_t	 reg;		/* CPUID: 'a', 'b', 'c', 'd' */
	uint32_t leaf, subleaf;	/* CPUID */
	uint32_t var;		/* VAR: unit string, symbol name */
	uint64_t mask;		/* the bits known to be set; FEATURE: ks_isaset */
	uint32_t off;		/* VAR: byte offset in the variable */
};

struct ks_call {
	uint32_t sym;		/* symbol of the unit, KS_NONE: indirect */
	struct ks_val target;	/* indirect: value of the pointer */
	uint32_t key, nkey;	/* indirect: func->keys, most precise first */
	uint32_t arg, narg;	/* func->args; objects: the ABI's argument places */
	uint32_t result;	/* place, or KS_NONE */
	uint32_t src;		/* 1 + index into unit->srcs: the context as
				   written, where it means the same in all of
				   the function; 0: unknown */
	uint16_t clobber;	/* kept for objects: see KS_PLACE_VOLATILE */
	bool	 tail;		/* a jump out of the function: call and return */
	bool	 noreturn;	/* front end knows that it does not return */
	bool	 abi;		/* a float or vector is passed or returned, and
				   this side is compiled without its registers */
};

enum {
	KS_PLACE_VOLATILE = 1 << 0,	/* any call may change it */
	KS_PLACE_ESCAPED = 1 << 1,	/* its address was taken: calls may, but not
					   enters, leaves and queries */
	KS_PLACE_MEMORY = 1 << 2,	/* memory of the program: calls may change
					   it, those of the kernel's interface do
					   not */
	KS_PLACE_VECTOR = 1 << 3,	/* a float or vector local */
};

struct ks_place {
	uint32_t name;		/* unit string: "%rax", "-24(cfa)", "kt" */
	uint8_t	 flags;
};

/* --- functions, symbols, units -------------------------------------------- */

enum {
	KS_FUNC_NEEDS = 1 << 0,	/* annotated: caller must hold a region */
	KS_FUNC_HELD = 1 << 1,	/* annotated: is always called inside one */
	KS_FUNC_TRUST = 1 << 2,	/* annotated: not judged (counted) */
	KS_FUNC_PARTIAL = 1 << 3, /* part of another function (f.cold) */
	KS_FUNC_ABI = 1 << 4,	/* has a float or vector as parameter or result, and
				   is compiled without its registers */
	KS_FUNC_INLINE = 1 << 5, /* calls of it in its unit may be inlined */
};

struct ks_func {
	uint32_t sym;		/* symbol of the unit */
	uint32_t section;	/* objects: unit string */
	uint64_t addr;		/* objects: offset in the section */
	uint32_t flags;
	ks_isaset isa;		/* of its own target attribute */
	struct ks_loc loc;
	KS_VEC(struct ks_node) nodes;	/* node 0 is the entry */
	KS_VEC(struct ks_edge) edges;
	KS_VEC(struct ks_place) places;
	KS_VEC(uint32_t) params;	/* place of parameter i; KS_NONE: not followed */
	KS_VEC(struct ks_call) calls;
	KS_VEC(struct ks_val) args;
	KS_VEC(uint32_t) keys;		/* unit strings */
	KS_VEC(struct ks_gate) gates;
};

enum {
	KS_SYM_LOCAL = 1 << 0,	/* static: names only this unit's symbol */
	KS_SYM_WEAK = 1 << 1,
	KS_SYM_FUNC = 1 << 2,	/* defined here: func is valid */
	KS_SYM_EXPORTED = 1 << 3, /* unknown code outside the unit may call it,
				   even if it is LOCAL */
	KS_SYM_ADDR_TAKEN = 1 << 4, /* its address is stored or passed somewhere */
	KS_SYM_ESCAPES = 1 << 5, /* ... where unknown code gets it */
	KS_SYM_NORETURN = 1 << 6,
	KS_SYM_NEEDS = 1 << 7,	/* annotated: callers must hold a region */
	KS_SYM_NAMED = 1 << 8,	/* more than the calls of this unit's graphs
				   names it */
};

struct ks_sym {
	uint32_t name;		/* unit string */
	uint32_t flags;
	uint32_t func;		/* index into unit->funcs, or KS_NONE */
	struct ks_loc escape;	/* where its address is taken, if known */
	uint32_t escape_text;	/* unit string: "in table 'ops'" or 0 */
};

/*
 * A function pointer cell: SYM is stored where an indirect call with KEY
 * may load it.  sym KS_NONE: something unknown is stored there.
 */
struct ks_store {
	uint32_t key;		/* unit string */
	uint32_t sym;
};

/* "ksimd: allow ID: reason" in a comment: findings ID on LOC's line. */
struct ks_allow {
	uint32_t id, reason;	/* unit strings */
	struct ks_loc loc;
	uint32_t src;		/* 1 + index into unit->srcs: the comment */
};

/* A type whose size only the kernel knows is used by value or measured. */
struct ks_byvalue {
	uint32_t type;		/* unit string: "struct fpu_kern_ctx" */
	uint32_t owner;		/* unit string: function, or "struct NAME" */
	uint32_t text;		/* unit string: what it is used for, 0: none */
	struct ks_loc loc;
};

/* Words of the source on one line, from LOC to before column END. */
struct ks_src {
	uint32_t text;		/* unit string */
	struct ks_loc loc;
	uint32_t end;
};

/*
 * A macro, and where in its body something is: LOC, whose `off' is that of a
 * macro used there, one with a smaller index.
 */
struct ks_macro {
	uint32_t name;		/* unit string */
	struct ks_loc loc;
};

struct ks_unit {
	struct ks_strtab *str;
	uint32_t name;		/* file as given; archive members "lib.a(m.o)" */
	enum ks_front front;
	uint32_t arch;		/* unit string: amd64, i386, arm64, ... */
	KS_VEC(struct ks_sym) syms;
	KS_VEC(struct ks_func) funcs;
	KS_VEC(struct ks_store) stores;
	KS_VEC(struct ks_allow) allows;
	KS_VEC(struct ks_byvalue) byvalues;
	KS_VEC(struct ks_macro) macros;
	KS_VEC(struct ks_src) srcs;
	ks_isaset isa_on;	/* sources: switched on by the command line */
	uint64_t nfuncs_seen;	/* functions in the input, lowered or not */
	bool	 closed;	/* unknown code calls only EXPORTED and ESCAPES
				   symbols (a module); else every global one */
};

struct ks_unit *ks_unit_new(const char *name, enum ks_front front);
void	ks_unit_free(struct ks_unit *u);

/* Building.  All return the index of what they added. */
uint32_t ks_unit_sym(struct ks_unit *u, const char *name, uint32_t flags);
struct ks_func *ks_unit_func(struct ks_unit *u, uint32_t sym);	/* invalidated by the next one */
uint32_t ks_func_place(struct ks_unit *u, struct ks_func *f,
	    const char *name, uint8_t flags);
uint32_t ks_func_node(struct ks_func *f, enum ks_event ev);
/*
 * Edges of one node MUST be added in one go (they are contiguous); adding
 * to an older node is refused with an assertion.
 */
struct ks_edge *ks_func_edge(struct ks_func *f, uint32_t from, uint32_t to);

/*
 * Structural check: every index in range, edges contiguous, node 0 exists.
 * KS_EPARSE with text.  Graphs from files are checked on reading.
 */
int	ks_unit_check(const struct ks_unit *u, struct ks_error *err);

/* --- text form, ksg(5) ----------------------------------------------------- */

int	ks_ksg_write(const struct ks_unit *u, FILE *f);
/* DATA need not be NUL-terminated.  A file may hold several units. */
int	ks_ksg_read(const char *name, const char *data, size_t size,
	    struct ks_unit ***units, size_t *n, struct ks_error *err);

#ifdef __cplusplus
}
#endif

#endif
