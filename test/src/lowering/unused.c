// RUN: %not %ksimd check --profile freebsd %s -- -ffreestanding 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// Functions of the file's own that nobody calls: compilers leave them out, and
// who would balance the two that are there for others?
// SPDX-License-Identifier: BSD-2-Clause
struct thread;
struct fpu_kern_ctx;
void fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);

static inline void
good_begin(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(0, c, 0);
}

static inline void
good_end(struct fpu_kern_ctx *c)
{
	fpu_kern_leave(0, c);
}

// What is wrong whoever calls it stays so.
static float bad_x;
static void
bad_after(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(0, c, 0);
	fpu_kern_leave(0, c);
// CHECK: :[[#@LINE+1]]:8: error: {{.*}} [simd-outside-region]
	bad_x *= 2;
}

// Emitted all the same.
__attribute__((used)) static void
bad_used(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(0, c, 0);
// CHECK: :[[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}

__attribute__((constructor)) static void
bad_constructor(void)
{
	fpu_kern_enter(0, 0, 4);
// CHECK: :[[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}
