// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Inline assembly is seen by text, operands and clobbers.
#include "fbsd.h"
#include "Inputs/forms.h"


// CHECK: [[#@LINE+1]]:28: error: {{.*}}[simd-outside-region]
void bad_asm(void) { AFTER __asm__ volatile("movaps %0, %%xmm3" : : "m" (gv)); }
// CHECK: [[#@LINE+1]]:32: error: {{.*}}[simd-outside-region]
void bad_asmclob(void) { AFTER __asm__ volatile("" : : : "xmm3"); }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_asmop(void) { AFTER v4 t; __asm__ volatile("" : "=x"(t)); }
// CHECK: [[#@LINE+1]]:104: error: {{.*}}[simd-outside-region]
void bad_regvar(void) { AFTER register v4 r __asm__("xmm4"); __asm__ volatile("" : "=r"(gi) : "0"(1)); __asm__ volatile ("" : "=x"(r)); }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[simd-outside-region]
void bad_stringasm(void) { AFTER __asm__("fninit\n\tfld1\n\tfstp %st(0)"); }
// CHECK: [[#@LINE+1]]:35: error: {{.*}}[simd-outside-region]
void bad_asmcomment(void) { AFTER __asm__("nop # c\n nop ; pxor %xmm1, %xmm1"); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_asmvex(void) { AFTER __asm__ volatile("vzeroupper"); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_asmrep(void) { AFTER __asm__ volatile("rep xstorerng"); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_asmcvt(void) { AFTER __asm__ volatile("cvttsd2si (%1), %0" : "=r"(gi) : "r"(&gd)); }
// CHECK: [[#@LINE+2]]:34: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:84: error: {{.*}}[simd-outside-region]
void bad_asmxmmalt(void) { AFTER __asm__ volatile("paddd %1, %0" : "+x"(gm) : "xm"(gm)); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_asmmmx(void) { AFTER __asm__ volatile("movq %%mm0, %0" : "=m"(gd)); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_asmbrace(void) { AFTER __asm__ volatile("{movd|movd} %%xmm0, %0" : "=r"(gi)); }
// CHECK: [[#@LINE+1]]:29: error: {{.*}}[simd-outside-region]
void bad_asmk(void) { AFTER __asm__ volatile("kmovw %%k1, %0" : "=r"(gi)); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_asmmacro(void) { AFTER __asm__ volatile("movd %[a], %%xmm0" : : [a]"r"(gi)); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_asmpad(void) { AFTER __asm__ volatile(" \t1:\tmovups 16(%0), %%xmm7\n" : : "r"(&gv)); }
// CHECK: [[#@LINE+1]]:32: error: {{.*}}[simd-outside-region]
void bad_asmloop(void) { AFTER __asm__ volatile("jmp 1f\n1: addps %%xmm0,%%xmm1" ::); }
// CHECK: [[#@LINE+1]]:30: error: {{.*}}[simd-outside-region]
void bad_movnt(void) { AFTER __asm__ volatile("movntdq (%rax), %xmm0"); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_asmintel(void) { AFTER __asm__(".intel_syntax noprefix; pxor xmm0, xmm0; .att_syntax"); }
void good_asmintel(int xmm0_of) { AFTER __asm__(".intel_syntax noprefix; mov eax, 1; .att_syntax" : : : "eax"); use(xmm0_of); }
