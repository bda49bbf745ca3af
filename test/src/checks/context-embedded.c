// RUN: %not %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// A type whose size only the running kernel knows, by value or measured.
#include "fbsd.h"

struct fpu_kern_ctx { char area[512]; };

struct softc {
	int	unit;
	// CHECK: [[#@LINE+1]]:22: error: 'struct fpu_kern_ctx' has a size that only the running kernel knows: member 'ctx' [context-embedded]
	struct fpu_kern_ctx ctx;
	struct fpu_kern_ctx *good;
};

size_t
bad_size(struct fpu_kern_ctx *c)
{
	// CHECK: [[#@LINE+1]]:10: error: {{.*}}: sizeof [context-embedded]
	return (sizeof(*c));
}

void
bad_local(void)
{
	// CHECK: [[#@LINE+1]]:22: error: {{.*}}: variable 'a' [context-embedded]
	struct fpu_kern_ctx a[2];

	(void)a;
}

// The kernel's own allocator knows the size.
struct fpu_kern_ctx *
fpu_kern_alloc_ctx(unsigned flags)
{
	return (malloc(sizeof(struct fpu_kern_ctx), M_DRV, (int)flags));
}
