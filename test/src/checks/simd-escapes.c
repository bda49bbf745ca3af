// RUN: %not %ksimd check --profile linux %s -- %base -I%cases 2>&1 | %FileCheck %s --implicit-check-not="{{error|warning}}:" 
// SPDX-License-Identifier: BSD-2-Clause
// Who gets the address of a function that needs a region?
#include "lnx.h"

struct alg { void (*update)(float *); };
int	register_alg(const struct alg *);
void	call_later(void (*)(float *));

static void
update(float *p)
// CHECK: [[#@LINE-1]]:1: warning: 'update' needs a region, and its address reaches unknown callers: in 'exported' [simd-escapes]
{
	p[0] += 1;
}

const struct alg exported = { update };

static void
passed(float *p)
// CHECK: [[#@LINE-1]]:1: warning: 'passed' needs a region{{.*}}: passed to 'call_later' [simd-escapes]
{
	p[0] += 1;
}

static void
table(float *p)
// CHECK: [[#@LINE-1]]:1: warning: 'table' needs a region{{.*}}: in 'registered' [simd-escapes]
{
	p[0] += 1;
}

static const struct alg registered = { table };

int
start(void)
{
	call_later(passed);
	return (register_alg(&registered));
}

static void
kept(float *p)
{
	p[0] += 1;
}

struct own { void (*fn)(float *); };
static const struct own mine = { kept };

void
good_use(float *p)
{
	kernel_fpu_begin();
	mine.fn(p);
	kernel_fpu_end();
}
