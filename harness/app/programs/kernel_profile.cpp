#include "app/programs/kernel_profile.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <set>

#include "model/placement/traffic.hpp"

namespace plumbline::app {
namespace {

using What = KernelCounter::What;

constexpr std::string_view flops_prefix = "flops.", bytes_prefix = "bytes.";

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // "a" would be a type: signed char
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && name ? name.get() : symbol;
}

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

void add(std::vector<std::pair<std::string, Amount>>& to, const std::vector<std::pair<std::string, Amount>>& more) {
  for (const auto& [name, value] : more) {
    const auto found = std::find_if(to.begin(), to.end(), [&wanted = name](const auto& one) { return one.first == wanted; });
    if (found == to.end())
      to.emplace_back(name, value);
    else
      found->second = sum_of(found->second, value);
  }
}

KernelMeasures total_of(const std::vector<KernelRow>& kernels) {
  std::optional<KernelMeasures> total;
  for (const auto& kernel : kernels) {
    if (kernel.counted == 0) continue;
    const auto& one = kernel.measures;
    if (!total) {
      total = one;
      continue;
    }
    total->seconds = sum_of(total->seconds, one.seconds);
    total->flops = sum_of(total->flops, one.flops);
    add(total->flops_by_precision, one.flops_by_precision);
    add(total->bytes_by_level, one.bytes_by_level);
  }
  return total.value_or(KernelMeasures{});
}

void add(KernelRow& row, const CountedKernel& kernel, const std::vector<std::string>& metrics) {
  row.launches += kernel.launches;
  row.counted += kernel.counted;
  for (std::size_t i = 0; i < std::min(metrics.size(), kernel.sums.size()); ++i) row.sums[metrics[i]] += kernel.sums[i];
}

}  // namespace

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

Amount KernelMeasures::flops_per_second() const { return flops && seconds && *seconds > 0 ? Amount(*flops / *seconds) : std::nullopt; }

Amount KernelMeasures::intensity(const Amount& bytes) const {
  return flops && bytes && *bytes > 0 ? Amount(*flops / *bytes) : std::nullopt;
}

KernelProfile merge_kernels(const std::vector<RankReport>& reports, const std::map<std::string, std::vector<KernelCounter>>& counters) {
  std::map<std::pair<std::string, std::string>, KernelRow> rows;
  for (const auto& [rank, report] : reports) {
    std::set<std::pair<std::string, std::string>> met;
    for (const auto& kernel : report.counts.kernels) {
      if (kernel.launches == 0) continue;  // each failed
      const auto gpu =
          std::find_if(report.counts.gpus.begin(), report.counts.gpus.end(), [&](const auto& one) { return one.ordinal == kernel.gpu; });
      const CountedGpu facts = gpu == report.counts.gpus.end() ? CountedGpu{} : *gpu;
      KernelRow& row = rows[{kernel.name, facts.chip}];
      row.symbol = kernel.name, row.name = demangled(kernel.name), row.chip = facts.chip, row.compute_capability = facts.compute_capability;
      add(row, kernel, facts.metrics);
      if (met.insert({kernel.name, facts.chip}).second) ++row.processes;
    }
  }
  KernelProfile profile;
  for (auto& [key, row] : rows) {
    const auto known = counters.find(row.chip);
    if (known != counters.end()) row.measures = measures_of(row.sums, known->second);
    profile.kernels.push_back(std::move(row));
  }
  std::stable_sort(profile.kernels.begin(), profile.kernels.end(),
                   [](const auto& a, const auto& b) { return a.measures.seconds.value_or(0) > b.measures.seconds.value_or(0); });
  profile.total = total_of(profile.kernels);
  return profile;
}

}  // namespace plumbline::app
