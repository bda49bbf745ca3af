/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Error text, arena, growing arrays and interned strings.
 *
 * The arena is a list of chunks; a request that does not fit in the newest
 * chunk starts another one, whose size doubles up to a limit, so that small
 * users stay small and large ones call malloc seldom.  Requests above that
 * limit get a chunk of their own.
 *
 * The string table is an open-addressing hash table of ids beside an array
 * of entries in order of their ids; at most half of the slots are in use, so
 * a free one ends every search.  Ids depend on the order of interning only,
 * never on hash values.
 *
 * Limit: the hash is not keyed.  Input made to collide costs time, nothing
 * else.
 */
#include "ks/base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN	((size_t)512)
#define CHUNK_MAX	((size_t)1 << 20)
#define ARENA_ALIGN	_Alignof(max_align_t)

int
ks_error(struct ks_error *err, int code, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (err == NULL)
		return code;
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n < 0)
		err->text[0] = '\0';
	if (n >= (int)sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - 4, "...", 4);
	/* Words of a hostile file must not break the line or the terminal. */
	for (char *p = err->text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return code;
}

static _Noreturn void
out_of_memory(void)
{
	fputs("ksimd: error: out of memory\n", stderr);
	exit(KS_EXIT_INTERNAL);
}

void *
ks_xrealloc(void *p, size_t size)
{
	p = realloc(p, size > 0 ? size : 1);
	if (p == NULL)
		out_of_memory();
	return p;
}

/* --- arena --------------------------------------------------------------- */

struct chunk {
	struct chunk	*next;
	size_t		 used, size;	/* bytes of data */
	max_align_t	 data[];
};

struct ks_arena {
	struct chunk	*chunks;	/* the newest first */
	size_t		 next_size;
};

struct ks_arena *
ks_arena_new(void)
{
	struct ks_arena *a = ks_xmalloc(sizeof(*a));

	a->chunks = NULL;
	a->next_size = CHUNK_MIN;
	return a;
}

void
ks_arena_free(struct ks_arena *a)
{
	struct chunk *c, *next;

	if (a == NULL)
		return;
	for (c = a->chunks; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(a);
}

/* ZEROED: for one request; the kernel's fresh pages need no clearing. */
static struct chunk *
chunk_new(size_t size, bool zeroed)
{
	struct chunk *c;

	if (size > SIZE_MAX - sizeof(*c))
		out_of_memory();
	c = zeroed ? calloc(1, sizeof(*c) + size) :
	    malloc(sizeof(*c) + size);
	if (c == NULL)
		out_of_memory();
	c->next = NULL;
	c->used = 0;
	c->size = size;
	return c;
}

void *
ks_alloc(struct ks_arena *a, size_t size)
{
	struct chunk *c = a->chunks;
	void *p;

	if (size > SIZE_MAX - ARENA_ALIGN)
		out_of_memory();
	size = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	if (size == 0)
		size = ARENA_ALIGN;
	if (c == NULL || size > c->size - c->used) {
		if (size > CHUNK_MAX / 4) {
			/* Behind the newest, which still has room. */
			struct chunk *big = chunk_new(size, true);

			big->used = size;
			big->next = c != NULL ? c->next : NULL;
			if (c != NULL)
				c->next = big;
			else
				a->chunks = big;
			return big->data;
		}
		if (a->next_size < size)
			a->next_size = size;
		c = chunk_new(a->next_size, false);
		c->next = a->chunks;
		a->chunks = c;
		if (a->next_size < CHUNK_MAX)
			a->next_size *= 2;
	}
	p = (char *)c->data + c->used;
	c->used += size;
	return memset(p, 0, size);
}

char *
ks_strndup(struct ks_arena *a, const char *s, size_t n)
{
	char *p = ks_alloc(a, n + 1);

	if (n > 0)
		memcpy(p, s, n);
	return p;
}

char *
ks_strdup(struct ks_arena *a, const char *s)
{
	return ks_strndup(a, s, strlen(s));
}

char *
ks_printf(struct ks_arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *p;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = ks_alloc(a, n > 0 ? (size_t)n + 1 : 1);
	if (n > 0)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

/* --- growing arrays ------------------------------------------------------ */

void *
ks_vec_grow(void *v, size_t *cap, size_t elem)
{
	size_t n = *cap > 0 ? *cap : 4;

	if (n > SIZE_MAX / 2 / elem)
		out_of_memory();
	if (*cap > 0)
		n *= 2;
	*cap = n;
	return ks_xrealloc(v, n * elem);
}

void
ks_vec_release(void *v)
{
	free(v);
}

/* --- interned strings ---------------------------------------------------- */

struct entry {
	const char	*s;
	uint32_t	 len;
	uint32_t	 hash;
};

struct ks_strtab {
	struct ks_arena	*arena;
	KS_VEC(struct entry) entries;	/* by id; 0 is "" */
	uint32_t	*slots;		/* ids, 0: free */
	uint32_t	 nslots;	/* a power of two */
};

static uint32_t
hash_bytes(const char *s, size_t n)
{
	uint64_t h = n, w;

	while (n >= sizeof(w)) {
		memcpy(&w, s, sizeof(w));
		h = (h ^ w) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 32;
		s += sizeof(w);
		n -= sizeof(w);
	}
	w = 0;
	memcpy(&w, s, n);
	h = (h ^ w) * UINT64_C(0x9fb21c651e98df25);
	h ^= h >> 29;
	h *= UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(h >> 32);
}

struct ks_strtab *
ks_strtab_new(void)
{
	struct ks_strtab *t = ks_xmalloc(sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->arena = ks_arena_new();
	t->nslots = 64;
	t->slots = ks_xmalloc(t->nslots * sizeof(*t->slots));
	memset(t->slots, 0, t->nslots * sizeof(*t->slots));
	*ks_vec_push(&t->entries) = (struct entry){ "", 0, 0 };
	return t;
}

void
ks_strtab_free(struct ks_strtab *t)
{
	if (t == NULL)
		return;
	ks_arena_free(t->arena);
	ks_vec_free(&t->entries);
	free(t->slots);
	free(t);
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *
find_slot(const struct ks_strtab *t, const char *s, size_t n, uint32_t hash)
{
	uint32_t mask = t->nslots - 1;

	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &t->slots[i];
		const struct entry *e = &t->entries.v[*slot];

		if (*slot == 0)
			return slot;
		if (e->hash == hash && e->len == n &&
		    memcmp(e->s, s, n) == 0)
			return slot;
	}
}

static void
grow_slots(struct ks_strtab *t)
{
	uint32_t n = t->nslots, mask, i;

	if (n > UINT32_MAX / 4)
		out_of_memory();
	n *= 2;
	mask = n - 1;
	t->slots = ks_xrealloc(t->slots, n * sizeof(*t->slots));
	memset(t->slots, 0, n * sizeof(*t->slots));
	t->nslots = n;
	for (uint32_t id = 1; id < t->entries.n; id++) {
		i = t->entries.v[id].hash & mask;
		while (t->slots[i] != 0)
			i = (i + 1) & mask;
		t->slots[i] = id;
	}
}

uint32_t
ks_intern_n(struct ks_strtab *t, const char *s, size_t n)
{
	uint32_t hash, *slot, id;

	if (n > UINT32_MAX - 1)
		out_of_memory();
	hash = hash_bytes(s, n);
	slot = find_slot(t, s, n, hash);
	if (*slot != 0)
		return *slot;
	id = (uint32_t)t->entries.n;
	*slot = id;
	*ks_vec_push(&t->entries) = (struct entry){
		ks_strndup(t->arena, s, n), (uint32_t)n, hash
	};
	if (t->entries.n > t->nslots / 2)
		grow_slots(t);
	return id;
}

uint32_t
ks_intern(struct ks_strtab *t, const char *s)
{
	return ks_intern_n(t, s, strlen(s));
}

uint32_t
ks_intern_find(const struct ks_strtab *t, const char *s)
{
	return ks_intern_find_n(t, s, strlen(s));
}

uint32_t
ks_intern_find_n(const struct ks_strtab *t, const char *s, size_t n)
{
	return n > UINT32_MAX - 1 ? 0 :
	    *find_slot(t, s, n, hash_bytes(s, n));
}

const char *
ks_str(const struct ks_strtab *t, uint32_t id)
{
	return id < t->entries.n ? t->entries.v[id].s : "";
}

uint32_t
ks_strtab_count(const struct ks_strtab *t)
{
	return (uint32_t)t->entries.n;
}
