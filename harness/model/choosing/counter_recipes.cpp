#include "model/choosing/counter_recipes.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "core/quantity_parts.hpp"

namespace plumbline {
namespace {

constexpr int unseen_rank = INT_MAX;

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

/// A candidate that may be taken, and the parts of the area that it sees.
struct Usable {
  const Candidate* candidate;
  int rank;
  std::set<std::string> parts;
};

std::vector<Usable> usable_for(const std::string& area, std::span<const Candidate> candidates) {
  std::vector<Usable> usable;
  for (const auto& candidate : candidates) {
    const auto rank = rank_of(candidate);
    auto parts = parts_seen(candidate.chosen.counter.quantities, area);
    if (rank && !parts.empty()) usable.push_back({&candidate, *rank, std::move(parts)});
  }
  return usable;
}

double width_of(const Candidate& candidate) { return std::log(candidate.chosen.ratio_hi / candidate.chosen.ratio_lo); }

std::set<SlotLimits::Event> events_of(const Candidate& candidate) {
  std::set<SlotLimits::Event> events;
  for (const auto& term : candidate.chosen.counter.terms) events.insert({candidate.chosen.counter.backend, term.event});
  return events;
}

/// A way to see the parts of an area, while it is put together.
struct Sight {
  Recipe recipe = {};
  std::map<std::string, int> ranks = {};  // by part that is seen
};

Sight extended(Sight sight, const Usable& more) {
  sight.recipe.counters.push_back(more.candidate);
  sight.recipe.width += width_of(*more.candidate);
  sight.recipe.events.merge(events_of(*more.candidate));
  for (const auto& part : more.parts) sight.ranks.emplace(part, more.rank);
  return sight;
}

bool overlap(const Sight& sight, const Usable& other) {
  return std::any_of(other.parts.begin(), other.parts.end(), [&](const auto& part) { return sight.ranks.contains(part); });
}

/// The merit of a recipe: the best ranks first; then whether a counter sees anything but one wanted quantity.
using Merit = std::pair<std::vector<int>, bool>;

/// All ways to see the needed parts of some of the wanted quantities.
class Ways {
 public:
  Ways(std::span<const std::string> wanted, std::span<const Usable> usable) : wanted_(wanted), usable_(usable) {}

  std::vector<Recipe> best() {
    from(0, {});
    return std::move(best_);
  }

 private:
  /// Goes on from a quantity with and without counters of its own; it is seen whole or not at all, as no counter is taken for nothing.
  void from(std::size_t quantity, const Sight& sight) {
    if (quantity == wanted_.size()) return keep(sight);
    see(quantity, needed_parts(wanted_[quantity]), sight);
    if (std::none_of(sight.ranks.begin(), sight.ranks.end(), [&](const auto& seen) { return seen.first == wanted_[quantity]; }))
      from(quantity + 1, sight);
  }

  void see(std::size_t quantity, std::vector<std::string> needed, const Sight& sight) {
    std::erase_if(needed, [&](const auto& part) { return sight.ranks.contains(part); });
    if (needed.empty()) return from(quantity + 1, sight);
    for (const auto& usable : usable_)
      if (usable.parts.contains(needed.front()) && !overlap(sight, usable)) see(quantity, needed, extended(sight, usable));
  }

  int rank_in(const Sight& sight, const std::string& quantity) const {
    int worst = 0;
    for (const auto& part : needed_parts(quantity)) {
      const auto seen = sight.ranks.find(part);
      worst = std::max(worst, seen == sight.ranks.end() ? unseen_rank : seen->second);
    }
    return worst;
  }

  bool claims_one_wanted(const Candidate& candidate) const {
    const auto& claims = candidate.chosen.counter.quantities;
    return claims.size() == 1 && std::find(wanted_.begin(), wanted_.end(), claims.front()) != wanted_.end();
  }

  void keep(const Sight& sight) {
    if (sight.recipe.counters.empty()) return;
    Merit merit;
    Recipe recipe = sight.recipe;
    for (const auto& quantity : wanted_) {
      merit.first.push_back(rank_in(sight, quantity));
      if (merit.first.back() != unseen_rank) recipe.covered.insert(quantity);
    }
    std::sort(merit.first.begin(), merit.first.end());
    merit.second = !std::all_of(recipe.counters.begin(), recipe.counters.end(), [&](const auto* one) { return claims_one_wanted(*one); });
    if (!best_.empty() && best_merit_ < merit) return;
    if (best_.empty() || merit < best_merit_) best_.clear();
    best_merit_ = merit;
    best_.push_back(std::move(recipe));
  }

  std::span<const std::string> wanted_;
  std::span<const Usable> usable_;
  std::vector<Recipe> best_;
  Merit best_merit_;
};

/// The recipes without those that need all events of another one and are no narrower.
std::vector<Recipe> undominated(std::vector<Recipe> recipes) {
  std::stable_sort(recipes.begin(), recipes.end(), [](const Recipe& a, const Recipe& b) {
    return std::tuple(a.events.size(), a.width) < std::tuple(b.events.size(), b.width);
  });
  std::vector<Recipe> kept;
  for (auto& recipe : recipes)
    if (std::none_of(kept.begin(), kept.end(), [&](const Recipe& other) {
          return other.width <= recipe.width && other.covered == recipe.covered &&
                 std::includes(recipe.events.begin(), recipe.events.end(), other.events.begin(), other.events.end());
        }))
      kept.push_back(std::move(recipe));
  return kept;
}

// ---------------------------------------------------------------------------------------------------------------------- words

/// Names that share a grade and a reason are told once, the first of them by name.
std::string told_once(std::span<const Candidate* const> rejected) {
  constexpr std::size_t names_told = 3, reasons_told = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const Candidate* candidate : rejected) {
    const std::string reason = std::string(" (") + candidate->chosen.grade + "): " + candidate->chosen.evidence;
    auto same = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& one) { return one.first == reason; });
    if (same == by_reason.end()) same = by_reason.insert(same, {reason, {}});
    same->second.push_back(candidate->chosen.counter.name);
  }
  std::string text;
  for (std::size_t r = 0; r < std::min(by_reason.size(), reasons_told); ++r) {
    const auto& [reason, names] = by_reason[r];
    for (std::size_t n = 0; n < std::min(names.size(), names_told); ++n) text += (n > 0 ? ", " : r > 0 ? "; " : "") + names[n];
    if (names.size() > names_told) text += " and " + std::to_string(names.size() - names_told) + " more";
    text += reason;
  }
  if (by_reason.size() > reasons_told) text += "; and others for other reasons";
  return text;
}

std::string last_word(const std::string& quantity) { return quantity.substr(quantity.rfind('.') + 1); }

}  // namespace

std::vector<Recipe> recipes_for(std::span<const std::string> wanted, std::span<const Candidate> candidates) {
  if (wanted.empty()) return {};
  const auto usable = usable_for(area_of(wanted.front()), candidates);
  return undominated(Ways(wanted, usable).best());
}

std::string why_uncovered(const std::string& quantity, std::span<const Candidate> candidates) {
  const auto needed = needed_parts(quantity);
  std::vector<const Candidate*> rejected, trusted;
  std::set<std::string> seen;
  for (const auto& candidate : candidates) {
    const auto parts = parts_seen(candidate.chosen.counter.quantities, area_of(quantity));
    const bool speaks_of_it = std::any_of(needed.begin(), needed.end(), [&](const auto& part) { return parts.contains(part); });
    if (!speaks_of_it) continue;
    (rank_of(candidate) ? trusted : rejected).push_back(&candidate);
    if (rank_of(candidate)) seen.insert(parts.begin(), parts.end());
  }
  if (trusted.empty()) return rejected.empty() ? "no counter that was scored sees it" : "none is trusted: " + told_once(rejected);
  std::string unseen;
  for (const auto& part : needed)
    if (!seen.contains(part)) unseen += (unseen.empty() ? "" : ", ") + last_word(part);
  const std::string by = trusted.front()->chosen.counter.name;
  if (unseen.empty()) return by + " sees it only together with what better counters of the set see";
  return "no trusted counter sees its " + unseen + (rejected.empty() ? "" : "; " + told_once(rejected));
}

}  // namespace plumbline
