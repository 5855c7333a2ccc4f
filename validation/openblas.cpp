#include "validation/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "core/shared_library.hpp"

namespace plumbline {
namespace {

constexpr const char* names[] = {PLUMBLINE_OPENBLAS, "libopenblas.so.0", "libopenblas.so"};

bool runs_haswell_kernels() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

OpenBlas open_openblas() {
  OpenBlas library;
  if (!runs_haswell_kernels()) {
    library.absent = "this CPU has no AVX2 and FMA, which OpenBLAS's Haswell kernels need";
    return library;
  }
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  for (const char* name : names) {
    const auto [handle, why] = open_library(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      library.absent = "OpenBLAS cannot be opened: " + why + " (Debian: apt-get install libopenblas0)";
      continue;
    }
    library.dgemm = reinterpret_cast<OpenBlas::Dgemm>(dlsym(handle, "cblas_dgemm"));
    library.sgemm = reinterpret_cast<OpenBlas::Sgemm>(dlsym(handle, "cblas_sgemm"));
    library.absent = library.dgemm && library.sgemm ? "" : std::string(name) + " has no cblas_dgemm and cblas_sgemm";
    break;
  }
  return library;
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas library = open_openblas();
  return library;
}

}  // namespace plumbline
