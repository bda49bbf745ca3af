/*
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variadic functions in a file built with SSE2.  The ABI lets a prologue
 * store %xmm0 to %xmm7 if %al says that doubles were passed.  No line of
 * the source shows it.
 *
 * bad_log	hands its va_list on
 * bad_ints	reads integers from it
 * bad_region	opens a region itself, after the prologue
 * good_log	is not variadic
 * good_gpr	is compiled without vector registers
 *
 * Build: the kernel's flags with SSE2 switched on ("simd").
 */
#include <emmintrin.h>
#include <stdarg.h>
#include "fbsd.h"

void	vemit(const char *fmt, va_list ap);
void	emit(const char *fmt, long a);
void	bad_log(const char *fmt, ...);
void	bad_ints(const char *fmt, ...);
void	bad_region(struct fpu_kern_ctx *c, ...);
void	good_log(const char *fmt, long a);
void	good_gpr(const char *fmt, ...);

void
bad_log(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vemit(fmt, ap);
	va_end(ap);
}

void
bad_ints(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(fmt, va_arg(ap, long));
	va_end(ap);
}

void
bad_region(struct fpu_kern_ctx *c, ...)
{
	va_list ap;
	int *p;

	va_start(ap, c);
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	while ((p = va_arg(ap, int *)) != NULL)
		_mm_storeu_si128((__m128i *)p,
		    _mm_loadu_si128((const __m128i *)p + 1));
	fpu_kern_leave(curthread, c);
	va_end(ap);
}

void
good_log(const char *fmt, long a)
{
	emit(fmt, a);
}

__attribute__((target("general-regs-only")))
void
good_gpr(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit(fmt, va_arg(ap, long));
	va_end(ap);
}
