#include "model/statistics/time_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace plumbline {
namespace {

/// The relative error that a rate keeps in double precision.
constexpr double precision = 1e-9;

using Repetition = std::tuple<std::string, std::string, std::string, std::int32_t, std::int32_t, std::int32_t>;

struct Value {
  double number = absent, rounding = 0;
};
using Values = std::map<std::string, Value>;  // by event

bool is_single(const Counter& counter) { return counter.kind == Kind::time && counter.terms.size() == 1; }

std::map<Repetition, Values> values_of(const Results& results, const std::string& backend, const std::set<std::string>& events,
                                       const std::set<std::string>& rates) {
  std::map<Repetition, Values> all;
  for (const auto& row : results.counts) {
    if (row.thread != -1 || row.status != Status::ok || row.raw == 0 || row.backend != backend || !events.contains(row.event)) continue;
    Value& value = all[{row.case_id, row.node, row.session, row.group, row.rank, row.repetition}][row.event];
    const auto raw = static_cast<double>(row.raw);
    value = rates.contains(row.event) ? Value{row.net, 0} : Value{raw, 0.5 / raw};
  }
  return all;
}

/// Value and what rounding leaves open; nullopt where one of its events was not counted.
std::optional<Value> time_by(const Counter& counter, const Values& values) {
  const auto term = values.find(counter.terms.front().event), over = values.find(counter.over);
  if (term == values.end() || (!counter.over.empty() && over == values.end())) return std::nullopt;
  Value time{counter.terms.front().weight * term->second.number, term->second.rounding};
  if (!counter.over.empty()) time.number /= over->second.number;
  return time;
}

void add(TimeAgreement& agreement, const Value& one, const Value& other, const std::string& case_id) {
  const double ratio = one.number / other.number;
  if (!std::isfinite(ratio)) return;
  const auto off = [](double of) { return std::abs(std::log(of)); };
  if (agreement.repetitions == 0 || off(ratio) > std::max(off(agreement.least), off(agreement.most))) agreement.farthest = case_id;
  agreement.least = agreement.repetitions == 0 ? ratio : std::min(agreement.least, ratio);
  agreement.most = agreement.repetitions == 0 ? ratio : std::max(agreement.most, ratio);
  ++agreement.repetitions;
  agreement.apart += std::abs(ratio - 1) > one.rounding + other.rounding + precision;
}

}  // namespace

std::vector<TimeAgreement> time_agreements(const Results& results, std::span<const Counter> counters) {
  std::vector<TimeAgreement> all;
  for (const auto& by_cycles : counters) {
    if (!is_single(by_cycles) || by_cycles.over.empty()) continue;
    for (const auto& time : counters) {
      if (!is_single(time) || !time.over.empty() || time.backend != by_cycles.backend) continue;
      const std::string& cycles = by_cycles.terms.front().event;
      TimeAgreement agreement{by_cycles.name, time.name, by_cycles.over == cycles + ".per_second"};
      const std::set<std::string> events{cycles, by_cycles.over, time.terms.front().event};
      for (const auto& [repetition, values] : values_of(results, time.backend, events, {by_cycles.over}))
        if (const auto one = time_by(by_cycles, values), other = time_by(time, values); one && other)
          add(agreement, *one, *other, std::get<0>(repetition));
      if (agreement.repetitions > 0) all.push_back(std::move(agreement));
    }
  }
  return all;
}

}  // namespace plumbline
