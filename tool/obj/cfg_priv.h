/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the files that make control-flow graphs share: the builder, and the
 * nodes of a graph in the making, one per decoded instruction.
 */
#ifndef KS_OBJ_CFG_PRIV_H
#define KS_OBJ_CFG_PRIV_H

#include "cfg.h"

/*
 * A node is an instruction; or a place where versions of the code part (raw
 * is false there, and true for the original instruction behind it); or the
 * far end of a conditional tail jump or return.
 */
struct ks_cfg_node {
	uint64_t off;
	uint32_t sect;
	uint32_t alt;		/* 1 + index of the alternative it is part of */
	bool	 raw;
	uint8_t	 end;		/* enum ks_cfg_end */
	uint32_t insn;		/* builder's pool, or KS_NONE */
	uint32_t link, last;	/* first and last of its links, or KS_NONE */
	uint32_t pred;		/* node that first led here, or KS_NONE */
	uint32_t indeg;
	uint32_t block;		/* of a first node, else KS_NONE */
	uint8_t	 pred_kind;	/* enum ks_cfg_edge_kind */
	struct ks_oref target;	/* KS_CFG_TAIL */
};

struct ks_cfg_link {
	uint32_t to, next;
	uint8_t	 kind;		/* enum ks_cfg_edge_kind */
};

/* Code address that data holds: a possible target of an indirect jump. */
struct ks_cfg_coderef {
	uint32_t sect;
	uint64_t off;
	uint32_t from;		/* section and offset of the data */
	uint64_t at;
};

/* Jump table that was read: its addresses are of its jump alone. */
struct ks_cfg_span {
	uint32_t sect;
	uint64_t off, end;
};

/* A place inside the function that something holds the address of. */
struct ks_cfg_label {
	uint32_t sect;
	uint64_t off;
	uint32_t node;		/* the instruction that makes it, or KS_NONE */
};

struct ks_cfg_slot {		/* hash table of nodes by place */
	uint32_t gen, node;
};

struct ks_cfg_builder {
	const struct ks_obj *o;
	const struct ks_profile *p;	/* may be NULL */

	/* made once */
	uint8_t	**sites;	/* per section, one bit a byte: patched here */
	struct ks_cfg_coderef *coderefs; /* sorted */
	size_t	 ncoderef;
	bool	 have_coderefs;
	uint32_t **kids;	/* per function: its PARTIAL ones, ended by
				   KS_NONE; or NULL */
	uint8_t	*noreturn;	/* per function: enum in cfg_return.c */
	uint64_t budget;	/* instructions outside functions' own code and
				   entries of tables that may still be read */
	/* the graph in the making */
	uint32_t func, sect;
	uint64_t off, end;	/* the function's own range */
	KS_VEC(struct ks_cfg_node) nodes;
	KS_VEC(struct ks_cfg_link) links;
	KS_VEC(struct ks_cfg_insn) pool;
	KS_VEC(uint32_t) work;	/* nodes to decode */
	KS_VEC(uint32_t) jumps;	/* nodes of indirect jumps without table */
	KS_VEC(uint32_t) irets;	/* nodes of iret, lret */
	KS_VEC(struct ks_cfg_span) tables;
	KS_VEC(struct ks_cfg_label) labels;
	size_t	 njump, nlabel;	/* of these, linked to all of the others */
	size_t	 nnode;		/* nodes searched for labels */
	struct ks_cfg_slot *hash;
	size_t	 hash_size, hash_used;
	uint32_t gen;
	uint32_t foreign;	/* instructions outside [off, end) so far */
	struct ks_cfg g;
};

/* cfg.c: the node at a place (made if need be). */
uint32_t ks_cfg_at(struct ks_cfg_builder *b, uint32_t sect, uint64_t off,
	    uint32_t alt, bool raw, uint32_t pred, uint8_t kind);
/* The node at a place, KS_NONE if there is none yet. */
uint32_t ks_cfg_find(const struct ks_cfg_builder *b, uint32_t sect,
	    uint64_t off, uint32_t alt, bool raw);
void	ks_cfg_link(struct ks_cfg_builder *b, uint32_t from, uint32_t to,
	    uint8_t kind);
/* Reachable bytes that cannot be followed: node N ends as LOST. */
void	ks_cfg_lost(struct ks_cfg_builder *b, uint32_t n, const char *why);
/* The place is the function's own: in its range, or in a part of it. */
bool	ks_cfg_inside(const struct ks_cfg_builder *b, uint32_t sect,
	    uint64_t off);
bool	ks_cfg_is_site(const struct ks_cfg_builder *b, uint32_t sect,
	    uint64_t off);
/* Another function starts here: jumping there leaves this one. */
bool	ks_cfg_leaves(const struct ks_cfg_builder *b, uint32_t sect,
	    uint64_t off);

/* cfg_table.c */
void	ks_cfg_table(struct ks_cfg_builder *b, uint32_t node);
bool	ks_cfg_resolve_rest(struct ks_cfg_builder *b);
/* Reports labels that nothing leads to, once all is decoded. */
void	ks_cfg_check_labels(struct ks_cfg_builder *b);

/* cfg_block.c: basic blocks, from nodes. */
void	ks_cfg_blocks(struct ks_cfg_builder *b);
/* cfg_frame.c: stack addresses. */
void	ks_cfg_frames(struct ks_cfg_builder *b);

/* cfg_name.c: classifies the call or jump of INSN, sets how, reg, key. */
void	ks_cfg_classify(struct ks_cfg_builder *b, struct ks_cfg_insn *i,
	    bool at_entry);

#endif
