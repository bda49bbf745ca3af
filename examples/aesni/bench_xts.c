/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Speed of AES-XTS here beside OpenSSL's, and beside what the CPU can issue.
 *
 * 1. A row is a key size, a data unit size and a direction.  In each of its
 *    rounds every contender does the same number of units of one buffer, one
 *    after the other, so that a slow moment hits all of them.
 * 2. The limit of a variant is a loop of its own form of AESENC on eight
 *    registers (XMM, YMM or ZMM), independent of each other, as many for a
 *    block as AES has rounds: nothing can be faster with these instructions.
 * 3. Printed are medians over rounds: speed in MB/s (10^6 bytes per second),
 *    the ratio to OpenSSL and to the limit, each taken within a round.
 *
 * Limits: what is in the cache stays there; one thread; wall-clock time.  The
 * brackets are the counting ones of kern/user.c, so no state is saved.
 * OpenSSL's part includes setting the tweak by EVP, which its users pay for
 * each unit; with 512-byte units that is a large part of its time, with 64 KiB
 * next to nothing.
 *
 * usage: bench_xts [-aj] [-r rounds]
 *	-a	let OpenSSL see no CPU feature of leaf 7 (AVX2, AVX-512, VAES),
 *		so that it must use AES-NI as this code does
 *	-j	JSON lines: what OpenSSL this is, then one object for each row and
 *		contender, with the half distance between the quartiles of each
 *		number as its spread
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
#define SLOW_SHARE	32		/* soft and block do 1/32 of that */
#define UNIT_MAX	65536

enum who {
	OPENSSL,
	SOFT,
	IMPL,			/* the variants, in their order */
	LIMIT = IMPL + AESNI_VARIANTS,	/* XMM, YMM, ZMM */
	WHO_COUNT = LIMIT + 3
};

static const struct contender {
	const char		*name;
	enum who		limit;	/* 0: none */
	enum aesni_variant	needs;	/* AESNI_VARIANTS: nothing */
} who[WHO_COUNT] = {
	[OPENSSL] = { "openssl", 0, AESNI_VARIANTS },
	[SOFT] = { "soft", 0, AESNI_VARIANTS },
	[IMPL + AESNI_BLOCK] = { "block", LIMIT, AESNI_BLOCK },
	[IMPL + AESNI_WRAP2] = { "aesni", LIMIT, AESNI_WRAP2 },
	[IMPL + AESNI_VAES2] = { "vaes2", LIMIT + 1, AESNI_VAES2 },
	[IMPL + AESNI_VAES512] = { "vaes512", LIMIT + 2, AESNI_VAES512 },
	[LIMIT] = { "limit-xmm", 0, AESNI_WRAP2 },
	[LIMIT + 1] = { "limit-ymm", 0, AESNI_VAES2 },
	[LIMIT + 2] = { "limit-zmm", 0, AESNI_VAES512 },
};

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

/* n times eight independent rounds; assembly, so that no compiler moves them. */
#define XMM8(op, key)							\
	op key ", %%xmm0\n\t" op key ", %%xmm1\n\t"			\
	op key ", %%xmm2\n\t" op key ", %%xmm3\n\t"			\
	op key ", %%xmm4\n\t" op key ", %%xmm5\n\t"			\
	op key ", %%xmm6\n\t" op key ", %%xmm7"
#define WIDE1(r, n)							\
	"vaesenc %%" r "mm8, %%" r "mm" n ", %%" r "mm" n "\n\t"
#define WIDE8(r)							\
	WIDE1(r, "0") WIDE1(r, "1") WIDE1(r, "2") WIDE1(r, "3")		\
	WIDE1(r, "4") WIDE1(r, "5") WIDE1(r, "6") WIDE1(r, "7")
#define ISSUE(text)							\
	for (; n != 0; n--)						\
		__asm__ volatile(text ::: "xmm0", "xmm1", "xmm2",	\
		    "xmm3", "xmm4", "xmm5", "xmm6", "xmm7")

static void
issue(enum who w, size_t bytes, int rounds)
{
	size_t lanes = (size_t)1 << (w - LIMIT);
	size_t n = bytes / (8 * lanes * AES_BLOCK_LEN) * (size_t)rounds;

	if (w == LIMIT)
		ISSUE(XMM8("aesenc ", "%%xmm8"));
	else if (w == LIMIT + 1)
		ISSUE(WIDE8("y"));
	else
		ISSUE(WIDE8("z"));
	if (w != LIMIT)
		__asm__ volatile("vzeroupper" ::: "xmm0");
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
run_impl(struct job *j, enum who w, const uint8_t *tweak)
{
	const struct aes_xts_impl *impl = j->impl[w];
	int error;

	error = (j->dec ? impl->decrypt : impl->encrypt)(&j->key, tweak, in,
	    out, j->unit);
	if (error != 0)
		errx(1, "%s failed: %d", impl->name, error);
}

/* Seconds per byte of one contender in one round. */
static double
run_round(struct job *j, enum who w)
{
	size_t bytes = ROUND_BYTES;
	uint8_t tweak[AES_BLOCK_LEN] = { 0 };
	double start;

	if (w == SOFT || w == IMPL + AESNI_BLOCK) {
		bytes /= SLOW_SHARE;
		if (bytes < j->unit)
			bytes = j->unit;
	}
	start = now();
	if (w >= LIMIT)
		issue(w, bytes, j->key_len == 32 ? 10 : 14);
	else for (size_t i = 0; i < bytes / j->unit; i++) {
		tweak[0] = (uint8_t)i;
		tweak[1] = (uint8_t)(i >> 8);
		if (w == OPENSSL)
			run_openssl(j, tweak);
		else
			run_impl(j, w, tweak);
	}
	return ((now() - start) / (double)bytes);
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y ? -1 : x > y);
}

struct number {
	double	median, spread;
};

/* Of a[i] / b[i], or of a[i] where b is NULL. */
static struct number
number(const double *a, const double *b, int n)
{
	static double v[ROUNDS_MAX];

	for (int i = 0; i < n; i++)
		v[i] = b != NULL ? a[i] / b[i] : a[i];
	qsort(v, (size_t)n, sizeof(*v), compare);
	return ((struct number){ v[n / 2], (v[n * 3 / 4] - v[n / 4]) / 2 });
}

/* What this machine lacks for a contender, or NULL. */
static const char *
lacks(int w)
{
	return (who[w].needs == AESNI_VARIANTS ? NULL :
	    aesni_xts_lacks(who[w].needs));
}

static void
print_json(const struct job *j, int w, struct number speed,
    struct number of_ssl, struct number of_limit)
{
	printf("{\"key\": %zu, \"unit\": %zu, \"direction\": \"%s\", "
	    "\"contender\": \"%s\"", j->key_len * 4, j->unit,
	    j->dec ? "decrypt" : "encrypt", who[w].name);
	if (lacks(w) != NULL)
		printf(", \"unavailable\": \"%s\"", lacks(w));
	else
		printf(", \"MB/s\": [%.1f, %.1f]", speed.median,
		    speed.spread);
	if (lacks(w) == NULL && who[w].limit != 0)
		printf(", \"of openssl\": [%.4f, %.4f], "
		    "\"of limit\": [%.4f, %.4f]", of_ssl.median,
		    of_ssl.spread, of_limit.median, of_limit.spread);
	printf("}\n");
}

static void
print_rows(const struct job *j, int rounds, int json)
{
	static double speeds[ROUNDS_MAX];

	if (!json)
		printf("AES-%zu-XTS %s, %zu bytes\n", j->key_len * 4,
		    j->dec ? "decrypt" : "encrypt", j->unit);
	for (int w = 0; w < WHO_COUNT; w++) {
		const double *s = seconds_per_byte[w];
		struct number speed, of_ssl, of_limit;

		for (int i = 0; i < rounds; i++)
			speeds[i] = 1e-6 / s[i];
		speed = number(speeds, NULL, rounds);
		of_ssl = number(seconds_per_byte[OPENSSL], s, rounds);
		of_limit = number(seconds_per_byte[who[w].limit], s, rounds);
		if (json) {
			print_json(j, w, speed, of_ssl, of_limit);
			continue;
		}
		printf("  %-10s", who[w].name);
		if (lacks(w) != NULL)
			printf(" UNAVAILABLE: %s", lacks(w));
		else
			printf(" %8.0f MB/s", speed.median);
		if (lacks(w) == NULL && who[w].limit != 0)
			printf("  %.2f of openssl  %.2f of its limit",
			    of_ssl.median, of_limit.median);
		printf("\n");
	}
}

static void
bench(size_t key_len, size_t unit, int dec, int rounds, int json)
{
	struct job j = { .key_len = key_len, .unit = unit, .dec = dec };
	uint8_t key[64];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 7 + 1);
	j.impl[SOFT] = aes_soft_xts_get();
	for (int v = 0; v < AESNI_VARIANTS; v++)
		j.impl[IMPL + v] = aesni_xts_get((enum aesni_variant)v,
		    AESNI_NOCTX);
	j.evp = EVP_CIPHER_CTX_new();
	if (j.evp == NULL || EVP_CipherInit_ex(j.evp, key_len == 32 ?
	    EVP_aes_128_xts() : EVP_aes_256_xts(), NULL, key, NULL, !dec) != 1)
		errx(1, "OpenSSL has no AES-XTS");
	if (j.impl[SOFT]->setkey(&j.key, key, key_len) != 0)
		errx(1, "setkey failed");

	for (int r = -1; r < rounds; r++)	/* round -1 warms up */
		for (int w = 0; w < WHO_COUNT; w++)
			seconds_per_byte[w][r < 0 ? 0 : r] =
			    lacks(w) == NULL ? run_round(&j, w) : 1;
	EVP_CIPHER_CTX_free(j.evp);
	print_rows(&j, rounds, json);
}

static void
usage(void)
{
	fprintf(stderr, "usage: bench_xts [-aj] [-r rounds]\n");
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
	int c, limited = 0, json = 0, rounds = ROUNDS_DEFAULT;
	const char *cap = getenv("OPENSSL_ia32cap");

	while ((c = getopt(argc, argv, "ajr:")) != -1) {
		if (c == 'a')
			limited = 1;
		else if (c == 'j')
			json = 1;
		else if (c == 'r')
			rounds = atoi(optarg);
		else
			usage();
	}
	if (optind != argc || rounds < 1 || rounds > ROUNDS_MAX)
		usage();
	if (limited)
		restart_limited(argv);

	printf(json ? "{\"openssl\": \"%s\", \"ia32cap\": \"%s\", "
	    "\"rounds\": %d}\n" :
	    "%s, OPENSSL_ia32cap %s, medians of %d rounds\n",
	    OpenSSL_version(OPENSSL_VERSION), cap != NULL ? cap : "not set",
	    rounds);
	for (size_t key_len = 32; key_len <= 64; key_len += 32)
		for (size_t unit = UNIT_MAX; unit >= 512; unit /= unit >
		    4096 ? 16 : 8)
			for (int dec = 0; dec <= 1; dec++)
				bench(key_len, unit, dec, rounds, json);
	return (0);
}
