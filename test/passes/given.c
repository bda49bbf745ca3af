// A function given to one that is always inlined has to be inlined, too, as
// without the pass: its call becomes one by name only after that.
// RUN: %clang -O2 %simd -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes=ksimd-confine -S %t.ll -o - | %FileCheck %s --implicit-check-not="@twice("
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>

#define ALWAYS	static inline __attribute__((__always_inline__))

ALWAYS __m128i
twice(__m128i x, int n)
{
	return (n == 0 ? x : _mm_add_epi32(x, x));
}

ALWAYS void
each(__m128i *p, int n, __m128i (*f)(__m128i, int))
{
	for (int i = 0; i < n; i++)
		p[i] = f(p[i], i);
}

// CHECK-LABEL: define {{.*}}@all(
// CHECK: add <4 x i32>
void
all(__m128i *p, int n)
{
	each(p, n, twice);
}
