// cuBLASLt is opened at run time: products of matrices by it, or why there are none. This is the only header that includes NVIDIA's.
#pragma once
#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "core/device_memory.hpp"

namespace plumbline {

struct CublasLibrary {
  void* handle = nullptr;
  std::string file = {};    // the name that it was opened by
  std::string absent = {};  // why there is none; empty where there is one

  /// Finds a function by name. Throws Error (io) where the library has none of that name.
  void* function(const char* name) const;
  /// Throws Error (io) with the call and the library's words where a call failed; UnavailableHere where the library has no such thing for
  /// this GPU.
  void require_success(cublasStatus_t result, const char* call) const;
};
/// The library, opened at first use by the loader's path. That takes neither a driver nor a GPU.
const CublasLibrary& cublas();

/// The types of the operands, of the sums and of the factors before them (which are 1 and 0), and how the product is computed.
struct CublasTypes {
  cudaDataType_t operand, sum, factor;
  cublasComputeType_t compute;
};

/// The product C = A B of n x n matrices, in a way that cuBLASLt's heuristic has for them with 32 MiB of its own: A by rows, B and C by
/// columns (the form that all types have). It runs on the GPU that is open.
class CublasProduct {
 public:
  struct Matrices {
    const void *a, *b;
    void* c;
  };
  /// Prepares the product. Throws UnavailableHere where the library has none for this GPU.
  CublasProduct(const CublasTypes& types, std::uint64_t n, Matrices matrices, DeviceMemory& memory);
  /// Queues the product. Throws UnavailableHere, or Error (io), where the library refuses it.
  void queue() const;
  /// Takes from now on the fastest of the first eight ways of the heuristic, timed with the matrices as they are, once for each GPU, types
  /// and size; before, it is the first. Writes C.
  void keep_fastest();

 private:
  template <class T>
  using Owned = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

  void describe();
  void choose();
  cublasStatus_t multiply(const cublasLtMatmulAlgo_t& way) const;
  double seconds_of(const cublasLtMatmulAlgo_t& way) const;

  CublasTypes types_;
  std::uint64_t n_;
  Matrices matrices_;
  DeviceArray<unsigned char> workspace_;
  Owned<cublasLtContext> context_;
  Owned<cublasLtMatmulDescOpaque_t> product_;
  Owned<cublasLtMatrixLayoutOpaque_t> operand_, sum_;
  const void *one_, *zero_;
  static constexpr int most_ways = 8;  // that its heuristic is asked for
  std::array<cublasLtMatmulAlgo_t, most_ways> ways_{};  // its best guess first
  std::size_t number_of_ways_ = 0;
  cublasLtMatmulAlgo_t way_{};
  decltype(&cublasLtMatmul) multiply_;
};

}  // namespace plumbline
