// What a condition says is followed through IR, as Clang makes it at any level.
// RUN: %clang -O0 -g %simd -I%cases -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.0.ll
// RUN: %clang -O2 -g %simd -I%cases -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.2.ll
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes='print<ksimd>' -disable-output %t.0.ll 2>&1 | %FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// RUN: %opt -load-pass-plugin=%pass -ksimd-profile=freebsd -passes='print<ksimd>' -disable-output %t.2.ll 2>&1 | %FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// SPDX-License-Identifier: BSD-2-Clause
#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include "fbsd.h"

struct softc {
	int a;
	int flags;
	bool fpu;
	float value;
	void (*run)(struct softc *);
};

struct thread *td;
struct fpu_kern_ctx *ctx;
float *data;

#define ENTER()	fpu_kern_enter(td, ctx, FPU_KERN_NORMAL)
#define LEAVE()	fpu_kern_leave(td, ctx)

void other(void);

// A bool in memory, read twice, and a call that cannot change it between.
void
good_bool(bool b)
{
	bool copy = b;

	if (copy)
		ENTER();
	if (b)
		*data += 1;
	if (copy)
		LEAVE();
}

void
good_field(struct softc *sc)
{
	if (sc->flags & 4)
		ENTER();
	sc->a = 3;
	if ((sc->flags & 4) != 0)
		sc->value += 1;
	if (sc->flags & 4)
		LEAVE();
}

void
good_bool_field(struct softc *sc)
{
	if (sc->fpu)
		ENTER();
	if (!sc->fpu)
		goto out;
	*data += 1;
	LEAVE();
out:
	sc->a++;
}

void
bad_field_set(struct softc *sc)
{
	if (sc->flags & 4)
		ENTER();
	sc->flags = 0;
	// CHECK: facts.c:[[#@LINE+2]]:3: error: a region is left here that is held on some paths only [region-differs-on-join]
	if (sc->flags & 4)
		LEAVE();
	// CHECK: facts.c:[[#@LINE+1]]:1: error: returns with the region held [region-not-left]
}

void
good_switch(int mode)
{
	switch (mode) {
	case 1:
	case 2:
		ENTER();
		break;
	default:
		break;
	}
	if (mode == 2)
		*data += 1;
	if (mode == 1 || mode == 2)
		LEAVE();
}

// PHIs that change places are set at once.
void
bad_swap(int n, int a, int b)
{
	if (a == 0 || b != 0)
		return;
	while (n-- > 0) {
		int t = a;

		a = b;
		b = t;
	}
	if (a)
		ENTER();
	if (b)
		// CHECK: facts.c:[[#@LINE+2]]:9: error: SIMD state is used outside a region: 'fadd of float' [simd-outside-region]
		// CHECK: facts.c:[[#@LINE+1]]:9: error: SIMD state is used outside a region: 'load of float' [simd-outside-region]
		*data += 1;
	if (a)
		LEAVE();
}

void
good_expect(int n)
{
	bool in = __builtin_expect(!!(n & 7), 0);

	if (in)
		ENTER();
	other();
	if (__builtin_expect(in, 1))
		LEAVE();
}

// The result of the kernel's query, kept over calls.
void
good_query(void)
{
	int kt = is_fpu_kern_thread(0);

	if (!kt)
		ENTER();
	*data += 1;
	if (!kt)
		LEAVE();
}

static bool
begin(int n)
{
	if (n < 64)
		return (false);
	ENTER();
	return (true);
}

void
good_wrapper(int n)
{
	bool in = begin(n);

	if (in) {
		*data += 1;
		LEAVE();
	}
}

void
good_local(void)
{
	int state[4] = { 0 };

	state[1] = 1;
	ENTER();
	state[2] = 5;
	if (state[1])
		LEAVE();
}

void change(int *);

void
bad_local(void)
{
	int state[4] = { 0 };

	state[1] = 1;
	ENTER();
	change(state);
	if (state[1])
		LEAVE();
	// CHECK: facts.c:[[#@LINE+1]]:{{.*}}: error: {{.*}}[region-not-left]
}

// What the table holds is what its field calls.
static void
soft(struct softc *sc)
{
	sc->a++;
}

static void
hard(struct softc *sc)
{
	*data += 1;
}

static const struct softc table = { .run = hard };

void
good_table(struct softc *sc)
{
	sc->run = soft;
	ENTER();
	table.run(sc);
	LEAVE();
}

void
bad_table(struct softc *sc)
{
	ENTER();
	LEAVE();
	// CHECK: facts.c:[[#@LINE+1]]:{{.*}}: error: {{.*}}[simd-outside-region]
	table.run(sc);
}
