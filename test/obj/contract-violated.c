// RUN: %clang %base -O2 -c %s -o %t.o
// RUN: echo "held-by bad_called" > %t.contract
// RUN: %not %ksimd obj --profile linux --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=HELD --implicit-check-not='{{(warning|error)}}:'
// RUN: echo "held-by good_called" > %t.contract
// RUN: %ksimd obj --profile linux --contract %t.contract %t.o 2>&1 | %FileCheck %s --check-prefix=GOOD --implicit-check-not='{{(warning|error)}}:'
// contract-violated: a function that a contract declares to be called inside a
// region is called where none is held: one may be entered there.
// SPDX-License-Identifier: BSD-2-Clause
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);
_Bool irq_fpu_usable(void);

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
caller(int *p)
{
	if (!irq_fpu_usable())
		return;
	bad_called(p);
	kernel_fpu_begin_mask(1);
	good_called(p);
	kernel_fpu_end();
}
