// Bits of a field that tell whether a region is held, by debug information.
// RUN: %clang -O2 -g %simd -I%cases -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes='print<ksimd>' -disable-output %t.ll 2>&1 | %FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// RUN: %clang %confine %simd -I%cases -O3 -g -c %s -DGOOD -o %t.o
// SPDX-License-Identifier: BSD-2-Clause
#include "fbsd.h"

struct pcb {
	long pcb_rip;
	unsigned pcb_flags;
};
extern struct pcb *curpcb;

#define PCB_FPUNOSAVE	0x80

static inline void
begin(void)
{
	if (!is_fpu_kern_thread(0))
		fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX);
}

static inline void
end(void)
{
	struct pcb *pcb = curpcb;

	if ((pcb->pcb_flags & PCB_FPUNOSAVE) != 0)
		fpu_kern_leave(curthread, NULL);
}

void
good_checksum(float *p, int n)
{
	begin();
	for (int i = 0; i < n; i++)
		p[i] += p[0];
	end();
}

#ifndef GOOD
// CHECK: query-mask.c:[[#@LINE+12]]:1: error: returns with the region held [region-not-left]
void
bad_bit(float *p)
{
	struct pcb *pcb = curpcb;

	begin();
	*p += 1;
	if ((pcb->pcb_flags & 0x40) != 0)
		end();
	else
		p[1] += 1;
}
#endif
