// What a case will need, before it runs: memory and time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "campaign/campaign.hpp"
#include "core/case.hpp"

namespace plumbline {

/// Bytes that a case's arrays take on a node: every rank of its team holds all streams. nullopt: more than 2^63.
std::optional<std::uint64_t> memory_bytes(const Case& what);

/// Throws Error (user) naming the first case whose arrays do not fit into the node's available memory.
void require_memory(std::span<const Case> cases, std::uint64_t available_bytes);

/// Rough seconds of one case's passes: the model's work at 5 GFLOP/s and 10 GB/s a rank, and the emulated pass slower by the factor
/// that the tool reaches. For plans, balance and progress; never a result.
struct Estimate {
  double time_seconds = 0, count_seconds = 0;
};
Estimate estimate(const Case& what, const Campaign& campaign);

}  // namespace plumbline
