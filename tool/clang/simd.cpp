// SPDX-License-Identifier: BSD-2-Clause
//
// What touches SIMD state in C source.
//
// 1. A type is SIMD if values of it live in SIMD registers under the
//    function's features: floats always do (x87 at the least), integer
//    vectors only where the registers are switched on; without them the
//    compiler works element by element.
// 2. An expression is an event if it makes, loads, stores, compares or
//    converts such a value and is no constant; lvalues, sizeof and types are
//    none.  Copies of structures are none either: whether they go through a
//    vector register is the compiler's choice, and only the object tells.
// 3. Intrinsics (always_inline functions of the compiler's own headers) are
//    events themselves, if their body has one, with the instruction sets of
//    their target attribute.  Target builtins likewise, with the features
//    that the compiler requires for them.
// 4. Assembly is searched for register names, constraints, clobbers and the
//    mnemonics that name no register.
//
// Known limits: assembly in .byte form is known for VIA's instructions only.
// Reference: Intel SDM vol. 2; gcc manual, "Machine Constraints".
#include "lower.h"

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
  if (B->isFloatingPoint())
    return floatSimd(*this, B, In);
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
      merge(S, typeSimd(E->getType(), In, false));
      if (C->getCastKind() != CK_LValueToRValue)
        merge(S, typeSimd(Sub->getType(), In, false));
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

static void addRegister(StringRef R, Simd &S) {
  R = R.ltrim("%");
  auto Numbered = [&](StringRef P) {
    return R.starts_with(P) && R.size() > P.size() && isdigit(R[P.size()]);
  };
  auto Use = [&](unsigned C, ks_isaset I) {
    S.Classes |= C;
    S.Isa |= I;
    S.Event = KS_EV_SIMD;
  };
  if (Numbered("xmm"))
    Use(KS_RC_XMM, KS_ISA_BIT(SSE));
  else if (Numbered("ymm"))
    Use(KS_RC_YMM, KS_ISA_BIT(AVX));
  else if (Numbered("zmm"))
    Use(KS_RC_ZMM, KS_ISA_BIT(AVX512F));
  else if (Numbered("mm"))
    Use(KS_RC_MMX, KS_ISA_BIT(MMX));
  else if (Numbered("tmm"))
    Use(KS_RC_TILE, KS_ISA_BIT(AMX));
  else if (R.size() == 2 && R[0] == 'k' && R[1] >= '0' && R[1] <= '7')
    Use(KS_RC_MASK, KS_ISA_BIT(AVX512F));
  else if (R == "st" || R.starts_with("st("))
    Use(KS_RC_X87, KS_ISA_BIT(X87));
}

static void addConstraint(StringRef C, Simd &S) {
  for (size_t I = 0; I < C.size(); I++)
    switch (C[I]) {
    case 'x':
      addRegister("xmm0", S);
      break;
    case 'v':
      addRegister("xmm0", S);
      break;
    case 'y':
      addRegister("mm0", S);
      break;
    case 'f': case 't': case 'u':
      addRegister("st", S);
      break;
    case 'k':
      addRegister("k1", S);
      break;
    case 'Y': // two letters
      I++;
      if (I < C.size() && (C[I] == 'k'))
        addRegister("k1", S);
      else if (I < C.size() && strchr("z0tim2", C[I]))
        addRegister("xmm0", S);
      break;
    case '[': // a name
      while (I < C.size() && C[I] != ']')
        I++;
      break;
    case '{': { // a register
      size_t End = C.find('}', I);
      if (End == StringRef::npos)
        return;
      addRegister(C.slice(I + 1, End), S);
      I = End;
      break;
    }
    }
}

namespace {
struct Mnemonic {
  const char *Prefix;
  uint8_t Event;
  uint16_t Classes;
  ks_isaset Isa;
};
} // namespace

// Those that may name no SIMD register, and those that tell more than their
// registers do.  The first prefix that fits counts.
static const Mnemonic Mnemonics[] = {
    {"fxsave", KS_EV_SAVE, KS_RC_XMM, 0},
    {"xsave", KS_EV_SAVE, KS_RC_XMM, 0},
    {"fnsave", KS_EV_SAVE, KS_RC_X87, 0},
    {"fsave", KS_EV_SAVE, KS_RC_X87, 0},
    {"fnstcw", KS_EV_SAVE, KS_RC_X87, 0},
    {"fstcw", KS_EV_SAVE, KS_RC_X87, 0},
    {"fnstsw", KS_EV_SAVE, KS_RC_X87, 0},
    {"fstsw", KS_EV_SAVE, KS_RC_X87, 0},
    {"fnstenv", KS_EV_SAVE, KS_RC_X87, 0},
    {"stmxcsr", KS_EV_SAVE, KS_RC_MXCSR, 0},
    {"vstmxcsr", KS_EV_SAVE, KS_RC_MXCSR, 0},
    {"fxrstor", KS_EV_RESTORE, KS_RC_XMM, 0},
    {"xrstor", KS_EV_RESTORE, KS_RC_XMM, 0},
    {"frstor", KS_EV_RESTORE, KS_RC_X87, 0},
    {"fldcw", KS_EV_RESTORE, KS_RC_X87, 0},
    {"fldenv", KS_EV_RESTORE, KS_RC_X87, 0},
    {"ldmxcsr", KS_EV_RESTORE, KS_RC_MXCSR, 0},
    {"vldmxcsr", KS_EV_RESTORE, KS_RC_MXCSR, 0},
    {"fninit", KS_EV_RESTORE, KS_RC_X87, 0},
    {"finit", KS_EV_RESTORE, KS_RC_X87, 0},
    {"fnclex", KS_EV_RESTORE, KS_RC_X87, 0},
    {"fclex", KS_EV_RESTORE, KS_RC_X87, 0},
    {"emms", KS_EV_RESTORE, KS_RC_MMX, 0},
    {"femms", KS_EV_RESTORE, KS_RC_MMX, 0},
    {"vzero", KS_EV_SIMD, KS_RC_YMM, KS_ISA_BIT(AVX)},
    {"xstore", KS_EV_SIMD, KS_RC_UNIT, KS_ISA_BIT(PADLOCK)},
    {"xcrypt", KS_EV_SIMD, KS_RC_UNIT, KS_ISA_BIT(PADLOCK)},
    {"xsha", KS_EV_SIMD, KS_RC_UNIT, KS_ISA_BIT(PADLOCK)},
    {"montmul", KS_EV_SIMD, KS_RC_UNIT, KS_ISA_BIT(PADLOCK)},
    {"aesenc", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(AES)},
    {"aesdec", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(AES)},
    {"aesimc", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(AES)},
    {"aeskeygen", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(AES)},
    {"pclmul", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(PCLMUL)},
    {"sha1", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(SHA)},
    {"sha256", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(SHA)},
    {"tile", KS_EV_SIMD, KS_RC_TILE, KS_ISA_BIT(AMX)},
    {"ldtilecfg", KS_EV_SIMD, KS_RC_TILE, KS_ISA_BIT(AMX)},
    {"fwait", KS_EV_SIMD, KS_RC_X87, KS_ISA_BIT(X87)},
    {"cvtt", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(SSE)},
    {"cvts", KS_EV_SIMD, KS_RC_XMM, KS_ISA_BIT(SSE)},
};

// x87 mnemonics all begin with f; no others do but these.
static bool isX87(StringRef M) {
  static const char *const Roots[] = {
      "fabs", "fadd", "fbld", "fbstp", "fchs", "fcmov", "fcom", "fcos",
      "fdecstp", "fdiv", "ffree", "fiadd", "ficom", "fidiv", "fild", "fimul",
      "fincstp", "fist", "fisub", "fld", "fmul", "fnop", "fpatan", "fprem",
      "fptan", "frndint", "fscale", "fsin", "fsqrt", "fst", "fsub", "ftst",
      "fucom", "fxam", "fxch", "fxtract", "fyl2x", "f2xm1"};
  return llvm::any_of(Roots, [&](StringRef R) { return M.starts_with(R); });
}

static void addInsn(StringRef Line, Simd &S, uint8_t &Other) {
  // VIA's instructions, as people write them.
  if (Line.starts_with(".byte") && Line.contains_insensitive("0x0f") &&
      (Line.contains_insensitive("0xa7") || Line.contains_insensitive("0xa6"))) {
    S.Event = KS_EV_SIMD;
    S.Classes |= KS_RC_UNIT;
    S.Isa |= KS_ISA_BIT(PADLOCK);
    return;
  }
  StringRef M = Line.take_while([](char C) { return isalnum(C) || C == '_'; });
  for (const char *P : {"rep", "repz", "repe", "lock"})
    if (M == P) {
      addInsn(Line.drop_front(M.size()).ltrim(), S, Other);
      return;
    }
  for (const Mnemonic &X : Mnemonics)
    if (M.starts_with(X.Prefix) ||
        (M.starts_with("v") && M.drop_front().starts_with(X.Prefix))) {
      S.Classes |= X.Classes;
      S.Isa |= X.Isa;
      if (X.Event == KS_EV_SIMD)
        S.Event = KS_EV_SIMD;
      else
        Other = std::max(Other, X.Event);
      return;
    }
  if (isX87(M)) {
    S.Event = KS_EV_SIMD;
    S.Classes |= KS_RC_X87;
    S.Isa |= KS_ISA_BIT(X87);
  }
}

Simd UnitLowering::asmSimd(const GCCAsmStmt *A) {
  Simd S;
  uint8_t Other = KS_EV_NOP;
  std::string T = A->getAsmString()->getString().lower();
  // Comments of the assembler's.
  for (size_t I; (I = T.find("/*")) != std::string::npos;) {
    size_t End = T.find("*/", I);
    T.replace(I, End == std::string::npos ? End : End + 2 - I, " ");
  }
  // Registers in the text.  With operands, '%' begins one ("%k1" is operand 1)
  // and registers have two.
  StringRef Mark = A->isSimple() ? "%" : "%%";
  for (size_t I = 0; (I = T.find(Mark.data(), I)) != std::string::npos;
       I += Mark.size())
    addRegister(StringRef(T).substr(I).ltrim("%").take_while([](char C) {
      return isalnum(C) || C == '(' || C == ')';
    }), S);
  std::string Lines = T;
  for (char &C : Lines)
    if (C == ';')
      C = '\n';
  SmallVector<StringRef, 16> Parts;
  StringRef(Lines).split(Parts, '\n', -1, false);
  for (StringRef L : Parts) {
    L = L.trim();
    // "1: insn"
    size_t Colon = L.find(':');
    if (Colon != StringRef::npos &&
        L.take_front(Colon).find_if_not([](char C) {
          return isalnum(C) || C == '_' || C == '.';
        }) == StringRef::npos)
      L = L.drop_front(Colon + 1).ltrim();
    if (isX86(Ctx))
      addInsn(L, S, Other);
  }
  for (unsigned I = 0; I < A->getNumOutputs(); I++)
    addConstraint(A->getOutputConstraint(I), S);
  for (unsigned I = 0; I < A->getNumInputs(); I++)
    addConstraint(A->getInputConstraint(I), S);
  for (unsigned I = 0; I < A->getNumClobbers(); I++)
    addRegister(A->getClobber(I).lower(), S);
  if (!isX86(Ctx) && (S.Classes != 0 || S.Event != KS_EV_NOP)) {
    // x and w are general registers, v and q are not.
    S = Simd();
  }
  if (!isX86(Ctx)) {
    for (unsigned I = 0; I < A->getNumClobbers(); I++) {
      StringRef C = A->getClobber(I);
      if (C.size() > 1 && strchr("vqdszp", C[0]) && isdigit(C[1]) &&
          C != "x0") {
        S.Event = KS_EV_SIMD;
        S.Classes = KS_RC_XMM;
        S.Isa = KS_ISA_BIT(NEON);
      }
    }
    for (unsigned I = 0; I < A->getNumOutputs() + A->getNumInputs(); I++) {
      StringRef C = I < A->getNumOutputs()
                        ? A->getOutputConstraint(I)
                        : A->getInputConstraint(I - A->getNumOutputs());
      if (C.contains('w')) {
        S.Event = KS_EV_SIMD;
        S.Classes = KS_RC_XMM;
        S.Isa = KS_ISA_BIT(NEON);
      }
    }
  }
  // FXSAVE before a use is a use; alone it is a save.
  if (S.Event == KS_EV_NOP)
    S.Event = Other;
  else if (S.Isa == 0 && Other != KS_EV_NOP)
    S.Event = Other;
  S.Pinned = A->isVolatile() || A->getNumOutputs() == 0;
  return S;
}

} // namespace ksimd
