#include "real_counts.hpp"

#include <set>
#include <stdexcept>

#include "app/stages/count_rows.hpp"
#include "counters/papi/sde_export.hpp"
#include "measure/worker.hpp"

namespace plumbline::test {
namespace {

constexpr std::size_t slots = 40;          // of an event set
constexpr double patience_seconds = 1800;  // of a case that takes seconds: on a machine that many share 120 were not enough

struct EventSet {
  std::int32_t group = 0;
  bool joint = false;
  std::vector<std::string> events = {};
};

/// The fewest sets that hold all counters, and then those again that are in a second group too.
std::vector<EventSet> event_sets(const RealCampaign& campaign) {
  std::vector<std::string> once{campaign.offset_everywhere.counter.terms.front().event}, again;
  for (const auto& trial : campaign.trials)
    for (const auto& made : trial.made) {
      once.push_back(made.counter.terms.front().event);
      if (made.joint) again.push_back(once.back());
    }
  std::vector<EventSet> sets;
  for (const bool joint : {false, true}) {
    const auto& events = joint ? again : once;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i % (slots - 1) == 0) sets.push_back({.group = static_cast<std::int32_t>(sets.size()), .joint = joint});
      sets.back().events.push_back(events[i]);
    }
  }
  return sets;
}

void count(EmulatedWorker& worker, const Case& one, std::size_t at, const EventSet& set, Results& results) {
  std::vector<std::string> events{std::string(sde_prefix) + telling_event(at, set.joint)};
  events.insert(events.end(), set.events.begin(), set.events.end());
  const CountedCase answer = worker.count(one, {"papi", events, repetitions}, patience_seconds);
  if (answer.status != Status::ok) throw std::runtime_error(one.id() + ": " + answer.reason);
  CountRow row{.case_id = one.id(), .node = "node0", .session = "s", .event = "", .backend = "papi"};
  row.group = set.group;
  app::add_count_rows(results.counts, row, answer.repetitions);
}

}  // namespace

std::string what_is_missing(const RealCampaign& campaign) {
  if (const EmulatorInstallation installation = find_emulator(); !installation.availability.ok()) return installation.availability.reason;
  std::set<std::string> compilers;
  for (const Case& one : campaign.cases) compilers.insert(split_flavor(one.flavor.name).compiler);
  return compilers.size() < 2 ? "a grade takes flavors by two compilers (Debian: g++-12 and clang)" : "";
}

Results counted(const RealCampaign& campaign) {
  EmulatedWorker worker(find_emulator(), campaign.caches);
  const auto sets = event_sets(campaign);
  Results results;
  for (std::size_t at = 0; at < campaign.cases.size(); ++at) {
    const Case& one = campaign.cases[at];
    results.cases.push_back(one.row());
    for (const auto& [quantity, bounds] : campaign.expected[at].model)
      results.model.push_back({one.id(), quantity, bounds.first, bounds.second});
    for (const EventSet& set : sets) count(worker, one, at, set, results);
  }
  return results;
}

RealCounts::RealCounts(Results results) : results_(std::move(results)), measurements_(measurements_of(results_)) {}

std::vector<Tried> judged(const Trial& trial, const RealCounts& counts) {
  std::vector<Tried> tried;
  for (const auto& made : trial.made)
    tried.push_back(judged(made, score(counts.measurements(), std::vector{made.counter}).counters.front()));
  return tried;
}

}  // namespace plumbline::test
