#include "model/cases/weighted_sum.hpp"

#include <cmath>

#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

Reported not_counted(const Counter& counter, const Measured& measured, const std::string& event) {
  if (measured.counting != Status::ok) return {absent, measured.counting, measured.counting_reason};
  if (!measured.counts.contains(counter.backend)) return {absent, Status::unavailable, "not counted by " + counter.backend};
  return {absent, Status::unavailable, counter.backend + " did not count '" + event + "'"};
}

}  // namespace

std::vector<double> longest_times(const Counter& counter, const std::vector<const Reported*>& counts) {
  if (counter.kind != Kind::time || counts.empty()) return {};
  std::vector<const std::vector<std::vector<double>>*> of_ranks;  // of each event
  for (const Reported* count : counts) {
    if (count == nullptr || count->groups.empty()) return {};
    of_ranks.push_back(&count->groups.front().of_ranks);
    if (of_ranks.back()->size() != of_ranks.front()->size()) return {};
  }
  std::vector<double> longest(of_ranks.front()->size(), absent);
  for (std::size_t repetition = 0; repetition < longest.size(); ++repetition)
    for (std::size_t rank = 0; rank < of_ranks.front()->at(repetition).size(); ++rank) {
      const auto counted = [&](std::size_t event) { return of_ranks[event]->at(repetition)[rank]; };  // each has all ranks
      double time = 0;
      for (std::size_t t = 0; t < counter.terms.size(); ++t) time += counter.terms[t].weight * counted(t);
      if (!counter.over.empty()) time /= counted(counts.size() - 1);
      longest[repetition] = std::fmax(longest[repetition], time);
    }
  return longest;
}

Reported weighted_sum(const Counter& counter, const Measured& measured, const std::vector<const Reported*>& counts) {
  Reported sum{0, Status::ok, {}};
  const auto events = events_of(counter);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (counts[t] == nullptr) return not_counted(counter, measured, events[t]);
    const Reported& count = *counts[t];
    const bool below_nothing = count.status == Status::negative && std::isfinite(count.value);
    if (!count.ok() && !below_nothing) return {absent, count.status, events[t] + ": " + count.reason};
    if (t < counter.terms.size()) sum.value += counter.terms[t].weight * count.value;
  }
  if (!counter.over.empty()) {
    if (!(counts.back()->value > 0)) return {absent, Status::failed, counter.over + " is 0, so nothing can be divided by it"};
    sum.value /= counts.back()->value;
  }
  if (const auto longest = longest_times(counter, counts); !longest.empty()) sum.value = median_of(longest);
  if (sum.value < 0) sum.status = Status::negative, sum.reason = "less was counted than in the empty region";
  return sum;
}

Reported weighted_sum(const Counter& counter, const Measured& measured) {
  std::vector<const Reported*> counts;
  const auto of_backend = measured.counts.find(counter.backend);
  for (const auto& wanted : events_of(counter)) {
    const Reported* found = nullptr;
    if (of_backend != measured.counts.end())
      if (const auto event = of_backend->second.find(wanted); event != of_backend->second.end()) found = &event->second;
    counts.push_back(found);
  }
  return weighted_sum(counter, measured, counts);
}

}  // namespace plumbline
