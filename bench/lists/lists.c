/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures one thing and prints it, for report.py.
 *
 *	lists device		software, old, new: MB/s of CPU time
 *	lists jobs N		soft and new with N threads: MB/s, wall clock
 *	lists speed		the new code alone: MB/s of CPU time
 *	lists region MASK SIZE	ns for 1 MiB in units of SIZE bytes with one
 *				region around all, with one for each, ns of an
 *				empty region, its TSC cycles: the least of
 *				REPEATS each.  "unavailable" if the CPU or the
 *				system lacks a component of MASK.
 *
 * The device is DEVICE bytes of memory, written in requests of 1 MiB that are
 * encrypted in sectors of 4 KiB, a region for each: a disk under GELI, without
 * the disk.  MB are 10^6 bytes.
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

static void
sector_old(const uint8_t *tweak, const uint8_t *in, uint8_t *out)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aesni_block_xts_encrypt(&key, tweak, in, out, SECTOR);
	fpu_kern_leave(curthread, NULL);
}

static void
sector_new(const uint8_t *tweak, const uint8_t *in, uint8_t *out)
{
	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	aesni_xts_encrypt(&key, tweak, in, out, SECTOR);
	fpu_kern_leave(curthread, NULL);
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

/* The three must write the same, or nothing they measure counts. */
static void
check_same(void)
{
	static uint8_t want[SECTOR], got[SECTOR];
	uint8_t tweak[16] = { 9 };

	sector_soft(tweak, request, want);
	sector_old(tweak, request, got);
	if (memcmp(want, got, SECTOR) != 0)
		errx(1, "the old code is wrong");
	sector_new(tweak, request, got);
	if (memcmp(want, got, SECTOR) != 0)
		errx(1, "the new code is wrong");
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

/* Whether the system has enabled these components. */
static int
have_state(uint32_t mask)
{
	unsigned int r[4];
	uint32_t a, d;

	do_cpuid(1, r);
	if ((r[2] & 1u << 27) == 0)	/* OSXSAVE */
		return (0);
	__asm__ volatile("xgetbv" : "=a" (a), "=d" (d) : "c" (0));
	return ((a & mask) == mask);
}

/* Seconds for 1 MiB in units of 'size', with a region for each or for all. */
static double
region_time(size_t size, int each)
{
	uint8_t tweak[16] = { 0 };
	double t = now(CLOCK_THREAD_CPUTIME_ID);

	if (!each)
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
	for (size_t at = 0; at + size <= REQUEST; at += size) {
		if (each)
			fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
		aesni_xts_encrypt(&key, tweak, request + at % 65536,
		    device + at % 65536, size);
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
region(uint32_t mask, size_t size)
{
	double empty = 1e9, all = 1e9, each = 1e9, cycles = 1e18;

	if (!have_state(mask)) {
		printf("unavailable\n");
		return;
	}
	state_mask = mask;
	state_dirty();
	for (int n = 0; n < REPEATS; n++) {
		double t = now(CLOCK_THREAD_CPUTIME_ID);
		uint64_t c = tsc();

		for (int i = 0; i < EMPTY; i++) {
			fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
			fpu_kern_leave(curthread, NULL);
		}
		cycles = least(cycles, (double)(tsc() - c) / EMPTY);
		empty = least(empty, (now(CLOCK_THREAD_CPUTIME_ID) - t) /
		    EMPTY);
		all = least(all, region_time(size, 0));
		each = least(each, region_time(size, 1));
	}
	printf("%.1f %.1f %.1f %.1f\n", all * 1e9, each * 1e9, empty * 1e9,
	    cycles);
}

int
main(int argc, char *argv[])
{
	uint8_t bytes[32];
	const char *what = argc > 1 ? argv[1] : "";

	if (aesni_xts_get(AESNI_WRAP2, AESNI_NOCTX) == NULL) {
		printf("unavailable\n");
		return (0);
	}
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
	check_same();
	if (strcmp(what, "device") == 0)
		printf("%.2f %.2f %.2f\n",
		    write_speed(sector_soft, DEVICE / SOFT_PART),
		    write_speed(sector_old, DEVICE / 4),
		    write_speed(sector_new, DEVICE));
	else if (strcmp(what, "speed") == 0)
		printf("%.2f\n", write_speed(sector_new, DEVICE));
	else if (strcmp(what, "jobs") == 0 && argc == 3 &&
	    atoi(argv[2]) >= 1 && atoi(argv[2]) <= JOBS_MAX)
		printf("%.2f %.2f\n",
		    jobs_speed(sector_soft, atoi(argv[2]), 1, REQUEST * 2),
		    jobs_speed(sector_new, atoi(argv[2]), 8, REQUEST * 8));
	else if (strcmp(what, "region") == 0 && argc == 4)
		region((uint32_t)strtoul(argv[2], NULL, 0),
		    strtoul(argv[3], NULL, 0));
	else
		errx(2, "usage: lists device | speed | jobs n | "
		    "region mask size");
	return (0);
}
