#include "model/scoring/score_groups.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "core/flavor.hpp"

namespace plumbline {
namespace {

using Group = std::vector<std::pair<std::string, std::string>>;

/// The segments of SUITE/KERNEL/PRECISION/p=v/.../TEAM/FLAVOR.
std::vector<std::string_view> segments_of(std::string_view id) {
  std::vector<std::string_view> segments;
  for (std::size_t begin = 0; begin <= id.size();) {
    const std::size_t end = std::min(id.find('/', begin), id.size());
    segments.push_back(id.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

std::optional<Group> group_of(const std::string& id, const std::vector<std::string>& keys) {
  Group group;
  for (const auto& key : keys) {
    auto value = property_of(id, key);
    if (!value) return std::nullopt;
    group.emplace_back(key, std::move(*value));
  }
  return group;
}

struct Samples {
  GroupScore score;
  std::vector<double> ratios, measured;
};

GroupScore summary_of(Samples& samples) {
  double sum = 0, logs = 0;
  for (const double ratio : samples.ratios) sum += ratio, logs += std::log(ratio);
  samples.score.measured = spread_of(samples.measured);
  if (samples.ratios.empty()) return std::move(samples.score);
  const auto n = static_cast<double>(samples.ratios.size());
  samples.score.ratio = spread_of(samples.ratios);
  samples.score.mean = sum / n;
  samples.score.geometric_mean = std::exp(logs / n);
  return std::move(samples.score);
}

}  // namespace

std::optional<std::string> property_of(std::string_view case_id, std::string_view key) {
  const auto segments = segments_of(case_id);
  if (segments.size() < 5) return std::nullopt;
  const FlavorName flavor = split_flavor(segments.back());
  const std::pair<std::string_view, std::string> named[] = {{"kernel", std::string(segments[0]) + "/" + std::string(segments[1])},
                                                            {"precision", std::string(segments[2])},
                                                            {"team", std::string(segments[segments.size() - 2])},
                                                            {"flavor", std::string(segments.back())},
                                                            {"compiler", flavor.compiler},
                                                            {"level", flavor.level},
                                                            {"isa", flavor.isa}};
  for (const auto& [name, value] : named)
    if (name == key) return value;
  for (const auto& segment : segments)
    if (segment.starts_with(std::string(key) + "=")) return std::string(segment.substr(key.size() + 1));
  return std::nullopt;
}

std::vector<GroupScore> group_scores(std::span<const CaseScore> rows, const std::vector<std::string>& keys) {
  std::vector<Samples> groups;
  std::map<std::tuple<Group, std::string, std::string, std::string, Convention>, std::size_t> places;
  for (const auto& row : rows) {
    const auto group = std::isfinite(row.ratio) || row.zero != ZeroTest::no ? group_of(row.case_id, keys) : std::nullopt;
    if (!group) continue;
    const auto [place, is_new] = places.try_emplace({*group, row.node, row.counter, row.quantity, row.convention}, groups.size());
    if (is_new)
      groups.push_back(
          {{.group = *group, .node = row.node, .counter = row.counter, .quantity = row.quantity, .convention = row.convention}, {}, {}});
    Samples& samples = groups[place->second];
    samples.measured.push_back(row.measured);
    samples.score.zero_tests += row.zero != ZeroTest::no;
    samples.score.zero_failures += row.zero == ZeroTest::failed;
    if (row.zero == ZeroTest::no) samples.ratios.push_back(row.ratio);
  }
  std::vector<GroupScore> scores;
  for (auto& samples : groups) scores.push_back(summary_of(samples));
  return scores;
}

}  // namespace plumbline
