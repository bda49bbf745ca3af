// RUN: %clang -O2 -ffreestanding -fPIC -mno-red-zone -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %clang %base -O2 -c %s -o %t-good.o
// RUN: %ksimd obj --profile linux %t-good.o
// RUN: %gcc -m32 -O2 -ffreestanding -fPIC -mno-red-zone -c %s -o %t-32.o
// RUN: %not %ksimd obj --profile linux %t-32.o 2>&1 | %FileCheck %s --check-prefix=I386
// obj-got-reloc: an extern variable is reached through the GOT.
// SPDX-License-Identifier: BSD-2-Clause
extern int limit;
extern int count __attribute__((visibility("hidden")));
int bad_limit(int);
int good_count(int);

// CHECK: :bad_limit+0x3: error: 'limit' is reached through the GOT by R_X86_64_REX_GOTPCRELX{{.*}}; compile without -fpic and -fPIC (-fno-pic) [obj-got-reloc]
// I386: :bad_limit+0x{{.*}}: error: {{.*}} [obj-got-reloc]
int
bad_limit(int n)
{
	return n > limit;
}

int
good_count(int n)
{
	count += n;
	return count;
}
