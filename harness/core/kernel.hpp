// A kernel is a named piece of work with parameters, its model, its data, its loop in many flavors, and a check of its result.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/application.hpp"
#include "core/counted.hpp"
#include "core/flavor.hpp"
#include "core/narrow.hpp"
#include "core/parameters.hpp"
#include "core/work.hpp"
#include "core/workload.hpp"

namespace plumbline {

/// Parameters for which a kernel is proved (tests/kernels), beside every word with every integer at 1, 2, 3, 5, 7, 16 and 19.
struct ProofSizes {
  std::vector<Parameters> edges = {};   // where its loop has an edge that small integers do not meet
  std::vector<Parameters> caches = {};  // on either side of caches of 32 KiB, 128 KiB and 1 MiB: there its bytes are proved
  Parameters at_most = {};              // integers beyond which the small ones above do not go, where work grows by a high power
};
/// The parameter `name` at each of `values`, for kernels that have no other.
std::vector<Parameters> sizes(std::string_view name, std::initializer_list<std::int64_t> values);

/// The facts that a kernel tells of itself wherever its loop runs, on CPUs and on GPUs.
struct KernelFacts {
  std::string name;     // "validation/triad"
  std::string summary;  // one line, with source
  std::vector<ParameterSpec> parameters;
  ProofSizes proof = {};
};

struct Kernel {
  std::string name;     // "validation/triad"
  std::string summary;  // one line, with source
  std::vector<ParameterSpec> parameters;
  std::vector<std::string> precisions;
  /// The exact work of one sweep; `flavor` matters only where a flavor's arithmetic differs, and Work::note then says how.
  std::function<Work(const Parameters&, std::string_view precision, std::string_view flavor)> model;
  /// Allocates the data (64-byte aligned) from `memory`; does not touch their pages.
  std::function<std::unique_ptr<Workload>(const Parameters&, std::string_view precision, std::pmr::memory_resource& memory)> prepare;
  /// Runs one sweep of the loop itself on Counted and gives the operations counted.
  std::function<Tally(const Parameters&)> count;
  std::function<std::span<const Flavor>()> flavors;  // may probe for a library at first use
  std::function<std::vector<AbsentFlavor>()> absent_flavors = [] { return std::vector<AbsentFlavor>{}; };
  ProofSizes proof = {};
  std::string only = "";  // why a kernel is left out of the registry-wide proof, empty otherwise
  Space space = Space::cpu;
  /// The sweep of a kernel for GPUs done on the host instead, one element after the other, over data in HostInPlaceOfDevice. The function
  /// is empty for CPUs, and gives null for a precision that has none. (`prepare` is given a DeviceMemory, and a flavor's sweep only hands
  /// the work to the device.)
  std::function<Sweep(std::string_view precision)> on_host = {};
  /// The phases of an application, whose data are an ApplicationData and whose model() is the sum over them. Empty for a kernel of one
  /// loop.
  std::function<ApplicationWork(const Parameters&, std::string_view precision, std::string_view flavor)> application = {};
  /// Counts as count() does, phase by phase; only an application has it.
  std::function<std::vector<Tally>(const Parameters&)> count_phases = {};
  /// The kernel for CPUs whose flavors do the steps of this one for GPUs that stay on the host; empty where there are none.
  std::string host_kernel = "";
};

/// All kernels linked into this program, sorted by name.
const std::vector<Kernel>& kernels();
/// Finds a kernel by name and space; nullptr when there is none.
const Kernel* find_kernel(std::string_view name, Space space = Space::cpu);
void register_kernel(Kernel kernel);

/// The contract's word for the precision of a C++ type.
template <class Real>
constexpr std::string_view precision_of() {
  if constexpr (std::is_same_v<Real, double> || std::is_same_v<Real, Counted>) {
    return "fp64";
  } else if constexpr (std::is_same_v<Real, float>) {
    return "fp32";
  } else if constexpr (std::is_same_v<Real, Fp16>) {
    return "fp16";
  } else if constexpr (std::is_same_v<Real, Tf32>) {
    return "tf32";
  } else if constexpr (std::is_same_v<Real, std::int8_t>) {
    return "int8";
  } else {
    static_assert(std::is_same_v<Real, Bf16>);
    return "bf16";
  }
}

/// The contract's name of an operation: flops<double>("add") is "flops.fp64.add".
template <class Real>
std::string flops(std::string_view kind) {
  return "flops." + std::string(precision_of<Real>()) + "." + std::string(kind);
}

/// One operation of each kind for each of n elements: flops<double>({"add", "mul"}, n).
template <class Real>
Counts flops(std::initializer_list<std::string_view> kinds, std::uint64_t n) {
  Counts counts;
  for (const std::string_view kind : kinds) counts[flops<Real>(kind)] = n;
  return counts;
}

/// The types of a kernel's precisions; double and float where none is named.
template <class... Real>
struct Reals;
template <class First, class... Others>
struct Reals<First, Others...> {
  static std::vector<std::string> precisions() { return {std::string(precision_of<First>()), std::string(precision_of<Others>())...}; }
  /// The precisions of which at least one of the flavors is.
  static std::vector<std::string> precisions(std::span<const Flavor> flavors) {
    std::vector<std::string> all = precisions();
    std::erase_if(all, [&](const std::string& precision) {
      return std::none_of(flavors.begin(), flavors.end(), [&](const Flavor& f) { return f.precision == precision; });
    });
    return all;
  }
  /// Gives act<Real>() with the type of that precision.
  template <class Act>
  static auto select(std::string_view precision, Act act) {
    if constexpr (sizeof...(Others) != 0)
      if (precision != precision_of<First>()) return Reals<Others...>::select(precision, act);
    return act.template operator()<First>();
  }
};

template <>
struct Reals<> : Reals<double, float> {};

/// The work of a kernel, as a class template `Case<Real>` tells it, in each type of Types (a Reals): of one loop, or of an application.
template <template <class> class Case, class Types>
struct CaseWork {
  static constexpr bool is_application = requires(const Parameters& p) { Case<Counted>::application(p, ""); };

  static Work model(const Parameters& p, std::string_view precision, std::string_view flavor) {
    if constexpr (is_application)
      return whole_work(application(p, precision, flavor));
    else
      return Types::select(precision, [&]<class Real>() { return Case<Real>::model(p, flavor); });
  }
  static ApplicationWork application(const Parameters& p, std::string_view precision, std::string_view flavor) {
    return Types::select(precision, [&]<class Real>() { return Case<Real>::application(p, flavor); });
  }

  /// Counts a sweep of an application over `data`, phase by phase, by its loop on Counted.
  static std::vector<Tally> count_phases(const Parameters& p, Case<Counted>& data, Sweep loop) {
    Peers alone;
    data.take_place(alone.rank(), alone.ranks());
    data.initialise(0, data.extent());
    std::vector<Tally> tallies(Case<Counted>::application(p, "").phases.size());
    for (const Step& step : data.steps()) {
      Counted::tally() = {};
      run_alone(step, loop, alone);
      tallies[step.phase] += Counted::tally();
    }
    return tallies;
  }
  static Tally sum(const std::vector<Tally>& phases) {
    Tally all;
    for (const Tally& phase : phases) all += phase;
    return all;
  }
};

/// Registers a kernel whose data are a class template `Case<Real>` with
///   static Work model(const Parameters&, std::string_view flavor);
///   Case(const Parameters&, std::pmr::memory_resource&);    the Workload; core/kernel_data.hpp has what most of them share
///   using Arguments = ...;                                  what arguments() points to: its sweep() is the loop, compiled at baseline
/// An application has in the place of model()
///   static ApplicationWork application(const Parameters&, std::string_view flavor);
/// and is an ApplicationData, whose steps' arguments are Arguments.
/// Real is each type of Precisions (double and float where none is named), and Counted for the proof.
template <template <class> class Case, class... Precisions>
struct Register {
  using Types = Reals<Precisions...>;
  using Does = CaseWork<Case, Types>;

  /// A precision for which no compiler here made a flavor is none of the kernel's.
  Register(KernelFacts facts, std::span<const Flavor> flavors) {
    add(
        std::move(facts), Types::precisions(flavors), [flavors] { return flavors; }, [] { return std::vector<AbsentFlavor>{}; });
  }
  Register(std::string name, std::string summary, std::vector<ParameterSpec> parameters, std::span<const Flavor> flavors,
           ProofSizes proof = {})
      : Register({std::move(name), std::move(summary), std::move(parameters), std::move(proof)}, flavors) {}

  /// Registers a kernel whose flavors are found at first use.
  Register(KernelFacts facts, std::function<std::span<const Flavor>()> flavors, std::function<std::vector<AbsentFlavor>()> missing) {
    add(std::move(facts), Types::precisions(), std::move(flavors), std::move(missing));
  }

 private:
  static void add(KernelFacts facts, std::vector<std::string> precisions, std::function<std::span<const Flavor>()> flavors,
                  std::function<std::vector<AbsentFlavor>()> missing) {
    Kernel kernel{.name = std::move(facts.name),
                  .summary = std::move(facts.summary),
                  .parameters = std::move(facts.parameters),
                  .precisions = std::move(precisions),
                  .model = &Does::model,
                  .prepare = &prepare,
                  .count = &count,
                  .flavors = std::move(flavors),
                  .absent_flavors = std::move(missing),
                  .proof = std::move(facts.proof)};
    if constexpr (Does::is_application) kernel.application = &Does::application, kernel.count_phases = &count_phases;
    register_kernel(std::move(kernel));
  }

  static std::unique_ptr<Workload> prepare(const Parameters& p, std::string_view precision, std::pmr::memory_resource& memory) {
    return Types::select(precision, [&]<class Real>() { return std::unique_ptr<Workload>(std::make_unique<Case<Real>>(p, memory)); });
  }
  static Tally count(const Parameters& p) {
    if constexpr (Does::is_application) {
      return Does::sum(count_phases(p));
    } else {
      Case<Counted> data(p, *std::pmr::new_delete_resource());
      data.initialise(0, data.extent());
      Counted::tally() = {};
      if constexpr (requires { data.sweep_all(); })
        data.sweep_all();
      else
        sweep_on_counted(data.arguments(), 0, data.extent());
      return Counted::tally();
    }
  }
  static std::vector<Tally> count_phases(const Parameters& p) {
    Case<Counted> data(p, *std::pmr::new_delete_resource());
    return Does::count_phases(p, data, &sweep_on_counted);
  }
  static void sweep_on_counted(const void* arguments, std::size_t begin, std::size_t end) {
    sweep(*static_cast<const typename Case<Counted>::Arguments*>(arguments), begin, end);
  }
};

}  // namespace plumbline
