// SPDX-License-Identifier: BSD-2-Clause
//
// The plugin: its options, the names of its passes, and their order.
//
//   clang-19 -fplugin=libksimd-pass.so -fpass-plugin=libksimd-pass.so
//       [-mllvm -ksimd-profile=NAME] ... -c f.c
//   opt-19 -load-pass-plugin=libksimd-pass.so -passes=ksimd-confine f.ll
//
// -fplugin is what makes the options known to clang.
//
// In a pipeline of clang's, ksimd-confine comes first, when nothing has been
// moved yet, and ksimd-verify last:
//
// 1. always_inline functions are inlined (intrinsics are such, and would else
//    drag their features across), and locals become values.  Only those of one
//    type: splitting and joining memory here would make vectors of integers
//    that the source keeps outside.  Ways that clang has joined only to split
//    them again are taken apart.
// 2. The engine is asked about this IR: what is wrong is an error now, before
//    confining could hide it.
// 3. Brackets are outlined, then everything outside is confined.
// 4. What is passed between the sides is checked, here and at the end.
#include "pass.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <optional>

using namespace llvm;

namespace ksimd {
namespace {

cl::list<std::string> Profiles("ksimd-profile", cl::value_desc("name"),
                               cl::desc("Kernel whose interface is meant"));
cl::list<std::string> Contracts("ksimd-contract", cl::value_desc("file"),
                                cl::desc("What one file cannot know"));
cl::opt<std::string>
    EmitContract("ksimd-emit-contract", cl::value_desc("file"),
                 cl::desc("Write which functions need a region"));
cl::opt<bool> EmbedFacts("ksimd-embed-facts",
                         cl::desc("Say in the module which functions need a "
                                  "region, for the proof of a link"));

void fail(Module &M, const struct ks_error &E) {
  M.getContext().emitError(Twine("ksimd: ") + E.text);
}

// Profile and contracts of one run.
class Setup {
public:
  explicit Setup(Module &M) : P(ks_profile_new()), K(ks_contract_new()) {
    struct ks_error Err;
    std::vector<std::string> Names(Profiles.begin(), Profiles.end());
    if (Names.empty() && !detect(M, Names))
      return;
    for (const std::string &N : Names)
      if (ks_profile_load(P, N.c_str(), &Err) != KS_OK) {
        fail(M, Err);
        return;
      }
    for (const std::string &N : Contracts)
      if (ks_contract_load(K, N.c_str(), &Err) != KS_OK) {
        fail(M, Err);
        return;
      }
    O.Profile = P;
    O.Contract = K;
  }
  ~Setup() {
    ks_profile_free(P);
    ks_contract_free(K);
  }
  explicit operator bool() const { return O.Profile; }
  Options O;

private:
  // By the names that the module has.
  bool detect(Module &M, std::vector<std::string> &Names) {
    ks_detect_input In = {
        nullptr,
        [](void *Ctx, enum ks_detect_kind Kind, const char *Word) {
          return Kind == KS_DETECT_SYMBOL &&
                 static_cast<Module *>(Ctx)->getNamedValue(Word);
        },
        &M};
    ks_arena *A = ks_arena_new();
    struct ks_error Err;
    const char *Name;
    bool Ok = ks_profile_detect(A, &In, &Name, &Err) == KS_OK;
    if (Ok)
      Names.push_back(Name);
    else
      M.getContext().emitError(
          "ksimd: the kernel cannot be told from '" + M.getName() +
          "': give -mllvm -ksimd-profile=NAME");
    ks_arena_free(A);
    return Ok;
  }

  ks_profile *P;
  ks_contract *K;
};

// A parameter's own memory that nothing else is stored to.
bool keepsArgument(const AllocaInst &A) {
  const StoreInst *Only = nullptr;
  for (const User *U : A.users())
    if (const auto *S = dyn_cast<StoreInst>(U)) {
      if (Only || !isa<Argument>(S->getValueOperand()) ||
          !S->getParent()->isEntryBlock())
        return false;
      Only = S;
    }
  return Only;
}

// Locals that are only loaded and stored as a whole become values; with
// ARGUMENTS only those that are as good as the argument itself.
void promote(Function &F, bool Arguments = false) {
  if (!Arguments)
    unwrapRecords(F);
  std::optional<DominatorTree> DT;
  std::optional<AssumptionCache> AC;
  for (;;) {
    std::vector<AllocaInst *> Locals;
    for (Instruction &I : F.getEntryBlock())
      if (auto *A = dyn_cast<AllocaInst>(&I))
        if (isAllocaPromotable(A) && (!Arguments || keepsArgument(*A)))
          Locals.push_back(A);
    if (Locals.empty())
      return;
    if (!DT) {
      DT.emplace(F);
      AC.emplace(F);
    }
    PromoteMemToReg(Locals, *DT, &*AC);
  }
}

// Is there a call that has to be inlined?
bool mustInline(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *To = Call ? Call->getCalledFunction() : nullptr;
      if (To && To != &F && !To->isDeclaration() && !Call->isNoInline() &&
          To->hasFnAttribute(Attribute::AlwaysInline))
        return true;
    }
  return false;
}

// What an option of clang's has locals filled with, the source does not say:
// their floats and vectors are no use of SIMD.
void fillWithIntegers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *S = dyn_cast<StoreInst>(&I);
    auto *C = S ? dyn_cast<Constant>(S->getValueOperand()) : nullptr;
    const MDNode *Notes =
        S ? S->getMetadata(LLVMContext::MD_annotation) : nullptr;
    if (!C || !Notes || S->isVolatile() || !isSimdType(C->getType()))
      continue;
    if (any_of(Notes->operands(), [](const MDOperand &O) {
          auto *Text = dyn_cast<MDString>(O);
          return Text && Text->getString() == "auto-init";
        }) &&
        storeIntegers(C, S->getPointerOperand(), S->getAlign(), S))
      S->eraseFromParent();
  }
}

// Is a function of the module's own called or taken the address of by
// another one, or by data?
bool isUsed(const Function &F) {
  return any_of(F.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    return !I || I->getFunction() != &F;
  });
}

// Functions whose last use went with a way that is never taken go, too: in
// the object nobody would see that they are never called.  At -O0 no other
// pass does this.
struct Unused {
  explicit Unused(Module &M) {
    for (Function &F : M)
      if (F.hasLocalLinkage() && isUsed(F))
        Used.push_back(&F);
  }

  void drop(Module &M, ModuleAnalysisManager &MAM) const {
    if (!all_of(Used, [](const WeakTrackingVH &F) {
          auto *X = dyn_cast_or_null<Function>(F);
          return !X || isUsed(*X);
        }))
      GlobalDCEPass().run(M, MAM);
  }

  std::vector<WeakTrackingVH> Used;
};

void prepare(Module &M, const ks_profile &P, ModuleAnalysisManager &MAM) {
  inlineGuards(M, P);
  for (Function &F : M)
    fillWithIntegers(F);
  // Each copy of what is inlined is smaller for it, and conditions on a
  // parameter that is constant go with the copy.  Ways are still to be taken
  // apart (thread), so where there are several, other locals stay.
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute(Attribute::AlwaysInline))
      promote(F, F.size() > 1);
  // A function given to one that is inlined is called by name only once the
  // parameter is a value.  Functions that call each other come to no end.
  unsigned Rounds = 4;
  do {
    if (!leftOut(Step::Inline)) {
      PreservedAnalyses PA = AlwaysInlinerPass(false).run(M, MAM);
      MAM.invalidate(M, PA);
    }
    for (Function &F : M)
      if (!F.isDeclaration()) {
        if (!leftOut(Step::Ways))
          thread(F);
        if (!leftOut(Step::Values))
          promote(F);
        dropNullTests(F);
        if (!leftOut(Step::Ways))
          dropRepeated(F);
      }
    MAM.invalidate(M, PreservedAnalyses::none());
  } while (--Rounds > 0 && mustInline(M));
}

struct ConfinePass : PassInfoMixin<ConfinePass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    Setup S(M);
    if (!S)
      return PreservedAnalyses::all();
    const Unused Before(M);
    prepare(M, *S.O.Profile, MAM);
    S.O.Fail = !leftOut(Step::Judge);
    // What is on ways that are never taken is still there: a function that has
    // its brackets there is judged as one that has brackets.
    std::unique_ptr<Classes> C = classify(M, S.O);
    if (C && !(C->Errors && S.O.Fail)) {
      transform(M, *C);
      MAM.invalidate(M, PreservedAnalyses::none());
      Before.drop(M, MAM);
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  void transform(Module &M, const Classes &C) {
    SmallVector<Function *, 16> Outlined;
    std::vector<Function *> Brackets;
    for (Function &F : M)
      if (!F.isDeclaration())
        EliminateUnreachableBlocks(F);
    for (Function &F : M)
      if (C.Kinds.lookup(&F) == Kind::Bracket)
        Brackets.push_back(&F);
    for (Function *F : Brackets)
      Outlined.append(outline(*F, C));
    confine(M, C, Outlined);
    if (!verify(M))
      return;
    if (!EmitContract.empty())
      emitContract(M, C, EmitContract);
    if (EmbedFacts)
      embedFacts(M, C);
  }
};

struct VerifyPass : PassInfoMixin<VerifyPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!leftOut(Step::Last))
      verify(M);
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// What the engine is told and what it answers, without changing the code.
struct PrintPass : PassInfoMixin<PrintPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    Setup S(M);
    if (!S)
      return PreservedAnalyses::all();
    prepare(M, *S.O.Profile, MAM);
    S.O.Fail = false;
    if (std::unique_ptr<Classes> C = classify(M, S.O)) {
      if (!EmitContract.empty())
        emitContract(M, *C, EmitContract);
      print(M, *C, outs());
    }
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void registerPasses(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "ksimd-confine")
          MPM.addPass(ConfinePass());
        else if (Name == "ksimd-verify")
          MPM.addPass(VerifyPass());
        else if (Name == "print<ksimd>")
          MPM.addPass(PrintPass());
        else
          return false;
        return true;
      });
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(ConfinePass());
      });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) {
        MPM.addPass(VerifyPass());
      });
}

} // namespace
} // namespace ksimd

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "ksimd", ks_version(),
          ksimd::registerPasses};
}
