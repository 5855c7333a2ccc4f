// The registry-wide proofs try these parameters: every word, and integers from the smallest on, odd ones above all.
#pragma once
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel.hpp"

namespace plumbline {

inline Parameters conv2d(std::int64_t width, std::int64_t channels, std::int64_t filters, std::int64_t kernel) {
  return {{"width", width}, {"channels", channels}, {"filters", filters}, {"kernel", kernel}};
}
inline Parameters gpp(std::int64_t nbands, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw) {
  return {{"nbands", nbands}, {"ngpown", ngpown}, {"ncouls", ncouls}, {"nw", nw}};
}
inline Parameters chase(std::int64_t n, std::int64_t steps, std::int64_t chains) {
  return {{"n", n}, {"steps", steps}, {"chains", chains}};
}

/// Every pattern inside L1, beyond it, beyond L2 and beyond L3.
inline std::vector<Parameters> stream_sets() {
  std::vector<Parameters> sets;
  for (const char* pattern : {"load", "store", "copy", "update", "triad", "loads2store1", "store_nt", "copy_nt", "triad_nt"})
    for (const auto& [n, repeat] : {std::pair{500, 2}, {8000, 2}, {50000, 2}, {200000, 1}})
      sets.push_back({{"pattern", std::string(pattern)}, {"n", std::int64_t{n}}, {"repeat", std::int64_t{repeat}}});
  return sets;
}

/// Sizes where a kernel has an edge of its own that small integers do not meet.
inline const std::map<std::string, std::vector<Parameters>>& special_sets() {
  const std::string inlined = "inline", loop = "loop", power = "power", fp = "fp", branch = "branch", stride2 = "stride2";
  static const std::map<std::string, std::vector<Parameters>> sets{
      {"validation/triad", {{{"n", 1000}}, {{"n", 4097}}}},
      {"validation/dot", {{{"n", 1023}}, {{"n", 1024}}, {{"n", 1025}}, {{"n", 5000}}}},
      {"validation/series",
       {{{"form", inlined}, {"n", 29}, {"m", 13}},
        {{"form", loop}, {"n", 29}, {"m", 13}},
        {{"form", power}, {"n", 29}, {"m", 13}},
        {{"form", inlined}, {"n", 28}, {"m", 33}},
        {{"form", inlined}, {"n", 3}, {"m", 64}}}},
      // Rows long enough for every unrolled vector loop, and odd.
      {"validation/stencil5", {{{"n", 67}}}},
      {"validation/stencil7", {{{"n", 67}}}},
      {"validation/stencil7c", {{{"n", 67}}}},
      {"validation/dgemm", {{{"n", 67}}, {{"n", 64}}}},
      {"proxies/gsrb", {{{"variant", fp}, {"n", 67}}, {{"variant", branch}, {"n", 67}}, {{"variant", stride2}, {"n", 67}}}},
      {"proxies/conv2d", {conv2d(9, 3, 5, 3), conv2d(5, 3, 67, 2), conv2d(8, 2, 17, 4), conv2d(12, 1, 2, 5)}},
      {"proxies/gpp", {gpp(2, 3, 33, 4), gpp(1, 2, 5, 9), gpp(2, 1, 3, 67)}},
  };
  return sets;
}

/// Sizes on either side of small caches (32 KiB, 128 KiB, 1 MiB), and of the layers within them.
inline const std::map<std::string, std::vector<Parameters>>& byte_sets() {
  const auto sizes = [](std::initializer_list<std::int64_t> values) {
    std::vector<Parameters> sets;
    for (std::int64_t n : values) sets.push_back({{"n", n}});
    return sets;
  };
  const std::string inlined = "inline", loop = "loop", power = "power", fp = "fp", branch = "branch", stride2 = "stride2";
  static const std::map<std::string, std::vector<Parameters>> sets{
      {"validation/triad", sizes({50, 1000, 3000, 10000, 40000, 120000})},
      {"validation/dot", sizes({50, 1000, 5000, 20000, 120000})},
      {"validation/series",
       {{{"form", loop}, {"n", 2}, {"m", 12}},
        {{"form", loop}, {"n", 3}, {"m", 40}},
        {{"form", inlined}, {"n", 5}, {"m", 85}},
        {{"form", power}, {"n", 4}, {"m", 200}},
        {{"form", inlined}, {"n", 29}, {"m", 300}}}},
      {"validation/stencil5", sizes({4, 20, 60, 130, 400})},
      {"validation/stencil7", sizes({3, 6, 12, 24, 45, 60})},
      {"validation/stencil7c", sizes({3, 6, 12, 24, 45, 60})},
      {"validation/dgemm", sizes({4, 20, 40, 80, 150})},
      {"proxies/gsrb",
       {{{"variant", fp}, {"n", 6}},
        {{"variant", fp}, {"n", 24}},
        {{"variant", fp}, {"n", 45}},
        {{"variant", branch}, {"n", 12}},
        {{"variant", branch}, {"n", 30}},
        {{"variant", branch}, {"n", 60}},
        {{"variant", stride2}, {"n", 12}},
        {{"variant", stride2}, {"n", 24}},
        {{"variant", stride2}, {"n", 45}}}},
      {"proxies/conv2d", {conv2d(6, 2, 3, 3), conv2d(20, 3, 8, 3), conv2d(20, 16, 16, 3), conv2d(40, 8, 4, 5), conv2d(12, 32, 40, 3)}},
      {"ert/chase",
       {chase(50, 50, 1), chase(300, 1000, 1), chase(1000, 1000, 1), chase(4000, 9000, 1), chase(5000, 1500, 1), chase(40000, 40000, 1),
        chase(40000, 10000, 3)}},
      {"ert/stream", stream_sets()},
      {"proxies/gpp", {gpp(2, 2, 20, 2), gpp(2, 4, 300, 2), gpp(4, 8, 1500, 1), gpp(3, 16, 3000, 2)}},
  };
  return sets;
}

/// Whether the kernel takes them: one may tie its parameters to each other.
inline bool takes(const Kernel& kernel, const Parameters& p) {
  try {
    kernel.model(p, kernel.precisions.front(), "");
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// All combinations of words, each with every integer at 1, 2, 3, 5, 7, 16 and 19 (within its limits), and the special ones.
inline std::vector<Parameters> parameter_sets(const Kernel& kernel) {
  std::vector<Parameters> sets{{}};
  for (const auto& spec : kernel.parameters) {
    if (spec.choices.empty()) continue;
    std::vector<Parameters> extended;
    for (const auto& set : sets)
      for (const auto& word : spec.choices) (extended.emplace_back(set)).set(spec.name, word);
    sets = extended;
  }
  std::vector<Parameters> all;
  for (const auto& words : sets)
    for (std::int64_t size : {1, 2, 3, 5, 7, 16, 19}) {
      Parameters set;
      for (const auto& spec : kernel.parameters)
        set.set(spec.name, spec.choices.empty() ? Value(std::clamp(size, spec.min, spec.max)) : words.at(spec.name));
      if (takes(kernel, set) && std::find(all.begin(), all.end(), set) == all.end()) all.push_back(set);
    }
  if (const auto special = special_sets().find(kernel.name); special != special_sets().end())
    all.insert(all.end(), special->second.begin(), special->second.end());
  return all;
}

}  // namespace plumbline
