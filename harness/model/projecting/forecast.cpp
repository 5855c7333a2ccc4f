#include "model/projecting/forecast.hpp"

#include <cmath>
#include <map>
#include <set>

namespace plumbline {
namespace {

ByMethod all_methods(const ProjectedPair& pair, const Overlaps& overlaps) {
  ByMethod seconds = {absent, absent, absent, absent, absent};
  seconds[index_of(Method::bandwidth)] = bandwidth_seconds(pair);
  seconds[index_of(Method::roofline)] = roofline_seconds(pair);
  seconds[index_of(Method::efficiency)] = efficiency_seconds(pair);
  seconds[index_of(Method::overlap)] = overlap_seconds(pair, overlap_for(overlaps, pair.overlap_class()));
  seconds[index_of(Method::ensemble)] = middle_seconds(seconds);
  return seconds;
}

RecordRow row_of(const ProjectedPair& pair, const ByMethod& seconds) {
  RecordRow row{.part = pair.part,
                .kernel = pair.kernel,
                .from = pair.from,
                .to = pair.to,
                .from_machine = pair.from_machine,
                .to_machine = pair.to_machine,
                .kind = pair.kind,
                .bound_class = pair.bound_class(),
                .scale = expected_scale(pair.spread, seconds)};
  for (std::size_t i = 0; i < method_count; ++i) row.log_error[i] = std::log(seconds[i] / pair.true_seconds);
  return row;
}

}  // namespace

std::vector<RecordRow> record_of(std::span<const ProjectedPair> known, const MayLearn& may_learn) {
  const auto allowed = [&](const ProjectedPair& pair) { return may_learn(pair.kernel, pair.from_machine, pair.to_machine); };
  std::map<std::string, Overlaps> without;  // each kernel
  std::vector<RecordRow> record;
  for (const auto& pair : known) {
    if (!allowed(pair) || !(pair.true_seconds > 0)) continue;
    auto [fitted, is_new] = without.try_emplace(pair.kernel);
    if (is_new) fitted->second = fit_overlaps(known, [&](const auto& other) { return allowed(other) && other.kernel != pair.kernel; });
    record.push_back(row_of(pair, all_methods(pair, fitted->second)));
  }
  return record;
}

Forecast forecast(const ProjectedPair& pair, const Overlaps& overlaps, std::span<const RecordRow> record, const MayUse& may_use) {
  Forecast told{.seconds = all_methods(pair, overlaps)};
  const RecordClass learned = class_of(record, pair.kind, pair.bound_class(), may_use);
  told.learned_from = learned.name;
  told.pairs = learned.rows.size();
  const double scale = expected_scale(pair.spread, told.seconds);
  for (std::size_t i = 0; i < method_count; ++i) {
    const double half = scale * error_quantile(learned, static_cast<Method>(i));
    told.lo[i] = told.seconds[i] * std::exp(-half);
    told.hi[i] = told.seconds[i] * std::exp(half);
  }
  return told;
}

std::vector<Forecast> held_out_forecasts(std::span<const ProjectedPair> pairs, HeldOut left_out, const std::function<void()>& before_each) {
  struct Learned {
    Overlaps overlaps = {};
    std::vector<RecordRow> record = {};
  };
  std::map<std::string, Learned> without;
  std::vector<Forecast> all;
  for (const auto& pair : pairs) {
    if (before_each) before_each();
    const std::string key = left_out == HeldOut::kernel ? pair.kernel : pair.to_machine;
    auto [learned, is_new] = without.try_emplace(key);
    if (is_new) {
      const MayLearn may_learn = [&](const std::string& kernel, const std::string& from, const std::string& to) {
        return left_out == HeldOut::kernel ? kernel != key : from != key && to != key;
      };
      learned->second.record = record_of(pairs, may_learn);
      learned->second.overlaps =
          fit_overlaps(pairs, [&](const ProjectedPair& other) { return may_learn(other.kernel, other.from_machine, other.to_machine); });
    }
    all.push_back(forecast(pair, learned->second.overlaps, learned->second.record, [](const RecordRow&) { return true; }));
  }
  return all;
}

}  // namespace plumbline
