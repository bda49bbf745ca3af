// SPDX-License-Identifier: BSD-2-Clause
//
// Between the files that lower IR.
//
//   simd.cpp    what touches SIMD state: types, intrinsics, assembly
//   lower.cpp   the module: symbols, annotations, tables of functions
//   func.cpp    one function: instructions to nodes, control flow to edges
//   value.cpp   what values are worth following, and as which place
#ifndef KS_PASSES_LOWER_H
#define KS_PASSES_LOWER_H

#include "pass.h"
#include "ks/value.hpp"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <map>
#include <set>

namespace ksimd {

// What an instruction does to SIMD state.
struct SimdUse {
  uint8_t Event = KS_EV_NOP; // SIMD, SAVE, RESTORE
  uint16_t Classes = 0;
  ks_isaset Isa = 0;
  bool Pinned = false;
  explicit operator bool() const { return Event != KS_EV_NOP; }
};

SimdUse simdUse(const llvm::Instruction &I);
// Of a value of type T in F's code.
SimdUse typeUse(const llvm::Type *T, const llvm::Function &F);

// What is switched on for a function, by its attributes or the target's
// baseline.
struct Cpu {
  bool X86 = false, Mmx = false, Sse = false, Sse2 = false, Avx = false,
       Avx512f = false;
};

// Good until the next call.
const Cpu &cpuOf(const llvm::Function &F);

// A piece of memory.
struct Mem {
  std::string Id;   // the same address has the same one
  std::string Base; // what Off counts from
  const llvm::Value *Root = nullptr; // Base
  const llvm::Value *Object = nullptr; // Base if it is an alloca or global
  bool Known = true; // Off is
  int64_t Off = 0;
  uint64_t Size = 0; // bytes, 0: unknown
  std::string Field; // "%struct.softc+8": accesses of other fields miss it
  bool Const = false; // never changes
  bool Any = false;  // all that is not a local of this function alone
};

// Equal expressions share a place, good until what they depend on changes.
struct Shared {
  uint32_t Place;
  std::vector<const llvm::Value *> Vars;
  std::vector<Mem> Mems;
};

// The text that equal expressions share.
struct Key {
  std::string Text;
  std::vector<const llvm::Value *> Vars;
  std::vector<Mem> Mems;
};

class UnitLowering {
public:
  UnitLowering(llvm::Module &M, const ks_profile &P, Lowered &Out);
  void run();

  llvm::Module &M;
  const llvm::DataLayout &DL;
  const ks_profile &P;
  Lowered &Out;
  ks_unit *U;
  llvm::DenseSet<const llvm::Value *> Captured; // locals whose address is kept

  uint32_t str(llvm::StringRef S) {
    return S.empty() ? 0 : ks_intern_n(U->str, S.data(), S.size());
  }
  ks_loc loc(const llvm::Instruction &I);
  ks_loc loc(const llvm::Function &F);
  uint32_t symOf(const llvm::GlobalValue *G);
  // Until the next symbol is made.
  ks_sym &symbol(const llvm::GlobalValue *G) {
    uint32_t S = symOf(G); // may move them
    return U->syms.v[S];
  }
  // Looks through casts and aliases.
  static const llvm::Function *functionOf(const llvm::Value *V);
  // Where a pointer is stored or loaded: "inst:NAME.1", "field:%struct.ops+8";
  // "" for none.
  std::string instKey(const llvm::Value *Ptr);
  std::string fieldKey(const llvm::Value *Ptr);
  void store(llvm::StringRef Key, const llvm::Function *F);
  // Something unknown is stored there; counts only where calls load it.
  void storeUnknown(llvm::StringRef Key) { Unknown.insert(Key.str()); }
  void callKey(llvm::StringRef Key) { Called.insert(Key); }
  // Of a test of bits of a field, or null.
  const ks_rule *queryMask(const llvm::Instruction &I);

private:
  uint32_t file(const llvm::DIFile *F);
  void queryFields();
  void allows(llvm::StringRef Path, uint32_t Name);
  void annotations();
  void initialiser(const llvm::GlobalVariable &G, const llvm::Constant *C,
                   const std::string &Path, const std::string &Field);
  void uses(const llvm::Function *F, const llvm::Value *V,
            llvm::SmallPtrSetImpl<const llvm::Value *> &Seen);
  void addrTaken(const llvm::Function *F, bool Escapes, ks_loc L,
                 const std::string &Text);
  bool leaks(const llvm::Value *V,
             llvm::SmallPtrSetImpl<const llvm::Value *> &Seen);
  void tables();
  void ifunc(const llvm::GlobalIFunc &I);

  llvm::DenseMap<const llvm::GlobalValue *, uint32_t> Syms;
  llvm::DenseMap<const llvm::Function *, uint32_t> Notes; // KS_FUNC_*
  llvm::DenseMap<const llvm::DIFile *, uint32_t> Files;
  std::set<std::string> Unknown;
  llvm::StringSet<> Called;
  llvm::SmallVector<uint64_t, 4> Masks;    // of query-mask
  llvm::StringMap<const ks_rule *> Fields; // the same, by fieldKey
  bool FieldsRead = false;
  std::vector<std::pair<const llvm::GlobalVariable *, const llvm::Function *>>
      Tables;
  std::vector<
      std::pair<const llvm::GlobalVariable *, const llvm::GlobalVariable *>>
      Refs;
};

class FuncLowering {
public:
  FuncLowering(UnitLowering &Unit, const llvm::Function &F, uint32_t Index)
      : Unit(Unit), F(F), Index(Index), DL(Unit.DL) {}
  void run();

private:
  // --- func.cpp ---
  struct Edge {
    uint32_t To = KS_NONE;
    uint32_t Cond = KS_NONE;
    ks_iv Iv = {0, 0, 0};
  };
  struct Node {
    ks_node N;
    std::vector<Edge> Succ;
    const llvm::Value *KillVar = nullptr;
    bool KillMem = false;
    Mem What;
    uint32_t Except = KS_NONE;
  };
  ks_func &fn() { return Unit.U->funcs.v[Index]; }
  uint32_t newNode(enum ks_event Ev);
  uint32_t add(enum ks_event Ev, const llvm::Instruction *I);
  void set(uint32_t P, const ks_val &V, const llvm::Instruction *I);
  void killVar(const llvm::Value *V);
  void killMem(const Mem &M, uint32_t Except = KS_NONE);
  void simd(const SimdUse &S, const llvm::Instruction &I);
  uint32_t vectorPlace(const llvm::Value *V);
  void prescan();
  bool passesOnStack();
  void params();
  void block(const llvm::BasicBlock &B);
  // False: control does not come back.
  bool instruction(const llvm::Instruction &I);
  bool call(const llvm::CallBase &C);
  void callee(const llvm::CallBase &C, ks_call &K);
  void intrinsic(const llvm::IntrinsicInst &I);
  void assembly(const llvm::CallBase &C);
  void storeInst(const llvm::StoreInst &S);
  void select(const llvm::SelectInst &S);
  void terminator(const llvm::Instruction &I);
  void branch(const llvm::BranchInst &B);
  void switchEdges(const llvm::SwitchInst &S);
  void link(const llvm::BasicBlock *From, const llvm::BasicBlock *To, Edge E);
  uint32_t phis(const llvm::BasicBlock *From, const llvm::BasicBlock *To);
  void unreachable(const llvm::BasicBlock &B);
  void emit();

  // --- value.cpp ---
  static bool followed(const llvm::Type *T);
  unsigned width(const llvm::Type *T);
  Val eval(const llvm::Value *V);
  void define(const llvm::Instruction &I);
  Val opaque(const llvm::Instruction &I, const ks_val &Is);
  bool brief(const llvm::Instruction &I, const llvm::Instruction &From,
             unsigned Depth = 0);
  void load(const llvm::LoadInst &L);
  Val castInst(const llvm::CastInst &C);
  Val binary(const llvm::BinaryOperator &B);
  Val comparison(llvm::CmpInst::Predicate P, const llvm::Value *L,
                 const llvm::Value *R);
  bool isBool(const llvm::Value *V, unsigned Depth = 0);
  uint32_t place(const llvm::Value *V, uint8_t Flags = 0);
  std::string name(const llvm::Value *V);
  Key keyOf(const llvm::Value *V);
  bool expression(const llvm::Instruction &I, Key &K);
  uint32_t shared(const Key &K, const llvm::Value *V);
  Mem memOf(const llvm::Value *Ptr, uint64_t Size, Key &K);
  bool mayAlias(const Mem &A, const Mem &B);
  unsigned number(const llvm::Value *V);

  UnitLowering &Unit;
  const llvm::Function &F;
  uint32_t Index;
  const llvm::DataLayout &DL;
  std::vector<Node> Nodes;
  std::vector<uint32_t> Order; // of the nodes in use
  // Where the next node hangs on, and what is known on the way to it.
  std::vector<std::pair<uint32_t, Edge>> Tails;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> Entry, Branch;
  llvm::DenseMap<const llvm::Instruction *, uint32_t> First;
  llvm::DenseMap<const llvm::Value *, Val> Values;
  llvm::DenseMap<const llvm::Value *, uint32_t> Places;
  llvm::DenseMap<const llvm::Value *, std::string> Names; // of variables
  llvm::DenseMap<const llvm::Instruction *, unsigned> CallsBefore, // in block
      WritesBefore;
  llvm::DenseSet<const llvm::Value *> ToConst; // pointers to const, by type
  llvm::DenseMap<const llvm::Value *, unsigned> Numbers;
  // Keys of instructions, and the state of memory they are of.
  llvm::DenseMap<const llvm::Value *, std::pair<Key, unsigned>> Keys;
  std::map<std::string, uint32_t> ByKey;
  std::vector<Shared> All;
  unsigned Epoch = 0; // of memory, in this walk
};

} // namespace ksimd

#endif
