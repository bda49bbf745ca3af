// SPDX-License-Identifier: BSD-2-Clause
//
// Members of local records, through the helpers that scope guards are made of:
// a constructor that returns a record, functions that are given its address.
//
// 1. A member of a local record is a derived place (value.cpp), set where the
//    record is initialised, assigned or copied.  A local pointer that is
//    always &record names the same members.
// 2. What a function of the unit reads of p->m or *p, p a parameter, is a
//    parameter of its own, behind the real ones; a call that is given the
//    address of a local passes what that holds.  Inside, it is the derived
//    place p->m, so that whatever changes that ends it.  Only functions that
//    nothing but the direct calls of this unit can reach have such parameters
//    in the end.
// 3. A function that only reads through its parameter leaves the local alone.
// 4. A record returned by value is followed as its first scalar member.
// 5. A call of a function that only returns a test of an argument is that test.
// 6. The address of an object is neither null nor in the last 4095 bytes,
//    where kernels keep the numbers of errors.
//
// Limits: members of members and of unions; values that may not fit into a
// bit-field; more than the 8 parameters that the engine keeps facts for; what a
// function reads behind a call of its own that may change memory.
#include "flow.h"

using namespace clang;

namespace ksimd {

static const Expr *stripPointer(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    const auto *C = dyn_cast<CastExpr>(E);
    if (!C || (C->getCastKind() != CK_BitCast && C->getCastKind() != CK_NoOp))
      return E;
    E = C->getSubExpr();
  }
}

// The variable that E is the value of, a pointer.
static const DeclRefExpr *pointerRef(const Expr *E) {
  const auto *C = dyn_cast<CastExpr>(stripPointer(E));
  if (!C || C->getCastKind() != CK_LValueToRValue)
    return nullptr;
  const auto *D = dyn_cast<DeclRefExpr>(C->getSubExpr()->IgnoreParens());
  return D && isa<VarDecl>(D->getDecl()) && D->getType()->isPointerType()
             ? D
             : nullptr;
}

// The local that E is the address of.
static const VarDecl *localAt(const Expr *E) {
  const auto *U = dyn_cast<UnaryOperator>(stripPointer(E));
  if (!U || U->getOpcode() != UO_AddrOf)
    return nullptr;
  const auto *D = dyn_cast<DeclRefExpr>(U->getSubExpr()->IgnoreParens());
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && !V->getType().isVolatileQualified()
             ? V->getCanonicalDecl()
             : nullptr;
}

static const RecordDecl *recordOf(QualType T) {
  const RecordDecl *R = T->getAsRecordDecl();
  return R && !R->isUnion() && R->getDefinition() ? R->getDefinition()
                                                  : nullptr;
}

const Expr *behindAddress(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    const auto *D = dyn_cast<UnaryOperator>(E);
    if (!D || D->getOpcode() != UO_Deref)
      return E;
    const auto *A = dyn_cast<UnaryOperator>(D->getSubExpr()->IgnoreParens());
    if (!A || A->getOpcode() != UO_AddrOf)
      return E;
    E = A->getSubExpr();
  }
}

const VarDecl *aliasTarget(const VarDecl *V) {
  if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !V->getInit() ||
      !V->getType()->isPointerType())
    return nullptr;
  const VarDecl *W = localAt(V->getInit());
  const RecordDecl *R = W ? recordOf(W->getType()) : nullptr;
  return R && R == recordOf(V->getType()->getPointeeType()) ? W : nullptr;
}

// --- what a function reads through its pointers ----------------------------------

namespace {
// How pointers are used.  A parent is seen before its parts.
class PointerUses : public RecursiveASTVisitor<PointerUses> {
public:
  PointerUses(UnitLowering &U, Reads &R, unsigned Depth)
      : U(U), R(R), Depth(Depth) {}
  bool TraverseTypeLoc(TypeLoc) { return true; } // typeof: no value

  bool VisitCastExpr(CastExpr *C) {
    if (C->getCastKind() == CK_LValueToRValue)
      access(C->getSubExpr(), false);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      access(B->getLHS(), true);
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    const FunctionDecl *G = C->getDirectCallee();
    for (unsigned I = 0; G && I < C->getNumArgs(); I++) {
      const DeclRefExpr *D = pointerRef(C->getArg(I));
      if (!D)
        continue;
      const Reads &Of = U.reads(G, Depth + 1);
      if (Of.readOnly(I))
        Ok.insert(D);
      for (const Read &X : Of.Pseudo)
        if (X.Param == I)
          add(D, X.Field, X.Bits);
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) {
    if (!Ok.count(D))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        if (V->hasLocalStorage() && V->getType()->isPointerType())
          R.Other.insert(V->getCanonicalDecl());
    return true;
  }

private:
  void access(const Expr *L, bool Write) {
    L = behindAddress(L);
    QualType T = L->getType();
    bool Nested = !U.followed(T) || T.isVolatileQualified();
    const auto *M = dyn_cast<MemberExpr>(L);
    while (M && !M->isArrow()) {
      Nested = true;
      L = M->getBase()->IgnoreParens();
      M = dyn_cast<MemberExpr>(L);
    }
    const DeclRefExpr *D = nullptr;
    const FieldDecl *F = nullptr;
    if (M) {
      F = dyn_cast<FieldDecl>(M->getMemberDecl());
      D = pointerRef(M->getBase());
    } else if (const auto *O = dyn_cast<UnaryOperator>(L)) {
      if (O->getOpcode() == UO_Deref)
        D = pointerRef(O->getSubExpr());
    }
    if (!D || (M && !F))
      return;
    // Of an alias, members are all that is followed.
    QualType To = D->getType()->getPointeeType();
    if (M ? !To->isVoidType() && recordOf(To) != M->getMemberDecl()
                                                     ->getDeclContext()
          : !isa<ParmVarDecl>(D->getDecl()))
      return;
    Ok.insert(D);
    if (Write)
      R.Written.insert(cast<VarDecl>(D->getDecl())->getCanonicalDecl());
    else if (!Nested && !isFunctionPointer(T)) // found by keys
      add(D, F, U.Ctx.getTypeSize(T));
  }
  void add(const DeclRefExpr *D, const FieldDecl *F, unsigned Bits) {
    const auto *P = dyn_cast<ParmVarDecl>(D->getDecl());
    if (!P)
      return;
    Read X = {P->getFunctionScopeIndex(), F ? F->getCanonicalDecl() : nullptr,
              Bits};
    for (const Read &Y : R.Pseudo)
      if (Y.Param == X.Param && Y.Field == X.Field && Y.Bits == X.Bits)
        return;
    R.Pseudo.push_back(X);
  }

  UnitLowering &U;
  Reads &R;
  unsigned Depth;
  llvm::DenseSet<const Expr *> Ok;
};
} // namespace

bool Reads::readOnly(unsigned I) const {
  if (!Def || I >= Def->getNumParams())
    return false;
  const VarDecl *P = Def->getParamDecl(I)->getCanonicalDecl();
  return !Other.count(P) && !Written.count(P);
}

// Functions that call each other know nothing of each other.
const Reads &UnitLowering::reads(const FunctionDecl *F, unsigned Depth) {
  static const Reads None;
  const FunctionDecl *Def = nullptr;
  if (Depth > 8 || F->getBuiltinID() || !F->hasBody(Def) || isIntrinsic(Def) ||
      F->getMostRecentDecl()->hasAttr<WeakAttr>())
    return None;
  auto [It, New] = AllReads.try_emplace(Def->getCanonicalDecl());
  if (!New)
    return It->second;
  Reads R;
  PointerUses(*this, R, Depth).TraverseStmt(Def->getBody());
  R.Def = Def;
  // Others call it with what arguments they like.
  if (Def->isVariadic() || !Def->hasPrototype() ||
      (Def->isExternallyVisible() && Ctx.DeclMustBeEmitted(Def)))
    R.Pseudo.clear();
  size_t Room = Def->getNumParams() < 8 ? 8 - Def->getNumParams() : 0;
  if (R.Pseudo.size() > Room)
    R.Pseudo.resize(Room);
  return It->second = std::move(R);
}

void UnitLowering::dropPseudo() {
  for (const auto &P : PseudoParams) {
    ks_func &Fn = U->funcs.v[P.Func];
    if (!Passed.count(Fn.sym) ||
        (U->syms.v[Fn.sym].flags & KS_SYM_ADDR_TAKEN))
      Fn.params.n = P.Real;
  }
}

// --- members ------------------------------------------------------------------------

void FuncLowering::aliases(const Prescan &P) {
  const Reads &R = Unit.reads(F);
  for (auto [V, W] : P.Aliases) {
    bool Changes = Assigned.lookup(V) != 0;
    if (!Changes)
      Alias[V] = W;
    if (Changes || R.Other.count(V) || !R.Def)
      EscapedVars.insert(W);
  }
}

// The local that M, of a pointer, is a member of.
const VarDecl *FuncLowering::aliased(const MemberExpr *M) {
  const DeclRefExpr *D = M->isArrow() ? pointerRef(M->getBase()) : nullptr;
  auto It = D ? Alias.find(cast<VarDecl>(D->getDecl())->getCanonicalDecl())
              : Alias.end();
  return It != Alias.end() && recordOf(It->second->getType()) ==
                                  M->getMemberDecl()->getDeclContext()
             ? It->second
             : nullptr;
}

const VarDecl *FuncLowering::localOf(const MemberExpr *M, bool &Union) {
  const Expr *E = M;
  Union = false;
  while ((M = dyn_cast<MemberExpr>(E))) {
    const auto *Fd = dyn_cast<FieldDecl>(M->getMemberDecl());
    Union |= !Fd || Fd->getParent()->isUnion();
    if (M->isArrow())
      return aliased(M);
    E = M->getBase()->IgnoreParens();
  }
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->hasLocalStorage() ? V->getCanonicalDecl() : nullptr;
}

// V.M; ARROW: V->M, or *V (no M).
Val FuncLowering::member(const VarDecl *V, const FieldDecl *M, bool Arrow,
                         unsigned Bits) {
  auto It = Alias.find(V);
  if (Arrow && M && It != Alias.end()) {
    V = It->second;
    Arrow = false;
  }
  if (V->getType().isVolatileQualified() ||
      (M && (!followed(M->getType()) || M->getType().isVolatileQualified())))
    return Val();
  Derived D;
  D.Vars.push_back(V);
  if (M)
    D.Fields.push_back(M);
  D.Memory = Arrow;
  uint32_t P = derivedPlace(
      memberKey(V, M, Arrow), D, EscapedVars.count(V) != 0,
      Arrow && !V->getType()->getPointeeType().isConstQualified(),
      V->getNameAsString() +
          (M ? (Arrow ? "->" : ".") + M->getNameAsString() : ""));
  return Val::place(P, M ? width(M->getType()) : Bits,
                    M && !M->getType()->isSignedIntegerOrEnumerationType());
}

std::string FuncLowering::memberKey(const VarDecl *V, const FieldDecl *M,
                                    bool Arrow) {
  std::string K = "v" + std::to_string(reinterpret_cast<uintptr_t>(V));
  return M ? K + (Arrow ? ">" : ".") +
                 std::to_string(reinterpret_cast<uintptr_t>(M))
           : "*" + K;
}

// What is left of New in M.
Val FuncLowering::fits(const ValueDecl *M, const Val &New) {
  const auto *F = dyn_cast<FieldDecl>(M);
  if (!F || !F->isBitField() || F->getType()->isBooleanType())
    return New;
  unsigned Bits = F->getBitWidthValue(Ctx) -
                  F->getType()->isSignedIntegerOrEnumerationType();
  bool Fits = New.K == Val::Const ? New.Num <= maskOf(Bits)
                                  : New.K == Val::Test && Bits > 0;
  return Fits ? New : Val();
}

// What a record by value is followed as.
const FieldDecl *FuncLowering::carried(QualType T) {
  if (const RecordDecl *R = recordOf(T))
    for (const FieldDecl *M : R->fields())
      if (followed(M->getType()) && !M->getType().isVolatileQualified())
        return M->getCanonicalDecl();
  return nullptr;
}

// Member M of record E.
Val FuncLowering::memberOf(const Expr *E, const FieldDecl *M) {
  E = E->IgnoreParens();
  auto It = Values.find(E);
  if (It != Values.end())
    return carried(E->getType()) == M ? It->second : Val();
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_LValueToRValue || C->getCastKind() == CK_NoOp)
      return memberOf(C->getSubExpr(), M);
  } else if (const auto *L = dyn_cast<CompoundLiteralExpr>(E)) {
    return memberOf(L->getInitializer(), M);
  } else if (const auto *L = dyn_cast<InitListExpr>(E)) {
    if (const InitListExpr *Sem = L->getSemanticForm())
      L = Sem;
    unsigned I = 0;
    for (const FieldDecl *X : M->getParent()->fields()) {
      if (X->isUnnamedBitField())
        continue;
      const Expr *Init = I < L->getNumInits() ? L->getInit(I) : nullptr;
      I++;
      if (X->getCanonicalDecl() == M && Init)
        return isa<ImplicitValueInitExpr>(Init) ? Val::constant(0)
                                                : value(Init);
    }
  } else if (const auto *S = dyn_cast<StmtExpr>(E)) {
    const CompoundStmt *B = S->getSubStmt();
    const auto *Last = B->body_empty() ? nullptr
                                       : dyn_cast<ValueStmt>(B->body_back());
    if (Last && Last->getExprStmt())
      return memberOf(Last->getExprStmt(), M);
  } else if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (V && V->hasLocalStorage())
      return member(V->getCanonicalDecl(), M, false);
  }
  return Val();
}

// Local V, which has just changed, gets the value of record E.
void FuncLowering::setRecord(const VarDecl *V, const Expr *E,
                             SourceLocation L) {
  const RecordDecl *R = recordOf(V->getType());
  unsigned Some = 0;
  if (!R || R != recordOf(E->getType()) || V->getType().isVolatileQualified())
    return;
  for (const FieldDecl *M : R->fields()) {
    if (!followed(M->getType()) || ++Some > 8)
      continue;
    M = M->getCanonicalDecl();
    Val New = fits(M, memberOf(E, M));
    if (New.K == Val::Unknown)
      continue;
    Val P = member(V->getCanonicalDecl(), M, false);
    if (P.K != Val::Place || (New.K != Val::Const && New.Ref == P.Ref))
      continue;
    uint32_t N = add(KS_EV_SET, L);
    Nodes[N].N.dst = P.Ref;
    Nodes[N].N.val = kept(New, M->getType());
  }
}

// --- calls --------------------------------------------------------------------------

// What X reads through an argument that is the address of V.
Val FuncLowering::behind(const VarDecl *V, const Read &X) {
  QualType T = V->getType();
  if (X.Field)
    return recordOf(T) == X.Field->getParent() ? member(V, X.Field, false)
                                               : Val();
  uint32_t P = followed(T) && width(T) == X.Bits ? placeOf(V) : KS_NONE;
  return P != KS_NONE ? Val::place(P, X.Bits) : Val();
}

// Behind the arguments of a call of G: what it reads through them.  V: the
// local whose address is the first one; else E's arguments say it.
void FuncLowering::passMembers(const FunctionDecl *G, const CallExpr *E,
                               const VarDecl *V, std::vector<ks_val> &Args) {
  const Reads &R = Unit.reads(G);
  if (R.Pseudo.empty() || Args.size() != R.Def->getNumParams())
    return;
  bool Any = false;
  for (const Read &X : R.Pseudo) {
    Val New;
    const Expr *A = E ? E->getArg(X.Param) : nullptr;
    const DeclRefExpr *D = A ? pointerRef(A) : nullptr;
    if (A)
      V = localAt(A);
    if (V)
      New = behind(V, X);
    else if (D && cast<VarDecl>(D->getDecl())->hasLocalStorage())
      New = member(cast<VarDecl>(D->getDecl())->getCanonicalDecl(), X.Field,
                   true, X.Bits);
    Any |= New.K != Val::Unknown;
    Args.push_back(toKs(New, std::min(32u, X.Bits)));
  }
  if (Any)
    Unit.Passed.insert(Unit.symOf(G));
}

// Behind the parameters: what is read through them, as it is at the entry.
void FuncLowering::pseudoParams() {
  const Reads &R = Unit.reads(F);
  Fn = &Unit.U->funcs.v[FnIndex];
  if (R.Pseudo.empty() || Fn->params.n != F->getNumParams())
    return;
  Unit.PseudoParams.push_back({FnIndex, Fn->params.n});
  for (const Read &X : R.Pseudo) {
    const VarDecl *P = R.Def->getParamDecl(X.Param)->getCanonicalDecl();
    auto It = DerivedByKey.find(memberKey(P, X.Field, true));
    push(Fn->params) = It == DerivedByKey.end() ? KS_NONE : It->second;
  }
}

// L or R, or (AND) both: tests of one place, if together they are one interval.
Val FuncLowering::either(Val L, Val R, bool And) {
  L = And ? negate(L) : toBool(L);
  R = And ? negate(R) : toBool(R);
  Val V;
  if (L.K == Val::Const || R.K == Val::Const) {
    const Val &K = L.K == Val::Const ? L : R;
    V = K.Num ? K : L.K == Val::Const ? R : L;
  } else if (L.K == Val::Test && R.K == Val::Test && L.Ref == R.Ref &&
             L.Iv.bits == R.Iv.bits) {
    uint64_t M = maskOf(L.Iv.bits);
    for (int I = 0; I < 2 && V.K == Val::Unknown; I++, std::swap(L, R)) {
      // From L's start: R begins inside or next to it, and does not come round.
      uint64_t Len = (L.Iv.hi - L.Iv.lo) & M, At = (R.Iv.lo - L.Iv.lo) & M;
      uint64_t To = (R.Iv.hi - L.Iv.lo) & M;
      if (At <= Len + (Len < M) && To >= At && std::max(Len, To) < M)
        V = Val::test(L.Ref, interval(L.Iv.lo, L.Iv.lo + std::max(Len, To),
                                      L.Iv.bits));
    }
  }
  return And ? negate(V) : V;
}

// What a call of G returns, if that is a test of an argument and nothing else.
Val FuncLowering::said(const FunctionDecl *G, const CallExpr *E) {
  const FunctionDecl *Def = nullptr;
  if (!followed(E->getType()) || !G->hasBody(Def) ||
      G->getMostRecentDecl()->hasAttr<WeakAttr>() || !Def->hasPrototype() ||
      Def->getNumParams() > E->getNumArgs() || !Bound.empty())
    return Val();
  const Expr *X = returned(Def->getBody());
  if (!X || X->HasSideEffects(Ctx))
    return Val();
  llvm::SmallVector<uint32_t, 4> Of;
  for (const ParmVarDecl *P : Def->parameters()) {
    const Expr *A = E->getArg(P->getFunctionScopeIndex());
    Val V = followed(A->getType()) ? eval(A) : Val();
    Bound[P] = V;
    if (V.K == Val::Place)
      Of.push_back(V.Ref);
  }
  Val V = Of.empty() ? Val() : eval(X);
  Bound.clear();
  return V.K == Val::Test && llvm::is_contained(Of, V.Ref) ? V : Val();
}

// V's address went to argument I of G.
void FuncLowering::given(const FunctionDecl *G, unsigned I, const VarDecl *V,
                         SourceLocation L) {
  if (G && Unit.reads(G).readOnly(I))
    return;
  uint32_t P = placeOf(V);
  if (P != KS_NONE && followed(V->getType())) {
    uint32_t K = add(KS_EV_SET, L);
    Nodes[K].N.dst = P;
  }
  kill(KillVar, V->getCanonicalDecl());
}

static bool isObject(const Expr *E) {
  E = stripPointer(E);
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() != UO_AddrOf)
      return false;
    E = U->getSubExpr()->IgnoreParens();
  } else if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() != CK_ArrayToPointerDecay)
      return false;
    E = C->getSubExpr()->IgnoreParens();
  } else {
    return false;
  }
  while (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow())
      return false;
    E = M->getBase()->IgnoreParens();
  }
  if (isa<CompoundLiteralExpr, StringLiteral>(E))
    return true;
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  // A linker may give those of a section any address, per CPU zero.
  return V && (V->hasLocalStorage() ||
               (!V->isWeak() && !V->hasAttr<SectionAttr>()));
}

// E's value, and what its being an address says of it.
Val FuncLowering::value(const Expr *E) {
  Val V = eval(E);
  if (!E->getType()->isPointerType() || !isObject(E))
    return V;
  if (V.K != Val::Place)
    V = Val::place(temp(Unit.text(E)), width(E->getType()));
  uint32_t From = add(KS_EV_NOP, SourceLocation());
  Edge To(newNode(KS_EV_NOP, SourceLocation()));
  To.Cond = V.Ref;
  To.Iv = interval(1, -4096, V.Bits);
  Nodes[From].Succ.push_back(To);
  Cur = To.To;
  return V;
}

} // namespace ksimd
