// RUN: %not %ksimd check --all --profile freebsd %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// Calls through pointers, records and other names.
#include "fbsd.h"

#define ENTER()	fpu_kern_enter(curthread, ctx, 0)
#define LEAVE()	fpu_kern_leave(curthread, ctx)
/* What follows is outside. */
#define AFTER	ENTER(); LEAVE();

typedef float v4 __attribute__((vector_size(16)));
typedef int vi4 __attribute__((vector_size(16)));
typedef long long m128 __attribute__((vector_size(16)));
typedef _Float16 h8 __attribute__((vector_size(16)));
struct pt { float x, y; };
struct fs { float a; float b[3]; };
typedef struct { v4 v; int n; } vs;
struct fpu_kern_ctx *ctx;
float gf, getf(void);
double gd;
long double gld;
_Complex float gcf;
_Float16 gh;
volatile float gvf;
v4 gv;
vi4 gvi;
m128 gm;
vs gvs;
struct pt gpt, getpt(void);
struct fs gfs;
int gi, vsn(const char *, ...);
void use(int), putpt(struct pt), takes(m128), takesf(float), die(void) __attribute__((noreturn));

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
