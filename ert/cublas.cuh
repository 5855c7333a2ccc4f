// cuBLASLt, opened at run time: products of matrices by it, or why there are none. The only header that includes NVIDIA's.
#pragma once
#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/device_memory.hpp"

namespace plumbline {

struct CublasLibrary {
  void* handle = nullptr;
  std::string file = {};    // the name that it was opened by
  std::string absent = {};  // why there is none; empty where there is one

  /// Throws Error (io) where the library has none of that name.
  void* function(const char* name) const;
  /// Throws Error (io) with the call and the library's words; UnavailableHere where it has no such thing for this GPU.
  void require_success(cublasStatus_t result, const char* call) const;
};
/// Opened at first use, by the loader's path. That takes neither a driver nor a GPU.
const CublasLibrary& cublas();

/// Of the operands, of the sums and of the factors before them (which are 1 and 0), and how it is computed.
struct CublasTypes {
  cudaDataType_t operand, sum, factor;
  cublasComputeType_t compute;
};

/// C = A B of n x n matrices, in the first way that cuBLASLt's heuristic has for them with 32 MiB of its own: A by rows, B and C by columns
/// (the form that all types have). On the GPU that is open.
class CublasProduct {
 public:
  struct Matrices {
    const void *a, *b;
    void* c;
  };
  /// Throws UnavailableHere where the library has no such product for this GPU.
  CublasProduct(const CublasTypes& types, std::uint64_t n, Matrices matrices, DeviceMemory& memory);
  /// Throws UnavailableHere, or Error (io), where the library refuses it.
  void queue() const;

 private:
  template <class T>
  using Owned = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

  void describe(const CublasTypes& types, std::uint64_t n);
  void choose();

  Matrices matrices_;
  DeviceArray<unsigned char> workspace_;
  Owned<cublasLtContext> context_;
  Owned<cublasLtMatmulDescOpaque_t> product_;
  Owned<cublasLtMatrixLayoutOpaque_t> operand_, sum_;
  const void *one_, *zero_;
  cublasLtMatmulAlgo_t way_{};
  decltype(&cublasLtMatmul) multiply_;
};

}  // namespace plumbline
