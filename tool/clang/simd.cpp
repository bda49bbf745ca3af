// SPDX-License-Identifier: BSD-2-Clause
//
// What touches SIMD state in C source.
//
// 1. A type is SIMD if values of it live in SIMD registers under the
//    function's features: floats always do (x87 at the least), integer
//    vectors only where the registers are switched on; without them the
//    compiler works element by element.
//    Where x87 is off as well (-mno-80387), moving a float is an integer move;
//    arithmetic becomes library calls, and still is what needs a region.
// 2. An expression is an event if it makes, loads, stores, compares or
//    converts such a value and is no constant; lvalues, sizeof and types are
//    none.  Copies of structures are none either: whether they go through a
//    vector register is the compiler's choice, and only the object tells.
// 3. Intrinsics (always_inline functions of the compiler's own headers) are
//    events themselves, if their body has one, with the instruction sets of
//    their target attribute.  Target builtins likewise, with the features
//    that the compiler requires for them.
// 4. Assembly is what ks/asm.h says.
#include "lower.h"

#include "ks/asm.h"

using namespace clang;

namespace ksimd {

const llvm::StringMap<bool> &UnitLowering::features(const FunctionDecl *F) {
  const auto *TA = F ? F->getAttr<TargetAttr>() : nullptr;
  std::string Key = TA ? TA->getFeaturesStr().str() : "";
  auto It = Features.find(Key);
  if (It != Features.end())
    return It->second;
  llvm::StringMap<bool> Map;
  if (TA) {
    Ctx.getFunctionFeatureMap(Map, F);
  } else {
    for (const std::string &W : Ctx.getTargetInfo().getTargetOpts().Features)
      Map[StringRef(W).drop_front()] = W[0] == '+';
    for (const auto &W : Ctx.getTargetInfo().getTargetOpts().FeatureMap)
      Map[W.getKey()] = W.getValue();
  }
  return Features[Key] = std::move(Map);
}

bool UnitLowering::has(const FunctionDecl *F, StringRef Feature) {
  const auto &Map = features(F);
  auto It = Map.find(Feature);
  return It != Map.end() && It->second;
}

ks_isaset UnitLowering::isaOfFeatures(StringRef List) {
  ks_isaset Set = 0;
  SmallVector<StringRef, 8> Words;
  List.split(Words, ',', -1, false);
  for (StringRef W : Words) {
    // "a|b": either will do; the first is the older.
    W = W.split('|').first.trim(" ()");
    if (W.starts_with("no-") || W.starts_with("arch=") ||
        W.starts_with("tune=") || W == "evex512" || W == "general-regs-only")
      continue;
    if (W.starts_with("amx"))
      W = "amx";
    int I = ks_isa_find(W.data(), W.size());
    if (I >= 0)
      Set |= (ks_isaset)1 << I;
  }
  return Set;
}

ks_isaset UnitLowering::targetIsa(const FunctionDecl *F) {
  const auto *TA = F->getAttr<TargetAttr>();
  return TA ? isaOfFeatures(TA->getFeaturesStr()) : 0;
}

static bool isX86(const ASTContext &Ctx) {
  return Ctx.getTargetInfo().getTriple().isX86();
}

// A float of the width that register files are made for.
static Simd floatSimd(UnitLowering &U, const BuiltinType *B,
                      const FunctionDecl *In) {
  Simd S;
  S.Event = KS_EV_SIMD;
  if (!isX86(U.Ctx)) {
    S.Classes = KS_RC_XMM;
    S.Isa = KS_ISA_BIT(NEON);
    return S;
  }
  bool Single = B->getKind() == BuiltinType::Float;
  bool Long = B->getKind() == BuiltinType::LongDouble;
  if (!Long && U.has(In, Single ? "sse" : "sse2")) {
    S.Classes = KS_RC_XMM;
    S.Isa = Single ? KS_ISA_BIT(SSE) : KS_ISA_BIT(SSE2);
  } else {
    S.Classes = KS_RC_X87;
    S.Isa = KS_ISA_BIT(X87);
  }
  return S;
}

static Simd vectorSimd(UnitLowering &U, const VectorType *V,
                       const FunctionDecl *In, bool Arithmetic) {
  uint64_t Bits = U.Ctx.getTypeSize(V);
  bool Float = V->getElementType()->isFloatingType();
  Simd S;
  S.Event = KS_EV_SIMD;
  if (!isX86(U.Ctx)) {
    S.Classes = KS_RC_XMM;
    S.Isa = KS_ISA_BIT(NEON);
    return S;
  }
  bool On = U.has(In, "sse") || (Bits <= 64 && U.has(In, "mmx"));
  if (!On) {
    if (!Float)
      return Simd();
    S.Classes = KS_RC_X87;
    S.Isa = KS_ISA_BIT(X87);
    return S;
  }
  if (Bits <= 64) {
    S.Classes = U.has(In, "mmx") && !Float ? KS_RC_MMX : KS_RC_XMM;
    S.Isa = U.has(In, "mmx") && !Float ? KS_ISA_BIT(MMX) : KS_ISA_BIT(SSE2);
  } else if (Bits <= 128 || !U.has(In, "avx")) {
    S.Classes = KS_RC_XMM;
    S.Isa = V->getElementType()->isSpecificBuiltinType(BuiltinType::Float)
                ? KS_ISA_BIT(SSE)
                : KS_ISA_BIT(SSE2);
  } else if (Bits <= 256 || !U.has(In, "avx512f")) {
    S.Classes = KS_RC_YMM;
    S.Isa = Arithmetic && !Float ? KS_ISA_BIT(AVX2) : KS_ISA_BIT(AVX);
  } else {
    S.Classes = KS_RC_ZMM;
    S.Isa = KS_ISA_BIT(AVX512F);
  }
  return S;
}

Simd UnitLowering::typeSimd(QualType T, const FunctionDecl *In,
                            bool Arithmetic) {
  if (T.isNull())
    return Simd();
  T = T.getCanonicalType().getUnqualifiedType();
  if (const auto *A = dyn_cast<AtomicType>(T.getTypePtr()))
    T = A->getValueType().getCanonicalType();
  if (const auto *C = dyn_cast<ComplexType>(T.getTypePtr()))
    T = C->getElementType().getCanonicalType();
  if (const auto *V = dyn_cast<VectorType>(T.getTypePtr()))
    return vectorSimd(*this, V, In, Arithmetic);
  const auto *B = dyn_cast<BuiltinType>(T.getTypePtr());
  if (!B)
    return Simd();
  if (B->isFloatingPoint()) {
    if (!Arithmetic && isX86(Ctx) && !has(In, "x87") && !has(In, "sse"))
      return Simd();
    return floatSimd(*this, B, In);
  }
  if (B->isSVESizelessBuiltinType() || B->isRVVSizelessBuiltinType()) {
    Simd S;
    S.Event = KS_EV_SIMD;
    S.Classes = KS_RC_XMM;
    S.Isa = KS_ISA_BIT(SVE);
    return S;
  }
  return Simd();
}

// On i386 floats are passed in memory and returned in st(0), whatever the
// flags; on amd64 both sides must have the registers.
bool UnitLowering::lacksRegisters(const FunctionDecl *F) {
  return Ctx.getTargetInfo().getTriple().getArch() == llvm::Triple::x86_64 &&
         !has(F, "sse2");
}

// The scalars and vectors of a record, and where they are, in bits.
static void flatten(ASTContext &Ctx, QualType T, uint64_t At,
                    std::vector<std::pair<uint64_t, QualType>> &Out) {
  T = T.getCanonicalType();
  if (const auto *A = Ctx.getAsConstantArrayType(T)) {
    uint64_t Size = Ctx.getTypeSize(A->getElementType());
    for (uint64_t I = 0; I < A->getZExtSize() && Out.size() < 65; I++)
      flatten(Ctx, A->getElementType(), At + I * Size, Out);
  } else if (const RecordDecl *R = T->getAsRecordDecl()) {
    if (R->isInvalidDecl() || !R->isCompleteDefinition())
      return;
    const ASTRecordLayout &L = Ctx.getASTRecordLayout(R);
    for (const FieldDecl *F : R->fields())
      flatten(Ctx, F->getType(), At + L.getFieldOffset(F->getFieldIndex()),
              Out);
  } else {
    Out.push_back({At, T});
  }
}

// A value as it is passed and returned.  Small records go through vector
// registers where all of an eightbyte is of floats (System V ABI, 3.2.3), or
// where they are up to four equal floats or vectors (AAPCS64, 6.8.2).
Simd UnitLowering::passSimd(QualType T, const FunctionDecl *In) {
  T = T.getCanonicalType();
  if (!T->isRecordType() || T->isIncompleteType())
    return typeSimd(T, In, false);
  std::vector<std::pair<uint64_t, QualType>> Parts;
  flatten(Ctx, T, 0, Parts);
  if (Parts.empty() || Parts.size() > 64)
    return Simd();
  uint64_t Bits = Ctx.getTypeSize(T);
  if (!isX86(Ctx)) {
    QualType First = Parts[0].second;
    for (const auto &[At, P] : Parts)
      if (!Ctx.hasSameUnqualifiedType(P, First))
        return Simd();
    return Parts.size() <= 4 ? typeSimd(First, In, false) : Simd();
  }
  if (Ctx.getTargetInfo().getTriple().getArch() != llvm::Triple::x86_64)
    return Simd();
  if (Bits > 128)
    return Parts.size() == 1 && Parts[0].second->isVectorType()
               ? typeSimd(Parts[0].second, In, false)
               : Simd();
  for (uint64_t Word = 0; Word < Bits; Word += 64) {
    Simd S;
    bool All = true;
    for (const auto &[At, P] : Parts)
      if (At < Word + 64 && At + Ctx.getTypeSize(P) > Word) {
        Simd X = typeSimd(P, In, false);
        All &= bool(X) && !P->isSpecificBuiltinType(BuiltinType::LongDouble);
        S = X;
      }
    if (All && S)
      return S;
  }
  return Simd();
}

// What a function finds in a register when it is called: long double is passed
// in memory, on i386 all that is no vector.
Simd UnitLowering::paramSimd(QualType T, const FunctionDecl *In) {
  QualType E = T.getCanonicalType();
  if (const auto *C = E->getAs<ComplexType>())
    E = C->getElementType();
  if (isX86(Ctx) && E->isRealFloatingType() &&
      (Ctx.getTargetInfo().getTriple().getArch() != llvm::Triple::x86_64 ||
       E->isSpecificBuiltinType(BuiltinType::LongDouble)))
    return Simd();
  return passSimd(T, In);
}

static bool folded(const Expr *E, ASTContext &Ctx) {
  Expr::EvalResult R;
  if (E->isValueDependent() || E->isTypeDependent())
    return true;
  return E->EvaluateAsRValue(R, Ctx) && !R.HasSideEffects;
}

// Members of a float type that E, a list, sets to a constant that is not
// zero: a store of each, as a plain assignment is.
Simd UnitLowering::listSimd(const Expr *E, const FunctionDecl *In) {
  E = E->IgnoreParenImpCasts();
  const auto *L = dyn_cast<InitListExpr>(E);
  if (!L || L->getType()->isVectorType())
    return Simd();
  for (const Expr *I : L->inits()) {
    if (!I)
      continue;
    Simd S = listSimd(I, In);
    Expr::EvalResult R;
    if (!S && !isa<InitListExpr>(I) && I->getType()->isFloatingType() &&
        I->EvaluateAsRValue(R, Ctx) && R.Val.isFloat() &&
        !R.Val.getFloat().isPosZero())
      S = typeSimd(I->getType(), In, false);
    if (S)
      return S;
  }
  return Simd();
}

namespace {
// Is a local only ever what it is initialised with?
struct Changes : RecursiveASTVisitor<Changes> {
  const VarDecl *V;
  bool Found = false;
  explicit Changes(const VarDecl *V) : V(V) {}
  void look(const Expr *E) {
    const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    Found |= D && D->getDecl() == V;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      look(B->getLHS());
    return !Found;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      look(U->getSubExpr());
    return !Found;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *A) {
    for (unsigned I = 0; I < A->getNumOutputs(); I++)
      look(A->getOutputExpr(I));
    return !Found;
  }
};
} // namespace

// A constant to the optimiser, by locals that never change.
static bool settled(const Expr *E, const FunctionDecl *In, ASTContext &Ctx,
                    unsigned Depth = 0) {
  E = E->IgnoreParenCasts();
  if (++Depth > 16) // also "int x = x"
    return false;
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return !B->isAssignmentOp() && settled(B->getLHS(), In, Ctx, Depth) &&
           settled(B->getRHS(), In, Ctx, Depth);
  if (const auto *D = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl())) {
      if (!In || !V->hasLocalStorage() || !V->getInit() ||
          V->getType().isVolatileQualified() ||
          !settled(V->getInit(), In, Ctx, Depth))
        return false;
      Changes C(V);
      C.TraverseStmt(In->getBody());
      return !C.Found;
    }
  return folded(E, Ctx);
}

static void merge(Simd &A, const Simd &B) {
  if (!B)
    return;
  A.Event = B.Event;
  A.Classes |= B.Classes;
  A.Isa |= B.Isa;
}

static bool floatingCast(CastKind K) {
  switch (K) {
  case CK_IntegralToFloating: case CK_FloatingToIntegral:
  case CK_FloatingCast: case CK_FloatingToBoolean:
  case CK_FloatingToFixedPoint: case CK_FixedPointToFloating:
  case CK_FloatingRealToComplex: case CK_FloatingComplexToReal:
  case CK_FloatingComplexToBoolean: case CK_FloatingComplexCast:
  case CK_FloatingComplexToIntegralComplex:
  case CK_IntegralComplexToFloatingComplex: case CK_VectorSplat:
  case CK_LValueToRValue: case CK_LValueBitCast:
    return true;
  default:
    return false;
  }
}

// Each subexpression comes here on its own, in the order of evaluation.
Simd UnitLowering::exprSimd(const Expr *E, const FunctionDecl *In) {
  Simd S;
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = C->getSubExpr();
    if (C->getCastKind() == CK_BitCast) {
      // Between an integer and a vector there is a move.
      if (isSimdType(E->getType(), In) != isSimdType(Sub->getType(), In))
        S = typeSimd(isSimdType(E->getType(), In) ? E->getType()
                                                   : Sub->getType(),
                     In, false);
    } else if (floatingCast(C->getCastKind())) {
      CastKind K = C->getCastKind();
      bool Moves = K == CK_LValueToRValue || K == CK_VectorSplat ||
                   K == CK_LValueBitCast;
      merge(S, typeSimd(E->getType(), In, !Moves));
      if (K != CK_LValueToRValue)
        merge(S, typeSimd(Sub->getType(), In, !Moves));
    }
  } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp()) {
      S = typeSimd(B->getLHS()->getType(), In, B->isCompoundAssignmentOp());
      if (const auto *CA = dyn_cast<CompoundAssignOperator>(B))
        merge(S, typeSimd(CA->getComputationResultType(), In, true));
      return S; // a store is one, also of a constant
    }
    if (!B->isCommaOp() && !B->isLogicalOp()) {
      S = typeSimd(B->getLHS()->getType(), In, true);
      merge(S, typeSimd(B->getRHS()->getType(), In, true));
      merge(S, typeSimd(B->getType(), In, true));
    }
  } else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_Minus ||
        U->getOpcode() == UO_Not || U->getOpcode() == UO_LNot)
      S = typeSimd(U->getSubExpr()->getType(), In, true);
  } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    S = typeSimd(A->getBase()->getType(), In, false); // an element of a vector
  } else if (isa<ExtVectorElementExpr, ShuffleVectorExpr, ConvertVectorExpr,
                 VAArgExpr, AtomicExpr>(E)) {
    S = typeSimd(E->getType(), In, false);
    if (const auto *X = dyn_cast<ExtVectorElementExpr>(E))
      merge(S, typeSimd(X->getBase()->getType(), In, false));
  } else if (isa<InitListExpr>(E) && E->getType()->isVectorType()) {
    return typeSimd(E->getType(), In, false);
  }
  if (S && folded(E, Ctx))
    return Simd();
  // Without an FPU, what is not folded does not link.
  if (S && isX86(Ctx) && !has(In, "x87") && !has(In, "sse") &&
      settled(E, In, Ctx))
    return Simd();
  return S;
}

// --- builtins and intrinsics -------------------------------------------------

static uint16_t classesOf(ASTContext &Ctx, QualType T) {
  const auto *V = T->getAs<VectorType>();
  if (!V)
    return T->isFloatingType() ? KS_RC_XMM : 0;
  uint64_t Bits = Ctx.getTypeSize(V);
  return Bits <= 64    ? KS_RC_MMX
         : Bits <= 128 ? KS_RC_XMM
         : Bits <= 256 ? KS_RC_YMM
                       : KS_RC_ZMM;
}

Simd UnitLowering::builtinSimd(const CallExpr *E, const FunctionDecl *In) {
  const FunctionDecl *Callee = E->getDirectCallee();
  unsigned Id = Callee ? Callee->getBuiltinID() : 0;
  Simd S;
  if (Id == 0)
    return S;
  StringRef Name = Callee->getName();
  auto Is = [&](std::initializer_list<StringRef> L) {
    return llvm::any_of(L, [&](StringRef W) { return Name.ends_with(W); });
  };
  if (Ctx.BuiltinInfo.isTSBuiltin(Id)) {
    StringRef Need = Ctx.BuiltinInfo.getRequiredFeatures(Id);
    for (const Expr *A : E->arguments())
      S.Classes |= classesOf(Ctx, A->getType());
    S.Classes |= classesOf(Ctx, E->getType());
    S.Isa = isaOfFeatures(Need);
    if (Name.starts_with("__builtin_ia32_k") && Need.contains("avx512"))
      S.Classes |= KS_RC_MASK;
    if (Name.starts_with("__builtin_ia32_tile") || Need.starts_with("amx"))
      S.Classes |= KS_RC_TILE;
    if (Is({"_emms", "_femms", "vzeroupper", "vzeroall", "ldmxcsr", "fxrstor",
            "fxrstor64", "xrstor", "xrstor64", "xrstors", "xrstors64"})) {
      S.Event = KS_EV_RESTORE;
      S.Classes |= Is({"ldmxcsr"}) ? KS_RC_MXCSR : KS_RC_XMM;
      return S;
    }
    if (Is({"stmxcsr", "fxsave", "fxsave64", "xsave", "xsave64", "xsaveopt",
            "xsaveopt64", "xsavec", "xsavec64", "xsaves", "xsaves64"})) {
      S.Event = KS_EV_SAVE;
      S.Classes |= KS_RC_XMM;
      return S;
    }
    if (!isX86(Ctx) && S.Classes == 0 && isSimdType(E->getType(), In))
      S.Classes = KS_RC_XMM;
    if (S.Classes == 0)
      return Simd(); // crc32, fences, bit manipulation
    S.Event = KS_EV_SIMD;
    return S;
  }
  // Portable builtins work on what their types say.
  if (folded(E, Ctx))
    return S;
  S = typeSimd(E->getType(), In, true);
  for (const Expr *A : E->arguments())
    merge(S, typeSimd(A->getType(), In, true));
  return S;
}

bool UnitLowering::isIntrinsic(const FunctionDecl *F) {
  return F->hasAttr<AlwaysInlineAttr>() && F->hasAttr<NoDebugAttr>() &&
         SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()));
}

namespace {
struct BodySimd : RecursiveASTVisitor<BodySimd> {
  UnitLowering &U;
  const FunctionDecl *F;
  Simd S;
  BodySimd(UnitLowering &U, const FunctionDecl *F) : U(U), F(F) {}
  void take(const Simd &X) {
    if (!X)
      return;
    S.Classes |= X.Classes;
    S.Isa |= X.Isa;
    if (!S || X.Event == KS_EV_SIMD)
      S.Event = X.Event;
  }
  bool VisitExpr(Expr *E) {
    if (const auto *C = dyn_cast<CallExpr>(E)) {
      const FunctionDecl *Callee = C->getDirectCallee();
      if (Callee && Callee->getBuiltinID())
        take(U.builtinSimd(C, F));
      else if (Callee && U.isIntrinsic(Callee))
        take(U.intrinsicSimd(Callee));
      return true;
    }
    take(U.exprSimd(E, F));
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *A) {
    take(U.asmSimd(A));
    return true;
  }
};
} // namespace

Simd UnitLowering::intrinsicSimd(const FunctionDecl *F) {
  F = F->getCanonicalDecl();
  auto It = Intrinsics.find(F);
  if (It != Intrinsics.end())
    return It->second;
  Intrinsics[F] = Simd();
  const FunctionDecl *Def = nullptr;
  Simd S;
  if (F->hasBody(Def)) {
    BodySimd V(*this, Def);
    V.TraverseStmt(Def->getBody());
    S = V.S;
    // The attribute says what it is for; casts inside say less.
    if (S && targetIsa(Def) != 0)
      S.Isa = targetIsa(Def);
  }
  Intrinsics[F] = S;
  return S;
}

// --- inline assembly -------------------------------------------------------------

Simd UnitLowering::asmSimd(const GCCAsmStmt *A) {
  ks_asm K = {};
  K.x86 = isX86(Ctx);
  K.i386 = Ctx.getTargetInfo().getTriple().getArch() == llvm::Triple::x86;
  // With operands, '%' begins one ("%k1" is operand 1), registers have two.
  StringRef T = A->getAsmString()->getString();
  ks_asm_text(&K, T.data(), T.size(), A->isSimple() ? "%" : "%%");
  for (unsigned I = 0; I < A->getNumOutputs(); I++) {
    StringRef C = A->getOutputConstraint(I);
    ks_asm_constraint(&K, C.data(), C.size());
  }
  for (unsigned I = 0; I < A->getNumInputs(); I++) {
    StringRef C = A->getInputConstraint(I);
    ks_asm_constraint(&K, C.data(), C.size());
  }
  for (unsigned I = 0; I < A->getNumClobbers(); I++) {
    StringRef C = A->getClobber(I);
    ks_asm_clobber(&K, C.data(), C.size());
  }
  Simd S;
  S.Event = ks_asm_event(&K);
  S.Classes = K.classes;
  S.Isa = K.isa;
  S.Pinned = A->isVolatile() || A->getNumOutputs() == 0;
  return S;
}

} // namespace ksimd
