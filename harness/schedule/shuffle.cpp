#include "schedule/shuffle.hpp"

#include <numeric>
#include <utility>

namespace plumbline {

// Fisher and Yates, by SplitMix64 (Steele et al. 2014). std::shuffle may differ between libraries. The modulo's bias is below 2^-40
// for any campaign, and this is an order, not a sample.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t state = seed;
  const auto next = [&] {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[next() % i]);
  return order;
}

}  // namespace plumbline
