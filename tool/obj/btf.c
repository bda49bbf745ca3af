/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of BTF.  See btf.h.
 *
 *  1. Opening walks the types once: each must lie in the section, have a
 *     known kind, and refer to strings and types that exist.  A table keeps
 *     where each starts.
 *  2. Functions, variables and records are found by name in an index that is
 *     sorted by hash and name; those of the base in its own.
 *  3. A member is found from the outside in: the member of a record, or the
 *     element of an array, that holds the byte.  Chains of types that lead
 *     nowhere (a typedef of itself) end after MAX_CHAIN steps, and unions
 *     of unions after MAX_STEPS members.  The same few members are asked for
 *     again and again: answers are kept in a small table.
 *
 * That a split one fits its base cannot be told from its header; but its
 * names then start where strings start.
 *
 * Limit: sizes are those of a 64-bit kernel; pointers have 8 bytes.
 */
#include <string.h>

#include "btf.h"
#include "obj_priv.h"

#define MAGIC		0xeb9f
#define HEADER		24
#define MAX_CHAIN	32
#define MAX_STEPS	100000
#define MAX_SAME	32	/* types of one kind and name */

struct name { uint32_t hash, id; };

/* A question that ks_btf_at was asked, and its answer. */
struct memo {
	bool	 asked, found;
	uint32_t id;
	int64_t	 off;
	uint64_t stride;
	struct ks_btf_place at;
};
#define MEMO		1024

struct ks_btf {
	const struct ks_btf *base;
	const uint8_t *types, *str;
	uint32_t ntype_bytes, nstr;
	uint32_t first, next;	/* ids */
	uint32_t str0;		/* offset of the first string */
	KS_VEC(uint32_t) at;	/* by id - first: in types */
	KS_VEC(struct name) names;	/* sorted */
	struct memo *memo;	/* of ks_btf_at; MEMO entries, or NULL yet */
};

/* --- access ---------------------------------------------------------- */

static const struct ks_btf *
holder(const struct ks_btf *b, uint32_t id)
{
	while (b != NULL && id < b->first)
		b = b->base;
	return (b != NULL && id < b->next ? b : NULL);
}

/* NULL for void and what is none. */
static const uint8_t *
type(const struct ks_btf *b, uint32_t id)
{
	b = id != 0 ? holder(b, id) : NULL;
	return (b == NULL ? NULL : b->types + b->at.v[id - b->first]);
}

static enum ks_btf_kind
kind_of(const uint8_t *t)
{
	return (t == NULL ? KS_BTF_VOID : ks_le32(t + 4) >> 24 & 0x1f);
}

static uint32_t
vlen(const uint8_t *t)
{
	return (ks_le32(t + 4) & 0xffff);
}

static const char *
string(const struct ks_btf *b, uint32_t off)
{
	while (b != NULL && off < b->str0)
		b = b->base;
	return (b != NULL && off - b->str0 < b->nstr ?
	    (const char *)b->str + (off - b->str0) : "");
}

enum ks_btf_kind
ks_btf_kind(const struct ks_btf *b, uint32_t id)
{
	return (kind_of(type(b, id)));
}

const char *
ks_btf_name(const struct ks_btf *b, uint32_t id)
{
	const uint8_t *t = type(b, id);

	return (t == NULL ? "" : string(b, ks_le32(t)));
}

/* --- opening --------------------------------------------------------- */

/* Bytes behind the 12 that all types have; -1: unknown kind. */
static int64_t
tail(const uint8_t *t)
{
	switch (kind_of(t)) {
	case KS_BTF_INT:
	case KS_BTF_VAR:
	case KS_BTF_DECL_TAG:
		return (4);
	case KS_BTF_ARRAY:
		return (12);
	case KS_BTF_STRUCT:
	case KS_BTF_UNION:
	case KS_BTF_DATASEC:
	case KS_BTF_ENUM64:
		return (12 * (int64_t)vlen(t));
	case KS_BTF_ENUM:
	case KS_BTF_FUNC_PROTO:
		return (8 * (int64_t)vlen(t));
	case KS_BTF_VOID:
	case KS_BTF_KINDS:
		return (-1);
	default:
		return (kind_of(t) < KS_BTF_KINDS ? 0 : -1);
	}
}

/* A name starts at a string's start; the base may share tails of strings. */
static bool
good_name(const struct ks_btf *b, uint32_t off)
{
	if (off < b->str0)
		return (b->base != NULL);
	off -= b->str0;
	return (off < b->nstr && (b->base == NULL || off == 0 ||
	    b->str[off - 1] == '\0'));
}

/* Does the type refer to types and strings that there are? */
static bool
good_type(const struct ks_btf *b, const uint8_t *t)
{
	const uint8_t *m = t + 12;
	uint32_t n = vlen(t);

	if (!good_name(b, ks_le32(t)))
		return (false);
	switch (kind_of(t)) {
	case KS_BTF_PTR: case KS_BTF_TYPEDEF: case KS_BTF_VOLATILE:
	case KS_BTF_CONST: case KS_BTF_RESTRICT: case KS_BTF_FUNC:
	case KS_BTF_VAR: case KS_BTF_DECL_TAG: case KS_BTF_TYPE_TAG:
		return (ks_le32(t + 8) < b->next);
	case KS_BTF_ARRAY:
		return (ks_le32(m) < b->next && ks_le32(m + 4) < b->next);
	case KS_BTF_STRUCT: case KS_BTF_UNION:
		for (; n > 0; n--, m += 12)
			if (!good_name(b, ks_le32(m)) ||
			    ks_le32(m + 4) >= b->next)
				return (false);
		return (true);
	case KS_BTF_FUNC_PROTO:
		if (ks_le32(t + 8) >= b->next)
			return (false);
		for (; n > 0; n--, m += 8)
			if (!good_name(b, ks_le32(m)) ||
			    ks_le32(m + 4) >= b->next)
				return (false);
		return (true);
	default:
		return (true);
	}
}

static uint32_t
hash_of(const char *s)
{
	uint32_t h = 2166136261u;	/* FNV-1a */

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return (h);
}

static bool
is_named(enum ks_btf_kind k)
{
	return (k == KS_BTF_STRUCT || k == KS_BTF_UNION || k == KS_BTF_FUNC ||
	    k == KS_BTF_VAR);
}

static int
by_name(const void *a, const void *b, void *ctx)
{
	const struct name *x = a, *y = b;

	if (x->hash != y->hash)
		return (x->hash < y->hash ? -1 : 1);
	return (strcmp(ks_btf_name(ctx, x->id), ks_btf_name(ctx, y->id)));
}

static void
make_index(struct ks_btf *b)
{
	for (uint32_t id = b->first; id < b->next; id++) {
		const char *name = ks_btf_name(b, id);

		if (name[0] != '\0' && is_named(ks_btf_kind(b, id)))
			*ks_vec_push(&b->names) = (struct name){
				hash_of(name), id };
	}
	ks_sort(b->names.v, b->names.n, sizeof(b->names.v[0]), by_name, b);
}

/* The first of NAME, or where it would be. */
static size_t
first_of(const struct ks_btf *b, const char *name, uint32_t hash)
{
	size_t lo = 0, hi = b->names.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct name *x = &b->names.v[mid];

		if (x->hash < hash || (x->hash == hash &&
		    strcmp(ks_btf_name(b, x->id), name) < 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return (lo);
}

bool
ks_btf_is(const uint8_t *data, size_t size)
{
	return (size >= HEADER && ks_le16(data) == MAGIC);
}

/* The first string of a base is the empty one; that of a split is a name. */
bool
ks_btf_is_split(const uint8_t *data, size_t size)
{
	uint64_t at;

	if (!ks_btf_is(data, size))
		return (false);
	at = (uint64_t)ks_le32(data + 4) + ks_le32(data + 16);
	return (ks_le32(data + 20) == 0 || at >= size || data[at] != '\0');
}

static const char *
read_header(struct ks_btf *b, const uint8_t *data, size_t size)
{
	uint64_t hdr, toff, tlen, soff, slen;

	if (!ks_btf_is(data, size))
		return ("no BTF of this byte order");
	hdr = ks_le32(data + 4);
	toff = ks_le32(data + 8);
	tlen = ks_le32(data + 12);
	soff = ks_le32(data + 16);
	slen = ks_le32(data + 20);
	if (data[2] != 1 || hdr < HEADER)
		return ("an unknown version of BTF");
	if (hdr + toff + tlen > size || hdr + soff + slen > size)
		return ("ends early");
	if (slen != 0 && data[hdr + soff + slen - 1] != '\0')
		return ("the last string does not end");
	b->types = data + hdr + toff;
	b->ntype_bytes = (uint32_t)tlen;
	b->str = data + hdr + soff;
	b->nstr = (uint32_t)slen;
	return (NULL);
}

static const char *
read_types(struct ks_btf *b)
{
	uint32_t off = 0;

	while (off < b->ntype_bytes) {
		const uint8_t *t = b->types + off;
		int64_t len;

		if (b->ntype_bytes - off < 12)
			return ("the last type ends early");
		if ((len = tail(t)) < 0)
			return ("a type of unknown kind");
		if (len > b->ntype_bytes - off - 12)
			return ("the last type ends early");
		*ks_vec_push(&b->at) = off;
		off += 12 + (uint32_t)len;
	}
	b->next = b->first + (uint32_t)b->at.n;
	for (size_t i = 0; i < b->at.n; i++)
		if (!good_type(b, b->types + b->at.v[i]))
			return (b->base != NULL ? "does not fit its base" :
			    "refers to types or strings that are not there");
	return (NULL);
}

int
ks_btf_open(const char *name, const uint8_t *data, size_t size,
    const struct ks_btf *base, struct ks_btf **out, struct ks_error *err)
{
	struct ks_btf *b = ks_xmalloc(sizeof(*b));
	const char *why;

	memset(b, 0, sizeof(*b));
	b->base = base;
	b->first = base != NULL ? base->next : 1;
	b->str0 = base != NULL ? base->str0 + base->nstr : 0;
	if ((why = read_header(b, data, size)) == NULL &&
	    (why = read_types(b)) == NULL) {
		make_index(b);
		*out = b;
		return (KS_OK);
	}
	ks_btf_free(b);
	return (ks_error(err, KS_EPARSE, "%s: BTF: %s", name, why));
}

void
ks_btf_free(struct ks_btf *b)
{
	if (b == NULL)
		return;
	ks_vec_free(&b->at);
	ks_vec_free(&b->names);
	ks_vec_release(b->memo);
	ks_vec_release(b);
}

/* --- types ----------------------------------------------------------- */

/* Of one module or kernel; *n: how many there are. */
static uint32_t
find_in(const struct ks_btf *b, const struct ks_btf *x,
    enum ks_btf_kind kind, const char *name, uint32_t *n)
{
	uint32_t hash = hash_of(name), found = 0;
	size_t i = first_of(x, name, hash);

	for (*n = 0; i < x->names.n && x->names.v[i].hash == hash &&
	    strcmp(ks_btf_name(x, x->names.v[i].id), name) == 0; i++) {
		uint32_t id = x->names.v[i].id;

		if (ks_btf_kind(x, id) != kind)
			continue;
		if (++*n > MAX_SAME || (found != 0 && (kind != KS_BTF_FUNC ||
		    ks_btf_type_of(b, found) != ks_btf_type_of(b, id))))
			return (0);
		found = id;
	}
	return (found);
}

uint32_t
ks_btf_find_own(const struct ks_btf *b, enum ks_btf_kind kind,
    const char *name)
{
	uint32_t n;

	return (find_in(b, b, kind, name, &n));
}

uint32_t
ks_btf_find(const struct ks_btf *b, enum ks_btf_kind kind, const char *name)
{
	/* What a module defines hides what the kernel has. */
	for (const struct ks_btf *x = b; x != NULL; x = x->base) {
		uint32_t n, id = find_in(b, x, kind, name, &n);

		if (n != 0)
			return (id);
	}
	return (0);
}

uint32_t
ks_btf_strip(const struct ks_btf *b, uint32_t id)
{
	for (int i = 0; i < MAX_CHAIN; i++) {
		const uint8_t *t = type(b, id);

		switch (kind_of(t)) {
		case KS_BTF_VOID:
			return (0);
		case KS_BTF_TYPEDEF: case KS_BTF_VOLATILE: case KS_BTF_CONST:
		case KS_BTF_RESTRICT: case KS_BTF_TYPE_TAG:
			id = ks_le32(t + 8);
			break;
		case KS_BTF_FWD:
			return (ks_btf_find(b, ks_le32(t + 4) >> 31 != 0 ?
			    KS_BTF_UNION : KS_BTF_STRUCT,
			    string(b, ks_le32(t))));
		default:
			return (id);
		}
	}
	return (0);
}

uint32_t
ks_btf_pointee(const struct ks_btf *b, uint32_t id)
{
	const uint8_t *t = type(b, ks_btf_strip(b, id));

	return (kind_of(t) == KS_BTF_PTR ? ks_btf_strip(b, ks_le32(t + 8)) :
	    0);
}

uint32_t
ks_btf_type_of(const struct ks_btf *b, uint32_t id)
{
	const uint8_t *t = type(b, id);

	return (kind_of(t) == KS_BTF_FUNC || kind_of(t) == KS_BTF_VAR ?
	    ks_btf_strip(b, ks_le32(t + 8)) : 0);
}

uint32_t
ks_btf_result(const struct ks_btf *b, uint32_t proto)
{
	const uint8_t *t = type(b, proto);

	return (kind_of(t) == KS_BTF_FUNC_PROTO ?
	    ks_btf_strip(b, ks_le32(t + 8)) : 0);
}

uint32_t
ks_btf_param(const struct ks_btf *b, uint32_t proto, uint32_t i)
{
	const uint8_t *t = type(b, proto);

	return (kind_of(t) == KS_BTF_FUNC_PROTO && i < vlen(t) ?
	    ks_btf_strip(b, ks_le32(t + 12 + 8 * i + 4)) : 0);
}

uint64_t
ks_btf_size(const struct ks_btf *b, uint32_t id)
{
	uint64_t n = 1;

	for (int i = 0; i < MAX_CHAIN; i++) {
		const uint8_t *t = type(b, id = ks_btf_strip(b, id));

		switch (kind_of(t)) {
		case KS_BTF_PTR:
			return (n * 8);
		case KS_BTF_INT: case KS_BTF_STRUCT: case KS_BTF_UNION:
		case KS_BTF_ENUM: case KS_BTF_FLOAT: case KS_BTF_ENUM64:
			return (n * ks_le32(t + 8));
		case KS_BTF_ARRAY:
			n *= ks_le32(t + 20);
			if (n > UINT32_MAX)
				return (0);
			id = ks_le32(t + 12);
			break;
		default:
			return (0);
		}
	}
	return (0);
}

/* --- members --------------------------------------------------------- */

struct walk {
	const struct ks_btf *b;
	uint64_t stride;
	uint32_t *steps;
	struct ks_btf_place at;
};

static bool	find(struct walk *w, uint32_t id, uint64_t off, int depth);

/* A pointer STRIDE off stays in an array whose elements divide it. */
static bool
in_array(struct walk *w, const uint8_t *t, uint64_t off, uint64_t all,
    int depth)
{
	uint32_t elem = ks_btf_strip(w->b, ks_le32(t + 12));
	uint64_t size = ks_btf_size(w->b, elem), stride = w->stride;
	bool ok;

	/* A flexible one has no size of its own. */
	if (size == 0 || (all != 0 && off >= all))
		return (false);
	if (stride % size == 0)
		w->stride = 0;
	ok = find(w, elem, off % size, depth + 1);
	w->stride = stride;
	return (ok);
}

static bool
in_member(struct walk *w, const uint8_t *t, const uint8_t *m, uint64_t off,
    int depth)
{
	uint32_t bits = ks_le32(m + 8), id = ks_le32(m + 4);
	uint64_t start, size = ks_btf_size(w->b, id);

	if (ks_le32(t + 4) >> 31 != 0) {
		if (bits >> 24 != 0)
			return (false);
		bits &= 0xffffff;
	}
	start = bits / 8;
	if (bits % 8 != 0 || off < start)
		return (false);
	if (size == 0 ? ks_btf_kind(w->b, ks_btf_strip(w->b, id)) !=
	    KS_BTF_ARRAY : off - start >= size)
		return (false);
	w->at.member = string(w->b, ks_le32(m));
	return (find(w, id, off - start, depth + 1));
}

static bool
in_record(struct walk *w, const uint8_t *t, uint64_t off, int depth)
{
	bool is_union = kind_of(t) == KS_BTF_UNION, ok = false;
	struct walk first = *w, got = *w;

	for (uint32_t i = 0; i < vlen(t); i++) {
		struct walk one = first;

		if (++*w->steps > MAX_STEPS)
			return (false);
		if (!in_member(&one, t, t + 12 + 12 * (size_t)i, off, depth))
			continue;
		if (!is_union) {
			*w = one;
			return (true);
		}
		/* Of a union, the pointer in it, if there is but one. */
		if (ok && ks_btf_kind(w->b, one.at.type) == KS_BTF_PTR &&
		    ks_btf_kind(w->b, got.at.type) == KS_BTF_PTR &&
		    ks_btf_pointee(w->b, one.at.type) !=
		    ks_btf_pointee(w->b, got.at.type))
			return (false);
		if (!ok || (ks_btf_kind(w->b, got.at.type) != KS_BTF_PTR &&
		    ks_btf_kind(w->b, one.at.type) == KS_BTF_PTR))
			got = one;
		ok = true;
	}
	if (ok)
		*w = got;
	return (ok);
}

static bool
find(struct walk *w, uint32_t id, uint64_t off, int depth)
{
	const uint8_t *t;

	id = ks_btf_strip(w->b, id);
	t = type(w->b, id);
	if (t == NULL || depth > MAX_CHAIN)
		return (false);
	switch (kind_of(t)) {
	case KS_BTF_STRUCT:
	case KS_BTF_UNION:
		if (ks_le32(t) != 0 || depth == 0) {
			w->at.owner = id;
			w->at.off = off;
		}
		return (in_record(w, t, off, depth));
	case KS_BTF_ARRAY:
		return (in_array(w, t, off, ks_btf_size(w->b, id), depth));
	default:
		if (depth == 0) {
			w->at.owner = id;
			w->at.off = 0;
		}
		w->at.type = id;
		return (off == 0 && w->stride == 0);
	}
}

static bool
search(const struct ks_btf *b, uint32_t id, int64_t off, uint64_t stride,
    struct ks_btf_place *out)
{
	uint32_t steps = 0;
	struct walk w = { .b = b, .stride = stride, .steps = &steps,
	    .at = { .member = "" } };
	uint64_t size = ks_btf_size(b, id);

	if (size != 0 && stride != 0 && stride % size == 0) {
		w.stride = 0;
		off %= (int64_t)size;
		if (off < 0)
			off += (int64_t)size;
	}
	if (off < 0 || !find(&w, id, (uint64_t)off, 0))
		return (false);
	*out = w.at;
	return (true);
}

bool
ks_btf_at(struct ks_btf *b, uint32_t id, int64_t off, uint64_t stride,
    struct ks_btf_place *out)
{
	struct memo *m;

	if (b->memo == NULL) {
		b->memo = ks_xmalloc(MEMO * sizeof(*m));
		memset(b->memo, 0, MEMO * sizeof(*m));
	}
	m = &b->memo[(id * 31 + (uint64_t)off + stride * 17) % MEMO];
	if (!m->asked || m->id != id || m->off != off || m->stride != stride) {
		m->asked = true;
		m->id = id;
		m->off = off;
		m->stride = stride;
		m->found = search(b, id, off, stride, &m->at);
	}
	if (m->found)
		*out = m->at;
	return (m->found);
}
