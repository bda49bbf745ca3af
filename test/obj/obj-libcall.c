// RUN: %clang %base -mno-80387 -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// obj-libcall: floating point became calls of soft-float helpers; one warning
// for a function, which names them.
// SPDX-License-Identifier: BSD-2-Clause
int bad_ratio(int, int, int);
int good_ratio(int, int, int);

// CHECK: :bad_ratio+0x{{.*}}: warning: floating point in code that must not use the FPU calls '__floatsidf', '__divdf3', '__muldf3', '__fixdfsi', {{.*}} [obj-libcall]
int
bad_ratio(int num, int den, int khz)
{
	return (int)((double)num / den * khz);
}

int
good_ratio(int num, int den, int khz)
{
	return (int)((long)num * khz / den);
}
