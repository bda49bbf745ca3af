/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of instruction sets and register classes, and what one instruction
 * set implies of others.
 *
 * The implications are those that gcc 12 and clang 19 both make: enabling
 * the flag on the left defines the macros of the sets on the right
 * ("-m32 -march=i386 -mX -dM -E").  Where only one of them does (clang: vaes
 * implies aes and avx2, gcc: nothing), none is listed, so that a minimal set
 * of flags works with either compiler.
 *
 * Invariants: the list of implications is in an order in which every right
 * side is closed before it is used (sets further down imply sets further
 * up), so that one pass from the end closes a set.
 */
#include "ks/isa.h"

#include <string.h>

static const struct {
	const char	*word;
	const char	*flag;
} isa_names[KS_ISA_MAX] = {
#define X(e, w, f)	[KS_ISA_##e] = { w, f },
	KS_ISA_LIST(X)
#undef X
};

_Static_assert(KS_ISA_MAX <= 64, "ks_isaset has 64 bits");

static const struct {
	uint8_t		isa;
	ks_isaset	implies;
} isa_implies[] = {
#define I(a, b)		{ KS_ISA_##a, KS_ISA_BIT(b) }
	I(3DNOW, MMX),
	I(SSE, MMX),
	I(SSE2, SSE),
	I(SSE3, SSE2),
	I(SSSE3, SSE3),
	I(SSE41, SSSE3),
	I(SSE42, SSE41),
	I(SSE4A, SSE3),
	I(AES, SSE2),
	I(PCLMUL, SSE2),
	I(SHA, SSE2),
	I(KEYLOCKER, SSE2),
	I(AVX, SSE42),
	I(AVX2, AVX),
	I(F16C, AVX),
	I(FMA, AVX),
	{ KS_ISA_FMA4, KS_ISA_BIT(AVX) | KS_ISA_BIT(SSE4A) },
	I(XOP, FMA4),
	I(AVXVNNI, AVX2),
	I(AVX512F, AVX2),
	I(AVX512VL, AVX512F),
	I(AVX512BW, AVX512F),
	I(AVX512DQ, AVX512F),
	I(AVX512CD, AVX512F),
	I(AVX512ER, AVX512F),
	I(AVX512PF, AVX512F),
	I(AVX512IFMA, AVX512F),
	I(AVX512VBMI, AVX512BW),
	I(AVX512VBMI2, AVX512F),
	I(AVX512VNNI, AVX512F),
	I(AVX512BITALG, AVX512F),
	I(AVX512VPOPCNT, AVX512F),
	I(AVX512VP2I, AVX512F),
	I(AVX512BF16, AVX512BW),
	I(AVX512FP16, AVX512BW),
	I(AVX5124, AVX512F),
	I(SVE, NEON),
#undef I
};

#define NIMPLIES	(sizeof(isa_implies) / sizeof(isa_implies[0]))

const char *
ks_isa_word(enum ks_isa isa)
{
	return (unsigned)isa < KS_ISA_MAX ? isa_names[isa].word : "?";
}

const char *
ks_isa_flag(enum ks_isa isa)
{
	return (unsigned)isa < KS_ISA_MAX ? isa_names[isa].flag : NULL;
}

int
ks_isa_find(const char *word, size_t len)
{
	for (int i = 0; i < KS_ISA_MAX; i++) {
		const char *w = isa_names[i].word;

		if (strlen(w) == len && memcmp(w, word, len) == 0)
			return i;
	}
	return -1;
}

ks_isaset
ks_isa_closure(ks_isaset set)
{
	for (size_t i = NIMPLIES; i-- > 0;)
		if (set >> isa_implies[i].isa & 1)
			set |= isa_implies[i].implies;
	return set;
}

ks_isaset
ks_isa_minimal(ks_isaset set)
{
	ks_isaset implied = 0;

	for (int i = 0; i < KS_ISA_MAX; i++) {
		ks_isaset bit = (ks_isaset)1 << i;

		if (set & bit)
			implied |= ks_isa_closure(bit) & ~bit;
	}
	return set & ~implied;
}

/*
 * Appends WORD, with a comma before it if needed, if all of it fits;
 * returns the new length.
 */
static size_t
append_word(char *buf, size_t size, size_t at, const char *word)
{
	size_t len = strlen(word), comma = at > 0;

	if (at + comma + len + 1 > size)
		return at;
	if (comma)
		buf[at++] = ',';
	memcpy(buf + at, word, len + 1);
	return at + len;
}

char *
ks_isa_print(ks_isaset set, char *buf, size_t size)
{
	size_t at = 0;

	if (size > 0)
		buf[0] = '\0';
	for (int i = 0; i < KS_ISA_MAX; i++)
		if (set >> i & 1)
			at = append_word(buf, size, at, isa_names[i].word);
	return buf;
}

bool
ks_isa_parse(const char *words, ks_isaset *out, const char **bad)
{
	ks_isaset set = 0;
	const char *w = words;

	*out = 0;
	if (*w == '\0')
		return true;
	for (;;) {
		size_t len = strcspn(w, ",");
		int isa = ks_isa_find(w, len);

		if (isa < 0) {
			if (bad != NULL)
				*bad = w;
			return false;
		}
		set |= (ks_isaset)1 << isa;
		if (w[len] == '\0')
			break;
		w += len + 1;
	}
	*out = set;
	return true;
}

char *
ks_regclass_print(unsigned classes, char *buf, size_t size)
{
	static const char *const words[] = {
		"x87", "mmx", "xmm", "ymm", "zmm", "mask", "tile", "mxcsr",
		"unit",
	};
	size_t at = 0;

	if (size > 0)
		buf[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (classes >> i & 1)
			at = append_word(buf, size, at, words[i]);
	return buf;
}
