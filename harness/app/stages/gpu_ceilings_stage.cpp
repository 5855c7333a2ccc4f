#include "app/stages/gpu_ceilings_stage.hpp"

#include <utility>

#include "comm/told.hpp"
#include "core/error.hpp"
#include "store/record_json.hpp"

namespace plumbline::app {

std::vector<Finished> gather_units(const std::optional<Finished>& mine, Group& local) {
  const auto texts = local.gather(mine ? to_payload(*mine) : "");
  std::vector<Finished> units;
  for (const auto& text : texts) {
    if (text.empty()) continue;
    std::string why;
    auto parsed = from_payload(text, why);
    if (!parsed || !std::holds_alternative<Finished>(*parsed)) throw io_error("a rank's record could not be read back: " + why);
    units.push_back(std::get<Finished>(std::move(*parsed)));
  }
  return units;
}

GpuCeilingsStage::GpuCeilingsStage(const DrivenGpus& gpus, std::string session, Communicator& ranks, GpuInUse& in_use,
                                   const GpuPointsWatch& watch)
    : gpus_(gpus), ranks_(ranks) {
  for (const auto& one : gpus.all)
    if (!one.points.empty()) mine_.try_emplace(one.device, one, session, ranks.host(), in_use, watch);
}

std::vector<GpuCeilingsStage::ToDo> GpuCeilingsStage::to_do(int round,
                                                            const std::function<bool(const std::string& round_id)>& is_finished) {
  std::map<int, std::string> mine;
  for (const auto& [device, points] : mine_)
    if (const std::string id = points.round_id(round); !is_finished(id)) mine[device] = id;
  std::map<int, std::string> all;
  for (const auto& of_rank : all_gather(ranks_.local(), mine)) all.insert(of_rank.begin(), of_rank.end());
  std::vector<ToDo> left;
  for (const auto& one : gpus_.all)
    if (const auto found = all.find(one.device); found != all.end()) left.push_back({&one, found->second});
  return left;
}

std::vector<Finished> GpuCeilingsStage::measure(int round, const std::vector<ToDo>& of_turn) {
  Group& local = ranks_.local();
  GpuPoints* mine = nullptr;
  for (const auto& one : of_turn)
    if (one.gpu->driver.rank == local.rank()) mine = &mine_.at(one.gpu->device);
  if (mine != nullptr) mine->begin(round);
  if (mine != nullptr) mine->measure_alone();
  for (const auto& one : of_turn) {
    local.wait_for_all();
    if (one.gpu->driver.rank == local.rank() && mine->has_links()) mine->measure_links();
  }
  local.wait_for_all();
  std::optional<Finished> unit;
  if (mine != nullptr) unit = mine->finish(local.rank());
  return gather_units(unit, local);
}

}  // namespace plumbline::app
