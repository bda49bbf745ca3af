// RUN: %ksimd check --profile freebsd %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// The kernel's own state management is no user of it; saving is neutral
// anywhere.
#include "fbsd.h"

void
fpurestore(void *addr)
{
	__asm__ volatile("fxrstor %0" : : "m" (*(char *)addr));
}

void
good_save(void *addr)
{
	__asm__ volatile("fxsave %0" : "=m" (*(char *)addr));
	__asm__ volatile("stmxcsr %0" : "=m" (*(unsigned *)addr));
}

// Loading state outside is a use.
// CHECK: [[#@LINE+4]]:2: note: 'needs_load' must be called inside a region{{.*}}[needs-region]
void
needs_load(unsigned csr)
{
	__asm__ volatile("ldmxcsr %0" : : "m" (csr));
}
