#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "core/unavailable.hpp"
#include "cuda/cublas.cuh"
#include "cuda/cublas_work.hpp"
#include "cuda/fastest.hpp"
#include "cuda/gpu_library.hpp"
#include "cuda/queued_seconds.cuh"
#include "cuda/runtime.cuh"

namespace plumbline {
namespace {

const GpuLibrary& cublas() {
  static const GpuLibrary library = open_gpu_library({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}, "cuBLAS",
                                                     "of the CUDA toolkit, or PyPI: nvidia-cublas");
  return library;
}

/// Throws Error (io) with the call and the library's words where a call failed; UnavailableHere where the library has no such thing for
/// this GPU.
void require_success(cublasStatus_t result, const char* call) {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  const char* const words = reinterpret_cast<decltype(&cublasLtGetStatusName)>(cublas().function("cublasLtGetStatusName"))(result);
  const std::string what = std::string(call) + " failed: " + words + " (" + cublas().file + ")";
  if (result == CUBLAS_STATUS_NOT_SUPPORTED || result == CUBLAS_STATUS_ARCH_MISMATCH) throw UnavailableHere(what);
  throw io_error(what);
}

/// The library's function, by its declaration; its result is held against success.
#define PLUMBLINE_CUBLAS_FUNCTION(name) reinterpret_cast<decltype(&(name))>(cublas().function(#name))
#define PLUMBLINE_CUBLAS(name, ...) require_success(PLUMBLINE_CUBLAS_FUNCTION(name)(__VA_ARGS__), #name)

std::string version() {
  const std::size_t number = PLUMBLINE_CUBLAS_FUNCTION(cublasLtGetVersion)();  // 130100
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
}

struct Factor {
  double fp64;
  float fp32;
  std::int32_t int32;
  const void* of(cudaDataType_t type) const {
    return type == CUDA_R_64F ? static_cast<const void*>(&fp64) : type == CUDA_R_32I ? static_cast<const void*>(&int32) : &fp32;
  }
};
constexpr Factor one{1, 1, 1}, zero{0, 0, 0};

/// The types of the operands, of the sums and of the factors before them (which are 1 and 0), and how the product is computed.
struct CublasTypes {
  std::string_view name;
  cudaDataType_t operand, sum, factor;
  cublasComputeType_t compute;
};
constexpr std::array all_types{CublasTypes{"fp16", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
                               CublasTypes{"bf16", CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
                               CublasTypes{"tf32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
                               CublasTypes{"fp64", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
                               CublasTypes{"fp8", CUDA_R_8F_E4M3, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
                               CublasTypes{"int8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
                               CublasTypes{"fp32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}};
const CublasTypes& types_of(std::string_view name) { return *std::ranges::find(all_types, name, &CublasTypes::name); }

}  // namespace

const std::string& cublas_absent() { return cublas().absent; }

struct CublasProduct::Parts {
  template <class T>
  using Owned = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

  Parts(const CublasTypes& types, const CublasShape& shape, DeviceMemory& memory);
  void describe();
  void choose();
  cublasStatus_t multiply(const cublasLtMatmulAlgo_t& way, const Matrices& matrices) const;
  double seconds_of(const cublasLtMatmulAlgo_t& way, const Matrices& matrices) const;

  const CublasTypes& types_;
  CublasShape shape_;
  DeviceArray<unsigned char> workspace_;
  Owned<cublasLtContext> context_;
  Owned<cublasLtMatmulDescOpaque_t> product_;
  Owned<cublasLtMatrixLayoutOpaque_t> a_, b_, c_;
  const void *one_, *zero_;
  static constexpr int most_ways = 8;                   // that its heuristic is asked for
  std::array<cublasLtMatmulAlgo_t, most_ways> ways_{};  // its best guess first
  std::size_t number_of_ways_ = 0;
  cublasLtMatmulAlgo_t way_{};
  decltype(&cublasLtMatmul) multiply_;
};

CublasProduct::Parts::Parts(const CublasTypes& types, const CublasShape& shape, DeviceMemory& memory)
    : types_(types),
      shape_(shape),
      workspace_(cublas_workspace_bytes, memory),
      context_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtDestroy)),
      product_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulDescDestroy)),
      a_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatrixLayoutDestroy)),
      b_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatrixLayoutDestroy)),
      c_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatrixLayoutDestroy)),
      one_(one.of(types.factor)),
      zero_(zero.of(types.factor)),
      multiply_(PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmul)) {
  describe();
  choose();
}

void CublasProduct::Parts::describe() {
  cublasLtHandle_t context = nullptr;
  PLUMBLINE_CUBLAS(cublasLtCreate, &context);
  context_.reset(context);
  cublasLtMatmulDesc_t product = nullptr;
  PLUMBLINE_CUBLAS(cublasLtMatmulDescCreate, &product, types_.compute, types_.factor);
  product_.reset(product);
  const auto& [rows, columns, depth, a_by_rows] = shape_;
  const cublasOperation_t as_a_lies = a_by_rows ? CUBLAS_OP_T : CUBLAS_OP_N;
  PLUMBLINE_CUBLAS(cublasLtMatmulDescSetAttribute, product, CUBLASLT_MATMUL_DESC_TRANSA, &as_a_lies, sizeof as_a_lies);
  const auto layout = [&](auto& owned, cudaDataType_t type, std::uint64_t down, std::uint64_t across) {
    cublasLtMatrixLayout_t made = nullptr;
    PLUMBLINE_CUBLAS(cublasLtMatrixLayoutCreate, &made, type, down, across, static_cast<std::int64_t>(down));
    owned.reset(made);
  };
  layout(a_, types_.operand, a_by_rows ? depth : rows, a_by_rows ? rows : depth);
  layout(b_, types_.operand, depth, columns);
  layout(c_, types_.sum, rows, columns);
}

void CublasProduct::Parts::choose() {
  cublasLtMatmulPreference_t made = nullptr;
  PLUMBLINE_CUBLAS(cublasLtMatmulPreferenceCreate, &made);
  const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulPreferenceDestroy));
  const std::uint64_t most_bytes = cublas_workspace_bytes;
  PLUMBLINE_CUBLAS(cublasLtMatmulPreferenceSetAttribute, made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most_bytes, sizeof most_bytes);
  std::array<cublasLtMatmulHeuristicResult_t, most_ways> found{};
  int count = 0;
  const cublasStatus_t told = PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulAlgoGetHeuristic)(
      context_.get(), product_.get(), a_.get(), b_.get(), c_.get(), c_.get(), made, most_ways, found.data(), &count);
  if (told == CUBLAS_STATUS_NOT_SUPPORTED || (told == CUBLAS_STATUS_SUCCESS && count == 0))
    throw UnavailableHere("cuBLAS " + version() + " has no product of these types and this size for this GPU");
  require_success(told, "cublasLtMatmulAlgoGetHeuristic");
  for (const auto& one : std::span(found).first(static_cast<std::size_t>(count)))
    if (one.state == CUBLAS_STATUS_SUCCESS) ways_[number_of_ways_++] = one.algo;
  if (number_of_ways_ == 0) require_success(found.front().state, "cublasLtMatmulAlgoGetHeuristic");
  way_ = ways_.front();
}

cublasStatus_t CublasProduct::Parts::multiply(const cublasLtMatmulAlgo_t& way, const Matrices& matrices) const {
  const auto& [a, b, c] = matrices;
  return multiply_(context_.get(), product_.get(), one_, a, a_.get(), b, b_.get(), zero_, c, c_.get(), c, c_.get(), &way, workspace_.data(),
                   workspace_.size(), cuda::stream());
}

/// The seconds of a way; NaN where the library refuses it after all.
double CublasProduct::Parts::seconds_of(const cublasLtMatmulAlgo_t& way, const Matrices& matrices) const {
  return cuda::queued_seconds([&] { return multiply(way, matrices) == CUBLAS_STATUS_SUCCESS; });
}

CublasProduct::CublasProduct(std::string_view type, const CublasShape& shape, DeviceMemory& memory)
    : parts_(std::make_unique<Parts>(types_of(type), shape, memory)) {}
CublasProduct::~CublasProduct() = default;

void CublasProduct::queue(const Matrices& matrices) const { require_success(parts_->multiply(parts_->way_, matrices), "cublasLtMatmul"); }

void CublasProduct::keep_fastest(const Matrices& matrices) {
  using Which = std::tuple<int, std::string_view, std::uint64_t, std::uint64_t, std::uint64_t, bool>;
  static std::map<Which, cublasLtMatmulAlgo_t> known;  // data are made anew in each round
  Parts& p = *parts_;
  int device = 0;
  PLUMBLINE_CUDA(cudaGetDevice(&device));
  const Which which{device, p.types_.name, p.shape_.rows, p.shape_.columns, p.shape_.depth, p.shape_.a_by_rows};
  if (const auto found = known.find(which); found != known.end()) {
    p.way_ = found->second;
    return;
  }
  if (const auto best = fastest(p.number_of_ways_, [&](std::size_t i) { return p.seconds_of(p.ways_[i], matrices); }))
    p.way_ = p.ways_[*best];
  known[which] = p.way_;
}

}  // namespace plumbline
