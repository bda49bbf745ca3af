/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instruction sets and register classes as small sets of bits.
 */
#ifndef KS_ISA_H
#define KS_ISA_H

#include "ks/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * X(enumerator, "word", "compiler flag or NULL")
 * The word is what profiles, files.simd and messages use.  OTHER is what no
 * word names: sets younger than this list, and the CPU's xsave and fxsave.
 */
#define KS_ISA_LIST(X)							\
	X(X87, "x87", "-m80387")					\
	X(MMX, "mmx", "-mmmx")						\
	X(3DNOW, "3dnow", "-m3dnow")					\
	X(SSE, "sse", "-msse")						\
	X(SSE2, "sse2", "-msse2")					\
	X(SSE3, "sse3", "-msse3")					\
	X(SSSE3, "ssse3", "-mssse3")					\
	X(SSE41, "sse4.1", "-msse4.1")					\
	X(SSE42, "sse4.2", "-msse4.2")					\
	X(SSE4A, "sse4a", "-msse4a")					\
	X(AES, "aes", "-maes")						\
	X(PCLMUL, "pclmul", "-mpclmul")					\
	X(SHA, "sha", "-msha")						\
	X(GFNI, "gfni", "-mgfni")					\
	X(AVX, "avx", "-mavx")						\
	X(AVX2, "avx2", "-mavx2")					\
	X(F16C, "f16c", "-mf16c")					\
	X(FMA, "fma", "-mfma")						\
	X(FMA4, "fma4", "-mfma4")					\
	X(XOP, "xop", "-mxop")						\
	X(AVXVNNI, "avxvnni", "-mavxvnni")				\
	X(VAES, "vaes", "-mvaes")					\
	X(VPCLMUL, "vpclmulqdq", "-mvpclmulqdq")			\
	X(AVX512F, "avx512f", "-mavx512f")				\
	X(AVX512VL, "avx512vl", "-mavx512vl")				\
	X(AVX512BW, "avx512bw", "-mavx512bw")				\
	X(AVX512DQ, "avx512dq", "-mavx512dq")				\
	X(AVX512CD, "avx512cd", "-mavx512cd")				\
	X(AVX512ER, "avx512er", "-mavx512er")				\
	X(AVX512PF, "avx512pf", "-mavx512pf")				\
	X(AVX512IFMA, "avx512ifma", "-mavx512ifma")			\
	X(AVX512VBMI, "avx512vbmi", "-mavx512vbmi")			\
	X(AVX512VBMI2, "avx512vbmi2", "-mavx512vbmi2")			\
	X(AVX512VNNI, "avx512vnni", "-mavx512vnni")			\
	X(AVX512BITALG, "avx512bitalg", "-mavx512bitalg")		\
	X(AVX512VPOPCNT, "avx512vpopcntdq", "-mavx512vpopcntdq")	\
	X(AVX512VP2I, "avx512vp2intersect", "-mavx512vp2intersect")	\
	X(AVX512BF16, "avx512bf16", "-mavx512bf16")			\
	X(AVX512FP16, "avx512fp16", "-mavx512fp16")			\
	X(AVX5124, "avx5124", NULL)					\
	X(AMX, "amx", "-mamx-tile")					\
	X(KEYLOCKER, "kl", "-mkl")					\
	X(PADLOCK, "padlock", NULL)					\
	X(NEON, "neon", NULL)						\
	X(SVE, "sve", NULL)						\
	X(OTHER, "other", NULL)

enum ks_isa {
#define X(e, w, f)	KS_ISA_##e,
	KS_ISA_LIST(X)
#undef X
	KS_ISA_MAX
};
typedef uint64_t ks_isaset;	/* bit 1 << enum ks_isa */
#define KS_ISA_BIT(e)	((ks_isaset)1 << KS_ISA_##e)

/* Register classes: what state an instruction touches. */
enum ks_regclass {
	KS_RC_X87 = 1 << 0,
	KS_RC_MMX = 1 << 1,
	KS_RC_XMM = 1 << 2,
	KS_RC_YMM = 1 << 3,
	KS_RC_ZMM = 1 << 4,
	KS_RC_MASK = 1 << 5,
	KS_RC_TILE = 1 << 6,
	KS_RC_MXCSR = 1 << 7,
	KS_RC_UNIT = 1 << 8,	/* no register, but the FPU must be enabled */
};

const char *ks_isa_word(enum ks_isa isa);
const char *ks_isa_flag(enum ks_isa isa);	/* NULL: no flag */
/* enum ks_isa, or -1 for an unknown word. */
int	ks_isa_find(const char *word, size_t len);
/*
 * SET with everything its members imply (avx2 -> avx -> sse4.2 ...), as far
 * as gcc and clang agree on it.
 */
ks_isaset ks_isa_closure(ks_isaset set);
/* SET without members that another member implies. */
ks_isaset ks_isa_minimal(ks_isaset set);
/*
 * "sse2,aes" in table order into BUF; returns BUF.  Words that do not fit
 * are left out; 512 bytes hold all.
 */
char	*ks_isa_print(ks_isaset set, char *buf, size_t size);
/*
 * The reverse ("" is the empty set, blanks are not skipped); false, *out 0
 * and *bad (if not NULL) set to where the first unknown word starts.
 */
bool	ks_isa_parse(const char *words, ks_isaset *out, const char **bad);
/* "xmm,mxcsr" */
char	*ks_regclass_print(unsigned classes, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif
