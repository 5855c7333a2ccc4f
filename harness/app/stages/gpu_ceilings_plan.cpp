#include "app/stages/gpu_ceilings_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "app/here/gpus_json.hpp"
#include "app/stages/wanted_ceilings.hpp"
#include "comm/told.hpp"
#include "core/gpu_device.hpp"
#include "core/kernel.hpp"
#include "ert/gpu_ceiling_plan.hpp"
#include "model/ceilings/gpu_ceilings.hpp"

namespace plumbline::app {
namespace {

using nlohmann::json;

constexpr std::array threads_of_multiprocessors{1024, 1536, 2048};  // of all GPUs that the module is for; 32, 48 and 64 warps

/// Whether a ceiling shows where the levels are: without these sweeps no working set of another one has a level.
bool gpu_shows_levels(const CeilingCase& ceiling) {
  return ceiling.level == CeilingKind::sweep && (ceiling.pattern == gpu_load || ceiling.pattern == gpu_load_own);
}

bool is_link(const CeilingCase& ceiling) { return ceiling.level == CeilingKind::host_dev; }

GpuProperties made_up_gpu(const std::string& flavor, int threads_per_multiprocessor) {
  GpuProperties gpu;
  gpu.flavor = flavor;
  gpu.threads_per_multiprocessor = threads_per_multiprocessor;
  gpu.multiprocessors = 100;
  gpu.memory_bytes = std::uint64_t{1} << 35;
  gpu.peers = 1;
  return gpu;
}

/// Adds the ceilings that `all` has no points of yet.
void add_unknown(std::vector<CeilingCase> more, std::vector<CeilingCase>& all) {
  std::set<std::string> known;
  for (const CeilingCase& one : all) known.insert(one.name);
  std::copy_if(std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()), std::back_inserter(all),
               [&](const CeilingCase& one) { return !known.contains(one.name); });
}

/// A name in 'only' is that of every GPU, or with the device of one alone.
bool is_wanted_of(const CeilingsWish& wish, const std::string& name, int device) {
  return is_wanted(wish, name) || is_wanted(wish, name_on_gpu(name, device));
}

/// The points of one GPU that the campaign asks for, under its own names, links last.
std::vector<CeilingCase> points_of(const CeilingsWish& wish, const GpuProperties& gpu, int device) {
  const auto mode = wish.mode == CeilingsMode::full ? CeilingMode::full : CeilingMode::quick;
  auto all = plan_gpu_ceilings(mode, gpu, module_for_gpus().module->kernels());
  const auto wanted = [&](const CeilingCase& one) { return is_wanted_of(wish, one.name, device); };
  const bool sweeps =
      std::any_of(all.begin(), all.end(), [&](const CeilingCase& one) { return one.level == CeilingKind::sweep && wanted(one); });
  std::erase_if(all, [&](const CeilingCase& one) { return !wanted(one) && !(sweeps && gpu_shows_levels(one)); });
  std::stable_partition(all.begin(), all.end(), [](const CeilingCase& one) { return !is_link(one); });
  for (CeilingCase& one : all) one.name = name_on_gpu(one.name, device);
  return all;
}

/// Says what of it this GPU cannot be asked: "GPU tensor FP8 cuBLAS, GPU FP32 cuBLAS: cuBLAS cannot be opened: ...", a line a reason. It
/// uses the names of the first GPU, so that all say the same.
std::vector<std::string> lacking(const CeilingsWish& wish, const GpuProperties& gpu, int device) {
  std::vector<std::string> reasons;
  std::map<std::string, std::set<std::string>> names;
  for (const AbsentFlavor& one : absent_gpu_ceilings(gpu, module_for_gpus().module->kernels()))
    if (is_wanted_of(wish, one.name, device)) {
      if (!names.contains(one.reason)) reasons.push_back(one.reason);
      names[one.reason].insert(one.name);
    }
  std::vector<std::string> lines;
  for (const std::string& reason : reasons) lines.push_back(fmt::format("{}: {}", fmt::join(names[reason], ", "), reason));
  return lines;
}

}  // namespace

bool wants_gpu_ceilings(const Campaign& campaign) {
  return campaign.time && campaign.ceilings.mode != CeilingsMode::none && campaign.ceilings.gpus.value_or(wants_gpus(campaign));
}

std::string gpu_rounds(int device) { return "gpu" + (device == 0 ? "" : std::to_string(device)); }

std::vector<CeilingCase> ceilings_of_flavor(CeilingMode mode, const std::string& flavor) {
  std::vector<CeilingCase> all;
  if (module_for_gpus().module == nullptr) return all;
  for (const int threads : threads_of_multiprocessors)
    add_unknown(plan_gpu_ceilings(mode, made_up_gpu(flavor, threads), module_for_gpus().module->kernels()), all);
  return all;
}

std::vector<CeilingCase> ceilings_of_any_gpu(CeilingMode mode) {
  std::vector<CeilingCase> all;
  for (const std::string& flavor : flavors_of_module()) add_unknown(ceilings_of_flavor(mode, flavor), all);
  return all;
}

std::set<std::string> ceilings_of_no_gpu() {
  std::set<std::string> names;
  for (const std::string& flavor : flavors_of_module())
    for (const AbsentFlavor& one :
         absent_gpu_ceilings(made_up_gpu(flavor, threads_of_multiprocessors.back()), module_for_gpus().module->kernels()))
      names.insert(one.name);
  return names;
}

PlannedGpu longest_gpu_ceilings(const Campaign& campaign) {
  PlannedGpu longest;
  if (!wants_gpu_ceilings(campaign)) return longest;
  for (const std::string& flavor : flavors_of_module()) {
    PlannedGpu one{.gpu = made_up_gpu(flavor, threads_of_multiprocessors.back()), .points = {}};
    one.points = points_of(campaign.ceilings, one.gpu, 0);
    if (gpu_ceilings_seconds(one.points, one.gpu, 1) > gpu_ceilings_seconds(longest.points, longest.gpu, 1)) longest = std::move(one);
  }
  return longest;
}

double longest_gpu_ceilings_seconds(const Campaign& campaign, int rounds) {
  const PlannedGpu longest = longest_gpu_ceilings(campaign);
  return gpu_ceilings_seconds(longest.points, longest.gpu, rounds);
}

std::vector<std::string> DrivenGpus::flavors() const {
  std::set<std::string> flavors;
  for (const auto& one : all)
    if (!one.gpu.flavor.empty()) flavors.insert(one.gpu.flavor);
  return {flavors.begin(), flavors.end()};
}

std::vector<TeamGpu> DrivenGpus::of_team(int ranks) const {
  const auto place = static_cast<std::size_t>(ranks - 1);
  return place < teams.size() ? teams[place] : std::vector<TeamGpu>();
}

double DrivenGpus::seconds() const {
  std::vector<double> longest(static_cast<std::size_t>(turns), 0);
  double links = 0;
  for (const auto& one : all) {
    if (!one.driver.refusal.empty()) continue;
    auto& of_turn = longest[static_cast<std::size_t>(one.driver.turn)];
    of_turn = std::max(of_turn, one.alone_seconds);
    links += one.shared_seconds;
  }
  double sum = links;
  for (const double seconds : longest) sum += seconds;
  return sum;
}

DrivenGpus meet_gpus(const NodeGpus& mine, const std::vector<std::vector<int>>& allowed, const Topology& node, Group& local) {
  const auto told = all_gather(local, mine.gpus);
  std::vector<std::vector<SeenGpu>> seen(told.size());
  for (std::size_t rank = 0; rank < told.size(); ++rank)
    for (const auto& gpu : told[rank]) seen[rank].push_back({gpu.pci, gpu.uuid});
  const auto of_node = gpus_of_node(seen);
  const auto drivers = drivers_of(of_node, allowed, node);
  DrivenGpus gpus;
  for (std::size_t i = 0; i < of_node.size(); ++i) {
    DrivenGpu& one = gpus.all.emplace_back();
    one.device = static_cast<int>(i);
    one.driver = drivers[i];
    const auto by = static_cast<std::size_t>(std::max(0, one.driver.rank));
    const int place = of_node[i].seen_as[by];
    if (place >= 0) {
      one.gpu = told[by][static_cast<std::size_t>(place)];
    } else {
      one.gpu.pci = of_node[i].pci;
      one.gpu.uuid = of_node[i].uuid;
    }
    gpus.turns = std::max(gpus.turns, one.driver.turn + 1);
  }
  for (int ranks = 1; ranks <= local.size(); ++ranks) {
    const std::vector<int> devices = gpus_of_team(of_node, ranks);
    if (devices.empty()) break;
    auto& team = gpus.teams.emplace_back();
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      const auto device = static_cast<std::size_t>(devices[rank]);
      team.push_back({.device = devices[rank], .gpu = told[rank][static_cast<std::size_t>(of_node[device].seen_as[rank])]});
    }
  }
  return gpus;
}

GpuNotes plan_points(const Campaign& campaign, int rounds, const NodeGpus& mine, const std::string& host, Group& local, DrivenGpus& gpus) {
  json told = json::array();
  for (auto& one : gpus.all) {
    if (one.driver.rank != local.rank() || module_for_gpus().module == nullptr) continue;
    one.points = points_of(campaign.ceilings, one.gpu, one.device);
    const auto link = std::find_if(one.points.begin(), one.points.end(), is_link);
    one.first_link = static_cast<std::size_t>(link - one.points.begin());
    const std::span<const CeilingCase> points(one.points);
    told.push_back({{"device", one.device},
                    {"count", one.points.size()},
                    {"alone_seconds", gpu_ceilings_seconds(points.first(one.first_link), one.gpu, rounds)},
                    {"shared_seconds", gpu_ceilings_seconds(points.subspan(one.first_link), one.gpu, rounds)},
                    {"lacking", lacking(campaign.ceilings, one.gpu, one.device)}});
  }
  GpuNotes notes{.node = host, .gpus = gpus.all.size(), .lines = {}};
  for (const auto& of_rank : all_gather(local, told))
    for (const auto& plan : of_rank) {
      DrivenGpu& one = gpus.all[plan["device"].get<std::size_t>()];
      one.count = plan["count"];
      one.alone_seconds = plan["alone_seconds"];
      one.shared_seconds = plan["shared_seconds"];
      for (const std::string line : plan["lacking"]) notes.lines.push_back({one.device, "[ceilings] nothing is measured for " + line});
    }
  const bool any = std::any_of(gpus.all.begin(), gpus.all.end(), [](const DrivenGpu& one) { return one.count > 0; });
  for (const auto& one : gpus.all)
    if (!one.driver.refusal.empty())
      notes.lines.push_back({one.device, "[ceilings] no ceilings of this GPU: " + one.driver.refusal});
    else if (any && one.gpu.flavor.empty())
      notes.lines.push_back({one.device, fmt::format("[ceilings] no ceilings of this GPU: the module has no code for {}", one.gpu.name)});
  if (!any && campaign.ceilings.only.empty()) notes.lines.push_back({-1, "[ceilings] no ceilings of GPUs: " + mine.in_words()});
  return notes;
}

std::vector<std::string> in_lines(const std::vector<GpuNotes>& nodes) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, std::set<int>>> who;  // by text, then node
  std::map<std::string, std::size_t> gpus;                          // of each node
  for (const auto& node : nodes) {
    gpus[node.node] = node.gpus;
    for (const auto& [device, text] : node.lines) {
      if (!who.contains(text)) order.push_back(text);
      who[text][node.node].insert(device);
    }
  }
  std::vector<std::string> lines;
  for (const auto& text : order) {
    std::vector<std::string> names;
    bool all = who[text].size() == nodes.size();
    for (const auto& [node, devices] : who[text]) {
      if (devices.contains(-1) || devices.size() == gpus[node]) {
        names.push_back(node);
        continue;
      }
      all = false;
      for (const int device : devices) names.push_back(node + " " + gpu_word(device));
    }
    lines.push_back(all ? text : fmt::format("{} (on {})", text, fmt::join(names, ", ")));
  }
  return lines;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuNotes::Line, device, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuNotes, node, gpus, lines)

std::vector<std::string> gather_notes(const GpuNotes& of_node, Group& leaders) {
  if (!leaders.member()) return {};
  return in_lines(gather(leaders, of_node));
}

}  // namespace plumbline::app
