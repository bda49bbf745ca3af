// RUN: %clang %simd -O2 -c %s -o %t.o
// RUN: echo "held-by bad_called" > %t.contract
// RUN: %not %ksimd obj --profile freebsd --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=HELD --implicit-check-not='{{(warning|error)}}:'
// RUN: echo "held-by good_called" > %t.contract
// RUN: %ksimd obj --profile freebsd --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=GOOD --implicit-check-not='{{(warning|error)}}:'
// contract-violated: a contract that the code contradicts is an error.
// SPDX-License-Identifier: BSD-2-Clause
struct thread;
struct fpu_kern_ctx;
void fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);

void bad_called(int *);
void good_called(int *);

__attribute__((noinline)) void
bad_called(int *p)
{
	*p = 2;
}

__attribute__((noinline)) void
good_called(int *p)
{
	*p = 3;
}

// HELD: .o:caller+0x{{.*}}: error: {{.*}} [contract-violated]
// GOOD: 3 functions, 1 region, proven (
void
caller(int *p, struct thread *td, struct fpu_kern_ctx *ctx)
{
	bad_called(p);
	fpu_kern_enter(td, ctx, 0);
	good_called(p);
	fpu_kern_leave(td, ctx);
}
