/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs generated programs (test/trap/gen.c) in a process and prints what each
 * computed, so that two builds of the same programs can be compared:
 *
 *	NAME RUN RESULT HASH-OF-B
 *
 * The kernel's functions count only; a region that is left open or entered
 * twice shows as a line of its own.
 */
#include <stdio.h>
#include <string.h>

#include "trap.h"

typedef uint64_t program(uint8_t *a, uint8_t *b, uint32_t n, uint32_t sel,
	    struct fpu_kern_ctx *c, struct fpu_kern_ctx *d);

struct entry {
	program		*run;
	const char	*name;
};

extern const struct entry programs[];		/* ends with NULL */

struct fpu_kern_ctx {
	int	used;
};

static int	depth;
static struct fpu_kern_ctx atomic;
struct thread	*curthread;

static struct fpu_kern_ctx *
context(struct fpu_kern_ctx *ctx)
{
	return (ctx != NULL ? ctx : &atomic);
}

void
fpu_kern_enter(struct thread *td, struct fpu_kern_ctx *ctx,
    unsigned int flags)
{
	(void)td;
	(void)flags;
	if (context(ctx)->used++ != 0)
		printf("! entered twice\n");
	depth++;
}

int
fpu_kern_leave(struct thread *td, struct fpu_kern_ctx *ctx)
{
	(void)td;
	if (context(ctx)->used-- != 1)
		printf("! left twice\n");
	depth--;
	return (0);
}

int
is_fpu_kern_thread(unsigned int flags)
{
	(void)flags;
	return (0);
}

static uint64_t
hash(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;	/* FNV-1a */

	while (n-- > 0)
		h = (h ^ *p++) * 0x100000001b3u;
	return (h);
}

int
main(void)
{
	static uint8_t a[TRAP_BUF] __attribute__((aligned(64)));
	static uint8_t b[TRAP_BUF] __attribute__((aligned(64)));
	static const struct {
		uint32_t n, sel;
	} with[] = { { 0, 0 }, { 1, 15 }, { 3, 5 }, { 5, 10 }, { 7, 6 },
	    { 8, 9 }, { 9, 3 }, { 9, 12 } };

	for (const struct entry *e = programs; e->run != NULL; e++)
		for (unsigned int i = 0; i < sizeof(with) / sizeof(with[0]);
		    i++) {
			struct fpu_kern_ctx c = { 0 }, d = { 0 };
			uint32_t x = 12345 + i;
			uint64_t r;

			for (unsigned int j = 0; j < TRAP_BUF; j++) {
				x = x * 1103515245 + 12345;
				a[j] = (uint8_t)(x >> 16);
				b[j] = (uint8_t)(x >> 24);
			}
			r = e->run(a, b, with[i].n, with[i].sel, &c, &d);
			printf("%s %u %016llx %016llx\n", e->name, i,
			    (unsigned long long)r,
			    (unsigned long long)hash(b, sizeof(b)));
			if (depth != 0)
				printf("! %d regions open\n", depth);
			depth = 0;
		}
	return (0);
}
