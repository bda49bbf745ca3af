// Remarks tell what was moved, and what was not.
// RUN: %clang %confine %simd -I%S/Inputs -O2 -Rpass=ksimd -Rpass-missed=ksimd -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s --implicit-check-not=remark:
#include "fpu.h"

void
moved(int *p, int n)
{
	ENTER();
	FILL(p, n); // CHECK: remarks.c:[[#@LINE]]:{{[0-9]+}}: remark: region of 'moved' moved to 'moved.region' [-Rpass=ksimd]
	LEAVE();
}

void
stays(int *p, int n)
{
	ENTER();
	*p = n; // CHECK: remarks.c:[[#@LINE]]:{{[0-9]+}}: remark: region of 'stays' stays: no SIMD in it [-Rpass-missed=ksimd]
	LEAVE();
}
