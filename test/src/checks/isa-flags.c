// RUN: %ksimd check --profile freebsd --advice --fail-on error %s -- %base -I%cases -mavx2 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Switched on for the file, and used by nothing in it.
// CHECK: isa-flags.c: warning: is compiled with avx2, which nothing in it needs; it needs sse2 [isa-flags]
#include <immintrin.h>

void
copy(int *d, const int *s)
{
	_mm_storeu_si128((__m128i *)d, _mm_loadu_si128((const __m128i *)s));
}

__attribute__((target("avx512f"))) void
own(int *d, const int *s)
{
	// CHECK: warning: uses avx512f without a check that the CPU has it [isa-unguarded]
	_mm512_storeu_si512(d, _mm512_loadu_si512(s));
}
