// A condition that is asked again within a region: the way that cannot be is gone
// before the region is moved out, or the object would seem to return with it held.
// RUN: %clang %confine %simd -I%cases -O0 -c %s -o %t.0.o && %ksimd obj --profile freebsd %t.0.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -I%cases -O2 -c %s -o %t.2.o && %ksimd obj --profile freebsd %t.2.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -I%cases -O2 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %not %clang %confine %simd -I%cases -g -O0 -DBAD -c %s -o %t.b.o 2>&1 | %FileCheck %s --check-prefix=BAD --implicit-check-not='error:'
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>
#include "fbsd.h"

struct thread *td;
struct fpu_kern_ctx *ctx;

// CHECK: proven
// Nothing is left to tell: whether it returns early is known.
// IR-LABEL: define {{.*}}void @again.region(
// IR-LABEL: define {{.*}}void @opposite.region(
// Another condition on the same value stays a question.
// IR-LABEL: define {{.*}}i1 @other.region(
int
again(char *p, unsigned n)
{
	__m128i v = _mm_setzero_si128();

	if ((n & 7) == 3)
		return (1);
	fpu_kern_enter(td, ctx, 0);
	v = _mm_loadu_si128((__m128i *)p);
	if ((n & 7) == 3)
		return (2);
	_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
	fpu_kern_leave(td, ctx);
	return (0);
}

int
opposite(char *p, unsigned n)
{
	__m128i v;

	if (n / 3 != 4)
		return (1);
	fpu_kern_enter(td, ctx, 0);
	v = _mm_loadu_si128((__m128i *)p);
	if (n / 3 == 4) {
		_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
		fpu_kern_leave(td, ctx);
		return (0);
	}
	return (2);
}

int
other(char *p, unsigned n)
{
	__m128i v;

	if ((n & 7) == 3)
		return (1);
	fpu_kern_enter(td, ctx, 0);
	v = _mm_loadu_si128((__m128i *)p);
	if ((n & 6) == 2) {
		fpu_kern_leave(td, ctx);
		return (2);
	}
	_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
	fpu_kern_leave(td, ctx);
	return (0);
}

// Called where the condition says the opposite of an earlier one: nothing is
// left of it at -O0 either, or it would return with a region that nobody leaves.
// IR-NOT: @begin(
static int
begin(void)
{
	fpu_kern_enter(td, ctx, 0);
	return (1);
}

int
unused(char *p, unsigned n)
{
	if ((n & 7) == 3) {
		if ((n & 7) == 3)
			return (1);
		return (begin());
	}
	return (0);
}

#ifdef BAD
// Brackets that are never reached are brackets: SIMD outside them is no need
// of the caller's.
// BAD: repeat.c:[[#@LINE+4]]:{{.*}}: error: SIMD state is used outside a region
int
bad_before(char *p, unsigned n)
{
	_mm_storeu_si128((__m128i *)p, _mm_setzero_si128());
	if ((n & 7) == 3) {
		if ((n & 7) == 3)
			return (1);
		return (begin());
	}
	return (0);
}

// The same where a constant says that nothing comes there.
// BAD: repeat.c:[[#@LINE+6]]:{{.*}}: error: SIMD state is used outside a region
int
bad_constant(char *p, unsigned n)
{
	unsigned x = 500;

	_mm_storeu_si128((__m128i *)p, _mm_setzero_si128());
	if (n & 4) {
		if ((x & 3) == 0)
			return (1);
		fpu_kern_enter(td, ctx, 0);
		_mm_storeu_si128((__m128i *)p, _mm_setzero_si128());
		fpu_kern_leave(td, ctx);
	}
	return (0);
}
// BAD: error: ksimd: 2 errors:
#endif
