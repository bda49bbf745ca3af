// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning|needs-region}}:"
// SPDX-License-Identifier: BSD-2-Clause
// A parameter in a SIMD register is there before any region of the function is
// opened.  What is laid out at compile time, or never read, is no code.
#include "fbsd.h"
#include "Inputs/forms.h"

void take(void *);
struct mixed { float x, y; int n; };

// CHECK: [[#@LINE+1]]:23: error: SIMD state is used outside a region: 'x' [simd-outside-region]
void bad_float(double x) { ENTER(); gd = x; LEAVE(); }
// CHECK: [[#@LINE+1]]:21: error: {{.*}}: 'x' [simd-outside-region]
void bad_address(v4 x) { take(&x); ENTER(); LEAVE(); }
// CHECK: [[#@LINE+1]]:27: error: {{.*}}: 'x' [simd-outside-region]
void bad_record(struct pt x) { take(&x); ENTER(); LEAVE(); }
// CHECK: [[#@LINE+1]]:28: error: {{.*}}: 'x' [simd-outside-region]
void bad_half(struct mixed x) { use(x.n); ENTER(); LEAVE(); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}: 'x' [simd-outside-region]
void bad_complex(_Complex float x) { ENTER(); gcf = x; LEAVE(); }

void good_memory(long double x) { ENTER(); gld = x; LEAVE(); }
void good_large(vs x) { take(&x); ENTER(); LEAVE(); }
void good_unread(double x) { ENTER(); LEAVE(); }
void good_void(void) { double x; (void)x; ENTER(); LEAVE(); }
void good_static(void) {
  static vi4 a = { 1, 2, 3, 4 };
  static const m128 b = (m128){ 1, 2 };
  static vs c[] = { { .v = { 1, 2 } } };
  take(&a); take((void *)&b); take(c); ENTER(); LEAVE();
}
