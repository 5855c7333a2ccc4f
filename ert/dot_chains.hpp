// Dot products of a few neighbouring factors are added to a sum a lane: independent chains of s -> s + a.b -> s + a.c, by vectors. For
// flavored loops everything is of internal linkage and inlined.
#pragma once
#include "ert/lanes.hpp"

/// The number of sums in a block: a multiple of chains x lanes.
constexpr std::size_t dot_sums = 384;
/// The number of different factors, those of one vector of 512 bits of sums: the sums i, i + 16, ... have the same.
constexpr std::size_t dot_lanes = 16;

namespace {

/// Sweeps the blocks [begin, end) of `x`, which has iterations, start, result, and the factors a, b, c: so many a sum. V: a vector of
/// 32-bit sums. Vectors with the same factors go together: of 512 bits all, of 256 bits every second. add_dot(sum, u, v) is one
/// instruction.
template <class V, std::size_t factors, class Dots, class AddDot>
PLUMBLINE_INLINE void run_dot_chains(const Dots& x, std::size_t begin, std::size_t end, AddDot add_dot) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(*x.start);
  static_assert(dot_lanes % lanes == 0 && dot_sums % (widest_chains * dot_lanes) == 0);
  for (std::size_t lane = 0; lane < dot_lanes; lane += lanes) {
    V a = loaded<V>(x.a + factors * lane), b = loaded<V>(x.b + factors * lane), c = loaded<V>(x.c + factors * lane);
    keep(a), keep(b), keep(c);
    for (std::size_t i = begin * dot_sums + lane; i < end * dot_sums; i += widest_chains * dot_lanes) {
      Chains<V, widest_chains> sums;
      sums.load(x.start + i, dot_lanes);
      for (std::size_t n = x.iterations; n != 0; --n) {
        sums.apply([=](const V& sum) PLUMBLINE_LAMBDA { return add_dot(sum, a, b); });
        sums.apply([=](const V& sum) PLUMBLINE_LAMBDA { return add_dot(sum, a, c); });
      }
      sums.store(x.result + i, dot_lanes);
    }
  }
}

}  // namespace
