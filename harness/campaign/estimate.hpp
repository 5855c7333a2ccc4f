// The memory and time that a case will need are estimated before it runs.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "campaign/campaign.hpp"
#include "core/case.hpp"

namespace plumbline {

/// The bytes that a case's arrays take on a node: every rank of its team holds all streams. nullopt: more than 2^63.
std::optional<std::uint64_t> memory_bytes(const Case& what);

/// The memory that the nodes of a run have for a case's arrays: the least of any of them.
struct AvailableMemory {
  std::uint64_t node_bytes = 0;  // that are available
  std::uint64_t gpu_bytes = 0;   // of a GPU as a whole
};

/// Says why a case's arrays do not fit into the node's available memory, or its GPU's; empty where they do. Throws Error (user) where the
/// case's sizes are none.
std::string why_beyond_memory(const Case& what, const AvailableMemory& available);
/// Throws Error (user) naming the first case whose arrays do not fit.
void require_memory(std::span<const Case> cases, const AvailableMemory& available);

/// Rough seconds of one case's passes. The model's work is taken at 5 GFLOP/s and 10 GB/s a rank, the emulated pass as slower by the factor
/// that the tool reaches, and before the first pass a sweep of the flavor's counted twin (measure/executed.hpp); on a GPU at 1 TFLOP/s and
/// 500 GB/s, between filling and checking its data on the host, and for counting with all groups of its chip's table. It serves plans,
/// balance and progress; it is never a result.
struct CaseEstimate {
  double time_seconds = 0, count_seconds = 0;
};
CaseEstimate estimate(const Case& what, const Campaign& campaign);

/// The seconds after which a pass that was estimated at so many seconds has taken too long to be still at work.
double deadline_seconds(double estimated_seconds, const Deadline& deadline);

}  // namespace plumbline
