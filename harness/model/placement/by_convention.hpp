// The formulas of a convention of counting are taken of the counts of cases whose work is known: how far each is from the truth.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/profiler_metric.hpp"
#include "model/cases/measured.hpp"

namespace plumbline {

/// One quantity of one case, by a convention and by the model.
struct ConventionRow {
  std::string case_id = {}, node = {}, convention = {}, backend = {};
  std::string quantity = {};  // "flops.fp16", "bytes.L1-L2": a total
  std::string formula = {};   // metrics and weights; empty where none of its formulas could be taken
  double value = absent;      // operations or bytes of a sweep
  double exact_lo = absent, exact_hi = absent;
  double ratio = absent;  // 1 inside the interval, else value over the nearer end; absent where there is nothing to count
  Status status = Status::unavailable;
  std::string reason = {};
};

/// Each quantity of the tables for each case that their backends counted, in the cases' order. A precision that a model does not name is 0.
std::vector<ConventionRow> by_convention(const Measurements& measurements, std::span<const ProfilerMetrics> tables);

/// A formula over all cases.
struct ConventionSummary {
  std::string convention = {}, backend = {}, quantity = {}, formula = {};
  std::size_t n = 0;  // cases with a ratio
  double min = absent, max = absent;
};

std::vector<ConventionSummary> summarize(std::span<const ConventionRow> rows);

}  // namespace plumbline
