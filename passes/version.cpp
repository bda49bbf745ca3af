// SPDX-License-Identifier: BSD-2-Clause
//
// Refuses to be loaded by another LLVM than the one it was built for.
//
// Who loads a plugin has LLVM already, and functions that another version does
// not have are missed when they are called for the first time: then the loader
// ends the process with the mangled name of one.  This tells before that.
//
// 1. LLVMGetVersion, which LLVM has since 16, tells the version.
// 2. Where it is not seen, older versions do not have a function of LLVM 17
//    that each program with LLVM has.  A program that keeps both to itself
//    cannot load any plugin.
//
// Invariant: nothing of LLVM is called before; options register themselves
// when constructors of default priority run.
#include "llvm/Config/llvm-config.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

namespace {

const char Grow[] = "_ZN4llvm15SmallVectorBaseIjE13mallocForGrowEPvmmRm";

[[noreturn]] void refuse(const char *Other) {
  Dl_info Me;
  if (dladdr(reinterpret_cast<void *>(&refuse), &Me) == 0)
    Me.dli_fname = "libksimd-pass.so";
  // One write: several compilers may do this at once.
  char Text[4096];
  int N = snprintf(Text, sizeof(Text),
                   "ksimd: error: %s is for LLVM %d, and this is %s\n",
                   Me.dli_fname, LLVM_VERSION_MAJOR, Other);
  if (N > 0 && write(STDERR_FILENO, Text, N) != N)
    _exit(2);
  _exit(1);
}

__attribute__((constructor(101))) void check() {
  using Version = void(unsigned *, unsigned *, unsigned *);
  auto *Get =
      reinterpret_cast<Version *>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
  if (Get) {
    unsigned Major;
    Get(&Major, nullptr, nullptr);
    char Name[32];
    snprintf(Name, sizeof(Name), "LLVM %u", Major);
    if (Major != LLVM_VERSION_MAJOR)
      refuse(Name);
  } else if (!dlsym(RTLD_DEFAULT, Grow)) {
    refuse("an older one");
  }
}

} // namespace
