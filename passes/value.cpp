// SPDX-License-Identifier: BSD-2-Clause
//
// Values: which place an SSA value is, and what a condition says of it.
//
// 1. Parameters, results, PHIs and loads of at most 64 bits are places.  Casts
//    that keep the value, freeze and llvm.expect are transparent; comparisons
//    with constants are tests of the place; xor 1 turns them around.
// 2. A boolean is 0 or 1 in 8 bits, whether it is an i1 or what it is widened
//    to for memory.
// 3. Any other expression has a key; equal keys share a place, whose value is
//    unknown but stays the same until one of the SSA values or the memory in it
//    changes.  So the same condition that is read twice is one.
// 4. Memory is known by its address: the base, an offset, and the field of a
//    named type.  What is read through a parameter that points to const is taken
//    not to change (debug information tells).  An SSA value that was read keeps
//    what was read; only a use right behind the read, with no call or store
//    between, is one of the memory itself.  Few places keep the engine exact.
//
// An SSA value is defined again only if all that it dominates is, too: its
// place may stand for its transparent copies.
//
// Limit: aliasing.  A store to a field ends what is known of that field, in
// any record of that type, and of memory that is not read as a field; other
// fields are taken to be other memory.
#include "lower.h"

#include <optional>

using namespace llvm;

namespace ksimd {

static const ks_val Nothing = {KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}};

bool FuncLowering::followed(const Type *T) {
  return T->isPointerTy() ||
         (T->isIntegerTy() && T->getIntegerBitWidth() <= 64);
}

unsigned FuncLowering::width(const Type *T) {
  if (T->isPointerTy())
    return std::min(64u, DL.getPointerTypeSizeInBits(const_cast<Type *>(T)));
  return T->isIntegerTy(1) ? 8 : T->getIntegerBitWidth();
}

unsigned FuncLowering::number(const Value *V) {
  return Numbers.insert({V, Numbers.size()}).first->second;
}

// For the reader: the variable's name, the value's, or what it is.
std::string FuncLowering::name(const Value *V) {
  auto It = Names.find(V);
  if (It != Names.end())
    return It->second;
  if (V->hasName())
    return V->getName().str();
  if (const auto *C = dyn_cast<CallBase>(V)) {
    const Function *To = UnitLowering::functionOf(C->getCalledOperand());
    return (To ? To->getName().str() : "call") + "()";
  }
  if (const auto *A = dyn_cast<Argument>(V))
    return "arg" + std::to_string(A->getArgNo());
  return "v" + std::to_string(number(V));
}

uint32_t FuncLowering::place(const Value *V, uint8_t Flags) {
  auto It = Places.find(V);
  if (It != Places.end())
    return It->second;
  return Places[V] =
             ks_func_place(Unit.U, &fn(), name(V).c_str(), Flags);
}

// --- shared expressions ------------------------------------------------------------

static void join(Key &To, const Key &From) {
  To.Vars.insert(To.Vars.end(), From.Vars.begin(), From.Vars.end());
  To.Mems.insert(To.Mems.end(), From.Mems.begin(), From.Mems.end());
}

uint32_t FuncLowering::shared(const Key &K, const Value *V) {
  auto It = ByKey.find(K.Text);
  if (It != ByKey.end())
    return It->second;
  uint8_t Flags = 0;
  for (const Mem &M : K.Mems) {
    bool Local = M.Object && isa<AllocaInst>(M.Object);
    if (Local && Unit.Captured.count(M.Object))
      Flags |= KS_PLACE_ESCAPED;
    else if (!Local && !M.Const)
      Flags |= KS_PLACE_MEMORY;
  }
  std::string Name = V ? name(V) : "";
  if (!K.Mems.empty()) {
    const Mem &M = K.Mems.back();
    Name = name(M.Root) + (M.Off ? "+" + std::to_string(M.Off) : "");
  }
  uint32_t P = ks_func_place(Unit.U, &fn(), Name.c_str(), Flags);
  All.push_back({P, K.Vars, K.Mems});
  return ByKey[K.Text] = P;
}

Key FuncLowering::keyOf(const Value *V) {
  Key K;
  if (const auto *N = dyn_cast<ConstantInt>(V)) {
    if (N->getBitWidth() <= 64) {
      K.Text = "c" + std::to_string(N->getZExtValue());
      return K;
    }
  } else if (isa<ConstantPointerNull>(V)) {
    K.Text = "c0";
    return K;
  } else if (const auto *G = dyn_cast<GlobalValue>(V)) {
    K.Text = "@" + G->getName().str();
    if (!G->hasName())
      K.Text += std::to_string(number(V));
    return K;
  } else if (isa<GEPOperator>(V) && isa<Constant>(V)) {
    Mem M = memOf(V, 0, K);
    K.Text = "&" + M.Id;
    return K;
  }
  auto It = Keys.find(V);
  if (It != Keys.end() &&
      (It->second.first.Mems.empty() || It->second.second == Epoch))
    return It->second.first;
  K.Text = "v" + std::to_string(number(V));
  if (isa<Instruction>(V) &&
      !(isa<AllocaInst>(V) && cast<AllocaInst>(V)->isStaticAlloca()))
    K.Vars.push_back(V);
  return K;
}

bool FuncLowering::expression(const Instruction &I, Key &K) {
  auto Operands = [&](std::string Op) {
    K.Text = Op + "(";
    for (const Use &U : I.operands()) {
      Key X = keyOf(U);
      K.Text += X.Text + ",";
      join(K, X);
    }
    K.Text += ")";
    return K.Text.size() < 300;
  };
  if (isa<GetElementPtrInst>(I)) {
    Mem M = memOf(&I, 0, K);
    K.Text = "&" + M.Id;
    return K.Text.size() < 300;
  }
  if (const auto *C = dyn_cast<ICmpInst>(&I))
    return Operands(CmpInst::getPredicateName(C->getPredicate()).str());
  if (isa<CastInst>(I))
    return Operands(std::string(I.getOpcodeName()) +
                    std::to_string(width(I.getType())));
  if (isa<BinaryOperator, SelectInst, FreezeInst>(I))
    return Operands(I.getOpcodeName());
  return false;
}

// --- memory ------------------------------------------------------------------------

Mem FuncLowering::memOf(const Value *Ptr, uint64_t Size, Key &K) {
  Mem M;
  M.Size = Size;
  M.Field = Unit.fieldKey(Ptr);
  std::string Index;
  while (const auto *G = dyn_cast<GEPOperator>(Ptr)) {
    unsigned W = DL.getIndexTypeSizeInBits(G->getType());
    MapVector<Value *, APInt> Vars;
    APInt Const(W, 0);
    if (!G->collectOffset(DL, W, Vars, Const)) {
      M.Known = false;
      Index += "?" + std::to_string(number(G));
    }
    M.Off += Const.getSExtValue();
    for (const auto &[V, Scale] : Vars) {
      Key X = keyOf(V);
      M.Known = false;
      Index += "+" + std::to_string(Scale.getSExtValue()) + "*" + X.Text;
      join(K, X);
    }
    Ptr = G->getPointerOperand();
  }
  Ptr = Ptr->stripPointerCasts();
  M.Root = Ptr;
  if (isa<AllocaInst, GlobalVariable>(Ptr))
    M.Object = Ptr;
  if (const auto *G = dyn_cast<GlobalVariable>(Ptr))
    M.Const = G->isConstant();
  M.Const |= ToConst.count(Ptr) != 0;
  Key B = keyOf(Ptr);
  M.Base = B.Text;
  join(K, B);
  M.Id = M.Base + "+" + std::to_string(M.Off) + Index;
  return M;
}

// Does a store to A change B?
bool FuncLowering::mayAlias(const Mem &A, const Mem &B) {
  auto Own = [&](const Mem &M) {
    return M.Object && isa<AllocaInst>(M.Object) &&
           !Unit.Captured.count(M.Object);
  };
  bool Fields = !A.Field.empty() && !B.Field.empty() && A.Field != B.Field;
  if (B.Const)
    return false;
  if (A.Any)
    return !Own(B);
  if (A.Base == B.Base) {
    if (A.Known && B.Known && A.Size && B.Size)
      return A.Off < B.Off + (int64_t)B.Size && B.Off < A.Off + (int64_t)A.Size;
    return !Fields || A.Size == 0;
  }
  if (Own(A) || Own(B) || (A.Object && B.Object))
    return false;
  return !Fields;
}

// Is I, and what is made of it, used in its block only, before anything there
// may change memory?  Then the memory itself may stand for it.
bool FuncLowering::brief(const Instruction &I, const Instruction &From,
                         unsigned Depth) {
  for (const Use &U : I.uses()) {
    const auto *X = cast<Instruction>(U.getUser());
    if (const auto *P = dyn_cast<PHINode>(X))
      X = P->getIncomingBlock(U)->getTerminator();
    if (X->getParent() != From.getParent() ||
        WritesBefore.lookup(X) != WritesBefore.lookup(&From))
      return false;
    if (isa<PHINode>(U.getUser()) || X->isTerminator() || isa<StoreInst>(X) ||
        isa<LoadInst>(X) || (isa<CallBase>(X) && !isa<IntrinsicInst>(X)))
      continue;
    if (Depth > 8 || !brief(*X, From, Depth + 1))
      return false;
  }
  return true;
}

void FuncLowering::load(const LoadInst &L) {
  Key K;
  uint64_t Size = DL.getTypeStoreSize(L.getType());
  if (L.isVolatile()) {
    Values[&L] = opaque(L, Nothing);
    return;
  }
  Mem M = memOf(L.getPointerOperand(), Size, K);
  if (L.hasMetadata(LLVMContext::MD_invariant_load))
    M.Const = true;
  K.Text = "ld" + std::to_string(Size) + "(" + M.Id + ")";
  K.Mems.push_back(M);
  if (K.Text.size() > 300) {
    Values[&L] = opaque(L, Nothing);
    return;
  }
  uint32_t P = shared(K, nullptr);
  if (brief(L, L)) {
    Values[&L] = Val::flag(P, width(L.getType()), isBool(&L));
    killVar(&L);
  } else {
    Values[&L] = opaque(L, ks_val{KS_VAL_PLACE, P, 0, {0, 0, 0}});
  }
  Keys[&L] = {K, Epoch};
}

// --- evaluation -----------------------------------------------------------------------

bool FuncLowering::isBool(const Value *V, unsigned Depth) {
  if (V->getType()->isIntegerTy(1))
    return true;
  if (!V->getType()->isIntegerTy() || Depth > 6)
    return false;
  if (const auto *N = dyn_cast<ConstantInt>(V))
    return N->getValue().ule(1);
  if (isa<UndefValue>(V))
    return true;
  if (isa<ZExtInst, FreezeInst>(V))
    return isBool(cast<Instruction>(V)->getOperand(0), Depth + 1);
  if (const auto *L = dyn_cast<LoadInst>(V))
    // Of a C bool: nothing but its value as a condition is asked for.
    return L->getType()->isIntegerTy(8) && !L->use_empty() &&
           all_of(L->users(), [](const User *U) {
             return isa<TruncInst>(U) && U->getType()->isIntegerTy(1);
           });
  if (const auto *B = dyn_cast<BinaryOperator>(V))
    if (const auto *N = dyn_cast<ConstantInt>(B->getOperand(1)))
      return B->getOpcode() == Instruction::And && N->isOne();
  if (const auto *P = dyn_cast<PHINode>(V))
    return all_of(P->incoming_values(), [&](const Use &U) {
      return U == V || isBool(U, Depth + 1);
    });
  if (const auto *S = dyn_cast<SelectInst>(V))
    return isBool(S->getTrueValue(), Depth + 1) &&
           isBool(S->getFalseValue(), Depth + 1);
  return false;
}

Val FuncLowering::castInst(const CastInst &C) {
  const Value *Op = C.getOperand(0);
  if (!followed(Op->getType()))
    return Val();
  Val V = eval(Op);
  unsigned From = Op->getType()->isIntegerTy(1) ? 1 : width(Op->getType());
  unsigned To = C.getType()->isIntegerTy(1) ? 1 : width(C.getType());
  bool Bool = V.K == Val::Test || (V.K == Val::Place && V.Bool);
  switch (C.getOpcode()) {
  case Instruction::BitCast: case Instruction::AddrSpaceCast:
    return V;
  case Instruction::PtrToInt: case Instruction::IntToPtr:
    return From == To || V.K == Val::Const ? V : Val();
  case Instruction::Trunc:
    if (V.K == Val::Const)
      V.Num &= maskOf(To);
    else if (V.K == Val::Sym)
      return Val();
    else if (!Bool && V.Bits >= To) {
      V.Bits = To;
      V.Zext = true;
    }
    return V;
  case Instruction::ZExt:
    if (V.K == Val::Place && !Bool && !V.Zext)
      return Val();
    return V;
  case Instruction::SExt:
    if (V.K == Val::Const) {
      if (V.Num >> (From - 1) & 1)
        V.Num |= maskOf(To) & ~maskOf(From);
      return V;
    }
    if (From == 1)
      return Val();
    if (V.K == Val::Place && !Bool && V.Bits >= From)
      V.Zext = false;
    return V;
  default:
    return Val();
  }
}

Val FuncLowering::binary(const BinaryOperator &B) {
  const auto *N = dyn_cast<ConstantInt>(B.getOperand(1));
  if (!N || N->getBitWidth() > 64)
    return Val();
  uint64_t K = N->getZExtValue();
  Val V = eval(B.getOperand(0));
  bool Bool = V.K == Val::Test || (V.K == Val::Place && V.Bool);
  if (B.getOpcode() == Instruction::Xor && K == 1 && Bool)
    return negate(V);
  if (B.getOpcode() != Instruction::And || K == 0 || (K & (K + 1)) != 0)
    return Val();
  if (Bool)
    return V;
  if (V.K != Val::Place)
    return Val();
  unsigned Bits = 64 - countl_zero(K);
  // Other bits are a value of their own: facts of several widths do not mix.
  if (Bits != 8 && Bits != 16 && Bits != 32)
    return Val();
  if (Bits > V.Bits)
    return V.Zext ? V : Val();
  V.Bits = Bits;
  V.Zext = true;
  return V;
}

static std::optional<Cmp> cmpOf(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::ICMP_EQ:
    return Cmp::Eq;
  case CmpInst::ICMP_NE:
    return Cmp::Ne;
  case CmpInst::ICMP_ULT: case CmpInst::ICMP_SLT:
    return Cmp::Lt;
  case CmpInst::ICMP_ULE: case CmpInst::ICMP_SLE:
    return Cmp::Le;
  case CmpInst::ICMP_UGT: case CmpInst::ICMP_SGT:
    return Cmp::Gt;
  case CmpInst::ICMP_UGE: case CmpInst::ICMP_SGE:
    return Cmp::Ge;
  default:
    return std::nullopt;
  }
}

Val FuncLowering::comparison(CmpInst::Predicate P, const Value *L,
                             const Value *R) {
  std::optional<Cmp> C = cmpOf(P);
  if (!C || !followed(L->getType()))
    return Val();
  // One of two constants is what chose it.
  const auto *S = dyn_cast<SelectInst>(L);
  if (S && isa<ConstantInt>(S->getTrueValue()) &&
      isa<ConstantInt>(S->getFalseValue()) && isa<ConstantInt>(R)) {
    const APInt &K = cast<ConstantInt>(R)->getValue();
    auto Arm = [&](const Value *V) {
      return ICmpInst::compare(cast<ConstantInt>(V)->getValue(), K, P);
    };
    bool T = Arm(S->getTrueValue()), F = Arm(S->getFalseValue());
    if (T == F)
      return Val::constant(T);
    Val If = eval(S->getCondition());
    return T ? toBool(If) : negate(If);
  }
  return compare(*C, CmpInst::isSigned(P), eval(L), eval(R),
                 width(L->getType()));
}

Val FuncLowering::opaque(const Instruction &I, const ks_val &Is) {
  uint32_t P = place(&I);
  set(P, Is, &I);
  killVar(&I);
  return Val::flag(P, width(I.getType()), isBool(&I));
}

void FuncLowering::define(const Instruction &I) {
  Val V;
  Key K;
  if (const ks_rule *R = Unit.queryMask(I)) {
    uint32_t P = place(&I), N = add(KS_EV_QUERY, &I);
    Nodes[N].N.dst = P;
    Nodes[N].N.aux = R->means | (R->exact ? KS_MEANS_EXACT : 0);
    killVar(&I);
    // The engine says 0 or not, of 32 bits.
    Values[&I] = Val::place(P, std::min(32u, width(I.getType())));
    return;
  }
  if (const auto *C = dyn_cast<CastInst>(&I))
    V = castInst(*C);
  else if (const auto *B = dyn_cast<BinaryOperator>(&I))
    V = binary(*B);
  else if (const auto *X = dyn_cast<ICmpInst>(&I))
    V = comparison(X->getPredicate(), X->getOperand(0), X->getOperand(1));
  else if (isa<FreezeInst>(I))
    V = eval(I.getOperand(0));
  else if (const auto *G = dyn_cast<GetElementPtrInst>(&I)) {
    if (G->hasAllZeroIndices())
      V = eval(G->getPointerOperand());
  } else if (const auto *C = dyn_cast<IntrinsicInst>(&I)) {
    Intrinsic::ID Id = C->getIntrinsicID();
    if (Id == Intrinsic::expect || Id == Intrinsic::expect_with_probability) {
      V = eval(C->getArgOperand(0));
      K = keyOf(C->getArgOperand(0));
    }
  }
  bool Has = !K.Text.empty() || expression(I, K);
  if (V.K == Val::Unknown && Has && (K.Mems.empty() || brief(I, I)))
    V = Val::flag(shared(K, &I), width(I.getType()), isBool(&I));
  if (V.K != Val::Unknown)
    killVar(&I);
  else if (Has)
    V = opaque(I, ks_val{KS_VAL_PLACE, shared(K, &I), 0, {0, 0, 0}});
  else
    V = opaque(I, Nothing);
  Values[&I] = V;
  if (Has)
    Keys[&I] = {K, Epoch};
}

Val FuncLowering::eval(const Value *V) {
  auto It = Values.find(V);
  if (It != Values.end())
    return It->second;
  Val R;
  if (!followed(V->getType()))
    return R;
  if (const auto *N = dyn_cast<ConstantInt>(V))
    return Val::constant(N->getZExtValue());
  if (isa<ConstantPointerNull>(V))
    return Val::constant(0);
  if (isa<UndefValue>(V))
    return R;
  if (isa<Argument, PHINode>(V))
    return Values[V] = Val::flag(place(V), width(V->getType()), isBool(V));
  if (const auto *G = dyn_cast<GlobalValue>(V))
    if (UnitLowering::functionOf(V)) {
      R.K = Val::Sym;
      R.Ref = Unit.symOf(isa<GlobalAlias>(G) ? G
                                             : UnitLowering::functionOf(V));
      return R;
    }
  const auto *A = dyn_cast<AllocaInst>(V);
  if ((A && A->isStaticAlloca()) || isa<GlobalValue>(V) ||
      (isa<Constant>(V) && isa<GEPOperator>(V)))
    return Val::place(shared(keyOf(V), V), width(V->getType()));
  return R;
}

} // namespace ksimd
