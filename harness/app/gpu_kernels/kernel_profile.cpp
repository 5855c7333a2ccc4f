#include "app/gpu_kernels/kernel_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/placement/traffic.hpp"

namespace plumbline::app {
namespace {

using What = KernelCounter::What;

constexpr std::string_view flops_prefix = "flops.", bytes_prefix = "bytes.";

/// The precision of a quantity, "flops.fp64" -> "fp64", "flops.tensor.bf16" -> "tensor.bf16"; empty for a kind of operation
/// (flops.fp64.add), and for integers.
std::string precision_in(const std::string& quantity) {
  const std::string name = quantity.substr(flops_prefix.size());
  const bool tensor = name.starts_with("tensor.");
  const bool is_total = std::count(name.begin(), name.end(), '.') == (tensor ? 1 : 0);
  return is_total && name.find(".int") == name.npos ? name : "";
}

/// The level in a quantity, as L2 in "bytes.L1-L2.write_back"; empty for a boundary that is no level's.
std::string level_in(const std::string& quantity) {
  const std::string flow = quantity.substr(bytes_prefix.size());
  for (const auto& level : gpu_level_boundaries())
    if (flow.substr(0, flow.find('.')) == level.boundary) return level.level;
  return "";
}

/// All FLOPs of its precisions, or bytes of one level, or the time; nullopt where it is none of these.
std::optional<KernelCounter> read(const Counter& counter) {
  std::string name;
  for (const auto& quantity : counter.quantities) {
    if (quantity == "seconds") return KernelCounter{What::seconds, "", counter};
    if (quantity.starts_with(bytes_prefix)) {
      if (const std::string level = level_in(quantity); !level.empty()) return KernelCounter{What::bytes, level, counter};
      return std::nullopt;
    }
    if (!quantity.starts_with(flops_prefix) || precision_in(quantity).empty()) return std::nullopt;
    name += (name.empty() ? "" : "+") + precision_in(quantity);
  }
  if (name.empty()) return std::nullopt;
  return KernelCounter{What::flops, name, counter};
}

Amount value_of(const Counter& counter, const std::map<std::string, double>& sums) {
  double value = 0;
  for (const auto& term : counter.terms) {
    const auto sum = sums.find(term.event);
    if (sum == sums.end() || std::isnan(sum->second)) return std::nullopt;
    value += term.weight * sum->second;
  }
  return value;
}

Amount sum_of(const Amount& one, const Amount& other) { return one && other ? Amount(*one + *other) : std::nullopt; }

}  // namespace

KernelMeasures measures_of(const std::map<std::string, double>& sums, const std::vector<KernelCounter>& counters) {
  KernelMeasures measures;
  bool any_flops = false;
  for (const auto& one : counters) {
    const Amount value = value_of(one.counter, sums);
    if (one.what == What::seconds) measures.seconds = value;
    if (one.what == What::bytes) measures.bytes_by_level.emplace_back(one.name, value);
    if (one.what != What::flops) continue;
    measures.flops_by_precision.emplace_back(one.name, value);
    measures.flops = any_flops ? sum_of(measures.flops, value) : value;
    any_flops = true;
  }
  return measures;
}

namespace {

void add(std::vector<std::pair<std::string, Amount>>& to, const std::vector<std::pair<std::string, Amount>>& more) {
  for (const auto& [name, value] : more) {
    const auto found = std::find_if(to.begin(), to.end(), [&wanted = name](const auto& one) { return one.first == wanted; });
    if (found == to.end())
      to.emplace_back(name, value);
    else
      found->second = sum_of(found->second, value);
  }
}

}  // namespace

void add(KernelMeasures& to, const KernelMeasures& more) {
  to.seconds = sum_of(to.seconds, more.seconds);
  to.flops = sum_of(to.flops, more.flops);
  add(to.flops_by_precision, more.flops_by_precision);
  add(to.bytes_by_level, more.bytes_by_level);
}

std::vector<KernelCounter> kernel_counters(const std::vector<TableCounter>& rows) {
  std::vector<KernelCounter> chosen;
  for (const auto& row : rows) {
    auto one = read(row.counter);
    if (one && std::none_of(chosen.begin(), chosen.end(), [&](const auto& had) { return had.what == one->what && had.name == one->name; }))
      chosen.push_back(std::move(*one));
  }
  return chosen;
}

std::vector<std::string> metrics_of(const std::vector<KernelCounter>& counters) {
  std::vector<std::string> metrics;
  for (const auto& one : counters)
    for (const auto& term : one.counter.terms)
      if (std::find(metrics.begin(), metrics.end(), term.event) == metrics.end()) metrics.push_back(term.event);
  return metrics;
}

void RankSeconds::add(int rank, const Amount& seconds) {
  is_known_ = is_known_ && seconds.has_value();
  by_rank_[rank] += seconds.value_or(0);
}

Amount RankSeconds::longest() const {
  if (!is_known_ || by_rank_.empty()) return std::nullopt;
  double longest = 0;
  for (const auto& [rank, seconds] : by_rank_) longest = std::max(longest, seconds);
  return longest;
}

Amount RankSeconds::sum() const {
  if (!is_known_ || by_rank_.empty()) return std::nullopt;
  double sum = 0;
  for (const auto& [rank, seconds] : by_rank_) sum += seconds;
  return sum;
}

Amount RankSeconds::imbalance() const {
  const Amount all = sum();
  if (!all || *all <= 0) return std::nullopt;
  return *longest() * static_cast<double>(by_rank_.size()) / *all;
}

std::string KernelRuns::gpu_of(const RankReport& one, int ordinal) const {
  for (const auto& gpu : one.report.devices)
    if (gpu.ordinal == ordinal && !gpu.uuid.empty()) return gpu.uuid;
  const auto host = hosts.find(one.rank);
  return fmt::format("{} GPU {}", host == hosts.end() ? "" : host->second, ordinal);
}

Amount KernelMeasures::flops_per_second() const { return flops && seconds && *seconds > 0 ? Amount(*flops / *seconds) : std::nullopt; }

Amount KernelMeasures::intensity(const Amount& bytes) const {
  return flops && bytes && *bytes > 0 ? Amount(*flops / *bytes) : std::nullopt;
}

}  // namespace plumbline::app
