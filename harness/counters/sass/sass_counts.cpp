#include <algorithm>

#include "counters/sass/sass.hpp"
#include "counters/sass/sass_operations.hpp"
#include "counters/sass/sass_path.hpp"

namespace plumbline {
namespace {

class Counting {
 public:
  Counting(const SassFunction& function, const SassExecutions& times) : function_(function), times_(times) {}

  /// The counts of threads that may part ways: all of the code up to the end, where nothing counted lets them.
  SassCounts of_all() const {
    SassCounts counts;
    counts.refusal = obstacle();
    for (std::size_t i = 0; counts.refusal.empty() && i < end(); ++i) add(counts, i);
    return counts;
  }

  SassCounts of_the_fullest_path() const {
    SassCounts counts;
    if (counts.refusal = wrong_numbers(); !counts.refusal.empty()) return counts;
    const SassPath path = fullest_path(function_, times_.loops, [&](std::size_t i) { return matters(all()[i]); });
    counts.refusal = path.refusal;
    for (std::size_t i = 0; counts.refusal.empty() && i < all().size(); ++i)
      if (path.executed[i]) counts.refusal = obstacle_on(path, i);
    for (std::size_t i = 0; counts.refusal.empty() && i < all().size(); ++i)
      if (path.executed[i] || all()[i].of_the_clock) add(counts, i);
    return counts;
  }

 private:
  const std::vector<SassInstruction>& all() const { return function_.instructions; }
  /// The index behind the one way out at the end: what stands from there on is no code of the function's.
  std::size_t end() const {
    for (std::size_t i = 0; i < all().size(); ++i)
      if (all()[i].ends() && all()[i].stem() == "EXIT") return i + 1;
    return all().size();
  }

  void add(SassCounts& counts, std::size_t i) const {
    const SassInstruction& one = all()[i];
    const std::uint64_t times = one.of_the_clock ? 1 : times_of(i);
    counts.opcodes[std::string(one.stem())] += times;
    if (const auto how = arithmetic_of(one); how && how->kind.empty())
      counts.uncounted_arithmetic = one.opcode;
    else if (how)
      counts.flops[how->kind] += how->operations * times;
    if (const auto what = access_of(one); what && what->bytes == nullptr) {
      counts.uncounted_access = one.opcode;
    } else if (what) {
      counts.accesses[what->instructions] += times;
      counts.accesses[what->bytes] += times * what->width;
    }
  }

  bool is_in(const SassLoop& loop, std::size_t i) const { return loop.first <= i && i <= loop.last; }
  /// The innermost loop around it; null: none.
  const SassLoop* loop_around(std::size_t i) const {
    const SassLoop* inner = nullptr;
    for (const SassLoop& loop : function_.loops)
      if (is_in(loop, i) && (inner == nullptr || loop.last - loop.first < inner->last - inner->first)) inner = &loop;
    return inner;
  }
  std::uint64_t times_of(std::size_t i) const {
    const SassLoop* const loop = loop_around(i);
    return loop == nullptr ? times_.threads : times_.loops[static_cast<std::size_t>(loop - function_.loops.data())];
  }

  /// Says which numbers are wrong: of loops, and of stores of the clock: two where it begins and two where it ends.
  std::string wrong_numbers() const {
    if (function_.loops.size() != times_.loops.size())
      return "the code has " + std::to_string(function_.loops.size()) + " loops where the trips of " + std::to_string(times_.loops.size()) +
             " are known";
    const auto clocks = std::count_if(all().begin(), all().end(), [](const SassInstruction& one) { return one.of_the_clock; });
    return clocks == 0 || clocks == 4 ? "" : "the clock is stored at " + std::to_string(clocks) + " places instead of 4";
  }

  std::string obstacle() const {
    if (auto why = wrong_numbers(); !why.empty()) return why;
    for (std::size_t i = 0; i < end(); ++i)
      if (auto why = obstacle_at(i); !why.empty()) return at(i, why);
    for (const SassLoop& loop : function_.loops)
      if (times_of(loop.first) == 0 && !is_skipped_by_a_branch(loop)) return at(loop.first, "a loop without a trip that nothing skips");
    return "";
  }

  std::string at(std::size_t i, const std::string& why) const {
    const SassInstruction& one = all()[i];
    return why + " (instruction " + std::to_string(i) + ": " + one.guard + (one.guard.empty() ? "" : " ") + one.opcode + ")";
  }
  bool any_matters(std::size_t first, std::size_t end) const {
    return std::any_of(all().begin() + static_cast<std::ptrdiff_t>(first), all().begin() + static_cast<std::ptrdiff_t>(end), matters);
  }

  std::string obstacle_at(std::size_t i) const {
    const SassInstruction& one = all()[i];
    if (goes_elsewhere(one)) return "the code goes elsewhere";
    if (matters(one) && !one.guard.empty()) return "under a predicate, which may differ between threads";
    if (one.stem() == "EXIT" && !one.guard.empty()) return ends_with_work_to_do(i) ? "threads end at different places" : "";
    if (one.is_branch() && one.target == SassInstruction::none) return "a branch to a place that is not known";
    if (!one.is_branch() || one.target <= i) return "";
    return forward_obstacle(i, one.target);
  }

  /// Whether a thread that ends at i has work to do: neither is there no work yet, nor no more of it, also not in the next trip: the way
  /// out at the end of a loop that has no other.
  bool ends_with_work_to_do(std::size_t i) const {
    if (!any_matters(0, i) || any_matters(i, end())) return any_matters(0, i);
    const auto around = std::count_if(function_.loops.begin(), function_.loops.end(), [&](const SassLoop& loop) { return is_in(loop, i); });
    return around > 1 || (around == 1 && !all()[loop_around(i)->last].guard.empty());
  }

  bool is_skipped_by_a_branch(const SassLoop& loop) const {
    for (std::size_t i = 0; i < loop.first; ++i)
      if (all()[i].is_branch() && all()[i].target > loop.last) return true;
    return false;
  }

  std::string forward_obstacle(std::size_t i, std::size_t target) const {
    for (const SassLoop& loop : function_.loops)
      if (is_in(loop, i) && target > loop.last && !is_way_out(loop, i, target)) return "a second way out of a loop";
    if (all()[i].guard.empty() || target >= end()) return "code that is laid out apart";
    if (!any_work_but_in_loops(i + 1, target)) return "";
    if (const SassLoop* const loop = guarded_by(i, target); loop != nullptr) return work_ahead_of(*loop, i);
    return "a branch that may leave out what is counted";
  }

  /// Whether there is any work but in loops. Who skips whole loops has no trip of theirs, which their trips say already.
  bool any_work_but_in_loops(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i)
      if (matters(all()[i]) && std::none_of(function_.loops.begin(), function_.loops.end(),
                                            [&](const SassLoop& loop) { return is_in(loop, i) && first <= loop.first && loop.last < end; }))
        return true;
    return false;
  }

  /// Names the work between a loop's guard and its header.
  std::string work_ahead_of(const SassLoop& loop, std::size_t guard) const {
    const bool may_have_no_trip = !times_.alike || times_of(loop.first) == 0;
    return may_have_no_trip && any_matters(guard + 1, loop.first) ? "work ahead of a loop that may have no trip" : "";
  }

  /// Whether a branch goes to right behind the loop, at the end of one whose branch back is always taken.
  bool is_way_out(const SassLoop& loop, std::size_t i, std::size_t target) const {
    return all()[loop.last].guard.empty() && target == loop.last + 1 && !any_matters(i, loop.last + 1);
  }

  /// The one loop from ahead of which it skips to right behind it: with a trip, that is not taken.
  const SassLoop* guarded_by(std::size_t i, std::size_t target) const {
    const SassLoop* guarded = nullptr;
    for (const SassLoop& loop : function_.loops)
      if (i < loop.first && loop.last + 1 == target) {
        if (guarded != nullptr) return nullptr;
        guarded = &loop;
      }
    return guarded;
  }

  /// Guards let the thread through, but never both of two that exclude each other.
  std::string obstacle_on(const SassPath& path, std::size_t i) const {
    const SassInstruction& one = all()[i];
    if (goes_elsewhere(one)) return at(i, "the code goes elsewhere");
    if (one.is_branch() && one.target == SassInstruction::none) return at(i, "a branch to a place that is not known");
    if (one.is_branch() && one.target > i)
      if (const SassLoop* const loop = guarded_by(i, one.target); loop != nullptr && path.executed[loop->first])
        if (auto why = work_ahead_of(*loop, i); !why.empty()) return at(i, why);
    if (one.guard.empty() || !matters(one)) return "";
    const std::string opposite = one.guard.starts_with("@!") ? "@" + one.guard.substr(2) : "@!" + one.guard.substr(1);
    const std::string predicate = one.guard.substr(one.guard.starts_with("@!") ? 2 : 1);
    for (std::size_t j = i; j-- > 0 && !writes(all()[j], predicate);)
      if (path.executed[j] && matters(all()[j]) && all()[j].guard == opposite) return at(i, "under a predicate and under its opposite");
    return "";
  }

  /// Whether the instruction writes a predicate, as "ISETP.GE.AND P0, PT, ..." or the carry of "IADD3 R10, P0, ...".
  static bool writes(const SassInstruction& one, std::string_view predicate) {
    std::string_view operands = one.operands;
    for (int place = 0; place < 2; ++place) {
      if (operands.substr(0, operands.find(',')) == predicate) return true;
      operands.remove_prefix(std::min(operands.find(',') == operands.npos ? operands.size() : operands.find(',') + 2, operands.size()));
    }
    return false;
  }

  const SassFunction& function_;
  const SassExecutions& times_;
};

}  // namespace

SassExecutions executions(const SassFunction& function, std::uint64_t threads, std::span<const std::uint64_t> trips) {
  SassExecutions times{threads, std::vector<std::uint64_t>(trips.size(), threads)};
  for (std::size_t l = 0; l < std::min(trips.size(), function.loops.size()); ++l)
    for (std::size_t around = 0; around < std::min(trips.size(), function.loops.size()); ++around)
      if (function.loops[around].first <= function.loops[l].first && function.loops[l].last <= function.loops[around].last)
        times.loops[l] *= trips[around];
  return times;
}

SassCounts executed(const SassFunction& function, const SassExecutions& times, SassGuards guards) {
  const Counting counting(function, times);
  return guards == SassGuards::let_through ? counting.of_the_fullest_path() : counting.of_all();
}

SassCounts executed_by_a_thread(const SassFunction& function, std::span<const std::uint64_t> trips, SassGuards guards) {
  return executed(function, executions(function, 1, trips), guards);
}

}  // namespace plumbline
