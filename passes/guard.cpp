// SPDX-License-Identifier: BSD-2-Clause
//
// Scope guards: a record on the stack that remembers whether to leave, and a
// helper that is given its address when the scope ends.
//
// 1. A small function of the module's own that enters or leaves, and is given
//    the address of a local somewhere, becomes always_inline: what it reads
//    through its parameter is then what its caller has stored.
// 2. A record of one scalar becomes that scalar, so that it can be a value.
// 3. Once it is one, the address of a local or of a variable is not null: what
//    asks goes one way.
//
// This changes no code that clang would not make of it with optimisation; at
// -O0 such a helper is inlined, too.
//
// Limit: records of several members stay in memory.
#include "pass.h"

#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace ksimd {
namespace {

const unsigned MaxHelper = 40; // instructions of a function that is inlined

bool entersOrLeaves(const Function &F, const ks_profile &P) {
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    if (!To || To == &F)
      return false;
    std::string Name = To->getName().str();
    return ks_profile_role(&P, Name.c_str(), KS_ROLE_ENTER) ||
           ks_profile_role(&P, Name.c_str(), KS_ROLE_LEAVE);
  });
}

// Does some call give F the address of a local, and may F go there?
bool isGivenLocal(const Function &F) {
  bool Any = false;
  for (const User *U : F.users()) {
    auto *Call = dyn_cast<CallInst>(U);
    if (!Call || Call->getCalledOperand() != &F ||
        Call->getFunction() == &F ||
        Call->getAttributes().hasFnAttr(Attribute::NoInline) ||
        Call->getFunctionType() != F.getFunctionType() ||
        Call->getFunction()->getFnAttribute("target-features") !=
            F.getFnAttribute("target-features"))
      return false;
    Any |= any_of(Call->args(), [](const Use &A) {
      return isa<AllocaInst>(A->stripPointerCasts());
    });
  }
  return Any;
}

// The scalar that is all of T, or null.
Type *onlyScalar(Type *T) {
  while (auto *S = dyn_cast<StructType>(T)) {
    if (S->getNumElements() != 1)
      return nullptr;
    T = S->getElementType(0);
  }
  return T->isPointerTy() || T->isIntegerTy() ? T : nullptr;
}

// Addresses of the only member are the local's own; copies are loads and stores.
void rewriteUses(AllocaInst &A, const DataLayout &DL) {
  uint64_t Size = DL.getTypeStoreSize(A.getAllocatedType());
  for (User *U : make_early_inc_range(A.users())) {
    if (auto *G = dyn_cast<GetElementPtrInst>(U)) {
      if (G->getPointerOperand() != &A || !G->hasAllZeroIndices())
        continue;
      G->replaceAllUsesWith(&A);
      G->eraseFromParent();
      rewriteUses(A, DL);
      return;
    }
    auto *M = dyn_cast<MemCpyInst>(U);
    auto *N = M ? dyn_cast<ConstantInt>(M->getLength()) : nullptr;
    if (!N || N->getZExtValue() != Size || M->isVolatile())
      continue;
    IRBuilder<> B(M);
    auto *L = B.CreateAlignedLoad(A.getAllocatedType(), M->getRawSource(),
                                  M->getSourceAlign());
    B.CreateAlignedStore(L, M->getRawDest(), M->getDestAlign());
    M->eraseFromParent();
    rewriteUses(A, DL);
    return;
  }
}

} // namespace

void inlineGuards(Module &M, const ks_profile &P) {
  for (Function &F : M) {
    bool AtO0 = F.hasFnAttribute(Attribute::OptimizeNone);
    if (F.isDeclaration() || !F.hasLocalLinkage() || F.isVarArg() ||
        (F.hasFnAttribute(Attribute::NoInline) && !AtO0) ||
        F.getInstructionCount() > MaxHelper || !entersOrLeaves(F, P) ||
        !isGivenLocal(F))
      continue;
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::NoInline);
    F.addFnAttr(Attribute::AlwaysInline);
  }
}

void unwrapRecords(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  SmallVector<AllocaInst *, 8> Records;
  for (Instruction &I : F.getEntryBlock())
    if (auto *A = dyn_cast<AllocaInst>(&I))
      if (A->isStaticAlloca() && A->getAllocatedType()->isStructTy())
        Records.push_back(A);
  for (AllocaInst *A : Records) {
    Type *T = onlyScalar(A->getAllocatedType());
    if (!T ||
        DL.getTypeAllocSize(T) != DL.getTypeAllocSize(A->getAllocatedType()))
      continue;
    A->setAllocatedType(T);
    rewriteUses(*A, DL);
  }
}

void dropNullTests(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  for (BasicBlock &B : F) {
    auto *Br = dyn_cast<BranchInst>(B.getTerminator());
    auto *C = Br && Br->isConditional()
                  ? dyn_cast<ICmpInst>(Br->getCondition())
                  : nullptr;
    if (!C || !C->isEquality() || !isa<ConstantPointerNull>(C->getOperand(1)) ||
        !isKnownNonZero(C->getOperand(0), SimplifyQuery(DL, C)))
      continue;
    Br->setCondition(ConstantInt::getBool(
        F.getContext(), C->getPredicate() == ICmpInst::ICMP_NE));
    ConstantFoldTerminator(&B);
  }
}

} // namespace ksimd
