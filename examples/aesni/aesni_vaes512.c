/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-XTS with VAES on 512-bit registers, 32 blocks at a time.  See aes_xts.h;
 * how it works is in aesni_vaes.h.
 *
 * A SIMD file: compiled with -maes -mvaes -mvpclmulqdq -mavx512bw, and called
 * inside the FPU region only, where XCR0 has the state of ZMM registers
 * enabled.  Calls nothing, touches only its arguments and the stack.
 *
 * 512-bit VAES issues on one port, other vector work on a second one as well,
 * which has less to do than the first: nothing but the rounds counts.  Eight
 * registers of data, eight of tweaks and up to 15 round keys fit in the 32
 * there are.
 *
 * Reference: Intel SDM vol. 2, VAESENC, VPCLMULQDQ.
 */

#include <immintrin.h>

#include "aesni_inline.h"

#define LANES	4

typedef __m512i vec;

INLINE vec
vload(const uint8_t *p)
{
	return (_mm512_loadu_si512((const void *)p));
}

INLINE void
vstore(uint8_t *p, vec x)
{
	_mm512_storeu_si512((void *)p, x);
}

INLINE vec
vlanes(__m128i t)
{
	return (_mm512_broadcast_i32x4(t));
}

INLINE __m128i
vfirst(vec t)
{
	return (_mm512_castsi512_si128(t));
}

INLINE vec
vkey(const uint8_t *p)
{
	return (vlanes(load(p)));
}

INLINE vec
vxor(vec a, vec b)
{
	return (_mm512_xor_si512(a, b));
}

INLINE vec
vxor3(vec a, vec b, vec c)
{
	return (_mm512_ternarylogic_epi64(a, b, c, 0x96));
}

INLINE vec
vround(vec x, vec key, int dec)
{
	return (dec ? _mm512_aesdec_epi128(x, key) :
	    _mm512_aesenc_epi128(x, key));
}

INLINE vec
vlast(vec x, vec key, int dec)
{
	return (dec ? _mm512_aesdeclast_epi128(x, key) :
	    _mm512_aesenclast_epi128(x, key));
}

INLINE vec
vpoly(void)
{
	return (_mm512_set4_epi32(0, 0, 0, 0x87));
}

INLINE vec
vset(int n)
{
	return (_mm512_set1_epi64(n));
}

INLINE vec
vramp(int n)
{
	return (_mm512_setr_epi64(n, n, n + 1, n + 1, n + 2, n + 2, n + 3,
	    n + 3));
}

INLINE vec
vsub64(vec a, vec b)
{
	return (_mm512_sub_epi64(a, b));
}

INLINE vec
vsllv(vec t, vec n)
{
	return (_mm512_sllv_epi64(t, n));
}

INLINE vec
vsrlv(vec t, vec n)
{
	return (_mm512_srlv_epi64(t, n));
}

#define VSHL(t, n)		_mm512_bslli_epi128((t), (n))
#define VSHR(t, n)		_mm512_bsrli_epi128((t), (n))
#define VCLMUL(a, b, imm)	_mm512_clmulepi64_epi128((a), (b), (imm))

#include "aesni_vaes.h"

/* See aes_xts.h. */
XTS_FUNCTION(aesni_vaes512_xts_encrypt, 0, bulk)
XTS_FUNCTION(aesni_vaes512_xts_decrypt, 1, bulk)
