// Ways that clang joins and splits again are judged one by one, as in the
// source; what the way says of the region is not lost between.
// RUN: %clang -O0 -g %simd -I%cases -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.0.ll
// RUN: %clang -O2 -g %simd -I%cases -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.2.ll
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes='print<ksimd>' -disable-output %t.0.ll 2>&1 | %FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes='print<ksimd>' -disable-output %t.2.ll 2>&1 | %FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include "fbsd.h"

struct walk {
	void *iv;
	unsigned total, left;
};

struct thread *td;
struct fpu_kern_ctx *ctx;
float *data;

#define ENTER()	fpu_kern_enter(td, ctx, FPU_KERN_NORMAL)
#define LEAVE()	fpu_kern_leave(td, ctx)
#define unlikely(x)	__builtin_expect(!!(x), 0)

int	first(struct walk *);
int	next(struct walk *);

// The return inside the block leaves a scope: clang goes on by a number.
int
good_return_in_scope(int tail)
{
	struct walk w;
	int err;

	err = first(&w);
	if (!w.left)
		return (err);
	if (unlikely(tail > 0 && w.left < w.total)) {
		int blocks = tail / 16;

		w.total = blocks;
		err = first(&w);
		if (!w.left)
			return (err);
	} else {
		tail = 0;
	}
	ENTER();
	while (w.left > 0) {
		*data += 1;
		LEAVE();
		err = next(&w);
		if (w.left > 0)
			ENTER();
	}
	if (unlikely(tail > 0 && !err)) {
		struct walk other;

		err = first(&other);
		if (err)
			return (err);
		ENTER();
		*data += 2;
		LEAVE();
	}
	return (err);
}

// What && says of its left side holds behind it, too.
void
good_both(int a, int b)
{
	if (a > 0)
		ENTER();
	if (unlikely(a > 0 && b))
		*data += 1;
	if (a > 0)
		LEAVE();
}

// Said by the side that is not there.
// CHECK: ways.c:[[#@LINE+9]]:9: error: {{.*}} [simd-outside-region]
// CHECK: ways.c:[[#@LINE+8]]:9: error: {{.*}} [simd-outside-region]
void
bad_either(int a, int b)
{
	if (a > 0)
		ENTER();
	if (unlikely(a > 0 || b))
		// b alone
		*data += 1;
	if (a > 0)
		LEAVE();
}

// The number leads out of two scopes, and each way has its own.
int
good_scopes(int n)
{
	for (int i = 0; i < n; i++) {
		struct walk w;

		ENTER();
		if (first(&w)) {
			int j = w.left;

			LEAVE();
			if (next(&w))
				return (j);
			continue;
		}
		*data += 1;
		LEAVE();
		if (w.total == 0)
			break;
	}
	return (0);
}

// CHECK: ways.c:[[#@LINE+16]]:{{[0-9]+}}: error: returns with the region held [region-not-left]
int
bad_scopes(int n)
{
	struct walk w;

	ENTER();
	if (first(&w)) {
		int j = w.left;

		if (n == j)
			return (j);
	}
	*data += 1;
	LEAVE();
	return (0);
}

// A vector of the region outside is given back by the one inside it.
void
good_vector(struct fpu_kern_ctx *inner, int n)
{
	__m128i v, w;

	ENTER();
	v = _mm_loadu_si128((void *)data);
	fpu_kern_enter(td, inner, FPU_KERN_NORMAL);
	w = _mm_set1_epi32(n);
	_mm_storeu_si128((void *)(data + 4), w);
	fpu_kern_leave(td, inner);
	for (int i = 0; i < n; i++)
		_mm_storeu_si128((void *)(data + 4 * i), v);
	LEAVE();
}

// CHECK: ways.c:[[#@LINE+10]]:{{[0-9]+}}: warning: 'w' was made in a region that has been left since [simd-crosses-region]
void
bad_vector(struct fpu_kern_ctx *inner, int n)
{
	__m128i w;

	ENTER();
	fpu_kern_enter(td, inner, FPU_KERN_NORMAL);
	w = _mm_set1_epi32(n);
	fpu_kern_leave(td, inner);
	_mm_storeu_si128((void *)data, w);
	LEAVE();
}
