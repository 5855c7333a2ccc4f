#include "model/ceilings/mpi_ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "model/ceilings/ceiling_samples.hpp"

namespace plumbline {
namespace {

using Link = std::tuple<std::string, std::string, std::string>;  // node, name, unit
using RatesBySize = std::map<double, double>;                    // by message size

struct Samples {
  const CeilingRow* first = nullptr;
  const CeilingRow* first_usable = nullptr;
  std::map<double, std::vector<double>> by_size;
  std::map<std::pair<std::string, std::int32_t>, RatesBySize> by_round;  // session and round

  void add(const CeilingRow& row) {
    if (first == nullptr) first = &row;
    if (row.status != Status::ok || !std::isfinite(row.value) || row.value <= 0 || !std::isfinite(row.working_set_bytes)) return;
    if (first_usable == nullptr) first_usable = &row;
    by_size[row.working_set_bytes].push_back(row.value);
    by_round[{row.session, row.round}][row.working_set_bytes] = row.value;
  }
};

Ceiling latency_of(const Samples& samples) {
  Ceiling ceiling = described(*samples.first_usable);
  const auto& [bytes, seconds] = *samples.by_size.begin();
  take_spread(ceiling, spread_of(seconds));
  ceiling.value = ceiling.min;
  ceiling.size_bytes = ceiling.samples_bytes = bytes;
  return ceiling;
}

Ceiling peak_of(const Samples& samples) {
  Ceiling ceiling = described(*samples.first_usable);
  const auto best = std::max_element(samples.by_size.begin(), samples.by_size.end(),
                                     [](const auto& a, const auto& b) { return spread_of(a.second).median < spread_of(b.second).median; });
  take_spread(ceiling, spread_of(best->second));
  ceiling.value = ceiling.max;
  ceiling.size_bytes = ceiling.samples_bytes = best->first;
  return ceiling;
}

/// The size at which the rates first reach half of their best, between two sizes as a power law has it; nullopt where the smallest message
/// does.
std::optional<double> half_bandwidth_size(const RatesBySize& rates) {
  double half = 0;
  for (const auto& [bytes, rate] : rates) half = std::max(half, rate / 2);
  for (auto at = rates.begin(), before = rates.end(); at != rates.end(); before = at++) {
    if (at->second < half) continue;
    if (before == rates.end()) return std::nullopt;
    const double part = std::log(half / before->second) / std::log(at->second / before->second);
    return before->first * std::pow(at->first / before->first, part);
  }
  return std::nullopt;
}

Ceiling half_bandwidth_of(const Samples& samples) {
  Ceiling ceiling = described(*samples.first_usable);
  ceiling.name += ", half bandwidth";
  ceiling.pattern += ", half bandwidth";
  ceiling.unit = "bytes";
  std::vector<double> sizes;
  for (const auto& [round, rates] : samples.by_round)
    if (const auto size = half_bandwidth_size(rates)) sizes.push_back(*size);
  take_spread(ceiling, spread_of(sizes));
  RatesBySize best;
  for (const auto& [bytes, rates] : samples.by_size) best[bytes] = spread_of(rates).max;
  ceiling.value = ceiling.size_bytes = half_bandwidth_size(best).value_or(absent);
  if (!std::isfinite(ceiling.value)) {
    ceiling.status = Status::unavailable;
    ceiling.reason = "the smallest message reaches half of the best rate already";
  }
  return ceiling;
}

Ceiling failed(const Samples& samples) {
  Ceiling ceiling = described(*samples.first);
  ceiling.status = samples.first->status == Status::ok ? Status::failed : samples.first->status;
  ceiling.reason = "no sample succeeded: " + how_and_why(*samples.first);
  return ceiling;
}

}  // namespace

std::vector<Ceiling> fit_mpi_ceilings(std::span<const CeilingRow> samples) {
  std::vector<Link> order;  // of first appearance
  std::map<Link, Samples> links;
  for (const auto& row : samples) {
    if (row.level != CeilingKind::mpi) continue;
    const Link link{row.node, row.name, row.unit};
    if (!links.contains(link)) order.push_back(link);
    links[link].add(row);
  }
  std::vector<Ceiling> ceilings;
  for (const auto& link : order) {
    const Samples& of_link = links.at(link);
    if (of_link.first_usable == nullptr) {
      ceilings.push_back(failed(of_link));
    } else if (of_link.first->unit == "seconds") {
      ceilings.push_back(latency_of(of_link));
    } else {
      ceilings.push_back(peak_of(of_link));
      ceilings.push_back(half_bandwidth_of(of_link));
    }
  }
  return ceilings;
}

}  // namespace plumbline
