// Programs of shapes that are hard to keep apart: at each level the object is
// proven, and its debug information is sound.
// RUN: %ksimd cc -v --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -O0 -c %s -o %t-0.o 2>&1 | %FileCheck %s && llvm-dwarfdump --verify %t-0.o
// RUN: %ksimd cc -v --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -O1 -c %s -o %t-1.o 2>&1 | %FileCheck %s && llvm-dwarfdump --verify %t-1.o
// RUN: %ksimd cc -v --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -O2 -c %s -o %t-2.o 2>&1 | %FileCheck %s && llvm-dwarfdump --verify %t-2.o
// RUN: %ksimd cc -v --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -O3 -c %s -o %t-3.o 2>&1 | %FileCheck %s && llvm-dwarfdump --verify %t-3.o
// RUN: %ksimd cc -v --profile freebsd -- %clang %simd -D_KERNEL -I%src/test/passes/Inputs -g -Os -c %s -o %t-s.o 2>&1 | %FileCheck %s && llvm-dwarfdump --verify %t-s.o
// CHECK: ksimd: {{.*}}.o: proven: {{.*}} regions, {{[0-9]+}} assumptions
// SPDX-License-Identifier: BSD-2-Clause
#include "fpu.h"

// Left by break, return and continue.
int
early(int *p, int n)
{
	for (int i = 0; i < n; i++) {
		ENTER();
		if (p[i] == 3) {
			LEAVE();
			break;
		}
		FILL(p + i, n);
		if (p[i + 1] == 9) {
			LEAVE();
			return i;
		}
		LEAVE();
		if (p[i] == 8)
			continue;
		p[i]++;
	}
	return n;
}

// A region in a region.
void
nested(int *p, int n)
{
	ENTER();
	FILL(p, n);
	if (n) {
		fpu_kern_enter((void *)1, (void *)2, 0);
		FILL(p + 4, n);
		fpu_kern_leave((void *)1, (void *)2);
	}
	FILL(p + 8, n);
	LEAVE();
}

// Functions that enter and leave.
static void
enterhelper_begin(void)
{
	ENTER();
}

static void
enterhelper_end(void)
{
	LEAVE();
}

void
enterhelper(int *p, int n)
{
	enterhelper_begin();
	FILL(p, n);
	enterhelper_end();
}

// The same, as calls.
__attribute__((noinline)) static void
enterhelper_noinline_begin(void)
{
	ENTER();
}

__attribute__((noinline)) static void
enterhelper_noinline_end(void)
{
	LEAVE();
}

void
enterhelper_noinline(int *p, int n)
{
	enterhelper_noinline_begin();
	FILL(p, n);
	enterhelper_noinline_end();
}

// Vectors decide.
int
simdcond(int *p, int n)
{
	int r = 0;
	ENTER();
	if (_mm_movemask_epi8(_mm_loadu_si128((void *)p)) == n) {
		FILL(p, n);
		r = 1;
	} else if (_mm_cvtsi128_si32(_mm_loadu_si128((void *)p)) > 4)
		r = 2;
	LEAVE();
	return r;
}

// Integers and vectors share memory.
union union_u {
	__m128i v;
	long l[2];
	int i[4];
};

long
unions(union union_u *p, int n)
{
	union union_u x;
	x.l[0] = n;
	x.l[1] = p->l[1];
	ENTER();
	x.v = _mm_add_epi32(x.v, p->v);
	LEAVE();
	return x.l[0] + x.i[3];
}

union unionglobal_u {
	__m128i v;
	long l[2];
};
union unionglobal_u unionglobal_g;

long
unionglobal(int n)
{
	unionglobal_g.l[0] = n;
	ENTER();
	unionglobal_g.v = _mm_add_epi32(unionglobal_g.v, unionglobal_g.v);
	LEAVE();
	return unionglobal_g.l[0];
}

// A struct of vectors is returned.
struct structret_s {
	__m128i a, b;
	int n;
};

static struct structret_s
structret_mk(int n)
{
	struct structret_s x = {_mm_set1_epi32(n), _mm_set1_epi32(2), n};
	return x;
}

int
structret(int *p, int n)
{
	int r;
	ENTER();
	struct structret_s x = structret_mk(n);
	_mm_storeu_si128((void *)p, _mm_add_epi32(x.a, x.b));
	r = x.n;
	LEAVE();
	return r;
}

struct structret_noinline_s {
	__m128i a;
};

__attribute__((noinline)) static struct structret_noinline_s
structret_noinline_mk(int n)
{
	struct structret_noinline_s x = {_mm_set1_epi32(n)};
	return x;
}

int
structret_noinline(int *p, int n)
{
	ENTER();
	struct structret_noinline_s x = structret_noinline_mk(n);
	_mm_storeu_si128((void *)p, x.a);
	LEAVE();
	return 1;
}

void
longdouble(long double *p, int n)
{
	ENTER();
	*p = *p * 2.5L + n;
	LEAVE();
}

void
float16(_Float16 *p, int n)
{
	ENTER();
	p[0] = p[0] * (_Float16)2;
	p[1] = n;
	LEAVE();
}

// Vectors and floats among the arguments of unknown code.
void vecvarargs_v(int, ...);

void
vecvarargs(int *p, int n)
{
	ENTER();
	vecvarargs_v(2, _mm_set1_epi32(n), 1.5);
	LEAVE();
}

// Copies and zeroes outside.
struct bigcopy_big {
	char a[512];
};
struct bigcopy_big bigcopy_g;

void
bigcopy(struct bigcopy_big *p, int n)
{
	struct bigcopy_big l = *p;
	bigcopy_g = l;
	ENTER();
	FILL(p, n);
	LEAVE();
	*p = bigcopy_g;
	__builtin_memset(&bigcopy_g, 0, sizeof bigcopy_g);
	__builtin_memmove(p->a + 3, p->a, 300);
}

// A table of jumps in a region, of which some leave.
void
switches(int *p, int n)
{
	ENTER();
	switch (n) {
	case 0:
		FILL(p, 1);
		break;
	case 1:
		FILL(p, 2);
		break;
	case 2:
		p[9] = 4;
		break;
	case 3:
		FILL(p + 4, 3);
		break;
	case 4:
		FILL(p + 8, 1);
	case 5:
		p[3] = 1;
		break;
	default:
		LEAVE();
		return;
	}
	LEAVE();
}

// A table of jumps to regions.
void
switchout(int *p, int n)
{
	switch (n) {
	case 0:
		ENTER();
		FILL(p, 1);
		LEAVE();
		break;
	case 1:
		p[1] = 2;
		break;
	case 2:
		ENTER();
		FILL(p, 3);
		LEAVE();
		return;
	case 3:
		p[7] = 1;
		break;
	case 4:
		p[2] = 9;
		break;
	case 5:
		use(p);
		break;
	}
	p[0] = 2;
}

// Assembly in a region.
void
asmx(int *p, int n)
{
	ENTER();
	__m128i v = _mm_set1_epi32(n);
	asm volatile("paddd %0,%0" : "+x"(v));
	_mm_storeu_si128((void *)p, v);
	LEAVE();
}

// Calls at the end.
int tail_g(int *, int);

int
tail(int *p, int n)
{
	ENTER();
	FILL(p, n);
	LEAVE();
	return tail_g(p, n);
}

static __attribute__((noinline)) int
tailin_h(int *p, int n)
{
	FILL(p, n);
	return n;
}

int
tailin(int *p, int n)
{
	int r;
	ENTER();
	r = tailin_h(p, n);
	LEAVE();
	return r;
}

// A function that calls itself, with regions and within.
int
recursion(int *p, int n)
{
	if (n <= 0)
		return 0;
	ENTER();
	FILL(p, n);
	LEAVE();
	return recursion(p + 4, n - 1) + p[0];
}

static int
recursion_in_h(int *p, int n)
{
	FILL(p, n);
	return n ? recursion_in_h(p + 4, n - 1) : 0;
}

int
recursion_in(int *p, int n)
{
	int r;
	ENTER();
	r = recursion_in_h(p, n);
	LEAVE();
	return r;
}

// Jumps over and into what runs inside.
int
gotos(int *p, int n)
{
	int e = 0;
	ENTER();
	if (!p)
		goto out;
	FILL(p, n);
	if (n == 4) {
		e = 3;
		goto out;
	}
	FILL(p + 4, n);
out:
	LEAVE();
	return e;
}

int
gotoin(int *p, int n)
{
	if (n == 1) {
		ENTER();
		goto in;
	}
	ENTER();
	FILL(p, n);
in:
	FILL(p + 4, n);
	LEAVE();
	return n;
}

// A region in an expression.
int
stmtexpr(int *p, int n)
{
	return ({
		       ENTER();
		       int r = _mm_cvtsi128_si32(_mm_set1_epi32(n * 3));
		       FILL(p, r);
		       LEAVE();
		       r;
	       }) +
	       n;
}

struct bitfield_b {
	unsigned k : 3, l : 9, m : 20;
};

void
bitfield(struct bitfield_b *p, int n)
{
	struct bitfield_b x = *p;
	ENTER();
	x.l = _mm_cvtsi128_si32(_mm_set1_epi32(n)) & 511;
	FILL(p + 1, n);
	LEAVE();
	*p = x;
}

// More than doubles.
void
complex(_Complex double *p, int n)
{
	ENTER();
	*p = *p * *p;
	LEAVE();
}

__int128
int128(__int128 *p, int n)
{
	__int128 x = p[0];
	ENTER();
	FILL(p + 1, n);
	LEAVE();
	return x * 3 + p[1];
}

static __attribute__((noinline)) __m128i
vecarg_add(__m128i a, __m128i b)
{
	return _mm_add_epi32(a, b);
}

void
vecarg(int *p, int n)
{
	ENTER();
	_mm_storeu_si128((void *)p,
			 vecarg_add(_mm_set1_epi32(n), _mm_set1_epi32(7)));
	LEAVE();
}

// Vector code called by a table.
static void
fnptr_a(int *p, int n)
{
	FILL(p, n);
}

static void
fnptr_b(int *p, int n)
{
	FILL(p, n * 2);
}

static void (*const fnptr_t[])(int *, int) = {fnptr_a, fnptr_b};

void
fnptr(int *p, int n)
{
	ENTER();
	fnptr_t[n & 1](p, n);
	LEAVE();
}

void
volatiles(volatile int *p, int n)
{
	while (*p) {
		ENTER();
		FILL((int *)p + 4, *p);
		LEAVE();
		if (n-- == 0)
			break;
	}
}

_Bool
bools(_Bool *p, int n)
{
	_Bool r = *p;
	ENTER();
	r &= _mm_movemask_epi8(_mm_set1_epi32(n)) != 0;
	FILL(p, n);
	LEAVE();
	return r;
}

void
twocond(int *p, int n, int m)
{
	if (n)
		ENTER();
	if (m) {
		if (n)
			FILL(p, n);
	}
	if (n) {
		FILL(p + 4, n);
		LEAVE();
	}
}

// Stack memory outside, inside, and across.
int
vla_out(int *p, int n)
{
	int v[n];
	use(v);
	ENTER();
	FILL(p, n);
	LEAVE();
	return v[n - 1];
}

int
vla_in(int *p, int n)
{
	int r;
	ENTER();
	{
		int v[n];
		FILL(v, n);
		r = v[1];
	}
	LEAVE();
	return r;
}

int
alloca_in_local(int *p, int n)
{
	ENTER();
	int v[64];
	for (int i = 0; i < 64; i += 4)
		FILL(v + i, n);
	int r = 0;
	for (int i = 0; i < 64; i++)
		r += v[i];
	LEAVE();
	return r;
}

// Structs with floats are copied outside.
struct longdoublestruct_s {
	long double d;
	int n;
};

void
longdoublestruct(struct longdoublestruct_s *p, struct longdoublestruct_s *q,
		 int n)
{
	*p = *q;
	ENTER();
	p->d *= n;
	LEAVE();
	*q = *p;
}

struct floatstructcopy_s {
	float x, y;
};

void
floatstructcopy(struct floatstructcopy_s *p, struct floatstructcopy_s *q, int n)
{
	struct floatstructcopy_s t = *q;
	ENTER();
	t.x *= n;
	LEAVE();
	*p = t;
}

// Ways that do not come back.
void
unreach(int *p, int n)
{
	ENTER();
	if (n > 3)
		__builtin_unreachable();
	FILL(p, n);
	LEAVE();
}

void
panics(int *p, int n)
{
	ENTER();
	FILL(p, n);
	if (p[3] != n)
		panic("x");
	LEAVE();
}

// Assembly that jumps: outside, inside, across.
int
outasmgoto(int *p, int n)
{
	asm goto("" ::: "memory" : l);
	ENTER();
	FILL(p, n);
	LEAVE();
	return 1;
l:
	return 2;
}

int
inasmgoto(int *p, int n)
{
	ENTER();
	FILL(p, n);
	asm goto("" ::: "memory" : l);
	FILL(p + 4, n);
l:
	LEAVE();
	return 2;
}

int
asmgotoacross(int *p, int n)
{
	ENTER();
	FILL(p, n);
	asm goto("" ::: "memory" : l);
	LEAVE();
	return 1;
l:
	LEAVE();
	return 2;
}

// Loops that end when they have run, with regions.
void
irqloop(int *p, int n)
{
	do {
		ENTER();
		int k = 0;
		do {
			FILL(p, k);
			p += 4;
		} while (++k < 8 && --n > 0);
		LEAVE();
	} while (n > 0);
}
