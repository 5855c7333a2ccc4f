#include "core/case.hpp"

#include "core/kernel.hpp"

namespace plumbline {

std::string Team::name() const {
  const std::string of_threads = "t" + std::to_string(threads);
  if (gpus > 0) return "g" + std::to_string(gpus) + (threads > 1 ? of_threads : "");
  return "r" + std::to_string(ranks) + of_threads;
}

Team Team::of(const CaseRow& row) {
  return {.ranks = static_cast<int>(row.ranks), .threads = static_cast<int>(row.threads), .gpus = static_cast<int>(row.gpus)};
}

std::string Case::id() const { return work_id() + "/" + team.name() + "/" + std::string(flavor.name); }

std::string Case::work_id() const {
  const std::string path = parameters.path();
  return kernel->name + "/" + precision + (path.empty() ? "" : "/" + path);
}

CaseRow Case::row() const {
  return {id(), work_id(), kernel->name, precision, std::string(flavor.name), team.ranks, team.threads, parameters.json(), 0, team.gpus};
}

std::optional<ApplicationWork> Case::application() const {
  if (!kernel->application) return std::nullopt;
  return kernel->application(parameters, precision, flavor.name);
}

Work Case::work() const { return kernel->model(parameters, precision, flavor.name); }

std::unique_ptr<Workload> Case::prepare(std::pmr::memory_resource& memory) const { return kernel->prepare(parameters, precision, memory); }

}  // namespace plumbline
