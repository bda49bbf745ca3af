/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts that lines of ksg(5) are made of: tokens, names, values,
 * conditions and places in a text.
 *
 * A token is one of the lexer's words, cut further at ( ) , & * unless it is
 * quoted; so a name with one of these in it is written in quotes.  Symbols
 * are declared by their first use, places by a line of their own.
 */
#include "ksg_read.h"

#include <string.h>

/* --- tokens -------------------------------------------------------------- */

static void
add_piece(struct ksg_reader *r, const struct ks_word *w, size_t from, size_t to,
    char punct)
{
	struct ksg_tok *t = ks_vec_push(&r->toks);

	t->w = *w;
	t->w.text = ks_strndup(r->arena, w->text + from, to - from);
	t->w.col += (uint32_t)from;
	t->punct = punct;
}

static void
split_word(struct ksg_reader *r, const struct ks_word *w)
{
	size_t from = 0, n = w->quoted ? 0 : strcspn(w->text, "(),&*");

	if (w->quoted || w->text[n] == '\0') {
		*ks_vec_push(&r->toks) = (struct ksg_tok){ *w, 0 };
		return;
	}
	while (w->text[from] != '\0') {
		n = strcspn(w->text + from, "(),&*");
		if (n == 0) {
			add_piece(r, w, from, from + 1, w->text[from]);
			from++;
		} else {
			add_piece(r, w, from, from + n, 0);
			from += n;
		}
	}
}

/* 1, 0 at the end of the file, or an error. */
int
ksg_read_line(struct ksg_reader *r)
{
	struct ks_line line;
	int rc = ks_lex_line(r->lx, &line, r->err);

	if (rc <= 0)
		return rc;
	r->toks.n = 0;
	r->at = 0;
	for (size_t i = 0; i < line.n; i++)
		split_word(r, &line.words[i]);
	return 1;
}

struct ksg_tok *
ksg_peek(struct ksg_reader *r)
{
	return r->at < r->toks.n ? &r->toks.v[r->at] : NULL;
}

/* "expected WHAT" at the next token, or behind the last one. */
int
ksg_expected(struct ksg_reader *r, const char *what)
{
	const struct ksg_tok *t = ksg_peek(r);

	if (t != NULL)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "expected %s, not '%.80s'", what, t->w.text);
	t = &r->toks.v[r->toks.n - 1];
	return ks_lex_error(r->lx, &t->w, r->err,
	    "expected %s behind '%.80s'", what, t->w.text);
}

bool
ksg_take_punct(struct ksg_reader *r, char c)
{
	const struct ksg_tok *t = ksg_peek(r);

	if (t == NULL || t->punct != c)
		return false;
	r->at++;
	return true;
}

bool
ksg_is_word(const struct ksg_tok *t, const char *word)
{
	return t != NULL && t->punct == 0 && !t->w.quoted &&
	    strcmp(t->w.text, word) == 0;
}

bool
ksg_take_word(struct ksg_reader *r, const char *word)
{
	if (!ksg_is_word(ksg_peek(r), word))
		return false;
	r->at++;
	return true;
}

/* The next token if it is a name (quoted or not), else NULL. */
const struct ks_word *
ksg_take_name(struct ksg_reader *r)
{
	const struct ksg_tok *t = ksg_peek(r);

	if (t == NULL || t->punct != 0)
		return NULL;
	r->at++;
	return &t->w;
}

int
ksg_read_num(struct ksg_reader *r, uint64_t max, uint64_t *out,
    const char *what)
{
	const struct ksg_tok *t = ksg_peek(r);

	if (t == NULL || t->punct != 0 || !ks_word_u64(&t->w, out))
		return ksg_expected(r, what);
	if (*out > max)
		return ks_lex_error(r->lx, &t->w, r->err,
		    "%.80s is too large for %s", t->w.text, what);
	r->at++;
	return KS_OK;
}

int
ksg_read_u32(struct ksg_reader *r, uint32_t *out, const char *what)
{
	uint64_t v;
	int rc = ksg_read_num(r, UINT32_MAX, &v, what);

	if (rc == KS_OK)
		*out = (uint32_t)v;
	return rc;
}

int
ksg_read_string(struct ksg_reader *r, uint32_t *out, const char *what)
{
	const struct ks_word *w = ksg_take_name(r);

	if (w == NULL)
		return ksg_expected(r, what);
	*out = *w->text != '\0' ? ks_intern(r->u->str, w->text) : 0;
	return KS_OK;
}

int
ksg_line_end(struct ksg_reader *r)
{
	return ksg_peek(r) == NULL ? KS_OK :
	    ksg_expected(r, "the end of the line");
}

/* --- names --------------------------------------------------------------- */

struct ksg_meaning *
ksg_meaning_of(struct ksg_reader *r, uint32_t id)
{
	while (r->names.n <= id)
		*ks_vec_push(&r->names) = (struct ksg_meaning){
			.sym = KS_NONE
		};
	return &r->names.v[id];
}

/* "[N]": true, with N in *out (UINT64_MAX if it is no number). */
bool
ksg_is_index(const struct ks_word *w, uint64_t *out)
{
	size_t n = strlen(w->text);
	char digits[16];
	struct ks_word num = { .text = digits };

	if (w->quoted || n < 2 || w->text[0] != '[' || w->text[n - 1] != ']')
		return false;
	*out = UINT64_MAX;
	if (n - 2 < sizeof(digits)) {
		memcpy(digits, w->text + 1, n - 2);
		digits[n - 2] = '\0';
		if (!ks_word_u64(&num, out))
			*out = UINT64_MAX;
	}
	return true;
}

uint32_t
ksg_declare_sym(struct ksg_reader *r, const char *name, uint32_t flags)
{
	uint32_t sym = ks_unit_sym(r->u, name, flags);
	struct ksg_meaning *m = ksg_meaning_of(r, r->u->syms.v[sym].name);

	if (m->sym == KS_NONE)
		m->sym = sym;
	return sym;
}

int
ksg_read_sym(struct ksg_reader *r, uint32_t *out)
{
	const struct ks_word *w = ksg_take_name(r);
	struct ksg_meaning *m;
	uint64_t i;

	if (w == NULL)
		return ksg_expected(r, "a symbol");
	if (ksg_is_index(w, &i)) {
		if (i >= r->u->syms.n)
			return ks_lex_error(r->lx, w, r->err,
			    "no symbol %.80s before this line", w->text);
		*out = (uint32_t)i;
		return KS_OK;
	}
	m = ksg_meaning_of(r, ks_intern(r->u->str, w->text));
	*out = m->sym != KS_NONE ? m->sym : ksg_declare_sym(r, w->text, 0);
	return KS_OK;
}

uint32_t
ksg_declare_place(struct ksg_reader *r, const char *name, uint8_t flags)
{
	uint32_t place = ks_func_place(r->u, r->f, name, flags);
	struct ksg_meaning *m = ksg_meaning_of(r, r->f->places.v[place].name);

	if (m->stamp != r->stamp) {
		m->stamp = r->stamp;
		m->place = place;
	}
	return place;
}

int
ksg_read_place(struct ksg_reader *r, uint32_t *out)
{
	const struct ks_word *w = ksg_take_name(r);
	struct ksg_meaning *m;
	uint64_t i;
	uint32_t id;

	if (w == NULL)
		return ksg_expected(r, "a place");
	if (ksg_is_index(w, &i)) {
		*out = (uint32_t)i;
		if (i < r->f->places.n)
			return KS_OK;
	} else {
		id = ks_intern_find(r->u->str, w->text);
		m = id != 0 ? ksg_meaning_of(r, id) : NULL;
		if (m != NULL && m->stamp == r->stamp) {
			*out = m->place;
			return KS_OK;
		}
	}
	return ks_lex_error(r->lx, w, r->err,
	    "no place '%.80s' in this function", w->text);
}

/* --- parts of lines ------------------------------------------------------ */

/* A number in an interval, cut to BITS; -1 is all ones. */
static bool
iv_bound(const char *s, size_t n, unsigned bits, uint64_t *out)
{
	uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	char text[32];
	struct ks_word w = { .text = text };

	if (n == 0 || n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	if (!ks_word_u64(&w, out))
		return false;
	if (text[0] == '-' && (*out | mask >> 1) == UINT64_MAX)
		*out &= mask;
	return *out <= mask;
}

/* LO..HI/BITS, K/BITS; 32 bits unless they are given. */
static bool
parse_iv(const char *s, struct ks_iv *iv)
{
	const char *slash = strchr(s, '/'), *dots = strstr(s, "..");
	size_t n = slash != NULL ? (size_t)(slash - s) : strlen(s);
	struct ks_word w = { .text = slash != NULL ? slash + 1 : "32" };
	uint64_t bits;

	if (!ks_word_u64(&w, &bits) || bits < 1 || bits > 64)
		return false;
	iv->bits = (uint8_t)bits;
	if (dots == NULL || dots > s + n) {
		if (!iv_bound(s, n, iv->bits, &iv->lo))
			return false;
		iv->hi = iv->lo;
		return true;
	}
	return iv_bound(s, (size_t)(dots - s), iv->bits, &iv->lo) &&
	    iv_bound(dots + 2, n - (size_t)(dots + 2 - s), iv->bits, &iv->hi);
}

/* "in IV", "== K", "!= K" */
int
ksg_read_cond(struct ksg_reader *r, struct ks_iv *iv)
{
	bool equal = ksg_take_word(r, "==");
	bool not = !equal && ksg_take_word(r, "!=");
	const struct ksg_tok *t;

	if (!equal && !not && !ksg_take_word(r, "in"))
		return ksg_expected(r, "'in', '==' or '!='");
	t = ksg_peek(r);
	if (t == NULL || t->punct != 0 || t->w.quoted ||
	    !parse_iv(t->w.text, iv))
		return ksg_expected(r, "an interval such as 1..0/32");
	if (not)
		*iv = ks_iv_not(*iv);
	r->at++;
	return KS_OK;
}

int
ksg_read_val(struct ksg_reader *r, struct ks_val *v)
{
	const struct ksg_tok *t;
	int rc;

	memset(v, 0, sizeof(*v));
	if (ksg_take_punct(r, '&')) {
		v->kind = KS_VAL_SYM;
		return ksg_read_sym(r, &v->ref);
	}
	if (ksg_take_word(r, "?")) {
		v->kind = KS_VAL_UNKNOWN;
		return KS_OK;
	}
	if (ksg_take_word(r, "test")) {
		v->kind = KS_VAL_TEST;
		rc = ksg_read_place(r, &v->ref);
		return rc == KS_OK ? ksg_read_cond(r, &v->iv) : rc;
	}
	if (ksg_take_word(r, "zext"))
		v->kind = KS_VAL_ZEXT;
	else if (ksg_take_word(r, "low"))
		v->kind = KS_VAL_LOW;
	if (v->kind != KS_VAL_UNKNOWN) {
		t = ksg_peek(r);
		rc = ksg_read_num(r, 32, &v->num, "8, 16 or 32");
		if (rc != KS_OK)
			return rc;
		if (v->num != 8 && v->num != 16 && v->num != 32)
			return ks_lex_error(r->lx, &t->w, r->err,
			    "a part is of 8, 16 or 32 bits");
		return ksg_read_place(r, &v->ref);
	}
	t = ksg_peek(r);
	if (t == NULL || t->punct != 0)
		return ksg_expected(r, "a value");
	if (ks_word_u64(&t->w, &v->num)) {
		v->kind = KS_VAL_CONST;
		r->at++;
		return KS_OK;
	}
	v->kind = KS_VAL_PLACE;
	return ksg_read_place(r, &v->ref);
}

/* Words with commas between them, "none" for no bit. */
int
ksg_read_bits(struct ksg_reader *r, const struct ksg_words *table,
    uint32_t *out, const char *what)
{
	const struct ksg_tok *t = ksg_peek(r);

	*out = 0;
	if (ksg_take_word(r, "none"))
		return KS_OK;
	do {
		int bit;

		t = ksg_peek(r);
		if (t == NULL || t->punct != 0 || t->w.quoted)
			return ksg_expected(r, what);
		bit = ksg_find(table, t->w.text, strlen(t->w.text));
		if (bit < 0)
			return ksg_expected(r, what);
		*out |= (uint32_t)1 << bit;
		r->at++;
	} while (ksg_take_punct(r, ','));
	return KS_OK;
}

int
ksg_read_isa(struct ksg_reader *r, ks_isaset *out)
{
	*out = 0;
	if (ksg_take_word(r, "none"))
		return KS_OK;
	do {
		const struct ksg_tok *t = ksg_peek(r);
		ks_isaset one;

		if (t == NULL || t->punct != 0 || t->w.text[0] == '\0' ||
		    !ks_isa_parse(t->w.text, &one, NULL))
			return ksg_expected(r, "an instruction set");
		*out |= one;
		r->at++;
	} while (ksg_take_punct(r, ','));
	return KS_OK;
}

/* Reads digits at S into *out; what is behind them, or NULL. */
static const char *
digits(const char *s, uint32_t *out)
{
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return NULL;
	for (; *s >= '0' && *s <= '9' && v <= UINT32_MAX; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*out = (uint32_t)v;
	return v <= UINT32_MAX ? s : NULL;
}

/* "LINE" or "LINE:COL" */
static int
read_line_col(struct ksg_reader *r, struct ks_loc *loc)
{
	const struct ksg_tok *t = ksg_peek(r);
	const char *s = NULL;

	loc->col = 0;
	if (t != NULL && t->punct == 0 && !t->w.quoted)
		s = digits(t->w.text, &loc->line);
	if (s != NULL && *s == ':')
		s = digits(s + 1, &loc->col);
	if (s == NULL || *s != '\0')
		return ksg_expected(r, "LINE or LINE:COLUMN");
	r->at++;
	return KS_OK;
}

/*
 * One of the attributes that every place in a text has.  1 if it was one, 0
 * if the next token is none, or an error.  *has_file: the file was given.
 */
int
ksg_read_loc(struct ksg_reader *r, struct ks_loc *loc, bool *has_file)
{
	int rc;

	if (ksg_take_word(r, "at")) {
		rc = read_line_col(r, loc);
	} else if (ksg_take_word(r, "in")) {
		*has_file = true;
		rc = ksg_read_string(r, &loc->file, "a file");
	} else if (ksg_take_word(r, "off")) {
		rc = ksg_read_u32(r, &loc->off, "an offset");
	} else {
		return 0;
	}
	return rc == KS_OK ? 1 : rc;
}

void
ksg_default_file(struct ks_loc *loc, bool has_file, uint32_t def)
{
	if (!has_file && (loc->line != 0 || loc->col != 0))
		loc->file = def;
}

bool
ksg_take_flag(struct ksg_reader *r, const struct ksg_words *table,
    uint32_t *flags)
{
	const struct ksg_tok *t = ksg_peek(r);
	int bit;

	if (t == NULL || t->punct != 0 || t->w.quoted)
		return false;
	bit = ksg_find(table, t->w.text, strlen(t->w.text));
	if (bit < 0)
		return false;
	*flags |= (uint32_t)1 << bit;
	r->at++;
	return true;
}
