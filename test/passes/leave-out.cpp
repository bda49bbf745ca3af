// SPDX-License-Identifier: BSD-2-Clause
//
// In place of passes/steps.cpp in a plugin for tests: -ksimd-leave-out=STEP
// does all of confining but that step.  What then goes wrong is why there is
// that step (steps.c).
#include "pass.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace ksimd {

static cl::list<Step> Steps(
    "ksimd-leave-out", cl::CommaSeparated, cl::desc("Steps to leave out"),
    cl::values(clEnumValN(Step::Inline, "inline", ""),
               clEnumValN(Step::Values, "values", ""),
               clEnumValN(Step::Ways, "ways", ""),
               clEnumValN(Step::Judge, "judge", ""),
               clEnumValN(Step::Copies, "copies", ""),
               clEnumValN(Step::NoInline, "noinline", ""),
               clEnumValN(Step::Barrier, "barrier", ""),
               clEnumValN(Step::Slots, "slots", ""),
               clEnumValN(Step::Edges, "edges", ""),
               clEnumValN(Step::Frame, "frame", ""),
               clEnumValN(Step::Features, "features", ""),
               clEnumValN(Step::Implicit, "implicit", ""),
               clEnumValN(Step::SoftFloat, "soft-float", ""),
               clEnumValN(Step::Left, "left", ""),
               clEnumValN(Step::Passing, "passing", ""),
               clEnumValN(Step::Last, "last", ""),
               clEnumValN(Step::Carry, "carry", "")));

bool leftOut(Step S) { return is_contained(Steps, S); }

} // namespace ksimd
