// Each step of confining (docs/DESIGN.md, section 8) is there for a program
// that goes wrong without it.  With all steps the object is proven.
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"

struct walk {
	unsigned total, left;
};
struct big {
	long	a[8];
};
typedef int v4si __attribute__((vector_size(16)));

int	is_fpu_kern_thread(unsigned);
int	first(struct walk *);
int	next(struct walk *);

// PROVEN: regions, proven
// PROVEN1: 1 region, proven

#ifdef INLINE
// What an always_inline function makes is a value of its caller.
// RUN: %steps %simd -O2 -DINLINE -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %not %steps %simd -O2 -DINLINE %without=inline -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=INLINE
static inline __attribute__((always_inline)) __m128i
begin(const int *p)
{
	ENTER();
	return _mm_loadu_si128((const void *)p);
}

void
f(int *p)
{
	__m128i v = begin(p); // INLINE: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region

	_mm_storeu_si128((void *)(p + 4), v);
	LEAVE();
}
#elif defined VALUES
// A constant that is kept in a local outside is worked with inside.
// RUN: %steps %simd -O2 -DVALUES -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %not %steps %simd -O2 -DVALUES %without=values -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=VALUES
void
f(int *p)
{
	__m128i v = { 3, 4 }; // VALUES: [[#@LINE]]:{{.*}}error: SIMD state is used outside a region: 'store of <2 x i64>'

	ENTER();
	_mm_storeu_si128((void *)p, v);
	LEAVE();
}
#elif defined WAYS
// The return in the block and the way on are one until the scope is left.
// RUN: %steps %simd -O2 -DWAYS -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: %not %steps %simd -O2 -DWAYS %without=ways -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=WAYS
int
f(int *p, int n)
{
	struct walk w;
	int err = first(&w);

	if (!w.left)
		return (err);
	if (n > 0 && w.left < w.total) {
		int blocks = n / 16;

		w.total = blocks;
		err = first(&w);
		if (!w.left)
			return (err);
	} else {
		n = 0;
	}
	ENTER();
	while (w.left > 0) {
		FILL(p, n);
		LEAVE();
		err = next(&w);
		if (w.left > 0)
			ENTER();
	}
	return (err);
} // WAYS: [[#@LINE]]:{{.*}}error: returns with the region held
#elif defined JUDGE
// Faulty source is an error; nothing may make a right object of it, in which
// the vector was taken apart.
// RUN: rm -f %t.o && %not %steps %simd -O2 -DJUDGE -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=JUDGE && %not ls %t.o
// RUN: rm -f %t.o && %not %steps %simd -O2 -DJUDGE %without=judge -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=LEFT && %not ls %t.o
// RUN: %steps %simd -O2 -DJUDGE %without=judge,left -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
void
f(v4si *p, int n)
{
	ENTER();
	FILL(p, n);
	LEAVE();
	p[1] = (v4si){ 1, 2, 3, 4 };
	// JUDGE: [[#@LINE-1]]:{{.*}}error: SIMD state is used outside a region: 'store of <4 x i32>'
	// LEFT: [[#@LINE-2]]:{{.*}}error: SIMD outside a region in 'f'
}
#elif defined HELD
// Without judging there is an object that returns with a region held.
// RUN: rm -f %t.o && %not %steps %simd -O2 -DHELD -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=HELD && %not ls %t.o
// RUN: %steps %simd -O2 -DHELD %without=judge -c %s -o %t.o && %not %prove %t.o 2>&1 | %FileCheck %s --check-prefix=RETURNS
void
f(int *p, int n)
{
	ENTER();
	FILL(p, n);
	if (n == 0)
		return;
	LEAVE();
}
// HELD: steps.c:{{.*}}error: returns with the region held
// RETURNS: f+0x{{.*}}: error: returns with the region held
#elif defined COPIES
// A helper of both sides has no vector code inside if there is but one of it.
// RUN: %steps %simd -O2 -DCOPIES -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=COPIES
// RUN: %steps %simd -O2 -DCOPIES %without=copies -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1 --implicit-check-not="'sum"
// COPIES: 'sum.inside' must be called inside a region: it uses p
// COPIES: 1 region, proven
static __attribute__((noinline)) unsigned
sum(const unsigned *p, int n)
{
	unsigned r = 0;

	for (int i = 0; i < n; i++)
		r += p[i] << 3 ^ n;
	return (r);
}

unsigned
f(unsigned *p, int n)
{
	unsigned r = sum(p, n);

	ENTER();
	FILL(p, n);
	r += sum(p + 8, 1024);
	LEAVE();
	return (r);
}
#elif defined NOINLINE
// A function compiled without SIMD features, with SIMD in assembly: nothing
// else keeps the part from going back.
// RUN: %steps %base -mno-80387 -O2 -DNOINLINE -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %not %steps %base -mno-80387 -O2 -DNOINLINE %without=noinline -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=NOINLINE
int
f(int *p, int n)
{
	int r;

	ENTER();
	asm("movd %1, %%xmm0; movd %%xmm0, %0" // NOINLINE: steps.c:{{.*}}error: SIMD outside a region, made by the compiler in 'f'
	    : "=r" (r) : "r" (n) : "xmm0");
	LEAVE();
	if (p == 0)
		return (0);
	use(p);
	return (r);
}
#elif defined BARRIER
// The part reads and writes no memory: its call goes where its result is used.
// RUN: %steps %simd -O2 -DBARRIER -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DBARRIER %without=barrier -c %s -o %t.o && %not %prove %t.o 2>&1 | %FileCheck %s --check-prefix=BARRIER
// BARRIER: f+0x{{.*}}: error: 'f.region' needs a region and is called outside one
int
f(int *p, int n, int k)
{
	int hit = 0;
	__m128i v;

	ENTER();
	v = _mm_set1_epi32(n);
	for (int i = 0; i < 3; i++) {
		v = _mm_add_epi8(v, v);
		if (_mm_movemask_epi8(v) == k) {
			hit = 1;
			break;
		}
	}
	LEAVE();
	if (p == 0)
		return (0);
	use(p);
	return (hit);
}
#elif defined SLOTS
// A float that lives across regions: in a register it would be an argument of
// the part, which the two sides pass differently.
// RUN: %steps %simd -O2 -DSLOTS -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %not %steps %simd -O2 -DSLOTS %without=slots -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=SLOTS
// RUN: %not %steps %simd -O2 -DSLOTS %without=slots,passing -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=PASSED
void
f(float *p, float *q, int n)
{
	float x = 0;

	for (int i = 0; i < n; i++) {
		ENTER();
		x += p[i]; // SLOTS: steps.c:{{.*}}error: float or vector crosses the edge of a region in 'f'
		*q = x;
		LEAVE();
	}
}
// PASSED: error: SIMD outside a region in 'f'
#elif defined EDGES
// Who sees the object knows that both questions have one answer only if they
// are in one function.
// RUN: %steps %simd -O2 -DEDGES -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DEDGES %without=edges -c %s -o %t.o && %not %prove %t.o 2>&1 | %FileCheck %s --check-prefix=EDGES
// EDGES: f+0x{{.*}}: error: returns with the region held
void
f(int *p, int n)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		ENTER();
	FILL(p, n);
	if (!kt)
		LEAVE();
}
#elif defined FRAME
// A result of the part, whose address others get, lies on the stack beside what
// says whether to leave.
// RUN: %steps %simd -O2 -DFRAME -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: %steps %simd -O2 -DFRAME %without=frame -c %s -o %t.o && %not %prove %t.o 2>&1 | %FileCheck %s --check-prefix=FRAME
// FRAME: f+0x{{.*}}: error: a region is left here that is held on some paths only
unsigned long
f(unsigned char *a, unsigned char *b, unsigned n, unsigned sel,
    struct fpu_kern_ctx *c, struct fpu_kern_ctx *d)
{
	unsigned x0 = n * 3 + 1, x1 = sel, x3 = 3;
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		fpu_kern_enter((void *)1, c, 0);
	x1 += _mm_cvtsi128_si32(_mm_set1_epi32(x3 * 5));
	x1 += _mm_movemask_epi8(_mm_set1_epi32(n));
	if (sel & 4) {
		for (unsigned i = n % 3; i-- > 0;) {
			x1 += i;
			x0 += (unsigned)((float)(x1 & 1023) * 3.25f);
		}
		x3 ^= a[(x1 + 934u) % 77];
		use(&x1);
	}
	fpu_kern_enter((void *)1, d, 0);
	x1 += _mm_movemask_epi8(_mm_set1_epi32(x1 * x0));
	FILL(b + 100, x1);
	fpu_kern_leave((void *)1, d);
	FILL(b, x0);
	if (!kt)
		fpu_kern_leave((void *)1, c);
	use(a);
	return (x0 * x1 + x3 + sel + a[n] + b[sel]);
}
#elif defined FEATURES
// A float made in one part is read in another, from memory.  Between functions
// of one set of features LLVM makes it an argument, which the bracket function
// passes as software floats are: the object shows nothing of that, and is
// wrong.  It is seen when all passes have run.
// RUN: %steps %simd -O3 -DFEATURES -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN
// RUN: rm -f %t.o && %not %steps %simd -O3 -DFEATURES %without=features -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=FEATURES && %not ls %t.o
// RUN: %steps %simd -O3 -DFEATURES %without=features,last -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=LAST
// LAST: f.region.2+0x0: {{.*}} it uses movss %xmm0, (%rdi)
// LAST: regions, proven
void
f(float *p, float *q, int n)
{
	float x;

	ENTER();
	x = p[n] * 2;
	LEAVE();
	use(q);
	ENTER();
	q[0] = x;
	// FEATURES: [[#@LINE-1]]:{{.*}}error: SIMD outside a region, made by the compiler in 'f'
	LEAVE();
}
#elif defined IMPLICIT
// A copy of a struct is SIMD where there is any.  Each of the three keeps it
// out by itself.
// RUN: %steps %simd -O2 -DIMPLICIT -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DIMPLICIT %without=implicit,soft-float -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DIMPLICIT %without=features,soft-float -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DIMPLICIT %without=features,implicit -c %s -o %t.o && %prove %t.o 2>&1 | %FileCheck %s --check-prefix=PROVEN1
// RUN: %steps %simd -O2 -DIMPLICIT %without=features,implicit,soft-float -c %s -o %t.o && %not %prove %t.o 2>&1 | %FileCheck %s --check-prefix=IMPLICIT
// IMPLICIT: f+0x{{.*}}: error: SIMD state is used outside a region: 'movups
void
f(struct big *p, struct big *q, int n)
{
	*p = *q;
	ENTER();
	FILL(p, n);
	LEAVE();
}
#elif defined CARRY
// The part is freed with the rest of its section.
// RUN: %steps %simd -O2 -DCARRY -c %s -o %t.o && llvm-objdump -t %t.o | %FileCheck %s --check-prefix=CARRY
// RUN: %steps %simd -O2 -DCARRY %without=carry -c %s -o %t.o && llvm-objdump -t %t.o | %FileCheck %s --check-prefix=LOST
// CARRY-DAG: F .init.text {{.*}} f.region
// LOST-DAG: F .text {{.*}} f.region
__attribute__((section(".init.text"))) void
f(int *p, int n)
{
	ENTER();
	FILL(p, n);
	LEAVE();
}
#endif
