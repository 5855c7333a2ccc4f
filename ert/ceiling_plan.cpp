#include "ert/ceiling_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace plumbline {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::uint64_t unknown_memory = 1024 * MiB;  // what is taken for it

struct PeakCeiling {
  const char* form;
  const char* name;  // after the precision
  const char* pattern;
  bool scalar, needs_fma;
  bool narrow_in_quick;  // whether quick mode measures it at a narrower ISA too
};
constexpr std::array peak_ceilings{
    PeakCeiling{"fma", "vector FMA", "fma", false, true, true},
    PeakCeiling{"add", "vector add", "add", false, false, true},
    PeakCeiling{"mul", "vector mul", "mul", false, false, false},
    PeakCeiling{"muladd", "vector mul+add", "mul+add", false, false, false},
    PeakCeiling{"fmaadd", "FMA+add", "fma+add", false, true, false},
    PeakCeiling{"scalar_fma", "scalar FMA", "scalar fma", true, true, false},
    PeakCeiling{"scalar_add", "scalar add", "scalar add", true, false, false},
};

struct BandwidthCeiling {
  const char* pattern;
  std::uint64_t arrays;
  int quick_per_octave, full_per_octave;  // points; 0: none
};
constexpr std::array bandwidth_ceilings{
    BandwidthCeiling{"load", 1, 1, 12}, BandwidthCeiling{"triad", 3, 1, 4},  BandwidthCeiling{"store", 1, 0, 4},
    BandwidthCeiling{"copy", 2, 0, 4},  BandwidthCeiling{"update", 1, 0, 4}, BandwidthCeiling{"loads2store1", 3, 0, 4},
};

/// ISA levels in which each runs the ones before it.
constexpr std::array<std::string_view, 3> x86_levels{"v2", "v3", "v4"};

std::string upper(std::string_view precision) { return precision == "fp32" ? "FP32" : "FP64"; }

std::size_t lanes(std::string_view isa, std::string_view precision) {
  const std::size_t bytes = isa == "v4" ? 64 : isa == "v3" ? 32 : 16;
  return bytes / precision_bytes(precision);
}

/// gcc before clang, newer before older. One flavor makes one ceiling: ert/peak's inner loops are the same instructions from every
/// compiler (tests/ert/instruction_table_test.py), those of ert/stream reach the same rates.
std::pair<int, int> preference(const Flavor& flavor) {
  const std::string compiler = split_flavor(flavor.name).compiler;
  const std::size_t digits = compiler.find_first_of("0123456789");
  return {compiler.starts_with("gcc"), digits == std::string::npos ? 0 : std::stoi(compiler.substr(digits))};
}

std::optional<Flavor> best_flavor(const Kernel& kernel, std::string_view precision, std::string_view isa) {
  std::optional<Flavor> best;
  for (const Flavor& flavor : kernel.flavors()) {
    const FlavorName name = split_flavor(flavor.name);
    if (flavor.precision != precision || name.level != "O3" || name.isa != isa) continue;
    if (!best || preference(flavor) > preference(*best)) best = flavor;
  }
  return best;
}

/// The ISA levels at or below the machine's for which there are flavors, widest first.
std::vector<std::string> usable_isas(const Kernel& kernel, std::string_view machine) {
  std::vector<std::string> usable;
  const auto position = std::find(x86_levels.begin(), x86_levels.end(), machine);
  if (position == x86_levels.end()) {
    if (best_flavor(kernel, "fp64", machine)) usable.emplace_back(machine);
    return usable;
  }
  for (auto level = std::make_reverse_iterator(position + 1); level != x86_levels.rend(); ++level)
    if (best_flavor(kernel, "fp64", *level)) usable.emplace_back(*level);
  return usable;
}

Parameters with_presets(const Kernel& kernel, std::initializer_list<std::pair<const char*, Value>> values) {
  Parameters p;
  for (const ParameterSpec& spec : kernel.parameters) p.set(spec.name, spec.preset);
  for (const auto& [name, value] : values) p.set(name, value);
  return p;
}

Value integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t threads_of(const Team& team) { return static_cast<std::uint64_t>(team.threads); }
std::uint64_t all_threads(const Team& team) { return threads_of(team) * static_cast<std::uint64_t>(team.ranks); }

/// Loads and stores as the pattern has them, no write-allocate.
double algorithmic_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams) bytes += static_cast<double>((s.loads + s.stores) * s.element_bytes);
  return bytes;
}
double footprint_bytes(const Work& work) {
  double bytes = 0;
  for (const Stream& s : work.streams) bytes += static_cast<double>(s.footprint_bytes);
  return bytes;
}

/// What the plan is made for; appends to `cases`.
class Planner {
 public:
  Planner(CeilingMode mode, const std::string& isa, std::span<const CacheLevel> caches, std::uint64_t memory_bytes)
      : quick_(mode == CeilingMode::quick), isa_(isa), caches_(caches), memory_bytes_(memory_bytes == 0 ? unknown_memory : memory_bytes) {}

  void plan_compute(const Team& team) {
    const Kernel& kernel = *find_kernel("ert/peak");
    const std::vector<std::string> isas = usable_isas(kernel, isa_);
    for (const char* precision : {"fp64", "fp32"})
      for (const std::string& isa : isas)
        for (const PeakCeiling& ceiling : peak_ceilings) {
          const bool widest = isa == isas.front();
          if (!widest && (ceiling.scalar || (quick_ && !(isa == "v3" && ceiling.narrow_in_quick)))) continue;
          if (isa == "v2" && ceiling.needs_fma) continue;
          if (const auto flavor = best_flavor(kernel, precision, isa)) add_peak(kernel, team, ceiling, *flavor, isa, widest);
        }
  }

  void plan_bandwidth(const Team& team) {
    const Kernel& kernel = *find_kernel("ert/stream");
    const auto isas = usable_isas(kernel, isa_);
    if (isas.empty()) return;
    const Flavor flavor = *best_flavor(kernel, "fp64", isas.front());
    for (const BandwidthCeiling& ceiling : bandwidth_ceilings) {
      std::set<std::uint64_t> planned;  // small sizes round to the same n
      for (const double bytes : sweep_sizes(quick_ ? ceiling.quick_per_octave : ceiling.full_per_octave, team)) {
        const std::uint64_t n = elements_of_thread(bytes / static_cast<double>(ceiling.arrays), 8);
        if (planned.insert(n).second) add_bandwidth(kernel, team, ceiling, flavor, n);
      }
    }
  }

  void plan_vector(const Team& team) {
    const Kernel& kernel = *find_kernel("ert/vector");
    const auto isas = usable_isas(kernel, isa_);
    if (isas.empty()) return;
    for (const char* precision : {"fp64", "fp32"}) {
      if (quick_ && std::string_view(precision) == "fp32") continue;
      const auto flavor = best_flavor(kernel, precision, isas.front());
      if (!flavor) continue;
      std::set<std::uint64_t> planned;  // sizes that memory or small caches make equal
      for (const double bytes : vector_sizes(team)) {
        const std::uint64_t n = elements_of_thread(bytes, precision_bytes(precision));
        if (!planned.insert(n).second) continue;
        const bool sparse = planned.size() > 1 && quick_;
        for (std::uint64_t k = 1; k <= 512; k *= 2)
          if (!sparse || k == 1 || k == 8 || k == 32 || k == 128) add_vector(kernel, team, *flavor, k, n);
      }
    }
  }

  std::vector<CeilingCase> cases;

 private:
  static double share(const CacheLevel& cache, const Team& team) {
    return static_cast<double>(cache.bytes) / (cache.shared ? static_cast<double>(all_threads(team)) : 1);
  }

  /// Four times the last cache by all threads together. But how many last caches a big team has is not known here, so each thread
  /// of a team that shares one gets at least its size: more than enough, and never a cache mistaken for memory.
  double largest_bytes_of_thread(const Team& team) const {
    const double limit = static_cast<double>(memory_bytes_) / 4 / static_cast<double>(all_threads(team));
    if (caches_.empty()) return std::min(256.0 * MiB, limit);
    const CacheLevel& last = caches_.back();
    return std::min(std::max(4 * share(last, team), static_cast<double>(last.bytes)), limit);
  }

  /// Working sets of a thread, in bytes: log-spaced through 3 x 2^i KiB, where no power-of-two cache ends, and the largest.
  std::vector<double> sweep_sizes(int per_octave, const Team& team) const {
    std::vector<double> sizes;
    if (per_octave == 0) return sizes;
    const double last = largest_bytes_of_thread(team);
    const double ratio = std::exp2(1.0 / per_octave);
    for (double bytes = quick_ ? 6.0 * KiB : 4.5 * KiB; bytes < last / std::min(1.2, std::sqrt(ratio)); bytes *= ratio)
      sizes.push_back(bytes);
    sizes.push_back(last);
    return sizes;
  }

  /// ERT's sweep: well inside L1, and out of all caches; full: inside every cache too.
  std::vector<double> vector_sizes(const Team& team) const {
    const double largest = largest_bytes_of_thread(team);
    std::vector<double> sizes{std::min(caches_.empty() ? 16.0 * KiB : static_cast<double>(caches_.front().bytes) / 2, largest)};
    if (!quick_ && !caches_.empty())
      for (const CacheLevel& cache : caches_.subspan(1)) sizes.push_back(std::min(0.75 * share(cache, team), largest));
    sizes.push_back(largest);
    return sizes;
  }

  /// A whole number of grains, at least one.
  static std::uint64_t elements_of_thread(double bytes, std::uint64_t element_bytes) {
    constexpr std::uint64_t grain = 256;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / (grain * element_bytes)) * grain;
  }

  /// A sweep takes about 3 million cycles a thread, so that starting it costs nothing.
  void add_peak(const Kernel& kernel, const Team& team, const PeakCeiling& ceiling, const Flavor& flavor, const std::string& isa,
                bool widest) {
    const std::uint64_t iterations = 1024 * (ceiling.scalar ? 1 : lanes(isa, flavor.precision));
    CeilingCase planned = common(
        kernel, team, flavor,
        with_presets(
            kernel, {{"form", std::string(ceiling.form)}, {"iterations", integer(iterations)}, {"blocks", integer(8 * threads_of(team))}}));
    planned.name = upper(flavor.precision) + " " + ceiling.name + (widest ? "" : " (" + isa + ")");
    planned.precision = flavor.precision;
    planned.level = "compute";
    planned.pattern = ceiling.pattern;
    planned.unit = "GFLOP/s";
    planned.amount_per_sweep = static_cast<double>(total_flops(planned.measured.work().flops).lo);
    cases.push_back(std::move(planned));
  }

  /// Passes over 32 MiB a thread make a sweep.
  void add_bandwidth(const Kernel& kernel, const Team& team, const BandwidthCeiling& ceiling, const Flavor& flavor,
                     std::uint64_t thread_n) {
    const std::uint64_t repeat = std::max<std::uint64_t>(1, 32 * MiB / (thread_n * 8 * ceiling.arrays));
    CeilingCase planned = common(
        kernel, team, flavor,
        with_presets(
            kernel, {{"pattern", std::string(ceiling.pattern)}, {"n", integer(thread_n * threads_of(team))}, {"repeat", integer(repeat)}}));
    const Work work = planned.measured.work();
    planned.name = ceiling.pattern;
    planned.precision = "-";
    planned.level = "sweep";
    planned.pattern = ceiling.pattern;
    planned.unit = "GB/s";
    planned.amount_per_sweep = algorithmic_bytes(work);
    planned.working_set_bytes = footprint_bytes(work);
    cases.push_back(std::move(planned));
  }

  /// Passes of about a million cycles a thread make a sweep.
  void add_vector(const Kernel& kernel, const Team& team, const Flavor& flavor, std::uint64_t k, std::uint64_t thread_n) {
    const double cycles = static_cast<double>(thread_n) * std::max(static_cast<double>(k) / 32, 0.25);
    const std::uint64_t repeat = 1 + static_cast<std::uint64_t>(1e6 / cycles);
    CeilingCase planned =
        common(kernel, team, flavor,
               with_presets(kernel, {{"k", integer(k)}, {"n", integer(thread_n * threads_of(team))}, {"repeat", integer(repeat)}}));
    const Work work = planned.measured.work();
    planned.pattern = "k=" + std::to_string(k);
    planned.name = "vector " + planned.pattern;
    planned.precision = flavor.precision;
    planned.level = "vector";
    planned.unit = "GFLOP/s";
    planned.amount_per_sweep = static_cast<double>(total_flops(work.flops).lo);
    planned.working_set_bytes = footprint_bytes(work);
    cases.push_back(std::move(planned));
  }

  static CeilingCase common(const Kernel& kernel, const Team& team, const Flavor& flavor, Parameters parameters) {
    return {.measured = {.kernel = &kernel,
                         .parameters = std::move(parameters),
                         .precision = std::string(flavor.precision),
                         .flavor = flavor,
                         .team = team},
            .name = {},
            .precision = {},
            .level = {},
            .pattern = {},
            .unit = {}};
  }

  bool quick_;
  const std::string& isa_;
  std::span<const CacheLevel> caches_;
  std::uint64_t memory_bytes_;
};

}  // namespace

std::vector<CeilingCase> plan_ceilings(CeilingMode mode, const std::string& isa, std::span<const CacheLevel> caches,
                                       std::uint64_t memory_bytes, const std::vector<Team>& teams) {
  Planner planner(mode, isa, caches, memory_bytes);
  for (const Team& team : teams) {
    planner.plan_compute(team);
    planner.plan_bandwidth(team);
    planner.plan_vector(team);
  }
  return std::move(planner.cases);
}

}  // namespace plumbline
