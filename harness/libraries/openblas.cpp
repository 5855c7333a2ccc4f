#include "libraries/openblas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "core/shared_library.hpp"
#include "libraries/avx2.hpp"

namespace plumbline {
namespace {

constexpr const char* names[] = {PLUMBLINE_OPENBLAS, "libopenblas.so.0", "libopenblas.so"};

OpenBlas open_openblas() {
  OpenBlas library;
  if (!runs_avx2()) {
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

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// The number of panels into which OpenBLAS cuts the inner dimension (driver/level3/level3.c: halves of what is left below two panels).
std::uint64_t panels(std::uint64_t k, std::uint64_t panel) {
  std::uint64_t count = 0;
  for (std::uint64_t left = k; left != 0; ++count) left -= left >= 2 * panel ? panel : left > panel ? round_up(left / 2, 4) : left;
  return count;
}

/// Measured with OpenBLAS 0.3.21 under the emulator; the form follows from its blocking. Each of `depth` panels ends with C += alpha (A B):
/// in fp64 one operation an element is more than in the textbook, in fp32 two, and up to one more where its kernel adds halves, or where an
/// inner dimension is so short that fp64's kernel begins with zeros. What does not fill four (fp32: eight) rows or columns is padded.
Amount flops(std::uint64_t m, std::uint64_t n, std::uint64_t k, bool is_fp64, std::uint64_t depth) {
  const std::uint64_t lanes = is_fp64 ? 4 : 8, rows = round_up(m, lanes), columns = round_up(n, lanes), least = is_fp64 ? 1 : 2;
  constexpr std::uint64_t short_inner = 8;
  const std::uint64_t most = is_fp64 && k >= short_inner ? least : least + 1;
  return {2 * m * n * k + least * depth * m * n, 2 * rows * columns * k + most * depth * rows * columns};
}

/// The library copies panels of A and B into buffers of its own and sweeps those; how often depends on its blocking, so all that
/// is said of reuse is the most it can cost: packed A once for each four columns, everything else a few times a panel. (What is
/// packed counts as one matrix at least: so it is in fp32 under the emulator, while fp64 packs both.) A call takes the first of its
/// buffers that is free (driver/others/memory.c): which thread gets which, and how many are used, depends on who runs when.
std::vector<Stream> streams(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t element_bytes, std::uint64_t depth) {
  const std::uint64_t a = m * k * element_bytes, b = k * n * element_bytes, c = m * n * element_bytes, two_of_three = 2 * (a + b + c) / 3,
                      own = 16384;  // tables, locks and arguments
  const auto at_most = [&](std::uint64_t bytes) {
    return std::vector<Stream::Layer>{{.reuse_bytes = two_of_three, .fetched_bytes = bytes, .upper_bound = true}};
  };
  return {{.array = "a", .footprint_bytes = a, .read = true, .loads = m * k, .element_bytes = element_bytes, .layers = at_most(2 * a)},
          {.array = "b",
           .footprint_bytes = b,
           .read = true,
           .loads = m * n * k,
           .element_bytes = element_bytes,
           .layers = at_most(2 * b),
           .shared = true},
          {.array = "c",
           .footprint_bytes = c,
           .written = true,
           .loads = m * n * k,
           .stores = m * n * k,
           .element_bytes = element_bytes,
           .layers = at_most(2 * c)},
          {.array = "packed",
           .footprint_bytes = round_up(k / depth, 4) * n * element_bytes,
           .written = true,
           .element_bytes = element_bytes,
           .layers = at_most(4 * depth * std::max(a, b)),
           .per_thread = true,
           .pooled = true},
          {.array = "packed, read again",
           .read = true,
           .element_bytes = element_bytes,
           .layers = at_most(n / 4 * a + 4 * depth * std::max(a, b))},
          {.array = "c, accumulated", .read = true, .written = true, .element_bytes = element_bytes, .layers = at_most(2 * depth * c)},
          {.array = "the library's own",
           .read = true,
           .written = true,
           .layers = {{.reuse_bytes = own, .fetched_bytes = own, .upper_bound = true}}}};
}

}  // namespace

const OpenBlas& openblas() {
  static const OpenBlas library = open_openblas();
  return library;
}

std::vector<Flavor> with_openblas(std::span<const Flavor> own, Sweep fp64, Sweep fp32) {
  std::vector<Flavor> all(own.begin(), own.end());
  if (!openblas().absent.empty()) return all;
  all.push_back({openblas_flavor, "fp64", fp64});
  all.push_back({openblas_flavor, "fp32", fp32});
  return all;
}

std::vector<AbsentFlavor> absent_openblas() {
  if (openblas().absent.empty()) return {};
  return {{std::string(openblas_flavor), openblas().absent}};
}

Work openblas_work(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t element_bytes, std::uint64_t calls) {
  const bool is_fp64 = element_bytes == 8;
  const std::uint64_t depth = panels(k, is_fp64 ? 256 : 320);
  Work work{.streams = streams(m, n, k, element_bytes, depth)};
  work.flops = {{"flops.fp64.mul", Amount(0, 2 * calls)}};  // the interface: is m n k worth threads? (0.3.34 asks otherwise)
  work.flops[is_fp64 ? "flops.fp64.add" : "flops.fp32.add"] += flops(m, n, k, is_fp64, depth);
  work.note =
      is_fp64 ? "OpenBLAS, Haswell kernels: m n more FLOPs for each 256 of the inner dimension, sides padded to 4, at most 2 more a call"
              : "OpenBLAS, Haswell kernels: 2 m n to 3 m n more FLOPs for each 320 of the inner dimension, sides padded to 8, at most 2 "
                "in fp64 a call";
  return work;
}

}  // namespace plumbline
