#include "counters/cupti/cupti_groups.hpp"

#include <algorithm>
#include <set>

namespace plumbline {
namespace {

enum class Source { instructions, hardware, host_link };

Source source_of(const std::string& metric) {
  if (is_instrumented(metric)) return Source::instructions;
  return metric.starts_with("pcie__") || metric.starts_with("pcie_") ? Source::host_link : Source::hardware;
}

std::vector<std::string> joined(std::vector<std::string> metrics, const std::vector<std::string>& more) {
  metrics.insert(metrics.end(), more.begin(), more.end());
  return metrics;
}

class Grouping {
 public:
  explicit Grouping(const PassesOf& passes) : passes_(passes) {}

  /// Adds a bundle whole, or parted.
  void add(const std::vector<std::string>& bundle) {
    if (bundle.empty() || fits_a_group(bundle)) return;
    const auto alone = passes_(bundle);
    if (alone == 1U || (alone && bundle.size() == 1)) return groups_.push_back({bundle, *alone});
    if (bundle.size() > 1)
      for (const auto& metric : bundle) add({metric});
  }
  std::vector<MetricGroup> take() { return std::move(groups_); }

 private:
  bool fits_a_group(const std::vector<std::string>& bundle) {
    for (auto& group : groups_) {
      if (group.passes != 1) continue;
      auto together = joined(group.metrics, bundle);
      if (passes_(together) != 1U) continue;
      group.metrics = std::move(together);
      return true;
    }
    return false;
  }

  const PassesOf& passes_;
  std::vector<MetricGroup> groups_;
};

}  // namespace

bool is_instrumented(const std::string& metric) { return metric.find("__sass_") != metric.npos; }

bool is_additive(const std::string& metric) {
  return metric.find(".pct") == metric.npos && metric.find(".per_") == metric.npos && metric.find(".ratio") == metric.npos &&
         metric.find("_pct") == metric.npos && metric.find(".peak_") == metric.npos;
}

std::vector<MetricGroup> group_metrics(std::span<const std::vector<std::string>> bundles, const PassesOf& passes) {
  std::vector<MetricGroup> all;
  std::set<std::string> met;
  for (const Source source : {Source::instructions, Source::hardware, Source::host_link}) {
    Grouping grouping(passes);
    for (const auto& bundle : bundles) {
      std::vector<std::string> ours;
      for (const auto& metric : bundle)
        if (source_of(metric) == source && met.insert(metric).second) ours.push_back(metric);
      grouping.add(ours);
    }
    for (auto& group : grouping.take()) all.push_back(std::move(group));
  }
  return all;
}

}  // namespace plumbline
