// SPDX-License-Identifier: BSD-2-Clause
//
// Takes SIMD from all that runs outside a region.
//
// 1. What inside functions and outlined parts call, and which touches no SIMD
//    state itself, stays free if only they call it; if outside calls it, too,
//    they get a copy (NAME.inside), so that inlining and vectorising inside
//    are not lost.
// 2. All other functions lose SIMD: no implicit use of it, software floats,
//    and features switched off explicitly.  Explicitly, because a function
//    with other features than its caller's is not inlined into it, and no
//    argument of it is passed by value instead of by pointer.
// 3. Each function is marked with the side it is on; passes copy the mark when
//    they copy or split functions, and verify goes by it.
//
// Invariant: a function marked outside has the attributes of step 2, no SIMD
// instruction, parameter or result, and calls nothing marked inside.
#include "outline.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace ksimd {
namespace {

const char Mark[] = "ksimd";

// The features that are switched off, "" if the target is not known.  Only
// those that imply no other: whatever implies one of them goes with it, and
// LLVM takes long to read a list for each function.
std::string offFeatures(const Module &M) {
  Triple T(M.getTargetTriple());
  if (T.isX86())
    return "-x87,-mmx,-sse,-amx-tile";
  return T.isAArch64() ? "-neon,-fp-armv8,-sve,-sve2,-sme" : "";
}

bool failed(const Module &M) {
  const DiagnosticHandler *H = M.getContext().getDiagHandlerPtr();
  return H && H->HasErrors;
}

// Instructions that came with SSE and touch no SIMD state: without the feature
// the backend has none, and breaks off.
void keepScalar(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *II = dyn_cast<IntrinsicInst>(&I);
    const char *Name, *In = "~{memory}";
    switch (II ? II->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::x86_sse_sfence:
      Name = "sfence";
      break;
    case Intrinsic::x86_sse2_lfence:
      Name = "lfence";
      break;
    case Intrinsic::x86_sse2_mfence:
      Name = "mfence";
      break;
    case Intrinsic::x86_sse3_monitor:
      Name = "monitor";
      In = "{ax},{cx},{dx},~{memory}";
      break;
    case Intrinsic::x86_sse3_mwait:
      Name = "mwait";
      In = "{cx},{ax},~{memory}";
      break;
    default:
      continue;
    }
    II->setCalledOperand(InlineAsm::get(II->getFunctionType(), Name, In, true));
    II->setAttributes(AttributeList());
    II->addFnAttr(Attribute::NoUnwind);
  }
}

void takeSimd(Function &F, StringRef Off) {
  keepScalar(F);
  std::string Features =
      F.getFnAttribute("target-features").getValueAsString().str();
  if (!Features.empty())
    Features += ',';
  Features += Off;
  if (!leftOut(Step::Features))
    F.addFnAttr("target-features", Features);
  if (!leftOut(Step::SoftFloat))
    F.addFnAttr("use-soft-float", "true");
  if (!leftOut(Step::Implicit))
    F.addFnAttr(Attribute::NoImplicitFloat);
  F.addFnAttr("min-legal-vector-width", "0");
  F.removeFnAttr("prefer-vector-width");
  // There is nothing else to clear before a return.
  StringRef Clear = F.getFnAttribute("zero-call-used-regs").getValueAsString();
  if (Clear == "all" || Clear == "used")
    F.addFnAttr("zero-call-used-regs", (Clear + "-gpr").str());
  else if (Clear == "all-arg" || Clear == "used-arg")
    F.addFnAttr("zero-call-used-regs", (Clear.drop_back(4) + "-gpr-arg").str());
  F.addFnAttr(Mark, "outside");
}

bool isConfined(const Function &F, StringRef Off) {
  return (F.getFnAttribute("target-features")
              .getValueAsString()
              .ends_with(Off) ||
          leftOut(Step::Features)) &&
         (F.getFnAttribute("use-soft-float").getValueAsBool() ||
          leftOut(Step::SoftFloat)) &&
         (F.hasFnAttribute(Attribute::NoImplicitFloat) ||
          leftOut(Step::Implicit));
}

// Calls what runs inside a region: those functions, and copies of those that
// run outside, too.
class Sides {
public:
  Sides(const Classes &C) : C(C) {}
  void add(Function &F) { In.insert(&F); }
  void spread(Module &M);
  bool has(Function &F) const { return In.count(&F); }

private:
  void outside(Module &M);
  Function *inside(Function &F);
  const Classes &C;
  SetVector<Function *> In;
  // Free ones that are called outside: by what the engine says, or because the
  // part of a region with the call touches no SIMD and was left where it was.
  DenseSet<const Function *> Out;
  DenseMap<Function *, Function *> Copies;
};

// The function that inside code calls for F.
Function *Sides::inside(Function &F) {
  auto K = C.Kinds.find(&F);
  if (F.isDeclaration() || K == C.Kinds.end() || K->second != Kind::Free ||
      F.hasFnAttribute(Attribute::Naked))
    return &F;
  if (!Out.count(&F)) {
    In.insert(&F);
    return &F;
  }
  if (leftOut(Step::Copies))
    return &F;
  Function *&Copy = Copies[&F];
  if (!Copy) {
    ValueToValueMapTy Map;
    Function *New = CloneFunction(&F, Map);
    New->setName(F.getName() + ".inside");
    New->setLinkage(GlobalValue::InternalLinkage);
    New->setVisibility(GlobalValue::DefaultVisibility);
    New->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    New->setDSOLocal(true);
    New->setComdat(nullptr);
    Copies[&F] = New;
    In.insert(New);
    return New;
  }
  return Copy;
}

void Sides::outside(Module &M) {
  SmallVector<const Function *, 32> Work;
  for (const Function &F : M) {
    auto K = C.Kinds.find(&F);
    if (F.isDeclaration() || In.count(const_cast<Function *>(&F)) ||
        K == C.Kinds.end())
      continue;
    if (K->second != Kind::Free || C.CalledOut.lookup(&F)) {
      Out.insert(&F);
      Work.push_back(&F);
    }
  }
  while (!Work.empty())
    for (const Instruction &I : instructions(*Work.pop_back_val())) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *To = Call ? Call->getCalledFunction() : nullptr;
      if (To && !To->isDeclaration() && C.Kinds.lookup(To) == Kind::Free &&
          Out.insert(To).second)
        Work.push_back(To);
    }
}

// All that runs inside.
void Sides::spread(Module &M) {
  outside(M);
  for (unsigned N = 0; N < In.size(); N++)
    for (Instruction &I : instructions(*In[N])) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *To = Call ? Call->getCalledFunction() : nullptr;
      if (To && !In.count(To))
        Call->setCalledFunction(inside(*To));
    }
  for (auto [F, Copy] : Copies)
    if (F->use_empty() && F->hasLocalLinkage())
      F->eraseFromParent();
}

// --- Verify -----------------------------------------------------------------

bool no(const Function &F, const Instruction *I, const Twine &Why) {
  refuse(F, I, Why);
  return false;
}

// What is passed to F and back is where other code expects it, with SIMD and
// without.
bool verifyPassing(const Function &F) {
  if (leftOut(Step::Passing))
    return true;
  for (const Argument &A : F.args())
    if (typeUse(A.getType(), F))
      return no(F, nullptr, "float or vector parameter outside a region");
  if (typeUse(F.getReturnType(), F))
    return no(F, nullptr, "float or vector result outside a region");
  return true;
}

bool verifyOutside(const Function &F, StringRef Off) {
  if (!isConfined(F, Off))
    return no(F, nullptr, "attributes that confine are lost");
  if (!verifyPassing(F))
    return false;
  for (const Instruction &I : instructions(F)) {
    if (needsRegion(I) && !leftOut(Step::Left))
      return no(F, &I, "SIMD outside a region, made by the compiler");
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    if (To && To->getFnAttribute(Mark).getValueAsString() == "inside")
      return no(F, &I,
                "'" + To->getName() +
                    "', which needs a region, is called outside");
  }
  return true;
}

// Caller and callee have the same registers for what is passed: without SSE a
// vector comes in integer registers, or in memory.
bool verifyCalls(const Function &F) {
  if (leftOut(Step::Passing))
    return true;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *To = Call ? Call->getCalledFunction() : nullptr;
    if (!To || To->isIntrinsic() ||
        (To->isDeclaration() && !To->hasFnAttribute("target-features")))
      continue;
    auto Differs = [&](const Type *T) {
      return typeUse(T, F).Classes != typeUse(T, *To).Classes;
    };
    if (Differs(Call->getType()) ||
        any_of(Call->args(), [&](const Use &A) { return Differs(A->getType()); }))
      return no(F, &I,
                "float or vector is passed to or from '" + To->getName() +
                    "', which has other registers for it");
  }
  return true;
}

bool touches(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (needsRegion(I))
      return true;
  return false;
}

} // namespace

void confine(Module &M, const Classes &C, ArrayRef<Function *> Outlined) {
  if (failed(M))
    return;
  std::string Off = offFeatures(M);
  if (Off.empty()) {
    M.getContext().emitError("ksimd: what SIMD is on '" + M.getTargetTriple() +
                             "' is not known");
    return;
  }
  Sides S(C);
  for (Function *F : Outlined)
    S.add(*F);
  for (Function &F : M)
    if (!F.isDeclaration() && C.Kinds.lookup(&F) == Kind::Inside)
      S.add(F);
  S.spread(M);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    // All that had to be inlined has been; now it would mix the sides.
    F.removeFnAttr(Attribute::AlwaysInline);
    if (C.Kinds.lookup(&F) == Kind::Machinery)
      F.addFnAttr(Mark, "machinery");
    else if (S.has(F))
      F.addFnAttr(Mark, is_contained(Outlined, &F) ? "region" : "inside");
    else if (verifyPassing(F)) // while it has the features of its callers
      takeSimd(F, Off);
  }
}

// Functions that run inside only.
static std::vector<std::string> insideNames(const Module &M) {
  std::vector<std::string> Names;
  for (const Function &F : M) {
    StringRef Side = F.getFnAttribute(Mark).getValueAsString();
    if (Side == "inside" || Side == "region")
      Names.push_back(F.getName().str());
  }
  return Names;
}

void emitContract(Module &M, const Classes &C, const std::string &File) {
  std::vector<std::string> Names = insideNames(M);
  std::vector<const char *> Parts;
  for (const std::string &N : Names)
    Parts.push_back(N.c_str());
  struct ks_error Err;
  if (ks_contract_write(&C.L->Unit, 1, C.Findings, Parts.data(), Parts.size(),
                        File.c_str(), "ksimd-confine", &Err) != KS_OK)
    M.getContext().emitError(Twine("ksimd: ") + Err.text);
}

// A section that is not loaded, with a contract that ends in a NUL, as linkers
// put those of all modules behind each other.  No symbol is named, or the
// thin linker would take it for one that may not be renamed.
void embedFacts(Module &M, const Classes &C) {
  std::vector<std::string> Names = insideNames(M);
  for (size_t I = 0; I < C.Findings->v.n; I++) {
    const ks_finding &F = C.Findings->v.v[I];
    if (F.diag == KS_D_NEEDS_REGION && F.at.function)
      Names.push_back(F.at.function);
  }
  llvm::sort(Names);
  Names.erase(std::unique(Names.begin(), Names.end()), Names.end());
  std::string Text = ".pushsection " KS_FACTS_SECTION ",\"\",@progbits\n"
                     ".ascii \"# ksimd-confine\\n\"\n";
  for (const std::string &N : Names)
    // Any other name is of the source's own making; nothing is said of it.
    if (all_of(N, [](char Ch) { return isAlnum(Ch) || strchr("_.$", Ch); }))
      Text += ".ascii \"needs " + N + "\\n\"\n";
  M.appendModuleInlineAsm(Text + ".byte 0\n.popsection\n");
}

bool verify(Module &M) {
  if (failed(M))
    return false;
  std::string Off = offFeatures(M);
  bool Ok = true;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    StringRef Side = F.getFnAttribute(Mark).getValueAsString();
    // What another pass has made, as constructors of sanitizers.
    if (Side.empty() && !touches(F)) {
      takeSimd(F, Off);
      Side = "outside";
    }
    if (Side.empty())
      Ok = no(F, nullptr, "SIMD in a function that appeared after confining");
    else if (Side == "region" && !F.hasFnAttribute(Attribute::NoInline) &&
             !leftOut(Step::NoInline))
      Ok = no(F, nullptr, "region may be inlined");
    else if (Side == "outside")
      Ok = verifyOutside(F, Off) && Ok;
    else if (Side != "machinery")
      Ok = verifyCalls(F) && Ok;
  }
  return Ok;
}

} // namespace ksimd
