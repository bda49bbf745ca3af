/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Basic blocks, from the nodes of a graph.
 *
 *  1. A node continues its predecessor's block if it is the only successor,
 *     by falling through, and has no other predecessor.
 *  2. Blocks are numbered in reverse postorder of a depth-first walk from
 *     the entry, so that a block comes behind its predecessors but for the
 *     back edges of loops.  Nodes that the walk does not reach (behind calls
 *     that turned out not to return) are left out.
 *  3. Instructions and edges are laid out block by block.
 */
#include <stdlib.h>
#include <string.h>

#include "cfg_priv.h"

/* The node that continues N's block, or KS_NONE. */
static uint32_t
continues(const struct ks_cfg_builder *b, uint32_t n)
{
	const struct ks_cfg_node *d = &b->nodes.v[n];
	const struct ks_cfg_link *l;

	if (d->insn == KS_NONE || d->end != KS_CFG_GOES ||
	    d->link == KS_NONE || d->link != d->last)
		return (KS_NONE);
	l = &b->links.v[d->link];
	if (l->kind != KS_EDGE_FALL || b->nodes.v[l->to].indeg != 1 ||
	    b->nodes.v[l->to].insn == KS_NONE || l->to == 0)
		return (KS_NONE);
	return (l->to);
}

static uint32_t
last_of(const struct ks_cfg_builder *b, uint32_t n)
{
	uint32_t m;

	while ((m = continues(b, n)) != KS_NONE)
		n = m;
	return (n);
}

/* First nodes of blocks in postorder; returns their number. */
static size_t
walk(struct ks_cfg_builder *b, uint32_t *order)
{
	struct frame { uint32_t first, link; };
	KS_VEC(struct frame) stack = { 0 };
	size_t n = 0;

	b->nodes.v[0].block = 0;
	*ks_vec_push(&stack) = (struct frame){ 0,
	    b->nodes.v[last_of(b, 0)].link };
	while (stack.n > 0) {
		struct frame *f = &stack.v[stack.n - 1];
		uint32_t to;

		if (f->link == KS_NONE) {
			order[n++] = f->first;
			stack.n--;
			continue;
		}
		to = b->links.v[f->link].to;
		f->link = b->links.v[f->link].next;
		if (b->nodes.v[to].block != KS_NONE)
			continue;
		b->nodes.v[to].block = 0;
		*ks_vec_push(&stack) = (struct frame){ to,
		    b->nodes.v[last_of(b, to)].link };
	}
	ks_vec_free(&stack);
	return (n);
}

/* The instructions of the block that node N starts; the block's last node. */
static uint32_t
add_insns(struct ks_cfg_builder *b, uint32_t n, uint32_t block)
{
	struct ks_cfg *g = &b->g;

	for (;;) {
		uint32_t i = b->nodes.v[n].insn, next;

		if (i != KS_NONE) {
			*ks_vec_push(&g->insns) = b->pool.v[i];
			g->insns.v[g->insns.n - 1].block = block;
		}
		next = continues(b, n);
		if (next == KS_NONE)
			return (n);
		n = next;
	}
}

/* STAMP[t] is 1 + the last block that got an edge to block t. */
static void
add_edges(struct ks_cfg_builder *b, uint32_t node, uint32_t block,
    uint32_t *stamp)
{
	struct ks_cfg *g = &b->g;
	uint32_t l = b->nodes.v[node].link;

	for (; l != KS_NONE; l = b->links.v[l].next) {
		uint32_t to = b->nodes.v[b->links.v[l].to].block;

		if (b->links.v[l].kind == KS_EDGE_TABLE) {
			if (stamp[to] == block + 1)
				continue;
			stamp[to] = block + 1;
		}
		*ks_vec_push(&g->edges) =
		    (struct ks_cfg_edge){ to, b->links.v[l].kind };
		g->blocks.v[block].nedge++;
	}
}

/* See cfg_priv.h. */
void
ks_cfg_blocks(struct ks_cfg_builder *b)
{
	struct ks_cfg *g = &b->g;
	uint32_t *order = ks_xmalloc(b->nodes.n * sizeof(*order));
	size_t n = walk(b, order);
	uint32_t *stamp = ks_xmalloc(n * sizeof(*stamp));

	memset(stamp, 0, n * sizeof(*stamp));
	g->insns.n = g->blocks.n = g->edges.n = 0;
	for (size_t i = 0; i < n; i++)
		b->nodes.v[order[n - 1 - i]].block = i;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = order[n - 1 - i], last;
		struct ks_cfg_block *k = ks_vec_push(&g->blocks);

		memset(k, 0, sizeof(*k));
		k->sect = b->nodes.v[first].sect;
		k->off = b->nodes.v[first].off;
		k->insn = g->insns.n;
		k->edge = g->edges.n;
		last = add_insns(b, first, i);
		k->ninsn = g->insns.n - k->insn;
		k->end = b->nodes.v[last].end;
		k->target = b->nodes.v[last].target;
		add_edges(b, last, i, stamp);
	}
	for (size_t i = 0; i < g->edges.n; i++)
		g->blocks.v[g->edges.v[i].to].npred++;
	free(order);
	free(stamp);
}
