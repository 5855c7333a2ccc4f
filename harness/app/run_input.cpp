// What a rank does before MPI starts: reads the campaign and its node, starts its emulated worker.
#include <fmt/format.h>

#include <algorithm>

#include "app/run_session.hpp"

namespace plumbline::app {
namespace {

bool chosen_by_us(const Campaign& campaign) { return campaign.counters == "auto" || campaign.counters == "none"; }

/// A counter that the campaign names must be one that this program has.
void require_known_counters(const Campaign& campaign) {
  if (chosen_by_us(campaign)) return;
  const auto known = std::string(emulated_backend()->name());
  for (std::string_view rest = campaign.counters; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (name != known)
      throw user_error(fmt::format("{}: counters = \"{}\": this program has no counters '{}'; allowed: auto, none, {}", campaign.path,
                                   campaign.counters, name, known));
  }
}

void start_worker(RunInput& input) {
  const Campaign& campaign = input.campaign;
  if (!campaign.count || campaign.counters == "none") {
    input.no_worker = "the campaign counts nothing";
    return;
  }
  const EmulatorInstallation found = find_emulator();
  if (found.availability.ok()) {
    input.worker = std::make_unique<EmulatedWorker>(found, input.caches);
    return;
  }
  input.no_worker = found.availability.reason;
  if (!chosen_by_us(campaign))
    throw user_error(fmt::format("{}: counters = \"{}\" cannot be had: {}", campaign.path, campaign.counters, found.availability.reason));
}

}  // namespace

RunInput read_run_input(const RunOptions& options) {
  RunInput input;
  try {
    input.campaign = read_campaign(options.campaign);
    require_known_counters(input.campaign);
    input.topology = this_topology();
    input.caches = cache_levels(input.topology);
    if (!options.dry_run) start_worker(input);
  } catch (const Error& error) {
    input.error = error;
  }
  return input;
}

}  // namespace plumbline::app
