#include "model/counter_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

namespace plumbline {
namespace {

using Event = SlotLimits::Event;

/// Flows that make up a boundary's bytes. Non-temporal stores and prefetches may be left unseen where the counters' scores bear that.
struct Boundary {
  const char* total;
  std::vector<std::string> flows;
};
const std::array<Boundary, 4>& boundaries() {
  static const std::array<Boundary, 4> all{{{"bytes.reg-L1", {"load", "store"}},
                                            {"bytes.L1-L2", {"demand_read", "rfo", "write_back"}},
                                            {"bytes.L2-L3", {"demand_read", "rfo", "write_back"}},
                                            {"bytes.L3-mem", {"demand_read", "rfo", "write_back"}}}};
  return all;
}

/// Counters that together see one quantity.
struct Recipe {
  std::vector<const Candidate*> counters = {};
  int rank = 0;          // of the worst of them
  bool is_whole = true;  // one that claims the quantity itself, not several with the flows that are seldom missing in it
  std::set<Event> events = {};
  double width = 0;  // sum of ln(most / least ratio)
};

/// The order in which grades are taken; what is not here is never taken.
std::optional<int> rank_of(const Candidate& candidate) {
  switch (candidate.chosen.grade) {
    case 'A':
      return candidate.simulated ? 2 : 0;
    case 'B':
      return candidate.simulated ? 3 : 1;
    case 'C':
      return candidate.simulated ? 5 : 4;
    default:
      return std::nullopt;
  }
}

Recipe extended(Recipe recipe, const Candidate& candidate) {
  recipe.counters.push_back(&candidate);
  recipe.rank = std::max(recipe.rank, *rank_of(candidate));
  for (const auto& term : candidate.chosen.counter.terms) recipe.events.insert({candidate.chosen.counter.backend, term.event});
  recipe.width += std::log(candidate.chosen.ratio_hi / candidate.chosen.ratio_lo);
  return recipe;
}

bool sees(const Candidate& candidate, const std::string& quantity) {
  const auto& claimed = candidate.chosen.counter.quantities;
  return std::find(claimed.begin(), claimed.end(), quantity) != claimed.end();
}

/// Recipes that see all flows of a boundary, each flow once.
void add_partitions(std::vector<Recipe>& recipes, const Recipe& so_far, std::span<const Candidate> candidates, const std::string& total,
                    std::vector<std::string> unseen) {
  if (unseen.empty()) {
    recipes.push_back(so_far);
    return;
  }
  for (const auto& candidate : candidates) {
    if (!rank_of(candidate) || !sees(candidate, total + "." + unseen.front())) continue;
    std::vector<std::string> left;
    for (const auto& flow : unseen)
      if (!sees(candidate, total + "." + flow)) left.push_back(flow);
    if (unseen.size() - left.size() == candidate.chosen.counter.quantities.size())  // it sees nothing that another one does
      add_partitions(recipes, extended(so_far, candidate), candidates, total, left);
  }
}

std::vector<Recipe> recipes_of(const std::string& quantity, std::span<const Candidate> candidates) {
  std::vector<Recipe> recipes;
  for (const auto& candidate : candidates)
    if (rank_of(candidate) && candidate.chosen.counter.quantities == std::vector{quantity}) recipes.push_back(extended({}, candidate));
  for (const auto& boundary : boundaries())
    if (quantity == boundary.total) add_partitions(recipes, {.is_whole = false}, candidates, quantity, boundary.flows);
  return recipes;
}

/// Only the best grade, whole before put together, and none that needs all events of another and is no narrower.
std::vector<Recipe> worth_trying(std::vector<Recipe> recipes) {
  const auto merit = [](const Recipe& recipe) { return std::pair(recipe.rank, !recipe.is_whole); };
  const auto best = std::min_element(recipes.begin(), recipes.end(), [&](const Recipe& a, const Recipe& b) { return merit(a) < merit(b); });
  if (best == recipes.end()) return recipes;
  std::erase_if(recipes, [&, wanted = merit(*best)](const Recipe& recipe) { return merit(recipe) != wanted; });
  std::stable_sort(recipes.begin(), recipes.end(), [](const Recipe& a, const Recipe& b) {
    return std::tuple(a.events.size(), a.width) < std::tuple(b.events.size(), b.width);
  });
  std::vector<Recipe> kept;
  for (auto& recipe : recipes)
    if (std::none_of(kept.begin(), kept.end(), [&](const Recipe& other) {
          return other.width <= recipe.width &&
                 std::includes(recipe.events.begin(), recipe.events.end(), other.events.begin(), other.events.end());
        }))
      kept.push_back(std::move(recipe));
  return kept;
}

std::vector<ChosenGroup> groups_of(const std::set<Event>& events, const SlotLimits& limits) {
  std::map<std::string, std::vector<std::string>> by_backend;
  for (const auto& [backend, event] : events) by_backend[backend].push_back(event);
  std::vector<ChosenGroup> groups;
  for (const auto& [backend, own] : by_backend)
    for (auto& group : fewest_groups(backend, own, limits)) groups.push_back(std::move(group));
  return groups;
}

/// Branch and bound over one recipe for each quantity.
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
    for (const auto& event : events) {
      const auto known = limits_.slots.find(event);
      slots += known == limits_.slots.end() ? 1 : known->second;
    }
    return slots;
  }

  /// No choice that goes on from these events has fewer groups.
  std::size_t fewest_possible(const std::set<Event>& events) const {
    std::map<std::string, std::set<Event>> by_backend;
    for (const auto& event : events) by_backend[event.first].insert(event);
    std::size_t groups = 0;
    for (const auto& [backend, own] : by_backend) {
      const auto known = limits_.capacity.find(backend);
      groups += known == limits_.capacity.end() ? 1 : (slots_of(own) + known->second - 1) / known->second;
    }
    return groups;
  }

  using Cost = std::tuple<std::size_t, std::size_t, double>;  // groups, slots, width

  void choose(std::size_t quantity, const std::set<Event>& events, double width) {
    if (Cost{fewest_possible(events), slots_of(events), width} >= best_cost_) return;  // each of the three only grows
    if (quantity == recipes_.size()) {
      const Cost cost{groups_of(events, limits_).size(), slots_of(events), width};
      if (cost < best_cost_) best_cost_ = cost, best_ = chosen_;
      return;
    }
    for (const Recipe& recipe : recipes_[quantity]) {
      std::set<Event> more = events;
      more.insert(recipe.events.begin(), recipe.events.end());
      chosen_.push_back(&recipe);
      choose(quantity + 1, more, width + recipe.width);
      chosen_.pop_back();
    }
  }

  const std::vector<std::vector<Recipe>>& recipes_;
  const SlotLimits& limits_;
  std::vector<const Recipe*> chosen_, best_;
  Cost best_cost_{SIZE_MAX, SIZE_MAX, HUGE_VAL};
};

std::string why_uncovered(const std::string& quantity, std::span<const Candidate> candidates) {
  std::string rejected;
  for (const auto& candidate : candidates) {
    const auto& claimed = candidate.chosen.counter.quantities;
    if (rank_of(candidate) || std::none_of(claimed.begin(), claimed.end(), [&](const auto& q) { return q.starts_with(quantity); }))
      continue;
    rejected +=
        (rejected.empty() ? "" : "; ") + candidate.chosen.counter.name + " (" + candidate.chosen.grade + "): " + candidate.chosen.evidence;
  }
  return rejected.empty() ? "no counter that was scored sees it" : "none is trusted: " + rejected;
}

}  // namespace

std::span<const std::string> wanted_quantities() {
  static const std::array<std::string, 6> all{"flops.fp64", "flops.fp32", "bytes.reg-L1", "bytes.L1-L2", "bytes.L2-L3", "bytes.L3-mem"};
  return all;
}

CounterSet choose_counters(std::span<const Candidate> candidates, std::span<const std::string> quantities, const SlotLimits& limits) {
  CounterSet set;
  std::vector<std::vector<Recipe>> recipes;
  for (const auto& quantity : quantities) {
    auto own = worth_trying(recipes_of(quantity, candidates));
    if (own.empty())
      set.uncovered.push_back({quantity, why_uncovered(quantity, candidates)});
    else
      recipes.push_back(std::move(own));
  }
  std::set<Event> events;
  std::set<const Candidate*> taken;
  for (const Recipe* recipe : Search(recipes, limits).solve()) {
    events.insert(recipe->events.begin(), recipe->events.end());
    for (const Candidate* candidate : recipe->counters)
      if (taken.insert(candidate).second) set.counters.push_back(candidate->chosen);
  }
  set.groups = groups_of(events, limits);
  return set;
}

}  // namespace plumbline
