// Matrix products in tensor cores have an exact result; ert/mma, ert/wmma and ert/wgmma share this. Each unit (a warp, or a warp group)
// adds A B to its own D, takes it away again, and so on, and ends with one A B more: whatever the count of iterations, D = A B. The numbers
// have so few bits that no order of additions rounds; all are varied, none is zero, for zeros draw less power and run faster.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"
#include "ert/tensor_data.hpp"

namespace plumbline {

/// The shape of one unit's product. A is m x k by rows, B n x k (each column of the product's right side together), D m x n by rows.
struct TensorShape {
  std::size_t m, n, k;
};

struct TensorProduct {
  const unsigned char *a, *minus_a, *b;
  unsigned char* d;  // of each unit
  std::uint64_t iterations;
};

/// The properties of one type of one kernel.
struct TensorKernel {
  std::string_view type;
  TensorShape shape;
  void (*launch)(const TensorProduct&, std::size_t begin, std::size_t end);
  std::array<std::string_view, 2> only_on = {};  // the architectures with such an instruction; empty: all from the least one on
  std::string_view elsewhere = {};               // what the others do instead
  std::uint64_t shared_bytes = 0;                // operands that a unit first stores in shared memory, 16 bytes a store
  std::uint64_t most_read_bytes = 0;             // of them, by the instructions of one product
  bool is_on(std::string_view flavor) const {
    return only_on[0].empty() || std::any_of(only_on.begin(), only_on.end(), [&](std::string_view one) { return flavor.ends_with(one); });
  }
};

class TensorCase final : public Workload {
 public:
  static Work model(const TensorKernel& kernel, std::size_t units_a_block, const Parameters& p) {
    const TensorType& type = tensor_type(kernel.type);
    const auto& [m, n, k] = kernel.shape;
    const std::uint64_t units = p.integer("blocks") * units_a_block;
    const auto read = [&](const char* name, std::size_t elements) {
      return Stream{.array = name,
                    .footprint_bytes = elements * type.bytes,
                    .read = true,
                    .loads = units * elements,
                    .element_bytes = type.bytes,
                    // Every unit reads all of it: which ones find it in their multiprocessor's L1 is the GPU's choice.
                    .layers = {{.reuse_bytes = elements * type.bytes, .fetched_bytes = units * elements * type.bytes, .upper_bound = true}},
                    .shared = true};
    };
    Work work{.streams = {read("a", m * k),
                          read("minus a", m * k),
                          read("b", n * k),
                          {.array = "d",
                           .footprint_bytes = units * m * n * type.sum_bytes,
                           .written = true,
                           .stores = units * m * n,
                           .element_bytes = type.sum_bytes},
                          cuda::clock_stream()}};
    const std::uint64_t products = units * (2 * p.integer("iterations") + 1);
    work.flops["flops.tensor." + std::string(type.name)] = products * 2 * m * n * k;
    if (kernel.shared_bytes != 0)
      work.streams.push_back(
          {.array = "operands",
           .stores = units * kernel.shared_bytes / 16,
           .element_bytes = 16,
           .layers = {{.reuse_bytes = kernel.shared_bytes, .fetched_bytes = products * kernel.most_read_bytes, .upper_bound = true}},
           .scratchpad = true});
    return work;
  }

  TensorCase(const TensorKernel& kernel, std::size_t units_a_block, const Parameters& p, DeviceMemory& memory)
      : type_(tensor_type(kernel.type)),
        shape_(kernel.shape),
        units_a_block_(units_a_block),
        blocks_(p.integer("blocks")),
        a_(shape_.m * shape_.k * type_.bytes, memory),
        minus_a_(a_.size(), memory),
        b_(shape_.n * shape_.k * type_.bytes, memory),
        d_(blocks_ * units_a_block * shape_.m * shape_.n * type_.sum_bytes, memory),
        arguments_{{a_.data(), minus_a_.data(), b_.data(), d_.data(), p.integer("iterations")}, this} {}

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    encode(a_, 1, 1);
    encode(minus_a_, 1, -1);
    encode(b_, 2, 1);
    const std::size_t block = d_.size() / blocks_;
    d_.fill(begin * block, end * block, [](std::size_t) { return static_cast<unsigned char>(0x3d); });
  }
  const void* arguments() const override { return &arguments_; }

  /// Sweeps on the host, which leaves the pairs that cancel out: it has no such instruction to go through.
  static void on_host(const void* arguments, std::size_t begin, std::size_t end) {
    const auto& [x, data] = *static_cast<const Arguments*>(arguments);
    const auto product = data->product();
    const std::size_t units = data->units_a_block_, bytes = data->type_.sum_bytes;
    for (std::size_t unit = begin * units; unit < end * units; ++unit)
      for (std::size_t i = 0; i < product.size(); ++i) store_sum(data->type_, x.d + (unit * product.size() + i) * bytes, product[i]);
  }

  /// The largest difference from the exact product, over the sum of its terms' magnitudes.
  double error() const override {
    const auto product = this->product();
    double worst = 0;
    std::vector<unsigned char> unit(product.size() * type_.sum_bytes);
    for (std::size_t first = 0; first < d_.size(); first += unit.size()) {
      d_.read(first, first + unit.size(), [&](std::size_t i, unsigned char byte) { unit[i - first] = byte; });
      for (std::size_t i = 0; i < product.size(); ++i) {
        const double difference = std::fabs(load_sum(type_, &unit[i * type_.sum_bytes]) - product[i]) / static_cast<double>(shape_.k);
        worst = std::isnan(difference) ? HUGE_VAL : std::max(worst, difference);
      }
    }
    return worst;
  }
  /// The tolerance is 0, but for fp8: Hopper adds its products in 14 bits or so.
  double tolerance() const override { return type_.name == "fp8" ? 0x1p-10 : 0; }

  struct Arguments {
    TensorProduct product;
    const TensorCase* data;  // the host's alone
  };

 private:
  void encode(DeviceArray<unsigned char>& array, std::uint64_t stream, int sign) const {
    array.fill(0, array.size(), [&](std::size_t i) {
      return static_cast<unsigned char>(tensor_bits(type_, sign * tensor_value(type_, stream, i / type_.bytes)) >> 8 * (i % type_.bytes));
    });
  }
  std::vector<double> product() const {
    std::vector<double> d(shape_.m * shape_.n);
    for (std::size_t i = 0; i < shape_.m; ++i)
      for (std::size_t j = 0; j < shape_.n; ++j)
        for (std::size_t k = 0; k < shape_.k; ++k)
          d[i * shape_.n + j] += tensor_value(type_, 1, i * shape_.k + k) * tensor_value(type_, 2, j * shape_.k + k);
    return d;
  }
  const TensorType& type_;
  TensorShape shape_;
  std::size_t units_a_block_, blocks_;
  DeviceArray<unsigned char> a_, minus_a_, b_, d_;
  Arguments arguments_;
};

/// Registers a kernel for the types that a table gives. `least` is the capability that a flavor must have ("90" for 9.0), of its type too;
/// with `own` only an architecture with its own instructions of that very capability ("90a").
template <const auto& kernels>
struct RegisterTensor {
  RegisterTensor(std::string name, std::string summary, std::size_t units_a_block, int blocks, int least = 0, bool own = false) {
    find_flavors(least, own);
    register_kernel({.name = std::move(name),
                     .summary = std::move(summary),
                     .parameters = {{.name = "blocks", .preset = std::int64_t{blocks}, .description = "thread blocks", .max = 1 << 20},
                                    {.name = "iterations",
                                     .preset = std::int64_t{1000},
                                     .description = "pairs of products, one added and one taken away"}},
                     .precisions = precisions(),
                     .model = [units_a_block](const Parameters& p, std::string_view type,
                                              std::string_view) { return TensorCase::model(kernel_of(type), units_a_block, p); },
                     .prepare = [units_a_block](const Parameters& p, std::string_view type,
                                                std::pmr::memory_resource& memory) -> std::unique_ptr<Workload> {
                       return std::make_unique<TensorCase>(kernel_of(type), units_a_block, p, dynamic_cast<DeviceMemory&>(memory));
                     },
                     .count = [](const Parameters&) { return Tally{}; },
                     .flavors = [] { return std::span<const Flavor>(flavors()); },
                     .absent_flavors = [] { return missing(); },
                     .only = "tensor cores do its arithmetic, and the host has none to count; its result is exact and checked",
                     .space = Space::cuda,
                     .on_host = [](std::string_view) { return Sweep{&TensorCase::on_host}; }});
  }

 private:
  static const TensorKernel& kernel_of(std::string_view type) {
    return *std::find_if(kernels.begin(), kernels.end(), [&](const TensorKernel& k) { return k.type == type; });
  }
  static std::vector<Flavor>& flavors() {
    static std::vector<Flavor> all;
    return all;
  }
  static std::vector<AbsentFlavor>& missing() {
    static std::vector<AbsentFlavor> all;
    return all;
  }
  static std::vector<std::string> precisions() {
    std::vector<std::string> all;
    for (const TensorKernel& one : kernels)
      if (std::any_of(flavors().begin(), flavors().end(), [&](const Flavor& f) { return f.precision == one.type; }))
        all.emplace_back(one.type);
    return all;
  }
  template <std::size_t which>
  static void launched(const void* arguments, std::size_t begin, std::size_t end) {
    kernels[which].launch(static_cast<const TensorCase::Arguments*>(arguments)->product, begin, end);
  }
  static void find_flavors(int least, bool own) {
    const auto find = [&]<std::size_t which>(std::integral_constant<std::size_t, which>) {
      const TensorType& type = tensor_type(kernels[which].type);
      const int needed = std::max(least, type.least_capability);
      std::string own_name = std::to_string(needed);
      own_name += 'a';
      for (AbsentFlavor& flavor : cuda::absent_flavors(type.name, needed)) missing().push_back(std::move(flavor));
      for (const Flavor& flavor : cuda::compiled_flavors(type.name, &launched<which>, needed))
        if (!kernels[which].is_on(flavor.name))
          missing().push_back({std::string(flavor.name), std::string(type.name) + ": " + std::string(kernels[which].elsewhere)});
        else if (!own || flavor.name.ends_with(own_name))
          flavors().push_back(flavor);
        else
          missing().push_back({std::string(flavor.name), "the kernel needs code for an architecture's own instructions: sm_" + own_name});
    };
    [&]<std::size_t... which>(std::index_sequence<which...>) { (find(std::integral_constant<std::size_t, which>{}), ...); }
    (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(kernels)>>>{});
  }
};

}  // namespace plumbline
