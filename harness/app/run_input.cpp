// What a rank does before MPI starts: reads the campaign and its node, starts its emulated worker.
#include <fmt/format.h>

#include <algorithm>

#include "app/paths.hpp"
#include "app/run_session.hpp"
#include "profile/geometry.hpp"

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

/// The caches that the model reckons with, and that are simulated if any are.
std::vector<CacheLevel> caches_of(const Campaign& campaign, const Topology& topology) {
  const auto& [named, at] = campaign.emulated.caches;
  if (named == "auto" || named == "none") return cache_levels(topology);
  const std::string file = find_geometry(named);
  if (!std::filesystem::exists(file))
    throw wrong_at(
        campaign.path, at,
        fmt::format("'caches' is '{}', which is no file and no geometry of ours ({}); allowed: \"auto\", \"none\", a name or a FILE.toml",
                    named, find_shared("harness/profile/geometries").string()));
  return geometry_from_file(file).levels;
}

void start_worker(RunInput& input) {
  const Campaign& campaign = input.campaign;
  if (!campaign.count || campaign.counters == "none") {
    input.no_worker = "the campaign counts nothing";
    return;
  }
  const EmulatorInstallation found = find_emulator();
  if (found.availability.ok()) {
    input.worker = std::make_unique<EmulatedWorker>(
        found, campaign.emulated.caches.value == "none" ? std::span<const CacheLevel>{} : std::span<const CacheLevel>{input.caches});
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
    input.caches = caches_of(input.campaign, input.topology);
    if (!options.dry_run) start_worker(input);
  } catch (const Error& error) {
    input.error = error;
  }
  return input;
}

}  // namespace plumbline::app
