// Exact bin packing: the fewest groups for a backend's events.
#include <algorithm>
#include <stdexcept>

#include "model/counter_choice.hpp"

namespace plumbline {
namespace {

class Packing {
 public:
  Packing(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits) : backend_(backend), limits_(limits) {
    const auto known = limits.capacity.find(backend);
    capacity_ = known == limits.capacity.end() ? SIZE_MAX : known->second;
    for (const auto& event : events) events_.push_back({event, slots_of(event)});
    std::stable_sort(events_.begin(), events_.end(), [](const Sized& a, const Sized& b) { return a.slots > b.slots; });
    for (const auto& event : events_)
      if (event.slots > capacity_)
        throw std::invalid_argument(backend + ": '" + event.name + "' takes " + std::to_string(event.slots) + " of " +
                                    std::to_string(capacity_) + " counters");
  }

  std::vector<ChosenGroup> solve() {
    place(0);
    std::vector<ChosenGroup> groups;
    for (const auto& bin : best_) {
      groups.push_back({backend_, {}});
      for (const std::size_t e : bin.events) groups.back().events.push_back(events_[e].name);
      std::sort(groups.back().events.begin(), groups.back().events.end());
    }
    return groups;
  }

 private:
  struct Sized {
    std::string name;
    std::size_t slots;
  };
  struct Bin {
    std::vector<std::size_t> events;
    std::size_t slots;
  };

  std::size_t slots_of(const std::string& event) const {
    const auto known = limits_.slots.find({backend_, event});
    return known == limits_.slots.end() ? 1 : known->second;
  }

  bool agree(const std::string& a, const std::string& b) const {
    const SlotLimits::Event first{backend_, a}, second{backend_, b};
    return !limits_.conflicts.contains({first, second}) && !limits_.conflicts.contains({second, first});
  }

  bool fits(const Bin& bin, std::size_t event) const {
    return events_[event].slots <= capacity_ - bin.slots && std::all_of(bin.events.begin(), bin.events.end(), [&](std::size_t other) {
             return agree(events_[event].name, events_[other].name);
           });
  }

  // The largest events first, each into every group that takes it, then into one of its own.
  void place(std::size_t event) {
    if (!best_.empty() && bins_.size() >= best_.size()) return;
    if (event == events_.size()) {
      best_ = bins_;
      return;
    }
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      if (!fits(bins_[b], event)) continue;
      bins_[b].events.push_back(event);
      bins_[b].slots += events_[event].slots;
      place(event + 1);
      bins_[b].slots -= events_[event].slots;
      bins_[b].events.pop_back();
    }
    bins_.push_back({{event}, events_[event].slots});
    place(event + 1);
    bins_.pop_back();
  }

  std::string backend_;
  const SlotLimits& limits_;
  std::size_t capacity_ = 0;
  std::vector<Sized> events_;
  std::vector<Bin> bins_, best_;
};

}  // namespace

std::vector<ChosenGroup> fewest_groups(const std::string& backend, std::span<const std::string> events, const SlotLimits& limits) {
  return events.empty() ? std::vector<ChosenGroup>{} : Packing(backend, events, limits).solve();
}

}  // namespace plumbline
