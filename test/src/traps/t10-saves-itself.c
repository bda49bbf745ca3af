// RUN: %ksimd check --profile freebsd --assumptions %s -- %base -I%cases -I%src/include 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Assembly that puts back what it clobbers is trusted where that is said,
// and each such word is counted.
// CHECK: assumption: 'good_flush' manages SIMD state itself: not judged [machinery]
#include "fbsd.h"
#include "ksimd.h"

KSIMD_TRUST("saves and restores xmm0")
void
good_flush(void *save)
{
	__asm__ volatile("movdqu %%xmm0, (%0)\n\tpxor %%xmm0, %%xmm0\n\t"
	    "movdqu (%0), %%xmm0" : : "r" (save) : "memory");
}
