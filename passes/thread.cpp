// SPDX-License-Identifier: BSD-2-Clause
//
// Takes apart ways that clang has joined only to split them again.
//
// A return inside of a scope with something to clean up, and an && or || in a
// condition, store a constant, join, and branch on it.  The engine keeps one
// state for each block and region, so what was known of the two ways would be
// lost in between, and a fault would be seen on a path that cannot be.
//
// 1. A block that ends in a branch on a PHI or on a local that is read there,
//    or on what is computed of those in the block itself, is copied for each
//    predecessor that gives a constant.
// 2. The branch of the copy is folded; the block loses the predecessor.
//
// Done before locals become values: then hardly a value is used outside of its
// block, and none needs a PHI for having two definitions now.  A block of which
// that is not so, or that does more than to clean up, stays as it is; and so
// does the head of a loop, or the loop had two.
#include "pass.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace ksimd {
namespace {

const unsigned MaxCopied = 12; // instructions of a block
const unsigned MaxBack = 8;    // blocks to look for a store

// What LOCAL holds at the end of B, if that is a constant.
Constant *lastStored(const AllocaInst *Local, const BasicBlock *B) {
  for (unsigned N = 0; B && N < MaxBack; N++) {
    for (const Instruction &I : reverse(*B))
      if (const auto *S = dyn_cast<StoreInst>(&I))
        if (S->getPointerOperand() == Local)
          return dyn_cast<ConstantInt>(
              const_cast<Value *>(S->getValueOperand()));
    B = B->getSinglePredecessor();
  }
  return nullptr;
}

// The constant of I on the way from P, given those of what is before it.
Constant *constantOf(Instruction &I, const BasicBlock *P,
                     const DenseMap<Value *, Constant *> &Known) {
  if (auto *Phi = dyn_cast<PHINode>(&I))
    return dyn_cast<ConstantInt>(Phi->getIncomingValueForBlock(P));
  if (auto *L = dyn_cast<LoadInst>(&I)) {
    auto *Local = dyn_cast<AllocaInst>(L->getPointerOperand());
    // A store before it in its own block is what P has stored then, or a copy
    // of the block would not know it.
    if (!Local || !isAllocaPromotable(Local))
      return nullptr;
    for (Instruction &Before : *I.getParent()) {
      if (&Before == &I)
        return lastStored(Local, P);
      auto *S = dyn_cast<StoreInst>(&Before);
      if (S && S->getPointerOperand() == Local)
        return nullptr;
    }
  }
  auto Operand = [&](Value *V) -> Constant * {
    auto *C = dyn_cast<ConstantInt>(V);
    return C ? C : Known.lookup(V);
  };
  if (auto *C = dyn_cast<IntrinsicInst>(&I)) {
    Intrinsic::ID Id = C->getIntrinsicID();
    return Id == Intrinsic::expect || Id == Intrinsic::expect_with_probability
               ? Operand(C->getArgOperand(0))
               : nullptr;
  }
  if (!isa<CastInst, BinaryOperator, ICmpInst, FreezeInst>(I))
    return nullptr;
  SmallVector<Constant *, 2> Ops;
  for (Value *V : I.operands()) {
    Constant *C = Operand(V);
    if (!C)
      return nullptr;
    Ops.push_back(C);
  }
  const DataLayout &DL = I.getModule()->getDataLayout();
  return isa<FreezeInst>(I)
             ? Ops[0]
             : dyn_cast_or_null<ConstantInt>(
                   ConstantFoldInstOperands(&I, Ops, DL));
}

Value *condition(Instruction *T) {
  if (auto *B = dyn_cast<BranchInst>(T))
    return B->isConditional() ? B->getCondition() : nullptr;
  auto *S = dyn_cast<SwitchInst>(T);
  return S ? S->getCondition() : nullptr;
}

// May B have a copy?
bool mayCopy(BasicBlock &B) {
  unsigned N = 0;
  if (B.isEntryBlock() || B.hasAddressTaken() || B.isEHPad())
    return false;
  for (Instruction &I : B) {
    if (isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
      continue;
    const auto *C = dyn_cast<CallBase>(&I);
    if (++N > MaxCopied || isa<AllocaInst>(I) || touchesSimd(I) ||
        I.getType()->isTokenTy() ||
        (C && (C->isInlineAsm() || C->cannotDuplicate() || C->isConvergent())))
      return false;
    for (const Use &U : I.uses()) {
      auto *X = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(X);
      if (Phi ? Phi->getIncomingBlock(U) != &B || Phi->getParent() == &B
              : X->getParent() != &B)
        return false;
    }
  }
  return true;
}

// A copy of B for the way from P, whose branch goes where COND says.
void copyFor(BasicBlock &B, BasicBlock *P,
             const DenseMap<Value *, Constant *> &Known) {
  ValueToValueMapTy Map;
  BasicBlock *New = CloneBasicBlock(&B, Map, "", B.getParent());
  for (PHINode &Phi : make_early_inc_range(B.phis())) {
    auto *Copy = cast<PHINode>(Map[&Phi]);
    Value *V = Phi.getIncomingValueForBlock(P);
    Map[&Phi] = V;
    Copy->eraseFromParent();
  }
  for (auto [V, C] : Known)
    Map[V] = C;
  remapInstructionsInBlocks(New, Map);
  for (BasicBlock *To : successors(&B))
    for (PHINode &Phi : To->phis()) {
      if (Phi.getBasicBlockIndex(New) >= 0)
        continue;
      Value *V = Phi.getIncomingValueForBlock(&B);
      auto It = Map.find(V);
      // One for each edge.
      for (BasicBlock *S : successors(New))
        if (S == To)
          Phi.addIncoming(It == Map.end() ? V : (Value *)It->second, New);
    }
  P->getTerminator()->replaceSuccessorWith(&B, New);
  B.removePredecessor(P, /*KeepOneInputPHIs=*/true);
  ConstantFoldTerminator(New);
}

bool threadBlock(BasicBlock &B) {
  Value *Cond = condition(B.getTerminator());
  auto *Last = dyn_cast_or_null<Instruction>(Cond);
  if (!Last || Last->getParent() != &B || !mayCopy(B))
    return false;
  bool Any = false;
  SmallVector<BasicBlock *, 8> Preds(predecessors(&B));
  for (BasicBlock *P : Preds) {
    if (P == &B || llvm::count(Preds, P) != 1 ||
        !isa<BranchInst>(P->getTerminator()))
      continue;
    DenseMap<Value *, Constant *> Known;
    for (Instruction &I : B)
      if (Constant *C = constantOf(I, P, Known))
        Known[&I] = C;
    if (!Known.count(Cond))
      continue;
    copyFor(B, P, Known);
    Any = true;
  }
  return Any;
}

} // namespace

void thread(Function &F) {
  for (bool More = true; More;) {
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Back;
    SmallPtrSet<const BasicBlock *, 8> Heads;
    FindFunctionBackedges(F, Back);
    for (auto [From, To] : Back)
      Heads.insert(To);
    More = false;
    for (BasicBlock &B : make_early_inc_range(F))
      if (!Heads.count(&B))
        More |= threadBlock(B);
  }
}

} // namespace ksimd
