#include "model/scaling/timed_application.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/cases/believed_times.hpp"
#include "model/projecting/measured_sides.hpp"
#include "model/statistics/spread.hpp"

namespace plumbline {
namespace {

using Repetition = std::pair<std::string, std::int32_t>;  // session and number

/// The believed repetitions of each whole case on each node.
std::map<std::string, std::set<Repetition>> believed_repetitions(const Results& results) {
  const BelievedTimes times = believed_times(results);
  std::map<std::string, std::set<Repetition>> all;
  for (std::size_t i = 0; i < results.times.size(); ++i)
    if (const TimeRow& row = results.times[i]; times.believed[i] && phase_of(row.case_id).empty())
      all[row.case_id + "\n" + row.node].insert({row.session, row.repetition});
  return all;
}

/// The seconds of a phase by repetition, those of each rank in order.
using PhaseTimes = std::map<Repetition, std::map<std::int32_t, double>>;

std::map<std::string, PhaseTimes> phase_times(const Results& results, const CaseRow& whole, const std::string& node,
                                              const std::set<Repetition>& believed) {
  const bool by_rank = whole.ranks > 1;
  std::map<std::string, PhaseTimes> all;
  for (const TimeRow& row : results.times) {
    if (row.node != node || (row.rank == -1) == by_rank || case_of(row.case_id) != whole.id || !std::isfinite(row.seconds)) continue;
    const std::string phase = phase_of(row.case_id);
    if (phase.empty() || !believed.contains({row.session, row.repetition})) continue;
    all[phase][{row.session, row.repetition}][row.rank] = row.seconds;
  }
  return all;
}

/// The seconds of the rank that came last, which waited least, in the middle of the repetitions.
double least_seconds(const PhaseTimes& times) {
  std::vector<double> all;
  for (const auto& [repetition, ranks] : times) {
    double least = absent;
    for (const auto& [rank, seconds] : ranks) least = std::fmin(least, seconds);
    all.push_back(least);
  }
  return median_of(all);
}

std::vector<double> every_sample(const PhaseTimes& times) {
  std::vector<double> all;
  for (const auto& [repetition, ranks] : times)
    for (const auto& [rank, seconds] : ranks) all.push_back(seconds);
  return all;
}

class Reader {
 public:
  Reader(const Results& results, const Measurements& measurements, std::span<const RooflinePlacement> placements)
      : results_(results), measurements_(measurements), placements_(placements), believed_(believed_repetitions(results)) {}

  /// The phases of a case; none where one of them was not timed.
  std::vector<ScaledPhase> phases_of(const Measured& whole, const ApplicationSchedule& schedule, const Decomposition& decomposition) const {
    const auto believed = believed_.find(whole.of->id + "\n" + whole.node);
    if (believed == believed_.end()) return {};
    const auto times = phase_times(results_, *whole.of, whole.node, believed->second);
    std::vector<ScaledPhase> phases;
    std::size_t samples = 0;
    for (const auto& entered : schedule.phases) {
      const auto timed = times.find(entered.name);
      if (timed == times.end()) return {};
      ScaledPhase phase{.name = entered.name, .entries = entered.entries, .messages = entered.messages, .bytes = entered.bytes};
      if (phase.computes()) {
        phase.seconds = every_sample(timed->second);
        if (samples != 0 && samples != phase.seconds.size()) return {};
        samples = phase.seconds.size();
        place(phase, whole, decomposition);
      } else {
        phase.least_seconds = least_seconds(timed->second) / entered.entries;
      }
      phases.push_back(std::move(phase));
    }
    return phases;
  }

  /// Gives how many times as long the slowest rank computes as the fastest, in the middle of their repetitions.
  double unlike_ranks(const Measured& whole, const std::vector<ScaledPhase>& phases) const {
    std::map<std::int32_t, double> by_rank;
    const auto times = phase_times(results_, *whole.of, whole.node, believed_.at(whole.of->id + "\n" + whole.node));
    for (const auto& phase : phases) {
      if (!phase.computes()) continue;
      std::map<std::int32_t, std::vector<double>> all;
      for (const auto& [repetition, ranks] : times.at(phase.name))
        for (const auto& [rank, seconds] : ranks) all[rank].push_back(seconds);
      for (const auto& [rank, seconds] : all) by_rank[rank] += median_of(seconds);
    }
    const auto [least, most] = std::ranges::minmax_element(by_rank, {}, [](const auto& one) { return one.second; });
    return by_rank.empty() ? 1 : most->second / least->second;
  }

 private:
  void place(ScaledPhase& phase, const Measured& whole, const Decomposition& decomposition) const {
    const std::string id = phase_id(whole.of->id, phase.name);
    const auto measured =
        std::ranges::find_if(measurements_.cases, [&](const auto& one) { return one.of->id == id && one.node == whole.node; });
    if (measured == measurements_.cases.end()) return;
    constexpr double least_bytes_of_layer = 4, bytes_of_scalars = 64;
    const double accessed = measured->expected("bytes.reg-L1").hi / (phase.entries * static_cast<double>(whole.of->ranks));
    if (std::isfinite(accessed) && std::isfinite(decomposition.layers))
      phase.is_cut = accessed >= std::max(least_bytes_of_layer * decomposition.layers, bytes_of_scalars);
    const auto placement =
        std::ranges::find_if(placements_, [&](const auto& one) { return one.of == measured->of && one.node == whole.node; });
    if (placement == placements_.end() || placement->bound.empty()) return;
    phase.part = timed_part(*measured, *placement).part;
    phase.part->working_set_bytes = whole.expected("working_set").lo;
  }

  const Results& results_;
  const Measurements& measurements_;
  std::span<const RooflinePlacement> placements_;
  std::map<std::string, std::set<Repetition>> believed_;
};

/// A case with phases; nullopt where it cannot be scaled, and why.
std::optional<TimedApplication> timed_application(const Measured& whole, const Reader& reader, const ScheduleOf& schedule_of,
                                                  std::string& why) {
  const auto refuse = [&](const std::string& who, const std::string& reason) {
    why = who + ": " + reason;
    return std::nullopt;
  };
  const std::string& kernel = whole.of->kernel;
  if (whole.of->gpus > 0) return refuse(kernel, "exchanges between GPUs have no ceilings");
  const auto schedule = schedule_of(*whole.of);
  const auto decomposition = schedule ? decomposition_of(kernel, schedule->parameters) : std::nullopt;
  if (!decomposition) return refuse(kernel, "nobody wrote down how its ranks divide their data");
  if (!std::isfinite(whole.seconds.value)) return refuse(whole.of->id, whole.seconds.reason);
  TimedApplication timed{.of = whole.of,
                         .node = whole.node,
                         .parameters = schedule->parameters,
                         .oversubscribed = whole.oversubscribed,
                         .disturbed = whole.repetitions > 0 && whole.disturbed == whole.repetitions};
  timed.scaled = {.name = whole.of->id,
                  .kernel = kernel,
                  .ranks_of_node = static_cast<std::uint64_t>(whole.of->ranks),
                  .seconds = whole.seconds.value,
                  .decomposition = *decomposition,
                  .phases = reader.phases_of(whole, *schedule, *decomposition),
                  .order = schedule->order};
  if (timed.scaled.phases.empty()) return refuse(whole.of->id, "not all of its phases were timed");
  timed.unlike = reader.unlike_ranks(whole, timed.scaled.phases);
  return timed;
}

}  // namespace

std::vector<TimedApplication> timed_applications(const Results& results, const Measurements& measurements,
                                                 std::span<const Ceiling> ceilings, std::span<const NodeFacts> nodes,
                                                 std::span<const RooflinePlacement> placements, const ScheduleOf& schedule_of,
                                                 std::vector<std::string>& notes) {
  const Reader reader(results, measurements, placements);
  std::set<std::string> with_phases;
  for (const auto& row : results.cases)
    if (!phase_of(row.id).empty()) with_phases.insert(case_of(row.id));
  std::vector<TimedApplication> all;
  for (const auto& whole : measurements.cases) {
    if (!with_phases.contains(whole.of->id) || !phase_of(whole.of->id).empty()) continue;
    std::string why;
    if (auto timed = timed_application(whole, reader, schedule_of, why)) {
      if (const auto facts = std::ranges::find(nodes, whole.node, &NodeFacts::node); facts != nodes.end())
        timed->scaled.side = measured_side(whole, ceilings, *facts, "");
      all.push_back(std::move(*timed));
    } else if (const std::string note = "left out: " + why; std::ranges::find(notes, note) == notes.end()) {
      notes.push_back(note);
    }
  }
  return all;
}

bool are_one_problem(const TimedApplication& one, const TimedApplication& other) {
  if (one.of->kernel != other.of->kernel || one.of->precision != other.of->precision || one.of->flavor != other.of->flavor ||
      one.of->threads != other.of->threads || one.node != other.node || one.parameters.size() != other.parameters.size())
    return false;
  const Decomposition &mine = one.scaled.decomposition, &theirs = other.scaled.decomposition;
  if (mine.cut.empty() || mine.layers * static_cast<double>(one.of->ranks) != theirs.layers * static_cast<double>(other.of->ranks))
    return false;
  return std::ranges::all_of(one.parameters, [&](const auto& named) {
    return std::ranges::find(mine.cut, named.first) != mine.cut.end() || other.parameters.at(named.first) == named.second;
  });
}

}  // namespace plumbline
