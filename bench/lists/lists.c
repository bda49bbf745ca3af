/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures one thing and prints it, for lists.py.
 *
 *	lists device		software, old, new, VAES on 256 and on 512 bits:
 *				MB/s of CPU time
 *	lists jobs N		software, new and VAES-512 with N threads: MB/s,
 *				wall clock
 *	lists levels N		N lines: aesni_wrap2.c by gcc at -O2 and -O3, by
 *				clang; rolled.c likewise: MB/s of CPU time
 *	lists region MASK SIZE VARIANT
 *				ns for 1 MiB in units of SIZE bytes with one
 *				region around all, with one for each, ns of an
 *				empty region, its TSC cycles, TSC cycles of a ns:
 *				the least of REPEATS each
 *
 * What the CPU or the system lacks is "-".
 *
 * The device is DEVICE bytes of memory, written in requests of 1 MiB that are
 * encrypted in sectors of 4 KiB, a region for each, which saves and loads all
 * the state that the system has enabled: a disk under GELI, without the disk.
 * MB are 10^6 bytes.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aesni.h"
#include "kernel.h"
#include "lists.h"

#define DEVICE		((size_t)64 << 20)
#define REQUEST		((size_t)1 << 20)
#define SECTOR		((size_t)4096)
#define JOBS_MAX	8
#define REPEATS		9
#define LEVEL_BYTES	((size_t)16 << 20)
#define EMPTY		2000	/* regions timed at once */
#define SOFT_PART	16	/* software writes this part of the device */

static uint8_t		*device, *request;
static struct aes_xts_key key;

static double
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec);
}

typedef void sector_fn(const uint8_t *tweak, const uint8_t *in, uint8_t *out);

static void
sector_soft(const uint8_t *tweak, const uint8_t *in, uint8_t *out)
{
	aes_soft_xts_encrypt(&key, tweak, in, out, SECTOR);
}

#define SECTOR_FN(name, raw)						\
static void								\
name(const uint8_t *tweak, const uint8_t *in, uint8_t *out)		\
{									\
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);		\
	raw(&key, tweak, in, out, SECTOR);				\
	fpu_kern_leave(curthread, NULL);				\
}

SECTOR_FN(sector_old, aesni_block_xts_encrypt)
SECTOR_FN(sector_new, aesni_xts_encrypt)
SECTOR_FN(sector_vaes2, aesni_vaes2_xts_encrypt)
SECTOR_FN(sector_vaes512, aesni_vaes512_xts_encrypt)

/* How much of the device is enough to measure each. */
static const struct contender {
	sector_fn		*fn;
	enum aesni_variant	v;	/* AESNI_VARIANTS: none */
	size_t			bytes;
	raw_fn			*raw;
} contenders[] = {
	{ sector_soft, AESNI_VARIANTS, DEVICE / SOFT_PART, NULL },
	{ sector_old, AESNI_BLOCK, DEVICE / 4, aesni_block_xts_encrypt },
	{ sector_new, AESNI_WRAP2, DEVICE, aesni_xts_encrypt },
	{ sector_vaes2, AESNI_VAES2, DEVICE, aesni_vaes2_xts_encrypt },
	{ sector_vaes512, AESNI_VAES512, DEVICE, aesni_vaes512_xts_encrypt },
};

#define CONTENDERS	(sizeof(contenders) / sizeof(*contenders))

static int
available(const struct contender *c)
{
	return (c->v == AESNI_VARIANTS || aesni_xts_lacks(c->v) == NULL);
}

/* A number, or "-" for what is not to be had here. */
static void
print_speed(int there, double speed)
{
	if (there)
		printf("%.2f ", speed);
	else
		printf("- ");
}

/* One request of 1 MiB to the device. */
static void
write_request(sector_fn *fn, size_t at)
{
	uint8_t tweak[16] = { 0 };

	for (size_t o = 0; o < REQUEST; o += SECTOR) {
		uint64_t unit = (at + o) / SECTOR;

		memcpy(tweak, &unit, sizeof(unit));
		fn(tweak, request + o, device + at + o);
	}
}

static double
write_speed(sector_fn *fn, size_t bytes)
{
	double t = now(CLOCK_THREAD_CPUTIME_ID);

	for (size_t at = 0; at < bytes; at += REQUEST)
		write_request(fn, at);
	return ((double)bytes / (now(CLOCK_THREAD_CPUTIME_ID) - t) / 1e6);
}

/* All must write the same, or nothing they measure counts. */
static void
check_same(void)
{
	static uint8_t want[SECTOR], got[SECTOR];
	uint8_t tweak[16] = { 9 };

	sector_soft(tweak, request, want);
	for (size_t i = 1; i < CONTENDERS; i++) {
		if (!available(&contenders[i]))
			continue;
		memset(got, 0, SECTOR);
		contenders[i].fn(tweak, request, got);
		if (memcmp(want, got, SECTOR) != 0)
			errx(1, "contender %zu is wrong", i);
	}
}

static void
device_speeds(void)
{
	for (size_t i = 0; i < CONTENDERS; i++)
		print_speed(available(&contenders[i]),
		    available(&contenders[i]) ? write_speed(contenders[i].fn,
		    contenders[i].bytes) : 0);
	printf("\n");
}

/* No regions here: what is compared is the code. */
static double
raw_speed(raw_fn *fn)
{
	uint8_t tweak[16] = { 0 };
	double t = now(CLOCK_THREAD_CPUTIME_ID);

	for (size_t at = 0; at < LEVEL_BYTES; at += SECTOR) {
		tweak[0] = (uint8_t)(at / SECTOR);
		fn(&key, tweak, request + at % 65536, device + at % 65536,
		    SECTOR);
	}
	return ((double)LEVEL_BYTES / (now(CLOCK_THREAD_CPUTIME_ID) - t) /
	    1e6);
}

static void
levels(int rounds)
{
	static raw_fn *const fns[] = {
		wrap2_gcc_O2, wrap2_gcc_O3, wrap2_clang_O2, wrap2_clang_O3,
		rolled_gcc_O2, rolled_gcc_O3, rolled_clang_O2, rolled_clang_O3
	};
	uint8_t tweak[16] = { 9 };
	static uint8_t want[SECTOR], got[SECTOR];

	sector_soft(tweak, request, want);
	for (size_t i = 0; i < 8; i++) {
		fns[i](&key, tweak, request, got, SECTOR);
		if (memcmp(want, got, SECTOR) != 0)
			errx(1, "level %zu is wrong", i);
	}
	while (rounds-- > 0) {
		for (size_t i = 0; i < 8; i++)
			printf("%.2f ", raw_speed(fns[i]));
		printf("\n");
	}
}

struct job {
	pthread_t	thread;
	sector_fn	*fn;
	size_t		at, bytes;
	int		times;
};

static pthread_barrier_t start;

static void *
job_main(void *arg)
{
	struct job *j = arg;

	pthread_barrier_wait(&start);
	for (int i = 0; i < j->times; i++)
		for (size_t at = j->at; at < j->at + j->bytes; at += REQUEST)
			write_request(j->fn, at);
	return (NULL);
}

static double
jobs_speed(sector_fn *fn, int n, int times, size_t part)
{
	struct job jobs[JOBS_MAX];
	double t;

	pthread_barrier_init(&start, NULL, (unsigned int)n + 1);
	for (int i = 0; i < n; i++) {
		jobs[i] = (struct job){ .fn = fn, .times = times,
		    .at = DEVICE / JOBS_MAX * (size_t)i, .bytes = part };
		if (pthread_create(&jobs[i].thread, NULL, job_main,
		    &jobs[i]) != 0)
			errx(1, "no thread");
	}
	pthread_barrier_wait(&start);
	t = now(CLOCK_MONOTONIC);
	for (int i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
	pthread_barrier_destroy(&start);
	return ((double)n * (double)part * times /
	    (now(CLOCK_MONOTONIC) - t) / 1e6);
}

/* Seconds for 1 MiB in units of 'size', with a region for each or for all. */
static double
region_time(raw_fn *fn, size_t size, int each)
{
	uint8_t tweak[16] = { 0 };
	double t = now(CLOCK_THREAD_CPUTIME_ID);

	if (!each)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	for (size_t at = 0; at + size <= REQUEST; at += size) {
		if (each)
			fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
		fn(&key, tweak, request + at % 65536, device + at % 65536,
		    size);
		if (each)
			fpu_kern_leave(curthread, NULL);
	}
	if (!each)
		fpu_kern_leave(curthread, NULL);
	return (now(CLOCK_THREAD_CPUTIME_ID) - t);
}

static uint64_t
tsc(void)
{
	uint32_t a, d;

	__asm__ volatile("lfence; rdtsc" : "=a" (a), "=d" (d));
	return ((uint64_t)d << 32 | a);
}

static double
least(double a, double b)
{
	return (a < b ? a : b);
}

static void
region(uint32_t mask, size_t size, const struct contender *c)
{
	double empty = 1e9, all = 1e9, each = 1e9, cycles = 1e18, rate = 0;

	if ((state_all() & mask) != mask || !available(c) || c->raw == NULL) {
		printf("-\n");
		return;
	}
	state_mask = mask;
	state_dirty();
	for (int n = 0; n < REPEATS; n++) {
		double t = now(CLOCK_THREAD_CPUTIME_ID), ns;
		uint64_t start = tsc();

		for (int i = 0; i < EMPTY; i++) {
			fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
			fpu_kern_leave(curthread, NULL);
		}
		start = tsc() - start;
		ns = (now(CLOCK_THREAD_CPUTIME_ID) - t) * 1e9;
		if ((double)start / EMPTY < cycles) {
			cycles = (double)start / EMPTY;
			rate = (double)start / ns;
		}
		empty = least(empty, ns / EMPTY);
		all = least(all, region_time(c->raw, size, 0));
		each = least(each, region_time(c->raw, size, 1));
	}
	printf("%.1f %.1f %.1f %.1f %.4f\n", all * 1e9, each * 1e9, empty,
	    cycles, rate);
}

static void
usage(void)
{
	errx(2, "usage: lists device | jobs n | levels n | "
	    "region mask size variant");
}

static void
prepare(void)
{
	uint8_t bytes[32];

	device = aligned_alloc(4096, DEVICE);
	request = aligned_alloc(4096, REQUEST);
	if (device == NULL || request == NULL)
		errx(1, "no memory");
	memset(device, 0, DEVICE);
	for (size_t i = 0; i < REQUEST; i++)
		request[i] = (uint8_t)(i * 2654435761u >> 13);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 1);
	if (aes_soft_xts_setkey(&key, bytes, sizeof(bytes)) != 0)
		errx(1, "no key");
	state_mask = state_all();
	check_same();
}

static void
jobs(int n)
{
	printf("%.2f ", jobs_speed(sector_soft, n, 1, REQUEST * 2));
	printf("%.2f ", jobs_speed(sector_new, n, 8, REQUEST * 8));
	if (available(&contenders[4]))
		printf("%.2f\n", jobs_speed(sector_vaes512, n, 16,
		    REQUEST * 8));
	else
		printf("-\n");
}

int
main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc == 3 ? atoi(argv[2]) : 0;

	if (aesni_xts_get(AESNI_WRAP2, AESNI_NOCTX) == NULL ||
	    state_all() == 0) {
		printf("-\n");		/* no AES-NI, or no XSAVE */
		return (0);
	}
	prepare();
	if (strcmp(what, "device") == 0)
		device_speeds();
	else if (strcmp(what, "jobs") == 0 && n >= 1 && n <= JOBS_MAX)
		jobs(n);
	else if (strcmp(what, "levels") == 0 && n >= 1)
		levels(n);
	else if (strcmp(what, "region") == 0 && argc == 5 &&
	    strtoul(argv[4], NULL, 0) < AESNI_VARIANTS)
		region((uint32_t)strtoul(argv[2], NULL, 0),
		    strtoul(argv[3], NULL, 0),
		    &contenders[strtoul(argv[4], NULL, 0) + 1]);
	else
		usage();
	return (0);
}
