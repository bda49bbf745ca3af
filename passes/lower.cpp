// SPDX-License-Identifier: BSD-2-Clause
//
// One module: its symbols, annotations, and what is stored in function
// pointers.
//
// 1. Every function with a body is lowered (func.cpp); an alias is
//    one more name of it, an ifunc a pointer that its resolver fills.
// 2. A call through a pointer has keys: the named object that the pointer is
//    loaded from ("inst:ops.1"), then the field of its type
//    ("field:%struct.ops+8").  Initialisers and stores have the same keys.
// 3. A function in a table escapes if the table does: it has external
//    linkage, or its address is passed, returned or kept.
// 4. Comments that allow a finding are not in IR: they are read from the
//    sources that the debug information names.
//
// 5. Fields have no names in IR.  Those that a profile's query-mask names are
//    found by the debug information of their records.
//
// Known limits: without debug information of the record a query-mask is not
// seen; what such a query guards is judged without it, and refused.
#include "lower.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace ksimd {

static const char *archName(const Triple &T) {
  switch (T.getArch()) {
  case Triple::x86_64:
    return "amd64";
  case Triple::x86:
    return "i386";
  case Triple::aarch64:
    return "arm64";
  default:
    return Triple::getArchTypeName(T.getArch()).data();
  }
}

UnitLowering::UnitLowering(Module &M, const ks_profile &P, Lowered &Out)
    : M(M), DL(M.getDataLayout()), P(P), Out(Out),
      U(ks_unit_new(M.getSourceFileName().c_str(), KS_FRONT_IR)) {
  Out.Unit = U;
  U->arch = str(archName(Triple(M.getTargetTriple())));
}

// --- places -------------------------------------------------------------------

void UnitLowering::allows(StringRef Path, uint32_t Name) {
  auto Buf = MemoryBuffer::getFile(Path);
  if (!Buf)
    return;
  StringRef Rest = (*Buf)->getBuffer();
  for (uint32_t Line = 1; !Rest.empty(); Line++) {
    StringRef Text;
    std::tie(Text, Rest) = Rest.split('\n');
    size_t At = Text.find("ksimd: allow ");
    if (At == StringRef::npos)
      continue;
    StringRef Before = Text.take_front(At).rtrim();
    if (!Before.consume_back("/*") && !Before.consume_back("//"))
      continue;
    StringRef What = Text.drop_front(At + strlen("ksimd: allow ")).rtrim();
    bool Alone = Before.trim().empty() &&
                 (What.consume_back("*/") || !Text.contains("*/"));
    auto [Id, Reason] = What.split(':');
    Reason.consume_back("*/");
    ks_loc L = {Name, Line + Alone, 0, 0};
    push(U->allows) = ks_allow{str(Id.trim()), str(Reason.trim()), L, 0};
  }
}

uint32_t UnitLowering::file(const DIFile *F) {
  auto [It, New] = Files.insert({F, 0});
  if (!New)
    return It->second;
  SmallString<128> Path(F->getFilename());
  // As the compiler was given it, if it runs where it ran.
  if (!sys::path::is_absolute(Path) && !sys::fs::exists(Path) &&
      !F->getDirectory().empty()) {
    Path = F->getDirectory();
    sys::path::append(Path, F->getFilename());
  }
  uint32_t Name = str(Path);
  Files[F] = Name;
  allows(Path, Name);
  return Name;
}

// The place in this function, not in what was inlined.
ks_loc UnitLowering::loc(const Instruction &I) {
  ks_loc L = {U->name, 0, 0, 0};
  const DILocation *D = I.getDebugLoc();
  while (D && D->getInlinedAt())
    D = D->getInlinedAt();
  if (!D || !D->getFile())
    return L;
  L.file = file(D->getFile());
  L.line = D->getLine();
  L.col = D->getColumn();
  return L;
}

ks_loc UnitLowering::loc(const Function &F) {
  ks_loc L = {U->name, 0, 0, 0};
  if (const DISubprogram *S = F.getSubprogram()) {
    L.file = file(S->getFile());
    L.line = S->getLine();
  }
  return L;
}

// --- symbols ------------------------------------------------------------------

const Function *UnitLowering::functionOf(const Value *V) {
  V = V->stripPointerCastsAndAliases();
  return dyn_cast<Function>(V);
}

uint32_t UnitLowering::symOf(const GlobalValue *G) {
  auto It = Syms.find(G);
  if (It != Syms.end())
    return It->second;
  uint32_t Flags = 0;
  bool Body = !G->isDeclaration();
  // A body that is not emitted is this module's own.
  if (G->hasLocalLinkage() || G->hasAvailableExternallyLinkage())
    Flags |= KS_SYM_LOCAL;
  if (G->isWeakForLinker() || G->hasExternalWeakLinkage())
    Flags |= KS_SYM_WEAK;
  if (const auto *F = dyn_cast<Function>(G)) {
    if (F->doesNotReturn())
      Flags |= KS_SYM_NORETURN;
    if ((Notes.lookup(F) & KS_FUNC_NEEDS) && !Body)
      Flags |= KS_SYM_NEEDS;
  }
  StringRef Name = G->getName();
  Name.consume_front("\1");
  uint32_t S = ks_unit_sym(U, Name.str().c_str(), Flags);
  Syms[G] = S;
  return S;
}

void UnitLowering::annotations() {
  const GlobalVariable *G = M.getGlobalVariable("llvm.global.annotations");
  const auto *A = G && G->hasInitializer()
                      ? dyn_cast<ConstantArray>(G->getInitializer())
                      : nullptr;
  for (unsigned I = 0; A && I < A->getNumOperands(); I++) {
    const auto *S = dyn_cast<ConstantStruct>(A->getOperand(I));
    const Function *F = S ? functionOf(S->getOperand(0)) : nullptr;
    const auto *T = S ? dyn_cast<GlobalVariable>(
                            S->getOperand(1)->stripPointerCasts())
                      : nullptr;
    const auto *D = T && T->hasInitializer()
                        ? dyn_cast<ConstantDataSequential>(T->getInitializer())
                        : nullptr;
    if (!F || !D || !D->isCString())
      continue;
    StringRef Text = D->getAsCString();
    if (Text == "ksimd:needs")
      Notes[F] |= KS_FUNC_NEEDS;
    else if (Text == "ksimd:held")
      Notes[F] |= KS_FUNC_HELD;
    else if (Text.starts_with("ksimd:trust"))
      Notes[F] |= KS_FUNC_TRUST;
  }
}

// --- fields that tell about regions ---------------------------------------------

// Reads all debug information: only when a mask of the profile is seen.
void UnitLowering::queryFields() {
  FieldsRead = true;
  DebugInfoFinder Finder;
  Finder.processModule(M);
  for (const DIType *T : Finder.types()) {
    const auto *C = dyn_cast<DICompositeType>(T);
    if (!C || C->getTag() != dwarf::DW_TAG_structure_type ||
        C->getName().empty())
      continue;
    for (const DINode *E : C->getElements()) {
      const auto *D = dyn_cast_or_null<DIDerivedType>(E);
      const ks_rule *R =
          D ? ks_profile_role(&P, D->getName().str().c_str(),
                              KS_ROLE_QUERY_MASK)
            : nullptr;
      if (R)
        Fields[("field:%struct." + C->getName() + "+" +
                Twine(D->getOffsetInBits() / 8))
                   .str()] = R;
    }
  }
}

const ks_rule *UnitLowering::queryMask(const Instruction &I) {
  if (I.getOpcode() != Instruction::And)
    return nullptr;
  const auto *L = dyn_cast<LoadInst>(I.getOperand(0));
  const auto *N = dyn_cast<ConstantInt>(I.getOperand(1));
  if (!L || !N || N->getBitWidth() > 64 ||
      !is_contained(Masks, N->getZExtValue()))
    return nullptr;
  if (!FieldsRead)
    queryFields();
  const ks_rule *R = Fields.lookup(fieldKey(L->getPointerOperand()));
  while (R && (R->role != KS_ROLE_QUERY_MASK || R->mask != N->getZExtValue()))
    R = R->next;
  return R;
}

// --- keys of function pointers --------------------------------------------------

// Down from T to the scalar at OFF: the way there, and the innermost field of
// a named type.
static void descend(const DataLayout &DL, Type *T, uint64_t Off,
                    std::string &Path, std::string &Field) {
  for (;;) {
    if (auto *A = dyn_cast<ArrayType>(T)) {
      T = A->getElementType();
      uint64_t Size = DL.getTypeAllocSize(T);
      Off = Size ? Off % Size : 0;
    } else if (auto *S = dyn_cast<StructType>(T)) {
      const StructLayout *L = DL.getStructLayout(S);
      if (S->getNumElements() == 0 || Off >= L->getSizeInBytes())
        return;
      unsigned I = L->getElementContainingOffset(Off);
      uint64_t At = L->getElementOffset(I);
      if (S->hasName())
        Field = ("%" + S->getName() + "+" + Twine(At)).str();
      Path += "." + std::to_string(I);
      Off -= At;
      T = S->getElementType(I);
    } else {
      return;
    }
  }
}

std::string UnitLowering::instKey(const Value *Ptr) {
  int64_t Off = 0;
  while (const auto *G = dyn_cast<GEPOperator>(Ptr)) {
    for (auto I = gep_type_begin(G), E = gep_type_end(G); I != E; ++I) {
      const auto *N = dyn_cast<ConstantInt>(I.getOperand());
      if (StructType *S = I.getStructTypeOrNull())
        Off += DL.getStructLayout(S)->getElementOffset(N->getZExtValue());
      else if (N) // the index of an element does not matter
        Off += N->getSExtValue() *
               (int64_t)DL.getTypeAllocSize(I.getIndexedType());
    }
    Ptr = G->getPointerOperand();
  }
  const auto *G = dyn_cast<GlobalVariable>(Ptr->stripPointerCasts());
  if (!G || Off < 0)
    return "";
  std::string Path, Field;
  descend(DL, G->getValueType(), Off, Path, Field);
  return "inst:" + G->getName().str() + Path;
}

std::string UnitLowering::fieldKey(const Value *Ptr) {
  std::string Field;
  while (const auto *G = dyn_cast<GEPOperator>(Ptr)) {
    for (auto I = gep_type_begin(G), E = gep_type_end(G); I != E; ++I)
      if (StructType *S = I.getStructTypeOrNull())
        if (S->hasName()) {
          uint64_t N = cast<ConstantInt>(I.getOperand())->getZExtValue();
          Field = ("%" + S->getName() + "+" +
                   Twine(DL.getStructLayout(S)->getElementOffset(N)))
                      .str();
        }
    if (!Field.empty())
      return "field:" + Field;
    Ptr = G->getPointerOperand();
  }
  if (const auto *G = dyn_cast<GlobalVariable>(Ptr->stripPointerCasts())) {
    std::string Path;
    descend(DL, G->getValueType(), 0, Path, Field);
  }
  return Field.empty() ? "" : "field:" + Field;
}

void UnitLowering::store(StringRef Key, const Function *F) {
  if (Key.empty())
    return;
  ks_store S = {str(Key), F ? symOf(F) : KS_NONE};
  for (size_t I = 0; I < U->stores.n; I++)
    if (U->stores.v[I].key == S.key && U->stores.v[I].sym == S.sym)
      return;
  push(U->stores) = S;
}

void UnitLowering::initialiser(const GlobalVariable &G, const Constant *C,
                               const std::string &Path,
                               const std::string &Field) {
  if (const Function *F = functionOf(C)) {
    store("inst:" + G.getName().str() + Path, F);
    store(Field, F);
    Tables.push_back({&G, F});
    symbol(F).flags |= KS_SYM_ADDR_TAKEN;
    return;
  }
  if (auto *S = dyn_cast<ConstantStruct>(C)) {
    StructType *T = S->getType();
    const StructLayout *L = DL.getStructLayout(T);
    for (unsigned I = 0; I < S->getNumOperands(); I++)
      initialiser(G, S->getOperand(I), Path + "." + std::to_string(I),
                  T->hasName() ? ("field:%" + T->getName() + "+" +
                                  Twine(L->getElementOffset(I)))
                                     .str()
                               : Field);
    return;
  }
  if (isa<ConstantArray>(C) || isa<ConstantVector>(C)) {
    for (const Use &Op : C->operands())
      initialiser(G, cast<Constant>(Op), Path, Field);
    return;
  }
  SmallVector<const Constant *, 4> Work = {C};
  while (!Work.empty()) {
    const Constant *X = Work.pop_back_val();
    if (const auto *To = dyn_cast<GlobalVariable>(X))
      Refs.push_back({&G, To});
    else if (const Function *F = functionOf(X))
      symbol(F).flags |= KS_SYM_ADDR_TAKEN;
    else if (isa<ConstantExpr>(X))
      for (const Use &Op : X->operands())
        Work.push_back(cast<Constant>(Op));
  }
}

// --- addresses that go elsewhere ---------------------------------------------------

void UnitLowering::addrTaken(const Function *F, bool Escapes, ks_loc L,
                             const std::string &Text) {
  ks_sym &S = symbol(F);
  S.flags |= KS_SYM_ADDR_TAKEN;
  if (Escapes && !(S.flags & KS_SYM_ESCAPES)) {
    S.flags |= KS_SYM_ESCAPES;
    S.escape = L;
    S.escape_text = str(Text);
  }
}

static const Value *objectOf(const Value *P) {
  while (const auto *G = dyn_cast<GEPOperator>(P))
    P = G->getPointerOperand();
  return P->stripPointerCasts();
}

// V is F, or may be.
void UnitLowering::uses(const Function *F, const Value *V,
                        SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(V).second)
    return;
  for (const Use &Op : V->uses()) {
    const User *X = Op.getUser();
    if (const auto *C = dyn_cast<CallBase>(X)) {
      if (C->isCallee(&Op))
        continue;
      const Function *To = functionOf(C->getCalledOperand());
      if (To && To->isIntrinsic())
        continue;
      bool Suspends = To && ks_profile_role(&P, To->getName().str().c_str(),
                                            KS_ROLE_SUSPENDS);
      addrTaken(F, !(To && !To->isDeclaration()) && !Suspends, loc(*C),
                To ? "to '" + To->getName().str() + "'"
                   : "to an indirect call");
    } else if (const auto *S = dyn_cast<StoreInst>(X)) {
      if (S->getValueOperand() != V)
        continue;
      const auto *G = dyn_cast<GlobalVariable>(objectOf(S->getPointerOperand()));
      store(instKey(S->getPointerOperand()), F);
      store(fieldKey(S->getPointerOperand()), F);
      addrTaken(F, G && !G->hasLocalLinkage(), loc(*S),
                G ? "in '" + G->getName().str() + "'" : "");
      if (G)
        Tables.push_back({G, F});
    } else if (const auto *R = dyn_cast<ReturnInst>(X)) {
      addrTaken(F, true, loc(*R), "by return");
    } else if (isa<PHINode, SelectInst, CastInst, FreezeInst>(X) ||
               isa<ConstantExpr>(X)) {
      if (isa<Instruction>(X))
        addrTaken(F, false, ks_loc(), "");
      uses(F, X, Seen);
    } else if (const auto *A = dyn_cast<GlobalAlias>(X)) {
      uses(F, A, Seen);
    }
  }
}

// Does the address V go where unknown code finds it?
bool UnitLowering::leaks(const Value *V,
                         SmallPtrSetImpl<const Value *> &Seen) {
  if (!Seen.insert(V).second)
    return false;
  for (const Use &Op : V->uses()) {
    const User *X = Op.getUser();
    if (isa<LoadInst, ICmpInst>(X))
      continue;
    if (const auto *S = dyn_cast<StoreInst>(X)) {
      if (S->getValueOperand() == V &&
          !isa<AllocaInst>(objectOf(S->getPointerOperand())))
        return true;
    } else if (const auto *C = dyn_cast<CallBase>(X)) {
      if (!C->getCalledFunction() || !C->getCalledFunction()->isIntrinsic())
        return true;
    } else if (isa<GEPOperator, PHINode, SelectInst, CastInst, FreezeInst>(X) ||
               isa<ConstantExpr>(X)) {
      if (leaks(cast<Value>(X), Seen))
        return true;
    } else if (isa<Instruction>(X)) {
      return true;
    }
  }
  return false;
}

void UnitLowering::tables() {
  DenseSet<const GlobalVariable *> Out;
  for (const GlobalVariable &G : M.globals()) {
    SmallPtrSet<const Value *, 16> Seen;
    if (!G.getName().starts_with("llvm.") &&
        (!G.hasLocalLinkage() || leaks(&G, Seen)))
      Out.insert(&G);
  }
  for (bool More = true; More;) {
    More = false;
    for (auto [From, To] : Refs)
      if (Out.count(From) && Out.insert(To).second)
        More = true;
  }
  for (auto [G, F] : Tables)
    if (Out.count(G))
      addrTaken(F, true, ks_loc(), "in '" + G->getName().str() + "'");
}

// What a resolver returns is what calls reach.
void UnitLowering::ifunc(const GlobalIFunc &I) {
  std::string Key = "ifunc:" + I.getName().str();
  const Function *R = I.getResolverFunction();
  bool All = R && !R->isDeclaration();
  SmallVector<const Value *, 8> Work;
  SmallPtrSet<const Value *, 8> Seen;
  if (All)
    for (const BasicBlock &B : *R)
      if (const auto *Ret = dyn_cast<ReturnInst>(B.getTerminator()))
        Work.push_back(Ret->getReturnValue());
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!V || !Seen.insert(V).second)
      continue;
    if (const Function *F = functionOf(V)) {
      store(Key, F);
    } else if (const auto *Phi = dyn_cast<PHINode>(V)) {
      for (const Use &X : Phi->incoming_values())
        Work.push_back(X);
    } else if (const auto *S = dyn_cast<SelectInst>(V)) {
      Work.push_back(S->getTrueValue());
      Work.push_back(S->getFalseValue());
    } else {
      All = false;
    }
  }
  if (!All)
    store(Key, nullptr);
}

// --- the module -------------------------------------------------------------------

void UnitLowering::run() {
  annotations();
  for (size_t I = 0; I < P.rules.n; I++)
    if (P.rules.v[I]->role == KS_ROLE_QUERY_MASK)
      Masks.push_back(P.rules.v[I]->mask);
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    uint32_t S = symOf(&F);
    ks_func *X = ks_unit_func(U, S);
    X->flags = Notes.lookup(&F);
    Out.Funcs[&F] = U->funcs.n - 1;
  }
  for (const GlobalAlias &A : M.aliases()) {
    const Function *F = functionOf(&A);
    // The kernel's interface may be a name of an own function.
    if (!F || !Out.Funcs.count(F) ||
        ks_profile_find(&P, A.getName().str().c_str()))
      continue;
    Syms[&A] = symOf(F);
    if (!A.hasLocalLinkage())
      symbol(F).flags &= ~(uint32_t)KS_SYM_LOCAL;
  }
  for (const GlobalIFunc &I : M.ifuncs())
    ifunc(I);
  for (const GlobalVariable &G : M.globals())
    if (G.hasInitializer() && !G.getName().starts_with("llvm."))
      initialiser(G, G.getInitializer(), "", "");
  for (const Function &F : M) {
    SmallPtrSet<const Value *, 16> Seen;
    if (!F.isIntrinsic())
      uses(&F, &F, Seen);
  }
  tables();
  for (const Function &F : M)
    if (!F.isDeclaration())
      FuncLowering(*this, F, Out.Funcs[&F]).run();
  for (const std::string &K : Unknown)
    if (Called.count(K))
      store(K, nullptr);
  U->nfuncs_seen = U->funcs.n;
}

std::unique_ptr<Lowered> lowerModule(Module &M, const ks_profile &P) {
  auto L = std::make_unique<Lowered>();
  UnitLowering(M, P, *L).run();
  return L;
}

uint32_t Lowered::at(const Instruction &I) const {
  for (const Instruction *X = &I; X; X = X->getNextNode()) {
    auto It = Nodes.find(X);
    if (It != Nodes.end())
      return It->second;
  }
  return Branch.lookup(I.getParent());
}

} // namespace ksimd
