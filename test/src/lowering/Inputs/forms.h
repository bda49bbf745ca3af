// SPDX-License-Identifier: BSD-2-Clause
// What the tests of this folder use: something of each type that is in a SIMD
// register, and calls that take or give it.
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
