#include "ert/ceiling_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/kernel.hpp"
#include "ert/planned_sweep.hpp"
#include "ert/upper_case.hpp"

namespace plumbline {
namespace {

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

/// Points an octave of working set: below `far_bytes` a thread, and from there on, where a point costs as much as all small ones.
struct Density {
  double near = 0, far = 0;  // 0: none
};
constexpr double far_bytes = 8.0 * MiB;

struct BandwidthCeiling {
  const char* pattern;
  std::uint64_t arrays;
  Density quick, full;
};
/// The loads of one array say where the levels are, together with the chase; the others then have a point or two in each.
constexpr std::array bandwidth_ceilings{
    BandwidthCeiling{"load", 1, {3, 1}, {6, 3}},       BandwidthCeiling{"triad", 3, {1, 0.5}, {3, 1}},
    BandwidthCeiling{"store", 1, {}, {3, 1}},          BandwidthCeiling{"copy", 2, {}, {3, 1}},
    BandwidthCeiling{"update", 1, {}, {3, 1}},         BandwidthCeiling{"loads2store1", 3, {}, {3, 1}},
    BandwidthCeiling{"store_nt", 1, {0, 0.5}, {0, 1}},
};
constexpr Density chase_quick{3, 2}, chase_full{6, 3};

std::size_t lanes(std::string_view isa, std::string_view precision) { return vector_registers(isa).bytes / precision_bytes(precision); }

/// The preference of a flavor: gcc before clang, newer before older. One flavor makes one ceiling: ert/peak's inner loops are the same
/// instructions from every compiler (tests/ert/instruction_table_test.py), those of ert/stream reach the same rates.
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

/// The machine's ISA levels for which there are flavors of this precision, widest first.
std::vector<std::string> usable_isas(const Kernel& kernel, std::string_view precision, std::span<const std::string> machine) {
  std::vector<std::string> usable;
  for (auto isa = machine.rbegin(); isa != machine.rend(); ++isa)
    if (best_flavor(kernel, precision, *isa)) usable.push_back(*isa);
  return usable;
}

Parameters with_presets(const Kernel& kernel, std::initializer_list<std::pair<const char*, Value>> values) {
  Parameters p;
  for (const ParameterSpec& spec : kernel.parameters) p.set(spec.name, spec.preset);
  for (const auto& [name, value] : values)
    if (p.has(name)) p.set(name, value);
  return p;
}

std::uint64_t threads_of(const Team& team) { return static_cast<std::uint64_t>(team.threads); }
std::uint64_t all_threads(const Team& team) { return threads_of(team) * static_cast<std::uint64_t>(team.ranks); }

/// Plans for one machine and mode, and appends to `cases`.
class Planner {
 public:
  Planner(CeilingMode mode, std::span<const std::string> isas, LastCaches last_caches, std::uint64_t memory_bytes)
      : quick_(mode == CeilingMode::quick),
        isas_(isas),
        last_caches_(last_caches),
        memory_bytes_(static_cast<double>(memory_bytes == 0 ? unknown_memory : memory_bytes)) {}

  void plan_compute(const CeilingTeam& who) {
    const Kernel& kernel = *find_kernel("ert/peak");
    for (const char* precision : {"fp64", "fp32", "fp16"}) {
      const auto isas = usable_isas(kernel, precision, isas_);
      for (const std::string& isa : isas)
        for (const PeakCeiling& ceiling : peak_ceilings) {
          const bool widest = isa == isas.front();
          if (!widest && (ceiling.scalar || !who.everything || (quick_ && !(isa == "v3" && ceiling.narrow_in_quick)))) continue;
          if (isa == "v2" && ceiling.needs_fma) continue;
          add_peak(kernel, who.team, ceiling, *best_flavor(kernel, precision, isa), isa, widest);
        }
    }
    plan_dot_products(who.team);
    plan_integer_dot_products(who);
    plan_tiles(who.team);
  }

  void plan_bandwidth(const CeilingTeam& who) {
    const Kernel& kernel = *find_kernel("ert/stream");
    const auto isas = usable_isas(kernel, "fp64", isas_);
    if (isas.empty()) return;
    const Flavor flavor = *best_flavor(kernel, "fp64", isas.front());
    for (const BandwidthCeiling& ceiling : bandwidth_ceilings) {
      if (!who.everything && std::string_view(ceiling.pattern) != "load") continue;
      const bool coarse = quick_ || !who.everything;
      std::set<std::uint64_t> planned;  // small sizes round to the same n
      const double largest = largest_bytes_of_thread(who.team);
      for (const double bytes : sweep_sizes(coarse ? ceiling.quick : ceiling.full, largest)) {
        const std::uint64_t n = elements_of_thread(bytes / static_cast<double>(ceiling.arrays), 8);
        const std::uint64_t data = bytes < far_bytes ? n : elements_of_thread(largest / static_cast<double>(ceiling.arrays), 8);
        if (planned.insert(n).second) add_bandwidth(kernel, who.team, ceiling, flavor, n, data);
      }
    }
  }

  /// Latency is that of one core with the node to itself.
  void plan_chase(const CeilingTeam& who) {
    if (all_threads(who.team) != 1) return;
    const Kernel& kernel = *find_kernel("ert/chase");
    const auto isas = usable_isas(kernel, "fp64", isas_);
    if (isas.empty()) return;
    for (const double bytes : sweep_sizes(quick_ ? chase_quick : chase_full, largest_bytes_of_thread(who.team)))
      add_chase(kernel, who.team, *best_flavor(kernel, "fp64", isas.front()), static_cast<std::uint64_t>(bytes) / 64);
  }

  void plan_vector(const CeilingTeam& who) {
    if (!who.everything) return;
    const Kernel& kernel = *find_kernel("ert/vector");
    for (const char* precision : {"fp64", "fp32"}) {
      const auto isas = usable_isas(kernel, precision, isas_);
      if (isas.empty() || (quick_ && std::string_view(precision) == "fp32")) continue;
      const Flavor flavor = *best_flavor(kernel, precision, isas.front());
      std::set<std::uint64_t> planned;  // sizes that memory makes equal
      for (const double bytes : vector_sizes(who.team)) {
        const std::uint64_t n = elements_of_thread(bytes, precision_bytes(precision));
        if (!planned.insert(n).second) continue;
        const bool sparse = bytes >= far_bytes;
        for (std::uint64_t k = 1; k <= 512; k *= 2)
          if (!sparse || k == 1 || k == 8 || k == 64) add_vector(kernel, who.team, flavor, k, n);
      }
    }
  }

  std::vector<CeilingCase> cases;

 private:
  /// BF16 has no arithmetic of its own but sums of two products in FP32.
  void plan_dot_products(const Team& team) {
    const Kernel* kernel = find_kernel("ert/bf16dot");
    if (kernel == nullptr) return;
    const auto isas = usable_isas(*kernel, "bf16", isas_);
    if (!isas.empty())
      add_peak(*kernel, team, {"", "dot product", "dot", false, true, true}, *best_flavor(*kernel, "bf16", isas.front()), isas.front(),
               true);
  }

  /// Plans four products of INT8 in a 32-bit lane for each vector width that has them; quick: for the widest alone.
  void plan_integer_dot_products(const CeilingTeam& who) {
    const Kernel* kernel = find_kernel("ert/int8dot");
    if (kernel == nullptr) return;
    const auto isas = usable_isas(*kernel, "int8", isas_);
    for (const std::string& isa : isas) {
      const bool widest = isa == isas.front();
      if (widest || (who.everything && !quick_))
        add_peak(*kernel, who.team, {"", "dot product", "dot", false, true, true}, *best_flavor(*kernel, "int8", isa), isa, widest);
    }
  }

  /// Matrix tiles, of each type that this CPU has them for. An iteration's eight products take 128 cycles.
  void plan_tiles(const Team& team) {
    const Kernel* kernel = find_kernel("ert/tiles");
    if (kernel == nullptr) return;
    for (const std::string& type : kernel->precisions)
      for (const std::string& isa : usable_isas(*kernel, type, isas_)) {
        CeilingCase planned = common(*kernel, team, *best_flavor(*kernel, type, isa),
                                     with_presets(*kernel, {{"iterations", integer(1024)}, {"blocks", integer(8 * threads_of(team))}}));
        planned.name = "tensor " + upper_case(type) + " AMX";
        planned.precision = "tensor." + type;
        planned.level = CeilingKind::compute;
        planned.pattern = "amx";
        planned.unit = "GFLOP/s";
        planned.amount_per_sweep = static_cast<double>(total_flops(planned.measured.work().flops).lo);
        cases.push_back(std::move(planned));
      }
  }

  /// The largest working set of a thread. Beyond three times a cache its share of a sweep is small (model/ceilings/node_levels.cpp); a
  /// sweep and what it is rounded to reach that surely.
  double largest_bytes_of_thread(const Team& team) const {
    const double threads = static_cast<double>(all_threads(team));
    const double caches = static_cast<double>(last_caches_.bytes) * std::clamp<double>(threads, 1, last_caches_.count);
    const double wanted = std::max((threads == 1 ? 128.0 : std::max(64.0, 192.0 / threads)) * MiB, 4 * caches / threads);
    return std::min(wanted, memory_bytes_ / 4 / threads);
  }

  /// The working sets of a thread, in bytes: log-spaced from 4.5 KiB, so that no power-of-two cache ends at one; and the largest.
  static std::vector<double> sweep_sizes(Density density, double largest) {
    std::vector<double> sizes;
    if (density.far == 0) return sizes;
    double bytes = density.near == 0 ? far_bytes : 4.5 * KiB;
    while (bytes < largest / std::min(1.2, std::exp2(0.5 / density.far))) {
      sizes.push_back(bytes);
      bytes *= std::exp2(1 / (bytes < far_bytes ? density.near : density.far));
    }
    sizes.push_back(largest);
    return sizes;
  }

  /// The working sets of ERT's sweep: well inside any L1, and out of all caches; full: between them too.
  std::vector<double> vector_sizes(const Team& team) const {
    const double largest = std::min(64.0 * MiB, largest_bytes_of_thread(team));
    if (quick_) return {12.0 * KiB};
    return {12.0 * KiB, 384.0 * KiB, std::min(6.0 * MiB, largest), largest};
  }

  /// A whole number of grains, at least one.
  static std::uint64_t elements_of_thread(double bytes, std::uint64_t element_bytes) {
    constexpr std::uint64_t grain = 256;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / (grain * element_bytes)) * grain;
  }

  /// A sweep takes about a million cycles a thread, so that starting it costs nothing.
  void add_peak(const Kernel& kernel, const Team& team, const PeakCeiling& ceiling, const Flavor& flavor, const std::string& isa,
                bool widest) {
    const std::uint64_t iterations = 384 * (ceiling.scalar ? 1 : lanes(isa, flavor.precision == "int8" ? "fp32" : flavor.precision));
    CeilingCase planned = common(
        kernel, team, flavor,
        with_presets(
            kernel, {{"form", std::string(ceiling.form)}, {"iterations", integer(iterations)}, {"blocks", integer(8 * threads_of(team))}}));
    planned.name = upper_case(flavor.precision) + " " + ceiling.name + (widest ? "" : " (" + isa + ")");
    planned.precision = flavor.precision;
    planned.level = CeilingKind::compute;
    planned.pattern = ceiling.pattern;
    planned.unit = "GFLOP/s";
    planned.amount_per_sweep = static_cast<double>(total_flops(planned.measured.work().flops).lo);
    cases.push_back(std::move(planned));
  }

  /// Adds a point of bandwidth. Of each array `thread_n` elements of a thread are swept, of `data_n` that there are. Passes over 32 MiB a
  /// thread make a sweep.
  void add_bandwidth(const Kernel& kernel, const Team& team, const BandwidthCeiling& ceiling, const Flavor& flavor, std::uint64_t thread_n,
                     std::uint64_t data_n) {
    const std::uint64_t repeat = std::max<std::uint64_t>(1, 32 * MiB / (data_n * 8 * ceiling.arrays));
    const auto parameters = [&](std::uint64_t n) {
      return with_presets(kernel,
                          {{"pattern", std::string(ceiling.pattern)}, {"n", integer(n * threads_of(team))}, {"repeat", integer(repeat)}});
    };
    CeilingCase planned = common(kernel, team, flavor, parameters(data_n));
    planned.share = static_cast<double>(thread_n) / static_cast<double>(data_n);
    const Work work = kernel.model(parameters(thread_n), flavor.precision, flavor.name);
    planned.name = ceiling.pattern;
    planned.precision = "-";
    planned.level = CeilingKind::sweep;
    planned.pattern = ceiling.pattern;
    planned.unit = "GB/s";
    planned.amount_per_sweep = algorithmic_bytes(work);
    planned.working_set_bytes = footprint_bytes(work);
    cases.push_back(std::move(planned));
  }

  /// A sweep takes 16384 loads: 0.03 ms in L1, 2 ms in memory.
  void add_chase(const Kernel& kernel, const Team& team, const Flavor& flavor, std::uint64_t lines) {
    constexpr std::uint64_t steps = 16384;
    CeilingCase planned = common(kernel, team, flavor, with_presets(kernel, {{"n", integer(lines)}, {"steps", integer(steps)}}));
    planned.name = planned.pattern = "chase";
    planned.precision = "-";
    planned.level = CeilingKind::sweep;
    planned.unit = "seconds";
    planned.amount_per_sweep = static_cast<double>(steps);
    planned.working_set_bytes = static_cast<double>(lines) * 64;
    // Lines beyond any cache are as cold after a round as before it.
    if (planned.working_set_bytes <= 32.0 * MiB) planned.warm_sweeps = lines / steps + 1;
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
    planned.level = CeilingKind::vector;
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
  std::span<const std::string> isas_;
  LastCaches last_caches_;
  double memory_bytes_;
};

/// The team of `cores` as ranks of equal threads: one rank as far as its share goes, then as many whole ranks; {0, 0} where that does not
/// come out.
Team team_of(int cores, int ranks, int share) {
  if (cores <= share) return {1, cores};
  if (cores % share == 0 && cores / share <= ranks) return {cores / share, share};
  return {0, 0};
}

}  // namespace

std::vector<CeilingTeam> ceiling_teams(int cores, int ranks, int numa_domains, int packages) {
  const int usable = std::max(1, cores), members = std::clamp(ranks, 1, usable), share = usable / members;
  const auto part = [&](int parts) { return std::max(1, usable / std::max(1, parts)); };  // a quota may leave fewer cores than domains
  const std::set<int> whole{1, part(numa_domains), part(packages), share * members};
  std::set<int> counts = whole;
  for (int n = 2; n < usable; n *= 2) counts.insert(n);
  std::vector<CeilingTeam> teams;
  for (const int count : counts)
    if (const Team team = team_of(count, members, share); team.ranks > 0) teams.push_back({team, whole.contains(count)});
  return teams;
}

std::vector<CeilingCase> plan_ceilings(CeilingMode mode, std::span<const std::string> isas, LastCaches last_caches,
                                       std::uint64_t memory_bytes, std::span<const CeilingTeam> teams) {
  Planner planner(mode, isas, last_caches, memory_bytes);
  for (const CeilingTeam& who : teams) {
    planner.plan_compute(who);
    planner.plan_bandwidth(who);
    planner.plan_chase(who);
    planner.plan_vector(who);
  }
  return std::move(planner.cases);
}

}  // namespace plumbline
