// RUN: echo "needs enc_sse" > %t.contract
// RUN: echo "needs enc_avx" >> %t.contract
// RUN: %not %ksimd check --profile linux --contract %t.contract %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Calls that are patched into the code: what they may reach is the function
// they were made with and those they were changed to; to change one gives its
// address to nobody else.  And callbacks for helpers of other files.
#include "lnx.h"

struct static_call_key { void *func; };
void	__static_call_update(struct static_call_key *, void *, void *);
#define DEFINE_STATIC_CALL(name, f)					\
	extern __typeof__(f) __SCT__##name;				\
	struct static_call_key __SCK__##name = { .func = f }
#define static_call(name)						\
	({ (void)&__SCK__##name; (&__SCT__##name); })
#define static_call_update(name, f) ({					\
	__typeof__(&__SCT__##name) f_ = (f);				\
	__static_call_update(&__SCK__##name, &__SCT__##name, f_); })

void	enc_sse(void *, const void *, size_t);
void	enc_avx(void *, const void *, size_t);
void	enc_scalar(void *, const void *, size_t);

DEFINE_STATIC_CALL(enc, enc_sse);
DEFINE_STATIC_CALL(plain, enc_scalar);

// CHECK-DAG: note: 'enc_avx_small' must be called inside a region{{.*}}[needs-region]
static void
enc_avx_small(void *dst, const void *src, size_t n)
{
	if (n < 64)
		enc_sse(dst, src, n);
	else
		enc_avx(dst, src, n);
}

void
init_calls(bool avx)
{
	if (avx)
		static_call_update(enc, enc_avx_small);
}

void
good_call(void *dst, const void *src, size_t n)
{
	static_call(plain)(dst, src, n);
	kernel_fpu_begin();
	static_call(enc)(dst, src, n);
	kernel_fpu_end();
}

void
bad_call(void *dst, const void *src, size_t n)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK-DAG: [[#@LINE+1]]:2: error: 'enc_sse' needs a region and is called outside one [simd-outside-region]
	static_call(enc)(dst, src, n);
}

void	helper(const void *, size_t, void (*)(void *, const void *, size_t));

// CHECK-DAG: note: 'block' must be called inside a region{{.*}}[needs-region]
static void
block(void *dst, const void *src, size_t n)
{
	enc_sse(dst, src, n & ~15ul);
}

void
good_callback(const void *src, size_t n)
{
	kernel_fpu_begin();
	helper(src, n, block);
	kernel_fpu_end();
}

// CHECK-DAG: note: 'loose' must be called inside a region{{.*}}[needs-region]
// CHECK-DAG: [[#@LINE+2]]:1: warning: 'loose' needs a region, and its address reaches unknown callers: {{.*}}'helper' [simd-escapes]
static void
loose(void *dst, const void *src, size_t n)
{
	enc_avx(dst, src, n);
}

void
bad_callback(const void *src, size_t n)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	helper(src, n, loose);
}
