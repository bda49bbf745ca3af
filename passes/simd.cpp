// SPDX-License-Identifier: BSD-2-Clause
//
// What touches SIMD state in IR; the same rules as the source front end's.
//
// 1. A type is SIMD if values of it live in SIMD registers under the
//    function's features: floats always do (x87 at the least), integer
//    vectors only where the registers are switched on.
// 2. An instruction is an event if its result or an operand has such a type;
//    PHIs and constants move nothing by themselves.  Copies of memory are none:
//    whether they go through a vector register is the compiler's choice, and
//    that is what confining takes from it.
// 3. Intrinsics that save and load the state, and assembly (ks/asm.h).
#include "lower.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Triple.h"

#include "ks/asm.h"

using namespace llvm;

namespace ksimd {

static Cpu parseCpu(StringRef Target, StringRef Features) {
  Triple T(Target);
  Cpu C;
  C.X86 = T.isX86();
  // Clang lists what is on; a target has what nothing speaks of.
  C.Mmx = C.Sse = C.Sse2 = T.getArch() == Triple::x86_64;
  SmallVector<StringRef, 32> Words;
  Features.split(Words, ',', -1, false);
  for (StringRef W : Words)
    if (bool *B = StringSwitch<bool *>(W.drop_front())
                      .Case("mmx", &C.Mmx)
                      .Case("sse", &C.Sse)
                      .Case("sse2", &C.Sse2)
                      .Case("avx", &C.Avx)
                      .Case("avx512f", &C.Avx512f)
                      .Default(nullptr))
      *B = W[0] == '+';
  return C;
}

// Asked for each operand of each instruction, and mostly the same as before.
const Cpu &cpuOf(const Function &F) {
  static thread_local std::string Target, Features;
  static thread_local Cpu Last;
  const std::string &T = F.getParent()->getTargetTriple();
  StringRef S = F.getFnAttribute("target-features").getValueAsString();
  if (S != Features || T != Target) {
    Target = T;
    Features = S.str();
    Last = parseCpu(T, S);
  }
  return Last;
}

bool isSimdType(const Type *T) {
  if (const auto *A = dyn_cast<ArrayType>(T))
    return isSimdType(A->getElementType());
  if (const auto *S = dyn_cast<StructType>(T))
    return any_of(S->elements(), [](const Type *E) { return isSimdType(E); });
  return T->isFloatingPointTy() || T->isVectorTy() || T->isX86_AMXTy();
}

static SimdUse uses(unsigned Classes, ks_isaset Isa) {
  SimdUse S;
  S.Event = KS_EV_SIMD;
  S.Classes = Classes;
  S.Isa = Isa;
  return S;
}

static void merge(SimdUse &A, const SimdUse &B) {
  if (!B)
    return;
  A.Event = B.Event;
  A.Classes |= B.Classes;
  A.Isa |= B.Isa;
}

static SimdUse vectorUse(const VectorType *V, const Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  if (isa<ScalableVectorType>(V))
    return uses(KS_RC_XMM, KS_ISA_BIT(SVE));
  uint64_t Bits = DL.getTypeSizeInBits(const_cast<VectorType *>(V));
  const Type *E = V->getElementType();
  bool Float = E->isFloatingPointTy();
  const Cpu &C = cpuOf(F);
  if (!C.X86)
    return uses(KS_RC_XMM, KS_ISA_BIT(NEON));
  if (!C.Sse && !(Bits <= 64 && C.Mmx))
    return Float ? uses(KS_RC_X87, KS_ISA_BIT(X87)) : SimdUse();
  if (E->isIntegerTy(1) && C.Avx512f)
    return uses(KS_RC_MASK, KS_ISA_BIT(AVX512F));
  if (Bits <= 64 && Float)
    return uses(KS_RC_XMM, KS_ISA_BIT(SSE2));
  if (Bits <= 64)
    return C.Mmx ? uses(KS_RC_MMX, KS_ISA_BIT(MMX))
                 : uses(KS_RC_XMM, KS_ISA_BIT(SSE2));
  if (Bits <= 128 || !C.Avx)
    return uses(KS_RC_XMM,
                E->isFloatTy() ? KS_ISA_BIT(SSE) : KS_ISA_BIT(SSE2));
  if (Bits <= 256 || !C.Avx512f)
    return uses(KS_RC_YMM, KS_ISA_BIT(AVX));
  return uses(KS_RC_ZMM, KS_ISA_BIT(AVX512F));
}

SimdUse typeUse(const Type *T, const Function &F) {
  if (const auto *A = dyn_cast<ArrayType>(T))
    return typeUse(A->getElementType(), F);
  if (const auto *S = dyn_cast<StructType>(T)) {
    SimdUse R;
    for (const Type *E : S->elements())
      merge(R, typeUse(E, F));
    return R;
  }
  if (const auto *V = dyn_cast<VectorType>(T))
    return vectorUse(V, F);
  if (T->isX86_AMXTy())
    return uses(KS_RC_TILE, KS_ISA_BIT(AMX));
  if (!T->isFloatingPointTy())
    return SimdUse();
  const Cpu &C = cpuOf(F);
  if (!C.X86)
    return uses(KS_RC_XMM, KS_ISA_BIT(NEON));
  if (!T->isX86_FP80Ty() && (T->isFloatTy() ? C.Sse : C.Sse2))
    return uses(KS_RC_XMM,
                T->isFloatTy() ? KS_ISA_BIT(SSE) : KS_ISA_BIT(SSE2));
  return uses(KS_RC_X87, KS_ISA_BIT(X87));
}

static SimdUse asmUse(const CallBase &C) {
  const auto *A = cast<InlineAsm>(C.getCalledOperand());
  ks_asm K = {};
  SimdUse S;
  K.x86 = cpuOf(*C.getFunction()).X86;
  K.i386 = K.x86 && C.getModule()->getDataLayout().getPointerSize() == 4;
  const std::string &T = A->getAsmString();
  ks_asm_text(&K, T.data(), T.size(), "%");
  SmallVector<StringRef, 16> Words;
  StringRef(A->getConstraintString()).split(Words, ',', -1, false);
  for (StringRef W : Words)
    if (W.consume_front("~{"))
      ks_asm_clobber(&K, W.data(), W.size() - W.ends_with("}"));
    else if (!W.starts_with("!")) // a label
      ks_asm_constraint(&K, W.data(), W.size());
  S.Event = ks_asm_event(&K);
  S.Classes = K.classes;
  S.Isa = K.isa;
  S.Pinned = A->hasSideEffects();
  return S;
}

// Those that have no operand of a SIMD type.
static SimdUse intrinsicUse(StringRef Name) {
  SimdUse S;
  if (Name.consume_front("llvm.x86.")) {
    bool Saves = Name == "sse.stmxcsr" || Name.starts_with("fxsave") ||
                 Name.starts_with("xsave");
    bool Loads = Name == "sse.ldmxcsr" || Name.starts_with("fxrstor") ||
                 Name.starts_with("xrstor") || Name == "mmx.emms" ||
                 Name == "mmx.femms" || Name.starts_with("avx.vzero");
    if (Saves || Loads) {
      S.Event = Saves ? KS_EV_SAVE : KS_EV_RESTORE;
      S.Classes = Name.starts_with("sse.")   ? KS_RC_MXCSR
                  : Name.starts_with("mmx.") ? KS_RC_MMX
                                             : KS_RC_XMM;
    } else if (Name.starts_with("tile") || Name.starts_with("ldtilecfg") ||
               Name.starts_with("sttilecfg") || Name.starts_with("tdp") ||
               Name.starts_with("tcmm")) {
      return uses(KS_RC_TILE, KS_ISA_BIT(AMX));
    } else if (Name.starts_with("aesni.")) {
      S.Isa = KS_ISA_BIT(AES);
    } else if (Name.starts_with("pclmulqdq")) {
      S.Isa = KS_ISA_BIT(PCLMUL);
    } else if (Name.starts_with("sha")) {
      S.Isa = KS_ISA_BIT(SHA);
    }
    return S;
  }
  if (Name.starts_with("llvm.get.fpenv") || Name.starts_with("llvm.get.fpmode"))
    S.Event = KS_EV_SAVE;
  else if (Name.starts_with("llvm.set.fp") || Name.starts_with("llvm.reset.fp") ||
           Name == "llvm.set.rounding")
    S.Event = KS_EV_RESTORE;
  S.Classes = S ? KS_RC_XMM : 0;
  return S;
}

SimdUse simdUse(const Instruction &I) {
  SimdUse S;
  const Function &F = *I.getFunction();
  if (isa<PHINode, AllocaInst, DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
    return S;
  const auto *C = dyn_cast<CallBase>(&I);
  SimdUse Own;
  if (C && C->isInlineAsm()) {
    Own = asmUse(*C);
    S.Pinned = Own.Pinned;
  } else if (C && C->getCalledFunction() &&
             C->getCalledFunction()->isIntrinsic()) {
    Own = intrinsicUse(C->getCalledFunction()->getName());
  }
  merge(S, typeUse(I.getType(), F));
  const Type *Before = I.getType();
  for (const Use &U : I.operands())
    if (U->getType() != Before) {
      Before = U->getType();
      merge(S, typeUse(Before, F));
    }
  S.Classes |= Own.Classes;
  S.Isa |= Own.Isa;
  if (Own && (Own.Event == KS_EV_SIMD || !S))
    S.Event = Own.Event;
  S.Pinned |= I.isVolatile();
  return S;
}

bool touchesSimd(const Instruction &I) { return bool(simdUse(I)); }

} // namespace ksimd
