/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with VAES on 256-bit registers, 16 blocks at a time.  See aes_xts.h;
 * how it works is in aesni_vaes.h.
 *
 * A SIMD file: compiled with -maes -mvaes -mvpclmulqdq -mavx2, for CPUs and
 * systems without AVX-512, and called inside the FPU region only, where XCR0
 * has the state of YMM registers enabled.  Calls nothing, touches only its
 * arguments and the stack.
 *
 * Of the three vector ports two do VAESENC, and the third cannot take all of
 * the operations beside the rounds: they are what keeps this loop from the
 * limit.  There are 16 registers, so tweaks wait on the stack.
 *
 * Reference: Intel SDM vol. 2, VAESENC, VPCLMULQDQ.
 */

#include <immintrin.h>

#include "aesni_inline.h"

#define LANES	2

typedef __m256i vec;

INLINE vec
vload(const uint8_t *p)
{
	return (_mm256_loadu_si256((const __m256i *)(const void *)p));
}

INLINE void
vstore(uint8_t *p, vec x)
{
	_mm256_storeu_si256((__m256i *)(void *)p, x);
}

INLINE vec
vlanes(__m128i t)
{
	return (_mm256_broadcastsi128_si256(t));
}

INLINE __m128i
vfirst(vec t)
{
	return (_mm256_castsi256_si128(t));
}

INLINE vec
vkey(const uint8_t *p)
{
	return (vlanes(load(p)));
}

INLINE vec
vxor(vec a, vec b)
{
	return (_mm256_xor_si256(a, b));
}

INLINE vec
vxor3(vec a, vec b, vec c)
{
	return (vxor(vxor(a, b), c));
}

INLINE vec
vround(vec x, vec key, int dec)
{
	return (dec ? _mm256_aesdec_epi128(x, key) :
	    _mm256_aesenc_epi128(x, key));
}

INLINE vec
vlast(vec x, vec key, int dec)
{
	return (dec ? _mm256_aesdeclast_epi128(x, key) :
	    _mm256_aesenclast_epi128(x, key));
}

INLINE vec
vpoly(void)
{
	return (_mm256_setr_epi32(0x87, 0, 0, 0, 0x87, 0, 0, 0));
}

INLINE vec
vset(int n)
{
	return (_mm256_set1_epi64x(n));
}

INLINE vec
vramp(int n)
{
	return (_mm256_setr_epi64x(n, n, n + 1, n + 1));
}

INLINE vec
vsub64(vec a, vec b)
{
	return (_mm256_sub_epi64(a, b));
}

INLINE vec
vsllv(vec t, vec n)
{
	return (_mm256_sllv_epi64(t, n));
}

INLINE vec
vsrlv(vec t, vec n)
{
	return (_mm256_srlv_epi64(t, n));
}

#define VSHL(t, n)		_mm256_bslli_epi128((t), (n))
#define VSHR(t, n)		_mm256_bsrli_epi128((t), (n))
#define VCLMUL(a, b, imm)	_mm256_clmulepi64_epi128((a), (b), (imm))

#include "aesni_vaes.h"

/* See aes_xts.h. */
XTS_FUNCTION(aesni_vaes2_xts_encrypt, 0, bulk)
XTS_FUNCTION(aesni_vaes2_xts_decrypt, 1, bulk)
