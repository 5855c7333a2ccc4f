// What a rank does before MPI starts: reads the campaign and its node, starts its emulated worker.
#include <fmt/format.h>

#include "app/run_session.hpp"

namespace plumbline::app {
namespace {

bool names_emulator(const std::string& counters) { return counters.find("emulated") != std::string::npos; }

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
  if (names_emulator(campaign.counters))
    throw user_error(fmt::format("{}: counters = \"{}\" cannot be had: {}", campaign.path, campaign.counters, found.availability.reason));
}

}  // namespace

RunInput read_run_input(const RunOptions& options) {
  RunInput input;
  try {
    input.campaign = read_campaign(options.campaign);
    input.topology = this_topology();
    input.caches = cache_levels(input.topology);
    if (!options.dry_run) start_worker(input);
  } catch (const Error& error) {
    input.error = error;
  }
  return input;
}

}  // namespace plumbline::app
