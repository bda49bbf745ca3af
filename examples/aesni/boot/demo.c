/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of ./dev kernel-demo: does the example do what a kernel asks?
 *
 * 1. Tripwire: the raw functions called outside a region must trap, and must
 *    change the canary; else a count of 0 below would mean nothing.
 * 2. Every vector of IEEE 1619, both ways, by each variant that this CPU has,
 *    through both brackets, in an ordinary thread and in one in FPU mode, with
 *    the timer running: right bytes, no trap, no event, canary unchanged, by
 *    the end of each call.  A CPU without VAES is no fault, and said so; one
 *    without AES-NI would test nothing.
 * 3. Long data units, so that the tick meets open regions: the same bytes as
 *    the portable code, with one region preempted at least.
 * 4. Red zone: red_zone_sum() of redzone.c, compiled by the generated rule's
 *    flags and by those of 2012, for RED_TICKS interrupts each.  The first
 *    must never give a wrong result, the second must.
 *
 * The exit status is 0 if all of that holds.
 */
#include "boot.h"
#include "kernel.h"

#include "aesni_cpu.h"
#include "xts_vectors.h"

#define RED_TICKS	400
#define RED_MAX		40000000u	/* calls, if no interrupt comes */
#define VECTORS		(sizeof(xts_vectors) / sizeof(*xts_vectors))
#define LONG_LEN	((size_t)64 * 1024 + 5)
#define LONG_ROUNDS	40

uint64_t	red_zone_sum(uint64_t v, unsigned int n);	/* generated */
uint64_t	demo2012_red_zone_sum(uint64_t v, unsigned int n);

static unsigned int	wrong;		/* what is not as it must be */
static uint64_t		events[BOOT_FAULT + 1];

void
boot_event(enum boot_event event, uint64_t rip,
    const uint64_t chain[BOOT_CHAIN])
{
	(void)chain;
	events[event]++;
	if (event == BOOT_FAULT) {
		boot_printf("fault at %lx\n", rip);
		boot_exit(95);
	}
}

static void
check(int ok, const char *what)
{
	if (!ok) {
		wrong++;
		boot_printf("UNEXPECTED: %s\n", what);
	}
}

static uint8_t
digit(char c)
{
	return ((uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10));
}

static void
unhex(uint8_t *p, const char *hex, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
}

/* 1. */
static void
tripwire(void)
{
	static struct aes_xts_key k;
	static const uint8_t key[32] = { 1 };

	fpu_begin(0);
	aesni_xts_setkey(&k, key, sizeof(key));
	fpu_end();
	boot_printf("self-test: the raw key setup, called outside a region: "
	    "%lu traps, canary %s\n", fpu_stats.traps,
	    events[BOOT_CANARY] ? "changed" : "unchanged");
	check(fpu_stats.traps > 0, "the tripwire traps");
	check(events[BOOT_CANARY] == 1, "the canary sees it");
	events[BOOT_CANARY] = events[BOOT_SIMD] = 0;
	memset(&fpu_stats, 0, sizeof(fpu_stats));
}

/* 2.  Returns 1 if the bytes are right both ways. */
static int
run_vector(const struct aes_xts_impl *impl, const struct xts_vector *v,
    int thread)
{
	static struct aes_xts_key k;
	static uint8_t key[64], plain[512], cipher[512], out[512], back[512];
	uint8_t tweak[16] = { 0 };
	int ok;

	unhex(key, v->key, v->key_len);
	unhex(cipher, v->cipher, v->len);
	for (size_t i = 0; i < 8; i++)
		tweak[i] = (uint8_t)(v->unit >> (8 * i));
	if (v->plain != NULL)
		unhex(plain, v->plain, v->len);
	else
		for (size_t i = 0; i < v->len; i++)
			plain[i] = (uint8_t)i;
	fpu_begin(thread);
	ok = impl->setkey(&k, key, v->key_len) == 0 &&
	    impl->encrypt(&k, tweak, plain, out, v->len) == 0 &&
	    impl->decrypt(&k, tweak, cipher, back, v->len) == 0;
	fpu_end();
	return (ok && memcmp(out, cipher, v->len) == 0 &&
	    memcmp(back, plain, v->len) == 0);
}

static void
vectors(const struct aes_xts_impl *impl, int thread)
{
	unsigned int right = 0;

	for (size_t i = 0; i < VECTORS; i++)
		right += (unsigned int)run_vector(impl, &xts_vectors[i],
		    thread);
	boot_printf("%s%s: %d of %d vectors right\n", impl->name,
	    thread ? ", FPU thread" : "", right, (unsigned int)VECTORS);
	check(right == VECTORS, "all vectors are right");
}

/* 3. */
static void
long_units(const struct aes_xts_impl *impl, const struct aes_xts_impl *soft)
{
	static struct aes_xts_key k;
	static uint8_t in[LONG_LEN], want[LONG_LEN], out[LONG_LEN];
	static const uint8_t key[32] = { 1, 2, 3 };
	uint8_t tweak[16] = { 7 };
	unsigned int right = 0;

	for (size_t i = 0; i < LONG_LEN; i++)
		in[i] = (uint8_t)(i * i >> 3);
	if (soft->setkey(&k, key, 32) != 0 ||
	    soft->encrypt(&k, tweak, in, want, LONG_LEN) != 0)
		return;
	for (int i = 0; i < LONG_ROUNDS; i++) {
		fpu_begin(0);
		if (impl->encrypt(&k, tweak, in, out, LONG_LEN) == 0)
			right += memcmp(out, want, LONG_LEN) == 0;
		fpu_end();
	}
	boot_printf("%s: %d of %d units of %lu bytes right\n", impl->name,
	    right, (unsigned int)LONG_ROUNDS, LONG_LEN);
	check(right == LONG_ROUNDS, "long units are right");
}

/* 4.  Wrong results among as many calls as RED_TICKS interrupts last. */
static unsigned int
red_zone(uint64_t (*sum)(uint64_t, unsigned int))
{
	uint64_t end = boot_ticks + RED_TICKS;
	unsigned int bad = 0;

	for (uint64_t v = 0; boot_ticks < end && v < RED_MAX; v++)
		bad += sum(v, 16) != 16 * (8 * v + 28);
	return (bad);
}

/* 2 and 3 for each variant. */
static void
variants(const struct aes_xts_impl *soft)
{
	for (int i = 0; i < AESNI_VARIANTS; i++) {
		enum aesni_variant v = (enum aesni_variant)i;
		const struct aes_xts_impl *noctx =
		    aesni_xts_get(v, AESNI_NOCTX);
		const struct aes_xts_impl *ctx = aesni_xts_get(v, AESNI_CTX);

		if (noctx == NULL || ctx == NULL) {
			boot_printf("%s, %s: UNAVAILABLE, %s\n",
			    aesni_impl[v][AESNI_NOCTX].name,
			    aesni_impl[v][AESNI_CTX].name, aesni_xts_lacks(v));
			check(v > AESNI_WRAP2, "this CPU has AES-NI");
			continue;
		}
		vectors(noctx, 0);
		vectors(ctx, 0);
		vectors(ctx, 1);
		long_units(noctx, soft);
		long_units(ctx, soft);
	}
}

int
boot_run(void)
{
	const struct aes_xts_impl *soft = aes_soft_xts_get();
	unsigned int ours, theirs;
	uint64_t sum = 0;

	if (aesni_xts_get(AESNI_WRAP2, AESNI_NOCTX) != NULL)
		tripwire();
	vectors(soft, 0);
	variants(soft);
	boot_printf("%lu regions, %lu preempted, %lu states loaded on first "
	    "use, %lu timer interrupts\n", fpu_stats.regions,
	    fpu_stats.switched, fpu_stats.lazy, boot_ticks);
	check(fpu_stats.switched > 0, "a region is preempted");
	for (int i = 0; i <= BOOT_FAULT; i++)
		sum += i != BOOT_SIMD && i != BOOT_CANARY ? events[i] : 0;
	boot_printf("traps: %lu\n", fpu_stats.traps);
	boot_printf("canary: %s\n", events[BOOT_CANARY] == 0 ? "intact" :
	    "CHANGED");
	boot_printf("misuse of fpu_kern: %lu, traps on a misaligned stack: "
	    "%lu\n", sum, boot_misaligned);
	check(fpu_stats.traps == 0 && events[BOOT_CANARY] == 0 && sum == 0 &&
	    boot_misaligned == 0, "no trap, canary intact, no misuse");

	ours = red_zone(red_zone_sum);
	theirs = red_zone(demo2012_red_zone_sum);
	boot_printf("red zone, %d interrupts each: %d wrong results with the "
	    "generated rule, %d with the rule of 2012\n", RED_TICKS, ours,
	    theirs);
	check(ours == 0, "the generated rule's locals survive");
	check(theirs > 0, "the locals of the rule of 2012 do not");
	boot_printf(wrong ? "%d UNEXPECTED\n" : "all as it should be\n",
	    wrong);
	return (wrong != 0);
}
