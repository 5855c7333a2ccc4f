#include <dlfcn.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "core/shared_library.hpp"
#include "core/unavailable.hpp"
#include "cuda/fastest.hpp"
#include "cuda/runtime.cuh"
#include "ert/cublas.cuh"

namespace plumbline {
namespace {

constexpr const char* names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

CublasLibrary open_cublas() {
  CublasLibrary library;
  for (const char* name : names) {
    const auto [handle, why] = open_library(name, RTLD_LAZY | RTLD_LOCAL);
    library.handle = handle;
    library.file = name;
    if (library.handle != nullptr) return library.absent.clear(), library;
    if (library.absent.empty()) library.absent = "cuBLAS cannot be opened: " + why;
  }
  library.absent += "; put the folder of the CUDA toolkit that has it on LD_LIBRARY_PATH";
  return library;
}

/// The library's function, by its declaration; its result is held against success.
#define PLUMBLINE_CUBLAS_FUNCTION(name) reinterpret_cast<decltype(&(name))>(cublas().function(#name))
#define PLUMBLINE_CUBLAS(name, ...) cublas().require_success(PLUMBLINE_CUBLAS_FUNCTION(name)(__VA_ARGS__), #name)

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

struct Event {
  cudaEvent_t event = nullptr;
  Event() { PLUMBLINE_CUDA(cudaEventCreate(&event)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event); }
};

}  // namespace

const CublasLibrary& cublas() {
  static const CublasLibrary library = open_cublas();
  return library;
}

void* CublasLibrary::function(const char* name) const {
  if (handle == nullptr) throw io_error(absent);
  void* const address = dlsym(handle, name);
  if (address == nullptr) throw io_error(file + " has no " + name);
  return address;
}

void CublasLibrary::require_success(cublasStatus_t result, const char* call) const {
  if (result == CUBLAS_STATUS_SUCCESS) return;
  const char* const words = reinterpret_cast<decltype(&cublasLtGetStatusName)>(function("cublasLtGetStatusName"))(result);
  const std::string what = std::string(call) + " failed: " + words + " (" + file + ")";
  if (result == CUBLAS_STATUS_NOT_SUPPORTED || result == CUBLAS_STATUS_ARCH_MISMATCH) throw UnavailableHere(what);
  throw io_error(what);
}

CublasProduct::CublasProduct(const CublasTypes& types, std::uint64_t n, Matrices matrices, DeviceMemory& memory)
    : types_(types),
      n_(n),
      matrices_(matrices),
      workspace_(workspace_bytes, memory),
      context_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtDestroy)),
      product_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulDescDestroy)),
      operand_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatrixLayoutDestroy)),
      sum_(nullptr, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatrixLayoutDestroy)),
      one_(one.of(types.factor)),
      zero_(zero.of(types.factor)),
      multiply_(PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmul)) {
  describe();
  choose();
}

void CublasProduct::describe() {
  const auto& [operand, sum, factor, compute] = types_;
  cublasLtHandle_t context = nullptr;
  PLUMBLINE_CUBLAS(cublasLtCreate, &context);
  context_.reset(context);
  cublasLtMatmulDesc_t product = nullptr;
  PLUMBLINE_CUBLAS(cublasLtMatmulDescCreate, &product, compute, factor);
  product_.reset(product);
  const cublasOperation_t by_rows = CUBLAS_OP_T;
  PLUMBLINE_CUBLAS(cublasLtMatmulDescSetAttribute, product, CUBLASLT_MATMUL_DESC_TRANSA, &by_rows, sizeof by_rows);
  const auto layout = [&](auto& owned, cudaDataType_t type) {
    cublasLtMatrixLayout_t made = nullptr;
    PLUMBLINE_CUBLAS(cublasLtMatrixLayoutCreate, &made, type, n_, n_, static_cast<std::int64_t>(n_));
    owned.reset(made);
  };
  layout(operand_, operand);
  layout(sum_, sum);
}

void CublasProduct::choose() {
  cublasLtMatmulPreference_t made = nullptr;
  PLUMBLINE_CUBLAS(cublasLtMatmulPreferenceCreate, &made);
  const Owned<cublasLtMatmulPreferenceOpaque_t> preference(made, PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulPreferenceDestroy));
  const std::uint64_t most_bytes = workspace_bytes;
  PLUMBLINE_CUBLAS(cublasLtMatmulPreferenceSetAttribute, made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most_bytes, sizeof most_bytes);
  std::array<cublasLtMatmulHeuristicResult_t, most_ways> found{};
  int count = 0;
  const cublasStatus_t told = PLUMBLINE_CUBLAS_FUNCTION(cublasLtMatmulAlgoGetHeuristic)(
      context_.get(), product_.get(), operand_.get(), operand_.get(), sum_.get(), sum_.get(), made, most_ways, found.data(), &count);
  if (told == CUBLAS_STATUS_NOT_SUPPORTED || (told == CUBLAS_STATUS_SUCCESS && count == 0))
    throw UnavailableHere("cuBLAS " + version() + " has no product of these types and this size for this GPU");
  cublas().require_success(told, "cublasLtMatmulAlgoGetHeuristic");
  for (const auto& one : std::span(found).first(static_cast<std::size_t>(count)))
    if (one.state == CUBLAS_STATUS_SUCCESS) ways_[number_of_ways_++] = one.algo;
  if (number_of_ways_ == 0) cublas().require_success(found.front().state, "cublasLtMatmulAlgoGetHeuristic");
  way_ = ways_.front();
}

cublasStatus_t CublasProduct::multiply(const cublasLtMatmulAlgo_t& way) const {
  const auto& [a, b, c] = matrices_;
  return multiply_(context_.get(), product_.get(), one_, a, operand_.get(), b, operand_.get(), zero_, c, sum_.get(), c, sum_.get(), &way,
                   workspace_.data(), workspace_.size(), cuda::stream());
}

void CublasProduct::queue() const { cublas().require_success(multiply(way_), "cublasLtMatmul"); }

/// The seconds of a way; NaN where the library refuses it after all.
double CublasProduct::seconds_of(const cublasLtMatmulAlgo_t& way) const {
  const auto timed = [&](int times) {
    const Event begin, end;
    PLUMBLINE_CUDA(cudaEventRecord(begin.event, cuda::stream()));
    for (int i = 0; i < times; ++i)
      if (multiply(way) != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<double>::quiet_NaN();
    PLUMBLINE_CUDA(cudaEventRecord(end.event, cuda::stream()));
    PLUMBLINE_CUDA(cudaEventSynchronize(end.event));
    float milliseconds = 0;
    PLUMBLINE_CUDA(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
    return 1e-3 * static_cast<double>(milliseconds) / times;
  };
  if (std::isnan(timed(1))) return std::numeric_limits<double>::quiet_NaN();  // its code is loaded now
  const double once = timed(1);
  const int times = times_to_time(once);
  return times == 1 ? once : timed(times);
}

void CublasProduct::keep_fastest() {
  static std::map<std::array<std::int64_t, 5>, cublasLtMatmulAlgo_t> known;  // data are made anew in each round
  int device = 0;
  PLUMBLINE_CUDA(cudaGetDevice(&device));
  const std::array<std::int64_t, 5> which{device, types_.operand, types_.sum, types_.compute, static_cast<std::int64_t>(n_)};
  if (const auto found = known.find(which); found != known.end()) {
    way_ = found->second;
    return;
  }
  if (const auto best = fastest(number_of_ways_, [&](std::size_t i) { return seconds_of(ways_[i]); })) way_ = ways_[*best];
  known[which] = way_;
}

}  // namespace plumbline
