// Metrics of a GPU are counted together in one pass by a partition into groups, which is found by asking how many passes a group takes.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumbline {

struct MetricGroup {
  std::vector<std::string> metrics = {};
  std::size_t passes = 1;  // more than one only where its single metric needs them
};

/// The number of passes of metrics together; absent where they cannot be counted together. CuptiHost::passes().
using PassesOf = std::function<std::optional<std::size_t>(std::span<const std::string> metrics)>;

/// Groups the metrics, each in one group. `bundles` are metrics that had better be counted together (those of one counter): each is put
/// whole into the first group that still takes one pass with it, and is parted where no single pass holds it. Metrics that instructions are
/// instrumented for (_sass_), those of the hardware and those of the link to the host are never tried together. One that cannot be counted
/// at all is left out.
std::vector<MetricGroup> group_metrics(std::span<const std::vector<std::string>> bundles, const PassesOf& passes);

/// Whether the metric's counts add up over entries of a region: neither a rate nor a percentage.
bool is_additive(const std::string& metric);
/// Whether the metric is counted by instrumented instructions: the same each time that the same work runs.
bool is_instrumented(const std::string& metric);

}  // namespace plumbline
