#include "core/work.hpp"

namespace plumbline {
namespace {

Amount sum_below(const Counts& counts, std::string_view prefix, bool fma_weighs_two) {
  Amount total;
  for (auto it = counts.lower_bound(prefix); it != counts.end() && it->first.starts_with(prefix); ++it)
    total += (fma_weighs_two && it->first.ends_with(".fma") ? 2U : 1U) * it->second;
  return total;
}

/// The bytes that a loop's variables may take for each cause. At -O0 a frame spans a few lines; with optimization spilled registers span
/// one or two.
constexpr std::uint64_t loop_variable_bytes = 4 * 64;

}  // namespace

void Work::add_outer_loop(std::uint64_t entries, std::uint64_t bytes_inside) {
  const std::vector<Stream::Layer> overflown{
      {.reuse_bytes = bytes_inside, .fetched_bytes = entries * loop_variable_bytes, .upper_bound = true}};
  streams.push_back({.array = "loop variables read", .read = true, .written = true, .layers = overflown});
  streams.push_back({.array = "loop variables written", .written = true, .layers = overflown});
}

Amount total_flops(const Counts& counts, std::string_view precision) {
  return sum_below(counts, "flops." + std::string(precision) + ".", true);
}

Amount total_flops(const Counts& counts) { return sum_below(counts, "flops.", true); }

Amount total_bytes(const Counts& counts, std::string_view boundary) {
  return sum_below(counts, "bytes." + std::string(boundary) + ".", false);
}

// A stream that a sweep goes on with from where the last one stopped is touched in part; loop variables and scratchpads are no data.
Amount working_set(const Work& work, int threads) {
  Amount all;
  for (const auto& s : work.streams) {
    if (s.scratchpad) continue;
    const std::uint64_t bytes = s.footprint_bytes * (s.per_thread ? static_cast<std::uint64_t>(threads) : 1);
    all += Amount(s.at_most || s.touched_bytes != 0 ? 0 : bytes, bytes);
  }
  return all;
}

}  // namespace plumbline
