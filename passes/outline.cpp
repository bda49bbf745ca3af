// SPDX-License-Identifier: BSD-2-Clause
//
// What lies between enter and leave in a bracket function becomes a function
// of its own, which the compiler can neither inline nor move.
//
// 1. An instruction is inside if a region is held before and behind it.  Enter
//    and leave are not, even within another region, nor what calls them or asks
//    for them: so what is known of regions stays in one function.  Blocks are
//    split where that changes.
// 2. Inside blocks are divided into parts with one entry each, the head: what
//    is entered from outside or from two parts is a head.  Edges between two
//    parts get a block that belongs to none.
// 3. A part is moved if it touches SIMD state or calls what may.  A call to
//    another file may, but has its place: for all the compiler knows, it does
//    anything, and so do enter and leave.  Only with LTO it is seen through.
//    What cannot be moved is refused first, before anything is changed that
//    would show.
//    Its end that does nothing of the kind stays behind, above all the question
//    whether to leave: what is known of the answer is known in one function.
//    So does its beginning, which reads the arguments of the work from locals.
// 4. Floats and vectors that cross an edge go through memory (slots.cpp).
// 5. LLVM's CodeExtractor moves each part; what it does not carry over is
//    added.  An empty assembly statement with side effects at the entry keeps
//    the function from being taken for a pure one, whose call may move.
// 6. What is left of the bracket function must not touch SIMD state.
//
// Invariant: all alloca of fixed size stay in the bracket function, but for
// those whose lifetime is within one part, which CodeExtractor moves.
//
// Known limit: __builtin_return_address and the like are refused in a part, as
// they would tell of the bracket function.
#include "outline.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace ksimd {

void refuse(const Function &F, const Instruction *I, const Twine &Why) {
  DiagnosticLocation At;
  if (I && I->getDebugLoc())
    At = I->getDebugLoc();
  else if (F.getSubprogram())
    At = F.getSubprogram();
  F.getContext().diagnose(
      DiagnosticInfoUnsupported(F, Why + " in '" + F.getName() + "'", At));
}

namespace {

using Blocks = SmallVector<BasicBlock *, 8>;

class Outliner {
public:
  Outliner(Function &F, const Classes &C)
      : F(F), C(C),
        Lto(F.getParent()->getModuleFlag("ThinLTO") ||
            F.getParent()->getModuleFlag("EnableSplitLTOUnit")) {}
  SmallVector<Function *, 4> run();

private:
  bool switches(const Instruction &I) const;
  void split();
  void divide();
  void trim(BasicBlock *Head, Blocks &Part);
  BasicBlock *begin(BasicBlock *Head, Blocks &Part);
  void separate();
  bool hasPlace(const CallBase &Call) const;
  bool wanted(const Instruction &I) const;
  const Instruction *firstPlace(ArrayRef<BasicBlock *> Part) const;
  bool checkPassing();
  bool checkFunction();
  bool checkVariadic();
  bool checkPart(ArrayRef<BasicBlock *> Part);
  bool checkStack(ArrayRef<BasicBlock *> Part);
  bool checkLeft();
  void forgetLabels(ArrayRef<BasicBlock *> Part);
  Function *extract(ArrayRef<BasicBlock *> Part, unsigned Number);
  void finish(Function &New, CallInst &Call);
  void carry(Function &New);
  void keep(Function &New);
  void describe(Function &New, CallInst &Call);
  bool no(const Instruction *I, const Twine &Why) {
    refuse(F, I, Why);
    return false;
  }

  Function &F;
  const Classes &C;
  const bool Lto;
  Parts P;
  // Parts in the order of their heads in F; the head comes first.
  MapVector<BasicBlock *, Blocks> All;
  // Locals and parameters whose address F keeps nowhere.
  SmallPtrSet<const Value *, 16> Private;
};

// --- Which blocks -----------------------------------------------------------

// Is I a call that opens, leaves, suspends or asks for a region?
bool Outliner::switches(const Instruction &I) const {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *To = Call ? Call->getCalledFunction() : nullptr;
  if (!To)
    return false;
  auto K = C.Kinds.find(To);
  if (K != C.Kinds.end() && K->second == Kind::Bracket)
    return true;
  for (ks_role R : {KS_ROLE_ENTER, KS_ROLE_LEAVE, KS_ROLE_QUERY, KS_ROLE_THREAD,
                    KS_ROLE_SUSPENDS})
    if (C.Profile && ks_profile_role(C.Profile, To->getName().str().c_str(), R))
      return true;
  return false;
}

// Splits blocks where inside and outside meet.  P.of is true of inside blocks.
void Outliner::split() {
  EliminateUnreachableBlocks(F);
  BasicBlock &Entry = F.getEntryBlock();
  auto First = Entry.getFirstNonPHIOrDbgOrAlloca();
  for (auto I = First; I != Entry.end();) {
    auto *A = dyn_cast<AllocaInst>(&*I++);
    if (A && A->isStaticAlloca())
      A->moveBefore(Entry, First);
  }
  // Answered first: what is made later may get the address of what is gone.
  DenseSet<const Instruction *> Inside;
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      auto *A = dyn_cast<AllocaInst>(&I);
      if (A && A->isStaticAlloca())
        continue;
      if (C.held(I) && !switches(I) &&
          (isa<PHINode>(I) || I.isTerminator() || C.held(*I.getNextNode())))
        Inside.insert(&I);
    }
  std::vector<BasicBlock *> Old;
  for (BasicBlock &B : F)
    Old.push_back(&B);
  for (BasicBlock *B : Old) {
    bool In = B != &Entry && Inside.count(&B->front());
    for (Instruction *I = &B->front(); I; I = I->getNextNode()) {
      bool Now = Inside.count(I);
      if (Now == In)
        continue;
      if (In)
        P.set(B, B);
      if (I != &B->front() || B == &Entry)
        B = B->splitBasicBlock(I, In ? "left" : "held");
      In = Now;
    }
    if (In)
      P.set(B, B);
  }
}

// Heads, and which block belongs to which.
void Outliner::divide() {
  std::vector<BasicBlock *> Todo;
  SmallPtrSet<BasicBlock *, 8> Heads;
  for (BasicBlock &B : F)
    if (P.of(&B))
      Todo.push_back(&B);
  for (BasicBlock *B : Todo)
    if (any_of(predecessors(B), [&](BasicBlock *Q) { return !P.of(Q); }))
      Heads.insert(B);
  DenseMap<BasicBlock *, BasicBlock *> Of;
  for (bool Changed = true; Changed;) {
    Changed = false;
    Of.clear();
    for (BasicBlock *H : Heads)
      Of[H] = H;
    // Spreads from the heads; where two meet is one more.
    for (bool More = true; More && !Changed;) {
      More = false;
      for (BasicBlock *B : Todo)
        for (BasicBlock *Q : predecessors(B)) {
          BasicBlock *H = Of.lookup(Q);
          if (!H || Heads.count(B) || Of.lookup(B) == H)
            continue;
          if (Of.lookup(B)) {
            Heads.insert(B);
            Changed = true;
          } else {
            Of[B] = H;
            More = true;
          }
        }
    }
  }
  for (BasicBlock *B : Todo)
    if (Heads.count(B))
      All[B].push_back(B);
  for (BasicBlock *B : Todo) {
    P.set(B, Of[B]);
    if (!Heads.count(B))
      All[Of[B]].push_back(B);
  }
}

// Inside its part, the successor of a jump that cannot be moved otherwise;
// outside, what an edge from one part to another goes through.
void Outliner::separate() {
  for (auto &[Head, Part] : All)
    for (size_t I = 0; I < Part.size(); I++) {
      Instruction *T = Part[I]->getTerminator();
      for (unsigned S = 0; S < T->getNumSuccessors(); S++) {
        BasicBlock *To = T->getSuccessor(S);
        if (P.of(To) == Head || !(isa<CallBrInst>(T) || P.of(To)))
          continue;
        BasicBlock *Mid = BasicBlock::Create(F.getContext(), "edge", &F, To);
        BranchInst::Create(To, Mid)->setDebugLoc(T->getDebugLoc());
        T->setSuccessor(S, Mid);
        // One edge of perhaps several.
        for (PHINode &N : To->phis())
          N.setIncomingBlock(N.getBasicBlockIndex(Part[I]), Mid);
        if (isa<CallBrInst>(T)) {
          P.set(Mid, Head);
          Part.push_back(Mid); // its edge is looked at in turn
        }
      }
    }
}

// Is it a call that stays where it is, as step 3 says?  One with the address of
// a local is better moved, see widen.
bool Outliner::hasPlace(const CallBase &Call) const {
  const Function *To = Call.getCalledFunction();
  if (Lto || !To || !To->isDeclaration() || !isa<CallInst>(Call) ||
      Call.isMustTailCall() || Call.hasFnAttr(Attribute::Speculatable) ||
      Call.hasFnAttr(Attribute::ReturnsTwice) ||
      Call.getMemoryEffects() != MemoryEffects::unknown())
    return false;
  return none_of(Call.args(), [](const Use &A) {
    SmallVector<const Value *, 4> From;
    if (A->getType()->isPointerTy())
      getUnderlyingObjects(A, From, nullptr, 0);
    return any_of(From, [](const Value *V) { return isa<AllocaInst>(V); });
  });
}

// Does I make its part one that must be moved?
bool Outliner::wanted(const Instruction &I) const {
  if (needsRegion(I))
    return true;
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(I) ||
      hasPlace(*Call))
    return false;
  const Function *To = Call->getCalledFunction();
  auto K = To ? C.Kinds.find(To) : C.Kinds.end();
  return K == C.Kinds.end() || K->second != Kind::Free;
}

// A few instructions that read or compute something: the running thread as an
// argument of leave, an aligned address.  Its call says nothing of where the
// work begins or ends.
static bool isGetter(const Function *To, unsigned Depth = 2) {
  const unsigned Few = 40;
  if (!To || To->isDeclaration() || To->getInstructionCount() > Few)
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> Back;
  FindFunctionBackedges(*To, Back);
  return Back.empty() && all_of(instructions(*To), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return true;
    if (auto *A = dyn_cast<InlineAsm>(Call->getCalledOperand()))
      return !A->hasSideEffects();
    if (isa<IntrinsicInst>(I))
      return !isa<MemIntrinsic>(I);
    return Depth > 0 && isGetter(Call->getCalledFunction(), Depth - 1);
  });
}

// Is I's part better off, or only right, with I in it?
static bool belongs(const Instruction &I) {
  if (auto *II = dyn_cast<IntrinsicInst>(&I))
    return isa<MemIntrinsic>(II) ||
           II->getIntrinsicID() == Intrinsic::stackrestore;
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isGetter(Call->getCalledFunction());
}

// Leaves out of the part what runs after all that belongs to it.  Loops do, as
// they may be vectorised.
void Outliner::trim(BasicBlock *Head, Blocks &Part) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  SmallVector<BasicBlock *, 16> Todo;
  DenseMap<BasicBlock *, Instruction *> Last;
  for (BasicBlock *B : Part) {
    for (Instruction &I : *B)
      if (belongs(I) || wanted(I))
        Last[B] = &I;
    Loop *L = LI.getLoopFor(B);
    if (L &&
        all_of(L->blocks(), [&](BasicBlock *Q) { return P.of(Q) == Head; }))
      Last[B] = B->getTerminator();
    if (Last.count(B))
      Todo.push_back(B);
  }
  SmallPtrSet<BasicBlock *, 16> Stays(Todo.begin(), Todo.end()), Whole;
  while (!Todo.empty())
    for (BasicBlock *Q : predecessors(Todo.pop_back_val()))
      if (P.of(Q) == Head) {
        Whole.insert(Q);
        if (Stays.insert(Q).second)
          Todo.push_back(Q);
      }
  for (BasicBlock *B : Part)
    if (!Stays.count(B))
      P.erase(B);
    else if (!Whole.count(B) && !Last[B]->isTerminator())
      B->splitBasicBlock(isa<PHINode>(Last[B]) ? B->getFirstNonPHI()
                                               : Last[B]->getNextNode(),
                         "after");
  erase_if(Part, [&](BasicBlock *B) { return !Stays.count(B); });
}

// Leaves out of the part what runs before its work: addresses and arguments
// that are read from locals.  Otherwise the part would get the address of the
// local, and whoever reads the object has to take it for written: a length
// there that says whether to leave.  Returns the head that is left.
BasicBlock *Outliner::begin(BasicBlock *Head, Blocks &Part) {
  auto Works = [&](const Instruction &I) {
    if (auto *S = dyn_cast<StoreInst>(&I))
      return !isa<AllocaInst>(S->getPointerOperand());
    // What is local to the part begins with it.
    if (auto *II = dyn_cast<IntrinsicInst>(&I))
      return !II->isAssumeLikeIntrinsic() || II->isLifetimeStartOrEnd();
    return I.isTerminator() || I.isAtomic() || isa<AllocaInst>(I) ||
           belongs(I) || wanted(I);
  };
  for (BasicBlock *Q : predecessors(Head))
    if (P.of(Q) == Head)
      return Head;
  Instruction *First = &*find_if(*Head, Works);
  if (isa<PHINode>(First) || First->isTerminator() ||
      First == Head->getFirstNonPHIOrDbg())
    return Head;
  BasicBlock *Work = Head->splitBasicBlock(First, "work");
  P.erase(Head);
  Part.front() = Work;
  for (BasicBlock *B : Part)
    P.set(B, Work);
  return Work;
}

const Instruction *Outliner::firstPlace(ArrayRef<BasicBlock *> Part) const {
  for (const BasicBlock *B : Part)
    for (const Instruction &I : *B)
      if (I.getDebugLoc() && I.getDebugLoc().getLine())
        return &I;
  return &Part.front()->front();
}

// --- What is refused --------------------------------------------------------

// The caller is outside, or has a region of its own that F may leave.
bool Outliner::checkPassing() {
  for (const Argument &A : F.args())
    if (typeUse(A.getType(), F))
      return no(nullptr, "float or vector parameter of a function that enters "
                         "or leaves a region");
  if (typeUse(F.getReturnType(), F))
    return no(nullptr, "float or vector result of a function that enters or "
                       "leaves a region");
  return true;
}

// F is confined and does not save the registers in which floats are passed, so
// nothing may read them from where clang's va_arg and its like look for them.
bool Outliner::checkVariadic() {
  auto IsList = [](Type *T) {
    if (auto *A = dyn_cast<ArrayType>(T))
      T = A->getElementType();
    auto *S = dyn_cast<StructType>(T);
    return S && S->hasName() && S->getName().starts_with("struct.__va_list_tag");
  };
  for (Instruction &I : instructions(F)) {
    auto *G = dyn_cast<GetElementPtrInst>(&I);
    if (G && G->getNumIndices() == 2 && IsList(G->getSourceElementType()) &&
        !G->getSourceElementType()->isArrayTy() &&
        PatternMatch::match(G->getOperand(2), PatternMatch::m_One()))
      return no(&I, "float or vector among the variable arguments of a "
                    "function that enters or leaves a region");
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    if (!To || C.Kinds.lookup(To) != Kind::Inside)
      continue;
    for (const Value *V : Call->args()) {
      auto *A = dyn_cast<AllocaInst>(getUnderlyingObject(V));
      if (A && IsList(A->getAllocatedType()))
        return no(&I, "variable arguments of a function that enters or leaves "
                      "a region are passed to one that needs it");
    }
  }
  return true;
}

bool Outliner::checkFunction() {
  if (F.isVarArg() && !checkVariadic())
    return false;
  if (F.hasFnAttribute(Attribute::Naked))
    return no(nullptr, "region in a naked function");
  if (F.hasFnAttribute(Attribute::PresplitCoroutine))
    return no(nullptr, "region in a coroutine");
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->hasFnAttr(Attribute::ReturnsTwice))
      return no(&I, "region and a call that returns twice, as setjmp does,");
  }
  return true;
}

bool Outliner::checkPart(ArrayRef<BasicBlock *> Part) {
  bool Computed = any_of(
      F, [](BasicBlock &B) { return isa<IndirectBrInst>(B.getTerminator()); });
  for (BasicBlock *B : Part) {
    if (isa<IndirectBrInst>(B->getTerminator()))
      return no(B->getTerminator(), "computed goto in a region");
    if (Computed && B->hasAddressTaken())
      return no(firstPlace(B), "computed goto into a region");
    if (B->isEHPad() || isa<InvokeInst>(B->getTerminator()))
      return no(firstPlace(B), "exception handling in a region");
    for (Instruction &I : *B) {
      if (I.getType()->isTokenTy())
        return no(&I, "token in a region");
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call)
        continue;
      if (Call->isMustTailCall())
        return no(&I, "tail call that must stay one leaves a region");
      switch (Call->getIntrinsicID()) {
      case Intrinsic::vastart:
        return no(&I, "va_start in a region");
      case Intrinsic::returnaddress:
      case Intrinsic::frameaddress:
      case Intrinsic::addressofreturnaddress:
      case Intrinsic::sponentry:
      case Intrinsic::localescape:
        return no(&I, "address of the stack frame or caller in a region");
      default:
        break;
      }
    }
  }
  return checkStack(Part);
}

// What is allocated on the stack within the part ends there.
bool Outliner::checkStack(ArrayRef<BasicBlock *> Part) {
  SmallPtrSet<const BasicBlock *, 16> Set(Part.begin(), Part.end());
  SmallVector<Instruction *, 4> Marks, Locals;
  for (BasicBlock *B : Part)
    for (Instruction &I : *B) {
      auto *II = dyn_cast<IntrinsicInst>(&I);
      if (auto *A = dyn_cast<AllocaInst>(&I)) {
        Locals.push_back(A);
      } else if (II && II->getIntrinsicID() == Intrinsic::stacksave) {
        Marks.push_back(&I);
      } else if (II && II->getIntrinsicID() == Intrinsic::stackrestore) {
        auto *From = dyn_cast<Instruction>(II->getArgOperand(0));
        if (!From || !Set.count(From->getParent()))
          return no(&I, "array of variable length lives across the edge of a "
                        "region");
      }
    }
  for (Instruction *M : Marks)
    for (User *U : M->users())
      if (!Set.count(cast<Instruction>(U)->getParent()))
        return no(M, "array of variable length lives across the edge of a "
                     "region");
  DominatorTree DT(F);
  for (Instruction *L : Locals)
    if (none_of(Marks, [&](Instruction *M) {
          return !M->use_empty() && DT.dominates(M, L);
        }))
      return no(L, "stack memory of variable size is allocated for good");
  return true;
}

// The bracket function is left without SIMD.
bool Outliner::checkLeft() {
  if (leftOut(Step::Left))
    return true;
  for (Instruction &I : instructions(F)) {
    if (needsRegion(I))
      return no(&I, "SIMD outside a region");
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    if (To && C.Kinds.count(To) && C.Kinds.lookup(To) == Kind::Inside)
      return no(&I, "'" + To->getName() +
                        "', which needs a region, is called outside");
  }
  return true;
}

// --- Moving -----------------------------------------------------------------

// Without computed goto, the address of a label is only shown to people: that
// of the function does as well.
void Outliner::forgetLabels(ArrayRef<BasicBlock *> Part) {
  for (BasicBlock *B : Part)
    if (B->hasAddressTaken()) {
      BlockAddress *A = BlockAddress::get(B);
      A->replaceAllUsesWith(&F);
      A->destroyConstant();
    }
}

void describeParam(Function &New, unsigned N, Value &V, ArrayRef<Value *> Roots,
                   bool Private) {
  const DataLayout &DL = New.getParent()->getDataLayout();
  bool Alone = count(Roots, &V) == 1;
  if (auto *A = dyn_cast<Argument>(&V)) {
    for (auto K : {Attribute::Alignment, Attribute::NonNull,
                   Attribute::Dereferenceable, Attribute::NoUndef})
      if (A->hasAttribute(K))
        New.addParamAttr(N, A->getAttribute(K));
    if (Alone && Private && A->hasNoAliasAttr())
      New.addParamAttr(N, Attribute::NoAlias);
  } else if (auto *L = dyn_cast<AllocaInst>(&V)) {
    AttrBuilder B(New.getContext());
    B.addAlignmentAttr(L->getAlign()).addAttribute(Attribute::NonNull);
    if (auto Size = L->getAllocationSize(DL); Size && !Size->isScalable())
      B.addDereferenceableAttr(Size->getFixedValue());
    if (Alone && Private)
      B.addAttribute(Attribute::NoAlias);
    New.addParamAttrs(N, B);
  }
}

// What is known of pointers in the bracket function is known in the new one.
void Outliner::describe(Function &New, CallInst &Call) {
  SmallVector<Value *, 8> Roots;
  for (Value *V : Call.args())
    if (V->getType()->isPointerTy()) {
      SmallVector<const Value *, 4> From;
      getUnderlyingObjects(V, From, nullptr, 0);
      for (const Value *R : From)
        Roots.push_back(const_cast<Value *>(R));
    }
  for (unsigned N = 0; N < Call.arg_size(); N++)
    if (Call.getArgOperand(N)->getType()->isPointerTy())
      describeParam(New, N, *Call.getArgOperand(N), Roots,
                    Private.count(Call.getArgOperand(N)));
}

// Attributes and places as F has them, and no way back.
void Outliner::finish(Function &New, CallInst &Call) {
  New.setLinkage(GlobalValue::InternalLinkage);
  New.setDSOLocal(true);
  New.removeFnAttr(Attribute::AlwaysInline);
  New.removeFnAttr(Attribute::InlineHint);
  if (!leftOut(Step::NoInline))
    New.addFnAttr(Attribute::NoInline);
  if (!leftOut(Step::Carry))
    carry(New);
  if (!leftOut(Step::Barrier))
    keep(New);
  // Which exit was taken says which regions are held.  Who only sees the object
  // cannot tell where one table of jumps ends and the next begins.
  if (any_of(Call.users(), [](User *U) { return isa<SwitchInst>(U); }))
    F.addFnAttr("no-jump-tables", "true");
  // A part without an exit does not return.
  if (none_of(New, [](BasicBlock &B) {
        return isa<ReturnInst>(B.getTerminator());
      })) {
    New.setDoesNotReturn();
    changeToUnreachable(Call.getNextNode());
  }
  describe(New, Call);
}

// What CodeExtractor does not copy.
void Outliner::carry(Function &New) {
  for (auto K : {Attribute::StackAlignment, Attribute::NoMerge,
                 Attribute::Convergent, Attribute::NoBuiltin})
    if (F.hasFnAttribute(K))
      New.addFnAttr(F.getFnAttribute(K));
  New.setSection(F.getSection());
  New.setPartition(F.getPartition());
  New.setAlignment(F.getAlign());
  if (F.hasGC())
    New.setGC(F.getGC());
}

// A statement with side effects, so that New is not taken for a pure function.
void Outliner::keep(Function &New) {
  BasicBlock &Entry = New.getEntryBlock();
  auto *Asm =
      InlineAsm::get(FunctionType::get(Type::getVoidTy(F.getContext()), false),
                     "", "~{memory}", true);
  auto *Keep = CallInst::Create(Asm, "", Entry.getFirstNonPHIOrDbgOrAlloca());
  Keep->addFnAttr(Attribute::NoUnwind);
  if (New.getSubprogram())
    Keep->setDebugLoc(
        DILocation::get(F.getContext(), 0, 0, New.getSubprogram()));
}

// The x86 backend lays what has the most uses for each byte next to the stack
// pointer: small locals below what it spills.  Who only sees the object must
// then assume that a new function, which has the address of such a local,
// writes what lies above: flags that say whether to leave.  A spill has two
// uses in eight bytes or more, so locals with fewer lie above them; some are
// spared for the passes that multiply uses.  With a frame pointer the order is
// the reverse, unless the stack is aligned anew.
//
// The same holds for a local whose address is kept in a variable: where that
// holds one of two addresses, it cannot be told which.
static void widen(Function &F, ArrayRef<Function *> New) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  const uint64_t Least = 64, Most = 256;
  // Where sanitizers watch the ends of locals, these stay what they are.
  if (F.hasOptNone() || F.hasFnAttribute(Attribute::SanitizeAddress) ||
      F.hasFnAttribute(Attribute::SanitizeHWAddress) ||
      F.hasFnAttribute(Attribute::SanitizeMemTag))
    return;
  for (Instruction &I : F.getEntryBlock()) {
    auto *A = dyn_cast<AllocaInst>(&I);
    if (!A || !A->isStaticAlloca() || A->isArrayAllocation() ||
        none_of(A->users(), [&](User *U) {
          auto *Call = dyn_cast<CallInst>(U);
          auto *S = dyn_cast<StoreInst>(U);
          return (Call && is_contained(New, Call->getCalledFunction())) ||
                 (S && S->getValueOperand() == A) || isa<PHINode>(U) ||
                 isa<SelectInst>(U);
        }))
      continue;
    if (F.hasFnAttribute("frame-pointer") &&
        F.getFnAttribute("frame-pointer").getValueAsString() != "none")
      A->setAlignment(std::max(A->getAlign(), Align(32)));
    TypeSize Size = DL.getTypeAllocSize(A->getAllocatedType());
    uint64_t Wide = std::clamp<uint64_t>(A->getNumUses() * 24, Least, Most);
    if (Size.isScalable() || Size >= Wide)
      continue;
    // Not of bytes: an array of these asks for a stack protector.
    Type *Rest = ArrayType::get(Type::getInt16Ty(F.getContext()),
                                (Wide - Size.getFixedValue()) / 2);
    A->setAllocatedType(StructType::get(A->getAllocatedType(), Rest));
  }
}

Function *Outliner::extract(ArrayRef<BasicBlock *> Part, unsigned Number) {
  const Instruction *First = firstPlace(Part);
  DebugLoc At = First->getDebugLoc();
  forgetLabels(Part);
  // Numbered here: LLVM's own number would be one of the whole module.
  std::string Suffix = "region";
  if (Number > 0)
    Suffix += "." + std::to_string(Number + 1);
  CodeExtractor X(Part, nullptr, false, nullptr, nullptr, nullptr, false, true,
                  nullptr, Suffix);
  if (!X.isEligible()) {
    refuse(F, First, "code that cannot be moved is in a region");
    return nullptr;
  }
  CodeExtractorAnalysisCache Cache(F);
  Function *New = X.extractCodeRegion(Cache);
  if (!New) {
    refuse(F, nullptr, "region cannot be moved");
    return nullptr;
  }
  auto *Call = cast<CallInst>(*New->user_begin());
  for (const Argument &A : New->args())
    if (typeUse(A.getType(), F) && !leftOut(Step::Passing)) {
      refuse(F, Call, "float or vector crosses the edge of a region");
      return nullptr;
    }
  finish(*New, *Call);
  OptimizationRemarkEmitter ORE(&F);
  ORE.emit([&] {
    return OptimizationRemark("ksimd", "Outlined", At, Call->getParent())
           << "region of '" << F.getName() << "' moved to '" << New->getName()
           << "'";
  });
  return New;
}

SmallVector<Function *, 4> Outliner::run() {
  SmallVector<Function *, 4> New;
  split();
  divide();
  OptimizationRemarkEmitter ORE(&F);
  All.remove_if([&](auto &Part) {
    for (BasicBlock *B : Part.second)
      if (any_of(*B, [&](Instruction &I) { return wanted(I); }))
        return false;
    for (BasicBlock *B : Part.second)
      for (Instruction &I : *B)
        if (auto *Call = dyn_cast<CallBase>(&I); Call && hasPlace(*Call))
          Call->addFnAttr(Attribute::NoMerge); // not with one outside
    ORE.emit([&] {
      const Instruction *I = firstPlace(Part.second);
      return OptimizationRemarkMissed("ksimd", "Stays", I->getDebugLoc(),
                                      I->getParent())
             << "region of '" << F.getName() << "' stays: no SIMD in it";
    });
    for (BasicBlock *B : Part.second)
      P.erase(B);
    return true;
  });
  MapVector<BasicBlock *, Blocks> Old = std::move(All);
  All.clear();
  for (auto &[Head, Part] : Old) {
    if (!leftOut(Step::Edges))
      trim(Head, Part);
    BasicBlock *Begin = leftOut(Step::Edges) ? Head : begin(Head, Part);
    All[Begin] = std::move(Part);
  }
  bool Ok = (leftOut(Step::Passing) || checkPassing()) &&
            (All.empty() || checkFunction());
  for (auto &[Head, Part] : All)
    Ok = checkPart(Part) && Ok;
  if (!Ok)
    return New;
  separate();
  if (!leftOut(Step::Slots) && !keepInSlots(F, P))
    return New;
  for (Instruction &I : F.getEntryBlock())
    if (isa<AllocaInst>(I) && !PointerMayBeCaptured(&I, false, true))
      Private.insert(&I);
  for (Argument &A : F.args())
    if (A.hasNoAliasAttr() && !PointerMayBeCaptured(&A, false, true))
      Private.insert(&A);
  for (auto &[Head, Part] : All) {
    Function *G = extract(Part, New.size());
    if (!G)
      return New;
    New.push_back(G);
  }
  if (!leftOut(Step::Frame))
    widen(F, New);
  checkLeft();
  return New;
}

} // namespace

SmallVector<Function *, 4> outline(Function &F, const Classes &C) {
  return Outliner(F, C).run();
}

} // namespace ksimd
