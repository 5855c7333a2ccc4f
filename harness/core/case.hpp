// A case is kernel x parameters x precision x flavor x team. Its id is stable across runs and readable.
#pragma once
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>

#include "core/application.hpp"
#include "core/flavor.hpp"
#include "core/parameters.hpp"
#include "core/records.hpp"
#include "core/work.hpp"
#include "core/workload.hpp"

namespace plumbline {

struct Kernel;

/// A team is ranks that work on a case together, each with so many threads; or so many GPUs, each driven by one thread of a rank of its
/// own, which may have more threads for the steps that a kernel leaves to the host.
struct Team {
  int ranks = 1, threads = 1;
  int gpus = 0;  // as many as ranks where the case runs on GPUs; else none
  Space space() const { return gpus > 0 ? Space::cuda : Space::cpu; }
  /// The team's name in ids: "r2t4"; of GPUs "g2", with more threads than the one that drives each "g2t4".
  std::string name() const;
  /// The team of a case that was measured.
  static Team of(const CaseRow& row);
  bool operator==(const Team&) const = default;
};

/// A case points to its kernel and holds all that its id names.
struct Case {
  const Kernel* kernel = nullptr;
  Parameters parameters;
  std::string precision;
  Flavor flavor;  // its sweep, for this precision
  Team team;

  /// The case's id: SUITE/KERNEL/PRECISION/p=v/.../TEAM/FLAVOR.
  std::string id() const;
  /// The id without TEAM and FLAVOR.
  std::string work_id() const;
  CaseRow row() const;
  /// The phases of an application; none of a kernel.
  std::optional<ApplicationWork> application() const;
  Work work() const;
  /// Allocates the case's data from `memory`, as its kernel does.
  std::unique_ptr<Workload> prepare(std::pmr::memory_resource& memory) const;
};

}  // namespace plumbline
