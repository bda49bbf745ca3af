// RUN: echo 'allow needs-region test_fdiv "runs before the first process"' > %t.contract
// RUN: %ksimd check --profile freebsd --assumptions --contract %t.contract %s -- %base -I%cases 2>&1 | %FileCheck %s --allow-empty --implicit-check-not="{{error|warning}}:" --implicit-check-not="[needs-region]"
// SPDX-License-Identifier: BSD-2-Clause
// Boot code that runs before there is a user's state: a line in a contract
// allows it, with the reason, and it is counted.
// CHECK: assumption: needs-region is allowed: runs before the first process [allowed]
#include "fbsd.h"

static double x = 4195835.0, y = 3145727.0;

int
test_fdiv(void)
{
	return ((int)(x - (x / y) * y));
}
