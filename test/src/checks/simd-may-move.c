// RUN: %not %ksimd check --profile freebsd --advice %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// SIMD code beside an enter and a leave is the compiler's to move. Advice,
// with the three cures.
#include <emmintrin.h>
#include "fbsd.h"

// CHECK: [[#@LINE+7]]:{{[0-9]+}}: warning: {{.*}}[simd-may-move]
// CHECK: note: cure: the SIMD code in a function of a file of its own
// CHECK: note: cure: compile with 'ksimd cc'
// CHECK: note: cure: asm volatile
void bad_splat(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n * 3 + 1));
	fpu_kern_leave(curthread, NULL);
}

static __attribute__((noinline)) void
fill(char *p, int n)
{
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n));
}

void
good_call(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	fill(p, n);
	fpu_kern_leave(curthread, NULL);
}

// A helper that the compiler inlines brings its work to the edges.
static void
splat(char *p, int n)
{
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n));
}

static inline void
twice(char *p, int n)
{
	splat(p, n);
	splat(p + 16, n);
}

// CHECK: [[#@LINE+7]]:2: warning: {{.*}}[simd-may-move]
// CHECK: note: in 'twice', which may be inlined
// CHECK: note: in 'splat', which may be inlined
void
bad_helper(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	twice(p, n);
	fpu_kern_leave(curthread, NULL);
}

// With a region of its own, it is told there.
// CHECK: [[#@LINE+5]]:{{[0-9]+}}: warning: {{.*}}[simd-may-move]
static void
splat_in(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n));
	fpu_kern_leave(curthread, NULL);
}

void
good_own(char *p, int n, void *c)
{
	splat_in(p, n);
}

// Instructions that the caller is not compiled for: not inlined.
__attribute__((target("avx2"))) static void
splat_wide(char *p, int n)
{
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n));
}

void
good_target(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	splat_wide(p, n);
	fpu_kern_leave(curthread, NULL);
}

// For others to call: it stays what it is.
void
splat_global(char *p, int n)
{
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(n));
}

void
good_global(char *p, int n)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	splat_global(p, n);
	fpu_kern_leave(curthread, NULL);
}

static inline void
copy(char *p)
{
	__asm__ volatile("movdqu (%0), %%xmm0\n\tmovdqu %%xmm0, 16(%0)" : :
	    "r" (p) : "xmm0", "memory");
}

void
good_asm_helper(char *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	copy(p);
	fpu_kern_leave(curthread, NULL);
}

// No compiler moves volatile assembly over a call.
void
good_asm(char *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	__asm__ volatile("movdqu (%0), %%xmm0\n\tmovdqu %%xmm0, 16(%0)" : :
	    "r" (p) : "xmm0", "memory");
	fpu_kern_leave(curthread, NULL);
}
