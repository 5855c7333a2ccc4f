// A GPU's memory is planned here by working set: each multiprocessor's own, then all of them together past L1, and the latency of one load.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ert/gpu_ceiling_planner.hpp"
#include "ert/stream_grid.hpp"

namespace plumbline {
namespace {

struct GpuBandwidthCeiling {
  const char* pattern;
  std::uint64_t arrays;
  double points_an_octave;  // in full mode; quick: 0 for those that it leaves out
  double quick_points_an_octave;
  std::uint64_t least_bytes;
};
constexpr std::array gpu_bandwidth_ceilings{
    GpuBandwidthCeiling{"load", 1, 4, 2, 2 * MiB},    GpuBandwidthCeiling{"triad", 3, 1, 0.5, 12 * MiB},
    GpuBandwidthCeiling{"copy", 2, 1, 0.5, 12 * MiB}, GpuBandwidthCeiling{"store", 1, 1, 0, 12 * MiB},
    GpuBandwidthCeiling{"update", 1, 1, 0, 12 * MiB}, GpuBandwidthCeiling{"load_weak", 1, 2, 0, 12 * MiB},
};
bool only_loads(const GpuBandwidthCeiling& ceiling) { return std::string_view(ceiling.pattern).starts_with("load"); }
/// The pattern as ceilings are called: "load weak".
std::string in_words(std::string pattern) {
  std::replace(pattern.begin(), pattern.end(), '_', ' ');
  return pattern;
}

constexpr std::uint64_t any_L1_bytes = 256 * KiB;  // of GPUs of the last ten years

/// The largest working set, far beyond any cache; in full mode so far that they hold nothing of it from one pass to the next.
double largest_bytes(const GpuCeilingPlanner& planner) {
  return std::min(planner.quarter_of_memory(), (planner.quick() ? 1024.0 : 4608.0) * MiB);
}

/// The number of whole chunks of ert/stream in so many bytes.
std::uint64_t chunks(double bytes) { return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / stream_chunk_bytes); }
/// The number of elements of 8 bytes in the whole chunks of so many bytes.
std::uint64_t elements(double bytes) { return chunks(bytes) * stream_chunk_bytes / 8; }

/// The elements of each array of a pattern. All passes of loads are dealt out as one; of the others each block takes as many chunks.
std::uint64_t elements(const GpuCeilingPlanner& planner, const GpuBandwidthCeiling& ceiling, double bytes) {
  const double each = bytes / static_cast<double>(ceiling.arrays);
  if (only_loads(ceiling)) return elements(each);
  return even_chunks(chunks(each), planner.multiprocessors()) * stream_chunk_bytes / 8;
}

/// Loads of shared memory alone.
double scratchpad_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams)
    if (s.scratchpad) bytes += static_cast<double>(s.loads * s.element_bytes);
  return bytes;
}

void plan_shared(GpuCeilingPlanner& planner, const Kernel& kernel) {
  const std::uint64_t repeat = planner.iterations(2 * 32.0 * KiB / 128);
  CeilingCase* const planned =
      planner.add(kernel, "fp64", {{"blocks", integer(2 * planner.multiprocessors())}, {"repeat", integer(repeat)}});
  if (planned == nullptr) return;
  describe(*planned, "GPU shared load", "-", "shared", "load", "GB/s");
  planned->amount_per_sweep = scratchpad_bytes(planned->measured.work());
  planned->working_set_bytes = footprint_bytes(planned->measured.work());
}

/// Plans pieces of 16 KiB a multiprocessor: as far as its L1 reaches, and beyond.
void plan_l1(GpuCeilingPlanner& planner, const Kernel& kernel) {
  for (const std::uint64_t pieces : {48U, 32U, 24U, 20U, 16U, 14U, 12U, 10U, 8U, 6U, 4U, 3U, 2U, 1U}) {
    const std::uint64_t repeat = planner.iterations(static_cast<double>(pieces) * 16.0 * KiB / 100);
    CeilingCase* const planned = planner.add(
        kernel, "fp64", {{"blocks", integer(planner.multiprocessors())}, {"pieces", integer(pieces)}, {"repeat", integer(repeat)}});
    if (planned == nullptr) return;
    describe(*planned, "GPU load own", "-", CeilingKind::sweep, "load own", "GB/s");
    take_bytes(*planned);
    planned->working_set_bytes = footprint_bytes(planned->measured.work());
  }
}

/// The largest data are made once, and swept so often that the least part of them lasts long enough; a smaller working set has its own.
void add_stream(GpuCeilingPlanner& planner, const Kernel& kernel, const GpuBandwidthCeiling& ceiling, std::uint64_t n, std::uint64_t data) {
  constexpr double least_part = 256.0 * MiB;
  const double bytes = static_cast<double>(n * 8 * ceiling.arrays);
  const bool within = bytes > least_part;
  const double moved = std::string_view(ceiling.pattern) == "update" ? 2 : 1;  // read and written in place
  const std::uint64_t repeat = planner.passes(moved * std::min(bytes, least_part), bytes);
  CeilingCase* const planned =
      planner.add(kernel, "fp64", {{"pattern", word(ceiling.pattern)}, {"n", integer(within ? data : n)}, {"repeat", integer(repeat)}});
  if (planned == nullptr) return;
  const std::string pattern = in_words(ceiling.pattern);
  describe(*planned, "GPU " + pattern, "-", CeilingKind::sweep, pattern, "GB/s");
  take_bytes(*planned);
  planned->working_set_bytes = footprint_bytes(planned->measured.work());
  if (!within || n == data) return;
  planned->share = static_cast<double>(n) / static_cast<double>(data);
  planned->amount_per_sweep *= planned->share;
  planned->working_set_bytes *= planned->share;
}

void plan_stream(GpuCeilingPlanner& planner, const Kernel& kernel) {
  for (const GpuBandwidthCeiling& ceiling : gpu_bandwidth_ceilings) {
    const double points = planner.quick() ? ceiling.quick_points_an_octave : ceiling.points_an_octave;
    if (points == 0) continue;
    const double largest = largest_bytes(planner);
    std::set<std::uint64_t> planned;
    for (double bytes = largest; bytes >= static_cast<double>(ceiling.least_bytes); bytes /= std::exp2(1 / points)) {
      const std::uint64_t n = elements(planner, ceiling, bytes);
      if (planned.insert(n).second) add_stream(planner, kernel, ceiling, n, elements(planner, ceiling, largest));
    }
  }
}

/// Plans the runtime's own copy within the GPU's memory, of two halves of a GiB: users know it so, and it stands beside the kernels' own
/// streams.
void plan_runtime_copy(GpuCeilingPlanner& planner, const Kernel& kernel) {
  if (planner.quick()) return;
  const double bytes = std::min(planner.quarter_of_memory(), 1024.0 * MiB);
  CeilingCase* const planned =
      planner.add(kernel, "fp64", {{"to", word("device")}, {"way", word("copy_here")}, {"n", integer(elements(bytes / 2))}});
  if (planned == nullptr) return;
  describe(*planned, "GPU mem copy, cudaMemcpy", "-", "mem", "copy", "GB/s");
  take_bytes(*planned);
  planned->working_set_bytes = footprint_bytes(planned->measured.work());
}

/// L1 is empty at each launch: what it may hold is gone around so often that the first time, from L2, is 1 to 3 % of all.
void add_chase(GpuCeilingPlanner& planner, const Kernel& kernel, std::uint64_t lines) {
  constexpr std::uint64_t least_steps = 8192;
  const std::uint64_t rounds = planner.quick() ? 256 : 512;
  const bool within_L1 = lines * 128 <= any_L1_bytes;
  const std::uint64_t steps = within_L1 ? std::max(least_steps, rounds * lines) : least_steps;
  CeilingCase* const planned = planner.add(kernel, "fp64", {{"n", integer(lines)}, {"steps", integer(steps)}});
  if (planned == nullptr) return;
  describe(*planned, "GPU chase", "-", CeilingKind::sweep, "chase", "seconds");
  planned->amount_per_sweep = static_cast<double>(steps);
  planned->working_set_bytes = static_cast<double>(lines * 128);
  if (lines * 128 <= 64 * MiB && !within_L1) planned->warm_sweeps = lines / steps + 1;
}

void plan_chase(GpuCeilingPlanner& planner, const Kernel& kernel) {
  const double step = planner.quick() ? 2 : std::sqrt(2.0);
  const double largest = std::min(largest_bytes(planner), (planner.quick() ? 256.0 : 512.0) * MiB);
  for (double bytes = largest; bytes >= 16.0 * KiB; bytes /= step) add_chase(planner, kernel, static_cast<std::uint64_t>(bytes) / 128);
}

}  // namespace

void plan_gpu_memory(GpuCeilingPlanner& planner) {
  if (const Kernel* const kernel = planner.kernel("ert/shared")) plan_shared(planner, *kernel);
  if (const Kernel* const kernel = planner.kernel("ert/l1")) plan_l1(planner, *kernel);
  if (const Kernel* const kernel = planner.kernel("ert/stream")) plan_stream(planner, *kernel);
  if (const Kernel* const kernel = planner.kernel("ert/transfer")) plan_runtime_copy(planner, *kernel);
  if (const Kernel* const kernel = planner.kernel("ert/chase")) plan_chase(planner, *kernel);
}

}  // namespace plumbline
