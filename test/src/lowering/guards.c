// RUN: %not %ksimd check --all --profile linux %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Scope guards: a record that a function returns, a flag in it that the
// function at the end of the scope reads behind a pointer.
#include "lnx.h"

typedef long long v2 __attribute__((vector_size(16)));
struct state { int x; };
void other(void), take(void *);
void *volatile kept;
v2 out;
#define NULLP	((void *)0)
#define WORK(p)	(*(v2 *)(p) ^= *(const v2 *)((char *)(p) + 16))
#define AT_END(f) __attribute__((__cleanup__(f)))
#define GUARD(t, var) t##_t var AT_END(t##_end) = t##_start
#define scoped(t, ...)							\
	for (GUARD(t, scope)(__VA_ARGS__); t##_ptr(&scope); ({ goto done; })) \
		if (0) { done: break; } else

/* One member. */
typedef struct { struct state *lock; } one_t;
static inline void one_end(one_t *t) { if (t->lock) kernel_fpu_end(); }
static inline void *one_ptr(one_t *t) { return (void *)*&t->lock; }
static inline one_t
one_start(struct state *l)
{
	one_t t = { .lock = l }, *p = &t;

	kernel_fpu_begin();
	(void)p->lock;
	return t;
}

/* The flag is behind something else, and may be an error's number. */
static inline bool
null_or_error(const void *p)
{
	return __builtin_expect(!p, 0) ||
	    __builtin_expect((unsigned long)p >= (unsigned long)-4095, 0);
}
typedef struct { void *lock; unsigned long flags; } two_t;
static inline void
two_end(two_t *t)
{
	if (!null_or_error(t->lock))
		kernel_fpu_end();
}
static inline void *
two_ptr(two_t *t)
{
	void *p = *&t->lock;

	return null_or_error(p) ? NULLP : p;
}
static inline two_t
two_start(void)
{
	two_t t = { .lock = (void *)1 };

	kernel_fpu_begin();
	t.flags = 4;
	return t;
}
static inline two_t
maybe_two_start(struct state *l)
{
	two_t t = { .lock = l }, *p = &t;

	if (may_use_simd())
		kernel_fpu_begin();
	else
		p->lock = (void *)-16L;
	return t;
}
#define IS_ERROR(p)	\
	({ unsigned long n = (unsigned long)(p); (n - 1) >= -4095UL - 1; })
typedef two_t maybe_two_t;
static inline void
maybe_two_end(two_t *t)
{
	if (!IS_ERROR(t->lock))
		kernel_fpu_end();
}

/* A flag, and a constructor that may not enter. */
typedef struct { bool on : 1; } flag_t;
static inline void flag_end(flag_t *t) { if (t->on) kernel_fpu_end(); }
static inline bool flag_ptr(const flag_t *t) { return t->on; }
static inline flag_t
flag_start(void)
{
	flag_t t;

	if (may_use_simd()) {
		kernel_fpu_begin();
		t.on = true;
	} else {
		t = (flag_t){ false };
	}
	return t;
}

/* The same with one member: a null lock where it does not enter. */
typedef one_t maybe_t;
#define maybe_end one_end
static inline maybe_t
maybe_start(struct state *l)
{
	maybe_t t;

	if (may_use_simd()) {
		kernel_fpu_begin();
		t.lock = l;
	} else {
		t.lock = NULLP;
	}
	return t;
}
static inline one_t
literal(struct state *l)
{
	kernel_fpu_begin();
	return (one_t){ .lock = l };
}

/* No record: the pointer itself. */
typedef struct state *ptr_t;
static inline void ptr_end(void *p) { ptr_t t = *(ptr_t *)p; if (t) kernel_fpu_end(); }
static inline void *ptr_ptr(ptr_t *p) { return *p; }
static inline ptr_t ptr_start(struct state *s) { ptr_t t = s; kernel_fpu_begin(); return t; }

/* Another lock, around or inside. */
typedef struct { struct mutex *m; } mtx_t;
static inline void mtx_end(mtx_t *t) { if (t->m) mutex_unlock(t->m); }
static inline void *mtx_ptr(mtx_t *t) { return t->m; }
static inline mtx_t mtx_start(struct mutex *m) { mtx_t t = { m }; mutex_lock(m); return t; }

struct state global;

void good_scope(char *p) { scoped(one, &(struct state){ 0 }) WORK(p); }
void good_static(char *p) { scoped(one, &global) WORK(p); }
void good_constant(char *p) { scoped(two) WORK(p); }
void good_plain(char *p) { GUARD(two, g)(); WORK(p); }
void good_pointer(char *p) { struct state s; scoped(ptr, &s) WORK(p); }
void good_maybe(char *p) { scoped(flag) WORK(p); }
void
good_maybe_error(char *p)
{
	struct state s;
	GUARD(maybe_two, g)(&s);

	if (!null_or_error(g.lock))
		WORK(p);
}
void good_literal(char *p) { one_t g AT_END(one_end) = literal(&global); WORK(p); }
void
good_null_lock(char *p)
{
	GUARD(maybe, g)(&(struct state){ 0 });

	if (g.lock)
		WORK(p);
	else
		other();
}
int
good_early(char *p, int n)
{
	scoped(one, &(struct state){ 0 }) {
		if (n > 3)
			return 1;
		WORK(p);
		if (n > 2)
			return *p;
	}
	return 0;
}
int
good_loop(char *p, int n)
{
	for (int i = 0; i < n; i++) {
		GUARD(one, g)(&global);
		if (p[i] == 1)
			continue;
		if (p[i] == 2)
			break;
		WORK(p + i);
	}
	other();
	return n;
}
void
good_nested(char *p, struct mutex *m)
{
	GUARD(mtx, outer)(m);
	scoped(one, &global)
		WORK(p);
	other();
}
void
good_tested(char *p)
{
	GUARD(flag, g)();

	if (flag_ptr(&g))
		WORK(p);
	else
		other();
}
void
good_by_hand(char *p)
{
	GUARD(one, g)(&global);

	WORK(p);
	kernel_fpu_end();
	g.lock = NULLP;
	other();
}
void
good_copied(char *p)
{
	one_t g = one_start(&global), h;

	WORK(p);
	h = g;
	other();
	one_end(&h);
}
static inline one_t
through(struct state *l)
{
	one_t t = one_start(l);

	return t;
}
static inline void end_through(one_t *t) { one_end(t); }
void
good_through(char *p)
{
	one_t g AT_END(end_through) = through(&global);

	WORK(p);
}
void
good_other_member(char *p)
{
	GUARD(two, g)();

	g.flags = 0;
	WORK(p);
	g.flags = *p;
}

// The end of the scope is after the work, or the work is not in the scope.
// CHECK: [[#@LINE+1]]:74: error: {{.*}}[simd-outside-region]
void bad_after(char *p) { scoped(one, &(struct state){ 0 }) WORK(p + 1); WORK(p); }
// CHECK: [[#@LINE+1]]:63: error: {{.*}}[simd-outside-region]
void bad_else(char *p) { GUARD(flag, g)(); if (!flag_ptr(&g)) WORK(p); }
// CHECK: [[#@LINE+1]]:48: error: {{.*}}[simd-outside-region]
void bad_untested(char *p) { GUARD(flag, g)(); WORK(p); }
void
bad_break(char *p, int n)
{
	for (int i = 0; i < n; i++) {
		GUARD(one, g)(&global);
		if (p[i])
			break;
	}
	// CHECK: [[#@LINE+1]]:2: error: {{.*}}[simd-outside-region]
	WORK(p);
}
void
bad_nested(char *p)
{
	GUARD(one, g)(&global);
	// CHECK: [[#@LINE+1]]:2: error: {{.*}}[region-nested]
	scoped(two) WORK(p);
}

// Nothing leaves.
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
int bad_no_cleanup(char *p) { one_t g = one_start(&global); WORK(p); return *p; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_other(char *p) { one_t g = one_start(&global), h = { 0 }; WORK(p); one_end(&h); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_cleared(char *p) { GUARD(one, g)(&global); WORK(p); g.lock = NULLP; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_null(char *p) { GUARD(one, g)(NULLP); WORK(p); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_caller(char *p, struct state *s) { GUARD(one, g)(s); WORK(p); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_maybe(char *p, struct state *s) { GUARD(maybe_two, g)(s); if (g.flags) other(); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_null_lock(char *p) { GUARD(maybe, g)(NULLP); if (g.lock) WORK(p); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[simd-outside-region]
void bad_tested(char *p) { GUARD(maybe, g)(&global); if (!g.lock) WORK(p); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[leave-outside-region]
void bad_twice(char *p) { GUARD(one, g)(&global); WORK(p); kernel_fpu_end(); }

// What the function at the end finds is not what was put there.
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_given(void) { GUARD(one, g)(&global); take(&g); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_kept(void) { GUARD(one, g)(&global); kept = &g; other(); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_pointer(void) { GUARD(one, g)(&global); one_t *q = &g; q->lock = NULLP; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_store(void) { GUARD(one, g)(&global); void **q = (void **)&g.lock; *q = NULLP; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_whole(void) { GUARD(one, g)(&global); one_t *q = &g; *q = (one_t){ 0 }; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_builtin(void) { GUARD(one, g)(&global); __builtin_memset(&g, 0, sizeof(g)); }
static void clear(one_t *t) { t->lock = NULLP; }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_helper(void) { GUARD(one, g)(&global); clear(&g); }
static void clear_through(void *t) { clear(t); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_helpers(void) { GUARD(one, g)(&global); clear_through(&g); }
static one_t *elsewhere;
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-differs-on-join]
static void end_elsewhere(one_t *t) { t = elsewhere; if (t->lock) kernel_fpu_end(); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_elsewhere(void) { one_t g = one_start(&global); end_elsewhere(&g); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-differs-on-join]
static void end_both(one_t *t, one_t *u) { u->lock = NULLP; if (t->lock) kernel_fpu_end(); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_both(void) { one_t g = one_start(&global); end_both(&g, &g); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-differs-on-join]
static void end_given(one_t *t) { take(t); if (t->lock) kernel_fpu_end(); }
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_end_given(void) { one_t g = one_start(&global); end_given(&g); }

// Whoever has its address may call it with other arguments behind.
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-differs-on-join]
static void end_taken(one_t *t) { if (t->lock) kernel_fpu_end(); }
void (*taken)(one_t *) = end_taken;
// CHECK: [[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
void bad_taken(void) { one_t g = one_start(&global), h = { 0 }; taken(&h); }
