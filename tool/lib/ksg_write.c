/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes event graphs in their text form, ksg(5).
 *
 *   1. Every symbol gets a line of its own, in order, so that the reader
 *      numbers them the same; then the stores, then the functions.
 *   2. A symbol or place is named where its name is the first of its kind,
 *      and given by number, [3], where it is not.
 *   3. A node's line has its event's own form first, then what differs from
 *      the default.
 *
 * The same unit gives the same bytes.  The order of calls, arguments, keys
 * and gates in a function's tables is that of the nodes and edges that use
 * them; nothing else names them.
 */
#include "ks/lex.h"
#include "ksg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct ks_unit	*u;
	const struct ks_func	*f;
	FILE			*out;
	uint32_t		*first_sym;	/* by string, or KS_NONE */
	/* By string: function + 1 that last set it, and its place. */
	struct { uint32_t func, place; } *first_place;
};

static void
write_quoted(FILE *out, const char *s)
{
	if (strpbrk(s, " \t\r\n\"#\\") != NULL || *s == '\0') {
		ks_lex_write(out, s);
		return;
	}
	putc('"', out);
	fputs(s, out);
	putc('"', out);
}

static void
write_name(FILE *out, const char *s)
{
	if (ksg_bare(s))
		fputs(s, out);
	else
		write_quoted(out, s);
}

static void
write_str(const struct writer *w, const char *key, uint32_t id)
{
	fprintf(w->out, " %s ", key);
	write_name(w->out, ks_str(w->u->str, id));
}

static void
write_num(FILE *out, uint64_t v)
{
	fprintf(out, v < 4096 ? "%" PRIu64 : "0x%" PRIx64, v);
}

static void
write_sym(const struct writer *w, uint32_t i)
{
	uint32_t id = w->u->syms.v[i].name;
	const char *name = ks_str(w->u->str, id);

	if (*name != '\0' && w->first_sym[id] == i)
		write_name(w->out, name);
	else
		fprintf(w->out, "[%u]", i);
}

static void
write_place(const struct writer *w, uint32_t i)
{
	uint32_t id = w->f->places.v[i].name;
	const char *name = ks_str(w->u->str, id);

	if (*name != '\0' && w->first_place[id].place == i)
		write_name(w->out, name);
	else
		fprintf(w->out, "[%u]", i);
}

static void
write_iv(const struct writer *w, const struct ks_iv *iv)
{
	fputs(" in ", w->out);
	write_num(w->out, iv->lo);
	if (iv->lo != iv->hi) {
		fputs("..", w->out);
		write_num(w->out, iv->hi);
	}
	fprintf(w->out, "/%u", iv->bits);
}

static void
write_val(const struct writer *w, const struct ks_val *v)
{
	switch (v->kind) {
	case KS_VAL_CONST:
		write_num(w->out, v->num);
		break;
	case KS_VAL_PLACE:
		write_place(w, v->ref);
		break;
	case KS_VAL_SYM:
		putc('&', w->out);
		write_sym(w, v->ref);
		break;
	case KS_VAL_TEST:
		fputs("test ", w->out);
		write_place(w, v->ref);
		write_iv(w, &v->iv);
		break;
	case KS_VAL_ZEXT:
	case KS_VAL_LOW:
		fprintf(w->out, "%s %u ", v->kind == KS_VAL_ZEXT ? "zext" :
		    "low", (unsigned)v->num);
		write_place(w, v->ref);
		break;
	default:
		putc('?', w->out);
	}
}

static void
write_flags(const struct writer *w, const struct ksg_words *t, uint32_t flags)
{
	for (unsigned i = 0; i < t->n; i++)
		if (flags >> i & 1 && t->words[i][0] != '\0')
			fprintf(w->out, " %s", t->words[i]);
}

/* " KEY a,b" for the bits that are set; "none" if there are none. */
static void
write_bits(const struct writer *w, const char *key,
    const struct ksg_words *t, uint32_t bits)
{
	const char *sep = " ";

	fprintf(w->out, " %s", key);
	for (unsigned i = 0; i < t->n; i++)
		if (bits >> i & 1) {
			fprintf(w->out, "%s%s", sep, t->words[i]);
			sep = ",";
		}
	if (bits == 0)
		fputs(" none", w->out);
}

static void
write_isa(const struct writer *w, ks_isaset isa)
{
	char buf[512];

	fprintf(w->out, " isa %s", ks_isa_print(isa, buf, sizeof(buf)));
}

/* DEF is the file that a place without one is in. */
static void
write_loc(const struct writer *w, const struct ks_loc *loc, uint32_t def)
{
	const char *file;

	if (loc->line != 0 || loc->col != 0) {
		fprintf(w->out, " at %u", loc->line);
		if (loc->col != 0)
			fprintf(w->out, ":%u", loc->col);
	} else {
		def = 0;
	}
	/* By text: "" and no file at all are the same. */
	file = ks_str(w->u->str, loc->file);
	if (strcmp(file, ks_str(w->u->str, def)) != 0) {
		fputs(" in ", w->out);
		write_quoted(w->out, file);
	}
	if (loc->off != 0) {
		fputs(" off ", w->out);
		write_num(w->out, loc->off);
	}
}

static void
write_text(const struct writer *w, uint32_t text)
{
	if (text == 0)
		return;
	fputs(" text ", w->out);
	write_quoted(w->out, ks_str(w->u->str, text));
}

static void
write_call(const struct writer *w, const struct ks_call *k)
{
	const struct ks_func *f = w->f;

	putc(' ', w->out);
	if (k->sym != KS_NONE) {
		write_sym(w, k->sym);
	} else {
		putc('*', w->out);
		write_val(w, &k->target);
	}
	fputs(" (", w->out);
	for (uint32_t i = 0; i < k->narg; i++) {
		if (i > 0)
			fputs(", ", w->out);
		write_val(w, &f->args.v[k->arg + i]);
	}
	putc(')', w->out);
	if (k->result != KS_NONE) {
		fputs(" -> ", w->out);
		write_place(w, k->result);
	}
	if (k->sym != KS_NONE && k->target.kind != KS_VAL_UNKNOWN) {
		fputs(" target ", w->out);
		write_val(w, &k->target);
	}
	for (uint32_t i = 0; i < k->nkey; i++) {
		fputs(" key ", w->out);
		write_quoted(w->out, ks_str(w->u->str, f->keys.v[k->key + i]));
	}
	if (k->clobber != 0) {
		fputs(" clobber ", w->out);
		write_num(w->out, k->clobber);
	}
	if (k->tail)
		fputs(" tail", w->out);
	if (k->src != 0)
		fprintf(w->out, " source %u", k->src);
	if (k->noreturn)
		fputs(" noreturn", w->out);
	if (k->abi)
		fputs(" abi", w->out);
}

static void
write_node(const struct writer *w, uint32_t i)
{
	const struct ks_node *n = &w->f->nodes.v[i];
	bool dst = n->dst != KS_NONE, val = n->val.kind != KS_VAL_UNKNOWN;
	bool aux = n->aux != 0;

	fprintf(w->out, "\tnode %u %s", i, ksg_events.words[n->ev]);
	switch (n->ev) {
	case KS_EV_SET:
		putc(' ', w->out);
		write_place(w, n->dst);
		fputs(" = ", w->out);
		write_val(w, &n->val);
		dst = val = false;
		break;
	case KS_EV_QUERY:
		putc(' ', w->out);
		write_place(w, n->dst);
		dst = false;
		if (n->aux >> ksg_means.n == 0) {
			write_bits(w, "means", &ksg_means, n->aux);
			aux = false;
		}
		break;
	case KS_EV_CALL:
		write_call(w, &w->f->calls.v[n->call]);
		break;
	case KS_EV_BOUND:
	case KS_EV_RETURN:
	case KS_EV_ENTER:
	case KS_EV_LEAVE:
		if (val) {
			putc(' ', w->out);
			write_val(w, &n->val);
			val = false;
		}
		break;
	}
	if (n->classes != 0)
		write_bits(w, "classes", &ksg_classes, n->classes);
	if (n->isa != 0)
		write_isa(w, n->isa);
	if (dst) {
		fputs(" dst ", w->out);
		write_place(w, n->dst);
	}
	if (val) {
		fputs(" val ", w->out);
		write_val(w, &n->val);
	}
	if (aux)
		fprintf(w->out, " aux %u", n->aux);
	write_text(w, n->text);
	write_loc(w, &n->loc, w->f->loc.file);
	putc('\n', w->out);
}

static void
write_gate(const struct writer *w, const struct ks_gate *g)
{
	char buf[512];

	fputs(" gate ", w->out);
	switch (g->kind) {
	case KS_GATE_CPUID:
		fputs("cpuid ", w->out);
		write_num(w->out, g->leaf);
		if (g->subleaf != 0) {
			putc('.', w->out);
			write_num(w->out, g->subleaf);
		}
		fprintf(w->out, " e%cx ", g->reg);
		write_num(w->out, g->mask);
		break;
	case KS_GATE_XCR0:
		fputs("xcr0 ", w->out);
		write_num(w->out, g->mask);
		break;
	case KS_GATE_VAR:
		fputs("var ", w->out);
		write_quoted(w->out, ks_str(w->u->str, g->var));
		putc(' ', w->out);
		write_num(w->out, g->off);
		putc(' ', w->out);
		write_num(w->out, g->mask);
		break;
	case KS_GATE_FEATURE:
		fprintf(w->out, "feature %s", g->mask == 0 ? "none" :
		    ks_isa_print(g->mask, buf, sizeof(buf)));
		break;
	}
}

/* Edges in the order they lie in, so that each node finds its own again. */
static void
write_edges(const struct writer *w)
{
	const struct ks_func *f = w->f;
	uint32_t *owner = ks_xmalloc(f->edges.n * sizeof(*owner));

	for (uint32_t i = 0; i < f->nodes.n; i++)
		for (uint32_t k = 0; k < f->nodes.v[i].nsucc; k++)
			owner[f->nodes.v[i].succ + k] = i;
	for (size_t i = 0; i < f->edges.n; i++) {
		const struct ks_edge *e = &f->edges.v[i];

		fprintf(w->out, "\tedge %u %u", owner[i], e->to);
		if (e->iv.bits != 0) {
			fputs(" if ", w->out);
			write_place(w, e->cond);
			write_iv(w, &e->iv);
		}
		if (e->gate != 0)
			write_gate(w, &f->gates.v[e->gate - 1]);
		putc('\n', w->out);
	}
	free(owner);
}

static void
write_places(struct writer *w, uint32_t number)
{
	const struct ks_func *f = w->f;

	for (uint32_t i = 0; i < f->places.n; i++) {
		uint32_t name = f->places.v[i].name;

		fputs("\tplace ", w->out);
		write_name(w->out, ks_str(w->u->str, name));
		write_flags(w, &ksg_place_flags, f->places.v[i].flags);
		putc('\n', w->out);
		if (w->first_place[name].func != number) {
			w->first_place[name].func = number;
			w->first_place[name].place = i;
		}
	}
	if (f->params.n == 0)
		return;
	fputs("\tparams", w->out);
	for (size_t i = 0; i < f->params.n; i++) {
		putc(' ', w->out);
		if (f->params.v[i] == KS_NONE)
			putc('-', w->out);
		else
			write_place(w, f->params.v[i]);
	}
	putc('\n', w->out);
}

static void
write_func(struct writer *w, uint32_t i)
{
	const struct ks_func *f = &w->u->funcs.v[i];

	w->f = f;
	fputs("func ", w->out);
	write_sym(w, f->sym);
	write_flags(w, &ksg_func_flags, f->flags);
	if (f->isa != 0)
		write_isa(w, f->isa);
	if (f->section != 0)
		write_str(w, "section", f->section);
	if (f->addr != 0) {
		fputs(" addr ", w->out);
		write_num(w->out, f->addr);
	}
	write_loc(w, &f->loc, w->u->name);
	putc('\n', w->out);
	write_places(w, i + 1);
	for (uint32_t k = 0; k < f->nodes.n; k++)
		write_node(w, k);
	write_edges(w);
	fputs("end\n", w->out);
}

static void
write_syms(const struct writer *w)
{
	const struct ks_unit *u = w->u;

	for (uint32_t i = 0; i < u->syms.n; i++) {
		const struct ks_sym *s = &u->syms.v[i];

		fputs("sym ", w->out);
		write_name(w->out, ks_str(u->str, s->name));
		write_flags(w, &ksg_sym_flags, s->flags);
		write_text(w, s->escape_text);
		write_loc(w, &s->escape, u->name);
		putc('\n', w->out);
		if (w->first_sym[s->name] == KS_NONE)
			w->first_sym[s->name] = i;
	}
	for (size_t i = 0; i < u->stores.n; i++) {
		fputs("store ", w->out);
		write_quoted(w->out, ks_str(u->str, u->stores.v[i].key));
		putc(' ', w->out);
		if (u->stores.v[i].sym == KS_NONE)
			putc('?', w->out);
		else
			write_sym(w, u->stores.v[i].sym);
		putc('\n', w->out);
	}
}

static void
write_remarks(const struct writer *w)
{
	const struct ks_unit *u = w->u;

	for (size_t i = 0; i < u->allows.n; i++) {
		const struct ks_allow *a = &u->allows.v[i];

		fputs("allow ", w->out);
		write_quoted(w->out, ks_str(u->str, a->id));
		putc(' ', w->out);
		write_quoted(w->out, ks_str(u->str, a->reason));
		if (a->src != 0)
			fprintf(w->out, " source %u", a->src);
		write_loc(w, &a->loc, u->name);
		putc('\n', w->out);
	}
	for (size_t i = 0; i < u->srcs.n; i++) {
		fputs("source ", w->out);
		write_quoted(w->out, ks_str(u->str, u->srcs.v[i].text));
		putc(' ', w->out);
		write_num(w->out, u->srcs.v[i].end);
		write_loc(w, &u->srcs.v[i].loc, u->name);
		putc('\n', w->out);
	}
	for (size_t i = 0; i < u->macros.n; i++) {
		fputs("macro ", w->out);
		write_quoted(w->out, ks_str(u->str, u->macros.v[i].name));
		write_loc(w, &u->macros.v[i].loc, u->name);
		putc('\n', w->out);
	}
	for (size_t i = 0; i < u->byvalues.n; i++) {
		const struct ks_byvalue *b = &u->byvalues.v[i];

		fputs("byvalue ", w->out);
		write_quoted(w->out, ks_str(u->str, b->type));
		putc(' ', w->out);
		write_quoted(w->out, ks_str(u->str, b->owner));
		write_text(w, b->text);
		write_loc(w, &b->loc, u->name);
		putc('\n', w->out);
	}
}

int
ks_ksg_write(const struct ks_unit *u, FILE *out)
{
	struct writer w = { .u = u, .out = out };
	size_t n = ks_strtab_count(u->str);

	w.first_sym = ks_xmalloc(n * sizeof(*w.first_sym));
	memset(w.first_sym, 0xff, n * sizeof(*w.first_sym));
	w.first_place = ks_xmalloc(n * sizeof(*w.first_place));
	memset(w.first_place, 0, n * sizeof(*w.first_place));
	fprintf(out, "ksg %d\nunit ", KSG_VERSION);
	write_name(out, ks_str(u->str, u->name));
	fprintf(out, " %s", ksg_fronts.words[u->front]);
	if (u->arch != 0)
		write_str(&w, "arch", u->arch);
	if (u->nfuncs_seen != 0) {
		fputs(" seen ", out);
		write_num(out, u->nfuncs_seen);
	}
	if (u->isa_on != 0)
		write_isa(&w, u->isa_on);
	if (u->closed)
		fputs(" closed", out);
	putc('\n', out);
	write_syms(&w);
	write_remarks(&w);
	for (uint32_t i = 0; i < u->funcs.n; i++)
		write_func(&w, i);
	fputs("end\n", out);
	free(w.first_sym);
	free(w.first_place);
	return ferror(out) ? KS_EIO : KS_OK;
}
