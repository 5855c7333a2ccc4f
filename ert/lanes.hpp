// Here are the widest vector registers of the ISA that a file is compiled for, and independent chains of arithmetic held in them. For
// flavored loops everything is of internal linkage and inlined, nothing comes from std.
#pragma once
#include <cstddef>

#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS != 0
#include <arm_sve.h>

#include <cstdint>
#define PLUMBLINE_SVE
#define PLUMBLINE_VECTOR_BYTES (__ARM_FEATURE_SVE_BITS / 8)
#define PLUMBLINE_VECTOR_REGISTERS 32
#define PLUMBLINE_REGISTER "+w"
#elif defined(__AVX512F__)
#define PLUMBLINE_VECTOR_BYTES 64
#define PLUMBLINE_VECTOR_REGISTERS 32
#define PLUMBLINE_REGISTER "+v"
#elif defined(__AVX2__)
#define PLUMBLINE_VECTOR_BYTES 32
#define PLUMBLINE_VECTOR_REGISTERS 16
#define PLUMBLINE_REGISTER "+x"
#elif defined(__x86_64__)
#define PLUMBLINE_VECTOR_BYTES 16
#define PLUMBLINE_VECTOR_REGISTERS 16
#define PLUMBLINE_REGISTER "+x"
#else
#define PLUMBLINE_VECTOR_BYTES 16
#define PLUMBLINE_VECTOR_REGISTERS 32
#define PLUMBLINE_REGISTER "+w"
#endif
#if defined(__aarch64__)
#define PLUMBLINE_FMA_ACCUMULATES true
#else
#define PLUMBLINE_FMA_ACCUMULATES false
#endif
#define PLUMBLINE_INLINE inline __attribute__((always_inline))
#define PLUMBLINE_LAMBDA __attribute__((always_inline))

namespace {

/// A full vector of Real; a class such as plumbline::Counted is its own vector of one lane.
template <class Real, bool is_class = __is_class(Real)>
struct Vector;
#ifdef PLUMBLINE_SVE
/// Defines an SVE vector of the length that -msve-vector-bits says: such code runs on that length only. (A plain vector of 16 bytes would
/// be NEON's, plain memory accesses would be by bytes with an address computed for each, and clang takes only scalable vectors into
/// registers of asm.)
#define PLUMBLINE_SVE_VECTOR(REAL, SCALABLE)                                                                                           \
  template <>                                                                                                                          \
  struct Vector<REAL, false> {                                                                                                         \
    typedef SCALABLE type __attribute__((arm_sve_vector_bits(__ARM_FEATURE_SVE_BITS)));                                                \
  };                                                                                                                                   \
  PLUMBLINE_INLINE void keep_vector(Vector<REAL, false>::type& x) {                                                                    \
    SCALABLE same = x;                                                                                                                 \
    asm volatile("" : PLUMBLINE_REGISTER(same));                                                                                       \
    x = same;                                                                                                                          \
  }                                                                                                                                    \
  PLUMBLINE_INLINE void load_vector(Vector<REAL, false>::type& x, const void* from) {                                                  \
    x = svld1(svptrue_b8(), static_cast<const REAL*>(from));                                                                           \
  }                                                                                                                                    \
  PLUMBLINE_INLINE void store_vector(void* to, const Vector<REAL, false>::type& x) { svst1(svptrue_b8(), static_cast<REAL*>(to), x); } \
  PLUMBLINE_INLINE void stream_vector(void* to, const Vector<REAL, false>::type& x) { svstnt1(svptrue_b8(), static_cast<REAL*>(to), x); }
PLUMBLINE_SVE_VECTOR(double, svfloat64_t)
PLUMBLINE_SVE_VECTOR(float, svfloat32_t)
PLUMBLINE_SVE_VECTOR(std::uint64_t, svuint64_t)
#else
template <class Real>
struct Vector<Real, false> {
  typedef Real type __attribute__((vector_size(PLUMBLINE_VECTOR_BYTES)));
};
template <class V>
PLUMBLINE_INLINE void keep_vector(V& x) {
  asm volatile("" : PLUMBLINE_REGISTER(x));
}
/// A vector V anywhere in memory, of any element type. (memcpy of 16 bytes would go through integer registers on 64-bit Arm.)
template <class V>
struct Anywhere {
  typedef V type __attribute__((aligned(1), may_alias));
};
template <class V>
PLUMBLINE_INLINE void load_vector(V& x, const void* from) {
  x = *static_cast<const typename Anywhere<V>::type*>(from);
}
template <class V>
PLUMBLINE_INLINE void store_vector(void* to, const V& x) {
  *static_cast<typename Anywhere<V>::type*>(to) = x;
}
#endif
template <class Real>
struct Vector<Real, true> {
  using type = Real;
};
template <class Real>
using Widest = typename Vector<Real>::type;

/// The number of chains that is enough to hide the latency of every pipe, and as many as the registers allow beside four constants.
constexpr int widest_chains = PLUMBLINE_VECTOR_REGISTERS == 32 ? 24 : 12;
constexpr int scalar_chains = 12, wide_scalar_chains = widest_chains;

/// Whether an FMA adds into the register of the sum. NEON's does, and has no form that keeps it: x -> p x + r costs a second instruction,
/// which copies r. There chains take steps in which x itself is the sum: x -> x + p x.
constexpr bool fma_accumulates = PLUMBLINE_FMA_ACCUMULATES;

/// Keeps the compiler from seeing through this point and from taking the value out of its register: no fusing, no reassociation, no
/// elision.
template <class V>
PLUMBLINE_INLINE void keep(V& x) {
  if constexpr (sizeof(V) == PLUMBLINE_VECTOR_BYTES)
    keep_vector(x);
  else if constexpr (!__is_class(V))
    asm volatile("" : PLUMBLINE_REGISTER(x));
}

/// Loads a V from sizeof(V) bytes at `from`, at any alignment and of any element type.
template <class V, class Real>
PLUMBLINE_INLINE V loaded(const Real* from) {
  V x;
  if constexpr (sizeof(V) == sizeof(Real))
    x = *from;
  else
    load_vector(x, from);
  return x;
}
template <class V, class Real>
PLUMBLINE_INLINE void stored(Real* to, const V& x) {
  if constexpr (sizeof(V) == sizeof(Real))
    *to = x;
  else
    store_vector(to, x);
}

/// Whether a vector is listed lane by lane, and not filled so: there g++ would take a mask for each lane, and eight instructions for one.
#ifdef __AVX512F__
constexpr bool lists_lanes = true;
#else
constexpr bool lists_lanes = false;
#endif

/// A vector of elements that lie `apart` elements from each other; 0 apart, each lane holds the same.
template <class V, class Real>
PLUMBLINE_INLINE V strided(const Real* at, std::size_t apart) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const auto lane = [=](std::size_t i) __attribute__((always_inline)) { return at[i * apart]; };
  if constexpr (lanes == 1) {
    return *at;
  } else if constexpr (lists_lanes && lanes == 8) {
    return V{lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)};
  } else if constexpr (lists_lanes && lanes == 16) {
    return V{lane(0), lane(1), lane(2),  lane(3),  lane(4),  lane(5),  lane(6),  lane(7),
             lane(8), lane(9), lane(10), lane(11), lane(12), lane(13), lane(14), lane(15)};
  } else {
    V x;
    for (std::size_t i = 0; i < lanes; ++i) x[i] = at[i * apart];
    return x;
  }
}

/// A vector of which every lane holds `value`: one instruction, where the compiler sees that all lanes are the same.
template <class V, class Real>
PLUMBLINE_INLINE V repeated(Real value) {
  [[maybe_unused]] constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
#ifndef PLUMBLINE_SVE
  if constexpr (lanes == 2) return V{value, value};
  if constexpr (lanes == 4) return V{value, value, value, value};
  if constexpr (lanes == 8) return V{value, value, value, value, value, value, value, value};
  if constexpr (lanes == 16)
    return V{value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value};
  if constexpr (lanes == 32)
    return V{value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value,
             value, value, value, value, value, value, value, value, value, value, value, value, value, value, value, value};
#endif
  return strided<V>(&value, 0);
}
/// A vector of which every lane holds `value`, kept in a register.
template <class V, class Real>
PLUMBLINE_INLINE V broadcast(Real value) {
  V x = repeated<V>(value);
  keep(x);
  return x;
}

/// An array of `count` independent values, each in a register of its own.
template <class V, int count>
struct Chains {
  V x;
  Chains<V, count - 1> rest;

  /// Loads one vector every `stride` elements; without gaps by default.
  template <class Real>
  PLUMBLINE_INLINE void load(const Real* from, std::size_t stride = sizeof(V) / sizeof(Real)) {
    x = loaded<V>(from);
    keep(x);  // else gcc loads several chains at once and takes them apart in memory
    rest.load(from + stride, stride);
  }
  template <class Real>
  PLUMBLINE_INLINE void store(Real* to, std::size_t stride = sizeof(V) / sizeof(Real)) const {
    stored(to, x);
    // The barrier keeps scalars from being gathered in wide registers first: a core with these in use may keep the low clock of wide
    // vectors.
    if constexpr (!__is_class(V) && sizeof(V) == sizeof(Real)) asm volatile("" ::: "memory");
    rest.store(to + stride, stride);
  }
  template <class Step>
  PLUMBLINE_INLINE void apply(Step step) {
    x = step(x);
    keep(x);
    rest.apply(step);
  }
};
template <class V>
struct Chains<V, 0> {
  template <class Real>
  PLUMBLINE_INLINE void load(const Real*, std::size_t) {}
  template <class Real>
  PLUMBLINE_INLINE void store(Real*, std::size_t) const {}
  template <class Step>
  PLUMBLINE_INLINE void apply(Step) {}
};

}  // namespace
