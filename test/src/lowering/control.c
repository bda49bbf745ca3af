// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Regions and the ways through a function.
#include "fbsd.h"
#include "Inputs/forms.h"

static void cl2(int *p) { gf += *p; }
static inline void en(int c) { if (c) ENTER(); }
static void scope_end(int *p) { (void)p; LEAVE(); }

// CHECK: [[#@LINE+1]]:30: error: {{.*}}[simd-outside-region]
void bad_cleanup(void) { int x __attribute__((cleanup(cl2))) = 1; AFTER (void)x; }
// CHECK: [[#@LINE+1]]:97: error: {{.*}}[simd-outside-region]
void bad_goto_out(int n) { ENTER(); if (n) goto out; gf += 1; LEAVE(); return; out: LEAVE(); gf = 2; }
// CHECK: [[#@LINE+2]]:83: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:89: error: {{.*}}[region-differs-on-join]
void bad_switch_fall(int n) { switch (n) { case 1: ENTER(); /* fall */ case 2: gf += 1; LEAVE(); break; default: break; } }
// CHECK: [[#@LINE+1]]:123: error: {{.*}}[simd-outside-region]
void bad_cgoto(int n) { static void *t[] = { &&a, &&b }; ENTER(); goto *t[n]; a: gf += 1; LEAVE(); return; b: LEAVE(); gf += 1; }
// CHECK: [[#@LINE+2]]:77: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:95: error: {{.*}}[region-differs-on-join]
void bad_nestedcond(int a, int b) { if (a) ENTER(); if (a && b) LEAVE(); gf = 1; if (a && !b) LEAVE(); }
// CHECK: [[#@LINE+2]]:39: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:45: error: {{.*}}[region-differs-on-join]
void bad_do(int n) { ENTER(); do { gf += 1; LEAVE(); } while (n--); }
// CHECK: [[#@LINE+2]]:54: error: {{.*}}[region-differs-on-join]
// CHECK: [[#@LINE+1]]:104: error: {{.*}}[region-not-left]
void bad_cont(int n) { for (int i = 0; i < n; i++) { ENTER(); if (i == 3) continue; gf = 1; LEAVE(); } }
// CHECK: [[#@LINE+1]]:100: error: {{.*}}[region-not-left]
void bad_brk(int n) { for (int i = 0; i < n; i++) { ENTER(); if (i == 3) break; gf = 1; LEAVE(); } }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[simd-outside-region]
void bad_wrap(int n) { en(n); gf = 1; if (n) LEAVE(); }
// CHECK: [[#@LINE+1]]:84: error: {{.*}}[simd-outside-region]
void bad_labelattr(int n) { ENTER(); if (n > 2) { LEAVE(); goto again; } again: gf = 1; if (n <= 2) LEAVE(); }
// CHECK: [[#@LINE+1]]:99: error: {{.*}}[region-not-left]
void bad_asmgoto(int n) { ENTER(); __asm__ goto("" : : "r"(n) : : l); LEAVE(); return; l: gf = 1; }
// CHECK: [[#@LINE+1]]:117: error: {{.*}}[region-not-left]
void bad_asmgotoout(int n) { int o; ENTER(); __asm__ goto("" : "=r"(o) : "r"(n) : : l); LEAVE(); return; l: gf = o; }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_asmgotoxmm(int n) { AFTER __asm__ goto("movd %0, %%xmm0" : : "r"(n) : "xmm0" : l); l: ; }
// CHECK: [[#@LINE+1]]:61: error: {{.*}}[region-not-left]
int bad_retstmtexpr(void) { ENTER(); int r = ({ if (gf > 1) return 1; 2; }); LEAVE(); return r; }
// CHECK: [[#@LINE+1]]:105: error: {{.*}}[region-not-left]
void bad_swin(int n) { ENTER(); switch (n) { float f; case 1: f = n; gf = f; LEAVE(); return; } gf = 2; }
// CHECK: [[#@LINE+3]]:60: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:74: error: {{.*}}[region-differs-on-join]
// CHECK: [[#@LINE+1]]:98: error: {{.*}}[region-not-left]
void bad_duff(int n) { ENTER(); switch (n) do { case 1: gf += 1; case 2: LEAVE(); } while (n--); }
// CHECK: [[#@LINE+1]]:104: error: {{.*}}[simd-outside-region]
void bad_cleanupleave(int n) { { int g __attribute__((cleanup(scope_end))) = 0; ENTER(); (void)g; } gf = 2; }
// CHECK: [[#@LINE+1]]:140: error: {{.*}}[simd-outside-region]
void bad_cleanupgoto(int n) { again: { int g __attribute__((cleanup(scope_end))) = 0; ENTER(); if (n) goto out; (void)g; } return; out: gf = 2; if (n == 2) goto again; }
int good_cleanupret(int n) { int g __attribute__((cleanup(scope_end))) = 0; ENTER(); return n + (gf > 1); }
// CHECK: [[#@LINE+1]]:52: error: {{.*}}[simd-outside-region]
void bad_condop(int n) { n ? ENTER() : (void)0; gf = 1; n ? (void)LEAVE() : (void)0; }
// CHECK: [[#@LINE+1]]:49: error: {{.*}}[simd-outside-region]
void bad_andcall(int n) { n && (ENTER(), 1); gf = 2; n && LEAVE(); }
// CHECK: [[#@LINE+3]]:53: error: {{.*}}[region-differs-on-join]
// CHECK: [[#@LINE+2]]:68: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:71: error: {{.*}}[region-not-left]
void bad_loopleave(int n) { ENTER(); for (; n; n--, LEAVE()) gf += n; }
// CHECK: [[#@LINE+3]]:57: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:63: error: {{.*}}[region-differs-on-join]
// CHECK: [[#@LINE+1]]:74: error: {{.*}}[region-not-left]
void bad_forinc(int n) { for (ENTER(); n > 0; n--) { gf += 1; LEAVE(); } }
// CHECK: [[#@LINE+1]]:80: error: {{.*}}[simd-outside-region]
void bad_unreach(int n) { ENTER(); if (n) __builtin_unreachable(); LEAVE(); gf = 1; }
// CHECK: [[#@LINE+2]]:56: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:82: error: {{.*}}[simd-outside-region]
void bad_noret(int n) { if (!n) { ENTER(); die(); } gf = 1; ENTER(); LEAVE(); gf = 3; }
