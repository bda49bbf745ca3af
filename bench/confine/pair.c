/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throughput of two builds of the example's kernel objects in one process.
 *
 * 1. Both builds are linked in, their entry points renamed to plain_ and
 *    confined_ (bench/confine/confine.py).  They are kernel code: curthread is
 *    what %gs points to, so %gs is made to point to one here.
 * 2. A row is a variant and a direction.  A round measures both builds, each
 *    over the same 4 KiB sectors; which goes first alternates.
 * 3. Before, both encrypt the same bytes, which have to come out equal.
 *
 * Output, by row and round: variant, direction, nanoseconds of thread CPU time
 * of the plain and of the confined build; or a variant, "lacks" and what this
 * CPU lacks.
 *
 * Limit: the brackets are the counting ones of kern/user.c, which make a
 * region cheaper than in a kernel, and so a difference in the code bigger.
 *
 * usage: pair ROUNDS
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "aesni.h"

#define ARCH_SET_GS	0x1001	/* asm/prctl.h */
#define SECTOR		((size_t)4096)
#define SECTORS		((size_t)64)	/* 256 KiB: stays in the L2 cache */
#define PASSES		8		/* 2 MiB each time */
#define SLOW_PASSES	1		/* one block at a time */

typedef const struct aes_xts_impl *get_fn(enum aesni_variant v,
					  enum aesni_bracket b);

get_fn		plain_aesni_xts_get, confined_aesni_xts_get;
const char	*plain_aesni_xts_lacks(enum aesni_variant v);

static get_fn *const get[2] = { plain_aesni_xts_get, confined_aesni_xts_get };
static uint8_t in[SECTORS * SECTOR], out[2][SECTORS * SECTOR];
extern struct thread *curthread;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec);
}

static void
run(const struct aes_xts_impl *impl, const struct aes_xts_key *key, int dec,
    uint8_t *to)
{
	uint8_t tweak[AES_BLOCK_LEN] = { 0 };

	for (size_t i = 0; i < SECTORS; i++) {
		tweak[0] = (uint8_t)i;
		if ((dec ? impl->decrypt : impl->encrypt)(key, tweak,
		    in + i * SECTOR, to + i * SECTOR, SECTOR) != 0)
			errx(1, "%s failed", impl->name);
	}
}

static void
row(enum aesni_variant v, int dec, int rounds)
{
	const struct aes_xts_impl *impl[2];
	struct aes_xts_key key[2];
	uint8_t bytes[32];
	double ns[2];
	int passes = v == AESNI_BLOCK ? SLOW_PASSES : PASSES;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	for (int b = 0; b < 2; b++) {
		impl[b] = get[b](v, AESNI_NOCTX);
		if (impl[b] == NULL ||
		    impl[b]->setkey(&key[b], bytes, sizeof(bytes)) != 0)
			errx(1, "variant %d: no setkey", (int)v);
		run(impl[b], &key[b], dec, out[b]);
	}
	if (memcmp(out[0], out[1], sizeof(out[0])) != 0 ||
	    memcmp(out[0], in, sizeof(in)) == 0)
		errx(1, "%s: the builds differ", impl[0]->name);
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < 2; i++) {
			int b = (r + i) % 2;
			double start = now();

			for (int n = 0; n < passes; n++)
				run(impl[b], &key[b], dec, out[b]);
			ns[b] = now() - start;
		}
		printf("%s %s %.0f %.0f\n", impl[0]->name,
		    dec ? "decrypt" : "encrypt", ns[0], ns[1]);
	}
}

int
main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;

	if (rounds < 1)
		errx(2, "usage: pair ROUNDS");
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, &curthread) != 0)
		err(1, "arch_prctl");
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 31 + i / 256);
	for (int v = 0; v < AESNI_VARIANTS; v++) {
		const char *lacks =
		    plain_aesni_xts_lacks((enum aesni_variant)v);

		if (lacks != NULL) {
			printf("variant-%d lacks %s\n", v, lacks);
			continue;
		}
		for (int dec = 0; dec <= 1; dec++)
			row((enum aesni_variant)v, dec, rounds);
	}
	return (0);
}
