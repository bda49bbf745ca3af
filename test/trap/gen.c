/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trap-gen: random C programs with FPU regions (trap.h says what they are).
 *
 *	trap-gen [-b PERCENT] SEED [COUNT]
 *
 * prints the programs trap_SEED .. trap_(SEED + COUNT - 1) as one C file.
 * The same arguments give the same text everywhere.  PERCENT (25) of the
 * programs get one fault that their source shows; the others are right as they
 * stand, whatever a compiler then makes of them.
 *
 * 1. Each program has helpers, static, some noinline: one of vector code (to
 *    be called inside), one of integers, one with a region of its own, and a
 *    pair that enters if it must and leaves if the other did.
 * 2. The body is statements to a budget; a statement nests others in loops,
 *    conditions and regions.  What may be said depends on whether a region is
 *    held, and by which context.
 * 3. Integer statements tempt compilers: struct copies, zeroed structs, byte
 *    loops that vectorise.  A third of the programs does without these, so that
 *    some can be proven.  Vector statements tempt them to hoist: operands that
 *    do not change in the loop around the region.
 * 4. A fault is chosen before, with the number of the place it goes to; if the
 *    program has too few such places it stays right.
 *
 * All arithmetic is unsigned and every index is masked: no undefined
 * behaviour, and floats are exact in the range used.
 */
#include <err.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum held {
	OUT,
	IN_CTX,			/* c: may nest with d */
	IN_BOTH,		/* c and d */
	IN_ATOMIC		/* NOCTX */
};

enum fault {
	F_NONE,
	F_VECTOR_OUTSIDE,	/* vector code where nothing is held */
	F_CALL_OUTSIDE,		/* of the vector helper */
	F_VECTOR_AFTER,		/* a statement after the leave */
	F_OPEN_RETURN,		/* returns with the region held */
	F_LEAVE_TWICE,
	F_OTHER_CONDITION,	/* left on another condition than entered */
	F_NEST_ATOMIC,
	F_COUNT
};

struct gen {
	uint64_t	rng;
	unsigned int	id;		/* of the program */
	int		quiet;		/* no temptation, see 3 */
	int		budget;		/* statements left */
	int		depth;		/* of blocks */
	int		loops;		/* around this statement */
	enum held	held;
	unsigned int	d[6];		/* drawn for the next line */
	const char	*leave;		/* text that leaves the open regions */
	enum fault	fault;
	int		fault_at;	/* so many places before it */
};

static void	block(struct gen *g, int most);

/* splitmix64 */
static uint64_t
next(struct gen *g)
{
	uint64_t z = g->rng += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31);
}

static unsigned int
below(struct gen *g, unsigned int n)
{
	return ((unsigned int)(next(g) >> 32) % n);
}

static int
percent(struct gen *g, unsigned int p)
{
	return (below(g, 100) < p);
}

/*
 * Arguments of a call are evaluated in any order, so they are not drawn there:
 * d has what the next line() may take.
 */
static void
draw(struct gen *g)
{
	for (size_t i = 0; i < sizeof(g->d) / sizeof(*g->d); i++)
		g->d[i] = (unsigned int)(next(g) >> 32);
}

static void __attribute__((format(printf, 2, 3)))
line(struct gen *g, const char *fmt, ...)
{
	va_list ap;

	for (int i = 0; i < g->depth; i++)
		putchar('\t');
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	draw(g);
}

/* True once, at the place chosen for this program's fault. */
static int
fault_here(struct gen *g, enum fault fault)
{
	return (g->fault == fault && g->fault_at-- == 0);
}

/* An offset into a or b that leaves room for 96 bytes. */
static unsigned int
at(unsigned int drawn, unsigned int align)
{
	return (drawn % (4000 / align) * align);
}

static unsigned int
var(struct gen *g)
{
	return (below(g, 4));
}

/* --- statements ---------------------------------------------------------- */

static void
int_statement(struct gen *g)
{
	unsigned int x = var(g), y = var(g);

	switch (below(g, g->quiet ? 4 : 9)) {
	case 0:
		line(g, "x%u = x%u * %uu + x%u;", x, y, g->d[0] % 1000 * 2 + 1,
		    g->d[1] % 4);
		break;
	case 1:
		line(g, "x%u ^= a[(x%u + %uu) %% TRAP_BUF];", x, y,
		    g->d[0] % 4096);
		break;
	case 2:
		line(g, "b[(x%u ^ %uu) %% TRAP_BUF] = (uint8_t)x%u;", x,
		    g->d[0] % 4096, y);
		break;
	case 3:
		line(g, "x%u = (x%u >> %u | x%u << %u) + sel;", x, y,
		    g->d[0] % 15 + 1, y, g->d[1] % 15 + 1);
		break;
	case 4:
		line(g, "*(struct trap_s *)(b + %u) = (struct trap_s){ "
		    "{ x%u } };", at(g->d[0], 8), x);
		break;
	case 5:
		line(g, "for (uint32_t k = 0; k < n; k++)");
		line(g, "\tb[k + %u] ^= (uint8_t)(a[k + %u] + x%u);",
		    at(g->d[0], 1), at(g->d[1], 1), x);
		break;
	case 6:
		line(g, "for (uint32_t k = 0; k < 16; k++)");
		line(g, "\tx%u += a[k + %u] * %uu;", x, at(g->d[0], 1),
		    g->d[1] % 9 + 1);
		break;
	case 7:
		line(g, "x%u += p%u_int(b + %u, a + %u, x%u);", x, g->id,
		    at(g->d[0], 8), at(g->d[1], 8), y);
		break;
	default:
		line(g, "*(struct trap_s *)(b + %u) = "
		    "*(const struct trap_s *)(a + %u);", at(g->d[0], 16),
		    at(g->d[1], 8));
		break;
	}
}

/* v0 and v1 are there. */
static void
vector_statement(struct gen *g)
{
	unsigned int v = below(g, 2), x = var(g);

	switch (below(g, 8)) {
	case 0:
		line(g, "v%u += (trap_v4){ x%u, x%u, x%u, x%u };", v, x, x, x,
		    x);
		break;
	case 1:
		line(g, "v%u ^= v%u >> %u;", v, 1 - v, g->d[0] % 30 + 1);
		break;
	case 2:
		line(g, "__builtin_memcpy(&v%u, a + %u, 16);", v,
		    at(g->d[0], 1));
		break;
	case 3:
		line(g, "__builtin_memcpy(b + %u, &v%u, 16);", at(g->d[0], 1),
		    v);
		break;
	case 4:
		line(g, "x%u += v%u[%u];", x, v, g->d[0] % 4);
		break;
	case 5:
		line(g, "x%u += (uint32_t)((float)(x%u & 1023) * %u.25f);", x,
		    g->d[0] % 4, g->d[1] % 8);
		break;
	case 6:
		line(g, "x%u += (uint32_t)((double)(n + %u) * 0.5);", x,
		    g->d[0] % 90);
		break;
	default:
		line(g, "x%u += p%u_vec(b + %u, a + %u, x%u);", x, g->id,
		    at(g->d[0], 16), at(g->d[1], 1), g->d[2] % 4);
		break;
	}
}

static void
vectors(struct gen *g)
{
	unsigned int x = var(g);

	line(g, "trap_v4 v0 = { x%u, x%u, x%u, x%u }, v1 = v0 * %uu;", x, x,
	    x, x, g->d[0] % 99 + 3);
}

/* Some vector work in a block of its own. */
static void
vector_block(struct gen *g)
{
	line(g, "{");
	g->depth++;
	vectors(g);
	for (unsigned int i = below(g, 3) + 1; i > 0; i--)
		vector_statement(g);
	line(g, "__builtin_memcpy(b + %u, &v0, 16);", at(g->d[0], 16));
	g->depth--;
	line(g, "}");
}

static void
early_return(struct gen *g)
{
	line(g, "if ((x%u & %uu) == %uu) {", g->d[0] % 4, (g->d[1] % 2) ? 3u : 7u,
	    g->d[2] % 4);
	g->depth++;
	if (g->held != OUT && !fault_here(g, F_OPEN_RETURN))
		line(g, "%s", g->leave);
	line(g, "return (x%u);", g->d[0] % 4);
	g->depth--;
	line(g, "}");
}

static void
condition(struct gen *g)
{
	if (percent(g, 50))
		line(g, "if ((sel & %uu) != 0) {", 1u << (g->d[0] % 4));
	else
		line(g, "if ((x%u & %uu) != 0) {", g->d[0] % 4, 1u << (g->d[1] % 8));
	block(g, 3);
	if (percent(g, 40)) {
		line(g, "} else {");
		block(g, 3);
	}
	line(g, "}");
}

static void
loop(struct gen *g)
{
	int i = g->loops++;

	if (percent(g, 70))
		line(g, "for (uint32_t i%d = 0; i%d < (n & %u); i%d++) {", i,
		    i, i == 0 ? 15 : 3, i);
	else
		line(g, "for (uint32_t i%d = n %% 3; i%d-- > 0;) {", i, i);
	g->depth++;
	line(g, "x%u += i%d;", g->d[0] % 4, i);
	g->depth--;
	block(g, 4);
	g->loops--;
	line(g, "}");
}

/* --- regions ------------------------------------------------------------- */

/* What is between an enter and its leave. */
static void
inside(struct gen *g, enum held held, const char *leave)
{
	enum held held_before = g->held;
	const char *leave_before = g->leave;

	g->held = held;
	g->leave = leave;
	vectors(g);
	g->depth--;
	block(g, 4);
	g->depth++;
	line(g, "__builtin_memcpy(b + %u, &v1, 16);", at(g->d[0], 16));
	g->held = held_before;
	g->leave = leave_before;
}

static void
after(struct gen *g, const char *leave)
{
	line(g, "%s", leave);
	if (fault_here(g, F_VECTOR_AFTER))
		line(g, "__builtin_memcpy(b + 32, &v0, 16);");
	if (g->held == OUT && fault_here(g, F_LEAVE_TWICE))
		line(g, "%s", leave);
}

static void
plain_region(struct gen *g)
{
	static const char leave_c[] = "fpu_kern_leave(curthread, c);";
	static const char leave_0[] = "fpu_kern_leave(curthread, (void *)0);";

	if (percent(g, 50)) {
		line(g, "fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);");
		inside(g, IN_CTX, leave_c);
		after(g, leave_c);
		return;
	}
	line(g, "fpu_kern_enter(curthread, (void *)0, FPU_KERN_NOCTX);");
	if (fault_here(g, F_NEST_ATOMIC))
		line(g, "fpu_kern_enter(curthread, (void *)0, "
		    "FPU_KERN_NOCTX);");
	inside(g, IN_ATOMIC, leave_0);
	after(g, leave_0);
}

/* Not entered by a thread in FPU mode. */
static void
thread_region(struct gen *g)
{
	static const char leave[] =
	    "if (!kt) fpu_kern_leave(curthread, c);";

	line(g, "int kt = is_fpu_kern_thread(0);");
	line(g, "if (!kt)");
	line(g, "\tfpu_kern_enter(curthread, c, FPU_KERN_NORMAL | "
	    "FPU_KERN_KTHR);");
	inside(g, IN_CTX, leave);
	if (fault_here(g, F_OTHER_CONDITION))
		line(g, "if ((sel & 1) == 0) fpu_kern_leave(curthread, c);");
	else
		after(g, leave);
}

/* A pair of functions that say and are told whether there is a region. */
static void
wrapped_region(struct gen *g)
{
	static char leave[40];

	snprintf(leave, sizeof(leave), "p%u_end(c, in);", g->id);
	line(g, "int in = p%u_begin(c);", g->id);
	inside(g, IN_CTX, leave);
	after(g, leave);
}

/* Entered, used and left on the same flag, with other things between. */
static void
flag_region(struct gen *g)
{
	unsigned int bit = 1u << below(g, 4), other;

	line(g, "uint32_t use = sel & %uu;", bit);
	line(g, "if (use != 0)");
	line(g, "\tfpu_kern_enter(curthread, c, FPU_KERN_NORMAL);");
	int_statement(g);
	line(g, "if (use != 0)");
	vector_block(g);
	int_statement(g);
	other = fault_here(g, F_OTHER_CONDITION) ? bit << 1 : bit;
	line(g, other == bit ? "if (use != 0)" : "if ((sel & %uu) != 0)",
	    other);
	line(g, "\tfpu_kern_leave(curthread, c);");
}

static void
nested_region(struct gen *g)
{
	char leave[120];

	line(g, "fpu_kern_enter(curthread, d, FPU_KERN_NORMAL);");
	snprintf(leave, sizeof(leave),
	    "fpu_kern_leave(curthread, d); %s", g->leave);
	inside(g, IN_BOTH, leave);
	line(g, "fpu_kern_leave(curthread, d);");
}

static void
region(struct gen *g)
{
	line(g, "{");
	g->depth++;
	if (g->held == IN_CTX)
		nested_region(g);
	else switch (below(g, 6)) {
	case 0:
		thread_region(g);
		break;
	case 1:
		wrapped_region(g);
		break;
	case 2:
		flag_region(g);
		break;
	default:
		plain_region(g);
		break;
	}
	g->depth--;
	line(g, "}");
}

/* --- programs ------------------------------------------------------------ */

static void
statement(struct gen *g)
{
	unsigned int r = below(g, 100);

	g->budget--;
	if (g->held == OUT && fault_here(g, F_VECTOR_OUTSIDE))
		vector_block(g);
	else if (g->held == OUT && fault_here(g, F_CALL_OUTSIDE))
		line(g, "x0 += p%u_vec(b + %u, a + %u, x1);", g->id,
		    at(g->d[0], 16), at(g->d[1], 1));
	if (r < 12 && g->depth < 6 && g->loops < 3)
		loop(g);
	else if (r < 24 && g->depth < 6)
		condition(g);
	else if (r < 29)
		early_return(g);
	else if (r < 60 && g->held == OUT && g->depth < 6)
		region(g);
	else if (r < 36 && g->held == IN_CTX && g->depth < 6)
		region(g);
	else if (r < 66 && g->held == OUT)
		line(g, "x%u ^= p%u_own(b + %u, a + %u, x%u, d);", g->d[0] % 4,
		    g->id, at(g->d[1], 16), at(g->d[2], 1), g->d[3] % 4);
	else if (r < 75 && g->held != OUT)
		vector_statement(g);
	else
		int_statement(g);
}

static void
block(struct gen *g, int most)
{
	int n = (int)below(g, (unsigned int)most) + 1;

	g->depth++;
	do
		statement(g);
	while (--n > 0 && g->budget > 0);
	g->depth--;
}

static const char *
linkage(struct gen *g)
{
	static const char *const all[] = {
		"static", "static inline",
		"static __attribute__((__noinline__))"
	};

	return (all[below(g, 3)]);
}

static void
helpers(struct gen *g)
{
	const char *args = "(uint8_t *b, const uint8_t *a, uint32_t x";

	printf("\n%s uint32_t\np%u_int%s)\n{\n", linkage(g), g->id, args);
	draw(g);
	if (g->quiet)
		printf("\tb[0] = a[x %% 64];\n\treturn (b[0] + %u);\n}\n",
		    g->d[0] % 100);
	else
		printf("\tstruct trap_s s = { { x, %u } };\n\n"
		    "\tfor (int k = 0; k < 6; k++)\n"
		    "\t\ts.w[k] += a[k] * %uu;\n"
		    "\t*(struct trap_s *)b = s;\n"
		    "\treturn ((uint32_t)s.w[x %% 6]);\n}\n",
		    g->d[0] % 100, g->d[1] % 50 + 1);

	printf("\n%s uint32_t\np%u_vec%s)\n{\n", linkage(g), g->id, args);
	printf("\ttrap_v4 v, w = { x, x + 1, x + 2, %u };\n\n", below(g, 99));
	printf("\t__builtin_memcpy(&v, a, 16);\n");
	printf("\tv = v * w + (v >> %u);\n", below(g, 30) + 1);
	printf("\t__builtin_memcpy(b, &v, 16);\n");
	printf("\treturn (v[0] ^ v[%u]);\n}\n", below(g, 4));

	printf("\n%s uint32_t\np%u_own%s, struct fpu_kern_ctx *d)\n{\n",
	    linkage(g), g->id, args);
	printf("\tfpu_kern_enter(curthread, d, FPU_KERN_NORMAL);\n");
	printf("\tx += p%u_vec(b, a, x);\n", g->id);
	if (percent(g, 50))
		printf("\tif ((x & 1) != 0) {\n"
		    "\t\tfpu_kern_leave(curthread, d);\n"
		    "\t\treturn (x);\n\t}\n");
	printf("\tfpu_kern_leave(curthread, d);\n");
	printf("\treturn (x + a[0]);\n}\n");

	printf("\n%s int\np%u_begin(struct fpu_kern_ctx *c)\n{\n"
	    "\tif (is_fpu_kern_thread(0))\n\t\treturn (0);\n"
	    "\tfpu_kern_enter(curthread, c, FPU_KERN_NORMAL);\n"
	    "\treturn (1);\n}\n", linkage(g), g->id);
	printf("\n%s void\np%u_end(struct fpu_kern_ctx *c, int in)\n{\n"
	    "\tif (in)\n\t\tfpu_kern_leave(curthread, c);\n}\n", linkage(g),
	    g->id);
}

static void
program(unsigned int id, unsigned int faulty)
{
	static const char *const names[F_COUNT] = {
		"no fault", "vector code outside", "vector call outside",
		"vector code after leave", "return with the region held",
		"left twice", "left on another condition", "entered twice"
	};
	struct gen g = { .rng = id * 0x2545f4914f6cdd1d + 1, .id = id };

	g.budget = 6 + (int)below(&g, 30);
	draw(&g);
	g.quiet = percent(&g, 33);
	if (percent(&g, faulty)) {
		g.fault = 1 + (enum fault)below(&g, F_COUNT - 1);
		g.fault_at = (int)below(&g, 3);
	}
	printf("\n/* trap_%u: %s, if there is a place for it. */\n", id,
	    names[g.fault]);
	helpers(&g);
	printf("\nuint64_t trap_%u(uint8_t *a, uint8_t *b, uint32_t n, "
	    "uint32_t sel,\n    struct fpu_kern_ctx *c, "
	    "struct fpu_kern_ctx *d);\n\n", id);
	printf("uint64_t\ntrap_%u(uint8_t *a, uint8_t *b, uint32_t n, "
	    "uint32_t sel,\n    struct fpu_kern_ctx *c, "
	    "struct fpu_kern_ctx *d)\n{\n", id);
	printf("\tuint32_t x0 = n * 3 + 1, x1 = sel, x2 = a[n], x3 = %u;\n\n",
	    below(&g, 1000));
	do
		block(&g, 4);
	while (g.budget > 0);
	printf("\treturn ((uint64_t)(x0 ^ x2) << 32 | (x1 ^ x3));\n}\n");
}

int
main(int argc, char *argv[])
{
	unsigned int faulty = 25, count = 1;
	unsigned long seed;
	int opt;

	while ((opt = getopt(argc, argv, "b:")) != -1) {
		if (opt != 'b')
			errx(2, "usage: trap-gen [-b percent] seed [count]");
		faulty = (unsigned int)strtoul(optarg, NULL, 10);
	}
	argc -= optind;
	argv += optind;
	if (argc < 1 || argc > 2)
		errx(2, "usage: trap-gen [-b percent] seed [count]");
	seed = strtoul(argv[0], NULL, 10);
	if (argc == 2)
		count = (unsigned int)strtoul(argv[1], NULL, 10);
	printf("/* trap-gen -b %u %lu %u */\n#include \"trap.h\"\n", faulty,
	    seed, count);
	for (unsigned int i = 0; i < count; i++)
		program((unsigned int)seed + i, faulty);
	return (fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1);
}
