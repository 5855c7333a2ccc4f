// The forms of a loop of ert/stream differ in addresses, unrolling and order, and in the ways to store. For flavored loops everything is of
// internal linkage and inlined.
#pragma once
#include <cstdint>

#include "ert/lanes.hpp"

/// The forms of a loop. `compiled`: eight vectors a step, addresses as the compiler likes (loads: added up). The others load into registers
/// alone: `bumped`: eight, a pointer an array; `indexed`: eight, one index for all arrays; `deep`: sixteen, pointers; `ahead`: as bumped,
/// lines asked for before they are needed; `paged`: the lines of four pages in turn; `string`: x86's rep movsb and rep stosb.
enum class StreamForm { compiled, bumped, indexed, deep, ahead, paged, string };

namespace {

/// Keeps the compiler from merging a pass with the one before.
PLUMBLINE_INLINE void forget_memory() { asm volatile("" ::: "memory"); }

/// Stores through the caches, as plain code does.
struct Cached {
  static constexpr bool fetches = true;  // the line, before it is stored to
  template <class V, class Real>
  PLUMBLINE_INLINE static void store(Real* to, const V& x) {
    stored(to, x);
  }
  PLUMBLINE_INLINE static void end_pass() {}
};

/// Stores past the caches: whole vectors at addresses that are multiples of their size, then single elements (on 64-bit Arm by plain
/// stores). A pass ends when all have left the core. (The model refuses it elsewhere.)
struct NonTemporal {
  static constexpr bool fetches = false;
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

/// The places of a step in each array.
template <class Real>
struct Places {
  Real* a;
  const Real *b, *c;
};

/// Hides from the compiler where the first `arrays` of the places lead, so that it keeps a pointer for each.
template <int arrays, class Real>
PLUMBLINE_INLINE void hide(Places<Real>& at) {
  asm volatile("" : "+r"(at.a));
  if constexpr (arrays > 1) asm volatile("" : "+r"(at.b));
  if constexpr (arrays > 2) asm volatile("" : "+r"(at.c));
}
template <int arrays, class Real>
PLUMBLINE_INLINE void advance(Places<Real>& at, std::size_t elements) {
  at.a += elements;
  if constexpr (arrays > 1) at.b += elements;
  if constexpr (arrays > 2) at.c += elements;
}
template <int arrays, class Real>
PLUMBLINE_INLINE Places<Real> moved(const Places<Real>& all, std::size_t elements) {
  Places<Real> at = all;
  advance<arrays>(at, elements);
  return at;
}

/// Calls body<V, number>(at, i) for `count` vectors in a row, the first of which has the number `first`.
template <class V, int count, int first = 0, class Real, class Body>
PLUMBLINE_INLINE void unrolled(const Places<Real>& at, std::size_t i, Body& body) {
  body.template operator()<V, first>(at, i);
  if constexpr (count > 1) unrolled<V, count - 1, first + 1>(at, i + sizeof(V) / sizeof(Real), body);
}

/// Each form takes as many whole steps of [begin, end) as fit, and gives where it stopped.
template <class V, int arrays, int vectors>
struct CompiledSteps {
  template <class Real, class Body>
  PLUMBLINE_INLINE static std::size_t run(const Places<Real>& all, std::size_t begin, std::size_t end, Body& body) {
    constexpr std::size_t step = vectors * sizeof(V) / sizeof(Real);
    const std::size_t whole = begin + (end - begin) / step * step;
    for (std::size_t i = begin; i < whole; i += step) unrolled<V, vectors>(all, i, body);
    return whole;
  }
};

template <class V, int arrays, int vectors>
struct IndexedSteps {
  template <class Real, class Body>
  PLUMBLINE_INLINE static std::size_t run(const Places<Real>& all, std::size_t begin, std::size_t end, Body& body) {
    constexpr std::size_t step = vectors * sizeof(V) / sizeof(Real);
    const std::size_t whole = begin + (end - begin) / step * step;
    Places<Real> at = all;
    hide<arrays>(at);
    for (std::size_t i = begin; i < whole; i += step) {
      asm volatile("" : "+r"(i));
      unrolled<V, vectors>(at, i, body);
    }
    return whole;
  }
};

/// Asks for the lines that a step will touch so many bytes later.
template <class V, int arrays, int vectors, bool fetches, int bytes>
struct BumpedSteps {
  template <class Real, class Body>
  PLUMBLINE_INLINE static std::size_t run(const Places<Real>& all, std::size_t begin, std::size_t end, Body& body) {
    constexpr std::size_t step = vectors * sizeof(V) / sizeof(Real);
    const std::size_t whole = begin + (end - begin) / step * step;
    Places<Real> at = moved<arrays>(all, begin);
    for (const Real* const last = all.a + whole; at.a != last; advance<arrays>(at, step)) {
      hide<arrays>(at);
      if constexpr (bytes != 0) ask<step * sizeof(Real)>(at);
      unrolled<V, vectors>(at, 0, body);
    }
    return whole;
  }

 private:
  template <std::size_t step_bytes, std::size_t line = 0, class Real>
  PLUMBLINE_INLINE static void ask(const Places<Real>& at) {
    constexpr std::size_t elements = (bytes + line) / sizeof(Real);
    if constexpr (fetches) __builtin_prefetch(at.a + elements, 0, 3);
    if constexpr (arrays > 1) __builtin_prefetch(at.b + elements, 0, 3);
    if constexpr (arrays > 2) __builtin_prefetch(at.c + elements, 0, 3);
    if constexpr (line + 64 < step_bytes) ask<step_bytes, line + 64>(at);
  }
};

/// Steps over two lines of each of four pages, and so on to the ends of the pages.
template <class V, int arrays>
struct PagedSteps {
  static constexpr int vectors = 128 / sizeof(V);

  template <class Real, class Body>
  PLUMBLINE_INLINE static std::size_t run(const Places<Real>& all, std::size_t begin, std::size_t end, Body& body) {
    constexpr std::size_t page = 4096 / sizeof(Real), step = 128 / sizeof(Real);
    const std::size_t whole = begin + (end - begin) / (4 * page) * (4 * page);
    for (std::size_t block = begin; block < whole; block += 4 * page) {
      Places<Real> at = moved<arrays>(all, block);
      for (const Real* const last = at.a + page; at.a != last; advance<arrays>(at, step)) {
        hide<arrays>(at);
        unrolled<V, vectors>(at, 0, body);
        unrolled<V, vectors>(at, page, body);
        unrolled<V, vectors>(at, 2 * page, body);
        unrolled<V, vectors>(at, 3 * page, body);
      }
    }
    return whole;
  }
};

/// Calls body<V, number>(at, i) for every vector by `Steps`, and body<Real, -1>(at, i) for what remains, `repeat` times.
template <class Steps, class Store, class Real, class Body>
PLUMBLINE_INLINE void run_passes(const Places<Real>& all, std::size_t repeat, std::size_t begin, std::size_t end, Body& body) {
  for (std::size_t pass = repeat; pass != 0; --pass) {
    for (std::size_t i = Steps::run(all, begin, end, body); i < end; ++i) {
      body.template operator()<Real, -1>(all, i);
      forget_memory();  // else gcc makes vectors of the rest, and pads two floats to four lanes
    }
    Store::end_pass();
    forget_memory();
  }
}

constexpr int stream_step = 8, deep_step = 16, ahead_bytes = 1024;  // vectors, vectors, bytes

/// Runs the passes in the form that is asked for; `arrays` of a, b, c are touched.
template <class Store, int arrays, class Real, class Body>
PLUMBLINE_INLINE void run_form(StreamForm form, const Places<Real>& all, std::size_t repeat, std::size_t begin, std::size_t end,
                               Body body) {
  using V = Widest<Real>;
  if constexpr (!__is_class(Real)) {
    if (form == StreamForm::bumped) return run_passes<BumpedSteps<V, arrays, stream_step, false, 0>, Store>(all, repeat, begin, end, body);
    if (form == StreamForm::indexed) return run_passes<IndexedSteps<V, arrays, stream_step>, Store>(all, repeat, begin, end, body);
    if (form == StreamForm::deep) return run_passes<BumpedSteps<V, arrays, deep_step, false, 0>, Store>(all, repeat, begin, end, body);
    if (form == StreamForm::ahead)
      return run_passes<BumpedSteps<V, arrays, stream_step, Store::fetches, ahead_bytes>, Store>(all, repeat, begin, end, body);
    if (form == StreamForm::paged) return run_passes<PagedSteps<V, arrays>, Store>(all, repeat, begin, end, body);
  }
  run_passes<CompiledSteps<V, arrays, stream_step>, Store>(all, repeat, begin, end, body);
}

}  // namespace
