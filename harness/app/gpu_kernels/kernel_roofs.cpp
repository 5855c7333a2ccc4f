#include "app/gpu_kernels/kernel_roofs.hpp"

#include "app/programs/kept_roofs.hpp"
#include "app/results/result_file.hpp"
#include "core/error.hpp"
#include "model/ceilings/ceilings.hpp"

namespace plumbline::app {
namespace {

constexpr const char* no_roofs =
    "no roofs, so that nothing says what launches cost: --roofs=FILE takes a result file with the ceilings of this GPU "
    "(plumbline run gpu_quick measures them)";

}  // namespace

KernelRoofs find_kernel_roofs(const std::string& wanted) {
  if (wanted == "measure")
    throw user_error(
        "--roofs=measure measures this machine's CPUs; with --gpu name a result file with the ceilings of its GPU, as plumbline run "
        "gpu_quick "
        "measures them");
  if (wanted == "auto" || wanted == "no") return {.notes = {no_roofs}};
  Roofs named = find_roofs(wanted);
  KernelRoofs roofs{.notes = std::move(named.notes)};
  for (auto& ceiling : fit_ceilings(named.results.ceilings, node_facts(named.results, roofs.notes)))
    if (ceiling.scope == gpu_scope) roofs.ceilings.push_back(std::move(ceiling));
  if (roofs.ceilings.empty()) roofs.notes.push_back(wanted + " has no ceilings of a GPU: " + no_roofs);
  roofs.results.ceilings = std::move(named.results.ceilings), roofs.results.machines = std::move(named.results.machines);
  return roofs;
}

}  // namespace plumbline::app
