// Bandwidth patterns: the loops alone, `repeat` passes over the arrays a sweep. Unrolled eight vectors at a time.
#pragma once
#include <cstdint>

#include "ert/lanes.hpp"

enum class StreamPattern { load, store, copy, update, triad, loads2store1 };

/// Parts of a sweep begin at multiples of so many elements; each has its own witness.
constexpr std::size_t stream_grain = 256;

template <class Real>
struct StreamArrays {
  StreamPattern pattern;
  bool non_temporal;  // how store, copy and triad store
  std::size_t repeat;
  Real* a;
  const Real *b, *c;
  Real s, even, odd;       // factor of triad and base of update; what store writes
  std::uint64_t* witness;  // one a grain. load: sum of the bits read, in 8-byte words; update: passes done
};

namespace {

/// No pass may be merged with the one before.
PLUMBLINE_INLINE void forget_memory() { asm volatile("" ::: "memory"); }

/// How a pattern stores.
struct Cached {
  template <class V, class Real>
  PLUMBLINE_INLINE static void store(Real* to, const V& x) {
    stored(to, x);
  }
  PLUMBLINE_INLINE static void end_pass() {}
};

/// Past the caches: whole vectors at addresses that are multiples of their size, then single elements (on 64-bit
/// Arm by plain stores). A pass ends when all have left the core. (The model refuses it elsewhere.)
struct NonTemporal {
  template <class V, class Real>
  PLUMBLINE_INLINE static void store(Real* to, const V& x) {
    if constexpr (__is_class(V))
      stored(to, x);
    else if constexpr (sizeof(V) == PLUMBLINE_VECTOR_BYTES)
      store_vector(reinterpret_cast<V*>(to), x);
    else if constexpr (sizeof(V) == sizeof(std::uint64_t))
      store_word<std::uint64_t>(to, x);
    else
      store_word<std::uint32_t>(to, x);
  }
#if defined(__x86_64__)
  PLUMBLINE_INLINE static void end_pass() { asm volatile("sfence" ::: "memory"); }

 private:
  template <class V>
  PLUMBLINE_INLINE static void store_vector(V* to, const V& x) {
#if defined(__AVX__)
    asm volatile("vmovntps %1, %0" : "=m"(*to) : "v"(x));
#else
    asm volatile("movntps %1, %0" : "=m"(*to) : "x"(x));
#endif
  }
  template <class Word, class Real>
  PLUMBLINE_INLINE static void store_word(Real* to, const Real& x) {
    Word bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    asm volatile("movnti %1, %0" : "=m"(*to) : "r"(bits));
  }
#else
#if defined(__aarch64__)
  PLUMBLINE_INLINE static void end_pass() { asm volatile("dmb ishst" ::: "memory"); }
#else
  PLUMBLINE_INLINE static void end_pass() {}
#endif

 private:
  template <class V>
  PLUMBLINE_INLINE static void store_vector(V* to, const V& x) {
#if defined(PLUMBLINE_SVE)
    stream_vector(to, x);
#elif defined(__aarch64__)
    // NEON stores pairs of registers so: here the two halves of one
    asm volatile("mov v31.d[0], %1.d[1]\n\tstnp %d1, d31, %0" : "=Q"(*to) : "w"(x) : "v31");
#else
    *to = x;
#endif
  }
  template <class Word, class Real>
  PLUMBLINE_INLINE static void store_word(Real* to, const Real& x) {
    *to = x;
  }
#endif
};

template <class V, int count, class Body>
PLUMBLINE_INLINE void unrolled(std::size_t i, std::size_t lanes, Body body) {
  body.template operator()<V>(i);
  if constexpr (count > 1) unrolled<V, count - 1>(i + lanes, lanes, body);
}

/// body<V>(i) for every vector, and body<Real>(i) for what remains, x.repeat times.
template <class Store, class Real, class Body>
PLUMBLINE_INLINE void run_passes(const StreamArrays<Real>& x, std::size_t begin, std::size_t end, Body body) {
  using V = Widest<Real>;
  constexpr int unroll = 8;
  constexpr std::size_t lanes = sizeof(V) / sizeof(Real);
  const std::size_t whole = begin + (end - begin) / (unroll * lanes) * (unroll * lanes);
  for (std::size_t pass = x.repeat; pass != 0; --pass) {
    for (std::size_t i = begin; i < whole; i += unroll * lanes) unrolled<V, unroll>(i, lanes, body);
    for (std::size_t i = whole; i < end; ++i) {
      body.template operator()<Real>(i);
      forget_memory();  // else gcc makes vectors of the rest, and pads two floats to four lanes
    }
    Store::end_pass();
    forget_memory();
  }
}

template <class Store, class Real>
PLUMBLINE_INLINE void run_store(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  Real* const a = x.a;
  V both = broadcast<V>(x.even);
  if constexpr (sizeof(V) != sizeof(Real))
    for (std::size_t i = 1; i < sizeof(V) / sizeof(Real); i += 2) both[i] = x.odd;
  keep(both);
  const Real even = x.even, odd = x.odd;
  run_passes<Store>(x, begin, end, [=]<class W>(std::size_t i) PLUMBLINE_LAMBDA {
    if constexpr (sizeof(W) == sizeof(Real))
      Store::store(a + i, i % 2 == 0 ? even : odd);
    else
      Store::store(a + i, both);
  });
}

template <class Store, class Real>
PLUMBLINE_INLINE void run_copy(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  Real* const a = x.a;
  const Real* const b = x.b;
  run_passes<Store>(x, begin, end, [=]<class W>(std::size_t i) PLUMBLINE_LAMBDA { Store::store(a + i, loaded<W>(b + i)); });
}

/// a = s - a, exact for s = 3/2 and a in [1/2, 1): the same two values for ever.
template <class Real>
PLUMBLINE_INLINE void run_update(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  Real* const a = x.a;
  const Real s = x.s;
  run_passes<Cached>(x, begin, end, [=]<class W>(std::size_t i) PLUMBLINE_LAMBDA { stored<W>(a + i, s - loaded<W>(a + i)); });
  x.witness[begin / stream_grain] += x.repeat;
}

/// a = b + s c
template <class Store, class Real>
PLUMBLINE_INLINE void run_triad(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  Real* const a = x.a;
  const Real *const b = x.b, *const c = x.c;
  const Real s = x.s;
  run_passes<Store>(x, begin, end, [=]<class W>(std::size_t i) PLUMBLINE_LAMBDA {
    Store::template store<W>(a + i, loaded<W>(b + i) + s * loaded<W>(c + i));
  });
}

/// a = b + c
template <class Real>
PLUMBLINE_INLINE void run_loads2store1(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  Real* const a = x.a;
  const Real *const b = x.b, *const c = x.c;
  run_passes<Cached>(x, begin, end,
                     [=]<class W>(std::size_t i) PLUMBLINE_LAMBDA { stored<W>(a + i, loaded<W>(b + i) + loaded<W>(c + i)); });
}

/// Integer sums of the bits: one cycle of latency, no FLOP, and any order gives the same.
using Words = Widest<std::uint64_t>;

template <int count>
struct Sums {
  Words sum = {};
  Sums<count - 1> rest;
  PLUMBLINE_INLINE void add(const char* from) {
    sum += loaded<Words>(from);
    rest.add(from + sizeof(Words));
  }
  PLUMBLINE_INLINE Words total() const { return sum + rest.total(); }
};
template <>
struct Sums<0> {
  PLUMBLINE_INLINE void add(const char*) {}
  PLUMBLINE_INLINE Words total() const { return Words{}; }
};

template <class Real>
PLUMBLINE_INLINE void run_load(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t unroll = 8, step = unroll * sizeof(Words);
  const char* const first = reinterpret_cast<const char*>(x.a + begin);
  const char* const last = reinterpret_cast<const char*>(x.a + end);
  const char* const whole = first + static_cast<std::size_t>(last - first) / step * step;
  Sums<unroll> sums;
  std::uint64_t rest = 0;
  for (std::size_t pass = x.repeat; pass != 0; --pass) {
    for (const char* i = first; i < whole; i += step) sums.add(i);
    for (const char* i = whole; i < last; i += sizeof(Real)) {
      // of a word of two floats the second is the upper half
      std::uint64_t bits = 0;
      __builtin_memcpy(&bits, i, sizeof(Real));
      rest += bits << 8 * (static_cast<std::size_t>(i - first) % sizeof bits);
    }
    forget_memory();
  }
  const Words total = sums.total();
  for (std::size_t i = 0; i < sizeof(Words) / sizeof rest; ++i) rest += total[i];
  x.witness[begin / stream_grain] = rest;
}

}  // namespace

template <class Real>
static void sweep(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  switch (x.pattern) {
    case StreamPattern::load:
      if constexpr (!__is_class(Real)) run_load(x, begin, end);  // a counting number has no bits to add, and the pattern no FLOP
      return;
    case StreamPattern::store:
      return x.non_temporal ? run_store<NonTemporal>(x, begin, end) : run_store<Cached>(x, begin, end);
    case StreamPattern::copy:
      return x.non_temporal ? run_copy<NonTemporal>(x, begin, end) : run_copy<Cached>(x, begin, end);
    case StreamPattern::update:
      return run_update(x, begin, end);
    case StreamPattern::triad:
      return x.non_temporal ? run_triad<NonTemporal>(x, begin, end) : run_triad<Cached>(x, begin, end);
    case StreamPattern::loads2store1:
      return run_loads2store1(x, begin, end);
  }
}
