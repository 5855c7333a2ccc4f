#include "profile/chosen_code.hpp"

#include <cstdlib>

namespace plumbline {
namespace {

struct Choice {
  const char *name, *value;
};

/// The variables as the libraries' own pages have them: OpenBLAS, MKL, oneDNN (old and new), BLIS, PyTorch, XLA (JAX, TensorFlow), glibc.
constexpr Choice choices[] = {{"OPENBLAS_CORETYPE", "Haswell"},
                              {"MKL_ENABLE_INSTRUCTIONS", "AVX2"},
                              {"DNNL_MAX_CPU_ISA", "AVX2"},
                              {"ONEDNN_MAX_CPU_ISA", "AVX2"},
                              {"BLIS_ARCH_TYPE", "haswell"},
                              {"ATEN_CPU_CAPABILITY", "avx2"},
                              {"XLA_FLAGS", "--xla_cpu_max_isa=AVX2"},
                              {"GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW"}};

}  // namespace

std::vector<std::string> choose_avx2() {
  std::vector<std::string> set;
  for (const auto& [name, value] : choices) {
    if (std::getenv(name) != nullptr) continue;
    setenv(name, value, 0);
    set.push_back(std::string(name) + "=" + value);
  }
  return set;
}

}  // namespace plumbline
