// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// A condition on a value that was widened to be compared is one on the value
// itself, signed or not.
#include "fbsd.h"

void
good_signed(signed char c, struct fpu_kern_ctx *ctx)
{
	if (c < 0)
		fpu_kern_enter(curthread, ctx, 0);
	if (c <= -1)
		fpu_kern_leave(curthread, ctx);
}

void
good_unsigned(unsigned char c, struct fpu_kern_ctx *ctx)
{
	if (c > 7)
		fpu_kern_enter(curthread, ctx, 0);
	if (c >= 8)
		fpu_kern_leave(curthread, ctx);
}

void
good_other_side(short s, struct fpu_kern_ctx *ctx)
{
	if (-3 > s)
		fpu_kern_enter(curthread, ctx, 0);
	if (s <= -4)
		fpu_kern_leave(curthread, ctx);
}

void
bad_signed(signed char c, struct fpu_kern_ctx *ctx)
{
	if (c < 0)
		fpu_kern_enter(curthread, ctx, 0);
	if (c <= -2)
		fpu_kern_leave(curthread, ctx);
// CHECK: [[#@LINE+1]]:1: error: {{.*}}[region-not-left]
}

void
bad_unsigned(unsigned char c, struct fpu_kern_ctx *ctx)
{
	if (c > 127)
		fpu_kern_enter(curthread, ctx, 0);
	if ((signed char)c < -1)
		fpu_kern_leave(curthread, ctx);
// CHECK: [[#@LINE+1]]:1: error: {{.*}}[region-not-left]
}

// What is no value of the type is never equal to it.
void
good_never(unsigned char c, struct fpu_kern_ctx *ctx)
{
	if (c == 200)
		fpu_kern_enter(curthread, ctx, 0);
	if ((signed char)c == -56)
		fpu_kern_leave(curthread, ctx);
}

void
bad_never(unsigned char c, struct fpu_kern_ctx *ctx)
{
	if (c == 200)
		fpu_kern_enter(curthread, ctx, 0);
	if ((signed char)c == 200)
// CHECK: [[#@LINE+1]]:3: error: {{.*}}[region-differs-on-join]
		fpu_kern_leave(curthread, ctx);
// CHECK: [[#@LINE+1]]:1: error: {{.*}}[region-not-left]
}

void
bad_zeroes_above(signed char c, struct fpu_kern_ctx *ctx)
{
	if (c == -1)
		fpu_kern_enter(curthread, ctx, 0);
	if ((unsigned long)(unsigned int)c == 0xfffffffffffffffful)
// CHECK: [[#@LINE+1]]:3: error: {{.*}}[region-differs-on-join]
		fpu_kern_leave(curthread, ctx);
// CHECK: [[#@LINE+1]]:1: error: {{.*}}[region-not-left]
}
