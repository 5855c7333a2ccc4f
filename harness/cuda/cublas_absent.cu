#include "core/unavailable.hpp"
#include "cuda/cublas.cuh"

namespace plumbline {

const std::string& cublas_absent() {
  static const std::string why = "cuBLAS is not built in: the CUDA that compiled the module has no cublasLt.h";
  return why;
}

struct CublasProduct::Parts {};
CublasProduct::CublasProduct(std::string_view, const CublasShape&, DeviceMemory&) { throw UnavailableHere(cublas_absent()); }
CublasProduct::~CublasProduct() = default;
void CublasProduct::queue(const Matrices&) const { throw UnavailableHere(cublas_absent()); }
void CublasProduct::keep_fastest(const Matrices&) { throw UnavailableHere(cublas_absent()); }

}  // namespace plumbline
