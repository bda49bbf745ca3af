// A region that is left in several places: which of them it was is asked by
// comparisons, not by tables of jumps, where the proof would see ways from one
// region's exits to the other's.
// RUN: %clang %confine %simd -I%cases -O2 -c %s -o %t.o && %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s
// RUN: %clang %confine %simd -I%cases -O2 -S -emit-llvm %s -o - | %FileCheck %s --check-prefix=IR
// RUN: %clang %confine %simd -I%cases -O2 -S %s -o - | %FileCheck %s --check-prefix=ASM
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>
#include "fbsd.h"

struct thread *td;
struct fpu_kern_ctx *ctx, *ctx2;

// CHECK: proven
// IR: switch i16 %{{.*}}
// ASM-NOT: jmpq *
int
exits(char *p, unsigned n, unsigned m)
{
	__m128i v;

	if (n & 1)
		fpu_kern_enter(td, ctx, 0);
	fpu_kern_enter(td, ctx2, 0);
	v = _mm_loadu_si128((__m128i *)p);
	switch (_mm_cvtsi128_si32(v)) {
	case 1:
		fpu_kern_leave(td, ctx2);
		p[1] = 1;
		break;
	case 2:
		fpu_kern_leave(td, ctx2);
		p[2] = 3;
		if (n & 1)
			fpu_kern_leave(td, ctx);
		return (3);
	case 3:
		fpu_kern_leave(td, ctx2);
		p[3] = 5;
		break;
	default:
		_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
		fpu_kern_leave(td, ctx2);
		break;
	}
	if (n & 1)
		fpu_kern_leave(td, ctx);
	if (m & 1)
		return (1);
	fpu_kern_enter(td, ctx, 0);
	v = _mm_loadu_si128((__m128i *)p);
	switch (_mm_cvtsi128_si32(v)) {
	case 4:
		fpu_kern_leave(td, ctx);
		p[1] = 7;
		return (4);
	case 5:
		fpu_kern_leave(td, ctx);
		p[2] = 8;
		return (5);
	case 6:
		fpu_kern_leave(td, ctx);
		p[3] = 9;
		return (6);
	default:
		_mm_storeu_si128((__m128i *)p, _mm_add_epi32(v, v));
		fpu_kern_leave(td, ctx);
		return (7);
	}
}
