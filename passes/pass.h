// SPDX-License-Identifier: BSD-2-Clause
//
// The pass that confines SIMD code to its regions, for LLVM 19.
//
//   thread.cpp   takes apart what clang joins only to split it again
//   lower.cpp    a module to an event graph (KS_FRONT_IR); no judging
//   classify.cpp what the engine says of it: findings, where a region is
//                held, which function is inside, outside or a bracket
//   repeat.cpp   drops branches whose answer is known
//   outline.cpp  what lies between enter and leave becomes a function
//   confine.cpp  no SIMD feature for what runs outside; clones; ABI; verify
//   plugin.cpp   options, names of the passes, the order of all that
//   steps.cpp    that no step is left out; tests leave out one at a time
//   version.cpp  refuses to be loaded by another LLVM
#ifndef KS_PASSES_PASS_H
#define KS_PASSES_PASS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>
#include <vector>

#include "ks/engine.h"
#include "ks/graph.h"
#include "ks/profile.h"

namespace ksimd {

// ks_vec_push for C++: a new element of V.
template <class Vec> auto &push(Vec &V) {
  if (V.n == V.cap)
    V.v = static_cast<decltype(V.v)>(ks_vec_grow(V.v, &V.cap, sizeof(*V.v)));
  return V.v[V.n++];
}

// --- steps.cpp --------------------------------------------------------------

// What confining is made of, each for a reason of its own (docs/DESIGN.md,
// section 8).
enum class Step {
  Inline,    // always_inline functions are inlined before all else
  Values,    // locals become values
  Ways,      // what clang joins only to split again is taken apart
  Judge,     // what is wrong in the source is an error
  Copies,    // a helper of both sides has a copy that runs inside
  NoInline,  // what was moved out of a function does not come back
  Barrier,   // nor is it taken for a pure function
  Slots,     // floats and vectors cross edges in memory
  Edges,     // what says whether to leave stays in the bracket function
  Frame,     // locals lie above what is spilled
  Features,  // outside there are no SIMD features
  Implicit,  // outside there is no implicit use of SIMD
  SoftFloat, // outside floats are in general registers
  Left,      // no SIMD is left outside
  Passing,   // no float or vector is passed between the sides
  Last,      // all of that still holds when all passes have run
  Carry,     // section, alignment and such are those of the bracket function
};

// Never true of the plugin that is installed: then it has no way to leave out
// anything.  test/passes/leave-out.cpp takes the place of steps.cpp in one that
// is built for tests, and has an option.
bool leftOut(Step S);

// --- thread.cpp -------------------------------------------------------------

void thread(llvm::Function &F);

// --- guard.cpp --------------------------------------------------------------

// Before always_inline functions are inlined.
void inlineGuards(llvm::Module &M, const ks_profile &P);
// Before locals become values.
void unwrapRecords(llvm::Function &F);
// When they are.
void dropNullTests(llvm::Function &F);

// --- repeat.cpp -------------------------------------------------------------

void dropRepeated(llvm::Function &F);

// --- lower.cpp --------------------------------------------------------------

struct Lowered {
  ks_unit *Unit = nullptr; // owned
  // Index into Unit->funcs of each function with a body.
  llvm::DenseMap<const llvm::Function *, uint32_t> Funcs;
  // The first node of each block, its last (the branch), and of each
  // instruction with an event.  Nodes of a block are a chain, in the order of
  // the instructions.
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Entry, Branch;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> Nodes;

  Lowered() = default;
  Lowered(Lowered &&) = default;
  ~Lowered() { ks_unit_free(Unit); }
  // The first node at or behind I in its block: what the engine knows there
  // holds before I.
  uint32_t at(const llvm::Instruction &I) const;
};

// Does I touch SIMD state: a float or vector is computed, moved or passed,
// or its assembly says so?
bool touchesSimd(const llvm::Instruction &I);
// A float, a vector, or a struct or array with one.
bool isSimdType(const llvm::Type *T);

std::unique_ptr<Lowered> lowerModule(llvm::Module &M, const ks_profile &P);

// --- classify.cpp -----------------------------------------------------------

enum class Kind {
  Free,      // outside, or called from both sides: touches no SIMD state
  Inside,    // needs a region: its caller holds one
  Bracket,   // opens or leaves regions itself
  Machinery, // manages SIMD state: left alone
};

struct Classes {
  std::unique_ptr<Lowered> L;
  ks_held *Held = nullptr; // of the engine, by function and node
  llvm::DenseMap<const llvm::Function *, Kind> Kinds;
  // Called (also) where a region is held; (also) where none may be.  Unknown
  // callers call outside.
  llvm::DenseMap<const llvm::Function *, bool> CalledIn, CalledOut;
  ks_findings *Findings = nullptr;
  bool Errors = false; // findings of severity error: printed already
  const ks_profile *Profile = nullptr;

  // Is a region held right before I on every path?  Also where no path goes.
  bool held(const llvm::Instruction &I) const;
  ~Classes() {
    ks_held_free(Held);
    ks_findings_free(Findings);
  }
};

struct Options {
  const ks_profile *Profile = nullptr;
  ks_contract *Contract = nullptr;
  bool Fail = true; // findings of severity error stop the compiler
};

// Lowers and solves M, prints what is wrong to stderr.
std::unique_ptr<Classes> classify(llvm::Module &M, const Options &O);

// One line a function: its kind, and where a region is held in it; then the
// event graph (ksg(5)).
void print(const llvm::Module &M, const Classes &C, llvm::raw_ostream &Out);

// --- outline.cpp ------------------------------------------------------------

// Says what cannot be done, at the source line of I (or of F): an error of
// the compiler, so that there is no object.
void refuse(const llvm::Function &F, const llvm::Instruction *I,
            const llvm::Twine &Why);

// Moves what runs with a region held and touches SIMD state, or calls what
// may, out of the bracket function F.  Returns the new functions; C is not
// valid for F any more.  What cannot be moved is refused.
llvm::SmallVector<llvm::Function *, 4> outline(llvm::Function &F,
                                               const Classes &C);

// --- slots.cpp --------------------------------------------------------------

// Stores C, a float or vector, as integers.  False if it has no fixed bytes;
// what was stored until then is part of it.
bool storeIntegers(llvm::Constant *C, llvm::Value *To, llvm::Align A,
                   llvm::Instruction *Before);

// --- confine.cpp ------------------------------------------------------------

// Clones what is called from both sides, takes SIMD features from what is not
// inside, and marks functions for verify.
void confine(llvm::Module &M, const Classes &C,
             llvm::ArrayRef<llvm::Function *> Outlined);

// Writes which functions need a region: those by their source, and what runs
// only inside one now: parts, copies, and helpers that keep their features.
void emitContract(llvm::Module &M, const Classes &C, const std::string &File);

// Puts the names of these into the module itself, for the proof of what it is
// linked into: there is no object yet.
void embedFacts(llvm::Module &M, const Classes &C);

// Confined functions are still that, and no float or vector is passed between
// functions that are confined differently; refuses what is not so.
bool verify(llvm::Module &M);

} // namespace ksimd

#endif
