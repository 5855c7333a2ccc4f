// The work of a rank before MPI starts: reads the campaign and its node, plans the counting, starts its emulated worker.
#include "app/session/run_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/here/campaign_files.hpp"
#include "app/here/event_rows.hpp"
#include "app/here/paths.hpp"
#include "app/here/this_core.hpp"
#include "app/terminal/table.hpp"
#include "campaign/counter_set_file.hpp"
#include "comm/launch.hpp"
#include "core/json_text.hpp"
#include "profile/geometry.hpp"

namespace plumbline::app {
namespace {

/// The caches that the model reckons with, and that are simulated if any are; the last of this machine's may change (last_cache_stage.hpp).
std::vector<CacheLevel> caches_of(const Campaign& campaign, const Topology& topology) {
  const auto& [named, at] = campaign.emulated.caches;
  if (campaign.emulated.is_of_this_machine()) return caches_of_machine(topology).levels;
  const std::string file = find_geometry(named);
  if (!std::filesystem::exists(file))
    throw wrong_at(campaign.path, at,
                   fmt::format("'caches' is '{}', which is no file and no geometry of ours ({}); allowed: \"auto\", \"topology\", "
                               "\"measured\", \"none\", a name or a FILE.toml",
                               named, find_shared("harness/profile/geometries").string()));
  return geometry_from_file(file).levels;
}

/// Plans by the counters that the campaign names: of a set's file ("SET.toml", "check:SET.toml"), else by their own names. Where nothing is
/// to be counted the names alone are checked.
CountingPlan planned(RunInput& input, const Availability& emulator) {
  constexpr std::string_view check = "check:";
  std::string_view named = input.campaign.counters;
  const bool alone_first = named.starts_with(check);
  if (alone_first) named.remove_prefix(check.size());
  const bool is_set = named.ends_with(".toml");
  if (is_set) input.counter_set = read_counter_set(std::string(named));
  if (!input.campaign.count) {
    if (!is_set) check_counters(input.campaign.counters, emulator, input.backends);
    return {};
  }
  if (!is_set) return plan_counting(input.campaign.counters, emulator, input.backends, wants_gpus(input.campaign));
  return plan_counting(*input.counter_set, alone_first, emulator, input.backends);
}

/// Refuses ceilings of a campaign that times nothing.
void require_timed_ceilings(const Campaign& campaign) {
  if (campaign.ceilings.mode != CeilingsMode::none && !campaign.time)
    throw user_error(fmt::format(
        "{}: [ceilings] asks for ceilings, which are times, but 'passes' has no \"time\": add it, or leave the table out", campaign.path));
}

/// Refuses a name that is not UTF-8: names are kept in the result, as text.
void require_utf8(const std::string& name, const char* what) {
  if (!is_utf8(name)) throw user_error(fmt::format("{} is not UTF-8: {}; choose another one", what, printable(name)));
}

/// Whether this rank is in a team that counts, as far as the launcher says which of its node's ranks it is: a worker takes 0.7 s and 100
/// MB, and of a node's ranks most campaigns count on the first one or two. One that is asked all the same is started then.
EmulatedWorker::Start start_of_worker(const Campaign& campaign) {
  const auto launch = find_launch(process_environment());
  if (!launch || !launch->local_rank) return EmulatedWorker::Start::now;
  const auto counts_here = [&](const Written<TeamSpec>& team) {
    return !team.value.on_gpus() && (!team.value.ranks || *launch->local_rank < *team.value.ranks);
  };
  const auto any_here = [&](const CaseSpec& cases) {
    return cases.teams.empty() || std::any_of(cases.teams.begin(), cases.teams.end(), counts_here);
  };
  return std::any_of(campaign.cases.begin(), campaign.cases.end(), any_here) ? EmulatedWorker::Start::now
                                                                             : EmulatedWorker::Start::when_asked;
}

/// Plans the counting, and starts the worker if a part of it needs one.
void plan_and_start(RunInput& input, bool dry_run) {
  const Campaign& campaign = input.campaign;
  const EmulatorInstallation found = campaign.count ? find_emulator() : EmulatorInstallation{};
  try {
    input.counting = planned(input, found.availability);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", campaign.path, error.what()));
  }
  if (dry_run || !input.counting.needs_worker()) return;
  const bool simulated = campaign.emulated.caches.value != "none";
  input.worker =
      std::make_unique<EmulatedWorker>(found, simulated ? std::span<const CacheLevel>{input.caches} : std::span<const CacheLevel>{},
                                       start_of_worker(campaign), core_pipes(this_core()));
}

}  // namespace

RunInput read_run_input(const RunOptions& options) {
  RunInput input;
  try {
    require_utf8(options.campaign, "the campaign's name");
    require_utf8(options.output.string(), "the name of the output, -o,");
    input.campaign = read_campaign(find_campaign(options.campaign));
    require_timed_ceilings(input.campaign);
    if (!options.counters.empty()) input.campaign.counters = options.counters;
    if (options.count_repetitions > 0) input.campaign.counting.repetitions = options.count_repetitions;
    input.topology = this_topology();
    input.caches = caches_of(input.campaign, input.topology);
    input.backends = backend_facts(input.topology);
    plan_and_start(input, options.dry_run);
  } catch (const Error& error) {
    input.error = error;
  }
  return input;
}

}  // namespace plumbline::app
