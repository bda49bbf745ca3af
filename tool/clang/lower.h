// SPDX-License-Identifier: BSD-2-Clause
//
// Between the files of the source front end.
//
//   unit.cpp   symbols, stores of function pointers, which functions to lower
//   func.cpp   one function: Clang's CFG to nodes and edges
//   value.cpp  what expressions are worth following, and as which place
//   member.cpp members of local records, through helpers
//   flow.cpp   where pointers to functions go
//   simd.cpp   what touches SIMD state: types, builtins, intrinsics, assembly
#ifndef KS_CLANG_LOWER_H
#define KS_CLANG_LOWER_H

#include "front.h"
#include "ks/value.hpp"

namespace ksimd {

// The low 64 bits of a constant, extended by its sign.
inline uint64_t bits64(const llvm::APSInt &N) {
  return N.isSigned() ? (uint64_t)N.extOrTrunc(64).getSExtValue()
                      : N.extOrTrunc(64).getZExtValue();
}

// What an expression or statement does to SIMD state.
struct Simd {
  uint16_t Classes = 0;
  ks_isaset Isa = 0;
  uint8_t Event = KS_EV_NOP; // SIMD, SAVE, RESTORE
  bool Pinned = false;
  explicit operator bool() const { return Event != KS_EV_NOP; }
};

// CPUID's result in a variable or as a function's value.
struct Origin {
  enum Kind { None, Cpuid, Xcr0, Var } K = None;
  uint32_t Leaf = 0, Sub = 0;
  int LeafParam = -1; // in a summary: the leaf is this parameter
  char Reg = 0;
  const clang::VarDecl *V = nullptr; // Var
};

// What a function's CPUID instruction leaves behind.
struct CpuidSummary {
  bool Done = false;
  Origin Ret;                   // its result
  int OutParam = -1;            // registers go to param[0..3]
  Origin Out[4];
};

struct Gate {
  ks_gate G;
  std::string Var;
};

// A local pointer to functions, or a function that returns one (flow.cpp).
struct FlowNode {
  struct Named {
    const clang::FunctionDecl *F;
    clang::SourceLocation L;
  };
  std::vector<Named> Functions;            // that flow into it
  std::vector<const clang::Decl *> From;   // nodes that do
  std::vector<std::string> Keys;           // where it is stored
  bool Passed = false;                     // to a call
  bool Escapes = false, Lost = false;
};

// Parameter Param is a pointer, through which a member or (no Field) all that
// it points to is read, Bits wide.
struct Read {
  unsigned Param;
  const clang::FieldDecl *Field;
  unsigned Bits;
};

// What a function does through local pointers (member.cpp).
struct Reads {
  const clang::FunctionDecl *Def = nullptr; // null: not known
  std::vector<Read> Pseudo; // parameters behind the real ones
  llvm::DenseSet<const clang::VarDecl *> Written; // through which it writes
  llvm::DenseSet<const clang::VarDecl *> Other;   // used for anything else
  bool readOnly(unsigned Param) const;
};

class UnitLowering {
public:
  UnitLowering(clang::ASTContext &Ctx, const FrontOptions &O,
               llvm::StringRef Name);
  ks_unit *run(const std::vector<Allow> &Allows);

  clang::ASTContext &Ctx;
  clang::SourceManager &SM;
  const FrontOptions &O;
  ks_unit *U;

  uint32_t str(llvm::StringRef S) {
    return S.empty() ? 0 : ks_intern_n(U->str, S.data(), S.size());
  }
  // INMACROS: also which macros L is in the body of.
  ks_loc loc(clang::SourceLocation L, bool InMacros = false);
  uint32_t symOf(const clang::FunctionDecl *F);
  void addrTaken(const clang::FunctionDecl *F, bool Escapes,
                 clang::SourceLocation L, llvm::StringRef Text);
  // SYM goes to where calls with KEY load their target from; null: unknown.
  void store(llvm::StringRef Key, const clang::FunctionDecl *F);
  void scanInit(const clang::VarDecl *V);
  // The key of a field, or "".
  static std::string fieldKey(const clang::FieldDecl *F);
  // Linux: where static_call(NAME) finds its target, by the name of its
  // trampoline or key; "" if it is none, or the profile knows it.
  std::string staticCall(llvm::StringRef Name);
  FlowNode &node(const clang::Decl *D);
  // V, a table of functions, reaches unknown code.
  void tableEscapes(const clang::VarDecl *V) { Escaped.insert(V); }
  void byValue(clang::QualType T, llvm::StringRef Owner,
               clang::SourceLocation L, llvm::StringRef What);
  const char *opaqueName(clang::QualType T);
  std::string text(const clang::Stmt *S);
  const ks_rule *rule(llvm::StringRef Name, enum ks_role R);
  // 1 + index of the text from B to E; 0 if it is not on one line of a file.
  uint32_t source(clang::SourceLocation B, clang::SourceLocation E);
  // WHAT in F is not followed: an error, since nothing is proven then.
  void notFollowed(const clang::FunctionDecl *F, clang::SourceLocation L,
                   llvm::StringRef What);
  CpuidSummary &cpuid(const clang::FunctionDecl *F);
  // What the CPU has where a call of F returns zero, or (TRUE) does not.
  const std::vector<Gate> &predicate(const clang::FunctionDecl *F, bool True);

  // --- member.cpp ---
  const Reads &reads(const clang::FunctionDecl *F, unsigned Depth = 0);
  struct PseudoParam {
    uint32_t Func;
    size_t Real; // parameters
  };
  std::vector<PseudoParam> PseudoParams;
  llvm::DenseSet<uint32_t> Passed; // symbols to which something is
  bool followed(clang::QualType T);

  // --- simd.cpp ---
  // Features of F's code, by its target attribute and the command line.
  const llvm::StringMap<bool> &features(const clang::FunctionDecl *F);
  bool has(const clang::FunctionDecl *F, llvm::StringRef Feature);
  Simd typeSimd(clang::QualType T, const clang::FunctionDecl *In,
                bool Arithmetic);
  bool isSimdType(clang::QualType T, const clang::FunctionDecl *In) {
    return bool(typeSimd(T, In, false));
  }
  Simd passSimd(clang::QualType T, const clang::FunctionDecl *In);
  Simd paramSimd(clang::QualType T, const clang::FunctionDecl *In);
  Simd listSimd(const clang::Expr *E, const clang::FunctionDecl *In);
  Simd exprSimd(const clang::Expr *E, const clang::FunctionDecl *In);
  Simd builtinSimd(const clang::CallExpr *E, const clang::FunctionDecl *In);
  Simd asmSimd(const clang::GCCAsmStmt *A);
  bool isIntrinsic(const clang::FunctionDecl *F);
  Simd intrinsicSimd(const clang::FunctionDecl *F);
  bool lacksRegisters(const clang::FunctionDecl *F);
  ks_isaset isaOfFeatures(llvm::StringRef List);
  ks_isaset targetIsa(const clang::FunctionDecl *F);

private:
  void collect();
  void alias(const clang::FunctionDecl *F);
  bool wanted(const clang::FunctionDecl *F);
  void scanTypes(const clang::Decl *D);
  void initValue(const clang::VarDecl *V, const clang::Expr *E,
                 const clang::FieldDecl *Field, llvm::StringRef Path);
  void pruneTables();
  void flowsInto(const clang::Decl *D, llvm::DenseSet<const clang::Decl *> &Seen,
                 std::vector<const clang::FunctionDecl *> &Out);
  void finishFlow();
  void dropPseudo();

  llvm::DenseMap<const clang::FunctionDecl *, uint32_t> Syms;
  uint32_t macro(clang::SourceLocation L);

  llvm::DenseMap<unsigned, uint32_t> Files, Macros;
  std::vector<const clang::FunctionDecl *> Work;
  llvm::DenseSet<const clang::FunctionDecl *> Queued;
  llvm::DenseSet<const clang::VarDecl *> Escaped, Scanned;
  struct TableStore {
    const clang::VarDecl *V;
    const clang::FunctionDecl *F;
    clang::SourceLocation L;
  };
  std::vector<TableStore> Tables;
  llvm::MapVector<const clang::Decl *, FlowNode> Flow;
  std::map<const clang::FunctionDecl *, Reads> AllReads;
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> Refs;
  llvm::DenseMap<const clang::FunctionDecl *, Simd> Intrinsics;
  llvm::DenseMap<const clang::FunctionDecl *, CpuidSummary> Cpuids;
  std::map<std::pair<const clang::FunctionDecl *, bool>, std::vector<Gate>>
      Predicates;
  llvm::StringMap<llvm::StringMap<bool>> Features; // by target attribute
  std::vector<std::string> Opaque;
};

// What a place stands for that is no plain local: an expression of locals and
// memory, good until one of them changes.
struct Derived {
  uint32_t Place;
  std::vector<const clang::VarDecl *> Vars;
  std::vector<const clang::FieldDecl *> Fields;
  std::vector<uint32_t> Results; // places of calls'
  bool Memory = false;
};

class Prescan;

class FuncLowering {
public:
  FuncLowering(UnitLowering &Unit, const clang::FunctionDecl *F)
      : Unit(Unit), F(F), Ctx(Unit.Ctx) {}
  void run();

private:
  // --- func.cpp ---
  enum KillKind { KillNone, KillVar, KillField, KillMemory, KillResult };
  struct Edge {
    explicit Edge(uint32_t To) : To(To) {}
    uint32_t To;
    uint32_t Cond = KS_NONE;
    ks_iv Iv = {0, 0, 0};
    std::vector<Gate> Gates;
  };
  struct Node {
    ks_node N;
    std::vector<Edge> Succ;
    KillKind Kill = KillNone;
    const clang::Decl *What = nullptr;
    uint32_t Result = KS_NONE;
  };
  uint32_t newNode(enum ks_event Ev, clang::SourceLocation L);
  uint32_t add(enum ks_event Ev, clang::SourceLocation L);
  void kill(KillKind K, const clang::Decl *What = nullptr);
  void set(uint32_t P, const Val &V, clang::SourceLocation L);
  void simd(const Simd &S, const clang::Stmt *St, uint32_t Dst = KS_NONE,
            uint32_t Use = KS_NONE);
  void prescan();
  void block(const clang::CFGBlock *B);
  void terminator(const clang::CFGBlock *B);
  void branch(const clang::CFGBlock *B, const clang::Expr *Cond);
  void switchEdges(const clang::CFGBlock *B, const clang::SwitchStmt *S);
  void loopBound(const clang::Stmt *T, const clang::Expr *Cond);
  void link(uint32_t From, const clang::CFGBlock *Pred,
            const clang::CFGBlock *To, Edge E, int Arm);
  uint32_t entry(const clang::CFGBlock *B);
  void parameters();
  void stmt(const clang::Stmt *S);
  void give(const clang::CallExpr *E, const clang::FunctionDecl *Callee);
  void call(const clang::CallExpr *E);
  uint32_t contextSource(const clang::CallExpr *E, llvm::StringRef Callee);
  void cleanup(const clang::CFGCleanupFunction &C);
  void assign(const clang::Expr *L, const clang::Expr *R,
              clang::SourceLocation Loc, bool Compound);
  void init(const clang::VarDecl *V);
  void asmStmt(const clang::GCCAsmStmt *A);
  void ret(clang::SourceLocation L);
  void emit();
  uint32_t follow(uint32_t N, std::vector<Node> &Ns);
  void calleeKeys(const clang::Expr *Callee, ks_call &C,
                  const std::string &Static);
  bool staticUpdate(const clang::CallExpr *E);
  void storePointer(const clang::Expr *L, const clang::Expr *R);

  // --- value.cpp ---
  Val eval(const clang::Expr *E);
  Val evalCast(const clang::CastExpr *C);
  Val evalBinary(const clang::BinaryOperator *B);
  Val readLValue(const clang::Expr *E);
  Val comparison(const clang::BinaryOperator *B);
  ks_val kept(const Val &V, clang::QualType T);
  Val derived(const clang::Expr *E);
  bool key(const clang::Expr *E, std::string &Out, Derived &D, bool LValue,
           bool &Esc, bool &Vol, int Depth);
  uint32_t placeOf(const clang::VarDecl *V);
  uint32_t vectorPlace(const clang::Expr *E, bool &Found);
  uint32_t temp(llvm::StringRef Name, uint8_t Flags = 0);
  bool followed(clang::QualType T) { return Unit.followed(T); }
  uint32_t derivedPlace(const std::string &Key, Derived D, bool Esc, bool Vol,
                        llvm::StringRef Name);
  unsigned width(clang::QualType T) { return Ctx.getTypeSize(T); }
  std::vector<Gate> gatesOf(const clang::Expr *E, bool True);
  std::optional<Gate> gateOf(const clang::Expr *E, bool &Negative);
  void track(const clang::Stmt *S);
  void origin(const clang::VarDecl *V, const clang::Expr *From);
  Origin originOf(const clang::Expr *E, uint64_t &Shift);
  void cpuidAsm(const clang::GCCAsmStmt *A);

  // --- member.cpp ---
  void aliases(const Prescan &P);
  const clang::VarDecl *aliased(const clang::MemberExpr *M);
  // Lvalue M is a member of a local, and of no union.
  const clang::VarDecl *localOf(const clang::MemberExpr *M, bool &Union);
  std::string memberKey(const clang::VarDecl *V, const clang::FieldDecl *M,
                        bool Arrow);
  Val member(const clang::VarDecl *V, const clang::FieldDecl *M, bool Arrow,
             unsigned Bits = 64);
  Val fits(const clang::ValueDecl *M, const Val &New);
  const clang::FieldDecl *carried(clang::QualType T);
  Val memberOf(const clang::Expr *E, const clang::FieldDecl *M);
  void setRecord(const clang::VarDecl *V, const clang::Expr *E,
                 clang::SourceLocation L);
  Val behind(const clang::VarDecl *V, const Read &X);
  void passMembers(const clang::FunctionDecl *G, const clang::CallExpr *E,
                   const clang::VarDecl *V, std::vector<ks_val> &Args);
  void pseudoParams();
  void given(const clang::FunctionDecl *G, unsigned I, const clang::VarDecl *V,
             clang::SourceLocation L);
  Val value(const clang::Expr *E);
  Val said(const clang::FunctionDecl *G, const clang::CallExpr *E);
  Val either(Val L, Val R, bool And);

  UnitLowering &Unit;
  const clang::FunctionDecl *F;
  clang::ASTContext &Ctx;
  ks_func *Fn = nullptr;
  uint32_t FnIndex = 0;
  std::unique_ptr<clang::CFG> Cfg;
  std::vector<Node> Nodes;
  uint32_t Cur = KS_NONE;
  std::vector<uint32_t> Entries; // by block id
  const clang::CFGBlock *CurBlock = nullptr;
  std::optional<ks_val> RetVal;
  clang::SourceLocation RetLoc;
  llvm::DenseMap<const clang::VarDecl *, uint32_t> Places;
  llvm::DenseMap<const clang::Expr *, Val> Values; // calls, &&, ||, ?:
  llvm::DenseMap<const clang::Expr *, uint32_t> Merges;
  // Parameters of a function whose result is being looked up.
  llvm::DenseMap<const clang::VarDecl *, Val> Bound;
  llvm::StringMap<uint32_t> DerivedByKey;
  std::vector<Derived> Deriveds;
  llvm::DenseSet<const clang::VarDecl *> EscapedVars;
  // Pointers that are always the address of one local record.
  llvm::DenseMap<const clang::VarDecl *, const clang::VarDecl *> Alias;
  llvm::DenseSet<const clang::Stmt *> NoCode; // of what the compiler drops
  llvm::DenseMap<const clang::VarDecl *, unsigned> Assigned;
  llvm::DenseMap<const clang::VarDecl *, Origin> Origins;
  llvm::DenseMap<std::pair<const clang::VarDecl *, unsigned>, Origin>
      ElemOrigins;
  friend class UnitLowering;
};

} // namespace ksimd

#endif
