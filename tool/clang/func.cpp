// SPDX-License-Identifier: BSD-2-Clause
//
// One function: from Clang's CFG to nodes and edges.
//
// 1. Blocks are taken in reverse postorder; their statements and expressions
//    come in the order of evaluation, each once.
// 2. A call is a CALL node, a store to a local a SET node, what touches SIMD
//    state a SIMD node, assembly as simd.cpp says.  Neighbouring SIMD events
//    with nothing between them are one node.
// 3. A branch puts its condition on its edges (value.cpp).  && || and ?: that
//    are used as values set a place on each way into the block that goes on.
// 4. Functions of cleanup attributes are called where scopes end, behind the
//    evaluation of a returned value.
// 5. What may change an expression's value is remembered as a node of its
//    own, and becomes SETs to unknown once all such expressions are known.
#include "flow.h"

using namespace clang;

namespace ksimd {

// --- building ------------------------------------------------------------------

uint32_t FuncLowering::newNode(enum ks_event Ev, SourceLocation L) {
  Node N;
  memset(&N.N, 0, sizeof(N.N));
  N.N.ev = Ev;
  N.N.dst = KS_NONE;
  N.N.call = KS_NONE;
  N.N.loc = Unit.loc(L, Ev != KS_EV_NOP && Ev != KS_EV_SET);
  Nodes.push_back(N);
  return Nodes.size() - 1;
}

// Appends to the block.
uint32_t FuncLowering::add(enum ks_event Ev, SourceLocation L) {
  uint32_t N = newNode(Ev, L);
  if (Cur != KS_NONE)
    Nodes[Cur].Succ.push_back(Edge(N));
  return Cur = N;
}

void FuncLowering::kill(KillKind K, const Decl *What) {
  if (Cur != KS_NONE && Nodes[Cur].Kill == K && Nodes[Cur].What == What)
    return;
  uint32_t N = add(KS_EV_NOP, SourceLocation());
  Nodes[N].Kill = K;
  Nodes[N].What = What;
}

void FuncLowering::set(uint32_t P, const Val &V, SourceLocation L) {
  uint32_t N = add(KS_EV_SET, L);
  Nodes[N].N.dst = P;
  Nodes[N].N.val = kept(V, QualType());
}

void FuncLowering::simd(const Simd &S, const Stmt *St, uint32_t Dst,
                        uint32_t Use) {
  if (!S)
    return;
  if (Cur != KS_NONE) {
    ks_node &P = Nodes[Cur].N;
    if (P.ev == S.Event && P.ev == KS_EV_SIMD && Nodes[Cur].Succ.empty() &&
        (P.dst == KS_NONE || Dst == KS_NONE || P.dst == Dst) &&
        (Use == KS_NONE || (P.val.kind == KS_VAL_PLACE && P.val.ref == Use)) &&
        (P.aux & KS_SIMD_PINNED) == (S.Pinned ? KS_SIMD_PINNED : 0)) {
      P.classes |= S.Classes;
      P.isa |= S.Isa;
      if (Dst != KS_NONE)
        P.dst = Dst;
      return;
    }
  }
  uint32_t N = add((enum ks_event)S.Event, St->getBeginLoc());
  ks_node &X = Nodes[N].N;
  if (const auto *B = dyn_cast<BinaryOperator>(St))
    X.loc = Unit.loc(B->getOperatorLoc(), true);
  X.classes = S.Classes;
  X.isa = S.Isa;
  X.dst = Dst;
  X.aux = S.Pinned ? KS_SIMD_PINNED : 0;
  if (Use != KS_NONE) {
    X.val.kind = KS_VAL_PLACE;
    X.val.ref = Use;
  }
  X.text = Unit.str(Unit.text(St));
}

// --- before the walk ---------------------------------------------------------------

void FuncLowering::prescan() {
  Prescan P(Unit, EscapedVars, NoCode, F);
  P.TraverseStmt(F->getBody());
  Assigned = std::move(P.Assigned);
  aliases(P);
}

// --- calls ---------------------------------------------------------------------------

// Where an indirect call's pointer is loaded from, most precise first.
void FuncLowering::calleeKeys(const Expr *Callee, ks_call &C,
                              const std::string &Static) {
  const Expr *E = Callee->IgnoreParenCasts();
  if (const auto *D = dyn_cast<UnaryOperator>(E))
    if (D->getOpcode() == UO_Deref)
      E = D->getSubExpr()->IgnoreParenCasts();
  std::vector<std::string> Keys = storeKeys(E);
  if (!Static.empty())
    Keys.insert(Keys.begin(), Static);
  C.key = Fn->keys.n;
  C.nkey = Keys.size();
  for (const std::string &K : Keys)
    push(Fn->keys) = Unit.str(K);
}

// static_call_update(NAME, f) only stores f where static_call(NAME) finds it;
// f may be in a local of the macro's.
bool FuncLowering::staticUpdate(const CallExpr *E) {
  std::string Key;
  const FunctionDecl *To = nullptr;
  for (const Expr *A : E->arguments()) {
    bool Address = false;
    const VarDecl *V = Prescan::base(A, Address);
    if (V && V->hasGlobalStorage() && Address && Key.empty()) {
      Key = Unit.staticCall(V->getName());
      continue;
    }
    const FunctionDecl *Fd = functionOf(A);
    if (!Fd && V && V->hasLocalStorage() && V->getInit())
      Fd = functionOf(V->getInit());
    if (Fd && Unit.staticCall(Fd->getName()).empty())
      To = Fd;
  }
  if (Key.empty())
    return false;
  Unit.store(Key, To);
  return true;
}

// Locals whose addresses CALLEE gets.
void FuncLowering::give(const CallExpr *E, const FunctionDecl *Callee) {
  for (unsigned I = 0; I < E->getNumArgs(); I++) {
    bool Address = false;
    const VarDecl *V = Prescan::base(E->getArg(I), Address);
    if (V && Address && V->hasLocalStorage())
      given(Callee, I, V, E->getBeginLoc());
  }
}

void FuncLowering::call(const CallExpr *E) {
  const FunctionDecl *Callee = E->getDirectCallee();
  const Expr *Target = E->getCallee();
  if (!Callee)
    Callee = functionOf(Target);
  unsigned Id = Callee ? Callee->getBuiltinID() : 0;
  if (Id) {
    simd(Unit.builtinSimd(E, F), E);
    if (!Ctx.BuiltinInfo.isPredefinedLibFunction(Id)) {
      give(E, nullptr);
      if (Callee->isNoReturn())
        add(KS_EV_END, E->getBeginLoc());
      return;
    }
  }
  if (Callee && Unit.isIntrinsic(Callee)) {
    simd(Unit.intrinsicSimd(Callee), E);
    return;
  }
  bool Abi = false;
  Simd Pass;
  for (const Expr *A : E->arguments())
    if (Simd S = Unit.passSimd(A->getType(), F)) {
      Pass = S;
      Abi = true;
    }
  if (Simd S = Unit.passSimd(E->getType(), F)) {
    Pass = S;
    Abi = true;
  }
  if (!Id)
    simd(Pass, E);
  ks_call C;
  memset(&C, 0, sizeof(C));
  C.sym = Callee ? Unit.symOf(Callee) : KS_NONE;
  C.result = KS_NONE;
  C.abi = Abi && !Id && Unit.lacksRegisters(F);
  C.noreturn = (Callee && Callee->getMostRecentDecl()->isNoReturn());
  if (const auto *FT = Target->getType()->getPointeeType().isNull()
                           ? nullptr
                           : Target->getType()
                                 ->getPointeeType()
                                 ->getAs<FunctionType>())
    C.noreturn |= FT->getNoReturnAttr();
  std::vector<ks_val> Args;
  bool Known = Callee && Callee->hasBody();
  bool Update = staticUpdate(E);
  bool Suspends = Callee && Unit.rule(Callee->getName(), KS_ROLE_SUSPENDS);
  for (const Expr *A : E->arguments()) {
    Val V = !followed(A->getType()) ? Val() : Known ? value(A) : eval(A);
    std::vector<const Expr *> Parts;
    if (A->getType()->isPointerType())
      leaves(A, Parts);
    // The first arguments that are functions, the engine follows.
    bool Lost = (V.K != Val::Sym && V.K != Val::Place) || Args.size() >= 8 ||
                Parts.size() > 8;
    for (const Expr *P : Parts)
      Lost |= Parts.size() > 1 && !functionOf(P) &&
              !P->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNull);
    for (const Expr *P : Parts)
      if (const FunctionDecl *Fd = functionOf(P))
        Unit.addrTaken(Fd, Lost && !Known && !Suspends, A->getBeginLoc(),
                       Callee ? "to '" + Callee->getNameAsString() + "'"
                              : "to an indirect call");
    Args.push_back(kept(Update ? Val() : V, A->getType()));
  }
  if (Known)
    passMembers(Callee, E, nullptr, Args);
  if (Callee)
    C.src = contextSource(E, Callee->getName());
  Val Tv;
  std::string Static;
  if (!Callee)
    Tv = eval(Target);
  if (Tv.K == Val::Sym)
    Static = Unit.staticCall(ks_str(Unit.U->str, Unit.U->syms.v[Tv.Ref].name));
  if (!Static.empty())
    Tv = Val();
  const FieldDecl *M = Known ? carried(E->getType()) : nullptr;
  QualType T = M ? M->getType() : E->getType();
  Val Said = Known && !M ? said(Callee, E) : Val();
  if (Said.K == Val::Test) {
    uint32_t P = temp(Callee->getNameAsString() + "()");
    set(P, Said, E->getBeginLoc());
    Values[E] = Val::place(P, width(T));
  } else if (followed(T)) {
    std::string Name = Callee ? Callee->getNameAsString() : "call";
    C.result = temp(Name + "()");
    Values[E] = Val::place(C.result, width(T),
                           !T->isSignedIntegerOrEnumerationType());
  }
  Fn = &Unit.U->funcs.v[FnIndex];
  C.arg = Fn->args.n;
  C.narg = Args.size();
  for (const ks_val &A : Args)
    push(Fn->args) = A;
  if (!Callee) {
    C.target = kept(Tv, Target->getType());
    calleeKeys(Target, C, Static);
  }
  uint32_t N = add(KS_EV_CALL, E->getBeginLoc());
  Nodes[N].N.call = Fn->calls.n;
  push(Fn->calls) = C;
  auto It = Values.find(E);
  if (It != Values.end()) {
    uint32_t K = add(KS_EV_NOP, SourceLocation());
    Nodes[K].Kill = KillResult;
    Nodes[K].Result = It->second.Ref;
  }
  give(E, Callee);
  track(E);
  if (C.noreturn)
    add(KS_EV_END, E->getBeginLoc());
}

// A variable that has one value wherever the function can name it.
uint32_t FuncLowering::contextSource(const CallExpr *E, StringRef Callee) {
  const ks_rule *R = Unit.rule(Callee, KS_ROLE_ENTER);
  if (!R)
    R = Unit.rule(Callee, KS_ROLE_LEAVE);
  if (!R || R->ctx < 0 || (unsigned)R->ctx >= E->getNumArgs())
    return 0;
  const Expr *A = E->getArg(R->ctx)->IgnoreParenCasts();
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E->getArg(R->ctx)->getSourceRange()),
      Unit.SM, Ctx.getLangOpts());
  if (Range.isInvalid())
    return 0;
  uint32_t Src = Unit.source(Range.getBegin(), Range.getEnd());
  if (R->role == KS_ROLE_LEAVE)
    return Src;
  const auto *D = dyn_cast<DeclRefExpr>(A);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  bool Late = V && V->isLocalVarDecl() && !V->getInit();
  if (!V || Assigned.lookup(V->getCanonicalDecl()) > Late)
    return 0;
  if (V->isLocalVarDecl()) {
    // Declared in the body's outermost block.
    bool Outermost = false;
    for (const Stmt *S : cast<CompoundStmt>(F->getBody())->body())
      if (const auto *DS = dyn_cast<DeclStmt>(S))
        Outermost |= llvm::is_contained(DS->decls(), V);
    if (!Outermost)
      return 0;
  }
  return Src;
}

void FuncLowering::cleanup(const CFGCleanupFunction &C) {
  ks_call K;
  memset(&K, 0, sizeof(K));
  const FunctionDecl *Callee = C.getFunctionDecl();
  const VarDecl *V = C.getVarDecl()->getCanonicalDecl();
  K.sym = Unit.symOf(Callee);
  K.result = KS_NONE;
  std::vector<ks_val> Args = {{KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}}};
  passMembers(Callee, nullptr, V, Args);
  Fn = &Unit.U->funcs.v[FnIndex];
  K.arg = Fn->args.n;
  K.narg = Args.size();
  for (const ks_val &A : Args)
    push(Fn->args) = A;
  // A scope ends at a place that has no text of its own.
  uint32_t N = add(KS_EV_CALL, C.getVarDecl()->getLocation());
  if (RetVal)
    Nodes[N].N.loc = Unit.loc(RetLoc);
  Nodes[N].N.call = Fn->calls.n;
  push(Fn->calls) = K;
  given(Callee, 0, V, SourceLocation());
}

// --- statements -------------------------------------------------------------------------

// A function's address, or something unknown, goes to a pointer in memory.
// What flow.cpp follows, it stores in the end.
void FuncLowering::storePointer(const Expr *L, const Expr *R) {
  if (!isFunctionPointer(L->getType()))
    return;
  std::vector<const Expr *> Parts;
  leaves(R, Parts);
  std::vector<std::string> Keys = storeKeys(L);
  std::string Path;
  const VarDecl *V = instance(L, Path);
  bool Leaves = V && V->isExternallyVisible();
  for (const Expr *P : Parts) {
    const FunctionDecl *Fd = functionOf(P);
    // A copy from the same field adds nothing.
    if (!Fd &&
        (P->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNull) ||
         (fieldOf(P) && fieldOf(P) == fieldOf(L)) ||
         (!Leaves && (trackedVar(P) || getterCall(P)))))
      continue;
    for (const std::string &K : Keys)
      Unit.store(K, Fd);
    if (Fd)
      Unit.addrTaken(Fd, Leaves, L->getBeginLoc(),
                     V ? "in '" + V->getNameAsString() + "'" : "");
  }
}

void FuncLowering::assign(const Expr *L, const Expr *R, SourceLocation Loc,
                          bool Compound) {
  const Expr *Lhs = L->IgnoreParens();
  const auto *D = dyn_cast<DeclRefExpr>(Lhs);
  const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
  Val New = Compound || !R ? Val() : value(R);
  if (R && !Compound)
    storePointer(L, R);
  if (V && V->hasLocalStorage()) {
    uint32_t P = placeOf(V);
    if (P != KS_NONE && followed(V->getType())) {
      uint32_t N = add(KS_EV_SET, Loc);
      Nodes[N].N.dst = P;
      Nodes[N].N.val = kept(New, V->getType());
      // x = x + 1 must not be x.
      if (Nodes[N].N.val.kind == KS_VAL_PLACE && Nodes[N].N.val.ref == P)
        Nodes[N].N.val.kind = KS_VAL_UNKNOWN;
    }
    kill(KillVar, V->getCanonicalDecl());
    if (!Compound && R) {
      setRecord(V, R, Loc);
      origin(V, R);
    }
    return;
  }
  if (const auto *M = dyn_cast<MemberExpr>(Lhs)) {
    // Of a local, this changes no other member, but of a union.
    bool Union = false, Address = false;
    const VarDecl *B = localOf(M, Union);
    kill(KillField, M->getMemberDecl());
    if (!B)
      B = Prescan::base(M, Address), Union = true;
    if (B && Union && B->hasLocalStorage())
      kill(KillVar, B->getCanonicalDecl());
    New = fits(M->getMemberDecl(), New);
  } else {
    kill(KillMemory);
  }
  // What is stored is what a later read finds.
  if (R && !Compound && New.K != Val::Unknown && followed(L->getType())) {
    Val P = derived(Lhs);
    if (P.K == Val::Place) {
      uint32_t N = add(KS_EV_SET, Loc);
      Nodes[N].N.dst = P.Ref;
      Nodes[N].N.val = kept(New, L->getType());
      if (Nodes[N].N.val.kind == KS_VAL_PLACE &&
          Nodes[N].N.val.ref == P.Ref)
        Nodes[N].N.val.kind = KS_VAL_UNKNOWN;
    }
  }
}

void FuncLowering::init(const VarDecl *V) {
  if (V->isStaticLocal()) {
    Unit.scanInit(V);
    return;
  }
  if (!V->hasLocalStorage())
    return;
  const Expr *I = V->getInit();
  if (I && Unit.isSimdType(V->getType(), F)) {
    Simd S = Unit.typeSimd(V->getType(), F, false);
    uint32_t N = add((enum ks_event)S.Event, V->getLocation());
    Nodes[N].N.classes = S.Classes;
    Nodes[N].N.isa = S.Isa;
    Nodes[N].N.dst = placeOf(V);
    Nodes[N].N.text = Unit.str(V->getNameAsString());
    return;
  }
  if (I)
    simd(Unit.listSimd(I, F), I);
  uint32_t P = placeOf(V);
  if (P != KS_NONE && followed(V->getType())) {
    uint32_t N = add(KS_EV_SET, V->getLocation());
    Nodes[N].N.dst = P;
    if (I) {
      Nodes[N].N.val = kept(value(I), V->getType());
      if (Nodes[N].N.val.kind == KS_VAL_PLACE && Nodes[N].N.val.ref == P)
        Nodes[N].N.val.kind = KS_VAL_UNKNOWN;
      origin(V, I);
    }
  } else if (I) {
    // A local table.
    Unit.scanInit(V);
  }
  kill(KillVar, V->getCanonicalDecl());
  if (I)
    setRecord(V, I, V->getLocation());
}

void FuncLowering::asmStmt(const GCCAsmStmt *A) {
  simd(Unit.asmSimd(A), A);
  for (unsigned I = 0; I < A->getNumOutputs(); I++)
    assign(A->getOutputExpr(I), nullptr, A->getAsmLoc(), true);
  for (unsigned I = 0; I < A->getNumClobbers(); I++)
    if (A->getClobber(I) == "memory")
      kill(KillMemory);
  cpuidAsm(A);
}

// Parameters that come in SIMD registers, and are not left there.
void FuncLowering::parameters() {
  if (Unit.lacksRegisters(F))
    return; // an error of its own
  for (const ParmVarDecl *P : F->parameters()) {
    Simd S = Unit.paramSimd(P->getType(), F);
    if (!S || !P->isReferenced())
      continue;
    uint32_t N = add((enum ks_event)S.Event, P->getLocation());
    Nodes[N].N.classes = S.Classes;
    Nodes[N].N.isa = S.Isa;
    Nodes[N].N.aux = KS_SIMD_PINNED;
    Nodes[N].N.text = Unit.str(P->getNameAsString());
  }
}

void FuncLowering::stmt(const Stmt *S) {
  if (NoCode.count(S))
    return;
  if (const auto *A = dyn_cast<GCCAsmStmt>(S)) {
    asmStmt(A);
    return;
  }
  if (isa<MSAsmStmt>(S)) {
    Unit.notFollowed(F, S->getBeginLoc(), "assembly in Microsoft's form");
    return;
  }
  if (const auto *R = dyn_cast<ReturnStmt>(S)) {
    const Expr *E = R->getRetValue();
    RetLoc = R->getReturnLoc();
    RetVal = ks_val{KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}};
    if (!E)
      return;
    simd(Unit.passSimd(E->getType(), F), R);
    if (const FunctionDecl *Fd = functionOf(E))
      if (!isFunctionPointer(F->getReturnType()))
        Unit.addrTaken(Fd, true, RetLoc, "by return");
    if (followed(E->getType()))
      RetVal = kept(eval(E), F->getReturnType());
    else if (const FieldDecl *M = carried(E->getType()))
      RetVal = kept(memberOf(E, M), M->getType());
    return;
  }
  if (const auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X))
        init(V);
    return;
  }
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return;
  if (const auto *C = dyn_cast<CallExpr>(E)) {
    call(C);
    return;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp()) {
      bool Vector;
      uint32_t P = vectorPlace(B->getLHS(), Vector);
      simd(Unit.exprSimd(B, F), B, Vector ? P : KS_NONE);
      if (!Vector)
        assign(B->getLHS(), B->getRHS(), B->getOperatorLoc(),
               B->isCompoundAssignmentOp());
      return;
    }
    if (B->getOpcode() == BO_And) {
      // A test of a field and bit that tells about regions.
      const FieldDecl *Fd = fieldOf(B->getLHS());
      Expr::EvalResult M;
      if (Fd && Unit.rule(Fd->getName(), KS_ROLE_QUERY_MASK) &&
          B->getRHS()->EvaluateAsInt(M, Ctx))
        for (const ks_rule *R =
                 Unit.rule(Fd->getName(), KS_ROLE_QUERY_MASK);
             R; R = R->next)
          if (R->role == KS_ROLE_QUERY_MASK &&
              R->mask == bits64(M.Val.getInt())) {
            uint32_t P = temp(Unit.text(B));
            uint32_t N = add(KS_EV_QUERY, B->getBeginLoc());
            Nodes[N].N.dst = P;
            Nodes[N].N.aux = R->means | (R->exact ? KS_MEANS_EXACT : 0);
            Values[B] = Val::place(P, width(B->getType()), true);
            return;
          }
    }
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    if (U->isIncrementDecrementOp() &&
        !Unit.isSimdType(U->getSubExpr()->getType(), F)) {
      assign(U->getSubExpr(), nullptr, U->getOperatorLoc(), true);
      return;
    }
  if (isa<AtomicExpr>(E))
    kill(KillMemory);
  if (const auto *C = dyn_cast<CompoundLiteralExpr>(E)) {
    simd(Unit.listSimd(C->getInitializer(), F), C);
    return;
  }
  if (const auto *B = dyn_cast<BlockExpr>(E)) {
    Unit.notFollowed(F, B->getCaretLocation(), "a block");
    return;
  }
  Simd X = Unit.exprSimd(E, F);
  if (X) {
    uint32_t Use = KS_NONE;
    bool Vector = false;
    if (const auto *C = dyn_cast<CastExpr>(E))
      if (C->getCastKind() == CK_LValueToRValue)
        Use = vectorPlace(C->getSubExpr(), Vector);
    simd(X, E, KS_NONE, Vector ? Use : KS_NONE);
  }
}

// --- control flow --------------------------------------------------------------------------

uint32_t FuncLowering::entry(const CFGBlock *B) {
  uint32_t &N = Entries[B->getBlockID()];
  if (N == KS_NONE)
    N = newNode(KS_EV_NOP, SourceLocation());
  return Entries[B->getBlockID()];
}

static const Expr *mergedBy(const CFGBlock *B) {
  for (const CFGElement &E : *B)
    if (auto S = E.getAs<CFGStmt>()) {
      const Stmt *X = S->getStmt();
      if (const auto *O = dyn_cast<BinaryOperator>(X))
        return O->isLogicalOp() ? O : nullptr;
      if (const auto *C = dyn_cast<ConditionalOperator>(X))
        return C;
      return nullptr;
    }
  return nullptr;
}

// An edge; ARM: 1 the true, 0 the false one of a condition, -1 neither.  Into
// a block that goes on behind && || or ?:, the way says the value.
void FuncLowering::link(uint32_t From, const CFGBlock *Pred,
                        const CFGBlock *To, Edge E, int Arm) {
  const Expr *M = mergedBy(To);
  E.To = entry(To);
  if (M && followed(M->getType())) {
    auto It = Merges.find(M);
    uint32_t P;
    if (It == Merges.end()) {
      P = temp(Unit.text(M));
      Merges[M] = P;
      Values[M] = Val::place(P, width(M->getType()),
                             !M->getType()->isSignedIntegerOrEnumerationType());
    } else {
      P = It->second;
    }
    ks_val V = {KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}};
    const Expr *Last = nullptr;
    for (const CFGElement &X : llvm::reverse(*Pred))
      if (auto S = X.getAs<CFGStmt>()) {
        Last = dyn_cast<Expr>(S->getStmt());
        break;
      }
    if (const auto *L = dyn_cast<BinaryOperator>(M)) {
      const Stmt *T = Pred->getTerminatorStmt();
      if (T && Arm >= 0 && isa<BinaryOperator>(T))
        V = kept(Val::constant(Arm), M->getType());
      else
        V = kept(toBool(eval(L->getRHS())), M->getType());
    } else if (Last) {
      const auto *C = cast<ConditionalOperator>(M);
      if (Last->IgnoreParens() == C->getTrueExpr()->IgnoreParens())
        V = kept(eval(C->getTrueExpr()), M->getType());
      else if (Last->IgnoreParens() == C->getFalseExpr()->IgnoreParens())
        V = kept(eval(C->getFalseExpr()), M->getType());
    }
    uint32_t N = newNode(KS_EV_SET, SourceLocation());
    Nodes[N].N.loc = Unit.loc(M->getExprLoc());
    Nodes[N].N.dst = P;
    Nodes[N].N.val = V;
    Nodes[N].Succ.push_back(Edge(E.To));
    E.To = N;
  }
  // An edge has one gate.
  while (E.Gates.size() > 1) {
    uint32_t N = newNode(KS_EV_NOP, SourceLocation());
    Edge Rest(E.To);
    Rest.Gates.push_back(E.Gates.back());
    Nodes[N].Succ.push_back(Rest);
    E.Gates.pop_back();
    E.To = N;
  }
  Nodes[From].Succ.push_back(E);
}

void FuncLowering::loopBound(const Stmt *T, const Expr *Cond) {
  if (!isa<ForStmt, WhileStmt, DoStmt>(T))
    return;
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  std::vector<const Expr *> Sides;
  if (B && B->isComparisonOp())
    Sides = {B->getLHS(), B->getRHS()};
  else
    Sides = {Cond};
  for (const Expr *S : Sides) {
    S = S->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(S))
      if (U->isIncrementDecrementOp())
        S = U->getSubExpr()->IgnoreParenImpCasts();
    const auto *D = dyn_cast<DeclRefExpr>(S);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    if (!V || !V->hasLocalStorage() || !V->getType()->isIntegerType())
      continue;
    uint32_t P = placeOf(V);
    if (P == KS_NONE)
      continue;
    uint32_t N = add(KS_EV_BOUND, T->getBeginLoc());
    Nodes[N].N.val.kind = KS_VAL_PLACE;
    Nodes[N].N.val.ref = P;
  }
}

static const Expr *lastCondition(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || !B->isLogicalOp())
      return E;
    E = B->getRHS();
  }
}

void FuncLowering::branch(const CFGBlock *B, const Expr *Cond) {
  Val V;
  std::vector<Gate> Gates[2];
  if (Cond) {
    // && and || of a value have a place of their own.
    if (!Values.count(Cond->IgnoreParens()))
      Cond = lastCondition(Cond);
    loopBound(B->getTerminatorStmt(), Cond);
    V = toBool(eval(Cond));
    Gates[0] = gatesOf(Cond, false);
    Gates[1] = gatesOf(Cond, true);
  }
  uint32_t From = Cur;
  int Arm = 1;
  // Loops without their own node would make edges of two nodes.
  if (Nodes[From].N.ev == KS_EV_END)
    return;
  From = add(KS_EV_NOP, SourceLocation());
  if (Cond)
    Nodes[From].N.loc = Unit.loc(Cond->getExprLoc());
  for (auto I = B->succ_begin(); I != B->succ_end(); ++I, Arm--) {
    const CFGBlock *To = I->getReachableBlock();
    Edge E(0);
    if (!To)
      continue;
    if (V.K == Val::Const && (int)(V.Num != 0) != Arm)
      continue;
    if (V.K == Val::Test) {
      E.Cond = V.Ref;
      E.Iv = Arm == 1 ? V.Iv : ks_iv_not(V.Iv);
    }
    if (Arm >= 0)
      E.Gates = Gates[Arm];
    link(From, B, To, E, Arm);
  }
}

void FuncLowering::switchEdges(const CFGBlock *B, const SwitchStmt *S) {
  Val V = eval(S->getCond());
  uint32_t From = add(KS_EV_NOP, S->getBeginLoc());
  unsigned Bits = V.K == Val::Place
                      ? std::min<unsigned>(V.Bits, width(S->getCond()->getType()))
                      : 0;
  unsigned Cases = 0;
  ks_iv Only = {0, 0, 0};
  for (auto I = B->succ_begin(); I != B->succ_end(); ++I) {
    const CFGBlock *To = I->getReachableBlock();
    if (!To)
      continue;
    Edge E(0);
    const auto *C = dyn_cast_or_null<CaseStmt>(To->getLabel());
    if (C && Bits) {
      Expr::EvalResult L, H;
      const Expr *Hi = C->getRHS() ? C->getRHS() : C->getLHS();
      if (C->getLHS()->EvaluateAsInt(L, Ctx) && Hi->EvaluateAsInt(H, Ctx)) {
        uint64_t M = Bits >= 64 ? UINT64_MAX : ((uint64_t)1 << Bits) - 1;
        E.Cond = V.Ref;
        E.Iv = {bits64(L.Val.getInt()) & M,
                bits64(H.Val.getInt()) & M, (uint8_t)Bits};
        // Sign extension must agree.
        if (L.Val.getInt().isSigned()) {
          E.Iv.lo = bits64(L.Val.getInt()) & M;
          E.Iv.hi = bits64(H.Val.getInt()) & M;
        }
        Only = E.Iv;
        Cases++;
      }
    } else if (C) {
      Cases = 99;
    }
    if (!C && Cases == 1 && Bits && Only.bits) {
      E.Cond = V.Ref;
      E.Iv = ks_iv_not(Only);
    }
    link(From, B, To, E, -1);
  }
}

void FuncLowering::ret(SourceLocation L) {
  uint32_t N = add(KS_EV_RETURN, RetVal ? RetLoc : L);
  if (RetVal)
    Nodes[N].N.val = *RetVal;
}

void FuncLowering::terminator(const CFGBlock *B) {
  if (Nodes[Cur].N.ev == KS_EV_END)
    return;
  if (B->hasNoReturnElement()) {
    add(KS_EV_END, SourceLocation());
    return;
  }
  const Stmt *T = B->getTerminatorStmt();
  if (const auto *A = dyn_cast_or_null<GCCAsmStmt>(T))
    asmStmt(A);
  std::vector<const CFGBlock *> To;
  for (auto I = B->succ_begin(); I != B->succ_end(); ++I)
    if (const CFGBlock *S = I->getReachableBlock())
      To.push_back(S);
  if (To.empty()) {
    add(KS_EV_END, SourceLocation());
    return;
  }
  if (const auto *S = dyn_cast_or_null<SwitchStmt>(T)) {
    switchEdges(B, S);
    return;
  }
  if (B->succ_size() == 2 && T && !isa<GCCAsmStmt>(T) &&
      !isa<IndirectGotoStmt>(T)) {
    branch(B, dyn_cast_or_null<Expr>(B->getTerminatorCondition()));
    return;
  }
  if (To.size() == 1 && To[0] == &Cfg->getExit()) {
    ret(F->getBodyRBrace());
    return;
  }
  uint32_t From = add(KS_EV_NOP, SourceLocation());
  for (const CFGBlock *S : To)
    link(From, B, S, Edge(0), -1);
}

void FuncLowering::block(const CFGBlock *B) {
  Cur = entry(B);
  CurBlock = B;
  RetVal.reset();
  if (B == &Cfg->getEntry())
    parameters();
  for (const CFGElement &E : *B) {
    if (Nodes[Cur].N.ev == KS_EV_END)
      break;
    if (auto S = E.getAs<CFGStmt>())
      stmt(S->getStmt());
    else if (auto C = E.getAs<CFGCleanupFunction>())
      cleanup(*C);
  }
  if (B == &Cfg->getExit()) {
    // Edges to it that are no plain return.
    ret(F->getBodyRBrace());
    return;
  }
  terminator(B);
}

// --- from the walk to the graph --------------------------------------------------------------

// Past nodes that do nothing.
uint32_t FuncLowering::follow(uint32_t N, std::vector<Node> &Ns) {
  for (int I = 0; I < 10000; I++) {
    const Node &X = Ns[N];
    if (X.N.ev != KS_EV_NOP || X.Succ.size() != 1 ||
        X.Succ[0].Iv.bits != 0 || !X.Succ[0].Gates.empty() ||
        X.Succ[0].To == N)
      break;
    N = X.Succ[0].To;
  }
  return N;
}

void FuncLowering::emit() {
  // Step 5 of the file's note.
  for (uint32_t I = 0, End = Nodes.size(); I < End; I++) {
    if (Nodes[I].Kill == KillNone)
      continue;
    std::vector<uint32_t> Dead;
    for (const Derived &D : Deriveds) {
      bool Hit = false;
      if (Nodes[I].Kill == KillVar)
        Hit = llvm::is_contained(D.Vars, cast<VarDecl>(Nodes[I].What));
      else if (Nodes[I].Kill == KillField)
        Hit = llvm::is_contained(D.Fields, Nodes[I].What);
      else if (Nodes[I].Kill == KillResult)
        Hit = llvm::is_contained(D.Results, Nodes[I].Result);
      else
        Hit = D.Memory || (Fn->places.v[D.Place].flags & KS_PLACE_ESCAPED);
      if (Hit)
        Dead.push_back(D.Place);
    }
    if (Nodes[I].Kill == KillMemory)
      for (auto &[V, P] : Places)
        if (P != KS_NONE && (Fn->places.v[P].flags & KS_PLACE_ESCAPED))
          Dead.push_back(P);
    llvm::sort(Dead);
    std::vector<Edge> Succ = std::move(Nodes[I].Succ);
    Nodes[I].Succ.clear();
    uint32_t At = I;
    for (uint32_t P : Dead) {
      uint32_t N = newNode(KS_EV_SET, SourceLocation());
      Nodes[N].N.dst = P;
      Nodes[At].Succ.push_back(Edge(N));
      At = N;
    }
    Nodes[At].Succ = std::move(Succ);
  }
  // Reached nodes, in the order of a walk from the entry.
  std::vector<uint32_t> Map(Nodes.size(), KS_NONE), Order, Stack;
  uint32_t First = entry(&Cfg->getEntry());
  Stack.push_back(First);
  while (!Stack.empty()) {
    uint32_t N = Stack.back();
    Stack.pop_back();
    if (Map[N] != KS_NONE)
      continue;
    Map[N] = Order.size();
    Order.push_back(N);
    for (size_t I = Nodes[N].Succ.size(); I-- > 0;) {
      Edge &E = Nodes[N].Succ[I];
      E.To = follow(E.To, Nodes);
      Stack.push_back(E.To);
    }
  }
  Fn = &Unit.U->funcs.v[FnIndex];
  for (uint32_t N : Order) {
    const ks_node &X = Nodes[N].N;
    uint32_t K = ks_func_node(Fn, (enum ks_event)X.ev);
    ks_node &Y = Fn->nodes.v[K];
    uint32_t Succ = Y.succ;
    Y = X;
    Y.succ = Succ;
    Y.nsucc = 0;
    if (K == 0 && Y.loc.line == 0)
      Y.loc = Fn->loc;
  }
  for (uint32_t N : Order)
    for (const Edge &E : Nodes[N].Succ) {
      ks_edge *K = ks_func_edge(Fn, Map[N], Map[E.To]);
      K->cond = E.Cond;
      K->iv = E.Iv;
      if (!E.Gates.empty()) {
        ks_gate G = E.Gates[0].G;
        G.var = Unit.str(E.Gates[0].Var);
        push(Fn->gates) = G;
        K->gate = Fn->gates.n;
      }
    }
}

void FuncLowering::run() {
  uint32_t Sym = Unit.symOf(F);
  if (Unit.U->syms.v[Sym].func != KS_NONE)
    return;
  CFG::BuildOptions O;
  O.setAllAlwaysAdd();
  O.AddImplicitDtors = true;
  O.AddScopes = false;
  Cfg = CFG::buildCFG(F, F->getBody(), &Ctx, O);
  ks_unit_func(Unit.U, Sym);
  FnIndex = Unit.U->funcs.n - 1;
  Fn = &Unit.U->funcs.v[FnIndex];
  Fn->loc = Unit.loc(F->getLocation());
  Fn->isa = Unit.targetIsa(F);
  for (const auto *A : F->getMostRecentDecl()->specific_attrs<AnnotateAttr>()) {
    StringRef N = A->getAnnotation();
    if (N == "ksimd:needs")
      Fn->flags |= KS_FUNC_NEEDS;
    else if (N == "ksimd:held")
      Fn->flags |= KS_FUNC_HELD;
    else if (N.starts_with("ksimd:trust"))
      Fn->flags |= KS_FUNC_TRUST;
  }
  bool Abi = bool(Unit.passSimd(F->getReturnType(), F));
  for (const ParmVarDecl *P : F->parameters())
    Abi |= bool(Unit.passSimd(P->getType(), F));
  if (Abi && Unit.lacksRegisters(F))
    Fn->flags |= KS_FUNC_ABI;
  if ((!F->isExternallyVisible() || F->isInlineSpecified()) &&
      !F->getMostRecentDecl()->hasAttr<NoInlineAttr>() &&
      !F->getMostRecentDecl()->hasAttr<OptimizeNoneAttr>())
    Fn->flags |= KS_FUNC_INLINE;
  if (!Cfg) {
    // Clang makes none where it does not know where a jump leads.
    Unit.notFollowed(F, F->getLocation(), "the control flow");
    uint32_t N = ks_func_node(Fn, KS_EV_RETURN);
    Fn->nodes.v[N].loc = Fn->loc;
    return;
  }
  prescan();
  for (const ParmVarDecl *P : F->parameters()) {
    uint32_t Pl = followed(P->getType()) ? placeOf(P) : KS_NONE;
    Fn = &Unit.U->funcs.v[FnIndex];
    push(Fn->params) = Pl;
  }
  Entries.assign(Cfg->getNumBlockIDs(), KS_NONE);
  PostOrderCFGView View(Cfg.get());
  for (const CFGBlock *B : View)
    block(B);
  pseudoParams();
  emit();
}

} // namespace ksimd
