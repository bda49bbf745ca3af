// RUN: echo "needs aes_asm" > %t.contract
// RUN: %not %ksimd check --profile freebsd --contract %t.contract %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// What is written in assembly has no source here: the contract says it.
#include "fbsd.h"

void	aes_asm(unsigned char *);

void
good_aes(unsigned char *p, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	aes_asm(p);
	fpu_kern_leave(curthread, c);
}

void
bad_aes(unsigned char *p, struct fpu_kern_ctx *c)
{
	fpu_kern_enter(curthread, c, FPU_KERN_NORMAL);
	aes_asm(p);
	fpu_kern_leave(curthread, c);
	// CHECK: [[#@LINE+1]]:2: error: 'aes_asm' needs a region and is called outside one [simd-outside-region]
	aes_asm(p);
}
