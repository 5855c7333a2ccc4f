#include "app/session/session_header.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/here/event_codes.hpp"
#include "app/here/event_rows.hpp"
#include "app/here/this_core.hpp"
#include "app/session/run_nodes.hpp"
#include "campaign/counter_set_file.hpp"
#include "counters/cupti/cupti.hpp"
#include "machine/machine_json.hpp"
#include "machine/provenance.hpp"
#include "machine/topology.hpp"
#include "store/result_store.hpp"

namespace plumbline::app {
namespace {

std::string provenance_of(const RunInput& input) {
  auto provenance = nlohmann::json::parse(provenance_json(Communicator::library_description()));
  provenance["hdf5"] = hdf5_version();
  auto& caches = provenance["simulated_caches"] = nlohmann::json::array();
  if (input.worker && input.campaign.emulated.caches.value != "none")
    for (const auto& level : input.caches)
      caches.push_back({{"name", level.name}, {"bytes", level.bytes}, {"ways", level.ways}, {"line_bytes", level.line_bytes}});
  if (const auto core = input.worker ? core_pipes(this_core()) : std::nullopt)
    provenance["simulated_core"] = {{"width", core->width},
                                    {"window", core->window},
                                    {"registers", core->registers},
                                    {"add", core->add},
                                    {"mul", core->mul},
                                    {"vectors", core->vectors},
                                    {"loads", core->loads},
                                    {"stores", core->stores},
                                    {"add_latency", core->add_latency},
                                    {"mul_latency", core->mul_latency},
                                    {"fma_latency", core->fma_latency},
                                    {"code_bytes", core->code_bytes}};
  if (input.campaign.emulated.is_of_this_machine())
    provenance["last_cache"] = "as the topology tells, but on nodes of which last_caches says more";
  const EventTables tables = all_event_tables();
  auto rows = counters_for(tables, identity_of(this_cpu())).counters;
  if (input.counting.counts_on_gpus()) {
    const auto of_gpu = counters_for_chip(tables, cupti_chip_here()).counters;
    rows.insert(rows.end(), of_gpu.begin(), of_gpu.end());
  }
  provenance["events"] = event_codes(input.counting, rows, input.backends);
  if (input.counter_set) provenance["counter_set"] = counter_set_toml(*input.counter_set);
  return provenance.dump();
}

}  // namespace

std::string provenance_of_node(const RunInput& input, Communicator& ranks) {
  return ranks.local().broadcast(ranks.local().rank() == 0 ? provenance_of(input) : "");
}

std::string machine_of_node(const RunInput& input, const NodePart& part, Communicator& ranks) {
  const auto affinities = ranks.local().gather(fmt::format("{} {}", ranks.rank(), cpu_ranges(input.topology.allowed_cpus())));
  if (ranks.local().rank() != 0) return ranks.local().broadcast("");
  auto machine = nlohmann::ordered_json::parse(machine_json(ranks.host(), input.topology, this_cpu(), this_node_state()));
  if (const auto chip = input.counting.counts_on_gpus() ? cupti_chip_here() : ""; !chip.empty())
    machine["gpu_chip"] = chip;            // whose event table has the rows
  machine["kind"] = kind_of(input, part);  // by which a later session knows a like node
  if (!part.is_whole()) machine["part_of_node"] = part.in_words();
  if (part.cores < part.of_cores) machine["usable_cores"] = part.cores;
  for (const auto& line : affinities) {
    const auto blank = line.find(' ');
    machine["rank_cpus"][line.substr(0, blank)] = line.substr(blank + 1);
  }
  return ranks.local().broadcast(machine.dump());
}

}  // namespace plumbline::app
