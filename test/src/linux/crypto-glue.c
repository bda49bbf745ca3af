// RUN: echo "needs blocks_sse" > %t.contract
// RUN: %not %ksimd check --profile linux --contract %t.contract %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Glue of a cipher in assembly: a walk with a region a step, the scalar way
// where none may be entered, brackets in macros, and a leave before the step
// that may sleep.
#include "lnx.h"

bool	crypto_simd_usable(void);
struct walk { const void *src; void *dst; unsigned int left; };
int	walk_start(struct walk *, void *, bool atomic);
int	walk_step(struct walk *, unsigned int left);
void	crypto_yield(unsigned int flags);
void	blocks_sse(void *, const void *, unsigned int);
void	blocks_scalar(void *, const void *, unsigned int);

int
good_walk(void *req)
{
	struct walk w;
	int err = walk_start(&w, req, false);

	while (w.left != 0) {
		kernel_fpu_begin();
		blocks_sse(w.dst, w.src, w.left & ~15u);
		kernel_fpu_end();
		err = walk_step(&w, w.left & 15u);
	}
	return (err);
}

int
good_fallback(void *dst, const void *src, unsigned int n)
{
	if (!crypto_simd_usable() || n < 64) {
		blocks_scalar(dst, src, n);
		return (0);
	}
	kernel_fpu_begin();
	blocks_sse(dst, src, n);
	kernel_fpu_end();
	return (0);
}

// One region for many steps, left and entered again for what may sleep.
#define WALK_BEGIN(req, least) do {					\
	const int least_ = (least);					\
	struct walk w;							\
	int err = walk_start(&w, req, false);				\
	while (w.left > 0) {						\
		unsigned int n = w.left;				\
		bool simd = least_ >= 0 && n >= (unsigned int)least_;	\
		if (simd)						\
			kernel_fpu_begin()
#define WALK_WITH(f)							\
		f(w.dst, w.src, n);					\
		n = 0
#define WALK_END							\
		if (simd)						\
			kernel_fpu_end();				\
		err = walk_step(&w, n);					\
	}								\
	return (err);							\
} while (0)

int
good_macros(void *req)
{
	WALK_BEGIN(req, 16);
	if (simd)
		blocks_sse(w.dst, w.src, n);
	WALK_WITH(blocks_scalar);
	WALK_END;
}

int
bad_macros(void *req)
{
	WALK_BEGIN(req, 16);
	// CHECK: [[#@LINE+1]]:12: error: 'blocks_sse' needs a region and is called outside one [simd-outside-region]
	WALK_WITH(blocks_sse);
	WALK_END;
}

int
bad_step(void *req)
{
	struct walk w;
	int err = walk_start(&w, req, false);

	kernel_fpu_begin();
	while (w.left != 0) {
		blocks_sse(w.dst, w.src, w.left);
		err = walk_step(&w, 0);
		// CHECK: [[#@LINE+1]]:3: error: 'crypto_yield' {{.*}}[region-sleeps]
		crypto_yield(0x200);
	}
	kernel_fpu_end();
	return (err);
}

int
bad_fallback(void *dst, const void *src, unsigned int n)
{
	if (crypto_simd_usable())
		kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:2: error: 'blocks_sse' needs a region and is called outside one [simd-outside-region]
	blocks_sse(dst, src, n);
	// CHECK: [[#@LINE+1]]:2: error: returns with the region held [region-not-left]
	return (0);
}
