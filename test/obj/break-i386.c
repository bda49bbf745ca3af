// RUN: %gcc -std=gnu11 -ffreestanding -m32 -fno-pic -mno-mmx -mno-sse -msoft-float -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// RUN: %clang -std=gnu11 -ffreestanding -m32 -fno-pic -mno-mmx -mno-sse -msoft-float -O2 -c %s -o %t.o
// RUN: %not %ksimd obj --profile freebsd %t.o 2>&1 | %FileCheck %s --implicit-check-not='{{(warning|error)}}:'
// i386: compilers pass arguments of local functions in registers.
// SPDX-License-Identifier: BSD-2-Clause
void fpu_kern_enter(void *, void *, unsigned);
void fpu_kern_leave(void *, void *);
int work(int);
extern void *td, *ctx;
#define USE() __asm__ volatile("movaps %%xmm0, %%xmm1" ::: "memory")

__attribute__((noinline)) static int
begin(int on)
{
	if (!on)
		return (0);
	fpu_kern_enter(td, ctx, 0);
	return (1);
}

__attribute__((noinline)) static void
end(int on)
{
	if (on)
		fpu_kern_leave(td, ctx);
}

void
good_pair(int on)
{
	int k = begin(on);

	if (k)
		USE();
	work(1);
	end(k);
}

// CHECK-DAG: :bad_always+{{.*}}: error: SIMD state is used outside a region: 'movaps %xmm0, %xmm1' [simd-outside-region]
void
bad_always(int on)
{
	int k = begin(on);

	USE();
	work(1);
	end(k);
}
