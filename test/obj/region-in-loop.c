// RUN: %clang %simd -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile freebsd --advice %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --check-prefix=QUIET --implicit-check-not='{{(warning|error)}}:'
// region-in-loop: a region for each iteration is advice, off by default; one
// region around the loop, or one that is left and entered again only now and
// then, is none.
// SPDX-License-Identifier: BSD-2-Clause
struct thread;
struct fpu_kern_ctx;
void fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);
void block(void *);

// CHECK: region-in-loop.c.tmp.o:bad_each+0x{{.*}}: warning: {{.*}} [region-in-loop]
// CHECK: 2 functions, 2 regions, proven, 1 advice (
// QUIET: 2 functions, 2 regions, proven (
void
bad_each(char *p, int n, struct thread *td, struct fpu_kern_ctx *ctx)
{
	for (int i = 0; i < n; i++) {
		fpu_kern_enter(td, ctx, 0);
		block(p + 16 * i);
		fpu_kern_leave(td, ctx);
	}
}

void
good_around(char *p, int n, struct thread *td, struct fpu_kern_ctx *ctx)
{
	fpu_kern_enter(td, ctx, 0);
	for (int i = 0; i < n; i++)
		block(p + 16 * i);
	fpu_kern_leave(td, ctx);
}
