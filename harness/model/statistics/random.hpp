// Random numbers for resampling are the same everywhere, so that a judgement of the same file is.
#pragma once
#include <cstddef>
#include <cstdint>

namespace plumbline {

/// A splitmix64 generator (Steele, Lea, Flood 2014): the same numbers under every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// Draws evenly from 0 .. n-1.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * static_cast<std::uint64_t>(n) >> 32); }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace plumbline
