// SPDX-License-Identifier: BSD-2-Clause
//
// One function: from instructions to nodes, from control flow to edges.
//
// 1. Blocks are taken in reverse postorder, so that what dominates comes
//    first.  A block is a chain: its entry, the nodes of its instructions, its
//    branch.
// 2. A call is a CALL node, what touches SIMD state a SIMD, SAVE or RESTORE
//    node before it.  Values that are followed are SET where they are defined
//    (value.cpp).
// 3. A branch puts its condition on its edges.  PHIs are SETs on the edges, as
//    the parallel copy that they are; a select is two ways that join.
// 4. What may change an expression's value is remembered as a node of its own,
//    and becomes SETs to unknown once all such expressions are known.
#include "lower.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace ksimd {

// --- building -------------------------------------------------------------------

uint32_t FuncLowering::newNode(enum ks_event Ev) {
  Node N;
  memset(&N.N, 0, sizeof(N.N));
  N.N.ev = Ev;
  N.N.dst = KS_NONE;
  N.N.call = KS_NONE;
  N.N.loc.file = Unit.U->name;
  Nodes.push_back(N);
  return Nodes.size() - 1;
}

// Appends to the block.
uint32_t FuncLowering::add(enum ks_event Ev, const Instruction *I) {
  uint32_t N = newNode(Ev);
  if (I) {
    Nodes[N].N.loc = Unit.loc(*I);
    First.insert({I, N});
  }
  for (auto &[From, E] : Tails) {
    E.To = N;
    Nodes[From].Succ.push_back(E);
  }
  Tails = {{N, Edge()}};
  Order.push_back(N);
  return N;
}

void FuncLowering::set(uint32_t P, const ks_val &V, const Instruction *I) {
  uint32_t N = add(KS_EV_SET, I);
  Nodes[N].N.dst = P;
  Nodes[N].N.val = V;
  if (V.kind == KS_VAL_PLACE && V.ref == P)
    Nodes[N].N.val.kind = KS_VAL_UNKNOWN;
}

void FuncLowering::killVar(const Value *V) {
  uint32_t N = add(KS_EV_NOP, nullptr);
  Nodes[N].KillVar = V;
}

void FuncLowering::killMem(const Mem &M, uint32_t Except) {
  uint32_t N = add(KS_EV_NOP, nullptr);
  Nodes[N].KillMem = true;
  Nodes[N].What = M;
  Nodes[N].Except = Except;
  Epoch++;
}

static std::string typeName(const Type *T) {
  std::string S;
  raw_string_ostream Out(S);
  T->print(Out, false, true);
  return S;
}

// As an error names it: "load of <2 x i64>".
static std::string simdText(const Instruction &I) {
  if (const auto *C = dyn_cast<CallBase>(&I)) {
    if (C->isInlineAsm())
      return "assembly";
    if (const Function *F = C->getCalledFunction())
      if (F->isIntrinsic())
        return F->getName().drop_front(strlen("llvm.")).str();
  }
  const Type *T = I.getType();
  for (const Use &U : I.operands())
    if (!isSimdType(T) || T->isStructTy())
      T = U->getType();
  return std::string(I.getOpcodeName()) + " of " + typeName(T);
}

// A float or vector that may live across a call, or KS_NONE.
uint32_t FuncLowering::vectorPlace(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || isa<PHINode>(I) || !typeUse(V->getType(), F))
    return KS_NONE;
  for (const User *U : I->users()) {
    const auto *To = cast<Instruction>(U);
    if (To->getParent() != I->getParent() ||
        CallsBefore.lookup(To) != CallsBefore.lookup(I))
      return place(V, KS_PLACE_VECTOR);
  }
  return KS_NONE;
}

// A node for each vector that is read, the last is the one that writes.
void FuncLowering::simd(const SimdUse &S, const Instruction &I) {
  SmallVector<uint32_t, 4> Reads;
  if (S.Event == KS_EV_SIMD)
    for (const Use &U : I.operands()) {
      uint32_t P = vectorPlace(U);
      if (P != KS_NONE && !is_contained(Reads, P))
        Reads.push_back(P);
    }
  for (size_t K = 0; K < std::max<size_t>(Reads.size(), 1); K++) {
    uint32_t N = add((enum ks_event)S.Event, &I);
    ks_node &X = Nodes[N].N;
    X.classes = S.Classes;
    X.isa = S.Isa;
    X.aux = S.Pinned ? KS_SIMD_PINNED : 0;
    X.text = Unit.str(simdText(I));
    if (!Reads.empty())
      X.val = ks_val{KS_VAL_PLACE, Reads[K], 0, {0, 0, 0}};
  }
  if (S.Event == KS_EV_SIMD)
    Nodes[Order.back()].N.dst = vectorPlace(&I);
}

// --- before the walk -------------------------------------------------------------

// Is the address kept where a later call or pointer finds it?  One that is only
// passed is written by that call, and no other.
static bool captured(const Value *V, SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(V).second)
    return false;
  for (const Use &U : V->uses()) {
    const User *X = U.getUser();
    if (isa<LoadInst, ICmpInst, CallBase>(X))
      continue;
    if (const auto *S = dyn_cast<StoreInst>(X)) {
      if (S->getValueOperand() == V)
        return true;
    } else if (isa<GetElementPtrInst, BitCastInst, AddrSpaceCastInst>(X)) {
      if (captured(X, Seen))
        return true;
    } else {
      return true;
    }
  }
  return false;
}

static const DIType *bare(const DIType *T) {
  while (const auto *D = dyn_cast_or_null<DIDerivedType>(T)) {
    if (D->getTag() != dwarf::DW_TAG_typedef)
      break;
    T = D->getBaseType();
  }
  return T;
}

static bool toConst(const DIType *T) {
  const auto *P = dyn_cast_or_null<DIDerivedType>(bare(T));
  if (!P || P->getTag() != dwarf::DW_TAG_pointer_type)
    return false;
  const DIType *To = bare(P->getBaseType());
  return To && To->getTag() == dwarf::DW_TAG_const_type;
}

void FuncLowering::prescan() {
  auto Variable = [&](const Value *V, const DILocalVariable *D) {
    if (!V || !D || isa<Constant>(V))
      return;
    Names.insert({V, D->getName().str()});
    if (isa<Argument>(V) && D->getScope()->getSubprogram() ==
                                F.getSubprogram() && toConst(D->getType()))
      ToConst.insert(V);
  };
  for (const BasicBlock &B : F) {
    unsigned Calls = 0, Writes = 0;
    for (const Instruction &I : B) {
      CallsBefore[&I] = Calls;
      WritesBefore[&I] = Writes;
      Writes += I.mayWriteToMemory() || isa<CallBase>(I);
      Calls += isa<CallBase>(I) && !isa<IntrinsicInst>(I);
      if (const auto *D = dyn_cast<DbgVariableIntrinsic>(&I))
        Variable(D->getVariableLocationOp(0), D->getVariable());
      for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
        if (R.getNumVariableLocationOps() == 1)
          Variable(R.getVariableLocationOp(0), R.getVariable());
      if (isa<AllocaInst>(I)) {
        SmallPtrSet<const Value *, 16> Seen;
        if (captured(&I, Seen))
          Unit.Captured.insert(&I);
      }
    }
  }
}

// Has the ABI registers for floats and vectors that F does without?
bool FuncLowering::passesOnStack() {
  const Cpu &C = cpuOf(F);
  return C.X86 && DL.getPointerSize() == 8 && !C.Sse2;
}

void FuncLowering::params() {
  bool Abi = bool(typeUse(F.getReturnType(), F));
  SimdUse S;
  for (const Argument &A : F.args()) {
    uint32_t P = followed(A.getType()) ? place(&A) : KS_NONE;
    push(fn().params) = P;
    if (SimdUse X = typeUse(A.getType(), F)) {
      Abi = true;
      S.Event = KS_EV_SIMD;
      S.Classes |= X.Classes;
      S.Isa |= X.Isa;
    }
  }
  if (Abi && passesOnStack())
    fn().flags |= KS_FUNC_ABI;
  if (!S)
    return;
  uint32_t N = add(KS_EV_SIMD, nullptr);
  Nodes[N].N.loc = fn().loc;
  Nodes[N].N.classes = S.Classes;
  Nodes[N].N.isa = S.Isa;
  Nodes[N].N.text = Unit.str("a parameter");
}

// --- calls -----------------------------------------------------------------------

void FuncLowering::callee(const CallBase &C, ks_call &K) {
  const Value *To = C.getCalledOperand()->stripPointerCasts();
  K.sym = KS_NONE;
  std::vector<std::string> Names;
  if (isa<Function>(To) ||
      (isa<GlobalAlias>(To) && UnitLowering::functionOf(To))) {
    K.sym = Unit.symOf(cast<GlobalValue>(To));
    return;
  }
  if (const auto *I = dyn_cast<GlobalIFunc>(To)) {
    Names.push_back("ifunc:" + I->getName().str());
  } else {
    K.target = toKs(eval(To), DL.getPointerSizeInBits());
    if (const auto *L = dyn_cast<LoadInst>(To)) {
      Names.push_back(Unit.instKey(L->getPointerOperand()));
      Names.push_back(Unit.fieldKey(L->getPointerOperand()));
    }
  }
  K.key = fn().keys.n;
  for (const std::string &N : Names)
    if (!N.empty()) {
      push(fn().keys) = Unit.str(N);
      Unit.callKey(N);
      K.nkey++;
    }
}

static const AllocaInst *localOf(const Value *P) {
  while (const auto *G = dyn_cast<GEPOperator>(P))
    P = G->getPointerOperand();
  return dyn_cast<AllocaInst>(P->stripPointerCasts());
}

bool FuncLowering::call(const CallBase &C) {
  if (C.isInlineAsm()) {
    assembly(C);
    return true;
  }
  if (const auto *I = dyn_cast<IntrinsicInst>(&C)) {
    intrinsic(*I);
    if (!C.doesNotReturn())
      return true;
    add(KS_EV_END, &C);
    return false;
  }
  ks_call K;
  memset(&K, 0, sizeof(K));
  K.result = KS_NONE;
  K.noreturn = C.doesNotReturn();
  bool Abi = bool(typeUse(C.getType(), F));
  std::vector<ks_val> Args;
  for (const Use &A : C.args()) {
    Abi |= bool(typeUse(A->getType(), F));
    Args.push_back(followed(A->getType())
                       ? toKs(eval(A), width(A->getType()))
                       : ks_val{KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}});
  }
  K.abi = Abi && passesOnStack();
  callee(C, K);
  if (followed(C.getType())) {
    K.result = place(&C);
    Values[&C] = Val::flag(K.result, width(C.getType()),
                           C.getType()->isIntegerTy(1));
  }
  K.arg = fn().args.n;
  K.narg = Args.size();
  for (const ks_val &A : Args)
    push(fn().args) = A;
  uint32_t N = add(KS_EV_CALL, &C);
  Nodes[N].N.call = fn().calls.n;
  push(fn().calls) = K;
  Epoch++;
  for (unsigned I = 0; I < C.arg_size(); I++) {
    if (!C.getArgOperand(I)->getType()->isPointerTy() ||
        C.onlyReadsMemory(I) || C.isByValArgument(I))
      continue;
    if (const AllocaInst *A = localOf(C.getArgOperand(I))) {
      Key Ignored;
      Mem M = memOf(A, 0, Ignored);
      killMem(M);
    }
  }
  killVar(&C);
  if (!K.noreturn)
    return true;
  add(KS_EV_END, &C);
  return false;
}

void FuncLowering::intrinsic(const IntrinsicInst &I) {
  if (I.getIntrinsicID() == Intrinsic::assume) {
    Val V = toBool(eval(I.getArgOperand(0)));
    if (V.K == Val::Test) {
      uint32_t N = add(KS_EV_NOP, &I);
      Tails = {{N, Edge{KS_NONE, V.Ref, V.Iv}}};
    }
    return;
  }
  if (const auto *M = dyn_cast<AnyMemIntrinsic>(&I)) {
    const auto *Size = dyn_cast<ConstantInt>(M->getLength());
    Key Ignored;
    Mem To = memOf(M->getRawDest(),
                   Size ? Size->getLimitedValue(1 << 20) : 0, Ignored);
    To.Field.clear();
    killMem(To);
    return;
  }
  if (I.mayWriteToMemory() && !I.isAssumeLikeIntrinsic()) {
    Mem All;
    All.Any = true;
    killMem(All);
  }
  if (followed(I.getType()))
    define(I);
}

void FuncLowering::assembly(const CallBase &C) {
  const auto *A = cast<InlineAsm>(C.getCalledOperand());
  if (followed(C.getType()))
    Values[&C] = opaque(C, ks_val{KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}});
  else
    killVar(&C);
  unsigned Arg = 0;
  for (const InlineAsm::ConstraintInfo &X : A->ParseConstraints()) {
    bool Takes = X.Type == InlineAsm::isInput ||
                 (X.Type == InlineAsm::isOutput && X.isIndirect);
    if (X.Type == InlineAsm::isOutput && X.isIndirect) {
      Key Ignored;
      killMem(memOf(C.getArgOperand(Arg), 0, Ignored));
    }
    Arg += Takes;
    if (X.Type == InlineAsm::isClobber && is_contained(X.Codes, "{memory}")) {
      Mem All;
      All.Any = true;
      killMem(All);
    }
  }
}

// --- instructions -----------------------------------------------------------------

void FuncLowering::storeInst(const StoreInst &S) {
  const Value *V = S.getValueOperand(), *Ptr = S.getPointerOperand();
  Key K;
  Mem M = memOf(Ptr, DL.getTypeStoreSize(V->getType()).getKnownMinValue(), K);
  if (V->getType()->isPointerTy() && !UnitLowering::functionOf(V) &&
      !isa<ConstantPointerNull, UndefValue>(V)) {
    std::string Field = Unit.fieldKey(Ptr), Inst = Unit.instKey(Ptr);
    const auto *From = dyn_cast<LoadInst>(V);
    // A copy from the same field adds nothing.
    if (!From || Unit.fieldKey(From->getPointerOperand()) != Field) {
      Unit.storeUnknown(Field);
      Unit.storeUnknown(Inst);
    }
  }
  if (!followed(V->getType()) || S.isVolatile()) {
    killMem(M);
    return;
  }
  // What is stored is what a later read finds.
  K.Text = "ld" + std::to_string(M.Size) + "(" + M.Id + ")";
  K.Mems.push_back(M);
  uint32_t P = shared(K, nullptr);
  ks_val Is = toKs(eval(V), width(V->getType()));
  killMem(M, P);
  set(P, Is, &S);
}

// Two ways that join.
void FuncLowering::select(const SelectInst &S) {
  Val C = S.getCondition()->getType()->isIntegerTy(1)
              ? toBool(eval(S.getCondition()))
              : Val();
  Val T = eval(S.getTrueValue()), E = eval(S.getFalseValue());
  Val V;
  if (C.K == Val::Const)
    V = C.Num ? T : E;
  else if (T.K == Val::Const && E.K == Val::Const && T.Num == 1 && E.Num == 0)
    V = C;
  else if (T.K == Val::Const && E.K == Val::Const && T.Num == 0 && E.Num == 1)
    V = negate(C);
  if (V.K != Val::Unknown) {
    Values[&S] = V;
    killVar(&S);
    return;
  }
  if (C.K != Val::Test) {
    define(S);
    return;
  }
  uint32_t P = place(&S), N = add(KS_EV_NOP, &S);
  unsigned W = width(S.getType());
  Tails = {{N, Edge{KS_NONE, C.Ref, C.Iv}}};
  set(P, toKs(T, W), &S);
  auto Then = Tails;
  Tails = {{N, Edge{KS_NONE, C.Ref, ks_iv_not(C.Iv)}}};
  set(P, toKs(E, W), &S);
  Tails.insert(Tails.end(), Then.begin(), Then.end());
  killVar(&S);
  Values[&S] = Val::flag(P, W, isBool(&S));
}

bool FuncLowering::instruction(const Instruction &I) {
  if (isa<PHINode, DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
    return true;
  if (SimdUse S = simdUse(I))
    simd(S, I);
  if (const auto *C = dyn_cast<CallBase>(&I))
    return call(*C);
  if (I.isTerminator())
    return true;
  if (const auto *S = dyn_cast<StoreInst>(&I)) {
    storeInst(*S);
  } else if (const auto *L = dyn_cast<LoadInst>(&I)) {
    if (followed(L->getType()))
      load(*L);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
    const Value *Ptr = I.getOperand(0);
    Key Ignored;
    killMem(memOf(Ptr, 0, Ignored));
    if (followed(I.getType()))
      define(I);
  } else if (!followed(I.getType()) || isa<AllocaInst>(I)) {
    return true;
  } else if (const auto *S = dyn_cast<SelectInst>(&I)) {
    select(*S);
  } else {
    define(I);
  }
  return true;
}

// --- control flow -------------------------------------------------------------------

// What PHIs of TO are on the way from FROM: the first node of the way.
uint32_t FuncLowering::phis(const BasicBlock *From, const BasicBlock *To) {
  std::vector<std::pair<uint32_t, ks_val>> Sets;
  std::vector<const PHINode *> Set;
  for (const PHINode &Phi : To->phis()) {
    if (!followed(Phi.getType()))
      continue;
    uint32_t P = place(&Phi);
    ks_val V = toKs(eval(Phi.getIncomingValueForBlock(From)),
                    width(Phi.getType()));
    if (V.kind == KS_VAL_PLACE && V.ref == P)
      continue;
    Sets.push_back({P, V});
    Set.push_back(&Phi);
  }
  // All are read before any is set.
  bool Overlap = false;
  for (size_t I = 0; I < Sets.size(); I++)
    for (size_t J = I + 1; J < Sets.size(); J++)
      Overlap |= Sets[J].second.kind != KS_VAL_CONST &&
                 Sets[J].second.kind != KS_VAL_SYM &&
                 Sets[J].second.kind != KS_VAL_UNKNOWN &&
                 Sets[J].second.ref == Sets[I].first;
  auto Saved = Tails;
  Tails.clear();
  size_t Begin = Order.size();
  if (Overlap)
    for (auto &[P, V] : Sets) {
      uint32_t T = ks_func_place(Unit.U, &fn(), "", 0);
      set(T, V, nullptr);
      V = ks_val{KS_VAL_PLACE, T, 0, {0, 0, 0}};
    }
  for (auto &[P, V] : Sets)
    set(P, V, nullptr);
  for (const PHINode *Phi : Set)
    killVar(Phi);
  uint32_t Way = Entry[To];
  if (Order.size() > Begin) {
    Nodes[Order.back()].Succ.push_back({Way});
    Way = Order[Begin];
  }
  Tails = Saved;
  return Way;
}

// An edge from the block's branch.
void FuncLowering::link(const BasicBlock *From, const BasicBlock *To, Edge E) {
  uint32_t N = Branch[From];
  E.To = phis(From, To);
  Nodes[N].Succ.push_back(E);
}

void FuncLowering::branch(const BranchInst &B) {
  const BasicBlock *From = B.getParent();
  if (B.isUnconditional()) {
    link(From, B.getSuccessor(0), Edge());
    return;
  }
  Val V = toBool(eval(B.getCondition()));
  for (unsigned I = 0; I < 2; I++) {
    if (V.K == Val::Const && (V.Num != 0) != (I == 0))
      continue;
    Edge E;
    if (V.K == Val::Test) {
      E.Cond = V.Ref;
      E.Iv = I == 0 ? V.Iv : ks_iv_not(V.Iv);
    }
    link(From, B.getSuccessor(I), E);
  }
}

void FuncLowering::switchEdges(const SwitchInst &S) {
  const BasicBlock *From = S.getParent();
  Val V = eval(S.getCondition());
  unsigned W = width(S.getCondition()->getType());
  if (V.K == Val::Const) {
    auto *N = ConstantInt::get(cast<IntegerType>(S.getCondition()->getType()),
                               V.Num);
    link(From, S.findCaseValue(N)->getCaseSuccessor(), Edge());
    return;
  }
  bool Known = V.K == Val::Place && (V.Bits >= W || V.Zext);
  unsigned Bits = Known ? std::min(V.Bits, W) : 0;
  uint64_t Max = Bits >= 64 ? UINT64_MAX : ((uint64_t)1 << Bits) - 1;
  std::vector<uint64_t> Cases;
  for (const auto &C : S.cases()) {
    Edge E;
    if (Known && C.getCaseValue()->getBitWidth() <= 64) {
      uint64_t K = C.getCaseValue()->getZExtValue();
      Cases.push_back(K);
      if (K > Max)
        continue; // cannot be
      E.Cond = V.Ref;
      E.Iv = {K, K, (uint8_t)Bits};
    }
    link(From, C.getCaseSuccessor(), E);
  }
  Edge E;
  llvm::sort(Cases);
  // One interval: the default is the rest.
  if (!Cases.empty() && Cases.back() - Cases.front() == Cases.size() - 1 &&
      Cases.back() <= Max && Cases.size() <= Max) {
    E.Cond = V.Ref;
    E.Iv = ks_iv_not({Cases.front(), Cases.back(), (uint8_t)Bits});
  }
  link(From, S.getDefaultDest(), E);
}

void FuncLowering::terminator(const Instruction &I) {
  if (const auto *R = dyn_cast<ReturnInst>(&I)) {
    const Value *V = R->getReturnValue();
    ks_val Is = {KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}};
    if (V && followed(V->getType()))
      Is = toKs(eval(V), width(V->getType()));
    uint32_t N = add(KS_EV_RETURN, R);
    Nodes[N].N.val = Is;
    Branch[I.getParent()] = N;
    return;
  }
  if (I.getNumSuccessors() == 0) {
    Branch[I.getParent()] = add(KS_EV_END, &I);
    return;
  }
  Branch[I.getParent()] = add(KS_EV_NOP, &I);
  if (const auto *B = dyn_cast<BranchInst>(&I))
    branch(*B);
  else if (const auto *S = dyn_cast<SwitchInst>(&I))
    switchEdges(*S);
  else
    for (const BasicBlock *To : successors(I.getParent()))
      link(I.getParent(), To, Edge());
}

void FuncLowering::block(const BasicBlock &B) {
  Epoch++;
  Order.push_back(Entry[&B]);
  Tails = {{Entry[&B], Edge()}};
  if (B.isEntryBlock())
    params();
  for (const Instruction &I : B)
    if (!instruction(I)) {
      Branch[&B] = Tails[0].first;
      return;
    }
  terminator(*B.getTerminator());
}

// --- from the walk to the graph -------------------------------------------------------

void FuncLowering::emit() {
  // Step 4 of the file's note.  A node that kills nothing is left out.
  std::vector<std::vector<uint32_t>> Dead(Nodes.size());
  std::vector<uint32_t> Map(Nodes.size(), KS_NONE);
  DenseMap<const Value *, std::vector<uint32_t>> ByVar;
  std::vector<const Shared *> InMemory;
  for (const Shared &S : All) {
    for (const Value *V : S.Vars)
      if (ByVar[V].empty() || ByVar[V].back() != S.Place)
        ByVar[V].push_back(S.Place);
    if (!S.Mems.empty())
      InMemory.push_back(&S);
  }
  for (uint32_t N : Order) {
    const Node &X = Nodes[N];
    if (X.KillVar)
      Dead[N] = ByVar.lookup(X.KillVar);
    for (const Shared *S : InMemory)
      if (X.KillMem && S->Place != X.Except &&
          any_of(S->Mems, [&](const Mem &M) { return mayAlias(X.What, M); }))
        Dead[N].push_back(S->Place);
  }
  auto Left = [&](uint32_t N) {
    return !(Nodes[N].KillVar || Nodes[N].KillMem) || !Dead[N].empty();
  };
  auto To = [&](uint32_t N) {
    while (!Left(N))
      N = Nodes[N].Succ[0].To;
    return N;
  };
  ks_func &X = fn();
  for (uint32_t N : Order) {
    if (!Left(N))
      continue;
    Map[N] = X.nodes.n;
    for (uint32_t P : Dead[N]) {
      uint32_t K = ks_func_node(&X, KS_EV_SET);
      X.nodes.v[K].dst = P;
      X.nodes.v[K].loc = Nodes[N].N.loc;
    }
    if (!Dead[N].empty())
      continue;
    uint32_t K = ks_func_node(&X, (enum ks_event)Nodes[N].N.ev);
    X.nodes.v[K] = Nodes[N].N;
    X.nodes.v[K].nsucc = 0;
    if (K == 0)
      X.nodes.v[K].loc = X.loc;
  }
  for (uint32_t N : Order) {
    if (!Left(N))
      continue;
    uint32_t Last = Map[N];
    for (size_t I = 1; I < Dead[N].size(); I++, Last++)
      ks_func_edge(&X, Last, Last + 1);
    for (const Edge &E : Nodes[N].Succ) {
      ks_edge *K = ks_func_edge(&X, Last, Map[To(E.To)]);
      K->cond = E.Cond;
      K->iv = E.Iv;
    }
  }
  for (auto [B, N] : Entry)
    Unit.Out.Entry[B] = Map[N];
  for (auto [B, N] : Branch)
    Unit.Out.Branch[B] = Map[N];
  for (auto [I, N] : First)
    Unit.Out.Nodes[I] = Map[To(N)];
}

void FuncLowering::run() {
  fn().loc = Unit.loc(F);
  prescan();
  for (const BasicBlock &B : F)
    Entry[&B] = newNode(KS_EV_NOP);
  ReversePostOrderTraversal<const Function *> Rpo(&F);
  for (const BasicBlock *B : Rpo)
    block(*B);
  for (const BasicBlock &B : F)
    if (!Branch.count(&B))
      unreachable(B);
  emit();
}

// What control never reaches; but what it calls tells whether the function has
// brackets of its own.
void FuncLowering::unreachable(const BasicBlock &B) {
  uint32_t At = Entry[&B];
  Order.push_back(At);
  for (const Instruction &I : B) {
    auto *C = dyn_cast<CallBase>(&I);
    const Function *To = C ? C->getCalledFunction() : nullptr;
    if (!To || To->isIntrinsic())
      continue;
    ks_call K = {};
    K.sym = Unit.symOf(To);
    K.result = KS_NONE;
    uint32_t N = newNode(KS_EV_CALL);
    Nodes[N].N.call = fn().calls.n;
    push(fn().calls) = K;
    Nodes[At].Succ.push_back({N});
    Order.push_back(At = N);
  }
  uint32_t End = newNode(KS_EV_END);
  Nodes[At].Succ.push_back({End});
  Order.push_back(Branch[&B] = End);
}

} // namespace ksimd
