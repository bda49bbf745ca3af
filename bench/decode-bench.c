/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How fast is the first level of x86 decoding?
 *
 *	decode-bench FILE...
 *
 * Collects the executable sections of the ELF files in memory, then takes
 * the CPU time of: summing the bytes (the speed of memory), the first level
 * (ks_decode64 or 32), and ZydisDecoderDecodeInstruction without operands.
 * Each is run five times and the median counts.  Prints MB (10^6 bytes) per
 * second and the ratios that matter.
 *
 * The runs are interleaved, so that a slow phase of the machine hits all
 * three.  Both decoders step over one byte where they cannot decode.
 */
#include "../test/obj/decode-text.h"
#include "ks/decode.h"

#include <time.h>

#include <Zydis/Zydis.h>

#define RUNS	5

struct result {
	uint64_t	insns, bad, simd;
};

static double
cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint64_t
sum_bytes(const struct texts *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t j = 0; j < t->v[i].size; j++)
			sum += t->v[i].p[j];
	return sum;
}

static struct result
walk_first_level(const struct texts *t)
{
	struct result r = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const uint8_t *p = t->v[i].p, *end = p + t->v[i].size;

		while (p < end) {
			struct ks_dec d;
			unsigned len;

			len = t->v[i].mode64 ?
			    ks_decode64(p, (size_t)(end - p), &d) :
			    ks_decode32(p, (size_t)(end - p), &d);
			if (len == 0) {
				r.bad++;
				p++;
				continue;
			}
			r.insns++;
			r.simd += d.flags & KS_DEC_SIMD;
			p += len;
		}
	}
	return r;
}

static struct result
walk_zydis(const struct texts *t)
{
	struct result r = { 0 };
	ZydisDecoder d[2];

	ZydisDecoderInit(&d[0], ZYDIS_MACHINE_MODE_LEGACY_32,
	    ZYDIS_STACK_WIDTH_32);
	ZydisDecoderInit(&d[1], ZYDIS_MACHINE_MODE_LONG_64,
	    ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < t->n; i++) {
		const uint8_t *p = t->v[i].p, *end = p + t->v[i].size;

		while (p < end) {
			ZydisDecodedInstruction zi;

			if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &d[t->v[i].mode64], NULL, p, (size_t)(end - p),
			    &zi))) {
				r.bad++;
				p++;
				continue;
			}
			r.insns++;
			p += zi.length;
		}
	}
	return r;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v)
{
	qsort(v, RUNS, sizeof(*v), compare_doubles);
	return v[RUNS / 2];
}

static void
print_row(const char *name, double seconds, double mb)
{
	printf("%-14s %9.4f s %9.1f MB/s\n", name, seconds, mb / seconds);
}

int
main(int argc, char **argv)
{
	struct texts t = { 0 };
	struct result first = { 0 }, zydis = { 0 };
	double ts[RUNS], tf[RUNS], tz[RUNS], s, f, z, mb;
	uint64_t sum = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: decode-bench FILE...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (!text_load(&t, argv[i]))
			return 2;
	if (t.bytes == 0) {
		fprintf(stderr, "decode-bench: no executable section\n");
		return 2;
	}
	for (int i = 0; i < RUNS; i++) {
		double t0 = cpu_seconds(), t1, t2;

		sum += sum_bytes(&t);
		t1 = cpu_seconds();
		first = walk_first_level(&t);
		t2 = cpu_seconds();
		zydis = walk_zydis(&t);
		ts[i] = t1 - t0;
		tf[i] = t2 - t1;
		tz[i] = cpu_seconds() - t2;
	}
	s = median(ts);
	f = median(tf);
	z = median(tz);
	mb = (double)t.bytes * 1e-6;
	printf("%.1f MB in %zu sections of %d files, sum %llu\n", mb, t.n,
	    argc - 1, (unsigned long long)(sum / RUNS));
	print_row("sum of bytes", s, mb);
	print_row("first level", f, mb);
	print_row("zydis", z, mb);
	printf("first level: %llu instructions, %llu SIMD, %llu bytes bad\n",
	    (unsigned long long)first.insns, (unsigned long long)first.simd,
	    (unsigned long long)first.bad);
	printf("zydis:       %llu instructions, %llu bytes bad\n",
	    (unsigned long long)zydis.insns, (unsigned long long)zydis.bad);
	printf("first level / zydis: %.2f   sum / first level: %.2f\n", z / f,
	    f / s);
	texts_free(&t);
	return 0;
}
