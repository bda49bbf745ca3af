// RUN: %not %ksimd check --profile freebsd --advice %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// AES instructions, and what the CPU was asked before.
#include <wmmintrin.h>
#include "fbsd.h"

extern unsigned cpu_feature2;

static inline void
do_cpuid(unsigned leaf, unsigned *p)
{
	__asm__ volatile("cpuid" : "=a" (p[0]), "=b" (p[1]), "=c" (p[2]),
	    "=d" (p[3]) : "0" (leaf));
}

static __attribute__((target("aes"), noinline)) void
aes(char *p)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);

	_mm_storeu_si128((__m128i *)p, _mm_aesenc_si128(v, v));
}

void
good_cpuid(char *p)
{
	unsigned r[4];

	do_cpuid(1, r);
	if ((r[2] & 1u << 25) == 0)
		return;
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aes(p);
	fpu_kern_leave(curthread, NULL);
}

void
good_builtin(char *p)
{
	if (!__builtin_cpu_supports("aes"))
		return;
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aes(p);
	fpu_kern_leave(curthread, NULL);
}

void
bad_none(char *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	// CHECK: [[#@LINE+1]]:2: warning: uses aes without a check that the CPU has it [isa-unguarded]
	aes(p);
	fpu_kern_leave(curthread, NULL);
}

void
bad_leaf(char *p)
{
	unsigned r[4];

	do_cpuid(7, r);
	if ((r[2] & 1u << 25) == 0)
		return;
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	// CHECK: [[#@LINE+1]]:2: warning: uses aes without a check that the CPU has it [isa-unguarded]
	aes(p);
	fpu_kern_leave(curthread, NULL);
}

// --- the test in a function of its own -----------------------------------------
static inline unsigned
leaf1_ecx(void)
{
	unsigned r[4];

	do_cpuid(1, r);
	return (r[2]);
}

static bool
have_aes(void)
{
	unsigned r[4];

	do_cpuid(1, r);
	return ((r[2] & 1u << 25) != 0);
}

static int
probe(void)
{
	unsigned r[4];

	do_cpuid(1, r);
	if ((r[2] & 1u << 26) == 0)
		return (EINVAL);
	if ((r[2] & 1u << 25) == 0)
		return (EINVAL);
	return (0);
}

static bool
have_avx(void)
{
	return (__builtin_cpu_supports("avx") && !(probe() != 0));
}

static bool
have_other(void)
{
	unsigned r[4];

	do_cpuid(1, r);
	if (r[0] == 3)
		return (true);
	return ((r[2] & 1u << 25) != 0);
}

static void
work(char *p)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aes(p);
	fpu_kern_leave(curthread, NULL);
}

void
good_function(char *p)
{
	if (have_aes())
		work(p);
}

void
good_early(char *p)
{
	bool aes_here = have_aes();

	if (!aes_here)
		return;
	work(p);
}

void
good_status(char *p)
{
	if (probe() != 0)
		return;
	work(p);
}

void
good_chain(char *p, int n)
{
	if (n > 3 && have_avx())
		work(p);
}

void
bad_other(char *p)
{
	if (have_other() || leaf1_ecx() == 3)
		// CHECK: [[#@LINE+1]]:3: warning: uses aes without a check that the CPU has it [isa-unguarded]
		work(p);
}

void
bad_opposite(char *p)
{
	if (!have_aes())
		// CHECK: [[#@LINE+1]]:3: warning: uses aes without a check that the CPU has it [isa-unguarded]
		work(p);
}
