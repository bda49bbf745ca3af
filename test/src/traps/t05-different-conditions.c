// RUN: %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// The leave asks another question than the enter; the state answers both.
#include "fbsd.h"

struct pcb { unsigned pcb_flags; };
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
	if ((curpcb->pcb_flags & PCB_FPUNOSAVE) != 0)
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
