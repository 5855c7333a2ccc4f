#include "counters/sass/sass_path.hpp"

#include <algorithm>

namespace plumbline {
namespace {

class Search {
 public:
  Search(const SassFunction& function, std::span<const std::uint64_t> trips, const std::function<bool(std::size_t)>& matters)
      : function_(function), trips_(trips), matters_(matters), next_(all().size(), none), weight_(all().size(), none) {}

  SassPath path() {
    for (std::size_t i = all().size(); i-- > 0;) decide(i);
    if (all().empty() || weight_.front() == none) return {{}, "no way through the code leaves out the loops without a trip"};
    SassPath found{std::vector<bool>(all().size()), ""};
    for (std::size_t i = 0; i != none; i = next_[i]) {
      if (ambiguous_.at(i)) return {{}, "two ways with as much work in each (instruction " + std::to_string(i) + ")"};
      found.executed[i] = true;
    }
    for (std::size_t l = 0; l < trips_.size(); ++l)
      if (trips_[l] != 0 && !found.executed[function_.loops[l].first]) return {{}, "a loop with trips is on no way"};
    return found;
  }

 private:
  static constexpr std::size_t none = SassInstruction::none;
  const std::vector<SassInstruction>& all() const { return function_.instructions; }

  bool is_in(const SassLoop& loop, std::size_t i) const { return loop.first <= i && i <= loop.last; }
  bool is_left_out(std::size_t i) const {
    for (std::size_t l = 0; l < trips_.size(); ++l)
      if (trips_[l] == 0 && is_in(function_.loops[l], i)) return true;
    return false;
  }
  bool leaves_a_loop(std::size_t i, std::size_t target) const {
    return std::any_of(function_.loops.begin(), function_.loops.end(),
                       [&](const SassLoop& loop) { return is_in(loop, i) && target > loop.last && i != loop.last; });
  }

  /// Decides, from the end on, what follows i, and how much work there is from i on.
  void decide(std::size_t i) {
    ambiguous_.resize(all().size());
    const SassInstruction& one = all()[i];
    if (is_left_out(i)) return;
    if (one.guard.empty() && one.stem() == "EXIT") {
      weight_[i] = 0;
      return;
    }
    next_[i] = following(i);
    if (next_[i] == none || weight_[next_[i]] == none) return;
    weight_[i] = weight_[next_[i]] + (matters_(i) ? 1 : 0);
  }

  std::size_t following(std::size_t i) {
    const SassInstruction& one = all()[i];
    const std::size_t behind = i + 1 < all().size() ? i + 1 : none;
    if (!one.is_branch()) return behind;
    const bool ahead = one.target != none && one.target > i && !leaves_a_loop(i, one.target);
    if (one.guard.empty()) return ahead ? one.target : way_out_of_the_loop_that_ends(i);
    return ahead ? fuller(i, behind, one.target) : behind;
  }

  /// The way out of a loop whose branch back is always taken: by the one place behind it that a branch within leads to.
  std::size_t way_out_of_the_loop_that_ends(std::size_t i) const {
    std::size_t out = none;
    for (const SassLoop& loop : function_.loops)
      for (std::size_t j = loop.first; loop.last == i && j < i; ++j) {
        const std::size_t target = all()[j].target;
        if (target == none || target <= i) continue;
        if (out != none && out != target) return none;
        out = target;
      }
    return out;
  }

  std::size_t fuller(std::size_t i, std::size_t behind, std::size_t target) {
    if (behind == none || weight_[behind] == none) return target;
    if (weight_[target] == none || weight_[target] < weight_[behind]) return behind;
    if (weight_[target] > weight_[behind]) return target;
    ambiguous_[i] = work_from(behind) != work_from(target);
    return behind;
  }

  std::vector<std::size_t> work_from(std::size_t i) const {
    std::vector<std::size_t> work;
    for (; i != none; i = next_[i])
      if (matters_(i)) work.push_back(i);
    return work;
  }

  const SassFunction& function_;
  std::span<const std::uint64_t> trips_;
  const std::function<bool(std::size_t)>& matters_;
  std::vector<std::size_t> next_, weight_;
  std::vector<bool> ambiguous_;
};

}  // namespace

SassPath fullest_path(const SassFunction& function, std::span<const std::uint64_t> trips, const std::function<bool(std::size_t)>& matters) {
  return Search(function, trips, matters).path();
}

}  // namespace plumbline
