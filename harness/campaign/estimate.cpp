#include "campaign/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/kernel.hpp"
#include "core/twin.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 63;

/// The bytes of the memory that a case's data lie in: of the node, which all ranks share, or of each rank's own GPU.
std::optional<std::uint64_t> footprint(const Case& what) {
  std::uint64_t sum = 0;
  for (const auto& stream : what.work().streams)
    if (__builtin_add_overflow(sum, stream.footprint_bytes, &sum) || sum >= most_bytes) return std::nullopt;
  const int sharing = what.team.gpus > 0 ? 1 : what.team.ranks;
  if (__builtin_mul_overflow(sum, static_cast<std::uint64_t>(sharing), &sum) || sum >= most_bytes) return std::nullopt;
  return sum;
}

// Every integer parameter divided by 2^shift, but not below its smallest value.
Case reduced(const Case& what, int shift) {
  Case small = what;
  for (const auto& declared : what.kernel->parameters)
    if (const auto* value = std::get_if<std::int64_t>(&what.parameters.at(declared.name)))
      small.parameters.set(declared.name, std::max(std::min(declared.min, *value), *value >> shift));
  return small;
}

/// The FLOPs that tensor cores do.
double tensor_flops(const Work& work) {
  double flops = 0;
  for (const auto& [quantity, amount] : work.flops)
    if (quantity.starts_with("flops.tensor.")) flops += static_cast<double>(amount.hi);
  return flops;
}

/// Data come from the host and go back to it for the check, element by element; but for what tensor cores or a library compute, the host
/// does the arithmetic too.
CaseEstimate estimate_on_gpu(const Case& what, const Work& work, double footprint_bytes, const Campaign& campaign) {
  constexpr double flops_rate = 1e12, tensor_rate = 10e12, memory_rate = 500e9, host_flops_rate = 1e9, host_rate = 0.5e9;  // a second
  constexpr double repetitions_of_typical = 15, warm_up_seconds = 0.3;
  const double by_tensor_cores = tensor_flops(work), others = static_cast<double>(total_flops(work.flops).hi) - by_tensor_cores;
  const double on_host = what.kernel->only.empty() ? others : 0;
  const double prepared = on_host / host_flops_rate + footprint_bytes / host_rate;
  const double one_sweep = std::max(others / flops_rate + by_tensor_cores / tensor_rate, footprint_bytes / memory_rate);
  CaseEstimate result;
  if (campaign.time) {
    const double repetitions = std::min<double>(campaign.timing.max_repetitions, repetitions_of_typical);
    result.time_seconds = warm_up_seconds + prepared + repetitions * std::max(campaign.timing.min_seconds, one_sweep);
  }
  // A chip's whole table; each group has a profiler set up, and repetitions of a warm sweep and a counted one.
  if (campaign.count && campaign.counters != "none") {
    constexpr double groups = 12, set_up_seconds = 0.2, sweeps_of_repetition = 2;
    const double sweeps = sweeps_of_repetition * campaign.counting.repetitions_on(Space::cuda);
    result.count_seconds = prepared + groups * (set_up_seconds + sweeps * one_sweep);
  }
  return result;
}

/// The seconds that pass before the first pass of a case: for new data, and for a sweep of all threads' parts one after the other by the
/// twin, which is some times as slow.
double twin_seconds(const Case& what, const Work& work, double filling, double one_sweep) {
  constexpr double slower = 5;
  const bool is_swept = find_twin(what.flavor.sweep) != nullptr && twin_work(work) <= most_twin_work;
  return is_swept ? filling + slower * one_sweep : 0;
}

std::string human(std::uint64_t bytes) { return fmt::format("{} bytes ({:.3g} GiB)", bytes, static_cast<double>(bytes) / 0x1p30); }

}  // namespace

// A model multiplies 64-bit numbers: absurd sizes wrap around and look small. Halved sizes are judged first: a footprint cannot pass
// from the possible to the wrapped without one step between them (parameters double, so a d-dimensional array grows by 2^d).
std::optional<std::uint64_t> memory_bytes(const Case& what) {
  std::int64_t largest = 0;
  for (const auto& [name, value] : what.parameters)
    if (const auto* number = std::get_if<std::int64_t>(&value)) largest = std::max(largest, *number);
  for (int shift = 62; shift > 0; --shift) {
    if (largest >> shift < std::int64_t{1} << 16) continue;
    try {
      const auto bytes = footprint(reduced(what, shift));
      if (!bytes || *bytes >= std::uint64_t{1} << 58) return std::nullopt;
    } catch (const std::exception&) {  // a size between that the kernel does not take; the case itself is asked below
    }
  }
  return footprint(what);
}

std::string why_beyond_memory(const Case& what, const AvailableMemory& available) {
  const std::uint64_t available_bytes = what.team.gpus > 0 ? available.gpu_bytes : available.node_bytes;
  std::optional<std::uint64_t> needed;
  try {
    needed = memory_bytes(what);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    throw user_error(fmt::format("case {}: {}", what.id(), problem.what()));
  }
  if (needed && *needed <= available_bytes) return "";
  return fmt::format("is beyond memory: its arrays need {} on a {}, available are {}", needed ? human(*needed) : "more than 2^63 bytes",
                     what.team.gpus > 0 ? "GPU" : fmt::format("node ({} rank{})", what.team.ranks, what.team.ranks == 1 ? "" : "s"),
                     human(available_bytes));
}

void require_memory(std::span<const Case> cases, const AvailableMemory& available) {
  for (const auto& one : cases)
    if (const std::string why = why_beyond_memory(one, available); !why.empty())
      throw user_error(fmt::format("case {} {}; make it smaller, exclude it, or say beyond_memory = \"skip\"", one.id(), why));
}

CaseEstimate estimate(const Case& what, const Campaign& campaign) {
  constexpr double flops_rate = 5e9, memory_rate = 10e9, issue_rate = 40e9;  // a second, one rank
  constexpr double slowdown = 80, emulated_sweeps = 3, typical_repetitions = 15, fixed_seconds = 0.02;
  const Work work = what.work();
  double footprint_bytes = 0, issued_bytes = 0;
  for (const auto& stream : work.streams) {
    footprint_bytes += static_cast<double>(stream.footprint_bytes);
    issued_bytes += static_cast<double>((stream.loads + stream.stores) * stream.element_bytes);
  }
  if (what.team.gpus > 0) return estimate_on_gpu(what, work, footprint_bytes, campaign);
  const double arithmetic = static_cast<double>(total_flops(work.flops).hi) / flops_rate;
  const double one_sweep = std::max(arithmetic, footprint_bytes / memory_rate);
  const double twin = twin_seconds(what, work, footprint_bytes / memory_rate, one_sweep);
  CaseEstimate result;
  if (campaign.time) {
    const double repetitions = std::min<double>(campaign.timing.max_repetitions, typical_repetitions);
    result.time_seconds =
        fixed_seconds + twin + 2 * one_sweep + repetitions * std::max(campaign.timing.min_seconds, one_sweep / what.team.threads);
  }
  if (campaign.count)
    result.count_seconds =
        fixed_seconds + (campaign.time ? 0 : twin) + slowdown * emulated_sweeps * std::max(arithmetic, issued_bytes / issue_rate);
  return result;
}

double deadline_seconds(double estimated_seconds, const Deadline& deadline) {
  return std::max(deadline.floor_seconds, deadline.factor * estimated_seconds);
}

}  // namespace plumbline
