#include "model/choosing/counter_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>

#include "core/quantity_parts.hpp"
#include "model/choosing/chosen_groups.hpp"
#include "model/choosing/counter_recipes.hpp"

namespace plumbline {
namespace {

using Event = SlotLimits::Event;

std::vector<ChosenGroup> groups_of(const std::set<Event>& events, const SlotLimits& limits) {
  std::map<std::string, std::vector<std::string>> by_backend;
  for (const auto& [backend, event] : events) by_backend[backend].push_back(event);
  std::vector<ChosenGroup> groups;
  for (const auto& [backend, own] : by_backend)
    for (auto& group : fewest_groups(backend, own, limits)) groups.push_back(std::move(group));
  return groups;
}

/// Neighbours that one counter may see together.
std::vector<std::vector<std::string>> by_area(std::span<const std::string> quantities) {
  std::vector<std::vector<std::string>> areas;
  for (const auto& quantity : quantities) {
    const auto same =
        std::find_if(areas.begin(), areas.end(), [&](const auto& area) { return area_of(area.front()) == area_of(quantity); });
    if (same == areas.end())
      areas.push_back({quantity});
    else
      same->push_back(quantity);
  }
  return areas;
}

/// Searches by branch and bound over one recipe for each area.
class Search {
 public:
  Search(const std::vector<std::vector<Recipe>>& recipes, const SlotLimits& limits) : recipes_(recipes), limits_(limits) {}

  std::vector<const Recipe*> solve() {
    choose(0, {}, 0);
    return best_;
  }

 private:
  std::size_t slots_of(const std::set<Event>& events) const {
    std::size_t slots = 0;
    for (const auto& event : events) slots += limits_.slots_of(event);
    return slots;
  }

  /// The number of groups that no choice that goes on from these events can have fewer of.
  std::size_t fewest_possible(const std::set<Event>& events) const {
    std::map<SlotLimits::Unit, std::set<Event>> by_unit;
    for (const auto& event : events) by_unit[limits_.unit_of(event)].insert(event);
    std::size_t groups = 0;
    for (const auto& [unit, own] : by_unit) {
      const auto known = limits_.capacity.find(unit);
      groups += known == limits_.capacity.end() ? 1 : (slots_of(own) + known->second - 1) / known->second;
    }
    return groups;
  }

  using Cost = std::tuple<std::size_t, std::size_t, double>;  // groups, slots, width

  void choose(std::size_t area, const std::set<Event>& events, double width) {
    if (Cost{fewest_possible(events), slots_of(events), width} >= best_cost_) return;  // each of the three only grows
    if (area == recipes_.size()) {
      const Cost cost{groups_of(events, limits_).size(), slots_of(events), width};
      if (cost < best_cost_) best_cost_ = cost, best_ = chosen_;
      return;
    }
    for (const Recipe& recipe : recipes_[area]) {
      std::set<Event> more = events;
      more.insert(recipe.events.begin(), recipe.events.end());
      chosen_.push_back(&recipe);
      choose(area + 1, more, width + recipe.width);
      chosen_.pop_back();
    }
  }

  const std::vector<std::vector<Recipe>>& recipes_;
  const SlotLimits& limits_;
  std::vector<const Recipe*> chosen_, best_;
  Cost best_cost_{SIZE_MAX, SIZE_MAX, HUGE_VAL};
};

}  // namespace

std::vector<std::string> wanted_quantities(const Measurements& measurements) {
  std::vector<std::string> wanted{"flops.fp64", "flops.fp32"};
  std::set<std::string> others;
  for (const auto& [id, model] : measurements.models)
    for (const auto& [quantity, bounds] : model)
      if (is_flops_total(quantity) && bounds.hi > 0) others.insert(quantity);
  for (const auto& flops : others)
    if (std::find(wanted.begin(), wanted.end(), flops) == wanted.end()) wanted.push_back(flops);
  for (const char* bytes : {"bytes.reg-L1", "bytes.reg-shared", "bytes.L1-L2", "bytes.L2-L3", "bytes.L2-mem", "bytes.L3-mem"})
    if (std::any_of(measurements.models.begin(), measurements.models.end(),
                    [&](const auto& model) { return model.second.contains(bytes); }))
      wanted.emplace_back(bytes);
  constexpr const char* over_link = "bytes.host-dev";  // a GPU's model always speaks of it: mostly that at most slack crosses it
  if (std::any_of(measurements.models.begin(), measurements.models.end(), [](const auto& model) {
        const auto link = model.second.find(over_link);
        return link != model.second.end() && link->second.lo > 0;
      }))
    wanted.emplace_back(over_link);
  return wanted;
}

CounterSet choose_counters(std::span<const Candidate> candidates, std::span<const std::string> quantities, const SlotLimits& limits) {
  CounterSet set;
  std::vector<std::vector<Recipe>> recipes;
  for (const auto& area : by_area(quantities))
    if (auto own = recipes_for(area, candidates); !own.empty()) recipes.push_back(std::move(own));
  std::set<Event> events;
  std::set<std::string> covered;
  std::set<const Candidate*> taken;
  for (const Recipe* recipe : Search(recipes, limits).solve()) {
    events.insert(recipe->events.begin(), recipe->events.end());
    covered.insert(recipe->covered.begin(), recipe->covered.end());
    for (const Candidate* candidate : recipe->counters)
      if (taken.insert(candidate).second) set.counters.push_back(candidate->chosen);
  }
  for (const auto& quantity : quantities)
    if (!covered.contains(quantity)) set.uncovered.push_back({quantity, why_uncovered(quantity, candidates)});
  set.groups = groups_of(events, limits);
  return set;
}

}  // namespace plumbline
