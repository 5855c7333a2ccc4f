// The fewest groups for a backend's events are found by exact bin packing.
#include <algorithm>
#include <stdexcept>

#include "model/choosing/counter_choice.hpp"

namespace plumbline {
namespace {

using Event = SlotLimits::Event;

class Packing {
 public:
  Packing(std::vector<Event> events, const SlotLimits& limits) : limits_(limits), events_(std::move(events)) {
    std::stable_sort(events_.begin(), events_.end(),
                     [&](const Event& a, const Event& b) { return limits.slots_of(a) > limits.slots_of(b); });
    for (const auto& event : events_)
      if (!limits.fit_together(std::span(&event, 1)))
        throw std::invalid_argument(event.first + ": '" + event.second + "' takes more counters than there are");
  }

  std::vector<ChosenGroup> solve() {
    place(0);
    std::vector<ChosenGroup> groups;
    for (const auto& bin : best_) {
      groups.push_back({bin.front().first, {}});
      for (const auto& event : bin) groups.back().events.push_back(event.second);
      std::sort(groups.back().events.begin(), groups.back().events.end());
    }
    return groups;
  }

 private:
  // The largest events first, each into every group that takes it, then into one of its own.
  void place(std::size_t event) {
    if (!best_.empty() && bins_.size() >= best_.size()) return;
    if (event == events_.size()) {
      best_ = bins_;
      return;
    }
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      bins_[b].push_back(events_[event]);
      if (limits_.fit_together(bins_[b])) place(event + 1);
      bins_[b].pop_back();
    }
    bins_.push_back({events_[event]});
    place(event + 1);
    bins_.pop_back();
  }

  const SlotLimits& limits_;
  std::vector<Event> events_;
  std::vector<std::vector<Event>> bins_, best_;
};

}  // namespace

std::vector<ChosenGroup> fewest_groups(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits) {
  std::map<SlotLimits::Unit, std::vector<Event>> by_unit;
  for (const auto& event : events) by_unit[limits.unit_of({backend, event})].push_back({backend, event});
  std::vector<ChosenGroup> groups;
  for (auto& [unit, own] : by_unit)
    for (auto& group : Packing(std::move(own), limits).solve()) groups.push_back(std::move(group));
  return groups;
}

}  // namespace plumbline
