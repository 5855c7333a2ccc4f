#include "model/cases/measured.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/gpu_device.hpp"
#include "model/cases/believed_times.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

using Place = std::size_t;  // which (case, node)

/// A count of one rank, its event and its place told by number.
struct Sample {
  std::size_t place = 0, event = 0;
  std::int32_t group = 0, repetition = 0, rank = 0;
  double net = absent;
  Status status = Status::ok;
};

/// Numbers for words, in the order in which they come. The same word twice in a row, as in the tables of a result file, costs a comparison.
class Numbers {
 public:
  std::size_t of(std::string_view first, std::string_view second) {
    if (last_ < words_.size() && words_[last_].first == first && words_[last_].second == second) return last_;
    last_ = by_word_.try_emplace(std::string(first) + '\n' + std::string(second), by_word_.size()).first->second;
    if (last_ == words_.size()) words_.emplace_back(first, second);
    return last_;
  }
  const std::pair<std::string, std::string>& words(std::size_t number) const { return words_[number]; }
  std::size_t size() const { return words_.size(); }

 private:
  std::unordered_map<std::string, std::size_t> by_word_;
  std::vector<std::pair<std::string, std::string>> words_;
  std::size_t last_ = 0;
};

struct Tables {
  Numbers places, events;                                          // (case, node), (backend, event)
  std::vector<std::vector<double>> seconds, clocks;                // by place, of those that are believed; clocks in Hz
  std::vector<std::size_t> repetitions, disturbed;                 // by place
  std::vector<Sample> samples;                                     // by place, event, group, repetition
  std::vector<std::size_t> first_sample;                           // of each place, and the end
  std::vector<std::map<std::string, const OutcomeRow*>> outcomes;  // by place, then pass
};

void index_counts(const Results& results, Tables& tables) {
  for (const auto& row : results.counts)
    if (row.thread == -1)
      tables.samples.push_back({tables.places.of(row.case_id, row.node), tables.events.of(row.backend, row.event), row.group,
                                row.repetition, row.rank, row.net, row.status});
  std::stable_sort(tables.samples.begin(), tables.samples.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.place, a.event, a.group, a.repetition) < std::tie(b.place, b.event, b.group, b.repetition);
  });
}

/// The places are known.
void index_times(const Results& results, Tables& tables) {
  const BelievedTimes times = believed_times(results);
  for (std::size_t i = 0; i < results.times.size(); ++i) {
    const TimeRow& row = results.times[i];
    if (row.rank != -1 || !std::isfinite(row.seconds)) continue;
    const Place place = tables.places.of(row.case_id, row.node);
    ++tables.repetitions[place];
    tables.disturbed[place] += times.disturbed[i] ? 1 : 0;
    if (!times.believed[i]) continue;
    tables.seconds[place].push_back(row.seconds);
    if (row.clock_hz > 0) tables.clocks[place].push_back(row.clock_hz);
  }
}

Tables index(const Results& results) {
  Tables tables;
  index_counts(results, tables);
  for (const auto& row : results.times) tables.places.of(row.case_id, row.node);
  for (const auto& row : results.outcomes) tables.places.of(row.case_id, row.node);
  tables.seconds.resize(tables.places.size());
  tables.clocks.resize(tables.places.size());
  tables.repetitions.resize(tables.places.size());
  tables.disturbed.resize(tables.places.size());
  tables.outcomes.resize(tables.places.size());
  index_times(results, tables);
  for (const auto& row : results.outcomes) tables.outcomes[tables.places.of(row.case_id, row.node)][row.pass] = &row;
  std::size_t sample = 0;
  for (Place place = 0; place <= tables.places.size(); ++place) {
    while (sample < tables.samples.size() && tables.samples[sample].place < place) ++sample;
    tables.first_sample.push_back(sample);
  }
  return tables;
}

/// The team's total in each repetition of each group; the reason why there is none where a rank is missing.
Reported group_totals(std::span<const Sample> samples, std::int64_t ranks) {
  Reported all;
  for (std::size_t i = 0; i < samples.size();) {
    if (all.groups.empty() || all.groups.back().group != samples[i].group) all.groups.push_back({samples[i].group});
    const std::size_t first = i;
    std::map<std::int32_t, double> of_rank;  // a rank counted in a later session too counts once
    for (; i < samples.size() && samples[i].group == samples[first].group && samples[i].repetition == samples[first].repetition; ++i)
      of_rank[samples[i].rank] = samples[i].status == Status::skipped ? 0 : samples[i].net;
    if (static_cast<std::int64_t>(of_rank.size()) != ranks)
      return {absent, Status::failed, std::to_string(of_rank.size()) + " of " + std::to_string(ranks) + " ranks were counted"};
    double total = 0;
    for (const auto& [rank, net] : of_rank) total += net;
    all.groups.back().repetitions.push_back(total);
    if (ranks > 1) {
      auto& each = all.groups.back().of_ranks.emplace_back();
      for (const auto& [rank, net] : of_rank) each.push_back(net);
    }
  }
  return all;
}

Reported team_total(std::span<const Sample> samples, std::int64_t ranks) {
  // A counter that a socket shares is counted by one rank, which has what the others skip.
  const bool counted = std::any_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.status == Status::ok; });
  for (const auto& sample : samples) {
    if (counted && sample.status == Status::skipped) continue;
    if (sample.status == Status::ok || (sample.status == Status::negative && std::isfinite(sample.net))) continue;
    return {absent, sample.status, "the counter reported '" + std::string(to_string(sample.status)) + "'"};
  }
  const auto is_no_number = [&](const Sample& sample) { return sample.status == Status::ok && !std::isfinite(sample.net); };
  if (const auto found = std::find_if(samples.begin(), samples.end(), is_no_number); found != samples.end())
    return {absent, Status::unavailable,
            "the count of rank " + std::to_string(found->rank) + ", repetition " + std::to_string(found->repetition) + " is no number"};
  Reported total = group_totals(samples, ranks);
  if (total.groups.empty()) return total;
  total.value = spread_of(total.groups.front().repetitions).median;
  total.status = Status::ok;
  if (!std::isfinite(total.value)) return {absent, Status::unavailable, "no count was stored"};
  if (total.value < 0) total.status = Status::negative, total.reason = "less was counted than in the empty region";
  return total;
}

const OutcomeRow* outcome_of(const Tables& tables, const Place& place, const std::string& pass) {
  const auto row = tables.outcomes[place].find(pass);
  return row == tables.outcomes[place].end() ? nullptr : row->second;
}

Reported team_seconds(const Tables& tables, const Place& place) {
  const OutcomeRow* outcome = outcome_of(tables, place, "time");
  if (outcome != nullptr && outcome->status != Status::ok) return {absent, outcome->status, outcome->reason};
  if (tables.seconds[place].empty()) return {absent, Status::unavailable, "no timing pass"};
  return {spread_of(tables.seconds[place]).median, Status::ok, {}};
}

void add_times(const Tables& tables, const Place& place, Measured& measured) {
  measured.seconds = team_seconds(tables, place);
  if (!measured.seconds.ok()) return;
  const auto [shortest, longest] = std::minmax_element(tables.seconds[place].begin(), tables.seconds[place].end());
  measured.timed = {*shortest, *longest};
  measured.repetitions = tables.repetitions[place];
  measured.disturbed = tables.disturbed[place];
  if (!tables.clocks[place].empty()) measured.clock_hz = median_of(tables.clocks[place]);
}

void add_counts(const Tables& tables, const Place& place, Measured& measured) {
  const OutcomeRow* outcome = outcome_of(tables, place, "count");
  const std::span samples =
      std::span(tables.samples).subspan(tables.first_sample[place], tables.first_sample[place + 1] - tables.first_sample[place]);
  measured.counting = outcome != nullptr ? outcome->status : !samples.empty() ? Status::ok : Status::unavailable;
  measured.counting_reason = outcome != nullptr ? outcome->reason : measured.counting == Status::ok ? "" : "no counting pass";
  for (std::size_t first = 0, end = 0; first < samples.size(); first = end) {
    while (end < samples.size() && samples[end].event == samples[first].event) ++end;
    const auto& [backend, event] = tables.events.words(samples[first].event);
    measured.counts[backend][event] = team_total(samples.subspan(first, end - first), measured.of->ranks);
  }
}

bool is_oversubscribed(const Tables& tables, const Place& place) {
  for (const char* pass : {"time", "count"})
    if (const OutcomeRow* row = outcome_of(tables, place, pass); row && row->placement.find("\"oversubscribed\":true") != std::string::npos)
      return true;
  return false;
}

/// The number of the case's GPU, by "device":"GPU1" in the first pass that says it; older files knew one GPU a node.
std::vector<int> gpus_of(const Tables& tables, const Place& place) {
  constexpr std::string_view key = "\"device\":\"";
  for (const char* pass : {"time", "count"}) {
    const OutcomeRow* const row = outcome_of(tables, place, pass);
    if (row == nullptr) continue;
    std::vector<int> gpus;
    for (auto at = row->placement.find(key); at != std::string::npos; at = row->placement.find(key, at)) {
      at += key.size();
      gpus.push_back(gpu_of_name(row->placement.substr(at, row->placement.find('"', at) - at)));
    }
    if (!gpus.empty()) return gpus;
  }
  return {0};
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
  std::unordered_map<std::string_view, double> ranks;
  for (const auto& row : results.cases) ranks[row.id] = static_cast<double>(row.ranks);
  for (const auto& row : results.model) {
    const double team = ranks[row.case_id];
    all.models[row.case_id][row.quantity] = {row.lo * team, row.hi * team};
  }

  std::unordered_map<std::string_view, std::vector<Place>> places;
  for (Place place = 0; place < tables.places.size(); ++place) places[tables.places.words(place).first].push_back(place);
  for (const auto& row : results.cases)
    for (const Place place : places[row.id]) {
      Measured measured{.of = &row, .node = tables.places.words(place).second};
      if (const auto model = all.models.find(row.id); model != all.models.end()) measured.model = &model->second;
      measured.oversubscribed = is_oversubscribed(tables, place);
      if (row.gpus > 0) measured.gpus = gpus_of(tables, place);
      add_times(tables, place, measured);
      add_counts(tables, place, measured);
      all.cases.push_back(std::move(measured));
    }
  std::stable_sort(all.cases.begin(), all.cases.end(), [](const Measured& a, const Measured& b) {
    return a.of == b.of ? a.node < b.node : in_natural_order(a.of->id, b.of->id);
  });
  return all;
}

double group_over_first(const Reported& count, std::size_t group) { return median_of(count.groups[group].repetitions) / count.value; }

std::set<std::string> events_counted(const Measurements& measurements, const std::string& backend) {
  std::set<std::string> events;
  for (const auto& measured : measurements.cases)
    if (const auto found = measured.counts.find(backend); found != measured.counts.end())
      for (const auto& [event, count] : found->second) events.insert(event);
  return events;
}

}  // namespace plumbline
