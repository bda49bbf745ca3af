// SPDX-License-Identifier: BSD-2-Clause
//
// Values that the front ends for source and IR follow, and what conditions say
// of them.  Each front end translates its own nodes; the algebra is here.
//
// 1. A value is a constant, an address of a symbol, (the low bits of) a place,
//    or a test: 1 if a place is in an interval, else 0.
// 2. As a condition it is a constant or a test; a test is turned around by its
//    interval.
// 3. A comparison with a constant is an interval of the place, in as many bits
//    as are known of it; a narrower value that was extended is compared in its
//    own width, where the constant can be such a value at all.
// 4. What a place keeps of a value depends on the widths (ks_val in graph.h).
//
// Intervals may wrap around (ks_iv): that is how signed ones are written.
// Everything is unknown that is not certain.
#ifndef KS_VALUE_HPP
#define KS_VALUE_HPP

#include <algorithm>
#include <cstdint>

#include "ks/graph.h"

namespace ksimd {

struct Val {
  enum Kind { Unknown, Const, Place, Sym, Test } K = Unknown;
  uint64_t Num = 0;
  uint32_t Ref = 0;
  ks_iv Iv = {0, 0, 0};
  unsigned Bits = 64; // Place: only so many low bits of it
  bool Zext = true;   // ... and zeroes above; else copies of the highest
  bool Bool = false;  // Place: 0 or 1

  static Val constant(uint64_t N) {
    Val V;
    V.K = Const;
    V.Num = N;
    return V;
  }
  static Val place(uint32_t P, unsigned Bits, bool Zext = true) {
    Val V;
    V.K = Place;
    V.Ref = P;
    V.Bits = Bits;
    V.Zext = Zext;
    return V;
  }
  // 0 or 1 if BOOL.
  static Val flag(uint32_t P, unsigned Bits, bool Bool) {
    Val V = place(P, Bits);
    V.Bool = Bool;
    return V;
  }
  static Val test(uint32_t P, ks_iv Iv) {
    Val V;
    V.K = Test;
    V.Ref = P;
    V.Iv = Iv;
    return V;
  }
};

inline uint64_t maskOf(unsigned Bits) {
  return Bits >= 64 ? UINT64_MAX : ((uint64_t)1 << Bits) - 1;
}

inline ks_iv interval(uint64_t Lo, uint64_t Hi, unsigned Bits) {
  return {Lo & maskOf(Bits), Hi & maskOf(Bits), (uint8_t)Bits};
}

// A constant, a test, or unknown.
inline Val toBool(const Val &V) {
  switch (V.K) {
  case Val::Const:
    return Val::constant(V.Num != 0);
  case Val::Sym:
    return Val::constant(1);
  case Val::Place:
    return Val::test(V.Ref, interval(1, UINT64_MAX, V.Bits));
  default:
    return V;
  }
}

inline Val negate(const Val &V) {
  Val B = toBool(V);
  if (B.K == Val::Const)
    return Val::constant(!B.Num);
  if (B.K == Val::Test)
    B.Iv = ks_iv_not(B.Iv);
  return B;
}

enum class Cmp { Eq, Ne, Lt, Le, Gt, Ge };

// a C b is b swapped(C) a.
inline Cmp swapped(Cmp C) {
  switch (C) {
  case Cmp::Lt: return Cmp::Gt;
  case Cmp::Gt: return Cmp::Lt;
  case Cmp::Le: return Cmp::Ge;
  case Cmp::Ge: return Cmp::Le;
  default: return C;
  }
}

// The place with the lowest BITS of which L is, C a constant of them.
inline Val compareBits(Cmp C, bool Signed, uint32_t Place, uint64_t K,
                       unsigned Bits) {
  uint64_t Min = Signed ? (uint64_t)1 << (Bits - 1) : 0;
  uint64_t Top = Signed ? Min - 1 : maskOf(Bits);
  switch (C) {
  case Cmp::Eq:
    return Val::test(Place, interval(K, K, Bits));
  case Cmp::Ne:
    return Val::test(Place, interval(K + 1, K - 1, Bits));
  case Cmp::Lt:
    return K == Min ? Val::constant(0)
                    : Val::test(Place, interval(Min, K - 1, Bits));
  case Cmp::Le:
    return K == Top ? Val::constant(1)
                    : Val::test(Place, interval(Min, K, Bits));
  case Cmp::Gt:
    return K == Top ? Val::constant(0)
                    : Val::test(Place, interval(K + 1, Top, Bits));
  case Cmp::Ge:
    return K == Min ? Val::constant(1)
                    : Val::test(Place, interval(K, Top, Bits));
  }
  return Val();
}

// L C R, both of WIDTH bits; not unknown only if one is a constant.
inline Val compare(Cmp C, bool Signed, Val L, Val R, unsigned Width) {
  bool Equality = C == Cmp::Eq || C == Cmp::Ne;
  if (L.K == Val::Const && R.K != Val::Const) {
    std::swap(L, R);
    C = swapped(C);
  }
  if (R.K != Val::Const)
    return Val();
  if (L.K == Val::Sym)
    return R.Num == 0 && Equality ? Val::constant(C == Cmp::Ne) : Val();
  if (L.K == Val::Test) {
    if (!Equality || R.Num > 1)
      return Val();
    return (C == Cmp::Eq) == (R.Num == 1) ? L : negate(L);
  }
  if (L.K != Val::Place)
    return Val();
  unsigned Bits = std::min(L.Bits, Width);
  uint64_t K = R.Num & maskOf(Width), Max = maskOf(Bits);
  if (Bits < Width && L.Zext) {
    if (K > Max)
      return Val();
    Signed = false;
  } else if (Bits < Width) {
    uint64_t Ext = K & Max;
    if (Ext >> (Bits - 1) & 1)
      Ext |= maskOf(Width) & ~Max;
    if (Ext != K || (!Equality && !Signed))
      return Val();
    K &= Max;
  }
  return compareBits(C, Signed, L.Ref, K, Bits);
}

// V as what is kept in a place of WIDTH bits.
inline ks_val toKs(const Val &V, unsigned Width) {
  ks_val R = {KS_VAL_UNKNOWN, 0, 0, {0, 0, 0}};
  switch (V.K) {
  case Val::Const:
    R.kind = KS_VAL_CONST;
    R.num = V.Num;
    break;
  case Val::Sym:
    R.kind = KS_VAL_SYM;
    R.ref = V.Ref;
    break;
  case Val::Test:
    R.kind = KS_VAL_TEST;
    R.ref = V.Ref;
    R.iv = V.Iv;
    break;
  case Val::Place:
    if (V.Bool || V.Bits >= Width)
      R.kind = KS_VAL_PLACE;
    else if (!V.Zext)
      break;
    else if (V.Bits == 1)
      R = {KS_VAL_TEST, 0, 0, interval(1, 1, 1)};
    else if (V.Bits == 8 || V.Bits == 16 || V.Bits == 32)
      R = {KS_VAL_ZEXT, 0, V.Bits, {0, 0, 0}};
    else
      break;
    R.ref = V.Ref;
    break;
  default:
    break;
  }
  return R;
}

} // namespace ksimd

#endif
