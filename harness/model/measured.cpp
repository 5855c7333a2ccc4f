#include "model/measured.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/spread.hpp"

namespace plumbline {
namespace {

using Place = std::pair<std::string, std::string>;  // case id, node

/// One event of one case and node: what each rank counted in each repetition, summed over its threads.
struct EventSamples {
  std::map<std::int32_t, std::map<std::int32_t, double>> by_repetition;  // repetition -> rank -> count
  Status worst = Status::ok;
};

struct Tables {
  std::map<Place, std::vector<double>> seconds;
  std::map<Place, std::map<std::string, std::map<std::string, EventSamples>>> events;
  std::map<Place, std::map<std::string, const OutcomeRow*>> outcomes;  // by pass
};

Tables index(const Results& results) {
  Tables tables;
  for (const auto& row : results.times)
    if (row.rank == -1 && std::isfinite(row.seconds)) tables.seconds[{row.case_id, row.node}].push_back(row.seconds);
  for (const auto& row : results.counts) {
    if (row.thread != -1) continue;
    auto& samples = tables.events[{row.case_id, row.node}][row.backend][row.event];
    if (row.status != Status::ok) samples.worst = row.status;
    if (row.status == Status::ok) samples.by_repetition[row.repetition][row.rank] = row.net;
  }
  for (const auto& row : results.outcomes) tables.outcomes[{row.case_id, row.node}][row.pass] = &row;
  return tables;
}

Reported team_total(const EventSamples& samples, std::int64_t ranks) {
  if (samples.worst != Status::ok) return {absent, samples.worst, "the counter reported '" + std::string(to_string(samples.worst)) + "'"};
  std::vector<double> totals;
  for (const auto& [repetition, of_rank] : samples.by_repetition) {
    if (static_cast<std::int64_t>(of_rank.size()) != ranks)
      return {absent, Status::failed, std::to_string(of_rank.size()) + " of " + std::to_string(ranks) + " ranks were counted"};
    double total = 0;
    for (const auto& [rank, count] : of_rank) total += count;
    totals.push_back(total);
  }
  const double value = spread_of(totals).median;
  if (!std::isfinite(value)) return {absent, Status::unavailable, "no count was stored"};
  if (value < 0) return {absent, Status::negative, "less was counted than in the empty region"};
  return {value, Status::ok, {}};
}

const OutcomeRow* outcome_of(const Tables& tables, const Place& place, const std::string& pass) {
  const auto found = tables.outcomes.find(place);
  if (found == tables.outcomes.end()) return nullptr;
  const auto row = found->second.find(pass);
  return row == found->second.end() ? nullptr : row->second;
}

Reported team_seconds(const Tables& tables, const Place& place) {
  const OutcomeRow* outcome = outcome_of(tables, place, "time");
  if (outcome != nullptr && outcome->status != Status::ok) return {absent, outcome->status, outcome->reason};
  const auto found = tables.seconds.find(place);
  if (found == tables.seconds.end()) return {absent, Status::unavailable, "no timing pass"};
  return {spread_of(found->second).median, Status::ok, {}};
}

void add_counts(const Tables& tables, const Place& place, Measured& measured) {
  const OutcomeRow* outcome = outcome_of(tables, place, "count");
  const auto events = tables.events.find(place);
  measured.counting = outcome != nullptr ? outcome->status : events != tables.events.end() ? Status::ok : Status::unavailable;
  measured.counting_reason = outcome != nullptr ? outcome->reason : measured.counting == Status::ok ? "" : "no counting pass";
  if (events == tables.events.end()) return;
  for (const auto& [backend, of_backend] : events->second)
    for (const auto& [event, samples] : of_backend) measured.counts[backend][event] = team_total(samples, measured.of->ranks);
}

bool is_oversubscribed(const Tables& tables, const Place& place) {
  for (const char* pass : {"time", "count"})
    if (const OutcomeRow* row = outcome_of(tables, place, pass); row && row->placement.find("\"oversubscribed\":true") != std::string::npos)
      return true;
  return false;
}

/// Numbers inside names by their value: n=8 before n=64.
bool in_natural_order(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size(); ++i, ++j) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::size_t end_a = i, end_b = j;
      while (end_a < a.size() && is_digit(a[end_a])) ++end_a;
      while (end_b < b.size() && is_digit(b[end_b])) ++end_b;
      if (end_a - i != end_b - j) return end_a - i < end_b - j;
      if (const int order = a.compare(i, end_a - i, b, j, end_b - j); order != 0) return order < 0;
      i = end_a - 1;
      j = end_b - 1;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    }
  }
  return a.size() < b.size();
}

}  // namespace

Bounds Measured::expected(const std::string& quantity) const {
  if (model == nullptr) return {};
  const auto found = model->find(quantity);
  return found == model->end() ? Bounds{} : found->second;
}

Measurements measurements_of(const Results& results) {
  const Tables tables = index(results);
  Measurements all;
  std::map<std::string, double> ranks;
  for (const auto& row : results.cases) ranks[row.id] = static_cast<double>(row.ranks);
  for (const auto& row : results.model) all.models[row.case_id][row.quantity] = {row.lo * ranks[row.case_id], row.hi * ranks[row.case_id]};

  std::map<std::string, std::set<std::string>> nodes;
  for (const auto& row : results.outcomes) nodes[row.case_id].insert(row.node);
  for (const auto& row : results.times) nodes[row.case_id].insert(row.node);
  for (const auto& row : results.counts) nodes[row.case_id].insert(row.node);
  for (const auto& row : results.cases)
    for (const auto& node : nodes[row.id]) {
      const Place place{row.id, node};
      Measured measured{.of = &row, .node = node, .seconds = team_seconds(tables, place)};
      if (const auto model = all.models.find(row.id); model != all.models.end()) measured.model = &model->second;
      measured.oversubscribed = is_oversubscribed(tables, place);
      add_counts(tables, place, measured);
      all.cases.push_back(std::move(measured));
    }
  std::stable_sort(all.cases.begin(), all.cases.end(),
                   [](const Measured& a, const Measured& b) { return in_natural_order(a.of->id, b.of->id); });
  return all;
}

}  // namespace plumbline
