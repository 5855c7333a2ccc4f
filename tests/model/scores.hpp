// Counters that several tests of the scorer are about, and what they expect of a score.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "core/counter.hpp"
#include "model/scoring/score.hpp"

namespace plumbline::test {

inline const Counter flops{
    .name = "flops", .backend = "emulated", .terms = {{"ops", 1}}, .quantities = {"flops.fp64"}, .kind = Kind::flops};
inline const Counter fills{.name = "fills", .backend = "emulated", .terms = {{"lines", 64}}, .quantities = {"bytes.L1-L2"}};

inline void expect(const CounterScore& score, char grade, const std::string& words) {
  EXPECT_EQ(score.grade, grade) << score.reason;
  EXPECT_NE(score.reason.find(words), std::string::npos) << score.reason;
}

}  // namespace plumbline::test
