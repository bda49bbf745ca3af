// Outlined regions compute what the source says, at every level.
// RUN: %clang %s -O0 -msse2 -o %t-plain && %t-plain >%t-plain.out
// RUN: %clang %confine %s -O0 -g -msse2 -o %t-0 && %t-0 >%t-0.out
// RUN: %clang %confine %s -O1 -g -msse2 -o %t-1 && %t-1 >%t-1.out
// RUN: %clang %confine %s -O2 -msse2 -o %t-2 && %t-2 >%t-2.out
// RUN: %clang %confine %s -O3 -mavx2 -o %t-3
// RUN: %clang %confine %s -Os -msse2 -o %t-s && %t-s >%t-s.out
// RUN: cmp %t-plain.out %t-0.out
// RUN: cmp %t-plain.out %t-1.out
// RUN: cmp %t-plain.out %t-2.out
// RUN: cmp %t-plain.out %t-s.out
#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct thread;
struct fpu_kern_ctx;
void	fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int	fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);

#define ENTER()	fpu_kern_enter((void *)1, (void *)1, 0)
#define LEAVE()	fpu_kern_leave((void *)1, (void *)1)
#define API	__attribute__((noinline))

struct pair {
	uint32_t	a[9];
	__m128i		v;
};

// The vector lives in memory between two regions.
API void
two_regions(uint32_t *p, int n)
{
	__m128i a;

	ENTER();
	a = _mm_add_epi32(_mm_loadu_si128((void *)p), _mm_set1_epi32(n));
	LEAVE();
	p[0] += 7;
	ENTER();
	a = _mm_xor_si128(a, _mm_loadu_si128((void *)p));
	_mm_storeu_si128((void *)p, a);
	LEAVE();
}

// An accumulator over regions in a loop, starting as a constant.
API uint32_t
accumulate(const uint32_t *p, int n)
{
	__m128i a = { 0x200000001, 0x400000003 };
	uint32_t r[4];

	for (int i = 0; i < n; i++) {
		ENTER();
		a = _mm_add_epi32(a, _mm_set1_epi32(p[i]));
		LEAVE();
	}
	ENTER();
	_mm_storeu_si128((void *)r, a);
	LEAVE();
	return r[0] ^ r[1] << 3 ^ r[2] << 5 ^ r[3] << 7;
}

// Values that change places on the way round, outside.
API uint32_t
swap(const uint32_t *p, int n)
{
	__m128i a, b, t;
	uint32_t r[4];

	ENTER();
	a = _mm_set1_epi32(p[0]);
	b = _mm_set1_epi32(p[1]);
	LEAVE();
	for (int i = 0; i < n; i++) {
		ENTER();
		b = _mm_add_epi32(b, _mm_slli_epi32(a, 1));
		LEAVE();
		t = a;
		a = b;
		b = t;
	}
	ENTER();
	_mm_storeu_si128((void *)r, _mm_sub_epi32(a, b));
	LEAVE();
	return r[0];
}

// Doubles across regions, and an integer made of one.
API int
scalar(int n)
{
	double d = 0.5, e;
	int r = 0;

	for (int i = 0; i < n; i++) {
		ENTER();
		e = d * n + i;
		d = e / 3;
		r += (int)e;
		LEAVE();
	}
	return r;
}

// A region with several exits, in a loop, and several results.
API int
exits(const uint32_t *p, int n, uint32_t *out)
{
	int i, found = -1;
	uint32_t sum = 0;

	for (i = 0; i < n; i++) {
		ENTER();
		__m128i v = _mm_loadu_si128((void *)(p + i));
		sum += _mm_cvtsi128_si32(v);
		if (_mm_movemask_epi8(v) == 0x1111) {
			found = i;
			LEAVE();
			break;
		}
		if (sum & 0x10000000) {
			LEAVE();
			*out = sum;
			return -2;
		}
		if (sum == 77) {
			LEAVE();
			continue;
		}
		sum += 3;
		LEAVE();
	}
	*out = sum;
	return found;
}

// One leave for a region that begins in two places.
API uint32_t
two_enters(uint32_t *p, int n)
{
	__m128i v;

	if (n & 1) {
		ENTER();
		v = _mm_set1_epi32(n);
	} else {
		p[1] ^= 5;
		ENTER();
		v = _mm_set1_epi32(p[1]);
	}
	_mm_storeu_si128((void *)p, _mm_add_epi32(v, v));
	LEAVE();
	return p[2];
}

// Locals that live across; their addresses are known elsewhere.
static uint32_t *kept;

API void
keep(uint32_t *p)
{
	kept = p;
}

API uint32_t
locals(int n)
{
	uint32_t buf[8] = { 1, 2, 3, n };
	struct pair x, y;

	keep(buf);
	memset(&x, 0, sizeof(x));
	ENTER();
	x.v = _mm_add_epi32(_mm_loadu_si128((void *)buf), _mm_set1_epi32(n));
	_mm_storeu_si128((void *)(buf + 4), x.v);
	LEAVE();
	y = x;
	x.a[1] = kept[5];
	ENTER();
	y.v = _mm_add_epi32(y.v, x.v);
	_mm_storeu_si128((void *)buf, y.v);
	LEAVE();
	return buf[0] + kept[1] + x.a[1] + y.a[0];
}

// The whole loop in the region.
API void
whole(uint32_t *restrict to, const uint32_t *restrict from, int n)
{
	ENTER();
	for (int i = 0; i < n; i++)
		to[i] = from[i] * 3 + to[i];
	_mm_storeu_si128((void *)to, _mm_loadu_si128((void *)from));
	LEAVE();
}

// A helper used on both sides.
static inline __attribute__((always_inline)) uint32_t
mix(uint32_t x)
{
	return (x ^ x >> 15) * 0x2c1b3c6du;
}

API uint32_t
both_sides(uint32_t *p, int n)
{
	uint32_t r = 0;

	for (int i = 0; i < 16; i++)
		r += mix(p[i] + n);
	ENTER();
	for (int i = 0; i < 16; i++)
		p[i] = mix(p[i]);
	_mm_storeu_si128((void *)p, _mm_set1_epi32(r));
	LEAVE();
	return r + mix(p[3]);
}

// An array of variable length within the region.
API uint32_t
vla(int n)
{
	uint32_t r = 0;

	ENTER();
	{
		uint32_t v[n + 4];

		for (int i = 0; i < n + 4; i++)
			v[i] = i * n;
		_mm_storeu_si128((void *)v, _mm_set1_epi32(n));
		r = v[0] + v[n + 3];
	}
	LEAVE();
	return r;
}

// Wide results in general registers.
API unsigned __int128
wide(uint64_t n)
{
	unsigned __int128 r;

	ENTER();
	r = (unsigned __int128)n * _mm_cvtsi128_si32(_mm_set1_epi32(n));
	r = r << 3 | 1;
	LEAVE();
	return r + n;
}

static int depth, entered;

API void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *c, unsigned flags)
{
	(void)td, (void)c, (void)flags;
	depth++;
	entered++;
}

API int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *c)
{
	(void)td, (void)c;
	return --depth;
}

int
main(void)
{
	uint32_t p[64], q[64], out = 0;

	for (int n = 1; n < 40; n++) {
		for (int i = 0; i < 64; i++) {
			p[i] = i * 2654435761u + n;
			q[i] = i + n;
		}
		p[20] = p[21] = p[22] = p[23] = n & 2 ? 0x80u : 9;
		two_regions(p, n);
		printf("%u %u ", p[0], p[3]);
		printf("%u ", accumulate(p, n));
		printf("%u ", swap(p, n));
		printf("%d ", scalar(n));
		printf("%d ", exits(p, n, &out));
		printf("%u ", out);
		printf("%u ", two_enters(p, n));
		printf("%u ", locals(n));
		whole(p, q, n);
		printf("%u %u ", p[0], p[n]);
		printf("%u ", both_sides(p, n));
		printf("%u ", vla(n));
		printf("%llu ", (unsigned long long)(wide(n) >> 1));
		printf("%d %d\n", depth, entered);
	}
	return 0;
}
