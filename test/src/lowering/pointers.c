// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Calls through pointers, records and other names.
#include "fbsd.h"
#include "Inputs/forms.h"

// CHECK: [[#@LINE+1]]:13: warning: {{.*}}[simd-escapes]
static void work(void) { gf += 1; }
struct op { void (*f)(void); const char *n; };
static struct op ops[] = { { work, "a" }, { 0, 0 } };
struct nest { struct { void (*f)(void); } in; };
static struct nest ns = { .in.f = work };
union ufp { void (*f)(void); long l; };
static union ufp uf = { work };
struct dev { void *softc; void (*cb)(void); };
void (*gfp)(void) = work;
static void (*sfp)(void) = work;
static void (*tab[3])(void) = { work };
static void (* const ctab[])(void) = { work };
void setcb(struct dev *d) { d->cb = work; }
void work2(void) { gf += 1; }
void other_name(void) __attribute__((alias("work2")));
// CHECK: [[#@LINE+1]]:35: error: {{.*}}[simd-outside-region]
void bad_other_name(void) { AFTER other_name(); }

// CHECK: [[#@LINE+1]]:33: error: {{.*}}[simd-outside-region]
void bad_fparray(int i) { AFTER ops[i].f(); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_globfp(void) { AFTER gfp(); }
// CHECK: [[#@LINE+1]]:31: error: {{.*}}[simd-outside-region]
void bad_statfp(void) { AFTER sfp(); }
// CHECK: [[#@LINE+1]]:56: error: {{.*}}[simd-outside-region]
void bad_localfp(void) { AFTER void (*f)(void) = work; f(); }
// CHECK: [[#@LINE+1]]:29: error: {{.*}}[simd-outside-region]
void bad_tab(int i) { AFTER tab[i](); }
// CHECK: [[#@LINE+1]]:30: error: {{.*}}[simd-outside-region]
void bad_ctab(int i) { AFTER (*ctab[i])(); }
// CHECK: [[#@LINE+1]]:39: error: {{.*}}[simd-outside-region]
void bad_nest(struct nest *p) { AFTER p->in.f(); }
// CHECK: [[#@LINE+1]]:30: error: {{.*}}[simd-outside-region]
void bad_union(void) { AFTER uf.f(); }
// CHECK: [[#@LINE+1]]:46: error: {{.*}}[simd-outside-region]
void bad_voidp(void) { AFTER void *p = work; ((void (*)(void))p)(); }
// CHECK: [[#@LINE+1]]:39: error: {{.*}}[simd-outside-region]
void bad_setcb(struct dev *d) { AFTER d->cb(); }
// CHECK: [[#@LINE+1]]:64: error: {{.*}}[simd-outside-region]
void bad_localstruct(void) { AFTER struct dev d = { 0, work }; d.cb(); }
// CHECK: [[#@LINE+1]]:63: error: {{.*}}[simd-outside-region]
void bad_localassign(void) { AFTER struct dev d; d.cb = work; d.cb(); }
// CHECK: [[#@LINE+1]]:68: error: {{.*}}[simd-outside-region]
void bad_memcpystruct(struct dev *d) { AFTER struct dev e; e = *d; e.cb(); }
