// RUN: %clang %base -O2 -c %s -o %t.o
// RUN: echo "held-by bad_called" > %t.contract
// RUN: %not %ksimd obj --profile linux --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=HELD --implicit-check-not='{{(warning|error)}}:'
// RUN: echo "held-by good_called" > %t.contract
// RUN: %ksimd obj --profile linux --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=GOOD --implicit-check-not='{{(warning|error)}}:'
// contract-violated: a function that a contract declares to be called inside a
// region is called while the region is left for a moment.
// SPDX-License-Identifier: BSD-2-Clause
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);

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

// HELD: .o:suspend+0x{{.*}}: error: {{.*}} [contract-violated]
static __attribute__((noinline)) void
suspend(int *p)
{
	kernel_fpu_end();
	bad_called(p);
	kernel_fpu_begin_mask(1);
}

// GOOD: 4 functions, 2 regions, proven (
void
caller(int *p)
{
	kernel_fpu_begin_mask(1);
	suspend(p);
	good_called(p);
	kernel_fpu_end();
}
