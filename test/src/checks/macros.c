// RUN: %not %ksimd check --all --profile freebsd %s -- %base -I%cases > %t 2>&1
// RUN: %FileCheck %s --implicit-check-not="{{error|warning}}:" < %t
// RUN: %not %ksimd check --all --profile freebsd --emit-graph=%t.ksg %s -- %base -I%cases > %t.direct
// RUN: %not %ksimd solve --all --profile freebsd %t.ksg > %t.solved
// RUN: diff %t.direct %t.solved
// SPDX-License-Identifier: BSD-2-Clause
// What is in a macro is reported where the macro is used, with a note for
// each macro that it is in.
#include "fbsd.h"

#define USE(p)	((p)[0] += 1)
#define BEGIN()	fpu_kern_enter(curthread, NULL, FPU_KERN_NOCTX)
#define END()	fpu_kern_leave(curthread, NULL)
#define BOTH(p)	do { BEGIN(); USE(p); END(); USE(p); } while (0)

void
bad_argument(float *p)
{
	BEGIN();
	END();
	// CHECK: [[#@LINE+5]]:2: error: SIMD state is used outside a region: 'USE(p)' [simd-outside-region]
	// CHECK: [[#@LINE-11]]:24: note: expanded from macro 'USE'
	// CHECK-NEXT: define USE
	// CHECK: [[#@LINE-4]]:2: note: region left here
	// CHECK: [[#@LINE-12]]:15: note: expanded from macro 'END'
	USE(p);
}

void
bad_inside(float *p)
{
	// CHECK: [[#@LINE+6]]:2: error: SIMD state is used outside a region: {{.*}}[simd-outside-region]
	// CHECK: [[#@LINE-19]]:46: note: expanded from macro 'BOTH'
	// CHECK: [[#@LINE-23]]:24: note: expanded from macro 'USE'
	// CHECK: [[#@LINE+3]]:2: note: region left here
	// CHECK: [[#@LINE-22]]:39: note: expanded from macro 'BOTH'
	// CHECK: [[#@LINE-24]]:15: note: expanded from macro 'END'
	BOTH(p);
}

void
bad_plain(float *p)
{
	// CHECK: [[#@LINE+6]]:7: error: SIMD state is used outside a region: {{.*}}[simd-outside-region]
	// CHECK-NEXT: p[0] += 1;
	// CHECK-NEXT: ^
	// CHECK-NEXT: [[#@LINE+2]]:2: note: region left here
	BEGIN();
	END();
	p[0] += 1;
}
