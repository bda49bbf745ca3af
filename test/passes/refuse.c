// What cannot be moved is an error with its place, and there is no object.
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DCOMPUTED -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=COMPUTED && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DSETJMP -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SETJMP && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DVLA -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VLA && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DALLOCA -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ALLOCA && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DVASTART -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VASTART && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DCALLER -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=CALLER && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DMUSTTAIL -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=MUSTTAIL && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DRESULT -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=RESULT && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DPARAM -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=PARAM && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DSTORE -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=STORE && %not ls %t.o
// RUN: rm -f %t.o && %not %clang %confine %simd -I%S/Inputs -O2 -g -DASM -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=ASM && %not ls %t.o
#include "fpu.h"

#ifdef COMPUTED
void
f(void *p, int n)
{
	static void *t[] = { &&a, &&b };

	ENTER();
	goto *t[n];
a:
	FILL(p, n); // COMPUTED: [[#@LINE]]:{{.*}}error: computed goto into a region in 'f'
b:
	LEAVE();
}
#elif defined SETJMP
int	setjmp(void **) __attribute__((returns_twice));

void
f(void *p, int n)
{
	void *b[20];

	if (setjmp(b)) // SETJMP: [[#@LINE]]:{{.*}}error: region and a call that returns twice, as setjmp does, in 'f'
		return;
	ENTER();
	FILL(p, n);
	LEAVE();
}
#elif defined VLA
void
f(void *p, int n)
{
	ENTER();
	int v[n]; // VLA: [[#@LINE]]:{{.*}}error: array of variable length lives across the edge of a region in 'f'
	FILL(v, n);
	LEAVE();
	use(v);
}
#elif defined ALLOCA
void
f(void *p, int n)
{
	ENTER();
	use(__builtin_alloca(n)); // ALLOCA: [[#@LINE]]:{{.*}}error: stack memory of variable size is allocated for good in 'f'
	FILL(p, n);
	LEAVE();
}
#elif defined VASTART
void
f(void *p, int n, ...)
{
	__builtin_va_list ap;

	ENTER();
	__builtin_va_start(ap, n); // VASTART: [[#@LINE]]:{{.*}}error: va_start in a region in 'f'
	FILL(p, __builtin_va_arg(ap, int));
	LEAVE();
	__builtin_va_end(ap);
}
#elif defined CALLER
void
f(void *p, int n)
{
	ENTER();
	FILL(p, n);
	use(__builtin_return_address(0)); // CALLER: [[#@LINE]]:{{.*}}error: address of the stack frame or caller in a region in 'f'
	LEAVE();
}
#elif defined MUSTTAIL
void	next(void *, int);

void
f(void *p, int n)
{
	ENTER();
	FILL(p, n);
	if (n)
		__attribute__((musttail)) return next(p, n); // MUSTTAIL: [[#@LINE]]:{{.*}}error: {{.*}}
	LEAVE();
}
#elif defined RESULT
double
f(int n)
{
	double d;

	ENTER();
	d = n * 0.5;
	LEAVE();
	return d; // RESULT: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region
}
#elif defined PARAM
void
f(double *p, double d) // PARAM: [[#@LINE]]: error: SIMD state is used outside a region: 'a parameter'
{
	ENTER();
	*p = d * 2;
	LEAVE();
}
#elif defined STORE
void
f(__m128i *p, int n)
{
	__m128i v;

	ENTER();
	v = _mm_set1_epi32(n);
	LEAVE();
	*p = v; // STORE: [[#@LINE]]:{{.*}}error: {{.*}}outside{{.*}}
}
#elif defined ASM
void
f(void *p, int n)
{
	asm volatile("pxor %%xmm0, %%xmm0" ::: "xmm0"); // ASM: [[#@LINE]]:{{.*}}error: {{.*}}
	ENTER();
	FILL(p, n);
	LEAVE();
}
#endif
