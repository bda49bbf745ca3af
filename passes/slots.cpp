// SPDX-License-Identifier: BSD-2-Clause
//
// Floats and vectors that cross the edge of an outlined part go through
// memory, so that the new function has none as parameter or result, and the
// bracket function around it never has one in a register.
//
// 1. A phi all of whose edges lie in the part of its block stays.  Any other
//    becomes a slot that the ends of its predecessors write: a store where
//    the value is in a register there, a copy of bytes from the value's own
//    slot where it is not (which needs no SIMD register), integer stores for
//    constants.  In a part the phi is then a load; outside, its bytes go on to
//    a slot of its own, so that phis that swap values do not meet.
// 2. A value that another part uses is stored behind its definition, and
//    loaded at the head of that part: the head is its only entry, so that the
//    definition dominates it.
// 3. What would have to be loaded outside is refused.
//
// Invariant: within one part values stay values.  A path that leaves a part
// and comes back in passes the definition again, as that dominates its uses.
#include "outline.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace ksimd {
namespace {

class Slots {
public:
  Slots(Function &F, const Parts &P)
      : F(F), P(P), DL(F.getParent()->getDataLayout()) {}
  bool run();

private:
  AllocaInst *slot(const Value &V, const Twine &Suffix);
  AllocaInst *ownSlot(Instruction &V);
  bool crosses(const PHINode &N) const;
  bool copy(AllocaInst *To, AllocaInst *From, Instruction *Before);
  bool feed(PHINode &N);
  bool reload(Instruction &V);
  Value *loadAt(Instruction &V, BasicBlock *Head);
  bool no(const Instruction &I, const Twine &Why) {
    refuse(F, &I, Why);
    return false;
  }

  Function &F;
  const Parts &P;
  const DataLayout &DL;
  // Where a value is kept; the slot that feeds a phi.
  DenseMap<Instruction *, AllocaInst *> Own, In;
  DenseMap<std::pair<Instruction *, BasicBlock *>, LoadInst *> Loads;
};

AllocaInst *Slots::slot(const Value &V, const Twine &Suffix) {
  IRBuilder<> B(&*F.getEntryBlock().begin());
  AllocaInst *A = B.CreateAlloca(V.getType(), nullptr, V.getName() + Suffix);
  A->setAlignment(DL.getPrefTypeAlign(V.getType()));
  return A;
}

// The slot that holds V; for an instruction in a part, with the store.
AllocaInst *Slots::ownSlot(Instruction &V) {
  AllocaInst *&S = Own[&V];
  if (S)
    return S;
  S = slot(V, ".kept");
  Instruction *Before = isa<PHINode>(V) ? &*V.getParent()->getFirstInsertionPt()
                                        : V.getNextNode();
  new StoreInst(&V, S, false, S->getAlign(), Before->getIterator());
  return S;
}

bool Slots::crosses(const PHINode &N) const {
  BasicBlock *Here = P.of(N.getParent());
  if (!Here)
    return true;
  for (const BasicBlock *B : N.blocks())
    if (P.of(B) != Here)
      return true;
  return false;
}

bool Slots::copy(AllocaInst *To, AllocaInst *From, Instruction *Before) {
  TypeSize Size = DL.getTypeStoreSize(To->getAllocatedType());
  if (Size.isScalable())
    return false;
  IRBuilder<> B(Before);
  B.CreateMemCpyInline(To, To->getAlign(), From, From->getAlign(),
                       B.getInt64(Size.getFixedValue()));
  return true;
}

// Writes what comes in on each edge into the slot of N.
bool Slots::feed(PHINode &N) {
  AllocaInst *S = In[&N];
  SmallPtrSet<BasicBlock *, 8> Done;
  for (unsigned I = 0; I < N.getNumIncomingValues(); I++) {
    BasicBlock *Pred = N.getIncomingBlock(I);
    if (!Done.insert(Pred).second)
      continue;
    Instruction *End = Pred->getTerminator();
    Value *V = N.getIncomingValue(I);
    if (auto *C = dyn_cast<Constant>(V)) {
      if (!storeIntegers(C, S, S->getAlign(), End))
        return no(N, "constant vector that has no fixed bytes");
      continue;
    }
    auto *D = dyn_cast<Instruction>(V);
    if (!D)
      return no(N, "float or vector parameter");
    BasicBlock *From = P.of(D->getParent());
    if (From && From == P.of(Pred)) {
      new StoreInst(D, S, false, S->getAlign(), End->getIterator());
      continue;
    }
    if (!From && !Own.count(D))
      return no(*D, "float or vector is made outside a region");
    if (!copy(S, ownSlot(*D), End))
      return no(N, "vector of variable length crosses the edge of a region");
  }
  return true;
}

// V, for the part with this head.
Value *Slots::loadAt(Instruction &V, BasicBlock *Head) {
  LoadInst *&L = Loads[{&V, Head}];
  if (!L) {
    AllocaInst *S = ownSlot(V);
    L = new LoadInst(V.getType(), S, V.getName() + ".again", false,
                     S->getAlign(), Head->getFirstInsertionPt());
  }
  return L;
}

// Gives uses of V in other parts a load of their own.
bool Slots::reload(Instruction &V) {
  BasicBlock *Here = P.of(V.getParent());
  SmallVector<Use *, 8> Uses;
  for (Use &U : V.uses())
    Uses.push_back(&U);
  for (Use *U : Uses) {
    auto *I = cast<Instruction>(U->getUser());
    auto *N = dyn_cast<PHINode>(I);
    if (N && In.count(N))
      continue;
    if (Own.lookup(&V) && isa<StoreInst>(I) &&
        I->getOperand(1) == Own.lookup(&V))
      continue;
    BasicBlock *Head = P.of(N ? N->getIncomingBlock(*U) : I->getParent());
    if (!Head)
      return no(*I, "float or vector of a region is used outside");
    if (Head != Here)
      U->set(loadAt(V, Head));
  }
  return true;
}

bool Slots::run() {
  SmallVector<PHINode *, 8> Phis;
  SmallVector<Instruction *, 16> Values;
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      if (!isSimdValue(I))
        continue;
      if (I.isTerminator())
        return no(I, "float or vector is the result of a jump");
      auto *N = dyn_cast<PHINode>(&I);
      if (N && crosses(*N))
        Phis.push_back(N);
      else if (P.of(&B))
        Values.push_back(&I);
      else
        return no(I, "float or vector is made outside a region");
    }
  SmallVector<std::pair<PHINode *, AllocaInst *>, 8> Work;
  for (PHINode *N : Phis) {
    AllocaInst *S = In[N] = slot(*N, ".in");
    auto At = N->getParent()->getFirstInsertionPt();
    if (!P.of(N->getParent())) {
      AllocaInst *Mine = Own[N] = slot(*N, ".kept");
      if (!copy(Mine, S, &*At))
        return no(*N, "vector of variable length crosses the edge of a region");
      Values.push_back(N);
      continue;
    }
    auto *L =
        new LoadInst(N->getType(), S, N->getName(), false, S->getAlign(), At);
    N->replaceAllUsesWith(L);
    Values.push_back(L);
  }
  for (PHINode *N : Phis)
    if (!feed(*N))
      return false;
  for (Instruction *V : Values)
    if (!reload(*V))
      return false;
  for (PHINode *N : Phis)
    N->replaceAllUsesWith(PoisonValue::get(N->getType()));
  for (PHINode *N : Phis)
    N->eraseFromParent();
  return true;
}

} // namespace

bool storeIntegers(Constant *C, Value *To, Align A, Instruction *Before) {
  if (isa<UndefValue>(C))
    return true;
  const DataLayout &DL = Before->getModule()->getDataLayout();
  TypeSize Size = DL.getTypeStoreSize(C->getType());
  if (Size.isScalable())
    return false;
  IRBuilder<> B(Before);
  for (uint64_t At = 0, Step; At < Size; At += Step) {
    for (Step = 8; Step > Size - At; Step /= 2)
      ;
    auto *T = B.getIntNTy(Step * 8);
    Constant *V = ConstantFoldLoadFromConst(C, T, APInt(64, At), DL);
    if (!V)
      return false;
    B.CreateAlignedStore(V, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), To, At),
                         commonAlignment(A, At));
  }
  return true;
}

bool keepInSlots(Function &F, const Parts &P) { return Slots(F, P).run(); }

} // namespace ksimd
