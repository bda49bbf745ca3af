// RUN: %clang %simd -O2 -c %s -o %t.o
// RUN: echo "free bad_clear bad_caller good_int" > %t.contract
// RUN: echo "needs good_half" >> %t.contract
// RUN: %not %ksimd obj --profile freebsd --contract %t.contract %t.o 2>/dev/null | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: echo "needs bad_clear bad_caller good_half" > %t.all
// RUN: %ksimd obj --profile freebsd --contract %t.all %t.o 2>&1 | %FileCheck %s --check-prefix=ALL --implicit-check-not='{{(warning|error)}}:'
// simd-compiler-made: the contract of the source says that a function needs no
// region, and its object needs one.
// SPDX-License-Identifier: BSD-2-Clause
struct big {
	long	v[8];
};

// CHECK-DAG: bad_clear+0x{{.*}}: error: 'bad_clear' needs a region in the object, but not by its source{{.*}} [simd-compiler-made]
__attribute__((noinline)) void
bad_clear(struct big *b)
{
	*b = (struct big){ { 0 } };
}

// CHECK-DAG: bad_caller+0x{{.*}}: error: 'bad_caller' needs a region in the object, but not by its source{{.*}} [simd-compiler-made]
void
bad_caller(struct big *b)
{
	bad_clear(b);
	bad_clear(b + 1);
}

float
good_half(float f)
{
	return (f * 0.5f);
}

int
good_int(int n)
{
	return (n + 1);
}

// ALL: note: 'bad_clear' must be called inside a region
