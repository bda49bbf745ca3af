// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// An allocation that may fail, used before it was tested.
#include "fbsd.h"

void
bad_now(void)
{
	struct fpu_kern_ctx *c = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);

	// CHECK: [[#@LINE+1]]:2: warning: the allocation of this context may have failed, and nothing tested it [context-unchecked]
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, c);
}

int
bad_wrong_way(void)
{
	struct fpu_kern_ctx *c = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);

	if (c != NULL)
		return (0);
	// CHECK: [[#@LINE+1]]:2: error: enters without a context{{.*}}[region-context-mismatch]
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, c);
	return (1);
}

int
good_tested(void)
{
	struct fpu_kern_ctx *c = fpu_kern_alloc_ctx(FPU_KERN_NOWAIT);

	if (!c)
		return (ENOMEM);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, c);
	return (0);
}

void
good_waits(void)
{
	struct fpu_kern_ctx *c = fpu_kern_alloc_ctx(FPU_KERN_NORMAL);

	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	fpu_kern_leave(curthread, c);
}
