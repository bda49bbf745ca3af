// Nothing that needs a region leaves it, at any level, and the object proves
// it.
// RUN: %clang %confine %simd -I%S/Inputs -O0 -g -c %s -o %t-0.o
// RUN: %clang %confine %simd -I%S/Inputs -O1 -g -c %s -o %t-1.o
// RUN: %clang %confine %simd -I%S/Inputs -O2 -g -c %s -o %t-2.o
// RUN: %clang %confine %simd -I%S/Inputs -O3 -g -c %s -o %t-3.o
// RUN: %clang %confine %simd -I%S/Inputs -Os -g -c %s -o %t-s.o
// RUN: %ksimd obj --profile=freebsd %t-0.o %t-1.o %t-2.o %t-3.o %t-s.o >%t.notes 2>&1
// RUN: %FileCheck %s --check-prefix=PROVEN <%t.notes
// PROVEN: regions, proven
// RUN: llvm-dwarfdump --verify %t-0.o
// RUN: llvm-dwarfdump --verify %t-3.o
// RUN: llvm-dwarfdump --debug-line %t-0.o | %FileCheck %s --check-prefix=LINE
// RUN: llvm-objdump -d --no-show-raw-insn %t-3.o | %FileCheck %s
//
// Without the plugin, clang 19 moves SIMD out of hoist, copies, variadic and
// both; the other functions show what confining must keep together:
// RUN: %clang %simd -I%S/Inputs -O3 -c %s -o %t-plain.o
// RUN: llvm-objdump -d --no-show-raw-insn %t-plain.o | %FileCheck %s --check-prefix=PLAIN
#include "fpu.h"

// Step 4: computed before the loop, before the first enter.
// CHECK-LABEL: <hoist>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<hoist.region>
// CHECK-NOT: mm{{[0-9]}}
// PLAIN-LABEL: <hoist>:
// PLAIN: %xmm0
// PLAIN: call
// PLAIN: call
void
hoist(float *p, int n)
{
	for (int i = 0; i < n; i++) {
		ENTER();
		__m128i z = _mm_set1_epi32(n * 3 + 1); // LINE: {{0x[0-9a-f]+ +}}[[#@LINE]]
		_mm_storeu_si128((__m128i *)p + i, z);
		LEAVE();
	}
}

// Step 4: a call that looks pure, of a function that needs a region, may be
// moved behind leave, where alone its result is used.
// CHECK-LABEL: <pure>:
// CHECK: call
// CHECK: call{{.*}}<pure.region>
// CHECK: call
__attribute__((noinline, const)) static int
add3(int n)
{
	return _mm_cvtsi128_si32(_mm_add_epi32(_mm_set1_epi32(n),
	    _mm_set1_epi32(3)));
}

int
pure(int *p, int n)
{
	ENTER();
	int r = add3(n);
	LEAVE();
	return p ? r : 0;
}

// Step 5: struct copies and filling with zeroes.
struct big {
	long	a[8];
};

// CHECK-LABEL: <copies>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<copies.region>
// CHECK-NOT: mm{{[0-9]}}
// PLAIN-LABEL: <copies>:
// PLAIN: mov{{[a-z]+}} {{.*}}%xmm
// PLAIN: call
void
copies(struct big *p, struct big *q, int n)
{
	*p = *q;
	ENTER();
	FILL(p, n);
	LEAVE();
	*q = (struct big){ { 0 } };
}

// Step 5: a variadic function saves vector registers.
// CHECK-LABEL: <variadic>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<variadic.region>
// CHECK-NOT: mm{{[0-9]}}
// PLAIN-LABEL: <variadic>:
// PLAIN: movaps
// PLAIN: call
int
variadic(int *p, int n, ...)
{
	__builtin_va_list ap;
	__builtin_va_start(ap, n);
	int k = __builtin_va_arg(ap, int);

	__builtin_va_end(ap);
	ENTER();
	FILL(p, k);
	LEAVE();
	return k;
}

// Steps 3 and 5: a loop outside is not vectorised; the same helper inside is.
static inline unsigned
sum(const unsigned *p, int n)
{
	unsigned r = 0;

	for (int i = 0; i < n; i++)
		r += p[i] << 3 ^ n;
	return r;
}

// CHECK-LABEL: <both>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<both.region>
// CHECK-NOT: mm{{[0-9]}}
// PLAIN-LABEL: <both>:
// PLAIN: paddd
// PLAIN: call
unsigned
both(unsigned *p, int n)
{
	unsigned r = sum(p, n * 4);

	ENTER();
	FILL(p, n);
	r += sum(p + 8, 1024);
	LEAVE();
	return r + sum(p, n);
}

// Step 1: intrinsics with features of their own are inlined before they could
// bring these along, and so is an always_inline helper on both sides.
static inline __attribute__((always_inline)) unsigned
mix(unsigned x)
{
	return (x ^ x >> 15) * 0x2c1b3c6du;
}

// CHECK-LABEL: <mixed>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<mixed.region>
// CHECK-NOT: mm{{[0-9]}}
unsigned
mixed(unsigned *p, int n)
{
	unsigned r = mix(n);

	ENTER();
	for (int i = 0; i < 1024; i++)
		p[i] = mix(p[i]) ^ r;
	FILL(p, r);
	LEAVE();
	return r + mix(p[3]);
}

// Step 3, with facts: the region is entered and left if the caller has none.
// CHECK-LABEL: <conditional>:
// CHECK-NOT: mm{{[0-9]}}
// CHECK: call{{.*}}<conditional.region>
int	is_fpu_kern_thread(unsigned);

void
conditional(int *p, int n)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		ENTER();
	FILL(p, n);
	if (!kt)
		LEAVE();
}

// CHECK-LABEL: <hoist.region>:
// CHECK: %xmm0
// CHECK-LABEL: <both.region>:
// CHECK: pslld
// CHECK: paddd
// CHECK-LABEL: <mixed.region>:
// CHECK-NOT: call
// CHECK: xor{{.*}}mm
// CHECK-LABEL: <conditional.region>:
