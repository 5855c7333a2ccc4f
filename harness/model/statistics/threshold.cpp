#include "model/statistics/threshold.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/statistics/row_class.hpp"

namespace plumbline {
namespace {

struct ClassThreshold {
  std::string_view row_class;
  double part;
};
constexpr std::array<ClassThreshold, 15> thresholds{{{"compute", 0.03},
                                                     {"sustained", 0.03},
                                                     {"L1", 0.03},
                                                     {"L2", 0.05},
                                                     {"L3", 0.05},
                                                     {"mem", 0.05},
                                                     {"latency", 0.05},
                                                     {"numa", 0.05},
                                                     {"MPI latency", 0.10},
                                                     {"MPI bandwidth", 0.05},
                                                     {link_latency_class, 0.25},  // as between the links of one night
                                                     {link_bandwidth_class, 0.25},
                                                     {node_class, 0.03},
                                                     {part_class, 0.03},
                                                     {"case", 0.03}}};
constexpr double other_threshold = 0.05;
constexpr double power_quantile = 0.84;  // a normal variable is below it in 8 of 10 draws

}  // namespace

double practical_threshold(std::string_view row_class) {
  const auto* known = std::find_if(thresholds.begin(), thresholds.end(), [&](const auto& one) { return one.row_class == row_class; });
  return known == thresholds.end() ? other_threshold : known->part;
}

double part_of(double ratio) { return std::exp(std::abs(std::log(ratio))) - 1; }

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "SAME";
    case Verdict::faster:
      return "FASTER";
    case Verdict::slower:
      return "SLOWER";
    case Verdict::ambiguous:
      break;
  }
  return "AMBIGUOUS";
}

Verdict verdict_of(const Judged& judged, double threshold) {
  const double limit = 1 + threshold;
  if (judged.lo > limit) return Verdict::slower;
  if (judged.hi < 1 / limit) return Verdict::faster;
  return judged.lo >= 1 / limit && judged.hi <= limit ? Verdict::same : Verdict::ambiguous;
}

double smallest_detectable(double threshold, double half_width, double quantile) {
  return (1 + threshold) * std::exp(half_width * (1 + power_quantile / quantile)) - 1;
}

}  // namespace plumbline
