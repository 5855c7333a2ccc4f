#include "core/work.hpp"

namespace plumbline {
namespace {

Amount sum_below(const Counts& counts, std::string_view prefix, bool fma_weighs_two) {
  Amount total;
  for (auto it = counts.lower_bound(prefix); it != counts.end() && it->first.starts_with(prefix); ++it)
    total += (fma_weighs_two && it->first.ends_with(".fma") ? 2U : 1U) * it->second;
  return total;
}

}  // namespace

Amount total_flops(const Counts& counts, std::string_view precision) {
  return sum_below(counts, "flops." + std::string(precision) + ".", true);
}

Amount total_flops(const Counts& counts) { return sum_below(counts, "flops.", true); }

Amount total_bytes(const Counts& counts, std::string_view boundary) {
  return sum_below(counts, "bytes." + std::string(boundary) + ".", false);
}

}  // namespace plumbline
