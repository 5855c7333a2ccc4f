// Kernels for GPUs register themselves as those for CPUs do (core/kernel.hpp), but their loop is a launch.
#pragma once
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/device_memory.hpp"
#include "core/kernel.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/launches.cuh"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

/// The flavors for each piece of code in the module, for one precision: "cuda13-sm_90a" and so on. One launch serves them all: CUDA picks
/// by the GPU. Those below compute capability from_architecture / 10 are absent, and say why.
std::vector<Flavor> compiled_flavors(std::string_view precision, Sweep launch, int from_architecture);
std::vector<AbsentFlavor> absent_flavors(std::string_view precision, int from_architecture);

/// A library by which a case's sweep may be done: its flavor's name (a constant), the launch, and the reason why the library cannot be
/// opened, or nothing.
struct Library {
  std::string_view flavor;
  Sweep launch;
  std::string absent;
};
/// Gives a launch of a case, as launch() is one, as a flavor's sweep.
template <class Arguments, void (*launch)(const Arguments&, std::size_t, std::size_t)>
void sweep_by(const void* arguments, std::size_t begin, std::size_t end) {
  launch(*static_cast<const Arguments*>(arguments), begin, end);
}

/// Registers a kernel whose data are a class template `Case<Real>`, a Workload, with
///   static Work model(const Parameters&, std::string_view flavor);
///   Case(const Parameters&, DeviceMemory&);                                  an application's is an ApplicationData, with application()
///   using Arguments = ...;                                                   what arguments() points to, also when launched
///   static void launch(const Arguments&, std::size_t begin, std::size_t end);   queues the sweep; never waits
///   static void on_host(const Arguments&, std::size_t begin, std::size_t end);  the same, one element after the other
/// Real is each type of Precisions (double and float where none is named), and Counted for the proof: of it only on_host is compiled.
/// Where steps of an application stay on the host, whose arguments begin with those of that kernel's loop for CPUs:
///   static constexpr const char* host_kernel() { return "proxies/multigrid"; }   on_host() does them as that loop does, launch() leaves
///   them out
/// Where not every GPU has the instructions: static constexpr int from_architecture() { return 80; }
/// Where libraries may do a part instead: static std::vector<Library> libraries();   those that have something in this Real
template <template <class> class Case, class... Precisions>
struct Register {
  using Types = Reals<Precisions...>;
  using Does = CaseWork<Case, Types>;

  Register(std::string name, std::string summary, std::vector<ParameterSpec> parameters)
      : Register(KernelFacts{std::move(name), std::move(summary), std::move(parameters)}) {}
  explicit Register(KernelFacts facts) {
    Kernel kernel{.name = std::move(facts.name),
                  .summary = std::move(facts.summary),
                  .parameters = std::move(facts.parameters),
                  .precisions = Types::precisions(),
                  .model = &Does::model,
                  .prepare = &prepare,
                  .count = &count,
                  .flavors = &flavors,
                  .absent_flavors = &absent,
                  .proof = std::move(facts.proof),
                  .space = Space::cuda,
                  .on_host = &on_host};
    if constexpr (Does::is_application) kernel.application = &Does::application, kernel.count_phases = &count_phases;
    if constexpr (requires { Case<Counted>::host_kernel(); }) kernel.host_kernel = Case<Counted>::host_kernel();
    register_kernel(std::move(kernel));
  }

 private:
  static std::span<const Flavor> flavors() {
    static const std::vector<Flavor> all = all_flavors();  // when they are first asked for: a library is opened then
    return all;
  }
  static std::vector<Flavor> all_flavors() {
    std::vector<Flavor> all;
    for (const std::string& precision : Types::precisions()) {
      const Sweep launch = Types::select(precision, []<class Real>() { return &launched<Real>; });
      const int from = Types::select(precision, []<class Real>() { return from_architecture<Case<Real>>(); });
      for (const Flavor& flavor :
           compiled_flavors(Types::select(precision, []<class Real>() { return precision_of<Real>(); }), launch, from))
        all.push_back(flavor);
      for (const Library& library : libraries(precision))
        if (library.absent.empty())
          all.push_back({library.flavor, Types::select(precision, []<class Real>() { return precision_of<Real>(); }), library.launch});
    }
    return all;
  }
  static std::vector<Library> libraries(const std::string& precision) {
    return Types::select(precision, []<class Real>() -> std::vector<Library> {
      if constexpr (requires { Case<Real>::libraries(); }) return Case<Real>::libraries();
      return {};
    });
  }
  static std::vector<AbsentFlavor> absent() {
    std::vector<AbsentFlavor> all;
    for (const std::string& precision : Types::precisions()) {
      const int from = Types::select(precision, []<class Real>() { return from_architecture<Case<Real>>(); });
      for (AbsentFlavor& flavor : absent_flavors(precision, from)) all.push_back(std::move(flavor));
    }
    for (const std::string& precision : Types::precisions())
      for (Library& library : libraries(precision)) {
        const bool is_told = std::ranges::find(all, library.flavor, &AbsentFlavor::name) != all.end();  // of another precision
        if (!library.absent.empty() && !is_told) all.push_back({std::string(library.flavor), std::move(library.absent)});
      }
    return all;
  }
  template <class Data>
  static constexpr int from_architecture() {
    if constexpr (requires { Data::from_architecture(); }) return Data::from_architecture();
    return 0;
  }
  template <class Real>
  static void launched(const void* arguments, std::size_t begin, std::size_t end) {
    Case<Real>::launch(*static_cast<const typename Case<Real>::Arguments*>(arguments), begin, end);
  }
  template <class Real>
  static void swept_on_host(const void* arguments, std::size_t begin, std::size_t end) {
    Case<Real>::on_host(*static_cast<const typename Case<Real>::Arguments*>(arguments), begin, end);
  }
  static std::unique_ptr<Workload> prepare(const Parameters& p, std::string_view precision, std::pmr::memory_resource& memory) {
    auto& device = dynamic_cast<DeviceMemory&>(memory);
    return Types::select(precision, [&]<class Real>() { return std::unique_ptr<Workload>(std::make_unique<Case<Real>>(p, device)); });
  }
  static Sweep on_host(std::string_view precision) {
    return Types::select(precision, []<class Real>() { return Sweep{&swept_on_host<Real>}; });
  }
  static Tally count(const Parameters& p) {
    if constexpr (Does::is_application) {
      return Does::sum(count_phases(p));
    } else {
      HostInPlaceOfDevice memory;
      Case<Counted> data(p, memory);
      data.initialise(0, data.extent());
      Counted::tally() = {};
      swept_on_host<Counted>(data.arguments(), 0, data.extent());
      return Counted::tally();
    }
  }
  static std::vector<Tally> count_phases(const Parameters& p) {
    HostInPlaceOfDevice memory;
    Case<Counted> data(p, memory);
    return Does::count_phases(p, data, &swept_on_host<Counted>);
  }
};

/// Calls the element function of a Body, `static __host__ __device__ void element(const Arguments&, std::size_t i)`, in one thread for each
/// i.
template <class Body, class Arguments>
__global__ void __launch_bounds__(block_threads) each_element(const Arguments arguments, std::size_t begin, std::size_t end) {
  const std::size_t i = begin + std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i < end) Body::element(arguments, i);
}

/// Queues the launch, whose facts the caller tells.
template <class Body, class Arguments>
void queue_elements(const Arguments& arguments, std::size_t begin, std::size_t end) {
  each_element<Body><<<blocks_for(end - begin), block_threads, 0, stream()>>>(arguments, begin, end);
}
/// Launches a kernel that does the same for each element, or does it on the host (launch() and on_host()); `trips` of its loops, as in
/// LaunchFacts.
template <class Body, class Arguments>
void launch_elements(const Arguments& arguments, std::size_t begin, std::size_t end, std::initializer_list<std::uint64_t> trips = {}) {
  next_launch(end - begin, trips);
  queue_elements<Body>(arguments, begin, end);
}
template <class Body, class Arguments>
void elements_on_host(const Arguments& arguments, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) Body::element(arguments, i);
}

/// launch() and on_host() of a case whose loop is Body's element().
template <class Body>
struct EachElement {
  template <class Arguments>
  static void launch(const Arguments& arguments, std::size_t begin, std::size_t end) {
    launch_elements<Body>(arguments, begin, end);
  }
  template <class Arguments>
  static void on_host(const Arguments& arguments, std::size_t begin, std::size_t end) {
    elements_on_host<Body>(arguments, begin, end);
  }
};

/// One thread a column of each row in [begin, end), row after row: of a Body with `static __host__ __device__ void element(const
/// Arguments&, std::size_t row, std::size_t column)`.
template <class Body, class Arguments>
__global__ void __launch_bounds__(block_threads)
    each_column(const Arguments arguments, std::size_t begin, unsigned blocks_a_row, std::size_t columns) {
  const std::size_t column = std::size_t{blockIdx.x % blocks_a_row} * block_threads + threadIdx.x;
  if (column < columns) Body::element(arguments, begin + blockIdx.x / blocks_a_row, column);
}

template <class Body, class Arguments>
void launch_rows(const Arguments& arguments, std::size_t begin, std::size_t end, std::size_t columns) {
  const unsigned blocks_a_row = blocks_for(columns);
  next_launch((end - begin) * columns);
  each_column<Body>
      <<<static_cast<unsigned>((end - begin) * blocks_a_row), block_threads, 0, stream()>>>(arguments, begin, blocks_a_row, columns);
}
template <class Body, class Arguments>
void rows_on_host(const Arguments& arguments, std::size_t begin, std::size_t end, std::size_t columns) {
  for (std::size_t row = begin; row < end; ++row)
    for (std::size_t column = 0; column < columns; ++column) Body::element(arguments, row, column);
}

/// launch() and on_host() of a case whose loop is Body's element() of each row and column, of which there are arguments.n.
template <class Body>
struct EachColumn {
  template <class Arguments>
  static void launch(const Arguments& arguments, std::size_t begin, std::size_t end) {
    launch_rows<Body>(arguments, begin, end, arguments.n);
  }
  template <class Arguments>
  static void on_host(const Arguments& arguments, std::size_t begin, std::size_t end) {
    rows_on_host<Body>(arguments, begin, end, arguments.n);
  }
};

/// A block of threads for each of [begin, end): of a Body with `static __device__ void block(const Arguments&, std::size_t i)`.
template <class Body, class Arguments>
__global__ void __launch_bounds__(block_threads) each_block(const Arguments arguments, std::size_t begin) {
  Body::block(arguments, begin + blockIdx.x);
}
template <class Body, class Arguments>
void launch_blocks(const Arguments& arguments, std::size_t begin, std::size_t end, std::initializer_list<std::uint64_t> trips = {}) {
  next_launch((end - begin) * block_threads, trips);
  each_block<Body><<<static_cast<unsigned>(end - begin), block_threads, 0, stream()>>>(arguments, begin);
}

}  // namespace plumbline::cuda
