// A run counts with event groups of backends, each counted by a pass of its own; the plan says which, and where.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/counter_set.hpp"
#include "core/flavor.hpp"
#include "counters/registry.hpp"

namespace plumbline::app {

/// A counting pass of a case.
struct CountingGroup {
  std::string backend;
  int number = 0;  // among the groups of its backend
  EventGroup what;

  /// The key that names backend and events, so that a resumed run knows what was counted.
  std::string key() const;
};

/// A backend that `auto` would have taken and this machine does not have.
struct CountingSkip {
  std::string backend;
  Availability why;
};

struct CountingPlan {
  std::vector<CountingGroup> groups;
  std::vector<CountingSkip> skipped;

  bool counts_on_gpus() const;
  bool needs_worker() const;
  std::vector<std::string> keys() const;
  /// Says what was skipped, as "papi: unavailable: no PMU; ..."; empty where nothing was.
  std::string why_skipped() const;
};

/// The keys whose groups count what runs in that space: counters of CPUs see nothing of a GPU's work, nor the other way round.
std::vector<std::string> keys_for(Space space, std::span<const std::string> keys);
bool counts_there(const CountingGroup& group, Space space);

/// Plans for a campaign's `counters`: "auto" (the emulated counters where they can be had, and of every other backend what it can count
/// here), "none", or names separated by commas: BACKEND (what it can count here) or BACKEND:EVENT. `emulator` says whether this rank may
/// have a worker. Throws Error (user) where a named one is unknown, with the nearest, or cannot be had, with the reason.
/// "auto" looks for counters of GPUs only where there are cases for them, for it starts the driver; where they are refused it takes those
/// of the code instead (counters/sass/disassembled.hpp).
CountingPlan plan_counting(std::string_view counters, const Availability& emulator, const BackendFacts& facts, bool cases_for_gpus = false);

/// Checks a campaign's `counters` for a run that counts nothing: throws as plan_counting() does, but of counters of GPUs knows the name
/// alone. To look for those starts the driver and puts CUPTI's hooks into it, which bias times and stand in the way of ncu.
void check_counters(std::string_view counters, const Availability& emulator, const BackendFacts& facts);

/// The groups of a chosen set, each a pass where this machine's counters take it whole; with `alone_first` each event alone before, so
/// that the score can tell what counting them together changes. Throws Error (user) where one of them cannot be had.
CountingPlan plan_counting(const CounterSet& set, bool alone_first, const Availability& emulator, const BackendFacts& facts);

/// The plan as text, for telling the other ranks of a node.
std::string to_text(const CountingPlan& plan);
CountingPlan counting_plan_from(const std::string& text);

}  // namespace plumbline::app
