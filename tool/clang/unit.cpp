// SPDX-License-Identifier: BSD-2-Clause
//
// One translation unit: its symbols, what is stored in function pointers,
// and which functions are lowered.
//
// 1. Roots are the functions that the unit defines for others, and all of
//    the main file; inline functions of headers follow when they are used.
//    Intrinsics of the compiler's headers are events, not functions.
// 2. A function that is stored in a record's field can be what a call through
//    that field calls: stores have the key "field:TYPE.MEMBER".  The field of
//    a named table has a key of its own, too, which a call through that table
//    asks for first.
// 3. A function in a table escapes if the table does: it has external
//    linkage, or its address is passed, returned or stored elsewhere.
#include "flow.h"

using namespace clang;

namespace ksimd {

// --- suppressions ------------------------------------------------------------

bool AllowComments::HandleComment(Preprocessor &PP, SourceRange R) {
  SourceManager &SM = PP.getSourceManager();
  std::pair<FileID, unsigned> B = SM.getDecomposedLoc(R.getBegin());
  unsigned End = SM.getFileOffset(R.getEnd());
  bool Bad = false;
  StringRef Buf = SM.getBufferData(B.first, &Bad);
  if (Bad || End > Buf.size() || End < B.second)
    return false;
  StringRef Text = Buf.slice(B.second, End);
  size_t At = Text.find("ksimd: allow ");
  if (At == StringRef::npos)
    return false;
  StringRef Rest = Text.substr(At + strlen("ksimd: allow "));
  Rest.consume_back("*/");
  auto [Id, Reason] = Rest.split(':');
  // Alone on its line, it speaks of the next.
  SourceLocation Loc = R.getBegin();
  size_t Line = Buf.rfind('\n', B.second);
  size_t Eol = Buf.find('\n', End);
  Line = Line == StringRef::npos ? 0 : Line + 1;
  if (Eol != StringRef::npos && Eol + 1 < Buf.size() &&
      Buf.slice(Line, B.second).trim().empty() &&
      Buf.slice(End, Eol).trim().empty())
    Loc = R.getBegin().getLocWithOffset(Eol + 1 - B.second);
  Found.push_back({Loc, Id.trim().str(), Reason.trim().str(), R});
  return false;
}

bool hasMacro(void *Ctx, enum ks_detect_kind Kind, const char *Word) {
  return Kind == KS_DETECT_MACRO &&
         static_cast<Preprocessor *>(Ctx)->isMacroDefined(Word);
}

bool isKernelUnit(Preprocessor &PP, const ks_profile *P) {
  for (size_t I = 0; I < P->unit_if.n; I++)
    if (!PP.isMacroDefined(P->unit_if.v[I]))
      return false;
  return true;
}

// --- symbols -------------------------------------------------------------------

static const char *archName(const llvm::Triple &T) {
  switch (T.getArch()) {
  case llvm::Triple::x86_64:
    return "amd64";
  case llvm::Triple::x86:
    return "i386";
  case llvm::Triple::aarch64:
    return "arm64";
  default:
    return llvm::Triple::getArchTypeName(T.getArch()).data();
  }
}

UnitLowering::UnitLowering(ASTContext &Ctx, const FrontOptions &O,
                           StringRef Name)
    : Ctx(Ctx), SM(Ctx.getSourceManager()), O(O),
      U(ks_unit_new(Name.str().c_str(), KS_FRONT_SRC)) {
  U->arch = str(archName(Ctx.getTargetInfo().getTriple()));
  if (O.Profile)
    for (size_t I = 0; I < O.Profile->opaque.n; I++)
      Opaque.push_back(O.Profile->opaque.v[I]);
  for (const auto &W : features(nullptr))
    if (W.getValue())
      U->isa_on |= isaOfFeatures(W.getKey());
}

// 1 + index of the outermost macro that L, in its body, is expanded from.
uint32_t UnitLowering::macro(SourceLocation L) {
  auto It = Macros.find(L.getRawEncoding());
  if (It != Macros.end())
    return It->second;
  uint32_t In = 0;
  for (SourceLocation At = L; At.isMacroID();) {
    if (SM.isMacroArgExpansion(At)) {
      At = SM.getImmediateSpellingLoc(At);
      continue;
    }
    ks_macro M;
    M.name = str(Lexer::getImmediateMacroName(At, SM, Ctx.getLangOpts()));
    M.loc = loc(SM.getSpellingLoc(At));
    M.loc.off = In;
    // Pasted tokens have no place in a file.
    if (M.loc.line != 0 && !SM.isWrittenInScratchSpace(SM.getSpellingLoc(At))) {
      push(U->macros) = M;
      In = U->macros.n;
    }
    At = SM.getImmediateExpansionRange(At).getBegin();
  }
  return Macros[L.getRawEncoding()] = In;
}

ks_loc UnitLowering::loc(SourceLocation L, bool InMacros) {
  ks_loc R = {0, 0, 0, 0};
  if (L.isInvalid())
    return R;
  PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(L));
  if (P.isInvalid())
    return R;
  // By name: #line changes it within a file.
  unsigned Id = P.getFileID().getHashValue();
  auto It = Files.find(Id);
  if (It == Files.end() || It->second == 0) {
    std::string Name = O.Rename ? O.Rename(P.getFilename()) : P.getFilename();
    R.file = str(Name);
    if (P.getFileID().isValid())
      Files[Id] = R.file;
  } else {
    R.file = It->second;
  }
  R.line = P.getLine();
  R.col = P.getColumn();
  if (InMacros && L.isMacroID())
    R.off = macro(L);
  return R;
}

uint32_t UnitLowering::symOf(const FunctionDecl *F) {
  F = F->getCanonicalDecl();
  auto It = Syms.find(F);
  if (It != Syms.end())
    return It->second;
  std::string Name = F->getNameAsString();
  if (const auto *A = F->getAttr<AsmLabelAttr>())
    Name = A->getLabel().str();
  uint32_t Flags = 0;
  const FunctionDecl *Def = nullptr;
  bool Body = F->hasBody(Def);
  bool Emitted = Body && Ctx.DeclMustBeEmitted(Def);
  if (!F->isExternallyVisible() || (Body && !Emitted))
    Flags |= KS_SYM_LOCAL;
  if (!F->isExternallyVisible() && Emitted)
    Flags |= KS_SYM_EXPORTED; // a constructor, or marked as used
  if (F->hasAttr<WeakAttr>() || (Def && Def->hasAttr<WeakAttr>()))
    Flags |= KS_SYM_WEAK;
  if (F->getMostRecentDecl()->isNoReturn())
    Flags |= KS_SYM_NORETURN;
  for (const auto *A : F->getMostRecentDecl()->specific_attrs<AnnotateAttr>())
    if (A->getAnnotation() == "ksimd:needs" && !Body)
      Flags |= KS_SYM_NEEDS;
  uint32_t S = ks_unit_sym(U, Name.c_str(), Flags);
  Syms[F] = S;
  if (Body && !isIntrinsic(Def) && Queued.insert(F).second)
    Work.push_back(Def);
  return S;
}

void UnitLowering::addrTaken(const FunctionDecl *F, bool Escapes,
                             SourceLocation L, StringRef Text) {
  uint32_t S = symOf(F);
  ks_sym &X = U->syms.v[S];
  X.flags |= KS_SYM_ADDR_TAKEN;
  if (Escapes && !(X.flags & KS_SYM_ESCAPES)) {
    X.flags |= KS_SYM_ESCAPES;
    X.escape = loc(L);
    X.escape_text = str(Text);
  }
}

void UnitLowering::store(StringRef Key, const FunctionDecl *F) {
  ks_store S = {str(Key), F ? symOf(F) : KS_NONE};
  for (size_t I = 0; I < U->stores.n; I++)
    if (U->stores.v[I].key == S.key && U->stores.v[I].sym == S.sym)
      return;
  push(U->stores) = S;
}

// "struct ops"; an unnamed record has its place in the one around it.
static std::string recordName(const RecordDecl *R) {
  if (!R->getName().empty())
    return (R->getKindName() + " " + R->getName()).str();
  if (const TypedefNameDecl *T = R->getTypedefNameForAnonDecl())
    return T->getNameAsString();
  const DeclContext *Up = R->getParent();
  unsigned At = 0;
  for (const Decl *D : Up->decls())
    if (D == R)
      break;
    else if (isa<RecordDecl>(D))
      At++;
  if (const auto *P = dyn_cast<RecordDecl>(Up))
    return recordName(P) + "." + std::to_string(At);
  return "";
}

std::string UnitLowering::staticCall(StringRef Name) {
  if (rule(Name, KS_ROLE_SLEEPS) || rule(Name, KS_ROLE_IGNORE_CALL) ||
      (!Name.consume_front("__SCT__") && !Name.consume_front("__SCK__")))
    return "";
  return ("inst:__SCK__" + Name + ".func").str();
}

std::string UnitLowering::fieldKey(const FieldDecl *F) {
  const RecordDecl *R = F->getParent();
  // A member of an unnamed member is one of the record around it.
  while (R->isAnonymousStructOrUnion() && isa<RecordDecl>(R->getParent()))
    R = cast<RecordDecl>(R->getParent());
  std::string Name = recordName(R);
  return Name.empty() || Name[0] == '.'
             ? ""
             : "field:" + Name + "." + F->getNameAsString();
}

const ks_rule *UnitLowering::rule(StringRef Name, enum ks_role R) {
  return O.Profile && !Name.empty()
             ? ks_profile_role(O.Profile, Name.str().c_str(), R)
             : nullptr;
}

std::string UnitLowering::text(const Stmt *S) {
  CharSourceRange R = SM.getExpansionRange(S->getSourceRange());
  std::string Out;
  for (char C : Lexer::getSourceText(R, SM, Ctx.getLangOpts())) {
    bool Blank = isspace((unsigned char)C);
    if (Blank && (Out.empty() || Out.back() == ' '))
      continue;
    Out += Blank ? ' ' : C;
    if (Out.size() > 60) {
      Out.resize(57);
      return Out + "...";
    }
  }
  while (!Out.empty() && (Out.back() == ' ' || Out.back() == ';'))
    Out.pop_back();
  return Out;
}

// --- initialisers of tables -------------------------------------------------------

static const Expr *bare(const Expr *E) { return E->IgnoreParenCasts(); }

void UnitLowering::initValue(const VarDecl *V, const Expr *E,
                             const FieldDecl *Field, StringRef Path) {
  if (const auto *L = dyn_cast<InitListExpr>(E->IgnoreParens())) {
    if (const InitListExpr *Sem = L->getSemanticForm())
      L = Sem;
    const auto *R = L->getType()->getAsRecordDecl();
    if (!R) {
      for (const Expr *I : L->inits())
        if (I)
          initValue(V, I, Field, Path);
      return;
    }
    if (R->isUnion()) {
      if (L->getNumInits() && L->getInitializedFieldInUnion())
        initValue(V, L->getInit(0), L->getInitializedFieldInUnion(),
                  (Path + "." + L->getInitializedFieldInUnion()->getName())
                      .str());
      return;
    }
    unsigned I = 0;
    for (const FieldDecl *F : R->fields()) {
      if (F->isUnnamedBitField())
        continue;
      if (I >= L->getNumInits())
        break;
      if (const Expr *X = L->getInit(I))
        initValue(V, X, F, (Path + "." + F->getName()).str());
      I++;
    }
    return;
  }
  const Expr *B = bare(E);
  if (const auto *C = dyn_cast<ConditionalOperator>(B)) {
    Expr::EvalResult R;
    bool Known = C->getCond()->EvaluateAsInt(R, Ctx);
    if (!Known || !R.Val.getInt().isZero())
      initValue(V, C->getTrueExpr(), Field, Path);
    if (!Known || R.Val.getInt().isZero())
      initValue(V, C->getFalseExpr(), Field, Path);
    return;
  }
  if (const auto *C = dyn_cast<CompoundLiteralExpr>(B)) {
    initValue(V, C->getInitializer(), Field, Path);
    return;
  }
  if (const auto *A = dyn_cast<UnaryOperator>(B))
    if (A->getOpcode() == UO_AddrOf) {
      B = bare(A->getSubExpr());
      if (const auto *C = dyn_cast<CompoundLiteralExpr>(B)) {
        initValue(V, C->getInitializer(), nullptr, Path);
        return;
      }
      while (true) {
        if (const auto *M = dyn_cast<MemberExpr>(B))
          B = bare(M->getBase());
        else if (const auto *S = dyn_cast<ArraySubscriptExpr>(B))
          B = bare(S->getBase());
        else
          break;
      }
    }
  const auto *D = dyn_cast<DeclRefExpr>(B);
  if (!D)
    return;
  if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl())) {
    std::string Key = Field ? fieldKey(Field) : "";
    if (!Key.empty())
      store(Key, F);
    store(("inst:" + V->getNameAsString() + Path).str(), F);
    addrTaken(F, false, SourceLocation(), "");
    Tables.push_back({V, F, E->getBeginLoc()});
  } else if (const auto *W = dyn_cast<VarDecl>(D->getDecl())) {
    Refs.push_back({V, W});
  }
}

void UnitLowering::scanInit(const VarDecl *V) {
  if (!V->getInit() || !Scanned.insert(V).second)
    return;
  initValue(V, V->getInit(), nullptr, "");
}

void UnitLowering::pruneTables() {
  auto External = [&](const VarDecl *V) {
    return V->hasGlobalStorage() && V->isExternallyVisible() &&
           staticCall(V->getName()).empty();
  };
  for (bool More = true; More;) {
    More = false;
    for (auto &[From, To] : Refs)
      if ((External(From) || Escaped.count(From)) &&
          Escaped.insert(To).second)
        More = true;
  }
  for (const TableStore &T : Tables)
    if (External(T.V) || Escaped.count(T.V))
      addrTaken(T.F, true, T.L, "in '" + T.V->getNameAsString() + "'");
}

// --- types whose size only the kernel knows -----------------------------------------

const char *UnitLowering::opaqueName(QualType T) {
  if (Opaque.empty())
    return nullptr;
  while (const ArrayType *A = Ctx.getAsArrayType(T))
    T = A->getElementType();
  const RecordDecl *R = T->getAsRecordDecl();
  if (!R)
    return nullptr;
  std::string Name = std::string(R->getKindName()) + " " +
                     R->getNameAsString();
  for (const std::string &O : Opaque)
    if (O == Name)
      return O.c_str();
  return nullptr;
}

void UnitLowering::byValue(QualType T, StringRef Owner, SourceLocation L,
                           StringRef What) {
  const char *Name = opaqueName(T);
  if (!Name)
    return;
  ks_byvalue B = {str(Name), str(Owner), str(What), loc(L)};
  push(U->byvalues) = B;
}

void UnitLowering::scanTypes(const Decl *D) {
  if (Opaque.empty())
    return;
  if (const auto *R = dyn_cast<RecordDecl>(D)) {
    if (!R->isCompleteDefinition())
      return;
    std::string Name = R->getNameAsString();
    if (Name.empty())
      if (const auto *T = R->getTypedefNameForAnonDecl())
        Name = T->getNameAsString();
    for (const FieldDecl *F : R->fields())
      byValue(F->getType(), "struct:" + Name, F->getLocation(),
              "member '" + F->getNameAsString() + "'");
  } else if (const auto *V = dyn_cast<VarDecl>(D)) {
    byValue(V->getType(), "", V->getLocation(),
            "variable '" + V->getNameAsString() + "'");
  }
}

// --- the unit -----------------------------------------------------------------------

bool UnitLowering::wanted(const FunctionDecl *F) {
  if (!F->doesThisDeclarationHaveABody() || isIntrinsic(F))
    return false;
  if (F->isExternallyVisible() && Ctx.DeclMustBeEmitted(F))
    return true;
  return SM.isInMainFile(SM.getExpansionLoc(F->getLocation()));
}

void UnitLowering::collect() {
  for (const Decl *D : Ctx.getTranslationUnitDecl()->decls()) {
    if (const auto *F = dyn_cast<FunctionDecl>(D)) {
      if (F->doesThisDeclarationHaveABody())
        U->nfuncs_seen++;
      if (wanted(F))
        symOf(F);
      if (F->hasAttr<AliasAttr>())
        alias(F);
    } else if (const auto *V = dyn_cast<VarDecl>(D)) {
      scanInit(V);
      scanTypes(V);
    } else {
      scanTypes(D);
    }
  }
}

// __attribute__((alias("f"))): calls of it are calls of f.
void UnitLowering::alias(const FunctionDecl *F) {
  StringRef To = F->getAttr<AliasAttr>()->getAliasee();
  uint32_t Sym = symOf(F);
  if (U->syms.v[Sym].func != KS_NONE)
    return;
  for (const NamedDecl *D :
       Ctx.getTranslationUnitDecl()->lookup(&Ctx.Idents.get(To))) {
    const auto *G = dyn_cast<FunctionDecl>(D);
    if (!G)
      continue;
    uint32_t Callee = symOf(G);
    ks_func *Fn = ks_unit_func(U, Sym);
    Fn->loc = loc(F->getLocation());
    ks_call C;
    memset(&C, 0, sizeof(C));
    C.sym = Callee;
    C.result = ks_func_place(U, Fn, "result", 0);
    C.tail = true;
    C.narg = G->getNumParams();
    for (unsigned I = 0; I < C.narg; I++) {
      uint32_t P = ks_func_place(U, Fn, "argument", 0);
      push(Fn->params) = P;
      push(Fn->args) = ks_val{KS_VAL_PLACE, P, 0, {0, 0, 0}};
    }
    push(Fn->calls) = C;
    uint32_t N = ks_func_node(Fn, KS_EV_CALL);
    Fn->nodes.v[N].loc = Fn->loc;
    Fn->nodes.v[N].dst = KS_NONE;
    Fn->nodes.v[N].call = 0;
    uint32_t R = ks_func_node(Fn, KS_EV_RETURN);
    Fn->nodes.v[R].loc = Fn->loc;
    Fn->nodes.v[R].val = ks_val{KS_VAL_PLACE, C.result, 0, {0, 0, 0}};
    ks_func_edge(Fn, N, R);
    return;
  }
}

uint32_t UnitLowering::source(SourceLocation B, SourceLocation E) {
  // A whole macro is one word of its file.
  CharSourceRange R = Lexer::makeFileCharRange(
      CharSourceRange::getCharRange(B, E), SM, Ctx.getLangOpts());
  B = R.getBegin();
  E = R.getEnd();
  if (R.isInvalid())
    return 0;
  ks_src S = {};
  S.loc = loc(B);
  ks_loc End = loc(E);
  if (!S.loc.line || S.loc.line != End.line || S.loc.file != End.file ||
      End.col <= S.loc.col)
    return 0;
  S.end = End.col;
  S.text = str(Lexer::getSourceText(CharSourceRange::getCharRange(B, E), SM,
                                    Ctx.getLangOpts()));
  push(U->srcs) = S;
  return U->srcs.n;
}

void UnitLowering::notFollowed(const FunctionDecl *F, SourceLocation L,
                               StringRef What) {
  DiagnosticsEngine &D = Ctx.getDiagnostics();
  D.Report(L, D.getCustomDiagID(DiagnosticsEngine::Error,
                                "ksimd cannot follow %0 in '%1'"))
      << What << F->getNameAsString();
}

ks_unit *UnitLowering::run(const std::vector<Allow> &Allows) {
  collect();
  for (size_t I = 0; I < Work.size(); I++)
    FuncLowering(*this, Work[I]).run();
  pruneTables();
  // What the tables pulled in.
  for (size_t I = 0; I < Work.size(); I++)
    if (U->syms.v[symOf(Work[I])].func == KS_NONE)
      FuncLowering(*this, Work[I]).run();
  finishFlow();
  dropPseudo();
  for (const Allow &A : Allows)
    push(U->allows) =
        ks_allow{str(A.Id), str(A.Reason), loc(A.Loc),
                 source(A.Comment.getBegin(), A.Comment.getEnd())};
  // Header functions that nothing uses are no input.
  U->nfuncs_seen = U->funcs.n;
  return U;
}

ks_unit *lowerUnit(ASTContext &Ctx, const FrontOptions &O, StringRef Name,
                   const std::vector<Allow> &Allows) {
  return UnitLowering(Ctx, O, Name).run(Allows);
}

} // namespace ksimd
