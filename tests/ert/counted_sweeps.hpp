// A kernel's flavored loop, counted from its machine code under the Valgrind tool, and the model's FLOPs that it is held against.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "core/kernel.hpp"
#include "measured.hpp"

namespace plumbline {

inline std::uint64_t count(const measured::Counts& counts, plumbline_event event) { return static_cast<std::uint64_t>(counts[event]); }

inline std::uint64_t amount(const Work& work, const std::string& quantity) {
  const auto found = work.flops.find(quantity);
  return found == work.flops.end() ? 0 : found->second.lo;
}

inline bool runs_under_the_tool(const Flavor& flavor) {
  const std::string isa = split_flavor(flavor.name).isa;
  return isa == "v2" || isa == "v3";
}

/// The counts of one sweep, after a warm one; the result must be right.
inline measured::Counts counts_of_sweep(const Flavor& flavor, Workload& data) {
  flavor.sweep(data.arguments(), 0, data.extent());
  const auto counts = measured::counts_of([&] { flavor.sweep(data.arguments(), 0, data.extent()); });
  EXPECT_LE(data.error(), data.tolerance());
  return counts;
}

inline void expect_flops_by_kind(const measured::Counts& counts, const Work& work, std::string_view precision) {
  const bool fp64 = precision == "fp64";
  EXPECT_EQ(count(counts, fp64 ? PLUMBLINE_EVENT_flops_fp64_add : PLUMBLINE_EVENT_flops_fp32_add),
            amount(work, fp64 ? "flops.fp64.add" : "flops.fp32.add"));
  EXPECT_EQ(count(counts, fp64 ? PLUMBLINE_EVENT_flops_fp64_mul : PLUMBLINE_EVENT_flops_fp32_mul),
            amount(work, fp64 ? "flops.fp64.mul" : "flops.fp32.mul"));
  EXPECT_EQ(count(counts, fp64 ? PLUMBLINE_EVENT_flops_fp64_fma : PLUMBLINE_EVENT_flops_fp32_fma),
            amount(work, fp64 ? "flops.fp64.fma" : "flops.fp32.fma"));
}

}  // namespace plumbline
