// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// A region and its context do not belong together.
#include "fbsd.h"

void
bad_null(void)
{
	// CHECK: [[#@LINE+1]]:2: error: enters without a context, and the flags want one [region-context-mismatch]
	fpu_kern_enter(curthread, NULL, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, NULL);
}

void
bad_left_null(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+1]]:2: error: leaves without a context a region that was entered with one [region-context-mismatch]
	fpu_kern_leave(curthread, NULL);
}

void
bad_other(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b)
{
	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+1]]:2: error: leaves with another context than was entered with [region-context-mismatch]
	fpu_kern_leave(curthread, b);
}

void
bad_again(struct fpu_kern_ctx *c)
{
	struct fpu_kern_ctx *same = c;

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+1]]:2: error: enters with the context of a region that is held [region-context-mismatch]
	fpu_kern_enter(curthread, same, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, same);
	fpu_kern_leave(curthread, c);
}

void
bad_freed(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	// CHECK: [[#@LINE+1]]:2: error: frees the context of a region that is held [region-context-mismatch]
	fpu_kern_free_ctx(c);
	fpu_kern_leave(curthread, c);
}

void
good_nested(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b)
{
	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	fpu_kern_enter(curthread, b, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, b);
	fpu_kern_leave(curthread, a);
}

void
good_chosen(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b, int n)
{
	struct fpu_kern_ctx *c = n ? a : b;

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, n ? a : b);
	fpu_kern_free_ctx(c);
}

void
bad_allocated_inside(void)
{
	struct fpu_kern_ctx *c;

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	c = fpu_kern_alloc_ctx(FPU_KERN_NORMAL);
	printf("between\n");
	// CHECK: [[#@LINE+1]]:2: error: leaves with another context than was entered with [region-context-mismatch]
	fpu_kern_leave(curthread, c);
}

static void
begin(struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
}

// The region of the callee is another one, with another context.
void
good_by_callee(struct fpu_kern_ctx *a, struct fpu_kern_ctx *b)
{
	struct fpu_kern_ctx *c;

	fpu_kern_enter(curthread, a, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, a);
	begin(b);
	fpu_kern_leave(curthread, b);
	c = fpu_kern_alloc_ctx(FPU_KERN_NORMAL);
	begin(c);
	fpu_kern_leave(curthread, c);
}
