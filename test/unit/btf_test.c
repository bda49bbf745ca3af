/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of BTF (tool/obj/btf.h), on types made here:
 *
 * 1. Members of records, of unions and of arrays, and what they point to.
 * 2. Split BTF goes on where its base ends, and does not fit another one.
 * 3. Types that refer to themselves, and unions of unions of ..., end.
 * 4. Every prefix and thousands of changed bytes are refused or read, and
 *    whatever was read can be asked for anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tool/obj/btf.h"

/* --- BTF in the making ------------------------------------------------- */

struct make {
	uint32_t types[4096];
	char	 str[4096];
	uint32_t ntypes, nstr, nid, str0;
	uint8_t	*data;
	size_t	 size;
};

static void
start(struct make *m, const struct make *base)
{
	memset(m, 0, sizeof(*m));
	m->nstr = base == NULL;
	m->str0 = base == NULL ? 0 : base->str0 + base->nstr;
	m->nid = base == NULL ? 0 : base->nid;
}

static uint32_t
str(struct make *m, const char *s)
{
	uint32_t at = m->str0 + m->nstr;

	if (s == NULL)
		return 0;
	memcpy(m->str + m->nstr, s, strlen(s) + 1);
	m->nstr += (uint32_t)strlen(s) + 1;
	return at;
}

static void
word(struct make *m, uint32_t w)
{
	m->types[m->ntypes++] = w;
}

/* A type; LAST is its size, or the type that it refers to. */
static uint32_t
type(struct make *m, enum ks_btf_kind kind, const char *name, uint32_t vlen,
    uint32_t last)
{
	word(m, str(m, name));
	word(m, (uint32_t)kind << 24 | vlen);
	word(m, last);
	return ++m->nid;
}

static void
member(struct make *m, const char *name, uint32_t id, uint32_t byte)
{
	word(m, str(m, name));
	word(m, id);
	word(m, byte * 8);
}

static void
put(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* The section; freed by the caller. */
static void
finish(struct make *m)
{
	m->size = 24 + 4 * m->ntypes + m->nstr;
	m->data = malloc(m->size);
	assert_non_null(m->data);
	put(m->data, 0x0001eb9f);
	put(m->data + 4, 24);
	put(m->data + 8, 0);
	put(m->data + 12, 4 * m->ntypes);
	put(m->data + 16, 4 * m->ntypes);
	put(m->data + 20, m->nstr);
	for (uint32_t i = 0; i < m->ntypes; i++)
		put(m->data + 24 + 4 * i, m->types[i]);
	memcpy(m->data + 24 + 4 * m->ntypes, m->str, m->nstr);
}

static uint32_t int_id, void_ptr, proto, fn_ptr, ops, ops_ptr, rec, node;

/*
 * struct ops { void (*run)(struct rec *); void (*stop)(struct rec *); };
 * struct rec {
 *	int n; const struct ops *ops; struct ops own[2];
 *	union { void (*cb)(); long l; }; union { struct ops *a; int *b; } u;
 *	int bits : 3; struct later *later; void (*flex[])();
 * };
 */
static void
make_base(struct make *m)
{
	uint32_t arr, cops, u1, u2, later, flex, iptr;

	start(m, NULL);
	int_id = type(m, KS_BTF_INT, "int", 0, 4);
	word(m, 32);
	void_ptr = type(m, KS_BTF_PTR, NULL, 0, 0);
	/* 3: the prototype, of a parameter that comes later (6). */
	proto = type(m, KS_BTF_FUNC_PROTO, NULL, 1, int_id);
	word(m, str(m, "r"));
	word(m, 15);
	fn_ptr = type(m, KS_BTF_PTR, NULL, 0, proto);
	ops = type(m, KS_BTF_STRUCT, "ops", 2, 16);
	member(m, "run", fn_ptr, 0);
	member(m, "stop", fn_ptr, 8);
	cops = type(m, KS_BTF_CONST, NULL, 0, ops);
	ops_ptr = type(m, KS_BTF_PTR, NULL, 0, cops);
	arr = type(m, KS_BTF_ARRAY, NULL, 0, 0);
	word(m, ops);
	word(m, int_id);
	word(m, 2);
	u1 = type(m, KS_BTF_UNION, NULL, 2, 8);
	member(m, "cb", fn_ptr, 0);
	member(m, "l", int_id, 0);
	iptr = type(m, KS_BTF_PTR, NULL, 0, int_id);
	u2 = type(m, KS_BTF_UNION, NULL, 2, 8);
	member(m, "a", ops_ptr, 0);
	member(m, "b", iptr, 0);
	later = type(m, KS_BTF_FWD, "later", 0, 0);
	later = type(m, KS_BTF_PTR, NULL, 0, later);
	rec = type(m, KS_BTF_STRUCT, "rec", 8, 80);
	member(m, "n", int_id, 0);
	member(m, "ops", ops_ptr, 8);
	member(m, "own", arr, 16);
	member(m, NULL, u1, 48);
	member(m, "u", u2, 56);
	word(m, str(m, "bits"));
	word(m, int_id);
	word(m, 64 * 8);
	member(m, "later", later, 72);
	member(m, "flex", 16, 80);
	assert_int_equal(type(m, KS_BTF_PTR, NULL, 0, rec), 15);
	flex = type(m, KS_BTF_ARRAY, NULL, 0, 0);
	word(m, fn_ptr);
	word(m, int_id);
	word(m, 0);
	assert_int_equal(flex, 16);
	type(m, KS_BTF_FUNC, "start", 1, proto);
	type(m, KS_BTF_FUNC, "twice", 0, proto);
	type(m, KS_BTF_FUNC, "twice", 0, proto);
	node = type(m, KS_BTF_TYPEDEF, "loop", 0, 21);
	type(m, KS_BTF_TYPEDEF, "pool", 0, node);
	finish(m);
}

static struct ks_btf *
open_one(const struct make *m, const struct ks_btf *base)
{
	struct ks_error err;
	struct ks_btf *b = NULL;

	if (ks_btf_open("t", m->data, m->size, base, &b, &err) != KS_OK)
		fail_msg("%s", err.text);
	return b;
}

/* --- 1 ------------------------------------------------------------------- */

static void
is_at(struct ks_btf *b, uint32_t id, int64_t off, uint64_t stride,
    const char *owner, uint64_t at, const char *name)
{
	struct ks_btf_place p;

	assert_true(ks_btf_at(b, id, off, stride, &p));
	assert_string_equal(ks_btf_name(b, p.owner), owner);
	assert_int_equal(p.off, at);
	assert_string_equal(p.member, name);
}

static void
members(void **state)
{
	struct ks_btf_place p;
	struct make m;
	struct ks_btf *b;

	(void)state;
	make_base(&m);
	b = open_one(&m, NULL);
	assert_true(ks_btf_is(m.data, m.size));
	assert_false(ks_btf_is_split(m.data, m.size));
	assert_int_equal(ks_btf_find(b, KS_BTF_STRUCT, "rec"), rec);
	assert_int_equal(ks_btf_find(b, KS_BTF_UNION, "rec"), 0);
	assert_int_equal(ks_btf_size(b, rec), 80);
	is_at(b, rec, 0, 0, "rec", 0, "n");
	is_at(b, rec, 8, 0, "rec", 8, "ops");
	is_at(b, rec, 16, 0, "ops", 0, "run");
	is_at(b, rec, 24, 0, "ops", 8, "stop");
	is_at(b, rec, 40, 0, "ops", 8, "stop");
	/* Of the anonymous union, the pointer. */
	is_at(b, rec, 48, 0, "rec", 48, "cb");
	is_at(b, rec, 96, 0, "rec", 96, "flex");
	assert_true(ks_btf_at(b, rec, 8, 0, &p));
	assert_int_equal(ks_btf_pointee(b, p.type), ops);
	/* Two pointers, a bit in the middle, nothing there. */
	assert_false(ks_btf_at(b, rec, 56, 0, &p));
	assert_false(ks_btf_at(b, rec, 4, 0, &p));
	assert_false(ks_btf_at(b, rec, 20, 0, &p));
	assert_false(ks_btf_at(b, rec, -8, 0, &p));
	/* Any element of the array; any record of an array of them. */
	is_at(b, rec, 24, 16, "ops", 8, "stop");
	is_at(b, rec, 8 + 80, 80, "rec", 8, "ops");
	is_at(b, rec, -72, 80, "rec", 8, "ops");
	assert_false(ks_btf_at(b, rec, 8, 16, &p));
	assert_false(ks_btf_at(b, rec, 24, 8, &p));
	/* A pointer to a pointer. */
	is_at(b, fn_ptr, 16, 8, "", 0, "");
	ks_btf_free(b);
	free(m.data);
}

static void
functions(void **state)
{
	struct make m;
	struct ks_btf *b;
	uint32_t f;

	(void)state;
	make_base(&m);
	b = open_one(&m, NULL);
	f = ks_btf_find(b, KS_BTF_FUNC, "start");
	assert_int_equal(ks_btf_type_of(b, f), proto);
	assert_int_equal(ks_btf_result(b, proto), int_id);
	assert_int_equal(ks_btf_pointee(b, ks_btf_param(b, proto, 0)), rec);
	assert_int_equal(ks_btf_param(b, proto, 1), 0);
	/* Two of one type are as good as one. */
	assert_int_not_equal(ks_btf_find(b, KS_BTF_FUNC, "twice"), 0);
	assert_int_equal(ks_btf_find(b, KS_BTF_FUNC, "rec"), 0);
	assert_int_equal(ks_btf_pointee(b, void_ptr), 0);
	ks_btf_free(b);
	free(m.data);
}

/* --- 2 ------------------------------------------------------------------- */

static void
split(void **state)
{
	struct make base, other, m;
	struct ks_btf *b, *o, *s, *none = NULL;
	uint32_t later, mine;
	struct ks_error err;

	(void)state;
	make_base(&base);
	b = open_one(&base, NULL);
	start(&m, &base);
	later = type(&m, KS_BTF_STRUCT, "later", 1, 8);
	member(&m, "go", fn_ptr, 0);
	mine = type(&m, KS_BTF_STRUCT, "mine", 1, 80);
	member(&m, "rec", rec, 0);
	type(&m, KS_BTF_FUNC, "start", 1, later);
	finish(&m);
	s = open_one(&m, b);
	assert_true(ks_btf_is_split(m.data, m.size));
	assert_int_equal(ks_btf_find(s, KS_BTF_STRUCT, "mine"), mine);
	assert_int_equal(ks_btf_find(s, KS_BTF_STRUCT, "rec"), rec);
	assert_int_equal(ks_btf_find_own(s, KS_BTF_STRUCT, "rec"), 0);
	assert_int_equal(ks_btf_find(b, KS_BTF_STRUCT, "mine"), 0);
	/* Its own function hides the kernel's. */
	assert_int_equal(ks_btf_type_of(s, ks_btf_find(s, KS_BTF_FUNC,
	    "start")), later);
	is_at(s, mine, 8, 0, "rec", 8, "ops");
	/* What is declared in the one is defined in the other. */
	is_at(s, mine, 72, 0, "rec", 72, "later");
	{
		struct ks_btf_place p;

		assert_true(ks_btf_at(s, mine, 72, 0, &p));
		assert_int_equal(ks_btf_pointee(s, p.type), later);
		assert_int_equal(ks_btf_pointee(b, p.type), 0);
	}
	/* A kernel with one string more is another kernel. */
	start(&other, NULL);
	for (uint32_t i = 0; i < base.nid; i++)
		type(&other, KS_BTF_INT, "x", 0, 4), word(&other, 32);
	other.nstr = base.nstr + 2;
	finish(&other);
	o = open_one(&other, NULL);
	assert_int_equal(ks_btf_open("m.ko", m.data, m.size, o, &none, &err),
	    KS_EPARSE);
	assert_string_equal(err.text, "m.ko: BTF: does not fit its base");
	assert_int_equal(ks_btf_open("m.ko", m.data, m.size, NULL, &none,
	    &err), KS_EPARSE);
	assert_null(none);
	ks_btf_free(o);
	ks_btf_free(s);
	ks_btf_free(b);
	free(base.data);
	free(other.data);
	free(m.data);
}

/* --- 3 ------------------------------------------------------------------- */

static void
endless(void **state)
{
	struct ks_btf_place p;
	struct make m;
	struct ks_btf *b;
	uint32_t id = 0;

	(void)state;
	make_base(&m);
	b = open_one(&m, NULL);
	assert_int_equal(ks_btf_strip(b, node), 0);
	assert_int_equal(ks_btf_size(b, node), 0);
	assert_false(ks_btf_at(b, node, 0, 0, &p));
	ks_btf_free(b);
	free(m.data);

	/* 16 to the power of 20 members. */
	start(&m, NULL);
	id = type(&m, KS_BTF_INT, "int", 0, 8);
	word(&m, 64);
	for (int i = 0; i < 20; i++) {
		uint32_t u = type(&m, KS_BTF_UNION, NULL, 16, 8);

		for (int k = 0; k < 16; k++)
			member(&m, NULL, id, 0);
		id = u;
	}
	finish(&m);
	b = open_one(&m, NULL);
	(void)ks_btf_at(b, id, 0, 0, &p);
	(void)ks_btf_at(b, id, 4, 0, &p);
	ks_btf_free(b);
	free(m.data);

	/* A record in itself. */
	start(&m, NULL);
	id = type(&m, KS_BTF_STRUCT, "self", 1, 8);
	member(&m, "me", id, 0);
	finish(&m);
	b = open_one(&m, NULL);
	assert_false(ks_btf_at(b, id, 0, 0, &p));
	ks_btf_free(b);
	free(m.data);
}

/* --- 4 ------------------------------------------------------------------- */

static uint64_t seed = 19930715;

static uint32_t
rnd(uint32_t n)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ z >> 31) >> 32) * n >> 32);
}

/* Asks for everything; true: it could be read. */
static bool
ask(const uint8_t *data, size_t size, const struct ks_btf *base)
{
	struct ks_btf *b;
	struct ks_error err;

	(void)ks_btf_is_split(data, size);
	if (ks_btf_open("t", data, size, base, &b, &err) != KS_OK)
		return false;
	for (uint32_t id = 0; id < 40; id++) {
		struct ks_btf_place p;

		(void)ks_btf_name(b, id);
		(void)ks_btf_pointee(b, id);
		(void)ks_btf_size(b, id);
		(void)ks_btf_result(b, ks_btf_type_of(b, id));
		(void)ks_btf_param(b, id, id);
		for (int off = -8; off < 100; off += 4)
			(void)ks_btf_at(b, id, off, id & 24, &p);
	}
	(void)ks_btf_find(b, KS_BTF_STRUCT, "rec");
	(void)ks_btf_find(b, KS_BTF_FUNC, "twice");
	ks_btf_free(b);
	return true;
}

static void
hostile(void **state)
{
	struct make m, s;
	struct ks_btf *b;
	unsigned read = 0;
	uint8_t *copy;

	(void)state;
	make_base(&m);
	b = open_one(&m, NULL);
	start(&s, &m);
	type(&s, KS_BTF_STRUCT, "later", 1, 8);
	member(&s, "go", fn_ptr, 0);
	type(&s, KS_BTF_FUNC, "start", 1, proto);
	finish(&s);
	/* Copies of their own size: reading behind the end is seen. */
	for (size_t n = 0; n < m.size; n++) {
		copy = malloc(n + (n == 0));
		assert_non_null(copy);
		memcpy(copy, m.data, n);
		assert_false(ask(copy, n, NULL));
		free(copy);
	}
	for (unsigned i = 0; i < 20000; i++) {
		const struct make *from = i % 3 == 0 ? &s : &m;

		copy = malloc(from->size);
		assert_non_null(copy);
		memcpy(copy, from->data, from->size);
		for (unsigned k = 0; k < 1 + i % 4; k++)
			copy[rnd((uint32_t)from->size)] = (uint8_t)rnd(256);
		read += ask(copy, from->size, from == &s ? b : NULL);
		free(copy);
	}
	/* Most changes leave something that can be read. */
	assert_in_range(read, 1000, 19999);
	ks_btf_free(b);
	free(m.data);
	free(s.data);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members),
		cmocka_unit_test(functions),
		cmocka_unit_test(split),
		cmocka_unit_test(endless),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
