/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of AES-XTS here beside OpenSSL's, and beside what the CPU can issue.
 *
 * 1. A row is a key size, a data unit size and a direction.  In each of its
 *    rounds every contender does the same number of units of one buffer, one
 *    after the other, so that a slow moment hits all of them.
 * 2. The limit is a loop of independent AESENC on eight registers, as many for
 *    a block as AES has rounds: nothing can be faster with these instructions.
 * 3. Printed are medians over rounds: speed in MB/s (10^6 bytes per second),
 *    and the ratio to OpenSSL and to the limit, each taken within a round.
 *
 * Limits: what is in the cache stays there; one thread; wall-clock time.  The
 * brackets are the counting ones of kern/user.c, so no state is saved.
 * OpenSSL's part includes setting the tweak by EVP, which its users pay for
 * each unit; with 512-byte units that is a large part of its time.
 *
 * usage: bench_xts [-a] [-r rounds]
 *	-a	let OpenSSL see no CPU feature of leaf 7 (AVX2, AVX-512, VAES),
 *		so that it must use AES-NI as this code does
 */

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "aesni.h"

#define ROUNDS_DEFAULT	41
#define ROUNDS_MAX	1001
#define ROUND_BYTES	((size_t)1 << 20)	/* of each fast contender */
#define SOFT_SHARE	32			/* soft does 1/32 of that */
#define UNIT_MAX	4096

enum who {
	OPENSSL,
	LIMIT,
	AESNI,
	SOFT,
	WHO_COUNT
};

static const char *const who_name[] = { "openssl", "limit", "aesni", "soft" };

struct job {
	size_t				key_len, unit;
	int				dec;
	EVP_CIPHER_CTX			*evp;
	const struct aes_xts_impl	*impl[WHO_COUNT];
	struct aes_xts_key		key;
};

static uint8_t in[UNIT_MAX], out[UNIT_MAX];
static double seconds_per_byte[WHO_COUNT][ROUNDS_MAX];

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((double)t.tv_sec + (double)t.tv_nsec * 1e-9);
}

/* Eight blocks of 'rounds' AESENC; assembly, so that no compiler moves them. */
static void
issue_aesenc(size_t bytes, int rounds)
{
	size_t n = bytes / (8 * AES_BLOCK_LEN) * (size_t)rounds;

	for (; n != 0; n--)
		__asm__ volatile(
		    "aesenc %%xmm8, %%xmm0\n\taesenc %%xmm8, %%xmm1\n\t"
		    "aesenc %%xmm8, %%xmm2\n\taesenc %%xmm8, %%xmm3\n\t"
		    "aesenc %%xmm8, %%xmm4\n\taesenc %%xmm8, %%xmm5\n\t"
		    "aesenc %%xmm8, %%xmm6\n\taesenc %%xmm8, %%xmm7"
		    ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",
		    "xmm6", "xmm7");
}

static void
run_openssl(struct job *j, const uint8_t *tweak)
{
	int n;

	if (EVP_CipherInit_ex(j->evp, NULL, NULL, NULL, tweak, -1) != 1 ||
	    EVP_CipherUpdate(j->evp, out, &n, in, (int)j->unit) != 1)
		errx(1, "OpenSSL failed");
}

static void
run_impl(struct job *j, enum who who, const uint8_t *tweak)
{
	const struct aes_xts_impl *impl = j->impl[who];
	int error;

	error = (j->dec ? impl->decrypt : impl->encrypt)(&j->key, tweak, in,
	    out, j->unit);
	if (error != 0)
		errx(1, "%s failed: %d", impl->name, error);
}

/* Seconds per byte of one contender in one round. */
static double
run_round(struct job *j, enum who who)
{
	size_t bytes = who == SOFT ? ROUND_BYTES / SOFT_SHARE : ROUND_BYTES;
	uint8_t tweak[AES_BLOCK_LEN] = { 0 };
	double start = now();

	if (who == LIMIT)
		issue_aesenc(bytes, j->key_len == 32 ? 10 : 14);
	else for (size_t i = 0; i < bytes / j->unit; i++) {
		tweak[0] = (uint8_t)i;
		tweak[1] = (uint8_t)(i >> 8);
		if (who == OPENSSL)
			run_openssl(j, tweak);
		else
			run_impl(j, who, tweak);
	}
	return ((now() - start) / (double)bytes);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y ? -1 : x > y);
}

static double
median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return (v[n / 2]);
}

/* Median of a[i] / b[i], or of a[i] where b is NULL. */
static double
median_ratio(const double *a, const double *b, int n)
{
	static double v[ROUNDS_MAX];

	for (int i = 0; i < n; i++)
		v[i] = b != NULL ? a[i] / b[i] : a[i];
	return (median(v, n));
}

static void
print_row(const struct job *j, int rounds)
{
	printf("%3zu %5zu %s", j->key_len * 4, j->unit,
	    j->dec ? "dec" : "enc");
	for (int w = 0; w < WHO_COUNT; w++) {
		const double *s = seconds_per_byte[w];

		if ((w == AESNI || w == LIMIT) && j->impl[AESNI] == NULL) {
			printf("  %s UNAVAILABLE", who_name[w]);
			continue;
		}
		printf("  %s %7.1f", who_name[w],
		    1e-6 / median_ratio(s, NULL, rounds));
		if (w == AESNI)
			printf(" (%.2f of openssl, %.2f of limit)",
			    median_ratio(seconds_per_byte[OPENSSL], s, rounds),
			    median_ratio(seconds_per_byte[LIMIT], s, rounds));
	}
	printf("\n");
}

static void
bench(size_t key_len, size_t unit, int dec, int rounds)
{
	struct job j = { .key_len = key_len, .unit = unit, .dec = dec };
	uint8_t key[64];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 7 + 1);
	j.impl[AESNI] = aesni_xts_get();
	j.impl[SOFT] = aes_soft_xts_get();
	j.evp = EVP_CIPHER_CTX_new();
	if (j.evp == NULL || EVP_CipherInit_ex(j.evp, key_len == 32 ?
	    EVP_aes_128_xts() : EVP_aes_256_xts(), NULL, key, NULL, !dec) != 1)
		errx(1, "OpenSSL has no AES-XTS");
	if (j.impl[SOFT]->setkey(&j.key, key, key_len) != 0)
		errx(1, "setkey failed");

	for (int r = -1; r < rounds; r++)	/* round -1 warms up */
		for (int w = 0; w < WHO_COUNT; w++)
			if ((w != AESNI && w != LIMIT) ||
			    j.impl[AESNI] != NULL)
				seconds_per_byte[w][r < 0 ? 0 : r] =
				    run_round(&j, w);
	EVP_CIPHER_CTX_free(j.evp);
	print_row(&j, rounds);
}

static void
usage(void)
{
	fprintf(stderr, "usage: bench_xts [-a] [-r rounds]\n");
	exit(2);
}

/* OpenSSL reads the variable before main(), hence the second start. */
static void
restart_limited(char **argv)
{
	const char *old = getenv("OPENSSL_ia32cap");

	if (old != NULL && strcmp(old, ":0") == 0)
		return;
	if (setenv("OPENSSL_ia32cap", ":0", 1) != 0)
		err(1, "setenv");
	execv("/proc/self/exe", argv);
	err(1, "cannot start again with OPENSSL_ia32cap=:0");
}

int
main(int argc, char **argv)
{
	int c, limited = 0, rounds = ROUNDS_DEFAULT;
	const char *cap = getenv("OPENSSL_ia32cap");

	while ((c = getopt(argc, argv, "ar:")) != -1) {
		if (c == 'a')
			limited = 1;
		else if (c == 'r')
			rounds = atoi(optarg);
		else
			usage();
	}
	if (optind != argc || rounds < 1 || rounds > ROUNDS_MAX)
		usage();
	if (limited)
		restart_limited(argv);

	printf("# %s, OPENSSL_ia32cap %s, medians of %d rounds, MB/s\n"
	    "# key, unit bytes, direction, contenders\n",
	    OpenSSL_version(OPENSSL_VERSION), cap != NULL ? cap : "not set",
	    rounds);
	for (size_t key_len = 32; key_len <= 64; key_len += 32)
		for (size_t unit = UNIT_MAX; unit >= 512; unit /= 8)
			for (int dec = 0; dec <= 1; dec++)
				bench(key_len, unit, dec, rounds);
	return (0);
}
