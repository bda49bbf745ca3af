// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Every way to touch a float or a vector in C is seen.
#include "fbsd.h"
#include "Inputs/forms.h"

#define AB(x) _Generic((x), float: (x) * 2, default: (x))

// CHECK: [[#@LINE+3]]:50: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:54: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:63: error: {{.*}}[simd-outside-region]
void bad_stmtexpr(void) { AFTER int i = ({ float t = gf; (int)t; }); use(i); }
// CHECK: [[#@LINE+1]]:42: error: {{.*}}[simd-outside-region]
void bad_ternary(int n) { AFTER gi = n ? gf > 1 : 3; }
// CHECK: [[#@LINE+1]]:37: error: {{.*}}[simd-outside-region]
void bad_comma(int n) { AFTER gi = (gf++, n); }
// CHECK: [[#@LINE+2]]:48: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:60: error: {{.*}}[simd-outside-region]
void bad_vla(int n) { AFTER float a[n]; a[0] = n; use((int)a[0]); }
// CHECK: [[#@LINE+1]]:37: error: {{.*}}[simd-outside-region]
void bad_generic(void) { AFTER gi = AB(gf); }
// CHECK: [[#@LINE+1]]:38: error: {{.*}}[simd-outside-region]
void bad_builtin(void) { AFTER gvi = __builtin_shufflevector(gvi, gvi, 0,1,2,3); }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_complex(void) { AFTER gcf *= 2; }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_f16(void) { AFTER gh = gh + gh; }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_ld(void) { AFTER gld = gld * 3; }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[simd-outside-region]
void bad_structval(void) { AFTER putpt(gpt); }
// CHECK: [[#@LINE+1]]:40: error: {{.*}}[simd-outside-region]
void bad_structret(void) { AFTER gpt = getpt(); }
// CHECK: [[#@LINE+1]]:52: error: {{.*}}[simd-outside-region]
void bad_complit(int n) { AFTER putpt((struct pt){ n, 2 }); }
// CHECK: [[#@LINE+2]]:44: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:74: error: {{.*}}[simd-outside-region]
void bad_desig(void) { AFTER struct pt p = { .x = 1.5f, .y = 2.5f }; use(p.x > 1); }
// CHECK: [[#@LINE+1]]:39: error: {{.*}}[simd-outside-region]
void bad_volatilest(void) { AFTER gvf = 1; }
// CHECK: [[#@LINE+1]]:38: error: {{.*}}[simd-outside-region]
void bad_castcond(int n) { AFTER if ((float)n > 1) use(1); }
// CHECK: [[#@LINE+1]]:38: error: {{.*}}[simd-outside-region]
void bad_castcond2(void) { AFTER if (gf) use(1); }
// CHECK: [[#@LINE+1]]:37: error: {{.*}}[simd-outside-region]
void bad_while(void) { AFTER while (gd) use(1); }
// CHECK: [[#@LINE+3]]:39: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:46: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:55: error: {{.*}}[simd-outside-region]
void bad_for(void) { AFTER for (float f = 0; f < 3; f += 1) use(1); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_not(void) { AFTER use(!gf); }
// CHECK: [[#@LINE+1]]:38: error: {{.*}}[simd-outside-region]
void bad_and(int n) { AFTER use(n && gf); }
// CHECK: [[#@LINE+2]]:34: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:40: error: {{.*}}[simd-outside-region]
void bad_elvis(void) { AFTER use((int)(gf ?: 1)); }
// CHECK: [[#@LINE+1]]:32: error: {{.*}}[simd-outside-region]
void bad_varcall(void) { AFTER vsn("%f", 1.0); }
// CHECK: [[#@LINE+1]]:50: error: {{.*}}[simd-outside-region]
void bad_sqrt(void) { AFTER gf = __builtin_sqrtf(gf); }
// CHECK: [[#@LINE+2]]:48: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:60: error: {{.*}}[simd-outside-region]
void bad_arrinit(int n) { AFTER float a[2] = { n, n }; use(a[0] > 1); }
// CHECK: [[#@LINE+1]]:66: error: {{.*}}[simd-outside-region]
void bad_union(int n) { AFTER union { float f; int i; } u; u.f = n; use(u.i); }
// CHECK: [[#@LINE+1]]:49: error: {{.*}}[simd-outside-region]
void bad_memberptr(struct pt *p) { AFTER p->x = p->y; }
// CHECK: [[#@LINE+1]]:42: error: {{.*}}[simd-outside-region]
void bad_real(void) { AFTER __real__ gcf = 1; }
// CHECK: [[#@LINE+1]]:59: error: {{.*}}[simd-outside-region]
void bad_atomic(void) { AFTER static _Atomic float af; af += 1; }
// CHECK: [[#@LINE+1]]:77: error: {{.*}}[simd-outside-region]
void bad_atomicload(float *p) { AFTER float t; __atomic_load(p, &t, 0); use(t > 1); }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_vecsub(int i) { AFTER use(gvi[i]); }
// CHECK: [[#@LINE+1]]:41: error: {{.*}}[simd-outside-region]
void bad_convertvec(void) { AFTER gvi = __builtin_convertvector(gv, vi4); }
// CHECK: [[#@LINE+1]]:29: error: {{.*}}[simd-outside-region]
float bad_x41(void) { AFTER return 1.0f; }
// CHECK: [[#@LINE+1]]:48: error: {{.*}}[simd-outside-region]
void bad_structasgn(struct pt *a) { AFTER *a = (struct pt){ 1, 2 }; }
// CHECK: [[#@LINE+1]]:45: error: {{.*}}[simd-outside-region]
void bad_chooseexpr(void) { AFTER gi = (int)__builtin_choose_expr(1, gf, 0); }
// CHECK: [[#@LINE+2]]:46: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:50: error: {{.*}}[simd-outside-region]
void bad_typeof(void) { AFTER __typeof__(gf) t = gf; (void)t; }
// CHECK: [[#@LINE+2]]:45: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:49: error: {{.*}}[simd-outside-region]
void bad_autotype(void) { AFTER __auto_type t = gf; (void)t; }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[simd-outside-region]
void bad_neg(void) { AFTER gd = -gd; }
// CHECK: [[#@LINE+1]]:32: error: {{.*}}[simd-outside-region]
void bad_cmp(void) { AFTER use(gd == gf); }
// CHECK: [[#@LINE+1]]:95: error: {{.*}}[simd-outside-region]
void bad_vaarg(int n, ...) { __builtin_va_list ap; AFTER __builtin_va_start(ap, n); gi = (int)__builtin_va_arg(ap, double); __builtin_va_end(ap); }
// CHECK: [[#@LINE+1]]:55: error: {{.*}}[simd-outside-region]
void bad_setp(void) { struct fs l = gfs; AFTER l.b[1] = 2; }
// CHECK: [[#@LINE+1]]:40: error: {{.*}}[simd-outside-region]
void bad_arr(void) { AFTER gfs.b[gi] = gfs.b[1]; }
// CHECK: [[#@LINE+1]]:42: error: {{.*}}[simd-outside-region]
void bad_ptrarith(float *p) { AFTER *p++ = 1; }
// CHECK: [[#@LINE+1]]:39: error: {{.*}}[simd-outside-region]
void bad_vecarr(v4 *p) { AFTER p[1] = p[0]; }
// CHECK: [[#@LINE+1]]:45: error: {{.*}}[simd-outside-region]
void bad_vecinstruct(void) { AFTER gvs.v += gvs.v; }
// CHECK: [[#@LINE+1]]:32: error: {{.*}}[simd-outside-region]
void bad_vecelem(void) { AFTER gv[2] = 1; }
// CHECK: [[#@LINE+1]]:39: error: {{.*}}[simd-outside-region]
void bad_vecscalar(void) { AFTER gv = gv * 2.0f; }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_veccmp(void) { AFTER gm = gm == gm; }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_vecshift(void) { AFTER gm <<= 2; }
// CHECK: [[#@LINE+3]]:38: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:42: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:57: error: {{.*}}[simd-outside-region]
void bad_vecinit(int n) { AFTER m128 v = { n, n }; gm = v; }
// CHECK: [[#@LINE+1]]:43: error: {{.*}}[simd-outside-region]
void bad_veccast(void) { AFTER gm = (m128)gv; }
// CHECK: [[#@LINE+1]]:48: error: {{.*}}[simd-outside-region]
void bad_veccompound(int n) { AFTER gm = (m128){ n, 1 }; }
// CHECK: [[#@LINE+3]]:36: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+2]]:42: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:47: error: {{.*}}[simd-outside-region]
void bad_vectern(int n) { AFTER gm = n ? gm : gm + 1; }
// CHECK: [[#@LINE+1]]:35: error: {{.*}}[simd-outside-region]
m128 bad_x29(void) { AFTER return gm; }
// CHECK: [[#@LINE+1]]:44: error: {{.*}}[simd-outside-region]
void bad_vecpass(void) { AFTER takes((m128){1,2}); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_constf(void) { AFTER takesf(1.0f); }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_dropf(void) { AFTER (void)getf(); }
// CHECK: [[#@LINE+2]]:37: error: {{.*}}[simd-outside-region]
// CHECK: [[#@LINE+1]]:44: error: {{.*}}[simd-outside-region]
void bad_getfcond(void) { AFTER if (getf() > 0) use(1); }
// CHECK: [[#@LINE+1]]:49: error: {{.*}}[simd-outside-region]
void bad_fabs(void) { AFTER gd = __builtin_fabs(gd); }
// CHECK: [[#@LINE+1]]:50: error: {{.*}}[simd-outside-region]
void bad_isnan(void) { AFTER use(__builtin_isnan(gd)); }
// CHECK: [[#@LINE+1]]:57: error: {{.*}}[simd-outside-region]
void bad_copysign(void) { AFTER gd = __builtin_copysign(gd, 1.0); }
// CHECK: [[#@LINE+1]]:62: error: {{.*}}[simd-outside-region]
void bad_reduce(void) { AFTER use(__builtin_reduce_add((m128){gi, 2}) > 1); }
// CHECK: [[#@LINE+1]]:67: error: {{.*}}[simd-outside-region]
void bad_elementwise(void) { AFTER gv = __builtin_elementwise_max(gv, gv); }
// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_h8(h8 *p) { AFTER *p = *p + *p; }
// CHECK: [[#@LINE+1]]:36: error: {{.*}}[simd-outside-region]
void bad_int128(void) { AFTER gd = (double)(__int128)gi; }
// CHECK: [[#@LINE+1]]:52: error: {{.*}}[simd-outside-region]
void bad_ulltof(unsigned long long x) { AFTER gi = x * 1.5; }
// CHECK: [[#@LINE+1]]:41: error: {{.*}}[simd-outside-region]
void bad_flt_cmpconst(void) { AFTER if (gd == 0) use(1); }
// CHECK: [[#@LINE+1]]:45: error: {{.*}}[simd-outside-region]
void bad_switchf(void) { AFTER switch ((int)gd) { case 1: use(1); } }
// CHECK: [[#@LINE+1]]:43: error: {{.*}}[simd-outside-region]
void bad_index(int *a) { AFTER use(a[(int)gf]); }
// CHECK: [[#@LINE+1]]:50: error: {{.*}}[simd-outside-region]
void bad_dowhile(void) { AFTER do use(1); while (gf < 2); }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[simd-outside-region]
int bad_x49(void) { AFTER return gd > 1; }
// CHECK: [[#@LINE+1]]:49: error: {{.*}}[simd-outside-region]
void bad_static(void) { AFTER static float s; s += 1; }
// CHECK: [[#@LINE+1]]:65: error: {{.*}}[simd-outside-region]
void bad_nontemporal(v4 *p) { AFTER __builtin_nontemporal_store(gv, p); }
