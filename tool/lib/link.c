/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Links the units of one run.
 *
 * 1. Every unit symbol gets a program symbol: a local one its own, a global
 *    one that of its name.  A unit's own definition wins over others'; what
 *    a closed unit does not export, other units do not see.  A function's
 *    address counts as taken, and as known to unknown code, wherever a unit
 *    says so: one unit or two make no difference.
 * 2. The profile's rules and the contracts are looked up once per symbol.  A
 *    compiler's clone (f.isra.0) is known by the name before the dot.
 * 3. Indirect calls: the first of a call's keys at which a function is stored
 *    gives the targets.  A closed unit uses its own stores only.
 * 4. Functions are sorted so that callees come first (Tarjan's strongly
 *    connected components); any address in a function counts as a call here,
 *    since a fact may make it one.
 */
#include <string.h>

#include "program.h"

static const struct ks_rule *
rules_of(const struct ks_profile *p, const char *name, char *base,
    size_t size)
{
	const struct ks_rule *r = ks_profile_find(p, name);
	const char *dot = strchr(name, '.');

	if (r == NULL && dot != NULL && dot != name &&
	    (size_t)(dot - name) < size) {
		memcpy(base, name, dot - name);
		base[dot - name] = '\0';
		r = ks_profile_find(p, base);
	}
	return (r);
}

const struct ks_rule *
ks_gsym_role(const struct ks_gsym *s, enum ks_role role)
{
	for (const struct ks_rule *r = s->rule; r != NULL; r = r->next)
		if (r->role == role)
			return (r);
	return (NULL);
}

static uint32_t
new_sym(struct ks_program *g, const char *name)
{
	struct ks_gsym s = { .func = KS_NONE };
	char base[256];

	s.name = ks_intern(g->str, name);
	s.rule = rules_of(g->profile, name, base, sizeof(base));
	s.noreturn = ks_gsym_role(&s, KS_ROLE_NORETURN) != NULL;
	*ks_vec_push(&g->syms) = s;
	return (g->syms.n - 1);
}

/* An alias is a second symbol of the same function. */
static void
add_func(struct ks_program *g, uint32_t unit, uint32_t fi, uint32_t sym,
    uint32_t *known)
{
	const struct ks_unit *u = g->units[unit];
	struct ks_gfunc gf = { .unit = unit, .f = &u->funcs.v[fi], .sym = sym };
	struct ks_gsym *s = &g->syms.v[sym];

	if (known[fi] != 0) {
		if (s->func == KS_NONE)
			s->func = known[fi] - 1;
		return;
	}
	gf.machinery = ks_gsym_role(s, KS_ROLE_MACHINERY) != NULL ||
	    (gf.f->flags & KS_FUNC_TRUST) != 0 ||
	    ks_gsym_role(s, KS_ROLE_ENTER) != NULL ||
	    ks_gsym_role(s, KS_ROLE_LEAVE) != NULL ||
	    ks_gsym_role(s, KS_ROLE_THREAD) != NULL ||
	    ks_gsym_role(s, KS_ROLE_MARKER) != NULL;
	if (gf.f->flags & KS_FUNC_NEEDS)
		s->needs = true;
	gf.held = (gf.f->flags & KS_FUNC_HELD) != 0;
	*ks_vec_push(&g->funcs) = gf;
	known[fi] = g->funcs.n;
	if (s->func == KS_NONE)
		s->func = g->funcs.n - 1;
}

/* Where unit I takes GF's address. */
static void
taken(const struct ks_program *g, struct ks_gfunc *gf, uint32_t i,
    const struct ks_sym *s)
{
	gf->addr_taken |= (s->flags & KS_SYM_ADDR_TAKEN) != 0;
	if ((s->flags & KS_SYM_ESCAPES) == 0)
		return;
	gf->escapes = true;
	if (s->escape_text != 0 && (gf->escape == NULL || gf->unit == i))
		gf->escape = ks_str(g->units[i]->str, s->escape_text);
}

/*
 * Names visible across units.  Pass 1 gives each global definition its
 * symbol, pass 2 resolves what is wanted.
 */
static void
resolve(struct ks_program *g)
{
	uint32_t **known = KS_NEWN(g->arena, uint32_t *, g->nunit + 1);
	uint32_t *byname = NULL, nbyname = 0;

	for (int pass = 1; pass <= 2; pass++)
		for (uint32_t i = 0; i < g->nunit; i++) {
			const struct ks_unit *u = g->units[i];

			if (pass == 1) {
				g->symmap[i] = KS_NEWN(g->arena, uint32_t,
				    u->syms.n + 1);
				known[i] = KS_NEWN(g->arena, uint32_t,
				    u->funcs.n + 1);
			}
			for (uint32_t j = 0; j < u->syms.n; j++) {
				const struct ks_sym *s = &u->syms.v[j];
				const char *name = ks_str(u->str, s->name);
				bool def = (s->flags & KS_SYM_FUNC) != 0;
				bool seen = !(s->flags & KS_SYM_LOCAL) &&
				    (!u->closed || !def ||
				    (s->flags & KS_SYM_EXPORTED));
				uint32_t id, *at;

				if (def != (pass == 1))
					continue;
				if (!seen) {
					g->symmap[i][j] = new_sym(g, name);
					continue;
				}
				id = ks_intern(g->str, name);
				if (id >= nbyname) {
					uint32_t n = 2 * id + 64;

					byname = ks_xrealloc(byname,
					    n * sizeof(*byname));
					memset(byname + nbyname, 0xff,
					    (n - nbyname) * sizeof(*byname));
					nbyname = n;
				}
				at = &byname[id];
				/* A second definition is a symbol of its own;
				   a strong one takes the name from a weak. */
				if (*at == KS_NONE ||
				    (def && g->syms.v[*at].func != KS_NONE)) {
					bool take = *at == KS_NONE ||
					    !(s->flags & KS_SYM_WEAK);
					uint32_t n = new_sym(g, name);

					if (*at != KS_NONE && take) {
						const struct ks_gfunc *o =
						    &g->funcs.v[g->syms.v[
						    *at].func];
						const struct ks_unit *ou =
						    g->units[o->unit];

						take = (ou->syms.v[o->f->sym].
						    flags & KS_SYM_WEAK) != 0;
					}
					if (take)
						*at = n;
					g->symmap[i][j] = n;
				} else {
					g->symmap[i][j] = *at;
				}
				if (def)
					add_func(g, i, s->func,
					    g->symmap[i][j], known[i]);
			}
			if (pass == 1)
				for (uint32_t j = 0; j < u->syms.n; j++) {
					const struct ks_sym *s = &u->syms.v[j];

					if ((s->flags & KS_SYM_FUNC) &&
					    ((s->flags & KS_SYM_LOCAL) ||
					    (u->closed &&
					    !(s->flags & KS_SYM_EXPORTED))))
						add_func(g, i, s->func,
						    g->symmap[i][j], known[i]);
				}
		}
	ks_vec_release(byname);
	for (uint32_t i = 0; i < g->nunit; i++)
		for (uint32_t j = 0; j < g->units[i]->syms.n; j++) {
			const struct ks_sym *s = &g->units[i]->syms.v[j];
			struct ks_gfunc *gf;

			if (s->flags & KS_SYM_NEEDS)
				g->syms.v[g->symmap[i][j]].needs = true;
			if (!(s->flags & KS_SYM_FUNC)) {
				/* Who takes its address need not define it. */
				if (g->syms.v[g->symmap[i][j]].func != KS_NONE)
					taken(g, &g->funcs.v[g->syms.v[
					    g->symmap[i][j]].func], i, s);
				continue;
			}
			if (known[i][s->func] == 0)
				continue;
			gf = &g->funcs.v[known[i][s->func] - 1];
			taken(g, gf, i, s);
			gf->exported |= !(s->flags & KS_SYM_LOCAL) &&
			    (!g->units[i]->closed ||
			    (s->flags & KS_SYM_EXPORTED));
			if (s->flags & KS_SYM_NORETURN)
				g->syms.v[g->symmap[i][j]].noreturn = true;
		}
}

static void
contracts(struct ks_program *g)
{
	struct ks_contract *c = g->opts->contract;

	for (size_t i = 0; c != NULL && i < c->items.n; i++) {
		struct ks_contract_item *it = &c->items.v[i];

		for (size_t j = 0; j < g->syms.n; j++) {
			struct ks_gsym *s = &g->syms.v[j];

			if (strcmp(ks_str(g->str, s->name), it->func) != 0)
				continue;
			if (it->kind == KS_CONTRACT_NEEDS) {
				s->needs = it->used = true;
			} else if (it->kind == KS_CONTRACT_GATE &&
			    s->func != KS_NONE) {
				g->funcs.v[s->func].gates |= it->isa;
				it->used = true;
			} else if (it->kind == KS_CONTRACT_HELD_BY &&
			    s->func != KS_NONE) {
				g->funcs.v[s->func].held = it->used = true;
			}
		}
	}
}

/* --- indirect calls ------------------------------------------------------- */

struct cell { uint32_t unit, sym; struct cell *next; };

static void
indirect(struct ks_program *g)
{
	struct ks_strtab *keys = ks_strtab_new();
	struct cell **cells;
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->nunit; i++)
		for (size_t j = 0; j < g->units[i]->stores.n; j++)
			ks_intern(keys, ks_str(g->units[i]->str,
			    g->units[i]->stores.v[j].key));
	n = ks_strtab_count(keys);
	cells = KS_NEWN(g->arena, struct cell *, n + 1);
	for (uint32_t i = g->nunit; i-- > 0;)
		for (size_t j = g->units[i]->stores.n; j-- > 0;) {
			const struct ks_store *st = &g->units[i]->stores.v[j];
			uint32_t k = ks_intern_find(keys,
			    ks_str(g->units[i]->str, st->key));
			struct cell *c = KS_NEW(g->arena, struct cell);

			c->unit = i;
			c->sym = st->sym == KS_NONE ? KS_NONE :
			    g->symmap[i][st->sym];
			c->next = cells[k];
			cells[k] = c;
		}
	g->targets = KS_NEWN(g->arena, struct ks_targets *, g->funcs.n + 1);
	for (size_t fi = 0; fi < g->funcs.n; fi++) {
		const struct ks_gfunc *gf = &g->funcs.v[fi];
		const struct ks_unit *u = g->units[gf->unit];

		g->targets[fi] = KS_NEWN(g->arena, struct ks_targets,
		    gf->f->calls.n + 1);
		for (size_t ci = 0; ci < gf->f->calls.n; ci++) {
			const struct ks_call *c = &gf->f->calls.v[ci];
			struct ks_targets *t = &g->targets[fi][ci];
			KS_VEC(uint32_t) v = { 0 };

			for (uint32_t k = 0; k < c->nkey && v.n == 0; k++) {
				uint32_t id = ks_intern_find(keys,
				    ks_str(u->str, gf->f->keys.v[c->key + k]));

				for (struct cell *x = id ? cells[id] : NULL;
				    x != NULL; x = x->next) {
					bool dup = false;

					if (u->closed && x->unit != gf->unit)
						continue;
					if (x->sym == KS_NONE) {
						t->unknown = true;
						continue;
					}
					for (size_t d = 0; d < v.n; d++)
						dup |= v.v[d] == x->sym;
					if (!dup)
						*ks_vec_push(&v) = x->sym;
				}
			}
			t->n = v.n;
			t->sym = KS_NEWN(g->arena, uint32_t, v.n + 1);
			if (v.n != 0)
				memcpy(t->sym, v.v, v.n * sizeof(v.v[0]));
			ks_vec_free(&v);
		}
	}
	ks_strtab_free(keys);
}

/* --- order ------------------------------------------------------------------ */

struct ids { uint32_t *v; size_t n, cap; };

static void
edge(struct ks_program *g, uint32_t *mark, uint32_t from, uint32_t sym,
    bool call, struct ids *v)
{
	uint32_t to = g->syms.v[sym].func;

	if (to == KS_NONE)
		return;
	g->funcs.v[to].called |= call;
	g->funcs.v[to].unjudged |= call && g->funcs.v[from].machinery;
	if (mark[to] == from + 1)
		return;
	mark[to] = from + 1;
	*ks_vec_push(v) = to;
}

static void
successors(struct ks_program *g)
{
	uint32_t *mark = KS_NEWN(g->arena, uint32_t, g->funcs.n + 1);

	g->succ = KS_NEWN(g->arena, uint32_t *, g->funcs.n + 1);
	g->nsucc = KS_NEWN(g->arena, uint32_t, g->funcs.n + 1);
	for (uint32_t fi = 0; fi < g->funcs.n; fi++) {
		const struct ks_gfunc *gf = &g->funcs.v[fi];
		const uint32_t *map = g->symmap[gf->unit];
		struct ids v = { 0 };

		for (size_t i = 0; i < gf->f->calls.n; i++) {
			const struct ks_call *c = &gf->f->calls.v[i];
			const struct ks_targets *t = &g->targets[fi][i];

			if (c->sym != KS_NONE)
				edge(g, mark, fi, map[c->sym], true, &v);
			for (uint32_t k = 0; k < t->n; k++) {
				uint32_t to = g->syms.v[t->sym[k]].func;

				edge(g, mark, fi, t->sym[k], true, &v);
				if (to != KS_NONE)
					g->funcs.v[to].indirect_target = true;
			}
		}
		for (size_t i = 0; i < gf->f->args.n; i++)
			if (gf->f->args.v[i].kind == KS_VAL_SYM)
				edge(g, mark, fi, map[gf->f->args.v[i].ref],
				    false, &v);
		for (size_t i = 0; i < gf->f->nodes.n; i++) {
			const struct ks_node *n = &gf->f->nodes.v[i];

			if (n->val.kind == KS_VAL_SYM)
				edge(g, mark, fi, map[n->val.ref], false, &v);
			if (n->ev == KS_EV_THREAD || (n->ev == KS_EV_QUERY &&
			    (n->aux & KS_MEANS_THREAD)))
				g->atomic_only = false;
		}
		g->nsucc[fi] = v.n;
		g->succ[fi] = KS_NEWN(g->arena, uint32_t, v.n + 1);
		if (v.n != 0)
			memcpy(g->succ[fi], v.v, v.n * sizeof(v.v[0]));
		ks_vec_free(&v);
	}
}

/* Tarjan, without recursion: kernels have long chains of calls. */
static void
order(struct ks_program *g)
{
	size_t n = g->funcs.n;
	uint32_t *num = KS_NEWN(g->arena, uint32_t, n + 1);
	uint32_t *low = KS_NEWN(g->arena, uint32_t, n + 1);
	uint32_t *next = KS_NEWN(g->arena, uint32_t, n + 1);
	uint32_t *stack = KS_NEWN(g->arena, uint32_t, n + 1);
	uint32_t *path = KS_NEWN(g->arena, uint32_t, n + 1);
	bool *on = KS_NEWN(g->arena, bool, n + 1);
	uint32_t count = 0, sp = 0, pp, done = 0, scc = 0;

	g->order = KS_NEWN(g->arena, uint32_t, n + 1);
	for (uint32_t root = 0; root < n; root++) {
		if (num[root] != 0)
			continue;
		pp = 0;
		path[pp++] = root;
		while (pp > 0) {
			uint32_t v = path[pp - 1];

			if (num[v] == 0) {
				num[v] = low[v] = ++count;
				stack[sp++] = v;
				on[v] = true;
			}
			if (next[v] < g->nsucc[v]) {
				uint32_t w = g->succ[v][next[v]++];

				if (num[w] == 0)
					path[pp++] = w;
				else if (on[w] && num[w] < low[v])
					low[v] = num[w];
				if (w == v)
					g->funcs.v[v].recursive = true;
				continue;
			}
			pp--;
			if (pp > 0 && low[v] < low[path[pp - 1]])
				low[path[pp - 1]] = low[v];
			if (low[v] == num[v]) {
				bool many = stack[sp - 1] != v;
				uint32_t w;

				do {
					w = stack[--sp];
					on[w] = false;
					g->funcs.v[w].scc = scc;
					g->funcs.v[w].recursive |= many;
					g->order[done++] = w;
				} while (w != v);
				scc++;
			}
		}
	}
}

int
ks_program_link(struct ks_program *g, struct ks_error *err)
{
	(void)err;
	g->symmap = KS_NEWN(g->arena, uint32_t *, g->nunit + 1);
	g->atomic_only = true;
	for (size_t i = 0; i < g->profile->rules.n; i++) {
		const struct ks_rule *r = g->profile->rules.v[i];

		g->inline_enter |= r->role == KS_ROLE_ENTER_INLINE;
		if ((r->role == KS_ROLE_ENTER && !r->atomic) ||
		    r->role == KS_ROLE_THREAD ||
		    (r->means & KS_MEANS_THREAD) != 0)
			g->atomic_only = false;
	}
	resolve(g);
	contracts(g);
	indirect(g);
	successors(g);
	order(g);
	return (KS_OK);
}
