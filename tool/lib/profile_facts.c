/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The directives of a profile that name no role of a function, and the words
 * that all directives are made of.
 */
#include "profile.h"

#include <inttypes.h>
#include <string.h>

#define PROF_VERSION	1

/* --- words --------------------------------------------------------------- */

const struct ks_word *
prof_peek(const struct prof_parser *s)
{
	return s->at < s->line.n ? &s->line.words[s->at] : NULL;
}

const struct ks_word *
prof_take(struct prof_parser *s)
{
	return s->at < s->line.n ? &s->line.words[s->at++] : NULL;
}

int
prof_expected(const struct prof_parser *s, const char *what)
{
	const struct ks_word *w = prof_peek(s);

	if (w != NULL)
		return ks_lex_error(s->lx, w, s->err,
		    "expected %s, not '%.80s'", what, w->text);
	w = &s->line.words[s->line.n - 1];
	return ks_lex_error(s->lx, w, s->err, "expected %s behind '%.80s'",
	    what, w->text);
}

bool
prof_is_word(const struct ks_word *w, const char *text)
{
	return w != NULL && !w->quoted && strcmp(w->text, text) == 0;
}

bool
prof_take_word(struct prof_parser *s, const char *text)
{
	if (!prof_is_word(prof_peek(s), text))
		return false;
	s->at++;
	return true;
}

int
prof_line_end(const struct prof_parser *s)
{
	return prof_peek(s) == NULL ? KS_OK :
	    prof_expected(s, "the end of the line");
}

const char *
prof_keep(const struct prof_parser *s, const struct ks_word *w)
{
	return ks_strdup(s->p->arena, w->text);
}

/* A word that is not empty; NULL with the error in *rc. */
const char *
prof_read_word(struct prof_parser *s, const char *what, int *rc)
{
	const struct ks_word *w = prof_peek(s);

	if (w == NULL || w->text[0] == '\0') {
		*rc = prof_expected(s, what);
		return NULL;
	}
	s->at++;
	return prof_keep(s, w);
}

int
prof_read_num(struct prof_parser *s, uint64_t min, uint64_t max,
    const char *what, uint64_t *out)
{
	const struct ks_word *w = prof_peek(s);

	if (w == NULL || !ks_word_u64(w, out))
		return prof_expected(s, what);
	if (*out < min || *out > max)
		return ks_lex_error(s->lx, w, s->err,
		    "%.80s is out of range for %s", w->text, what);
	s->at++;
	return KS_OK;
}

int
prof_read_mask(struct prof_parser *s, uint64_t *out)
{
	return prof_read_num(s, 1, UINT64_MAX, "a mask", out);
}

int
prof_read_isa(struct prof_parser *s, ks_isaset *out)
{
	const struct ks_word *w = prof_peek(s);
	const char *bad;
	int n;

	if (w == NULL || w->text[0] == '\0')
		return prof_expected(s, "instruction sets such as aes,sse4.1");
	if (!ks_isa_parse(w->text, out, &bad)) {
		n = (int)strcspn(bad, ",");
		return ks_lex_error(s->lx, w, s->err,
		    "unknown instruction set '%.*s'", n > 80 ? 80 : n, bad);
	}
	s->at++;
	return KS_OK;
}

/* --- other directives ---------------------------------------------------- */

static int
kernel_line(struct prof_parser *s)
{
	int rc = KS_OK;
	const char *name = prof_read_word(s, "a name", &rc);

	if (name == NULL)
		return rc;
	/* The including file's word counts, wherever it stands. */
	if (s->depth <= *s->name_depth) {
		s->p->name = name;
		*s->name_depth = s->depth;
	}
	return prof_line_end(s);
}

static int
version_line(struct prof_parser *s)
{
	const struct ks_word *w = prof_peek(s);
	uint64_t v;
	int rc;

	if (!s->first)
		return ks_lex_error(s->lx, &s->line.words[0], s->err,
		    "'version' is for the first line");
	rc = prof_read_num(s, 0, UINT64_MAX, "a version", &v);
	if (rc == KS_OK && v != PROF_VERSION)
		return ks_lex_error(s->lx, w, s->err,
		    "version %" PRIu64 " of the format is unknown, "
		    "only %d is known", v, PROF_VERSION);
	return rc == KS_OK ? prof_line_end(s) : rc;
}

static int
source_line(struct prof_parser *s)
{
	int rc = KS_OK;

	do {
		const char *text = prof_read_word(s, "a text", &rc);

		if (text == NULL)
			return rc;
		*ks_vec_push(&s->p->sources) = text;
	} while (prof_peek(s) != NULL);
	return rc;
}

static int
opaque_line(struct prof_parser *s)
{
	int rc = KS_OK;

	do {
		const char *text = prof_read_word(s, "a type", &rc);

		if (text == NULL)
			return rc;
		*ks_vec_push(&s->p->opaque) = text;
	} while (prof_peek(s) != NULL);
	return rc;
}

static int
unit_if_line(struct prof_parser *s)
{
	int rc = KS_OK;

	do {
		const char *text = prof_read_word(s, "a macro", &rc);

		if (text == NULL)
			return rc;
		*ks_vec_push(&s->p->unit_if) = text;
	} while (prof_peek(s) != NULL);
	return rc;
}

static int
unit_unless_line(struct prof_parser *s)
{
	struct ks_unless u = { 0 };
	size_t n = 0;
	int rc = KS_OK;

	do {
		if (n + 1 == sizeof(u.words) / sizeof(u.words[0]))
			return prof_expected(s, "at most 7 words");
		u.words[n] = prof_read_word(s, "a macro or an option", &rc);
		if (u.words[n++] == NULL)
			return rc;
	} while (prof_peek(s) != NULL);
	*ks_vec_push(&s->p->unit_unless) = u;
	return KS_OK;
}

static int
detect_line(struct prof_parser *s)
{
	static const char *const kinds[] = {
		[KS_DETECT_OSABI] = "elf-osabi",
		[KS_DETECT_SECTION] = "section",
		[KS_DETECT_MACRO] = "macro",
		[KS_DETECT_SYMBOL] = "symbol",
	};
	struct ks_detect d = { 0 };
	size_t k = 0, n = 0;
	int rc = KS_OK;

	while (k < 4 && !prof_take_word(s, kinds[k]))
		k++;
	if (k == 4)
		return prof_expected(s,
		    "'elf-osabi', 'section', 'macro' or 'symbol'");
	d.kind = (enum ks_detect_kind)k;
	do {
		if (n + 1 == sizeof(d.words) / sizeof(d.words[0]))
			return prof_expected(s, "at most 7 words");
		d.words[n] = prof_read_word(s, "a word", &rc);
		if (d.words[n++] == NULL)
			return rc;
	} while (prof_peek(s) != NULL);
	/* What an included profile fits, this one need not. */
	if (s->depth == 0)
		*ks_vec_push(&s->p->detects) = d;
	return KS_OK;
}

static int
fpu_enabled_line(struct prof_parser *s)
{
	s->p->fpu_enabled = true;
	return prof_line_end(s);
}

static int
flag_line(struct prof_parser *s)
{
	struct ks_flagdef f = { 0 };
	int rc = KS_OK;

	f.name = prof_read_word(s, "a flag's name", &rc);
	if (f.name == NULL)
		return rc;
	rc = prof_read_num(s, 0, UINT64_MAX, "its value", &f.value);
	while (rc == KS_OK && prof_peek(s) != NULL) {
		if (prof_take_word(s, "atomic"))
			f.atomic = true;
		else if (prof_take_word(s, "no-ctx"))
			f.no_ctx = true;
		else
			rc = prof_expected(s, "'atomic' or 'no-ctx'");
	}
	if (rc == KS_OK)
		*ks_vec_push(&s->p->flags) = f;
	return rc;
}

/* "LEAF" or "LEAF.SUBLEAF" */
static int
read_leaf(struct prof_parser *s, struct ks_gate *g)
{
	const struct ks_word *w = prof_peek(s);
	struct ks_word part = { 0 };
	uint64_t leaf, sub = 0;
	char text[48], *dot;

	if (w == NULL || w->quoted || strlen(w->text) >= sizeof(text))
		return prof_expected(s, "LEAF or LEAF.SUBLEAF");
	strcpy(text, w->text);
	dot = strchr(text, '.');
	part.text = text;
	if (dot != NULL) {
		*dot = '\0';
		part.text = dot + 1;
		if (!ks_word_u64(&part, &sub) || sub > UINT32_MAX)
			return prof_expected(s, "LEAF or LEAF.SUBLEAF");
		part.text = text;
	}
	if (!ks_word_u64(&part, &leaf) || leaf > UINT32_MAX)
		return prof_expected(s, "LEAF or LEAF.SUBLEAF");
	g->leaf = (uint32_t)leaf;
	g->subleaf = (uint32_t)sub;
	s->at++;
	return KS_OK;
}

static int
read_cpuid(struct prof_parser *s, struct ks_gate *g)
{
	const struct ks_word *w;
	uint64_t bit;
	int rc = read_leaf(s, g);

	if (rc != KS_OK)
		return rc;
	g->kind = KS_GATE_CPUID;
	w = prof_peek(s);
	if (w == NULL || w->text[0] != 'e' || w->text[1] < 'a' ||
	    w->text[1] > 'd' || strcmp(w->text + 2, "x") != 0)
		return prof_expected(s, "eax, ebx, ecx or edx");
	g->reg = (uint8_t)w->text[1];
	s->at++;
	rc = prof_read_num(s, 0, 31, "a bit", &bit);
	if (rc == KS_OK)
		g->mask = (uint64_t)1 << bit;
	return rc;
}

static int
feature_line(struct prof_parser *s)
{
	struct ks_feature f = { 0 };
	uint64_t off;
	int rc = prof_read_isa(s, &f.isa);

	if (rc != KS_OK)
		return rc;
	if (prof_take_word(s, "cpuid")) {
		rc = read_cpuid(s, &f.gate);
	} else if (prof_take_word(s, "var")) {
		f.gate.kind = KS_GATE_VAR;
		f.var_name = prof_read_word(s, "a variable", &rc);
		if (f.var_name != NULL)
			rc = prof_read_num(s, 0, UINT32_MAX, "an offset", &off);
		if (rc == KS_OK) {
			f.gate.off = (uint32_t)off;
			rc = prof_read_mask(s, &f.gate.mask);
		}
	} else {
		return prof_expected(s, "'cpuid' or 'var'");
	}
	if (rc == KS_OK && prof_take_word(s, "xcr0"))
		rc = prof_read_mask(s, &f.xcr0);
	if (rc == KS_OK)
		rc = prof_line_end(s);
	if (rc == KS_OK)
		*ks_vec_push(&s->p->features) = f;
	return rc;
}

static int
arch_line(struct prof_parser *s)
{
	struct ks_archdef a = { 0 };
	uint64_t v;
	int rc = KS_OK;

	a.name = prof_read_word(s, "an architecture", &rc);
	while (rc == KS_OK && prof_peek(s) != NULL) {
		const struct ks_word *w;

		if (prof_take_word(s, "kernbase")) {
			rc = prof_read_num(s, 1, UINT64_MAX, "an address",
			    &a.kernbase);
		} else if (prof_take_word(s, "baseline")) {
			rc = prof_read_isa(s, &a.baseline);
		} else if (prof_take_word(s, "stack-align")) {
			w = prof_peek(s);
			rc = prof_read_num(s, 1, 4096, "an alignment", &v);
			if (rc == KS_OK && (v & (v - 1)) != 0)
				rc = ks_lex_error(s->lx, w, s->err,
				    "an alignment is a power of two");
			a.stack_align = rc == KS_OK ? (unsigned)v : 0;
		} else {
			rc = prof_expected(s,
			    "'kernbase', 'stack-align' or 'baseline'");
		}
	}
	if (rc == KS_OK)
		*ks_vec_push(&s->p->archs) = a;
	return rc;
}

/* A text that may be empty. */
static const char *
read_text(struct prof_parser *s, const char *what, int *rc)
{
	const struct ks_word *w = prof_take(s);

	if (w == NULL) {
		*rc = prof_expected(s, what);
		return NULL;
	}
	return prof_keep(s, w);
}

static int
cflags_line(struct prof_parser *s)
{
	int rc = KS_OK;
	const char *arch = prof_read_word(s, "an architecture", &rc);

	if (arch != NULL && prof_peek(s) == NULL)
		return prof_expected(s, "'base' or 'simd'");
	while (rc == KS_OK && prof_peek(s) != NULL) {
		struct ks_cflags c = { .arch = arch };

		if (prof_take_word(s, "simd")) {
			rc = prof_read_isa(s, &c.isa);
			if (rc != KS_OK)
				break;
		} else if (!prof_take_word(s, "base")) {
			return prof_expected(s, "'base' or 'simd'");
		}
		c.flags = read_text(s, "the flags, in quotes", &rc);
		if (rc == KS_OK && c.isa != 0 && prof_take_word(s, "house"))
			c.house = read_text(s, "the flags, in quotes", &rc);
		if (rc == KS_OK)
			*ks_vec_push(&s->p->cflags) = c;
	}
	return rc;
}

/* --- table --------------------------------------------------------------- */

static const struct {
	const char	*word;
	int		(*read)(struct prof_parser *s);
} facts[] = {
	{ "arch", arch_line },
	{ "cflags", cflags_line },
	{ "detect", detect_line },
	{ "feature", feature_line },
	{ "flag", flag_line },
	{ "fpu-enabled", fpu_enabled_line },
	{ "kernel", kernel_line },
	{ "opaque", opaque_line },
	{ "source", source_line },
	{ "unit-if", unit_if_line },
	{ "unit-unless", unit_unless_line },
	{ "version", version_line },
};

int
prof_fact_line(struct prof_parser *s, const struct ks_word *w)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (prof_is_word(w, facts[i].word))
			return facts[i].read(s);
	return 1;
}
