// cuBLASLt is opened at run time: products of matrices by it, or why there are none. Only cublas.cu knows its header; where the CUDA that
// compiles has none, cublas_absent.cu stands in its place.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/device_memory.hpp"

namespace plumbline {

inline constexpr std::string_view cublas_flavor = "lib-cublas";

/// The reason why there is no cuBLASLt, in a line; empty where there is one. The library is opened at first use, by the loader's path. That
/// takes neither a driver nor a GPU.
const std::string& cublas_absent();

/// The product C = A B, where C has so many rows and columns and each of its sums so many terms. B and C lie by columns, A too or by rows.
struct CublasShape {
  std::uint64_t rows, columns, depth;
  bool a_by_rows;
};

/// A product in a way that cuBLASLt's heuristic has for it with 32 MiB of its own. It runs on the GPU that is open.
class CublasProduct {
 public:
  struct Matrices {
    const void *a, *b;
    void* c;
  };
  /// Prepares a product of matrices of fp16, bf16, tf32, fp64, fp8 (by rows), int8 (by rows) or fp32; sums are fp64, int32 or fp32. Throws
  /// UnavailableHere where the library has none for this GPU; Error (io) where a call fails.
  CublasProduct(std::string_view type, const CublasShape& shape, DeviceMemory& memory);
  ~CublasProduct();
  CublasProduct(const CublasProduct&) = delete;
  CublasProduct& operator=(const CublasProduct&) = delete;

  /// Queues the product of these matrices. Throws UnavailableHere, or Error (io), where the library refuses it.
  void queue(const Matrices& matrices) const;
  /// Takes from now on the fastest of the first eight ways of the heuristic, timed with these matrices, once for each GPU, type and shape;
  /// before, it is the first. Writes C.
  void keep_fastest(const Matrices& matrices);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace plumbline
