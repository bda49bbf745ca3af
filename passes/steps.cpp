// SPDX-License-Identifier: BSD-2-Clause
//
// No step is left out.  Alone in a file, so that tests can link another in its
// place (test/passes/leave-out.cpp).
#include "pass.h"

bool ksimd::leftOut(Step) { return false; }
