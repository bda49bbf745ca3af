/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Expansion of make variables.
 *
 *   1. A text is copied byte by byte into a buffer that knows for each byte
 *      where it came from; "$$" is "$".
 *   2. A reference's value is expanded first, and each of its bytes gets the
 *      reference's place.
 *   3. Modifiers run over the words of that value from left to right.
 *      Words that a modifier keeps keep their origin; text that it makes
 *      belongs to the reference.
 *   4. The buffer is cut into words.
 *
 * Invariants: a reference inside a value never has a place of its own;
 * recursion ends at DEPTH_MAX, which a variable defined by itself reaches,
 * and an expansion at STEPS_MAX, which doubling variables reach.
 *
 * Reference: make(1) of FreeBSD and NetBSD, "Variable modifiers".
 */
#include "mkvar.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	20
#define STEPS_MAX	(1U << 17)	/* bytes of one expansion */
#define BLANK(c)	((c) == ' ' || (c) == '\t' || (c) == '\n')

struct byte {
	char	 c;
	bool	 base;
	uint16_t var;		/* 0: written out; else index + 1 in vars */
	uint32_t off;
};

struct xbuf { struct byte *v; size_t n, cap; };

struct expander {
	const struct ks_mkenv	*e;
	struct ks_expansion	*x;
	KS_VEC(const char *)	 vars;
	unsigned		 depth;	/* of the text, in modifiers */
	size_t			*steps;
};

static void	expand(struct expander *ex, const char *s, size_t n,
		    const struct byte *from, unsigned depth,
		    struct xbuf *out);

void
ks_mkenv_set(struct ks_mkenv *e, const char *name, const char *value,
    bool base)
{
	for (size_t i = 0; i < e->v.n; i++) {
		if (strcmp(e->v.v[i].name, name) == 0) {
			e->v.v[i].value = value;
			e->v.v[i].base = base;
			return;
		}
	}
	*ks_vec_push(&e->v) = (struct ks_mkvar){ name, value, base };
}

const struct ks_mkvar *
ks_mkenv_get(const struct ks_mkenv *e, const char *name)
{
	for (; e != NULL; e = e->outer)
		for (size_t i = 0; i < e->v.n; i++)
			if (strcmp(e->v.v[i].name, name) == 0)
				return &e->v.v[i];
	return NULL;
}

static const char *sub_text(const struct expander *ex, const char *text);

static void
put(struct xbuf *b, char c, const struct byte *from)
{
	struct byte one = *from;

	one.c = c;
	*ks_vec_push(b) = one;
}

/* The buffer's bytes I to J as a string. */
static char *
text_of(struct expander *ex, const struct xbuf *b, size_t i, size_t j)
{
	char *s = ks_alloc(ex->e->arena, j - i + 1);

	for (size_t k = i; k < j; k++)
		s[k - i] = b->v[k].c;
	return s;
}

static void
unresolved(struct expander *ex, const char *name, uint32_t off)
{
	*ks_vec_push(&ex->x->unresolved) = (struct ks_unresolved){
		ks_strdup(ex->e->arena, name), off };
}

/* --- modifiers -------------------------------------------------------- */

struct mod {
	char	 op;
	const char *a;		/* pattern, or first part */
	const char *b;		/* replacement */
	bool	 all, once;	/* flags g and 1 */
};

static bool
match(const char *pattern, const char *word)
{
	return fnmatch(pattern, word, 0) == 0;
}

/* Appends the replacement of :S ("&" is what matched) or :C. */
static void
put_replacement(struct xbuf *out, const char *rep, const char *word,
    const regmatch_t *m, bool regex, const struct byte *from)
{
	for (; *rep != '\0'; rep++) {
		int group = -1;

		if (*rep == '\\' && rep[1] != '\0') {
			rep++;
			if (regex && isdigit((unsigned char)*rep))
				group = *rep - '0';
		} else if (*rep == '&') {
			group = 0;
		}
		if (group < 0) {
			put(out, *rep, from);
			continue;
		}
		for (regoff_t i = m[group].rm_so; m[group].rm_so >= 0 &&
		    i < m[group].rm_eo; i++)
			put(out, word[i], from);
	}
}

/* The first place in WORD from AT that a :S pattern matches. */
static bool
find_plain(const char *pat, const char *word, size_t at, regmatch_t *m)
{
	bool head = *pat == '^', tail;
	size_t n, len = strlen(word);

	pat += head;
	n = strlen(pat);
	tail = n > 0 && pat[n - 1] == '$';
	n -= tail;
	if (head || tail) {
		size_t i = head ? 0 : len >= n ? len - n : len + 1;

		if (at > i || i + n > len || memcmp(word + i, pat, n) != 0 ||
		    (head && tail && n != len))
			return false;
		m->rm_so = (regoff_t)i;
	} else {
		const char *p = n > 0 ? strstr(word + at, pat) : NULL;

		if (p == NULL)
			return false;
		m->rm_so = (regoff_t)(p - word);
	}
	m->rm_eo = m->rm_so + (regoff_t)n;
	return true;
}

/* One word through :S or :C; true if it matched. */
static bool
substitute(const struct mod *mod, const regex_t *re, const char *word,
    const struct byte *from, const struct byte *bytes, struct xbuf *out)
{
	size_t at = 0, len = strlen(word);
	regmatch_t m[10];
	bool any = false;

	while (at <= len) {
		if (re != NULL ? regexec(re, word + at, 10, m,
		    at > 0 ? REG_NOTBOL : 0) != 0 :
		    !find_plain(mod->a, word, at, m))
			break;
		for (size_t i = 0; re != NULL && i < 10; i++) {
			if (m[i].rm_so < 0)
				continue;
			m[i].rm_so += (regoff_t)at;
			m[i].rm_eo += (regoff_t)at;
		}
		any = true;
		for (; at < (size_t)m[0].rm_so; at++)
			put(out, word[at], &bytes[at]);
		put_replacement(out, mod->b, word, m, re != NULL, from);
		at = (size_t)m[0].rm_eo;
		if (!mod->all || m[0].rm_eo == m[0].rm_so)
			break;
	}
	for (; at < len; at++)
		put(out, word[at], &bytes[at]);
	return any;
}

/* :R :T :H :E: the part of WORD that stays. */
static void
part(char op, const char *word, size_t *i, size_t *j)
{
	const char *slash = strrchr(word, '/'), *dot = strrchr(word, '.');
	size_t len = strlen(word);

	*i = 0;
	*j = len;
	if (op == 'T' && slash != NULL)
		*i = (size_t)(slash - word) + 1;
	else if (op == 'H')
		*j = slash != NULL ? (size_t)(slash - word) : 0;
	else if (dot != NULL && op == 'R')
		*j = (size_t)(dot - word);
	else if (op == 'E')
		*i = dot != NULL ? (size_t)(dot - word) + 1 : len;
}

/* The word at I to J of B through MOD, into OUT. */
static void
one_word(struct expander *ex, const struct mod *mod, const regex_t *re,
    const struct xbuf *b, size_t i, size_t j, const struct byte *from,
    bool *done, struct xbuf *out)
{
	const char *word = text_of(ex, b, i, j);
	size_t p, q, len = j - i;

	switch (mod->op) {
	case 'N':
	case 'M':
		if (match(mod->a, word) != (mod->op == 'M'))
			return;
		break;
	case 'S':
	case 'C':
		if (*done && mod->once)
			break;
		*done |= substitute(mod, re, word, from, &b->v[i], out);
		return;
	case '=':	/* suffix */
		p = strlen(mod->a);
		if (len >= p && strcmp(word + len - p, mod->a) == 0) {
			for (q = 0; q < len - p; q++)
				put(out, word[q], &b->v[i + q]);
			for (const char *s = mod->b; *s != '\0'; s++)
				put(out, *s, from);
			return;
		}
		break;
	case 'l':
	case 'u':
		for (q = i; q < j; q++)
			put(out, (char)(mod->op == 'l' ?
			    tolower((unsigned char)b->v[q].c) :
			    toupper((unsigned char)b->v[q].c)), &b->v[q]);
		return;
	default:
		part(mod->op, word, &p, &q);
		if (mod->op == 'H' && q == 0)
			put(out, '.', from);	/* no folder in it */
		for (; p < q; p++)
			put(out, word[p], &b->v[i + p]);
		return;
	}
	for (q = i; q < j; q++)
		put(out, b->v[q].c, &b->v[q]);
}

static bool
same_bytes(const struct xbuf *a, const struct xbuf *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->v[i].c != b->v[i].c)
			return false;
	return true;
}

/* Runs MOD over the words of B in place; true if they changed. */
static bool
run_mod(struct expander *ex, const struct mod *mod, struct xbuf *b,
    const struct byte *from)
{
	struct xbuf out = { 0 };
	bool done = false, changed, first = true;
	size_t i = 0, j;
	regex_t re;
	bool has_re = mod->op == 'C' &&
	    regcomp(&re, mod->a, REG_EXTENDED) == 0;

	/* :S and :C see one empty word where there is none. */
	do {
		size_t before;

		while (i < b->n && BLANK(b->v[i].c))
			i++;
		for (j = i; j < b->n && !BLANK(b->v[j].c); j++)
			;
		if (j == i && !(first && (mod->op == 'S' ||
		    mod->op == 'C')))
			break;
		before = out.n;
		if (!first)
			put(&out, ' ', from);
		one_word(ex, mod, has_re ? &re : NULL, b, i, j, from, &done,
		    &out);
		if (!first && out.n == before + 1)
			out.n = before;		/* the word is gone */
		first = first && out.n == 0;
		i = j;
	} while (i < b->n);
	if (has_re)
		regfree(&re);
	*ex->steps += out.n + b->n;
	if (*ex->steps > STEPS_MAX) {
		unresolved(ex, "too long", from->off);
		out.n = 0;
	}
	changed = !same_bytes(&out, b);
	ks_vec_free(b);
	*b = out;
	return changed;
}

/* --- parsing references ------------------------------------------------- */

/* The text up to an unnested byte of STOP; backslashes hide a byte. */
static size_t
span(const char *s, size_t n, const char *stop)
{
	unsigned nest = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == '\\' && i + 1 < n) {
			i++;
		} else if (s[i] == '$' && i + 1 < n &&
		    (s[i + 1] == '{' || s[i + 1] == '(')) {
			nest++;
			i++;
		} else if (nest > 0) {
			nest -= s[i] == '}' || s[i] == ')';
		} else if (strchr(stop, s[i]) != NULL) {
			break;
		}
	}
	return i;
}

/* A part of a modifier: expanded, with "\X" for X in HIDE undone. */
static const char *
mod_text(struct expander *ex, const char *s, size_t n, const char *hide)
{
	char *t = ks_alloc(ex->e->arena, n + 1), *p = t;
	bool has_ref = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\' && i + 1 < n &&
		    strchr(hide, s[i + 1]) != NULL)
			i++;
		has_ref |= s[i] == '$' && i + 1 < n &&
		    (s[i + 1] == '{' || s[i + 1] == '(');
		*p++ = s[i];
	}
	return has_ref ? sub_text(ex, t) : t;
}

/* ":S" and ":C": three parts between a delimiter; returns bytes used. */
static size_t
parse_parts(struct expander *ex, struct mod *mod, const char *s, size_t n)
{
	char d[2] = { n > 1 ? s[1] : '\0', '\0' };
	size_t i = 2, len;

	len = i < n ? span(s + i, n - i, d) : 0;
	if (i + len >= n)
		return 0;
	mod->a = mod_text(ex, s + i, len, d);
	i += len + 1;
	len = span(s + i, n - i, d);
	if (i + len >= n)
		return 0;
	mod->b = mod_text(ex, s + i, len, d);
	i += len + 1;
	for (; i < n && strchr("1gW", s[i]) != NULL; i++) {
		mod->all |= s[i] == 'g';
		mod->once |= s[i] == '1';
	}
	return i;
}

/* One modifier at S (behind the ':'); bytes used, or 0 if unknown. */
static size_t
parse_mod(struct expander *ex, struct mod *mod, const char *s, size_t n,
    const char *end)
{
	size_t len = span(s, n, end);

	memset(mod, 0, sizeof(*mod));
	mod->op = *s;
	switch (*s) {
	case 'S':
	case 'C':
		if (len > 1 && !isalnum((unsigned char)s[1]))
			return parse_parts(ex, mod, s, n);
		break;
	case 'N':
	case 'M':
	case 'U':
	case 'D':
		if (memchr(s, '=', len) != NULL && *s != 'M' && *s != 'N')
			break;
		mod->a = mod_text(ex, s + 1, len - 1, ":}");
		return len;
	case 'R':
	case 'T':
	case 'H':
	case 'E':
		if (len == 1)
			return len;
		break;
	case 't':
		if (len == 2 && (s[1] == 'l' || s[1] == 'u')) {
			mod->op = s[1];
			return len;
		}
		break;
	default:
		break;
	}
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '=') {
			mod->op = '=';
			mod->a = mod_text(ex, s, i, "=");
			mod->b = mod_text(ex, s + i + 1, len - i - 1, "");
			return len;
		}
	}
	return 0;
}

/*
 * The modifiers at S, up to N; B holds the value.  TOP: they stand in the
 * text itself, at TEXT_OFF.
 */
static void
run_mods(struct expander *ex, const struct ks_mkvar *var, const char *name,
    const char *s, size_t n, char close, struct xbuf *b,
    const struct byte *from, bool top, uint32_t text_off)
{
	char end[3] = { ':', close, '\0' };
	struct mod mod;
	bool defined = var != NULL;
	size_t i = 0, used;

	while (i < n) {
		i += s[i] == ':';
		used = i < n ? parse_mod(ex, &mod, s + i, n - i, end) : 0;
		if (used == 0) {
			size_t len = i < n ? span(s + i, n - i, end) : 0;

			unresolved(ex, ks_printf(ex->e->arena, "%s:%.*s",
			    name, (int)len, s + i), from->off);
			return;
		}
		if (mod.op == 'U' || mod.op == 'D') {
			if (defined == (mod.op == 'D')) {
				b->n = 0;
				for (const char *p = mod.a; *p != '\0'; p++)
					put(b, *p, from);
			}
			defined = true;
		} else {
			bool changed = run_mod(ex, &mod, b, from);

			if (top)
				*ks_vec_push(&ex->x->mods) = (struct ks_xmod){
				    name, mod.op, mod.op == 'N' ||
				    mod.op == 'M' ? mod.a : ks_strndup(
				    ex->e->arena, s + i, used),
				    text_off + (uint32_t)i, changed,
				    i + used < n && s[i + used] != ':',
				    var != NULL && var->base };
		}
		i += used;
	}
	if (!defined)
		unresolved(ex, name, from->off);
}

/* $(call cc-option,FLAG,...) is FLAG; $(shell ...) is one opaque word. */
static void
gnu_function(struct expander *ex, const char *s, size_t n,
    const struct byte *from, unsigned depth, struct xbuf *out)
{
	static const char option[] = "call cc-option,";
	size_t len = sizeof(option) - 1;

	if (n > len && memcmp(s, option, len) == 0) {
		size_t end = span(s + len, n - len, ",");

		expand(ex, s + len, end, from, depth + 1, out);
	} else if (n > 6 && memcmp(s, "shell ", 6) == 0) {
		for (const char *p = "$(shell)"; *p != '\0'; p++)
			put(out, *p, from);
	} else {
		unresolved(ex, ks_strndup(ex->e->arena, s, strcspn(s, " ,)")),
		    from->off);
	}
}

/* Index + 1 of NAME in vars. */
static uint16_t
var_index(struct expander *ex, const char *name)
{
	for (size_t i = 0; i < ex->vars.n; i++)
		if (strcmp(ex->vars.v[i], name) == 0)
			return (uint16_t)(i + 1);
	if (ex->vars.n >= UINT16_MAX - 1)
		return 1;
	*ks_vec_push(&ex->vars) = ks_strdup(ex->e->arena, name);
	return (uint16_t)ex->vars.n;
}

/* The reference whose inside is the N bytes at S. */
static void
reference(struct expander *ex, const char *s, size_t n, char close,
    const struct byte *at, bool top, uint32_t text_off, unsigned depth,
    struct xbuf *out)
{
	size_t name_len = span(s, n, ":");
	const char *name = mod_text(ex, s, name_len, "");
	const struct ks_mkvar *var;
	struct byte from = *at;
	struct xbuf b = { 0 };

	if (ex->e->gnu && memchr(s, ' ', name_len) != NULL) {
		gnu_function(ex, s, n, at, depth, out);
		return;
	}
	var = ks_mkenv_get(ex->e, name);
	if (from.var == 0)
		from.var = var_index(ex, name);
	if (var != NULL) {
		from.base |= var->base;
		expand(ex, var->value, strlen(var->value), &from, depth + 1,
		    &b);
	}
	if (name_len < n)
		run_mods(ex, var, name, s + name_len, n - name_len, close, &b,
		    &from, top, text_off + (uint32_t)name_len);
	else if (var == NULL)
		unresolved(ex, name, from.off);
	for (size_t i = 0; i < b.n; i++)
		*ks_vec_push(out) = b.v[i];
	ks_vec_free(&b);
}

/* FROM is NULL for the text itself: its bytes have their own places. */
static void
expand(struct expander *ex, const char *s, size_t n, const struct byte *from,
    unsigned depth, struct xbuf *out)
{
	for (size_t i = 0; i < n; i++) {
		struct byte here = { 0 };
		char close[2] = { 0 };
		size_t len;

		if (from != NULL)
			here = *from;
		else
			here.off = (uint32_t)i;
		if (++*ex->steps > STEPS_MAX) {
			if (*ex->steps == STEPS_MAX + 1)
				unresolved(ex, "too long", here.off);
			return;
		}
		if (s[i] != '$' || i + 1 == n) {
			put(out, s[i], &here);
			continue;
		}
		i++;
		if (s[i] == '$') {
			put(out, '$', &here);
			continue;
		}
		if (depth + ex->depth >= DEPTH_MAX) {
			unresolved(ex, "too deep", here.off);
			return;
		}
		if (s[i] != '{' && s[i] != '(') {
			reference(ex, s + i, 1, '\0', &here, from == NULL,
			    (uint32_t)i, depth, out);
			continue;
		}
		close[0] = s[i] == '{' ? '}' : ')';
		i++;
		len = span(s + i, n - i, close);
		reference(ex, s + i, len, close[0], &here, from == NULL,
		    (uint32_t)i, depth, out);
		i += len;
	}
}

/* --- words -------------------------------------------------------------- */

/* An upper bound of the length of the word at I. */
static size_t
word_span(const struct xbuf *b, size_t i)
{
	char quote = '\0';
	size_t j = i;

	for (; j < b->n && (quote != '\0' || !BLANK(b->v[j].c)); j++) {
		char c = b->v[j].c;

		if (c == '\\' && quote != '\'' && j + 1 < b->n)
			j++;
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
		else if (c == quote)
			quote = '\0';
	}
	return j - i;
}

static void
cut_words(struct expander *ex, const struct xbuf *b)
{
	size_t i = 0;

	while (i < b->n) {
		struct ks_xword w = { 0 };
		char quote = '\0', *t, *p;
		bool any = false;

		if (BLANK(b->v[i].c)) {
			i++;
			continue;
		}
		w.off = b->v[i].off;
		w.base = b->v[i].base;
		if (b->v[i].var != 0)
			w.var = ex->vars.v[b->v[i].var - 1];
		t = p = ks_alloc(ex->e->arena, word_span(b, i) + 1);
		for (; i < b->n && (quote != '\0' || !BLANK(b->v[i].c)); i++) {
			char c = b->v[i].c;

			if (c == '\\' && quote != '\'' && i + 1 < b->n) {
				c = b->v[++i].c;
				if (c == '\n')
					continue;
			} else if (quote == '\0' && (c == '"' || c == '\'')) {
				quote = c;
				any = true;
				continue;
			} else if (c == quote) {
				quote = '\0';
				continue;
			}
			*p++ = c;
		}
		if (p == t && !any)
			continue;
		w.text = t;
		*ks_vec_push(&ex->x->words) = w;
	}
}

void
ks_expand(const struct ks_mkenv *e, const char *text, size_t size,
    struct ks_expansion *x)
{
	size_t steps = 0;
	struct expander ex = { .e = e, .x = x, .steps = &steps };
	struct xbuf out = { 0 };

	memset(x, 0, sizeof(*x));
	expand(&ex, text, size, NULL, 0, &out);
	cut_words(&ex, &out);
	ks_vec_free(&out);
	ks_vec_free(&ex.vars);
}

void
ks_expansion_free(struct ks_expansion *x)
{
	ks_vec_free(&x->words);
	ks_vec_free(&x->mods);
	ks_vec_free(&x->unresolved);
}

static const char *
text_from(struct ks_arena *a, const struct ks_mkenv *e, const char *text,
    unsigned depth, size_t *steps)
{
	struct ks_expansion x = { 0 };
	struct expander ex = { .e = e, .x = &x, .depth = depth,
	    .steps = steps };
	struct xbuf out = { 0 };
	char *s;

	expand(&ex, text, strlen(text), NULL, 0, &out);
	s = ks_alloc(a, out.n + 1);
	for (size_t i = 0; i < out.n; i++)
		s[i] = out.v[i].c;
	ks_vec_free(&out);
	ks_vec_free(&ex.vars);
	ks_expansion_free(&x);
	return s;
}

static const char *
sub_text(const struct expander *ex, const char *text)
{
	return text_from(ex->e->arena, ex->e, text, ex->depth + 1, ex->steps);
}

const char *
ks_expand_text(struct ks_arena *a, const struct ks_mkenv *e, const char *text)
{
	size_t steps = 0;

	return text_from(a, e, text, 0, &steps);
}
