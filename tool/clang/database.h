// SPDX-License-Identifier: BSD-2-Clause
//
// How each file is compiled: compilation databases, and command lines made
// fit for Clang.
#ifndef KS_CLANG_DATABASE_H
#define KS_CLANG_DATABASE_H

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace ksimd {

struct Command {
  std::string Folder;             // where the compiler ran; "": here
  std::string File;               // as findings name it
  std::vector<std::string> Flags; // without compiler, file and output
};

// Reads PATH: compile_commands.json or the folder it is in, a folder of
// pieces from -gen-cdb-fragment-path, a .meta file or a folder of them.
// ONLY, if not null: the absolute paths of the files whose commands are
// wanted.  False with text in ERR.
bool readDatabase(const std::string &Path, const llvm::StringSet<> *Only,
                  std::vector<Command> &Out, std::string &Err);

// Arguments of a compiler, gcc's or Clang's, to those that say what the
// source means: no output, no dependency files, no warnings, nothing that
// Clang does not know.  Inputs go to FILES.
std::vector<std::string> adjustFlags(const std::vector<std::string> &Args,
                                     std::vector<std::string> &Files);

// PATH, which FOLDER ("": the current one) names, from the root, without "..".
std::string absolutePath(const std::string &Path, const std::string &Folder);

} // namespace ksimd

#endif
