/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object with one of everything that the reader follows: tables by which
 * a kernel patches code, jump tables, pointers to functions, regions, SIMD,
 * cold parts, strings, debug information.  mangle.c breaks it.
 */
#ifdef __x86_64__
#define WORD	".quad "
#else
#define WORD	".long "
#endif

void kernel_fpu_begin(void);
void kernel_fpu_end(void);
void mutex_lock(void *);
int printk(const char *, ...);
int entry(int, char *);

struct ops {
	const char *name;
	int	(*run)(int, char *);
	void	(*stop)(void *);
};

static volatile int state;

static inline int
label(void)
{
	__asm__ goto("1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	    ".pushsection __jump_table, \"aw\"\n"
	    ".long 1b - ., %l[yes] - .\n" WORD "state - .\n"
	    ".popsection" : : : : yes);
	return 0;
yes:
	return 1;
}

static inline void
warn(void)
{
	__asm__ volatile("1: ud2\n"
	    ".pushsection __bug_table, \"aw\"\n"
#ifdef __x86_64__
	    ".long 1b - .\n.long 0\n.word 7, 1\n"
#else
	    ".long 1b\n.long 0\n.word 7, 1\n"
#endif
	    ".popsection");
}

static inline int
load(const int *p)
{
	int v;

	__asm__ volatile("1: mov %1, %0\n2:\n"
	    ".pushsection .fixup, \"ax\"\n3: xor %0, %0\njmp 2b\n.popsection\n"
	    ".pushsection __ex_table, \"a\"\n"
	    ".long 1b - ., 3b - ., 1\n.popsection" : "=r"(v) : "m"(*p));
	return v;
}

static inline void
alternative(void)
{
	__asm__ volatile("1: .byte 0x90, 0x90, 0x90\n2:\n"
	    ".pushsection .altinstr_replacement, \"ax\"\n"
	    "3: movaps %xmm0, %xmm1\n4:\n.popsection\n"
	    ".pushsection .altinstructions, \"a\"\n"
	    ".long 1b - ., 3b - .\n.word 1\n.byte 2b - 1b, 4b - 3b\n"
	    ".popsection");
}

static int
simd(int n, char *p)
{
	__asm__ volatile("movups (%0), %%xmm0; paddd %%xmm0, %%xmm0;"
	    "movups %%xmm0, (%0)" : : "r"(p) : "memory");
	return n + p[0];
}

static int
plain(int n, char *p)
{
	for (int i = 0; i < n; i++)
		p[i] ^= (char)n;
	return load((int *)p);
}

const struct ops table[] = {
	{ "simd", simd, mutex_lock },
	{ "plain", plain, 0 },
	{ "entry", entry, mutex_lock },
};

int
entry(int n, char *p)
{
	static const char *const names[] = { "one", "two", "three" };
	int r = 0;

	if (label())
		r = table[n & 1].run(n, p);
	if (__builtin_expect(n > 1000, 0)) {
		warn();
		printk("%s: %d\n", names[n % 3], n);
		return -1;
	}
	switch (n) {
	case 0: r += 3; break;
	case 1: r = simd(n, p); break;
	case 2: kernel_fpu_begin(); r = simd(n, p); kernel_fpu_end(); break;
	case 3: table[2].stop(p); break;
	case 4: alternative(); break;
	case 5: r = state; break;
	case 6: mutex_lock(p); break;
	default: r = plain(n, p);
	}
	return r;
}
