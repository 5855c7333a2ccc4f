#include "model/ceilings/gpu_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace plumbline {
namespace {

// The guide that has the table: up to CUDA 12 the Programming Guide, since then the Best Practices Guide.
constexpr std::string_view guide =
    "NVIDIA, CUDA C++ Programming Guide 12 and Best Practices Guide 13, throughput of native arithmetic instructions";
constexpr std::string_view like_fp32 = "unverified: as fast as fp32, as the whitepapers of the family say of FP16 and BF16 (non-tensor)";

/// Results a cycle and multiprocessor of an addition, a multiplication or an FMA; 0: not known. Of 16 bits two an instruction.
struct Multiprocessor {
  int major, first_minor, last_minor;
  double fp64, fp32, fp16, bf16;
  double l1_bytes, shared_bytes;
  std::string_view name;
  std::string_view halves_source = guide;
};
/// The table of multiprocessors. 8.0 and 9.0 give the peaks of data sheets (TFLOP/s, A100: 9.7, 19.5, 78, 39; H100: 33.5, 67, 134, 134).
/// For 8.6, 8.9, 10.0 and 12.0 the guide's fp64 and fp32 were found quoted by others only; of 16 bits they quote 12.0 as 256 (edition 12.9)
/// and 128 (13.4), 10.0 as 128 (13.0), where this table once had 256: there is no limit until a GPU has shown which.
constexpr std::array multiprocessors{
    Multiprocessor{7, 5, 5, 2, 64, 128, 0, 64, 128, "Turing"},
    Multiprocessor{8, 0, 0, 32, 64, 256, 128, 128, 128, "Ampere GA100"},
    Multiprocessor{8, 6, 6, 2, 128, 128, 128, 128, 128, "Ampere GA10x", like_fp32},
    Multiprocessor{8, 9, 9, 2, 128, 128, 128, 128, 128, "Ada", like_fp32},
    Multiprocessor{9, 0, 0, 64, 128, 256, 256, 128, 128, "Hopper"},
    Multiprocessor{10, 0, 0, 64, 128, 0, 0, 128, 128, "Blackwell GB100"},
    Multiprocessor{12, 0, 0, 2, 128, 128, 128, 128, 128, "Blackwell GB20x", like_fp32},
};

/// FLOP (int8: operations) a cycle and multiprocessor of dense products with sums of 32 bits (fp64: 64). Products whose rate a GPU's maker
/// lowers in some models of a family (sums in fp32 on GeForce) are left out.
struct TensorRate {
  int major, minor;
  std::string_view type;
  double per_clock;
  std::string_view source;
};
constexpr std::string_view turing = "NVIDIA, Turing GPU Architecture, WP-09183-001", ampere = "NVIDIA, A100 Tensor Core GPU Architecture",
                           hopper = "NVIDIA, H100 Tensor Core GPU Architecture",
                           blackwell = "NVIDIA, Blackwell Architecture Technical Brief";
constexpr std::array tensor_rates{
    TensorRate{7, 5, "fp16", 1024, turing},     TensorRate{7, 5, "int8", 2048, turing},     TensorRate{8, 0, "fp16", 2048, ampere},
    TensorRate{8, 0, "bf16", 2048, ampere},     TensorRate{8, 0, "tf32", 1024, ampere},     TensorRate{8, 0, "fp64", 128, ampere},
    TensorRate{8, 0, "int8", 4096, ampere},     TensorRate{9, 0, "fp16", 4096, hopper},     TensorRate{9, 0, "bf16", 4096, hopper},
    TensorRate{9, 0, "tf32", 2048, hopper},     TensorRate{9, 0, "fp64", 256, hopper},      TensorRate{9, 0, "fp8", 8192, hopper},
    TensorRate{9, 0, "int8", 8192, hopper},     TensorRate{10, 0, "fp16", 8192, blackwell}, TensorRate{10, 0, "bf16", 8192, blackwell},
    TensorRate{10, 0, "tf32", 4096, blackwell}, TensorRate{10, 0, "fp8", 16384, blackwell},
};

const Multiprocessor* multiprocessor_of(const GpuIdentity& gpu) {
  const auto found = std::find_if(multiprocessors.begin(), multiprocessors.end(), [&](const Multiprocessor& m) {
    return m.major == gpu.major && m.first_minor <= gpu.minor && gpu.minor <= m.last_minor;
  });
  return found == multiprocessors.end() ? nullptr : &*found;
}

std::optional<CoreLimit> limit(double per_clock, std::string_view name, std::string_view source) {
  if (per_clock <= 0) return std::nullopt;
  return CoreLimit{per_clock, std::string(name) + ": " + std::string(source), ""};
}

double results(const Multiprocessor& m, std::string_view precision) {
  return precision == "fp64" ? m.fp64 : precision == "fp32" ? m.fp32 : precision == "fp16" ? m.fp16 : precision == "bf16" ? m.bf16 : 0;
}

constexpr std::string_view words_between = " multiprocessors of ";

}  // namespace

std::string gpu_method(const GpuIdentity& gpu) {
  return gpu.flavor + ", " + std::to_string(gpu.multiprocessors) + std::string(words_between) + std::to_string(gpu.major) + "." +
         std::to_string(gpu.minor) + ", " + gpu.name;
}

std::optional<GpuIdentity> gpu_of_method(std::string_view method) {
  const std::size_t first = method.find(", "), words = method.find(words_between);
  if (first == method.npos || words == method.npos || words < first) return std::nullopt;
  GpuIdentity gpu{.flavor = std::string(method.substr(0, first))};
  const char* const end = method.data() + method.size();
  const auto number = [&](const char* from, int& into) { return std::from_chars(from, end, into); };
  const char* const capability = method.data() + words + words_between.size();
  if (number(method.data() + first + 2, gpu.multiprocessors).ec != std::errc()) return std::nullopt;
  const auto major = number(capability, gpu.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = number(major.ptr + 1, gpu.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  const std::string_view rest(minor.ptr, static_cast<std::size_t>(end - minor.ptr));
  gpu.name = rest.starts_with(", ") ? rest.substr(2) : "";
  return gpu;
}

std::optional<CoreLimit> gpu_arithmetic_limit(const GpuIdentity& gpu, std::string_view precision, std::string_view pattern) {
  constexpr std::string_view tensor = "tensor.";
  const Multiprocessor* const m = multiprocessor_of(gpu);
  if (m == nullptr) return std::nullopt;
  if (precision.starts_with(tensor)) {
    const auto found = std::find_if(tensor_rates.begin(), tensor_rates.end(), [&](const TensorRate& rate) {
      return rate.major == gpu.major && rate.minor == gpu.minor && rate.type == precision.substr(tensor.size());
    });
    return found == tensor_rates.end() ? std::nullopt : limit(found->per_clock, m->name, found->source);
  }
  const double flops = pattern == "fma" ? 2 : pattern == "mul+add" || pattern == "add" || pattern == "mul" ? 1 : 0;
  return limit(flops * results(*m, precision), m->name, precision == "fp16" || precision == "bf16" ? m->halves_source : guide);
}

std::optional<CoreLimit> gpu_bandwidth_limit(const GpuIdentity& gpu, std::string_view level) {
  const Multiprocessor* const m = multiprocessor_of(gpu);
  if (m == nullptr) return std::nullopt;
  if (level == "shared") return limit(m->shared_bytes, m->name, "NVIDIA, CUDA C++ Programming Guide, shared memory: 32 banks of 4 bytes");
  if (level == "L1")
    return limit(m->l1_bytes, m->name,
                 "as wide as the path that shared memory has too (Turing: half of it), measured by Jia et al. 2018 and 2019");
  return std::nullopt;
}

}  // namespace plumbline
