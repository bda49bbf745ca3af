/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Do the two levels of x86 decoding agree with Zydis and with each other?
 *
 *	decode-zydis [-r COUNT] [FILE...]
 *
 * Decodes, at every instruction of the executable sections of the ELF files
 * and at COUNT random byte sequences in each mode (fixed seed, so that every
 * run is the same), with Zydis, with the first level and with the second:
 *
 *  - what Zydis accepts, both levels accept, with its length; but for the
 *    encodings of Knights Corner, which the second level must refuse;
 *  - control flow and displacement are the same in both levels;
 *  - what is SIMD for the second level, is for the first;
 *  - what is SIMD for the first level only, is one of the mnemonics listed
 *    as explained (none so far): the first level may err, but not silently;
 *  - where the SIMD flag is missing, Zydis has no vector register either
 *    (asked in another way than the second level does);
 *  - what the second level accepts without Zydis, the first accepts with
 *    the same length;
 *  - with fewer bytes than the length, both levels refuse; the bytes behind
 *    an instruction do not matter.
 *
 * After bytes that Zydis does not know (data between functions) it goes on
 * one byte further, as the walk of a section would.
 */
#include "decode-text.h"
#include "insn.h"

#include <getopt.h>
#include <stdarg.h>

#include <Zydis/Zydis.h>

#define MAX_REPORTS	40

struct counts {
	uint64_t	insns;		/* accepted by Zydis */
	uint64_t	simd;
	uint64_t	only_second;	/* accepted without Zydis */
	uint64_t	skipped;	/* bytes that nobody knows */
	uint64_t	failed;
};

static ZydisDecoder decoders[2];	/* by mode64 */

/* Mnemonics for which "first level only says SIMD" is explained. */
static bool
is_explained(ZydisMnemonic m)
{
	(void)m;
	return false;
}

static void __attribute__((format(printf, 4, 5)))
report(struct counts *c, const uint8_t *p, size_t n, const char *fmt, ...)
{
	va_list ap;

	if (c->failed++ >= MAX_REPORTS)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(":");
	for (size_t i = 0; i < n && i < 15; i++)
		printf(" %02x", p[i]);
	printf("\n");
}

static unsigned
first_level(const uint8_t *p, size_t avail, bool mode64, struct ks_dec *d)
{
	return mode64 ? ks_decode64(p, avail, d) : ks_decode32(p, avail, d);
}

static bool
is_knc(const ZydisDecodedInstruction *zi)
{
	return zi->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	    zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
	    zi->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

/* Whether an operand or attribute of Zydis speaks of SIMD state. */
static bool
zydis_simd(const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *zo)
{
	static const ZydisInstructionAttributes state =
	    ZYDIS_ATTRIB_FPU_STATE_CR | ZYDIS_ATTRIB_FPU_STATE_CW |
	    ZYDIS_ATTRIB_XMM_STATE_CR | ZYDIS_ATTRIB_XMM_STATE_CW;

	if ((zi->attributes & state) || zi->meta.isa_ext == ZYDIS_ISA_EXT_X87)
		return true;
	for (unsigned i = 0; i < zi->operand_count; i++) {
		ZydisRegister r = zo[i].type == ZYDIS_OPERAND_TYPE_REGISTER ?
		    zo[i].reg.value : zo[i].type == ZYDIS_OPERAND_TYPE_MEMORY ?
		    zo[i].mem.index : ZYDIS_REGISTER_NONE;

		if ((r >= ZYDIS_REGISTER_ST0 && r <= ZYDIS_REGISTER_TMM7) ||
		    (r >= ZYDIS_REGISTER_K0 && r <= ZYDIS_REGISTER_K7) ||
		    r == ZYDIS_REGISTER_MXCSR)
			return true;
	}
	return false;
}

/* Checks of what Zydis decodes as *ZI. */
static void
compare(struct counts *c, const uint8_t *p, const struct ks_dec *d,
    unsigned len, const struct ks_insn *in, int rc,
    const ZydisDecodedInstruction *zi, const ZydisDecodedOperand *zo)
{
	const char *name = ZydisMnemonicGetString(zi->mnemonic);

	c->insns++;
	if (len != zi->length) {
		report(c, p, zi->length, "%s: first level has length %u, "
		    "Zydis %u", name, len, zi->length);
		return;
	}
	if (rc != KS_OK || in->len != zi->length) {
		report(c, p, zi->length, "%s: second level has status %d, "
		    "length %u", name, rc, in->len);
		return;
	}
	if (in->flow != d->flow || in->rel != d->rel ||
	    in->rel_off != d->rel_off)
		report(c, p, len, "%s: flow %u rel %lld at %u, "
		    "first level %u %d %u", name, in->flow,
		    (long long)in->rel, in->rel_off, d->flow, d->rel,
		    d->rel_off);
	if (in->simd != KS_SIMD_NONE)
		c->simd++;
	if (in->simd != KS_SIMD_NONE && in->isa == 0)
		report(c, p, len, "%s: SIMD without instruction set", name);
	if ((in->simd != KS_SIMD_NONE || zydis_simd(zi, zo)) &&
	    !(d->flags & KS_DEC_SIMD))
		report(c, p, len, "%s: SIMD, but not to the first level",
		    name);
	if (in->simd == KS_SIMD_NONE && zydis_simd(zi, zo))
		report(c, p, len, "%s: SIMD, but not to the second level",
		    name);
	if (in->simd == KS_SIMD_NONE && (d->flags & KS_DEC_SIMD) &&
	    !is_explained(zi->mnemonic))
		report(c, p, len, "%s: SIMD to the first level only", name);
}

/*
 * All checks at one place.  Returns the length by the second level, or 0 if
 * that knows no instruction here.
 */
static unsigned
check_at(struct counts *c, const uint8_t *p, size_t avail, bool mode64)
{
	ZydisDecodedInstruction zi;
	ZydisDecodedOperand zo[ZYDIS_MAX_OPERAND_COUNT];
	struct ks_dec d;
	struct ks_insn in;
	unsigned len = first_level(p, avail, mode64, &d);
	int rc = ks_insn_decode(p, avail, mode64, &in);

	if (ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoders[mode64], p, avail,
	    &zi, zo)) && !is_knc(&zi)) {
		compare(c, p, &d, len, &in, rc, &zi, zo);
	} else if (rc == KS_OK) {
		c->only_second++;
		if (len != in.len)
			report(c, p, in.len, "second level alone has length "
			    "%u, the first %u", in.len, len);
		else if (in.simd != KS_SIMD_NONE && !(d.flags & KS_DEC_SIMD))
			report(c, p, len, "SIMD to the second level only");
	}
	return rc == KS_OK ? in.len : 0;
}

static void
check_text(struct counts *c, const struct text *t)
{
	for (size_t at = 0; at < t->size;) {
		unsigned len = check_at(c, t->p + at, t->size - at, t->mode64);

		if (len == 0)
			c->skipped++;
		at += len != 0 ? len : 1;
	}
}

/* --- random bytes --------------------------------------------------------- */

static uint64_t seed;

/* xorshift64* (Vigna, "An experimental exploration of xorshift", 2016). */
static uint64_t
next_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545f4914f6cdd1dULL;
}

static unsigned
below(unsigned n)
{
	return (unsigned)(next_random() >> 33) % n;
}

/*
 * Random bytes would mostly be one-byte opcodes: choose prefixes and the
 * opcode map first, and half the time values of VEX and EVEX fields that are
 * not reserved.
 */
static void
random_bytes(uint8_t *b, size_t size)
{
	static const uint8_t prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x64, 0x65, 0x40, 0x41,
		0x48, 0x4f,
	};
	unsigned at = 0, map = below(16);

	for (size_t i = 0; i < size; i++)
		b[i] = (uint8_t)below(256);
	while (at < 4 && below(4) == 0)
		b[at++] = prefixes[below(sizeof(prefixes))];
	if (map < 6) {
		b[at] = 0x0f;
		if (map >= 4)
			b[at + 1] = map == 4 ? 0x38 : 0x3a;
	} else if (map == 6) {
		b[at] = 0xc5;
		b[at + 1] |= 0xc0 * below(2);
	} else if (map < 9) {
		b[at] = 0xc4;
		b[at + 1] = (uint8_t)(below(8) << 5 | (1 + below(3)));
		b[at + 2] |= 0x78 * below(2);
	} else if (map < 11) {
		b[at] = 0x62;
		b[at + 1] = (uint8_t)(below(16) << 4 | (1 + below(7)));
		b[at + 2] |= 4 | 0x78 * below(2);
		if (below(2) == 0)
			b[at + 3] = (uint8_t)(below(3) << 5 | 8);
	} else if (map == 11) {
		b[at] = 0x8f;
		b[at + 1] = (uint8_t)(below(8) << 5 | (8 + below(3)));
		b[at + 2] |= 0x78 * below(2);
	} else if (map == 12) {
		b[at] = 0xd5;
	}
}

static void
check_ends(struct counts *c, const uint8_t *p, size_t size, bool mode64)
{
	struct ks_dec d, e;
	struct ks_insn in;
	unsigned len = first_level(p, 15, mode64, &d);

	if (len != first_level(p, size, mode64, &e) ||
	    (len != 0 && memcmp(&d, &e, sizeof(d)) != 0))
		report(c, p, 15, "first level: differs with %zu bytes", size);
	for (unsigned i = 0; i < len; i++)
		if (first_level(p, i, mode64, &e) != 0 ||
		    ks_insn_decode(p, i, mode64, &in) == KS_OK)
			report(c, p, len, "accepted with %u of %u bytes", i,
			    len);
}

static void
check_random(struct counts *c, uint64_t n, bool mode64)
{
	uint8_t b[64];

	seed = mode64 ? 64 : 32;
	for (uint64_t i = 0; i < n; i++) {
		random_bytes(b, sizeof(b));
		check_at(c, b, 15, mode64);
		if (i % 16 == 0)
			check_ends(c, b, sizeof(b), mode64);
	}
}

static void
print_counts(const char *what, const struct counts *c)
{
	printf("%s: %llu instructions, %llu SIMD, %llu without Zydis, "
	    "%llu bytes skipped, %llu failures\n", what,
	    (unsigned long long)c->insns, (unsigned long long)c->simd,
	    (unsigned long long)c->only_second,
	    (unsigned long long)c->skipped, (unsigned long long)c->failed);
}

static bool
check_file(const char *path)
{
	struct texts t = { 0 };
	struct counts c = { 0 };

	if (!text_load(&t, path))
		return false;
	for (size_t i = 0; i < t.n; i++)
		check_text(&c, &t.v[i]);
	print_counts(path, &c);
	if (c.insns == 0)
		fprintf(stderr, "%s: no instructions\n", path);
	texts_free(&t);
	return c.failed == 0 && c.insns > 0;
}

int
main(int argc, char **argv)
{
	uint64_t n = 0;
	bool ok = true;
	int opt;

	while ((opt = getopt(argc, argv, "r:")) != -1) {
		if (opt != 'r') {
			fprintf(stderr,
			    "usage: decode-zydis [-r COUNT] [FILE...]\n");
			return 2;
		}
		n = strtoull(optarg, NULL, 10);
	}
	ZydisDecoderInit(&decoders[0], ZYDIS_MACHINE_MODE_LEGACY_32,
	    ZYDIS_STACK_WIDTH_32);
	ZydisDecoderInit(&decoders[1], ZYDIS_MACHINE_MODE_LONG_64,
	    ZYDIS_STACK_WIDTH_64);
	for (int i = optind; i < argc; i++)
		ok = check_file(argv[i]) && ok;
	for (int mode64 = 1; n > 0 && mode64 >= 0; mode64--) {
		struct counts c = { 0 };

		check_random(&c, n, mode64);
		print_counts(mode64 ? "random, 64-bit" : "random, 32-bit", &c);
		ok = ok && c.failed == 0 && c.insns > n / 8;
	}
	if (n == 0 && optind == argc) {
		fprintf(stderr, "usage: decode-zydis [-r COUNT] [FILE...]\n");
		return 2;
	}
	return ok ? 0 : 1;
}
