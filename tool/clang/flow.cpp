// SPDX-License-Identifier: BSD-2-Clause
//
// Where pointers to functions go, so that no address is lost from sight.
//
// 1. Nodes are locals that are pointers to functions, and functions that
//    return one.  What is assigned to a local, or returned, flows into it.
// 2. A parent is seen before its parts, and says where their values go: they
//    are called, tested, passed, stored in a member or variable, or flow into
//    a node.  A node in any other place escapes, and may be changed there.
// 3. When all of the unit is seen: what flows into a node that escapes does
//    so, too.  A function that other units can call, or whose own address is
//    taken, gives what it returns to unknown code.  A node into which
//    something unknown flows is lost: the engine, which follows these values
//    by itself, may not know what is passed on.
// 4. What flows into a node that is stored is stored.
//
// A function that is named elsewhere than in a call has its address taken.
#include "flow.h"

using namespace clang;

namespace ksimd {

// --- expressions -----------------------------------------------------------------

bool isFunctionPointer(QualType T) {
  return !T.isNull() && T.getCanonicalType()->isFunctionPointerType();
}

static const Expr *strip(const Expr *E) {
  for (;;) {
    const Expr *Up = E;
    E = E->IgnoreParens();
    if (const auto *K = dyn_cast<ConstantExpr>(E))
      E = K->getSubExpr();
    if (const auto *O = dyn_cast<OpaqueValueExpr>(E))
      if (O->getSourceExpr())
        E = O->getSourceExpr();
    if (const auto *C = dyn_cast<CastExpr>(E)) {
      const Expr *Sub = C->getSubExpr();
      QualType T = Sub->getType();
      // Between pointers to functions; a variable is read.
      if (isFunctionPointer(C->getType()) &&
          (isFunctionPointer(T) || T->isFunctionType()))
        E = Sub;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      QualType T = U->getSubExpr()->getType();
      if ((U->getOpcode() == UO_AddrOf && T->isFunctionType()) ||
          (U->getOpcode() == UO_Deref && isFunctionPointer(T)))
        E = U->getSubExpr();
    }
    if (E == Up)
      return E;
  }
}

void leaves(const Expr *E, std::vector<const Expr *> &Out) {
  E = strip(E);
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    leaves(C->getTrueExpr(), Out);
    leaves(C->getFalseExpr(), Out);
  } else if (const auto *B = dyn_cast<BinaryConditionalOperator>(E)) {
    leaves(B->getCommon(), Out);
    leaves(B->getFalseExpr(), Out);
  } else if (const auto *O = dyn_cast<BinaryOperator>(E)) {
    if (O->isCommaOp())
      leaves(O->getRHS(), Out);
    else
      Out.push_back(E);
  } else if (const auto *S = dyn_cast<StmtExpr>(E)) {
    const CompoundStmt *C = S->getSubStmt();
    const auto *L = C->body_empty() ? nullptr
                                    : dyn_cast<ValueStmt>(C->body_back());
    if (L && L->getExprStmt())
      leaves(L->getExprStmt(), Out);
  } else {
    Out.push_back(E);
  }
}

const FunctionDecl *functionOf(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (const auto *A = dyn_cast<UnaryOperator>(E))
    if (A->getOpcode() == UO_AddrOf || A->getOpcode() == UO_Deref)
      return functionOf(A->getSubExpr());
  const auto *D = dyn_cast<DeclRefExpr>(E);
  return D ? dyn_cast<FunctionDecl>(D->getDecl()) : nullptr;
}

const VarDecl *instance(const Expr *E, std::string &Path) {
  E = E->IgnoreParenCasts();
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow())
      return nullptr;
    const VarDecl *V = instance(M->getBase(), Path);
    Path += "." + M->getMemberDecl()->getNameAsString();
    return V;
  }
  if (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return instance(S->getBase(), Path);
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->hasGlobalStorage() ? V : nullptr;
}

const FieldDecl *fieldOf(const Expr *E) {
  E = E->IgnoreParenCasts();
  while (const auto *S = dyn_cast<ArraySubscriptExpr>(E))
    E = S->getBase()->IgnoreParenCasts();
  const auto *M = dyn_cast<MemberExpr>(E);
  return M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
}

std::vector<std::string> storeKeys(const Expr *L) {
  std::vector<std::string> Keys;
  std::string Path;
  if (const VarDecl *V = instance(L, Path))
    Keys.push_back("inst:" + V->getNameAsString() + Path);
  if (const FieldDecl *X = fieldOf(L)) {
    std::string K = UnitLowering::fieldKey(X);
    if (!K.empty())
      Keys.push_back(K);
  }
  return Keys;
}

const VarDecl *trackedVar(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(strip(E));
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && isFunctionPointer(V->getType())
             ? V->getCanonicalDecl()
             : nullptr;
}

const FunctionDecl *getterCall(const Expr *E) {
  const auto *C = dyn_cast<CallExpr>(strip(E));
  const FunctionDecl *G = C ? C->getDirectCallee() : nullptr;
  return G && G->hasBody() && isFunctionPointer(C->getType())
             ? G->getCanonicalDecl()
             : nullptr;
}

// --- a body --------------------------------------------------------------------------

const VarDecl *Prescan::base(const Expr *E, bool &Address) {
  E = E->IgnoreParenCasts();
  while (true) {
    if (const auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return nullptr;
      E = M->getBase()->IgnoreParenCasts();
    } else if (const auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase()->IgnoreParenCasts();
    } else if (const auto *A = dyn_cast<UnaryOperator>(E)) {
      if (A->getOpcode() != UO_AddrOf)
        return nullptr;
      Address = true;
      E = A->getSubExpr()->IgnoreParenCasts();
    } else {
      break;
    }
  }
  const auto *D = dyn_cast<DeclRefExpr>(E);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  if (V && V->getType()->isArrayType())
    Address = true;
  return V;
}

void Prescan::makesNoCode(const Stmt *S) {
  NoCode.insert(S);
  for (const Stmt *Child : S->children())
    if (Child)
      makesNoCode(Child);
}

void Prescan::leavesFunction(const Expr *E) {
  bool Address = false;
  const VarDecl *V = base(E, Address);
  if (V && V->hasGlobalStorage() && Address)
    U.tableEscapes(V);
}

void Prescan::mark(const Expr *E, const Dest &D) {
  std::vector<const Expr *> Parts;
  leaves(E, Parts);
  for (const Expr *P : Parts) {
    Dests[P] = D;
    if (D.K == Dest::Node && !functionOf(P) && !trackedVar(P) &&
        !getterCall(P) &&
        !P->isNullPointerConstant(U.Ctx, Expr::NPC_ValueDependentIsNull))
      U.node(D.N).Lost = true;
  }
}

void Prescan::condition(const Expr *E) {
  if (E && isFunctionPointer(E->getType()))
    mark(E, {Dest::Tested, nullptr, {}});
}

// FROM's value is in E.
void Prescan::flow(const Decl *From, const Expr *E) {
  FlowNode &N = U.node(From);
  auto It = Dests.find(E);
  switch (It == Dests.end() ? Dest::None : It->second.K) {
  case Dest::Tested: case Dest::Called:
    break;
  case Dest::Passed:
    N.Passed = true;
    break;
  case Dest::Stored:
    for (const std::string &K : It->second.Keys)
      if (!llvm::is_contained(N.Keys, K))
        N.Keys.push_back(K);
    break;
  case Dest::Node:
    U.node(It->second.N).From.push_back(From);
    break;
  case Dest::None:
    N.Escapes = N.Lost = true;
    break;
  }
}

bool Prescan::VisitDeclRefExpr(DeclRefExpr *D) {
  if (const VarDecl *V = trackedVar(D)) {
    flow(V, D);
    return true;
  }
  const auto *Fd = dyn_cast<FunctionDecl>(D->getDecl());
  if (!Fd || Fd->getBuiltinID())
    return true;
  auto It = Dests.find(D);
  Dest::Kind K = It == Dests.end() ? Dest::None : It->second.K;
  if (K == Dest::Called || K == Dest::Tested)
    return true;
  if (isFunctionPointer(Fd->getReturnType()))
    U.node(Fd->getCanonicalDecl()).Escapes = true;
  if (K == Dest::Node)
    U.node(It->second.N).Functions.push_back({Fd, D->getBeginLoc()});
  U.addrTaken(Fd, false, D->getBeginLoc(), "");
  return true;
}

bool Prescan::VisitUnaryOperator(UnaryOperator *O) {
  bool Address = false;
  if (O->getOpcode() == UO_AddrOf || O->isIncrementDecrementOp())
    if (const VarDecl *V = base(O->getSubExpr(), Address))
      Assigned[V->getCanonicalDecl()] += 2;
  if (O->getOpcode() == UO_AddrOf && !Passed.count(O))
    if (const VarDecl *V = base(O, Address))
      Escaped.insert(V->getCanonicalDecl());
  if (O->getOpcode() == UO_LNot)
    condition(O->getSubExpr());
  return true;
}

bool Prescan::VisitCallExpr(CallExpr *C) {
  mark(C->getCallee(), {Dest::Called, nullptr, {}});
  unsigned I = 0;
  for (const Expr *A : C->arguments()) {
    leavesFunction(A);
    Passed.insert(A->IgnoreParenCasts());
    // The engine follows the first ones, whatever they are cast to.
    const Expr *X = A->IgnoreParenCasts();
    if (I++ < 8 && isFunctionPointer(X->getType()))
      mark(X, {Dest::Passed, nullptr, {}});
  }
  if (const FunctionDecl *G = getterCall(C))
    flow(G, C);
  return true;
}

bool Prescan::VisitReturnStmt(ReturnStmt *R) {
  if (!R->getRetValue())
    return true;
  leavesFunction(R->getRetValue());
  if (isFunctionPointer(F->getReturnType()))
    mark(R->getRetValue(), {Dest::Node, F->getCanonicalDecl(), {}});
  return true;
}

bool Prescan::VisitBinaryOperator(BinaryOperator *B) {
  bool Address = false;
  if (!B->isAssignmentOp()) {
    if (B->isLogicalOp() || B->isComparisonOp()) {
      condition(B->getLHS());
      condition(B->getRHS());
    }
    return true;
  }
  const VarDecl *V = base(B->getLHS(), Address);
  if (V)
    Assigned[V->getCanonicalDecl()]++;
  if (!V || !V->hasLocalStorage())
    leavesFunction(B->getRHS());
  if (const VarDecl *T = trackedVar(B->getLHS())) {
    mark(B->getLHS(), {Dest::Tested, nullptr, {}});
    mark(B->getRHS(), {Dest::Node, T, {}});
  } else if (isFunctionPointer(B->getLHS()->getType())) {
    std::vector<std::string> Keys = storeKeys(B->getLHS());
    bool Leaves = V && V->hasGlobalStorage() && V->isExternallyVisible();
    if (!Keys.empty() && !Leaves)
      mark(B->getRHS(), {Dest::Stored, nullptr, Keys});
  }
  return true;
}

bool Prescan::VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *E) {
  if (E->getKind() == UETT_SizeOf)
    U.byValue(E->getTypeOfArgument(), F->getName(), E->getBeginLoc(),
              "sizeof");
  return true;
}

bool Prescan::VisitVarDecl(VarDecl *V) {
  U.byValue(V->getType(), F->getName(), V->getLocation(),
            "variable '" + V->getNameAsString() + "'");
  // C has only constants here, laid out by the compiler.
  if (V->isStaticLocal() && V->getInit() && !U.Ctx.getLangOpts().CPlusPlus)
    makesNoCode(V->getInit());
  if (const VarDecl *W = aliasTarget(V)) {
    Passed.insert(V->getInit()->IgnoreParenCasts());
    Aliases.push_back({V->getCanonicalDecl(), W});
  }
  if (V->getInit() && V->hasLocalStorage() && isFunctionPointer(V->getType()))
    mark(V->getInit(), {Dest::Node, V->getCanonicalDecl(), {}});
  return true;
}

bool Prescan::VisitStmt(Stmt *S) {
  if (const auto *I = dyn_cast<IfStmt>(S))
    condition(I->getCond());
  else if (const auto *W = dyn_cast<WhileStmt>(S))
    condition(W->getCond());
  else if (const auto *D = dyn_cast<DoStmt>(S))
    condition(D->getCond());
  else if (const auto *L = dyn_cast<ForStmt>(S))
    condition(L->getCond());
  else if (const auto *C = dyn_cast<ConditionalOperator>(S))
    condition(C->getCond());
  return true;
}

bool Prescan::VisitCStyleCastExpr(CStyleCastExpr *C) {
  // "(void)x" says that x is not used.
  const Expr *E = C->getSubExpr()->IgnoreParens();
  const Expr *X = E->IgnoreParenImpCasts();
  if (C->getCastKind() != CK_ToVoid)
    return true;
  condition(E);
  if (isa<DeclRefExpr>(X) && !X->getType().isVolatileQualified())
    makesNoCode(E);
  return true;
}

// --- the unit ------------------------------------------------------------------------

FlowNode &UnitLowering::node(const Decl *D) {
  auto [It, New] = Flow.insert({D, FlowNode()});
  if (New)
    if (const auto *P = dyn_cast<ParmVarDecl>(D); P)
      It->second.Lost = true; // whatever callers pass
  return It->second;
}

// Every function that may be in N's value, by way of other nodes.
void UnitLowering::flowsInto(const Decl *D, llvm::DenseSet<const Decl *> &Seen,
                             std::vector<const FunctionDecl *> &Out) {
  auto It = Flow.find(D);
  if (It == Flow.end() || !Seen.insert(D).second)
    return;
  for (const FlowNode::Named &X : It->second.Functions)
    if (!llvm::is_contained(Out, X.F))
      Out.push_back(X.F);
  for (const Decl *From : It->second.From)
    flowsInto(From, Seen, Out);
}

void UnitLowering::finishFlow() {
  for (auto &[D, N] : Flow)
    if (const auto *G = dyn_cast<FunctionDecl>(D)) {
      const FunctionDecl *Def = nullptr;
      if (!G->hasBody(Def) || Ctx.DeclMustBeEmitted(Def))
        N.Escapes = true; // others get what it returns
    }
  for (bool More = true; More;) {
    More = false;
    for (auto &[D, N] : Flow)
      for (const Decl *From : N.From) {
        FlowNode &S = Flow.find(From)->second;
        if (S.Lost && !N.Lost)
          More = N.Lost = true;
      }
  }
  for (auto &[D, N] : Flow) {
    llvm::DenseSet<const Decl *> Seen;
    std::vector<const FunctionDecl *> All;
    flowsInto(D, Seen, All);
    N.Escapes |= N.Passed && (N.Lost || All.size() > 8);
    for (const std::string &K : N.Keys) {
      for (const FunctionDecl *Fd : All)
        store(K, Fd);
      if (N.Lost)
        store(K, nullptr);
    }
  }
  for (bool More = true; More;) {
    More = false;
    for (auto &[D, N] : Flow)
      for (const Decl *From : N.From) {
        FlowNode &S = Flow.find(From)->second;
        if (N.Escapes && !S.Escapes)
          More = S.Escapes = true;
      }
  }
  for (auto &[D, N] : Flow)
    for (const FlowNode::Named &X : N.Functions)
      if (N.Escapes)
        addrTaken(X.F, true, X.L,
                  isa<FunctionDecl>(D)
                      ? "by return"
                      : "in '" + cast<VarDecl>(D)->getNameAsString() + "'");
}

} // namespace ksimd
