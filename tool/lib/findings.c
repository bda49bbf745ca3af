/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Findings: collecting, ordering, fingerprints and baselines.
 *
 * Finishing, in this order:
 *   1. Advice is dropped unless it was asked for.
 *   2. Findings are sorted by place, id, message and trace; of those equal in
 *      all of it one is kept (a header seen from two files).
 *   3. Each gets a fingerprint: FNV-1a, 128 bits, over id, function (section
 *      where there is none) and event text, and then over the number of
 *      findings before it that have the same three.  No file name and no
 *      line is in it, so that moving code does not change it; one more
 *      fault of a kind in a function is one fingerprint more.
 *   4. Those that the baseline lists are hidden, and counted.
 *
 * Invariant: the same findings in any order give the same bytes, as no two
 * that differ in what is printed compare equal.
 *
 * Reference for the hash: draft-eastlake-fnv, "The FNV Non-Cryptographic
 * Hash Algorithm", section 5 (offset basis and prime for 128 bits).
 */
#include "ks/finding.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ks/lex.h"
#include "report.h"

typedef unsigned __int128 ks_u128;

struct ks_findings *
ks_findings_new(void)
{
	struct ks_findings *f = ks_xmalloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->arena = ks_arena_new();
	return f;
}

void
ks_findings_free(struct ks_findings *f)
{
	if (f == NULL)
		return;
	ks_arena_free(f->arena);
	ks_vec_free(&f->v);
	free(f);
}

static const char *
copy_str(struct ks_findings *f, const char *s)
{
	return s != NULL ? ks_strdup(f->arena, s) : NULL;
}

static struct ks_place_text
copy_place(struct ks_findings *f, const struct ks_place_text *at)
{
	struct ks_place_text p = *at;

	p.file = copy_str(f, at->file);
	p.object = copy_str(f, at->object);
	p.section = copy_str(f, at->section);
	p.function = copy_str(f, at->function);
	p.in = NULL;
	return p;
}

static const char *
format(struct ks_findings *f, const char *fmt, va_list ap)
{
	va_list copy;
	char *s;
	int n;

	va_copy(copy, ap);
	n = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	s = ks_alloc(f->arena, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

static struct ks_trace *trace_push(struct ks_findings *, struct ks_finding *);

static void
macro_notes(struct ks_findings *f, struct ks_finding *one,
    const struct ks_place_text *at)
{
	for (const struct ks_in_macro *e = at->in; e != NULL; e = e->next) {
		struct ks_trace *t = trace_push(f, one);
		size_t n = strlen(e->macro) + sizeof("expanded from macro ''");
		char *text = ks_alloc(f->arena, n);

		snprintf(text, n, "expanded from macro '%s'", e->macro);
		t->at = (struct ks_place_text){
		    .file = copy_str(f, e->file),
		    .line = e->line, .col = e->col,
		    .function = copy_str(f, at->function) };
		t->message = text;
		t->fix = NULL;
		t->fix_end = 0;
	}
}

struct ks_finding *
ks_finding_add(struct ks_findings *f, enum ks_diag diag,
    const struct ks_place_text *at, const char *fmt, ...)
{
	struct ks_finding one = { .diag = diag };
	va_list ap;

	one.severity = ks_diags[diag].severity;
	one.at = copy_place(f, at);
	va_start(ap, fmt);
	one.message = format(f, fmt, ap);
	va_end(ap);
	macro_notes(f, &one, at);
	*ks_vec_push(&f->v) = one;
	return &f->v.v[f->v.n - 1];
}

static struct ks_trace *
trace_push(struct ks_findings *f, struct ks_finding *one)
{
	size_t n = one->ntrace;

	/* The array has room for the next power of two. */
	if ((n & (n - 1)) == 0) {
		struct ks_trace *t = ks_alloc(f->arena,
		    sizeof(*t) * (n == 0 ? 1 : 2 * n));

		if (n > 0)
			memcpy(t, one->trace, n * sizeof(*t));
		one->trace = t;
	}
	return &one->trace[one->ntrace++];
}

void
ks_finding_note(struct ks_findings *f, struct ks_finding *one,
    const struct ks_place_text *at, const char *fmt, ...)
{
	struct ks_trace *t = trace_push(f, one);
	va_list ap;

	memset(t, 0, sizeof(*t));
	t->at = copy_place(f, at);
	va_start(ap, fmt);
	t->message = format(f, fmt, ap);
	va_end(ap);
	macro_notes(f, one, at);
}

void
ks_finding_fix(struct ks_findings *f, struct ks_finding *one,
    const struct ks_place_text *at, uint32_t end, const char *text)
{
	struct ks_trace *t;

	if (*text != '\0')
		ks_finding_note(f, one, at, "this must be '%s'", text);
	else
		ks_finding_note(f, one, at, "this can go");
	t = &one->trace[one->ntrace - 1];
	t->fix = copy_str(f, text);
	t->fix_end = end;
}

void
ks_finding_event(struct ks_findings *f, struct ks_finding *one,
    const char *text)
{
	one->event = copy_str(f, text);
}

void
ks_findings_merge(struct ks_findings *f, const struct ks_findings *from)
{
	for (size_t i = 0; i < from->v.n; i++) {
		const struct ks_finding *old = &from->v.v[i];
		struct ks_finding one = *old;

		one.at = copy_place(f, &old->at);
		one.message = copy_str(f, old->message);
		one.event = copy_str(f, old->event);
		one.trace = NULL;
		one.ntrace = 0;
		for (size_t j = 0; j < old->ntrace; j++) {
			struct ks_trace *t = trace_push(f, &one);

			t->at = copy_place(f, &old->trace[j].at);
			t->message = copy_str(f, old->trace[j].message);
			t->fix = copy_str(f, old->trace[j].fix);
			t->fix_end = old->trace[j].fix_end;
		}
		*ks_vec_push(&f->v) = one;
	}
}

/* --- order -------------------------------------------------------------- */

static int
cmp_str(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int
cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int
ks_place_cmp(const struct ks_place_text *a, const struct ks_place_text *b)
{
	int c, at, name;

	if ((c = cmp_str(a->object, b->object)) != 0)
		return c;
	if ((at = cmp_str(a->file, b->file)) == 0 &&
	    (at = cmp_u64(a->line, b->line)) == 0)
		at = cmp_u64(a->col, b->col);
	name = cmp_str(a->function, b->function);
	if (a->object == NULL)
		return at != 0 ? at : name;
	/* In an object, code of one function may come from many files. */
	if ((c = cmp_str(a->section, b->section)) != 0 || (c = name) != 0 ||
	    (c = cmp_u64(a->off, b->off)) != 0)
		return c;
	return at;
}

static int
cmp_finding(const struct ks_finding *a, const struct ks_finding *b)
{
	int c;

	if ((c = ks_place_cmp(&a->at, &b->at)) != 0 ||
	    (c = cmp_u64(a->diag, b->diag)) != 0 ||
	    (c = strcmp(a->message, b->message)) != 0 ||
	    (c = cmp_str(a->event, b->event)) != 0 ||
	    (c = cmp_u64(a->ntrace, b->ntrace)) != 0)
		return c;
	for (size_t i = 0; i < a->ntrace; i++)
		if ((c = ks_place_cmp(&a->trace[i].at, &b->trace[i].at)) != 0 ||
		    (c = strcmp(a->trace[i].message, b->trace[i].message)) != 0)
			return c;
	return 0;
}

static int
cmp_finding_qsort(const void *a, const void *b)
{
	return cmp_finding(a, b);
}

/* --- fingerprints ---------------------------------------------------------- */

static ks_u128
fnv_bytes(ks_u128 h, const void *data, size_t n)
{
	const ks_u128 prime = ((ks_u128)1 << 88) + 0x13b;
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * prime;
	return h;
}

/* With the NUL, so that "a" "bc" and "ab" "c" differ. */
static ks_u128
fnv_str(ks_u128 h, const char *s)
{
	if (s == NULL)
		s = "";
	return fnv_bytes(h, s, strlen(s) + 1);
}

struct key {
	ks_u128	 hash;
	size_t	 index;		/* in findings order */
};

static int
cmp_key(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return cmp_u64(a->index, b->index);
}

static void
set_fingerprint(struct ks_finding *one, ks_u128 hash, uint32_t ordinal)
{
	unsigned char le[4];

	for (unsigned i = 0; i < 4; i++)
		le[i] = (unsigned char)(ordinal >> (8 * i));
	hash = fnv_bytes(hash, le, sizeof(le));
	snprintf(one->fingerprint, sizeof(one->fingerprint),
	    "%016llx%016llx", (unsigned long long)(hash >> 64),
	    (unsigned long long)hash);
}

static void
fingerprints(struct ks_findings *f)
{
	const ks_u128 basis =
	    (ks_u128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
	struct key *keys = ks_xmalloc(sizeof(*keys) * f->v.n);
	uint32_t ordinal = 0;

	for (size_t i = 0; i < f->v.n; i++) {
		const struct ks_finding *one = &f->v.v[i];
		ks_u128 h = fnv_str(basis, ks_diags[one->diag].id);

		h = fnv_str(h, one->at.function != NULL ? one->at.function :
		    one->at.section);
		h = fnv_str(h, one->event != NULL ? one->event : one->message);
		keys[i] = (struct key){ h, i };
	}
	qsort(keys, f->v.n, sizeof(*keys), cmp_key);
	for (size_t i = 0; i < f->v.n; i++) {
		ordinal = i > 0 && keys[i].hash == keys[i - 1].hash ?
		    ordinal + 1 : 0;
		set_fingerprint(&f->v.v[keys[i].index], keys[i].hash, ordinal);
	}
	free(keys);
}

/* --- baselines -------------------------------------------------------------- */

struct baseline_line {
	const char *fingerprint;
	bool	 used;
};
struct baseline { KS_VEC(struct baseline_line) v; };

static int
cmp_baseline(const void *a, const void *b)
{
	return strcmp(((const struct baseline_line *)a)->fingerprint,
	    ((const struct baseline_line *)b)->fingerprint);
}

static bool
is_fingerprint(const char *s)
{
	return strlen(s) == 32 && strspn(s, "0123456789abcdef") == 32;
}

static int
baseline_read(struct baseline *b, struct ks_lex *lx, struct ks_error *err)
{
	struct ks_line line;
	size_t n = 1;
	int rc;

	while ((rc = ks_lex_line(lx, &line, err)) == 1) {
		if (!is_fingerprint(line.words[0].text))
			return ks_lex_error(lx, &line.words[0], err,
			    "'%s' is no fingerprint", line.words[0].text);
		*ks_vec_push(&b->v) = (struct baseline_line){
		    line.words[0].text, false };
	}
	if (b->v.n == 0)
		return rc;
	qsort(b->v.v, b->v.n, sizeof(b->v.v[0]), cmp_baseline);
	for (size_t i = 1; i < b->v.n; i++)
		if (cmp_baseline(&b->v.v[n - 1], &b->v.v[i]) != 0)
			b->v.v[n++] = b->v.v[i];
	b->v.n = n;
	return rc;
}

static void
baseline_hide(struct ks_findings *f, struct baseline *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->v.n; i++) {
		struct ks_finding *one = &f->v.v[i];
		struct baseline_line key = { one->fingerprint, false }, *hit;

		hit = b->v.n == 0 ? NULL : bsearch(&key, b->v.v, b->v.n,
		    sizeof(key), cmp_baseline);
		if (hit != NULL) {
			hit->used = true;
			f->hidden[one->severity]++;
		} else {
			f->v.v[kept++] = *one;
		}
	}
	f->v.n = kept;
	for (size_t i = 0; i < b->v.n; i++)
		f->stale += !b->v.v[i].used;
}

static int
baseline_apply(struct ks_findings *f, const char *path, struct ks_error *err)
{
	struct baseline b = { 0 };
	struct ks_lex *lx;
	char *data;
	size_t size;
	int rc;

	if ((rc = ks_read_file(path, &data, &size, err)) != KS_OK)
		return rc;
	lx = ks_lex_new(path, data, size);
	rc = baseline_read(&b, lx, err);
	if (rc == KS_OK)
		baseline_hide(f, &b);
	ks_vec_free(&b.v);
	ks_lex_free(lx);
	free(data);
	return rc;
}

static int
cmp_ptr_fingerprint(const void *a, const void *b)
{
	return strcmp((*(const struct ks_finding *const *)a)->fingerprint,
	    (*(const struct ks_finding *const *)b)->fingerprint);
}

int
ks_baseline_write(const struct ks_findings *f, const char *path,
    struct ks_error *err)
{
	const struct ks_finding **by;
	char *data = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&data, &size);
	int rc;

	if (out == NULL)
		return ks_error(err, KS_EINTERNAL, "out of memory");
	by = ks_xmalloc(sizeof(*by) * f->v.n);
	for (size_t i = 0; i < f->v.n; i++)
		by[i] = &f->v.v[i];
	qsort(by, f->v.n, sizeof(*by), cmp_ptr_fingerprint);
	fputs("# ksimd baseline: fingerprint, id, function or section\n", out);
	for (size_t i = 0; i < f->v.n; i++) {
		const char *place = by[i]->at.function != NULL ?
		    by[i]->at.function : by[i]->at.section;

		char *name = ks_printable(place != NULL ? place : "");

		fprintf(out, "%s %s ", by[i]->fingerprint,
		    ks_diags[by[i]->diag].id);
		ks_lex_write(out, name);
		fputc('\n', out);
		free(name);
	}
	free(by);
	fclose(out);
	rc = ks_write_file(path, data, size, NULL, err);
	free(data);
	return rc;
}

/* --- finishing ---------------------------------------------------------------- */

static void
drop_equal(struct ks_findings *f)
{
	size_t n = 1;

	for (size_t i = 1; i < f->v.n; i++)
		if (cmp_finding(&f->v.v[n - 1], &f->v.v[i]) != 0)
			f->v.v[n++] = f->v.v[i];
	f->v.n = n;
}

int
ks_findings_finish(struct ks_findings *f, const struct ks_report_opts *o,
    struct ks_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->v.n; i++)
		if (o->advice || !ks_diags[f->v.v[i].diag].advice)
			f->v.v[kept++] = f->v.v[i];
	f->v.n = kept;
	if (kept > 0) {
		qsort(f->v.v, kept, sizeof(f->v.v[0]), cmp_finding_qsort);
		drop_equal(f);
		fingerprints(f);
	}
	if (o->baseline != NULL)
		return baseline_apply(f, o->baseline, err);
	return KS_OK;
}

int
ks_findings_status(const struct ks_findings *f, const struct ks_report_opts *o)
{
	for (size_t i = 0; i < f->v.n; i++)
		if (f->v.v[i].severity >= o->fail_on)
			return KS_EXIT_FINDINGS;
	return KS_EXIT_CLEAN;
}

void
ks_findings_count(const struct ks_findings *f, size_t count[3])
{
	count[0] = count[1] = count[2] = 0;
	for (size_t i = 0; i < f->v.n; i++)
		count[f->v.v[i].severity]++;
}
