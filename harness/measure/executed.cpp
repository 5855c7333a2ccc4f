#include "measure/executed.hpp"

#include <exception>

#include "measure/prepared.hpp"

namespace plumbline {
namespace {

/// A return address, which every region's call leaves by: of the sweep as of the empty function in its place.
constexpr std::uint64_t return_bytes = 8;

std::optional<References> swept(const Case& measured, const Twin& twin, std::string& why) {
  const int threads = measured.team.threads;
  Prepared prepared(measured, threads);
  for (int thread = 0; thread < threads; ++thread) prepared.initialise(thread);
  forget_executions(*twin.table);
  for (int thread = 0; thread < threads; ++thread) prepared.sweep_range(twin.counted, thread);
  auto references = executed_references(*twin.table, why);
  if (references) references->load -= static_cast<std::uint64_t>(threads) * return_bytes;
  return references;
}

}  // namespace

Executed executed_references(const Case& measured) {
  Executed executed;
  const Twin* const twin = measured.team.gpus > 0 ? nullptr : find_twin(measured.flavor.sweep);
  if (twin == nullptr) {
    executed.why_none = std::string(measured.flavor.name) + " has no counted twin";
  } else if (twin_work(measured.work()) > most_twin_work) {
    executed.why_none = "a sweep of the counted twin would take too long";
  } else {
    try {
      executed.references = swept(measured, *twin, executed.why_none);
    } catch (const std::exception& failure) {
      executed.why_none = failure.what();
    }
  }
  return executed;
}

}  // namespace plumbline
