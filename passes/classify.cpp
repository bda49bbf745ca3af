// SPDX-License-Identifier: BSD-2-Clause
//
// What the engine says of a module.
//
// 1. The module is lowered and solved; errors and warnings are printed as
//    "ksimd check" prints them, and errors stop the compiler.
// 2. A function that needs a region is inside; one in which the engine saw a
//    region opened or left is a bracket; the profile names machinery; the rest
//    is free.
// 3. From the calls, and what is held at each: which functions are called
//    inside, outside, or both.  Unknown code calls outside what it can reach.
#include "pass.h"

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"

#include "ks/finding.h"

#include <algorithm>

using namespace llvm;

namespace ksimd {
namespace {

class Classifier {
public:
  Classifier(Module &M, const Options &O, Classes &C)
      : M(M), O(O), C(C), U(C.L->Unit), Held(C.Held->unit[0]) {
    for (auto [F, I] : C.L->Funcs)
      Back[I] = F;
  }

  void run() {
    for (uint32_t I = 0; I < U->funcs.n; I++)
      C.Kinds[Back[I]] = kind(I);
    for (uint32_t I = 0; I < U->funcs.n; I++)
      roots(I);
    for (bool More = true; More;) {
      More = false;
      for (uint32_t I = 0; I < U->funcs.n; I++)
        More |= calls(I);
    }
  }

private:
  bool declared(const ks_func &F) {
    const char *Name = ks_str(U->str, U->syms.v[F.sym].name);
    return (F.flags & (KS_FUNC_NEEDS | KS_FUNC_HELD)) ||
           (O.Contract &&
            (ks_contract_find(O.Contract, KS_CONTRACT_NEEDS, Name, nullptr) ||
             ks_contract_find(O.Contract, KS_CONTRACT_HELD_BY, Name,
                              nullptr)));
  }

  Kind kind(uint32_t I) {
    const ks_held_func &H = Held[I];
    const ks_func &F = U->funcs.v[I];
    if (H.machinery)
      return Kind::Machinery;
    bool Needs = H.needs || declared(F);
    unsigned Seen = 0;
    for (size_t N = 0; H.at && N < F.nodes.n; N++)
      Seen |= H.at[N];
    if (Seen & (KS_HELD_OUT | (Needs ? 0 : KS_HELD_IN)))
      return Kind::Bracket;
    return Needs ? Kind::Inside : Kind::Free;
  }

  void mark(const Function *F, bool In) {
    bool &X = In ? C.CalledIn[F] : C.CalledOut[F];
    Changed |= !X;
    X = true;
  }

  void roots(uint32_t I) {
    const Function *F = Back[I];
    const ks_sym &S = U->syms.v[U->funcs.v[I].sym];
    C.CalledIn.insert({F, false});
    C.CalledOut.insert({F, false});
    // Anything but a call: tables, resolvers, what the linker is told to keep.
    bool Other = any_of(F->uses(), [](const Use &X) {
      const auto *By = dyn_cast<CallBase>(X.getUser());
      return !By || !By->isCallee(&X);
    });
    if (C.Kinds[F] == Kind::Inside)
      mark(F, true);
    else if (!(S.flags & KS_SYM_LOCAL) || Other || F->use_empty())
      mark(F, false);
  }

  // Known code calls symbol SYM with what BITS say.
  void reach(uint32_t Sym, unsigned Bits, const Function *From) {
    uint32_t I = U->syms.v[Sym].func;
    if (I == KS_NONE)
      return;
    const Function *To = Back[I];
    bool Inside = C.Kinds[From] == Kind::Inside;
    if ((Bits & KS_HELD_IN) ||
        ((Bits & KS_HELD_CALLER) && (Inside || C.CalledIn[From])))
      mark(To, true);
    if ((Bits & KS_HELD_OUT) ||
        ((Bits & KS_HELD_CALLER) && !Inside && C.CalledOut[From]))
      mark(To, false);
  }

  // Targets by the first key at which something is stored; else anything
  // whose address is taken.
  void indirect(const ks_func &F, const ks_call &K, unsigned Bits,
                const Function *From) {
    bool Any = false;
    for (uint32_t I = 0; I < K.nkey && !Any; I++)
      for (size_t S = 0; S < U->stores.n; S++)
        if (U->stores.v[S].key == F.keys.v[K.key + I] &&
            U->stores.v[S].sym != KS_NONE) {
          reach(U->stores.v[S].sym, Bits, From);
          Any = true;
        }
    for (uint32_t S = 0; S < U->syms.n && !Any; S++)
      if (U->syms.v[S].flags & KS_SYM_ADDR_TAKEN)
        reach(S, Bits, From);
  }

  bool calls(uint32_t I) {
    const ks_func &F = U->funcs.v[I];
    const ks_held_func &H = Held[I];
    Changed = false;
    for (size_t N = 0; N < F.nodes.n; N++) {
      if (F.nodes.v[N].ev != KS_EV_CALL)
        continue;
      const ks_call &K = F.calls.v[F.nodes.v[N].call];
      // Machinery is not judged, and runs anywhere.
      unsigned Bits = H.at ? (unsigned)H.at[N] : (unsigned)KS_HELD_CALLER;
      if (K.sym != KS_NONE)
        reach(K.sym, Bits, Back[I]);
      else
        indirect(F, K, Bits, Back[I]);
    }
    return Changed;
  }

  Module &M;
  const Options &O;
  Classes &C;
  const ks_unit *U;
  const ks_held_func *Held;
  DenseMap<uint32_t, const Function *> Back;
  bool Changed = false;
};

// Prints errors and warnings; notes are for contracts.
unsigned report(ks_findings *F, struct ks_error *Err, int *Rc) {
  struct ks_report_opts Ro = {};
  unsigned Errors = 0;
  size_t N = 0, All;
  Ro.to_stderr = true;
  Ro.color = errs().has_colors();
  *Rc = ks_findings_finish(F, &Ro, Err);
  if (*Rc != KS_OK)
    return 0;
  All = F->v.n;
  std::stable_partition(F->v.v, F->v.v + All, [&](const ks_finding &X) {
    Errors += X.severity == KS_SEV_ERROR;
    N += X.severity != KS_SEV_NOTE;
    return X.severity != KS_SEV_NOTE;
  });
  F->v.n = N;
  if (N != 0)
    *Rc = ks_report(F, &Ro, Err);
  F->v.n = All;
  return Errors;
}

} // namespace

bool Classes::held(const Instruction &I) const {
  const Function *F = I.getFunction();
  auto It = L->Funcs.find(F);
  if (It == L->Funcs.end())
    return false;
  const ks_held_func &H = Held->unit[0][It->second];
  unsigned Bits = H.at ? H.at[L->at(I)] : 0;
  unsigned Ok = KS_HELD_IN;
  if (H.needs || Kinds.lookup(F) == Kind::Inside)
    Ok |= KS_HELD_CALLER;
  return H.at && (Bits & ~Ok) == 0;
}

std::unique_ptr<Classes> classify(Module &M, const Options &O) {
  auto C = std::make_unique<Classes>();
  C->Profile = O.Profile;
  C->L = lowerModule(M, *O.Profile);
  struct ks_error Err = {};
  struct ks_solve_opts So = {};
  struct ks_verdict V = {};
  ks_findings *F = C->Findings = ks_findings_new();
  So.contract = O.Contract;
  So.no_advice = true;
  So.held = &C->Held;
  unsigned Errors = 0;
  int Rc = ks_unit_check(C->L->Unit, &Err);
  if (Rc == KS_OK)
    Rc = ks_solve(&C->L->Unit, 1, O.Profile, &So, F, &V, &Err);
  if (Rc == KS_OK)
    Errors = report(F, &Err, &Rc);
  ks_vec_free(&V.assumptions);
  if (Rc != KS_OK) {
    M.getContext().emitError(Twine("ksimd: ") + Err.text);
    return nullptr;
  }
  C->Errors = Errors != 0;
  if (Errors && O.Fail)
    M.getContext().emitError("ksimd: " + Twine(Errors) + " error" +
                             (Errors == 1 ? "" : "s") +
                             ": SIMD state is not used as it must be");
  Classifier(M, O, *C).run();
  return C;
}

static const char *kindName(Kind K) {
  switch (K) {
  case Kind::Free:
    return "free";
  case Kind::Inside:
    return "inside";
  case Kind::Bracket:
    return "bracket";
  case Kind::Machinery:
    return "machinery";
  }
  return "";
}

// Nodes with the same bits, as ranges: "out 0-3, in 4, caller out 7-9".
static void printHeld(const ks_func &F, const ks_held_func &H,
                      raw_ostream &Out) {
  const char *Sep = " held:";
  for (uint32_t N = 0, E; H.at && N < F.nodes.n; N = E) {
    for (E = N + 1; E < F.nodes.n && H.at[E] == H.at[N];)
      E++;
    Out << Sep;
    Sep = ",";
    if (H.at[N] == 0)
      Out << " never";
    if (H.at[N] & KS_HELD_CALLER)
      Out << " caller";
    if (H.at[N] & KS_HELD_IN)
      Out << " in";
    if (H.at[N] & KS_HELD_OUT)
      Out << " out";
    Out << " " << N;
    if (E - N > 1)
      Out << "-" << E - 1;
  }
}

void print(const Module &M, const Classes &C, raw_ostream &Out) {
  for (const Function &F : M) {
    auto It = C.L->Funcs.find(&F);
    if (It == C.L->Funcs.end())
      continue;
    Out << F.getName() << ": " << kindName(C.Kinds.lookup(&F));
    if (C.CalledIn.lookup(&F))
      Out << ", called inside";
    if (C.CalledOut.lookup(&F))
      Out << ", called outside";
    Out << ";";
    printHeld(C.L->Unit->funcs.v[It->second], C.Held->unit[0][It->second],
              Out);
    Out << "\n";
  }
  char *Data = nullptr;
  size_t Size = 0;
  FILE *Text = open_memstream(&Data, &Size);
  if (!Text)
    return;
  ks_ksg_write(C.L->Unit, Text);
  fclose(Text);
  Out << "\n" << StringRef(Data, Size);
  free(Data);
}

} // namespace ksimd
