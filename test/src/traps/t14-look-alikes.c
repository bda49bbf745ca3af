// RUN: %ksimd check --profile freebsd %s -- %base -I%cases -Wno-everything 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Instructions that look like SIMD and use general registers only; and VIA's,
// which name no register and need the FPU.
#include <immintrin.h>
#include "fbsd.h"

__attribute__((target("sse4.2,popcnt,bmi,bmi2")))
uint64_t
good_general(const uint64_t *p, int *q, uint64_t v)
{
	uint64_t r = _mm_crc32_u64(v, p[0]);

	r ^= _bzhi_u64(v, 5) ^ _pext_u64(v, r) ^ _andn_u64(r, v);
	r += (uint64_t)__builtin_popcountll(v);
	_mm_stream_si32(q, (int)r);
	_mm_prefetch((const char *)p, _MM_HINT_T0);
	_mm_clflush(p);
	_mm_mfence();
	_mm_pause();
	return (r);
}

uint32_t
good_asm(uint32_t x)
{
	uint32_t a, d;
	uint8_t c;

	__asm__("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
	__asm__("rorx $7, %1, %0" : "=r" (a) : "r" (x));
	__asm__("movbel %1, %0" : "=r" (x) : "m" (a));
	__asm__("setb %0" : "=qm" (c));
	__asm__ volatile("vmread %1, %0" : "=r" (*(uint64_t *)&a) : "r" (1ul));
	return (a + d + x + c);
}

// CHECK: [[#@LINE+6]]:2: note: 'needs_rng' must be called inside a region{{.*}}[needs-region]
uint32_t
needs_rng(void *buf)
{
	uint32_t n = 0;

	__asm__ volatile(".byte 0x0f,0xa7,0xc0" : "=a" (n), "+D" (buf));
	return (n);
}
