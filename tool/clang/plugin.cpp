// SPDX-License-Identifier: BSD-2-Clause
//
// The Clang plugin: ksimd check inside an ordinary build.
//
//   clang-19 -fplugin=libksimd-clang.so -Xclang -plugin-arg-ksimd
//       -Xclang profile=linux ... -c f.c
//
// It runs before code generation, and its findings are the compiler's own
// diagnostics: errors fail the compilation, as those of the compiler do.
// Arguments: profile=NAME, contract=FILE, emit-graph=FOLDER (one .ksg a
// file), advice, fail-on=error|warning|note|never.
#include "front.h"

#include "clang/Frontend/FrontendPluginRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "ks/options.h"

using namespace clang;

namespace ksimd {
namespace {

struct Settings {
  std::vector<std::string> Profiles, Contracts;
  std::string EmitGraph;
  bool Advice = false;
  int FailOn = KS_SEV_ERROR;
};

class PluginConsumer : public ASTConsumer {
public:
  PluginConsumer(CompilerInstance &CI, std::string File, Settings S)
      : CI(CI), File(std::move(File)), S(std::move(S)) {
    CI.getPreprocessor().addCommentHandler(&Allows);
  }

  void HandleTranslationUnit(ASTContext &Ctx) override {
    DiagnosticsEngine &D = CI.getDiagnostics();
    if (D.hasErrorOccurred())
      return;
    ks_profile *P = load(D);
    if (!P || !isKernelUnit(CI.getPreprocessor(), P)) {
      ks_profile_free(P);
      return;
    }
    FrontOptions O;
    O.Profile = P;
    ks_unit *U = lowerUnit(Ctx, O, File, Allows.Found);
    if (D.hasErrorOccurred()) { // something was not followed
      ks_unit_free(U);
      ks_profile_free(P);
      return;
    }
    ks_contract *K = contracts(D);
    if (!S.EmitGraph.empty())
      emit(D, U);
    if (K)
      judge(Ctx, U, P, K);
    ks_contract_free(K);
    ks_unit_free(U);
    ks_profile_free(P);
  }

private:
  void fail(DiagnosticsEngine &D, const struct ks_error &E) {
    D.Report(D.getCustomDiagID(DiagnosticsEngine::Error, "ksimd: %0"))
        << StringRef(E.text);
  }

  ks_profile *load(DiagnosticsEngine &D) {
    ks_profile *P = ks_profile_new();
    struct ks_error Err;
    if (S.Profiles.empty()) {
      ks_detect_input In = {nullptr, hasMacro, &CI.getPreprocessor()};
      ks_arena *A = ks_arena_new();
      const char *Name;
      // A unit of no kernel: configure's probes, host tools.
      if (ks_profile_detect(A, &In, &Name, &Err) == KS_OK)
        S.Profiles.push_back(Name);
      ks_arena_free(A);
      if (S.Profiles.empty()) {
        ks_profile_free(P);
        return nullptr;
      }
    }
    for (const std::string &N : S.Profiles)
      if (ks_profile_load(P, N.c_str(), &Err) != KS_OK) {
        fail(D, Err);
        ks_profile_free(P);
        return nullptr;
      }
    return P;
  }

  ks_contract *contracts(DiagnosticsEngine &D) {
    ks_contract *K = ks_contract_new();
    struct ks_error Err;
    for (const std::string &N : S.Contracts)
      if (ks_contract_load(K, N.c_str(), &Err) != KS_OK) {
        fail(D, Err);
        ks_contract_free(K);
        return nullptr;
      }
    return K;
  }

  // One file a unit, named after the source's path.
  void emit(DiagnosticsEngine &D, ks_unit *U) {
    std::string Name = File;
    for (char &C : Name)
      if (C == '/')
        C = '#';
    llvm::SmallString<256> Path(S.EmitGraph);
    llvm::sys::fs::create_directories(Path);
    llvm::sys::path::append(Path, Name + ".ksg");
    char *Data = nullptr;
    size_t Size = 0;
    FILE *F = open_memstream(&Data, &Size);
    struct ks_error Err;
    int Rc = ks_ksg_write(U, F);
    fclose(F);
    if (Rc == KS_OK)
      Rc = ks_write_file(std::string(Path).c_str(), Data, Size, nullptr, &Err);
    free(Data);
    if (Rc != KS_OK)
      fail(D, Err);
  }

  SourceLocation where(ASTContext &Ctx, const ks_place_text &At) {
    FileManager &Fm = CI.getFileManager();
    if (!At.file || !At.line)
      return SourceLocation();
    auto F = Fm.getOptionalFileRef(At.file);
    return F ? Ctx.getSourceManager().translateFileLineCol(
                   &F->getFileEntry(), At.line, At.col ? At.col : 1)
             : SourceLocation();
  }

  void judge(ASTContext &Ctx, ks_unit *U, ks_profile *P, ks_contract *K) {
    DiagnosticsEngine &D = CI.getDiagnostics();
    ks_solve_opts So = {};
    ks_findings *F = ks_findings_new();
    ks_verdict V = {};
    ks_report_opts Ro = {};
    struct ks_error Err;
    So.contract = K;
    Ro.advice = S.Advice;
    if (ks_solve(&U, 1, P, &So, F, &V, &Err) != KS_OK ||
        ks_findings_finish(F, &Ro, &Err) != KS_OK) {
      fail(D, Err);
    } else {
      for (size_t I = 0; I < F->v.n; I++)
        report(Ctx, D, F->v.v[I]);
    }
    ks_vec_free(&V.assumptions);
    ks_findings_free(F);
  }

  void report(ASTContext &Ctx, DiagnosticsEngine &D, const ks_finding &X) {
    if (X.severity == KS_SEV_NOTE)
      return; // a note needs something to hang on
    bool Error = (int)X.severity >= S.FailOn;
    unsigned Id = D.getCustomDiagID(
        Error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning,
        "%0 [%1]");
    unsigned Note = D.getCustomDiagID(DiagnosticsEngine::Note, "%0");
    D.Report(where(Ctx, X.at), Id)
        << StringRef(X.message) << StringRef(ks_diags[X.diag].id);
    for (size_t I = 0; I < X.ntrace; I++) {
      const ks_trace &T = X.trace[I];
      SourceLocation L = where(Ctx, T.at);
      auto B = D.Report(L, Note) << StringRef(T.message);
      if (T.fix && L.isValid())
        B << FixItHint::CreateReplacement(
            CharSourceRange::getCharRange(
                L, L.getLocWithOffset(T.fix_end - T.at.col)),
            T.fix);
    }
  }

  CompilerInstance &CI;
  std::string File;
  Settings S;
  AllowComments Allows;
};

class PluginAction : public PluginASTAction {
protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef File) override {
    return std::make_unique<PluginConsumer>(CI, File.str(), S);
  }
  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Args) override {
    DiagnosticsEngine &D = CI.getDiagnostics();
    for (const std::string &A : Args) {
      auto [Name, Value] = StringRef(A).split('=');
      int Level = llvm::StringSwitch<int>(Value)
                      .Case("note", KS_SEV_NOTE)
                      .Case("warning", KS_SEV_WARNING)
                      .Case("error", KS_SEV_ERROR)
                      .Case("never", KS_SEV_ERROR + 1)
                      .Default(-1);
      if (Name == "profile" && !Value.empty())
        S.Profiles.push_back(Value.str());
      else if (Name == "contract" && !Value.empty())
        S.Contracts.push_back(Value.str());
      else if (Name == "emit-graph" && !Value.empty())
        S.EmitGraph = Value.str();
      else if (A == "advice")
        S.Advice = true;
      else if (Name == "fail-on" && Level >= 0)
        S.FailOn = Level;
      else {
        D.Report(D.getCustomDiagID(DiagnosticsEngine::Error,
                                   "ksimd: wrong argument '%0'"))
            << A;
        return false;
      }
    }
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  Settings S;
};

FrontendPluginRegistry::Add<PluginAction>
    Register("ksimd", "SIMD state is used only where a region is held");

} // namespace
} // namespace ksimd
