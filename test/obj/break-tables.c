// RUN: %gcc %base -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %clang %base -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile linux %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// Jump tables of which an entry lies in the cold part of the function, and
// computed gotos, with tables of addresses and of distances.
// SPDX-License-Identifier: BSD-2-Clause
void kernel_fpu_begin_mask(unsigned);
void kernel_fpu_end(void);
void work(int);
__attribute__((cold)) void rare(int);
#define USE(r) __asm__ volatile("movaps %%xmm0, %%xmm" #r ::: "memory")

void
good_cold(int n)
{
	kernel_fpu_begin_mask(3);
	switch (n) {
	case 0: work(5); break;
	case 1: work(9); break;
	case 2: rare(1); USE(1); rare(3); break;
	case 3: work(4); break;
	case 4: work(7); work(8); break;
	case 5: work(8); work(9); break;
	}
	USE(1);
	kernel_fpu_end();
}

// CHECK-DAG: :bad_cold{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm3' [simd-outside-region]
void
bad_cold(int n)
{
	switch (n) {
	case 0: work(5); break;
	case 1: work(9); break;
	case 2: rare(1); USE(3); rare(3); break;
	case 3: work(4); break;
	case 4: work(7); work(8); break;
	case 5: work(8); work(9); break;
	}
	kernel_fpu_begin_mask(3);
	USE(1);
	kernel_fpu_end();
}

// CHECK-DAG: :bad_goto+{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm4' [simd-outside-region]
void
bad_goto(int n)
{
	static const int to[] = { &&a - &&a, &&b - &&a, &&c - &&a };

	goto *(&&a + to[n]);
a:	kernel_fpu_begin_mask(3);
	USE(1);
	kernel_fpu_end();
	return;
b:	work(1);
	USE(4);
	return;
c:	work(3);
}

void
good_goto(const unsigned char *p)
{
	static const void *const to[] = { &&a, &&b, &&c };

	kernel_fpu_begin_mask(3);
	goto *to[*p++];
a:	USE(1);
	goto *to[*p++];
b:	USE(2);
	work(1);
	goto *to[*p++];
c:	kernel_fpu_end();
}
