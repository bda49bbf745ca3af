// RUN: rm -rf %t && mkdir -p %t/debug && cp %s %t/lines.c
// RUN: cd %t
// RUN: %gcc %simd -g -O2 -c lines.c -o gcc.o
// RUN: %not %ksimd obj --profile freebsd gcc.o 2>&1 | %FileCheck lines.c
// RUN: %clang %simd -g -O2 -c lines.c -o clang.o
// RUN: %not %ksimd obj --profile freebsd clang.o 2>&1 | %FileCheck lines.c
// RUN: ar rc lib.a clang.o
// RUN: %not %ksimd obj --profile freebsd lib.a 2>&1 | %FileCheck lines.c
// RUN: ar rcT thin.a clang.o
// RUN: %not %ksimd obj --profile freebsd thin.a 2>&1 | %FileCheck lines.c
// RUN: %not %ksimd obj --profile freebsd --format json clang.o 2>/dev/null | %FileCheck lines.c --check-prefix=JSON
//
// Stripped: no line, but with a separate file that .gnu_debuglink names ...
// RUN: objcopy --only-keep-debug gcc.o debug/gcc.debug
// RUN: objcopy --strip-debug gcc.o bare.o
// RUN: objcopy --add-gnu-debuglink=debug/gcc.debug bare.o
// RUN: %not %ksimd obj --profile freebsd bare.o 2>&1 | %FileCheck lines.c --check-prefix=BARE
// RUN: %not %ksimd obj --profile freebsd --debug-dir debug bare.o 2>&1 | %FileCheck lines.c
// RUN: cp debug/gcc.debug .
// RUN: %not %ksimd obj --profile freebsd bare.o 2>&1 | %FileCheck lines.c
// ... not with one whose checksum differs.
// RUN: echo >> gcc.debug
// RUN: %not %ksimd obj --profile freebsd bare.o 2>&1 | %FileCheck lines.c --check-prefix=BARE
//
// By build-id, of a linked file.
// RUN: echo "void fpu_kern_enter(void) {} void fpu_kern_leave(void) {}" > stub.c
// RUN: %gcc -O2 -c stub.c -o stub.o
// RUN: ld -e main_loop --build-id=0x0123456789abcdef gcc.o stub.o -o linked
// RUN: mkdir -p debug/.build-id/01
// RUN: objcopy --only-keep-debug linked debug/.build-id/01/23456789abcdef.debug
// RUN: strip -g linked
// RUN: %not %ksimd obj --profile freebsd linked 2>&1 | %FileCheck lines.c --check-prefix=BARE
// RUN: %not %ksimd obj --profile freebsd --debug-dir debug linked 2>&1 | %FileCheck lines.c
//
// Source lines of what an object's findings name; where intrinsics of a
// compiler's header are inlined, it is their caller's line.
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>

struct thread;
struct fpu_kern_ctx;
void fpu_kern_enter(struct thread *, struct fpu_kern_ctx *, unsigned);
int fpu_kern_leave(struct thread *, struct fpu_kern_ctx *);
void main_loop(char *, struct thread *, struct fpu_kern_ctx *);

void
main_loop(char *p, struct thread *td, struct fpu_kern_ctx *ctx)
{
	fpu_kern_enter(td, ctx, 0);
	fpu_kern_leave(td, ctx);
	// CHECK: main_loop{{.*}}: error: {{.*}} [simd-outside-region]
	// CHECK: {{^}}lines.c:[[#@LINE+4]]:{{[0-9]+}}: note:
	// BARE: main_loop{{.*}}: error: {{.*}} [simd-outside-region]
	// BARE-NOT: lines.c
	// JSON: "file":"lines.c","line":[[#@LINE+1]],
	_mm_storeu_si128((__m128i *)p, _mm_set1_epi32(7));
}
