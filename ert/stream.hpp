// These loops alone are the bandwidth patterns: `repeat` passes over the arrays a sweep, in the forms of stream_passes.hpp.
#pragma once
#include <cstdint>

#include "ert/lanes.hpp"
#include "ert/stream_passes.hpp"

enum class StreamPattern { load, store, copy, update, triad, loads2store1 };

/// Parts of a sweep begin at multiples of so many elements; each has its own witness.
constexpr std::size_t stream_grain = 256;
/// The byte that rep stosb writes everywhere: 4.8e-4 in fp64, 0.75 in fp32.
constexpr unsigned char stream_byte = 0x3f;

template <class Real>
struct StreamArrays {
  StreamPattern pattern;
  StreamForm form;
  bool non_temporal;  // how store, copy and triad store
  std::size_t repeat;
  Real* a;
  const Real *b, *c;
  Real s, even, odd;  // factor of triad and base of update; what store writes
  // The witness, one a grain. load: the sum of the bits read, in 8-byte words; where a form does not add, of the last step's, which its
  // registers hold at the end, and of what was read behind the steps. update: passes done.
  std::uint64_t* witness;
};

namespace {

/// A sweep's form, as run_form takes it, for a pattern that touches `arrays` of a, b, c.
template <class Store, int arrays, class Real, class Body>
PLUMBLINE_INLINE void run(const StreamArrays<Real>& x, std::size_t begin, std::size_t end, Body body) {
  run_form<Store, arrays>(x.form, Places<Real>{x.a, x.b, x.c}, x.repeat, begin, end, body);
}

/// x86's string instructions move and fill whole parts at once.
template <class Real>
PLUMBLINE_INLINE void run_string(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
#if defined(__x86_64__)
  for (std::size_t pass = x.repeat; pass != 0; --pass) {
    void* to = x.a + begin;
    const void* from = x.b + begin;
    std::size_t bytes = (end - begin) * sizeof(Real);
    if (x.pattern == StreamPattern::copy)
      asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    else
      asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(stream_byte) : "memory");
  }
#else
  static_cast<void>(x), static_cast<void>(begin), static_cast<void>(end);  // the model refuses it
#endif
}

template <class Store, class Real>
PLUMBLINE_INLINE void run_store(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  V both = broadcast<V>(x.even);
  if constexpr (sizeof(V) != sizeof(Real))
    for (std::size_t i = 1; i < sizeof(V) / sizeof(Real); i += 2) both[i] = x.odd;
  keep(both);
  const Real even = x.even, odd = x.odd;
  run<Store, 1>(x, begin, end, [=]<class W, int>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA {
    if constexpr (sizeof(W) == sizeof(Real))
      Store::store(at.a + i, i % 2 == 0 ? even : odd);
    else
      Store::store(at.a + i, both);
  });
}

template <class Store, class Real>
PLUMBLINE_INLINE void run_copy(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  run<Store, 2>(x, begin, end,
                []<class W, int>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA { Store::store(at.a + i, loaded<W>(at.b + i)); });
}

/// The pattern a = s - a, exact for s = 3/2 and a in [1/2, 1): the same two values for ever.
template <class Real>
PLUMBLINE_INLINE void run_update(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  const Real s = x.s;
  run<Cached, 1>(x, begin, end, [=]<class W, int>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA {
    stored<W>(at.a + i, s - loaded<W>(at.a + i));
  });
  x.witness[begin / stream_grain] += x.repeat;
}

/// The pattern a = b + s c.
template <class Store, class Real>
PLUMBLINE_INLINE void run_triad(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  const Real s = x.s;
  run<Store, 3>(x, begin, end, [=]<class W, int>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA {
    Store::template store<W>(at.a + i, loaded<W>(at.b + i) + s * loaded<W>(at.c + i));
  });
}

/// The pattern a = b + c.
template <class Real>
PLUMBLINE_INLINE void run_loads2store1(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  run<Cached, 3>(x, begin, end, []<class W, int>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA {
    stored<W>(at.a + i, loaded<W>(at.b + i) + loaded<W>(at.c + i));
  });
}

/// The vector for integer sums of the bits: one cycle of latency, no FLOP, and any order gives the same.
using Words = Widest<std::uint64_t>;

/// Loads into the register that x is kept in, whatever becomes of it.
PLUMBLINE_INLINE void load_alone(Words& x, const void* from) {
#if defined(__AVX__)
  asm volatile("vmovups %1, %0" : "+v"(x) : "m"(*static_cast<const Anywhere<Words>::type*>(from)));
#elif defined(__x86_64__)
  asm volatile("movups %1, %0" : "+x"(x) : "m"(*static_cast<const Anywhere<Words>::type*>(from)));
#else
  x = loaded<Words>(static_cast<const char*>(from));
  keep(x);
#endif
}

/// The `count` registers into which words are loaded or added.
template <int count>
struct Held {
  Words words = {};
  Held<count - 1> rest;
  template <int number, bool adds>
  PLUMBLINE_INLINE void take(const void* from) {
    if constexpr (number != 0) {
      rest.template take<number - 1, adds>(from);
    } else if constexpr (adds) {
      words += loaded<Words>(static_cast<const char*>(from));
    } else {
      load_alone(words, from);
    }
  }
  PLUMBLINE_INLINE Words total() const { return words + rest.total(); }
};
template <>
struct Held<0> {
  PLUMBLINE_INLINE Words total() const { return Words{}; }
};

/// The bits of element i as a part of an 8-byte word: of a word of two floats the second is the upper half.
template <class Real>
PLUMBLINE_INLINE std::uint64_t bits_of(const Real* a, std::size_t i) {
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, a + i, sizeof(Real));
  return bits << 8 * (i * sizeof(Real) % sizeof bits);
}

/// Loads by `Steps` of so many registers each.
template <class Steps, int registers, bool adds = false, class Real>
PLUMBLINE_INLINE void run_load(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  Held<registers> held;
  std::uint64_t rest = 0;
  auto body = [&]<class W, int number>(const Places<Real>& at, std::size_t i) PLUMBLINE_LAMBDA {
    if constexpr (sizeof(W) == sizeof(Real))
      rest += bits_of(at.a, i);
    else
      held.template take<number, adds>(at.a + i);
  };
  run_passes<Steps, Cached>(Places<Real>{x.a, x.b, x.c}, x.repeat, begin, end, body);
  const Words total = held.total();
  for (std::size_t i = 0; i < sizeof(Words) / sizeof rest; ++i) rest += total[i];
  x.witness[begin / stream_grain] = rest;
}

template <class Real>
PLUMBLINE_INLINE void run_load_form(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  using V = Widest<Real>;
  constexpr int few = stream_step, many = deep_step;
  switch (x.form) {
    case StreamForm::bumped:
      return run_load<BumpedSteps<V, 1, few, false, 0>, few>(x, begin, end);
    case StreamForm::indexed:
      return run_load<IndexedSteps<V, 1, few>, few>(x, begin, end);
    case StreamForm::deep:
      return run_load<BumpedSteps<V, 1, many, false, 0>, many>(x, begin, end);
    case StreamForm::ahead:
      return run_load<BumpedSteps<V, 1, few, true, ahead_bytes>, few>(x, begin, end);
    default:
      return run_load<CompiledSteps<V, 1, few>, few, true>(x, begin, end);
  }
}

}  // namespace

template <class Real>
PLUMBLINE_INLINE static void sweep(const StreamArrays<Real>& x, std::size_t begin, std::size_t end) {
  if (x.form == StreamForm::string) return run_string(x, begin, end);
  switch (x.pattern) {
    case StreamPattern::load:
      // a counting number has no bits to add, and the pattern no FLOP
      if constexpr (!__is_class(Real)) run_load_form(x, begin, end);
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
