// SPDX-License-Identifier: BSD-3-Clause
//
// A stretch of code is counted under the tool. Every program here must run under it: off the tool the tests fail.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "client_requests.h"

namespace measured {

struct Counts {
  std::array<std::int64_t, PLUMBLINE_EVENT_COUNT> value{};
  std::int64_t operator[](plumbline_event event) const { return value[event]; }
};

inline Counts operator-(Counts a, const Counts& b) {
  for (std::size_t e = 0; e < a.value.size(); ++e) a.value[e] -= b.value[e];
  return a;
}

inline std::string_view name(int event) {
#define PLUMBLINE_TEST_NAME(identifier, name, unit, description) name,
  static constexpr std::string_view names[] = {PLUMBLINE_EMULATED_EVENTS(PLUMBLINE_TEST_NAME)};
#undef PLUMBLINE_TEST_NAME
  return names[event];
}

inline Counts difference(const plumbline_counts& before, const plumbline_counts& after) {
  Counts d;
  for (std::size_t e = 0; e < d.value.size(); ++e) d.value[e] = static_cast<std::int64_t>(after.value[e] - before.value[e]);
  return d;
}

template <class Work>
Counts counts_of(Work&& work) {
  static plumbline_counts before, after;
  EXPECT_EQ(plumbline_read_all(&before), 1u) << "not under the Plumbline tool";
  work();
  EXPECT_EQ(plumbline_read_all(&after), 1u);
  return difference(before, after);
}

inline std::int64_t flops_fp64(const Counts& c) {
  return c[PLUMBLINE_EVENT_flops_fp64_add] + c[PLUMBLINE_EVENT_flops_fp64_mul] + 2 * c[PLUMBLINE_EVENT_flops_fp64_fma] +
         c[PLUMBLINE_EVENT_flops_fp64_div] + c[PLUMBLINE_EVENT_flops_fp64_sqrt];
}
inline std::int64_t flops_fp32(const Counts& c) {
  return c[PLUMBLINE_EVENT_flops_fp32_add] + c[PLUMBLINE_EVENT_flops_fp32_mul] + 2 * c[PLUMBLINE_EVENT_flops_fp32_fma] +
         c[PLUMBLINE_EVENT_flops_fp32_div] + c[PLUMBLINE_EVENT_flops_fp32_sqrt];
}
inline std::int64_t flops_x87(const Counts& c) {
  return c[PLUMBLINE_EVENT_flops_x87_add] + c[PLUMBLINE_EVENT_flops_x87_mul] + c[PLUMBLINE_EVENT_flops_x87_div] +
         c[PLUMBLINE_EVENT_flops_x87_sqrt];
}
inline std::int64_t flops(const Counts& c) { return flops_fp64(c) + flops_fp32(c) + flops_x87(c); }

}  // namespace measured
