// RUN: %not %ksimd check --all --profile linux %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// SPDX-License-Identifier: BSD-2-Clause
// What is made from a call's result is another value each time round.
#include "lnx.h"

typedef long long v2 __attribute__((vector_size(16)));
#define WORK(p)	(*(v2 *)(p) ^= *(const v2 *)((char *)(p) + 16))
int get(void);
typedef struct { int a, b; } pair;
static pair two(void) { pair t = { get(), get() }; return t; }
static int is_odd(int n) { return n == 1; }
#define ROUNDS(x)							\
	int in = 0;							\
	for (;;) {							\
		if (!(x))						\
			return;						\
		if (!in)						\
			kernel_fpu_begin();				\
		in = 1;							\
		WORK(p);						\
	}

// CHECK: [[#@LINE+1]]:27: error: {{.*}}[region-not-left]
void bad_whole(char *p) { ROUNDS(get()) }
// CHECK: [[#@LINE+1]]:26: error: {{.*}}[region-not-left]
void bad_bits(char *p) { ROUNDS(get() & 1) }
// CHECK: [[#@LINE+1]]:26: error: {{.*}}[region-not-left]
void bad_test(char *p) { ROUNDS(is_odd(get())) }
// CHECK: [[#@LINE+1]]:29: error: {{.*}}[region-not-left]
void bad_test_of(char *p) { ROUNDS(is_odd(get()) + 1 == 2) }
// CHECK: [[#@LINE+1]]:28: error: {{.*}}[region-not-left]
void bad_member(char *p) { ROUNDS(two().a) }
// CHECK: [[#@LINE+1]]:34: error: {{.*}}[region-not-left]
void bad_other_member(char *p) { ROUNDS(two().b) }
// CHECK: [[#@LINE+1]]:30: error: {{.*}}[region-not-left]
void bad_variable(char *p) { ROUNDS(({ pair t = two(); t.b; })) }
#define EACH(x)								\
	for (int i = 0; i < 4; i++) {					\
		if (x)							\
			kernel_fpu_begin();				\
		if (x) {						\
			WORK(p);					\
			kernel_fpu_end();				\
		}							\
	}
void good_bits(char *p) { int odd = get() & 1; EACH(odd) }
void good_member(char *p) { pair t = two(); EACH(t.b) }
void good_first(char *p) { pair t = two(); EACH(t.a == 4) }
