// SPDX-License-Identifier: BSD-2-Clause
//
// Before a function is lowered: what its body says as a whole.
#ifndef KS_CLANG_FLOW_H
#define KS_CLANG_FLOW_H

#include "lower.h"

namespace ksimd {

// The expressions one of whose values E has: the arms of ?:, what is behind a
// comma.  Casts between pointers to functions are passed through.
void leaves(const clang::Expr *E, std::vector<const clang::Expr *> &Out);

// The function that E names, looking through any cast, & and *; or null.
const clang::FunctionDecl *functionOf(const clang::Expr *E);
// "ops" and ".f.g" of ops.f.g, if it is a named object's member or element.
const clang::VarDecl *instance(const clang::Expr *E, std::string &Path);
const clang::FieldDecl *fieldOf(const clang::Expr *E);
// Where a pointer that is stored in lvalue L is loaded from again.
std::vector<std::string> storeKeys(const clang::Expr *L);
bool isFunctionPointer(clang::QualType T);
// A local pointer to functions, by whatever name it is used.
const clang::VarDecl *trackedVar(const clang::Expr *E);
// A function that E calls and that returns a pointer to a function.
const clang::FunctionDecl *getterCall(const clang::Expr *E);

// The value of S, if all it does is to return it.
const clang::Expr *returned(const clang::Stmt *S);
// x, if E is *&x.
const clang::Expr *behindAddress(const clang::Expr *E);
// The local record that pointer V points to at first.
const clang::VarDecl *aliasTarget(const clang::VarDecl *V);

// Locals whose address is taken, tables that leave the function, what makes no
// code, and where pointers to functions go.
class Prescan : public clang::RecursiveASTVisitor<Prescan> {
public:
  Prescan(UnitLowering &U, llvm::DenseSet<const clang::VarDecl *> &E,
          llvm::DenseSet<const clang::Stmt *> &NoCode,
          const clang::FunctionDecl *F)
      : U(U), Escaped(E), NoCode(NoCode), F(F) {}
  static const clang::VarDecl *base(const clang::Expr *E, bool &Address);
  llvm::DenseMap<const clang::VarDecl *, unsigned> Assigned; // how often
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>>
      Aliases; // pointers, and the local records whose address they get

  bool TraverseTypeLoc(clang::TypeLoc) { return true; } // typeof: no value
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *E) {
    return VisitUnaryExprOrTypeTraitExpr(E);
  }
  bool VisitUnaryOperator(clang::UnaryOperator *O);
  bool VisitCallExpr(clang::CallExpr *C);
  bool VisitReturnStmt(clang::ReturnStmt *R);
  bool VisitBinaryOperator(clang::BinaryOperator *B);
  bool VisitUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *E);
  bool VisitVarDecl(clang::VarDecl *V);
  bool VisitDeclRefExpr(clang::DeclRefExpr *D);
  bool VisitStmt(clang::Stmt *S);
  bool VisitCStyleCastExpr(clang::CStyleCastExpr *C);

private:
  // Where the value of an expression goes.
  struct Dest {
    enum Kind { None, Tested, Called, Passed, Stored, Node } K = None;
    const clang::Decl *N = nullptr;
    std::vector<std::string> Keys;
  };
  void leavesFunction(const clang::Expr *E);
  void mark(const clang::Expr *E, const Dest &D);
  void condition(const clang::Expr *E);
  void flow(const clang::Decl *From, const clang::Expr *E);
  void makesNoCode(const clang::Stmt *S);

  UnitLowering &U;
  llvm::DenseSet<const clang::VarDecl *> &Escaped;
  llvm::DenseSet<const clang::Stmt *> &NoCode;
  const clang::FunctionDecl *F;
  // An address that is only passed is written by that call, and no other.
  llvm::DenseSet<const clang::Expr *> Passed;
  llvm::DenseMap<const clang::Expr *, Dest> Dests;
};

} // namespace ksimd

#endif
