/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads event graphs from their text form, ksg(5).
 *
 *   1. A line is split into tokens (ksg_part.c); the first of them chooses
 *      the function that reads the rest.
 *   2. What a line can get wrong is reported at its token.  Edges may lead
 *      to nodes that come later; they are checked at the function's end.
 *   3. ks_unit_check has the last word on each unit.
 *
 * Every table grows by what the text holds, never by a number in it.
 */
#include "ksg_read.h"

#include <inttypes.h>
#include <string.h>

/* --- nodes and edges ----------------------------------------------------- */

static int
read_args(struct ksg_reader *r, struct ks_call *k)
{
	int rc = KS_OK;

	if (!ksg_take_punct(r, '('))
		return KS_OK;
	while (rc == KS_OK && !ksg_take_punct(r, ')')) {
		struct ks_val v;

		rc = ksg_read_val(r, &v);
		if (rc != KS_OK)
			break;
		*ks_vec_push(&r->f->args) = v;
		k->narg++;
		if (!ksg_take_punct(r, ',') && (ksg_peek(r) == NULL))
			return ksg_expected(r, "')'");
	}
	return rc;
}

static int
read_call_attr(struct ksg_reader *r, struct ks_call *k)
{
	uint64_t v;
	int rc = KS_OK;

	if (ksg_take_word(r, "->")) {
		rc = ksg_read_place(r, &k->result);
	} else if (ksg_take_word(r, "key")) {
		rc = ksg_read_string(r, ks_vec_push(&r->f->keys), "a key");
		k->nkey++;
	} else if (ksg_take_word(r, "clobber")) {
		rc = ksg_read_num(r, UINT16_MAX, &v, "a 16-bit number");
		k->clobber = rc == KS_OK ? (uint16_t)v : 0;
	} else if (ksg_take_word(r, "target")) {
		rc = ksg_read_val(r, &k->target);
	} else if (ksg_take_word(r, "source")) {
		rc = ksg_read_u32(r, &k->src, "a number of a source line");
	} else if (ksg_take_word(r, "tail")) {
		k->tail = true;
	} else if (ksg_take_word(r, "noreturn")) {
		k->noreturn = true;
	} else if (ksg_take_word(r, "abi")) {
		k->abi = true;
	} else {
		return 0;
	}
	return rc == KS_OK ? 1 : rc;
}

static int
read_call(struct ksg_reader *r, struct ks_node *n)
{
	struct ks_call k = {
		.sym = KS_NONE,
		.key = (uint32_t)r->f->keys.n,
		.arg = (uint32_t)r->f->args.n,
		.result = KS_NONE,
	};
	int rc = ksg_take_punct(r, '*') ? ksg_read_val(r, &k.target) :
	    ksg_read_sym(r, &k.sym);

	if (rc == KS_OK)
		rc = read_args(r, &k);
	if (rc != KS_OK)
		return rc;
	do {
		rc = read_call_attr(r, &k);
	} while (rc > 0);
	n->call = (uint32_t)r->f->calls.n;
	*ks_vec_push(&r->f->calls) = k;
	return rc;
}

/* The part of a node's line that only its event has. */
static int
read_event(struct ksg_reader *r, struct ks_node *n)
{
	const struct ksg_tok *t;
	uint32_t bits;
	int rc = KS_OK;

	switch (n->ev) {
	case KS_EV_SET:
		rc = ksg_read_place(r, &n->dst);
		if (rc == KS_OK && !ksg_take_word(r, "="))
			return ksg_expected(r, "'='");
		return rc == KS_OK ? ksg_read_val(r, &n->val) : rc;
	case KS_EV_QUERY:
		rc = ksg_read_place(r, &n->dst);
		if (rc == KS_OK && ksg_take_word(r, "means")) {
			rc = ksg_read_bits(r, &ksg_means, &bits,
			    "'thread', 'region', 'atomic' or 'may-enter'");
			n->aux = rc == KS_OK ? (uint8_t)bits : 0;
		}
		return rc;
	case KS_EV_CALL:
		return read_call(r, n);
	case KS_EV_BOUND:
	case KS_EV_RETURN:
	case KS_EV_ENTER:
	case KS_EV_LEAVE:
		/* A value may follow: whatever is no attribute. */
		t = ksg_peek(r);
		if (t == NULL || (!t->w.quoted && ksg_is_attr(t->w.text)))
			return KS_OK;
		return ksg_read_val(r, &n->val);
	}
	return KS_OK;
}

/* The attributes that any node may have; 1, 0 or an error. */
static int
read_node_attr(struct ksg_reader *r, struct ks_node *n, bool *has_file)
{
	uint64_t v;
	uint32_t bits;
	int rc;

	if (ksg_take_word(r, "classes")) {
		rc = ksg_read_bits(r, &ksg_classes, &bits, "a register class");
		n->classes = rc == KS_OK ? (uint16_t)bits : 0;
	} else if (ksg_take_word(r, "isa")) {
		rc = ksg_read_isa(r, &n->isa);
	} else if (ksg_take_word(r, "dst")) {
		rc = ksg_read_place(r, &n->dst);
	} else if (ksg_take_word(r, "val")) {
		rc = ksg_read_val(r, &n->val);
	} else if (ksg_take_word(r, "aux")) {
		rc = ksg_read_num(r, UINT8_MAX, &v, "an 8-bit number");
		n->aux = rc == KS_OK ? (uint8_t)v : 0;
	} else if (ksg_take_word(r, "text")) {
		rc = ksg_read_string(r, &n->text, "a text");
	} else {
		return ksg_read_loc(r, &n->loc, has_file);
	}
	return rc == KS_OK ? 1 : rc;
}

static int
node_line(struct ksg_reader *r)
{
	const struct ksg_tok *t = ksg_peek(r);
	struct ks_node *n;
	bool has_file = false;
	uint32_t num, i;
	int ev, rc;

	rc = ksg_read_u32(r, &num, "the node's number");
	if (rc != KS_OK)
		return rc;
	if (num != r->f->nodes.n)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "the next node's number is %zu", r->f->nodes.n);
	t = ksg_peek(r);
	ev = t != NULL && t->punct == 0 && !t->w.quoted ?
	    ksg_find(&ksg_events, t->w.text, strlen(t->w.text)) : -1;
	if (ev < 0)
		return ksg_expected(r, "an event");
	r->at++;
	i = ks_func_node(r->f, (enum ks_event)ev);
	n = &r->f->nodes.v[i];
	rc = read_event(r, n);
	if (rc != KS_OK)
		return rc;
	do {
		rc = read_node_attr(r, n, &has_file);
	} while (rc > 0);
	ksg_default_file(&n->loc, has_file, r->f->loc.file);
	return rc == KS_OK && ksg_peek(r) != NULL ?
	    ksg_expected(r, "an attribute of the node") : rc;
}

/* "LEAF" or "LEAF.SUB" */
static int
read_leaf(struct ksg_reader *r, struct ks_gate *g)
{
	const struct ksg_tok *t = ksg_peek(r);
	char text[64];
	struct ks_word w = { .text = text };
	char *dot;
	uint64_t leaf, sub = 0;

	if (t == NULL || t->punct != 0 || t->w.quoted ||
	    strlen(t->w.text) >= sizeof(text))
		return ksg_expected(r, "LEAF or LEAF.SUBLEAF");
	strcpy(text, t->w.text);
	dot = strchr(text, '.');
	if (dot != NULL) {
		*dot = '\0';
		w.text = dot + 1;
		if (!ks_word_u64(&w, &sub) || sub > UINT32_MAX)
			return ksg_expected(r, "LEAF or LEAF.SUBLEAF");
		w.text = text;
	}
	if (!ks_word_u64(&w, &leaf) || leaf > UINT32_MAX)
		return ksg_expected(r, "LEAF or LEAF.SUBLEAF");
	g->leaf = (uint32_t)leaf;
	g->subleaf = (uint32_t)sub;
	r->at++;
	return KS_OK;
}

static int
read_gate(struct ksg_reader *r, struct ks_gate *g)
{
	const struct ksg_tok *t;
	int rc;

	memset(g, 0, sizeof(*g));
	if (ksg_take_word(r, "feature")) {
		g->kind = KS_GATE_FEATURE;
		return ksg_read_isa(r, &g->mask);
	}
	if (ksg_take_word(r, "cpuid")) {
		g->kind = KS_GATE_CPUID;
		rc = read_leaf(r, g);
		if (rc != KS_OK)
			return rc;
		t = ksg_peek(r);
		if (t == NULL || t->punct != 0 || t->w.text[0] != 'e' ||
		    t->w.text[1] < 'a' || t->w.text[1] > 'd' ||
		    strcmp(t->w.text + 2, "x") != 0)
			return ksg_expected(r, "eax, ebx, ecx or edx");
		g->reg = (uint8_t)t->w.text[1];
		r->at++;
	} else if (ksg_take_word(r, "xcr0")) {
		g->kind = KS_GATE_XCR0;
	} else if (ksg_take_word(r, "var")) {
		g->kind = KS_GATE_VAR;
		rc = ksg_read_string(r, &g->var, "a variable");
		if (rc == KS_OK)
			rc = ksg_read_u32(r, &g->off, "an offset");
		if (rc != KS_OK)
			return rc;
	} else {
		return ksg_expected(r, "'cpuid', 'xcr0', 'var' or 'feature'");
	}
	return ksg_read_num(r, UINT64_MAX, &g->mask, "a mask");
}

static int
edge_line(struct ksg_reader *r)
{
	const struct ksg_tok *t = ksg_peek(r), *to_tok;
	struct ks_edge *e;
	struct ks_node *n;
	uint32_t from, to;
	int rc;

	rc = ksg_read_u32(r, &from, "a node");
	if (rc != KS_OK)
		return rc;
	if (from >= r->f->nodes.n)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "no node %u before this line", from);
	n = &r->f->nodes.v[from];
	if (n->ev == KS_EV_RETURN || n->ev == KS_EV_END)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "node %u is a %s and has no successor", from,
		    ksg_events.words[n->ev]);
	if (n->nsucc > 0 && n->succ + n->nsucc != r->f->edges.n)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "the edges of node %u are not side by side", from);
	to_tok = ksg_peek(r);
	rc = ksg_read_u32(r, &to, "a node");
	if (rc != KS_OK)
		return rc;
	e = ks_func_edge(r->f, from, to);
	*ks_vec_push(&r->edges) = (struct ksg_at){
		to_tok->w.line, to_tok->w.col
	};
	if (ksg_take_word(r, "if")) {
		rc = ksg_read_place(r, &e->cond);
		if (rc == KS_OK)
			rc = ksg_read_cond(r, &e->iv);
	}
	if (rc == KS_OK && ksg_take_word(r, "gate")) {
		rc = read_gate(r, ks_vec_push(&r->f->gates));
		e->gate = (uint32_t)r->f->gates.n;
	}
	return rc == KS_OK ? ksg_line_end(r) : rc;
}

/* --- lines --------------------------------------------------------------- */

static int
place_line(struct ksg_reader *r)
{
	const struct ks_word *w = ksg_take_name(r);
	uint32_t flags = 0;

	if (w == NULL)
		return ksg_expected(r, "a name");
	while (ksg_take_flag(r, &ksg_place_flags, &flags))
		;
	ksg_declare_place(r, w->text, (uint8_t)flags);
	return ksg_peek(r) == NULL ? KS_OK :
	    ksg_expected(r, "'volatile', 'escaped', 'memory' or 'vector'");
}

static int
params_line(struct ksg_reader *r)
{
	while (ksg_peek(r) != NULL) {
		const struct ks_word *w;
		uint32_t place = KS_NONE;
		uint64_t i;
		int rc = KS_OK;

		if (ksg_take_punct(r, ','))
			continue;
		if (!ksg_take_word(r, "-")) {
			w = ksg_take_name(r);
			if (w == NULL)
				return ksg_expected(r, "a place or '-'");
			r->at--;
			if (ksg_is_index(w, &i) || ksg_meaning_of(r,
			    ks_intern(r->u->str, w->text))->stamp == r->stamp)
				rc = ksg_read_place(r, &place);
			else {
				place = ksg_declare_place(r, w->text, 0);
				r->at++;
			}
			if (rc != KS_OK)
				return rc;
		}
		*ks_vec_push(&r->f->params) = place;
	}
	return KS_OK;
}

static int
func_end(struct ksg_reader *r)
{
	int rc = ksg_line_end(r);

	if (rc != KS_OK)
		return rc;
	if (r->f->nodes.n == 0)
		return ks_lex_error(r->lx, &r->func_at, r->err,
		    "this function has no node");
	for (size_t i = 0; i < r->f->edges.n; i++) {
		struct ks_word w = {
			.line = r->edges.v[i].line,
			.col = r->edges.v[i].col,
		};

		if (r->f->edges.v[i].to >= r->f->nodes.n)
			return ks_lex_error(r->lx, &w, r->err,
			    "no node %u in this function",
			    r->f->edges.v[i].to);
	}
	r->f = NULL;
	return KS_OK;
}

static int
sym_line(struct ksg_reader *r)
{
	const struct ks_word *w = ksg_take_name(r);
	struct ks_loc loc = { 0 };
	uint32_t flags = 0, text = 0, sym;
	bool has_file = false;
	int rc = 1;

	if (w == NULL)
		return ksg_expected(r, "a name");
	while (rc > 0) {
		if (ksg_take_flag(r, &ksg_sym_flags, &flags))
			continue;
		if (ksg_take_word(r, "text")) {
			rc = ksg_read_string(r, &text, "a text");
			rc = rc == KS_OK ? 1 : rc;
			continue;
		}
		rc = ksg_read_loc(r, &loc, &has_file);
	}
	if (rc != KS_OK)
		return rc;
	ksg_default_file(&loc, has_file, r->u->name);
	sym = ksg_declare_sym(r, w->text, flags);
	r->u->syms.v[sym].escape = loc;
	r->u->syms.v[sym].escape_text = text;
	return ksg_peek(r) == NULL ? KS_OK :
	    ksg_expected(r, "an attribute of the symbol");
}

static int
store_line(struct ksg_reader *r)
{
	struct ks_store s = { .sym = KS_NONE };
	int rc = ksg_read_string(r, &s.key, "a key");

	if (rc == KS_OK && !ksg_take_word(r, "?"))
		rc = ksg_read_sym(r, &s.sym);
	if (rc != KS_OK)
		return rc;
	*ks_vec_push(&r->u->stores) = s;
	return ksg_line_end(r);
}

static int
allow_line(struct ksg_reader *r)
{
	struct ks_allow a = { 0 };
	bool has_file = false;
	int rc = ksg_read_string(r, &a.id, "an id");

	if (rc == KS_OK)
		rc = ksg_read_string(r, &a.reason, "a reason");
	if (rc == KS_OK && ksg_take_word(r, "source"))
		rc = ksg_read_u32(r, &a.src, "a number of a source line");
	for (rc = rc == KS_OK ? 1 : rc; rc > 0;)
		rc = ksg_read_loc(r, &a.loc, &has_file);
	if (rc != KS_OK)
		return rc;
	ksg_default_file(&a.loc, has_file, r->u->name);
	*ks_vec_push(&r->u->allows) = a;
	return ksg_line_end(r);
}

static int
byvalue_line(struct ksg_reader *r)
{
	struct ks_byvalue b = { 0 };
	bool has_file = false;
	int rc = ksg_read_string(r, &b.type, "a type");

	if (rc == KS_OK)
		rc = ksg_read_string(r, &b.owner, "a function or a type");
	if (rc == KS_OK && ksg_take_word(r, "text"))
		rc = ksg_read_string(r, &b.text, "a text");
	for (rc = rc == KS_OK ? 1 : rc; rc > 0;)
		rc = ksg_read_loc(r, &b.loc, &has_file);
	if (rc != KS_OK)
		return rc;
	ksg_default_file(&b.loc, has_file, r->u->name);
	*ks_vec_push(&r->u->byvalues) = b;
	return ksg_line_end(r);
}

static int
source_line(struct ksg_reader *r)
{
	struct ks_src s = { 0 };
	bool has_file = false;
	int rc = ksg_read_string(r, &s.text, "words");

	if (rc == KS_OK)
		rc = ksg_read_u32(r, &s.end, "a column");
	for (rc = rc == KS_OK ? 1 : rc; rc > 0;)
		rc = ksg_read_loc(r, &s.loc, &has_file);
	if (rc != KS_OK)
		return rc;
	ksg_default_file(&s.loc, has_file, r->u->name);
	*ks_vec_push(&r->u->srcs) = s;
	return ksg_line_end(r);
}

static int
macro_line(struct ksg_reader *r)
{
	struct ks_macro m = { 0 };
	bool has_file = false;
	int rc = ksg_read_string(r, &m.name, "a name");

	for (rc = rc == KS_OK ? 1 : rc; rc > 0;)
		rc = ksg_read_loc(r, &m.loc, &has_file);
	if (rc != KS_OK)
		return rc;
	ksg_default_file(&m.loc, has_file, r->u->name);
	*ks_vec_push(&r->u->macros) = m;
	return ksg_line_end(r);
}

static int
func_line(struct ksg_reader *r)
{
	const struct ksg_tok *t = ksg_peek(r);
	uint32_t sym, sym_flags = 0;
	bool has_file = false;
	int rc = ksg_read_sym(r, &sym);

	if (rc != KS_OK)
		return rc;
	if (r->u->syms.v[sym].func != KS_NONE)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "'%.80s' is defined twice", t->w.text);
	r->f = ks_unit_func(r->u, sym);
	r->func_at = t->w;
	r->stamp++;
	r->edges.n = 0;
	do {
		if (ksg_take_flag(r, &ksg_func_flags, &r->f->flags) ||
		    ksg_take_flag(r, &ksg_sym_flags, &sym_flags))
			rc = 1;
		else if (ksg_take_word(r, "isa"))
			rc = ksg_read_isa(r, &r->f->isa) ?: 1;
		else if (ksg_take_word(r, "section"))
			rc = ksg_read_string(r, &r->f->section,
			    "a section") ?: 1;
		else if (ksg_take_word(r, "addr"))
			rc = ksg_read_num(r, UINT64_MAX, &r->f->addr,
			    "an address") ?: 1;
		else
			rc = ksg_read_loc(r, &r->f->loc, &has_file);
	} while (rc > 0);
	r->u->syms.v[sym].flags |= sym_flags;
	ksg_default_file(&r->f->loc, has_file, r->u->name);
	if (rc != KS_OK)
		return rc;
	return ksg_peek(r) == NULL ? KS_OK :
	    ksg_expected(r, "an attribute of the function");
}

static int
unit_line(struct ksg_reader *r)
{
	const struct ks_word *w = ksg_take_name(r);
	uint32_t front = 0;
	int rc = 1;

	if (w == NULL)
		return ksg_expected(r, "the unit's name");
	r->u = ks_unit_new(w->text, KS_FRONT_SRC);
	r->unit_at = *w;
	r->names.n = 0;
	r->stamp = 1;
	while (rc > 0) {
		const struct ksg_tok *t = ksg_peek(r);
		int bit;

		if (t == NULL)
			return KS_OK;
		bit = t->punct == 0 && !t->w.quoted ?
		    ksg_find(&ksg_fronts, t->w.text, strlen(t->w.text)) : -1;
		if (bit >= 0) {
			front = (uint32_t)bit;
			r->u->front = (enum ks_front)front;
			r->at++;
		} else if (ksg_take_word(r, "closed")) {
			r->u->closed = true;
		} else if (ksg_take_word(r, "arch")) {
			rc = ksg_read_string(r, &r->u->arch, "a name") ?: 1;
		} else if (ksg_take_word(r, "isa")) {
			rc = ksg_read_isa(r, &r->u->isa_on) ?: 1;
		} else if (ksg_take_word(r, "seen")) {
			rc = ksg_read_num(r, UINT64_MAX, &r->u->nfuncs_seen,
			    "a number") ?: 1;
		} else {
			return ksg_expected(r, "an attribute of the unit");
		}
	}
	return rc;
}

static int
unit_end(struct ksg_reader *r)
{
	struct ks_error why;
	int rc = ksg_line_end(r);

	if (rc != KS_OK)
		return rc;
	if (ks_unit_check(r->u, &why) != KS_OK)
		return ks_lex_error(r->lx, &r->unit_at, r->err, "%s",
		    why.text);
	*ks_vec_push(&r->units) = r->u;
	r->u = NULL;
	return KS_OK;
}

static int
version_line(struct ksg_reader *r)
{
	const struct ksg_tok *t = ksg_peek(r);
	uint64_t v;
	int rc = ksg_read_num(r, UINT64_MAX, &v, "a version");

	if (rc == KS_OK && v != KSG_VERSION)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "version %" PRIu64 " of the format is unknown, "
		    "only %d is known", v, KSG_VERSION);
	return rc == KS_OK ? ksg_line_end(r) : rc;
}

static const struct {
	const char	*word;
	int		(*read)(struct ksg_reader *r);
	char		 where;	/* 'f'ile, 'u'nit, 'b'ody of a function */
} lines[] = {
	{ "node", node_line, 'b' },
	{ "edge", edge_line, 'b' },
	{ "place", place_line, 'b' },
	{ "params", params_line, 'b' },
	{ "end", func_end, 'b' },
	{ "sym", sym_line, 'u' },
	{ "func", func_line, 'u' },
	{ "store", store_line, 'u' },
	{ "allow", allow_line, 'u' },
	{ "macro", macro_line, 'u' },
	{ "source", source_line, 'u' },
	{ "byvalue", byvalue_line, 'u' },
	{ "end", unit_end, 'u' },
	{ "unit", unit_line, 'f' },
	{ "ksg", version_line, 'f' },
};

static int
any_line(struct ksg_reader *r)
{
	char where = r->u == NULL ? 'f' : r->f == NULL ? 'u' : 'b';

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].where == where && ksg_take_word(r, lines[i].word))
			return lines[i].read(r);
	return ksg_expected(r, where == 'f' ? "'unit' or 'ksg'" :
	    where == 'u' ? "'sym', 'store', 'allow', 'byvalue', 'func' or "
	    "'end'" :
	    "'place', 'params', 'node', 'edge' or 'end'");
}

static int
read_all(struct ksg_reader *r)
{
	int rc = ksg_read_line(r);

	if (rc == 0)
		return ks_lex_error(r->lx, &(struct ks_word){ .line = 1,
		    .col = 1 }, r->err, "no event graph: the file is empty");
	if (rc < 0)
		return rc;
	if (!ksg_is_word(ksg_peek(r), "ksg"))
		return ksg_expected(r, "'ksg 1', the first line of an event "
		    "graph");
	do {
		rc = any_line(r);
		if (rc == KS_OK)
			rc = ksg_read_line(r);
	} while (rc > 0);
	if (rc == KS_OK && r->f != NULL)
		rc = ks_lex_error(r->lx, &r->func_at, r->err,
		    "no 'end' of this function");
	if (rc == KS_OK && r->u != NULL)
		rc = ks_lex_error(r->lx, &r->unit_at, r->err,
		    "no 'end' of this unit");
	return rc;
}

int
ks_ksg_read(const char *name, const char *data, size_t size,
    struct ks_unit ***units, size_t *n, struct ks_error *err)
{
	struct ksg_reader r = { .err = err };
	int rc;

	r.lx = ks_lex_new(name, data, size);
	r.arena = ks_arena_new();
	rc = read_all(&r);
	ks_unit_free(r.u);
	if (rc != KS_OK) {
		for (size_t i = 0; i < r.units.n; i++)
			ks_unit_free(r.units.v[i]);
		ks_vec_free(&r.units);
	}
	*units = r.units.v;
	*n = r.units.n;
	ks_vec_free(&r.toks);
	ks_vec_free(&r.names);
	ks_vec_free(&r.edges);
	ks_arena_free(r.arena);
	ks_lex_free(r.lx);
	return rc;
}
