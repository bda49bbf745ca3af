// SPDX-License-Identifier: BSD-2-Clause
//
// The source front end: from Clang's AST to an event graph.  It lowers and
// never judges; what the kernel's functions mean is the engine's matter.  The
// profile is looked at for three things that are no calls: bits of a field
// that tell whether a region is held (query-mask), types whose size only the
// kernel knows (opaque), and what a callback's receiver is.
#ifndef KS_CLANG_FRONT_H
#define KS_CLANG_FRONT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/Stmt.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Analysis/CFG.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ks/engine.h"
#include "ks/graph.h"
#include "ks/profile.h"

namespace ksimd {

// ks_vec_push for C++: a new element of V.
template <class Vec> auto &push(Vec &V) {
  if (V.n == V.cap)
    V.v = static_cast<decltype(V.v)>(ks_vec_grow(V.v, &V.cap, sizeof(*V.v)));
  return V.v[V.n++];
}

// A comment "ksimd: allow ID: reason".
struct Allow {
  clang::SourceLocation Loc; // on the line that it is of
  std::string Id, Reason;
  clang::SourceRange Comment;
};

struct FrontOptions {
  const ks_profile *Profile = nullptr;
  // The name of a file as findings give it; the argument is the name that
  // Clang opened it by.
  std::function<std::string(llvm::StringRef)> Rename;
};

// Collects suppressions while the preprocessor runs; add before it starts.
class AllowComments : public clang::CommentHandler {
public:
  bool HandleComment(clang::Preprocessor &PP,
                     clang::SourceRange Range) override;
  std::vector<Allow> Found;
};

// Lowers all functions with a body that belong to this unit, and the inline
// ones of headers that they use.  The unit is the caller's.
ks_unit *lowerUnit(clang::ASTContext &Ctx, const FrontOptions &O,
                   llvm::StringRef Name, const std::vector<Allow> &Allows);

// Does PP have all macros of the profile's unit-if lines?
bool isKernelUnit(clang::Preprocessor &PP, const ks_profile *P);

// For ks_profile_detect: Ctx is a clang::Preprocessor.
bool hasMacro(void *Ctx, enum ks_detect_kind Kind, const char *Word);

} // namespace ksimd

#endif
