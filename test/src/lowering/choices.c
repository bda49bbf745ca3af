// RUN: %not %ksimd check --all --profile linux %s -- %simd -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:"
// RUN: %ksimd check --profile linux %s --assumptions -o /dev/null -- %simd -I%cases -DKNOWN 2>&1 | %FileCheck %s --check-prefix=KNOWN --implicit-check-not=unknown-call
// SPDX-License-Identifier: BSD-2-Clause
// Pointers that are one of several functions: ?:, branches, what a function
// returns. Where all are known, the call is that of each.
// KNOWN: proven
#include "lnx.h"

typedef void work_fn(float *);
struct ops { work_fn *run; };
extern int wide, ready;
void	call_later(work_fn *);

static void plain(float *p) { *(int *)p = 1; }
static void sse(float *p) { p[0] += 1; }
static void avx(float *p) { p[1] += 1; }

static work_fn *
choose(int n)
{
	if (n > 4)
		return (avx);
	return (n ? sse : 0);
}

static work_fn *
choose_again(int n)
{
	work_fn *f = choose(n);

	return (f ? f : plain);
}

static void
apply(work_fn *f, float *p)
{
	f(p);
}

void
good_choice(float *p)
{
	kernel_fpu_begin();
	(wide ? avx : sse)(p);
	kernel_fpu_end();
}

void
good_local(float *p, int n)
{
	work_fn *f = 0;

	if (n)
		f = n > 4 ? avx : sse;
	else if (ready)
		f = plain;
	kernel_fpu_begin();
	if (f)
		f(p);
	kernel_fpu_end();
}

void
good_returned(float *p, int n)
{
	kernel_fpu_begin();
	choose(n)(p);
	choose_again(n)(p);
	kernel_fpu_end();
}

void
good_passed(float *p)
{
	kernel_fpu_begin();
	apply(wide ? avx : sse, p);
	kernel_fpu_end();
}

void
good_loop(float *p, int n)
{
	work_fn *f = plain;

	kernel_fpu_begin();
	while (n--) {
		f(p);
		f = f == plain ? sse : avx;
	}
	kernel_fpu_end();
}

void
good_free(float *p, int n)
{
	work_fn *f = n ? plain : 0;

	if (f)
		f(p);
}

#ifndef KNOWN
void
bad_choice(float *p)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: '{{avx|sse}}' needs a region and is called outside one [simd-outside-region]
	(wide ? avx : plain)(p);
}

void
bad_local(float *p, int n)
{
	work_fn *f = plain;

	if (n)
		f = sse;
	kernel_fpu_begin();
	f(p);
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: 'sse' needs a region and is called outside one [simd-outside-region]
	f(p);
}

void
bad_returned(float *p, int n)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: '{{avx|sse}}' needs a region and is called outside one [simd-outside-region]
	choose(n)(p);
}

void
bad_twice(float *p, int n)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: '{{avx|sse}}' needs a region and is called outside one [simd-outside-region]
	choose_again(n)(p);
}

void
bad_passed(float *p)
{
	kernel_fpu_begin();
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: '{{.*}}' needs a region and is called outside one [simd-outside-region]
	apply(wide ? avx : plain, p);
}

// Others get these.
// CHECK: [[#@LINE+1]]:13: warning: 'given' needs a region, and its address reaches unknown callers: by return [simd-escapes]
static void given(float *p) { p[2] += 1; }
work_fn *
get_given(int n)
{
	return (n ? given : plain);
}

// CHECK: [[#@LINE+1]]:13: warning: 'handed' needs a region, and its address reaches unknown callers: passed to 'call_later' [simd-escapes]
static void handed(float *p) { p[3] += 1; }
void
hand_over(int n)
{
	call_later(n ? handed : plain);
}

// CHECK: [[#@LINE+1]]:13: warning: 'mixed' needs a region, and its address reaches unknown callers: to 'call_later' [simd-escapes]
static void mixed(float *p) { p[4] += 1; }
void
hand_mixed(const struct ops *o, int n)
{
	call_later(n ? mixed : o->run);
}

// By way of a local, and called here, too.
// CHECK: [[#@LINE+1]]:13: warning: 'kept' needs a region, and its address reaches unknown callers: in 'f' [simd-escapes]
static void kept(float *p) { p[5] += 1; }
extern work_fn *everybodys;
void
keep(float *p, int n)
{
	work_fn *f = n ? kept : plain;

	everybodys = f;
	kernel_fpu_begin();
	kept(p);
	kernel_fpu_end();
}

// CHECK: [[#@LINE+1]]:13: warning: 'inner' needs a region, and its address reaches unknown callers: by return [simd-escapes]
static void inner(float *p) { p[6] += 1; }
static work_fn *get_inner(void) { return (inner); }
work_fn *
get_outer(float *p)
{
	kernel_fpu_begin();
	get_inner()(p);
	kernel_fpu_end();
	return (get_inner());
}

// A member that is set to one of several.
static struct ops mine;
static void member(float *p) { p[7] += 1; }
void
bad_member(float *p, int n)
{
	work_fn *f = n ? member : plain;

	mine.run = f;
	kernel_fpu_begin();
	mine.run(p);
	kernel_fpu_end();
	// CHECK: [[#@LINE+1]]:2: error: 'member' needs a region and is called outside one [simd-outside-region]
	mine.run(p);
}

// A number is no pointer, but it may become one.
// CHECK: [[#@LINE+1]]:13: warning: 'number' needs a region, and its address reaches unknown callers: by return [simd-escapes]
static void number(float *p) { p[8] += 1; }
unsigned long
get_number(void)
{
	return ((unsigned long)number);
}
#endif
