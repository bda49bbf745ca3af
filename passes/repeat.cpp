// SPDX-License-Identifier: BSD-2-Clause
//
// Takes out the branches whose answer an earlier one has given.
//
// A way that cannot be, because a condition is asked again, costs the optimiser
// nothing as long as both are in one function.  Once the second one is moved
// out with its region, nobody sees that any more: the object would leave the
// function with the region held on a way that cannot be.
// Done before the engine is asked: it answers by instruction, and a new one may
// have the address of one that is gone.
//
// 1. For each branch, the branches that dominate it are looked at, nearest
//    first.  One of whose two edges dominates the block tells its condition.
// 2. The same comparison, or its opposite, of the same values is known then.
//    Values are the same if they are computed in the same way from the same
//    ones; what is an instruction has one value wherever its result reaches.
// 3. The branch goes one way only.
#include "pass.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

using namespace llvm;

namespace ksimd {
namespace {

const unsigned MaxDepth = 4;  // of what a condition is computed from
const unsigned MaxAbove = 64; // branches that are asked

bool same(const Value *A, const Value *B, unsigned Depth) {
  if (A == B)
    return true;
  auto *I = dyn_cast<Instruction>(A), *J = dyn_cast<Instruction>(B);
  if (!I || !J || Depth == 0 || I->getOpcode() != J->getOpcode() ||
      I->getType() != J->getType() ||
      !(isa<BinaryOperator>(I) || isa<CastInst>(I)) ||
      !I->getType()->isIntegerTy())
    return false;
  for (unsigned N = 0; N < I->getNumOperands(); N++)
    if (!same(I->getOperand(N), J->getOperand(N), Depth - 1))
      return false;
  return true;
}

// What B is if A is Truth; nothing if that does not tell.
std::optional<bool> answer(const Value *A, bool Truth, const Value *B,
                           const DataLayout &DL) {
  if (A == B)
    return Truth;
  auto *X = dyn_cast<ICmpInst>(A), *Y = dyn_cast<ICmpInst>(B);
  if (!X || !Y)
    return std::nullopt;
  if (same(X->getOperand(0), Y->getOperand(0), MaxDepth) &&
      same(X->getOperand(1), Y->getOperand(1), MaxDepth)) {
    if (X->getPredicate() == Y->getPredicate())
      return Truth;
    if (X->getInversePredicate() == Y->getPredicate())
      return !Truth;
  }
  return isImpliedCondition(A, B, DL, Truth);
}

std::optional<bool> known(const BranchInst &Br, const DominatorTree &DT,
                          const DataLayout &DL) {
  const BasicBlock *B = Br.getParent();
  const DomTreeNode *N = DT.getNode(B);
  for (unsigned I = 0; N && I < MaxAbove; I++) {
    N = N->getIDom();
    auto *Up = N ? dyn_cast<BranchInst>(N->getBlock()->getTerminator())
                 : nullptr;
    if (!Up || !Up->isConditional() ||
        Up->getSuccessor(0) == Up->getSuccessor(1))
      continue;
    for (unsigned Edge = 0; Edge < 2; Edge++)
      if (DT.dominates(BasicBlockEdge(Up->getParent(), Up->getSuccessor(Edge)),
                       B))
        if (auto A = answer(Up->getCondition(), Edge == 0, Br.getCondition(),
                            DL))
          return A;
  }
  return std::nullopt;
}

} // namespace

void dropRepeated(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  DominatorTree DT(F);
  SmallVector<std::pair<BranchInst *, bool>, 4> Found;
  for (BasicBlock &B : F)
    if (auto *Br = dyn_cast<BranchInst>(B.getTerminator()))
      if (Br->isConditional() && DT.isReachableFromEntry(&B))
        if (auto A = known(*Br, DT, DL))
          Found.push_back({Br, *A});
  for (auto [Br, A] : Found) {
    Br->setCondition(ConstantInt::getBool(F.getContext(), A));
    ConstantFoldTerminator(Br->getParent());
  }
}

} // namespace ksimd
