// SPDX-License-Identifier: BSD-2-Clause
//
// Compilation databases.
//
// 1. JSON: what CMake, Bear, Kbuild's and Clang's own generators write.
// 2. Pieces: a folder with one JSON object a file and a comma behind it, as
//    clang -gen-cdb-fragment-path leaves them.
// 3. bmake's META_MODE: a .meta file has the commands of a target as lines
//    "CMD ..." and the folder as "CWD ...".  Commands that compile C are
//    taken, split at blanks as a shell does.
//
// The last command for a file wins, as the last one made its object.
#include "database.h"
#include "front.h"

#include "clang/Driver/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace ksimd {

std::string absolutePath(const std::string &Path, const std::string &Folder) {
  SmallString<256> P(Path);
  if (!sys::path::is_absolute(P) && !Folder.empty()) {
    P = Folder;
    sys::path::append(P, Path);
  }
  sys::fs::make_absolute(P);
  sys::path::remove_dots(P, true);
  return std::string(P);
}

std::vector<std::string> adjustFlags(const std::vector<std::string> &Args,
                                     std::vector<std::string> &Files) {
  using namespace clang::driver;
  std::vector<const char *> Raw;
  for (const std::string &A : Args)
    Raw.push_back(A.c_str());
  unsigned MissingIndex, MissingCount;
  const opt::OptTable &T = getDriverOptTable();
  opt::InputArgList L =
      T.ParseArgs(Raw, MissingIndex, MissingCount,
                  opt::Visibility(options::ClangOption));
  opt::ArgStringList Keep;
  for (const opt::Arg *A : L) {
    const opt::Option &O = A->getOption();
    if (O.matches(options::OPT_INPUT)) {
      Files.push_back(A->getValue());
      continue;
    }
    StringRef S = A->getSpelling();
    // -Wp,-D... is no warning; -Wp,-MMD,... is a dependency file.
    if (O.matches(options::OPT_Wp_COMMA)) {
      if (!StringRef(A->getValue()).starts_with("-M"))
        A->render(L, Keep);
      continue;
    }
    if (O.matches(options::OPT_UNKNOWN) || O.matches(options::OPT_M_Group) ||
        S.starts_with("-W") || O.matches(options::OPT_w) ||
        O.matches(options::OPT_o) || O.matches(options::OPT_c) ||
        O.matches(options::OPT_S) || O.matches(options::OPT_E) ||
        O.matches(options::OPT_save_temps_EQ) ||
        O.matches(options::OPT_save_temps) ||
        O.matches(options::OPT_gen_cdb_fragment_path) ||
        O.matches(options::OPT_MJ) || O.matches(options::OPT_fplugin_EQ) ||
        O.matches(options::OPT_fpass_plugin_EQ))
      continue;
    // Known, but for Clang's other targets only.
    if (S == "-mrecord-mcount" || S == "-mnop-mcount")
      continue;
    A->render(L, Keep);
  }
  std::vector<std::string> Out;
  for (const char *K : Keep)
    Out.push_back(K);
  return Out;
}

static std::string sameFile(StringRef Given, StringRef Folder) {
  std::string P = absolutePath(Given.str(), Folder.str());
  SmallString<256> Here;
  sys::fs::current_path(Here);
  StringRef R(P);
  if (R.consume_front(Here) && R.consume_front("/"))
    return R.str();
  return P;
}

namespace {
struct Reader {
  const StringSet<> *Only; // absolute paths, or null
  std::vector<Command> &Out;
  StringMap<size_t> Index; // of Out, by absolute path
  std::string &Err;

  bool wanted(StringRef File, StringRef Folder) {
    return !Only || Only->contains(absolutePath(File.str(), Folder.str()));
  }
  void add(StringRef Folder, ArrayRef<std::string> Args);
  bool json(StringRef Text);
  void meta(StringRef Text);
};
} // namespace

void Reader::add(StringRef Folder, ArrayRef<std::string> Args) {
  std::vector<std::string> Files;
  Command C;
  C.Flags = adjustFlags({Args.begin() + 1, Args.end()}, Files);
  C.Folder = Folder.str();
  for (const std::string &F : Files) {
    StringRef Ext = sys::path::extension(F);
    if ((Ext != ".c" && Ext != ".i") || !wanted(F, Folder))
      continue;
    C.File = sameFile(F, Folder);
    auto [It, New] =
        Index.try_emplace(absolutePath(F, Folder.str()), Out.size());
    if (New)
      Out.push_back(C);
    else
      Out[It->second] = C;
  }
}

static std::vector<std::string> shellWords(StringRef Text) {
  BumpPtrAllocator A;
  StringSaver Saver(A);
  SmallVector<const char *, 64> Words;
  cl::TokenizeGNUCommandLine(Text, Saver, Words);
  return {Words.begin(), Words.end()};
}

bool Reader::json(StringRef Text) {
  Expected<json::Value> V = json::parse(Text);
  if (!V) {
    Err = toString(V.takeError());
    return false;
  }
  const json::Array *All = V->getAsArray();
  if (!All) {
    Err = "no list of commands";
    return false;
  }
  for (const json::Value &One : *All) {
    const json::Object *O = One.getAsObject();
    std::optional<StringRef> Folder, File, Line;
    if (O) {
      Folder = O->getString("directory");
      File = O->getString("file");
      Line = O->getString("command");
    }
    const json::Array *Args = O ? O->getArray("arguments") : nullptr;
    if (!Folder || !File || (!Line && !Args)) {
      Err = "a command without directory, file, or command and arguments";
      return false;
    }
    if (!wanted(*File, *Folder))
      continue;
    std::vector<std::string> Words;
    if (Args)
      for (const json::Value &A : *Args)
        Words.push_back(A.getAsString().value_or("").str());
    else
      Words = shellWords(*Line);
    if (!Words.empty())
      add(*Folder, Words);
  }
  return true;
}

void Reader::meta(StringRef Text) {
  SmallVector<StringRef, 32> Lines;
  std::string Folder;
  Text.split(Lines, '\n', -1, false);
  for (StringRef L : Lines)
    if (L.consume_front("CWD "))
      Folder = L.trim().str();
  for (StringRef L : Lines) {
    if (!L.consume_front("CMD "))
      continue;
    SmallVector<StringRef, 4> Parts;
    std::string Cut = L.str();
    for (size_t I; (I = Cut.find("&&")) != std::string::npos;)
      Cut.replace(I, 2, ";");
    StringRef(Cut).split(Parts, ';', -1, false);
    for (StringRef P : Parts) {
      std::vector<std::string> Args = shellWords(P);
      if (Args.size() > 2 && is_contained(Args, "-c"))
        add(Folder, Args);
    }
  }
}

static bool readFile(StringRef Path, std::string &Out, std::string &Err) {
  auto B = MemoryBuffer::getFile(Path);
  if (!B) {
    Err = (Path + ": " + B.getError().message()).str();
    return false;
  }
  Out = (*B)->getBuffer().str();
  return true;
}

// All files under FOLDER that end so, in the order of their names.
static std::vector<std::string> filesUnder(StringRef Folder, StringRef End) {
  std::vector<std::string> Out;
  std::error_code Ec;
  for (sys::fs::recursive_directory_iterator I(Folder, Ec), E; I != E && !Ec;
       I.increment(Ec))
    if (StringRef(I->path()).ends_with(End))
      Out.push_back(I->path());
  sort(Out);
  return Out;
}

bool readDatabase(const std::string &Path, const StringSet<> *Only,
                  std::vector<Command> &Out, std::string &Err) {
  std::string Text;
  Reader R{Only, Out, {}, Err};
  if (!sys::fs::exists(Path)) {
    Err = Path + ": no such file or folder";
    return false;
  }
  if (!sys::fs::is_directory(Path)) {
    if (!readFile(Path, Text, Err))
      return false;
    if (StringRef(Path).ends_with(".meta")) {
      R.meta(Text);
      return true;
    }
    if (!R.json(Text)) {
      Err = Path + ": " + Err;
      return false;
    }
    return true;
  }
  SmallString<256> Json(Path);
  sys::path::append(Json, "compile_commands.json");
  if (sys::fs::exists(Json))
    return readDatabase(std::string(Json), Only, Out, Err);
  std::string All = "[";
  size_t Pieces = 0;
  for (const std::string &F : filesUnder(Path, ".json")) {
    if (!readFile(F, Text, Err))
      return false;
    StringRef T = StringRef(Text).trim();
    T.consume_back(",");
    if (!T.starts_with("{"))
      continue;
    All += (Pieces++ ? ",\n" : "\n") + T.str();
  }
  if (Pieces) {
    if (R.json(All + "\n]\n"))
      return true;
    Err = Path + ": " + Err;
    return false;
  }
  size_t Metas = 0;
  for (const std::string &F : filesUnder(Path, ".meta")) {
    if (!readFile(F, Text, Err))
      return false;
    R.meta(Text);
    Metas++;
  }
  if (Out.empty() && (!Only || !Metas)) {
    Err = Path + ": no compile_commands.json, no piece of "
                 "-gen-cdb-fragment-path and no .meta file that compiles C";
    return false;
  }
  return true;
}

} // namespace ksimd
