// The matrix product C = A B of n x n matrices is computed by three plain loops, and by OpenBLAS as a flavor of its own.
#include "validation/dgemm.hpp"

#include "dgemm.flavors.hpp"
#include "validation/openblas.hpp"

namespace plumbline {
namespace {

constexpr std::string_view library_flavor = "lib-openblas";

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// The number of panels into which OpenBLAS cuts the inner dimension (driver/level3/level3.c: halves of what is left below two panels).
std::uint64_t panels(std::uint64_t n, std::uint64_t panel) {
  std::uint64_t count = 0;
  for (std::uint64_t left = n; left != 0; ++count) left -= left >= 2 * panel ? panel : left > panel ? round_up(left / 2, 4) : left;
  return count;
}

template <class Real>
class DgemmCase final : public DgemmData<Real, Array> {
 public:
  using DgemmData<Real, Array>::DgemmData;
  static Work model(const Parameters& p, std::string_view flavor) {
    return flavor == library_flavor ? library_model(p.integer("n")) : plain_model(p.integer("n"));
  }

  std::size_t grain() const override { return library_rows; }

 private:
  static constexpr std::size_t library_rows = 4;  // the library's kernels take four rows at a time

  static Work plain_model(std::uint64_t n) {
    const std::uint64_t real = sizeof(Real), row = n * real, matrix = n * row;
    Work work{.flops = flops<Real>({"add", "mul"}, n * n * n),  // 0 + a b + a b + ...
              .streams = {{.array = "a",
                           .footprint_bytes = matrix,
                           .read = true,
                           .loads = n * n,
                           .element_bytes = real,
                           // A row of B and one of C pass from one element to the next; without them each element costs its line.
                           .layers = {{.reuse_bytes = 2 * row, .fetched_bytes = n * n * 64}}},
                          {.array = "b",
                           .footprint_bytes = matrix,
                           .read = true,
                           .loads = n * n * n,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = matrix + 2 * row, .fetched_bytes = n * matrix}},
                           .shared = true},
                          {.array = "c",
                           .footprint_bytes = matrix,
                           .written = true,
                           .stores = n * n,
                           .element_bytes = real,
                           // All but the same row of A passes from its last use to its next.
                           .layers = {{.reuse_bytes = matrix + 2 * row, .fetched_bytes = matrix, .upper_bound = true}}},
                          // The row of C, once set to zero, stays cached, or is fetched and written for each row of B.
                          {.array = "c, accumulated",
                           .read = true,
                           .written = true,
                           .loads = n * n * n,
                           .stores = n * n * n,
                           .element_bytes = real,
                           .layers = {{.reuse_bytes = 2 * row, .fetched_bytes = n * matrix}}}}};
    work.add_outer_loop(n, matrix + 2 * row);
    work.add_outer_loop(n * n, 2 * row);
    return work;
  }

  /// Measured with OpenBLAS 0.3.21 under the emulator; the form follows from its blocking.
  static Work library_model(std::uint64_t n) {
    constexpr bool is_fp64 = sizeof(Real) == 8;
    constexpr std::uint64_t lanes = is_fp64 ? 4 : 8;
    const std::uint64_t padded = round_up(n, lanes), depth = panels(n, is_fp64 ? 256 : 320);
    const std::uint64_t calls = round_up(n, library_rows) / library_rows;  // at most: one a thread
    // Each panel ends with C += alpha (A B): in fp64 one operation an element is more than in the textbook, in fp32 two, and up to
    // one more where its kernel adds halves. What does not fill four (fp32: eight) rows or columns is padded.
    Amount total(2 * n * n * n + (is_fp64 ? 1 : 2) * depth * n * n, 2 * padded * padded * n + (is_fp64 ? 1 : 3) * depth * padded * padded);
    Work work{.streams = library_streams(n, depth)};
    work.flops = {{"flops.fp64.mul", Amount(0, 2 * calls)}};  // the interface: is m n k worth threads? (0.3.34 asks otherwise)
    work.flops[flops<Real>("add")] += total;
    work.note =
        is_fp64 ? "OpenBLAS, Haswell kernels: n^2 more FLOPs for each 256 of the inner dimension, sides padded to 4, at most 2 more a call"
                : "OpenBLAS, Haswell kernels: 2 n^2 to 3 n^2 more FLOPs for each 320 of the inner dimension, sides padded to 8, at "
                  "most 2 in fp64 a call";
    return work;
  }

  /// The library copies panels of A and B into buffers of its own and sweeps those; how often depends on its blocking, so all that
  /// is said of reuse is the most it can cost: packed A once for each four columns, everything else a few times a panel. (What is
  /// packed counts as one matrix at least: so it is in fp32 under the emulator, while fp64 packs both.) A call takes the first of its
  /// buffers that is free (driver/others/memory.c): which thread gets which, and how many are used, depends on who runs when.
  static std::vector<Stream> library_streams(std::uint64_t n, std::uint64_t depth) {
    const std::uint64_t real = sizeof(Real), matrix = n * n * real, inner = round_up(n / depth, 4) * n * real;
    const auto at_most = [&](std::uint64_t times) {
      return std::vector<Stream::Layer>{{.reuse_bytes = 2 * matrix, .fetched_bytes = times * matrix, .upper_bound = true}};
    };
    std::vector<Stream> streams = plain_model(n).streams;
    streams.resize(3);
    for (Stream& stream : streams) stream.layers = at_most(2);
    streams[2].loads = streams[0].loads * n;
    streams[2].stores = streams[0].loads * n;
    streams.push_back({.array = "packed",
                       .footprint_bytes = inner,
                       .written = true,
                       .element_bytes = real,
                       .layers = at_most(4 * depth),
                       .per_thread = true,
                       .pooled = true});
    streams.push_back({.array = "packed, read again", .read = true, .element_bytes = real, .layers = at_most(n / 4 + 4 * depth)});
    streams.push_back({.array = "c, accumulated", .read = true, .written = true, .element_bytes = real, .layers = at_most(2 * depth)});
    // The library has tables, locks and arguments of its own.
    const std::uint64_t own = 16384;
    streams.push_back({.array = "the library's own",
                       .read = true,
                       .written = true,
                       .layers = {{.reuse_bytes = own, .fetched_bytes = own, .upper_bound = true}}});
    return streams;
  }
};

template <class Real, class Gemm>
void sweep_library(const void* arguments, std::size_t begin, std::size_t end, Gemm gemm) {
  const auto& x = *static_cast<const Dgemm<Real>*>(arguments);
  const int n = static_cast<int>(x.n), rows = static_cast<int>(end - begin);
  if (rows == 0) return;
  gemm(OpenBlas::row_major, OpenBlas::no_transpose, OpenBlas::no_transpose, rows, n, n, Real(1), x.a + begin * x.n, n, x.b, n, Real(0),
       x.c + begin * x.n, n);
}

void sweep_openblas_fp64(const void* x, std::size_t begin, std::size_t end) { sweep_library<double>(x, begin, end, openblas().dgemm); }
void sweep_openblas_fp32(const void* x, std::size_t begin, std::size_t end) { sweep_library<float>(x, begin, end, openblas().sgemm); }

std::span<const Flavor> all_flavors() {
  static const std::vector<Flavor> flavors = [] {
    std::vector<Flavor> all(std::begin(dgemm_flavors), std::end(dgemm_flavors));
    if (openblas().absent.empty()) {
      all.push_back({library_flavor, "fp64", sweep_openblas_fp64});
      all.push_back({library_flavor, "fp32", sweep_openblas_fp32});
    }
    return all;
  }();
  return flavors;
}

std::vector<AbsentFlavor> absent_flavors() {
  if (openblas().absent.empty()) return {};
  return {{std::string(library_flavor), openblas().absent}};
}

const Register<DgemmCase> registered{dgemm_facts("Matrix product C = A B: three plain loops, or OpenBLAS on the thread's rows"),
                                     all_flavors, absent_flavors};

}  // namespace
}  // namespace plumbline
