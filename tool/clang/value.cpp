// SPDX-License-Identifier: BSD-2-Clause
//
// Values: which place an expression is, and what a condition says of it.
//
// 1. A local or parameter of at most 64 bits is a place.  Copies, casts that
//    keep the value, and __builtin_expect are transparent; ! and comparisons
//    with constants are tests of the place.
// 2. Calls, && || and ?: have a place of their own, set where they happen.
// 3. Any other expression that only reads (flags & 1, o->uses_fpu, a < b) is
//    a derived place, shared by all equal expressions of the function: its
//    value is unknown, but stays the same until one of its variables or the
//    memory it reads changes.  Memory reached through const is taken not to
//    change; other memory may change with each call.
// 4. What a CPUID instruction left behind is followed to the branch that
//    tests a bit of it.
// 5. Members of local records are derived places, too; member.cpp sets them.
//
// Limit: aliasing.  A store through a pointer ends what is known of escaped
// locals and of all memory that is not const; a store to a member ends what
// is known of that member, in any record.
#include "flow.h"

using namespace clang;

namespace ksimd {

bool UnitLowering::followed(QualType T) {
  T = T.getCanonicalType();
  return (T->isIntegralOrEnumerationType() || T->isAnyPointerType()) &&
         !T->isIncompleteType() && Ctx.getTypeSize(T) <= 64;
}

uint32_t FuncLowering::temp(StringRef Name, uint8_t Flags) {
  Fn = &Unit.U->funcs.v[FnIndex];
  return ks_func_place(Unit.U, Fn, Name.str().c_str(), Flags);
}

// KS_NONE: not followed.
uint32_t FuncLowering::placeOf(const VarDecl *V) {
  V = V->getCanonicalDecl();
  auto It = Places.find(V);
  if (It != Places.end())
    return It->second;
  uint32_t P = KS_NONE;
  if (V->hasLocalStorage() && followed(V->getType()) &&
      !V->getType().isVolatileQualified())
    P = temp(V->getNameAsString(),
             EscapedVars.count(V) ? KS_PLACE_ESCAPED : 0);
  else if (V->hasLocalStorage() && Unit.isSimdType(V->getType(), F))
    P = temp(V->getNameAsString(), KS_PLACE_VECTOR);
  Places[V] = P;
  return P;
}

// The vector local that lvalue E is (a part of).
uint32_t FuncLowering::vectorPlace(const Expr *E, bool &Found) {
  Found = false;
  E = E->IgnoreParens();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    if (A->getBase()->getType()->isVectorType())
      E = A->getBase()->IgnoreParenImpCasts();
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  if (!V || !V->hasLocalStorage() || !Unit.isSimdType(V->getType(), F))
    return KS_NONE;
  Found = true;
  return placeOf(V);
}

// V as what is kept in a place of type T, or in any.  From 32 bits on it is a
// copy: to widen keeps the value.
ks_val FuncLowering::kept(const Val &V, QualType T) {
  if (T.isNull())
    return toKs(V, 0);
  return toKs(V, followed(T) ? std::min(32u, width(T)) : 32);
}

// --- derived places -----------------------------------------------------------------

// A text that equal expressions share, and what they depend on.  LVALUE: E
// names memory or a variable; else its value is read.
bool FuncLowering::key(const Expr *E, std::string &Out, Derived &D, bool LValue,
                       bool &Esc, bool &Vol, int Depth) {
  if (Depth > 8 || Out.size() > 400)
    return false;
  E = E->IgnoreParens();
  if (E->getType().isVolatileQualified())
    return false;
  auto Sub = [&](const Expr *X, bool L) {
    return key(X, Out, D, L, Esc, Vol, Depth + 1);
  };
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_LValueToRValue)
      return Sub(C->getSubExpr(), true);
    if (E->getType()->isFloatingType() || E->getType()->isVectorType() ||
        C->getSubExpr()->getType()->isFloatingType())
      return false;
    if (C->getCastKind() == CK_IntegralCast) {
      Out += "(" + std::to_string(width(E->getType())) + ")";
    }
    return Sub(C->getSubExpr(),
               C->getCastKind() == CK_ArrayToPointerDecay || LValue);
  }
  if (const auto *R = dyn_cast<DeclRefExpr>(E)) {
    if (const auto *K = dyn_cast<EnumConstantDecl>(R->getDecl())) {
      Out += std::to_string(bits64(K->getInitVal()));
      return true;
    }
    const auto *V = dyn_cast<VarDecl>(R->getDecl());
    if (!V || V->getType().isVolatileQualified())
      return false;
    V = V->getCanonicalDecl();
    if (Unit.isSimdType(V->getType(), F))
      return false;
    Out += "v" + std::to_string(reinterpret_cast<uintptr_t>(V));
    if (!LValue)
      return true;
    if (V->hasLocalStorage()) {
      D.Vars.push_back(V);
      Esc |= EscapedVars.count(V) != 0;
    } else if (!V->getType().isConstQualified() &&
               !V->getType()->isArrayType()) {
      D.Memory = true;
      Vol = true;
    }
    return true;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const auto *Fd = dyn_cast<FieldDecl>(M->getMemberDecl());
    const VarDecl *W = aliased(M);
    bool Arrow = M->isArrow() && !W;
    if (W) {
      Out += "v" + std::to_string(reinterpret_cast<uintptr_t>(W));
      D.Vars.push_back(W);
      Esc |= EscapedVars.count(W) != 0;
    }
    if (!Fd || (!W && !Sub(M->getBase(), !Arrow)))
      return false;
    Out += (Arrow ? ">" : ".") +
           std::to_string(reinterpret_cast<uintptr_t>(Fd->getCanonicalDecl()));
    if (Arrow) {
      D.Fields.push_back(Fd);
      D.Memory = true;
      QualType P = M->getBase()->getType()->getPointeeType();
      if (!P.isConstQualified())
        Vol = true;
    } else {
      D.Fields.push_back(Fd);
    }
    return true;
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    if (A->getBase()->getType()->isVectorType() || !Sub(A->getBase(), true))
      return false;
    Out += "[";
    if (!Sub(A->getIdx(), false))
      return false;
    Out += "]";
    D.Memory = true;
    if (!A->getType().isConstQualified())
      Vol = true;
    return true;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    switch (U->getOpcode()) {
    case UO_Deref:
      if (const Expr *X = behindAddress(U); X != U)
        return Sub(X, true);
      Out += "*";
      D.Memory = true;
      if (!U->getType().isConstQualified())
        Vol = true;
      return Sub(U->getSubExpr(), false);
    case UO_AddrOf: {
      Out += "&";
      // An address, no read: what the path reads of pointers does count.
      return Sub(U->getSubExpr(), true);
    }
    case UO_Minus: case UO_Not: case UO_LNot: case UO_Plus:
      Out += UnaryOperator::getOpcodeStr(U->getOpcode());
      return Sub(U->getSubExpr(), false);
    default:
      return false;
    }
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp() || B->isCommaOp() || B->isLogicalOp())
      return false;
    Out += "(";
    if (!Sub(B->getLHS(), false))
      return false;
    Out += BinaryOperator::getOpcodeStr(B->getOpcode());
    if (!Sub(B->getRHS(), false))
      return false;
    Out += ")";
    return true;
  }
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    // A result is good for as long as its call is not done again.
    auto It = Values.find(C);
    if (It == Values.end() || It->second.K != Val::Place ||
        !followed(C->getType()))
      return false;
    D.Results.push_back(It->second.Ref);
    Out += "c" + std::to_string(It->second.Ref);
    return true;
  }
  Expr::EvalResult R;
  if (E->getType()->isIntegralOrEnumerationType() &&
      E->EvaluateAsInt(R, Ctx)) {
    Out += std::to_string(bits64(R.Val.getInt()));
    return true;
  }
  return false;
}

uint32_t FuncLowering::derivedPlace(const std::string &Key, Derived D,
                                    bool Esc, bool Vol, StringRef Name) {
  auto [It, New] = DerivedByKey.try_emplace(Key, KS_NONE);
  if (New) {
    D.Place = temp(Name, (Esc ? KS_PLACE_ESCAPED : 0) |
                             (Vol ? KS_PLACE_MEMORY : 0));
    D.Memory &= Vol;
    Deriveds.push_back(D);
    It->second = D.Place;
  }
  return It->second;
}

Val FuncLowering::derived(const Expr *E) {
  if (!followed(E->getType()))
    return Val();
  std::string Key;
  Derived D;
  bool Esc = false, Vol = false;
  if (!key(E, Key, D, E->isLValue(), Esc, Vol, 0))
    return Val();
  std::string Name = DerivedByKey.count(Key) ? "" : Unit.text(E);
  return Val::place(derivedPlace(Key, D, Esc, Vol, Name),
                    width(E->getType()),
                    !E->getType()->isSignedIntegerOrEnumerationType());
}

// --- evaluation ----------------------------------------------------------------------

Val FuncLowering::readLValue(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
      if (V->hasLocalStorage()) {
        auto It = Bound.find(V);
        if (It != Bound.end())
          return It->second;
        uint32_t P = placeOf(V);
        if (P == KS_NONE || !followed(V->getType()))
          return Val();
        return Val::place(P, width(V->getType()),
                          !V->getType()->isSignedIntegerOrEnumerationType());
      }
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    if (B->isAssignmentOp())
      return readLValue(B->getLHS());
  return derived(E);
}

Val FuncLowering::evalCast(const CastExpr *C) {
  const Expr *Sub = C->getSubExpr();
  Val V;
  switch (C->getCastKind()) {
  case CK_LValueToRValue:
    return readLValue(Sub);
  case CK_FunctionToPointerDecay: case CK_BuiltinFnToFnPtr:
    if (const FunctionDecl *Fd = functionOf(Sub)) {
      V.K = Val::Sym;
      V.Ref = Unit.symOf(Fd);
    }
    return V;
  case CK_NullToPointer:
    return Val::constant(0);
  case CK_NoOp: case CK_BitCast: case CK_PointerToIntegral:
  case CK_IntegralToPointer: case CK_AddressSpaceConversion:
    V = eval(Sub);
    if (V.K == Val::Place && followed(C->getType()) &&
        width(C->getType()) < V.Bits)
      V.Bits = width(C->getType());
    return V;
  case CK_IntegralToBoolean: case CK_PointerToBoolean:
    return toBool(eval(Sub));
  case CK_IntegralCast: {
    V = eval(Sub);
    unsigned W = width(C->getType()), From = width(Sub->getType());
    bool Zext = !C->getType()->isSignedIntegerOrEnumerationType();
    if (V.K == Val::Const) {
      V.Num &= maskOf(W);
      if (!Zext && W < 64 && (V.Num >> (W - 1) & 1))
        V.Num |= ~maskOf(W);
    } else if (V.K == Val::Place && W <= V.Bits) {
      V.Bits = W;
      V.Zext = Zext;
    } else if (V.K == Val::Place && !V.Zext && V.Bits < From && From < W &&
               !Sub->getType()->isSignedIntegerOrEnumerationType()) {
      V = Val(); // copies of the highest bit, then zeroes
    } else if (V.K == Val::Sym) {
      V = Val();
    }
    return V;
  }
  default:
    return V;
  }
}

static Cmp cmpOf(BinaryOperatorKind Op) {
  switch (Op) {
  case BO_EQ: return Cmp::Eq;
  case BO_NE: return Cmp::Ne;
  case BO_LT: return Cmp::Lt;
  case BO_LE: return Cmp::Le;
  case BO_GT: return Cmp::Gt;
  default: return Cmp::Ge;
  }
}

// Not of <=>, which C has not.
Val FuncLowering::comparison(const BinaryOperator *B) {
  QualType T = B->getLHS()->getType();
  if (B->getOpcode() == BO_Cmp)
    return Val();
  // x + k, which wraps around.
  const auto *A = dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenImpCasts());
  Expr::EvalResult K;
  if (A && A->isAdditiveOp() && A->getType()->isUnsignedIntegerType() &&
      T->isUnsignedIntegerType() && width(A->getType()) == width(T) && A->getRHS()->EvaluateAsInt(K, Ctx)) {
    Val V = eval(A->getLHS());
    if (V.K == Val::Place && V.Bits == width(T) && V.Bits >= 32) {
      uint64_t By = bits64(K.Val.getInt());
      By = A->getOpcode() == BO_Add ? By : -By;
      V = compare(cmpOf(B->getOpcode()), false, V, eval(B->getRHS()), V.Bits);
      if (V.K == Val::Test)
        V.Iv = interval(V.Iv.lo - By, V.Iv.hi - By, V.Iv.bits);
      return V;
    }
  }
  return compare(cmpOf(B->getOpcode()), T->isSignedIntegerOrEnumerationType(),
                 eval(B->getLHS()), eval(B->getRHS()),
                 std::min<unsigned>(width(T), 64));
}

Val FuncLowering::evalBinary(const BinaryOperator *B) {
  if (B->isCommaOp())
    return eval(B->getRHS());
  if (B->isAssignmentOp())
    return readLValue(B->getLHS());
  if (B->isComparisonOp()) {
    Val V = comparison(B);
    if (V.K != Val::Unknown)
      return V;
  }
  if (B->isLogicalOp() && !Bound.empty())
    return either(eval(B->getLHS()), eval(B->getRHS()),
                  B->getOpcode() == BO_LAnd);
  // x ^ 1 and the like are left to derived places.
  return Val();
}

Val FuncLowering::eval(const Expr *E) {
  E = E->IgnoreParens();
  auto It = Values.find(E);
  if (It != Values.end())
    return It->second;
  Val V;
  if (const auto *K = dyn_cast<ConstantExpr>(E))
    return eval(K->getSubExpr());
  if (const auto *O = dyn_cast<OpaqueValueExpr>(E))
    return O->getSourceExpr() ? eval(O->getSourceExpr()) : V;
  if (const auto *I = dyn_cast<IntegerLiteral>(E)) {
    const llvm::APInt &N = I->getValue();
    return N.getBitWidth() <= 64
               ? Val::constant(I->getType()->isSignedIntegerType()
                                   ? (uint64_t)N.getSExtValue()
                                   : N.getZExtValue())
               : V;
  }
  if (const auto *C = dyn_cast<CastExpr>(E))
    V = evalCast(C);
  else if (const auto *B = dyn_cast<BinaryOperator>(E))
    V = evalBinary(B);
  else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_LNot)
      V = negate(eval(U->getSubExpr()));
    else if (U->getOpcode() == UO_Plus || U->getOpcode() == UO_Extension)
      V = eval(U->getSubExpr());
    else if (U->getOpcode() == UO_PreInc || U->getOpcode() == UO_PreDec)
      V = readLValue(U->getSubExpr());
    else if (U->getOpcode() == UO_AddrOf)
      if (const FunctionDecl *Fd = functionOf(U->getSubExpr())) {
        V.K = Val::Sym;
        V.Ref = Unit.symOf(Fd);
      }
    if (U->isPostfix())
      return V;
  } else if (const auto *C = dyn_cast<CallExpr>(E)) {
    unsigned Id = C->getBuiltinCallee();
    if (Id == Builtin::BI__builtin_expect ||
        Id == Builtin::BI__builtin_expect_with_probability)
      return eval(C->getArg(0));
  } else if (const auto *S = dyn_cast<StmtExpr>(E)) {
    const CompoundStmt *B = S->getSubStmt();
    const Stmt *Last = B->body_empty() ? nullptr : B->body_back();
    while (const auto *L = dyn_cast_or_null<ValueStmt>(Last)) {
      if (const Expr *X = L->getExprStmt())
        return eval(X);
      break;
    }
    return V;
  } else if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    if (isa<FunctionDecl>(D->getDecl())) {
      V.K = Val::Sym;
      V.Ref = Unit.symOf(cast<FunctionDecl>(D->getDecl()));
      return V;
    }
    if (E->isLValue())
      return V;
  }
  if (V.K != Val::Unknown)
    return V;
  Expr::EvalResult R;
  if (!E->isLValue() && E->getType()->isIntegralOrEnumerationType() &&
      !E->isValueDependent() && E->EvaluateAsInt(R, Ctx)) {
    const llvm::APSInt &N = R.Val.getInt();
    if (N.getBitWidth() <= 64)
      return Val::constant(N.isSigned() ? (uint64_t)N.getSExtValue()
                                        : N.getZExtValue());
    return V;
  }
  if (!E->isLValue())
    V = derived(E);
  return V;
}

// --- CPU features ----------------------------------------------------------------------

// The variable of an asm operand, looking through casts and &.
static const VarDecl *varOf(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

// Where bits come from; SHIFT: bit 0 of E is that bit of it.
Origin FuncLowering::originOf(const Expr *E, uint64_t &Shift) {
  E = E->IgnoreParenCasts();
  Origin O;
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    Expr::EvalResult R;
    if (B->getOpcode() == BO_Shr && B->getRHS()->EvaluateAsInt(R, Ctx)) {
      Shift += bits64(R.Val.getInt());
      return originOf(B->getLHS(), Shift);
    }
    return O;
  }
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Fd = C->getDirectCallee();
    if (!Fd || !Fd->hasBody())
      return O;
    O = Unit.cpuid(Fd).Ret;
    if (O.LeafParam >= 0 && (unsigned)O.LeafParam < C->getNumArgs()) {
      Expr::EvalResult R;
      if (!C->getArg(O.LeafParam)->EvaluateAsInt(R, Ctx))
        return Origin();
      O.Leaf = bits64(R.Val.getInt());
      O.LeafParam = -1;
    }
    return O;
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    const VarDecl *V = varOf(A->getBase());
    Expr::EvalResult R;
    if (V && A->getIdx()->EvaluateAsInt(R, Ctx)) {
      auto It = ElemOrigins.find(
          {V->getCanonicalDecl(), (unsigned)bits64(R.Val.getInt())});
      if (It != ElemOrigins.end())
        return It->second;
    }
    return O;
  }
  if (const VarDecl *V = varOf(E)) {
    auto It = Origins.find(V->getCanonicalDecl());
    if (It != Origins.end())
      return It->second;
    if (V->hasGlobalStorage() && followed(V->getType())) {
      O.K = Origin::Var;
      O.V = V;
    }
  }
  return O;
}

// V is set to FROM, and what that came from.
void FuncLowering::origin(const VarDecl *V, const Expr *From) {
  uint64_t Shift = 0;
  Origin O = originOf(From, Shift);
  if (O.K != Origin::None && Shift == 0)
    Origins[V->getCanonicalDecl()] = O;
  else
    Origins.erase(V->getCanonicalDecl());
}

// do_cpuid(1, regs), and what sets a variable: where its bits come from.
void FuncLowering::track(const Stmt *S) {
  if (const auto *A = dyn_cast<GCCAsmStmt>(S)) {
    cpuidAsm(A);
    return;
  }
  if (const auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X))
        if (V->getInit())
          origin(V, V->getInit());
    return;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(S)) {
    if (const VarDecl *V = varOf(B->getLHS()))
      if (B->getOpcode() == BO_Assign)
        origin(V, B->getRHS());
    return;
  }
  const auto *E = dyn_cast<CallExpr>(S);
  const FunctionDecl *Callee = E ? E->getDirectCallee() : nullptr;
  if (!Callee || !Callee->hasBody())
    return;
  const CpuidSummary &Sum = Unit.cpuid(Callee);
  if (Sum.OutParam < 0 || (unsigned)Sum.OutParam >= E->getNumArgs())
    return;
  const Expr *Out = E->getArg(Sum.OutParam)->IgnoreParenCasts();
  const VarDecl *V = varOf(Out);
  for (unsigned I = 0; V && I < 4; I++) {
    Origin O = Sum.Out[I];
    Expr::EvalResult R;
    if (O.LeafParam >= 0 && (unsigned)O.LeafParam < E->getNumArgs() &&
        E->getArg(O.LeafParam)->EvaluateAsInt(R, Ctx)) {
      O.Leaf = bits64(R.Val.getInt());
      O.LeafParam = -1;
    }
    ElemOrigins[{V->getCanonicalDecl(), I}] = O;
  }
}

// What the CPU is known to have where E is TRUE.
std::vector<Gate> FuncLowering::gatesOf(const Expr *E, bool True) {
  E = E->IgnoreParenCasts();
  std::vector<Gate> Out;
  auto Add = [&](const std::vector<Gate> &More) {
    Out.insert(Out.end(), More.begin(), More.end());
  };
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_LNot)
      return gatesOf(U->getSubExpr(), !True);
  } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->getOpcode() == (True ? BO_LAnd : BO_LOr)) {
      Add(gatesOf(B->getLHS(), True));
      Add(gatesOf(B->getRHS(), True));
      return Out;
    }
    // f() != 0
    Expr::EvalResult R;
    if (B->isEqualityOp() && isa<CallExpr>(B->getLHS()->IgnoreParenCasts()) &&
        B->getRHS()->EvaluateAsInt(R, Ctx) && R.Val.getInt().isZero())
      return gatesOf(B->getLHS(), True == (B->getOpcode() == BO_NE));
  } else if (const auto *C = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Callee = C->getDirectCallee();
    unsigned Id = C->getBuiltinCallee();
    if (Id == Builtin::BI__builtin_expect)
      return gatesOf(C->getArg(0), True);
    if (!Id && Callee && Callee->hasBody())
      return Unit.predicate(Callee, True);
  } else if (const VarDecl *V = varOf(E)) {
    // A local that is set once.
    if (V->hasLocalStorage() && V->getInit() &&
        !Assigned.count(V->getCanonicalDecl()))
      return gatesOf(V->getInit(), True);
  }
  bool Negative = false;
  std::optional<Gate> G = gateOf(E, Negative);
  if (G && Negative != True)
    Out.push_back(*G);
  return Out;
}

// The value of S, if all it does is to return it.
const Expr *returned(const Stmt *S) {
  if (const auto *B = dyn_cast<CompoundStmt>(S))
    S = B->size() == 1 ? B->body_front() : S;
  const auto *R = dyn_cast<ReturnStmt>(S);
  return R ? R->getRetValue() : nullptr;
}

// A function that tests features: statements, "if (no) return 0;", and a last
// return.  Of others nothing is known.
const std::vector<Gate> &UnitLowering::predicate(const FunctionDecl *F,
                                                 bool True) {
  F = F->getCanonicalDecl();
  auto [It, New] = Predicates.try_emplace({F, True});
  const FunctionDecl *Def = nullptr;
  if (!New || !F->hasBody(Def))
    return It->second;
  FuncLowering L(*this, Def);
  std::vector<Gate> Out;
  L.prescan();
  for (const Stmt *S : cast<CompoundStmt>(Def->getBody())->body()) {
    Expr::EvalResult R;
    std::vector<Gate> More;
    if (const auto *I = dyn_cast<IfStmt>(S)) {
      const Expr *V = returned(I->getThen());
      if (I->getElse() || !V || !V->EvaluateAsInt(R, Ctx))
        break;
      if (R.Val.getInt().isZero() == !True)
        break; // another way to the same result
      More = L.gatesOf(I->getCond(), false);
    } else if (const Expr *V = returned(S)) {
      if (V->EvaluateAsInt(R, Ctx)) {
        if (R.Val.getInt().isZero() == True)
          break;
      } else {
        More = L.gatesOf(V, True);
      }
      Out.insert(Out.end(), More.begin(), More.end());
      Predicates[{F, True}] = Out;
      break;
    } else if (isa<DeclStmt, GCCAsmStmt, Expr, NullStmt>(S)) {
      L.track(S);
      continue;
    } else {
      break;
    }
    Out.insert(Out.end(), More.begin(), More.end());
  }
  return Predicates[{F, True}];
}

// What the CPU is known to have where E is true (NEGATIVE: false).
std::optional<Gate> FuncLowering::gateOf(const Expr *E, bool &Negative) {
  E = E->IgnoreParenCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() != UO_LNot)
      return std::nullopt;
    Negative = !Negative;
    return gateOf(U->getSubExpr(), Negative);
  }
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    unsigned Id = C->getBuiltinCallee();
    if (Id == Builtin::BI__builtin_expect)
      return gateOf(C->getArg(0), Negative);
    if (Id == Builtin::BI__builtin_cpu_supports) {
      const auto *S = dyn_cast<StringLiteral>(C->getArg(0)->IgnoreParenCasts());
      Gate G = {};
      G.G.kind = KS_GATE_FEATURE;
      G.G.mask = S ? Unit.isaOfFeatures(S->getString()) : 0;
      if (G.G.mask)
        return G;
    }
    return std::nullopt;
  }
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return std::nullopt;
  Expr::EvalResult R;
  if (B->isEqualityOp() && B->getRHS()->EvaluateAsInt(R, Ctx)) {
    uint64_t K = bits64(R.Val.getInt());
    const auto *And = dyn_cast<BinaryOperator>(B->getLHS()->IgnoreParenCasts());
    Expr::EvalResult M;
    if (K != 0 && !(And && And->getOpcode() == BO_And &&
                    And->getRHS()->EvaluateAsInt(M, Ctx) &&
                    bits64(M.Val.getInt()) == K))
      return std::nullopt;
    if ((B->getOpcode() == BO_EQ) == (K == 0))
      Negative = !Negative;
    std::optional<Gate> G = gateOf(B->getLHS(), Negative);
    // x & m == m says all bits, x & m != 0 one of them.
    return G;
  }
  if (B->getOpcode() != BO_And || !B->getRHS()->EvaluateAsInt(R, Ctx))
    return std::nullopt;
  uint64_t Shift = 0, Mask = bits64(R.Val.getInt());
  Origin O = originOf(B->getLHS(), Shift);
  if (O.K == Origin::None || O.LeafParam >= 0 || Mask == 0 ||
      (Mask & (Mask - 1)) != 0) // one bit: else any of them may be meant
    return std::nullopt;
  Gate G = {};
  G.G.mask = Mask << Shift;
  switch (O.K) {
  case Origin::Cpuid:
    G.G.kind = KS_GATE_CPUID;
    G.G.leaf = O.Leaf;
    G.G.subleaf = O.Sub;
    G.G.reg = O.Reg;
    break;
  case Origin::Xcr0:
    G.G.kind = KS_GATE_XCR0;
    break;
  default:
    G.G.kind = KS_GATE_VAR;
    G.Var = O.V->getNameAsString();
  }
  return G;
}

// Outputs of a CPUID or XGETBV.
void FuncLowering::cpuidAsm(const GCCAsmStmt *A) {
  std::string T = A->getAsmString()->getString().lower();
  bool Cpuid = T.find("cpuid") != std::string::npos;
  if (!Cpuid && T.find("xgetbv") == std::string::npos)
    return;
  Origin O;
  O.K = Cpuid ? Origin::Cpuid : Origin::Xcr0;
  // An input in %eax, %ecx; "+a" is an output that is an input.
  auto Input = [&](const Expr *E, bool Leaf) {
    Expr::EvalResult R;
    E = E->IgnoreParenImpCasts();
    if (E->EvaluateAsInt(R, Ctx)) {
      (Leaf ? O.Leaf : O.Sub) = bits64(R.Val.getInt());
      return;
    }
    const VarDecl *V = varOf(E);
    if (!V || !Leaf)
      return;
    if (V->getInit() && V->getInit()->EvaluateAsInt(R, Ctx))
      O.Leaf = bits64(R.Val.getInt());
    else if (const auto *P = dyn_cast<ParmVarDecl>(V))
      O.LeafParam = P->getFunctionScopeIndex();
    else if (V->getInit())
      if (const auto *P = dyn_cast_or_null<ParmVarDecl>(varOf(V->getInit())))
        O.LeafParam = P->getFunctionScopeIndex();
  };
  O.LeafParam = -1;
  auto RegOf = [&](StringRef C) -> char {
    C = C.ltrim("=+&%");
    return C.size() == 1 && C[0] >= 'a' && C[0] <= 'd' ? C[0] : 0;
  };
  for (unsigned I = 0; I < A->getNumInputs(); I++) {
    StringRef C = A->getInputConstraint(I);
    char Reg = RegOf(C);
    unsigned N;
    if (!C.getAsInteger(10, N) && N < A->getNumOutputs())
      Reg = RegOf(A->getOutputConstraint(N));
    if (Reg == 'a' || Reg == 'c')
      Input(A->getInputExpr(I), Reg == 'a');
  }
  for (unsigned I = 0; I < A->getNumOutputs(); I++)
    if (A->getOutputConstraint(I).starts_with("+")) {
      char Reg = RegOf(A->getOutputConstraint(I));
      if (Reg == 'a' || Reg == 'c')
        Input(A->getOutputExpr(I), Reg == 'a');
    }
  for (unsigned I = 0; I < A->getNumOutputs(); I++) {
    O.Reg = RegOf(A->getOutputConstraint(I));
    const Expr *E = A->getOutputExpr(I)->IgnoreParenCasts();
    if (!O.Reg)
      continue;
    if (const VarDecl *V = varOf(E)) {
      Origins[V->getCanonicalDecl()] = O;
    } else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      const VarDecl *V = varOf(S->getBase());
      Expr::EvalResult R;
      if (V && S->getIdx()->EvaluateAsInt(R, Ctx))
        ElemOrigins[{V->getCanonicalDecl(),
                     (unsigned)bits64(R.Val.getInt())}] = O;
    }
  }
}

namespace {
struct AsmAndReturn : RecursiveASTVisitor<AsmAndReturn> {
  std::vector<const GCCAsmStmt *> Asms;
  std::vector<const ReturnStmt *> Returns;
  bool VisitGCCAsmStmt(GCCAsmStmt *A) {
    Asms.push_back(A);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *R) {
    Returns.push_back(R);
    return true;
  }
};
} // namespace

// Functions that only wrap the instruction.
CpuidSummary &UnitLowering::cpuid(const FunctionDecl *F) {
  F = F->getCanonicalDecl();
  CpuidSummary &S = Cpuids[F];
  const FunctionDecl *Def = nullptr;
  if (S.Done || !F->hasBody(Def))
    return S;
  S.Done = true;
  AsmAndReturn V;
  V.TraverseStmt(Def->getBody());
  if (V.Asms.empty())
    return S;
  FuncLowering L(*this, Def);
  for (const GCCAsmStmt *A : V.Asms)
    L.cpuidAsm(A);
  CpuidSummary R;
  R.Done = true;
  if (V.Returns.size() == 1 && V.Returns[0]->getRetValue()) {
    const VarDecl *X = varOf(V.Returns[0]->getRetValue());
    auto It = X ? L.Origins.find(X->getCanonicalDecl()) : L.Origins.end();
    if (It != L.Origins.end())
      R.Ret = It->second;
  }
  for (const ParmVarDecl *P : Def->parameters())
    for (unsigned I = 0; I < 4; I++) {
      auto It = L.ElemOrigins.find({P->getCanonicalDecl(), I});
      if (It == L.ElemOrigins.end())
        continue;
      R.OutParam = P->getFunctionScopeIndex();
      R.Out[I] = It->second;
    }
  return Cpuids[F] = R;
}

} // namespace ksimd
