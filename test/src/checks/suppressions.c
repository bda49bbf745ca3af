// RUN: %ksimd check --profile linux --assumptions %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// A comment takes a finding away, on its line or the line below it if it
// stands alone; each is counted, and one that hides nothing is said.
#include "lnx.h"

void
good_allowed(float *p)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	p[0] += 1;	/* ksimd: allow simd-outside-region: runs once, at boot */
	/* ksimd: allow simd-outside-region: the same */
	p[1] += 1;
}

void
bad_stale(float *p)
{
	kernel_fpu_begin();
	// CHECK: [[#@LINE+1]]:13: note: this suppression hides nothing: no 'region-nested' on its line [contract-unused]
	p[0] += 1;	/* ksimd: allow region-nested: once it did */
	// CHECK: [[#@LINE-1]]:13: note: this can go
	// CHECK-NEXT: p[0] += 1;
	// CHECK-NEXT: {{^ +\|[ \t]+}}^
	// CHECK-NEXT: {{^ +\|[ \t]+~+$}}
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: note: a suppression needs a reason: 'ksimd: allow region-sleeps: why' [contract-unused]
	p[1] += 1;	/* ksimd: allow region-sleeps */
	// CHECK: [[#@LINE+1]]:{{[0-9]+}}: note: this suppression names no check: 'region-foo' [contract-unused]
	p[1] += 1;	/* ksimd: allow region-foo: x */
	kernel_fpu_end();
}
// CHECK: assumption: simd-outside-region is allowed: runs once, at boot [allowed]
// CHECK: assumption: simd-outside-region is allowed: the same [allowed]
