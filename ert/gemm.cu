// Matrix products by cuBLAS show what a tuned library makes of tensor cores, and in fp32 of FMAs. The numbers have few bits and signs that
// cancel, so that no order of additions rounds; all are varied, none is zero, for zeros draw less power and run faster.
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cuda/register.cuh"
#include "ert/cublas.cuh"
#include "ert/tensor_data.hpp"

namespace plumbline {
namespace {

constexpr std::string_view library_flavor = "lib-cublas";
constexpr std::uint64_t tile = 256;  // edge of the largest that the library computes whole, also at the matrix's edge
constexpr std::uint64_t step = 16;   // that n is a multiple of: rows begin where tensor cores can load them, whatever the type
// Rows of A, and columns of B, follow one another in the same order again and again. So few sums prove all of C, and being primes they
// show what is in another tile's place.
constexpr std::size_t different_rows = 61, different_columns = 67;

/// The type of a product's numbers. Over n terms of +-[1/4, 1), in units of 2^-2bits, a sum of 4 bytes is exact where no partial one
/// reaches 2^24: with 7 bits that is 1024. The standard deviation is 0.58 sqrt(n), and the largest partial sum in order is 202 for n = 8192
/// and 553 for 65536. Fp64 uses far less of its 53.
struct GemmType {
  TensorType numbers;
  CublasTypes cublas;
  std::string_view flops;    // by the definition of a product
  std::string_view factors;  // precision that ends it: C = 1 AB
};
constexpr std::array gemm_types{
    GemmType{{"fp16", 75, 2, 7, 4}, {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, "flops.tensor.fp16", "flops.fp32"},
    GemmType{{"bf16", 80, 2, 7, 4}, {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, "flops.tensor.bf16", "flops.fp32"},
    GemmType{{"tf32", 80, 4, 7, 4}, {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32}, "flops.tensor.tf32", "flops.fp32"},
    GemmType{{"fp64", 80, 8, 20, 8}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F}, "flops.tensor.fp64", "flops.fp64"},
    GemmType{{"fp8", 89, 1, 4, 4}, {CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, "flops.tensor.fp8", "flops.fp32"},
    GemmType{{"int8", 75, 1, 6, 4}, {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I}, "flops.tensor.int8", ""},
    GemmType{{"fp32", 75, 4, 7, 4}, {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}, "flops.fp32.fma", "flops.fp32"},
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
  const std::uint64_t operand = n * n * type.numbers.bytes, whole = (n + tile - 1) / tile * tile;
  const std::uint64_t least_tile = 16, most_loads = n * n * n / least_tile, own = 32 << 20;
  const auto read = [&](const char* name) {
    return Stream{.array = name,
                  .footprint_bytes = operand,
                  .read = true,
                  .loads = most_loads,
                  .element_bytes = type.numbers.bytes,
                  .layers = {{.reuse_bytes = 2 * operand, .fetched_bytes = operand * (n / least_tile), .upper_bound = true}},
                  .at_most = true};
  };
  const auto scratch = [&](const char* name, bool shared) {
    Stream s{.array = name, .read = true, .written = true, .element_bytes = 1, .scratchpad = shared, .at_most = true};
    s.loads = s.stores = shared ? 2 * n * operand : own;
    if (!shared) s.layers = {{.reuse_bytes = own, .fetched_bytes = own, .upper_bound = true}};
    return s;
  };
  Work work{
      .streams = {read("a"),
                  read("b"),
                  {.array = "c",
                   .footprint_bytes = n * n * type.numbers.sum_bytes,
                   .written = true,
                   .stores = n * n,
                   .element_bytes = type.numbers.sum_bytes,
                   .at_most = true},
                  scratch("operands", true),
                  scratch("the library's own", false)},
      .paper = {{"paper.flops", 2 * n * n * n}},
      .note = "2 n^3 by convention; tiles at the edge may be computed whole, and a factor (and parts of sums) for each element besides"};
  const std::uint64_t weight = type.flops.ends_with(".fma") ? 2 : 1;
  if (!type.factors.empty())
    for (const char* kind : {".add", ".mul", ".fma"}) work.flops[std::string(type.factors) + kind] = Amount(0, 16 * n * n);
  work.flops[std::string(type.flops)] += Amount(2 * n * n * n / weight, 2 * whole * whole * whole / weight);
  return work;
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
    if (cuda::stream() != nullptr) product_.emplace(type.cublas, n_, CublasProduct::Matrices{a_.data(), b_.data(), c_.data()}, memory);
  }

  /// The library is not asked for parts.
  std::size_t extent() const override { return 1; }
  void initialise(std::size_t, std::size_t) override {
    repeat(a_, encoded(1, different_rows));
    repeat(b_, encoded(2, different_columns));
    if (product_) product_->keep_fastest();
    repeat(c_, std::vector<unsigned char>(n_ * type_.sum_bytes, 0x3d));
  }
  const void* arguments() const override { return this; }

  static void launch(const void* arguments, std::size_t begin, std::size_t end) {
    if (begin < end) static_cast<const GemmCase*>(arguments)->product_->queue();
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
    if (cublas().absent.empty())
      for (const GemmType& type : gemm_types) found.push_back({library_flavor, type.numbers.name, &GemmCase::launch});
    return found;
  }();
  return all;
}

std::vector<AbsentFlavor> absent_flavors() {
  if (cublas().absent.empty()) return {};
  return {{std::string(library_flavor), cublas().absent}};
}

const struct RegisterGemm {
  RegisterGemm() {
    register_kernel(
        {.name = "ert/gemm",
         .summary = "Matrix product C = A B by cuBLASLt, the fastest of its heuristics' first eight ways: sums in fp32 (fp64, int8: in 64 bits, in int32)",
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
} registered;

}  // namespace
}  // namespace plumbline
