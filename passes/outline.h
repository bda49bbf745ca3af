// SPDX-License-Identifier: BSD-2-Clause
//
// Between the files that outline: the parts that become functions.
#ifndef KS_PASSES_OUTLINE_H
#define KS_PASSES_OUTLINE_H

#include "lower.h"
#include "pass.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/BasicBlock.h"

namespace ksimd {

// Blocks that are moved, by the head of their part: its only block that is
// entered from elsewhere.
class Parts {
public:
  // The head of B's part, or null for what stays.
  llvm::BasicBlock *of(const llvm::BasicBlock *B) const {
    return Heads.lookup(B);
  }
  void set(const llvm::BasicBlock *B, llvm::BasicBlock *Head) {
    Heads[B] = Head;
  }
  void erase(const llvm::BasicBlock *B) { Heads.erase(B); }

private:
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> Heads;
};

// Is I's result in a SIMD register?
inline bool isSimdValue(const llvm::Instruction &I) {
  return bool(typeUse(I.getType(), *I.getFunction()));
}

// Is I forbidden outside?  Saving the state is not.
inline bool needsRegion(const llvm::Instruction &I) {
  uint8_t E = simdUse(I).Event;
  return (E != KS_EV_NOP && E != KS_EV_SAVE) || isSimdValue(I);
}

// slots.cpp: no float or vector crosses the edge of a part in a register any
// more.  False if one was refused.
bool keepInSlots(llvm::Function &F, const Parts &P);

} // namespace ksimd

#endif
