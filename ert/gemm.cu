// Matrix products by cuBLAS show what a tuned library makes of tensor cores, and in fp32 of FMAs. The numbers have few bits and signs that
// cancel, so that no order of additions rounds; all are varied, none is zero, for zeros draw less power and run faster.
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cuda/cublas.cuh"
#include "cuda/cublas_work.hpp"
#include "cuda/register.cuh"
#include "ert/tensor_data.hpp"

namespace plumbline {
namespace {

constexpr std::uint64_t step = 16;  // that n is a multiple of: rows begin where tensor cores can load them, whatever the type
// Rows of A, and columns of B, follow one another in the same order again and again. So few sums prove all of C, and being primes they
// show what is in another tile's place.
constexpr std::size_t different_rows = 61, different_columns = 67;

/// The type of a product's numbers. Over n terms of +-[1/4, 1), in units of 2^-2bits, a sum of 4 bytes is exact where no partial one
/// reaches 2^24: with 7 bits that is 1024. The standard deviation is 0.58 sqrt(n), and the largest partial sum in order is 202 for n = 8192
/// and 553 for 65536. Fp64 uses far less of its 53.
struct GemmType {
  TensorType numbers;
  std::string_view flops;    // by the definition of a product
  std::string_view factors;  // precision that ends it: C = 1 AB
};
constexpr std::array gemm_types{
    GemmType{{"fp16", 75, 2, 7, 4}, "flops.tensor.fp16", "flops.fp32"}, GemmType{{"bf16", 80, 2, 7, 4}, "flops.tensor.bf16", "flops.fp32"},
    GemmType{{"tf32", 80, 4, 7, 4}, "flops.tensor.tf32", "flops.fp32"}, GemmType{{"fp64", 80, 8, 20, 8}, "flops.tensor.fp64", "flops.fp64"},
    GemmType{{"fp8", 89, 1, 4, 4}, "flops.tensor.fp8", "flops.fp32"},   GemmType{{"int8", 75, 1, 6, 4}, "flops.tensor.int8", ""},
    GemmType{{"fp32", 75, 4, 7, 4}, "flops.fp32.fma", "flops.fp32"},
};
const GemmType& gemm_type(std::string_view precision) {
  return *std::find_if(gemm_types.begin(), gemm_types.end(), [&](const GemmType& t) { return t.numbers.name == precision; });
}

std::uint64_t size_of(const Parameters& p) {
  if (p.integer("n") % step != 0)
    throw std::invalid_argument("ert/gemm: n must be a multiple of 16, so that tensor cores can load the rows of each type");
  return p.integer("n");
}

Work model_of(const GemmType& type, std::uint64_t n) {
  return library_product_work(n, n, n, {type.numbers.bytes, type.numbers.sum_bytes, type.flops, type.factors});
}

class GemmCase final : public Workload {
 public:
  GemmCase(const GemmType& type, const Parameters& p, DeviceMemory& memory)
      : type_(type.numbers),
        n_(size_of(p)),
        memory_(memory),
        a_(n_ * n_ * type_.bytes, memory),
        b_(a_.size(), memory),
        c_(n_ * n_ * type_.sum_bytes, memory) {
    if (cuda::stream() != nullptr) product_.emplace(type_.name, CublasShape{n_, n_, n_, true}, memory);
  }

  /// The library is not asked for parts.
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t, std::size_t) override {
    repeat(a_, encoded(1, different_rows));
    repeat(b_, encoded(2, different_columns));
    if (product_) product_->keep_fastest(matrices());
    repeat(c_, std::vector<unsigned char>(n_ * type_.sum_bytes, 0x3d));
  }
  const void* arguments() const override { return this; }

  static void launch(const void* arguments, std::size_t begin, std::size_t end) {
    if (begin < end) static_cast<const GemmCase*>(arguments)->queue();
  }
  static void on_host(const void* arguments, std::size_t begin, std::size_t end) {
    if (begin < end) static_cast<const GemmCase*>(arguments)->multiply();
  }

  /// The largest difference from the exact product, over the sum of its terms' magnitudes.
  double error() const override {
    const std::vector<double> exact = sums();
    std::vector<unsigned char> column(n_ * type_.sum_bytes);
    std::vector<double> values(n_);
    double worst = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      memory_.copy_out(column.data(), c_.data() + j * column.size(), column.size());
      load_sums(type_, column.data(), values);
      const double* const expected = &exact[j % different_columns * different_rows];
      for (std::size_t first = 0; first < n_; first += different_rows)
        for (std::size_t i = 0; i < std::min(different_rows, n_ - first); ++i)
          if (const double difference = std::fabs(values[first + i] - expected[i]); !(difference <= worst))
            worst = std::isnan(difference) ? HUGE_VAL : difference;
    }
    return worst / static_cast<double>(n_);
  }
  /// The tolerance is 0, but for fp8: Hopper adds its products in 14 bits or so.
  double tolerance() const override { return type_.name == "fp8" ? 0x1p-10 : 0; }

 private:
  CublasProduct::Matrices matrices() const { return {a_.data(), b_.data(), c_.data()}; }
  void queue() const { product_->queue(matrices()); }
  /// The first rows of a matrix (of B columns), as bytes.
  std::vector<unsigned char> encoded(std::uint64_t stream, std::size_t rows) const {
    std::vector<unsigned char> bytes(std::min(rows, n_) * n_ * type_.bytes);
    for (std::size_t i = 0; i < bytes.size() / type_.bytes; ++i) {
      const std::uint64_t bits = tensor_bits(type_, tensor_value(type_, stream, i));
      std::memcpy(&bytes[i * type_.bytes], &bits, type_.bytes);  // the least significant first
    }
    return bytes;
  }
  /// All of it is that part again and again, which doubles where it lies.
  void repeat(DeviceArray<unsigned char>& array, const std::vector<unsigned char>& part) {
    memory_.copy_in(array.data(), part.data(), part.size());
    for (std::size_t done = part.size(), next; done < array.size(); done += next) {
      next = std::min(done, array.size() - done);
      if (product_)
        PLUMBLINE_CUDA(cudaMemcpyAsync(array.data() + done, array.data(), next, cudaMemcpyDeviceToDevice, cuda::stream()));
      else
        std::memcpy(array.data() + done, array.data(), next);
    }
  }
  std::vector<double> numbers(std::uint64_t stream, std::size_t rows) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows * n_; ++i) values.push_back(tensor_value(type_, stream, i));
    return values;
  }
  /// All that are different, those of one column together: each is exact.
  std::vector<double> sums() const {
    const std::vector<double> a = numbers(1, different_rows), b = numbers(2, different_columns);
    std::vector<double> all;
    for (std::size_t j = 0; j < different_columns; ++j)
      for (std::size_t i = 0; i < different_rows; ++i) all.push_back(inner_product(&a[i * n_], &b[j * n_]));
    return all;
  }
  /// Multiplies in the place of the library, from the bits.
  void multiply() const {
    const std::vector<double> a = decoded(a_), b = decoded(b_);
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < n_; ++i)
        store_sum(type_, c_.data() + (j * n_ + i) * type_.sum_bytes, inner_product(&a[i * n_], &b[j * n_]));
  }
  std::vector<double> decoded(const DeviceArray<unsigned char>& matrix) const {
    std::vector<double> values(n_ * n_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, matrix.data() + i * type_.bytes, type_.bytes);
      values[i] = tensor_number(type_, bits);
    }
    return values;
  }
  /// The inner product, in as many sums as n has room for: each is exact, and so is theirs.
  double inner_product(const double* a, const double* b) const {
    std::array<double, step> sums{};
    for (std::size_t k = 0; k < n_; k += step)
      for (std::size_t i = 0; i < step; ++i) sums[i] += a[k + i] * b[k + i];
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  const TensorType& type_;
  std::size_t n_;
  DeviceMemory& memory_;
  DeviceArray<unsigned char> a_, b_, c_;
  std::optional<CublasProduct> product_;
};

std::vector<std::string> precisions() {
  std::vector<std::string> all;
  for (const GemmType& type : gemm_types) all.emplace_back(type.numbers.name);
  return all;
}

std::span<const Flavor> flavors() {
  static const std::vector<Flavor> all = [] {
    std::vector<Flavor> found;
    if (cublas_absent().empty())
      for (const GemmType& type : gemm_types) found.push_back({cublas_flavor, type.numbers.name, &GemmCase::launch});
    return found;
  }();
  return all;
}

std::vector<AbsentFlavor> absent_flavors() {
  if (cublas_absent().empty()) return {};
  return {{std::string(cublas_flavor), cublas_absent()}};
}

const struct RegisterGemm {
  RegisterGemm() {
    register_kernel(
        {.name = "ert/gemm",
         .summary = "Matrix product C = A B by cuBLASLt, the fastest of its heuristics' first eight ways: sums in fp32 (fp64, int8: in 64 "
                    "bits, in int32)",
         .parameters = {{.name = "n",
                         .preset = std::int64_t{4096},
                         .description = "rows and columns of each; a multiple of 16",
                         .min = step,
                         .max = 65536}},
         .precisions = precisions(),
         .model = [](const Parameters& p, std::string_view type, std::string_view) { return model_of(gemm_type(type), size_of(p)); },
         .prepare = [](const Parameters& p, std::string_view type, std::pmr::memory_resource& memory) -> std::unique_ptr<Workload> {
           return std::make_unique<GemmCase>(gemm_type(type), p, dynamic_cast<DeviceMemory&>(memory));
         },
         .count = [](const Parameters&) { return Tally{}; },
         .flavors = &flavors,
         .absent_flavors = &absent_flavors,
         .only = "a library does its arithmetic, which the host cannot count; its result is exact and checked",
         .space = Space::cuda,
         .on_host = [](std::string_view) { return Sweep{&GemmCase::on_host}; }});
  }
} gemm_registered;

}  // namespace
}  // namespace plumbline
