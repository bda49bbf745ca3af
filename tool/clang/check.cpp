// SPDX-License-Identifier: BSD-2-Clause
//
// ksimd-check: what "ksimd check" runs.
//
// 1. Which files, and how each is compiled: a database, or the flags behind
//    "--", or sparse's way (--kbuild).
// 2. Each file is parsed as Clang does, without warnings, and lowered to an
//    event graph; its AST is gone before the next begins.
// 3. All graphs are solved together; findings are reported as by any other
//    command.
//
// A file with errors is reported as Clang does and has no findings; the
// others are checked, and the exit status is 2.  The profile is chosen by
// the macros of the first file if none is named.
#include "database.h"
#include "front.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstring>
#include <unistd.h>

#include "ks/options.h"

using namespace clang;

namespace ksimd {
namespace {

struct Own {
  const char *Database;
  const char *EmitContract;
  const char *EmitGraph;
  bool Isa;
  bool Kbuild;
};

const ks_opt Options[] = {
    {"build-path", 'p', KS_OPT_STR, "PATH",
     "compile as this database says (also a folder, a .meta file)",
     offsetof(Own, Database), 0},
    {"emit-contract", 0, KS_OPT_STR, "FILE",
     "write what ksimd obj must know of these sources to FILE",
     offsetof(Own, EmitContract), 0},
    {"emit-graph", 0, KS_OPT_STR, "FILE",
     "write the event graphs to FILE, too (ksg(5))", offsetof(Own, EmitGraph),
     0},
    {"isa", 0, KS_OPT_FLAG, nullptr,
     "print the instruction sets that functions and files need, only",
     offsetof(Own, Isa), 0},
    {"kbuild", 0, KS_OPT_FLAG, nullptr,
     "take the compiler's arguments as sparse does (CHECK of Kbuild)",
     offsetof(Own, Kbuild), 0},
    {nullptr, 0, 0, nullptr, nullptr, 0, 0},
};

const ks_command Check = {
    "check", "file ... [-- flags]",
    "Checks C source: SIMD only where a region is held, regions that pair.",
    "Flags of the compiler stand behind --, or come from a database (-p); with "
    "a\ndatabase and no file, all of its files are checked.\n",
    KS_OPTS_PROFILE | KS_OPTS_SOLVE | KS_OPTS_REPORT, false, Options,
    nullptr};

// Clang's diagnostics on standard error, each in one write.
class Diagnostics : public DiagnosticConsumer {
public:
  Diagnostics() : Out(Text), Printer(Out, options()) {
    Printer.setPrefix("");
  }
  void BeginSourceFile(const LangOptions &L, const Preprocessor *P) override {
    Printer.BeginSourceFile(L, P);
  }
  void EndSourceFile() override { Printer.EndSourceFile(); }
  void HandleDiagnostic(DiagnosticsEngine::Level L,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(L, Info);
    if (L < DiagnosticsEngine::Error &&
        !(L == DiagnosticsEngine::Note && AfterError))
      return;
    AfterError = true;
    Printer.HandleDiagnostic(L, Info);
    Out.flush();
    if (write(STDERR_FILENO, Text.data(), Text.size()) < 0)
      Errors++;
    Text.clear();
    if (L >= DiagnosticsEngine::Error)
      Errors++;
  }
  unsigned Errors = 0;

private:
  static DiagnosticOptions *options() {
    static IntrusiveRefCntPtr<DiagnosticOptions> O(new DiagnosticOptions);
    O->ShowColors = isatty(STDERR_FILENO);
    return O.get();
  }
  bool AfterError = false;
  std::string Text;
  llvm::raw_string_ostream Out;
  TextDiagnosticPrinter Printer;
};

struct Run {
  ks_common Common = {};
  Own O = {};
  ks_profile *Profile = nullptr;
  ks_contract *Contract = nullptr;
  ks_findings *Findings = nullptr;
  ks_verdict Verdict = {};
  std::vector<ks_unit *> Units;
  bool UnitIf = false;
  unsigned Skipped = 0;
  unsigned BadFiles = 0; // with errors: exit 2
  bool Fatal = false;    // Err says why
  struct ks_error Err = {};
  std::string Here;
};

// --- one file ---------------------------------------------------------------

class Consumer : public ASTConsumer {
public:
  Consumer(Run &R, const Command &C, CompilerInstance &CI, AllowComments &A)
      : R(R), C(C), CI(CI), A(A) {}

  void HandleTranslationUnit(ASTContext &Ctx) override {
    if (CI.getDiagnostics().hasErrorOccurred() || R.Fatal)
      return;
    Preprocessor &PP = CI.getPreprocessor();
    if (!R.Profile && !choose(PP))
      return;
    if (R.UnitIf && !isKernelUnit(PP, R.Profile)) {
      R.Skipped++;
      return;
    }
    FrontOptions O;
    O.Profile = R.Profile;
    O.Rename = [this](StringRef Name) { return rename(Name); };
    ks_unit *U = lowerUnit(Ctx, O, C.File, A.Found);
    if (CI.getDiagnostics().hasErrorOccurred())
      ks_unit_free(U); // something was not followed
    else
      R.Units.push_back(U);
  }

private:
  bool choose(Preprocessor &PP) {
    ks_detect_input In = {nullptr, hasMacro, &PP};
    ks_arena *Arena = ks_arena_new();
    struct ks_error Why;
    const char *Name;
    int Rc = ks_profile_detect(Arena, &In, &Name, &Why);
    if (Rc != KS_OK) {
      ks_error(&R.Err, Rc, "%s: %s", C.File.c_str(), Why.text);
      R.Fatal = true;
    } else {
      R.Profile = ks_profile_new();
      Rc = ks_profile_load(R.Profile, Name, &R.Err);
      R.Fatal = Rc != KS_OK;
      if (!R.Fatal)
        ks_common_chosen(Name, C.File.c_str());
    }
    ks_arena_free(Arena);
    return !R.Fatal;
  }

  // Names in findings are from here, and as given where they were given.
  std::string rename(StringRef Name) {
    std::string Abs = absolutePath(Name.str(), C.Folder);
    if (Abs == absolutePath(C.File, ""))
      return C.File;
    StringRef S(Abs);
    if (S.consume_front(R.Here) && S.consume_front("/"))
      return S.str();
    return Abs;
  }

  Run &R;
  const Command &C;
  CompilerInstance &CI;
  AllowComments &A;
};

class Action : public ASTFrontendAction {
public:
  Action(Run &R, const Command &C) : R(R), C(C) {}

protected:
  bool BeginInvocation(CompilerInstance &CI) override {
    CI.getDiagnosticOpts().IgnoreWarnings = true;
    CI.getDiagnostics().setIgnoreAllWarnings(true);
    CI.getFrontendOpts().DisableFree = false;
    return true;
  }
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    CI.getPreprocessor().addCommentHandler(&Allows);
    return std::make_unique<Consumer>(R, C, CI, Allows);
  }

private:
  Run &R;
  const Command &C;
  AllowComments Allows;
};

void one(Run &R, const Command &C) {
  std::vector<std::string> Args = {"clang"};
  Args.insert(Args.end(), C.Flags.begin(), C.Flags.end());
  bool Resources = false;
  for (const std::string &F : C.Flags)
    Resources |= StringRef(F).starts_with("-resource-dir");
  if (!Resources)
    Args.push_back("-resource-dir=" KS_CLANG_RESOURCES);
  Args.push_back("-w");
  Args.push_back("-fsyntax-only");
  std::string File = C.File;
  if (!C.Folder.empty())
    File = absolutePath(C.File, "");
  Args.push_back("-x");
  Args.push_back("c");
  Args.push_back(File);
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Fs(
      llvm::vfs::createPhysicalFileSystem());
  if (!C.Folder.empty())
    Fs->setCurrentWorkingDirectory(C.Folder);
  llvm::IntrusiveRefCntPtr<FileManager> Files(
      new FileManager(FileSystemOptions(), Fs));
  Diagnostics D;
  tooling::ToolInvocation T(Args, std::make_unique<Action>(R, C), Files.get());
  T.setDiagnosticConsumer(&D);
  bool Ok = T.run();
  if (R.Fatal || (Ok && !D.Errors))
    return;
  if (!D.Errors)
    fprintf(stderr, "%s: error: cannot be compiled\n", C.File.c_str());
  R.BadFiles++;
}

// --- results -----------------------------------------------------------------

int emitGraph(const Run &R, struct ks_error *Err) {
  char *Data = nullptr;
  size_t Size = 0;
  FILE *F = open_memstream(&Data, &Size);
  int Rc = KS_OK;
  if (!F)
    return ks_error(Err, KS_EINTERNAL, "out of memory");
  for (const ks_unit *U : R.Units)
    if (Rc == KS_OK)
      Rc = ks_ksg_write(U, F);
  fclose(F);
  if (Rc == KS_OK)
    Rc = ks_write_file(R.O.EmitGraph, Data, Size, nullptr, Err);
  free(Data);
  return Rc;
}

int printIsa(const Run &R) {
  char Buf[512];
  for (const ks_unit *U : R.Units) {
    ks_isaset All = 0;
    const char *Name = ks_str(U->str, U->name);
    std::string Text;
    for (size_t I = 0; I < U->funcs.n; I++) {
      const ks_func &F = U->funcs.v[I];
      ks_isaset Set = 0;
      for (size_t K = 0; K < F.nodes.n; K++)
        Set |= F.nodes.v[K].isa;
      if (!Set)
        continue;
      All |= Set;
      Text += std::string(Name) + ": " +
              ks_str(U->str, U->syms.v[F.sym].name) + ": " +
              ks_isa_print(ks_isa_minimal(Set), Buf, sizeof(Buf)) + "\n";
    }
    printf("%s: %s\n%s", Name,
           All ? ks_isa_print(ks_isa_minimal(All), Buf, sizeof(Buf)) : "none",
           Text.c_str());
  }
  return ks_flush_stdout();
}

// --- the command ---------------------------------------------------------------

// Own options are what comes first with --kbuild; what follows is the
// compiler's.
int kbuildSplit(int argc, char **argv) {
  int I = 1;
  for (; I < argc; I++) {
    StringRef A(argv[I]);
    bool Own = A == "--kbuild" || A == "--advice" || A == "--all" ||
               A == "--closed" || A == "--assumptions";
    bool Arg = false;
    for (const char *O : {"--profile", "--contract", "--baseline",
                          "--write-baseline", "--fail-on", "--format",
                          "--output", "--emit-graph", "--emit-contract"})
      if (A == O)
        Arg = true;
      else if (A.starts_with(O) && A[strlen(O)] == '=')
        Own = true;
    if (!Own && !Arg)
      break;
    I += Arg;
  }
  return I;
}

int plan(Run &R, const std::vector<std::string> &Files,
         const std::vector<std::string> &Flags, bool HasFlags,
         std::vector<Command> &Plan) {
  if (!R.O.Database) {
    for (const std::string &F : Files)
      Plan.push_back({"", F, Flags});
    if (Plan.empty())
      return ks_error(&R.Err, KS_EUSAGE,
                      "check needs a file (ksimd check --help)");
    return KS_OK;
  }
  std::vector<Command> Db;
  std::string Err;
  llvm::StringSet<> Only;
  for (const std::string &F : Files)
    Only.insert(absolutePath(F, ""));
  if (!readDatabase(R.O.Database, Files.empty() ? nullptr : &Only, Db, Err))
    return ks_error(&R.Err, KS_EIO, "%s", Err.c_str());
  if (HasFlags)
    for (Command &C : Db)
      C.Flags.insert(C.Flags.end(), Flags.begin(), Flags.end());
  if (Files.empty()) {
    Plan = std::move(Db);
    return KS_OK;
  }
  llvm::StringMap<const Command *> ByPath;
  for (const Command &C : Db)
    ByPath[absolutePath(C.File, "")] = &C;
  for (const std::string &F : Files) {
    const Command *C = ByPath.lookup(absolutePath(F, ""));
    if (!C) {
      fprintf(stderr, "%s: error: not in the database %s\n", F.c_str(),
              R.O.Database);
      R.BadFiles++;
      continue;
    }
    Plan.push_back(*C);
    Plan.back().File = F;
  }
  return KS_OK;
}

int judge(Run &R) {
  ks_solve_opts So = {};
  int Rc = KS_OK;
  So.closed = R.Common.closed;
  So.contract = R.Contract;
  if (R.O.EmitGraph && (Rc = emitGraph(R, &R.Err)) != KS_OK)
    return Rc;
  R.Findings = ks_findings_new();
  if (!R.Profile) // nothing was lowered
    return KS_OK;
  Rc = ks_solve(R.Units.data(), R.Units.size(), R.Profile, &So, R.Findings,
                &R.Verdict, &R.Err);
  if (Rc == KS_OK && R.O.EmitContract)
    Rc = ks_contract_write(R.Units.data(), R.Units.size(), R.Findings,
                           nullptr, 0, R.O.EmitContract,
                           "ksimd check --emit-contract", &R.Err);
  return Rc;
}

int start(Run &R, int argc, char **argv) {
  std::vector<std::string> Flags, Files;
  bool Kbuild = false, HasFlags = false, FailOn = false;
  int Cut = argc, First, Rc;
  for (int I = 1; I < argc && strcmp(argv[I], "--") != 0; I++) {
    Kbuild |= strcmp(argv[I], "--kbuild") == 0;
    FailOn |= StringRef(argv[I]).starts_with("--fail-on");
  }
  if (Kbuild) {
    Cut = kbuildSplit(argc, argv);
    Flags = adjustFlags({argv + Cut, argv + argc}, Files);
  } else {
    for (int I = 1; I < argc; I++)
      if (strcmp(argv[I], "--") == 0) {
        Cut = I;
        HasFlags = true;
        Flags.assign(argv + I + 1, argv + argc);
        break;
      }
  }
  char *Line = ks_command_line(argc, argv);
  First = ks_options_parse(&Check, Cut, argv, &R.Common, &R.O, &R.Err);
  if (First == KS_OPTIONS_DONE)
    return ks_flush_stdout();
  if (First < 0)
    return ks_fail(&R.Err, First);
  R.Common.report.tool_args = Line;
  for (int I = First; I < Cut; I++)
    Files.push_back(argv[I]);
  // Flags given by hand, with a profile: the user says what the file is.
  R.UnitIf = R.O.Database || Kbuild || R.Common.profiles.n == 0;
  std::vector<Command> Plan;
  if ((Rc = ks_common_load(&R.Common, &R.Profile, &R.Contract, &R.Err)) !=
          KS_OK ||
      (Rc = plan(R, Files, Flags, HasFlags, Plan)) != KS_OK)
    return ks_fail(&R.Err, Rc);
  ks_progress Progress = {};
  ks_progress_start(&Progress);
  for (size_t I = 0; I < Plan.size() && !R.Fatal; I++) {
    ks_progress_step(&Progress, Plan[I].File.c_str(), I, Plan.size());
    one(R, Plan[I]);
  }
  ks_progress_end(&Progress);
  if (R.Fatal)
    return ks_fail(&R.Err, KS_EUSAGE);
  if (R.Skipped)
    fprintf(stderr, "%u file%s skipped: not kernel code (no %s)\n", R.Skipped,
            R.Skipped == 1 ? "" : "s", R.Profile->unit_if.v[0]);
  int Status = KS_EXIT_CLEAN;
  if (R.O.Isa) {
    Status = printIsa(R);
  } else if (!R.Units.empty() || !R.BadFiles) {
    if ((Rc = judge(R)) != KS_OK)
      return ks_fail(&R.Err, Rc);
    Status = ks_common_finish(&R.Common, R.Findings, R.Units.data(),
                              R.Units.size(), R.Contract,
                              Kbuild ? nullptr : &R.Verdict);
  }
  // Kbuild deletes the object of a file whose check fails.
  if (Kbuild && !FailOn && Status == KS_EXIT_FINDINGS)
    Status = KS_EXIT_CLEAN;
  if (R.BadFiles) {
    fprintf(stderr, "ksimd: error: %u file%s could not be checked\n",
            R.BadFiles, R.BadFiles == 1 ? "" : "s");
    Status = KS_EXIT_USAGE;
  }
  return Status;
}

} // namespace
} // namespace ksimd

int main(int argc, char **argv) {
  ksimd::Run R;
  llvm::SmallString<256> Here;
  llvm::sys::fs::current_path(Here);
  R.Here = std::string(Here);
  int Status = ksimd::start(R, argc, argv);
  fflush(nullptr);
  // Everything ends with the process.
  _exit(Status);
}
