#include "app/stages/ceiling_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "app/stages/gpu_ceilings_plan.hpp"
#include "app/stages/mpi_ceilings_plan.hpp"
#include "campaign/expand.hpp"
#include "campaign/suggest.hpp"
#include "core/gpu_device.hpp"
#include "core/kernel.hpp"
#include "machine/cpu.hpp"

namespace plumbline::app {
namespace {

using Names = std::set<std::string>;

bool names_any(const std::string& glob, const Names& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return matches(glob, name); });
}

Names names_of(std::span<const CeilingCase> plan) {
  Names names;
  for (const auto& one : plan) names.insert(one.name);
  return names;
}

/// The names in a full plan for these ISAs; sizes do not matter.
Names full_names(std::span<const std::string> isas, std::span<const CeilingTeam> teams) {
  return names_of(plan_ceilings(CeilingMode::full, isas, {}, 0, teams));
}

/// All that any flavor of this program was compiled for.
std::vector<std::string> compiled_isas() {
  std::vector<std::string> isas;
  for (const Kernel& kernel : kernels()) {
    if (kernel.space != Space::cpu) continue;
    for (const Flavor& flavor : kernel.flavors())
      if (const std::string isa = split_flavor(flavor.name).isa; std::find(isas.begin(), isas.end(), isa) == isas.end())
        isas.push_back(isa);
  }
  std::sort(isas.begin(), isas.end());  // v2 v3 v4 v4bf16; sve128 sve256 sve512
  return isas;
}

/// Whether the glob is of GPUs' ceilings, as far as can be told without the module that has them.
bool is_of_gpus(const std::string& glob, const GpuCeilingNames& gpus) {
  return gpus.known.empty() ? glob.starts_with("GPU") : names_any(name_on_gpu(glob, 0), gpus.known);
}

/// The names with those of each further GPU.
Names of_all_gpus(Names names, std::size_t most) {
  const Names of_first = names;
  for (std::size_t device = 1; device < most; ++device)
    for (const auto& name : of_first) names.insert(name_on_gpu(name, static_cast<int>(device)));
  return names;
}

/// Says what a run lacks for every link that the glob names; nullopt where it names none.
std::optional<std::string> lacking_for(const std::string& glob, const Campaign& campaign, const Links& links) {
  std::optional<std::string> what;
  for (const auto& plan : plan_mpi_ceilings(campaign.ceilings.mode))
    if (matches(glob, plan.name)) {
      const std::string needed = lacking(links, plan.reach);
      if (needed.empty()) return "";
      if (!what) what = needed;
    }
  return what;
}

}  // namespace

std::string lacking(const Links& links, Reach reach) {
  if (reach == Reach::between_nodes) return links.nodes > 1 ? "" : "two nodes";
  const int ranks = reach == Reach::farthest ? 3 : 2;
  return links.most_ranks_of_node >= ranks ? "" : reach == Reach::farthest ? "three ranks on a node" : "two ranks on a node";
}

GpuCeilingNames gpu_ceiling_names(const Campaign& campaign, std::span<const std::string> flavors, std::size_t most,
                                  const std::string& why_no_gpu) {
  GpuCeilingNames names{.here = {}, .in_full = {}, .known = names_of(ceilings_of_any_gpu(CeilingMode::full)), .why_not = {}};
  names.known.merge(ceilings_of_no_gpu());
  if (!wants_gpu_ceilings(campaign)) {
    names.why_not = "it is a GPU's ceiling, for which [ceilings] needs gpus = true";
    return names;
  }
  names.why_not =
      flavors.empty() ? why_no_gpu : "there is no such GPU here, or it has no such instructions, no peer, or the machine no such library";
  const auto mode = campaign.ceilings.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  for (const auto& flavor : flavors) {
    names.here.merge(of_all_gpus(names_of(ceilings_of_flavor(mode, flavor)), most));
    names.in_full.merge(of_all_gpus(names_of(ceilings_of_flavor(CeilingMode::full, flavor)), most));
  }
  return names;
}

std::vector<std::string> check_ceiling_names(const Campaign& campaign, std::span<const CeilingCase> planned,
                                             std::span<const CeilingTeam> teams, const Links& links, const GpuCeilingNames& gpus) {
  const CeilingsWish& wish = campaign.ceilings;
  Names here = names_of(planned);
  here.insert(gpus.here.begin(), gpus.here.end());
  std::vector<std::string> notes;
  bool any = false;
  for (const auto& [glob, at] : wish.only) {
    const auto needed = lacking_for(glob, campaign, links);
    if (names_any(glob, here) || needed == "") {
      any = true;
    } else if (needed) {
      notes.push_back(fmt::format("[ceilings] 'only' has '{}', which needs {}: nothing is measured for it", glob, *needed));
    } else if (names_any(glob, full_names(this_cpu().isas, teams)) || names_any(glob, gpus.in_full)) {
      throw wrong_at(campaign.path, at, fmt::format("'only' has '{}', which is measured only with mode = \"full\"", glob));
    } else if (is_of_gpus(glob, gpus)) {
      any = true;  // a machine without it is skipped
      notes.push_back(fmt::format("[ceilings] 'only' has '{}': nothing is measured for it: {}", glob, gpus.why_not));
    } else if (names_any(glob, full_names(compiled_isas(), teams))) {
      notes.push_back(fmt::format("[ceilings] 'only' has '{}', for which no flavor runs on this CPU: nothing is measured for it", glob));
    } else {
      Names known = full_names(compiled_isas(), teams);
      known.insert(gpus.known.begin(), gpus.known.end());
      for (const auto& plan : plan_mpi_ceilings(wish.mode)) known.insert(plan.name);
      const auto near = nearest(glob, std::vector<std::string>(known.begin(), known.end()));
      throw wrong_at(campaign.path, at,
                     fmt::format("'only' has '{}', but no ceiling has such a name{}; see 'plumbline list ceilings'", glob,
                                 near ? fmt::format("; did you mean '{}'?", *near) : ""));
    }
  }
  if (!any && !notes.empty() && campaign.cases.empty())
    throw wrong_at(campaign.path, wish.only.front().at, fmt::format("there is nothing to measure: {}", fmt::join(notes, "; ")));
  return notes;
}

}  // namespace plumbline::app
