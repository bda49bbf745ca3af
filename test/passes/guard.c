// Scope guards: the helper that leaves is told by a record on the stack.
// RUN: %clang %confine %simd -I%cases -O0 -c %s -o %t.0.o && %ksimd obj --profile freebsd %t.0.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -I%cases -O2 -c %s -o %t.2.o && %ksimd obj --profile freebsd %t.2.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -I%cases -Os -fno-omit-frame-pointer -c %s -o %t.s.o && %ksimd obj --profile freebsd %t.s.o 2>&1 | %FileCheck %s
// RUN: %not %clang %confine %simd -I%cases -g -O0 -DBAD -c %s -o %t.b.o 2>&1 | %FileCheck %s --check-prefix=BAD --implicit-check-not='error:'
// RUN: %not %clang %confine %simd -I%cases -g -O2 -DBAD -c %s -o %t.b.o 2>&1 | %FileCheck %s --check-prefix=BAD --implicit-check-not='error:'
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>
#include "fbsd.h"

struct thread *td;
struct fpu_kern_ctx *ctx;

struct guard {
	struct fpu_kern_ctx *held;
};

static inline void
guard_end(struct guard *g)
{
	if (g->held)
		fpu_kern_leave(td, g->held);
}

static inline __attribute__((always_inline)) struct guard
guard_begin(struct fpu_kern_ctx *c)
{
	struct guard g = { .held = c }, *p = &g;

	(void)p;
	fpu_kern_enter(td, c, 0);
	return (g);
}

static inline __attribute__((always_inline)) void *
guard_held(struct guard *g)
{
	return (g->held);
}

struct maybe {
	int held;
};

static inline void
maybe_end(struct maybe *m)
{
	if (m->held)
		fpu_kern_leave(td, ctx);
}

static inline __attribute__((always_inline)) struct maybe
maybe_begin(void)
{
	struct maybe m;

	if (is_fpu_kern_thread(0)) {
		m.held = 0;
	} else {
		fpu_kern_enter(td, ctx, 0);
		m.held = 1;
	}
	return (m);
}

#define CLEANUP(f)	__attribute__((cleanup(f)))
/* What fits into a record on the stack is never null. */
#define scoped(c)							\
	for (struct guard scope CLEANUP(guard_end) = guard_begin(c);	\
	    guard_held(&scope); ({ goto out; }))			\
		if (0) {						\
out:			break;						\
		} else

// BAD-DAG: error: ksimd: 2 errors
#ifndef BAD
// CHECK-NOT: {{warning|error}}:
// CHECK: proven
void
whole(char *p)
{
	struct guard g CLEANUP(guard_end) = guard_begin(
	    (struct fpu_kern_ctx *)&(long){ 0 });
	__m128i v = _mm_loadu_si128((__m128i *)p);

	_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
}

int
early(char *p, int n)
{
	scoped((struct fpu_kern_ctx *)&(long){ 0 }) {
		__m128i v = _mm_loadu_si128((__m128i *)p);

		if (n > 3)
			return (1);
		_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
	}
	return (0);
}

int
conditional(char *p)
{
	struct maybe m CLEANUP(maybe_end) = maybe_begin();
	__m128i v = _mm_loadu_si128((__m128i *)p);

	_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
	return (p[3]);
}

void
loop(char *p, int n)
{
	for (int i = 0; i < n; i++) {
		struct maybe m CLEANUP(maybe_end) = maybe_begin();
		__m128i v = _mm_loadu_si128((__m128i *)p + i);

		if (p[i] == 3)
			continue;
		if (p[i] == 4)
			break;
		_mm_storeu_si128((__m128i *)p + i, _mm_add_epi32(v, v));
	}
}
#else
// BAD-DAG: guard.c:[[#@LINE+10]]:{{.*}}: error: SIMD state is used outside a region
void
late(char *p)
{
	__m128i v;

	{
		struct maybe m CLEANUP(maybe_end) = maybe_begin();
		v = _mm_loadu_si128((__m128i *)p);
	}
	_mm_storeu_si128((__m128i *)p, v);
}

// BAD-DAG: guard.c:[[#@LINE+11]]:{{.*}}: error: returns with the region held
int
forgotten(char *p, int n)
{
	struct maybe m CLEANUP(maybe_end) = maybe_begin();
	__m128i v = _mm_loadu_si128((__m128i *)p);

	if (n > 3)
		m.held = 0;
	_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
	return (0);
}
#endif
